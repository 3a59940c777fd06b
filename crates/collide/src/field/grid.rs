//! The regular grid of a field: its nodes, their signs, and interpolation in a cell.

use super::columns::{Columns, Lines, is_sound};
use super::error::SolidError;
use super::solid::Solid;
use glam::{DVec3, USizeVec3};

/// Nodes of the largest grid: a gigabyte of values.
pub(super) const MAX_NODES: usize = 1 << 28;

/// How fine a field is and how far it reaches.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spacing {
    /// Distance of neighbouring nodes [m].
    pub cell: f64,
    /// How far from the surface the field must be fine [m]: the grid extends so far outside
    /// the body, and a [`SparseField`](super::SparseField) has fine blocks up to there.
    pub margin: f64,
}

impl Spacing {
    /// Cells of this size, with a margin of two of them.
    pub fn cell(cell: f64) -> Self {
        Self { cell, margin: 2.0 * cell }
    }

    fn check(&self) -> Result<(), SolidError> {
        for (name, value) in [("cell", self.cell), ("margin", self.margin)] {
            if !(value > 0.0 && value.is_finite()) {
                return Err(SolidError::NotPositive { name, value });
            }
        }
        Ok(())
    }
}

/// Distance and gradient at a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// Signed distance [m], negative inside.
    pub distance: f64,
    /// Its derivative: points outwards; about, but not exactly, of length 1.
    pub gradient: DVec3,
}

/// Where the nodes are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Grid {
    pub(super) origin: DVec3,
    pub(super) cell: f64,
    pub(super) cells: USizeVec3,
}

impl Grid {
    /// A grid around a solid with its margin, of a multiple of `block` cells each way.
    pub(super) fn around(
        solid: &Solid,
        spacing: Spacing,
        block: usize,
    ) -> Result<Self, SolidError> {
        spacing.check()?;
        let (lo, hi) = solid.bounds();
        let wanted = (hi - lo + 2.0 * spacing.margin) / (spacing.cell * block as f64);
        let blocks = wanted.ceil().max(DVec3::ONE);
        let nodes = (blocks * block as f64 + 1.0).to_array().into_iter().product::<f64>();
        if nodes.is_nan() || nodes > MAX_NODES as f64 {
            return Err(SolidError::TooFine { nodes, limit: MAX_NODES });
        }
        let cells = blocks * block as f64;
        let origin = 0.5 * (lo + hi) - 0.5 * spacing.cell * cells;
        let far = origin.abs().max(hi.abs()).max_element();
        // Nodes that coincide in rounding would make cells without size.
        if spacing.cell < 4.0 * f64::EPSILON * far {
            return Err(SolidError::TooFine { nodes: f64::INFINITY, limit: MAX_NODES });
        }
        Ok(Self { origin, cell: spacing.cell, cells: cells.as_usizevec3() })
    }

    pub(super) fn nodes(&self) -> USizeVec3 {
        self.cells + 1
    }

    pub(super) fn node(&self, i: usize, j: usize, k: usize) -> DVec3 {
        self.origin + self.cell * DVec3::new(i as f64, j as f64, k as f64)
    }

    /// The cell of a point and where it lies in the cell, 0 to 1 each way.
    #[inline]
    pub(super) fn locate(&self, p: DVec3) -> Option<(USizeVec3, DVec3)> {
        let at = (p - self.origin) / self.cell;
        let size = self.cells.as_dvec3();
        // Written so that it is false for what is not a number.
        if !(at.cmpge(DVec3::ZERO).all() && at.cmple(size).all()) {
            return None;
        }
        let corner = at.floor().min(size - 1.0);
        Some((corner.as_usizevec3(), at - corner))
    }

    /// A bound from below on the distance where `d` was interpolated in cells of `size` cells: the
    /// field has slope 1, and no point of a cell is farther than half its diagonal from the
    /// weighted mean of its corners. The values are rounded to 32 bits.
    pub(super) fn at_least(&self, d: f64, size: usize) -> f64 {
        let diagonal = 3.0_f64.sqrt() * self.cell * size as f64;
        d - 0.5 * diagonal - f64::from(f32::EPSILON) * (d.abs() + diagonal)
    }

    /// A bound from below on the distance to anything in a box, less its rounding error.
    pub(super) fn outside(lo: DVec3, hi: DVec3, p: DVec3) -> f64 {
        if p.is_nan() {
            return f64::NEG_INFINITY;
        }
        let d = (lo - p).max(p - hi).max(DVec3::ZERO).length();
        let largest = lo.abs().max(hi.abs()).max_element();
        if d.is_finite() { (d - 8.0 * f64::EPSILON * (d + largest)).max(0.0) } else { d }
    }
}

/// Signs of the nodes of a grid.
pub(super) struct Signs<'a> {
    pub(super) solid: &'a Solid,
    pub(super) grid: Grid,
    columns: Option<Columns>,
}

impl<'a> Signs<'a> {
    pub(super) fn new(solid: &'a Solid, grid: Grid) -> Self {
        let n = grid.nodes();
        let origin = glam::DVec2::new(grid.origin.y, grid.origin.z);
        let lines = Lines { axis: 0, origin, spacing: grid.cell, counts: [n.y, n.z] };
        // Through a hole a line crosses only once; then winding numbers have to decide.
        let columns = (solid.open_edges() == 0).then(|| Columns::new(solid, &lines));
        Self { solid, grid, columns }
    }

    /// Whether `count` nodes from `(i, j, k)` on along x are inside.
    pub(super) fn row(&self, i: usize, j: usize, k: usize, count: usize, out: &mut [bool]) {
        let node = |di: usize| self.grid.node(i + di, j, k);
        if let Some(columns) = &self.columns {
            let column = columns.crossings(j, k);
            if is_sound(column) {
                let mut next = 0;
                let mut winding = 0;
                for di in 0..count {
                    while next < column.len() && column[next].depth <= node(di).x {
                        winding += if column[next].exits { -1 } else { 1 };
                        next += 1;
                    }
                    out[di] = winding > 0;
                }
                return;
            }
        }
        for di in 0..count {
            out[di] = self.solid.contains(node(di));
        }
    }
}

/// Trilinear interpolation and its derivative. `value[4 dk + 2 dj + di]` is the corner's.
#[inline]
pub(super) fn trilinear(value: [f32; 8], t: DVec3, cell: f64) -> Sample {
    let v = value.map(f64::from);
    let mix = |a: f64, b: f64, t: f64| a + t * (b - a);
    let x = [0, 2, 4, 6].map(|c| mix(v[c], v[c + 1], t.x));
    let y = [mix(x[0], x[1], t.y), mix(x[2], x[3], t.y)];
    let dx = [0, 2, 4, 6].map(|c| v[c + 1] - v[c]);
    let gradient = DVec3::new(
        mix(mix(dx[0], dx[1], t.y), mix(dx[2], dx[3], t.y), t.z),
        mix(x[1] - x[0], x[3] - x[2], t.z),
        y[1] - y[0],
    );
    Sample { distance: mix(y[0], y[1], t.z), gradient: gradient / cell }
}
