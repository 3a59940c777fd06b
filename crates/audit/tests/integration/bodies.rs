//! Penetration of bodies and strain: known answers and agreement of formula and mesh.

use glam::{DMat3, DQuat, DVec3};
use proptest::prelude::*;
use toile_audit::{
    Error, Penetrations, Shape, body_penetrations, body_penetrations_deeper_than, edge_lengths,
    max_edge_strain,
};
use toile_mesh::TriMesh;

fn v(x: f64, y: f64, z: f64) -> DVec3 {
    DVec3::new(x, y, z)
}

/// The cube from −1 to 1, facing outwards.
fn cube() -> (Vec<DVec3>, Vec<[u32; 3]>) {
    let corners = (0..8).map(|k| {
        let side = |bit: u32| if k & bit == 0 { -1.0 } else { 1.0 };
        v(side(1), side(2), side(4))
    });
    let faces =
        [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles = faces.iter().flat_map(|[a, b, c, d]| [[*a, *b, *c], [*a, *c, *d]]).collect();
    (corners.collect(), triangles)
}

fn cube_mesh() -> Shape {
    let (positions, triangles) = cube();
    Shape::Mesh(TriMesh::new(positions, triangles))
}

fn one(body: &Shape, t: [DVec3; 3]) -> Penetrations {
    body_penetrations(&t, &[[0, 1, 2]], body).unwrap()
}

fn is_vertex_inside(body: &Shape, p: DVec3) -> bool {
    let found = body_penetrations(&[p], &[], body).unwrap();
    !found.vertices_inside.is_empty()
}

#[test]
fn a_mesh_is_penetrated_by_corners_edges_and_whole_triangles() {
    let body = cube_mesh();
    let within = one(&body, [v(0.1, 0.0, 0.0), v(0.2, 0.0, 0.0), v(0.1, 0.3, 0.0)]);
    assert_eq!(within.vertices_inside, [0, 1, 2]);
    assert!(within.triangles_crossing.is_empty());
    assert_eq!(within.count(), 1);
    let through = one(&body, [v(-5.0, 0.1, 0.2), v(5.0, 0.1, 0.2), v(0.0, 0.1, 9.0)]);
    assert!(through.vertices_inside.is_empty());
    assert_eq!(through.triangles_crossing, [0]);
    assert_eq!(through.count(), 1);
    let outside = one(&body, [v(2.0, 0.0, 0.0), v(0.0, 2.5, 0.0), v(3.0, 3.0, 0.0)]);
    assert_eq!(outside, Penetrations::default());
    let touching = one(&body, [v(1.0, 0.0, 0.0), v(2.0, 0.0, 0.0), v(2.0, 1.0, 0.0)]);
    assert_eq!((touching.vertices_inside.len(), touching.count()), (0, 1));
}

#[test]
fn rays_through_edges_and_corners_of_a_mesh_are_counted_once() {
    // An octahedron has its corners on the axes: most of these rays meet edges or corners.
    let mut x = Vec::new();
    for axis in DVec3::AXES {
        x.extend([4.0 * axis, -4.0 * axis]);
    }
    let mut triangles = Vec::new();
    for k in 0..8u32 {
        let [a, b, c] = [k & 1, 2 + (k >> 1 & 1), 4 + (k >> 2 & 1)];
        triangles.push(if k.count_ones() % 2 == 0 { [a, b, c] } else { [a, c, b] });
    }
    let mut flipped = triangles.clone();
    flipped[3].swap(0, 1);
    for triangles in [triangles, flipped] {
        let body = Shape::Mesh(TriMesh::new(x.clone(), triangles));
        for i in 0..11 * 11 * 11 {
            let p = v((i % 11 - 5).into(), (i / 11 % 11 - 5).into(), (i / 121 - 5).into());
            let truth = p.abs().element_sum() < 4.0;
            assert_eq!(is_vertex_inside(&body, p), truth, "{p}");
        }
    }
}

#[test]
fn overlapping_parts_of_a_body_do_not_cancel() {
    let (mut positions, mut triangles) = cube();
    let (other, faces) = cube();
    positions.extend(other.iter().map(|p| *p + v(0.5, 0.25, 0.125)));
    triangles.extend(faces.iter().map(|t| t.map(|i| i + 8)));
    let body = Shape::Mesh(TriMesh::new(positions, triangles));
    assert!(is_vertex_inside(&body, v(0.1, 0.1, 0.1)), "inside both");
    assert!(is_vertex_inside(&body, v(1.2, 0.1, 0.1)), "inside the second");
    assert!(!is_vertex_inside(&body, v(1.6, 0.1, 0.1)));
}

#[test]
fn an_open_mesh_has_crossings_only_and_says_so() {
    let (positions, mut triangles) = cube();
    triangles.pop();
    let body = Shape::Mesh(TriMesh::new(positions, triangles));
    let within = one(&body, [v(0.1, 0.0, 0.0), v(0.2, 0.0, 0.0), v(0.1, 0.3, 0.0)]);
    assert!(within.open_body && within.count() == 0);
    let through = one(&body, [v(-5.0, 0.1, 0.2), v(0.0, 0.1, 0.2), v(0.0, 0.1, 9.0)]);
    assert!(through.open_body && through.count() == 1);
}

#[test]
fn formulas_are_penetrated_from_inside_the_triangle_too() {
    let big = [v(-9.0, 0.5, -9.0), v(9.0, 0.5, -9.0), v(0.0, 0.5, 9.0)];
    let away = big.map(|p| p + v(0.0, 0.5, 0.0));
    let sphere = Shape::Sphere { centre: DVec3::ZERO, radius: 1.0 };
    let capsule = Shape::Capsule { a: v(0.0, -3.0, 0.0), b: DVec3::ZERO, radius: 1.0 };
    let cuboid = Shape::Cuboid { centre: DVec3::ZERO, half: DVec3::ONE, rotation: DMat3::IDENTITY };
    let plane = Shape::Plane { point: v(5.0, 1.0, 5.0), normal: v(0.0, 3.0, 0.0) };
    for body in [&sphere, &capsule, &cuboid] {
        let found = one(body, big);
        assert_eq!(found.triangles_crossing, [0], "{body:?}");
        assert!(found.vertices_inside.is_empty());
        assert_eq!(one(body, away).count(), 0, "touching {body:?}");
    }
    assert_eq!(one(&plane, big).vertices_inside, [0, 1, 2]);
    assert_eq!(one(&plane, away).count(), 0);
    let count =
        |depth| body_penetrations_deeper_than(depth, &big, &[[0, 1, 2]], &sphere).unwrap().count();
    assert_eq!((count(0.49), count(0.51)), (1, 0));
}

#[test]
fn shapes_without_a_size_are_errors() {
    for body in [
        Shape::Sphere { centre: DVec3::ZERO, radius: 0.0 },
        Shape::Plane { point: DVec3::ZERO, normal: DVec3::ZERO },
        Shape::Cuboid { centre: DVec3::NAN, half: DVec3::ONE, rotation: DMat3::IDENTITY },
    ] {
        assert_eq!(body_penetrations(&[], &[], &body), Err(Error::NotASolid));
    }
}

#[test]
fn strain_is_the_worst_edge_of_each_kind() {
    let edges = [[0, 1], [1, 2], [2, 0]];
    let rest =
        edge_lengths(&[v(0.0, 0.0, 0.0), v(1.0, 0.0, 0.0), v(1.0, 1.0, 0.0)], &edges).unwrap();
    let now = [v(0.0, 0.0, 0.0), v(1.25, 0.0, 0.0), v(1.25, 0.5, 0.0)];
    let strain = max_edge_strain(&rest, &now, &edges).unwrap();
    assert_eq!((strain.extension, strain.longest), (0.25, Some(0)));
    assert_eq!((strain.compression, strain.shortest), (0.5, Some(1)));
    assert!((strain.largest() - 0.5).abs() < 1e-15);
    assert!(matches!(
        max_edge_strain(&[0.0; 3], &now, &edges),
        Err(Error::NoStrain { edge: 0, .. })
    ));
    assert!(matches!(max_edge_strain(&rest[1..], &now, &edges), Err(Error::RestLengths { .. })));
}

fn point(range: f64) -> impl Strategy<Value = DVec3> {
    let c = -range..range;
    (c.clone(), c.clone(), c).prop_map(|(x, y, z)| v(x, y, z))
}

/// Smallest distance of sampled points of a triangle from a segment; `a == b` gives a centre.
fn sampled_distance(a: DVec3, b: DVec3, t: [DVec3; 3]) -> f64 {
    let n = 24;
    let mut least = f64::INFINITY;
    for i in 0..=n {
        for j in 0..=n - i {
            let (s, r) = (f64::from(i) / f64::from(n), f64::from(j) / f64::from(n));
            let p = t[0] + s * (t[1] - t[0]) + r * (t[2] - t[0]);
            for k in 0..=n {
                least = least.min(p.distance(a.lerp(b, f64::from(k) / f64::from(n))));
            }
        }
    }
    least
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn a_cuboid_agrees_with_its_mesh(
        t in [point(2.0), point(2.0), point(2.0)], half in [0.1..1.5f64, 0.1..1.5, 0.1..1.5],
        axis in point(1.0), angle in -3.0..3.0f64, centre in point(0.5),
    ) {
        let half = DVec3::from_array(half);
        let rotation = DQuat::from_scaled_axis(axis.normalize_or(DVec3::X) * angle);
        let (positions, triangles) = cube();
        let positions = positions.iter().map(|p| rotation * (*p * half) + centre).collect();
        let by_mesh = one(&Shape::Mesh(TriMesh::new(positions, triangles)), t);
        let by_formula = one(&Shape::Cuboid { centre, half, rotation: DMat3::from_quat(rotation) }, t);
        prop_assert_eq!(by_formula, by_mesh);
    }

    #[test]
    fn spheres_and_capsules_agree_with_sampling(
        t in [point(1.0), point(1.0), point(1.0)], a in point(1.0), b in point(1.0),
        collapse in 0..3usize,
    ) {
        // Also triangles that are segments or points.
        let t = [t[0], t[1.min(2 - collapse)], t[2 - collapse]];
        for (a, b) in [(a, a), (a, b)] {
            let body = |radius| if a == b {
                Shape::Sphere { centre: a, radius }
            } else {
                Shape::Capsule { a, b, radius }
            };
            let sampled = sampled_distance(a, b, t);
            // A sample is at most half a cell of each away from the true nearest pair.
            let coarse = 6.0 / 24.0;
            prop_assert_eq!(one(&body(sampled + 1e-9), t).count(), 1);
            if sampled > coarse {
                prop_assert_eq!(one(&body(sampled - coarse), t).count(), 0);
            }
        }
    }
}
