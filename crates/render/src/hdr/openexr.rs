//! OpenEXR pictures, by the crate `exr`: RGB in, any channels out.

use super::{HdrImage, check_size};
use crate::Error;
use exr::prelude::*;
use std::io::{Cursor, Write};

/// Most channels of a file that is read; each costs memory.
const MAX_CHANNELS: usize = 64;

/// Reads the first layer that has R, G and B.
///
/// # Errors
/// If the file is damaged, has no such layer, or is larger than toile can take.
pub fn read(bytes: &[u8], name: &str) -> std::result::Result<HdrImage, Error> {
    let fail = |what: String| Error::file(name, what);
    let broken = |e: exr::error::Error| fail(format!("is no sound OpenEXR picture: {e}"));
    // The sizes are checked before anything is allocated for them.
    let meta = MetaData::read_from_buffered(Cursor::new(bytes), false).map_err(broken)?;
    for header in &meta.headers {
        let (w, h) = (header.layer_size.width(), header.layer_size.height());
        let side = |x: usize| u32::try_from(x).unwrap_or(u32::MAX);
        let small = check_size(side(w), side(h)).is_ok();
        if !small || header.channels.list.len() > MAX_CHANNELS {
            return Err(fail(format!("{w} × {h} pixels are more than toile can take")));
        }
        // No compression of OpenEXR makes less than a thousandth of the pixels.
        if w.saturating_mul(h) / 1000 > bytes.len() {
            return Err(fail("is larger than its bytes can fill".into()));
        }
    }
    let image = exr::prelude::read()
        .no_deep_data()
        .largest_resolution_level()
        .rgb_channels(
            |size, _| (size.width(), vec![[0.0_f32; 3]; size.area()]),
            |(width, pixels): &mut (usize, Vec<[f32; 3]>), at, (r, g, b): (f32, f32, f32)| {
                pixels[at.y() * *width + at.x()] = [r, g, b];
            },
        )
        .first_valid_layer()
        .all_attributes()
        .non_parallel()
        .from_buffered(Cursor::new(bytes))
        .map_err(broken)?;
    let size = image.layer_data.size;
    let (_, pixels) = image.layer_data.channel_data.pixels;
    Ok(HdrImage { width: size.width() as u32, height: size.height() as u32, pixels })
}

/// A channel of a file: its name, such as `R` or `normal.X`, and a number for each pixel.
#[derive(Clone, Debug, PartialEq)]
pub struct Channel {
    /// Its name.
    pub name: String,
    /// Row by row from the top left.
    pub values: Vec<f32>,
}

/// Writes channels of 32-bit floats, compressed without loss.
///
/// # Errors
/// If `out` fails, or a channel does not fit the size.
pub fn write(
    width: u32,
    height: u32,
    channels: Vec<Channel>,
    mut out: impl Write,
) -> std::result::Result<(), Error> {
    let count = check_size(width, height)?;
    if channels.is_empty() || channels.iter().any(|c| c.values.len() != count) {
        return Err(Error::Size { width, height });
    }
    let list = channels
        .into_iter()
        .map(|c| AnyChannel::new(c.name.as_str(), FlatSamples::F32(c.values)))
        .collect();
    let encoding = Encoding {
        compression: Compression::ZIP16,
        blocks: Blocks::ScanLines,
        line_order: LineOrder::Increasing,
    };
    let size = (width as usize, height as usize);
    let layer = Layer::new(size, LayerAttributes::default(), encoding, AnyChannels::sort(list));
    let mut file = Cursor::new(Vec::new());
    let written = Image::from_layer(layer).write().non_parallel().to_buffered(&mut file);
    written.map_err(|e| Error::file("OpenEXR", e.to_string()))?;
    out.write_all(&file.into_inner())?;
    Ok(())
}

/// The channels R, G and B of a picture.
pub fn colour(image: &HdrImage) -> Vec<Channel> {
    let pick = |k: usize| image.pixels.iter().map(|p| p[k]).collect();
    ["R", "G", "B"]
        .into_iter()
        .enumerate()
        .map(|(k, name)| Channel { name: name.into(), values: pick(k) })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn picture() -> HdrImage {
        let pixel = |k: u32| [k as f32 * 0.1, 1.0 / (1 + k) as f32, 1e5];
        HdrImage { width: 9, height: 5, pixels: (0..45).map(pixel).collect() }
    }

    fn file() -> Vec<u8> {
        let mut file = Vec::new();
        write(9, 5, colour(&picture()), &mut file).unwrap();
        file
    }

    #[test]
    fn what_is_written_is_read_bit_for_bit() {
        assert_eq!(HdrImage::read(&file(), "a.exr").unwrap(), picture());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1500))]
        #[test]
        fn damaged_files_are_errors_or_pictures(
            at in 0..4000_usize, byte in any::<u8>(), cut in 200..4000_usize,
        ) {
            let mut file = file();
            let at = 4 + at % (file.len() - 4);
            file[at] = byte;
            file.truncate(cut);
            if let Ok(image) = HdrImage::read(&file, "a.exr") {
                prop_assert!(image.check().is_ok());
            }
        }
    }
}
