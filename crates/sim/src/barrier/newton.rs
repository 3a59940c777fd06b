//! Projected Newton on the incremental potential of a step.

use super::contact::{Contact, Gauge};
use super::friction::{self, Anchors, Rub};
use super::operator::{Bond, Coupled, add_bonds};
use super::pairs::{Kind, Near, Pairs};
use super::settings::Barrier;
use crate::body::Collider;
use crate::error::Error;
use crate::linear::cg::{self, End, Stop, Workspace};
use crate::linear::{BlockCsr, Constraint, Filter, Preconditioner};
use crate::model::Model;
use crate::sheet::Sheet;
use glam::{DMat3, DVec3};
use std::time::Instant;
use toile_collide::NotFinite;
use toile_collide::ccd::{Ccd, Filter as Sieve, Pair, Separation};

/// Share of the promised decrease that a step must bring.
const ENOUGH: f64 = 1e-4;
/// Halvings of a line search.
const HALVINGS: u32 = 16;
/// Part of its gap a pair keeps in an iteration …
const KEPT: f64 = 0.2;
/// … and part of the reach that pairs from farther away keep.
const ARRIVAL: f64 = 0.1;
/// Differences of energies below this part of the energy are rounding.
const ROUNDING: f64 = 1e-12;

/// What a step took.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Stepped {
    /// Iterations of Newton's method.
    pub iterations: u32,
    /// Iterations of conjugate gradients.
    pub linear_iterations: u32,
    /// Contacts at the end.
    pub contacts: u32,
    /// Smallest gap at the end, beyond the thickness [m]; infinite without contacts.
    pub gap: f64,
    /// Pairs whose distance was measured.
    pub tested: u64,
    /// Whether the iteration ended by itself.
    pub converged: bool,
    /// Seconds spent on finding pairs, on the elastic energy, on linear systems, on line searches.
    pub seconds: [f64; 4],
}

/// Where a step begins and what drives it.
pub(crate) struct Start<'a> {
    pub(crate) x: &'a [DVec3],
    pub(crate) v: &'a [DVec3],
    /// Accelerations by outer forces [m/s²].
    pub(crate) a: &'a [DVec3],
    pub(crate) t: f64,
    pub(crate) h: f64,
    /// Where held vertices are at the end of the step.
    pub(crate) held: &'a [(u32, DVec3)],
    /// What friction sticks to.
    pub(crate) anchors: &'a Anchors,
}

/// The solver with its memory.
#[derive(Debug)]
pub struct Solver {
    settings: Barrier,
    sheet: Sheet,
    masses: Vec<f64>,
    pairs: Pairs,
    gauge: Gauge,
    slip: f64,
    itself: bool,
    stiffness: BlockCsr,
    matrix: BlockCsr,
    preconditioner: Preconditioner,
    workspace: Workspace,
}

/// Everything that changes within a step.
struct Iterate<'a> {
    start: &'a Start<'a>,
    filter: Filter,
    /// Points of cloth and bodies at the begin of the step and now.
    y0: Vec<DVec3>,
    y: Vec<DVec3>,
    /// Where inertia alone would go.
    free: Vec<DVec3>,
    /// Part of the way that pins and bodies have gone.
    part: f64,
    pairs: Vec<Near>,
    rubs: Vec<Rub>,
}

impl Solver {
    /// A solver for cloths among bodies.
    pub(crate) fn new(
        settings: Barrier,
        sheet: Sheet,
        model: &Model,
        bodies: Vec<Collider>,
        (thickness, itself): (f64, bool),
        tree: toile_collide::Options,
    ) -> Result<Self, Error> {
        let pairs = Pairs::new(model, bodies, tree);
        let reach = if settings.reach > 0.0 { settings.reach } else { reach(model, thickness) };
        let heaviest = model.fabrics.iter().map(|f| f.density).fold(0.0, f64::max);
        let pressure =
            if settings.pressure > 0.0 { settings.pressure } else { 100.0 * 9.81 * heaviest };
        let gauge = Gauge::new(model, &pairs, settings.law, [reach, thickness, pressure]);
        let matrix = sheet.matrix();
        Ok(Self {
            slip: if settings.slip > 0.0 { settings.slip } else { 0.01 * reach },
            itself,
            masses: model.mass.clone(),
            pairs,
            gauge,
            stiffness: matrix.clone(),
            preconditioner: Preconditioner::new(settings.precondition, sheet.pattern())?,
            workspace: Workspace::new(sheet.vertices()),
            matrix,
            sheet,
            settings,
        })
    }

    /// The elastic energy.
    pub fn sheet_mut(&mut self) -> &mut Sheet {
        &mut self.sheet
    }

    /// Gap at which the barrier begins [m].
    pub fn reach(&self) -> f64 {
        self.gauge.reach
    }

    /// One step: positions and anchors at its end.
    pub(crate) fn step(
        &mut self,
        start: &Start<'_>,
    ) -> Result<(Vec<DVec3>, Anchors, Stepped), Failure> {
        let mut report = Stepped::default();
        let n = self.masses.len();
        self.pairs.advance(start.t, start.t + start.h);
        let mut y0 = vec![DVec3::ZERO; self.pairs.points()];
        y0[..n].copy_from_slice(start.x);
        self.pairs.place_bodies(0.0, &mut y0);
        let held: Vec<(u32, Constraint)> =
            start.held.iter().map(|(v, _)| (*v, Constraint::Fixed)).collect();
        let h = start.h;
        let mut it = Iterate {
            filter: Filter::new(n, &held).map_err(|e| Failure::Error(e.into()))?,
            free: (0..n).map(|i| start.x[i] + start.v[i] * h + start.a[i] * (h * h)).collect(),
            y: y0.clone(),
            y0,
            part: 0.0,
            pairs: Vec::new(),
            rubs: Vec::new(),
            start,
        };
        let distance = self.gauge.thickness + self.gauge.reach;
        let clock = Instant::now();
        let still = it.y.clone();
        report.tested += self.pairs.find(&still, &still, distance, self.itself, &mut it.pairs)?;
        report.seconds[0] += clock.elapsed().as_secs_f64();
        let mut first = 0.0;
        for iteration in 1..=self.settings.max_iterations {
            report.iterations = iteration;
            let moving = it.part < 1.0;
            let (d, slope) = self.direction(&mut it, &mut report)?;
            let fastest = d[..n].iter().map(|d| d.length()).fold(0.0, f64::max);
            if iteration == 1 {
                first = slope;
            }
            self.advance(&mut it, &d, slope, &mut report)?;
            let done =
                fastest <= self.settings.speed * h || slope <= self.settings.decrement * first;
            if !moving && done {
                report.converged = true;
                break;
            }
        }
        if it.part < 1.0 {
            return Err(Failure::Late { part: it.part });
        }
        let anchors = self.finish(&it, &mut report);
        it.y.truncate(n);
        Ok((it.y, anchors, report))
    }

    /// Counts contacts and finds what they will stick to.
    fn finish(&self, it: &Iterate<'_>, report: &mut Stepped) -> Anchors {
        let contacts = self.gauge.contacts(&it.pairs, &it.y);
        report.contacts = contacts.len() as u32;
        report.gap = contacts.iter().map(|c| c.gap).fold(f64::INFINITY, f64::min);
        let rubs: Vec<Rub> = contacts.iter().filter_map(|c| Rub::of(c, it.start.anchors)).collect();
        friction::anchors(&rubs, &it.y, &it.y0, self.slip)
    }

    /// Direction of all points, and the decrease of the potential it promises.
    fn direction(
        &mut self,
        it: &mut Iterate<'_>,
        report: &mut Stepped,
    ) -> Result<(Vec<DVec3>, f64), Failure> {
        let n = self.masses.len();
        let h2 = it.start.h * it.start.h;
        let clock = Instant::now();
        let x = &it.y[..n];
        let mut g = vec![DVec3::ZERO; n];
        self.sheet.gradient(x, &mut g);
        self.sheet.hessian(x, true, true, &mut self.stiffness);
        for i in 0..n {
            g[i] += (x[i] - it.free[i]) * (self.masses[i] / h2);
            let own = DMat3::from_diagonal(DVec3::splat(self.masses[i] / h2));
            self.stiffness.add(i as u32, i as u32, own);
        }
        report.seconds[1] += clock.elapsed().as_secs_f64();
        let contacts = self.gauge.contacts(&it.pairs, &it.y);
        // Lagged: as it was when the step began. Renewed in every iteration the potential would
        // change under Newton's feet.
        if report.iterations == 1 {
            it.rubs = contacts.iter().filter_map(|c| Rub::of(c, it.start.anchors)).collect();
        }
        let ahead = self.ahead(it);
        let bonds = self.bonds(&contacts, it, &ahead, &mut g);
        if let Some(vertex) = g.iter().position(|g| !g.is_finite()) {
            return Err(Failure::NotFinite { vertex: vertex as u32 });
        }
        let clock = Instant::now();
        let mut d = ahead;
        self.solve(it, &bonds, &g, &mut d[..n], report)?;
        report.seconds[2] += clock.elapsed().as_secs_f64();
        let mut slope = 0.0;
        for i in 0..n {
            slope -= g[i].dot(d[i]);
        }
        Ok((d, slope))
    }

    /// The way that pins and bodies still have to go; zero elsewhere.
    fn ahead(&self, it: &Iterate<'_>) -> Vec<DVec3> {
        let mut ahead = vec![DVec3::ZERO; it.y.len()];
        if it.part < 1.0 {
            self.pairs.place_bodies(1.0, &mut ahead);
            for (a, y) in ahead.iter_mut().zip(&it.y).skip(self.masses.len()) {
                *a -= *y;
            }
            for (v, to) in it.start.held {
                ahead[*v as usize] = *to - it.y[*v as usize];
            }
        }
        ahead
    }

    /// Contacts for the linear solver; their gradient is added.
    fn bonds(
        &self,
        contacts: &[Contact],
        it: &Iterate<'_>,
        ahead: &[DVec3],
        g: &mut [DVec3],
    ) -> Vec<Bond> {
        let n = self.masses.len();
        let mut bonds: Vec<Bond> = Vec::with_capacity(contacts.len() + it.rubs.len());
        let mut pull = |points: &[u32; 4], forces: [DVec3; 4]| {
            for (p, f) in points.iter().zip(forces) {
                if let Some(g) = g.get_mut(*p as usize) {
                    *g += f;
                }
            }
        };
        for c in contacts {
            pull(&c.near.points, c.gradient());
            bonds.push(Bond { points: c.near.points, weights: c.weights, stiffness: c.hessian() });
        }
        for r in &it.rubs {
            let (force, stiffness) = r.pull(&it.y, &it.y0, self.slip);
            pull(&r.points, r.weights.map(|w| force * w));
            bonds.push(Bond { points: r.points, weights: r.weights, stiffness });
        }
        // Bodies move while the cloth does: what their motion will press is known.
        for bond in &bonds {
            let bodies = bond.points.iter().zip(&bond.weights).filter(|(p, _)| **p as usize >= n);
            let way: DVec3 = bodies.map(|(p, w)| ahead[*p as usize] * *w).sum();
            if way != DVec3::ZERO {
                pull(&bond.points, bond.weights.map(|w| bond.stiffness * way * w));
            }
        }
        bonds
    }

    fn solve(
        &mut self,
        it: &Iterate<'_>,
        bonds: &[Bond],
        g: &[DVec3],
        d: &mut [DVec3],
        report: &mut Stepped,
    ) -> Result<(), Failure> {
        self.matrix.values_mut().copy_from_slice(self.stiffness.values());
        add_bonds(&mut self.matrix, bonds);
        it.filter.constrain(&mut self.matrix);
        let linear = |e: crate::linear::Error| Failure::Error(e.into());
        self.preconditioner.update(&self.matrix).map_err(linear)?;
        let operator = Coupled { matrix: &self.stiffness, bonds };
        let right: Vec<DVec3> = g.iter().map(|g| -*g).collect();
        let stop = Stop {
            tolerance: self.settings.linear_tolerance,
            max_iterations: self.settings.linear_iterations,
        };
        let (m, w) = (&mut self.preconditioner, &mut self.workspace);
        let outcome = cg::solve(&operator, m, Some(&it.filter), &right, d, stop, w);
        report.linear_iterations += outcome.iterations;
        match outcome.end {
            End::NotFinite => Err(Failure::NotFinite { vertex: 0 }),
            _ => Ok(()),
        }
    }

    /// Goes along `d` as far as nothing is passed and the potential falls.
    fn advance(
        &mut self,
        it: &mut Iterate<'_>,
        d: &[DVec3],
        slope: f64,
        report: &mut Stepped,
    ) -> Result<(), Failure> {
        let n = self.masses.len();
        let clock = Instant::now();
        let ends: Vec<DVec3> = it.y.iter().zip(d).map(|(y, d)| *y + *d).collect();
        let distance = self.gauge.thickness + self.gauge.reach;
        let before = self.potential(it, &it.y);
        let mut pairs = std::mem::take(&mut it.pairs);
        report.tested += self.pairs.find(&it.y, &ends, distance, self.itself, &mut pairs)?;
        it.pairs = pairs;
        let most = self.longest(&it.pairs, &it.y, &ends);
        report.seconds[0] += clock.elapsed().as_secs_f64();
        let clock = Instant::now();
        let moving = it.part < 1.0;
        let mut length = most;
        let mut to = vec![DVec3::ZERO; it.y.len()];
        for _ in 0..HALVINGS {
            for i in 0..n {
                to[i] = it.y[i] + d[i] * length;
            }
            // Points of pins and bodies go exactly where they belong.
            let part = if length == 1.0 { 1.0 } else { it.part + (1.0 - it.part) * length };
            if moving {
                self.pairs.place_bodies(part, &mut to);
                if part == 1.0 {
                    it.start.held.iter().for_each(|(v, x)| to[*v as usize] = *x);
                }
            } else {
                to[n..].copy_from_slice(&it.y[n..]);
            }
            let energy = self.potential(it, &to);
            let noise = ROUNDING * before.abs();
            // While pins and bodies do work on it the potential may rise, but not to infinity.
            let falls = energy <= before - ENOUGH * length * slope + noise;
            if (moving && energy.is_finite()) || falls {
                it.y = to;
                it.part = part;
                report.seconds[3] += clock.elapsed().as_secs_f64();
                return Ok(());
            }
            length *= 0.5;
        }
        report.seconds[3] += clock.elapsed().as_secs_f64();
        Ok(())
    }

    /// The potential of a step.
    fn potential(&mut self, it: &Iterate<'_>, y: &[DVec3]) -> f64 {
        let n = self.masses.len();
        let h2 = it.start.h * it.start.h;
        let inertia: f64 =
            (0..n).map(|i| 0.5 * self.masses[i] / h2 * y[i].distance_squared(it.free[i])).sum();
        let friction: f64 = it.rubs.iter().map(|r| r.energy(y, &it.y0, self.slip)).sum();
        inertia + self.sheet.energy(&y[..n]) + self.gauge.energy(&it.pairs, y) + friction
    }

    /// How far all points can go before a pair comes too near.
    fn longest(&self, pairs: &[Near], y: &[DVec3], ends: &[DVec3]) -> f64 {
        let mut most = 1.0_f64;
        for run in pairs.chunk_by(|a, b| a.kind == b.kind && a.body == b.body) {
            let Kind::Features(pair) = run[0].kind else {
                most = most.min(self.above_plane(run, y, ends));
                continue;
            };
            let separation = Separation {
                radius: self.gauge.offset(&run[0]),
                gap: ARRIVAL * self.gauge.reach,
                leeway: 1.0 - KEPT,
            };
            most = most.min(first_impact(pair, run, separation, y, ends));
        }
        most
    }

    fn above_plane(&self, run: &[Near], y: &[DVec3], ends: &[DVec3]) -> f64 {
        let mut most = 1.0_f64;
        for near in run {
            let Kind::Plane(n) = near.kind else { continue };
            let [v, p] = [near.points[0], near.points[1]].map(|p| p as usize);
            let offset = self.gauge.offset(near);
            let (now, then) = (n.dot(y[v] - y[p]) - offset, n.dot(ends[v] - ends[p]) - offset);
            let least = (KEPT * now).min(ARRIVAL * self.gauge.reach);
            if then < least {
                most = most.min((now - least) / (now - then));
            }
        }
        most
    }
}

/// The earliest time at which one of the pairs comes too near, 1 if none does.
fn first_impact(
    pair: Pair,
    run: &[Near],
    separation: Separation,
    y: &[DVec3],
    ends: &[DVec3],
) -> f64 {
    use rayon::prelude::*;
    let times = run.par_chunks(256).map(|run| {
        let mut first = 1.0_f64;
        let query = |i: usize| Some(run[i].points.map(|p| [y[p as usize], ends[p as usize]]));
        Ccd::Separating.answer_all(pair, run.len(), separation, Sieve::Hull, query, |_, impact| {
            first = first.min(impact.time);
        });
        first
    });
    times.reduce(|| 1.0, f64::min)
}

/// Why a step failed.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Failure {
    /// Pins or bodies did not get through.
    Late { part: f64 },
    /// A force is no number.
    NotFinite { vertex: u32 },
    /// Something else.
    Error(Error),
}

impl From<NotFinite> for Failure {
    fn from(e: NotFinite) -> Self {
        Self::NotFinite { vertex: e.vertex }
    }
}

/// A tenth of the median edge, between one and four times the thickness, and so that neighbours in
/// the flat cloth are out of reach.
fn reach(model: &Model, thickness: f64) -> f64 {
    let mut lengths = model.rest.clone();
    lengths.sort_by(f64::total_cmp);
    let median = lengths[lengths.len() / 2];
    let wanted = (0.1 * median).clamp(thickness, 4.0 * thickness);
    let room = 0.5 * least_height(model) - thickness;
    wanted.min(room.max(0.1 * thickness))
}

/// Smallest height of a triangle at rest.
fn least_height(model: &Model) -> f64 {
    let heights = (0..model.mesh.triangles.len()).map(|t| {
        let [a, b, c] = model.mesh.corners_uv(t);
        let longest = a.distance(b).max(b.distance(c)).max(c.distance(a));
        (b - a).perp_dot(c - a).abs() / longest
    });
    heights.fold(f64::INFINITY, f64::min)
}
