//! Flat pieces of cloth.

use crate::TriMesh;
use glam::{DVec2, DVec3};

/// Which way the diagonal of a grid's cells runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Diagonals {
    /// In turn, like a chessboard: no preferred bias direction.
    #[default]
    Alternating,
    /// All the same way.
    Same,
}

/// A flat rectangle of `nu` × `nv` cells in the plane y = 0, centred at the origin, facing +y.
///
/// The vertex of grid point (i, j) is `i * (nv + 1) + j`; i counts along the width (weft, +u, +x),
/// j along the height (warp, +v, −z, so that u × v is the normal +y).
///
/// # Panics
/// If a count is zero or a size is not positive and finite.
pub fn grid(width: f64, height: f64, nu: usize, nv: usize, diagonals: Diagonals) -> TriMesh {
    assert!(nu > 0 && nv > 0, "a grid needs at least one cell each way");
    assert!(width > 0.0 && height > 0.0 && (width * height).is_finite(), "a grid needs an area");
    let mut uv = Vec::with_capacity((nu + 1) * (nv + 1));
    for i in 0..=nu {
        for j in 0..=nv {
            let (s, t) = (i as f64 / nu as f64, j as f64 / nv as f64);
            uv.push(DVec2::new((s - 0.5) * width, (t - 0.5) * height));
        }
    }
    let vertex = |i: usize, j: usize| (i * (nv + 1) + j) as u32;
    let mut triangles = Vec::with_capacity(2 * nu * nv);
    for i in 0..nu {
        for j in 0..nv {
            let (p, q) = (vertex(i, j), vertex(i + 1, j));
            let (r, s) = (vertex(i + 1, j + 1), vertex(i, j + 1));
            if diagonals == Diagonals::Same || (i + j) % 2 == 0 {
                triangles.extend([[p, q, r], [p, r, s]]);
            } else {
                triangles.extend([[p, q, s], [q, r, s]]);
            }
        }
    }
    let positions = uv.iter().map(|p| DVec3::new(p.x, 0.0, -p.y)).collect();
    TriMesh { positions, uv_triangles: triangles.clone(), triangles, uv }
}

/// A long flat strip: a [`grid`] of `width` × `length` with its length along the warp (+v, −z).
///
/// The specimen of textile tests: clamp the end at z = +length/2 (vertices `i * (along + 1)`) for a
/// cantilever, or both ends for a tensile test.
///
/// # Panics
/// As [`grid`] does.
pub fn ribbon(width: f64, length: f64, across: usize, along: usize) -> TriMesh {
    grid(width, length, across, along, Diagonals::Alternating)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_grid_faces_up_and_is_its_own_pattern() {
        for diagonals in [Diagonals::Alternating, Diagonals::Same] {
            let g = grid(2.0, 3.0, 4, 5, diagonals);
            assert!(g.validate().is_clean());
            assert!((g.area() - 6.0).abs() < 1e-14);
            for t in 0..g.triangles.len() {
                assert!(g.area_normal(t).y > 0.0);
                let [a, b, c] = g.corners_uv(t);
                assert!((b - a).perp_dot(c - a) > 0.0);
            }
        }
    }

    #[test]
    fn a_ribbon_is_clamped_at_its_first_row() {
        let r = ribbon(0.02, 0.2, 2, 10);
        let (_, hi) = r.bounds().unwrap();
        assert_eq!(hi, DVec3::new(0.01, 0.0, 0.1));
        for i in 0..3 {
            assert_eq!(r.positions[i * 11].z, 0.1);
        }
    }
}
