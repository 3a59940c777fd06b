//! The box.

use crate::TriMesh;
use glam::DVec3;

/// A box with the edge lengths `size`, each edge cut in `cells` parts: 12 `cells`² triangles.
///
/// # Panics
/// If a size is not positive and finite, or `cells` is zero or more than 10 000.
pub fn cuboid(size: DVec3, cells: usize) -> TriMesh {
    assert!(size.min_element() > 0.0 && size.is_finite(), "a box needs three positive sizes");
    assert!((1..=10_000).contains(&cells), "a box needs 1 to 10000 cells along an edge");
    let mut soup = TriMesh::default();
    // Each face is spanned by two axes whose cross product points outwards, where the third axis
    // is at its start (0) or its end (`cells`).
    for axis in 0..3 {
        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
        for (u, v, level) in [(u, v, cells), (v, u, 0)] {
            let first = soup.positions.len();
            for i in 0..=cells {
                for j in 0..=cells {
                    let mut at = DVec3::ZERO;
                    (at[u], at[v], at[axis]) = (i as f64, j as f64, level as f64);
                    soup.positions.push((at / cells as f64 - 0.5) * size);
                }
            }
            let vertex = |i: usize, j: usize| (first + i * (cells + 1) + j) as u32;
            for i in 0..cells {
                for j in 0..cells {
                    let (p, q) = (vertex(i, j), vertex(i + 1, j));
                    let (r, s) = (vertex(i + 1, j + 1), vertex(i, j + 1));
                    soup.triangles.extend([[p, q, r], [p, r, s]]);
                }
            }
        }
    }
    soup.weld().0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Topology;

    #[test]
    fn a_box_is_closed_and_exact() {
        for cells in [1, 2, 5] {
            let m = cuboid(DVec3::new(1.0, 2.0, 3.0), cells);
            assert!(m.validate().is_clean());
            assert!(Topology::new(m.positions.len(), &m.triangles).is_closed());
            assert_eq!(m.triangles.len(), 12 * cells * cells);
            assert_eq!(m.positions.len(), 6 * cells * cells + 2);
            // Sums of up to 300 rounded terms.
            assert!((m.signed_volume() - 6.0).abs() < 1e-12);
            assert!((m.area() - 22.0).abs() < 1e-12);
        }
    }
}
