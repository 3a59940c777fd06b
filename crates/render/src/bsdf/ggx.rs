//! Rough mirrors: the distribution of [walter2007] with visible normals drawn as in [dupuy2023].

use glam::Vec3;
use std::f32::consts::{PI, TAU};

/// Isotropic microfacets of roughness `alpha`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ggx {
    pub(crate) alpha: f32,
}

impl Ggx {
    /// Density of the facets of normal `h`.
    pub(crate) fn d(self, h: Vec3) -> f32 {
        let a2 = self.alpha * self.alpha;
        // h.x² + h.y² keeps its digits where 1 − h.z² has none.
        let t = h.x * h.x + h.y * h.y + a2 * h.z * h.z;
        a2 / (PI * t * t).max(1e-30)
    }

    fn lambda(self, w: Vec3) -> f32 {
        let a2 = self.alpha * self.alpha;
        let tan2 = (w.x * w.x + w.y * w.y) / (w.z * w.z).max(1e-12);
        0.5 * ((1.0 + a2 * tan2).sqrt() - 1.0)
    }

    /// Share of the facets seen from `w`.
    pub(crate) fn g1(self, w: Vec3) -> f32 {
        1.0 / (1.0 + self.lambda(w))
    }

    /// Share of the facets seen from both.
    pub(crate) fn g2(self, o: Vec3, i: Vec3) -> f32 {
        1.0 / (1.0 + self.lambda(o) + self.lambda(i))
    }

    /// Density of the direction that [`Ggx::sample`] gives by reflection.
    pub(crate) fn pdf(self, o: Vec3, i: Vec3) -> f32 {
        let h = (o + i).normalize_or(Vec3::Z);
        self.d(h) * self.g1(o) / (4.0 * o.z.max(1e-6))
    }

    /// A visible normal.
    pub(crate) fn sample(self, o: Vec3, [x, y]: [f32; 2]) -> Vec3 {
        let a = self.alpha;
        let v = Vec3::new(a * o.x, a * o.y, o.z).normalize();
        let z = (1.0 - y) * (1.0 + v.z) - v.z;
        let r = (1.0 - z * z).max(0.0).sqrt();
        let (s, c) = (TAU * x).sin_cos();
        let h = Vec3::new(r * c, r * s, z) + v;
        Vec3::new(a * h.x, a * h.y, h.z.max(1e-7)).normalize()
    }
}

/// Share of light that a smooth dielectric of relative index `ior` reflects at the angle of cosine `cos`.
pub(crate) fn dielectric(cos: f32, ior: f32) -> f32 {
    let c = cos.clamp(0.0, 1.0);
    let g2 = ior * ior - 1.0 + c * c;
    if g2 <= 0.0 {
        return 1.0;
    }
    let g = g2.sqrt();
    let a = (g - c) / (g + c);
    let b = (c * (g + c) - 1.0) / (c * (g - c) + 1.0);
    0.5 * a * a * (1.0 + b * b)
}

/// Light reflected by a conductor that shows `f0` seen straight [schlick1994].
pub(crate) fn schlick(f0: Vec3, cos: f32) -> Vec3 {
    let m = (1.0 - cos).clamp(0.0, 1.0);
    let m2 = m * m;
    f0 + (Vec3::ONE - f0) * (m2 * m2 * m)
}
