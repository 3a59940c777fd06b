//! Patterns in DXF as AAMA and ASTM D6673 describe it, which garment CAD programs exchange.
//!
//! A piece is a block; what a line means is told by the number of its layer:
//!
//! | layer | what | here |
//! | --- | --- | --- |
//! | 1 | boundary of the piece | cut line; the sewing line if there is no other |
//! | 2, 3 | turn points, curve points | tell corners from curves |
//! | 4, 80–83 | notches | notches |
//! | 6 | mirror line | the piece is unfolded there |
//! | 7 | grain | grain |
//! | 8 | internal lines | lines; a closed one along the boundary is the sewing line (Valentina) |
//! | 11 | cut-outs | holes |
//! | 13 | drill holes | not used |
//! | 14 | sewing lines | the sewing line |
//! | 1, 15 | text | name, size, quantity, units |
//! | 5, 9, 10, 84–87 | grading, stripes, lines for quality control | not used |
//!
//! Texts are `KEY: VALUE`: of the drawing `UNITS`, `SAMPLE SIZE` and `STYLE NAME`, of a piece `PIECE NAME`, `SIZE`, `QUANTITY`
//! and `MATERIAL`. A piece that is there in several sizes is read in one of them. The format has no seams.

mod block;
mod drawing;
mod groups;
mod write;

pub use write::{Graded, to_dxf};

use crate::error::Error;
use crate::file::{Unit, refuse_if_many};
use crate::import::unique;
use crate::pattern::Pattern;
use block::{Block, texts};
use drawing::Drawing;

/// What a drawing does not tell.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// The size, if the drawing has several; the sample size if not given.
    pub size: Option<String>,
    /// The unit, if not that of the drawing.
    pub unit: Option<Unit>,
}

/// Largest extent of the largest piece for which a unit is believed [m].
const PLAUSIBLE: [f64; 2] = [0.12, 6.0];

/// Reads a pattern from DXF; `name` is for messages.
///
/// # Errors
/// If it is no DXF, or has no piece with an outline.
pub fn from_dxf(text: &str, name: &str, options: &Options) -> Result<Pattern, Error> {
    let parse = |message: String| Error::Parse { name: name.into(), message };
    let drawing = Drawing::read(text).map_err(parse)?;
    let blocks = block::blocks(&drawing).map_err(parse)?;
    if blocks.is_empty() {
        return Err(parse(
            "it has no piece: no block and no closed line on layer 1, as AAMA and ASTM have".into(),
        ));
    }
    refuse_if_many(name, blocks.len(), 0)?;
    let (blocks, size) = of_size(blocks, &drawing, options).map_err(parse)?;
    let (unit, known) = unit(&blocks, &drawing, options).map_err(parse)?;
    let title = texts(&drawing.entities, "STYLE NAME").unwrap_or_default();
    let mut pattern = Pattern::new(title);
    pattern.description = describe(size.as_deref(), unit, known);
    let mut skipped = Vec::new();
    for block in &blocks {
        let place = format!("piece `{}`", block.name);
        let bad = |message| Error::Content { name: name.into(), place: place.clone(), message };
        match block.piece(unit.metres()).map_err(bad)? {
            Some(piece) => pattern.panels.extend(piece.panels().map_err(bad)?),
            None => skipped.push(block.name.clone()),
        }
    }
    if pattern.panels.is_empty() {
        return Err(parse(format!(
            "no piece has a closed outline on layer 1: {}",
            skipped.join(", ")
        )));
    }
    refuse_if_many(name, pattern.panels.len(), 0)?;
    unique(&mut pattern.panels);
    Ok(pattern)
}

/// All sizes that a drawing has, in its order.
///
/// # Errors
/// If it is no DXF.
pub fn sizes(text: &str, name: &str) -> Result<Vec<String>, Error> {
    let parse = |message: String| Error::Parse { name: name.into(), message };
    let drawing = Drawing::read(text).map_err(parse)?;
    let blocks = block::blocks(&drawing).map_err(parse)?;
    Ok(all_sizes(&blocks))
}

fn all_sizes(blocks: &[Block<'_>]) -> Vec<String> {
    let mut sizes: Vec<String> = Vec::new();
    for size in blocks.iter().filter_map(|b| b.size.as_ref()) {
        if !sizes.contains(size) {
            sizes.push(size.clone());
        }
    }
    sizes
}

/// The blocks of one size, and those that have none.
fn of_size<'a>(
    blocks: Vec<Block<'a>>,
    drawing: &Drawing,
    options: &Options,
) -> Result<(Vec<Block<'a>>, Option<String>), String> {
    let sizes = all_sizes(&blocks);
    let same = |a: &str, b: &str| a.trim().eq_ignore_ascii_case(b.trim());
    let wanted = match &options.size {
        Some(asked) => match sizes.iter().find(|s| same(s, asked)) {
            Some(size) => Some(size.clone()),
            None if sizes.is_empty() => {
                return Err(format!("size {asked} was asked for, but its pieces have no sizes"));
            }
            None => {
                return Err(format!("there is no size {asked}; there are {}", sizes.join(", ")));
            }
        },
        None if sizes.len() < 2 => None,
        None => {
            let sample = texts(&drawing.entities, "SAMPLE SIZE").unwrap_or_default();
            let found = sizes.iter().find(|s| same(s, &sample)).cloned();
            Some(found.ok_or_else(|| {
                format!("it has the sizes {}; choose one with --size", sizes.join(", "))
            })?)
        }
    };
    let Some(wanted) = wanted else { return Ok((blocks, sizes.first().cloned())) };
    let of = |b: &Block<'_>| b.size.as_ref().is_none_or(|s| same(s, &wanted));
    Ok((blocks.into_iter().filter(of).collect(), Some(wanted)))
}

/// The unit of the drawing, and whether it says so.
fn unit(
    blocks: &[Block<'_>],
    drawing: &Drawing,
    options: &Options,
) -> Result<(Unit, bool), String> {
    if let Some(unit) = options.unit {
        return Ok((unit, true));
    }
    let mut all = drawing.entities.iter().chain(blocks.iter().flat_map(|b| b.entities.iter()));
    let stated = all.find_map(|e| block::value(e, "UNITS")).map(|u| u.to_uppercase());
    match stated.as_deref() {
        Some("METRIC") | Some("MM") => return Ok((Unit::Mm, true)),
        Some("CM") => return Ok((Unit::Cm, true)),
        Some("ENGLISH") | Some("INCH") | Some("INCHES") => return Ok((Unit::In, true)),
        _ => {}
    }
    match drawing.insunits {
        Some(1) => return Ok((Unit::In, true)),
        Some(4) => return Ok((Unit::Mm, true)),
        Some(5) => return Ok((Unit::Cm, true)),
        Some(6) => return Ok((Unit::M, true)),
        _ => {}
    }
    let largest = blocks.iter().map(Block::extent).fold(0.0, f64::max);
    let fits = |u: &Unit| (PLAUSIBLE[0]..PLAUSIBLE[1]).contains(&(largest * u.metres()));
    let unit = [Unit::Mm, Unit::Cm].into_iter().find(fits);
    unit.map(|u| (u, false)).ok_or_else(|| {
        format!(
            "it does not say its unit, and {largest} is no size in mm or cm; give it with --unit"
        )
    })
}

fn describe(size: Option<&str>, unit: Unit, known: bool) -> String {
    let size = size.map(|s| format!(", size {s}")).unwrap_or_default();
    let unit = if known {
        String::new()
    } else {
        format!(" Its unit is not stated and taken for {}.", unit.name())
    };
    format!("Imported from DXF{size}.{unit}")
}
