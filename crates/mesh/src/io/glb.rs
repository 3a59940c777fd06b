//! Binary glTF 2.0: static meshes and animations that Blender, three.js and other viewers play.
//!
//! Numbers are 32-bit floats, and the texture coordinate v runs down, so that it is stored as
//! 1 − v. glTF has one index for all attributes of a vertex: where the material coordinates jump,
//! vertices are stored twice. [`TriMesh::weld`] and [`Animation::weld`] join them again; written
//! here, the vertices come back in their old order as long as no two of them coincide.
//!
//! Reading takes all triangles of the default scene with the transforms of their nodes and their
//! skins applied. One animation is followed, of nodes, joints and morph targets ([`Reader`]). What
//! cannot be read is refused by name: required extensions that are not known here, several
//! animations, instances, animated properties of other kinds. Points and lines are left out, with a
//! note.
//!
//! A written [`Model`](super::Model) has a node for each object and a primitive for each of its parts; primitives that share
//! their vertices are read as one mesh.
//!
//! A written animation is one morph target for each frame but the first, and one track of weights that
//! shows frame i alone at the time i / rate. The track has frames² numbers: for thousands of
//! frames use [`super::pc2`].

mod accessor;
mod document;
mod motion;
mod scene;
mod skin;
mod write;

pub use write::{
    Interpolation, Look, Playback, write, write_animation, write_model, write_model_animation,
};

use super::Error;
use crate::TriMesh;
use crate::weld::Welding;
use document::File;
use glam::DVec3;
use motion::Motion;
use scene::Scene;

/// A mesh in motion.
#[derive(Clone, Debug, PartialEq)]
pub struct Animation {
    /// The mesh in its first frame.
    pub mesh: TriMesh,
    /// Positions of all vertices for each frame \[m\].
    pub frames: Vec<Vec<DVec3>>,
    /// Time of each frame \[s\].
    pub times: Vec<f64>,
}

impl Animation {
    /// Merges vertices that are at exactly the same place in every frame; see [`TriMesh::weld`].
    pub fn weld(&self) -> (Self, Vec<u32>) {
        let mut welding = Welding::new(&self.mesh.positions);
        self.frames.iter().for_each(|frame| welding.refine(frame));
        let mesh = welding.mesh(&self.mesh);
        let frames = self.frames.iter().map(|frame| welding.pick(frame)).collect();
        (Self { mesh, frames, times: self.times.clone() }, welding.into_map())
    }
}

/// Reads a file frame by frame, without holding all of them.
pub struct Reader {
    file: File<'static>,
    scene: Scene,
    motion: Option<Motion>,
    mesh: TriMesh,
}

impl Reader {
    /// Reads everything but the frames; `name` is for error messages.
    ///
    /// # Errors
    /// If the file breaks the rules of the format, has an animation that cannot be read, or a mesh
    /// with a hard fault.
    pub fn new(bytes: &[u8], name: &str) -> Result<Self, Error> {
        let file = File::parse(bytes, name)?.into_owned();
        let scene = Scene::new(&file)?;
        let mesh = rest_mesh(&file, &scene)?;
        let motion = Motion::new(&file, &scene)?;
        let reader = Self { file, scene, motion, mesh };
        let nodes = reader.file.document.nodes.len();
        reader.file.check_frames(reader.times().len(), reader.mesh.positions.len() + nodes)?;
        Ok(reader)
    }

    /// The mesh with the transforms and weights that nodes have when nothing is animated.
    pub fn mesh(&self) -> &TriMesh {
        &self.mesh
    }

    /// What is in the file and was left out.
    pub fn notes(&self) -> &[String] {
        &self.scene.notes
    }

    /// Times of the frames of the animation \[s\]; empty if there is none.
    ///
    /// There is a frame at each key. Keys of nodes or splines that are more than 0.05 s apart have
    /// frames between them.
    pub fn times(&self) -> &[f64] {
        self.motion.as_ref().map_or(&[], |motion| &motion.times)
    }

    /// Positions in frame `k`; those of [`Reader::mesh`] if there is no such frame.
    ///
    /// # Errors
    /// If a position is not finite or data are missing.
    pub fn frame(&self, k: usize) -> Result<Vec<DVec3>, Error> {
        match self.times().get(k) {
            Some(time) => self.at(*time),
            None => Ok(self.mesh.positions.clone()),
        }
    }

    /// For each vertex the number of the node that holds most of it: a joint of its skin. Nothing if there is no skin.
    pub fn dominant_joints(&self) -> Option<Vec<u32>> {
        let parts = &self.scene.parts;
        let of_part = |part: &scene::Part| match &part.skin {
            Some(skin) => skin.dominant_joints(),
            None => vec![part.node as u32; part.count],
        };
        let has_skin = parts.iter().any(|part| part.skin.is_some());
        has_skin.then(|| parts.iter().flat_map(of_part).collect())
    }

    /// Positions at a time of the animation \[s\], also between its frames; those of [`Reader::mesh`] if there is none.
    ///
    /// # Errors
    /// As for [`Reader::frame`].
    pub fn at(&self, time: f64) -> Result<Vec<DVec3>, Error> {
        let Some(motion) = &self.motion else { return Ok(self.mesh.positions.clone()) };
        let transforms = motion.transforms(&self.file, &self.scene, time);
        self.posed(&transforms, |part| motion.weights(part.node, time))
    }

    /// Positions a part of the way from the mesh when nothing is animated to the first frame, from 0 to 1: nodes turn and shift by that part, and
    /// a skin follows its joints.
    ///
    /// # Errors
    /// As for [`Reader::frame`].
    pub fn toward_first(&self, s: f64) -> Result<Vec<DVec3>, Error> {
        let Some((motion, time)) = self.motion.as_ref().zip(self.times().first()) else {
            return Ok(self.mesh.positions.clone());
        };
        let transforms = motion.transforms_toward(&self.file, &self.scene, *time, s);
        self.posed(&transforms, |part| {
            let to = motion.weights(part.node, *time)?;
            let from = part.weights.iter().copied().chain(std::iter::repeat(0.0));
            Some(to.iter().zip(from).map(|(to, from)| from + s * (to - from)).collect())
        })
    }

    /// Positions under transforms of the nodes and weights of the parts; their own where `weights` has none.
    fn posed(
        &self,
        transforms: &[glam::DMat4],
        weights: impl Fn(&scene::Part) -> Option<Vec<f64>>,
    ) -> Result<Vec<DVec3>, Error> {
        let mut positions = Vec::with_capacity(self.mesh.positions.len());
        for part in &self.scene.parts {
            let weights = weights(part);
            let weights = weights.as_ref().unwrap_or(&part.weights);
            positions.extend(part.positions(&self.file, weights, transforms)?);
        }
        if let Some(vertex) = positions.iter().position(|p| !p.is_finite()) {
            let fault = crate::Fault::NotFinite { vertex: vertex as u32 };
            return Err(Error::Invalid { name: self.file.name.clone().into_owned(), fault });
        }
        Ok(positions)
    }
}

/// The mesh of the default scene when nothing is animated.
fn rest_mesh(file: &File<'_>, scene: &Scene) -> Result<TriMesh, Error> {
    let transforms = scene.transforms(file, |_, local| local);
    let mut mesh = TriMesh::default();
    for part in &scene.parts {
        let positions = part.positions(file, &part.weights, &transforms)?;
        mesh.append(&part.mesh(positions));
    }
    let invalid = |fault| Error::Invalid { name: file.name.clone().into_owned(), fault };
    mesh.check().map_err(invalid)?;
    Ok(mesh)
}

/// Reads the mesh of the default scene as it is when nothing is animated; `name` is for error
/// messages. [`Reader`] also says whether it moves, and what was left out.
///
/// # Errors
/// If the file breaks the rules of the format, or the mesh has a hard fault.
pub fn read(bytes: &[u8], name: &str) -> Result<TriMesh, Error> {
    let file = File::parse(bytes, name)?;
    rest_mesh(&file, &Scene::new(&file)?)
}

/// Reads the animation of a file and all its frames; `name` is for error messages. [`Reader`] does
/// so frame by frame.
///
/// # Errors
/// If the file breaks the rules of the format, holds no animation, or has a hard fault.
pub fn read_animation(bytes: &[u8], name: &str) -> Result<Animation, Error> {
    let reader = Reader::new(bytes, name)?;
    if reader.times().is_empty() {
        return Err(Error::Unfit {
            name: name.to_owned(),
            what: "no animation of the mesh in the file".into(),
            remedy: "export the cloth as shape keys, or read it as a static mesh",
        });
    }
    let times = reader.times().to_vec();
    let frames = (0..times.len()).map(|k| reader.frame(k)).collect::<Result<Vec<_>, _>>()?;
    let mesh = TriMesh { positions: frames[0].clone(), ..reader.mesh };
    Ok(Animation { mesh, frames, times })
}

#[cfg(test)]
mod motion_tests;
#[cfg(test)]
mod tests;
