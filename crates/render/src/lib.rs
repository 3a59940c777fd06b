//! Pictures of cloth, made by ray tracing on the CPU.
//!
//! A [`Scene`] holds meshes with [`Material`]s, a [`Light`], a [`Backdrop`] and a [`Camera`];
//! [`render`] turns it into an [`Image`]. Images become PNG files, contact sheets and, frame by frame,
//! [`apng`] and [`gif`] animations.
//!
//! ```
//! use toile_mesh::shape::{Diagonals, grid};
//! use toile_render::{Camera, Material, Scene, Settings, palette, render};
//!
//! let cloth = grid(1.0, 1.0, 10, 10, Diagonals::Alternating);
//! let (lo, hi) = cloth.bounds().expect("a grid has vertices");
//! let (front, back) = palette(0);
//! let scene = Scene::new(Camera::framing(lo, hi, 0.5, 0.4, 4.0 / 3.0))
//!     .with_item(&cloth, Material::cloth(front, back).with_check(0.05))
//!     .with_ground(-0.2);
//! let image = render(&scene, &Settings::new(64, 48))?;
//! let mut file = Vec::new();
//! image.write_png(&mut file)?;
//! # Ok::<(), toile_render::Error>(())
//! ```
//!
//! The renderer is deterministic: the same scene gives the same bytes for any number of threads.

pub mod apng;
pub mod appearance;
mod bsdf;
mod bvh;
mod camera;
mod colours;
pub mod compose;
mod denoise;
pub mod detail;
pub mod environment;
mod error;
mod frame;
mod geometry;
pub mod gif;
pub mod hdr;
mod image;
pub mod label;
pub mod light;
pub mod path;
mod preview;
mod sampler;
mod scene;
pub mod tone;
mod warp;

pub use camera::Camera;
pub use error::Error;
pub use image::Image;
pub use preview::{MAX_PIXELS, MAX_SAMPLES, Settings, render};
pub use scene::{Backdrop, Item, Light, Material, Scene, palette, srgb};
