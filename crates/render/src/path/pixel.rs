//! Sums of the samples of a pixel.

use super::integrator::Seen;
use crate::hdr::luminance;
use glam::Vec3;

/// Sums over the samples of a pixel.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Pixel {
    pub(crate) count: u32,
    /// Samples that met a surface, be it one that let them pass.
    pub(crate) hits: u32,
    /// Samples whose light comes from a surface.
    pub(crate) covered: u32,
    /// Samples that met the floor.
    pub(crate) caught: u32,
    /// Material that most samples met, or 0; by Boyer and Moore's vote.
    pub(crate) material: u32,
    votes: u32,
    light: Vec3,
    bright: f32,
    bright_2: f32,
    /// Light on the floor, light on it if it were empty, and the paper behind.
    lit: Vec3,
    open: Vec3,
    paper: Vec3,
    lit_2: f32,
    pub(crate) albedo: Vec3,
    pub(crate) normal: Vec3,
    pub(crate) position: Vec3,
    pub(crate) depth: f32,
}

impl Pixel {
    pub(crate) fn add(&mut self, seen: &Seen) {
        self.count += 1;
        self.albedo += seen.albedo;
        self.normal += seen.normal;
        self.covered += u32::from(seen.covered);
        if seen.material > 0 {
            self.hits += 1;
            self.position += seen.position;
            self.depth += seen.depth;
            // Of sheer cloth a sample may see what is behind: neighbours must agree all the same.
            if self.votes == 0 {
                self.material = seen.material;
            }
            if seen.material == self.material {
                self.votes += 1;
            } else {
                self.votes -= 1;
            }
        }
        if let Some(open) = seen.open {
            self.caught += 1;
            self.lit += seen.light;
            self.open += open;
            self.paper += seen.albedo;
            self.lit_2 += luminance(seen.light.to_array()).powi(2);
        } else {
            self.light += seen.light;
            let bright = luminance(seen.light.to_array());
            self.bright += bright;
            self.bright_2 += bright * bright;
        }
    }

    /// Mean light.
    pub(crate) fn mean(&self) -> Vec3 {
        let shade = self.lit / self.open.max(Vec3::splat(1e-9));
        (self.light + self.paper * shade) / self.count.max(1) as f32
    }

    /// What is left of the light of another picture behind this one: all of it where nothing was met, and on the floor
    /// what shadows leave.
    pub(crate) fn passed(&self) -> Vec3 {
        let free = self.count.saturating_sub(self.covered + self.caught) as f32;
        let shade =
            if self.caught > 0 { self.lit / self.open.max(Vec3::splat(1e-9)) } else { Vec3::ZERO };
        (Vec3::splat(free) + shade * self.caught as f32) / self.count.max(1) as f32
    }

    /// Variance of the brightness of [`Pixel::passed`].
    pub(crate) fn passed_variance(&self) -> f32 {
        let (n, m) = (self.count.max(1) as f32, self.caught as f32);
        self.shade_variance() * (m / n) / n
    }

    /// Variance of the light of a sample of the floor, as a share of the light without shadow.
    fn shade_variance(&self) -> f32 {
        if self.caught == 0 {
            return 0.0;
        }
        let m = self.caught as f32;
        let open = (luminance(self.open.to_array()) / m).max(1e-9);
        let lit = luminance(self.lit.to_array()) / m;
        // Where nothing is in the way, lit and open are the same numbers and their ratio is exact.
        let shaded = (1.0 - lit / open).abs().min(1.0);
        (self.lit_2 / m - lit * lit).max(0.0) / (open * open) * shaded.min(0.25) * 4.0
    }

    /// Variance of the brightness of the mean.
    pub(crate) fn variance(&self) -> f32 {
        let n = self.count.max(1) as f32;
        let own = self.bright / n;
        let mut variance = (self.bright_2 / n - own * own).max(0.0);
        if self.caught > 0 {
            let m = self.caught as f32;
            let paper = luminance(self.paper.to_array()) / m;
            variance += self.shade_variance() * paper * paper * (m / n);
        }
        variance / n
    }
}

/// Switches off the pixels that are known well enough, with all their neighbours.
pub(crate) fn keep_noisy(pixels: &[Pixel], width: usize, noise: f32, active: &mut [bool]) {
    let height = pixels.len() / width;
    let noisy: Vec<bool> = pixels
        .iter()
        .map(|p| {
            let bright = luminance(p.mean().to_array());
            // Differences in the dark are seen less: brightness counts by its root there.
            p.variance().sqrt() > noise * (bright * (bright + 0.25)).sqrt().max(0.01)
                || p.passed_variance().sqrt() > noise
        })
        .collect();
    for (k, active) in active.iter_mut().enumerate() {
        let (x, y) = (k % width, k / width);
        let rows = y.saturating_sub(1)..(y + 2).min(height);
        *active &= rows
            .flat_map(|v| (x.saturating_sub(1)..(x + 2).min(width)).map(move |u| v * width + u))
            .any(|q| noisy[q]);
    }
}
