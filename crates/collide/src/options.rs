//! What a detector is made of.

use crate::prune::Prune;
use crate::tree::{Build, Descend, Refit};
use crate::volume::VolumeKind;
use serde::{Deserialize, Serialize};

/// Choices for the tree of a [`Detector`](crate::broad::Detector). They change what detection costs,
/// never which impacts it finds: sharper volumes leave out pairs that are farther apart than the
/// separation, and pruning leaves out neighbours that cannot meet, as far as its tree lets it see.
///
/// ```
/// use toile_collide::volume::VolumeKind;
/// use toile_collide::{Arity, Options};
///
/// let wide = Options { volume: VolumeKind::Dop18, arity: Arity::Four, ..Options::default() };
/// assert_ne!(wide, Options::default());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Options {
    /// Bounding volume of the nodes.
    pub volume: VolumeKind,
    /// How triangles are grouped.
    pub build: Build,
    /// How many children a node has.
    pub arity: Arity,
    /// How many triangles a leaf holds at most; 0 is taken as 1.
    pub leaf: usize,
    /// When volumes are computed.
    pub refit: Refit,
    /// By how much volumes are enlarged [m], so that they serve until a vertex moved farther; anything
    /// but a positive number is taken as 0, which refits at every update.
    pub inflation: f64,
    /// Which of two nodes is opened.
    pub descend: Descend,
    /// Curvature pruning of self-collision.
    pub prune: Prune,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            volume: VolumeKind::default(),
            build: Build::default(),
            arity: Arity::default(),
            leaf: 32,
            refit: Refit::default(),
            inflation: 0.0,
            descend: Descend::default(),
            prune: Prune::default(),
        }
    }
}

/// How many children a node has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "u8", into = "u8")]
pub enum Arity {
    /// Two.
    #[default]
    Two,
    /// Four: a binary tree with every other level left out.
    Four,
    /// Eight.
    Eight,
}

impl Arity {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Two, Self::Four, Self::Eight];
}

impl From<Arity> for u8 {
    fn from(arity: Arity) -> Self {
        match arity {
            Arity::Two => 2,
            Arity::Four => 4,
            Arity::Eight => 8,
        }
    }
}

impl TryFrom<u8> for Arity {
    type Error = String;

    fn try_from(n: u8) -> Result<Self, Self::Error> {
        Self::ALL
            .into_iter()
            .find(|a| u8::from(*a) == n)
            .ok_or_else(|| format!("a tree has 2, 4 or 8 children a node, not {n}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_trees_of_two_four_and_eight_are_made() {
        for arity in Arity::ALL {
            assert_eq!(Arity::try_from(u8::from(arity)), Ok(arity));
        }
        assert!([0, 1, 3, 5, 16].into_iter().all(|n| Arity::try_from(n).is_err()));
    }
}
