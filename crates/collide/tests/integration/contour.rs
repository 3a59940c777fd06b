//! The contour test against crossings of all pairs of edges, and against exact intersections.

use crate::panels;

use glam::{DVec2, DVec3};
use panels::{c_panel, crossing_funnel, disc, intersections, panel, surface};
use proptest::prelude::*;
use toile_collide::Motion;
use toile_collide::prune::{DirectionSet, boundary_loop, is_simple, outline_is_simple};
use toile_mesh::TriMesh;

/// Whether two edges have a point in common; only coincidences may be judged either way.
fn cross(a: [DVec2; 2], b: [DVec2; 2]) -> bool {
    let side = |e: [DVec2; 2], p: DVec2| (e[1] - e[0]).perp_dot(p - e[0]);
    side(a, b[0]) * side(a, b[1]) <= 0.0 && side(b, a[0]) * side(b, a[1]) <= 0.0
}

/// Every pair of edges without a common end, at some times.
fn crosses_itself(points: &[[DVec2; 2]], times: u32) -> bool {
    let n = points.len();
    (0..=times).any(|i| {
        let t = f64::from(i) / f64::from(times);
        let at = |i: usize| points[i % n][0].lerp(points[i % n][1], t);
        (0..n).any(|i| {
            (i + 2..n).any(|j| (j + 1) % n != i && cross([at(i), at(i + 1)], [at(j), at(j + 1)]))
        })
    })
}

fn ring(n: usize, radius: impl Fn(f64) -> f64) -> Vec<DVec2> {
    let angle = |i: usize| i as f64 * std::f64::consts::TAU / n as f64;
    (0..n).map(|i| DVec2::from_angle(angle(i)) * radius(angle(i))).collect()
}

fn moving(from: &[DVec2], to: &[DVec2]) -> Vec<[DVec2; 2]> {
    from.iter().zip(to).map(|(a, b)| [*a, *b]).collect()
}

#[test]
fn round_and_wavy_polygons_are_simple_and_eights_are_not() {
    for n in [3, 4, 5, 17, 1000] {
        let circle = ring(n, |_| 1.0);
        assert!(is_simple(&moving(&circle, &circle), 0.0), "{n}");
        let turned: Vec<DVec2> =
            circle.iter().map(|p| DVec2::from_angle(0.5).rotate(*p) * 3.0 + 5.0).collect();
        assert!(is_simple(&moving(&circle, &turned), 0.0), "{n}");
    }
    let star = ring(600, |a| 1.0 + 0.5 * (9.0 * a).sin());
    assert!(is_simple(&moving(&star, &star), 1e-4));
    let eight: Vec<DVec2> =
        ring(60, |_| 1.0).iter().map(|p| DVec2::new(p.x, 2.0 * p.x * p.y)).collect();
    assert!(!is_simple(&moving(&eight, &eight), 0.0));
}

#[test]
fn a_crossing_in_the_middle_of_the_step_is_seen() {
    // Opposite corners of a square change places; both ends are simple, the middle is not.
    let square = [DVec2::ZERO, DVec2::X, DVec2::ONE, DVec2::Y];
    let swapped = [DVec2::ONE, DVec2::X, DVec2::ZERO, DVec2::Y];
    assert!(!is_simple(&moving(&square, &swapped), 0.0));
}

#[test]
fn edges_that_fold_back_or_have_no_length_are_not_simple() {
    let spike = [DVec2::ZERO, DVec2::X, DVec2::new(0.5, 0.0), DVec2::Y];
    assert!(!is_simple(&moving(&spike, &spike), 0.0));
    let double = [DVec2::ZERO, DVec2::X, DVec2::X, DVec2::Y];
    assert!(!is_simple(&moving(&double, &double), 0.0));
    let nan = [DVec2::ZERO, DVec2::X, DVec2::NAN, DVec2::Y];
    assert!(!is_simple(&moving(&nan, &nan), 0.0));
    assert!(!is_simple(&moving(&spike[..2], &spike[..2]), 0.0));
}

#[test]
fn the_margin_is_kept_between_parts_that_are_not_neighbours() {
    // A slot of width 0.1 in a rectangle.
    let slot = [
        (0.0, 0.0),
        (1.0, 0.0),
        (1.0, 1.0),
        (0.55, 1.0),
        (0.55, 0.2),
        (0.45, 0.2),
        (0.45, 1.0),
        (0.0, 1.0),
    ]
    .map(|(x, y)| DVec2::new(x, y));
    assert!(is_simple(&moving(&slot, &slot), 0.09));
    assert!(!is_simple(&moving(&slot, &slot), 0.11));
}

#[test]
fn the_outline_of_a_disc_goes_around_once_and_other_regions_have_none() {
    let mesh = disc(5, 0.2);
    let s = surface(&mesh);
    let all: Vec<u32> = (0..mesh.triangles.len() as u32).collect();
    let outline = boundary_loop(&s, &all).unwrap_or_default();
    assert_eq!(outline.len(), 30);
    assert!(outline.windows(2).all(|w| {
        let [a, b] = [w[0], w[1]].map(|v| mesh.uv[v as usize]);
        a.perp_dot(b) > 0.0
    }));
    assert_eq!(boundary_loop(&s, &[]), None);
    assert_eq!(boundary_loop(&s, &all[6..]), None, "a ring");
    assert_eq!(boundary_loop(&s, &[0, 149]), None, "two pieces");
    // Two triangles that meet in a vertex only, joined around it: pinched.
    let fan: Vec<u32> = (0..6).collect();
    assert_eq!(boundary_loop(&s, &[fan[0], fan[2]]), None);
    let mut turned = mesh.clone();
    turned.triangles[7].swap(0, 1);
    assert_eq!(boundary_loop(&surface(&turned), &all), None, "not oriented alike");
    let book = TriMesh::new(vec![DVec3::ZERO; 5], vec![[0, 1, 2], [1, 0, 3], [0, 1, 4]]);
    assert_eq!(boundary_loop(&surface(&book), &[0, 1, 2]), None, "three on an edge");
    let tetrahedron = vec![[0, 1, 2], [0, 3, 1], [1, 3, 2], [2, 3, 0]];
    let closed = TriMesh::new(vec![DVec3::ZERO; 4], tetrahedron);
    assert_eq!(boundary_loop(&surface(&closed), &[0, 1, 2, 3]), None, "closed");
}

/// Whether the curvature test with outline clears all triangles of a mesh.
fn is_cleared(mesh: &TriMesh, motion: Motion<'_>) -> bool {
    let all: Vec<u32> = (0..mesh.triangles.len() as u32).collect();
    let Some(outline) = boundary_loop(&surface(mesh), &all) else { return false };
    let set = mesh.triangles.iter().map(|t| t.map(|v| motion.ends(v)));
    let set = set.map(DirectionSet::of_triangle).fold(DirectionSet::ALL, DirectionSet::merge);
    set.directions().any(|d| outline_is_simple(&outline, motion, d))
}

#[test]
fn a_funnel_whose_ends_cross_is_found_out_by_its_outline() {
    let mesh = crossing_funnel(72, 8);
    let still = Motion::still(&mesh.positions);
    assert!(!intersections(&mesh, still, &[0.0]).is_empty());
    assert!(!is_cleared(&mesh, still));
    // Opened to less than a turn it is cleared.
    let open = c_panel(72, 8);
    assert!(is_cleared(&open, Motion::still(&open.positions)));
    // Closing during the step is seen as well.
    assert!(!is_cleared(&mesh, Motion { x_t0: &open.positions, x_t1: &mesh.positions }));
}

#[test]
fn a_vertex_with_two_turns_of_triangles_is_found_out_by_the_outline() {
    // Ten triangles of 72° around a vertex: every normal points up, all turned about it twice.
    let rim = (0..10).map(|i| {
        let p = DVec2::from_angle(f64::from(i) * 0.4 * std::f64::consts::PI);
        p.extend(0.1 * f64::from(i % 7))
    });
    let x: Vec<DVec3> = std::iter::once(DVec3::ZERO).chain(rim).collect();
    let triangles: Vec<[u32; 3]> = (0..10).map(|i| [0, 1 + i, 1 + (i + 1) % 10]).collect();
    let mesh = TriMesh::new(x.clone(), triangles);
    assert!(!is_cleared(&mesh, Motion::still(&x)));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn what_is_called_simple_never_crosses_itself(
        n in 4..40_usize, wave in [1..6_u32, 1..6], depth in [0.0..1.1_f64, 0.0..1.1],
        turn in -4.0..4.0_f64, noise in prop::collection::vec(-1.0..1.0_f64, 80),
        amplitude in 0.0..0.3_f64,
    ) {
        let shape = |k: usize| {
            ring(n, |a| 1.0 - depth[k] * (f64::from(wave[k]) * a).sin()).into_iter().enumerate()
                .map(|(i, p)| p + amplitude * DVec2::new(noise[2 * i], noise[2 * i + 1]))
                .collect::<Vec<_>>()
        };
        let to: Vec<DVec2> =
            shape(1).iter().map(|p| DVec2::from_angle(turn).rotate(*p) + DVec2::X).collect();
        let points = moving(&shape(0), &to);
        if is_simple(&points, 0.0) {
            prop_assert!(!crosses_itself(&points, 40));
        }
    }

    #[test]
    fn a_polygon_at_rest_without_crossing_is_called_simple(
        n in 4..40_usize, noise in prop::collection::vec(0.5..1.5_f64, 40),
    ) {
        // A star around the origin is simple whatever its radii, and its edges are well apart.
        let star: Vec<DVec2> =
            ring(n, |_| 1.0).iter().zip(&noise).map(|(p, r)| *p * *r).collect();
        prop_assert!(is_simple(&moving(&star, &star), 0.0));
    }

    #[test]
    fn what_curvature_and_outline_clear_does_not_intersect_itself(
        shape in 0..3_usize, close in 0.5..1.7_f64, slope in 0.0..1.5_f64,
        noise in prop::collection::vec(-0.03..0.03_f64, 89),
    ) {
        let mesh = match shape {
            0 => c_panel(30, 3),
            1 => panel(10, 6, |p| p - 0.3),
            _ => disc(5, 0.3),
        };
        let place = |k: f64, shift: usize| -> Vec<DVec3> {
            mesh.uv.iter().enumerate().map(|(i, p)| {
                let a = p.y.atan2(p.x).rem_euclid(std::f64::consts::TAU);
                let a = if a > 5.5 { a - std::f64::consts::TAU } else { a };
                let shake = noise[(i + shift) % noise.len()];
                (DVec2::from_angle(k * a) * p.length()).extend(slope * p.length() + shake)
            }).collect()
        };
        let (x_t0, x_t1) = (place(1.0, 0), place(close, 7));
        let motion = Motion { x_t0: &x_t0, x_t1: &x_t1 };
        if is_cleared(&mesh, motion) {
            prop_assert!(intersections(&mesh, motion, &[0.0, 0.3, 0.7, 1.0]).is_empty());
        }
    }
}
