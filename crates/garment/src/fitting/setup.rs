//! What a fitting begins with: all panels in one mesh, tapes and elastics, the length of stitches.

use super::PanelRange;
use crate::arrange::Arrangement;
use glam::DVec2;
use toile_mesh::TriMesh;
use toile_pattern::meshing::PatternMesh;
use toile_sim::barrier::Seam;

/// Stiffness of the tape that stays a band [N], and the strain beyond which its pull grows no more.
const TAPE_STIFFNESS: f64 = 100.0;
const TAPE_MAX_STRAIN: f64 = 0.2;
/// The same strain for elastics, which are stretched to twice their length and more.
const ELASTIC_MAX_STRAIN: f64 = 2.0;
/// Room between panels in the material plane [m].
const PANEL_SPACING: f64 = 0.05;

/// All panels where they are put, side by side in the material plane: where they overlapped there, the detector could not
/// tell that they are flat.
pub(super) fn joined(mesh: &PatternMesh, arrangement: &Arrangement) -> (TriMesh, Vec<PanelRange>) {
    let (mut all, mut ranges) = (TriMesh::default(), Vec::new());
    let mut next = 0.0;
    for (panel, x) in mesh.panels.iter().zip(&arrangement.panels) {
        let mut put = panel.mesh.clone();
        put.positions.clone_from(x);
        let low = put.uv.iter().map(|p| p.x).fold(f64::INFINITY, f64::min);
        let high = put.uv.iter().map(|p| p.x).fold(f64::NEG_INFINITY, f64::max);
        put.uv.iter_mut().for_each(|p| *p += DVec2::new(next - low, 0.0));
        next += high - low + PANEL_SPACING;
        let first = all.triangles.len() as u32;
        all.append(&put);
        let triangles = first..all.triangles.len() as u32;
        ranges.push(PanelRange { name: panel.name.clone(), triangles });
    }
    (all, ranges)
}

/// Tapes along the long edges of bands, and elastics: a piece between every two neighbours. A band with an elastic has no
/// tape, for it must give way.
pub(super) fn tapes(mesh: &PatternMesh, bands: &[bool]) -> Vec<Seam> {
    let offsets = mesh.offsets();
    let mut tapes = Vec::new();
    for (i, panel) in mesh.panels.iter().enumerate() {
        let at = |v: u32| panel.mesh.positions[v as usize];
        let length = |e: &[u32]| e.windows(2).map(|w| at(w[0]).distance(at(w[1]))).sum::<f64>();
        let mut along = |line: &[u32], ratio: f64, stiffness: f64, gives: f64| {
            for w in line.windows(2) {
                let rest = ratio * at(w[0]).distance(at(w[1]));
                let vertices = [w[0], w[1]].map(|v| v + offsets[i]);
                tapes.push(Seam { vertices, force: stiffness * gives, slack: gives * rest, rest });
            }
        };
        for elastic in &panel.elastics {
            along(&elastic.vertices, elastic.ratio, elastic.stiffness, ELASTIC_MAX_STRAIN);
        }
        if bands[i] && panel.elastics.is_empty() {
            let longest = panel.edges.iter().map(|e| length(e)).fold(0.0, f64::max);
            let long = panel.edges.iter().filter(|e| length(e) > 0.5 * longest);
            long.for_each(|e| along(e, 1.0, TAPE_STIFFNESS, TAPE_MAX_STRAIN));
        }
    }
    tapes
}

/// Mean distance of neighbours on the outlines of the panels.
pub(super) fn spacing(mesh: &PatternMesh) -> f64 {
    let (mut sum, mut count) = (0.0, 0.0);
    for panel in &mesh.panels {
        for ring in &panel.rings {
            for (k, v) in ring.iter().enumerate() {
                let next = ring[(k + 1) % ring.len()];
                let x = &panel.mesh.positions;
                sum += x[*v as usize].distance(x[next as usize]);
                count += 1.0;
            }
        }
    }
    sum / f64::max(count, 1.0)
}
