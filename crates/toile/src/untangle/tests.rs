use super::*;
use glam::DMat3;
use toile_mesh::TriMesh;
use toile_mesh::shape::{Diagonals, grid};
use toile_sim::body::Shape;
use toile_sim::{Body, Cloth as Piece, Fabric, Pin, Preset, Surroundings};

fn sheet(width: f64, height: f64, nu: usize, nv: usize) -> TriMesh {
    grid(width, height, nu, nv, Diagonals::Alternating)
}

fn turned(mesh: TriMesh, turn: DMat3, to: DVec3) -> TriMesh {
    mesh.map_positions(|p| turn * p + to)
}

fn world(meshes: Vec<TriMesh>, bodies: Vec<Body>, pins: Vec<Pin>) -> World {
    let piece = |(i, mesh)| Piece {
        name: format!("piece-{i}"),
        mesh,
        grid: None,
        fabric: Fabric::default(),
        pieces: Vec::new(),
    };
    let pieces = meshes.into_iter().enumerate().map(piece).collect();
    let surroundings = Surroundings { bodies, pins, ..Surroundings::default() };
    World::new(pieces, surroundings, Preset::Toile.settings()).expect("a world")
}

/// Untangles; says what was done.
fn undone(world: &mut World) -> Untangled {
    let before = find(world).expect("finite");
    untangle(world, &before).expect("finite")
}

fn assert_clean(world: &mut World, report: &Untangled) {
    assert!(report.is_clean(), "{report:?}");
    assert!(find(world).expect("finite").is_empty(), "{report:?}");
}

fn ball() -> Body {
    Body::new("ball", Shape::Sphere { centre: DVec3::ZERO, radius: 0.2 })
}

#[test]
fn a_sheet_that_stands_through_another_is_drawn_out() {
    // A centimetre of the upright sheet is below the other.
    let upright = turned(
        sheet(0.3, 0.3, 15, 15),
        DMat3::from_rotation_x(std::f64::consts::FRAC_PI_2),
        DVec3::new(0.003, 0.14, 0.002),
    );
    let mut w = world(vec![sheet(0.5, 0.5, 25, 25), upright], vec![], vec![]);
    let report = undone(&mut w);
    assert!(report.intersections_before > 20);
    assert_clean(&mut w, &report);
    assert!(report.largest_displacement < 0.03, "{report:?}");
}

#[test]
fn a_bump_that_went_through_a_sheet_goes_back() {
    let bump = sheet(0.4, 0.4, 20, 20)
        .map_positions(|p| p + DVec3::Y * (0.01 - 0.02 * (-200.0 * p.length_squared()).exp()));
    let mut w = world(vec![sheet(0.4, 0.4, 17, 17), bump], vec![], vec![]);
    let report = undone(&mut w);
    assert!(report.intersections_before > 10);
    assert_clean(&mut w, &report);
    assert!(report.largest_displacement < 0.03, "{report:?}");
}

#[test]
fn a_corner_folded_through_its_own_sheet_comes_out() {
    // The corner is turned over a diagonal fold and pressed through the sheet.
    let folded = sheet(0.3, 0.3, 20, 20).map_positions(|p| {
        let along = (p.x + p.z) / 2f64.sqrt();
        let beyond = along - 0.06;
        if beyond <= 0.0 {
            return p;
        }
        // Up, back, and down again: half a turn of a little more, about a small radius.
        let out = DVec3::new(1.0, 0.0, 1.0) / 2f64.sqrt();
        let r = 0.015;
        let angle = (beyond / r).min(3.8);
        let rest = beyond - angle * r;
        let bow = out * (r * angle.sin()) + DVec3::Y * (r * (1.0 - angle.cos()));
        let on = (out * angle.cos() + DVec3::Y * angle.sin()) * rest;
        p - out * beyond + bow + on
    });
    let mut w = world(vec![folded], vec![], vec![]);
    let report = undone(&mut w);
    assert!(report.intersections_before > 10, "{report:?}");
    assert_clean(&mut w, &report);
}

#[test]
fn sheets_whose_borders_cut_into_each_other_are_drawn_apart() {
    let upright = turned(
        sheet(0.2, 0.2, 10, 10),
        DMat3::from_rotation_x(std::f64::consts::FRAC_PI_2),
        DVec3::new(0.15, 0.003, 0.002),
    );
    let mut w = world(vec![sheet(0.2, 0.2, 10, 10), upright], vec![], vec![]);
    let report = undone(&mut w);
    assert!(report.intersections_before > 5);
    assert_clean(&mut w, &report);
}

#[test]
fn two_sheets_in_one_place_are_laid_on_each_other() {
    let mut w = world(vec![sheet(0.2, 0.2, 10, 10), sheet(0.2, 0.2, 10, 10)], vec![], vec![]);
    let report = undone(&mut w);
    assert_clean(&mut w, &report);
    assert!(report.largest_displacement < 0.01, "{report:?}");
}

#[test]
fn a_sheet_half_sunk_in_a_ball_lies_on_it() {
    let sunk = sheet(0.6, 0.6, 30, 30).map_positions(|p| p + DVec3::Y * 0.06);
    let mut w = world(vec![sunk], vec![ball()], vec![]);
    let report = undone(&mut w);
    assert!(report.body_penetrations_before > 100);
    assert_clean(&mut w, &report);
    assert!(w.max_strain() < 0.1, "{}", w.max_strain());
}

#[test]
fn a_sheet_through_the_middle_of_a_ball_leaves_it_on_one_side() {
    let mut w = world(vec![sheet(0.6, 0.6, 30, 30)], vec![ball()], vec![]);
    let report = undone(&mut w);
    assert_clean(&mut w, &report);
    let centre = w.state().x[w.state().x.len() / 2];
    assert!(centre.y.abs() > 0.19, "{centre}");
}

#[test]
fn cloth_inside_a_ball_is_carried_out_as_it_is() {
    let mut w = world(vec![sheet(0.2, 0.2, 10, 10)], vec![ball()], vec![]);
    let report = undone(&mut w);
    assert_clean(&mut w, &report);
    assert!(w.max_strain() < 0.05, "{}", w.max_strain());
}

#[test]
fn a_sheet_in_a_box_and_below_the_floor_comes_out_of_both() {
    let block = Shape::Cuboid {
        centre: DVec3::new(0.0, 0.05, 0.0),
        half: DVec3::new(0.1, 0.05, 0.1),
        rotation: DMat3::from_rotation_y(0.3),
    };
    let floor = Shape::Plane { point: DVec3::ZERO, normal: DVec3::Y };
    let bodies = vec![Body::new("block", block), Body::new("floor", floor)];
    let tilted =
        turned(sheet(0.5, 0.5, 25, 25), DMat3::from_rotation_x(0.3), DVec3::new(0.0, 0.06, 0.0));
    let mut w = world(vec![tilted], bodies, vec![]);
    let report = undone(&mut w);
    assert_clean(&mut w, &report);
}

/// Two sheets whose borders are linked like two links of a chain, and held.
fn linked() -> World {
    let upright = turned(
        sheet(0.2, 0.2, 10, 10),
        DMat3::from_rotation_x(std::f64::consts::FRAC_PI_2),
        DVec3::new(0.1, 0.003, 0.002),
    );
    let border = |first: u32| {
        let on = move |i: &u32| i.is_multiple_of(11) || i % 11 == 10 || *i < 11 || *i >= 110;
        (0..121).filter(on).map(move |i| first + i).collect::<Vec<u32>>()
    };
    let pins = vec![Pin::still(border(0)), Pin::still(border(121))];
    world(vec![sheet(0.2, 0.2, 10, 10), upright], vec![], pins)
}

#[test]
fn sheets_with_linked_borders_that_are_held_cannot_be_untangled_and_it_says_so() {
    let mut w = linked();
    let start = w.state().x.clone();
    let held = w.pinned_vertices();
    let report = undone(&mut w);
    assert!(report.intersections_after > 0);
    assert_eq!(report.intersections_after, find(&mut w).expect("finite").pairs.len() as u64);
    assert!(held.iter().all(|v| w.state().x[*v as usize] == start[*v as usize]));
}

#[test]
fn cloth_that_begins_clean_has_nothing_to_be_undone() {
    let apart = sheet(0.3, 0.3, 10, 10).map_positions(|p| p + DVec3::Y * 0.3);
    let mut w = world(vec![apart], vec![ball()], vec![]);
    assert!(find(&mut w).expect("finite").is_empty());
}

#[test]
fn the_result_does_not_depend_on_the_number_of_threads() {
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        pool.install(|| {
            let bump = sheet(0.3, 0.3, 12, 12).map_positions(|p| {
                p + DVec3::Y * (0.01 - 0.02 * (-200.0 * p.length_squared()).exp())
            });
            let mut w = world(vec![sheet(0.3, 0.3, 11, 11), bump], vec![ball()], vec![]);
            undone(&mut w);
            w.state().hash()
        })
    };
    assert_eq!(run(1), run(3));
}

/// A box of 0.2 m, its top at height zero.
fn block(turn: f64) -> Body {
    let shape = Shape::Cuboid {
        centre: DVec3::Y * -0.1,
        half: DVec3::splat(0.1),
        rotation: DMat3::from_rotation_y(turn),
    };
    Body::new("block", shape)
}

/// The same as a mesh, by the eight corners of the box.
fn block_of_triangles() -> Body {
    let corner = |k: u32| {
        let side = |bit: u32| if k & bit == 0 { -0.1 } else { 0.1 };
        DVec3::new(side(1), side(2) - 0.1, side(4))
    };
    let quads =
        [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    let triangles = quads.iter().flat_map(|[a, b, c, d]| [[*a, *b, *c], [*a, *c, *d]]).collect();
    let positions = (0..8).map(corner).collect();
    Body::new("mesh", Shape::Mesh(TriMesh { positions, triangles, ..TriMesh::default() }))
}

#[test]
fn cloth_that_lies_exactly_on_a_body_is_moved_off_it_and_the_run_goes_on() {
    let floor = Body::new("floor", Shape::Plane { point: DVec3::ZERO, normal: DVec3::Y });
    for body in [block(0.0), block(0.4), block_of_triangles(), floor] {
        for (size, cells) in [(0.4, 16), (0.15, 7)] {
            let name = body.name.clone();
            let mut w = world(vec![sheet(size, size, cells, cells)], vec![body.clone()], vec![]);
            let report = resolve_start(&mut w).expect("a start").expect("something to do");
            // Against a mesh the audit is exact, and what lies in its surface counts as inside.
            let found = report.separation_violations_before + report.body_penetrations_before;
            assert!(found > 0 && report.moved > 0, "{name}: {report:?}");
            assert!(report.largest_displacement < 1e-2, "{name}: {report:?}");
            assert!(w.infeasible().expect("finite").is_empty(), "{name}");
            for _ in 0..20 {
                w.step().unwrap_or_else(|e| panic!("{name}, {size} m: {e}"));
            }
            let lowest = w.state().x.iter().filter(|x| x.x.abs().max(x.z.abs()) < 0.07);
            assert!(lowest.map(|x| x.y).fold(1.0, f64::min) > 0.0, "{name}: above");
        }
    }
}

#[test]
fn cloth_that_is_held_in_contact_is_refused_before_the_first_step() {
    let pins = vec![Pin::still((0..64).collect())];
    let mut w = world(vec![sheet(0.15, 0.15, 7, 7)], vec![block(0.0)], pins);
    let error = resolve_start(&mut w).expect_err("it cannot be moved").to_string();
    for part in ["begins in contact", "vertex 0 of \"piece-0\"", "\"block\"", "held there"] {
        assert!(error.contains(part), "{error}");
    }
}

#[test]
fn cloth_in_contact_that_shall_not_be_moved_is_refused_before_the_first_step() {
    let mut settings = Preset::Toile.settings();
    settings.untangle = false;
    let mut piece = world(vec![sheet(0.15, 0.15, 7, 7)], vec![block(0.0)], vec![]);
    assert!(find(&mut piece).expect("finite").count() == 0);
    let cloth = Piece {
        name: "sheet".into(),
        mesh: sheet(0.15, 0.15, 7, 7),
        grid: None,
        fabric: Fabric::default(),
        pieces: Vec::new(),
    };
    let surroundings = Surroundings { bodies: vec![block(0.0)], ..Surroundings::default() };
    let mut w = World::new(vec![cloth], surroundings, settings).expect("a world");
    let error = resolve_start(&mut w).expect_err("it is refused").to_string();
    assert!(error.contains("begins in contact"), "{error}");
}
