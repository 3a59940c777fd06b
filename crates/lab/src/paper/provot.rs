//! What Provot reports of his system: the ribbon of figure 5, and the time that garments took [provot1997].
//!
//! - `p97-fig5`: a ribbon of 4000 triangles falls on its short edge and crumples, six seconds with the preset `provot97`.
//! - `p97-garment`: a shirt and trousers of as many triangles as his (6000 and 3000) are sewn and draped on a mannequin. His patterns and his
//!   scanned mannequin are not public: ours are the T-shirt and the trousers of the library of designs, on the mannequin to
//!   measure, and the solver is the one that sews, `toile`.
//!
//! Pictures show what is simulated, never times, and so are the same on every run.

use super::Effort;
use super::page::{Cell, Claim, Page, Picture, Table, number};
use crate::plot::{Figure, Plot};
use glam::DVec3;
use std::time::Instant;
use toile::Error;
use toile::audit;
use toile::{Cloth, ClothShape, Diagonals, Place, Rotate, Scene};
use toile_audit::Shape;
use toile_body::{Mannequin, Pose};
use toile_garment::{Fitting, Stage, arrange};
use toile_pattern::design::Design;
use toile_pattern::{Size, meshing};
use toile_sim::Preset;

/// Frames audited in a second of the ribbon.
const FPS: f64 = 30.0;
/// Time step of the ribbon [s]: its cells weigh a quarter of those of the square.
const STEP: f64 = 5e-4;
/// Seconds of an hour.
const HOUR: f64 = 3600.0;

/// The ribbon.
pub(super) fn fig5(effort: Effort) -> Result<Page, Error> {
    let (cells, height, duration) = match effort {
        Effort::Full => ([10, 200], 2.0, 6.0),
        Effort::Quick => ([4, 40], 0.8, 0.2),
    };
    let shape = ClothShape::Grid { width: 0.1, height, cells, diagonals: Diagonals::default() };
    let mut cloth = Cloth::from_shape(shape).jittered(1e-4, 1);
    let rotate = Some(Rotate { axis: DVec3::X, degrees: 90.0 });
    cloth.place = Place { rotate, at: DVec3::Y * (0.5 * height + 0.05) };
    if let Some(jitter) = &mut cloth.jitter {
        jitter.axis = -DVec3::Z;
    }
    let mut scene = Scene::new().with_preset(Preset::Provot97).with_floor(0.0).with_cloth(cloth);
    scene.solver.insert("step".into(), toml::Value::Float(STEP));
    let mut sim = scene.build()?;
    let triangles = sim.world().model().mesh.triangles.len() as u64;
    let (steps, every) = ((duration / STEP) as u64, (1.0 / (FPS * STEP)) as u64);
    let (mut wall, mut crossings, mut inside, mut frames, mut strain) = (0.0, 0, 0, 0_u64, 0.0_f64);
    let (mut tops, mut impacts, mut zones) = (Vec::new(), Vec::new(), Vec::new());
    let mut seen = [0_u64; 2];
    for step in 1..=steps {
        let clock = Instant::now();
        let report = sim.step()?;
        wall += clock.elapsed().as_secs_f64();
        strain = strain.max(sim.world().max_strain());
        seen = [seen[0].max(report.impacts), seen[1].max(u64::from(report.zones))];
        if step % every != 0 && step != steps {
            continue;
        }
        let (world, time) = (sim.world(), sim.state().time);
        let x = &world.state().x;
        let found = audit(x, &world.model().mesh.triangles, world.bodies(), time)?;
        (crossings, inside) =
            (found.self_intersections.max(crossings), found.body_penetrations.max(inside));
        frames += 1;
        tops.push((time, x.iter().map(|p| p.y).fold(0.0, f64::max)));
        impacts.push((time, seen[0] as f64));
        zones.push((time, seen[1] as f64));
        seen = [0; 2];
    }
    let mut table = Table::new(
        "The ribbon; the paper's figures beside ours",
        [
            "",
            "polygons",
            "simulated [s]",
            "time",
            "seconds for one",
            "crossings",
            "in the ground",
            "strain %",
        ],
    );
    let each = wall / duration;
    table.push([
        "Provot 1997, DEC Alpha 500/500".into(),
        4000_u64.into(),
        6.0.into(),
        "1 hour".into(),
        (HOUR / 6.0).into(),
        "none".into(),
        "none".into(),
        Cell::None,
    ]);
    table.push([
        "toile, preset provot97".into(),
        triangles.into(),
        duration.into(),
        format!("{} s", number(wall)).into(),
        each.into(),
        crossings.into(),
        inside.into(),
        (100.0 * strain).into(),
    ]);
    let claims = vec![
        Claim::new(
            "all collisions are found and handled: nothing interpenetrates",
            format!(
                "{crossings} crossings, {inside} triangles in the ground, in {frames} audited frames"
            ),
            crossings == 0 && inside == 0,
        ),
        Claim::new(
            "one hour for six seconds of 4000 polygons on a DEC Alpha 500/500",
            format!(
                "{} s for {duration} s of {triangles}, {} times as fast",
                number(wall),
                number(HOUR / 6.0 / each)
            ),
            each < HOUR / 6.0,
        ),
    ];
    let top = Plot::new("Highest point").x("simulated time [s]").y("m").line("ribbon", &tops);
    let met = Plot::new("Most in a step of each frame")
        .x("simulated time [s]")
        .y("")
        .line("impacts", &impacts)
        .line("zones of impact", &zones);
    Ok(Page {
        id: "p97-fig5",
        title: "falling ribbon (Provot 1997, figure 5)".into(),
        text: format!(
            "{steps} steps of {} ms, audited {FPS} times a second. The paper's ribbon falls on a table and its size is not told; ours is 0.1 m \
             wide and {height} m long, and stands 5 cm above the ground.",
            1e3 * STEP
        ),
        tables: vec![table],
        claims,
        pictures: vec![Picture {
            file: "p97-fig5.svg".into(),
            svg: Figure::row([top, met]).panel_size(480.0, 320.0).to_svg(),
        }],
        ..Page::default()
    })
}

/// What the paper reports of one garment, and which of our designs stands for it.
const GARMENTS: [(&str, &str, usize); 2] =
    [("shirt", "tshirt", 6000), ("trousers", "trousers", 3000)];

/// What was measured of one garment.
struct Made {
    triangles: usize,
    steps: u32,
    at_rest: bool,
    wall: f64,
    crossings: u64,
    inside: u64,
    gaps: Vec<(f64, f64)>,
}

fn make(design: &str, target: usize, most: u32, body: &toile_body::Body) -> Result<Made, Error> {
    let refused = |e: toile_pattern::Error| Error::request(e.to_string(), e.help());
    let unknown = || Error::request(format!("there is no design `{design}`"), "");
    let figure = toile_body::Figure::Male;
    let pattern = Design::find(design).ok_or_else(unknown)?.draft(&figure.measurements(Size::M));
    // Triangles grow with the inverse square of their edges.
    let mut edge = 0.03;
    let mut panels = meshing::mesh(&pattern, edge).map_err(refused)?;
    for _ in 0..3 {
        let count: usize = panels.panels.iter().map(|p| p.mesh.triangles.len()).sum();
        let ratio = count as f64 / target as f64;
        edge *= ratio.sqrt();
        panels = meshing::mesh(&pattern, edge).map_err(refused)?;
    }
    let fabric = toile::fabric::find("cotton")?;
    let clock = Instant::now();
    let arranged = arrange(&pattern, &panels, &body.mesh, &body.landmarks)?;
    let mut fitting = Fitting::new(&panels, &arranged, &body.mesh, &fabric)?;
    let (mut steps, mut gaps) = (0, vec![(0.0, 1e3 * fitting.widest_gap())]);
    while fitting.stage() != Stage::Done && steps < most {
        fitting.step()?;
        steps += 1;
        gaps.push((f64::from(steps), 1e3 * fitting.widest_gap()));
    }
    let wall = clock.elapsed().as_secs_f64();
    let cloth = fitting.mesh();
    let failed = |e: toile_audit::Error| Error::Audit(e.to_string());
    let crossings =
        toile_audit::self_intersections(&cloth.positions, &cloth.triangles).map_err(failed)?.len();
    let solid = Shape::from(&body.mesh);
    let inside = toile_audit::body_penetrations(&cloth.positions, &cloth.triangles, &solid)
        .map_err(failed)?
        .count();
    Ok(Made {
        triangles: cloth.triangles.len(),
        steps,
        at_rest: fitting.stage() == Stage::Done,
        wall,
        crossings: crossings as u64,
        inside: inside as u64,
        gaps,
    })
}

/// Shirt and trousers.
pub(super) fn garment(effort: Effort) -> Result<Page, Error> {
    let (part, most) = match effort {
        Effort::Full => (1, 400),
        Effort::Quick => (4, 2),
    };
    let figure = toile_body::Figure::Male;
    let body = Mannequin::new(&figure.measurements(Size::M), figure, Pose::default())?;
    let mut table = Table::new(
        format!(
            "Garments on a mannequin of {} triangles (26 000 in the paper)",
            body.mesh.triangles.len()
        ),
        [
            "garment",
            "polygons",
            "paper",
            "steps",
            "time [s]",
            "paper [h]",
            "crossings",
            "in the body",
            "at rest",
        ],
    );
    let mut plot = Plot::new("Widest seam").x("steps").y("mm");
    let (mut crossings, mut inside, mut longest, mut rest) = (0, 0, 0.0_f64, true);
    for (name, design, target) in GARMENTS {
        let made = make(design, target / part, most, &body)?;
        table.push([
            format!("{name} ({design})").into(),
            (made.triangles as u64).into(),
            (target as u64).into(),
            u64::from(made.steps).into(),
            made.wall.into(),
            "1.5 to 2".into(),
            made.crossings.into(),
            made.inside.into(),
            if made.at_rest { "yes" } else { "no" }.into(),
        ]);
        plot = plot.line(name, &made.gaps);
        (crossings, inside) = (crossings + made.crossings, inside + made.inside);
        longest = longest.max(made.wall);
        rest &= made.at_rest;
    }
    let came = if rest { "both are at rest" } else { "not at rest when it was stopped" };
    let claims = vec![
        Claim::new(
            "no interpenetration of the clothes and the mannequin",
            format!("{crossings} crossings and {inside} triangles in the body; {came}"),
            crossings == 0 && inside == 0,
        ),
        Claim::new(
            "one hour and a half to two hours for each, on an SGI Indigo 2",
            format!("at most {} s", number(longest)),
            longest < 1.5 * HOUR,
        ),
    ];
    Ok(Page {
        id: "p97-garment",
        title: "shirt and trousers (Provot 1997, figure 4)".into(),
        text: "The paper's patterns and mannequin are not public. A T-shirt and trousers of the library of designs stand for them, meshed to as \
               many triangles, sewn from flat panels on the mannequin and draped by the solver `toile` until they are at rest."
            .into(),
        tables: vec![table],
        claims,
        pictures: vec![Picture {
            file: "p97-garment.svg".into(),
            svg: Figure::row([plot]).panel_size(560.0, 320.0).to_svg(),
        }],
        ..Page::default()
    })
}
