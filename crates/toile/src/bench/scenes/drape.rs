//! A square over a ball, simulated on a coarse grid and interpolated to any other.
//!
//! Splines in both directions go through the simulated vertices with the directions of Catmull and
//! Rom's and the speed of the material, so that a finer mesh shows the same folds, only rounder, and
//! is hardly stretched.

use crate::{Body, Cloth, Error, Scene};
use glam::{DVec2, DVec3};
use std::sync::{Mutex, PoisonError};

/// Cells along each side of the simulated grid.
const CELLS: usize = 25;
/// Simulated time: the folds have come to hang [s].
const SECONDS: f64 = 1.5;

/// Vertices of the simulated grid: v runs fastest.
#[derive(Clone, Debug)]
pub(super) struct Drape {
    x: Vec<DVec3>,
}

/// The drape; it is simulated once.
pub(super) fn drape() -> Result<Drape, Error> {
    static DONE: Mutex<Option<Drape>> = Mutex::new(None);
    let mut done = DONE.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(drape) = done.as_ref() {
        return Ok(drape.clone());
    }
    let cloth = Cloth::rectangle(1.0, 1.0, 1.0 / CELLS as f64).at(0.0, 0.81, 0.0);
    let mut scene = Scene::new()
        .with_cloth(cloth.jittered(1e-4, 1))
        .with_body(Body::sphere(DVec3::new(0.0, 0.5, 0.0), 0.3));
    // Coarse cloth yields where it should fold; it is held to its lengths both ways.
    let limit = toml::toml! { stretch = 0.05 compression = 0.05 sweeps = 30 };
    scene.solver.insert("strain_limit".into(), limit.into());
    let mut sim = scene.build()?;
    sim.run(SECONDS)?;
    let drape = Drape { x: sim.state().x.clone() };
    *done = Some(drape.clone());
    Ok(drape)
}

impl Drape {
    /// Where the material point `p` of the square is [m].
    pub(super) fn at(&self, p: DVec2) -> DVec3 {
        let grid = (p + 0.5).clamp(DVec2::ZERO, DVec2::ONE) * CELLS as f64;
        let cell = grid.floor().min(DVec2::splat(CELLS as f64 - 1.0));
        let (i, j) = (cell.x as usize, cell.y as usize);
        let part = grid - cell;
        let row = |a: usize| spline(|b| self.vertex(a, b), j, part.y);
        spline(row, i, part.x)
    }

    fn vertex(&self, i: usize, j: usize) -> DVec3 {
        self.x[i * (CELLS + 1) + j]
    }
}

/// The spline through values 0 to [`CELLS`] between value `i` and the next. Beyond its ends the
/// values go on straight.
fn spline(value: impl Fn(usize) -> DVec3, i: usize, t: f64) -> DVec3 {
    let (b, c) = (value(i), value(i + 1));
    let a = if i > 0 { value(i - 1) } else { 2.0 * b - c };
    let d = if i + 2 <= CELLS { value(i + 2) } else { 2.0 * c - b };
    // Catmull and Rom's own tangents are short where a fold is sharp, and the spline would run unevenly.
    let tangent = |p: DVec3, q: DVec3, r: DVec3| {
        0.5 * (p.distance(q) + q.distance(r)) * (r - p).normalize_or_zero()
    };
    let (m, n) = (tangent(a, b, c), tangent(b, c, d));
    let (t2, t3) = (t * t, t * t * t);
    b * (2.0 * t3 - 3.0 * t2 + 1.0)
        + m * (t3 - 2.0 * t2 + t)
        + c * (3.0 * t2 - 2.0 * t3)
        + n * (t3 - t2)
}
