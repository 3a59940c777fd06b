//! What a picture knows of each pixel.

use super::Settings;
use super::pixel::Pixel;
use super::world::View;
use crate::denoise::{Guide, denoise};
use crate::hdr::HdrImage;
use crate::{Backdrop, Error};
use glam::Vec3;
use std::io::Write;

/// Scene light and what it comes from, row by row from the top left.
#[derive(Clone, Debug)]
pub struct Buffers {
    /// Scene light, linear RGB.
    pub colour: HdrImage,
    /// Share of each pixel that surfaces cover; the floor does not count.
    pub alpha: Vec<f32>,
    /// Distance from the camera along its axis [m]; infinite where nothing is.
    pub depth: Vec<f32>,
    /// Mean normal of what is seen, facing the camera; zero where nothing is.
    pub normal: Vec<[f32; 3]>,
    /// Mean colour of what is seen, linear RGB.
    pub albedo: Vec<[f32; 3]>,
    /// Index of the surface plus one that most samples met; 0 for none.
    pub material: Vec<u32>,
    /// Variance of the brightness of `colour` as the samples tell it.
    pub variance: Vec<f32>,
    /// Factor of the light of another picture behind this one: 1 where nothing was met, what shadows leave on the
    /// floor, 0 where the surfaces are. Makes sense with [`Background::Nothing`](super::Background::Nothing).
    pub passed: Vec<[f32; 3]>,
    passed_variance: Vec<f32>,
    /// Samples spent on each pixel.
    pub samples: Vec<u32>,
    guides: Vec<Guide>,
}

impl Buffers {
    pub(super) fn new(pixels: &[Pixel], settings: &Settings, view: &View) -> Self {
        let mean = |f: fn(&Pixel) -> Vec3| {
            pixels.iter().map(|p| (f(p) / p.count.max(1) as f32).to_array()).collect::<Vec<_>>()
        };
        let guide = |p: &Pixel| {
            let hits = p.hits + p.caught;
            let position = p.position / p.hits.max(1) as f32;
            Guide {
                normal: p.normal.normalize_or_zero(),
                position,
                width: view.width_at(position),
                surface: hits > 0,
                material: if p.hits > p.caught { p.material as i32 } else { -1 },
            }
        };
        let depth = |p: &Pixel| {
            if p.hits > 0 { p.depth / p.hits as f32 } else { f32::INFINITY }
        };
        let mut colour: Vec<Vec3> = pixels.iter().map(Pixel::mean).collect();
        if let Some(Backdrop { vignette, .. }) = view.paper {
            darken_corners(&mut colour, settings.width, vignette);
        }
        let pixels_out = colour.iter().map(|c| c.to_array()).collect();
        Self {
            colour: HdrImage { width: settings.width, height: settings.height, pixels: pixels_out },
            alpha: pixels.iter().map(|p| p.covered as f32 / p.count.max(1) as f32).collect(),
            depth: pixels.iter().map(depth).collect(),
            normal: mean(|p| p.normal),
            albedo: mean(|p| p.albedo),
            material: pixels.iter().map(|p| p.material).collect(),
            variance: pixels.iter().map(Pixel::variance).collect(),
            passed: pixels.iter().map(|p| p.passed().to_array()).collect(),
            passed_variance: pixels.iter().map(Pixel::passed_variance).collect(),
            samples: pixels.iter().map(|p| p.count).collect(),
            guides: pixels.iter().map(guide).collect(),
        }
    }

    /// The light with its noise smoothed, edges and textures kept.
    #[must_use]
    pub fn denoised(&self) -> HdrImage {
        let albedo: Vec<Vec3> = self.albedo.iter().map(|a| Vec3::from(*a)).collect();
        let colour: Vec<Vec3> = self.colour.pixels.iter().map(|c| Vec3::from(*c)).collect();
        let width = self.colour.width as usize;
        let pixels = denoise(&colour, &albedo, &self.variance, &self.guides, width);
        HdrImage { pixels: pixels.iter().map(|c| c.to_array()).collect(), ..self.colour.clone() }
    }

    /// [`Buffers::passed`] with its noise smoothed: shadows on another picture.
    #[must_use]
    pub fn passed_denoised(&self) -> Vec<[f32; 3]> {
        let passed: Vec<Vec3> = self.passed.iter().map(|c| Vec3::from(*c)).collect();
        let white = vec![Vec3::ONE; passed.len()];
        let width = self.colour.width as usize;
        let smooth = denoise(&passed, &white, &self.passed_variance, &self.guides, width);
        smooth.iter().map(|c| c.clamp(Vec3::ZERO, Vec3::ONE).to_array()).collect()
    }

    /// Writes colour, alpha, depth (`Z`), normals, albedo and material as OpenEXR.
    ///
    /// # Errors
    /// If `out` fails.
    #[cfg(feature = "exr")]
    pub fn write_exr(&self, out: impl Write) -> Result<(), Error> {
        use crate::hdr::openexr::{Channel, colour, write};
        let mut channels = colour(&self.colour);
        let mut add = |name: &str, values: Vec<f32>| {
            channels.push(Channel { name: name.into(), values });
        };
        add("A", self.alpha.clone());
        add("Z", self.depth.clone());
        add("material", self.material.iter().map(|m| *m as f32).collect());
        for (k, axis) in ["X", "Y", "Z"].into_iter().enumerate() {
            add(&format!("normal.{axis}"), self.normal.iter().map(|n| n[k]).collect());
        }
        for (k, axis) in ["R", "G", "B"].into_iter().enumerate() {
            add(&format!("albedo.{axis}"), self.albedo.iter().map(|n| n[k]).collect());
        }
        write(self.colour.width, self.colour.height, channels, out)
    }

    /// Writes the colour as a Radiance picture.
    ///
    /// # Errors
    /// If `out` fails.
    pub fn write_hdr(&self, out: impl Write) -> Result<(), Error> {
        crate::hdr::rgbe::write(&self.colour, out)
    }
}

/// Darkens the corners of a picture as a lens does.
fn darken_corners(colour: &mut [Vec3], width: u32, vignette: f32) {
    let height = colour.len() as u32 / width;
    for (k, c) in colour.iter_mut().enumerate() {
        let (x, y) = (k as u32 % width, k as u32 / width);
        let dx = 2.0 * (x as f32 + 0.5) / width as f32 - 1.0;
        let dy = 2.0 * (y as f32 + 0.5) / height as f32 - 1.0;
        let r2 = 0.5 * (dx * dx + dy * dy);
        *c *= 1.0 - vignette * r2 * r2.sqrt();
    }
}
