//! Bodies from elsewhere: units, axes, orientation and holes.
//!
//! The unit is the one in which the height is that of a person. The thinnest side of the bounding box is the depth;
//! of the other two the body is symmetric along its width and not along its height. Toes point to the front. Vertices at the same
//! place are joined, pieces other than the largest (eyes, say) are taken away, and small holes are capped.

use crate::error::Error;
use crate::find::Finder;
use glam::DVec3;
use serde::Serialize;
use std::collections::BTreeMap;
use toile_mesh::{NONE, Topology, TriMesh};

/// What was done to a mesh.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Repairs {
    /// The unit of its coordinates.
    pub unit: &'static str,
    /// What coordinates were multiplied by.
    pub scale: f64,
    /// Which of its axes was up.
    pub up: &'static str,
    /// Whether it looked backwards.
    pub turned: bool,
    /// Whether its triangles faced inwards.
    pub flipped: bool,
    /// Holes that were capped.
    pub holes: usize,
    /// Smaller pieces that were taken away.
    pub pieces: usize,
}

impl Repairs {
    /// Whether the mesh was as it should be.
    pub fn is_nothing(&self) -> bool {
        self.unit == "m"
            && self.up == "+y"
            && !self.turned
            && !self.flipped
            && self.holes == 0
            && self.pieces == 0
    }
}

/// Units by the heights of people in them.
const UNITS: [(&str, f64, f64, f64); 6] = [
    ("m", 1.0, 0.8, 2.6),
    ("ft", 0.3048, 2.6, 8.2),
    ("dm", 0.1, 8.2, 26.0),
    ("in", 0.0254, 26.0, 85.0),
    ("cm", 0.01, 85.0, 260.0),
    ("mm", 0.001, 800.0, 2600.0),
];

/// Longest rim of a hole that is capped [m]: a neck or a wrist, but not a waist.
const LARGEST_HOLE: f64 = 0.45;

/// A body as it is measured and dressed: metres, upright on y = 0, facing +z, closed.
///
/// # Errors
/// If the size is not that of a person in any unit, a hole is too large to be capped, or the surface is not one that
/// encloses a volume.
pub fn repair(mesh: &TriMesh) -> Result<(TriMesh, Repairs), Error> {
    let unusable = |what: String| Error::Unusable { what };
    if let Err(fault) = mesh.check() {
        return Err(unusable(fault.to_string()));
    }
    let (mut mesh, pieces) = largest_piece(mesh);
    // Axes.
    let (lo, hi) = mesh.bounds().ok_or_else(|| unusable("there is nothing in it".into()))?;
    let size = (hi - lo).to_array();
    let mut order = [0, 1, 2];
    order.sort_by(|a, b| size[*b].total_cmp(&size[*a]));
    let asymmetry = |axis: usize| asymmetry(&mesh, axis, lo, hi);
    let up = if asymmetry(order[0]) >= asymmetry(order[1]) { order[0] } else { order[1] };
    let height = size[up];
    let (unit, scale, ..) = *UNITS
        .iter()
        .find(|(_, _, low, high)| height >= *low && height < *high)
        .ok_or_else(|| unusable(format!("a height of {height} is that of a person in no unit")))?;
    let depth = order[2];
    let unit_vector =
        |axis: usize| DVec3::from_array(std::array::from_fn(|k| f64::from(k == axis)));
    let turn = |mesh: &TriMesh, y: DVec3, z: DVec3| {
        let x = y.cross(z);
        mesh.clone().map_positions(|p| DVec3::new(p.dot(x), p.dot(y), p.dot(z)) * scale)
    };
    let (y, z) = (unit_vector(up), unit_vector(depth));
    let straight = turn(&mesh, y, z);
    // Legs are below: a quarter of the way up, nothing lies around the middle.
    let upright = has_legs(&centred(straight.clone()))?;
    let y = if upright { y } else { -y };
    mesh = centred(turn(&mesh, y, z));
    // Toes point to the front. Files with y up and the front along −z were turned; others had no front to begin with.
    let turned = !toes_ahead(&mesh)?;
    if turned {
        mesh = mesh.map_positions(|p| DVec3::new(-p.x, p.y, -p.z));
    }
    let holes = cap_holes(&mut mesh)?;
    let flipped = mesh.signed_volume() < 0.0;
    if flipped {
        mesh.triangles.iter_mut().for_each(|t| t.swap(1, 2));
    }
    let names = [["-x", "-y", "-z"], ["+x", "+y", "+z"]];
    let up = names[usize::from(upright)][up];
    Ok((centred(mesh), Repairs { unit, scale, up, turned, flipped, holes, pieces }))
}

/// Welded, without triangles that use a vertex twice, and only the piece with the largest area.
fn largest_piece(mesh: &TriMesh) -> (TriMesh, usize) {
    let (welded, _) = TriMesh::new(mesh.positions.clone(), mesh.triangles.clone()).weld();
    let proper = |t: &&[u32; 3]| t[0] != t[1] && t[1] != t[2] && t[2] != t[0];
    let triangles: Vec<[u32; 3]> = welded.triangles.iter().filter(proper).copied().collect();
    let whole = TriMesh::new(welded.positions, triangles);
    let (component, count) = Topology::new(whole.positions.len(), &whole.triangles).components();
    let mut area = vec![0.0; count as usize];
    for (t, c) in component.iter().enumerate() {
        area[*c as usize] += whole.area_normal(t).length();
    }
    let best = (0..area.len()).max_by(|a, b| area[*a].total_cmp(&area[*b])).unwrap_or(0);
    let mut number = vec![NONE; whole.positions.len()];
    let mut kept = TriMesh::default();
    for (tri, c) in whole.triangles.iter().zip(&component) {
        if *c as usize == best {
            kept.triangles.push(tri.map(|v| {
                let new = &mut number[v as usize];
                if *new == NONE {
                    *new = kept.positions.len() as u32;
                    kept.positions.push(whole.positions[v as usize]);
                }
                *new
            }));
        }
    }
    (kept, area.len().saturating_sub(1))
}

/// How different a mesh is from its mirror image along an axis: by areas in slices from both ends.
fn asymmetry(mesh: &TriMesh, axis: usize, lo: DVec3, hi: DVec3) -> f64 {
    const SLICES: usize = 24;
    let mut area = [0.0; SLICES];
    for t in 0..mesh.triangles.len() {
        let mid = mesh.corners(t).iter().sum::<DVec3>()[axis] / 3.0;
        let share = (mid - lo[axis]) / (hi[axis] - lo[axis]).max(f64::MIN_POSITIVE);
        area[((share * SLICES as f64) as usize).min(SLICES - 1)] += mesh.area_normal(t).length();
    }
    let total: f64 = area.iter().sum();
    (0..SLICES).map(|i| (area[i] - area[SLICES - 1 - i]).abs()).sum::<f64>() / total
}

/// Standing on y = 0 with the middle of its box on the axis.
fn centred(mesh: TriMesh) -> TriMesh {
    let Some((lo, hi)) = mesh.bounds() else { return mesh };
    let shift = DVec3::new(0.5 * (lo.x + hi.x), lo.y, 0.0);
    mesh.map_positions(|p| p - shift)
}

fn has_legs(mesh: &TriMesh) -> Result<bool, Error> {
    let f = Finder::new(mesh)?;
    let whole = |share: f64| f.trunk(share * f.height).is_some();
    match (whole(0.25), whole(0.75)) {
        (false, true) => Ok(true),
        (true, false) => Ok(false),
        _ => Err(Error::Unusable {
            what: "it has not two legs and a trunk, one above the other".into(),
        }),
    }
}

fn toes_ahead(mesh: &TriMesh) -> Result<bool, Error> {
    let f = Finder::new(mesh)?;
    let (Some(ankle), Some(foot)) = (f.leg(0.07 * f.height, 1.0), f.leg(0.015 * f.height, 1.0))
    else {
        return Err(Error::Unusable { what: "its feet were not found".into() });
    };
    let (lo, hi) = foot.bounds();
    Ok(hi.z - ankle.centroid().z > ankle.centroid().z - lo.z)
}

/// Closes holes with a fan around their middle.
fn cap_holes(mesh: &mut TriMesh) -> Result<usize, Error> {
    let topology = Topology::new(mesh.positions.len(), &mesh.triangles);
    if let Some(e) = topology.edges.iter().find(|e| e.valence > 2) {
        let what = format!("{} triangles meet at one edge, {:?}", e.valence, e.vertices);
        return Err(Error::Unusable { what });
    }
    // Rims run against the triangles beside them.
    let mut next: BTreeMap<u32, u32> = BTreeMap::new();
    for (t, tri) in mesh.triangles.iter().enumerate() {
        for k in 0..3 {
            if topology.edges[topology.triangle_edges[t][k] as usize].is_boundary()
                && next.insert(tri[(k + 1) % 3], tri[k]).is_some()
            {
                return Err(Error::Unusable { what: "two holes touch each other".into() });
            }
        }
    }
    let mut holes = 0;
    while let Some((start, _)) = next.first_key_value() {
        let start = *start;
        let mut rim = vec![start];
        let mut at = start;
        while let Some(to) = next.remove(&at) {
            if to == start {
                break;
            }
            rim.push(to);
            at = to;
        }
        let points: Vec<DVec3> = rim.iter().map(|v| mesh.positions[*v as usize]).collect();
        let around = crate::slice::length(&points, true);
        if around > LARGEST_HOLE {
            let what = format!(
                "a hole of {:.0} cm around, at {:.0} cm height, is too large to be capped",
                100.0 * around,
                100.0 * points[0].y
            );
            return Err(Error::Unusable { what });
        }
        let middle = mesh.positions.len() as u32;
        mesh.positions.push(points.iter().sum::<DVec3>() / points.len() as f64);
        for i in 0..rim.len() {
            mesh.triangles.push([rim[i], rim[(i + 1) % rim.len()], middle]);
        }
        holes += 1;
    }
    Ok(holes)
}
