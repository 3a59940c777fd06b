//! The features of a surface over a step.

use super::NotFinite;
use super::cell_cache::CellCache;
use crate::prune::fan;
use crate::tree::{Layout, Moved};
use crate::volume::{Aabb, Volume};
use crate::{Motion, Surface};
use glam::DVec3;
use rayon::prelude::*;
use std::sync::atomic::{AtomicU8, Ordering};

/// The features of a surface over a step, in the order of its tree.
#[derive(Clone, Debug)]
pub(super) struct Features {
    pub(super) layout: Layout,
    /// Positions at both ends of the step [m].
    pub(super) ends: Vec<[DVec3; 2]>,
    pub(super) moved: Moved,
    /// Distance below which pairs count [m].
    pub(super) separation: f64,
    /// Cells of leaves that are known before a query asks for them.
    pub(super) kept: CellCache,
}

/// Whether the triangles around each vertex are flat, as far as a query came to ask.
pub(super) struct Fans(Vec<AtomicU8>);

impl Fans {
    const UNKNOWN: u8 = 0;
    const FLAT: u8 = 1;
    const FOLDED: u8 = 2;

    /// Nothing known.
    pub(super) fn new(vertices: usize) -> Self {
        Self((0..vertices).map(|_| AtomicU8::new(Self::UNKNOWN)).collect())
    }

    /// What is known of a vertex, or found out now. Two threads that ask at the same time come to
    /// the same.
    #[inline]
    pub(super) fn is_flat(&self, v: u32, find: impl FnOnce() -> bool) -> bool {
        let cell = &self.0[v as usize];
        match cell.load(Ordering::Relaxed) {
            Self::UNKNOWN => {
                let flat = find();
                cell.store(if flat { Self::FLAT } else { Self::FOLDED }, Ordering::Relaxed);
                flat
            }
            known => known == Self::FLAT,
        }
    }
}

impl Features {
    pub(super) fn new(layout: Layout) -> Self {
        Self {
            ends: vec![[DVec3::ZERO; 2]; layout.vertex.len()],
            moved: Moved::All,
            separation: 0.0,
            kept: CellCache::new(layout.leaves()),
            layout,
        }
    }

    /// Takes up the positions of moved vertices, and says how far one of them moved at most [m] if that is
    /// `asked`.
    pub(super) fn take(
        &mut self,
        motion: Motion<'_>,
        separation: f64,
        asked: bool,
    ) -> Result<f64, NotFinite> {
        let (vertex, moved) = (&self.layout.vertex, &self.moved);
        let all = *moved == Moved::All;
        let news = self
            .ends
            .par_chunks_mut(4096)
            .zip(vertex.par_chunks(4096))
            .enumerate()
            .map(|(chunk, (ends, vertices))| {
                let (mut largest, mut sum) = (0.0_f64, DVec3::ZERO);
                for (i, (ends, v)) in ends.iter_mut().zip(vertices).enumerate() {
                    if !all && !moved.any(&[(4096 * chunk + i) as u32]) {
                        continue;
                    }
                    let new = motion.ends(*v);
                    if asked {
                        let by = [0, 1].map(|k| new[k].distance_squared(ends[k]));
                        largest = largest.max(by[0].max(by[1]));
                    }
                    // Zero, unless a coordinate is not finite; that stays in a sum.
                    sum += 0.0 * new[0] + 0.0 * new[1];
                    *ends = new;
                }
                (largest, sum.is_finite())
            })
            .reduce(|| (0.0, true), |a, b| (f64::max(a.0, b.0), a.1 & b.1));
        let (largest, finite) = news;
        if !finite {
            let bad = |v: &&u32| !motion.ends(**v).iter().all(|x| x.is_finite());
            let vertex = vertex.iter().filter(bad).min().copied().unwrap_or(0);
            return Err(NotFinite { vertex });
        }
        self.separation = separation;
        // Rounded up.
        Ok(largest.sqrt() * (1.0 + 1e-12))
    }

    /// Box of a vertex over the step.
    #[inline]
    pub(super) fn vertex_box(&self, v: u32) -> Aabb {
        Aabb::of_path(self.ends[v as usize], 0.5 * self.separation)
    }

    /// Box of a triangle over the step.
    #[inline]
    pub(super) fn triangle_box(&self, t: usize) -> Aabb {
        let [a, b, c] = self.layout.corners[t];
        self.vertex_box(a).merge(self.vertex_box(b)).merge(self.vertex_box(c))
    }

    /// The volume of a feature given by its vertices.
    pub(super) fn volume<V: Volume>(&self, vertices: &[u32]) -> V {
        V::around(vertices.iter().map(|v| self.ends[*v as usize]), 0.5 * self.separation)
    }

    /// Whether the triangles around a vertex are a patch that cannot fold over itself.
    pub(super) fn is_flat_around(&self, v: u32, surface: &Surface) -> bool {
        let of = |v: u32| self.ends[self.layout.rank[v as usize] as usize];
        let v = self.layout.vertex[v as usize];
        // With the vertex as first corner.
        let corners = |t: &u32| {
            let mut tri = surface.triangles[*t as usize];
            let place = tri.iter().position(|w| *w == v).unwrap_or(0);
            tri.rotate_left(place);
            tri.map(of)
        };
        let closed = surface.fan_kind(v) == crate::surface::Fan::Disc;
        surface.fan(v).is_some_and(|all| fan::is_flat(all.iter().map(corners), closed))
    }
}
