//! A sheet on a slope: Coulomb's law in the default solver.
//!
//! The slope is a level floor under tilted gravity. The sheet begins where the barrier carries its weight,
//! and the pull along the slope comes on slowly: put on at once, it would swing beyond what friction holds.

use super::{Compare, Failure, Reading, Setup, Test};
use glam::DVec3;
use toile_sim::barrier::Law;
use toile_sim::body::Shape;
use toile_sim::{Body, Cloth, Fabric, Preset, Surroundings, World};

pub(super) const TEST: Test = Test {
    id: "incline",
    title: "Friction on a slope",
    about: "A sheet lies on a slope; it sticks up to the angle of friction and gathers speed beyond it. Always \
            with the default solver.",
    formula: "It moves if and only if tan θ > μ, with the acceleration g (sin θ − μ cos θ) (Coulomb \
              1785).",
    compare: Compare::Default,
    run,
    draw: |_, _| Ok(Vec::new()),
};

const GRAVITY: f64 = 9.81;
const FRICTION: f64 = 0.5;
/// Speed after half a second beyond which a sheet slides [m/s]; one that sticks is a hundred times
/// slower, one at 1.0001 of the threshold just as fast.
const SLIDES: f64 = 2e-4;

fn run(setup: &Setup) -> Result<Vec<Reading>, Failure> {
    let halvings = setup.pick(9, 5);
    let (mut low, mut high) = (0.99 * FRICTION, 1.01 * FRICTION);
    for _ in 0..halvings {
        let middle = 0.5 * (low + high);
        if speed(setup, middle)? > SLIDES { high = middle } else { low = middle }
    }
    let angle = f64::atan(0.7);
    let exact = GRAVITY * (angle.sin() - FRICTION * angle.cos());
    Ok(vec![
        Reading::new("tan θ at μ = 0.5", 0.5 * (low + high), FRICTION, 1e-3),
        Reading::new("acceleration at tan θ = 0.7", speed(setup, 0.7)? / 0.5, exact, 5e-3),
    ])
}

/// Speed of a sheet that has slid down a slope for half a second, more than before it [m/s].
fn speed(setup: &Setup, slope: f64) -> Result<f64, Failure> {
    let angle = f64::atan(slope);
    let gravity = DVec3::new(angle.sin(), -angle.cos(), 0.0) * GRAVITY;
    let floor = Body::new("slope", Shape::Plane { point: DVec3::ZERO, normal: DVec3::Y });
    let surroundings = Surroundings { bodies: vec![floor], gravity, ..Surroundings::default() };
    let mut settings = Preset::Toile.settings();
    settings.stretch = setup.model.stretch;
    settings.bend = setup.model.bend;
    settings.barrier.linear_tolerance = 1e-4;
    settings.barrier.decrement = 1e-8;
    settings.barrier.speed = 1e-7;
    settings.barrier.dhat = REACH;
    let size = [4, 4];
    let (mut mesh, grid) = setup.mesh.rectangle([0.2, 0.2], size, |_| false);
    let height = resting_height(angle);
    mesh.positions = mesh.uv.iter().map(|p| DVec3::new(p.x, height, -p.y)).collect();
    let fabric = Fabric { friction: FRICTION, ..Fabric::default() };
    let cloth = Cloth { name: "sheet".into(), mesh, grid, fabric, pieces: Vec::new() };
    let mut world = World::new(vec![cloth], surroundings, settings)?;
    for _ in 0..50 {
        world.step()?;
        world.set_velocities(|_, _| DVec3::ZERO);
    }
    let mass: f64 = world.model().mass.iter().sum();
    // The first steps let go of what held the sheet up to here.
    for _ in 0..5 {
        world.step()?;
    }
    let before = world.momentum().0.x / mass;
    for _ in 0..50 {
        world.step()?;
    }
    Ok(world.momentum().0.x / mass - before)
}

/// Reach of the barrier [m].
const REACH: f64 = 2e-3;

/// Height at which the barrier, a hundred times the weight strong, carries the sheet.
fn resting_height(angle: f64) -> f64 {
    let thickness = Fabric::default().thickness;
    let (mut low, mut high) = (0.0, REACH);
    for _ in 0..60 {
        let gap = 0.5 * (low + high);
        let carried = -100.0 / REACH * Law::default().evaluate(gap, REACH).slope;
        if carried > angle.cos() { low = gap } else { high = gap }
    }
    thickness + low
}
