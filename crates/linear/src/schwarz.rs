//! Additive Schwarz preconditioner on aggregates of vertices, with an optional coarse level.
//!
//! M⁻¹ = Σ Rₐᵀ Aₐ⁻¹ Rₐ + P (Pᵀ A P)⁻¹ Pᵀ: dense Cholesky of each aggregate of at most 16 neighbouring
//! vertices, and, coarse, one translation per aggregate, solved for by sparse Cholesky. The
//! aggregates grow on the graph of the matrix, so what touches is solved together.
//!
//! Limits: aggregates do not overlap; the coarse space knows translations but not rotations, so it
//! helps membranes more than bending.

use super::block_csr::CHUNK;
use super::dense::{apply_twice, invert_factors, row};
use super::{BlockCsr, Cholesky, Error, Ordering, Pattern};
use glam::{DMat3, DVec3};
use rayon::prelude::*;
use std::sync::Arc;

/// Most vertices of an aggregate.
const MAX_AGGREGATE: usize = 16;
const NONE: u32 = u32::MAX;
/// Aggregates in a task.
const AGGREGATES_PER_TASK: usize = 32;

#[derive(Debug)]
pub(super) struct Schwarz {
    pattern: Arc<Pattern>,
    /// Vertices of aggregate a at `[a · size ..]`, the rest `NONE`.
    members: Vec<u32>,
    /// Where a vertex stands in `members`.
    place: Vec<u32>,
    size: usize,
    /// L⁻¹ of each aggregate, packed.
    factors: Vec<f64>,
    /// Result per place.
    local: Vec<DVec3>,
    coarse: Option<Coarse>,
}

#[derive(Debug)]
struct Coarse {
    matrix: BlockCsr,
    /// Fine slots summed by each coarse slot.
    start: Vec<u32>,
    sources: Vec<u32>,
    solver: Cholesky,
    /// False if the coarse matrix could not be factored; then the first level works alone.
    usable: bool,
    residual: Vec<DVec3>,
    solution: Vec<DVec3>,
}

impl Schwarz {
    pub(super) fn new(pattern: &Arc<Pattern>, size: usize, coarse: bool) -> Result<Self, Error> {
        let size = size.clamp(1, MAX_AGGREGATE);
        let (members, place) = aggregate(pattern, size);
        let aggregates = members.len() / size;
        let coarse = match coarse && aggregates > 0 {
            true => Some(Coarse::new(pattern, &place, size, aggregates)?),
            false => None,
        };
        Ok(Self {
            pattern: Arc::clone(pattern),
            factors: vec![0.0; aggregates * row(3 * size)],
            local: vec![DVec3::ZERO; members.len()],
            members,
            place,
            size,
            coarse,
        })
    }

    pub(super) fn update(&mut self, a: &BlockCsr) -> Result<(), Error> {
        let (pattern, members, place, size) =
            (&self.pattern, &self.members, &self.place, self.size);
        self.factors
            .par_chunks_mut(row(3 * size))
            .with_min_len(AGGREGATES_PER_TASK)
            .enumerate()
            .for_each(|(k, factor)| {
                factor.fill(0.0);
                let first = k * size;
                for (s, i) in members[first..first + size].iter().enumerate() {
                    if *i == NONE {
                        // An empty place is an unknown of its own.
                        (3 * s..3 * s + 3).for_each(|d| factor[row(d) + d] = 1.0);
                        continue;
                    }
                    for slot in pattern.slots(*i as usize) {
                        let j = place[pattern.columns[slot] as usize] as usize;
                        if !(first..=first + s).contains(&j) {
                            continue;
                        }
                        let t = j - first;
                        for d in 0..3 {
                            for e in 0..3 {
                                if 3 * t + e <= 3 * s + d {
                                    factor[row(3 * s + d) + 3 * t + e] = a.values[slot].col(e)[d];
                                }
                            }
                        }
                    }
                }
                invert_factors(factor.as_chunks_mut::<1>().0, 3 * size);
            });
        match &mut self.coarse {
            Some(coarse) => coarse.update(a),
            None => Ok(()),
        }
    }

    pub(super) fn apply(&mut self, r: &[DVec3], z: &mut [DVec3]) {
        let (members, size) = (&self.members, self.size);
        let factors = self.factors.par_chunks(row(3 * size));
        self.local
            .par_chunks_mut(size)
            .with_min_len(AGGREGATES_PER_TASK)
            .zip(factors)
            .enumerate()
            .for_each(|(k, (local, factor))| {
                let (mut x, mut y) = ([0.0; 3 * MAX_AGGREGATE], [0.0; 3 * MAX_AGGREGATE]);
                for (s, i) in members[k * size..(k + 1) * size].iter().enumerate() {
                    if *i != NONE {
                        x[3 * s..3 * s + 3].copy_from_slice(&r[*i as usize].to_array());
                    }
                }
                apply_twice(factor, &mut x[..3 * size], &mut y[..3 * size]);
                for (s, local) in local.iter_mut().enumerate() {
                    *local = DVec3::from_slice(&x[3 * s..]);
                }
            });
        let correction = match &mut self.coarse {
            Some(coarse) if coarse.usable => Some(coarse.solve(members, size, r)),
            _ => None,
        };
        for (i, z) in z.iter_mut().enumerate() {
            let place = self.place[i] as usize;
            *z = self.local[place];
            if let Some(correction) = correction {
                *z += correction[place / size];
            }
        }
    }
}

impl Coarse {
    fn new(fine: &Pattern, place: &[u32], size: usize, aggregates: usize) -> Result<Self, Error> {
        let of = |i: u32| place[i as usize] / size as u32;
        let n = fine.rows() as u32;
        let pairs = (0..n)
            .flat_map(|i| fine.row(i as usize).iter().map(move |j| (i, *j)))
            .map(|(i, j)| (of(i), of(j)))
            .filter(|(a, b)| a < b);
        let pattern = Arc::new(Pattern::from_pairs(aggregates, pairs));
        let slots: Vec<u32> = (0..n)
            .flat_map(|i| fine.row(i as usize).iter().map(move |j| (i, *j)))
            .map(|(i, j)| pattern.slot(of(i), of(j)).map_or(NONE, |s| s as u32))
            .collect();
        let mut start = vec![0_u32; pattern.blocks() + 1];
        slots.iter().for_each(|s| start[*s as usize + 1] += 1);
        for k in 0..pattern.blocks() {
            start[k + 1] += start[k];
        }
        let mut next = start.clone();
        let mut sources = vec![0_u32; slots.len()];
        for (source, slot) in slots.iter().enumerate() {
            sources[next[*slot as usize] as usize] = source as u32;
            next[*slot as usize] += 1;
        }
        Ok(Self {
            matrix: BlockCsr::zeros(&pattern),
            start,
            sources,
            solver: Cholesky::new(&pattern, Ordering::Amd)?,
            usable: false,
            residual: pattern.zeros(),
            solution: pattern.zeros(),
        })
    }

    fn update(&mut self, a: &BlockCsr) -> Result<(), Error> {
        let (start, sources) = (&self.start, &self.sources);
        self.matrix.values.par_chunks_mut(CHUNK).enumerate().for_each(|(c, blocks)| {
            for (k, block) in blocks.iter_mut().enumerate() {
                let slot = c * CHUNK + k;
                *block = DMat3::ZERO;
                for s in &sources[start[slot] as usize..start[slot + 1] as usize] {
                    *block += a.values[*s as usize];
                }
            }
        });
        self.usable = match self.solver.factor(&self.matrix) {
            Ok(()) => true,
            Err(Error::NotPositiveDefinite { .. } | Error::NotFinite { .. }) => false,
            Err(error) => return Err(error),
        };
        Ok(())
    }

    fn solve(&mut self, members: &[u32], size: usize, r: &[DVec3]) -> &[DVec3] {
        for (sum, members) in self.residual.iter_mut().zip(members.chunks(size)) {
            *sum = DVec3::ZERO;
            for i in members.iter().filter(|i| **i != NONE) {
                *sum += r[*i as usize];
            }
        }
        self.solver.solve(&self.residual, &mut self.solution);
        &self.solution
    }
}

/// Grows aggregates: each begins at the lowest free vertex and takes, again and again, the free
/// neighbour with the most neighbours in it (the lowest of several).
pub(super) fn aggregate(pattern: &Pattern, size: usize) -> (Vec<u32>, Vec<u32>) {
    let n = pattern.rows();
    let mut place = vec![NONE; n];
    let mut members = Vec::with_capacity(n + n / 4);
    let mut ties = vec![0_u32; n];
    let mut rim = Vec::new();
    for seed in 0..n {
        if place[seed] != NONE {
            continue;
        }
        let first = members.len();
        let mut next = Some(seed as u32);
        while let Some(i) = next {
            place[i as usize] = members.len() as u32;
            members.push(i);
            rim.retain(|j| *j != i);
            for j in pattern.row(i as usize) {
                if place[*j as usize] == NONE {
                    if ties[*j as usize] == 0 {
                        rim.push(*j);
                    }
                    ties[*j as usize] += 1;
                }
            }
            let best = rim.iter().copied().max_by_key(|j| (ties[*j as usize], u32::MAX - j));
            next = best.filter(|_| members.len() < first + size);
        }
        rim.drain(..).for_each(|j| ties[j as usize] = 0);
        members[first..].iter().for_each(|j| ties[*j as usize] = 0);
        members.resize(first + size, NONE);
    }
    (members, place)
}
