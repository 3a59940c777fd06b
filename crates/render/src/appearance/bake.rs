//! Textures and simple materials baked from an appearance, for renderers without yarns.

use super::fabric::{Fabric, Texel};
use super::{Appearance, Picture};
use crate::hdr::luminance;
use crate::tone::encode;
use crate::{Error, Image};
use glam::{Vec2, Vec3};

/// Most texels along a side of a texture.
pub const MAX_TEXELS: u32 = 1024;

/// A fabric as renderers with textures have it: one whole number of repeats, to be tiled.
#[derive(Clone, Debug)]
pub struct Baked {
    /// What the textures cover along weft and warp [m].
    pub size: [f64; 2],
    /// Colour of the front with transparent gaps, sRGB.
    pub base_colour: Image,
    /// Normals in the frame (weft, warp, normal), as glTF has them.
    pub normal: Image,
    /// Roughness in the green channel, as glTF has it; red and blue are zero.
    pub roughness: Image,
    /// The rest.
    pub simple: Simple,
}

/// A fabric in a few numbers, as the extensions of glTF and USD's preview surface have them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Simple {
    /// Mean colour of the front, linear RGB.
    pub front: [f32; 3],
    /// Mean colour of the back, linear RGB.
    pub back: [f32; 3],
    /// Roughness of the highlight.
    pub roughness: f32,
    /// Colour of the sheen of fibres that stand up, linear RGB; black for none.
    pub sheen: [f32; 3],
    /// Roughness of that sheen.
    pub sheen_roughness: f32,
    /// How much longer highlights are across the yarns than along, 0 to 1.
    pub anisotropy: f32,
    /// Direction of that, from the weft to the warp [rad].
    pub anisotropy_direction: f32,
    /// Share of the light that goes through.
    pub transmission: f32,
    /// Share of the area without yarn.
    pub openness: f32,
}

impl Simple {
    /// The few numbers of an appearance; a printed picture must have been read.
    ///
    /// # Errors
    /// If the appearance does not fit together.
    pub fn new(appearance: &Appearance, picture: Option<Picture>) -> Result<Self, Error> {
        Ok(simple(&Fabric::without_tables(appearance, picture)?))
    }
}

fn simple(fabric: &Fabric) -> Simple {
    let [front, back] = [true, false].map(|side| fabric.surveyed(side));
    let mean: Vec3 = front.colour;
    let finish = fabric.appearance().finish;
    let fuzz = finish.fuzz as f32;
    // Single fibres are paler than the cloth; some stand up from every spun yarn.
    let sheen = (mean * 0.5 + Vec3::splat(0.5 * luminance(mean.to_array()).sqrt()))
        * (0.06 + 0.9 * fuzz).min(1.0);
    let order = (1.0 - front.alpha / 0.6).clamp(0.0, 1.0);
    Simple {
        front: mean.to_array(),
        back: back.colour.to_array(),
        roughness: front.alpha.sqrt().clamp(0.3, 1.0),
        sheen: if front.has_yarns { sheen.to_array() } else { [0.0; 3] },
        sheen_roughness: (0.35 + 0.5 * fuzz).min(0.9),
        anisotropy: order * front.direction.length(),
        // Highlights are long across the fibres.
        anisotropy_direction: (-front.direction.x).atan2(front.direction.y),
        transmission: front.transmission,
        openness: front.open,
    }
}

/// Bakes a whole number of repeats into textures of at most `texels` along a side, about square in metres.
///
/// # Errors
/// If the appearance does not fit together, or `texels` is below 16 or above [`MAX_TEXELS`].
pub fn bake(
    appearance: &Appearance,
    picture: Option<Picture>,
    texels: u32,
) -> Result<Baked, Error> {
    if !(16..=MAX_TEXELS).contains(&texels) {
        return Err(Error::Appearance(format!(
            "textures have 16 to {MAX_TEXELS} texels along a side, not {texels}"
        )));
    }
    let fabric = Fabric::without_tables(appearance, picture)?;
    let size = fabric.tile();
    // Both sides powers of two, so that every viewer can tile them.
    let longest = size.max_element();
    let side =
        |x: f32| ((texels as f32 * x / longest) as u32).next_power_of_two().clamp(16, texels);
    let (width, height) = (side(size.x), side(size.y));
    let mut baked = Baked {
        size: size.as_dvec2().to_array(),
        base_colour: Image::filled(width, height, [0; 4]),
        normal: Image::filled(width, height, [128, 128, 255, 255]),
        roughness: Image::filled(width, height, [0, 255, 0, 255]),
        simple: simple(&fabric),
    };
    for k in 0..(width * height) as usize {
        let (x, y) = (k % width as usize, k / width as usize);
        // The first row is on top, where v is largest.
        let at = Vec2::new((x as f32 + 0.5) / width as f32, 1.0 - (y as f32 + 0.5) / height as f32);
        let texel = fabric.texel(at * size, size / Vec2::new(width as f32, height as f32));
        let out = 4 * k..4 * k + 4;
        baked.base_colour.rgba[out.clone()].copy_from_slice(&colour(&texel));
        baked.normal.rgba[out.clone()].copy_from_slice(&normal(texel.normal));
        let rough = encode_linear(texel.alpha.sqrt().clamp(0.3, 1.0));
        baked.roughness.rgba[out].copy_from_slice(&[0, rough, 0, 255]);
    }
    Ok(baked)
}

fn encode_linear(x: f32) -> u8 {
    (x.clamp(0.0, 1.0) * 255.0 + 0.5) as u8
}

fn colour(texel: &Texel) -> [u8; 4] {
    let c = texel.colour.to_array().map(|c| encode(c.clamp(0.0, 1.0), 0.5));
    [c[0], c[1], c[2], encode_linear(texel.cover)]
}

fn normal(n: Vec3) -> [u8; 4] {
    let n = n.normalize_or(Vec3::Z) * 0.5 + 0.5;
    [encode_linear(n.x), encode_linear(n.y), encode_linear(n.z), 255]
}
