//! Candidate feature pairs of a step: one surface with itself, and two surfaces.

mod boxes;
mod budget;
mod cell_cache;
mod cells;
mod features;
mod finder;
mod leaf;
mod neighbour_list;
mod plane_test;
mod sort;

use crate::prune::{CurvatureBounds, Prune};
use crate::tree::{self, Layout, Moved, Plan, Rest, Side, Tree};
use crate::volume::{Aabb, Aabb32, Dop, MovingBox, Volume, VolumeKind};
use crate::{Motion, Options, Surface};
use budget::Budget;
use cells::Grid;
use features::{Fans, Features};
use finder::{Finder, QueryDepth};
use glam::{DVec2, DVec3};
use leaf::Query;
pub use neighbour_list::NeighbourList;

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
        let Self { vf, fv, ee } = self;
        rayon::join(
            || sort::sort(vf),
            || {
                sort::sort(fv);
                sort::sort(ee);
            },
        );
    }
}

/// What a query cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Nodes that were compared with themselves: asked for their curvature.
    pub cone_tests: u64,
    /// Pairs of nodes whose volumes were compared.
    pub box_tests: u64,
    /// Pairs of leaves that the traversal came to, and leaves that it could not tell from themselves.
    pub leaf_pairs: u64,
    /// Pairs of triangles whose boxes overlapped, or nearly so: boxes are compared in cells of a grid, which may take
    /// two for one.
    pub triangle_pairs: u64,
    /// Feature pairs that are left: their boxes overlap and, with pruning, no plane was found that keeps
    /// them apart over the whole step.
    pub feature_pairs: u64,
}

impl std::ops::AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        self.cone_tests += other.cone_tests;
        self.box_tests += other.box_tests;
        self.leaf_pairs += other.leaf_pairs;
        self.triangle_pairs += other.triangle_pairs;
        self.feature_pairs += other.feature_pairs;
    }
}

/// A vertex position is not finite, so that no volume contains it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("vertex {vertex} has a position that is not finite")]
pub struct NotFinite {
    /// The first such vertex.
    pub vertex: u32,
}

/// A surface with its tree and the volumes of the present step.
///
/// ```
/// use glam::DVec3;
/// use toile_collide::broad::Detector;
/// use toile_collide::{Motion, Surface};
/// use toile_mesh::{Topology, shape};
///
/// let ball = |centre: DVec3| {
///     let mesh = shape::sphere(0.5, 2).map_positions(|p| p + centre);
///     let topology = Topology::new(mesh.positions.len(), &mesh.triangles);
///     let surface = Surface::new(mesh.positions.len(), &mesh.triangles, &topology);
///     (Detector::for_body(surface, &mesh.positions), mesh.positions)
/// };
/// let ((mut a, from), (mut b, at)) = (ball(DVec3::ZERO), ball(DVec3::X * 1.5));
/// let to: Vec<DVec3> = from.iter().map(|p| *p + DVec3::X).collect();
/// b.update(Motion::still(&at), 1e-3, None)?;
///
/// // At rest nothing is near; in a motion of one metre they meet.
/// a.update(Motion::still(&from), 1e-3, None)?;
/// assert!(a.candidates_with(&b).0.is_empty());
/// a.update(Motion { x_t0: &from, x_t1: &to }, 1e-3, None)?;
/// assert!(!a.candidates_with(&b).0.is_empty());
/// # Ok::<(), toile_collide::NotFinite>(())
/// ```
#[derive(Clone, Debug)]
pub struct Detector {
    /// The features.
    pub surface: Surface,
    options: Options,
    tree: AnyTree,
    folds: CurvatureBounds,
    features: Features,
    /// How far a vertex can have moved since the volumes were computed [m].
    drift: f64,
    updated: bool,
    budget: Budget,
}

/// A tree of any volume; it is matched once for each refit and query.
#[derive(Clone, Debug)]
enum AnyTree {
    Aabb(Tree<Aabb>),
    Aabb32(Tree<Aabb32>),
    Moving(Tree<MovingBox>),
    Dop6(Tree<Dop<3>>),
    Dop14(Tree<Dop<7>>),
    Dop18(Tree<Dop<9>>),
    Dop26(Tree<Dop<13>>),
}

/// Does the same with a tree of whatever volume.
macro_rules! with_tree {
    ($any:expr, $tree:ident => $body:expr) => {
        match $any {
            AnyTree::Aabb($tree) => $body,
            AnyTree::Aabb32($tree) => $body,
            AnyTree::Moving($tree) => $body,
            AnyTree::Dop6($tree) => $body,
            AnyTree::Dop14($tree) => $body,
            AnyTree::Dop18($tree) => $body,
            AnyTree::Dop26($tree) => $body,
        }
    };
}

impl Detector {
    /// A detector for cloth, which collides with itself: a tree in texture space with the default
    /// options. `uv` are the material coordinates of the triangles' corners, `piece` numbers the cloth
    /// each triangle belongs to.
    pub fn for_cloth(surface: Surface, uv: &[[DVec2; 3]], piece: &[u32]) -> Self {
        Self::for_cloth_with(surface, uv, piece, Options::default())
    }

    /// The same with all choices.
    pub fn for_cloth_with(
        surface: Surface,
        uv: &[[DVec2; 3]],
        piece: &[u32],
        options: Options,
    ) -> Self {
        let mut x = vec![DVec3::ZERO; surface.vertices];
        for (t, uv) in surface.triangles.iter().zip(uv) {
            for k in 0..3 {
                x[t[k] as usize] = uv[k].extend(0.0);
            }
        }
        let keys: Vec<DVec3> =
            uv.iter().map(|uv| (uv.iter().sum::<DVec2>() / 3.0).extend(0.0)).collect();
        Self::with_options(surface, Rest { x: &x, keys: &keys, piece, uv }, options)
    }

    /// A detector for a body, which does not collide with itself.
    pub fn for_body(surface: Surface, x: &[DVec3]) -> Self {
        let keys = tree::centres(&surface, x);
        let piece = vec![0; keys.len()];
        let build = tree::Build::LongestAxis;
        let options = Options { build, prune: Prune::Nothing, ..Options::default() };
        Self::with_options(surface, Rest { x, keys: &keys, piece: &piece, uv: &[] }, options)
    }

    /// A detector with all choices.
    ///
    /// # Panics
    ///
    /// If `rest` is not of this surface.
    pub fn with_options(surface: Surface, rest: Rest<'_>, options: Options) -> Self {
        let leaf = options.leaf.max(1);
        let plan = options.build.plan(&surface, rest, options.volume, leaf);
        let plan = plan.collapse(u8::from(options.arity).into());
        Self::with_plan(surface, rest.uv, &plan, options)
    }

    /// A detector with a hierarchy from elsewhere; the options' `build`, `arity` and `leaf` are not
    /// looked at.
    ///
    /// # Panics
    ///
    /// If the plan is not of this surface.
    pub fn with_plan(surface: Surface, uv: &[[DVec2; 3]], plan: &Plan, options: Options) -> Self {
        assert_eq!(plan.items.len(), surface.triangles.len(), "a plan for each triangle");
        let layout = Layout::new(&surface, plan);
        let (l, r) = (&layout, options.refit);
        let tree = match options.volume {
            VolumeKind::Aabb => AnyTree::Aabb(Tree::new(l, r)),
            VolumeKind::Aabb32 => AnyTree::Aabb32(Tree::new(l, r)),
            VolumeKind::Moving => AnyTree::Moving(Tree::new(l, r)),
            VolumeKind::Dop6 => AnyTree::Dop6(Tree::new(l, r)),
            VolumeKind::Dop14 => AnyTree::Dop14(Tree::new(l, r)),
            VolumeKind::Dop18 => AnyTree::Dop18(Tree::new(l, r)),
            VolumeKind::Dop26 => AnyTree::Dop26(Tree::new(l, r)),
        };
        let folds = CurvatureBounds::new(options.prune, &surface, uv, plan, &layout);
        let features = Features::new(layout);
        let (drift, budget) = (f64::INFINITY, Budget::default());
        Self { surface, options, tree, folds, features, drift, updated: false, budget }
    }

    /// From now on queries together collect at most so many pairs: one that finds more stops, its result is not complete, and
    /// [`Self::exceeded_pair_limit`] says so.
    pub fn limit_pairs(&mut self, most: usize) {
        self.budget = Budget::new(most);
    }

    /// Whether queries since [`Self::limit_pairs`] have found more pairs than they may; what they returned is of no use then.
    pub fn exceeded_pair_limit(&self) -> bool {
        self.budget.is_exceeded()
    }

    /// What it is made of.
    pub fn options(&self) -> Options {
        self.options
    }

    /// Number of nodes of its tree.
    pub fn node_count(&self) -> usize {
        self.features.layout.sizes.len()
    }

    /// Number of levels of its tree.
    pub fn depth(&self) -> usize {
        self.features.layout.depths.iter().max().map_or(0, |d| *d as usize + 1)
    }

    /// Updates the tree to the motion of a step. Pairs farther apart than `separation` throughout the step
    /// are not reported.
    ///
    /// Within a step, `moved` tells which vertices' ends changed since the last update; only pairs
    /// with one of them are reported. At the start of a step it must be `None`.
    ///
    /// A position that is not finite is refused; the detector then has to be updated anew.
    ///
    /// # Panics
    ///
    /// If there is not one position, and one answer in `moved`, for each vertex.
    pub fn update(
        &mut self,
        motion: Motion<'_>,
        separation: f64,
        moved: Option<&[bool]>,
    ) -> Result<(), NotFinite> {
        let count = self.surface.vertices;
        assert_eq!([motion.x_t0.len(), motion.x_t1.len()], [count; 2], "positions of all vertices");
        assert!(moved.is_none_or(|m| m.len() == count), "whether each vertex moved");
        // What was taken up before a failure is of no use.
        let updated = std::mem::replace(&mut self.updated, false);
        let again = updated && separation.to_bits() == self.features.separation.to_bits();
        self.features.moved = match moved {
            Some(moved) if updated => self.features.layout.moved(moved),
            _ => Moved::All,
        };
        let inflation = if self.options.inflation > 0.0 { self.options.inflation } else { 0.0 };
        self.features.kept.forget();
        let moved = self.features.take(motion, separation, inflation > 0.0)?;
        self.updated = true;
        // With a margin δ to spare, volumes hold until a vertex may have moved farther.
        self.drift = if again { self.drift + moved } else { f64::INFINITY };
        if inflation == 0.0 || self.drift > inflation {
            let margin = 0.5 * separation + inflation;
            self.drift = 0.0;
            if self.features.moved == Moved::All && self.refit_at_once(margin) {
                return Ok(());
            }
            let f = &self.features;
            // Those that did not move are left as they are if they have their margin.
            let which = if again && inflation == 0.0 { &f.moved } else { &Moved::All };
            with_tree!(&mut self.tree, tree => tree.refit(&f.layout, &f.ends, which, margin));
        }
        let f = &self.features;
        self.folds.refit(&f.layout, &f.ends, &f.moved);
        Ok(())
    }

    /// Computes volumes and bounds of curvature of all nodes together, where these need the same; says whether that is so.
    fn refit_at_once(&mut self, margin: f64) -> bool {
        let (AnyTree::Moving(tree), Some(cones)) = (&mut self.tree, self.folds.gradients()) else {
            return false;
        };
        let grid = Grid::new([&self.features; 2]);
        let mut cells = self.features.kept.take();
        let features = &self.features;
        let Features { layout, ends, .. } = features;
        let done = tree.refit_by(layout, margin, |boxes| {
            let around = |leaf: usize| {
                let vertices = layout.leaf_vertices(leaf).iter();
                MovingBox::around(vertices.map(|v| ends[*v as usize]), margin)
            };
            cones.refit_with_boxes(ends, margin, boxes, around, &mut cells, |leaf, cells| {
                features.keep(leaf, grid, cells);
            });
        });
        if done {
            self.features.kept.put(cells, grid);
        }
        done
    }

    /// Takes all vertices to be unmoved from here on, so that pairs are reported only for the other
    /// surface's moved vertices.
    pub fn mark_unmoved(&mut self) {
        self.features.moved = Moved::Nothing;
    }

    /// Candidate pairs of the surface with itself. Patches whose curvature is within `cone_limit`
    /// are skipped, and pairs with a plane between them; 0 skips nothing.
    pub fn self_candidates(&self, cone_limit: f64) -> (Candidates, Counts) {
        self.self_query(cone_limit, QueryDepth::Features, false)
    }

    /// The part of [`Self::self_candidates`] that finds pairs of triangles whose boxes overlap, without
    /// looking at their features: to see what it costs.
    pub fn self_traversal(&self, cone_limit: f64) -> Counts {
        self.self_query(cone_limit, QueryDepth::Triangles, false).1
    }

    /// The part of [`Self::self_traversal`] that goes down the tree to pairs of leaves.
    pub fn self_descent(&self, cone_limit: f64) -> Counts {
        self.self_query(cone_limit, QueryDepth::Leaves, false).1
    }

    /// Candidate pairs of the surface with itself that no plane keeps apart, whatever its curvature.
    fn self_neighbours(&self) -> Candidates {
        self.self_query(0.0, QueryDepth::Features, true).0
    }

    /// Reports only pairs with one of these vertices, until the next update.
    fn report_only(&mut self, vertices: &[bool]) {
        self.features.moved = self.features.layout.moved(vertices);
    }

    fn self_query(&self, cone_limit: f64, until: QueryDepth, planes: bool) -> (Candidates, Counts) {
        let layout = &self.features.layout;
        let pruned = cone_limit > 0.0 && self.options.prune != Prune::Nothing;
        let planes = planes || pruned;
        let flat = match pruned {
            true => self.folds.flat(layout, &self.features.ends, cone_limit),
            false => vec![false; layout.sizes.len()],
        };
        let fans = pruned.then(|| Fans::new(layout.vertex.len()));
        with_tree!(&self.tree, tree => {
            let query = Query::new([&self.features; 2]);
            let sink = || self.finder(tree, fans.as_ref(), planes, until, query);
            let ends = &self.features.ends;
            let known = if pruned { self.folds.known() } else { None };
            let apart = known.as_ref().map(|known| {
                |i: usize, j: usize| self.folds.flat_together(ends, known, i, j)
            });
            let apart = apart.as_ref().map(|apart| apart as &tree::IsSeparated<'_>);
            let (found, counts) =
                tree::self_pairs(self.side(tree), &flat, apart, self.options.descend, sink);
            self.gathered(found, counts)
        })
    }

    /// Takes the leaves of the surface with itself; the tree only tells which volumes are meant.
    fn finder<'a, V: Volume>(
        &'a self,
        _: &Tree<V>,
        fans: Option<&'a Fans>,
        planes: bool,
        until: QueryDepth,
        query: Query,
    ) -> Finder<'a> {
        Finder::with_itself::<V>(self, fans, planes, until, query)
    }

    /// Candidate pairs of this surface and another. It is quickest if both have the same volumes.
    pub fn candidates_with(&self, other: &Self) -> (Candidates, Counts) {
        match (&self.tree, &other.tree) {
            (AnyTree::Aabb(a), AnyTree::Aabb(b)) => self.pairs(a, other, b),
            (AnyTree::Aabb32(a), AnyTree::Aabb32(b)) => self.pairs(a, other, b),
            (AnyTree::Moving(a), AnyTree::Moving(b)) => self.pairs(a, other, b),
            (AnyTree::Dop6(a), AnyTree::Dop6(b)) => self.pairs(a, other, b),
            (AnyTree::Dop14(a), AnyTree::Dop14(b)) => self.pairs(a, other, b),
            (AnyTree::Dop18(a), AnyTree::Dop18(b)) => self.pairs(a, other, b),
            (AnyTree::Dop26(a), AnyTree::Dop26(b)) => self.pairs(a, other, b),
            (a, b) => {
                let (f, g) = (&self.features, &other.features);
                let a = with_tree!(a, tree => tree.to_boxes(&f.layout, &f.ends));
                let b = with_tree!(b, tree => tree.to_boxes(&g.layout, &g.ends));
                self.pairs(&a, other, &b)
            }
        }
    }

    fn pairs<V: Volume>(&self, a: &Tree<V>, other: &Self, b: &Tree<V>) -> (Candidates, Counts) {
        let query = Query::new([&self.features, &other.features]);
        let sink = || Finder::with_other::<V>(self, other, query);
        let (found, counts) = tree::pairs(self.side(a), other.side(b), self.options.descend, sink);
        self.gathered(found, counts)
    }

    /// What tasks have found together; nothing if that is too much, as it depends on threads then.
    fn gathered(&self, found: Vec<Finder<'_>>, counts: Counts) -> (Candidates, Counts) {
        if self.budget.is_exceeded() {
            (Candidates::default(), counts)
        } else {
            gather(found, counts)
        }
    }

    fn side<'a, V>(&'a self, tree: &'a Tree<V>) -> Side<'a, V> {
        let Features { layout, ends, moved, .. } = &self.features;
        Side { tree, layout, ends, moved }
    }

    /// Triangles of this surface whose boxes overlap a box, in no particular order.
    pub fn triangles_in(&self, volume: &Aabb, mut found: impl FnMut(u32)) {
        let f = &self.features;
        with_tree!(&self.tree, tree => {
            let mut i = 0;
            while i < f.layout.sizes.len() {
                if !tree.volume(i, &f.layout, &f.ends).bounds().overlaps(volume) {
                    i += f.layout.sizes[i] as usize;
                    continue;
                }
                if f.layout.is_leaf(i) {
                    f.layout
                        .items(i)
                        .filter(|t| f.triangle_box(*t).overlaps(volume))
                        .for_each(|t| found(f.layout.triangle[t]));
                }
                i += 1;
            }
        });
    }
}

fn gather(tasks: Vec<Finder<'_>>, mut counts: Counts) -> (Candidates, Counts) {
    let mut all = Candidates::default();
    for mut task in tasks {
        all.vf.append(&mut task.found.vf);
        all.fv.append(&mut task.found.fv);
        all.ee.append(&mut task.found.ee);
        counts.leaf_pairs += task.leaf_pairs;
        counts.triangle_pairs += task.triangle_pairs;
    }
    all.sort();
    counts.feature_pairs = all.len() as u64;
    (all, counts)
}
