//! What a mesh can lack that fields, images and voxels need.

use glam::DVec3;

/// Why a mesh cannot be made solid, or a grid not be laid around it. Indices count from zero.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SolidError {
    /// There is nothing in it.
    #[error("the mesh has no triangles")]
    Empty,
    /// A coordinate is infinite or not a number.
    #[error("vertex {vertex} has a coordinate that is not finite")]
    NotFinite {
        /// Index of the vertex.
        vertex: u32,
    },
    /// A coordinate is so large that distances overflow.
    #[error("vertex {vertex} at {at} is too far out; are the units metres?")]
    TooFar {
        /// Index of the vertex.
        vertex: u32,
        /// Where it is [m].
        at: DVec3,
    },
    /// A triangle uses a vertex that does not exist.
    #[error("triangle {triangle} uses vertex {vertex}, but there are only {count} vertices")]
    IndexOutOfRange {
        /// Index of the triangle.
        triangle: u32,
        /// The index it uses.
        vertex: u32,
        /// How many vertices there are.
        count: usize,
    },
    /// The surface has a hole, or neighbours that face opposite sides.
    #[error(
        "the mesh is open at the edge of vertices {} and {} near {at} ({edges} such edges); \
         fill the holes and let all triangles face outwards", edge[0], edge[1]
    )]
    Open {
        /// The first open edge.
        edge: [u32; 2],
        /// The place of its first vertex [m].
        at: DVec3,
        /// How many edges are open.
        edges: usize,
    },
    /// The triangles face inwards.
    #[error("the mesh is inside out: its volume is {volume} m³; flip its triangles")]
    InsideOut {
        /// Enclosed volume [m³].
        volume: f64,
    },
    /// A spacing or margin that is not positive and finite.
    #[error("{name} is {value}; it must be positive and finite")]
    NotPositive {
        /// Which number.
        name: &'static str,
        /// Its value [m].
        value: f64,
    },
    /// The grid would not fit in memory.
    #[error("a grid of {nodes:.3e} nodes is too large (at most {limit}); use a coarser spacing")]
    TooFine {
        /// How many nodes it would have.
        nodes: f64,
        /// How many are allowed.
        limit: usize,
    },
}
