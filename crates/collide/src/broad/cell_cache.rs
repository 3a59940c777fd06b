//! Cells of leaves that the last query came to, computed with the next refit.
//!
//! What touches now did so a step ago, mostly. A query that computes the cells of a leaf has to fetch positions that refit
//! had at hand; so refit computes those that were asked for last time. They are the same bit for bit, so that it makes no
//! difference to what is found.

use super::cells::{Cells, Grid};
use super::features::Features;
use crate::simd::{F32x8, Work, with_simd};
use std::sync::atomic::{AtomicBool, Ordering};

/// Cells of some leaves.
#[derive(Debug, Default)]
pub(super) struct CellCache {
    /// Whether a query came to each leaf since the last refit after one.
    asked: Vec<AtomicBool>,
    any: AtomicBool,
    /// Leaves whose cells are kept.
    which: Vec<bool>,
    /// Cells of all leaves; those that are not kept have no meaning.
    cells: Vec<Cells>,
    /// The grid they are counted in; none if they are not of this step.
    grid: Option<Grid>,
}

impl Clone for CellCache {
    /// What is kept can always be computed again.
    fn clone(&self) -> Self {
        Self::new(self.asked.len())
    }
}

impl CellCache {
    /// For so many leaves.
    pub(super) fn new(leaves: usize) -> Self {
        let asked = (0..leaves).map(|_| AtomicBool::new(false)).collect();
        Self { asked, ..Self::default() }
    }

    /// Forgets what is of another step.
    pub(super) fn forget(&mut self) {
        self.grid = None;
    }

    /// The cells of a leaf, if they are known.
    #[inline(always)]
    pub(super) fn get(&self, leaf: usize, grid: Grid) -> Option<&Cells> {
        if !self.asked[leaf].load(Ordering::Relaxed) {
            self.asked[leaf].store(true, Ordering::Relaxed);
            self.any.store(true, Ordering::Relaxed);
        }
        let known = self.grid == Some(grid) && self.which.get(leaf).is_some_and(|kept| *kept);
        if known { self.cells.get(leaf) } else { None }
    }

    /// Makes ready for a refit, and gives away the cells of all leaves. There are none as long as no query came to any.
    pub(super) fn take(&mut self) -> Vec<Cells> {
        if std::mem::take(self.any.get_mut()) {
            self.which.clear();
            self.which.extend(self.asked.iter_mut().map(|asked| std::mem::take(asked.get_mut())));
            self.cells.resize(self.which.len(), Cells::default());
        }
        std::mem::take(&mut self.cells)
    }

    /// Takes the cells back.
    pub(super) fn put(&mut self, cells: Vec<Cells>, grid: Grid) {
        (self.cells, self.grid) = (cells, Some(grid));
    }
}

impl Features {
    /// Renews the cells of a leaf, if they are to be kept.
    #[inline]
    pub(super) fn keep(&self, node: usize, grid: Grid, cells: &mut Cells) {
        if self.kept.which[self.layout.leaves_before[node] as usize] {
            with_simd(Fill { features: self, node, grid, cells });
        }
    }
}

struct Fill<'a> {
    features: &'a Features,
    node: usize,
    grid: Grid,
    cells: &'a mut Cells,
}

impl Work for Fill<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self, w: impl F32x8) {
        self.cells.fill(w, self.features, self.node, self.grid, true);
    }
}
