//! Coulomb friction that sticks.
//!
//! Each contact stores the tangential displacement u of its closest points since it stuck (its anchor). The force is μ N u/ε for |u| < ε
//! and μ N beyond, against the sliding: a return
//! mapping with the regularisation ε = `epsu`, which is epsv h in IPC. As u is kept from step to step, what sticks does not creep, however
//! long it is pulled. Normal, weights and N are lagged: those of the start of the step, so that friction has a potential.
//!
//! That potential has nearly a kink at ε. What sticks is too stiff to let go, and what slides has no curvature along
//! the slide, so that Newton overshoots the kink back and forth. The first iterations of a step therefore majorise: they take a part of
//! the curvature 1/ℓ of the parabola that touches |u| at ℓ and lies above it ([`FrictionHessian`]), for contacts that slide fast; the last
//! ones, which decide how exact a step is, take the exact one, and so does what sticks or creeps, which would be held back. In dense
//! self-contact the overshooting would begin again between thousands of contacts: there all iterations majorise.

use super::candidates::{self, Candidate};
use super::contact::{Contact, Contacts};
use glam::{DMat3, DVec3};
use serde::{Deserialize, Serialize};

/// Iterations of a step that predict the slide.
const PREDICTED_ITERATIONS: u32 = 3;
/// Iterations of a step that majorise friction along the slide.
const MAJORISED_ITERATIONS: u32 = 12;
/// Slides of so many ε in a step are fast.
const FAST_SLIDE: f64 = 3.0;
/// Fraction of the curvature of the majorising parabola that is taken along the slide.
const TANGENT_FRACTION: f64 = 0.5;

/// Which Hessian friction has in an iteration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum FrictionHessian {
    /// That of a majorising parabola, which touches at the predicted or the actual slide, whichever is larger.
    Predicted,
    /// The same, at the actual slide.
    Majorised,
    /// The exact one: zero along the slide.
    Exact,
}

impl FrictionHessian {
    /// The one of an iteration of a step, from 1, with dense self-contact or without.
    pub(super) fn at(iteration: u32, dense: bool) -> Self {
        if iteration <= PREDICTED_ITERATIONS {
            Self::Predicted
        } else if iteration <= MAJORISED_ITERATIONS || dense {
            Self::Majorised
        } else {
            Self::Exact
        }
    }
}

/// Stored tangential displacements of sticking contacts, sorted.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Anchors {
    /// Identities of the pairs: their points, and a bit for edges.
    pub keys: Vec<[u32; 4]>,
    /// Tangential displacement of each since it stuck [m].
    pub displacements: Vec<DVec3>,
}

impl Anchors {
    /// How many are between the first `points` points alone.
    pub(super) fn within(&self, points: usize) -> usize {
        let own =
            |key: &&[u32; 4]| candidates::points(**key).iter().all(|p| (*p as usize) < points);
        self.keys.iter().filter(own).count()
    }

    fn displacement(&self, key: [u32; 4]) -> DVec3 {
        self.keys.binary_search(&key).map_or(DVec3::ZERO, |i| self.displacements[i])
    }
}

/// Friction of one contact, with lagged normal and normal force.
#[derive(Clone, Copy, Debug)]
pub(super) struct FrictionContact {
    key: [u32; 4],
    pub(super) weights: [f64; 4],
    normal: DVec3,
    /// Tangential displacement before this step [m].
    stored_displacement: DVec3,
    /// μ N [N].
    limit: f64,
    /// Predicted tangential displacement in the step, at constant velocity [m].
    predicted_slide: f64,
}

impl FrictionContact {
    /// Friction of a contact; none without a normal force.
    pub(super) fn new(contact: &Contact, anchors: &Anchors) -> Option<Self> {
        let limit = contact.friction * contact.force();
        let across = |u: DVec3| u - contact.normal * contact.normal.dot(u);
        let key = contact.key();
        (limit > 0.0 && limit.is_finite()).then(|| Self {
            key,
            weights: contact.weights,
            normal: contact.normal,
            stored_displacement: across(anchors.displacement(key)),
            limit,
            predicted_slide: 0.0,
        })
    }

    pub(super) fn points(&self) -> [u32; 4] {
        candidates::points(self.key)
    }

    /// Stores the tangential displacement of a motion from `start` to `ends`.
    pub(super) fn predict_slide(&mut self, start: &[DVec3], ends: &[DVec3]) {
        self.predicted_slide = self.tangential_displacement(ends, start).length();
    }

    /// Tangential displacement since it stuck.
    fn tangential_displacement(&self, y: &[DVec3], start: &[DVec3]) -> DVec3 {
        let mut displacement = DVec3::ZERO;
        for (p, w) in self.points().into_iter().zip(self.weights) {
            displacement += (y[p as usize] - start[p as usize]) * w;
        }
        self.stored_displacement + displacement - self.normal * self.normal.dot(displacement)
    }

    pub(super) fn energy(&self, y: &[DVec3], start: &[DVec3], epsu: f64) -> f64 {
        let u = self.tangential_displacement(y, start).length();
        self.limit * if u < epsu { 0.5 * u * u / epsu } else { u - 0.5 * epsu }
    }

    /// Gradient at the first feature, and the Hessian block.
    pub(super) fn gradient_and_hessian(
        &self,
        y: &[DVec3],
        start: &[DVec3],
        epsu: f64,
        curvature: FrictionHessian,
    ) -> (DVec3, DMat3) {
        let u = self.tangential_displacement(y, start);
        let length = u.length();
        let outer = crate::element::definite::outer;
        let plane = DMat3::IDENTITY - outer(self.normal, self.normal);
        let fast = self.predicted_slide.max(length) > FAST_SLIDE * epsu;
        let curvature = if fast { curvature } else { FrictionHessian::Exact };
        let touching_length = match curvature {
            FrictionHessian::Predicted => length.max(self.predicted_slide),
            _ => length.max(epsu),
        };
        if length < epsu {
            return (u * (self.limit / epsu), plane * (self.limit / touching_length));
        }
        let d = u / length;
        let along = if curvature == FrictionHessian::Exact { 0.0 } else { TANGENT_FRACTION };
        (d * self.limit, (plane - outer(d, d) * (1.0 - along)) * (self.limit / touching_length))
    }

    /// The tangential displacement that is stored after the step.
    pub(super) fn anchor(&self, y: &[DVec3], start: &[DVec3], epsu: f64) -> DVec3 {
        self.tangential_displacement(y, start).clamp_length_max(epsu)
    }
}

/// Friction of the active contacts of these candidates; both store its index.
pub(super) fn friction_contacts(
    contacts: &mut Contacts,
    anchors: &Anchors,
    pairs: &mut [Candidate],
) -> Vec<FrictionContact> {
    let mut friction_contacts = Vec::with_capacity(contacts.len());
    // Contacts are in the order of their candidates.
    let mut pairs = pairs.iter_mut();
    for contact in contacts.iter_mut() {
        let Some(friction_contact) = FrictionContact::new(contact, anchors) else { continue };
        contact.friction_contact = friction_contacts.len() as u32;
        if let Some(pair) = pairs.find(|p| p.key() == friction_contact.key) {
            pair.friction_contact = contact.friction_contact;
        }
        friction_contacts.push(friction_contact);
    }
    friction_contacts
}

/// The stored displacements after a step.
pub(super) fn anchors(
    friction_contacts: &[FrictionContact],
    y: &[DVec3],
    start: &[DVec3],
    epsu: f64,
) -> Anchors {
    let mut all: Vec<([u32; 4], DVec3)> =
        friction_contacts.iter().map(|r| (r.key, r.anchor(y, start, epsu))).collect();
    all.sort_unstable_by_key(|(key, _)| *key);
    let (keys, displacements) = all.into_iter().unzip();
    Anchors { keys, displacements }
}
