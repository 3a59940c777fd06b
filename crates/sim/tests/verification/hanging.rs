//! Hanging cloth: extension, catenary, strain limit, pins.

use crate::scene::{G, run, sheet, springs_only, strip, weightless};
use glam::DVec3;
use toile_sim::motion::Key;
use toile_sim::papers::integrate::Integrator;
use toile_sim::settings::{Order, StrainLimit};
use toile_sim::{Fabric, Motion, Pin, Settings, Stiffness, Surroundings, World};

/// Springs as stiff as the fabric, and air so thick that everything comes to rest.
fn settling(step: f64) -> Settings {
    let integrator = Integrator::Verlet { damping: 8.0 * step };
    Settings { step, integrator, stiffness: Stiffness::Fabric, ..springs_only() }
}

#[test]
fn a_hanging_strip_is_stretched_by_its_own_weight() {
    // Length 0.5 m: the tip sinks by σ g L²/(2Y), exact also for lumped masses. Without shear
    // springs nothing but threads along the strip carries it.
    let cells = [2, 10];
    let mut cloth = strip(0.1, 0.5, cells, DVec3::ZERO);
    cloth.fabric =
        Fabric { shear: 0.0, bend_weft: 0.0, bend_warp: 0.0, warp: 200.0, ..Fabric::default() };
    cloth.mesh = cloth.mesh.map_positions(|p| DVec3::new(p.x, -p.z, 0.0));
    let top: Vec<u32> = (0..=2).map(|i| i * 11 + 10).collect();
    let surroundings = Surroundings { pins: vec![Pin::still(top)], ..Surroundings::default() };
    let mut world = World::new(vec![cloth], surroundings, settling(2e-4)).unwrap();
    let start = world.state().lowest();
    assert!((start + 0.25).abs() < 1e-12);
    run(&mut world, 4.0);
    let found = start - world.state().lowest();
    let expected = 0.2 * G * 0.25 / (2.0 * 200.0);
    assert!((found / expected - 1.0).abs() < 1e-3, "{found}, not {expected}");
}

#[test]
fn a_ribbon_between_two_nails_hangs_in_a_catenary() {
    let n = 40;
    let mut cloth = strip(0.025, 1.0, [1, n], DVec3::ZERO);
    cloth.fabric = Fabric { bend_weft: 0.0, bend_warp: 0.0, ..Fabric::default() };
    // Ends 0.8 apart, the middle 0.3 below: two straight halves of length 0.5.
    cloth.mesh = cloth.mesh.map_positions(|p| {
        let s = p.z.abs();
        DVec3::new(p.x, 0.6 * s, 0.8 * p.z)
    });
    let ends = vec![0, n as u32, n as u32 + 1, 2 * n as u32 + 1];
    let surroundings = Surroundings { pins: vec![Pin::still(ends)], ..Surroundings::default() };
    let mut world = World::new(vec![cloth], surroundings, settling(1e-4)).unwrap();
    run(&mut world, 3.0);
    assert!(world.state().rms_speed() < 1e-4, "at rest");
    // An inextensible one has the sag 0.265438 L. The tension, 0.6 σ g L at most, stretches this
    // one by 0.11 %; half of that over the slack of 0.2 deepens the sag by 0.3 %, and a polygon of
    // 40 sides is shallower by 0.1 %.
    let sag = 0.3 - world.state().lowest();
    assert!((sag / 0.265_438 - 1.0).abs() < 5e-3, "{sag}");
}

#[test]
fn no_thread_is_longer_than_the_limit_in_any_order() {
    for order in [Order::Given, Order::WorstFirst, Order::Jacobi] {
        let strain_limit = StrainLimit { order, sweeps: 200, ..StrainLimit::default() };
        let settings = Settings { strain_limit, ..Settings::classic() };
        let mut cloth = sheet(0.5, 10, DVec3::ZERO);
        // Far too soft for its weight: the limit carries it.
        cloth.fabric = Fabric { weft: 2.0, warp: 2.0, shear: 0.5, ..Fabric::default() };
        let surroundings =
            Surroundings { pins: vec![Pin::still(vec![0, 10])], ..Surroundings::default() };
        let mut world = World::new(vec![cloth], surroundings, settings).unwrap();
        run(&mut world, 0.5);
        let longest = world
            .model()
            .springs
            .iter()
            .filter(|s| s.kind != toile_sim::element::Kind::Bend)
            .map(|s| {
                let [a, b] = s.ends.map(|v| world.state().x[v as usize]);
                a.distance(b) / s.rest - 1.0
            })
            .fold(0.0, f64::max);
        // Sweeps end at 200; Jacobi, which moves by means, is the slowest.
        let slack = if order == Order::Jacobi { 0.1 } else { 0.01 };
        assert!(longest > 0.09 && longest < 0.1 + slack, "{order:?}: {longest}");
    }
}

#[test]
fn animated_pins_go_exactly_where_they_are_told() {
    let keys = vec![
        Key { time: 0.0, translate: DVec3::ZERO, axis: DVec3::Y, degrees: 0.0 },
        Key { time: 0.1, translate: DVec3::new(0.1, 0.05, 0.0), axis: DVec3::Y, degrees: 90.0 },
        Key { time: 0.2, translate: DVec3::new(0.0, 0.1, 0.1), axis: DVec3::Y, degrees: 90.0 },
    ];
    let motion = Motion::Keys { centre: DVec3::ZERO, keys };
    let corners = vec![0, 8, 72, 80];
    let pin = Pin { vertices: corners.clone(), motion: motion.clone(), until: f64::INFINITY };
    let surroundings = Surroundings { pins: vec![pin], ..Surroundings::default() };
    let mut world =
        World::new(vec![sheet(0.4, 8, DVec3::ZERO)], surroundings, Settings::classic()).unwrap();
    let start = world.state().x.clone();
    for _ in 0..250 {
        world.step().unwrap();
        let pose = motion.pose(world.state().time);
        for i in &corners {
            let i = *i as usize;
            let (x, target) = (world.state().x[i], pose.apply(start[i]));
            assert!(x.distance(target) < 1e-12, "{x} {target} at {}", world.state().time);
        }
    }
    // After the last key they rest where a quarter turn and the shift bring them.
    let quarter = |p: DVec3| DVec3::new(p.z, p.y, -p.x) + DVec3::new(0.0, 0.1, 0.1);
    assert!(world.state().x[0].distance(quarter(start[0])) < 1e-12);
    assert!(world.state().v[0].length() < 1e-9);
}

#[test]
fn cloth_falls_from_the_moment_its_pins_let_go() {
    let all: Vec<u32> = (0..25).collect();
    let pin = Pin { vertices: all, motion: Motion::Still, until: 0.1 };
    let surroundings = Surroundings { pins: vec![pin], ..Surroundings::default() };
    let mut world =
        World::new(vec![sheet(0.4, 4, DVec3::ZERO)], surroundings, Settings::classic()).unwrap();
    run(&mut world, 0.1);
    assert!(world.state().x.iter().all(|x| x.y.abs() < 1e-15) && world.state().rms_speed() < 1e-12);
    run(&mut world, 0.2);
    let (t, h) = (0.2, world.settings().step);
    let fall = 0.5 * G * t * t + 0.5 * G * h * t;
    assert!(
        world.state().x.iter().all(|x| (x.y + fall).abs() < 1e-9),
        "{}",
        world.state().lowest()
    );
}

#[test]
fn a_pinned_vertex_does_not_move_whatever_happens_to_the_rest() {
    let surroundings = Surroundings { pins: vec![Pin::still(vec![0, 7])], ..weightless() };
    let mut world =
        World::new(vec![sheet(0.4, 8, DVec3::ONE)], surroundings, Settings::classic()).unwrap();
    let start = world.state().x.clone();
    crate::scene::shake(&mut world, 5.0);
    run(&mut world, 0.2);
    for i in [0, 7] {
        assert_eq!(world.state().x[i], start[i]);
    }
    assert!(world.state().x[20].distance(start[20]) > 1e-3);
}
