use super::*;
use glam::DVec3;
use toile_mesh::io::{self, Material as Plain, Model, Object, Part, obj};
use toile_mesh::shape::{Diagonals, capsule, grid};

/// A folder of results: two panels of different fabrics around a body.
fn results() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let mesh = grid(0.4, 0.4, 8, 8, Diagonals::Alternating)
        .map_positions(|p| DVec3::new(p.x, 1.0 - p.z, 0.15 - 0.2 * p.x * p.x));
    let part = |name: &str, triangles, material| Part { name: name.into(), triangles, material };
    let parts = vec![part("front", 0..64, 0), part("back", 64..128, 1)];
    let materials = ["silk", "denim"].map(|n| Plain::new(n, [0.5; 3])).to_vec();
    let object = Object { parts, ..Object::new("garment", mesh) };
    let model = Model { objects: vec![object], materials };
    let mut bytes = Vec::new();
    obj::write_model(&mut bytes, &model, Some("final.mtl")).unwrap();
    std::fs::write(folder.path().join("final.obj"), bytes).unwrap();
    let body = capsule(0.1, 1.6, 16, 6).map_positions(|p| p + DVec3::Y * 0.9);
    io::write_mesh(folder.path().join("body.obj"), &body).unwrap();
    folder
}

fn small(folder: &tempfile::TempDir) -> Shot {
    let options = Options { size: Some([48, 36]), samples: 2, ..Options::default() };
    Shot { options, ..Shot::new([folder.path()]) }
}

#[test]
fn a_folder_of_results_is_drawn_in_its_fabrics_with_the_same_bits_for_any_threads() {
    let folder = results();
    let shot = small(&folder);
    let image =
        |threads| on_threads(Some(threads), || draw(&shot, &|_| true)).unwrap().images.remove(0);
    let first = image(1);
    assert_eq!(first, image(3));
    assert_eq!((first.width, first.height), (48, 36));
    // One half is red silk, the other blue denim.
    let red = |p: &[u8]| i32::from(p[0]) > i32::from(p[2]) + 60;
    let blue = |p: &[u8]| i32::from(p[2]) > i32::from(p[0]) + 15;
    let count = |f: &dyn Fn(&[u8]) -> bool| first.rgba.chunks_exact(4).filter(|p| f(p)).count();
    assert!(count(&red) > 80 && count(&blue) > 80, "{} {}", count(&red), count(&blue));
    let wool = Shot { fabric: Some("wool".into()), ..shot.clone() };
    let wool = draw(&wool, &|_| true).unwrap().images.remove(0);
    assert!(wool.rgba.chunks_exact(4).filter(|p| red(p)).count() < 5);
}

#[test]
fn a_sheet_is_as_wide_as_asked_and_scene_light_is_kept_of_single_views() {
    let folder = results();
    let mut shot = small(&folder);
    shot.view = View::Sheet;
    shot.options.size = Some([160, 40]);
    let drawn = draw(&shot, &|_| true).unwrap();
    assert!((157..=160).contains(&drawn.images[0].width));
    let exr = folder.path().join("a.exr");
    assert!(check_out(&exr, &shot).is_err() && drawn.write(&exr).is_err() && !exr.exists());
    shot.view = View::parse("back").unwrap();
    shot.options.size = Some([24, 18]);
    check_out(&exr, &shot).unwrap();
    draw(&shot, &|_| true).unwrap().write(&exr).unwrap();
    let bytes = std::fs::read(&exr).unwrap();
    let light = toile_render::hdr::HdrImage::read(&bytes, "a.exr").unwrap();
    assert_eq!((light.width, light.height), (24, 18));
}

#[test]
fn whoever_waits_can_end_the_work() {
    let folder = results();
    assert!(matches!(draw(&small(&folder), &|share| share < 0.5), Err(Error::Stopped)));
}

#[test]
fn a_turntable_is_an_animation() {
    let folder = results();
    let mut shot = small(&folder);
    shot.turntable = 3;
    let drawn = draw(&shot, &|_| true).unwrap();
    assert_eq!(drawn.images.len(), 3);
    assert_ne!(drawn.images[0], drawn.images[1]);
    for name in ["turn.gif", "turn.png"] {
        let out = folder.path().join(name);
        drawn.write(&out).unwrap();
        assert!(out.metadata().unwrap().len() > 500);
    }
}

#[test]
fn what_makes_no_sense_is_refused_with_a_remedy() {
    use miette::Diagnostic;
    let folder = results();
    let shot = small(&folder);
    let refused = |shot: Shot| draw(&shot, &|_| true).map(|_| ()).unwrap_err();
    let empty = tempfile::tempdir().unwrap();
    for (shot, expected) in [
        (Shot::new([empty.path()]), "no final.obj"),
        (Shot { fabric: Some("unobtainium".into()), ..shot.clone() }, "no fabric"),
        (Shot { environment: "disco".into(), ..shot.clone() }, "no environment"),
        (Shot { frame: Some(7), ..shot.clone() }, "no frame 7"),
        (Shot { view: View::Sheet, turntable: 4, ..shot.clone() }, "one view"),
        (Shot { camera: Some("nowhere.json".into()), ..shot.clone() }, "nowhere.json"),
        (Shot { behind: Behind::Photograph("nowhere.png".into()), ..shot.clone() }, "nowhere.png"),
    ] {
        let error = refused(shot);
        assert!(error.to_string().contains(expected), "{error}");
        assert!(error.help().is_some(), "{error}");
    }
    assert!(check_out(Path::new("a.jpg"), &shot).is_err());
    assert!(check_out(Path::new("/nowhere/a.png"), &shot).is_err());
    let same = Shot::new([folder.path().join("final.obj")]);
    let png = folder.path().join("same.png");
    std::fs::write(&png, "x").unwrap();
    assert!(check_out(&png, &Shot { inputs: vec![png.clone()], ..same }).is_err());
}

#[test]
fn environments_are_written_and_read_again() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["studio.hdr", "sky.exr", "overcast.hdr"] {
        let out = folder.path().join(name);
        let set = make_environment(name.split('.').next().unwrap(), &out).unwrap();
        let again = Set::find(out.to_str().unwrap()).unwrap();
        let (a, b) = (set.environment.image(), again.environment.image());
        assert_eq!((a.width, a.height), (b.width, b.height));
        for (p, q) in a.pixels.iter().zip(&b.pixels) {
            let most = p.iter().fold(0.0_f32, |m, c| m.max(*c));
            assert!((0..3).all(|k| (p[k] - q[k]).abs() <= 0.01 * most + 1e-6), "{p:?} {q:?}");
        }
    }
    let page = |name: &str| Set::find(name).unwrap().levelled().environment;
    let normal = glam::Vec3::new(0.0, 0.5, 0.85).normalize();
    let [a, b] = ["studio", "overcast"].map(|n| page(n).irradiance(normal));
    assert!((a / b - 1.0).abs() < 1e-3, "{a} {b}");
}

/// Writes a camera that sees the folder's results in the middle, with room around them.
fn camera_file(folder: &Path) -> PathBuf {
    let path = folder.join("camera.json");
    let text = r#"{"eye": [0, 1.2, 4], "target": [0, 0.7, 0], "fov-y-deg": 40}"#;
    std::fs::write(&path, text).unwrap();
    path
}

#[test]
fn a_garment_is_laid_over_a_photograph_that_stays_as_it_is() {
    let folder = results();
    let own = Image { width: 60, height: 45, rgba: [20, 200, 90, 255].repeat(60 * 45) };
    let mut bytes = Vec::new();
    own.write_png(&mut bytes).unwrap();
    let file = folder.path().join("street.png");
    std::fs::write(&file, bytes).unwrap();
    let shot = Shot {
        behind: Behind::Photograph(file.clone()),
        camera: Some(camera_file(folder.path())),
        catcher: Some(Catcher::At(0.0)),
        ..small(&folder)
    };
    // The picture has the size of the photograph.
    let options = Options { size: None, ..shot.options.clone() };
    let shot = Shot { options, ..shot };
    assert!(check_out(&file, &shot).is_err(), "a photograph is not overwritten");
    let image = draw(&shot, &|_| true).unwrap().images.remove(0);
    assert_eq!((image.width, image.height), (60, 45));
    let near = |x, y| {
        let p = image.pixel(x, y).unwrap();
        p.iter().zip([20, 200, 90, 255]).all(|(a, b)| a.abs_diff(b) <= 1)
    };
    assert!(near(1, 1) && near(58, 1), "the sky is that of the photograph");
    assert!(!near(30, 18), "the garment is in the middle");
    let transparent = Shot { behind: Behind::Nothing, ..shot };
    let image = draw(&transparent, &|_| true).unwrap().images.remove(0);
    assert_eq!(image.pixel(1, 1).unwrap()[3], 0);
    assert!(image.pixel(30, 18).unwrap()[3] > 200);
}

#[test]
fn the_start_of_a_scene_is_drawn() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("drop.toml");
    let text = "[[cloth]]\nfabric = \"silk\"\nshape = { type = \"grid\", width = 0.4, height = 0.4, cells = [4, 4] }\n\
                place = { at = [0, 0.4, 0] }\n[[body]]\nshape = { type = \"sphere\", at = [0, 0.2, 0], radius = 0.1 }\n";
    std::fs::write(&file, text).unwrap();
    let options = Options { size: Some([48, 36]), samples: 2, ..Options::default() };
    let view = View::Orbit { azimuth: 20.0, elevation: 30.0 };
    let shot = Shot { options, view, ..Shot::new([&file]) };
    let drawn = draw(&shot, &|_| true).unwrap();
    let red = |p: &&[u8]| i32::from(p[0]) > i32::from(p[2]) + 60;
    assert!(drawn.images[0].rgba.chunks_exact(4).filter(red).count() > 80);
    assert!(drawn.notes.iter().any(|n| n.contains("start of the scene")), "{:?}", drawn.notes);
    std::fs::write(&file, "name = \"a pattern\"\n").unwrap();
    assert!(draw(&shot, &|_| true).unwrap_err().to_string().contains("is no scene"));
}

#[test]
fn an_open_shutter_smears_what_moves() {
    let folder = results();
    let mesh = io::read_mesh(folder.path().join("final.obj")).unwrap();
    let shifted = |d: f64| mesh.positions.iter().map(|p| *p + DVec3::X * d).collect::<Vec<_>>();
    let cache = folder.path().join("frames.pc2");
    io::pc2::write_file(&cache, mesh.positions.len(), &[shifted(0.0), shifted(0.2)]).unwrap();
    let mesh_file = folder.path().join("final.obj");
    let base = small(&folder);
    let shot = |shutter| Shot {
        inputs: vec![mesh_file.clone(), cache.clone()],
        frame: Some(0),
        shutter,
        ..base.clone()
    };
    let image = |s| draw(&shot(s), &|_| true).unwrap().images.remove(0);
    let (frozen, smeared) = (image(0.0), image(1.0));
    // The left edge of the cloth moves away, and leaves paper behind for half of the time.
    let differ = frozen.rgba.iter().zip(&smeared.rgba).filter(|(a, b)| a.abs_diff(**b) > 25);
    assert!(differ.count() > 60);
    assert_eq!(frozen, image(0.0));
    let film = Shot { animate: true, frame: None, ..shot(0.5) };
    let film = Shot { options: Options { exposure: Exposure::Auto, ..film.options }, ..film };
    assert_eq!(draw(&film, &|_| true).unwrap().images.len(), 2);
}

#[test]
fn a_measured_luminaire_lights_a_garment_in_the_dark() {
    let folder = results();
    let file = folder.path().join("lamp.ies");
    let lamp = toile_render::light::ies::Luminaire::downlight(2.0);
    std::fs::write(&file, lamp.write()).unwrap();
    let light = |luminaires: Vec<Hung>| {
        let base = small(&folder);
        let shot = Shot { environment: "dark".into(), luminaires, ..base };
        let image = draw(&shot, &|_| true).unwrap().images.remove(0);
        // The middle, where the garment is and no paper.
        let p = image.pixel(24, 18).unwrap();
        p[..3].iter().map(|c| u32::from(*c)).sum::<u32>()
    };
    let hung = |place| Hung { file: file.clone(), place };
    let dark = light(Vec::new());
    let (lit, behind) = (light(vec![hung(None)]), light(vec![hung(Some([0.0, 1.0, -3.0]))]));
    assert!(dark < 10 && lit > 60 && behind < lit, "{dark} {lit} {behind}");
    std::fs::write(&file, "IESNA:LM-63-1995\nTILT=NONE\n1 2 3\n").unwrap();
    let shot = Shot { luminaires: vec![hung(None)], ..small(&folder) };
    assert!(draw(&shot, &|_| true).unwrap_err().to_string().contains("lamp.ies"));
}
