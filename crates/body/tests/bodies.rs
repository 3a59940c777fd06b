//! Mannequins of all sizes, figures and poses against their measurements and the exact audit.

use toile_body::motion::{Clip, Performance, Rig, Skinning};
use toile_body::{
    Body, Bone, Figure, Mannequin, Part, Plane, Pose, fitted, measure, repair, slice,
};
use toile_mesh::{Topology, TriMesh};
use toile_pattern::Size;

/// What make and measure may differ by [m], and by which slope [degrees].
const TOLERANCE: f64 = 0.005;
const SLOPE: f64 = 2.0;

/// Raised or lowered arms move these, on living bodies too.
const SHOULDERS: [&str; 5] =
    ["shoulder_width", "shoulder_length", "shoulder_slope", "arm_length", "upper_arm_girth"];

fn off(body: &Body, name: &str) -> f64 {
    let measured = body.measured.get(name).expect("a tape for every fitted measurement");
    (measured - body.measurements.get(name).expect("a measurement")).abs()
}

fn is_sound(body: &Body) {
    let mesh = &body.mesh;
    let count = mesh.triangles.len();
    assert!((26_000..=42_000).contains(&count), "{count} triangles");
    let topology = Topology::new(mesh.positions.len(), &mesh.triangles);
    assert!(topology.is_closed() && topology.components().1 == 1);
    assert!(mesh.validate().is_clean(), "consistent, no flat triangle, no stray vertex");
    assert!(mesh.signed_volume() > 0.01, "it faces outwards");
    let crossing = toile_audit::self_intersections(&mesh.positions, &mesh.triangles);
    assert_eq!(crossing.expect("finite").len(), 0);
    for w in &body.weights {
        let sum: f64 = w.iter().map(|(_, share)| share).sum();
        assert!((sum - 1.0).abs() < 1e-12 && w.iter().all(|(_, share)| *share >= 0.0));
    }
    let low = mesh.bounds().expect("vertices").0.y;
    assert!(low.abs() < 1e-12, "it stands on the ground");
}

fn measures_what_was_asked(body: &Body, loose: &[&str]) {
    for name in fitted(body.figure).filter(|n| !loose.contains(n)) {
        let limit = if name == "shoulder_slope" { SLOPE } else { TOLERANCE };
        let off = off(body, name);
        assert!(off < limit, "{:?} {:?}: {name} is off by {off}", body.figure, body.pose);
    }
}

#[test]
fn a_woman_in_three_poses_is_sound_and_measures_what_was_asked() {
    let m = Figure::Female.measurements(Size::M);
    let a = Mannequin::new(&m, Figure::Female, Pose::A).expect("the middle size");
    is_sound(&a);
    measures_what_was_asked(&a, &[]);
    for pose in [Pose::T, Pose::Relaxed] {
        let body = a.posed(pose).expect("every pose");
        is_sound(&body);
        assert_eq!(body.mesh.triangles.len(), a.mesh.triangles.len());
        let loose: Vec<&str> = SHOULDERS.into_iter().chain(["bust_girth"]).collect();
        measures_what_was_asked(&body, &loose);
        assert!(off(&body, "bust_girth") < 0.01);
    }
}

#[test]
fn a_man_and_a_child_measure_what_was_asked() {
    for figure in [Figure::Male, Figure::Child] {
        let body = Mannequin::new(&figure.measurements(Size::M), figure, Pose::A).expect("size M");
        is_sound(&body);
        measures_what_was_asked(&body, &[]);
    }
}

/// Every point of the square belongs to one triangle at most, and no part is much larger than another.
#[test]
fn the_atlas_of_the_skin_is_without_overlap() {
    const SIDE: usize = 3000;
    for figure in Figure::ALL {
        let body = Mannequin::new(&figure.measurements(Size::M), figure, Pose::A).expect("size M");
        let mesh = &body.mesh;
        assert!(mesh.has_uv());
        assert!(mesh.uv.iter().all(|p| p.min_element() > 0.0 && p.max_element() < 1.0));
        let mut owner = vec![u32::MAX; SIDE * SIDE];
        let mut scales = Vec::new();
        for t in 0..mesh.triangles.len() {
            let [a, b, c] = mesh.corners_uv(t).map(|p| p * SIDE as f64);
            let area = (b - a).perp_dot(c - a);
            assert!(area > 0.0, "triangle {t} is turned over in the atlas");
            scales.push(area / mesh.area_normal(t).length());
            let (lo, hi) = (a.min(b).min(c), a.max(b).max(c));
            for y in lo.y as usize..=hi.y as usize {
                for x in lo.x as usize..=hi.x as usize {
                    let p = glam::DVec2::new(x as f64 + 0.5, y as f64 + 0.5);
                    let inside = [(a, b), (b, c), (c, a)]
                        .iter()
                        .all(|(u, v)| (*v - *u).perp_dot(p - *u) > 1e-9);
                    if inside {
                        let cell = &mut owner[y * SIDE + x];
                        assert_eq!(*cell, u32::MAX, "triangles {cell} and {t} overlap");
                        *cell = t as u32;
                    }
                }
            }
        }
        let used = owner.iter().filter(|o| **o != u32::MAX).count() as f64 / owner.len() as f64;
        assert!(used > 0.4, "only {used} of the atlas is used");
        scales.sort_by(f64::total_cmp);
        let at = |share: f64| scales[(share * scales.len() as f64) as usize];
        assert!(at(0.99) < 3.0 * at(0.5) && at(0.01) > at(0.5) / 3.0);
    }
}

#[test]
fn a_hand_has_four_fingers_and_a_thumb() {
    for figure in Figure::ALL {
        let body = Mannequin::new(&figure.measurements(Size::M), figure, Pose::A).expect("size M");
        for side in 0..2 {
            let (wrist, tip) = (body.landmarks.wrist[side], body.landmarks.hand[side]);
            let along = tip - wrist;
            let loops = |share: f64| {
                let point = wrist + share * along;
                let cut = slice(&body.mesh, Plane { point, normal: along.normalize() });
                cut.iter().filter(|l| l.centroid().distance(point) < 0.6 * along.length()).count()
            };
            // Palm and thumb, then the fingers.
            assert_eq!((loops(0.55), loops(0.74)), (2, 4), "{figure:?}");
        }
    }
}

/// What belongs to hand or foot alone moves as one rigid body in every motion.
#[test]
fn hands_and_feet_keep_their_shape_in_motion() {
    let m = Figure::Female.measurements(Size::M);
    let body = Mannequin::new(&m, Figure::Female, Pose::A).expect("size M");
    let rig = Rig::new(&body);
    for name in ["walk", "turn", "arms-up", "squat"] {
        let clip = match name {
            "walk" => Clip::walk(1.2).expect("a speed"),
            "turn" => Clip::Turn { period: 4.0 },
            "arms-up" => Clip::ArmsUp,
            _ => Clip::Squat,
        };
        let performance = Performance::new(&rig, clip, Skinning::DualQuaternion);
        for moment in [0.3, 0.9, 1.6] {
            let moved = performance.positions(performance.clip_start() + moment);
            for bone in [Bone::LeftHand, Bone::RightHand, Bone::LeftFoot, Bone::RightFoot] {
                let own: Vec<usize> =
                    (0..moved.len()).filter(|i| rig.weights[*i][0] == (bone, 1.0)).collect();
                assert!(own.len() > 700, "{bone:?}: {}", own.len());
                let rest = &rig.mesh.positions;
                for (a, b) in own.iter().zip(own.iter().skip(own.len() / 2)) {
                    let change = moved[*a].distance(moved[*b]) - rest[*a].distance(rest[*b]);
                    assert!(change.abs() < 1e-9, "{name} {bone:?}: {change}");
                }
            }
        }
    }
}

#[test]
fn the_same_measurements_make_the_same_body() {
    let m = Figure::Male.measurements(Size::S);
    let [a, b] = [0, 1].map(|_| Mannequin::new(&m, Figure::Male, Pose::A).expect("size S").mesh);
    assert_eq!(a, b);
}

#[test]
fn made_to_measure_is_met_and_nonsense_is_refused() {
    let good = Figure::Female.measurements(Size::M);
    let m =
        good.with("waist_girth", 70.0).and_then(|m| m.with("calf_girth", 38.0)).expect("a body");
    let body = Mannequin::new(&m, Figure::Female, Pose::A).expect("a body");
    assert!((body.measured.get("waist_girth").unwrap_or(0.0) - 0.70).abs() < TOLERANCE);
    assert!((body.measured.get("calf_girth").unwrap_or(0.0) - 0.38).abs() < TOLERANCE);
    let mut wide = good;
    wide.waist_girth = 5.0;
    let error = Mannequin::new(&wide, Figure::Female, Pose::A).unwrap_err().to_string();
    assert!(error.contains("waist_girth") && error.contains("151.2 cm"), "{error}");
}

#[test]
fn sections_and_volumes_hold_the_parts() {
    let m = Figure::Female.measurements(Size::M);
    let body = Mannequin::new(&m, Figure::Female, Pose::A).expect("size M");
    let calf = body.girth_section(Part::LeftLeg, 0.8).expect("a leg").girth(glam::DVec3::Y);
    assert!((0.25..0.40).contains(&calf), "{calf}");
    assert!(body.girth_section(Part::Trunk, f64::NAN).is_err());
    for volume in body.parts().expect("all parts") {
        let middle = body.girth_section(volume.part, 0.6).expect("a section");
        if volume.part != Part::Trunk {
            let most = middle.points.iter().map(|p| volume.outside(*p)).fold(f64::MIN, f64::max);
            assert!(most < 0.005, "{:?}: {most}", volume.part);
        }
        assert!(volume.radii.iter().all(|r| *r < 0.3), "{volume:?}");
    }
}

#[test]
fn a_body_lying_in_inches_with_a_hole_is_put_right() {
    let m = Figure::Male.measurements(Size::M);
    let body = Mannequin::new(&m, Figure::Male, Pose::A).expect("size M");
    // z up, facing −y, in inches, inside out, a triangle missing, and an eye inside the head.
    let inches = |p: glam::DVec3| glam::DVec3::new(p.x, -p.z, p.y) / 0.0254;
    let mut mesh = body.mesh.clone().map_positions(inches);
    mesh.triangles.iter_mut().for_each(|t| t.swap(0, 1));
    mesh.triangles.swap_remove(500);
    let eye = toile_mesh::shape::sphere(0.5, 1);
    mesh.append(&eye.map_positions(|p| p + glam::DVec3::new(1.0, 0.0, 65.0)));
    let (found, repairs) = repair(&mesh).expect("a body");
    assert_eq!((repairs.unit, repairs.up, repairs.holes, repairs.pieces), ("in", "+z", 1, 1));
    assert!(repairs.flipped && !repairs.is_nothing());
    // The placement takes every vertex of the file that is left to where it is now, and back.
    let moved = mesh.positions.iter().take(1000).map(|p| repairs.placement.apply(*p));
    let near = |p: glam::DVec3| found.positions.iter().any(|q| q.distance(p) < 1e-12);
    assert!(moved.into_iter().step_by(97).all(near));
    for p in found.positions.iter().step_by(97) {
        assert!(repairs.placement.apply(repairs.placement.invert(*p)).distance(*p) < 1e-12);
    }
    let measured = measure(&found).expect("a human shape");
    for name in ["height", "waist_girth", "hip_girth", "inseam", "wrist_girth", "bust_girth"] {
        let difference = measured.get(name).unwrap_or(0.0) - body.measured.get(name).unwrap_or(1.0);
        assert!(difference.abs() < 0.002, "{name}: {difference}");
    }
    let (_, nothing) = repair(&body.mesh).expect("a body");
    assert!(nothing.is_nothing(), "{nothing:?}");
}

#[test]
fn what_is_no_body_is_refused() {
    let ball = toile_mesh::shape::sphere(0.8, 4);
    assert!(measure(&ball).is_err() && repair(&ball).is_err());
    assert!(measure(&TriMesh::default()).is_err() && repair(&TriMesh::default()).is_err());
    let tiny = ball.clone().map_positions(|p| p * 1e-6);
    let error = repair(&tiny).unwrap_err().to_string();
    assert!(error.contains("in no unit"), "{error}");
    // Half a body has a hole that cannot be capped.
    let m = Figure::Child.measurements(Size::M);
    let mut mesh = Mannequin::new(&m, Figure::Child, Pose::A).expect("size M").mesh;
    let top = |mesh: &TriMesh, t: usize| mesh.corners(t).iter().all(|p| p.y < 0.98);
    mesh.triangles =
        (0..mesh.triangles.len()).filter(|t| top(&mesh, *t)).map(|t| mesh.triangles[t]).collect();
    assert!(repair(&mesh).is_err());
}

#[test]
fn triangles_that_face_any_way_are_turned_outwards_and_a_flat_body_is_refused() {
    let m = Figure::Child.measurements(Size::M);
    let body = Mannequin::new(&m, Figure::Child, Pose::A).expect("size M");
    let mut mixed = body.mesh.clone();
    for t in mixed.triangles.iter_mut().skip(1).step_by(2) {
        t.swap(1, 2);
    }
    let (mended, repairs) = repair(&mixed).expect("a body");
    assert!(repairs.flipped);
    assert!((mended.signed_volume() / body.mesh.signed_volume() - 1.0).abs() < 1e-9);
    let flat = body.mesh.map_positions(|p| glam::DVec3::new(p.x, p.y, 1e-3 * p.z));
    let error = repair(&flat).expect_err("no body").to_string();
    assert!(error.contains("no volume"), "{error}");
}

/// All sizes and poses of a figure.
fn all_sizes_and_poses_are_sound(figure: Figure) {
    for size in Size::ALL {
        let m = figure.measurements(size);
        let a = Mannequin::new(&m, figure, Pose::A)
            .unwrap_or_else(|e| panic!("{figure:?} {size:?}: {e}"));
        is_sound(&a);
        measures_what_was_asked(&a, &[]);
        for pose in [Pose::T, Pose::Relaxed] {
            let body =
                a.posed(pose).unwrap_or_else(|e| panic!("{figure:?} {size:?} {pose:?}: {e}"));
            is_sound(&body);
        }
    }
}

#[test]
fn women_of_all_sizes_and_poses_are_sound() {
    all_sizes_and_poses_are_sound(Figure::Female);
}

#[test]
fn men_of_all_sizes_and_poses_are_sound() {
    all_sizes_and_poses_are_sound(Figure::Male);
}

#[test]
fn children_of_all_sizes_and_poses_are_sound() {
    all_sizes_and_poses_are_sound(Figure::Child);
}

/// A body of others, if `TOILE_BODIES` names a folder that has it with its measurements.
#[test]
fn a_foreign_body_measures_what_its_file_says() {
    let Some(folder) = std::env::var_os("TOILE_BODIES") else { return };
    let folder = std::path::Path::new(&folder);
    let mesh = toile_mesh::io::read_mesh(folder.join("garmentcode_mean_all.obj")).expect("a mesh");
    let yaml = std::fs::read_to_string(folder.join("garmentcode_mean_all.yaml")).expect("a file");
    let said = |key: &str| -> f64 {
        let line = yaml.lines().find_map(|l| l.trim().strip_prefix(key)?.strip_prefix(':'));
        0.01 * line.expect("the key").trim().parse::<f64>().expect("a number")
    };
    let (mesh, repairs) = repair(&mesh).expect("a body");
    assert_eq!((repairs.unit, repairs.up), ("m", "+y"));
    let measured = measure(&mesh).expect("a human shape");
    for (name, key, limit) in [
        ("height", "height", 0.001),
        ("bust_girth", "bust", 0.01),
        ("underbust_girth", "underbust", 0.01),
        ("waist_girth", "waist", 0.01),
        ("hip_girth", "hips", 0.01),
        ("wrist_girth", "wrist", 0.01),
        ("thigh_girth", "leg_circ", 0.02),
        ("shoulder_width", "shoulder_w", 0.02),
        ("arm_length", "arm_length", 0.02),
        ("back_length", "waist_line", 0.025),
    ] {
        let difference = measured.get(name).expect("a tape") - said(key);
        assert!(difference.abs() < limit, "{name}: {difference}");
    }
}
