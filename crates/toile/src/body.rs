//! Pictures of bodies, with the tapes that measured them.

mod character;
mod motion;
mod moving;
mod room;

use crate::error::Error;
use crate::input::MeshFile;
use glam::DVec3;
use std::path::Path;
use toile_body::Tape;
use toile_mesh::{TriMesh, io};
use toile_render as render;
use toile_render::{Image, Material, srgb};

pub(crate) use character::{Character, Dressable, moves};
pub use motion::{
    Bvh, Motion, Performance, Recording, Rig, Skinning, Source, Stance, moments_to, read_bvh,
    write_motion,
};
pub use moving::{MotionOrder, MotionReport, MovingBody};
pub use room::SelfContact;
pub use toile_body::{
    Body, Figure, Landmarks, Mannequin, Measured, Part, Pose, Repairs, fitted, measure, repair,
};

/// Directions of the views around the vertical axis [degrees]: front, three quarters, side, back.
const VIEWS: [f64; 4] = [0.0, 40.0, 90.0, 180.0];

/// Size of a view [px].
const VIEW: [u32; 2] = [360, 620];

/// Half the thickness of a drawn tape [m].
const TAPE: f64 = 0.0022;

impl From<toile_body::Error> for Error {
    fn from(error: toile_body::Error) -> Self {
        Self::request(error.to_string(), error.help())
    }
}

/// Reads the mesh of a body from a file and makes it one that can be measured and dressed.
///
/// # Errors
/// If it cannot be read, is animated or is no body; the file is named.
pub fn read(path: &Path) -> Result<(TriMesh, Repairs), Error> {
    let file = MeshFile::read(path)?;
    if file.frames > 0 {
        let message = format!("{}: the body is animated; it would stand still", path.display());
        return Err(Error::request(message, "export it in one pose, without its animation"));
    }
    repair(&file.mesh).map_err(|e| of_file(path, &e))
}

/// What is wrong with a body, and in which file it is.
pub fn of_file(path: &Path, error: &toile_body::Error) -> Error {
    Error::request(format!("{}: {error}", path.display()), error.help())
}

/// Draws a body from four sides, with tapes in red.
///
/// # Errors
/// If there is nothing to see.
pub fn portrait(mesh: &TriMesh, tapes: &[Tape]) -> Result<Image, Error> {
    let ribbons = ribbons(tapes);
    let red = srgb(0xa8322d);
    let wears: &[_] = &[(&ribbons, Material::cloth(red, red))];
    four_views(mesh, if ribbons.triangles.is_empty() { &[] } else { wears }, 8)
}

/// Draws a body with what it wears from four sides, in the same size, with so many rays per pixel.
///
/// # Errors
/// If there is nothing to see.
pub(crate) fn four_views(
    body: &TriMesh,
    wears: &[(&TriMesh, Material)],
    samples: u32,
) -> Result<Image, Error> {
    let (lo, hi) = body.bounds().ok_or_else(|| Error::Picture("there is nothing to see".into()))?;
    let failed = |e: render::Error| Error::Picture(e.to_string());
    let [width, height] = VIEW;
    let aspect = f64::from(width) / f64::from(height);
    let (middle, low, high) = (0.5 * (lo + hi), lo.y, hi.y);
    let mut views = Vec::new();
    for azimuth in VIEWS {
        // Arms may be cut at the edges: all views show the body in the same size, also across the corner.
        let (sine, cosine) = azimuth.to_radians().sin_cos();
        let reach = 0.28 * (high - low) / (sine.abs() + cosine.abs());
        let corner =
            |side: f64, y: f64| DVec3::new(middle.x + side * reach, y, middle.z + side * reach);
        let (lo, hi) = (corner(-1.0, low), corner(1.0, high));
        let camera = render::Camera::framing(lo, hi, azimuth.to_radians(), 0.06, aspect);
        let mut scene =
            render::Scene::new(camera).with_item(body, Material::plaster()).with_ground(low);
        for (mesh, material) in wears {
            scene = scene.with_item(mesh, *material);
        }
        let settings = render::Settings { samples, ..render::Settings::new(width, height) };
        views.push(render::render(&scene, &settings).map_err(failed)?);
    }
    Image::contact_sheet(&views, VIEWS.len()).map_err(failed)
}

/// Draws a body to a PNG file.
///
/// # Errors
/// If it cannot be drawn or written.
pub fn portrait_to(path: &Path, mesh: &TriMesh, tapes: &[Tape]) -> Result<(), Error> {
    let mut bytes = Vec::new();
    let image = portrait(mesh, tapes)?;
    image.write_png(&mut bytes).map_err(|e| Error::Picture(e.to_string()))?;
    Ok(io::write_atomically(path, |out| out.write_all(&bytes))?)
}

/// Tapes as square rods, segment by segment.
pub(crate) fn ribbons(tapes: &[Tape]) -> TriMesh {
    let mut rods = TriMesh::default();
    for tape in tapes {
        let n = tape.line.len();
        let last = if tape.closed { n } else { n.saturating_sub(1) };
        for i in 0..last {
            let (a, b) = (tape.line[i], tape.line[(i + 1) % n]);
            let Some(along) = (b - a).try_normalize() else { continue };
            let (u, v) = along.any_orthonormal_pair();
            let first = rods.positions.len() as u32;
            for end in [a - along * TAPE, b + along * TAPE] {
                for (s, t) in [(1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0)] {
                    rods.positions.push(end + (s * u + t * v) * TAPE);
                }
            }
            for k in 0..4 {
                let l = (k + 1) % 4;
                let [p, q, r, s] = [k, l, l + 4, k + 4].map(|c| first + c);
                rods.triangles.extend([[p, q, r], [p, r, s]]);
            }
        }
    }
    rods
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tape_is_drawn_around_a_body() {
        let body = toile_mesh::shape::capsule(0.2, 1.4, 24, 8);
        let p = |x: f64, z: f64| DVec3::new(x, 0.0, z);
        let line = vec![p(0.21, 0.21), p(-0.21, 0.21), p(-0.21, -0.21), p(0.21, -0.21)];
        let tape = Tape { name: "waist_girth", value: 1.68, line, closed: true };
        let rods = ribbons(std::slice::from_ref(&tape));
        assert_eq!((rods.positions.len(), rods.triangles.len()), (32, 32));
        let plain = portrait(&body, &[]).expect("a picture");
        let drawn = portrait(&body, &[tape]).expect("a picture");
        assert!(plain.width > plain.height && plain != drawn);
        assert!(portrait(&TriMesh::default(), &[]).is_err());
    }
}
