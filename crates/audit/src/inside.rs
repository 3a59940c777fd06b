//! Whether points are inside a closed triangle mesh, exactly.
//!
//! A ray runs from the point p along +x. The winding number of p is the sum of the orientations of
//! the triangles it pierces, seen along x. Rays through edges and corners are decided by moving the
//! ray symbolically to (y + ε, z + ε²), ε → 0 [edelsbrunner1990]: a line (a, b) that contains the
//! point in the yz projection takes the sign of the first derivative that does not vanish, which
//! is a comparison of coordinates. All triangles see the same ray, so the count is consistent.

use crate::predicates::{Projection, orient3};
use crate::simplex::Simplex;
use crate::tree::{Bounds, Tree};
use glam::DVec3;

/// How the inside of a mesh is defined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Closure {
    /// Closed and consistently oriented: inside is where the winding number is not zero.
    Oriented,
    /// Closed, but neighbours disagree on the front: inside is where rays cross an odd number.
    Unoriented,
    /// Has a boundary, and no inside.
    Open,
}

impl Closure {
    /// Every edge as often forwards as backwards, or at least an even number of times.
    pub(crate) fn new(triangles: &[[u32; 3]]) -> Self {
        let mut sides: Vec<([u32; 2], i32)> = Vec::with_capacity(3 * triangles.len());
        for [a, b, c] in triangles {
            for (from, to) in [(*a, *b), (*b, *c), (*c, *a)] {
                if from != to {
                    sides.push(([from.min(to), from.max(to)], if from < to { 1 } else { -1 }));
                }
            }
        }
        sides.sort_unstable();
        let mut closure = if sides.is_empty() { Self::Open } else { Self::Oriented };
        for edge in sides.chunk_by(|a, b| a.0 == b.0) {
            if edge.len() % 2 == 1 {
                return Self::Open;
            }
            if edge.iter().map(|side| side.1).sum::<i32>() != 0 {
                closure = Self::Unoriented;
            }
        }
        closure
    }
}

/// Whether `p` is inside; a point on the surface is not.
pub(crate) fn is_inside(
    p: DVec3,
    positions: &[DVec3],
    triangles: &[[u32; 3]],
    tree: &Tree,
    closure: Closure,
) -> bool {
    if closure == Closure::Open {
        return false;
    }
    let ray = Bounds { lo: p, hi: p.with_x(f64::INFINITY) };
    let (mut winding, mut crossings, mut on_surface) = (0, 0, false);
    tree.overlapping(&ray, |t| {
        let corners = triangles[t as usize].map(|v| positions[v as usize]);
        let facing = pierced(p, corners);
        if facing != 0 || Bounds::around(&corners).overlaps(&Bounds { lo: p, hi: p }) {
            on_surface |= Simplex::of_triangle(corners).meets(Simplex::Point(p));
        }
        winding += facing;
        crossings += facing.abs();
    });
    let within = match closure {
        Closure::Oriented => winding != 0,
        Closure::Unoriented | Closure::Open => crossings % 2 == 1,
    };
    within && !on_surface
}

/// Orientation, seen along x, of a triangle that the displaced ray from `p` pierces; 0 if it
/// misses. For a point of the triangle the answer is either.
fn pierced(p: DVec3, [a, b, c]: [DVec3; 3]) -> i32 {
    let side = displaced_side(a, b, p);
    if side == 0 || side != displaced_side(b, c, p) || side != displaced_side(c, a, p) {
        return 0;
    }
    // `side` is the sign of the triangle's normal along x. For a normal along +x the determinant
    // det(a − p, b − p, c − p) is positive when the plane is ahead of p, that is, at larger x.
    if orient3(a, b, c, p) == side { i32::from(side) } else { 0 }
}

/// Side of the line (a, b) on which (y + ε, z + ε²) of `p` lies in the yz projection.
fn displaced_side(a: DVec3, b: DVec3, p: DVec3) -> i8 {
    let order = |a: f64, b: f64| i8::from(a > b) - i8::from(a < b);
    match Projection::ALL[0].orient2(a, b, p) {
        0 if a.z != b.z => order(a.z, b.z),
        0 => order(b.y, a.y),
        side => side,
    }
}
