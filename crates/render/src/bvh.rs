//! A four-wide bounding volume hierarchy over triangles and its ray queries.
//!
//! Built top-down with binned surface-area splits [wald2007] as a binary tree whose leaves hold up to
//! four triangles, then collapsed so that each node has four children. A node's boxes and a leaf's
//! triangles are tested four at a time; triangles by Möller and Trumbore [moller1997].
//!
//! Limits: `f32`; expects coordinates of order one (see [`crate::geometry`]). Hits within
//! [`EDGE`] outside a triangle count, so that rays do not slip between neighbours.

use glam::{Vec3, Vec4};

/// Barycentric tolerance that closes the cracks between neighbours.
const EDGE: f32 = 2e-6;
/// Boxes grow by this much, so that rounding in the slab test loses no triangle.
const PAD: f32 = 2e-6;
/// Candidate splits along each axis.
const BINS: usize = 16;
/// Triangles in a leaf.
const LEAF: usize = 4;
/// Below this depth, splits halve the count, so that depth stays bounded for any input.
const BALANCED_DEPTH: usize = 48;
/// Marks a child as a leaf packet.
const LEAF_BIT: u32 = 1 << 31;
/// No child. Its box is empty, so that no ray enters it.
const EMPTY: u32 = u32::MAX;

/// A ray prepared for four-wide tests.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ray {
    /// Where it starts.
    pub(crate) origin: Vec3,
    /// Where it goes; a unit vector.
    pub(crate) dir: Vec3,
    inv: Vec3,
}

impl Ray {
    /// A ray from `origin` along the unit vector `dir`.
    pub(crate) fn new(origin: Vec3, dir: Vec3) -> Self {
        // A tiny slope instead of none keeps 0 · ∞ out of the slab test.
        let nonzero = |d: f32| if d.abs() < 1e-12 { 1e-12_f32.copysign(d) } else { d };
        let inv = Vec3::new(nonzero(dir.x), nonzero(dir.y), nonzero(dir.z)).recip();
        Self { origin, dir, inv }
    }

    /// The point at distance `t`.
    pub(crate) fn at(&self, t: f32) -> Vec3 {
        self.origin + self.dir * t
    }
}

/// Where a ray meets a triangle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Hit {
    /// Distance along the ray.
    pub(crate) t: f32,
    /// Barycentric weight of the second corner.
    pub(crate) u: f32,
    /// Barycentric weight of the third corner.
    pub(crate) v: f32,
    /// Which triangle.
    pub(crate) triangle: u32,
}

/// Up to four triangles, one in each lane.
#[derive(Clone, Debug)]
struct Packet {
    corner: [Vec4; 3],
    edge_1: [Vec4; 3],
    edge_2: [Vec4; 3],
    triangle: [u32; 4],
}

/// Four boxes, one in each lane, and what is inside.
#[derive(Clone, Debug)]
struct Node {
    lo: [Vec4; 3],
    hi: [Vec4; 3],
    child: [u32; 4],
}

/// The hierarchy; node 0 is the root.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bvh {
    nodes: Vec<Node>,
    packets: Vec<Packet>,
}

/// Scratch memory of a query; may be dropped at any time.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stack(Vec<(f32, u32)>);

impl Bvh {
    /// A hierarchy over the given triangles; all corners must be finite.
    pub(crate) fn new(triangles: &[[Vec3; 3]]) -> Self {
        let mut build = Build {
            triangles,
            boxes: triangles.iter().map(|t| Aabb::around(t)).collect(),
            order: (0..triangles.len() as u32).collect(),
            bvh: Self::default(),
        };
        if !triangles.is_empty() {
            let all = build.bounds(0, triangles.len());
            let root = Range { start: 0, end: triangles.len(), bounds: all, depth: 0 };
            build.node(&root);
        }
        build.bvh
    }

    /// The nearest hit between `t_min` and `t_max`.
    pub(crate) fn closest(
        &self,
        ray: &Ray,
        t_min: f32,
        t_max: f32,
        stack: &mut Stack,
    ) -> Option<Hit> {
        let mut best = None;
        let mut limit = t_max;
        stack.0.clear();
        if !self.nodes.is_empty() {
            stack.0.push((t_min, 0));
        }
        while let Some((near, child)) = stack.0.pop() {
            if near > limit {
                continue;
            }
            if child & LEAF_BIT != 0 {
                let packet = &self.packets[(child & !LEAF_BIT) as usize];
                if let Some(hit) = packet.intersect(ray, t_min, limit) {
                    limit = hit.t;
                    best = Some(hit);
                }
                continue;
            }
            let node = &self.nodes[child as usize];
            let (t_near, mask) = node.enter(ray, t_min, limit);
            let t_near = t_near.to_array();
            // Insertion into the stack, farthest first, so that the nearest is popped next.
            let first = stack.0.len();
            for lane in 0..4 {
                if mask >> lane & 1 == 1 && node.child[lane] != EMPTY {
                    let mut at = stack.0.len();
                    stack.0.push((t_near[lane], node.child[lane]));
                    while at > first && stack.0[at - 1].0 < t_near[lane] {
                        stack.0.swap(at, at - 1);
                        at -= 1;
                    }
                }
            }
        }
        best
    }

    /// Whether anything lies between `t_min` and `t_max`.
    pub(crate) fn occluded(&self, ray: &Ray, t_min: f32, t_max: f32, stack: &mut Stack) -> bool {
        stack.0.clear();
        if !self.nodes.is_empty() {
            stack.0.push((t_min, 0));
        }
        while let Some((_, child)) = stack.0.pop() {
            if child & LEAF_BIT != 0 {
                let packet = &self.packets[(child & !LEAF_BIT) as usize];
                if packet.intersect(ray, t_min, t_max).is_some() {
                    return true;
                }
                continue;
            }
            let node = &self.nodes[child as usize];
            let (_, mask) = node.enter(ray, t_min, t_max);
            for lane in 0..4 {
                if mask >> lane & 1 == 1 && node.child[lane] != EMPTY {
                    stack.0.push((t_min, node.child[lane]));
                }
            }
        }
        false
    }
}

impl Node {
    /// Distances at which the ray enters the boxes, and a bit for each box it enters.
    fn enter(&self, ray: &Ray, t_min: f32, t_max: f32) -> (Vec4, u32) {
        let mut near = Vec4::splat(t_min);
        let mut far = Vec4::splat(t_max);
        for axis in 0..3 {
            let origin = Vec4::splat(ray.origin[axis]);
            let inv = Vec4::splat(ray.inv[axis]);
            let a = (self.lo[axis] - origin) * inv;
            let b = (self.hi[axis] - origin) * inv;
            near = near.max(a.min(b));
            far = far.min(a.max(b));
        }
        (near, near.cmple(far).bitmask())
    }
}

impl Packet {
    /// The nearest hit of the four.
    fn intersect(&self, ray: &Ray, t_min: f32, t_max: f32) -> Option<Hit> {
        let dir = splat(ray.dir);
        let p = cross(dir, self.edge_2);
        let inv_det = dot(self.edge_1, p).recip();
        let origin = splat(ray.origin);
        let s = [0, 1, 2].map(|k| origin[k] - self.corner[k]);
        let u = dot(s, p) * inv_det;
        let q = cross(s, self.edge_1);
        let v = dot(dir, q) * inv_det;
        let t = dot(self.edge_2, q) * inv_det;
        let low = Vec4::splat(-EDGE);
        // An empty lane has zero determinant; its NaN fails every comparison.
        let inside = u.cmpge(low) & v.cmpge(low) & (u + v).cmple(Vec4::splat(1.0 + EDGE));
        let mask = (inside & t.cmpgt(Vec4::splat(t_min)) & t.cmplt(Vec4::splat(t_max))).bitmask();
        if mask == 0 {
            return None;
        }
        let (t, u, v) = (t.to_array(), u.to_array(), v.to_array());
        let mut best: Option<Hit> = None;
        for lane in 0..4 {
            if mask >> lane & 1 == 1 && best.is_none_or(|b| t[lane] < b.t) {
                best =
                    Some(Hit { t: t[lane], u: u[lane], v: v[lane], triangle: self.triangle[lane] });
            }
        }
        best
    }
}

fn splat(a: Vec3) -> [Vec4; 3] {
    [Vec4::splat(a.x), Vec4::splat(a.y), Vec4::splat(a.z)]
}

fn dot(a: [Vec4; 3], b: [Vec4; 3]) -> Vec4 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: [Vec4; 3], b: [Vec4; 3]) -> [Vec4; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// An axis-aligned box.
#[derive(Clone, Copy, Debug)]
struct Aabb {
    lo: Vec3,
    hi: Vec3,
}

impl Aabb {
    const NONE: Self = Self { lo: Vec3::INFINITY, hi: Vec3::NEG_INFINITY };

    fn around(points: &[Vec3]) -> Self {
        points.iter().fold(Self::NONE, |b, p| Self { lo: b.lo.min(*p), hi: b.hi.max(*p) })
    }

    fn join(self, other: Self) -> Self {
        Self { lo: self.lo.min(other.lo), hi: self.hi.max(other.hi) }
    }

    fn centre(self) -> Vec3 {
        0.5 * (self.lo + self.hi)
    }

    /// Half the surface area; zero if empty.
    fn half_area(self) -> f32 {
        let d = (self.hi - self.lo).max(Vec3::ZERO);
        d.x * d.y + d.y * d.z + d.z * d.x
    }
}

/// A run of `Build::order` that becomes one subtree.
#[derive(Clone, Copy, Debug)]
struct Range {
    start: usize,
    end: usize,
    bounds: Aabb,
    depth: usize,
}

impl Range {
    fn len(&self) -> usize {
        self.end - self.start
    }
}

struct Build<'a> {
    triangles: &'a [[Vec3; 3]],
    boxes: Vec<Aabb>,
    order: Vec<u32>,
    bvh: Bvh,
}

impl Build<'_> {
    fn bounds(&self, start: usize, end: usize) -> Aabb {
        self.order[start..end].iter().fold(Aabb::NONE, |b, t| b.join(self.boxes[*t as usize]))
    }

    /// Appends the node of a range and everything below it; returns its index.
    fn node(&mut self, range: &Range) -> u32 {
        // Open the largest child until there are four or all are leaves.
        let mut children = vec![*range];
        while children.len() < 4 {
            let open = (0..children.len()).filter(|c| children[*c].len() > LEAF).max_by(|a, b| {
                children[*a].bounds.half_area().total_cmp(&children[*b].bounds.half_area())
            });
            let Some(open) = open else { break };
            let (left, right) = self.split(&children[open]);
            children[open] = left;
            children.push(right);
        }
        let index = self.bvh.nodes.len();
        let empty =
            Node { lo: [Vec4::INFINITY; 3], hi: [Vec4::NEG_INFINITY; 3], child: [EMPTY; 4] };
        self.bvh.nodes.push(empty);
        for (lane, child) in children.iter().enumerate() {
            let below = if child.len() <= LEAF { self.leaf(child) } else { self.node(child) };
            let node = &mut self.bvh.nodes[index];
            node.child[lane] = below;
            for axis in 0..3 {
                node.lo[axis][lane] = child.bounds.lo[axis] - PAD;
                node.hi[axis][lane] = child.bounds.hi[axis] + PAD;
            }
        }
        index as u32
    }

    /// Appends the triangles of a range as one packet.
    fn leaf(&mut self, range: &Range) -> u32 {
        let zero = [Vec4::ZERO; 3];
        let mut packet =
            Packet { corner: zero, edge_1: zero, edge_2: zero, triangle: [u32::MAX; 4] };
        for (lane, t) in self.order[range.start..range.end].iter().enumerate() {
            let [a, b, c] = self.triangles[*t as usize];
            packet.triangle[lane] = *t;
            for axis in 0..3 {
                packet.corner[axis][lane] = a[axis];
                packet.edge_1[axis][lane] = (b - a)[axis];
                packet.edge_2[axis][lane] = (c - a)[axis];
            }
        }
        self.bvh.packets.push(packet);
        (self.bvh.packets.len() - 1) as u32 | LEAF_BIT
    }

    /// Cuts a range in two where the surface-area cost is least.
    fn split(&mut self, range: &Range) -> (Range, Range) {
        let order = &self.order[range.start..range.end];
        let centres = order
            .iter()
            .map(|t| self.boxes[*t as usize].centre())
            .fold(Aabb::NONE, |b, c| b.join(Aabb { lo: c, hi: c }));
        let size = centres.hi - centres.lo;
        let mut best: Option<(f32, usize, usize)> = None;
        for axis in 0..3 {
            if range.depth >= BALANCED_DEPTH || size[axis] <= 0.0 {
                continue;
            }
            let mut bins = [(Aabb::NONE, 0_usize); BINS];
            for t in order {
                let b = self.boxes[*t as usize];
                let bin = &mut bins[bin_of(b.centre()[axis], centres.lo[axis], size[axis])];
                *bin = (bin.0.join(b), bin.1 + 1);
            }
            // Costs of everything right of each plane, then sweep from the left.
            let mut right = [(Aabb::NONE, 0_usize); BINS + 1];
            for k in (0..BINS).rev() {
                right[k] = (right[k + 1].0.join(bins[k].0), right[k + 1].1 + bins[k].1);
            }
            let mut left = (Aabb::NONE, 0_usize);
            for k in 1..BINS {
                left = (left.0.join(bins[k - 1].0), left.1 + bins[k - 1].1);
                if left.1 == 0 || right[k].1 == 0 {
                    continue;
                }
                let packets = |n: usize| n.div_ceil(LEAF) as f32;
                let cost = left.0.half_area() * packets(left.1)
                    + right[k].0.half_area() * packets(right[k].1);
                if best.is_none_or(|(least, ..)| cost < least) {
                    best = Some((cost, axis, k));
                }
            }
        }
        let boxes = &self.boxes;
        let order = &mut self.order[range.start..range.end];
        let middle = match best {
            Some((_, axis, plane)) => {
                let goes_left = |t: &u32| {
                    let c = boxes[*t as usize].centre()[axis];
                    bin_of(c, centres.lo[axis], size[axis]) < plane
                };
                // A stable partition, so that the tree depends on the input order alone.
                let (left, right): (Vec<u32>, Vec<u32>) = order.iter().partition(|t| goes_left(t));
                order[..left.len()].copy_from_slice(&left);
                order[left.len()..].copy_from_slice(&right);
                left.len()
            }
            None => order.len() / 2,
        };
        let middle = range.start + middle;
        let part = |start, end| Range {
            start,
            end,
            bounds: self.bounds(start, end),
            depth: range.depth + 1,
        };
        (part(range.start, middle), part(middle, range.end))
    }
}

fn bin_of(centre: f32, lo: f32, size: f32) -> usize {
    (((centre - lo) / size * BINS as f32) as usize).min(BINS - 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn vector() -> impl Strategy<Value = Vec3> {
        prop::array::uniform3(-1.0_f32..1.0).prop_map(Vec3::from)
    }

    /// Triangles of all sizes, some of them slivers or points, some equal.
    fn triangles() -> impl Strategy<Value = Vec<[Vec3; 3]>> {
        let one = (vector(), vector(), vector(), 0..4_u8).prop_map(|(a, b, c, kind)| match kind {
            0 => [a, b, c],
            1 => [a, a + 0.05 * b, a + 0.05 * c],
            2 => [a, a + b, a + b * 0.5],
            _ => [Vec3::X, Vec3::Y, Vec3::Z],
        });
        prop::collection::vec(one, 0..200)
    }

    /// The nearest hit by trying all triangles one by one.
    fn brute_force(triangles: &[[Vec3; 3]], ray: &Ray, t_min: f32, t_max: f32) -> Option<Hit> {
        let lane = |x: f32| Vec4::new(x, 0.0, 0.0, 0.0);
        let lanes = |p: Vec3| [lane(p.x), lane(p.y), lane(p.z)];
        let mut best: Option<Hit> = None;
        for (t, [a, b, c]) in triangles.iter().enumerate() {
            let packet = Packet {
                corner: lanes(*a),
                edge_1: lanes(*b - *a),
                edge_2: lanes(*c - *a),
                triangle: [t as u32, 9, 9, 9],
            };
            let limit = best.map_or(t_max, |h| h.t);
            best = packet.intersect(ray, t_min, limit).or(best);
        }
        best
    }

    proptest! {
        #[test]
        fn hits_equal_those_of_brute_force(
            triangles in triangles(),
            rays in prop::collection::vec((vector(), vector(), 0..4_usize), 1..40),
            t_max in prop_oneof![Just(f32::INFINITY), 0.1_f32..2.0],
        ) {
            let bvh = Bvh::new(&triangles);
            let mut stack = Stack::default();
            for (origin, dir, axis) in rays {
                // Some rays run exactly along an axis, where slab tests are weakest.
                let dir = if axis < 3 { Vec3::AXES[axis] } else { dir.normalize_or(Vec3::X) };
                let ray = Ray::new(2.0 * origin, dir);
                let expected = brute_force(&triangles, &ray, 0.0, t_max);
                let found = bvh.closest(&ray, 0.0, t_max, &mut stack);
                prop_assert_eq!(found.map(|h| h.t), expected.map(|h| h.t));
                prop_assert_eq!(bvh.occluded(&ray, 0.0, t_max, &mut stack), expected.is_some());
            }
        }
    }

    #[test]
    fn many_equal_triangles_do_not_make_a_deep_tree() {
        let triangles = vec![[Vec3::X, Vec3::Y, Vec3::Z]; 5000];
        let bvh = Bvh::new(&triangles);
        let ray = Ray::new(Vec3::ZERO, Vec3::ONE.normalize());
        let hit = bvh.closest(&ray, 0.0, 10.0, &mut Stack::default()).unwrap();
        assert!((hit.t - 1.0 / 3_f32.sqrt()).abs() < 1e-5);
        assert!(bvh.nodes.len() < triangles.len() / 4);
    }
}
