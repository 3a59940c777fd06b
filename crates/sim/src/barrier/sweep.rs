//! Pairs that stay good for several iterations.
//!
//! Pairs are found for a sweep: all points going straight from one place to another, with a margin. Whatever
//! lies within the margin of the sweep, all points at the same part of the way, can have no other pairs within
//! reach: a pair that was left out is farther apart than reach and both margins there.

use super::pairs::{Near, Pairs};
use glam::DVec3;
use rayon::prelude::*;
use toile_collide::NotFinite;

/// Points in a task.
const CHUNK: usize = 2048;

/// What pairs were found for.
#[derive(Clone, Debug, Default)]
pub(super) struct Sweep {
    from: Vec<DVec3>,
    to: Vec<DVec3>,
    margin: f64,
    pub(super) pairs: Vec<Near>,
}

impl Sweep {
    pub(super) fn new(margin: f64) -> Self {
        Self { margin, ..Self::default() }
    }

    /// Makes sure that the pairs are all that come nearer than `distance` on the way from `y` to `ends`;
    /// returns how many were tested.
    pub(super) fn cover(
        &mut self,
        found: &mut Pairs,
        y: &[DVec3],
        ends: &[DVec3],
        (distance, itself): (f64, bool),
    ) -> Result<u64, NotFinite> {
        if self.holds(y) && self.holds(ends) {
            return Ok(0);
        }
        self.from.clear();
        self.from.extend_from_slice(y);
        self.to.clear();
        self.to.extend_from_slice(ends);
        found.find(y, ends, distance + 2.0 * self.margin, itself, &mut self.pairs)
    }

    /// Whether points lie within the margin of the sweep, all at the same part of the way.
    fn holds(&self, y: &[DVec3]) -> bool {
        if self.from.len() != y.len() {
            return false;
        }
        let (mut along, mut whole) = (0.0, 0.0);
        for ((a, b), y) in self.from.iter().zip(&self.to).zip(y) {
            along += (*b - *a).dot(*y - *a);
            whole += (*b - *a).length_squared();
        }
        let part = if whole > 0.0 { (along / whole).clamp(0.0, 1.0) } else { 0.0 };
        let most = self.margin * self.margin;
        let near = |((a, b), y): ((&DVec3, &DVec3), &DVec3)| {
            (*a + (*b - *a) * part).distance_squared(*y) <= most
        };
        let rows = self.from.par_chunks(CHUNK).zip(self.to.par_chunks(CHUNK));
        rows.zip(y.par_chunks(CHUNK)).all(|((a, b), y)| a.iter().zip(b).zip(y).all(near))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sweep_holds_what_is_near_it_at_one_part_of_the_way() {
        let sweep = Sweep {
            from: vec![DVec3::ZERO, DVec3::X],
            to: vec![DVec3::Y, DVec3::X + DVec3::Y],
            margin: 0.1,
            pairs: Vec::new(),
        };
        let at = |a: f64, b: f64| [DVec3::Y * a, DVec3::X + DVec3::Y * b];
        assert!(
            sweep.holds(&at(0.0, 0.0)) && sweep.holds(&at(0.5, 0.6)) && sweep.holds(&at(1.0, 1.0))
        );
        // Each is near the way of its own, but not at the same time.
        assert!(!sweep.holds(&at(0.2, 0.8)));
        assert!(!sweep.holds(&at(1.2, 1.2)));
    }
}
