//! Cross-sections of bodies: rounded curves with a front and a back of their own.
//!
//! A section is x = a·|sin t|^(2/n), z = d·|cos t|^(2/n) with the signs of sine and cosine, where d is `front`
//! or `back` by the sign of the cosine: two half superellipses that share their width. n = 2 is an ellipse,
//! larger exponents are boxier.

use glam::DVec3;
use libm::{cos, fabs, pow, sin};
use std::f64::consts::TAU;

/// A closed curve across a part of the body.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Section {
    /// Where the axis of the part passes [m].
    pub(crate) centre: DVec3,
    /// Unit vector to the side.
    pub(crate) side: DVec3,
    /// Unit vector to the front.
    pub(crate) forward: DVec3,
    /// Half the width [m].
    pub(crate) half: f64,
    /// Depth in front of the centre [m].
    pub(crate) front: f64,
    /// Depth behind the centre [m].
    pub(crate) back: f64,
    /// Exponent of the superellipse.
    pub(crate) power: f64,
}

impl Section {
    /// A level section: x to the side, z to the front.
    pub(crate) fn level(centre: DVec3, half: f64, front: f64, back: f64) -> Self {
        let (side, forward) = (DVec3::X, DVec3::Z);
        Self { centre, side, forward, half, front, back, power: 2.0 }
    }

    /// Through a point in front and one behind, its axis at a share of the way between them.
    pub(crate) fn between(front: DVec3, back: DVec3, share: f64, half: f64) -> Self {
        let (way, depth) = (front - back, front.distance(back));
        let centre = back + share * way;
        let forward = way.normalize_or(DVec3::Z);
        let (front, back) = ((1.0 - share) * depth, share * depth);
        Self { forward, ..Self::level(centre, half, front, back) }
    }

    /// Tilted about the side axis, the front downwards [rad].
    pub(crate) fn tilted(mut self, angle: f64) -> Self {
        self.forward = DVec3::new(0.0, -sin(angle), cos(angle));
        self
    }

    /// With another exponent.
    pub(crate) fn boxier(mut self, power: f64) -> Self {
        self.power = power;
        self
    }

    /// The point at angle `t` [rad] from the front, a quarter turn being to the side.
    pub(crate) fn point(&self, t: f64) -> DVec3 {
        let (s, c) = (sin(t), cos(t));
        let bend = |v: f64| pow(fabs(v), 2.0 / self.power).copysign(v);
        let depth = if c >= 0.0 { self.front } else { self.back };
        self.centre + self.side * (self.half * bend(s)) + self.forward * (depth * bend(c))
    }

    /// Its length [m].
    pub(crate) fn girth(&self) -> f64 {
        const N: u32 = 128;
        let at = |k: u32| self.point(TAU * f64::from(k) / f64::from(N));
        (0..N).map(|k| at(k).distance(at(k + 1))).sum()
    }

    /// Scaled about its centre to a girth [m].
    pub(crate) fn with_girth(self, girth: f64) -> Self {
        let scale = girth / self.girth();
        self.scaled(scale)
    }

    /// With a half width [m]; its depth follows from the girth [m].
    pub(crate) fn with_half_and_girth(mut self, half: f64, girth: f64) -> Self {
        self.half = half;
        let (front, back) = (self.front, self.back);
        let mean = 0.5 * (front + back);
        let (mut low, mut high) = (0.2 * half / mean, 5.0 * half / mean);
        for _ in 0..40 {
            let scale = 0.5 * (low + high);
            (self.front, self.back) = (front * scale, back * scale);
            if self.girth() < girth { low = scale } else { high = scale }
        }
        self
    }

    fn scaled(mut self, scale: f64) -> Self {
        self.half *= scale;
        self.front *= scale;
        self.back *= scale;
        self
    }

    /// Between two sections.
    pub(crate) fn lerp(&self, other: &Self, t: f64) -> Self {
        let mix = |a: f64, b: f64| a + t * (b - a);
        Self {
            centre: self.centre.lerp(other.centre, t),
            side: self.side.lerp(other.side, t).normalize_or(self.side),
            forward: self.forward.lerp(other.forward, t).normalize_or(self.forward),
            half: mix(self.half, other.half),
            front: mix(self.front, other.front),
            back: mix(self.back, other.back),
            power: mix(self.power, other.power),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_section_has_the_girth_it_is_given() {
        let s = Section::level(DVec3::Y, 0.15, 0.1, 0.12).boxier(2.4).with_girth(0.9);
        assert!((s.girth() - 0.9).abs() < 1e-12);
        let s = s.with_half_and_girth(0.17, 0.9);
        assert!((s.girth() - 0.9).abs() < 1e-9 && (s.half - 0.17).abs() < 1e-15);
        let circle = Section::level(DVec3::ZERO, 1.0, 1.0, 1.0);
        assert!((circle.girth() - TAU).abs() < 1e-3);
    }
}
