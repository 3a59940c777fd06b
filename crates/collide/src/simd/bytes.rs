//! Thirty-two small numbers at a time.

use super::Scalar;

/// Least and largest coordinates at the start of the step and at its end, of 32 boxes.
pub(crate) type Rows = [[[i8; 32]; 6]; 2];

/// Bounds of 32 points: three coordinates and one without meaning at the start of the step, and the same at its
/// end; the least, then the largest.
pub(crate) type Points = [[[i32; 8]; 2]; 32];

/// Where the coordinates of a point are.
const COORDINATES: [usize; 6] = [0, 1, 2, 4, 5, 6];

/// Boxes whose coordinates are bytes.
pub(crate) trait Bytes: Copy {
    /// The boxes of 32 triangles from their corners' places among the points, below 32, relative to `base`. What does
    /// not fit into a byte becomes the nearest one that does.
    fn triangles(self, points: &Points, base: &[i32; 8], corners: &[[u8; 32]; 3]) -> Rows;

    /// Boxes moved by twice some coordinates; the same for what does not fit.
    fn moved(self, rows: &Rows, by: &[[i8; 2]; 6]) -> Rows;

    /// Which boxes overlap one: there is no axis along which one lies beyond the other, the same way round, at
    /// both ends of the step.
    fn overlapping(self, rows: &Rows, one: &[[i8; 6]; 2]) -> u32;
}

impl Bytes for Scalar {
    fn triangles(self, points: &Points, base: &[i32; 8], corners: &[[u8; 32]; 3]) -> Rows {
        let mut rows = [[[0; 32]; 6]; 2];
        for (k, c) in COORDINATES.into_iter().enumerate() {
            for t in 0..32 {
                let of = |side: usize| {
                    corners.map(|corner| {
                        let cell = points[usize::from(corner[t])][side][c].wrapping_sub(base[c]);
                        cell.clamp(-128, 127) as i8
                    })
                };
                rows[0][k][t] = of(0).into_iter().fold(i8::MAX, i8::min);
                rows[1][k][t] = of(1).into_iter().fold(i8::MIN, i8::max);
            }
        }
        rows
    }

    fn moved(self, rows: &Rows, by: &[[i8; 2]; 6]) -> Rows {
        let add = |k: usize, x: i8| x.saturating_add(by[k][0]).saturating_add(by[k][1]);
        std::array::from_fn(|side| std::array::from_fn(|k| rows[side][k].map(|x| add(k, x))))
    }

    fn overlapping(self, [lo, hi]: &Rows, [least, most]: &[[i8; 6]; 2]) -> u32 {
        let apart = |t: usize| {
            (0..3).any(|k| {
                (least[k] > hi[k][t] && least[k + 3] > hi[k + 3][t])
                    || (lo[k][t] > most[k] && lo[k + 3][t] > most[k + 3])
            })
        };
        (0..32).map(|t| u32::from(!apart(t)) << t).sum()
    }
}

#[cfg(target_arch = "x86_64")]
impl Bytes for pulp::x86::V3 {
    #[inline(always)]
    fn triangles(self, points: &Points, base: &[i32; 8], corners: &[[u8; 32]; 3]) -> Rows {
        let w = self.avx2;
        let base = pulp::cast(*base);
        // In each half of a register: the eight bounds of a point and those of the sixteenth after it. Loops, for
        // what is done by `map` is not always inlined.
        let mut a = [base; 16];
        for n in 0..16 {
            let mut words = [base; 2];
            for half in 0..2 {
                let [lo, hi] = &points[n + 16 * half];
                let lo = w._mm256_sub_epi32(pulp::cast(*lo), base);
                let hi = w._mm256_sub_epi32(pulp::cast(*hi), base);
                words[half] = w._mm256_packs_epi32(lo, hi);
            }
            a[n] = w._mm256_packs_epi16(words[0], words[1]);
        }
        // Bounds become registers and points their bytes, in four steps. First one of each two points …
        let mut b = [[base; 8]; 2];
        for i in 0..8 {
            b[0][i] = w._mm256_unpacklo_epi8(a[2 * i], a[2 * i + 1]);
            b[1][i] = w._mm256_unpackhi_epi8(a[2 * i], a[2 * i + 1]);
        }
        // … and at last all bounds of sixteen.
        let mut d = [[base; 8]; 2];
        for half in 0..2 {
            let mut c = [[base; 4]; 2];
            for i in 0..4 {
                let (p, q) = (b[half][2 * i], b[half][2 * i + 1]);
                c[0][i] = w._mm256_unpacklo_epi16(p, q);
                c[1][i] = w._mm256_unpackhi_epi16(p, q);
            }
            for (n, [p, q, r, s]) in c.into_iter().enumerate() {
                let (first, second) =
                    (w._mm256_unpacklo_epi32(p, q), w._mm256_unpacklo_epi32(r, s));
                d[half][4 * n] = w._mm256_unpacklo_epi64(first, second);
                d[half][4 * n + 1] = w._mm256_unpackhi_epi64(first, second);
                let (first, second) =
                    (w._mm256_unpackhi_epi32(p, q), w._mm256_unpackhi_epi32(r, s));
                d[half][4 * n + 2] = w._mm256_unpacklo_epi64(first, second);
                d[half][4 * n + 3] = w._mm256_unpackhi_epi64(first, second);
            }
        }
        // Where corners are among sixteen, and whether these are the second.
        let (mut place, mut second) = ([base; 3], [base; 3]);
        for n in 0..3 {
            place[n] = pulp::cast(corners[n]);
            second[n] = w._mm256_slli_epi16::<3>(place[n]);
        }
        let mut rows = [[[0; 32]; 6]; 2];
        for side in 0..2 {
            for k in 0..3 {
                let (x, y) = (d[0][4 * side + k], d[1][4 * side + k]);
                for end in 0..2 {
                    let (x, y) = if end == 0 {
                        (
                            w._mm256_permute2x128_si256::<0x00>(x, x),
                            w._mm256_permute2x128_si256::<0x00>(y, y),
                        )
                    } else {
                        (
                            w._mm256_permute2x128_si256::<0x11>(x, x),
                            w._mm256_permute2x128_si256::<0x11>(y, y),
                        )
                    };
                    let mut of = [base; 3];
                    for n in 0..3 {
                        let x = w._mm256_shuffle_epi8(x, place[n]);
                        let y = w._mm256_shuffle_epi8(y, place[n]);
                        of[n] = w._mm256_blendv_epi8(x, y, second[n]);
                    }
                    rows[side][k + 3 * end] = pulp::cast(if side == 0 {
                        w._mm256_min_epi8(w._mm256_min_epi8(of[0], of[1]), of[2])
                    } else {
                        w._mm256_max_epi8(w._mm256_max_epi8(of[0], of[1]), of[2])
                    });
                }
            }
        }
        rows
    }

    #[inline(always)]
    fn moved(self, rows: &Rows, by: &[[i8; 2]; 6]) -> Rows {
        let w = self.avx2;
        let mut all = [[[0; 32]; 6]; 2];
        for k in 0..6 {
            let [by, more] = by[k];
            let (by, more) = (self.avx._mm256_set1_epi8(by), self.avx._mm256_set1_epi8(more));
            for side in 0..2 {
                let x = w._mm256_adds_epi8(pulp::cast(rows[side][k]), by);
                all[side][k] = pulp::cast(w._mm256_adds_epi8(x, more));
            }
        }
        all
    }

    #[inline(always)]
    fn overlapping(self, [lo, hi]: &Rows, [least, most]: &[[i8; 6]; 2]) -> u32 {
        let (w, v) = (self.avx2, self.avx);
        let mut apart = v._mm256_set1_epi8(0);
        for k in 0..3 {
            let (mut beyond, mut before) = (v._mm256_set1_epi8(-1), v._mm256_set1_epi8(-1));
            for k in [k, k + 3] {
                let (least, most) = (v._mm256_set1_epi8(least[k]), v._mm256_set1_epi8(most[k]));
                let above = w._mm256_cmpgt_epi8(least, pulp::cast(hi[k]));
                beyond = w._mm256_and_si256(beyond, above);
                let above = w._mm256_cmpgt_epi8(pulp::cast(lo[k]), most);
                before = w._mm256_and_si256(before, above);
            }
            apart = w._mm256_or_si256(apart, w._mm256_or_si256(beyond, before));
        }
        !(w._mm256_movemask_epi8(apart) as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{F32x8, Work, with_simd};
    use super::*;
    use proptest::prelude::*;

    struct All<'a>(&'a Points, &'a [i32; 8], &'a [[u8; 32]; 3], &'a [[i8; 2]; 6]);

    impl Work for All<'_> {
        type Output = (Rows, Rows, Vec<u32>);

        #[inline(always)]
        fn run(self, w: impl F32x8) -> Self::Output {
            let rows = w.triangles(self.0, self.1, self.2);
            let moved = w.moved(&rows, self.3);
            let one = |t: usize| [0, 1].map(|s: usize| [0, 1, 2, 3, 4, 5].map(|k| rows[s][k][t]));
            (rows, moved, (0..32).map(|t| w.overlapping(&moved, &one(t))).collect())
        }
    }

    proptest! {
        #[test]
        fn wide_and_plain_bytes_come_to_the_same(
            cells in prop::collection::vec(-200..200_i32, 512), base in prop::array::uniform8(-50..50_i32),
            corners in prop::array::uniform3(prop::array::uniform32(0..32_u8)),
            by in prop::array::uniform6(prop::array::uniform2(any::<i8>())),
        ) {
            let points: Points = std::array::from_fn(|n| {
                std::array::from_fn(|side| std::array::from_fn(|k| cells[16 * n + 8 * side + k]))
            });
            let all = || All(&points, &base, &corners, &by);
            prop_assert_eq!(with_simd(all()), all().run(Scalar));
        }
    }
}
