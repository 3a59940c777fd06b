//! A volume of fibres as microflakes: the distribution SGGX [heitz2015] of fibres along one axis, and
//! the light that a layer of it scatters once [wang2022].
//!
//! With the matrix S = diag(1, 1, α²) in a frame whose z is the fibre, the projected area of a volume
//! is σ(ω) = √(ωᵀ S ω) and the density of flake normals D(m) = 1 / (π α (mₓ² + m_y² + m_z²/α²)²). A layer of
//! optical thickness τ reflects f cos i = D(h) cos i / (4 (σᵢ cos o + σₒ cos i)) · (1 − exp(−τ (σᵢ/cos i + σₒ/cos o))).

use glam::Vec3;
use std::f32::consts::{PI, TAU};

/// Fibres along an axis.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fibres {
    /// Unit vector along the fibres, in the frame of the BSDF.
    pub(crate) axis: Vec3,
    /// Disorder of the fibres: 0 is perfect order, 1 none at all.
    pub(crate) alpha: f32,
}

impl Fibres {
    /// Projected area of a unit of volume.
    pub(crate) fn sigma(&self, w: Vec3) -> f32 {
        let z = w.dot(self.axis);
        (1.0 - z * z * (1.0 - self.alpha * self.alpha)).max(1e-8).sqrt()
    }

    /// Density of flake normals.
    pub(crate) fn d(&self, m: Vec3) -> f32 {
        let z = m.dot(self.axis);
        let a2 = self.alpha * self.alpha;
        let q = (1.0 - z * z) + z * z / a2;
        1.0 / (PI * self.alpha * q * q)
    }

    /// Light scattered once from `i` to `o` in a layer whose normal makes cosines `cos_o` and `cos_i`
    /// with them, times `cos_i`, for flakes that reflect all.
    pub(crate) fn reflected(&self, o: Vec3, i: Vec3, cos: [f32; 2], depth: f32) -> f32 {
        let [cos_o, cos_i] = cos;
        if cos_o <= 0.0 || cos_i <= 0.0 {
            return 0.0;
        }
        let Some(h) = (o + i).try_normalize() else { return 0.0 };
        let (so, si) = (self.sigma(o), self.sigma(i));
        let attenuation = si * cos_o + so * cos_i;
        let escaped =
            if depth.is_finite() { -(-depth * (si / cos_i + so / cos_o)).exp_m1() } else { 1.0 };
        self.d(h) * cos_i * escaped / (4.0 * attenuation.max(1e-6))
    }

    /// Light that passes a layer without meeting a fibre.
    pub(crate) fn passed(&self, w: Vec3, cos: f32, depth: f32) -> f32 {
        (-depth * self.sigma(w) / cos.max(1e-4)).exp()
    }

    /// Density of the direction that reflection about [`Fibres::sample`] gives.
    pub(crate) fn pdf(&self, o: Vec3, i: Vec3) -> f32 {
        let Some(h) = (o + i).try_normalize() else { return 0.0 };
        self.d(h) / (4.0 * self.sigma(o))
    }

    /// A flake normal as `o` sees them.
    pub(crate) fn sample(&self, o: Vec3, [x, y]: [f32; 2]) -> Vec3 {
        // With S = M Mᵀ, M = diag(1, 1, α): visible normals are those of a sphere seen along M ω.
        let (a, b) = self.axis.any_orthonormal_pair();
        let local = Vec3::new(o.dot(a), o.dot(b), o.dot(self.axis));
        let v = Vec3::new(local.x, local.y, self.alpha * local.z).normalize();
        let (s, t) = v.any_orthonormal_pair();
        let r = x.sqrt();
        let (sin, cos) = (TAU * y).sin_cos();
        let n = s * (r * cos) + t * (r * sin) + v * (1.0 - x).max(0.0).sqrt();
        // Normals transform by M itself: the flakes of the stretched ball.
        let m = Vec3::new(n.x, n.y, self.alpha * n.z).normalize();
        (a * m.x + b * m.y + self.axis * m.z).normalize()
    }
}
