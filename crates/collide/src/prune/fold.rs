//! What is known of each node's curvature, whatever the method.

use super::Cone;
use crate::tree::{Ends, Layout, Moved, bottom_up};
use glam::DVec3;
use serde::{Deserialize, Serialize};

/// Which method keeps patches from being compared with themselves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Prune {
    /// None: every patch is compared with itself.
    Nothing,
    /// Cones of normals [provot1997, §2.2].
    #[default]
    Cones,
}

/// A bound on how the triangles of a patch turn over a step.
pub trait Fold: Copy + Send + Sync {
    /// The bound for triangles whose corners move from `[0]` to `[1]`.
    fn of_triangles(triangles: impl Iterator<Item = [[DVec3; 2]; 3]> + Clone) -> Self;

    /// The bound for both.
    #[must_use]
    fn merge(self, other: Self) -> Self;

    /// Whether a patch within this bound surely does not fold over itself. `limit` is the half-angle
    /// up to which the method is trusted [rad].
    fn cannot_fold(&self, limit: f64) -> bool;
}

/// The bounds of all nodes.
#[derive(Clone, Debug)]
pub(crate) enum Folds {
    Nothing,
    Cones(Vec<Cone>),
}

impl Folds {
    pub(crate) fn new(prune: Prune, layout: &Layout) -> Self {
        match prune {
            Prune::Nothing => Self::Nothing,
            Prune::Cones => Self::Cones(vec![Cone::ALL; layout.sizes.len()]),
        }
    }

    /// Computes the bounds of nodes that moved.
    pub(crate) fn refit(&mut self, layout: &Layout, ends: &Ends, moved: &Moved) {
        match self {
            Self::Nothing => {}
            Self::Cones(of) => refit(of, layout, ends, moved),
        }
    }

    /// Marks the patches that surely do not fold over themselves.
    pub(crate) fn flat(&self, layout: &Layout, limit: f64) -> Vec<bool> {
        match self {
            Self::Nothing => vec![false; layout.sizes.len()],
            Self::Cones(of) => flat(of, layout, limit),
        }
    }

    /// Whether some triangles, which must be a patch, surely do not fold over themselves.
    pub(crate) fn is_flat(
        &self,
        triangles: impl Iterator<Item = [[DVec3; 2]; 3]> + Clone,
        limit: f64,
    ) -> bool {
        match self {
            Self::Nothing => false,
            Self::Cones(_) => Cone::of_triangles(triangles).cannot_fold(limit),
        }
    }
}

fn refit<F: Fold>(of: &mut [F], layout: &Layout, ends: &Ends, moved: &Moved) {
    let leaf = |i: usize| {
        let corners = &layout.corners[layout.items(i)];
        let at = |v: u32| ends[v as usize];
        F::of_triangles(corners.iter().map(|[a, b, c]| [at(*a), at(*b), at(*c)]))
    };
    bottom_up(&layout.sizes, of, &|i| moved.node(i), &leaf, &F::merge);
}

fn flat<F: Fold>(of: &[F], layout: &Layout, limit: f64) -> Vec<bool> {
    layout.patch.iter().zip(of).map(|(patch, fold)| *patch && fold.cannot_fold(limit)).collect()
}
