//! From scene light to display light.
//!
//! An [`Operator`] maps luminance and keeps the ratios of the colours: clamping, a linear scale, a film
//! curve, the logarithm of [drago2003] with its bias, or the local dodging and burning of [reinhard2002].
//! The light is scaled first: by hand, or so that the logarithmic mean of the picture becomes mid-grey.
//! In an animation an [`Eye`] follows that mean with a delay, as cones do.

mod curve;
mod local;

pub(crate) use curve::{Film, encode, threshold};

use crate::hdr::{HdrImage, luminance};
use crate::{Error, Image};
use rayon::prelude::*;

/// Mid-grey: what the logarithmic mean becomes.
const KEY: f32 = 0.18;
/// Luminance below which nothing counts for the mean.
const BLACK: f32 = 1e-4;

/// How scene light becomes display light.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Operator {
    /// Each channel is cut at white.
    Clamp,
    /// The brightest luminance becomes white, all others in proportion.
    Linear,
    /// A curve with a soft shoulder and a little contrast [lottes2016].
    Film,
    /// The logarithm whose base changes with luminance [drago2003]; it is global.
    Drago {
        /// How strongly highlights are compressed; 0.85 is usual.
        bias: f32,
    },
    /// Dodging and burning: each place is compared with its surroundings [reinhard2002].
    Reinhard,
}

/// How much light there is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Exposure {
    /// The light is multiplied by 2 to this power.
    Stops(f32),
    /// The logarithmic mean becomes mid-grey.
    Auto,
    /// This luminance becomes mid-grey; see [`Eye`].
    Adapted(f32),
}

/// An eye that adapts to the light in the course of an animation.
///
/// The logarithm of its luminance follows that of the picture with e^(−Δt/τ).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Eye {
    /// Delay towards more light [s].
    pub brighter: f32,
    /// Delay towards less light [s].
    pub darker: f32,
    adapted: Option<f32>,
}

impl Default for Eye {
    /// Cones: 0.4 s into the light, 1.5 s into the dark.
    fn default() -> Self {
        Self { brighter: 0.4, darker: 1.5, adapted: None }
    }
}

impl Eye {
    /// The exposure for the next picture, `step` seconds after the last; the first is met adapted.
    pub fn look(&mut self, image: &HdrImage, step: f32) -> Exposure {
        let now = mean_luminance(image).max(BLACK).ln();
        let next = match self.adapted {
            None => now,
            Some(then) => {
                let delay = if now > then { self.brighter } else { self.darker };
                let rest = (-step.max(0.0) / delay.max(1e-3)).exp();
                now + (then - now) * rest
            }
        };
        self.adapted = Some(next);
        Exposure::Adapted(next.exp())
    }
}

/// Logarithmic mean of the luminance.
pub fn mean_luminance(image: &HdrImage) -> f32 {
    let sum: f64 = image.pixels.iter().map(|p| f64::from(luminance(*p).max(BLACK)).ln()).sum();
    (sum / image.pixels.len().max(1) as f64).exp() as f32
}

/// Display picture of scene light.
///
/// # Errors
/// If the pixels do not fit the size, or the exposure or the bias is out of range.
pub fn develop(image: &HdrImage, operator: Operator, exposure: Exposure) -> Result<Image, Error> {
    Ok(encoded(&mapped(image, operator, exposure)?))
}

/// Display light of scene light, both linear; 1 is white.
///
/// # Errors
/// As [`develop`].
pub fn mapped(image: &HdrImage, operator: Operator, exposure: Exposure) -> Result<HdrImage, Error> {
    image.check()?;
    if let Operator::Drago { bias } = operator
        && !(0.5..=1.0).contains(&bias)
    {
        return Err(Error::Light("the bias of Drago's operator must lie between 0.5 and 1"));
    }
    let scale = match exposure {
        Exposure::Stops(stops) if (-32.0..=32.0).contains(&stops) => stops.exp2(),
        Exposure::Auto => KEY / mean_luminance(image),
        Exposure::Adapted(light) if light > 0.0 && light.is_finite() => KEY / light.max(BLACK),
        _ => return Err(Error::Light("the exposure must be finite, within 32 stops")),
    };
    let mut light: Vec<[f32; 3]> =
        image.pixels.par_iter().map(|p| p.map(|c| sound(c * scale))).collect();
    map(&mut light, image.width as usize, operator);
    Ok(HdrImage { width: image.width, height: image.height, pixels: light })
}

/// Display light as sRGB with a fine dither.
pub(crate) fn encoded(image: &HdrImage) -> Image {
    let width = image.width;
    let mut rgba = vec![0; 4 * image.pixels.len()];
    rgba.par_chunks_exact_mut(4).zip(&image.pixels).enumerate().for_each(|(k, (out, p))| {
        let dither = threshold(k as u32 % width, k as u32 / width);
        for c in 0..3 {
            out[c] = encode(p[c], dither);
        }
        out[3] = 255;
    });
    Image { width, height: image.height, rgba }
}

fn sound(c: f32) -> f32 {
    if c.is_finite() { c.clamp(0.0, 1e12) } else { 0.0 }
}

/// Maps scaled light to display light, both linear.
fn map(light: &mut [[f32; 3]], width: usize, operator: Operator) {
    let brightest = light.iter().fold(0.0_f32, |m, p| m.max(luminance(*p)));
    match operator {
        Operator::Clamp => light.par_iter_mut().for_each(|p| *p = p.map(|c| c.min(1.0))),
        Operator::Linear => {
            let scale = 1.0 / brightest.max(BLACK);
            recolour(light, |l, _| l * scale);
        }
        Operator::Film => {
            let film = Film::new();
            light.par_iter_mut().for_each(|p| *p = p.map(|c| film.develop(c)));
        }
        Operator::Drago { bias } => {
            let most = brightest.max(BLACK);
            let exponent = bias.ln() / 0.5_f32.ln();
            let top = (most + 1.0).log10();
            recolour(light, |l, _| {
                (l + 1.0).ln() / ((2.0 + 8.0 * (l / most).powf(exponent)).ln() * top)
            });
        }
        Operator::Reinhard => {
            let around = local::surroundings(light, width);
            recolour(light, |l, k| l / (1.0 + around[k]));
        }
    }
}

/// Changes the luminance of each pixel and keeps its colour; what leaves the display fades to white.
fn recolour(light: &mut [[f32; 3]], f: impl Fn(f32, usize) -> f32 + Sync) {
    light.par_iter_mut().enumerate().for_each(|(k, p)| {
        let l = luminance(*p);
        if l <= 0.0 {
            return;
        }
        let target = f(l, k).clamp(0.0, 1.0);
        let colour = p.map(|c| c * target / l);
        let most = colour.iter().fold(0.0_f32, |m, c| m.max(*c));
        // Toward grey of the same luminance, as far as the strongest channel needs.
        let keep =
            if most > 1.0 { ((1.0 - target) / (most - target)).clamp(0.0, 1.0) } else { 1.0 };
        *p = colour.map(|c| target + (c - target) * keep);
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Operator; 5] = [
        Operator::Clamp,
        Operator::Linear,
        Operator::Film,
        Operator::Drago { bias: 0.85 },
        Operator::Reinhard,
    ];

    /// Grey steps over six decades, in blocks wide enough for local operators.
    fn wedge() -> HdrImage {
        let (w, h) = (13 * 64, 64);
        let step = |k: u32| 10_f32.powf((k / 64) as f32 * 0.5 - 3.0);
        HdrImage { width: w, height: h, pixels: (0..w * h).map(|k| [step(k % w); 3]).collect() }
    }

    fn shown(image: &HdrImage, operator: Operator) -> Vec<[f32; 3]> {
        let mut light = image.pixels.clone();
        map(&mut light, image.width as usize, operator);
        light
    }

    #[test]
    fn every_operator_is_monotone_and_stays_within_the_display() {
        let image = wedge();
        for operator in ALL {
            let light = shown(&image, operator);
            let row: Vec<f32> = (0..13).map(|k| light[32 * 13 * 64 + k * 64 + 32][0]).collect();
            assert!(row.windows(2).all(|w| w[0] <= w[1]), "{operator:?} {row:?}");
            assert!(light.iter().flatten().all(|c| (0.0..=1.0).contains(c)), "{operator:?}");
        }
    }

    #[test]
    fn compressing_operators_keep_detail_where_clamping_has_none() {
        let image = wedge();
        // Steps that differ by half a decade, and how many of them are told apart in eight bits.
        let steps = |operator: Operator| {
            let light = shown(&image, operator);
            let codes: Vec<u8> =
                (0..13).map(|k| encode(light[32 * 13 * 64 + k * 64 + 32][0], 0.5)).collect();
            codes.windows(2).filter(|w| w[1] > w[0].saturating_add(2)).count()
        };
        assert!(steps(Operator::Drago { bias: 0.85 }) > steps(Operator::Linear) + 2);
        assert!(steps(Operator::Reinhard) > steps(Operator::Clamp));
    }

    #[test]
    fn drago_maps_black_to_black_and_the_brightest_to_white() {
        let image = HdrImage { width: 3, height: 1, pixels: vec![[0.0; 3], [1.0; 3], [100.0; 3]] };
        let light = shown(&image, Operator::Drago { bias: 0.85 });
        assert_eq!(light[0], [0.0; 3]);
        assert!((light[2][0] - 1.0).abs() < 1e-4);
        // ln 2 / (ln(2 + 8 · 0.01^0.2345) · log₁₀ 101), by hand.
        let expected = 2_f32.ln() / ((2.0 + 8.0 * 0.01_f32.powf(0.234_465)).ln() * 101_f32.log10());
        assert!((light[1][0] - expected).abs() < 1e-3, "{} {expected}", light[1][0]);
    }

    #[test]
    fn colour_ratios_are_kept_where_the_display_has_them() {
        let pixel = [0.3, 0.2, 0.1];
        let image = HdrImage { width: 8, height: 8, pixels: vec![pixel; 64] };
        for operator in [Operator::Linear, Operator::Drago { bias: 0.85 }, Operator::Reinhard] {
            let p = shown(&image, operator)[27];
            if p[0] < 0.999 {
                assert!((p[0] / p[2] - 3.0).abs() < 1e-2, "{operator:?} {p:?}");
            }
        }
    }

    /// Tone operators conserve no energy: displays are dimmer than suns. What they promise in its place is that the
    /// curve of luminance is all there is: colour neither adds nor takes light, even light gives even light
    /// whatever the operator compares it with, and more light in never gives less light out.
    #[test]
    fn operators_on_luminance_neither_add_nor_take_light_from_colours() {
        let colours = [[0.9, 0.1, 0.05], [0.02, 0.5, 0.9], [30.0, 1.0, 0.2], [0.0, 0.0, 4.0]];
        for operator in [Operator::Linear, Operator::Drago { bias: 0.85 }, Operator::Reinhard] {
            for colour in colours {
                let image = |c: [f32; 3]| {
                    // The same brightest pixel in both, which global operators scale by.
                    let mut pixels = vec![c; 4096];
                    pixels[0] = [50.0; 3];
                    HdrImage { width: 64, height: 64, pixels }
                };
                let own = shown(&image(colour), operator)[2080];
                let grey = shown(&image([luminance(colour); 3]), operator)[2080][0];
                let off = (luminance(own) - grey).abs();
                assert!(off < 1e-4 * grey.max(1e-2), "{operator:?} {colour:?} {own:?} {grey}");
            }
        }
        for colour in colours {
            let image = HdrImage { width: 1, height: 1, pixels: vec![colour] };
            let own = shown(&image, Operator::Clamp)[0];
            assert!(own.iter().zip(colour).all(|(a, b)| *a == b.min(1.0)), "{own:?}");
        }
    }

    #[test]
    fn a_linear_operator_keeps_the_ratio_of_all_light_in_and_out() {
        let image = wedge();
        let light =
            |pixels: &[[f32; 3]]| -> f64 { pixels.iter().map(|p| f64::from(luminance(*p))).sum() };
        let brightest = 1e3;
        let ratio = light(&shown(&image, Operator::Linear)) / light(&image.pixels);
        assert!((ratio * brightest - 1.0).abs() < 1e-3, "{ratio}");
    }

    #[test]
    fn a_local_operator_gives_even_light_what_the_global_curve_gives() {
        for l in [0.01, 0.5, 7.0] {
            let image = HdrImage { width: 96, height: 80, pixels: vec![[l; 3]; 96 * 80] };
            let light = shown(&image, Operator::Reinhard);
            let expected = l / (1.0 + l);
            let sum: f32 = light.iter().map(|p| p[0]).sum();
            assert!((sum / (96.0 * 80.0) / expected - 1.0).abs() < 1e-3, "{l}");
            assert!(light.iter().all(|p| (p[0] / expected - 1.0).abs() < 1e-3), "{l}");
        }
    }

    #[test]
    fn more_light_in_never_gives_less_light_out() {
        let image = wedge();
        for operator in [Operator::Clamp, Operator::Film, Operator::Reinhard] {
            let total = |stops: f32| -> f64 {
                let light = mapped(&image, operator, Exposure::Stops(stops)).unwrap();
                light.pixels.iter().map(|p| f64::from(luminance(*p))).sum()
            };
            let totals: Vec<f64> = (-6..6).map(|s| total(s as f32)).collect();
            assert!(totals.windows(2).all(|w| w[0] < w[1]), "{operator:?} {totals:?}");
        }
        // These scale by the brightest pixel: the same picture comes out for any light.
        let linear = |stops: f32| mapped(&image, Operator::Linear, Exposure::Stops(stops)).unwrap();
        assert_eq!(linear(0.0).pixels, linear(3.0).pixels);
    }

    #[test]
    fn automatic_exposure_makes_the_mean_mid_grey() {
        let image = HdrImage { width: 4, height: 4, pixels: vec![[7.0; 3]; 16] };
        let seen = develop(&image, Operator::Clamp, Exposure::Auto).unwrap();
        let grey = crate::srgb(u32::from_be_bytes([0, seen.rgba[0], seen.rgba[1], seen.rgba[2]]));
        assert!((grey[0] - KEY).abs() < 0.01, "{grey:?}");
        assert!(develop(&image, Operator::Clamp, Exposure::Stops(f32::NAN)).is_err());
        assert!(develop(&image, Operator::Drago { bias: 2.0 }, Exposure::Auto).is_err());
    }

    #[test]
    fn the_eye_follows_a_step_of_light_without_flicker() {
        let lit = |l: f32| HdrImage { width: 1, height: 1, pixels: vec![[l; 3]] };
        let mut eye = Eye::default();
        let mut seen = Vec::new();
        for frame in 0..90 {
            let light = if frame < 10 { 1.0 } else { 100.0 };
            let Exposure::Adapted(l) = eye.look(&lit(light), 1.0 / 25.0) else { panic!() };
            seen.push(l);
        }
        assert!(seen.windows(2).all(|w| w[0] <= w[1] * 1.000_1), "no way back");
        assert!((seen[9] - 1.0).abs() < 1e-3 && (seen[89] / 100.0 - 1.0).abs() < 0.05);
        // After one delay of 0.4 s the logarithm has gone 1 − 1/e of the step.
        let share = seen[19].ln() / 100_f32.ln();
        assert!((share - (1.0 - (-1.0_f32).exp())).abs() < 0.01, "{share}");
    }

    #[test]
    fn a_local_operator_keeps_contrast_beside_a_lamp() {
        // A fine pattern in the shade, half the picture far brighter.
        let (w, h) = (128, 64);
        let at = |k: u32| {
            let (x, y) = (k % w, k / w);
            if x >= 64 {
                200.0
            } else if (x / 2 + y / 2) % 2 == 0 {
                0.4
            } else {
                0.6
            }
        };
        let image =
            HdrImage { width: w, height: h, pixels: (0..w * h).map(|k| [at(k); 3]).collect() };
        let contrast = |operator| {
            let light = shown(&image, operator);
            let row: Vec<f32> = (20..40).map(|x| light[32 * 128 + x][0]).collect();
            let (lo, hi) = row.iter().fold((1.0_f32, 0.0_f32), |(a, b), x| (a.min(*x), b.max(*x)));
            hi / lo
        };
        assert!(contrast(Operator::Reinhard) > contrast(Operator::Drago { bias: 0.85 }));
        assert!(contrast(Operator::Reinhard) > 1.25);
    }
}
