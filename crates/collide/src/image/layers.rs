//! Layered depth images: all entries and exits of each pixel's line.

use super::Frame;
use crate::field::{Columns, Crossing, Solid, SolidError, is_sound};
use glam::DVec3;

/// Depths from–to of all pixels, behind one another.
#[derive(Clone, Debug, Default, PartialEq)]
struct Intervals {
    list: Vec<[f64; 2]>,
    offsets: Vec<u32>,
}

impl Intervals {
    fn at(&self, pixel: usize) -> &[[f64; 2]] {
        &self.list[self.offsets[pixel] as usize..self.offsets[pixel + 1] as usize]
    }

    fn length(&self) -> f64 {
        self.list.iter().map(|[from, to]| to - from).sum()
    }
}

/// The entries and exits of a closed body along the line of each pixel.
///
/// A line that turns around a body more than once is inside where it has entered more often than
/// left; where that is twice or more, the body overlaps itself.
#[derive(Clone, Debug, PartialEq)]
pub struct LayeredDepthImage {
    frame: Frame,
    inside: Intervals,
    doubled: Intervals,
    unsound: usize,
}

impl LayeredDepthImage {
    /// The image of a body in a frame.
    ///
    /// # Errors
    /// If the body has holes: entries and exits would not pair up.
    pub fn new(solid: &Solid, frame: Frame) -> Result<Self, SolidError> {
        solid.closed()?;
        let columns = Columns::new(solid, &frame.lines());
        let mut image =
            Self { frame, inside: Intervals::default(), doubled: Intervals::default(), unsound: 0 };
        image.inside.offsets.push(0);
        image.doubled.offsets.push(0);
        for j in 0..frame.counts[1] {
            for i in 0..frame.counts[0] {
                let column = columns.crossings(i, j);
                if is_sound(column) {
                    at_least(1, column, &mut image.inside.list);
                    at_least(2, column, &mut image.doubled.list);
                } else {
                    image.unsound += 1;
                }
                image.inside.offsets.push(image.inside.list.len() as u32);
                image.doubled.offsets.push(image.doubled.list.len() as u32);
            }
        }
        Ok(image)
    }

    /// The pixels.
    pub fn frame(&self) -> &Frame {
        &self.frame
    }

    /// Depths at which the line of pixel (i, j) is inside, from–to, in ascending order [m].
    ///
    /// # Panics
    /// If there is no such pixel.
    pub fn layers(&self, i: usize, j: usize) -> &[[f64; 2]] {
        let [nu, nv] = self.frame.counts;
        assert!(i < nu && j < nv, "pixel ({i}, {j}) of {nu} × {nv}");
        self.inside.at(j * nu + i)
    }

    /// The largest number of layers in a pixel.
    pub fn depth_complexity(&self) -> usize {
        let ranges = self.inside.offsets.windows(2);
        ranges.map(|o| (o[1] - o[0]) as usize).max().unwrap_or(0)
    }

    /// Pixels left empty because rounding tore an entry from its exit: almost always none.
    pub fn unsound(&self) -> usize {
        self.unsound
    }

    /// Whether a point is inside, seen through the middle of its pixel.
    pub fn contains(&self, p: DVec3) -> bool {
        self.frame.pixel_of(p).is_some_and(|(i, j)| {
            let z = p[self.frame.axis];
            self.layers(i, j).iter().any(|[from, to]| *from < z && z < *to)
        })
    }

    /// Volume of the part of the body that the frame sees [m³].
    ///
    /// The error falls with pixel^1.5: the rim of the body is cut off at whole pixels.
    pub fn volume(&self) -> f64 {
        self.inside.length() * self.frame.pixel * self.frame.pixel
    }

    /// Volume in which the body overlaps itself [m³]: twice entered, not yet left.
    pub fn self_overlap_volume(&self) -> f64 {
        self.doubled.length() * self.frame.pixel * self.frame.pixel
    }

    /// Volume common to two bodies [m³]; `None` if they are seen in different frames.
    pub fn intersection_volume(&self, other: &Self) -> Option<f64> {
        if self.frame != other.frame {
            return None;
        }
        let pixels = self.frame.counts[0] * self.frame.counts[1];
        let sum: f64 = (0..pixels).map(|c| common(self.inside.at(c), other.inside.at(c))).sum();
        Some(sum * self.frame.pixel * self.frame.pixel)
    }
}

/// Where a line has entered at least `level` times more often than left.
fn at_least(level: i32, column: &[Crossing], out: &mut Vec<[f64; 2]>) {
    let (mut winding, mut start) = (0, 0.0);
    for c in column {
        let before = winding;
        winding += if c.exits { -1 } else { 1 };
        if before < level && winding >= level {
            start = c.depth;
        } else if before >= level && winding < level {
            out.push([start, c.depth]);
        }
    }
}

/// Length that two ascending lists of intervals have in common.
fn common(a: &[[f64; 2]], b: &[[f64; 2]]) -> f64 {
    let (mut i, mut j, mut sum) = (0, 0, 0.0);
    while i < a.len() && j < b.len() {
        let overlap = a[i][1].min(b[j][1]) - a[i][0].max(b[j][0]);
        sum += overlap.max(0.0);
        if a[i][1] < b[j][1] {
            i += 1;
        } else {
            j += 1;
        }
    }
    sum
}
