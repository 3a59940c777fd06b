//! Where the blocks of elements go.

use super::super::{Error, Pattern};
use super::matrix::chunk_of;
use glam::Mat3A;

/// For elements of one width: the places of their blocks in the rows of a matrix, and which
/// elements touch which chunk of rows. An element that touches two chunks is evaluated for each of
/// them, so that every row is summed by one thread, in the order of the elements.
#[derive(Clone, Debug)]
pub struct Places {
    width: usize,
    /// Vertices of all elements.
    stencils: Vec<u32>,
    /// Place of block (a, b) in row a, element after element.
    places: Vec<u16>,
    /// Elements of each chunk of rows.
    chunks: Vec<Vec<u32>>,
    chunk: usize,
}

impl Places {
    /// The places of elements with these vertices, `width` each.
    ///
    /// # Errors
    /// If a vertex has more neighbours than can be counted.
    pub fn new(pattern: &Pattern, width: usize, stencils: Vec<u32>) -> Result<Self, Error> {
        let chunk = chunk_of(pattern.rows());
        let mut chunks = vec![Vec::new(); pattern.rows().div_ceil(chunk)];
        let mut places = Vec::with_capacity(stencils.len() * width);
        for (element, stencil) in stencils.chunks_exact(width.max(1)).enumerate() {
            for (a, i) in stencil.iter().enumerate() {
                let own = *i as usize / chunk;
                if !stencil[..a].iter().any(|j| *j as usize / chunk == own) {
                    chunks[own].push(element as u32);
                }
                let first = pattern.slots(*i as usize).start;
                for j in stencil {
                    let slot = pattern.slot(*i, *j).ok_or(Error::TooLarge)?;
                    places.push(u16::try_from(slot - first).map_err(|_| Error::TooLarge)?);
                }
            }
        }
        Ok(Self { width, stencils, places, chunks, chunk })
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        self.stencils.len() / self.width.max(1)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.stencils.is_empty()
    }

    /// The elements that touch the chunk of rows that begins with `first`.
    pub fn of_chunk(&self, first: usize) -> &[u32] {
        &self.chunks[first / self.chunk]
    }

    /// Adds the blocks of an element, `block(a, b)` for a ≤ b, to the chunk of rows that begins with
    /// `first`.
    #[inline]
    pub fn add(
        &self,
        pattern: &Pattern,
        element: usize,
        first: usize,
        rows: &mut [Mat3A],
        block: impl Fn(usize, usize) -> Mat3A,
    ) {
        let n = self.width;
        let stencil = &self.stencils[element * n..][..n];
        let places = &self.places[element * n * n..][..n * n];
        let base = pattern.slots(first).start;
        let own = first..first + self.chunk;
        for a in 0..n {
            let i = stencil[a] as usize;
            let at = own.contains(&i).then(|| pattern.slots(i).start - base);
            for b in a..n {
                let j = stencil[b] as usize;
                let value = block(a, b);
                if let Some(at) = at {
                    rows[at + places[a * n + b] as usize] += value;
                }
                if a != b && own.contains(&j) {
                    let at = pattern.slots(j).start - base;
                    rows[at + places[b * n + a] as usize] += value.transpose();
                }
            }
        }
    }
}
