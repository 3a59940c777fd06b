//! What is printed on the front of a fabric.

use super::Colour;
use crate::Error;
use glam::{Vec2, Vec3};
use serde::{Deserialize, Serialize};

/// Most pixels of a printed picture.
const MAX_PIXELS: u64 = 1 << 26;

/// What is printed on the front. Shapes are placed in material coordinates.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", tag = "kind")]
pub enum Print {
    /// Stripes.
    #[serde(rename_all = "kebab-case")]
    Stripes {
        /// Colour of the print.
        colour: Colour,
        /// Width of a stripe [mm].
        width_mm: f64,
        /// From stripe to stripe [mm].
        period_mm: f64,
        /// Angle to the grain [°]; 0 for stripes along the warp.
        #[serde(default)]
        angle_deg: f64,
    },
    /// Squares of a chequered board.
    #[serde(rename_all = "kebab-case")]
    Checks {
        /// Colour of the print.
        colour: Colour,
        /// Side of a square [mm].
        width_mm: f64,
    },
    /// Round dots on a lattice whose rows are shifted by half.
    #[serde(rename_all = "kebab-case")]
    Dots {
        /// Colour of the print.
        colour: Colour,
        /// Diameter [mm].
        width_mm: f64,
        /// From dot to dot [mm].
        period_mm: f64,
    },
    /// A picture, repeated.
    #[serde(rename_all = "kebab-case")]
    Picture {
        /// The file, a PNG, beside the fabric's.
        file: String,
        /// Width on the cloth [mm]; the height follows.
        width_mm: f64,
    },
}

impl Print {
    pub(super) fn check(&self) -> Result<(), Error> {
        let fine = |x: f64| (0.01..=100_000.0).contains(&x);
        let sound = match self {
            Self::Stripes { width_mm, period_mm, angle_deg, .. } => {
                fine(*width_mm)
                    && fine(*period_mm)
                    && width_mm <= period_mm
                    && angle_deg.is_finite()
            }
            Self::Checks { width_mm, .. } | Self::Picture { width_mm, .. } => fine(*width_mm),
            Self::Dots { width_mm, period_mm, .. } => {
                fine(*width_mm) && fine(*period_mm) && width_mm <= period_mm
            }
        };
        let what = "print: lengths must lie between 0.01 and 100000 mm, and a shape be no wider than its period";
        if sound { Ok(()) } else { Err(Error::Appearance(what.into())) }
    }

    /// Colour at material coordinates [m]; `None` where nothing is printed.
    pub(super) fn at(&self, uv: Vec2, picture: Option<&Picture>) -> Option<Vec3> {
        let mm = uv * 1000.0;
        let covered = |inside: bool, colour: &Colour| inside.then(|| colour.linear().into());
        match self {
            Self::Stripes { colour, width_mm, period_mm, angle_deg } => {
                let (s, c) = (*angle_deg as f32).to_radians().sin_cos();
                let across = (mm.x * c + mm.y * s) / *period_mm as f32;
                covered((across - across.floor()) * *period_mm as f32 <= *width_mm as f32, colour)
            }
            Self::Checks { colour, width_mm } => {
                let cell = (mm / *width_mm as f32).floor();
                covered((cell.x + cell.y).rem_euclid(2.0) < 0.5, colour)
            }
            Self::Dots { colour, width_mm, period_mm } => {
                let p = mm / *period_mm as f32;
                let row = (2.0 * p.y).floor();
                let x = p.x - 0.5 * row.rem_euclid(2.0);
                let off = Vec2::new(x - x.floor() - 0.5, 0.5 * (2.0 * p.y - row - 0.5));
                covered(off.length() * *period_mm as f32 <= 0.5 * *width_mm as f32, colour)
            }
            Self::Picture { width_mm, .. } => picture.map(|p| p.at(mm / *width_mm as f32)),
        }
    }
}

/// A printed picture in linear light.
#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    width: usize,
    height: usize,
    pixels: Vec<[f32; 3]>,
}

impl Picture {
    /// The pixels in linear display light.
    pub(crate) fn into_image(self) -> crate::hdr::HdrImage {
        let (width, height) = (self.width as u32, self.height as u32);
        crate::hdr::HdrImage { width, height, pixels: self.pixels }
    }

    /// Reads a PNG; `name` is for messages. What is transparent becomes white.
    ///
    /// # Errors
    /// If it is no PNG or larger than toile can take.
    pub fn read_png(bytes: &[u8], name: &str) -> Result<Self, Error> {
        let broken = |e: png::DecodingError| Error::file(name, format!("is no sound PNG: {e}"));
        let limits = png::Limits { bytes: 1 << 28 };
        let mut decoder = png::Decoder::new_with_limits(std::io::Cursor::new(bytes), limits);
        decoder.set_transformations(png::Transformations::normalize_to_color8());
        let mut reader = decoder.read_info().map_err(broken)?;
        let (w, h) = (reader.info().width, reader.info().height);
        let size = reader.output_buffer_size().filter(|s| *s as u64 <= 4 * MAX_PIXELS);
        let Some(size) = size.filter(|_| u64::from(w) * u64::from(h) <= MAX_PIXELS) else {
            return Err(Error::file(
                name,
                format!("{w} × {h} pixels are more than toile can take"),
            ));
        };
        // Deflate makes no file smaller than a thousandth of what was in it.
        if size / 1040 > bytes.len() {
            return Err(Error::file(name, "is larger than its bytes can fill"));
        }
        let mut buffer = vec![0; size];
        let frame = reader.next_frame(&mut buffer).map_err(broken)?;
        let channels = frame.color_type.samples();
        let pixel = |p: &[u8]| {
            let (grey, alpha) = (channels < 3, channels.is_multiple_of(2));
            let [r, g, b] = if grey { [p[0]; 3] } else { [p[0], p[1], p[2]] };
            let cover = if alpha { f32::from(p[channels - 1]) / 255.0 } else { 1.0 };
            let hex = u32::from_be_bytes([0, r, g, b]);
            crate::srgb(hex).map(|c| c * cover + 1.0 - cover)
        };
        let pixels = buffer[..frame.buffer_size()].chunks_exact(channels).map(pixel).collect();
        Ok(Self { width: w as usize, height: h as usize, pixels })
    }

    /// Colour at a point, in widths of the picture, bilinear and repeated. The first row is on top.
    fn at(&self, p: Vec2) -> Vec3 {
        let (w, h) = (self.width as f32, self.height as f32);
        let (x, y) = (p.x * w - 0.5, -p.y * w - 0.5);
        let (x0, y0) = (x.floor(), y.floor());
        let wrap = |k: f32, n: f32| k.rem_euclid(n).min(n - 1.0) as usize;
        let get = |i: f32, j: f32| Vec3::from(self.pixels[wrap(j, h) * self.width + wrap(i, w)]);
        let above = get(x0, y0).lerp(get(x0 + 1.0, y0), x - x0);
        let below = get(x0, y0 + 1.0).lerp(get(x0 + 1.0, y0 + 1.0), x - x0);
        above.lerp(below, y - y0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn share(print: &Print) -> f64 {
        let n = 500;
        let at = |k: i32| Vec2::new((k % n) as f32 + 0.5, (k / n) as f32 + 0.5) * (0.06 / n as f32);
        (0..n * n).filter(|k| print.at(at(*k), None).is_some()).count() as f64 / f64::from(n * n)
    }

    #[test]
    fn prints_cover_the_share_that_their_measures_say() {
        let colour = Colour(0xff0000);
        for angle_deg in [0.0, 90.0] {
            let print = Print::Stripes { colour, width_mm: 2.0, period_mm: 6.0, angle_deg };
            assert!((share(&print) - 1.0 / 3.0).abs() < 0.01);
        }
        assert!((share(&Print::Checks { colour, width_mm: 5.0 }) - 0.5).abs() < 0.01);
        let dots = Print::Dots { colour, width_mm: 3.0, period_mm: 6.0 };
        // Two dots in a square of the period.
        assert!((share(&dots) - 2.0 * std::f64::consts::PI * 1.5 * 1.5 / 36.0).abs() < 0.01);
    }

    #[test]
    fn a_picture_that_claims_to_be_huge_is_refused_before_memory_is_taken() {
        let mut file = Vec::new();
        crate::Image::filled(2, 2, [9; 4]).write_png(&mut file).unwrap();
        // Width and height stand behind the signature and the head of the first chunk.
        file[16..24].copy_from_slice(&[0, 15, 255, 255, 0, 15, 255, 255]);
        let crc = png_crc(&file[12..29]);
        file[29..33].copy_from_slice(&crc.to_be_bytes());
        let error = Picture::read_png(&file, "a.png").unwrap_err().to_string();
        assert!(error.contains("a.png"), "{error}");
        for cut in 0..file.len() {
            assert!(Picture::read_png(&file[..cut], "a.png").is_err());
        }
    }

    fn png_crc(bytes: &[u8]) -> u32 {
        let step = |c: u32| if c & 1 == 1 { 0xedb8_8320 ^ (c >> 1) } else { c >> 1 };
        !bytes.iter().fold(!0, |crc, b| (0..8).fold(crc ^ u32::from(*b), |c, _| step(c)))
    }

    #[test]
    fn a_picture_is_repeated_upright() {
        let mut file = Vec::new();
        let image = crate::Image {
            width: 2,
            height: 2,
            rgba: [[255, 0, 0, 255], [0, 255, 0, 255], [0, 0, 255, 255], [0, 0, 0, 0]].concat(),
        };
        image.write_png(&mut file).unwrap();
        let picture = Picture::read_png(&file, "a.png").unwrap();
        // The lower left quarter of the picture is blue, the upper left one red.
        assert!(picture.at(Vec2::new(0.25, -0.75)).z > 0.99);
        assert!(picture.at(Vec2::new(1.25, 0.75)).x > 0.99);
        assert!(picture.at(Vec2::new(0.75, 0.25)).min_element() > 0.99);
        assert!(Picture::read_png(&file[..20], "a.png").is_err());
    }
}
