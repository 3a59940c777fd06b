//! Topstitching: short arcs of thread along a line on the cloth.

use super::{Chain, Cloth};
use glam::{DVec2, DVec3};
use std::f64::consts::{PI, TAU};
use toile_mesh::TriMesh;

/// Sides and rings of the thread of a stitch.
const SIDES: usize = 6;
const RINGS: usize = 6;
/// Most stitches of a line.
const MAX_STITCHES: f64 = 200_000.0;

/// A line of stitches.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stitch {
    /// Distance from hole to hole [m].
    pub length: f64,
    /// Diameter of the thread [m].
    pub thread: f64,
    /// Distance of the line from the edge, in the cloth [m].
    pub inset: f64,
    /// Height of the cloth's surface above its mesh [m].
    pub lift: f64,
}

impl Cloth<'_> {
    /// Threads beside a line, as geometry; a line too long for the stitch's length has none.
    ///
    /// A positive inset is to the left of the line seen from the front, which is inside along borders; a negative one to
    /// the right.
    pub fn stitches(&self, chain: &Chain, stitch: &Stitch) -> TriMesh {
        let mut out = TriMesh::default();
        if chain.vertices.len() < 2 {
            return out;
        }
        let line = self.line(chain, stitch);
        let total: f64 = line.windows(2).map(|w| w[0].at.distance(w[1].at)).sum();
        let count = (total / stitch.length).round();
        if !(1.0..=MAX_STITCHES).contains(&count) {
            return out;
        }
        let step = total / count;
        let mut walker = Walker { line: &line, segment: 0, done: 0.0 };
        for k in 0..count as usize {
            // A stitch goes over most of its length; the hole takes the rest.
            let from = step * (k as f64 + 0.08);
            let ends = [from, from + 0.84 * step].map(|s| walker.at(s));
            arc(&mut out, &ends, stitch);
        }
        out.uv_triangles = out.triangles.clone();
        out
    }

    /// A flat strip beside a line, for pictures too small for stitches: `stitch.thread` wide, `stitch.lift` above the
    /// surface. Its front is that of the cloth.
    pub fn ribbon(&self, chain: &Chain, stitch: &Stitch) -> TriMesh {
        let mut out = TriMesh::default();
        if chain.vertices.len() < 2 {
            return out;
        }
        let line = self.line(chain, stitch);
        for (k, place) in line.iter().enumerate() {
            let tangent = line[(k + 1).min(line.len() - 1)].at - line[k.saturating_sub(1)].at;
            let side = tangent.cross(place.normal).normalize_or_zero() * (0.5 * stitch.thread);
            out.positions.extend([place.at + side, place.at - side]);
        }
        for k in 0..line.len() as u32 - 1 {
            let a = 2 * k;
            out.triangles.extend([[a, a + 2, a + 3], [a, a + 3, a + 1]]);
        }
        out
    }

    /// The line at its distance from the chain.
    fn line(&self, chain: &Chain, stitch: &Stitch) -> Vec<Place> {
        let n = chain.vertices.len();
        let vertex = |k: usize| chain.vertices[if chain.closed { k % n } else { k.min(n - 1) }];
        let at = |k: usize| self.mesh.positions[vertex(k) as usize];
        let last = if chain.closed { n } else { n - 1 };
        let place = |k: usize| {
            let before = if chain.closed { k + n - 1 } else { k.saturating_sub(1) };
            let tangent = at(k + 1) - at(before);
            let normal = self.normals[vertex(k) as usize];
            let outward = tangent.cross(normal).normalize_or_zero();
            let straight = at(k) - outward * stitch.inset;
            let found = self.nearest(straight).map(|f| Place { at: f.at, normal: f.normal });
            let place = found.unwrap_or(Place { at: straight, normal });
            Place { at: place.at + place.normal * stitch.lift, ..place }
        };
        (0..=last).map(place).collect()
    }
}

/// A point of a line on the cloth.
#[derive(Clone, Copy, Debug)]
struct Place {
    at: DVec3,
    normal: DVec3,
}

/// Goes along a line.
struct Walker<'a> {
    line: &'a [Place],
    segment: usize,
    /// Length of the segments before.
    done: f64,
}

impl Walker<'_> {
    /// The place at a length that does not fall from call to call.
    fn at(&mut self, s: f64) -> Place {
        loop {
            let (a, b) = (self.line[self.segment], self.line[self.segment + 1]);
            let length = a.at.distance(b.at);
            if s <= self.done + length || self.segment + 2 == self.line.len() {
                let t = if length > 0.0 { ((s - self.done) / length).clamp(0.0, 1.0) } else { 0.0 };
                let normal = a.normal.lerp(b.normal, t).normalize_or_zero();
                return Place { at: a.at.lerp(b.at, t), normal };
            }
            self.done += length;
            self.segment += 1;
        }
    }
}

/// A thread that comes up at one end and goes down at the other.
fn arc(out: &mut TriMesh, ends: &[Place; 2], stitch: &Stitch) {
    let [a, b] = ends;
    let along = (b.at - a.at).normalize_or_zero();
    let normal = (a.normal + b.normal).normalize_or_zero();
    let side = along.cross(normal);
    let radius = 0.5 * stitch.thread;
    let first = out.positions.len() as u32;
    for k in 0..RINGS {
        let t = k as f64 / (RINGS - 1) as f64;
        // Half sunk at the ends, on top in between.
        let rise = radius * (1.6 * (PI * t).sin().sqrt() - 0.8);
        let centre = a.at.lerp(b.at, t) + normal * rise;
        let thin = if k == 0 || k + 1 == RINGS { 0.55 } else { 1.0 };
        for s in 0..SIDES {
            let angle = TAU * s as f64 / SIDES as f64;
            out.positions
                .push(centre + (side * angle.cos() + normal * angle.sin()) * (radius * thin));
            let around = radius * angle;
            out.uv.push(DVec2::new(around, t * a.at.distance(b.at)));
        }
    }
    let n = SIDES as u32;
    for k in 0..RINGS as u32 - 1 {
        for s in 0..n {
            let (p, q) = (first + k * n + s, first + k * n + (s + 1) % n);
            out.triangles.extend([[p, q, q + n], [p, q + n, p + n]]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::detail::edge_chains;
    use toile_mesh::shape::{Diagonals, grid};

    #[test]
    fn stitches_follow_the_edge_at_their_distance() {
        let sheet = grid(0.4, 0.4, 40, 40, Diagonals::Same);
        let stitch = Stitch { length: 2.5e-3, thread: 0.4e-3, inset: 0.01, lift: 0.3e-3 };
        let thread = Cloth::new(&sheet).stitches(&edge_chains(&sheet)[0], &stitch);
        let each = SIDES * RINGS;
        let count = thread.positions.len() / each;
        // Four sides of 0.38 m, in stitches of about 2.5 mm.
        assert!((570..=630).contains(&count), "{count}");
        for p in &thread.positions {
            assert!(p.y.abs() < 1e-3);
            let (near, far) = (p.x.abs().min(p.z.abs()), p.x.abs().max(p.z.abs()));
            // At a corner the line turns between two vertices.
            if near < 0.18 {
                assert!((0.0095..0.0105).contains(&(0.2 - far)), "{p}");
            }
        }
    }

    #[test]
    fn a_ribbon_lies_on_the_cloth_and_faces_its_front() {
        let sheet = grid(0.4, 0.4, 40, 40, Diagonals::Same);
        let up = sheet.area_normal(0).normalize();
        let stitch = Stitch { length: 1.0, thread: 2e-3, inset: 0.01, lift: 0.5e-3 };
        let ribbon = Cloth::new(&sheet).ribbon(&edge_chains(&sheet)[0], &stitch);
        assert!(ribbon.positions.iter().all(|p| (p.dot(up) - 0.5e-3).abs() < 1e-9));
        let area: f64 =
            (0..ribbon.triangles.len()).map(|t| 0.5 * ribbon.area_normal(t).dot(up)).sum();
        assert!((area / (4.0 * 0.38 * 2e-3) - 1.0).abs() < 0.05, "{area}");
    }

    #[test]
    fn impossible_lengths_give_no_stitches() {
        let sheet = grid(0.4, 0.4, 4, 4, Diagonals::Same);
        for length in [0.0, -1.0, f64::NAN, 1e-12, 100.0] {
            let stitch = Stitch { length, thread: 0.4e-3, inset: 0.01, lift: 0.0 };
            let thread = Cloth::new(&sheet).stitches(&edge_chains(&sheet)[0], &stitch);
            assert!(thread.triangles.is_empty());
        }
    }
}
