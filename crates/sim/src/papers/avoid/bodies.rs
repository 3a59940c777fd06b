//! What bodies demand of vertices: the rule for rigid objects.
//!
//! - An upright box is one more box: triangles stay beyond the plane in which their box meets it.
//! - Of a ball, a rod or a plane, a vertex that would end inside is put on its surface along one axis: the one on which it
//!   comes nearer fastest. Balls and rods are taken larger by as much as a triangle with its corners on them dips below.
//!   Triangles that are stretched dip deeper; one that would cut into the body moves out as a whole, along the axis nearest to
//!   the shortest vector between them.
//! - Meshes and turned boxes are met continuously, feature by feature, by the general detection.

use super::boxes::{Meeting, Swept, meet};
use super::limits::Limits;
use crate::body::{Body, Shape};
use glam::{DMat3, DVec3};
use toile_collide::distance::{edge_edge, point_segment, point_triangle};

/// How far inside a vertex may be before it counts, as a part of the gap: other vertices move it a little each time.
const PENETRATION_TOLERANCE: f64 = 0.05;
/// Part of the gap between bodies and the middles of triangles.
const FACE_GAP: f64 = 0.5;
/// Part of its longest edge that a triangle's corners can be from its middle.
const CENTROID_DISTANCE: f64 = 0.6;

/// A body over one step.
#[derive(Clone, Debug)]
pub(crate) enum Obstacle {
    /// An upright box, with its part of the gap.
    Block(Swept),
    /// Everything nearer than `radius` to the segment `ends`, at the end of the step.
    Round {
        /// Ends of the segment.
        ends: [DVec3; 2],
        /// The radius with gap and dip, for vertices [m].
        radius: f64,
        /// The radius with a part of the gap, for triangles [m].
        core: f64,
        /// How it moved in the step [m].
        drag: DVec3,
    },
    /// Everything below a plane, at the end of the step.
    Half {
        /// A point of the plane, the gap above the body.
        point: DVec3,
        /// The free side.
        normal: DVec3,
    },
    /// Anything else.
    Other,
}

impl Obstacle {
    /// A body from `t` to `t + h`, for cloth with edges up to `edge` [m].
    pub(crate) fn new(body: &Body, t: f64, h: f64, gap: f64, edge: f64) -> Self {
        let poses = [body.motion.pose(t), body.motion.pose(t + h)];
        let round = |a: DVec3, b: DVec3, radius: f64| {
            let [before, after] = poses.map(|p| [p.apply(a), p.apply(b)]);
            let dip = CENTROID_DISTANCE * edge;
            let core = radius + FACE_GAP * gap;
            let radius = (radius + gap).hypot(dip);
            let drag = 0.5 * (after[0] + after[1] - before[0] - before[1]);
            Self::Round { ends: after, radius, core, drag }
        };
        match &body.shape {
            Shape::Sphere { centre, radius } => round(*centre, *centre, *radius),
            Shape::Capsule { a, b, radius } => round(*a, *b, *radius),
            Shape::Plane { point, normal } => {
                let normal = normal.normalize_or_zero();
                Self::Half { point: poses[1].apply(*point) + normal * gap, normal }
            }
            Shape::Cuboid { centre, half, rotation }
                if *rotation == DMat3::IDENTITY && !body.motion.turns() =>
            {
                let margin = *half + DVec3::splat(0.5 * gap);
                let at = poses.map(|p| p.apply(*centre));
                Self::Block(Swept { lo: at.map(|c| c - margin), hi: at.map(|c| c + margin) })
            }
            _ => Self::Other,
        }
    }

    /// Limits vertices that the straight motion from `x_t0` to `x_t1` takes into the body; returns how many. In `last` rounds balls and
    /// rods take along what single limits could not keep out.
    pub(crate) fn limit(
        &self,
        triangles: &[[u32; 3]],
        boxes: &[Swept],
        [x_t0, x_t1]: [&[DVec3]; 2],
        gap: f64,
        last: bool,
        limits: &mut Limits,
    ) -> usize {
        match self {
            Self::Block(block) => limit_by_box(block, triangles, boxes, gap, limits),
            Self::Round { ends, radius, core, drag } => {
                let round = Round { ends: *ends, drag: *drag, gap, last };
                round.limit_vertices(*radius, [x_t0, x_t1], limits)
                    + round.limit_triangles(*core, triangles, boxes, [x_t0, x_t1], limits)
            }
            Self::Half { point, normal } => limit_by_plane(*point, *normal, x_t1, gap, limits),
            Self::Other => 0,
        }
    }
}

/// Limits triangles to the plane in which their boxes meet an upright box.
fn limit_by_box(
    block: &Swept,
    triangles: &[[u32; 3]],
    boxes: &[Swept],
    gap: f64,
    limits: &mut Limits,
) -> usize {
    let mut found = 0;
    for (tri, swept) in triangles.iter().zip(boxes) {
        let Meeting::At(plane) = meet(swept, block, gap) else { continue };
        found += 1;
        let d = plane.axis;
        // Beyond the box where it is at the end of the step.
        let (at, above) = match plane.first_below {
            true => (block.lo[1][d] - 0.5 * gap, false),
            false => (block.hi[1][d] + 0.5 * gap, true),
        };
        tri.iter().for_each(|v| limits.bound(*v, d, at, above));
    }
    found
}

/// Puts vertices below a plane on it, along the axis nearest to its normal.
fn limit_by_plane(
    point: DVec3,
    normal: DVec3,
    x: &[DVec3],
    gap: f64,
    limits: &mut Limits,
) -> usize {
    let mut found = 0;
    let d = largest(normal.abs());
    for (v, x) in x.iter().enumerate() {
        let height = normal.dot(*x - point);
        if height < -PENETRATION_TOLERANCE * gap && !limits.is_held(v) {
            found += 1;
            limits.put(v as u32, d, x[d] - height / normal[d], normal[d] > 0.0);
        }
    }
    found
}

/// A ball or a rod in one round of limits.
struct Round {
    /// Ends of its axis.
    ends: [DVec3; 2],
    /// How it moved in the step [m].
    drag: DVec3,
    /// The distance to keep [m].
    gap: f64,
    /// Whether it takes vertices along.
    last: bool,
}

impl Round {
    fn limit_vertices(
        &self,
        radius: f64,
        [x_t0, x_t1]: [&[DVec3]; 2],
        limits: &mut Limits,
    ) -> usize {
        let [a, b] = self.ends;
        let mut found = 0;
        for (v, x) in x_t1.iter().enumerate() {
            let centre = a.lerp(b, point_segment(*x, a, b));
            let from = *x - centre;
            if from.length() >= radius - PENETRATION_TOLERANCE * self.gap || limits.is_held(v) {
                continue;
            }
            found += 1;
            if self.last {
                limits.hold(v as u32, x_t0[v] + self.drag);
                continue;
            }
            let nearer = (self.drag - (*x - x_t0[v])) * from;
            let d = largest(nearer);
            let rest = radius * radius - (from.length_squared() - from[d] * from[d]);
            let away = rest.max(0.0).sqrt();
            let above = from[d] >= 0.0;
            let at = centre[d] + if above { away } else { -away };
            limits.put(v as u32, d, at, above);
        }
        found
    }

    fn limit_triangles(
        &self,
        core: f64,
        triangles: &[[u32; 3]],
        boxes: &[Swept],
        [x_t0, x_t1]: [&[DVec3]; 2],
        limits: &mut Limits,
    ) -> usize {
        let [a, b] = self.ends;
        let reach = DVec3::splat(core);
        let (lo, hi) = (a.min(b) - reach, a.max(b) + reach);
        let mut found = 0;
        for (tri, swept) in triangles.iter().zip(boxes) {
            if swept.lo[1].cmpgt(hi).any() || swept.hi[1].cmplt(lo).any() {
                continue;
            }
            let separation = shortest_vector(tri.map(|v| x_t1[v as usize]), [a, b]);
            let missing = core - separation.length();
            if missing <= PENETRATION_TOLERANCE * self.gap
                || tri.iter().all(|v| limits.is_held(*v as usize))
            {
                continue;
            }
            found += 1;
            if self.last {
                tri.iter().for_each(|v| limits.hold(*v, x_t0[*v as usize] + self.drag));
                continue;
            }
            let d = largest(separation.abs());
            let along = missing * separation.length() / separation[d];
            for v in tri {
                let at = x_t1[*v as usize][d] + along;
                limits.bound(*v, d, at, along > 0.0);
            }
        }
        found
    }
}

/// The shortest vector from a segment to a triangle that it does not pass through.
fn shortest_vector(tri: [DVec3; 3], ends: [DVec3; 2]) -> DVec3 {
    let from_end = |p: DVec3| {
        let w = point_triangle(p, tri);
        tri[0] * w[0] + tri[1] * w[1] + tri[2] * w[2] - p
    };
    let [mut best, other] = ends.map(from_end);
    if other.length_squared() < best.length_squared() {
        best = other;
    }
    if ends[0] == ends[1] {
        return best;
    }
    for k in 0..3 {
        let edge = [tri[k], tri[(k + 1) % 3]];
        let [p, q] = edge_edge(edge, ends);
        let between = edge[0].lerp(edge[1], p) - ends[0].lerp(ends[1], q);
        if between.length_squared() < best.length_squared() {
            best = between;
        }
    }
    best
}

fn largest(of: DVec3) -> usize {
    (0..3).fold(0, |best, d| if of[d] > of[best] { d } else { best })
}
