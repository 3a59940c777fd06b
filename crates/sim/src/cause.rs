//! Why no feasible step was found.

/// Why no feasible step was found, with the figures that tell.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Cause {
    /// Collisions were left after the last round of responses.
    Collisions {
        /// How many.
        left: usize,
    },
    /// Prescribed vertices stretch or twist the cloth beyond what its fabric can follow.
    Stretched {
        /// Name of the cloth.
        cloth: String,
        /// Ends of its most stretched edge, numbered within the cloth.
        edge: [u32; 2],
        /// How much longer than at rest it is, as a part of its rest length.
        strain: f64,
        /// Number of edges that are stretched by more than a fifth.
        stretched: usize,
        /// Number of edges of the cloth.
        edges: usize,
        /// Least length of an edge over its rest length.
        compressed: f64,
        /// Numbers of the pins that hold this cloth.
        pins: Vec<usize>,
    },
    /// A contact blocks every search direction, and one of its features is kinematic.
    Pinched {
        /// The kinematic side: the name of a body, or prescribed vertices.
        by: String,
        /// Gap beyond the minimum separation [m].
        gap: f64,
        /// Minimum separation [m].
        separation: f64,
    },
    /// An edge beside the vertex is far shorter than most.
    ShortEdge {
        /// Its length at rest [m].
        length: f64,
        /// Median of all edges at rest [m].
        median: f64,
    },
    /// Self-contact blocks every search direction.
    SelfContact {
        /// Gap beyond the minimum separation [m].
        gap: f64,
        /// Minimum separation [m].
        separation: f64,
    },
    /// No contact blocks the step, but no descent direction was found.
    NoDescent,
    /// The linear solver produced non-finite values: a pair or a triangle is too stiff.
    LinearSystem,
    /// Unsupported cloth whose acceleration lacks this fraction of the external force: forces are lost to rounding.
    LostForce {
        /// Part of the force on the cloth that its motion lacks.
        missing: f64,
        /// Shortest edge at rest [m].
        shortest: f64,
    },
    /// A direction has more contact candidates than are kept in memory.
    TooManyPairs {
        /// Largest number of candidates.
        most: usize,
        /// Name of the cloth.
        cloth: String,
        /// Its most acute triangle, by the vertices of the cloth.
        triangle: [u32; 3],
        /// Longest edge over smallest height of that triangle.
        aspect: f64,
    },
}

/// Elongation beyond which a failed step is blamed on the prescribed vertices.
pub(crate) const EXCESSIVE_STRAIN: f64 = 0.2;

impl std::fmt::Display for Cause {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Collisions { left } => write!(f, "{left} collisions are left"),
            Self::Stretched { cloth, edge: [a, b], strain, stretched, edges, compressed, pins } => {
                let pins: Vec<String> = pins.iter().map(usize::to_string).collect();
                write!(
                    f,
                    "prescribed vertices stretch or twist \"{cloth}\" beyond what its fabric can follow (pins {}): edge {a}–{b} is {:.0} % \
                     longer than at rest, {stretched} of {edges} edges are by more than {:.0} %, and others are compressed to {:.0} % of \
                     their length",
                    pins.join(", "),
                    100.0 * strain,
                    100.0 * EXCESSIVE_STRAIN,
                    100.0 * compressed
                )
            }
            Self::Pinched { by, gap, separation } => write!(
                f,
                "cloth is pinched by {by}, at a gap of {gap:.3e} m beyond the minimum separation of {separation:.3e} m"
            ),
            Self::ShortEdge { length, median } => write!(
                f,
                "an edge of {length:.3e} m there is far shorter than the median of {median:.3e} m"
            ),
            Self::SelfContact { gap, separation } => write!(
                f,
                "self-contact blocks every search direction, at a gap of {gap:.3e} m beyond the minimum separation of {separation:.3e} m"
            ),
            Self::NoDescent => {
                write!(f, "no contact blocks the step, but no descent direction was found")
            }
            Self::LinearSystem => {
                write!(
                    f,
                    "the linear solver produced non-finite values: a force or a stiffness is too large"
                )
            }
            Self::LostForce { missing, shortest } => write!(
                f,
                "the cloth is unsupported, but {:.0} % of the external force does not accelerate it: with edges of {shortest:.3e} m, or \
                 a fabric this stiff, forces are lost to rounding",
                100.0 * missing
            ),
            Self::TooManyPairs { most, cloth, triangle: [a, b, c], aspect } => write!(
                f,
                "more than {most} contact candidates; the most acute triangle is {a}–{b}–{c} of \"{cloth}\", {aspect:.0} \
                 times as long as high"
            ),
        }
    }
}

impl Cause {
    /// What can be done about it.
    pub fn remedy(&self) -> &'static str {
        match self {
            Self::Stretched { .. } => {
                "move the pins less far apart, turn them less, or use a fabric that stretches more; a shorter step does not help"
            }
            Self::Pinched { .. } => {
                "leave the cloth more room between what pinches it, or make the step shorter: --set solver.step=SECONDS"
            }
            Self::ShortEdge { .. } => "mesh the cloth more evenly",
            Self::TooManyPairs { .. } => {
                "mesh the cloth with triangles that are less acute, or make the step shorter: --set solver.step=SECONDS"
            }
            Self::LostForce { .. } => {
                "use larger edges, or make the step shorter: --set solver.step=SECONDS"
            }
            Self::Collisions { .. }
            | Self::SelfContact { .. }
            | Self::NoDescent
            | Self::LinearSystem => {
                "make the step shorter: --set solver.step=SECONDS, or mesh the cloth more evenly"
            }
        }
    }
}
