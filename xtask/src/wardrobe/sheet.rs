//! The front views of all garments of a wardrobe in one picture.

use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

/// Views in the picture of a garment, beside each other; the first is that of the front.
const VIEWS: usize = 4;
/// Garments in a row of the sheet.
const COLUMNS: usize = 6;
/// Size of a garment in the sheet [px].
const TILE: [usize; 2] = [240, 320];
/// The largest picture that is read [bytes].
const MAX_BYTES: usize = 1 << 28;

/// A picture of 8-bit colours, row by row.
#[derive(Clone, Debug, PartialEq)]
struct Picture {
    size: [usize; 2],
    rgb: Vec<[u8; 3]>,
}

impl Picture {
    fn white(size: [usize; 2]) -> Self {
        Self { size, rgb: vec![[255; 3]; size[0] * size[1]] }
    }

    fn read(path: &Path) -> Result<Self, String> {
        let say = |e: &dyn std::fmt::Display| format!("{}: {e}", path.display());
        let file = BufReader::new(File::open(path).map_err(|e| say(&e))?);
        let limits = png::Limits { bytes: MAX_BYTES };
        let mut decoder = png::Decoder::new_with_limits(file, limits);
        decoder.set_transformations(png::Transformations::normalize_to_color8());
        let mut reader = decoder.read_info().map_err(|e| say(&e))?;
        let bytes = reader.output_buffer_size().ok_or_else(|| say(&"it is too large"))?;
        let mut buffer = vec![0; bytes];
        let info = reader.next_frame(&mut buffer).map_err(|e| say(&e))?;
        let channels = info.color_type.samples();
        let [red, green, blue] = if channels < 3 { [0; 3] } else { [0, 1, 2] };
        let pixels = buffer[..info.buffer_size()].chunks_exact(channels);
        let rgb = pixels.map(|p| [p[red], p[green], p[blue]]).collect();
        Ok(Self { size: [info.width as usize, info.height as usize], rgb })
    }

    /// The first of the views.
    fn front(&self) -> Self {
        let [width, height] = [self.size[0].div_ceil(VIEWS), self.size[1]];
        let rows = self.rgb.chunks_exact(self.size[0]);
        Self { size: [width, height], rgb: rows.flat_map(|r| &r[..width]).copied().collect() }
    }

    /// As large as fits into a tile, at its foot: each pixel the mean of what it covers.
    fn tile(&self) -> Self {
        let [width, height] = self.size;
        let scale = f64::max(width as f64 / TILE[0] as f64, height as f64 / TILE[1] as f64);
        let [w, h] = self.size.map(|n| ((n as f64 / scale) as usize).max(1));
        let (left, top) = ((TILE[0] - w) / 2, TILE[1] - h);
        let mut tile = Self::white(TILE);
        let range = |k: usize, from: usize, to: usize| {
            let begin = k * from / to;
            begin..((k + 1) * from / to).max(begin + 1)
        };
        for y in 0..h {
            for x in 0..w {
                let (rows, columns) = (range(y, height, h), range(x, width, w));
                let count = rows.len() * columns.len();
                let covered = rows.flat_map(|r| columns.clone().map(move |c| r * width + c));
                let sum = covered.fold([0_usize; 3], |sum, at| {
                    std::array::from_fn(|k| sum[k] + usize::from(self.rgb[at][k]))
                });
                tile.rgb[(top + y) * TILE[0] + left + x] = sum.map(|s| (s / count) as u8);
            }
        }
        tile
    }

    fn write(&self, path: &Path) -> Result<(), String> {
        let say = |e: &dyn std::fmt::Display| format!("{}: {e}", path.display());
        let file = File::create(path).map_err(|e| say(&e))?;
        let mut encoder = png::Encoder::new(file, self.size[0] as u32, self.size[1] as u32);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        let mut writer = encoder.write_header().map_err(|e| say(&e))?;
        writer.write_image_data(self.rgb.as_flattened()).map_err(|e| say(&e))
    }
}

/// Writes the sheet of the pictures that there are.
pub(super) fn write(path: &Path, pictures: &[PathBuf]) -> Result<(), String> {
    let there = pictures.iter().filter(|p| p.exists());
    let tiles: Vec<Picture> =
        there.map(|p| Ok(Picture::read(p)?.front().tile())).collect::<Result<_, String>>()?;
    if tiles.is_empty() {
        return Ok(());
    }
    sheet(&tiles).write(path)
}

fn sheet(tiles: &[Picture]) -> Picture {
    let rows = tiles.len().div_ceil(COLUMNS);
    let mut sheet = Picture::white([COLUMNS * TILE[0], rows * TILE[1]]);
    for (i, tile) in tiles.iter().enumerate() {
        let (left, top) = (i % COLUMNS * TILE[0], i / COLUMNS * TILE[1]);
        for (y, row) in tile.rgb.chunks_exact(TILE[0]).enumerate() {
            let at = (top + y) * sheet.size[0] + left;
            sheet.rgb[at..at + TILE[0]].copy_from_slice(row);
        }
    }
    sheet
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sheet_has_the_mean_colours_of_the_first_views_in_their_order() {
        let folder = tempfile::tempdir().expect("a folder");
        let paths: Vec<PathBuf> = (0..8).map(|k| folder.path().join(format!("{k}.png"))).collect();
        for (k, path) in paths.iter().enumerate().filter(|(k, _)| *k != 3) {
            // The front is black and of one colour in turns, the other views are red.
            let size = [4 * 480, 640];
            let shade = |x: usize| if x.is_multiple_of(2) { [0; 3] } else { [20 * k as u8; 3] };
            let column = |x: usize| if x < 480 { shade(x) } else { [255, 0, 0] };
            let rgb = (0..size[0] * size[1]).map(|i| column(i % size[0])).collect();
            Picture { size, rgb }.write(path).expect("written");
        }
        let out = folder.path().join("sheet.png");
        write(&out, &paths).expect("a sheet");
        let sheet = Picture::read(&out).expect("a picture");
        assert_eq!(sheet.size, [6 * 240, 2 * 320]);
        let at = |x: usize, y: usize| sheet.rgb[y * sheet.size[0] + x];
        assert_eq!((at(5, 5), at(240 + 5, 5)), ([0; 3], [10; 3]));
        assert_eq!(at(3 * 240 + 5, 5), [40; 3], "one that is not there is left out");
        assert_eq!((at(5, 320 + 300), at(500, 320 + 300)), ([70; 3], [255; 3]));
        assert!(write(&out, &[folder.path().to_owned()]).is_err(), "no picture");
    }
}
