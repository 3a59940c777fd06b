//! Contacts: pairs within reach of the barrier, with their forces.
//!
//! The distance of the nearest points is d = |Σ w_i y_i|, its gradient w_i n. The Hessian keeps
//! `k b″ (w n)(w n)ᵀ`, semidefinite; what b′ < 0 adds across n is left out. Gaps that are far too small have another, in all directions.
//!
//! Nearly parallel edges jump from one nearest pair to another; their barrier is multiplied by a factor
//! that vanishes with the angle between them [li2020ipc].

use super::law::{Law, Value};
use super::pairs::{self, CLOTH, Closest, Kind, NOTHING, Near, Pairs};
use crate::element::definite::outer;
use crate::model::Model;
use glam::{DMat3, DVec3};
use rayon::prelude::*;
use std::sync::Arc;

/// Pairs in a task.
const CHUNK: usize = 1024;

/// Squared sine of the angle below which edges count as nearly parallel.
const PARALLEL: f64 = 1e-3;

/// Part of the reach below which a gap counts as tight: loads that are worth the name leave more.
const TIGHT: f64 = 1e-4;

/// Stiffness that a contact never has [N/m]: beside threads, single precision bears no more. Gaps that would have it are tight, too.
const STIFFEST: f64 = 3e9;

/// Part of the reach to which the force of a tight gap alone opens it in an iteration.
const OPENED: f64 = 0.05;

/// A pair within reach.
#[derive(Clone, Copy, Debug)]
pub(super) struct Contact {
    /// What tells it from others, as [`Near::key`], and which points it has.
    key: [u32; 4],
    /// As that of its pair.
    pub(super) rub: u32,
    /// Whether its gap is tight, as [`tight_below`].
    tight: bool,
    pub(super) weights: [f64; 4],
    pub(super) normal: DVec3,
    /// Distance beyond thickness and radius [m].
    pub(super) gap: f64,
    /// Its energy [J], and that by the gap, once and twice.
    value: Value,
    pub(super) friction: f64,
    /// Energy that the factor of nearly parallel edges multiplies [J]; zero for all others.
    whole: f64,
}

impl Contact {
    /// Pressing force [N].
    pub(super) fn force(&self) -> f64 {
        -self.value.slope
    }

    /// What tells it from others, as [`Near::key`].
    pub(super) fn key(&self) -> [u32; 4] {
        self.key
    }

    pub(super) fn points(&self) -> [u32; 4] {
        pairs::points(self.key)
    }

    /// Gradient of the energy by each point, with the points where they were when it was found.
    pub(super) fn gradient(&self, y: &[DVec3]) -> [DVec3; 4] {
        let push = self.normal * self.value.slope;
        let mut by = self.weights.map(|w| push * w);
        if self.whole != 0.0 {
            let (_, slopes) = mollifier(&self.points().map(|p| y[p as usize]));
            by.iter_mut().zip(slopes).for_each(|(by, slope)| *by += slope * self.whole);
        }
        by
    }

    pub(super) fn energy(&self) -> f64 {
        self.value.energy
    }

    /// Stiffness between the nearest points [N/m]. A tight gap is opened without sliding: where features turn, the slide would close
    /// it again.
    pub(super) fn hessian(&self) -> DMat3 {
        let along = outer(self.normal, self.normal) * self.value.curvature;
        if self.tight { along + self.across() } else { along }
    }

    /// Stiffness across the normal, as much as along it [N/m].
    pub(super) fn across(&self) -> DMat3 {
        (DMat3::IDENTITY - outer(self.normal, self.normal)) * self.value.curvature
    }
}

/// What contacts are measured with.
#[derive(Clone, Debug)]
pub(super) struct Gauge {
    pub(super) law: Law,
    pub(super) reach: f64,
    /// Distance that is never undercut [m].
    pub(super) thickness: f64,
    pub(super) pressure: f64,
    /// Area each cloth vertex stands for [m²].
    area: Arc<[f64]>,
    friction: Arc<[f64]>,
    body_friction: Vec<Option<f64>>,
    radius: Vec<f64>,
    /// Normals of bodies that are planes.
    normals: Vec<DVec3>,
}

impl Gauge {
    pub(super) fn new(
        model: &Model,
        pairs: &Pairs,
        law: Law,
        [reach, thickness, pressure]: [f64; 3],
    ) -> Self {
        Self {
            law,
            reach,
            thickness,
            pressure,
            area: Arc::clone(&model.area),
            friction: Arc::clone(&model.friction),
            body_friction: pairs.bodies.iter().map(|b| b.friction).collect(),
            radius: pairs.bodies.iter().map(|b| b.radius).collect(),
            normals: pairs.normals(),
        }
    }

    /// Nearest points of a pair, with all points at `y`.
    pub(super) fn closest(&self, near: &Near, y: &[DVec3]) -> Closest {
        self.closest_at(near, near.points.map(|p| y[p as usize]))
    }

    /// The same with its own points where they are said to be.
    pub(super) fn closest_at(&self, near: &Near, y: [DVec3; 4]) -> Closest {
        near.closest(y, &self.normals)
    }

    /// Distance that a pair never undercuts.
    pub(super) fn offset(&self, near: &Near) -> f64 {
        self.range(near).0
    }

    /// Distance that a pair never undercuts, and how far beyond it the barrier reaches. Pairs that are nearer than the
    /// thickness already have theirs within it.
    pub(super) fn range(&self, near: &Near) -> (f64, f64) {
        if near.crowded {
            return (0.0, self.thickness);
        }
        (self.radius(near) + self.thickness, self.reach)
    }

    /// Radius of the body of a pair, if it has one.
    pub(super) fn radius(&self, near: &Near) -> f64 {
        if near.body == CLOTH { 0.0 } else { self.radius[near.body as usize] }
    }

    /// Mean over the cloth vertices among a pair's points.
    fn mean(&self, near: &Near, of: &[f64]) -> f64 {
        let cloth = near.points.iter().filter_map(|p| of.get(*p as usize));
        let (sum, count) = cloth.fold((0.0, 0.0), |(s, n), a| (s + a, n + 1.0));
        sum / f64::max(count, 1.0)
    }

    fn friction(&self, near: &Near) -> f64 {
        let own = if near.body == CLOTH { None } else { self.body_friction[near.body as usize] };
        own.unwrap_or_else(|| self.mean(near, &self.friction))
    }

    /// The contact of a pair, if it is within reach; a gap of nothing is an infinite energy.
    fn contact(&self, near: &Near, y: &[DVec3]) -> Option<Contact> {
        let (offset, reach) = self.range(near);
        let closest = self.closest(near, y);
        let gap = closest.distance - offset;
        if gap >= reach {
            return None;
        }
        let mut value = if gap > 0.0 {
            self.law.evaluate(gap, reach)
        } else {
            Value { energy: f64::INFINITY, ..Value::default() }
        };
        let stiffness = self.stiffness(near);
        let least = tight_below(self.law, stiffness) * reach;
        let tight = gap < least;
        if gap > 0.0 && tight {
            let (slope, curvature) = opening(self.law, least, reach);
            value = Value { slope, curvature, ..value };
        }
        let mut whole = 0.0;
        if near.kind == Kind::EdgeEdge && gap > 0.0 {
            let (factor, _) = mollifier(&near.points.map(|p| y[p as usize]));
            if factor < 1.0 {
                whole = stiffness * value.energy;
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
            key: near.key(),
            rub: near.rub,
            tight,
            weights: closest.weights,
            normal: closest.normal(),
            gap,
            value,
            friction: self.friction(near),
            whole,
        })
    }

    /// Slope and curvature of the energy of a pair at half the reach [N], [N/m].
    pub(super) fn half_way(&self, near: &Near) -> (f64, f64) {
        let value = self.law.evaluate(0.5 * self.reach, self.reach);
        let stiffness = self.stiffness(near);
        (stiffness * value.slope, stiffness * value.curvature)
    }

    /// k of a pair [N/m].
    fn stiffness(&self, near: &Near) -> f64 {
        if self.law.follows_elasticity() {
            return near.stiffness;
        }
        self.pressure * self.mean(near, &self.area) / self.reach
    }

    /// The energy of one pair [J].
    pub(super) fn energy(&self, near: &Near, y: &[DVec3]) -> f64 {
        self.contact(near, y).map_or(0.0, |c| c.energy())
    }
}

/// All contacts among pairs, in their order, in batches.
#[derive(Debug, Default)]
pub(super) struct Contacts {
    batches: Vec<Vec<Contact>>,
}

impl Contacts {
    /// Finds the contacts with all points at `y`; returns their energy [J].
    pub(super) fn find(&mut self, gauge: &Gauge, pairs: &[Near], y: &[DVec3]) -> f64 {
        let count = pairs.len().div_ceil(CHUNK);
        if self.batches.len() < count {
            self.batches.resize_with(count, Vec::new);
        }
        self.batches[count..].iter_mut().for_each(Vec::clear);
        let tasks = self.batches[..count].par_iter_mut().zip(pairs.par_chunks(CHUNK));
        let sums: Vec<f64> = tasks
            .map(|(batch, pairs)| {
                batch.clear();
                batch.extend(pairs.iter().filter_map(|p| gauge.contact(p, y)));
                // Contacts are large, and room is made for twice as many.
                batch.shrink_to_fit();
                batch.iter().map(Contact::energy).sum()
            })
            .collect();
        sums.iter().sum()
    }

    /// Tells the pairs they were found among which is whose.
    pub(super) fn number(&self, pairs: &mut [Near]) {
        for (b, (batch, pairs)) in self.batches.iter().zip(pairs.chunks_mut(CHUNK)).enumerate() {
            let mut next = 0;
            for pair in pairs {
                let own = batch.get(next).is_some_and(|c| c.key == pair.key());
                pair.contact = if own { (b * CHUNK + next) as u32 } else { NOTHING };
                next += usize::from(own);
            }
        }
    }

    /// The contact of a pair, if it has one.
    pub(super) fn of(&self, pair: &Near) -> Option<&Contact> {
        let number = pair.contact as usize;
        let contact = self.batches.get(number / CHUNK)?.get(number % CHUNK);
        debug_assert!(contact.is_none_or(|c| c.key == pair.key()), "it is its own");
        contact
    }

    /// Whether a direction opens a tight gap to more than twice of what it is. Such a pair presses and rubs with forces that
    /// nothing balances, and as it moves by next to nothing, nobody else would notice.
    pub(super) fn open(&self, d: &[DVec3]) -> bool {
        self.iter().filter(|c| c.tight).any(|c| {
            let by = |(p, w): (u32, f64)| d[p as usize] * w;
            let way: DVec3 = c.points().into_iter().zip(c.weights).map(by).sum();
            c.normal.dot(way) > c.gap
        })
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

/// Part of the reach below which a gap of a pair of this stiffness is tight. Where the reach is small beside the cells, gaps
/// are too stiff long before they are [`TIGHT`].
fn tight_below(law: Law, stiffness: f64) -> f64 {
    if law.follows_elasticity() {
        return TIGHT;
    }
    // The curvature of the logarithm is about one over the square of that part.
    (stiffness / STIFFEST).sqrt().clamp(TIGHT, 0.5 * OPENED)
}

/// Slope and curvature of a tight gap. Its own would open it by no more than the gap itself in an iteration, and would be so stiff
/// beside the threads that single precision forgets them: such a pair held up all the cloth for good. It pushes as much as the heaviest
/// load can press, that at the `least` gap that is not tight, and opens by [`OPENED`] if nothing does.
fn opening(law: Law, least: f64, reach: f64) -> (f64, f64) {
    let Value { slope, curvature, .. } = law.evaluate(least, reach);
    (slope, curvature.min(-slope / (OPENED * reach)))
}

/// Factor of nearly parallel edges, 0 to 1, and its gradient.
fn mollifier(y: &[DVec3; 4]) -> (f64, [DVec3; 4]) {
    let (a, b) = (y[1] - y[0], y[3] - y[2]);
    let cross = a.cross(b);
    let (aa, bb) = (a.length_squared(), b.length_squared());
    let q = cross.length_squared() / (PARALLEL * aa * bb);
    // An edge without length has no direction: not parallel to anything.
    if q >= 1.0 || q.is_nan() {
        return (1.0, [DVec3::ZERO; 4]);
    }
    // m = q (2 − q); q by a and b, with |a|² and |b|² below.
    let slope = 2.0 - 2.0 * q;
    let scale = 2.0 / (PARALLEL * aa * bb);
    let by_a = (b.cross(cross) * scale - a * (2.0 * q / aa)) * slope;
    let by_b = (cross.cross(a) * scale - b * (2.0 * q / bb)) * slope;
    (q * (2.0 - q), [-by_a, by_a, -by_b, by_b])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tight_gap_is_opened_by_its_force_at_once_and_single_precision_bears_it() {
        let reach = 2e-3;
        for law in Law::ALL {
            for least in [TIGHT * reach, 0.5 * OPENED * reach] {
                let (slope, curvature) = opening(law, least, reach);
                let own = law.evaluate(0.01 * least, reach);
                assert!(curvature <= own.curvature && -slope <= -own.slope, "{law:?}");
                let opened = -slope / curvature;
                assert!(opened > 0.99 * OPENED * reach, "{law:?}: {opened}");
            }
            let (_, curvature) = opening(law, TIGHT * reach, reach);
            // Beside a contact at a tenth of the reach, a hundred thousand times as stiff at most.
            let soft = law.evaluate(0.1 * reach, reach).curvature;
            assert!(curvature < 1e5 * soft, "{law:?}: {curvature} {soft}");
        }
    }

    #[test]
    fn no_gap_is_stiffer_than_single_precision_bears() {
        let reach = 2e-3;
        for law in [Law::Log, Law::TwoStage] {
            assert_eq!(tight_below(law, 1.0), TIGHT, "soft contacts are as they were");
            for stiffness in [30.0, 1e3, 1e5, 1e6] {
                let least = tight_below(law, stiffness) * reach;
                for part in [0.01, 0.5, 0.999, 1.0, 2.0] {
                    let curvature = if part < 1.0 {
                        opening(law, least, reach).1
                    } else {
                        law.evaluate(part * least, reach).curvature
                    };
                    assert!(stiffness * curvature < 3.0 * STIFFEST, "{law:?} {stiffness} {part}");
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
