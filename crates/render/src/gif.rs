//! Animated GIF: 255 colours for the whole animation, so that nothing flickers.

pub use crate::colours::Colours;
use crate::frame::{Rect, changed};
use crate::{Error, Image};
use ::gif::{DisposalMethod, Encoder, Frame, Repeat};
use std::io::Write;

/// Writes frames one by one; each stores only what changed.
pub struct Writer<W: Write> {
    out: Encoder<W>,
    colours: Colours,
    last: Option<Vec<u8>>,
    size: (u32, u32),
    /// Frames per second.
    fps: u16,
    written: u32,
}

impl<W: Write> Writer<W> {
    /// An endless animation at `fps` frames per second, at most 50, in the given colours.
    ///
    /// # Errors
    /// If the size is 0 or above 65535, or `out` fails.
    pub fn new(out: W, width: u32, height: u32, fps: u16, colours: Colours) -> Result<Self, Error> {
        let side = |x: u32| u16::try_from(x).ok().filter(|x| *x > 0);
        let (Some(w), Some(h)) = (side(width), side(height)) else {
            return Err(Error::Size { width, height });
        };
        let mut palette = colours.to_bytes();
        // A full table, so that the index of "unchanged" exists.
        palette.resize(3 * 256, 0);
        let mut out = Encoder::new(out, w, h, &palette)?;
        out.set_repeat(Repeat::Infinite)?;
        let fps = fps.clamp(1, 50);
        Ok(Self { out, colours, last: None, size: (width, height), fps, written: 0 })
    }

    /// Appends a frame. Alpha is ignored.
    ///
    /// # Errors
    /// If the frame has another size or `out` fails.
    pub fn write_frame(&mut self, image: &Image) -> Result<(), Error> {
        image.check_size(self.size)?;
        let index = self.colours.index(image);
        let (rect, buffer): (Rect, Vec<u8>) = match &self.last {
            None => (Rect::whole(self.size), index.clone()),
            Some(last) => {
                let rect = changed(self.size, |i| last[i] == index[i]);
                let pixel = |i: usize| if last[i] == index[i] { UNCHANGED } else { index[i] };
                (rect, rect.indices(self.size.0).map(pixel).collect())
            }
        };
        // Sizes fit: the constructor has checked the whole picture.
        let frame = Frame {
            delay: self.delay(),
            dispose: DisposalMethod::Keep,
            transparent: Some(UNCHANGED),
            left: rect.left as u16,
            top: rect.top as u16,
            width: rect.width as u16,
            height: rect.height as u16,
            buffer: buffer.into(),
            ..Frame::default()
        };
        self.out.write_frame(&frame)?;
        self.last = Some(index);
        self.written += 1;
        Ok(())
    }

    /// Hundredths of a second until the next frame; rounded so that errors do not add up.
    fn delay(&self) -> u16 {
        let at = |frame: u64| (frame * 100 + u64::from(self.fps) / 2) / u64::from(self.fps);
        let frame = u64::from(self.written);
        (at(frame + 1) - at(frame)) as u16
    }

    /// Ends the file and returns `out`.
    ///
    /// # Errors
    /// If there were no frames or `out` fails.
    pub fn finish(self) -> Result<W, Error> {
        if self.written == 0 {
            return Err(Error::FrameCount { expected: 1, found: 0 });
        }
        Ok(self.out.into_inner()?)
    }
}

/// The index that leaves a pixel as it was.
const UNCHANGED: u8 = 255;
