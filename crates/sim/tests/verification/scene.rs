//! Small scenes, and the audit of what becomes of them.

use glam::DVec3;
use toile_audit::{body_penetrations_deeper_than, self_intersections};
use toile_mesh::shape::{Diagonals, grid};
use toile_sim::body::Shape;
use toile_sim::force::Wind;
use toile_sim::{Body, Cloth, Fabric, Motion, Pin, Settings, Surroundings, World};

/// Acceleration of free fall [m/s²].
pub(crate) const G: f64 = 9.81;

/// A horizontal square of n × n cells around `centre`.
pub(crate) fn sheet(size: f64, n: usize, centre: DVec3) -> Cloth {
    strip(size, size, [n, n], centre)
}

/// A horizontal rectangle around `centre`.
pub(crate) fn strip(width: f64, height: f64, cells: [usize; 2], centre: DVec3) -> Cloth {
    let mesh = grid(width, height, cells[0], cells[1], Diagonals::Alternating);
    Cloth {
        name: "sheet".into(),
        mesh: mesh.map_positions(|p| p + centre),
        grid: Some(cells),
        fabric: Fabric::default(),
        pieces: Vec::new(),
    }
}

/// Springs alone: no limit of the strain, no collisions.
#[cfg(feature = "papers")]
pub(crate) fn springs_only() -> Settings {
    Settings {
        strain_limit: toile_sim::settings::StrainLimit { enabled: false, ..Default::default() },
        collision: toile_sim::Collision { enabled: false, ..Default::default() },
        ..Settings::classic()
    }
}

pub(crate) fn weightless() -> Surroundings {
    Surroundings { gravity: DVec3::ZERO, ..Surroundings::default() }
}

pub(crate) fn floor() -> Body {
    Body::new("floor", Shape::Plane { point: DVec3::ZERO, normal: DVec3::Y })
}

/// Steps for so many seconds.
pub(crate) fn run(world: &mut World, seconds: f64) {
    for _ in 0..(seconds / world.settings().step).round() as u64 {
        world.step().unwrap();
    }
}

/// Mass, and the centre of mass.
pub(crate) fn centre_of_mass(world: &World) -> (f64, DVec3) {
    let m = &world.model().mass;
    let total: f64 = m.iter().sum();
    let moment: DVec3 = world.state().x.iter().zip(m.iter()).map(|(x, m)| *x * *m).sum();
    (total, moment / total)
}

/// Random velocities of at most `speed` along each axis, the same on every machine.
#[cfg(feature = "papers")]
pub(crate) fn shake(world: &mut World, speed: f64) {
    world.set_velocities(|i, _| {
        let noise = |k: u64| {
            let mut z = (3 * u64::from(i) + k).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            (z >> 11) as f64 / (1u64 << 52) as f64 - 1.0
        };
        DVec3::new(noise(0), noise(1), noise(2)) * speed
    });
}

/// Fails if cloth intersects itself or is inside a body now.
pub(crate) fn assert_clean(world: &World, what: &str) {
    let (x, triangles) = (&world.state().x, &world.model().mesh.triangles);
    let step = world.state().step;
    let crossing = self_intersections(x, triangles).unwrap();
    assert!(crossing.is_empty(), "{what}: {crossing:?} intersect after step {step}");
    for body in world.bodies() {
        let solid = body.shape_at(world.state().time);
        // Against a formula the audit rounds; a mesh is audited exactly.
        let found = body_penetrations_deeper_than(1e-9, x, triangles, &solid).unwrap();
        assert_eq!(found.count(), 0, "{what}: inside {} after step {step}: {found:?}", body.name);
    }
}

/// Three sheets fall fast on a ball that moves, one of them held at a corner, in gusts: contacts
/// of all kinds, and zones.
pub(crate) fn crowd(settings: Settings) -> World {
    let motion = Motion::Steady {
        velocity: DVec3::new(0.5, 0.2, 0.0),
        axis: DVec3::Z,
        turns_per_second: 1.0,
        centre: DVec3::Y * 0.2,
    };
    let shape = Shape::Capsule {
        a: DVec3::new(-0.1, 0.2, 0.0),
        b: DVec3::new(0.1, 0.2, 0.0),
        radius: 0.08,
    };
    let ball = Body { motion, ..Body::new("pin", shape) };
    let cloths = (0..3)
        .map(|k| sheet(0.4, 16, DVec3::new(0.01 * f64::from(k), 0.32 + 0.01 * f64::from(k), 0.0)))
        .collect();
    let surroundings = Surroundings {
        bodies: vec![ball, floor()],
        pins: vec![Pin { until: 0.05, ..Pin::still(vec![0, 16]) }],
        wind: Some(Wind { velocity: DVec3::X, gust: 0.5, ..Wind::default() }),
        ..Surroundings::default()
    };
    let mut world = World::new(cloths, surroundings, settings).unwrap();
    world.set_velocities(|_, x| DVec3::Y * (-20.0 * x.y));
    world
}

/// Hashes after each step, and how many zones there were.
pub(crate) fn history(world: &mut World, steps: usize) -> (Vec<u64>, u32) {
    let mut zones = 0;
    let hashes = (0..steps)
        .map(|_| {
            zones += world.step().unwrap().zones;
            world.state().hash()
        })
        .collect();
    (hashes, zones)
}
