//! Coulomb friction that sticks.
//!
//! Each contact has an anchor: how far its nearest points have slid against each other while they stuck,
//! u. The force is μ N u/ε up to the slip ε and μ N from there on, against the sliding: a return
//! mapping. As u is kept from step to step, what sticks does not creep, however long it is pulled.
//! Normal, weights and N are those of the begin of the step (lagged), so that friction has a potential.
//!
//! That potential has nearly a kink at the slip. What sticks is too stiff to let go, and what slides has no curvature along
//! its way and is shot back over the kink. The first iterations of a step therefore take a part of the curvature of the parabola
//! that touches |u| at ℓ and lies above it, 1/ℓ ([`Curvature`]), for contacts that slide fast; the last ones, which decide how exact
//! a step is, take its own, and so does what sticks or creeps, which would be held back for long. Where cloth is heaped up the last ones
//! would begin the shooting anew, between thousands of contacts: there all take that of the parabola.

use super::contact::{Contact, Contacts};
use super::pairs::{self, Near};
use glam::{DMat3, DVec3};

/// Iterations of a step that foresee how far contacts slide.
const FORESEEN: u32 = 3;
/// Iterations of a step that take a curvature along the slide.
const ABOVE: u32 = 12;
/// Contacts that slide this many slips in a step are fast.
const FAST: f64 = 3.0;
/// Part of the curvature of the parabola above that is taken along the slide.
const ALONG: f64 = 0.5;

/// Which curvature friction has for Newton's method.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Curvature {
    /// That of a parabola above it, which touches it as far out as the step was expected to slide, or has.
    Foreseen,
    /// The same, as far out as it has slid.
    Above,
    /// Its own: none along the slide.
    Exact,
}

impl Curvature {
    /// What is taken in an iteration of a step, from 1, where cloth is heaped up or is not.
    pub(super) fn at(iteration: u32, heaped: bool) -> Self {
        if iteration <= FORESEEN {
            Self::Foreseen
        } else if iteration <= ABOVE || heaped {
            Self::Above
        } else {
            Self::Exact
        }
    }
}

/// The anchors of sticking pairs, sorted.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Anchors {
    /// The pairs: their points, and a bit for edges.
    pub keys: Vec<[u32; 4]>,
    /// How far each has slid while it stuck [m].
    pub slid: Vec<DVec3>,
}

impl Anchors {
    /// How many are between the first `points` points alone.
    pub(super) fn within(&self, points: usize) -> usize {
        let own = |key: &&[u32; 4]| pairs::points(**key).iter().all(|p| (*p as usize) < points);
        self.keys.iter().filter(own).count()
    }

    fn of(&self, key: [u32; 4]) -> DVec3 {
        self.keys.binary_search(&key).map_or(DVec3::ZERO, |i| self.slid[i])
    }
}

/// Friction of one contact, while normal and force are kept.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rub {
    key: [u32; 4],
    pub(super) weights: [f64; 4],
    normal: DVec3,
    /// Slid before this step [m].
    before: DVec3,
    /// μ N [N].
    limit: f64,
    /// How far it would slide within the step if all went on as before [m].
    foreseen: f64,
}

impl Rub {
    /// Friction of a contact; none if nothing presses.
    pub(super) fn of(contact: &Contact, anchors: &Anchors) -> Option<Self> {
        let limit = contact.friction * contact.force();
        let across = |u: DVec3| u - contact.normal * contact.normal.dot(u);
        let key = contact.key();
        (limit > 0.0 && limit.is_finite()).then(|| Self {
            key,
            weights: contact.weights,
            normal: contact.normal,
            before: across(anchors.of(key)),
            limit,
            foreseen: 0.0,
        })
    }

    pub(super) fn points(&self) -> [u32; 4] {
        pairs::points(self.key)
    }

    /// Takes note of how far it slides if all go from `start` to `ends`.
    pub(super) fn foresee(&mut self, start: &[DVec3], ends: &[DVec3]) {
        self.foreseen = self.slid(ends, start).length();
    }

    /// How far it has slid since it stuck.
    fn slid(&self, y: &[DVec3], start: &[DVec3]) -> DVec3 {
        let mut way = DVec3::ZERO;
        for (p, w) in self.points().into_iter().zip(self.weights) {
            way += (y[p as usize] - start[p as usize]) * w;
        }
        self.before + way - self.normal * self.normal.dot(way)
    }

    pub(super) fn energy(&self, y: &[DVec3], start: &[DVec3], slip: f64) -> f64 {
        let u = self.slid(y, start).length();
        self.limit * if u < slip { 0.5 * u * u / slip } else { u - 0.5 * slip }
    }

    /// Force on the first feature with its sign turned, and its stiffness.
    pub(super) fn pull(
        &self,
        (y, start): (&[DVec3], &[DVec3]),
        slip: f64,
        curvature: Curvature,
    ) -> (DVec3, DMat3) {
        let u = self.slid(y, start);
        let length = u.length();
        let outer = crate::element::definite::outer;
        let plane = DMat3::IDENTITY - outer(self.normal, self.normal);
        let fast = self.foreseen.max(length) > FAST * slip;
        let curvature = if fast { curvature } else { Curvature::Exact };
        let out = match curvature {
            Curvature::Foreseen => length.max(self.foreseen),
            _ => length.max(slip),
        };
        if length < slip {
            return (u * (self.limit / slip), plane * (self.limit / out));
        }
        let d = u / length;
        let along = if curvature == Curvature::Exact { 0.0 } else { ALONG };
        (d * self.limit, (plane - outer(d, d) * (1.0 - along)) * (self.limit / out))
    }

    /// What is left to stick to after the step.
    pub(super) fn anchor(&self, y: &[DVec3], start: &[DVec3], slip: f64) -> DVec3 {
        self.slid(y, start).clamp_length_max(slip)
    }
}

/// What rubs among the contacts of these pairs; both take note of it.
pub(super) fn rubs(contacts: &mut Contacts, anchors: &Anchors, pairs: &mut [Near]) -> Vec<Rub> {
    let mut rubs = Vec::with_capacity(contacts.len());
    // Contacts are in the order of their pairs.
    let mut pairs = pairs.iter_mut();
    for contact in contacts.iter_mut() {
        let Some(rub) = Rub::of(contact, anchors) else { continue };
        contact.rub = rubs.len() as u32;
        if let Some(pair) = pairs.find(|p| p.key() == rub.key) {
            pair.rub = contact.rub;
        }
        rubs.push(rub);
    }
    rubs
}

/// The anchors after a step.
pub(super) fn anchors(rubs: &[Rub], y: &[DVec3], start: &[DVec3], slip: f64) -> Anchors {
    let mut all: Vec<([u32; 4], DVec3)> =
        rubs.iter().map(|r| (r.key, r.anchor(y, start, slip))).collect();
    all.sort_unstable_by_key(|(key, _)| *key);
    let (keys, slid) = all.into_iter().unzip();
    Anchors { keys, slid }
}
