//! Mixed precision: systems whose masses single precision does not resolve.
//!
//! The matrix of a step is M/h² + K. A sum of two numbers in single precision keeps 24 bits: where K is more than 2²⁴ times M/h²,
//! as in cloth with edges of a fraction of a millimetre, the mass is rounded away. Rows of K no longer sum to zero then, and the
//! rounding error acts as springs that tie the cloth to where it is: it hangs in the air. Here matrix, contact blocks and vectors are in
//! double precision. The preconditioner is that of [`super::single`]: it is factored in double precision and applied in single, and as its
//! rounding makes it slightly nonlinear, directions are made conjugate by the formula of Polak and Ribière [golub1999].

use super::cg::{End, Outcome};
use super::single::{Goal, Inverse};
use super::{BlockCsr, vector};
use glam::{DMat3, DVec3, Vec3A};

/// A stiffness between weighted sums of vertices, as [`super::single::ContactBlock`].
#[derive(Clone, Copy, Debug)]
pub struct ContactBlockF64 {
    /// Vertices. Those that do not move by themselves have the weight zero.
    pub points: [u32; 4],
    /// Their weights.
    pub weights: [f64; 4],
    /// Stiffness [N/m].
    pub stiffness: DMat3,
}

impl ContactBlockF64 {
    /// Adds K x to y.
    fn apply(&self, x: &[DVec3], y: &mut [DVec3]) {
        let points = self.points.map(|p| p as usize);
        let sum: DVec3 = points.iter().zip(self.weights).map(|(p, w)| x[*p] * w).sum();
        let force = self.stiffness * sum;
        points.iter().zip(self.weights).for_each(|(p, w)| y[*p] += force * w);
    }
}

/// Vectors of a solve.
struct Vectors {
    r: Vec<DVec3>,
    z: Vec<DVec3>,
    p: Vec<DVec3>,
    q: Vec<DVec3>,
    single: [Vec<Vec3A>; 2],
}

impl Vectors {
    fn new(rows: usize) -> Self {
        let zeros = || vec![DVec3::ZERO; rows];
        let single = [vec![Vec3A::ZERO; rows], vec![Vec3A::ZERO; rows]];
        Self { r: zeros(), z: zeros(), p: zeros(), q: zeros(), single }
    }

    /// z ← M⁻¹ r, applied in single precision, with r scaled so that no force is lost to its range.
    fn precondition(&mut self, m: &mut impl Inverse, fixed: &[u32]) {
        let largest = self.r.iter().map(|r| r.abs().max_element()).fold(0.0, f64::max);
        let scale = if largest > 0.0 && largest.is_finite() { largest } else { 1.0 };
        let [from, to] = &mut self.single;
        for (single, r) in from.iter_mut().zip(&self.r) {
            *single = (*r / scale).as_vec3a();
        }
        m.apply(from, to);
        for (z, single) in self.z.iter_mut().zip(&*to) {
            *z = single.as_dvec3() * scale;
        }
        zero_prescribed(&mut self.z, fixed);
    }
}

/// Sets what belongs to prescribed vertices to zero.
fn zero_prescribed(list: &mut [DVec3], fixed: &[u32]) {
    fixed.iter().for_each(|i| list[*i as usize] = DVec3::ZERO);
}

/// Solves (A + Σ contact blocks) x = b from the x given, for all vertices but `fixed`, whose x stays; ends as
/// [`super::single::solve`] does. Returns the residual besides.
pub fn solve(
    matrix: &BlockCsr,
    contact_blocks_f64: &[ContactBlockF64],
    m: &mut impl Inverse,
    fixed: &[u32],
    b: &[DVec3],
    x: &mut [DVec3],
    goal: Goal,
) -> (Outcome, Vec<Vec3A>) {
    let mut v = Vectors::new(matrix.rows());
    let times = |x: &[DVec3], y: &mut [DVec3]| {
        matrix.multiply(x, y);
        contact_blocks_f64.iter().for_each(|c| c.apply(x, y));
    };
    if x.iter().any(|x| *x != DVec3::ZERO) {
        times(x, &mut v.q);
        if fixed.is_empty() {
            // The multiple of the guess that is best.
            let part = (vector::dot(x, &b[..x.len()]) / vector::dot(x, &v.q)).clamp(0.0, 1.0);
            let part = if part.is_finite() { part } else { 0.0 };
            x.iter_mut().chain(&mut v.q).for_each(|x| *x *= part);
        }
    }
    let mut decrease = 0.0;
    for i in 0..x.len() {
        v.r[i] = b[i] - v.q[i];
        decrease += x[i].dot(b[i] - 0.5 * v.q[i]);
    }
    let mut decrease = f64::max(decrease, 0.0);
    zero_prescribed(&mut v.r, fixed);
    v.precondition(m, fixed);
    v.p.copy_from_slice(&v.z);
    let initial_delta = vector::dot(&v.r, &v.z);
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
        zero_prescribed(&mut v.q, fixed);
        let curvature = vector::dot(&v.p, &v.q);
        if curvature.is_nan() {
            break End::NotFinite;
        }
        if curvature <= 0.0 {
            break End::NotPositiveDefinite { curvature: curvature / vector::dot(&v.p, &v.p) };
        }
        iterations += 1;
        let slope = vector::dot(&v.r, &v.p);
        let step = slope / curvature;
        // Held vertices have no part in p.
        vector::add_scaled(x, step, &v.p);
        vector::add_scaled(&mut v.r, -step, &v.q);
        let before = std::mem::take(&mut v.z);
        v.z = vec![DVec3::ZERO; before.len()];
        v.precondition(m, fixed);
        let next = vector::dot(&v.r, &v.z);
        let beta = ((next - vector::dot(&v.r, &before)) / delta).max(0.0);
        vector::scale_and_add(&mut v.p, beta, &v.z);
        let step_decrease = 0.5 * slope * step;
        decrease += step_decrease;
        delta = next;
        let small = delta <= goal.relative_residual * goal.relative_residual * initial_delta;
        if small && f64::from(iterations) * step_decrease <= goal.quadratic_tolerance * decrease {
            break End::Converged;
        }
    };
    let outcome = Outcome { iterations, residual: (delta / initial_delta).max(0.0).sqrt(), end };
    (outcome, v.r.iter().map(|r| r.as_vec3a()).collect())
}
