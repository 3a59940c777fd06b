//! Distance fields against exact distances.

use crate::solids;

use glam::{DQuat, DVec3};
use solids::*;
use toile_collide::field::{
    DenseField, Field, PartFields, Pose, Sample, Solid, SolidError, Spacing, SparseField,
};
use toile_mesh::{TriMesh, shape};

/// Mean square error against an exact distance, over points of the shell |distance| < `shell`.
fn rms(field: &DenseField, shell: f64, exact: impl Fn(DVec3) -> f64) -> f64 {
    let (mut sum, mut n) = (0.0, 0);
    for p in points(20_000, DVec3::splat(-1.5), DVec3::splat(1.5)) {
        let (Some(s), d) = (field.sample(p), exact(p)) else { continue };
        if d.abs() < shell {
            sum += (s.distance - d).powi(2);
            n += 1;
        }
    }
    assert!(n > 1000);
    (sum / f64::from(n)).sqrt()
}

#[test]
fn smooth_surfaces_converge_with_the_square_of_the_cell() {
    // Fine meshes, so that the facets (h²/8R, below 4e-5) do not hide the grid's error.
    let sphere = solid(&shape::sphere(1.0, 6));
    let ring = solid(&torus(0.8, 0.4, 240, 120));
    let spacing = |cell: f64| Spacing { cell, margin: 0.3 };
    let error = |s: &Solid, cell: f64, exact: &dyn Fn(DVec3) -> f64| {
        rms(&DenseField::new(s, spacing(cell)).unwrap(), 0.25, exact)
    };
    let ball = |p: DVec3| p.length() - 1.0;
    let (a, b) = (error(&sphere, 0.2, &ball), error(&sphere, 0.1, &ball));
    assert!(order(a, b, 2.0) > 1.8, "{a} {b}");
    assert!(b < 0.1 * 0.1 / 4.0, "{b} is above the bound h²/4R");
    let donut = |p: DVec3| torus_distance(0.8, 0.4, p);
    let (a, b) = (error(&ring, 0.1, &donut), error(&ring, 0.05, &donut));
    assert!(order(a, b, 2.0) > 1.8, "{a} {b}");
}

#[test]
fn flat_faces_are_exact_away_from_edges() {
    let size = DVec3::new(1.0, 0.8, 0.6);
    let cube = solid(&shape::cuboid(size, 3));
    let field = DenseField::new(&cube, Spacing { cell: 0.05, margin: 0.2 }).unwrap();
    let mut seen = 0;
    for p in points(20_000, -0.7 * size, 0.7 * size) {
        let exact = box_distance(-0.5 * size, 0.5 * size, p);
        // Beyond one face only, and two cells from where two faces are equally near.
        let beyond = (p.abs() - 0.5 * size).to_array();
        let mut sorted = beyond;
        sorted.sort_by(f64::total_cmp);
        if sorted[1] < -0.1 && sorted[2] > sorted[1] + 0.2 && field.sample(p).is_some() {
            let Sample { distance, gradient } = field.sample(p).unwrap();
            let axis = beyond.iter().position(|b| *b == sorted[2]).unwrap();
            let mut normal = DVec3::ZERO;
            normal[axis] = p[axis].signum();
            assert!((distance - exact).abs() < 1e-6, "{p}: {distance} {exact}");
            assert!(gradient.distance(normal) < 1e-5, "{p}: {gradient}");
            seen += 1;
        }
    }
    assert!(seen > 1000, "{seen}");
}

#[test]
fn a_concave_edge_is_rounded_by_less_than_a_cell() {
    let body = solid(&l_shape());
    for p in points(5000, DVec3::splat(-0.5), DVec3::splat(2.5)) {
        let exact = l_shape_distance(p);
        assert!((body.signed_distance(p) - exact).abs() < 1e-12, "{p}");
    }
    let worst = |cell: f64| {
        let field = DenseField::new(&body, Spacing { cell, margin: 0.3 }).unwrap();
        let at = |p: DVec3| (field.sample(p).unwrap().distance - l_shape_distance(p)).abs();
        points(20_000, DVec3::splat(-0.2), DVec3::new(2.2, 2.2, 1.2)).map(at).fold(0.0, f64::max)
    };
    // First order at kinks; the bound is half the diagonal of a cell, less where two sides meet.
    let (a, b) = (worst(0.1), worst(0.05));
    assert!(a < 0.06 && b < 0.03, "{a} {b}");
    assert!(order(a, b, 2.0) > 0.7, "{a} {b}");
}

#[test]
fn values_far_from_the_surface_are_good_to_a_tenth_of_a_cell() {
    // A fine mesh, so that triangles can be missed when they spread.
    let s = solid(&torus(0.8, 0.35, 96, 48));
    let cell = 0.05;
    let field = DenseField::new(&s, Spacing { cell, margin: 0.5 }).unwrap();
    let (lo, hi) = s.bounds();
    let mut seen = 0;
    for p in points(10_000, lo - 0.45, hi + 0.45) {
        let exact = s.signed_distance(p);
        // Away from the axis of symmetry, where all sides are equally near and the field has a kink.
        if exact > 0.15 && p.x.hypot(p.z) > 0.2 {
            let error = (field.sample(p).unwrap().distance - exact).abs();
            // Interpolation: h²/4R with R ≥ 0.15.
            assert!(error < 0.1 * cell + cell * cell / 0.6, "{p}: {error}");
            seen += 1;
        }
    }
    assert!(seen > 3000, "{seen}");
}

#[test]
fn the_sign_is_right_at_every_point_off_the_surface() {
    let shapes = [
        solid(&shape::sphere(1.0, 3)),
        solid(&shape::cuboid(DVec3::splat(1.3), 4)),
        solid(&torus(0.8, 0.35, 48, 24)),
        solid(&l_shape()),
    ];
    for s in &shapes {
        let spacing = Spacing { cell: 0.05, margin: 0.1 };
        let dense = DenseField::new(s, spacing).unwrap();
        let sparse = SparseField::new(s, spacing).unwrap();
        let (lo, hi) = s.bounds();
        for p in points(10_000, lo - 0.2, hi + 0.2) {
            let exact = s.signed_distance(p);
            // Off the band in which interpolation may move the surface: half a diagonal.
            if exact.abs() > 0.5 * 3.0_f64.sqrt() * 0.05 {
                for sample in [dense.sample(p), sparse.sample(p)] {
                    assert_eq!(
                        sample.is_some_and(|s| s.distance < 0.0),
                        exact < 0.0,
                        "{p} {sample:?}"
                    );
                }
            }
            for bound in [dense.distance_at_least(p), sparse.distance_at_least(p)] {
                assert!(bound <= exact, "{p}: {bound} is not below {exact}");
            }
            if dense.sample(p).is_none() {
                assert!(exact >= 0.1, "{p} is nearer than the margin");
            }
        }
    }
}

#[test]
fn sparse_and_dense_agree_in_the_margin() {
    let s = solid(&torus(0.8, 0.35, 192, 96));
    let spacing = Spacing { cell: 0.04, margin: 0.1 };
    let (dense, sparse) =
        (DenseField::new(&s, spacing).unwrap(), SparseField::new(&s, spacing).unwrap());
    assert!(2 * sparse.len() < 3 * dense.len(), "{} {}", sparse.len(), dense.len());
    let (lo, hi) = s.bounds();
    for p in points(10_000, lo - 0.1, hi + 0.1) {
        let exact = s.signed_distance(p);
        if exact.abs() < 0.1 {
            // Two grids of one spacing but different origin: each within its own error.
            let (a, b) = (dense.sample(p).unwrap(), sparse.sample(p).unwrap());
            assert!((a.distance - b.distance).abs() < 0.01, "{p}");
            // The normal turns by 0.07/0.35 rad across a cell.
            assert!(a.gradient.dot(b.gradient) > 0.9 || exact.abs() > 0.05, "{p}");
        }
    }
}

#[test]
fn the_gradient_is_the_derivative_of_the_samples() {
    let s = solid(&shape::sphere(1.0, 3));
    let spacing = Spacing { cell: 0.1, margin: 0.3 };
    let dense = DenseField::new(&s, spacing).unwrap();
    let sparse = SparseField::new(&s, spacing).unwrap();
    let samplers: [&dyn Fn(DVec3) -> Option<Sample>; 2] =
        [&|p| dense.sample(p), &|p| sparse.sample(p)];
    let h = 1e-6;
    for sample in samplers {
        let mut jumps = 0;
        for p in points(2000, DVec3::splat(-1.2), DVec3::splat(1.2)) {
            let at = |q: DVec3| sample(q).unwrap().distance;
            let difference = DVec3::AXES.map(|e| (at(p + h * e) - at(p - h * e)) / (2.0 * h));
            let error = sample(p).unwrap().gradient.distance(DVec3::from_array(difference));
            // Only a point within h of a cell's side may disagree: 2000 · 3 · 2h/cell of them.
            jumps += usize::from(error > 1e-6);
        }
        assert!(jumps <= 2, "{jumps}");
    }
}

#[test]
fn the_number_of_threads_changes_no_bit() {
    let s = solid(&torus(0.8, 0.35, 40, 20));
    let spacing = Spacing { cell: 0.06, margin: 0.1 };
    let build = |n: usize| {
        with_threads(n, || {
            (DenseField::new(&s, spacing).unwrap(), SparseField::new(&s, spacing).unwrap())
        })
    };
    let one = build(1);
    assert!(one == build(2) && one == build(4));
}

#[test]
fn a_mesh_with_a_hole_is_refused_or_bridged() {
    let mut mesh = shape::sphere(1.0, 4);
    // A hole of six triangles.
    let top = mesh.positions.iter().position(|p| p.y > 0.999_999).unwrap() as u32;
    mesh.triangles.retain(|t| !t.contains(&top));
    let error = Solid::new(&mesh.positions, &mesh.triangles).unwrap_err();
    let SolidError::Open { at, edges, .. } = &error else { panic!("{error}") };
    assert_eq!(*edges, 5);
    assert!(at.y > 0.98, "the hole is at the top: {error}");
    let s = Solid::with_holes(&mesh.positions, &mesh.triangles).unwrap();
    let spacing = Spacing { cell: 0.1, margin: 0.1 };
    let dense = DenseField::new(&s, spacing).unwrap();
    let sparse = SparseField::new(&s, spacing).unwrap();
    for p in points(10_000, DVec3::splat(-1.1), DVec3::splat(1.1)) {
        let exact = p.length() - 1.0;
        if exact.abs() > 0.1 {
            for sample in [dense.sample(p), sparse.sample(p)] {
                assert_eq!(sample.is_some_and(|s| s.distance < 0.0), exact < 0.0, "{p}");
            }
        }
    }
}

#[test]
fn the_winding_number_tells_inside_from_outside_also_of_overlapping_parts() {
    let mut mesh = shape::sphere(1.0, 3);
    mesh.append(&shape::sphere(1.0, 3).map_positions(|p| p + DVec3::X));
    let s = solid(&mesh);
    for p in points(2000, DVec3::splat(-1.5), DVec3::new(2.5, 1.5, 1.5)) {
        let inside = [p, p - DVec3::X].map(|q| u8::from(q.length() < 0.97));
        let near = [p, p - DVec3::X].iter().any(|q| (q.length() - 1.0).abs() < 0.03);
        if !near {
            assert!((s.winding(p) - f64::from(inside[0] + inside[1])).abs() < 0.1, "{p}");
        }
    }
    let field = DenseField::new(&s, Spacing::cell(0.1)).unwrap();
    assert!(field.sample(DVec3::new(0.5, 0.0, 0.0)).unwrap().distance < 0.0);
}

#[test]
fn nearest_points_equal_brute_force() {
    let mesh = torus(0.8, 0.35, 20, 12);
    let s = solid(&mesh);
    for p in points(500, DVec3::splat(-1.5), DVec3::splat(1.5)) {
        let brute = (0..mesh.triangles.len()).map(|t| {
            let [a, b, c] = mesh.corners(t);
            let w = toile_collide::distance::point_triangle(p, [a, b, c]);
            p.distance(w[0] * a + w[1] * b + w[2] * c)
        });
        let nearest = s.nearest(p);
        assert_eq!(nearest.distance, brute.fold(f64::INFINITY, f64::min));
        assert_eq!(p.distance(nearest.point), nearest.distance);
    }
}

#[test]
fn parts_move_rigidly_and_join() {
    let spacing = Spacing { cell: 0.05, margin: 0.3 };
    let ball = SparseField::new(&solid(&shape::sphere(0.5, 4)), spacing).unwrap();
    let size = DVec3::new(1.0, 0.4, 0.2);
    let slab = DenseField::new(&solid(&shape::cuboid(size, 1)), spacing).unwrap();
    let pose = Pose {
        rotation: DQuat::from_rotation_z(1.1) * DQuat::from_rotation_x(-0.4),
        translation: DVec3::new(0.9, 0.2, -0.1),
    };
    let mut parts = PartFields::new()
        .with(Field::Sparse(ball), Pose::IDENTITY)
        .with(Field::Dense(slab), Pose::IDENTITY);
    parts.set_pose(1, pose);
    let mut seen = [0; 2];
    for p in points(5000, DVec3::splat(-0.8), DVec3::new(1.6, 0.9, 0.8)) {
        let each = [p.length() - 0.5, box_distance(-0.5 * size, 0.5 * size, pose.to_part(p))];
        let nearer = usize::from(each[1] < each[0]);
        assert!(parts.distance_at_least(p) <= each[nearer] + 1e-6);
        if each[nearer].abs() < 0.25 {
            let found = parts.sample(p).unwrap();
            // The ball's facets, and the rounded edges of the slab: half a diagonal at most.
            assert!((found.sample.distance - each[nearer]).abs() < 0.0433, "{p}");
            if (each[0] - each[1]).abs() > 0.1 {
                assert_eq!(found.part, nearer, "{p}");
                seen[nearer] += 1;
                // Towards lower distance lies the surface, in the world's frame.
                let g = found.sample.gradient.normalize();
                if nearer == 0 {
                    assert!(g.dot(p.normalize()) > 0.98, "{p} {g}");
                }
            }
        }
    }
    assert!(seen[0] > 100 && seen[1] > 100);
}

#[test]
fn bad_input_is_refused_with_its_place() {
    let good = shape::cuboid(DVec3::ONE, 1);
    let new = |m: &TriMesh| Solid::new(&m.positions, &m.triangles).unwrap_err();
    assert_eq!(new(&TriMesh::default()), SolidError::Empty);
    for bad in [f64::NAN, f64::INFINITY] {
        let mut m = good.clone();
        m.positions[5].y = bad;
        assert_eq!(new(&m), SolidError::NotFinite { vertex: 5 });
    }
    let mut m = good.clone();
    m.positions[2].x = 1e200;
    assert!(matches!(new(&m), SolidError::TooFar { vertex: 2, .. }));
    let mut m = good.clone();
    m.triangles[3][1] = 99;
    assert_eq!(new(&m), SolidError::IndexOutOfRange { triangle: 3, vertex: 99, count: 8 });
    let mut m = good.clone();
    m.triangles.iter_mut().for_each(|t| t.swap(0, 1));
    assert!(matches!(new(&m), SolidError::InsideOut { .. }));
    let mut m = good.clone();
    m.triangles[0].swap(0, 1);
    assert!(matches!(new(&m), SolidError::Open { edges: 3, .. }));
    let s = solid(&good);
    for cell in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let error = DenseField::new(&s, Spacing::cell(cell)).unwrap_err();
        assert!(matches!(error, SolidError::NotPositive { name: "cell", .. }), "{error}");
    }
    for cell in [1e-6, 1e-300] {
        let error = SparseField::new(&s, Spacing { cell, margin: 0.1 }).unwrap_err();
        assert!(matches!(error, SolidError::TooFine { .. }), "{error}");
    }
    let field = DenseField::new(&s, Spacing::cell(0.2)).unwrap();
    assert_eq!(field.sample(DVec3::NAN), None);
    assert_eq!(field.distance_at_least(DVec3::NAN), f64::NEG_INFINITY);
    assert_eq!(field.distance_at_least(DVec3::INFINITY), f64::INFINITY);
}
