//! From simulated cloth to what a camera sees: smooth, with seams, hems and stitches, and a material for each piece.

use super::Wardrobe;
use super::subject::Part;
use crate::error::Error;
use toile_mesh::TriMesh;
use toile_render::detail::{
    Chain, Cloth, Hem, Pressing, Stitch, edge_chains, press, proximity, seam_chains, subdivide,
};
use toile_render::path::Material;

/// Most triangles after subdivision.
const MAX_TRIANGLES: usize = 1_500_000;
/// Edges longer than this do not show what seams and hems do to the surface [m].
const COARSE: f64 = 5e-3;
/// Distance of topstitching from a seam [m], and of the rows of a hem from one another.
const TOPSTITCH: f64 = 2.2e-3;
const ROW: f64 = 5.5e-3;
/// Widths of the depth of a seam and of a row of stitches [m], and the share of the light that it sends back.
const CREASE: [f64; 2] = [1.0e-3, 0.6e-3];
const SHADED: f32 = 0.38;
/// Borders shorter than this are holes, not hems [m].
const SHORTEST: f64 = 0.12;

/// A mesh and its material.
pub(super) struct Piece {
    pub(super) mesh: TriMesh,
    pub(super) material: Material,
}

/// Everything that is cloth or thread.
pub(super) fn pieces(
    cloth: &TriMesh,
    parts: &[Part],
    wardrobe: &Wardrobe,
) -> Result<Vec<Piece>, Error> {
    let levels =
        (0..=2).rev().find(|l| cloth.triangles.len() << (2 * l) <= MAX_TRIANGLES).unwrap_or(0);
    let fine = subdivide(cloth, levels).map_err(super::failed)?;
    let factor = 1 << (2 * levels);
    let largest = parts.iter().max_by_key(|p| p.triangles.len());
    let Some(main) = largest else { return Ok(Vec::new()) };
    let main = wardrobe.get(&main.fabric)?;
    let sewing = main.look.appearance.sewing;
    let thickness = f64::from(main.fabric.thickness()).clamp(2e-4, 3e-3);
    let hem_width = 1e-3 * sewing.hem_mm;
    let seams = seam_chains(&fine);
    let mut hems = edge_chains(&fine);
    hems.retain(|chain| length(&fine, chain) > SHORTEST);
    let pressing = Pressing { thickness, hem: hem_width, stitch: 1e-3 * sewing.stitch_mm };
    let pressed = if mean_edge(&fine) < COARSE {
        let [seams, hems] = [(&seams, 0.02), (&hems, hem_width + 0.015)]
            .map(|(lines, limit)| proximity(&fine, lines, limit));
        press(&fine, &seams, &hems, &pressing)
    } else {
        fine
    };
    let surface = Cloth::new(&pressed);
    let (mut edges, mut threads) = (TriMesh::default(), TriMesh::default());
    let mut creases = TriMesh::default();
    for seam in &seams {
        creases.append(&surface.ribbon(seam, &crease(0.0, CREASE[0])));
    }
    let hem = Hem { thickness, width: hem_width };
    let stitch = |inset: f64| Stitch {
        length: 1e-3 * sewing.stitch_mm,
        thread: 1e-3 * sewing.thread_mm,
        inset,
        lift: 0.15e-3 + 0.2 * thickness,
    };
    for border in &hems {
        edges.append(&surface.rim(border, &hem));
        if hem_width > 0.0 {
            edges.append(&surface.hem_band(border, &hem));
            for row in 0..sewing.rows {
                let inset = (hem_width - 2e-3).max(0.5 * hem_width) - f64::from(row) * ROW;
                if inset > 1e-3 {
                    creases.append(&surface.ribbon(border, &crease(inset, CREASE[1])));
                    threads.append(&surface.stitches(border, &stitch(inset)));
                }
            }
        }
    }
    if sewing.topstitch {
        for seam in &seams {
            for inset in [TOPSTITCH, -TOPSTITCH] {
                threads.append(&surface.stitches(seam, &stitch(inset)));
            }
        }
    }
    let mut pieces = Vec::new();
    for part in parts {
        let fabric = &wardrobe.get(&part.fabric)?.fabric;
        let mesh = cut(&pressed, factor * part.triangles.start..factor * part.triangles.end);
        pieces.push(Piece { mesh, material: Material::Cloth(fabric.clone()) });
    }
    pieces.push(Piece { mesh: edges, material: Material::Cloth(main.fabric.clone()) });
    let [front, back] = [1.15, 1.0].map(|f: f32| match sewing.thread {
        Some(colour) => colour.linear(),
        None => main.simple.front.map(|c| (c * f + 0.004).min(1.0)),
    });
    let material = Material::Matte { front, back, roughness: 0.4 };
    pieces.push(Piece { mesh: threads, material });
    let [front, back] = [main.simple.front, main.simple.back].map(|c| c.map(|c| c * SHADED));
    let material = Material::Matte { front, back, roughness: 0.0 };
    pieces.push(Piece { mesh: creases, material });
    pieces.retain(|p| !p.mesh.triangles.is_empty());
    Ok(pieces)
}

/// A line that the smooth mesh is too coarse to press in: the depth of a seam, where little light comes.
fn crease(inset: f64, width: f64) -> Stitch {
    Stitch { length: 1.0, thread: width, inset, lift: 0.08e-3 }
}

fn length(mesh: &TriMesh, chain: &Chain) -> f64 {
    let at = |v: u32| mesh.positions[v as usize];
    chain.edges().map(|[a, b]| at(a).distance(at(b))).sum()
}

fn mean_edge(mesh: &TriMesh) -> f64 {
    let sum: f64 = (0..mesh.triangles.len())
        .map(|t| {
            let [a, b, c] = mesh.corners(t);
            (a.distance(b) + b.distance(c) + c.distance(a)) / 3.0
        })
        .sum();
    sum / mesh.triangles.len().max(1) as f64
}

/// Some triangles of a mesh, with all its vertices where it has one part only.
fn cut(mesh: &TriMesh, triangles: std::ops::Range<u32>) -> TriMesh {
    let range = triangles.start as usize..triangles.end as usize;
    if range.len() == mesh.triangles.len() {
        return mesh.clone();
    }
    super::compact(&TriMesh {
        positions: mesh.positions.clone(),
        triangles: mesh.triangles[range.clone()].to_vec(),
        uv: mesh.uv.clone(),
        uv_triangles: mesh.uv_triangles[range].to_vec(),
    })
}
