//! A rough mirror over a diffuse base: paint, plastic, skin-like finishes, horn, and metal.
//!
//! The mirror's albedo E(cos θ) is tabulated; what it does not reflect goes to the base by
//! (1 − E(o)) (1 − E(i)) / (1 − Ē) [kelemen2001], so nothing is lost or gained and o and i may be
//! exchanged. A metal is the same without a base: the term stands for light that meets several facets
//! [kulla2017].

use super::ggx::{Ggx, dielectric, schlick};
use crate::warp::{cosine_hemisphere, cosine_pdf};
use glam::Vec3;
use std::f32::consts::PI;

/// Entries of the table of albedos.
const ENTRIES: usize = 32;
/// Samples along each axis for an entry.
const GRID: usize = 24;
/// Smoother mirrors would be points of light.
const MIN_ALPHA: f32 = 0.02;

/// What the mirror is made of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Substance {
    /// Clear lacquer of this index of refraction.
    Dielectric(f32),
    /// Metal; its colour is that of the surface.
    Metal,
}

/// A prepared coat.
#[derive(Clone, Debug)]
pub(crate) struct Coat {
    ggx: Ggx,
    substance: Substance,
    albedo: [f32; ENTRIES],
    mean: f32,
}

impl Coat {
    /// A coat of the given roughness, the square root of the width of its highlights.
    pub(crate) fn new(roughness: f32, substance: Substance) -> Self {
        let ggx = Ggx { alpha: (roughness * roughness).max(MIN_ALPHA) };
        let mut coat = Self { ggx, substance, albedo: [0.0; ENTRIES], mean: 0.0 };
        for k in 0..ENTRIES {
            let z = ((k as f32) / (ENTRIES - 1) as f32).max(0.003);
            let o = Vec3::new((1.0 - z * z).sqrt(), 0.0, z);
            let mut sum = 0.0;
            for cell in 0..GRID * GRID {
                let place = [cell % GRID, cell / GRID].map(|x| (x as f32 + 0.5) / GRID as f32);
                let h = ggx.sample(o, place);
                let i = reflect(o, h);
                if i.z > 0.0 {
                    sum += coat.fresnel(Vec3::ONE, o.dot(h)).x * ggx.g2(o, i) / ggx.g1(o);
                }
            }
            coat.albedo[k] = sum / (GRID * GRID) as f32;
        }
        let n = 256;
        let cosine = |k: usize| (k as f32 + 0.5) / n as f32;
        coat.mean = (0..n).map(|k| 2.0 * coat.share(cosine(k)) * cosine(k)).sum::<f32>() / n as f32;
        coat
    }

    /// Reflection of a facet; a metal of the given colour.
    fn fresnel(&self, colour: Vec3, cos: f32) -> Vec3 {
        match self.substance {
            Substance::Dielectric(ior) => Vec3::splat(dielectric(cos, ior)),
            Substance::Metal => schlick(colour, cos),
        }
    }

    /// Albedo of the mirror, white.
    fn share(&self, cos: f32) -> f32 {
        let x = cos.clamp(0.0, 1.0) * (ENTRIES - 1) as f32;
        let k = (x as usize).min(ENTRIES - 2);
        let t = x - k as f32;
        self.albedo[k] * (1.0 - t) + self.albedo[k + 1] * t
    }

    pub(crate) fn eval(&self, colour: Vec3, o: Vec3, i: Vec3) -> Vec3 {
        if i.z <= 0.0 || o.z <= 0.0 {
            return Vec3::ZERO;
        }
        let h = (o + i).normalize_or(Vec3::Z);
        let mirror = self.ggx.d(h) * self.ggx.g2(o, i) / (4.0 * o.z);
        let below = (1.0 - self.share(o.z)) * (1.0 - self.share(i.z)) / (1.0 - self.mean).max(1e-4);
        let base = match self.substance {
            Substance::Dielectric(_) => colour,
            Substance::Metal => {
                // Mean reflection of Schlick's formula, then a geometric series of bounces.
                let f = colour * (20.0 / 21.0) + Vec3::splat(1.0 / 21.0);
                f * f * self.mean / (Vec3::ONE - f * (1.0 - self.mean))
            }
        };
        self.fresnel(colour, o.dot(h)) * mirror + base * (below * i.z / PI)
    }

    /// How often the mirror is sampled.
    fn mirror_share(&self, colour: Vec3, o: Vec3) -> f32 {
        let e = self.share(o.z);
        match self.substance {
            Substance::Metal => e.clamp(0.1, 1.0),
            Substance::Dielectric(_) => {
                let base = (1.0 - e) * colour.element_sum() / 3.0;
                (e / (e + base).max(1e-4)).clamp(0.1, 0.95)
            }
        }
    }

    pub(crate) fn pdf(&self, colour: Vec3, o: Vec3, i: Vec3) -> f32 {
        if i.z <= 0.0 || o.z <= 0.0 {
            return 0.0;
        }
        let share = self.mirror_share(colour, o);
        share * self.ggx.pdf(o, i) + (1.0 - share) * cosine_pdf(i.z)
    }

    pub(crate) fn sample(&self, colour: Vec3, o: Vec3, lobe: f32, place: [f32; 2]) -> Vec3 {
        if lobe < self.mirror_share(colour, o) {
            reflect(o, self.ggx.sample(o, place))
        } else {
            cosine_hemisphere(place)
        }
    }

    pub(crate) fn albedo(&self, colour: Vec3) -> Vec3 {
        match self.substance {
            Substance::Metal => colour,
            Substance::Dielectric(_) => colour * (1.0 - self.mean) + Vec3::splat(self.mean),
        }
    }
}

/// The direction that a mirror of normal `h` shows.
pub(crate) fn reflect(o: Vec3, h: Vec3) -> Vec3 {
    h * (2.0 * o.dot(h)) - o
}
