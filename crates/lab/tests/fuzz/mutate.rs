//! Changes to valid files that people, disks and other programs make, and some that nobody would.

/// Random numbers (SplitMix64): the same on every machine.
#[derive(Clone, Debug)]
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `n`, which is not zero.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }

    pub(crate) fn pick<'a, T: ?Sized>(&mut self, list: &[&'a T]) -> &'a T {
        list[self.below(list.len())]
    }
}

/// Numbers at which programs break.
const NUMBERS: [&str; 28] = [
    "0",
    "-0",
    "-1",
    "1",
    "1e-300",
    "5e-324",
    "1e-9",
    "1e-3",
    "0.5",
    "1e3",
    "1e6",
    "1e9",
    "1e30",
    "1e154",
    "1e300",
    "-1e300",
    "1.8e308",
    "nan",
    "inf",
    "-inf",
    "255",
    "65536",
    "2147483647",
    "-2147483648",
    "4294967296",
    "9223372036854775807",
    "99999999999999999999",
    "0x10",
];

/// 32-bit integers and floats at which programs break.
const WORDS: [u32; 14] = [
    0,
    1,
    2,
    0xff,
    0xffff,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_fffe,
    0xffff_ffff,
    0x7f80_0000,
    0x7fc0_0000,
    0x7f7f_ffff,
    0x0000_0001,
    0x4b00_0000,
];

/// A file with one to five changes. `others` are valid files that parts are taken from.
pub(crate) fn mutated(
    random: &mut Random,
    file: &[u8],
    others: &[Vec<u8>],
    is_text: bool,
) -> Vec<u8> {
    let mut bytes = file.to_vec();
    for _ in 0..=random.below(5) {
        if is_text && random.below(4) > 0 {
            change_text(random, &mut bytes);
        } else {
            change_bytes(random, &mut bytes, others);
        }
        // Copies of copies: what grows is cut.
        bytes.truncate(1 << 20);
    }
    bytes
}

/// A range of at most `most` bytes.
fn range(random: &mut Random, bytes: &[u8], most: usize) -> std::ops::Range<usize> {
    let start = random.below(bytes.len());
    let length = random.below(most.min(bytes.len() - start) + 1);
    start..start + length
}

fn change_bytes(random: &mut Random, bytes: &mut Vec<u8>, others: &[Vec<u8>]) {
    if bytes.is_empty() {
        bytes.extend_from_slice(&random.next().to_le_bytes());
    }
    let at = random.below(bytes.len());
    match random.below(9) {
        0 => bytes[at] ^= 1 << random.below(8),
        1 => bytes[at] = random.next() as u8,
        2 => bytes.truncate(at),
        3 => {
            let cut = range(random, bytes, 64);
            bytes.drain(cut);
        }
        4 => {
            let copy = range(random, bytes, 200);
            let copy = bytes[copy].to_vec();
            bytes.splice(at..at, copy);
        }
        5 if bytes.len() >= 4 => {
            let at = random.below(bytes.len() - 3);
            // Counts and floats are mostly at multiples of four.
            let at = if random.below(4) > 0 { at & !3 } else { at };
            let word = WORDS[random.below(WORDS.len())];
            bytes[at..at + 4].copy_from_slice(&word.to_le_bytes());
        }
        6 => {
            let other = &others[random.below(others.len())];
            if !other.is_empty() {
                let part = range(random, other, 400);
                bytes.splice(at..at, other[part].to_vec());
            }
        }
        7 => bytes.extend_from_slice(&random.next().to_le_bytes()),
        _ => {
            let zeros = range(random, bytes, 32);
            bytes[zeros].fill(0);
        }
    }
}

fn change_text(random: &mut Random, bytes: &mut Vec<u8>) {
    let text = String::from_utf8_lossy(bytes).into_owned();
    *bytes = match random.below(10) {
        0..=3 => with_number(random, &text),
        4 => with_word(random, &text),
        5 | 6 => with_line(random, &text),
        7 => {
            text.replacen(random.pick(&[",", "=", "[", "]", "{", "}", "\"", ":", "\n", "."]), "", 1)
        }
        8 => {
            let mark = random.pick(&["\u{feff}", "[", "{\"a\":", "\u{202e}", "\0", "ß", "\"", "#"]);
            let at = floor(&text, random.below(text.len() + 1));
            format!("{}{}{}", &text[..at], mark.repeat(1 + random.below(300)), &text[at..])
        }
        _ => text.replace('\n', random.pick(&["\r\n", "\r", " ", "\n\n"])),
    }
    .into_bytes();
}

fn floor(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// The places of words for which `is_part` holds of every character.
fn words(text: &str, is_part: impl Fn(char) -> bool) -> Vec<std::ops::Range<usize>> {
    let mut found = Vec::new();
    let mut start = None;
    for (i, c) in text.char_indices().chain([(text.len(), '\n')]) {
        match (is_part(c) && i < text.len(), start) {
            (true, None) => start = Some(i),
            (false, Some(from)) => {
                found.push(from..i);
                start = None;
            }
            _ => {}
        }
    }
    found
}

fn with_number(random: &mut Random, text: &str) -> String {
    let numbers = words(text, |c| c.is_ascii_digit() || matches!(c, '.' | '-' | '+' | 'e'));
    let digits = |r: &std::ops::Range<usize>| text[r.clone()].bytes().any(|b| b.is_ascii_digit());
    let numbers: Vec<_> = numbers.into_iter().filter(digits).collect();
    if numbers.is_empty() {
        return text.to_owned();
    }
    let place = numbers[random.below(numbers.len())].clone();
    let new = match random.below(4) {
        0 => format!("{}{}", &text[place.clone()], random.pick(&["e9", "0", "e-9", ".5", "e300"])),
        1 => text[numbers[random.below(numbers.len())].clone()].to_owned(),
        _ => random.pick(&NUMBERS).to_owned(),
    };
    format!("{}{new}{}", &text[..place.start], &text[place.end..])
}

fn with_word(random: &mut Random, text: &str) -> String {
    let all = words(text, |c| c.is_alphanumeric() || c == '_' || c == '-');
    if all.is_empty() {
        return text.to_owned();
    }
    let place = all[random.below(all.len())].clone();
    let other = text[all[random.below(all.len())].clone()].to_owned();
    format!("{}{other}{}", &text[..place.start], &text[place.end..])
}

fn with_line(random: &mut Random, text: &str) -> String {
    let mut lines: Vec<&str> = text.split('\n').collect();
    let (a, b) = (random.below(lines.len()), random.below(lines.len()));
    match random.below(4) {
        0 => {
            lines.remove(a);
        }
        1 => lines.insert(b, lines[a]),
        2 => lines.swap(a, b),
        _ => {
            let copies = vec![lines[a]; 1 + random.below(200)];
            lines.splice(b..b, copies);
        }
    }
    lines.join("\n")
}
