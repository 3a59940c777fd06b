//! Small symmetric matrices made positive semidefinite.
//!
//! Newton's method on a potential needs a matrix that points downhill. The nearest semidefinite
//! matrix (Frobenius norm) keeps the eigenvectors and sets negative eigenvalues to zero
//! [higham1988]. Eigenvalues come from cyclic Jacobi rotations: slow for large matrices, exact to
//! rounding for those of an element, and the same on every machine.

use super::Blocks;
use glam::{DMat3, DVec3, Mat3A, Vec3A};

/// Sweeps of Jacobi rotations; five to eight are usual, convergence is quadratic.
const MAX_SWEEPS: usize = 30;
/// Side of the largest matrix of an element: six vertices.
const MAX_SIDE: usize = 18;

/// The matrix a bᵀ.
#[inline]
pub fn outer(a: DVec3, b: DVec3) -> DMat3 {
    DMat3::from_cols(a * b.x, a * b.y, a * b.z)
}

/// a bᵀ in single precision.
#[inline]
pub fn single_outer(a: Vec3A, b: Vec3A) -> Mat3A {
    Mat3A::from_cols(a * b.x, a * b.y, a * b.z)
}

/// The matrix of `w ↦ a × w`.
#[inline]
pub fn cross_matrix(a: DVec3) -> DMat3 {
    DMat3::from_cols(
        DVec3::new(0.0, a.z, -a.y),
        DVec3::new(-a.z, 0.0, a.x),
        DVec3::new(a.y, -a.x, 0.0),
    )
}

/// `k · g gᵀ` by pairs of vertices.
#[inline]
pub fn outer_blocks<const N: usize>(k: f64, g: &[DVec3; N]) -> Blocks<N> {
    std::array::from_fn(|a| std::array::from_fn(|b| outer(g[a] * k, g[b])))
}

/// Adds `part` to `sum`.
#[inline]
pub fn add_blocks<const N: usize>(sum: &mut Blocks<N>, part: &Blocks<N>) {
    for (row, more) in sum.iter_mut().zip(part) {
        for (block, b) in row.iter_mut().zip(more) {
            *block += *b;
        }
    }
}

/// The symmetric Hessian whose products with directions are given: `along(dx)` is the derivative
/// of the gradient when the vertices move by dx.
pub fn from_directions<const N: usize>(along: impl Fn(&[DVec3; N]) -> [DVec3; N]) -> Blocks<N> {
    let mut h = [[DMat3::ZERO; N]; N];
    for b in 0..N {
        for k in 0..3 {
            let mut dx = [DVec3::ZERO; N];
            dx[b][k] = 1.0;
            let column = along(&dx);
            for a in 0..N {
                *h[a][b].col_mut(k) = column[a];
            }
        }
    }
    h
}

/// The nearest positive semidefinite matrix.
pub fn project<const N: usize>(h: &Blocks<N>) -> Blocks<N> {
    const { assert!(3 * N <= MAX_SIDE) };
    let n = 3 * N;
    let mut a = [0.0; MAX_SIDE * MAX_SIDE];
    let mut vectors = [0.0; MAX_SIDE * MAX_SIDE];
    for i in 0..n {
        for j in 0..n {
            // Rounding leaves blocks a little unsymmetric.
            let pair = [h[i / 3][j / 3].col(j % 3)[i % 3], h[j / 3][i / 3].col(i % 3)[j % 3]];
            a[i * n + j] = 0.5 * (pair[0] + pair[1]);
        }
    }
    eigen(&mut a, &mut vectors, n);
    let mut out = [[DMat3::ZERO; N]; N];
    for k in 0..n {
        let value = a[k * n + k];
        if value > 0.0 {
            let g: [DVec3; N] = std::array::from_fn(|v| {
                DVec3::new(
                    vectors[3 * v * n + k],
                    vectors[(3 * v + 1) * n + k],
                    vectors[(3 * v + 2) * n + k],
                )
            });
            add_blocks(&mut out, &outer_blocks(value, &g));
        }
    }
    out
}

/// The nearest positive semidefinite matrix of side `M`.
pub fn project_small<const M: usize>(matrix: &[[f64; M]; M]) -> [[f64; M]; M] {
    const { assert!(M <= 3) };
    // Most are definite as they are, by their leading minors.
    if is_definite(matrix) {
        return *matrix;
    }
    if M == 2 {
        return project_two(matrix);
    }
    let (mut a, mut vectors) = ([0.0; 9], [0.0; 9]);
    for i in 0..M {
        for j in 0..M {
            a[i * M + j] = 0.5 * (matrix[i][j] + matrix[j][i]);
        }
    }
    eigen(&mut a, &mut vectors, M);
    let mut out = [[0.0; M]; M];
    for k in 0..M {
        let value = a[k * M + k].max(0.0);
        for i in 0..M {
            for j in 0..M {
                out[i][j] += value * vectors[i * M + k] * vectors[j * M + k];
            }
        }
    }
    out
}

/// The same for a 2 × 2 matrix, in closed form.
fn project_two<const M: usize>(m: &[[f64; M]; M]) -> [[f64; M]; M] {
    let (mean, off) = (0.5 * (m[0][0] + m[1][1]), 0.5 * (m[0][1] + m[1][0]));
    let half = 0.5 * (m[0][0] - m[1][1]);
    let radius = (half * half + off * off).sqrt();
    if mean - radius >= 0.0 {
        return *m;
    }
    let largest = (mean + radius).max(0.0);
    // The eigenvector of the larger eigenvalue, from the row of A − λ₂ I in which nothing cancels.
    let v = if half >= 0.0 { [half + radius, off] } else { [off, radius - half] };
    let scale = largest / (v[0] * v[0] + v[1] * v[1]).max(f64::MIN_POSITIVE);
    std::array::from_fn(|i| std::array::from_fn(|j| scale * v[i] * v[j]))
}

/// A 2 × 2 matrix with the same eigenvectors and the magnitudes of its eigenvalues.
pub fn absolute(m: &[[f64; 2]; 2]) -> [[f64; 2]; 2] {
    if is_definite(m) {
        return *m;
    }
    let positive = project_small(m);
    std::array::from_fn(|i| std::array::from_fn(|j| 2.0 * positive[i][j] - m[i][j]))
}

/// Whether all leading minors are positive, beyond rounding.
fn is_definite<const M: usize>(m: &[[f64; M]; M]) -> bool {
    let positive = |minor: f64, of: f64| minor > 1e-12 * of;
    let two = || m[0][0] * m[1][1] - m[0][1] * m[1][0];
    match M {
        2 => m[0][0] > 0.0 && positive(two(), m[0][0] * m[1][1]),
        3 => {
            let three = m[2][2] * two() - m[1][2] * (m[0][0] * m[2][1] - m[0][1] * m[2][0])
                + m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
            m[0][0] > 0.0
                && positive(two(), m[0][0] * m[1][1])
                && positive(three, m[0][0] * m[1][1] * m[2][2])
        }
        _ => false,
    }
}

/// Turns the symmetric n × n matrix `a` (row by row) into diagonal form; `vectors` becomes the
/// orthogonal matrix whose columns are the eigenvectors, in the order of the diagonal.
pub fn eigen(a: &mut [f64], vectors: &mut [f64], n: usize) {
    for i in 0..n {
        for j in 0..n {
            vectors[i * n + j] = if i == j { 1.0 } else { 0.0 };
        }
    }
    for _ in 0..MAX_SWEEPS {
        let all: f64 = a[..n * n].iter().map(|v| v * v).sum();
        let diagonal: f64 = (0..n).map(|i| a[i * n + i] * a[i * n + i]).sum();
        // What is left beside the diagonal is below the rounding of the matrix itself.
        if all - diagonal <= 1e-30 * all && off_diagonal(a, n) <= 1e-30 * all {
            return;
        }
        for p in 0..n {
            for q in p + 1..n {
                rotate(a, vectors, n, p, q);
            }
        }
    }
}

fn off_diagonal(a: &[f64], n: usize) -> f64 {
    (0..n * n).filter(|k| k / n != k % n).map(|k| a[k] * a[k]).sum()
}

/// One Jacobi rotation that makes entry (p, q) vanish.
fn rotate(a: &mut [f64], vectors: &mut [f64], n: usize, p: usize, q: usize) {
    let apq = a[p * n + q];
    if apq == 0.0 {
        return;
    }
    let theta = (a[q * n + q] - a[p * n + p]) / (2.0 * apq);
    let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
    let c = 1.0 / (t * t + 1.0).sqrt();
    let s = t * c;
    for k in 0..n {
        let (x, y) = (a[k * n + p], a[k * n + q]);
        a[k * n + p] = c * x - s * y;
        a[k * n + q] = s * x + c * y;
    }
    for k in 0..n {
        let (x, y) = (a[p * n + k], a[q * n + k]);
        a[p * n + k] = c * x - s * y;
        a[q * n + k] = s * x + c * y;
    }
    for k in 0..n {
        let (x, y) = (vectors[k * n + p], vectors[k * n + q]);
        vectors[k * n + p] = c * x - s * y;
        vectors[k * n + q] = s * x + c * y;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eigenvalues_of_a_known_matrix_are_found() {
        // The second difference of three points: 2 − √2, 2, 2 + √2.
        let mut a = [2.0, -1.0, 0.0, -1.0, 2.0, -1.0, 0.0, -1.0, 2.0];
        let mut v = [0.0; 9];
        eigen(&mut a, &mut v, 3);
        let mut values = [a[0], a[4], a[8]];
        values.sort_by(f64::total_cmp);
        let root = 2.0_f64.sqrt();
        for (value, exact) in values.iter().zip([2.0 - root, 2.0, 2.0 + root]) {
            assert!((value - exact).abs() < 1e-14);
        }
    }

    #[test]
    fn magnitudes_turn_negative_eigenvalues_over() {
        // Eigenvalues 3 along (1, 1) and −1 along (1, −1) become 3 and 1.
        let a = absolute(&[[1.0, 2.0], [2.0, 1.0]]);
        for (i, j, exact) in [(0, 0, 2.0), (0, 1, 1.0), (1, 0, 1.0), (1, 1, 2.0)] {
            assert!((a[i][j] - exact).abs() < 1e-14, "{a:?}");
        }
        let definite = [[2.0, 1.0], [1.0, 3.0]];
        assert_eq!(absolute(&definite), definite);
        assert_eq!(project_small(&definite), definite);
    }

    #[test]
    fn projection_keeps_the_positive_part_and_drops_the_negative() {
        let m = [[1.0, 2.0], [2.0, 1.0]];
        // Eigenvalues 3 along (1, 1) and −1 along (1, −1).
        let p = project_small(&m);
        for row in p {
            for entry in row {
                assert!((entry - 1.5).abs() < 1e-14);
            }
        }
        let h =
            [[DMat3::IDENTITY, DMat3::IDENTITY * 2.0], [DMat3::IDENTITY * 2.0, DMat3::IDENTITY]];
        let p = project(&h);
        for row in p {
            for block in row {
                assert!(
                    (block - DMat3::IDENTITY * 1.5).to_cols_array().iter().all(|v| v.abs() < 1e-13)
                );
            }
        }
    }
}
