//! Recursive partition at the median.

use super::{Node, Tree};
use crate::Surface;
use crate::prune::Cone;
use crate::volume::{Aabb, Volume};
use glam::DVec3;

impl Tree {
    /// Partition by position in texture space [provot1997, §2.1]: neighbours in the cloth stay
    /// neighbours in the tree however it moves, so the tree is never rebuilt.
    ///
    /// `keys` are the triangles' centres in material coordinates (third coordinate zero); `piece`
    /// numbers the cloth each belongs to. Cloths are told apart before anything else.
    pub fn in_texture_space(surface: &Surface, keys: &[DVec3], piece: &[u32]) -> Self {
        build(surface, keys, piece)
    }

    /// Partition by position in space, for bodies.
    pub fn in_space(surface: &Surface, x: &[DVec3]) -> Self {
        let keys: Vec<DVec3> = surface
            .triangles
            .iter()
            .map(|t| t.iter().map(|v| x[*v as usize]).sum::<DVec3>() / 3.0)
            .collect();
        build(surface, &keys, &vec![0; keys.len()])
    }
}

fn build(surface: &Surface, keys: &[DVec3], piece: &[u32]) -> Tree {
    assert_eq!(keys.len(), surface.triangles.len(), "one key for each triangle");
    assert_eq!(piece.len(), surface.triangles.len(), "one piece for each triangle");
    let mut items: Vec<u32> = (0..keys.len() as u32).collect();
    items.sort_by_key(|t| piece[*t as usize]);
    let mut nodes = Vec::with_capacity(2 * items.len());
    if !items.is_empty() {
        let mut patches = Patches::new(surface);
        split(&mut items, keys, piece, &mut patches, &mut nodes);
    }
    let cones = vec![Cone::ALL; nodes.len()];
    let mut leaf_of = vec![0; keys.len()];
    for (i, node) in nodes.iter().enumerate().filter(|(_, n)| n.is_leaf()) {
        leaf_of[node.triangle as usize] = i as u32;
    }
    Tree { nodes, cones, leaf_of }
}

fn split(
    items: &mut [u32],
    keys: &[DVec3],
    piece: &[u32],
    patches: &mut Patches<'_>,
    nodes: &mut Vec<Node>,
) {
    let node = nodes.len();
    nodes.push(Node {
        volume: Aabb::EMPTY,
        angle: f32::INFINITY,
        triangle: items[0],
        size: 1,
        patch: patches.is_patch(items),
        moved: true,
    });
    if items.len() == 1 {
        return;
    }
    let middle = halve(items, keys, piece);
    let (left, right) = items.split_at_mut(middle);
    split(left, keys, piece, patches, nodes);
    split(right, keys, piece, patches, nodes);
    nodes[node].size = (nodes.len() - node) as u32;
}

/// Orders the items so that both halves belong together, and says where the second begins.
fn halve(items: &mut [u32], keys: &[DVec3], piece: &[u32]) -> usize {
    let of = |t: u32| piece[t as usize];
    if of(items[0]) != of(items[items.len() - 1]) {
        // Several cloths (items are sorted by them): cut at the border nearest to the middle.
        let half = items.len() / 2;
        return (1..items.len())
            .filter(|i| of(items[*i]) != of(items[i - 1]))
            .min_by_key(|i| i.abs_diff(half))
            .unwrap_or(half);
    }
    let bounds = Aabb::of_points(items.iter().map(|t| keys[*t as usize]));
    let extent = bounds.hi - bounds.lo;
    let axis = (0..3).max_by(|a, b| extent[*a].total_cmp(&extent[*b])).unwrap_or(0);
    let middle = items.len() / 2;
    let order = |a: &u32, b: &u32| {
        keys[*a as usize][axis].total_cmp(&keys[*b as usize][axis]).then(a.cmp(b))
    };
    items.select_nth_unstable_by(middle, order);
    middle
}

/// Tells whether a set of triangles is one piece without holes: connected through edges, every edge
/// with at most two triangles, and V − E + F = 1.
struct Patches<'a> {
    surface: &'a Surface,
    stamp: u32,
    vertex_seen: Vec<u32>,
    /// Stamp of the last set an edge was seen in, and the triangle that was first there.
    edge_seen: Vec<(u32, u32)>,
    parent: Vec<u32>,
}

impl<'a> Patches<'a> {
    fn new(surface: &'a Surface) -> Self {
        Self {
            surface,
            stamp: 0,
            vertex_seen: vec![0; surface.vertices],
            edge_seen: vec![(0, 0); surface.edges.len()],
            parent: vec![0; surface.triangles.len()],
        }
    }

    fn is_patch(&mut self, items: &[u32]) -> bool {
        self.stamp += 1;
        for t in items {
            self.parent[*t as usize] = *t;
        }
        let (mut vertices, mut edges, mut pieces) = (0, 0, items.len());
        for t in items {
            for v in self.surface.triangles[*t as usize] {
                let seen = &mut self.vertex_seen[v as usize];
                vertices += usize::from(*seen != self.stamp);
                *seen = self.stamp;
            }
            for e in self.surface.triangle_edges[*t as usize] {
                if self.surface.valence[e as usize] > 2 {
                    return false;
                }
                let (seen, first) = self.edge_seen[e as usize];
                if seen == self.stamp {
                    pieces -= usize::from(self.join(first, *t));
                } else {
                    self.edge_seen[e as usize] = (self.stamp, *t);
                    edges += 1;
                }
            }
        }
        pieces == 1 && vertices + items.len() == edges + 1
    }

    /// Joins two triangles' pieces; false if they were one already.
    fn join(&mut self, a: u32, b: u32) -> bool {
        let (a, b) = (self.root(a), self.root(b));
        self.parent[a.max(b) as usize] = a.min(b);
        a != b
    }

    fn root(&mut self, mut t: u32) -> u32 {
        while self.parent[t as usize] != t {
            let up = self.parent[self.parent[t as usize] as usize];
            self.parent[t as usize] = up;
            t = up;
        }
        t
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use toile_mesh::shape::{Diagonals, grid};
    use toile_mesh::{Topology, TriMesh};

    fn surface(mesh: &TriMesh) -> Surface {
        let topology = Topology::new(mesh.positions.len(), &mesh.triangles);
        Surface::new(mesh.positions.len(), &mesh.triangles, &topology)
    }

    #[test]
    fn every_triangle_is_one_leaf_and_the_depth_is_logarithmic() {
        let mesh = grid(1.0, 1.0, 16, 16, Diagonals::Alternating);
        let tree = Tree::in_space(&surface(&mesh), &mesh.positions);
        let mut leaves: Vec<u32> =
            tree.nodes().iter().filter(|n| n.is_leaf()).map(|n| n.triangle).collect();
        leaves.sort_unstable();
        assert!(leaves.iter().copied().eq(0..512));
        assert_eq!((tree.nodes().len(), tree.depth()), (1023, 10));
    }

    #[test]
    fn two_sheets_are_parted_first_and_are_no_patch_together() {
        let mut mesh = grid(1.0, 1.0, 4, 4, Diagonals::Alternating);
        mesh.append(&mesh.clone());
        let piece: Vec<u32> = (0..64).map(|t| t / 32).collect();
        let s = surface(&mesh);
        let keys: Vec<DVec3> = (0..64).map(|t| DVec3::splat(f64::from(t % 7))).collect();
        let tree = Tree::in_texture_space(&s, &keys, &piece);
        assert!(!tree.nodes()[0].patch);
        assert_eq!((tree.nodes()[1].size, tree.nodes()[64].size), (63, 63));
    }

    #[test]
    fn a_sheet_with_a_hole_or_a_loose_corner_is_no_patch() {
        let mesh = grid(1.0, 1.0, 3, 3, Diagonals::Alternating);
        let s = surface(&mesh);
        let all: Vec<u32> = (0..18).collect();
        assert!(Patches::new(&s).is_patch(&all));
        // Without the middle cell (triangles 8 and 9) it is a ring.
        let ring: Vec<u32> = all.iter().copied().filter(|t| *t != 8 && *t != 9).collect();
        assert!(!Patches::new(&s).is_patch(&ring));
        assert!(!Patches::new(&s).is_patch(&[0, 17]));
    }
}
