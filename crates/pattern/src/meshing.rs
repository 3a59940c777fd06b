//! Meshes of panels at a given edge length, and which of their vertices are sewn together.
//!
//! Edges are divided evenly. Where edges are sewn together, both sides get the same number of points, so that
//! every point has a partner and ease is spread evenly (`sample.rs`). The inside is filled with points of a
//! jittered hexagonal lattice, refined where angles are small (Delaunay refinement [shewchuk2002]) and smoothed by
//! moving every point to the mean of the circumcentres around it, weighted by area, the step of optimal Delaunay
//! triangulations [chen2004] (`fill.rs`). The triangles are a constrained Delaunay triangulation of these points.
//!
//! Limits: a corner of the outline sharper than the angles asked for stays as sharp as it is, and where the
//! outline has details much smaller than the edge length, triangles there are as small as the details.

mod fill;
mod folds;
mod sample;

use crate::error::Error;
use crate::panel::Source;
use crate::pattern::Pattern;
use crate::seam::{Chain, Correspondence};
use glam::{DVec2, DVec3};
use toile_mesh::TriMesh;

/// More vertices than this in all panels together are a mistake in the edge length.
const MAX_VERTICES: f64 = 4e6;

/// A vertex of a panel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PanelVertex {
    /// Index of the panel.
    pub panel: u32,
    /// Index of the vertex in the mesh of the panel.
    pub vertex: u32,
}

/// The mesh of one panel.
#[derive(Clone, Debug, PartialEq)]
pub struct PanelMesh {
    /// Its name.
    pub name: String,
    /// Positions in the plane of the pattern (z = 0, the right side faces +z), uv along weft and warp.
    pub mesh: TriMesh,
    /// For each edge of the panel its vertices from its beginning to its end, those of the legs of darts
    /// left out.
    pub edges: Vec<Vec<u32>>,
    /// The lines along which the cloth ends, each once around: the outline, then holes. Boundary vertices
    /// have the lowest indices, in this order.
    pub rings: Vec<Vec<u32>>,
    /// Elastics: what they are sewn to from end to end, darts and pleats left out.
    pub elastics: Vec<ElasticLine>,
}

/// An elastic sewn to vertices of a panel.
#[derive(Clone, Debug, PartialEq)]
pub struct ElasticLine {
    /// The vertices, in order.
    pub vertices: Vec<u32>,
    /// Its length without tension over that of the edge.
    pub ratio: f64,
    /// Its pull at twice its length [N].
    pub stiffness: f64,
}

/// What a row of stitches comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SewnBy {
    /// The seam with this index.
    Seam(usize),
    /// A dart or pleat of the panel with this index.
    Closure {
        /// The panel.
        panel: usize,
        /// Name of the dart or pleat.
        name: String,
    },
}

/// Vertices that are sewn together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stitching {
    /// The seam or dart.
    pub by: SewnBy,
    /// Its name.
    pub name: String,
    /// Pairs in the order of sewing. A vertex is in two pairs where a chain goes on in another panel.
    pub pairs: Vec<[PanelVertex; 2]>,
}

/// The meshes of all panels of a pattern, and how they are sewn.
#[derive(Clone, Debug, PartialEq)]
pub struct PatternMesh {
    /// One for each panel.
    pub panels: Vec<PanelMesh>,
    /// Darts and pleats, then seams, in the order in which they are sewn.
    pub stitchings: Vec<Stitching>,
}

impl PatternMesh {
    /// Index of the first vertex of each panel when all are put in one mesh, and the number of vertices.
    pub fn offsets(&self) -> Vec<u32> {
        let mut offsets = vec![0];
        for panel in &self.panels {
            offsets.push(offsets[offsets.len() - 1] + panel.mesh.positions.len() as u32);
        }
        offsets
    }

    /// All panels in one mesh, in the order of the pattern. `place` says where a point of a panel goes.
    pub fn joined(&self, place: impl Fn(usize, DVec3) -> DVec3) -> TriMesh {
        let mut whole = TriMesh::default();
        for (i, panel) in self.panels.iter().enumerate() {
            whole.append(&panel.mesh.clone().map_positions(|p| place(i, p)));
        }
        whole
    }

    /// All pairs of sewn vertices, as indices in the joined mesh.
    pub fn sewn_pairs(&self) -> Vec<[u32; 2]> {
        let offsets = self.offsets();
        let index = |v: PanelVertex| offsets[v.panel as usize] + v.vertex;
        self.stitchings.iter().flat_map(|s| s.pairs.iter().map(|p| p.map(index))).collect()
    }

    /// Panels side by side in one mesh, not overlapping, `gap` apart [m].
    pub fn laid_flat(&self, gap: f64) -> TriMesh {
        let mut x = 0.0;
        let mut shift = Vec::new();
        for panel in &self.panels {
            let (low, high) = panel.mesh.bounds().unwrap_or_default();
            shift.push(DVec3::new(x - low.x, -low.y, 0.0));
            x += high.x - low.x + gap;
        }
        self.joined(|i, p| p + shift[i])
    }
}

/// Meshes all panels with triangles whose edges are about `edge_length` long [m].
///
/// # Errors
/// If the pattern has faults, or the edge length does not fit a panel.
pub fn mesh(pattern: &Pattern, edge_length: f64) -> Result<PatternMesh, Error> {
    if !(edge_length.is_finite() && edge_length > 0.0) {
        return Err(Error::Request {
            message: format!("an edge length of {edge_length} m is impossible"),
            help: "0.01 is 1 cm, good for a garment".into(),
        });
    }
    pattern.checked()?;
    let loops = pattern.loops();
    check_size(pattern, edge_length)?;
    // Darts and pleats first: they are sewn before the panels are.
    let mut joins: Vec<(SewnBy, Chain, Chain, Correspondence)> = Vec::new();
    for (panel, name, a, b) in pattern.closures(&loops) {
        let meet = Correspondence::new(&a, &b, &[]);
        joins.push((SewnBy::Closure { panel, name }, a, b, meet));
    }
    for i in pattern.sewing_order() {
        let (a, b, meet) = pattern.sides(&pattern.seams[i], &loops);
        joins.push((SewnBy::Seam(i), a, b, meet));
    }
    let samples = sample::Samples::new(&loops, &joins, edge_length).map_err(|join| {
        let panel = match &joins[join].0 {
            SewnBy::Seam(i) => pattern.seams[*i].a[0].panel.clone(),
            SewnBy::Closure { panel, .. } => pattern.panels[*panel].name.clone(),
        };
        let reason = "its seams ask for points that never come to agree".into();
        Error::Mesh { panel, edge_length, reason }
    })?;
    let mut panels = Vec::new();
    for (i, panel) in pattern.panels.iter().enumerate() {
        let lines: Vec<Vec<DVec2>> = panel
            .lines
            .iter()
            .map(|line| {
                let mut points: Vec<DVec2> = Vec::new();
                for edge in &line.edges {
                    points.pop();
                    let n = (edge.length() / edge_length).round().max(1.0) as usize;
                    points.extend(edge.divide(n));
                }
                points
            })
            .collect();
        let rings = samples.rings(i);
        let mut filled = fill::fill(&rings, &lines, edge_length).map_err(|reason| Error::Mesh {
            panel: panel.name.clone(),
            edge_length,
            reason,
        })?;
        folds::open(&mut filled, &sewn_within(&samples, &joins, i));
        let edges = edge_vertices(&samples, i, panel.edges.len(), &loops[i][0]);
        let elastic = |e: &crate::Elastic| {
            let vertices = edges[panel.edge_index(&e.edge)?].clone();
            Some(ElasticLine { vertices, ratio: e.ratio, stiffness: e.stiffness })
        };
        panels.push(PanelMesh {
            name: panel.name.clone(),
            mesh: to_mesh(&filled, panel.grain),
            elastics: panel.elastics.iter().filter_map(elastic).collect(),
            edges,
            rings: ring_vertices(&rings),
        });
    }
    let stitchings = joins
        .iter()
        .enumerate()
        .map(|(k, j)| {
            let name = match &j.0 {
                SewnBy::Seam(i) => pattern.seams[*i].name.clone(),
                SewnBy::Closure { name, .. } => name.clone(),
            };
            Stitching { by: j.0.clone(), name, pairs: samples.pairs(k) }
        })
        .collect();
    Ok(PatternMesh { panels, stitchings })
}

/// Estimates the vertices, before any is made.
fn check_size(pattern: &Pattern, edge_length: f64) -> Result<(), Error> {
    let mut total = 0.0;
    for panel in &pattern.panels {
        let paths = panel.holes.iter().chain(&panel.lines).flat_map(|p| &p.edges);
        let lines: f64 = panel.edges.iter().chain(paths).map(crate::Edge::length).sum();
        total += panel.signed_area() / (0.866 * edge_length * edge_length) + lines / edge_length;
        if total > MAX_VERTICES {
            return Err(Error::Request {
                message: format!(
                    "panel `{}` with edges of {edge_length} m would bring the mesh to {total:.1e} vertices, more than {MAX_VERTICES:.0e}",
                    panel.name
                ),
                help: "choose longer edges: 0.01 is 1 cm, good for a garment".into(),
            });
        }
    }
    Ok(())
}

/// Points of a panel that its darts and pleats sew together.
fn sewn_within(
    samples: &sample::Samples,
    joins: &[(SewnBy, Chain, Chain, Correspondence)],
    panel: usize,
) -> Vec<[u32; 2]> {
    let own = |(_, j): &(usize, &(SewnBy, Chain, Chain, Correspondence))| matches!(&j.0, SewnBy::Closure { panel: p, .. } if *p == panel);
    let pairs = joins.iter().enumerate().filter(own).flat_map(|(k, _)| samples.pairs(k));
    pairs.map(|p| p.map(|v| v.vertex)).filter(|[a, b]| a != b).collect()
}

/// The mesh in the plane, with uv turned so that the warp is +v.
fn to_mesh(filled: &fill::Filled, grain: DVec2) -> TriMesh {
    let warp = grain.normalize_or(DVec2::Y);
    let weft = -warp.perp();
    let mut mesh = TriMesh::new(
        filled.points.iter().map(|p| p.extend(0.0)).collect(),
        filled.triangles.clone(),
    );
    mesh.uv = filled.points.iter().map(|p| DVec2::new(p.dot(weft), p.dot(warp))).collect();
    // Without them the mesh would count as one without material coordinates, and the grain be lost.
    mesh.uv_triangles.clone_from(&mesh.triangles);
    mesh
}

/// Vertices of each edge, from its beginning to its end.
fn edge_vertices(
    samples: &sample::Samples,
    panel: usize,
    edges: usize,
    outline: &[crate::Segment],
) -> Vec<Vec<u32>> {
    let mut all = vec![Vec::new(); edges];
    for (index, segment) in outline.iter().enumerate() {
        if let Source::Edge(e) = segment.source {
            all[e].extend(samples.vertices(panel, 0, index));
        }
    }
    all.iter_mut().for_each(Vec::dedup);
    all
}

fn ring_vertices(rings: &[Vec<DVec2>]) -> Vec<Vec<u32>> {
    let mut next = 0;
    rings
        .iter()
        .map(|ring| {
            let first = next;
            next += ring.len() as u32;
            (first..next).collect()
        })
        .collect()
}
