//! Which part of the cloth is on the wrong side of a contour: global intersection analysis.
//!
//! The curve of a contour may cut a piece of cloth in two. A flood fill from the cut edges that does
//! not pass them finds the parts; the smallest one is what went through, and has to come back
//! [baraff2003untangling]. What is held stays: a part with a held vertex is never the one that moves. A curve
//! that ends within the cloth is a slit and has no parts; so have two sheets whose borders cut into
//! each other.

use super::cloth::Cloth;
use super::crossing::Crossing;

/// Which vertices are on the wrong side of the contour, if a part is cut off.
pub(super) struct Floods {
    /// Part of each vertex; 0 is none.
    part: Vec<u32>,
    cut: Vec<bool>,
    touched: Vec<u32>,
}

/// A part of the cloth.
#[derive(Clone, Copy, Debug)]
struct Part {
    mass: f64,
    held: bool,
}

impl Floods {
    pub(super) fn new(cloth: &Cloth<'_>) -> Self {
        Self {
            part: vec![0; cloth.x.len()],
            cut: vec![false; cloth.model.topology.edges.len()],
            touched: Vec::new(),
        }
    }

    /// The edges of a contour that have one end on the wrong side, with that end: of the curve whose wrong
    /// side is the smallest. Nothing if no curve cuts anything off.
    pub(super) fn wrong_ends(
        &mut self,
        cloth: &Cloth<'_>,
        contour: &[Crossing],
    ) -> Option<Vec<(u32, u32)>> {
        let mut curves: Vec<u32> = contour.iter().map(|c| c.curve).collect();
        curves.sort_unstable();
        curves.dedup();
        let mut best: Option<(f64, Vec<(u32, u32)>)> = None;
        let mut take = |found: Option<(f64, Vec<(u32, u32)>)>| {
            if let Some((mass, ends)) = found
                && best.as_ref().is_none_or(|(least, _)| mass < *least)
            {
                best = Some((mass, ends));
            }
        };
        for curve in &curves {
            take(self.cut_off(cloth, contour.iter().filter(|c| c.curve == *curve)));
        }
        // Where cloth meets itself at a shared vertex both curves are one.
        if curves.len() > 1 {
            take(self.cut_off(cloth, contour.iter()));
        }
        best.map(|(_, ends)| ends)
    }

    /// Mass of what the crossings cut off, and their edges with the ends that belong to it.
    fn cut_off<'c>(
        &mut self,
        cloth: &Cloth<'_>,
        crossings: impl Iterator<Item = &'c Crossing>,
    ) -> Option<(f64, Vec<(u32, u32)>)> {
        // An edge that is crossed twice has both ends on one side.
        let mut edges: Vec<u32> = crossings.map(|c| c.edge).collect();
        edges.sort_unstable();
        let odd = edges.chunk_by(|a, b| a == b).filter(|e| e.len() % 2 == 1).map(|e| e[0]);
        let edges: Vec<u32> = odd.collect();
        edges.iter().for_each(|e| self.cut[*e as usize] = true);
        let parts = self.flood(cloth, &edges);
        let result = self.judge(cloth, &edges, &parts);
        edges.iter().for_each(|e| self.cut[*e as usize] = false);
        self.touched.drain(..).for_each(|v| self.part[v as usize] = 0);
        result
    }

    /// Numbers the parts that the ends of cut edges lie in, from 1.
    fn flood(&mut self, cloth: &Cloth<'_>, edges: &[u32]) -> Vec<Part> {
        let mut parts = Vec::new();
        let mut stack = Vec::new();
        for seed in edges.iter().flat_map(|e| cloth.model.topology.edges[*e as usize].vertices) {
            if self.part[seed as usize] != 0 {
                continue;
            }
            let number = parts.len() as u32 + 1;
            let mut part = Part { mass: 0.0, held: false };
            self.part[seed as usize] = number;
            stack.push(seed);
            while let Some(v) = stack.pop() {
                self.touched.push(v);
                part.mass += cloth.model.mass[v as usize];
                part.held |= cloth.w[v as usize] == 0.0;
                for (to, edge) in cloth.neighbours(v) {
                    if !self.cut[edge as usize] && self.part[to as usize] == 0 {
                        self.part[to as usize] = number;
                        stack.push(to);
                    }
                }
            }
            parts.push(part);
        }
        parts
    }

    /// All parts but the one that stays: that with held vertices, or the heaviest.
    fn judge(
        &self,
        cloth: &Cloth<'_>,
        edges: &[u32],
        parts: &[Part],
    ) -> Option<(f64, Vec<(u32, u32)>)> {
        let any_held = parts.iter().any(|p| p.held);
        let heaviest = parts.iter().map(|p| p.mass).fold(0.0, f64::max);
        let stays_at = parts.iter().position(|p| p.mass == heaviest)?;
        let moves = |number: u32| {
            let part = number as usize - 1;
            if any_held { !parts[part].held } else { part != stays_at }
        };
        let ends: Vec<(u32, u32)> = edges
            .iter()
            .filter_map(|e| {
                let [a, b] = cloth.model.topology.edges[*e as usize].vertices;
                let [out_a, out_b] = [a, b].map(|v| moves(self.part[v as usize]));
                (out_a != out_b).then_some((*e, if out_a { a } else { b }))
            })
            .collect();
        let numbers = 1..=parts.len() as u32;
        let mass = numbers.filter(|n| moves(*n)).map(|n| parts[n as usize - 1].mass).sum();
        (!ends.is_empty()).then_some((mass, ends))
    }
}
