//! The contacts of a state, for those who want to read them: pressure maps, sound, tests.

use super::contact::Contacts;
use super::feasibility::Nearby;
use super::newton::Failure;
use super::solver::Solver;
use glam::DVec3;

/// Two features that press on each other, with the barrier between them.
///
/// The force on vertex `vertices[i]` is `weights[i] * force * normal`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// The vertices of the two features; none for those of a body, and for the unused ones of a vertex above a plane.
    pub vertices: [Option<u32>; 4],
    /// Parts of the vertices in the closest points: those of the first feature add up to 1, those of the second to −1.
    pub weights: [f64; 4],
    /// Number of the body; none if both features are cloth.
    pub body: Option<u32>,
    /// The closest point of the first feature [m].
    pub point: DVec3,
    /// Unit vector from the second feature to the first.
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
        let listed = pairs.iter().filter_map(|pair| Some((pair, active.of_candidate(pair)?)));
        let contact = |(pair, c): (&super::candidates::Candidate, &super::contact::Contact)| {
            let points = c.points();
            let first: Vec<(u32, f64)> =
                points.into_iter().zip(c.weights).filter(|(_, w)| *w > 0.0).collect();
            Contact {
                vertices: std::array::from_fn(|k| {
                    let is_cloth = (points[k] as usize) < n && c.weights[k] != 0.0;
                    is_cloth.then_some(points[k])
                }),
                weights: c.weights,
                body: (pair.body != super::candidates::CLOTH).then_some(pair.body),
                point: first.iter().map(|(p, w)| y[*p as usize] * *w).sum(),
                normal: c.normal,
                gap: c.gap,
                force: c.force(),
                friction: c.friction,
            }
        };
        Ok(listed.map(contact).collect())
    }

    /// Takes up other coefficients of friction: of each vertex, and of each body that has its own.
    pub(crate) fn set_friction(&mut self, cloth: &std::sync::Arc<[f64]>, bodies: &[Option<f64>]) {
        self.contact_model.set_friction(cloth, bodies);
    }
}
