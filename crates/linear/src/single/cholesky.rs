//! Sparse Cholesky of 3×3 blocks for small systems that are solved many times.
//!
//! Columns of L from left to right, each less what those before it have in its rows [george1981]. The
//! numbers are found in double precision and kept in single.

use super::super::dense::inverse_factor3;
use super::super::{Error, Ordering, Pattern};
use glam::{DMat3, DVec3, Mat3A, Vec3A, Vec4};
use pulp::{Arch, Simd, WithSimd};

const NONE: u32 = u32::MAX;

/// A block in double precision, as columns.
pub(super) type Block64 = [f64; 9];
/// The same, each column with a lane to spare.
pub(super) type PaddedBlock = [[f64; 4]; 3];

/// Where a block of the matrix goes.
#[derive(Clone, Copy, Debug)]
struct Entry {
    /// Where it is, or its transpose: the half above the diagonal is read.
    slot: u32,
    transposed: bool,
    /// The row it goes to.
    row: u32,
}

/// A factor that is renewed while the pattern stays.
#[derive(Debug)]
pub(super) struct BlockCholesky {
    /// Place of each row in the order of elimination.
    place: Vec<u32>,
    /// Of each column, the blocks of the matrix in and below the diagonal.
    entry_start: Vec<u32>,
    entries: Vec<Entry>,
    /// Rows of L below the diagonal, column after column, ascending.
    start: Vec<u32>,
    rows: Vec<u32>,
    /// What each column takes from earlier ones: of each column k with a block in row j, where that block is.
    source_start: Vec<u32>,
    sources: Vec<(u32, u32)>,
    /// L in single precision, and one block more, so that four numbers can be read wherever three are.
    single: Vec<[f32; 9]>,
    /// The inverses of the blocks on the diagonal.
    inverses: Vec<Mat3A>,
    /// The column at work, by rows.
    column: Vec<PaddedBlock>,
    x: Vec<Vec3A>,
}

impl BlockCholesky {
    /// The symbolic part.
    pub(super) fn new(pattern: &Pattern) -> Result<Self, Error> {
        let n = pattern.rows();
        let order = Ordering::Amd.elimination_order(pattern)?;
        let mut place = vec![0_u32; n];
        order.iter().enumerate().for_each(|(new, old)| place[*old as usize] = new as u32);
        let (start, rows) = fill(pattern, &order, &place);
        let (entry_start, entries) = entries(pattern, &order, &place);
        let mut source_start = vec![0_u32; n + 1];
        rows.iter().for_each(|i| source_start[*i as usize + 1] += 1);
        for j in 0..n {
            source_start[j + 1] += source_start[j];
        }
        let mut next = source_start.clone();
        let mut sources = vec![(0, 0); rows.len()];
        for k in 0..n {
            for at in start[k]..start[k + 1] {
                let j = rows[at as usize] as usize;
                sources[next[j] as usize] = (k as u32, at);
                next[j] += 1;
            }
        }
        Ok(Self {
            place,
            entry_start,
            entries,
            source_start,
            sources,
            single: vec![[0.0; 9]; rows.len() + 1],
            inverses: vec![Mat3A::ZERO; n],
            column: vec![[[0.0; 4]; 3]; n],
            x: vec![Vec3A::ZERO; n],
            start,
            rows,
        })
    }

    /// Factors a matrix of the pattern, given by the blocks on and above its diagonal; false if it is not
    /// positive definite.
    pub(super) fn factor(&mut self, values: &[Block64]) -> bool {
        let arch = Arch::new();
        let mut definite = true;
        // Wanted only here, and far larger than what is kept of it. One number more, as above.
        let mut blocks = vec![0.0; 9 * self.rows.len() + 1];
        for j in 0..self.place.len() {
            definite &= arch.dispatch(Column { factor: self, blocks: &mut blocks, values, j });
        }
        definite
    }

    /// x ← A⁻¹ x.
    pub(super) fn solve(&mut self, x: &mut [Vec3A]) {
        let (own, single) = (&mut self.x, self.single.as_flattened());
        for (i, place) in self.place.iter().enumerate() {
            own[*place as usize] = x[i];
        }
        for k in 0..own.len() {
            let part = self.start[k] as usize..self.start[k + 1] as usize;
            let y = self.inverses[k] * own[k];
            own[k] = y;
            let numbers = &single[9 * part.start..9 * part.end + 1];
            for (at, i) in self.rows[part].iter().enumerate() {
                let [a, b, c] = columns(&numbers[9 * at..9 * at + 10]);
                own[*i as usize] -= a * y.x + b * y.y + c * y.z;
            }
        }
        for k in (0..own.len()).rev() {
            let part = self.start[k] as usize..self.start[k + 1] as usize;
            let mut sums = [Vec3A::ZERO; 3];
            let numbers = &single[9 * part.start..9 * part.end + 1];
            for (at, i) in self.rows[part].iter().enumerate() {
                let x = own[*i as usize];
                let [a, b, c] = columns(&numbers[9 * at..9 * at + 10]);
                sums[0] += a * x;
                sums[1] += b * x;
                sums[2] += c * x;
            }
            let taken = Vec3A::from_array(sums.map(|s| (s.x + s.y) + s.z));
            own[k] = self.inverses[k].transpose() * (own[k] - taken);
        }
        for (i, place) in self.place.iter().enumerate() {
            x[i] = own[*place as usize];
        }
    }
}

/// The pattern of L: a column has the rows of the matrix and those of its children in the tree of elimination.
fn fill(pattern: &Pattern, order: &[u32], place: &[u32]) -> (Vec<u32>, Vec<u32>) {
    let n = order.len();
    let (mut start, mut rows) = (vec![0_u32], Vec::new());
    let mut mark = vec![NONE; n];
    let mut children: Vec<Vec<u32>> = vec![Vec::new(); n];
    for j in 0..n {
        let first = rows.len();
        mark[j] = j as u32;
        let mut take = |i: u32, rows: &mut Vec<u32>| {
            if i as usize > j && mark[i as usize] != j as u32 {
                mark[i as usize] = j as u32;
                rows.push(i);
            }
        };
        pattern.row(order[j] as usize).iter().for_each(|i| take(place[*i as usize], &mut rows));
        for child in std::mem::take(&mut children[j]) {
            for at in start[child as usize]..start[child as usize + 1] {
                take(rows[at as usize], &mut rows);
            }
        }
        rows[first..].sort_unstable();
        if let Some(parent) = rows.get(first) {
            children[*parent as usize].push(j as u32);
        }
        start.push(rows.len() as u32);
    }
    rows.shrink_to_fit();
    (start, rows)
}

/// What each column takes over from the matrix.
fn entries(pattern: &Pattern, order: &[u32], place: &[u32]) -> (Vec<u32>, Vec<Entry>) {
    let (mut start, mut entries) = (vec![0_u32], Vec::new());
    for (j, i) in order.iter().enumerate() {
        for c in pattern.row(*i as usize) {
            let row = place[*c as usize];
            let upper = pattern.slot(*i.min(c), *i.max(c));
            if let Some(slot) = upper.filter(|_| row as usize >= j) {
                entries.push(Entry { slot: slot as u32, transposed: i < c, row });
            }
        }
        start.push(entries.len() as u32);
    }
    entries.shrink_to_fit();
    (start, entries)
}

/// The numbers of a column, for any processor. False if its pivot is not positive.
struct Column<'a> {
    factor: &'a mut BlockCholesky,
    /// L, as far as it is known: blocks as columns, and a number more.
    blocks: &'a mut [f64],
    values: &'a [Block64],
    j: usize,
}

impl WithSimd for Column<'_> {
    type Output = bool;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> bool {
        let Self { factor: f, blocks, values, j } = self;
        let entries = f.entry_start[j] as usize..f.entry_start[j + 1] as usize;
        for entry in &f.entries[entries] {
            let block = &values[entry.slot as usize];
            let [next, across] = if entry.transposed { [1, 3] } else { [3, 1] };
            f.column[entry.row as usize] = std::array::from_fn(|c| {
                [block[c * next], block[c * next + across], block[c * next + 2 * across], 0.0]
            });
        }
        let sources = f.source_start[j] as usize..f.source_start[j + 1] as usize;
        for (k, at) in &f.sources[sources] {
            let part = *at as usize..f.start[*k as usize + 1] as usize;
            // Column j of this block's row: L_jk transposed.
            let numbers = &blocks[9 * part.start..9 * part.end + 1];
            let row = std::array::from_fn(|c| [numbers[c], numbers[3 + c], numbers[6 + c], 0.0]);
            for (l, i) in f.rows[part].iter().enumerate() {
                subtract_product(&mut f.column[*i as usize], &numbers[9 * l..9 * l + 10], &row);
            }
        }
        let inverse = inverse_factor3(narrow(&f.column[j]));
        f.column[j] = [[0.0; 4]; 3];
        let definite = inverse.is_some();
        let inverse = inverse.unwrap_or(DMat3::IDENTITY);
        f.inverses[j] = single(&inverse);
        let right = wide(&inverse.transpose());
        for at in f.start[j] as usize..f.start[j + 1] as usize {
            let i = f.rows[at] as usize;
            let block = product(&f.column[i], &right);
            f.column[i] = [[0.0; 4]; 3];
            for (k, entry) in f.single[at].iter_mut().enumerate() {
                blocks[9 * at + k] = block[k / 3][k % 3];
                *entry = block[k / 3][k % 3] as f32;
            }
        }
        definite
    }
}

/// A −= B C; the number that stands behind B goes to the lane to spare.
#[inline(always)]
fn subtract_product(a: &mut PaddedBlock, b: &[f64], c: &PaddedBlock) {
    for k in 0..3 {
        for lane in 0..4 {
            a[k][lane] -= b[lane] * c[k][0] + b[3 + lane] * c[k][1] + b[6 + lane] * c[k][2];
        }
    }
}

/// Columns of a block; what is in the lane to spare has no meaning.
#[inline(always)]
fn columns(block: &[f32]) -> [Vec3A; 3] {
    [0, 3, 6].map(|k| Vec3A::from_vec4(Vec4::from_slice(&block[k..k + 4])))
}

#[inline(always)]
fn product(b: &PaddedBlock, c: &PaddedBlock) -> PaddedBlock {
    let mut a = [[0.0; 4]; 3];
    for k in 0..3 {
        for lane in 0..4 {
            a[k][lane] = b[0][lane] * c[k][0] + b[1][lane] * c[k][1] + b[2][lane] * c[k][2];
        }
    }
    a
}

fn narrow(a: &PaddedBlock) -> DMat3 {
    DMat3::from_cols_array_2d(&a.map(|c| [c[0], c[1], c[2]]))
}

fn wide(a: &DMat3) -> PaddedBlock {
    [a.x_axis, a.y_axis, a.z_axis].map(|c: DVec3| [c.x, c.y, c.z, 0.0])
}

fn single(a: &DMat3) -> Mat3A {
    Mat3A::from_cols(a.x_axis.as_vec3a(), a.y_axis.as_vec3a(), a.z_axis.as_vec3a())
}
