//! Regions with some of what is around them, so that neighbours can be pruned too.
//!
//! Two flat regions side by side have overlapping volumes, and without more knowledge a traversal goes
//! down along their common border to every pair of neighbouring triangles. So each node gets a *halo*: the
//! rectangle around it in the material plane, grown on all sides. If the deformation gradients of
//! all triangles that reach into the halo are in one narrow cone, the halo is free of self-intersection
//! ([`super::gradient`]), and the node does not meet any other region that lies in its halo.
//!
//! That needs the halo to be covered once and without slit. Call an edge *broken* if it has not just two
//! triangles, on different sides and in agreement about its material coordinates, or if it belongs
//! to a triangle that is turned over or has no area, or ends at a vertex around which the
//! triangles make more than one turn. **Claim.** If no broken edge reaches into a halo, all its points
//! off the edges are covered equally often by the triangles of its piece. *Proof.* That number can only change
//! across an edge, and an edge with one triangle on each side does not change it. ∎
//!
//! So it is enough to count at one point, inside a triangle of the node: a halo that is covered there
//! by no other triangle is covered once. Where pieces are sewn together, or wind like a ramp, several of
//! their sheets may lie over the same material points: these are no halos. Nor are rectangles that
//! a triangle without material area reaches, even if only at the rim: it has no gradient to speak for it.
//!
//! Halos end at the rectangle around their piece of cloth. Along a rim that is curved or slanted there are
//! none, and pairs there are found as if there were no halos.

use super::gradient::{self, RestTriangle};
use super::parts::Parts;
use crate::Surface;
use crate::tree::Plan;
use glam::DVec2;
use std::sync::atomic::{AtomicU8, Ordering};

/// By how much a halo is larger than its node, as part of the node's size.
const HALO_MARGIN: f64 = 1.1;

/// How large parts may be that stick out of the rectangle around a node, as part of the node's size.
const MAX_OVERHANG: f64 = 0.3;

/// How deep an edge may reach into a halo before it counts, as part of the halo's size.
const EDGE_DEPTH_TOLERANCE: f64 = 1e-9;

/// Halos with more parts than this are left out: a node far longer than wide.
const MAX_PARTS: usize = 64;

/// A rectangle in the material plane.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Rect {
    lo: DVec2,
    hi: DVec2,
}

impl Rect {
    const EMPTY: Self = Self { lo: DVec2::INFINITY, hi: DVec2::NEG_INFINITY };

    fn around(points: impl IntoIterator<Item = DVec2>) -> Self {
        points.into_iter().fold(Self::EMPTY, |r, p| Self { lo: r.lo.min(p), hi: r.hi.max(p) })
    }

    fn merge(self, other: Self) -> Self {
        Self { lo: self.lo.min(other.lo), hi: self.hi.max(other.hi) }
    }

    #[inline]
    fn holds(&self, other: &Self) -> bool {
        // Without a branch: a wrong guess costs more.
        (self.lo.x <= other.lo.x)
            & (self.lo.y <= other.lo.y)
            & (other.hi.x <= self.hi.x)
            & (other.hi.y <= self.hi.y)
    }

    fn overlaps(&self, other: &Self) -> bool {
        self.lo.cmple(other.hi).all() && other.lo.cmple(self.hi).all()
    }

    /// Whether a segment has a point strictly inside: neither an axis nor its own normal parts them.
    fn is_entered(&self, [a, b]: [DVec2; 2]) -> bool {
        let (middle, half) = (0.5 * (self.lo + self.hi), 0.5 * (self.hi - self.lo));
        let (a, b) = (a - middle, b - middle);
        let beside = a.max(b).cmple(-half).any() || a.min(b).cmpge(half).any();
        let n = (b - a).perp();
        !beside && n.dot(a).abs() < half.dot(n.abs())
    }
}

/// The halos of the nodes of a plan.
#[derive(Clone, Debug, Default)]
pub(crate) struct Halos {
    /// Rectangle around each node, and its halo.
    bounds: Vec<Bounds>,
    /// The piece of cloth of each node.
    pieces: Vec<u32>,
    /// What reaches into the rectangles, and into the halos.
    own: Lists,
    around: Lists,
    /// For each node, one above it whose halo holds its halo; itself if there is none.
    outer: Vec<u32>,
    /// Largest angle of a cone that prunes.
    limit: f32,
}

/// The rectangle around a node and its halo in 32-bit numbers, the one rounded outwards, the other inwards. Lower bounds,
/// then upper ones with their signs turned: a halo holds a rectangle if none of its numbers is above. A halo that is not
/// covered has no numbers, and a side that is the end of the piece is beyond all.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
struct Bounds {
    rect: [f32; 4],
    halo: [f32; 4],
}

impl Bounds {
    fn new(rect: &Rect, halo: Option<&Rect>, whole: &Rect) -> Self {
        let of = |r: &Rect| [r.lo.x, r.lo.y, -r.hi.x, -r.hi.y];
        let (ends, no) = (of(whole), [f32::NAN; 4]);
        let inwards = |halo: [f64; 4]| {
            std::array::from_fn(
                |k| if halo[k] <= ends[k] { f32::NEG_INFINITY } else { above(halo[k]) },
            )
        };
        Self { rect: of(rect).map(|x| -above(-x)), halo: halo.map_or(no, |halo| inwards(of(halo))) }
    }

    /// Whether a node lies in the halo of this.
    #[inline]
    fn holds(&self, other: &Self) -> bool {
        // Without a branch: a wrong guess costs more.
        (self.halo[0] <= other.rect[0])
            & (self.halo[1] <= other.rect[1])
            & (self.halo[2] <= other.rect[2])
            & (self.halo[3] <= other.rect[3])
    }
}

/// A 32-bit number that is not below.
fn above(x: f64) -> f32 {
    let near = x as f32;
    if f64::from(near) < x { near.next_up() } else { near }
}

/// For each node, the nodes that hold all triangles that reach into a rectangle.
#[derive(Clone, Debug, Default)]
struct Lists {
    nodes: Vec<u32>,
    /// Where those of each node end.
    ends: Vec<u32>,
}

impl Lists {
    fn push(&mut self, nodes: &[u32]) {
        self.nodes.extend_from_slice(nodes);
        self.ends.push(self.nodes.len() as u32);
    }

    #[inline]
    fn of_node(&self, node: usize) -> &[u32] {
        let first = if node == 0 { 0 } else { self.ends[node - 1] };
        &self.nodes[first as usize..self.ends[node] as usize]
    }
}

/// Whether halos are flat, as far as a query came to ask.
pub(crate) struct FlatHalos(Vec<AtomicU8>);

impl Halos {
    /// Finds the halos. `uv` are the material coordinates of the triangles' corners.
    pub(crate) fn new(surface: &Surface, uv: &[[DVec2; 3]], plan: &Plan) -> Self {
        let cloth = Cloth::new(surface, uv, plan);
        let mut halos = Self { limit: gradient::limit(0.0), ..Self::default() };
        let mut parts = Vec::new();
        let mut all = Vec::new();
        for node in 0..plan.nodes.len() {
            let rect = cloth.rects[node];
            let size = rect.hi - rect.lo;
            // Parts that stick out should not stick out far.
            let covered = cloth.parts(node, rect, MAX_OVERHANG * size, &mut parts).is_some()
                && cloth.is_single(node);
            halos.own.push(if covered { &parts } else { &[] });
            let halo = cloth.grown(node, HALO_MARGIN * size);
            let covered = covered && cloth.parts(node, halo, size, &mut parts).is_some();
            halos.around.push(if covered { &parts } else { &[] });
            let halo = covered.then_some(halo);
            halos.bounds.push(Bounds::new(&rect, halo.as_ref(), &cloth.whole_of(node)));
            halos.pieces.push(cloth.pieces[node]);
            all.push(halo);
        }
        halos.outer = outer(plan, &all);
        halos
    }

    /// Whether the rectangle around a node is covered.
    pub(crate) fn is_covered(&self, node: usize) -> bool {
        !self.own.of_node(node).is_empty()
    }

    /// Largest angle of a cone that prunes [rad].
    pub(crate) fn limit(&self) -> f32 {
        self.limit
    }

    /// Whether a node is free of self-intersection.
    pub(crate) fn is_flat(&self, parts: &Parts, node: usize) -> bool {
        parts.are_flat(self.own.of_node(node), node)
    }

    /// Whether one of two nodes lies in the flat halo of the other.
    #[inline]
    pub(crate) fn flat_together(
        &self,
        parts: &Parts,
        known: &FlatHalos,
        a: usize,
        b: usize,
    ) -> bool {
        let (of_a, of_b) = (&self.bounds[a], &self.bounds[b]);
        let (first, second) = (of_a.holds(of_b), of_b.holds(of_a));
        // Bounds of different pieces have nothing to do with each other.
        (first | second)
            && self.pieces[a] == self.pieces[b]
            && ((first && self.has_flat_halo(parts, known, a))
                || (second && self.has_flat_halo(parts, known, b)))
    }

    /// Whether the halo of a node is flat: it lies in one that is, or its own parts say so.
    fn has_flat_halo(&self, parts: &Parts, known: &FlatHalos, node: usize) -> bool {
        if let Some(flat) = known.get(node) {
            return flat;
        }
        // Asked in the same order whoever comes first, so that all threads come to the same.
        let outer = self.outer[node] as usize;
        let flat = !parts.is_wide(node)
            && ((outer != node && self.has_flat_halo(parts, known, outer))
                || parts.are_flat(self.around.of_node(node), node));
        known.set(node, flat);
        flat
    }
}

/// Nodes deeper than this are not asked about those above: nobody should climb a list.
const MAX_OUTER_DEPTH: u32 = 64;

/// For each node the next one above it whose halo holds its halo, or itself.
fn outer(plan: &Plan, halos: &[Option<Rect>]) -> Vec<u32> {
    let mut outer: Vec<u32> = (0..halos.len() as u32).collect();
    let (depths, mut above) = (plan.depths(), Vec::new());
    for node in 0..halos.len() {
        above.truncate(depths[node] as usize);
        if let (Some(halo), 1..=MAX_OUTER_DEPTH) = (&halos[node], depths[node]) {
            let holds = |n: &&u32| halos[**n as usize].is_some_and(|other| other.holds(halo));
            if let Some(found) = above.iter().rev().find(holds) {
                outer[node] = *found;
            }
        }
        above.push(node as u32);
    }
    outer
}

impl FlatHalos {
    const UNKNOWN: u8 = 0;
    const FLAT: u8 = 1;
    const NOT_FLAT: u8 = 2;

    /// Nothing known.
    pub(crate) fn new(nodes: usize) -> Self {
        Self((0..nodes).map(|_| AtomicU8::new(Self::UNKNOWN)).collect())
    }

    /// What is known.
    #[inline]
    fn get(&self, node: usize) -> Option<bool> {
        match self.0[node].load(Ordering::Relaxed) {
            Self::UNKNOWN => None,
            known => Some(known == Self::FLAT),
        }
    }

    /// Two threads that ask at the same time come to the same.
    #[inline]
    fn set(&self, node: usize, flat: bool) {
        self.0[node].store(if flat { Self::FLAT } else { Self::NOT_FLAT }, Ordering::Relaxed);
    }
}

/// Piece of a node with triangles of several.
const MIXED: u32 = u32::MAX;

/// What halos are found from.
struct Cloth<'a> {
    plan: &'a Plan,
    uv: &'a [[DVec2; 3]],
    rects: Vec<Rect>,
    pieces: Vec<u32>,
    /// Rectangle around each piece.
    whole: Vec<Rect>,
    /// Triangles that have no gradient.
    unsound: Vec<bool>,
    /// Which edges of each triangle are broken, and nodes with such a triangle.
    broken: Vec<[bool; 3]>,
    with_broken: Vec<bool>,
}

impl<'a> Cloth<'a> {
    fn new(surface: &Surface, uv: &'a [[DVec2; 3]], plan: &'a Plan) -> Self {
        let piece_of = pieces(surface);
        let broken = broken_edges(surface, uv);
        let is_sound = |(tri, uv): (&[u32; 3], &[DVec2; 3])| RestTriangle::new(*tri, *uv).is_some();
        let unsound = surface.triangles.iter().zip(uv).map(|t| !is_sound(t)).collect();
        let n = plan.nodes.len();
        let mut cloth = Self {
            plan,
            uv,
            rects: vec![Rect::EMPTY; n],
            pieces: vec![MIXED; n],
            whole: vec![Rect::EMPTY; surface.triangles.len()],
            unsound,
            broken,
            with_broken: vec![false; n],
        };
        for (t, piece) in piece_of.iter().enumerate() {
            let whole = &mut cloth.whole[*piece as usize];
            *whole = whole.merge(Rect::around(uv[t]));
        }
        for node in (0..n).rev() {
            if plan.nodes[node].size == 1 {
                let own = plan.triangles(node);
                cloth.rects[node] = Rect::around(own.iter().flat_map(|t| uv[*t as usize]));
                let piece = piece_of[own[0] as usize];
                let same = own.iter().all(|t| piece_of[*t as usize] == piece);
                cloth.pieces[node] = if same { piece } else { MIXED };
                cloth.with_broken[node] =
                    own.iter().any(|t| cloth.broken[*t as usize].contains(&true));
            } else {
                let children: Vec<usize> = plan.children(node).collect();
                let piece = cloth.pieces[children[0]];
                let same = children.iter().all(|c| cloth.pieces[*c] == piece);
                cloth.pieces[node] = if same { piece } else { MIXED };
                for c in children {
                    cloth.rects[node] = cloth.rects[node].merge(cloth.rects[c]);
                    cloth.with_broken[node] |= cloth.with_broken[c];
                }
            }
        }
        cloth
    }

    /// The rectangle around a node, grown, but not beyond its piece.
    fn grown(&self, node: usize, by: DVec2) -> Rect {
        let (rect, whole) = (self.rects[node], self.whole_of(node));
        Rect { lo: (rect.lo - by).max(whole.lo), hi: (rect.hi + by).min(whole.hi) }
    }

    /// The rectangle around the piece of a node; around the node, if it has triangles of several.
    fn whole_of(&self, node: usize) -> Rect {
        match self.pieces[node] {
            MIXED => self.rects[node],
            piece => self.whole[piece as usize],
        }
    }

    /// Finds the nodes that hold what reaches into a rectangle around a node, those that stick out not
    /// larger than `size`; `None` if it is not covered.
    fn parts(&self, node: usize, halo: Rect, size: DVec2, parts: &mut Vec<u32>) -> Option<()> {
        let piece = self.pieces[node];
        if piece == MIXED {
            return None;
        }
        let depth = DVec2::splat(EDGE_DEPTH_TOLERANCE * (halo.hi - halo.lo).max_element());
        let inside = Rect { lo: halo.lo + depth, hi: halo.hi - depth };
        // Also for NaN.
        if !inside.lo.cmplt(inside.hi).all() {
            return None;
        }
        parts.clear();
        let mut next = 0;
        while next < self.plan.nodes.len() {
            let below = next + self.plan.nodes[next].size as usize;
            let other = self.pieces[next] != piece && self.pieces[next] != MIXED;
            if other || !self.rects[next].overlaps(&halo) {
                next = below;
                continue;
            }
            let leaf = self.plan.nodes[next].size == 1;
            if leaf
                && self.with_broken[next]
                && (self.is_entered(next, &inside) || self.is_touched(next, &halo))
            {
                return None;
            }
            let small = (self.rects[next].hi - self.rects[next].lo).cmple(size).all();
            let whole = halo.holds(&self.rects[next]) || small || leaf;
            if whole && !self.with_broken[next] {
                parts.push(next as u32);
                next = below;
            } else {
                // A leaf with broken edges outside counts as a part too.
                if leaf {
                    parts.push(next as u32);
                }
                next += 1;
            }
            if parts.len() > MAX_PARTS {
                return None;
            }
        }
        Some(())
    }

    /// Whether a point of a node is in no triangle of its piece but one.
    fn is_single(&self, node: usize) -> bool {
        let piece = self.pieces[node];
        let own = self.plan.triangles(node)[0];
        let point = self.uv[own as usize].iter().sum::<DVec2>() / 3.0;
        let here = Rect { lo: point, hi: point };
        let mut next = 0;
        while next < self.plan.nodes.len() {
            let other = self.pieces[next] != piece && self.pieces[next] != MIXED;
            if other || !self.rects[next].overlaps(&here) {
                next += self.plan.nodes[next].size as usize;
                continue;
            }
            let holds = |t: &u32| *t != own && may_hold(self.uv[*t as usize], point);
            if self.plan.nodes[next].size == 1 && self.plan.triangles(next).iter().any(holds) {
                return false;
            }
            next += 1;
        }
        true
    }

    /// Whether a triangle of a leaf that has no gradient may reach a rectangle.
    fn is_touched(&self, leaf: usize, rect: &Rect) -> bool {
        self.plan
            .triangles(leaf)
            .iter()
            .any(|t| self.unsound[*t as usize] && Rect::around(self.uv[*t as usize]).overlaps(rect))
    }

    /// Whether a broken edge of a leaf reaches into a rectangle.
    fn is_entered(&self, leaf: usize, rect: &Rect) -> bool {
        self.plan.triangles(leaf).iter().any(|t| {
            let uv = self.uv[*t as usize];
            (0..3).any(|k| self.broken[*t as usize][k] && rect.is_entered([uv[k], uv[(k + 1) % 3]]))
        })
    }
}

/// Whether a point is in a triangle, or so near to it that rounding could hide it.
fn may_hold(corners: [DVec2; 3], point: DVec2) -> bool {
    let [a, b, c] = corners;
    let size = Rect::around(corners);
    let tolerance = EDGE_DEPTH_TOLERANCE * (size.hi - size.lo).length_squared();
    let sign = (b - a).perp_dot(c - a).signum();
    let outside = |p: DVec2, q: DVec2| sign * (q - p).perp_dot(point - p) < -tolerance;
    !(outside(a, b) || outside(b, c) || outside(c, a))
}

/// The piece of cloth each triangle belongs to, through edges; pieces are named by one of their triangles.
fn pieces(surface: &Surface) -> Vec<u32> {
    let mut parent: Vec<u32> = (0..surface.triangles.len() as u32).collect();
    fn root(parent: &mut [u32], mut t: u32) -> u32 {
        while parent[t as usize] != t {
            parent[t as usize] = parent[parent[t as usize] as usize];
            t = parent[t as usize];
        }
        t
    }
    let mut first = vec![u32::MAX; surface.edges.len()];
    for (t, edges) in surface.triangle_edges.iter().enumerate() {
        for e in edges {
            let other = std::mem::replace(&mut first[*e as usize], t as u32);
            if other != u32::MAX {
                let (a, b) = (root(&mut parent, other), root(&mut parent, t as u32));
                parent[a.max(b) as usize] = a.min(b);
            }
        }
    }
    (0..parent.len() as u32).map(|t| root(&mut parent, t)).collect()
}

/// Which edges of each triangle are broken.
fn broken_edges(surface: &Surface, uv: &[[DVec2; 3]]) -> Vec<[bool; 3]> {
    let sound = |t: usize| {
        let [a, b, c] = uv[t];
        RestTriangle::new(surface.triangles[t], uv[t]).is_some().then(|| (b - a).perp_dot(c - a))
    };
    let ends = |t: usize, k: usize| {
        let tri = surface.triangles[t];
        let (a, b) = ((tri[k], uv[t][k]), (tri[(k + 1) % 3], uv[t][(k + 1) % 3]));
        // In the order of vertices, and whether that is the triangle's.
        if a.0 < b.0 { ([a, b], true) } else { ([b, a], false) }
    };
    // Both sides of each edge.
    let mut sides = vec![[(usize::MAX, 0); 2]; surface.edges.len()];
    for (t, edges) in surface.triangle_edges.iter().enumerate() {
        for (k, e) in edges.iter().enumerate() {
            let side = &mut sides[*e as usize];
            side[usize::from(side[0].0 != usize::MAX)] = (t, k);
        }
    }
    let fits = |e: usize| {
        let [(t, k), (s, l)] = sides[e];
        let ((a, along), (b, against)) = (ends(t, k), ends(s, l));
        a == b && along != against
    };
    let turns = turns(surface, uv);
    let mut all = vec![[true; 3]; surface.triangles.len()];
    for (t, edges) in surface.triangle_edges.iter().enumerate() {
        let Some(area) = sound(t) else { continue };
        for k in 0..3 {
            let e = edges[k] as usize;
            all[t][k] = surface.valence[e] != 2
                || !fits(e)
                || surface.edges[e].iter().any(|v| turns[*v as usize] > 1.5)
                || sides[e].iter().any(|(s, _)| sound(*s).is_none_or(|other| other * area <= 0.0));
        }
    }
    all
}

/// How many turns the triangles around each vertex make in the material plane.
fn turns(surface: &Surface, uv: &[[DVec2; 3]]) -> Vec<f64> {
    let mut turns = vec![0.0; surface.vertices];
    for (t, tri) in surface.triangles.iter().enumerate() {
        for k in 0..3 {
            let (a, b) = (uv[t][(k + 1) % 3] - uv[t][k], uv[t][(k + 2) % 3] - uv[t][k]);
            let angle = libm::atan2(a.perp_dot(b).abs(), a.dot(b));
            turns[tri[k] as usize] += angle / std::f64::consts::TAU;
        }
    }
    turns
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_segment_enters_a_rectangle_only_with_a_point_inside() {
        let r = Rect { lo: DVec2::ZERO, hi: DVec2::ONE };
        let enters = |a: [f64; 2], b: [f64; 2]| r.is_entered([a.into(), b.into()]);
        assert!(enters([0.5, 0.5], [0.6, 0.6]) && enters([-1.0, 0.5], [2.0, 0.5]));
        assert!(enters([-0.4, 0.5], [0.5, -0.3]), "through a corner");
        assert!(!enters([0.0, 0.0], [1.0, 0.0]), "along a side");
        assert!(!enters([-0.5, 0.4], [0.4, -0.5]), "past a corner");
        assert!(!enters([1.0, 0.5], [2.0, 0.5]), "from a side outwards");
    }

    #[test]
    fn rounded_halos_hold_nothing_that_exact_ones_do_not() {
        let whole = Rect { lo: DVec2::ZERO, hi: DVec2::ONE };
        let from = |x: f64, hi: f64| Rect { lo: DVec2::splat(x), hi: DVec2::splat(hi) };
        let holds = |halo: f64, rect: f64| {
            let halo = Bounds::new(&whole, Some(&from(halo, 0.9)), &whole);
            halo.holds(&Bounds::new(&from(rect, 0.8), None, &whole))
        };
        // A hair's breadth below what 32 bits tell apart.
        let near = 0.1_f64.next_up();
        assert!(!holds(near, 0.1) && holds(0.1 - 1e-7, 0.1));
        // A side at the end of the piece holds all that is there, and a halo that is not covered nothing.
        let all = Bounds::new(&whole, Some(&whole), &whole);
        assert!(all.holds(&all));
        assert!(!Bounds::new(&whole, None, &whole).holds(&all));
    }
}
