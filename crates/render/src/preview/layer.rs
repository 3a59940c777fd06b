//! What the samples of a pixel found, kept apart by surface.
//!
//! On a silhouette some samples of a pixel see one surface and some another. Their light must not be
//! averaged before it is smoothed, or every edge would keep its noise. So the surface most samples
//! see is the pixel's first layer, which the filter works on; the others afterwards take their light from
//! neighbours that see the same surface first.

use super::denoise::{Guide, luma};
use super::shade::Seen;
use glam::Vec3;

/// Normals of one surface within a pixel turn less than this (as a cosine).
const SAME_NORMAL: f32 = 0.6;
/// Points of one surface lie this close to a common plane, in widths of a pixel.
const SAME_PLANE: f32 = 3.0;

/// The samples of a pixel that see one surface.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Layer {
    /// Mean colour.
    pub(crate) albedo: Vec3,
    /// Mean light per unit of colour.
    pub(crate) light: Vec3,
    /// Variance of the mean brightness of the light.
    pub(crate) variance: f32,
    /// Share of the pixel's samples.
    pub(crate) cover: f32,
    /// Where and which surface.
    pub(crate) guide: Guide,
}

impl Layer {
    /// Nothing.
    pub(crate) const NONE: Self = Self {
        albedo: Vec3::ZERO,
        light: Vec3::ZERO,
        variance: 0.0,
        cover: 0.0,
        guide: Guide { normal: Vec3::ZERO, position: Vec3::ZERO, id: -1.0, width: 0.0 },
    };
}

/// Whether two places are parts of one surface seen side by side.
pub(crate) fn same_surface(a: &Guide, b: &Guide) -> bool {
    if a.id != b.id {
        return false;
    }
    // The backdrop has no shape.
    if a.id < 0.0 {
        return true;
    }
    let apart = (a.position - b.position).dot(a.normal).abs();
    a.normal.dot(b.normal) > SAME_NORMAL && apart < SAME_PLANE * a.width
}

/// Sums of samples that see one surface.
#[derive(Clone, Copy, Debug)]
struct Sum {
    first: Guide,
    albedo: Vec3,
    shown: Vec3,
    normal: Vec3,
    position: Vec3,
    bright: f32,
    bright_2: f32,
    count: u32,
}

impl Sum {
    fn new(first: Guide) -> Self {
        let zero = Vec3::ZERO;
        Self {
            first,
            albedo: zero,
            shown: zero,
            normal: zero,
            position: zero,
            bright: 0.0,
            bright_2: 0.0,
            count: 0,
        }
    }

    fn add(&mut self, seen: &Seen) {
        self.albedo += seen.albedo;
        self.shown += seen.albedo * seen.light;
        self.normal += seen.normal;
        self.position += seen.position;
        let bright = luma(seen.light);
        self.bright += bright;
        self.bright_2 += bright * bright;
        self.count += 1;
    }

    fn finish(&self, samples: u32) -> Layer {
        let n = self.count as f32;
        let mean = self.bright / n;
        Layer {
            albedo: self.albedo / n,
            // What the mean colour must be multiplied with to give what was seen.
            light: self.shown / self.albedo.max(Vec3::splat(1e-6)),
            variance: ((self.bright_2 / n - mean * mean) / n).max(0.0),
            cover: n / samples as f32,
            guide: Guide {
                normal: self.normal.normalize_or(self.first.normal),
                position: self.position / n,
                ..self.first
            },
        }
    }
}

/// Most layers of a pixel; the last takes what fits none.
pub(crate) const LAYERS: usize = 4;

/// Sorts the samples of a pixel into layers.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sorter {
    sums: [Option<Sum>; LAYERS],
}

impl Sorter {
    /// Adds a sample seen through a pixel of the given width, in scene units at the surface.
    pub(crate) fn add(&mut self, seen: &Seen, width: f32) {
        let guide = Guide { normal: seen.normal, position: seen.position, id: seen.id, width };
        for (k, sum) in self.sums.iter_mut().enumerate() {
            let sum = sum.get_or_insert_with(|| Sum::new(guide));
            if same_surface(&sum.first, &guide) || k + 1 == LAYERS {
                sum.add(seen);
                return;
            }
        }
    }

    /// The layers, the largest first.
    pub(crate) fn finish(&self, samples: u32) -> [Option<Layer>; LAYERS] {
        let mut layers = self.sums.map(|s| s.map(|s| s.finish(samples)));
        let cover = |l: &Option<Layer>| l.map_or(0.0, |l| l.cover);
        // Of equals the first stays first.
        for k in 1..LAYERS {
            if cover(&layers[k]) > cover(&layers[0]) {
                layers.swap(0, k);
            }
        }
        layers
    }
}

/// Gives a further layer of pixel (`x`, `y`) the smoothed light of its neighbours.
pub(crate) fn borrow_light(
    layer: &Layer,
    guides: &[Guide],
    light: &[Vec3],
    width: usize,
    [x, y]: [usize; 2],
) -> Vec3 {
    let height = guides.len() / width;
    // Its own light counts little, but it is there if no neighbour sees the same surface.
    let (mut sum, mut weights) = (layer.light * 0.05, 0.05);
    for qy in y.saturating_sub(2)..(y + 3).min(height) {
        for qx in x.saturating_sub(2)..(x + 3).min(width) {
            let q = qy * width + qx;
            if same_surface(&layer.guide, &guides[q]) {
                let apart = x.abs_diff(qx).pow(2) + y.abs_diff(qy).pow(2);
                let weight = 1.0 / (1 + apart) as f32;
                sum += light[q] * weight;
                weights += weight;
            }
        }
    }
    sum / weights
}
