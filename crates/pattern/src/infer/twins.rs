//! Which piece of an outline is the mirror image of which other, on the other side of the garment.

use super::boundary::{Boundary, SAMPLES};
use super::names::{Hand, hand};
use super::run::Run;
use crate::pattern::Pattern;
use glam::DVec2;

/// Mirror images agree to this [m].
const TWIN_TOLERANCE: f64 = 1.5e-3;

/// Panels of more pieces are not compared.
const MAX_ATOMS: usize = 120;

/// The mirror image of each atom.
#[derive(Clone, Debug)]
pub(super) struct Twins {
    of: Vec<Option<usize>>,
    /// The panel that is the mirror image of each panel, itself if it is symmetric.
    panels: Vec<Option<usize>>,
}

impl Twins {
    pub(super) fn new(pattern: &Pattern, boundary: &Boundary) -> Self {
        let count = pattern.panels.len();
        let mut atoms: Vec<Vec<usize>> = vec![Vec::new(); count];
        for (k, a) in boundary.atoms.iter().enumerate() {
            atoms[a.panel].push(k);
        }
        let mut twins = Self { of: vec![None; boundary.atoms.len()], panels: vec![None; count] };
        for i in 0..count {
            if twins.panels[i].is_some() {
                continue;
            }
            // Another panel before itself: two equal cuffs are a left and a right one.
            let hands = |j: usize| {
                let (a, b) = (hand(&pattern.panels[i].name), hand(&pattern.panels[j].name));
                a != b
                    && (a == Hand::Right || b == Hand::Right || a == Hand::Left || b == Hand::Left)
            };
            let mut others: Vec<usize> = (i + 1..count)
                .filter(|j| twins.panels[*j].is_none() && atoms[*j].len() == atoms[i].len())
                .collect();
            others.sort_by_key(|j| !hands(*j));
            let own = matching(boundary, &atoms[i], &atoms[i]);
            let other = others.into_iter().find_map(|j| {
                let wanted = own.is_none() || hands(j);
                matching(boundary, &atoms[i], &atoms[j]).filter(|_| wanted).map(|m| (j, m))
            });
            let (j, shift) = match (other, own) {
                (Some(found), _) => found,
                (None, Some(shift)) => (i, shift),
                (None, None) => continue,
            };
            let n = atoms[i].len();
            for k in 0..n {
                let (a, b) = (atoms[i][k], atoms[j][(shift + n - k) % n]);
                twins.of[a] = Some(b);
                twins.of[b] = Some(a);
            }
            twins.panels[i] = Some(j);
            twins.panels[j] = Some(i);
        }
        twins
    }

    /// Whether a run crosses the middle of a symmetric panel: it is its own mirror image.
    pub(super) fn is_central(&self, run: &Run) -> bool {
        self.is_image(run, run)
    }

    /// Whether a panel is its own mirror image.
    pub(super) fn is_symmetric(&self, panel: usize) -> bool {
        self.panels[panel] == Some(panel)
    }

    /// Whether two loops are mirror images of each other.
    pub(super) fn are_image_loops(&self, a: &Run, b: &Run) -> bool {
        a.atoms.iter().all(|k| self.of[*k].is_some_and(|t| b.atoms.contains(&t)))
    }

    /// Whether two panels are mirror images of each other, and not the same.
    pub(super) fn are_twins(&self, a: usize, b: usize) -> bool {
        a != b && self.panels[a] == Some(b)
    }

    /// Whether one run is the mirror image of another.
    pub(super) fn is_image(&self, a: &Run, b: &Run) -> bool {
        a.atoms.len() == b.atoms.len()
            && a.atoms.iter().zip(b.atoms.iter().rev()).all(|(x, y)| self.of[*x] == Some(*y))
    }

    /// The same pair of runs on the other side of the garment, if it is another pair and free.
    pub(super) fn mirrored(&self, boundary: &Boundary, a: &Run, b: &Run) -> Option<[Run; 2]> {
        let image = |run: &Run| -> Option<Vec<usize>> {
            let atoms: Option<Vec<usize>> = run.atoms.iter().rev().map(|k| self.of[*k]).collect();
            atoms.filter(|atoms| atoms.iter().all(|k| boundary.is_free(*k)))
        };
        let (c, d) = (image(a)?, image(b)?);
        let used = |k: &usize| a.atoms.contains(k) || b.atoms.contains(k);
        if c.iter().chain(&d).any(used) || c.iter().any(|k| d.contains(k)) {
            return None;
        }
        // Of a loop, the order begins somewhere else, and remains a chain.
        if !boundary.is_chain(&c) || !boundary.is_chain(&d) {
            return None;
        }
        Some([Run::new(boundary, c, a.is_loop), Run::new(boundary, d, b.is_loop)])
    }
}

/// The shift s for which atom k of one panel is the mirror image of atom s − k of the other.
fn matching(boundary: &Boundary, a: &[usize], b: &[usize]) -> Option<usize> {
    let n = a.len();
    if n != b.len() || n == 0 || n > MAX_ATOMS {
        return None;
    }
    let chord = |k: usize| {
        let p = &boundary.atoms[k].points;
        [p[SAMPLES - 1] - p[0], p[SAMPLES / 2] - p[0]]
    };
    let fits = |shift: usize| {
        (0..n).all(|k| {
            let (x, y) = (a[k], b[(shift + n - k) % n]);
            if (boundary.atoms[x].length - boundary.atoms[y].length).abs() > TWIN_TOLERANCE {
                return false;
            }
            // The image runs the other way.
            let ([d, m], [e, l]) = (chord(x), chord(y));
            let flip = |v: DVec2| DVec2::new(-v.x, v.y);
            flip(d).distance(-e) < TWIN_TOLERANCE && flip(m).distance(l - e) < TWIN_TOLERANCE
        })
    };
    (0..n).find(|s| fits(*s))
}
