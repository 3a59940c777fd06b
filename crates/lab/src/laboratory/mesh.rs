//! The kinds of mesh that specimens are cut into.

use glam::{DVec2, DVec3};
use serde::Serialize;
use std::f64::consts::{FRAC_PI_4, PI};
use toile::Generator;
use toile_mesh::shape::{Diagonals, grid};
use toile_mesh::{NONE, Topology, TriMesh};

/// How far a vertex is moved at random, in cells.
const JITTER: f64 = 0.3;

/// Which triangles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mesh {
    /// A grid whose diagonals alternate.
    #[default]
    Alternating,
    /// A grid whose diagonals all run the same way.
    OneDiagonal,
    /// Points of a grid moved at random, with Delaunay's triangles: as in a garment.
    Delaunay,
}

impl Mesh {
    /// All kinds.
    pub const ALL: [Self; 3] = [Self::Alternating, Self::OneDiagonal, Self::Delaunay];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Alternating => "alternating",
            Self::OneDiagonal => "one-diagonal",
            Self::Delaunay => "delaunay",
        }
    }

    /// Whether it is a regular grid.
    pub fn is_grid(self) -> bool {
        self != Self::Delaunay
    }

    /// A rectangle of material coordinates, centred, and its cells if it is a grid. Vertices at which
    /// `still` holds are not moved; those on the boundary move along it.
    pub(super) fn rectangle(
        self,
        size: [f64; 2],
        cells: [usize; 2],
        still: impl Fn(DVec2) -> bool,
    ) -> (TriMesh, Option<[usize; 2]>) {
        let mut mesh = grid(size[0], size[1], cells[0], cells[1], self.diagonals());
        if self == Self::Delaunay {
            let mut dice = Generator::new(7);
            for p in &mut mesh.uv {
                let mut moved = *p;
                for k in 0..2 {
                    let reach = JITTER * size[k] / cells[k] as f64;
                    let step = dice.uniform(-reach, reach);
                    if p[k].abs() < 0.5 * size[k] * (1.0 - 1e-9) {
                        moved[k] += step;
                    }
                }
                if !still(*p) {
                    *p = moved;
                }
            }
            make_delaunay(&mut mesh);
        }
        (mesh, self.is_grid().then_some(cells))
    }

    /// A disk of radius 1 with `n` cells along its diameter: a square whose rings become circles. The
    /// vertex at the centre stays there if `n` is even.
    pub(super) fn disk(self, n: usize) -> TriMesh {
        let mut mesh = grid(2.0, 2.0, n, n, self.diagonals());
        let mut dice = Generator::new(7);
        let reach = JITTER * 2.0 / n as f64;
        for p in &mut mesh.uv {
            let step = DVec2::new(dice.uniform(-reach, reach), dice.uniform(-reach, reach));
            let inner = p.abs().max_element();
            let at = ring(*p);
            let moves = self == Self::Delaunay && inner > 1e-9 && inner < 1.0 - 1e-9;
            *p = if moves { at + step } else { at };
        }
        make_delaunay_if(&mut mesh, self == Self::Delaunay);
        mesh
    }

    fn diagonals(self) -> Diagonals {
        match self {
            Self::OneDiagonal => Diagonals::Same,
            Self::Alternating | Self::Delaunay => Diagonals::Alternating,
        }
    }
}

/// Squares around the origin to circles, with equal arcs [shirley1997].
fn ring(p: DVec2) -> DVec2 {
    let (r, turn) = match p.x.abs() >= p.y.abs() {
        true if p.x == 0.0 => return DVec2::ZERO,
        true => (p.x, FRAC_PI_4 * p.y / p.x),
        false => (p.y, 2.0 * FRAC_PI_4 - FRAC_PI_4 * p.x / p.y),
    };
    DVec2::new(r * libm::cos(turn), r * libm::sin(turn))
}

fn make_delaunay_if(mesh: &mut TriMesh, wanted: bool) {
    if wanted {
        make_delaunay(mesh);
    }
    mesh.positions = mesh.uv.iter().map(|p| DVec3::new(p.x, 0.0, -p.y)).collect();
}

/// Flips edges until opposite angles add up to less than 180°.
fn make_delaunay(mesh: &mut TriMesh) {
    mesh.positions = mesh.uv.iter().map(|p| DVec3::new(p.x, 0.0, -p.y)).collect();
    while flip(mesh) {}
    mesh.uv_triangles = mesh.triangles.clone();
}

/// Flips some edges that are not Delaunay, no triangle twice; false if there are none.
fn flip(mesh: &mut TriMesh) -> bool {
    let topology = Topology::new(mesh.uv.len(), &mesh.triangles);
    let mut touched = vec![false; mesh.triangles.len()];
    let mut any = false;
    let at = |v: u32| mesh.uv[v as usize];
    for edge in &topology.edges {
        let [s, t] = edge.triangles;
        if t == NONE || touched[s as usize] || touched[t as usize] {
            continue;
        }
        let [a, b] = edge.vertices;
        let tip = |t: u32| mesh.triangles[t as usize].into_iter().find(|v| ![a, b].contains(v));
        let (Some(c), Some(d)) = (tip(s), tip(t)) else { continue };
        let opposite = |o: u32| (at(a) - at(o)).angle_to(at(b) - at(o)).abs();
        if opposite(c) + opposite(d) > PI + 1e-9 {
            let upright = |t: [u32; 3]| {
                let [p, q, r] = t.map(at);
                if (q - p).perp_dot(r - p) > 0.0 { t } else { [t[0], t[2], t[1]] }
            };
            (mesh.triangles[s as usize], mesh.triangles[t as usize]) =
                (upright([c, d, a]), upright([c, d, b]));
            (touched[s as usize], touched[t as usize]) = (true, true);
            any = true;
        }
    }
    any
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rectangles_and_disks_are_sound_and_keep_their_area() {
        for kind in Mesh::ALL {
            let (rectangle, _) = kind.rectangle([2.0, 0.5], [24, 6], |_| false);
            assert!((rectangle.area() - 1.0).abs() < 1e-12, "{kind:?}");
            let disk = kind.disk(16);
            // A polygon of 64 sides.
            let polygon = 32.0 * libm::sin(PI / 32.0);
            assert!((disk.area() - polygon).abs() < 1e-3, "{kind:?} {}", disk.area());
            for mesh in [rectangle, disk] {
                assert!(mesh.validate().is_clean(), "{kind:?}");
                for t in 0..mesh.triangles.len() {
                    assert!(mesh.area_normal(t).y > 0.0, "{kind:?} {t}");
                    let [a, b, c] = mesh.corners_uv(t);
                    assert!((b - a).perp_dot(c - a) > 0.0, "{kind:?} {t}");
                }
            }
        }
    }

    #[test]
    fn a_vertex_that_is_to_stay_stays() {
        let (mesh, grid) = Mesh::Delaunay.rectangle([1.0, 1.0], [4, 4], |p| p == DVec2::ZERO);
        assert_eq!(mesh.uv[12], DVec2::ZERO);
        assert_ne!(mesh.uv[6], DVec2::new(-0.25, -0.25));
        assert_eq!(grid, None);
    }
}
