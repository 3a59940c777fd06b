//! Changes between steps: each acts, none disturbs the rest.

use crate::body::Shape;
use crate::force::Wind;
use crate::model::Cloth;
use crate::{Body, Energy, Fabric, Method, Preset, Surroundings, World};
use glam::DVec3;
use toile_mesh::shape::{Diagonals, grid};

fn sheet(fabric: Fabric) -> Cloth {
    let mesh = grid(0.3, 0.3, 6, 6, Diagonals::Alternating).map_positions(|p| p + DVec3::Y * 0.002);
    Cloth { name: "sheet".into(), mesh, grid: Some([6, 6]), fabric, pieces: Vec::new() }
}

fn fabric(friction: f64) -> Fabric {
    Fabric { friction, ..Fabric::default() }
}

/// A sheet that lies on a floor.
fn world(preset: Preset, fabric: Fabric, friction: Option<f64>, gravity: DVec3) -> World {
    let floor = Shape::Plane { point: DVec3::ZERO, normal: DVec3::Y };
    let bodies = vec![Body { friction, ..Body::new("floor", floor) }];
    let surroundings = Surroundings { bodies, gravity, ..Surroundings::default() };
    World::new(vec![sheet(fabric)], surroundings, preset.settings()).unwrap()
}

fn run(world: &mut World, seconds: f64) {
    let end = world.state().time + seconds;
    while world.state().time < end - 1e-9 {
        world.step().unwrap();
    }
}

/// Mean displacement along x [m].
fn slid(world: &World) -> f64 {
    let (x, from) = (&world.state().x, &world.model().mesh.positions);
    x.iter().zip(from).map(|(x, from)| x.x - from.x).sum::<f64>() / x.len() as f64
}

const DOWN: DVec3 = DVec3::new(0.0, -9.81, 0.0);
/// Down a slope of 1 : 4.
const SLOPE: DVec3 = DVec3::new(9.81 * 0.25, -9.81, 0.0);

#[test]
fn a_change_before_the_first_step_is_as_if_it_had_been_built_so() {
    for preset in [Preset::Toile, Preset::BaraffWitkin98, Preset::Provot97, Preset::Liu98] {
        let built = {
            let mut world = world(preset, fabric(0.1), Some(0.3), SLOPE);
            run(&mut world, 0.05);
            world.state().hash()
        };
        let mut changed = world(preset, Fabric { density: 0.4, ..fabric(0.7) }, None, DOWN);
        changed.set_fabric(0, fabric(0.6)).unwrap();
        changed.set_friction(0, 0.1).unwrap();
        changed.set_body_friction(0, Some(0.3)).unwrap();
        changed.set_gravity(SLOPE).unwrap();
        run(&mut changed, 0.05);
        assert_eq!(changed.state().hash(), built, "{preset:?}");
    }
}

#[test]
fn friction_holds_on_a_slope_until_it_is_taken_away() {
    let mut world = world(Preset::Toile, fabric(0.5), None, SLOPE);
    run(&mut world, 0.3);
    let before = slid(&world);
    assert!(before < 5e-3, "{before}");
    world.set_friction(0, 0.0).unwrap();
    run(&mut world, 0.2);
    // ½ g sin t², and a little for the first steps, which still stick.
    let way = slid(&world) - before;
    assert!((0.03..0.055).contains(&way), "{way}");
    world.set_body_friction(0, Some(1.0)).unwrap();
    run(&mut world, 0.3);
    let speed = world.state().v.iter().map(|v| v.x).sum::<f64>() / world.state().v.len() as f64;
    assert!(speed.abs() < 1e-2, "{speed}");
}

#[test]
fn gravity_wind_and_fabric_act_from_the_next_step_on() {
    let mut world = world(Preset::Toile, fabric(0.5), None, DOWN);
    run(&mut world, 0.1);
    world.set_gravity(-DOWN).unwrap();
    run(&mut world, 0.1);
    let rising = world.state().lowest();
    assert!(rising > 0.03, "{rising}");
    world.set_gravity(DVec3::ZERO).unwrap();
    let wind = Wind { velocity: DVec3::X * 10.0, ..Wind::default() };
    let mean = |w: &World| w.state().v.iter().map(|v| v.x).sum::<f64>();
    let calm = mean(&world);
    world.set_wind(Some(wind)).unwrap();
    run(&mut world, 0.1);
    assert!(mean(&world) > calm + 0.1, "{} {calm}", mean(&world));
    let mass = |w: &World| w.model().mass.iter().sum::<f64>();
    let (light, state) = (mass(&world), world.state().clone());
    world
        .set_fabric(0, Fabric { density: 2.0 * Fabric::default().density, ..fabric(0.5) })
        .unwrap();
    assert!((mass(&world) / light - 2.0).abs() < 1e-12);
    assert_eq!(world.state(), &state);
    run(&mut world, 0.05);
}

#[test]
fn other_settings_go_on_from_the_present_state_and_time() {
    let mut world = world(Preset::Toile, fabric(0.5), None, DOWN);
    run(&mut world, 0.05);
    let (time, x) = (world.state().time, world.state().x.clone());
    let mut settings = world.settings().clone();
    settings.step = 0.004;
    world.set_settings(settings).unwrap();
    assert_eq!((world.state().time, &world.state().x), (time, &x));
    world.step().unwrap();
    assert!((world.state().time - time - 0.004).abs() < 1e-12);
    world.set_settings(Preset::BaraffWitkin98.settings()).unwrap();
    assert_eq!(world.settings().method, Method::Implicit);
    run(&mut world, 0.05);
    // The same again, from a saved state: time goes on from where it was.
    let saved = world.state().clone();
    world.step().unwrap();
    let (next, hash) = (world.state().time, world.state().hash());
    world.restore(saved).unwrap();
    world.step().unwrap();
    assert_eq!((world.state().time, world.state().hash()), (next, hash));
}

#[test]
fn contacts_bear_the_weight_and_asking_for_them_changes_nothing() {
    let mut asked = world(Preset::Toile, fabric(0.5), None, DOWN);
    let mut other = world(Preset::Toile, fabric(0.5), None, DOWN);
    for _ in 0..60 {
        asked.step().unwrap();
        asked.contacts().unwrap();
        other.step().unwrap();
    }
    assert_eq!(asked.state().hash(), other.state().hash());
    let weight = 9.81 * asked.model().mass.iter().sum::<f64>();
    let contacts = asked.contacts().unwrap().to_vec();
    assert!(!contacts.is_empty());
    let mut force = DVec3::ZERO;
    for c in &contacts {
        assert!(c.body == Some(0) && c.gap > 0.0 && c.force > 0.0 && c.friction == 0.5, "{c:?}");
        for (vertex, weight) in c.vertices.into_iter().zip(c.weights) {
            force += vertex.map_or(DVec3::ZERO, |_| c.normal * (weight * c.force));
        }
    }
    assert!((force.y / weight - 1.0).abs() < 0.01, "{force} {weight}");
}

#[test]
fn the_normal_of_a_contact_points_away_from_the_body() {
    // A ball of few triangles: its corners press into faces of the cloth.
    let ball = Shape::Mesh(toile_mesh::shape::sphere(0.1, 1).map_positions(|p| p - DVec3::Y * 0.1));
    let bodies = vec![Body::new("ball", ball)];
    let surroundings = Surroundings { bodies, ..Surroundings::default() };
    let mut world =
        World::new(vec![sheet(fabric(0.5))], surroundings, Preset::Toile.settings()).unwrap();
    run(&mut world, 0.2);
    let x = world.state().x.clone();
    let contacts = world.contacts().unwrap().to_vec();
    let of_ball: Vec<_> = contacts.iter().filter(|c| c.body.is_some()).collect();
    assert!(of_ball.len() > 5, "{}", contacts.len());
    for c in of_ball {
        assert!(c.normal.dot(c.point + DVec3::Y * 0.1) > 0.0, "{c:?}");
        let own = c.vertices.into_iter().zip(c.weights);
        let point: DVec3 =
            own.filter(|(_, w)| *w > 0.0).map(|(v, w)| x[v.unwrap() as usize] * w).sum();
        assert!(point.distance(c.point) < 1e-12, "{c:?}");
        let sums = [1.0, -1.0].map(|s| c.weights.iter().filter(|w| **w * s > 0.0).sum::<f64>());
        assert!((sums[0] - 1.0).abs() < 1e-12 && (sums[1] + 1.0).abs() < 1e-12, "{c:?}");
    }
}

#[test]
fn the_energies_of_the_cloths_add_up_to_that_of_all() {
    for preset in [Preset::Toile, Preset::Provot97, Preset::BaraffWitkin98] {
        let upper = sheet(fabric(0.2));
        let mesh = upper.mesh.clone().map_positions(|p| p + DVec3::Y * 0.1);
        let cloths = vec![sheet(fabric(0.5)), Cloth { name: "upper".into(), mesh, ..upper }];
        let wind = Some(Wind { velocity: DVec3::new(3.0, 4.0, 0.0), ..Wind::default() });
        let surroundings = Surroundings { wind, ..Surroundings::default() };
        let mut world = World::new(cloths, surroundings, preset.settings()).unwrap();
        run(&mut world, 0.1);
        let each = world.energies().to_vec();
        let all = world.energy();
        assert_eq!(each.len(), 2);
        let sum = |of: fn(&Energy) -> f64| each.iter().map(of).sum::<f64>();
        let close = |a: f64, b: f64| (a - b).abs() < 1e-9 * all.kinetic.abs();
        assert!(close(sum(|e| e.kinetic), all.kinetic), "{preset:?}");
        assert!(close(sum(|e| e.potential), all.potential), "{preset:?}");
        assert!(close(sum(|e| e.elastic), all.elastic) && all.elastic > 0.0, "{preset:?}");
    }
}

#[test]
fn what_cannot_be_is_refused_and_changes_nothing() {
    let mut world = world(Preset::Toile, fabric(0.5), None, DOWN);
    run(&mut world, 0.02);
    let hash = world.state().hash();
    assert!(world.set_gravity(DVec3::NAN).is_err());
    let wind = Wind { gust: -1.0, ..Wind::default() };
    assert!(world.set_wind(Some(wind)).is_err());
    assert!(world.set_friction(0, -0.1).unwrap_err().to_string().contains("sheet"));
    assert!(world.set_friction(1, 0.1).unwrap_err().to_string().contains("there are 1"));
    assert!(world.set_body_friction(3, None).is_err());
    assert!(world.set_fabric(0, Fabric { density: -1.0, ..fabric(0.5) }).is_err());
    let mut settings = world.settings().clone();
    settings.step = f64::NAN;
    assert!(world.set_settings(settings).is_err());
    assert_eq!((world.gravity(), world.wind().is_none()), (DOWN, true));
    assert_eq!(world.state().hash(), hash);
    run(&mut world, 0.02);
}
