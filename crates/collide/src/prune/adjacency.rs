//! Whether two regions of a hierarchy share a vertex, in constant time (D6d, after [eg2004garments]
//! §3.2).
//!
//! The children of a node meet in some vertices of the mesh: its *interface*, mostly a curve. Numbered
//! along that curve, the vertices that a smaller region has of it are a few runs of numbers. A region
//! keeps, for each node above it, these runs; like the vertices that part its neighbours of the
//! highest level, which the tutorial keeps, there are some six of them, however large the region is.
//! Two disjoint regions share a vertex exactly if they have overlapping runs of one interface: a shared
//! vertex is in the interface of the lowest node above both.
//!
//! The tutorial keeps only the ends of runs and asks for a common one. That is not enough: of an
//! interface 0…3 one region may have 0–2 and the other, on the far side, 1–3. They share vertices 1
//! and 2, and no end.
//!
//! Any numbering gives right answers; one that jumps only makes more runs, as where surfaces are not
//! manifold.

use crate::Surface;
use crate::tree::Plan;
use toile_mesh::NONE;

/// Vertices `first..=last` of the interface of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Run {
    interface: u32,
    first: u32,
    last: u32,
}

/// What is needed to tell whether nodes of a plan are adjacent.
#[derive(Clone, Debug, Default)]
pub struct Adjacency {
    /// Sorted runs of each node, in reverse order of nodes, and where those of each end.
    runs: Vec<Run>,
    ends: Vec<u32>,
}

impl Adjacency {
    /// Prepares a plan over a surface.
    pub fn new(surface: &Surface, plan: &Plan) -> Self {
        let interfaces = Interfaces::new(surface, plan);
        let mut adjacency = Self { runs: Vec::new(), ends: vec![0; plan.nodes.len() + 1] };
        let mut runs = Vec::new();
        for node in (0..plan.nodes.len()).rev() {
            runs.clear();
            if plan.nodes[node].size == 1 {
                for t in plan.triangles(node) {
                    for v in surface.triangles[*t as usize] {
                        let above = interfaces.entries_of(v).iter().filter(|(n, _)| {
                            let n = *n as usize;
                            (n..n + plan.nodes[n].size as usize).contains(&node)
                        });
                        runs.extend(above.map(|(n, i)| Run { interface: *n, first: *i, last: *i }));
                    }
                }
            } else {
                for child in plan.children(node) {
                    let of_child = adjacency.runs_of(child).iter();
                    runs.extend(of_child.filter(|r| r.interface as usize != node));
                }
            }
            runs.sort_unstable();
            let begin = adjacency.runs.len();
            for run in &runs {
                match adjacency.runs[begin..].last_mut() {
                    Some(last) if last.interface == run.interface && run.first <= last.last + 1 => {
                        last.last = last.last.max(run.last);
                    }
                    _ => adjacency.runs.push(*run),
                }
            }
            adjacency.ends[node] = adjacency.runs.len() as u32;
        }
        adjacency
    }

    /// Whether two nodes, neither of which contains the other, share a vertex.
    pub fn adjacent(&self, a: usize, b: usize) -> bool {
        let (mut a, mut b) = (self.runs_of(a).iter().peekable(), self.runs_of(b).iter().peekable());
        while let (Some(p), Some(q)) = (a.peek(), b.peek()) {
            if (p.interface, p.last) < (q.interface, q.first) {
                a.next();
            } else if (q.interface, q.last) < (p.interface, p.first) {
                b.next();
            } else {
                return true;
            }
        }
        false
    }

    /// How many runs are kept for a node.
    pub fn runs(&self, node: usize) -> usize {
        self.runs_of(node).len()
    }

    fn runs_of(&self, node: usize) -> &[Run] {
        // Nodes are stored backwards: the one after this ends where this begins.
        &self.runs[self.ends[node + 1] as usize..self.ends[node] as usize]
    }
}

/// For each vertex, the nodes in whose interface it is, and its number there.
struct Interfaces {
    entries: Vec<(u32, u32)>,
    offsets: Vec<u32>,
}

impl Interfaces {
    fn new(surface: &Surface, plan: &Plan) -> Self {
        // Where the triangles of each vertex, and of each edge, part.
        let places = |of: &dyn Fn(usize, usize) -> u32| {
            let mut pairs = Vec::with_capacity(3 * plan.items.len());
            for (place, t) in plan.items.iter().enumerate() {
                pairs.extend((0..3).map(|k| (of(*t as usize, k), place as u32)));
            }
            pairs.sort_unstable();
            let mut parted = Vec::new();
            for group in pairs.chunk_by(|a, b| a.0 == b.0) {
                part(plan, 0, group, &mut |node| parted.push((node, group[0].0)));
            }
            parted.sort_unstable();
            parted
        };
        let vertices = places(&|t, k| surface.triangles[t][k]);
        let edges = places(&|t, k| surface.triangle_edges[t][k]);
        let mut numbers: Vec<(u32, u32, u32)> = Vec::with_capacity(vertices.len());
        let mut edge = 0;
        let mut order = Order::new(surface.vertices);
        for interface in vertices.chunk_by(|a, b| a.0 == b.0) {
            let node = interface[0].0;
            let begin = edge + edges[edge..].partition_point(|e| e.0 < node);
            edge = begin + edges[begin..].partition_point(|e| e.0 == node);
            let edges = edges[begin..edge].iter().map(|(_, e)| surface.edges[*e as usize]);
            let ordered = order.walk(interface.iter().map(|(_, v)| *v), edges);
            numbers.extend(ordered.iter().enumerate().map(|(i, v)| (*v, node, i as u32)));
        }
        numbers.sort_unstable();
        let mut offsets = vec![0; surface.vertices + 1];
        for (v, _, _) in &numbers {
            offsets[*v as usize + 1] += 1;
        }
        for v in 0..surface.vertices {
            offsets[v + 1] += offsets[v];
        }
        Self { entries: numbers.into_iter().map(|(_, n, i)| (n, i)).collect(), offsets }
    }

    fn entries_of(&self, v: u32) -> &[(u32, u32)] {
        let v = v as usize;
        &self.entries[self.offsets[v] as usize..self.offsets[v + 1] as usize]
    }
}

/// Names all nodes below `node` in which some triangles, by their places in the plan in ascending
/// order, are in different children.
fn part(plan: &Plan, mut node: usize, places: &[(u32, u32)], found: &mut impl FnMut(u32)) {
    'down: while places.len() > 1 && plan.nodes[node].size > 1 {
        let mut rest = places;
        let mut parted = false;
        for child in plan.children(node) {
            let end = plan.nodes[child].first + plan.nodes[child].count;
            let (inside, after) = rest.split_at(rest.partition_point(|p| p.1 < end));
            if inside.len() == places.len() {
                node = child;
                continue 'down;
            }
            if !inside.is_empty() {
                part(plan, child, inside, found);
                parted = true;
            }
            rest = after;
        }
        if parted {
            found(node as u32);
        }
        return;
    }
}

/// Numbers the vertices of curves along them.
struct Order {
    /// Local number of each vertex of the mesh.
    local: Vec<u32>,
}

impl Order {
    fn new(vertices: usize) -> Self {
        Self { local: vec![NONE; vertices] }
    }

    /// Vertices in the order of walks along edges, from loose ends first.
    fn walk(
        &mut self,
        vertices: impl Iterator<Item = u32>,
        edges: impl Iterator<Item = [u32; 2]>,
    ) -> Vec<u32> {
        let vertices: Vec<u32> = vertices.collect();
        for (i, v) in vertices.iter().enumerate() {
            self.local[*v as usize] = i as u32;
        }
        let mut steps: Vec<[u32; 2]> = edges
            .map(|e| e.map(|v| self.local[v as usize]))
            .flat_map(|[a, b]| [[a, b], [b, a]])
            .collect();
        steps.sort_unstable();
        let from = |v: u32| {
            let begin = steps.partition_point(|s| s[0] < v);
            &steps[begin..begin + steps[begin..].partition_point(|s| s[0] == v)]
        };
        let mut seen = vec![false; vertices.len()];
        let mut order = Vec::with_capacity(vertices.len());
        let all = 0..vertices.len() as u32;
        let ends = all.clone().filter(|v| from(*v).len() == 1);
        for start in ends.chain(all) {
            let mut next = (!seen[start as usize]).then_some(start);
            while let Some(v) = next {
                seen[v as usize] = true;
                order.push(vertices[v as usize]);
                next = from(v).iter().map(|s| s[1]).find(|w| !seen[*w as usize]);
            }
        }
        order
    }
}
