//! Whether there is room for the barrier: what a start must have.

use super::newton::Solver;
use super::pairs::CLOTH;
use glam::DVec3;
use toile_collide::NotFinite;

/// Part of its reach that the barrier must have left, and that a way out would leave it.
const LEAST: f64 = 0.02;
const ENOUGH: f64 = 0.2;
/// A vertex that has a smaller share in a point is not asked to move it alone.
const SHARE: f64 = 0.25;

impl Solver {
    /// Vertices of cloth that are nearer to a body than the barrier bears, or that touch other cloth, ascending, each
    /// with a way that would bring it away from the body; with bodies as they are at the time `t`.
    pub(crate) fn without_room(
        &mut self,
        x: &[DVec3],
        t: f64,
    ) -> Result<Vec<(u32, DVec3)>, NotFinite> {
        let n = self.masses.len();
        self.pairs.advance(t, t);
        let mut y = vec![DVec3::ZERO; self.pairs.points()];
        y[..n].copy_from_slice(x);
        self.pairs.place_bodies(0.0, &mut y);
        let mut pairs = Vec::new();
        let near = self.gauge.thickness + self.gauge.reach;
        self.pairs.find(&y, &y, near, self.itself, &mut pairs)?;
        let mut found: Vec<(u32, DVec3)> = Vec::new();
        for pair in &pairs {
            let closest = self.gauge.closest(pair, &y);
            let (normal, distance) = (closest.normal(), closest.distance);
            // Cloth that is nearer to itself than its thickness has a barrier of its own.
            let itself = pair.body == CLOTH;
            let offset = if itself { 0.0 } else { self.gauge.offset(pair) };
            if distance >= offset + LEAST * self.gauge.reach {
                continue;
            }
            let missing = if itself { 0.0 } else { offset + ENOUGH * self.gauge.reach - distance };
            for (p, w) in pair.points.into_iter().zip(closest.weights) {
                if (p as usize) < n && w != 0.0 {
                    found.push((p, normal * (missing / (w.signum() * w.abs().max(SHARE)))));
                }
            }
        }
        // The longest way of each.
        found.sort_by(|a, b| {
            a.0.cmp(&b.0).then(b.1.length_squared().total_cmp(&a.1.length_squared()))
        });
        found.dedup_by_key(|(v, _)| *v);
        Ok(found)
    }
}
