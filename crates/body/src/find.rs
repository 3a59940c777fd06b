//! Landmarks of a human mesh, found by slicing it.
//!
//! Level sections of the trunk give heights: the crotch is where the section splits in two, the armpits where it
//! suddenly widens by the arms, the waist is the least girth between hip and bust, the hip the greatest above the
//! crotch. Hands are the points farthest from the navel along the surface, and an arm is followed from there in
//! sections across it.
//!
//! Limits: the body stands upright on y = 0, faces +z, its legs and arms do not touch the trunk or each other, and
//! it wears nothing.

use crate::error::Error;
use crate::proportions::KNEE_ABOVE_NARROW;
use crate::slice::{Loop, Plane, slice_among};
use glam::DVec3;
use serde::Serialize;
use toile_mesh::TriMesh;

/// Points and levels of a body [m]; of pairs, the left comes first.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Landmarks {
    /// Top of the head.
    pub crown: DVec3,
    /// Back of the neck, at the seventh vertebra.
    pub nape: DVec3,
    /// Pit of the neck.
    pub front_neck: DVec3,
    /// Centre of the neck where it is narrowest.
    pub neck: DVec3,
    /// Where neck and shoulder meet: the shoulder line falls at 37° there.
    pub side_neck: [DVec3; 2],
    /// Outer ends of the shoulders.
    pub shoulder: [DVec3; 2],
    /// Highest points of the gaps between arms and trunk.
    pub armpit: [DVec3; 2],
    /// Foremost points of the chest.
    pub bust: [DVec3; 2],
    /// Middle of the trunk below the bust.
    pub underbust: DVec3,
    /// Middle of the trunk at the waist.
    pub waist: DVec3,
    /// Middle of the trunk at the hip.
    pub hip: DVec3,
    /// Lowest point of the trunk between the legs.
    pub crotch: DVec3,
    /// Centres of the elbows.
    pub elbow: [DVec3; 2],
    /// Centres of the wrists.
    pub wrist: [DVec3; 2],
    /// Finger tips.
    pub hand: [DVec3; 2],
    /// Hip joints, roughly.
    pub hip_joint: [DVec3; 2],
    /// Centres of the knees.
    pub knee: [DVec3; 2],
    /// Centres of the calves where they are fullest.
    pub calf: [DVec3; 2],
    /// Centres of the ankles where they are narrowest.
    pub ankle: [DVec3; 2],
    /// Axes of the arms from the wrist towards the shoulder, points about 2 cm apart.
    pub arm_axis: [Vec<DVec3>; 2],
}

/// Slices a body at levels.
pub(crate) struct Finder<'a> {
    pub(crate) mesh: &'a TriMesh,
    pub(crate) low: f64,
    pub(crate) height: f64,
    /// Triangles by height: those that reach into each of [`BINS`] levels.
    bins: Vec<Vec<u32>>,
}

/// Levels that triangles are sorted into.
const BINS: usize = 256;

/// Share of the height that a trunk reaches at least to both sides of the middle.
const TRUNK: f64 = 0.025;

/// What the trunk widens by at the armpits, as a share of the height.
const ARMPIT_JUMP: f64 = 0.03;

impl<'a> Finder<'a> {
    pub(crate) fn new(mesh: &'a TriMesh) -> Result<Self, Error> {
        let (lo, hi) =
            mesh.bounds().ok_or(Error::NotHuman { what: "there is nothing in it".into() })?;
        let (low, height) = (lo.y, hi.y - lo.y);
        if !(height > 0.0 && height.is_finite()) {
            return Err(Error::NotHuman { what: "it has no height".into() });
        }
        let bin = |y: f64| (((y - low) / height * BINS as f64) as usize).min(BINS - 1);
        let mut bins = vec![Vec::new(); BINS];
        for t in 0..mesh.triangles.len() {
            let y = mesh.corners(t).map(|p| p.y);
            let (from, to) = (y[0].min(y[1]).min(y[2]), y[0].max(y[1]).max(y[2]));
            for level in &mut bins[bin(from)..=bin(to)] {
                level.push(t as u32);
            }
        }
        Ok(Self { mesh, low, height, bins })
    }

    /// A height as a share of the body's [m].
    fn at(&self, share: f64) -> f64 {
        self.low + share * self.height
    }

    /// All loops at a height.
    pub(crate) fn level(&self, y: f64) -> Vec<Loop> {
        let share = (y - self.low) / self.height;
        if !(0.0..=1.0).contains(&share) {
            return Vec::new();
        }
        let bin = ((share * BINS as f64) as usize).min(BINS - 1);
        slice_among(self.mesh, Plane::level(y), self.bins[bin].iter().map(|t| *t as usize))
    }

    /// The section of the trunk at a height: the largest loop around the middle.
    pub(crate) fn trunk(&self, y: f64) -> Option<Loop> {
        let reach = TRUNK * self.height;
        let loops = self.level(y).into_iter();
        let around =
            loops.map(|l| (l.bounds(), l)).filter(|((lo, hi), _)| lo.x < -reach && hi.x > reach);
        around.max_by(|a, b| (a.0.1.x - a.0.0.x).total_cmp(&(b.0.1.x - b.0.0.x))).map(|(_, l)| l)
    }

    /// The section of a leg at a height: the loop of its side nearest to the middle, left is +1.
    pub(crate) fn leg(&self, y: f64, side: f64) -> Option<Loop> {
        let loops = self.level(y).into_iter();
        let own = loops.map(|l| (side * l.centroid().x, l)).filter(|(x, l)| {
            // Leave out specks, such as a heel that just touches the ground.
            *x > 0.0 && l.girth(DVec3::Y) > 0.04 * self.height
        });
        own.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, l)| l)
    }

    pub(crate) fn trunk_girth(&self, y: f64) -> f64 {
        self.trunk(y).map_or(f64::NAN, |l| l.girth(DVec3::Y))
    }

    pub(crate) fn leg_girth(&self, y: f64, side: f64) -> f64 {
        self.leg(y, side).map_or(f64::NAN, |l| l.girth(DVec3::Y))
    }

    /// The height of the crotch.
    pub(crate) fn crotch(&self) -> Result<f64, Error> {
        let whole = |y: f64| self.trunk(y).is_some();
        let mut share = 0.28;
        while !whole(self.at(share)) {
            share += 0.01;
            if share > 0.62 {
                return Err(Error::NotHuman { what: "it has no trunk above its legs".into() });
            }
        }
        if share < 0.285 {
            return Err(Error::NotHuman { what: "its legs cannot be told apart".into() });
        }
        let (mut apart, mut joined) = (self.at(share - 0.01), self.at(share));
        for _ in 0..16 {
            let y = 0.5 * (apart + joined);
            if whole(y) { joined = y } else { apart = y }
        }
        Ok(joined)
    }

    /// Height of the armpits: the last below which the trunk has no arms.
    pub(crate) fn armpit(&self, from: f64) -> Result<f64, Error> {
        let half =
            |y: f64| self.trunk(y).map(|l| l.bounds()).map_or(0.0, |(lo, hi)| 0.5 * (hi.x - lo.x));
        let step = 0.006 * self.height;
        let mut y = from;
        let mut widths = vec![half(y)];
        while y < self.at(0.90) {
            y += step;
            let before = widths[widths.len().saturating_sub(2)];
            widths.push(half(y));
            let limit = before + ARMPIT_JUMP * self.height;
            if widths[widths.len() - 1] > limit {
                let (mut lo, mut hi) = (y - step, y);
                for _ in 0..12 {
                    let mid = 0.5 * (lo + hi);
                    if half(mid) > limit { hi = mid } else { lo = mid }
                }
                return Ok(lo);
            }
        }
        Err(Error::NotHuman { what: "no arms branch off its trunk".into() })
    }
}

/// The place of the greatest value of a function between two bounds: the best of samples, refined by the parabola
/// of least squares around it. Samples without a value are left out.
pub(crate) fn peak(lo: f64, hi: f64, samples: usize, f: impl Fn(f64) -> f64) -> f64 {
    let step = (hi - lo) / (samples - 1) as f64;
    let values: Vec<f64> = (0..samples).map(|i| f(lo + i as f64 * step)).collect();
    let score = |v: f64| if v.is_nan() { f64::NEG_INFINITY } else { v };
    let best =
        (0..samples).max_by(|a, b| score(values[*a]).total_cmp(&score(values[*b]))).unwrap_or(0);
    let reach = 3.min(best).min(samples - 1 - best);
    if reach == 0 {
        return lo + best as f64 * step;
    }
    // y = a + b t + c t² over t = −reach … reach.
    let (mut s0, mut s2, mut s4, mut y0, mut y1, mut y2) = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0);
    for i in best - reach..=best + reach {
        let t = i as f64 - best as f64;
        let v = values[i];
        s0 += 1.0;
        s2 += t * t;
        s4 += t * t * t * t;
        y0 += v;
        y1 += t * v;
        y2 += t * t * v;
    }
    let (b, c) = (y1 / s2, (s0 * y2 - s2 * y0) / (s0 * s4 - s2 * s2));
    let shift = if c < 0.0 { (-0.5 * b / c).clamp(-(reach as f64), reach as f64) } else { 0.0 };
    let shift = if shift.is_finite() { shift } else { 0.0 };
    lo + (best as f64 + shift) * step
}

/// The height of the knee that belongs to the narrowest place below it.
pub(crate) fn knee_above(narrow: f64, height: f64) -> f64 {
    narrow + KNEE_ABOVE_NARROW * height
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_peak_is_found_between_samples() {
        let x = peak(0.0, 1.0, 21, |x| 3.0 - (x - 0.4137).powi(2));
        assert!((x - 0.4137).abs() < 1e-9);
        // At the end of the range, and with gaps.
        assert!((peak(0.0, 1.0, 11, |x| x) - 1.0).abs() < 1e-12);
        assert!((peak(0.0, 1.0, 11, |x| if x < 0.5 { f64::NAN } else { -x }) - 0.5).abs() < 0.11);
    }
}
