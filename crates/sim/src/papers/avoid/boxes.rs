//! Boxes around triangles over a step, and the planes between them (eqs. 6 and 7).

use glam::{DVec2, DVec3};

/// Part of the gap by which boxes may overlap: conflicts come to an end, and rounding is no collision.
const OVERLAP_TOLERANCE: f64 = 0.02;
/// Part of the gap by which boxes may overlap at the start and still be told apart.
const MAX_INITIAL_OVERLAP: f64 = 0.9;

/// A box that moves linearly: corners at the start and at the end of a step, with its part of the gap.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Swept {
    pub(crate) lo: [DVec3; 2],
    pub(crate) hi: [DVec3; 2],
}

/// The plane `x_axis = at` between two boxes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Plane {
    pub(crate) axis: usize,
    pub(crate) at: f64,
    /// How far from it vertices stay on either side [m].
    pub(crate) half: f64,
    /// Whether the first box of the pair is below.
    pub(crate) first_below: bool,
}

/// The boxes of all triangles.
pub(crate) fn sweep(
    triangles: &[[u32; 3]],
    x_t0: &[DVec3],
    x_t1: &[DVec3],
    gap: f64,
    boxes: &mut Vec<Swept>,
) {
    let margin = DVec3::splat(0.5 * gap);
    boxes.clear();
    boxes.extend(triangles.iter().map(|[a, b, c]| {
        let (a, b, c) = (*a as usize, *b as usize, *c as usize);
        let lo = |x: &[DVec3]| x[a].min(x[b]).min(x[c]) - margin;
        let hi = |x: &[DVec3]| x[a].max(x[b]).max(x[c]) + margin;
        Swept { lo: [lo(x_t0), lo(x_t1)], hi: [hi(x_t0), hi(x_t1)] }
    }));
}

/// Where a linear function is above zero in [0, 1].
#[inline]
fn positive(f0: f64, f1: f64) -> Option<[f64; 2]> {
    match (f0 > 0.0, f1 > 0.0) {
        (true, true) => Some([0.0, 1.0]),
        (false, false) => None,
        (false, true) => Some([f0 / (f0 - f1), 1.0]),
        (true, false) => Some([0.0, f0 / (f0 - f1)]),
    }
}

/// What two boxes do to each other in a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Meeting {
    /// They stay apart.
    Never,
    /// They overlap from the start: there is no plane between them.
    Always,
    /// They meet in a plane.
    At(Plane),
}

/// By how much two boxes overlap on their least overlapping axis at a moment, and that axis.
fn overlap(a: &Swept, b: &Swept, t: f64) -> (f64, usize) {
    let at = |ends: &[DVec3; 2]| ends[0].lerp(ends[1], t);
    let depth = at(&a.hi).min(at(&b.hi)) - at(&a.lo).max(at(&b.lo));
    let mut least = (depth.x, 0);
    for d in 1..3 {
        if depth[d] < least.0 {
            least = (depth[d], d);
        }
    }
    least
}

/// The axis on which overlap begins last gives the collision plane.
#[inline]
pub(crate) fn meet(a: &Swept, b: &Swept, gap: f64) -> Meeting {
    let (mut enter, mut leave, mut axis) = (0.0_f64, 1.0_f64, None);
    for d in 0..3 {
        let below = [a.hi[0][d] - b.lo[0][d], a.hi[1][d] - b.lo[1][d]];
        let above = [b.hi[0][d] - a.lo[0][d], b.hi[1][d] - a.lo[1][d]];
        let (Some(p), Some(q)) = (positive(below[0], below[1]), positive(above[0], above[1]))
        else {
            return Meeting::Never;
        };
        let start = p[0].max(q[0]);
        leave = leave.min(p[1]).min(q[1]);
        let apart = below[0] <= 0.0 || above[0] <= 0.0;
        if apart && (axis.is_none() || start > enter) {
            enter = start;
            axis = Some((d, below[0] <= 0.0));
        }
    }
    if enter >= leave
        || overlap(a, b, 0.5 * (enter + leave)).0.max(overlap(a, b, leave).0)
            <= OVERLAP_TOLERANCE * gap
    {
        return Meeting::Never;
    }
    if let Some((axis, first_below)) = axis {
        let lower = if first_below { a } else { b };
        let at = lower.hi[0][axis] + enter * (lower.hi[1][axis] - lower.hi[0][axis]);
        return Meeting::At(Plane { axis, at, half: 0.5 * gap, first_below });
    }
    // Too near at the start, but not through each other: they come no nearer.
    let (depth, axis) = overlap(a, b, 0.0);
    if depth > MAX_INITIAL_OVERLAP * gap
        || overlap(a, b, 1.0).0.max(overlap(a, b, 0.5).0) <= depth.max(OVERLAP_TOLERANCE * gap)
    {
        return Meeting::Always;
    }
    let first_below = a.lo[0][axis] + a.hi[0][axis] < b.lo[0][axis] + b.hi[0][axis];
    let (lower, upper) = if first_below { (a, b) } else { (b, a) };
    let at = 0.5 * (lower.hi[0][axis] + upper.lo[0][axis]);
    Meeting::At(Plane { axis, at, half: 0.5 * (gap - depth), first_below })
}

/// Which triangles touch each other at rest.
#[derive(Clone, Debug, Default)]
pub(crate) struct Neighbours {
    /// Where the others of each triangle begin and end.
    start: Vec<usize>,
    /// The others of all triangles, ascending for each.
    of: Vec<u32>,
}

impl Neighbours {
    /// Triangles whose boxes in the material plane touch. Those with a common vertex are among them, and those
    /// of two cells that meet in a corner: their boxes have no room for a gap between them.
    pub(crate) fn new(triangles: &[[u32; 3]], uv: &[[DVec2; 3]], around: &[Vec<u32>]) -> Self {
        let bounds: Vec<[DVec2; 2]> =
            uv.iter().map(|c| [c[0].min(c[1]).min(c[2]), c[0].max(c[1]).max(c[2])]).collect();
        let ring = |t: u32| triangles[t as usize].iter().flat_map(|v| &around[*v as usize]);
        let near = |t: u32| {
            let [lo, hi] = bounds[t as usize];
            // Rounding of coordinates, which are of the size of the cloth.
            let slack = DVec2::splat(1e-6 * (hi - lo).max_element());
            let mut all: Vec<u32> = ring(t).flat_map(|s| ring(*s)).copied().collect();
            all.sort_unstable();
            all.dedup();
            all.retain(|s| {
                let [a, b] = bounds[*s as usize];
                *s != t && (a - slack).cmple(hi).all() && lo.cmple(b + slack).all()
            });
            all
        };
        let mut all = Self { start: vec![0], of: Vec::new() };
        for t in 0..triangles.len() as u32 {
            all.of.extend(near(t));
            all.start.push(all.of.len());
        }
        all
    }

    fn around(&self, t: u32) -> &[u32] {
        &self.of[self.start[t as usize]..self.start[t as usize + 1]]
    }

    /// All pairs, each once.
    pub(crate) fn pairs(&self) -> impl Iterator<Item = [u32; 2]> {
        let n = self.start.len().saturating_sub(1) as u32;
        let each =
            |i: u32| self.around(i).iter().copied().filter(move |j| *j > i).map(move |j| [i, j]);
        (0..n).flat_map(each)
    }

    #[inline]
    pub(crate) fn contain(&self, [i, j]: [u32; 2]) -> bool {
        // To look at all of some two dozen takes less time than to guess where a search goes on.
        self.around(i).iter().fold(false, |found, t| found | (*t == j))
    }
}

/// What a search finds.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Pairs {
    /// Pairs that meet, and the planes between their boxes.
    pub(crate) planes: Vec<([u32; 2], Plane)>,
    /// Pairs whose boxes overlap from the start.
    pub(crate) overlapping: Vec<[u32; 2]>,
}

/// Adds a pair if its boxes meet and it does not touch at rest.
#[inline]
pub(crate) fn test(
    neighbours: &Neighbours,
    boxes: &[Swept],
    pair: [u32; 2],
    gap: f64,
    found: &mut Pairs,
) {
    match meet(&boxes[pair[0] as usize], &boxes[pair[1] as usize], gap) {
        Meeting::At(plane) if !neighbours.contain(pair) => found.planes.push((pair, plane)),
        Meeting::Always if !neighbours.contain(pair) => found.overlapping.push(pair),
        _ => {}
    }
}

/// Every pair.
pub(crate) fn all_pairs(neighbours: &Neighbours, boxes: &[Swept], gap: f64, found: &mut Pairs) {
    let n = boxes.len() as u32;
    for i in 0..n {
        for j in i + 1..n {
            test(neighbours, boxes, [i, j], gap, found);
        }
    }
}
