//! A ribbon with a knot in it.

use super::{Diagonals, grid};
use crate::TriMesh;
use glam::DVec3;
use std::f64::consts::TAU;

/// Points that the curve is followed by, of the knot itself and of each end.
const KNOT: usize = 3000;
const END: usize = 600;
/// Length of each end where the knot is six units wide.
const REACH: f64 = 6.0;
/// Angle over which the ends leave the torus, and how far outwards and apart.
const LEAVING: f64 = 1.3;
const OUTWARD: f64 = 1.2;
const APART: f64 = 0.7;

/// A ribbon of `width` × `length` in a loose overhand knot, ready to be pulled tight: its ends lie along ±x.
///
/// It follows a trefoil on a torus, `r = 2 + cos 3t` at the angle 2t and the height sin 3t, opened where it is outermost. It
/// stands upright, so that it is bent more than stretched: of 2 cm × 2 m the middle not at all, the rims by a seventh where it climbs. The warp runs along it, from −x to +x; vertices are numbered as
/// those of a [`grid`] of `nu` × `nv` cells.
///
/// Limits: strands pass each other at 0.026 of the length; a ribbon much wider than half of that begins crossed.
///
/// # Panics
/// As [`grid`] does.
pub fn knot(width: f64, length: f64, nu: usize, nv: usize) -> TriMesh {
    let mut mesh = grid(width, length, nu, nv, Diagonals::Alternating);
    let curve = evenly(&curve(), nv);
    for (k, position) in mesh.positions.iter_mut().enumerate() {
        let j = k % (nv + 1);
        let (before, behind) = (curve[j.saturating_sub(1)], curve[(j + 1).min(nv)]);
        let along = (behind - before).normalize();
        let across = DVec3::Y.reject_from_normalized(along).normalize();
        *position = curve[j] * length + across * mesh.uv[k].x;
    }
    mesh
}

/// The middle of the ribbon from end to end.
fn curve() -> Vec<DVec3> {
    let leave = |t: f64| (1.0 - t / LEAVING).max(0.0).powi(2);
    let knot: Vec<DVec3> = (0..=KNOT)
        .map(|k| {
            let t = TAU * k as f64 / KNOT as f64;
            let (first, last) = (leave(t), leave(TAU - t));
            let r = 2.0 + libm::cos(3.0 * t) + OUTWARD * (first + last);
            let height = libm::sin(3.0 * t) + APART * (last - first);
            DVec3::new(r * libm::sin(2.0 * t), height, -r * libm::cos(2.0 * t))
        })
        .collect();
    let last = end(knot[KNOT], knot[KNOT] - knot[KNOT - 1], DVec3::X);
    let mut all = end(knot[0], knot[0] - knot[1], DVec3::NEG_X);
    all.reverse();
    all.extend(knot);
    all.extend(last);
    all
}

/// A curve that goes on from a point and turns into a direction.
fn end(from: DVec3, way: DVec3, to: DVec3) -> Vec<DVec3> {
    let step = REACH / END as f64;
    let (mut at, mut way) = (from, way.normalize());
    (0..END)
        .map(|_| {
            way = (way + (to - way) * (0.35 * step)).normalize();
            at += way * step;
            at
        })
        .collect()
}

/// `cells` + 1 points at even distances along a curve, which becomes one long.
fn evenly(curve: &[DVec3], cells: usize) -> Vec<DVec3> {
    let mut ways = vec![0.0];
    for pair in curve.windows(2) {
        ways.push(ways[ways.len() - 1] + pair[0].distance(pair[1]));
    }
    let whole = ways[ways.len() - 1];
    (0..=cells)
        .map(|j| {
            let way = whole * j as f64 / cells as f64;
            let k = ways.partition_point(|w| *w <= way).clamp(1, curve.len() - 1);
            let part = (way - ways[k - 1]) / (ways[k] - ways[k - 1]);
            curve[k - 1].lerp(curve[k], part) / whole
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_knotted_ribbon_is_bent_more_than_stretched_and_its_strands_keep_clear() {
        let (width, length, nu, nv) = (0.02, 2.0, 4, 200);
        let mesh = knot(width, length, nu, nv);
        let ends = [mesh.positions[0], mesh.positions[nv]];
        assert!(ends[0].x < -0.2 && ends[1].x > 0.2, "{ends:?}");
        for j in 0..nv {
            for i in 0..=nu {
                let k = i * (nv + 1) + j;
                let edge = mesh.positions[k].distance(mesh.positions[k + 1]);
                // A rim as it must be, the middle as it should.
                let most = if i == nu / 2 { 0.01 } else { 0.16 };
                assert!((edge / (length / nv as f64) - 1.0).abs() < most, "{i} {j} {edge}");
            }
        }
        let mut nearest = f64::INFINITY;
        for (k, p) in mesh.positions.iter().enumerate() {
            for (l, q) in mesh.positions.iter().enumerate() {
                if (k % (nv + 1)).abs_diff(l % (nv + 1)) > 20 {
                    nearest = nearest.min(p.distance(*q));
                }
            }
        }
        assert!(nearest > 0.015, "{nearest}");
    }
}
