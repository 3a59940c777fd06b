//! Kawabata's instruments for tension, shear and bending (KES-F): slow loops of a specimen.
//!
//! - **Tension**: a strip 20 cm wide and 5 cm long is pulled to 500 gf/cm and let back. EM is the strain there, WT the
//!   work, LT = WT/(½ T_m EM) the linearity, RT the part of the work that comes back.
//! - **Shear**: the same strip under 10 gf/cm; one clamp moves sideways to +8°, −8° and back. The force per width, less
//!   the share W tan φ of the tension that leans over, has the slope G between 0.5° and 5° (mean of both branches and
//!   both sides) and the widths 2HG at 0.5° and 2HG5 at 5°. It is read over the middle half of the clamp: the free sides
//!   carry no shear, which makes the reading of a stiff fabric some per cent too low over all of it.
//! - **Bending**: a strip 1 cm long is bent as an arc to ±2.5/cm. The moment has the slope B between 0.5/cm and 1.5/cm
//!   and the width 2HB at 1/cm [kawabata1980].
//!
//! Tension and shear are equilibria of a meshed specimen with friction in every triangle
//! ([`Sheet::with_loops`]), kept flat. Bending is that of a meshed strip of [`Bend::Morley`]; its friction is that of
//! the homogeneous strip, one slider of limit 2HB/2 over the curvature, because moments over edges have none.
//!
//! Limits: no wrinkles of the sheared specimen, no creep, no rate.

use super::Failure;
use glam::{DVec2, DVec3};
use toile::fabric::kes::KES_MAX_TENSION;
use toile_mesh::shape::{Diagonals, grid};
use toile_mesh::{Topology, TriMesh};
use toile_sim::element::viscosity::Friction;
use toile_sim::fabric::BENDING_TRANSITION;
use toile_sim::linear::Constraint;
use toile_sim::sheet::{Bend, Clamp, Sheet, Stretch};
use toile_sim::statics::{Equilibrium, Statics};
use toile_sim::{Cloth, Fabric};

/// Width and length of a specimen for tension and shear [m].
const STRIP: [f64; 2] = [0.2, 0.05];
/// Width and length of a specimen for bending [m].
const ARC: [f64; 2] = [0.02, 0.01];
/// Largest strain of the tensile test; what gives more than that never comes to 500 gf/cm.
const WIDEST: f64 = 1.0;
/// Largest angle of the shear test [°], and tension during it [N/m]: 10 gf/cm.
pub(super) const LAST_ANGLE: f64 = 8.0;
const SHEAR_TENSION: f64 = 9.80665;
/// Largest curvature of the bending test [1/m].
pub(super) const LAST_CURVATURE: f64 = 250.0;
/// The course of a test: up from rest, down to the other side, up again, in parts of its largest value.
pub(super) const CYCLE: [(f64, f64); 3] = [(0.0, 1.0), (1.0, -1.0), (-1.0, 1.0)];
/// When two lengths are the same [m].
const NEAR: f64 = 1e-9;

/// A direction of the fabric.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Along {
    /// Weft, +u.
    Weft,
    /// Warp, +v.
    Warp,
}

impl Along {
    /// Both.
    pub const BOTH: [Self; 2] = [Self::Weft, Self::Warp];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Weft => "weft",
            Self::Warp => "warp",
        }
    }
}

/// A loop, point by point: strain, angle [rad] or curvature [1/m], and force [N/m] or moment [N].
pub type Loop = Vec<(f64, f64)>;

/// Figures of the tensile test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tensile {
    /// Strain at 500 gf/cm.
    pub em: f64,
    /// Linearity.
    pub lt: f64,
    /// Work to there [J/m²].
    pub wt: f64,
    /// Part of it that comes back.
    pub rt: f64,
}

/// Figures of the shear test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shear {
    /// Slope [N/m per rad].
    pub g: f64,
    /// Width at 0.5° [N/m].
    pub hg: f64,
    /// Width at 5° [N/m].
    pub hg5: f64,
}

/// Figures of the bending test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bending {
    /// Slope [N·m].
    pub b: f64,
    /// Width at 1/cm [N].
    pub hb: f64,
}

/// How fine a test is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fineness {
    /// Cells along the specimen.
    pub cells: usize,
    /// Points of each branch of a loop.
    pub points: usize,
}

impl Default for Fineness {
    fn default() -> Self {
        Self { cells: 4, points: 30 }
    }
}

/// A strip between two clamps: `along` runs from one to the other.
struct Rig {
    sheet: Sheet,
    solver: Equilibrium,
    x: Vec<DVec3>,
    rest: Vec<DVec2>,
    held: Vec<(u32, Constraint)>,
    load: Vec<DVec3>,
    moving: Vec<u32>,
    gradient: Vec<DVec3>,
}

impl Rig {
    fn new(fabric: &Fabric, along: Along, fineness: Fineness) -> Result<Self, Failure> {
        let [width, length] = STRIP;
        let across = fineness.cells * 3;
        let turned = along == Along::Weft;
        // The pull is along +v of the strip; for the weft, material axes are turned.
        let mut mesh = grid(width, length, across, fineness.cells, Diagonals::Alternating);
        let rest: Vec<DVec2> = mesh.uv.clone();
        if turned {
            mesh.uv.iter_mut().for_each(|p| *p = DVec2::new(p.y, -p.x));
        }
        let x: Vec<DVec3> = rest.iter().map(|p| DVec3::new(p.x, p.y, 0.0)).collect();
        mesh.positions.clone_from(&x);
        let cloth = Cloth {
            name: "strip".into(),
            mesh,
            grid: None,
            fabric: fabric.clone(),
            pieces: Vec::new(),
        };
        let sheet = Sheet::with_loops(std::slice::from_ref(&cloth), Bend::None, &[])?;
        // Sliders that just hold or just slip go back and forth below this.
        let statics = Statics { tolerance: 1e-7, max_iterations: 400 };
        let solver = Equilibrium::new(statics, &sheet)?;
        let n = x.len();
        let end = 0.5 * length - NEAR;
        let number = |which: &dyn Fn(f64) -> bool| -> Vec<u32> {
            (0..n as u32).filter(|v| which(rest[*v as usize].y)).collect()
        };
        let moving = number(&|y| y > end);
        let mut held: Vec<(u32, Constraint)> =
            (0..n as u32).map(|v| (v, Constraint::Plane(DVec3::Z))).collect();
        let fixed = number(&|y| y.abs() > end);
        held.extend(fixed.into_iter().map(|v| (v, Constraint::Fixed)));
        Ok(Self {
            sheet,
            solver,
            x,
            rest,
            held,
            load: vec![DVec3::ZERO; n],
            moving,
            gradient: vec![DVec3::ZERO; n],
        })
    }

    /// Puts the moving clamp to its place at rest plus a step [m], all others in proportion from where they were.
    fn place(&mut self, from: DVec2, to: DVec2) {
        let half = 0.5 * STRIP[1];
        for (x, rest) in self.x.iter_mut().zip(&self.rest) {
            let part = (rest.y + half) / (2.0 * half);
            let step = (to - from) * part;
            *x += DVec3::new(step.x, step.y, 0.0);
        }
        for v in &self.moving {
            let p = self.rest[*v as usize] + to;
            self.x[*v as usize] = DVec3::new(p.x, p.y, 0.0);
        }
    }

    /// Lets a tension [N/m] pull at the moving clamp, which can then only move along the pull.
    fn hang(&mut self, tension: f64) {
        let share = tension * STRIP[0] / (self.moving.len() as f64 - 1.0);
        for v in &self.moving {
            // The vertices at the corners have half a cell.
            let inner = self.rest[*v as usize].x.abs() < 0.5 * STRIP[0] - NEAR;
            self.load[*v as usize] = DVec3::Y * share * if inner { 1.0 } else { 0.5 };
            self.held.push((*v, Constraint::Line(DVec3::Y)));
        }
    }

    /// Moves the moving clamp sideways by a step [m], all others in proportion.
    fn slide(&mut self, step: f64) {
        let length = STRIP[1];
        for (x, rest) in self.x.iter_mut().zip(&self.rest) {
            x.x += step * (rest.y / length + 0.5);
        }
    }

    /// Mean distance of the clamps [m].
    fn gap(&self) -> f64 {
        let sum: f64 = self.moving.iter().map(|v| self.x[*v as usize].y).sum();
        sum / self.moving.len() as f64 + 0.5 * STRIP[1]
    }

    /// Settles; the force of the moving clamp per width [N/m].
    fn force(&mut self) -> Result<DVec2, Failure> {
        self.settle()?;
        Ok(self.pull(&self.moving) / STRIP[0])
    }

    /// Settles; the same over the middle half of the clamp, where the free sides are far away.
    fn force_in_the_middle(&mut self) -> Result<DVec2, Failure> {
        self.settle()?;
        let inner = |v: &u32| self.rest[*v as usize].x.abs() < 0.25 * STRIP[0] + NEAR;
        let middle: Vec<u32> = self.moving.iter().copied().filter(inner).collect();
        let cell = STRIP[0] / (self.moving.len() as f64 - 1.0);
        Ok(self.pull(&middle) / (cell * middle.len() as f64))
    }

    fn settle(&mut self) -> Result<(), Failure> {
        self.solver.settle(&mut self.sheet, &self.load, &self.held, &mut self.x)?;
        self.sheet.gradient(&self.x, &mut self.gradient);
        Ok(())
    }

    fn pull(&self, at: &[u32]) -> DVec2 {
        let sum: DVec3 = at.iter().map(|v| self.gradient[*v as usize]).sum();
        DVec2::new(sum.x, sum.y)
    }
}

/// Pulls a strip to 500 gf/cm and lets it back.
///
/// # Errors
/// If no equilibrium is found, or the fabric does not come to that tension.
pub fn tensile(
    fabric: &Fabric,
    along: Along,
    fineness: Fineness,
) -> Result<(Loop, Tensile), Failure> {
    let mut rig = Rig::new(fabric, along, fineness)?;
    let curve = if along == Along::Weft { &fabric.weft_curve } else { &fabric.warp_curve };
    let stiffness = if along == Along::Weft { fabric.weft } else { fabric.warp };
    let guess = match curve.last() {
        Some([strain, tension]) => strain * KES_MAX_TENSION / tension,
        None => KES_MAX_TENSION / stiffness,
    };
    if guess > WIDEST {
        return Err(Failure::Unreachable("500 gf/cm"));
    }
    let at = |strain: f64| DVec2::new(0.0, strain * STRIP[1]);
    let mut path: Loop = vec![(0.0, 0.0)];
    let (mut strain, step) = (0.0, guess / fineness.points as f64);
    loop {
        let begin = rig.x.clone();
        let mut next = strain + step;
        rig.place(at(strain), at(next));
        let mut tension = rig.force()?.y;
        if tension >= KES_MAX_TENSION {
            // The end of the test, by secants from the step before; sliders wait.
            let (mut low, mut high) = ((strain, path.last().map_or(0.0, |p| p.1)), (next, tension));
            for _ in 0..30 {
                next = low.0 + (KES_MAX_TENSION - low.1) * (high.0 - low.0) / (high.1 - low.1);
                rig.x.clone_from(&begin);
                rig.place(at(strain), at(next));
                tension = rig.force()?.y;
                if (tension / KES_MAX_TENSION - 1.0).abs() < 1e-6 {
                    break;
                }
                *(if tension < KES_MAX_TENSION { &mut low } else { &mut high }) = (next, tension);
            }
        }
        rig.sheet.update_sliders(&rig.x);
        path.push((next, tension));
        strain = next;
        if tension >= KES_MAX_TENSION * (1.0 - 1e-6) {
            break;
        }
        if strain > 2.0 * WIDEST {
            return Err(Failure::Unreachable("500 gf/cm"));
        }
    }
    let (em, top) = (strain, path.len());
    // Where the loop turns, steps are small.
    let turn = [0.001, 0.002, 0.003, 0.004, 0.005, 0.0075, 0.01];
    let back = (1..=fineness.points).map(|k| 1.0 - k as f64 / fineness.points as f64);
    for part in turn.into_iter().map(|t| 1.0 - t).chain(back.filter(|p| *p < 0.99 - NEAR)) {
        rig.place(at(strain), at(em * part));
        let tension = rig.force()?.y;
        rig.sheet.update_sliders(&rig.x);
        strain = em * part;
        path.push((strain, tension));
    }
    let area = |p: &[(f64, f64)]| -> f64 {
        p.windows(2).map(|w| 0.5 * (w[0].1 + w[1].1) * (w[1].0 - w[0].0)).sum()
    };
    let wt = area(&path[..top]);
    let rt = -area(&path[top - 1..]) / wt;
    Ok((path, Tensile { em, lt: wt / (0.5 * KES_MAX_TENSION * em), wt, rt }))
}

/// Shears a strip to ±8° and back.
///
/// # Errors
/// If no equilibrium is found.
pub fn shear(fabric: &Fabric, along: Along, fineness: Fineness) -> Result<(Loop, Shear), Failure> {
    let path = lean(fabric, along, fineness, &CYCLE)?;
    let figures = shear_figures(&path, fineness);
    Ok((path, figures))
}

/// The figures of a loop of shear.
pub(super) fn shear_figures(path: &[(f64, f64)], fineness: Fineness) -> Shear {
    // The first pull from rest is no part of the loop.
    let quarter = fineness.points;
    let cycle = path[quarter - 1..].to_vec();
    let down = &cycle[..=2 * quarter];
    let up = &cycle[2 * quarter..];
    let width = |degrees: f64| -> f64 {
        let a = f64::to_radians(degrees);
        0.5 * ((read(up, a) - read(down, a)) + (read(up, -a) - read(down, -a)))
    };
    let slope = |branch: &[(f64, f64)], sign: f64| {
        let [a, b] = [0.5, 5.0].map(|d: f64| sign * d.to_radians());
        (read(branch, b) - read(branch, a)) / (b - a)
    };
    let g = [up, down].iter().flat_map(|b| [slope(b, 1.0), slope(b, -1.0)]).sum::<f64>() / 4.0;
    Shear { g, hg: width(0.5), hg5: width(5.0) }
}

/// Shear force over angle along stretches of the test, in parts of its largest angle.
fn lean(
    fabric: &Fabric,
    along: Along,
    fineness: Fineness,
    stretches: &[(f64, f64)],
) -> Result<Loop, Failure> {
    let mut rig = Rig::new(fabric, along, fineness)?;
    rig.hang(SHEAR_TENSION);
    let (mut path, mut before) = (Loop::new(), 0.0);
    let n = fineness.points;
    for &(from, to) in stretches {
        let steps = n * f64::abs(to - from) as usize;
        for k in 1..=steps {
            let part = from + (to - from) * k as f64 / steps as f64;
            let sideways = STRIP[1] * libm::tan((part * LAST_ANGLE).to_radians());
            rig.slide(sideways - before);
            before = sideways;
            let force = rig.force_in_the_middle()?;
            rig.sheet.update_sliders(&rig.x);
            let lean = sideways / rig.gap();
            path.push((libm::atan(lean), force.x - force.y * lean));
        }
    }
    Ok(path)
}

/// Shears a strip from rest to 8°.
///
/// # Errors
/// If no equilibrium is found.
pub fn shear_from_rest(fabric: &Fabric, along: Along, fineness: Fineness) -> Result<Loop, Failure> {
    lean(fabric, along, fineness, &CYCLE[..1])
}

/// Bends a strip to ±2.5/cm and back.
///
/// # Errors
/// If no equilibrium is found.
pub fn bending(
    fabric: &Fabric,
    along: Along,
    fineness: Fineness,
) -> Result<(Loop, Bending), Failure> {
    let width = if along == Along::Weft {
        fabric.bend_hysteresis_weft
    } else {
        fabric.bend_hysteresis_warp
    };
    let friction =
        (width > 0.0).then(|| Friction::of_width(width, BENDING_TRANSITION)).transpose()?;
    let mut slider_positions = friction.as_ref().map(Friction::at_rest).unwrap_or_default();
    let mut path = Loop::new();
    let n = fineness.points;
    // Friction apart, a curvature has one moment, and the other side is its mirror image.
    let elastic: Vec<f64> = (0..=n)
        .map(|k| bend(fabric, along, fineness, LAST_CURVATURE * k as f64 / n as f64))
        .collect::<Result<_, _>>()?;
    for (from, to) in CYCLE {
        let steps = n * f64::abs(to - from) as usize;
        for k in 1..=steps {
            let part = from + (to - from) * k as f64 / steps as f64;
            let curvature = LAST_CURVATURE * part;
            let mut moment = part.signum() * elastic[(part.abs() * n as f64).round() as usize];
            if let Some(friction) = &friction {
                friction.slide(curvature, &mut slider_positions);
                moment += friction.evaluate(curvature, &slider_positions)[1];
            }
            path.push((curvature, moment));
        }
    }
    let figures = bending_figures(&path, fineness);
    Ok((path, figures))
}

/// The figures of a loop of bending.
pub(super) fn bending_figures(path: &[(f64, f64)], fineness: Fineness) -> Bending {
    let n = fineness.points;
    let cycle = &path[n - 1..];
    let (down, up) = (&cycle[..=2 * n], &cycle[2 * n..]);
    let both = |f: &dyn Fn(f64) -> f64| 0.5 * (f(1.0) + f(-1.0));
    let b = both(&|sign| {
        let slope =
            |p: &[(f64, f64)]| (read(p, sign * 150.0) - read(p, sign * 50.0)) / (sign * 100.0);
        0.5 * (slope(up) + slope(down))
    });
    let hb = both(&|sign| read(up, sign * 100.0) - read(down, sign * 100.0));
    Bending { b, hb }
}

/// Moment per width [N] of a strip bent between two clamps that turn.
fn bend(fabric: &Fabric, along: Along, fineness: Fineness, curvature: f64) -> Result<f64, Failure> {
    let [width, length] = ARC;
    // At 2.5/cm a cell turns by less than 12°.
    let along_it = 6 * fineness.cells;
    let mut mesh = grid(width, length, fineness.cells, along_it, Diagonals::Alternating);
    let rest: Vec<DVec2> = mesh.uv.clone();
    if along == Along::Weft {
        mesh.uv.iter_mut().for_each(|p| *p = DVec2::new(p.y, -p.x));
    }
    // An arc of chords that keep their length: points on the arc itself would press the strip together.
    let step = length / along_it as f64;
    let tangent = |s: f64| DVec2::new(libm::cos(curvature * s), libm::sin(curvature * s));
    let mut chain = vec![DVec2::ZERO];
    for k in 0..along_it {
        let middle = (k as f64 + 0.5) * step - 0.5 * length;
        chain.push(chain[k] + tangent(middle) * step);
    }
    let mut x: Vec<DVec3> = rest
        .iter()
        .map(|p| {
            let at = chain[((p.y + 0.5 * length) / step).round() as usize];
            DVec3::new(p.x, at.x, at.y)
        })
        .collect();
    mesh.positions.clone_from(&x);
    let (clamps, ends) = clamp_ends(&mesh, &rest, &x, tangent);
    let cloth = Cloth {
        name: "strip".into(),
        mesh,
        grid: None,
        fabric: fabric.clone(),
        pieces: Vec::new(),
    };
    let mut sheet = Sheet::new(std::slice::from_ref(&cloth), Stretch::Stvk, Bend::Morley, &clamps)?;
    // An arc of chords is almost at rest, and on a coarse mesh near an instability: what creeps below this has no
    // effect on the moment.
    let statics = Statics { tolerance: 1e-6, max_iterations: 200 };
    let mut solver = Equilibrium::new(statics, &sheet)?;
    let load = vec![DVec3::ZERO; x.len()];
    solver.settle(&mut sheet, &load, &ends, &mut x)?;
    // The moment of a clamped edge is what the energy changes by with its angle.
    let mut moments = Vec::new();
    let Some(own) = sheet.moments_of_mut(0) else {
        return Err(Failure::NoConvergence("the moment of a clamp"));
    };
    own.moments(&x, &mut moments);
    let upper: f64 = own
        .creases()
        .iter()
        .zip(&moments)
        .filter(|(c, _)| c.is_clamped())
        .map(|(_, m)| m.abs())
        .sum();
    // Both clamps are in the sum.
    Ok(curvature.signum() * 0.5 * upper / width)
}

/// Clamps at both ends of a strip, and the vertices they hold.
fn clamp_ends(
    mesh: &TriMesh,
    rest: &[DVec2],
    x: &[DVec3],
    tangent: impl Fn(f64) -> DVec2,
) -> (Vec<Clamp>, Vec<(u32, Constraint)>) {
    let end = 0.5 * ARC[1] - NEAR;
    let at_end = |v: u32| rest[v as usize].y.abs() > end;
    let topology = Topology::new(x.len(), &mesh.triangles);
    let clamps = topology
        .edges
        .iter()
        .filter(|e| e.is_boundary() && e.vertices.into_iter().all(at_end))
        .map(|e| {
            let [a, b] = e.vertices.map(|v| x[v as usize]);
            let s = rest[e.vertices[0] as usize].y;
            let out = tangent(s) * s.signum() * ARC[1];
            Clamp {
                cloth: 0,
                edge: e.vertices,
                point: 0.5 * (a + b) + DVec3::new(0.0, out.x, out.y),
            }
        })
        .collect();
    let held = (0..x.len() as u32).filter(|v| at_end(*v)).map(|v| (v, Constraint::Fixed)).collect();
    (clamps, held)
}

/// The value of a branch at `x`, between its points.
fn read(branch: &[(f64, f64)], x: f64) -> f64 {
    let inside = |w: &&[(f64, f64)]| (w[0].0 - x) * (w[1].0 - x) <= 0.0 && w[0].0 != w[1].0;
    match branch.windows(2).find(inside) {
        Some(w) => w[0].1 + (x - w[0].0) * (w[1].1 - w[0].1) / (w[1].0 - w[0].0),
        None => f64::NAN,
    }
}

#[cfg(test)]
mod tests;
