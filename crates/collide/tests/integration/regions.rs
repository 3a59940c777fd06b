//! Merging of regions, and their adjacency against shared vertices.

use crate::panels;

use glam::{DVec2, DVec3};
use panels::{c_panel, disc, panel, plan, surface};
use proptest::prelude::*;
use toile_collide::prune::{Adjacency, boundary_loop};
use toile_collide::tree::{Plan, region_merge};
use toile_mesh::TriMesh;

fn depth(plan: &Plan, node: usize) -> usize {
    1 + plan.children(node).map(|c| depth(plan, c)).max().unwrap_or(0)
}

/// Whether a plan is a binary tree with every triangle in one leaf.
fn is_whole(plan: &Plan, triangles: usize) -> bool {
    let mut items = plan.items.clone();
    items.sort_unstable();
    let nested = |n: usize| {
        let node = plan.nodes[n];
        let mut first = node.first;
        let mut children = 0;
        for c in plan.children(n).map(|c| plan.nodes[c]) {
            children += u32::from(c.first == first);
            first += c.count;
        }
        if node.size == 1 {
            node.count == 1
        } else {
            children == 2 && first == node.first + node.count
        }
    };
    items.into_iter().eq(0..triangles as u32)
        && (0..plan.nodes.len()).all(nested)
        && (triangles == 0 || plan.nodes[0].size as usize == plan.nodes.len())
}

fn share_a_vertex(mesh: &TriMesh, plan: &Plan, a: usize, b: usize) -> bool {
    let vertices = |n: usize| plan.triangles(n).iter().flat_map(|t| mesh.triangles[*t as usize]);
    let of_a: Vec<u32> = vertices(a).collect();
    vertices(b).any(|v| of_a.contains(&v))
}

fn check_adjacency(mesh: &TriMesh, plan: &Plan) {
    let adjacency = Adjacency::new(&surface(mesh), plan);
    let end = |n: usize| n + plan.nodes[n].size as usize;
    for a in 0..plan.nodes.len() {
        for b in end(a)..plan.nodes.len() {
            let truth = share_a_vertex(mesh, plan, a, b);
            assert_eq!(adjacency.adjacent(a, b), truth, "{a} {b}");
            assert_eq!(adjacency.adjacent(b, a), truth, "{b} {a}");
        }
    }
}

/// Three half planes that meet in a line.
fn book(n: usize) -> TriMesh {
    let mut mesh = panel(n, n, |p| p);
    for pages in [DVec3::new(-1.0, 0.0, 1.0), DVec3::new(-1.0, 0.0, -1.0)] {
        let mut page = panel(n, n, |p| p);
        page.positions = page.uv.iter().map(|p| pages * p.x + DVec3::Y * p.y).collect();
        mesh.append(&page);
    }
    mesh.weld().0
}

/// A spine with teeth on one side, and loose triangles.
fn comb(teeth: u32) -> TriMesh {
    let mut mesh = TriMesh::default();
    for i in 0..=teeth {
        let x = f64::from(i);
        mesh.positions.extend([DVec3::new(x, 0.0, 0.0), DVec3::new(x, -1.0, 0.0)]);
        mesh.positions.push(DVec3::new(x + 0.5, 9.0, 0.0));
        mesh.positions.extend([0.0, 0.3, 0.6].map(|k| DVec3::new(x + k, 20.0 + k * k, 0.0)));
    }
    for i in 0..teeth {
        let [a, b, tip] = [6 * i, 6 * i + 1, 6 * i + 2];
        mesh.triangles.extend([[a, b, b + 6], [a, b + 6, a + 6], [a, a + 6, tip]]);
        mesh.triangles.push([6 * i + 3, 6 * i + 4, 6 * i + 5]);
    }
    mesh
}

#[test]
fn merged_regions_are_connected_discs_of_a_low_tree() {
    let mesh = panel(24, 24, |p| p);
    let s = surface(&mesh);
    let plan = region_merge(&s, &mesh.positions);
    assert!(is_whole(&plan, 1152));
    assert!(depth(&plan, 0) <= 18, "{}", depth(&plan, 0));
    let discs = (0..plan.nodes.len()).filter(|n| boundary_loop(&s, plan.triangles(*n)).is_some());
    assert!(discs.count() as f64 > 0.98 * plan.nodes.len() as f64);
}

#[test]
fn merged_regions_are_as_round_as_halved_ones() {
    // Area over square of contour, summed over nodes of 16 and more triangles; halves are rectangles.
    let mesh = panel(32, 32, |p| p);
    let s = surface(&mesh);
    let roundness = |plan: &Plan| {
        let nodes = (0..plan.nodes.len()).filter(|n| plan.nodes[*n].count >= 16);
        let of = |n: usize| {
            let outline = boundary_loop(&s, plan.triangles(n))?;
            let at = |i: usize| mesh.positions[outline[i % outline.len()] as usize];
            let contour: f64 = (0..outline.len()).map(|i| at(i).distance(at(i + 1))).sum();
            Some(f64::from(plan.nodes[n].count) / 2048.0 / (contour * contour))
        };
        let factors: Vec<f64> = nodes.filter_map(of).collect();
        factors.iter().sum::<f64>() / factors.len() as f64
    };
    let (merged, halved) =
        (roundness(&region_merge(&s, &mesh.positions)), roundness(&plan(&mesh, 1)));
    assert!(merged > 0.7 * halved, "{merged} {halved}");
}

#[test]
fn unlucky_shapes_do_not_make_the_tree_deep() {
    for teeth in [3, 50, 400] {
        let mesh = comb(teeth);
        let plan = region_merge(&surface(&mesh), &mesh.positions);
        assert!(is_whole(&plan, mesh.triangles.len()));
        // The logarithm to the base of 8/7 at worst.
        let bound = f64::from(4 * teeth).ln() / (8.0_f64 / 7.0).ln() + 2.0;
        assert!((depth(&plan, 0) as f64) < bound, "{teeth}: {}", depth(&plan, 0));
    }
}

#[test]
fn loose_pieces_come_together_last() {
    let mut mesh = panel(6, 6, |p| p);
    for _ in 0..4 {
        mesh.append(&panel(6, 6, |p| p + 0.1));
    }
    let plan = region_merge(&surface(&mesh), &mesh.positions);
    assert!(is_whole(&plan, 360));
    let mixed = |n: &usize| plan.triangles(*n).iter().any(|t| t / 72 != plan.triangles(*n)[0] / 72);
    assert_eq!((0..plan.nodes.len()).filter(mixed).count(), 4);
}

#[test]
fn degenerate_surfaces_have_a_plan_too() {
    let cases = [vec![], vec![[0, 1, 2]], vec![[0, 1, 2], [0, 1, 2]], vec![[0, 0, 1], [3, 2, 1]]];
    for triangles in cases {
        let mesh = TriMesh::new(vec![DVec3::ZERO; 4], triangles);
        let plan = region_merge(&surface(&mesh), &mesh.positions);
        assert!(is_whole(&plan, mesh.triangles.len()));
        Adjacency::new(&surface(&mesh), &plan);
    }
}

#[test]
fn adjacency_is_that_of_shared_vertices() {
    let two = {
        let mut mesh = panel(5, 5, |p| p);
        mesh.append(&disc(3, 0.3));
        mesh
    };
    for mesh in [panel(9, 7, |p| p), disc(5, 0.3), c_panel(20, 2), book(5), comb(12), two] {
        check_adjacency(&mesh, &region_merge(&surface(&mesh), &mesh.positions));
        if !mesh.uv.is_empty() && mesh.uv.len() == mesh.positions.len() {
            check_adjacency(&mesh, &plan(&mesh, 1));
            check_adjacency(&mesh, &plan(&mesh, 6));
        }
    }
}

#[test]
fn few_runs_are_kept_whatever_the_size_of_the_region() {
    // The tutorial says six; two of its vertices are the ends of one run, and leaves have more.
    for mesh in [panel(64, 64, |p| p), disc(36, 0.3)] {
        for plan in [plan(&mesh, 8), region_merge(&surface(&mesh), &mesh.positions)] {
            let adjacency = Adjacency::new(&surface(&mesh), &plan);
            let mean = |large: bool| {
                let nodes = (0..plan.nodes.len())
                    .filter(|n| (plan.nodes[*n].count > 64) == large)
                    .collect::<Vec<_>>();
                nodes.iter().map(|n| adjacency.runs(*n)).sum::<usize>() as f64 / nodes.len() as f64
            };
            assert!(mean(true) < 12.0 && mean(false) < 12.0, "{} {}", mean(true), mean(false));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn any_set_of_triangles_has_a_plan_and_its_adjacency(
        triangles in prop::collection::vec([0..12_u32, 0..12, 0..12], 0..24),
        x in prop::collection::vec([-1.0..1.0_f64, -1.0..1.0], 12),
    ) {
        let at = |p: &[f64; 2]| DVec2::from_array(*p).extend(0.0);
        let mesh = TriMesh::new(x.iter().map(at).collect(), triangles);
        let plan = region_merge(&surface(&mesh), &mesh.positions);
        prop_assert!(is_whole(&plan, mesh.triangles.len()));
        check_adjacency(&mesh, &plan);
    }
}
