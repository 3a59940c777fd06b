//! Log odds of a pair of runs by their geometry alone.

use super::boundary::Boundary;
use super::run::{PROFILE_SAMPLES, Run};
use std::f64::consts::PI;

/// Log odds by lengths.
pub(super) fn length_odds(a: &Run, b: &Run) -> f64 {
    let (long, short) = (a.length.max(b.length), a.length.min(b.length));
    let (gap, ratio) = (long - short, long / short);
    if a.is_loop {
        return match ratio {
            r if r < 1.01 => 3.0,
            r if r < 1.06 => 2.2,
            r if r < 1.2 => 1.2,
            r if r < 1.5 => -0.8,
            r => -0.8 - 0.6 * r,
        };
    }
    match ratio {
        _ if gap < 6e-4 => 3.0,
        r if gap < 2e-3 || r < 1.004 => 2.4,
        r if r < 1.015 => 1.2,
        r if r < 1.04 => 0.2,
        r if r < 1.08 => -1.2,
        r if r < 1.2 => -2.5,
        _ => -4.0,
    }
}

/// Corners at the ends of a seam complete each other to a straight line.
pub(super) fn angle_odds(a: &Run, b: &Run) -> f64 {
    let ends = [(a.angles[0], b.angles[1]), (a.angles[1], b.angles[0])];
    let odds = |(x, y): (f64, f64)| {
        let off = (x + y - PI).abs();
        let smooth = (x - PI).abs() < 0.3 || (y - PI).abs() < 0.3;
        if off < 0.18 {
            1.2
        } else if off < 0.4 {
            0.6
        } else if smooth && x.min(y) < 2.2 && x.min(y) > 0.9 {
            // A third piece fills the corner.
            0.0
        } else {
            -(off - 0.4).min(1.5)
        }
    };
    ends.into_iter().map(odds).sum()
}

/// What follows one side at its end goes on as what comes before the other: a hem as a hem.
pub(super) fn neighbour_odds(boundary: &Boundary, a: &Run, b: &Run) -> f64 {
    if a.normal.y * b.normal.y < -0.5 {
        // One hangs from the other.
        return 0.0;
    }
    let one = |k: Option<usize>| k.map(|k| Run::new(boundary, vec![k], false));
    let ends = |r: &Run| {
        [one(boundary.before(r.atoms[0])), one(boundary.next(r.atoms[r.atoms.len() - 1]))]
    };
    let ([p, q], [s, t]) = (ends(a), ends(b));
    let odds = |x: &Option<Run>, y: &Option<Run>| {
        let (Some(x), Some(y)) = (x, y) else { return 0.0 };
        let levels = (x.normal.y - y.normal.y).abs();
        let bends = x.turning * y.turning < 0.0 && (x.turning - y.turning).abs() > 1.0;
        -0.7 * (levels - 1.0).clamp(0.0, 1.0) - if bends { 0.7 } else { 0.0 }
    };
    odds(&p, &t) + odds(&q, &s)
}

/// Heights run alike when both are walked together.
pub(super) fn height_odds(a: &Run, b: &Run) -> f64 {
    let (x, y) = (a.heights, b.reversed_heights());
    let gap =
        (0..PROFILE_SAMPLES).map(|k| (x[k] - y[k]).powi(2)).sum::<f64>() / PROFILE_SAMPLES as f64;
    (1.2 - 9.0 * gap.sqrt()).max(-4.0)
}
