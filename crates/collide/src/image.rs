//! Bodies as images: depth maps and layered depth images (D8).
//!
//! A body is seen along a coordinate axis through a grid of pixels; each pixel keeps where its line
//! enters and leaves. What a graphics card does by drawing is done here by crossing lines with
//! triangles, so that the depths are exact at the middles of pixels.
//!
//! | part | keeps | knows |
//! |---|---|---|
//! | [`DepthMaps`] | first entry and last exit, with normals | how deep a point is [vassilev2001] |
//! | [`LayeredDepthImage`] | all entries and exits | volumes, overlaps [heidelberger2003] |
//!
//! Limits: both know the body only at the middles of pixels. [`DepthMaps`] take everything between
//! the first entry and the last exit to be inside: right for a body that is convex along the axis,
//! such as a torso from the front, and wrong between two legs seen from the side.

mod depth;
mod layers;

pub use depth::{DepthMaps, Penetration, Side};
pub use layers::LayeredDepthImage;

use crate::field::{Lines, Solid, SolidError};
use glam::{DVec2, DVec3};

/// Pixels of the largest image.
const MAX_PIXELS: usize = 1 << 26;

/// The place and size of an image's pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frame {
    axis: usize,
    origin: DVec2,
    pixel: f64,
    counts: [usize; 2],
}

impl Frame {
    /// Square pixels of side `pixel` [m] over the box from `lo` to `hi`, seen along an axis
    /// (0, 1, 2 for x, y, z). The middles of the outermost pixels lie outside the box or on its rim.
    ///
    /// # Errors
    /// If the pixel is not positive and finite, or the image would have more than 2²⁶ pixels.
    ///
    /// # Panics
    /// If the axis is above 2.
    pub fn around(lo: DVec3, hi: DVec3, axis: usize, pixel: f64) -> Result<Self, SolidError> {
        assert!(axis < 3, "there is no axis {axis}");
        if !(pixel > 0.0 && pixel.is_finite()) {
            return Err(SolidError::NotPositive { name: "pixel", value: pixel });
        }
        let flat = |p: DVec3| DVec2::new(p[(axis + 1) % 3], p[(axis + 2) % 3]);
        let (lo, hi) = (flat(lo), flat(hi));
        let counts = ((hi - lo) / pixel).ceil() + 1.0;
        let total = counts.x * counts.y;
        let far = lo.abs().max(hi.abs()).max_element();
        if total.is_nan() || total > MAX_PIXELS as f64 || pixel < 4.0 * f64::EPSILON * far {
            return Err(SolidError::TooFine { nodes: total, limit: MAX_PIXELS });
        }
        let origin = 0.5 * (lo + hi) - 0.5 * pixel * (counts - 1.0);
        Ok(Self { axis, origin, pixel, counts: [counts.x as usize, counts.y as usize] })
    }

    /// A frame over the box in which two bodies can overlap; `None` if their boxes do not.
    ///
    /// # Errors
    /// As [`Frame::around`].
    pub fn of_overlap(
        a: &Solid,
        b: &Solid,
        axis: usize,
        pixel: f64,
    ) -> Result<Option<Self>, SolidError> {
        let ((lo_a, hi_a), (lo_b, hi_b)) = (a.bounds(), b.bounds());
        let (lo, hi) = (lo_a.max(lo_b), hi_a.min(hi_b));
        if !lo.cmple(hi).all() {
            return Ok(None);
        }
        Self::around(lo, hi, axis, pixel).map(Some)
    }

    /// Pixels along the axis after the viewing axis, and along the one after that.
    pub fn counts(&self) -> [usize; 2] {
        self.counts
    }

    fn lines(&self) -> Lines {
        let Self { axis, origin, pixel, counts } = *self;
        Lines { axis, origin, spacing: pixel, counts }
    }

    /// The pixel a point is seen in.
    fn pixel_of(&self, p: DVec3) -> Option<(usize, usize)> {
        let at = (self.lines().across(p) - self.origin) / self.pixel + 0.5;
        let size = DVec2::new(self.counts[0] as f64, self.counts[1] as f64);
        // Written so that it is false for what is not a number.
        let inside = at.cmpge(DVec2::ZERO).all() && at.cmplt(size).all();
        inside.then_some((at.x as usize, at.y as usize))
    }
}
