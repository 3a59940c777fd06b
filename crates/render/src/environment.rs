//! Light from all around: a picture of the whole sphere that the path tracer samples where it is bright.
//!
//! Pictures are in latitude and longitude: rows go from straight up to straight down; the middle column
//! is the direction −z, and columns to its right turn towards +x. Environments are read from `.hdr` and
//! `.exr` files or made: [`Environment::studio`] has soft boxes, [`sky`] has a clear sky and its sun, and
//! [`room`] has a shop and an entrance hall, lit by path tracing.

pub mod room;
pub mod sky;
mod studio;

use crate::Error;
use crate::hdr::{HdrImage, luminance};
use crate::warp::Distribution2;
use glam::Vec3;
use std::f32::consts::{PI, TAU};

/// Light from all around, linear RGB radiance.
#[derive(Clone, Debug)]
pub struct Environment {
    image: HdrImage,
    distribution: Distribution2,
    /// Turned about the vertical by this share of a turn.
    turn: f32,
    power: f32,
}

impl Environment {
    /// The same light from everywhere.
    pub fn uniform(radiance: [f32; 3]) -> Self {
        let image = HdrImage { width: 2, height: 1, pixels: vec![radiance.map(sound); 2] };
        Self::prepared(image)
    }

    /// A picture of the whole sphere.
    ///
    /// # Errors
    /// If the pixels do not fit the size.
    pub fn new(mut image: HdrImage) -> Result<Self, Error> {
        image.check()?;
        image.pixels.iter_mut().for_each(|p| *p = p.map(sound));
        Ok(Self::prepared(image))
    }

    /// Reads a `.hdr` or `.exr` file; `name` is for messages.
    ///
    /// # Errors
    /// If the file is damaged or too large.
    pub fn read(bytes: &[u8], name: &str) -> Result<Self, Error> {
        let image = HdrImage::read(bytes, name)?;
        if image.width != 2 * image.height {
            return Err(Error::file(
                name,
                format!(
                    "{} × {} pixels are no picture of the whole sphere; it must be twice as wide as high",
                    image.width, image.height
                ),
            ));
        }
        Self::new(image)
    }

    /// A picture of the whole sphere of some size, from the radiance of each direction.
    ///
    /// # Errors
    /// If the size is unsound.
    pub fn of(width: u32, height: u32, light: impl Fn(Vec3) -> Vec3) -> Result<Self, Error> {
        crate::hdr::check_size(width, height)?;
        Self::new(paint(width, height, light))
    }

    /// Luminous irradiance of a surface, by its unit normal, before the environment is turned.
    pub fn irradiance(&self, normal: Vec3) -> f32 {
        let (w, h) = (self.image.width, self.image.height);
        let mut sum = 0.0_f64;
        for (k, pixel) in (0..w * h).zip(&self.image.pixels) {
            let d = direction(k % w, k / w, w, h);
            let sine = (1.0 - d.y * d.y).max(0.0).sqrt();
            sum += f64::from(luminance(*pixel) * sine * d.dot(normal).max(0.0));
        }
        (sum / f64::from(w * h)) as f32 * (TAU * PI)
    }

    fn prepared(image: HdrImage) -> Self {
        let (w, h) = (image.width as usize, image.height as usize);
        let mut weights = Vec::with_capacity(w * h);
        let mut power = 0.0_f64;
        for (y, row) in image.pixels.chunks_exact(w).enumerate() {
            let sine = (PI * (y as f32 + 0.5) / h as f32).sin();
            for pixel in row {
                let weight = luminance(*pixel) * sine;
                power += f64::from(weight);
                weights.push(weight);
            }
        }
        let power = (power / (w * h) as f64 * f64::from(PI * PI)) as f32;
        Self { distribution: Distribution2::new(&weights, w), image, turn: 0.0, power }
    }

    /// The same, turned about the vertical by an angle [rad], from +z towards +x.
    #[must_use]
    pub fn turned(mut self, angle: f64) -> Self {
        self.turn = (angle / f64::from(TAU)).rem_euclid(1.0) as f32;
        self
    }

    /// The same with all light multiplied.
    #[must_use]
    pub fn scaled(mut self, factor: f32) -> Self {
        self.image.pixels.iter_mut().for_each(|p| *p = p.map(|c| sound(c * factor)));
        self.power *= factor;
        self
    }

    /// The picture.
    pub fn image(&self) -> &HdrImage {
        &self.image
    }

    /// Light from a direction.
    pub fn radiance(&self, dir: Vec3) -> Vec3 {
        let [u, v] = self.place(dir);
        self.look_up(u, v)
    }

    /// Place in the picture, in [0, 1).
    fn place(&self, d: Vec3) -> [f32; 2] {
        let u = 0.5 + d.x.atan2(-d.z) / TAU + self.turn;
        [u - u.floor(), d.y.clamp(-1.0, 1.0).acos() / PI]
    }

    /// Bilinear, and periodic about the vertical.
    fn look_up(&self, u: f32, v: f32) -> Vec3 {
        let (w, h) = (self.image.width as usize, self.image.height as usize);
        let (x, y) = (u * w as f32 - 0.5, (v * h as f32 - 0.5).clamp(0.0, (h - 1) as f32));
        let (x0, y0) = (x.floor(), y.floor());
        let (s, t) = (x - x0, y - y0);
        let column = |k: f32| (k as i64).rem_euclid(w as i64) as usize;
        let get = |x: usize, y: usize| Vec3::from(self.image.pixels[y.min(h - 1) * w + x]);
        let (a, b, top) = (column(x0), column(x0 + 1.0), y0 as usize);
        let above = get(a, top).lerp(get(b, top), s);
        let below = get(a, top + 1).lerp(get(b, top + 1), s);
        above.lerp(below, t)
    }

    /// A direction where light comes from, its radiance and density.
    pub(crate) fn sample(&self, place: [f32; 2]) -> (Vec3, Vec3, f32) {
        let p = self.distribution.draw(place);
        let theta = PI * p.y;
        let phi = TAU * (p.x - self.turn - 0.5);
        let (st, ct) = theta.sin_cos();
        let (sp, cp) = phi.sin_cos();
        let pdf = p.pdf / (TAU * PI * st.max(1e-6));
        (Vec3::new(st * sp, ct, -st * cp), self.look_up(p.x, p.y), pdf)
    }

    /// Radiance of a direction and the density with which [`Environment::sample`] finds it.
    pub(crate) fn radiance_and_pdf(&self, dir: Vec3) -> (Vec3, f32) {
        let [u, v] = self.place(dir);
        let sine = (1.0 - dir.y * dir.y).max(0.0).sqrt();
        let pdf = self.distribution.pdf(u, v) / (TAU * PI * sine.max(1e-6));
        (self.look_up(u, v), pdf)
    }

    /// About the light it gives to a surface, on average.
    pub(crate) fn importance(&self) -> f32 {
        0.25 * self.power
    }
}

/// Colours of files may be anything.
fn sound(c: f32) -> f32 {
    if c.is_finite() { c.clamp(0.0, 1e9) } else { 0.0 }
}

/// The direction of the middle of a pixel of an unturned picture.
fn direction(x: u32, y: u32, width: u32, height: u32) -> Vec3 {
    let phi = TAU * ((x as f32 + 0.5) / width as f32 - 0.5);
    let theta = PI * (y as f32 + 0.5) / height as f32;
    let (st, ct) = theta.sin_cos();
    let (sp, cp) = phi.sin_cos();
    Vec3::new(st * sp, ct, -st * cp)
}

/// A picture from the radiance of each direction.
fn paint(width: u32, height: u32, light: impl Fn(Vec3) -> Vec3) -> HdrImage {
    let at = |k: u32| light(direction(k % width, k / width, width, height)).to_array();
    HdrImage { width, height, pixels: (0..width * height).map(at).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lamp() -> Environment {
        // A bright patch on a dim ground.
        let bright = Vec3::new(0.4, 0.6, -0.7).normalize();
        Environment::new(paint(64, 32, |d| {
            Vec3::splat(if d.dot(bright) > 0.97 { 50.0 } else { 0.2 })
        }))
        .unwrap()
    }

    #[test]
    fn samples_have_the_radiance_and_density_of_their_direction() {
        for env in [lamp(), lamp().turned(1.3), Environment::uniform([2.0; 3])] {
            for k in 0..256 {
                let place = [(k % 16) as f32 / 16.0 + 0.03, (k / 16) as f32 / 16.0 + 0.03];
                let (dir, light, pdf) = env.sample(place);
                assert!((dir.length() - 1.0).abs() < 1e-5);
                assert!((env.radiance(dir) - light).length() < 0.02 * light.length() + 1e-3);
                // On the border between cells rounding may pick the other one.
                let found = env.radiance_and_pdf(dir).1;
                assert!((found / pdf - 1.0).abs() < 1e-2 || (found / pdf) > 5.0, "{found} {pdf}");
            }
        }
    }

    #[test]
    fn the_density_integrates_to_one_and_the_light_to_its_power() {
        let env = lamp();
        let n = 800;
        let (mut density, mut light) = (0.0_f64, 0.0_f64);
        for k in 0..n * n {
            let u = [k % n, k / n].map(|x| (x as f32 + 0.5) / n as f32);
            let dir = crate::warp::sphere(u);
            density += f64::from(env.radiance_and_pdf(dir).1);
            light += f64::from(env.radiance(dir).x);
        }
        let each = 4.0 * std::f64::consts::PI / f64::from(n * n);
        assert!((density * each - 1.0).abs() < 0.01);
        let even = Environment::of(64, 32, |_| Vec3::ONE).unwrap();
        assert!((even.irradiance(Vec3::X) / PI - 1.0).abs() < 0.01);
        assert!((light * each / f64::from(env.power) / 2.0 - 1.0).abs() < 0.03);
    }

    #[test]
    fn turning_moves_the_light_about_the_vertical() {
        let env = Environment::new(paint(256, 128, |d| Vec3::splat(d.z.max(0.0).powi(8)))).unwrap();
        assert!(env.radiance(Vec3::Z).x > 0.98);
        assert!(env.turned(std::f64::consts::FRAC_PI_2).radiance(Vec3::X).x > 0.98);
    }
}
