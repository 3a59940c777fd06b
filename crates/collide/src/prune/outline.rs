//! Outlines of the regions of a hierarchy, for the contour test of direction sets (D6b, c, d).
//!
//! A region needs the test only where the one above it failed. Two adjacent regions are
//! tested like one: the outline of their union is what is left of both when the common part is taken
//! away. They are a disc together if that common part is a single path.

use super::contour::{boundary_loop, is_simple};
use super::{Adjacency, DirectionSet};
use crate::Surface;
use crate::tree::{Ends, Layout, Plan};
use glam::DVec2;

/// Unions with longer outlines are not looked at: they hardly ever pass, and cost.
const MAX_OUTLINE_EDGES: usize = 4096;

/// The outline of every node.
#[derive(Clone, Debug)]
pub(crate) struct Outlines {
    /// Vertices of the loops, as numbered by the layout; nodes that are no disc have none.
    vertices: Vec<u32>,
    /// Where those of each node begin; one entry more than nodes.
    first: Vec<u32>,
    adjacency: Adjacency,
}

impl Outlines {
    pub(crate) fn new(surface: &Surface, plan: &Plan, rank: &[u32]) -> Self {
        let mut outlines =
            Self { vertices: Vec::new(), first: vec![0], adjacency: Adjacency::new(surface, plan) };
        for node in 0..plan.nodes.len() {
            if let Some(walk) = boundary_loop(surface, plan.triangles(node)) {
                outlines.vertices.extend(walk.iter().map(|v| rank[*v as usize]));
            }
            outlines.first.push(outlines.vertices.len() as u32);
        }
        outlines
    }

    fn of_node(&self, node: usize) -> &[u32] {
        &self.vertices[self.first[node] as usize..self.first[node + 1] as usize]
    }

    /// Marks the nodes that are surely free of self-intersection: the highest ones, and all below these.
    pub(crate) fn flat(&self, layout: &Layout, ends: &Ends, sets: &[DirectionSet]) -> Vec<bool> {
        let mut flat = vec![false; layout.sizes.len()];
        let mut node = 0;
        while node < flat.len() {
            let below = node + layout.sizes[node] as usize;
            if seen_simple(self.of_node(node), ends, sets[node]) {
                flat[node..below].fill(true);
                node = below;
            } else {
                node += 1;
            }
        }
        flat
    }

    /// Whether two nodes are adjacent, and their union surely is free of self-intersection.
    pub(crate) fn flat_together(
        &self,
        ends: &Ends,
        sets: &[DirectionSet],
        a: usize,
        b: usize,
    ) -> bool {
        let common = sets[a].merge(sets[b]);
        !common.is_empty()
            && self.adjacency.adjacent(a, b)
            && union(self.of_node(a), self.of_node(b))
                .is_some_and(|o| seen_simple(&o, ends, common))
    }
}

/// Whether the outline of a disc is simple, seen along one of the directions from which it has no fold.
fn seen_simple(outline: &[u32], ends: &Ends, set: DirectionSet) -> bool {
    // One try: where one direction shows a crossing, its neighbours mostly do too.
    let Some(d) = set.directions().next().filter(|_| !outline.is_empty()) else { return false };
    let points: Vec<[DVec2; 2]> =
        outline.iter().map(|v| ends[*v as usize].map(|x| d.project(x))).collect();
    // Clear of itself by more than projecting can have rounded.
    let largest = points.iter().flatten().fold(DVec2::ZERO, |m, p| m.max(p.abs()));
    is_simple(&points, 32.0 * f64::EPSILON * largest.max_element())
}

/// The outline of the union of two discs, if that is a disc.
fn union(a: &[u32], b: &[u32]) -> Option<Vec<u32>> {
    if a.is_empty() || b.is_empty() || a.len() + b.len() > MAX_OUTLINE_EDGES {
        return None;
    }
    // Where each vertex of b is.
    let mut places: Vec<(u32, u32)> = b.iter().enumerate().map(|(i, v)| (*v, i as u32)).collect();
    places.sort_unstable();
    let place = |v: u32| {
        let i = places.partition_point(|(w, _)| *w < v);
        places.get(i).filter(|(w, _)| *w == v).map(|(_, i)| *i as usize)
    };
    let shared: Vec<Option<usize>> = a.iter().map(|v| place(*v)).collect();
    // The common vertices have to be one run of a, walked backwards in b.
    let n = a.len();
    let starts: Vec<usize> =
        (0..n).filter(|i| shared[*i].is_some() && shared[(i + n - 1) % n].is_none()).collect();
    let &[start] = starts.as_slice() else { return None };
    let length = (0..n).take_while(|k| shared[(start + k) % n].is_some()).count();
    let first = shared[start]?;
    let backwards = (0..length)
        .all(|k| shared[(start + k) % n] == Some((first + b.len() - k % b.len()) % b.len()));
    // A single common vertex joins them at a point; the whole loop would close to a sphere.
    if length < 2 || length >= n || length >= b.len() || !backwards {
        return None;
    }
    // From the last common vertex along a to the one before the first; then from the first along b.
    let along_a = (length - 1..n).map(|k| a[(start + k) % n]);
    let along_b = (0..=b.len() - length).map(|k| b[(first + k) % b.len()]);
    Some(along_a.chain(along_b).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The same loop, begun at its smallest vertex.
    fn turned(mut walk: Vec<u32>) -> Vec<u32> {
        let least = (0..walk.len()).min_by_key(|i| walk[*i]).unwrap_or(0);
        walk.rotate_left(least);
        walk
    }

    #[test]
    fn two_squares_with_a_common_side_have_one_outline() {
        // 0 1 2     a is the left square, b the right one, both counterclockwise.
        // 3 4 5
        let (a, b) = ([3, 4, 1, 0], [4, 5, 2, 1]);
        assert_eq!(turned(union(&a, &b).unwrap()), [0, 3, 4, 5, 2, 1]);
        assert_eq!(turned(union(&b, &a).unwrap()), [0, 3, 4, 5, 2, 1]);
    }

    #[test]
    fn discs_that_touch_at_a_point_or_twice_have_none() {
        assert_eq!(union(&[0, 1, 2], &[2, 3, 4]), None, "at a point");
        assert_eq!(union(&[0, 1, 2, 3, 4], &[1, 0, 9, 3, 2, 8]), None, "a ring");
        assert_eq!(union(&[0, 1, 2], &[0, 2, 1]), None, "a closed surface");
        assert_eq!(union(&[0, 1, 2], &[0, 1, 3]), None, "not oriented alike");
        assert_eq!(union(&[], &[0, 1, 3]), None);
    }
}
