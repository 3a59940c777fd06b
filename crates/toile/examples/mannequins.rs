//! Pictures of the mannequins: woman, man and child from four sides, and head, hand and foot from near.
//!
//! `cargo run --release -p toile --example mannequins -- mannequin.png details.png`; a size and a pose may follow, as `XL relaxed`.

#![allow(clippy::print_stdout, reason = "an example prints what it does")]

use glam::DVec3;
use std::f64::consts::PI;
use toile_body::{Body, Figure, Mannequin, Pose};
use toile_pattern::Size;
use toile_render::{Camera, Image, Material, Scene, Settings, render};

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

/// A body as far as it is in a box of these corners, from a side and from above [rad].
fn picture(
    body: &Body,
    lo: DVec3,
    hi: DVec3,
    side: f64,
    above: f64,
    size: [u32; 2],
) -> Outcome<Image> {
    let aspect = f64::from(size[0]) / f64::from(size[1]);
    let camera = Camera::framing(lo, hi, side, above, aspect);
    let mut scene = Scene::new(camera).with_item(&body.mesh, Material::plaster()).with_ground(0.0);
    // More key and less sky than in other pictures: there is only form to be seen.
    scene.light.key = scene.light.key.map(|c| 1.12 * c);
    scene.light.sky = scene.light.sky.map(|c| 0.5 * c);
    let settings = Settings { samples: 16, ..Settings::new(size[0], size[1]) };
    Ok(render(&scene, &settings)?)
}

fn main() -> Outcome<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [whole, near] = [0, 1].map(|i| words.get(i).filter(|w| w.ends_with(".png")));
    let size = words.iter().find_map(|w| Size::parse(w)).unwrap_or(Size::M);
    let pose = words.iter().skip(2).find_map(|w| Pose::parse(w)).unwrap_or(Pose::A);
    let (mut sides, mut details) = (Vec::new(), Vec::new());
    for figure in Figure::ALL {
        let body = Mannequin::new(&figure.measurements(size), figure, pose)?;
        println!("{} {}: {} triangles", figure.name(), size.name(), body.mesh.triangles.len());
        let (lo, hi) = body.mesh.bounds().ok_or("an empty body")?;
        let deep = DVec3::new(0.0, 0.0, 0.15);
        let middle = |x: f64| DVec3::new(x, 0.0, 0.0);
        for (side, reach) in [(0.0, hi.x), (0.6, 0.85 * hi.x), (0.5 * PI, 0.2), (PI, hi.x)] {
            let (lo, hi) = (middle(-reach) - deep, middle(reach).with_y(hi.y) + deep);
            // Each figure fills its picture.
            sides.push(picture(&body, lo, hi, side, 0.05, [292, 344])?);
        }
        if figure == Figure::Child {
            continue;
        }
        let h = hi.y - lo.y;
        let l = &body.landmarks;
        let head = DVec3::new(0.0, l.crown.y - 0.070 * h, 0.0);
        let hand = l.wrist[0].lerp(l.hand[0], 0.45);
        let foot = l.ankle[0].with_y(0.03 * h) + DVec3::new(0.0, 0.0, 0.035 * h);
        for (at, reach, side, above) in [
            (head, 0.078, 0.0, 0.0),
            (head, 0.078, 0.9, 0.05),
            (hand, 0.056, 0.5 * PI, 0.35),
            (hand, 0.056, -0.75, 0.1),
            (foot, 0.062, 0.75, 0.45),
        ] {
            let reach = DVec3::splat(reach * h);
            details.push(picture(&body, at - reach, at + reach, side, above, [270, 270])?);
        }
    }
    for (path, pictures, columns) in [(whole, &sides, 4), (near, &details, 5)] {
        if let Some(path) = path {
            let mut bytes = Vec::new();
            Image::contact_sheet(pictures, columns)?.write_png(&mut bytes)?;
            std::fs::write(path, bytes)?;
        }
    }
    Ok(())
}
