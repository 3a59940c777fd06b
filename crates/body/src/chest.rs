//! Breasts and pectoral muscles: rounds laid over the front of the chest.
//!
//! A breast adds d (1 − r²)^(3/2) to the depth of the chest, with r² = (Δx/w)² + (Δy/h)² below one, and a longer slope
//! above the bust point than below. The chest is a height field over the frontal plane there, so that nothing can
//! cross.

use crate::build::NUMBERS;
use crate::cage::Cage;
use crate::proportions::Proportions;
use crate::skeleton::Bone;

/// Shape of the chest of a figure.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Chest {
    /// Bust point.
    x: f64,
    y: f64,
    /// Half width inside and outside, half height above and below.
    wide: f64,
    outside: f64,
    above: f64,
    below: f64,
    /// How far the ellipsoid reaches in front of the chest at its middle.
    reach: f64,
    /// Depth of the chest from which on it counts as front.
    depth: f64,
}

impl Chest {
    pub(crate) fn new(p: &Proportions, reach: f64) -> Self {
        let m = &p.m;
        // On the round chest the foremost point lies inside the middle of the breast.
        let x = 0.61 * m.bust_width;
        let depth = 0.05 * p.k;
        let size = (m.bust_girth - m.underbust_girth).max(0.02);
        if p.is_female() {
            let wide = 0.062 * p.k + 0.22 * size;
            Self {
                x,
                y: p.bust,
                wide,
                outside: wide,
                above: 1.35 * wide,
                below: 0.90 * wide,
                reach,
                depth,
            }
        } else {
            let wide = 0.49 * x + 0.034 * p.k;
            Self {
                x,
                y: p.bust,
                wide,
                outside: 0.8 * wide,
                above: 1.25 * wide,
                below: 0.72 * wide,
                reach,
                depth,
            }
        }
    }

    /// Lays the rounds over a refined cage.
    pub(crate) fn lay(&self, cage: &mut Cage<NUMBERS>) {
        for d in &mut cage.data {
            let trunk = d[3 + Bone::Chest as usize] + d[3 + Bone::Spine as usize];
            let (dx, dy) = (d[0].abs() - self.x, d[1] - self.y);
            let high = if dy > 0.0 { self.above } else { self.below };
            let wide = if dx > 0.0 { self.outside } else { self.wide };
            let r2 = (dx / wide).powi(2) + (dy / high).powi(2);
            if d[2] > 0.0 && r2 < 1.0 {
                // Nothing of it on the arms, and none on the flanks.
                let front = (d[2] / self.depth).min(1.0);
                let share =
                    ((trunk - 0.3) / 0.5).clamp(0.0, 1.0) * front * front * (3.0 - 2.0 * front);
                d[2] += self.reach * share * libm::pow(1.0 - r2, 1.5);
            }
        }
    }
}
