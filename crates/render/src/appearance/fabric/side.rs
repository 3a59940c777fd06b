//! One side of a cloth: what it does with light on the mean of its repeat, tabulated for all directions.

use super::super::table::{Entry, Table};
use super::super::yarn::{Facet, YarnBsdf};
use super::{Fabric, Viewed};
use crate::warp::cosine_hemisphere;
use glam::{Vec2, Vec3};
use rayon::prelude::*;

/// Points of the repeat that stand for all in the tables.
const FACETS: usize = 640;
/// Directions drawn at each of them.
const DRAWS: usize = 2;
/// Directions for the matte part of each.
const MATTE_DRAWS: usize = 128;
/// Light that single scattering may return at most.
const MAX_ALBEDO: f32 = 0.97;
/// Optical depth of the strongest fuzz.
const FUZZ_DEPTH: f32 = 0.7;

/// What one side of the cloth does with light.
#[derive(Clone, Debug)]
pub(crate) struct Side {
    pub(in crate::appearance) table: Table,
    /// Mean of what single scattering keeps.
    pub(in crate::appearance) mean_lost: f32,
    /// Optical depth of the fuzz.
    pub(in crate::appearance) fuzz: f32,
    /// Share of the light below the surface of fibres.
    pub(in crate::appearance) body: f32,
    /// Factor that keeps single scattering below one.
    pub(in crate::appearance) scale: f32,
    /// Mean colour, and mean share of the light that arrives at the yarns.
    pub(super) mean: Vec3,
    pub(super) mean_open: f32,
    /// Share of the light that goes through.
    pub(super) transmission: f32,
    /// Share of the area without yarn.
    pub(super) open: f32,
}

impl Side {
    /// Colour of the fuzz on yarns of a colour: single fibres are paler.
    pub(in crate::appearance) fn fuzz_colour(&self, colour: Vec3) -> Vec3 {
        Vec3::new(colour.x.sqrt(), colour.y.sqrt(), colour.z.sqrt()) * 0.5 + colour * 0.5
    }

    /// Colour of light that wandered from yarn to yarn.
    pub(in crate::appearance) fn wandered(&self, colour: Vec3) -> Vec3 {
        let kept = self.mean_lost;
        colour * colour * (1.0 - kept) / (Vec3::ONE - colour * kept).max(Vec3::splat(1e-4))
    }
}

impl Fabric {
    /// Tables of one side, for white yarns.
    pub(super) fn tabulate(&mut self, front: bool) {
        let (all, gaps, mean) = self.facets(front);
        let masking = |o: Vec3| {
            let sum: f32 = all.iter().map(|f| f.normal.dot(o).max(0.0) / f.normal.z).sum();
            o.z * all.len() as f32 / sum.max(1e-6)
        };
        let table = Table::new(|o| Entry { masking: masking(o).min(2.0), albedo: 0.0 });
        {
            let side = self.side_mut(front);
            side.table = table.clone();
            side.open = gaps;
            side.mean = mean;
            side.mean_open = all.iter().map(|f| f.open).sum::<f32>() / all.len().max(1) as f32;
        }
        let facets = &all[..all.len().min(FACETS)];
        let matte: Vec<[f32; 2]> =
            facets.par_iter().map(|f| self.matte_albedo(front, *f)).collect();
        let albedo = Table::new(|o| {
            let (mut sum, mut weights) = ([0.0; 2], 0.0);
            for (k, facet) in facets.iter().enumerate() {
                let bsdf = YarnBsdf::new(self, front, 1.0, *facet, Vec3::ONE, o);
                let [above, below] = bsdf.taken();
                sum[0] += above * matte[k][0] + mirrored_albedo(&bsdf, o, k);
                sum[1] += below * matte[k][1];
                weights += bsdf.weight();
            }
            // These facets stand for all, of which the mean weight is one.
            let albedo = sum[0] / f32::max(weights, 1e-6) + sum[1] / facets.len() as f32;
            Entry { masking: table.at(o).masking, albedo }
        });
        self.side_mut(front).table = albedo;
    }

    /// Light of all directions that a white facet scatters as matte, from above and from below.
    fn matte_albedo(&self, front: bool, facet: Facet) -> [f32; 2] {
        let bsdf = YarnBsdf::new(self, front, 1.0, facet, Vec3::ONE, Vec3::Z);
        let mut sums = [0.0; 2];
        for k in 0..MATTE_DRAWS {
            let n = k as f32 + 0.5;
            let i = cosine_hemisphere([(0.754_877_7 * n).fract(), (0.569_840_3 * n).fract()]);
            let per_pdf = std::f32::consts::PI / i.z.max(1e-4);
            sums[0] += bsdf.matte(i) * per_pdf;
            sums[1] += bsdf.matte(-i) * per_pdf;
        }
        sums.map(|s| s / MATTE_DRAWS as f32)
    }

    fn side_mut(&mut self, front: bool) -> &mut Side {
        if front { &mut self.front } else { &mut self.back }
    }

    /// Points of the repeat, the share of gaps, and the mean colour of one side.
    pub(super) fn facets(&self, front: bool) -> (Vec<Facet>, f32, Vec3) {
        let handedness = if front { 1.0 } else { -1.0 };
        let viewed = |uv| Viewed { uv, handedness, front, view: Vec3::Z, width: 1.0 };
        let place = |k: usize| {
            let n = k as f64 + 0.5;
            let root = [0.754_877_666_246_692_7, 0.569_840_290_998_053_3];
            Vec2::from(root.map(|a: f64| (a * n).fract() as f32))
        };
        let mut facets = Vec::with_capacity(6 * FACETS);
        for k in 0..6 * FACETS {
            // Plies and fibres differ from repeat to repeat.
            let which = Vec2::new((k * 7 % 64) as f32, (k * 13 % 61) as f32);
            let uv = (place(k) + which) * self.repeat;
            let seen = self.relief_at(uv, front);
            facets.extend(seen.map(|s| self.facet(&s, uv, &viewed(uv)).0));
        }
        let gaps = 1.0 - facets.len() as f32 / (6 * FACETS) as f32;
        // Colours may repeat over many yarns.
        let wide = self.yarns.iter().map(|t| t.colours.len()).max().unwrap_or(1) as f32;
        let (mut mean, mut count) = (Vec3::ZERO, 0.0);
        for k in 0..6 * FACETS {
            let uv = place(k) * self.repeat * wide;
            if let Some(seen) = self.relief_at(uv, front) {
                mean += self.dyed_facet(&seen, &viewed(uv), None).1;
                count += 1.0;
            }
        }
        (facets, gaps, mean / f32::max(count, 1.0))
    }

    /// What both tables decide together.
    pub(super) fn finish_sides(&mut self) {
        let transmission =
            self.yarns.iter().map(|t| t.lobes.transmission).sum::<f32>() / self.yarns.len() as f32;
        for side in [&mut self.front, &mut self.back] {
            let most = side.table.most_albedo();
            side.scale = (MAX_ALBEDO / most.max(1e-3)).min(1.0);
            side.table.scale_albedo(side.scale);
            side.mean_lost = side.table.mean(|e| 1.0 - e.albedo).max(1e-3);
            side.transmission = transmission;
        }
    }
}

/// Share of the light from `o` that meets a fibre or two of a white facet, by samples.
fn mirrored_albedo(bsdf: &YarnBsdf<'_>, o: Vec3, seed: usize) -> f32 {
    let bsdf = bsdf.sampled_as_mirror();
    let mut sum = 0.0;
    for draw in 0..DRAWS {
        // Points of the R₃ sequence in another order than those of the facets, which are related to them.
        let n = ((seed * DRAWS + draw) * 467 % (FACETS * DRAWS)) as f32 + 0.5;
        let u = [0.819_172_5, 0.671_043_6, 0.549_700_5].map(|a: f32| (a * n).fract());
        let Some(i) = bsdf.sample(o, u[0], [u[1], u[2]]) else { continue };
        let pdf = bsdf.pdf(o, i);
        if pdf > 0.0 {
            sum += bsdf.mirrored(o, i).x / pdf;
        }
    }
    sum / DRAWS as f32
}

pub(super) fn empty_side(fuzz: f32) -> Side {
    Side {
        table: Table::constant(Entry { masking: 1.0, albedo: 0.0 }),
        mean_lost: 1.0,
        fuzz: FUZZ_DEPTH * fuzz,
        body: 0.9,
        scale: 1.0,
        mean: Vec3::ONE,
        mean_open: 1.0,
        transmission: 0.0,
        open: 0.0,
    }
}
