//! From light to pixels: a filmic curve, sRGB and a fine dither.
//!
//! The curve is y = xᵃ / (b · xᵃᵈ + c) [lottes2016]: contrast a and shoulder d, with b and c such that
//! white maps to one and mid-grey stays.

/// Contrast of the curve.
const CONTRAST: f32 = 1.18;
/// How hard highlights are pressed.
const SHOULDER: f32 = 0.97;
/// Light that becomes white.
const WHITE: f32 = 1.6;
/// Light that stays as it is.
const GREY: f32 = 0.35;

/// The filmic curve.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Film {
    b: f32,
    c: f32,
}

impl Film {
    /// The curve of the studio.
    pub(crate) fn new() -> Self {
        // Two equations, y(GREY) = GREY and y(WHITE) = 1, linear in b and c.
        let (grey, white) = (GREY.powf(CONTRAST), WHITE.powf(CONTRAST));
        let (grey_d, white_d) = (grey.powf(SHOULDER), white.powf(SHOULDER));
        let b = (white - grey / GREY) / (white_d - grey_d);
        Self { b, c: white - b * white_d }
    }

    /// Display light of scene light, both linear.
    pub(crate) fn develop(self, x: f32) -> f32 {
        let x = if x.is_finite() { x.max(0.0) } else { 0.0 };
        let y = x.powf(CONTRAST);
        (y / (self.b * y.powf(SHOULDER) + self.c)).clamp(0.0, 1.0)
    }
}

/// The sRGB code of linear light, with a threshold in [0, 1) that decides how to round.
pub(crate) fn encode(x: f32, threshold: f32) -> u8 {
    let c = if x <= 0.003_130_8 { 12.92 * x } else { 1.055 * x.powf(1.0 / 2.4) - 0.055 };
    (c * 255.0 + threshold).clamp(0.0, 255.0) as u8
}

/// An 8 × 8 ordered dither in [0, 1) that depends on the pixel alone: gradients do not band and
/// animations do not flicker.
pub(crate) fn threshold(x: u32, y: u32) -> f32 {
    let mut value = 0;
    for bit in 0..3 {
        let (bx, by) = (x >> bit & 1, y >> bit & 1);
        value = value << 2 | (bx ^ by) << 1 | by;
    }
    (value as f32 + 0.5) / 64.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_curve_keeps_black_grey_and_white_and_never_falls() {
        let film = Film::new();
        assert_eq!(film.develop(0.0), 0.0);
        assert!((film.develop(GREY) - GREY).abs() < 1e-5);
        assert!((film.develop(WHITE) - 1.0).abs() < 1e-5);
        let curve: Vec<f32> = (0..400).map(|i| film.develop(i as f32 * 0.005)).collect();
        assert!(curve.windows(2).all(|w| w[0] <= w[1]));
        assert_eq!(film.develop(f32::NAN), 0.0);
    }

    #[test]
    fn dither_thresholds_are_all_different() {
        let mut all: Vec<u32> = (0..64).map(|i| (threshold(i % 8, i / 8) * 64.0) as u32).collect();
        all.sort_unstable();
        assert_eq!(all, (0..64).collect::<Vec<_>>());
    }
}
