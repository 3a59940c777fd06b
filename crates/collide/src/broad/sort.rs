//! Radix sort of index pairs.

/// Below this many, sorting by comparison is quicker.
const MIN_RADIX_SORT: usize = 2048;

/// Bits of a digit.
const RADIX_BITS: u32 = 11;

/// Sorts pairs lexicographically, by least-significant-digit radix sort.
pub(super) fn sort(pairs: &mut Vec<[u32; 2]>) {
    if pairs.len() < MIN_RADIX_SORT {
        pairs.sort_unstable();
        return;
    }
    let mut other = vec![[0; 2]; pairs.len()];
    for part in [1, 0] {
        let largest = pairs.iter().map(|p| p[part]).max().unwrap_or(0);
        let mut shift = 0;
        while shift < u32::BITS && largest >> shift > 0 {
            let digit = |p: &[u32; 2]| ((p[part] >> shift) & ((1 << RADIX_BITS) - 1)) as usize;
            let mut places = [0_usize; 1 << RADIX_BITS];
            pairs.iter().for_each(|p| places[digit(p)] += 1);
            let mut next = 0;
            for place in &mut places {
                next += std::mem::replace(place, next);
            }
            for p in pairs.iter() {
                let place = &mut places[digit(p)];
                other[*place] = *p;
                *place += 1;
            }
            std::mem::swap(pairs, &mut other);
            shift += RADIX_BITS;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_pairs_come_into_the_order_that_comparing_gives() {
        for (count, spread) in [(100, 7), (5_000, 3), (5_000, 90_000), (20_000, u32::MAX)] {
            let mut seed = 12_345_u32;
            let mut next = || {
                seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                (seed ^ (seed >> 13)) % spread
            };
            let mut pairs: Vec<[u32; 2]> = (0..count).map(|_| [next(), next()]).collect();
            let mut expected = pairs.clone();
            expected.sort_unstable();
            sort(&mut pairs);
            assert_eq!(pairs, expected);
        }
    }
}
