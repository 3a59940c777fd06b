//! A strip clamped at one end hangs under its own weight: the master curve of bending.

use super::exact::Cantilever;
use super::specimen::{Specimen, fabric};
use super::{Compare, Failure, Mesh, Model, Picture, Reading, Row, Setup, Test};
use crate::plot::{Figure, Plot};
use glam::{DVec2, DVec3};
use toile_sim::sheet::{Bend, Stretch};

pub(super) const TEST: Test = Test {
    id: "cantilever",
    title: "Cantilever",
    about: "A strip clamped level at one end hangs under its own weight. How deep its end hangs, \
            for each unit that it reaches out, depends on one number alone.",
    formula: "Γ = σ g L³/B; θ″ = −Γ (1 − s) cos θ, θ(0) = 0, θ′(1) = 0, solved by shooting. \
              Inextensible strip (Peirce 1930; Romero et al. 2021).",
    compare: Compare::Bending,
    run,
    draw,
};

/// Weights at which the strip is measured.
const GAMMAS: [f64; 5] = [0.1, 1.0, 10.0, 100.0, 1000.0];
/// Width of the strip in lengths.
const WIDTH: f64 = 0.25;

fn run(setup: &Setup) -> Result<Vec<Reading>, Failure> {
    let (cells, tolerance) = setup.pick((40, 0.01), (20, 0.06));
    let weights: &[f64] = setup.pick(&GAMMAS, &GAMMAS[..4]);
    weights
        .iter()
        .map(|gamma| {
            let name = format!("H/W at Γ = {gamma}");
            let value = hang(setup, *gamma, cells)?;
            Ok(Reading::new(name, value, Cantilever::new(*gamma).ratio(), tolerance))
        })
        .collect()
}

/// H/W of a strip with `cells` along its length.
fn hang(setup: &Setup, gamma: f64, cells: usize) -> Result<f64, Failure> {
    // Stiff enough to be inextensible to a thousandth, not so stiff that coarse meshes lock.
    let stiffness = (1e3 * gamma).max(1e4);
    let across = (cells as f64 * WIDTH) as usize;
    let place = |p: DVec2| DVec3::new(p.x, 0.0, -p.y);
    let cells = [cells, across.max(2)];
    let fabric = fabric(stiffness, gamma);
    let mut strip = Specimen::clamped_strip(setup, [1.0, WIDTH], cells, fabric, place);
    strip.load(DVec3::NEG_Y * gamma);
    let mut sheet = strip.sheet()?;
    strip.settle(&mut sheet)?;
    let end = strip.mean(&strip.vertices(|p| p.x > 1.0 - 1e-6));
    Ok(-end.y / end.x)
}

fn draw(setup: &Setup, rows: &[Row]) -> Result<Vec<Picture>, Failure> {
    let curve: Vec<(f64, f64)> = (0..=60)
        .map(|k| libm::pow(10.0, -1.0 + k as f64 / 15.0))
        .map(|gamma| (gamma, Cantilever::new(gamma).ratio()))
        .collect();
    let mut master = Plot::new("Master curve of the cantilever")
        .x("Γ = σ g L³/B")
        .log_x()
        .y("H/W")
        .log_y()
        .line("exact", &curve);
    let mut errors = Plot::new("Error of each model")
        .x("Γ")
        .log_x()
        .y("error of H/W, on alternating diagonals")
        .log_y();
    let mut names: Vec<&str> = Vec::new();
    for row in rows {
        if !names.contains(&row.model.as_str()) {
            names.push(&row.model);
        }
    }
    for name in names {
        let of = |r: &&Row| r.model == name && r.mesh == Mesh::default().name();
        let known = || rows.iter().filter(of).filter_map(|r| Some((gamma_of(r)?, r)));
        let points: Vec<(f64, f64)> = known().map(|(gamma, r)| (gamma, r.value)).collect();
        let off: Vec<(f64, f64)> = known().map(|(gamma, r)| (gamma, r.error.abs())).collect();
        master = master.points(name, &points);
        errors = errors.line(name, &off);
    }
    let refined = refinement(setup);
    Ok(vec![
        Picture::new(
            "lab-cantilever",
            "How deep the strip hangs over its weight: the exact curve and the models.",
            &Figure::row([master, errors]),
        ),
        Picture::new(
            "lab-refinement",
            "The error at Γ = 10 while the mesh is refined. Morley bending goes to the exact value, up to \
             the stretch of the strip, which the exact one has not; hinges go to a wrong value; springs have no \
             rigidity to go to.",
            &Figure::row([refined]).panel_size(640.0, 400.0),
        ),
    ])
}

/// The weight of a row, from its name.
fn gamma_of(row: &Row) -> Option<f64> {
    row.name.rsplit(' ').next()?.parse().ok()
}

/// The error over the number of cells, of three models on two meshes.
fn refinement(setup: &Setup) -> Plot {
    let exact = Cantilever::new(10.0).ratio();
    let sizes: &[usize] = setup.pick(&[10, 20, 40, 80], &[8, 16]);
    let mut plot = Plot::new("Refinement at Γ = 10")
        .x("cells along the strip")
        .log_x()
        .y("error of H/W")
        .log_y();
    let models = [
        (Stretch::Stvk, Bend::Morley),
        (Stretch::Stvk, Bend::Hinge),
        (Stretch::Springs, Bend::Springs),
    ];
    for (stretch, bend) in models {
        for mesh in [Mesh::Alternating, Mesh::Delaunay] {
            let setup = Setup { model: Model { stretch, bend }, mesh, ..*setup };
            // A model that finds no rest is left out of the picture; the table says why.
            let errors: Vec<(f64, f64)> = sizes
                .iter()
                .filter_map(|n| {
                    Some((*n as f64, (hang(&setup, 10.0, *n).ok()? / exact - 1.0).abs()))
                })
                .collect();
            plot = plot.line(format!("{}, {}", bend.name(), mesh.name()), &errors);
        }
    }
    plot
}
