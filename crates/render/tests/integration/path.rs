//! The path tracer against what can be worked out by hand.

use crate::shapes;

use glam::DVec3;
use shapes::{appearance, ball};
use std::sync::Arc;
use toile_mesh::TriMesh;
use toile_mesh::shape::{Diagonals, grid};
use toile_render::appearance::Fabric;
use toile_render::environment::Environment;
use toile_render::hdr::HdrImage;
use toile_render::light::Lamp;
use toile_render::light::ies::Luminaire;
use toile_render::path::{Background, Buffers, Lens, Material, Scene, Settings, Surface, render};
use toile_render::{Camera, Error};

fn front_camera(d: f64) -> Camera {
    Camera { eye: DVec3::Z * d, target: DVec3::ZERO, up: DVec3::Y, fov_y: 0.5 }
}

fn white(albedo: f32) -> Material {
    Material::Matte { front: [albedo; 3], back: [albedo; 3], roughness: 0.0 }
}

/// A scene lit by an environment that is seen behind.
fn lit_by(environment: Environment, camera: Camera) -> Scene<'static> {
    let background = Background::Environment;
    Scene { environment, background, ..Scene::studio(camera) }
}

fn traced(scene: &Scene<'_>, samples: u32) -> Buffers {
    render(scene, &Settings { samples, clamp: f32::INFINITY, ..Settings::new(48, 48) }).unwrap()
}

/// Mean of a square in the middle of the picture.
fn middle(buffers: &Buffers, half: usize) -> f32 {
    let (from, to) = (24 - half, 24 + half);
    let sum: f32 = (from..to)
        .flat_map(|y| (from..to).map(move |x| y * 48 + x))
        .map(|k| buffers.colour.pixels[k][1])
        .sum();
    sum / (4 * half * half) as f32
}

#[test]
fn a_white_ball_is_invisible_in_a_white_room() {
    let ball = ball(DVec3::ZERO, 1.0, 64);
    let settings = Settings { bounces: 32, samples: 64, ..Settings::new(48, 48) };
    for material in [
        white(1.0),
        Material::Lacquer { colour: [1.0; 3], roughness: 0.4, ior: 1.5 },
        Material::Metal { colour: [1.0; 3], roughness: 0.5 },
    ] {
        let scene = lit_by(Environment::uniform([1.0; 3]), front_camera(6.0))
            .with(Surface::new(&ball, material.clone()));
        let buffers = render(&scene, &settings).unwrap();
        assert!((middle(&buffers, 8) - 1.0).abs() < 0.01, "{material:?} {}", middle(&buffers, 8));
    }
}

#[test]
fn a_matte_ball_in_parallel_light_is_lit_by_the_cosine() {
    let ball = ball(DVec3::ZERO, 1.0, 128);
    let toward = DVec3::new(1.0, 0.0, 1.0).normalize();
    let mut scene = lit_by(Environment::uniform([0.0; 3]), front_camera(60.0));
    scene.camera.fov_y = 0.04;
    scene.lamps.push(Lamp::Directional { toward, irradiance: [3.0; 3], radius: 0.0 });
    scene = scene.with(Surface::new(&ball, white(0.6)));
    let buffers = traced(&scene, 64);
    for x in [14, 24, 33] {
        let side = 60.0 * 0.02_f64.tan() * (2.0 * (f64::from(x) + 0.5) / 48.0 - 1.0);
        let normal = DVec3::new(side, 0.0, (1.0 - side * side).sqrt());
        let expected = 0.6 / std::f64::consts::PI * 3.0 * normal.dot(toward).max(0.0);
        let found = f64::from(buffers.colour.pixels[24 * 48 + x as usize][1]);
        assert!((found - expected).abs() < 0.01 * expected + 0.004, "{x} {found} {expected}");
    }
}

/// A sheet facing the camera, for lamps in front of it.
fn sheet() -> TriMesh {
    grid(4.0, 4.0, 1, 1, Diagonals::Same).map_positions(|p| DVec3::new(p.x, -p.z, 0.0))
}

#[test]
fn lamps_give_the_light_that_their_measures_say() {
    let sheet = sheet();
    let pi = std::f32::consts::PI;
    let square = Lamp::Area {
        centre: DVec3::Z * 2.0,
        half_u: DVec3::new(0.05, 0.0, 0.0),
        half_v: DVec3::new(0.0, -0.05, 0.0),
        radiance: [100.0; 3],
    };
    let ball = Lamp::Sphere { centre: DVec3::Z * 2.0, radius: 0.1, radiance: [50.0; 3] };
    let spot = Lamp::Ies {
        position: DVec3::Z * 2.0,
        axis: -DVec3::Z,
        zero: DVec3::X,
        scale: [2.0; 3],
        luminaire: Arc::new(Luminaire::downlight(4.0)),
    };
    // Area over distance squared, the solid angle of a ball, and intensity over distance squared.
    let cases = [(square, 100.0 * 0.01 / 4.0), (ball, 50.0 * pi * 0.01 / 4.0), (spot, 2.0 / 4.0)];
    for (lamp, irradiance) in cases {
        let mut scene = lit_by(Environment::uniform([0.0; 3]), front_camera(1.0));
        scene.camera.fov_y = 0.02;
        scene.lamps.push(lamp.clone());
        let scene = scene.with(Surface::new(&sheet, white(0.5)));
        let found = middle(&traced(&scene, 64), 12);
        let expected = 0.5 / pi * irradiance;
        assert!((found / expected - 1.0).abs() < 0.01, "{lamp:?} {found} {expected}");
    }
}

#[test]
fn sampled_light_agrees_with_light_met_by_chance() {
    // A wide lamp and the same light as a bright patch of the environment: the weights of the two
    // strategies differ, their sums must not. The third has nothing to sample but chance.
    let sheet = sheet();
    let toward = DVec3::new(0.3, 0.4, 1.0).normalize();
    let radius = 0.5_f64;
    let irradiance = [2.0; 3];
    let mut sun = lit_by(Environment::uniform([0.0; 3]), front_camera(1.0));
    sun.lamps.push(Lamp::Directional { toward, irradiance, radius });
    let solid = std::f64::consts::TAU * (1.0 - radius.cos());
    let radiance = (2.0 / (solid * 0.5 * (1.0 + radius.cos()))) as f32;
    let (w, h) = (512, 256);
    let pixel = |k: u32| {
        let phi = std::f64::consts::TAU * ((f64::from(k % w) + 0.5) / f64::from(w) - 0.5);
        let theta = std::f64::consts::PI * (f64::from(k / w) + 0.5) / f64::from(h);
        let d = DVec3::new(theta.sin() * phi.sin(), theta.cos(), -theta.sin() * phi.cos());
        [if d.dot(toward) > radius.cos() { radiance } else { 0.0 }; 3]
    };
    let image = HdrImage { width: w, height: h, pixels: (0..w * h).map(pixel).collect() };
    let patch = lit_by(Environment::new(image).unwrap(), front_camera(1.0));
    let surfaces = [
        white(0.8),
        Material::Lacquer { colour: [0.5; 3], roughness: 0.5, ior: 1.5 },
        Material::Metal { colour: [0.9; 3], roughness: 0.7 },
    ];
    for material in surfaces {
        let found = [sun.clone(), patch.clone()].map(|mut scene| {
            scene.camera.fov_y = 0.1;
            middle(&traced(&scene.with(Surface::new(&sheet, material.clone())), 256), 16)
        });
        assert!((found[0] / found[1] - 1.0).abs() < 0.015, "{material:?} {found:?}");
    }
}

fn cloth_scene<'a>(cloth: &'a TriMesh, ball: &'a TriMesh) -> Scene<'a> {
    let fabric = Arc::new(Fabric::new(&appearance("cotton-voile"), None).unwrap());
    Scene::studio(front_camera(6.0))
        .with(Surface::new(cloth, Material::Cloth(fabric)))
        .with(Surface::new(ball, white(0.5)))
        .with_floor(-1.2)
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let (cloth, ball) = (sheet().map_positions(|p| 0.3 * p), ball(DVec3::Z * -1.0, 0.5, 16));
    let scene = cloth_scene(&cloth, &ball);
    let settings = Settings { samples: 16, noise: 0.02, ..Settings::new(40, 30) };
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let buffers = render(&scene, &settings).unwrap();
            (buffers.denoised(), buffers.colour, buffers.samples)
        })
    };
    let one = with(1);
    assert_eq!(one, with(3));
    assert!(
        one.2.iter().any(|s| *s < 16) && one.2.contains(&16),
        "adaptive sampling had no effect"
    );
}

#[test]
fn sheer_cloth_lets_light_through_and_dense_cloth_little() {
    let cloth = sheet();
    let lit_from_behind = |name: &str| {
        let fabric = Arc::new(Fabric::new(&appearance(name).dyed(0xffffff), None).unwrap());
        let mut scene = lit_by(Environment::uniform([0.0; 3]), front_camera(1.0));
        let toward = DVec3::new(0.2, 0.5, -1.0);
        scene.lamps.push(Lamp::Directional { toward, irradiance: [3.0; 3], radius: 0.0 });
        middle(&traced(&scene.with(Surface::new(&cloth, Material::Cloth(fabric))), 64), 12)
    };
    let (voile, denim) = (lit_from_behind("cotton-voile"), lit_from_behind("denim"));
    assert!(voile > 1.5 * denim && denim > 0.0, "{voile} {denim}");
}

#[test]
fn moving_and_unsharp_things_are_smeared() {
    let ball = ball(DVec3::ZERO, 0.3, 24);
    let end: Vec<DVec3> = ball.positions.iter().map(|p| *p + DVec3::X * 0.8).collect();
    let base = || {
        let mut scene = lit_by(Environment::uniform([0.0; 3]), front_camera(6.0));
        scene.lamps.push(Lamp::Directional { toward: DVec3::Z, irradiance: [3.0; 3], radius: 0.0 });
        scene
    };
    let covered = |scene: &Scene<'_>| {
        traced(scene, 64).alpha.iter().filter(|a| **a > 0.0 && **a < 1.0).count()
    };
    let sharp = base().with(Surface::new(&ball, white(0.5)));
    let moving = base().with(Surface { end: Some(&end), ..Surface::new(&ball, white(0.5)) });
    let mut blurred = sharp.clone();
    blurred.lens = Lens { aperture: 0.3, focus: Some(3.0), ..Lens::default() };
    let (still, moved, soft) = (covered(&sharp), covered(&moving), covered(&blurred));
    assert!(moved > 2 * still && soft > 2 * still, "{still} {moved} {soft}");
    let wrong = Surface { end: Some(&end[1..]), ..Surface::new(&ball, white(0.5)) };
    let error = render(&base().with(wrong), &Settings::new(8, 8)).unwrap_err();
    assert!(matches!(error, Error::Motion { item: 0 }));
}

#[test]
fn buffers_tell_depth_normal_albedo_and_material() {
    let (near, far) = (ball(DVec3::ZERO, 0.5, 32), ball(DVec3::new(0.9, 0.0, -1.0), 0.5, 32));
    let scene = lit_by(Environment::uniform([1.0; 3]), front_camera(6.0))
        .with(Surface::new(&near, white(0.25)))
        .with(Surface::new(&far, white(0.75)));
    let buffers = traced(&scene, 4);
    let centre = 24 * 48 + 24;
    assert!((buffers.depth[centre] - 5.5).abs() < 0.02);
    assert!(buffers.normal[centre][2] > 0.99);
    assert!((buffers.albedo[centre][0] - 0.25).abs() < 1e-3);
    assert_eq!(buffers.material[centre], 1);
    assert!(buffers.material.contains(&2) && buffers.material[0] == 0);
    assert_eq!((buffers.alpha[0], buffers.alpha[centre]), (0.0, 1.0));
    assert!(buffers.depth[0].is_infinite());
    let (mut exr, mut hdr) = (Vec::new(), Vec::new());
    buffers.write_exr(&mut exr).unwrap();
    buffers.write_hdr(&mut hdr).unwrap();
    assert_eq!(HdrImage::read(&exr, "a.exr").unwrap(), buffers.colour);
    assert_eq!(HdrImage::read(&hdr, "a.hdr").unwrap().width, 48);
}

#[test]
fn a_floor_shows_the_paper_and_the_shadows_on_it() {
    let cloth = grid(1.0, 1.0, 4, 4, Diagonals::Same).map_positions(|p| p + DVec3::Y * 0.3);
    let camera = Camera {
        eye: DVec3::new(0.0, 1.2, 6.0),
        target: DVec3::new(0.0, 0.2, 0.0),
        up: DVec3::Y,
        fov_y: 0.6,
    };
    let empty = Scene::studio(camera).with_floor(0.0);
    let full = empty.clone().with(Surface::new(&cloth, white(0.5)));
    let (bare, shaded) = (traced(&empty, 16), traced(&full, 64));
    // The point of the floor below the cloth, and one far to the side.
    let (below, aside) = (26 * 48 + 24, 42 * 48 + 2);
    let at = |b: &Buffers, k: usize| b.colour.pixels[k][1];
    assert!(at(&shaded, below) < 0.75 * at(&bare, below), "{}", at(&shaded, below));
    assert!((at(&shaded, aside) / at(&bare, aside) - 1.0).abs() < 0.06);
}

#[test]
fn smoothing_brings_few_samples_closer_to_many() {
    let ball = ball(DVec3::ZERO, 1.0, 48);
    let scene = Scene::studio(front_camera(5.0)).with(Surface::new(&ball, white(0.6)));
    let truth = traced(&scene, 2048).colour;
    let few = traced(&scene, 16);
    let error = |image: &HdrImage| -> f32 {
        let square = |(a, b): (&[f32; 3], &[f32; 3])| (a[1] - b[1]).powi(2);
        let inside = (0..48 * 48_usize).filter(|k| {
            let (x, y) = ((k % 48) as f32 - 23.5, (k / 48) as f32 - 23.5);
            (x * x + y * y).sqrt() < 15.0
        });
        inside.map(|k| square((&image.pixels[k], &truth.pixels[k]))).sum::<f32>().sqrt()
    };
    let (raw, smooth) = (error(&few.colour), error(&few.denoised()));
    assert!(smooth < 0.6 * raw, "{smooth} against {raw}");
}

#[test]
fn unsound_scenes_are_errors() {
    let (sheet, plain) = (sheet(), TriMesh { uv: Vec::new(), ..sheet() });
    let fabric = Arc::new(Fabric::new(&appearance("silk"), None).unwrap());
    let settings = Settings::new(8, 8);
    let base = Scene::studio(front_camera(3.0));
    let fails = |scene: Scene<'_>| render(&scene, &settings).is_err();
    assert!(!fails(base.clone().with(Surface::new(&sheet, white(0.5)))));
    assert!(fails(base.clone().with(Surface::new(&sheet, white(1.5)))));
    assert!(fails(base.clone().with(Surface::new(&sheet, white(f32::NAN)))));
    assert!(fails(base.clone().with(Surface::new(&plain, Material::Cloth(fabric)))));
    let lamp = Lamp::Sphere { centre: DVec3::ZERO, radius: 0.0, radiance: [1.0; 3] };
    assert!(fails(Scene { lamps: vec![lamp], ..base.clone() }));
    assert!(fails(base.clone().with_floor(f64::NAN)));
    let lens = Lens { aperture: -1.0, ..Lens::default() };
    assert!(fails(Scene { lens, ..base.clone() }));
    for settings in [
        Settings { samples: 0, ..settings },
        Settings { bounces: 1000, ..settings },
        Settings::new(100_000, 100_000),
        Settings { noise: f32::NAN, ..settings },
    ] {
        assert!(render(&base, &settings).is_err());
    }
}
