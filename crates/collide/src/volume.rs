//! Bounding volumes (D3).

mod aabb;

pub use aabb::{Aabb, SweptVertices};
