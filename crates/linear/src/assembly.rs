//! From elements to the matrix, without scattering.
//!
//! Each element writes the blocks of its own Hessian into its own place (parallel over elements);
//! then each block of the matrix sums the contributions that belong to it, in the order of the
//! elements (parallel over rows). Nothing is written by two threads, so nothing depends on them.
//! Block (i, j) and block (j, i) sum the same numbers in the same order: the matrix is symmetric to
//! the last bit.

use super::block_csr::{CHUNK, PARALLEL_ROWS};
use super::{BlockCsr, Error, Pattern, ScatterMap};
use glam::DMat3;
use rayon::prelude::*;
use std::sync::Arc;

/// Elements in a task of [`Assembly::fill`].
const ELEMENTS: usize = 256;

/// Collects stencils; [`Builder::build`] does the symbolic work.
#[derive(Clone, Debug)]
pub struct Builder {
    vertices: usize,
    groups: Vec<Group>,
    /// Stencils of all groups, one after the other.
    stencils: Vec<u32>,
}

#[derive(Clone, Debug)]
struct Group {
    /// Vertices of an element.
    width: usize,
    elements: usize,
    /// First vertex in the stencils, first block in the contributions.
    first_vertex: usize,
    first_block: usize,
}

impl Group {
    /// Blocks an element writes: the upper triangle of its Hessian.
    fn blocks(&self) -> usize {
        triangle(self.width)
    }
}

fn triangle(n: usize) -> usize {
    n * (n + 1) / 2
}

impl Builder {
    /// A matrix over so many vertices.
    pub fn new(vertices: usize) -> Self {
        Self { vertices, groups: Vec::new(), stencils: Vec::new() }
    }

    /// Adds elements of N vertices each; groups are numbered in the order they are added.
    pub fn with_elements<const N: usize>(mut self, stencils: &[[u32; N]]) -> Result<Self, Error> {
        for (element, stencil) in stencils.iter().enumerate() {
            for (k, vertex) in stencil.iter().enumerate() {
                if *vertex as usize >= self.vertices {
                    let (vertex, vertices) = (*vertex, self.vertices);
                    return Err(Error::VertexOutOfRange { element, vertex, vertices });
                }
                if stencil[..k].contains(vertex) {
                    return Err(Error::RepeatedVertex { element, vertex: *vertex });
                }
            }
        }
        let first_block = self.groups.last().map_or(0, |g| g.first_block + g.elements * g.blocks());
        self.groups.push(Group {
            width: N,
            elements: stencils.len(),
            first_vertex: self.stencils.len(),
            first_block,
        });
        self.stencils.extend(stencils.iter().flatten());
        Ok(self)
    }

    /// Which vertices act on each other.
    ///
    /// # Errors
    /// If there are more than can be numbered.
    pub fn pattern(&self) -> Result<Arc<Pattern>, Error> {
        let stencils = &self.stencils;
        let pairs = self.groups.iter().flat_map(|g| {
            (0..g.elements).flat_map(move |e| {
                let s = &stencils[g.first_vertex + e * g.width..][..g.width];
                (0..g.width).flat_map(move |a| (a + 1..g.width).map(move |b| (s[a], s[b])))
            })
        });
        let pattern = Pattern::from_pairs(self.vertices, pairs);
        // A source is a 31-bit index and a bit that says "transposed".
        if self.total() >= 1 << 31 || pattern.blocks() >= u32::MAX as usize {
            return Err(Error::TooLarge);
        }
        Ok(Arc::new(pattern))
    }

    /// Blocks that all elements write.
    fn total(&self) -> usize {
        self.groups.last().map_or(0, |g| g.first_block + g.elements * g.blocks())
    }

    /// Where the blocks of each group go.
    ///
    /// # Errors
    /// If a vertex has more neighbours than can be counted.
    pub fn scatter(&self, pattern: &Pattern) -> Result<Vec<ScatterMap>, Error> {
        let of = |g: &Group| {
            let stencils = &self.stencils[g.first_vertex..][..g.elements * g.width];
            ScatterMap::new(pattern, g.width, stencils)
        };
        self.groups.iter().map(of).collect()
    }

    /// Finds the pattern and which contributions each block sums.
    ///
    /// # Errors
    /// As [`Self::pattern`].
    pub fn build(self) -> Result<Assembly, Error> {
        let pattern = self.pattern()?;
        let stencils = &self.stencils;
        let total = self.total();
        // Every contribution goes to one slot, and off the diagonal to its mirror image too.
        let visit = |sink: &mut dyn FnMut(usize, u32)| {
            for g in &self.groups {
                for e in 0..g.elements {
                    let s = &stencils[g.first_vertex + e * g.width..][..g.width];
                    let mut source = (g.first_block + e * g.blocks()) as u32;
                    for a in 0..g.width {
                        for b in a..g.width {
                            if let Some(slot) = pattern.slot(s[a], s[b]) {
                                sink(slot, source << 1);
                            }
                            if a != b
                                && let Some(slot) = pattern.slot(s[b], s[a])
                            {
                                sink(slot, source << 1 | 1);
                            }
                            source += 1;
                        }
                    }
                }
            }
        };
        let mut start = vec![0_u32; pattern.blocks() + 1];
        visit(&mut |slot, _| start[slot + 1] += 1);
        for k in 0..pattern.blocks() {
            start[k + 1] += start[k];
        }
        let mut next = start.clone();
        let mut sources = vec![0_u32; start[pattern.blocks()] as usize];
        visit(&mut |slot, source| {
            sources[next[slot] as usize] = source;
            next[slot] += 1;
        });
        let contributions = vec![DMat3::ZERO; total];
        Ok(Assembly { pattern, groups: self.groups, contributions, start, sources })
    }
}

/// The way from element Hessians to a [`BlockCsr`].
#[derive(Clone, Debug)]
pub struct Assembly {
    pattern: Arc<Pattern>,
    groups: Vec<Group>,
    contributions: Vec<DMat3>,
    /// Sources of each slot: `sources[start[slot]..start[slot + 1]]`.
    start: Vec<u32>,
    sources: Vec<u32>,
}

impl Assembly {
    /// The pattern of the matrix.
    pub fn pattern(&self) -> &Arc<Pattern> {
        &self.pattern
    }

    /// A zero matrix of this pattern.
    pub fn matrix(&self) -> BlockCsr {
        BlockCsr::zeros(&self.pattern)
    }

    /// Lets every element of a group write the upper triangle of its Hessian, row by row:
    /// blocks (0,0), (0,1), …, (1,1), ….
    ///
    /// # Panics
    /// If there is no such group.
    pub fn fill(&mut self, group: usize, write: impl Fn(usize, &mut [DMat3]) + Sync) {
        let g = &self.groups[group];
        let width = g.blocks();
        if width == 0 {
            return;
        }
        let blocks = &mut self.contributions[g.first_block..][..g.elements * width];
        blocks
            .par_chunks_mut(width)
            .enumerate()
            .with_min_len(ELEMENTS)
            .for_each(|(element, upper)| write(element, upper));
    }

    /// Sums the contributions into the matrix, whose old values are forgotten.
    pub fn gather(&self, matrix: &mut BlockCsr) -> Result<(), Error> {
        matrix.check(&self.pattern)?;
        let sum = |slot: usize| {
            let mut block = DMat3::ZERO;
            for s in &self.sources[self.start[slot] as usize..self.start[slot + 1] as usize] {
                let part = self.contributions[(s >> 1) as usize];
                block += if s & 1 == 1 { part.transpose() } else { part };
            }
            block
        };
        if self.pattern.rows() < PARALLEL_ROWS {
            matrix.values.iter_mut().enumerate().for_each(|(slot, block)| *block = sum(slot));
        } else {
            matrix.values.par_chunks_mut(CHUNK).enumerate().for_each(|(c, blocks)| {
                blocks.iter_mut().enumerate().for_each(|(k, block)| *block = sum(c * CHUNK + k));
            });
        }
        Ok(())
    }
}
