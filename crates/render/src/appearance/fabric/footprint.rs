//! What a sample sees of a cloth: a point of the repeat, and the yarn there.

use super::{Fabric, ReliefKind, Viewed};
use crate::appearance::nap;
use crate::appearance::weave::{Relief, mix};
use glam::{Vec2, Vec3};

/// Repeats smaller than this share of what a sample sees fade into their mean, and larger ones stay.
const FADE: [f32; 2] = [0.25, 0.6];
/// Of repeats smaller than this share most is their mean.
pub(super) const FADED: f32 = 0.4;

/// A yarn at a point, and its direction in material coordinates.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seen {
    pub(super) relief: Relief,
    pub(super) dir: Vec2,
    /// The fibre of the nap that lies over it.
    pub(super) nap: Option<nap::Fibre>,
}

impl Fabric {
    /// Whether light in a direction passes straight through a random place.
    pub(crate) fn is_gap(&self, view: Vec3, handedness: f32, place: [f32; 2]) -> bool {
        if !self.is_porous() {
            return false;
        }
        let uv = Vec2::from(place) * self.repeat;
        self.pierced(uv, view, handedness, true).is_none()
    }

    /// Where a sample looks, relative to the hit: a point in a whole number of repeats, if these are
    /// smaller than what is seen.
    pub(super) fn spread(&self, v: &Viewed, place: [f32; 2]) -> Vec2 {
        let (chances, ratio) = self.chances(v);
        let mut spread = Vec2::ZERO;
        for axis in 0..2 {
            let chance = chances[axis];
            // One number decides whether, and where: it stays well spread below the chance.
            if place[axis] < chance {
                let whole = ratio[axis].ceil().max(1.0) * self.repeat[axis];
                spread[axis] = (place[axis] / chance - 0.5) * whole;
            }
        }
        spread
    }

    /// How often a sample looks elsewhere in the repeat along each axis, and the size of what it sees in repeats.
    pub(super) fn chances(&self, v: &Viewed) -> ([f32; 2], Vec2) {
        let cos = v.view.z.max(0.1);
        let flat = Vec2::new(v.view.x, v.view.y * v.handedness);
        let along = flat.normalize_or(Vec2::X);
        let stretch = (along * along) / (cos * cos) + (Vec2::ONE - along * along);
        let extent = v.width * Vec2::new(stretch.x.sqrt(), stretch.y.sqrt());
        let ratio = extent / self.repeat;
        let chance = |axis: usize| {
            let t = ((ratio[axis] - FADE[0]) / (FADE[1] - FADE[0])).clamp(0.0, 1.0);
            t * t * (3.0 - 2.0 * t)
        };
        ([chance(0), chance(1)], ratio)
    }

    /// The yarn that a ray meets; in a gap seen from the side it is the one next to the gap.
    pub(super) fn pierced(
        &self,
        uv: Vec2,
        view: Vec3,
        handedness: f32,
        front: bool,
    ) -> Option<Seen> {
        if let Some(seen) = self.relief_at(uv, front) {
            return Some(seen);
        }
        if !self.is_porous() && self.front.mean_lost < 1.0 {
            return self.fill(uv, front);
        }
        let slope = Vec2::new(view.x, view.y * handedness) / view.z.max(0.02);
        let shift = slope * (0.3 * self.thickness);
        let blocked = [uv + shift, uv - shift].iter().any(|p| self.relief_at(*p, front).is_some());
        if blocked { self.any_yarn(uv, front) } else { None }
    }

    /// Some point of the yarns, all alike likely: the flank of a yarn shows as much of it as its top, and
    /// the tables hold for the mean over all.
    pub(super) fn any_yarn(&self, uv: Vec2, front: bool) -> Option<Seen> {
        let mut seed = mix(uv.x.to_bits() ^ mix(uv.y.to_bits()));
        (0..24).find_map(|_| {
            seed = mix(seed.wrapping_add(0x9e37_79b9));
            let place = [seed & 0xffff, seed >> 16].map(|b| b as f32 / 65536.0);
            self.relief_at(uv + Vec2::from(place) * self.repeat, front)
        })
    }

    /// What is seen in a gap that is not open: the nearest yarn, in the depth.
    pub(super) fn fill(&self, uv: Vec2, front: bool) -> Option<Seen> {
        let step = 0.06 * self.repeat.min_element();
        let near = (1..12).flat_map(|k| {
            [Vec2::X, Vec2::Y, Vec2::NEG_X, Vec2::NEG_Y].map(|d| uv + d * (step * k as f32))
        });
        let mut seen = near.into_iter().find_map(|p| self.relief_at(p, front))?;
        seen.relief.height = 0.0;
        Some(seen)
    }

    /// The yarn at a place, or the fibre of the nap over it.
    pub(super) fn relief_at(&self, uv: Vec2, front: bool) -> Option<Seen> {
        let (relief, dir) = match &self.relief {
            ReliefKind::Weave(weave) => {
                let relief = weave.at(uv, front)?;
                (relief, if relief.yarn == 0 { Vec2::Y } else { Vec2::X })
            }
            ReliefKind::Knit(tile) => tile.at(uv, front).map(|l| (l.relief, l.dir))?,
            ReliefKind::Sheet { .. } => return None,
        };
        let nap = self.naps[usize::from(!front)].as_ref().and_then(|n| n.at(uv));
        Some(Seen { relief, dir, nap })
    }
}
