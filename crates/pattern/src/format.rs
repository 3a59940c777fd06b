//! Which format a file is in, told by its content and, where that says nothing, by its name.

use crate::error::Error;
use crate::file::Options;

/// A format of pattern files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    /// The format of toile.
    Toml,
    /// JSON of toile, GarmentCode or FreeSewing.
    Json,
    /// Drawing exchange format, as AAMA and ASTM use it.
    Dxf,
    /// Outlines in scalable vector graphics.
    Svg,
    /// Known, but not read.
    Foreign(Foreign),
}

/// A format that is known but not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Foreign {
    what: &'static str,
    remedy: &'static str,
}

const TO_DXF: &str = "export it as DXF (AAMA or ASTM) from the program that made it";

/// Formats by the first bytes of a file.
const MAGIC: &[(&[u8], Foreign)] = &[
    (
        b"%PDF",
        Foreign {
            what: "a PDF",
            remedy: "get the pattern as DXF or SVG from where the PDF is from; a PDF has lines, but no pieces",
        },
    ),
    (
        b"%!PS",
        Foreign { what: "PostScript", remedy: "convert it to SVG, for example with Inkscape" },
    ),
    (b"AC10", Foreign { what: "a DWG drawing", remedy: "save it as DXF (ASCII, R12)" }),
    (
        b"AutoCAD Binary DXF",
        Foreign { what: "a binary DXF", remedy: "save it as DXF in text (ASCII, R12)" },
    ),
    (
        b"PK\x03\x04",
        Foreign {
            what: "a zip archive or a project of CLO or Marvelous Designer",
            remedy: "unpack it, or export DXF (AAMA) from the program",
        },
    ),
    (
        b"\x89PNG",
        Foreign {
            what: "a picture (PNG)",
            remedy: "trace its outlines in a drawing program, and save SVG",
        },
    ),
    (
        b"\xff\xd8\xff",
        Foreign {
            what: "a picture (JPEG)",
            remedy: "trace its outlines in a drawing program, and save SVG",
        },
    ),
    (b"\x1f\x8b", Foreign { what: "compressed with gzip", remedy: "decompress it with gunzip" }),
    (b"IN;", HPGL),
    (b"\x1b%", HPGL),
];

const HPGL: Foreign =
    Foreign { what: "a plotter file (HPGL)", remedy: "export DXF from the program that made it" };

const VALENTINA: Foreign = Foreign {
    what: "a pattern of Valentina or Seamly, whose lines are formulas",
    remedy: "open it there, make a layout or mark the pieces, and export DXF (AAMA or ASTM)",
};

/// Formats by the end of the name, for files whose content does not tell.
const NAMES: &[(&[&str], Foreign)] = &[
    (&["val", "sm2d"], VALENTINA),
    (
        &["vit", "vst", "smis", "smms"],
        Foreign { what: "measurements of Valentina or Seamly", remedy: "give the pattern, as DXF" },
    ),
    (
        &["rul"],
        Foreign {
            what: "a table of grading rules",
            remedy: "give the DXF beside it, with all sizes drawn",
        },
    ),
    (&["plt", "hpgl", "hpg"], HPGL),
    (&["zprj", "zpac"], Foreign { what: "a project of CLO or Marvelous Designer", remedy: TO_DXF }),
    (
        &["mdl", "iba", "vet", "plx", "pds", "dsn", "dsp"],
        Foreign { what: "a file of a garment CAD", remedy: TO_DXF },
    ),
    (
        &["ai", "eps", "cdr"],
        Foreign { what: "a file of a drawing program", remedy: "save it as SVG" },
    ),
    (
        &["obj", "ply", "stl", "glb", "gltf", "fbx"],
        Foreign {
            what: "a mesh, not a pattern",
            remedy: "drape it with a scene; docs/scenes.md says how",
        },
    ),
];

impl Foreign {
    /// The error that says what the file is, and what to do.
    pub(crate) fn error(self, name: &str) -> Error {
        Error::Request {
            message: format!("{name}: this looks like {}, which is not read", self.what),
            help: self.remedy.into(),
        }
    }
}

impl Format {
    /// The format of a file.
    pub(crate) fn of(bytes: &[u8], extension: &str) -> Self {
        let extension = extension.to_lowercase();
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        if let Some((_, what)) = MAGIC.iter().find(|m| bytes.starts_with(m.0)) {
            return Self::Foreign(*what);
        }
        let head = String::from_utf8_lossy(&bytes[..bytes.len().min(8192)]).into_owned();
        let start = head.trim_start();
        if start.starts_with('<') {
            return Self::of_xml(start);
        }
        if let Some((_, what)) = NAMES.iter().find(|n| n.0.contains(&extension.as_str())) {
            return Self::Foreign(*what);
        }
        match extension.as_str() {
            "toml" => return Self::Toml,
            "json" => return Self::Json,
            "dxf" => return Self::Dxf,
            "svg" => return Self::Svg,
            _ => {}
        }
        let mut lines = start.lines().map(str::trim);
        match (lines.next(), lines.next()) {
            (Some("0"), Some("SECTION")) | (Some("999"), _) => Self::Dxf,
            _ if start.starts_with('{') => Self::Json,
            _ => Self::Toml,
        }
    }

    fn of_xml(start: &str) -> Self {
        if start.contains("<svg") || start.contains(":svg") {
            return Self::Svg;
        }
        if start.contains("<pattern") || start.contains("<draw") {
            return Self::Foreign(VALENTINA);
        }
        if start.contains("<vit") || start.contains("<smis") || start.contains("<vst") {
            return Self::Foreign(NAMES[1].1);
        }
        if start.to_lowercase().contains("<html") {
            let remedy = "download the file itself, not the page about it";
            return Self::Foreign(Foreign { what: "a page of the web", remedy });
        }
        // Not told by its beginning: the reader of SVG says what it is.
        Self::Svg
    }

    /// Text of a DXF file, which may be in an encoding older than UTF-8; only names are not plain letters.
    pub(crate) fn decode_dxf(bytes: Vec<u8>) -> String {
        match String::from_utf8(bytes) {
            Ok(text) => text,
            Err(e) => e.into_bytes().iter().map(|b| char::from(*b)).collect(),
        }
    }

    /// Refuses a choice that the format does not have.
    pub(crate) fn refuse_options(self, options: &Options, name: &str) -> Result<(), Error> {
        let refuse = |what: &str, help: &str| {
            Err(Error::Request {
                message: format!("{name}: a {what} was given, but the file has its own"),
                help: help.into(),
            })
        };
        match self {
            Self::Dxf | Self::Foreign(_) => Ok(()),
            _ if options.size.is_some() => {
                refuse("size", "omit --size; only a DXF has several sizes")
            }
            Self::Svg => Ok(()),
            _ if options.unit.is_some() => refuse("unit", "omit --unit"),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_told_by_their_content() {
        let toml = b"name = \"a\"\n";
        for (bytes, extension, wanted) in [
            (&toml[..], "toml", Format::Toml),
            (toml, "", Format::Toml),
            (b"{}", "txt", Format::Json),
            (b"  0\r\nSECTION\r\n", "txt", Format::Dxf),
            (b"999\ndxfrw\n0\nSECTION\n", "", Format::Dxf),
            (b"\xef\xbb\xbf<?xml version=\"1.0\"?>\n<svg>", "toml", Format::Svg),
        ] {
            assert_eq!(Format::of(bytes, extension), wanted);
        }
    }

    #[test]
    fn what_is_not_read_is_named() {
        for (bytes, extension, word) in [
            (&b"%PDF-1.4"[..], "toml", "PDF"),
            (b"<?xml version=\"1.0\"?>\n<pattern><version>0.8</version>", "val", "Valentina"),
            (b"0", "sm2d", "Seamly"),
            (b"PK\x03\x04..", "zprj", "CLO"),
            (b"AC1015", "dwg", "DWG"),
            (b"IN;SP1;", "x", "HPGL"),
        ] {
            let Format::Foreign(what) = Format::of(bytes, extension) else { panic!("{word}") };
            let error = what.error("f");
            assert!(error.to_string().contains(word), "{error}");
            assert!(!error.help().is_empty());
        }
    }
}
