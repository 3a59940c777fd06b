//! Symmetric positive definite matrices of numbers that stay as they are: factored once.

use super::Error;
use super::compact::SinglePrecisionFactor;
use super::factor::{Factor, Lower};

/// A constant matrix as its factor, rounded to single precision.
pub struct Scalar {
    factor: SinglePrecisionFactor,
    diagonal: Vec<f32>,
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
        let mut factor = Factor::supernodal(&matrix)?;
        let mut memory = factor.workspace()?;
        factor.renew(&matrix, &mut memory).map_err(|unknown| Error::BadDiagonal {
            row: unknown,
            value: diagonal.get(unknown).copied().unwrap_or_default(),
        })?;
        let factor = SinglePrecisionFactor::compress(&factor).ok_or(Error::TooLarge)?;
        Ok(Self { factor, diagonal: diagonal.iter().map(|d| *d as f32).collect() })
    }

    /// Number of unknowns.
    pub fn rows(&self) -> usize {
        self.diagonal.len()
    }

    /// Its diagonal, rounded.
    pub fn diagonal(&self) -> &[f32] {
        &self.diagonal
    }

    /// Turns a right side into the solution of a matrix that differs from the one given by the rounding of its factor, and that is
    /// the same for all right sides.
    pub fn solve(&self, rhs: &mut [f64]) {
        self.factor.solve(rhs);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::Dice;

    #[test]
    fn entries_are_summed_and_the_system_solved() {
        // [[4, 1, 0], [1, 3, -1], [0, -1, 2]], its first entry in two parts.
        let entries =
            [(0, 0, 1.5), (1, 0, 1.0), (1, 1, 3.0), (0, 0, 2.5), (1, 2, -1.0), (2, 2, 2.0)];
        let a = Scalar::new(3, &entries).unwrap();
        let mut x = [4.0 + 2.0, 1.0 + 6.0 - 3.0, -2.0 + 6.0];
        a.solve(&mut x);
        for (x, exact) in x.iter().zip([1.0, 2.0, 3.0]) {
            assert!((x - exact).abs() < 1e-6);
        }
        assert_eq!(a.diagonal(), [4.0, 3.0, 2.0]);
    }

    /// A plate of n × n unknowns, each joined to eight neighbours.
    fn plate(n: u32) -> Vec<(u32, u32, f64)> {
        let mut dice = Dice(5);
        let mut entries = Vec::new();
        for (i, j) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))) {
            entries.push((i * n + j, i * n + j, 8.0 + dice.vector().x));
            for (k, l) in [(i, j + 1), (i + 1, j), (i + 1, j + 1), (i + 1, j.wrapping_sub(1))] {
                if k < n && l < n {
                    entries.push((i * n + j, k * n + l, dice.vector().x));
                }
            }
        }
        entries
    }

    fn some(n: usize, seed: u64) -> Vec<f64> {
        let mut dice = Dice(seed);
        (0..n).map(|_| dice.vector().x).collect()
    }

    fn dot(a: &[f64], b: &[f64]) -> f64 {
        a.iter().zip(b).map(|(a, b)| a * b).sum()
    }

    #[test]
    fn the_system_is_solved_to_single_precision_whatever_its_size() {
        // From nodes of one column to some that are wider and taller than what is done at a time.
        for n in [1, 2, 3, 7, 20, 50] {
            let entries = plate(n);
            let (a, b) =
                (Scalar::new((n * n) as usize, &entries).unwrap(), some((n * n) as usize, 3));
            let mut x = b.clone();
            a.solve(&mut x);
            let mut left = b.clone();
            for (i, j, value) in entries {
                left[i as usize] -= value * x[j as usize];
                if i != j {
                    left[j as usize] -= value * x[i as usize];
                }
            }
            assert!(dot(&left, &left) < 1e-12 * dot(&b, &b), "{n}");
        }
    }

    #[test]
    fn the_inverse_is_linear_and_symmetric_to_double_precision() {
        let a = Scalar::new(900, &plate(30)).unwrap();
        let (b, c) = (some(900, 1), some(900, 2));
        let solved = |b: &[f64]| {
            let mut x = b.to_vec();
            a.solve(&mut x);
            x
        };
        let (x, y) = (solved(&b), solved(&c));
        assert!((dot(&x, &c) - dot(&y, &b)).abs() < 1e-13 * dot(&x, &b));
        let sum: Vec<f64> = b.iter().zip(&c).map(|(b, c)| b + 1e3 * c).collect();
        for (i, z) in solved(&sum).into_iter().enumerate() {
            assert!((z - x[i] - 1e3 * y[i]).abs() < 1e-11, "{i}");
        }
    }

    #[test]
    fn a_matrix_that_is_not_definite_is_refused() {
        let entries = [(0, 0, 1.0), (1, 0, 2.0), (1, 1, 1.0)];
        assert!(matches!(Scalar::new(2, &entries), Err(Error::BadDiagonal { row: 1, .. })));
        assert!(Scalar::new(1, &entries).is_err());
    }
}
