//! A clear sky by day [preetham1999] and the sun in it.

use super::{Environment, paint};
use crate::Error;
use crate::hdr::HdrImage;
use crate::light::Lamp;
use glam::{DVec3, Vec3};
use std::f32::consts::PI;

/// Thousand candela per square metre that become radiance one.
const UNIT: f32 = 12.0;
/// Light of the ground below the horizon, as a share of what falls on it.
const GROUND: f32 = 0.18;
/// Size of the picture.
const SIZE: (u32, u32) = (512, 256);

/// When and how clear it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sky {
    /// Height of the sun above the horizon [rad], from 0 to π/2.
    pub elevation: f64,
    /// Where the sun stands [rad], from +z towards +x.
    pub azimuth: f64,
    /// Haze: 2 is very clear, 3 clear, 6 hazy; from 1.7 to 10.
    pub turbidity: f64,
}

impl Default for Sky {
    /// A clear afternoon.
    fn default() -> Self {
        Self { elevation: 0.7, azimuth: -0.8, turbidity: 2.8 }
    }
}

/// A sky and its sun.
#[derive(Clone, Debug)]
pub struct ClearSky {
    /// The sky without the sun.
    pub environment: Environment,
    /// The sun.
    pub sun: Lamp,
}

impl Sky {
    /// The light of the sky, and of the sun beside it.
    ///
    /// # Errors
    /// If an angle or the haze is out of range.
    pub fn light(&self) -> Result<ClearSky, Error> {
        if !(0.0..=std::f64::consts::FRAC_PI_2).contains(&self.elevation) {
            return Err(Error::Light("the sun's height must lie between 0 and π/2"));
        }
        if !(1.7..=10.0).contains(&self.turbidity) || !self.azimuth.is_finite() {
            return Err(Error::Light("the turbidity of the sky must lie between 1.7 and 10"));
        }
        let toward = DVec3::new(
            self.azimuth.sin() * self.elevation.cos(),
            self.elevation.sin(),
            self.azimuth.cos() * self.elevation.cos(),
        );
        let model = Model::new(toward.as_vec3(), self.turbidity as f32);
        let upper =
            paint(SIZE.0, SIZE.1, |d| if d.y > 0.0 { model.radiance(d) } else { Vec3::ZERO });
        let sun = sun(self.elevation as f32, self.turbidity as f32);
        let fallen = irradiance(&upper) + sun * toward.y as f32;
        let ground = fallen * (GROUND / PI);
        let whole = paint(SIZE.0, SIZE.1, |d| {
            // A soft horizon, so that no step shows in reflections.
            let above = model.radiance(Vec3::new(d.x, d.y.max(0.001), d.z).normalize());
            let t = ((d.y + 0.03) / 0.04).clamp(0.0, 1.0);
            ground.lerp(above, t * t * (3.0 - 2.0 * t))
        });
        let lamp = Lamp::Directional { toward, irradiance: sun.to_array(), radius: 0.00465 };
        Ok(ClearSky { environment: Environment::new(whole)?, sun: lamp })
    }
}

/// Irradiance of the ground.
fn irradiance(image: &HdrImage) -> Vec3 {
    let (w, h) = (image.width, image.height);
    let cell = 2.0 * PI * PI / (w * h) as f32;
    let mut sum = Vec3::ZERO;
    for (k, pixel) in image.pixels.iter().enumerate() {
        let theta = PI * ((k as u32 / w) as f32 + 0.5) / h as f32;
        sum += Vec3::from(*pixel) * (theta.sin() * theta.cos().max(0.0) * cell);
    }
    sum
}

/// Irradiance of a surface that faces the sun: 133 klx above the air, less what molecules and haze
/// scatter, blue most.
fn sun(elevation: f32, turbidity: f32) -> Vec3 {
    // Kasten and Young's optical mass of the air.
    let degrees = elevation.to_degrees();
    let mass = 1.0 / (elevation.sin() + 0.505_72 * (degrees + 6.079_95).powf(-1.636_4));
    let wavelengths = Vec3::new(0.61, 0.55, 0.465);
    let through = |l: f32| {
        let air = 0.008_735 * l.powf(-4.08);
        let haze = (0.046_08 * turbidity - 0.045_86) * l.powf(-1.3);
        (-(air + haze) * mass).exp()
    };
    Vec3::from(wavelengths.to_array().map(through)) * (133.0 / UNIT)
}

/// The distribution of Perez et al.: (1 + A e^{B / cos θ}) (1 + C e^{Dγ} + E cos² γ).
fn perez([a, b, c, d, e]: [f32; 5], cos_theta: f32, gamma: f32) -> f32 {
    let cos = gamma.cos();
    (1.0 + a * (b / cos_theta.max(0.01)).exp()) * (1.0 + c * (d * gamma).exp() + e * cos * cos)
}

/// Luminance and chromaticity of a sky.
struct Model {
    sun: Vec3,
    /// For Y, x and y: the coefficients, and the value at the zenith over that of the formula.
    terms: [([f32; 5], f32); 3],
}

impl Model {
    fn new(sun: Vec3, t: f32) -> Self {
        let theta = sun.y.clamp(-1.0, 1.0).acos();
        let line = |m: [f32; 5], n: [f32; 5]| [0, 1, 2, 3, 4].map(|k| m[k] * t + n[k]);
        let bright = line(
            [0.1787, -0.3554, -0.0227, 0.1206, -0.0670],
            [-1.4630, 0.4275, 5.3251, -2.5771, 0.3703],
        );
        let x = line(
            [-0.0193, -0.0665, -0.0004, -0.0641, -0.0033],
            [-0.2592, 0.0008, 0.2125, -0.8989, 0.0452],
        );
        let y = line(
            [-0.0167, -0.0950, -0.0079, -0.0441, -0.0109],
            [-0.2608, 0.0092, 0.2102, -1.6537, 0.0529],
        );
        let chi = (4.0 / 9.0 - t / 120.0) * (PI - 2.0 * theta);
        let zenith = (4.0453 * t - 4.9710) * chi.tan() - 0.2155 * t + 2.4192;
        let powers = [theta.powi(3), theta.powi(2), theta, 1.0];
        let cubic = |rows: [[f32; 4]; 3]| -> f32 {
            let value = |row: [f32; 4]| -> f32 { row.iter().zip(powers).map(|(a, b)| a * b).sum() };
            value(rows[0]) * t * t + value(rows[1]) * t + value(rows[2])
        };
        let zenith_x = cubic([
            [0.00166, -0.00375, 0.00209, 0.0],
            [-0.02903, 0.06377, -0.03202, 0.00394],
            [0.11693, -0.21196, 0.06052, 0.25886],
        ]);
        let zenith_y = cubic([
            [0.00275, -0.00610, 0.00317, 0.0],
            [-0.04214, 0.08970, -0.04153, 0.00516],
            [0.15346, -0.26756, 0.06670, 0.26688],
        ]);
        let term = |c: [f32; 5], zenith: f32| (c, zenith / perez(c, 1.0, theta));
        // A very low sun makes the fit of the zenith negative.
        let zenith = zenith.max(0.05);
        Self { sun, terms: [term(bright, zenith), term(x, zenith_x), term(y, zenith_y)] }
    }

    /// Linear RGB of a direction above the horizon.
    fn radiance(&self, d: Vec3) -> Vec3 {
        let gamma = d.dot(self.sun).clamp(-1.0, 1.0).acos();
        let [bright, x, y] = self.terms.map(|(c, scale)| scale * perez(c, d.y, gamma));
        let (bright, y) = (bright.max(0.0) / UNIT, y.max(1e-3));
        let (cx, cz) = (bright * x / y, bright * (1.0 - x - y) / y);
        Vec3::new(
            3.2405 * cx - 1.5371 * bright - 0.4985 * cz,
            -0.9693 * cx + 1.8760 * bright + 0.0416 * cz,
            0.0556 * cx - 0.2040 * bright + 1.0572 * cz,
        )
        .max(Vec3::ZERO)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clear_sky_is_blue_overhead_and_brightest_near_the_sun() {
        let sky = Sky::default();
        let light = sky.light().unwrap();
        let up = light.environment.radiance(Vec3::Y);
        assert!(up.z > 1.5 * up.x, "{up}");
        let Lamp::Directional { toward, irradiance, .. } = light.sun else { panic!() };
        let toward = toward.as_vec3();
        let near = light.environment.radiance((toward + Vec3::Y * 0.1).normalize());
        let away = light.environment.radiance(Vec3::new(-toward.x, toward.y, -toward.z));
        assert!(near.y > 2.0 * away.y, "{near} {away}");
        // The sun is warm and gives more than the sky.
        assert!(irradiance[0] > irradiance[2]);
        assert!(irradiance[1] > 2.0 * up.y * PI, "{irradiance:?} {up}");
    }

    #[test]
    fn every_height_of_the_sun_gives_finite_light() {
        for k in 0..=20 {
            for turbidity in [1.7, 4.0, 10.0] {
                let elevation = f64::from(k) / 20.0 * std::f64::consts::FRAC_PI_2;
                let light = Sky { elevation, azimuth: 0.3, turbidity }.light().unwrap();
                let fine = |p: &[f32; 3]| p.iter().all(|c| (0.0..200.0).contains(c));
                assert!(light.environment.image().pixels.iter().all(fine), "{elevation}");
            }
        }
        assert!(Sky { elevation: -0.1, ..Sky::default() }.light().is_err());
        assert!(Sky { turbidity: f64::NAN, ..Sky::default() }.light().is_err());
    }
}
