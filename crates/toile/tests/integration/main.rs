//! The library: all integration tests in one program, which links once.

mod levels;
mod scenes;
mod settings;
mod untangle;
