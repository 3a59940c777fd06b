//! Triangles beside a fold that is sewn.
//!
//! A pleat sews the two neighbours a, b of a point f of the outline together. If f has only one other neighbour c, the triangles
//! a f c and f b c then lie on one another, and at the edge from a to c four triangles meet: no surface. A point in
//! the middle of that edge keeps them apart. If f has none, because a f b is a triangle, the edge from a to b is turned first.

use super::fill::Filled;

/// Adds points where sewing `pairs` of points of the outline would put triangles on one another.
pub(super) fn open(filled: &mut Filled, pairs: &[[u32; 2]]) {
    for &[a, b] in pairs {
        let Some(ear) = filled.triangles.iter().position(|t| t.contains(&a) && t.contains(&b))
        else {
            split(filled, a, b);
            continue;
        };
        let tip = |t: [u32; 3]| t.into_iter().find(|v| *v != a && *v != b);
        let others = filled.triangles.iter().enumerate();
        let behind = others.filter(|(k, t)| *k != ear && t.contains(&a) && t.contains(&b));
        let Some((behind, _)) = { behind }.next() else { continue };
        let (Some(f), Some(d)) = (tip(filled.triangles[ear]), tip(filled.triangles[behind])) else {
            continue;
        };
        // Each triangle gives one of the two ends of their common edge away.
        for (k, from, to) in [(ear, b, d), (behind, a, f)] {
            filled.triangles[k] = filled.triangles[k].map(|v| if v == from { to } else { v });
        }
        split(filled, a, b);
    }
}

/// Splits an edge of `a` if `a` and `b` have two neighbours in common that are neighbours, too.
fn split(filled: &mut Filled, a: u32, b: u32) {
    let third = |t: &[u32; 3], v: u32| -> Option<[u32; 2]> {
        let k = t.iter().position(|w| *w == v)?;
        Some([t[(k + 1) % 3], t[(k + 2) % 3]])
    };
    let with = |v: u32| filled.triangles.iter().filter_map(move |t| third(t, v));
    let same = with(a).find(|p| with(b).any(|q| q == [p[1], p[0]]));
    let Some([p, q]) = same else { return };
    // One of both is on the outline between a and b; the edge to the other has triangles on both its sides.
    let beside = |v: u32| filled.triangles.iter().filter(move |t| t.contains(&a) && t.contains(&v));
    let c = if beside(p).count() == 2 { p } else { q };
    let middle = filled.points.len() as u32;
    filled.points.push(0.5 * (filled.points[a as usize] + filled.points[c as usize]));
    let cut: Vec<usize> = (0..filled.triangles.len())
        .filter(|k| filled.triangles[*k].contains(&a) && filled.triangles[*k].contains(&c))
        .collect();
    for k in cut {
        let whole = filled.triangles[k];
        let with = |from: u32| whole.map(|v| if v == from { middle } else { v });
        (filled.triangles[k], _) = (with(a), filled.triangles.push(with(c)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec2;
    use std::collections::BTreeMap;

    /// How many triangles meet at each edge when b has become a.
    fn thickest(filled: &Filled, a: u32, b: u32) -> usize {
        let mut edges: BTreeMap<[u32; 2], usize> = BTreeMap::new();
        for t in &filled.triangles {
            let t = t.map(|v| if v == b { a } else { v });
            for k in 0..3 {
                let (p, q) = (t[k], t[(k + 1) % 3]);
                assert_ne!(p, q, "a triangle without area");
                *edges.entry([p.min(q), p.max(q)]).or_default() += 1;
            }
        }
        edges.into_values().max().unwrap_or(0)
    }

    fn area(filled: &Filled) -> f64 {
        let cross = |t: &[u32; 3]| {
            let [p, q, r] = t.map(|v| filled.points[v as usize]);
            let twice = (q - p).perp_dot(r - p);
            assert!(twice > 0.0, "{t:?} is turned over");
            twice
        };
        filled.triangles.iter().map(cross).sum()
    }

    /// An edge along x with a fold in its middle, above it one or no common neighbour.
    fn strip(triangles: &[[u32; 3]]) -> Filled {
        let at = [(-1.0, 0.0), (0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (-1.5, 1.0), (1.5, 1.0)];
        let points = at.iter().map(|(x, y)| DVec2::new(*x, *y)).collect();
        Filled { points, triangles: triangles.to_vec() }
    }

    #[test]
    fn what_a_fold_would_put_on_one_another_is_kept_apart() {
        let mut filled = strip(&[[0, 1, 3], [1, 2, 3], [0, 3, 4], [2, 5, 3]]);
        assert!(thickest(&filled, 0, 2) > 2);
        let before = area(&filled);
        open(&mut filled, &[[0, 2]]);
        assert_eq!((filled.points.len(), thickest(&filled, 0, 2)), (7, 2));
        assert!((area(&filled) - before).abs() < 1e-12);
    }

    #[test]
    fn a_triangle_between_both_sides_is_turned() {
        // A bent edge, so that the fold has a triangle of its own.
        let mut filled = strip(&[[0, 1, 2], [0, 2, 3], [0, 3, 4], [2, 5, 3]]);
        filled.points[1].y = -0.2;
        let before = area(&filled);
        open(&mut filled, &[[2, 0]]);
        assert_eq!((filled.points.len(), thickest(&filled, 0, 2)), (7, 2));
        assert!((area(&filled) - before).abs() < 1e-12);
    }

    #[test]
    fn sound_triangles_stay_as_they_are() {
        let sound = [[0, 1, 4], [1, 3, 4], [1, 2, 3], [2, 5, 3]];
        let mut filled = strip(&sound);
        open(&mut filled, &[[0, 2]]);
        assert_eq!(filled.triangles, sound);
    }
}
