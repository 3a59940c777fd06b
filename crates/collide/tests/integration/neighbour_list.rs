//! Nets against brute force, along ways that stray from the one they were cast around.

use glam::{DVec2, DVec3};
use proptest::prelude::*;
use toile_collide::broad::{Detector, NeighbourList};
use toile_collide::ccd::{Ccd, Separation};
use toile_collide::{Candidates, Motion, Surface, brute};
use toile_mesh::shape::{Diagonals, grid};
use toile_mesh::{Topology, TriMesh};

const GAP: f64 = 4e-3;
const MARGIN: f64 = 5e-3;

fn detector(mesh: &TriMesh) -> Detector {
    let n = mesh.positions.len();
    let topology = Topology::new(n, &mesh.triangles);
    let uv: Vec<[DVec2; 3]> = (0..mesh.triangles.len()).map(|t| mesh.corners_uv(t)).collect();
    let surface = Surface::new(n, &mesh.triangles, &topology);
    Detector::for_cloth(surface, &uv, &vec![0; mesh.triangles.len()])
}

/// All pairs that come nearer than the gap.
fn truth(s: &Surface, motion: Motion<'_>) -> Candidates {
    let gap = Separation::gap(0.999 * GAP);
    let face = |t: u32| s.triangles[t as usize].map(|v| motion.ends(v));
    let edge = |e: u32| s.edges[e as usize].map(|v| motion.ends(v));
    let vf =
        |[v, t]: &[u32; 2]| Ccd::Separating.vertex_face(motion.ends(*v), face(*t), gap).is_some();
    let ee = |[a, b]: &[u32; 2]| Ccd::Separating.edge_edge(edge(*a), edge(*b), gap).is_some();
    let mut all = brute::self_candidates(s, motion, GAP);
    all.vf.retain(vf);
    all.ee.retain(ee);
    all
}

/// A sheet wound up and shaken.
fn rolled(mesh: &TriMesh, curl: f64, wave: f64) -> Vec<DVec3> {
    let of = |p: &DVec2| {
        let (a, r) = (curl * (p.x + 0.5), 1.0 / curl + 0.02 * p.x);
        DVec3::new(r * a.sin(), r * (1.0 - a.cos()) + wave * (25.0 * p.y).sin(), -p.y)
    };
    mesh.uv.iter().map(of).collect()
}

/// `x`, with every vertex elsewhere by `amount` at most.
fn shaken(x: &[DVec3], noise: &[f64], amount: f64) -> Vec<DVec3> {
    let n = |k: usize| noise[k % noise.len()];
    let by = |i: usize| DVec3::new(n(3 * i), n(3 * i + 1), n(3 * i + 2)) * (amount / 3_f64.sqrt());
    x.iter().enumerate().map(|(i, x)| *x + by(i)).collect()
}

fn holds(all: &[[u32; 2]], some: &[[u32; 2]]) -> bool {
    all.is_sorted() && some.iter().all(|pair| all.binary_search(pair).is_ok())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn a_net_holds_what_meets_along_ways_near_and_far(
        curl in [8.0..20.0_f64, 8.0..20.0], wave in [-0.05..0.05_f64, -0.05..0.05],
        noise in prop::collection::vec(-1.0..1.0_f64, 97),
        ways in prop::collection::vec((0.0..1.0_f64, 0.0..1.0_f64, 0.0..3.0_f64), 1..6),
        far in 0..130_usize,
    ) {
        let mesh = grid(1.0, 0.6, 12, 9, Diagonals::Alternating);
        let (a, b) = (rolled(&mesh, curl[0], wave[0]), rolled(&mesh, curl[1], wave[1]));
        let mut detector = detector(&mesh);
        let mut list = NeighbourList::new(MARGIN);
        let mut ask = |x_t0: &[DVec3], x_t1: &[DVec3]| {
            let motion = Motion { x_t0, x_t1 };
            let (found, _) = list.candidates(&mut detector, motion, GAP).unwrap();
            let met = truth(&detector.surface, motion);
            prop_assert!(holds(&found.vf, &met.vf) && holds(&found.ee, &met.ee));
            Ok(())
        };
        ask(&a, &b)?;
        for (from, to, amount) in ways {
            let at = |s: f64| -> Vec<DVec3> { a.iter().zip(&b).map(|(a, b)| a.lerp(*b, s)).collect() };
            let x_t0 = shaken(&at(from), &noise, amount * MARGIN);
            let mut x_t1 = shaken(&at(to), &noise[1..], amount * MARGIN);
            // A single vertex that goes its own way.
            x_t1[far] += DVec3::new(noise[0], noise[1], noise[2]) * 0.3;
            ask(&x_t0, &x_t1)?;
        }
    }
}

#[test]
fn a_net_is_cast_once_for_ways_nearby() {
    let mesh = grid(1.0, 0.6, 12, 9, Diagonals::Alternating);
    let x = rolled(&mesh, 12.0, 0.0);
    let mut detector = detector(&mesh);
    let mut list = NeighbourList::new(MARGIN);
    let noise: Vec<f64> = (0..97).map(|i| f64::from(i * 31 % 97) / 48.0 - 1.0).collect();
    let (first, tested) = list.candidates(&mut detector, Motion::still(&x), GAP).unwrap();
    assert!(first.len() > 50 && tested > first.len() as u64, "{} of {tested}", first.len());
    let near = shaken(&x, &noise, 0.9 * MARGIN);
    let (_, again) = list.candidates(&mut detector, Motion::still(&near), GAP).unwrap();
    assert_eq!(again, tested, "all that is looked at is the list");
    let away: Vec<DVec3> = x.iter().map(|x| *x * 1.5).collect();
    let (_, anew) = list.candidates(&mut detector, Motion::still(&away), GAP).unwrap();
    assert_ne!(anew, tested, "a new list");
}

#[test]
fn positions_that_are_not_finite_are_refused() {
    let mesh = grid(1.0, 0.6, 4, 3, Diagonals::Alternating);
    let mut detector = detector(&mesh);
    let mut list = NeighbourList::new(MARGIN);
    let x = mesh.positions.clone();
    list.candidates(&mut detector, Motion::still(&x), GAP).unwrap();
    let mut bad = x.clone();
    bad[7].y = f64::NAN;
    let motion = Motion { x_t0: &x, x_t1: &bad };
    assert_eq!(list.candidates(&mut detector, motion, GAP).unwrap_err().vertex, 7);
    // And goes on afterwards.
    assert!(list.candidates(&mut detector, Motion::still(&x), GAP).is_ok());
}

#[test]
fn margins_that_mean_nothing_are_refused() {
    for margin in [-1e-3, f64::NAN, f64::NEG_INFINITY] {
        assert!(std::panic::catch_unwind(|| NeighbourList::new(margin)).is_err(), "{margin}");
    }
}
