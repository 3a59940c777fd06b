//! The relief of a woven cloth: which yarn is on top at a point, and its slope.
//!
//! A yarn's centre line stays at ±A while it floats over or under its crossings and changes sides along
//! a cosine between them; its cross-section is half an ellipse. Of warp and weft the higher one is seen.

use super::{Draft, Yarn};
use glam::Vec2;

/// A point of a yarn as its side of the cloth shows it, in material coordinates (weft +u, warp +v).
#[derive(Clone, Copy, Debug)]
pub(super) struct Relief {
    /// 0 for the warp, 1 for the weft.
    pub(super) yarn: usize,
    /// Number of the yarn, counted across.
    pub(super) number: i64,
    /// Place along the yarn [m].
    pub(super) along: f32,
    /// Place across it: −1 and 1 are its edges.
    pub(super) across: f32,
    /// Slope of the height towards the viewer along u and v.
    pub(super) slope: Vec2,
    /// 0 in the depth of the cloth, 1 on top.
    pub(super) height: f32,
}

/// Measures of the yarns of one direction [m].
#[derive(Clone, Copy, Debug)]
struct Measures {
    spacing: f32,
    /// Half the width.
    radius: f32,
    /// Half the height.
    rise: f32,
    /// Amplitude of the centre line.
    crimp: f32,
    /// How much the width varies.
    irregularity: f32,
}

impl Measures {
    /// Whether the yarns are wider than their place.
    fn is_crowded(&self) -> bool {
        self.radius * (1.0 + self.irregularity) > 0.5 * self.spacing
    }
}

/// A woven cloth.
#[derive(Clone, Debug)]
pub(super) struct Weave {
    draft: Draft,
    warp: Measures,
    weft: Measures,
}

/// Slopes of a yarn's edge are cut here; behind it no light would come back.
const STEEPEST: f32 = 1.6;
/// Length over which a yarn's width changes [m].
const UNEVEN_LENGTH: f32 = 0.012;

impl Weave {
    pub(super) fn new(draft: Draft, warp: &Yarn, weft: &Yarn) -> Self {
        let measures = |y: &Yarn, other: &Yarn| {
            // Crowded yarns push each other aside.
            let radius = 0.5e-3 * y.thickness_mm.min(1.6 * y.spacing_mm) as f32;
            let rise = 0.5e-3 * (y.thickness_mm * y.flatness) as f32;
            let over = 0.5e-3 * (other.thickness_mm * other.flatness) as f32;
            // A yarn that takes all the crimp rises over half its own height and half of the other's.
            let crimp = (rise + over) * (0.25 + 0.75 * y.crimp) as f32;
            let irregularity = y.irregularity as f32;
            Measures { spacing: y.spacing_mm as f32 * 1e-3, radius, rise, crimp, irregularity }
        };
        Self { draft, warp: measures(warp, weft), weft: measures(weft, warp) }
    }

    /// Size of the repeat along weft and warp [m].
    pub(super) fn repeat(&self) -> Vec2 {
        let (columns, rows) = (self.draft.columns() as f32, self.draft.rows() as f32);
        Vec2::new(columns * self.warp.spacing, rows * self.weft.spacing)
    }

    /// Thickness of the cloth [m].
    pub(super) fn thickness(&self) -> f32 {
        2.0 * (self.warp.crimp + self.warp.rise).max(self.weft.crimp + self.weft.rise)
    }

    /// The yarn seen at a point of one side; `None` in a gap.
    pub(super) fn at(&self, uv: Vec2, front: bool) -> Option<Relief> {
        let (x, y) = (uv.x / self.warp.spacing, uv.y / self.weft.spacing);
        let (i, j) = (x.floor(), y.floor());
        let (a, b) = (x - i - 0.5, y - j - 0.5);
        let (i, j) = (i as i64, j as i64);
        let up = |i: i64, j: i64| self.draft.is_up(i, j) == front;
        let step = |t: f32| if t < 0.0 { -1 } else { 1 };
        let (aside, along) = (step(a), step(b));
        let warp_at = |i: i64, off: f32| {
            let line = centre_line(up(i, j), up(i, j + along), b, &self.warp, self.weft.spacing);
            let uneven = unevenness(i, uv.y, 0) * self.warp.irregularity;
            strand(&self.warp, off * self.warp.spacing, uneven, line).map(|s| (i, s))
        };
        let weft_at = |j: i64, off: f32| {
            let line = centre_line(!up(i, j), !up(i + aside, j), a, &self.weft, self.warp.spacing);
            let uneven = unevenness(j, uv.x, 1) * self.weft.irregularity;
            strand(&self.weft, off * self.weft.spacing, uneven, line).map(|s| (j, s))
        };
        // Yarns wider than their place lie over their neighbours where these dive: so floats hide the binding of a satin.
        let higher = |own: Option<(i64, Strand)>, next: Option<(i64, Strand)>| match (own, next) {
            (Some(p), Some(q)) => Some(if q.1.z > p.1.z { q } else { p }),
            (own, next) => own.or(next),
        };
        let mut warp = warp_at(i, a);
        if self.warp.is_crowded() {
            warp = higher(warp, warp_at(i + aside, a - aside as f32));
        }
        let mut weft = weft_at(j, b);
        if self.weft.is_crowded() {
            weft = higher(weft, weft_at(j + along, b - along as f32));
        }
        let top = self.warp.crimp.max(self.weft.crimp) + self.warp.rise.max(self.weft.rise);
        let height = |z: f32| (0.5 + 0.5 * z / top).clamp(0.0, 1.0);
        let of_warp = |(number, s): (i64, Strand)| Relief {
            yarn: 0,
            number,
            along: uv.y,
            across: s.across,
            slope: Vec2::new(s.slope_across, s.slope_along),
            height: height(s.z),
        };
        let of_weft = |(number, s): (i64, Strand)| Relief {
            yarn: 1,
            number,
            along: uv.x,
            across: s.across,
            slope: Vec2::new(s.slope_along, s.slope_across),
            height: height(s.z),
        };
        match (warp, weft) {
            (Some(p), Some(q)) => Some(if p.1.z >= q.1.z { of_warp(p) } else { of_weft(q) }),
            (Some(p), None) => Some(of_warp(p)),
            (None, Some(q)) => Some(of_weft(q)),
            (None, None) => None,
        }
    }
}

/// A smooth random number in (−1, 1) for a place along a yarn; it changes over centimetres.
pub(super) fn unevenness(number: i64, along: f32, direction: u32) -> f32 {
    let x = along / UNEVEN_LENGTH;
    let cell = x.floor();
    let t = x - cell;
    let value = |c: i64| {
        let seed = (number as u32).wrapping_mul(0x9e37_79b9) ^ (c as u32).wrapping_mul(0x85eb_ca6b);
        let mixed = mix(seed ^ direction.wrapping_mul(0xc2b2_ae35));
        (mixed >> 8) as f32 * (2.0 / (1 << 24) as f32) - 1.0
    };
    let (a, b) = (value(cell as i64), value(cell as i64 + 1));
    a + (b - a) * t * t * (3.0 - 2.0 * t)
}

/// An integer mixer.
pub(super) fn mix(mut x: u32) -> u32 {
    x ^= x >> 16;
    x = x.wrapping_mul(0x7feb_352d);
    x ^= x >> 15;
    x = x.wrapping_mul(0x846c_a68b);
    x ^ (x >> 16)
}

/// Height of a yarn's centre and its slope.
#[derive(Clone, Copy, Debug)]
struct Centre {
    z: f32,
    slope: f32,
}

/// The centre line at place `t` in (−½, ½) of a crossing, for a yarn that is on top here and at the
/// next crossing in the direction of `t`, or not.
fn centre_line(up: bool, next: bool, t: f32, m: &Measures, pitch: f32) -> Centre {
    let sign = if up { 1.0 } else { -1.0 };
    if up == next {
        return Centre { z: sign * m.crimp, slope: 0.0 };
    }
    let (s, c) = (std::f32::consts::PI * t).sin_cos();
    Centre { z: sign * m.crimp * c, slope: -sign * m.crimp * std::f32::consts::PI * s / pitch }
}

/// A point on top of a yarn.
#[derive(Clone, Copy, Debug)]
struct Strand {
    z: f32,
    across: f32,
    slope_across: f32,
    slope_along: f32,
}

fn strand(m: &Measures, off: f32, uneven: f32, centre: Centre) -> Option<Strand> {
    let across = off / (m.radius * (1.0 + uneven));
    if across.abs() > 1.0 {
        return None;
    }
    let arch = (1.0 - across * across).max(1e-4).sqrt();
    let slope = -across / arch * m.rise / m.radius;
    Some(Strand {
        z: centre.z + m.rise * arch,
        across,
        slope_across: slope.clamp(-STEEPEST, STEEPEST),
        slope_along: centre.slope.clamp(-STEEPEST, STEEPEST),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::appearance::Fibre;

    fn weave(name: &str, thickness: f64) -> Weave {
        let yarn = Yarn { irregularity: 0.0, ..Yarn::new(Fibre::Cotton, 0, 0.5, thickness) };
        Weave::new(Draft::named(name).unwrap(), &yarn, &yarn)
    }

    /// Shares of warp, weft and gaps.
    fn shares(weave: &Weave, front: bool) -> [f64; 3] {
        let n = 200;
        let mut shares = [0.0; 3];
        for k in 0..n * n {
            let p = Vec2::new((k % n) as f32 + 0.5, (k / n) as f32 + 0.5) / n as f32;
            let seen = weave.at(p * weave.repeat(), front);
            shares[seen.map_or(2, |s| s.yarn)] += 1.0 / f64::from(n * n);
        }
        shares
    }

    #[test]
    fn a_warp_faced_twill_shows_its_warp_in_front_and_its_weft_behind() {
        let weave = weave("twill-3/1", 0.5);
        let [warp, weft, _] = shares(&weave, true);
        let [warp_behind, weft_behind, _] = shares(&weave, false);
        assert!(warp > 0.65 && weft < 0.3, "{warp} {weft}");
        assert!((warp - weft_behind).abs() < 0.01 && (weft - warp_behind).abs() < 0.01);
    }

    #[test]
    fn thin_yarns_leave_the_gaps_that_their_measures_say() {
        let [.., gap] = shares(&weave("plain", 0.3), true);
        assert!((gap - 0.4 * 0.4).abs() < 0.01, "{gap}");
        assert!(shares(&weave("plain", 0.5), true)[2] < 1e-6);
    }

    #[test]
    fn slopes_are_those_of_the_height() {
        let weave = weave("twill-2/1", 0.5);
        let top = weave.warp.crimp + weave.warp.rise;
        let z = |p: Vec2| weave.at(p, true).map(|r| (2.0 * r.height - 1.0) * top);
        let h = 1e-6;
        let mut compared = 0;
        for k in 0..400 {
            let p = Vec2::new((k % 20) as f32 + 0.31, (k / 20) as f32 + 0.37) * 7.7e-5;
            let Some(here) = weave.at(p, true) else { continue };
            if here.across.abs() > 0.6 {
                continue;
            }
            for (axis, d) in [(0, Vec2::X), (1, Vec2::Y)] {
                let same = |q: Vec2| weave.at(q, true).is_some_and(|r| r.yarn == here.yarn);
                if !(same(p + d * h) && same(p - d * h)) {
                    continue;
                }
                let (Some(a), Some(b)) = (z(p + d * h), z(p - d * h)) else { continue };
                let slope = (a - b) / (2.0 * h);
                assert!((slope - here.slope[axis]).abs() < 0.05, "{slope} {here:?}");
                compared += 1;
            }
        }
        assert!(compared > 200);
    }

    #[test]
    fn floats_of_a_crowded_satin_hide_its_binding() {
        let share = |thickness: f64| {
            let yarn = |spacing: f64, thickness: f64, crimp: f64| Yarn {
                irregularity: 0.0,
                flatness: 0.3,
                crimp,
                ..Yarn::new(Fibre::Silk, 0, spacing, thickness)
            };
            let (warp, weft) = (yarn(0.12, thickness, 0.9), yarn(0.22, 0.2, 0.1));
            shares(&Weave::new(Draft::named("satin-8").unwrap(), &warp, &weft), true)[1]
        };
        assert!(share(0.17) < 0.7 * share(0.12), "{} {}", share(0.17), share(0.12));
    }
}
