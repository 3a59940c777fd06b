//! A curtain swings from a rod, without wind: how much of its energy each rule of time keeps.
//!
//! `cargo run --release -p toile-lab --example rules -- 4 0.01 docs/images/rules.svg` prints the energy every tenth of a second, in parts of
//! what it can lose until it hangs still, and draws it.

#![allow(clippy::print_stdout, reason = "an example prints what it measured")]

use glam::{DQuat, DVec3};
use toile_lab::plot::Plot;
use toile_mesh::shape::{Diagonals, grid};
use toile_sim::barrier::Rule;
use toile_sim::{Cloth, Fabric, Motion, Pin, Preset, Surroundings, World};

/// A curtain 0.6 m wide and 0.8 m long, held at its upper edge, drawn 40° to the side.
fn curtain(rule: Rule, step: f64) -> World {
    let (width, length, cells) = (0.6, 0.8, [12, 16]);
    let mesh = grid(width, length, cells[0], cells[1], Diagonals::Alternating);
    let upper = |p: &DVec3| p.z < -0.5 * length + 1e-9;
    let vertices: Vec<u32> =
        (0..mesh.positions.len() as u32).filter(|v| upper(&mesh.positions[*v as usize])).collect();
    let turn = DQuat::from_rotation_x(0.5 * std::f64::consts::PI - 0.7);
    let mesh = mesh.map_positions(|p| turn * (p + DVec3::Z * 0.5 * length));
    let pin = Pin { vertices, motion: Motion::Still, until: f64::INFINITY };
    let cloth = Cloth {
        name: "curtain".into(),
        mesh,
        grid: Some(cells),
        fabric: Fabric::default(),
        pieces: Vec::new(),
    };
    let surroundings = Surroundings { pins: vec![pin], ..Surroundings::default() };
    let mut settings = Preset::Toile.settings();
    settings.step = step;
    settings.barrier.rule = rule;
    // How exactly steps are found: `DECREMENT=1e-6`.
    if let Some(decrement) = std::env::var("DECREMENT").ok().and_then(|d| d.parse().ok()) {
        settings.barrier.decrement = decrement;
        settings.barrier.speed = 1e-3 * decrement;
    }
    World::new(vec![cloth], surroundings, settings).expect("a world")
}

fn main() {
    let number = |n: usize| std::env::args().nth(n).and_then(|a| a.parse().ok());
    let (seconds, step): (f64, f64) = (number(1).unwrap_or(4.0), number(2).unwrap_or(0.01));
    let rules = [Rule::Euler, Rule::Bdf2, Rule::Midpoint];
    // As low as it can get: at rest.
    let mut hanging = curtain(Rule::QuasiStatic, step);
    for _ in 0..200 {
        hanging.step().expect("a step");
    }
    let rest = hanging.energy().elastic + hanging.energy().potential;
    let mut worlds: Vec<World> = rules.iter().map(|r| curtain(*r, step)).collect();
    let begin = worlds[0].energy().total() - rest;
    let mut touched = rules.map(|_| 0);
    let mut curves = rules.map(|_| Vec::new());
    println!("time [s], {}", rules.map(Rule::name).join(", "));
    let per = (0.1 / step).round() as u64;
    for n in 0..=(seconds / step).round() as u64 {
        if n % per == 0 {
            let time = n as f64 * step;
            let kept = worlds.iter_mut().map(|w| (w.energy().total() - rest) / begin);
            let kept: Vec<f64> = kept.collect();
            curves.iter_mut().zip(&kept).for_each(|(curve, kept)| curve.push((time, *kept)));
            let kept: Vec<String> = kept.iter().map(|k| format!("{k:.4}")).collect();
            println!("{time:.1}, {}", kept.join(", "));
        }
        for (world, touched) in worlds.iter_mut().zip(&mut touched) {
            *touched += u32::from(world.step().expect("a step").contacts > 0);
        }
    }
    println!("steps with contacts: {touched:?}");
    let ends = curves.each_ref().map(|c| c.last().map_or(0.0, |(_, kept)| *kept));
    assert!(ends[1] > ends[0] && ends[2] > ends[0], "Euler loses most");
    if let Some(file) = std::env::args().nth(3) {
        let plot = Plot::new("A curtain swings").x("time [s]").y("energy that is left");
        let named = rules.iter().zip(&curves);
        let plot = named.fold(plot, |plot, (rule, curve)| plot.line(rule.name(), curve));
        std::fs::write(file, plot.to_svg()).expect("a file");
    }
}
