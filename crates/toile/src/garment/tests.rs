//! A garment from an order to its fit report.

use super::maps::{self, Map};
use super::report::FitReport;
use super::{Coordinates, Order, dress, page};
use crate::body::{Motion, MotionOrder, Performance, Rig, Skinning, Stance};
use crate::run::{Format, Options, Outcome, Stage};
use glam::DVec3;
use toile_body::{Figure, Mannequin, Pose};
use toile_garment::fit::{Fit, Maps, Summary};
use toile_mesh::{TriMesh, shape};
use toile_pattern::Size;

/// Every number within a value is finite; null would be one that is not.
fn assert_finite(value: &serde_json::Value, path: &str) {
    match value {
        serde_json::Value::Null => assert_eq!(path, ".best_size", "{path} is no number"),
        serde_json::Value::Array(all) => all.iter().for_each(|v| assert_finite(v, path)),
        serde_json::Value::Object(all) => {
            all.iter().for_each(|(k, v)| assert_finite(v, &format!("{path}.{k}")));
        }
        _ => {}
    }
}

fn assert_self_contained(page: &str, pictures: usize) {
    assert_eq!(page.matches("src=\"data:image/png;base64,iVBORw0KGgo").count(), pictures);
    assert_eq!(page.matches("src=").count(), pictures);
    for outside in ["http:", "https:", "<link", "<script", "@import", "url(http"] {
        assert!(!page.contains(outside), "{outside}");
    }
}

/// A garment of size M and of jersey in large triangles on a woman of that size.
pub(super) fn order(garment: &str) -> Order {
    Order {
        garment: garment.into(),
        size: Size::M,
        wearer: None,
        figure: Figure::Female,
        pose: Pose::A,
        motion: None,
        body: None,
        duration: None,
        fabric: "cotton-jersey".into(),
        edge_length: 0.06,
        fps: 30.0,
        coordinates: Coordinates::Body,
        design_options: Vec::new(),
        measurements: None,
    }
}

#[test]
fn a_t_shirt_is_worn_and_its_fit_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let order = order("tshirt");
    let mut said = Vec::new();
    let options = Options { picture: false, ..Options::new(folder.path()) };
    let outcome = dress(&order, &options, &mut |at| {
        if said.last() != Some(&at.stage.name()) {
            said.push(at.stage.name());
        }
    });
    let outcome = outcome.expect("it can be made");
    let Outcome::Finished(report) = outcome else { panic!("nobody stopped it") };
    let garment = report.garment.as_ref().expect("a garment");
    assert!(report.is_good(), "{report:?}");
    assert_eq!(
        said,
        [
            "arranging",
            "untangling",
            "sewing",
            "draping",
            "auditing",
            "measuring",
            "writing",
            "drawing"
        ]
    );
    // Drafted with 8 cm more than the bust; a section between two planes of a coarse mesh is near that.
    let bust = garment.fit.girths.iter().find(|g| g.name == "bust_girth").expect("a bust");
    assert!((bust.ease - 0.08).abs() < 0.03, "{bust:?}");
    assert!(garment.fit.girths.iter().all(|g| g.ease > 0.0), "{:?}", garment.fit.girths);
    let [best, reason] = garment.fit.best_size.clone().expect("a design");
    assert_eq!(best, "M", "{reason}");

    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).expect(name);
    let fit: serde_json::Value = serde_json::from_str(&read("fit.json")).expect("JSON");
    assert_finite(&fit, "");
    for map in ["strain", "tension", "pressure", "gap"] {
        let values = fit["maps"][map].as_array().expect("a map");
        assert_eq!(values.len() as u64, report.vertices, "{map}");
    }
    assert!(fit["summary"]["pressure"]["max"].as_f64().expect("a number") > 0.0);
    assert_self_contained(&read("fit.html"), 0);
    let whole: serde_json::Value = serde_json::from_str(&read("report.json")).expect("JSON");
    assert!(whole["fit"]["girths"].as_array().is_some_and(|g| g.len() >= 3));
}

fn worn_in_motion() -> Order {
    Order {
        motion: Some(MotionOrder { duration: Some(0.1), ..MotionOrder::new("walk") }),
        fabric: "cotton".into(),
        edge_length: 0.08,
        ..order("skirt")
    }
}

#[test]
fn a_skirt_goes_along_with_a_walking_body_and_a_stopped_run_ends_in_the_same_bits() {
    let order = worn_in_motion();
    let whole = tempfile::tempdir().expect("a folder");
    let options = Options { picture: false, ..Options::new(whole.path()) };
    let run = |options: &Options, stop: Option<u64>| {
        let mut moving = 0;
        let flag = options.stop.clone();
        let outcome = dress(&order, options, &mut |at| {
            moving += u64::from(at.stage == Stage::Moving);
            if stop == Some(moving) {
                flag.stop();
            }
        });
        outcome.expect("it can be worn")
    };
    let glb = Options { frames: Some(Format::Glb), threads: Some(2), ..options };
    let Outcome::Finished(report) = run(&glb, None) else { panic!("nobody stopped it") };
    assert_eq!((report.intersections_max, report.body_penetrations_max), (Some(0), Some(0)));
    // 1.5 s from the pose of the fitting to the clip, and 0.1 s of it.
    assert_eq!((report.frames, report.frames_kept), (49, 49));
    let motion = report.garment.as_ref().and_then(|g| g.motion.clone()).expect("a motion");
    assert_eq!((motion.clip_start, motion.clip_duration.round()), (1.5, 0.0));
    assert!(motion.step >= 0.01 && (report.simulated_seconds - 1.6).abs() < 1e-9);
    let frames = std::fs::read(whole.path().join("frames.glb")).expect("frames");
    let reader = toile_mesh::io::glb::Reader::new(&frames, "frames.glb").expect("an animation");
    assert_eq!(reader.times().len(), 49);

    let parts = tempfile::tempdir().expect("a folder");
    let pc2 = |resume: bool| Options {
        picture: false,
        frames: Some(Format::Pc2),
        threads: Some(1),
        resume,
        ..Options::new(parts.path())
    };
    assert!(matches!(run(&pc2(false), Some(40)), Outcome::Stopped { .. }));
    let Outcome::Finished(resumed) = run(&pc2(true), None) else { panic!("it goes on") };
    assert_eq!(resumed.state_hash, report.state_hash);
    let cache = |name: &str| {
        let path = parts.path().join(name);
        toile_mesh::io::pc2::Pc2Reader::open(&path).expect(name).header()
    };
    let body = toile_mesh::io::read_mesh(parts.path().join("body.obj")).expect("a body");
    assert_eq!((cache("frames.pc2").frames, cache("body.pc2").frames), (49, 49));
    assert_eq!(cache("body.pc2").points as usize, body.positions.len());
}

#[test]
fn trousers_and_a_t_shirt_are_worn_together_and_a_stopped_run_ends_in_the_same_bits() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("outfit.toml");
    let text = "[[wear]]\ngarment = 'trousers'\n[[wear]]\ngarment = 'tshirt'\ntuck = 'out'\n";
    std::fs::write(&file, text).expect("a file");
    let order = Order { edge_length: 0.08, ..order(&file.display().to_string()) };
    let options = |name: &str| Options { picture: false, ..Options::new(folder.path().join(name)) };
    let whole = options("whole");
    let Outcome::Finished(report) = dress(&order, &whole, &mut |_| ()).expect("it is worn") else {
        panic!("nobody stopped it")
    };
    assert_eq!((report.intersections_max, report.body_penetrations_max), (Some(0), Some(0)));
    let garment = report.garment.as_ref().expect("a garment");
    let worn = garment.outfit.as_ref().expect("an outfit");
    let fabrics: Vec<&str> = worn.iter().map(|w| w.fabric.as_str()).collect();
    assert_eq!(fabrics, ["cotton", "cotton-jersey"]);
    assert!(garment.at_rest && garment.seam_gap_max == 0.0, "{garment:?}");
    // Stopped while the T-shirt is being sewn around the trousers.
    let parts = options("parts");
    let (flag, mut sewing, mut was_draping) = (parts.stop.clone(), 0, false);
    let stopped = dress(&order, &parts, &mut |at| {
        was_draping |= at.stage == Stage::Draping;
        sewing += u64::from(was_draping && at.stage == Stage::Sewing);
        if sewing == 3 {
            flag.stop();
        }
    });
    assert!(matches!(stopped.expect("it is worn"), Outcome::Stopped { .. }));
    let resumed = Options { resume: true, ..options("parts") };
    let Outcome::Finished(again) = dress(&order, &resumed, &mut |_| ()).expect("it goes on") else {
        panic!("nobody stopped it")
    };
    assert_eq!(again.state_hash, report.state_hash);
    let model = std::fs::read_to_string(folder.path().join("whole/final.obj")).expect("a file");
    assert!(model.contains("tshirt/") && model.contains("trousers/"));
}

#[test]
fn trousers_come_to_rest_on_one_who_sits_and_one_who_squats() {
    for stance in [Stance::Sit, Stance::Squat] {
        let folder = tempfile::tempdir().expect("a folder");
        let motion = Some(MotionOrder::to(stance));
        let order =
            Order { motion, edge_length: 0.06, fabric: "cotton".into(), ..order("trousers") };
        let options = Options { picture: false, ..Options::new(folder.path()) };
        let Outcome::Finished(report) = dress(&order, &options, &mut |_| ()).expect("it is worn")
        else {
            panic!("nobody stopped it")
        };
        let worst = (report.intersections_max, report.body_penetrations_max);
        assert_eq!(worst, (Some(0), Some(0)), "{stance:?}");
        let garment = report.garment.expect("a garment");
        assert!(garment.rms_speed < 4e-3, "{stance:?}: {} m/s", garment.rms_speed);
    }
}

/// A woman who goes from pose A into a walk for 1.6 s, in centimetres and three metres beside the origin.
fn walking() -> (TriMesh, Vec<Vec<DVec3>>) {
    let m = Figure::Female.measurements(Size::M);
    let rig = Rig::new(&Mannequin::new(&m, Figure::Female, Pose::A).expect("a body"));
    let walk = Motion::of_name("walk").expect("a clip");
    let walk = Performance::new(&rig, walk, Skinning::default());
    let placed = |p: DVec3| 100.0 * p + DVec3::X * 300.0;
    let frame = |k: u32| walk.positions(f64::from(k) / 10.0).into_iter().map(placed).collect();
    (rig.mesh.clone().map_positions(placed), (0..17).map(frame).collect())
}

#[test]
fn a_character_of_a_file_is_dressed_and_followed_in_its_own_coordinates_and_time() {
    use toile_mesh::io::pc2::Pc2Reader;
    let folder = tempfile::tempdir().expect("a folder");
    let (mesh, frames) = walking();
    let file = folder.path().join("character.glb");
    let model = toile_mesh::io::Model::of_mesh(
        mesh.clone(),
        toile_mesh::io::Material::new("skin", [0.5; 3]),
    );
    let clip = crate::convert::Clip { model, frames: frames.clone(), fps: 10.0 };
    crate::convert::write_clip(&file, &clip).expect("a file");
    let order = Order { body: Some(file.clone()), motion: None, fps: 10.0, ..worn_in_motion() };
    let options = Options {
        picture: false,
        frames: Some(Format::Pc2),
        ..Options::new(folder.path().join("out"))
    };
    let Outcome::Finished(report) = dress(&order, &options, &mut |_| ()).expect("it is worn")
    else {
        panic!("nobody stopped it")
    };
    assert_eq!((report.intersections_max, report.body_penetrations_max), (Some(0), Some(0)));
    let motion = report.garment.and_then(|g| g.motion).expect("a motion");
    assert_eq!(motion.file_time, Some(1.0));
    let body: Vec<Vec<DVec3>> = Pc2Reader::open(folder.path().join("out/body.pc2"))
        .expect("frames")
        .collect::<Result<_, _>>()
        .expect("frames");
    // Vertices of the body are found in the file by where they are in the pose of the fitting.
    let in_file = |p: &DVec3| {
        let far = mesh.positions.iter().map(|q| q.distance(*p)).enumerate();
        far.min_by(|a, b| a.1.total_cmp(&b.1)).expect("a vertex")
    };
    let some: Vec<(usize, usize)> = (0..body[0].len())
        .step_by(53)
        .map(|v| {
            let (of_file, far) = in_file(&body[0][v]);
            assert!(far < 1e-3, "vertex {v} is {far} cm beside the file's");
            (v, of_file)
        })
        .collect();
    // From 1.25 s on the run is where the file is one second earlier, but for skin that recedes.
    for (k, own) in body.iter().enumerate().skip(13) {
        let there = &frames[k - 10];
        let far = some.iter().map(|(v, f)| own[*v].distance(there[*f])).fold(0.0, f64::max);
        assert!(far < 1.0, "frame {k}: {far} cm");
    }
    assert_eq!(body.len(), frames.len() + 10);
    // What has an animation of its own performs no clip.
    let walk = Some(MotionOrder::new("walk"));
    let error = dress(&Order { motion: walk, ..order }, &options, &mut |_| ()).unwrap_err();
    assert!(error.to_string().contains("animated"), "{error}");
}

#[test]
fn a_design_is_found_beside_a_folder_of_its_name() {
    let folder = tempfile::tempdir().expect("a folder");
    let named = folder.path().join("tshirt");
    std::fs::create_dir(&named).expect("a folder");
    let path = named.display().to_string();
    assert!(super::cut(&order(&path)).is_err(), "a folder is no pattern");
    // Only one of its name in the current folder hides a design, and a folder does not.
    assert!(!super::is_file("tshirt") && super::is_file(&path));
}

#[test]
fn motions_that_cannot_be_are_refused_before_anything_is_sewn() {
    let folder = tempfile::tempdir().expect("a folder");
    let options = Options::new(folder.path().join("out"));
    let refused = |motion: MotionOrder| {
        let order = Order { motion: Some(motion), ..worn_in_motion() };
        dress(&order, &options, &mut |_| ()).expect_err("no motion").to_string()
    };
    let walk = || MotionOrder::new("walk");
    for (motion, said) in [
        (MotionOrder::new("dance"), "there is no motion `dance`"),
        (MotionOrder::new("nowhere.bvh"), "nowhere.bvh"),
        (MotionOrder { speed: Some(9.0), ..walk() }, "a speed of 9 m/s is no walk"),
        (MotionOrder { speed: Some(1.0), ..MotionOrder::new("turn") }, "`turn` has no speed"),
        (MotionOrder { duration: Some(-1.0), ..walk() }, "cannot last -1 s"),
        (MotionOrder { duration: Some(f64::NAN), ..walk() }, "cannot last NaN s"),
    ] {
        let error = refused(motion);
        assert!(error.contains(said), "{error}");
    }
    assert!(!options.out.exists());
}

#[test]
fn a_page_has_its_maps_and_their_legends_within_it() {
    let body = shape::sphere(0.2, 3);
    let cloth = shape::sphere(0.25, 3).map_positions(|p| p + DVec3::Y * 0.05);
    let values: Vec<f64> = cloth.positions.iter().map(|p| p.y.abs()).collect();
    let maps = Maps {
        strain: values.clone(),
        tension: values.clone(),
        pressure: values.clone(),
        gap: values,
    };
    let (girths, triangles, summary) = (Vec::new(), Vec::new(), Summary::default());
    let fit = Fit { girths, triangles, maps, summary, curvature: 0.0 };
    let [strain, _, pressure, gap]: [Map; 4] = maps::maps(&fit);
    let image = maps::views(&cloth, &body, &pressure).expect("a picture");
    let marked = maps::with_legend(&image, &pressure);
    assert!(marked.height > image.height && marked.width == image.width);
    let mut png = Vec::new();
    marked.write_png(&mut png).expect("a file");
    let names = ["<Ball>", "M", "a & b", "cotton"].map(String::from);
    let report = FitReport::new(fit, names, None, &[]);
    let pictures = [Some(strain), Some(pressure), Some(gap), None]
        .map(|map| page::Picture { png: png.clone(), map });
    let html = page::page(&report, &pictures);
    assert_self_contained(&html, 4);
    assert_eq!(html.matches("<linearGradient").count(), 3);
    for unit in ["[%]", "[kPa]", "[mm]", "&lt;Ball&gt;", "a &amp; b"] {
        assert!(html.contains(unit), "{unit}");
    }
}
