//! Stanford PLY.
//!
//! Reads text and both binary byte orders with any scalar types: `x y z` of the element `vertex`,
//! the lists `vertex_indices` or `vertex_index` of `face`; polygons are cut into fans. Material
//! coordinates are `s t`, `u v` or `texture_u texture_v` of the vertices, or a list `texcoord` of
//! the faces, with two numbers for each corner. All other elements and properties are skipped.
//!
//! Writes binary little endian with doubles. Material coordinates go to the vertices where each
//! has just one, else to the faces, so that a seam does not split the mesh.

mod header;

use super::bytes::{Cursor, Scalar};
use super::error::excerpt;
use super::{Error, Place, check_writable};
use crate::{TriMesh, weld::classes};
use glam::{DVec2, DVec3};
use header::{Element, Encoding, Property, parse_header};
use std::io::Write;

/// Reads a mesh; `name` is for error messages.
///
/// # Errors
/// If the file breaks the rules of the format, or the mesh has a hard fault.
pub fn read(bytes: &[u8], name: &str) -> Result<TriMesh, Error> {
    let mut cursor = Cursor::new(bytes, name);
    let header = parse_header(&mut cursor)?;
    let mut values = Values { cursor, encoding: header.encoding };
    let mut parts = Parts::default();
    let vertices = header.elements.iter().find(|e| e.name == "vertex").map_or(0, |e| e.count);
    for element in &header.elements {
        match element.name.as_str() {
            "vertex" => read_vertices(&mut values, element, &mut parts)?,
            "face" => read_faces(&mut values, element, vertices, &mut parts)?,
            _ => skip(&mut values, element)?,
        }
    }
    let mesh = parts.into_mesh();
    mesh.check().map_err(|fault| Error::Invalid { name: name.to_owned(), fault })?;
    Ok(mesh)
}

/// What the elements of a file amount to.
#[derive(Default)]
struct Parts {
    positions: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
    /// One for each vertex, or empty.
    vertex_uv: Vec<DVec2>,
    /// One for each corner of each triangle, or empty.
    corner_uv: Vec<[DVec2; 3]>,
}

impl Parts {
    fn into_mesh(self) -> TriMesh {
        let mut mesh = TriMesh::new(self.positions, self.triangles);
        if !self.corner_uv.is_empty() && self.corner_uv.len() == mesh.triangles.len() {
            // Corners with equal coordinates are one point of the pattern.
            let corners: Vec<DVec2> = self.corner_uv.into_iter().flatten().collect();
            let (map, kept) = classes(corners.iter().map(|p| (0, p.extend(0.0))));
            mesh.uv = kept.iter().map(|i| corners[*i as usize]).collect();
            mesh.uv_triangles = map.chunks_exact(3).map(|t| [t[0], t[1], t[2]]).collect();
        } else if !self.vertex_uv.is_empty() {
            mesh.uv_triangles = mesh.triangles.clone();
            mesh.uv = self.vertex_uv;
        }
        mesh
    }
}

/// The numbers behind the header, one at a time.
struct Values<'a> {
    cursor: Cursor<'a>,
    encoding: Encoding,
}

impl Values<'_> {
    fn next(&mut self, scalar: Scalar) -> Result<f64, Error> {
        match self.encoding {
            Encoding::Ascii => self.next_word(),
            Encoding::Little => {
                let bytes = self.cursor.take(scalar.size())?;
                Ok(scalar.decode(bytes.iter().copied()))
            }
            Encoding::Big => {
                let bytes = self.cursor.take(scalar.size())?;
                Ok(scalar.decode(bytes.iter().rev().copied()))
            }
        }
    }

    fn next_word(&mut self) -> Result<f64, Error> {
        let rest = &self.cursor.bytes[self.cursor.at..];
        let space = rest.iter().take_while(|b| b.is_ascii_whitespace()).count();
        let word = &rest[space..];
        let word = &word[..word.iter().take_while(|b| !b.is_ascii_whitespace()).count()];
        self.cursor.at += space;
        let start = self.cursor.at;
        self.cursor.at += word.len();
        if word.is_empty() {
            let remedy = "it was cut off, or its header promises too much: export it again";
            return Err(self.error(start, "the file ends too early", remedy));
        }
        std::str::from_utf8(word).ok().and_then(|s| s.parse().ok()).ok_or_else(|| {
            let what = format!("`{}` is not a number", excerpt(word));
            self.error(start, what, "correct or export the file again")
        })
    }

    /// The length of a list.
    fn length(&mut self, scalar: Scalar) -> Result<u64, Error> {
        let at = self.cursor.at;
        let length = self.next(scalar)?;
        if length >= 0.0 && length <= f64::from(u32::MAX) && length.fract() == 0.0 {
            Ok(length as u64)
        } else {
            let what = format!("a list of length {length}");
            Err(self.error(at, what, "the file is damaged: export it again"))
        }
    }

    /// An error at byte `at`, named by the line of the next word in a text.
    fn error(&self, at: usize, what: impl Into<String>, remedy: &'static str) -> Error {
        let place = match self.encoding {
            Encoding::Ascii => {
                let space = self.cursor.bytes[at..].iter().take_while(|b| b.is_ascii_whitespace());
                Place::Line(line_of(self.cursor.bytes, at + space.count()))
            }
            _ => Place::Byte(at),
        };
        Error::Malformed { name: self.cursor.name.to_owned(), place, what: what.into(), remedy }
    }
}

/// The line of byte `at`, counted from 1.
fn line_of(bytes: &[u8], at: usize) -> usize {
    1 + bytes[..at.min(bytes.len())].iter().filter(|b| **b == b'\n').count()
}

/// Reads past an element.
fn skip(values: &mut Values<'_>, element: &Element) -> Result<(), Error> {
    // Without properties a row has no bytes, and there may be any number of them.
    let rows = if element.properties.is_empty() { 0 } else { element.count };
    for _ in 0..rows {
        for property in &element.properties {
            skip_property(values, property)?;
        }
    }
    Ok(())
}

fn skip_property(values: &mut Values<'_>, property: &Property) -> Result<(), Error> {
    let length = match property.length {
        Some(scalar) => values.length(scalar)?,
        None => 1,
    };
    for _ in 0..length {
        values.next(property.scalar)?;
    }
    Ok(())
}

const UV_NAMES: [[&str; 2]; 4] =
    [["s", "t"], ["u", "v"], ["texture_u", "texture_v"], ["texture_s", "texture_t"]];

fn read_vertices(
    values: &mut Values<'_>,
    element: &Element,
    parts: &mut Parts,
) -> Result<(), Error> {
    let scalar_named =
        |name: &str| element.properties.iter().position(|p| p.name == name && p.length.is_none());
    let [Some(x), Some(y), Some(z)] = ["x", "y", "z"].map(scalar_named) else {
        let remedy = "export positions with the mesh";
        return Err(values.cursor.error(0, "the vertices have no x, y and z", remedy));
    };
    let uv =
        UV_NAMES.map(|names| names.map(scalar_named)).iter().find_map(|uv| Some([uv[0]?, uv[1]?]));
    let size = element.smallest_row(values.encoding);
    let capacity = values.cursor.bounded(element.count, size);
    parts.positions.reserve(capacity);
    if uv.is_some() {
        parts.vertex_uv.reserve(capacity);
    }
    let mut row = vec![0.0; element.properties.len()];
    for _ in 0..element.count {
        let start = values.cursor.at;
        for (property, value) in element.properties.iter().zip(&mut row) {
            if property.length.is_some() {
                skip_property(values, property)?;
            } else {
                *value = values.next(property.scalar)?;
            }
        }
        let position = DVec3::new(row[x], row[y], row[z]);
        let uv = uv.map(|[u, v]| DVec2::new(row[u], row[v]));
        if !position.is_finite() || uv.is_some_and(|uv| !uv.is_finite()) {
            let what = format!("vertex {} is not finite", parts.positions.len());
            return Err(values.error(start, what, "remove the vertex or export again"));
        }
        parts.positions.push(position);
        parts.vertex_uv.extend(uv);
    }
    Ok(())
}

fn read_faces(
    values: &mut Values<'_>,
    element: &Element,
    vertices: u64,
    parts: &mut Parts,
) -> Result<(), Error> {
    let list_named =
        |name: &str| element.properties.iter().position(|p| p.name == name && p.length.is_some());
    let Some(indices) = list_named("vertex_indices").or_else(|| list_named("vertex_index")) else {
        let remedy = "export faces as lists vertex_indices";
        return Err(values.cursor.error(0, "the faces have no vertex indices", remedy));
    };
    let texcoord = list_named("texcoord");
    let size = element.smallest_row(values.encoding);
    parts.triangles.reserve(values.cursor.bounded(element.count, size));
    let (mut polygon, mut uv) = (Vec::new(), Vec::new());
    for face in 0..element.count {
        let start = values.cursor.at;
        for (k, property) in element.properties.iter().enumerate() {
            match property.length {
                Some(length) if k == indices => {
                    polygon.clear();
                    for _ in 0..values.length(length)? {
                        polygon.push(read_index(values, property.scalar, face, vertices)?);
                    }
                }
                Some(length) if Some(k) == texcoord => {
                    uv.clear();
                    for _ in 0..values.length(length)? {
                        uv.push(values.next(property.scalar)?);
                    }
                }
                _ => skip_property(values, property)?,
            }
        }
        if polygon.len() < 3 {
            let what = format!("face {face} has {} corners", polygon.len());
            return Err(values.error(start, what, "a face needs three or more; remove it"));
        }
        for k in 2..polygon.len() {
            parts.triangles.push([polygon[0], polygon[k - 1], polygon[k]]);
        }
        if texcoord.is_some() && uv.len() == 2 * polygon.len() {
            let at = |k: usize| DVec2::new(uv[2 * k], uv[2 * k + 1]);
            parts.corner_uv.extend((2..polygon.len()).map(|k| [at(0), at(k - 1), at(k)]));
        }
    }
    Ok(())
}

fn read_index(
    values: &mut Values<'_>,
    scalar: Scalar,
    face: u64,
    vertices: u64,
) -> Result<u32, Error> {
    let at = values.cursor.at;
    let index = values.next(scalar)?;
    let most = f64::from(u32::MAX).min(vertices as f64);
    if !(index >= 0.0 && index < most && index.fract() == 0.0) {
        let what = format!("face {face} uses vertex {index}, but there are {vertices}");
        return Err(values.error(at, what, "indices count from 0: export the file again"));
    }
    Ok(index as u32)
}

/// Writes a mesh in binary little endian.
///
/// # Errors
/// If `out` fails, or with [`std::io::ErrorKind::InvalidInput`] if the mesh has a hard fault.
pub fn write(out: &mut dyn Write, mesh: &TriMesh) -> std::io::Result<()> {
    check_writable(mesh)?;
    let vertex_uv = mesh.has_uv().then(|| uv_by_vertex(mesh)).flatten();
    let corner_uv = mesh.has_uv() && vertex_uv.is_none();
    writeln!(out, "ply\nformat binary_little_endian 1.0\ncomment toile: metres, y up")?;
    writeln!(out, "element vertex {}", mesh.positions.len())?;
    writeln!(out, "property double x\nproperty double y\nproperty double z")?;
    if vertex_uv.is_some() {
        writeln!(out, "property double s\nproperty double t")?;
    }
    writeln!(out, "element face {}", mesh.triangles.len())?;
    writeln!(out, "property list uchar uint vertex_indices")?;
    if corner_uv {
        writeln!(out, "property list uchar double texcoord")?;
    }
    writeln!(out, "end_header")?;
    for (v, p) in mesh.positions.iter().enumerate() {
        write_doubles(out, &p.to_array())?;
        if let Some(uv) = &vertex_uv {
            write_doubles(out, &uv[v].to_array())?;
        }
    }
    for (t, triangle) in mesh.triangles.iter().enumerate() {
        out.write_all(&[3])?;
        for v in triangle {
            out.write_all(&v.to_le_bytes())?;
        }
        if corner_uv {
            out.write_all(&[6])?;
            for p in mesh.corners_uv(t) {
                write_doubles(out, &p.to_array())?;
            }
        }
    }
    Ok(())
}

fn write_doubles(out: &mut dyn Write, values: &[f64]) -> std::io::Result<()> {
    values.iter().try_for_each(|v| out.write_all(&v.to_le_bytes()))
}

/// The uv point of each vertex, unless some vertex has two.
fn uv_by_vertex(mesh: &TriMesh) -> Option<Vec<DVec2>> {
    let mut found: Vec<Option<DVec2>> = vec![None; mesh.positions.len()];
    for (t, uv) in mesh.triangles.iter().zip(&mesh.uv_triangles) {
        for k in 0..3 {
            let point = mesh.uv[uv[k] as usize];
            if *found[t[k] as usize].get_or_insert(point) != point {
                return None;
            }
        }
    }
    Some(found.into_iter().map(Option::unwrap_or_default).collect())
}

#[cfg(test)]
mod tests;
