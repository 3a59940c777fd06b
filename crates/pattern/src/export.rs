//! Patterns for people and other programs: printed in true scale, and as files.
//!
//! [`pdf`] tiles the pieces to pages that are glued together, with cut lines, sewing lines, notches, grain, labels and a test
//! square; [`svg`] writes the same on one sheet. Several sizes lie on each other, each with its own line.
//! [`garmentcode`] writes a specification of GarmentCode, [`crate::dxf::to_dxf`] DXF.

pub mod garmentcode;
mod page;
pub mod pdf;
mod sheet;
pub mod svg;

pub use crate::dxf::Graded;

use crate::pattern::Pattern;

/// What may be chosen about a print.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// Pages of a tiled print.
    pub paper: Paper,
    /// Width of the seam allowance of panels that have none [m].
    pub allowance: f64,
}

impl Default for Options {
    fn default() -> Self {
        Self { paper: Paper::A4, allowance: 0.0 }
    }
}

/// A size of paper.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Paper {
    /// 210 × 297 mm.
    #[default]
    A4,
    /// 8.5 × 11 inches.
    Letter,
}

impl Paper {
    /// Width and height [mm].
    pub fn size(self) -> [f64; 2] {
        match self {
            Self::A4 => [210.0, 297.0],
            Self::Letter => [215.9, 279.4],
        }
    }

    /// The paper of a name.
    pub fn find(name: &str) -> Option<Self> {
        match name.to_lowercase().as_str() {
            "a4" => Some(Self::A4),
            "letter" => Some(Self::Letter),
            _ => None,
        }
    }
}

/// Sizes with allowances where there are none.
fn prepared(sizes: &[Graded], options: &Options) -> Vec<Graded> {
    let mut sizes = sizes.to_vec();
    for panel in sizes.iter_mut().flat_map(|g| &mut g.pattern.panels) {
        if panel.allowance <= 0.0 && options.allowance > 0.0 {
            panel.allowance = options.allowance.min(0.1);
        }
    }
    sizes
}

/// A pattern in one size.
pub fn single(pattern: &Pattern) -> Vec<Graded> {
    vec![Graded { size: String::new(), pattern: pattern.clone() }]
}
