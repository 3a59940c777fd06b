//! Loops of shear and bending by dynamics: the default solver goes through the tests of Kawabata slowly, and a strip that swings
//! loses the areas of its loops.
//!
//! The forces of a slow test are those of the elements at the end of each step with the sliders of the state, by virtual work
//! at the vertices that are prescribed. The swinging strip is judged by the strains of its triangles alone: between two
//! reversals Δe apart a slider of limit L and stiffness k loses L (Δe − 2 L/k), and half the 2 on the way from rest.

use super::kes::{self, Along, CYCLE, Fineness, LAST_ANGLE, LAST_CURVATURE, Loop};
use super::picture_frame::{self, SIDE, place};
use super::{Compare, Failure, Picture, Reading, Row, Setup, Test};
use crate::plot::{Figure, Plot};
use glam::{DVec2, DVec3};
use std::f64::consts::PI;
use toile_mesh::TriMesh;
use toile_sim::barrier::{Barrier, Rule};
use toile_sim::element::Triangle;
use toile_sim::motion::Key;
use toile_sim::sheet::Sheet;
use toile_sim::{Cloth, Fabric, Motion, Pin, Preset, Settings, Surroundings, World};

pub(super) const SHEAR: Test = Test {
    id: "loop-shear",
    title: "Shear loop by dynamics",
    about: "A square in a hinged frame is sheared slowly to 8° both ways by the default solver.",
    formula: "G, 2HG and 2HG5 of the same loop by equilibria.",
    compare: Compare::Default,
    run: run_shear,
    draw: draw_loops,
};

pub(super) const BENDING: Test = Test {
    id: "loop-bending",
    title: "Bending loop by dynamics",
    about: "A strip is bent slowly to 2.5/cm both ways by the default solver.",
    formula: "B and 2HB of the same loop by equilibria.",
    compare: Compare::Default,
    run: run_bending,
    draw: |_, _| Ok(Vec::new()),
};

pub(super) const SWING: Test = Test {
    id: "loop-swing",
    title: "Energy of a swinging strip",
    about: "A strip swings in shear, held at one side; the default solver steps it by the midpoint rule.",
    formula: "It loses Σ L (Δe − 2 L/k) over all swings of all triangles, and nothing without hysteresis.",
    compare: Compare::Default,
    run: run_swing,
    draw: |_, _| Ok(Vec::new()),
};

/// Length of a step of the slow tests [s]: a whole loop takes two to four seconds.
const STEP: f64 = 0.02;
/// Length and width of the strip that is bent, in cells as long as wide [m].
const ARC: [f64; 2] = [0.01, 0.0025];
/// How far the shapes of two curvatures are apart by which virtual work is taken [1/m].
const VIRTUAL: f64 = 0.01;
/// Width and height of the strip that swings [m].
const SWINGING: [f64; 2] = [0.1, 0.05];

/// A cotton with loops as wide as usual.
fn fabric() -> Fabric {
    Fabric {
        shear_hysteresis: 2.0,
        shear_hysteresis_wide: 4.0,
        bend_hysteresis_weft: 4e-4,
        bend_hysteresis_warp: 6e-4,
        thickness: 1e-4,
        ..Fabric::default()
    }
}

fn fineness(setup: &Setup) -> Fineness {
    setup.pick(Fineness { cells: 4, points: 40 }, Fineness { cells: 4, points: 20 })
}

/// Steps of `h`, solved more exactly than what can be seen needs.
fn settings(setup: &Setup, rule: Rule, h: f64) -> Settings {
    let barrier =
        Barrier { rule, decrement: 1e-7, speed: 1e-7, max_iterations: 100, ..Barrier::default() };
    let (stretch, bend) = (setup.model.stretch, setup.model.bend);
    Settings { step: h, barrier, stretch, bend, ..Preset::Toile.settings() }
}

/// A specimen whose vertices are all prescribed or free, and the path along which they move.
struct Course<'a> {
    mesh: TriMesh,
    grid: Option<[usize; 2]>,
    /// Vertices that are prescribed.
    prescribed: Vec<u32>,
    /// Values of the loop, step by step.
    values: Vec<f64>,
    /// Where a point is at a value of the loop.
    shape: &'a dyn Fn(DVec2, f64) -> DVec3,
    /// Half the step of a value by which virtual work is taken.
    virtual_step: f64,
}

/// The values of a whole cycle up to `last`.
fn cycle(points: usize, last: f64) -> Vec<f64> {
    let mut values = Vec::new();
    for (from, to) in CYCLE {
        let steps = points * f64::abs(to - from) as usize;
        values.extend((1..=steps).map(|k| last * (from + (to - from) * k as f64 / steps as f64)));
    }
    values
}

impl Course<'_> {
    /// The work at the prescribed vertices by the value [J], value by value.
    fn run(mut self, setup: &Setup, fabric: &Fabric) -> Result<Loop, Failure> {
        let (rest, shape) = (self.mesh.uv.clone(), self.shape);
        self.mesh.positions = rest.iter().map(|p| shape(*p, 0.0)).collect();
        let (grid, name) = (self.grid, "specimen".into());
        let cloth =
            Cloth { name, mesh: self.mesh, grid, fabric: fabric.clone(), pieces: Vec::new() };
        let (stretch, bend) = (setup.model.stretch, setup.model.bend);
        let mut sheet = Sheet::dissipative(std::slice::from_ref(&cloth), stretch, bend, None)?;
        let keys = |v: u32| {
            let p = rest[v as usize];
            let key = |(k, value): (usize, f64)| Key {
                time: k as f64 * STEP,
                translate: shape(p, value) - shape(p, 0.0),
                axis: DVec3::Y,
                degrees: 0.0,
            };
            let values = std::iter::once(0.0).chain(self.values.iter().copied());
            let motion =
                Motion::Keys { centre: DVec3::ZERO, keys: values.enumerate().map(key).collect() };
            Pin { vertices: vec![v], motion, until: f64::INFINITY }
        };
        let pins = self.prescribed.iter().map(|v| keys(*v)).collect();
        let surroundings = Surroundings { pins, gravity: DVec3::ZERO, ..Surroundings::default() };
        let mut world = World::new(vec![cloth], surroundings, settings(setup, Rule::Euler, STEP))?;
        let (mut path, mut gradient) = (Loop::new(), vec![DVec3::ZERO; rest.len()]);
        for value in self.values {
            world.step()?;
            sheet.set_slider_positions(&world.state().slider_positions);
            sheet.gradient(&world.state().x, &mut gradient);
            let work = |v: &u32| {
                let p = rest[*v as usize];
                let change =
                    shape(p, value + self.virtual_step) - shape(p, value - self.virtual_step);
                gradient[*v as usize].dot(change) / (2.0 * self.virtual_step)
            };
            path.push((value, self.prescribed.iter().map(work).sum()));
        }
        Ok(path)
    }
}

/// The shear loop of a frame by dynamics.
fn shear_loop(setup: &Setup) -> Result<Loop, Failure> {
    let cells = fineness(setup).cells;
    let (mesh, grid) = setup.mesh.rectangle([SIDE; 2], [cells; 2], |_| false);
    let edge = |p: &DVec2| p.abs().max_element() > 0.5 * SIDE * (1.0 - 1e-9);
    let prescribed = (0..mesh.uv.len() as u32).filter(|v| edge(&mesh.uv[*v as usize])).collect();
    let values = cycle(fineness(setup).points, LAST_ANGLE.to_radians());
    let course = Course { mesh, grid, prescribed, values, shape: &place, virtual_step: 1e-4 };
    let path = course.run(setup, &fabric())?;
    Ok(path.into_iter().map(|(a, work)| (a, work / (SIDE * SIDE * libm::cos(a)))).collect())
}

fn run_shear(setup: &Setup) -> Result<Vec<Reading>, Failure> {
    let found = kes::shear_figures(&shear_loop(setup)?, fineness(setup));
    let (_, slow) = picture_frame::shear(&fabric(), fineness(setup))?;
    Ok(vec![
        Reading::new("G", found.g, slow.g, 0.01),
        Reading::new("2HG", found.hg, slow.hg, 0.01),
        Reading::new("2HG5", found.hg5, slow.hg5, 0.01),
    ])
}

/// A point of a strip bent to a chain of chords around its middle.
fn bent(p: DVec2, curvature: f64, cells: usize) -> DVec3 {
    let step = ARC[0] / cells as f64;
    let chords = p.x.abs() / step;
    let whole = (chords + 1e-9).floor();
    // From the middle, chord by chord; the hinge there turns half to each side.
    let turn = |k: usize| curvature * step * (k as f64 + 0.5);
    let parts = (0..whole as usize).map(|k| (k, step));
    let rest = (whole as usize, (chords - whole).max(0.0) * step);
    let (mut along, mut up) = (0.0, 0.0);
    for (k, length) in parts.chain([rest]) {
        along += length * libm::cos(turn(k));
        up += length * libm::sin(turn(k));
    }
    DVec3::new(along * p.x.signum(), up, -p.y)
}

fn run_bending(setup: &Setup) -> Result<Vec<Reading>, Failure> {
    let cells = setup.pick(24, 12);
    let step = ARC[0] / cells as f64;
    // Two columns at each end are prescribed.
    let end = |p: DVec2| p.x.abs() > 0.5 * ARC[0] - 1.5 * step;
    let across = (ARC[1] / step).round() as usize;
    let (mesh, grid) = setup.mesh.rectangle(ARC, [cells, across], end);
    let prescribed = (0..mesh.uv.len() as u32).filter(|v| end(mesh.uv[*v as usize])).collect();
    let values = cycle(fineness(setup).points, LAST_CURVATURE);
    let shape = |p: DVec2, curvature: f64| bent(p, curvature, cells);
    let course = Course { mesh, grid, prescribed, values, shape: &shape, virtual_step: VIRTUAL };
    let fabric = fabric();
    let path = course.run(setup, &fabric)?;
    // All columns but the outermost are bent.
    let area = (cells as f64 - 1.0) * step * ARC[1];
    let path: Loop = path.into_iter().map(|(k, work)| (k, work / area)).collect();
    let found = kes::bending_figures(&path, fineness(setup));
    let (_, slow) = kes::bending(&fabric, Along::Weft, fineness(setup))?;
    let tolerance = setup.pick(0.02, 0.05);
    Ok(vec![
        Reading::new("B weft", found.b, slow.b, tolerance),
        Reading::new("2HB weft", found.hb, slow.hb, tolerance),
    ])
}

/// Energy that a strip has lost after some swings, and the areas of the loops of its triangles [J].
fn swing(setup: &Setup, fabric: &Fabric) -> Result<[f64; 3], Failure> {
    let height = SWINGING[1];
    let cells = setup.pick([12, 6], [8, 4]);
    let (mut mesh, grid) = setup.mesh.rectangle(SWINGING, cells, |_| false);
    mesh.positions = mesh.uv.iter().map(|p| DVec3::new(p.x, 0.0, -p.y)).collect();
    let rest = Triangle::of_mesh(&mesh);
    let foot = |v: &u32| mesh.uv[*v as usize].y < -0.5 * height * (1.0 - 1e-9);
    let held: Vec<u32> = (0..mesh.uv.len() as u32).filter(foot).collect();
    let wave = PI / (2.0 * height);
    let omega = wave * (fabric.shear / fabric.density).sqrt();
    let steps = setup.pick(200, 100);
    let h = 2.0 * PI / omega / steps as f64;
    let cloth =
        Cloth { name: "strip".into(), mesh, grid, fabric: fabric.clone(), pieces: Vec::new() };
    let pins = vec![Pin::still(held)];
    let surroundings = Surroundings { pins, gravity: DVec3::ZERO, ..Surroundings::default() };
    let mut world = World::new(vec![cloth], surroundings, settings(setup, Rule::Midpoint, h))?;
    // Strains of about a fiftieth.
    let speed = 0.02 / wave * omega;
    world.set_velocities(|_, p| DVec3::X * (speed * libm::sin(wave * (0.5 * height - p.z))));
    let energy = |world: &mut World| {
        let energy = world.energy();
        energy.kinetic + energy.elastic
    };
    let begin = energy(&mut world);
    let mut swings = vec![Swings::default(); rest.len()];
    for _ in 0..2 * steps {
        world.step()?;
        let x = &world.state().x;
        for (triangle, swings) in rest.iter().zip(&mut swings) {
            swings.see(triangle.green_strain(&triangle.vertices.map(|v| x[v as usize]))[2]);
        }
    }
    let limit = 0.5 * fabric.shear_hysteresis;
    // The angle over which a loop turns is a tenth of a degree: 2 L/k.
    let turn = 0.1_f64.to_radians();
    let areas: f64 = rest.iter().zip(swings).map(|(t, s)| t.area * limit * s.slid(turn)).sum();
    Ok([begin, begin - energy(&mut world), areas])
}

/// Reversals of a strain.
#[derive(Clone, Debug, Default)]
struct Swings {
    turns: Vec<f64>,
    last: f64,
    before: f64,
}

impl Swings {
    fn see(&mut self, strain: f64) {
        if (self.last - self.before) * (strain - self.last) < 0.0 {
            self.turns.push(self.last);
        }
        (self.before, self.last) = (self.last, strain);
    }

    /// How far a slider has slid whose loop turns over `turn`: swings within that do not move it.
    fn slid(self, turn: f64) -> f64 {
        // The slider follows the extremes at a distance of half a turn.
        let (mut slip, mut slid) = (0.0_f64, 0.0);
        for strain in self.turns.into_iter().chain([self.last]) {
            let moved = slip.clamp(strain - 0.5 * turn, strain + 0.5 * turn);
            slid += (moved - slip).abs();
            slip = moved;
        }
        slid
    }
}

fn run_swing(setup: &Setup) -> Result<Vec<Reading>, Failure> {
    let with_friction = Fabric { shear_hysteresis: 0.05, ..Fabric::default() };
    let [all, lost, areas] = swing(setup, &with_friction)?;
    let [_, kept, _] = swing(setup, &Fabric::default())?;
    Ok(vec![
        Reading::new("loss over the areas of the loops", lost / areas, 1.0, 0.02),
        Reading::new("part lost without hysteresis", kept / all, 0.0, 2e-3),
    ])
}

fn draw_loops(setup: &Setup, _: &[Row]) -> Result<Vec<Picture>, Failure> {
    let degrees = |path: &Loop| -> Loop { path.iter().map(|p| (p.0.to_degrees(), p.1)).collect() };
    let (slow, _) = picture_frame::shear(&fabric(), fineness(setup))?;
    let plot = Plot::new("Shear loop in a frame")
        .x("angle [°]")
        .y("force [N/m]")
        .line("equilibria", &degrees(&slow))
        .points("default solver", &degrees(&shear_loop(setup)?));
    let caption = "A shear loop by equilibria, and step by step by the default solver.";
    Ok(vec![Picture::new("lab-loops", caption, &Figure::row([plot]).panel_size(560.0, 380.0))])
}
