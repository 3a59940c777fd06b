//! A belt over a fixed cylinder: friction adds up along the arc.
//!
//! Half a turn of a strip under tension, without weight. Both ends move along at one slow speed, so that it
//! slides over the cylinder; the tensions are read off the strain of the straight parts.

use super::{Compare, Failure, Reading, Setup, Test};
use glam::{DVec2, DVec3};
use std::f64::consts::PI;
use toile_sim::barrier::Barrier;
use toile_sim::body::Shape;
use toile_sim::{Body, Cloth, Fabric, Motion, Pin, Preset, Surroundings, World};

pub(super) const TEST: Test = Test {
    id: "capstan",
    title: "Belt over a cylinder",
    about: "A strip slides half around a cylinder; the tension on one side is a multiple of that on the \
            other. Always with the default solver.",
    formula: "T₂/T₁ = e^{μβ}, β = π (Euler 1769, Eytelwein 1808).",
    compare: Compare::Default,
    run,
    draw: |_, _| Ok(Vec::new()),
};

const RADIUS: f64 = 0.05;
const LEG: f64 = 0.08;
const WIDTH: f64 = 0.02;
/// Strain before the strip moves.
const STRAIN: f64 = 0.01;

fn run(setup: &Setup) -> Result<Vec<Reading>, Failure> {
    [0.2, 0.4]
        .into_iter()
        .map(|friction| {
            let ratio = ratio(setup, friction, Barrier::default())?;
            let name = format!("T₂/T₁ at μ = {friction}");
            Ok(Reading::new(name, ratio, libm::exp(friction * PI), setup.pick(0.02, 0.04)))
        })
        .collect()
}

/// Where the point at a way `s` from the middle of the strip lies around a cylinder.
fn around(s: f64, z: f64, radius: f64) -> DVec3 {
    let half = 0.5 * PI * radius;
    if s.abs() <= half {
        let (sin, cos) = (libm::sin(s / radius), libm::cos(s / radius));
        DVec3::new(radius * sin, radius * cos, z)
    } else {
        DVec3::new(radius * s.signum(), half - s.abs(), z)
    }
}

/// Tension of the side that is pulled over that of the side that follows, with the solver's rule and law.
fn ratio(setup: &Setup, friction: f64, barrier: Barrier) -> Result<f64, Failure> {
    let (step, dhat) = (0.005, 1e-3);
    let fabric = Fabric {
        friction,
        weft: 1000.0,
        warp: 1000.0,
        shear: 300.0,
        bend_weft: 1e-7,
        bend_warp: 1e-7,
        thickness: 2e-4,
        ..Fabric::default()
    };
    // Where the barrier begins: what it is pressed in by tension is little.
    let radius = RADIUS + fabric.thickness + 0.5 * dhat;
    let length = (PI * radius + 2.0 * LEG) / (1.0 + STRAIN);
    let cells = setup.pick([72, 3], [48, 2]);
    let (mut mesh, grid) = setup.mesh.rectangle([length, WIDTH], cells, |_| false);
    mesh.positions = mesh.uv.iter().map(|p| around(p.x * (1.0 + STRAIN), -p.y, radius)).collect();
    let end = |sign: f64| -> Vec<u32> {
        let at_end = |p: &DVec2| sign * p.x > 0.5 * length - 1e-9;
        (0..mesh.uv.len() as u32).filter(|v| at_end(&mesh.uv[*v as usize])).collect()
    };
    let pull = |sign: f64| Pin {
        vertices: end(sign),
        motion: Motion::Steady {
            velocity: DVec3::Y * (-sign * 0.02),
            axis: DVec3::X,
            turns_per_second: 0.0,
            centre: DVec3::ZERO,
        },
        until: f64::INFINITY,
    };
    let axis = DVec3::Z * (5.0 * WIDTH);
    let cylinder = Body {
        friction: Some(friction),
        ..Body::new("cylinder", Shape::Capsule { a: -axis, b: axis, radius: RADIUS })
    };
    let surroundings = Surroundings {
        bodies: vec![cylinder],
        pins: vec![pull(-1.0), pull(1.0)],
        gravity: DVec3::ZERO,
        wind: None,
    };
    let mut settings = Preset::Toile.settings();
    settings.stretch = setup.model.stretch;
    settings.bend = setup.model.bend;
    settings.step = step;
    settings.barrier =
        Barrier { dhat, pressure: 1e3, decrement: 1e-6, linear_tolerance: 1e-3, ..barrier };
    let cloth = Cloth { name: "belt".into(), mesh, grid, fabric, pieces: Vec::new() };
    let mut world = World::new(vec![cloth.clone()], surroundings, settings)?;
    for _ in 0..setup.pick(80, 60) {
        world.step()?;
    }
    let tension = |sign: f64| leg_tension(&cloth, &world.state().x, sign, length);
    Ok(tension(1.0) / tension(-1.0))
}

/// Mean tension of the triangles in the outer half of a straight part [N/m].
fn leg_tension(cloth: &Cloth, x: &[DVec3], sign: f64, length: f64) -> f64 {
    let (mut sum, mut area) = (0.0, 0.0);
    for (t, triangle) in cloth.mesh.triangles.iter().enumerate() {
        let uv = cloth.mesh.corners_uv(t);
        if uv.iter().any(|p| sign * p.x < 0.5 * length - 0.6 * LEG) {
            continue;
        }
        let Some(rest) = toile_sim::element::Triangle::new(*triangle, uv) else { continue };
        let corners = triangle.map(|v| x[v as usize]);
        let strain = rest.green_strain(&corners)[0];
        let stretch = rest.deformation(&corners)[0].length();
        sum += rest.area * cloth.fabric.weft * strain * stretch;
        area += rest.area;
    }
    sum / area
}

#[cfg(test)]
mod tests {
    use super::*;
    use toile_sim::barrier::{Law, Rule};

    #[test]
    fn the_belt_is_held_alike_by_every_law_and_under_every_rule_of_time() {
        let laws = Law::ALL.map(|law| Barrier { law, ..Barrier::default() });
        let rules = Rule::ALL.map(|rule| Barrier { rule, ..Barrier::default() });
        let setup = Setup { quick: true, ..Setup::default() };
        let exact = libm::exp(0.4 * PI);
        for barrier in laws.into_iter().chain(rules) {
            let found = ratio(&setup, 0.4, barrier).unwrap_or(f64::NAN);
            let (law, rule) = (barrier.law, barrier.rule);
            assert!((found / exact - 1.0).abs() < 0.04, "{law:?} {rule:?}: {found} {exact}");
        }
    }
}
