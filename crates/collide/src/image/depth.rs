//! Front and back depth and normal maps of a body.

use super::Frame;
use crate::field::{Columns, Crossing, Solid, SolidError};
use glam::DVec3;

/// Which of the two maps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Seen from below the axis: the first entry.
    Front,
    /// Seen from above the axis: the last exit.
    Back,
}

/// How deep a point is in a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Penetration {
    /// Distance to the tangent plane at the nearer of front and back [m].
    pub depth: f64,
    /// Unit normal of the body there.
    pub normal: DVec3,
    /// Whether that is the front or the back.
    pub side: Side,
}

/// Depth and unit normal of a pixel.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Texel {
    depth: f64,
    normal: DVec3,
}

/// Where each pixel's line first enters a body and last leaves it.
///
/// ```
/// use glam::DVec3;
/// use toile_collide::field::Solid;
/// use toile_collide::image::DepthMaps;
/// use toile_mesh::shape;
///
/// let ball = shape::sphere(0.5, 3);
/// let solid = Solid::new(&ball.positions, &ball.triangles)?;
/// let maps = DepthMaps::new(&solid, 1, 0.01)?; // along y
/// let inside = maps.query(DVec3::Y * 0.45).expect("inside");
/// assert!((inside.depth - 0.05).abs() < 0.01 && inside.normal.y > 0.9);
/// assert!(maps.query(DVec3::Y * 0.6).is_none());
/// # Ok::<(), toile_collide::field::SolidError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct DepthMaps {
    frame: Frame,
    /// Front and back of each pixel, `None` where nothing is seen.
    texels: Vec<Option<[Texel; 2]>>,
}

impl DepthMaps {
    /// The maps of a body seen along an axis (0, 1, 2), with pixels of side `pixel` [m].
    ///
    /// # Errors
    /// As [`Frame::around`].
    ///
    /// # Panics
    /// If the axis is above 2.
    pub fn new(solid: &Solid, axis: usize, pixel: f64) -> Result<Self, SolidError> {
        let (lo, hi) = solid.bounds();
        let frame = Frame::around(lo, hi, axis, pixel)?;
        let columns = Columns::new(solid, &frame.lines());
        let texel = |c: &Crossing| {
            let [a, b, e] = solid.corners(c.triangle);
            Texel { depth: c.depth, normal: (b - a).cross(e - a).normalize_or_zero() }
        };
        let [nu, nv] = frame.counts;
        let pixels = (0..nv).flat_map(|j| (0..nu).map(move |i| (i, j)));
        let texels = pixels
            .map(|(i, j)| match columns.crossings(i, j) {
                // A line that only enters goes through a hole; nothing is known behind it.
                [first, .., last] => Some([texel(first), texel(last)]),
                _ => None,
            })
            .collect();
        Ok(Self { frame, texels })
    }

    /// The pixels.
    pub fn frame(&self) -> &Frame {
        &self.frame
    }

    /// How deep a point is, `None` if it is outside. Depth and normal are those of the nearest
    /// pixel's middle: beside a slope of angle α they are off by up to half a pixel times sin α.
    pub fn query(&self, p: DVec3) -> Option<Penetration> {
        let (i, j) = self.frame.pixel_of(p)?;
        let [front, back] = self.texels[j * self.frame.counts[0] + i]?;
        let z = p[self.frame.axis];
        if !(front.depth < z && z < back.depth) {
            return None;
        }
        // Along the normal a plane is nearer than along the axis.
        let depth = |t: Texel| (z - t.depth).abs() * t.normal[self.frame.axis].abs();
        let nearer = if z - front.depth < back.depth - z {
            (front, Side::Front)
        } else {
            (back, Side::Back)
        };
        Some(Penetration { depth: depth(nearer.0), normal: nearer.0.normal, side: nearer.1 })
    }
}
