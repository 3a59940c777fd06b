//! What fabrics lose in the default solver: viscosity, and friction between their threads.

use crate::scene::strip;
use glam::DVec3;
use std::f64::consts::PI;
use toile_sim::barrier::{Barrier, Rule};
use toile_sim::{Cloth, Energy, Fabric, Pin, Preset, Settings, Surroundings, World};

/// Steps of `h` by a rule, solved to rounding rather than to what can be seen.
fn exact(rule: Rule, h: f64) -> Settings {
    let barrier = Barrier { rule, decrement: 1e-12, speed: 1e-12, ..Barrier::default() };
    Settings { step: h, barrier, ..Preset::Toile.settings() }
}

fn of(fabric: &Fabric, mut cloth: Cloth) -> Cloth {
    cloth.fabric = fabric.clone();
    cloth
}

/// A cloth in space without weight.
fn weightless(cloth: Cloth, pins: Vec<Pin>, settings: Settings) -> World {
    let surroundings = Surroundings { pins, gravity: DVec3::ZERO, ..Surroundings::default() };
    World::new(vec![cloth], surroundings, settings).unwrap()
}

/// Part of its energy that a strip has left after three periods of its first mode along its length, and what theory says.
fn ringing(rule: Rule, viscosity: f64) -> [f64; 2] {
    let (length, cells, periods) = (0.4, 16, 3.0);
    let fabric = Fabric { weft: 100.0, warp: 100.0, viscosity, ..Fabric::default() };
    // A chain of lumped masses, held at one end.
    let step = length / f64::from(cells);
    let wave = PI / (2.0 * length);
    let omega = 2.0 / step * (fabric.weft / fabric.density).sqrt() * (0.5 * wave * step).sin();
    let damping = 0.5 * viscosity * omega;
    let period = 2.0 * PI / (omega * (1.0 - damping * damping).sqrt());
    let h = period / 100.0;
    let cloth = of(&fabric, strip(length, 0.05, [cells as usize, 2], DVec3::ZERO));
    let along = |p: DVec3| p.x + 0.5 * length;
    let held = |v: &u32| along(cloth.mesh.positions[*v as usize]) < 1e-9;
    let held: Vec<u32> = (0..cloth.mesh.positions.len() as u32).filter(held).collect();
    let mut world = weightless(cloth, vec![Pin::still(held)], exact(rule, h));
    world.set_velocities(|_, p| DVec3::X * (0.02 * (wave * along(p)).sin()));
    let total = |e: Energy| e.kinetic + e.elastic;
    let before = total(world.energy());
    for _ in 0..(100.0 * periods) as u32 {
        world.step().unwrap();
    }
    [total(world.energy()) / before, (-2.0 * damping * omega * periods * period).exp()]
}

#[test]
fn a_viscous_strip_rings_down_as_a_kelvin_voigt_solid() {
    // What a rule damps by itself comes on top.
    for (rule, plain) in [(Rule::Midpoint, 1e-3), (Rule::Bdf2, 0.01), (Rule::Euler, 0.8)] {
        let ([kept, _], [left, theory]) = (ringing(rule, 0.0), ringing(rule, 1e-3));
        assert!((kept - 1.0).abs() < plain, "{rule:?}: {kept}");
        assert!(theory < 0.5, "{theory}");
        assert!((left / (kept * theory) - 1.0).abs() < 0.02, "{rule:?}: {kept} {left} {theory}");
    }
}

#[test]
fn a_sheet_that_spins_loses_nothing_by_viscosity() {
    let spin = DVec3::new(3.0, 20.0, 5.0);
    let run = |rule: Rule, viscosity: f64| {
        let fabric = Fabric { viscosity, bend_weft: 1e-3, bend_warp: 1e-3, ..Fabric::default() };
        let sheet = of(&fabric, strip(0.2, 0.2, [6, 6], DVec3::ZERO));
        let mut world = weightless(sheet, Vec::new(), exact(rule, 1e-3));
        world.set_velocities(|_, p| spin.cross(p));
        let before = (world.momentum().1, world.energy());
        for _ in 0..200 {
            world.step().unwrap();
        }
        let (momentum, energy) = (world.momentum().1, world.energy());
        let lost = 1.0 - energy.kinetic / before.1.kinetic;
        [1.0 - momentum.length() / before.0.length(), lost]
    };
    // Half a second of relaxation: a damping that knew no rotation would stop the sheet at once. While the sheet creeps to the
    // width at which it spins, viscosity bears it; under the midpoint, that force has the direction of the end of a step.
    for (rule, viscosity) in [(Rule::Euler, 0.5), (Rule::Bdf2, 0.5), (Rule::Midpoint, 5e-3)] {
        let (elastic, viscous) = (run(rule, 0.0), run(rule, viscosity));
        for k in 0..2 {
            assert!((viscous[k] - elastic[k]).abs() < 5e-3, "{rule:?} {elastic:?} {viscous:?}");
        }
    }
}

#[test]
fn quasi_static_steps_have_no_viscosity() {
    let hang = |viscosity: f64| {
        let fabric = Fabric { viscosity, ..Fabric::default() };
        let cloth = of(&fabric, strip(0.2, 0.1, [8, 4], DVec3::ZERO));
        let pins = vec![Pin::still(vec![0, 8])];
        let settings = exact(Rule::QuasiStatic, 0.01);
        let mut world =
            World::new(vec![cloth], Surroundings { pins, ..Surroundings::default() }, settings)
                .unwrap();
        (0..5).for_each(|_| drop(world.step().unwrap()));
        world.state().hash()
    };
    assert_eq!(hang(0.0), hang(0.1));
}
