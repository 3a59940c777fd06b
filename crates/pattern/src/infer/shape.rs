//! Shapes of runs and panels.

use super::boundary::Boundary;
use super::run::{PROFILE_SAMPLES, Run};
use std::f64::consts::PI;

/// The x in the middle of each panel [m].
pub(super) fn centres(count: usize, boundary: &Boundary) -> Vec<f64> {
    let mut ranges = vec![(f64::MAX, f64::MIN); count];
    for atom in &boundary.atoms {
        let (low, high) = &mut ranges[atom.panel];
        for p in &atom.points {
            (*low, *high) = (low.min(p.x), high.max(p.x));
        }
    }
    ranges.into_iter().map(|(low, high)| 0.5 * (low + high)).collect()
}

/// Whether a run goes down to the lowest point of its panel.
pub(super) fn reaches_hem(boundary: &Boundary, panel: usize, run: &Run) -> bool {
    let low =
        |atom: &super::boundary::Atom| atom.points.iter().map(|p| p.y).fold(f64::MAX, f64::min);
    let all = boundary.atoms.iter().filter(|a| a.panel == panel).map(low).fold(f64::MAX, f64::min);
    run.atoms.iter().any(|k| low(&boundary.atoms[*k]) < all + 0.03)
}

/// Whether two runs of a panel are as good as mirror images: two straight sides of equal length and height.
pub(super) fn are_alike(a: &Run, b: &Run) -> bool {
    let straight = a.turning.abs() < 0.3 && b.turning.abs() < 0.3;
    let equal = (a.length - b.length).abs() < 1e-3 + 0.01 * a.length;
    straight && equal && a.normal.x * b.normal.x < -0.2 && (a.rise() + b.rise()).abs() < 0.1
}

/// Whether a panel has the shape of a sleeve: two equal sides, and over both a smooth line that rises above them.
pub(super) fn has_cap(boundary: &Boundary, panel: usize) -> bool {
    let atoms: Vec<usize> =
        (0..boundary.atoms.len()).filter(|k| boundary.atoms[*k].panel == panel).collect();
    let Some(first) = atoms.iter().position(|k| (boundary.angle(*k) - PI).abs() > 0.55) else {
        return false;
    };
    let n = atoms.len();
    let mut sides: Vec<Vec<usize>> = vec![Vec::new()];
    for k in 0..n {
        let atom = atoms[(first + 1 + k) % n];
        sides[0].push(atom);
        if (boundary.angle(atom) - PI).abs() > 0.55 {
            sides.insert(0, Vec::new());
        }
    }
    let sides: Vec<Run> = sides
        .into_iter()
        .rev()
        .filter(|s| !s.is_empty())
        .map(|s| Run::new(boundary, s, false))
        .collect();
    let m = sides.len();
    (0..m).any(|k| {
        let (cap, before, after) = (&sides[k], &sides[(k + m - 1) % m], &sides[(k + 1) % m]);
        let ends = 0.5 * (cap.heights[0] + cap.heights[PROFILE_SAMPLES - 1]);
        let top = cap.heights.iter().copied().fold(f64::MIN, f64::max);
        m >= 4 && cap.normal.y > 0.5 && top - ends > 0.1 && are_alike(before, after)
    })
}
