//! Where a number comes from, and how sure it is.

use serde::{Deserialize, Serialize};

/// How sure a number is; the surest first.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum Confidence {
    /// Measured on this very cloth.
    Measured,
    /// Published for a cloth of this kind.
    Literature,
    /// The middle of what cloths of this kind have; one of them may differ by 40 %.
    #[serde(alias = "typical ±40 %", alias = "typical ±40%")]
    Typical,
    /// A reasoned guess.
    #[default]
    Estimated,
}

impl std::fmt::Display for Confidence {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Not write_str: it would ignore the width of a column.
        f.pad(match self {
            Self::Measured => "measured",
            Self::Literature => "literature",
            Self::Typical => "typical ±40 %",
            Self::Estimated => "estimated",
        })
    }
}

/// Where a number comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Origin {
    /// How sure it is.
    pub confidence: Confidence,
    /// The test, the paper or the reasoning.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub source: String,
}
