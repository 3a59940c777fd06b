//! A closed triangle mesh that can be asked for its nearest point and for inside and outside.
//!
//! Inside is where the winding number is above one half: the solid angle of all triangles seen
//! from a point, divided by 4π. It is 1 inside a closed mesh and 0 outside, an integer also where
//! parts overlap, and changes smoothly across small holes [jacobson2013]. Far groups of triangles
//! are summed as one dipole [barill2018].
//!
//! Limits: coordinates up to 1e30 m. Inside out meshes are refused.

use super::error::SolidError;
use crate::distance::{point_triangle, point_triangle_edges};
use glam::DVec3;
use toile_mesh::Topology;

/// Distances of coordinates beyond this overflow the 32-bit numbers of a field \[m\].
const MAX_COORDINATE: f64 = 1e30;

/// Triangles in a leaf: enough to keep the tree small, few enough to be tested one by one.
const LEAF_TRIANGLES: usize = 4;

/// Ratio of twice the area to the longest side squared below which the nearest point of a triangle
/// is looked for on its edges: the barycentric weights of slivers have too few digits.
const SLIVER_RATIO: f64 = 1e-8;

/// A group this many radii away is seen as a dipole; the winding number is then good to about
/// 0.02, far from the half that decides.
const DIPOLE_DISTANCE: f64 = 2.5;

/// A closed triangle mesh with a tree over its triangles.
///
/// ```
/// use glam::DVec3;
/// use toile_collide::field::Solid;
/// use toile_mesh::shape;
///
/// let ball = shape::sphere(1.0, 3);
/// let solid = Solid::new(&ball.positions, &ball.triangles)?;
/// assert!(solid.contains(DVec3::ZERO));
/// assert!((solid.signed_distance(DVec3::X * 3.0) - 2.0).abs() < 0.02);
/// # Ok::<(), toile_collide::field::SolidError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Solid {
    pub(crate) positions: Vec<DVec3>,
    pub(crate) triangles: Vec<[u32; 3]>,
    sliver: Vec<bool>,
    nodes: Vec<Node>,
    /// How the triangles of each node look from afar.
    dipoles: Vec<Dipole>,
    /// Triangles in the order of the leaves.
    order: Vec<u32>,
    /// The first open edge and how many there are.
    open: Option<([u32; 2], usize)>,
}

/// A box around some triangles. Children of an inner node are the one behind it and `right`; a leaf
/// has `right` = 0.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct Node {
    lo: DVec3,
    hi: DVec3,
    right: u32,
    first: u32,
    count: u32,
}

/// Area-weighted centre, sum of area vectors, and the radius of all corners about the centre.
#[derive(Clone, Copy, Debug)]
struct Dipole {
    centre: DVec3,
    area: DVec3,
    radius: f64,
}

/// The nearest point of a solid's surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Nearest {
    /// Its triangle.
    pub triangle: u32,
    /// Weights of the triangle's corners.
    pub weights: [f64; 3],
    /// The point [m].
    pub point: DVec3,
    /// Its distance [m], never negative.
    pub distance: f64,
}

impl Solid {
    /// A closed mesh that faces outwards.
    ///
    /// # Errors
    /// If it has no triangles, a vertex is not finite or too far out, an index points nowhere, the
    /// surface has a hole, or it is inside out.
    pub fn new(positions: &[DVec3], triangles: &[[u32; 3]]) -> Result<Self, SolidError> {
        let solid = Self::with_holes(positions, triangles)?;
        solid.closed()?;
        Ok(solid)
    }

    /// Says where the mesh is open.
    pub(crate) fn closed(&self) -> Result<(), SolidError> {
        match self.open {
            Some((edge, edges)) => {
                Err(SolidError::Open { edge, at: self.positions[edge[0] as usize], edges })
            }
            None => Ok(()),
        }
    }

    /// A mesh that is closed up to small holes; they are bridged where the winding number is one
    /// half, roughly by a soap film.
    ///
    /// # Errors
    /// As [`Solid::new`], except that holes are allowed.
    pub fn with_holes(positions: &[DVec3], triangles: &[[u32; 3]]) -> Result<Self, SolidError> {
        check(positions, triangles)?;
        let volume = signed_volume(positions, triangles);
        let open = open_edge(positions.len(), triangles);
        let size = extent(positions).length();
        // A flat double sheet has no volume, and rounding must not make it inside out.
        if open.is_none() && volume < -1e-9 * size * size * size {
            return Err(SolidError::InsideOut { volume });
        }
        let corners = |t: &[u32; 3]| t.map(|v| positions[v as usize]);
        let sliver = triangles.iter().map(|t| is_sliver(corners(t))).collect();
        let mut solid = Self {
            positions: positions.to_vec(),
            triangles: triangles.to_vec(),
            sliver,
            nodes: Vec::new(),
            dipoles: Vec::new(),
            order: (0..triangles.len() as u32).collect(),
            open,
        };
        let centres: Vec<DVec3> =
            triangles.iter().map(|t| corners(t).into_iter().sum::<DVec3>() / 3.0).collect();
        let mut order = std::mem::take(&mut solid.order);
        solid.build(&mut order, 0, &centres);
        solid.order = order;
        Ok(solid)
    }

    /// How many edges lack a partner; 0 for a closed mesh.
    pub fn open_edges(&self) -> usize {
        self.open.map_or(0, |(_, edges)| edges)
    }

    /// Smallest and largest coordinates [m].
    pub fn bounds(&self) -> (DVec3, DVec3) {
        (self.nodes[0].lo, self.nodes[0].hi)
    }

    /// Length of the longest side of the bounding box, divided by `n` [m]: the spacing of a grid of
    /// about `n` cells.
    pub fn spacing_for(&self, n: usize) -> f64 {
        let (lo, hi) = self.bounds();
        (hi - lo).max_element() / n.max(1) as f64
    }

    pub(crate) fn corners(&self, triangle: u32) -> [DVec3; 3] {
        self.triangles[triangle as usize].map(|v| self.positions[v as usize])
    }

    /// Builds the subtree of a part of the order, which begins at `first`: median split across the
    /// longest side of the centres.
    fn build(&mut self, order: &mut [u32], first: usize, centres: &[DVec3]) {
        let here = self.nodes.len();
        let (node, dipole) = self.node_of(order, first);
        self.nodes.push(node);
        self.dipoles.push(dipole);
        if order.len() <= LEAF_TRIANGLES {
            return;
        }
        let range = |lo: DVec3, hi: DVec3, t: &u32| {
            (lo.min(centres[*t as usize]), hi.max(centres[*t as usize]))
        };
        let all = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        let (lo, hi) = order.iter().fold(all, |(lo, hi), t| range(lo, hi, t));
        let axis = longest_axis(hi - lo);
        let middle = order.len() / 2;
        order.select_nth_unstable_by(middle, |a, b| {
            let (p, q) = (centres[*a as usize][axis], centres[*b as usize][axis]);
            p.total_cmp(&q).then(a.cmp(b))
        });
        let (left, right) = order.split_at_mut(middle);
        self.build(left, first, centres);
        self.nodes[here].right = self.nodes.len() as u32;
        self.build(right, first + middle, centres);
    }

    fn node_of(&self, order: &[u32], first: usize) -> (Node, Dipole) {
        let (mut lo, mut hi) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        let (mut centre, mut area, mut weight) = (DVec3::ZERO, DVec3::ZERO, 0.0);
        for t in order {
            let [a, b, c] = self.corners(*t);
            lo = lo.min(a).min(b).min(c);
            hi = hi.max(a).max(b).max(c);
            let n = 0.5 * (b - a).cross(c - a);
            area += n;
            centre += n.length() * (a + b + c) / 3.0;
            weight += n.length();
        }
        let centre = if weight > 0.0 { centre / weight } else { 0.5 * (lo + hi) };
        let corners = order.iter().flat_map(|t| self.corners(*t));
        let radius = corners.fold(0.0, |r: f64, p| r.max(p.distance(centre)));
        let (first, count) = (first as u32, order.len() as u32);
        (Node { lo, hi, right: 0, first, count }, Dipole { centre, area, radius })
    }

    /// The nearest point of the surface; ties go to the triangle met first.
    pub fn nearest(&self, p: DVec3) -> Nearest {
        self.nearest_from(p, 0)
    }

    /// As [`Solid::nearest`], beginning with a guess: a triangle that is probably near.
    pub(crate) fn nearest_from(&self, p: DVec3, guess: u32) -> Nearest {
        let (mut best, mut best2) = (guess, self.distance2(p, guess));
        // A stack of 64 suffices: halving makes the tree at most 32 levels deep.
        let mut stack = [(0_u32, 0.0_f64); 64];
        let mut top = 1;
        while top > 0 {
            top -= 1;
            let (i, bound) = stack[top];
            if bound >= best2 {
                continue;
            }
            let node = &self.nodes[i as usize];
            if node.right == 0 {
                for t in self.leaf(node) {
                    let here = self.distance2(p, *t);
                    if here < best2 {
                        (best, best2) = (*t, here);
                    }
                }
                continue;
            }
            let (left, right) = (i + 1, node.right);
            let near = self.box_distance2(left, p);
            let far = self.box_distance2(right, p);
            let ((near, d_near), (far, d_far)) = if near <= far {
                ((left, near), (right, far))
            } else {
                ((right, far), (left, near))
            };
            for (child, d) in [(far, d_far), (near, d_near)] {
                if d < best2 {
                    stack[top] = (child, d);
                    top += 1;
                }
            }
        }
        self.nearest_of(p, best)
    }

    fn leaf(&self, node: &Node) -> &[u32] {
        &self.order[node.first as usize..(node.first + node.count) as usize]
    }

    #[inline]
    fn box_distance2(&self, i: u32, p: DVec3) -> f64 {
        let node = &self.nodes[i as usize];
        (node.lo - p).max(p - node.hi).max(DVec3::ZERO).length_squared()
    }

    /// The nearest point of one triangle.
    pub(crate) fn nearest_of(&self, p: DVec3, triangle: u32) -> Nearest {
        let (weights, point) = self.nearest_point(p, triangle);
        Nearest { triangle, weights, point, distance: p.distance(point) }
    }

    /// Distance to one triangle [m].
    pub(super) fn distance_to(&self, p: DVec3, triangle: u32) -> f64 {
        self.distance2(p, triangle).sqrt()
    }

    #[inline]
    fn distance2(&self, p: DVec3, triangle: u32) -> f64 {
        p.distance_squared(self.nearest_point(p, triangle).1)
    }

    #[inline]
    fn nearest_point(&self, p: DVec3, triangle: u32) -> ([f64; 3], DVec3) {
        let corners = self.corners(triangle);
        let weights = if self.sliver[triangle as usize] {
            point_triangle_edges(p, corners)
        } else {
            point_triangle(p, corners)
        };
        let [a, b, c] = corners;
        (weights, weights[0] * a + weights[1] * b + weights[2] * c)
    }

    /// The winding number: about 1 inside, about 0 outside.
    pub fn winding(&self, p: DVec3) -> f64 {
        let mut sum = 0.0;
        let mut stack = [0_u32; 64];
        let mut top = 1;
        while top > 0 {
            top -= 1;
            let i = stack[top];
            let node = &self.nodes[i as usize];
            let dipole = &self.dipoles[i as usize];
            let away = dipole.centre - p;
            let distance = away.length();
            if distance > DIPOLE_DISTANCE * dipole.radius && distance > 0.0 {
                sum += dipole.area.dot(away) / (distance * distance * distance);
            } else if node.right == 0 {
                sum +=
                    self.leaf(node).iter().map(|t| solid_angle(p, self.corners(*t))).sum::<f64>();
            } else {
                (stack[top], stack[top + 1]) = (node.right, i + 1);
                top += 2;
            }
        }
        sum / (4.0 * std::f64::consts::PI)
    }

    /// Whether a point is inside.
    pub fn contains(&self, p: DVec3) -> bool {
        let (lo, hi) = self.bounds();
        p.cmpge(lo).all() && p.cmple(hi).all() && self.winding(p) > 0.5
    }

    /// Exact distance to the surface, negative inside [m].
    pub fn signed_distance(&self, p: DVec3) -> f64 {
        let distance = self.nearest(p).distance;
        if self.contains(p) { -distance } else { distance }
    }

    /// Triangles whose boxes overlap the box from `lo` to `hi`.
    pub(crate) fn triangles_in(&self, lo: DVec3, hi: DVec3, mut found: impl FnMut(u32)) {
        let mut stack = vec![0_u32];
        while let Some(i) = stack.pop() {
            let node = &self.nodes[i as usize];
            if !(node.lo.cmple(hi).all() && node.hi.cmpge(lo).all()) {
                continue;
            }
            if node.right == 0 {
                let overlaps = |t: &&u32| {
                    let [a, b, c] = self.corners(**t);
                    a.min(b).min(c).cmple(hi).all() && a.max(b).max(c).cmpge(lo).all()
                };
                self.leaf(node).iter().filter(overlaps).for_each(|t| found(*t));
            } else {
                stack.extend([node.right, i + 1]);
            }
        }
    }
}

fn longest_axis(size: DVec3) -> usize {
    (0..3).fold(0, |best, k| if size[k] > size[best] { k } else { best })
}

fn extent(positions: &[DVec3]) -> DVec3 {
    let all = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    let (lo, hi) = positions.iter().fold(all, |(lo, hi), p| (lo.min(*p), hi.max(*p)));
    hi - lo
}

/// Enclosed volume, seen from a corner of the mesh so that digits are kept far from the origin.
fn signed_volume(positions: &[DVec3], triangles: &[[u32; 3]]) -> f64 {
    let origin = positions[triangles[0][0] as usize];
    let six = triangles.iter().map(|t| {
        let [a, b, c] = t.map(|v| positions[v as usize] - origin);
        a.dot(b.cross(c))
    });
    six.sum::<f64>() / 6.0
}

fn is_sliver([a, b, c]: [DVec3; 3]) -> bool {
    let longest = a.distance_squared(b).max(b.distance_squared(c)).max(c.distance_squared(a));
    (b - a).cross(c - a).length() <= SLIVER_RATIO * longest
}

/// Solid angle of a triangle, positive when its back is seen [vanoosterom1983].
fn solid_angle(p: DVec3, corners: [DVec3; 3]) -> f64 {
    let [a, b, c] = corners.map(|x| x - p);
    let (la, lb, lc) = (a.length(), b.length(), c.length());
    let below = la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb;
    2.0 * libm::atan2(a.dot(b.cross(c)), below)
}

fn check(positions: &[DVec3], triangles: &[[u32; 3]]) -> Result<(), SolidError> {
    if triangles.is_empty() {
        return Err(SolidError::Empty);
    }
    for (vertex, p) in (0..).zip(positions) {
        if !p.is_finite() {
            return Err(SolidError::NotFinite { vertex });
        }
        if p.abs().max_element() > MAX_COORDINATE {
            return Err(SolidError::TooFar { vertex, at: *p });
        }
    }
    for (triangle, t) in (0..).zip(triangles) {
        if let Some(vertex) = t.iter().find(|v| **v as usize >= positions.len()) {
            let count = positions.len();
            return Err(SolidError::IndexOutOfRange { triangle, vertex: *vertex, count });
        }
    }
    Ok(())
}

/// The first edge that is not passed as often one way as the other, and how many there are.
///
/// Such a mesh bounds no volume. Edges of four triangles are fine if two go each way.
fn open_edge(vertices: usize, triangles: &[[u32; 3]]) -> Option<([u32; 2], usize)> {
    let topology = Topology::new(vertices, triangles);
    let mut balance = vec![0_i32; topology.edges.len()];
    for (t, edges) in triangles.iter().zip(topology.triangle_edges.iter()) {
        for k in 0..3 {
            balance[edges[k] as usize] += (t[(k + 1) % 3].cmp(&t[k])) as i32;
        }
    }
    let open = || (0..balance.len()).filter(|e| balance[*e] != 0);
    open().next().map(|e| (topology.edges[e].vertices, open().count()))
}
