//! Cloth whose masses are small beside its stiffness: tiny edges, stiff fabrics.

use crate::scene::{G, sheet};
use glam::DVec3;
use toile_sim::barrier::Rule;
use toile_sim::{Cloth, Fabric, Motion, Pin, Preset, Surroundings, World};

/// A fabric that is `times` as stiff as cotton.
fn stiffened(times: f64, thickness: f64) -> Fabric {
    let cotton = Fabric::default();
    Fabric {
        weft: cotton.weft * times,
        warp: cotton.warp * times,
        shear: cotton.shear * times,
        weft_curve: Vec::new(),
        warp_curve: Vec::new(),
        shear_curve: Vec::new(),
        thickness,
        ..cotton
    }
}

/// A jittered sheet, so that its threads have something to say.
fn jittered(edge: f64, cells: usize, fabric: Fabric) -> Cloth {
    let mut cloth = sheet(edge * cells as f64, cells, DVec3::Y);
    for (i, p) in cloth.mesh.positions.iter_mut().enumerate() {
        p.y += 0.01 * edge * ((i * 7 % 11) as f64 - 5.0);
    }
    cloth.fabric = fabric;
    cloth
}

fn mean(x: &[DVec3], mass: &[f64]) -> DVec3 {
    let sum: DVec3 = x.iter().zip(mass).map(|(x, m)| *x * *m).sum();
    sum / mass.iter().sum::<f64>()
}

#[test]
fn a_sheet_falls_whatever_its_edges_and_its_stiffness() {
    for (edge, times) in
        [(0.05, 1.0), (0.05, 1e3), (1e-3, 1.0), (2.5e-4, 1.0), (2.5e-4, 1e3), (2e-5, 1.0)]
    {
        for rule in [Rule::Euler, Rule::Bdf2] {
            let fabric = stiffened(times, 0.01 * edge);
            let mut settings = Preset::Toile.settings();
            settings.barrier.rule = rule;
            let cloth = jittered(edge, 10, fabric);
            let mut world = World::new(vec![cloth], Surroundings::default(), settings).unwrap();
            let mass = world.model().mass.clone();
            let start = mean(&world.state().x, &mass);
            let steps = 10;
            for _ in 0..steps {
                world.step().unwrap();
            }
            let (h, t) = (world.settings().step, world.state().time);
            let fallen = start.y - mean(&world.state().x, &mass).y;
            let expected = match rule {
                Rule::Euler => 0.5 * G * t * (t + h),
                _ => 0.5 * G * t * t,
            };
            let tolerance = if rule == Rule::Euler { 1e-3 } else { 2e-2 };
            assert!(
                (fallen / expected - 1.0).abs() < tolerance,
                "{edge} m, {times} times as stiff, {rule:?}: {fallen} m instead of {expected}"
            );
        }
    }
}

#[test]
fn cloth_whose_forces_are_lost_in_rounding_falls_or_is_refused_but_never_hangs_in_the_air() {
    let mut refused = 0;
    for (edge, times) in [(1e-6, 1.0), (1e-6, 1e3), (1e-7, 1.0), (1e-8, 1.0)] {
        for rule in [Rule::Euler, Rule::Bdf2] {
            let fabric = stiffened(times, 0.01 * edge);
            let mut settings = Preset::Toile.settings();
            settings.barrier.rule = rule;
            let cloth = jittered(edge, 10, fabric);
            let mut world = World::new(vec![cloth], Surroundings::default(), settings).unwrap();
            let mass = world.model().mass.clone();
            let start = mean(&world.state().x, &mass);
            let outcome = (0..10).try_for_each(|_| world.step().map(|_| ()));
            let t = world.state().time;
            let fallen = start.y - mean(&world.state().x, &mass).y;
            match outcome {
                Ok(()) => assert!(
                    fallen > 0.4 * G * t * t,
                    "{edge} m, {times} times as stiff, {rule:?}: {fallen} m"
                ),
                Err(error) => {
                    let error = error.to_string();
                    assert!(error.contains("no feasible step"), "{error}");
                    refused += 1;
                }
            }
        }
    }
    assert!(refused > 0, "the last of them cannot be simulated");
}

#[test]
fn a_step_that_fails_because_pins_stretch_the_cloth_says_so() {
    let mut cloth = sheet(0.2, 8, DVec3::ZERO);
    // Threads that stiffen a thousandfold.
    cloth.fabric.weft_curve = vec![[0.0, 0.0], [0.02, 10.0], [0.05, 1e6]];
    cloth.fabric.name = "rope".into();
    let side = |sign: f64| {
        let on = |(i, p): (usize, &DVec3)| (sign * p.x > 0.099).then_some(i as u32);
        let vertices: Vec<u32> = cloth.mesh.positions.iter().enumerate().filter_map(on).collect();
        let motion = Motion::Steady {
            velocity: DVec3::X * (2.0 * sign),
            axis: DVec3::X,
            turns_per_second: 10.0 * sign,
            centre: DVec3::ZERO,
        };
        Pin { vertices, motion, until: f64::INFINITY }
    };
    let pins = vec![side(-1.0), side(1.0)];
    let surroundings = Surroundings { pins, ..Surroundings::default() };
    let mut settings = Preset::Toile.settings();
    settings.barrier.max_iterations = 4;
    let mut world = World::new(vec![cloth], surroundings, settings).unwrap();
    let failed = (0..400).find_map(|_| world.step().err());
    let error = failed.expect("no fabric follows this").to_string();
    for part in ["no feasible step", "prescribed vertices stretch", "\"sheet\"", "pins 0, 1"] {
        assert!(error.contains(part), "{error}");
    }
}

#[test]
fn a_stiff_sheet_that_falls_from_one_edge_is_strained_as_its_weight_says() {
    let mut cloth = sheet(1.0, 32, DVec3::ZERO);
    cloth.fabric = stiffened(20.0, 5e-4);
    let on = |(i, p): (usize, &DVec3)| (p.x > 0.499).then_some(i as u32);
    let vertices = cloth.mesh.positions.iter().enumerate().filter_map(on).collect();
    let surroundings = Surroundings { pins: vec![Pin::still(vertices)], ..Surroundings::default() };
    let settings = Preset::Toile.settings();
    let mut world = World::new(vec![cloth], surroundings, settings).unwrap();
    let mut largest: f64 = 0.0;
    for _ in 0..60 {
        world.step().unwrap();
        largest = largest.max(world.max_strain());
    }
    assert!(world.state().lowest() < -0.5, "it has fallen");
    assert!(largest < 6e-3, "{largest}");
}
