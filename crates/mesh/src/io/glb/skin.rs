//! Skins: vertices that follow several joints (linear blend skinning).

use super::super::Error;
use super::document::{File, Primitive};
use super::scene::DAMAGED;
use glam::{DMat4, DVec3};

/// The joints of a primitive and how its vertices follow them.
pub(super) struct Skin {
    /// Nodes.
    pub(super) joints: Vec<usize>,
    /// From the mesh to each joint as they were bound.
    inverse_bind: Vec<DMat4>,
    /// Joint and weight of each influence, the same number for each vertex; weights add up to 1.
    influences: Vec<(u32, f64)>,
    /// Influences of a vertex.
    width: usize,
}

impl Skin {
    /// Skin `index` on a primitive of `count` vertices.
    pub(super) fn new(
        file: &File<'_>,
        index: usize,
        primitive: &Primitive,
        count: usize,
    ) -> Result<Self, Error> {
        let skin = file.item(&file.document.skins, index, "skin")?;
        let joints = skin.joints.clone();
        let inverse_bind = match skin.inverse_bind_matrices {
            Some(accessor) => matrices(file, accessor)?,
            None => vec![DMat4::IDENTITY; joints.len()],
        };
        if joints.is_empty() || inverse_bind.len() < joints.len() {
            let (n, m) = (joints.len(), inverse_bind.len());
            let what = format!("skin {index} has {m} inverse bind matrices for {n} joints");
            return Err(file.error(what, DAMAGED));
        }
        let (influences, width) = influences(file, index, primitive, count, joints.len())?;
        Ok(Self { joints, inverse_bind, influences, width })
    }

    /// For each vertex the node of the joint that it follows most.
    pub(super) fn dominant_joints(&self) -> Vec<u32> {
        let most = |own: &[(u32, f64)]| {
            let most = own.iter().max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)));
            most.map_or(0, |(joint, _)| self.joints[*joint as usize] as u32)
        };
        self.influences.chunks_exact(self.width).map(most).collect()
    }

    /// Moves points of the mesh to the world.
    pub(super) fn apply(&self, positions: &mut [DVec3], transforms: &[DMat4]) {
        let bones: Vec<DMat4> =
            self.joints.iter().zip(&self.inverse_bind).map(|(j, b)| transforms[*j] * *b).collect();
        for (p, own) in positions.iter_mut().zip(self.influences.chunks_exact(self.width)) {
            let moved = |(joint, w): &(u32, f64)| *w * bones[*joint as usize].transform_point3(*p);
            *p = own.iter().filter(|(_, w)| *w != 0.0).map(moved).sum();
        }
    }
}

fn matrices(file: &File<'_>, accessor: usize) -> Result<Vec<DMat4>, Error> {
    let values = file.values(accessor, 16)?;
    Ok(values.chunks_exact(16).map(DMat4::from_cols_slice).collect())
}

/// Influences of all vertices from every set of four, and how many each vertex has.
fn influences(
    file: &File<'_>,
    index: usize,
    primitive: &Primitive,
    count: usize,
    joints: usize,
) -> Result<(Vec<(u32, f64)>, usize), Error> {
    let mut sets = Vec::new();
    let attribute = |word: &str, k: usize| primitive.attributes.get(&format!("{word}_{k}"));
    while let Some(accessor) = attribute("JOINTS", sets.len()) {
        let Some(weights) = attribute("WEIGHTS", sets.len()) else { break };
        let (numbers, weights) = (file.values(*accessor, 4)?, file.values(*weights, 4)?);
        if numbers.len() != 4 * count || weights.len() != 4 * count {
            let what = format!("skin {index}: joints and weights are not those of each vertex");
            return Err(file.error(what, DAMAGED));
        }
        sets.push((numbers, weights));
    }
    if sets.is_empty() {
        let what = format!("a mesh with skin {index} has no joints and weights");
        return Err(file.error(what, "bind the mesh to its armature and export it again"));
    }
    let width = 4 * sets.len();
    let mut influences = Vec::with_capacity(width * count);
    for v in 0..count {
        let own = || sets.iter().flat_map(|(j, w)| (4 * v..4 * v + 4).map(|i| (j[i], w[i])));
        let sum: f64 = own().map(|(_, w)| w).sum();
        let bad =
            |(j, w): (f64, f64)| !(w.is_finite() && w >= 0.0 && j >= 0.0 && j < joints as f64);
        if sum <= 0.0 || own().any(bad) {
            let what = format!("skin {index}: vertex {v} follows joints with unusable weights");
            return Err(file.error(what, "normalize the weights of the vertex groups"));
        }
        influences.extend(own().map(|(j, w)| (j as u32, w / sum)));
    }
    Ok((influences, width))
}
