//! Pictures in scene light, and the files that keep them: Radiance (`.hdr`) and OpenEXR (`.exr`).

#[cfg(feature = "exr")]
pub mod openexr;
pub mod rgbe;

use crate::{Error, MAX_PIXELS};

/// A picture of linear RGB in 32-bit floats, row by row from the top left.
#[derive(Clone, Debug, PartialEq)]
pub struct HdrImage {
    /// Width [px].
    pub width: u32,
    /// Height [px].
    pub height: u32,
    /// Linear RGB of each pixel.
    pub pixels: Vec<[f32; 3]>,
}

impl HdrImage {
    /// A picture of one colour.
    ///
    /// # Errors
    /// If it has no pixels or more than [`MAX_PIXELS`].
    pub fn filled(width: u32, height: u32, colour: [f32; 3]) -> Result<Self, Error> {
        let count = check_size(width, height)?;
        Ok(Self { width, height, pixels: vec![colour; count] })
    }

    /// Reads a `.hdr` or `.exr` file, whichever the first bytes say; `name` is for messages.
    ///
    /// # Errors
    /// If it is neither, damaged, or larger than [`MAX_PIXELS`].
    pub fn read(bytes: &[u8], name: &str) -> Result<Self, Error> {
        if bytes.starts_with(b"#?") {
            return rgbe::read(bytes, name);
        }
        if bytes.starts_with(&[0x76, 0x2f, 0x31, 0x01]) {
            #[cfg(feature = "exr")]
            return openexr::read(bytes, name);
            #[cfg(not(feature = "exr"))]
            return Err(Error::file(name, "this build reads no OpenEXR; convert it to .hdr"));
        }
        Err(Error::file(name, "is neither a Radiance (.hdr) nor an OpenEXR (.exr) picture"))
    }

    /// Fails unless the pixels fit the size and are finite.
    pub(crate) fn check(&self) -> Result<(), Error> {
        let count = check_size(self.width, self.height)?;
        if self.pixels.len() != count {
            return Err(Error::Size { width: self.width, height: self.height });
        }
        Ok(())
    }
}

/// Pixels of a picture of sound size.
pub(crate) fn check_size(width: u32, height: u32) -> Result<usize, Error> {
    let pixels = u64::from(width) * u64::from(height);
    if pixels == 0 || pixels > MAX_PIXELS {
        return Err(Error::Size { width, height });
    }
    Ok(pixels as usize)
}

/// Brightness of a linear RGB colour.
pub(crate) fn luminance(c: [f32; 3]) -> f32 {
    0.2126 * c[0] + 0.7152 * c[1] + 0.0722 * c[2]
}
