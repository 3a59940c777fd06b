//! Bounding volumes (D3).
//!
//! | volume | slabs | bytes |
//! |---|---|---|
//! | [`Aabb`] | the three axes, f64 | 48 |
//! | [`Aabb32`] | the three axes, f32, rounded outward | 24 |
//! | [`MovingBox`] | the three axes at each end of the step, f32, rounded outward | 64 |
//! | [`Dop`] | 3, 7, 9 or 13 directions, f32, rounded outward | 24–104 |
//!
//! All of them hold the straight paths of moving points, enlarged by a margin: two volumes with a
//! margin of half the separation that do not overlap are farther apart than the separation.

mod aabb;
mod aabb32;
mod dop;
mod moving;

pub use aabb::{Aabb, SweptVertices};
pub use aabb32::Aabb32;
pub use dop::Dop;
pub use moving::MovingBox;
pub(crate) use moving::margin;

use glam::DVec3;
use serde::{Deserialize, Serialize};

/// A bounding volume of moving points.
///
/// Volumes grow with what they hold: the volume of some points contains the volume of any of them
/// also after rounding. So features whose volumes overlap are found in whatever tree they are.
pub trait Volume: Copy + Send + Sync + PartialEq + std::fmt::Debug + 'static {
    /// The volume without points: it overlaps nothing, and merging it changes nothing.
    const EMPTY: Self;
    /// Whether it can tell apart what the [`Aabb`] cannot. If so, it is asked for features too.
    const SHARPER_THAN_BOX: bool;
    /// Whether it is one volume at each end of the step rather than one around all of it. Such volumes are told
    /// apart at equal times.
    const MOVES: bool = false;

    /// The volume around the straight paths of points, each given by both its ends, with a margin.
    fn around(paths: impl Iterator<Item = [DVec3; 2]>, margin: f64) -> Self;

    /// The smallest volume around both.
    #[must_use]
    fn merge(self, other: Self) -> Self;

    /// Whether the closed volumes may have a point in common.
    fn overlaps(&self, other: &Self) -> bool;

    /// Larger by `margin` on all sides.
    #[must_use]
    fn inflate(self, margin: f64) -> Self;

    /// The box around it.
    fn bounds(&self) -> Aabb;
}

/// Which volume a tree is made of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum VolumeKind {
    /// Boxes in 64-bit numbers [provot1997].
    Aabb,
    /// Boxes in 32-bit numbers: half the memory, and hardly larger.
    Aabb32,
    /// Boxes in 32-bit numbers that move: one at each end of the step, so that a motion that both have in common
    /// does not make them overlap.
    #[default]
    Moving,
    /// Slabs across the faces of a cube (k = 6): boxes again, to compare with.
    Dop6,
    /// Faces and corners of a cube (k = 14) [klosowski1998].
    Dop14,
    /// Faces and edges of a cube (k = 18), as in the tutorial's part by Mezger [eg2004garments].
    Dop18,
    /// Faces, corners and edges (k = 26) [klosowski1998].
    Dop26,
}

impl VolumeKind {
    /// All of them.
    pub const ALL: [Self; 7] =
        [Self::Aabb, Self::Aabb32, Self::Moving, Self::Dop6, Self::Dop14, Self::Dop18, Self::Dop26];

    /// Directions of its slabs; they are not unit vectors.
    pub fn directions(self) -> &'static [DVec3] {
        match self {
            Self::Aabb | Self::Aabb32 | Self::Moving | Self::Dop6 => &Dop::<3>::DIRECTIONS,
            Self::Dop14 => &Dop::<7>::DIRECTIONS,
            Self::Dop18 => &Dop::<9>::DIRECTIONS,
            Self::Dop26 => &Dop::<13>::DIRECTIONS,
        }
    }
}

/// The largest f32 that is surely not above a number, and the smallest that is surely not below:
/// rounding to nearest is off by half a unit at most, so the next one is beyond.
#[inline]
fn outward(lo: f64, hi: f64) -> (f32, f32) {
    ((lo as f32).next_down(), (hi as f32).next_up())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn point(scale: f64) -> impl Strategy<Value = DVec3> {
        [-1.0..1.0, -1.0..1.0, -1.0..1.0_f64].prop_map(move |p| DVec3::from_array(p) * scale)
    }

    fn paths() -> impl Strategy<Value = Vec<[DVec3; 2]>> {
        prop::collection::vec([point(1.0), point(1.0)], 1..5)
    }

    /// Whether a point is inside, asked through what the trait has.
    fn holds<V: Volume>(volume: &V, p: DVec3) -> bool {
        volume.overlaps(&V::around([[p, p]].into_iter(), 0.0))
    }

    fn shifted(paths: &[[DVec3; 2]], by: DVec3) -> Vec<[DVec3; 2]> {
        paths.iter().map(|p| p.map(|x| x + by)).collect()
    }

    fn check<V: Volume>(
        paths: &[[DVec3; 2]],
        others: &[[DVec3; 2]],
        t: f64,
        margin: f64,
        shift: DVec3,
    ) -> Result<(), TestCaseError> {
        let of = |paths: &[[DVec3; 2]], margin| V::around(paths.iter().copied(), margin);
        let volume = of(paths, margin);
        // Every point of every path, and of the box around it.
        for [a, b] in paths {
            let p = a.lerp(*b, t);
            prop_assert!(holds(&volume, p), "{volume:?} without {p}");
            prop_assert!(volume.bounds().overlaps(&Aabb::of_points([p])));
        }
        // The volume of many contains that of each, bit for bit, and so does a merged one.
        for path in paths {
            let one = of(&[*path], margin);
            prop_assert_eq!(volume.merge(one), volume);
        }
        let other = of(others, margin);
        let both = volume.merge(other);
        prop_assert_eq!(both.merge(volume), both);
        prop_assert_eq!(both.merge(other), both);
        prop_assert_eq!(volume.merge(V::EMPTY), volume);
        prop_assert!(!volume.overlaps(&V::EMPTY) && !V::EMPTY.overlaps(&volume));
        // Inflated by what the points move, it holds them where they arrive.
        let moved = shifted(paths, shift);
        let inflated = volume.inflate(shift.length() * (1.0 + 1e-12));
        prop_assert_eq!(inflated.merge(of(&moved, margin)), inflated);
        // Apart means farther apart than twice the margin at any time, in the two hulls.
        if !volume.overlaps(&other) {
            for (p, q) in [0.0, t, 1.0].into_iter().flat_map(|t| {
                let at = move |p: &[DVec3; 2]| p[0].lerp(p[1], t);
                paths.iter().map(at).flat_map(move |p| others.iter().map(at).map(move |q| (p, q)))
            }) {
                prop_assert!(p.distance(q) > 2.0 * margin, "{p} and {q}");
            }
        }
        // Volumes around all of the step are so at different times too.
        if !V::MOVES && !volume.overlaps(&other) {
            let mean = |paths: &[[DVec3; 2]]| {
                let sum: DVec3 = paths.iter().map(|[a, b]| a.lerp(*b, t)).sum();
                sum / paths.len() as f64
            };
            let ends = |paths: &[[DVec3; 2]]| -> Vec<DVec3> {
                paths.iter().flatten().copied().chain([mean(paths)]).collect()
            };
            for p in ends(paths) {
                for q in ends(others) {
                    prop_assert!(p.distance(q) > 2.0 * margin, "{p} and {q}");
                }
            }
        }
        Ok(())
    }

    proptest! {
        #[test]
        fn volumes_hold_their_points_and_apart_means_farther_than_the_separation(
            a in paths(), b in paths(), t in 0.0..1.0_f64, margin in 0.0..0.2_f64,
            far in point(3.0), shift in point(0.1), offset in 0.0..1e4_f64,
        ) {
            let a = shifted(&a, DVec3::splat(offset));
            let b = shifted(&b, far + offset);
            check::<Aabb>(&a, &b, t, margin, shift)?;
            check::<Aabb32>(&a, &b, t, margin, shift)?;
            check::<MovingBox>(&a, &b, t, margin, shift)?;
            check::<Dop<3>>(&a, &b, t, margin, shift)?;
            check::<Dop<7>>(&a, &b, t, margin, shift)?;
            check::<Dop<9>>(&a, &b, t, margin, shift)?;
            check::<Dop<13>>(&a, &b, t, margin, shift)?;
        }

        #[test]
        fn points_just_nearer_than_the_separation_overlap_in_every_direction(
            p in point(1.0), n in point(1.0), separation in 1e-4..0.5_f64, offset in 0.0..1e4_f64,
        ) {
            prop_assume!(n.length() > 0.1);
            let p = p + offset;
            let q = p + n.normalize() * (separation * (1.0 - 1e-9));
            fn near<V: Volume>(p: DVec3, q: DVec3, margin: f64) -> bool {
                let of = |x: DVec3| V::around([[x, x]].into_iter(), margin);
                of(p).overlaps(&of(q))
            }
            let margin = 0.5 * separation;
            prop_assert!(near::<Aabb>(p, q, margin) && near::<Aabb32>(p, q, margin));
            prop_assert!(near::<MovingBox>(p, q, margin));
            prop_assert!(near::<Dop<3>>(p, q, margin) && near::<Dop<7>>(p, q, margin));
            prop_assert!(near::<Dop<9>>(p, q, margin) && near::<Dop<13>>(p, q, margin));
        }
    }

    #[test]
    fn more_directions_tell_more_apart() {
        // Two upright walls along a diagonal of the xy plane: only slabs across edges part them.
        let wall = |shift: f64| {
            let path =
                |z: f64| [DVec3::new(shift, -shift, z), DVec3::new(1.0 + shift, 1.0 - shift, z)];
            [path(0.0), path(0.5)]
        };
        fn apart<V: Volume>(a: [[DVec3; 2]; 2], b: [[DVec3; 2]; 2]) -> bool {
            !V::around(a.into_iter(), 0.01).overlaps(&V::around(b.into_iter(), 0.01))
        }
        let (a, b) = (wall(0.0), wall(0.1));
        assert!(!apart::<Aabb>(a, b) && !apart::<Aabb32>(a, b) && !apart::<Dop<3>>(a, b));
        assert!(!apart::<Dop<7>>(a, b) && apart::<Dop<9>>(a, b) && apart::<Dop<13>>(a, b));
    }
}
