//! Readers of pictures, weaving drafts and luminaires.

use super::readers::judged;
use toile_render::Image;
use toile_render::appearance::{Appearance, Fabric, Picture, wif};
use toile_render::environment::Environment;
use toile_render::hdr::{HdrImage, openexr, rgbe};
use toile_render::light::ies::Luminaire;

/// A small picture with light of many magnitudes.
fn light(width: u32, height: u32) -> HdrImage {
    let pixel = |k: u32| [k as f32 * 0.1, 10_f32.powi(k as i32 % 9 - 4), 1.0];
    HdrImage { width, height, pixels: (0..width * height).map(pixel).collect() }
}

/// Radiance pictures: one wide enough for runs, and one that is not.
pub(crate) fn hdr_files() -> Vec<Vec<u8>> {
    let written = |image: &HdrImage| {
        let mut bytes = Vec::new();
        rgbe::write(image, &mut bytes).expect("written to memory");
        bytes
    };
    vec![written(&light(16, 8)), written(&light(4, 2))]
}

/// OpenEXR pictures.
pub(crate) fn exr_files() -> Vec<Vec<u8>> {
    let image = light(16, 8);
    let mut bytes = Vec::new();
    openexr::write(16, 8, openexr::colour(&image), &mut bytes).expect("written to memory");
    vec![bytes]
}

/// A PNG with and one without transparency.
pub(crate) fn png_files() -> Vec<Vec<u8>> {
    let file = |alpha: u8| {
        let rgba = (0..16 * 8_u8).flat_map(|k| [k, 2 * k, 255 - k, alpha]).collect();
        let mut bytes = Vec::new();
        let image = Image { width: 16, height: 8, rgba };
        image.write_png(&mut bytes).expect("written to memory");
        bytes
    };
    vec![file(255), file(128)]
}

/// A weaving draft with colours and spacings.
pub(crate) const WIF: &str = "[WIF]\nVersion=1.1\n[CONTENTS]\nCOLOR PALETTE=true\n[COLOR PALETTE]\nEntries=2\nRange=0,255\n\
    [COLOR TABLE]\n1=255,255,255\n2=20,40,120\n[WEAVING]\nShafts=4\nTreadles=4\nRising Shed=true\n\
    [WARP]\nThreads=4\nColor=2\nSpacing=0.05\nUnits=centimeters\n[WEFT]\nThreads=4\nColor=1\nSpacing=0.06\n\
    [THREADING]\n1=1\n2=2\n3=3\n4=4\n[TIEUP]\n1=1,2\n2=2,3\n3=3,4\n4=1,4\n[TREADLING]\n1=1\n2=2\n3=3\n4=4\n";

/// Luminaires as they are written.
pub(crate) fn ies_files() -> Vec<Vec<u8>> {
    [Luminaire::downlight(4.0), Luminaire::wall_washer()].map(|l| l.write().into_bytes()).to_vec()
}

/// A picture of scene light, and the environment it makes.
pub(crate) fn scene_light(bytes: &[u8]) {
    let Some(image) = judged(HdrImage::read(bytes, "p")) else { return };
    let pixels = u64::from(image.width) * u64::from(image.height);
    assert_eq!(image.pixels.len() as u64, pixels, "a picture has all its pixels");
    if let Some(environment) = judged(Environment::read(bytes, "p")) {
        let seen = environment.radiance(glam::Vec3::Y);
        assert!(seen.is_finite(), "an environment is finite: {seen}");
    }
}

pub(crate) fn print(bytes: &[u8]) {
    judged(Picture::read_png(bytes, "p.png"));
}

/// A draft: what is read can be woven.
pub(crate) fn draft(bytes: &[u8]) {
    let Some(appearance) = judged(wif::read(bytes, "d.wif")) else { return };
    appearance.check().expect("what was read fits together");
    let cells = |a: &Appearance| a.weave.as_ref().map_or(0, |w| w.columns() * w.rows());
    // To prepare a fabric takes half a second.
    if cells(&appearance) % 37 == 1 {
        judged(Fabric::new(&appearance, None));
    }
}

pub(crate) fn luminaire(bytes: &[u8]) {
    let Some(lamp) = judged(Luminaire::read(bytes, "l.ies")) else { return };
    let lumens = lamp.lumens();
    assert!(lumens.is_finite() && lumens >= 0.0, "{lumens} lm");
    assert!(lamp.toward(glam::Vec3::new(0.3, -0.9, 0.1)).is_finite());
}
