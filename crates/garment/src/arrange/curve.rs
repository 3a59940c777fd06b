//! Level closed curves that panels stand on.

use glam::{DVec2, DVec3};

/// The point of a closed curve at a distance along it.
pub(super) fn along(curve: &[DVec3], distance: f64) -> DVec3 {
    let mut left = distance.rem_euclid(toile_body::length(curve, true));
    for (k, a) in curve.iter().enumerate() {
        let b = curve[(k + 1) % curve.len()];
        let length = a.distance(b);
        if left <= length && length > 0.0 {
            return a.lerp(b, left / length);
        }
        left -= length;
    }
    curve[0]
}

/// Moves the points of a level convex curve outwards.
pub(super) fn offset(curve: &mut [DVec3], distance: f64) {
    let n = curve.len();
    let side = |a: DVec3, b: DVec3| (b - a).cross(DVec3::Y).normalize_or_zero();
    let old = curve.to_vec();
    for k in 0..n {
        let (a, b, c) = (old[(k + n - 1) % n], old[k], old[(k + 1) % n]);
        // The bevel of both sides, lengthened so that the sides themselves move so far.
        let out = (side(a, b) + side(b, c)).normalize_or_zero();
        let lean = out.dot(side(b, c)).max(0.5);
        curve[k] += out * (distance / lean);
    }
}

/// The convex hull of level points, in the direction in which cloth with its right side outwards runs: to +x in
/// front.
pub(super) fn hull(points: &[DVec3]) -> Vec<DVec3> {
    let mut sorted = points.to_vec();
    sorted.sort_by(|a, b| a.x.total_cmp(&b.x).then(a.z.total_cmp(&b.z)));
    let half = |points: &mut dyn Iterator<Item = &DVec3>| {
        let mut chain: Vec<DVec3> = Vec::new();
        for p in points {
            while let [.., a, b] = chain[..] {
                if (b - a).cross(*p - b).y > 0.0 {
                    break;
                }
                chain.pop();
            }
            chain.push(*p);
        }
        chain.pop();
        chain
    };
    let mut whole = half(&mut sorted.iter());
    whole.extend(half(&mut sorted.iter().rev()));
    whole
}

/// How far along a closed curve its foremost (+1) or backmost (−1) point beside the middle is.
pub(super) fn centre(curve: &[DVec3], side: f64) -> f64 {
    let near = curve.iter().map(|p| p.x.abs()).fold(f64::INFINITY, f64::min);
    let (mut length, mut best) = (0.0, (f64::NEG_INFINITY, 0.0));
    for (k, p) in curve.iter().enumerate() {
        if p.x.abs() < near + 1e-6 && side * p.z > best.0 {
            best = (side * p.z, length);
        }
        length += p.distance(curve[(k + 1) % curve.len()]);
    }
    best.1
}

/// Whether a point is within a closed line.
pub(super) fn is_within(p: DVec2, line: &[DVec2]) -> bool {
    let mut within = false;
    for (k, a) in line.iter().enumerate() {
        let b = line[(k + 1) % line.len()];
        if (a.y > p.y) != (b.y > p.y) && p.x < a.x + (p.y - a.y) / (b.y - a.y) * (b.x - a.x) {
            within = !within;
        }
    }
    within
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hull_runs_to_the_left_in_front_and_grows_by_its_offset() {
        let square = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0), (0.5, 0.5)];
        let mut curve = hull(&square.map(|(x, z)| DVec3::new(x, 0.0, z)));
        assert_eq!(curve.len(), 4);
        offset(&mut curve, 0.5);
        assert!((toile_body::length(&curve, true) - 8.0).abs() < 1e-12);
        let front = centre(&curve, 1.0);
        let (a, b) = (along(&curve, front), along(&curve, front + 0.1));
        assert_eq!(a.z, 1.5);
        assert!(b.x > a.x && (b.z - a.z).abs() < 1e-12, "{a} {b}");
    }
}
