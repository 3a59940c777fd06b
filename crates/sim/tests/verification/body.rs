//! Cloth against every kind of body: never inside, never through itself.

use crate::scene::{assert_clean, sheet};
use glam::{DMat3, DVec3};
use toile_mesh::shape::sphere;
use toile_sim::body::Shape;
use toile_sim::{Body, Law, Motion, Preset, Settings, Surroundings, World};

fn ball() -> Shape {
    Shape::Sphere { centre: DVec3::ZERO, radius: 0.1 }
}

fn block() -> Shape {
    let rotation = DMat3::from_rotation_y(0.4) * DMat3::from_rotation_x(0.3);
    Shape::Cuboid { centre: DVec3::Y * -0.02, half: DVec3::new(0.08, 0.06, 0.1), rotation }
}

fn spin(velocity: DVec3, axis: DVec3, turns_per_second: f64) -> Motion {
    Motion::Steady { velocity, axis, turns_per_second, centre: DVec3::ZERO }
}

/// Drops a sheet on a body and audits every tenth step.
fn drape(shape: Shape, motion: Motion, seconds: f64) {
    for law in [Law::Provot, Law::Impulse] {
        let body = Body { motion: motion.clone(), ..Body::new("body", shape.clone()) };
        let surroundings = Surroundings { bodies: vec![body], ..Surroundings::default() };
        let mut settings = Settings { step: 2e-3, ..Preset::Provot97.settings() };
        settings.collision.law = law;
        let cloth = sheet(0.4, 16, DVec3::new(0.011, 0.13, 0.007));
        let mut world = World::new(vec![cloth], surroundings, settings).unwrap();
        let mut impacts = 0;
        for step in 1..=(seconds / 2e-3) as u32 {
            impacts += world.step().unwrap().impacts;
            if step % 10 == 0 {
                assert_clean(&world, &format!("{law:?}"));
            }
        }
        assert!(impacts > 100, "{impacts}");
    }
}

#[test]
fn over_a_sphere() {
    drape(ball(), Motion::Still, 0.5);
}

#[test]
fn over_a_capsule() {
    let shape = Shape::Capsule {
        a: DVec3::new(-0.1, 0.0, -0.02),
        b: DVec3::new(0.1, 0.02, 0.03),
        radius: 0.06,
    };
    drape(shape, Motion::Still, 0.5);
}

#[test]
fn over_a_box() {
    drape(block(), Motion::Still, 0.5);
}

#[test]
fn over_a_mesh() {
    drape(Shape::Mesh(sphere(0.1, 2)), Motion::Still, 0.4);
}

#[test]
fn over_a_ball_that_comes_up_and_sideways() {
    drape(ball(), spin(DVec3::new(0.3, 1.0, 0.1), DVec3::Y, 0.0), 0.4);
}

#[test]
fn over_a_box_that_turns() {
    drape(block(), spin(DVec3::ZERO, DVec3::new(0.2, 1.0, 0.1), 1.0), 0.4);
}

#[test]
fn over_a_mesh_that_turns() {
    drape(Shape::Mesh(sphere(0.1, 2)), spin(DVec3::ZERO, DVec3::X, 0.7), 0.3);
}
