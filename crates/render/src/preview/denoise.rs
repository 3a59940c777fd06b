//! Smooths the light of a picture without touching its edges or its colours.
//!
//! An edge-avoiding à-trous filter [dammertz2010]: a 5 × 5 spline kernel applied with steps 1, 2, 4, …
//! whose weights fall with the angle between normals, the distance from the tangent plane and, as in
//! [schied2017], the difference of light measured in its own standard deviations.

use glam::{Vec3, Vec4};
use rayon::prelude::*;

/// What the filter knows of a pixel.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Guide {
    /// Mean shading normal.
    pub(crate) normal: Vec3,
    /// Mean position, in scene units.
    pub(crate) position: Vec3,
    /// Mean identity; pixels of different identity do not mix.
    pub(crate) id: f32,
    /// Width of the pixel at its distance, in scene units.
    pub(crate) width: f32,
}

/// Passes; each doubles the reach.
const PASSES: u32 = 4;
/// Weights of the spline kernel.
const KERNEL: [f32; 3] = [3.0 / 8.0, 1.0 / 4.0, 1.0 / 16.0];
/// Differences of this many standard deviations are edges.
const SIGMAS: f32 = 3.5;

/// Differences that few samples cannot tell from noise, in the first pass; half in each further one.
const DOUBT: f32 = 0.06;

/// Filters `light` in place; `variance` is that of each pixel's mean brightness.
pub(crate) fn denoise(light: &mut [Vec3], variance: &[f32], guides: &[Guide], width: usize) {
    let mut now: Vec<Lit> = light
        .iter()
        .zip(variance)
        .map(|(l, v)| Lit { light: l.extend(luma(*l)), variance: *v })
        .collect();
    let mut next = now.clone();
    let mut around = vec![Around::default(); now.len()];
    for pass in 0..PASSES {
        let step = 1_isize << pass;
        // After the first pass the light is smooth enough to be judged by itself.
        if pass == 0 {
            look_around(&now, guides, width, &mut around);
        } else {
            let own = |lit: &Lit| Around { brightness: lit.light.w, variance: lit.variance };
            around.par_iter_mut().zip(&now).for_each(|(around, lit)| *around = own(lit));
        }
        next.par_chunks_mut(width).enumerate().for_each(|(y, row)| {
            for (x, out) in row.iter_mut().enumerate() {
                *out = filter(&now, &around, guides, width, [x, y], step);
            }
        });
        std::mem::swap(&mut now, &mut next);
    }
    for (out, lit) in light.iter_mut().zip(now) {
        *out = lit.light.truncate();
    }
}

/// Light of a pixel, its brightness in the fourth place.
#[derive(Clone, Copy, Debug)]
struct Lit {
    light: Vec4,
    variance: f32,
}

/// One pixel of one pass.
fn filter(
    lit: &[Lit],
    around: &[Around],
    guides: &[Guide],
    width: usize,
    [x, y]: [usize; 2],
    step: isize,
) -> Lit {
    let height = lit.len() / width;
    let centre = y * width + x;
    let (here, now) = (&guides[centre], &lit[centre]);
    let Around { brightness, variance } = around[centre];
    if here.id < 0.0 || variance <= 1e-9 {
        return *now;
    }
    let per_sigma = 1.0 / (SIGMAS * variance.sqrt() + DOUBT / step as f32);
    // The tangent plane is known to about a pixel's width.
    let per_width = 1.0 / (here.width * step as f32);
    // The light is smooth after the first pass; wide steps then need fewer taps.
    let reach = if step == 1 { 2 } else { 1_isize };
    let own = KERNEL[0] * KERNEL[0];
    let (mut sum, mut variance, mut weights) = (now.light * own, now.variance * own * own, own);
    for dy in -reach..=reach {
        let Some(qy) = y.checked_add_signed(dy * step).filter(|q| *q < height) else { continue };
        for dx in -reach..=reach {
            let Some(qx) = x.checked_add_signed(dx * step).filter(|q| *q < width) else { continue };
            let q = qy * width + qx;
            let there = &guides[q];
            if q == centre || here.id != there.id {
                continue;
            }
            let apart = (there.position - here.position).dot(here.normal).abs() * per_width;
            let differ = (around[q].brightness - brightness).abs() * per_sigma;
            if apart >= 2.0 || differ >= 2.0 {
                continue;
            }
            let cosine = here.normal.dot(there.normal).max(0.0);
            let edge = cosine.powi(32) * falloff(apart) * falloff(differ);
            let weight = edge * KERNEL[dx.unsigned_abs()] * KERNEL[dy.unsigned_abs()];
            sum += lit[q].light * weight;
            variance += lit[q].variance * weight * weight;
            weights += weight;
        }
    }
    Lit { light: sum / weights, variance: variance / (weights * weights) }
}

/// A smooth bump that is 1 at 0 and 0 beyond 2.
fn falloff(x: f32) -> f32 {
    let y = (1.0 - 0.25 * x * x).max(0.0);
    y * y
}

/// Brightness and variance of a pixel's surroundings. Those of the pixel itself come from few
/// samples and are as noisy as what they should judge.
#[derive(Clone, Copy, Debug, Default)]
struct Around {
    brightness: f32,
    variance: f32,
}

/// Averages over 5 × 5 pixels of the same identity.
fn look_around(lit: &[Lit], guides: &[Guide], width: usize, out: &mut [Around]) {
    let height = lit.len() / width;
    out.par_chunks_mut(width).enumerate().for_each(|(y, row)| {
        for (x, out) in row.iter_mut().enumerate() {
            let id = guides[y * width + x].id;
            if id < 0.0 {
                continue;
            }
            let (mut sum, mut count) = (Around::default(), 0.0);
            for qy in y.saturating_sub(2)..(y + 3).min(height) {
                for qx in x.saturating_sub(2)..(x + 3).min(width) {
                    let q = qy * width + qx;
                    let same = if guides[q].id == id { 1.0 } else { 0.0 };
                    sum.brightness += same * lit[q].light.w;
                    sum.variance += same * lit[q].variance;
                    count += same;
                }
            }
            *out = Around { brightness: sum.brightness / count, variance: sum.variance / count };
        }
    });
}

/// Brightness of a colour.
pub(crate) fn luma(c: Vec3) -> f32 {
    c.dot(Vec3::new(0.2126, 0.7152, 0.0722))
}
