//! Bodies in motion, as files and pictures.

use crate::convert::{Clip, extension, write_clip};
use crate::error::Error;
use glam::DVec3;
use std::path::{Path, PathBuf};
use toile_mesh::TriMesh;
use toile_mesh::io::{self, Model, source};
use toile_render as render;
use toile_render::Image;

pub use toile_body::motion::{
    Bvh, Clip as Motion, Performance, Recording, Rig, Skinning, Source, Stance,
};

/// Largest BVH file that is read [bytes].
const MAX_BVH_BYTES: u64 = 256 << 20;

/// Size of a moment on a sheet [px].
const MOMENT: [u32; 2] = [230, 460];

/// Reads a BVH file.
///
/// # Errors
/// If it cannot be read, is too large, or breaks the rules of the format.
pub fn read_bvh(path: &Path) -> Result<Bvh, Error> {
    let text = source::read_text(path, MAX_BVH_BYTES)
        .map_err(|source| io::Error::Read { path: path.to_path_buf(), source })?;
    Ok(Bvh::parse(&text, &path.display().to_string())?)
}

/// Writes a body in motion as GLB, USDA or PC2: the whole file or nothing. Beside a PC2, which has no triangles, goes the mesh of the first
/// frame as OBJ.
///
/// Returns the files.
///
/// # Errors
/// If the format cannot hold it or a file cannot be written.
pub fn write_motion(
    path: &Path,
    mesh: &TriMesh,
    frames: Vec<Vec<DVec3>>,
    fps: f64,
) -> Result<Vec<PathBuf>, Error> {
    let first = frames.first().cloned().unwrap_or_default();
    let mesh = TriMesh { positions: first, ..mesh.clone() };
    let material = io::Material::new("skin", [0.55, 0.5, 0.45]);
    let mut model = Model::of_mesh(mesh, material);
    model.objects[0].name = "body".into();
    let clip = Clip { model, frames, fps };
    write_clip(path, &clip)?;
    let mut written = vec![path.to_path_buf()];
    if extension(path) == "pc2" {
        let obj = path.with_extension("obj");
        io::write_mesh(&obj, clip.mesh())?;
        written.push(obj);
    }
    Ok(written)
}

/// Draws moments of a body in motion side by side, each from its left, three quarters to the front.
///
/// # Errors
/// If there is nothing to see or the picture cannot be written.
pub fn moments_to(path: &Path, mesh: &TriMesh, moments: &[Vec<DVec3>]) -> Result<(), Error> {
    let failed = |e: render::Error| Error::Picture(e.to_string());
    let [width, height] = MOMENT;
    let top = moments.iter().flatten().map(|p| p.y).fold(0.0, f64::max);
    let mut views = Vec::new();
    for positions in moments {
        let mesh = TriMesh { positions: positions.clone(), ..mesh.clone() };
        let (lo, hi) =
            mesh.bounds().ok_or_else(|| Error::Picture("there is nothing to see".into()))?;
        // All moments in one size, each in its own middle.
        let (middle, reach) = (0.5 * (lo + hi), 0.2 * top);
        let corner = |s: f64, y: f64| DVec3::new(middle.x + s * reach, y, middle.z + s * reach);
        let aspect = f64::from(width) / f64::from(height);
        let camera = render::Camera::framing(
            corner(-1.0, 0.0),
            corner(1.0, top),
            65_f64.to_radians(),
            0.08,
            aspect,
        );
        let scene = render::Scene::new(camera)
            .with_item(&mesh, render::Material::plaster())
            .with_ground(0.0);
        let settings = render::Settings { samples: 8, ..render::Settings::new(width, height) };
        views.push(render::render(&scene, &settings).map_err(failed)?);
    }
    let image = Image::contact_sheet(&views, views.len()).map_err(failed)?;
    let mut bytes = Vec::new();
    image.write_png(&mut bytes).map_err(|e| Error::Picture(e.to_string()))?;
    Ok(io::write_atomically(path, |out| out.write_all(&bytes))?)
}
