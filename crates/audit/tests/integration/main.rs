//! The audit: all integration tests in one program, which links once.

mod bodies;
mod rational;
mod referee;
mod self_intersection;
