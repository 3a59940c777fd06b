//! Seams under construction: springs of constant force that draw vertices together (G4).
//!
//! A seam spring between two vertices pulls with a constant force F while they are far apart, and like a linear spring within
//! its slack δ: `E(d) = F d²/2δ` for d ≤ δ, `F (d − δ/2)` beyond. A force that does not grow with the distance
//! brings panels together from any distance without stretching them meanwhile.
//!
//! Seams close as far as the barrier lets them: to the thickness of the cloth. Then they can be welded.
//!
//! With a rest length l it is a tape: d is then its elongation beyond l, and it does not pull while it is shorter.

use glam::{DMat3, DVec3};

/// A seam spring between two vertices.
///
/// ```
/// use glam::DVec3;
/// use toile_sim::barrier::Seam;
///
/// let spring = Seam { vertices: [0, 1], force: 0.1, slack: 1e-3, rest: 0.0 };
/// assert_eq!(spring.gap(&[DVec3::ZERO, DVec3::X * 0.02]), 0.02);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Seam {
    /// The vertices.
    pub vertices: [u32; 2],
    /// F [N].
    pub force: f64,
    /// δ [m].
    pub slack: f64,
    /// l [m]; 0 for a spring that draws together.
    pub rest: f64,
}

impl Seam {
    fn difference(&self, x: &[DVec3]) -> DVec3 {
        x[self.vertices[0] as usize] - x[self.vertices[1] as usize]
    }

    /// How far it is open [m].
    pub fn gap(&self, x: &[DVec3]) -> f64 {
        (self.difference(x).length() - self.rest).max(0.0)
    }

    /// Whether it pulls vertices together from any distance, and is not only a limit of length.
    pub(super) fn pulls_together(&self) -> bool {
        self.rest == 0.0
    }

    /// Energy [J].
    pub(super) fn energy(&self, x: &[DVec3]) -> f64 {
        let d = self.gap(x);
        self.force * if d < self.slack { 0.5 * d * d / self.slack } else { d - 0.5 * self.slack }
    }

    /// Gradient at the first vertex, minus that at the second, and a positive definite stiffness: that of a linear spring with
    /// the same force. It brings distant vertices together at once, where the exact Hessian would overshoot.
    pub(super) fn gradient_and_hessian(&self, x: &[DVec3]) -> (DVec3, DMat3) {
        let (difference, gap) = (self.difference(x), self.gap(x));
        let stiffness = self.force / gap.max(self.slack);
        let isotropic = DMat3::from_diagonal(DVec3::splat(stiffness));
        if self.pulls_together() {
            return (difference * stiffness, isotropic);
        }
        // Across the tape only its tension resists.
        let length = difference.length().max(f64::MIN_POSITIVE);
        let along = difference / length;
        let across = stiffness * gap / length;
        let one = crate::element::definite::outer(along, along);
        let stiff = one * (stiffness - across) + DMat3::from_diagonal(DVec3::splat(across));
        if gap > 0.0 { (along * (stiffness * gap), stiff) } else { (DVec3::ZERO, DMat3::ZERO) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_force_is_the_gradient_of_the_energy_near_and_far() {
        for (distance, rest) in
            [0.004, 0.00999, 0.02, 0.5].into_iter().flat_map(|r| [(r, 0.0), (r, 0.015)])
        {
            let seam = Seam { vertices: [0, 1], force: 0.3, slack: 0.01, rest };
            let x = [DVec3::ZERO, DVec3::new(0.6, -0.48, 0.64) * distance];
            let (g, _) = seam.gradient_and_hessian(&x);
            for axis in [DVec3::X, DVec3::Y, DVec3::Z] {
                let h = 1e-7;
                let at = |s: f64| seam.energy(&[x[0] + axis * s, x[1]]);
                let difference = (at(h) - at(-h)) / (2.0 * h);
                assert!((difference - g.dot(axis)).abs() < 1e-6, "{distance} {difference} {g}");
            }
        }
    }
}
