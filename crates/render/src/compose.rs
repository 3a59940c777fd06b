//! A rendered picture laid over a photograph, and the shadows that it throws there.
//!
//! The floor of a scene with [`Background::Nothing`](crate::path::Background::Nothing) is a shadow catcher: what is left of the
//! photograph is multiplied by the light with the surfaces over the light without them [debevec1998]. A photograph in display
//! light stays as it is where nothing lies on it, whatever the tone operator; one in scene light is mapped with the rest.

use crate::hdr::HdrImage;
use crate::path::Buffers;
use crate::tone::{self, Exposure, Operator, encoded};
use crate::{Error, Image};
use rayon::prelude::*;

/// Least share of a pixel that surfaces cover for their light to be known.
const SEEN: f32 = 1e-3;

/// A picture behind a rendered one.
#[derive(Clone, Debug, PartialEq)]
pub struct Photograph {
    image: HdrImage,
    /// Linear light of the scene; otherwise of a display.
    is_scene_light: bool,
}

impl Photograph {
    /// Reads a `.png`, `.hdr` or `.exr` file, whichever the first bytes say; `name` is for messages.
    ///
    /// # Errors
    /// If it is none, damaged, or too large.
    pub fn read(bytes: &[u8], name: &str) -> Result<Self, Error> {
        if bytes.starts_with(&[0x89, b'P', b'N', b'G']) {
            let image = crate::appearance::Picture::read_png(bytes, name)?.into_image();
            return Ok(Self { image, is_scene_light: false });
        }
        Ok(Self { image: HdrImage::read(bytes, name)?, is_scene_light: true })
    }

    /// A picture in display light, linear; 1 is white.
    pub fn shown(image: HdrImage) -> Self {
        Self { image, is_scene_light: false }
    }

    /// Width and height [px].
    pub fn size(&self) -> [u32; 2] {
        [self.image.width, self.image.height]
    }

    /// The same in another size: each pixel is the mean of what it covers.
    ///
    /// # Errors
    /// If the size is unsound.
    pub fn resized(&self, width: u32, height: u32) -> Result<Self, Error> {
        if self.size() == [width, height] {
            return Ok(self.clone());
        }
        let mut image = HdrImage::filled(width, height, [0.0; 3])?;
        let (w, h) = (self.image.width as usize, self.image.height as usize);
        let [sx, sy] = [w as f32 / width as f32, h as f32 / height as f32];
        let taps = |s: f32| (s.ceil() as usize).clamp(1, 64);
        let (nx, ny) = (taps(sx), taps(sy));
        image.pixels.par_chunks_mut(width as usize).enumerate().for_each(|(y, row)| {
            for (x, out) in row.iter_mut().enumerate() {
                let mut sum = [0.0; 3];
                for k in 0..nx * ny {
                    let u = (x as f32 + ((k % nx) as f32 + 0.5) / nx as f32) * sx;
                    let v = (y as f32 + ((k / nx) as f32 + 0.5) / ny as f32) * sy;
                    let at = (v as usize).min(h - 1) * w + (u as usize).min(w - 1);
                    for (s, c) in sum.iter_mut().zip(self.image.pixels[at]) {
                        *s += c / (nx * ny) as f32;
                    }
                }
                *out = sum;
            }
        });
        Ok(Self { image, ..self.clone() })
    }

    /// Lays what was rendered over the photograph, which must have its size.
    ///
    /// # Errors
    /// If the sizes differ or the exposure is out of range.
    pub fn under(
        &self,
        buffers: &Buffers,
        denoise: bool,
        operator: Operator,
        exposure: Exposure,
    ) -> Result<Image, Error> {
        let found = (self.image.width, self.image.height);
        let expected = (buffers.colour.width, buffers.colour.height);
        if found != expected {
            return Err(Error::FrameSize { expected, found });
        }
        let layer = Layer::new(buffers, denoise);
        if self.is_scene_light {
            let over = |(k, behind): (usize, &[f32; 3])| {
                let p = layer.passed[k];
                [0, 1, 2].map(|c| layer.light.pixels[k][c] + behind[c] * p[c])
            };
            let pixels = self.image.pixels.iter().enumerate().map(over).collect();
            let light = HdrImage { pixels, ..layer.light };
            return tone::develop(&light, operator, exposure);
        }
        let shown = layer.shown(&buffers.alpha, operator, exposure)?;
        let over = |(k, behind): (usize, &[f32; 3])| {
            let (p, a) = (layer.passed[k], buffers.alpha[k]);
            [0, 1, 2].map(|c| shown.pixels[k][c] * a + behind[c] * p[c])
        };
        let pixels = self.image.pixels.iter().enumerate().map(over).collect();
        Ok(encoded(&HdrImage { pixels, ..shown }))
    }
}

/// What was rendered as a picture that is transparent where nothing is; shadows on the floor are black and partly transparent.
///
/// # Errors
/// If the exposure is out of range.
pub fn cut_out(
    buffers: &Buffers,
    denoise: bool,
    operator: Operator,
    exposure: Exposure,
) -> Result<Image, Error> {
    let layer = Layer::new(buffers, denoise);
    let mut shown = layer.shown(&buffers.alpha, operator, exposure)?;
    let covers: Vec<f32> =
        layer.passed.iter().map(|p| (1.0 - (p[0] + p[1] + p[2]) / 3.0).clamp(0.0, 1.0)).collect();
    for (k, p) in shown.pixels.iter_mut().enumerate() {
        let share = buffers.alpha[k] / covers[k].max(buffers.alpha[k]).max(SEEN);
        *p = p.map(|c| c * share.min(1.0));
    }
    let mut image = encoded(&shown);
    for ((p, cover), alpha) in image.rgba.chunks_exact_mut(4).zip(&covers).zip(&buffers.alpha) {
        p[3] = (cover.max(*alpha) * 255.0 + 0.5) as u8;
    }
    Ok(image)
}

/// Light of the surfaces alone, and what they let through.
struct Layer {
    light: HdrImage,
    passed: Vec<[f32; 3]>,
}

impl Layer {
    fn new(buffers: &Buffers, denoise: bool) -> Self {
        if denoise {
            Self { light: buffers.denoised(), passed: buffers.passed_denoised() }
        } else {
            Self { light: buffers.colour.clone(), passed: buffers.passed.clone() }
        }
    }

    /// Display light of the surfaces where they are.
    fn shown(
        &self,
        alpha: &[f32],
        operator: Operator,
        exposure: Exposure,
    ) -> Result<HdrImage, Error> {
        let whole = |(p, a): (&[f32; 3], &f32)| p.map(|c| if *a > SEEN { c / a } else { 0.0 });
        let light: Vec<[f32; 3]> = self.light.pixels.iter().zip(alpha).map(whole).collect();
        // The eye adapts to what is drawn, not to the black around it.
        let exposure = match exposure {
            Exposure::Auto => {
                let pixels: Vec<[f32; 3]> =
                    light.iter().zip(alpha).filter(|(_, a)| **a > 0.5).map(|(p, _)| *p).collect();
                let (width, height) = (pixels.len() as u32, 1);
                Exposure::Adapted(tone::mean_luminance(&HdrImage { width, height, pixels }))
            }
            other => other,
        };
        let light = HdrImage { pixels: light, ..self.light.clone() };
        tone::mapped(&light, operator, exposure)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Camera;
    use crate::environment::Environment;
    use crate::path::{Background, Floor, Material, Scene, Settings, Surface, render};
    use glam::DVec3;
    use toile_mesh::shape;

    /// A ball over a floor under an even sky, over nothing.
    fn scene(ball: &toile_mesh::TriMesh) -> Scene<'_> {
        let camera = Camera {
            eye: DVec3::new(0.0, 1.2, 4.0),
            target: DVec3::new(0.0, 0.1, 0.0),
            up: DVec3::Y,
            fov_y: 0.5,
        };
        let grey = Material::Matte { front: [0.3; 3], back: [0.3; 3], roughness: 0.0 };
        let mut scene = Scene::studio(camera).with(Surface::new(ball, grey));
        scene.environment = Environment::uniform([1.0; 3]);
        scene.background = Background::Nothing;
        scene.floor = Some(Floor { height: -0.3, colour: [0.5; 3] });
        scene
    }

    fn photograph(w: u32, h: u32) -> Photograph {
        let pixel = |k: u32| [(k % w) as f32 / w as f32, 0.4, (k / w) as f32 / h as f32];
        Photograph::shown(HdrImage { width: w, height: h, pixels: (0..w * h).map(pixel).collect() })
    }

    #[test]
    fn a_photograph_stays_as_it_is_but_for_the_thing_and_its_shadow() {
        let ball = shape::sphere(0.3, 3);
        let buffers = render(&scene(&ball), &Settings::new(96, 72)).unwrap();
        let behind = photograph(96, 72);
        let own = encoded(&behind.image);
        for operator in [Operator::Film, Operator::Clamp, Operator::Reinhard] {
            let image = behind.under(&buffers, true, operator, Exposure::Stops(0.0)).unwrap();
            // Nothing lies on the sky, and no shadow reaches it.
            for x in 0..96 {
                let (a, b) = (image.pixel(x, 2).unwrap(), own.pixel(x, 2).unwrap());
                assert_eq!(a, b, "{operator:?} at {x}");
            }
            let green = |x, y| i32::from(image.pixel(x, y).unwrap()[1]);
            let plain = i32::from(own.pixel(48, 60).unwrap()[1]);
            // Below the ball its shadow; far to the side of it nearly none.
            let shadow = (50..58).map(|y| green(48, y)).min().unwrap();
            assert!(shadow < plain - 15, "{shadow} {plain}");
            assert!((green(2, 70) - plain).abs() < 12, "{} {plain}", green(2, 70));
        }
        let small = photograph(24, 18);
        assert!(small.under(&buffers, true, Operator::Film, Exposure::Stops(0.0)).is_err());
        assert_eq!(small.resized(96, 72).unwrap().size(), [96, 72]);
    }

    #[test]
    fn a_cut_out_is_opaque_on_the_thing_and_clear_beside_it() {
        let ball = shape::sphere(0.3, 3);
        let buffers = render(&scene(&ball), &Settings::new(96, 72)).unwrap();
        let image = cut_out(&buffers, true, Operator::Film, Exposure::Auto).unwrap();
        let alpha = |x, y| image.pixel(x, y).unwrap()[3];
        assert_eq!((alpha(48, 30), alpha(3, 3)), (255, 0));
        let shadow: Vec<u8> = (46..60).map(|y| alpha(48, y)).collect();
        assert!(shadow.iter().any(|a| (20..230).contains(a)), "{shadow:?}");
        // Auto exposure makes the thing itself mid-grey, not the black around it.
        let grey = crate::srgb(u32::from(image.pixel(48, 30).unwrap()[0]))[2];
        assert!((0.08..0.4).contains(&grey), "{grey}");
    }

    #[test]
    fn a_picture_made_smaller_keeps_its_mean() {
        let small = photograph(96, 64).resized(12, 8).unwrap();
        let mean = |p: &Photograph| {
            let n = p.image.pixels.len() as f32;
            p.image.pixels.iter().fold([0.0; 3], |s, c| [0, 1, 2].map(|k| s[k] + c[k] / n))
        };
        let (a, b) = (mean(&photograph(96, 64)), mean(&small));
        assert!((0..3).all(|k| (a[k] - b[k]).abs() < 1e-3), "{a:?} {b:?}");
        assert!(Photograph::read(b"GIF89a", "a.gif").is_err());
    }
}
