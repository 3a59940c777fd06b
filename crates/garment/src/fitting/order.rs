//! Which seams are closed first.
//!
//! Seams that lie over the body, of shoulders and along the top of sleeves, are closed before all others: the garment then hangs where it
//! is to be worn, and no other seam draws it under an arm meanwhile. They are told by the body, which is right below them.
//!
//! Sleeves that begin as halves of a tube are closed then, too: where they lie, down the arm, a narrow one fits. Drawn up to the shoulder
//! first, its end would have to be closed around an arm that is thicker there.

use glam::DVec3;
use toile_mesh::TriMesh;
use toile_pattern::meshing::PatternMesh;

/// Such seams are above this part of the height of the body.
const HIGH: f64 = 0.68;
/// How far their panels are apart at least [m].
const APART: f64 = 0.06;
/// How far below them the body is at most, how little above them, and how far beside them it is looked for [m].
const BELOW: f64 = 0.15;
const ABOVE: f64 = 0.01;
const BESIDE: f64 = 0.02;

/// For every pair of sewn vertices of panels that are where `x` says whether its seam is closed first: because it lies over the body, or
/// because both its panels are of one sleeve.
pub(super) fn first(
    mesh: &PatternMesh,
    x: &[DVec3],
    body: &TriMesh,
    sleeves: &[Option<u32>],
) -> Vec<bool> {
    let arm = |v: &toile_pattern::meshing::PanelVertex| sleeves.get(v.panel as usize).copied()?;
    let offsets = mesh.offsets();
    let Some((low, high)) = body.bounds() else { return Vec::new() };
    let least = low.y + HIGH * (high.y - low.y);
    let mut all = Vec::new();
    for stitching in &mesh.stitchings {
        let pairs = stitching.pairs.iter();
        let ends = |pair: &[toile_pattern::meshing::PanelVertex; 2]| {
            pair.map(|v| x[(offsets[v.panel as usize] + v.vertex) as usize])
        };
        let over = pairs.clone().filter(|pair| lies_over(ends(pair), least, body)).count();
        let is_over = 2 * over > stitching.pairs.len();
        all.extend(pairs.map(|[a, b]| is_over || arm(a).is_some() && arm(a) == arm(b)));
    }
    all
}

/// Whether the body is right below the middle of a stitch that is to be closed from front to back.
fn lies_over([a, b]: [DVec3; 2], least: f64, body: &TriMesh) -> bool {
    let (across, middle) = ((a - b).abs(), 0.5 * (a + b));
    if middle.y < least || across.z < APART || across.z < across.x.max(across.y) {
        return false;
    }
    let beside = |p: &&DVec3| {
        (p.x - middle.x).abs() < BESIDE && (p.z - middle.z).abs() < 0.5 * across.z + BESIDE
    };
    // What is above may be the head, beside a neckline.
    let mut heights = body.positions.iter().filter(beside).map(|p| p.y - middle.y);
    heights.any(|y| (-BELOW..ABOVE).contains(&y))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shoulder_lies_over_the_body_and_a_side_seam_or_what_is_below_does_not() {
        let body = toile_mesh::shape::sphere(0.2, 3).map_positions(|p| p + DVec3::Y * 1.4);
        let over = |x: f64, y: f64| {
            let at = |z: f64| DVec3::new(x, y, z);
            lies_over([at(0.25), at(-0.25)], 1.0, &body)
        };
        assert!(over(0.0, 1.65) && over(0.1, 1.6));
        assert!(!over(0.0, 1.1), "the body is above");
        assert!(!over(0.4, 1.6), "the body is beside");
        assert!(!over(0.0, 1.9), "the body is far below");
        let side = [DVec3::new(0.3, 1.62, 0.0), DVec3::new(-0.3, 1.62, 0.0)];
        assert!(!lies_over(side, 1.0, &body), "not from front to back");
    }
}
