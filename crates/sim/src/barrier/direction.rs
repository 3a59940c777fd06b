//! Directions of Newton's method.
//!
//! The matrix holds inertia, elasticity, the contacts of now and their friction. Where the direction would
//! run into something, what it runs into joins the system as if it were a contact at half the reach, and the
//! direction is found again: otherwise the first pair in the way would shorten the way of all.

use super::friction::{Curvature, Rub};
use super::newton::{Failure, Iterate, Solver, Stepped};
use crate::linear::cg::End;
use crate::linear::single::{self, Bond, Goal, Vectors};
use glam::{DMat3, DVec3};
use std::time::Instant;

/// Part to which the residual of a direction falls in any case.
const RESIDUAL: f64 = 0.02;
/// Directions need not be better than this part of what ends a step.
const ENOUGH: f64 = 0.05;

/// How often a direction is found again with what it ran into.
const ROUNDS: u32 = 1;
/// Directions that can be followed this far are good enough.
const FAR: f64 = 0.9;

/// Directions that cannot be followed this far are shortened for those in the way alone.
const SHORT: f64 = 0.2;

/// Pairs that turn up within reach are taken up at once if they hold this part of what the direction promises.
const NEWS: f64 = 0.1;

/// Stiffness across the normal that a contact has if it is in the way, as a part of its own: features that slide past each other
/// while they turn come nearer, which their normals of now do not tell.
const ACROSS: f64 = 0.1;

/// Gradient of the potential, what points that are led press, if they move, and how many bonds belong to the linear system.
pub(super) struct System {
    gradient: Vec<DVec3>,
    pressed: Vec<DVec3>,
    bonds: usize,
}

impl System {
    /// How fast the potential falls along a direction [J].
    pub(super) fn promise(&self, d: &[DVec3]) -> f64 {
        self.gradient.iter().zip(d).map(|(g, d)| -g.dot(*d)).sum()
    }

    /// The right side.
    fn right(&self) -> Vec<DVec3> {
        let pressed = self.pressed.iter().copied().chain(std::iter::repeat(DVec3::ZERO));
        self.gradient.iter().zip(pressed).map(|(g, pressed)| pressed - *g).collect()
    }
}

/// Where an iteration goes.
pub(super) struct Way {
    pub(super) d: Vec<DVec3>,
    /// How fast the potential falls along it, at first [J].
    pub(super) slope: f64,
    /// How much of it can be followed.
    pub(super) most: f64,
    /// What the direction promised before it was shortened for those in the way, and how far the fastest vertex would have gone.
    pub(super) promise: f64,
    pub(super) fastest: f64,
}

/// Stiffness between weighted points.
#[derive(Clone, Copy, Debug)]
struct Link {
    points: [u32; 4],
    weights: [f64; 4],
    stiffness: DMat3,
}

/// A contact that is expected: on the way, not yet within reach.
#[derive(Clone, Copy, Debug)]
pub(super) struct Expected {
    /// What tells it from others.
    key: [u32; 4],
    link: Link,
    normal: DVec3,
    /// What the model says of the gradient along the normal, were all to stay where they are [N].
    gradient: f64,
}

impl Solver {
    /// Direction of all points, and how far it can be followed. A `plain` one does not know what it runs into, and so the
    /// potential surely falls along it.
    pub(super) fn direction(
        &mut self,
        it: &mut Iterate<'_>,
        plain: bool,
        report: &mut Stepped,
    ) -> Result<Way, Failure> {
        let n = self.masses.len();
        let clock = Instant::now();
        let elastic = self.elastic(it);
        report.seconds[1] += clock.elapsed().as_secs_f64();
        let ahead = self.ahead(it);
        let mut system = self.assemble(it, &ahead, elastic, report.iterations)?;
        let mut expected: Vec<Expected> = Vec::new();
        let mut round = 0;
        let mut d = Vec::new();
        loop {
            let clock = Instant::now();
            self.bonds.truncate(system.bonds);
            self.bonds.reserve_exact(expected.len());
            self.bonds.extend(expected.iter().map(|e| e.link.bond(&it.led)));
            self.preconditioner.update(&self.matrix, &self.bonds, &it.held);
            let mut right = system.right();
            for e in &expected {
                e.link.push(e.normal * e.gradient, &it.led, &mut right);
                e.link.press(&it.led, &ahead, &mut right);
            }
            // Not before: the preconditioner takes as much memory while it is made.
            if d.is_empty() {
                d = self.first_guess(it, &ahead, report.iterations);
            }
            self.solve(it, &right, &mut d, report)?;
            drop(right);
            report.seconds[2] += clock.elapsed().as_secs_f64();
            let clock = Instant::now();
            let ends: Vec<DVec3> = it.y.iter().zip(&d).map(|(y, d)| *y + *d).collect();
            report.queries += 1;
            let renewed = self.renew(&it.y, &ends, &mut it.pairs, Some(&mut it.energy))?;
            report.tested += renewed.tested;
            let impacts = self.impacts(&it.pairs, &it.y, &ends);
            report.seconds[0] += clock.elapsed().as_secs_f64();
            let first = impacts.iter().min_by(|a, b| a.1.total_cmp(&b.1));
            let most = first.map_or(1.0, |(_, time)| time.min(1.0));
            debug_assert!(impacts.iter().all(|(_, time)| !time.is_nan()), "times are numbers");
            if let Some((pair, _)) = first {
                it.stop_at(*pair, n);
            }
            let slope = system.promise(&d);
            round += 1;
            let known = renewed.brought <= NEWS * slope.abs() * most;
            let free = plain || impacts.is_empty() || most > FAR;
            if round > ROUNDS || (free && known) {
                let fastest = d[..n].iter().map(|d| d.length()).fold(0.0, f64::max);
                let way = Way { slope, most, promise: slope, fastest, d };
                return if most > SHORT {
                    Ok(way)
                } else {
                    self.shortened(it, way, impacts, &system, report)
                };
            }
            if !known {
                // The gradient does not know of what has turned up: the potential need not fall along this way.
                self.contacts.find(&self.gauge, &it.pairs, &it.y);
                self.contacts.number(&mut it.pairs);
                // That is rare: it costs less to find the elastic part again than to keep it every time.
                drop(std::mem::take(&mut system.gradient));
                let elastic = self.elastic(it);
                system = self.assemble(it, &ahead, elastic, report.iterations)?;
            } else {
                self.expect(it, &d, &impacts, &mut expected);
            }
        }
    }

    /// The system of an iteration: contacts, friction and seams join the elastic gradient.
    fn assemble(
        &mut self,
        it: &Iterate<'_>,
        ahead: &[DVec3],
        mut gradient: Vec<DVec3>,
        iteration: u32,
    ) -> Result<System, Failure> {
        let length = if ahead.is_empty() { 0 } else { gradient.len() };
        let mut pressed = vec![DVec3::ZERO; length];
        self.join(
            it,
            ahead,
            Curvature::at(iteration, self.pairs.is_heaped()),
            &mut gradient,
            &mut pressed,
        );
        if let Some(vertex) = gradient.iter().position(|g| !g.is_finite()) {
            return Err(Failure::NotFinite { vertex: vertex as u32 });
        }
        Ok(System { gradient, pressed, bonds: self.bonds.len() })
    }

    /// What a direction is sought from: where the last one led, while pins and bodies are on their way. A step begins with where
    /// inertia alone would go, for all that touch nothing, as what flies freely is then found at once; but cloth that is held goes on
    /// as it did: while hands wind it up all of it turns, and from rest that would be far to seek.
    fn first_guess(&self, it: &mut Iterate<'_>, ahead: &[DVec3], iteration: u32) -> Vec<DVec3> {
        let mut d = std::mem::take(&mut it.left);
        d.resize(it.y.len(), DVec3::ZERO);
        if iteration == 1 && it.inertia.flies() {
            let free = |i: usize| it.inertia.free(i) - it.y[i];
            let goes_on = |i: usize| it.start.v[i] * it.start.h;
            for i in 0..self.masses.len() {
                d[i] = if it.held.is_empty() { free(i) } else { goes_on(i) };
            }
            for bond in self.bonds.iter().filter(|_| it.held.is_empty()) {
                for (p, _) in bond.points.iter().zip(bond.weights).filter(|(_, w)| *w != 0.0) {
                    d[*p as usize] = DVec3::ZERO;
                }
            }
        }
        for (i, ahead) in ahead.iter().enumerate().filter(|(i, _)| it.led[*i]) {
            d[i] = *ahead;
        }
        d
    }

    /// Force out of balance, without inertia or drag, as a part of the weight.
    pub(super) fn residual(&mut self, it: &Iterate<'_>) -> f64 {
        let mut g = self.elastic(it);
        self.join(it, &[], Curvature::Exact, &mut g, &mut []);
        let left = |i: usize| {
            let m = self.masses[i];
            (g[i] - it.inertia.drag(i, it.y[i], m)) / m
        };
        it.start.compared(&self.masses, left)
    }

    /// Gradient of elasticity and inertia; their Hessian goes to the matrix.
    fn elastic(&mut self, it: &Iterate<'_>) -> Vec<DVec3> {
        let n = self.masses.len();
        let (x, inertia) = (&it.y[..n], &it.inertia);
        let mut g = vec![DVec3::ZERO; n];
        let (_, at) = inertia.elastic(x);
        self.sheet.gradient_and_single_hessian(&at, &mut g, &mut self.matrix);
        let curvature = inertia.elastic_curvature();
        if curvature != 1.0 {
            self.matrix.scale(curvature);
        }
        for i in 0..n {
            g[i] += (x[i] - inertia.free(i)) * (self.masses[i] / inertia.span2(i));
        }
        self.matrix.add_to_diagonal(|i| (self.masses[i] / inertia.span2(i)) as f32);
        g
    }

    /// The way that pins and bodies still have to go, zero elsewhere; nothing if they have arrived.
    fn ahead(&self, it: &Iterate<'_>) -> Vec<DVec3> {
        if it.part >= 1.0 {
            return Vec::new();
        }
        let mut ahead = vec![DVec3::ZERO; it.y.len()];
        self.pairs.place_bodies(1.0, &mut ahead);
        for (a, y) in ahead.iter_mut().zip(&it.y).skip(self.masses.len()) {
            *a -= *y;
        }
        for (v, to) in it.start.held {
            ahead[*v as usize] = *to - it.y[*v as usize];
        }
        ahead
    }

    /// Contacts, friction and seams as bonds. Their gradient is added to `g`; `pressed` gets what those points press that
    /// are led, if they move.
    fn join(
        &mut self,
        it: &Iterate<'_>,
        ahead: &[DVec3],
        curvature: Curvature,
        g: &mut [DVec3],
        pressed: &mut [DVec3],
    ) {
        let mut pull = |points: &[u32; 4], forces: [DVec3; 4]| {
            for (p, f) in points.iter().zip(forces) {
                if let Some(g) = g.get_mut(*p as usize) {
                    *g += f;
                }
            }
        };
        let bonds = &mut self.bonds;
        bonds.clear();
        bonds.reserve_exact(self.contacts.len() + it.start.seams.len());
        let mut bind = |link: Link| {
            bonds.push(link.bond(&it.led));
            link.press(&it.led, ahead, pressed);
        };
        // A contact and its friction, which was found when the step began, act between nearly the same points. In the matrix they are
        // one bond, between the points of now: it takes half the time, and forces are exact.
        let mut joined = vec![false; it.rubs.len()];
        let mut rub = |r: &Rub| {
            let (force, stiffness) = r.pull((&it.y, &it.y0), self.slip, curvature);
            pull(&r.points(), r.weights.map(|w| force * w));
            stiffness
        };
        for c in self.contacts.iter() {
            let mut stiffness = c.hessian();
            if let Some(r) = it.rubs.get(c.rub as usize) {
                stiffness += rub(r);
                joined[c.rub as usize] = true;
            }
            bind(Link { points: c.points(), weights: c.weights, stiffness });
        }
        for r in it.rubs.iter().zip(&joined).filter(|(_, joined)| !**joined).map(|(r, _)| r) {
            let stiffness = rub(r);
            bind(Link { points: r.points(), weights: r.weights, stiffness });
        }
        self.contacts.iter().for_each(|c| pull(&c.points(), c.gradient(&it.y)));
        for seam in it.start.seams {
            let [a, b] = seam.vertices;
            let (points, weights) = ([a, b, 0, 0], [1.0, -1.0, 0.0, 0.0]);
            let (force, stiffness) = seam.pull(&it.y);
            pull(&points, weights.map(|w| force * w));
            bind(Link { points, weights, stiffness });
        }
    }

    /// Takes up what a direction runs into, and keeps of what it ran into before what still pushes.
    fn expect(
        &self,
        it: &Iterate<'_>,
        d: &[DVec3],
        impacts: &[(u32, f64)],
        expected: &mut Vec<Expected>,
    ) {
        // Pairs are found anew for every direction: their numbers change.
        let mut hit: Vec<[u32; 4]> =
            impacts.iter().map(|(pair, _)| it.pairs[*pair as usize].key()).collect();
        hit.sort_unstable();
        expected.retain(|e| {
            let way: DVec3 =
                e.link.points.iter().zip(e.link.weights).map(|(p, w)| d[*p as usize] * w).sum();
            hit.binary_search(&e.key).is_ok()
                || e.gradient + (e.link.stiffness * way).dot(e.normal) < 0.0
        });
        let known: Vec<[u32; 4]> = expected.iter().map(|e| e.key).collect();
        for (pair, time) in impacts {
            let near = &it.pairs[*pair as usize];
            if near.crowded || known.binary_search(&near.key()).is_ok() {
                continue;
            }
            let there = |p: u32| it.y[p as usize] + d[p as usize] * *time;
            let closest = self.gauge.closest_at(near, near.points.map(there));
            let normal = closest.normal();
            if normal == DVec3::ZERO {
                continue;
            }
            let now: DVec3 =
                near.points.iter().zip(closest.weights).map(|(p, w)| it.y[*p as usize] * w).sum();
            let gap = normal.dot(now) - self.gauge.offset(near);
            let (slope, curvature) = self.gauge.half_way(near);
            let target = 0.5 * self.gauge.reach;
            let across = self.contacts.of(near).map_or(DMat3::ZERO, |c| c.across() * ACROSS);
            expected.push(Expected {
                key: near.key(),
                link: Link {
                    points: near.points,
                    weights: closest.weights,
                    stiffness: crate::element::definite::outer(normal, normal) * curvature + across,
                },
                normal,
                gradient: slope + curvature * (gap - target),
            });
        }
        expected.sort_unstable_by_key(|e| e.key);
    }

    /// Solves for the direction with all bonds, from the one given.
    fn solve(
        &mut self,
        it: &Iterate<'_>,
        right: &[DVec3],
        d: &mut [DVec3],
        report: &mut Stepped,
    ) -> Result<(), Failure> {
        let n = self.masses.len();
        let goal = Goal {
            gain: self.settings.linear_tolerance,
            residual: RESIDUAL,
            enough: ENOUGH * self.settings.decrement * it.scale,
            max_iterations: self.settings.linear_iterations,
        };
        let outcome = single::solve(
            &self.matrix,
            &self.bonds,
            &mut self.preconditioner,
            &it.held,
            right,
            &mut d[..n],
            goal,
            &mut Vectors::default(),
        );
        report.linear_iterations += outcome.iterations;
        match outcome.end {
            // Forces are numbers: a tight pair is too stiff for single precision, and a shorter step may pass it.
            End::NotFinite => Err(Failure::Late { vertex: it.stopped_at }),
            _ => Ok(()),
        }
    }
}

impl Link {
    /// Takes a force away from the points that are free.
    fn push(&self, force: DVec3, led: &[bool], right: &mut [DVec3]) {
        for (p, w) in self.points.iter().zip(self.weights) {
            if !led[*p as usize] {
                right[*p as usize] -= force * w;
            }
        }
    }

    /// What it presses as the points that are led go `ahead` goes to the right side.
    fn press(&self, led: &[bool], ahead: &[DVec3], right: &mut [DVec3]) {
        if ahead.is_empty() {
            return;
        }
        let mut way = DVec3::ZERO;
        for (p, w) in self.points.iter().zip(self.weights) {
            if led[*p as usize] {
                way += ahead[*p as usize] * w;
            }
        }
        if way != DVec3::ZERO {
            self.push(self.stiffness * way, led, right);
        }
    }

    /// As the linear solver sees it: without the points that are led.
    fn bond(&self, led: &[bool]) -> Bond {
        let (mut points, mut weights) = (self.points, self.weights.map(|w| w as f32));
        for k in 0..4 {
            let p = self.points[k] as usize;
            if led[p] {
                (points[k], weights[k]) = (0, 0.0);
            }
        }
        Bond::new(points, weights, &self.stiffness)
    }
}
