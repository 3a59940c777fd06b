//! Groups of neighbouring vertices, each solved exactly: the fine level of [`super::TwoLevel`].
//!
//! Eight groups lie side by side in the lanes of each number, so that one instruction works on all of them. They are
//! factored in double precision and kept in single. Loops are compiled for several kinds of processors; they do the
//! same operations in the same order and without fused additions, so the bits are the same on all.

use super::super::dense::{factors, row};
use super::super::{Pattern, schwarz::aggregate};
use super::{Blocks, ContactBlock};
use glam::Vec3A;
use pulp::{Arch, Simd, WithSimd};
use rayon::prelude::*;

/// Vertices of a group.
pub(super) const GROUP: usize = 8;
/// Unknowns of a group.
const SIDE: usize = 3 * GROUP;
/// Groups side by side.
const LANES: usize = 8;
/// Vertices of a batch of groups.
const BATCH: usize = LANES * GROUP;
/// Batches in a task.
const TASK: usize = 8;
pub(super) const NONE: u32 = u32::MAX;

/// L of the groups of a batch, packed rows of the lower triangle, pivots inverted.
type Factor = [[f32; LANES]; row(SIDE)];
type Packed = [[f64; LANES]; row(SIDE)];
/// The same while it is summed up: what is added together lies together.
type Sums = [[f64; row(SIDE)]; LANES];

/// A block of the matrix within a group.
#[derive(Clone, Copy, Debug)]
struct Inner {
    slot: u32,
    lane: u8,
    /// Places in the group, the row not before the column.
    row: u8,
    column: u8,
}

/// The groups with their memory.
#[derive(Debug)]
pub(super) struct Groups {
    /// Vertices of group g at `[g · GROUP ..]`, the rest `NONE`. Groups fill whole batches.
    members: Vec<u32>,
    /// Where a vertex stands in `members`.
    place: Vec<u32>,
    /// Blocks within the groups of batch b at `[start[b] .. start[b + 1]]`.
    start: Vec<u32>,
    inner: Vec<Inner>,
    factors: Vec<Factor>,
    /// Results by place.
    local: Vec<Vec3A>,
}

impl Groups {
    /// Groups that two by two are aggregates of neighbours.
    pub(super) fn new(pattern: &Pattern) -> Self {
        let (mut members, place) = aggregate(pattern, 2 * GROUP);
        members.resize(members.len().next_multiple_of(BATCH), NONE);
        let (mut start, mut inner) = (vec![0], Vec::new());
        for batch in 0..members.len() / BATCH {
            for (k, i) in members[batch * BATCH..][..BATCH].iter().enumerate() {
                if *i == NONE {
                    continue;
                }
                let (group, row) = ((batch * BATCH + k) / GROUP, k % GROUP);
                for slot in pattern.slots(*i as usize) {
                    let other = place[pattern.columns[slot] as usize] as usize;
                    if other / GROUP == group && other % GROUP <= row {
                        inner.push(Inner {
                            slot: slot as u32,
                            lane: (group % LANES) as u8,
                            row: row as u8,
                            column: (other % GROUP) as u8,
                        });
                    }
                }
            }
            start.push(inner.len() as u32);
        }
        inner.shrink_to_fit();
        let batches = start.len() - 1;
        Self {
            factors: vec![[[0.0; LANES]; row(SIDE)]; batches],
            local: vec![Vec3A::ZERO; members.len()],
            members,
            place,
            start,
            inner,
        }
    }

    /// Where each vertex stands: place p is in group p / [`GROUP`].
    pub(super) fn place(&self) -> &[u32] {
        &self.place
    }

    /// Takes over a matrix: factors every group. One that is left as it was costs far more iterations than it saves, however
    /// little its blocks have changed: a contact that is small beside the threads is all that holds a vertex along its normal.
    pub(super) fn update(
        &mut self,
        a: &impl Blocks,
        contact_blocks: &[ContactBlock],
        fixed: &[u32],
    ) {
        let touching = blocks_of_batches(contact_blocks, &self.place, self.factors.len());
        let (members, place, arch) = (&self.members, &self.place, Arch::new());
        let (start, inner) = (&self.start, &self.inner);
        let batches = self.factors.par_iter_mut().with_min_len(TASK).enumerate();
        batches.for_each(|(b, factor)| {
            let mut sums = [[0.0_f64; row(SIDE)]; LANES];
            for block in &inner[start[b] as usize..start[b + 1] as usize] {
                let [lane, row, column] = [block.lane, block.row, block.column].map(usize::from);
                add_block(&mut sums[lane], [row, column], a.columns(block.slot));
            }
            for contact_block in touching.of_batch(b) {
                add_contact_block(&contact_blocks[*contact_block as usize], place, b, &mut sums);
            }
            let mut packed = [[0.0_f64; LANES]; row(SIDE)];
            for (k, to) in packed.iter_mut().enumerate() {
                *to = std::array::from_fn(|lane| sums[lane][k]);
            }
            settle(&members[b * BATCH..][..BATCH], fixed, &mut packed);
            arch.dispatch(Factors(&mut packed));
            for (to, from) in factor.iter_mut().zip(&packed) {
                *to = from.map(|l| l as f32);
            }
        });
    }

    /// Solves all groups for r.
    pub(super) fn solve(&mut self, r: &[Vec3A]) {
        let (members, arch) = (&self.members, Arch::new());
        let tasks = self.local.par_chunks_mut(BATCH).with_min_len(TASK).zip(&self.factors);
        tasks.enumerate().for_each(|(b, (local, factor))| {
            let members = &members[b * BATCH..(b + 1) * BATCH];
            arch.dispatch(Substitute { factor, members, r, local });
        });
    }

    /// What [`Self::solve`] found, by place.
    pub(super) fn local(&self) -> &[Vec3A] {
        &self.local
    }
}

/// [`factors`] for any processor.
struct Factors<'a>(&'a mut Packed);

impl WithSimd for Factors<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        factors(self.0, SIDE);
    }
}

/// The solution of a batch, for any processor.
struct Substitute<'a> {
    factor: &'a Factor,
    members: &'a [u32],
    r: &'a [Vec3A],
    local: &'a mut [Vec3A],
}

impl WithSimd for Substitute<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let mut x = [[0.0_f32; LANES]; SIDE];
        for (k, i) in self.members.iter().enumerate() {
            let r = if *i == NONE { [0.0; 3] } else { self.r[*i as usize].to_array() };
            for d in 0..3 {
                x[3 * (k % GROUP) + d][k / GROUP] = r[d];
            }
        }
        forward(self.factor, &mut x);
        back(self.factor, &mut x);
        for (k, local) in self.local.iter_mut().enumerate() {
            *local = Vec3A::from_array([0, 1, 2].map(|d| x[3 * (k % GROUP) + d][k / GROUP]));
        }
    }
}

#[inline(always)]
fn less(sum: &mut [f32; LANES], x: &[f32; LANES], y: &[f32; LANES]) {
    for lane in 0..LANES {
        sum[lane] -= x[lane] * y[lane];
    }
}

#[inline(always)]
fn times(x: &mut [f32; LANES], y: &[f32; LANES]) {
    for lane in 0..LANES {
        x[lane] *= y[lane];
    }
}

/// Three rows of L from row s on: what stands left of their own block, and the lower triangle of that.
#[inline(always)]
fn rows(l: &Factor, s: usize) -> ([&[[f32; LANES]]; 3], [&[f32; LANES]; 6]) {
    let [a, b, c] = [0, 1, 2].map(|d| &l[row(s + d)..][..s + d + 1]);
    let corner = [&a[s], &b[s], &b[s + 1], &c[s], &c[s + 1], &c[s + 2]];
    ([&a[..s], &b[..s], &c[..s]], corner)
}

/// x ← L⁻¹ x, three rows at a time.
#[inline(always)]
fn forward(l: &Factor, x: &mut [[f32; LANES]; SIDE]) {
    for s in (0..SIDE).step_by(3) {
        let (left, corner) = rows(l, s);
        let [mut a, mut b, mut c] = [x[s], x[s + 1], x[s + 2]];
        for (((x, la), lb), lc) in x.iter().zip(left[0]).zip(left[1]).zip(left[2]) {
            less(&mut a, la, x);
            less(&mut b, lb, x);
            less(&mut c, lc, x);
        }
        times(&mut a, corner[0]);
        less(&mut b, corner[1], &a);
        times(&mut b, corner[2]);
        less(&mut c, corner[3], &a);
        less(&mut c, corner[4], &b);
        times(&mut c, corner[5]);
        [x[s], x[s + 1], x[s + 2]] = [a, b, c];
    }
}

/// x ← L⁻ᵀ x, three rows at a time.
#[inline(always)]
fn back(l: &Factor, x: &mut [[f32; LANES]; SIDE]) {
    for s in (0..SIDE).step_by(3).rev() {
        let (left, corner) = rows(l, s);
        let [mut a, mut b, mut c] = [x[s], x[s + 1], x[s + 2]];
        times(&mut c, corner[5]);
        less(&mut b, corner[4], &c);
        times(&mut b, corner[2]);
        less(&mut a, corner[3], &c);
        less(&mut a, corner[1], &b);
        times(&mut a, corner[0]);
        [x[s], x[s + 1], x[s + 2]] = [a, b, c];
        for (((x, la), lb), lc) in x.iter_mut().zip(left[0]).zip(left[1]).zip(left[2]) {
            let mut own = *x;
            less(&mut own, la, &a);
            less(&mut own, lb, &b);
            less(&mut own, lc, &c);
            *x = own;
        }
    }
}

/// Adds a block to a group, at a row of vertices that is not before the column.
#[inline]
fn add_block(sums: &mut [f64; row(SIDE)], [r, c]: [usize; 2], columns: [[f64; 3]; 3]) {
    for d in 0..3 {
        let to = row(3 * r + d) + 3 * c;
        for e in 0..if r == c { d + 1 } else { 3 } {
            sums[to + e] += columns[e][d];
        }
    }
}

fn add_contact_block(contact_block: &ContactBlock, place: &[u32], batch: usize, sums: &mut Sums) {
    let at = contact_block.points.map(|p| place[p as usize] as usize);
    let stiffness = contact_block.stiffness();
    for k in 0..4 {
        if contact_block.weights[k] == 0.0 || at[k] / BATCH != batch {
            continue;
        }
        for l in 0..4 {
            if contact_block.weights[l] != 0.0
                && at[l] / GROUP == at[k] / GROUP
                && (at[l] < at[k] || k == l)
            {
                let to = &mut sums[at[k] / GROUP % LANES];
                let factor = contact_block.weights[k] * contact_block.weights[l];
                let columns =
                    stiffness.to_cols_array_2d().map(|c| c.map(|s| f64::from(s * factor)));
                add_block(to, [at[k] % GROUP, at[l] % GROUP], columns);
            }
        }
    }
}

/// Vertices that are held act on nothing, and places that are empty are unknowns of their own.
fn settle(members: &[u32], fixed: &[u32], packed: &mut Packed) {
    for (k, i) in members.iter().enumerate() {
        let (lane, first) = (k / GROUP, 3 * (k % GROUP));
        if *i == NONE {
            (first..first + 3).for_each(|d| packed[row(d) + d][lane] = 1.0);
        } else if !fixed.is_empty() && fixed.binary_search(i).is_ok() {
            for d in first..first + 3 {
                packed[row(d)..row(d) + d].iter_mut().for_each(|entry| entry[lane] = 0.0);
                (d + 1..SIDE).for_each(|e| packed[row(e) + d][lane] = 0.0);
            }
        }
    }
}

/// Which contact blocks touch which batches.
struct BlocksOfBatches {
    start: Vec<u32>,
    contact_blocks: Vec<u32>,
}

impl BlocksOfBatches {
    fn of_batch(&self, batch: usize) -> &[u32] {
        &self.contact_blocks[self.start[batch] as usize..self.start[batch + 1] as usize]
    }
}

/// Gives every contact block to `sink` with each of the batches it touches.
#[inline(always)]
fn visit(contact_blocks: &[ContactBlock], place: &[u32], mut sink: impl FnMut(usize, u32)) {
    for (number, contact_block) in contact_blocks.iter().enumerate() {
        let batches: [usize; 4] = std::array::from_fn(|k| {
            let moves = contact_block.weights[k] != 0.0;
            if moves {
                place[contact_block.points[k] as usize] as usize / BATCH
            } else {
                usize::MAX
            }
        });
        for (k, b) in batches.iter().enumerate() {
            if *b != usize::MAX && !batches[..k].contains(b) {
                sink(*b, number as u32);
            }
        }
    }
}

fn blocks_of_batches(
    contact_blocks: &[ContactBlock],
    place: &[u32],
    count: usize,
) -> BlocksOfBatches {
    let mut start = vec![0_u32; count + 1];
    visit(contact_blocks, place, |b, _| start[b + 1] += 1);
    for b in 0..count {
        start[b + 1] += start[b];
    }
    let mut next = start.clone();
    let mut list = vec![0_u32; start[count] as usize];
    visit(contact_blocks, place, |b, contact_block| {
        list[next[b] as usize] = contact_block;
        next[b] += 1;
    });
    BlocksOfBatches { start, contact_blocks: list }
}
