//! Pruning never loses a pair that meets: whole detectors against brute force on surfaces that are made
//! to fool them.

use crate::panels;

use glam::DVec3;
use panels::{c_panel, crossing_funnel, disc, impacts, panel, surface, uv};
use proptest::prelude::*;
use toile_collide::broad::Detector;
use toile_collide::prune::{DEFAULT_LIMIT, Prune};
use toile_collide::tree::Build;
use toile_collide::{Arity, Motion, Options, brute};
use toile_mesh::TriMesh;

const GAP: f64 = 1e-3;

/// Holds every sound method against brute force; returns how many pairs meet, and how many candidates
/// each method left of all.
fn check(mesh: &TriMesh, x_t0: &[DVec3], x_t1: &[DVec3], leaf: usize) -> (usize, [usize; 4]) {
    let s = surface(mesh);
    let motion = Motion { x_t0, x_t1 };
    let piece = toile_mesh::Topology::new(x_t0.len(), &mesh.triangles).components().0;
    let truth = impacts(&s, motion, &brute::self_candidates(&s, motion, GAP));
    let mut left = [0; 4];
    for (k, prune) in Prune::ALL.into_iter().enumerate() {
        for build in Build::ALL {
            for arity in [Arity::Two, Arity::Four] {
                let options = Options { prune, build, arity, leaf, ..Options::default() };
                let mut d = Detector::for_cloth_with(s.clone(), &uv(mesh), &piece, options);
                d.update(motion, GAP, None).unwrap();
                let (some, _) = d.self_candidates(DEFAULT_LIMIT);
                // Normal cones, as they are in the paper, are fooled by outlines.
                if prune != Prune::Cones {
                    assert_eq!(impacts(&s, motion, &some), truth, "{options:?}");
                }
                left[k] = left[k].max(some.len());
            }
        }
    }
    (truth.len(), left)
}

#[test]
fn a_funnel_whose_ends_cross_is_not_overlooked() {
    let mesh = crossing_funnel(36, 4);
    // One end goes up along the axis and the other down, so that they pass through each other.
    let moved = |by: f64| -> Vec<DVec3> {
        let end = |p: &glam::DVec2| if p.x > 0.0 && p.y > -0.1 { by } else { -by };
        mesh.positions.iter().zip(&mesh.uv).map(|(x, p)| *x + end(p) * DVec3::Z).collect()
    };
    let (met, left) = check(&mesh, &moved(0.05), &moved(-0.05), 4);
    assert!(met > 0, "the ends do not cross");
    assert!(left[2] < left[0] && left[3] < left[0], "nothing is pruned: {left:?}");
}

#[test]
fn ends_that_only_cross_during_the_step_are_not_overlooked() {
    // A strip bent to a C in its plane, whose ends sweep through each other and meet at the end.
    let mesh = c_panel(40, 3);
    let bent = |turn: f64| -> Vec<DVec3> {
        let at = |p: &glam::DVec2| {
            let (r, a) = (p.length(), p.y.atan2(p.x).rem_euclid(std::f64::consts::TAU));
            // The panel covers 270°; `turn` stretches that, one end a little above the other.
            DVec3::new(r * (turn * a).cos(), r * (turn * a).sin(), 0.02 * (a - 1.0))
        };
        mesh.uv.iter().map(at).collect()
    };
    let (from, to) = (bent(1.2), bent(1.45));
    let shifted: Vec<DVec3> = to
        .iter()
        .zip(&mesh.uv)
        .map(|(x, p)| if p.y > 0.0 { *x - 0.12 * DVec3::Z } else { *x })
        .collect();
    check(&mesh, &from, &shifted, 4);
}

#[test]
fn triangles_listed_the_other_way_round_and_folded_flat_are_not_overlooked() {
    // Two triangles on an edge, one listed backwards and lying on the other: their normals agree.
    let uv = [(0.0, 0.0), (1.0, 0.0), (0.5, 1.0), (0.5, -1.0)];
    let positions =
        vec![DVec3::ZERO, DVec3::X, DVec3::new(0.5, 1.0, 0.0), DVec3::new(0.5, 0.9, 1e-4)];
    let mut mesh = TriMesh::new(positions.clone(), vec![[0, 1, 2], [0, 1, 3]]);
    mesh.uv = uv.into_iter().map(glam::DVec2::from).collect();
    let mut moved = positions.clone();
    moved[3].z = -1e-4;
    let (met, _) = check(&mesh, &positions, &moved, 1);
    assert!(met > 0);
}

fn shaken(x: &[DVec3], size: f64, noise: &[f64]) -> Vec<DVec3> {
    let n = |i: usize| noise[i % noise.len()];
    x.iter()
        .enumerate()
        .map(|(i, p)| *p + size * DVec3::new(n(3 * i), n(3 * i + 1), n(3 * i + 2)))
        .collect()
}

/// A sheet rolled and waved.
fn rolled(mesh: &TriMesh, curl: f64, wave: f64) -> Vec<DVec3> {
    mesh.uv
        .iter()
        .map(|p| {
            let a = curl * p.x;
            let r = 1.0 / curl.abs().max(0.1);
            let roll = if curl.abs() > 0.1 {
                DVec3::new(r * a.sin(), r * (1.0 - a.cos()), p.y)
            } else {
                p.extend(0.0)
            };
            roll + wave * DVec3::new(0.0, (9.0 * p.y).sin(), (7.0 * p.x).sin())
        })
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, failure_persistence: None, ..Default::default() })]

    #[test]
    fn rolled_crumpled_and_moving_panels_are_searched_completely(
        curl in [0.0..14.0_f64, 0.0..14.0], wave in [-0.2..0.2_f64, -0.2..0.2],
        noise in prop::collection::vec(-1.0..1.0_f64, 97), rough in 0.0..0.2_f64, shape in 0..3,
    ) {
        let mesh = match shape {
            0 => panel(12, 8, |p| p),
            1 => disc(6, 0.2),
            _ => c_panel(16, 4),
        };
        let x_t0 = shaken(&rolled(&mesh, curl[0], wave[0]), rough, &noise);
        let x_t1 = shaken(&rolled(&mesh, curl[1], wave[1]), rough, &noise[1..]);
        check(&mesh, &x_t0, &x_t1, 4);
    }

    #[test]
    fn small_steps_of_nearly_flat_panels_are_searched_completely(
        curl in 0.0..8.0_f64, noise in prop::collection::vec(-1.0..1.0_f64, 97), shape in 0..3,
    ) {
        let mesh = match shape {
            0 => panel(12, 8, |p| p),
            1 => disc(6, 0.1),
            _ => c_panel(16, 4),
        };
        let x_t0 = shaken(&rolled(&mesh, curl, 0.02), 1e-3, &noise);
        let x_t1 = shaken(&x_t0, 5e-3, &noise[1..]);
        let (_, left) = check(&mesh, &x_t0, &x_t1, 4);
        prop_assert!(left[3] <= left[0]);
    }
}
