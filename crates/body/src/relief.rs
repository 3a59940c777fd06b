//! Relief: what is laid over the refined cage, from collar bones to toes.
//!
//! A stroke goes from one point to another and pushes the skin around it in one direction, by a depth times (1 − r²)³, r being
//! the distance from the stroke over its radius as seen along the push. Only skin that faces the push and follows the stroke's
//! bones is moved, both fading smoothly, so that a stroke over the front of the knee leaves the back of it alone. All strokes
//! see the same smooth skin and add up; those of the left half are mirrored to the right.

use crate::build::{Half, NUMBERS};
use crate::cage::Cage;
use crate::skeleton::Bone;
use glam::DVec3;

/// A push along a line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stroke {
    /// Where it begins and ends [m].
    pub(crate) ends: [DVec3; 2],
    /// Its radius at both ends [m].
    pub(crate) radii: [f64; 2],
    /// Where the skin it moves faces, and where it is moved to.
    pub(crate) facing: DVec3,
    /// How far; negative inwards [m].
    pub(crate) depth: f64,
    /// The share of the depth at both ends.
    pub(crate) shares: [f64; 2],
    /// Bones whose skin it moves.
    pub(crate) bones: &'static [Bone],
}

impl Stroke {
    /// A line of one radius.
    pub(crate) fn line(
        a: DVec3,
        b: DVec3,
        radius: f64,
        push: (DVec3, f64),
        bones: &'static [Bone],
    ) -> Self {
        let facing = push.0.normalize_or(DVec3::Z);
        Self { ends: [a, b], radii: [radius; 2], facing, depth: push.1, shares: [1.0; 2], bones }
    }

    /// A round.
    pub(crate) fn spot(at: DVec3, radius: f64, push: (DVec3, f64), bones: &'static [Bone]) -> Self {
        Self::line(at, at, radius, push, bones)
    }

    /// With other radii at the ends [m].
    pub(crate) fn radii(mut self, a: f64, b: f64) -> Self {
        self.radii = [a, b];
        self
    }

    /// With other shares at the ends.
    pub(crate) fn shares(mut self, a: f64, b: f64) -> Self {
        self.shares = [a, b];
        self
    }

    /// What it moves a point of the left half by [m].
    fn at(&self, p: DVec3, normal: DVec3, weight: impl Fn(Bone) -> f64) -> DVec3 {
        let d = self.facing;
        let flat = |v: DVec3| v - d * v.dot(d);
        let (way, off) = (flat(self.ends[1] - self.ends[0]), flat(p - self.ends[0]));
        let t = if way.length_squared() > 0.0 {
            (off.dot(way) / way.length_squared()).clamp(0.0, 1.0)
        } else {
            0.0
        };
        let mix = |v: [f64; 2]| v[0] + t * (v[1] - v[0]);
        let r2 = (off - t * way).length_squared() / mix(self.radii).powi(2);
        if r2 >= 1.0 {
            return DVec3::ZERO;
        }
        // What faces the same way on the other side of a limb or the body is left alone.
        let under = (p - self.ends[0]).dot(d) / mix(self.radii);
        let own: f64 = self.bones.iter().map(|b| weight(*b)).sum();
        let share =
            smooth(0.1, 0.75, own) * smooth(-0.25, 0.45, normal.dot(d)) * smooth(-1.3, -0.5, under);
        d * (self.depth * share * mix(self.shares) * (1.0 - r2).powi(3))
    }
}

/// 0 below a, 1 above b, and 3t² − 2t³ between.
pub(crate) fn smooth(a: f64, b: f64, v: f64) -> f64 {
    let t = ((v - a) / (b - a)).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

/// What strokes of the left half, and their mirror images, move each vertex of a refined cage by [m].
///
/// A stroke in the middle counts for both halves.
pub(crate) fn relief(cage: &Cage<NUMBERS>, strokes: &[Stroke]) -> Vec<DVec3> {
    let normals = normals(cage);
    let mut moves = vec![DVec3::ZERO; cage.data.len()];
    for stroke in strokes {
        // Most of the body is out of reach of most strokes.
        let reach = stroke.radii[0].max(stroke.radii[1]);
        let (a, b) = (stroke.ends[0].min(stroke.ends[1]), stroke.ends[0].max(stroke.ends[1]));
        let middle = stroke.ends.iter().all(|e| e.x == 0.0) && stroke.facing.x == 0.0;
        let across = stroke.facing.abs();
        for (i, d) in cage.data.iter().enumerate() {
            let p = DVec3::new(d[0], d[1], d[2]);
            for half in Half::BOTH {
                if middle && half == Half::Right {
                    continue;
                }
                let q = half.point(p);
                // Along the push there is no bound.
                let out =
                    |k: usize| across[k] < 1e-9 && (q[k] < a[k] - reach || q[k] > b[k] + reach);
                if out(0) || out(1) || out(2) {
                    continue;
                }
                let n = half.point(normals[i]);
                let weight = |bone: Bone| d[3 + half.bone(bone) as usize];
                moves[i] += half.point(stroke.at(q, n, weight));
            }
        }
    }
    moves
}

/// Unit normals of the vertices of a cage of quads.
fn normals(cage: &Cage<NUMBERS>) -> Vec<DVec3> {
    let at = |v: u32| DVec3::from_slice(&cage.data[v as usize][..3]);
    let mut normals = vec![DVec3::ZERO; cage.data.len()];
    for f in &cage.faces {
        let n = (at(f[2]) - at(f[0])).cross(at(f[3]) - at(f[1]));
        for v in f {
            normals[*v as usize] += n;
        }
    }
    normals.into_iter().map(|n| n.normalize_or(DVec3::Y)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::Figure;
    use crate::proportions::Proportions;
    use toile_pattern::Size;

    #[test]
    fn relief_is_the_same_on_both_halves_and_stays_on_its_side() {
        let p = Proportions::new(&Figure::Female.measurements(Size::M), Figure::Female);
        let cage = crate::build::Builder::build(p).0.subdivided();
        let at = |i: usize| DVec3::from_slice(&cage.data[i][..3]);
        let bust = DVec3::new(0.09, p.bust, 0.0);
        let bones = &[Bone::Chest, Bone::Spine, Bone::LeftCollar];
        let moves = relief(&cage, &[Stroke::spot(bust, 0.08, (DVec3::Z, 0.02), bones)]);
        let most = moves.iter().map(|d| d.z).fold(0.0, f64::max);
        assert!(most > 0.01 && most <= 0.02, "{most}");
        for (i, d) in moves.iter().enumerate() {
            assert!(*d == DVec3::ZERO || at(i).z > 0.0, "the back does not move");
            let mirrored = Half::Right.point(at(i));
            let twin = (0..moves.len())
                .min_by(|a, b| {
                    at(*a).distance_squared(mirrored).total_cmp(&at(*b).distance_squared(mirrored))
                })
                .expect("a vertex");
            assert!(Half::Right.point(*d).distance(moves[twin]) < 1e-12);
        }
        // In the middle a stroke counts once.
        let middle = [Stroke::spot(bust.with_x(0.0), 0.08, (DVec3::Z, 0.02), bones)];
        let most = relief(&cage, &middle).iter().map(|d| d.z).fold(0.0, f64::max);
        assert!(most > 0.015 && most <= 0.02, "{most}");
    }
}
