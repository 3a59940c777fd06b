//! Pattern files: TOML or JSON, in the unit of the tailor.
//!
//! A file says `unit = "cm"` (or mm, m, in); in memory all is in metres. An outline begins at `start`,
//! each edge says where it goes `to`, and the last must come back to `start`. A panel with a `fold` is a half
//! piece: it is unfolded when it is read.
//!
//! [`read`] takes the formats of other programs too; it tells them by their content.

mod read;
mod write;

pub(crate) use read::{CLOSED, seam as seam_of, shortened};
pub use read::{Options, from_json, from_toml, read, read_with};
pub use write::{to_json, to_toml, write};

use crate::panel::{BodyPart, Side};
use crate::seam::Direction;
use serde::{Deserialize, Serialize};

/// Most panels of a pattern: they are looked for by name, one after the other.
const MAX_PANELS: usize = 1000;

/// Most parts of the seams of a pattern.
const MAX_PARTS: usize = 10_000;

/// Refuses a file of too many panels or parts of seams, before anything is made of them.
pub(crate) fn refuse_if_many(name: &str, panels: usize, parts: usize) -> Result<(), crate::Error> {
    let refuse = |message: String| crate::Error::Parse { name: name.into(), message };
    if panels > MAX_PANELS {
        return Err(refuse(format!("{panels} panels; a pattern has {MAX_PANELS} at most")));
    }
    if parts > MAX_PARTS {
        return Err(refuse(format!("its seams have {parts} sides; there are {MAX_PARTS} at most")));
    }
    Ok(())
}

/// The unit of lengths in a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Unit {
    /// Millimetres.
    Mm,
    /// Centimetres.
    #[default]
    Cm,
    /// Metres.
    M,
    /// Inches of 25.4 mm.
    In,
}

impl Unit {
    /// Its length [m].
    pub fn metres(self) -> f64 {
        match self {
            Self::Mm => 1e-3,
            Self::Cm => 1e-2,
            Self::M => 1.0,
            Self::In => 0.0254,
        }
    }

    /// Its symbol.
    pub fn name(self) -> &'static str {
        match self {
            Self::Mm => "mm",
            Self::Cm => "cm",
            Self::M => "m",
            Self::In => "in",
        }
    }

    /// The unit of a symbol.
    pub fn find(name: &str) -> Option<Self> {
        [Self::Mm, Self::Cm, Self::M, Self::In].into_iter().find(|u| u.name() == name)
    }
}

type Pair = [f64; 2];

/// A whole file.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PatternFile {
    #[serde(default)]
    pub(crate) name: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) description: String,
    pub(crate) unit: Unit,
    #[serde(default)]
    pub(crate) panel: Vec<PanelFile>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) seam: Vec<SeamFile>,
}

/// A panel.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PanelFile {
    pub(crate) name: String,
    pub(crate) start: Pair,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) grain: Option<Pair>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) fold: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) fabric: Option<String>,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(crate) layer: i32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) allowance: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) placement: Option<PlacementFile>,
    pub(crate) edge: Vec<EdgeFile>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) dart: Vec<DartFile>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) pleat: Vec<PleatFile>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) elastic: Vec<ElasticFile>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) notch: Vec<NotchFile>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) hole: Vec<PathFile>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) line: Vec<PathFile>,
}

fn is_zero(layer: &i32) -> bool {
    *layer == 0
}

/// An edge: where it goes to, and one of the three kinds of curve or none.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct EdgeFile {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) name: Option<String>,
    pub(crate) to: Pair,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) quadratic: Option<Pair>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) cubic: Option<[Pair; 2]>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) arc: Option<Pair>,
}

/// A hole or a line inside.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PathFile {
    pub(crate) name: String,
    pub(crate) start: Pair,
    pub(crate) edge: Vec<EdgeFile>,
}

/// A dart: `edge`, `at` and `depth` or `tip`, or else `tips`.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct DartFile {
    pub(crate) name: String,
    pub(crate) width: f64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) edge: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) at: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) depth: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) tip: Option<Pair>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) tips: Option<[Pair; 2]>,
}

/// A pleat.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PleatFile {
    pub(crate) name: String,
    pub(crate) edge: String,
    pub(crate) at: f64,
    pub(crate) depth: f64,
}

/// An elastic; its stiffness [N] is that of a usual one if not given.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ElasticFile {
    pub(crate) edge: String,
    pub(crate) ratio: f64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) stiffness: Option<f64>,
}

/// A notch.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct NotchFile {
    pub(crate) edge: String,
    pub(crate) at: f64,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) label: String,
}

/// Where a panel belongs.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PlacementFile {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) part: Option<BodyPart>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) side: Option<Side>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) translation: Option<[f64; 3]>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) rotation: Option<[f64; 3]>,
}

/// A seam.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SeamFile {
    #[serde(default)]
    pub(crate) name: String,
    pub(crate) a: OneOrMany,
    pub(crate) b: OneOrMany,
    #[serde(default, skip_serializing_if = "is_opposite")]
    pub(crate) direction: Direction,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) gather: Option<f64>,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(crate) order: i32,
}

fn is_opposite(direction: &Direction) -> bool {
    *direction == Direction::Opposite
}

/// An edge, or a chain of them.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(untagged, expecting = "expected \"panel.edge\" or a list of them")]
pub(crate) enum OneOrMany {
    One(String),
    Many(Vec<String>),
}

impl OneOrMany {
    pub(crate) fn list(&self) -> &[String] {
        match self {
            Self::One(one) => std::slice::from_ref(one),
            Self::Many(many) => many,
        }
    }
}
