//! The octree against brute force.

use crate::solids;

use glam::DVec3;
use solids::*;
use toile_collide::field::{Solid, SolidError};
use toile_collide::voxel::{Flag, Octree};
use toile_mesh::{TriMesh, shape};

fn shapes() -> [TriMesh; 4] {
    [
        shape::sphere(1.0, 3),
        shape::cuboid(DVec3::new(1.3, 1.0, 0.7), 4),
        torus(0.8, 0.35, 32, 16),
        l_shape(),
    ]
}

#[test]
fn flags_are_never_wrong() {
    for mesh in shapes() {
        let s = solid(&mesh);
        let tree = Octree::new(s.clone(), 0.06).unwrap();
        let (lo, hi) = s.bounds();
        let diagonal = 3.0_f64.sqrt() * tree.smallest();
        let mut seen = [0; 3];
        for p in points(10_000, lo - 0.2, hi + 0.2) {
            let exact = s.signed_distance(p);
            let flag = tree.flag(p);
            seen[flag as usize] += 1;
            match flag {
                Flag::Free => assert!(exact > 0.0, "{p}"),
                Flag::Interior => assert!(exact < 0.0, "{p}"),
                // Only near the surface is the answer left open.
                Flag::Surface => assert!(exact.abs() <= diagonal, "{p}"),
            }
            assert_eq!(tree.contains(p), exact < 0.0, "{p}");
        }
        assert!(seen.iter().all(|n| *n > 100), "{seen:?}");
    }
}

#[test]
fn a_surface_cell_lists_exactly_the_triangles_that_come_near() {
    let mesh = torus(0.8, 0.35, 32, 16);
    let s = solid(&mesh);
    let tree = Octree::new(s.clone(), 0.1).unwrap();
    let diagonal = 3.0_f64.sqrt() * tree.smallest();
    for p in points(3000, DVec3::splat(-1.2), DVec3::splat(1.2)) {
        let listed = tree.triangles_at(p);
        assert!(listed.is_sorted());
        assert_eq!(listed.is_empty(), tree.flag(p) != Flag::Surface);
        for t in 0..mesh.triangles.len() {
            let [a, b, c] = mesh.corners(t);
            let w = toile_collide::distance::point_triangle(p, [a, b, c]);
            let distance = p.distance(w[0] * a + w[1] * b + w[2] * c);
            if listed.contains(&(t as u32)) {
                assert!(distance <= diagonal * (1.0 + 1e-6), "{p}: {t} is too far away");
            }
        }
        // The triangle that is hit when going straight to the surface within the cell is listed.
        let nearest = s.nearest(p);
        let there = tree.triangles_at(nearest.point);
        assert!(there.contains(&nearest.triangle), "{p}: {} is missing", nearest.triangle);
    }
}

#[test]
fn the_nearest_triangle_equals_brute_force() {
    for mesh in shapes() {
        let s = solid(&mesh);
        let tree = Octree::new(s.clone(), 0.1).unwrap();
        for p in points(300, DVec3::splat(-1.5), DVec3::splat(2.5)) {
            let brute = (0..mesh.triangles.len()).map(|t| {
                let [a, b, c] = mesh.corners(t);
                let w = toile_collide::distance::point_triangle(p, [a, b, c]);
                p.distance(w[0] * a + w[1] * b + w[2] * c)
            });
            let least = brute.fold(f64::INFINITY, f64::min);
            assert_eq!(tree.nearest(p, f64::INFINITY).unwrap().distance, least, "{p}");
            assert_eq!(tree.nearest(p, 0.99 * least), None, "{p}");
        }
    }
}

#[test]
fn finer_cells_leave_less_surface() {
    let surface = |smallest: f64| {
        let tree = Octree::new(solid(&shape::sphere(1.0, 3)), smallest).unwrap();
        let all = points(20_000, DVec3::splat(-1.1), DVec3::splat(1.1));
        all.filter(|p| tree.flag(*p) == Flag::Surface).count() as f64
    };
    // The volume of surface cells falls with their size; halving it halves the volume.
    let ratio = surface(0.1) / surface(0.05);
    assert!((1.6..2.4).contains(&ratio), "{ratio}");
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let build =
        |n: usize| with_threads(n, || Octree::new(solid(&torus(0.8, 0.35, 32, 16)), 0.05).unwrap());
    let trees = [1, 2, 4].map(build);
    for p in points(5000, DVec3::splat(-1.2), DVec3::splat(1.2)) {
        let [a, b, c] = [0, 1, 2].map(|k| (trees[k].flag(p), trees[k].triangles_at(p)));
        assert!(a == b && b == c, "{p}");
    }
    assert!(trees[0].len() == trees[1].len() && trees[1].len() == trees[2].len());
}

#[test]
fn a_body_of_a_few_roundings_loses_no_triangle() {
    // Found by fuzzing: triangles fell between two cells whose middles were rounded.
    let mut x = [-DVec3::ONE; 4];
    x[0].x += 255.0 * f64::EPSILON;
    let s = Solid::new(&x, &[[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]]).unwrap();
    let tree = Octree::new(s.clone(), s.spacing_for(2)).unwrap();
    for p in x {
        assert_eq!(tree.nearest(p, f64::INFINITY).map(|n| n.distance), Some(0.0));
        assert_eq!(tree.flag(p), Flag::Surface);
    }
}

#[test]
fn bad_input_is_refused_or_free() {
    let s = solid(&shape::sphere(1.0, 1));
    for smallest in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let error = Octree::new(s.clone(), smallest).unwrap_err();
        assert!(matches!(error, SolidError::NotPositive { name: "smallest", .. }));
    }
    let error = Octree::new(s.clone(), 1e-30).unwrap_err();
    assert!(matches!(error, SolidError::TooFine { .. }), "{error}");
    let tree = Octree::new(s, 0.1).unwrap();
    for p in [DVec3::NAN, DVec3::INFINITY, DVec3::splat(1e300)] {
        assert_eq!(tree.flag(p), Flag::Free);
        assert!(!tree.contains(p));
    }
    assert_eq!(tree.nearest(DVec3::NAN, 1.0), None);
}
