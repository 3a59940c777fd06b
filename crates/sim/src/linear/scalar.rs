//! Symmetric positive definite matrices of numbers that stay as they are: factored once.

use super::Error;
use super::factor::{Factor, Lower};

/// A constant matrix with its factor.
pub struct Scalar {
    factor: Factor,
    diagonal: Vec<f64>,
}

impl std::fmt::Debug for Scalar {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Scalar")
            .field("rows", &self.diagonal.len())
            .field("entries", &self.factor.entries())
            .finish()
    }
}

impl Scalar {
    /// The sum of entries (row, column, value), each pair of unknowns in one order only.
    pub fn new(n: usize, entries: &[(u32, u32, f64)]) -> Result<Self, Error> {
        let mut sorted: Vec<(u32, u32, f64)> =
            entries.iter().map(|(i, j, value)| (*i.min(j), *i.max(j), *value)).collect();
        if let Some(vertex) = sorted.iter().map(|e| e.1).find(|j| *j as usize >= n) {
            return Err(Error::VertexOutOfRange { element: 0, vertex, vertices: n });
        }
        // Stable, so that equal places are summed in the order they came.
        sorted.sort_by_key(|(column, row, _)| (*column, *row));
        let (mut start, mut rows) = (vec![0_u32; n + 1], Vec::new());
        let (mut values, mut diagonal) = (Vec::<f64>::new(), vec![0.0; n]);
        let mut last = None;
        for (column, row, value) in sorted {
            if column == row {
                diagonal[row as usize] += value;
            }
            match values.last_mut() {
                Some(sum) if last == Some((column, row)) => *sum += value,
                _ => {
                    rows.push(row);
                    values.push(value);
                    start[column as usize + 1] += 1;
                }
            }
            last = Some((column, row));
        }
        for i in 0..n {
            start[i + 1] += start[i];
        }
        let matrix = Lower { start, rows, values };
        let mut factor = Factor::new(&matrix, None)?;
        let mut memory = factor.workspace()?;
        factor.renew(&matrix, &mut memory).map_err(|unknown| Error::BadDiagonal {
            row: unknown,
            value: diagonal.get(unknown).copied().unwrap_or_default(),
        })?;
        Ok(Self { factor, diagonal })
    }

    /// Number of unknowns.
    pub fn rows(&self) -> usize {
        self.diagonal.len()
    }

    /// Its diagonal.
    pub fn diagonal(&self) -> &[f64] {
        &self.diagonal
    }

    /// Turns a right side into the solution.
    pub fn solve(&mut self, rhs: &mut [f64]) {
        self.factor.solve(rhs);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_summed_and_the_system_solved() {
        // [[4, 1, 0], [1, 3, -1], [0, -1, 2]], its first entry in two parts.
        let entries =
            [(0, 0, 1.5), (1, 0, 1.0), (1, 1, 3.0), (0, 0, 2.5), (1, 2, -1.0), (2, 2, 2.0)];
        let mut a = Scalar::new(3, &entries).unwrap();
        let mut x = [4.0 + 2.0, 1.0 + 6.0 - 3.0, -2.0 + 6.0];
        a.solve(&mut x);
        for (x, exact) in x.iter().zip([1.0, 2.0, 3.0]) {
            assert!((x - exact).abs() < 1e-14);
        }
        assert_eq!(a.diagonal(), [4.0, 3.0, 2.0]);
    }

    #[test]
    fn a_matrix_that_is_not_definite_is_refused() {
        let entries = [(0, 0, 1.0), (1, 0, 2.0), (1, 1, 1.0)];
        assert!(matches!(Scalar::new(2, &entries), Err(Error::BadDiagonal { row: 1, .. })));
        assert!(Scalar::new(1, &entries).is_err());
    }
}
