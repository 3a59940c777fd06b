//! SIMD dispatch (pulp), eight `f32` lanes.
//!
//! There are no fused operations, so that every machine comes to the same result.

mod bytes;

pub(crate) use bytes::{Bytes, Rows};

/// Runs `work` compiled for the instruction set of this processor. All that it calls must be inlined into it.
#[inline(always)]
pub(crate) fn dispatch<R>(work: impl FnOnce() -> R) -> R {
    pulp::Arch::new().dispatch(work)
}

/// Eight numbers at a time, where a compiler left to itself does not see that they belong together.
pub(crate) trait F32x8: Bytes {
    /// Eight numbers.
    type Vector: Copy;

    fn load(self, a: [f32; 8]) -> Self::Vector;
    fn splat(self, a: f32) -> Self::Vector;
    fn add(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    fn sub(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    fn mul(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    fn div(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// The second where they cannot be compared.
    fn max(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// The second where they cannot be compared.
    fn min(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// Sums of neighbours: two of the first, two of the second, from the lower half and then the same from
    /// the upper one.
    fn horizontal_add(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// The upper half, then the lower one.
    fn swap_halves(self, a: Self::Vector) -> Self::Vector;
    fn store(self, a: Self::Vector) -> [f32; 8];
    /// Eight numbers with fewer digits, four of each.
    fn convert_f64(self, a: [f64; 4], b: [f64; 4]) -> Self::Vector;
    /// The numbers without their fractions; any number for one that has more than 31 bits.
    fn truncate(self, a: Self::Vector) -> [i32; 8];
    /// All bits where a number is above its counterpart, none elsewhere.
    fn cmp_gt(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// Bits that are in both.
    fn and(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// Bits that are in one of them.
    fn or(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// The first bit of each number.
    fn movemask(self, a: Self::Vector) -> u32;
    /// Rows as columns.
    fn transposed(self, a: [Self::Vector; 8]) -> [Self::Vector; 8];
}

/// Whether for one of the first three numbers, a is above b in both halves, or c above d. What every processor of
/// a kind has is enough for that.
#[inline(always)]
pub(crate) fn any_above_twice(a: &[f32; 8], b: &[f32; 8], c: &[f32; 8], d: &[f32; 8]) -> bool {
    // The check is decided when this is compiled.
    #[cfg(target_arch = "x86_64")]
    if let Some(sse) = pulp::core_arch::x86::Sse::try_new() {
        let twice = |x: &[f32; 8], y: &[f32; 8]| {
            type Halves = [core::arch::x86_64::__m128; 2];
            let ([p, q], [r, s]): (Halves, Halves) = (pulp::cast(*x), pulp::cast(*y));
            sse._mm_and_ps(sse._mm_cmpgt_ps(p, r), sse._mm_cmpgt_ps(q, s))
        };
        return sse._mm_movemask_ps(sse._mm_or_ps(twice(a, b), twice(c, d))) & 7 != 0;
    }
    let twice = |x: &[f32; 8], y: &[f32; 8], k: usize| (x[k] > y[k]) & (x[k + 4] > y[k + 4]);
    (0..3).any(|k| twice(a, b, k) | twice(c, d, k))
}

/// Something to do with eight numbers at a time. Like all that it calls, `run` must be inlined.
pub(crate) trait Work {
    /// What comes out.
    type Output;

    fn run(self, with: impl F32x8) -> Self::Output;
}

/// Does it with what the processor has.
#[inline(always)]
pub(crate) fn with_simd<W: Work>(work: W) -> W::Output {
    #[cfg(target_arch = "x86_64")]
    if let Some(simd) = pulp::x86::V3::try_new() {
        return simd.vectorize(
            #[inline(always)]
            || work.run(simd),
        );
    }
    work.run(Scalar)
}

/// Eight numbers one after the other.
#[derive(Clone, Copy, Debug)]
struct Scalar;

#[inline(always)]
fn each(a: [f32; 8], b: [f32; 8], f: impl Fn(f32, f32) -> f32) -> [f32; 8] {
    std::array::from_fn(|n| f(a[n], b[n]))
}

impl F32x8 for Scalar {
    type Vector = [f32; 8];

    fn load(self, a: [f32; 8]) -> [f32; 8] {
        a
    }

    fn splat(self, a: f32) -> [f32; 8] {
        [a; 8]
    }

    fn add(self, a: [f32; 8], b: [f32; 8]) -> [f32; 8] {
        each(a, b, |a, b| a + b)
    }

    fn sub(self, a: [f32; 8], b: [f32; 8]) -> [f32; 8] {
        each(a, b, |a, b| a - b)
    }

    fn mul(self, a: [f32; 8], b: [f32; 8]) -> [f32; 8] {
        each(a, b, |a, b| a * b)
    }

    fn div(self, a: [f32; 8], b: [f32; 8]) -> [f32; 8] {
        each(a, b, |a, b| a / b)
    }

    fn max(self, a: [f32; 8], b: [f32; 8]) -> [f32; 8] {
        each(a, b, |a, b| if a > b { a } else { b })
    }

    fn min(self, a: [f32; 8], b: [f32; 8]) -> [f32; 8] {
        each(a, b, |a, b| if a < b { a } else { b })
    }

    fn horizontal_add(self, a: [f32; 8], b: [f32; 8]) -> [f32; 8] {
        let two = |x: [f32; 8], n: usize| x[n] + x[n + 1];
        [two(a, 0), two(a, 2), two(b, 0), two(b, 2), two(a, 4), two(a, 6), two(b, 4), two(b, 6)]
    }

    fn swap_halves(self, [a, b, c, d, e, f, g, h]: [f32; 8]) -> [f32; 8] {
        [e, f, g, h, a, b, c, d]
    }

    fn store(self, a: [f32; 8]) -> [f32; 8] {
        a
    }

    fn convert_f64(self, [a, b, c, d]: [f64; 4], [e, f, g, h]: [f64; 4]) -> [f32; 8] {
        [a, b, c, d, e, f, g, h].map(|x| x as f32)
    }

    fn truncate(self, a: [f32; 8]) -> [i32; 8] {
        a.map(|x| x as i32)
    }

    fn cmp_gt(self, a: [f32; 8], b: [f32; 8]) -> [f32; 8] {
        each(a, b, |a, b| f32::from_bits(if a > b { u32::MAX } else { 0 }))
    }

    fn and(self, a: [f32; 8], b: [f32; 8]) -> [f32; 8] {
        each(a, b, |a, b| f32::from_bits(a.to_bits() & b.to_bits()))
    }

    fn or(self, a: [f32; 8], b: [f32; 8]) -> [f32; 8] {
        each(a, b, |a, b| f32::from_bits(a.to_bits() | b.to_bits()))
    }

    fn movemask(self, a: [f32; 8]) -> u32 {
        (0..8).map(|n| a[n].to_bits() >> 31 << n).sum()
    }

    fn transposed(self, a: [[f32; 8]; 8]) -> [[f32; 8]; 8] {
        std::array::from_fn(|i| std::array::from_fn(|j| a[j][i]))
    }
}

#[cfg(target_arch = "x86_64")]
impl F32x8 for pulp::x86::V3 {
    type Vector = core::arch::x86_64::__m256;

    #[inline(always)]
    fn load(self, a: [f32; 8]) -> Self::Vector {
        pulp::cast(a)
    }

    #[inline(always)]
    fn splat(self, a: f32) -> Self::Vector {
        self.avx._mm256_set1_ps(a)
    }

    #[inline(always)]
    fn add(self, a: Self::Vector, b: Self::Vector) -> Self::Vector {
        self.avx._mm256_add_ps(a, b)
    }

    #[inline(always)]
    fn sub(self, a: Self::Vector, b: Self::Vector) -> Self::Vector {
        self.avx._mm256_sub_ps(a, b)
    }

    #[inline(always)]
    fn mul(self, a: Self::Vector, b: Self::Vector) -> Self::Vector {
        self.avx._mm256_mul_ps(a, b)
    }

    #[inline(always)]
    fn div(self, a: Self::Vector, b: Self::Vector) -> Self::Vector {
        self.avx._mm256_div_ps(a, b)
    }

    #[inline(always)]
    fn max(self, a: Self::Vector, b: Self::Vector) -> Self::Vector {
        self.avx._mm256_max_ps(a, b)
    }

    #[inline(always)]
    fn min(self, a: Self::Vector, b: Self::Vector) -> Self::Vector {
        self.avx._mm256_min_ps(a, b)
    }

    #[inline(always)]
    fn horizontal_add(self, a: Self::Vector, b: Self::Vector) -> Self::Vector {
        self.avx._mm256_hadd_ps(a, b)
    }

    #[inline(always)]
    fn swap_halves(self, a: Self::Vector) -> Self::Vector {
        self.avx._mm256_permute2f128_ps::<1>(a, a)
    }

    #[inline(always)]
    fn store(self, a: Self::Vector) -> [f32; 8] {
        pulp::cast(a)
    }

    #[inline(always)]
    fn convert_f64(self, a: [f64; 4], b: [f64; 4]) -> Self::Vector {
        let narrow = |x: [f64; 4]| self.avx._mm256_cvtpd_ps(pulp::cast(x));
        self.avx._mm256_set_m128(narrow(b), narrow(a))
    }

    #[inline(always)]
    fn truncate(self, a: Self::Vector) -> [i32; 8] {
        pulp::cast(self.avx._mm256_cvttps_epi32(a))
    }

    #[inline(always)]
    fn cmp_gt(self, a: Self::Vector, b: Self::Vector) -> Self::Vector {
        use core::arch::x86_64::_CMP_GT_OQ;
        self.avx._mm256_cmp_ps::<_CMP_GT_OQ>(a, b)
    }

    #[inline(always)]
    fn and(self, a: Self::Vector, b: Self::Vector) -> Self::Vector {
        self.avx._mm256_and_ps(a, b)
    }

    #[inline(always)]
    fn or(self, a: Self::Vector, b: Self::Vector) -> Self::Vector {
        self.avx._mm256_or_ps(a, b)
    }

    #[inline(always)]
    fn movemask(self, a: Self::Vector) -> u32 {
        self.avx._mm256_movemask_ps(a) as u32
    }

    #[inline(always)]
    fn transposed(self, [a, b, c, d, e, f, g, h]: [Self::Vector; 8]) -> [Self::Vector; 8] {
        let w = self.avx;
        // Within each half: four by four numbers of the first four rows, then of the others.
        let ([a, b, c, d], [e, f, g, h]) = (four(w, [a, b, c, d]), four(w, [e, f, g, h]));
        let lower = |x, y| w._mm256_permute2f128_ps::<0x20>(x, y);
        let upper = |x, y| w._mm256_permute2f128_ps::<0x31>(x, y);
        [
            lower(a, e),
            lower(b, f),
            lower(c, g),
            lower(d, h),
            upper(a, e),
            upper(b, f),
            upper(c, g),
            upper(d, h),
        ]
    }
}

/// Four rows as columns, within each half. No closure: one that is called twice is not inlined, and then neither are the
/// instructions in it.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn four(
    w: pulp::core_arch::x86::Avx,
    [a, b, c, d]: [core::arch::x86_64::__m256; 4],
) -> [core::arch::x86_64::__m256; 4] {
    let (p, q) = (w._mm256_unpacklo_ps(a, b), w._mm256_unpackhi_ps(a, b));
    let (r, s) = (w._mm256_unpacklo_ps(c, d), w._mm256_unpackhi_ps(c, d));
    [
        w._mm256_shuffle_ps::<0b01_00_01_00>(p, r),
        w._mm256_shuffle_ps::<0b11_10_11_10>(p, r),
        w._mm256_shuffle_ps::<0b01_00_01_00>(q, s),
        w._mm256_shuffle_ps::<0b11_10_11_10>(q, s),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every operation on some numbers, as bits.
    struct Every([f32; 8], [f32; 8]);

    impl Work for Every {
        type Output = Vec<[u32; 8]>;

        #[inline(always)]
        fn run(self, w: impl F32x8) -> Self::Output {
            let (a, b) = (w.load(self.0), w.load(self.1));
            let all = [
                w.add(a, b),
                w.sub(a, b),
                w.mul(a, b),
                w.div(a, b),
                w.max(a, b),
                w.min(a, b),
                w.horizontal_add(a, b),
                w.swap_halves(a),
                w.splat(self.0[3]),
                w.cmp_gt(a, b),
                w.and(a, b),
                w.or(a, b),
                w.convert_f64(
                    [0.1, 1e-40, -3e38, f64::from(self.0[0])],
                    [1e300, -0.7, 0.0, f64::from(self.1[1])],
                ),
            ];
            let rows = [all[0], all[1], all[2], all[3], all[4], all[5], all[6], all[7]];
            let all = all.into_iter().chain(w.transposed(rows));
            let some = w.movemask(w.or(w.cmp_gt(a, b), b));
            let bits = [some; 8];
            let whole = w.truncate(w.load([1.9, -1.9, 0.0, -0.5, 7.0, 1e9, -1e9, 0.99]));
            let others = [bits, whole.map(|x| x as u32)];
            all.map(|x| w.store(x).map(f32::to_bits)).chain(others).collect()
        }
    }

    #[test]
    fn wide_and_plain_operations_come_to_the_same() {
        let a = [1.0, -2.5, 3e-7, 4e30, 0.1, f32::INFINITY, 7.0, -0.0];
        let b = [0.3, 1e-3, 2.0, -5.0, 0.1, 1.0, f32::NAN, 0.0];
        let is_nan = |x: u32| f32::from_bits(x).is_nan();
        for (x, y) in [(a, b), (b, a)] {
            let (found, plain) = (with_simd(Every(x, y)), Every(x, y).run(Scalar));
            for (f, p) in found.iter().flatten().zip(plain.iter().flatten()) {
                assert!(f == p || (is_nan(*f) && is_nan(*p)), "{found:?} {plain:?}");
            }
        }
    }
}
