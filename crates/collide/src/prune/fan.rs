//! The triangles around a vertex: most pairs that a traversal arrives at are neighbours in such a fan.
//!
//! **Theorem.** Let the triangles around a vertex be one disc or half disc, oriented alike, and let a
//! direction d have a positive dot product with all their normals at all times of the step. Seen along d,
//! every triangle is then a sector with its apex at the vertex, of less than half a turn, and
//! neighbours lie on different sides of their common edge. If the sectors together make at most one
//! turn, no two of them overlap, and the fan is free of self-intersection.
//!
//! *Around the vertex* (a disc) they make a whole number of turns, which is how often the rim of the
//! fan crosses a ray from the vertex. That number cannot change during the step, because
//! the rim never runs through the vertex: it is counted at the start. *At the rim of the cloth* (half a
//! disc) they make less than a turn if some ray is in none of them throughout; the one opposite to the
//! middle of the fan is tried. A moving edge stays on one side of a ray if it is there at both ends.
//!
//! Unlike a cone of normals this asks nothing of angles: any fan without a fold passes.

use glam::{DVec2, DVec3};

/// Relative allowance for rounding: a dot product of a cross product has ten operations.
const RELATIVE_ERROR: f64 = 32.0 * f64::EPSILON;

/// Whether the fan of a vertex surely is free of self-intersection during a step. `triangles` have the vertex as
/// their first corner and move from `[0]` to `[1]`; `closed` says that they are a disc, not a half one.
pub(crate) fn is_flat(
    triangles: impl Iterator<Item = [[DVec3; 2]; 3]> + Clone,
    closed: bool,
) -> bool {
    let spokes =
        triangles.map(|[a, b, c]| [[b[0] - a[0], b[1] - a[1]], [c[0] - a[0], c[1] - a[1]]]);
    let normal: DVec3 = spokes.clone().map(|[e, f]| (e[0] + e[1]).cross(f[0] + f[1])).sum();
    let d = normal.normalize_or_zero();
    if d == DVec3::ZERO || !spokes.clone().all(|s| faces(s, d)) {
        return false;
    }
    let (u, v) = d.any_orthonormal_pair();
    let project = |x: DVec3| DVec2::new(u.dot(x), v.dot(x));
    if closed {
        // Each sector that holds the ray along +x begins below it and ends on or above it.
        let crosses = |[e, f]: [[DVec3; 2]; 2]| {
            let (b, c) = (project(e[0]), project(f[0]));
            b.y < 0.0 && c.y >= 0.0
        };
        return spokes.filter(|s| crosses(*s)).count() == 1;
    }
    let middle: DVec2 = spokes.clone().flatten().map(|s| project(s[0]).normalize_or_zero()).sum();
    let ray = -middle;
    // A sector from b to c does not hold the ray if b is ahead of it or c behind it, at both ends.
    spokes.clone().all(|[e, f]| {
        let aside = |s: DVec3, sign: f64| {
            let p = project(s);
            sign * ray.perp_dot(p) >= 8.0 * RELATIVE_ERROR * ray.length() * s.length()
        };
        e.iter().all(|s| aside(*s, 1.0)) || f.iter().all(|s| aside(*s, -1.0))
    }) && ray != DVec2::ZERO
}

/// Whether the normal of a moving triangle with these spokes keeps a positive dot product with d: it is a
/// quadratic whose three control vectors are looked at [tang2009].
fn faces([e, f]: [[DVec3; 2]; 2], d: DVec3) -> bool {
    let largest = |p: [DVec3; 2]| p[0].abs().max(p[1].abs()).max_element();
    let bound = RELATIVE_ERROR * largest(e) * largest(f) + f64::MIN_POSITIVE;
    let controls =
        [e[0].cross(f[0]), 0.5 * (e[0].cross(f[1]) + e[1].cross(f[0])), e[1].cross(f[1])];
    controls.iter().all(|n| d.dot(*n) > bound)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::TAU;

    /// A fan of `n` triangles whose rim makes `turns` turns and rises by `height(part)`.
    fn fan(n: u32, turns: f64, height: impl Fn(f64) -> f64) -> Vec<[[DVec3; 2]; 3]> {
        let rim = |k: u32| {
            // A fan that closes ends with the vertex it began with.
            let k = if turns.fract() == 0.0 { k % n } else { k };
            let part = f64::from(k) / f64::from(n);
            let (s, c) = (TAU * turns * part).sin_cos();
            DVec3::new(c, s, height(part))
        };
        (0..n).map(|k| [DVec3::ZERO, rim(k), rim(k + 1)].map(|x| [x, x])).collect()
    }

    fn flat(fan: &[[[DVec3; 2]; 3]], closed: bool) -> bool {
        is_flat(fan.iter().copied(), closed)
    }

    #[test]
    fn a_flat_disc_a_cone_and_half_a_disc_are_flat() {
        assert!(flat(&fan(6, 1.0, |_| 0.0), true));
        assert!(flat(&fan(6, 1.0, |_| -2.0), true), "a steep cone");
        assert!(flat(&fan(3, 0.5, |_| 0.0), false));
        assert!(flat(&fan(8, 0.9, |p| 0.1 * p), false), "nearly a turn");
    }

    #[test]
    fn a_fan_that_winds_twice_or_overlaps_itself_is_not() {
        assert!(!flat(&fan(14, 2.0, |p| 0.2 * (TAU * p).sin()), true), "two turns");
        assert!(!flat(&fan(12, 1.2, |_| 0.0), false), "more than a turn");
    }

    #[test]
    fn a_fold_or_a_triangle_that_turns_over_during_the_step_is_not_flat() {
        let mut folded = fan(6, 1.0, |_| 0.0);
        let over = DVec3::new(-0.4, 0.1, 0.2);
        folded[0][1] = [over; 2];
        folded[5][2] = [over; 2];
        assert!(!flat(&folded, true));
        let mut moving = fan(6, 1.0, |_| 0.0);
        moving[0][1][1] = over;
        moving[5][2][1] = over;
        assert!(!flat(&moving, true));
        assert!(!flat(&fan(4, 0.5, |_| f64::NAN), false));
        assert!(!flat(&[], true));
    }
}
