//! One edge of a panel: a line, a quadratic or cubic Bézier curve, or an arc of a circle.
//!
//! Points are in the plane of the pattern [m]. Places on an edge are given by arc length, so that
//! "the middle" means the same on every kind of curve. Lengths of Bézier curves are computed to
//! [`ACCURACY`].
//!
//! An arc is stored by its bulge b = tan(θ/4), with θ the angle it turns through; positive turns left
//! (counterclockwise) and lies to the right of the chord. Its radius is |c|·(1 + b²) / (4·|b|) for a
//! chord c, its length |θ|·r.

use glam::DVec2;
use kurbo::{CubicBez, ParamCurve, ParamCurveArclen, Point, QuadBez};

/// Error allowed in lengths of Bézier curves [m]: far below what can be cut, far above rounding.
pub const ACCURACY: f64 = 1e-8;

/// Error allowed in lengths of Bézier curves as a part of their control polygon: where it is more than
/// [`ACCURACY`], the curve is too large for that, and halving it on would take for ever.
const RELATIVE_ACCURACY: f64 = 1e-9;

/// Control points farther away than this [m] have no squares in double precision, which lengths need.
const MAX_COMPUTABLE: f64 = 1e100;

/// No point of a pattern that is read is farther from its origin [m]: a fabric store rolls out less.
pub(crate) const MAX_COORDINATE: f64 = 100.0;

/// An arc whose bulge is smaller than this is straight to within rounding.
const FLAT_BULGE: f64 = 1e-9;

/// The shape of an edge between its two ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Curve {
    /// A straight line.
    Line,
    /// A quadratic Bézier curve.
    Quadratic {
        /// Its control point [m].
        control: DVec2,
    },
    /// A cubic Bézier curve.
    Cubic {
        /// Its control points [m].
        controls: [DVec2; 2],
    },
    /// An arc of a circle.
    Arc {
        /// tan(θ/4) of the angle θ it turns through; positive turns left.
        bulge: f64,
    },
}

/// An edge of a panel, with a direction.
#[derive(Clone, Debug, PartialEq)]
pub struct Edge {
    /// What seams, darts and notches call it; unique in its panel.
    pub name: String,
    /// Where it begins [m].
    pub from: DVec2,
    /// Where it ends [m].
    pub to: DVec2,
    /// Its shape.
    pub curve: Curve,
}

impl Edge {
    /// A straight edge.
    pub fn line(name: impl Into<String>, from: DVec2, to: DVec2) -> Self {
        Self { name: name.into(), from, to, curve: Curve::Line }
    }

    /// A quadratic Bézier curve.
    pub fn quadratic(name: impl Into<String>, from: DVec2, control: DVec2, to: DVec2) -> Self {
        Self { name: name.into(), from, to, curve: Curve::Quadratic { control } }
    }

    /// A cubic Bézier curve.
    pub fn cubic(name: impl Into<String>, from: DVec2, controls: [DVec2; 2], to: DVec2) -> Self {
        Self { name: name.into(), from, to, curve: Curve::Cubic { controls } }
    }

    /// The arc of a circle that passes through a third point; a line if the three are in line.
    pub fn arc_through(name: impl Into<String>, from: DVec2, through: DVec2, to: DVec2) -> Self {
        // The angle at `through` is θ/2 short of a half turn (inscribed angle), whatever the point.
        let (a, b) = (through - from, to - through);
        let half = libm::atan2(a.perp_dot(b), a.dot(b));
        let bulge = libm::tan(0.5 * half);
        let curve = if bulge.abs() < FLAT_BULGE { Curve::Line } else { Curve::Arc { bulge } };
        Self { name: name.into(), from, to, curve }
    }

    /// The arc of a circle of given radius [m]. `large` chooses the arc of more than a half turn,
    /// `left` the one that turns left. A radius below half the chord gives the half circle.
    pub fn arc_of_radius(
        name: impl Into<String>,
        from: DVec2,
        to: DVec2,
        radius: f64,
        large: bool,
        left: bool,
    ) -> Self {
        let half_angle = libm::asin((0.5 * from.distance(to) / radius.abs()).min(1.0));
        let half_angle = if large { std::f64::consts::PI - half_angle } else { half_angle };
        let bulge = libm::tan(0.5 * half_angle) * if left { 1.0 } else { -1.0 };
        Self { name: name.into(), from, to, curve: Curve::Arc { bulge } }
    }

    /// Whether all numbers are finite.
    pub fn is_finite(&self) -> bool {
        let curve = match self.curve {
            Curve::Line => true,
            Curve::Quadratic { control } => control.is_finite(),
            Curve::Cubic { controls: [a, b] } => a.is_finite() && b.is_finite(),
            Curve::Arc { bulge } => bulge.is_finite(),
        };
        curve && self.from.is_finite() && self.to.is_finite()
    }

    /// Its ends and control points, in order.
    fn control_points(&self) -> [DVec2; 4] {
        match self.curve {
            Curve::Line | Curve::Arc { .. } => [self.from, self.from, self.to, self.to],
            Curve::Quadratic { control } => [self.from, control, control, self.to],
            Curve::Cubic { controls: [a, b] } => [self.from, a, b, self.to],
        }
    }

    /// Largest coordinate of its ends and control points [m].
    fn extent(&self) -> f64 {
        self.control_points().iter().map(|p| p.abs().max_element()).fold(0.0, f64::max)
    }

    /// Length of its control polygon [m], of which it is a part.
    fn control_length(&self) -> f64 {
        let pairs = self.control_points();
        pairs.windows(2).map(|p| libm::hypot(p[1].x - p[0].x, p[1].y - p[0].y)).sum()
    }

    /// Error allowed in its length [m].
    fn accuracy(&self) -> f64 {
        ACCURACY.max(RELATIVE_ACCURACY * self.control_length())
    }

    /// Refuses an edge of a file that is far from everything. Numbers that are not finite are left to
    /// [`crate::Pattern::check`].
    pub(crate) fn refuse_if_far(&self) -> Result<(), String> {
        match self.extent() {
            far if far.is_finite() && far > MAX_COORDINATE => Err(format!(
                "edge `{}`: a coordinate of {far:.3e} m is more than {MAX_COORDINATE} m; check the unit",
                self.name
            )),
            _ => Ok(()),
        }
    }

    /// Whether it is drawn straight.
    pub fn is_straight(&self) -> bool {
        match self.curve {
            Curve::Line => true,
            Curve::Arc { bulge } => bulge.abs() < FLAT_BULGE,
            Curve::Quadratic { .. } | Curve::Cubic { .. } => {
                // A straight curve is as long as its chord.
                self.length() <= self.from.distance(self.to) * (1.0 + 1e-9) + ACCURACY
            }
        }
    }

    /// The point at the parameter t of the curve, 0 at the beginning and 1 at the end.
    pub fn point(&self, t: f64) -> DVec2 {
        match self.curve {
            Curve::Line => self.from.lerp(self.to, t),
            Curve::Quadratic { control } => from_point(self.quad(control).eval(t)),
            Curve::Cubic { controls } => from_point(self.bezier(controls).eval(t)),
            Curve::Arc { bulge } => match self.circle(bulge) {
                None => self.from.lerp(self.to, t),
                Some((centre, angle)) => {
                    let (sin, cos) = libm::sincos(angle * t);
                    centre + DVec2::new(cos, sin).rotate(self.from - centre)
                }
            },
        }
    }

    /// Its length [m]; not a number if one of its numbers is not.
    pub fn length(&self) -> f64 {
        if !self.is_finite() {
            return f64::NAN;
        }
        match self.curve {
            Curve::Line => self.from.distance(self.to),
            Curve::Quadratic { .. } | Curve::Cubic { .. } if self.extent() > MAX_COMPUTABLE => {
                self.control_length()
            }
            Curve::Quadratic { control } => self.quad(control).arclen(self.accuracy()),
            Curve::Cubic { controls } => self.bezier(controls).arclen(self.accuracy()),
            Curve::Arc { bulge } => match self.circle(bulge) {
                None => self.from.distance(self.to),
                Some((centre, angle)) => angle.abs() * self.from.distance(centre),
            },
        }
    }

    /// The parameter at an arc length s [m] from the beginning; s is held between the ends.
    pub fn parameter(&self, s: f64) -> f64 {
        let length = self.length();
        if s.is_nan() || length.is_nan() || s <= 0.0 || length <= 0.0 {
            return 0.0;
        }
        if s >= length {
            return 1.0;
        }
        match self.curve {
            Curve::Line | Curve::Arc { .. } => s / length,
            _ if self.extent() > MAX_COMPUTABLE => s / length,
            Curve::Quadratic { control } => self.quad(control).inv_arclen(s, self.accuracy()),
            Curve::Cubic { controls } => self.bezier(controls).inv_arclen(s, self.accuracy()),
        }
    }

    /// The point at an arc length s [m] from the beginning.
    pub fn at(&self, s: f64) -> DVec2 {
        self.point(self.parameter(s))
    }

    /// Unit vector along the edge at an arc length s [m]; zero where it has no direction.
    pub fn direction(&self, s: f64) -> DVec2 {
        let t = self.parameter(s);
        let (a, b) = ((t - 1e-4).max(0.0), (t + 1e-4).min(1.0));
        (self.point(b) - self.point(a)).normalize_or_zero()
    }

    /// `count + 1` points at equal arc lengths, both ends among them.
    pub fn divide(&self, count: usize) -> Vec<DVec2> {
        let (count, length) = (count.max(1), self.length());
        let mut points: Vec<DVec2> =
            (0..=count).map(|i| self.at(length * i as f64 / count as f64)).collect();
        // The ends are those of the edge to the last bit: neighbours must agree on them.
        points[0] = self.from;
        points[count] = self.to;
        points
    }

    /// The part between two arc lengths [m].
    pub fn part(&self, from: f64, to: f64) -> Self {
        let (t0, t1) = (self.parameter(from), self.parameter(to));
        let mut part = self.clone();
        (part.from, part.to) = (self.point(t0), self.point(t1));
        part.curve = match self.curve {
            Curve::Line => Curve::Line,
            Curve::Quadratic { control } => {
                let q = self.quad(control).subsegment(t0..t1);
                Curve::Quadratic { control: from_point(q.p1) }
            }
            Curve::Cubic { controls } => {
                let c = self.bezier(controls).subsegment(t0..t1);
                Curve::Cubic { controls: [from_point(c.p1), from_point(c.p2)] }
            }
            Curve::Arc { bulge } => {
                let angle = 4.0 * libm::atan(bulge) * (t1 - t0);
                Curve::Arc { bulge: libm::tan(0.25 * angle) }
            }
        };
        part
    }

    /// The same edge walked the other way.
    pub fn reversed(&self) -> Self {
        let curve = match self.curve {
            Curve::Cubic { controls: [a, b] } => Curve::Cubic { controls: [b, a] },
            Curve::Arc { bulge } => Curve::Arc { bulge: -bulge },
            other => other,
        };
        Self { name: self.name.clone(), from: self.to, to: self.from, curve }
    }

    /// The edge with all points moved by a similarity; `flips` says whether it is a reflection.
    pub fn map(&self, f: impl Fn(DVec2) -> DVec2, flips: bool) -> Self {
        let curve = match self.curve {
            Curve::Line => Curve::Line,
            Curve::Quadratic { control } => Curve::Quadratic { control: f(control) },
            Curve::Cubic { controls: [a, b] } => Curve::Cubic { controls: [f(a), f(b)] },
            Curve::Arc { bulge } => Curve::Arc { bulge: if flips { -bulge } else { bulge } },
        };
        Self { name: self.name.clone(), from: f(self.from), to: f(self.to), curve }
    }

    /// Points along the edge that follow it to within `tolerance` [m], both ends among them.
    pub fn flatten(&self, tolerance: f64) -> Vec<DVec2> {
        if !self.is_finite() || matches!(self.curve, Curve::Line) {
            return vec![self.from, self.to];
        }
        // n equal steps of a curve with |p''| ≤ m stray by at most m/(8 n²).
        let bend = |a: DVec2, b: DVec2, c: DVec2| (a - 2.0 * b + c).length();
        let m = match self.curve {
            Curve::Line => 0.0,
            Curve::Quadratic { control } => 2.0 * bend(self.from, control, self.to),
            Curve::Cubic { controls: [a, b] } => {
                6.0 * bend(self.from, a, b).max(bend(a, b, self.to))
            }
            Curve::Arc { bulge } => self.length() * (4.0 * libm::atan(bulge)).abs(),
        };
        let n = (0.125 * m / tolerance.max(1e-9)).sqrt().ceil().clamp(2.0, 400.0) as usize;
        let mut points: Vec<DVec2> = (0..=n).map(|i| self.point(i as f64 / n as f64)).collect();
        points[0] = self.from;
        points[n] = self.to;
        points
    }

    fn quad(&self, control: DVec2) -> QuadBez {
        QuadBez::new(point(self.from), point(control), point(self.to))
    }

    fn bezier(&self, [a, b]: [DVec2; 2]) -> CubicBez {
        CubicBez::new(point(self.from), point(a), point(b), point(self.to))
    }

    /// Centre and angle of an arc, or nothing if it is straight.
    fn circle(&self, bulge: f64) -> Option<(DVec2, f64)> {
        if bulge.abs() < FLAT_BULGE {
            return None;
        }
        let chord = self.to - self.from;
        let centre =
            self.from + 0.5 * chord + chord.perp() * ((1.0 - bulge * bulge) / (4.0 * bulge));
        Some((centre, 4.0 * libm::atan(bulge)))
    }
}

fn point(p: DVec2) -> Point {
    Point::new(p.x, p.y)
}

fn from_point(p: Point) -> DVec2 {
    DVec2::new(p.x, p.y)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::{FRAC_PI_2, PI};

    fn v(x: f64, y: f64) -> DVec2 {
        DVec2::new(x, y)
    }

    fn kinds() -> Vec<Edge> {
        vec![
            Edge::line("line", v(0.0, 0.0), v(0.3, 0.4)),
            Edge::quadratic("quadratic", v(0.0, 0.0), v(0.3, 0.0), v(0.3, 0.4)),
            Edge::cubic("cubic", v(0.0, 0.0), [v(0.1, -0.2), v(0.5, 0.2)], v(0.3, 0.4)),
            Edge::arc_through("arc", v(0.1, 0.0), v(0.0, 0.1), v(-0.1, 0.0)),
        ]
    }

    #[test]
    fn curves_of_any_size_have_a_length_after_bounded_work() {
        for far in [1e3, 1e9, 1e20, 1e30, 1e150, 1e300] {
            for edge in [
                Edge::cubic("c", v(0.0, 0.0), [v(0.1, 0.2), v(far, 0.3)], v(0.4, -0.1)),
                Edge::quadratic("q", v(0.0, 0.0), v(0.1, far), v(0.4, -0.1)),
                Edge::cubic("cusp", v(0.0, 0.0), [v(far, far), v(0.0, far)], v(far, 0.0)),
            ] {
                let length = edge.length();
                let chord = edge.to - edge.from;
                assert!(length >= 0.9 * libm::hypot(chord.x, chord.y) && length.is_finite());
                assert!(edge.at(0.3 * length).is_finite());
                assert!(edge.flatten(1e-4).len() <= 401);
            }
        }
    }

    #[test]
    fn a_half_circle_has_the_length_of_a_half_circle() {
        let arc = Edge::arc_through("a", v(1.0, 0.0), v(0.0, 1.0), v(-1.0, 0.0));
        assert!((arc.length() - PI).abs() < 1e-12, "{}", arc.length());
        assert!(arc.point(0.5).distance(v(0.0, 1.0)) < 1e-12);
        let other = Edge::arc_through("a", v(1.0, 0.0), v(0.0, -1.0), v(-1.0, 0.0));
        assert!(other.point(0.5).distance(v(0.0, -1.0)) < 1e-12);
    }

    #[test]
    fn an_arc_passes_through_its_third_point_wherever_that_lies() {
        for angle in [0.1, 1.0, 2.0, 3.5, 5.0] {
            let on = |a: f64| v(0.7, -0.2) + 0.5 * v(a.cos(), a.sin());
            let arc = Edge::arc_through("a", on(0.0), on(angle), on(5.5));
            assert!((arc.length() - 0.5 * 5.5).abs() < 1e-12, "{angle}: {}", arc.length());
            let nearest = (0..=5500)
                .map(|i| arc.point(i as f64 / 5500.0).distance(on(angle)))
                .fold(f64::MAX, f64::min);
            assert!(nearest < 1e-3, "{angle}: {nearest}");
        }
    }

    #[test]
    fn an_arc_of_given_radius_lies_on_the_side_asked_for() {
        let quarter = Edge::arc_of_radius("a", v(1.0, 0.0), v(0.0, 1.0), 1.0, false, true);
        assert!((quarter.length() - FRAC_PI_2).abs() < 1e-12);
        assert!((quarter.point(0.5).length() - 1.0).abs() < 1e-12);
        let rest = Edge::arc_of_radius("a", v(1.0, 0.0), v(0.0, 1.0), 1.0, true, false);
        assert!((rest.length() - 3.0 * FRAC_PI_2).abs() < 1e-12);
        assert!((rest.point(0.5).length() - 1.0).abs() < 1e-12);
    }

    #[test]
    fn the_length_of_a_curve_is_the_limit_of_its_polygons() {
        for edge in kinds() {
            let n = 20_000;
            let points: Vec<DVec2> = (0..=n).map(|i| edge.point(i as f64 / n as f64)).collect();
            let polygon: f64 = points.windows(2).map(|p| p[0].distance(p[1])).sum();
            assert!((edge.length() - polygon).abs() < 1e-7, "{}", edge.name);
        }
    }

    #[test]
    fn parts_add_up_and_lie_on_the_edge() {
        for edge in kinds() {
            let length = edge.length();
            let (a, b) = (edge.part(0.0, 0.3 * length), edge.part(0.3 * length, length));
            assert!((a.length() - 0.3 * length).abs() < 1e-7, "{}", edge.name);
            assert!((a.length() + b.length() - length).abs() < 1e-7, "{}", edge.name);
            assert!(a.to.distance(b.from) < 1e-12);
            assert!(b.at(0.35 * length).distance(edge.at(0.65 * length)) < 1e-6, "{}", edge.name);
        }
    }

    #[test]
    fn a_reversed_edge_is_the_same_curve() {
        for edge in kinds() {
            let back = edge.reversed();
            assert!((back.length() - edge.length()).abs() < 1e-7);
            assert!(back.point(0.25).distance(edge.point(0.75)) < 1e-12, "{}", edge.name);
        }
    }

    #[test]
    fn division_gives_chords_of_nearly_equal_length() {
        for edge in kinds() {
            let points = edge.divide(40);
            let chords: Vec<f64> = points.windows(2).map(|p| p[0].distance(p[1])).collect();
            let (low, high) =
                chords.iter().fold((f64::MAX, 0.0_f64), |(l, h), &c| (l.min(c), h.max(c)));
            assert!(high / low < 1.01, "{}: {low} to {high}", edge.name);
        }
    }

    #[test]
    fn flattening_keeps_its_tolerance() {
        for edge in kinds() {
            let points = edge.flatten(1e-4);
            for i in 0..1000 {
                let p = edge.point(i as f64 / 1000.0);
                let gap = points
                    .windows(2)
                    .map(|s| {
                        let d = s[1] - s[0];
                        let t = ((p - s[0]).dot(d) / d.length_squared()).clamp(0.0, 1.0);
                        p.distance(s[0] + t * d)
                    })
                    .fold(f64::MAX, f64::min);
                assert!(gap < 1e-4, "{}: {gap}", edge.name);
            }
        }
    }

    #[test]
    fn an_edge_that_is_not_finite_says_so_and_hangs_nothing() {
        let edge = Edge::cubic("x", v(0.0, 0.0), [v(f64::NAN, 0.0), v(1.0, 1.0)], v(1.0, 0.0));
        assert!(!edge.is_finite());
        assert!(edge.length().is_nan());
        assert!(edge.parameter(0.5) == 0.0);
    }
}
