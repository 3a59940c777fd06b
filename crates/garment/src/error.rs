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
    /// A seam does not close.
    #[error("a seam between \"{}\" and \"{}\" stays open by {:.0} mm", panels[0], panels[1], 1e3 * gap)]
    Open {
        /// The panels on both sides.
        panels: [String; 2],
        /// How far [m].
        gap: f64,
    },
    /// What is worn is not what the pattern was meshed to.
    #[error("the garment has {worn} triangles, its pattern {pattern}")]
    NotTheSame {
        /// Triangles as worn.
        worn: usize,
        /// Triangles of the pattern's mesh.
        pattern: usize,
    },
    /// The body cannot be searched for its nearest points.
    #[error("the body: {0}")]
    Solid(#[from] toile_collide::field::SolidError),
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
            Self::Open { .. } => {
                "the garment may be too tight for the body, or something is between the panels: try another size or pose"
            }
            Self::NotTheSame { .. } => "judge a garment by the mesh it was made from",
            Self::Solid(_) => "mend the mesh of the body: see `toile body measure`",
            Self::Body(_) | Self::Audit(_) | Self::Sim(_) => "see the message",
        }
    }
}
