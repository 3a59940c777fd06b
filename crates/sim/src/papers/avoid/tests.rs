use super::boxes::{Meeting, meet};
use super::system::StepStart;
use super::*;
use crate::element::terzopoulos::{Step, Surface};
use crate::{Fabric, Preset, Surroundings, World};
use toile_mesh::shape::{Diagonals, grid};

fn sheet(n: usize) -> Cloth {
    let mesh = grid(0.2, 0.2, n, n, Diagonals::Alternating);
    Cloth {
        name: "sheet".into(),
        mesh,
        grid: Some([n, n]),
        fabric: Fabric::default(),
        pieces: Vec::new(),
    }
}

fn still(lo: DVec3, hi: DVec3, to: DVec3) -> Swept {
    Swept { lo: [lo, lo + to], hi: [hi, hi + to] }
}

#[test]
fn the_plane_lies_where_the_last_axis_begins_to_overlap() {
    // Overlap in x from the start, in y from 1/2, in z from 3/4: the plane is one of z.
    let a = still(DVec3::ZERO, DVec3::ONE, DVec3::ZERO);
    let b =
        still(DVec3::new(0.5, 2.0, 2.5), DVec3::new(1.5, 3.0, 3.5), DVec3::new(0.0, -2.0, -2.0));
    let plane = Plane { axis: 2, at: 1.0, half: 5e-4, first_below: true };
    assert_eq!(meet(&a, &b, 1e-3), Meeting::At(plane));
    let Meeting::At(turned) = meet(&b, &a, 1e-3) else { panic!("they meet") };
    assert_eq!((turned.axis, turned.at, turned.first_below), (2, 1.0, false));
}

#[test]
fn boxes_that_miss_each_other_at_different_times_do_not_meet() {
    let a = still(DVec3::ZERO, DVec3::ONE, DVec3::ZERO);
    // In y it overlaps until 1/3, in x only from 2/3 on.
    let b = still(DVec3::new(3.0, 0.0, 0.0), DVec3::new(4.0, 1.0, 1.0), DVec3::new(-3.0, 3.0, 0.0));
    assert_eq!(meet(&a, &b, 1e-3), Meeting::Never);
    assert_eq!(
        meet(&a, &still(DVec3::splat(0.5), DVec3::splat(2.0), DVec3::X), 1e-3),
        Meeting::Always
    );
}

#[test]
fn the_tree_finds_the_pairs_that_all_pairs_find() {
    let cloth = sheet(12);
    let model = Model::new(vec![cloth.clone()], Some(crate::Springs::Grid)).unwrap();
    let x_t0: Vec<DVec3> = model.mesh.positions.clone();
    // Folded over: the left half swings onto the right one.
    let x_t1: Vec<DVec3> = x_t0
        .iter()
        .map(|p| if p.x < 0.0 { DVec3::new(-p.x, 0.002 + 0.1 * p.x, p.z) } else { *p })
        .collect();
    let find = |search| {
        let settings = Avoidance { search, ..Avoidance::default() };
        let mut solver =
            Solver::new(settings, std::slice::from_ref(&cloth), &model, 1e-3, None).unwrap();
        solver.detect(&x_t0, &x_t1, false)
    };
    let (tree, all) = (find(Search::BoxTree), find(Search::Boxes));
    assert!(all.planes.len() > 50);
    assert_eq!(tree, all);
    assert!(find(Search::Geometric).held.len() > 20);
}

#[test]
fn what_is_kept_from_run_to_run_hides_no_pair() {
    let cloth = sheet(12);
    let model = Model::new(vec![cloth.clone()], Some(crate::Springs::Grid)).unwrap();
    let make = |search| {
        let settings = Avoidance { search, ..Avoidance::default() };
        Solver::new(settings, std::slice::from_ref(&cloth), &model, 1e-3, None).unwrap()
    };
    let (mut tree, triangles) = (make(Search::BoxTree), &model.mesh.triangles);
    // A zigzag that is pressed together, shaken and carried away: layers, creases and neighbours all meet.
    let mut seed = 7_u64;
    let mut noise = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    };
    let mut x_t0: Vec<DVec3> = model
        .mesh
        .positions
        .iter()
        .map(|p| {
            let cells = (p.x / 0.2 + 0.5) * 6.0;
            let up = (cells - 2.0 * (0.5 * cells).round()).abs();
            DVec3::new(0.3 * p.x, 0.03 * up, p.z)
        })
        .collect();
    let (mut planes, mut near) = (0, 0);
    for run in 0..60 {
        let calm = if run % 20 < 10 { 2e-4 } else { 2e-3 };
        let x_t1: Vec<DVec3> = x_t0
            .iter()
            .map(|p| {
                let shaken = DVec3::new(noise(), noise(), noise()) * calm;
                DVec3::new(0.97 * p.x, p.y - 0.01, p.z) + shaken
            })
            .collect();
        let found = tree.detect(&x_t0, &x_t1, false);
        // No memory, no tree.
        let mut all = make(Search::Boxes);
        boxes::sweep(triangles, &x_t0, &x_t1, 1e-3, &mut all.boxes);
        let mut pairs = boxes::Pairs::default();
        boxes::all_pairs(&all.neighbours, &all.boxes, 1e-3, &mut pairs);
        assert_eq!(found.planes, pairs.planes, "run {run}");
        let ends = [&x_t0[..], &x_t1[..]];
        let expected =
            adjacent::referee(triangles, &all.neighbours, &pairs.overlapping, ends, 1e-3);
        let sorted = |mut met: Vec<adjacent::AdjacentContact>| {
            met.sort_by_key(|m| m.vertices);
            met.dedup();
            met
        };
        let (found, expected) = (sorted(found.near), sorted(expected));
        assert_eq!(found, expected, "run {run}");
        planes += pairs.planes.len();
        near += found.len();
        // Runs of a step begin where it does; every third one is taken.
        if run % 3 == 2 {
            x_t0 = x_t1;
        }
    }
    assert!(planes > 1000 && near > 300, "{planes} {near}");
}

#[test]
fn the_systems_are_those_of_the_elastic_surface() {
    let cloth = sheet(6);
    let mut system = System::new(std::slice::from_ref(&cloth)).unwrap();
    let surface = Surface::of_grid(&cloth.mesh, 6, 6, &cloth.fabric);
    let x: Vec<DVec3> = cloth
        .mesh
        .positions
        .iter()
        .enumerate()
        .map(|(k, p)| *p * 1.05 + DVec3::Y * 1e-3 * ((k * 7 % 11) as f64))
        .collect();
    let n = x.len();
    let (v, force, mass) = (vec![DVec3::X; n], vec![-DVec3::Y; n], vec![1e-3; n]);
    let h = 1e-2;
    system.assemble(&StepStart { x: &x, v: &v, force: &force, mass: &mass, drag: 2.0, h });
    let expected = surface.system(&Step {
        x: &x,
        v: &v,
        force: &force,
        mass: &mass,
        damping: 2e-3,
        h,
        definite: false,
    });
    // The solution of one solves the other.
    let mut limits = Limits::new(n);
    limits.close(&[], &x, false);
    let mut y = x.clone();
    let sweeps = system.solve(&limits, 1e-13, 10_000, &mut y);
    assert!(sweeps < 10_000);
    for (row, right) in expected.rows.iter().zip(&expected.right) {
        let left: DVec3 = row.iter().map(|(j, a)| y[*j as usize] * *a).sum();
        assert!((left - *right).length() < 1e-8 * right.length(), "{left} {right}");
    }
}

#[test]
fn limits_in_conflict_leave_what_is_between_them() {
    let mut limits = Limits::new(6);
    let triangles = [[0, 1, 2], [3, 4, 5]];
    limits.divide([0, 1], Plane { axis: 1, at: 1.0, half: 0.1, first_below: true });
    limits.close(&triangles, &[DVec3::ZERO; 6], false);
    assert_eq!((limits.upper[0].y, limits.lower[3].y, limits.conflicts), (0.9, 1.1, 0));
    assert_eq!(limits.lower[0].y, f64::NEG_INFINITY);
    // A newer plane of the same pair takes the place of the old one.
    limits.divide([0, 1], Plane { axis: 0, at: 2.0, half: 0.0, first_below: false });
    limits.bound(0, 0, 5.0, false);
    limits.close(&triangles, &[DVec3::ZERO; 6], false);
    assert_eq!(limits.upper[0].y, f64::INFINITY);
    assert_eq!((limits.lower[0].x, limits.upper[0].x, limits.upper[3].x), (2.0, 5.0, 2.0));
}

/// Two sheets that fall on each other and on the ground.
fn fall(search: Search) -> World {
    let mut settings = Preset::Liu98.settings();
    settings.avoidance.search = search;
    let mut cloths = vec![sheet(8), sheet(8)];
    for (k, cloth) in cloths.iter_mut().enumerate() {
        for (i, p) in cloth.mesh.positions.iter_mut().enumerate() {
            let dent = 1e-3 * ((i * 13 % 7) as f64) / 7.0;
            *p += DVec3::new(0.013 * k as f64, 0.005 + 0.02 * k as f64 + dent, 0.007 * k as f64);
        }
    }
    let ground = crate::body::Shape::Plane { point: DVec3::ZERO, normal: DVec3::Y };
    let bodies = vec![crate::Body::new("ground", ground)];
    World::new(cloths, Surroundings { bodies, ..Surroundings::default() }, settings).unwrap()
}

#[test]
fn sheets_come_to_lie_on_each_other_without_passing_through() {
    for search in [Search::BoxTree, Search::Boxes, Search::Geometric] {
        let mut world = fall(search);
        let half = world.state().x.len() / 2;
        let mut most = 0;
        for _ in 0..100 {
            most = most.max(world.step().unwrap().iterations);
        }
        let x = &world.state().x;
        assert!(x.iter().all(|p| p.y > 0.0), "{search:?}");
        let mean = |part: &[DVec3]| part.iter().map(|p| p.y).sum::<f64>() / part.len() as f64;
        assert!(mean(&x[..half]) < mean(&x[half..]), "{search:?}");
        assert!(mean(x) < 0.01, "{search:?}: {}", mean(x));
        assert!(most > 1, "{search:?}: something collided");
    }
}

#[test]
fn both_searches_by_boxes_end_in_the_same_bits() {
    let run = |search| {
        let mut world = fall(search);
        (0..40).for_each(|_| {
            world.step().unwrap();
        });
        world.state().hash()
    };
    assert_eq!(run(Search::BoxTree), run(Search::Boxes));
}
