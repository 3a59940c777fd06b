//! Four triangles, tested at once.

use super::{Hit, Ray};
use glam::{Vec3, Vec4};

/// Barycentric tolerance that closes the cracks between neighbours.
pub(super) const EDGE: f32 = 2e-6;

/// Up to four triangles, one in each lane.
#[derive(Clone, Debug)]
pub(super) struct Packet {
    pub(super) corner: [Vec4; 3],
    pub(super) edge_1: [Vec4; 3],
    pub(super) edge_2: [Vec4; 3],
    pub(super) triangle: [u32; 4],
}

/// How far the corners and edges of a packet move from time 0 to time 1.
#[derive(Clone, Debug)]
pub(super) struct Motion {
    pub(super) corner: [Vec4; 3],
    pub(super) edge_1: [Vec4; 3],
    pub(super) edge_2: [Vec4; 3],
}

impl Packet {
    /// The packet where it is at a time.
    pub(super) fn at(&self, motion: &Motion, time: f32) -> Self {
        let go = |x: [Vec4; 3], d: [Vec4; 3]| [0, 1, 2].map(|k| x[k] + d[k] * time);
        Self {
            corner: go(self.corner, motion.corner),
            edge_1: go(self.edge_1, motion.edge_1),
            edge_2: go(self.edge_2, motion.edge_2),
            triangle: self.triangle,
        }
    }

    /// The nearest hit of the four.
    pub(super) fn intersect(&self, ray: &Ray, t_min: f32, t_max: f32) -> Option<Hit> {
        let dir = splat(ray.dir);
        let p = cross(dir, self.edge_2);
        let inv_det = dot(self.edge_1, p).recip();
        let origin = splat(ray.origin);
        let s = [0, 1, 2].map(|k| origin[k] - self.corner[k]);
        let u = dot(s, p) * inv_det;
        let q = cross(s, self.edge_1);
        let v = dot(dir, q) * inv_det;
        let t = dot(self.edge_2, q) * inv_det;
        let low = Vec4::splat(-EDGE);
        // An empty lane has zero determinant; its NaN fails every comparison.
        let inside = u.cmpge(low) & v.cmpge(low) & (u + v).cmple(Vec4::splat(1.0 + EDGE));
        let mask = (inside & t.cmpgt(Vec4::splat(t_min)) & t.cmplt(Vec4::splat(t_max))).bitmask();
        if mask == 0 {
            return None;
        }
        let (t, u, v) = (t.to_array(), u.to_array(), v.to_array());
        let mut best: Option<Hit> = None;
        for lane in 0..4 {
            if mask >> lane & 1 == 1 && best.is_none_or(|b| t[lane] < b.t) {
                best =
                    Some(Hit { t: t[lane], u: u[lane], v: v[lane], triangle: self.triangle[lane] });
            }
        }
        best
    }
}

fn splat(a: Vec3) -> [Vec4; 3] {
    [Vec4::splat(a.x), Vec4::splat(a.y), Vec4::splat(a.z)]
}

fn dot(a: [Vec4; 3], b: [Vec4; 3]) -> Vec4 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: [Vec4; 3], b: [Vec4; 3]) -> [Vec4; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}
