//! What can go wrong on the way from a pattern to a garment.

/// Why a garment cannot be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A panel has no place on the body.
    #[error("panel \"{panel}\" has no place on the body: {reason}")]
    NoPlace {
        /// Its name.
        panel: String,
        /// Why.
        reason: String,
    },
    /// The panels cannot be arranged without touching something.
    #[error("panel \"{panel}\" cannot be arranged clear of {what}")]
    NotClear {
        /// Its name.
        panel: String,
        /// What is in its way.
        what: String,
    },
    /// The body cannot be measured.
    #[error(transparent)]
    Body(#[from] toile_body::Error),
    /// The audit refuses a mesh.
    #[error(transparent)]
    Audit(#[from] toile_audit::Error),
    /// The simulation failed.
    #[error(transparent)]
    Sim(#[from] toile_sim::Error),
}

impl Error {
    /// What to try.
    pub fn help(&self) -> &'static str {
        match self {
            Self::NoPlace { .. } => {
                "give the panel a placement: part = \"torso\", \"hips\", \"left-arm\" … and side = \"front\", \"back\" or \
                 \"around\""
            }
            Self::NotClear { .. } => "spread the arms of the body, or give the panel a frame",
            Self::Body(_) | Self::Audit(_) | Self::Sim(_) => "see the message",
        }
    }
}
