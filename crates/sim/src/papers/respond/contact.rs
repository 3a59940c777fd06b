//! A collision that needs a response.

use glam::DVec3;

/// Cloth particles and, perhaps, a body that are about to meet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// When, as a fraction of the step.
    pub time: f64,
    /// The cloth vertices that take part; the first `count` are meant.
    pub vertices: [u32; 4],
    /// How many.
    pub count: u8,
    /// Weights of the vertices in the gap vector `Σ w x − (body)`, which points along the normal.
    pub weights: [f64; 4],
    /// Unit direction along which the gap is to be kept open.
    pub normal: DVec3,
    /// The body, and the velocity of its surface there [m/s].
    pub body: Option<(u32, DVec3)>,
    /// Coulomb friction.
    pub friction: f64,
    /// How much the gap at the start of the step falls short of the separation [m].
    pub deficit: f64,
}

impl Contact {
    /// The cloth vertices.
    #[inline]
    pub fn vertices(&self) -> &[u32] {
        &self.vertices[..self.count as usize]
    }
}
