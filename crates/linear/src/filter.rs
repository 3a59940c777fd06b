//! Constraints on single vertices as projections [baraff1998].
//!
//! Sᵢ = 0 for a vertex that is fixed, I − n nᵀ for one that moves in a plane, d dᵀ for one that
//! moves on a line. Filtered conjugate gradients solve S A S x = S b in the free directions and leave the rest
//! of x as it was given.

use super::{Block, Error, Pattern};
use glam::{DMat3, DVec3};

/// Remaining degrees of freedom of a vertex.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Constraint {
    /// Nothing.
    Fixed,
    /// Move at right angles to a normal (of any length but zero).
    Plane(DVec3),
    /// Move along a direction (of any length but zero).
    Line(DVec3),
}

impl Constraint {
    /// The projection onto the free directions; a normal or direction of no length frees or holds
    /// the vertex altogether.
    pub fn projection(self) -> DMat3 {
        let onto = |d: DVec3| {
            let d = d.normalize_or_zero();
            DMat3::from_cols(d * d.x, d * d.y, d * d.z)
        };
        match self {
            Self::Fixed => DMat3::ZERO,
            Self::Plane(n) => DMat3::IDENTITY - onto(n),
            Self::Line(d) => onto(d),
        }
    }
}

/// Constraints of some vertices; the others are free.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Filter {
    vertices: Vec<u32>,
    projections: Vec<DMat3>,
}

impl Filter {
    /// Constraints of single vertices, at most one each (the last one holds).
    pub fn new(rows: usize, constraints: &[(u32, Constraint)]) -> Result<Self, Error> {
        let mut sorted: Vec<_> = constraints.iter().enumerate().map(|(k, c)| (c.0, k)).collect();
        sorted.sort_unstable();
        let mut filter = Self::default();
        for (vertex, k) in sorted {
            if vertex as usize >= rows {
                return Err(Error::VertexOutOfRange { element: k, vertex, vertices: rows });
            }
            if filter.vertices.last() == Some(&vertex) {
                filter.vertices.pop();
                filter.projections.pop();
            }
            filter.vertices.push(vertex);
            filter.projections.push(constraints[k].1.projection());
        }
        Ok(filter)
    }

    /// Whether nothing is constrained.
    pub fn is_empty(&self) -> bool {
        self.vertices.is_empty()
    }

    /// x ← S x.
    pub fn project_free(&self, x: &mut [DVec3]) {
        for (i, s) in self.vertices.iter().zip(&self.projections) {
            x[*i as usize] = *s * x[*i as usize];
        }
    }

    /// y ← (I − S) x: what is prescribed.
    pub fn project_prescribed(&self, x: &[DVec3], y: &mut [DVec3]) {
        y.fill(DVec3::ZERO);
        for (i, s) in self.vertices.iter().zip(&self.projections) {
            let i = *i as usize;
            y[i] = x[i] - *s * x[i];
        }
    }

    /// A ← S A S + (I − S) a, for [`super::BlockCsr::constrain`].
    pub(super) fn constrain<B: Block>(&self, pattern: &Pattern, values: &mut [B::Stored]) {
        for (i, s) in self.vertices.iter().zip(&self.projections) {
            let own = pattern.diagonal[*i as usize] as usize;
            let size = B::load(&values[own]).size();
            let size = if size > 0.0 { size } else { 1.0 };
            let (free, held) = (B::from_f64(s), B::from_f64(&((DMat3::IDENTITY - *s) * size)));
            for (slot, j) in pattern.slots(*i as usize).zip(pattern.row(*i as usize)) {
                values[slot] = (free * B::load(&values[slot])).store();
                if let Some(mirror) = pattern.slot(*j, *i) {
                    values[mirror] = (B::load(&values[mirror]) * free).store();
                }
            }
            held.add_to(&mut values[own]);
        }
    }
}
