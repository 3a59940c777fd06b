//! Gradient cones against exact intersections.

use crate::panels;

use glam::{DVec2, DVec3};
use panels::{
    c_panel, crossing_funnel, disc, intersections, panel, plan, surface, uv, wrongly_free,
};
use proptest::prelude::*;
use toile_collide::Motion;
use toile_collide::prune::{
    Cone, Covers, CurvatureBound, DEFAULT_LIMIT, DirectionSet, GradientCone, GradientCones,
    RestTriangle,
};
use toile_mesh::TriMesh;

const TIMES: [f64; 5] = [0.0, 0.21, 0.5, 0.83, 1.0];

fn cones(
    mesh: &TriMesh,
    leaf: usize,
    motion: Motion<'_>,
) -> (toile_collide::tree::Plan, GradientCones) {
    let plan = plan(mesh, leaf);
    let mut cones = GradientCones::new(&surface(mesh), &uv(mesh), &plan);
    cones.update(motion);
    (plan, cones)
}

/// Rolls a panel about the v axis by `curl` per metre and ripples it along v.
fn rolled(mesh: &TriMesh, curl: f64, wave: f64, noise: &[f64]) -> Vec<DVec3> {
    let curl = if curl.abs() < 1e-3 { 1e-3 } else { curl };
    let place = |(i, p): (usize, &DVec2)| {
        let shake = |k: usize| noise.get((3 * i + k) % noise.len().max(1)).copied().unwrap_or(0.0);
        let a = curl * p.x;
        DVec3::new(a.sin() / curl, (1.0 - a.cos()) / curl, p.y)
            + DVec3::new(shake(0), wave * (9.0 * p.y).sin() + shake(1), shake(2))
    };
    mesh.uv.iter().enumerate().map(place).collect()
}

#[test]
fn a_sheet_bent_by_nearly_sixty_degrees_to_both_sides_is_pruned_as_a_whole() {
    let mesh = panel(32, 32, |p| p);
    for (half_angle, pruned) in [(0.0, true), (58.0_f64, true), (67.0, false)] {
        let x = rolled(&mesh, 2.0 * half_angle.to_radians(), 0.0, &[]);
        let (_, cones) = cones(&mesh, 8, Motion::still(&x));
        assert_eq!(cones.is_injective(0), pruned, "{half_angle}° {:?}", cones.cone(0));
    }
}

#[test]
fn every_node_of_a_convex_panel_is_covered() {
    for mesh in [panel(20, 13, |p| p), panel(9, 9, |p| p * -0.3), disc(12, 0.2)] {
        let plan = plan(&mesh, 6);
        let covers = Covers::new(&surface(&mesh), &uv(&mesh), &plan);
        assert!((0..plan.nodes.len()).all(|n| covers.limit(n) > 0.785));
    }
}

#[test]
fn a_panel_seen_from_behind_is_covered_too() {
    let mesh = panel(8, 8, |p| DVec2::new(-p.x, p.y));
    let plan = plan(&mesh, 6);
    let covers = Covers::new(&surface(&mesh), &uv(&mesh), &plan);
    assert!((0..plan.nodes.len()).all(|n| covers.limit(n) > 0.785));
}

#[test]
fn the_cover_of_a_node_is_all_that_reaches_into_its_hull() {
    // The middle row of a panel without its middle cell: the gap is in the hull, the rim is not.
    let mesh = panel(3, 5, |p| p * DVec2::new(3.0, 5.0));
    let row = |cells: &[u32]| cells.iter().flat_map(|c| [10 + 2 * c, 11 + 2 * c]).collect();
    let mut items: Vec<u32> = row(&[0, 1, 3, 4]);
    items.extend(row(&[2]));
    items.extend((0..10).chain(20..30));
    let mut plan = plan(&mesh, 30);
    let node = |size, first, count| toile_collide::tree::PlanNode { size, first, count };
    plan.nodes = vec![node(3, 0, 30), node(1, 0, 8), node(1, 8, 22)];
    plan.items = items;
    let covers = Covers::new(&surface(&mesh), &uv(&mesh), &plan);
    let mut further = covers.further(1).to_vec();
    further.sort_unstable();
    assert_eq!(further, [14, 15]);
    assert!(covers.limit(1) > 0.785);
}

#[test]
fn hems_curved_inwards_lower_the_limit_and_sharp_ones_forbid_pruning() {
    // A hem that turns by 0.4 rad, then a corner cut out.
    let hem = panel(12, 8, |p| DVec2::new(p.x, p.y + (1.0 - p.y) * 0.4 * p.x * (1.0 - p.x)));
    let covers = Covers::new(&surface(&hem), &uv(&hem), &plan(&hem, 8));
    let root = f64::from(covers.limit(0));
    let expected = (0.8_f64.cos() / 2.0_f64.sqrt()).asin();
    assert!(root > expected && root < 0.7, "{root} {expected}");
    let mut cut = panel(8, 8, |p| p);
    let centre = |t: usize| uv(&cut)[t].iter().sum::<DVec2>() / 3.0;
    let kept = |t: &usize| centre(*t).x < 0.5 || centre(*t).y < 0.5;
    cut.triangles = (0..128).filter(kept).map(|t| cut.triangles[t]).collect();
    let covers = Covers::new(&surface(&cut), &uv(&cut), &plan(&cut, 8));
    assert_eq!(covers.limit(0), 0.0);
}

#[test]
fn slits_holes_overlaps_and_several_pieces_are_never_pruned() {
    // Two halves that touch in the material plane without sharing vertices.
    let half = |shift: f64| panel(4, 8, move |p| DVec2::new(0.5 * p.x + shift, p.y));
    for gap in [0.5, 0.5 + 1e-7, 0.7, 0.3, 0.0] {
        let mut slit = half(0.0);
        slit.append(&half(gap));
        let covers = Covers::new(&surface(&slit), &uv(&slit), &plan(&slit, 64));
        assert_eq!(covers.limit(0), 0.0, "gap {gap}");
    }
    // A slit from the rim to the middle: the vertices on it are doubled, but for its end.
    let mut slit = panel(8, 8, |p| p);
    let copy: Vec<u32> = (0..slit.uv.len() as u32)
        .map(|v| {
            let p = slit.uv[v as usize];
            if (p.x - 0.5).abs() > 1e-9 || p.y > 0.49 {
                return v;
            }
            slit.uv.push(p);
            slit.positions.push(p.extend(0.0));
            slit.uv.len() as u32 - 1
        })
        .collect();
    for t in 0..slit.triangles.len() {
        if slit.triangles[t].iter().map(|v| slit.uv[*v as usize].x).sum::<f64>() > 1.5 {
            slit.triangles[t] = slit.triangles[t].map(|v| copy[v as usize]);
        }
    }
    assert!(slit.uv.len() > 81, "nothing was cut");
    let covers = Covers::new(&surface(&slit), &uv(&slit), &plan(&slit, 64));
    assert_eq!(covers.limit(0), 0.0);
    // A missing triangle in the middle.
    let mut hole = panel(8, 8, |p| p);
    hole.triangles.remove(64);
    let covers = Covers::new(&surface(&hole), &uv(&hole), &plan(&hole, 64));
    assert_eq!(covers.limit(0), 0.0);
}

#[test]
fn a_fin_and_a_turned_triangle_are_never_pruned() {
    let mut fin = panel(6, 6, |p| p);
    fin.uv.push(DVec2::new(0.5, 0.6));
    fin.positions.push(DVec3::new(0.5, 0.5, 0.3));
    let [a, b, _] = fin.triangles[30];
    fin.triangles.push([b, a, fin.uv.len() as u32 - 1]);
    let covers = Covers::new(&surface(&fin), &uv(&fin), &plan(&fin, 100));
    assert_eq!(covers.limit(0), 0.0);
    let mut turned = panel(6, 6, |p| p);
    turned.triangles[30].swap(0, 1);
    let covers = Covers::new(&surface(&turned), &uv(&turned), &plan(&turned, 100));
    assert_eq!(covers.limit(0), 0.0);
}

#[test]
fn a_funnel_whose_ends_cross_fools_normals_but_not_gradients() {
    let mesh = crossing_funnel(72, 8);
    let still = Motion::still(&mesh.positions);
    let pairs = intersections(&mesh, still, &[0.0]);
    assert!(!pairs.is_empty(), "the ends do not cross");
    let corners = |t: usize| mesh.triangles[t].map(|v| still.ends(v));
    let all = (0..mesh.triangles.len()).map(corners);
    assert!(Cone::of_triangles(all).angle < DEFAULT_LIMIT);
    let all = (0..mesh.triangles.len()).map(|t| DirectionSet::of_triangle(corners(t)));
    assert!(!all.fold(DirectionSet::ALL, DirectionSet::merge).is_empty());
    let (plan, cones) = cones(&mesh, 8, still);
    assert!(!cones.is_injective(0));
    assert_eq!(wrongly_free(&plan, &pairs, |n| cones.is_injective(n)), None);
    // It is no use if nothing is pruned.
    let pruned = (0..plan.nodes.len()).filter(|n| cones.is_injective(*n)).count();
    assert!(2 * pruned > plan.nodes.len(), "{pruned} of {}", plan.nodes.len());
}

#[test]
fn the_cone_of_a_node_is_hardly_wider_than_that_of_its_gradients() {
    let mesh = disc(10, 0.2);
    let x_t0 = rolled(&mesh, 1.0, 0.02, &[]);
    let x_t1 = rolled(&mesh, 1.1, 0.03, &[]);
    let (plan, cones) = cones(&mesh, 8, Motion { x_t0: &x_t0, x_t1: &x_t1 });
    let uv = uv(&mesh);
    for n in 0..plan.nodes.len() {
        let rest = plan
            .triangles(n)
            .iter()
            .filter_map(|t| RestTriangle::new(mesh.triangles[*t as usize], uv[*t as usize]));
        let mut all: Vec<_> = rest.flat_map(|r| [r.gradient(&x_t0), r.gradient(&x_t1)]).collect();
        let (cone, own) = (cones.cone(n), GradientCone::of_gradients(&mut all));
        let norm = |a: &[f32; 6]| a.iter().map(|a| a * a).sum::<f32>();
        for f in all {
            let cosine = (0..6).map(|k| f[k] * cone.axis[k]).sum::<f32>() / norm(&cone.axis).sqrt();
            assert!(cosine >= cone.angle.cos() - 1e-5, "node {n} loses a gradient");
        }
        // Neighbours of the rim, and the loss of merging, are allowed as much again and a little.
        assert!(cone.angle < 2.0 * own.angle + 0.1, "{n}: {} {}", cone.angle, own.angle);
    }
}

#[test]
fn a_spiral_is_pruned_piece_by_piece() {
    let mesh = panel(120, 6, |p| p * DVec2::new(3.0, 0.15));
    // Turns inwards faster than it can: the windings cross.
    let x: Vec<DVec3> = (mesh.uv.iter())
        .map(|p| {
            let a = 3.0 * p.x;
            (DVec2::from_angle(a) * (0.33 + 0.02 * (3.1 * a).sin())).extend(p.y)
        })
        .collect();
    let pairs = intersections(&mesh, Motion::still(&x), &[0.0]);
    assert!(!pairs.is_empty());
    let (plan, cones) = cones(&mesh, 8, Motion::still(&x));
    assert!(!cones.is_injective(0) && (1..plan.nodes.len()).any(|n| cones.is_injective(n)));
    assert_eq!(wrongly_free(&plan, &pairs, |n| cones.is_injective(n)), None);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn what_is_pruned_does_not_intersect_itself_at_any_time(
        shape in 0..4_usize, curl in [-9.0..9.0_f64, -9.0..9.0], wave in [-0.3..0.3_f64, -0.3..0.3],
        amplitude in 0.0..0.06_f64, noise in prop::collection::vec(-1.0..1.0_f64, 97),
    ) {
        let mesh = match shape {
            0 => panel(14, 10, |p| p),
            1 => disc(6, 0.3),
            2 => c_panel(24, 5),
            _ => panel(12, 8, |p| DVec2::new(p.x, p.y + (1.0 - p.y) * 1.5 * p.x * (1.0 - p.x))),
        };
        let noise: Vec<f64> = noise.iter().map(|n| n * amplitude).collect();
        let x_t0 = rolled(&mesh, curl[0], wave[0], &noise);
        let x_t1 = rolled(&mesh, curl[1], wave[1], &noise[5..]);
        let motion = Motion { x_t0: &x_t0, x_t1: &x_t1 };
        let (plan, cones) = cones(&mesh, 5, motion);
        let pairs = intersections(&mesh, motion, &TIMES);
        prop_assert_eq!(wrongly_free(&plan, &pairs, |n| cones.is_injective(n)), None);
    }
}
