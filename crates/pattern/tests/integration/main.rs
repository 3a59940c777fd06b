//! Patterns: all integration tests in one program, which links once.

mod check;
mod design;
mod dxf;
mod export;
mod file;
mod freesewing;
mod garmentcode;
mod infer;
mod meshing;
mod svg;
