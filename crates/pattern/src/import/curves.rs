//! Edges from a line of points.
//!
//! A drawing program writes curves as many short lines. Where the line has a corner it is cut; what lies between is a
//! straight edge, or cubic curves fitted by least squares [schneider1990] that pass within [`TOLERANCE`] of every point.

use crate::edge::{Curve, Edge};
use glam::DVec2;

/// A curve passes this near to the points it was recovered from [m].
const TOLERANCE: f64 = 3e-4;

/// Points nearer than this are one [m].
const MERGE_DISTANCE: f64 = 1e-5;

/// A turn sharper than this is a corner [rad].
const CORNER_ANGLE: f64 = 0.6;

/// A turn less sharp than this is part of a curve, unless two long lines meet there [rad].
const SMOOTH_ANGLE: f64 = 0.2;

/// A line of points that is this long was drawn as a line [m].
const MIN_LINE_LENGTH: f64 = 0.04;

/// Most points of the outline of a piece.
pub(crate) const MAX_VERTICES: usize = 20_000;

/// What a drawing says about a point of a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Nothing.
    #[default]
    Unknown,
    /// It is a corner, or the end of a straight line.
    Turn,
    /// It lies on a curve.
    Curve,
}

/// A point of a line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Vertex {
    /// Its place [m].
    pub(crate) at: DVec2,
    /// tan(θ/4) of the arc that follows it; 0 for a line.
    pub(crate) bulge: f64,
    /// What it is.
    pub(crate) kind: Kind,
}

/// A line of points.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Polyline {
    /// Its points; at least two.
    pub(crate) vertices: Vec<Vertex>,
    /// Whether the last is joined to the first.
    pub(crate) closed: bool,
}

impl Polyline {
    /// Its points.
    pub(crate) fn points(&self) -> Vec<DVec2> {
        self.vertices.iter().map(|v| v.at).collect()
    }

    /// Without points that repeat the one before.
    fn simplified(&self) -> Vec<Vertex> {
        let mut kept: Vec<Vertex> = Vec::with_capacity(self.vertices.len());
        for v in &self.vertices {
            match kept.last_mut() {
                Some(last) if last.at.distance(v.at) < MERGE_DISTANCE => {
                    last.bulge = v.bulge;
                    if v.kind != Kind::Unknown {
                        last.kind = v.kind;
                    }
                }
                _ => kept.push(*v),
            }
        }
        while self.closed
            && kept.len() > 2
            && kept[0].at.distance(kept[kept.len() - 1].at) < MERGE_DISTANCE
        {
            kept.pop();
        }
        kept
    }
}

/// The edges of a line, numbered from 1.
pub(crate) fn edges(line: &Polyline) -> Vec<Edge> {
    let mut v = line.simplified();
    if v.len() < 2 {
        return Vec::new();
    }
    let mut cuts = corners(&v, line.closed);
    if line.closed {
        // The outline begins at a corner.
        let first = cuts.first().copied().unwrap_or(0);
        v.rotate_left(first);
        cuts.iter_mut().for_each(|c| *c -= first);
        if cuts.is_empty() {
            cuts = (0..4).map(|k| k * v.len() / 4).collect();
            cuts.dedup();
        }
        v.push(v[0]);
        cuts.push(v.len() - 1);
    } else {
        cuts.insert(0, 0);
        cuts.push(v.len() - 1);
        cuts.dedup();
    }
    let mut edges = Vec::new();
    for pair in cuts.windows(2) {
        stretch(&v[pair[0]..=pair[1]], &mut edges);
    }
    for (i, e) in edges.iter_mut().enumerate() {
        e.name = (i + 1).to_string();
    }
    edges
}

/// Points at which the line is cut.
fn corners(v: &[Vertex], closed: bool) -> Vec<usize> {
    let n = v.len();
    let known = v.iter().any(|v| v.kind == Kind::Curve);
    let turn = |k: usize| {
        let (a, b, c) = (v[(k + n - 1) % n].at, v[k].at, v[(k + 1) % n].at);
        (b - a).angle_to(c - b).abs()
    };
    let length = |k: usize| v[k % n].at.distance(v[(k + 1) % n].at);
    let is_corner = |k: usize| {
        let (before, after) = ((k + n - 1) % n, (k + 1) % n);
        if v[k].bulge != 0.0 || v[before].bulge != 0.0 || n <= 4 {
            return true;
        }
        let angle = turn(k);
        if known {
            // Between two turn points there is no curve: a line ends here.
            let (l, m) = (v[before].kind != Kind::Curve, v[after].kind != Kind::Curve);
            let ends = (l || m) && (angle > 0.005 || l != m);
            return v[k].kind != Kind::Curve && (angle > SMOOTH_ANGLE || ends);
        }
        let (l, m) = (length(before), length(k));
        // A long line that meets another, or the short lines of a curve.
        let (long, short) = (l.max(m), l.min(m));
        let line_ends = long > MIN_LINE_LENGTH
            && (long > 4.0 * short || (short > MIN_LINE_LENGTH && angle > 0.005));
        let stands_out = angle > 2.5 * turn(before) && angle > 2.5 * turn(after);
        angle > CORNER_ANGLE || (angle > SMOOTH_ANGLE && stands_out) || line_ends
    };
    let range = if closed { 0..n } else { 1..n - 1 };
    range.filter(|k| is_corner(*k)).collect()
}

/// The edges between two corners.
fn stretch(v: &[Vertex], edges: &mut Vec<Edge>) {
    let (first, last) = (v[0], v[v.len() - 1]);
    if v.len() == 2 && first.bulge != 0.0 {
        let curve = Curve::Arc { bulge: first.bulge };
        edges.push(Edge { name: String::new(), from: first.at, to: last.at, curve });
        return;
    }
    let points: Vec<DVec2> = v.iter().map(|v| v.at).collect();
    if points.len() >= 6 && points.len() < 2000 && deviation(&points) >= TOLERANCE {
        // Between corners the directions are free, and one curve is often enough.
        if let Some(controls) = free_fit(&points) {
            edges.push(Edge::cubic("", first.at, controls, last.at));
            return;
        }
    }
    let ends = [tangent(&points), -tangent(&points.iter().rev().copied().collect::<Vec<_>>())];
    fit(&points, ends, edges);
}

/// Direction of a curve at its beginning: of the parabola through its first three points.
fn tangent(p: &[DVec2]) -> DVec2 {
    let chord = (p[1] - p[0]).normalize_or_zero();
    if p.len() < 3 {
        return chord;
    }
    let (l, m) = (p[0].distance(p[1]), p[1].distance(p[2]));
    let (d, e) = ((p[1] - p[0]) / l, (p[2] - p[1]) / m);
    (d + (d - e) * (l / (l + m))).try_normalize().unwrap_or(chord)
}

/// Edges through points with given directions at both ends.
fn fit(p: &[DVec2], ends: [DVec2; 2], edges: &mut Vec<Edge>) {
    let (from, to) = (p[0], p[p.len() - 1]);
    if p.len() == 2 || deviation(p) < TOLERANCE {
        edges.push(Edge::line("", from, to));
        return;
    }
    let mut u = chord_parameters(p);
    let mut worst = 0;
    for _ in 0..6 {
        let controls = least_squares(p, &u, ends);
        let c = [from, controls[0], controls[1], to];
        let (at, error) = largest_error(p, &u, &c);
        if error < TOLERANCE {
            edges.push(Edge::cubic("", from, controls, to));
            return;
        }
        worst = at;
        if error > 30.0 * TOLERANCE {
            break;
        }
        u.iter_mut().zip(p).for_each(|(u, p)| *u = nearer(&c, *p, *u));
    }
    // Long lines are cut near their middle, so that the work stays bounded.
    let n = p.len();
    let margin = if n > 64 { n / 8 } else { 1 };
    let cut = worst.clamp(margin, n - 1 - margin);
    let across = (p[cut + 1] - p[cut - 1]).normalize_or_zero();
    fit(&p[..=cut], [ends[0], across], edges);
    fit(&p[cut..], [across, ends[1]], edges);
}

/// Farthest distance of a point from the line between the ends [m].
fn deviation(p: &[DVec2]) -> f64 {
    let (a, d) = (p[0], p[p.len() - 1] - p[0]);
    let gap = |q: DVec2| {
        let t = ((q - a).dot(d) / d.length_squared().max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
        q.distance(a + t * d)
    };
    p.iter().map(|q| gap(*q)).fold(0.0, f64::max)
}

/// Parameters from 0 to 1 by the lengths of the lines between points.
fn chord_parameters(p: &[DVec2]) -> Vec<f64> {
    let mut u = vec![0.0];
    for pair in p.windows(2) {
        u.push(u[u.len() - 1] + pair[0].distance(pair[1]));
    }
    let total = u[u.len() - 1].max(f64::MIN_POSITIVE);
    u.iter_mut().for_each(|x| *x /= total);
    u
}

/// Control points along given tangents that are nearest to the points.
fn least_squares(p: &[DVec2], u: &[f64], [s, e]: [DVec2; 2]) -> [DVec2; 2] {
    let (from, to) = (p[0], p[p.len() - 1]);
    let (mut c00, mut c01, mut c11, mut x0, mut x1) = (0.0, 0.0, 0.0, 0.0, 0.0);
    for (p, &t) in p.iter().zip(u) {
        let m = 1.0 - t;
        let (b0, b1, b2, b3) = (m * m * m, 3.0 * t * m * m, 3.0 * t * t * m, t * t * t);
        let (a0, a1) = (b1 * s, -b2 * e);
        let rest = *p - (b0 + b1) * from - (b2 + b3) * to;
        c00 += a0.dot(a0);
        c01 += a0.dot(a1);
        c11 += a1.dot(a1);
        x0 += a0.dot(rest);
        x1 += a1.dot(rest);
    }
    let chord = from.distance(to);
    let det = c00 * c11 - c01 * c01;
    let (mut l, mut r) = ((x0 * c11 - x1 * c01) / det, (c00 * x1 - c01 * x0) / det);
    let possible = |x: f64| x.is_finite() && x > 1e-3 * chord && x < 3.0 * chord;
    if det <= 1e-12 * c00 * c11 || !possible(l) || !possible(r) {
        (l, r) = (chord / 3.0, chord / 3.0);
    }
    [from + l * s, to - r * e]
}

/// Control points of a curve of any direction at its ends that passes near all points, if there is one.
fn free_fit(p: &[DVec2]) -> Option<[DVec2; 2]> {
    let (from, to) = (p[0], p[p.len() - 1]);
    let mut u = chord_parameters(p);
    let mut best: Option<(f64, [DVec2; 2])> = None;
    for _ in 0..12 {
        let (mut a, mut b, mut d) = (0.0, 0.0, 0.0);
        let (mut x, mut y) = (DVec2::ZERO, DVec2::ZERO);
        for (p, &t) in p.iter().zip(&u) {
            let m = 1.0 - t;
            let (b1, b2) = (3.0 * t * m * m, 3.0 * t * t * m);
            let rest = *p - m * m * m * from - t * t * t * to;
            (a, b, d) = (a + b1 * b1, b + b1 * b2, d + b2 * b2);
            (x, y) = (x + b1 * rest, y + b2 * rest);
        }
        let det = a * d - b * b;
        if det <= 1e-9 * a * d {
            return None;
        }
        let controls = [(d * x - b * y) / det, (a * y - b * x) / det];
        let c = [from, controls[0], controls[1], to];
        let (_, error) = largest_error(p, &u, &c);
        if best.is_none_or(|(e, _)| error < e) {
            best = Some((error, controls));
        }
        u.iter_mut().zip(p).for_each(|(u, p)| *u = nearer(&c, *p, *u));
        if u.windows(2).any(|w| w[1] <= w[0]) {
            break;
        }
    }
    // A loop between the points would not be seen: the curve is hardly longer than they are.
    let (error, controls) = best.filter(|b| b.0 < TOLERANCE)?;
    let length: f64 = p.windows(2).map(|w| w[0].distance(w[1])).sum();
    let curve = Edge::cubic("", from, controls, to);
    (error.is_finite() && curve.is_finite() && curve.length() < 1.02 * length).then_some(controls)
}

fn bezier(c: &[DVec2; 4], t: f64) -> DVec2 {
    let m = 1.0 - t;
    m * m * m * c[0] + 3.0 * t * m * m * c[1] + 3.0 * t * t * m * c[2] + t * t * t * c[3]
}

/// The point that is farthest from the curve, and how far [m].
fn largest_error(p: &[DVec2], u: &[f64], c: &[DVec2; 4]) -> (usize, f64) {
    let mut worst = (1, 0.0);
    for k in 1..p.len() - 1 {
        let gap = p[k].distance(bezier(c, u[k]));
        if gap > worst.1 {
            worst = (k, gap);
        }
    }
    worst
}

/// A parameter nearer to the foot of a point on the curve: one step of Newton.
fn nearer(c: &[DVec2; 4], p: DVec2, t: f64) -> f64 {
    let m = 1.0 - t;
    let d = 3.0 * (m * m * (c[1] - c[0]) + 2.0 * t * m * (c[2] - c[1]) + t * t * (c[3] - c[2]));
    let dd = 6.0 * (m * (c[2] - 2.0 * c[1] + c[0]) + t * (c[3] - 2.0 * c[2] + c[1]));
    let gap = bezier(c, t) - p;
    let slope = d.dot(d) + gap.dot(dd);
    if slope <= 0.0 { t } else { (t - gap.dot(d) / slope).clamp(0.0, 1.0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(points: &[DVec2], closed: bool) -> Polyline {
        let vertex = |at: &DVec2| Vertex { at: *at, bulge: 0.0, kind: Kind::Unknown };
        Polyline { vertices: points.iter().map(vertex).collect(), closed }
    }

    #[test]
    fn a_quarter_of_an_ellipse_between_straight_lines_is_recovered() {
        let mut p = vec![DVec2::new(0.3, 0.0)];
        for i in 0..=30 {
            let a = std::f64::consts::FRAC_PI_2 * f64::from(i) / 30.0;
            p.push(DVec2::new(0.3, 0.3) + DVec2::new(0.1 * a.cos(), 0.2 * a.sin()));
        }
        p.extend([DVec2::new(0.0, 0.5), DVec2::ZERO]);
        let made = edges(&line(&p, true));
        let curved: Vec<_> = made.iter().filter(|e| !e.is_straight()).collect();
        assert!(made.len() - curved.len() == 4, "{made:?}");
        assert!(curved.len() <= 2, "{}", curved.len());
        for e in &curved {
            for i in 0..=50 {
                let q = (e.point(f64::from(i) / 50.0) - DVec2::splat(0.3)) / DVec2::new(0.1, 0.2);
                assert!((q.length() - 1.0).abs() < 4e-3, "{q}");
            }
        }
        // Nothing is left out between the edges.
        for (a, b) in made.iter().zip(made.iter().cycle().skip(1)) {
            assert_eq!(a.to, b.from);
        }
    }

    #[test]
    fn a_circle_has_no_corner_and_is_kept() {
        let p: Vec<DVec2> = (0..60)
            .map(|i| 0.2 * DVec2::from_angle(f64::from(i) * std::f64::consts::TAU / 60.0))
            .collect();
        let made = edges(&line(&p, true));
        let length: f64 = made.iter().map(Edge::length).sum();
        assert!((length - 0.4 * std::f64::consts::PI).abs() < 1e-3, "{length}");
        assert!(made.len() <= 6, "{}", made.len());
    }

    #[test]
    fn any_points_give_edges_that_join_after_bounded_work() {
        let mut state = 1_u64;
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 40) as f64 / f64::from(1 << 24)
        };
        for n in [2, 3, 5, 200, 20_000] {
            let p: Vec<DVec2> = (0..n).map(|_| DVec2::new(random(), random())).collect();
            let made = edges(&line(&p, true));
            assert!(made.iter().all(Edge::is_finite) && made.len() <= n + 1);
            for (a, b) in made.iter().zip(made.iter().cycle().skip(1)) {
                assert_eq!(a.to, b.from);
            }
        }
        let zigzag: Vec<DVec2> =
            (0..20_000).map(|i| DVec2::new(1e-3 * f64::from(i), 1e-4 * f64::from(i % 2))).collect();
        assert!(!edges(&line(&zigzag, false)).is_empty());
    }
}
