//! Finished pictures: PNG and contact sheets.

use crate::Error;
use std::io::Write;

/// A picture of 8-bit sRGB with alpha, row by row from the top left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// Width [px].
    pub width: u32,
    /// Height [px].
    pub height: u32,
    /// Four bytes for each pixel.
    pub rgba: Vec<u8>,
}

impl Image {
    /// A picture of one colour.
    pub fn filled(width: u32, height: u32, colour: [u8; 4]) -> Self {
        Self { width, height, rgba: colour.repeat(width as usize * height as usize) }
    }

    /// The pixel at (`x`, `y`), counted from the top left; `None` outside.
    pub fn pixel(&self, x: u32, y: u32) -> Option<[u8; 4]> {
        if x >= self.width || y >= self.height {
            return None;
        }
        let at = 4 * (y as usize * self.width as usize + x as usize);
        self.rgba.get(at..at + 4)?.try_into().ok()
    }

    /// The colours without alpha, three bytes for each pixel.
    pub(crate) fn rgb(&self) -> Vec<u8> {
        self.rgba.chunks_exact(4).flat_map(|p| [p[0], p[1], p[2]]).collect()
    }

    /// Whether every pixel is there and opaque.
    pub(crate) fn is_opaque(&self) -> bool {
        self.rgba.chunks_exact(4).all(|p| p[3] == 255)
    }

    /// Fails unless the buffer holds as many pixels as the size says.
    pub(crate) fn check(&self) -> Result<(), Error> {
        let pixels = u64::from(self.width) * u64::from(self.height);
        if pixels == 0 || self.rgba.len() as u64 != 4 * pixels {
            return Err(Error::Size { width: self.width, height: self.height });
        }
        Ok(())
    }

    /// Fails unless the picture is sound and of the size of the pictures before.
    pub(crate) fn check_size(&self, expected: (u32, u32)) -> Result<(), Error> {
        self.check()?;
        let found = (self.width, self.height);
        if found == expected { Ok(()) } else { Err(Error::FrameSize { expected, found }) }
    }

    /// Writes the picture as PNG.
    ///
    /// # Errors
    /// If `out` fails or the buffer does not fit the size.
    pub fn write_png(&self, out: impl Write) -> Result<(), Error> {
        self.check()?;
        let mut encoder = png::Encoder::new(out, self.width, self.height);
        encoder.set_depth(png::BitDepth::Eight);
        // The highest takes thrice the time for a twentieth of the size.
        encoder.set_compression(png::Compression::Balanced);
        encoder.set_source_srgb(png::SrgbRenderingIntent::Perceptual);
        let opaque = self.is_opaque();
        encoder.set_color(if opaque { png::ColorType::Rgb } else { png::ColorType::Rgba });
        let mut writer = encoder.write_header()?;
        if opaque {
            writer.write_image_data(&self.rgb())?;
        } else {
            writer.write_image_data(&self.rgba)?;
        }
        writer.finish()?;
        Ok(())
    }

    /// Puts pictures of equal size in rows of `columns`, with small gaps between them.
    ///
    /// # Errors
    /// If there are no pictures, sizes differ, or the sheet would be too large.
    pub fn contact_sheet(images: &[Self], columns: usize) -> Result<Self, Error> {
        let first = images.first().ok_or(Error::Size { width: 0, height: 0 })?;
        for image in images {
            image.check_size((first.width, first.height))?;
        }
        let columns = columns.clamp(1, images.len());
        let rows = images.len().div_ceil(columns);
        let gap = u64::from((first.width.min(first.height) / 80).max(2));
        let side = |tile: u32, count: usize| (u64::from(tile) + gap) * count as u64 - gap;
        let (width, height) = (side(first.width, columns), side(first.height, rows));
        let size = |x: u64| u32::try_from(x).unwrap_or(u32::MAX);
        if width.saturating_mul(height) > crate::MAX_PIXELS {
            return Err(Error::Size { width: size(width), height: size(height) });
        }
        let mut sheet = Self::filled(size(width), size(height), [255; 4]);
        for (i, image) in images.iter().enumerate() {
            let left = (i % columns) * (first.width as usize + gap as usize);
            let top = (i / columns) * (first.height as usize + gap as usize);
            let tile_row = 4 * first.width as usize;
            for (y, row) in image.rgba.chunks_exact(tile_row).enumerate() {
                let at = 4 * ((top + y) * width as usize + left);
                sheet.rgba[at..at + tile_row].copy_from_slice(row);
            }
        }
        Ok(sheet)
    }
}
