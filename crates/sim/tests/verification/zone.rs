//! Zones of impact from end to end.

use crate::scene::{assert_clean, floor, sheet};
use glam::DVec3;
use toile_sim::{Cloth, Law, Preset, Settings, Surroundings, World, Zones};

/// Sheets of different sizes above one another, thrown down.
fn stack(law: Law, zones: Zones, step: f64) -> World {
    let cloths: Vec<Cloth> = (0..5)
        .map(|k| {
            let k = f64::from(k);
            sheet(0.1 + 0.01 * k, 6, DVec3::new(0.003 * k, 0.01 + 0.005 * k, 0.002 * k))
        })
        .collect();
    let mut settings = Settings { step, ..Preset::Provot97.settings() };
    settings.collision.law = law;
    settings.collision.zones = zones;
    let surroundings = Surroundings { bodies: vec![floor()], ..Surroundings::default() };
    let mut world = World::new(cloths, surroundings, settings).unwrap();
    world.set_velocities(|i, _| DVec3::new(0.1, -1.0 - 1e-3 * f64::from(i), 0.05));
    world
}

#[test]
fn a_stack_thrown_down_in_large_steps_forms_zones_and_never_intersects() {
    for law in [Law::Provot, Law::Impulse] {
        for step in [5e-3, 2e-2] {
            let mut world = stack(law, Zones::Rigid, step);
            let (mut zones, mut largest) = (0, 0);
            for _ in 0..60 {
                let report = world.step().unwrap();
                zones += report.zones;
                largest = largest.max(report.largest_zone);
                assert_clean(&world, "stack");
            }
            assert!(zones > 0 && largest >= 4, "{law:?} {step}: {zones} zones of up to {largest}");
        }
    }
}

#[test]
fn without_zones_the_same_stack_does_intersect() {
    // The test above would say nothing if impacts alone could do it.
    let mut world = stack(Law::Provot, Zones::Off, 2e-2);
    let found = (0..60).any(|_| {
        world.step().unwrap();
        let (x, triangles) = (&world.state().x, &world.model().mesh.triangles);
        !toile_audit::self_intersections(x, triangles).unwrap().is_empty()
    });
    assert!(found);
}

#[test]
fn printed_zones_also_keep_cloth_apart_or_say_that_they_cannot() {
    let mut world = stack(Law::Provot, Zones::Printed, 5e-3);
    for _ in 0..60 {
        if world.step().is_err() {
            break;
        }
        assert_clean(&world, "stack");
    }
    assert!(world.state().step > 3);
}
