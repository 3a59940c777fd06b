//! The triangles of a leaf on a grid, whose boxes are compared 32 at a time.
//!
//! A query has one grid. A coordinate c is in the cell `⌊c/u⌋`, u being chosen so that most leaves are less than
//! 254 cells wide, and a leaf counts cells from its middle on: one byte a coordinate. Of two leaves, the first is
//! moved into the numbers of the second, up to the least and the largest of these.
//!
//! **Nothing is lost.** From a coordinate to its cell, and from there to a byte, no step changes an order: it can only
//! make two numbers equal. So if one byte is above another, the coordinates are so too, and what is told apart by
//! bytes is told apart by the boxes they come from ([`MovingBox`]). That needs the bytes of a leaf to be its cells
//! before it is moved; a leaf that is too wide, or has more than 32 triangles or vertices, is not quantised.

use super::features::Features;
use crate::simd::{F32x8, Rows};
use crate::volume::{self, MovingBox};

/// Largest number of triangles, and of vertices, of a quantised leaf.
const MAX_LEAF_ITEMS: usize = 32;

/// Cells to each side of the middle of a leaf.
const MAX_CELL_OFFSET: i32 = 127;

/// The largest number of a cell.
const MAX_CELL: f32 = 1e9;

/// Leaves that are looked at to choose the width of cells.
const SAMPLED_LEAVES: usize = 64;

/// The grid of a query.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Grid {
    /// Cells in a metre.
    density: f32,
}

impl Grid {
    /// A grid for the leaves of two sides: one of twice their mean width is still quantised.
    pub(super) fn new(sides: [&Features; 2]) -> Self {
        let [a, b] = sides.map(|f| mean_width(f) + 0.5 * f.separation);
        Self { density: (f64::from(MAX_CELL_OFFSET) / a.max(b)) as f32 }
    }
}

/// The mean width of some leaves at the start of the step [m].
fn mean_width(features: &Features) -> f64 {
    let layout = &features.layout;
    let nodes = layout.sizes.len();
    let (mut sum, mut count) = (0.0, 0);
    for n in 0..SAMPLED_LEAVES.min(nodes) {
        // The last node is a leaf.
        let leaf = (n * nodes / SAMPLED_LEAVES.min(nodes)..nodes).find(|i| layout.is_leaf(*i));
        let vertices = layout.leaf_vertices(leaf.unwrap_or(0));
        let Some(first) = vertices.first() else { continue };
        let first = features.ends[*first as usize][0];
        let (mut lo, mut hi) = (first, first);
        for v in vertices {
            let x = features.ends[*v as usize][0];
            (lo, hi) = (lo.min(x), hi.max(x));
        }
        (sum, count) = (sum + (hi - lo).max_element(), count + 1);
    }
    sum / f64::from(count.max(1))
}

/// Boxes of the triangles of a leaf, in cells.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cells {
    /// Whether the leaf is quantised; otherwise the rest has no meaning.
    pub(super) is_valid: bool,
    /// Its triangles.
    len: usize,
    /// Its middle.
    base: [i32; 8],
    /// Boxes of its triangles, and around all of them.
    rows: Rows,
    all: [[i8; 6]; 2],
}

impl Default for Cells {
    fn default() -> Self {
        let rows = [[[0; 32]; 6]; 2];
        Self { is_valid: false, len: 0, base: [0; 8], rows, all: [[0; 6]; 2] }
    }
}

/// Where coordinates are among eight numbers.
const COORDINATES: [usize; 6] = [0, 1, 2, 4, 5, 6];

impl Cells {
    /// Quantises a leaf; leaves it invalid if it is too wide or too large.
    #[inline(always)]
    pub(super) fn fill<S: F32x8>(
        &mut self,
        w: S,
        features: &Features,
        node: usize,
        grid: Grid,
        moving: bool,
    ) {
        let layout = &features.layout;
        let (vertices, len) = (layout.leaf_vertices(node), layout.items(node).len());
        self.is_valid = false;
        let sound = grid.density > 0.0 && grid.density < f32::INFINITY;
        if vertices.len() > MAX_LEAF_ITEMS || len > MAX_LEAF_ITEMS || !sound {
            return;
        }
        let margin = MovingBox::margins(w, volume::margin(0.5 * features.separation));
        let density = w.splat(grid.density);
        let mut points = [[[0; 8]; 2]; MAX_LEAF_ITEMS];
        let (mut lo, mut hi) = (w.splat(f32::INFINITY), w.splat(f32::NEG_INFINITY));
        let mut size = w.splat(0.0);
        for (point, v) in points.iter_mut().zip(vertices) {
            let [mut l, mut h, s] = MovingBox::of_path(w, &features.ends[*v as usize], margin);
            if !moving {
                (l, h) = (w.min(l, w.swap_halves(l)), w.max(h, w.swap_halves(h)));
            }
            (l, h) = (w.mul(l, density), w.mul(h, density));
            (lo, hi, size) = (w.min(l, lo), w.max(h, hi), w.max(s, size));
            *point = [w.truncate(l), w.truncate(h)];
        }
        let largest = |x: S::Vector| w.store(x).into_iter().fold(0.0, f32::max);
        let negative = largest(w.sub(w.splat(0.0), lo));
        // Also if something is not a number.
        if !(largest(hi) < MAX_CELL && negative < MAX_CELL && largest(size) < f32::MAX) {
            return;
        }
        let (lo, hi) = (w.truncate(lo), w.truncate(hi));
        for k in 0..8 {
            self.base[k] = (lo[k] + hi[k]) >> 1;
        }
        let wide = |k: &usize| {
            hi[*k] - self.base[*k] > MAX_CELL_OFFSET || lo[*k] - self.base[*k] < -MAX_CELL_OFFSET
        };
        if COORDINATES.iter().any(wide) {
            return;
        }
        for (n, k) in COORDINATES.into_iter().enumerate() {
            self.all[0][n] = (lo[k] - self.base[k]) as i8;
            self.all[1][n] = (hi[k] - self.base[k]) as i8;
        }
        self.rows = w.triangles(&points, &self.base, layout.corner_bytes(node));
        (self.is_valid, self.len) = (true, len);
    }

    /// How many pairs of triangles of two leaves overlap.
    #[inline(always)]
    pub(super) fn count_pairs<S: F32x8>(&self, w: S, other: &Self) -> u32 {
        let mut by = [[0; 2]; 6];
        for (n, k) in COORDINATES.into_iter().enumerate() {
            // What is farther is beyond all that the other has.
            let offset =
                (self.base[k] - other.base[k]).clamp(-2 * MAX_CELL_OFFSET, 2 * MAX_CELL_OFFSET);
            by[n] = [(offset / 2) as i8, (offset - offset / 2) as i8];
        }
        let mine = w.moved(&self.rows, &by);
        let mut left = w.overlapping(&mine, &other.all) & first_bits(self.len);
        let theirs = first_bits(other.len);
        let mut count = 0;
        while left != 0 {
            let t = left.trailing_zeros() as usize;
            left &= left - 1;
            let mut one = [[0; 6]; 2];
            for k in 0..6 {
                (one[0][k], one[1][k]) = (mine[0][k][t], mine[1][k][t]);
            }
            count += (w.overlapping(&other.rows, &one) & theirs).count_ones();
        }
        count
    }
}

/// The first so many of 32 bits.
#[inline(always)]
fn first_bits(count: usize) -> u32 {
    if count < 32 { (1 << count) - 1 } else { u32::MAX }
}

#[cfg(test)]
mod tests {
    use super::super::Detector;
    use super::super::boxes::Boxes;
    use super::*;
    use crate::simd::{Work, with_simd};
    use crate::volume::Volume;
    use crate::{Motion, Options, Surface};
    use glam::{DVec2, DVec3};
    use proptest::prelude::*;
    use toile_mesh::Topology;

    /// For all pairs of leaves: how many pairs of triangles overlap in cells, if both are taken, and in boxes.
    struct All<'a>(&'a Features, Grid, bool);

    impl Work for All<'_> {
        type Output = Vec<(Option<u32>, u64)>;

        #[inline(always)]
        fn run(self, w: impl F32x8) -> Self::Output {
            let Self(features, grid, moving) = self;
            let layout = &features.layout;
            let mut leaves = Vec::new();
            for node in (0..layout.sizes.len()).filter(|i| layout.is_leaf(*i)) {
                let mut cells = Cells::default();
                cells.fill(w, features, node, grid, moving);
                let around = |v: &u32| {
                    let path = features.ends[*v as usize];
                    let still = [path, [path[1], path[0]]];
                    let paths = if moving { &still[..1] } else { &still };
                    MovingBox::around(paths.iter().copied(), 0.5 * features.separation)
                };
                let vertices: Vec<MovingBox> =
                    layout.leaf_vertices(node).iter().map(around).collect();
                let corners = &layout.local[layout.items(node)];
                let mut boxes = Boxes::default();
                boxes.fill(w, &vertices, corners.len(), |i| corners[i]);
                leaves.push((cells, boxes));
            }
            let mut all = Vec::new();
            for (a, p) in &leaves {
                for (b, q) in &leaves {
                    let cells = (a.is_valid && b.is_valid).then(|| a.count_pairs(w, b));
                    all.push((cells, p.count_pairs(w, q)));
                }
            }
            all
        }
    }

    /// Triangles on their own, at places that are given by their corners and a displacement each.
    fn detector(triangles: &[[[f64; 3]; 4]], leaf: usize, separation: f64) -> Detector {
        let n = triangles.len() as u32;
        let numbers: Vec<[u32; 3]> = (0..n).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
        let vertices = 3 * triangles.len();
        let surface = Surface::new(vertices, &numbers, &Topology::new(vertices, &numbers));
        let uv: Vec<[DVec2; 3]> =
            triangles.iter().map(|t| [0, 1, 2].map(|k| DVec2::new(t[k][0], t[k][1]))).collect();
        let piece = vec![0; triangles.len()];
        let options = Options { leaf, ..Options::default() };
        let mut detector = Detector::for_cloth_with(surface, &uv, &piece, options);
        let at = |t: &[[f64; 3]; 4], k: usize| DVec3::from_array(t[k]);
        let x_t0: Vec<DVec3> = triangles.iter().flat_map(|t| [0, 1, 2].map(|k| at(t, k))).collect();
        let x_t1: Vec<DVec3> =
            triangles.iter().flat_map(|t| [0, 1, 2].map(|k| at(t, k) + at(t, 3))).collect();
        detector.update(Motion { x_t0: &x_t0, x_t1: &x_t1 }, separation, None).unwrap();
        detector
    }

    proptest! {
        #[test]
        fn what_cells_tell_apart_boxes_do(
            near in prop::collection::vec(prop::array::uniform4(prop::array::uniform3(-1.0..1.0_f64)), 1..40),
            places in prop::collection::vec(prop::array::uniform3(-1.0..1.0_f64), 40),
            far in -1.0..4.0_f64, scale in -6..7_i32, offset in -1.0..1.0_f64,
            separation in 0.0..0.2_f64, leaf in 1..12_usize, moving in any::<bool>(),
        ) {
            let size = 10.0_f64.powi(scale);
            let mut triangles = near.clone();
            for (t, place) in triangles.iter_mut().zip(&places) {
                for corner in 0..4 {
                    for k in 0..3 {
                        let by = if corner < 3 { 10.0_f64.powf(far) * place[k] + 100.0 * offset } else { 0.0 };
                        t[corner][k] = size * (t[corner][k] + by);
                    }
                }
            }
            for leaf in [1, leaf] {
                let detector = detector(&triangles, leaf, size * separation);
                let features = &detector.features;
                let grid = Grid::new([features, features]);
                for (cells, boxes) in with_simd(All(features, grid, moving)) {
                    prop_assert!(cells.is_none_or(|cells| u64::from(cells) >= boxes));
                }
            }
        }
    }

    #[test]
    fn cells_of_equal_leaves_are_nearly_as_sharp_as_boxes() {
        // Layers of a triangle each, that move together.
        let layer = |i: i32| {
            let z = 0.3 * f64::from(i);
            [[0.0, 0.0, z], [1.0, 0.0, z], [0.0, 1.0, z], [5.0, 7.0, -3.0]]
        };
        let triangles: Vec<[[f64; 3]; 4]> = (0..20).map(layer).collect();
        let detector = detector(&triangles, 1, 0.2);
        let features = &detector.features;
        let found = with_simd(All(features, Grid::new([features, features]), true));
        assert_eq!(found.len(), 400);
        // Each meets itself alone.
        assert_eq!(found.iter().map(|(cells, _)| cells.unwrap_or(9)).sum::<u32>(), 20);
        assert_eq!(found.iter().map(|(_, boxes)| boxes).sum::<u64>(), 20);
    }

    #[test]
    fn leaves_that_are_too_wide_or_too_far_are_not_taken() {
        let at =
            |x: f64, size: f64| [[x, 0.0, 0.0], [x + size, 0.0, 0.0], [x, size, 0.0], [0.0; 3]];
        // Many small ones, then one that is wider than the grid allows for.
        let mut triangles: Vec<[[f64; 3]; 4]> = (0..200).map(|i| at(f64::from(i), 0.1)).collect();
        triangles.push(at(300.0, 500.0));
        let one = detector(&triangles, 1, 0.0);
        let found = with_simd(All(&one.features, Grid::new([&one.features; 2]), true));
        assert_eq!(found.iter().filter(|(cells, _)| cells.is_none()).count(), 2 * 201 - 1);
        let far = detector(&[at(0.0, 1e-9), at(1e6, 1e-9)], 1, 0.0);
        let found = with_simd(All(&far.features, Grid::new([&far.features; 2]), true));
        assert!(found.iter().any(|(cells, _)| cells.is_none()));
        // All in a point: there is no width to begin with.
        let point = detector(&[at(0.0, 0.0), at(0.0, 0.0)], 1, 0.0);
        let found = with_simd(All(&point.features, Grid::new([&point.features; 2]), true));
        assert!(found.iter().all(|(cells, boxes)| cells.is_none() && *boxes == 1));
    }
}
