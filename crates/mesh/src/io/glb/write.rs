//! Writing of GLB.
//!
//! Each object is a node with a mesh. Its parts are primitives that share their vertices, with the name of the part in
//! `extras.panel`. Programs that join primitives, as Blender does, find the number of the part of each vertex in the attribute
//! `_PANEL`, and the names in `extras.panels` of the mesh.

mod binary;
mod layout;

use super::super::model::{Material, Model, Object, Rows};
use super::super::{check_writable, invalid_input};
use crate::TriMesh;
use glam::DVec3;
use layout::Layout;
use std::io::{self, Write};

/// How a viewer passes from one frame to the next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Interpolation {
    /// Points move straight between frames.
    #[default]
    Linear,
    /// A frame stays until the next.
    Step,
}

/// How a mesh looks in a viewer. The material is always seen from both sides, as cloth is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Look {
    /// Colour in linear red, green, blue, each from 0 to 1.
    pub base_color: [f32; 3],
    /// 0 for a mirror, 1 for chalk.
    pub roughness: f32,
    /// Passage between the frames of an animation.
    pub interpolation: Interpolation,
    /// Whether the frames of an animation have normals of their own. Without them the file is half
    /// as large, but viewers other than Blender light all frames as the first.
    pub frame_normals: bool,
}

impl Default for Look {
    fn default() -> Self {
        let Material { base_color, roughness, .. } = Material::default();
        Self { base_color, roughness, interpolation: Interpolation::Linear, frame_normals: true }
    }
}

impl Look {
    fn material(&self) -> Material {
        Material { roughness: self.roughness, ..Material::new("cloth", self.base_color) }
    }
}

/// How the frames of an animation are shown.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Playback {
    /// Frames per second: frame i is shown at the time i / `rate` \[s\].
    pub rate: f64,
    /// Passage from one frame to the next.
    pub interpolation: Interpolation,
    /// Whether frames have normals of their own; see [`Look::frame_normals`].
    pub frame_normals: bool,
}

impl Playback {
    /// So many frames per second, straight between them, each with its normals.
    pub fn new(rate: f64) -> Self {
        Self { rate, interpolation: Interpolation::Linear, frame_normals: true }
    }
}

/// Writes a static mesh with normals, and with uv if it has any.
///
/// # Errors
/// If `out` fails, or with [`io::ErrorKind::InvalidInput`] if the mesh has a hard fault or does
/// not fit in 32-bit floats and 4 GB.
pub fn write(out: &mut dyn Write, mesh: &TriMesh, look: &Look) -> io::Result<()> {
    write_animation(out, mesh, std::slice::from_ref(&mesh.positions), 1.0, look)
}

/// Writes the motion of a mesh: its triangles and uv with the positions of `frames`, of which
/// frame i is shown at the time i / `rate` \[s\].
///
/// # Errors
/// If `out` fails, or with [`io::ErrorKind::InvalidInput`] if the mesh has a hard fault, there is
/// no frame, a frame does not fit the mesh, the rate is not positive, or the numbers do not fit in
/// 32-bit floats and 4 GB.
pub fn write_animation(
    out: &mut dyn Write,
    mesh: &TriMesh,
    frames: &[Vec<DVec3>],
    rate: f64,
    look: &Look,
) -> io::Result<()> {
    check_writable(mesh)?;
    let model = Model::of_mesh(mesh.clone(), look.material());
    let Look { interpolation, frame_normals, .. } = *look;
    write_model_animation(out, &model, frames, &Playback { rate, interpolation, frame_normals })
}

/// Writes objects with their parts and materials.
///
/// # Errors
/// If `out` fails, or with [`io::ErrorKind::InvalidInput`] if a mesh has a hard fault, parts do not hold all triangles in
/// order, a material is missing, or the numbers do not fit in 32-bit floats and 4 GB.
pub fn write_model(out: &mut dyn Write, model: &Model) -> io::Result<()> {
    let frame = model.objects.first().map(|o| o.mesh.positions.clone()).unwrap_or_default();
    write_model_animation(out, model, &[frame], &Playback::new(1.0))
}

/// Writes objects in motion: `frames` are positions of the vertices of the first object; the others stand still, or are
/// where their poses or their own frames say.
///
/// # Errors
/// As [`write_model`], and if there is no frame, a frame does not fit the first object, there is not a pose for each frame, or
/// the rate is not positive.
pub fn write_model_animation(
    out: &mut dyn Write,
    model: &Model,
    frames: &[Vec<DVec3>],
    playback: &Playback,
) -> io::Result<()> {
    model.check()?;
    check_frames(model, frames, playback.rate)?;
    let rows: Vec<Rows> = model.objects.iter().map(Rows::new).collect();
    let movie = Movie { model, rows: &rows, frames, playback };
    let layout = Layout::new(&movie);
    let too_large = || {
        let mb = layout.length() / 1_000_000;
        invalid_input(format!("{mb} MB do not fit in a GLB; write fewer frames, or a PC2"))
    };
    // Refused before the JSON is made, which grows with the frames too.
    if layout.length() > u64::from(u32::MAX) {
        return Err(too_large());
    }
    let mut json = layout.json(&movie).to_string().into_bytes();
    json.resize(json.len().next_multiple_of(4), b' ');
    let total = 12 + 8 + json.len() as u64 + 8 + layout.length();
    let total = u32::try_from(total).map_err(|_| too_large())?;
    for word in [*b"glTF", 2_u32.to_le_bytes(), total.to_le_bytes()] {
        out.write_all(&word)?;
    }
    out.write_all(&(json.len() as u32).to_le_bytes())?;
    out.write_all(b"JSON")?;
    out.write_all(&json)?;
    out.write_all(&(layout.length() as u32).to_le_bytes())?;
    out.write_all(b"BIN\0")?;
    binary::write(out, &movie, &layout)
}

/// All that is written.
struct Movie<'a> {
    model: &'a Model,
    /// The vertices of each object.
    rows: &'a [Rows],
    /// Positions of the first object.
    frames: &'a [Vec<DVec3>],
    playback: &'a Playback,
}

impl Movie<'_> {
    /// Positions of an object in each frame; none if it does not change its shape.
    fn frames_of(&self, object: usize) -> &[Vec<DVec3>] {
        if object == 0 { self.frames } else { &self.model.objects[object].frames }
    }

    /// Positions of an object in the first frame.
    fn base(&self, object: usize) -> &[DVec3] {
        self.frames_of(object).first().unwrap_or(&self.model.objects[object].mesh.positions)
    }

    /// Whether an object has morph targets.
    fn is_morphed(&self, object: usize) -> bool {
        self.frames_of(object).len() > 1
    }
}

fn check_frames(model: &Model, frames: &[Vec<DVec3>], rate: f64) -> io::Result<()> {
    if frames.is_empty() {
        return Err(invalid_input("there are no frames; write at least one"));
    }
    if !(rate > 0.0 && rate.is_finite()) {
        return Err(invalid_input(format!("{rate} frames per second; use a positive number")));
    }
    for (k, frame) in frames.iter().enumerate() {
        let count = model.objects[0].mesh.positions.len();
        if frame.len() != count {
            let n = frame.len();
            let what = format!("frame {k} has {n} points for {count} vertices; use its own mesh");
            return Err(invalid_input(what));
        }
        if let Some(v) = frame.iter().position(|p| !p.as_vec3().is_finite()) {
            let what = format!("vertex {v} of frame {k} is no finite 32-bit number; check it");
            return Err(invalid_input(what));
        }
    }
    for (k, object) in model.objects.iter().enumerate() {
        check_own_frames(object, k, frames.len())?;
        let (name, poses) = (&object.name, object.poses.len());
        if poses > 0 && (k == 0 || poses != frames.len()) {
            let what = format!("object `{name}` has {poses} poses for {} frames", frames.len());
            return Err(invalid_input(what));
        }
        let far = |p: &DVec3| !p.as_vec3().is_finite();
        if object.mesh.positions.iter().any(far) || object.poses.iter().any(|p| far(&p.translation))
        {
            let what = format!("object `{name}` is too far for 32-bit numbers; move it");
            return Err(invalid_input(what));
        }
    }
    Ok(())
}

/// Refuses frames that an object has of its own and that do not fit it or the animation.
fn check_own_frames(object: &Object, k: usize, count: usize) -> io::Result<()> {
    let (name, own) = (&object.name, &object.frames);
    if own.is_empty() {
        return Ok(());
    }
    if k == 0 || own.len() != count || !object.poses.is_empty() {
        let what = format!("object `{name}` has {} frames of its own for {count}", own.len());
        return Err(invalid_input(what));
    }
    let points = object.mesh.positions.len();
    if let Some(bad) = own.iter().position(|f| f.len() != points) {
        let what = format!("frame {bad} of object `{name}` is not one point for each vertex");
        return Err(invalid_input(what));
    }
    if own.iter().flatten().any(|p| !p.as_vec3().is_finite()) {
        let what = format!("object `{name}` is too far for 32-bit numbers; move it");
        return Err(invalid_input(what));
    }
    Ok(())
}
