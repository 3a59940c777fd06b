//! Additive Schwarz in two levels, in single precision.
//!
//! M⁻¹ = Σ Rₐᵀ Aₐ⁻¹ Rₐ + P (Pᵀ A P)⁻¹ Pᵀ, as [`super::super::Precondition::Schwarz`]: groups of at most eight
//! neighbouring vertices are solved exactly, and one translation for every two groups together. Both are kept as
//! factors L, applied as L⁻ᵀ (L⁻¹ r): positive definite however they were rounded. Bonds count within a group, and
//! between groups as far as the coarse pattern has room.

use super::super::{Error, Pattern};
use super::coarse::Coarse;
use super::groups::{GROUP, Groups};
use super::{Blocks, ContactBlock, Inverse};
use glam::Vec3A;

/// Vertices of an aggregate of the coarse level.
const AGGREGATE: usize = 2 * GROUP;

/// The preconditioner with its memory.
#[derive(Debug)]
pub struct TwoLevel {
    groups: Groups,
    coarse: Coarse,
}

impl TwoLevel {
    /// The symbolic part.
    ///
    /// # Errors
    /// If the coarse matrix is too large.
    pub fn new(pattern: &Pattern) -> Result<Self, Error> {
        let groups = Groups::new(pattern);
        let aggregate = groups.place().iter().map(|p| p / AGGREGATE as u32).collect();
        Ok(Self { groups, coarse: Coarse::new(pattern, aggregate)? })
    }

    /// Updates to a matrix with `fixed` vertices.
    pub fn update(&mut self, a: &impl Blocks, contact_blocks: &[ContactBlock], fixed: &[u32]) {
        self.groups.update(a, contact_blocks, fixed);
        self.coarse.update(a, contact_blocks, fixed);
    }

    /// Whether the last coarse matrix could be factored.
    pub fn is_coarse_usable(&self) -> bool {
        self.coarse.usable
    }
}

impl Inverse for TwoLevel {
    fn apply(&mut self, r: &[Vec3A], z: &mut [Vec3A]) {
        self.groups.solve(r);
        let local = self.groups.local();
        if !self.coarse.usable {
            z.iter_mut().zip(self.groups.place()).for_each(|(z, p)| *z = local[*p as usize]);
            return;
        }
        let coarse = self.coarse.solve(r);
        for (z, p) in z.iter_mut().zip(self.groups.place()) {
            *z = local[*p as usize] + coarse[*p as usize / AGGREGATE];
        }
    }
}
