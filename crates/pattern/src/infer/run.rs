//! Stretches of the free boundary that may be one side of a seam.

use super::boundary::{Boundary, SAMPLES};
use std::f64::consts::PI;

/// A joint that turns more than this ends a smooth stretch [rad].
const CORNER_ANGLE: f64 = 0.55;

/// Parts of a smooth stretch of more atoms are not looked at.
const MAX_IN_STRETCH: usize = 16;

/// Points of the profile of heights.
pub(super) const PROFILE_SAMPLES: usize = 17;

/// A stretch of the boundary.
#[derive(Clone, Debug)]
pub(super) struct Run {
    pub(super) atoms: Vec<usize>,
    pub(super) is_loop: bool,
    pub(super) length: f64,
    /// Angle of the cloth where it begins and ends [rad].
    pub(super) angles: [f64; 2],
    /// Whether it ends at corners.
    pub(super) at_corners: [bool; 2],
    /// How far it turns to the left [rad].
    pub(super) turning: f64,
    /// Mean of the outward normal.
    pub(super) normal: glam::DVec2,
    /// Height at equal arc lengths over its length, mean 0.
    pub(super) heights: [f64; PROFILE_SAMPLES],
    /// Where each atom begins along it [m].
    pub(super) begins: Vec<f64>,
    /// Notches along it [m].
    pub(super) notches: Vec<f64>,
}

impl Run {
    pub(super) fn new(boundary: &Boundary, atoms: Vec<usize>, is_loop: bool) -> Self {
        let mut run = Self {
            length: 0.0,
            is_loop,
            angles: [0.0; 2],
            at_corners: [true; 2],
            turning: 0.0,
            normal: glam::DVec2::ZERO,
            heights: [0.0; PROFILE_SAMPLES],
            begins: Vec::new(),
            notches: Vec::new(),
            atoms,
        };
        let mut line = vec![(0.0, 0.0)];
        for (n, &k) in run.atoms.iter().enumerate() {
            let atom = &boundary.atoms[k];
            run.notches.extend(atom.notches.iter().map(|s| run.length + s));
            let step = atom.length / (SAMPLES - 1) as f64;
            for w in atom.points.windows(2) {
                let d = w[1] - w[0];
                run.normal -= d.perp();
                let (s, h) = line[line.len() - 1];
                line.push((s + step, h + d.y));
            }
            run.begins.push(run.length);
            run.length += atom.length;
            run.turning += atom.turning;
            if n + 1 < run.atoms.len() {
                run.turning += PI - boundary.angle(k);
            }
        }
        run.normal /= run.length.max(1e-12);
        run.heights = profile(&line, run.length);
        let (first, last) = (run.atoms[0], run.atoms[run.atoms.len() - 1]);
        run.angles =
            [boundary.before(first).map_or(PI, |b| boundary.angle(b)), boundary.angle(last)];
        run.at_corners = run.angles.map(|a| (a - PI).abs() > CORNER_ANGLE);
        run
    }

    /// Heights of the run walked the other way.
    pub(super) fn reversed_heights(&self) -> [f64; PROFILE_SAMPLES] {
        std::array::from_fn(|k| self.heights[PROFILE_SAMPLES - 1 - k])
    }

    /// From its beginning to its end, the height gained over its length.
    pub(super) fn rise(&self) -> f64 {
        self.heights[PROFILE_SAMPLES - 1] - self.heights[0]
    }

    /// The corners of a loop.
    pub(super) fn corners(&self, boundary: &Boundary) -> usize {
        self.atoms.iter().filter(|k| (boundary.angle(**k) - PI).abs() > CORNER_ANGLE).count()
    }

    /// Indices of atoms at which a loop may begin: where another panel begins.
    pub(super) fn starts(&self, boundary: &Boundary) -> Vec<usize> {
        let n = self.atoms.len();
        let begins = |k: &usize| {
            let (a, b) =
                (&boundary.atoms[self.atoms[(k + n - 1) % n]], &boundary.atoms[self.atoms[*k]]);
            let apart = a.points[SAMPLES - 1].distance(b.points[0]) > 1e-3;
            a.panel != b.panel || (apart && a.edge != b.edge)
        };
        let found: Vec<usize> = (0..n).filter(begins).collect();
        if found.is_empty() { vec![0] } else { found }
    }
}

/// Heights at equal steps, over the length, with mean 0.
fn profile(line: &[(f64, f64)], length: f64) -> [f64; PROFILE_SAMPLES] {
    let mut k = 0;
    let mut heights: [f64; PROFILE_SAMPLES] = std::array::from_fn(|i| {
        let s = length * i as f64 / (PROFILE_SAMPLES - 1) as f64;
        while k + 2 < line.len() && line[k + 1].0 < s {
            k += 1;
        }
        let (a, b) = (line[k], line[(k + 1).min(line.len() - 1)]);
        let t = ((s - a.0) / (b.0 - a.0).max(1e-12)).clamp(0.0, 1.0);
        (a.1 + t * (b.1 - a.1)) / length.max(1e-12)
    });
    let mean = heights.iter().sum::<f64>() / PROFILE_SAMPLES as f64;
    heights.iter_mut().for_each(|h| *h -= mean);
    heights
}

/// All stretches of the free boundary: between corners, parts of those at joints, and whole loops.
pub(super) fn runs(boundary: &Boundary) -> Vec<Run> {
    let mut runs = Vec::new();
    for ring in boundary.loops() {
        let n = ring.len();
        let corner = |k: usize| (boundary.angle(ring[k]) - PI).abs() > CORNER_ANGLE;
        let first = (0..n).find(|k| corner(*k));
        let start = first.map_or(0, |k| k + 1);
        let order: Vec<usize> = (0..n).map(|k| ring[(start + k) % n]).collect();
        let mut stretch: Vec<usize> = Vec::new();
        for (k, &atom) in order.iter().enumerate() {
            stretch.push(atom);
            let ends = (boundary.angle(atom) - PI).abs() > CORNER_ANGLE || k + 1 == n;
            if ends {
                parts(boundary, &stretch, &mut runs);
                stretch.clear();
            }
        }
        // A loop over more than one piece, or around one: sleeve caps, armholes, waists, necks.
        let several =
            ring.iter().any(|k| boundary.atoms[*k].panel != boundary.atoms[ring[0]].panel);
        let closed_piece = ring.iter().any(|k| {
            boundary.before(*k).is_some_and(|b| {
                boundary.atoms[b].panel == boundary.atoms[*k].panel
                    && boundary.atoms[b].points[SAMPLES - 1].distance(boundary.atoms[*k].points[0])
                        > 1e-3
            })
        });
        if several || closed_piece {
            runs.push(Run::new(boundary, order, true));
        }
    }
    runs
}

fn parts(boundary: &Boundary, stretch: &[usize], runs: &mut Vec<Run>) {
    let m = stretch.len();
    if m > MAX_IN_STRETCH {
        runs.push(Run::new(boundary, stretch.to_vec(), false));
        runs.extend(stretch.iter().map(|k| Run::new(boundary, vec![*k], false)));
        return;
    }
    for i in 0..m {
        for j in i..m {
            if m > 1 && j - i + 1 == m && boundary.next(stretch[j]) == Some(stretch[i]) {
                // All of a loop, which is looked at as one.
                continue;
            }
            runs.push(Run::new(boundary, stretch[i..=j].to_vec(), false));
        }
    }
}
