//! Dresses the mannequin: `cargo run --release -p toile-garment --example dress -- tshirt 0.02 out.png`.

#![allow(clippy::print_stdout, reason = "an example prints what it does")]

use std::time::Instant;
use toile_body::{Figure, Mannequin, Pose};
use toile_garment::{Fitting, Stage, arrange};
use toile_mesh::TriMesh;
use toile_pattern::design::Design;
use toile_pattern::{Size, meshing};
use toile_sim::Fabric;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().collect();
    let name = args.get(1).map_or("tshirt", String::as_str);
    let edge: f64 = args.get(2).and_then(|a| a.parse().ok()).unwrap_or(0.025);
    let most: u32 = args.get(3).and_then(|a| a.parse().ok()).unwrap_or(120);
    let out = args.get(4).map_or("/tmp/dress", String::as_str);
    let design = Design::find(name).ok_or("no such design")?;
    let figure = Figure::Female;
    let measurements = figure.measurements(Size::M);
    let body = Mannequin::new(&measurements, figure, Pose::A)?;
    let pattern = design.draft(&measurements);
    let mesh = meshing::mesh(&pattern, edge)?;
    let arranged = arrange(&pattern, &mesh, &body.mesh, &body.landmarks)?;
    let fabric = Fabric::default();
    let mut fitting = Fitting::new(&mesh, &arranged, &body.mesh, &fabric)?;
    println!("{} vertices", fitting.world().state().x.len());
    draw(&fitting, &body.mesh, &format!("{out}-arranged.png"))?;
    let clock = Instant::now();
    for step in 0..most {
        let report = fitting.step()?;
        if step % 5 == 0 || fitting.stage() == Stage::Done {
            println!(
                "{step} {:?} wall {:.1} gap {:.4} newton {} contacts {} strain {:.3} speed {:.4}",
                fitting.stage(),
                clock.elapsed().as_secs_f64(),
                fitting.widest_gap(),
                report.iterations,
                report.contacts,
                fitting.world().max_strain(),
                fitting.world().state().rms_speed()
            );
        }
        if fitting.stage() == Stage::Done {
            break;
        }
    }
    draw(&fitting, &body.mesh, &format!("{out}.png"))?;
    Ok(())
}

/// From the front and from the back.
fn draw(fitting: &Fitting, body: &TriMesh, path: &str) -> Result<(), Box<dyn std::error::Error>> {
    use toile_render::{Camera, Material, Scene, Settings, palette, render};
    let model = fitting.world().model();
    let x = &fitting.world().state().x;
    let part = |range: &std::ops::Range<u32>| {
        let triangles = model.mesh.triangles[range.start as usize..range.end as usize].to_vec();
        TriMesh::new(x.clone(), triangles)
    };
    let cloths: Vec<TriMesh> = model.triangles.iter().map(part).collect();
    for (side, azimuth) in [("front", 25.0_f64), ("back", 205.0)] {
        let (low, high) = body.bounds().ok_or("no body")?;
        let camera = Camera::framing(low, high, azimuth.to_radians(), 0.1, 600.0 / 900.0);
        let mut scene = Scene::new(camera).with_item(body, Material::plaster()).with_ground(0.0);
        for (i, cloth) in cloths.iter().enumerate() {
            let (front, back) = palette(i);
            scene = scene.with_item(cloth, Material::cloth(front, back));
        }
        let picture = render(&scene, &Settings { samples: 4, ..Settings::new(600, 900) })?;
        let mut bytes = Vec::new();
        picture.write_png(&mut bytes)?;
        std::fs::write(path.replace(".png", &format!("-{side}.png")), bytes)?;
    }
    Ok(())
}
