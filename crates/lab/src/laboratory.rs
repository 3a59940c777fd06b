//! The virtual textile laboratory: tests whose answer is known exactly.
//!
//! [`TESTS`] is the table of all tests. Each measures some numbers on a specimen of cloth made of a
//! [`Model`] on a [`Mesh`], and has for each the exact value and how far off it may be. [`run`] takes
//! measurements, [`Report`] shows them.
//!
//! Specimens of the exact tests without contact are dimensionless: length 1, bending rigidity 1, gravity 1, so that a result is the
//! number of the textbook. The tests and their tolerances are in `docs/lab.md`.
//!
//! To add a test, write a file below `laboratory/` with functions for [`Test::run`] and [`Test::draw`], and a row
//! in [`TESTS`].

mod buckling;
mod cantilever;
mod capstan;
pub mod cusick;
mod exact;
mod html;
mod hysteresis;
mod incline;
mod instrument;
pub mod kes;
mod membrane;
mod mesh;
mod modes;
mod motion;
pub mod peirce;
pub mod picture_frame;
mod plate;
mod report;
mod specimen;
mod stick_slip;
mod vibration;

pub use instrument::{INSTRUMENTS, Instrument, USUAL_FABRICS, measure_fabrics};
pub use mesh::Mesh;
pub use report::Report;

use crate::plot::Figure;
use serde::Serialize;
use std::time::Instant;
use toile::Error;
use toile_sim::papers::integrate::StepError;
use toile_sim::sheet::{Bend, Stretch};
use toile_sim::statics::StaticsError;

/// What a cloth is made of: a model in the plane and one of bending.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Model {
    /// In the plane.
    pub stretch: Stretch,
    /// In bending.
    pub bend: Bend,
}

impl Model {
    /// Its name: `stvk+morley`.
    pub fn name(self) -> String {
        format!("{}+{}", self.stretch.name(), self.bend.name())
    }

    /// The model of a name `stretch` or `stretch+bend`.
    ///
    /// # Errors
    /// If there is no such model; the help lists those there are.
    pub fn from_name(text: &str) -> Result<Self, Error> {
        let (stretch, bend) = match text.split_once('+') {
            Some((stretch, bend)) => (stretch, Some(bend)),
            None => (text, None),
        };
        let unknown = |name: &str, what: &str, all: Vec<&str>| {
            Error::request(
                format!("there is no model of {what} `{name}`"),
                format!("give stretch or stretch+bend; models of {what}: {}", all.join(", ")),
            )
        };
        let stretch = Stretch::ALL.into_iter().find(|s| s.name() == stretch).ok_or_else(|| {
            unknown(stretch, "stretch", Stretch::ALL.iter().map(|s| s.name()).collect())
        })?;
        let bend = match bend {
            None => Bend::default(),
            Some(bend) => Bend::ALL.into_iter().find(|b| b.name() == bend).ok_or_else(|| {
                unknown(bend, "bending", Bend::ALL.iter().map(|b| b.name()).collect())
            })?,
        };
        Ok(Self { stretch, bend })
    }

    /// Whether it needs a regular grid.
    pub fn needs_grid(self) -> bool {
        self.stretch.needs_grid() || self.bend.needs_grid()
    }
}

/// Which models a test can tell apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compare {
    /// Those of bending, all with the same membrane.
    Bending,
    /// Those in the plane, all with the same bending.
    Stretch,
    /// None: the test is about something else, or needs what only the default has.
    Default,
    /// None: there is no cloth in it.
    Nothing,
}

impl Compare {
    /// All models, the default first.
    pub fn models(self) -> Vec<Model> {
        let default = Model::default();
        let mut models = vec![default];
        match self {
            Self::Bending => {
                let others = Bend::ALL.into_iter().filter(|b| *b != Bend::None);
                models.extend(others.map(|bend| Model { bend, ..default }));
            }
            Self::Stretch => {
                models.extend(Stretch::ALL.into_iter().map(|stretch| Model { stretch, ..default }));
            }
            Self::Default | Self::Nothing => {}
        }
        let mut first = true;
        models.retain(|m| *m != default || std::mem::take(&mut first));
        models
    }
}

/// How a measurement is set up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Setup {
    /// What the specimen is made of.
    pub model: Model,
    /// What it is cut into.
    pub mesh: Mesh,
    /// Whether coarse meshes and wide tolerances will do.
    pub quick: bool,
}

impl Setup {
    /// One of two numbers: that of full precision, or the quick one.
    pub fn pick<T>(&self, full: T, quick: T) -> T {
        if self.quick { quick } else { full }
    }
}

/// A measured number.
#[derive(Clone, Debug, PartialEq)]
pub struct Reading {
    /// What was measured: `H/W at Γ = 10`.
    pub name: String,
    /// What it is.
    pub value: f64,
    /// What it should be.
    pub expected: f64,
    /// Largest error: relative, or absolute if zero is expected.
    pub tolerance: f64,
}

impl Reading {
    /// A reading.
    pub fn new(name: impl Into<String>, value: f64, expected: f64, tolerance: f64) -> Self {
        Self { name: name.into(), value, expected, tolerance }
    }

    /// Relative error, or the absolute one if zero is expected.
    pub fn error(&self) -> f64 {
        if self.expected == 0.0 { self.value } else { self.value / self.expected - 1.0 }
    }
}

/// Why a measurement has no result.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Failure {
    /// The model and the mesh do not go together.
    #[error(transparent)]
    Model(#[from] toile_sim::Error),
    /// No equilibrium was found.
    #[error(transparent)]
    Statics(#[from] StaticsError),
    /// A step of time failed.
    #[error(transparent)]
    Step(#[from] StepError),
    /// A linear system has no solution.
    #[error(transparent)]
    Linear(#[from] toile_sim::linear::Error),
    /// The state is unstable where it should be stable.
    #[error("unstable: a stiffness is negative")]
    Unstable,
    /// An iteration did not converge.
    #[error("{0} did not converge")]
    NoConvergence(&'static str),
    /// The fabric gives way further than the test goes.
    #[error("the fabric does not come to {0}")]
    Unreachable(&'static str),
}

/// A test of the laboratory.
#[derive(Clone, Copy, Debug)]
pub struct Test {
    /// Its name on the command line.
    pub id: &'static str,
    /// What it is called.
    pub title: &'static str,
    /// What it does, in a sentence.
    pub about: &'static str,
    /// The exact answer, and who found it.
    pub formula: &'static str,
    /// Which models it can be done with.
    pub compare: Compare,
    /// Takes the measurements of one model on one mesh.
    pub run: fn(&Setup) -> Result<Vec<Reading>, Failure>,
    /// Draws pictures; the rows of all models come in.
    pub draw: fn(&Setup, &[Row]) -> Result<Vec<Picture>, Failure>,
}

impl Test {
    /// The test of a name.
    ///
    /// # Errors
    /// If there is none; the help lists those there are.
    pub fn from_name(name: &str) -> Result<&'static Self, Error> {
        TESTS.iter().find(|t| t.id == name).ok_or_else(|| {
            let all: Vec<&str> = TESTS.iter().map(|t| t.id).collect();
            Error::request(
                format!("there is no test `{name}`"),
                format!("tests: {}", all.join(", ")),
            )
        })
    }

    /// The meshes it is done on with a model.
    fn meshes(&self, model: Model) -> Vec<Mesh> {
        let all = Mesh::ALL.into_iter();
        match self.compare {
            Compare::Nothing => vec![Mesh::default()],
            _ => all.filter(|m| m.is_grid() || !model.needs_grid()).collect(),
        }
    }
}

/// All tests.
pub const TESTS: &[Test] = &[
    cantilever::TEST,
    plate::CLAMPED,
    plate::SUPPORTED,
    plate::DISK,
    buckling::EULER,
    buckling::LATERAL,
    stick_slip::TEST,
    incline::TEST,
    capstan::TEST,
    membrane::CATENARY,
    membrane::HANGING,
    membrane::FRAME,
    membrane::PATCH,
    vibration::RIBBON,
    vibration::STRIP,
    vibration::DRUM,
    motion::INTEGRATORS,
    motion::FALL,
    motion::MOMENTUM,
    hysteresis::SHEAR,
    hysteresis::BENDING,
    hysteresis::SWING,
];

/// A drawn diagram.
#[derive(Clone, Debug)]
pub struct Picture {
    /// Its name, without the ending of the file.
    pub name: String,
    /// What it shows, in a sentence.
    pub caption: String,
    /// The picture.
    pub svg: String,
}

impl Picture {
    /// A picture of a figure.
    pub fn new(name: &str, caption: &str, figure: &Figure) -> Self {
        Self { name: name.into(), caption: caption.into(), svg: figure.to_svg() }
    }
}

/// A row of the report.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// The test.
    pub test: &'static str,
    /// The test and what was measured.
    pub name: String,
    /// The model.
    pub model: String,
    /// The mesh.
    pub mesh: &'static str,
    /// What was found.
    pub value: f64,
    /// What is right.
    pub expected: f64,
    /// Relative error, or the absolute one if zero is expected.
    pub error: f64,
    /// Largest error allowed.
    pub tolerance: f64,
    /// Whether it is right.
    pub pass: bool,
    /// Whether the verdict counts: the model is the default.
    pub counts: bool,
    /// Why there is no value.
    pub note: Option<String>,
}

/// What to measure.
#[derive(Clone, Debug)]
pub struct Options {
    /// Tests, in order.
    pub tests: Vec<&'static Test>,
    /// The models to compare: none for the default alone.
    pub models: Models,
    /// Coarse meshes, wide tolerances.
    pub quick: bool,
    /// Whether to draw.
    pub draw: bool,
}

/// Which models are measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Models {
    /// One.
    One(Model),
    /// All that can do the test.
    All,
}

/// Measures; `progress` is told what comes next.
pub fn run(options: &Options, mut progress: impl FnMut(&str)) -> Report {
    let start = Instant::now();
    let mut report = Report { quick: options.quick, ..Report::default() };
    for test in &options.tests {
        let began = Instant::now();
        let models = match options.models {
            Models::One(model) => vec![model],
            Models::All => test.compare.models(),
        };
        let mut rows = Vec::new();
        for model in models {
            for mesh in test.meshes(model) {
                let setup = Setup { model, mesh, quick: options.quick };
                progress(&match test.compare {
                    Compare::Nothing => test.id.to_owned(),
                    _ => format!("{} with {} on {}", test.id, model.name(), mesh.name()),
                });
                rows.extend(measure(test, &setup));
            }
        }
        let mut pictures = Vec::new();
        if options.draw {
            progress(&format!("diagrams of {}", test.id));
            let setup = Setup { quick: options.quick, ..Setup::default() };
            match (test.draw)(&setup, &rows) {
                Ok(drawn) => pictures = drawn,
                Err(e) => report.notes.push(format!("{}: no diagram: {e}", test.id)),
            }
        }
        let seconds = began.elapsed().as_secs_f64();
        report.sections.push(report::Section { test, rows, pictures, seconds });
    }
    report.seconds = start.elapsed().as_secs_f64();
    report
}

/// The rows of one model on one mesh.
fn measure(test: &'static Test, setup: &Setup) -> Vec<Row> {
    let no_cloth = test.compare == Compare::Nothing;
    let row = |reading: Reading, note: Option<String>| Row {
        test: test.id,
        name: match reading.name.as_str() {
            "" => test.id.to_owned(),
            name => format!("{}: {name}", test.id),
        },
        model: if no_cloth { "-".into() } else { setup.model.name() },
        mesh: if no_cloth { "-" } else { setup.mesh.name() },
        value: reading.value,
        expected: reading.expected,
        error: reading.error(),
        tolerance: reading.tolerance,
        // A value that is no number is not within any tolerance.
        pass: reading.error().abs() <= reading.tolerance,
        counts: no_cloth || setup.model == Model::default(),
        note,
    };
    match (test.run)(setup) {
        Ok(readings) => readings.into_iter().map(|r| row(r, None)).collect(),
        Err(e) => vec![row(Reading::new("", f64::NAN, f64::NAN, 0.0), Some(e.to_string()))],
    }
}

#[cfg(test)]
mod tests;
