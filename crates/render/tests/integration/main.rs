//! The renderer: all integration tests in one program, which links once.

mod appearance;
mod files;
mod light;
mod path;
mod robust;
mod shapes;
