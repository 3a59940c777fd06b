//! Tables 1 and 2 of Liu, Ko and Chang: three ways to avoid self-collisions [liu1998].
//!
//! A square of cotton falls on a table, or upright to the ground, in 1000 steps, with the preset `liu98`: S3, boxes in a
//! tree. At every so many steps S2 (boxes, every pair) and S1 (geometry, every pair) take the same step from
//! the same state, and all three are timed. So all see the same cloth, and S1 need not take all of the hours it would.
//!
//! Iterations are counted, times are of the clock. The picture shows iterations only.

use super::Effort;
use super::page::{Cell, Claim, Page, Picture, Table, number};
use crate::plot::{Figure, Plot};
use glam::DVec3;
use std::time::Instant;
use toile::Error;
use toile::Simulation;
use toile::audit;
use toile::{Body, BodyShape, Cloth, ClothShape, Diagonals, Place, Rotate, Scene};
use toile_sim::Preset;

/// A case of the paper: times in seconds on an R4400, for S1, S2 and S3.
struct Case {
    id: &'static str,
    title: &'static str,
    upright: bool,
    /// Most iterations that the text claims.
    most: u32,
    /// For 21 × 21 and 51 × 51: average and most iterations, detection, total, of S1, S2, S3.
    paper: [[[f64; 4]; 3]; 2],
}

const TABLE_1: Case = Case {
    id: "l98-table1",
    title: "cloth falling on a table (Liu, Ko and Chang 1998, table 1)",
    upright: false,
    most: 4,
    paper: [
        [[2.0, 4.0, 3.97, 12.96], [2.0, 4.0, 1.33, 2.79], [2.0, 4.0, 0.05, 0.39]],
        [[2.0, 4.0, 116.53, 272.76], [2.0, 4.0, 40.14, 73.26], [2.0, 4.0, 0.23, 2.02]],
    ],
};

const TABLE_2: Case = Case {
    id: "l98-table2",
    title: "cloth falling to the ground (Liu, Ko and Chang 1998, table 2)",
    upright: true,
    most: 8,
    paper: [
        [[3.0, 4.0, 4.07, 10.42], [3.0, 5.0, 1.32, 4.04], [3.0, 5.0, 0.03, 0.40]],
        [[4.0, 5.0, 118.43, 312.87], [4.0, 8.0, 40.09, 149.54], [4.0, 8.0, 0.21, 3.56]],
    ],
};

const SEARCHES: [&str; 3] = ["geometric", "boxes", "box-tree"];

/// Length of a step [s]: the paper tells how many there are, not how long; with these the cloth comes to rest in its 1000.
const STEP: f64 = 2e-3;

/// Steps of a run, and one in how many is taken by all three.
fn extent(effort: Effort) -> (u64, u64) {
    match effort {
        Effort::Full => (1000, 25),
        Effort::Quick => (150, 30),
    }
}

/// What was measured of one search.
#[derive(Clone, Copy, Debug, Default)]
struct Measured {
    steps: u64,
    iterations: u64,
    most: u32,
    detection: f64,
    total: f64,
}

impl Measured {
    fn mean(&self, sum: f64) -> f64 {
        sum / self.steps.max(1) as f64
    }
}

/// What was measured on one grid.
struct Run {
    side: u64,
    searches: [Measured; 3],
    /// Iterations of each step of the whole run with S3.
    course: Vec<u32>,
    crossings: u64,
    in_bodies: u64,
}

fn scene(case: &Case, side: u64, search: &str) -> Result<Simulation, Error> {
    let cells = [side - 1; 2];
    let shape =
        ClothShape::Grid { width: 1.0, height: 1.0, cells, diagonals: Diagonals::default() };
    let mut cloth = Cloth::from_shape(shape).jittered(1e-4, 1);
    let mut scene = Scene::new().with_preset(Preset::Liu98).with_floor(0.0);
    if case.upright {
        let rotate = Some(Rotate { axis: DVec3::X, degrees: 90.0 });
        cloth.place = Place { rotate, at: DVec3::Y * 0.6 };
        if let Some(jitter) = &mut cloth.jitter {
            (jitter.axis, jitter.amplitude) = (DVec3::Z, 1e-3);
        }
    } else {
        cloth = cloth.at(0.0, 0.55, 0.0);
        let size = DVec3::new(0.5, 0.1, 0.5);
        let shape = BodyShape::Box { at: DVec3::Y * 0.45, size, rotate: None };
        scene = scene.with_body(Body::new("table", shape));
    }
    let search = toml::Value::String(search.into());
    let avoidance = toml::Table::from_iter([("search".to_owned(), search)]);
    scene.solver.insert("avoidance".into(), toml::Value::Table(avoidance));
    scene.solver.insert("step".into(), toml::Value::Float(STEP));
    scene.with_cloth(cloth).build()
}

fn run(case: &Case, side: u64, effort: Effort) -> Result<Run, Error> {
    let (steps, every) = extent(effort);
    let mut sims = [
        scene(case, side, SEARCHES[0])?,
        scene(case, side, SEARCHES[1])?,
        scene(case, side, SEARCHES[2])?,
    ];
    let mut run =
        Run { side, searches: Default::default(), course: Vec::new(), crossings: 0, in_bodies: 0 };
    for step in 0..steps {
        let state = sims[2].state().clone();
        let sampled = step % every == every - 1;
        for k in 0..3 {
            if k < 2 && !sampled {
                continue;
            }
            if k < 2 {
                sims[k].world_mut().restore(state.clone())?;
            }
            let clock = Instant::now();
            let report = sims[k].step()?;
            let total = clock.elapsed().as_secs_f64();
            if k == 2 {
                run.course.push(report.iterations);
            }
            if sampled {
                let m = &mut run.searches[k];
                m.steps += 1;
                m.iterations += u64::from(report.iterations);
                m.most = m.most.max(report.iterations);
                m.detection += report.self_detection;
                m.total += total;
            }
        }
        if sampled {
            let world = sims[2].world();
            let state = world.state();
            let found = audit(&state.x, &world.model().mesh.triangles, world.bodies(), state.time)?;
            run.crossings = run.crossings.max(found.self_intersections);
            run.in_bodies = run.in_bodies.max(found.body_penetrations);
        }
    }
    Ok(run)
}

fn page(case: &Case, effort: Effort) -> Result<Page, Error> {
    let sides: [u64; 2] = match effort {
        Effort::Full => [21, 51],
        Effort::Quick => [9, 15],
    };
    let runs = [run(case, sides[0], effort)?, run(case, sides[1], effort)?];
    let mut plot = Plot::new("Iterations of a step, S3").x("simulated time [s]").y("iterations");
    for run in &runs {
        let step = STEP;
        let data: Vec<(f64, f64)> =
            run.course.iter().enumerate().map(|(k, n)| (k as f64 * step, f64::from(*n))).collect();
        plot = plot.line(format!("{0} × {0}", run.side), &data);
    }
    let (steps, every) = extent(effort);
    let text = format!(
        "{steps} steps of {} ms with S3; one in {every} is also taken by S2 and S1 from the same state. Times of the \
         paper are on an R4400, so only ratios can be compared.",
        1e3 * STEP
    );
    Ok(Page {
        id: case.id,
        title: case.title.into(),
        text,
        tables: vec![times(case, &runs), clean(case, &runs)],
        claims: claims(case, &runs, effort),
        pictures: vec![Picture {
            file: format!("{}.svg", case.id),
            svg: Figure::row([plot]).panel_size(720.0, 320.0).to_svg(),
        }],
        ..Page::default()
    })
}

fn times(case: &Case, runs: &[Run; 2]) -> Table {
    let mut table = Table::new(
        "Steps that all three take; the paper's figures behind ours (its grids are 21 × 21 and 51 × 51)",
        [
            "grid",
            "search",
            "iterations",
            "paper",
            "most",
            "paper",
            "detection [ms]",
            "paper [s]",
            "total [ms]",
            "paper [s]",
            "times S3",
            "paper",
        ],
    );
    for (run, paper) in runs.iter().zip(&case.paper) {
        let last = run.searches[2];
        for (k, name) in ["S1 geometric", "S2 boxes", "S3 tree"].into_iter().enumerate() {
            let (m, p) = (run.searches[k], paper[k]);
            table.push([
                format!("{0} × {0}", run.side).into(),
                name.into(),
                m.mean(m.iterations as f64).into(),
                Cell::Number(p[0]),
                u64::from(m.most).into(),
                Cell::Count(p[1] as u64),
                (1e3 * m.mean(m.detection)).into(),
                p[2].into(),
                (1e3 * m.mean(m.total)).into(),
                p[3].into(),
                (m.total / last.total).into(),
                (p[3] / paper[2][3]).into(),
            ]);
        }
    }
    table
}

fn clean(case: &Case, runs: &[Run; 2]) -> Table {
    let columns =
        ["grid", "steps", "iterations", "most", "above the paper's", "crossings", "in bodies"];
    let mut table = Table::new("The whole run with S3, audited at the sampled steps", columns);
    for run in runs {
        let n = run.course.len().max(1) as f64;
        table.push([
            format!("{0} × {0}", run.side).into(),
            (run.course.len() as u64).into(),
            (run.course.iter().map(|k| f64::from(*k)).sum::<f64>() / n).into(),
            u64::from(run.course.iter().copied().max().unwrap_or(0)).into(),
            (run.course.iter().filter(|k| **k > case.most).count() as u64).into(),
            run.crossings.into(),
            run.in_bodies.into(),
        ]);
    }
    table
}

fn claims(case: &Case, runs: &[Run; 2], effort: Effort) -> Vec<Claim> {
    let large = &runs[1].searches;
    let ratio = |a: usize, b: usize| large[a].total / large[b].total;
    let detection = |a: usize, b: usize| large[a].detection / large[b].detection;
    let paper = &case.paper[1];
    let claim = |a: usize, b: usize, least: f64| {
        let claim = Claim::new(
            format!(
                "a step with S{} takes {} times as long as with S{} at 51 × 51 (detection: {} times)",
                a + 1,
                number(paper[a][3] / paper[b][3]),
                b + 1,
                number(paper[a][2] / paper[b][2])
            ),
            format!("{} times (detection: {} times)", number(ratio(a, b)), number(detection(a, b))),
            ratio(a, b) >= least,
        );
        match effort {
            Effort::Full => claim,
            Effort::Quick => {
                claim.because("the grids are smaller: detection by all pairs grows with the square")
            }
        }
    };
    let most = runs.iter().flat_map(|r| r.course.iter().copied()).max().unwrap_or(0);
    let (crossings, inside) =
        runs.iter().fold((0, 0), |(c, b), r| (c.max(r.crossings), b.max(r.in_bodies)));
    vec![
        claim(0, 1, 3.0),
        claim(1, 2, 10.0),
        Claim::new(
            format!("at most {} iterations are needed", case.most),
            format!("at most {most}"),
            most <= case.most,
        )
        .because(ITERATIONS),
        Claim::new(
            "no triangles pass through each other, adjacent ones included",
            format!(
                "up to {crossings} crossings and {inside} triangles in bodies in audited steps"
            ),
            crossings == 0 && inside == 0,
        ),
    ]
}

const ITERATIONS: &str = "a gap is kept between boxes here, bodies are met continuously and in the same iterations, and an iteration \
     ends only when no box meets another at any moment of the step";

/// Table 1.
pub(super) fn table1(effort: Effort) -> Result<Page, Error> {
    page(&TABLE_1, effort)
}

/// Table 2.
pub(super) fn table2(effort: Effort) -> Result<Page, Error> {
    page(&TABLE_2, effort)
}
