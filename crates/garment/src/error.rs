//! Errors between a pattern and a finished garment.

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
        /// What it collides with.
        what: String,
    },
    /// A seam does not close.
    #[error(
        "seam \"{seam}\" between \"{}\" and \"{}\" stays open by {:.0} mm, {:.0} cm above the ground{}",
        panels[0], panels[1], 1e3 * gap, 1e2 * height, compared(*girths)
    )]
    Open {
        /// Its name.
        seam: String,
        /// The panels on both sides.
        panels: [String; 2],
        /// How far [m].
        gap: f64,
        /// Where [m].
        height: f64,
        /// Girth of the body and length of the unstretched cloth around it there [m], if it goes around.
        girths: Option<[f64; 2]>,
    },
    /// A panel has fallen off the body.
    #[error("panel \"{panel}\" has fallen off the body: nothing holds it up")]
    Fallen {
        /// Its name.
        panel: String,
    },
    /// What is worn is not what the pattern was meshed to.
    #[error("the garment has {worn} triangles, its pattern {pattern}")]
    NotTheSame {
        /// Triangles as worn.
        worn: usize,
        /// Triangles of the pattern's mesh.
        pattern: usize,
    },
    /// A saved state belongs to another garment, body or fabric.
    #[error("the saved state belongs to another garment")]
    OtherGarment,
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

/// Whether there is cloth enough.
fn compared(girths: Option<[f64; 2]>) -> String {
    let Some([body, cloth]) = girths else { return String::new() };
    let [b, c] = [body, cloth].map(|g| 1e2 * g);
    let verdict = if cloth < body { "too tight by" } else { "wide enough, with an ease of" };
    format!(
        "; there the body measures {b:.1} cm and the cloth {c:.1} cm: {verdict} {:.1} cm",
        (b - c).abs()
    )
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
            Self::Open { girths: Some([body, cloth]), .. } if cloth < body => {
                "take a larger size, a smaller wearer, or a fabric that stretches"
            }
            Self::Open { .. } => {
                "something is between the panels, or they are far apart: try another pose, or give the panels another placement"
            }
            Self::Fallen { .. } => {
                "sew it to something that rests on the body, make it narrower, or give it an elastic"
            }
            Self::NotTheSame { .. } => "judge a garment by the mesh it was made from",
            Self::OtherGarment => "start again without resuming",
            Self::Solid(_) => "mend the mesh of the body: see `toile body measure`",
            Self::Body(_) | Self::Audit(_) | Self::Sim(_) => "see the message",
        }
    }
}
