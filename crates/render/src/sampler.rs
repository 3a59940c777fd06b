//! Low-discrepancy sample points that are a pure function of pixel, sample and dimension.
//!
//! Points are the first two Sobol dimensions with nested uniform (Owen) scrambling by hashing
//! [burley2020]; pairs of dimensions are decorrelated by shuffling the index the same way. Pixels are
//! numbered along a Z-curve, so that the samples of any aligned block of pixels together are again
//! well spread and what error remains looks like fine grain [ahmed2020]. There is no state: pictures
//! do not depend on the order in which pixels are computed.

/// Sample points of one sample of one pixel.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sampler {
    /// The index with its bits in reverse, as scrambling wants them.
    reversed: u32,
}

impl Sampler {
    /// Points of sample `sample` out of `samples` of pixel (`x`, `y`).
    pub(crate) fn new(x: u32, y: u32, sample: u32, samples: u32) -> Self {
        let pixel = spread(x) | (spread(y) << 1);
        Self { reversed: pixel.wrapping_mul(samples).wrapping_add(sample).reverse_bits() }
    }

    /// A point of the unit square for the given use; different `DIMENSION`s are independent.
    pub(crate) fn point<const DIMENSION: u32>(self) -> [f32; 2] {
        self.scrambled(const { seeds(DIMENSION) })
    }

    /// The same for a use that is known at run time only.
    pub(crate) fn at(self, dimension: u32) -> [f32; 2] {
        match SEEDS.get(dimension as usize) {
            Some(known) => self.scrambled(*known),
            None => self.scrambled(seeds(dimension)),
        }
    }

    fn scrambled(self, [seed, x, y]: [u32; 3]) -> [f32; 2] {
        let index = scramble(self.reversed, seed).reverse_bits();
        // The first dimension of Sobol's points is the index reversed, so `index` reverses it again.
        let point = [scramble(index, x), scramble(sobol_1(index), y)];
        point.map(|p| unit(p.reverse_bits()))
    }
}

/// The upper 24 bits as a number in [0, 1).
fn unit(x: u32) -> f32 {
    (x >> 8) as f32 * (1.0 / (1 << 24) as f32)
}

/// Puts a zero before each of the lower 16 bits.
fn spread(x: u32) -> u32 {
    let mut x = x & 0xffff;
    x = (x | (x << 8)) & 0x00ff_00ff;
    x = (x | (x << 4)) & 0x0f0f_0f0f;
    x = (x | (x << 2)) & 0x3333_3333;
    (x | (x << 1)) & 0x5555_5555
}

/// Seeds of the uses that paths of a few bounces have.
static SEEDS: [[u32; 3]; 64] = {
    let mut all = [[0; 3]; 64];
    let mut k = 0;
    while k < all.len() {
        all[k] = seeds(k as u32);
        k += 1;
    }
    all
};

/// Seeds of the index and the two coordinates of a use.
const fn seeds(dimension: u32) -> [u32; 3] {
    let first = hash(dimension.wrapping_mul(0x9e37_79b9).wrapping_add(1));
    [first, hash(first ^ 0x5851_f42d), hash(first ^ 0x1405_7b7e)]
}

/// An integer mixer with good avalanche.
const fn hash(mut x: u32) -> u32 {
    x ^= x >> 16;
    x = x.wrapping_mul(0x7feb_352d);
    x ^= x >> 15;
    x = x.wrapping_mul(0x846c_a68b);
    x ^ (x >> 16)
}

/// Nested uniform scrambling of a number with its bits in reverse: each bit is flipped depending on
/// the bits below it.
fn scramble(x: u32, seed: u32) -> u32 {
    let mut x = x.wrapping_add(seed);
    x ^= x.wrapping_mul(0x6c50_b47c);
    x ^= x.wrapping_mul(0xb82f_1e52);
    x ^= x.wrapping_mul(0xc7af_e638);
    x ^ x.wrapping_mul(0x8d22_f6e6)
}

/// The second Sobol dimension with its bits in reverse, byte by byte from a table.
fn sobol_1(index: u32) -> u32 {
    let [a, b, c, d] = index.to_le_bytes().map(usize::from);
    SOBOL_1[0][a] ^ SOBOL_1[1][b] ^ SOBOL_1[2][c] ^ SOBOL_1[3][d]
}

static SOBOL_1: [[u32; 256]; 4] = sobol_table();

/// Direction numbers of the primitive polynomial x + 1, summed for every byte of the index.
const fn sobol_table() -> [[u32; 256]; 4] {
    let mut table = [[0; 256]; 4];
    let mut direction = 1_u32 << 31;
    let mut bit = 0;
    while bit < 32 {
        let mut byte = 0;
        while byte < 256 {
            if byte >> (bit % 8) & 1 == 1 {
                table[bit / 8][byte] ^= direction.reverse_bits();
            }
            byte += 1;
        }
        direction ^= direction >> 1;
        bit += 1;
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sixteen_samples_of_a_pixel_fill_every_elementary_interval() {
        let points: Vec<_> = (0..16).map(|s| Sampler::new(37, 101, s, 16).point::<3>()).collect();
        for (columns, rows) in [(16, 1), (8, 2), (4, 4), (2, 8), (1, 16)] {
            let mut seen = vec![0; 16];
            for [x, y] in &points {
                let cell = (x * columns as f32) as usize * rows + (y * rows as f32) as usize;
                seen[cell] += 1;
            }
            assert_eq!(seen, vec![1; 16], "{columns} x {rows}");
        }
    }

    #[test]
    fn a_block_of_pixels_is_as_well_spread_as_one_pixel() {
        let mut seen = vec![0; 64];
        for y in 8..12 {
            for x in 4..8 {
                for s in 0..4 {
                    let [u, v] = Sampler::new(x, y, s, 4).point::<0>();
                    seen[(u * 8.0) as usize * 8 + (v * 8.0) as usize] += 1;
                }
            }
        }
        assert_eq!(seen, vec![1; 64]);
    }

    #[test]
    fn dimensions_are_not_correlated() {
        let n = 4096;
        let dot: f32 = (0..n)
            .map(|s| {
                let sampler = Sampler::new(0, 0, s, n);
                (sampler.point::<0>()[0] - 0.5) * (sampler.point::<1>()[0] - 0.5)
            })
            .sum();
        // Twelve times the covariance is the correlation of two uniform numbers.
        assert!((12.0 * dot / n as f32).abs() < 0.05);
    }
}
