//! Text on pictures: a bitmap font of three by five dots a letter.

use crate::Image;

/// Pixels of a dot of a line.
const DOT: u32 = 4;

/// The rows of a letter from the top, three bits each: one octal digit a row.
fn rows(letter: char) -> u32 {
    match letter.to_ascii_lowercase() {
        'a' => 0o25755,
        'b' => 0o65656,
        'c' => 0o34443,
        'd' => 0o65556,
        'e' => 0o74647,
        'f' => 0o74644,
        'g' => 0o34553,
        'h' => 0o55755,
        'i' => 0o72227,
        'j' => 0o11152,
        'k' => 0o55655,
        'l' => 0o44447,
        'm' => 0o57755,
        'n' => 0o65555,
        'o' => 0o25552,
        'p' => 0o65644,
        'q' => 0o25563,
        'r' => 0o65655,
        's' => 0o34216,
        't' => 0o72222,
        'u' => 0o55557,
        'v' => 0o55552,
        'w' => 0o55775,
        'x' => 0o55255,
        'y' => 0o55222,
        'z' => 0o71247,
        '0' => 0o75557,
        '1' => 0o26227,
        '2' => 0o71747,
        '3' => 0o71317,
        '4' => 0o55711,
        '5' => 0o74717,
        '6' => 0o74757,
        '7' => 0o71122,
        '8' => 0o75757,
        '9' => 0o75717,
        '-' => 0o00700,
        '.' => 0o00002,
        '/' => 0o11244,
        '%' => 0o51245,
        '+' => 0o02720,
        _ => 0,
    }
}

/// Writes a line into a picture, `line` lines from its top; what does not fit is cut off.
pub fn write(image: &mut Image, line: u32, text: &str, colour: [u8; 3]) {
    write_at(image, [3 * DOT, 3 * DOT + line * 7 * DOT], DOT, text, colour);
}

/// Writes text at a place, with dots of so many pixels; what does not fit is cut off.
pub fn write_at(image: &mut Image, [x, y]: [u32; 2], dot: u32, text: &str, colour: [u8; 3]) {
    for (k, letter) in text.chars().enumerate() {
        let left = x + k as u32 * 4 * dot;
        let bits = rows(letter);
        for cell in 0..15 {
            if bits >> (14 - cell) & 1 == 1 {
                fill(image, [left + cell % 3 * dot, y + cell / 3 * dot], [dot, dot], colour);
            }
        }
    }
}

/// How wide text is [px].
pub fn width(text: &str, dot: u32) -> u32 {
    (4 * text.chars().count() as u32).saturating_sub(1) * dot
}

/// Fills a rectangle; what is outside of the picture is cut off.
pub fn fill(image: &mut Image, [left, top]: [u32; 2], [wide, high]: [u32; 2], [r, g, b]: [u8; 3]) {
    for y in top..top + high {
        for x in (left..left + wide).filter(|x| *x < image.width) {
            let at = 4 * (y as usize * image.width as usize + x as usize);
            if let Some(pixel) = image.rgba.get_mut(at..at + 4) {
                pixel.copy_from_slice(&[r, g, b, 255]);
            }
        }
    }
}
