//! Loads at which a straight strip gives way: Euler's column and the strip on edge.
//!
//! Below the critical load every small motion is resisted. The softest motion about the straight state
//! is found from the exact tangent ([`super::modes`]); its stiffness falls to zero at the critical load,
//! which is extrapolated from below.

use super::exact::{clamped_pinned_root, lateral_buckling};
use super::modes;
use super::specimen::{NEAR, Specimen, fabric, on_all_meshes};
use super::{Compare, Failure, Model, Picture, Reading, Row, Setup, Test};
use crate::plot::{Figure, Plot};
use glam::{DVec2, DVec3};
use std::f64::consts::SQRT_2;
use toile_sim::linear::Constraint;
use toile_sim::sheet::Bend;

pub(super) const EULER: Test = Test {
    id: "buckling",
    title: "Euler buckling",
    about: "A strip clamped at one end and pinned at the other is pressed along its length until it \
            gives way sideways.",
    formula: "P L²/B = k² with tan k = k: 20.1907 (Euler). The load at which the softest motion \
              about the straight strip has no stiffness.",
    compare: Compare::Bending,
    run: run_euler,
    draw: |_, _| Ok(Vec::new()),
};

pub(super) const LATERAL: Test = Test {
    id: "lateral",
    title: "Lateral buckling",
    about: "A strip stands on edge, clamped at one end, and carries its own weight until it falls \
            sideways: bending and twist at once.",
    formula: "σ g L³/B = 12.8538 √2 = 18.178 at ν = 0 and b/L → 0, from β″ = −¼ λ² s⁴ β (Michell \
              1899, Prandtl 1899). Extrapolated from b/L = 0.1 and 0.05.",
    compare: Compare::Bending,
    run: run_lateral,
    draw,
};

fn run_euler(setup: &Setup) -> Result<Vec<Reading>, Failure> {
    let (cells, tolerance) = setup.pick((40, 0.01), (20, 0.02));
    let exact = clamped_pinned_root() * clamped_pinned_root();
    let load = critical(exact, 1.0, |load| stiffness_pressed(setup, load, cells))?;
    Ok(vec![Reading::new("P L²/B", load, exact, tolerance)])
}

/// λ of the softest motion of a strip pressed by a force per width.
fn stiffness_pressed(setup: &Setup, load: f64, cells: usize) -> Result<f64, Failure> {
    const STIFFNESS: f64 = 1e6;
    // Pressed evenly: P = Y l (1 − l²)/2 for the length l. Three steps of Newton's method are enough.
    let mut length = 1.0 - load / STIFFNESS;
    for _ in 0..3 {
        let force = 0.5 * STIFFNESS * length * (1.0 - length * length);
        length += (force - load) / (0.5 * STIFFNESS * (3.0 * length * length - 1.0));
    }
    let place = |p: DVec2| DVec3::new(length * p.x, 0.0, -p.y);
    let size = [cells, (cells / 5).max(2)];
    let mut strip = Specimen::clamped_strip(setup, [1.0, 0.2], size, fabric(STIFFNESS, 1.0), place);
    strip.hold(Constraint::Fixed, |p| p.x > 1.0 - NEAR);
    let held = across(&strip, DVec3::Y);
    let mut sheet = strip.sheet()?;
    Ok(modes::lowest(&mut sheet, &strip.x, &strip.areas(), &held, 1)?[0].value)
}

/// All vertices may move along a direction only, those that are held not at all.
fn across(specimen: &Specimen, direction: DVec3) -> Vec<(u32, Constraint)> {
    let free = (0..specimen.x.len() as u32).map(|v| (v, Constraint::Line(direction)));
    free.chain(specimen.held.iter().copied()).collect()
}

/// Widths of the strip on edge.
const WIDTHS: [f64; 2] = [0.1, 0.05];

fn run_lateral(setup: &Setup) -> Result<Vec<Reading>, Failure> {
    let (across, tolerance) = setup.pick((6, 0.02), (3, 0.04));
    let exact = SQRT_2 * lateral_buckling();
    let mut found = [0.0; 2];
    for (found, width) in found.iter_mut().zip(WIDTHS) {
        *found = critical(exact, 2.0, |gamma| stiffness_on_edge(setup, gamma, width, across))?;
    }
    // The clamp hinders the twist over a length like the width: an error of first order in it.
    let value = 2.0 * found[1] - found[0];
    Ok(vec![Reading::new("Γ", value, exact, tolerance)])
}

/// A strip on edge, bent in its plane by its weight, and its energy.
fn on_edge(
    setup: &Setup,
    gamma: f64,
    width: f64,
    across: usize,
) -> Result<(Specimen, toile_sim::sheet::Sheet), Failure> {
    // In its plane the strip is a thousand times stiffer, or it would sag before it falls.
    let stiffness = 1e5 / (width * width);
    let place = |p: DVec2| DVec3::new(p.x, p.y, 0.0);
    let cells = [(across as f64 / width) as usize, across];
    let mut strip =
        Specimen::clamped_strip(setup, [1.0, width], cells, fabric(stiffness, gamma), place);
    strip.load(DVec3::NEG_Y * gamma);
    let mut sheet = strip.sheet()?;
    let fixed = std::mem::take(&mut strip.held);
    strip.hold(Constraint::Plane(DVec3::Z), |_| true);
    strip.held.extend(&fixed);
    strip.settle(&mut sheet)?;
    strip.held = fixed;
    Ok((strip, sheet))
}

/// λ of the softest motion sideways.
fn stiffness_on_edge(setup: &Setup, gamma: f64, width: f64, cells: usize) -> Result<f64, Failure> {
    let (strip, mut sheet) = on_edge(setup, gamma, width, cells)?;
    let held = across(&strip, DVec3::Z);
    Ok(modes::lowest(&mut sheet, &strip.x, &strip.areas(), &held, 1)?[0].value)
}

/// The load at which a stiffness vanishes, given the stiffness at loads below. It falls like
/// 1 − (load/critical)^power, about.
fn critical(
    guess: f64,
    power: f64,
    mut stiffness: impl FnMut(f64) -> Result<f64, Failure>,
) -> Result<f64, Failure> {
    let raise = |load: f64| libm::pow(load, power);
    let mut first = 0.6 * guess;
    let mut low = None;
    for _ in 0..6 {
        match stiffness(first) {
            Ok(value) => {
                low = Some(value);
                break;
            }
            Err(Failure::Unstable) => first *= 0.5,
            Err(e) => return Err(e),
        }
    }
    let mut low = (raise(first), low.ok_or(Failure::Unstable)?);
    let mut next = 1.4 * first;
    let mut last = f64::INFINITY;
    for _ in 0..20 {
        let high = match stiffness(next) {
            Ok(value) => (raise(next), value),
            Err(Failure::Unstable) => {
                // Too far: halfway back.
                next = libm::pow(0.5 * (low.0 + raise(next)), 1.0 / power);
                continue;
            }
            Err(e) => return Err(e),
        };
        let fall = (low.1 - high.1) / (high.0 - low.0);
        if fall <= 0.0 {
            // Stiffer under more load: the critical one is further off.
            next = libm::pow(2.0 * high.0, 1.0 / power);
            low = high;
            continue;
        }
        let found = libm::pow(high.0 + high.1 / fall, 1.0 / power);
        if (found / last - 1.0).abs() < 1e-4 {
            return Ok(found);
        }
        last = found;
        // Nearly there, but from below, and not further at once than the line can be trusted.
        let nearly = 0.98 * raise(found) + 0.02 * high.0;
        next = libm::pow(nearly.min(2.0 * high.0), 1.0 / power);
        low = high;
    }
    Err(Failure::NoConvergence("the search for the critical load"))
}

fn draw(setup: &Setup, _: &[Row]) -> Result<Vec<Picture>, Failure> {
    let mut softening =
        Plot::new("Stiffness of the softest motion").x("Γ").y("stiffness, of that without weight");
    let exact = SQRT_2 * lateral_buckling();
    for bend in [Bend::Morley, Bend::Hinge] {
        for setup in on_all_meshes(setup) {
            let setup = Setup { model: Model { bend, ..Model::default() }, ..setup };
            let mut points = Vec::new();
            let mut none = 1.0;
            for k in 0..=20 {
                let gamma = 1e-3 + 2.0 * f64::from(k);
                let Ok(value) = stiffness_on_edge(&setup, gamma, WIDTHS[0], 4) else { break };
                if k == 0 {
                    none = value;
                }
                points.push((gamma, value / none));
            }
            softening = softening.line(format!("{}, {}", bend.name(), setup.mesh.name()), &points);
        }
    }
    // The branch: the strip is pushed a little to one side and followed.
    let mut branch =
        Plot::new("How far the end falls sideways").x("Γ").y("z of the end, in lengths");
    for setup in on_all_meshes(setup) {
        branch = branch.line(format!("morley, {}", setup.mesh.name()), &fallen(&setup)?);
    }
    let caption = format!(
        "A strip on edge, b/L = 0.1. Left: the stiffness of its softest motion falls to zero at the critical \
         weight, {exact:.2} for a narrow strip; hinges are too stiff in twist. Right: beyond it the \
         strip falls to one side (a push of a thousandth of the weight chooses which)."
    );
    Ok(vec![Picture::new("lab-lateral", &caption, &Figure::row([softening, branch]))])
}

/// Where the end is, over the weight.
fn fallen(setup: &Setup) -> Result<Vec<(f64, f64)>, Failure> {
    let mut points = Vec::new();
    let mut before: Option<Vec<DVec3>> = None;
    for gamma in [1.0, 5.0, 10.0, 14.0, 17.0, 18.0, 19.0, 20.0, 22.0, 25.0, 30.0, 40.0] {
        let (mut strip, _) = on_edge(setup, gamma, WIDTHS[0], 4)?;
        let mut sheet = strip.sheet()?;
        strip.load(DVec3::new(0.0, -gamma, 1e-3 * gamma));
        if let Some(x) = before.take() {
            strip.x = x;
        }
        // Near the critical weight the strip creeps to its place; for a picture this is near enough.
        strip.settle_to(1e-6, 1000, &mut sheet)?;
        points.push((gamma, strip.mean(&strip.vertices(|p| p.x > 1.0 - NEAR)).z));
        before = Some(strip.x);
    }
    Ok(points)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_critical_load_is_found_from_below_even_from_a_bad_guess() {
        for (guess, power) in [(1.0, 1.0), (3.0, 1.0), (0.3, 2.0), (9.0, 2.0)] {
            let stiffness =
                |load: f64| match 1.0 - libm::pow(load / 1.3, power) * (1.0 + 0.1 * load) {
                    s if s > 0.0 => Ok(s),
                    _ => Err(Failure::Unstable),
                };
            let found = critical(guess, power, stiffness).unwrap();
            let left = 1.0 - libm::pow(found / 1.3, power) * (1.0 + 0.1 * found);
            assert!(left.abs() < 1e-3, "{guess} {power} {found} {left}");
        }
    }
}
