//! Allocator settings.

/// Lists of this size and more [bytes] are asked of the system one by one, and given back when they are dropped.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const MMAP_THRESHOLD: i32 = 1 << 20;

/// Lets large lists go back to the system when they are dropped.
///
/// The allocator of glibc keeps what it once gave back: after the first large list it takes the next ones from a heap, where what has been freed
/// stays between others that are in use. A cloth of 40 000 vertices takes about a tenth less memory so.
pub(crate) fn set_mmap_threshold() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    #[allow(unsafe_code, reason = "the allocator of the C library has no other interface")]
    // SAFETY: sets a number of the allocator; no other thread runs yet. If it is refused, nothing changes.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, MMAP_THRESHOLD);
    }
}
