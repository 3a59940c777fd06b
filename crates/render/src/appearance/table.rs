//! A function of the directions of a hemisphere, tabulated.
//!
//! Directions are mapped to a square by azimuth and radius 1 − cos θ, which has entries where functions
//! change most, near the horizon; between entries the function is bilinear.

use glam::Vec3;

/// Entries along each side.
const SIDE: usize = 49;
/// Lowest direction of an entry.
const LOWEST: f32 = 0.015;

/// What is tabulated for a direction.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Entry {
    /// Share of the yarns that is seen.
    pub(super) masking: f32,
    /// Share of the light that is scattered once.
    pub(super) albedo: f32,
}

/// Entries for all directions of a hemisphere.
#[derive(Clone, Debug)]
pub(super) struct Table {
    entries: Vec<Entry>,
}

impl Table {
    /// A table of the same entry everywhere.
    pub(super) fn constant(entry: Entry) -> Self {
        Self { entries: vec![entry; SIDE * SIDE] }
    }

    /// A table of a function, computed on the current rayon pool.
    pub(super) fn new(f: impl Fn(Vec3) -> Entry + Sync) -> Self {
        use rayon::prelude::*;
        let entries = (0..SIDE * SIDE).into_par_iter().map(|k| f(direction(k))).collect();
        Self { entries }
    }

    /// The entry of a direction, between its neighbours.
    #[inline]
    pub(super) fn at(&self, d: Vec3) -> Entry {
        let z = d.z.clamp(0.0, 1.0);
        let scale = 0.5 * (SIDE - 1) as f32 * ((1.0 - z) / (1.0 + z)).sqrt();
        let middle = 0.5 * (SIDE - 1) as f32;
        let most = (SIDE - 1) as f32 - 1e-3;
        let (x, y) =
            ((d.x * scale + middle).clamp(0.0, most), (d.y * scale + middle).clamp(0.0, most));
        let (i, j) = (x as usize, y as usize);
        let (s, t) = (x - i as f32, y - j as f32);
        let k = j * SIDE + i;
        let (a, b) = (self.entries[k], self.entries[k + 1]);
        let (c, d) = (self.entries[k + SIDE], self.entries[k + SIDE + 1]);
        let mix = |a: f32, b: f32, c: f32, d: f32| {
            (a * (1.0 - s) + b * s) * (1.0 - t) + (c * (1.0 - s) + d * s) * t
        };
        Entry {
            masking: mix(a.masking, b.masking, c.masking, d.masking),
            albedo: mix(a.albedo, b.albedo, c.albedo, d.albedo),
        }
    }

    /// ∫ f(ω) cos θ dω / π by the midpoint rule.
    pub(super) fn mean(&self, f: impl Fn(Entry) -> f32) -> f32 {
        let n = 96;
        let mut sum = 0.0;
        for k in 0..n * n {
            let place = [k % n, k / n].map(|x| (x as f32 + 0.5) / n as f32);
            sum += f(self.at(crate::warp::cosine_hemisphere(place)));
        }
        sum / (n * n) as f32
    }

    pub(super) fn most_albedo(&self) -> f32 {
        self.entries.iter().fold(0.0, |m, e| m.max(e.albedo))
    }

    pub(super) fn scale_albedo(&mut self, factor: f32) {
        self.entries.iter_mut().for_each(|e| e.albedo *= factor);
    }
}

/// The direction of an entry; those beyond the horizon take the nearest above it.
fn direction(k: usize) -> Vec3 {
    let place = |x: usize| 2.0 * x as f32 / (SIDE - 1) as f32 - 1.0;
    let (x, y) = (place(k % SIDE), place(k / SIDE));
    let r = (x * x + y * y).sqrt().max(1e-9);
    let z = (1.0 - r).max(LOWEST);
    let flat = (1.0 - z * z).sqrt();
    Vec3::new(x / r * flat, y / r * flat, z)
}
