//! A bound on the pairs that queries collect.
//!
//! A mesh of slivers that moves far brings every pair of its features together: memory must not grow with the square of their number.
//! Whether the bound is passed does not depend on threads, as what is found is counted, not its order; what was collected until then does,
//! and is dropped.

use std::sync::atomic::{AtomicUsize, Ordering};

/// Most pairs of all queries since the last reset, and how many were found.
#[derive(Debug)]
pub(super) struct Budget {
    most: usize,
    found: AtomicUsize,
}

impl Default for Budget {
    fn default() -> Self {
        Self::new(usize::MAX)
    }
}

impl Clone for Budget {
    fn clone(&self) -> Self {
        Self::new(self.most)
    }
}

impl Budget {
    pub(super) fn new(most: usize) -> Self {
        Self { most, found: AtomicUsize::new(0) }
    }

    /// Counts pairs.
    pub(super) fn count(&self, pairs: usize) {
        if pairs > 0 {
            self.found.fetch_add(pairs, Ordering::Relaxed);
        }
    }

    /// Whether more were found than are allowed.
    pub(super) fn is_exceeded(&self) -> bool {
        self.found.load(Ordering::Relaxed) > self.most
    }
}
