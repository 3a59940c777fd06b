//! Swatches of fabrics over a roll: `swatches OUT.png NEAR|FAR [SAMPLES] [NAME...]`.

#![allow(clippy::print_stdout)] // a program, not the library

use glam::{DVec2, DVec3};
use std::error::Error;
use std::f64::consts::PI;
use std::fs::File;
use std::sync::Arc;
use toile_mesh::TriMesh;
use toile_render::appearance::{Fabric, preset, preset_names};
use toile_render::path::{Material, Scene, Settings, Surface, render};
use toile_render::tone::{Exposure, Operator, develop};
use toile_render::{Camera, Image};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [out, distance, rest @ ..] = &arguments[..] else {
        return Err("usage: swatches OUT.png NEAR|FAR [SAMPLES] [NAME...]".into());
    };
    let samples = rest.first().map_or(Ok(64), |s| s.parse())?;
    let names: Vec<&str> = if rest.len() > 1 {
        rest[1..].iter().map(String::as_str).collect()
    } else {
        preset_names().to_vec()
    };
    let near = distance == "NEAR";
    let sheet = roll(if near { 0.012 } else { 0.12 });
    let table = roll_table(if near { 0.012 } else { 0.12 });
    let mut pictures = Vec::new();
    for name in names {
        let fabric = Arc::new(Fabric::new(&preset(name).ok_or("no such fabric")?, None)?);
        println!("{name}: open {:.3}, {:.2} mm", fabric.openness(), fabric.thickness() * 1e3);
        let size = if near { 0.012 } else { 0.12 };
        let camera = Camera {
            eye: DVec3::new(0.15, 1.5, 2.2) * size * 2.4,
            target: DVec3::new(0.0, 0.0, 0.0) * size,
            up: DVec3::Y,
            fov_y: 0.32,
        };
        let wood = Material::Lacquer { colour: [0.2, 0.16, 0.13], roughness: 0.6, ior: 1.5 };
        let scene = Scene::studio(camera)
            .with(Surface::new(&sheet, Material::Cloth(fabric)))
            .with(Surface::new(&table, wood));
        let settings = Settings { samples, ..Settings::new(300, 300) };
        let buffers = render(&scene, &settings)?;
        let image = develop(&buffers.denoised(), Operator::Film, Exposure::Stops(0.0))?;
        pictures.push(image);
    }
    Image::contact_sheet(&pictures, 6)?.write_png(File::create(out)?)?;
    Ok(())
}

/// A flat piece that goes over a roll at its back.
fn roll(size: f64) -> TriMesh {
    let (columns, rows) = (40, 120);
    let radius = 0.35 * size;
    let profile = |s: f64| {
        // Flat for a while, then up and over the roll.
        let flat = 0.9 * size;
        let bend = (s - flat) / radius;
        if s < flat {
            DVec2::new(0.9 * size - s, 0.0)
        } else {
            let a = bend.min(1.2 * PI);
            DVec2::new(-radius * a.sin(), radius * (1.0 - a.cos()))
        }
    };
    let mut mesh = TriMesh::default();
    for j in 0..=rows {
        let s = f64::from(j) / f64::from(rows) * (0.9 * size + 1.2 * PI * radius);
        let p = profile(s);
        for i in 0..=columns {
            let x = (f64::from(i) / f64::from(columns) - 0.5) * 2.4 * size;
            mesh.positions.push(DVec3::new(x, p.y - 0.2 * size, p.x - 0.1 * size));
            mesh.uv.push(DVec2::new(x, s));
        }
    }
    for j in 0..rows as u32 {
        for i in 0..columns as u32 {
            let a = j * (columns as u32 + 1) + i;
            let b = a + columns as u32 + 1;
            mesh.triangles.extend([[a, a + 1, b + 1], [a, b + 1, b]]);
        }
    }
    mesh.uv_triangles = mesh.triangles.clone();
    mesh
}

/// A table below.
fn roll_table(size: f64) -> TriMesh {
    let corner = |x: f64, z: f64| DVec3::new(x, -0.23, z) * size;
    let positions =
        vec![corner(-9.0, 9.0), corner(9.0, 9.0), corner(9.0, -9.0), corner(-9.0, -9.0)];
    TriMesh::new(positions, vec![[0, 1, 2], [0, 2, 3]])
}
