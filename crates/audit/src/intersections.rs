//! All self-intersections of a triangle mesh.

use crate::predicates::{check_triangles, checked_positions};
use crate::tree::Tree;
use crate::{Error, pair};
use glam::DVec3;

/// Every pair of triangles that intersect, the smaller index first, sorted.
///
/// The answer is that of real arithmetic on the given coordinates; there is no tolerance. Two
/// triangles intersect if they have a common point outside the convex hull of the vertices they
/// share by index:
///
/// - no shared vertex: any common point, touching and coplanar overlap included;
/// - one shared vertex: any common point besides it;
/// - a shared edge: only if folded exactly onto each other;
/// - the same three vertices: always.
///
/// A triangle of zero area counts as the segment or point that it covers. Vertices at the same
/// place with different indices are not shared: weld a mesh before the audit.
///
/// # Errors
/// If an index is out of range, or a coordinate is not finite or its magnitude above
/// [`LARGEST_COORDINATE`](crate::LARGEST_COORDINATE). Magnitudes below
/// [`SMALLEST_COORDINATE`](crate::SMALLEST_COORDINATE) are taken as zero.
///
/// ```
/// use glam::DVec3;
/// let x = [
///     DVec3::new(0.0, 0.0, 0.0), DVec3::new(1.0, 0.0, 0.0), DVec3::new(0.0, 1.0, 0.0),
///     DVec3::new(0.2, 0.2, -1.0), DVec3::new(0.2, 0.2, 1.0), DVec3::new(2.0, 2.0, 0.0),
/// ];
/// let pairs = toile_audit::self_intersections(&x, &[[0, 1, 2], [3, 4, 5]])?;
/// assert_eq!(pairs, [[0, 1]]);
/// # Ok::<(), toile_audit::Error>(())
/// ```
pub fn self_intersections(
    positions: &[DVec3],
    triangles: &[[u32; 3]],
) -> Result<Vec<[u32; 2]>, Error> {
    let positions = &*checked_positions(positions)?;
    check_triangles(positions.len(), triangles)?;
    let tree = Tree::new(positions, triangles);
    Ok(tree.self_pairs(|s, t| {
        pair::intersects(positions, triangles[s as usize], triangles[t as usize])
    }))
}

/// How many pairs of triangles intersect.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// Pairs that intersect, or the limit if there are more.
    pub pairs: u64,
    /// Whether there are more than the limit.
    pub more: bool,
    /// An intersecting pair, the first of all if there are not more than the limit.
    pub first: Option<[u32; 2]>,
}

/// Counts the pairs of [`self_intersections`] without holding them, up to `most`.
///
/// Memory grows with the triangles, not with the pairs, of which there may be the square. The answer
/// does not depend on the number of threads.
///
/// # Errors
/// As [`self_intersections`].
pub fn count_self_intersections(
    positions: &[DVec3],
    triangles: &[[u32; 3]],
    most: u64,
) -> Result<Count, Error> {
    let positions = &*checked_positions(positions)?;
    check_triangles(positions.len(), triangles)?;
    let tree = Tree::new(positions, triangles);
    let meets = |s, t| pair::intersects(positions, triangles[s as usize], triangles[t as usize]);
    let (pairs, first) = tree.count_self_pairs(meets, most);
    Ok(Count { pairs: pairs.min(most), more: pairs > most, first })
}

/// The pairs of [`self_intersections`] by testing every pair: slow, and the referee of [`self_intersections`].
///
/// # Errors
/// As [`self_intersections`].
pub fn self_intersections_brute_force(
    positions: &[DVec3],
    triangles: &[[u32; 3]],
) -> Result<Vec<[u32; 2]>, Error> {
    let positions = &*checked_positions(positions)?;
    check_triangles(positions.len(), triangles)?;
    let mut pairs = Vec::new();
    for s in 0..triangles.len() {
        for t in s + 1..triangles.len() {
            if pair::intersects(positions, triangles[s], triangles[t]) {
                pairs.push([s as u32, t as u32]);
            }
        }
    }
    Ok(pairs)
}
