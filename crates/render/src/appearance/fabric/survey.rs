//! What a fabric is on average, and its texels, without tables: for previews and for textures.

use super::{CLOSED, Fabric, Ink, ReliefKind, Viewed};
use glam::{Vec2, Vec3};

/// Mean of a side of the cloth, without tables.
#[derive(Clone, Copy, Debug)]
pub(in crate::appearance) struct Survey {
    pub(in crate::appearance) colour: Vec3,
    /// Disorder of the fibres.
    pub(in crate::appearance) alpha: f32,
    /// Mean direction of the fibres, doubled as an angle and halved again; its length says how much they agree.
    pub(in crate::appearance) direction: Vec2,
    pub(in crate::appearance) transmission: f32,
    pub(in crate::appearance) open: f32,
    pub(in crate::appearance) has_yarns: bool,
}

/// A texel of a baked texture.
#[derive(Clone, Copy, Debug)]
pub(in crate::appearance) struct Texel {
    pub(in crate::appearance) colour: Vec3,
    /// Share that is not open.
    pub(in crate::appearance) cover: f32,
    pub(in crate::appearance) normal: Vec3,
    pub(in crate::appearance) alpha: f32,
}

/// Points along each side of a texel that are averaged.
const TAPS: usize = 3;
/// Longest side of a baked tile [m].
const MAX_TILE: f32 = 0.3;

impl Fabric {
    /// What one side is on average.
    pub(in crate::appearance) fn surveyed(&self, front: bool) -> Survey {
        if let ReliefKind::Sheet { front: f, back, .. } = &self.relief {
            let colour = if front { *f } else { *back };
            let alpha = self.appearance.sheet.map_or(0.5, |s| (s.roughness * s.roughness) as f32);
            let direction = Vec2::ZERO;
            return Survey {
                colour,
                alpha,
                direction,
                transmission: 0.0,
                open: 0.0,
                has_yarns: false,
            };
        }
        let (facets, gaps, mean) = self.facets(front);
        let count = facets.len().max(1) as f32;
        let (mut alpha, mut doubled, mut open) = (0.0, Vec2::ZERO, 0.0);
        for f in &facets {
            alpha += self.lobes(f.yarn).alpha / count;
            let flat = Vec2::new(f.axis.x, f.axis.y);
            let d = flat.normalize_or_zero();
            doubled += Vec2::new(d.x * d.x - d.y * d.y, 2.0 * d.x * d.y) / count;
            open += f.open / count;
        }
        let strength = doubled.length();
        let (s, c) = (0.5 * doubled.y.atan2(doubled.x)).sin_cos();
        let transmission =
            self.yarns.iter().map(|t| t.lobes.transmission).sum::<f32>() / self.yarns.len() as f32;
        let printed = self.printed_mean(front).map_or(mean, |ink| ink.over(mean));
        Survey {
            colour: printed * open,
            alpha,
            direction: Vec2::new(c, s) * strength,
            transmission,
            open: if gaps > CLOSED { gaps } else { 0.0 },
            has_yarns: true,
        }
    }

    /// Mean of the print over a piece of cloth; its strength counts what is bare.
    fn printed_mean(&self, front: bool) -> Option<Ink> {
        self.print.as_ref()?;
        let n = 96;
        let (mut colour, mut weight) = (Vec3::ZERO, 0.0);
        for k in 0..n * n {
            let uv = Vec2::new((k % n) as f32 + 0.37, (k / n) as f32 + 0.61) * (0.2 / n as f32);
            if let Some(ink) = self.printed(uv, front) {
                colour += ink.colour * ink.strength;
                weight += ink.strength;
            }
        }
        let strength = weight / (n * n) as f32;
        (weight > 0.0).then(|| Ink { colour: colour / weight, strength })
    }

    /// Size of a tile for textures [m]: a whole number of repeats with all stripes, at least a few millimetres.
    pub(in crate::appearance) fn tile(&self) -> Vec2 {
        let stripes = |yarn: usize| self.yarns.get(yarn).map_or(1, |t| t.colours.len()) as f32;
        let mut tile = self.repeat;
        if let (ReliefKind::Weave(_), Some(weave)) = (&self.relief, &self.appearance.weave) {
            // Repeats of the draft after which the stripes begin anew.
            let whole = |columns: usize, colours: f32| {
                let (n, m) = (columns as u64, colours as u64);
                (m / gcd(n, m)) as f32
            };
            tile.x *= whole(weave.columns(), stripes(0));
            tile.y *= whole(weave.rows(), stripes(1));
        } else {
            tile.y *= stripes(0);
        }
        for axis in 0..2 {
            let least = 4e-3;
            if tile[axis] < least {
                tile[axis] *= (least / tile[axis]).ceil();
            }
        }
        tile.min(Vec2::splat(MAX_TILE).max(self.repeat))
    }

    /// Mean of the front over a texel around a point.
    pub(in crate::appearance) fn texel(&self, uv: Vec2, size: Vec2) -> Texel {
        if let ReliefKind::Sheet { front, .. } = &self.relief {
            let alpha = self.appearance.sheet.map_or(0.5, |s| (s.roughness * s.roughness) as f32);
            return Texel { colour: *front, cover: 1.0, normal: Vec3::Z, alpha };
        }
        let viewed = Viewed { uv, handedness: 1.0, front: true, view: Vec3::Z, width: 0.0 };
        let (mut colour, mut normal, mut alpha, mut count) = (Vec3::ZERO, Vec3::ZERO, 0.0, 0.0);
        for k in 0..TAPS * TAPS {
            let tap = Vec2::new((k % TAPS) as f32, (k / TAPS) as f32) + 0.5;
            let at = uv + (tap / TAPS as f32 - 0.5) * size;
            let seen = self.relief_at(at, true);
            let closed = self.front.open <= CLOSED;
            let Some(seen) = seen.or_else(|| closed.then(|| self.fill(at, true)).flatten()) else {
                continue;
            };
            let (facet, own) = self.facet(&seen, at, &viewed);
            colour += own * facet.open;
            normal += facet.normal;
            alpha += self.lobes(facet.yarn).alpha;
            count += 1.0;
        }
        let most = (TAPS * TAPS) as f32;
        if count == 0.0 {
            let colour = self.yarns[0].colours[0];
            return Texel { colour, cover: 0.0, normal: Vec3::Z, alpha: 0.5 };
        }
        Texel { colour: colour / count, cover: count / most, normal, alpha: alpha / count }
    }
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}
