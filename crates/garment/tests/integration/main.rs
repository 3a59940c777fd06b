//! Garments: all integration tests in one program, which links once.

mod fit;
mod garments;
mod resume;
