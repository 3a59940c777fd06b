//! The default detector at its limits: sizes from nanometres to megametres, motion that is vast against the cloth, meshes of
//! no triangle, of one, of one more than a leaf holds, and what is left from the steps before. Brute force is the
//! referee, and a detector that has seen nothing before.

use crate::panels;

use glam::DVec3;
use panels::{panel, surface, uv};
use proptest::prelude::*;
use toile_collide::broad::{Candidates, Detector};
use toile_collide::ccd::{Ccd, Filter, Pair, Separation};
use toile_collide::prune::DEFAULT_LIMIT;
use toile_collide::volume::MovingBox;
use toile_collide::{Motion, Options, Surface, brute};
use toile_mesh::TriMesh;

/// A mesh and where its vertices are, step after step.
struct Steps {
    mesh: TriMesh,
    x: Vec<Vec<DVec3>>,
    separation: f64,
    /// How large the cloth is [m].
    size: f64,
}

impl Steps {
    fn motion(&self, step: usize) -> Motion<'_> {
        Motion { x_t0: &self.x[step], x_t1: &self.x[step + 1] }
    }

    fn detector(&self, s: &Surface) -> Detector {
        let piece = toile_mesh::Topology::new(s.vertices, &s.triangles).components().0;
        Detector::for_cloth_with(s.clone(), &uv(&self.mesh), &piece, Options::default())
    }

    /// Those candidates that meet.
    fn met(&self, s: &Surface, motion: Motion<'_>, all: &Candidates) -> Vec<[u32; 3]> {
        let gap = Separation::gap(1e-9 * self.size);
        let meets = |pair: Pair, v: [u32; 4]| {
            Ccd::Separating
                .time_of_impact(pair, &v.map(|v| motion.ends(v)), gap, Filter::Hull)
                .is_some()
        };
        let vf = all.vf.iter().filter(|[v, t]| {
            let [a, b, c] = s.triangles[*t as usize];
            meets(Pair::VertexFace, [*v, a, b, c])
        });
        let ee = all.ee.iter().filter(|[a, b]| {
            let ([p, q], [r, t]) = (s.edges[*a as usize], s.edges[*b as usize]);
            meets(Pair::EdgeEdge, [p, q, r, t])
        });
        vf.map(|[a, b]| [0, *a, *b]).chain(ee.map(|[a, b]| [1, *a, *b])).collect()
    }

    /// Holds one detector over all steps against brute force and against a new one at each step; says how many pairs met.
    fn check(&self) -> usize {
        let s = surface(&self.mesh);
        let mut old = self.detector(&s);
        let mut count = 0;
        for step in 0..self.x.len() - 1 {
            let motion = self.motion(step);
            let mut new = self.detector(&s);
            old.update(motion, self.separation, None).unwrap();
            new.update(motion, self.separation, None).unwrap();
            assert_eq!(
                old.self_traversal(DEFAULT_LIMIT),
                new.self_traversal(DEFAULT_LIMIT),
                "step {step}"
            );
            let (found, _) = old.self_candidates(DEFAULT_LIMIT);
            assert!(found == new.self_candidates(DEFAULT_LIMIT).0, "step {step}");
            let all = brute::self_candidates(&s, motion, self.separation);
            let truth = self.met(&s, motion, &all);
            assert_eq!(self.met(&s, motion, &found), truth, "step {step}");
            count += truth.len();
        }
        count
    }
}

/// A sheet that is folded over and crumpled, moved on and on. All lengths are in sizes of the cloth.
fn folded(n: usize, steps: usize, size: f64, offset: DVec3, way: f64, noise: &[f64]) -> Steps {
    let mut mesh = panel(n, n, |p| p);
    let shake = |k: usize| 0.3 / n as f64 * noise[k % noise.len()];
    let at = |v: usize, step: usize| {
        let p = mesh.uv[v];
        let (turn, sunk) = (std::f64::consts::PI * p.x, 0.03 * step as f64);
        // A half turn whose ends come nearer and pass through each other.
        let x = DVec3::new(0.3 * turn.sin(), p.y, (0.05 - sunk) * turn.cos());
        let by = DVec3::new(shake(3 * v), shake(3 * v + 1), shake(3 * v + 2 + step));
        let on = DVec3::new(way, -0.5 * way, 0.3 * way) * step as f64;
        size * (x + by + on + offset)
    };
    let x = (0..=steps).map(|step| (0..mesh.uv.len()).map(|v| at(v, step)).collect()).collect();
    mesh.uv.iter_mut().for_each(|p| *p *= size);
    Steps { mesh, x, separation: 0.01 * size, size }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn cloth_of_any_size_anywhere_and_however_fast_loses_no_pair_over_several_steps(
        n in 1..12_usize, scale in -9..7_i32, far in -1..6_i32,
        offset in prop::array::uniform3(-1.0..1.0_f64), fast in -3..4_i32,
        noise in prop::collection::vec(-1.0..1.0_f64, 61), crumple in 0.0..3.0_f64,
    ) {
        let noise: Vec<f64> = noise.iter().map(|x| crumple * x).collect();
        let offset = 10.0_f64.powi(far) * DVec3::from_array(offset);
        let way = 10.0_f64.powi(fast);
        folded(n, 3, 10.0_f64.powi(scale), offset, way, &noise).check();
    }
}

#[test]
fn a_sheet_that_passes_through_itself_is_caught_at_every_size() {
    for scale in [-9, -3, 0, 6] {
        let steps = folded(10, 3, 10.0_f64.powi(scale), DVec3::ZERO, 0.0, &[0.1, -0.4, 0.7]);
        assert!(steps.check() > 0, "nothing meets at 1e{scale}");
    }
}

#[test]
fn no_triangle_one_and_one_more_than_a_leaf_holds_are_searched() {
    for count in [0, 1, 2, 31, 32, 33, 64, 65] {
        let mut steps = folded(6, 3, 1.0, DVec3::ZERO, 0.0, &[0.0, 0.5, -0.5]);
        steps.mesh.triangles.truncate(count);
        let met = steps.check();
        assert!(met > 0 || count < 65, "{count} triangles do not meet");
    }
}

#[test]
fn vertices_in_one_place_and_triangles_without_area_do_no_harm() {
    // Every third vertex lies on its neighbour, so that there are points, lines and triangles.
    let mut steps = folded(9, 3, 1.0, DVec3::ZERO, 0.0, &[0.2, -0.6, 0.9]);
    for x in &mut steps.x {
        for v in (1..x.len()).step_by(3) {
            x[v] = x[v - 1];
        }
    }
    steps.check();
    // And all of it in a point, then in a line.
    let mut point = folded(9, 2, 1.0, DVec3::ONE, 0.0, &[0.0]);
    point.x[0].fill(DVec3::ONE);
    point.x[1].iter_mut().enumerate().for_each(|(i, x)| *x = DVec3::X * i as f64);
    let s = surface(&point.mesh);
    let mut d = point.detector(&s);
    for step in 0..2 {
        d.update(point.motion(step), point.separation, None).unwrap();
        let all = brute::self_candidates(&s, point.motion(step), point.separation);
        let all = brute::sharpened::<MovingBox>(&all, &s, point.motion(step), point.separation);
        // No list of thousands, if it fails.
        assert!(d.self_candidates(0.0).0 == all, "step {step}");
    }
}

#[test]
fn a_step_that_is_not_finite_is_refused_and_leaves_no_trace() {
    let steps = folded(10, 3, 1.0, DVec3::ZERO, 0.0, &[0.3, -0.2, 0.5]);
    let s = surface(&steps.mesh);
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let mut d = steps.detector(&s);
        d.update(steps.motion(0), steps.separation, None).unwrap();
        d.self_candidates(DEFAULT_LIMIT);
        let mut x = steps.x[1].clone();
        x[40].y = bad;
        let motion = Motion { x_t0: &steps.x[0], x_t1: &x };
        assert_eq!(d.update(motion, steps.separation, None).unwrap_err().vertex, 40);
        let mut new = steps.detector(&s);
        for d in [&mut d, &mut new] {
            d.update(steps.motion(1), steps.separation, None).unwrap();
        }
        assert_eq!(d.self_candidates(DEFAULT_LIMIT), new.self_candidates(DEFAULT_LIMIT));
    }
}

#[test]
fn what_is_kept_of_a_step_serves_no_update_that_changes_a_part_of_it() {
    let steps = folded(10, 3, 1.0, DVec3::ZERO, 0.0, &[0.3, -0.2, 0.5]);
    let s = surface(&steps.mesh);
    let mut d = steps.detector(&s);
    // Twice, so that something is kept.
    for _ in 0..2 {
        d.update(steps.motion(0), steps.separation, None).unwrap();
        d.self_candidates(DEFAULT_LIMIT);
    }
    // Then the half of it moves otherwise: those pairs with a moved vertex are those of a detector that sees it all.
    let moved: Vec<bool> = (0..s.vertices).map(|v| v.is_multiple_of(2)).collect();
    let lifted = |v: usize| if moved[v] { 0.08 * DVec3::Z } else { DVec3::ZERO };
    let x: Vec<DVec3> = (0..s.vertices).map(|v| steps.x[1][v] + lifted(v)).collect();
    let motion = Motion { x_t0: &steps.x[0], x_t1: &x };
    d.update(motion, steps.separation, Some(&moved)).unwrap();
    let found = d.self_candidates(DEFAULT_LIMIT).0;
    let mut new = steps.detector(&s);
    new.update(motion, steps.separation, None).unwrap();
    let all = new.self_candidates(DEFAULT_LIMIT).0;
    let any = |v: &[u32]| v.iter().any(|v| moved[*v as usize]);
    let vf: Vec<[u32; 2]> = all
        .vf
        .iter()
        .filter(|[v, t]| any(&[*v]) || any(&s.triangles[*t as usize]))
        .copied()
        .collect();
    let ee: Vec<[u32; 2]> = all
        .ee
        .iter()
        .filter(|[a, b]| any(&s.edges[*a as usize]) || any(&s.edges[*b as usize]))
        .copied()
        .collect();
    assert!(!found.is_empty());
    assert_eq!((found.vf, found.ee), (vf, ee));
}

#[test]
fn what_is_kept_of_a_step_does_not_serve_the_next_while_volumes_do() {
    let steps = folded(10, 3, 1.0, DVec3::ZERO, 0.02, &[0.3, -0.2, 0.5]);
    let s = surface(&steps.mesh);
    // Volumes with so much to spare are never computed anew.
    let options = Options { inflation: 0.5, ..Options::default() };
    let piece = vec![0; s.triangles.len()];
    let mut d = Detector::for_cloth_with(s.clone(), &uv(&steps.mesh), &piece, options);
    let mut met = 0;
    // Another separation, so that the second refit keeps what the first query asked for; then other ends of the same begin.
    for (end, more) in [(1, 1e-4), (1, 0.0), (2, 0.0), (3, 0.0)] {
        let motion = Motion { x_t0: &steps.x[0], x_t1: &steps.x[end] };
        d.update(motion, steps.separation + more, None).unwrap();
        let all = brute::self_candidates(&s, motion, steps.separation + more);
        let truth = steps.met(&s, motion, &all);
        let found = d.self_candidates(DEFAULT_LIMIT).0;
        assert!(steps.met(&s, motion, &found) == truth, "to {end}");
        met += truth.len();
    }
    assert!(met > 0, "nothing meets");
}
