//! Pairs of leaves whose volumes overlap.
//!
//! The traversal is cut into a fixed list of tasks first, so that threads share the work and the
//! order of the pairs does not depend on them.

use super::{Ends, Layout, Moved, Tree};
use crate::Counts;
use crate::volume::Volume;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// Tasks are split until there are so many, or nothing is left to split.
const MIN_TASKS: usize = 512;

/// Which of two nodes that overlap is opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Descend {
    /// The one with more nodes below it (paper A §6).
    Larger,
    /// Both at once: all children of one with all of the other.
    #[default]
    Both,
    /// The first down to its leaves, then the second.
    First,
}

impl Descend {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Larger, Self::Both, Self::First];
}

/// Takes the leaves that a traversal arrives at.
pub(crate) trait LeafVisitor: Send {
    /// A leaf that may intersect itself.
    fn visit_leaf(&mut self, leaf: usize);
    /// Two leaves that may meet.
    fn visit_pair(&mut self, a: usize, b: usize);
    /// There are no more.
    fn finish(&mut self);
}

/// All that a traversal reads of one tree.
pub(crate) struct Side<'a, V> {
    pub(crate) tree: &'a Tree<V>,
    pub(crate) layout: &'a Layout,
    pub(crate) ends: &'a Ends,
    pub(crate) moved: &'a Moved,
}

impl<V> Clone for Side<'_, V> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<V> Copy for Side<'_, V> {}

/// Subtrees still to be compared; what can be told from their roots has been asked already.
#[derive(Clone, Copy)]
enum Task {
    /// A subtree with itself.
    Own(u32),
    /// Two subtrees.
    Two(u32, u32),
}

struct Traversal<'a, V> {
    a: Side<'a, V>,
    b: Side<'a, V>,
    descend: Descend,
    /// Nodes that need not be compared with themselves.
    skip: &'a [bool],
    /// Whether two nodes whose volumes overlap need not be compared, if there is a way to tell.
    apart: Option<&'a IsSeparated<'a>>,
}

/// Tells of two nodes of a tree that they do not meet though their volumes overlap.
pub(crate) type IsSeparated<'a> = dyn Fn(usize, usize) -> bool + Sync + 'a;

/// Gives all pairs of leaves of a tree that may meet to sinks, and returns those. Subtrees marked in
/// `skip` are not compared with themselves, and those that are `apart` not with each other.
pub(crate) fn self_pairs<V: Volume, S: LeafVisitor>(
    side: Side<'_, V>,
    skip: &[bool],
    apart: Option<&IsSeparated<'_>>,
    descend: Descend,
    sink: impl Fn() -> S + Sync,
) -> (Vec<S>, Counts) {
    let walk = Traversal { a: side, b: side, descend, skip, apart };
    let (mut first, mut counts) = (Vec::new(), Counts::default());
    if !side.layout.sizes.is_empty() {
        walk.own(0, &mut first, &mut counts);
    }
    walk.run(first, counts, sink)
}

/// The same for leaves of two trees.
pub(crate) fn pairs<V: Volume, S: LeafVisitor>(
    a: Side<'_, V>,
    b: Side<'_, V>,
    descend: Descend,
    sink: impl Fn() -> S + Sync,
) -> (Vec<S>, Counts) {
    let walk = Traversal { a, b, descend, skip: &[], apart: None };
    let (mut first, mut counts) = (Vec::new(), Counts::default());
    if !a.layout.sizes.is_empty() && !b.layout.sizes.is_empty() {
        walk.two(0, 0, &mut first, &mut counts);
    }
    walk.run(first, counts, sink)
}

impl<V: Volume> Traversal<'_, V> {
    fn run<S: LeafVisitor>(
        &self,
        mut tasks: Vec<Task>,
        mut counts: Counts,
        sink: impl Fn() -> S + Sync,
    ) -> (Vec<S>, Counts) {
        // One level at a time; leaves stay as they are.
        while tasks.len() < MIN_TASKS && !tasks.iter().all(|t| self.is_last(*t)) {
            let mut below = Vec::new();
            for task in tasks {
                if self.is_last(task) {
                    below.push(task);
                } else {
                    self.open(task, &mut below, &mut counts);
                }
            }
            tasks = below;
        }
        // What a thread found out about a subtree serves the next task with it.
        tasks.sort_unstable_by_key(|t| match *t {
            Task::Own(i) => (i, i),
            Task::Two(i, j) => (i, j),
        });
        let done: Vec<(S, Counts)> = tasks
            .into_par_iter()
            .map(|task| {
                let mut found = sink();
                let mut counts = Counts::default();
                self.visit(task, &mut found, &mut counts);
                found.finish();
                (found, counts)
            })
            .collect();
        let mut sinks = Vec::with_capacity(done.len());
        for (sink, more) in done {
            counts += more;
            sinks.push(sink);
        }
        (sinks, counts)
    }

    fn visit(&self, task: Task, sink: &mut impl LeafVisitor, counts: &mut Counts) {
        let mut stack = vec![task];
        while let Some(task) = stack.pop() {
            if !self.is_last(task) {
                self.open(task, &mut stack, counts);
                continue;
            }
            match task {
                Task::Own(i) => sink.visit_leaf(i as usize),
                Task::Two(i, j) => sink.visit_pair(i as usize, j as usize),
            }
        }
    }

    /// Whether a task is about leaves only.
    #[inline]
    fn is_last(&self, task: Task) -> bool {
        match task {
            Task::Own(i) => self.a.layout.is_leaf(i as usize),
            Task::Two(i, j) => {
                self.a.layout.is_leaf(i as usize) && self.b.layout.is_leaf(j as usize)
            }
        }
    }

    /// Puts the tasks below one on the stack.
    #[inline]
    fn open(&self, task: Task, out: &mut Vec<Task>, counts: &mut Counts) {
        let (a, b) = (self.a.layout, self.b.layout);
        match task {
            Task::Own(i) => {
                for (k, first) in a.children(i as usize).enumerate() {
                    self.own(first, out, counts);
                    for second in a.children(i as usize).skip(k + 1) {
                        self.two(first, second, out, counts);
                    }
                }
            }
            Task::Two(i, j) => {
                let (i, j) = (i as usize, j as usize);
                let (first, second) = match self.descend {
                    Descend::Larger => (a.sizes[i] >= b.sizes[j], a.sizes[i] < b.sizes[j]),
                    Descend::Both => (!a.is_leaf(i), !b.is_leaf(j)),
                    Descend::First => (!a.is_leaf(i), a.is_leaf(i)),
                };
                match (first, second) {
                    (true, true) => {
                        for i in a.children(i) {
                            for j in b.children(j) {
                                self.two(i, j, out, counts);
                            }
                        }
                    }
                    (true, false) => a.children(i).for_each(|i| self.two(i, j, out, counts)),
                    _ => b.children(j).for_each(|j| self.two(i, j, out, counts)),
                }
            }
        }
    }

    #[inline]
    fn own(&self, i: usize, out: &mut Vec<Task>, counts: &mut Counts) {
        counts.cone_tests += 1;
        if self.a.moved.node(i) && !self.skip[i] {
            out.push(Task::Own(i as u32));
        }
    }

    #[inline]
    fn two(&self, i: usize, j: usize, out: &mut Vec<Task>, counts: &mut Counts) {
        counts.box_tests += 1;
        let (a, b) = (&self.a, &self.b);
        if (a.moved.node(i) || b.moved.node(j))
            && a.tree.volume(i, a.layout, a.ends).overlaps(b.tree.volume(j, b.layout, b.ends))
            && !self.apart.is_some_and(|apart| apart(i, j))
        {
            out.push(Task::Two(i as u32, j as u32));
        }
    }
}
