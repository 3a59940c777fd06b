//! What can go wrong with a file.

use crate::Fault;
use std::fmt;
use std::path::{Path, PathBuf};

/// Where in a file something is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Place {
    /// A line of text, counted from 1.
    Line(usize),
    /// An offset in bytes, counted from 0.
    Byte(usize),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line(line) => write!(f, ":{line}"),
            Self::Byte(byte) => write!(f, " at byte {byte}"),
        }
    }
}

/// An error of reading or writing a file. Its message names the file, the place and the remedy.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The file cannot be opened or read.
    #[error("{}: cannot read: {source}; {}", path.display(), super::source::remedy(source))]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The file cannot be written.
    #[error(
        "{}: cannot write: {source}; check that the folder exists, is writable and has space",
        path.display()
    )]
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The extension says nothing.
    #[error("{}: {}", path.display(), unknown_format(path))]
    UnknownFormat {
        /// The file.
        path: PathBuf,
    },
    /// The contents break the rules of the format.
    #[error("{name}{place}: {what}; {remedy}")]
    Malformed {
        /// The file.
        name: String,
        /// Where.
        place: Place,
        /// What is wrong.
        what: String,
        /// What to do about it.
        remedy: &'static str,
    },
    /// The file is well formed, but its mesh cannot be used.
    #[error("{name}: {fault}")]
    Invalid {
        /// The file.
        name: String,
        /// The first hard fault.
        fault: Fault,
    },
    /// The caller asked for something the file does not hold or cannot hold.
    #[error("{name}: {what}; {remedy}")]
    Unfit {
        /// The file.
        name: String,
        /// What does not fit.
        what: String,
        /// What to do about it.
        remedy: &'static str,
    },
}

/// What to do about a file whose extension is not that of a mesh.
fn unknown_format(path: &Path) -> &'static str {
    let extension = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
    match extension.as_str() {
        "gltf" => "glTF in several files is not read; export it as one binary file, .glb",
        "pc2" => "a point cache has no triangles; give a mesh that ends in .obj, .ply or .glb",
        _ => "unknown mesh format; use a name that ends in .obj, .ply or .glb",
    }
}

/// Shortens a piece of a hostile file for a message: at most 40 characters, none of them control.
pub(crate) fn excerpt(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(160)]);
    let mut short: String =
        text.chars().take(40).map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect();
    if text.chars().nth(40).is_some() {
        short.push('…');
    }
    short
}
