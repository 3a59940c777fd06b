//! Runs the default solver on small scenes and says what each part of a second took.
//!
//! `cargo run --release -p toile-sim --example barrier -- sphere 50 1.0`

#![allow(clippy::print_stdout, reason = "an example prints what it measured")]

use glam::{DMat3, DVec3};
use std::time::Instant;
use toile_mesh::shape::{Diagonals, grid};
use toile_sim::barrier::{Law, Rule};
use toile_sim::body::{Body, Shape};
use toile_sim::sheet::{Bend, Stretch};
use toile_sim::{Cloth, Fabric, Motion, Pin, Preset, Surroundings, World};

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let scene = args.get(1).map_or("sphere", String::as_str);
    let cells: usize = args.get(2).and_then(|a| a.parse().ok()).unwrap_or(50);
    let seconds: f64 = args.get(3).and_then(|a| a.parse().ok()).unwrap_or(1.0);
    // A ribbon has a tenth of the width and twice the length, and as many cells in a metre.
    let ribbon = scene == "ribbon";
    let (size, counts) =
        if ribbon { ([0.1, 2.0], [cells / 10, 2 * cells]) } else { ([1.0; 2], [cells; 2]) };
    let mut mesh = grid(size[0], size[1], counts[0], counts[1], Diagonals::Alternating);
    let mut seed = 1_u64;
    let mut roll = || {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        1e-4 * ((seed >> 11) as f64 / (1_u64 << 52) as f64 - 1.0)
    };
    for p in &mut mesh.positions {
        if ribbon {
            *p = DVec3::new(p.x, 1.05 - p.z, 0.0);
        }
        *p += DVec3::new(roll(), roll(), roll());
        match scene {
            "sphere" => p.y += 0.85,
            "table" => p.y += 0.55,
            _ => {}
        }
    }
    let mut surroundings = Surroundings::default();
    match scene {
        "sphere" => {
            let ball = Shape::Sphere { centre: DVec3::Y * 0.5, radius: 0.3 };
            let floor = Shape::Plane { point: DVec3::ZERO, normal: DVec3::Y };
            surroundings.bodies = vec![Body::new("ball", ball), Body::new("floor", floor)];
        }
        "table" => {
            let (centre, half) = (DVec3::Y * 0.45, DVec3::new(0.25, 0.05, 0.25));
            let table = Shape::Cuboid { centre, half, rotation: DMat3::IDENTITY };
            let floor = Shape::Plane { point: DVec3::ZERO, normal: DVec3::Y };
            surroundings.bodies = vec![Body::new("table", table), Body::new("floor", floor)];
        }
        "ribbon" => {
            let floor = Shape::Plane { point: DVec3::ZERO, normal: DVec3::Y };
            surroundings.bodies = vec![Body::new("floor", floor)];
        }
        _ => {
            let side = |sign: f64| {
                let vertices = (0..mesh.positions.len() as u32)
                    .filter(|v| sign * mesh.positions[*v as usize].x > 0.499)
                    .collect();
                let motion = Motion::Steady {
                    velocity: DVec3::X * (-0.05 * sign),
                    axis: DVec3::X,
                    turns_per_second: -0.5 * sign,
                    centre: DVec3::ZERO,
                };
                Pin { vertices, motion, until: f64::INFINITY }
            };
            surroundings.pins = vec![side(-1.0), side(1.0)];
        }
    }
    let cloth = Cloth {
        name: "sheet".into(),
        mesh,
        grid: Some(counts),
        fabric: Fabric::default(),
        pieces: Vec::new(),
    };
    let mut settings = Preset::Toile.settings();
    if let Some(step) = args.get(4).and_then(|a| a.parse().ok()) {
        settings.step = step;
    }
    let named = |key: &str, name: &str| std::env::var(key).is_ok_and(|v| v == name);
    // A limit of the strain: `LIMIT=0.04`.
    if let Some(limit) = std::env::var("LIMIT").ok().and_then(|l| l.parse().ok()) {
        settings.strain_limit.enabled = true;
        settings.strain_limit.stretch = limit;
    }
    // Other rules of time and barriers: `RULE=bdf2 LAW=cubic`.
    if let Some(rule) = Rule::ALL.into_iter().find(|r| named("RULE", r.name())) {
        settings.barrier.rule = rule;
    }
    if let Some(law) = Law::ALL.into_iter().find(|l| named("LAW", l.name())) {
        settings.barrier.law = law;
    }
    // Other models by name: `BEND=hinge STRETCH=corotational`.
    if let Some(bend) = Bend::ALL.into_iter().find(|b| named("BEND", b.name())) {
        settings.bend = bend;
    }
    if let Some(stretch) = Stretch::ALL.into_iter().find(|s| named("STRETCH", s.name())) {
        settings.stretch = stretch;
    }
    let steps = (seconds / settings.step).round() as usize;
    let per = (0.1 / settings.step).round() as usize;
    let mut world = World::new(vec![cloth], surroundings, settings).expect("a world");
    let clock = Instant::now();
    let (mut newton, mut linear, mut unsettled) = (0, 0, 0);
    let mut spent = [0.0; 3];
    let (mut all, mut least) = ([0_u32; 5], f64::INFINITY);
    for step in 0..steps {
        let report = match world.step() {
            Ok(report) => report,
            Err(error) => {
                println!("{error}");
                return;
            }
        };
        newton += report.iterations;
        linear += report.linear_iterations;
        unsettled += report.unsettled;
        let parts = u32::from(!report.warnings.is_empty());
        let of_step =
            [report.iterations, report.linear_iterations, report.halvings, report.unsettled, parts];
        all.iter_mut().zip(of_step).for_each(|(all, of_step)| *all += of_step);
        if report.contacts > 0 {
            least = least.min(report.gap);
        }
        let s = report.seconds;
        spent = [spent[0] + s.detect, spent[1] + s.integrate, spent[2] + s.respond];
        if (step + 1) % per == 0 {
            println!(
                "{:.2} s: wall {:.2} newton {:.1} linear {:.0} unsettled {unsettled} contacts {} gap \
                 {:.1e} strain {:.3} speed {:.3} lowest {:.3} residual {:.1e} stages {:.2?}",
                world.state().time,
                clock.elapsed().as_secs_f64(),
                f64::from(newton) / per as f64,
                f64::from(linear) / f64::from(newton),
                report.contacts,
                report.gap,
                world.max_strain(),
                world.state().rms_speed(),
                world.state().lowest(),
                report.residual.unwrap_or(f64::NAN),
                spent
            );
            (newton, linear, unsettled) = (0, 0, 0);
        }
    }
    let [newton, linear, halvings, unsettled, parts] = all;
    println!(
        "all: newton {newton} linear {linear} halvings {halvings} unsettled {unsettled} steps in parts {parts} \
         smallest gap {least:.1e}"
    );
    println!("state {:016x}", world.state().hash());
}
