//! The contour test: whether the outline of a region, seen along a direction, crosses itself (D6c,
//! [eg2004garments] §3.2).
//!
//! **Theorem.** Let a region be a disc of consistently oriented triangles. If at some time the normals
//! of all of them have a positive dot product with d, and the outline projected along d is a simple
//! closed curve, then the projection is injective, and the region does not intersect itself.
//!
//! *Proof.* Let f be the projection. It keeps the orientation of every triangle, so each point y off
//! the images of edges has as many preimages as the degree of f at y, which is the winding number of
//! the outline around y; for a simple curve that is at most 1 in absolute value. Let now f(p) = f(q),
//! p ≠ q. If one of them, say p, is inside the disc, f maps every neighbourhood of p onto a
//! neighbourhood of f(p), since the triangles around p turn about f(p) at least once. Near q there are
//! points of a triangle's inside; their images have a preimage near p too, so two in all: a
//! contradiction. If both are on the outline, f is injective there by assumption. ∎
//!
//! Nothing is asked of interior vertices, and the times of a step are looked at one by one: it is
//! enough that both conditions hold at each. [`super::DirectionSet`] gives the first for the whole step,
//! [`is_simple`] the second.
//!
//! Limits: what is meant is that the region does not *cross* itself. Parts of it may come nearer than a
//! separation, as flat neighbours do anyway. The test of the outline is conservative.

use super::Direction;
use crate::{Motion, Surface};
use glam::DVec2;

/// The outline of a disc of triangles, in the order that has the triangles on its left.
///
/// `None` if they are not a disc: in several pieces, with holes, pinched, with more than two triangles
/// on an edge, or not oriented alike.
pub fn boundary_loop(surface: &Surface, triangles: &[u32]) -> Option<Vec<u32>> {
    let mut edges = Vec::with_capacity(3 * triangles.len());
    let mut vertices = Vec::with_capacity(3 * triangles.len());
    for (local, t) in triangles.iter().enumerate() {
        let tri = surface.triangles[*t as usize];
        for k in 0..3 {
            let e = surface.triangle_edges[*t as usize][k];
            edges.push((e, [tri[k], tri[(k + 1) % 3]], local));
            vertices.push(tri[k]);
        }
    }
    edges.sort_unstable();
    vertices.sort_unstable();
    vertices.dedup();
    // Edges used once make the outline; those used twice have to be used in both directions.
    let mut pieces = Pieces::new(triangles.len());
    let (mut outline, mut edge_count) = (Vec::new(), 0);
    for same in edges.chunk_by(|a, b| a.0 == b.0) {
        edge_count += 1;
        match same {
            [(_, ends, _)] => outline.push(*ends),
            [(_, a, t), (_, b, s)] if a[0] == b[1] && a[1] == b[0] => pieces.join(*t, *s),
            _ => return None,
        }
    }
    // In one piece with V − E + F = 1 and at least one boundary it is a disc, with pinched vertices
    // told apart: these would lower the sum, and no surface with boundary has a larger one.
    if pieces.count != 1 || vertices.len() + triangles.len() != edge_count + 1 {
        return None;
    }
    outline.sort_unstable();
    let first = outline.first()?[0];
    let mut walk = vec![first];
    loop {
        let last = walk[walk.len() - 1];
        let i = outline.partition_point(|e| e[0] < last);
        let next = outline.get(i).filter(|e| e[0] == last)?[1];
        if next == first {
            break;
        }
        if walk.len() == outline.len() {
            return None;
        }
        walk.push(next);
    }
    (walk.len() == outline.len()).then_some(walk)
}

/// Joined triangles, and how many pieces are left.
struct Pieces {
    parent: Vec<usize>,
    count: usize,
}

impl Pieces {
    fn new(count: usize) -> Self {
        Self { parent: (0..count).collect(), count }
    }

    fn root(&mut self, mut t: usize) -> usize {
        while self.parent[t] != t {
            self.parent[t] = self.parent[self.parent[t]];
            t = self.parent[t];
        }
        t
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        self.parent[a.max(b)] = a.min(b);
        self.count -= usize::from(a != b);
    }
}

/// Whether an outline, seen along a direction, surely stays simple over a step.
pub fn outline_is_simple(outline: &[u32], motion: Motion<'_>, direction: Direction) -> bool {
    let points: Vec<[DVec2; 2]> =
        outline.iter().map(|v| motion.ends(*v).map(|x| direction.project(x))).collect();
    let positions = outline.iter().flat_map(|v| motion.ends(*v));
    let largest = positions.map(|x| x.abs().max_element()).fold(0.0, f64::max);
    // A projected coordinate is a sum of three terms with factors of at most 2.
    is_simple(&points, 32.0 * f64::EPSILON * largest)
}

/// Whether a closed polygon, whose points move on straight lines from `[0]` to `[1]`, surely is simple
/// at all times; and so is every polygon whose points stay nearer than half the `margin` to these.
///
/// Stretches of the polygon that are monotone in one of 16 directions over the whole step cannot cross
/// themselves. Others are halved; two stretches are apart if one of four axes parts them at both
/// ends of the step, and hence in between; else the longer one is halved. For a polygon whose
/// stretches are apart where they are not neighbours this takes n log n operations.
pub fn is_simple(points: &[[DVec2; 2]], margin: f64) -> bool {
    let n = points.len();
    let finite = points.iter().flatten().all(|p| p.is_finite());
    if n < 3 || n > u32::MAX as usize / 2 || !finite || !margin.is_finite() {
        return false;
    }
    let largest = points.iter().flatten().map(|p| p.abs().max_element()).fold(0.0, f64::max);
    // Projections on an axis are rounded a few times.
    let margin = margin + 16.0 * f64::EPSILON * largest + f64::MIN_POSITIVE;
    let mut polygon = Polygon { points, margin, nodes: vec![Stretch::EMPTY; 2 * n - 1] };
    polygon.build(0, 0, n);
    polygon.alone(Part { node: 0, first: 0, end: n })
}

/// How often a step is halved when two edges are not parted over the whole of it.
const HALVINGS: u32 = 5;

/// Unit vectors at multiples of 22.5°, the first half; the others are opposite.
const DIRECTIONS: [[f64; 2]; 8] = {
    const C: f64 = 0.923_879_532_511_286_7;
    const S: f64 = 0.382_683_432_365_089_8;
    const D: f64 = std::f64::consts::FRAC_1_SQRT_2;
    [[1.0, 0.0], [C, S], [D, D], [S, C], [0.0, 1.0], [-S, C], [-D, D], [-C, S]]
};

/// Edges of a polygon behind one another.
#[derive(Clone, Copy)]
struct Stretch {
    /// Directions in which all its edges advance over the whole step.
    advance: u16,
    /// Range of x, y, x + y and x − y at both ends of the step.
    lo: [[f64; 4]; 2],
    hi: [[f64; 4]; 2],
}

impl Stretch {
    const EMPTY: Self =
        Self { advance: u16::MAX, lo: [[f64::INFINITY; 4]; 2], hi: [[f64::NEG_INFINITY; 4]; 2] };

    fn of_edge(a: [DVec2; 2], b: [DVec2; 2], margin: f64) -> Self {
        let mut stretch = Self { advance: advancing_directions(a, b, margin), ..Self::EMPTY };
        for end in 0..2 {
            for p in [a[end], b[end]] {
                for (k, value) in [p.x, p.y, p.x + p.y, p.x - p.y].into_iter().enumerate() {
                    stretch.lo[end][k] = stretch.lo[end][k].min(value);
                    stretch.hi[end][k] = stretch.hi[end][k].max(value);
                }
            }
        }
        stretch
    }

    fn merge(mut self, other: &Self) -> Self {
        self.advance &= other.advance;
        for end in 0..2 {
            for k in 0..4 {
                self.lo[end][k] = self.lo[end][k].min(other.lo[end][k]);
                self.hi[end][k] = self.hi[end][k].max(other.hi[end][k]);
            }
        }
        self
    }

    /// Whether one axis parts both at all times.
    fn is_apart(&self, other: &Self, margin: f64) -> bool {
        let margins = [margin, margin, 1.5 * margin, 1.5 * margin];
        let below = |a: &Self, b: &Self, k: usize| {
            (0..2).all(|end| a.hi[end][k] + margins[k] < b.lo[end][k])
        };
        (0..4).any(|k| below(self, other, k) || below(other, self, k))
    }
}

/// The directions of the 16 in which an edge advances by more than a margin over the whole step.
fn advancing_directions(a: [DVec2; 2], b: [DVec2; 2], margin: f64) -> u16 {
    let d = [b[0] - a[0], b[1] - a[1]];
    let mut mask = 0;
    for (k, g) in DIRECTIONS.iter().enumerate() {
        let along = d.map(|d| d.dot(DVec2::from_array(*g)));
        mask |= u16::from(along[0] > margin && along[1] > margin) << k;
        mask |= u16::from(along[0] < -margin && along[1] < -margin) << (k + 8);
    }
    mask
}

/// A node of the hierarchy and its range of edges.
#[derive(Clone, Copy)]
struct Part {
    node: usize,
    first: usize,
    end: usize,
}

impl Part {
    fn edges(&self) -> usize {
        self.end - self.first
    }

    /// Nodes are in depth-first order; a subtree of n edges has 2n − 1 of them.
    fn halves(&self) -> [Self; 2] {
        let middle = self.first + self.edges() / 2;
        let left = Self { node: self.node + 1, first: self.first, end: middle };
        let right = Self { node: left.node + 2 * left.edges() - 1, first: middle, end: self.end };
        [left, right]
    }
}

struct Polygon<'a> {
    points: &'a [[DVec2; 2]],
    margin: f64,
    nodes: Vec<Stretch>,
}

impl Polygon<'_> {
    fn edge(&self, i: usize) -> [[DVec2; 2]; 2] {
        [self.points[i], self.points[(i + 1) % self.points.len()]]
    }

    fn build(&mut self, node: usize, first: usize, end: usize) {
        let part = Part { node, first, end };
        self.nodes[node] = if part.edges() == 1 {
            let [a, b] = self.edge(first);
            Stretch::of_edge(a, b, self.margin)
        } else {
            let [left, right] = part.halves();
            self.build(left.node, left.first, left.end);
            self.build(right.node, right.first, right.end);
            self.nodes[left.node].merge(&self.nodes[right.node])
        };
    }

    /// Whether a stretch does not cross itself.
    fn alone(&self, part: Part) -> bool {
        if part.edges() == 1 || self.nodes[part.node].advance != 0 {
            return true;
        }
        let [left, right] = part.halves();
        self.alone(left) && self.alone(right) && self.pair(left, right)
    }

    /// Whether two stretches, the first before the second, have at most the joints in common.
    fn pair(&self, a: Part, b: Part) -> bool {
        let n = self.points.len();
        let joints = usize::from(a.end == b.first) + usize::from(b.end % n == a.first);
        let (sa, sb) = (&self.nodes[a.node], &self.nodes[b.node]);
        let clear = match joints {
            0 => sa.is_apart(sb, self.margin),
            // One stretch together, which is monotone.
            1 => sa.advance & sb.advance != 0,
            _ => false,
        };
        if clear {
            return true;
        }
        if a.edges() == 1 && b.edges() == 1 {
            let (ea, eb) = (self.edge(a.first), self.edge(b.first));
            return match joints {
                0 => are_apart(ea, eb, self.margin, HALVINGS),
                1 if a.end == b.first => is_bent(ea, eb, self.margin, HALVINGS),
                1 => is_bent(eb, ea, self.margin, HALVINGS),
                _ => false,
            };
        }
        if a.edges() >= b.edges() {
            let [left, right] = a.halves();
            self.pair(left, b) && self.pair(right, b)
        } else {
            let [left, right] = b.halves();
            self.pair(a, left) && self.pair(a, right)
        }
    }
}

type MovingEdge = [[DVec2; 2]; 2];

/// Both halves of a motion.
fn halved(edge: MovingEdge) -> [MovingEdge; 2] {
    let middle = edge.map(|p| 0.5 * (p[0] + p[1]));
    [
        [[edge[0][0], middle[0]], [edge[1][0], middle[1]]],
        [[middle[0], edge[0][1]], [middle[1], edge[1][1]]],
    ]
}

/// Whether two edges without a common end surely are apart at all times.
fn are_apart(a: MovingEdge, b: MovingEdge, margin: f64, halvings: u32) -> bool {
    let along = |e: MovingEdge| (e[1][0] - e[0][0]) + (e[1][1] - e[0][1]);
    let between = (a[0][0] + a[1][0] + a[0][1] + a[1][1]) - (b[0][0] + b[1][0] + b[0][1] + b[1][1]);
    let axes = [along(a).perp(), along(b).perp(), between];
    let parts = |axis: DVec2| {
        let axis = axis.normalize_or_zero();
        let least = |e: MovingEdge, f: MovingEdge| {
            let gap = |end: usize| {
                let of = |p: [DVec2; 2]| axis.dot(p[end]);
                of(e[0]).min(of(e[1])) - of(f[0]).max(of(f[1]))
            };
            gap(0).min(gap(1))
        };
        least(a, b).max(least(b, a)) > margin
    };
    if axes.into_iter().any(parts) {
        return true;
    }
    let ([a0, a1], [b0, b1]) = (halved(a), halved(b));
    halvings > 0
        && are_apart(a0, b0, margin, halvings - 1)
        && are_apart(a1, b1, margin, halvings - 1)
}

/// Whether the second edge, which begins where the first ends, surely never folds back on it.
fn is_bent(a: MovingEdge, b: MovingEdge, margin: f64, halvings: u32) -> bool {
    let along = |e: MovingEdge| ((e[1][0] - e[0][0]) + (e[1][1] - e[0][1])).normalize_or_zero();
    // The direction in which both advance most.
    let g = (along(a) + along(b)).normalize_or_zero();
    let advances = |e: MovingEdge| (0..2).all(|end| g.dot(e[1][end] - e[0][end]) > margin);
    if advances(a) && advances(b) {
        return true;
    }
    let ([a0, a1], [b0, b1]) = (halved(a), halved(b));
    halvings > 0 && is_bent(a0, b0, margin, halvings - 1) && is_bent(a1, b1, margin, halvings - 1)
}
