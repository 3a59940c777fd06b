//! A field that is fine near the surface only.
//!
//! The grid is cut into blocks of 8³ cells. A block that comes nearer to the surface than the
//! margin holds its own 9³ nodes; all others are single coarse cells with exact values at their
//! corners. In coarse cells the sign is right and the distance good to the size of a block, also
//! deep inside, so that a lost point finds its way out.

use super::error::SolidError;
use super::grid::{Grid, Sample, Signs, Spacing, trilinear};
use super::solid::Solid;
use super::spread::{Known, NodeBox, near_triangles, spread_all};
use glam::{DVec3, USizeVec3};
use rayon::prelude::*;

/// Cells along the side of a block.
const SIDE: usize = 8;
/// Nodes of a block, its far sides included, so that sampling looks into one block only.
const NODES: usize = (SIDE + 1) * (SIDE + 1) * (SIDE + 1);
/// No fine block here.
const NONE: u32 = u32::MAX;

/// Signed distances in fine blocks near the surface and coarse ones elsewhere.
///
/// ```
/// use glam::DVec3;
/// use toile_collide::field::{Solid, Spacing, SparseField};
/// use toile_mesh::shape;
///
/// let ball = shape::sphere(0.5, 3);
/// let solid = Solid::new(&ball.positions, &ball.triangles)?;
/// let field = SparseField::new(&solid, Spacing::cell(0.05))?;
/// let sample = field.sample(DVec3::X * 0.52).expect("near the surface");
/// assert!((sample.distance - 0.02).abs() < 0.01 && sample.gradient.x > 0.9);
/// # Ok::<(), toile_collide::field::SolidError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct SparseField {
    grid: Grid,
    bounds: (DVec3, DVec3),
    blocks: USizeVec3,
    /// Exact distances at the corners of blocks.
    coarse: Vec<f32>,
    /// Which fine block each block has.
    fine_of: Vec<u32>,
    fine: Vec<f32>,
}

impl SparseField {
    /// The field of a solid.
    ///
    /// # Errors
    /// If the spacing is not positive, or the whole grid would have more than 2²⁸ nodes.
    pub fn new(solid: &Solid, spacing: Spacing) -> Result<Self, SolidError> {
        let grid = Grid::around(solid, spacing, SIDE)?;
        let blocks = grid.cells / SIDE;
        let signs = Signs::new(solid, grid);
        let coarse = coarse_values(solid, &signs, &grid);
        // All corners of cells that reach into the margin.
        let band = spacing.margin + 3.0_f64.sqrt() * grid.cell;
        // A block is near if a triangle's box comes near it and its middle is not too far away.
        let size = SIDE as f64 * grid.cell;
        let reach = 0.5 * 3.0_f64.sqrt() * size * (1.0 + 1e-9) + spacing.margin;
        let corners = |b: usize| {
            let first = SIDE * unravel(b, blocks);
            let lo = grid.node(first.x, first.y, first.z);
            (lo - band, lo + size + band)
        };
        let near: Vec<bool> = (0..blocks.element_product())
            .into_par_iter()
            .map(|b| {
                let (lo, hi) = corners(b);
                let mut any = false;
                solid.triangles_in(lo, hi, |_| any = true);
                any && solid.nearest(0.5 * (lo + hi)).distance <= reach
            })
            .collect();
        let kept: Vec<usize> = (0..near.len()).filter(|b| near[*b]).collect();
        let mut fine_of = vec![NONE; near.len()];
        for (f, b) in kept.iter().enumerate() {
            fine_of[*b] = f as u32;
        }
        let mut fine = vec![0.0; kept.len() * NODES];
        fine.par_chunks_mut(NODES).zip(&kept).for_each(|(values, b)| {
            let (lo, hi) = corners(*b);
            let mut triangles = Vec::new();
            solid.triangles_in(lo, hi, |t| triangles.push(t));
            triangles.sort_unstable();
            fill_block(&signs, SIDE * unravel(*b, blocks), band, &triangles, values);
        });
        Ok(Self { grid, bounds: solid.bounds(), blocks, coarse, fine_of, fine })
    }

    /// Distance and gradient at a point, `None` outside the grid: then the point is outside the
    /// body and at least the margin away. Farther from the surface than the margin the values are
    /// coarse.
    pub fn sample(&self, p: DVec3) -> Option<Sample> {
        let (c, t) = self.grid.locate(p)?;
        let b = c / SIDE;
        let within = c - SIDE * b;
        let n = SIDE + 1;
        match self.fine_of[(b.z * self.blocks.y + b.y) * self.blocks.x + b.x] {
            NONE => {
                let t = (within.as_dvec3() + t) / SIDE as f64;
                let m = self.blocks + 1;
                let corner = |i: usize| {
                    let (di, dj, dk) = (i & 1, i >> 1 & 1, i >> 2);
                    self.coarse[((b.z + dk) * m.y + b.y + dj) * m.x + b.x + di]
                };
                Some(trilinear(std::array::from_fn(corner), t, SIDE as f64 * self.grid.cell))
            }
            f => {
                let first = f as usize * NODES + (within.z * n + within.y) * n + within.x;
                let corner = |i: usize| {
                    let (di, dj, dk) = (i & 1, i >> 1 & 1, i >> 2);
                    self.fine[first + (dk * n + dj) * n + di]
                };
                Some(trilinear(std::array::from_fn(corner), t, self.grid.cell))
            }
        }
    }

    /// A bound from below on the signed distance, at any point [m]. Not across holes, where the sign
    /// jumps.
    pub fn distance_at_least(&self, p: DVec3) -> f64 {
        match self.sample(p) {
            // A bound need not be sharp: coarse values, and fine ones beyond the margin, which come
            // from the triangles around the block alone, are off by less than its diagonal.
            Some(s) => self.grid.at_least(s.distance, 2 * SIDE),
            None => Grid::outside(self.bounds.0, self.bounds.1, p),
        }
    }

    /// How many values are stored.
    pub fn len(&self) -> usize {
        self.coarse.len() + self.fine.len()
    }

    /// Never true: a solid has some extent.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Size of a fine cell [m].
    pub fn cell(&self) -> f64 {
        self.grid.cell
    }
}

/// Exact distances at the corners of all blocks.
fn coarse_values(solid: &Solid, signs: &Signs<'_>, grid: &Grid) -> Vec<f32> {
    let blocks = grid.cells / SIDE;
    let m = blocks + 1;
    let mut coarse = vec![0.0_f32; m.element_product()];
    coarse.par_chunks_mut(m.x).enumerate().for_each(|(r, row)| {
        let (j, k) = (SIDE * (r % m.y), SIDE * (r / m.y));
        let mut inside = vec![false; grid.cells.x + 1];
        signs.row(0, j, k, inside.len(), &mut inside);
        for (b, value) in row.iter_mut().enumerate() {
            let distance = solid.nearest(grid.node(SIDE * b, j, k)).distance;
            *value = if inside[SIDE * b] { -distance } else { distance } as f32;
        }
    });
    coarse
}

/// Signed distances of the nodes of a block, from the triangles in a band around it.
fn fill_block(
    signs: &Signs<'_>,
    first: USizeVec3,
    band: f64,
    triangles: &[u32],
    values: &mut [f32],
) {
    let (solid, grid) = (signs.solid, &signs.grid);
    let n = SIDE + 1;
    let space = NodeBox { first, size: USizeVec3::splat(n) };
    let mut known = vec![Known::NOTHING; NODES];
    near_triangles(solid, grid, band, space, triangles, &mut known);
    if known.iter().all(|k| k.distance.is_infinite()) {
        // Only if rounding puts all triangles just outside the band.
        let nearest = solid.nearest(grid.node(first.x, first.y, first.z));
        known[0] = Known { distance: nearest.distance, triangle: nearest.triangle };
    }
    spread_all(solid, grid, space, false, &mut known);
    let mut inside = [false; SIDE + 1];
    for (r, row) in values.chunks_mut(n).enumerate() {
        signs.row(first.x, first.y + r % n, first.z + r / n, n, &mut inside);
        for (i, value) in row.iter_mut().enumerate() {
            let d = known[r * n + i].distance;
            *value = if inside[i] { -d } else { d } as f32;
        }
    }
}

fn unravel(b: usize, blocks: USizeVec3) -> USizeVec3 {
    USizeVec3::new(b % blocks.x, b / blocks.x % blocks.y, b / (blocks.x * blocks.y))
}
