//! What is in a picture: cloth, what it is made of, and the bodies it hangs on.

use crate::clip::ClipReader;
use crate::convert::extension;
use crate::error::Error;
use glam::{DMat3, DVec3, DVec4};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use toile_mesh::TriMesh;
use toile_mesh::io::{self, obj};

/// Least size of a plane that counts as ground, in sizes of the cloth.
const GROUND: f64 = 1.0;

/// Triangles of one fabric.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Part {
    pub(super) triangles: Range<u32>,
    /// The fabric: a name or a file.
    pub(super) fabric: String,
}

/// Cloth on a body.
#[derive(Clone, Debug)]
pub(super) struct Subject {
    pub(super) cloth: TriMesh,
    pub(super) parts: Vec<Part>,
    pub(super) bodies: Vec<TriMesh>,
    /// Height of the ground [m].
    pub(super) ground: Option<f64>,
    /// Positions of the cloth in each frame; empty for a still.
    pub(super) frames: Vec<Vec<DVec3>>,
    pub(super) fps: f64,
    /// What the user should know.
    pub(super) notes: Vec<String>,
}

/// What of `report.json` says how results look.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Report {
    fabric: Option<String>,
    panel_fabrics: BTreeMap<String, String>,
    coordinates: Option<String>,
    body_transform: Option<[[f64; 4]; 4]>,
}

/// From the coordinates of files to metres, y up.
#[derive(Clone, Copy, Debug)]
struct Transform {
    turn: DMat3,
    shift: DVec3,
    scale: f64,
}

impl Transform {
    fn new(rows: &[[f64; 4]; 4]) -> Option<Self> {
        let row = |k: usize| DVec4::from(rows[k]);
        let turn = DMat3::from_cols(
            DVec3::new(row(0).x, row(1).x, row(2).x),
            DVec3::new(row(0).y, row(1).y, row(2).y),
            DVec3::new(row(0).z, row(1).z, row(2).z),
        );
        let shift = DVec3::new(row(0).w, row(1).w, row(2).w);
        let scale = turn.determinant().cbrt();
        (scale.is_finite() && scale > 0.0 && shift.is_finite()).then_some(Self {
            turn,
            shift,
            scale,
        })
    }

    fn apply(&self, mesh: TriMesh) -> TriMesh {
        let mut mesh = mesh.map_positions(|p| self.turn * p + self.shift);
        mesh.uv.iter_mut().for_each(|p| *p *= self.scale);
        mesh
    }
}

impl Subject {
    /// Reads a folder of results, a mesh, or a mesh and its point cache. A fabric that is given stands for all others.
    pub(super) fn read(inputs: &[PathBuf], fabric: Option<&str>, fps: f64) -> Result<Self, Error> {
        let (folders, files): (Vec<&PathBuf>, Vec<&PathBuf>) =
            inputs.iter().partition(|p| p.is_dir());
        let mut subject = match (&folders[..], &files[..]) {
            ([folder], caches) => Self::of_folder(folder, caches)?,
            ([], [file]) if extension(file) == "toml" => Self::of_scene(file)?,
            ([], files) if !files.is_empty() => Self::of_files(files, fps)?,
            _ => {
                let message = format!("cannot draw {} folders at once", folders.len());
                return Err(Error::request(message, "give one folder of results, or a mesh"));
            }
        };
        if let Some(fabric) = fabric {
            subject.parts = vec![subject.whole(fabric)];
        }
        if !subject.cloth.has_uv() {
            let planar = planar_coordinates(&mut subject.cloth);
            subject.notes.push(format!(
                "the mesh has no material coordinates; the weave is laid on it along {planar}"
            ));
        }
        Ok(subject)
    }

    fn whole(&self, fabric: &str) -> Part {
        Part { triangles: 0..self.cloth.triangles.len() as u32, fabric: fabric.to_owned() }
    }

    /// The folder that `toile drape` or `toile sim` has left.
    fn of_folder(folder: &Path, caches: &[&PathBuf]) -> Result<Self, Error> {
        let cloth_file = folder.join("final.obj");
        if !cloth_file.is_file() {
            let message = format!("{}: there is no final.obj in this folder", folder.display());
            let help = "give the folder of a run that has ended, or a mesh";
            return Err(Error::request(message, help));
        }
        let report = report(folder)?;
        let own = report.coordinates.as_deref() == Some("body");
        let transform = report.body_transform.as_ref().filter(|_| own).and_then(Transform::new);
        let placed = |mesh: TriMesh| transform.map_or(mesh.clone(), |t| t.apply(mesh));
        let (cloth, parts) = read_parts(&cloth_file, &report)?;
        let body_file = folder.join("body.obj");
        let bodies = match body_file.is_file() {
            true => vec![placed(io::read_mesh(&body_file)?)],
            false => Vec::new(),
        };
        let mut subject = Self { bodies, ..Self::still(placed(cloth), parts) };
        if let [cache] = caches {
            subject.frames = frames(&[&cloth_file, cache], transform.as_ref())?;
        } else if !caches.is_empty() {
            return Err(Error::request("several point caches at once", "give one"));
        }
        subject.find_ground();
        Ok(subject)
    }

    /// The start of a scene.
    fn of_scene(file: &Path) -> Result<Self, Error> {
        if !crate::scene::is_scene(file) {
            let message = format!("{}: is no scene", file.display());
            return Err(Error::request(
                message,
                "drape it first: toile drape, and give its folder",
            ));
        }
        let sim = crate::Scene::read(file)?.build()?;
        let model = sim.world().model();
        let mut notes = sim.warnings().to_vec();
        let mut part = |(triangles, fabric): (&Range<u32>, &toile_sim::Fabric)| {
            let known = crate::fabric::find(&fabric.name).is_ok();
            if !known {
                notes.push(format!(
                    "the fabric `{}` is not known by name; it is drawn as {UNKNOWN}",
                    fabric.name
                ));
            }
            let fabric = if known { fabric.name.clone() } else { UNKNOWN.to_owned() };
            Part { triangles: triangles.clone(), fabric }
        };
        let parts = model.triangles.iter().zip(&model.fabrics).map(&mut part).collect();
        notes.push(
            "this is the start of the scene; `toile sim` makes the folder of what follows".into(),
        );
        let mut subject = Self { notes, fps: sim.scene().fps, ..Self::still(sim.mesh(), parts) };
        for body in sim.world().bodies() {
            match crate::picture::level(body, 0.0) {
                Some(y) => subject.ground = Some(subject.ground.map_or(y, |g: f64| g.max(y))),
                None => subject.bodies.push(crate::picture::body_mesh(body, 0.0)),
            }
        }
        Ok(subject)
    }

    fn of_files(files: &[&PathBuf], fps: f64) -> Result<Self, Error> {
        if let [file] = files
            && extension(file) == "obj"
        {
            let (cloth, parts) = read_parts(file, &Report::default())?;
            return Ok(Self::still(cloth, parts));
        }
        let paths: Vec<&Path> = files.iter().map(|p| p.as_path()).collect();
        let mut reader = ClipReader::open(&paths, fps)?;
        let count = reader.frame_count();
        check_frames(count, &reader.mesh)?;
        let mut subject = Self::still(reader.mesh.clone(), Vec::new());
        (subject.fps, subject.notes) = (reader.fps, std::mem::take(&mut reader.notes));
        if count > 1 {
            subject.frames = reader.collect::<Result<_, _>>()?;
        }
        let mesh_file = files.iter().find(|f| extension(f) == "obj");
        let parts = mesh_file.map(|f| read_parts(f, &Report::default())).transpose()?;
        let parts = parts.filter(|(mesh, _)| mesh.triangles.len() == subject.cloth.triangles.len());
        subject.parts = parts.map_or_else(Vec::new, |(_, parts)| parts);
        if subject.parts.is_empty() {
            subject.parts = vec![subject.whole(UNKNOWN)];
        }
        Ok(subject)
    }

    fn still(cloth: TriMesh, parts: Vec<Part>) -> Self {
        let (bodies, frames, notes) = (Vec::new(), Vec::new(), Vec::new());
        Self { cloth, parts, bodies, ground: None, frames, fps: 30.0, notes }
    }

    /// Level planes are ground; a body stands on ground too.
    fn find_ground(&mut self) {
        let cloth = self.cloth.bounds().map_or(0.0, |(lo, hi)| (hi - lo).length());
        let level = |m: &TriMesh| {
            let (lo, hi) = m.bounds()?;
            let flat = hi.y - lo.y < 1e-6 && (hi - lo).length() > GROUND * cloth;
            flat.then_some(lo.y)
        };
        let mut bodies = Vec::new();
        for body in std::mem::take(&mut self.bodies) {
            for piece in components(&body) {
                match level(&piece) {
                    Some(y) => self.ground = Some(self.ground.map_or(y, |g: f64| g.max(y))),
                    None => bodies.push(piece),
                }
            }
        }
        let lowest = bodies.iter().filter_map(TriMesh::bounds).map(|(lo, _)| lo.y);
        let lowest = lowest.fold(f64::INFINITY, f64::min);
        if self.ground.is_none() && lowest.is_finite() {
            self.ground = Some(lowest);
        }
        self.bodies = bodies;
    }

    /// The cloth in a frame.
    pub(super) fn at(&self, frame: Option<usize>) -> TriMesh {
        let positions = frame.and_then(|k| self.frames.get(k)).or(self.frames.last());
        match positions {
            Some(x) => TriMesh { positions: x.clone(), ..self.cloth.clone() },
            None => self.cloth.clone(),
        }
    }
}

/// What cloth is made of if nothing says it.
pub(super) const UNKNOWN: &str = "cotton";

/// A mesh and what its parts are made of: by panel, by the name of the material, or by the fabric of the garment.
fn read_parts(file: &Path, report: &Report) -> Result<(TriMesh, Vec<Part>), Error> {
    let bytes = io::read_file(file)?;
    let model = obj::read_model(&bytes, &file.display().to_string())?;
    let Some(object) = model.objects.into_iter().next() else {
        return Ok((TriMesh::default(), Vec::new()));
    };
    let mut parts: Vec<Part> = Vec::new();
    for part in object.parts {
        let material = &model.materials[part.material as usize].name;
        // Of two fabrics with the same name the second has a number.
        let plain = material.trim_end_matches(|c: char| c.is_ascii_digit());
        let plain = plain.strip_suffix(['_', ' ']).unwrap_or(material);
        let own = report.panel_fabrics.get(&part.name).or(report.fabric.as_ref());
        let known = |name: &str| crate::fabric::find(name).is_ok();
        let fabric = match own {
            Some(fabric) => fabric.clone(),
            None => [material, plain].into_iter().find(|n| known(n)).unwrap_or(UNKNOWN).to_owned(),
        };
        match parts.last_mut() {
            Some(last) if last.fabric == fabric => last.triangles.end = part.triangles.end,
            _ => parts.push(Part { triangles: part.triangles, fabric }),
        }
    }
    Ok((object.mesh, parts))
}

fn report(folder: &Path) -> Result<Report, Error> {
    let path = folder.join("report.json");
    if !path.is_file() {
        return Ok(Report::default());
    }
    let text = crate::scene::read_text(&path)?;
    serde_json::from_str(&text).map_err(|e| {
        let message = format!("{}: is no report of a run: {e}", path.display());
        Error::request(message, "run it again, or give its final.obj and --fabric")
    })
}

/// Most bytes of the positions of all frames.
const MAX_BYTES: f64 = 4e9;

fn check_frames(count: usize, mesh: &TriMesh) -> Result<(), Error> {
    let bytes = 24.0 * count as f64 * mesh.positions.len() as f64;
    if bytes <= MAX_BYTES {
        return Ok(());
    }
    let message = format!("{count} frames take {:.0} GB of memory", 1e-9 * bytes);
    Err(Error::request(message, "4 GB is the most: export fewer frames"))
}

fn frames(paths: &[&Path], transform: Option<&Transform>) -> Result<Vec<Vec<DVec3>>, Error> {
    let reader = ClipReader::open(paths, 30.0)?;
    check_frames(reader.frame_count(), &reader.mesh)?;
    let placed = |x: Vec<DVec3>| match transform {
        Some(t) => x.into_iter().map(|p| t.turn * p + t.shift).collect(),
        None => x,
    };
    reader.map(|frame| frame.map(placed)).collect()
}

/// Pieces of a mesh that share no vertex.
fn components(mesh: &TriMesh) -> Vec<TriMesh> {
    let topology = toile_mesh::Topology::new(mesh.positions.len(), &mesh.triangles);
    let (of, count) = topology.components();
    if count <= 1 || count > 64 {
        return vec![mesh.clone()];
    }
    let piece = |c: u32| {
        let own = |t: &usize| of[*t] == c;
        let triangles = (0..mesh.triangles.len()).filter(own).map(|t| mesh.triangles[t]).collect();
        super::compact(&TriMesh::new(mesh.positions.clone(), triangles))
    };
    (0..count).map(piece).collect()
}

/// Lays material coordinates on a mesh without them, and says along which axes.
fn planar_coordinates(mesh: &mut TriMesh) -> &'static str {
    let (lo, hi) = mesh.bounds().unwrap_or_default();
    let size = hi - lo;
    let (name, pick): (_, fn(DVec3) -> glam::DVec2) = if size.y < size.x.min(size.z) {
        ("x and z", |p| glam::DVec2::new(p.x, -p.z))
    } else if size.z <= size.x {
        ("x and y", |p| glam::DVec2::new(p.x, p.y))
    } else {
        ("z and y", |p| glam::DVec2::new(p.z, p.y))
    };
    mesh.uv = mesh.positions.iter().map(|p| pick(*p)).collect();
    mesh.uv_triangles = mesh.triangles.clone();
    name
}
