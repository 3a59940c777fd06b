//! The widest instructions that the processor has.
//!
//! There are no fused operations, so that every machine comes to the same result.

/// Runs `work` compiled for them. All that it calls must be inlined into it.
#[inline(always)]
pub(crate) fn wide<R>(work: impl FnOnce() -> R) -> R {
    pulp::Arch::new().dispatch(work)
}

/// Eight numbers at a time, where a compiler left to itself does not see that they belong together.
pub(crate) trait Eight: Copy {
    /// Eight numbers.
    type Of: Copy;

    fn of(self, a: [f32; 8]) -> Self::Of;
    fn all(self, a: f32) -> Self::Of;
    fn add(self, a: Self::Of, b: Self::Of) -> Self::Of;
    fn sub(self, a: Self::Of, b: Self::Of) -> Self::Of;
    fn mul(self, a: Self::Of, b: Self::Of) -> Self::Of;
    fn div(self, a: Self::Of, b: Self::Of) -> Self::Of;
    /// The second where they cannot be compared.
    fn max(self, a: Self::Of, b: Self::Of) -> Self::Of;
    /// The second where they cannot be compared.
    fn min(self, a: Self::Of, b: Self::Of) -> Self::Of;
    /// Sums of neighbours: two of the first, two of the second, from the lower half and then the same from
    /// the upper one.
    fn pairs(self, a: Self::Of, b: Self::Of) -> Self::Of;
    /// A bit for each number that is not above its counterpart.
    fn at_most(self, a: Self::Of, b: Self::Of) -> u32;
    /// The upper half, then the lower one.
    fn swapped(self, a: Self::Of) -> Self::Of;
    fn array(self, a: Self::Of) -> [f32; 8];
}

/// Something to do with eight numbers at a time. Like all that it calls, `run` must be inlined.
pub(crate) trait Work {
    /// What comes out.
    type Output;

    fn run(self, with: impl Eight) -> Self::Output;
}

/// Does it with what the processor has.
#[inline(always)]
pub(crate) fn by_eights<W: Work>(work: W) -> W::Output {
    #[cfg(target_arch = "x86_64")]
    if let Some(simd) = pulp::x86::V3::try_new() {
        return simd.vectorize(
            #[inline(always)]
            || work.run(simd),
        );
    }
    work.run(Plain)
}

/// Eight numbers one after the other.
#[derive(Clone, Copy, Debug)]
struct Plain;

#[inline(always)]
fn each(a: [f32; 8], b: [f32; 8], f: impl Fn(f32, f32) -> f32) -> [f32; 8] {
    std::array::from_fn(|n| f(a[n], b[n]))
}

impl Eight for Plain {
    type Of = [f32; 8];

    fn of(self, a: [f32; 8]) -> [f32; 8] {
        a
    }

    fn all(self, a: f32) -> [f32; 8] {
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

    fn pairs(self, a: [f32; 8], b: [f32; 8]) -> [f32; 8] {
        let two = |x: [f32; 8], n: usize| x[n] + x[n + 1];
        [two(a, 0), two(a, 2), two(b, 0), two(b, 2), two(a, 4), two(a, 6), two(b, 4), two(b, 6)]
    }

    fn at_most(self, a: [f32; 8], b: [f32; 8]) -> u32 {
        (0..8).map(|n| u32::from(a[n] <= b[n]) << n).sum()
    }

    fn swapped(self, [a, b, c, d, e, f, g, h]: [f32; 8]) -> [f32; 8] {
        [e, f, g, h, a, b, c, d]
    }

    fn array(self, a: [f32; 8]) -> [f32; 8] {
        a
    }
}

#[cfg(target_arch = "x86_64")]
impl Eight for pulp::x86::V3 {
    type Of = core::arch::x86_64::__m256;

    #[inline(always)]
    fn of(self, a: [f32; 8]) -> Self::Of {
        pulp::cast(a)
    }

    #[inline(always)]
    fn all(self, a: f32) -> Self::Of {
        self.avx._mm256_set1_ps(a)
    }

    #[inline(always)]
    fn add(self, a: Self::Of, b: Self::Of) -> Self::Of {
        self.avx._mm256_add_ps(a, b)
    }

    #[inline(always)]
    fn sub(self, a: Self::Of, b: Self::Of) -> Self::Of {
        self.avx._mm256_sub_ps(a, b)
    }

    #[inline(always)]
    fn mul(self, a: Self::Of, b: Self::Of) -> Self::Of {
        self.avx._mm256_mul_ps(a, b)
    }

    #[inline(always)]
    fn div(self, a: Self::Of, b: Self::Of) -> Self::Of {
        self.avx._mm256_div_ps(a, b)
    }

    #[inline(always)]
    fn max(self, a: Self::Of, b: Self::Of) -> Self::Of {
        self.avx._mm256_max_ps(a, b)
    }

    #[inline(always)]
    fn min(self, a: Self::Of, b: Self::Of) -> Self::Of {
        self.avx._mm256_min_ps(a, b)
    }

    #[inline(always)]
    fn pairs(self, a: Self::Of, b: Self::Of) -> Self::Of {
        self.avx._mm256_hadd_ps(a, b)
    }

    #[inline(always)]
    fn at_most(self, a: Self::Of, b: Self::Of) -> u32 {
        use core::arch::x86_64::_CMP_LE_OQ;
        self.avx._mm256_movemask_ps(self.avx._mm256_cmp_ps::<_CMP_LE_OQ>(a, b)) as u32
    }

    #[inline(always)]
    fn swapped(self, a: Self::Of) -> Self::Of {
        self.avx._mm256_permute2f128_ps::<1>(a, a)
    }

    #[inline(always)]
    fn array(self, a: Self::Of) -> [f32; 8] {
        pulp::cast(a)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every operation on some numbers, as bits.
    struct Every([f32; 8], [f32; 8]);

    impl Work for Every {
        type Output = Vec<[u32; 8]>;

        #[inline(always)]
        fn run(self, w: impl Eight) -> Self::Output {
            let (a, b) = (w.of(self.0), w.of(self.1));
            let all = [
                w.add(a, b),
                w.sub(a, b),
                w.mul(a, b),
                w.div(a, b),
                w.max(a, b),
                w.min(a, b),
                w.pairs(a, b),
                w.swapped(a),
                w.all(self.0[3]),
            ];
            let bits = [w.at_most(a, b); 8];
            all.into_iter().map(|x| w.array(x).map(f32::to_bits)).chain([bits]).collect()
        }
    }

    #[test]
    fn wide_and_plain_operations_come_to_the_same() {
        let a = [1.0, -2.5, 3e-7, 4e30, 0.1, f32::INFINITY, 7.0, -0.0];
        let b = [0.3, 1e-3, 2.0, -5.0, 0.1, 1.0, f32::NAN, 0.0];
        let is_nan = |x: u32| f32::from_bits(x).is_nan();
        for (x, y) in [(a, b), (b, a)] {
            let (found, plain) = (by_eights(Every(x, y)), Every(x, y).run(Plain));
            for (f, p) in found.iter().flatten().zip(plain.iter().flatten()) {
                assert!(f == p || (is_nan(*f) && is_nan(*p)), "{found:?} {plain:?}");
            }
        }
    }
}
