//! Small dense Cholesky factors, kept as inverses.
//!
//! With A = L Lᵀ and G = L⁻¹, A⁻¹ r = Gᵀ (G r), which is positive definite however G was rounded.

use glam::{DMat3, DVec3};

/// How small a pivot may be beside the entry it came from before the block counts as singular.
const SINGULAR_PIVOT: f64 = 1e-14;

/// Rows of the largest matrix that [`invert_factors`] takes.
pub(super) const MAX_ROWS: usize = 48;

/// L⁻¹ of a 3×3 block, or nothing if it is not positive definite.
pub(super) fn inverse_factor3(a: DMat3) -> Option<DMat3> {
    let l = factor3(a)?;
    let (l00, l10, l20) = (l.x_axis.x, l.x_axis.y, l.x_axis.z);
    let (l11, l21, l22) = (l.y_axis.y, l.y_axis.z, l.z_axis.z);
    let (g00, g11, g22) = (1.0 / l00, 1.0 / l11, 1.0 / l22);
    let g10 = -l10 * g00 * g11;
    let g21 = -l21 * g11 * g22;
    let g20 = -(l20 * g00 + l21 * g10) * g22;
    Some(DMat3::from_cols(
        DVec3::new(g00, g10, g20),
        DVec3::new(0.0, g11, g21),
        DVec3::new(0.0, 0.0, g22),
    ))
}

/// L of a 3×3 block.
fn factor3(a: DMat3) -> Option<DMat3> {
    let pivot = |d: f64, of: f64| (d > SINGULAR_PIVOT * of && d.is_finite()).then(|| d.sqrt());
    let l00 = pivot(a.x_axis.x, 0.0)?;
    let (l10, l20) = (a.x_axis.y / l00, a.x_axis.z / l00);
    let l11 = pivot(a.y_axis.y - l10 * l10, a.y_axis.y)?;
    let l21 = (a.y_axis.z - l20 * l10) / l11;
    let l22 = pivot(a.z_axis.z - l20 * l20 - l21 * l21, a.z_axis.z)?;
    Some(DMat3::from_cols(
        DVec3::new(l00, l10, l20),
        DVec3::new(0.0, l11, l21),
        DVec3::new(0.0, 0.0, l22),
    ))
}

/// Where row `i` of a packed lower triangle begins.
pub(super) const fn row(i: usize) -> usize {
    i * (i + 1) / 2
}

/// Σ −= x y, lane by lane.
#[inline(always)]
fn less<const B: usize>(sum: &mut [f64; B], x: &[f64; B], y: &[f64; B]) {
    for b in 0..B {
        sum[b] -= x[b] * y[b];
    }
}

/// Turns the packed lower triangles of several matrices A into those of L, in place and side by side: entry k of
/// all of them is `a[k]`. The diagonal holds the inverses of the pivots. On a pivot that is not positive the
/// pivot is set to the diagonal entry (or 1), which drops what would have made it negative.
#[inline(always)]
pub(super) fn factors<const B: usize>(a: &mut [[f64; B]], n: usize) {
    for i in 0..n {
        let (above, own) = a.split_at_mut(row(i));
        for j in 0..i {
            let mut sum = own[j];
            for (x, y) in own[..j].iter().zip(&above[row(j)..row(j) + j]) {
                less(&mut sum, x, y);
            }
            for b in 0..B {
                own[j][b] = sum[b] * above[row(j) + j][b];
            }
        }
        let mut sum = own[i];
        own[..i].iter().for_each(|x| less(&mut sum, x, x));
        for b in 0..B {
            let d = own[i][b];
            if !(sum[b] > SINGULAR_PIVOT * d && sum[b].is_finite()) {
                own[..i].iter_mut().for_each(|l| l[b] = 0.0);
                sum[b] = if d > 0.0 && d.is_finite() { d } else { 1.0 };
            }
            own[i][b] = 1.0 / sum[b].sqrt();
        }
    }
}

/// The same for L⁻¹.
#[inline(always)]
pub(super) fn invert_factors<const B: usize>(a: &mut [[f64; B]], n: usize) {
    factors(a, n);
    let mut sum = [[0.0; B]; MAX_ROWS];
    for i in 0..n {
        let (above, own) = a.split_at_mut(row(i));
        sum[..i].fill([0.0; B]);
        for (k, factor) in own[..i].iter().enumerate() {
            for (s, g) in sum.iter_mut().zip(&above[row(k)..row(k + 1)]) {
                less(s, factor, g);
            }
        }
        let pivot = own[i];
        for (g, s) in own.iter_mut().zip(&sum[..i]) {
            for b in 0..B {
                g[b] = s[b] * pivot[b];
            }
        }
    }
}

/// Σ aᵢ bᵢ in four sums side by side, so that an addition need not wait for the one before.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let (a4, b4) = (a.chunks_exact(4), b.chunks_exact(4));
    let rest: f64 = a4.remainder().iter().zip(b4.remainder()).map(|(a, b)| a * b).sum();
    let mut sum = [0.0; 4];
    for (a, b) in a4.zip(b4) {
        for k in 0..4 {
            sum[k] += a[k] * b[k];
        }
    }
    (sum[0] + sum[1]) + (sum[2] + sum[3]) + rest
}

/// x ← Gᵀ G x, with `y` for what lies in between.
pub(super) fn apply_twice(g: &[f64], x: &mut [f64], y: &mut [f64]) {
    let n = x.len();
    for i in 0..n {
        y[i] = dot(&g[row(i)..row(i + 1)], &x[..=i]);
    }
    x.fill(0.0);
    for i in 0..n {
        for (x, g) in x.iter_mut().zip(&g[row(i)..row(i + 1)]) {
            *x += g * y[i];
        }
    }
}
