//! Which seam stays open, and whether there is cloth enough to close it.

use super::{Fitting, PanelRange};
use crate::error::Error;
use glam::{DVec2, DVec3};

/// Most stitches of a seam within a stitch of a plane that it crosses.
const MAX_CROSSING_STITCHES: usize = 6;

impl Fitting {
    /// Which seam is open widest, where, and whether there is cloth enough; nothing if all are closed.
    pub fn open(&self) -> Option<Error> {
        let gap = |i: &usize| self.gap(self.pairs[*i]);
        let open = (0..self.pairs.len()).filter(|i| !self.joined[*i]);
        let widest = open.max_by(|a, b| gap(a).total_cmp(&gap(b)))?;
        let pair = self.pairs[widest];
        let panel = |v: u32| {
            let triangle = self.panels.triangles.iter().position(|t| t.contains(&v)).unwrap_or(0);
            let holds = |r: &PanelRange| r.triangles.contains(&(triangle as u32));
            self.ranges.iter().position(holds).unwrap_or(0)
        };
        let [a, b] = pair.map(|v| self.world.state().x[self.at[v as usize] as usize]);
        let middle = 0.5 * (a + b);
        Some(Error::Open {
            seam: self.seams[widest].clone(),
            panels: pair.map(|v| self.ranges[panel(v)].name.clone()),
            gap: a.distance(b),
            height: middle.y,
            girths: self.girths(pair, pair.map(panel), middle),
        })
    }

    /// Girth of the body at the height of a point, where it is nearest to it, and the length at rest of the cloth around it.
    /// Nothing if the cloth goes around no part of the body, as at a dart.
    fn girths(&self, pair: [u32; 2], panels: [usize; 2], point: DVec3) -> Option<[f64; 2]> {
        let (y, cloth) = if panels[0] == panels[1] {
            // A panel that is sewn to itself is a tube, however it stands.
            let [a, b] = pair.map(|v| self.panels.uv[v as usize]);
            (point.y, a.distance(b))
        } else {
            self.section(panels[0], point)?
        };
        let plane = toile_body::Plane::level(y);
        let loops = toile_body::slice(&self.body, plane);
        let far = |l: &&toile_body::Loop| {
            let ways = l.points.iter().map(|p| p.distance_squared(point));
            ways.fold(f64::INFINITY, f64::min)
        };
        let body = loops.iter().min_by(|a, b| far(a).total_cmp(&far(b)))?.girth(plane.normal);
        (cloth > 0.5 * body).then_some([body, cloth])
    }

    /// How much cloth a level plane near a point cuts, at rest, and how high it is: of a panel, and of all that are sewn to it
    /// or to each other by seams through that plane.
    fn section(&self, panel: usize, point: DVec3) -> Option<(f64, f64)> {
        let x: Vec<DVec3> = self.at.iter().map(|v| self.world.state().x[*v as usize]).collect();
        let panel_of = |t: usize| {
            self.ranges.iter().position(|r| r.triangles.contains(&(t as u32))).unwrap_or(0)
        };
        let mut of_vertex = vec![0; x.len()];
        for (t, tri) in self.panels.triangles.iter().enumerate() {
            tri.iter().for_each(|v| of_vertex[*v as usize] = panel_of(t));
        }
        // Seams that cross the plane join panels around the body; those that run along it join what is above to what is below.
        let mut around = vec![false; self.ranges.len()];
        around[panel] = true;
        let near = |i: &usize| (x[self.pairs[*i][0] as usize].y - point.y).abs() < self.spacing;
        let close: Vec<usize> = (0..self.pairs.len()).filter(near).collect();
        let crosses = |i: &&usize| {
            close.iter().filter(|k| self.seams[**k] == self.seams[**i]).count()
                <= MAX_CROSSING_STITCHES
        };
        let ends = |i: &usize| self.pairs[*i].map(|v| of_vertex[v as usize]);
        let links: Vec<[usize; 2]> = close.iter().filter(crosses).map(ends).collect();
        for _ in 0..self.ranges.len() {
            for [a, b] in &links {
                let either = around[*a] || around[*b];
                (around[*a], around[*b]) = (either, either);
            }
        }
        // A seam may end where a panel does: the plane that cuts most cloth within a stitch is the one meant.
        let heights = [-1.0, -0.5, 0.0, 0.5, 1.0].map(|k| point.y + k * self.spacing);
        let length = |y: f64| -> f64 {
            let triangles = self.panels.triangles.iter().enumerate();
            let pieces = triangles
                .filter(|(t, _)| around[panel_of(*t)])
                .map(|(t, tri)| cut(self.panels.corners_uv(t), tri.map(|v| x[v as usize].y - y)));
            pieces.sum()
        };
        let lengths = heights.map(|y| (y, length(y)));
        lengths.into_iter().max_by(|a, b| a.1.total_cmp(&b.1))
    }
}

/// Length in the pattern of the line in which a plane cuts a triangle whose corners are so high above it [m].
pub(super) fn cut(uv: [DVec2; 3], h: [f64; 3]) -> f64 {
    let crossed =
        [[0, 1], [1, 2], [2, 0]].into_iter().filter(|[i, k]| (h[*i] < 0.0) != (h[*k] < 0.0));
    let ends: Vec<DVec2> = crossed.map(|[i, k]| uv[i].lerp(uv[k], h[i] / (h[i] - h[k]))).collect();
    if let [p, q] = ends[..] { p.distance(q) } else { 0.0 }
}
