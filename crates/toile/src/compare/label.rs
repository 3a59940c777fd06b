//! Names on pictures: letters of three by five dots.

use toile_render::Image;

/// Pixels of a dot.
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
        _ => 0,
    }
}

/// Writes a line into a picture, `line` lines from its top; what does not fit is cut off.
pub(super) fn write(image: &mut Image, line: u32, text: &str, colour: [u8; 3]) {
    let top = 3 * DOT + line * 7 * DOT;
    for (k, letter) in text.chars().enumerate() {
        let left = 3 * DOT + k as u32 * 4 * DOT;
        let bits = rows(letter);
        for dot in 0..15 {
            if bits >> (14 - dot) & 1 == 1 {
                fill(image, left + dot % 3 * DOT, top + dot / 3 * DOT, colour);
            }
        }
    }
}

fn fill(image: &mut Image, left: u32, top: u32, [r, g, b]: [u8; 3]) {
    for y in top..top + DOT {
        for x in (left..left + DOT).filter(|x| *x < image.width) {
            let at = 4 * (y as usize * image.width as usize + x as usize);
            if let Some(pixel) = image.rgba.get_mut(at..at + 4) {
                pixel.copy_from_slice(&[r, g, b, 255]);
            }
        }
    }
}
