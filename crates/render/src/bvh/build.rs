//! Building: binned surface-area splits from the top down, four children to a node.

use super::packet::{Motion, Packet};
use super::{Bvh, EMPTY, LEAF_BIT, Node};
use glam::{Vec3, Vec4};

/// Boxes grow by this much, so that rounding in the slab test loses no triangle.
const PAD: f32 = 2e-6;
/// Candidate splits along each axis.
const BINS: usize = 16;
/// Triangles in a leaf.
const LEAF: usize = 4;
/// Below this depth, splits halve the count, so that depth stays bounded for any input.
const BALANCED_DEPTH: usize = 48;

/// The hierarchy over triangles, moving if they have another place at time 1.
pub(super) fn build(triangles: &[[Vec3; 3]], end: Option<&[[Vec3; 3]]>) -> Bvh {
    let boxed = |t: usize| {
        let still = Aabb::around(&triangles[t]);
        end.map_or(still, |end| still.join(Aabb::around(&end[t])))
    };
    let mut build = Build {
        triangles,
        end,
        boxes: (0..triangles.len()).map(boxed).collect(),
        order: (0..triangles.len() as u32).collect(),
        bvh: Bvh::default(),
    };
    if !triangles.is_empty() {
        let bounds = build.bounds(0, triangles.len());
        build.node(&Range { start: 0, end: triangles.len(), bounds, depth: 0 });
    }
    build.bvh
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
    /// Where they are at time 1, if they move.
    end: Option<&'a [[Vec3; 3]]>,
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
            Node { bounds: [[Vec4::INFINITY; 3], [Vec4::NEG_INFINITY; 3]], child: [EMPTY; 4] };
        self.bvh.nodes.push(empty);
        for (lane, child) in children.iter().enumerate() {
            let below = if child.len() <= LEAF { self.leaf(child) } else { self.node(child) };
            let node = &mut self.bvh.nodes[index];
            node.child[lane] = below;
            for axis in 0..3 {
                node.bounds[0][axis][lane] = child.bounds.lo[axis] - PAD;
                node.bounds[1][axis][lane] = child.bounds.hi[axis] + PAD;
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
        if let Some(end) = self.end {
            let motion = self.motion(&self.order[range.start..range.end], end);
            self.bvh.motions.push(motion);
        }
        (self.bvh.packets.len() - 1) as u32 | LEAF_BIT
    }

    /// How the triangles of a packet move.
    fn motion(&self, triangles: &[u32], end: &[[Vec3; 3]]) -> Motion {
        let zero = [Vec4::ZERO; 3];
        let mut motion = Motion { corner: zero, edge_1: zero, edge_2: zero };
        for (lane, t) in triangles.iter().enumerate() {
            let [from, to] = [self.triangles[*t as usize], end[*t as usize]];
            let [a, b, c] = [0, 1, 2].map(|k| to[k] - from[k]);
            for axis in 0..3 {
                motion.corner[axis][lane] = a[axis];
                motion.edge_1[axis][lane] = (b - a)[axis];
                motion.edge_2[axis][lane] = (c - a)[axis];
            }
        }
        motion
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
