//! Directions of Newton's method.
//!
//! The matrix holds inertia, elasticity, the contacts of now and their friction. Where the direction would
//! run into something, what it runs into joins the system as if it were a contact at half the reach, and the
//! direction is found again: otherwise the first pair in the way would shorten the way of all.

use super::contact::Contact;
use super::newton::{Failure, Iterate, Solver, Stepped};
use super::pairs::Pairs;
use crate::linear::cg::End;
use crate::linear::single::{self, Bond, Goal};
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
    /// Direction of all points, the decrease of the potential it promises, and how far it can be followed.
    pub(super) fn direction(
        &mut self,
        it: &mut Iterate<'_>,
        report: &mut Stepped,
    ) -> Result<(Vec<DVec3>, f64, f64), Failure> {
        let n = self.masses.len();
        let clock = Instant::now();
        let mut g = self.elastic(it);
        report.seconds[1] += clock.elapsed().as_secs_f64();
        let contacts = self.gauge.contacts(&it.pairs, &it.y);
        let ahead = self.ahead(it);
        let links = self.links(&contacts, it, &mut g);
        if let Some(vertex) = g.iter().position(|g| !g.is_finite()) {
            return Err(Failure::NotFinite { vertex: vertex as u32 });
        }
        let mut expected: Vec<Expected> = Vec::new();
        let mut round = 0;
        let mut d = ahead.clone();
        if report.iterations == 1 {
            self.guess(it, &links, &mut d);
        }
        loop {
            let clock = Instant::now();
            self.solve(it, &links, &expected, (&g, &ahead), &mut d, report)?;
            report.seconds[2] += clock.elapsed().as_secs_f64();
            let clock = Instant::now();
            let ends: Vec<DVec3> = it.y.iter().zip(&d).map(|(y, d)| *y + *d).collect();
            let near = self.gauge.thickness + self.gauge.reach;
            report.queries += 1;
            report.tested += self.pairs.find(&it.y, &ends, near, self.itself, &mut it.pairs)?;
            Pairs::set_crowded_apart(&mut it.pairs, &it.y, self.gauge.thickness);
            if it.pairs.last().is_some_and(|p| p.crowded) {
                // Which pairs are crowded changes, and the potential with it.
                it.energy = None;
            }
            let impacts = self.impacts(&it.pairs, &it.y, &ends);
            report.seconds[0] += clock.elapsed().as_secs_f64();
            let most = impacts.iter().map(|(_, time)| *time).fold(1.0, f64::min);
            let slope: f64 = (0..n).map(|i| -g[i].dot(d[i])).sum();
            round += 1;
            if round > ROUNDS || impacts.is_empty() || most > FAR {
                return Ok((d, slope, most));
            }
            self.expect(it, &d, &impacts, &mut expected);
        }
    }

    /// Where inertia alone would go, for all that touch nothing: what flies freely is found at once.
    fn guess(&self, it: &Iterate<'_>, links: &[Link], d: &mut [DVec3]) {
        if !it.held.is_empty() {
            return;
        }
        let n = self.masses.len();
        for (d, (free, y)) in d.iter_mut().zip(it.free.iter().zip(&it.y)) {
            *d = *free - *y;
        }
        for p in links.iter().flat_map(|l| l.points) {
            if (p as usize) < n {
                d[p as usize] = DVec3::ZERO;
            }
        }
    }

    /// Gradient of elasticity and inertia; their Hessian goes to the matrix.
    fn elastic(&mut self, it: &Iterate<'_>) -> Vec<DVec3> {
        let n = self.masses.len();
        let h2 = it.start.h * it.start.h;
        let x = &it.y[..n];
        let mut g = vec![DVec3::ZERO; n];
        self.sheet.gradient_and_single_hessian(x, &mut g, &mut self.matrix);
        for i in 0..n {
            g[i] += (x[i] - it.free[i]) * (self.masses[i] / h2);
        }
        self.matrix.add_to_diagonal(|i| (self.masses[i] / h2) as f32);
        g
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

    /// Contacts, friction and seams as links; their gradient is added.
    fn links(&self, contacts: &[Contact], it: &Iterate<'_>, g: &mut [DVec3]) -> Vec<Link> {
        let mut links: Vec<Link> = Vec::with_capacity(contacts.len() + it.rubs.len());
        let mut pull = |points: &[u32; 4], forces: [DVec3; 4]| {
            for (p, f) in points.iter().zip(forces) {
                if let Some(g) = g.get_mut(*p as usize) {
                    *g += f;
                }
            }
        };
        for c in contacts {
            pull(&c.near.points, c.gradient());
            let (points, weights) = (c.near.points, c.weights);
            links.push(Link { points, weights, stiffness: c.hessian() });
        }
        for r in &it.rubs {
            let (force, stiffness) = r.pull(&it.y, &it.y0, self.slip);
            pull(&r.points, r.weights.map(|w| force * w));
            links.push(Link { points: r.points, weights: r.weights, stiffness });
        }
        for seam in it.start.seams {
            let [a, b] = seam.vertices;
            let (points, weights) = ([a, b, 0, 0], [1.0, -1.0, 0.0, 0.0]);
            let (force, stiffness) = seam.pull(&it.y);
            pull(&points, weights.map(|w| force * w));
            links.push(Link { points, weights, stiffness });
        }
        links
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
            let closest = near.closest_at(near.points.map(there));
            let length = closest.way.length();
            if length == 0.0 {
                continue;
            }
            let normal = closest.way / length;
            let now: DVec3 =
                near.points.iter().zip(closest.weights).map(|(p, w)| it.y[*p as usize] * w).sum();
            let gap = normal.dot(now) - self.gauge.offset(near);
            let (slope, curvature) = self.gauge.half_way(near);
            let target = 0.5 * self.gauge.reach;
            expected.push(Expected {
                key: near.key(),
                link: Link {
                    points: near.points,
                    weights: closest.weights,
                    stiffness: crate::element::definite::outer(normal, normal) * curvature,
                },
                normal,
                gradient: slope + curvature * (gap - target),
            });
        }
        expected.sort_unstable_by_key(|e| e.key);
    }

    fn solve(
        &mut self,
        it: &Iterate<'_>,
        links: &[Link],
        expected: &[Expected],
        (g, ahead): (&[DVec3], &[DVec3]),
        d: &mut [DVec3],
        report: &mut Stepped,
    ) -> Result<(), Failure> {
        let n = self.masses.len();
        let mut right: Vec<DVec3> = g.iter().map(|g| -*g).collect();
        let all = || links.iter().chain(expected.iter().map(|e| &e.link));
        let mut push = |link: &Link, force: DVec3| {
            for (p, w) in link.points.iter().zip(link.weights) {
                if let Some(right) = right.get_mut(*p as usize) {
                    *right -= force * w;
                }
            }
        };
        // Bodies move while the cloth does: what their motion will press is known.
        for link in all() {
            let bodies = link.points.iter().zip(link.weights).filter(|(p, _)| **p as usize >= n);
            let way: DVec3 = bodies.map(|(p, w)| ahead[*p as usize] * w).sum();
            if way != DVec3::ZERO {
                push(link, link.stiffness * way);
            }
        }
        expected.iter().for_each(|e| push(&e.link, e.normal * e.gradient));
        let bonds: Vec<Bond> = all().map(|link| link.bond(n)).collect();
        let anew = report.iterations == 1 && expected.is_empty();
        self.preconditioner.update(&self.matrix, &bonds, &it.held, anew);
        let goal = Goal {
            gain: self.settings.linear_tolerance,
            residual: RESIDUAL,
            enough: ENOUGH * self.settings.decrement * it.scale,
            max_iterations: self.settings.linear_iterations,
        };
        let outcome = single::solve(
            &self.matrix,
            &bonds,
            &mut self.preconditioner,
            &it.held,
            &right,
            &mut d[..n],
            goal,
            &mut self.vectors,
        );
        report.linear_iterations += outcome.iterations;
        match outcome.end {
            End::NotFinite => Err(Failure::NotFinite { vertex: 0 }),
            _ => Ok(()),
        }
    }
}

impl Link {
    /// As the linear solver sees it: points of bodies stay where they are put.
    fn bond(&self, n: usize) -> Bond {
        let moves = |k: usize| (self.points[k] as usize) < n;
        let s = &self.stiffness;
        Bond {
            points: std::array::from_fn(|k| if moves(k) { self.points[k] } else { 0 }),
            weights: std::array::from_fn(|k| if moves(k) { self.weights[k] as f32 } else { 0.0 }),
            stiffness: glam::Mat3A::from_cols(
                s.x_axis.as_vec3a(),
                s.y_axis.as_vec3a(),
                s.z_axis.as_vec3a(),
            ),
        }
    }
}
