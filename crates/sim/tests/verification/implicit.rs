//! Implicit steps and elements in a world: what scenes choose by `solver.method`.

use crate::scene::{G, assert_clean, crowd, floor, history, run, sheet, springs_only};
use glam::DVec3;
use toile_sim::papers::integrate::{Integrator, Newton, NewtonSettings, Rule};
use toile_sim::sheet::{Bend, Stretch};
use toile_sim::{Collision, Implicit, Method, Pin, Settings, Springs, Surroundings, World};

const RULES: [Rule; 4] = [Rule::Euler, Rule::Midpoint, Rule::Blend { theta: 0.7 }, Rule::Bdf2];

fn implicit(rule: Rule, stretch: Stretch, bend: Bend) -> Settings {
    let solve =
        NewtonSettings { newton: Newton::Inexact { eta: 0.02 }, ..NewtonSettings::default() };
    Settings {
        step: 0.01,
        method: Method::Implicit,
        implicit: Implicit { rule, solve },
        stretch,
        bend,
        ..springs_only()
    }
}

/// A sheet held at one side, let go.
fn hung(settings: Settings) -> World {
    let cloth = sheet(0.3, 6, DVec3::ZERO);
    let surroundings =
        Surroundings { pins: vec![Pin::still((0..7).collect())], ..Surroundings::default() };
    World::new(vec![cloth], surroundings, settings).unwrap()
}

#[test]
fn every_model_swings_down_with_every_rule_and_stretches_little() {
    for rule in RULES {
        for (stretch, bend) in [
            (Stretch::Springs, Bend::Springs),
            (Stretch::Kes, Bend::Angles),
            (Stretch::Volino, Bend::Hinge),
            (Stretch::BaraffWitkin, Bend::Hinge),
            (Stretch::Continuum, Bend::Plate),
            (Stretch::Corotational, Bend::Laplacian),
            (Stretch::Stvk, Bend::Morley),
            (Stretch::TensionField, Bend::Morley),
            (Stretch::Terzopoulos, Bend::Terzopoulos),
        ] {
            let mut world = hung(implicit(rule, stretch, bend));
            run(&mut world, 0.2);
            // Free fall from 0.2 s: 0.2 m; a sheet held at one side falls nearly as far there.
            let lowest = world.state().lowest();
            assert!((-0.31..-0.1).contains(&lowest), "{rule:?} {stretch:?} {bend:?}: {lowest}");
            assert!(world.max_strain() < 0.05, "{rule:?} {stretch:?}: {}", world.max_strain());
        }
    }
}

#[test]
fn without_hold_every_rule_falls_as_it_must() {
    for rule in RULES {
        let settings = implicit(rule, Stretch::Stvk, Bend::Morley);
        let cloth = sheet(0.3, 6, DVec3::ZERO);
        let mut world = World::new(vec![cloth], Surroundings::default(), settings).unwrap();
        run(&mut world, 0.5);
        let (t, h) = (0.5, 0.01);
        let theta = match rule {
            Rule::Euler => 1.0,
            Rule::Blend { theta } => theta,
            _ => 0.5,
        };
        let expected = -0.5 * G * t * t - (theta - 0.5) * G * h * t;
        let lowest = world.state().lowest();
        assert!((lowest - expected).abs() < 1e-6, "{rule:?}: {lowest} {expected}");
    }
}

#[test]
fn elements_can_be_stepped_explicitly() {
    let settings = Settings {
        step: 2e-4,
        springs: Springs::Elements,
        stretch: Stretch::Corotational,
        bend: Bend::Hinge,
        integrator: Integrator::SymplecticEuler,
        ..springs_only()
    };
    let mut world = hung(settings);
    run(&mut world, 0.2);
    assert!((-0.31..-0.1).contains(&world.state().lowest()), "{}", world.state().lowest());
}

#[test]
fn implicit_steps_collide_like_explicit_ones() {
    let settings = Settings {
        collision: Collision::default(),
        ..implicit(Rule::Bdf2, Stretch::Corotational, Bend::Hinge)
    };
    let cloth = sheet(0.3, 8, DVec3::Y * 0.05);
    let surroundings = Surroundings { bodies: vec![floor()], ..Surroundings::default() };
    let mut world = World::new(vec![cloth], surroundings, settings).unwrap();
    run(&mut world, 0.4);
    assert_clean(&world, "floor");
    assert!(world.state().lowest() > 0.0 && world.state().rms_speed() < 0.05);
}

#[test]
fn a_restored_state_goes_on_bit_for_bit_also_over_several_steps() {
    for rule in [Rule::Euler, Rule::Bdf2] {
        let settings = || Settings {
            step: 4e-3,
            collision: Collision::default(),
            ..implicit(rule, Stretch::Corotational, Bend::Hinge)
        };
        let mut world = crowd(settings());
        history(&mut world, 5);
        let mut fresh = crowd(settings());
        fresh.restore(world.state().clone()).unwrap();
        assert_eq!(history(&mut fresh, 2).0, history(&mut world, 2).0, "{rule:?}");
    }
}
