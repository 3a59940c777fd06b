//! Bodies from elsewhere: units, axes, orientation and holes.
//!
//! The unit is the one in which the height is that of a person. The thinnest side of the bounding box is the depth;
//! of the other two the body is symmetric along its width and not along its height. Toes point to the front. Vertices at the same
//! place are joined, pieces other than the largest (eyes, say) are taken away, and small holes are capped.

use crate::error::Error;
use crate::find::Finder;
use crate::placement::Placement;
use glam::{DMat3, DVec3};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use toile_mesh::{NONE, Topology, TriMesh, Welding};

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
    /// Whether triangles faced inwards.
    pub flipped: bool,
    /// Holes that were capped.
    pub holes: usize,
    /// Smaller pieces that were taken away.
    pub pieces: usize,
    /// Vertices that were merged into others at the same place.
    pub welded: usize,
    /// Duplicate triangles, and triangles without area, that were dropped.
    pub dropped: usize,
    /// What takes coordinates of the file to those of the body.
    #[serde(skip)]
    pub placement: Placement,
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
            && self.welded == 0
            && self.dropped == 0
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
const MAX_HOLE_GIRTH: f64 = 0.45;

/// Least volume of a body, by the cube of its height; that of a lean person is five times as much.
const MIN_VOLUME: f64 = 0.002;

/// Remedies.
const REPAIR_HINT: &str = "close large holes and remove loose pieces in a modelling program";
const POSE_HINT: &str = "a body must stand upright along one of its axes, undressed, arms away from the trunk and legs apart";

/// A body as it is measured and dressed: metres, upright on y = 0, facing +z, closed.
///
/// # Errors
/// If the size is not that of a person in any unit, a hole is too large to be capped, or the surface is not one that
/// encloses a volume.
pub fn repair(mesh: &TriMesh) -> Result<(TriMesh, Repairs), Error> {
    if let Err(fault) = mesh.check() {
        return Err(unusable(fault.to_string(), REPAIR_HINT));
    }
    let (whole, welded, dropped) = one_surface(mesh);
    let (mut mesh, pieces) = largest_piece(&whole);
    let turned_over = orient(&mut mesh)?;
    // Axes.
    let (lo, hi) = mesh.bounds().ok_or_else(|| unusable("there is nothing in it", REPAIR_HINT))?;
    let size = (hi - lo).to_array();
    let mut order = [0, 1, 2];
    order.sort_by(|a, b| size[*b].total_cmp(&size[*a]));
    let asymmetry = |axis: usize| asymmetry(&mesh, axis, lo, hi);
    let up = if asymmetry(order[0]) >= asymmetry(order[1]) { order[0] } else { order[1] };
    let height = size[up];
    let (unit, scale, ..) = *UNITS
        .iter()
        .find(|(_, _, low, high)| height >= *low && height < *high)
        .ok_or_else(|| {
            let what = format!("a height of {} is that of a person in no unit", brief(height));
            unusable(what, "scale it to metres, centimetres, millimetres, inches or feet")
        })?;
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
    let upright = has_legs(&centred(straight.clone()).0)?;
    let y = if upright { y } else { -y };
    let (turned_mesh, shift) = centred(turn(&mesh, y, z));
    mesh = turned_mesh;
    let rotation = DMat3::from_cols(y.cross(z), y, z).transpose();
    let mut placement = Placement { scale, rotation, translation: -shift };
    // Toes point to the front. Files with y up and the front along −z were turned; others had no front to begin with.
    let turned = !toes_ahead(&mesh)?;
    if turned {
        let back = DVec3::new(-1.0, 1.0, -1.0);
        mesh = mesh.map_positions(|p| p * back);
        placement.rotation = DMat3::from_diagonal(back) * placement.rotation;
        placement.translation *= back;
    }
    let holes = cap_holes(&mut mesh)?;
    let inwards = mesh.signed_volume() < 0.0;
    if inwards {
        mesh.triangles.iter_mut().for_each(|t| t.swap(1, 2));
    }
    let flipped = inwards || turned_over;
    let volume = mesh.signed_volume() / (height * scale).powi(3);
    if volume < MIN_VOLUME {
        return Err(unusable("it encloses no volume", "export the body as a closed surface"));
    }
    let names = [["-x", "-y", "-z"], ["+x", "+y", "+z"]];
    let up = names[usize::from(upright)][up];
    let (mesh, shift) = centred(mesh);
    placement.translation -= shift;
    let repairs =
        Repairs { unit, scale, up, turned, flipped, holes, pieces, welded, dropped, placement };
    Ok((mesh, repairs))
}

fn unusable(what: impl Into<String>, help: &'static str) -> Error {
    Error::Unusable { what: what.into(), help }
}

/// A number in few digits, also where it is absurd.
fn brief(x: f64) -> String {
    if (1e-3..1e5).contains(&x.abs()) { format!("{x:.3}") } else { format!("{x:.1e}") }
}

/// Turns triangles over until neighbours run against each other along the edges they share, and says whether any was.
fn orient(mesh: &mut TriMesh) -> Result<bool, Error> {
    let topology = Topology::new(mesh.positions.len(), &mesh.triangles);
    let runs = |t: &[u32; 3], [a, b]: [u32; 2]| (0..3).any(|k| t[k] == a && t[(k + 1) % 3] == b);
    let mut known = vec![false; mesh.triangles.len()];
    let (mut over, mut todo) = (vec![false; known.len()], Vec::new());
    for first in 0..known.len() {
        if !std::mem::replace(&mut known[first], true) {
            todo.push(first);
        }
        while let Some(t) = todo.pop() {
            for e in topology.triangle_edges[t] {
                let edge = &topology.edges[e as usize];
                if edge.valence != 2 {
                    continue;
                }
                let other = edge.triangles.iter().find(|o| **o as usize != t);
                let Some(other) = other.map(|o| *o as usize) else { continue };
                let same = runs(&mesh.triangles[t], edge.vertices)
                    == runs(&mesh.triangles[other], edge.vertices);
                let wanted = over[t] != same;
                if !std::mem::replace(&mut known[other], true) {
                    over[other] = wanted;
                    todo.push(other);
                } else if over[other] != wanted {
                    return Err(unusable("its surface has one side only", REPAIR_HINT));
                }
            }
        }
    }
    for (t, over) in mesh.triangles.iter_mut().zip(&over) {
        if *over {
            t.swap(1, 2);
        }
    }
    Ok(over.contains(&true))
}

/// Welded, without triangles that use a vertex twice or have the same corners as another; also how
/// many vertices were merged and how many triangles dropped.
fn one_surface(mesh: &TriMesh) -> (TriMesh, usize, usize) {
    let welding = Welding::new(&mesh.positions);
    let welded = welding.mesh(&TriMesh::new(mesh.positions.clone(), mesh.triangles.clone()));
    let mut known = BTreeSet::new();
    let is_new = |t: &&[u32; 3]| {
        let mut corners = **t;
        corners.sort_unstable();
        corners[0] != corners[1] && corners[1] != corners[2] && known.insert(corners)
    };
    let triangles: Vec<[u32; 3]> = welded.triangles.iter().filter(is_new).copied().collect();
    let dropped = welded.triangles.len() - triangles.len();
    (TriMesh::new(welded.positions, triangles), welding.merged(), dropped)
}

/// Only the piece with the largest area.
fn largest_piece(whole: &TriMesh) -> (TriMesh, usize) {
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

/// Standing on y = 0 with the middle of its box on the axis; and what was subtracted.
fn centred(mesh: TriMesh) -> (TriMesh, DVec3) {
    let Some((lo, hi)) = mesh.bounds() else { return (mesh, DVec3::ZERO) };
    let shift = DVec3::new(0.5 * (lo.x + hi.x), lo.y, 0.0);
    (mesh.map_positions(|p| p - shift), shift)
}

fn has_legs(mesh: &TriMesh) -> Result<bool, Error> {
    let f = Finder::new(mesh)?;
    let whole = |share: f64| f.trunk(share * f.height).is_some();
    match (whole(0.25), whole(0.75)) {
        (false, true) => Ok(true),
        (true, false) => Ok(false),
        _ => Err(unusable("it has not two legs and a trunk, one above the other", POSE_HINT)),
    }
}

fn toes_ahead(mesh: &TriMesh) -> Result<bool, Error> {
    let f = Finder::new(mesh)?;
    let (Some(ankle), Some(foot)) = (f.leg(0.07 * f.height, 1.0), f.leg(0.015 * f.height, 1.0))
    else {
        return Err(unusable("its feet were not found", POSE_HINT));
    };
    let (lo, hi) = foot.bounds();
    Ok(hi.z - ankle.centroid().z > ankle.centroid().z - lo.z)
}

/// Closes holes with a fan around their middle.
fn cap_holes(mesh: &mut TriMesh) -> Result<usize, Error> {
    let topology = Topology::new(mesh.positions.len(), &mesh.triangles);
    if let Some(e) = topology.edges.iter().find(|e| e.valence > 2) {
        let what = format!("{} triangles meet at one edge, {:?}", e.valence, e.vertices);
        return Err(unusable(what, REPAIR_HINT));
    }
    // Rims run against the triangles beside them.
    let mut next: BTreeMap<u32, u32> = BTreeMap::new();
    for (t, tri) in mesh.triangles.iter().enumerate() {
        for k in 0..3 {
            if topology.edges[topology.triangle_edges[t][k] as usize].is_boundary()
                && next.insert(tri[(k + 1) % 3], tri[k]).is_some()
            {
                return Err(unusable("two holes touch each other", REPAIR_HINT));
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
        if around > MAX_HOLE_GIRTH {
            let what = format!(
                "a hole of {:.0} cm around, at {:.0} cm height, is too large to be capped",
                100.0 * around,
                100.0 * points[0].y
            );
            return Err(unusable(what, REPAIR_HINT));
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
