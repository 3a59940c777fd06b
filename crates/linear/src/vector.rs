//! Sums and updates of vectors, the same for any number of threads.
//!
//! A dot product is a sum over pieces of [`SUM_CHUNK`] entries, joined pairwise in a tree whose shape
//! depends on the length alone.

use glam::DVec3;
use rayon::prelude::*;

/// Entries that are summed in one go.
pub const SUM_CHUNK: usize = 2048;

/// Shorter vectors are not worth a second thread.
const PARALLEL: usize = 8 * SUM_CHUNK;

/// Σ aᵢ · bᵢ.
pub fn dot(a: &[DVec3], b: &[DVec3]) -> f64 {
    if a.len() <= SUM_CHUNK {
        // Four sums side by side, so that an addition need not wait for the one before.
        let mut sum = [0.0; 4];
        let (a4, b4) = (a.chunks_exact(4), b.chunks_exact(4));
        let rest = a4.remainder().iter().zip(b4.remainder());
        for (a, b) in a4.zip(b4) {
            for k in 0..4 {
                sum[k] += a[k].dot(b[k]);
            }
        }
        let tail: f64 = rest.map(|(a, b)| a.dot(*b)).sum();
        return (sum[0] + sum[1]) + (sum[2] + sum[3]) + tail;
    }
    let half = a.len().div_ceil(SUM_CHUNK) / 2 * SUM_CHUNK;
    let ((a0, a1), (b0, b1)) = (a.split_at(half), b.split_at(half));
    let (left, right) = if a.len() < PARALLEL {
        (dot(a0, b0), dot(a1, b1))
    } else {
        rayon::join(|| dot(a0, b0), || dot(a1, b1))
    };
    left + right
}

/// y ← y + s x.
pub fn add_scaled(y: &mut [DVec3], s: f64, x: &[DVec3]) {
    update(y, x, |y, x| *y += s * x);
}

/// y ← x + s y.
pub fn scale_and_add(y: &mut [DVec3], s: f64, x: &[DVec3]) {
    update(y, x, |y, x| *y = x + s * *y);
}

/// Changes every yᵢ with the help of xᵢ.
fn update(y: &mut [DVec3], x: &[DVec3], f: impl Fn(&mut DVec3, DVec3) + Sync) {
    let run = |y: &mut [DVec3], x: &[DVec3]| y.iter_mut().zip(x).for_each(|(y, x)| f(y, *x));
    if y.len() < PARALLEL {
        run(y, x);
    } else {
        y.par_chunks_mut(SUM_CHUNK).zip(x.par_chunks(SUM_CHUNK)).for_each(|(y, x)| run(y, x));
    }
}
