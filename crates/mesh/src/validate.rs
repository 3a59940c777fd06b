//! Faults of meshes: what a simulation cannot live with.

/// One fault of a mesh.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Fault {}

/// What was found in a mesh.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Validation {}
