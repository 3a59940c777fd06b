//! Preconditioned conjugate gradients in single precision.

use super::super::cg::{End, Outcome};
use super::super::vector::SUM_CHUNK;
use super::{ContactBlock, Matrix};
use glam::{DVec3, Vec3A};

/// An approximate inverse of a matrix, itself symmetric and positive definite.
pub trait Inverse {
    /// z ← M⁻¹ r.
    fn apply(&mut self, r: &[Vec3A], z: &mut [Vec3A]);
}

/// When to stop: when both hold.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Goal {
    /// The decrease of the quadratic model ½ xᵀ A x − bᵀ x is negligible: with q its decrease so far, k Δq ≤ tolerance · q in iteration k
    /// [nash1990]. Infinite if it does not matter.
    pub quadratic_tolerance: f64,
    /// √(rᵀ M⁻¹ r) has fallen to this part of what it was.
    pub relative_residual: f64,
    /// … or √(rᵀ M⁻¹ r) has fallen to the root of this, whatever it was: what is left of the decrease is about half of it [J].
    pub absolute_tolerance: f64,
    /// Most iterations.
    pub max_iterations: u32,
}

/// Vectors of a solve, kept from one to the next.
#[derive(Clone, Debug, Default)]
pub struct Vectors {
    x: Vec<Vec3A>,
    r: Vec<Vec3A>,
    z: Vec<Vec3A>,
    p: Vec<Vec3A>,
    q: Vec<Vec3A>,
}

impl Vectors {
    /// The residual of the last solve, zero at prescribed vertices.
    pub fn into_residual(self) -> Vec<Vec3A> {
        self.r
    }
}

/// Solves (A + Σ contact blocks) x = b from the x given, for all vertices but `fixed`, whose x stays.
///
/// The residual alone as a goal would forget soft modes, the quadratic alone stiff ones, such as contacts.
pub fn solve(
    matrix: &Matrix,
    contact_blocks: &[ContactBlock],
    m: &mut impl Inverse,
    fixed: &[u32],
    b: &[DVec3],
    x: &mut [DVec3],
    goal: Goal,
    v: &mut Vectors,
) -> Outcome {
    let n = matrix.rows();
    for list in [&mut v.x, &mut v.r, &mut v.z, &mut v.p, &mut v.q] {
        list.resize(n, Vec3A::ZERO);
    }
    let free = |list: &mut [Vec3A]| fixed.iter().for_each(|i| list[*i as usize] = Vec3A::ZERO);
    let times = |x: &[Vec3A], y: &mut [Vec3A]| {
        matrix.multiply(x, y);
        contact_blocks.iter().for_each(|contact_block| contact_block.apply(x, y));
    };
    for (to, x) in v.x.iter_mut().zip(&*x) {
        *to = x.as_vec3a();
    }
    v.q.fill(Vec3A::ZERO);
    if v.x.iter().any(|x| *x != Vec3A::ZERO) {
        times(&v.x, &mut v.q);
        if fixed.is_empty() {
            // As far along the guess as is best.
            let along: f64 = v.x.iter().zip(b).map(|(x, b)| f64::from(x.dot(b.as_vec3a()))).sum();
            let part = (along / dot(&v.x, &v.q)).clamp(0.0, 1.0) as f32;
            let part = if part.is_finite() { part } else { 0.0 };
            v.x.iter_mut().chain(&mut v.q).for_each(|x| *x *= part);
        }
    }
    // The decrease of the start.
    let mut decrease = 0.0;
    for i in 0..n {
        let b = b[i].as_vec3a();
        v.r[i] = b - v.q[i];
        decrease += f64::from(v.x[i].dot(b) - 0.5 * v.x[i].dot(v.q[i]));
    }
    decrease = f64::max(decrease, 0.0);
    free(&mut v.r);
    m.apply(&v.r, &mut v.z);
    free(&mut v.z);
    v.p.copy_from_slice(&v.z);
    let initial_delta = dot(&v.r, &v.z);
    let mut delta = initial_delta;
    let mut iterations = 0;
    let end = loop {
        if !delta.is_finite() {
            break End::NotFinite;
        }
        if delta <= f64::EPSILON * initial_delta
            || (iterations > 0 && delta <= goal.absolute_tolerance)
        {
            break End::Converged;
        }
        if iterations == goal.max_iterations {
            break End::Exhausted;
        }
        times(&v.p, &mut v.q);
        free(&mut v.q);
        let curvature = dot(&v.p, &v.q);
        if curvature.is_nan() {
            break End::NotFinite;
        }
        if curvature <= 0.0 {
            break End::NotPositiveDefinite { curvature: curvature / dot(&v.p, &v.p) };
        }
        iterations += 1;
        let step = (delta / curvature) as f32;
        for i in 0..n {
            v.x[i] += v.p[i] * step;
            v.r[i] -= v.q[i] * step;
        }
        m.apply(&v.r, &mut v.z);
        free(&mut v.z);
        let next = dot(&v.r, &v.z);
        let beta = (next / delta) as f32;
        for (p, z) in v.p.iter_mut().zip(&v.z) {
            *p = *z + *p * beta;
        }
        let step_decrease = 0.5 * delta * delta / curvature;
        decrease += step_decrease;
        delta = next;
        let small = delta <= goal.relative_residual * goal.relative_residual * initial_delta;
        if small && f64::from(iterations) * step_decrease <= goal.quadratic_tolerance * decrease {
            break End::Converged;
        }
    };
    let mut at = fixed.iter().copied().peekable();
    for i in 0..n {
        if at.next_if_eq(&(i as u32)).is_none() {
            x[i] = v.x[i].as_dvec3();
        }
    }
    Outcome { iterations, residual: (delta / initial_delta).max(0.0).sqrt(), end }
}

/// Σ aᵢ · bᵢ: pieces in single precision by lanes, summed in double.
fn dot(a: &[Vec3A], b: &[Vec3A]) -> f64 {
    let piece = |a: &[Vec3A], b: &[Vec3A]| {
        let mut sums = [Vec3A::ZERO; 4];
        let (a4, b4) = (a.chunks_exact(4), b.chunks_exact(4));
        let rest = a4.remainder().iter().zip(b4.remainder());
        for (a, b) in a4.zip(b4) {
            for k in 0..4 {
                sums[k] += a[k] * b[k];
            }
        }
        let tail: Vec3A = rest.map(|(a, b)| *a * *b).sum();
        let all = (sums[0] + sums[1]) + (sums[2] + sums[3]) + tail;
        f64::from(all.x) + f64::from(all.y) + f64::from(all.z)
    };
    a.chunks(SUM_CHUNK / 8).zip(b.chunks(SUM_CHUNK / 8)).map(|(a, b)| piece(a, b)).sum()
}
