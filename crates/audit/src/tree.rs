//! A bounding volume tree for the audit alone, so that a fault in the simulator's trees cannot
//! hide its own consequences.
//!
//! Triangles are sorted along a Morton curve [morton1966] and cut into blocks; over the blocks
//! stands a complete binary tree of boxes. Boxes are compared as closed intervals, without
//! inflation: minimum and maximum of floating-point numbers are exact.

use glam::DVec3;
use rayon::prelude::*;
use std::cell::Cell;

/// Triangles per leaf.
const BLOCK: usize = 4;

/// Leaves that are counted together before the count is looked at.
const SMALLEST_GROUP: usize = 8;
const LARGEST_GROUP: usize = 4096;

/// A closed axis-aligned box.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Bounds {
    pub(crate) lo: DVec3,
    pub(crate) hi: DVec3,
}

impl Bounds {
    /// Overlaps nothing.
    const EMPTY: Self = Self { lo: DVec3::INFINITY, hi: DVec3::NEG_INFINITY };

    /// Smallest box around some points.
    pub(crate) fn around(points: &[DVec3]) -> Self {
        let add = |b: Self, p: &DVec3| Self { lo: b.lo.min(*p), hi: b.hi.max(*p) };
        points.iter().fold(Self::EMPTY, add)
    }

    /// Smallest box around two.
    fn merge(self, other: Self) -> Self {
        Self { lo: self.lo.min(other.lo), hi: self.hi.max(other.hi) }
    }

    /// Whether the two have a common point.
    pub(crate) fn overlaps(&self, other: &Self) -> bool {
        self.lo.cmple(other.hi).all() && other.lo.cmple(self.hi).all()
    }
}

/// Boxes of triangles in a complete binary tree.
pub(crate) struct Tree {
    /// Heap order: the children of node n are 2n + 1 and 2n + 2; the leaves come last.
    nodes: Vec<Bounds>,
    /// Number of leaves, a power of two.
    leaves: usize,
    /// Triangles in tree order, `BLOCK` per leaf.
    order: Vec<u32>,
    /// Boxes of the triangles, in tree order.
    boxes: Vec<Bounds>,
}

impl Tree {
    /// Builds the tree over the triangles.
    pub(crate) fn new(positions: &[DVec3], triangles: &[[u32; 3]]) -> Self {
        let own = |t: u32| Bounds::around(&triangles[t as usize].map(|v| positions[v as usize]));
        let all = Bounds::around(positions);
        let mut keys: Vec<(u64, u32)> = (0..triangles.len() as u32)
            .into_par_iter()
            .map(|t| {
                let b = own(t);
                // An overflow here only makes the order, and so the speed, worse.
                (morton((0.5 * b.lo + 0.5 * b.hi - all.lo) / (all.hi - all.lo)), t)
            })
            .collect();
        keys.par_sort_unstable();
        let order: Vec<u32> = keys.into_iter().map(|(_, t)| t).collect();
        let boxes: Vec<Bounds> = order.par_iter().map(|t| own(*t)).collect();

        let leaves = order.len().div_ceil(BLOCK).next_power_of_two();
        let mut nodes = vec![Bounds::EMPTY; 2 * leaves - 1];
        for (leaf, block) in boxes.chunks(BLOCK).enumerate() {
            let around = block.iter().copied().fold(Bounds::EMPTY, Bounds::merge);
            nodes[leaves - 1 + leaf] = around;
        }
        for n in (0..leaves - 1).rev() {
            nodes[n] = nodes[2 * n + 1].merge(nodes[2 * n + 2]);
        }
        Self { nodes, leaves, order, boxes }
    }

    /// Calls `found` for every triangle whose box overlaps `query`, in tree order.
    pub(crate) fn overlapping(&self, query: &Bounds, mut found: impl FnMut(u32)) {
        self.visit_leaves(query, 0, |leaf| {
            for k in self.block(leaf) {
                if self.boxes[k].overlaps(query) {
                    found(self.order[k]);
                }
            }
        });
    }

    /// All pairs of triangles with overlapping boxes that pass `keep`, smaller index first, sorted.
    pub(crate) fn self_pairs(&self, keep: impl Fn(u32, u32) -> bool + Sync) -> Vec<[u32; 2]> {
        let mut pairs: Vec<[u32; 2]> = (0..self.order.len().div_ceil(BLOCK))
            .into_par_iter()
            .fold(Vec::new, |mut pairs, leaf| {
                self.pairs_of_leaf(leaf, &keep, &mut |pair| pairs.push(pair));
                pairs
            })
            .flatten()
            .collect();
        pairs.par_sort_unstable();
        pairs
    }

    /// How many pairs [`Tree::self_pairs`] would find and the first of them, without holding all.
    ///
    /// Counting ends when there are more than `most`. Leaves are taken in groups, so that the answer
    /// is the same for any number of threads.
    pub(crate) fn count_self_pairs(
        &self,
        keep: impl Fn(u32, u32) -> bool + Sync,
        most: u64,
    ) -> (u64, Option<[u32; 2]>) {
        let leaves = self.order.len().div_ceil(BLOCK);
        let (mut count, mut first): (u64, Option<[u32; 2]>) = (0, None);
        // Groups grow, so that a limit which is passed at once ends the count at once.
        let (mut begin, mut group) = (0, SMALLEST_GROUP);
        while begin < leaves && count <= most {
            let end = (begin + group).min(leaves);
            let found: Vec<_> =
                (begin..end).into_par_iter().map(|l| self.count_of_leaf(l, &keep, most)).collect();
            for (n, pair) in found {
                count = count.saturating_add(n);
                first = first.into_iter().chain(pair).min();
            }
            (begin, group) = (end, (2 * group).min(LARGEST_GROUP));
        }
        (count, first)
    }

    /// How many pairs belong to a leaf, up to one more than `most`, and the first of them.
    fn count_of_leaf(
        &self,
        leaf: usize,
        keep: &impl Fn(u32, u32) -> bool,
        most: u64,
    ) -> (u64, Option<[u32; 2]>) {
        let count = Cell::new(0);
        let mut first = None::<[u32; 2]>;
        self.pairs_of_leaf(leaf, &|s, t| count.get() <= most && keep(s, t), &mut |pair| {
            count.set(count.get() + 1);
            first = Some(first.map_or(pair, |f| f.min(pair)));
        });
        (count.get(), first)
    }

    /// Pairs of a triangle of this leaf with one that comes later in tree order.
    fn pairs_of_leaf(
        &self,
        leaf: usize,
        keep: &impl Fn(u32, u32) -> bool,
        found: &mut impl FnMut([u32; 2]),
    ) {
        self.visit_leaves(&self.nodes[self.leaves - 1 + leaf], leaf, |other| {
            for i in self.block(leaf) {
                for j in self.block(other) {
                    if j > i && self.boxes[i].overlaps(&self.boxes[j]) {
                        let (s, t) = (self.order[i], self.order[j]);
                        let (s, t) = (s.min(t), s.max(t));
                        if keep(s, t) {
                            found([s, t]);
                        }
                    }
                }
            }
        });
    }

    /// Calls `found` for the leaves from `first` on whose boxes overlap `query`, in order.
    fn visit_leaves(&self, query: &Bounds, first: usize, mut found: impl FnMut(usize)) {
        // Depth-first needs one pending node per level; the node's last leaf decides what to skip.
        let mut stack = [(0u32, 0u32, 0u32); 34];
        stack[0] = (0, 0, self.leaves as u32);
        let mut top = 1;
        while top > 0 {
            top -= 1;
            let (node, begin, count) = stack[top];
            if ((begin + count) as usize) <= first || !self.nodes[node as usize].overlaps(query) {
                continue;
            }
            if count == 1 {
                found(begin as usize);
                continue;
            }
            let half = count / 2;
            stack[top] = (2 * node + 2, begin + half, half);
            stack[top + 1] = (2 * node + 1, begin, half);
            top += 2;
        }
    }

    /// Places in tree order that belong to a leaf.
    fn block(&self, leaf: usize) -> std::ops::Range<usize> {
        let end = self.order.len();
        (leaf * BLOCK).min(end)..((leaf + 1) * BLOCK).min(end)
    }
}

/// Morton code of a point of the unit cube, 21 bits per coordinate.
fn morton(unit: DVec3) -> u64 {
    let spread = |c: f64| {
        let mut x = (c * 2_097_151.0) as u64 & 0x1f_ffff; // NaN gives 0
        x = (x | x << 32) & 0x001f_0000_0000_ffff;
        x = (x | x << 16) & 0x001f_0000_ff00_00ff;
        x = (x | x << 8) & 0x100f_00f0_0f00_f00f;
        x = (x | x << 4) & 0x10c3_0c30_c30c_30c3;
        (x | x << 2) & 0x1249_2492_4924_9249
    };
    spread(unit.x) | spread(unit.y) << 1 | spread(unit.z) << 2
}
