//! A swatch: a piece of cloth flat on a table, and over a roll behind.

use super::{Drawn, Options, Wardrobe, failed};
use crate::error::Error;
use glam::{DVec2, DVec3};
use toile_mesh::TriMesh;
use toile_render::Camera;
use toile_render::light::Lamp;
use toile_render::path::{Material, Scene, Surface};

/// Size of the pieces [m]: from afar, and near enough to see the yarns.
const SIZES: [f64; 2] = [0.12, 0.012];
/// Rows and columns of the sheet.
const CELLS: [u32; 2] = [40, 160];

/// Draws a fabric over a roll, twice beside itself: 30 cm of it, and 3 cm, where yarns are seen.
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
        let sheet = roll(size);
        let table = rectangle(size, [-9.0, 9.0], [-9.0, 9.0], -0.24);
        // Sheer cloth shows the bar that lies below it.
        let bar = rectangle(size, [0.35, 0.75], [0.3, 2.0], -0.238);
        let camera = Camera {
            eye: DVec3::new(0.15, 1.3, 2.3) * size * 2.15,
            target: DVec3::new(0.0, 0.0, 0.3) * size,
            up: DVec3::Y,
            fov_y: 0.32,
        };
        let matte = |c: f32| Material::Matte { front: [c; 3], back: [c; 3], roughness: 0.3 };
        // Light from the side shows the relief and the gloss; the studio fills the shadows.
        let key = Lamp::Area {
            centre: DVec3::new(-3.0, 1.5, 0.9) * size,
            half_u: DVec3::new(0.3, 0.55, 0.0) * size,
            half_v: DVec3::new(0.0, 0.0, 0.7) * size,
            radiance: [19.0, 18.6, 18.0],
        };
        let mut scene = Scene::studio(camera)
            .with(Surface::new(&sheet, Material::Cloth(garb.fabric.clone())))
            .with(Surface::new(&table, matte(0.62)))
            .with(Surface::new(&bar, matte(0.03)));
        scene.environment = scene.environment.scaled(0.72);
        scene.lamps.push(key);
        let part = |share: f64| tell(0.5 * (k as f64 + share));
        let buffers = options.trace(&scene, [width / 2, height], &part)?;
        images.push(options.develop(&buffers)?);
    }
    let image = toile_render::Image::contact_sheet(&images, 2).map_err(failed)?;
    Ok(Drawn { images: vec![image], buffers: None, fps: 1.0, notes: wardrobe.notes().to_vec() })
}

/// Height of the cloth over the table in units of the piece, at a place from the viewer (z = 1) to the back: flat, with
/// shallow folds, then over a roll.
fn height(x: f64, z: f64) -> f64 {
    let off = (z - ROLL_AT) / ROLL_WIDTH;
    let roll = ROLL_HEIGHT * libm::exp(-off * off);
    // Folds open from the roll to the front edge.
    let opening = (0.5 * (z + 0.35)).clamp(0.0, 1.0);
    let folds = 0.16 * opening * (1.0 + libm::sin(4.9 * x + 0.7 * z + 0.5 * libm::sin(1.7 * x)));
    roll + folds + 0.02
}

const ROLL_AT: f64 = -0.35;
const ROLL_WIDTH: f64 = 0.42;
const ROLL_HEIGHT: f64 = 0.62;

/// A piece of cloth over a roll.
fn roll(size: f64) -> TriMesh {
    let [columns, rows] = CELLS;
    let mut mesh = TriMesh::default();
    let mut s = 0.0;
    let z = |j: u32| 1.15 - 2.2 * f64::from(j) / f64::from(rows);
    for j in 0..=rows {
        if j > 0 {
            let step = DVec2::new(z(j) - z(j - 1), height(0.0, z(j)) - height(0.0, z(j - 1)));
            s += step.length() * size;
        }
        for i in 0..=columns {
            let x = (f64::from(i) / f64::from(columns) - 0.5) * 3.2;
            mesh.positions.push(DVec3::new(x, height(x, z(j)) - 0.2, z(j)) * size);
            mesh.uv.push(DVec2::new(x * size, s));
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

/// A rectangle on the table, from corner to corner in units of the piece.
fn rectangle(size: f64, [x0, x1]: [f64; 2], [z0, z1]: [f64; 2], y: f64) -> TriMesh {
    let corner = |x: f64, z: f64| DVec3::new(x, y, z) * size;
    let positions = vec![corner(x0, z1), corner(x1, z1), corner(x1, z0), corner(x0, z0)];
    TriMesh::new(positions, vec![[0, 1, 2], [0, 2, 3]])
}
