//! Known answers.

use glam::DVec3;
use toile_audit::{Count, Error, count_self_intersections, self_intersections};
use toile_mesh::shape::{Diagonals, grid};

fn v(x: f64, y: f64, z: f64) -> DVec3 {
    DVec3::new(x, y, z)
}

/// Whether the two triangles of a two-triangle mesh intersect.
fn pair(x: &[DVec3], s: [u32; 3], t: [u32; 3]) -> bool {
    let found = self_intersections(x, &[s, t]).unwrap();
    assert!(found.is_empty() || found == [[0, 1]]);
    !found.is_empty()
}

const S: [DVec3; 3] = [DVec3::ZERO, DVec3::new(1.0, 0.0, 0.0), DVec3::new(0.0, 1.0, 0.0)];

fn against(t: [DVec3; 3]) -> bool {
    let x: Vec<_> = S.into_iter().chain(t).collect();
    pair(&x, [0, 1, 2], [3, 4, 5])
}

#[test]
fn triangles_without_shared_vertices_count_from_the_first_common_point() {
    assert!(against([v(0.2, 0.2, -1.0), v(0.2, 0.2, 1.0), v(2.0, 2.0, 0.5)]), "pierced");
    assert!(against([v(0.2, 0.2, 0.0), v(0.2, 0.2, 1.0), v(2.0, 2.0, 1.0)]), "corner on face");
    assert!(against([v(0.0, 0.0, 0.0), v(-1.0, 0.0, 1.0), v(0.0, -1.0, 1.0)]), "corner on corner");
    assert!(against([v(0.5, 0.0, -1.0), v(0.5, 0.0, 1.0), v(0.5, -1.0, 0.0)]), "edge on edge");
    assert!(against([v(0.1, 0.1, 0.0), v(0.2, 0.1, 0.0), v(0.1, 0.2, 0.0)]), "inside, coplanar");
    assert!(against([v(-9.0, -9.0, 0.0), v(9.0, -9.0, 0.0), v(0.0, 9.0, 0.0)]), "around, coplanar");
    assert!(!against([v(1.0, 1.0, 0.0), v(2.0, 1.0, 0.0), v(1.0, 2.0, 0.0)]), "beside, coplanar");
    let tiny = f64::EPSILON;
    assert!(!against([v(0.2, 0.2, tiny), v(0.2, 0.2, 1.0), v(2.0, 2.0, 1.0)]), "just above");
    assert!(!against([v(0.5, -1e-80, -1.0), v(0.5, -1e-80, 1.0), v(0.5, -1.0, 0.0)]));
}

#[test]
fn degenerate_triangles_count_as_segments_and_points() {
    assert!(against([v(0.2, 0.2, -1.0), v(0.2, 0.2, 1.0), v(0.2, 0.2, 0.5)]), "needle through");
    assert!(!against([v(0.2, 0.2, 2.0), v(0.2, 0.2, 1.0), v(0.2, 0.2, 0.5)]), "needle above");
    assert!(against([v(0.25, 0.25, 0.0); 3]), "point on face");
    assert!(against([v(0.5, 0.5, 0.0); 3]), "point on edge");
    assert!(!against([v(0.75, 0.75, 0.0); 3]), "point beside");
}

#[test]
fn a_shared_vertex_alone_is_no_intersection() {
    let x = [S[0], S[1], S[2], v(-1.0, 0.0, 0.0), v(0.0, -1.0, 0.0), v(0.3, 0.3, 0.0)];
    assert!(!pair(&x, [0, 1, 2], [0, 3, 4]), "opposite fans in a plane");
    assert!(pair(&x, [0, 1, 2], [0, 3, 5]), "a corner inside");
    let y = [S[0], S[1], S[2], v(0.2, 0.2, 1.0), v(0.2, 0.2, -1.0), v(-1.0, -1.0, 1.0)];
    assert!(pair(&y, [0, 1, 2], [0, 3, 4]), "opposite edge pierces");
    assert!(!pair(&y, [0, 1, 2], [0, 3, 5]), "fold above");
    let z = [S[0], S[1], S[2], v(2.0, 0.0, 0.0), v(0.0, 0.0, 1.0)];
    assert!(pair(&z, [0, 1, 2], [0, 3, 4]), "collinear edges overlap");
}

#[test]
fn a_shared_edge_counts_only_when_folded_flat() {
    let x = [S[0], S[1], S[2], v(0.3, -1.0, 0.0), v(0.3, 2.0, 0.0), v(0.3, 1.0, 1e-30)];
    assert!(!pair(&x, [0, 1, 2], [1, 0, 3]), "flat sheet");
    assert!(pair(&x, [0, 1, 2], [1, 0, 4]), "folded exactly");
    assert!(!pair(&x, [0, 1, 2], [1, 0, 5]), "folded almost");
    assert!(pair(&x, [0, 1, 2], [2, 1, 0]), "the same triangle twice");
}

#[test]
fn bad_input_is_an_error_with_the_index() {
    let nan = [S[0], v(0.0, f64::NAN, 0.0), S[2]];
    assert!(matches!(
        self_intersections(&nan, &[[0, 1, 2]]),
        Err(Error::NotFinite { vertex: 1, .. })
    ));
    let huge = [S[0], S[1], v(0.0, 1.0, 1e200)];
    assert!(matches!(
        self_intersections(&huge, &[[0, 1, 2]]),
        Err(Error::OutOfRange { vertex: 2, .. })
    ));
    assert!(matches!(
        self_intersections(&S, &[[0, 1, 2], [0, 1, 3]]),
        Err(Error::NoSuchVertex { triangle: 1, .. })
    ));
    assert_eq!(self_intersections(&[], &[]), Ok(vec![]));
}

#[test]
fn a_coordinate_too_small_for_exact_arithmetic_is_taken_as_zero() {
    // The second triangle's corner would miss the first by 1e-200.
    let x = [S[0], S[1], S[2], v(0.2, 0.2, 1e-200), v(0.2, 0.2, 1.0), v(0.3, 0.2, 1.0)];
    assert_eq!(self_intersections(&x, &[[0, 1, 2], [3, 4, 5]]), Ok(vec![[0, 1]]));
}

/// A wavy sheet of 2·n² triangles.
fn wavy(n: usize) -> toile_mesh::TriMesh {
    grid(1.0, 1.0, n, n, Diagonals::Alternating)
        .map_positions(|p| p.with_y(0.05 * (9.0 * p.x).sin() * (7.0 * p.z).cos()))
}

#[test]
fn a_smooth_sheet_and_a_flat_sheet_are_clean() {
    let flat = grid(1.0, 1.0, 40, 40, Diagonals::Alternating);
    assert_eq!(self_intersections(&flat.positions, &flat.triangles), Ok(vec![]));
    let tilted = flat.map_positions(|p| v(p.x, p.x + p.z, p.z));
    assert_eq!(self_intersections(&tilted.positions, &tilted.triangles), Ok(vec![]));
    let wavy = wavy(40);
    assert_eq!(self_intersections(&wavy.positions, &wavy.triangles), Ok(vec![]));
}

#[test]
fn the_one_planted_intersection_in_ten_thousand_triangles_is_found() {
    let mut mesh = wavy(71); // 10 082 triangles
    let t = 4321;
    let [a, b, c] = mesh.corners(t);
    let centre = (a + b + c) / 3.0;
    let up = mesh.area_normal(t).normalize();
    // A needle that dips through one triangle and comes no nearer to any other.
    let first = mesh.positions.len() as u32;
    let side = (b - a) * 0.01;
    mesh.positions.extend([centre - up * 1e-6, centre + up * 1e-2, centre + up * 1e-2 + side]);
    mesh.triangles.push([first, first + 1, first + 2]);
    let planted = mesh.triangles.len() as u32 - 1;
    assert_eq!(self_intersections(&mesh.positions, &mesh.triangles), Ok(vec![[t as u32, planted]]));
}

#[test]
fn counting_agrees_with_the_list_and_ends_at_its_limit() {
    let mesh = wavy(40).map_positions(|p| v((17.0 * p.x).sin() * 0.1, p.y, (13.0 * p.z).cos()));
    let all = self_intersections(&mesh.positions, &mesh.triangles).unwrap();
    let count = |most| count_self_intersections(&mesh.positions, &mesh.triangles, most).unwrap();
    let n = all.len() as u64;
    assert!(n > 1000, "{n}");
    for most in [n, n + 1, u64::MAX] {
        assert_eq!(count(most), Count { pairs: n, more: false, first: all.first().copied() });
    }
    for most in [0, 1, n - 1] {
        let found = count(most);
        assert_eq!((found.pairs, found.more), (most, true));
        assert!(all.contains(&found.first.unwrap()));
    }
}

#[test]
fn the_answer_is_the_same_for_any_number_of_threads() {
    let mesh = wavy(60).map_positions(|p| v((17.0 * p.x).sin() * 0.1, p.y, (13.0 * p.z).cos()));
    let run = |threads| {
        rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap()
            .install(|| self_intersections(&mesh.positions, &mesh.triangles).unwrap())
    };
    let one = run(1);
    assert!(one.len() > 1000, "the sheet is folded through itself: {}", one.len());
    assert_eq!(one, run(2));
    assert_eq!(one, run(4));
}
