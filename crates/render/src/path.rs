//! The path tracer: light that bounces as often as it does, in materials that lose none of it.
//!
//! A [`Scene`] holds [`Surface`]s, [`Lamp`]s, an [`Environment`] and a camera with a [`Lens`]; [`render`] gives
//! [`Buffers`]: scene light with depth, normals, albedo and material of each pixel, to be smoothed
//! ([`Buffers::denoised`]), mapped to display light ([`crate::tone`]) or written as OpenEXR.
//!
//! Each vertex of a path is lit by one sampled light and by whatever the scattered ray meets, weighted
//! against each other by the power heuristic [veach1995]. Samples are a pure function of pixel, sample
//! and dimension, so that the same scene gives the same bits for any number of threads.
//!
//! Limits: lamps have no shape that scatters; motion is linear; a ray passes at most 32 gaps of cloth.

mod buffers;
mod integrator;
mod pixel;
pub(crate) mod world;

pub use buffers::Buffers;

use self::pixel::Pixel;
use self::world::{View, World};
use crate::appearance::Fabric;
use crate::bvh::Stack;
use crate::environment::Environment;
use crate::hdr::check_size;
use crate::light::Lamp;
use crate::{Backdrop, Camera, Error, MAX_SAMPLES};
use glam::DVec3;
use rayon::prelude::*;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU32};
use toile_mesh::TriMesh;

/// Most pixels of a path-traced picture.
pub const MAX_PATH_PIXELS: u64 = 1 << 24;

/// What a surface is made of. Colours are linear RGB.
#[derive(Clone, Debug)]
pub enum Material {
    /// Chalk, plaster, paper: rough diffuse reflection.
    Matte {
        /// Colour of the front.
        front: [f32; 3],
        /// Colour of the back.
        back: [f32; 3],
        /// 0 is Lambert, 1 as flat as the full moon.
        roughness: f32,
    },
    /// Paint, plastic, horn: a clear coat on a diffuse base.
    Lacquer {
        /// Colour of the base.
        colour: [f32; 3],
        /// 0 is a mirror, 1 dull.
        roughness: f32,
        /// Index of refraction of the coat.
        ior: f32,
    },
    /// A rough metal.
    Metal {
        /// Colour of its reflection seen straight.
        colour: [f32; 3],
        /// 0 is a mirror, 1 dull.
        roughness: f32,
    },
    /// Cloth of yarns; needs material coordinates.
    Cloth(Arc<Fabric>),
    /// Shows the background, darkened by the shadows that fall on it.
    Catcher {
        /// Colour of the light it throws on other surfaces.
        colour: [f32; 3],
    },
}

/// A mesh and what it is made of.
#[derive(Clone, Debug)]
pub struct Surface<'a> {
    /// The surface; both sides are visible.
    pub mesh: &'a TriMesh,
    /// What it is made of.
    pub material: Material,
    /// Edges that bend more than this look sharp [rad]; π smooths everything, 0 nothing.
    pub crease: f64,
    /// Vertex positions when the shutter closes [m]; those of the mesh are when it opens.
    pub end: Option<&'a [DVec3]>,
    /// A colour for each vertex in place of those of a matte material, linear RGB.
    pub colours: Option<&'a [[f32; 3]]>,
}

impl<'a> Surface<'a> {
    /// A smooth surface that stands still.
    pub fn new(mesh: &'a TriMesh, material: Material) -> Self {
        Self { mesh, material, crease: std::f64::consts::PI, end: None, colours: None }
    }

    /// The same with sharp edges where it bends more than `crease` [rad].
    #[must_use]
    pub fn with_crease(mut self, crease: f64) -> Self {
        self.crease = crease;
        self
    }
}

/// What gathers light for the camera.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lens {
    /// Radius of the opening [m]; 0 makes everything sharp.
    pub aperture: f64,
    /// Distance of what is sharp [m]; `None` for the camera's target.
    pub focus: Option<f64>,
    /// How directions become pixels.
    pub projection: Projection,
    /// Where the axis of a perspective meets the picture, to the right of its middle and below it, in heights of the picture.
    pub shift: [f64; 2],
}

impl Default for Lens {
    fn default() -> Self {
        Self { aperture: 0.0, focus: None, projection: Projection::Perspective, shift: [0.0; 2] }
    }
}

/// How directions become pixels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Projection {
    /// Straight lines stay straight.
    #[default]
    Perspective,
    /// The whole sphere in latitude and longitude, as in [`Environment`]; target and field of view do not matter.
    Panorama,
}

/// What the camera sees where nothing is.
#[derive(Clone, Debug, PartialEq)]
pub enum Background {
    /// The environment.
    Environment,
    /// Paper, by the height of the direction.
    Paper(Backdrop),
    /// Nothing: the picture is laid over another one, which counts by [`Buffers::passed`].
    Nothing,
}

/// Everything in a picture.
#[derive(Clone, Debug)]
pub struct Scene<'a> {
    /// What is seen.
    pub surfaces: Vec<Surface<'a>>,
    /// Lamps, beside the environment.
    pub lamps: Vec<Lamp>,
    /// Light from all around.
    pub environment: Environment,
    /// What is behind.
    pub background: Background,
    /// Who looks.
    pub camera: Camera,
    /// Through what.
    pub lens: Lens,
    /// Height of a plane that catches shadows and shows the background [m], and the colour of its light.
    pub floor: Option<Floor>,
}

/// A plane without end that catches shadows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Floor {
    /// Height [m].
    pub height: f64,
    /// Colour of the light it throws up, linear RGB.
    pub colour: [f32; 3],
}

impl<'a> Scene<'a> {
    /// An empty studio, its lights turned with the camera.
    pub fn studio(camera: Camera) -> Self {
        let back = camera.eye - camera.target;
        let azimuth = back.x.atan2(back.z);
        Self {
            surfaces: Vec::new(),
            lamps: Vec::new(),
            environment: Environment::studio().turned(azimuth),
            background: Background::Paper(Backdrop::default()),
            camera,
            lens: Lens::default(),
            floor: None,
        }
    }

    /// Adds a surface.
    #[must_use]
    pub fn with(mut self, surface: Surface<'a>) -> Self {
        self.surfaces.push(surface);
        self
    }

    /// Adds a floor at a height [m].
    #[must_use]
    pub fn with_floor(mut self, height: f64) -> Self {
        self.floor = Some(Floor { height, colour: [0.55, 0.53, 0.50] });
        self
    }
}

/// Size and care of a picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Width [px].
    pub width: u32,
    /// Height [px].
    pub height: u32,
    /// Most camera rays for each pixel; powers of two are best.
    pub samples: u32,
    /// Pixels whose standard error is below this share of their brightness get no further samples; 0
    /// gives all pixels all samples.
    pub noise: f32,
    /// Most bounces of a path.
    pub bounces: u32,
    /// Light that comes by more than one bounce is at most this bright; infinite for none.
    pub clamp: f32,
}

impl Settings {
    /// A picture of the given size with 64 samples.
    pub fn new(width: u32, height: u32) -> Self {
        Self { width, height, samples: 64, noise: 0.0, bounces: 8, clamp: 12.0 }
    }

    fn check(&self) -> Result<usize, Error> {
        let Self { width, height, samples, .. } = *self;
        let count = check_size(width, height)?;
        if count as u64 > MAX_PATH_PIXELS {
            return Err(Error::Size { width, height });
        }
        if samples == 0 || samples > MAX_SAMPLES {
            return Err(Error::Samples { samples });
        }
        if !(self.noise >= 0.0 && self.clamp > 0.0) || self.bounces > 64 {
            return Err(Error::Light("noise below 0, clamp not above 0, or more than 64 bounces"));
        }
        Ok(count)
    }
}

/// Renders a scene on the current rayon pool. The same bits come out for any number of threads.
///
/// # Errors
/// If the size, the samples, the camera, a lamp, a material or a mesh is unsound; see [`Error`].
pub fn render(scene: &Scene<'_>, settings: &Settings) -> Result<Buffers, Error> {
    render_watched(scene, settings, |_| true)
}

/// The same for somebody who waits: `watch` hears after each row of pixels which share of the work is done,
/// from whichever thread did it, and ends the work by returning false.
///
/// # Errors
/// As [`render`], and [`Error::Stopped`].
pub fn render_watched(
    scene: &Scene<'_>,
    settings: &Settings,
    watch: impl Fn(f64) -> bool + Sync,
) -> Result<Buffers, Error> {
    let count = settings.check()?;
    let view = View::new(scene, settings)?;
    let world = World::new(scene, settings, &view.units)?;
    let mut pixels = vec![Pixel::default(); count];
    let width = settings.width as usize;
    let step = if settings.noise > 0.0 { (settings.samples / 4).max(8) } else { settings.samples };
    let mut active = vec![true; count];
    let mut from = 0;
    let (stopped, rows_done) = (AtomicBool::new(false), AtomicU32::new(0));
    while from < settings.samples && active.contains(&true) {
        let to = settings.samples.min(from + step);
        let rows = pixels.par_chunks_mut(width).zip(active.par_chunks(width)).enumerate();
        rows_done.store(0, Relaxed);
        rows.for_each_init(Stack::default, |stack, (y, (row, active))| {
            if stopped.load(Relaxed) {
                return;
            }
            for (x, pixel) in row.iter_mut().enumerate().filter(|(x, _)| active[*x]) {
                for sample in from..to {
                    pixel.add(&view.shoot(&world, x as u32, y as u32, sample, stack));
                }
            }
            let rows = f64::from(1 + rows_done.fetch_add(1, Relaxed)) / f64::from(settings.height);
            let samples = f64::from(from) + rows * f64::from(to - from);
            if !watch(samples / f64::from(settings.samples)) {
                stopped.store(true, Relaxed);
            }
        });
        if stopped.load(Relaxed) {
            return Err(Error::Stopped);
        }
        if settings.noise > 0.0 {
            pixel::keep_noisy(&pixels, width, settings.noise, &mut active);
        }
        from = to;
    }
    Ok(Buffers::new(&pixels, settings, &view))
}
