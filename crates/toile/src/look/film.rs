//! Files of pictures.

use super::failed;
use crate::convert::extension;
use crate::error::Error;
use std::path::Path;
use toile_render::hdr::HdrImage;
use toile_render::path::Buffers;
use toile_render::{Image, apng, gif};

/// Kind of a picture file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Png,
    Exr,
    Hdr,
    Gif,
}

impl Kind {
    /// By the extension.
    pub(super) fn of(path: &Path) -> Result<Self, Error> {
        match extension(path).as_str() {
            "png" | "apng" => Ok(Self::Png),
            "exr" if cfg!(feature = "exr") => Ok(Self::Exr),
            "exr" => Err(without_exr()),
            "hdr" => Ok(Self::Hdr),
            "gif" => Ok(Self::Gif),
            other => {
                let message = format!("{}: unknown format `{other}`", path.display());
                Err(Error::request(message, "use .png, .exr, .hdr or .gif"))
            }
        }
    }
}

/// A picture in scene light as a file, by the extension of its name.
pub(super) fn hdr_bytes(path: &Path, image: &HdrImage) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    match Kind::of(path)? {
        Kind::Hdr => toile_render::hdr::rgbe::write(image, &mut bytes).map_err(failed)?,
        Kind::Exr => return exr_bytes(image),
        Kind::Png | Kind::Gif => {
            let message = format!("{}: is no format of scene light", path.display());
            return Err(Error::request(message, "use .hdr or .exr"));
        }
    }
    Ok(bytes)
}

/// A picture in scene light as OpenEXR.
#[cfg(feature = "exr")]
fn exr_bytes(image: &HdrImage) -> Result<Vec<u8>, Error> {
    use toile_render::hdr::openexr::{colour, write};
    let mut bytes = Vec::new();
    write(image.width, image.height, colour(image), &mut bytes).map_err(failed)?;
    Ok(bytes)
}

#[cfg(not(feature = "exr"))]
fn exr_bytes(_: &HdrImage) -> Result<Vec<u8>, Error> {
    Err(without_exr())
}

/// What was rendered as OpenEXR, with a layer for each quantity.
#[cfg(feature = "exr")]
pub(super) fn layers_bytes(buffers: &Buffers) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    buffers.write_exr(&mut bytes).map_err(failed)?;
    Ok(bytes)
}

#[cfg(not(feature = "exr"))]
pub(super) fn layers_bytes(_: &Buffers) -> Result<Vec<u8>, Error> {
    Err(without_exr())
}

/// OpenEXR is asked for in a build that lacks it.
fn without_exr() -> Error {
    Error::request("this build has no OpenEXR", "write a .hdr, or build with the feature `exr`")
}

/// Pictures as a file: one as PNG, several as an animation of so many frames per second.
pub(super) fn bytes(kind: Kind, images: &[Image], fps: f64) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    let rate = fps.round().clamp(1.0, 50.0) as u16;
    let Some(first) = images.first() else { return Ok(bytes) };
    match (kind, images) {
        (Kind::Png, [image]) => image.write_png(&mut bytes).map_err(failed)?,
        (Kind::Gif, _) => {
            let few: Vec<&Image> = images.iter().step_by(images.len().div_ceil(8).max(1)).collect();
            let colours = gif::Colours::of(&few);
            let mut writer = gif::Writer::new(Vec::new(), first.width, first.height, rate, colours)
                .map_err(failed)?;
            for image in images {
                writer.write_frame(image).map_err(failed)?;
            }
            bytes = writer.finish().map_err(failed)?;
        }
        _ => {
            let count = u32::try_from(images.len()).unwrap_or(u32::MAX);
            let mut writer = apng::Writer::new(&mut bytes, first.width, first.height, count, rate)
                .map_err(failed)?;
            for image in images {
                writer.write_frame(image.clone()).map_err(failed)?;
            }
            writer.finish().map_err(failed)?;
        }
    }
    Ok(bytes)
}
