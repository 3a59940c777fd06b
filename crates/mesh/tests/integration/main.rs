//! Mesh files: all integration tests in one program, which links once.

mod files;
mod hostile;
