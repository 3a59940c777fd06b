//! A volume of fibres as microflakes: the distribution SGGX [heitz2015] of fibres along one axis, and
//! the light that a layer of it scatters once [wang2022].
//!
//! With the matrix S = diag(1, 1, α²) in a frame whose z is the fibre, the projected area of a volume
//! is σ(ω) = √(ωᵀ S ω) and the density of flake normals D(m) = 1 / (π α (mₓ² + m_y² + m_z²/α²)²). A layer of
//! optical thickness τ reflects f cos i = D(h) cos i / (4 (σᵢ cos o + σₒ cos i)) · (1 − exp(−τ (σᵢ/cos i + σₒ/cos o))).

use glam::Vec3;
use std::f32::consts::{PI, TAU};

/// Density of the flakes that mirror one direction to another, and the areas that both see.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Meeting {
    density: f32,
    sigma: [f32; 2],
}

impl Meeting {
    /// Light scattered once in a layer whose normal makes these cosines with both directions, times the second cosine, for
    /// flakes that reflect all; `escaped` is the share of the light that the layer scatters, 1 if it has no end.
    pub(crate) fn reflected(&self, [cos_o, cos_i]: [f32; 2], escaped: f32) -> f32 {
        let attenuation = self.sigma[1] * cos_o + self.sigma[0] * cos_i;
        self.density * cos_i * escaped / (4.0 * attenuation.max(1e-6))
    }

    /// Density of the direction that reflection about [`Fibres::sample`] gives.
    pub(crate) fn pdf(&self) -> f32 {
        self.density / (4.0 * self.sigma[0])
    }
}

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

    /// What light from `i` to `o` is scattered by; `h` is the unit vector between them.
    pub(crate) fn meeting(&self, o: Vec3, i: Vec3, h: Vec3) -> Meeting {
        Meeting { density: self.d(h), sigma: [self.sigma(o), self.sigma(i)] }
    }

    /// Light that passes a layer without meeting a fibre.
    pub(crate) fn passed(&self, w: Vec3, cos: f32, depth: f32) -> f32 {
        (-depth * self.sigma(w) / cos.max(1e-4)).exp()
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
