//! The contacts of a state, for those who want to read them: pressure maps, sound, tests.

use super::candidates::CLOTH;
use super::contact::Contacts;
use super::feasibility::Nearby;
use super::newton::Failure;
use super::solver::Solver;
use glam::DVec3;

/// Two features that press on each other, with the barrier between them. If one is of a body, the other is the first.
///
/// The force on vertex `vertices[i]` is `weights[i] * force * normal`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// The vertices of the two features; none for those of a body, and for those without a part in the closest points.
    pub vertices: [Option<u32>; 4],
    /// Parts of the vertices in the closest points: those of the first feature are positive and add up to 1, those of the second are
    /// negative and add up to −1.
    pub weights: [f64; 4],
    /// Number of the body; none if both features are cloth.
    pub body: Option<u32>,
    /// The closest point of the first feature [m].
    pub point: DVec3,
    /// Unit vector from the second feature to the first: away from a body.
    pub normal: DVec3,
    /// Distance beyond what is kept between surfaces [m].
    pub gap: f64,
    /// Normal force [N].
    pub force: f64,
    /// Coefficient of friction.
    pub friction: f64,
}

impl Solver {
    /// All contacts of a state, in the order of the pairs.
    pub(crate) fn list_contacts(
        &mut self,
        x: &[DVec3],
        v: &[DVec3],
        t: f64,
        h: f64,
    ) -> Result<Vec<Contact>, Failure> {
        let n = self.masses.len();
        let Nearby { y, mut pairs } = self.nearby(x, t)?;
        let mut ends = y.clone();
        ends.iter_mut().zip(v).for_each(|(end, v)| *end += *v * h);
        self.note_start(&y, &ends, h);
        for pair in &mut pairs {
            pair.below_separation = self.is_below_separation(pair, &y);
            pair.stiffness = self.stiffness_of(pair);
        }
        let mut active = Contacts::default();
        active.find(&self.contact_model, &pairs, &y);
        active.number(&mut pairs);
        let listed = pairs.iter().filter_map(|pair| Some((pair.body, active.of_candidate(pair)?)));
        Ok(listed.map(|(body, contact)| public_contact(body, contact, &y, n)).collect())
    }

    /// Takes up other coefficients of friction: of each vertex, and of each body that has its own.
    pub(crate) fn set_friction(&mut self, cloth: &std::sync::Arc<[f64]>, bodies: &[Option<f64>]) {
        self.contact_model.set_friction(cloth, bodies);
    }
}

/// A contact as readers see it, with all points at `y`, the first `n` of which are cloth.
fn public_contact(body: u32, contact: &super::contact::Contact, y: &[DVec3], n: usize) -> Contact {
    let points = contact.points();
    let is_cloth = |k: usize| (points[k] as usize) < n;
    // A vertex of a body above a face of cloth: the other way round.
    let turned = (0..4).any(|k| contact.weights[k] > 0.0 && !is_cloth(k));
    let sign = if turned { -1.0 } else { 1.0 };
    let weights = contact.weights.map(|w| w * sign);
    let part = |k: usize| y[points[k] as usize] * weights[k];
    Contact {
        vertices: std::array::from_fn(|k| (is_cloth(k) && weights[k] != 0.0).then_some(points[k])),
        weights,
        body: (body != CLOTH).then_some(body),
        point: (0..4).filter(|k| weights[*k] > 0.0).map(part).sum(),
        normal: contact.normal * sign,
        gap: contact.gap,
        force: contact.force(),
        friction: contact.friction,
    }
}
