//! Coulomb friction that sticks.
//!
//! Each contact has an anchor: how far its nearest points have slid against each other while they stuck,
//! u. The force is μ N u/ε up to the slip ε and μ N from there on, against the sliding: a return
//! mapping. As u is kept from step to step, what sticks does not creep, however long it is pulled.
//! Normal, weights and N are those of the begin of the step (lagged), so that friction has a potential.
//!
//! That potential has nearly a kink: the slip is a hundredth of a millimetre or two, what slides does so by a
//! hundred times that in a step. Its own curvature is a bad guide for Newton's method. It is stiff up to the slip,
//! so what should let go creeps; beyond it there is none along the way, so what should stop is shot back
//! over the kink. The system has a part of μ N/ℓ instead, ℓ the way that is slid in the end as far as it is known. All
//! of it would lie above the kink everywhere [weiszfeld1937], safe and slow; what slides on for many iterations
//! is let go.

use super::contact::Contact;
use glam::{DMat3, DVec3};

/// Iterations in which what was foreseen counts.
const FORESEEN: u32 = 3;
/// Part of μ N/ℓ along the way to begin with …
const ALONG: f64 = 0.5;
/// … and iteration from which on it falls, if what is left creeps.
const LATE: u32 = 4;
/// A system that promises too little was too stiff, one that promises too much was too soft.
const STIFF: f64 = 0.7;
const SOFT: f64 = 0.3;

/// How friction is put into the system of an iteration.
#[derive(Clone, Copy, Debug)]
pub(super) struct Guide {
    /// Part of μ N/ℓ along the way.
    pub(super) along: f64,
    /// Whether what was foreseen when the step began tells ℓ better than how far it has slid so far.
    pub(super) foreseen: bool,
}

impl Guide {
    pub(super) fn new() -> Self {
        Self { along: ALONG, foreseen: true }
    }

    /// What the iteration after this one may use.
    pub(super) fn go_on(&mut self, iteration: u32) {
        self.foreseen = iteration < FORESEEN;
    }

    /// Learns from an iteration: the decrease by a whole step over what its slope promised, which is a half if the
    /// system was right.
    pub(super) fn learn(&mut self, iteration: u32, kept: f64) {
        if kept < SOFT {
            self.along = ALONG;
        } else if kept > STIFF && iteration >= LATE {
            self.along *= 0.25;
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
    fn of(&self, key: [u32; 4]) -> DVec3 {
        self.keys.binary_search(&key).map_or(DVec3::ZERO, |i| self.slid[i])
    }
}

/// Friction of one contact, while normal and force are kept.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rub {
    key: [u32; 4],
    pub(super) points: [u32; 4],
    pub(super) weights: [f64; 4],
    normal: DVec3,
    /// Slid before this step [m].
    before: DVec3,
    /// μ N [N].
    limit: f64,
    /// How far it will have slid if all goes on as it moves [m].
    expected: f64,
}

impl Rub {
    /// Friction of a contact; none if nothing presses.
    pub(super) fn of(contact: &Contact, anchors: &Anchors) -> Option<Self> {
        let limit = contact.friction * contact.force();
        let across = |u: DVec3| u - contact.normal * contact.normal.dot(u);
        let key = contact.key();
        (limit > 0.0 && limit.is_finite()).then(|| Self {
            key,
            points: contact.points,
            weights: contact.weights,
            normal: contact.normal,
            before: across(anchors.of(key)),
            limit,
            expected: 0.0,
        })
    }

    /// Takes up where the points would be at the end of the step if all went on as it moves.
    pub(super) fn expect(&mut self, ends: &[DVec3], start: &[DVec3]) {
        self.expected = self.slid(ends, start).length();
    }

    /// How far it has slid since it stuck.
    fn slid(&self, y: &[DVec3], start: &[DVec3]) -> DVec3 {
        let mut way = DVec3::ZERO;
        for (p, w) in self.points.iter().zip(&self.weights) {
            way += (y[*p as usize] - start[*p as usize]) * *w;
        }
        self.before + way - self.normal * self.normal.dot(way)
    }

    pub(super) fn energy(&self, y: &[DVec3], start: &[DVec3], slip: f64) -> f64 {
        let u = self.slid(y, start).length();
        self.limit * if u < slip { 0.5 * u * u / slip } else { u - 0.5 * slip }
    }

    /// Force on the first feature with its sign turned, and the stiffness for the system.
    pub(super) fn pull(
        &self,
        y: &[DVec3],
        start: &[DVec3],
        slip: f64,
        guide: Guide,
    ) -> (DVec3, DMat3) {
        let u = self.slid(y, start);
        let length = u.length();
        let far = length.max(slip).max(if guide.foreseen { self.expected } else { 0.0 });
        let outer = crate::element::definite::outer;
        let plane = DMat3::IDENTITY - outer(self.normal, self.normal);
        if length < slip {
            return (u * (self.limit / slip), plane * (self.limit / far));
        }
        let d = u / length;
        (d * self.limit, (plane - outer(d, d) * (1.0 - guide.along)) * (self.limit / far))
    }

    /// What is left to stick to after the step.
    pub(super) fn anchor(&self, y: &[DVec3], start: &[DVec3], slip: f64) -> DVec3 {
        self.slid(y, start).clamp_length_max(slip)
    }
}

/// The anchors after a step.
pub(super) fn anchors(rubs: &[Rub], y: &[DVec3], start: &[DVec3], slip: f64) -> Anchors {
    let mut all: Vec<([u32; 4], DVec3)> =
        rubs.iter().map(|r| (r.key, r.anchor(y, start, slip))).collect();
    all.sort_unstable_by_key(|(key, _)| *key);
    let (keys, slid) = all.into_iter().unzip();
    Anchors { keys, slid }
}
