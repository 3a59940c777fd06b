//! Pairs of numbers in order.

/// Below this many, comparing is quicker than counting.
const FEW: usize = 2048;

/// Bits that are looked at together.
const BITS: u32 = 11;

/// Sorts pairs by their first number, then by their second: digit by digit from the last one on, which
/// costs the same for any order they come in.
pub(super) fn sort(pairs: &mut Vec<[u32; 2]>) {
    if pairs.len() < FEW {
        pairs.sort_unstable();
        return;
    }
    let mut other = vec![[0; 2]; pairs.len()];
    for part in [1, 0] {
        let largest = pairs.iter().map(|p| p[part]).max().unwrap_or(0);
        let mut shift = 0;
        while shift < u32::BITS && largest >> shift > 0 {
            let digit = |p: &[u32; 2]| ((p[part] >> shift) & ((1 << BITS) - 1)) as usize;
            let mut places = [0_usize; 1 << BITS];
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
            shift += BITS;
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
