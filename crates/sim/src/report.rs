//! What a step says about itself.

use crate::barrier::SolverStatistics;
use serde::{Deserialize, Serialize};

/// Energy of the cloth [J].
///
/// ```
/// use toile_sim::Energy;
///
/// let energy = Energy { kinetic: 1.0, elastic: 0.5, potential: -2.0 };
/// assert_eq!(energy.total(), -0.5);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Energy {
    /// ½ Σ m v².
    pub kinetic: f64,
    /// Energy of the springs.
    pub elastic: f64,
    /// −Σ m g·x.
    pub potential: f64,
}

impl Energy {
    /// The sum.
    pub fn total(&self) -> f64 {
        self.kinetic + self.elastic + self.potential
    }
}

/// Time spent in each stage [s].
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StageSeconds {
    /// Forces and time integration.
    pub integrate: f64,
    /// Strain limiting.
    pub strain_limit: f64,
    /// Finding collisions.
    pub detect: f64,
    /// The part of it that the default solver spends on bodies.
    pub bodies: f64,
    /// Responding to them; line searches of the default solver, whose potential has the contacts in it.
    pub respond: f64,
}

impl StageSeconds {
    /// Adds another step's.
    pub fn add(&mut self, other: &Self) {
        self.integrate += other.integrate;
        self.strain_limit += other.strain_limit;
        self.detect += other.detect;
        self.bodies += other.bodies;
        self.respond += other.respond;
    }
}

/// A problem that does not stop the run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Warning {
    /// Springs were softened so that the explicit step stays stable.
    Softened {
        /// The softest spring's part of the fabric's stiffness.
        factor: f64,
    },
    /// The fabric is thicker than a part of the shortest edge; less is kept between features.
    ThicknessReduced {
        /// The fabric's thickness [m].
        thickness: f64,
        /// The distance kept [m].
        separation: f64,
    },
    /// The distance kept is so small against the coordinates that files in single precision (PC2,
    /// GLB) may not show it.
    BelowSinglePrecision {
        /// The distance kept [m].
        separation: f64,
        /// The largest coordinate [m].
        extent: f64,
    },
    /// The step failed as a whole and was taken in substeps.
    Substepped {
        /// The step.
        step: u64,
        /// Number of parts.
        parts: u32,
    },
}

impl std::fmt::Display for Warning {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Softened { factor } => write!(
                f,
                "springs softened to {:.3} of the fabric's stiffness so that the explicit step is \
                 stable; the rest is left to the strain limit, if there is one",
                factor
            ),
            Self::ThicknessReduced { thickness, separation } => write!(
                f,
                "the fabric is {thickness:?} m thick, too much for edges this short: {separation:?} m \
                 are kept between features; use larger cells"
            ),
            Self::BelowSinglePrecision { separation, extent } => write!(
                f,
                "a gap of {separation:?} m at coordinates of {extent:?} m is lost in files of single \
                 precision (PC2, GLB): cloth that touches may intersect there, though not in \
                 final.obj; move the scene to the origin or use a thicker fabric"
            ),
            Self::Substepped { step, parts } => {
                write!(f, "step {step} was taken in {parts} substeps")
            }
        }
    }
}

/// Counts and times of one step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StepReport {
    /// Pairs of triangles whose boxes overlapped, over all detections.
    pub triangle_pairs: u64,
    /// Feature pairs that were tested, over all detections.
    pub tested: u64,
    /// Impacts at the first detection.
    pub impacts: u64,
    /// Detections carried out.
    pub detections: u32,
    /// Time of finding self-collisions, where it is known apart from that of bodies [s].
    pub self_detection: f64,
    /// Zones of impact at the end.
    pub zones: u32,
    /// Vertices in the largest of them.
    pub largest_zone: u32,
    /// Iterations of Newton's method, if the step is the minimum of a potential; runs of solution and detection, if
    /// collisions are avoided.
    pub iterations: u32,
    /// Iterations of its linear solver.
    pub linear_iterations: u32,
    /// Halvings of its line searches.
    pub halvings: u32,
    /// Contacts at the end of such a step.
    pub contacts: u32,
    /// Smallest gap at the end of such a step, beyond the thickness [m]; zero without contacts.
    pub gap: f64,
    /// Force that is left at the end of a quasi-static step, root of the mean square over the mass, as a part of the weight.
    pub residual: Option<f64>,
    /// Such steps that used all Newton iterations without converging.
    pub unconverged: u32,
    /// Largest elongation of an edge before limiting.
    pub stretch: f64,
    /// Time of each stage.
    pub seconds: StageSeconds,
    /// What went partly wrong.
    pub warnings: Vec<Warning>,
}

impl StepReport {
    /// Takes up a step of the default solver.
    pub(crate) fn take(&mut self, statistics: &SolverStatistics) {
        self.iterations += statistics.iterations;
        self.linear_iterations += statistics.linear_iterations;
        self.halvings += statistics.halvings;
        self.contacts = statistics.contacts;
        self.gap = if statistics.gap.is_finite() { statistics.gap } else { 0.0 };
        self.residual = statistics.residual;
        self.unconverged += u32::from(!statistics.converged);
        self.tested += statistics.tested;
        self.detections += statistics.queries;
        let seconds = &statistics.seconds;
        self.seconds.detect += seconds.collision;
        self.seconds.bodies += seconds.bodies;
        self.seconds.integrate += seconds.elasticity + seconds.linear_solve;
        self.seconds.respond += seconds.line_search;
    }
}
