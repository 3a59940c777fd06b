//! A strip is lowered onto a rough plane: its end sticks, then slips.
//!
//! The strip hangs from a clamp with its end on the plane. As the clamp is lowered by ε the strip bows and
//! its end pushes along the plane. It sticks while |T| ≤ μ N. Here the end is held, the forces on it
//! are read, and ε is raised until they reach the cone of friction: what is measured is the elastic force
//! at the contact, not a law of friction.

use super::exact::{Stuck, nearly_stuck};
use super::specimen::{NEAR, Specimen, fabric, on_all_meshes};
use super::{Compare, Failure, Picture, Reading, Row, Setup, Test};
use crate::plot::{Figure, Plot};
use glam::{DVec2, DVec3};
use toile_sim::linear::Constraint;

pub(super) const TEST: Test = Test {
    id: "stick-slip",
    title: "Stick and slip",
    about: "A strip hangs from a clamp that is lowered until the end of the strip, stuck to a rough \
            plane, begins to slip.",
    formula: "θ″ = −(T cos θ + N sin θ), θ(0) = 0, θ′(1) = 0, the end below the clamp; it slips at \
              T = μ N (Sano et al. 2017; Romero et al. 2021). ε ≈ (μ/0.446)² for small ε.",
    compare: Compare::Bending,
    run,
    draw,
};

const WIDTH: f64 = 0.2;

fn run(setup: &Setup) -> Result<Vec<Reading>, Failure> {
    let (cells, tolerance) = setup.pick((40, 0.02), (20, 0.04));
    [0.05, 0.1, 0.2]
        .into_iter()
        .map(|friction| {
            let exact = Stuck::at(friction).lowered;
            let mut lowered = exact;
            // The force grows like the root of ε: each correction gains two digits.
            for _ in 0..6 {
                let [along, down] = forces(setup, lowered, cells)?;
                let factor = friction * down / along;
                lowered *= factor * factor;
                if (factor - 1.0).abs() < 1e-4 {
                    break;
                }
            }
            let name = format!("ε at μ = {friction}");
            Ok(Reading::new(name, lowered, exact, tolerance))
        })
        .collect()
}

/// Forces per width on the stuck end: along the plane and upwards.
fn forces(setup: &Setup, lowered: f64, cells: usize) -> Result<[f64; 2], Failure> {
    let place = |p: DVec2| DVec3::new(0.0, -p.x, p.y);
    let size = [cells, (cells / 5).max(2)];
    let mut strip = Specimen::clamped_strip(setup, [1.0, WIDTH], size, fabric(1e6, 1.0), place);
    // Begin with the bow of small deflections; the straight strip would not know to which side.
    let fine = 400;
    let bow = nearly_stuck(lowered, fine);
    let is_end = |p: DVec2| p.x > 1.0 - NEAR;
    let is_held = |v: u32, held: &[(u32, Constraint)]| held.iter().any(|h| h.0 == v);
    for v in 0..strip.x.len() {
        let p = strip.cloth.mesh.uv[v];
        if is_end(p) {
            strip.x[v] = DVec3::new(0.0, lowered - 1.0, p.y);
        } else if !is_held(v as u32, &strip.held) {
            let [x, depth] = bow[(p.x * fine as f64) as usize];
            strip.x[v] = DVec3::new(x, -depth, p.y);
        }
    }
    strip.hold(Constraint::Fixed, is_end);
    let mut sheet = strip.sheet()?;
    strip.settle(&mut sheet)?;
    let mut gradient = vec![DVec3::ZERO; strip.x.len()];
    sheet.gradient(&strip.x, &mut gradient);
    let push: DVec3 = strip.vertices(is_end).iter().map(|v| gradient[*v as usize]).sum();
    Ok([push.x.abs() / WIDTH, push.y / WIDTH])
}

fn draw(setup: &Setup, _: &[Row]) -> Result<Vec<Picture>, Failure> {
    let exact = Stuck::family(0.24, 40);
    let curve = |f: &dyn Fn(&Stuck) -> f64| -> Vec<(f64, f64)> {
        exact.iter().map(|s| (s.lowered, f(s))).collect()
    };
    let mut needed = Plot::new("Friction that holds the end")
        .x("ε")
        .y("T/N")
        .line("exact", &curve(&|s| s.friction));
    let mut normal =
        Plot::new("Force on the plane").x("ε").y("N L²/B").line("exact", &curve(&|s| s.normal));
    let cells = setup.pick(40, 16);
    for setup in on_all_meshes(setup) {
        let mut points = (Vec::new(), Vec::new());
        for lowered in [0.005, 0.02, 0.05, 0.1, 0.15, 0.2] {
            let [along, down] = forces(&setup, lowered, cells)?;
            points.0.push((lowered, along / down));
            points.1.push((lowered, down));
        }
        needed = needed.points(setup.mesh.name(), &points.0);
        normal = normal.points(setup.mesh.name(), &points.1);
    }
    Ok(vec![Picture::new(
        "lab-stick-slip",
        "The buckled branch of a strip that is pressed onto a plane: friction needed and force on the plane \
         while the clamp is lowered by ε, Morley bending on three meshes.",
        &Figure::row([needed, normal]),
    )])
}
