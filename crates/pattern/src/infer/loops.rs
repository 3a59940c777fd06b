//! How two loops are turned so that they fit best.

use super::boundary::Boundary;
use super::names::Hand;
use super::run::{PROFILE_SAMPLES, Run};

/// How far the heights of two loops differ where they fit best, and the atoms at which they then begin.
pub(super) fn loop_gap(
    boundary: &Boundary,
    facing: &[i32],
    hands: &[Hand],
    a: &Run,
    b: &Run,
) -> (f64, [usize; 2]) {
    let places = |r: &Run, starts: &[usize]| -> Vec<f64> {
        starts.iter().map(|k| r.begins[*k] / r.length).collect()
    };
    let at = |r: &Run, s: f64| {
        let x = s.rem_euclid(1.0) * (PROFILE_SAMPLES - 1) as f64;
        let k = (x as usize).min(PROFILE_SAMPLES - 2);
        let t = x - k as f64;
        r.heights[k] * (1.0 - t) + r.heights[k + 1] * t
    };
    let (ka, kb) = (a.starts(boundary), b.starts(boundary));
    let (sa, sb) = (places(a, &ka), places(b, &kb));
    let mut best = (f64::MAX, [0, 0]);
    for (&i, &s) in ka.iter().zip(&sa) {
        for (&j, &t) in kb.iter().zip(&sb) {
            // Loop b is walked the other way.
            let heights: f64 = (0..32)
                .map(|k| f64::from(k) / 32.0)
                .map(|u| (at(a, s + u) - at(b, t - u)).powi(2))
                .sum();
            let joints = joint_gap(&sa, &sb, s, t);
            let notches = notch_gap(a, b, s, t);
            let panel = |r: &Run, s: f64| {
                let s = s.rem_euclid(1.0) * r.length;
                let k = r.begins.iter().rposition(|b| *b <= s).unwrap_or(0);
                boundary.atoms[r.atoms[k]].panel
            };
            let clash = (0..32).map(|k| (f64::from(k) + 0.5) / 32.0).filter(|u| {
                let (p, q) = (panel(a, s + u), panel(b, t - u));
                facing[p] * facing[q] < 0
                    || (hands[p] != hands[q] && hands[p] != Hand::None && hands[q] != Hand::None)
            });
            let clash = clash.count() as f64 / 32.0;
            // Where nothing else tells, a band is closed at the left side.
            let first = |r: &Run, k: usize| {
                let at = |k: usize| facing[boundary.atoms[r.atoms[k % r.atoms.len()]].panel];
                at(k) > 0 && at(k + r.atoms.len() - 1) < 0
            };
            let side = if first(a, i) || first(b, j) { 0.0 } else { 0.004 };
            let cost =
                (heights / 32.0).sqrt() + 0.15 * joints + 0.5 * notches + 0.15 * clash + side;
            if cost < best.0 {
                best = (cost, [i, j]);
            }
        }
    }
    best
}

/// Mean distance of joints from the nearest joint of the other loop, over its length.
pub(super) fn joint_gap(sa: &[f64], sb: &[f64], s: f64, t: f64) -> f64 {
    let (few, many, s, t) = if sa.len() <= sb.len() { (sa, sb, s, t) } else { (sb, sa, t, s) };
    let gap = |x: f64| {
        let wanted = (t - (x - s)).rem_euclid(1.0);
        let off = |y: f64| (y - wanted).abs().min(1.0 - (y - wanted).abs());
        many.iter().map(|y| off(*y)).fold(0.5, f64::min)
    };
    few.iter().map(|x| gap(*x)).sum::<f64>() / few.len() as f64
}

/// Mean distance of notches from the nearest notch of the other loop, over its length.
pub(super) fn notch_gap(a: &Run, b: &Run, s: f64, t: f64) -> f64 {
    if a.notches.is_empty() || b.notches.is_empty() {
        return 0.0;
    }
    let places = |r: &Run| -> Vec<f64> { r.notches.iter().map(|x| x / r.length).collect() };
    joint_gap(&places(a), &places(b), s, t)
}
