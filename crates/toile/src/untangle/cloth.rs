//! The cloth while it is untangled: positions, what may move, and the threads that hold it together.

use glam::DVec3;
use toile_sim::Model;

/// Least sweeps over all edges after each push. A sweep carries little farther than an edge, so that fine
/// cloth has more: half as many as a square of its vertices has along a side.
const MIN_SWEEPS: usize = 12;
/// Part of an edge's error that a sweep takes back.
const RELAXATION: f64 = 0.8;

/// Positions that are to be untangled.
pub(super) struct Cloth<'a> {
    pub(super) model: &'a Model,
    /// Positions now [m].
    pub(super) x: Vec<DVec3>,
    /// Inverse masses relative to the mean mass; 0 is held.
    pub(super) w: Vec<f64>,
    /// Length that each edge may have [m]: from the lesser to the larger of its length at rest and
    /// its length at the start. Cloth that nobody pushes stays as it was placed.
    lengths: Vec<[f64; 2]>,
    /// Edges of each vertex, behind one another, and where each list begins.
    edges_of: Vec<u32>,
    first_edge: Vec<u32>,
    /// Median edge at rest [m].
    pub(super) edge: f64,
    /// Connected piece of each triangle.
    pub(super) piece: Vec<u32>,
    /// Whether each piece is held anywhere.
    held: Vec<bool>,
}

impl<'a> Cloth<'a> {
    pub(super) fn new(model: &'a Model, x: &[DVec3], held: &[u32]) -> Self {
        let n = x.len();
        let mean = model.mass.iter().sum::<f64>() / n as f64;
        let mut w: Vec<f64> = model.mass.iter().map(|m| mean / m).collect();
        held.iter().for_each(|v| w[*v as usize] = 0.0);
        let edges = &model.topology.edges;
        let mut rest_lengths = model.rest_lengths();
        let lengths = edges.iter().zip(&rest_lengths).map(|(e, rest)| {
            let [a, b] = e.vertices.map(|v| x[v as usize]);
            let now = a.distance(b);
            [rest.min(now), rest.max(now)]
        });
        let mut first_edge = vec![0; n + 1];
        for v in edges.iter().flat_map(|e| e.vertices) {
            first_edge[v as usize + 1] += 1;
        }
        for v in 0..n {
            first_edge[v + 1] += first_edge[v];
        }
        let mut next = first_edge.clone();
        let mut edges_of = vec![0; 2 * edges.len()];
        for (e, edge) in edges.iter().enumerate() {
            for v in edge.vertices {
                edges_of[next[v as usize] as usize] = e as u32;
                next[v as usize] += 1;
            }
        }
        let (piece, pieces) = model.topology.components();
        let mut held_pieces = vec![false; pieces as usize];
        for t in held.iter().flat_map(|v| model.topology.triangles_of(*v)) {
            held_pieces[piece[*t as usize] as usize] = true;
        }
        let lengths = lengths.collect();
        rest_lengths.sort_by(f64::total_cmp);
        Self {
            lengths,
            edge: rest_lengths[rest_lengths.len() / 2],
            model,
            x: x.to_vec(),
            w,
            edges_of,
            first_edge,
            piece,
            held: held_pieces,
        }
    }

    pub(super) fn at(&self, v: u32) -> DVec3 {
        self.x[v as usize]
    }

    pub(super) fn corners(&self, t: u32) -> [DVec3; 3] {
        self.model.mesh.triangles[t as usize].map(|v| self.at(v))
    }

    /// Neighbours of a vertex, each with the edge to it.
    pub(super) fn neighbours(&self, v: u32) -> impl Iterator<Item = (u32, u32)> + '_ {
        let range = self.first_edge[v as usize] as usize..self.first_edge[v as usize + 1] as usize;
        self.edges_of[range].iter().map(move |e| {
            let [a, b] = self.model.topology.edges[*e as usize].vertices;
            (if a == v { b } else { a }, *e)
        })
    }

    /// Largest elongation of an edge beyond the length it may have.
    pub(super) fn tension(&self) -> f64 {
        let edges = self.model.topology.edges.iter().zip(&self.lengths);
        let beyond = edges.map(|(e, [_, most])| {
            let [a, b] = e.vertices.map(|v| self.at(v));
            a.distance(b) / most - 1.0
        });
        beyond.fold(0.0, f64::max)
    }

    /// Draws edges back to lengths they may have, one after the other: pushed cloth takes its
    /// neighbours along instead of being torn.
    pub(super) fn relax(&mut self) {
        let sweeps = MIN_SWEEPS.max(self.x.len().isqrt() / 2);
        for _ in 0..sweeps {
            for (edge, [least, most]) in self.model.topology.edges.iter().zip(&self.lengths) {
                let [a, b] = edge.vertices.map(|v| v as usize);
                let displacement = self.x[b] - self.x[a];
                let length = displacement.length();
                let wanted = length.clamp(*least, *most);
                let weight = self.w[a] + self.w[b];
                if length == wanted || length == 0.0 || weight == 0.0 {
                    continue;
                }
                let part = displacement * (RELAXATION * (length - wanted) / (length * weight));
                self.x[a] += part * self.w[a];
                self.x[b] -= part * self.w[b];
            }
        }
    }
}

/// Wishes of many pairs where vertices should go; a vertex takes the mean of its own.
pub(super) struct Moves {
    sum: Vec<DVec3>,
    count: Vec<u32>,
    /// Ways of whole pieces.
    shifts: Vec<(u32, DVec3)>,
}

impl Moves {
    pub(super) fn new(vertices: usize) -> Self {
        let (sum, count) = (vec![DVec3::ZERO; vertices], vec![0; vertices]);
        Self { sum, count, shifts: Vec::new() }
    }

    /// Wishes that a whole piece moves by `displacement` against another, if either is free.
    pub(super) fn shift(&mut self, cloth: &Cloth<'_>, pieces: [u32; 2], displacement: DVec3) {
        let free = pieces.map(|p| !cloth.held[p as usize]);
        let share = if free == [true; 2] { 0.5 } else { 1.0 };
        for (k, sign) in [(0, 1.0), (1, -1.0)] {
            if free[k] {
                self.shifts.push((pieces[k], displacement * (sign * share)));
            }
        }
    }

    /// Wishes that the weighted point Σ wᵢ xᵢ moves by `displacement`; those move more that are light and
    /// have a large share.
    pub(super) fn wish<const N: usize>(
        &mut self,
        cloth: &Cloth<'_>,
        points: [u32; N],
        weights: [f64; N],
        displacement: DVec3,
    ) {
        let each = |k: usize| weights[k] * cloth.w[points[k] as usize];
        let all: f64 = (0..N).map(|k| weights[k] * each(k)).sum();
        if all <= 0.0 {
            return;
        }
        for k in 0..N {
            if each(k) != 0.0 {
                self.sum[points[k] as usize] += displacement * (each(k) / all);
                self.count[points[k] as usize] += 1;
            }
        }
    }

    /// Moves the cloth, no vertex farther than `most`; returns whether anything moves.
    pub(super) fn apply(&self, cloth: &mut Cloth<'_>, most: f64) -> bool {
        let mut moved = false;
        for (v, (sum, count)) in self.sum.iter().zip(&self.count).enumerate() {
            if *count > 0 {
                cloth.x[v] += (*sum / f64::from(*count)).clamp_length_max(most);
                moved = true;
            }
        }
        moved | self.apply_shifts(cloth)
    }

    /// Moves whole pieces, each by the mean of its wishes.
    fn apply_shifts(&self, cloth: &mut Cloth<'_>) -> bool {
        let mut displacements = vec![(DVec3::ZERO, 0.0); cloth.held.len()];
        for (piece, displacement) in &self.shifts {
            let (sum, count) = &mut displacements[*piece as usize];
            *sum += *displacement;
            *count += 1.0;
        }
        for v in 0..cloth.x.len() {
            let t = cloth.model.topology.triangles_of(v as u32)[0];
            let (sum, count) = displacements[cloth.piece[t as usize] as usize];
            if count > 0.0 {
                cloth.x[v] += sum / count;
            }
        }
        !self.shifts.is_empty()
    }
}
