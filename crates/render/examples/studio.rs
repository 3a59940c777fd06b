//! A made-up tablecloth over a ball, to look at the renderer: `studio OUT.png [width] [samples] [cloth] [check]`.
//!
//! The drape comes from a toy of springs and Verlet steps, so that this crate needs no simulator.

#![allow(clippy::print_stdout)] // a program, not the library

use glam::DVec3;
use std::error::Error;
use std::f64::consts::TAU;
use toile_mesh::TriMesh;
use toile_mesh::shape::{Diagonals, grid};
use toile_render::{Camera, Material, Scene, Settings, palette, render};

const CELLS: usize = 80;
const RADIUS: f64 = 0.3;
const CENTRE: DVec3 = DVec3::new(0.0, 0.42, 0.0);

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().ok_or("usage: studio OUT.png [width] [samples] [cloth] [check]")?;
    let width: u32 = arguments.next().map_or(Ok(960), |a| a.parse())?;
    let samples: u32 = arguments.next().map_or(Ok(8), |a| a.parse())?;
    let colours: usize = arguments.next().map_or(Ok(0), |a| a.parse())?;
    let check: f64 = arguments.next().map_or(Ok(0.0), |a| a.parse())?;

    let cloth = drape(grid(1.25, 1.25, CELLS, CELLS, Diagonals::Alternating), CELLS);
    let ball = ball(CENTRE, RADIUS - 0.004, 48, 52);
    let cube = cuboid(DVec3::new(0.50, 0.0, -0.38), DVec3::new(0.72, 0.22, -0.16));
    let (lo, hi) = cloth.bounds().ok_or("no cloth")?;
    let camera = Camera::framing(lo, hi, 0.55, 0.30, 4.0 / 3.0);
    let (front, back) = palette(colours);
    let mut fabric = Material::cloth(front, back);
    if check > 0.0 {
        fabric = fabric.with_check(check);
    }
    let scene = Scene::new(camera)
        .with_item(&cloth, fabric)
        .with_item(&ball, Material::plaster())
        .with_item(&cube, Material::plaster())
        .with_ground(0.0);
    let settings = Settings { samples, ..Settings::new(width, width * 3 / 4) };
    let start = std::time::Instant::now();
    let image = render(&scene, &settings)?;
    let triangles: usize = scene.items.iter().map(|i| i.mesh.triangles.len()).sum();
    println!("{triangles} triangles in {:.2} s", start.elapsed().as_secs_f64());
    image.write_png(std::fs::File::create(path)?)?;
    Ok(())
}

/// Drops a cloth of `n` × `n` cells over the ball and lets it come to rest: springs along threads
/// and diagonals, longer ones against bending, moved by Verlet steps. A toy, good for pictures only.
fn drape(mut cloth: TriMesh, n: usize) -> TriMesh {
    let turn = 0.5_f64;
    let lift = CENTRE.y + RADIUS + 0.01;
    cloth = cloth.map_positions(|p| {
        let (s, c) = turn.sin_cos();
        DVec3::new(c * p.x - s * p.z + 0.03, lift, s * p.x + c * p.z - 0.02)
    });
    let springs = springs(&cloth, n);
    let mut x = cloth.positions;
    let mut old = x.clone();
    for step in 0..1400 {
        let drag = if step < 1000 { 0.99 } else { 0.94 };
        for (p, q) in x.iter_mut().zip(&mut old) {
            let v = (*p - *q) * drag;
            *q = *p;
            *p += v - DVec3::Y * 9.8 * 1.6e-5;
        }
        for _ in 0..6 {
            for (a, b, rest, stiff) in &springs {
                let d = x[*b] - x[*a];
                let shift = d * (0.5 * stiff * (1.0 - rest / d.length().max(1e-9)));
                x[*a] += shift;
                x[*b] -= shift;
            }
        }
        for (p, q) in x.iter_mut().zip(&mut old) {
            let away = *p - CENTRE;
            if away.length() < RADIUS {
                *p = CENTRE + away.normalize() * RADIUS;
                *q = q.lerp(*p, 0.6);
            }
            if p.y < 0.004 {
                p.y = 0.004;
                *q = q.lerp(*p, 0.6);
            }
        }
    }
    cloth.positions = x;
    cloth
}

/// Pairs of vertices with rest length and stiffness.
fn springs(cloth: &TriMesh, n: usize) -> Vec<(usize, usize, f64, f64)> {
    let vertex = |i: usize, j: usize| i * (n + 1) + j;
    let mut springs = Vec::new();
    for i in 0..=n {
        for j in 0..=n {
            for (di, dj, stiff) in
                [(0, 1, 0.9), (1, 0, 0.9), (1, 1, 0.25), (1, -1, 0.25), (0, 3, 0.06), (3, 0, 0.06)]
            {
                let Some(k) = j.checked_add_signed(dj).filter(|k| *k <= n) else { continue };
                if i + di <= n {
                    let (a, b) = (vertex(i, j), vertex(i + di, k));
                    let rest = cloth.positions[a].distance(cloth.positions[b]);
                    springs.push((a, b, rest, stiff));
                }
            }
        }
    }
    springs
}

/// A ball of `rings` × `sectors` quads.
fn ball(centre: DVec3, radius: f64, rings: u32, sectors: u32) -> TriMesh {
    let mut positions = Vec::new();
    for i in 0..=rings {
        let polar = TAU / 2.0 * f64::from(i) / f64::from(rings);
        for j in 0..sectors {
            let around = TAU * f64::from(j) / f64::from(sectors);
            let (s, c) = (polar.sin(), polar.cos());
            positions.push(centre + radius * DVec3::new(s * around.sin(), c, s * around.cos()));
        }
    }
    let mut triangles = Vec::new();
    for i in 0..rings {
        for j in 0..sectors {
            let (a, b) = (i * sectors + j, i * sectors + (j + 1) % sectors);
            let (c, d) = (a + sectors, b + sectors);
            triangles.extend([[a, c, d], [a, d, b]]);
        }
    }
    TriMesh::new(positions, triangles)
}

/// A box.
fn cuboid(lo: DVec3, hi: DVec3) -> TriMesh {
    let pick = |corner: usize, k: usize| if corner >> k & 1 == 1 { hi[k] } else { lo[k] };
    let positions = (0..8).map(|c| DVec3::new(pick(c, 0), pick(c, 1), pick(c, 2))).collect();
    let quads: [[u32; 4]; 6] =
        [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    let triangles = quads.iter().flat_map(|[a, b, c, d]| [[*a, *b, *c], [*a, *c, *d]]).collect();
    TriMesh::new(positions, triangles)
}
