//! Cleaning of meshes that shall enclose a solid.
//!
//! Exporters write triangles that share no vertices (triangle soup), twice, without area, or facing
//! inwards. By its indices such a surface has a boundary everywhere and no inside. What can be
//! mended without a guess about shape is mended here; positions never change:
//!
//! 1. Triangles that use a vertex twice, and duplicates, are dropped.
//! 2. If edges are open, vertices at exactly the same place are merged.
//! 3. Triangles without area are dropped unless that would open the surface.
//! 4. If the surface is closed, neighbours are made to agree and each piece faces outwards; a piece
//!    that may be a cavity, inside the box of another, stays as it is.
//!
//! An edge is open if an odd number of triangles use it.

use crate::validate::{is_flat, repeated};
use crate::{Topology, TriMesh, Welding};
use glam::DVec3;
use std::collections::BTreeMap;

/// What [`TriMesh::cleaned`] did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cleaning {
    /// Vertices merged into others at the same place.
    pub welded_vertices: usize,
    /// Triangles dropped because another has the same corners.
    pub duplicate_triangles: usize,
    /// Triangles dropped because they use a vertex twice or have no area.
    pub degenerate_triangles: usize,
    /// Triangles turned over.
    pub turned_triangles: usize,
    /// Edges that are still open; a mesh with any has no inside.
    pub open_edges: usize,
}

impl TriMesh {
    /// Makes a solid of a mesh as far as that needs no guess, and says what was done. A mesh that is
    /// closed, faces outwards and has neither duplicate nor flat triangles comes back as it is.
    pub fn cleaned(&self) -> (Self, Cleaning) {
        let mut done = Cleaning::default();
        if self.check().is_err() {
            return (self.clone(), done);
        }
        let mut mesh = self.clone();
        mesh.drop_repeated(&mut done);
        mesh.drop_duplicates(&mut done);
        if open_edges(&mesh.triangles) > 0 {
            mesh.weld_open(&mut done);
        }
        mesh.drop_flat(&mut done);
        if mesh.triangles.is_empty() {
            // Nothing of it is a surface; what it is instead, others say.
            return (
                self.clone(),
                Cleaning { open_edges: open_edges(&self.triangles), ..Cleaning::default() },
            );
        }
        done.open_edges = open_edges(&mesh.triangles);
        if done.open_edges == 0 {
            done.turned_triangles = mesh.face_outwards();
        }
        if mesh.triangles.len() != self.triangles.len()
            || mesh.positions.len() != self.positions.len()
        {
            mesh.drop_loose_vertices();
        }
        (mesh, done)
    }

    /// Keeps the triangles for which `keep` is true, with their material coordinates.
    fn retain_triangles(&mut self, keep: &[bool]) -> usize {
        let before = self.triangles.len();
        let mut flags = keep.iter();
        self.triangles.retain(|_| *flags.next().unwrap_or(&true));
        if self.uv_triangles.len() == before {
            let mut flags = keep.iter();
            self.uv_triangles.retain(|_| *flags.next().unwrap_or(&true));
        }
        before - self.triangles.len()
    }

    fn drop_repeated(&mut self, done: &mut Cleaning) {
        let keep: Vec<bool> = self.triangles.iter().map(|t| repeated(t).is_none()).collect();
        done.degenerate_triangles += self.retain_triangles(&keep);
    }

    /// Of triangles with the same corners one stays; or none of a pair that faces both ways, such as
    /// a wall between two solids, if that leaves fewer edges open.
    fn drop_duplicates(&mut self, done: &mut Cleaning) {
        let mut groups: BTreeMap<[u32; 3], Vec<usize>> = BTreeMap::new();
        for (i, t) in self.triangles.iter().enumerate() {
            let mut key = *t;
            key.sort_unstable();
            groups.entry(key).or_default().push(i);
        }
        groups.retain(|_, members| members.len() > 1);
        if groups.is_empty() {
            return;
        }
        let mut one = vec![true; self.triangles.len()];
        let mut none = one.clone();
        for (key, members) in &groups {
            let front = members.iter().filter(|i| is_even(&self.triangles[**i], key)).count();
            members[1..].iter().for_each(|i| one[*i] = false);
            let cancels = 2 * front == members.len();
            members[usize::from(!cancels)..].iter().for_each(|i| none[*i] = false);
        }
        let kept = |keep: &[bool]| {
            let pairs = self.triangles.iter().zip(keep).filter(|(_, keep)| **keep);
            pairs.map(|(t, _)| *t).collect::<Vec<_>>()
        };
        let without = kept(&none);
        let walls = !without.is_empty() && open_edges(&without) < open_edges(&kept(&one));
        done.duplicate_triangles += self.retain_triangles(if walls { &none } else { &one });
    }

    /// Merges vertices at the same place if that closes edges.
    fn weld_open(&mut self, done: &mut Cleaning) {
        let welding = Welding::new(&self.positions);
        if welding.merged() == 0 {
            return;
        }
        let (mut welded, mut also) = (welding.mesh(self), *done);
        welded.drop_repeated(&mut also);
        welded.drop_duplicates(&mut also);
        if open_edges(&welded.triangles) < open_edges(&self.triangles) {
            also.welded_vertices += welding.merged();
            (*self, *done) = (welded, also);
        }
    }

    fn drop_flat(&mut self, done: &mut Cleaning) {
        let keep: Vec<bool> =
            (0..self.triangles.len()).map(|t| !is_flat(self.corners(t))).collect();
        if keep.iter().all(|keep| *keep) {
            return;
        }
        let mut without = self.clone();
        let dropped = without.retain_triangles(&keep);
        if open_edges(&without.triangles) <= open_edges(&self.triangles) {
            done.degenerate_triangles += dropped;
            *self = without;
        }
    }

    /// Turns triangles of a closed surface until every piece faces outwards; says how many.
    fn face_outwards(&mut self) -> usize {
        let topology = Topology::new(self.positions.len(), &self.triangles);
        let (component, count) = topology.components();
        let mut pieces: Vec<Vec<usize>> = vec![Vec::new(); count as usize];
        component.iter().enumerate().for_each(|(t, c)| pieces[*c as usize].push(t));
        let boxes: Vec<[DVec3; 2]> = pieces.iter().map(|piece| self.box_of(piece)).collect();
        let over = agreement(&topology, &self.triangles, &pieces);
        let mut turned = 0;
        for (k, piece) in pieces.iter().enumerate() {
            let Some(over) = &over[k] else { continue };
            let mixed = over.contains(&true);
            let volume = self.volume_of(piece, over);
            let is_within =
                |[lo, hi]: &[DVec3; 2]| lo.cmplt(boxes[k][0]).all() && hi.cmpgt(boxes[k][1]).all();
            let cavity = !mixed && boxes.iter().any(is_within);
            let inwards = volume < 0.0 && !cavity;
            for (t, over) in piece.iter().zip(over) {
                if *over != inwards {
                    self.triangles[*t].swap(1, 2);
                    if let Some(uv) = self.uv_triangles.get_mut(*t) {
                        uv.swap(1, 2);
                    }
                    turned += 1;
                }
            }
        }
        turned
    }

    fn box_of(&self, piece: &[usize]) -> [DVec3; 2] {
        let start = [DVec3::INFINITY, DVec3::NEG_INFINITY];
        let corners = piece.iter().flat_map(|t| self.corners(*t));
        corners.fold(start, |[lo, hi], p| [lo.min(p), hi.max(p)])
    }

    /// Volume of a closed piece, some of whose triangles count as turned over.
    fn volume_of(&self, piece: &[usize], over: &[bool]) -> f64 {
        let Some(origin) = piece.first().map(|t| self.corners(*t)[0]) else { return 0.0 };
        let part = |(t, over): (&usize, &bool)| {
            let [a, b, c] = self.corners(*t).map(|p| p - origin);
            let six = a.dot(b.cross(c));
            if *over { -six } else { six }
        };
        piece.iter().zip(over).map(part).sum::<f64>() / 6.0
    }

    fn drop_loose_vertices(&mut self) {
        let mut used = vec![false; self.positions.len()];
        self.triangles.iter().flatten().for_each(|v| used[*v as usize] = true);
        let mut next = 0;
        let number: Vec<u32> = used
            .iter()
            .map(|used| {
                next += u32::from(*used);
                next.saturating_sub(1)
            })
            .collect();
        self.triangles.iter_mut().flatten().for_each(|v| *v = number[*v as usize]);
        let mut flags = used.iter();
        self.positions.retain(|_| *flags.next().unwrap_or(&true));
    }
}

/// For each piece which of its triangles to turn over so that neighbours agree, the fewest; `None`
/// if it has one side only. Neighbours are the two triangles of an edge that no other uses.
fn agreement(
    topology: &Topology,
    triangles: &[[u32; 3]],
    pieces: &[Vec<usize>],
) -> Vec<Option<Vec<bool>>> {
    let runs = |t: usize, [a, b]: [u32; 2]| {
        let t = &triangles[t];
        (0..3).any(|k| t[k] == a && t[(k + 1) % 3] == b)
    };
    let mut over: Vec<Option<bool>> = vec![None; triangles.len()];
    let mut result = Vec::with_capacity(pieces.len());
    for piece in pieces {
        let mut two_sided = true;
        for first in piece {
            let mut todo = Vec::new();
            if over[*first].is_none() {
                over[*first] = Some(false);
                todo.push(*first);
            }
            while let Some(t) = todo.pop() {
                for e in topology.triangle_edges[t] {
                    let edge = &topology.edges[e as usize];
                    let other = edge.triangles.into_iter().find(|o| *o as usize != t);
                    let Some(other) = other.filter(|_| edge.valence == 2) else { continue };
                    let other = other as usize;
                    let same = runs(t, edge.vertices) == runs(other, edge.vertices);
                    let wanted = over[t] != Some(same);
                    match over[other] {
                        None => {
                            over[other] = Some(wanted);
                            todo.push(other);
                        }
                        Some(now) => two_sided &= now == wanted,
                    }
                }
            }
        }
        let own: Vec<bool> = piece.iter().map(|t| over[*t] == Some(true)).collect();
        let most = 2 * own.iter().filter(|over| **over).count() > own.len();
        result.push(two_sided.then(|| own.iter().map(|over| *over != most).collect()));
    }
    result
}

/// Whether the corners are an even permutation of the key.
fn is_even(t: &[u32; 3], key: &[u32; 3]) -> bool {
    (0..3).any(|k| [t[k], t[(k + 1) % 3], t[(k + 2) % 3]] == *key)
}

/// Edges that an odd number of triangles use.
fn open_edges(triangles: &[[u32; 3]]) -> usize {
    let mut edges: Vec<[u32; 2]> = Vec::with_capacity(3 * triangles.len());
    for [a, b, c] in triangles {
        for (from, to) in [(*a, *b), (*b, *c), (*c, *a)] {
            if from != to {
                edges.push([from.min(to), from.max(to)]);
            }
        }
    }
    edges.sort_unstable();
    edges.chunk_by(|a, b| a == b).filter(|same| same.len() % 2 == 1).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape;

    fn soup(mesh: &TriMesh) -> TriMesh {
        let corners = mesh.triangles.iter().flatten().map(|v| mesh.positions[*v as usize]);
        let count = mesh.triangles.len() as u32;
        TriMesh::new(corners.collect(), (0..count).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect())
    }

    #[test]
    fn a_sound_ball_stays_as_it_is() {
        let ball = shape::sphere(1.0, 2);
        assert_eq!(ball.cleaned(), (ball.clone(), Cleaning::default()));
    }

    #[test]
    fn triangle_soup_becomes_a_solid() {
        let ball = shape::sphere(1.0, 2);
        let (clean, done) = soup(&ball).cleaned();
        assert_eq!((clean.positions.len(), done.open_edges), (ball.positions.len(), 0));
        assert_eq!(done.welded_vertices, 3 * ball.triangles.len() - ball.positions.len());
        assert_eq!(clean.signed_volume(), ball.signed_volume());
    }

    #[test]
    fn duplicate_and_degenerate_triangles_are_dropped() {
        let ball = shape::sphere(1.0, 2);
        let mut bad = ball.clone();
        let [a, b, c] = bad.triangles[7];
        bad.triangles.extend([[b, c, a], [a, a, b], bad.triangles[3]]);
        // A flat one with vertices of its own.
        let n = bad.positions.len() as u32;
        bad.positions.extend([DVec3::ZERO, DVec3::X, 2.0 * DVec3::X]);
        bad.triangles.push([n, n + 1, n + 2]);
        let (clean, done) = bad.cleaned();
        assert_eq!(clean, ball);
        let dropped = (done.duplicate_triangles, done.degenerate_triangles, done.open_edges);
        assert_eq!(dropped, (2, 2, 0));
    }

    #[test]
    fn what_faces_inwards_is_turned_and_a_cavity_is_not() {
        let ball = shape::sphere(1.0, 2);
        let inside_out = |mut mesh: TriMesh| {
            mesh.triangles.iter_mut().for_each(|t| t.swap(1, 2));
            mesh
        };
        let (clean, done) = inside_out(ball.clone()).cleaned();
        assert_eq!(done.turned_triangles, ball.triangles.len());
        assert_eq!(clean, ball);
        let mut mixed = ball.clone();
        (0..30).for_each(|t| mixed.triangles[t].swap(1, 2));
        let (clean, done) = mixed.cleaned();
        assert_eq!((clean, done.turned_triangles), (ball.clone(), 30));
        let mut hollow = ball.clone();
        hollow.append(&inside_out(shape::sphere(0.5, 2)));
        assert_eq!(hollow.cleaned().1, Cleaning::default());
        let mut two = ball.clone();
        two.append(&inside_out(ball.clone().map_positions(|p| p + 3.0 * DVec3::X)));
        assert_eq!(two.cleaned().1.turned_triangles, ball.triangles.len());
    }

    #[test]
    fn a_ball_drawn_from_both_sides_is_one_ball_and_a_wall_between_boxes_goes() {
        let ball = shape::sphere(1.0, 2);
        let mut double = ball.clone();
        double.triangles.extend(ball.triangles.iter().map(|[a, b, c]| [*a, *c, *b]));
        let (clean, done) = double.cleaned();
        assert_eq!((clean, done.duplicate_triangles), (ball.clone(), ball.triangles.len()));
        // Two tetrahedra on either side of a triangle.
        let (o, x, y, z) = (DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z);
        let up = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];
        let down = [[0, 1, 2], [1, 0, 4], [2, 1, 4], [0, 2, 4]];
        let both = TriMesh::new(vec![o, x, y, z, -z], [up, down].concat());
        let (clean, done) = both.cleaned();
        assert_eq!((clean.triangles.len(), done.duplicate_triangles, done.open_edges), (6, 2, 0));
        assert!((clean.signed_volume() - 2.0 / 6.0).abs() < 1e-12);
    }

    #[test]
    fn an_open_surface_stays_open_and_nothing_is_turned() {
        let sheet = shape::grid(1.0, 1.0, 3, 3, shape::Diagonals::Same);
        let (clean, done) = sheet.cleaned();
        assert_eq!((clean, done.open_edges, done.turned_triangles), (sheet, 12, 0));
    }
}
