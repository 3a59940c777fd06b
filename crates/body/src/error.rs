//! What can go wrong.

/// An error of the library.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A measurement that no body has.
    #[error("{name} = {value} is not possible: it must lie between {low} and {high}")]
    Measurement {
        /// Its name.
        name: &'static str,
        /// Its value, with the unit.
        value: String,
        /// The least possible, with the unit.
        low: String,
        /// The greatest possible, with the unit.
        high: String,
    },
    /// Measurements that no body has together.
    #[error("{what}")]
    Combination {
        /// Which, and why not.
        what: String,
    },
    /// No body could be made to these measurements.
    #[error("no body fits these measurements: {what}")]
    NoFit {
        /// What is left over.
        what: String,
    },
    /// A mesh cannot be measured as a human body.
    #[error("the mesh cannot be measured as a human body: {what}")]
    NotHuman {
        /// What is missing.
        what: String,
    },
    /// A motion cannot be read or performed.
    #[error("{name}: {what}")]
    Motion {
        /// The file, or the clip.
        name: String,
        /// What is wrong, with the line.
        what: String,
        /// What to do about it.
        help: &'static str,
    },
    /// A mesh cannot be repaired.
    #[error("the mesh cannot be used as a body: {what}")]
    Unusable {
        /// Why not.
        what: String,
        /// What to do about it.
        help: &'static str,
    },
}

impl Error {
    /// What to do about it.
    pub fn help(&self) -> &'static str {
        match self {
            Self::Measurement { .. } => "measurements are in centimetres in files and in --set",
            Self::Combination { .. } | Self::NoFit { .. } => {
                "change one measurement at a time, beginning with the nearest size"
            }
            Self::NotHuman { .. } => {
                "the body must stand upright, undressed, arms away from the trunk and legs apart"
            }
            Self::Motion { help, .. } | Self::Unusable { help, .. } => help,
        }
    }
}
