//! Curvature bounds of tree nodes, for every pruning method.

use super::halo::FlatHalos;
use super::outline::Outlines;
use super::{Cone, DirectionSet, GradientCones};
use crate::Surface;
use crate::tree::{Ends, Layout, Moved, Plan, bottom_up};
use glam::{DVec2, DVec3};
use serde::{Deserialize, Serialize};

/// Which method keeps patches from being compared with themselves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Prune {
    /// None: every patch is compared with itself.
    Nothing,
    /// Cones of normals [provot1997, §2.2], as their author has them: the outline of a patch is not
    /// looked at. Kept as the historical method; see the limits of [`Cone`].
    Cones,
    /// Sets of sample directions from which a region shows no fold, with the contour test
    /// [eg2004garments, §3.2]; two regions that are adjacent get the test of their union.
    Directions,
    /// Cones of deformation gradients, which prove that a region is free of self-intersection, outline
    /// included. Needs material coordinates; without them nothing is pruned.
    #[default]
    Gradients,
}

impl Prune {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Nothing, Self::Cones, Self::Directions, Self::Gradients];
}

/// A bound on how the triangles of a patch turn over a step.
pub trait CurvatureBound: Copy + Send + Sync {
    /// The bound for triangles whose corners move from `[0]` to `[1]`.
    fn of_triangles(triangles: impl Iterator<Item = [[DVec3; 2]; 3]> + Clone) -> Self;

    /// The bound for both.
    #[must_use]
    fn merge(self, other: Self) -> Self;
}

impl CurvatureBound for DirectionSet {
    fn of_triangles(triangles: impl Iterator<Item = [[DVec3; 2]; 3]> + Clone) -> Self {
        triangles.map(Self::of_triangle).fold(Self::ALL, Self::merge)
    }

    fn merge(self, other: Self) -> Self {
        Self::merge(self, other)
    }
}

/// The bounds of all nodes.
#[derive(Clone, Debug)]
pub(crate) enum CurvatureBounds {
    Nothing,
    Cones(Vec<Cone>),
    Directions { sets: Vec<DirectionSet>, outlines: Outlines },
    Gradients(Box<GradientCones>),
}

/// What a query has found out about pairs of nodes.
pub(crate) enum KnownFlat {
    Nothing,
    Halos(FlatHalos),
}

impl CurvatureBounds {
    pub(crate) fn new(
        prune: Prune,
        surface: &Surface,
        uv: &[[DVec2; 3]],
        plan: &Plan,
        layout: &Layout,
    ) -> Self {
        match prune {
            Prune::Cones => Self::Cones(vec![Cone::ALL; layout.sizes.len()]),
            Prune::Directions => Self::Directions {
                sets: vec![DirectionSet(0); layout.sizes.len()],
                outlines: Outlines::new(surface, plan, &layout.rank),
            },
            Prune::Gradients if uv.len() == surface.triangles.len() => {
                let cones = GradientCones::new(surface, uv, plan).renumbered(&layout.rank);
                Self::Gradients(Box::new(cones))
            }
            Prune::Nothing | Prune::Gradients => Self::Nothing,
        }
    }

    /// Cones of gradients, if that is the method.
    pub(crate) fn gradients(&mut self) -> Option<&mut GradientCones> {
        if let Self::Gradients(cones) = self { Some(cones) } else { None }
    }

    /// Computes the bounds of nodes that moved.
    pub(crate) fn refit(&mut self, layout: &Layout, ends: &Ends, moved: &Moved) {
        match self {
            Self::Nothing => {}
            Self::Cones(of) => refit(of, layout, ends, moved),
            Self::Directions { sets, .. } => refit(sets, layout, ends, moved),
            Self::Gradients(cones) => cones.refit(ends, moved),
        }
    }

    /// Marks the patches that are surely free of self-intersection; `limit` is for normal cones [rad].
    pub(crate) fn flat(&self, layout: &Layout, ends: &Ends, limit: f64) -> Vec<bool> {
        match self {
            Self::Nothing => vec![false; layout.sizes.len()],
            Self::Cones(of) => {
                layout.patch.iter().zip(of).map(|(p, cone)| *p && cone.angle < limit).collect()
            }
            Self::Directions { sets, outlines } => outlines.flat(layout, ends, sets),
            Self::Gradients(cones) => cones.flat(),
        }
    }

    /// What a query begins with; `None` if this method does not know about pairs.
    pub(crate) fn known(&self) -> Option<KnownFlat> {
        match self {
            Self::Nothing | Self::Cones(_) => None,
            Self::Directions { .. } => Some(KnownFlat::Nothing),
            Self::Gradients(cones) => Some(KnownFlat::Halos(cones.unknown())),
        }
    }

    /// Whether two regions that are adjacent surely do not meet.
    #[inline]
    pub(crate) fn flat_together(&self, ends: &Ends, known: &KnownFlat, a: usize, b: usize) -> bool {
        match (self, known) {
            (Self::Directions { sets, outlines }, _) => outlines.flat_together(ends, sets, a, b),
            (Self::Gradients(cones), KnownFlat::Halos(known)) => cones.flat_together(known, a, b),
            _ => false,
        }
    }
}

fn refit<F: CurvatureBound>(of: &mut [F], layout: &Layout, ends: &Ends, moved: &Moved) {
    let leaf = |i: usize| {
        let corners = &layout.corners[layout.items(i)];
        F::of_triangles(corners.iter().map(|t| t.map(|v| ends[v as usize])))
    };
    bottom_up(&layout.sizes, of, &|i| moved.node(i), &leaf, &F::merge);
}
