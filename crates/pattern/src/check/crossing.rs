//! Where the pieces of outlines meet that should not.
//!
//! Curves are compared as polygons that follow them to a tenth of a millimetre. Two pieces meet if they
//! come nearer than [`TOUCH`]; neighbours share a point, and meet only if they fold back on each other.

use glam::DVec2;

/// Pieces nearer than this [m] touch.
const TOUCH: f64 = 1e-6;

/// A straight piece of a closed line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Piece {
    /// Its ends [m].
    pub(crate) ends: [DVec2; 2],
    /// Which closed line it belongs to.
    pub(crate) ring: usize,
    /// Its place in that line.
    pub(crate) place: usize,
    /// How many pieces that line has.
    pub(crate) of: usize,
    /// What the caller wants to know of it again.
    pub(crate) tag: usize,
}

impl Piece {
    /// The pieces of closed lines of tagged points: the piece after a point has its tag.
    pub(crate) fn of_rings(rings: &[Vec<(DVec2, usize)>]) -> Vec<Self> {
        let mut pieces = Vec::new();
        for (ring, points) in rings.iter().enumerate() {
            let of = points.len();
            for (place, &(a, tag)) in points.iter().enumerate() {
                pieces.push(Self { ends: [a, points[(place + 1) % of].0], ring, place, of, tag });
            }
        }
        pieces
    }
}

/// Pairs of pieces that meet, and where; at most `limit` of them.
pub(crate) fn crossings(pieces: &[Piece], limit: usize) -> Vec<(Piece, Piece, DVec2)> {
    let low = |p: &Piece| p.ends[0].x.min(p.ends[1].x);
    let mut sorted: Vec<Piece> = pieces.to_vec();
    sorted
        .sort_by(|a, b| low(a).total_cmp(&low(b)).then((a.ring, a.place).cmp(&(b.ring, b.place))));
    let mut found = Vec::new();
    for (i, a) in sorted.iter().enumerate() {
        let right = a.ends[0].x.max(a.ends[1].x) + TOUCH;
        let (bottom, top) = (a.ends[0].y.min(a.ends[1].y), a.ends[0].y.max(a.ends[1].y));
        for b in &sorted[i + 1..] {
            if low(b) > right {
                break;
            }
            let apart = b.ends[0].y.min(b.ends[1].y) > top + TOUCH
                || b.ends[0].y.max(b.ends[1].y) < bottom - TOUCH;
            if apart {
                continue;
            }
            if let Some(place) = meet(a, b) {
                found.push((*a, *b, place));
                if found.len() >= limit {
                    return found;
                }
            }
        }
    }
    found
}

fn meet(a: &Piece, b: &Piece) -> Option<DVec2> {
    if a.ring == b.ring {
        let follows = |p: &Piece, q: &Piece| (p.place + 1) % p.of == q.place;
        if follows(a, b) || follows(b, a) {
            let (first, second) = if follows(a, b) { (a, b) } else { (b, a) };
            let (d, e) = (first.ends[1] - first.ends[0], second.ends[1] - second.ends[0]);
            // Folded back on itself: turned by a half turn to within a thousandth of a degree.
            let folded = d.dot(e) < 0.0 && d.perp_dot(e).abs() < 2e-5 * d.length() * e.length();
            return folded.then_some(first.ends[1]);
        }
    }
    let [p, q] = a.ends;
    let [r, s] = b.ends;
    let (d, e) = (q - p, s - r);
    let det = d.perp_dot(e);
    if det != 0.0 {
        let (t, u) = ((r - p).perp_dot(e) / det, (r - p).perp_dot(d) / det);
        if (0.0..=1.0).contains(&t) && (0.0..=1.0).contains(&u) {
            return Some(p + t * d);
        }
    }
    [(p, b), (q, b), (r, a), (s, a)].into_iter().find_map(|(point, piece)| {
        let [x, y] = piece.ends;
        let along = y - x;
        let t = (point - x).dot(along) / along.length_squared().max(f64::MIN_POSITIVE);
        (point.distance(x + t.clamp(0.0, 1.0) * along) < TOUCH).then_some(point)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ring(points: &[[f64; 2]]) -> Vec<(DVec2, usize)> {
        points.iter().enumerate().map(|(i, &p)| (p.into(), i)).collect()
    }

    #[test]
    fn a_square_does_not_meet_itself_and_a_bow_tie_does() {
        let square = ring(&[[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]);
        assert!(crossings(&Piece::of_rings(&[square]), 9).is_empty());
        let tie = ring(&[[0.0, 0.0], [1.0, 1.0], [1.0, 0.0], [0.0, 1.0]]);
        let found = crossings(&Piece::of_rings(&[tie]), 9);
        assert_eq!(found.len(), 1);
        assert!(found[0].2.distance(DVec2::splat(0.5)) < 1e-12);
    }

    #[test]
    fn a_spike_and_a_pinch_are_found() {
        let spike = ring(&[[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [1.0, 0.0], [1.0, 1.0]]);
        assert!(!crossings(&Piece::of_rings(&[spike]), 9).is_empty());
        let pinch = ring(&[[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [1.0, 0.0], [0.0, 1.0]]);
        assert!(!crossings(&Piece::of_rings(&[pinch]), 9).is_empty());
    }
}
