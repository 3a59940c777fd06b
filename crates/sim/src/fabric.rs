//! Fabrics: what a cloth is made of, in SI units.
//!
//! A [`Fabric`] holds what the tests of textiles measure, per unit width: weight, tension, shear,
//! bending, thickness and friction, and for each number how sure it is ([`Origin`]). Tension and shear
//! are a stiffness, and a curve where one was measured. Models take from it what they need:
//! [`Fabric::membrane`], [`Fabric::bending`], [`Fabric::law`].
//!
//! Units other than those of the SI end at the files; here all is in N/m, N·m, kg/m² and m.

use crate::Error;
use crate::element::{Bending, Membrane};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

mod law;
mod loops;
mod origin;
#[cfg(test)]
mod tests;

pub use loops::{BENDING_TRANSITION, KES_MAX_TENSION, Loops};
pub use origin::{Confidence, Origin};

/// Standard gravity [m/s²], for figures that textile tests give per weight.
pub const STANDARD_GRAVITY: f64 = 9.80665;

/// Most points of a curve; a test has some hundreds.
pub const MAX_CURVE_POINTS: usize = 10_000;

/// A woven or knitted fabric, per unit width.
///
/// ```
/// use toile_sim::Fabric;
///
/// let canvas = Fabric { density: 0.35, weft: 2e4, warp: 2e4, ..Fabric::default() };
/// canvas.validate()?;
/// assert!(Fabric { density: -1.0, ..canvas }.validate().is_err());
/// # Ok::<(), toile_sim::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fabric {
    /// What it is called.
    #[serde(default)]
    pub name: String,
    /// What it is, and where its numbers come from.
    #[serde(default)]
    pub provenance: String,
    /// How sure the numbers are that `origins` does not name.
    #[serde(default)]
    pub confidence: Confidence,
    /// Areal density [kg/m²].
    pub density: f64,
    /// Tensile stiffness along the weft [N/m], C11: without contraction along the warp.
    pub weft: f64,
    /// Tensile stiffness along the warp [N/m], C22: without contraction along the weft.
    pub warp: f64,
    /// Tension [N/m] over strain along the weft, `[strain, tension]` ascending through [0, 0]; empty
    /// if it is straight.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub weft_curve: Vec<[f64; 2]>,
    /// Tension [N/m] over strain along the warp; empty if it is straight.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warp_curve: Vec<[f64; 2]>,
    /// Part of the tensile work along the weft that is given back, 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resilience_weft: Option<f64>,
    /// Part of the tensile work along the warp that is given back, 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resilience_warp: Option<f64>,
    /// Poisson's ratio, the mean of both directions: C12 = ν √(C11 C22), −1 < ν < 1.
    #[serde(default)]
    pub poisson: f64,
    /// Shear stiffness [N/m per rad].
    pub shear: f64,
    /// Shear force [N/m] over the shear angle [rad], from [0, 0] to one side; empty if straight.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shear_curve: Vec<[f64; 2]>,
    /// Width of the shear loop at a small angle [N/m]: Kawabata's 2HG.
    #[serde(default)]
    pub shear_hysteresis: f64,
    /// Width of the shear loop at a large angle, 5° [N/m]: Kawabata's 2HG5.
    #[serde(default)]
    pub shear_hysteresis_wide: f64,
    /// Bending rigidity along the weft [N·m].
    pub bend_weft: f64,
    /// Bending rigidity along the warp [N·m].
    pub bend_warp: f64,
    /// Twist rigidity B12 [N·m]; 2 (1 − ν) √(B1 B2) if not given, ν that of bending.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bend_twist: Option<f64>,
    /// Poisson's ratio of bending, −1 < ν < 1.
    #[serde(default)]
    pub bend_poisson: f64,
    /// Width of the bending loop along the weft [N·m per m]: Kawabata's 2HB.
    #[serde(default)]
    pub bend_hysteresis_weft: f64,
    /// Width of the bending loop along the warp [N·m per m]: Kawabata's 2HB.
    #[serde(default)]
    pub bend_hysteresis_warp: f64,
    /// Thickness [m].
    #[serde(default = "half_a_millimetre")]
    pub thickness: f64,
    /// Coulomb friction on itself and on bodies that have none of their own.
    #[serde(default = "usual_friction")]
    pub friction: f64,
    /// Part of critical damping of each thread.
    #[serde(default = "usual_damping")]
    pub damping: f64,
    /// Relaxation time of a Kelvin–Voigt sheet [s]: viscosity is this times stiffness.
    #[serde(default)]
    pub viscosity: f64,
    /// Where single numbers come from, by the names of their fields.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub origins: BTreeMap<String, Origin>,
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
            confidence: Confidence::Typical,
            density: 0.2,
            weft: 1000.0,
            warp: 1000.0,
            weft_curve: Vec::new(),
            warp_curve: Vec::new(),
            resilience_weft: None,
            resilience_warp: None,
            poisson: 0.0,
            shear: 60.0,
            shear_curve: Vec::new(),
            shear_hysteresis: 0.0,
            shear_hysteresis_wide: 0.0,
            bend_weft: 9e-6,
            bend_warp: 14e-6,
            bend_twist: None,
            bend_poisson: 0.0,
            bend_hysteresis_weft: 0.0,
            bend_hysteresis_warp: 0.0,
            thickness: half_a_millimetre(),
            friction: usual_friction(),
            damping: usual_damping(),
            viscosity: 0.0,
            origins: BTreeMap::new(),
        }
    }
}

impl Fabric {
    /// Names of all numbers and curves, in the order in which they are told.
    pub const QUANTITIES: [&'static str; 22] = [
        "density",
        "weft",
        "warp",
        "weft_curve",
        "warp_curve",
        "resilience_weft",
        "resilience_warp",
        "poisson",
        "shear",
        "shear_curve",
        "shear_hysteresis",
        "shear_hysteresis_wide",
        "bend_weft",
        "bend_warp",
        "bend_twist",
        "bend_poisson",
        "bend_hysteresis_weft",
        "bend_hysteresis_warp",
        "thickness",
        "friction",
        "damping",
        "viscosity",
    ];

    /// In-plane stiffness at small strain, with transverse contraction.
    pub fn membrane(&self) -> Membrane {
        Membrane {
            c11: self.weft,
            c12: self.poisson * (self.weft * self.warp).sqrt(),
            c22: self.warp,
            c33: self.shear,
        }
    }

    /// Bending stiffness, with twist.
    ///
    /// Twist that was not measured is that of a plate whose rigidity varies smoothly between weft and
    /// warp; the median of 618 measured fabrics agrees along the diagonal within 3 %.
    pub fn bending(&self) -> Bending {
        let mean = (self.bend_weft * self.bend_warp).sqrt();
        let twist = self.bend_twist.unwrap_or(2.0 * (1.0 - self.bend_poisson) * mean);
        Bending { weft: self.bend_weft, warp: self.bend_warp, poisson: self.bend_poisson, twist }
    }

    /// Viscosity of the sheet [N·s/m] as a Kelvin–Voigt solid.
    pub fn viscous(&self) -> Membrane {
        self.membrane().scaled(self.viscosity)
    }

    /// Bending lengths (B / (σ g))^⅓ along weft and warp [m], as of Peirce's cantilever.
    pub fn bending_lengths(&self) -> [f64; 2] {
        [self.bend_weft, self.bend_warp].map(|b| libm::cbrt(b / (self.density * STANDARD_GRAVITY)))
    }

    /// How sure a number is, by the name of its field.
    pub fn confidence_of(&self, quantity: &str) -> Confidence {
        self.origins.get(quantity).map_or(self.confidence, |o| o.confidence)
    }

    /// The least sure of weight, tension, shear and bending: as sure as a drape of it can be.
    pub fn least_confidence(&self) -> Confidence {
        let main = ["density", "weft", "warp", "shear", "bend_weft", "bend_warp"];
        main.iter().map(|q| self.confidence_of(q)).max().unwrap_or_default()
    }

    /// Refuses what no fabric is.
    ///
    /// # Errors
    /// [`Error::Setting`] with the field and the remedy.
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
            ("shear_hysteresis", self.shear_hysteresis),
            ("shear_hysteresis_wide", self.shear_hysteresis_wide),
            ("bend_weft", self.bend_weft),
            ("bend_warp", self.bend_warp),
            ("bend_twist", self.bend_twist.unwrap_or(0.0)),
            ("bend_hysteresis_weft", self.bend_hysteresis_weft),
            ("bend_hysteresis_warp", self.bend_hysteresis_warp),
            ("thickness", self.thickness),
            ("friction", self.friction),
            ("damping", self.damping),
            ("viscosity", self.viscosity),
        ];
        for (key, value) in not_negative {
            if !(value.is_finite() && value >= 0.0) {
                return Err(bad(
                    key,
                    format!("is {value:?}; it must be a number, and not negative"),
                ));
            }
        }
        for (key, value, most) in [
            ("density", self.density, 100.0),
            ("weft", self.weft, 1e9),
            ("warp", self.warp, 1e9),
            ("shear", self.shear, 1e9),
            ("shear_hysteresis", self.shear_hysteresis, 1e9),
            ("shear_hysteresis_wide", self.shear_hysteresis_wide, 1e9),
            ("bend_weft", self.bend_weft, 1e4),
            ("bend_warp", self.bend_warp, 1e4),
            ("bend_twist", self.bend_twist.unwrap_or(0.0), 1e4),
            ("bend_hysteresis_weft", self.bend_hysteresis_weft, 1e4),
            ("bend_hysteresis_warp", self.bend_hysteresis_warp, 1e4),
            ("thickness", self.thickness, 1.0),
            ("friction", self.friction, 100.0),
            ("viscosity", self.viscosity, 1e4),
        ] {
            if value > most {
                return Err(bad(key, format!("is {value:?}; no fabric has more than {most:?}")));
            }
        }
        self.validate_ratios()?;
        self.validate_curves()?;
        match self.origins.keys().find(|k| !Self::QUANTITIES.contains(&k.as_str())) {
            Some(key) => Err(bad("origins", format!("names `{key}`, which no fabric has"))),
            None => Ok(()),
        }
    }

    /// Refuses parts beyond 0 to 1, and ratios of a stiffness that is not positive definite.
    fn validate_ratios(&self) -> Result<(), Error> {
        let parts = [
            ("damping", self.damping, "a part of critical"),
            ("resilience_weft", self.resilience_weft.unwrap_or(1.0), "a part of the work"),
            ("resilience_warp", self.resilience_warp.unwrap_or(1.0), "a part of the work"),
        ];
        for (key, value, what) in parts {
            if !(0.0..=1.0).contains(&value) {
                return Err(bad(key, format!("is {value:?}; it is {what}, from 0 to at most 1")));
            }
        }
        for (key, value) in [("poisson", self.poisson), ("bend_poisson", self.bend_poisson)] {
            // Beyond one, a fabric would gain energy by being pulled both ways.
            if !(value > -1.0 && value < 1.0) {
                let reason = format!(
                    "is {value:?}; it must lie between -1 and 1, or the stiffness is not positive \
                     definite"
                );
                return Err(bad(key, reason));
            }
        }
        Ok(())
    }
}

fn bad(key: &'static str, reason: String) -> Error {
    Error::Setting { key, reason }
}
