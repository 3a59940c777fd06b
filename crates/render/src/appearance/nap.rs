//! The nap of a cloth: single fibres that finishing or wear has raised and that lie over its yarns.
//!
//! Curved fibres are drawn into a tile until they cover the share of the cloth that its fuzz asks for. The tile lies
//! on the cloth twice, turned and of another size, so that no repeat is seen. What stands up further is not drawn: it is the
//! layer of fuzz of the module `yarn`.

use super::weave::mix;
use glam::Vec2;
use std::f32::consts::TAU;

/// Texels along each side of the tile.
const SIDE: usize = 1024;
/// Length of a side of the two layers [m].
const SIZES: [f32; 2] = [9.7e-3, 8.3e-3];
/// Half the width of a fibre, its least and greatest length, in sides of the tile.
const RADIUS: f32 = 1.25e-3;
const LENGTHS: [f32; 2] = [0.06, 0.22];
/// Optical depth of the nap seen from above: linear and quadratic in the fuzz, because wear raises few fibres and
/// brushing many.
const DEPTHS: [f32; 2] = [0.8, 2.4];
/// Steepest rise of a fibre.
const RISE: f32 = 0.45;
/// Fuzz below this lifts no fibres that are seen.
const LEAST: f32 = 0.02;

/// A tile of fibres.
#[derive(Clone, Debug)]
pub(super) struct Nap {
    texels: Vec<Texel>,
    /// Share of fibres that come from any yarn and not from the one below.
    mingled: f32,
}

/// A fibre of the nap at a point.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fibre {
    /// Its direction in material coordinates.
    pub(super) dir: Vec2,
    /// Slope of its surface along u and v.
    pub(super) slope: Vec2,
    /// Factor of its colour, one on average.
    pub(super) shade: f32,
    /// The yarn it comes from, as a number to be taken modulo; `None` for the one below.
    pub(super) yarn: Option<usize>,
}

/// Fibre number (0 for none), direction in 1/256 of a turn, and place across.
#[derive(Clone, Copy, Debug, Default)]
struct Texel {
    fibre: u16,
    angle: u8,
    across: i8,
}

impl Nap {
    /// The nap of a side with such fuzz; `None` if nothing of it is seen.
    pub(super) fn new(fuzz: f32) -> Option<Self> {
        if fuzz < LEAST {
            return None;
        }
        // What each of the two layers covers.
        let cover = 1.0 - (-0.5 * depth(fuzz)).exp();
        let mut nap = Self { texels: vec![Texel::default(); SIDE * SIDE], mingled: fuzz };
        let wanted = (cover * (SIDE * SIDE) as f32) as usize;
        let mut covered = 0;
        let mut fibre = 1;
        while covered < wanted && fibre < u16::MAX {
            covered += nap.draw(fibre);
            fibre += 1;
        }
        Some(nap)
    }

    /// Draws a fibre over all before it; tells how many texels were empty.
    fn draw(&mut self, fibre: u16) -> usize {
        let [x, y, turn, length, bend, wave, phase, _] = numbers(fibre);
        let length = LENGTHS[0] + (LENGTHS[1] - LENGTHS[0]) * length * length;
        let steps = (length * SIDE as f32 * 1.4) as usize + 1;
        let mut at = Vec2::new(x, y);
        let mut covered = 0;
        for k in 0..steps {
            let t = k as f32 / steps as f32;
            // Fibres are crimped: they bend and wave.
            let angle = TAU * turn
                + 2.6 * (bend - 0.5) * t
                + (0.35 + 0.5 * wave) * (TAU * (phase + length * 14.0 * t)).sin();
            let (s, c) = angle.sin_cos();
            let dir = Vec2::new(c, s);
            at += dir * (length / steps as f32);
            covered += self.stamp(fibre, at, dir, angle);
        }
        covered
    }

    /// Draws a point of a fibre.
    fn stamp(&mut self, fibre: u16, at: Vec2, dir: Vec2, angle: f32) -> usize {
        let centre = at * SIDE as f32;
        let radius = RADIUS * SIDE as f32;
        let [lo, hi] = [(centre - radius).floor(), (centre + radius).ceil()];
        let mut covered = 0;
        for y in lo.y as i32..=hi.y as i32 {
            for x in lo.x as i32..=hi.x as i32 {
                let off = Vec2::new(x as f32 + 0.5, y as f32 + 0.5) - centre;
                let across = dir.perp_dot(off) / radius;
                if across.abs() > 1.0 || off.dot(dir).abs() > 1.0 {
                    continue;
                }
                let cell =
                    y.rem_euclid(SIDE as i32) as usize * SIDE + x.rem_euclid(SIDE as i32) as usize;
                covered += usize::from(self.texels[cell].fibre == 0);
                let turns = (angle / TAU).rem_euclid(1.0);
                self.texels[cell] =
                    Texel { fibre, angle: (turns * 256.0) as u8, across: (across * 127.0) as i8 };
            }
        }
        covered
    }

    /// Share of the colours of all yarns in each: what is raised mingles.
    pub(super) fn mingled(&self) -> f32 {
        self.mingled * self.mingled
    }

    /// The fibre that lies over a place.
    pub(super) fn at(&self, uv: Vec2) -> Option<Fibre> {
        self.layer(uv, 0).or_else(|| self.layer(uv, 1))
    }

    fn layer(&self, uv: Vec2, layer: usize) -> Option<Fibre> {
        let turned = if layer == 0 { uv } else { uv.perp() };
        let p = turned / SIZES[layer];
        let p = p - p.floor();
        let [x, y] = [p.x, p.y].map(|c| ((c * SIDE as f32) as usize).min(SIDE - 1));
        let texel = self.texels[y * SIDE + x];
        if texel.fibre == 0 {
            return None;
        }
        let [.., rise, kind] = numbers(texel.fibre);
        let angle = f32::from(texel.angle) * (TAU / 256.0);
        let (s, c) = angle.sin_cos();
        let dir = Vec2::new(c, s);
        let dir = if layer == 0 { dir } else { -dir.perp() };
        let across = f32::from(texel.across) / 127.0;
        // `perp_dot` grows to the left of the fibre, along its `perp`.
        let slope = dir.perp() * (-1.1 * across) + dir * (RISE * (2.0 * rise - 1.0));
        let mingled = kind < self.mingled;
        // The number that decided is even below the share that it decided about.
        let yarn = mingled.then(|| (kind / self.mingled * 64.0) as usize);
        Some(Fibre { dir, slope, shade: 0.7 + 0.6 * rise, yarn })
    }
}

/// Optical depth of the nap.
fn depth(fuzz: f32) -> f32 {
    fuzz * (DEPTHS[0] + DEPTHS[1] * fuzz)
}

/// Numbers in [0, 1) of a fibre.
fn numbers(fibre: u16) -> [f32; 8] {
    let mut seed = mix(u32::from(fibre).wrapping_mul(0x9e37_79b9));
    [0; 8].map(|_: i32| {
        seed = mix(seed.wrapping_add(0x85eb_ca6b));
        (seed >> 8) as f32 / (1 << 24) as f32
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Places spread over many tiles.
    fn places(count: usize) -> impl Iterator<Item = Vec2> {
        (0..count).map(|k| {
            let n = k as f64 + 0.5;
            let root = [0.754_877_666_246_692_7, 0.569_840_290_998_053_3];
            Vec2::from(root.map(|a: f64| (a * n).fract() as f32)) * 0.3
        })
    }

    #[test]
    fn the_nap_covers_what_its_fuzz_asks_for() {
        for fuzz in [0.1, 0.5, 1.0] {
            let nap = Nap::new(fuzz).unwrap();
            let covered = places(20_000).filter(|p| nap.at(*p).is_some()).count() as f32 / 2e4;
            let expected = 1.0 - (-depth(fuzz)).exp();
            assert!((covered - expected).abs() < 0.02, "{fuzz} {covered} {expected}");
        }
        assert!(Nap::new(0.0).is_none());
    }

    #[test]
    fn fibres_of_the_nap_lie_in_all_directions_and_are_as_dark_as_they_are_pale() {
        let nap = Nap::new(0.6).unwrap();
        let all: Vec<Fibre> = places(20_000).filter_map(|p| nap.at(p)).collect();
        let n = all.len() as f32;
        let doubled: Vec2 = all
            .iter()
            .map(|f| Vec2::new(f.dir.x * f.dir.x - f.dir.y * f.dir.y, 2.0 * f.dir.x * f.dir.y))
            .sum();
        assert!((doubled / n).length() < 0.1, "{doubled} {n}");
        let shade = all.iter().map(|f| f.shade).sum::<f32>() / n;
        let slope: Vec2 = all.iter().map(|f| f.slope).sum();
        assert!((shade - 1.0).abs() < 0.03 && (slope / n).length() < 0.05, "{shade} {slope}");
    }

    #[test]
    fn slopes_fall_from_the_middle_of_a_fibre_to_its_edges() {
        let nap = Nap::new(0.3).unwrap();
        let (mut compared, mut agree) = (0, 0);
        let step = SIZES[0] / SIDE as f32;
        for p in places(20_000) {
            let (Some(a), Some(b)) = (nap.layer(p, 0), nap.layer(p + Vec2::X * step, 0)) else {
                continue;
            };
            // Neighbours on one fibre that runs along v: the slope along u falls from left to right.
            if a.dir.y.abs() > 0.95 && b.dir.y.abs() > 0.95 && (a.shade - b.shade).abs() < 1e-6 {
                compared += 1;
                agree += i32::from(b.slope.x <= a.slope.x + 0.05);
            }
        }
        assert!(compared > 50 && agree * 10 > compared * 9, "{agree} of {compared}");
    }
}
