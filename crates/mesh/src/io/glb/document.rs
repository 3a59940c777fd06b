//! The container of a GLB and the part of its JSON that matters here.

use super::super::bytes::Cursor;
use super::super::error::excerpt;
use super::super::{Error, Place};
use serde::de::{Error as _, IgnoredAny, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;

/// A parsed file.
pub(super) struct File<'a> {
    pub(super) name: Cow<'a, str>,
    pub(super) document: Document,
    /// The binary chunk, empty if there is none.
    pub(super) binary: Cow<'a, [u8]>,
    /// Where the binary chunk begins in the file.
    pub(super) binary_at: usize,
    /// How many numbers the file may unfold to; see [`File::check_size`].
    limit: u64,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Document {
    pub(super) scene: Option<usize>,
    #[serde(deserialize_with = "few")]
    pub(super) scenes: Vec<Scene>,
    #[serde(deserialize_with = "few")]
    pub(super) nodes: Vec<Node>,
    #[serde(deserialize_with = "few")]
    pub(super) meshes: Vec<Mesh>,
    #[serde(deserialize_with = "few")]
    pub(super) accessors: Vec<Accessor>,
    #[serde(deserialize_with = "few")]
    pub(super) buffer_views: Vec<BufferView>,
    #[serde(deserialize_with = "few")]
    pub(super) buffers: Vec<Buffer>,
    #[serde(deserialize_with = "few")]
    pub(super) animations: Vec<Animation>,
    #[serde(deserialize_with = "few")]
    pub(super) skins: Vec<Skin>,
    extensions_required: Vec<String>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Scene {
    pub(super) nodes: Vec<usize>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Node {
    pub(super) children: Vec<usize>,
    pub(super) mesh: Option<usize>,
    pub(super) skin: Option<usize>,
    pub(super) matrix: Option<[f64; 16]>,
    pub(super) translation: Option<[f64; 3]>,
    pub(super) rotation: Option<[f64; 4]>,
    pub(super) scale: Option<[f64; 3]>,
    pub(super) weights: Option<Vec<f64>>,
    /// Only the names matter.
    pub(super) extensions: BTreeMap<String, IgnoredAny>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Skin {
    pub(super) inverse_bind_matrices: Option<usize>,
    pub(super) joints: Vec<usize>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Mesh {
    pub(super) primitives: Vec<Primitive>,
    pub(super) weights: Option<Vec<f64>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Primitive {
    pub(super) attributes: BTreeMap<String, usize>,
    pub(super) indices: Option<usize>,
    pub(super) mode: Option<u32>,
    pub(super) targets: Vec<BTreeMap<String, usize>>,
}

impl Primitive {
    /// Whether another primitive has the same vertices: then both are parts of one surface.
    pub(super) fn shares_vertices(&self, other: &Self) -> bool {
        let list = |p: &Self| p.indices.is_some() && p.mode.is_none_or(|mode| mode == 4);
        list(self)
            && list(other)
            && self.attributes == other.attributes
            && self.targets == other.targets
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Accessor {
    pub(super) buffer_view: Option<usize>,
    #[serde(default)]
    pub(super) byte_offset: u64,
    pub(super) component_type: u32,
    #[serde(default)]
    pub(super) normalized: bool,
    pub(super) count: u64,
    #[serde(rename = "type")]
    pub(super) kind: String,
    pub(super) sparse: Option<Sparse>,
}

#[derive(Deserialize)]
pub(super) struct Sparse {
    pub(super) count: u64,
    pub(super) indices: SparsePart,
    pub(super) values: SparsePart,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SparsePart {
    pub(super) buffer_view: usize,
    #[serde(default)]
    pub(super) byte_offset: u64,
    #[serde(default)]
    pub(super) component_type: u32,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct BufferView {
    pub(super) buffer: usize,
    #[serde(default)]
    pub(super) byte_offset: u64,
    pub(super) byte_length: u64,
    pub(super) byte_stride: Option<u64>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Buffer {
    pub(super) uri: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Animation {
    pub(super) name: Option<String>,
    pub(super) channels: Vec<Channel>,
    pub(super) samplers: Vec<Sampler>,
}

#[derive(Deserialize)]
pub(super) struct Channel {
    pub(super) sampler: usize,
    pub(super) target: Target,
}

#[derive(Deserialize)]
pub(super) struct Target {
    pub(super) node: Option<usize>,
    pub(super) path: String,
}

#[derive(Deserialize)]
pub(super) struct Sampler {
    pub(super) input: usize,
    pub(super) output: usize,
    #[serde(default)]
    pub(super) interpolation: Option<String>,
}

/// Offset of the JSON text: behind the header of the file and that of its first chunk.
const JSON_AT: usize = 20;

/// Extensions without which the triangles cannot be read.
const COMPRESSED: [&str; 3] =
    ["KHR_draco_mesh_compression", "EXT_meshopt_compression", "KHR_meshopt_compression"];

/// Beginnings of the names of extensions that leave positions and triangles as they are: they
/// concern materials, textures, lights and metadata. Quantized positions are read as they are.
const HARMLESS: [&str; 9] = [
    "KHR_materials_",
    "KHR_texture_",
    "EXT_texture_",
    "MSFT_texture_",
    "KHR_lights_",
    "EXT_lights_",
    "KHR_xmp",
    "KHR_mesh_quantization",
    "ADOBE_materials_",
];

/// Whether an extension changes nothing about the shape of a mesh.
pub(super) fn is_harmless(extension: &str) -> bool {
    HARMLESS.iter().any(|beginning| extension.starts_with(beginning))
}

/// Most items of a list of the document. A node takes two letters of a file and hundreds of bytes of memory.
const MAX_ITEMS: usize = 1 << 18;

/// A list that is not longer than [`MAX_ITEMS`].
fn few<'de, T: Deserialize<'de>, D: Deserializer<'de>>(from: D) -> Result<Vec<T>, D::Error> {
    struct Few<T>(PhantomData<T>);
    impl<'de, T: Deserialize<'de>> Visitor<'de> for Few<T> {
        type Value = Vec<T>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(f, "a sequence")
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Vec<T>, A::Error> {
            let mut all = Vec::new();
            while let Some(item) = list.next_element()? {
                if all.len() == MAX_ITEMS {
                    return Err(A::Error::custom(format!("a list of more than {MAX_ITEMS} items")));
                }
                all.push(item);
            }
            Ok(all)
        }
    }
    from.deserialize_seq(Few(PhantomData))
}

impl<'a> File<'a> {
    pub(super) fn parse(bytes: &'a [u8], name: &'a str) -> Result<Self, Error> {
        let mut cursor = Cursor::new(bytes, name);
        let magic = cursor.take(bytes.len().min(4))?;
        if magic != &b"glTF"[..magic.len()] {
            let remedy = "a GLB file begins with glTF; if this is .gltf, export it as .glb";
            return Err(cursor.error(0, "this is not a GLB file", remedy));
        }
        let version = cursor.u32()?;
        if version != 2 {
            let what = format!("glTF version {version}");
            return Err(cursor.error(4, what, "only version 2 is known: export it again"));
        }
        let length = cursor.u32()? as usize;
        if length > bytes.len() {
            return Err(super::super::bytes::truncated(name, bytes.len()));
        }
        let json = chunk(&mut cursor)?;
        let Some((b"JSON", json)) = json else {
            let remedy = "the file is damaged: export it again";
            return Err(cursor.error(12, "the first chunk is not JSON", remedy));
        };
        let document: Document =
            serde_json::from_slice(json).map_err(|e| json_error(json, name, &e))?;
        let (mut binary, mut binary_at) = (&[][..], bytes.len());
        while cursor.remaining() > 0 {
            let start = cursor.at + 8;
            match chunk(&mut cursor)? {
                Some((b"BIN\0", contents)) => {
                    (binary, binary_at) = (contents, start);
                    break;
                }
                Some(_) => {}
                None => break,
            }
        }
        // Sixteen numbers for each byte are plenty for real files, even with instances.
        let limit = (1_u64 << 22).saturating_add(16 * bytes.len() as u64).min(u32::MAX.into());
        let binary = Cow::Borrowed(binary);
        let file = Self { name: name.into(), document, binary, binary_at, limit };
        file.check_extensions()?;
        Ok(file)
    }

    /// Refuses extensions that a reader must understand and this one does not.
    fn check_extensions(&self) -> Result<(), Error> {
        let required = &self.document.extensions_required;
        let Some(extension) = required.iter().find(|e| !is_harmless(e)) else { return Ok(()) };
        let name = excerpt(extension.as_bytes());
        if COMPRESSED.contains(&extension.as_str()) {
            let what = format!("the mesh is compressed by {name}");
            return Err(self.error(what, "export without mesh compression"));
        }
        let what = format!("the file requires the extension {name}, which is not known here");
        Err(self.error(what, "export without it"))
    }

    /// The same with a copy of the bytes it needs.
    pub(super) fn into_owned(self) -> File<'static> {
        File {
            name: Cow::Owned(self.name.into_owned()),
            document: self.document,
            binary: Cow::Owned(self.binary.into_owned()),
            binary_at: self.binary_at,
            limit: self.limit,
        }
    }

    /// An error in the JSON.
    pub(super) fn error(&self, what: impl Into<String>, remedy: &'static str) -> Error {
        self.error_at(JSON_AT, what, remedy)
    }

    /// An error at byte `at` of the file.
    pub(super) fn error_at(
        &self,
        at: usize,
        what: impl Into<String>,
        remedy: &'static str,
    ) -> Error {
        let (name, what) = (self.name.clone().into_owned(), what.into());
        Error::Malformed { name, place: Place::Byte(at), what, remedy }
    }

    /// Item `index` of a list of the document called `word`.
    pub(super) fn item<'t, T>(
        &self,
        list: &'t [T],
        index: usize,
        word: &str,
    ) -> Result<&'t T, Error> {
        list.get(index).ok_or_else(|| {
            let what = format!("{word} {index} does not exist, there are {}", list.len());
            self.error(what, "the file is damaged: export it again")
        })
    }

    /// Refuses files that unfold to far more numbers than they hold, by instances or by accessors
    /// without data.
    pub(super) fn check_size(&self, numbers: u64) -> Result<(), Error> {
        if numbers <= self.limit {
            return Ok(());
        }
        let what = format!("the scene unfolds to more than {} numbers", self.limit);
        Err(self.error(what, "export fewer instances, with their data"))
    }

    /// Refuses animations that do not fit in memory.
    pub(super) fn check_frames(&self, frames: usize, vertices: usize) -> Result<(), Error> {
        // 1.6 GB of points, or as much as the file holds itself.
        let most = (1_u64 << 26).max(self.limit / 3);
        match (frames as u64).checked_mul(vertices as u64) {
            Some(points) if points <= most => Ok(()),
            _ => {
                let what = format!("{frames} frames of {vertices} vertices do not fit in memory");
                Err(self.error(what, "export fewer frames"))
            }
        }
    }
}

/// The type and the contents of a chunk.
type Chunk<'a> = (&'a [u8; 4], &'a [u8]);

/// The next chunk, or `None` if only padding is left.
fn chunk<'a>(cursor: &mut Cursor<'a>) -> Result<Option<Chunk<'a>>, Error> {
    if cursor.remaining() < 8 && cursor.at > 12 {
        return Ok(None);
    }
    let length = cursor.u32()? as usize;
    let Some(kind) = cursor.take(4)?.first_chunk() else {
        return Ok(None);
    };
    Ok(Some((kind, cursor.take(length)?)))
}

/// An error of the JSON parser at its byte in the file.
fn json_error(json: &[u8], name: &str, error: &serde_json::Error) -> Error {
    let lines = json.split_inclusive(|b| *b == b'\n');
    let before: usize = lines.take(error.line().saturating_sub(1)).map(<[u8]>::len).sum();
    let text = error.to_string();
    // The parser appends its own line and column, which are of no use inside of a binary file.
    let what = text.split(" at line ").next().unwrap_or_default();
    Error::Malformed {
        name: name.to_owned(),
        place: Place::Byte(JSON_AT + before + error.column()),
        what: format!("the JSON is not glTF: {}", excerpt(what.as_bytes())),
        remedy: "the file is damaged: export it again",
    }
}
