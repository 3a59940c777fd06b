//! Cloth against a solid while one watches: what paper A is about, on a mannequin.
//!
//! A square of cloth falls over the shoulders of the mannequin with the preset `aabb-realtime`; the body is asked by the paper's
//! eightfold trees of boxes, and by fields, depth maps and voxels instead (D7 to D9). The mannequin is brought to 26 000 triangles, the size
//! of the one in [provot1997]; trees are also asked for the whole one. The paper gives no times, so frames per second stand
//! beside the 25 of its title's "real-time".
//!
//! The picture shows how many vertices are corrected, which is the same on every run.

use super::Effort;
use super::coarse::coarse;
use super::page::{Claim, Page, Picture, Table, number};
use crate::plot::{Figure, Plot};
use glam::DVec3;
use std::time::Instant;
use toile::Error;
use toile::audit;
use toile_body::{Mannequin, Pose};
use toile_mesh::TriMesh;
use toile_mesh::shape::{Diagonals, grid};
use toile_pattern::Size;
use toile_sim::body::Shape;
use toile_sim::{Body, BodyQuery, Cloth, Preset, Surroundings, World};

/// Frames of a simulated second.
const FPS: f64 = 25.0;

/// Triangles of the body.
const TRIANGLES: usize = 26_000;

const QUERIES: [(BodyQuery, &str); 4] = [
    (BodyQuery::Features, "trees of boxes (the paper's)"),
    (BodyQuery::Field, "distance field"),
    (BodyQuery::DepthMaps, "depth maps"),
    (BodyQuery::Voxels, "voxels"),
];

/// What was measured of one way to ask the body.
struct Measured {
    build: f64,
    /// Of one step [s].
    step: f64,
    inside: u64,
    corrected: Vec<(f64, f64)>,
}

fn measure(body: &TriMesh, cells: usize, query: BodyQuery, steps: u64) -> Result<Measured, Error> {
    let mut settings = Preset::AabbRealtime.settings();
    settings.collision.bodies = query;
    let top = body.positions.iter().map(|p| p.y).fold(f64::NEG_INFINITY, f64::max);
    let mesh = grid(0.9, 0.9, cells, cells, Diagonals::Alternating)
        .map_positions(|p| p + DVec3::Y * (top + 0.02 + 1e-3 * (9.0 * p.x - 5.0 * p.z).sin()));
    let fabric = toile::fabric::find("cotton")?;
    let cloth = Cloth {
        name: "cloth".into(),
        mesh,
        grid: Some([cells, cells]),
        fabric,
        pieces: Vec::new(),
    };
    let bodies = vec![Body::new("mannequin", Shape::Mesh(body.clone()))];
    let clock = Instant::now();
    let surroundings = Surroundings { bodies, ..Surroundings::default() };
    let mut world = World::new(vec![cloth], surroundings, settings)?;
    let build = clock.elapsed().as_secs_f64();
    let clock = Instant::now();
    let (mut corrected, mut most) = (Vec::new(), 0);
    let every = (1.0 / (FPS * world.settings().step)).round() as u64;
    for k in 1..=steps {
        most = world.step()?.impacts.max(most);
        if k % every == 0 {
            corrected.push((world.state().time, most as f64));
            most = 0;
        }
    }
    let step = clock.elapsed().as_secs_f64() / steps as f64;
    let state = world.state();
    let found = audit(&state.x, &world.model().mesh.triangles, world.bodies(), state.time)?;
    Ok(Measured { build, step, inside: found.body_penetrations, corrected })
}

/// The page.
pub(super) fn realtime(effort: Effort) -> Result<Page, Error> {
    let (sides, steps): (&[usize], u64) = match effort {
        Effort::Full => (&[10, 20, 40], 500),
        Effort::Quick => (&[6], 40),
    };
    let figure = toile_body::Figure::Male;
    let whole = Mannequin::new(&figure.measurements(Size::M), figure, Pose::default())?.mesh;
    let body = coarse(&whole, TRIANGLES);
    let settings = Preset::AabbRealtime.settings();
    let mut table = Table::new(
        format!("A square over a mannequin, {steps} steps"),
        [
            "body asked by",
            "body",
            "cloth",
            "made in [s]",
            "step [ms]",
            "steps/s",
            "frames/s",
            "in the body",
        ],
    );
    let mut plot = Plot::new("Most vertices corrected in a step of each frame")
        .x("simulated time [s]")
        .y("vertices");
    // Frames per second of the paper's way, and of the quickest, for each cloth.
    let mut rates: Vec<[f64; 2]> = Vec::new();
    for side in sides {
        let asked = QUERIES.into_iter().map(|q| (&body, q)).chain([(&whole, QUERIES[0])]);
        for (mesh, (query, name)) in asked {
            let m = measure(mesh, *side, query, steps)?;
            let rate = 1.0 / m.step;
            let frames = rate * settings.step * FPS;
            table.push([
                name.into(),
                (mesh.triangles.len() as u64).into(),
                ((2 * side * side) as u64).into(),
                m.build.into(),
                (1e3 * m.step).into(),
                rate.into(),
                frames.into(),
                m.inside.into(),
            ]);
            if mesh.triangles.len() != body.triangles.len() {
                continue;
            }
            match query {
                BodyQuery::Features => rates.push([frames, 0.0]),
                _ => rates.iter_mut().rev().take(1).for_each(|r| r[1] = r[1].max(frames)),
            }
            if side == sides.last().unwrap_or(side) {
                plot = plot.line(name, &m.corrected);
            }
        }
    }
    let list = |k: usize| rates.iter().map(|r| number(r[k])).collect::<Vec<_>>().join(", ");
    let sizes = sides.iter().map(|s| (2 * s * s).to_string()).collect::<Vec<_>>().join(", ");
    let claims = vec![
        Claim::new(
            "hierarchies of boxes let cloth collide with a solid in real time (no figures are given)",
            format!(
                "{} frames/s with cloth of {sizes} triangles on a body of {}, at {FPS} frames a simulated second",
                list(0),
                body.triangles.len()
            ),
            rates.iter().any(|r| r[0] >= FPS),
        )
        .because(
            "steps of 2 ms are 20 to a frame, and the paper does not say how long its steps are; the machine may have had other work",
        ),
        Claim::new(
            "(not of the paper) asking a map at vertices costs less than meeting triangles",
            format!("{} frames/s with the quickest map", list(1)),
            rates.iter().all(|r| r[1] >= r[0]),
        )
        .because(
            "a tree finds the few triangles beside the way of a vertex in about the time that a map is read, and the cloth itself takes the rest",
        ),
    ];
    Ok(Page {
        id: "a-realtime",
        title: "cloth against a solid object in real time (paper A)".into(),
        text: format!(
            "Steps of {} ms with the preset `aabb-realtime`, on as many threads as there are. A frame is a {FPS}th of a simulated second, so \
             {FPS} frames/s are real time.",
            1e3 * settings.step
        ),
        tables: vec![table],
        claims,
        pictures: vec![Picture {
            file: "a-realtime.svg".into(),
            svg: Figure::row([plot]).panel_size(640.0, 320.0).to_svg(),
        }],
        ..Page::default()
    })
}
