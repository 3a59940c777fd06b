//! All feature pairs nearer than a thickness (D10).

use crate::broad::{Candidates, Detector};
use crate::distance;
use crate::{Motion, NotFinite, Surface};
use glam::DVec3;
use rayon::prelude::*;

/// Two features nearer than the thickness.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ProximityPair {
    /// Vertex and face, or two edges.
    pub pair: [u32; 2],
    /// Distance [m].
    pub distance: f64,
}

/// Pairs nearer than a thickness.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Proximity {
    /// Vertices and faces.
    pub vf: Vec<ProximityPair>,
    /// Edges and edges.
    pub ee: Vec<ProximityPair>,
}

/// All pairs of a surface with itself that are nearer than `thickness` at positions `x`.
///
/// Neighbours in the mesh that are near because the mesh is fine are among them: features that
/// share a vertex are not, as their distance is zero by construction.
///
/// ```
/// use glam::DVec3;
/// use toile_collide::broad::Detector;
/// use toile_collide::{Surface, proximity};
/// use toile_mesh::Topology;
///
/// // Two triangles, the second 2 mm above the first.
/// let low = [DVec3::ZERO, DVec3::X, DVec3::Z];
/// let x: Vec<DVec3> = low.iter().copied().chain(low.iter().map(|p| *p + DVec3::Y * 2e-3)).collect();
/// let triangles = [[0, 1, 2], [3, 4, 5]];
/// let surface = Surface::new(6, &triangles, &Topology::new(6, &triangles));
/// let mut detector = Detector::for_body(surface, &x);
/// let near = proximity::self_proximity(&mut detector, &x, 3e-3)?;
/// assert!(near.vf.iter().all(|n| (n.distance - 2e-3).abs() < 1e-12));
/// assert_eq!(near.vf.len(), 6); // each corner and the other face
/// # Ok::<(), toile_collide::NotFinite>(())
/// ```
pub fn self_proximity(
    detector: &mut Detector,
    x: &[DVec3],
    thickness: f64,
) -> Result<Proximity, NotFinite> {
    detector.update(Motion::still(x), thickness, None)?;
    // No cone: flat neighbours can be near without being folded.
    let (candidates, _) = detector.self_candidates(0.0);
    Ok(measure(&detector.surface, &candidates, x, thickness))
}

/// Keeps the candidates that are really nearer than `thickness`.
pub fn measure(
    surface: &Surface,
    candidates: &Candidates,
    x: &[DVec3],
    thickness: f64,
) -> Proximity {
    let at = |v: u32| x[v as usize];
    let vf = |[v, t]: [u32; 2]| {
        let face = surface.triangles[t as usize].map(at);
        let w = distance::point_triangle(at(v), face);
        at(v).distance(w[0] * face[0] + w[1] * face[1] + w[2] * face[2])
    };
    let ee = |[a, b]: [u32; 2]| {
        let (a, b) = (surface.edges[a as usize].map(at), surface.edges[b as usize].map(at));
        let [s, t] = distance::edge_edge(a, b);
        a[0].lerp(a[1], s).distance(b[0].lerp(b[1], t))
    };
    let near = |pairs: &[[u32; 2]], d: &(dyn Fn([u32; 2]) -> f64 + Sync)| -> Vec<ProximityPair> {
        pairs
            .par_iter()
            .with_min_len(1024)
            .map(|p| ProximityPair { pair: *p, distance: d(*p) })
            .filter(|n| n.distance < thickness)
            .collect()
    };
    Proximity { vf: near(&candidates.vf, &vf), ee: near(&candidates.ee, &ee) }
}
