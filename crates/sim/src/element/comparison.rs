//! The membrane models side by side: energy of small strains, of the fabric's, on three meshes.

use super::baraff_witkin::{BaraffWitkin, Conditions};
use super::check::{affine, meshes, total};
use super::corotational::Corotational;
use super::stvk::{Law, Stvk};
use super::volino::Volino;
use super::{Membrane, Triangle, spring};
use crate::Fabric;
use glam::DVec3;
use toile_mesh::{Topology, TriMesh};

/// Stretch along the weft, stretch along both, shear: s_u and s_v beyond the identity.
const STATES: [(&str, DVec3, DVec3); 3] = [
    ("weft", DVec3::X, DVec3::ZERO),
    ("both", DVec3::X, DVec3::Y),
    ("shear", DVec3::ZERO, DVec3::X),
];

const FABRIC: Membrane = Membrane { c11: 1000.0, c12: 0.0, c22: 1000.0, c33: 60.0 };

/// Energy of each model, of the continuum's: St. Venant–Kirchhoff, corotational, Baraff–Witkin,
/// Volino, mass-spring.
fn ratios(mesh: &TriMesh, su: DVec3, sv: DVec3, strain: f64) -> [f64; 5] {
    let rest = Triangle::of_mesh(mesh);
    let (law, conditions) = (Law::linear(&FABRIC), Conditions::of_membrane(&FABRIC));
    let topology = Topology::new(mesh.positions.len(), &mesh.triangles);
    let cloth = Fabric { weft: 1000.0, warp: 1000.0, shear: 60.0, ..Fabric::default() };
    let x = affine(mesh, DVec3::X + su * strain, DVec3::Y + sv * strain);
    let e = [su.x * strain, sv.y * strain, (su.y + sv.x) * strain];
    let stvk: Vec<_> = rest.iter().map(|rest| Stvk { rest, law: &law }).collect();
    let corotational: Vec<_> =
        rest.iter().map(|rest| Corotational { rest, stiffness: &FABRIC }).collect();
    let conditions: Vec<_> =
        rest.iter().map(|rest| BaraffWitkin { rest, conditions: &conditions }).collect();
    let springs: Vec<_> = spring::of_triangles(mesh, &topology, &cloth)
        .into_iter()
        .filter(|s| s.kind == spring::Kind::Structural)
        .collect();
    [
        total(&stvk, &x),
        total(&corotational, &x),
        total(&conditions, &x),
        total(&Volino::of_mesh(mesh, &FABRIC), &x),
        total(&springs, &x),
    ]
    .map(|energy| energy / FABRIC.density(e))
}

#[test]
fn small_strains_cost_what_the_fabric_says_in_every_model_but_mass_spring() {
    for (name, mesh) in meshes(10) {
        for (state, su, sv) in STATES {
            let r = ratios(&mesh, su, sv, 1e-6);
            for model in 0..4 {
                assert!((r[model] - 1.0).abs() < 1e-4, "{name} {state}: {r:?}");
            }
        }
        // Edge springs take their shear from the tensile stiffness of the diagonals.
        let shear = ratios(&mesh, DVec3::ZERO, DVec3::X, 1e-6)[4];
        assert!(shear > 2.0, "{name}: {shear}");
    }
}

#[test]
fn mass_spring_is_wrong_on_each_mesh_and_as_wrong_when_refined() {
    let biaxial = |n: usize| meshes(n).map(|(_, m)| ratios(&m, DVec3::X, DVec3::Y, 1e-6)[4]);
    let shear = |n: usize| meshes(n).map(|(_, m)| ratios(&m, DVec3::ZERO, DVec3::X, 1e-6)[4]);
    for (coarse, fine) in [(biaxial(10), biaxial(20)), (shear(10), shear(20))] {
        for mesh in 0..3 {
            assert!((fine[mesh] - 1.0).abs() > 0.2, "{coarse:?} {fine:?}");
            assert!((fine[mesh] / coarse[mesh] - 1.0).abs() < 0.1, "{coarse:?} {fine:?}");
        }
    }
}

#[test]
fn at_large_strain_only_the_edges_of_volino_notice_the_mesh() {
    let spread = |model: usize| {
        let r =
            meshes(10).map(|(_, m)| ratios(&m, DVec3::new(1.0, 0.0, 0.3), DVec3::X, 0.1)[model]);
        let (low, high) = (r[0].min(r[1]).min(r[2]), r[0].max(r[1]).max(r[2]));
        high / low - 1.0
    };
    for model in 0..3 {
        assert!(spread(model) < 1e-9, "{model}");
    }
    assert!(spread(3) > 1e-3 && spread(3) < 0.2, "{}", spread(3));
}
