//! Measured luminaires: the photometric files of the Illuminating Engineering Society, LM-63.
//!
//! Read are type C files of all editions with `TILT=NONE` or an included tilt, which is refused if it does
//! not leave the light as it is. Intensity is bilinear in the vertical and horizontal angle, and the
//! horizontal angles may span 0, 90, 180 or 360°, with the symmetries that these stand for.

use crate::Error;
use glam::Vec3;
use std::f32::consts::TAU;

/// Most angles along one axis, and most bytes of a file.
const MAX_ANGLES: usize = 1024;
const MAX_BYTES: usize = 16 << 20;

/// A distribution of light over directions [cd].
#[derive(Clone, Debug, PartialEq)]
pub struct Luminaire {
    /// Angles from the axis, rising [°].
    vertical: Vec<f32>,
    /// Angles about the axis, rising [°]; the first is 0 or 90.
    horizontal: Vec<f32>,
    /// For each horizontal angle the candela of all vertical ones.
    candela: Vec<f32>,
}

impl Luminaire {
    /// A lamp that shines the same in all directions, 1 cd.
    pub fn even() -> Self {
        Self { vertical: vec![0.0, 180.0], horizontal: vec![0.0], candela: vec![1.0; 2] }
    }

    /// A spot: cosᵏ about the axis with a peak of 1 cd; 1 is a flat disc.
    pub fn downlight(exponent: f32) -> Self {
        let vertical: Vec<f32> = (0..=36).map(|k| 5.0 * k as f32).collect();
        let lobe = |a: &f32| a.to_radians().cos().max(0.0).powf(exponent.max(0.0));
        let candela = vertical.iter().map(|a| if *a < 90.0 { lobe(a) } else { 0.0 }).collect();
        Self { vertical, horizontal: vec![0.0], candela }
    }

    /// A wall washer: light to one side, strongest at 55° from the axis, 1 cd there.
    pub fn wall_washer() -> Self {
        let vertical: Vec<f32> = (0..=36).map(|k| 5.0 * k as f32).collect();
        let horizontal: Vec<f32> = (0..=12).map(|k| 15.0 * k as f32).collect();
        let mut candela = Vec::new();
        for h in &horizontal {
            let side = 0.5 + 0.5 * h.to_radians().cos();
            candela.extend(vertical.iter().map(|v| {
                let off = (v - 55.0) / 30.0;
                if *v < 95.0 { side * side * (-off * off).exp() } else { 0.0 }
            }));
        }
        Self { vertical, horizontal, candela }
    }

    /// A tube along horizontal angle 90°: brightest across, 1 cd.
    pub fn tube() -> Self {
        let vertical: Vec<f32> = (0..=36).map(|k| 5.0 * k as f32).collect();
        let horizontal: Vec<f32> = (0..=6).map(|k| 15.0 * k as f32).collect();
        let mut candela = Vec::new();
        for h in &horizontal {
            candela.extend(vertical.iter().map(|v| {
                let along = v.to_radians().sin() * h.to_radians().sin();
                (1.0 - along * along).max(0.0).sqrt()
            }));
        }
        Self { vertical, horizontal, candela }
    }

    /// Reads a file; `name` is for messages.
    ///
    /// # Errors
    /// If the file is no type C photometry of LM-63, names line and remedy.
    pub fn read(bytes: &[u8], name: &str) -> Result<Self, Error> {
        Parser::new(bytes, name)?.luminaire()
    }

    /// Writes the distribution as a file of the edition of 2002.
    pub fn write(&self) -> String {
        use std::fmt::Write as _;
        let mut out = String::from("IESNA:LM-63-2002\n[TEST] toile\n[MANUFAC] toile\nTILT=NONE\n");
        let (v, h) = (self.vertical.len(), self.horizontal.len());
        // Writing to a string cannot fail.
        let _ = writeln!(out, "1 -1 1 {v} {h} 1 2 0 0 0\n1 1 0");
        let mut line = |numbers: &[f32]| {
            for part in numbers.chunks(10) {
                let words: Vec<String> = part.iter().map(|x| format!("{x}")).collect();
                let _ = writeln!(out, "{}", words.join(" "));
            }
        };
        line(&self.vertical);
        line(&self.horizontal);
        self.candela.chunks(v).for_each(&mut line);
        out
    }

    /// Intensity [cd] in a direction, in a frame whose z is the axis and whose x is horizontal angle 0.
    pub fn toward(&self, d: Vec3) -> f32 {
        let v = d.z.clamp(-1.0, 1.0).acos().to_degrees();
        let h = d.y.atan2(d.x).rem_euclid(TAU).to_degrees();
        self.at(v, h)
    }

    /// Intensity [cd] at a vertical and a horizontal angle [°].
    fn at(&self, v: f32, h: f32) -> f32 {
        let (first, last) = (self.vertical[0], self.vertical[self.vertical.len() - 1]);
        if v < first - 0.01 || v > last + 0.01 {
            return 0.0;
        }
        let h = match self.horizontal.last() {
            Some(last) if *last <= 0.0 => 0.0,
            // Symmetric about the plane 90°–270°: the file has the half between.
            Some(_) if self.horizontal[0] >= 90.0 => {
                if (90.0..=270.0).contains(&h) {
                    h
                } else {
                    (540.0 - h) % 360.0
                }
            }
            Some(last) if *last <= 90.0 => fold(fold(h, 180.0), 90.0),
            Some(last) if *last <= 180.0 => fold(h, 180.0),
            _ => h,
        };
        let (row, s) = place(&self.horizontal, h);
        let (column, t) = place(&self.vertical, v);
        let n = self.vertical.len();
        let get =
            |r: usize, c: usize| self.candela[r.min(self.horizontal.len() - 1) * n + c.min(n - 1)];
        let low = get(row, column) * (1.0 - t) + get(row, column + 1) * t;
        let high = get(row + 1, column) * (1.0 - t) + get(row + 1, column + 1) * t;
        low * (1.0 - s) + high * s
    }

    /// Light in all directions [lm], by the midpoint rule.
    pub fn lumens(&self) -> f64 {
        let (rows, columns) = (720, 720);
        let mut sum = 0.0;
        for r in 0..rows {
            let v = std::f64::consts::PI * (r as f64 + 0.5) / rows as f64;
            let ring: f64 = (0..columns)
                .map(|c| f64::from(self.at(v.to_degrees() as f32, 0.5 * (c as f32 + 0.5))))
                .sum();
            sum += ring * v.sin();
        }
        sum * std::f64::consts::PI / rows as f64 * std::f64::consts::TAU / columns as f64
    }

    /// About the mean intensity [cd].
    pub(crate) fn mean(&self) -> f32 {
        self.candela.iter().sum::<f32>() / self.candela.len() as f32
    }
}

/// Reflects an angle in [0, 2 period] into [0, period].
fn fold(h: f32, period: f32) -> f32 {
    if h > period { (2.0 * period - h).max(0.0) } else { h }
}

/// The interval of rising numbers that holds `x`, and the place in it.
fn place(numbers: &[f32], x: f32) -> (usize, f32) {
    let after = numbers.partition_point(|n| *n <= x);
    let (Some(i), Some(next)) = (after.checked_sub(1), numbers.get(after)) else {
        return (after.saturating_sub(1), 0.0);
    };
    (i, (x - numbers[i]) / (next - numbers[i]))
}

/// Numbers of a file, with their lines.
struct Parser<'a> {
    name: &'a str,
    words: std::vec::IntoIter<(usize, &'a str)>,
    line: usize,
}

impl<'a> Parser<'a> {
    /// Checks the head and stops behind the tilt.
    fn new(bytes: &'a [u8], name: &'a str) -> Result<Self, Error> {
        let fail = |line: usize, what: &str| Err(Error::file(name, format!("line {line}: {what}")));
        if bytes.len() > MAX_BYTES {
            return fail(1, "more than 16 MB; this is no photometry");
        }
        // Names of makers come in any encoding; the numbers are ASCII.
        let Ok(text) = std::str::from_utf8(bytes) else {
            return fail(1, "is not text in UTF-8; save it as plain text");
        };
        let mut lines = text.lines().enumerate();
        let tilt = lines.by_ref().find(|(_, l)| l.trim_start().starts_with("TILT"));
        let Some((at, tilt)) = tilt else {
            return fail(1, "has no line TILT=; is it an LM-63 file?");
        };
        let rest: Vec<(usize, &str)> = lines
            .flat_map(|(i, l)| {
                l.split([' ', '\t', ',']).filter(|w| !w.is_empty()).map(move |w| (i + 1, w))
            })
            .take(MAX_ANGLES * MAX_ANGLES + 4 * MAX_ANGLES)
            .collect();
        let mut parser = Self { name, words: rest.into_iter(), line: at + 1 };
        match tilt.trim_start().trim_start_matches("TILT").trim_start_matches([' ', '=']).trim() {
            "NONE" => {}
            "INCLUDE" => {
                parser.number("the lamp's geometry")?;
                let pairs = parser.count("the number of tilts")?;
                for _ in 0..pairs {
                    parser.number("a tilt angle")?;
                }
                for _ in 0..pairs {
                    if (parser.number("a tilt factor")? - 1.0).abs() > 1e-6 {
                        return parser
                            .fail("a lamp whose light depends on its tilt is not supported");
                    }
                }
            }
            _ => return fail(at + 1, "TILT must be NONE or INCLUDE"),
        }
        Ok(parser)
    }

    fn fail<T>(&self, what: &str) -> Result<T, Error> {
        Err(Error::file(self.name, format!("line {}: {what}", self.line)))
    }

    fn number(&mut self, what: &str) -> Result<f32, Error> {
        let Some((line, word)) = self.words.next() else {
            return self.fail(&format!("ends before {what}"));
        };
        self.line = line;
        match word.parse::<f32>() {
            Ok(x) if x.is_finite() => Ok(x),
            _ => self.fail(&format!("{what} is not a number: {word:.20}")),
        }
    }

    fn count(&mut self, what: &str) -> Result<usize, Error> {
        let x = self.number(what)?;
        if x < 1.0 || x > MAX_ANGLES as f32 || x.fract() != 0.0 {
            return self.fail(&format!("{what} must be a whole number from 1 to {MAX_ANGLES}"));
        }
        Ok(x as usize)
    }

    fn rising(&mut self, count: usize, what: &str) -> Result<Vec<f32>, Error> {
        let mut angles: Vec<f32> = Vec::with_capacity(count);
        for _ in 0..count {
            let x = self.number(what)?;
            if !(0.0..=360.0).contains(&x) || angles.last().is_some_and(|a| *a >= x) {
                return self.fail(&format!("{what}s must rise from 0 to at most 360"));
            }
            angles.push(x);
        }
        Ok(angles)
    }

    fn luminaire(mut self) -> Result<Luminaire, Error> {
        self.number("the number of lamps")?;
        self.number("the lumens of a lamp")?;
        let multiplier = self.number("the multiplier")?;
        let v = self.count("the number of vertical angles")?;
        let h = self.count("the number of horizontal angles")?;
        let kind = self.number("the photometric type")?;
        if kind != 1.0 {
            return self.fail("only photometry of type C (1) is supported");
        }
        for what in ["the unit", "the width", "the length", "the height"] {
            self.number(what)?;
        }
        let ballast = self.number("the ballast factor")?;
        self.number("the ballast lamp factor")?;
        self.number("the power")?;
        let vertical = self.rising(v, "vertical angle")?;
        let horizontal = self.rising(h, "horizontal angle")?;
        if vertical.last().is_some_and(|a| *a > 180.0) {
            return self.fail("vertical angles end at 180");
        }
        let mut candela = Vec::with_capacity(v * h);
        for _ in 0..v * h {
            let x = self.number("a candela value")? * multiplier * ballast;
            if !(0.0..1e9).contains(&x) {
                return self.fail("a candela value is negative or beyond all lamps");
            }
            candela.push(x);
        }
        Ok(Luminaire { vertical, horizontal, candela })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::PI;

    #[test]
    fn lumens_are_the_integral_of_the_intensity() {
        assert!((Luminaire::even().lumens() / (4.0 * PI) - 1.0).abs() < 1e-4);
        // ∫ cos dω over a half space is π; five degrees between entries flatten the curve a little.
        assert!((Luminaire::downlight(1.0).lumens() / PI - 1.0).abs() < 5e-3);
    }

    #[test]
    fn what_is_written_is_read() {
        for lamp in [
            Luminaire::even(),
            Luminaire::downlight(3.0),
            Luminaire::wall_washer(),
            Luminaire::tube(),
        ] {
            let again = Luminaire::read(lamp.write().as_bytes(), "lamp.ies").unwrap();
            assert_eq!(again, lamp);
        }
    }

    #[test]
    fn symmetric_files_shine_on_all_sides() {
        let tube = Luminaire::tube();
        for h in [10.0, 170.0, 190.0, 350.0] {
            assert!((tube.at(60.0, h) - tube.at(60.0, 10.0)).abs() < 1e-5);
        }
        let washer = Luminaire::wall_washer();
        assert!((washer.at(55.0, 30.0) - washer.at(55.0, 330.0)).abs() < 1e-5);
        assert!(washer.at(55.0, 0.0) > 10.0 * washer.at(55.0, 150.0));
        let half = Luminaire {
            vertical: vec![0.0, 90.0],
            horizontal: vec![90.0, 180.0, 270.0],
            candela: vec![1.0, 1.0, 3.0, 3.0, 1.0, 1.0],
        };
        assert!(
            (half.at(45.0, 0.0) - 3.0).abs() < 1e-5 && (half.at(45.0, 90.0) - 1.0).abs() < 1e-5
        );
    }

    #[test]
    fn bad_files_are_named_with_their_line() {
        let good = Luminaire::downlight(2.0).write();
        for (from, to, expected) in [
            ("TILT=NONE", "TILT=FILE.TLT", "TILT"),
            ("1 -1 1 37 1 1", "1 -1 1 37 1 2", "type C"),
            ("1 -1 1 37 1 1", "1 -1 1 9999999 1 1", "whole number"),
            ("1 -1 1 37 1 1", "1 -1 1 nan 1 1", "not a number"),
            ("0 5 10", "0 15 10", "rise"),
        ] {
            let error = Luminaire::read(good.replace(from, to).as_bytes(), "x.ies").unwrap_err();
            let text = error.to_string();
            assert!(text.contains("x.ies") && text.contains(expected), "{text}");
        }
        for end in 0..good.len() - 1 {
            // Any beginning is an error or, if only the last digits are missing, a lamp.
            let _ = Luminaire::read(&good.as_bytes()[..end], "x.ies");
        }
        assert!(Luminaire::read(&good.as_bytes()[..good.len() / 2], "x.ies").is_err());
    }
}
