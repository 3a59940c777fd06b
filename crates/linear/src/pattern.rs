//! Which blocks of a symmetric matrix exist.

use glam::DVec3;

/// Rows and their columns, both halves of the matrix, columns ascending, the diagonal always there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    pub(super) row_start: Vec<u32>,
    pub(super) columns: Vec<u32>,
    pub(super) diagonal: Vec<u32>,
}

impl Pattern {
    /// The pattern that joins the given pairs of vertices, in both directions.
    ///
    /// Pairs must name vertices below `n`; [`super::Builder`] checks that.
    pub(super) fn from_pairs(n: usize, pairs: impl Iterator<Item = (u32, u32)> + Clone) -> Self {
        // Count, then place, then sort and drop doubles row by row.
        let mut start = vec![0_usize; n + 1];
        for (a, b) in pairs.clone() {
            start[a as usize + 1] += 1;
            start[b as usize + 1] += 1;
        }
        for i in 0..n {
            start[i + 1] += start[i] + 1;
        }
        let mut next = start.clone();
        let mut all = vec![0_u32; start[n]];
        let mut place = |row: u32, column: u32| {
            all[next[row as usize]] = column;
            next[row as usize] += 1;
        };
        for i in 0..n as u32 {
            place(i, i);
        }
        for (a, b) in pairs {
            place(a, b);
            place(b, a);
        }
        let mut pattern = Self {
            row_start: Vec::with_capacity(n + 1),
            columns: Vec::new(),
            diagonal: Vec::with_capacity(n),
        };
        pattern.row_start.push(0);
        for i in 0..n {
            let row = &mut all[start[i]..start[i + 1]];
            row.sort_unstable();
            for (k, column) in row.iter().enumerate() {
                if k > 0 && row[k - 1] == *column {
                    continue;
                }
                if *column as usize == i {
                    pattern.diagonal.push(pattern.columns.len() as u32);
                }
                pattern.columns.push(*column);
            }
            pattern.row_start.push(pattern.columns.len() as u32);
        }
        pattern.columns.shrink_to_fit();
        pattern
    }

    /// The pattern of vertices that do not act on each other.
    pub fn unconnected(n: usize) -> Self {
        Self::from_pairs(n, std::iter::empty())
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.diagonal.len()
    }

    /// Number of blocks, both halves and the diagonal.
    pub fn blocks(&self) -> usize {
        self.columns.len()
    }

    /// Slots of row `i`.
    pub fn slots(&self, i: usize) -> std::ops::Range<usize> {
        self.row_start[i] as usize..self.row_start[i + 1] as usize
    }

    /// Columns of row `i`, ascending.
    pub fn row(&self, i: usize) -> &[u32] {
        &self.columns[self.slots(i)]
    }

    /// Slots of row `i` left of the diagonal.
    pub(super) fn lower(&self, i: usize) -> std::ops::Range<usize> {
        self.row_start[i] as usize..self.diagonal[i] as usize
    }

    /// Slots of row `i` from the diagonal on.
    pub(super) fn upper(&self, i: usize) -> std::ops::Range<usize> {
        self.diagonal[i] as usize..self.row_start[i + 1] as usize
    }

    /// Where block (i, j) is, if it exists.
    pub fn slot(&self, i: u32, j: u32) -> Option<usize> {
        let row = self.slots(i as usize);
        self.columns[row.clone()].binary_search(&j).ok().map(|k| row.start + k)
    }

    /// A vector of zeros with one entry per row.
    pub fn zeros(&self) -> Vec<DVec3> {
        vec![DVec3::ZERO; self.rows()]
    }
}
