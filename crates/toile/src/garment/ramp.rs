//! Colours for values: from dark violet over blue and green to bright yellow.
//!
//! Lightness rises evenly in Oklab [ottosson2020], a space in which equal steps look equal, so that more is brighter for every
//! eye and also in grey; the hue turns along with it to tell values apart.

/// Lightness at both ends.
const LIGHTNESS: [f64; 2] = [0.32, 0.91];
/// Hue at both ends [degrees].
const HUE: [f64; 2] = [296.0, 102.0];
/// Colourfulness in the middle and at the ends.
const CHROMA: [f64; 2] = [0.125, 0.115];

/// Linear RGB of a place on the ramp, 0 to 1.
pub(super) fn linear(place: f64) -> [f32; 3] {
    let t = if place.is_finite() { place.clamp(0.0, 1.0) } else { 0.0 };
    let mix = |[a, b]: [f64; 2], t: f64| a + t * (b - a);
    let l = mix(LIGHTNESS, t);
    let (sin, cos) = libm::sincos(mix(HUE, t).to_radians());
    let c = mix(CHROMA, (2.0 * t - 1.0).abs());
    let (a, b) = (c * cos, c * sin);
    let cube = |x: f64| x * x * x;
    let long = cube(l + 0.396_337_777_4 * a + 0.215_803_757_3 * b);
    let middle = cube(l - 0.105_561_345_8 * a - 0.063_854_172_8 * b);
    let short = cube(l - 0.089_484_177_5 * a - 1.291_485_548_0 * b);
    [
        4.076_741_662_1 * long - 3.307_711_591_3 * middle + 0.230_969_929_2 * short,
        -1.268_438_004_6 * long + 2.609_757_401_1 * middle - 0.341_319_396_5 * short,
        -0.004_196_086_3 * long - 0.703_418_614_7 * middle + 1.707_614_701_0 * short,
    ]
    .map(|x| x.clamp(0.0, 1.0) as f32)
}

/// The same as bytes of sRGB.
pub(super) fn srgb(place: f64) -> [u8; 3] {
    linear(place).map(|x| {
        let x = f64::from(x);
        let y = if x <= 0.003_130_8 { 12.92 * x } else { 1.055 * libm::pow(x, 1.0 / 2.4) - 0.055 };
        (255.0 * y).round().clamp(0.0, 255.0) as u8
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_is_brighter_all_the_way() {
        let luminance = |k: u32| {
            let [r, g, b] = linear(f64::from(k) / 40.0).map(f64::from);
            0.2126 * r + 0.7152 * g + 0.0722 * b
        };
        assert!((0..40).all(|k| luminance(k + 1) > luminance(k)));
        assert!(luminance(0) < 0.06 && luminance(40) > 0.6);
        assert_eq!((srgb(-1.0), srgb(f64::NAN), srgb(2.0)), (srgb(0.0), srgb(0.0), srgb(1.0)));
    }
}
