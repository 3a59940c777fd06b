//! A four-wide bounding volume hierarchy over triangles and its ray queries.
//!
//! Built top-down with binned surface-area splits [wald2007] as a binary tree whose leaves hold up to
//! four triangles, then collapsed so that each node has four children. A node's boxes and a leaf's
//! triangles are tested four at a time; triangles by Möller and Trumbore [moller1997].
//!
//! Limits: `f32`; expects coordinates of order one (see [`crate::geometry`]). Hits within
//! `packet::EDGE` outside a triangle count, so that rays do not slip between neighbours.

mod build;
mod packet;

use self::packet::{Motion, Packet};
use glam::{Vec3, Vec4};

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
    /// For each axis 1 if the ray runs down it: which bound of a box it meets first.
    falls: [usize; 3],
    /// When it is shot, in [0, 1].
    pub(crate) time: f32,
}

impl Ray {
    /// A ray from `origin` along the unit vector `dir`.
    pub(crate) fn new(origin: Vec3, dir: Vec3) -> Self {
        // A tiny slope instead of none keeps 0 · ∞ out of the slab test.
        let nonzero = |d: f32| if d.abs() < 1e-12 { 1e-12_f32.copysign(d) } else { d };
        let inv = Vec3::new(nonzero(dir.x), nonzero(dir.y), nonzero(dir.z)).recip();
        let falls = [inv.x, inv.y, inv.z].map(|i| usize::from(i < 0.0));
        Self { origin, dir, inv, falls, time: 0.0 }
    }

    /// The same at another time.
    pub(crate) fn with_time(self, time: f32) -> Self {
        Self { time, ..self }
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

/// Four boxes, one in each lane, and what is inside.
#[derive(Clone, Debug)]
struct Node {
    /// Lower and upper bounds along each axis.
    bounds: [[Vec4; 3]; 2],
    child: [u32; 4],
}

/// The hierarchy; node 0 is the root.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bvh {
    nodes: Vec<Node>,
    packets: Vec<Packet>,
    /// How the packets move; empty if nothing does.
    motions: Vec<Motion>,
}

/// Scratch memory of a query; may be dropped at any time.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stack(Vec<(f32, u32)>);

impl Bvh {
    /// A hierarchy over triangles that stand still; all corners must be finite.
    pub(crate) fn new(triangles: &[[Vec3; 3]]) -> Self {
        build::build(triangles, None)
    }

    /// A hierarchy over triangles that move on straight lines from `start` (time 0) to `end` (time 1).
    pub(crate) fn moving(start: &[[Vec3; 3]], end: &[[Vec3; 3]]) -> Self {
        build::build(start, Some(end))
    }

    /// The nearest hit of a packet.
    fn intersect(&self, packet: usize, ray: &Ray, t_min: f32, t_max: f32) -> Option<Hit> {
        match self.motions.get(packet) {
            Some(motion) => self.packets[packet].at(motion, ray.time).intersect(ray, t_min, t_max),
            None => self.packets[packet].intersect(ray, t_min, t_max),
        }
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
        if self.nodes.is_empty() {
            return None;
        }
        let mut next = Some((t_min, 0));
        while let Some((near, child)) = next.take().or_else(|| stack.0.pop()) {
            if near > limit {
                continue;
            }
            if child & LEAF_BIT != 0 {
                let packet = (child & !LEAF_BIT) as usize;
                if let Some(hit) = self.intersect(packet, ray, t_min, limit) {
                    limit = hit.t;
                    best = Some(hit);
                }
                continue;
            }
            let node = &self.nodes[child as usize];
            let (t_near, mask) = node.enter(ray, t_min, limit);
            // Most nodes have one child or two that the ray enters: the nearer one needs no stack.
            if mask.count_ones() <= 2 {
                if mask == 0 {
                    continue;
                }
                let t_near = t_near.to_array();
                let (a, b) = (mask.trailing_zeros() as usize, 31 - mask.leading_zeros() as usize);
                let (first, second) = if t_near[b] < t_near[a] { (b, a) } else { (a, b) };
                if a != b {
                    stack.0.push((t_near[second], node.child[second]));
                }
                next = Some((t_near[first], node.child[first]));
                continue;
            }
            let t_near = t_near.to_array();
            // Insertion into the stack, farthest first, so that the nearest is popped next.
            let first = stack.0.len();
            for lane in 0..4 {
                if mask >> lane & 1 == 1 {
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
                if self.intersect((child & !LEAF_BIT) as usize, ray, t_min, t_max).is_some() {
                    return true;
                }
                continue;
            }
            let node = &self.nodes[child as usize];
            let (_, mask) = node.enter(ray, t_min, t_max);
            for lane in 0..4 {
                if mask >> lane & 1 == 1 {
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
            // The mask spares a check of the index.
            let first = ray.falls[axis] & 1;
            near = near.max((self.bounds[first][axis] - origin) * inv);
            far = far.min((self.bounds[1 - first][axis] - origin) * inv);
        }
        (near, near.cmple(far).bitmask())
    }
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

    #[test]
    fn a_moving_triangle_is_hit_where_it_is_at_the_time() {
        let start = [[Vec3::new(-1.0, -1.0, 0.0), Vec3::new(1.0, -1.0, 0.0), Vec3::Y]];
        let end = [start[0].map(|p| p + Vec3::Z)];
        let bvh = Bvh::moving(&start, &end);
        for time in [0.0, 0.25, 1.0] {
            let ray = Ray::new(Vec3::Z * 5.0, Vec3::NEG_Z).with_time(time);
            let hit = bvh.closest(&ray, 0.0, 10.0, &mut Stack::default()).unwrap();
            assert!((hit.t - (5.0 - time)).abs() < 1e-5, "{hit:?}");
        }
    }
}
