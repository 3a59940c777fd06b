//! Pictures of cloth, made by ray tracing on the CPU.
//!
//! A [`Scene`] holds meshes with [`Material`]s, a [`Light`], a [`Backdrop`] and a [`Camera`];
//! [`render`] turns it into an [`Image`].

mod bvh;
mod camera;
mod denoise;
mod error;
mod geometry;
mod image;
mod layer;
mod render;
mod sampler;
mod scene;
mod shade;
mod tone;

pub use camera::Camera;
pub use error::Error;
pub use image::Image;
pub use render::{MAX_PIXELS, MAX_SAMPLES, Settings, render};
pub use scene::{Backdrop, Item, Light, Material, Scene, palette, srgb};
