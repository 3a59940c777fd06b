//! Volumes after the vertices moved (D5).
//!
//! Inflation is the caller's: it adds δ to the margin and leaves out refits until a vertex may have
//! moved farther than that.

use super::{Ends, Layout, Moved, Tree};
use crate::volume::Volume;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::sync::OnceLock;

/// Below this many nodes a subtree is refit on one thread.
const MIN_PARALLEL_NODES: usize = 4096;

/// In which order volumes are computed.
///
/// All three give volumes that hold their triangles. Those of `TopDown` and `Hybrid` pay where most
/// nodes are never asked for: bodies that hardly touch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Refit {
    /// Leaves from their vertices, every parent from its children: each node once [provot1997].
    #[default]
    BottomUp,
    /// Each node from all its vertices, but only when a traversal first reaches it.
    TopDown,
    /// Nodes of a middle level from their vertices, those above from their children, and those below
    /// when a traversal first reaches them [larsson2001].
    Hybrid,
}

impl Refit {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::BottomUp, Self::TopDown, Self::Hybrid];
}

impl<V: Volume> Tree<V> {
    /// A tree whose volumes are still to be computed.
    pub(crate) fn new(layout: &Layout, refit: Refit) -> Self {
        let n = layout.sizes.len();
        let middle = layout.depths.iter().max().map_or(0, |d| d / 2);
        let is_late: Vec<bool> = match refit {
            Refit::BottomUp => Vec::new(),
            Refit::TopDown => vec![true; n],
            Refit::Hybrid => layout.depths.iter().map(|d| *d > middle).collect(),
        };
        let mut tree = Self {
            volumes: vec![V::EMPTY; n],
            late: is_late.iter().map(|_| OnceLock::new()).collect(),
            is_late,
            front: Vec::new(),
            upper: Vec::new(),
            margin: 0.0,
        };
        if refit == Refit::Hybrid {
            for i in (0..n).filter(|i| !tree.is_late[*i]) {
                let last = layout.is_leaf(i) || layout.depths[i] == middle;
                let list = if last { &mut tree.front } else { &mut tree.upper };
                list.push(i as u32);
            }
        }
        tree
    }

    /// Computes the volumes of all nodes, if that is done bottom-up; `leaves` does so for the leaves. Says whether it
    /// was done.
    pub(crate) fn refit_by(
        &mut self,
        layout: &Layout,
        margin: f64,
        leaves: impl FnOnce(&mut [V]),
    ) -> bool {
        if self.late.is_empty() {
            self.margin = margin;
            leaves(&mut self.volumes);
            parents(&layout.sizes, &mut self.volumes, &V::merge);
        }
        self.late.is_empty()
    }

    /// Computes the volumes of nodes that moved. Others must hold what they held with the same margin.
    pub(crate) fn refit(&mut self, layout: &Layout, ends: &Ends, moved: &Moved, margin: f64) {
        self.margin = margin;
        let wanted = |i: usize| moved.node(i);
        if self.late.is_empty() {
            let leaf = |i: usize| {
                V::around(layout.leaf_vertices(i).iter().map(|v| ends[*v as usize]), margin)
            };
            bottom_up(&layout.sizes, &mut self.volumes, &wanted, &leaf, &V::merge);
            return;
        }
        for (i, cell) in self.late.iter_mut().enumerate().filter(|(i, _)| moved.node(*i)) {
            debug_assert!(self.is_late[i] || cell.get().is_none());
            cell.take();
        }
        let front: Vec<u32> = self.front.iter().copied().filter(|i| wanted(*i as usize)).collect();
        let volumes: Vec<V> =
            front.par_iter().map(|i| self.around_vertices(*i as usize, layout, ends)).collect();
        for (i, volume) in front.iter().zip(volumes) {
            self.volumes[*i as usize] = volume;
        }
        for i in self.upper.iter().rev().map(|i| *i as usize).filter(|i| wanted(*i)) {
            let below = layout.children(i).map(|c| self.volumes[c]);
            self.volumes[i] = below.fold(V::EMPTY, V::merge);
        }
    }
}

/// Computes a value for every wanted node of a tree: leaves by themselves, parents from their
/// children. A parent of a wanted node must be wanted.
pub(crate) fn bottom_up<T: Copy + Send>(
    sizes: &[u32],
    data: &mut [T],
    wanted: &(impl Fn(usize) -> bool + Sync),
    leaf: &(impl Fn(usize) -> T + Sync),
    merge: &(impl Fn(T, T) -> T + Sync),
) {
    subtree(sizes, 0, data, wanted, leaf, merge);
}

/// The same for all nodes, whose leaves are computed already.
pub(crate) fn parents<T: Copy + Send + Sync>(
    sizes: &[u32],
    data: &mut [T],
    merge: &(impl Fn(T, T) -> T + Sync),
) {
    // No leaf is wanted.
    let Some(any) = data.first().copied() else { return };
    subtree(sizes, 0, data, &|i| sizes[i] > 1, &|_| any, merge);
}

fn subtree<T: Copy + Send>(
    sizes: &[u32],
    begin: usize,
    data: &mut [T],
    wanted: &(impl Fn(usize) -> bool + Sync),
    leaf: &(impl Fn(usize) -> T + Sync),
    merge: &(impl Fn(T, T) -> T + Sync),
) {
    let mut rest = data.len();
    if data.len() > MIN_PARALLEL_NODES {
        rest = 1;
        let mut parts = Vec::new();
        let (mut at, mut below) = (begin + 1, &mut data[1..]);
        while !below.is_empty() {
            let (part, behind) = below.split_at_mut(sizes[at] as usize);
            parts.push((at, part));
            (at, below) = (at + sizes[at] as usize, behind);
        }
        parts.into_par_iter().for_each(|(at, part)| subtree(sizes, at, part, wanted, leaf, merge));
    }
    // Leaves forward, for they read much memory that lies in their order.
    for i in (0..rest).filter(|i| sizes[begin + i] == 1 && wanted(begin + i)) {
        data[i] = leaf(begin + i);
    }
    // Children come behind their parents, so the last is done first.
    for i in (0..rest).rev().filter(|i| sizes[begin + i] > 1 && wanted(begin + i)) {
        let end = i + sizes[begin + i] as usize;
        let mut child = i + 1;
        let mut all = data[child];
        child += sizes[begin + child] as usize;
        while child < end {
            all = merge(all, data[child]);
            child += sizes[begin + child] as usize;
        }
        data[i] = all;
    }
}
