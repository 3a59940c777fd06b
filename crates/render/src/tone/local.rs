//! Surroundings of each pixel: the mean luminance over the largest disc without strong contrast.
//!
//! Dodging and burning [reinhard2002]: Gaussians Vᵢ of radii growing by 1.6; the largest scale with
//! |Vᵢ − Vᵢ₊₁| / (2^φ a / sᵢ² + Vᵢ) < ε. The blurs are made at a resolution that falls with their radius, as in the
//! framework of [artusi2003], and read between pixels.

use crate::hdr::luminance;
use rayon::prelude::*;

/// Scales.
const SCALES: usize = 8;
/// Ratio of one radius to the next.
const RATIO: f32 = 1.6;
/// First radius [px].
const FIRST: f32 = 0.35;
/// Sharpness of the decision, 2^φ a with φ = 8 and a = 0.18.
const SHARPNESS: f32 = 256.0 * 0.18;
/// Contrast that ends the growth.
const CONTRAST: f32 = 0.05;

/// A grey picture.
struct Grey {
    width: usize,
    height: usize,
    values: Vec<f32>,
    /// Pixels of the whole picture along one side of its own.
    factor: usize,
}

impl Grey {
    fn at(&self, x: f32, y: f32) -> f32 {
        let place =
            |v: f32, n: usize| ((v + 0.5) / self.factor as f32 - 0.5).clamp(0.0, (n - 1) as f32);
        let (x, y) = (place(x, self.width), place(y, self.height));
        let (i, j) = (x as usize, y as usize);
        let (s, t) = (x - i as f32, y - j as f32);
        let get = |i: usize, j: usize| {
            self.values[j.min(self.height - 1) * self.width + i.min(self.width - 1)]
        };
        let above = get(i, j) * (1.0 - s) + get(i + 1, j) * s;
        let below = get(i, j + 1) * (1.0 - s) + get(i + 1, j + 1) * s;
        above * (1.0 - t) + below * t
    }

    /// Half as many pixels along each side.
    fn halved(&self) -> Self {
        let (width, height) = (self.width.div_ceil(2), self.height.div_ceil(2));
        let mean = |k: usize| {
            let (x, y) = (2 * (k % width), 2 * (k / width));
            let (x1, y1) = ((x + 1).min(self.width - 1), (y + 1).min(self.height - 1));
            let get = |i: usize, j: usize| self.values[j * self.width + i];
            0.25 * (get(x, y) + get(x1, y) + get(x, y1) + get(x1, y1))
        };
        let values = (0..width * height).into_par_iter().map(mean).collect();
        Self { width, height, values, factor: 2 * self.factor }
    }

    /// Blurred by a Gaussian of standard deviation `sigma`, in its own pixels.
    fn blurred(&self, sigma: f32) -> Self {
        let radius = (3.0 * sigma).ceil() as isize;
        let kernel: Vec<f32> =
            (-radius..=radius).map(|k| (-0.5 * (k as f32 / sigma).powi(2)).exp()).collect();
        let sum: f32 = kernel.iter().sum();
        let pass = |from: &[f32], along_x: bool| -> Vec<f32> {
            let (w, h) = (self.width, self.height);
            let value = |k: usize| {
                let (x, y) = (k % w, k / w);
                let weighted = kernel.iter().enumerate().map(|(m, weight)| {
                    let off = m as isize - radius;
                    let clamp =
                        |v: usize, n: usize| (v as isize + off).clamp(0, n as isize - 1) as usize;
                    let q = if along_x { y * w + clamp(x, w) } else { clamp(y, h) * w + x };
                    weight * from[q]
                });
                weighted.sum::<f32>() / sum
            };
            (0..w * h).into_par_iter().map(value).collect()
        };
        let values = pass(&pass(&self.values, true), false);
        Self { values, ..*self }
    }
}

/// The surroundings of each pixel.
pub(super) fn surroundings(light: &[[f32; 3]], width: usize) -> Vec<f32> {
    let whole = Grey {
        width,
        height: light.len() / width,
        values: light.iter().map(|p| luminance(*p)).collect(),
        factor: 1,
    };
    let mut blurs: Vec<Grey> = Vec::with_capacity(SCALES);
    let mut base = whole;
    for k in 0..SCALES {
        let sigma = FIRST * RATIO.powi(k as i32);
        while sigma / base.factor as f32 > 2.0 && base.width.min(base.height) > 8 {
            base = base.halved();
        }
        blurs.push(base.blurred((sigma / base.factor as f32).max(0.3)));
    }
    (0..light.len())
        .into_par_iter()
        .map(|k| {
            let (x, y) = ((k % width) as f32, (k / width) as f32);
            let mut here = blurs[0].at(x, y);
            for (scale, next) in blurs[1..].iter().enumerate() {
                let next = next.at(x, y);
                let size = FIRST * RATIO.powi(scale as i32) * 2.83;
                let contrast = (here - next).abs() / (SHARPNESS / (size * size) + here);
                if contrast > CONTRAST {
                    break;
                }
                here = next;
            }
            here
        })
        .collect()
}
