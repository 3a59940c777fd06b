//! The camera and how it frames a box.

use crate::Error;
use glam::DVec3;

/// Vertical field of view of [`Camera::framing`]: a short telephoto, as for portraits.
const FRAMING_FOV: f64 = 0.5;
/// Share of the picture that [`Camera::framing`] fills.
const FRAMING_FILL: f64 = 0.84;

/// A perspective camera.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// Where it stands [m].
    pub eye: DVec3,
    /// What it looks at [m].
    pub target: DVec3,
    /// What is up in the picture.
    pub up: DVec3,
    /// Vertical field of view [rad].
    pub fov_y: f64,
}

impl Camera {
    /// Frames the box from `lo` to `hi` with a margin, for pictures of width / height = `aspect`.
    ///
    /// `azimuth` [rad] turns about +y, 0 looks along −z and π/2 along −x; `elevation` [rad] is the
    /// height of the camera above the horizon.
    pub fn framing(lo: DVec3, hi: DVec3, azimuth: f64, elevation: f64, aspect: f64) -> Self {
        let pick = |corner: usize, k: usize| if corner >> k & 1 == 1 { hi[k] } else { lo[k] };
        let corners: [DVec3; 8] =
            std::array::from_fn(|c| DVec3::new(pick(c, 0), pick(c, 1), pick(c, 2)));
        Self::around(&corners, azimuth, elevation, aspect, FRAMING_FILL)
    }

    /// Frames points so that they just touch a margin: `fill` is the share of the picture inside it.
    /// Angles as in [`Camera::framing`]; no points are seen as the origin.
    pub fn around(points: &[DVec3], azimuth: f64, elevation: f64, aspect: f64, fill: f64) -> Self {
        let back = DVec3::new(
            azimuth.sin() * elevation.cos(),
            elevation.sin(),
            azimuth.cos() * elevation.cos(),
        );
        let (right, up) = axes(-back, DVec3::Y);
        let tangent = (0.5 * FRAMING_FOV).tan() * fill;
        let slope = [tangent * aspect, tangent];
        let first = points.first().copied().unwrap_or_default();
        let (lo, hi) = points.iter().fold((first, first), |(lo, hi), p| (lo.min(*p), hi.max(*p)));
        // A point at (x, depth) is in view of a camera at (c, −d) if |x − c| ≤ slope · (depth + d);
        // the largest violation on either side gives the least d and the c in the middle.
        let centre = 0.5 * (lo + hi);
        let mut offset = [0.0; 2];
        let mut distance: f64 = 0.0;
        for (k, axis) in [right, up].into_iter().enumerate() {
            let mut side = [f64::NEG_INFINITY; 2];
            for p in points {
                let p = *p - centre;
                let (x, depth) = (p.dot(axis), -p.dot(back));
                side[0] = side[0].max(x - slope[k] * depth);
                side[1] = side[1].max(-x - slope[k] * depth);
            }
            if side[0].is_finite() {
                offset[k] = 0.5 * (side[0] - side[1]);
                distance = distance.max(0.5 * (side[0] + side[1]) / slope[k]);
            }
        }
        // What has no size still has a view.
        let distance = if distance > 0.0 { distance } else { 1.0 };
        let target = centre + right * offset[0] + up * offset[1];
        Self { eye: target + back * distance, target, up: DVec3::Y, fov_y: FRAMING_FOV }
    }

    /// Right, up and forward unit vectors.
    pub(crate) fn frame(&self) -> Result<[DVec3; 3], Error> {
        if !(self.eye.is_finite() && self.target.is_finite() && self.up.is_finite()) {
            return Err(Error::Camera("not finite"));
        }
        if !(self.fov_y > 0.0 && self.fov_y < 3.1) {
            return Err(Error::Camera("field of view must lie between 0 and π"));
        }
        let forward = (self.target - self.eye)
            .try_normalize()
            .ok_or(Error::Camera("looks at where it stands"))?;
        let (right, up) = axes(forward, self.up);
        Ok([right, up, forward])
    }
}

/// Right and up of a view along `forward`; looking along `up` itself, some right is chosen.
fn axes(forward: DVec3, up: DVec3) -> (DVec3, DVec3) {
    let right = forward
        .cross(up.normalize_or(DVec3::Y))
        .try_normalize()
        .unwrap_or_else(|| forward.any_orthonormal_vector());
    (right, right.cross(forward))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn framing_touches_the_margin_and_keeps_every_corner_inside() {
        let (lo, hi) = (DVec3::new(-1.0, 0.0, -0.5), DVec3::new(2.0, 1.0, 0.5));
        for aspect in [0.5, 1.0, 2.5] {
            let camera = Camera::framing(lo, hi, 0.6, 0.4, aspect);
            let [right, up, forward] = camera.frame().unwrap();
            let mut extreme: f64 = 0.0;
            for corner in 0..8 {
                let pick = |k: usize| if corner >> k & 1 == 1 { hi[k] } else { lo[k] };
                let p = DVec3::new(pick(0), pick(1), pick(2)) - camera.eye;
                let scale = p.dot(forward) * (0.5 * camera.fov_y).tan();
                let x = p.dot(right) / (scale * aspect);
                let y = p.dot(up) / scale;
                extreme = extreme.max(x.abs()).max(y.abs());
            }
            assert!((extreme - FRAMING_FILL).abs() < 1e-9, "{extreme}");
        }
    }

    #[test]
    fn looking_straight_down_is_allowed() {
        let camera =
            Camera::framing(DVec3::NEG_ONE, DVec3::ONE, 0.0, std::f64::consts::FRAC_PI_2, 1.0);
        let [right, up, forward] = camera.frame().unwrap();
        assert!((right.cross(up) + forward).length() < 1e-9);
    }

    #[test]
    fn a_camera_that_looks_nowhere_is_an_error() {
        let mut camera = Camera::framing(DVec3::ZERO, DVec3::ONE, 0.0, 0.0, 1.0);
        camera.target = camera.eye;
        assert!(camera.frame().is_err());
        camera.target.x = f64::NAN;
        assert!(camera.frame().is_err());
    }
}
