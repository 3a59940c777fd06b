//! A swatch: a piece of cloth flat on a table, and over a roll behind.

use super::{Drawn, Options, Wardrobe, failed};
use crate::error::Error;
use glam::{DVec2, DVec3};
use std::f64::consts::PI;
use toile_mesh::TriMesh;
use toile_render::Camera;
use toile_render::path::{Material, Scene, Surface};

/// Size of the pieces [m]: from afar, and near enough to see the yarns.
const SIZES: [f64; 2] = [0.12, 0.012];
/// Rows and columns of the sheet.
const CELLS: [u32; 2] = [40, 160];

/// Draws a fabric over a roll, twice beside itself: 25 cm of it, and 25 mm, where yarns are seen.
///
/// # Errors
/// If there is no such fabric.
pub fn swatch(
    fabric: &str,
    options: &Options,
    tell: &(impl Fn(f64) -> bool + Sync),
) -> Result<Drawn, Error> {
    let wardrobe = Wardrobe::new([fabric])?;
    let garb = wardrobe.get(fabric)?;
    let [width, height] = options.size.unwrap_or([1200, 600]);
    let mut images = Vec::new();
    for (k, size) in SIZES.into_iter().enumerate() {
        let (sheet, table) = (roll(size), table(size));
        let camera = Camera {
            eye: DVec3::new(0.15, 1.5, 2.2) * size * 2.4,
            target: DVec3::Y * (-0.04 * size),
            up: DVec3::Y,
            fov_y: 0.32,
        };
        let wood = Material::Lacquer { colour: [0.2, 0.16, 0.13], roughness: 0.6, ior: 1.5 };
        let scene = Scene::studio(camera)
            .with(Surface::new(&sheet, Material::Cloth(garb.fabric.clone())))
            .with(Surface::new(&table, wood));
        let part = |share: f64| tell(0.5 * (k as f64 + share));
        let buffers = options.trace(&scene, [width / 2, height], &part)?;
        images.push(options.develop(&buffers)?);
    }
    let image = toile_render::Image::contact_sheet(&images, 2).map_err(failed)?;
    Ok(Drawn { images: vec![image], buffers: None, fps: 1.0, notes: wardrobe.notes().to_vec() })
}

/// A flat piece that goes over a roll at its back.
fn roll(size: f64) -> TriMesh {
    let [columns, rows] = CELLS;
    let radius = 0.35 * size;
    let flat = 0.9 * size;
    let profile = |s: f64| {
        // Flat for a while, then up and over the roll.
        if s < flat {
            return DVec2::new(flat - s, 0.0);
        }
        let a = ((s - flat) / radius).min(1.2 * PI);
        DVec2::new(-radius * a.sin(), radius * (1.0 - a.cos()))
    };
    let mut mesh = TriMesh::default();
    for j in 0..=rows {
        let s = f64::from(j) / f64::from(rows) * (flat + 1.2 * PI * radius);
        let p = profile(s);
        for i in 0..=columns {
            let x = (f64::from(i) / f64::from(columns) - 0.5) * 2.4 * size;
            mesh.positions.push(DVec3::new(x, p.y - 0.2 * size, p.x - 0.1 * size));
            mesh.uv.push(DVec2::new(x, s));
        }
    }
    for j in 0..rows {
        for i in 0..columns {
            let a = j * (columns + 1) + i;
            let b = a + columns + 1;
            mesh.triangles.extend([[a, a + 1, b + 1], [a, b + 1, b]]);
        }
    }
    mesh.uv_triangles = mesh.triangles.clone();
    mesh
}

/// A table below.
fn table(size: f64) -> TriMesh {
    let corner = |x: f64, z: f64| DVec3::new(x, -0.23, z) * size;
    let positions =
        vec![corner(-9.0, 9.0), corner(9.0, 9.0), corner(9.0, -9.0), corner(-9.0, -9.0)];
    TriMesh::new(positions, vec![[0, 1, 2], [0, 2, 3]])
}
