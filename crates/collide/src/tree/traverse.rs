//! Pairs of leaves whose boxes overlap.
//!
//! The traversal is cut into a fixed list of tasks first, so that threads share the work and the
//! order of the pairs does not depend on them.

use super::{Node, Tree, children};
use crate::volume::Volume;
use rayon::prelude::*;

/// Tasks are split until there are so many, or nothing is left to split.
const TASKS: usize = 512;

/// What may be skipped.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Filter {
    /// Patches with a smaller half-angle have no self-collision [rad]; 0 prunes nothing.
    pub(crate) cone_limit: f64,
}

/// Subtrees still to be compared.
#[derive(Clone, Copy)]
enum Task<'a> {
    /// A subtree with itself.
    Own(&'a [Node]),
    /// Two subtrees.
    Two(&'a [Node], &'a [Node]),
}

impl Tree {
    /// Calls `leaf` for every pair of triangles of this tree that may meet, and returns what it
    /// gathered, task by task.
    pub(crate) fn self_pairs<T: Default + Send>(
        &self,
        filter: Filter,
        leaf: impl Fn(u32, u32, &mut T) + Sync,
    ) -> Vec<T> {
        if self.nodes.is_empty() { Vec::new() } else { run(Task::Own(&self.nodes), filter, &leaf) }
    }

    /// The same for pairs of a triangle of this tree and one of another.
    pub(crate) fn pairs_with<T: Default + Send>(
        &self,
        other: &Self,
        leaf: impl Fn(u32, u32, &mut T) + Sync,
    ) -> Vec<T> {
        if self.nodes.is_empty() || other.nodes.is_empty() {
            return Vec::new();
        }
        run(Task::Two(&self.nodes, &other.nodes), Filter { cone_limit: 0.0 }, &leaf)
    }
}

fn run<T: Default + Send>(
    first: Task<'_>,
    filter: Filter,
    leaf: &(impl Fn(u32, u32, &mut T) + Sync),
) -> Vec<T> {
    let mut tasks = vec![first];
    loop {
        let before = tasks.len();
        tasks = tasks.into_iter().flat_map(|t| expand(t, filter)).collect();
        if tasks.len() >= TASKS || tasks.len() <= before {
            break;
        }
    }
    tasks
        .into_par_iter()
        .map(|task| {
            let mut found = T::default();
            visit(task, filter, &mut |a, b| leaf(a, b, &mut found));
            found
        })
        .collect()
}

/// The tasks one level below; a task that cannot be split stays.
fn expand(task: Task<'_>, filter: Filter) -> Vec<Task<'_>> {
    match task {
        Task::Own(nodes) => match children(nodes) {
            Some((left, right)) if !is_pruned(&nodes[0], filter) => {
                vec![Task::Own(left), Task::Own(right), Task::Two(left, right)]
            }
            _ => vec![],
        },
        Task::Two(a, b) => match halves(a, b) {
            _ if is_apart(&a[0], &b[0]) => vec![],
            None => vec![task],
            Some((left, right)) => vec![left, right],
        },
    }
}

fn visit(task: Task<'_>, filter: Filter, leaf: &mut impl FnMut(u32, u32)) {
    match task {
        Task::Own(nodes) => {
            if is_pruned(&nodes[0], filter) {
                return;
            }
            if let Some((left, right)) = children(nodes) {
                visit(Task::Own(left), filter, leaf);
                visit(Task::Own(right), filter, leaf);
                visit(Task::Two(left, right), filter, leaf);
            }
        }
        Task::Two(a, b) => visit_two(a, b, leaf),
    }
}

fn visit_two(a: &[Node], b: &[Node], leaf: &mut impl FnMut(u32, u32)) {
    if is_apart(&a[0], &b[0]) {
        return;
    }
    match halves(a, b) {
        None => leaf(a[0].triangle, b[0].triangle),
        Some((Task::Two(a0, b0), Task::Two(a1, b1))) => {
            visit_two(a0, b0, leaf);
            visit_two(a1, b1, leaf);
        }
        Some(_) => unreachable!("halves of a pair are pairs"),
    }
}

/// Descends into the larger of the two [paper A, §6], or `None` for two leaves.
#[inline]
fn halves<'a>(a: &'a [Node], b: &'a [Node]) -> Option<(Task<'a>, Task<'a>)> {
    if a[0].size >= b[0].size {
        children(a).map(|(l, r)| (Task::Two(l, b), Task::Two(r, b)))
    } else {
        children(b).map(|(l, r)| (Task::Two(a, l), Task::Two(a, r)))
    }
}

#[inline]
fn is_pruned(node: &Node, filter: Filter) -> bool {
    !node.moved || (node.patch && f64::from(node.angle) < filter.cone_limit)
}

#[inline]
fn is_apart(a: &Node, b: &Node) -> bool {
    !(a.moved || b.moved) || !a.volume.overlaps(&b.volume)
}
