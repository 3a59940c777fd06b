//! Active contacts: candidates within the activation distance, with their forces.
//!
//! The distance of the closest points is d = |Σ w_i y_i|, its gradient w_i n. The Hessian keeps
//! `k b″ (w n)(w n)ᵀ`, positive semidefinite; the term of b′ < 0 across n is omitted. Tight gaps have another, in all directions.
//!
//! Nearly parallel edges jump from one pair of closest points to another; their barrier is multiplied by a mollifier
//! that vanishes with the angle between them [li2020ipc].

use super::candidates::{self, CLOTH, Candidate, CandidateFinder, ClosestPoints, Kind, NO_CONTACT};
use super::law::{Law, Value};
use crate::element::definite::outer;
use crate::model::Model;
use glam::{DMat3, DVec3};
use rayon::prelude::*;
use std::sync::Arc;

/// Candidates in a task.
const CHUNK: usize = 1024;

/// Squared sine of the angle below which edges count as nearly parallel.
const NEARLY_PARALLEL: f64 = 1e-3;

/// Gap over activation distance below which it counts as tight: realistic loads leave more.
const TIGHT_GAP: f64 = 1e-4;

/// Largest stiffness of a contact [N/m]: beside that of the cloth, single precision bears no more. Gaps that would exceed it are tight, too.
const MAX_STIFFNESS: f64 = 3e9;

/// Gap over activation distance to which the force of a tight gap alone opens it in an iteration.
const TIGHT_GAP_TARGET: f64 = 0.05;

/// An active contact.
#[derive(Clone, Copy, Debug)]
pub(super) struct Contact {
    /// Identity as [`Candidate::key`], and its points.
    key: [u32; 4],
    /// Number of its friction contact.
    pub(super) friction_contact: u32,
    /// Whether its gap is tight, see [`tight_below`].
    tight: bool,
    pub(super) weights: [f64; 4],
    pub(super) normal: DVec3,
    /// Gap: distance beyond thickness and radius [m].
    pub(super) gap: f64,
    /// Energy [J], and its first and second derivative by the gap.
    value: Value,
    pub(super) friction: f64,
    /// Energy without the mollifier of nearly parallel edges [J]; zero for all others.
    unmollified_energy: f64,
}

impl Contact {
    /// Normal force [N].
    pub(super) fn force(&self) -> f64 {
        -self.value.slope
    }

    /// Identity, as [`Candidate::key`].
    pub(super) fn key(&self) -> [u32; 4] {
        self.key
    }

    pub(super) fn points(&self) -> [u32; 4] {
        candidates::points(self.key)
    }

    /// Gradient of the energy by each point, at the points where the contact was found.
    pub(super) fn gradient(&self, y: &[DVec3]) -> [DVec3; 4] {
        let push = self.normal * self.value.slope;
        let mut by = self.weights.map(|w| push * w);
        if self.unmollified_energy != 0.0 {
            let (_, slopes) = mollifier(&self.points().map(|p| y[p as usize]));
            by.iter_mut()
                .zip(slopes)
                .for_each(|(by, slope)| *by += slope * self.unmollified_energy);
        }
        by
    }

    pub(super) fn energy(&self) -> f64 {
        self.value.energy
    }

    /// Hessian block between the closest points [N/m]. A tight gap is opened without sliding: where features turn, sliding would close
    /// it again.
    pub(super) fn hessian(&self) -> DMat3 {
        let along = outer(self.normal, self.normal) * self.value.curvature;
        if self.tight { along + self.tangential_stiffness() } else { along }
    }

    /// Tangential stiffness as large as the normal one [N/m].
    pub(super) fn tangential_stiffness(&self) -> DMat3 {
        (DMat3::IDENTITY - outer(self.normal, self.normal)) * self.value.curvature
    }
}

/// The contact model: barrier, minimum separation, friction coefficients.
#[derive(Clone, Debug)]
pub(super) struct ContactModel {
    pub(super) law: Law,
    pub(super) dhat: f64,
    /// Minimum separation [m].
    pub(super) thickness: f64,
    pub(super) pressure: f64,
    /// Area of each cloth vertex [m²].
    pub(super) area: Arc<[f64]>,
    friction: Arc<[f64]>,
    body_friction: Vec<Option<f64>>,
    radius: Vec<f64>,
    /// Normals of bodies that are planes.
    normals: Vec<DVec3>,
}

impl ContactModel {
    pub(super) fn new(
        model: &Model,
        pairs: &CandidateFinder,
        law: Law,
        [dhat, thickness, pressure]: [f64; 3],
    ) -> Self {
        Self {
            law,
            dhat,
            thickness,
            pressure,
            area: Arc::clone(&model.area),
            friction: Arc::clone(&model.friction),
            body_friction: pairs.bodies.iter().map(|b| b.friction).collect(),
            radius: pairs.bodies.iter().map(|b| b.radius).collect(),
            normals: pairs.normals(),
        }
    }

    /// Other coefficients of friction: of each vertex, and of each body that has its own.
    pub(super) fn set_friction(&mut self, cloth: &Arc<[f64]>, bodies: &[Option<f64>]) {
        self.friction = Arc::clone(cloth);
        self.body_friction = bodies.to_vec();
    }

    /// Closest points of a candidate, with all points at `y`.
    pub(super) fn closest(&self, candidate: &Candidate, y: &[DVec3]) -> ClosestPoints {
        self.closest_at(candidate, candidate.points.map(|p| y[p as usize]))
    }

    /// The same for given positions of its own points.
    pub(super) fn closest_at(&self, candidate: &Candidate, y: [DVec3; 4]) -> ClosestPoints {
        candidate.closest(y, &self.normals)
    }

    /// Minimum distance of a pair.
    pub(super) fn offset(&self, candidate: &Candidate) -> f64 {
        self.range(candidate).0
    }

    /// Minimum distance of a pair, and its activation distance beyond that. Pairs below the minimum separation
    /// have theirs within it.
    pub(super) fn range(&self, candidate: &Candidate) -> (f64, f64) {
        if candidate.below_separation {
            return (0.0, self.thickness);
        }
        (self.radius(candidate) + self.thickness, self.dhat)
    }

    /// Radius of the body of a pair, if it has one.
    pub(super) fn radius(&self, candidate: &Candidate) -> f64 {
        if candidate.body == CLOTH { 0.0 } else { self.radius[candidate.body as usize] }
    }

    /// Mean over the cloth vertices of a pair.
    fn mean(&self, candidate: &Candidate, of: &[f64]) -> f64 {
        let cloth = candidate.points.iter().filter_map(|p| of.get(*p as usize));
        let (sum, count) = cloth.fold((0.0, 0.0), |(s, n), a| (s + a, n + 1.0));
        sum / f64::max(count, 1.0)
    }

    fn friction(&self, candidate: &Candidate) -> f64 {
        let own = if candidate.body == CLOTH {
            None
        } else {
            self.body_friction[candidate.body as usize]
        };
        own.unwrap_or_else(|| self.mean(candidate, &self.friction))
    }

    /// The contact of a candidate, if it is active; a closed gap has infinite energy.
    fn contact(&self, candidate: &Candidate, y: &[DVec3]) -> Option<Contact> {
        let (offset, dhat) = self.range(candidate);
        let closest = self.closest(candidate, y);
        let gap = closest.distance - offset;
        if gap >= dhat {
            return None;
        }
        let mut value = if gap > 0.0 {
            self.law.evaluate(gap, dhat)
        } else {
            Value { energy: f64::INFINITY, ..Value::default() }
        };
        let stiffness = self.stiffness(candidate);
        let least = tight_below(self.law, stiffness) * dhat;
        let tight = gap < least;
        if gap > 0.0 && tight {
            let (slope, curvature) = tight_gap_derivatives(self.law, least, dhat);
            value = Value { slope, curvature, ..value };
        }
        let mut unmollified_energy = 0.0;
        if candidate.kind == Kind::EdgeEdge && gap > 0.0 {
            let (factor, _) = mollifier(&candidate.points.map(|p| y[p as usize]));
            if factor < 1.0 {
                unmollified_energy = stiffness * value.energy;
                value.energy *= factor;
                value.slope *= factor;
                value.curvature *= factor;
            }
        }
        let value = Value {
            energy: stiffness * value.energy,
            slope: stiffness * value.slope,
            curvature: stiffness * value.curvature,
        };
        Some(Contact {
            key: candidate.key(),
            friction_contact: candidate.friction_contact,
            tight,
            weights: closest.weights,
            normal: closest.normal(),
            gap,
            value,
            friction: self.friction(candidate),
            unmollified_energy,
        })
    }

    /// First and second derivative of the energy of a pair at half the activation distance [N], [N/m].
    pub(super) fn at_half_dhat(&self, candidate: &Candidate) -> (f64, f64) {
        let value = self.law.evaluate(0.5 * self.dhat, self.dhat);
        let stiffness = self.stiffness(candidate);
        (stiffness * value.slope, stiffness * value.curvature)
    }

    /// Stiffness κ of a pair [N/m].
    fn stiffness(&self, candidate: &Candidate) -> f64 {
        if self.law.follows_elasticity() {
            return candidate.stiffness;
        }
        self.pressure * self.mean(candidate, &self.area) / self.dhat
    }

    /// The energy of one pair [J].
    pub(super) fn energy(&self, candidate: &Candidate, y: &[DVec3]) -> f64 {
        self.contact(candidate, y).map_or(0.0, |c| c.energy())
    }
}

/// All active contacts, in the order of their candidates, in batches.
#[derive(Debug, Default)]
pub(super) struct Contacts {
    batches: Vec<Vec<Contact>>,
}

impl Contacts {
    /// Finds the active contacts with all points at `y`; returns their energy [J].
    pub(super) fn find(&mut self, model: &ContactModel, pairs: &[Candidate], y: &[DVec3]) -> f64 {
        let count = pairs.len().div_ceil(CHUNK);
        if self.batches.len() < count {
            self.batches.resize_with(count, Vec::new);
        }
        self.batches[count..].iter_mut().for_each(Vec::clear);
        let tasks = self.batches[..count].par_iter_mut().zip(pairs.par_chunks(CHUNK));
        let sums: Vec<f64> = tasks
            .map(|(batch, pairs)| {
                batch.clear();
                batch.extend(pairs.iter().filter_map(|p| model.contact(p, y)));
                // Contacts are large, and room is made for twice as many.
                batch.shrink_to_fit();
                batch.iter().map(Contact::energy).sum()
            })
            .collect();
        sums.iter().sum()
    }

    /// Numbers the active contacts in their candidates.
    pub(super) fn number(&self, pairs: &mut [Candidate]) {
        for (b, (batch, pairs)) in self.batches.iter().zip(pairs.chunks_mut(CHUNK)).enumerate() {
            let mut next = 0;
            for pair in pairs {
                let own = batch.get(next).is_some_and(|c| c.key == pair.key());
                pair.contact = if own { (b * CHUNK + next) as u32 } else { NO_CONTACT };
                next += usize::from(own);
            }
        }
    }

    /// The active contact of a candidate, if it has one.
    pub(super) fn of_candidate(&self, pair: &Candidate) -> Option<&Contact> {
        let number = pair.contact as usize;
        let contact = self.batches.get(number / CHUNK)?.get(number % CHUNK);
        debug_assert!(contact.is_none_or(|c| c.key == pair.key()), "it is its own");
        contact
    }

    /// Whether a direction opens a tight gap to more than twice its size. Such a pair exerts normal and friction forces that
    /// nothing balances, and as it hardly moves, the termination criterion would not notice.
    pub(super) fn opens_tight_gap(&self, d: &[DVec3]) -> bool {
        self.iter().filter(|c| c.tight).any(|c| {
            let by = |(p, w): (u32, f64)| d[p as usize] * w;
            let opening: DVec3 = c.points().into_iter().zip(c.weights).map(by).sum();
            c.normal.dot(opening) > c.gap
        })
    }

    /// Vertices of cloth in contact, among the first `n` points; some more than once.
    pub(super) fn touching(&self, n: usize) -> impl Iterator<Item = u32> {
        let points = self.iter().flat_map(|c| c.points().into_iter().zip(c.weights));
        points.filter(move |(p, w)| (*p as usize) < n && *w != 0.0).map(|(p, _)| p)
    }

    /// Smallest gap beyond the minimum separation [m]; infinite without contacts.
    pub(super) fn smallest_gap(&self) -> f64 {
        self.iter().map(|c| c.gap).fold(f64::INFINITY, f64::min)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Contact> {
        self.batches.iter().flatten()
    }

    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Contact> {
        self.batches.iter_mut().flatten()
    }

    pub(super) fn len(&self) -> usize {
        self.batches.iter().map(Vec::len).sum()
    }
}

/// Gap over activation distance below which a pair of this stiffness is tight. Where the activation distance is small beside the edges,
/// gaps are too stiff long before they are [`TIGHT_GAP`].
fn tight_below(law: Law, stiffness: f64) -> f64 {
    if law.follows_elasticity() {
        return TIGHT_GAP;
    }
    // The second derivative of the logarithm is about one over the square of that ratio.
    (stiffness / MAX_STIFFNESS).sqrt().clamp(TIGHT_GAP, 0.5 * TIGHT_GAP_TARGET)
}

/// First and second derivative at a tight gap. Its own would open it by no more than the gap itself in an iteration, and would be so
/// stiff beside the cloth that single precision loses that: one such pair could stall the whole cloth. It pushes with the force of
/// the heaviest load, that at the `least` gap that is not tight, and opens to [`TIGHT_GAP_TARGET`] if nothing resists.
fn tight_gap_derivatives(law: Law, least: f64, dhat: f64) -> (f64, f64) {
    let Value { slope, curvature, .. } = law.evaluate(least, dhat);
    (slope, curvature.min(-slope / (TIGHT_GAP_TARGET * dhat)))
}

/// Mollifier of nearly parallel edges, 0 to 1, and its gradient.
fn mollifier(y: &[DVec3; 4]) -> (f64, [DVec3; 4]) {
    let (a, b) = (y[1] - y[0], y[3] - y[2]);
    let cross = a.cross(b);
    let (aa, bb) = (a.length_squared(), b.length_squared());
    let q = cross.length_squared() / (NEARLY_PARALLEL * aa * bb);
    // An edge without length has no direction: not parallel to anything.
    if q >= 1.0 || q.is_nan() {
        return (1.0, [DVec3::ZERO; 4]);
    }
    // m = q (2 − q); q by a and b, with |a|² and |b|² below.
    let slope = 2.0 - 2.0 * q;
    let scale = 2.0 / (NEARLY_PARALLEL * aa * bb);
    let by_a = (b.cross(cross) * scale - a * (2.0 * q / aa)) * slope;
    let by_b = (cross.cross(a) * scale - b * (2.0 * q / bb)) * slope;
    (q * (2.0 - q), [-by_a, by_a, -by_b, by_b])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tight_gap_is_opened_by_its_force_at_once_and_single_precision_bears_it() {
        let dhat = 2e-3;
        for law in Law::ALL {
            for least in [TIGHT_GAP * dhat, 0.5 * TIGHT_GAP_TARGET * dhat] {
                let (slope, curvature) = tight_gap_derivatives(law, least, dhat);
                let own = law.evaluate(0.01 * least, dhat);
                assert!(curvature <= own.curvature && -slope <= -own.slope, "{law:?}");
                let opened = -slope / curvature;
                assert!(opened > 0.99 * TIGHT_GAP_TARGET * dhat, "{law:?}: {opened}");
            }
            let (_, curvature) = tight_gap_derivatives(law, TIGHT_GAP * dhat, dhat);
            // Beside a contact at a tenth of the activation distance, a hundred thousand times as stiff at most.
            let soft = law.evaluate(0.1 * dhat, dhat).curvature;
            assert!(curvature < 1e5 * soft, "{law:?}: {curvature} {soft}");
        }
    }

    #[test]
    fn no_gap_is_stiffer_than_single_precision_bears() {
        let dhat = 2e-3;
        for law in [Law::Log, Law::TwoStage] {
            assert_eq!(tight_below(law, 1.0), TIGHT_GAP, "soft contacts are as they were");
            for stiffness in [30.0, 1e3, 1e5, 1e6] {
                let least = tight_below(law, stiffness) * dhat;
                for part in [0.01, 0.5, 0.999, 1.0, 2.0] {
                    let curvature = if part < 1.0 {
                        tight_gap_derivatives(law, least, dhat).1
                    } else {
                        law.evaluate(part * least, dhat).curvature
                    };
                    assert!(
                        stiffness * curvature < 3.0 * MAX_STIFFNESS,
                        "{law:?} {stiffness} {part}"
                    );
                }
            }
        }
    }

    #[test]
    fn the_factor_of_nearly_parallel_edges_has_the_gradient_it_says() {
        let y = [
            DVec3::new(0.0, 0.1, 0.0),
            DVec3::new(1.0, 0.0, 0.01),
            DVec3::new(0.2, 0.2, 0.3),
            DVec3::new(1.1, 0.12, 0.32),
        ];
        let (m, g) = mollifier(&y);
        assert!(m > 0.0 && m < 1.0, "{m}");
        for v in 0..4 {
            for k in 0..3 {
                let shifted = |s: f64| {
                    let mut z = y;
                    z[v][k] += s;
                    mollifier(&z).0
                };
                let numeric = (shifted(1e-7) - shifted(-1e-7)) / 2e-7;
                assert!((numeric - g[v][k]).abs() < 1e-5 * (1.0 + numeric.abs()), "{v} {k}");
            }
        }
    }
}
