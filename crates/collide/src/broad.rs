//! Candidate feature pairs of a step: one surface with itself, and two surfaces.

use crate::tree::{Filter, Tree};
use crate::volume::{Aabb, SweptVertices, Volume};
use crate::{Motion, Surface};
use glam::DVec3;
use rayon::prelude::*;

/// Feature pairs that may come too near, sorted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Candidates {
    /// Vertex of the first surface, face of the second.
    pub vf: Vec<[u32; 2]>,
    /// Face of the first surface, vertex of the second; empty for a surface with itself.
    pub fv: Vec<[u32; 2]>,
    /// Edge of the first surface, edge of the second.
    pub ee: Vec<[u32; 2]>,
}

impl Candidates {
    /// Number of pairs.
    pub fn len(&self) -> usize {
        self.vf.len() + self.fv.len() + self.ee.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn sort(&mut self) {
        self.vf.sort_unstable();
        self.fv.sort_unstable();
        self.ee.sort_unstable();
    }
}

/// What a query cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Pairs of triangles whose boxes overlapped.
    pub triangle_pairs: u64,
    /// Feature pairs whose boxes overlapped.
    pub feature_pairs: u64,
}

/// A surface with its tree and the boxes of the present step.
#[derive(Clone, Debug)]
pub struct Detector {
    /// The features.
    pub surface: Surface,
    tree: Tree,
    swept: SweptVertices,
    self_collision: bool,
    /// Half-angle of the cone of normals around each vertex [rad].
    fan_angle: Vec<f32>,
    /// Positions at both ends of the step [m], and the distance below which pairs count [m].
    x_t0: Vec<DVec3>,
    x_t1: Vec<DVec3>,
    separation: f64,
    /// Bound on the error of the difference of two projections [m].
    rounding: f64,
}

/// What the tasks of a traversal gather.
type Gathered = (Candidates, u64);

impl Detector {
    /// A detector for cloth, which collides with itself; see [`Tree::in_texture_space`].
    pub fn for_cloth(surface: Surface, keys: &[DVec3], piece: &[u32]) -> Self {
        let tree = Tree::in_texture_space(&surface, keys, piece);
        Self::new(surface, tree, true)
    }

    /// A detector for a body.
    pub fn for_body(surface: Surface, x: &[DVec3]) -> Self {
        let tree = Tree::in_space(&surface, x);
        Self::new(surface, tree, false)
    }

    fn new(surface: Surface, tree: Tree, self_collision: bool) -> Self {
        let fan_angle = vec![f32::INFINITY; if self_collision { surface.vertices } else { 0 }];
        Self {
            surface,
            tree,
            swept: SweptVertices::default(),
            self_collision,
            fan_angle,
            x_t0: Vec::new(),
            x_t1: Vec::new(),
            separation: 0.0,
            rounding: 0.0,
        }
    }

    /// Its hierarchy.
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// Takes up the motion of a step. Pairs farther apart than `separation` throughout the step
    /// are not reported.
    ///
    /// Within a step, `moved` tells which vertices' ends changed since the last update; only pairs
    /// with one of them are reported. At the begin of a step it must be `None`.
    pub fn update(&mut self, motion: Motion<'_>, separation: f64, moved: Option<&[bool]>) {
        self.swept.update(motion, separation);
        self.tree.refit(crate::tree::Refit {
            surface: &self.surface,
            motion,
            swept: &self.swept,
            moved,
            cones: self.self_collision,
        });
        if self.self_collision {
            self.update_fans(moved);
            self.separation = separation;
            // Each projection is three products and two sums of coordinates up to the largest.
            let largest = |m: DVec3, x: &DVec3| m.max(x.abs());
            let all = motion.x_t0.iter().chain(motion.x_t1).fold(DVec3::ZERO, largest);
            self.rounding = 32.0 * f64::EPSILON * all.max_element();
            self.x_t0.clear();
            self.x_t0.extend_from_slice(motion.x_t0);
            self.x_t1.clear();
            self.x_t1.extend_from_slice(motion.x_t1);
        }
    }

    /// Cones of the triangles around each vertex: a fan is a patch like any other, and most pairs
    /// that a traversal arrives at are neighbours in one.
    fn update_fans(&mut self, moved: Option<&[bool]>) {
        let (surface, tree) = (&self.surface, &self.tree);
        let changed = |t: u32| {
            let tri = surface.triangles[t as usize];
            moved.is_none_or(|m| tri.iter().any(|v| m[*v as usize]))
        };
        self.fan_angle.par_iter_mut().with_min_len(1024).enumerate().for_each(|(v, angle)| {
            let Some(fan) = surface.fan(v as u32) else { return };
            if fan.iter().any(|t| changed(*t)) {
                *angle = tree.cone_of_triangles(fan);
            }
        });
    }

    /// Whether two triangles lie in one fan that cannot fold over itself.
    #[inline]
    fn in_one_fan(&self, ta: [u32; 3], tb: [u32; 3], cone_limit: f64) -> bool {
        ta.iter().any(|v| tb.contains(v) && f64::from(self.fan_angle[*v as usize]) < cone_limit)
    }

    /// Whether a plane along the first triangle, or along the second, keeps them apart over the
    /// whole step. Layers that lie on each other have overlapping boxes wherever they slope; this
    /// tells them apart.
    #[inline]
    fn has_plane_between(&self, a: u32, b: u32) -> bool {
        let (ta, tb) = (self.surface.triangles[a as usize], self.surface.triangles[b as usize]);
        let between = |n: DVec3| {
            let ((lo_a, hi_a), (lo_b, hi_b)) = (self.extent(ta, n), self.extent(tb, n));
            (lo_b - hi_a).max(lo_a - hi_b) > self.separation + self.rounding
        };
        between(self.tree.axis_of(a)) || between(self.tree.axis_of(b))
    }

    /// Smallest and largest coordinate of a triangle along a unit vector over the step.
    #[inline]
    fn extent(&self, tri: [u32; 3], n: DVec3) -> (f64, f64) {
        let mut range = (f64::INFINITY, f64::NEG_INFINITY);
        for v in tri {
            for x in [self.x_t0[v as usize], self.x_t1[v as usize]] {
                let s = n.dot(x);
                range = (range.0.min(s), range.1.max(s));
            }
        }
        range
    }

    /// Takes all vertices to be unmoved from here on, so that pairs are reported only for the other
    /// surface's moved vertices.
    pub fn settle(&mut self) {
        self.tree.settle();
    }

    /// Candidate pairs of the surface with itself. Patches whose cone of normals is narrower than
    /// `cone_limit` are skipped, and triangles with a plane between them; 0 skips nothing.
    pub fn self_candidates(&self, cone_limit: f64) -> (Candidates, Counts) {
        let s = &self.surface;
        let tasks =
            self.tree.self_pairs(Filter { cone_limit }, |a, b, (found, n): &mut Gathered| {
                *n += 1;
                let (ta, tb) = (s.triangles[a as usize], s.triangles[b as usize]);
                if self.in_one_fan(ta, tb, cone_limit)
                    || (cone_limit > 0.0 && self.has_plane_between(a, b))
                {
                    return;
                }
                self.vertices_of(a, self, b, |v| !tb.contains(&v), |v| found.vf.push([v, b]));
                self.vertices_of(b, self, a, |v| !ta.contains(&v), |v| found.vf.push([v, a]));
                self.edges_of(a, self, b, true, |ea, eb| {
                    found.ee.push([ea.min(eb), ea.max(eb)]);
                });
            });
        gather(tasks)
    }

    /// Candidate pairs of this surface and another.
    pub fn candidates_with(&self, other: &Self) -> (Candidates, Counts) {
        let tasks = self.tree.pairs_with(&other.tree, |a, b, (found, n): &mut Gathered| {
            *n += 1;
            self.vertices_of(a, other, b, |_| true, |v| found.vf.push([v, b]));
            other.vertices_of(b, self, a, |_| true, |v| found.fv.push([a, v]));
            self.edges_of(a, other, b, false, |ea, eb| found.ee.push([ea, eb]));
        });
        gather(tasks)
    }

    /// Triangles of this surface whose boxes overlap a box.
    pub fn triangles_in(&self, volume: &Aabb, mut found: impl FnMut(u32)) {
        let mut i = 0;
        let nodes = self.tree.nodes();
        while i < nodes.len() {
            let node = &nodes[i];
            if !node.volume.overlaps(volume) {
                i += node.size as usize;
            } else {
                if node.is_leaf() {
                    found(node.triangle);
                }
                i += 1;
            }
        }
    }

    /// Box of a vertex over the step.
    pub fn swept_vertex(&self, v: u32) -> Aabb {
        *self.swept.of(v)
    }

    /// Vertices owned by triangle `a` whose box overlaps triangle `b` of another surface.
    #[inline]
    fn vertices_of(
        &self,
        a: u32,
        other: &Self,
        b: u32,
        wanted: impl Fn(u32) -> bool,
        mut found: impl FnMut(u32),
    ) {
        let face = other.swept.triangle(other.surface.triangles[b as usize]);
        for (k, v) in self.surface.triangles[a as usize].into_iter().enumerate() {
            if self.surface.owns_vertex(a, k) && wanted(v) && self.swept.of(v).overlaps(&face) {
                found(v);
            }
        }
    }

    /// Pairs of edges owned by triangles `a` and `b` whose boxes overlap.
    #[inline]
    fn edges_of(
        &self,
        a: u32,
        other: &Self,
        b: u32,
        same_surface: bool,
        mut found: impl FnMut(u32, u32),
    ) {
        let (sa, sb) = (&self.surface, &other.surface);
        for ka in (0..3).filter(|k| sa.owns_edge(a, *k)) {
            let ea = sa.triangle_edges[a as usize][ka];
            let va = sa.edges[ea as usize];
            let box_a = self.swept.edge(va);
            for kb in (0..3).filter(|k| sb.owns_edge(b, *k)) {
                let eb = sb.triangle_edges[b as usize][kb];
                let vb = sb.edges[eb as usize];
                let adjacent = same_surface && (vb.contains(&va[0]) || vb.contains(&va[1]));
                if !adjacent && box_a.overlaps(&other.swept.edge(vb)) {
                    found(ea, eb);
                }
            }
        }
    }
}

fn gather(tasks: Vec<Gathered>) -> (Candidates, Counts) {
    let mut all = Candidates::default();
    let mut counts = Counts::default();
    for (mut found, triangle_pairs) in tasks {
        all.vf.append(&mut found.vf);
        all.fv.append(&mut found.fv);
        all.ee.append(&mut found.ee);
        counts.triangle_pairs += triangle_pairs;
    }
    all.sort();
    counts.feature_pairs = all.len() as u64;
    (all, counts)
}
