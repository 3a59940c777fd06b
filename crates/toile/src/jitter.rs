//! Small random displacements that break symmetries, reproducible elsewhere.
//!
//! The numbers are those of `numpy.random.default_rng(seed).uniform(-a, a, n)`, bit for bit, so that
//! other simulators can start from the same state: PCG XSL RR 128/64 [oneill2014] seeded by the hash
//! of NumPy's `SeedSequence`.

const MULTIPLIER: u128 = 0x2360_ed05_1fc6_5da4_4385_df64_9fcc_f645;

/// NumPy's default generator for a seed that is one number.
#[derive(Clone, Debug)]
pub struct Generator {
    state: u128,
    increment: u128,
}

impl Generator {
    /// The generator that `numpy.random.default_rng(seed)` returns.
    pub fn new(seed: u64) -> Self {
        let words = SeedSequence::new(seed).words();
        let pair = |i: usize| u128::from(words[i]) << 64 | u128::from(words[i + 1]);
        let mut generator = Self { state: 0, increment: pair(2) << 1 | 1 };
        generator.advance();
        generator.state = generator.state.wrapping_add(pair(0));
        generator.advance();
        generator
    }

    fn advance(&mut self) {
        self.state = self.state.wrapping_mul(MULTIPLIER).wrapping_add(self.increment);
    }

    /// The next 64 random bits.
    pub fn next_u64(&mut self) -> u64 {
        self.advance();
        let folded = (self.state >> 64) as u64 ^ self.state as u64;
        folded.rotate_right((self.state >> 122) as u32)
    }

    /// The next number from `lo` to below `hi`.
    pub fn uniform(&mut self, lo: f64, hi: f64) -> f64 {
        let unit = (self.next_u64() >> 11) as f64 * (1.0 / (1_u64 << 53) as f64);
        lo + (hi - lo) * unit
    }
}

/// NumPy's `SeedSequence`: four 32-bit words of entropy, mixed.
struct SeedSequence {
    pool: [u32; 4],
}

/// Xors, multiplies and folds; the multiplier changes with every use.
struct Hash {
    constant: u32,
    factor: u32,
}

impl Hash {
    fn mix(&mut self, value: u32) -> u32 {
        let value = value ^ self.constant;
        self.constant = self.constant.wrapping_mul(self.factor);
        let value = value.wrapping_mul(self.constant);
        value ^ value >> 16
    }
}

impl SeedSequence {
    fn new(seed: u64) -> Self {
        let mut hash = Hash { constant: 0x43b0_d7e5, factor: 0x931e_8875 };
        let entropy = [seed as u32, (seed >> 32) as u32, 0, 0];
        let mut pool = entropy.map(|word| hash.mix(word));
        for from in 0..4 {
            for to in (0..4).filter(|to| *to != from) {
                let mixed = pool[to]
                    .wrapping_mul(0xca01_f9dd)
                    .wrapping_sub(hash.mix(pool[from]).wrapping_mul(0x4973_f715));
                pool[to] = mixed ^ mixed >> 16;
            }
        }
        Self { pool }
    }

    /// Four 64-bit words for a generator, the lower half of each first.
    fn words(&self) -> [u64; 4] {
        let mut hash = Hash { constant: 0x8b51_f9dd, factor: 0x58f3_8ded };
        let mut next = |i: usize| u64::from(hash.mix(self.pool[i % 4]));
        std::array::from_fn(|k| next(2 * k) | next(2 * k + 1) << 32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_are_those_of_numpy() {
        // numpy.random.default_rng(seed).uniform(-1e-4, 1e-4, 4), NumPy 2.4.
        let golden = [
            (
                0,
                [
                    2.739233746429087e-05,
                    -4.604265724722594e-05,
                    -9.180529521276106e-05,
                    -9.669447289429419e-05,
                ],
            ),
            (
                1,
                [
                    2.36432494005134e-06,
                    9.009273926518706e-05,
                    -7.116807745607326e-05,
                    8.972988942744879e-05,
                ],
            ),
            (
                42,
                [
                    5.479120971119268e-05,
                    -1.2224312049589534e-05,
                    7.171958398227649e-05,
                    3.947360581187279e-05,
                ],
            ),
            (
                (1 << 40) + 7,
                [
                    6.59625783658826e-05,
                    -4.893896833017917e-05,
                    -6.92418568294025e-05,
                    3.49009091735217e-05,
                ],
            ),
        ];
        for (seed, expected) in golden {
            let mut generator = Generator::new(seed);
            assert_eq!(expected.map(|_| generator.uniform(-1e-4, 1e-4)), expected, "seed {seed}");
        }
    }

    #[test]
    fn the_state_after_seeding_is_that_of_numpy() {
        let generator = Generator::new(1);
        assert_eq!(generator.state, 207_833_532_711_051_698_738_587_646_355_624_148_094);
        assert_eq!(generator.increment, 194_290_289_479_364_712_180_083_596_243_593_368_443);
    }
}
