//! Plane sections of meshes, and the tape around them.
//!
//! A section is cut triangle by triangle and chained to closed loops. A tape measure spans hollows: the girth of
//! a loop is the perimeter of its convex hull in the plane.

use glam::{DVec2, DVec3};
use toile_mesh::TriMesh;

/// A plane through a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plane {
    /// A point of the plane [m].
    pub point: DVec3,
    /// Its unit normal.
    pub normal: DVec3,
}

impl Plane {
    /// The level plane at a height [m].
    pub fn level(y: f64) -> Self {
        Self { point: DVec3::new(0.0, y, 0.0), normal: DVec3::Y }
    }
}

/// A closed curve in a plane.
#[derive(Clone, Debug, PartialEq)]
pub struct Loop {
    /// Its points in order [m]; the last joins the first.
    pub points: Vec<DVec3>,
}

/// All closed loops in which a plane cuts a mesh, in the order of its triangles.
///
/// A vertex on the plane counts as above it, so that every section of a closed mesh is closed.
pub fn slice(mesh: &TriMesh, plane: Plane) -> Vec<Loop> {
    slice_among(mesh, plane, 0..mesh.triangles.len())
}

/// The same, looking only at some triangles.
pub(crate) fn slice_among(
    mesh: &TriMesh,
    plane: Plane,
    triangles: impl Iterator<Item = usize>,
) -> Vec<Loop> {
    let height = |v: usize| (mesh.positions[v] - plane.point).dot(plane.normal);
    let mut segments: Vec<[u64; 2]> = Vec::new();
    for t in triangles {
        let tri = mesh.triangles[t];
        let above = tri.map(|v| height(v as usize) >= 0.0);
        if above[0] == above[1] && above[1] == above[2] {
            continue;
        }
        // From the edge where the triangle goes down to the one where it comes up.
        let mut ends = [0; 2];
        for k in 0..3 {
            let l = (k + 1) % 3;
            if above[k] != above[l] {
                let (a, b) = (tri[k].min(tri[l]), tri[k].max(tri[l]));
                ends[usize::from(above[l])] = u64::from(a) << 32 | u64::from(b);
            }
        }
        segments.push(ends);
    }
    let mut order: Vec<usize> = (0..segments.len()).collect();
    order.sort_unstable_by_key(|i| segments[*i][0]);
    let starts: Vec<u64> = order.iter().map(|i| segments[*i][0]).collect();
    let mut used = vec![false; segments.len()];
    let place = |edge: u64| {
        let (a, b) = ((edge >> 32) as usize, (edge & 0xffff_ffff) as usize);
        let t = height(a) / (height(a) - height(b));
        mesh.positions[a].lerp(mesh.positions[b], t)
    };
    let mut loops = Vec::new();
    for first in 0..segments.len() {
        if used[first] {
            continue;
        }
        let mut points = Vec::new();
        let mut at = first;
        let closed = loop {
            used[at] = true;
            points.push(place(segments[at][0]));
            let end = segments[at][1];
            if end == segments[first][0] {
                break true;
            }
            // The next segment that begins here; non-manifold edges may offer several.
            let from = starts.partition_point(|s| *s < end);
            let mut here = (from..starts.len()).take_while(|i| starts[*i] == end);
            match here.find(|i| !used[order[*i]]) {
                Some(i) => at = order[i],
                None => break false,
            }
        };
        if closed && points.len() > 2 {
            loops.push(Loop { points });
        }
    }
    loops
}

impl Loop {
    /// Smallest and largest coordinates [m].
    pub fn bounds(&self) -> (DVec3, DVec3) {
        let first = self.points[0];
        self.points.iter().fold((first, first), |(lo, hi), p| (lo.min(*p), hi.max(*p)))
    }

    /// Mean of its points, weighted by the length beside them [m].
    pub fn centroid(&self) -> DVec3 {
        let mut sum = DVec3::ZERO;
        let mut length = 0.0;
        for (a, b) in self.sides() {
            let l = a.distance(b);
            sum += l * 0.5 * (a + b);
            length += l;
        }
        if length > 0.0 { sum / length } else { self.points[0] }
    }

    /// Its sides, from point to point.
    pub fn sides(&self) -> impl Iterator<Item = (DVec3, DVec3)> + '_ {
        let n = self.points.len();
        (0..n).map(move |i| (self.points[i], self.points[(i + 1) % n]))
    }

    /// Where a tape around it lies: its convex hull in the plane with the given normal.
    pub fn tape(&self, normal: DVec3) -> Vec<DVec3> {
        let (u, v) = normal.any_orthonormal_pair();
        let mut flat: Vec<(DVec2, DVec3)> =
            self.points.iter().map(|p| (DVec2::new(p.dot(u), p.dot(v)), *p)).collect();
        flat.sort_by(|a, b| a.0.x.total_cmp(&b.0.x).then(a.0.y.total_cmp(&b.0.y)));
        let mut hull: Vec<(DVec2, DVec3)> = Vec::new();
        let mut half = |points: &mut dyn Iterator<Item = &(DVec2, DVec3)>| {
            let start = hull.len();
            for p in points {
                while hull.len() >= start + 2 {
                    let (a, b) = (hull[hull.len() - 2].0, hull[hull.len() - 1].0);
                    if (b - a).perp_dot(p.0 - a) > 0.0 {
                        break;
                    }
                    hull.pop();
                }
                hull.push(*p);
            }
            hull.pop();
        };
        half(&mut flat.iter());
        half(&mut flat.iter().rev());
        hull.into_iter().map(|(_, p)| p).collect()
    }

    /// Length of a tape around it [m].
    pub fn girth(&self, normal: DVec3) -> f64 {
        length(&self.tape(normal), true)
    }
}

/// Length of a polyline [m].
pub fn length(points: &[DVec3], closed: bool) -> f64 {
    let open: f64 = points.windows(2).map(|w| w[0].distance(w[1])).sum();
    match (points.first(), points.last()) {
        (Some(a), Some(b)) if closed => open + a.distance(*b),
        _ => open,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use toile_mesh::shape;

    #[test]
    fn a_sphere_is_cut_in_a_circle() {
        let ball = shape::sphere(1.0, 6);
        let plane = Plane { point: DVec3::new(0.0, 0.3, 0.0), normal: DVec3::new(0.6, 0.8, 0.0) };
        let loops = slice(&ball, plane);
        assert_eq!(loops.len(), 1);
        let radius = (1.0_f64 - 0.24 * 0.24).sqrt();
        assert!((loops[0].girth(plane.normal) - std::f64::consts::TAU * radius).abs() < 0.01);
        assert!(loops[0].centroid().distance(plane.normal * 0.24) < 0.01);
    }

    #[test]
    fn the_tape_spans_hollows_and_planes_through_vertices_are_fine() {
        let b = |x: f64| {
            shape::cuboid(DVec3::new(0.1, 0.2, 0.1), 1).map_positions(|p| p + DVec3::X * x)
        };
        let mut two = b(0.0);
        two.append(&b(1.0));
        let loops = slice(&two, Plane::level(two.positions[0].y.abs().min(0.05)));
        assert_eq!(loops.len(), 2);
        // An L of unit squares: its hull cuts the corner.
        let p = |x: f64, z: f64| DVec3::new(x, 0.0, z);
        let l =
            Loop { points: vec![p(0., 0.), p(2., 0.), p(2., 1.), p(1., 1.), p(1., 2.), p(0., 2.)] };
        assert!((l.girth(DVec3::Y) - (6.0 + 2.0_f64.sqrt())).abs() < 1e-12);
    }
}
