//! The binary tree over the material plane, one triangle a leaf (D4a; §3 of the paper).
//!
//! The runs of a step move boxes by little, so boxes get room to move in, and the pairs whose rooms overlap are kept until a box leaves
//! its room. Which pairs meet is told by their boxes, so the result is that of all pairs, bit for bit.

use super::boxes::{Neighbours, Pairs, Swept, test};
use glam::{DVec2, DVec3};

/// Room around a box, as a part of its displacement in a step, and of the gap.
const BOX_MARGIN: f64 = 0.5;

/// A complete search tree: node 0 is the root, the right child of an inner node is told, the left one follows it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tree {
    /// The triangle of a leaf, or the right child of an inner node.
    nodes: Vec<Node>,
    /// Bounds over the step, with room.
    bounds: Vec<[DVec3; 2]>,
    /// The room of each triangle.
    room: Vec<[DVec3; 2]>,
    /// Pairs whose rooms overlap and that do not touch at rest, ascending.
    kept: Vec<[u32; 2]>,
}

#[derive(Clone, Copy, Debug)]
enum Node {
    Leaf(u32),
    Inner(u32),
}

impl Tree {
    /// Halves the triangles again and again across the longer side of their material coordinates.
    pub(crate) fn new(uv: &[[DVec2; 3]]) -> Self {
        let centres: Vec<DVec2> = uv.iter().map(|c| c.iter().sum::<DVec2>() / 3.0).collect();
        let mut order: Vec<u32> = (0..uv.len() as u32).collect();
        let mut tree = Self::default();
        if !order.is_empty() {
            tree.build(&centres, &mut order);
        }
        tree.bounds = vec![[DVec3::ZERO; 2]; tree.nodes.len()];
        tree
    }

    fn build(&mut self, centres: &[DVec2], part: &mut [u32]) {
        let here = self.nodes.len();
        if let [one] = part {
            self.nodes.push(Node::Leaf(*one));
            return;
        }
        let at = |t: &u32| centres[*t as usize];
        let lo = part.iter().map(at).fold(DVec2::INFINITY, DVec2::min);
        let hi = part.iter().map(at).fold(DVec2::NEG_INFINITY, DVec2::max);
        let axis = usize::from((hi - lo).y > (hi - lo).x);
        part.sort_by(|a, b| at(a)[axis].total_cmp(&at(b)[axis]).then(a.cmp(b)));
        let (left, right) = part.split_at_mut(part.len() / 2);
        self.nodes.push(Node::Inner(0));
        self.build(centres, left);
        self.nodes[here] = Node::Inner(self.nodes.len() as u32);
        self.build(centres, right);
    }

    /// All pairs whose boxes meet, ascending.
    pub(crate) fn pairs(
        &mut self,
        neighbours: &Neighbours,
        boxes: &[Swept],
        gap: f64,
        found: &mut Pairs,
    ) {
        let inside = |(room, swept): (&[DVec3; 2], &Swept)| {
            let [lo, hi] = bounds(swept);
            room[0].cmple(lo).all() && hi.cmple(room[1]).all()
        };
        if self.room.len() != boxes.len() || !self.room.iter().zip(boxes).all(inside) {
            self.search(neighbours, boxes, gap);
        }
        for pair in &self.kept {
            test(neighbours, boxes, *pair, gap, found);
        }
    }

    /// Gives each box room to move in, and keeps the pairs whose rooms overlap.
    fn search(&mut self, neighbours: &Neighbours, boxes: &[Swept], gap: f64) {
        self.room.clear();
        self.room.extend(boxes.iter().map(|swept| {
            // Limits take a box back by up to what it moved, and never far beyond where it was.
            let displacement =
                (swept.lo[1] - swept.lo[0]).abs().max((swept.hi[1] - swept.hi[0]).abs());
            let ([lo, hi], room) =
                (bounds(swept), displacement * BOX_MARGIN + DVec3::splat(BOX_MARGIN * gap));
            [lo - room, hi + room]
        }));
        // Children come after their parents.
        for i in (0..self.nodes.len()).rev() {
            self.bounds[i] = match self.nodes[i] {
                Node::Leaf(t) => self.room[t as usize],
                Node::Inner(right) => {
                    let ([a, b], [c, d]) = (self.bounds[i + 1], self.bounds[right as usize]);
                    [a.min(c), b.max(d)]
                }
            };
        }
        self.kept.clear();
        // Nodes that are still to be compared with themselves, or with each other.
        let mut stack = vec![[0_u32, 0]];
        while let Some([i, j]) = stack.pop() {
            let (a, b) = (self.nodes[i as usize], self.nodes[j as usize]);
            match (a, b) {
                (Node::Inner(right), _) if i == j => {
                    stack.extend([[i + 1, i + 1], [right, right]]);
                    self.meet(i + 1, right, &mut stack);
                }
                (Node::Leaf(s), Node::Leaf(t)) if s != t => {
                    // Most leaves that overlap are neighbours.
                    let pair = [s.min(t), s.max(t)];
                    if !neighbours.contain(pair) {
                        self.kept.push(pair);
                    }
                }
                (Node::Leaf(_), Node::Leaf(_)) => {}
                // The larger of the two is opened.
                (Node::Inner(right), _)
                    if matches!(b, Node::Leaf(_)) || self.size(i) >= self.size(j) =>
                {
                    self.meet(i + 1, j, &mut stack);
                    self.meet(right, j, &mut stack);
                }
                (_, Node::Inner(right)) => {
                    self.meet(i, j + 1, &mut stack);
                    self.meet(i, right, &mut stack);
                }
                (Node::Inner(_), Node::Leaf(_)) => {}
            }
        }
        self.kept.sort_unstable();
    }

    /// Puts two nodes on the list if their bounds overlap.
    #[inline]
    fn meet(&self, i: u32, j: u32, stack: &mut Vec<[u32; 2]>) {
        let ([a, b], [c, d]) = (&self.bounds[i as usize], &self.bounds[j as usize]);
        if a.x <= d.x && c.x <= b.x && a.y <= d.y && c.y <= b.y && a.z <= d.z && c.z <= b.z {
            stack.push([i, j]);
        }
    }

    fn size(&self, i: u32) -> f64 {
        let [a, b] = self.bounds[i as usize];
        (b - a).element_sum()
    }
}

fn bounds(b: &Swept) -> [DVec3; 2] {
    [b.lo[0].min(b.lo[1]), b.hi[0].max(b.hi[1])]
}
