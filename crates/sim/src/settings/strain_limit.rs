//! The limit on strain: corrections after a step for the systems of the papers (M2), an energy for the default solver.

use serde::{Deserialize, Serialize};

/// In which order springs are corrected within a sweep.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Order {
    /// As they are numbered, each seeing the corrections before it.
    #[default]
    Given,
    /// The most strained first.
    WorstFirst,
    /// All at once from the same positions; the mean of a vertex's corrections is applied. Independent
    /// of the numbering, but means do not conserve momentum as pairs do.
    Jacobi,
}

/// The limit.
///
/// ```
/// use toile_sim::Preset;
/// use toile_sim::settings::StrainLimit;
///
/// let mut settings = Preset::Toile.settings();
/// settings.strain_limit = StrainLimit { enabled: true, stretch: 0.05, ..StrainLimit::default() };
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct StrainLimit {
    /// Whether there is one.
    pub enabled: bool,
    /// Largest elongation τ.
    pub stretch: f64,
    /// Largest shortening; 1 is none.
    pub compression: f64,
    /// Order of the corrections.
    pub order: Order,
    /// Sweeps per step at most; a sweep that corrects nothing is the last.
    pub sweeps: u32,
}

impl Default for StrainLimit {
    fn default() -> Self {
        Self { enabled: true, stretch: 0.1, compression: 1.0, order: Order::Given, sweeps: 12 }
    }
}
