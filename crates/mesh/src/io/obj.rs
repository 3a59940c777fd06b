//! Wavefront OBJ.
//!
//! Reads `v`, `vt` and `f` with every index form (`v`, `v/vt`, `v//vn`, `v/vt/vn`, counted from 1
//! or, when negative, back from the last); polygons are cut into fans. Groups and materials are kept by
//! [`read_model`] alone; normals, curves and comments are skipped. If only some faces have uv indices, the mesh gets none.
//!
//! Written numbers are the shortest that read back as the same bits, so that
//! `read(write(mesh)) == mesh`. Objects, groups (`g`), materials (`usemtl`) and normals are written too.

mod write;

pub use write::{write, write_materials, write_model};

use super::error::excerpt;
use super::{Error, Material, Model, Object, Part, Place};
use crate::TriMesh;
use glam::{DVec2, DVec3};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Longest name of a group or material that is kept [bytes].
const LONGEST_NAME: usize = 256;

/// Reads a mesh; `name` is for error messages.
///
/// # Errors
/// If a line cannot be understood, or the mesh has a hard fault.
pub fn read(bytes: &[u8], name: &str) -> Result<TriMesh, Error> {
    read_marked(bytes, name)?.finish()
}

/// Reads a mesh with its groups and the names of its materials, as one object: consecutive triangles of one group and
/// material are a part. Libraries of materials are not read, so that all have the same colour.
///
/// # Errors
/// As [`read`].
pub fn read_model(bytes: &[u8], name: &str) -> Result<Model, Error> {
    let mut reader = read_marked(bytes, name)?;
    let marks = std::mem::take(&mut reader.marks);
    let mesh = reader.finish()?;
    let mut model = Model { objects: Vec::new(), materials: Vec::new() };
    let mut known = BTreeMap::new();
    let mut parts = Vec::new();
    let ends = marks.iter().skip(1).map(|m| m.triangle).chain([mesh.triangles.len() as u32]);
    for (mark, end) in marks.iter().zip(ends) {
        if mark.triangle == end {
            continue;
        }
        let material = *known.entry(mark.material.clone()).or_insert_with(|| {
            let material = Material { name: mark.material.clone(), ..Material::default() };
            model.materials.push(material);
            model.materials.len() as u32 - 1
        });
        parts.push(Part { name: mark.group.clone(), triangles: mark.triangle..end, material });
    }
    if model.materials.is_empty() {
        model.materials.push(Material::default());
    }
    model.objects.push(Object { parts, ..Object::new("object", mesh) });
    Ok(model)
}

/// Reads all lines.
fn read_marked<'a>(bytes: &[u8], name: &'a str) -> Result<Reader<'a>, Error> {
    let mut reader = Reader::new(name);
    // Some editors begin a text with a byte order mark.
    let mut rest = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    while !rest.is_empty() {
        reader.line += 1;
        let (statement, extra_lines) = next_statement(&mut rest);
        reader.statement(&statement)?;
        reader.line += extra_lines;
    }
    Ok(reader)
}

/// Takes a statement off the front: a line without its comment, joined with those that follow as
/// long as it ends in a backslash. Also says how many lines were joined.
fn next_statement<'a>(rest: &mut &'a [u8]) -> (Cow<'a, [u8]>, usize) {
    let mut whole = Cow::Borrowed(&[][..]);
    let mut extra_lines = 0;
    loop {
        let end = rest.iter().position(|b| *b == b'\n');
        let (line, after) = match end {
            Some(end) => (&rest[..end], &rest[end + 1..]),
            None => (*rest, &[][..]),
        };
        *rest = after;
        let content = line.iter().position(|b| *b == b'#').map_or(line, |end| &line[..end]);
        let content = content.trim_ascii_end();
        let (content, goes_on) = match content.strip_suffix(b"\\") {
            Some(content) => (content, !after.is_empty()),
            None => (content, false),
        };
        if whole.is_empty() {
            whole = Cow::Borrowed(content);
        } else {
            whole.to_mut().push(b' ');
            whole.to_mut().extend_from_slice(content);
        }
        if !goes_on {
            return (whole, extra_lines);
        }
        extra_lines += 1;
    }
}

struct Reader<'a> {
    name: &'a str,
    line: usize,
    mesh: TriMesh,
    /// Indices that were beyond the end when they were read: line, index, count of `v` or `vt`.
    forward: Vec<(usize, u32, Kind)>,
    /// Whether a face had no uv indices.
    bare_faces: bool,
    /// Where groups and materials begin; the first is that of faces before any is named.
    marks: Vec<Mark>,
}

/// The first triangle of a group and a material.
#[derive(Clone, Default)]
struct Mark {
    triangle: u32,
    group: String,
    material: String,
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Vertex,
    Uv,
}

impl<'a> Reader<'a> {
    fn new(name: &'a str) -> Self {
        let mesh = TriMesh::default();
        let marks = vec![Mark::default()];
        Self { name, line: 0, mesh, forward: Vec::new(), bare_faces: false, marks }
    }

    fn statement(&mut self, statement: &[u8]) -> Result<(), Error> {
        let mut words =
            statement.split(|b| b.is_ascii_whitespace()).filter(|word| !word.is_empty());
        match words.next() {
            Some(b"v") => {
                let [x, y, z] = [words.next(), words.next(), words.next()];
                let remedy = "a vertex is written as: v x y z";
                let p = DVec3::new(
                    self.number(x, remedy)?,
                    self.number(y, remedy)?,
                    self.number(z, remedy)?,
                );
                self.mesh.positions.push(p);
            }
            Some(b"vt") => {
                let remedy = "a uv point is written as: vt u v";
                let u = self.number(words.next(), remedy)?;
                let v = words.next().map_or(Ok(0.0), |v| self.number(Some(v), remedy))?;
                self.mesh.uv.push(DVec2::new(u, v));
            }
            Some(b"f") => self.face(words)?,
            Some(b"g" | b"o") => self.mark(words.next(), |mark, group| mark.group = group),
            Some(b"usemtl") => self.mark(words.next(), |mark, name| mark.material = name),
            _ => {}
        }
        Ok(())
    }

    /// Begins a group or a material.
    fn mark(&mut self, word: Option<&[u8]>, set: impl FnOnce(&mut Mark, String)) {
        let word = word.map(|w| &w[..w.len().min(LONGEST_NAME)]).unwrap_or_default();
        let triangle = self.mesh.triangles.len() as u32;
        let mut mark = self.marks.last().cloned().unwrap_or_default();
        set(&mut mark, String::from_utf8_lossy(word).into_owned());
        // Names without triangles in between replace each other.
        if self.marks.last().is_some_and(|last| last.triangle == triangle) {
            self.marks.pop();
        }
        self.marks.push(Mark { triangle, ..mark });
    }

    fn number(&self, word: Option<&[u8]>, remedy: &'static str) -> Result<f64, Error> {
        let Some(word) = word else {
            return Err(self.error("a coordinate is missing".into(), remedy));
        };
        let value = std::str::from_utf8(word).ok().and_then(|s| s.parse::<f64>().ok());
        match value {
            Some(value) if value.is_finite() => Ok(value),
            Some(_) => {
                let what = format!("`{}` is not a finite number", excerpt(word));
                Err(self.error(what, "remove the vertex or export again"))
            }
            None => Err(self.error(format!("`{}` is not a number", excerpt(word)), remedy)),
        }
    }

    fn face<'w>(&mut self, words: impl Iterator<Item = &'w [u8]>) -> Result<(), Error> {
        let mut first: Option<[u32; 2]> = None;
        let mut previous: Option<[u32; 2]> = None;
        let mut corners = 0;
        let mut uv_corners = 0;
        for word in words {
            let mut parts = word.split(|b| *b == b'/');
            let vertex = self.index(parts.next().unwrap_or_default(), Kind::Vertex, word)?;
            let uv = match parts.next() {
                Some(part) if !part.is_empty() => {
                    uv_corners += 1;
                    self.index(part, Kind::Uv, word)?
                }
                _ => 0,
            };
            corners += 1;
            let corner = [vertex, uv];
            if let (Some(a), Some(b)) = (first, previous) {
                self.mesh.triangles.push([a[0], b[0], vertex]);
                self.mesh.uv_triangles.push([a[1], b[1], uv]);
            }
            if first.is_none() {
                first = Some(corner);
            } else {
                previous = Some(corner);
            }
        }
        if corners < 3 {
            let what = format!("a face with {corners} corners");
            return Err(self.error(what, "a face needs three or more; remove it"));
        }
        self.bare_faces |= uv_corners != corners;
        Ok(())
    }

    /// An index from zero of the `v` or `vt` that `part` of `word` means.
    fn index(&mut self, part: &[u8], kind: Kind, word: &[u8]) -> Result<u32, Error> {
        let count = match kind {
            Kind::Vertex => self.mesh.positions.len(),
            Kind::Uv => self.mesh.uv.len(),
        };
        let Some(number) = std::str::from_utf8(part).ok().and_then(|s| s.parse::<i64>().ok())
        else {
            let what = format!("`{}` is not a face corner", excerpt(word));
            return Err(self.error(what, "write corners as 7, 7/3, 7//2 or 7/3/2"));
        };
        let index = match number {
            0 => {
                let what = format!("index 0 in `{}`", excerpt(word));
                return Err(self.error(what, "OBJ counts from 1: add 1 to every index"));
            }
            1.. => u32::try_from(number - 1).ok(),
            // Relative: -1 is the last one so far.
            _ => (count as i64).checked_add(number).and_then(|i| u32::try_from(i).ok()),
        };
        let Some(index) = index else {
            return Err(self.out_of_range(self.line, number, kind));
        };
        if index as usize >= count {
            self.forward.push((self.line, index, kind));
        }
        Ok(index)
    }

    fn finish(mut self) -> Result<TriMesh, Error> {
        for (line, index, kind) in &self.forward {
            let count = match kind {
                Kind::Vertex => self.mesh.positions.len(),
                Kind::Uv => self.mesh.uv.len(),
            };
            if *index as usize >= count {
                return Err(self.out_of_range(*line, i64::from(*index) + 1, *kind));
            }
        }
        if self.bare_faces {
            self.mesh.uv_triangles.clear();
            self.mesh.uv.clear();
        }
        let invalid = |fault| Error::Invalid { name: self.name.to_owned(), fault };
        self.mesh.check().map_err(invalid)?;
        Ok(self.mesh)
    }

    fn out_of_range(&self, line: usize, number: i64, kind: Kind) -> Error {
        let (word, count) = match kind {
            Kind::Vertex => ("vertices", self.mesh.positions.len()),
            Kind::Uv => ("uv points", self.mesh.uv.len()),
        };
        Error::Malformed {
            name: self.name.to_owned(),
            place: Place::Line(line),
            what: format!("index {number} is out of range, there are {count} {word}"),
            remedy: "the file may be cut off or edited by hand: export it again",
        }
    }

    fn error(&self, what: String, remedy: &'static str) -> Error {
        Error::Malformed { name: self.name.to_owned(), place: Place::Line(self.line), what, remedy }
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn groups_and_materials_become_parts() {
        use super::{read_model, write_model};
        use crate::io::{Material, Model, Object, Part};
        let mesh = crate::shape::grid(1.0, 1.0, 2, 2, crate::shape::Diagonals::Same);
        let part =
            |name: &str, triangles, material| Part { name: name.into(), triangles, material };
        let parts = vec![part("left", 0..3, 1), part("right", 3..8, 0)];
        let materials = ["silk", "wool"].map(|n| Material::new(n, [0.5; 3])).to_vec();
        let object = Object { parts, ..Object::new("shirt", mesh.clone()) };
        let mut text = Vec::new();
        write_model(&mut text, &Model { objects: vec![object], materials }, Some("a.mtl")).unwrap();
        let model = read_model(&text, "a.obj").unwrap();
        assert_eq!(model.objects[0].mesh, mesh);
        let found: Vec<_> = model.objects[0]
            .parts
            .iter()
            .map(|p| {
                (
                    p.name.as_str(),
                    p.triangles.clone(),
                    model.materials[p.material as usize].name.as_str(),
                )
            })
            .collect();
        assert_eq!(found, [("left", 0..3, "wool"), ("right", 3..8, "silk")]);
        let plain = read_model(b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\ng end", "b.obj").unwrap();
        assert_eq!(plain.objects[0].parts.len(), 1);
    }

    use super::*;
    use crate::shape;

    fn ok(text: &str) -> TriMesh {
        read(text.as_bytes(), "t.obj").unwrap()
    }

    fn message(text: &[u8]) -> String {
        read(text, "t.obj").unwrap_err().to_string()
    }

    const SQUARE: &str = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n";

    #[test]
    fn every_index_form_means_the_same() {
        let expected = [[0, 1, 2], [0, 2, 3]];
        for face in [
            "f 1 2 3 4",
            "f -4 -3 -2 -1",
            "f 1//1 2//1 3//1 4//1",
            "f 1/ 2/ 3/ 4/",
            "f 1 \\\n 2 3\\\r\n 4",
            "f 1 2 3 4 # comment \\",
            "g a\no b\ns 1\nusemtl c\nmtllib d e\nvn 0 0 1\nf\t1  2 3 4 ",
        ] {
            let m = ok(&format!("{SQUARE}{face}\r\n"));
            assert_eq!(m.triangles, expected, "{face}");
            assert!(m.uv.is_empty() && m.uv_triangles.is_empty());
        }
    }

    #[test]
    fn uv_indices_are_their_own() {
        let m = ok(&format!("{SQUARE}vt 0.5\nvt 1 2 3\nf 1/2/9 2/-2/9 3/2/9"));
        assert_eq!(m.uv, [DVec2::new(0.5, 0.0), DVec2::new(1.0, 2.0)]);
        assert_eq!(m.uv_triangles, [[1, 0, 1]]);
    }

    #[test]
    fn half_a_pattern_is_no_pattern() {
        let m = ok(&format!("{SQUARE}vt 0 0\nf 1/1 2/1 3/1\nf 1 3 4"));
        assert!(!m.has_uv() && m.uv.is_empty());
    }

    #[test]
    fn faces_may_come_before_their_vertices() {
        assert_eq!(ok(&format!("f 1 2 3\n{SQUARE}")).triangles, [[0, 1, 2]]);
    }

    #[test]
    fn a_byte_order_mark_does_not_hide_the_first_vertex() {
        assert_eq!(ok(&format!("\u{feff}{SQUARE}f 1 2 3")).positions.len(), 4);
    }

    #[test]
    fn extra_numbers_of_a_vertex_and_foreign_bytes_in_names_are_skipped() {
        let m = read(b"o caf\xe9\nv 0 0 0 1 .5 .5 .5\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", "t.obj");
        assert_eq!(m.unwrap().positions.len(), 3);
    }

    #[test]
    fn what_is_written_is_read_bit_for_bit() {
        let mut m = shape::tube(0.1, 0.3, 7, 3).map_positions(|p| p / 3.0);
        m.positions[0] = DVec3::new(-0.0, 5e-324, f64::MAX);
        m.uv[1].x = 1e-7 / 3.0;
        let mut bytes = Vec::new();
        write(&mut bytes, &m).unwrap();
        let back = read(&bytes, "t.obj").unwrap();
        assert_eq!(back, m);
        assert!(back.positions[0].x.is_sign_negative());
    }

    #[test]
    fn messages_name_file_line_and_remedy() {
        let with = |face: &str| message(format!("{SQUARE}{face}\n").as_bytes());
        assert_eq!(
            with("f 1 2 5"),
            "t.obj:5: index 5 is out of range, there are 4 vertices; \
             the file may be cut off or edited by hand: export it again"
        );
        assert_eq!(
            with("f 0 1 2"),
            "t.obj:5: index 0 in `0`; OBJ counts from 1: add 1 to every index"
        );
        assert_eq!(
            with("f 1/x 2 3"),
            "t.obj:5: `1/x` is not a face corner; write corners as 7, 7/3, 7//2 or 7/3/2"
        );
        assert_eq!(
            with("f 1 2"),
            "t.obj:5: a face with 2 corners; a face needs three or more; remove it"
        );
        assert_eq!(
            message(b"\nv 1 2\n"),
            "t.obj:2: a coordinate is missing; a vertex is written as: v x y z"
        );
        assert_eq!(
            message(b"v 1 2 \\\n1,5\n"),
            "t.obj:1: `1,5` is not a number; a vertex is written as: v x y z"
        );
        for bad in ["nan", "-inf", "1e999"] {
            assert_eq!(
                message(format!("v 1 {bad} 3").as_bytes()),
                format!(
                    "t.obj:1: `{bad}` is not a finite number; remove the vertex or export again"
                )
            );
        }
        assert_eq!(
            message(b""),
            "t.obj: the mesh has no triangles; export faces, not only points or curves"
        );
        assert!(message(b"v \xff\xfe 1 2").starts_with("t.obj:1: `\u{fffd}\u{fffd}` is not"));
    }

    #[test]
    fn extreme_indices_are_out_of_range() {
        for index in
            ["-5", "4294967296", "4294967297", "9223372036854775807", "-9223372036854775808"]
        {
            let text = format!("{SQUARE}f 1 2 {index}");
            let what = format!("t.obj:5: index {index} is out of range");
            assert!(message(text.as_bytes()).starts_with(&what), "{index}");
        }
        let beyond = format!("{SQUARE}f 1 2 99999999999999999999");
        assert!(message(beyond.as_bytes()).contains("is not a face corner"));
    }

    #[test]
    fn a_mesh_with_a_hard_fault_is_not_written() {
        let broken = TriMesh::new(vec![DVec3::ZERO], vec![[0, 1, 2]]);
        let error = write(&mut Vec::new(), &broken).unwrap_err();
        assert_eq!(error.kind(), std::io::ErrorKind::InvalidInput);
    }
}
