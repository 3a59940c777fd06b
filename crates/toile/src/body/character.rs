//! Characters of files: skins, morph targets and point caches that move by themselves.
//!
//! A character is dressed as it stands when nothing is animated, or in its first frame if it cannot be measured there. Then it goes into its first frame
//! within [`BLEND`]: joints turn and weights grow by 3s² − 2s³, so that a skin keeps its volume on the way. It holds that for [`HOLD`], gets up to speed
//! within [`RUN_UP`], and is from then on where the file has it, at the time of the file plus a whole number of seconds.
//!
//! The body that is dressed has been repaired: vertices were welded, loose pieces taken away, holes capped. Its vertices are found again in the file by
//! their places; the middle of a cap is the mean of its rim.

use super::room::Surface;
use crate::clip::ClipReader;
use crate::error::Error;
use glam::{DVec3, Vec3};
use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use toile_body::{Landmarks, Repairs, repair};
use toile_mesh::TriMesh;
use toile_mesh::io::{self, glb};

/// Time from the pose of the fitting to the first frame [s].
const BLEND: f64 = 1.0;

/// Time that this is held [s].
const HOLD: f64 = 0.75;

/// Time in which the motion gets up to speed [s]; with [`HOLD`], half of it makes a whole second.
const RUN_UP: f64 = 0.5;

/// A first frame that is so near to the pose of the fitting is that pose [m].
const SAME: f64 = 1e-3;

/// How far a vertex may be from its place in the file [m].
const NEAR: f64 = 1e-6;

/// Times its own height that a character may walk away.
const MAX_WALK: f64 = 100.0;

/// Most numbers of a point cache that are held.
const MAX_CACHE: usize = 150_000_000;

/// A character and what moves it.
pub(crate) struct Character {
    source: Source,
    /// From the coordinates of the file to metres.
    repairs: Repairs,
    /// Where each vertex of the body is in the file.
    at: Vec<At>,
    /// The joint that holds most of each vertex, if there is a skin.
    joints: Option<Vec<u32>>,
    /// The body in the pose of the fitting.
    rest: Vec<DVec3>,
    /// Whether the pose of the fitting is the first frame.
    is_first: bool,
    /// First and last time of the file [s].
    times: [f64; 2],
    name: String,
}

/// What moves a character.
enum Source {
    /// Nodes, joints and morph targets of a file.
    Glb(Box<glb::Reader>),
    /// Positions of all vertices in frames that are so many per second.
    Cache { mesh: TriMesh, frames: Vec<Vec<Vec3>>, fps: f64 },
}

/// Where a vertex of the body is in the file.
enum At {
    Vertex(u32),
    /// In the middle of vertices of the body: that of a cap.
    Middle(Vec<u32>),
}

/// A character that can be dressed, and its body.
pub(crate) struct Dressable {
    pub(crate) character: Character,
    pub(crate) body: TriMesh,
    pub(crate) landmarks: Landmarks,
    pub(crate) repairs: Repairs,
}

/// Whether a file of a body moves by itself.
///
/// # Errors
/// If it cannot be read.
pub(crate) fn moves(path: &Path) -> Result<bool, Error> {
    Ok(crate::input::MeshFile::read(path)?.frames > 1)
}

impl Character {
    /// Reads a character that moves by itself, or a mesh and its point cache of `fps` frames per second.
    ///
    /// # Errors
    /// If it cannot be read, or is no body in any pose that it is dressed in.
    pub(crate) fn read(path: &Path, cache: Option<&Path>, fps: f64) -> Result<Dressable, Error> {
        let source = match cache {
            Some(cache) => Source::cache(path, cache, fps)?,
            None => {
                let bytes = io::read_file(path)?;
                let name = path.display().to_string();
                Source::Glb(Box::new(glb::Reader::new(&bytes, &name)?))
            }
        };
        let measured = |positions: Vec<DVec3>| {
            let mesh = TriMesh::new(positions, source.mesh().triangles.clone());
            let (body, repairs) = repair(&mesh)?;
            let landmarks = Landmarks::find(&body)?;
            Ok::<_, toile_body::Error>((mesh, body, repairs, landmarks))
        };
        let times = source.times();
        let (is_first, found) = match measured(source.mesh().positions.clone()) {
            Ok(found) => (false, found),
            Err(error) => match measured(source.at(times[0])?) {
                Ok(found) => (true, found),
                Err(_) => return Err(super::of_file(path, &error)),
            },
        };
        let (mesh, body, repairs, landmarks) = found;
        let at = places(&mesh, &body, &repairs, path)?;
        let of_file = match &source {
            Source::Glb(reader) => reader.dominant_joints(),
            Source::Cache { .. } => None,
        };
        let joints = of_file.map(|of_file| joints(&at, &of_file));
        let (name, rest) = (path.display().to_string(), body.positions.clone());
        let mut character =
            Self { source, repairs: repairs.clone(), at, joints, rest, is_first, times, name };
        character.is_first |= character.is_still_first()?;
        // A frame that is not finite is found before anything is sewn.
        character.check()?;
        Ok(Dressable { character, body, landmarks, repairs })
    }

    /// Whether the first frame is the pose of the fitting already.
    fn is_still_first(&self) -> Result<bool, Error> {
        let first = self.carried(&self.source.at(self.times[0])?);
        let far = first.iter().zip(&self.rest).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
        Ok(far < SAME)
    }

    /// Looks through all frames for what is no body.
    fn check(&self) -> Result<(), Error> {
        let height = self.rest.iter().map(|p| p.y).fold(0.0, f64::max);
        for time in self.source.frame_times() {
            let x = self.carried(&self.source.at(time)?);
            let far = x.iter().zip(&self.rest).any(|(a, b)| a.distance(*b) > MAX_WALK * height);
            if far {
                let message =
                    format!("{}: at {time:.2} s it is far away from where it began", self.name);
                return Err(Error::request(message, "check the scale of the animation"));
            }
        }
        Ok(())
    }

    /// When the file's first frame would be, if the motion had been at full speed at once [s].
    pub(crate) fn clip_start(&self) -> f64 {
        let blend = if self.is_first { 0.0 } else { BLEND };
        blend + HOLD + 0.5 * RUN_UP
    }

    /// How long the motion of the file is [s].
    pub(crate) fn duration(&self) -> f64 {
        self.times[1] - self.times[0]
    }

    /// The parts of a body that it moves: what its joints hold.
    pub(crate) fn surface(&self, body: &TriMesh) -> Surface {
        match &self.joints {
            Some(joints) => Surface::in_parts(body.clone(), joints.clone()),
            None => Surface::in_cells(body.clone()),
        }
    }

    /// The first time of the file [s].
    pub(crate) fn begin(&self) -> f64 {
        self.times[0]
    }

    /// The body at a time after the pose of the fitting [s].
    pub(crate) fn positions(&self, time: f64) -> Vec<DVec3> {
        let blend = if self.is_first { 0.0 } else { BLEND };
        if time <= 0.0 {
            return self.rest.clone();
        }
        let found = if time < blend {
            let s = time / blend;
            self.source.toward_first(s * s * (3.0 - 2.0 * s))
        } else {
            let t = (time - blend - HOLD).max(0.0);
            // The rate of the clip grows by 3s² − 2s³; this is its integral.
            let s = t / RUN_UP;
            let own = if s < 1.0 { RUN_UP * s * s * s * (1.0 - 0.5 * s) } else { t - 0.5 * RUN_UP };
            self.source.at((self.times[0] + own).min(self.times[1]))
        };
        // All frames were looked at when it was read.
        found.map_or_else(|_| self.rest.clone(), |x| self.carried(&x))
    }

    /// The body when the vertices of the file are somewhere.
    fn carried(&self, x: &[DVec3]) -> Vec<DVec3> {
        let place = self.repairs.placement;
        let mut body: Vec<DVec3> = Vec::with_capacity(self.at.len());
        for at in &self.at {
            body.push(match at {
                At::Vertex(v) => place.apply(x[*v as usize]),
                At::Middle(_) => DVec3::ZERO,
            });
        }
        for (v, at) in self.at.iter().enumerate() {
            if let At::Middle(rim) = at {
                body[v] = rim.iter().map(|r| body[*r as usize]).sum::<DVec3>() / rim.len() as f64;
            }
        }
        body
    }
}

impl fmt::Debug for Character {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Character({:?}, {:?})", self.times, self.is_first)
    }
}

/// The joint of each vertex of a body, by those of the file; the middle of a cap has that of its rim.
fn joints(at: &[At], of_file: &[u32]) -> Vec<u32> {
    let own = |at: &At| match at {
        At::Vertex(v) => Some(of_file[*v as usize]),
        At::Middle(_) => None,
    };
    let first = |rim: &[u32]| rim.first().and_then(|r| own(&at[*r as usize]));
    let joint = |at: &At| match at {
        At::Vertex(_) => own(at),
        At::Middle(rim) => first(rim),
    };
    at.iter().map(|at| joint(at).unwrap_or(0)).collect()
}

/// Finds the vertices of a body in the file that it was made of.
fn places(
    file: &TriMesh,
    body: &TriMesh,
    repairs: &Repairs,
    path: &Path,
) -> Result<Vec<At>, Error> {
    let cell = |p: DVec3| (p / (4.0 * NEAR)).floor().to_array().map(|c| c as i64);
    let mut cells: BTreeMap<[i64; 3], Vec<u32>> = BTreeMap::new();
    let placed: Vec<DVec3> = file.positions.iter().map(|p| repairs.placement.apply(*p)).collect();
    for (v, p) in placed.iter().enumerate() {
        cells.entry(cell(*p)).or_default().push(v as u32);
    }
    let nearest = |p: DVec3| {
        let mut best: Option<(f64, u32)> = None;
        let [x, y, z] = cell(p);
        for k in 0..27 {
            let near = [x + k % 3 - 1, y + k / 3 % 3 - 1, z + k / 9 - 1];
            for v in cells.get(&near).into_iter().flatten() {
                let d = placed[*v as usize].distance(p);
                if d < NEAR && best.is_none_or(|b| d < b.0) {
                    best = Some((d, *v));
                }
            }
        }
        best.map(|b| b.1)
    };
    let found: Vec<Option<u32>> = body.positions.iter().map(|p| nearest(*p)).collect();
    let mut around: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for triangle in &body.triangles {
        for v in triangle.iter().filter(|v| found[**v as usize].is_none()) {
            let others = triangle.iter().filter(|o| found[**o as usize].is_some());
            around.entry(*v).or_default().extend(others);
        }
    }
    let mut at = Vec::with_capacity(found.len());
    for (v, found) in found.iter().enumerate() {
        at.push(match (found, around.remove(&(v as u32))) {
            (Some(of_file), _) => At::Vertex(*of_file),
            (None, Some(mut rim)) if !rim.is_empty() => {
                rim.sort_unstable();
                rim.dedup();
                At::Middle(rim)
            }
            _ => {
                let message =
                    format!("{}: its repaired skin cannot follow the animation", path.display());
                return Err(Error::request(message, "close its holes in a modelling program"));
            }
        });
    }
    Ok(at)
}

impl Source {
    fn cache(mesh: &Path, cache: &Path, fps: f64) -> Result<Self, Error> {
        let mut reader = ClipReader::open(&[mesh, cache], fps)?;
        let numbers = reader.frame_count().saturating_mul(3 * reader.mesh.positions.len());
        if numbers > MAX_CACHE {
            let message =
                format!("{}: {numbers} numbers; {MAX_CACHE} are the most", cache.display());
            return Err(Error::request(message, "cut the point cache into parts"));
        }
        let mut frames: Vec<Vec<Vec3>> = Vec::new();
        for frame in &mut reader {
            frames.push(frame?.iter().map(|p| p.as_vec3()).collect());
        }
        if frames.iter().flatten().any(|p| !p.is_finite()) {
            let message = format!("{}: a position is not finite", cache.display());
            return Err(Error::request(message, "export the point cache again"));
        }
        let ClipReader { mesh, fps, .. } = reader;
        Ok(Self::Cache { mesh, frames, fps })
    }

    /// As it is when nothing is animated.
    fn mesh(&self) -> &TriMesh {
        match self {
            Self::Glb(reader) => reader.mesh(),
            Self::Cache { mesh, .. } => mesh,
        }
    }

    /// First and last time [s].
    fn times(&self) -> [f64; 2] {
        match self {
            Self::Glb(reader) => {
                let times = reader.times();
                [times.first(), times.last()].map(|t| t.copied().unwrap_or(0.0))
            }
            Self::Cache { frames, fps, .. } => [0.0, frames.len().saturating_sub(1) as f64 / fps],
        }
    }

    fn frame_times(&self) -> Vec<f64> {
        match self {
            Self::Glb(reader) => reader.times().to_vec(),
            Self::Cache { frames, fps, .. } => (0..frames.len()).map(|k| k as f64 / fps).collect(),
        }
    }

    /// Positions at a time of the file [s].
    fn at(&self, time: f64) -> Result<Vec<DVec3>, Error> {
        match self {
            Self::Glb(reader) => Ok(reader.at(time)?),
            Self::Cache { frames, fps, .. } => {
                let last = frames.len().saturating_sub(1);
                let at = (time * fps).clamp(0.0, last as f64);
                let (k, s) = (at as usize, at.fract());
                let next = &frames[(k + 1).min(last)];
                let pair = frames[k].iter().zip(next);
                Ok(pair.map(|(a, b)| a.as_dvec3().lerp(b.as_dvec3(), s)).collect())
            }
        }
    }

    /// Positions a part of the way from the mesh to the first frame.
    fn toward_first(&self, s: f64) -> Result<Vec<DVec3>, Error> {
        match self {
            Self::Glb(reader) => Ok(reader.toward_first(s)?),
            Self::Cache { mesh, .. } => {
                let first = self.at(0.0)?;
                Ok(mesh.positions.iter().zip(first).map(|(a, b)| a.lerp(b, s)).collect())
            }
        }
    }
}
