//! Whether material coordinates are lengths, and rest shapes from positions.
//!
//! toile writes uv in metres. Other programs fill the unit square with them. The ratio of the length
//! of an edge in uv to its length in space is near 1 for the first, whatever the cloth is draped
//! over, and anything for the second.

use crate::TriMesh;
use glam::DVec2;

/// Range of the median ratio of lengths in which uv are taken as metres.
const PLAUSIBLE: [f64; 2] = [0.8, 1.25];
/// The same for uv that fill the unit square.
const PLAUSIBLE_UNIT: [f64; 2] = [0.9, 1.0 / 0.9];
/// Range of the ratio that most edges must have: single triangles of a drape may be far from rest.
const SPREAD: [f64; 2] = [0.6, 1.0 / 0.6];
/// Part of all edges that must be in that range.
const MIN_FITTING_FRACTION: f64 = 0.8;
/// How near to 0 and 1 the sides of uv that fill the unit square come.
const MARGIN: f64 = 0.03;

/// How lengths in uv compare with those in space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UvScale {
    /// Median of length in uv over length in space, over all sides of triangles.
    pub median: f64,
    /// Whether uv can be metres.
    pub fits: bool,
}

impl TriMesh {
    /// Compares material coordinates with positions; `None` if there is nothing to compare.
    pub fn uv_scale(&self) -> Option<UvScale> {
        if !self.has_uv() {
            return None;
        }
        let mut ratios = Vec::with_capacity(3 * self.triangles.len());
        for t in 0..self.triangles.len() {
            let (p, uv) = (self.corners(t), self.corners_uv(t));
            for k in 0..3 {
                let length = p[k].distance(p[(k + 1) % 3]);
                if length > 0.0 {
                    ratios.push(uv[k].distance(uv[(k + 1) % 3]) / length);
                }
            }
        }
        if ratios.is_empty() {
            return None;
        }
        ratios.sort_unstable_by(f64::total_cmp);
        let median = ratios[ratios.len() / 2];
        let within = |[lo, hi]: [f64; 2], r: f64| r >= lo && r <= hi;
        let near = ratios.iter().filter(|r| within(SPREAD, **r)).count();
        let range = if self.fills_unit_square() { PLAUSIBLE_UNIT } else { PLAUSIBLE };
        let fits =
            within(range, median) && near as f64 >= MIN_FITTING_FRACTION * ratios.len() as f64;
        Some(UvScale { median, fits })
    }

    /// Whether uv span the unit square from side to side, as those of texture maps do.
    fn fills_unit_square(&self) -> bool {
        let used = || self.uv_triangles.iter().flatten().map(|i| self.uv[*i as usize]);
        let lo = used().fold(DVec2::INFINITY, DVec2::min);
        let hi = used().fold(DVec2::NEG_INFINITY, DVec2::max);
        let at_sides = |lo: f64, hi: f64| lo.abs() <= MARGIN && (hi - 1.0).abs() <= MARGIN;
        let inside = lo.min_element() >= -MARGIN && hi.max_element() <= 1.0 + MARGIN;
        inside && (at_sides(lo.x, hi.x) || at_sides(lo.y, hi.y))
    }

    /// Material coordinates in metres from the positions, each triangle by itself. Where there were
    /// some, the triangle is turned as it was in them, so that the grain keeps its direction.
    #[must_use]
    pub fn with_rest_of_positions(mut self) -> Self {
        let old: Option<Vec<[DVec2; 3]>> =
            self.has_uv().then(|| (0..self.triangles.len()).map(|t| self.corners_uv(t)).collect());
        self.uv.clear();
        self.uv_triangles.clear();
        for t in 0..self.triangles.len() {
            let [a, b, c] = self.corners(t);
            let (ab, ac) = (b - a, c - a);
            let base = ab.length();
            let along = if base > 0.0 { ac.dot(ab) / base } else { 0.0 };
            let height = if base > 0.0 { ab.cross(ac).length() / base } else { 0.0 };
            let mut flat = [DVec2::ZERO, DVec2::new(base, 0.0), DVec2::new(along, height)];
            if let Some(old) = &old {
                let turn = direction(&flat, &old[t]);
                flat = flat.map(|p| turn.rotate(p));
            }
            let first = self.uv.len() as u32;
            self.uv.extend(flat);
            self.uv_triangles.push([first, first + 1, first + 2]);
        }
        self
    }
}

/// The rotation, as a unit vector, that brings a triangle nearest to the direction of another.
fn direction(from: &[DVec2; 3], to: &[DVec2; 3]) -> DVec2 {
    let mean = |t: &[DVec2; 3]| (t[0] + t[1] + t[2]) / 3.0;
    let (from_mean, to_mean) = (mean(from), mean(to));
    let mut sum = DVec2::ZERO;
    for (p, q) in from.iter().zip(to) {
        let (p, q) = (*p - from_mean, *q - to_mean);
        sum += DVec2::new(p.dot(q), p.perp_dot(q));
    }
    sum.try_normalize().unwrap_or(DVec2::X)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape;
    use glam::DVec3;

    fn cloth(size: f64) -> TriMesh {
        shape::grid(size, size, 6, 6, shape::Diagonals::Alternating)
    }

    fn scaled(mut mesh: TriMesh, by: f64) -> TriMesh {
        mesh.uv.iter_mut().for_each(|p| *p *= by);
        mesh
    }

    #[test]
    fn metres_are_told_from_texture_maps() {
        let fits = |mesh: &TriMesh| mesh.uv_scale().unwrap().fits;
        assert!(fits(&cloth(0.6)) && fits(&cloth(1.0)) && fits(&cloth(3.0)));
        for size in [0.1, 0.6, 0.85, 1.2, 5.0] {
            let mut map = scaled(cloth(size), 1.0 / size);
            map.uv.iter_mut().for_each(|p| *p += 0.5);
            assert!(!fits(&map), "{size}");
            assert!((map.uv_scale().unwrap().median - 1.0 / size).abs() < 1e-9);
        }
        assert!(!fits(&scaled(cloth(0.6), 100.0)), "centimetres");
        // Stretched by its weight, and one corner torn away.
        let mut worn = cloth(1.0).map_positions(|p| p * DVec3::new(1.0, 1.0, 1.08));
        worn.positions[0] += DVec3::Y;
        assert!(fits(&worn));
        assert_eq!(shape::sphere(1.0, 1).uv_scale().map(|s| s.fits), None);
    }

    #[test]
    fn rest_of_positions_keeps_lengths_and_the_grain() {
        let flat = cloth(0.6);
        let rest = scaled(flat.clone(), 1.0 / 0.6).with_rest_of_positions();
        for t in 0..flat.triangles.len() {
            let (a, b) = (flat.corners_uv(t), rest.corners_uv(t));
            for k in 1..3 {
                assert!((a[k] - a[0]).distance(b[k] - b[0]) < 1e-12);
            }
        }
    }
}
