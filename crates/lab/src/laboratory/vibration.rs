//! Frequencies: a hanging ribbon, a cantilever, a drum.
//!
//! They are those of the exact tangent and the masses of the vertices, about a state of rest; no time
//! step blurs them.

use super::exact::{cantilever_root, hanging_chain};
use super::modes::{self, Mode};
use super::specimen::{NEAR, Specimen, fabric};
use super::{Compare, Failure, Picture, Reading, Row, Setup, Test};
use crate::plot::{Figure, Plot};
use glam::{DVec2, DVec3};
use std::f64::consts::PI;
use toile_sim::Fabric;
use toile_sim::linear::Constraint;

pub(super) const RIBBON: Test = Test {
    id: "modes-ribbon",
    title: "Vibrations of a hanging ribbon",
    about: "A limp ribbon hangs from its upper end and swings like a chain.",
    formula: "ω = ½ j₀ₙ √(g/L), j₀ₙ the zeros of J₀ (Bernoulli 1733).",
    compare: Compare::Default,
    run: |setup| Ok(read(&ribbon(setup)?, setup, |n| (format!("ω{n}"), hanging_chain(n)))),
    draw,
};

pub(super) const STRIP: Test = Test {
    id: "modes-strip",
    title: "Vibrations of a cantilever strip",
    about: "A strip without weight, clamped at one end, vibrates.",
    formula: "ω = β² √(B/(σ L⁴)) with cos β cosh β = −1.",
    compare: Compare::Bending,
    run: |setup| {
        let exact = |n: usize| (format!("ω{n}"), cantilever_root(n) * cantilever_root(n));
        Ok(read(&strip(setup)?, setup, exact))
    },
    draw: |_, _| Ok(Vec::new()),
};

pub(super) const DRUM: Test = Test {
    id: "modes-drum",
    title: "Vibrations of a square drum",
    about: "A square of cloth is stretched over a frame and vibrates.",
    formula: "ω = π √((m² + n²) T/σ)/a.",
    compare: Compare::Stretch,
    run: |setup| {
        // The second and third are one tone in two positions.
        let exact = |n: usize| match n {
            1 => ("ω11".to_owned(), PI * 2.0_f64.sqrt()),
            2 => ("ω12".to_owned(), PI * 5.0_f64.sqrt()),
            _ => ("ω21".to_owned(), PI * 5.0_f64.sqrt()),
        };
        Ok(read(&drum(setup)?, setup, exact))
    },
    draw: |_, _| Ok(Vec::new()),
};

fn read(
    found: &(Specimen, Vec<Mode>),
    setup: &Setup,
    exact: impl Fn(usize) -> (String, f64),
) -> Vec<Reading> {
    let tolerance = setup.pick(0.005, 0.03);
    found
        .1
        .iter()
        .enumerate()
        .map(|(k, mode)| {
            let (name, exact) = exact(k + 1);
            Reading::new(name, mode.value.sqrt(), exact, tolerance)
        })
        .collect()
}

/// The three slowest motions along a direction.
fn modes_of(specimen: &Specimen, direction: DVec3) -> Result<Vec<Mode>, Failure> {
    let mut held: Vec<(u32, Constraint)> =
        (0..specimen.x.len() as u32).map(|v| (v, Constraint::Line(direction))).collect();
    held.extend(&specimen.held);
    let density = specimen.cloth.fabric.density;
    let masses: Vec<f64> = specimen.areas().iter().map(|a| density * a).collect();
    modes::lowest(&mut specimen.sheet()?, &specimen.x, &masses, &held, 3)
}

/// Of length 1, under gravity 1.
fn ribbon(setup: &Setup) -> Result<(Specimen, Vec<Mode>), Failure> {
    let cells = setup.pick(60, 30);
    let width = 4.0 / cells as f64;
    // Limp along its length, stiff across: a membrane would let every thread swing by itself.
    let fabric =
        Fabric { bend_weft: 1e-6, bend_warp: 0.1, bend_twist: Some(0.1), ..fabric(1e5, 1.0) };
    let place = |p: DVec2| DVec3::new(p.y, -p.x - 0.5, 0.0);
    let mesh = setup.mesh.rectangle([1.0, width], [cells, 4], |_| false);
    let mut ribbon = Specimen::new(setup.model, mesh, fabric, place);
    let top = |p: DVec2| p.x < NEAR - 0.5;
    ribbon.hold(Constraint::Plane(DVec3::Z), |_| true);
    ribbon.hold(Constraint::Fixed, top);
    ribbon.load(DVec3::NEG_Y);
    let mut sheet = ribbon.sheet()?;
    ribbon.settle(&mut sheet)?;
    ribbon.held.clear();
    ribbon.hold(Constraint::Fixed, top);
    let found = modes_of(&ribbon, DVec3::Z)?;
    Ok((ribbon, found))
}

/// Of length 1 and rigidity 1; so narrow that its twisting is faster than its third vibration.
fn strip(setup: &Setup) -> Result<(Specimen, Vec<Mode>), Failure> {
    let cells = setup.pick(60, 30);
    let place = |p: DVec2| DVec3::new(p.x, 0.0, -p.y);
    let size = [cells, cells / 10];
    let strip = Specimen::clamped_strip(setup, [1.0, 0.1], size, fabric(1e4, 1.0), place);
    let found = modes_of(&strip, DVec3::Y)?;
    Ok((strip, found))
}

/// Of side 1, tension 1 and density 1; bending does not matter.
fn drum(setup: &Setup) -> Result<(Specimen, Vec<Mode>), Failure> {
    let cells = setup.pick(40, 16);
    // In material coordinates the tension is S = Y (l² − 1)/2 for the stretch l, which is so small that all
    // models mean the same by strain.
    let stretch: f64 = 1.0001;
    let stiffness = 2.0 / (stretch * stretch - 1.0);
    let fabric = Fabric { bend_weft: 1e-7, bend_warp: 1e-7, ..fabric(stiffness, 1.0) };
    let place = |p: DVec2| DVec3::new(p.x, 0.0, -p.y) * stretch;
    let mesh = setup.mesh.rectangle([1.0; 2], [cells; 2], |_| false);
    let mut drum = Specimen::new(setup.model, mesh, fabric, place);
    drum.hold(Constraint::Fixed, |p| p.abs().max_element() > 0.5 - NEAR);
    let found = modes_of(&drum, DVec3::Y)?;
    Ok((drum, found))
}

fn draw(setup: &Setup, _: &[Row]) -> Result<Vec<Picture>, Failure> {
    let shapes =
        |title: &str, found: &(Specimen, Vec<Mode>), axis: DVec3, exact: &dyn Fn(usize) -> f64| {
            let (specimen, modes) = found;
            let uv = &specimen.cloth.mesh.uv;
            let low = uv.iter().map(|p| p.x).fold(f64::INFINITY, f64::min);
            let edge = uv.iter().map(|p| p.y).fold(0.0, f64::max);
            let mut plot = Plot::new(title).x("s/L").y("amplitude");
            for (k, mode) in modes.iter().enumerate() {
                let mut line: Vec<(f64, f64)> = specimen
                    .vertices(|p| p.y > edge - NEAR)
                    .iter()
                    .map(|v| (uv[*v as usize].x - low, mode.shape[*v as usize].dot(axis)))
                    .collect();
                line.sort_by(|a, b| a.0.total_cmp(&b.0));
                let end = line.last().map_or(1.0, |p| p.1);
                line.iter_mut().for_each(|p| p.1 /= end);
                let omega = mode.value.sqrt();
                plot = plot.line(format!("ω = {omega:.3} (exact {:.3})", exact(k + 1)), &line);
            }
            plot
        };
    let hanging = shapes("Hanging ribbon", &ribbon(setup)?, DVec3::Z, &hanging_chain);
    let strip = shapes("Cantilever strip", &strip(setup)?, DVec3::Y, &|n| {
        cantilever_root(n) * cantilever_root(n)
    });
    Ok(vec![Picture::new(
        "lab-modes",
        "The three slowest vibrations of a ribbon that hangs (left, s from its upper end) and of a strip that \
         is clamped (right), both scaled to one at the free end.",
        &Figure::row([hanging, strip]),
    )])
}
