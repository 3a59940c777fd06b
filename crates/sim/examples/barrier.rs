//! Runs the default solver on small scenes and says what each part of a second took.
//!
//! `cargo run --release -p toile-sim --example barrier -- sphere 50 1.0`

#![allow(clippy::print_stdout, reason = "an example prints what it measured")]

use glam::{DMat3, DVec3};
use std::time::Instant;
use toile_mesh::TriMesh;
use toile_mesh::shape::{Diagonals, grid};
use toile_sim::barrier::{Law, Rule};
use toile_sim::body::{Body, Shape};
use toile_sim::sheet::{Bend, Stretch};
use toile_sim::{Cloth, Fabric, Motion, Pin, Preset, Settings, StepReport, Surroundings, World};

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let scene = args.get(1).map_or("sphere", String::as_str);
    let cells: usize = args.get(2).and_then(|a| a.parse().ok()).unwrap_or(50);
    let seconds: f64 = args.get(3).and_then(|a| a.parse().ok()).unwrap_or(1.0);
    let step: Option<f64> = args.get(4).and_then(|a| a.parse().ok());
    let cloth = cloth(scene, cells);
    let surroundings = surroundings(scene, &cloth.mesh);
    let settings = settings(step);
    let steps = (seconds / settings.step).round() as usize;
    let per_line = (0.1 / settings.step).round() as usize;
    let mut world = World::new(vec![cloth], surroundings, settings).expect("a world");
    run(&mut world, steps, per_line);
    println!("state {:016x}", world.state().hash());
}

/// A square metre, or a ribbon, shaken by less than 0.1 mm, above what it falls on.
fn cloth(scene: &str, cells: usize) -> Cloth {
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
    Cloth {
        name: "sheet".into(),
        mesh,
        grid: Some(counts),
        fabric: Fabric::default(),
        pieces: Vec::new(),
    }
}

fn surroundings(scene: &str, mesh: &TriMesh) -> Surroundings {
    let floor = || Body::new("floor", Shape::Plane { point: DVec3::ZERO, normal: DVec3::Y });
    let mut surroundings = Surroundings::default();
    match scene {
        "sphere" => {
            let ball = Shape::Sphere { centre: DVec3::Y * 0.5, radius: 0.3 };
            surroundings.bodies = vec![Body::new("ball", ball), floor()];
        }
        "table" => {
            let (centre, half) = (DVec3::Y * 0.45, DVec3::new(0.25, 0.05, 0.25));
            let table = Shape::Cuboid { centre, half, rotation: DMat3::IDENTITY };
            surroundings.bodies = vec![Body::new("table", table), floor()];
        }
        "ribbon" => surroundings.bodies = vec![floor()],
        _ => surroundings.pins = vec![twisting(mesh, -1.0), twisting(mesh, 1.0)],
    }
    surroundings
}

/// One side of the cloth, turned and moved towards the other.
fn twisting(mesh: &TriMesh, sign: f64) -> Pin {
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
}

/// The default solver, with what environment variables ask for.
fn settings(step: Option<f64>) -> Settings {
    let mut settings = Preset::Toile.settings();
    if let Some(step) = step {
        settings.step = step;
    }
    let named = |key: &str, name: &str| std::env::var(key).is_ok_and(|v| v == name);
    // A limit of the strain: `LIMIT=0.04`.
    if let Some(limit) = std::env::var("LIMIT").ok().and_then(|l| l.parse().ok()) {
        settings.strain_limit.enabled = true;
        settings.strain_limit.stretch = limit;
    }
    // Other integration rules and barriers: `RULE=bdf2 LAW=cubic`.
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
    settings
}

/// Iterations of some steps.
#[derive(Default)]
struct Counts {
    newton: u32,
    linear: u32,
    halvings: u32,
    unconverged: u32,
    substepped: u32,
}

impl Counts {
    fn add(&mut self, report: &StepReport) {
        self.newton += report.iterations;
        self.linear += report.linear_iterations;
        self.halvings += report.halvings;
        self.unconverged += report.unconverged;
        self.substepped += u32::from(!report.warnings.is_empty());
    }
}

/// Takes the steps and prints a line for each `per_line` of them.
fn run(world: &mut World, steps: usize, per_line: usize) {
    let clock = Instant::now();
    let (mut recent, mut all) = (Counts::default(), Counts::default());
    let (mut spent, mut least) = ([0.0; 3], f64::INFINITY);
    for step in 1..=steps {
        let report = match world.step() {
            Ok(report) => report,
            Err(error) => {
                println!("{error}");
                return;
            }
        };
        recent.add(&report);
        all.add(&report);
        if report.contacts > 0 {
            least = least.min(report.gap);
        }
        let s = report.seconds;
        spent = [spent[0] + s.detect, spent[1] + s.integrate, spent[2] + s.respond];
        if step % per_line == 0 {
            let wall = clock.elapsed().as_secs_f64();
            println!(
                "{:.2} s: wall {wall:.2} newton {:.1} linear {:.0} unconverged {} contacts {} gap {:.1e} strain {:.3} \
                 speed {:.3} lowest {:.3} residual {:.1e} stages {spent:.2?}",
                world.state().time,
                f64::from(recent.newton) / per_line as f64,
                f64::from(recent.linear) / f64::from(recent.newton),
                all.unconverged,
                report.contacts,
                report.gap,
                world.max_strain(),
                world.state().rms_speed(),
                world.state().lowest(),
                report.residual.unwrap_or(f64::NAN),
            );
            recent = Counts::default();
        }
    }
    let Counts { newton, linear, halvings, unconverged, substepped } = all;
    println!(
        "all: newton {newton} linear {linear} halvings {halvings} unconverged {unconverged} steps in parts {substepped} \
         smallest gap {least:.1e}"
    );
}
