//! The fast preview of a garment: four views in the colours of its fabrics, seams and hems as lines.

use super::view::Frame;
use super::{compact, failed, sheet_tile};
use crate::Fabric;
use crate::error::Error;
use crate::fabric::appearance;
use std::ops::Range;
use toile_mesh::TriMesh;
use toile_render as render;
use toile_render::appearance::Simple;
use toile_render::detail::{Cloth, Stitch, edge_chains, seam_chains, subdivide};
use toile_render::{Image, Material};

/// Most triangles that are subdivided.
const FEW: usize = 60_000;
/// Width of the lines of seams and hems [m], and how much darker they are.
const LINE: f64 = 1.6e-3;
const DARKER: f32 = 0.62;
/// Rays per pixel.
const SAMPLES: u32 = 4;

/// The colours of a fabric, front and back, and its sheen: by its name, or else by its weight.
pub(crate) fn simple(fabric: &Fabric) -> Simple {
    let (appearance, picture) = appearance(fabric);
    Simple::new(&appearance, picture).unwrap_or_else(|_| plain())
}

/// Cloth of which nothing is known.
fn plain() -> Simple {
    let (front, back) = render::palette(0);
    Simple {
        front,
        back,
        roughness: 0.8,
        sheen: [0.0; 3],
        sheen_roughness: 0.5,
        anisotropy: 0.0,
        anisotropy_direction: 0.0,
        transmission: 0.0,
        openness: 0.0,
    }
}

/// The material of the preview for a fabric.
pub(crate) fn material(simple: &Simple) -> Material {
    let fuzz = simple.sheen.iter().fold(0.0_f32, |m, c| m.max(*c));
    let cloth = Material::cloth(simple.front, simple.back);
    Material { sheen: 0.3 + 0.6 * fuzz.min(1.0), roughness: 0.4, ..cloth }
}

/// Triangles of one fabric.
pub(crate) struct Coloured {
    pub(crate) triangles: Range<u32>,
    pub(crate) simple: Simple,
}

/// Four views of a garment on a body.
pub(crate) fn sheet(cloth: &TriMesh, parts: &[Coloured], body: &TriMesh) -> Result<Image, Error> {
    let nothing = || Error::Picture("there is nothing to see".into());
    let frame = Frame::new(&cloth.positions).filter(|_| !cloth.triangles.is_empty());
    let frame = frame.ok_or_else(nothing)?;
    let (ground, _) = body.bounds().ok_or_else(nothing)?;
    let levels = u32::from(cloth.triangles.len() < FEW);
    let fine = subdivide(cloth, levels).map_err(failed)?;
    let factor = 1 << (2 * levels);
    let pieces: Vec<TriMesh> = parts.iter().map(|p| cut(&fine, &p.triangles, factor)).collect();
    let (seams, hems) = lines(&fine);
    let tile = sheet_tile(None, frame.sheet_aspect());
    let aspect = f64::from(tile[0]) / f64::from(tile[1]);
    let main = parts.iter().max_by_key(|p| p.triangles.len()).ok_or_else(nothing)?;
    let dark = main.simple.front.map(|c| c * DARKER);
    let line = Material { sheen: 0.0, ..Material::cloth(dark, dark) };
    let mut images = Vec::new();
    for camera in frame.sheet(aspect) {
        let mut scene = render::Scene::new(camera).with_ground(ground.y);
        for (mesh, part) in pieces.iter().zip(parts) {
            scene = scene.with_item(mesh, material(&part.simple));
        }
        for mesh in [&seams, &hems].into_iter().filter(|m| !m.triangles.is_empty()) {
            scene = scene.with_item(mesh, line);
        }
        scene = scene.with_item(body, Material::plaster());
        let settings =
            render::Settings { samples: SAMPLES, ..render::Settings::new(tile[0], tile[1]) };
        images.push(render::render(&scene, &settings).map_err(failed)?);
    }
    Image::contact_sheet(&images, images.len()).map_err(failed)
}

fn cut(fine: &TriMesh, triangles: &Range<u32>, factor: u32) -> TriMesh {
    let range = (factor * triangles.start) as usize..(factor * triangles.end) as usize;
    compact(&TriMesh::new(fine.positions.clone(), fine.triangles[range].to_vec()))
}

/// Seams, and where hems are sewn, as strips on the cloth.
fn lines(fine: &TriMesh) -> (TriMesh, TriMesh) {
    let surface = Cloth::new(fine);
    let strip = |inset: f64| Stitch { length: 1.0, thread: LINE, inset, lift: 0.4e-3 };
    let (mut seams, mut hems) = (TriMesh::default(), TriMesh::default());
    for seam in &seam_chains(fine) {
        seams.append(&surface.ribbon(seam, &strip(0.0)));
    }
    for border in &edge_chains(fine) {
        hems.append(&surface.ribbon(border, &Stitch { thread: 0.6 * LINE, ..strip(0.018) }));
    }
    (seams, hems)
}

#[cfg(test)]
mod tests {
    use super::*;
    use toile_mesh::shape::{Diagonals, capsule, grid};

    #[test]
    fn the_sheet_shows_the_fabric_in_its_own_colour() {
        let body = capsule(0.1, 0.5, 16, 6);
        let cloth = grid(0.5, 0.5, 12, 12, Diagonals::Alternating)
            .map_positions(|p| glam::DVec3::new(p.x, -p.z, 0.2));
        let red = |name: &str| {
            let simple = simple(&crate::fabric::find(name).unwrap());
            let parts = [Coloured { triangles: 0..cloth.triangles.len() as u32, simple }];
            let image = sheet(&cloth, &parts, &body).unwrap();
            assert!((1590..=1600).contains(&image.width), "{}", image.width);
            let p = image.pixel(image.width / 8, image.height / 2).unwrap();
            i32::from(p[0]) - i32::from(p[2])
        };
        assert!(red("silk") > 60 && red("denim") < -10, "{} {}", red("silk"), red("denim"));
        assert!(sheet(&TriMesh::default(), &[], &body).is_err());
    }
}
