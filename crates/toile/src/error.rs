//! What can go wrong, with the place in the scene file and the remedy.

use miette::{Diagnostic, NamedSource, SourceSpan};
use std::path::PathBuf;

/// An error of the library.
#[derive(Debug, thiserror::Error, Diagnostic)]
#[non_exhaustive]
pub enum Error {
    /// A scene file, or something it names, is wrong.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Scene(Box<SceneError>),
    /// A file cannot be read.
    #[error("{}: cannot read: {source}", path.display())]
    #[diagnostic(help("{}", toile_mesh::io::source::remedy(source)))]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A folder for results cannot be made.
    #[error("{}: cannot make this folder: {source}", path.display())]
    #[diagnostic(help("choose another with --out, or check permissions and space"))]
    Folder {
        /// The folder.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A mesh or point cache cannot be read or written.
    #[error(transparent)]
    Mesh(#[from] toile_mesh::io::Error),
    /// The simulation failed.
    #[error("{source}")]
    #[diagnostic(help("{}", remedy(source)))]
    Simulation {
        /// Why.
        source: toile_sim::Error,
    },
    /// A saved state cannot be used.
    #[error("{}: {reason}", path.display())]
    #[diagnostic(help("{remedy}"))]
    State {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
        /// What to do about it.
        remedy: String,
    },
    /// The cloth begins intersecting, and stays so.
    #[error("{what}")]
    #[diagnostic(help("{remedy}"))]
    Tangled {
        /// What intersects.
        what: String,
        /// What to do about it.
        remedy: String,
    },
    /// The audit failed.
    #[error("audit: {0}")]
    Audit(String),
    /// A picture could not be made.
    #[error("picture: {0}")]
    Picture(String),
    /// Rendering was cancelled.
    #[error("stopped; nothing was written")]
    Stopped,
    /// A request that makes no sense.
    #[error("{message}")]
    #[diagnostic(help("{help}"))]
    Request {
        /// What is wrong.
        message: String,
        /// What would be right.
        help: String,
    },
}

fn remedy(error: &toile_sim::Error) -> &'static str {
    match error {
        toile_sim::Error::NotFinite { .. } => "make the step shorter: --set solver.step=SECONDS",
        toile_sim::Error::Unresolved { cause, .. } => cause.remedy(),
        toile_sim::Error::NoConvergence { .. } => {
            "make the step shorter: --set solver.step=SECONDS, or solve exactly with --set \
             solver.implicit.solve.newton.type=exact"
        }
        _ => "see `toile methods` for what there is",
    }
}

impl From<toile_sim::Error> for Error {
    fn from(source: toile_sim::Error) -> Self {
        Self::Simulation { source }
    }
}

impl Error {
    /// What to do about it, if that can be said.
    pub fn remedy(&self) -> Option<String> {
        self.help().map(|help| help.to_string())
    }

    /// A request that makes no sense, and what would.
    pub fn request(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self::Request { message: message.into(), help: help.into() }
    }
}

/// What is wrong in a scene, and where.
#[derive(Debug, thiserror::Error, Diagnostic)]
#[error("{message}")]
pub struct SceneError {
    /// What is wrong, beginning with the key.
    pub message: String,
    /// The scene file; empty for a scene made in code.
    #[source_code]
    pub source_code: Option<NamedSource<String>>,
    /// The place in it.
    #[label("{label}")]
    pub span: Option<SourceSpan>,
    /// What to say at that place.
    pub label: String,
    /// What to do about it.
    #[help]
    pub help: Option<String>,
}

impl From<Box<SceneError>> for Error {
    fn from(error: Box<SceneError>) -> Self {
        Self::Scene(error)
    }
}
