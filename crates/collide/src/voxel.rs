//! Space around a body cut into voxels: free, surface or interior (D9).
//!
//! An octree is split wherever a triangle passes, down to a smallest cell. A cell without triangles
//! is all outside or all inside; its flag answers at once whether a point is in the body. Only in
//! surface cells are the triangles themselves needed, and there are few of them [meyer2000].
//!
//! Limits: the tree has to be built again when the body deforms. A surface cell says nothing about
//! the point itself; [`Octree::contains`] then asks the triangles.

use crate::field::{Nearest, Solid, SolidError};
use glam::DVec3;
use rayon::prelude::*;

/// Cells of the largest tree.
const MAX_CELLS: usize = 1 << 23;

/// Levels of the deepest tree: cells of a millionth of the body.
const MAX_DEPTH: u32 = 20;

/// What is known of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flag {
    /// Outside the body.
    Free,
    /// The surface passes through it.
    Surface,
    /// Inside the body.
    Interior,
}

/// A cell: split into eight, or a leaf.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cell {
    /// Its first child; child `x + 2y + 4z` is the one on the far side of those axes.
    Split(u32),
    Free,
    Interior,
    /// Its triangles, from–to in the list.
    Surface(u32, u32),
}

/// An octree over a closed body.
///
/// ```
/// use glam::DVec3;
/// use toile_collide::field::Solid;
/// use toile_collide::voxel::{Flag, Octree};
/// use toile_mesh::shape;
///
/// let ball = shape::sphere(0.5, 3);
/// let octree = Octree::new(Solid::new(&ball.positions, &ball.triangles)?, 0.05)?;
/// assert_eq!(octree.flag(DVec3::ZERO), Flag::Interior);
/// assert!(octree.contains(DVec3::X * 0.45) && !octree.contains(DVec3::X * 0.55));
/// # Ok::<(), toile_collide::field::SolidError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Octree {
    solid: Solid,
    middle: DVec3,
    half: f64,
    /// By how much cells are enlarged when triangles are sorted into them [m]: their middles are
    /// rounded, and between two neighbours no triangle must be lost.
    slack: f64,
    cells: Vec<Cell>,
    triangles: Vec<u32>,
    levels: u32,
}

/// A cell that is still to be looked at.
struct Open {
    index: usize,
    middle: DVec3,
    triangles: Vec<u32>,
}

impl Octree {
    /// Splits the space around a body down to cells of at most `smallest` [m].
    ///
    /// # Errors
    /// If `smallest` is not positive and finite, or there would be more than 2²³ cells.
    pub fn new(solid: Solid, smallest: f64) -> Result<Self, SolidError> {
        if !(smallest > 0.0 && smallest.is_finite()) {
            return Err(SolidError::NotPositive { name: "smallest", value: smallest });
        }
        let (lo, hi) = solid.bounds();
        let middle = 0.5 * (lo + hi);
        // A little larger than the body, so that its outermost points are inside for sure.
        let far = lo.abs().max(hi.abs()).max_element();
        let size = (hi - lo).max_element();
        let half = (0.5 * size * (1.0 + 1e-6)).max(8.0 * f64::EPSILON * far).max(1e-100);
        let slack = 8.0 * f64::EPSILON * (far + half);
        let too_fine = |nodes: f64| SolidError::TooFine { nodes, limit: MAX_CELLS };
        let mut levels = 0;
        while 2.0 * half / f64::from(1_u32 << levels) > smallest {
            levels += 1;
            if levels > MAX_DEPTH {
                return Err(too_fine((size / smallest).powi(2)));
            }
        }
        let all = (0..solid.triangles.len() as u32).collect();
        let mut open = vec![Open { index: 0, middle, triangles: all }];
        let (mut cells, mut list) = (vec![Cell::Free], Vec::new());
        let mut extent = half;
        // Level by level: the cells of one level are looked at in parallel and entered in order.
        for level in 0..=levels {
            extent = if level == 0 { half } else { 0.5 * extent };
            let last = level == levels;
            let looked_at: Vec<(Cell, Vec<Open>)> =
                open.par_iter().map(|c| look_at(&solid, c, extent, slack, last)).collect();
            let mut next = Vec::new();
            for (cell, (found, children)) in open.into_iter().zip(looked_at) {
                cells[cell.index] = match found {
                    Cell::Surface(..) => {
                        let first = list.len() as u32;
                        list.extend(cell.triangles);
                        Cell::Surface(first, list.len() as u32)
                    }
                    Cell::Split(_) => {
                        let first = cells.len();
                        if first + 8 > MAX_CELLS {
                            return Err(too_fine(first as f64 + 8.0));
                        }
                        cells.resize(first + 8, Cell::Free);
                        let numbered = children.into_iter().enumerate();
                        next.extend(numbered.map(|(k, c)| Open { index: first + k, ..c }));
                        Cell::Split(first as u32)
                    }
                    flag => flag,
                };
            }
            open = next;
        }
        Ok(Self { solid, middle, half, slack, cells, triangles: list, levels })
    }

    /// The body.
    pub fn solid(&self) -> &Solid {
        &self.solid
    }

    /// How many cells there are.
    pub fn len(&self) -> usize {
        self.cells.len()
    }

    /// Never true: there is always the root.
    pub fn is_empty(&self) -> bool {
        self.cells.is_empty()
    }

    /// Side of the smallest cells [m].
    pub fn smallest(&self) -> f64 {
        2.0 * self.half / f64::from(1_u32 << self.levels)
    }

    /// The leaf of a point; `None` outside the tree.
    fn leaf(&self, p: DVec3) -> Option<Cell> {
        let inside = (p - self.middle).abs().cmple(DVec3::splat(self.half)).all();
        if !inside {
            return None;
        }
        let (mut cell, mut middle, mut half) = (self.cells[0], self.middle, self.half);
        while let Cell::Split(first) = cell {
            let upper = p.cmpge(middle);
            cell = self.cells[first as usize + upper.bitmask() as usize];
            half *= 0.5;
            middle += DVec3::select(upper, DVec3::splat(half), DVec3::splat(-half));
        }
        Some(cell)
    }

    /// The flag of the cell of a point. Outside the tree, and for what is not a number, all is
    /// free.
    pub fn flag(&self, p: DVec3) -> Flag {
        match self.leaf(p) {
            Some(Cell::Interior) => Flag::Interior,
            Some(Cell::Surface(..)) => Flag::Surface,
            _ => Flag::Free,
        }
    }

    /// Triangles that pass through the cell of a point, ascending; none unless it is a surface cell.
    pub fn triangles_at(&self, p: DVec3) -> &[u32] {
        match self.leaf(p) {
            Some(Cell::Surface(from, to)) => &self.triangles[from as usize..to as usize],
            _ => &[],
        }
    }

    /// Whether a point is in the body: by its flag, or in a surface cell by the winding number.
    pub fn contains(&self, p: DVec3) -> bool {
        match self.flag(p) {
            Flag::Free => false,
            Flag::Interior => true,
            Flag::Surface => self.solid.contains(p),
        }
    }

    /// The nearest point of the surface, found from cell to cell; `None` if it is farther than
    /// `reach` [m].
    ///
    /// In a surface cell the first triangles looked at are those of the cell itself.
    pub fn nearest(&self, p: DVec3, reach: f64) -> Option<Nearest> {
        let mut best: Option<Nearest> = None;
        let mut limit = reach;
        let mut stack = vec![(0_u32, self.middle, self.half)];
        while let Some((i, middle, half)) = stack.pop() {
            let away = ((p - middle).abs() - half - self.slack).max(DVec3::ZERO).length();
            if away.is_nan() || away > limit {
                continue;
            }
            match self.cells[i as usize] {
                Cell::Free | Cell::Interior => {}
                Cell::Surface(from, to) => {
                    for t in &self.triangles[from as usize..to as usize] {
                        let here = self.solid.nearest_of(p, *t);
                        if here.distance <= limit && best.is_none_or(|b| here.distance < b.distance)
                        {
                            limit = here.distance;
                            best = Some(here);
                        }
                    }
                }
                Cell::Split(first) => {
                    // The child of the point itself last, so that it is looked at first.
                    let own = p.cmpge(middle).bitmask();
                    for k in (0..8).map(|k| own ^ 7 ^ k) {
                        stack.push((first + k, child_middle(middle, half, k), 0.5 * half));
                    }
                }
            }
        }
        best
    }
}

fn child_middle(middle: DVec3, half: f64, k: u32) -> DVec3 {
    let sign = |bit: u32| if k >> bit & 1 == 1 { 0.5 } else { -0.5 };
    middle + half * DVec3::new(sign(0), sign(1), sign(2))
}

/// The flag of a cell, or its eight children with their triangles.
fn look_at(solid: &Solid, cell: &Open, half: f64, slack: f64, last: bool) -> (Cell, Vec<Open>) {
    if cell.triangles.is_empty() {
        // No triangle passes through, so that the middle speaks for all.
        let inside = solid.contains(cell.middle);
        return (if inside { Cell::Interior } else { Cell::Free }, Vec::new());
    }
    if last {
        return (Cell::Surface(0, 0), Vec::new());
    }
    let children = (0..8).map(|k| {
        let middle = child_middle(cell.middle, half, k);
        let touches = |t: &u32| overlaps(solid.corners(*t), middle, 0.5 * half + slack);
        let triangles = cell.triangles.iter().copied().filter(touches).collect();
        Open { index: 0, middle, triangles }
    });
    (Cell::Split(0), children.collect())
}

/// Whether a triangle and a cube overlap: thirteen axes on which they could be apart, three of the
/// cube, the triangle's normal and nine cross products of edges [ericson2005, §5.2.9].
fn overlaps(corners: [DVec3; 3], middle: DVec3, half: f64) -> bool {
    let [a, b, c] = corners.map(|x| x - middle);
    let apart = |axis: DVec3| {
        let (p, q, r) = (axis.dot(a), axis.dot(b), axis.dot(c));
        let reach = half * axis.abs().element_sum();
        // Sums of products of the corners' size are rounded.
        let size = a.abs().max(b.abs()).max(c.abs()).max_element();
        let slack = 16.0 * f64::EPSILON * size * axis.abs().element_sum();
        p.min(q).min(r) > reach + slack || p.max(q).max(r) < -reach - slack
    };
    let edges = [b - a, c - b, a - c];
    let boxes = DVec3::AXES.into_iter().any(apart);
    !boxes
        && !apart((b - a).cross(c - a))
        && !edges.iter().any(|e| DVec3::AXES.into_iter().any(|x| apart(x.cross(*e))))
}
