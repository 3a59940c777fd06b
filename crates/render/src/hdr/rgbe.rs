//! Radiance pictures: three mantissas and a common exponent for each pixel, in runs [ward1991].

use super::{HdrImage, check_size};
use crate::Error;
use std::io::Write;

/// Longest line of a header.
const MAX_LINE: usize = 4096;
/// Most lines of a header.
const MAX_LINES: usize = 1024;

/// Reads a picture; `name` is for messages.
///
/// # Errors
/// If the file is damaged, in another colour space than RGB, or larger than its bytes can fill.
pub fn read(bytes: &[u8], name: &str) -> Result<HdrImage, Error> {
    let fail = |what: &str| Err(Error::file(name, what));
    let mut rest = bytes;
    if !line(&mut rest).is_some_and(|l| l.starts_with("#?")) {
        return fail("line 1: is no Radiance picture");
    }
    let mut exposure = 1.0_f32;
    let mut count = 1;
    loop {
        count += 1;
        let Some(text) = line(&mut rest).filter(|_| count < MAX_LINES) else {
            return fail("the header has no end");
        };
        let text = text.trim_end();
        if text.is_empty() {
            break;
        }
        if let Some(format) = text.strip_prefix("FORMAT=")
            && format.trim() != "32-bit_rle_rgbe"
        {
            return fail("FORMAT must be 32-bit_rle_rgbe; XYZE pictures are not supported");
        }
        if let Some(value) = text.strip_prefix("EXPOSURE=") {
            match value.trim().parse::<f32>() {
                Ok(x) if x > 0.0 && x.is_finite() => exposure *= x,
                _ => return fail("EXPOSURE is not a positive number"),
            }
        }
    }
    let size = line(&mut rest).unwrap_or_default();
    let words: Vec<&str> = size.split_whitespace().collect();
    let ["-Y", height, "+X", width] = words[..] else {
        return fail("the size must read `-Y height +X width`; turned pictures are not supported");
    };
    let (Ok(width), Ok(height)) = (width.parse::<u32>(), height.parse::<u32>()) else {
        return fail("the size is not made of whole numbers");
    };
    // A run of equal pixels takes 2 bytes in each channel for 127 pixels, so this bounds the memory.
    let least = (u64::from(width) * u64::from(height) / 127).saturating_mul(8);
    if check_size(width, height).is_err() || least > rest.len() as u64 {
        return fail("is larger than its bytes can fill, or than toile can take");
    }
    let mut pixels = Vec::with_capacity(width as usize * height as usize);
    let mut row = vec![[0_u8; 4]; width as usize];
    for y in 0..height {
        if !scanline(&mut rest, &mut row) {
            return fail(&format!("row {y} is damaged or missing"));
        }
        pixels.extend(row.iter().map(|p| decode(*p).map(|c| c / exposure)));
    }
    Ok(HdrImage { width, height, pixels })
}

/// The next line without its end.
fn line<'a>(rest: &mut &'a [u8]) -> Option<&'a str> {
    let end = rest.iter().take(MAX_LINE).position(|b| *b == b'\n')?;
    let text = std::str::from_utf8(&rest[..end]).ok()?;
    *rest = &rest[end + 1..];
    Some(text)
}

fn take<const N: usize>(rest: &mut &[u8]) -> Option<[u8; N]> {
    let (head, tail) = rest.split_first_chunk::<N>()?;
    *rest = tail;
    Some(*head)
}

/// Reads one row; false if the bytes end or a run leaves the row.
fn scanline(rest: &mut &[u8], row: &mut [[u8; 4]]) -> bool {
    let Some(first) = rest.first_chunk::<4>() else { return false };
    let length = usize::from(first[2]) << 8 | usize::from(first[3]);
    let modern = first[0] == 2 && first[1] == 2 && length == row.len() && length < 0x8000;
    if !modern {
        return old_scanline(rest, row);
    }
    *rest = &rest[4..];
    for channel in 0..4 {
        let mut x = 0;
        while x < row.len() {
            let Some([count]) = take::<1>(rest) else { return false };
            let run = count > 128;
            let n = usize::from(if run { count - 128 } else { count });
            if n == 0 || x + n > row.len() {
                return false;
            }
            if run {
                let Some([value]) = take::<1>(rest) else { return false };
                row[x..x + n].iter_mut().for_each(|p| p[channel] = value);
            } else {
                let Some((values, tail)) = rest.split_at_checked(n) else { return false };
                row[x..x + n].iter_mut().zip(values).for_each(|(p, v)| p[channel] = *v);
                *rest = tail;
            }
            x += n;
        }
    }
    true
}

/// A row of whole pixels, where (1, 1, 1, n) repeats the last one.
fn old_scanline(rest: &mut &[u8], row: &mut [[u8; 4]]) -> bool {
    let mut x = 0;
    let mut shift = 0;
    while x < row.len() {
        let Some(pixel) = take::<4>(rest) else { return false };
        if pixel[..3] == [1, 1, 1] {
            let n = usize::from(pixel[3]) << shift;
            if x == 0 || n == 0 || n > row.len() - x || shift > 16 {
                return false;
            }
            let last = row[x - 1];
            row[x..x + n].fill(last);
            x += n;
            shift += 8;
        } else {
            row[x] = pixel;
            x += 1;
            shift = 0;
        }
    }
    true
}

fn decode([r, g, b, e]: [u8; 4]) -> [f32; 3] {
    if e == 0 {
        return [0.0; 3];
    }
    let scale = f32::from(e as i16 - 136).exp2();
    [r, g, b].map(|c| f32::from(c) * scale)
}

fn encode(c: [f32; 3]) -> [u8; 4] {
    let c = c.map(|x| if x.is_finite() { x.max(0.0) } else { 0.0 });
    let most = c.iter().fold(0.0_f32, |a, b| a.max(*b));
    if most < 1e-38 {
        return [0; 4];
    }
    // The exponent for which the largest mantissa lies in [128, 256).
    let mut exponent = most.log2().floor() as i32 + 1;
    if most * (8.0 - exponent as f32).exp2() >= 255.5 {
        exponent += 1;
    }
    let exponent = exponent.clamp(-127, 127);
    let scale = (8.0 - exponent as f32).exp2();
    let [r, g, b] = c.map(|x| (x * scale).round().min(255.0) as u8);
    [r, g, b, (exponent + 128) as u8]
}

/// Writes a picture. Colours keep eight bits, below zero becomes black.
///
/// # Errors
/// If `out` fails or the pixels do not fit the size.
pub fn write(image: &HdrImage, mut out: impl Write) -> Result<(), Error> {
    image.check()?;
    write!(out, "#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y {} +X {}\n", image.height, image.width)?;
    let width = image.width as usize;
    let modern = (8..0x8000).contains(&width);
    for row in image.pixels.chunks_exact(width) {
        let codes: Vec<[u8; 4]> = row.iter().map(|p| encode(*p)).collect();
        if !modern {
            codes.iter().try_for_each(|c| out.write_all(c))?;
            continue;
        }
        out.write_all(&[2, 2, (width >> 8) as u8, width as u8])?;
        for channel in 0..4 {
            write_runs(&mut out, &codes, channel)?;
        }
    }
    Ok(())
}

/// One channel of a row: runs of at least four equal bytes, and the rest as it is.
fn write_runs(out: &mut impl Write, codes: &[[u8; 4]], channel: usize) -> std::io::Result<()> {
    let get = |x: usize| codes[x][channel];
    let run = |x: usize| (x..codes.len().min(x + 127)).take_while(|k| get(*k) == get(x)).count();
    let mut x = 0;
    while x < codes.len() {
        let n = run(x);
        if n >= 4 {
            out.write_all(&[128 + n as u8, get(x)])?;
            x += n;
            continue;
        }
        let start = x;
        while x < codes.len() && x - start < 128 && run(x) < 4 {
            x += 1;
        }
        out.write_all(&[(x - start) as u8])?;
        let bytes: Vec<u8> = (start..x).map(get).collect();
        out.write_all(&bytes)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn picture(width: u32, height: u32) -> HdrImage {
        let pixel = |k: u32| match k % 7 {
            0..3 => [0.25, 0.5, 1.0],
            3 => [0.0; 3],
            4 => [1e4, 3.0, 0.0],
            _ => [k as f32 * 0.01; 3],
        };
        HdrImage { width, height, pixels: (0..width * height).map(|k| pixel(k / 5)).collect() }
    }

    #[test]
    fn what_is_written_is_read_to_eight_bits() {
        for (w, h) in [(1, 1), (5, 3), (40, 9), (300, 2)] {
            let image = picture(w, h);
            let mut file = Vec::new();
            write(&image, &mut file).unwrap();
            let again = read(&file, "a.hdr").unwrap();
            for (a, b) in image.pixels.iter().zip(&again.pixels) {
                let most = a.iter().fold(0.0_f32, |x, y| x.max(*y));
                for k in 0..3 {
                    assert!((a[k] - b[k]).abs() <= most / 200.0, "{a:?} {b:?}");
                }
            }
        }
    }

    #[test]
    fn a_huge_size_in_a_small_file_is_refused() {
        for size in ["-Y 60000 +X 60000", "-Y 8000 +X 8000", "-Y 0 +X 5", "-Y -1 +X 5", "+X 3 -Y 3"]
        {
            let file = format!("#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n{size}\n");
            assert!(read(file.as_bytes(), "a.hdr").unwrap_err().to_string().contains("a.hdr"));
        }
    }

    proptest! {
        #[test]
        fn damaged_files_are_errors_or_pictures(
            at in 0..4000_usize, byte in any::<u8>(), cut in 0..4000_usize,
        ) {
            let mut file = Vec::new();
            write(&picture(40, 9), &mut file).unwrap();
            let at = at % file.len();
            file[at] = byte;
            file.truncate(cut.max(1));
            if let Ok(image) = read(&file, "a.hdr") {
                prop_assert!(image.check().is_ok());
            }
        }
    }
}
