//! What fabrics lose in the default solver: viscosity, and friction between their threads.

use crate::scene::{history, sheet, strip};
use glam::DVec3;
use std::f64::consts::PI;
use toile_sim::barrier::{Barrier, Rule};
use toile_sim::body::Shape;
use toile_sim::{Body, Cloth, Energy, Fabric, Motion, Pin, Preset, Settings, Surroundings, World};

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

/// A fabric with viscosity and friction between its threads.
fn lossy() -> Fabric {
    Fabric {
        viscosity: 2e-3,
        shear_hysteresis: 2.0,
        shear_hysteresis_wide: 4.0,
        bend_hysteresis_weft: 4e-4,
        bend_hysteresis_warp: 6e-4,
        ..Fabric::default()
    }
}

/// Two sheets of it fall fast onto a ball that moves.
fn fall(rule: Rule) -> World {
    let shape = Shape::Sphere { centre: DVec3::Y * 0.2, radius: 0.08 };
    let motion = Motion::Steady {
        velocity: DVec3::new(0.5, 0.2, 0.0),
        axis: DVec3::Z,
        turns_per_second: 1.0,
        centre: DVec3::Y * 0.2,
    };
    let ball = Body { motion, ..Body::new("ball", shape) };
    let at = |k: f64| of(&lossy(), sheet(0.4, 16, DVec3::new(0.01 * k, 0.3 + 0.01 * k, 0.0)));
    let surroundings = Surroundings {
        bodies: vec![ball],
        pins: vec![Pin { until: 0.05, ..Pin::still(vec![0, 16]) }],
        ..Surroundings::default()
    };
    let settings = Preset::Toile.settings();
    let settings = Settings { barrier: Barrier { rule, ..settings.barrier }, ..settings };
    let mut world = World::new(vec![at(0.0), at(1.0)], surroundings, settings).unwrap();
    world.set_velocities(|_, x| DVec3::Y * (-5.0 * x.y));
    world
}

#[test]
fn lossy_fabrics_have_the_same_bits_with_any_threads_and_after_a_restore() {
    for rule in [Rule::Euler, Rule::Bdf2] {
        let run = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| history(&mut fall(rule), 12).0)
        };
        let one = run(1);
        assert_eq!(one, run(2));
        assert_eq!(one, run(3));
        let mut first = fall(rule);
        history(&mut first, 5);
        assert!(!first.state().slider_positions.is_empty());
        let mut second = fall(rule);
        second.restore(first.state().clone()).unwrap();
        assert_eq!(history(&mut second, 7).0, one[5..]);
        // A world that has rested has forgotten its sliders; the state has not.
        first.release_solver();
        assert_eq!(history(&mut first, 7).0, one[5..]);
    }
}

#[test]
fn a_state_with_the_sliders_of_another_scene_is_refused() {
    let mut world = fall(Rule::Euler);
    let mut state = world.state().clone();
    state.slider_positions = vec![0.0; 5];
    let refused = world.restore(state).unwrap_err().to_string();
    assert!(refused.contains("5 sliders"), "{refused}");
}

#[test]
fn a_step_that_fails_leaves_the_sliders_where_they_were() {
    let mut world = fall(Rule::Euler);
    history(&mut world, 5);
    let before = world.state().clone();
    let stop = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(true));
    world.stop_with(stop.clone());
    assert!(world.step().is_err());
    assert_eq!(*world.state(), before);
    stop.store(false, std::sync::atomic::Ordering::Relaxed);
    let mut other = fall(Rule::Euler);
    assert_eq!(history(&mut world, 3), {
        history(&mut other, 5);
        history(&mut other, 3)
    });
}

/// A square that is sheared by 6° by its clamps within half a second and then let go at one of them; the angle that it keeps [°].
fn remaining_angle(fabric: &Fabric) -> f64 {
    let cloth = of(fabric, strip(0.1, 0.1, [6, 6], DVec3::ZERO));
    let side = |sign: f64| -> Vec<u32> {
        let at = |v: &u32| sign * cloth.mesh.positions[*v as usize].z > 0.0499;
        (0..cloth.mesh.positions.len() as u32).filter(at).collect()
    };
    let shift = 0.1 * 6.0_f64.to_radians().sin();
    let velocity = DVec3::X * (shift / 0.5);
    let motion =
        Motion::Steady { velocity, axis: DVec3::Y, turns_per_second: 0.0, centre: DVec3::ZERO };
    let pins = vec![Pin::still(side(-1.0)), Pin { vertices: side(1.0), motion, until: 0.5 }];
    let ends = [side(1.0), side(-1.0)];
    let mut world = weightless(cloth, pins, Settings { step: 0.01, ..Preset::Toile.settings() });
    (0..150).for_each(|_| drop(world.step().unwrap()));
    let [top, bottom] = ends.map(|end| {
        end.iter().map(|v| world.state().x[*v as usize]).sum::<DVec3>() / end.len() as f64
    });
    let lean = top - bottom;
    lean.x.atan2(lean.z).to_degrees()
}

#[test]
fn a_sheared_square_springs_back_or_keeps_an_angle() {
    let elastic = Fabric::default();
    assert!(remaining_angle(&elastic).abs() < 0.3, "{}", remaining_angle(&elastic));
    // 2HG of 4 N/m and G of 60 N/m: up to half of 2HG over G, 1.9°, can be held.
    let with_friction = Fabric { shear_hysteresis: 4.0, shear_hysteresis_wide: 4.0, ..elastic };
    let kept = remaining_angle(&with_friction);
    assert!((0.8..2.2).contains(&kept), "{kept}");
}
