//! Refit bottom-up after the vertices moved (D5).

use super::{Node, Tree};
use crate::prune::Cone;
use crate::volume::{SweptVertices, Volume};
use crate::{Motion, Surface};

/// Below this many nodes a subtree is refit on one thread.
const PARALLEL: usize = 4096;

/// What a refit reads.
#[derive(Clone, Copy)]
pub(crate) struct Refit<'a> {
    pub(crate) surface: &'a Surface,
    pub(crate) motion: Motion<'a>,
    pub(crate) swept: &'a SweptVertices,
    /// Which vertices moved since the last refit, all if `None`; nodes without any stay as they are.
    pub(crate) moved: Option<&'a [bool]>,
    /// Whether cones are wanted: only self-collision uses them.
    pub(crate) cones: bool,
}

impl Tree {
    pub(crate) fn refit(&mut self, input: Refit<'_>) {
        if !self.nodes.is_empty() {
            refit(&mut self.nodes, &mut self.cones, input);
        }
    }
}

fn refit(nodes: &mut [Node], cones: &mut [Cone], input: Refit<'_>) {
    let Some((node, below)) = nodes.split_first_mut() else { return };
    if below.is_empty() {
        return refit_leaf(node, &mut cones[0], input);
    }
    let middle = below[0].size as usize;
    let (left, right) = below.split_at_mut(middle);
    let (cone, cones_below) = cones.split_at_mut(1);
    let (cones_left, cones_right) = cones_below.split_at_mut(middle);
    if node.size as usize > PARALLEL {
        rayon::join(|| refit(left, cones_left, input), || refit(right, cones_right, input));
    } else {
        refit(left, cones_left, input);
        refit(right, cones_right, input);
    }
    node.moved = left[0].moved || right[0].moved;
    if !node.moved {
        return;
    }
    node.volume = left[0].volume.merge(right[0].volume);
    if input.cones {
        cone[0] = cones_left[0].merge(cones_right[0]);
        node.angle = cone[0].rounded_angle();
    }
}

fn refit_leaf(node: &mut Node, cone: &mut Cone, input: Refit<'_>) {
    let tri = input.surface.triangles[node.triangle as usize];
    node.moved = input.moved.is_none_or(|moved| tri.iter().any(|v| moved[*v as usize]));
    if !node.moved {
        return;
    }
    node.volume = input.swept.triangle(tri);
    if input.cones {
        *cone = Cone::of_triangle(tri.map(|v| input.motion.of(v)));
        node.angle = cone.rounded_angle();
    }
}
