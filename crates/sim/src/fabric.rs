//! Fabrics: what a cloth is made of, in SI units.

use crate::Error;
use serde::{Deserialize, Serialize};

/// A woven or knitted fabric, per unit width.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fabric {
    /// What it is called.
    #[serde(default)]
    pub name: String,
    /// What it is, and where its numbers come from.
    #[serde(default)]
    pub provenance: String,
    /// Areal density [kg/m²].
    pub density: f64,
    /// Tensile stiffness along the weft [N/m].
    pub weft: f64,
    /// Tensile stiffness along the warp [N/m].
    pub warp: f64,
    /// Shear stiffness [N/m].
    pub shear: f64,
    /// Bending rigidity along the weft [N·m].
    pub bend_weft: f64,
    /// Bending rigidity along the warp [N·m].
    pub bend_warp: f64,
    /// Thickness [m].
    #[serde(default = "half_a_millimetre")]
    pub thickness: f64,
    /// Coulomb friction on itself and on bodies that have none of their own.
    #[serde(default = "usual_friction")]
    pub friction: f64,
    /// Part of critical damping of each thread.
    #[serde(default = "usual_damping")]
    pub damping: f64,
}

fn half_a_millimetre() -> f64 {
    5e-4
}

fn usual_friction() -> f64 {
    0.3
}

fn usual_damping() -> f64 {
    0.1
}

impl Default for Fabric {
    /// A plain cotton of 200 g/m².
    fn default() -> Self {
        Self {
            name: "cotton".into(),
            provenance: "medians of plain cottons".into(),
            density: 0.2,
            weft: 1000.0,
            warp: 1000.0,
            shear: 60.0,
            bend_weft: 9e-6,
            bend_warp: 14e-6,
            thickness: half_a_millimetre(),
            friction: usual_friction(),
            damping: usual_damping(),
        }
    }
}

impl Fabric {
    /// Refuses what no fabric is.
    pub fn validate(&self) -> Result<(), Error> {
        let positive = [
            ("density", self.density, "kg/m², for example 0.2"),
            ("weft", self.weft, "N/m, for example 1000"),
            ("warp", self.warp, "N/m, for example 1000"),
        ];
        for (key, value, example) in positive {
            if !(value.is_finite() && value > 0.0) {
                return Err(bad(
                    key,
                    format!("is {value:?}; it must be a number above zero [{example}]"),
                ));
            }
        }
        let not_negative = [
            ("shear", self.shear),
            ("bend_weft", self.bend_weft),
            ("bend_warp", self.bend_warp),
            ("thickness", self.thickness),
            ("friction", self.friction),
            ("damping", self.damping),
        ];
        for (key, value) in not_negative {
            if !(value.is_finite() && value >= 0.0) {
                return Err(bad(
                    key,
                    format!("is {value:?}; it must be a number, and not negative"),
                ));
            }
        }
        if self.damping > 1.0 {
            return Err(bad(
                "damping",
                format!("is {}; it is a part of critical, at most 1", self.damping),
            ));
        }
        Ok(())
    }
}

fn bad(key: &'static str, reason: String) -> Error {
    Error::Setting { key, reason }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fabric_without_weight_is_refused_by_name() {
        let f = Fabric { density: 0.0, ..Fabric::default() };
        assert!(f.validate().unwrap_err().to_string().contains("density"));
        let f = Fabric { bend_warp: -1.0, ..Fabric::default() };
        assert!(f.validate().unwrap_err().to_string().contains("bend_warp"));
        let f = Fabric { weft: f64::NAN, ..Fabric::default() };
        assert!(f.validate().is_err());
        assert!(Fabric::default().validate().is_ok());
    }
}
