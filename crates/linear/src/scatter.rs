//! Scatter map of element blocks to matrix slots.

use super::block_csr::{CHUNK, PARALLEL_ROWS};
use super::{Error, Pattern};
use glam::{DMat3, Mat3A};
use std::ops::{AddAssign, Mul};

/// Most chunks of rows, enough for as many threads.
const MAX_CHUNKS: usize = 16;

/// Vertices of the widest element.
const MAX_STENCIL: usize = 9;

/// A 3×3 block of either precision.
pub trait Block: Copy + AddAssign + Mul<Output = Self> + Send + Sync {
    /// As a matrix keeps it.
    type Stored: Copy + Send + Sync;
    /// Nothing, kept.
    const ZERO_BLOCK: Self::Stored;
    /// From a matrix.
    fn load(stored: &Self::Stored) -> Self;
    /// As a matrix keeps it.
    fn store(self) -> Self::Stored;
    /// Adds it to a block of a matrix.
    fn add_to(self, to: &mut Self::Stored);
    /// Its transpose.
    #[must_use]
    fn transposed(self) -> Self;
    /// From double precision.
    fn from_f64(block: &DMat3) -> Self;
    /// A third of its trace.
    fn size(self) -> f64;
}

impl Block for DMat3 {
    type Stored = Self;
    const ZERO_BLOCK: Self = Self::ZERO;

    #[inline]
    fn load(stored: &Self) -> Self {
        *stored
    }

    #[inline]
    fn store(self) -> Self {
        self
    }

    #[inline]
    fn add_to(self, to: &mut Self) {
        *to += self;
    }

    fn transposed(self) -> Self {
        self.transpose()
    }

    fn from_f64(block: &DMat3) -> Self {
        *block
    }

    fn size(self) -> f64 {
        (self.x_axis.x + self.y_axis.y + self.z_axis.z) / 3.0
    }
}

impl Block for Mat3A {
    /// Columns without the lane that each has to spare: a quarter less to move through memory.
    type Stored = [f32; 9];
    const ZERO_BLOCK: [f32; 9] = [0.0; 9];

    #[inline]
    fn load(stored: &[f32; 9]) -> Self {
        Self::from_cols_array(stored)
    }

    #[inline]
    fn store(self) -> [f32; 9] {
        self.to_cols_array()
    }

    #[inline]
    fn add_to(self, to: &mut [f32; 9]) {
        for (to, entry) in to.iter_mut().zip(self.to_cols_array()) {
            *to += entry;
        }
    }

    fn transposed(self) -> Self {
        self.transpose()
    }

    fn from_f64(m: &DMat3) -> Self {
        Self::from_cols(m.x_axis.as_vec3a(), m.y_axis.as_vec3a(), m.z_axis.as_vec3a())
    }

    fn size(self) -> f64 {
        f64::from(self.x_axis.x + self.y_axis.y + self.z_axis.z) / 3.0
    }
}

/// Rows that are filled in one go: all of a small matrix. Elements between two chunks are evaluated twice,
/// so there are no more than a few chunks.
pub(super) fn chunk_of(rows: usize) -> usize {
    if rows < PARALLEL_ROWS { rows.max(1) } else { CHUNK.max(rows.div_ceil(MAX_CHUNKS)) }
}

/// The blocks of consecutive chunks of rows, each with its first row, to be filled side by side.
pub(super) fn chunks_mut<'a, B>(
    pattern: &Pattern,
    mut rest: &'a mut [B],
) -> Vec<(usize, &'a mut [B])> {
    let (rows, chunk) = (pattern.rows(), chunk_of(pattern.rows()));
    let mut chunks = Vec::with_capacity(rows.div_ceil(chunk));
    for first in (0..rows).step_by(chunk) {
        let end = (first + chunk).min(rows);
        let length = (pattern.row_start[end] - pattern.row_start[first]) as usize;
        let (own, others) = rest.split_at_mut(length);
        chunks.push((first, own));
        rest = others;
    }
    chunks
}

/// Scatter map of elements of one width: the slots of their blocks in the rows of a matrix, and which
/// elements touch which chunk of rows. An element that touches two chunks is evaluated for each of
/// them, so that every row is summed by one thread, in the order of the elements.
#[derive(Clone, Debug)]
pub struct ScatterMap {
    width: usize,
    elements: usize,
    /// Slot of block (a, b) within row a, element after element.
    slots: Slots,
    /// Elements of each chunk of rows.
    chunks: Vec<Vec<u32>>,
    chunk: usize,
}

/// Numbers within a row, as small as the longest row allows: they are many.
#[derive(Clone, Debug)]
enum Slots {
    Byte(Vec<u8>),
    Long(Vec<u32>),
}

impl ScatterMap {
    /// The slots of elements with these vertices, `width` each.
    ///
    /// # Errors
    /// If an element has more than nine vertices, or joins vertices that the matrix does not.
    pub fn new(pattern: &Pattern, width: usize, stencils: &[u32]) -> Result<Self, Error> {
        if width > MAX_STENCIL {
            return Err(Error::TooLarge);
        }
        let chunk = chunk_of(pattern.rows());
        let mut chunks = vec![Vec::new(); pattern.rows().div_ceil(chunk)];
        let longest = pattern.row_start.windows(2).map(|w| w[1] - w[0]).max().unwrap_or(0);
        let count = stencils.len() * width;
        let mut slots = match longest {
            ..=256 => Slots::Byte(Vec::with_capacity(count)),
            _ => Slots::Long(Vec::with_capacity(count)),
        };
        for (element, stencil) in stencils.chunks_exact(width.max(1)).enumerate() {
            for (a, i) in stencil.iter().enumerate() {
                let own = *i as usize / chunk;
                if !stencil[..a].iter().any(|j| *j as usize / chunk == own) {
                    chunks[own].push(element as u32);
                }
                let begin = pattern.row_start[*i as usize] as usize;
                for j in stencil {
                    let slot = pattern.slot(*i, *j).ok_or(Error::TooLarge)? - begin;
                    match &mut slots {
                        Slots::Byte(slots) => slots.push(slot as u8),
                        Slots::Long(slots) => slots.push(slot as u32),
                    }
                }
            }
        }
        chunks.iter_mut().for_each(Vec::shrink_to_fit);
        let elements = stencils.len() / width.max(1);
        Ok(Self { width, elements, slots, chunks, chunk })
    }

    /// Vertices of an element.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        self.elements
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.elements == 0
    }

    /// The elements that touch the chunk of rows that begins with `first`.
    pub fn of_chunk(&self, first: usize) -> &[u32] {
        &self.chunks[first / self.chunk]
    }

    /// Adds the blocks of an element, `block(a, b)` for a ≤ b, to the chunk of rows that begins with `first`. Its
    /// vertices are those the map was made with.
    #[inline]
    pub fn add<const N: usize, B: Block>(
        &self,
        pattern: &Pattern,
        element: usize,
        vertices: [u32; N],
        (first, rows): (usize, &mut [B::Stored]),
        block: impl Fn(usize, usize) -> B,
    ) {
        assert_eq!(N, self.width, "elements of another width");
        match &self.slots {
            Slots::Byte(slots) => {
                add::<N, B, _>(
                    pattern,
                    &slots[element * N * N..][..N * N],
                    vertices,
                    (first, rows),
                    block,
                );
            }
            Slots::Long(slots) => {
                add::<N, B, _>(
                    pattern,
                    &slots[element * N * N..][..N * N],
                    vertices,
                    (first, rows),
                    block,
                );
            }
        }
    }
}

/// Adds blocks to a chunk of rows, as [`ScatterMap::add`], with the slots of one element.
#[inline]
fn add<const N: usize, B: Block, S: Copy + Into<u32>>(
    pattern: &Pattern,
    slots: &[S],
    vertices: [u32; N],
    (first, rows): (usize, &mut [B::Stored]),
    block: impl Fn(usize, usize) -> B,
) {
    let slots = slots.as_chunks::<N>().0;
    // Where the rows of its vertices begin in the chunk.
    let base = pattern.row_start[first];
    let begin = vertices.map(|v| pattern.row_start[v as usize].wrapping_sub(base));
    // Slots of other chunks lie before the base, which wraps around, or behind the end.
    let mut add = |a: usize, b: usize, value: B| {
        let slot = begin[a].wrapping_add(slots[a][b].into());
        if let Some(to) = rows.get_mut(slot as usize) {
            value.add_to(to);
        }
    };
    for a in 0..N {
        for b in a..N {
            let value = block(a, b);
            add(a, b, value);
            if a != b {
                add(b, a, value.transposed());
            }
        }
    }
}
