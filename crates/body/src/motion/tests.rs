//! Promises of motion, on a woman of size M.

use super::*;
use crate::{BONES, Bone, Figure, Mannequin, Pose};
use glam::DVec3;
use std::sync::OnceLock;
use toile_pattern::Size;

const DUAL: Skinning = Skinning::DualQuaternion;

fn rig() -> &'static Rig {
    static RIG: OnceLock<Rig> = OnceLock::new();
    RIG.get_or_init(|| {
        let m = Figure::Female.measurements(Size::M);
        Rig::new(&Mannequin::new(&m, Figure::Female, Pose::A).expect("a body"))
    })
}

fn volume(positions: &[DVec3]) -> f64 {
    let corner = |v: u32| positions[v as usize];
    let six = |t: &[u32; 3]| corner(t[0]).dot(corner(t[1]).cross(corner(t[2])));
    rig().mesh.triangles.iter().map(six).sum::<f64>() / 6.0
}

fn walk() -> (Walk, Performance) {
    let walk = Walk { speed: 1.2, turn: 0.0, gait: Gait::Walk };
    (walk, Performance::new(rig(), Clip::Walk(walk), DUAL))
}

/// Eight moments of a period of the walk.
fn moments() -> Vec<Posture> {
    let (walk, performance) = walk();
    let period = walk.period(rig());
    (0..8).map(|k| performance.clip_posture(0.125 * f64::from(k) * period)).collect()
}

#[test]
fn the_rest_posture_is_the_rest_mesh_bit_for_bit() {
    let bits = |p: &[DVec3]| -> Vec<[u64; 3]> {
        p.iter().map(|p| p.to_array().map(f64::to_bits)).collect()
    };
    for skinning in [Skinning::Linear, DUAL] {
        assert_eq!(bits(&rig().skin(&Posture::REST, skinning)), bits(&rig().mesh.positions));
    }
    let (_, performance) = walk();
    assert_eq!(bits(&performance.positions(0.0)), bits(&rig().mesh.positions));
}

#[test]
fn a_rigid_posture_moves_all_vertices_alike() {
    let mut posture = Posture::REST;
    let turn = rotation::about(DVec3::new(0.6, 0.0, 0.8), 2.5);
    posture.turns[0] = turn;
    posture.root = DVec3::new(0.3, 0.2, -0.7);
    let joint = rig().skeleton.bone(Bone::Pelvis).joint;
    for skinning in [Skinning::Linear, DUAL] {
        for (p, q) in rig().mesh.positions.iter().zip(rig().skin(&posture, skinning)) {
            let wanted = turn * (*p - joint) + joint + posture.root;
            assert!(wanted.distance(q) < 1e-12, "{skinning:?} {wanted} {q}");
        }
    }
}

#[test]
fn the_skin_keeps_its_volume_over_the_walk() {
    let rest = volume(&rig().mesh.positions);
    let worst = |skinning| {
        let change = |p: &Posture| (volume(&rig().skin(p, skinning)) / rest - 1.0).abs();
        moments().iter().map(change).fold(0.0, f64::max)
    };
    let (linear, dual) = (worst(Skinning::Linear), worst(DUAL));
    assert!(dual < 0.05 && linear < 0.05, "{dual} {linear}");
    // What linear blending collapses, dual quaternions keep.
    assert!(dual < linear, "{dual} {linear}");
    // Half raised arms and bent knees cannot leave it as it was.
    assert!(dual > 1e-6);
}

#[test]
fn feet_are_on_the_ground_in_all_clips() {
    for name in Clip::NAMES {
        let clip = Clip::of_name(name).expect("a clip");
        let performance = Performance::new(rig(), clip, DUAL);
        for k in 0..16 {
            let t = 0.35 * f64::from(k);
            let skin = performance.positions(t);
            let low = skin.iter().map(|p| p.y).fold(f64::INFINITY, f64::min);
            assert!(low.abs() < 1e-3, "{name} at {t} s: {low} m");
        }
    }
}

#[test]
fn the_gait_has_the_period_and_stride_of_the_table() {
    let (walk, performance) = walk();
    let scale = rig().leg_length() / 0.83;
    let (period, stride) = (walk.period(rig()), walk.stride(rig()));
    assert!((stride / period - 1.2).abs() < 1e-12);
    // 0.9 Hz and 1.33 m, but for the length of the legs.
    assert!((period * 0.9 - 1.0).abs() < 0.8 * (scale - 1.0).abs() + 1e-9, "{period}");
    assert!((stride / 1.3333 - 1.0).abs() < (scale - 1.0).abs() + 1e-3, "{stride}");
    let at = |t: f64| rig().bones(&performance.clip_posture(t));
    for bone in Bone::ALL {
        let (a, b) = (at(0.3).bone(bone).joint, at(0.3 + period).bone(bone).joint);
        assert!((b - a - stride * DVec3::Z).length() < 1e-9, "{bone:?}");
        // Half a period later each side does what the other did.
        let half = at(0.3 + 0.5 * period).bone(bone.mirrored()).joint - 0.5 * stride * DVec3::Z;
        assert!((half - a * DVec3::new(-1.0, 1.0, 1.0)).length() < 1e-9, "{bone:?}");
    }
    // How far apart the ankles are at heel strike is nearly half a stride.
    let apart = |t: f64| {
        let bones = at(t);
        bones.bone(Bone::LeftFoot).joint.z - bones.bone(Bone::RightFoot).joint.z
    };
    let step = (0..60).map(|k| apart(period * f64::from(k) / 60.0)).fold(0.0, f64::max);
    assert!((step / (0.5 * stride) - 1.0).abs() < 0.2, "{step} {stride}");
}

#[test]
fn motion_begins_without_a_jerk() {
    for name in Clip::NAMES {
        let performance = Performance::new(rig(), Clip::of_name(name).expect("a clip"), DUAL);
        let hand = |t: f64| {
            let posture = performance.posture(t);
            rig().bones(&posture).bone(Bone::LeftHand).joint
        };
        for t in [0.0, 1.0, 1.5, 2.0] {
            let h = 1e-4;
            let (before, after) = (hand(t) - hand(t - h), hand(t + h) - hand(t));
            // Feet change where the ground holds them, which is a kink of the height alone.
            let jump = (after - before) / h;
            assert!(jump.x.hypot(jump.z) < 0.02, "{name} at {t} s: {jump}");
        }
    }
    assert!(Clip::walk(f64::NAN).is_err() && Clip::walk(9.0).is_err() && Clip::walk(0.0).is_err());
}

#[test]
fn keys_are_met_and_checked() {
    let a = Angles::standing(rig());
    let b = Angles { heading: 1.0, ..a };
    let key = |time, angles| Key { time, angles };
    let clip = Clip::keys(vec![key(0.0, a), key(2.0, b)]).expect("keys");
    let performance = Performance::new(rig(), clip, DUAL);
    let heading = |t| rotation::heading(performance.clip_posture(t).turns[0]);
    for (t, wanted) in [(-1.0, 0.0), (0.0, 0.0), (1.0, 0.5), (0.5, 0.15625), (2.0, 1.0), (9.0, 1.0)]
    {
        assert!((heading(t) - wanted).abs() < 1e-12, "{t} {}", heading(t));
    }
    let nan = Angles { lean: f64::NAN, ..a };
    for keys in [vec![], vec![key(0.0, a), key(0.0, b)], vec![key(0.0, nan)]] {
        assert!(Clip::keys(keys).is_err());
    }
}

#[test]
fn a_motion_survives_a_file() {
    let postures = moments();
    let text = Bvh::write(rig(), &postures, 1.0 / 25.0).expect("a file");
    let bvh = Bvh::parse(&text, "walk.bvh").expect("a motion");
    let recording = Recording::new(&bvh, rig()).expect("our own skeleton");
    let source = recording.source();
    assert_eq!((source.frames, source.up, source.unit), (8, Axis::PlusY, "m"));
    assert!((source.scale - 1.0).abs() < 1e-12 && (source.fps - 25.0).abs() < 1e-9);
    assert!(source.map.missing.is_empty() && source.map.unused.is_empty(), "{:?}", source.map);
    let turned = rotation::about(DVec3::Y, source.turned.to_radians());
    for (k, posture) in postures.iter().enumerate() {
        let read = recording.posture(k as f64 / 25.0);
        let (ours, theirs) = (rig().bones(posture), rig().bones(&read));
        let from = |s: &crate::Skeleton, b: Bone| s.bone(b).end - s.bone(Bone::Pelvis).joint;
        for bone in Bone::ALL {
            let off = turned * from(&ours, bone) - from(&theirs, bone);
            assert!(off.length() < 1e-6, "{bone:?} in frame {k}: {off}");
        }
    }
}

/// A figure in a T pose as exporters write it, in centimetres; one frame bends the left knee by 60°.
fn exported(names: &[&str; 14], z_up: bool) -> String {
    let axes = |x: f64, y: f64, z: f64| {
        if z_up { format!("{x} {} {y}", -z) } else { format!("{x} {y} {z}") }
    };
    let [hips, spine, neck, head, la, lf, lh, ra, rf, lt, ls, lfoot, rt, rs] = names;
    let rotations = "CHANNELS 3 Xrotation Zrotation Yrotation";
    let joint = |name: &str, at: String, inside: &str| {
        format!("JOINT {name}\n{{\nOFFSET {at}\n{rotations}\n{inside}\n}}\n")
    };
    let end = |at: String| format!("End Site\n{{\nOFFSET {at}\n}}");
    let left = joint(
        la,
        axes(18.0, 20.0, 0.0),
        &joint(
            lf,
            axes(28.0, 0.0, 0.0),
            &joint(lh, axes(25.0, 0.0, 0.0), &end(axes(8.0, 0.0, 0.0))),
        ),
    );
    let right = joint(
        ra,
        axes(-18.0, 20.0, 0.0),
        &joint(rf, axes(-28.0, 0.0, 0.0), &end(axes(-25.0, 0.0, 0.0))),
    );
    let top = joint(
        neck,
        axes(0.0, 25.0, 0.0),
        &joint(head, axes(0.0, 10.0, 0.0), &end(axes(0.0, 18.0, 0.0))),
    );
    let spine = joint(spine, axes(0.0, 20.0, 0.0), &format!("{top}{left}{right}"));
    let foot = joint(lfoot, axes(0.0, -40.0, 0.0), &end(axes(0.0, -6.0, 14.0)));
    let left = joint(lt, axes(9.0, 0.0, 0.0), &joint(ls, axes(0.0, -42.0, 0.0), &foot));
    let right = joint(
        rt,
        axes(-9.0, 0.0, 0.0),
        &joint(rs, axes(0.0, -42.0, 0.0), &end(axes(0.0, -40.0, 0.0))),
    );
    let mut text = format!(
        "HIERARCHY\nROOT {hips}\n{{\nOFFSET 0 0 0\nCHANNELS 6 Xposition Yposition Zposition Yrotation Xrotation Zrotation\n\
         {spine}{left}{right}}}\nMOTION\nFrames: 2\nFrame Time: 0.04\n"
    );
    for bend in [0.0, 60.0] {
        let mut frame = vec!["0".to_string(); 6 + 3 * 13];
        // The knee is the tenth joint behind the root: x first in its channels.
        frame[6 + 3 * 9] = bend.to_string();
        text.push_str(&(frame.join(" ") + "\n"));
    }
    text
}

const CMU: [&str; 14] = [
    "Hips",
    "Spine",
    "Neck",
    "Head",
    "LeftArm",
    "LeftForeArm",
    "LeftHand",
    "RightArm",
    "RightForeArm",
    "LeftUpLeg",
    "LeftLeg",
    "LeftFoot",
    "RightUpLeg",
    "RightLeg",
];
const BIOVISION: [&str; 14] = [
    "Hips",
    "Chest",
    "Neck",
    "Head",
    "LeftShoulder",
    "LeftElbow",
    "LeftWrist",
    "RightShoulder",
    "RightElbow",
    "LeftHip",
    "LeftKnee",
    "LeftAnkle",
    "RightHip",
    "RightKnee",
];
const BIPED: [&str; 14] = [
    "Bip01 Pelvis",
    "Bip01 Spine",
    "Bip01 Neck",
    "Bip01 Head",
    "Bip01 L UpperArm",
    "Bip01 L Forearm",
    "Bip01 L Hand",
    "Bip01 R UpperArm",
    "Bip01 R Forearm",
    "Bip01 L Thigh",
    "Bip01 L Calf",
    "Bip01 L Foot",
    "Bip01 R Thigh",
    "Bip01 R Calf",
];

#[test]
fn skeletons_of_exporters_are_mapped_and_moved() {
    let mixamo = CMU.map(|n| format!("mixamorig:{n}"));
    let builder = CMU.map(|n| format!("Character1_Ctrl:{n}"));
    let [mixamo, builder] = [&mixamo, &builder].map(|n| std::array::from_fn(|k| n[k].as_str()));
    for names in [CMU, BIOVISION, BIPED, mixamo, builder] {
        for z_up in [false, true] {
            let bvh = Bvh::parse(&exported(&names, z_up), "file.bvh").expect("a motion");
            let recording = Recording::new(&bvh, rig()).expect("a figure");
            let source = recording.source();
            assert_eq!(source.up, if z_up { Axis::PlusZ } else { Axis::PlusY });
            assert_eq!(source.unit, "cm");
            assert_eq!(source.map.mapped.len(), 14, "{names:?}: {:?}", source.map);
            assert_eq!(source.map.unused.len(), 0);
            assert_eq!(source.map.missing.len(), BONES - 14);
            let bones = |t: f64| rig().bones(&recording.posture(t));
            let along = |t: f64, bone| {
                let b = bones(t).bone(bone);
                (b.end - b.joint).normalize()
            };
            // Arms are level as in the file, and the bent shin points to the back: x turns −y towards −z.
            assert!(along(0.0, Bone::LeftUpperArm).distance(DVec3::X) < 1e-9);
            assert!(along(0.0, Bone::RightForearm).distance(-DVec3::X) < 1e-9);
            let shin = along(0.04, Bone::LeftShin);
            let wanted = DVec3::new(0.0, -0.5, -(0.75_f64.sqrt()));
            assert!(shin.distance(wanted) < 1e-9, "{names:?} {z_up}: {shin}");
            assert!((recording.duration() - 0.04).abs() < 1e-12);
        }
    }
}

#[test]
fn hostile_files_are_refused() {
    let good = exported(&CMU, false);
    assert!(Bvh::parse(&good, "good").is_ok());
    let many = format!("HIERARCHY\nROOT a\n{{\n{}", "JOINT b\n{\n".repeat(1_000_000));
    let channels = format!(
        "HIERARCHY ROOT a\n{{ OFFSET 0 0 0 CHANNELS 4000000000 {}",
        "Xrotation ".repeat(99)
    );
    let cases: [(String, &str); 14] = [
        (String::new(), "ends here"),
        ("HIERARCHY\nROOT a\n{".into(), "ends here"),
        (many, "more than 1024 joints"),
        (channels, "channels of a joint"),
        (good.replacen("OFFSET 0 0 0", "OFFSET 0 NaN 0", 1), "line 4: `NaN` is no number"),
        (good.replacen("OFFSET 0 0 0", "OFFSET 0 1e300 0", 1), "is no number"),
        (good.replace("Frames: 2", "Frames: 3"), "the file ends in frame 2 of 3"),
        (good.replace("Frames: 2", "Frames: 1"), "after the last"),
        (good.replace("Frames: 2", "Frames: 0"), "there is no motion"),
        (good.replace("Frames: 2", "Frames: 99999999999"), "are the most"),
        (good.replace("Frames: 2", "Frames: -1"), "is no number of frames"),
        (good.replace("Time: 0.04", "Time: 0"), "0 s from frame"),
        (good.replacen("Xposition", "Wposition", 1), "is no channel"),
        (good.replacen("Yposition", "Xposition", 1), "twice"),
    ];
    for (text, wanted) in cases {
        let error = Bvh::parse(&text, "bad.bvh").expect_err(wanted).to_string();
        assert!(error.contains("bad.bvh: line") && error.contains(wanted), "{error}");
    }
    // Every cut of a file is an error or, at its very end, the file.
    for k in (0..good.len() - 3).step_by(7) {
        assert!(Bvh::parse(&good[..k], "cut").is_err(), "{k}");
    }
    let limbless = good.replace("RightUpLeg", "Tail");
    let bvh = Bvh::parse(&limbless, "cat.bvh").expect("a motion");
    let error = Recording::new(&bvh, rig()).expect_err("no leg").to_string();
    assert!(error.contains("RightThigh") && error.contains("Hips, Spine"), "{error}");
    let flat =
        Bvh::parse(&good.replace("-42", "0").replace("-40", "0").replace(" 20", " 0"), "flat.bvh");
    assert!(Recording::new(&flat.expect("a motion"), rig()).is_err());
}

#[test]
fn damaged_files_give_errors_or_finite_postures() {
    let good = exported(&CMU, false).into_bytes();
    let mut seed = 7_u64;
    let mut random = |n: usize| {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (seed >> 33) as usize % n
    };
    let mut moved = 0;
    for _ in 0..2000 {
        let mut bytes = good.clone();
        for _ in 0..=random(4) {
            let at = random(bytes.len());
            match random(3) {
                0 => bytes[at] = b"0123456789-.e{} \nXYZ"[random(20)],
                1 => drop(bytes.remove(at)),
                _ => {
                    let end = (at + random(40)).min(bytes.len());
                    let copy = bytes[at..end].to_vec();
                    bytes.splice(at..at, copy);
                }
            }
        }
        let text = String::from_utf8(bytes).expect("ASCII");
        let Ok(bvh) = Bvh::parse(&text, "damaged") else { continue };
        let Ok(recording) = Recording::new(&bvh, rig()) else { continue };
        moved += 1;
        let posture = recording.posture(0.5 * recording.duration());
        assert!(posture.root.is_finite() && posture.turns.iter().all(|q| q.is_finite()), "{text}");
    }
    assert!(moved > 10, "too few files could still be moved: {moved}");
}
