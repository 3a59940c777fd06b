//! Projected Newton on the incremental potential of a step.

use super::contact::{Contacts, Gauge};
use super::direction::Way;
use super::friction::{self, Anchors, Rub};
use super::pairs::{Near, Pairs};
use super::rule::{Inertia, Rule};
use super::seam::Seam;
use super::settings::Barrier;
use super::stiffness::Begin;
use crate::body::Collider;
use crate::error::Error;
use crate::linear::single::{Bond, Matrix, TwoLevel};
use crate::model::Model;
use crate::sheet::Sheet;
use crate::state::Before;
use glam::DVec3;
use std::sync::Arc;
use std::time::Instant;
use toile_collide::NotFinite;

/// Share of the promised decrease that a step must bring.
const ENOUGH: f64 = 1e-4;
/// Halvings of a line search.
const HALVINGS: u32 = 16;
/// Part of the reach that no vertex goes any more in the last iteration of a step. What a step is measured by is that of all
/// the cloth: beside it a single edge may be torn far without being noticed.
const FARTHEST: f64 = 0.5;
/// Part of the reach by which the ways of iterations usually differ.
const STRAY: f64 = 0.5;
/// Differences of energies below this part of the energy are rounding.
const ROUNDING: f64 = 1e-12;

/// What a step took.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Stepped {
    /// Iterations of Newton's method.
    pub iterations: u32,
    /// Iterations of conjugate gradients.
    pub linear_iterations: u32,
    /// Halvings of line searches.
    pub halvings: u32,
    /// Contacts at the end.
    pub contacts: u32,
    /// Smallest gap at the end, beyond the thickness [m]; infinite without contacts.
    pub gap: f64,
    /// Queries for pairs that come near.
    pub queries: u32,
    /// Pairs whose distance was measured.
    pub tested: u64,
    /// Whether the iteration ended by itself.
    pub converged: bool,
    /// Force that is left, as a part of the weight; quasi-static steps alone know it.
    pub residual: Option<f64>,
    /// Seconds spent on finding pairs, on the elastic energy, on linear systems, on line searches.
    pub seconds: [f64; 4],
}

/// Accelerations by outer forces [m/s²].
pub(crate) enum Outer {
    /// The same for all vertices.
    Alike(DVec3),
    /// One for each.
    Each(Vec<DVec3>),
}

impl Outer {
    pub(super) fn of(&self, vertex: usize) -> DVec3 {
        match self {
            Self::Alike(a) => *a,
            Self::Each(a) => a[vertex],
        }
    }
}

/// Where a step begins and what drives it.
pub(crate) struct Start<'a> {
    pub(crate) x: &'a [DVec3],
    pub(crate) v: &'a [DVec3],
    pub(crate) outer: Outer,
    pub(crate) t: f64,
    pub(crate) h: f64,
    /// Where held vertices are at the end of the step.
    pub(crate) held: &'a [(u32, DVec3)],
    /// What is being sewn.
    pub(crate) seams: &'a [Seam],
    /// What friction sticks to.
    pub(crate) anchors: &'a Anchors,
    /// The step before, if the rule looks back.
    pub(crate) before: Option<&'a Before>,
}

/// How a step ends.
pub(crate) struct Ended {
    pub(crate) x: Vec<DVec3>,
    pub(crate) v: Vec<DVec3>,
    pub(crate) anchors: Anchors,
    /// Length of the step, as the next one has to know it [s].
    pub(crate) remembered: f64,
    pub(crate) stepped: Stepped,
}

/// The solver with its memory.
#[derive(Debug)]
pub struct Solver {
    pub(super) settings: Barrier,
    pub(super) sheet: Sheet,
    pub(super) masses: Arc<[f64]>,
    pub(super) pairs: Pairs,
    pub(super) gauge: Gauge,
    pub(super) slip: f64,
    pub(super) itself: bool,
    pub(super) matrix: Matrix,
    pub(super) preconditioner: TwoLevel,
    /// Contacts of the iterate, and of the last state that was tried instead of it.
    pub(super) contacts: Contacts,
    tried: Contacts,
    /// Pairs before those of now, and of the last step; memory.
    pub(super) before: Vec<Near>,
    last: Vec<Near>,
    /// What the stiffness of contacts depends on.
    pub(super) begin: Begin,
    /// What joins the matrix in a linear system; memory.
    pub(super) bonds: Vec<Bond>,
}

/// Everything that changes within a step.
pub(super) struct Iterate<'a> {
    pub(super) start: &'a Start<'a>,
    pub(super) inertia: Inertia<'a>,
    /// Held vertices, ascending.
    pub(super) held: Vec<u32>,
    /// Which points go their own way: held vertices and those of bodies.
    pub(super) led: Vec<bool>,
    /// Points of cloth and bodies at the begin of the step and now.
    pub(super) y0: Vec<DVec3>,
    pub(super) y: Vec<DVec3>,
    /// Part of the way that pins and bodies have gone.
    pub(super) part: f64,
    /// What is left to go of the last direction, while pins and bodies are on their way.
    pub(super) left: Vec<DVec3>,
    /// A vertex of cloth that the last direction could not be followed beyond.
    pub(super) stopped_at: u32,
    /// All pairs that come within reach on the last way that was looked at.
    pub(super) pairs: Vec<Near>,
    pub(super) rubs: Vec<Rub>,
    /// What a step is measured by [J]: a hundredth of it, or so, is not worth another iteration.
    pub(super) scale: f64,
    /// The potential now.
    pub(super) energy: f64,
}

impl Iterate<'_> {
    /// Notes that a pair has stopped a direction, with the first of the `n` vertices of cloth in it.
    pub(super) fn stop_at(&mut self, pair: u32, n: usize) {
        let points = self.pairs[pair as usize].points;
        self.stopped_at = points.into_iter().find(|p| (*p as usize) < n).unwrap_or(0);
    }
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
        let heaviest = model.all_fabrics().map(|f| f.density).fold(0.0, f64::max);
        let pressure =
            if settings.pressure > 0.0 { settings.pressure } else { 100.0 * 9.81 * heaviest };
        let gauge = Gauge::new(model, &pairs, settings.law, [reach, thickness, pressure]);
        Ok(Self {
            slip: if settings.slip > 0.0 { settings.slip } else { 0.01 * reach },
            itself,
            masses: Arc::clone(&model.mass),
            pairs,
            gauge,
            matrix: Matrix::zeros(sheet.pattern()),
            preconditioner: TwoLevel::new(sheet.pattern())?,
            contacts: Contacts::default(),
            tried: Contacts::default(),
            before: Vec::new(),
            last: Vec::new(),
            begin: Begin::default(),
            bonds: Vec::new(),
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

    /// One step.
    pub(crate) fn step(&mut self, start: &Start<'_>) -> Result<Ended, Failure> {
        let mut report = Stepped::default();
        let n = self.masses.len();
        let mut it = self.begin(start, &mut report)?;
        // Whether the last iteration led nowhere, and whether there would have been much to win.
        let (mut stands, mut lost) = (false, false);
        let mut plain = false;
        for iteration in 1..=self.settings.max_iterations {
            report.iterations = iteration;
            let (moving, gone) = (it.part < 1.0, it.part);
            plain |= stands;
            let Way { d, slope, most, promise, fastest } =
                self.direction(&mut it, plain, &mut report)?;
            let opens = self.contacts.open(&d);
            let went = self.advance(&mut it, &d, (slope, most), &mut report);
            if it.part < 1.0 {
                let rest = (1.0 - it.part) / (1.0 - gone);
                it.left = d.into_iter().map(|d| d * rest).collect();
            }
            let done = fastest <= self.settings.speed * start.h * it.inertia.exactness()
                || (promise <= self.settings.decrement * it.scale
                    && fastest <= FARTHEST * self.gauge.reach);
            if !moving && done && !(opens && went) {
                report.converged = true;
                break;
            }
            stands = !moving && (!went || most == 0.0);
            lost = stands && promise.abs() > self.settings.decrement * it.scale;
        }
        // Cloth that goes nowhere although it should would hang in the air for good.
        if it.part < 1.0 || (lost && !report.converged) {
            return Err(Failure::Late { vertex: it.stopped_at });
        }
        if self.settings.rule == Rule::QuasiStatic {
            report.residual = Some(self.residual(&it));
        }
        let anchors = self.finish(&mut it, &mut report);
        it.y.truncate(n);
        let v = it.inertia.velocities(&it.y, touching(&self.contacts, n));
        let remembered = it.inertia.remembered(&it.y, &self.masses, report.converged);
        Ok(Ended { x: it.y, v, anchors, remembered, stepped: report })
    }

    /// Where a step begins, with all pairs that may come near if nothing unforeseen happens.
    pub(super) fn begin<'a>(
        &mut self,
        start: &'a Start<'a>,
        report: &mut Stepped,
    ) -> Result<Iterate<'a>, Failure> {
        let (n, h) = (self.masses.len(), start.h);
        self.pairs.advance(start.t, start.t + h);
        self.pairs.begin(start.anchors.within(n), STRAY * self.gauge.reach);
        let mut y0 = vec![DVec3::ZERO; self.pairs.points()];
        y0[..n].copy_from_slice(start.x);
        self.pairs.place_bodies(0.0, &mut y0);
        let mut ends = y0.clone();
        self.pairs.place_bodies(1.0, &mut ends);
        // What rests on something stays; what flies goes on.
        for (end, (x, v)) in ends.iter_mut().zip(start.x.iter().zip(start.v)) {
            *end = *x + *v * h;
        }
        let mut held: Vec<u32> = start.held.iter().map(|(v, _)| *v).collect();
        start.held.iter().for_each(|(v, to)| ends[*v as usize] = *to);
        held.sort_unstable();
        held.dedup();
        let mut led: Vec<bool> = (0..y0.len()).map(|i| i >= n).collect();
        held.iter().for_each(|v| led[*v as usize] = true);
        self.note_begin(&y0, &ends, h);
        let clock = Instant::now();
        // What a step begins with must follow from the state alone, or a run that is resumed would differ.
        let mut pairs = std::mem::take(&mut self.last);
        pairs.clear();
        report.queries += 1;
        report.tested += self.renew(&y0, &ends, &mut pairs, None)?.tested;
        report.seconds[0] += clock.elapsed().as_secs_f64();
        // Nothing to wait for where nothing is moved.
        let still = y0[n..] == ends[n..] && held.is_empty();
        // Friction is lagged: as it was when the step began. Renewed in every iteration the potential
        // would change under Newton's feet.
        let barrier = self.contacts.find(&self.gauge, &pairs, &y0);
        self.contacts.number(&mut pairs);
        let mut rubs = friction::rubs(&mut self.contacts, start.anchors, &mut pairs);
        rubs.iter_mut().for_each(|r| r.foresee(&y0, &ends));
        let part = f64::from(u8::from(still));
        // A better start than where it was, if nothing is in the way.
        let coasts = still && self.impacts(&pairs, &y0, &ends).is_empty();
        let y = if coasts { ends } else { y0.clone() };
        let touching = touching(&self.contacts, n);
        let inertia = Inertia::new(self.settings.rule, start, &self.masses, touching);
        let scale = self.scale(start, &inertia);
        let mut it = Iterate {
            start,
            inertia,
            held,
            led,
            y0,
            y,
            part,
            left: Vec::new(),
            stopped_at: 0,
            pairs,
            rubs,
            scale,
            energy: barrier,
        };
        it.energy += self.smooth(&it, &it.y0);
        // What rests on something rather stays where it was.
        if coasts {
            let goes = self.potential(&it, &it.y);
            if it.energy < goes {
                it.y.clone_from(&it.y0);
            } else {
                std::mem::swap(&mut self.contacts, &mut self.tried);
                self.contacts.number(&mut it.pairs);
                it.energy = goes;
            }
        }
        Ok(it)
    }

    /// What a step could win: what a direction from rest would promise if nothing were in the way, m v², and the work
    /// of threads.
    fn scale(&self, start: &Start<'_>, inertia: &Inertia<'_>) -> f64 {
        // A thread does work as long as its way is, or as far as it can pull in a step.
        let sewn = start.seams.iter().filter(|s| s.draws()).map(|s| {
            let light =
                s.vertices.map(|v| self.masses[v as usize]).into_iter().fold(f64::MAX, f64::min);
            s.force * s.gap(start.x).min(s.force * start.h * start.h / light)
        });
        inertia.promise(&self.masses) + sewn.sum::<f64>()
    }

    /// Counts contacts and finds what they will stick to.
    fn finish(&mut self, it: &mut Iterate<'_>, report: &mut Stepped) -> Anchors {
        report.contacts = self.contacts.len() as u32;
        report.gap = self.contacts.iter().map(|c| c.gap).fold(f64::INFINITY, f64::min);
        let rubs = self.contacts.iter().filter_map(|c| Rub::of(c, it.start.anchors));
        self.last = std::mem::take(&mut it.pairs);
        friction::anchors(&rubs.collect::<Vec<_>>(), &it.y, &it.y0, self.slip)
    }

    /// Goes along `d`, at most so far that nothing is passed, until the potential falls; says whether it did.
    fn advance(
        &mut self,
        it: &mut Iterate<'_>,
        d: &[DVec3],
        (slope, most): (f64, f64),
        report: &mut Stepped,
    ) -> bool {
        let n = self.masses.len();
        let clock = Instant::now();
        self.bonds = Vec::new();
        let before = it.energy;
        let moving = it.part < 1.0;
        let mut length = most;
        let mut to = vec![DVec3::ZERO; it.y.len()];
        let mut found = false;
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
                it.energy = energy;
                found = true;
                break;
            }
            length *= 0.5;
            report.halvings += 1;
        }
        if found {
            std::mem::swap(&mut self.contacts, &mut self.tried);
        } else {
            self.contacts.find(&self.gauge, &it.pairs, &it.y);
        }
        self.contacts.number(&mut it.pairs);
        // A linear system takes as much memory as contacts do, and neither needs the other's.
        self.tried = Contacts::default();
        report.seconds[3] += clock.elapsed().as_secs_f64();
        found
    }

    /// The potential of a step; the contacts are kept as those that were tried.
    fn potential(&mut self, it: &Iterate<'_>, y: &[DVec3]) -> f64 {
        self.smooth(it, y) + self.tried.find(&self.gauge, &it.pairs, y)
    }

    /// The potential but for the barrier.
    fn smooth(&mut self, it: &Iterate<'_>, y: &[DVec3]) -> f64 {
        let n = self.masses.len();
        let moved = &it.inertia;
        let inertia: f64 = (0..n)
            .map(|i| 0.5 * self.masses[i] / moved.span2(i) * y[i].distance_squared(moved.free(i)))
            .sum();
        let (times, at) = moved.elastic(&y[..n]);
        let elastic = times * self.sheet.energy(&at);
        let friction: f64 = it.rubs.iter().map(|r| r.energy(y, &it.y0, self.slip)).sum();
        let sewing: f64 = it.start.seams.iter().map(|s| s.energy(y)).sum();
        inertia + elastic + friction + sewing
    }
}

/// Vertices of cloth that are in contact, some more than once.
fn touching(contacts: &Contacts, n: usize) -> impl Iterator<Item = u32> {
    let points = contacts.iter().flat_map(|c| c.points().into_iter().zip(c.weights));
    points.filter(move |(p, w)| (*p as usize) < n && *w != 0.0).map(|(p, _)| p)
}

/// Why a step failed.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Failure {
    /// Pins or bodies did not get through, or a linear system was too stiff: this vertex was the last in the way.
    Late { vertex: u32 },
    /// A force is no number.
    NotFinite { vertex: u32 },
}

impl From<NotFinite> for Failure {
    fn from(e: NotFinite) -> Self {
        Self::NotFinite { vertex: e.vertex }
    }
}

/// A tenth of the median edge, between one and four times the thickness, or a hundredth of that edge if the cloth is thinner still, and so
/// that neighbours in the flat cloth are out of reach. With a reach that is lost beside the cells, steps are not found.
fn reach(model: &Model, thickness: f64) -> f64 {
    let mut lengths = model.rest_lengths();
    lengths.sort_by(f64::total_cmp);
    let median = lengths[lengths.len() / 2];
    let most = (4.0 * thickness).max(0.01 * median);
    let wanted = (0.1 * median).clamp(thickness, most);
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
