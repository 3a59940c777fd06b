//! Animated PNG: all colours, larger files than GIF.

use crate::frame::{Rect, changed};
use crate::{Error, Image};
use std::io::Write;

/// Writes frames one by one; each stores only the rectangle that changed.
pub struct Writer<W: Write> {
    out: png::Writer<W>,
    last: Option<Image>,
    size: (u32, u32),
    frames: u32,
    written: u32,
}

impl<W: Write> Writer<W> {
    /// An endless animation of exactly `frames` frames at `fps` frames per second.
    ///
    /// # Errors
    /// If there are no pixels or no frames, or `out` fails.
    pub fn new(out: W, width: u32, height: u32, frames: u32, fps: u16) -> Result<Self, Error> {
        if width == 0 || height == 0 {
            return Err(Error::Size { width, height });
        }
        if frames == 0 {
            return Err(Error::FrameCount { expected: 0, found: 0 });
        }
        let mut encoder = png::Encoder::new(out, width, height);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_compression(png::Compression::High);
        encoder.set_source_srgb(png::SrgbRenderingIntent::Perceptual);
        encoder.set_animated(frames, 0)?;
        encoder.set_frame_delay(1, fps.max(1))?;
        let out = encoder.write_header()?;
        Ok(Self { out, last: None, size: (width, height), frames, written: 0 })
    }

    /// Appends a frame. Alpha is ignored.
    ///
    /// # Errors
    /// If the frame has another size, is one too many, or `out` fails.
    pub fn write_frame(&mut self, image: Image) -> Result<(), Error> {
        image.check_size(self.size)?;
        if self.written == self.frames {
            return Err(Error::FrameCount { expected: self.frames, found: self.frames + 1 });
        }
        let whole = Rect::whole(self.size);
        let rect = match &self.last {
            None => whole,
            Some(last) => {
                let same = |i: usize| last.rgba[4 * i..4 * i + 3] == image.rgba[4 * i..4 * i + 3];
                let rect = changed(self.size, same);
                // Shrink first: position and size are checked against each other.
                self.out.reset_frame_position()?;
                self.out.set_frame_dimension(rect.width, rect.height)?;
                self.out.set_frame_position(rect.left, rect.top)?;
                rect
            }
        };
        let mut pixels = Vec::with_capacity(3 * rect.width as usize * rect.height as usize);
        for i in rect.indices(self.size.0) {
            pixels.extend_from_slice(&image.rgba[4 * i..4 * i + 3]);
        }
        self.out.write_image_data(&pixels)?;
        self.last = Some(image);
        self.written += 1;
        Ok(())
    }

    /// Ends the file.
    ///
    /// # Errors
    /// If frames are missing or `out` fails.
    pub fn finish(self) -> Result<(), Error> {
        if self.written != self.frames {
            return Err(Error::FrameCount { expected: self.frames, found: self.written });
        }
        self.out.finish()?;
        Ok(())
    }
}
