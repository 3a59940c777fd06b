//! A field with a value at every node of its grid.

use super::error::SolidError;
use super::grid::{Grid, Sample, Signs, Spacing, trilinear};
use super::solid::Solid;
use super::spread::all_nodes;
use glam::DVec3;
use rayon::prelude::*;

/// Signed distances at all nodes of a regular grid, in 32-bit numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct DenseField {
    grid: Grid,
    bounds: (DVec3, DVec3),
    /// x runs fastest, then y.
    values: Vec<f32>,
}

impl DenseField {
    /// The field of a solid.
    ///
    /// # Errors
    /// If the spacing is not positive, or the grid would have more than 2²⁸ nodes.
    pub fn new(solid: &Solid, spacing: Spacing) -> Result<Self, SolidError> {
        let grid = Grid::around(solid, spacing, 1)?;
        let n = grid.nodes();
        let signs = Signs::new(solid, grid);
        // The corners of all cells that the surface passes through are in the band.
        let known = all_nodes(solid, &grid, 2.0 * grid.cell);
        let mut values = vec![0.0_f32; known.len()];
        let rows = values.par_chunks_mut(n.x).zip(known.par_chunks(n.x)).enumerate();
        rows.for_each_init(
            || vec![false; n.x],
            |inside, (r, (row, known))| {
                signs.row(0, r % n.y, r / n.y, n.x, inside);
                for (i, value) in row.iter_mut().enumerate() {
                    let d = known[i].distance;
                    *value = if inside[i] { -d } else { d } as f32;
                }
            },
        );
        Ok(Self { grid, bounds: solid.bounds(), values })
    }

    /// Distance and gradient at a point, `None` outside the grid: then the point is outside the
    /// body and at least the margin away.
    pub fn sample(&self, p: DVec3) -> Option<Sample> {
        let (c, t) = self.grid.locate(p)?;
        let n = self.grid.nodes();
        let first = (c.z * n.y + c.y) * n.x + c.x;
        let corner = |i: usize| {
            let (di, dj, dk) = (i & 1, i >> 1 & 1, i >> 2);
            self.values[first + (dk * n.y + dj) * n.x + di]
        };
        Some(trilinear(std::array::from_fn(corner), t, self.grid.cell))
    }

    /// A bound from below on the signed distance, at any point [m]. Not across holes, where the sign
    /// jumps.
    pub fn distance_at_least(&self, p: DVec3) -> f64 {
        match self.sample(p) {
            // Twice the error of interpolation: spreading may have missed part of a cell.
            Some(s) => self.grid.at_least(s.distance, 2),
            None => Grid::outside(self.bounds.0, self.bounds.1, p),
        }
    }

    /// How many values are stored.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Never true: a solid has some extent.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Size of a cell [m].
    pub fn cell(&self) -> f64 {
        self.grid.cell
    }
}
