//! Boxes that move, eight at a time.
//!
//! Boxes lie in blocks of eight, and around each block there is a box too: features are in the order of
//! their triangles, neighbours for the most part, so that most blocks are told from a box, or from a
//! block, as a whole.

use crate::simd::F32x8;
use crate::volume::{MovingBox, Volume};

/// Least and largest coordinates at the start of the step and at its end.
pub(super) type Bounds<T> = [[T; 6]; 2];

/// Where the coordinates of a moving box are.
const COORDINATES: [usize; 6] = [0, 1, 2, 4, 5, 6];

/// Boxes that move, eight to a block.
#[derive(Default)]
pub(super) struct Boxes {
    blocks: Vec<Bounds<[f32; 8]>>,
    /// Boxes around the blocks, eight together as well.
    around: Vec<Bounds<[f32; 8]>>,
    len: usize,
}

impl Boxes {
    /// Takes the boxes of features with these vertices, and says which box is around all.
    #[inline(always)]
    pub(super) fn fill<S: F32x8, const N: usize>(
        &mut self,
        w: S,
        vertices: &[MovingBox],
        len: usize,
        feature: impl Fn(usize) -> [u32; N],
    ) -> MovingBox {
        let blocks = len.div_ceil(8);
        self.len = len;
        self.blocks.resize(blocks, [[[0.0; 8]; 6]; 2]);
        self.around.resize(blocks.div_ceil(8), [[[0.0; 8]; 6]; 2]);
        let nothing = [w.load(MovingBox::EMPTY.lo), w.load(MovingBox::EMPTY.hi)];
        let (mut all, mut around) = (nothing, [[nothing[0]; 8], [nothing[1]; 8]]);
        for (n, block) in self.blocks.iter_mut().enumerate() {
            let (mut rows, mut here) = ([[w.splat(0.0); 8]; 2], nothing);
            for lane in 0..8 {
                // The last one fills the lanes that are left.
                let of = feature((8 * n + lane).min(len - 1));
                let v = &vertices[of[0] as usize];
                let (mut lo, mut hi) = (w.load(v.lo), w.load(v.hi));
                for k in 1..N {
                    let v = &vertices[of[k] as usize];
                    (lo, hi) = (w.min(w.load(v.lo), lo), w.max(w.load(v.hi), hi));
                }
                (rows[0][lane], rows[1][lane]) = (lo, hi);
                here = [w.min(lo, here[0]), w.max(hi, here[1])];
            }
            columns(w, rows, block);
            (around[0][n % 8], around[1][n % 8]) = (here[0], here[1]);
            all = [w.min(here[0], all[0]), w.max(here[1], all[1])];
            if n % 8 == 7 || n + 1 == blocks {
                columns(w, around, &mut self.around[n / 8]);
            }
        }
        MovingBox { lo: w.store(all[0]), hi: w.store(all[1]) }
    }

    /// One of them, in all lanes.
    #[inline(always)]
    pub(super) fn get<S: F32x8>(&self, w: S, i: usize) -> Bounds<S::Vector> {
        lane(w, &self.blocks[i / 8], i % 8)
    }

    /// Which of a block overlap one.
    #[inline(always)]
    fn hits<S: F32x8>(&self, w: S, one: &Bounds<S::Vector>, block: usize) -> u32 {
        hits(w, &self.blocks[block], one) & first_bits(self.len - 8 * block)
    }

    /// Which of eight blocks may overlap one.
    #[inline(always)]
    fn blocks_hit<S: F32x8>(&self, w: S, one: &Bounds<S::Vector>, eight: usize) -> u32 {
        let filled = first_bits(self.blocks.len() - 8 * eight);
        // A few blocks are looked at as quickly as what is around them.
        if self.blocks.len() <= 2 { filled } else { hits(w, &self.around[eight], one) & filled }
    }

    /// Those from `first` on that overlap one, in order.
    #[inline(always)]
    pub(super) fn overlapping<'a, S: F32x8>(
        &'a self,
        w: S,
        one: &'a Bounds<S::Vector>,
        first: usize,
    ) -> Hits<'a, S> {
        Hits { w, boxes: self, one, first, eight: 0, blocks: 0, block: 0, hits: 0 }
    }

    /// How many pairs of these and others overlap.
    #[inline(always)]
    pub(super) fn count_pairs<S: F32x8>(&self, w: S, others: &Self) -> u64 {
        let mut count = 0;
        for i in 0..self.blocks.len() {
            let here = lane(w, &self.around[i / 8], i % 8);
            for eight in 0..others.around.len() {
                let mut blocks = others.blocks_hit(w, &here, eight);
                while let Some(j) = next_bit(&mut blocks) {
                    let there = lane(w, &others.around[eight], j);
                    let mut mine = self.hits(w, &there, i);
                    while let Some(one) = next_bit(&mut mine) {
                        let one = lane(w, &self.blocks[i], one);
                        count += others.hits(w, &one, 8 * eight + j).count_ones();
                    }
                }
            }
        }
        u64::from(count)
    }
}

/// The first so many of eight bits.
#[inline(always)]
fn first_bits(count: usize) -> u32 {
    if count < 8 { (1 << count) - 1 } else { 0xff }
}

/// Takes the lowest of some bits.
#[inline(always)]
fn next_bit(bits: &mut u32) -> Option<usize> {
    let lowest = bits.trailing_zeros() as usize;
    (*bits != 0).then(|| {
        *bits &= *bits - 1;
        lowest
    })
}

/// Puts eight boxes side by side.
#[inline(always)]
fn columns<S: F32x8>(w: S, rows: [[S::Vector; 8]; 2], block: &mut Bounds<[f32; 8]>) {
    for (side, rows) in block.iter_mut().zip(rows) {
        let columns = w.transposed(rows);
        for k in 0..6 {
            side[k] = w.store(columns[COORDINATES[k]]);
        }
    }
}

/// One of eight boxes, in all lanes.
#[inline(always)]
fn lane<S: F32x8>(w: S, block: &Bounds<[f32; 8]>, lane: usize) -> Bounds<S::Vector> {
    let mut one = [[w.splat(0.0); 6]; 2];
    for k in 0..6 {
        (one[0][k], one[1][k]) = (w.splat(block[0][k][lane]), w.splat(block[1][k][lane]));
    }
    one
}

/// Which of eight boxes overlap one; what lanes that are not filled say has no meaning.
#[inline(always)]
fn hits<S: F32x8>(w: S, [lo, hi]: &Bounds<[f32; 8]>, one: &Bounds<S::Vector>) -> u32 {
    let mut apart = w.splat(0.0);
    for k in 0..3 {
        // Beyond it at both ends of the step, or before it.
        let beyond =
            [w.cmp_gt(one[0][k], w.load(hi[k])), w.cmp_gt(one[0][k + 3], w.load(hi[k + 3]))];
        let before =
            [w.cmp_gt(w.load(lo[k]), one[1][k]), w.cmp_gt(w.load(lo[k + 3]), one[1][k + 3])];
        let either = w.or(w.and(beyond[0], beyond[1]), w.and(before[0], before[1]));
        apart = w.or(apart, either);
    }
    !w.movemask(apart)
}

/// A box in all lanes.
#[inline(always)]
pub(super) fn spread<S: F32x8>(w: S, one: &MovingBox) -> Bounds<S::Vector> {
    let mut all = [[w.splat(0.0); 6]; 2];
    for k in 0..6 {
        (all[0][k], all[1][k]) = (w.splat(one.lo[COORDINATES[k]]), w.splat(one.hi[COORDINATES[k]]));
    }
    all
}

/// Boxes that overlap one.
pub(super) struct Hits<'a, S: F32x8> {
    w: S,
    boxes: &'a Boxes,
    one: &'a Bounds<S::Vector>,
    first: usize,
    /// The next eight blocks, which are left of those before, the last block and what is left of it.
    eight: usize,
    blocks: u32,
    block: usize,
    hits: u32,
}

impl<S: F32x8> Iterator for Hits<'_, S> {
    type Item = usize;

    #[inline(always)]
    fn next(&mut self) -> Option<usize> {
        loop {
            if let Some(lane) = next_bit(&mut self.hits) {
                return Some(8 * self.block + lane);
            }
            if let Some(block) = next_bit(&mut self.blocks) {
                self.block = 8 * (self.eight - 1) + block;
                let before = first_bits(self.first.saturating_sub(8 * self.block));
                self.hits = self.boxes.hits(self.w, self.one, self.block) & !before;
            } else if self.eight < self.boxes.around.len() {
                self.blocks = self.boxes.blocks_hit(self.w, self.one, self.eight);
                self.eight += 1;
            } else {
                return None;
            }
        }
    }
}
