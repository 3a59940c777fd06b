//! The fast preview: direct light, sky and one bounce, smoothed.

mod denoise;
mod layer;
mod shade;

use self::denoise::{Guide, denoise};
use self::layer::{LAYERS, Layer, Sorter, borrow_light};
use self::shade::World;
use crate::bvh::{Ray, Stack};
use crate::sampler::Sampler;
use crate::tone::{Film, encode, threshold};
use crate::warp::tent;
use crate::{Backdrop, Error, Image, Scene};
use glam::Vec3;
use rayon::prelude::*;

/// Most pixels of a picture.
pub const MAX_PIXELS: u64 = 1 << 26;
/// Most samples of a pixel.
pub const MAX_SAMPLES: u32 = 4096;
/// Radius of the tent that blends samples into pixels [px].
const FILTER_RADIUS: f32 = 0.8;
/// Use of sample points for the place in the pixel.
const DIMENSION_PIXEL: u32 = 0;

/// Size and care of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Width [px].
    pub width: u32,
    /// Height [px].
    pub height: u32,
    /// Camera rays for each pixel; powers of two are best.
    pub samples: u32,
    /// Whether to smooth the noise of soft light. Off shows the bare samples.
    pub denoise: bool,
}

impl Settings {
    /// A picture of the given size with eight samples and smooth light.
    pub fn new(width: u32, height: u32) -> Self {
        Self { width, height, samples: 8, denoise: true }
    }
}

/// Renders a scene on the current rayon pool. The same bytes come out for any number of threads.
///
/// # Errors
/// If the size, the samples, the camera, the light, a material or a mesh is unsound; see [`Error`].
pub fn render(scene: &Scene<'_>, settings: &Settings) -> Result<Image, Error> {
    let Settings { width, height, samples, .. } = *settings;
    let pixels = u64::from(width) * u64::from(height);
    if pixels == 0 || pixels > MAX_PIXELS {
        return Err(Error::Size { width, height });
    }
    if samples == 0 || samples > MAX_SAMPLES {
        return Err(Error::Samples { samples });
    }
    let view = View::new(scene, settings)?;
    let mut first = vec![Layer::NONE; pixels as usize];
    let mut second: Vec<Vec<Second>> = vec![Vec::new(); height as usize];
    let rows = first.par_chunks_mut(width as usize).zip(&mut second).enumerate();
    rows.for_each_init(Stack::default, |stack, (y, (row, rest))| {
        for (x, pixel) in row.iter_mut().enumerate() {
            let [layer, others @ ..] = view.pixel(x as u32, y as u32, stack);
            *pixel = layer.unwrap_or(Layer::NONE);
            rest.extend(others.into_iter().flatten().map(|layer| Second { x, layer }));
        }
    });
    // The geometry of a fine mesh takes as much memory as what follows.
    drop(view);
    if settings.denoise {
        smooth(&mut first, &mut second, width as usize);
    }
    Ok(develop(&first, &second, settings, scene.backdrop.vignette))
}

/// Colour of the paper in a direction of height `y`.
pub(crate) fn paper(backdrop: &Backdrop, y: f32) -> Vec3 {
    shade::paper(backdrop.floor.into(), backdrop.wall.into(), y)
}

/// A further layer of the pixel in column `x`.
#[derive(Clone, Copy, Debug)]
struct Second {
    x: usize,
    layer: Layer,
}

/// Smooths the light of all layers.
fn smooth(first: &mut [Layer], second: &mut [Vec<Second>], width: usize) {
    let mut light: Vec<Vec3> = first.iter().map(|p| p.light).collect();
    let variance: Vec<f32> = first.iter().map(|p| p.variance).collect();
    let guides: Vec<Guide> = first.iter().map(|p| p.guide).collect();
    denoise(&mut light, &variance, &guides, width);
    second.par_iter_mut().enumerate().for_each(|(y, row)| {
        for Second { x, layer } in row {
            layer.light = borrow_light(layer, &guides, &light, width, [*x, y]);
        }
    });
    for (layer, light) in first.iter_mut().zip(light) {
        layer.light = light;
    }
}

/// A world and the camera in it, in scene units.
struct View {
    world: World,
    eye: Vec3,
    right: Vec3,
    up: Vec3,
    forward: Vec3,
    /// Width of a pixel at distance one.
    spread: f32,
    settings: Settings,
}

impl View {
    fn new(scene: &Scene<'_>, settings: &Settings) -> Result<Self, Error> {
        let [right, up, forward] = scene.camera.frame()?;
        let (world, units) = World::new(scene)?;
        let eye = units.point(scene.camera.eye);
        if !eye.is_finite() {
            return Err(Error::Camera("too far away"));
        }
        let spread = (2.0 * (0.5 * scene.camera.fov_y).tan() / f64::from(settings.height)) as f32;
        Ok(Self {
            world,
            eye,
            right: right.as_vec3(),
            up: up.as_vec3(),
            forward: forward.as_vec3(),
            spread,
            settings: *settings,
        })
    }

    /// Traces the samples of a pixel.
    fn pixel(&self, x: u32, y: u32, stack: &mut Stack) -> [Option<Layer>; LAYERS] {
        let Settings { width, height, samples, .. } = self.settings;
        let mut sorter = Sorter::default();
        for s in 0..samples {
            let sampler = Sampler::new(x, y, s, samples);
            let [jx, jy] = sampler.point::<DIMENSION_PIXEL>().map(|u| FILTER_RADIUS * tent(u));
            let px = (x as f32 + 0.5 + jx - 0.5 * width as f32) * self.spread;
            let py = (0.5 * height as f32 - (y as f32 + 0.5 + jy)) * self.spread;
            let dir = (self.forward + self.right * px + self.up * py).normalize();
            let seen = self.world.look(&Ray::new(self.eye, dir), sampler, self.spread, stack);
            sorter.add(&seen, self.spread * seen.position.distance(self.eye));
        }
        sorter.finish(samples)
    }
}

/// Colours the light, darkens the corners, and turns it into bytes.
fn develop(first: &[Layer], second: &[Vec<Second>], settings: &Settings, vignette: f32) -> Image {
    let Settings { width, height, .. } = *settings;
    let film = Film::new();
    let mut rgba = vec![0; first.len() * 4];
    rgba.par_chunks_mut(4 * width as usize).enumerate().for_each(|(y, row)| {
        let mut rest = second[y].iter().peekable();
        for (x, out) in row.chunks_exact_mut(4).enumerate() {
            let layer = &first[y * width as usize + x];
            let mut shown = layer.albedo * layer.light * layer.cover;
            while let Some(Second { layer, .. }) = rest.next_if(|s| s.x == x) {
                shown += layer.albedo * layer.light * layer.cover;
            }
            let dx = 2.0 * (x as f32 + 0.5) / width as f32 - 1.0;
            let dy = 2.0 * (y as f32 + 0.5) / height as f32 - 1.0;
            let r2 = 0.5 * (dx * dx + dy * dy);
            shown *= 1.0 - vignette * r2 * r2.sqrt();
            let dither = threshold(x as u32, y as u32);
            for k in 0..3 {
                out[k] = encode(film.develop(shown[k]), dither);
            }
            out[3] = 255;
        }
    });
    Image { width, height, rgba }
}
