//! Smooths the noise of a path-traced picture, guided by albedo, normal, position and variance.
//!
//! Light is divided by the albedo, filtered by an edge-avoiding à-trous filter [dammertz2010] whose weights
//! fall with the angle between normals, the distance from the tangent plane and the difference of light in
//! its own standard deviations [schied2017], and multiplied by the albedo again: textures stay sharp.
//! The standard deviation is that of the pixel's samples, smoothed over its neighbours, and it is
//! carried through the passes.
//!
//! Limits: a pixel that several surfaces share is smoothed only with pixels of like mean normal and
//! position, so silhouettes keep some of their noise.

use crate::hdr::luminance;
use glam::Vec3;
use rayon::prelude::*;

/// What the filter knows of a pixel.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Guide {
    /// Mean normal; zero where nothing is.
    pub(crate) normal: Vec3,
    /// Mean position, in scene units.
    pub(crate) position: Vec3,
    /// Width of the pixel at its distance, in scene units.
    pub(crate) width: f32,
    /// Whether any surface is seen.
    pub(crate) surface: bool,
    /// Pixels of different materials do not mix.
    pub(crate) material: i32,
}

/// Passes; each doubles the distance of the taps.
const PASSES: u32 = 5;
/// Weights of the spline kernel.
const KERNEL: [f32; 3] = [3.0 / 8.0, 1.0 / 4.0, 1.0 / 16.0];
/// Differences of this many standard deviations are edges.
const SIGMAS: f32 = 2.5;
/// Albedo below which nothing is divided.
const DARKEST: f32 = 0.02;

/// Light per albedo, and the variance of its brightness.
#[derive(Clone, Copy, Debug)]
struct Lit {
    light: Vec3,
    bright: f32,
    variance: f32,
}

/// The smoothed colours.
pub(crate) fn denoise(
    colour: &[Vec3],
    albedo: &[Vec3],
    variance: &[f32],
    guides: &[Guide],
    width: usize,
) -> Vec<Vec3> {
    let base: Vec<Vec3> = albedo.iter().map(|a| a.max(Vec3::splat(DARKEST))).collect();
    let mut now: Vec<Lit> = (0..colour.len())
        .map(|k| {
            let light = colour[k] / base[k];
            let per_base = luminance(base[k].to_array());
            let variance = variance[k] / (per_base * per_base);
            Lit { light, bright: luminance(light.to_array()), variance }
        })
        .collect();
    clamp_fireflies(&mut now, guides, width);
    smooth_variance(&mut now, guides, width);
    let mut next = now.clone();
    for pass in 0..PASSES {
        let step = 1_isize << pass;
        next.par_chunks_mut(width).enumerate().for_each(|(y, row)| {
            for (x, out) in row.iter_mut().enumerate() {
                *out = filter(&now, guides, width, [x, y], step);
            }
        });
        std::mem::swap(&mut now, &mut next);
    }
    now.iter().zip(&base).map(|(lit, base)| lit.light * *base).collect()
}

/// Darkens single pixels that chance made far brighter than all but two of their neighbours. What its own samples
/// are sure of stays: a highlight is no firefly.
fn clamp_fireflies(lit: &mut [Lit], guides: &[Guide], width: usize) {
    let height = lit.len() / width;
    let raw: Vec<f32> = lit.iter().map(|l| l.bright).collect();
    lit.par_chunks_mut(width).enumerate().for_each(|(y, row)| {
        for (x, out) in row.iter_mut().enumerate() {
            let here = &guides[y * width + x];
            if !here.surface {
                continue;
            }
            let mut brightest = [0.0_f32; 3];
            let mut count = 0;
            for qy in y.saturating_sub(1)..(y + 2).min(height) {
                for qx in x.saturating_sub(1)..(x + 2).min(width) {
                    let q = qy * width + qx;
                    if (qx, qy) == (x, y) || guides[q].material != here.material {
                        continue;
                    }
                    count += 1;
                    if let Some(k) = brightest.iter().position(|b| raw[q] > *b) {
                        brightest[k..].rotate_right(1);
                        brightest[k] = raw[q];
                    }
                }
            }
            let limit = 1.25 * brightest[2] + 1e-4;
            let excess = out.bright - limit;
            if count >= 4 && excess > 0.0 && excess < 4.0 * out.variance.sqrt() {
                out.light *= limit / out.bright;
                out.variance *= (limit / out.bright) * (limit / out.bright);
                out.bright = limit;
            }
        }
    });
}

/// Blurs the variance: that of a single pixel is as noisy as what it should judge.
fn smooth_variance(lit: &mut [Lit], guides: &[Guide], width: usize) {
    let height = lit.len() / width;
    let raw: Vec<f32> = lit.iter().map(|l| l.variance).collect();
    lit.par_chunks_mut(width).enumerate().for_each(|(y, row)| {
        for (x, out) in row.iter_mut().enumerate() {
            let here = guides[y * width + x].material;
            let (mut sum, mut weights) = (0.0, 0.0);
            for qy in y.saturating_sub(2)..(y + 3).min(height) {
                for qx in x.saturating_sub(2)..(x + 3).min(width) {
                    let q = qy * width + qx;
                    if guides[q].material == here {
                        sum += raw[q];
                        weights += 1.0;
                    }
                }
            }
            out.variance = sum / weights;
        }
    });
}

/// One pixel of one pass.
fn filter(lit: &[Lit], guides: &[Guide], width: usize, at: [usize; 2], step: isize) -> Lit {
    let [x, y] = at;
    let height = lit.len() / width;
    let centre = y * width + x;
    let (here, now) = (&guides[centre], &lit[centre]);
    if !here.surface || now.variance <= 1e-12 {
        return *now;
    }
    let per_sigma = 1.0 / (SIGMAS * now.variance.sqrt() + 1e-4);
    // The tangent plane is known to about a pixel's width.
    let per_width = 0.7 / (here.width * step as f32).max(1e-9);
    let own = KERNEL[0] * KERNEL[0];
    let (mut light, mut variance, mut weights) = (now.light * own, now.variance * own * own, own);
    for dy in -2..=2_isize {
        let Some(qy) = y.checked_add_signed(dy * step).filter(|q| *q < height) else { continue };
        for dx in -2..=2_isize {
            let Some(qx) = x.checked_add_signed(dx * step).filter(|q| *q < width) else { continue };
            let q = qy * width + qx;
            let there = &guides[q];
            if q == centre || here.material != there.material {
                continue;
            }
            let apart = (there.position - here.position).dot(here.normal).abs() * per_width;
            let differ = (lit[q].bright - now.bright).abs() * per_sigma;
            if apart >= 2.0 || differ >= 2.0 {
                continue;
            }
            let cosine = here.normal.dot(there.normal).max(0.0);
            let edge = cosine.powi(48) * falloff(apart) * falloff(differ);
            let weight = edge * KERNEL[dx.unsigned_abs()] * KERNEL[dy.unsigned_abs()];
            light += lit[q].light * weight;
            variance += lit[q].variance * weight * weight;
            weights += weight;
        }
    }
    let light = light / weights;
    Lit { light, bright: luminance(light.to_array()), variance: variance / (weights * weights) }
}

/// A smooth bump that is 1 at 0 and 0 beyond 2.
fn falloff(x: f32) -> f32 {
    let y = (1.0 - 0.25 * x * x).max(0.0);
    y * y
}
