//! What can be wrong with the input of an audit.

use glam::DVec3;

/// Why an audit was refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A position is infinite or not a number.
    #[error("vertex {vertex} is not finite: {position}")]
    NotFinite {
        /// Its index.
        vertex: u32,
        /// Where it is [m].
        position: DVec3,
    },
    /// A position for which the predicates would not be exact.
    #[error(
        "vertex {vertex} is at {:?}, where predicates are not exact; \
         move the mesh to the origin and check its units", position.to_array()
    )]
    OutOfRange {
        /// Its index.
        vertex: u32,
        /// Where it is [m].
        position: DVec3,
    },
    /// A triangle uses a vertex that does not exist.
    #[error("triangle {triangle} uses a vertex that is not among the {vertices}")]
    NoSuchVertex {
        /// Its index.
        triangle: u32,
        /// How many vertices there are.
        vertices: u32,
    },
    /// An edge uses a vertex that does not exist.
    #[error("edge {edge} uses a vertex that is not among the {vertices}")]
    NoSuchVertexOfEdge {
        /// Its index.
        edge: u32,
        /// How many vertices there are.
        vertices: u32,
    },
    /// A body with a radius, a size or a normal that is not positive and finite.
    #[error("the body has a size, a radius or a normal that is zero, negative or not finite")]
    NotASolid,
    /// Rest lengths of other edges than these.
    #[error("{lengths} rest lengths for {edges} edges")]
    RestLengths {
        /// How many rest lengths there are.
        lengths: usize,
        /// How many edges there are.
        edges: usize,
    },
    /// An edge whose strain is not defined.
    #[error("edge {edge} has no strain: rest length {rest} m, length {length} m")]
    NoStrain {
        /// Its index.
        edge: u32,
        /// Rest length [m].
        rest: f64,
        /// Length [m].
        length: f64,
    },
}
