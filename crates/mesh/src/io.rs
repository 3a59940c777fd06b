//! Reading and writing meshes and animations.
//!
//! | format | holds | numbers |
//! | --- | --- | --- |
//! | [`obj`] | mesh with uv | text, bit for bit |
//! | [`ply`] | mesh with uv | binary or text; doubles when written here |
//! | [`glb`] | mesh with uv, or an animation | 32-bit floats |
//! | [`pc2`] | the frames of an animation, without triangles | 32-bit floats |
//!
//! A [`Model`] is what OBJ and GLB can hold besides a mesh: several objects, their parts and materials.
//!
//! [`read_mesh`] and [`write_mesh`] choose the format by the file extension. A reader either
//! returns a mesh without hard faults (see [`TriMesh::validate`]) or an [`Error`] that names the
//! file, the line or byte, and the remedy. It never trusts a count in a header: memory grows with
//! what the file really holds.

mod atomic;
mod bytes;
mod error;
pub mod glb;
mod model;
pub mod obj;
pub mod pc2;
pub mod ply;
pub mod source;

pub use atomic::write_atomically;
pub use error::{Error, Place};
pub use model::{Material, Model, Object, Part, RigidPose, Textures, WeaveLook};

use crate::TriMesh;
use std::io::Write;
use std::path::Path;

/// A file format of meshes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// Wavefront OBJ: text, separate uv indices, the best choice for cloth.
    Obj,
    /// Stanford PLY.
    Ply,
    /// Binary glTF 2.0.
    Glb,
}

impl Format {
    /// The format that the extension of `path` stands for, in upper or lower case.
    ///
    /// # Errors
    /// If it stands for none.
    pub fn of(path: &Path) -> Result<Self, Error> {
        let extension = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
        match extension.as_str() {
            "obj" => Ok(Self::Obj),
            "ply" => Ok(Self::Ply),
            "glb" => Ok(Self::Glb),
            _ => Err(Error::UnknownFormat { path: path.to_path_buf() }),
        }
    }

    /// Reads a mesh from the contents of a file; `name` is for error messages.
    ///
    /// # Errors
    /// If the contents are not a usable mesh.
    pub fn read(self, bytes: &[u8], name: &str) -> Result<TriMesh, Error> {
        if let (Self::Obj | Self::Ply, Some(order)) = (self, source::utf16(bytes)) {
            return Err(Error::Malformed {
                name: name.to_owned(),
                place: Place::Byte(0),
                what: format!("this is text in UTF-16 ({order} endian)"),
                remedy: "save it as UTF-8 or plain ASCII",
            });
        }
        match self {
            Self::Obj => obj::read(bytes, name),
            Self::Ply => ply::read(bytes, name),
            Self::Glb => glb::read(bytes, name),
        }
    }

    /// Writes a mesh.
    ///
    /// # Errors
    /// If `out` fails, or with [`std::io::ErrorKind::InvalidInput`] if the mesh has a hard fault.
    pub fn write(self, out: &mut dyn Write, mesh: &TriMesh) -> std::io::Result<()> {
        match self {
            Self::Obj => obj::write(out, mesh),
            Self::Ply => ply::write(out, mesh),
            Self::Glb => glb::write(out, mesh, &glb::Look::default()),
        }
    }
}

/// Reads a mesh in the format of its extension.
///
/// A GLB comes back as it is stored, split where its uv jumps; see [`TriMesh::weld`].
///
/// # Errors
/// If the file cannot be read or is not a usable mesh.
pub fn read_mesh(path: impl AsRef<Path>) -> Result<TriMesh, Error> {
    let path = path.as_ref();
    let format = Format::of(path)?;
    format.read(&read_file(path)?, &path.display().to_string())
}

/// Writes a mesh in the format of its extension: the whole file or nothing.
///
/// # Errors
/// If the extension is unknown, the mesh has a hard fault, or the file cannot be written.
pub fn write_mesh(path: impl AsRef<Path>, mesh: &TriMesh) -> Result<(), Error> {
    let path = path.as_ref();
    let format = Format::of(path)?;
    let invalid = |fault| Error::Invalid { name: path.display().to_string(), fault };
    mesh.check().map_err(invalid)?;
    write_atomically(path, |out| format.write(out, mesh))
}

/// All bytes of a file.
///
/// # Errors
/// If it cannot be read, is no regular file, or is larger than [`source::MAX_MESH_BYTES`].
pub fn read_file(path: &Path) -> Result<Vec<u8>, Error> {
    source::read_bytes(path, source::MAX_MESH_BYTES)
        .map_err(|source| Error::Read { path: path.to_path_buf(), source })
}

/// What a writer returns for a mesh that could not be read back.
fn check_writable(mesh: &TriMesh) -> std::io::Result<()> {
    mesh.check().map_err(invalid_input)
}

/// An error of the caller, as writers return it.
fn invalid_input(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> std::io::Error {
    std::io::Error::new(std::io::ErrorKind::InvalidInput, error)
}
