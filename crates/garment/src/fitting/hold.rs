//! What keeps a garment up.
//!
//! Without friction a garment finds its place, but straps may leave the shoulders and a waistband the waist. A piece of a garment
//! whose top comes down is therefore put back where it was let go, and has its friction from the start. If it slides down all the
//! same, the highest rim that goes around the body gets an elastic, as strapless tops and skirts without a waistband do: of the length
//! of the rim, but no longer than the body where the rim was allows.

use super::{Fitting, GRAVITY};
use crate::error::Error;
use crate::weld::Weld;
use glam::DVec3;
use serde::{Deserialize, Serialize};
use std::f64::consts::TAU;
use toile_audit::Shape;
use toile_sim::barrier::Seam;

/// What is so near to the highest vertex of a piece is its top [m].
const TOP: f64 = 0.06;
/// A piece whose top is lower by so much than where it was let go is sliding down [m].
const SLIPPED: f64 = 0.07;
/// The elastic that holds a rim up: its length over the girth of the body, its pull at twice its length [N], and the strain beyond which
/// that grows no more.
const ELASTIC: f64 = 0.88;
const ELASTIC_PULL: f64 = 60.0;
const ELASTIC_GIVES: f64 = 2.0;
/// How far from the rim the body is measured, below and above [m]; the smallest girth counts.
const NEAR: f64 = 0.04;
/// A rim goes around the body if it turns about it by at least this share of a whole turn.
const AROUND: f64 = 0.8;

/// How a garment is kept from falling.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Grip {
    /// It finds its place without friction first.
    #[default]
    Loose,
    /// It has friction from the start.
    Friction,
    /// Its highest rim has an elastic.
    Elastic,
}

/// Where a garment was when it was let go.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Start {
    /// Positions of the vertices of the panels [m].
    pub(super) x: Vec<DVec3>,
}

impl Fitting {
    /// How it is kept from falling.
    pub fn grip(&self) -> Grip {
        self.grip
    }

    /// Notes where it is let go.
    pub(super) fn note_start(&mut self) {
        let x = (0..self.at.len() as u32).map(|v| self.position(v)).collect();
        self.start = Some(Start { x });
    }

    /// How far the top of a piece has come down at most since the garment was let go [m].
    fn sunk(&self) -> f64 {
        let Some(start) = &self.start else { return 0.0 };
        let (labels, count) = self.pieces();
        let label = |v: usize| labels[self.at[v] as usize];
        let mut highest = vec![f64::NEG_INFINITY; count];
        for (v, x) in start.x.iter().enumerate() {
            highest[label(v)] = highest[label(v)].max(x.y);
        }
        let mut sums = vec![[0.0; 2]; count];
        for (v, x) in start.x.iter().enumerate().filter(|(v, x)| x.y > highest[label(*v)] - TOP) {
            let [drop, number] = &mut sums[label(v)];
            *drop += x.y - self.position(v as u32).y;
            *number += 1.0;
        }
        sums.iter().map(|[drop, number]| drop / f64::max(*number, 1.0)).fold(0.0, f64::max)
    }

    /// Holds it better if it slides down; whether that was needed.
    pub(super) fn hold(&mut self) -> Result<bool, Error> {
        if self.grip == Grip::Elastic || self.sunk() < SLIPPED {
            return Ok(false);
        }
        self.grip = if self.has_friction { Grip::Elastic } else { Grip::Friction };
        self.has_friction = true;
        let Some(start) = self.start.clone() else { return Ok(false) };
        let mut mesh = self.mesh();
        let mut count = vec![0.0; mesh.positions.len()];
        mesh.positions.fill(DVec3::ZERO);
        for (v, x) in start.x.iter().enumerate() {
            let at = self.at[v] as usize;
            mesh.positions[at] += *x;
            count[at] += 1.0;
        }
        mesh.positions.iter_mut().zip(&count).for_each(|(x, n)| *x /= *n);
        let mut weld = Weld { map: self.at.clone(), mesh };
        let mut world = self.world_of(weld.mesh.clone())?;
        let is_free = weld.faults(&Shape::from(&self.body))?.is_empty();
        if !is_free || !world.separation_violations()?.is_empty() {
            // What has been joined since does not fit there: it is held where it is.
            weld.mesh = self.mesh();
            world = self.world_of(weld.mesh.clone())?;
        }
        if self.grip == Grip::Elastic {
            self.elastic = self.rim_elastic(&start.x);
        }
        self.go_on_in(world, &weld, &[])?;
        self.world.set_velocities(|_, _| DVec3::ZERO);
        self.world.set_gravity(GRAVITY)?;
        (self.steps, self.calm, self.speed) = (0, None, 0.0);
        Ok(true)
    }

    /// Which piece of cloth each vertex of the garment belongs to, and how many there are.
    fn pieces(&self) -> (Vec<usize>, usize) {
        let model = self.world.model();
        let (of_triangle, count) = model.topology.components();
        let mut labels = vec![0; model.mass.len()];
        for (tri, label) in model.mesh.triangles.iter().zip(&of_triangle) {
            tri.iter().for_each(|v| labels[*v as usize] = *label as usize);
        }
        (labels, count as usize)
    }

    /// Elastics along the highest rim around the body of every piece: vertices of the panels and the length without tension between them [m], for a garment whose panels are at `x`.
    pub(super) fn rim_elastic(&self, x: &[DVec3]) -> Vec<([u32; 2], f64)> {
        let mut first = vec![u32::MAX; self.world.model().mass.len()];
        for (v, at) in self.at.iter().enumerate().rev() {
            first[*at as usize] = v as u32;
        }
        let (labels, count) = self.pieces();
        let mut best: Vec<Option<(f64, Vec<u32>)>> = vec![None; count];
        for rim in self.rims() {
            let rim: Vec<u32> = rim.into_iter().map(|v| first[v as usize]).collect();
            let points: Vec<DVec3> = rim.iter().map(|v| x[*v as usize]).collect();
            let height = points.iter().map(|p| p.y).sum::<f64>() / points.len() as f64;
            let axis = self.body_axis(height);
            if winding(&points, axis).abs() < AROUND {
                continue;
            }
            let label = labels[self.at[rim[0] as usize] as usize];
            if best[label].as_ref().is_none_or(|(highest, _)| height > *highest) {
                best[label] = Some((height, rim));
            }
        }
        let mut seams = Vec::new();
        for (height, rim) in best.into_iter().flatten() {
            let rest = |k: usize| {
                let [a, b] = [rim[k], rim[(k + 1) % rim.len()]];
                (x[a as usize].distance(x[b as usize]), [a, b])
            };
            let whole: f64 = (0..rim.len()).map(|k| rest(k).0).sum();
            let ratio = self.body_girth(height).map_or(1.0, |g| (ELASTIC * g / whole).min(1.0));
            seams.extend((0..rim.len()).map(|k| {
                let (length, vertices) = rest(k);
                (vertices, (ratio * length).max(1e-4))
            }));
        }
        seams
    }

    /// The elastic of a rim as threads of the garment.
    pub(super) fn elastic_threads(&self) -> impl Iterator<Item = Seam> + '_ {
        self.elastic.iter().map(|(vertices, rest)| Seam {
            vertices: vertices.map(|v| self.at[v as usize]),
            force: ELASTIC_PULL * ELASTIC_GIVES,
            slack: ELASTIC_GIVES * rest,
            rest: *rest,
        })
    }

    /// Closed lines along which the cloth ends, of vertices of the garment.
    fn rims(&self) -> Vec<Vec<u32>> {
        let model = self.world.model();
        let mut next = vec![[u32::MAX; 2]; model.mass.len()];
        for edge in model.topology.edges.iter().filter(|e| e.is_boundary()) {
            let [a, b] = edge.vertices;
            for (v, to) in [(a, b), (b, a)] {
                let slot = next[v as usize].iter().position(|n| *n == u32::MAX);
                // Where two rims touch at a vertex there is no telling them apart; one of them is left.
                slot.into_iter().for_each(|k| next[v as usize][k] = to);
            }
        }
        let mut seen = vec![false; next.len()];
        let mut rims = Vec::new();
        for start in 0..next.len() as u32 {
            let (mut rim, mut v) = (Vec::new(), start);
            while next[v as usize][0] != u32::MAX && !std::mem::replace(&mut seen[v as usize], true)
            {
                rim.push(v);
                let onward =
                    next[v as usize].into_iter().find(|n| *n != u32::MAX && !seen[*n as usize]);
                v = onward.unwrap_or(start);
            }
            if rim.len() > 2 {
                rims.push(rim);
            }
        }
        rims
    }

    /// The widest section of the body near a height that is not an arm: the one nearest to the middle.
    fn section_at(&self, y: f64) -> Option<toile_body::Loop> {
        let plane = toile_body::Plane::level(y);
        let sections = toile_body::slice(&self.body, plane);
        sections.into_iter().max_by(|a, b| {
            let girth = |l: &toile_body::Loop| l.girth(plane.normal);
            girth(a).total_cmp(&girth(b))
        })
    }

    /// The middle of the body at a height.
    fn body_axis(&self, y: f64) -> DVec3 {
        let section = self.section_at(y);
        section.map_or(DVec3::ZERO, |l| l.points.iter().sum::<DVec3>() / l.points.len() as f64)
    }

    /// The least girth of the body about a height [m].
    fn body_girth(&self, y: f64) -> Option<f64> {
        let heights = [-NEAR, -0.5 * NEAR, 0.0, 0.5 * NEAR, NEAR].map(|d| y + d);
        let girths = heights.into_iter().filter_map(|y| Some(self.section_at(y)?.girth(DVec3::Y)));
        girths.min_by(f64::total_cmp)
    }
}

/// How often a closed line goes around an upright axis.
fn winding(points: &[DVec3], axis: DVec3) -> f64 {
    let angle = |p: DVec3| libm::atan2(p.z - axis.z, p.x - axis.x);
    let turn = |k: usize| {
        let by = angle(points[(k + 1) % points.len()]) - angle(points[k]);
        by - TAU * (by / TAU).round()
    };
    (0..points.len()).map(turn).sum::<f64>() / TAU
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_around_an_axis_turns_once_and_one_beside_it_not_at_all() {
        let at = |k: u32| {
            let (sin, cos) = libm::sincos(0.2 * f64::from(k));
            DVec3::new(cos, 0.1 * sin, sin)
        };
        let circle: Vec<DVec3> = (0..31).map(at).collect();
        assert!((winding(&circle, DVec3::ZERO).abs() - 1.0).abs() < 1e-9);
        assert!(winding(&circle, DVec3::X * 2.0).abs() < 1e-9);
    }
}
