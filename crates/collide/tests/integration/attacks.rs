//! Attacks on pruning: material coordinates that overlap, are mirrored, collapsed or torn, and updates that
//! fail or tell only a part. Brute force is the referee.

use crate::panels;

use glam::{DVec2, DVec3};
use panels::{impacts, panel, surface, uv};
use toile_collide::broad::Detector;
use toile_collide::prune::{DEFAULT_LIMIT, Prune};
use toile_collide::tree::Build;
use toile_collide::{Arity, Motion, Options, Surface, brute};
use toile_mesh::TriMesh;

const GAP: f64 = 1e-3;

/// A detector of every sound way of pruning and every build.
fn detectors(s: &Surface, uv: &[[DVec2; 3]], leaf: usize) -> Vec<Detector> {
    let piece = toile_mesh::Topology::new(s.vertices, &s.triangles).components().0;
    let mut all = Vec::new();
    for prune in [Prune::Directions, Prune::Gradients] {
        for build in Build::ALL {
            for arity in [Arity::Two, Arity::Four] {
                let options = Options { prune, build, arity, leaf, ..Options::default() };
                all.push(Detector::for_cloth_with(s.clone(), uv, &piece, options));
            }
        }
    }
    all
}

/// Holds them against brute force, which must find something; with leaves of several sizes.
fn check(mesh: &TriMesh, uv: &[[DVec2; 3]], x_t0: &[DVec3], x_t1: &[DVec3]) {
    let s = surface(mesh);
    let motion = Motion { x_t0, x_t1 };
    let truth = impacts(&s, motion, &brute::self_candidates(&s, motion, GAP));
    assert!(!truth.is_empty(), "nothing meets");
    for leaf in [1, 4, 16] {
        for mut d in detectors(&s, uv, leaf) {
            d.update(motion, GAP, None).unwrap();
            let found = impacts(&s, motion, &d.self_candidates(DEFAULT_LIMIT).0);
            let (found, wanted) = (found.len(), truth.len());
            assert_eq!(found, wanted, "{:?}", d.options());
        }
    }
}

fn mapped(x: &[DVec3], by: impl Fn(DVec3) -> DVec3) -> Vec<DVec3> {
    x.iter().map(|x| by(*x)).collect()
}

/// Turns what is below into what is above.
fn through(x: DVec3) -> DVec3 {
    DVec3::new(x.x, x.y, -x.z)
}

/// A square and its mirror image below, sewn together along x = 1, with the same material
/// coordinates.
fn mirrored(n: usize) -> TriMesh {
    let mut mesh = panel(n, n, |p| p);
    let (front, triangles) = (mesh.uv.clone(), mesh.triangles.clone());
    let mut twin = Vec::new();
    for (v, p) in front.iter().enumerate() {
        let is_common = p.x > 1.0 - 1e-9;
        twin.push(if is_common { v } else { mesh.uv.len() } as u32);
        if !is_common {
            mesh.uv.push(*p);
            mesh.positions.push(p.extend(-0.02 * (1.0 - p.x)));
        }
    }
    let turned = triangles.iter().map(|[a, b, c]| [*a, *c, *b].map(|v| twin[v as usize]));
    mesh.triangles.extend(turned);
    mesh
}

#[test]
fn a_panel_sewn_to_its_mirror_image_is_not_taken_for_one_sheet() {
    let mesh = mirrored(8);
    check(&mesh, &uv(&mesh), &mesh.positions, &mapped(&mesh.positions, through));
}

#[test]
fn panels_sewn_with_material_coordinates_of_their_own_are_not_taken_for_one_sheet() {
    // Three in a row, rolled so that the third lies under the first, all with the coordinates of the first.
    let mut mesh = panel(24, 4, |p| DVec2::new(3.0 * p.x, p.y));
    let rolled = |h: f64| -> Vec<DVec3> {
        let at = |p: &DVec2| match p.x {
            x if x < 1.0 => p.extend(0.0),
            x if x > 2.0 => DVec3::new(x - 2.0, p.y, h),
            x => DVec3::new(2.0 - x, p.y, h * (x - 1.0) - (std::f64::consts::PI * (x - 1.0)).sin()),
        };
        mesh.uv.iter().map(at).collect()
    };
    let (from, to) = (rolled(-0.02), rolled(0.02));
    let cut: Vec<[DVec2; 3]> = uv(&mesh)
        .iter()
        .map(|t| {
            let panel = (t.iter().map(|p| p.x).sum::<f64>() / 3.0).floor();
            t.map(|p| p - DVec2::new(panel, 0.0))
        })
        .collect();
    mesh.positions.clone_from(&from);
    check(&mesh, &cut, &from, &to);
}

/// A tube of two panels, joined along both sides: vertices there are one in space and two in the pattern. The second
/// panel lies `apart` from the first in the material plane.
fn tube(around: usize, high: usize, apart: DVec2) -> (TriMesh, Vec<[DVec2; 3]>) {
    let half = panel(around, high, |p| p);
    let corners = uv(&half);
    let n = half.uv.len();
    let at = |p: &DVec2, back: bool| {
        let turn = std::f64::consts::PI * (p.x + f64::from(u8::from(back)));
        DVec3::new(turn.cos(), std::f64::consts::PI * p.y, -turn.sin()) / std::f64::consts::PI
    };
    let mut positions: Vec<DVec3> = half.uv.iter().map(|p| at(p, false)).collect();
    let mut number = vec![0; n];
    for (v, p) in half.uv.iter().enumerate() {
        // The back begins where the front ends, and the other way round.
        let end = if p.x < 1e-9 { Some(1.0) } else { (p.x > 1.0 - 1e-9).then_some(0.0) };
        let twin = end.and_then(|x| {
            half.uv.iter().position(|q| (q.x - x).abs() < 1e-9 && (q.y - p.y).abs() < 1e-9)
        });
        number[v] = twin.unwrap_or(positions.len());
        if twin.is_none() {
            positions.push(at(p, true));
        }
    }
    let back = half.triangles.iter().map(|t| t.map(|v| number[v as usize] as u32));
    let triangles = half.triangles.iter().copied().chain(back).collect();
    let material = corners.iter().copied().chain(corners.iter().map(|t| t.map(|p| p + apart)));
    let material = material.collect();
    (TriMesh::new(positions, triangles), material)
}

#[test]
fn a_tube_of_two_panels_welded_at_both_sides_is_searched_across_its_seams() {
    // Side by side in the pattern, on top of each other, and so that one goes on where the other ends.
    for apart in [DVec2::new(1.5, 0.0), DVec2::ZERO, DVec2::new(1.0, 0.0)] {
        let (mesh, material) = tube(10, 6, apart);
        assert_eq!(mesh.positions.len(), 2 * 11 * 7 - 2 * 7);
        let x = &mesh.positions;
        // Pressed flat until the front has passed the back …
        check(&mesh, &material, x, &mapped(x, |p| DVec3::new(p.x, p.y, -0.2 * p.z)));
        // … and one seam pushed in until it passes the other.
        let pushed = |p: DVec3| if p.x > 0.2 { p - DVec3::X * 2.2 * p.x } else { p };
        check(&mesh, &material, x, &mapped(x, pushed));
    }
}

#[test]
fn a_ramp_of_two_turns_is_not_taken_for_one_sheet() {
    let flat = panel(48, 4, |p| p);
    let mesh =
        panel(48, 4, |p| DVec2::from_angle(2.0 * std::f64::consts::TAU * p.x) * (1.0 - 0.5 * p.y));
    let lifted = |h: f64| -> Vec<DVec3> {
        mesh.uv.iter().zip(&flat.uv).map(|(p, q)| p.extend(h * q.x)).collect()
    };
    check(&mesh, &uv(&mesh), &lifted(0.02), &lifted(-0.02));
}

#[test]
fn a_hem_without_material_area_is_not_taken_for_a_part_of_the_panel() {
    let mut mesh = panel(8, 8, |p| p);
    let rim: Vec<u32> =
        (0..mesh.uv.len() as u32).filter(|v| mesh.uv[*v as usize].y < 1e-9).collect();
    let first = mesh.uv.len() as u32;
    for v in &rim {
        let p = mesh.uv[*v as usize];
        mesh.uv.push(p);
        mesh.positions.push(DVec3::new(p.x, 0.31, 0.01));
    }
    for (i, pair) in (first..).zip(rim.windows(2)) {
        mesh.triangles.extend([[pair[1], pair[0], i], [pair[1], i, i + 1]]);
    }
    check(&mesh, &uv(&mesh), &mesh.positions, &mapped(&mesh.positions, through));
}

#[test]
fn a_flap_along_the_side_of_a_panel_is_not_taken_for_a_pocket() {
    // Its two short edges turn by little, like a rim that is curved inwards, but it is cloth.
    let corners = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)];
    let flap = [(0.1, 0.0), (0.9, 0.0), (0.5, 0.15)];
    let at = |z: f64| move |(x, y): (f64, f64)| DVec3::new(x, y, z);
    let x: Vec<DVec3> =
        corners.into_iter().map(at(0.0)).chain(flap.into_iter().map(at(0.01))).collect();
    let mut mesh = TriMesh::new(x.clone(), vec![[0, 1, 2], [0, 2, 3], [4, 5, 6]]);
    mesh.uv = x.iter().map(|p| p.truncate()).collect();
    check(&mesh, &uv(&mesh), &x, &mapped(&x, through));
}

#[test]
fn tiny_and_huge_material_coordinates_are_no_excuse() {
    for scale in [1e-30, 1e-20, 1e-6, 1e6, 1e20, 1e21, 1e22, 1e23, 1e30] {
        let mut mesh = panel(16, 4, |p| p);
        let arc = |turn: f64, lift: f64| -> Vec<DVec3> {
            let at = |p: &DVec2| {
                let a = turn * p.x;
                DVec3::new(a.cos() / turn, p.y + lift * p.x, a.sin() / turn)
            };
            mesh.uv.iter().map(at).collect()
        };
        // Bent to more than a turn, one end through the other.
        let (from, to) = (arc(6.1, 0.2), arc(6.6, 0.1));
        mesh.uv.iter_mut().for_each(|p| *p *= scale);
        check(&mesh, &uv(&mesh), &from, &to);
    }
}

#[test]
fn updates_that_tell_a_part_or_fail_lose_nothing() {
    let mesh = mirrored(6);
    let s = surface(&mesh);
    let (rest, over) = (mesh.positions.clone(), mapped(&mesh.positions, through));
    let still = Motion { x_t0: &rest, x_t1: &rest };
    let moved: Vec<bool> = rest.iter().map(|x| x.z < 0.0 && x.y > 0.5).collect();
    let part: Vec<DVec3> =
        (0..rest.len()).map(|v| if moved[v] { over[v] } else { rest[v] }).collect();
    let motion = Motion { x_t0: &rest, x_t1: &part };
    let truth = impacts(&s, motion, &brute::self_candidates(&s, motion, GAP));
    assert!(!truth.is_empty());
    let mut nowhere = part.clone();
    nowhere[3].y = f64::NAN;
    for mut d in detectors(&s, &uv(&mesh), 4) {
        let name = format!("{:?}", d.options());
        d.update(still, GAP, None).unwrap();
        d.update(motion, GAP, Some(&moved)).unwrap();
        assert_eq!(impacts(&s, motion, &d.self_candidates(DEFAULT_LIMIT).0), truth, "{name}");
        // Back to rest, then a failure; what is said to have moved counts from before it.
        let lost = Motion { x_t0: &rest, x_t1: &nowhere };
        for separation in [GAP, 2.0 * GAP] {
            d.update(still, GAP, None).unwrap();
            assert!(d.update(lost, separation, Some(&vec![true; rest.len()])).is_err());
            d.update(motion, GAP, Some(&vec![false; rest.len()])).unwrap();
            assert_eq!(impacts(&s, motion, &d.self_candidates(DEFAULT_LIMIT).0), truth, "{name}");
        }
    }
}

#[test]
fn volumes_to_spare_do_not_outlive_an_update_that_failed() {
    // Two panels that come together in an update that fails; the next hardly moves, seen from there.
    let mut mesh = panel(4, 4, |p| p);
    let n = mesh.positions.len();
    mesh.append(&panel(4, 4, |p| p));
    let s = surface(&mesh);
    let at = |z: f64| -> Vec<DVec3> {
        let lift = |(i, x): (usize, &DVec3)| *x + DVec3::Z * if i < n { 0.0 } else { z };
        mesh.positions.iter().enumerate().map(lift).collect()
    };
    let (apart, near, through) = (at(9.0), at(0.01), at(-0.01));
    let motion = Motion { x_t0: &near, x_t1: &through };
    let truth = impacts(&s, motion, &brute::self_candidates(&s, motion, GAP));
    assert!(!truth.is_empty());
    let mut nowhere = through.clone();
    nowhere[3].y = f64::NAN;
    let piece: Vec<u32> =
        (0..s.triangles.len()).map(|t| u32::from(2 * t >= s.triangles.len())).collect();
    for separation in [GAP, 2.0 * GAP] {
        let options = Options { inflation: 0.1, ..Options::default() };
        let mut d = Detector::for_cloth_with(s.clone(), &uv(&mesh), &piece, options);
        d.update(Motion::still(&apart), GAP, None).unwrap();
        assert!(d.update(Motion { x_t0: &near, x_t1: &nowhere }, separation, None).is_err());
        d.update(motion, GAP, None).unwrap();
        assert_eq!(impacts(&s, motion, &d.self_candidates(DEFAULT_LIMIT).0), truth);
    }
}
