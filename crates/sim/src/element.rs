//! Elements: energies on a few vertices each.

pub mod spring;

pub use spring::{Kind, Spring};
