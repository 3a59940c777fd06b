//! Room for cloth where a moving body touches itself.
//!
//! In armpits, at the crotch and behind bent joints parts of a body come nearer to each other than cloth is thick, or go through each other:
//! a solver that allows no penetration would find no way on. Flesh gives way there. So does this skin: the clip is looked through beforehand,
//! and where a vertex is nearer than [`ROOM`] to skin of another part that faces it, both recede along their inner normals by half of what is
//! missing, d = (ROOM − g)/2, with g the gap, negative inside the other part.
//!
//! Skin is of another part if both were apart in the pose of the fitting: farther than ROOM, and clearly farther than they are now. Depths are kept
//! for each moment of 1/[`RATE`] s as the largest of three, spread over the skin so that its slope stays below [`SLOPE`], and blend
//! linearly in between. What lies deeper than [`DEEPEST`] is no flesh that gives way; such clips are refused with the moment and the place.

use crate::error::Error;
use glam::DVec3;
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::f64::consts::FRAC_1_SQRT_2;
use toile_body::motion::{Performance, Rig};
use toile_collide::distance::point_triangle;
use toile_mesh::TriMesh;

/// Gap that is made: two layers of cloth, each with its distance from the body and from the other, with ease [m].
pub(crate) const ROOM: f64 = 6e-3;

/// Moments that are looked at per second.
const RATE: f64 = 30.0;

/// How far a part may be inside another [m].
const DEEPEST: f64 = 0.05;

/// How far from a vertex other skin is looked for [m].
const REACH: f64 = 0.06;

/// Largest slope of the depth over the skin.
const SLOPE: f64 = 0.35;

/// Skin faces other skin if the cosine between their normals is below this.
const FACING: f64 = -0.2;

/// By how much skin is nearer than in the pose of the fitting if it is of another part.
const NEARER: f64 = 0.5;

/// How far the skin recedes, for every moment of a clip.
#[derive(Clone, Debug, Default)]
pub(crate) struct Room {
    /// Vertices that recede at a moment, ascending, and how far [m].
    moments: Vec<Vec<(u32, f64)>>,
    triangles: Vec<[u32; 3]>,
    /// The triangles of each vertex that ever recedes.
    around: BTreeMap<u32, Vec<u32>>,
}

/// What was found.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize)]
pub struct SelfContact {
    /// Vertices of the skin that recede at any moment.
    pub vertices: u64,
    /// The farthest that any recedes [m].
    pub deepest: f64,
    /// When that is [s].
    pub time: f64,
    /// The bone of the skin there, and the bone of the skin it meets.
    pub bones: Option<[String; 2]>,
}

/// The deepest contact of a moment.
#[derive(Clone, Copy)]
struct Deepest {
    depth: f64,
    vertices: [u32; 2],
}

impl Room {
    /// Looks through a performance from its begin to `duration` [s].
    ///
    /// # Errors
    /// If parts of the body are so far inside each other that no skin could give way.
    pub(crate) fn of(
        performance: &Performance,
        duration: f64,
    ) -> Result<(Self, SelfContact), Error> {
        let rig = performance.rig();
        let count = (duration * RATE).ceil() as usize + 2;
        let neighbours = neighbours(&rig.mesh);
        let moments: Vec<_> = (0..count)
            .into_par_iter()
            .map(|k| {
                let x = performance.positions(k as f64 / RATE);
                let (depths, deepest) = depths(rig, &x);
                (spread(depths, &neighbours, &x), deepest)
            })
            .collect();
        let mut contact = SelfContact::default();
        for (k, (_, deepest)) in moments.iter().enumerate() {
            let Some(deepest) = deepest.filter(|d| d.depth > contact.deepest) else { continue };
            let bone = |v: u32| format!("{:?}", rig.weights[v as usize][0].0);
            contact.bones = Some(deepest.vertices.map(bone));
            (contact.deepest, contact.time) = (deepest.depth, k as f64 / RATE);
        }
        let most = 0.5 * (ROOM + DEEPEST);
        if let Some([a, b]) = contact.bones.as_ref().filter(|_| contact.deepest > most) {
            let mm = 1e3 * (2.0 * contact.deepest - ROOM);
            let message = format!(
                "the motion leaves cloth no room: {:.2} s after its begin the skin of {a} is {mm:.0} mm inside that of {b}",
                contact.time
            );
            return Err(Error::request(
                message,
                "change the motion there, or take a smaller size of the body",
            ));
        }
        let dilated = |k: usize| {
            let three = &moments[k.saturating_sub(1)..(k + 2).min(count)];
            let mut all = BTreeMap::new();
            for (v, depth) in three.iter().flat_map(|(depths, _)| depths) {
                let most: &mut f64 = all.entry(*v).or_default();
                *most = most.max(*depth);
            }
            all.into_iter().collect::<Vec<_>>()
        };
        let moments: Vec<_> = (0..count).map(dilated).collect();
        let mut around: BTreeMap<u32, Vec<u32>> =
            moments.iter().flatten().map(|(v, _)| (*v, Vec::new())).collect();
        for (t, corners) in rig.mesh.triangles.iter().enumerate() {
            for v in corners {
                if let Some(own) = around.get_mut(v) {
                    own.push(t as u32);
                }
            }
        }
        contact.vertices = around.len() as u64;
        Ok((Self { moments, triangles: rig.mesh.triangles.clone(), around }, contact))
    }

    /// Lets the skin recede at a time [s].
    pub(crate) fn recede(&self, time: f64, x: &mut [DVec3]) {
        let last = self.moments.len().saturating_sub(1);
        let at = (time * RATE).clamp(0.0, last as f64);
        let (k, s) = (at as usize, at.fract());
        let Some(now) = self.moments.get(k) else { return };
        let next = self.moments.get(k + 1).unwrap_or(now);
        let mut depths: BTreeMap<u32, f64> = now.iter().map(|(v, d)| (*v, (1.0 - s) * d)).collect();
        for (v, d) in next {
            *depths.entry(*v).or_default() += s * d;
        }
        depths.retain(|_, d| *d > 0.0);
        let moved: Vec<(u32, DVec3)> =
            depths.iter().map(|(v, d)| (*v, x[*v as usize] - self.normal(*v, x) * *d)).collect();
        moved.into_iter().for_each(|(v, p)| x[v as usize] = p);
    }

    /// Unit normal of the skin at a vertex.
    fn normal(&self, v: u32, x: &[DVec3]) -> DVec3 {
        let area = |t: &u32| {
            let [a, b, c] = self.triangles[*t as usize].map(|v| x[v as usize]);
            (b - a).cross(c - a)
        };
        self.around[&v].iter().map(area).sum::<DVec3>().normalize_or_zero()
    }
}

/// How far each vertex has to recede from what faces it; zero for most.
fn depths(rig: &Rig, x: &[DVec3]) -> (Vec<f64>, Option<Deepest>) {
    let posed = TriMesh::new(x.to_vec(), rig.mesh.triangles.clone());
    let normals = posed.vertex_normals();
    let rest = &rig.mesh.positions;
    let grid = Grid::new(&posed);
    let middle = |t: u32, p: &[DVec3]| {
        posed.triangles[t as usize].iter().map(|v| p[*v as usize]).sum::<DVec3>() / 3.0
    };
    let mut deepest: Option<Deepest> = None;
    let mut depths = vec![0.0; x.len()];
    for v in 0..x.len() {
        let mut nearest = (REACH, 0.0, 0);
        grid.near(x[v], |t| {
            let now = x[v].distance(middle(t, x));
            let before = rest[v].distance(middle(t, rest));
            // Most of what is near is the skin around the vertex.
            if now > REACH || before < 1.5 * ROOM || now > NEARER * before {
                return;
            }
            let corners = posed.triangles[t as usize].map(|v| x[v as usize]);
            let normal =
                (corners[1] - corners[0]).cross(corners[2] - corners[0]).normalize_or_zero();
            if normal.dot(normals[v]) > FACING {
                return;
            }
            let w = point_triangle(x[v], corners);
            let foot = corners[0] * w[0] + corners[1] * w[1] + corners[2] * w[2];
            let distance = x[v].distance(foot);
            if distance < nearest.0 {
                let gap = if (x[v] - foot).dot(normal) < 0.0 { -distance } else { distance };
                nearest = (distance, gap, t);
            }
        });
        let (distance, gap, t) = nearest;
        if distance < REACH && gap < ROOM {
            depths[v] = 0.5 * (ROOM - gap);
            if deepest.is_none_or(|d| depths[v] > d.depth) {
                let vertices = [v as u32, posed.triangles[t as usize][0]];
                deepest = Some(Deepest { depth: depths[v], vertices });
            }
        }
    }
    (depths, deepest)
}

/// The neighbours of each vertex.
fn neighbours(mesh: &TriMesh) -> Vec<Vec<u32>> {
    let mut all = vec![Vec::new(); mesh.positions.len()];
    for [a, b, c] in &mesh.triangles {
        for (v, others) in [(a, [*b, *c]), (b, [*c, *a]), (c, [*a, *b])] {
            all[*v as usize].extend(others);
        }
    }
    for own in &mut all {
        own.sort_unstable();
        own.dedup();
    }
    all
}

/// Spreads depths so that they fall off no faster than [`SLOPE`]; those that are not zero.
fn spread(mut depths: Vec<f64>, neighbours: &[Vec<u32>], x: &[DVec3]) -> Vec<(u32, f64)> {
    let mut open: Vec<u32> =
        (0..depths.len() as u32).filter(|v| depths[*v as usize] > 0.0).collect();
    while !open.is_empty() {
        let mut next = Vec::new();
        for v in open {
            let own = depths[v as usize];
            for n in &neighbours[v as usize] {
                let fall = SLOPE * x[v as usize].distance(x[*n as usize]);
                if own - fall > depths[*n as usize] {
                    depths[*n as usize] = own - fall;
                    next.push(*n);
                }
            }
        }
        next.sort_unstable();
        next.dedup();
        open = next;
    }
    let all = depths.into_iter().enumerate();
    all.filter(|(_, d)| *d > 0.0).map(|(v, d)| (v as u32, d)).collect()
}

/// Triangles by the cells in which their middles are.
struct Grid {
    /// Cell and triangle, sorted.
    cells: Vec<([i32; 3], u32)>,
}

impl Grid {
    /// Side of a cell [m].
    const CELL: f64 = REACH * FRAC_1_SQRT_2;

    fn cell(p: DVec3) -> [i32; 3] {
        (p / Self::CELL).floor().to_array().map(|c| c as i32)
    }

    fn new(mesh: &TriMesh) -> Self {
        let middle = |t: usize| mesh.corners(t).into_iter().sum::<DVec3>() / 3.0;
        let mut cells: Vec<_> =
            (0..mesh.triangles.len()).map(|t| (Self::cell(middle(t)), t as u32)).collect();
        cells.sort_unstable();
        Self { cells }
    }

    /// Triangles of the cells around a point.
    fn near(&self, p: DVec3, mut found: impl FnMut(u32)) {
        let [x, y, z] = Self::cell(p);
        for i in x - 2..=x + 2 {
            for j in y - 2..=y + 2 {
                let first = self.cells.partition_point(|(c, _)| *c < [i, j, z - 2]);
                let own = self.cells[first..].iter().take_while(|(c, _)| *c <= [i, j, z + 2]);
                own.for_each(|(_, t)| found(*t));
            }
        }
    }
}
