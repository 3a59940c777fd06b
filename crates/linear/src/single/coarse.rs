//! The coarse level of [`super::TwoLevel`]: one translation for every aggregate of vertices.

use super::super::{Error, Pattern};
use super::cholesky::{Block64, BlockCholesky, PaddedBlock};
use super::groups::NONE;
use super::{Blocks, ContactBlock};
use glam::{Mat3A, Vec3A};
use pulp::{Arch, Simd, WithSimd};

/// Pᵀ A P, factored.
#[derive(Debug)]
pub(super) struct Coarse {
    pattern: Pattern,
    /// Aggregate of every vertex.
    aggregate: Vec<u32>,
    /// Fine blocks that sum up to each coarse one on or above the diagonal.
    start: Vec<u32>,
    sources: Vec<u32>,
    solver: BlockCholesky,
    /// False if the matrix could not be factored; then the fine level works alone.
    pub(super) usable: bool,
    solution: Vec<Vec3A>,
}

impl Coarse {
    /// The symbolic part, for the aggregate of every vertex.
    pub(super) fn new(fine: &Pattern, aggregate: Vec<u32>) -> Result<Self, Error> {
        let n = fine.rows() as u32;
        let count = aggregate.iter().map(|a| *a as usize + 1).max().unwrap_or(0);
        let of = |i: u32| aggregate[i as usize];
        let blocks = (0..n).flat_map(|i| fine.slots(i as usize).map(move |slot| (i, slot as u32)));
        let joined = |(i, slot): (u32, u32)| (of(i), of(fine.columns[slot as usize]));
        let pairs = blocks.clone().map(joined).filter(|(a, b)| a < b);
        let pattern = Pattern::from_pairs(count, pairs);
        let upper = blocks.filter_map(|(i, slot)| {
            let (a, b) = joined((i, slot));
            (a <= b).then(|| pattern.slot(a, b)).flatten().map(|to| (to, slot))
        });
        let mut start = vec![0_u32; pattern.blocks() + 1];
        upper.clone().for_each(|(to, _)| start[to + 1] += 1);
        for k in 0..pattern.blocks() {
            start[k + 1] += start[k];
        }
        let mut next = start.clone();
        let mut sources = vec![0; start[pattern.blocks()] as usize];
        upper.for_each(|(to, source)| {
            sources[next[to] as usize] = source;
            next[to] += 1;
        });
        Ok(Self {
            solver: BlockCholesky::new(&pattern)?,
            solution: vec![Vec3A::ZERO; count],
            usable: false,
            aggregate,
            pattern,
            start,
            sources,
        })
    }

    /// Updates to a matrix with `fixed` vertices.
    pub(super) fn update(
        &mut self,
        a: &impl Blocks,
        contact_blocks: &[ContactBlock],
        fixed: &[u32],
    ) {
        // Wanted only here, as the factor is all that is kept.
        let mut values = vec![[0.0; 9]; self.pattern.blocks()];
        Arch::new().dispatch(Sum { coarse: self, values: &mut values, a, fixed });
        let mut still = vec![false; self.aggregate.len()];
        fixed.iter().for_each(|i| still[*i as usize] = true);
        self.add_contact_blocks(contact_blocks, &still, &mut values);
        for k in 0..self.pattern.rows() {
            // An aggregate whose vertices are all held has nothing to solve for.
            let own = &mut values[self.pattern.diagonal[k] as usize];
            if own.iter().all(|v| *v == 0.0) {
                [0, 4, 8].iter().for_each(|d| own[*d] = 1.0);
            }
        }
        self.usable = self.solver.factor(&values);
    }

    fn add_contact_blocks(
        &self,
        contact_blocks: &[ContactBlock],
        still: &[bool],
        values: &mut [Block64],
    ) {
        for contact_block in contact_blocks {
            // Weights of the aggregates it joins.
            let mut joined = [(NONE, 0.0_f64); 4];
            for (p, w) in contact_block.points.iter().zip(contact_block.weights) {
                if w == 0.0 || still[*p as usize] {
                    continue;
                }
                let own = self.aggregate[*p as usize];
                if let Some(entry) = joined.iter_mut().find(|e| e.0 == own || e.0 == NONE) {
                    *entry = (own, entry.1 + f64::from(w));
                }
            }
            let count = joined.iter().filter(|e| e.0 != NONE).count();
            let stiffness = contact_block.stiffness();
            if self.add_joined(&joined[..count], &stiffness, values) {
                continue;
            }
            // Without room for all couplings those of each side alone: it is as if the other were held.
            // Dropping single couplings could leave an indefinite matrix.
            for sign in [1.0, -1.0] {
                let mut side = [(NONE, 0.0); 4];
                let mut size = 0;
                for entry in joined[..count].iter().filter(|(_, w)| w * sign > 0.0) {
                    side[size] = *entry;
                    size += 1;
                }
                if !self.add_joined(&side[..size], &stiffness, values) {
                    for entry in &side[..size] {
                        self.add_joined(&[*entry], &stiffness, values);
                    }
                }
            }
        }
    }

    /// Adds the couplings of a contact block if the pattern has room for all of them; says whether.
    fn add_joined(&self, joined: &[(u32, f64)], stiffness: &Mat3A, values: &mut [Block64]) -> bool {
        let mut slots = [(0_u32, 0.0); 10];
        let mut count = 0;
        for (k, (a, wa)) in joined.iter().enumerate() {
            slots[count] = (self.pattern.diagonal[*a as usize], wa * wa);
            count += 1;
            for (b, wb) in &joined[k + 1..] {
                let Some(slot) = self.pattern.slot(*a.min(b), *a.max(b)) else { return false };
                slots[count] = (slot as u32, wa * wb);
                count += 1;
            }
        }
        for (slot, weight) in &slots[..count] {
            let entries = stiffness.to_cols_array();
            for (to, entry) in values[*slot as usize].iter_mut().zip(entries) {
                *to += f64::from(entry) * *weight;
            }
        }
        true
    }

    /// The translations that belong to a residual.
    pub(super) fn solve(&mut self, r: &[Vec3A]) -> &[Vec3A] {
        self.solution.fill(Vec3A::ZERO);
        for (r, a) in r.iter().zip(&self.aggregate) {
            self.solution[*a as usize] += *r;
        }
        self.solver.solve(&mut self.solution);
        &self.solution
    }
}

#[inline(always)]
fn add(to: &mut PaddedBlock, columns: [[f64; 3]; 3]) {
    for (to, column) in to.iter_mut().zip(columns) {
        for (to, entry) in to.iter_mut().zip(column) {
            *to += entry;
        }
    }
}

/// The coarse blocks on and above the diagonal, for any processor.
struct Sum<'a, A> {
    coarse: &'a Coarse,
    values: &'a mut [Block64],
    a: &'a A,
    fixed: &'a [u32],
}

impl<A: Blocks> WithSimd for Sum<'_, A> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Self { coarse, values, a, fixed } = self;
        let fine = a.pattern();
        let is_held = |i: u32| fixed.binary_search(&i).is_ok();
        let row = |slot: u32| fine.row_start.partition_point(|start| *start <= slot) as u32 - 1;
        let still = |slot: u32| is_held(fine.columns[slot as usize]) || is_held(row(slot));
        // Few aggregates have vertices that are held.
        let mut holds = vec![false; coarse.pattern.rows()];
        fixed.iter().for_each(|i| holds[coarse.aggregate[*i as usize] as usize] = true);
        for i in 0..coarse.pattern.rows() {
            for slot in coarse.pattern.slots(i) {
                let free = !(holds[i] || holds[coarse.pattern.columns[slot] as usize]);
                let mut sum: PaddedBlock = [[0.0; 4]; 3];
                let sources = coarse.start[slot] as usize..coarse.start[slot + 1] as usize;
                for source in &coarse.sources[sources] {
                    if free || !still(*source) {
                        add(&mut sum, a.columns(*source));
                    }
                }
                values[slot] = std::array::from_fn(|k| sum[k / 3][k % 3]);
            }
        }
    }
}
