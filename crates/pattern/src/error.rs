//! What can go wrong.

use crate::check::Check;
use std::path::PathBuf;

/// An error of the library.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file cannot be read.
    #[error("{}: cannot read: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A file cannot be written.
    #[error(transparent)]
    File(#[from] toile_mesh::io::Error),
    /// A file is not a pattern.
    #[error("{name}: {message}")]
    Parse {
        /// The file.
        name: String,
        /// What is wrong, with its line.
        message: String,
    },
    /// Something in a file makes no sense.
    #[error("{name}: {place}: {message}")]
    Content {
        /// The file.
        name: String,
        /// The panel or seam.
        place: String,
        /// What is wrong.
        message: String,
    },
    /// A pattern with faults cannot be used.
    #[error("{0}")]
    Faulty(Box<Check>),
    /// A panel cannot be meshed as asked.
    #[error("panel `{panel}` cannot be meshed with edges of {edge_length} m: {reason}")]
    Mesh {
        /// The panel.
        panel: String,
        /// The edge length asked for [m].
        edge_length: f64,
        /// Why not.
        reason: String,
    },
    /// A request that makes no sense.
    #[error("{message}")]
    Request {
        /// What is wrong.
        message: String,
        /// What would be right.
        help: String,
    },
}

impl Error {
    /// What to do about it.
    pub fn help(&self) -> String {
        match self {
            Self::Read { source, .. } => toile_mesh::io::source::remedy(source).into(),
            Self::File(_) => "check that the folder exists, its permissions and space".into(),
            Self::Parse { .. } | Self::Content { .. } => {
                "docs/patterns.md describes the file; `toile pattern make tshirt` writes one".into()
            }
            Self::Faulty(_) => {
                "`toile pattern show` draws the faults in red; `toile pattern check` lists remedies"
                    .into()
            }
            Self::Mesh { .. } => "choose a shorter edge length, or check the outline there".into(),
            Self::Request { help, .. } => help.clone(),
        }
    }
}
