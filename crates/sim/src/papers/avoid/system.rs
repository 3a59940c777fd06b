//! The linear systems of a step, `A_t r_{t+h} = g_t` (eqs. 2 to 5), and Gauss–Seidel on all three at once (eq. 11).
//!
//! The elastic force is K(r) r with coefficients of the present state: α = 2 η (G − G⁰) along threads, the shear's in the
//! corners, constant second differences for bending; see [`crate::element::terzopoulos`] for their derivation and the
//! erratum. A = K + M/h² + C/2h.
//!
//! Stretch is as good as explicit (its coefficients are secants), so threads are softened to what the step can
//! bear, as explicit systems do.

use super::Limits;
use crate::element::Element;
use crate::element::continuum::Corner;
use crate::element::laplacian::{Plate, Stencil};
use crate::element::terzopoulos::{Edge, Surface};
use crate::error::Error;
use crate::model::Cloth;
use glam::DVec3;

/// Part of the stability limit h ω = 2 that softened threads are given.
const STABILITY_MARGIN: f64 = 0.7;

/// The systems with their memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct System {
    edges: Vec<Edge>,
    corners: Vec<Corner>,
    plates: Vec<Plate>,
    /// First vertex of each plate's cloth.
    firsts: Vec<usize>,
    /// Compressed rows; the values of bending, and of all.
    start: Vec<usize>,
    columns: Vec<u32>,
    bending: Vec<f64>,
    values: Vec<f64>,
    /// Where each vertex, thread and corner has its entries.
    own: Vec<usize>,
    edge_slots: Vec<[[usize; 2]; 2]>,
    corner_slots: Vec<[[usize; 3]; 3]>,
    right: Vec<DVec3>,
    /// What is left of the stiffness of threads.
    pub(crate) softened: f64,
}

/// The state and the loads at the start of a step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StepStart<'a> {
    pub(crate) x: &'a [DVec3],
    pub(crate) v: &'a [DVec3],
    /// Outer forces [N].
    pub(crate) force: &'a [DVec3],
    pub(crate) mass: &'a [f64],
    /// Damping as a part of the mass [1/s].
    pub(crate) drag: f64,
    pub(crate) h: f64,
}

impl System {
    /// The systems of cloths that are grids.
    pub(crate) fn new(cloths: &[Cloth]) -> Result<Self, Error> {
        let mut system = Self { softened: 1.0, ..Self::default() };
        let mut first = 0;
        for cloth in cloths {
            let Some([nu, nv]) = cloth.grid else {
                let reason = "the method `avoidance` needs a grid; choose another preset".into();
                return Err(Error::Mesh { name: cloth.name.clone(), reason });
            };
            let Surface { mut edges, mut corners, plate, .. } =
                Surface::of_grid(&cloth.mesh, nu, nv, &cloth.fabric);
            let shift = first as u32;
            edges.iter_mut().for_each(|e| e.vertices = e.vertices.map(|v| v + shift));
            corners.iter_mut().for_each(|c| c.vertices = c.vertices.map(|v| v + shift));
            system.edges.extend(edges);
            system.corners.extend(corners);
            system.plates.push(plate);
            system.firsts.push(first);
            first += cloth.mesh.positions.len();
        }
        system.lay_out(first);
        Ok(system)
    }

    /// Finds the places of all entries, and sums up bending.
    fn lay_out(&mut self, n: usize) {
        let mut entries: Vec<(u32, u32, f64)> = (0..n as u32).map(|v| (v, v, 0.0)).collect();
        for (plate, first) in self.plates.iter().zip(&self.firsts) {
            let shift = *first as u32;
            add(&mut entries, &plate.lines, shift);
            add(&mut entries, &plate.crosses, shift);
            add(&mut entries, &plate.cells, shift);
        }
        let all = self.edges.iter().map(|e| &e.vertices[..]);
        for stencil in all.chain(self.corners.iter().map(|c| &c.vertices[..])) {
            for a in stencil {
                entries.extend(stencil.iter().map(|b| (*a, *b, 0.0)));
            }
        }
        entries.sort_by_key(|e| (e.0, e.1));
        self.start = vec![0; n + 1];
        for (k, (row, column, value)) in entries.iter().enumerate() {
            if k > 0 && (entries[k - 1].0, entries[k - 1].1) == (*row, *column) {
                if let Some(last) = self.bending.last_mut() {
                    *last += value;
                }
            } else {
                self.columns.push(*column);
                self.bending.push(*value);
                self.start[*row as usize + 1] = self.columns.len();
            }
        }
        let slot = |a: u32, b: u32| {
            let row = self.start[a as usize]..self.start[a as usize + 1];
            // Every pair of a stencil has been entered.
            row.start + self.columns[row].binary_search(&b).unwrap_or(0)
        };
        self.own = (0..n as u32).map(|v| slot(v, v)).collect();
        self.edge_slots =
            self.edges.iter().map(|e| e.vertices.map(|a| e.vertices.map(|b| slot(a, b)))).collect();
        self.corner_slots = self
            .corners
            .iter()
            .map(|c| c.vertices.map(|a| c.vertices.map(|b| slot(a, b))))
            .collect();
    }

    /// Softens threads and shear so that steps of `h` are stable, by Gershgorin's bound: ω² ≤ 2 Σk/m.
    pub(crate) fn soften(&mut self, mass: &[f64], h: f64) {
        let mut sum = vec![0.0; mass.len()];
        for e in &self.edges {
            let tangent = 4.0 * e.stiffness / (e.rest * e.rest);
            e.vertices.iter().for_each(|v| sum[*v as usize] += tangent);
        }
        for c in &self.corners {
            // The largest row of the Hessian, with threads of a cell's mean length.
            let [e, ..] = self.edges[..] else { break };
            let tangent = 2.42 * c.stiffness * e.rest * e.rest;
            c.vertices.iter().for_each(|v| sum[*v as usize] += tangent);
        }
        let limit = 2.0 * STABILITY_MARGIN / h;
        let part = sum.iter().zip(mass).map(|(k, m)| 0.5 * limit * limit * m / k);
        self.softened = part.fold(1.0, f64::min);
        self.edges.iter_mut().for_each(|e| e.stiffness *= self.softened);
        self.corners.iter_mut().for_each(|c| c.stiffness *= self.softened);
    }

    /// Elastic energy [J].
    pub(crate) fn energy(&self, x: &[DVec3]) -> f64 {
        let at = |v: u32| x[v as usize];
        let edges: f64 = self.edges.iter().map(|e| e.energy(&e.vertices.map(at))).sum();
        let corners: f64 = self.corners.iter().map(|c| c.energy(&c.vertices.map(at))).sum();
        let bending = self.plates.iter().zip(&self.firsts).map(|(p, first)| p.energy(&x[*first..]));
        edges + corners + bending.sum::<f64>()
    }

    /// Takes up the state at the start of a step.
    pub(crate) fn assemble(&mut self, start: &StepStart<'_>) {
        let at = |v: u32| start.x[v as usize];
        self.values.clone_from(&self.bending);
        for (e, slots) in self.edges.iter().zip(&self.edge_slots) {
            let square = e.rest * e.rest;
            let [a, b] = e.vertices.map(at);
            let alpha = 2.0 * e.stiffness * (a.distance_squared(b) / square - 1.0) / square;
            self.values[slots[0][0]] += alpha;
            self.values[slots[1][1]] += alpha;
            self.values[slots[0][1]] -= alpha;
            self.values[slots[1][0]] -= alpha;
        }
        for (c, slots) in self.corners.iter().zip(&self.corner_slots) {
            let [o, a, b] = c.vertices.map(at);
            let pull = c.stiffness * (a - o).dot(b - o);
            // ½ pull |a + b − 2o|²/2 − ½ pull |a − b|²/2, whose gradient is that of the corner.
            for (w, half) in [([-2.0, 1.0, 1.0], 0.5 * pull), ([0.0, 1.0, -1.0], -0.5 * pull)] {
                for i in 0..3 {
                    for j in 0..3 {
                        self.values[slots[i][j]] += half * w[i] * w[j];
                    }
                }
            }
        }
        let h = start.h;
        self.right.clear();
        for (v, m) in start.mass.iter().enumerate() {
            let c = start.drag * m;
            let inertia = m / (h * h) + c / (2.0 * h);
            self.values[self.own[v]] += inertia;
            let kept = start.v[v] * (m / h - 0.5 * c);
            self.right.push(start.force[v] + start.x[v] * inertia + kept);
        }
    }

    /// Gauss–Seidel from the x given, each coordinate within its limits; returns the sweeps made.
    pub(crate) fn solve(
        &self,
        limits: &Limits,
        tolerance: f64,
        sweeps: u32,
        x: &mut [DVec3],
    ) -> u32 {
        for (v, x) in x.iter_mut().enumerate() {
            *x = x.max(limits.lower[v]).min(limits.upper[v]);
        }
        for sweep in 1..=sweeps {
            let mut change = DVec3::ZERO;
            for v in 0..x.len() {
                let row = self.start[v]..self.start[v + 1];
                let mut rest = self.right[v];
                for (column, value) in self.columns[row.clone()].iter().zip(&self.values[row]) {
                    rest -= x[*column as usize] * *value;
                }
                let free = x[v] + rest / self.values[self.own[v]];
                let next = free.max(limits.lower[v]).min(limits.upper[v]);
                change = change.max((next - x[v]).abs());
                x[v] = next;
            }
            if change.max_element() <= tolerance {
                return sweep;
            }
        }
        sweeps
    }
}

fn add<const N: usize>(entries: &mut Vec<(u32, u32, f64)>, stencils: &[Stencil<N>], shift: u32) {
    for s in stencils {
        for a in 0..N {
            for b in 0..N {
                let value = s.stiffness * s.weights[a] * s.weights[b];
                entries.push((s.vertices[a] + shift, s.vertices[b] + shift, value));
            }
        }
    }
}
