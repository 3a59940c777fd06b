//! The photographer's studio: soft boxes in a dim room.

use super::{Environment, paint};
use glam::{Vec2, Vec3};

/// A soft box at infinity.
struct SoftBox {
    toward: Vec3,
    /// Tangents of half its width and height.
    half: Vec2,
    radiance: Vec3,
}

impl SoftBox {
    /// `azimuth` and `elevation` in degrees; azimuth 0 is behind the camera, 90 to its right.
    fn new(azimuth: f32, elevation: f32, half: [f32; 2], radiance: [f32; 3]) -> Self {
        let (a, e) = (azimuth.to_radians(), elevation.to_radians());
        let toward = Vec3::new(a.sin() * e.cos(), e.sin(), a.cos() * e.cos());
        Self { toward, half: half.into(), radiance: radiance.into() }
    }

    fn light(&self, d: Vec3) -> Vec3 {
        let depth = d.dot(self.toward);
        if depth <= 0.05 {
            return Vec3::ZERO;
        }
        let right = Vec3::Y.cross(self.toward).normalize_or(Vec3::X);
        let up = self.toward.cross(right);
        let at = Vec2::new(d.dot(right), d.dot(up)) / depth / self.half;
        // Cloth in front of the lamp: brightest in the middle, soft at the rim.
        let rim = |x: f32| ((1.08 - x.abs()) / 0.16).clamp(0.0, 1.0);
        let shape = rim(at.x) * rim(at.y);
        self.radiance * (shape * (1.0 - 0.25 * at.length_squared().min(2.0)))
    }
}

impl Environment {
    /// A studio for a camera that looks along −z: a large key light on its left, a weaker fill on its
    /// right, two rim lights from behind and a dim room. Turn it with the camera.
    pub fn studio() -> Self {
        let boxes = [
            SoftBox::new(-64.0, 38.0, [0.38, 0.6], [9.6, 9.1, 8.5]),
            SoftBox::new(66.0, 12.0, [0.40, 0.75], [0.42, 0.45, 0.52]),
            SoftBox::new(-142.0, 26.0, [0.20, 0.8], [2.1, 2.15, 2.3]),
            SoftBox::new(140.0, 34.0, [0.24, 0.75], [3.6, 3.5, 3.35]),
            SoftBox::new(0.0, 82.0, [0.6, 0.6], [0.55, 0.55, 0.57]),
        ];
        let image = paint(128, 64, |d| {
            let room = Vec3::new(0.066, 0.067, 0.07) * (0.9 + 0.5 * d.y);
            boxes.iter().fold(room, |sum, b| sum + b.light(d))
        });
        Self::prepared(image)
    }
}
