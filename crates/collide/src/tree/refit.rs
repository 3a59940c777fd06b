//! Refit bottom-up after the vertices moved (D5).

use super::{Node, Tree};
use crate::prune::Cone;
use crate::volume::SweptVertices;
use crate::{Motion, Surface};

/// Below this many nodes a subtree is refit on one thread.
const PARALLEL: usize = 4096;

/// What a refit reads.
#[derive(Clone, Copy)]
pub(crate) struct Refit<'a> {
    pub(crate) surface: &'a Surface,
    pub(crate) motion: Motion<'a>,
    pub(crate) swept: &'a SweptVertices,
    /// Which vertices moved since the last detection; all if `None`.
    pub(crate) moved: Option<&'a [bool]>,
    /// Whether cones are wanted: only self-collision uses them.
    pub(crate) cones: bool,
}

impl Tree {
    pub(crate) fn refit(&mut self, input: Refit<'_>) {
        if !self.nodes.is_empty() {
            refit(&mut self.nodes, input);
        }
    }
}

fn refit(nodes: &mut [Node], input: Refit<'_>) {
    let Some((node, below)) = nodes.split_first_mut() else { return };
    if below.is_empty() {
        return refit_leaf(node, input);
    }
    let (left, right) = below.split_at_mut(below[0].size as usize);
    if node.size as usize > PARALLEL {
        rayon::join(|| refit(left, input), || refit(right, input));
    } else {
        refit(left, input);
        refit(right, input);
    }
    node.volume = left[0].volume.merge(right[0].volume);
    node.moved = left[0].moved || right[0].moved;
    if input.cones {
        node.cone = left[0].cone.merge(right[0].cone);
    }
}

fn refit_leaf(node: &mut Node, input: Refit<'_>) {
    let tri = input.surface.triangles[node.triangle as usize];
    node.volume = input.swept.triangle(tri);
    node.moved = input.moved.is_none_or(|moved| tri.iter().any(|v| moved[*v as usize]));
    if input.cones {
        node.cone = Cone::of_triangle(tri.map(|v| input.motion.of(v)));
    }
}
