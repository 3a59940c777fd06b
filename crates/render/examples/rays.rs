//! How many camera rays a core traces in a second: `rays CLOTH.obj BODY.obj FABRIC.toml [WIDTH HEIGHT SAMPLES]`.
//!
//! The garment is subdivided once and seen from the front in the studio, on one thread. Paths have up to eight bounces
//! and a shadow ray at each; what is printed counts the rays that leave the camera.

#![allow(clippy::print_stdout)] // a program, not the library

use std::error::Error;
use std::sync::Arc;
use std::time::Instant;
use toile_mesh::io::read_mesh;
use toile_render::appearance::{Appearance, Fabric};
use toile_render::detail::subdivide;
use toile_render::path::{Material, Scene, Settings, Surface, render};
use toile_render::{Camera, srgb};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [cloth, body, fabric, size @ ..] = &arguments[..] else {
        return Err("usage: rays CLOTH.obj BODY.obj FABRIC.toml [WIDTH HEIGHT SAMPLES]".into());
    };
    let number = |k: usize, or: u32| size.get(k).map_or(Ok(or), |a| a.parse());
    let (width, height, samples) = (number(0, 640)?, number(1, 480)?, number(2, 16)?);
    let table: toml::Table = std::fs::read_to_string(fabric)?.parse()?;
    let look: Appearance = table["appearance"].clone().try_into()?;
    let fabric = Arc::new(Fabric::new(&look, None)?);
    let (cloth, body) = (subdivide(&read_mesh(cloth)?, 1)?, read_mesh(body)?);
    let (lo, hi) = cloth.bounds().ok_or("no cloth")?;
    let (ground, _) = body.bounds().ok_or("no body")?;
    let camera = Camera::framing(lo, hi, 0.0, 0.08, f64::from(width) / f64::from(height));
    let skin = Material::Lacquer { colour: srgb(0xcfc6bb), roughness: 0.55, ior: 1.45 };
    let scene = Scene::studio(camera)
        .with(Surface::new(&cloth, Material::Cloth(fabric)))
        .with(Surface::new(&body, skin))
        .with_floor(ground.y);
    let settings = Settings { samples, ..Settings::new(width, height) };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    let start = Instant::now();
    let buffers = pool.install(|| render(&scene, &settings))?;
    let seconds = start.elapsed().as_secs_f64();
    let rays: u64 = buffers.samples.iter().map(|s| u64::from(*s)).sum();
    let triangles = cloth.triangles.len() + body.triangles.len();
    println!(
        "{rays} camera rays in {seconds:.2} s on one thread, {triangles} triangles: {:.2} million rays a second",
        1e-6 * rays as f64 / seconds
    );
    Ok(())
}
