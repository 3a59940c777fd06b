//! Which regions of a hierarchy are convex in the material plane, and what covers their hull.
//!
//! [`super::GradientCone`] speaks of straight paths between material points of a region R. These lie
//! in the convex hull K of R, so the bound has to hold for all triangles that reach into K: those of R,
//! and some beyond its jagged rim. They are found by walking across edges that cross K.
//!
//! **Claim.** Let S be the triangles found, all with positive area in the material plane, and let every
//! edge of S that crosses the interior of K have exactly two triangles, both in S, on different sides
//! of it, and in agreement about its material coordinates. Then all points of K off the edges are
//! covered equally often, and once if the areas of S within K add up to that of K. So material
//! points of K have one place each, and a slit, an overlap or a hole cannot go unnoticed.
//!
//! **Pockets.** Where the rim of the cloth is curved inwards, edges with one triangle, or seams, cross
//! K. A chain of them is accepted if it enters and leaves K through the same edge of the hull and its
//! directions differ by at most Δ ≤ 60°: counting the pocket between chain and hull as covered, the
//! claim holds as before, and a straight path that crosses the pocket is replaced by a part of the
//! chain, which deviates from it by at most Δ.
//!
//! Tolerance: edges that come no deeper than 1e-9 of the region's size into K count as on its rim. A
//! path then follows these edges rather than the rim, and deviates by about that over the length of
//! an edge, which the slack of the cones covers.

use super::gradient;
use crate::Surface;
use crate::tree::Plan;
use glam::DVec2;
use toile_mesh::NONE;

/// How deep an edge may reach into a hull before it counts, as part of the region's extent.
const EDGE_DEPTH_TOLERANCE: f64 = 1e-9;

/// Largest deviation of a path around a pocket [rad].
const MAX_DETOUR: f64 = std::f64::consts::FRAC_PI_3;

/// For each node of a plan: whether its hull is covered, and by which triangles besides its own.
#[derive(Clone, Debug, Default)]
pub struct Covers {
    /// Largest angle of a gradient cone that prunes; 0 if nothing can be said.
    limits: Vec<f32>,
    /// Further triangles of each node, in reverse order of nodes, and where those of each end.
    further: Vec<u32>,
    ends: Vec<u32>,
}

impl Covers {
    /// Finds the covers. `uv` are the material coordinates of each triangle's corners [m]; triangles
    /// that share an edge hang together only if they agree about its ends.
    pub fn new(surface: &Surface, uv: &[[DVec2; 3]], plan: &Plan) -> Self {
        Self::of_nodes(surface, uv, plan, |_| true)
    }

    /// The same for some of the nodes; the others have limit 0.
    pub(super) fn of_nodes(
        surface: &Surface,
        uv: &[[DVec2; 3]],
        plan: &Plan,
        wanted: impl Fn(usize) -> bool,
    ) -> Self {
        let mut search = Search::new(surface, uv, plan);
        let mut covers = Self {
            limits: vec![0.0; plan.nodes.len()],
            further: Vec::new(),
            ends: vec![0; plan.nodes.len() + 1],
        };
        // Children first, so that a parent can leave out what they have named already: the last node
        // that named a triangle is then the first one after the parent, and tells whether one below did.
        let mut named_by = vec![NONE; surface.triangles.len()];
        for node in (0..plan.nodes.len()).rev() {
            if let Some((detour, found)) = search.cover(node, wanted(node)) {
                covers.limits[node] = gradient::limit(detour);
                let end = node as u32 + plan.nodes[node].size;
                for t in found {
                    if std::mem::replace(&mut named_by[t as usize], node as u32) >= end {
                        covers.further.push(t);
                    }
                }
            }
            covers.ends[node] = covers.further.len() as u32;
        }
        covers
    }

    /// The largest angle of a gradient cone with which the node cannot intersect itself [rad]; 0 if
    /// no cone can tell. The cone has to hold all triangles of the node and all further ones of it
    /// and of the nodes below it.
    #[inline]
    pub fn limit(&self, node: usize) -> f32 {
        self.limits[node]
    }

    /// Triangles outside the node that its cone has to hold and that no node below it names.
    pub fn further(&self, node: usize) -> &[u32] {
        // Nodes are stored backwards: the one after this ends where this begins.
        &self.further[self.ends[node + 1] as usize..self.ends[node] as usize]
    }

    /// How many further triangles there are in all.
    pub fn further_count(&self) -> usize {
        self.further.len()
    }
}

/// State of the search over all nodes of a plan.
struct Search<'a> {
    surface: &'a Surface,
    uv: &'a [[DVec2; 3]],
    plan: &'a Plan,
    /// Place of each triangle in the plan's order.
    place: Vec<u32>,
    /// The two triangles of each edge that has just two, on different sides, and is no seam.
    sides: Vec<[u32; 2]>,
    hulls: Vec<Vec<DVec2>>,
    seen: Vec<u32>,
    mirrored: bool,
}

impl<'a> Search<'a> {
    fn new(surface: &'a Surface, uv: &'a [[DVec2; 3]], plan: &'a Plan) -> Self {
        let mut place = vec![NONE; surface.triangles.len()];
        for (i, t) in plan.items.iter().enumerate() {
            place[*t as usize] = i as u32;
        }
        let mut sides = vec![[NONE; 2]; surface.edges.len()];
        let mut ends = vec![[[DVec2::NAN; 2]; 2]; surface.edges.len()];
        for (t, edges) in surface.triangle_edges.iter().enumerate() {
            for (k, e) in edges.iter().enumerate() {
                // One side for each direction of the edge.
                let side = usize::from(surface.triangles[t][k] != surface.edges[*e as usize][0]);
                sides[*e as usize][side] = t as u32;
                ends[*e as usize][side] = [uv[t][k], uv[t][(k + 1) % 3]];
            }
        }
        for (e, pair) in sides.iter_mut().enumerate() {
            let [p, q] = ends[e];
            if surface.valence[e] != 2 || p != [q[1], q[0]] {
                *pair = [NONE; 2];
            }
        }
        let hulls = vec![Vec::new(); plan.nodes.len()];
        let seen = vec![NONE; surface.triangles.len()];
        Self { surface, uv, plan, place, sides, hulls, seen, mirrored: false }
    }

    /// Corners, mirrored if the first triangle of the region is seen from behind.
    fn corners(&self, t: u32) -> [DVec2; 3] {
        let uv = self.uv[t as usize];
        if self.mirrored { uv.map(mirror) } else { uv }
    }

    fn is_sound(&self, t: u32) -> bool {
        let [a, b, c] = self.corners(t);
        let tri = self.surface.triangles[t as usize];
        (b - a).perp_dot(c - a) > 0.0
            && gradient::RestTriangle::new(tri, self.uv[t as usize]).is_some()
    }

    /// The largest detour of paths in a node and the triangles outside it that cover its hull.
    fn cover(&mut self, node: usize, wanted: bool) -> Option<(f64, Vec<u32>)> {
        let own = self.plan.triangles(node);
        self.mirrored = false;
        let points = if self.plan.nodes[node].size == 1 {
            own.iter().flat_map(|t| self.corners(*t)).collect()
        } else {
            let of_child = |c: usize| std::mem::take(&mut self.hulls[c]);
            self.plan.children(node).flat_map(of_child).collect()
        };
        self.hulls[node] = convex_hull(points);
        if !wanted {
            return None;
        }
        let [a, b, c] = self.corners(own[0]);
        self.mirrored = (b - a).perp_dot(c - a) < 0.0;
        let hull = if self.mirrored {
            self.hulls[node].iter().rev().map(|p| mirror(*p)).collect()
        } else {
            self.hulls[node].clone()
        };
        if hull.len() < 3 || !own.iter().all(|t| self.is_sound(*t)) {
            return None;
        }
        let hull = Hull::new(hull);
        let (found, rim) = self.walk(node, &hull)?;
        let (detour, pockets) = pockets(rim)?;
        let own_area: f64 = own.iter().map(|t| area(&self.corners(*t))).sum();
        let within: f64 = found.iter().map(|t| hull.area_within(self.corners(*t))).sum();
        // Either all is covered once, or something twice: half the area would be tolerance enough.
        let whole = area(&hull.points);
        ((own_area + within + pockets - whole).abs() < 1e-3 * whole).then_some((detour, found))
    }

    /// All triangles outside a node that can be reached over edges that cross its hull, and the pieces
    /// of the cloth's rim within the hull. None if they cannot cover it, or are too many.
    fn walk(&mut self, node: usize, hull: &Hull) -> Option<(Vec<u32>, Vec<RimPiece>)> {
        let own = self.plan.triangles(node);
        let first = self.plan.nodes[node].first;
        let range = first..first + own.len() as u32;
        let most = own.len() + 16;
        let (mut found, mut rim) = (Vec::new(), Vec::new());
        let mut next = 0;
        while next < own.len() + found.len() {
            let t = if next < own.len() { own[next] } else { found[next - own.len()] };
            next += 1;
            for k in 0..3 {
                let e = self.surface.triangle_edges[t as usize][k] as usize;
                let sides = self.sides[e];
                let other = if sides[0] == t { sides[1] } else { sides[0] };
                if other != NONE
                    && (range.contains(&self.place[other as usize])
                        || self.seen[other as usize] == node as u32)
                {
                    continue;
                }
                let tri = self.surface.triangles[t as usize];
                let uv = self.corners(t);
                let (ends, points) = ([tri[k], tri[(k + 1) % 3]], [uv[k], uv[(k + 1) % 3]]);
                let Some(crossing) = hull.crossing(points) else { continue };
                if other == NONE {
                    if self.surface.valence[e] > 2 {
                        return None;
                    }
                    rim.push(RimPiece { ends, points, crossing });
                } else {
                    if found.len() == most || !self.is_sound(other) {
                        return None;
                    }
                    self.seen[other as usize] = node as u32;
                    found.push(other);
                }
            }
        }
        Some((found, rim))
    }
}

/// An edge of the cloth's rim within a hull, the cloth on its left.
struct RimPiece {
    ends: [u32; 2],
    points: [DVec2; 2],
    crossing: Crossing,
}

/// The part of a segment inside a hull, and the edges of the hull where it enters and leaves.
#[derive(Clone, Copy, Debug)]
struct Crossing {
    range: [f64; 2],
    enters: Option<usize>,
    leaves: Option<usize>,
}

/// The largest detour around the pockets that the rim leaves open, and their area; None if the rim is
/// not made of pockets only.
fn pockets(mut rim: Vec<RimPiece>) -> Option<(f64, f64)> {
    rim.sort_by_key(|p| p.ends);
    let (mut detour, mut total, mut used) = (0.0_f64, 0.0, 0);
    for start in rim.iter().filter(|p| p.crossing.enters.is_some()) {
        let direction = start.points[1] - start.points[0];
        let at = |p: &RimPiece, k: usize| p.points[0].lerp(p.points[1], p.crossing.range[k]);
        let (mut piece, mut polygon) = (start, vec![at(start, 0)]);
        let (mut least, mut most) = (0.0_f64, 0.0_f64);
        loop {
            used += 1;
            polygon.push(at(piece, 1));
            let turn = direction.angle_to(piece.points[1] - piece.points[0]);
            (least, most) = (least.min(turn), most.max(turn));
            if piece.crossing.leaves.is_some() {
                break;
            }
            // The one piece that begins where this ends; several meet where the cloth is pinched.
            let i = rim.partition_point(|p| p.ends[0] < piece.ends[1]);
            let unique = rim.get(i + 1).is_none_or(|p| p.ends[0] != piece.ends[1]);
            let last = piece.points[1];
            piece = rim.get(i).filter(|p| unique && p.ends[0] == piece.ends[1])?;
            if piece.points[0] != last
                || piece.crossing.enters.is_some()
                || polygon.len() > rim.len()
            {
                return None;
            }
        }
        if start.crossing.enters != piece.crossing.leaves || most - least > MAX_DETOUR {
            return None;
        }
        // The pocket is on the right of the chain. If it is on the left, that is a flap of cloth that
        // lies over the rest, and its area would be taken away from what it covers twice.
        let pocket = -area(&polygon);
        if pocket < 0.0 {
            return None;
        }
        detour = detour.max(most - least);
        total += pocket;
    }
    (used == rim.len()).then_some((detour, total))
}

/// A convex polygon, counter-clockwise.
struct Hull {
    points: Vec<DVec2>,
    /// Unit normals of its edges, inwards.
    normals: Vec<DVec2>,
    depth: f64,
}

impl Hull {
    fn new(points: Vec<DVec2>) -> Self {
        let next = |i: usize| points[(i + 1) % points.len()];
        let normals =
            (0..points.len()).map(|i| (next(i) - points[i]).perp().normalize_or_zero()).collect();
        let lo = points.iter().copied().fold(DVec2::INFINITY, DVec2::min);
        let hi = points.iter().copied().fold(DVec2::NEG_INFINITY, DVec2::max);
        Self { depth: EDGE_DEPTH_TOLERANCE * (hi - lo).max_element(), points, normals }
    }

    /// The part of a segment that is deeper inside than the tolerance.
    fn crossing(&self, [p, q]: [DVec2; 2]) -> Option<Crossing> {
        let mut crossing = Crossing { range: [0.0, 1.0], enters: None, leaves: None };
        for (i, (a, n)) in self.points.iter().zip(&self.normals).enumerate() {
            let (dp, dq) = (n.dot(p - a) - self.depth, n.dot(q - a) - self.depth);
            if dp <= 0.0 && dq <= 0.0 {
                return None;
            }
            let t = dp / (dp - dq);
            if dp <= 0.0 && t >= crossing.range[0] {
                (crossing.range[0], crossing.enters) = (t, Some(i));
            } else if dq <= 0.0 && t <= crossing.range[1] {
                (crossing.range[1], crossing.leaves) = (t, Some(i));
            }
        }
        (crossing.range[0] < crossing.range[1]).then_some(crossing)
    }

    /// Area of a triangle's part inside, by clipping.
    fn area_within(&self, corners: [DVec2; 3]) -> f64 {
        let mut polygon = corners.to_vec();
        for (a, n) in self.points.iter().zip(&self.normals) {
            let depth: Vec<f64> = polygon.iter().map(|p| n.dot(p - a)).collect();
            if depth.iter().all(|d| *d >= 0.0) {
                continue;
            }
            let mut clipped = Vec::with_capacity(polygon.len() + 1);
            for i in 0..polygon.len() {
                let j = (i + 1) % polygon.len();
                if depth[i] >= 0.0 {
                    clipped.push(polygon[i]);
                }
                if (depth[i] >= 0.0) != (depth[j] >= 0.0) {
                    clipped.push(polygon[i].lerp(polygon[j], depth[i] / (depth[i] - depth[j])));
                }
            }
            polygon = clipped;
        }
        area(&polygon)
    }
}

fn mirror(p: DVec2) -> DVec2 {
    DVec2::new(-p.x, p.y)
}

/// Signed area of a polygon.
fn area(points: &[DVec2]) -> f64 {
    let Some(o) = points.first() else { return 0.0 };
    points.windows(2).map(|p| 0.5 * (p[0] - o).perp_dot(p[1] - o)).sum()
}

/// Convex hull, counter-clockwise, without points on its sides (monotone chain).
fn convex_hull(mut points: Vec<DVec2>) -> Vec<DVec2> {
    points.sort_by(|a, b| a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)));
    points.dedup();
    if points.len() < 3 {
        return points;
    }
    let mut hull: Vec<DVec2> = Vec::new();
    for half in 0..2 {
        let base = hull.len();
        let mut add = |p: DVec2| {
            while hull.len() > base + 1 {
                let (a, b) = (hull[hull.len() - 2], hull[hull.len() - 1]);
                if (b - a).perp_dot(p - b) > 0.0 {
                    break;
                }
                hull.pop();
            }
            hull.push(p);
        };
        if half == 0 {
            points.iter().for_each(|p| add(*p));
        } else {
            points.iter().rev().for_each(|p| add(*p));
        }
        // The last point is the first of the other half.
        hull.pop();
    }
    hull
}
