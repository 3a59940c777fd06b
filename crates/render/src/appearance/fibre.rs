//! What yarns are spun from, and how it scatters light.

use serde::{Deserialize, Serialize};

/// What a yarn is spun from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fibre {
    /// Cotton: short flat ribbons, dull.
    Cotton,
    /// Linen: long and smooth, with a little gloss.
    Linen,
    /// Wool: scaly and crimped, dull and fuzzy.
    Wool,
    /// Silk: triangular filaments that glitter.
    Silk,
    /// Polyester: smooth round filaments.
    Polyester,
    /// Polyamide (nylon): smoother still.
    Polyamide,
    /// Viscose: glossy filaments with grooves.
    Viscose,
}

/// Numbers of a fibre's scattering. Chosen by eye after photographs of swatches; not measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Optics {
    /// Index of refraction.
    pub(crate) ior: f32,
    /// Disorder of the fibres for light reflected at their surface.
    pub(crate) alpha: f32,
    /// Strength of that reflection beside Fresnel's formula.
    pub(crate) gloss: f32,
    /// Share of the light that comes back after one passage through fibres, with their colour.
    pub(crate) inner: f32,
    /// Disorder for that light.
    pub(crate) inner_alpha: f32,
    /// Thickness of a cloth that lets through a third of the scattered light [mm].
    pub(crate) depth_mm: f32,
}

impl Fibre {
    pub(crate) fn optics(self) -> Optics {
        let optics = |ior, alpha, gloss, inner, inner_alpha, depth_mm| Optics {
            ior,
            alpha,
            gloss,
            inner,
            inner_alpha,
            depth_mm,
        };
        match self {
            Self::Cotton => optics(1.56, 0.50, 0.6, 0.10, 0.70, 0.30),
            Self::Linen => optics(1.56, 0.30, 0.9, 0.14, 0.55, 0.30),
            Self::Wool => optics(1.55, 0.55, 0.6, 0.12, 0.70, 0.35),
            Self::Silk => optics(1.57, 0.13, 1.0, 0.50, 0.24, 0.25),
            Self::Polyester => optics(1.60, 0.16, 1.3, 0.26, 0.40, 0.30),
            Self::Polyamide => optics(1.54, 0.13, 1.4, 0.28, 0.36, 0.35),
            Self::Viscose => optics(1.53, 0.20, 1.1, 0.26, 0.42, 0.25),
        }
    }

    /// Angle of the fibres in a usual yarn [°].
    pub(crate) fn usual_twist(self) -> f64 {
        match self {
            Self::Cotton | Self::Linen => 22.0,
            Self::Wool => 18.0,
            Self::Viscose => 12.0,
            Self::Silk | Self::Polyester | Self::Polyamide => 0.0,
        }
    }

    /// Irregularity of a usual yarn.
    pub(crate) fn usual_irregularity(self) -> f64 {
        match self {
            Self::Linen => 0.2,
            Self::Cotton | Self::Wool => 0.08,
            Self::Viscose => 0.03,
            Self::Silk | Self::Polyester | Self::Polyamide => 0.01,
        }
    }
}
