//! Cloth on bodies that are asked at points.

use crate::body::{BodyQuery, Shape};
use crate::model::Cloth;
use crate::{Body, Fabric, Motion, Preset, Response, Surroundings, World};
use glam::DVec3;
use toile_mesh::shape::{Diagonals, grid, sphere};

const RADIUS: f64 = 0.15;
const CELLS: usize = 10;
const SIZE: f64 = 0.35;

/// A square falls on a ball, which may be a mesh.
fn fall(preset: Preset, query: BodyQuery, shape: Shape, seconds: f64) -> World {
    let mut settings = preset.settings();
    settings.collision.bodies = query;
    settings.collision.body_cell = 0.004;
    let mesh = grid(SIZE, SIZE, CELLS, CELLS, Diagonals::Alternating)
        .map_positions(|p| p + DVec3::Y * (RADIUS + 0.02 + 1e-3 * (9.0 * p.x - 5.0 * p.z).sin()));
    let (name, fabric) = ("sheet".into(), Fabric::default());
    let cloth = Cloth { name, mesh, grid: Some([CELLS, CELLS]), fabric, pieces: Vec::new() };
    let bodies = vec![Body::new("ball", shape)];
    let surroundings = Surroundings { bodies, ..Surroundings::default() };
    let mut world = World::new(vec![cloth], surroundings, settings).unwrap();
    let steps = (seconds / world.settings().step).round() as u32;
    (0..steps).for_each(|_| {
        world.step().unwrap();
    });
    world
}

/// A third of a cell of the map: what it may be wrong by on a ball, and what a step may come nearer.
const TOLERANCE: f64 = 0.004 / 3.0;

#[test]
fn cloth_on_a_ball_stays_outside_to_a_third_of_a_cell_with_every_map_and_response() {
    let ball = Shape::Sphere { centre: DVec3::ZERO, radius: RADIUS };
    for query in [BodyQuery::Field, BodyQuery::DepthMaps, BodyQuery::Voxels] {
        for preset in [Preset::Provot97, Preset::AabbRealtime, Preset::BaraffWitkin98] {
            let world = fall(preset, query, ball.clone(), 0.2);
            let x = &world.state().x;
            let least = x.iter().map(|p| p.length() - RADIUS).fold(f64::INFINITY, f64::min);
            let most = x.iter().map(|p| p.y).fold(f64::NEG_INFINITY, f64::max);
            assert!(least > -TOLERANCE, "{query:?} {preset:?}: {least}");
            // It lies on the ball, and its rim has fallen.
            assert!(most < RADIUS + 0.02, "{query:?} {preset:?}: {most}");
            assert!(x.iter().any(|p| p.y < RADIUS - 0.05), "{query:?} {preset:?}");
        }
    }
}

#[test]
fn a_mesh_that_moves_takes_the_cloth_with_it_whatever_it_is_asked_by() {
    for query in [BodyQuery::Field, BodyQuery::DepthMaps, BodyQuery::Voxels] {
        let mut settings = Preset::Provot97.settings();
        settings.collision.bodies = query;
        settings.collision.body_cell = 0.004;
        assert_eq!(settings.collision.response, Response::Impacts);
        let mesh = grid(0.2, 0.2, 8, 8, Diagonals::Alternating)
            .map_positions(|p| p + DVec3::Y * (RADIUS + 0.005));
        let (name, fabric) = ("sheet".into(), Fabric::default());
        let cloth = Cloth { name, mesh, grid: Some([8, 8]), fabric, pieces: Vec::new() };
        let mut ball = Body::new("ball", Shape::Mesh(sphere(RADIUS, 4)));
        ball.motion = Motion::Steady {
            velocity: DVec3::Y,
            axis: DVec3::X,
            turns_per_second: 0.1,
            centre: DVec3::ZERO,
        };
        let surroundings = Surroundings { bodies: vec![ball], ..Surroundings::default() };
        let mut world = World::new(vec![cloth], surroundings, settings).unwrap();
        (0..200).for_each(|_| {
            world.step().unwrap();
        });
        let centre = DVec3::Y * 0.2;
        let away = world.state().x.iter().map(|p| (*p - centre).length() - RADIUS);
        let least = away.fold(f64::INFINITY, f64::min);
        assert!(least > -TOLERANCE && least < 0.01, "{query:?}: {least}");
    }
}
