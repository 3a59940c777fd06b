//! Orders of elimination for sparse Cholesky.

use super::{Error, Pattern};
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::sparse::SymbolicSparseColMatRef;
use faer::sparse::linalg::amd;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// Parts this small are not cut further.
const MIN_DISSECTED: usize = 64;

/// In which order vertices are eliminated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub enum Ordering {
    /// Approximate minimum degree [amestoy1996].
    #[default]
    Amd,
    /// Nested dissection: cut in two by a level of a breadth-first search, the cut last [george1973].
    NestedDissection,
    /// As they are numbered.
    Natural,
}

impl Ordering {
    /// The vertices in the order of elimination.
    pub(super) fn elimination_order(self, pattern: &Pattern) -> Result<Vec<u32>, Error> {
        match self {
            Self::Amd => minimum_degree(pattern),
            Self::NestedDissection => Ok(nested_dissection(pattern)),
            Self::Natural => Ok((0..pattern.rows() as u32).collect()),
        }
    }
}

fn minimum_degree(pattern: &Pattern) -> Result<Vec<u32>, Error> {
    let n = pattern.rows();
    let start: Vec<usize> = pattern.row_start.iter().map(|s| *s as usize).collect();
    let columns: Vec<usize> = pattern.columns.iter().map(|c| *c as usize).collect();
    let symbolic = SymbolicSparseColMatRef::new_checked(n, n, &start, None, &columns);
    let (mut order, mut inverse) = (vec![0_usize; n], vec![0_usize; n]);
    let mut memory = MemBuffer::try_new(amd::order_scratch::<usize>(n, columns.len()))
        .map_err(|_| Error::TooLarge)?;
    let stack = MemStack::new(&mut memory);
    amd::order(&mut order, &mut inverse, symbolic, amd::Control::default(), stack)
        .map_err(|_| Error::TooLarge)?;
    Ok(order.into_iter().map(|i| i as u32).collect())
}

/// Parts are cut from a stack; each writes its separator at the end of its range.
fn nested_dissection(pattern: &Pattern) -> Vec<u32> {
    let n = pattern.rows();
    let mut order: Vec<u32> = (0..n as u32).collect();
    let mut search = Search { part: vec![0; n], level: vec![NONE; n], queue: VecDeque::new() };
    let mut parts = 1_u32;
    let mut stack = vec![(0, n, 0_u32)];
    while let Some((from, to, part)) = stack.pop() {
        if to - from <= MIN_DISSECTED {
            continue;
        }
        let seed = order[from];
        let far = search.levels(pattern, seed, part);
        search.forget(&order[from..to]);
        search.levels(pattern, far, part);
        let level = |i: u32| search.level[i as usize];
        let mut sorted: Vec<u32> = order[from..to].to_vec();
        sorted.sort_by_key(|i| (level(*i), *i));
        // What was not reached is a part of its own. Of the levels in the middle third of the rest
        // the smallest is the cut.
        let rest = sorted.partition_point(|i| level(*i) != NONE);
        let end = |l: u32| sorted.partition_point(|i| level(*i) <= l);
        let (low, high) = (level(sorted[rest / 3]), level(sorted[rest - 1 - rest / 3]));
        let size = |l: u32| end(l) - if l == 0 { 0 } else { end(l - 1) };
        let cut = (low..=high).min_by_key(|l| size(*l)).unwrap_or(low);
        let (first, second) = (end(cut) - size(cut), end(cut));
        // Only those of the cut that touch the far side are needed to separate.
        let (separator, near): (Vec<u32>, Vec<u32>) = sorted[first..second].iter().partition(|i| {
            let touches = |j: &u32| search.part[*j as usize] == part && level(*j) == cut + 1;
            pattern.row(**i as usize).iter().any(touches)
        });
        let pieces = [
            [&sorted[..first], &near[..]].concat(),
            sorted[second..rest].to_vec(),
            sorted[rest..].to_vec(),
        ];
        search.forget(&sorted);
        let mut at = from;
        let whole = pieces.iter().any(|p| p.len() == to - from);
        for piece in pieces {
            order[at..at + piece.len()].copy_from_slice(&piece);
            piece.iter().for_each(|i| search.part[*i as usize] = parts);
            // A part that cannot be cut (a clique) stays as it is.
            if !whole {
                stack.push((at, at + piece.len(), parts));
            }
            parts += 1;
            at += piece.len();
        }
        order[at..to].copy_from_slice(&separator);
        separator.iter().for_each(|i| search.part[*i as usize] = parts);
        parts += 1;
    }
    order
}

const NONE: u32 = u32::MAX;

struct Search {
    part: Vec<u32>,
    level: Vec<u32>,
    queue: VecDeque<u32>,
}

impl Search {
    /// Levels of a breadth-first search within a part; returns the last vertex reached.
    fn levels(&mut self, pattern: &Pattern, seed: u32, part: u32) -> u32 {
        self.level[seed as usize] = 0;
        self.queue.push_back(seed);
        let mut last = seed;
        while let Some(i) = self.queue.pop_front() {
            last = i;
            for j in pattern.row(i as usize) {
                let j = *j as usize;
                if self.part[j] == part && self.level[j] == NONE {
                    self.level[j] = self.level[i as usize] + 1;
                    self.queue.push_back(j as u32);
                }
            }
        }
        last
    }

    fn forget(&mut self, vertices: &[u32]) {
        vertices.iter().for_each(|i| self.level[*i as usize] = NONE);
    }
}
