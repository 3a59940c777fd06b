//! Rough diffuse reflection that loses no energy: the model of Fujii, a form of [oren1994], with its
//! multiple scattering added [portsmouth2025]. Reciprocal; white is exactly white.
//!
//! f = ρ/π · A (1 + r s/t) + ρ_ms/π · (1 − E(o)) (1 − E(i)) / (1 − Ē), A = 1 / (1 + (½ − 2/3π) r),
//! with the albedo E of the first term fitted by a polynomial in 1 − cos θ.

use crate::warp::{cosine_hemisphere, cosine_pdf};
use glam::Vec3;
use std::f32::consts::PI;

const C1: f32 = 0.5 - 2.0 / (3.0 * PI);
const C2: f32 = 2.0 / 3.0 - 28.0 / (15.0 * PI);

/// A rough diffuse surface.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Matte {
    pub(crate) colour: Vec3,
    /// 0 is Lambert, 1 as flat as the full moon.
    pub(crate) roughness: f32,
}

impl Matte {
    pub(crate) fn eval(&self, o: Vec3, i: Vec3) -> Vec3 {
        if i.z <= 0.0 || o.z <= 0.0 {
            return Vec3::ZERO;
        }
        let r = self.roughness;
        if r <= 0.0 {
            return self.colour * (i.z / PI);
        }
        let s = o.dot(i) - o.z * i.z;
        let s_over_t = if s > 0.0 { s / o.z.max(i.z) } else { s };
        let a = 1.0 / (1.0 + C1 * r);
        let single = a * (1.0 + r * s_over_t);
        let mean = a * (1.0 + C2 * r);
        let rho = self.colour;
        let multiple = rho * rho * mean / (Vec3::ONE - rho * (1.0 - mean));
        let lost = (1.0 - albedo(o.z, r)).max(0.0) * (1.0 - albedo(i.z, r)).max(0.0) / (1.0 - mean);
        (rho * single + multiple * lost) * (i.z / PI)
    }

    pub(crate) fn pdf(&self, i: Vec3) -> f32 {
        cosine_pdf(i.z)
    }
}

/// A thin sheet that scatters evenly to both sides.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Thin {
    /// Share of the light that comes back.
    pub(crate) reflected: Vec3,
    /// Share of the light that goes through.
    pub(crate) transmitted: Vec3,
}

impl Thin {
    fn share_above(&self) -> f32 {
        let (r, t) = (self.reflected.element_sum(), self.transmitted.element_sum());
        if t <= 0.0 { 1.0 } else { r / (r + t) }
    }

    pub(crate) fn eval(&self, i: Vec3) -> Vec3 {
        (if i.z > 0.0 { self.reflected } else { self.transmitted }) * (i.z.abs() / PI)
    }

    pub(crate) fn pdf(&self, i: Vec3) -> f32 {
        let above = self.share_above();
        cosine_pdf(i.z.abs()) * if i.z > 0.0 { above } else { 1.0 - above }
    }

    pub(crate) fn sample(&self, lobe: f32, place: [f32; 2]) -> Vec3 {
        let dir = cosine_hemisphere(place);
        if lobe < self.share_above() { dir } else { -dir }
    }
}

/// Albedo of the first term for white.
fn albedo(cos: f32, r: f32) -> f32 {
    let m = 1.0 - cos;
    let g = m * (0.057_108_53 + m * (0.491_881_88 + m * (-0.332_181_44 + m * 0.071_443)));
    (1.0 + r * g) / (1.0 + C1 * r)
}
