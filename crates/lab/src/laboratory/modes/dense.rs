//! Small symmetric eigenvalue problems, by Jacobi's rotations.

/// Values, ascending, and vectors with vᵀ B v = 1 of A v = λ B v; `None` if B is not positive definite.
pub(super) fn generalised(a: &[Vec<f64>], b: &[Vec<f64>]) -> Option<(Vec<f64>, Vec<Vec<f64>>)> {
    let n = a.len();
    let lower = cholesky(b)?;
    // C = L⁻¹ A L⁻ᵀ: both sides are the same forward substitution.
    let mut half: Vec<Vec<f64>> = (0..n)
        .map(|j| {
            let column: Vec<f64> = (0..n).map(|i| 0.5 * (a[i][j] + a[j][i])).collect();
            forward(&lower, column)
        })
        .collect();
    half = transpose(&half);
    let mut c: Vec<Vec<f64>> = half.into_iter().map(|row| forward(&lower, row)).collect();
    let mut vectors: Vec<Vec<f64>> =
        (0..n).map(|i| (0..n).map(|j| f64::from(u8::from(i == j))).collect()).collect();
    rotate(&mut c, &mut vectors);
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|i, j| c[*i][*i].total_cmp(&c[*j][*j]));
    let values = order.iter().map(|i| c[*i][*i]).collect();
    let turned =
        order.iter().map(|k| backward(&lower, (0..n).map(|i| vectors[i][*k]).collect())).collect();
    Some((values, turned))
}

fn transpose(m: &[Vec<f64>]) -> Vec<Vec<f64>> {
    (0..m.len()).map(|i| m.iter().map(|row| row[i]).collect()).collect()
}

fn cholesky(b: &[Vec<f64>]) -> Option<Vec<Vec<f64>>> {
    let n = b.len();
    let mut l = vec![vec![0.0; n]; n];
    for i in 0..n {
        for j in 0..=i {
            let sum: f64 = (0..j).map(|k| l[i][k] * l[j][k]).sum();
            if i == j {
                let pivot = b[i][i] - sum;
                if !(pivot > 0.0 && pivot.is_finite()) {
                    return None;
                }
                l[i][i] = pivot.sqrt();
            } else {
                l[i][j] = (b[i][j] - sum) / l[j][j];
            }
        }
    }
    Some(l)
}

/// L x = b.
fn forward(l: &[Vec<f64>], mut b: Vec<f64>) -> Vec<f64> {
    for i in 0..b.len() {
        let sum: f64 = (0..i).map(|k| l[i][k] * b[k]).sum();
        b[i] = (b[i] - sum) / l[i][i];
    }
    b
}

/// Lᵀ x = b.
fn backward(l: &[Vec<f64>], mut b: Vec<f64>) -> Vec<f64> {
    for i in (0..b.len()).rev() {
        let sum: f64 = (i + 1..b.len()).map(|k| l[k][i] * b[k]).sum();
        b[i] = (b[i] - sum) / l[i][i];
    }
    b
}

/// Makes C diagonal and turns the columns of V alike.
fn rotate(c: &mut [Vec<f64>], v: &mut [Vec<f64>]) {
    let n = c.len();
    // Convergence is quadratic: some ten sweeps reach rounding.
    for _ in 0..50 {
        let size: f64 = (0..n).map(|i| c[i][i].abs()).sum();
        let off: f64 =
            (0..n).flat_map(|i| (0..i).map(move |j| (i, j))).map(|(i, j)| c[i][j].abs()).sum();
        if off <= 1e-16 * size {
            return;
        }
        for p in 0..n {
            for q in p + 1..n {
                if c[p][q] == 0.0 {
                    continue;
                }
                let theta = 0.5 * (c[q][q] - c[p][p]) / c[p][q];
                let t = theta.signum() / (theta.abs() + (1.0 + theta * theta).sqrt());
                let cos = 1.0 / (1.0 + t * t).sqrt();
                let sin = t * cos;
                for k in 0..n {
                    let (a, b) = (c[k][p], c[k][q]);
                    (c[k][p], c[k][q]) = (cos * a - sin * b, sin * a + cos * b);
                }
                for k in 0..n {
                    let (a, b) = (c[p][k], c[q][k]);
                    (c[p][k], c[q][k]) = (cos * a - sin * b, sin * a + cos * b);
                    let (a, b) = (v[k][p], v[k][q]);
                    (v[k][p], v[k][q]) = (cos * a - sin * b, sin * a + cos * b);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_and_vectors_solve_the_equation() {
        let a = vec![vec![4.0, 1.0, -2.0], vec![1.0, 2.0, 0.5], vec![-2.0, 0.5, -3.0]];
        let b = vec![vec![2.0, 0.3, 0.1], vec![0.3, 1.0, -0.2], vec![0.1, -0.2, 0.5]];
        let (values, vectors) = generalised(&a, &b).unwrap();
        assert!(values.windows(2).all(|w| w[0] < w[1]));
        let times = |m: &[Vec<f64>], v: &[f64], i: usize| -> f64 {
            m[i].iter().zip(v).map(|(m, v)| m * v).sum()
        };
        for (value, v) in values.iter().zip(&vectors) {
            for i in 0..3 {
                assert!((times(&a, v, i) - value * times(&b, v, i)).abs() < 1e-12);
            }
            let size: f64 = (0..3).map(|i| v[i] * times(&b, v, i)).sum();
            assert!((size - 1.0).abs() < 1e-12);
        }
        assert!(generalised(&b, &a).is_none());
    }
}
