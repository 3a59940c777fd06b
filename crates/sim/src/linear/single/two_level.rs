//! Additive Schwarz in two levels, in single precision.
//!
//! M⁻¹ = Σ Rₐᵀ Aₐ⁻¹ Rₐ + P (Pᵀ A P)⁻¹ Pᵀ, as [`super::super::Precondition::Schwarz`]: groups of at most eight
//! neighbouring vertices are solved exactly, and one translation for every two groups together, by
//! sparse Cholesky in double precision. Bonds count within a group, and between groups as far as the
//! coarse pattern has room.
//!
//! The loops are compiled for several kinds of processors; they work on more numbers at once where they can, in the
//! same order and without fused additions, so the bits are the same on all.
//!
//! Groups keep L⁻¹, applied as L⁻ᵀ (L⁻¹ r): positive definite however it was rounded.

use super::super::dense::{invert_factors, row};
use super::super::schwarz::aggregate;
use super::super::{BlockCsr, Cholesky, Error, Ordering, Pattern};
use super::{Bond, Inverse, Matrix};
use glam::{DMat3, DVec3, Mat3A, Vec3A};
use pulp::{Arch, Simd, WithSimd};
use rayon::prelude::*;
use std::sync::Arc;

/// Vertices of a group, and of an aggregate of the coarse level.
const GROUP: usize = 8;
const AGGREGATE: usize = 2 * GROUP;
/// Unknowns of a group.
const SIDE: usize = 3 * GROUP;
/// Groups that are factored side by side.
const BATCH: usize = 4;
/// Groups in a task.
const TASK: usize = 64;
const NONE: u32 = u32::MAX;
/// A batch of groups is factored again within a step when the diagonal of one of their blocks has changed by
/// more than this part.
const CHANGE: f32 = 0.3;

/// Numbers that are worked on at once.
const LANES: usize = 8;

/// L⁻¹ of a group by columns, zeros above the diagonal.
type Factor = [[[f32; LANES]; SIDE / LANES]; SIDE];

/// The preconditioner with its memory.
#[derive(Debug)]
pub struct TwoLevel {
    pattern: Arc<Pattern>,
    /// Vertices of group g at `[g · GROUP ..]`, the rest `NONE`.
    members: Vec<u32>,
    /// Where a vertex stands in `members`.
    place: Vec<u32>,
    factors: Vec<Factor>,
    /// Traces of the vertices' own blocks when their group was factored.
    traces: Vec<f32>,
    local: Vec<Vec3A>,
    coarse: Coarse,
}

#[derive(Debug)]
struct Coarse {
    matrix: BlockCsr,
    /// Coarse slot of every fine block.
    slots: Vec<u32>,
    solver: Cholesky,
    /// False if the coarse matrix could not be factored; then the first level works alone.
    usable: bool,
    residual: Vec<DVec3>,
    solution: Vec<DVec3>,
}

impl TwoLevel {
    /// The symbolic part.
    ///
    /// # Errors
    /// If the coarse matrix is too large.
    pub fn new(pattern: &Arc<Pattern>) -> Result<Self, Error> {
        let (members, place) = aggregate(pattern, AGGREGATE);
        Ok(Self {
            pattern: Arc::clone(pattern),
            factors: vec![[[[0.0; LANES]; SIDE / LANES]; SIDE]; members.len() / GROUP],
            traces: vec![0.0; place.len()],
            local: vec![Vec3A::ZERO; members.len()],
            coarse: Coarse::new(pattern, &place, members.len() / AGGREGATE)?,
            members,
            place,
        })
    }

    /// Takes over a matrix, with `held` vertices standing still. `anew` factors every group, otherwise
    /// only where something has changed much.
    ///
    /// # Errors
    /// If the coarse pattern does not fit the matrix.
    pub fn update(
        &mut self,
        a: &Matrix,
        bonds: &[Bond],
        held: &[u32],
        anew: bool,
    ) -> Result<(), Error> {
        let diagonal = own_blocks(a, bonds);
        let trace = |m: &Mat3A| m.x_axis.x + m.y_axis.y + m.z_axis.z;
        let traces: Vec<f32> = diagonal.iter().map(trace).collect();
        let stale: Vec<bool> = self
            .members
            .chunks(BATCH * GROUP)
            .map(|batch| {
                let mut batch = batch.iter().filter(|i| **i != NONE).map(|i| *i as usize);
                anew || batch.any(|i| (traces[i] - self.traces[i]).abs() > CHANGE * self.traces[i])
            })
            .collect();
        let bonded = bonds_of_groups(bonds, &self.place, self.factors.len(), &stale);
        let (pattern, members, place) = (&self.pattern, &self.members, &self.place);
        let arch = Arch::new();
        let batches = self.factors.par_chunks_mut(BATCH).with_min_len(TASK / BATCH).enumerate();
        batches.filter(|(b, _)| stale[*b]).for_each(|(b, factors)| {
            let mut all = [[0.0_f64; BATCH]; row(SIDE)];
            for lane in 0..factors.len() {
                let g = b * BATCH + lane;
                let mut packed = [0.0_f64; row(SIDE)];
                gather(a, pattern, members, place, g, &mut packed);
                for bond in bonded.of(g) {
                    add_bond(&bonds[*bond as usize], place, g, &mut packed);
                }
                hold(held, members, g, &mut packed);
                all.iter_mut().zip(packed).for_each(|(all, entry)| all[lane] = entry);
            }
            arch.dispatch(Invert(&mut all));
            factors.iter_mut().enumerate().for_each(|(lane, factor)| unpack(&all, lane, factor));
        });
        for (members, _) in self.members.chunks(BATCH * GROUP).zip(&stale).filter(|b| *b.1) {
            for i in members.iter().filter(|i| **i != NONE) {
                self.traces[*i as usize] = traces[*i as usize];
            }
        }
        self.coarse.update(a, bonds, held, &self.place)
    }

    /// Whether the last coarse matrix could be factored.
    pub fn is_coarse_usable(&self) -> bool {
        self.coarse.usable
    }
}

impl Inverse for TwoLevel {
    fn apply(&mut self, r: &[Vec3A], z: &mut [Vec3A]) {
        let (members, arch) = (&self.members, Arch::new());
        let tasks = self.local.par_chunks_mut(GROUP).with_min_len(TASK).zip(&self.factors);
        tasks.enumerate().for_each(|(g, (local, factor))| {
            let mut x = [0.0_f32; SIDE];
            for (s, i) in members[g * GROUP..(g + 1) * GROUP].iter().enumerate() {
                if *i != NONE {
                    x[3 * s..3 * s + 3].copy_from_slice(&r[*i as usize].to_array());
                }
            }
            arch.dispatch(ForwardAndBack(factor, &mut x));
            for (s, local) in local.iter_mut().enumerate() {
                *local = Vec3A::from_slice(&x[3 * s..]);
            }
        });
        let correction = self.coarse.usable.then(|| self.coarse.solve(members, r));
        for (z, place) in z.iter_mut().zip(&self.place) {
            *z = self.local[*place as usize];
            if let Some(correction) = correction {
                *z += correction[*place as usize / AGGREGATE].as_vec3a();
            }
        }
    }
}

/// [`invert_factors`] for any processor.
struct Invert<'a>(&'a mut [[f64; BATCH]]);

impl WithSimd for Invert<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        invert_factors(self.0, SIDE);
    }
}

/// [`forward_and_back`] for any processor.
struct ForwardAndBack<'a>(&'a Factor, &'a mut [f32; SIDE]);

impl WithSimd for ForwardAndBack<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        forward_and_back(self.0, self.1);
    }
}

/// x ← L⁻ᵀ (L⁻¹ x). Columns are cut to whole lanes; what lies above the diagonal is zero.
#[inline(always)]
fn forward_and_back(factor: &Factor, x: &mut [f32; SIDE]) {
    let mut y = [[0.0_f32; LANES]; SIDE / LANES];
    for (j, column) in factor.iter().enumerate() {
        for k in j / LANES..SIDE / LANES {
            for lane in 0..LANES {
                y[k][lane] += column[k][lane] * x[j];
            }
        }
    }
    for (j, column) in factor.iter().enumerate() {
        let mut sums = [0.0_f32; LANES];
        for k in j / LANES..SIDE / LANES {
            for lane in 0..LANES {
                sums[lane] += column[k][lane] * y[k][lane];
            }
        }
        x[j] = ((sums[0] + sums[4]) + (sums[1] + sums[5]))
            + ((sums[2] + sums[6]) + (sums[3] + sums[7]));
    }
}

/// The blocks on the diagonal, bonds included.
fn own_blocks(a: &Matrix, bonds: &[Bond]) -> Vec<Mat3A> {
    let slots = a.pattern().diagonal.iter();
    let mut own: Vec<Mat3A> = slots.map(|slot| a.values[*slot as usize]).collect();
    for bond in bonds {
        for (p, w) in bond.points.iter().zip(bond.weights) {
            own[*p as usize] += bond.stiffness * (w * w);
        }
    }
    own
}

/// The blocks within a group, as a packed lower triangle.
fn gather(
    a: &Matrix,
    pattern: &Pattern,
    members: &[u32],
    place: &[u32],
    g: usize,
    packed: &mut [f64],
) {
    let first = g * GROUP;
    for (s, i) in members[first..first + GROUP].iter().enumerate() {
        if *i == NONE {
            // An empty place is an unknown of its own.
            (3 * s..3 * s + 3).for_each(|d| packed[row(d) + d] = 1.0);
            continue;
        }
        for slot in pattern.slots(*i as usize) {
            let j = place[pattern.columns[slot] as usize] as usize;
            if (first..=first + s).contains(&j) {
                add_block(packed, s, j - first, &a.values[slot], 1.0);
            }
        }
    }
}

/// Adds a block at places s ≥ t.
fn add_block(packed: &mut [f64], s: usize, t: usize, block: &Mat3A, factor: f32) {
    let columns = block.to_cols_array_2d();
    for d in 0..3 {
        for e in 0..3 {
            if 3 * t + e <= 3 * s + d {
                packed[row(3 * s + d) + 3 * t + e] += f64::from(columns[e][d] * factor);
            }
        }
    }
}

fn add_bond(bond: &Bond, place: &[u32], g: usize, packed: &mut [f64]) {
    let inside = |k: usize| {
        let at = place[bond.points[k] as usize] as usize;
        (bond.weights[k] != 0.0 && at / GROUP == g).then_some(at % GROUP)
    };
    for k in 0..4 {
        let Some(s) = inside(k) else { continue };
        for l in 0..4 {
            if let Some(t) = inside(l)
                && (t < s || k == l)
            {
                let w = bond.weights[k] * bond.weights[l];
                add_block(packed, s, t, &bond.stiffness, w);
            }
        }
    }
}

/// Vertices that are held act on nothing.
fn hold(held: &[u32], members: &[u32], g: usize, packed: &mut [f64]) {
    for (s, i) in members[g * GROUP..(g + 1) * GROUP].iter().enumerate() {
        if held.binary_search(i).is_err() {
            continue;
        }
        for d in 3 * s..3 * s + 3 {
            packed[row(d)..row(d) + d].fill(0.0);
            (d + 1..SIDE).for_each(|e| packed[row(e) + d] = 0.0);
        }
    }
}

fn unpack(packed: &[[f64; BATCH]], lane: usize, factor: &mut Factor) {
    for (j, column) in factor.iter_mut().enumerate() {
        let column = column.as_flattened_mut();
        column[..j].fill(0.0);
        for (i, l) in column.iter_mut().enumerate().skip(j) {
            *l = packed[row(i) + j][lane] as f32;
        }
    }
}

/// Which bonds touch which of the groups that are asked for.
struct Bonded {
    start: Vec<u32>,
    bonds: Vec<u32>,
}

impl Bonded {
    fn of(&self, g: usize) -> &[u32] {
        &self.bonds[self.start[g] as usize..self.start[g + 1] as usize]
    }
}

/// The bonds of `count` groups, of those in wanted batches.
fn bonds_of_groups(bonds: &[Bond], place: &[u32], count: usize, wanted: &[bool]) -> Bonded {
    let visit = |sink: &mut dyn FnMut(usize, u32)| {
        for (number, bond) in bonds.iter().enumerate() {
            let groups: [usize; 4] = std::array::from_fn(|k| {
                let moves = bond.weights[k] != 0.0;
                if moves { place[bond.points[k] as usize] as usize / GROUP } else { usize::MAX }
            });
            for (k, g) in groups.iter().enumerate() {
                if *g != usize::MAX && wanted[*g / BATCH] && !groups[..k].contains(g) {
                    sink(*g, number as u32);
                }
            }
        }
    };
    let mut start = vec![0_u32; count + 1];
    visit(&mut |g, _| start[g + 1] += 1);
    for g in 0..count {
        start[g + 1] += start[g];
    }
    let mut next = start.clone();
    let mut list = vec![0_u32; start[count] as usize];
    visit(&mut |g, bond| {
        list[next[g] as usize] = bond;
        next[g] += 1;
    });
    Bonded { start, bonds: list }
}

impl Coarse {
    fn new(fine: &Pattern, place: &[u32], aggregates: usize) -> Result<Self, Error> {
        let of = |i: u32| place[i as usize] / AGGREGATE as u32;
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
        Ok(Self {
            matrix: BlockCsr::zeros(&pattern),
            slots,
            solver: Cholesky::new(&pattern, Ordering::Amd)?,
            usable: false,
            residual: pattern.zeros(),
            solution: pattern.zeros(),
        })
    }

    fn update(
        &mut self,
        a: &Matrix,
        bonds: &[Bond],
        held: &[u32],
        place: &[u32],
    ) -> Result<(), Error> {
        self.matrix.clear();
        let still = |i: u32| !held.is_empty() && held.binary_search(&i).is_ok();
        let pattern = a.pattern();
        let values = self.matrix.values_mut();
        for i in 0..pattern.rows() {
            if still(i as u32) {
                continue;
            }
            for slot in pattern.slots(i) {
                if !still(pattern.columns[slot]) {
                    values[self.slots[slot] as usize] += double(&a.values[slot]);
                }
            }
        }
        self.add_bonds(bonds, place, still);
        // An aggregate whose vertices are all held has nothing to solve for.
        for k in 0..self.matrix.rows() {
            if self.matrix.diagonal(k) == DMat3::ZERO {
                self.matrix.add(k as u32, k as u32, DMat3::IDENTITY);
            }
        }
        self.usable = match self.solver.factor(&self.matrix) {
            Ok(()) => true,
            Err(Error::NotPositiveDefinite { .. } | Error::NotFinite { .. }) => false,
            Err(error) => return Err(error),
        };
        Ok(())
    }

    fn add_bonds(&mut self, bonds: &[Bond], place: &[u32], still: impl Fn(u32) -> bool) {
        for bond in bonds {
            // Weights of the aggregates it joins.
            let mut joined = [(NONE, 0.0_f64); 4];
            for (p, w) in bond.points.iter().zip(bond.weights) {
                if w == 0.0 || still(*p) {
                    continue;
                }
                let own = place[*p as usize] / AGGREGATE as u32;
                if let Some(entry) = joined.iter_mut().find(|e| e.0 == own || e.0 == NONE) {
                    *entry = (own, entry.1 + f64::from(w));
                }
            }
            let count = joined.iter().filter(|e| e.0 != NONE).count();
            let (joined, stiffness) = (&joined[..count], double(&bond.stiffness));
            if self.joins(joined) {
                self.add_joined(joined, stiffness);
                continue;
            }
            // Without room for all couplings those of each side alone: it is as if the other were held.
            // Dropping single couplings could leave an indefinite matrix.
            for sign in [1.0, -1.0] {
                let side: Vec<(u32, f64)> =
                    joined.iter().copied().filter(|(_, w)| w * sign > 0.0).collect();
                if self.joins(&side) {
                    self.add_joined(&side, stiffness);
                } else {
                    side.iter().for_each(|e| self.add_joined(&[*e], stiffness));
                }
            }
        }
    }

    /// Whether the pattern has room for all couplings.
    fn joins(&self, joined: &[(u32, f64)]) -> bool {
        let pattern = self.matrix.pattern();
        joined.iter().all(|(a, _)| joined.iter().all(|(b, _)| pattern.slot(*a, *b).is_some()))
    }

    fn add_joined(&mut self, joined: &[(u32, f64)], stiffness: DMat3) {
        for (k, (a, wa)) in joined.iter().enumerate() {
            for (b, wb) in &joined[k..] {
                self.matrix.add(*a, *b, stiffness * (wa * wb));
            }
        }
    }

    fn solve(&mut self, members: &[u32], r: &[Vec3A]) -> &[DVec3] {
        for (sum, members) in self.residual.iter_mut().zip(members.chunks(AGGREGATE)) {
            *sum = DVec3::ZERO;
            for i in members.iter().filter(|i| **i != NONE) {
                *sum += r[*i as usize].as_dvec3();
            }
        }
        self.solver.solve(&self.residual, &mut self.solution);
        &self.solution
    }
}

fn double(m: &Mat3A) -> DMat3 {
    DMat3::from_cols(m.x_axis.as_dvec3(), m.y_axis.as_dvec3(), m.z_axis.as_dvec3())
}
