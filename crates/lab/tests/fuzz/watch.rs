//! What a case may take, and what is kept of one that takes more: memory by an allocator that counts, time by the
//! processor.

use std::alloc::{GlobalAlloc, Layout, System};
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::time::Duration;

/// Most memory that a case may hold [bytes]. The files are some kilobytes; a mesh, its tree and its audit take a
/// thousand times as much at most.
const MAX_MEMORY: usize = 400 << 20;

/// Most memory that a case may ask for in all [bytes]: work that a slow machine does not change.
const MAX_ASKED: usize = 20 << 30;

/// Most processor time of a case [s]: loops that ask for no memory.
const MAX_SECONDS: f64 = 20.0;

/// The allocator of the system, counted.
pub(crate) struct Counting;

static HELD: AtomicUsize = AtomicUsize::new(0);
static ASKED: AtomicUsize = AtomicUsize::new(0);
/// What was held and asked for before the case; the limits are off while it is `usize::MAX`.
static BASE: AtomicUsize = AtomicUsize::new(usize::MAX);
static ASKED_BASE: AtomicUsize = AtomicUsize::new(0);
/// Number of the case, so that the watcher can tell one from the next.
static CASE: AtomicU64 = AtomicU64::new(0);
static PRESENT: Mutex<Option<Present>> = Mutex::new(None);

/// The case under way.
#[derive(Clone, Debug)]
pub(crate) struct Present {
    pub(crate) reader: &'static str,
    pub(crate) extension: &'static str,
    pub(crate) seed: u64,
    pub(crate) bytes: Vec<u8>,
}

fn count(size: usize) {
    let held = HELD.fetch_add(size, Relaxed) + size;
    let asked = ASKED.fetch_add(size, Relaxed) + size;
    let base = BASE.load(Relaxed);
    if base == usize::MAX {
        return;
    }
    let too_much = held > base.saturating_add(MAX_MEMORY);
    let too_often = asked > ASKED_BASE.load(Relaxed).saturating_add(MAX_ASKED);
    if too_much || too_often {
        // What is said takes memory too.
        BASE.store(usize::MAX, Relaxed);
    }
    if too_much {
        fail(&format!("it holds {} MB", (held - base) >> 20));
    }
    if too_often {
        fail(&format!("it has asked for {} GB in all", MAX_ASKED >> 30));
    }
}

#[allow(unsafe_code, reason = "an allocator is unsafe by its nature; this one only counts")]
// SAFETY: every call goes to the allocator of the system, with the same arguments.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size());
        // SAFETY: the caller's.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        HELD.fetch_sub(layout.size(), Relaxed);
        // SAFETY: the caller's.
        unsafe { System.dealloc(at, layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(layout.size());
        // SAFETY: the caller's.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if size > layout.size() {
            count(size - layout.size());
        } else {
            HELD.fetch_sub(layout.size() - size, Relaxed);
        }
        // SAFETY: the caller's.
        unsafe { System.realloc(at, layout, size) }
    }
}

/// Where inputs that fail are kept.
pub(crate) fn findings() -> PathBuf {
    std::env::var_os("TOILE_FUZZ_OUT")
        .map_or_else(|| std::env::temp_dir().join("toile-fuzz"), PathBuf::from)
}

/// Keeps the input of a case that failed and says how to run it again.
#[allow(clippy::print_stderr, reason = "what was found is for people")]
pub(crate) fn keep(case: &Present, why: &str) {
    let folder = findings();
    let file = folder.join(format!("{}-{:016x}.{}", case.reader, case.seed, case.extension));
    let kept = std::fs::create_dir_all(&folder).and_then(|()| std::fs::write(&file, &case.bytes));
    eprintln!(
        "\n{}: {why}\n  kept in {} ({kept:?}); run it again: TOILE_FUZZ_REPLAY={}",
        case.reader,
        file.display(),
        file.display()
    );
}

/// Ends the process: the case cannot be ended from outside.
fn fail(why: &str) -> ! {
    BASE.store(usize::MAX, Relaxed);
    if let Some(case) = PRESENT.try_lock().ok().and_then(|case| case.clone()) {
        keep(&case, why);
    }
    std::process::exit(1);
}

/// Runs a case within the limits; a panic is an error with its message.
pub(crate) fn watched(case: Present, run: impl FnOnce(&[u8])) -> Result<(), String> {
    let bytes = case.bytes.clone();
    *PRESENT.lock().unwrap_or_else(|e| e.into_inner()) = Some(case);
    CASE.fetch_add(1, Relaxed);
    ASKED_BASE.store(ASKED.load(Relaxed), Relaxed);
    BASE.store(HELD.load(Relaxed), Relaxed);
    let done = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| run(&bytes)));
    BASE.store(usize::MAX, Relaxed);
    done.map_err(|e| {
        let text = e.downcast_ref::<String>().cloned();
        let text = text.or_else(|| e.downcast_ref::<&str>().map(|s| (*s).to_owned()));
        format!("panicked: {}", text.unwrap_or_default())
    })
}

/// Ends the process if one case takes too long.
pub(crate) fn watch_the_clock() {
    std::thread::spawn(|| {
        let cpu = || toile::cpu_seconds().unwrap_or(0.0);
        let (mut case, mut since) = (0, cpu());
        loop {
            std::thread::sleep(Duration::from_millis(200));
            let now = CASE.load(Relaxed);
            if now != case || BASE.load(Relaxed) == usize::MAX {
                (case, since) = (now, cpu());
            } else if cpu() - since > MAX_SECONDS {
                fail(&format!("it takes more than {MAX_SECONDS} s of the processor"));
            }
        }
    });
}
