//! A small piece of cloth on which orders are measured.

use super::solve::{Counted, Method, failed};
use glam::DVec3;
use toile::Error;
use toile_sim::element::Spring;
use toile_sim::element::spring::Kind;
use toile_sim::linear::{Constraint, Filter};
use toile_sim::papers::integrate::{DormandPrince, SpringSystem};

/// Vertices along a side.
const SIDE: u32 = 5;
/// Length of a cell [m].
const CELL: f64 = 0.05;

/// A square of springs that hangs from two corners, with its beginning.
pub(super) struct Patch {
    pub(super) system: SpringSystem,
    pub(super) filter: Filter,
    pub(super) x: Vec<DVec3>,
    pub(super) v: Vec<DVec3>,
    /// End of the run [s].
    pub(super) end: f64,
}

impl Patch {
    /// 5 × 5 vertices, stretched by 3 %, with a kick out of the plane; each spring has the damping
    /// given [N·s/m].
    pub(super) fn new(damping: f64) -> Result<Self, Error> {
        let vertex = |i: u32, j: u32| i * SIDE + j;
        let mut springs = Vec::new();
        let mut add = |a: u32, b: u32, rest: f64, stiffness: f64, kind: Kind| {
            springs.push(Spring { ends: [a, b], kind, rest, stiffness, damping });
        };
        for i in 0..SIDE {
            for j in 0..SIDE {
                if i + 1 < SIDE {
                    add(vertex(i, j), vertex(i + 1, j), CELL, 2.0, Kind::Structural);
                }
                if j + 1 < SIDE {
                    add(vertex(i, j), vertex(i, j + 1), CELL, 3.0, Kind::Structural);
                }
                if i + 1 < SIDE && j + 1 < SIDE {
                    let across = CELL * std::f64::consts::SQRT_2;
                    add(vertex(i, j), vertex(i + 1, j + 1), across, 0.5, Kind::Shear);
                    add(vertex(i + 1, j), vertex(i, j + 1), across, 0.5, Kind::Shear);
                }
            }
        }
        let at = |k: u32| DVec3::new(f64::from(k / SIDE), 0.0, f64::from(k % SIDE)) * CELL * 1.03;
        let x: Vec<DVec3> = (0..SIDE * SIDE).map(at).collect();
        let mut v: Vec<DVec3> =
            (0..SIDE * SIDE).map(|k| DVec3::new(0.02, 0.1, -0.03) * f64::from(k % 3)).collect();
        let gravity = DVec3::new(0.0, -9.81, 0.0);
        let refused = |e: toile_sim::linear::Error| {
            Error::request(e.to_string(), "this should not happen; please report it")
        };
        let system =
            SpringSystem::new(vec![4e-4; x.len()], springs, gravity, false).map_err(refused)?;
        let held = [(0, Constraint::Fixed), (vertex(SIDE - 1, 0), Constraint::Fixed)];
        let filter = Filter::new(x.len(), &held).map_err(refused)?;
        filter.project_free(&mut v);
        Ok(Self { system, filter, x, v, end: 0.05 })
    }

    /// Where it is at the end, by steps far smaller than any that are judged.
    pub(super) fn reference(&self) -> Result<(Vec<DVec3>, Vec<DVec3>), Error> {
        let (mut x, mut v) = (self.x.clone(), self.v.clone());
        let mut system = Counted::new(self.system.clone(), Some(self.filter.clone()));
        DormandPrince::new(1e-13, 1e-4)
            .integrate_to(&mut system, &mut 0.0, self.end, &mut x, &mut v)
            .map_err(|e| failed(Method::DormandPrince, &e))?;
        Ok((x, v))
    }
}

/// Root of the sum of squares of all distances.
pub(super) fn distance(a: &[DVec3], b: &[DVec3]) -> f64 {
    libm::sqrt(a.iter().zip(b).map(|(a, b)| a.distance_squared(*b)).sum())
}
