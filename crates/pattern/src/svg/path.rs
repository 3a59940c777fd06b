//! Path data of SVG: all commands, absolute and relative.

use crate::edge::{Curve, Edge};
use glam::{DAffine2, DVec2};
use std::f64::consts::PI;

/// Most commands of a drawing's paths.
const MAX_COMMANDS: usize = 100_000;

/// A run of edges from one `M` to the next.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Subpath {
    /// Its edges, each beginning where the one before ends.
    pub(super) edges: Vec<Edge>,
    /// Whether it says that it is closed.
    pub(super) closed: bool,
}

impl Subpath {
    /// Straight edges through points.
    pub(super) fn of_points(points: &[DVec2], closed: bool, to_plane: &DAffine2) -> Self {
        let at = |p: DVec2| to_plane.transform_point2(p);
        let mut edges: Vec<Edge> =
            points.windows(2).map(|w| Edge::line("", at(w[0]), at(w[1]))).collect();
        if let (true, Some(a), Some(b)) = (closed, points.first(), points.last())
            && a != b
        {
            edges.push(Edge::line("", at(*b), at(*a)));
        }
        Self { edges, closed }
    }
}

/// A reader of numbers and letters.
struct Scanner<'a> {
    text: &'a [u8],
    at: usize,
}

impl Scanner<'_> {
    fn skip(&mut self) {
        while self.at < self.text.len()
            && matches!(self.text[self.at], b' ' | b',' | b'\t' | b'\n' | b'\r' | 0x0c)
        {
            self.at += 1;
        }
    }

    fn command(&mut self) -> Option<u8> {
        self.skip();
        let c = *self.text.get(self.at)?;
        c.is_ascii_alphabetic().then(|| self.at += 1)?;
        Some(c)
    }

    fn more(&mut self) -> bool {
        self.skip();
        self.text.get(self.at).is_some_and(|c| !c.is_ascii_alphabetic())
    }

    fn number(&mut self) -> Result<f64, String> {
        self.skip();
        let start = self.at;
        let t = self.text;
        let digit = |k: usize| t.get(k).is_some_and(u8::is_ascii_digit);
        let mut k = start;
        if matches!(t.get(k), Some(b'+' | b'-')) {
            k += 1;
        }
        while digit(k) {
            k += 1;
        }
        if t.get(k) == Some(&b'.') {
            k += 1;
            while digit(k) {
                k += 1;
            }
        }
        if matches!(t.get(k), Some(b'e' | b'E')) {
            let sign = usize::from(matches!(t.get(k + 1), Some(b'+' | b'-')));
            if digit(k + 1 + sign) {
                k += 1 + sign;
                while digit(k) {
                    k += 1;
                }
            }
        }
        self.at = k;
        let text = std::str::from_utf8(&t[start..k]).unwrap_or_default();
        match text.parse::<f64>() {
            Ok(x) if x.is_finite() => Ok(x),
            _ => {
                let rest = String::from_utf8_lossy(&t[start..t.len().min(start + 12)]).into_owned();
                Err(format!("path data: a number is expected at `{rest}`"))
            }
        }
    }

    /// A flag of an arc, which may stand without a space before what follows.
    fn flag(&mut self) -> Result<bool, String> {
        self.skip();
        let c = self.text.get(self.at).copied();
        self.at += 1;
        match c {
            Some(b'0') => Ok(false),
            Some(b'1') => Ok(true),
            _ => Err("path data: a flag of an arc is 0 or 1".into()),
        }
    }
}

/// All numbers of a list, such as the points of a polygon.
pub(super) fn numbers(text: &str) -> Result<Vec<f64>, String> {
    let mut scanner = Scanner { text: text.as_bytes(), at: 0 };
    let mut all = Vec::new();
    while scanner.more() {
        all.push(scanner.number()?);
        if all.len() > 2 * MAX_COMMANDS {
            return Err("a list of too many numbers".into());
        }
    }
    Ok(all)
}

struct Pen {
    at: DVec2,
    start: DVec2,
    /// The last control point, mirrored by `S` and `T`.
    control: Option<DVec2>,
    subpaths: Vec<Subpath>,
    to_plane: DAffine2,
}

impl Pen {
    fn push(&mut self, to: DVec2, curve: Curve) {
        let (a, b) = (self.to_plane.transform_point2(self.at), self.to_plane.transform_point2(to));
        self.at = to;
        if self.subpaths.last().is_none_or(|s| s.closed) {
            self.subpaths.push(Subpath::default());
        }
        if let Some(path) = self.subpaths.last_mut() {
            path.edges.push(Edge { name: String::new(), from: a, to: b, curve });
        }
    }

    fn cubic(&mut self, c: [DVec2; 2], to: DVec2) {
        let controls = c.map(|c| self.to_plane.transform_point2(c));
        self.push(to, Curve::Cubic { controls });
        self.control = Some(c[1]);
    }

    fn quadratic(&mut self, c: DVec2, to: DVec2) {
        let control = self.to_plane.transform_point2(c);
        self.push(to, Curve::Quadratic { control });
        self.control = Some(c);
    }

    fn reflected(&self) -> DVec2 {
        self.control.map_or(self.at, |c| 2.0 * self.at - c)
    }

    fn close(&mut self) {
        let start = self.start;
        if self.at.distance(start) > 0.0 {
            self.push(start, Curve::Line);
        }
        if let Some(path) = self.subpaths.last_mut() {
            path.closed = true;
        }
        self.at = start;
    }

    /// An elliptical arc, as at most four cubic curves; arcs of circles that stay circles are kept.
    fn arc(&mut self, radii: DVec2, degrees: f64, large: bool, sweep: bool, to: DVec2) {
        let from = self.at;
        let r = radii.abs();
        if from == to {
            return;
        }
        if r.x < 1e-12 || r.y < 1e-12 {
            return self.push(to, Curve::Line);
        }
        // Centre of the ellipse from its ends: appendix F.6 of the recommendation.
        let turn = DVec2::from_angle(degrees.to_radians());
        let half = DVec2::new(turn.x, -turn.y).rotate(0.5 * (from - to));
        let size = (half / r).length_squared();
        let r = if size > 1.0 { r * size.sqrt() } else { r };
        let q: f64 = (half / r).length_squared();
        let factor = ((1.0 / q) - 1.0).max(0.0).sqrt() * if large == sweep { -1.0 } else { 1.0 };
        let centre = factor * DVec2::new(r.x * half.y / r.y, -r.y * half.x / r.x);
        let (u, v) = ((half - centre) / r, (-half - centre) / r);
        let mut angle = libm::atan2(u.perp_dot(v), u.dot(v));
        if sweep && angle < 0.0 {
            angle += 2.0 * PI;
        } else if !sweep && angle > 0.0 {
            angle -= 2.0 * PI;
        }
        let middle = 0.5 * (from + to) + turn.rotate(centre);
        let m = self.to_plane.matrix2;
        let (l0, l1) = (m.x_axis.length(), m.y_axis.length());
        let circle = (r.x - r.y).abs() < 1e-6 * r.x
            && (l0 - l1).abs() < 1e-6 * l0
            && m.x_axis.dot(m.y_axis).abs() < 1e-6 * l0 * l0;
        if circle && angle.abs() < 1.9 * PI {
            let flips = m.determinant() < 0.0;
            let bulge = libm::tan(0.25 * angle) * if flips { -1.0 } else { 1.0 };
            return self.push(to, Curve::Arc { bulge });
        }
        let start = libm::atan2(u.y, u.x);
        let parts = (angle.abs() / (0.5 * PI)).ceil().clamp(1.0, 4.0);
        let step = angle / parts;
        let handle = 4.0 / 3.0 * libm::tan(0.25 * step);
        let on = |a: f64| DVec2::new(libm::cos(a), libm::sin(a));
        let place = |p: DVec2| middle + turn.rotate(p * r);
        for k in 0..parts as usize {
            let (a, b) = (start + step * k as f64, start + step * (k + 1) as f64);
            let (p, q) = (on(a), on(b));
            let end = if k + 1 == parts as usize { to } else { place(q) };
            let c = [place(p + handle * p.perp()), place(q - handle * q.perp())];
            self.cubic(c, end);
        }
    }
}

/// The edges of path data in the plane of the pattern.
pub(super) fn parse(data: &str, to_plane: &DAffine2) -> Result<Vec<Subpath>, String> {
    let mut scanner = Scanner { text: data.as_bytes(), at: 0 };
    let mut pen = Pen {
        at: DVec2::ZERO,
        start: DVec2::ZERO,
        control: None,
        subpaths: Vec::new(),
        to_plane: *to_plane,
    };
    let mut count = 0;
    let mut before = b' ';
    while let Some(letter) = scanner.command() {
        let mut command = letter;
        loop {
            count += 1;
            if count > MAX_COMMANDS {
                return Err(format!("a path of more than {MAX_COMMANDS} commands"));
            }
            step(&mut scanner, &mut pen, command, before)?;
            before = command.to_ascii_uppercase();
            if command.eq_ignore_ascii_case(&b'z') || !scanner.more() {
                break;
            }
            // Pairs after a move are lines.
            command = match command {
                b'M' => b'L',
                b'm' => b'l',
                c => c,
            };
        }
    }
    if scanner.more() {
        scanner.number()?;
        return Err("path data: it begins with no command".into());
    }
    Ok(pen.subpaths)
}

/// Draws one command.
fn step(scanner: &mut Scanner<'_>, pen: &mut Pen, command: u8, before: u8) -> Result<(), String> {
    let relative = command.is_ascii_lowercase();
    let origin = if relative { pen.at } else { DVec2::ZERO };
    let point = |s: &mut Scanner<'_>| -> Result<DVec2, String> {
        Ok(origin + DVec2::new(s.number()?, s.number()?))
    };
    let upper = command.to_ascii_uppercase();
    let smooth = matches!((upper, before), (b'S', b'C' | b'S') | (b'T', b'Q' | b'T'));
    if !smooth {
        pen.control = None;
    }
    match upper {
        b'M' => {
            pen.at = point(scanner)?;
            pen.start = pen.at;
            pen.subpaths.push(Subpath::default());
        }
        b'L' => {
            let to = point(scanner)?;
            pen.push(to, Curve::Line);
        }
        b'H' => {
            let to = DVec2::new(origin.x + scanner.number()?, pen.at.y);
            pen.push(to, Curve::Line);
        }
        b'V' => {
            let to = DVec2::new(pen.at.x, origin.y + scanner.number()?);
            pen.push(to, Curve::Line);
        }
        b'C' => {
            let c = [point(scanner)?, point(scanner)?];
            pen.cubic(c, point(scanner)?);
        }
        b'S' => {
            let c = [pen.reflected(), point(scanner)?];
            pen.cubic(c, point(scanner)?);
        }
        b'Q' => {
            let c = point(scanner)?;
            pen.quadratic(c, point(scanner)?);
        }
        b'T' => {
            let c = pen.reflected();
            pen.quadratic(c, point(scanner)?);
        }
        b'A' => {
            let radii = DVec2::new(scanner.number()?, scanner.number()?);
            let degrees = scanner.number()?;
            let (large, sweep) = (scanner.flag()?, scanner.flag()?);
            pen.arc(radii, degrees, large, sweep, point(scanner)?);
        }
        b'Z' => pen.close(),
        _ => return Err(format!("path data: `{}` is not a command", char::from(command))),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(data: &str) -> Vec<Subpath> {
        parse(data, &DAffine2::IDENTITY).expect("good data")
    }

    #[test]
    fn all_commands_reach_their_points() {
        let paths =
            read("M1 2 3,4h1v-1H0V0l1-1 2.5.5z m 1 1 c0 1 1 1 1 0s1-1 1 0q1 1 2 0t2 0a1 1 0 012 0");
        assert_eq!(paths.len(), 2);
        assert!(paths[0].closed && !paths[1].closed);
        let ends: Vec<[f64; 2]> = paths[0].edges.iter().map(|e| e.to.to_array()).collect();
        let wanted =
            [[3., 4.], [4., 4.], [4., 3.], [0., 3.], [0., 0.], [1., -1.], [3.5, -0.5], [1., 2.]];
        assert_eq!(ends, wanted);
        let ends: Vec<[f64; 2]> = paths[1].edges.iter().map(|e| e.to.to_array()).collect();
        assert_eq!(ends, [[3., 3.], [4., 3.], [6., 3.], [8., 3.], [10., 3.]]);
        let Curve::Cubic { controls } = paths[1].edges[1].curve else { panic!("a cubic") };
        assert_eq!(controls[0].to_array(), [3.0, 2.0], "mirrored");
        let Curve::Quadratic { control } = paths[1].edges[3].curve else { panic!("a quadratic") };
        assert_eq!(control.to_array(), [7.0, 2.0], "mirrored");
    }

    #[test]
    fn arcs_of_circles_are_kept_and_ellipses_are_near() {
        let arc = &read("M 1 0 A 1 1 0 0 1 0 1")[0].edges[0];
        assert!((arc.length() - 0.5 * PI).abs() < 1e-9);
        let small = read("M 2 0 A 2 1 30 1 0 0 1");
        // All points lie on one ellipse: its four parts are as long as polygons say.
        assert!(small[0].edges.len() >= 3);
        let whole = read("M 2 0 A 2 1 0 1 1 1.999999 -0.001");
        let length: f64 = whole[0].edges.iter().map(Edge::length).sum();
        assert!((length - 9.688_448).abs() < 5e-3, "{length}");
    }

    #[test]
    fn a_flip_turns_arcs() {
        let flip = DAffine2::from_scale(DVec2::new(1.0, -1.0));
        let arc = &parse("M 1 0 A 1 1 0 0 1 0 1", &flip).unwrap()[0].edges[0];
        assert!(arc.point(0.5).distance(DVec2::new(0.5_f64.sqrt(), -(0.5_f64.sqrt()))) < 1e-9);
    }

    #[test]
    fn bad_data_is_named() {
        for data in
            ["M 1", "M 1 2 X", "1 2", "M 1 2 L 1e999 3", "M 0 0 A 1 1 0 2 0 1 1", "M 1 2 L --3"]
        {
            assert!(parse(data, &DAffine2::IDENTITY).is_err(), "{data}");
        }
    }
}
