//! A path-traced picture of a draped garment: `photo OUT.png CLOTH.obj BODY.obj [FABRIC] [width height] [samples] [zoom]
//! [azimuth] [noise]`.
//!
//! `zoom` above 1 looks at the middle of the cloth from nearer. Prints what each stage takes.

#![allow(clippy::print_stdout)] // a program, not the library

use glam::DVec3;
use std::error::Error;
use std::fs::File;
use std::sync::Arc;
use std::time::Instant;
use toile_mesh::TriMesh;
use toile_mesh::io::read_mesh;
use toile_render::appearance::{Fabric, preset};
use toile_render::detail::{Hem, Stitch, borders, hem_band, rim, stitches, subdivide};
use toile_render::path::{Material, Scene, Settings, Surface, render};
use toile_render::tone::{Exposure, Operator, develop};
use toile_render::{Camera, srgb};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [out, cloth, body, rest @ ..] = &arguments[..] else {
        return Err(
            "usage: photo OUT.png CLOTH.obj BODY.obj [FABRIC] [W H] [SAMPLES] [ZOOM] [AZIMUTH] [NOISE]".into()
        );
    };
    let number = |k: usize, or: f64| rest.get(k).map_or(Ok(or), |a| a.parse::<f64>());
    let name = rest.first().map_or("cotton-jersey", String::as_str);
    let (width, height) = (number(1, 1280.0)? as u32, number(2, 960.0)? as u32);
    let (samples, zoom) = (number(3, 64.0)? as u32, number(4, 1.0)?);
    let azimuth = number(5, 0.35)?;

    let (cloth, body) = (read_mesh(cloth)?, read_mesh(body)?);
    let (lo, hi) = cloth.bounds().ok_or("no cloth")?;
    let (ground, _) = body.bounds().ok_or("no body")?;
    let start = Instant::now();
    let appearance = preset(name).ok_or("no such fabric")?;
    let fabric = Arc::new(Fabric::new(&appearance, None)?);
    println!("fabric {:.2} s, open {:.3}", start.elapsed().as_secs_f64(), fabric.openness());

    let aspect = f64::from(width) / f64::from(height);
    let mut camera = Camera::framing(lo, hi, azimuth, 0.08, aspect);
    if zoom > 1.0 {
        let target = camera.target + DVec3::new(0.0, 0.12, 0.1);
        camera.eye = target + (camera.eye - target) / zoom;
        camera.target = target;
    }
    let skin = Material::Lacquer { colour: srgb(0xcfc6bb), roughness: 0.55, ior: 1.45 };
    let start = Instant::now();
    let thickness = f64::from(fabric.thickness()).max(4e-4);
    let smooth = subdivide(&cloth, 1)?;
    let (mut edges, mut threads) = (TriMesh::default(), TriMesh::default());
    let hem = Hem { thickness, width: 0.02 };
    for border in &borders(&smooth) {
        append(&mut edges, &rim(&smooth, border, &hem));
        append(&mut edges, &hem_band(&smooth, border, &hem));
        for inset in [0.019, 0.0145] {
            let stitch = Stitch { length: 2.6e-3, thread: 0.45e-3, inset, lift: 0.25 * thickness };
            append(&mut threads, &stitches(&smooth, border, &stitch));
        }
    }
    println!(
        "details {:.2} s: {} triangles of cloth, {} of edges, {} of threads",
        start.elapsed().as_secs_f64(),
        smooth.triangles.len(),
        edges.triangles.len(),
        threads.triangles.len()
    );
    let thread = Material::Matte {
        front: fabric.mean_colour(true).map(|c| (c * 1.25).min(1.0)),
        back: fabric.mean_colour(true),
        roughness: 0.4,
    };
    let scene = Scene::studio(camera)
        .with(Surface::new(&smooth, Material::Cloth(Arc::clone(&fabric))))
        .with(Surface::new(&edges, Material::Cloth(fabric)))
        .with(Surface::new(&threads, thread))
        .with(Surface::new(&body, skin).with_crease(0.7))
        .with_floor(ground.y);
    let settings =
        Settings { samples, noise: number(6, 0.0)? as f32, ..Settings::new(width, height) };
    let start = Instant::now();
    let buffers = render(&scene, &settings)?;
    let traced = start.elapsed().as_secs_f64();
    let start = Instant::now();
    let light = buffers.denoised();
    println!("traced {traced:.2} s, denoised {:.2} s", start.elapsed().as_secs_f64());
    for (name, light) in [(out.clone(), &light), (out.replace(".png", "-raw.png"), &buffers.colour)]
    {
        let image = develop(light, Operator::Film, Exposure::Stops(0.0))?;
        image.write_png(File::create(name)?)?;
    }
    Ok(())
}

/// Adds a mesh to another.
fn append(to: &mut TriMesh, from: &TriMesh) {
    let (p, q) = (to.positions.len() as u32, to.uv.len() as u32);
    to.positions.extend(&from.positions);
    to.uv.extend(&from.uv);
    to.triangles.extend(from.triangles.iter().map(|t| t.map(|v| v + p)));
    to.uv_triangles.extend(from.uv_triangles.iter().map(|t| t.map(|v| v + q)));
}
