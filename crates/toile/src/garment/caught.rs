//! Where a garment is caught: a picture of a drape that failed, its open stitches as red threads.

use crate::body::{four_views, ribbons};
use crate::error::Error;
use toile_body::Tape;
use toile_garment::Fitting;
use toile_mesh::TriMesh;
use toile_render::{Material, palette, srgb};

/// Its file.
pub(super) const PICTURE: &str = "caught.png";

/// Rays per pixel.
const SAMPLES_PER_PIXEL: u32 = 4;
/// Colours of panels, one after another.
const COLOURS: usize = 5;

/// A PNG from four sides: panels in different colours, and a red thread for every stitch that is open.
pub(super) fn picture(fitting: &Fitting, body: &TriMesh) -> Result<Vec<u8>, Error> {
    let whole = fitting.mesh();
    let part = |colour: usize| {
        let own = fitting.panels().iter().skip(colour).step_by(COLOURS);
        let own = own.flat_map(|panel| panel.triangles.clone());
        let triangles = own.map(|t| whole.triangles[t as usize]).collect();
        let (front, back) = palette(colour);
        (TriMesh::new(whole.positions.clone(), triangles), Material::cloth(front, back))
    };
    let mut parts: Vec<(TriMesh, Material)> = (0..COLOURS).map(part).collect();
    let thread = |line: [glam::DVec3; 2]| Tape {
        name: "thread",
        value: line[0].distance(line[1]),
        line: line.to_vec(),
        closed: false,
    };
    let threads: Vec<Tape> = fitting.threads().into_iter().map(thread).collect();
    let red = srgb(0xd0201a);
    parts.push((ribbons(&threads), Material::cloth(red, red)));
    let seen = parts.iter().filter(|(mesh, _)| !mesh.triangles.is_empty());
    let seen: Vec<(&TriMesh, Material)> = seen.map(|(mesh, material)| (mesh, *material)).collect();
    let mut bytes = Vec::new();
    let image = four_views(body, &seen, SAMPLES_PER_PIXEL)?;
    image.write_png(&mut bytes).map_err(|e| Error::Picture(e.to_string()))?;
    Ok(bytes)
}
