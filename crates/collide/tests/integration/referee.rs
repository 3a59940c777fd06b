//! Trees and cones against brute force.

use glam::{DVec2, DVec3};
use proptest::prelude::*;
use toile_collide::broad::Detector;
use toile_collide::ccd::{Ccd, Separation};
use toile_collide::volume::MovingBox;
use toile_collide::{Candidates, Motion, Surface, brute, prune};
use toile_mesh::shape::{Diagonals, grid};
use toile_mesh::{Topology, TriMesh};

const GAP: f64 = 1e-3;

fn surface(mesh: &TriMesh) -> Surface {
    let topology = Topology::new(mesh.positions.len(), &mesh.triangles);
    Surface::new(mesh.positions.len(), &mesh.triangles, &topology)
}

fn detector(mesh: &TriMesh) -> Detector {
    let uv: Vec<[DVec2; 3]> = (0..mesh.triangles.len()).map(|t| mesh.corners_uv(t)).collect();
    let (piece, _) = Topology::new(mesh.positions.len(), &mesh.triangles).components();
    Detector::for_cloth(surface(mesh), &uv, &piece)
}

/// Those candidates that really meet.
fn impacts(s: &Surface, motion: Motion<'_>, candidates: &Candidates) -> Candidates {
    // A cone speaks of crossings, not of distances: narrow slits between neighbours are no impacts.
    let gap = Separation::gap(1e-9);
    let face = |t: u32| s.triangles[t as usize].map(|v| motion.ends(v));
    let edge = |e: u32| s.edges[e as usize].map(|v| motion.ends(v));
    let vf =
        |[v, t]: &&[u32; 2]| Ccd::Separating.vertex_face(motion.ends(*v), face(*t), gap).is_some();
    let ee = |[a, b]: &&[u32; 2]| Ccd::Separating.edge_edge(edge(*a), edge(*b), gap).is_some();
    Candidates {
        vf: candidates.vf.iter().filter(vf).copied().collect(),
        fv: Vec::new(),
        ee: candidates.ee.iter().filter(ee).copied().collect(),
    }
}

/// A sheet rolled, folded and shaken: curl winds it up, waves ripple it, noise shakes it.
fn deformed(mesh: &TriMesh, curl: f64, wave: f64, noise: &[f64]) -> Vec<DVec3> {
    mesh.uv
        .iter()
        .enumerate()
        .map(|(i, p)| {
            let curl = curl.max(1e-3);
            let (a, r) = (curl * (p.x + 0.5), 1.0 / curl);
            let shake = |k: usize| 0.01 * noise[(3 * i + k) % noise.len()];
            DVec3::new(
                r * a.sin() + shake(0),
                r * (1.0 - a.cos()) + wave * (25.0 * p.y).sin() + shake(1),
                -p.y + shake(2),
            )
        })
        .collect()
}

fn check(mesh: &TriMesh, x_t0: &[DVec3], x_t1: &[DVec3]) -> Result<(), TestCaseError> {
    let motion = Motion { x_t0, x_t1 };
    let mut detector = detector(mesh);
    detector.update(motion, GAP, None).unwrap();
    let truth = brute::self_candidates(&detector.surface, motion, GAP);
    let (all, _) = detector.self_candidates(0.0);
    let near = brute::sharpened::<MovingBox>(&truth, &detector.surface, motion, GAP);
    prop_assert_eq!(&all, &near, "the tree loses or invents pairs");
    let (pruned, _) = detector.self_candidates(prune::DEFAULT_LIMIT);
    let found = impacts(&detector.surface, motion, &pruned);
    let expected = impacts(&detector.surface, motion, &truth);
    prop_assert_eq!(found, expected, "the cone prunes a true pair");
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn trees_and_cones_find_what_brute_force_finds(
        curl in [0.0..20.0_f64, 0.0..20.0], wave in [-0.2..0.2_f64, -0.2..0.2],
        noise in prop::collection::vec(-1.0..1.0_f64, 97), same in any::<bool>(),
    ) {
        let diagonals = if same { Diagonals::Same } else { Diagonals::Alternating };
        let mesh = grid(1.0, 0.6, 14, 9, diagonals);
        let x_t0 = deformed(&mesh, curl[0], wave[0], &noise);
        let x_t1 = deformed(&mesh, curl[1], wave[1], &noise[1..]);
        check(&mesh, &x_t0, &x_t1)?;
    }

    #[test]
    fn several_sheets_are_tested_against_each_other(
        lift in 0.0..0.05_f64, wave in -0.1..0.1_f64,
        noise in prop::collection::vec(-1.0..1.0_f64, 97),
    ) {
        let mut mesh = grid(1.0, 0.6, 8, 6, Diagonals::Alternating);
        mesh.append(&mesh.clone());
        mesh.append(&mesh.clone());
        let layer = mesh.uv.len() / 4;
        let x_t0: Vec<DVec3> = deformed(&mesh, 0.0, 0.02, &noise)
            .into_iter().enumerate()
            .map(|(i, p)| p + DVec3::Y * 0.05 * (i / layer) as f64).collect();
        let x_t1: Vec<DVec3> = deformed(&mesh, 0.0, wave, &noise[1..])
            .into_iter().enumerate()
            .map(|(i, p)| p + DVec3::Y * lift * (i / layer) as f64).collect();
        check(&mesh, &x_t0, &x_t1)?;
    }

    #[test]
    fn a_body_and_a_cloth_meet_where_brute_force_says(
        shift in [-0.5..0.5_f64, -0.2..0.2, -0.3..0.3], wave in -0.2..0.2_f64,
        noise in prop::collection::vec(-1.0..1.0_f64, 97),
    ) {
        let cloth = grid(1.0, 0.6, 10, 7, Diagonals::Alternating);
        let body = grid(0.7, 0.7, 6, 5, Diagonals::Same);
        let x_t0 = deformed(&cloth, 2.0, wave, &noise);
        let x_t1 = deformed(&cloth, 3.0, -wave, &noise);
        let b_t0: Vec<DVec3> = body.positions.clone();
        let b_t1: Vec<DVec3> = b_t0.iter().map(|p| *p + DVec3::from_array(shift)).collect();
        let (ma, mb) = (Motion { x_t0: &x_t0, x_t1: &x_t1 }, Motion { x_t0: &b_t0, x_t1: &b_t1 });
        let mut c = detector(&cloth);
        let mut b = Detector::for_body(surface(&body), &b_t0);
        c.update(ma, GAP, None).unwrap();
        b.update(mb, GAP, None).unwrap();
        let (found, _) = c.candidates_with(&b);
        let truth = brute::candidates(&c.surface, ma, &b.surface, mb, GAP);
        let near = brute::sharpened_pairs::<MovingBox>(&truth, &c.surface, ma, &b.surface, mb, GAP);
        prop_assert_eq!(found, near);
    }
}

#[test]
fn a_flat_sheet_needs_no_self_test_at_all() {
    let mesh = grid(1.0, 1.0, 40, 40, Diagonals::Alternating);
    let mut d = detector(&mesh);
    d.update(Motion::still(&mesh.positions), GAP, None).unwrap();
    let (all, before) = d.self_candidates(0.0);
    let (none, after) = d.self_candidates(prune::DEFAULT_LIMIT);
    assert!(!all.is_empty() && before.triangle_pairs > 10_000);
    assert!(none.is_empty() && after.triangle_pairs == 0);
}

#[test]
fn only_pairs_with_a_moved_vertex_are_looked_at_again() {
    let mesh = grid(1.0, 1.0, 20, 20, Diagonals::Alternating);
    let mut d = detector(&mesh);
    let mut moved = vec![false; mesh.positions.len()];
    moved[0] = true;
    d.update(Motion::still(&mesh.positions), GAP, None).unwrap();
    d.update(Motion::still(&mesh.positions), GAP, Some(&moved)).unwrap();
    let (some, _) = d.self_candidates(0.0);
    let corner = |v: u32| v == 0 || v == 1 || v == 21 || v == 22 || v == 2 || v == 42;
    assert!(!some.is_empty());
    let near = |t: u32| d.surface.triangles[t as usize].iter().any(|v| corner(*v));
    assert!(some.vf.iter().all(|[v, t]| near(*t) || corner(*v)));
}

#[test]
fn the_order_does_not_depend_on_the_number_of_threads() {
    let mesh = grid(1.0, 1.0, 60, 60, Diagonals::Alternating);
    let noise: Vec<f64> = (0..97).map(|i| f64::from(i * 37 % 97) / 97.0 - 0.5).collect();
    let x = deformed(&mesh, 15.0, 0.1, &noise);
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut d = detector(&mesh);
            d.update(Motion::still(&x), 5e-3, None).unwrap();
            d.self_candidates(prune::DEFAULT_LIMIT)
        })
    };
    let one = run(1);
    assert!(one.0.len() > 1000);
    assert_eq!(one, run(2));
    assert_eq!(one, run(4));
}
