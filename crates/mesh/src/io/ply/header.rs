//! The text at the beginning of a PLY file.

use super::super::bytes::{Cursor, Scalar};
use super::super::error::excerpt;
use super::super::{Error, Place};

/// How the numbers behind the header are stored.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Encoding {
    Ascii,
    Little,
    Big,
}

/// The scalar type called `word`.
fn scalar_named(word: &[u8]) -> Option<Scalar> {
    Some(match word {
        b"char" | b"int8" => Scalar::I8,
        b"uchar" | b"uint8" => Scalar::U8,
        b"short" | b"int16" => Scalar::I16,
        b"ushort" | b"uint16" => Scalar::U16,
        b"int" | b"int32" => Scalar::I32,
        b"uint" | b"uint32" => Scalar::U32,
        b"float" | b"float32" => Scalar::F32,
        b"double" | b"float64" => Scalar::F64,
        _ => return None,
    })
}

pub(super) struct Property {
    pub(super) name: String,
    /// Type of the length if this is a list.
    pub(super) length: Option<Scalar>,
    pub(super) scalar: Scalar,
}

pub(super) struct Element {
    pub(super) name: String,
    pub(super) count: u64,
    pub(super) properties: Vec<Property>,
}

impl Element {
    /// The least bytes a row can take.
    pub(super) fn smallest_row(&self, encoding: Encoding) -> usize {
        let least = |p: &Property| match encoding {
            // A digit and a space.
            Encoding::Ascii => 2,
            _ => p.length.unwrap_or(p.scalar).size(),
        };
        self.properties.iter().map(least).sum()
    }
}

pub(super) struct Header {
    pub(super) encoding: Encoding,
    pub(super) elements: Vec<Element>,
}

/// Reads the header and leaves the cursor at the first byte behind it.
pub(super) fn parse_header(cursor: &mut Cursor<'_>) -> Result<Header, Error> {
    let mut line_number = 0;
    let mut encoding = None;
    let mut elements: Vec<Element> = Vec::new();
    loop {
        line_number += 1;
        let error = |what: String, remedy: &'static str| Error::Malformed {
            name: cursor.name.to_owned(),
            place: Place::Line(line_number),
            what,
            remedy,
        };
        let rest = &cursor.bytes[cursor.at..];
        let Some(end) = rest.iter().position(|b| *b == b'\n') else {
            let remedy = "it is cut off or not a PLY file: export it again";
            return Err(error("the header has no end_header".into(), remedy));
        };
        let line = rest[..end].trim_ascii();
        let words: Vec<&[u8]> =
            line.split(|b| b.is_ascii_whitespace()).filter(|w| !w.is_empty()).collect();
        let unknown = || {
            let what = format!("the header line `{}` makes no sense", excerpt(line));
            error(what, "correct it or export the file again")
        };
        let scalar = |word: &[u8]| scalar_named(word).ok_or_else(unknown);
        match words.as_slice() {
            [b"ply"] if line_number == 1 => {}
            _ if line_number == 1 => {
                let remedy = "a PLY file begins with the line `ply`; check the extension";
                return Err(error("this is not a PLY file".into(), remedy));
            }
            [b"format", b"ascii", ..] => encoding = Some(Encoding::Ascii),
            [b"format", b"binary_little_endian", ..] => encoding = Some(Encoding::Little),
            [b"format", b"binary_big_endian", ..] => encoding = Some(Encoding::Big),
            [] | [b"comment" | b"obj_info", ..] => {}
            [b"element", name, count] => {
                let count = std::str::from_utf8(count).ok().and_then(|c| c.parse().ok());
                let name = String::from_utf8_lossy(name).into_owned();
                let count = count.ok_or_else(unknown)?;
                elements.push(Element { name, count, properties: Vec::new() });
            }
            [b"property", b"list", length, kind, name] => {
                let (length, scalar) = (Some(scalar(length)?), scalar(kind)?);
                let name = String::from_utf8_lossy(name).into_owned();
                let element = elements.last_mut().ok_or_else(unknown)?;
                element.properties.push(Property { name, length, scalar });
            }
            [b"property", kind, name] => {
                let scalar = scalar(kind)?;
                let name = String::from_utf8_lossy(name).into_owned();
                let element = elements.last_mut().ok_or_else(unknown)?;
                element.properties.push(Property { name, length: None, scalar });
            }
            [b"end_header"] => {
                cursor.at += end + 1;
                let remedy = "add `format ascii 1.0` or export the file again";
                let encoding =
                    encoding.ok_or_else(|| error("the header has no format".into(), remedy))?;
                return Ok(Header { encoding, elements });
            }
            _ => return Err(unknown()),
        }
        cursor.at += end + 1;
    }
}
