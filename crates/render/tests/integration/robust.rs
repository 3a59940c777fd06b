//! Bad input gives errors, odd input gives pictures, and nothing panics.

use crate::shapes;

use glam::{DVec2, DVec3};
use proptest::prelude::*;
use shapes::{ball, cube};
use toile_mesh::TriMesh;
use toile_render::{Camera, Error, Material, Scene, Settings, palette, render};

fn camera() -> Camera {
    Camera::framing(DVec3::NEG_ONE, DVec3::ONE, 0.4, 0.3, 1.0)
}

#[test]
fn an_empty_studio_is_a_picture() {
    let image = render(&Scene::new(camera()).with_ground(-1.0), &Settings::new(16, 9)).unwrap();
    assert_eq!((image.width, image.height, image.rgba.len()), (16, 9, 16 * 9 * 4));
}

#[test]
fn sizes_without_pixels_or_beyond_memory_are_errors() {
    let scene = Scene::new(camera());
    for (w, h) in [(0, 0), (0, 5), (5, 0), (u32::MAX, u32::MAX), (1 << 20, 1 << 20)] {
        assert!(matches!(render(&scene, &Settings::new(w, h)), Err(Error::Size { .. })));
    }
    for samples in [0, u32::MAX] {
        let settings = Settings { samples, ..Settings::new(4, 4) };
        assert!(matches!(render(&scene, &settings), Err(Error::Samples { .. })));
    }
}

#[test]
fn a_vertex_that_is_not_finite_is_named() {
    let mut mesh = cube(DVec3::ZERO);
    mesh.positions[5].y = f64::NAN;
    let scene = Scene::new(camera()).with_item(&mesh, Material::plaster());
    let error = render(&scene, &Settings::new(8, 8)).unwrap_err();
    assert!(matches!(error, Error::NotFinite { item: 0, vertex: 5 }));
}

#[test]
fn a_triangle_without_its_vertex_is_named() {
    let (good, mut bad) = (cube(DVec3::ZERO), cube(DVec3::ZERO));
    bad.triangles[7][1] = 8;
    let scene = Scene::new(camera())
        .with_item(&good, Material::plaster())
        .with_item(&bad, Material::plaster());
    let error = render(&scene, &Settings::new(8, 8)).unwrap_err();
    assert!(matches!(error, Error::Index { item: 1, triangle: 7 }));
}

#[test]
fn paint_needs_a_sound_colour_for_each_vertex() {
    let mesh = cube(DVec3::ZERO);
    let tried = |colours: &[[f32; 3]]| {
        let scene = Scene::new(camera()).with_painted(&mesh, Material::plaster(), colours);
        render(&scene, &Settings::new(8, 8)).map(|_| ())
    };
    assert!(tried(&[[0.5; 3]; 8]).is_ok());
    for bad in [&[[0.5; 3]; 7][..], &[[f32::NAN; 3]; 8], &[[-0.1; 3]; 8]] {
        assert!(matches!(tried(bad), Err(Error::Material { item: 0 })));
    }
}

#[test]
fn materials_lights_and_cameras_must_be_finite() {
    let mesh = cube(DVec3::ZERO);
    let plain = Scene::new(camera()).with_item(&mesh, Material::plaster());
    let fails = |change: fn(&mut Scene<'_>)| {
        let mut scene = plain.clone();
        change(&mut scene);
        render(&scene, &Settings::new(8, 8)).is_err()
    };
    assert!(!fails(|_| ()));
    assert!(fails(|s| s.items[0].material.front[1] = f32::NAN));
    assert!(fails(|s| s.items[0].material.check = Some(0.0)));
    assert!(fails(|s| s.light.toward = DVec3::ZERO));
    assert!(fails(|s| s.light.key[0] = -1.0));
    assert!(fails(|s| s.light.softness = f64::INFINITY));
    assert!(fails(|s| s.backdrop.wall[2] = f32::INFINITY));
    assert!(fails(|s| s.ground = Some(f64::NAN)));
    assert!(fails(|s| s.camera.target = s.camera.eye));
    assert!(fails(|s| s.camera.fov_y = 0.0));
    assert!(fails(|s| s.camera.eye.x = 1e300));
}

#[test]
fn a_camera_inside_a_ball_sees_its_back() {
    let ball = ball(DVec3::ZERO, 1.0, 8);
    let camera = Camera { eye: DVec3::ZERO, target: DVec3::X, up: DVec3::Y, fov_y: 1.0 };
    let mut scene = Scene::new(camera).with_item(
        &ball,
        Material { sheen: 0.0, ..Material::cloth([1.0, 0.0, 0.0], [0.0, 1.0, 0.0]) },
    );
    scene.light.key = [0.0; 3];
    scene.ground = Some(0.0);
    let image = render(&scene, &Settings::new(16, 16)).unwrap();
    assert!(image.rgba.chunks_exact(4).all(|p| p[1] >= p[0]));
}

#[test]
fn degenerate_and_huge_meshes_are_pictures_or_errors() {
    let point = TriMesh::new(vec![DVec3::ONE; 3], vec![[0, 1, 2]]);
    let line = TriMesh::new(vec![DVec3::X, DVec3::ZERO, DVec3::NEG_X], vec![[0, 1, 2], [0, 0, 0]]);
    let mut uv = cube(DVec3::ZERO);
    uv.uv = vec![DVec2::splat(f64::NAN)];
    uv.uv_triangles = vec![[0, 7, 0]; 3];
    for mesh in [&point, &line, &uv] {
        let scene = Scene::new(camera())
            .with_item(mesh, Material::plaster().with_check(0.1))
            .with_ground(0.0);
        assert!(render(&scene, &Settings::new(8, 8)).is_ok());
    }
    let huge = cube(DVec3::ZERO).map_positions(|p| p * 1e308);
    let scene = Scene::new(camera()).with_item(&huge, Material::plaster());
    assert!(render(&scene, &Settings::new(8, 8)).is_err());
}

#[test]
fn palette_colours_are_colours_and_differ() {
    for i in 0..10 {
        let (front, back) = palette(i);
        assert!(front.iter().chain(&back).all(|x| (0.0..1.0).contains(x)));
        assert!((0..i).all(|j| palette(j).0 != front));
        assert_ne!(front, back);
    }
    assert_eq!(palette(3), palette(13));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn no_scene_of_random_numbers_panics(
        points in prop::collection::vec(prop::array::uniform3(prop_oneof![
            60 => -2.0..2.0_f64, 20 => Just(0.0), 1 => prop::num::f64::ANY
        ]), 3..12),
        corners in prop::collection::vec(prop::array::uniform3(0..1000_usize), 0..20),
        eye in prop::array::uniform3(prop_oneof![40 => -3.0..3.0_f64, 1 => prop::num::f64::ANY]),
        ground in prop::option::of(prop_oneof![9 => -1.0..1.0_f64, 1 => prop::num::f64::ANY]),
    ) {
        let count = points.len();
        let corners = corners.into_iter().map(|t| t.map(|v| (v % count) as u32)).collect();
        let mesh = TriMesh::new(points.into_iter().map(DVec3::from).collect(), corners);
        let eye = DVec3::from(eye);
        let camera = Camera { eye, target: DVec3::ZERO, up: DVec3::Y, fov_y: 0.7 };
        let mut scene = Scene::new(camera).with_item(&mesh, Material::plaster());
        scene.ground = ground;
        let settings = Settings { samples: 2, ..Settings::new(12, 9) };
        if let Ok(image) = render(&scene, &settings) {
            prop_assert!(image.rgba.chunks_exact(4).all(|p| p[3] == 255));
        }
    }
}
