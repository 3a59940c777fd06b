//! 255 colours for a picture, and how to make do with them.
//!
//! Colours are chosen by cutting boxes of the colour cube at their mean, always the box with the
//! largest scatter [wan1990], and then moved to the mean of what they stand for [lloyd1982]. A pixel
//! becomes one of the two colours whose line passes nearest, by an ordered threshold that depends on
//! its place alone: still parts of an animation stay still.

use crate::Image;
use crate::tone::threshold;
use rayon::prelude::*;

/// Colours to choose at most; one index stays free for "unchanged".
const COUNT: usize = 255;
/// Rounds of moving colours to their means.
const ROUNDS: usize = 4;
/// Colours that share the upper bits of each channel are counted together.
const BITS: u32 = 6;

/// Searches remembered by each thread.
const CACHE: usize = 1 << 14;

/// Two colours and the share of the second.
type Pair = (u8, u8, f32);

/// A fixed choice of colours.
#[derive(Clone, Debug, PartialEq)]
pub struct Colours {
    /// Red, green and blue of each colour.
    list: Vec<[f32; 3]>,
}

/// A colour and how much it counts.
#[derive(Clone, Copy, Debug)]
struct Spot {
    colour: [f32; 3],
    weight: f32,
}

impl Colours {
    /// Colours that suit the given pictures; black alone if there are none.
    ///
    /// For an animation, give a few frames from its course.
    pub fn of(images: &[&Image]) -> Self {
        let spots = histogram(images);
        if spots.is_empty() {
            return Self { list: vec![[0.0; 3]] };
        }
        let mut list = cut(spots.clone());
        for _ in 0..ROUNDS {
            let mut sums = vec![([0.0_f64; 3], 0.0_f64); list.len()];
            for spot in &spots {
                let sum = &mut sums[nearest(&list, spot.colour)];
                for k in 0..3 {
                    sum.0[k] += f64::from(spot.colour[k] * spot.weight);
                }
                sum.1 += f64::from(spot.weight);
            }
            for (colour, (sum, weight)) in list.iter_mut().zip(sums) {
                if weight > 0.0 {
                    *colour = sum.map(|x| (x / weight) as f32);
                }
            }
        }
        for colour in &mut list {
            *colour = colour.map(f32::round);
        }
        Self { list }
    }

    /// How many colours there are, at most 255.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Never: there is always a colour.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Three bytes for each colour.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        self.list.iter().flatten().map(|x| x.clamp(0.0, 255.0) as u8).collect()
    }

    /// The index of a colour for each pixel, dithered.
    pub(crate) fn index(&self, image: &Image) -> Vec<u8> {
        let width = image.width as usize;
        let mut out = vec![0; width * image.height as usize];
        let rows = out.par_chunks_mut(width).zip(image.rgba.par_chunks(4 * width));
        rows.enumerate().for_each_init(
            || vec![None; CACHE],
            |cache, (y, (out, row))| {
                for (x, (out, p)) in out.iter_mut().zip(row.chunks_exact(4)).enumerate() {
                    let (first, second, share) = self.cached_pair([p[0], p[1], p[2]], cache);
                    *out = if threshold(x as u32, y as u32) < share { second } else { first };
                }
            },
        );
        out
    }

    /// As [`Colours::pair`], remembering earlier searches: pictures repeat their colours.
    fn cached_pair(&self, c: [u8; 3], cache: &mut [Option<([u8; 3], Pair)>]) -> Pair {
        let code = u32::from_le_bytes([c[0], c[1], c[2], 0]);
        let slot = &mut cache[(code.wrapping_mul(0x9e37_79b1) >> 16) as usize % CACHE];
        match slot {
            Some((colour, pair)) if *colour == c => *pair,
            _ => slot.insert((c, self.pair(c.map(f32::from)))).1,
        }
    }

    /// The nearest colour, one on the other side, and the share of the latter in the mixture.
    fn pair(&self, c: [f32; 3]) -> Pair {
        let first = nearest(&self.list, c);
        let p = self.list[first];
        let beyond = [0, 1, 2].map(|k| 2.0 * c[k] - p[k]);
        let second = nearest(&self.list, beyond);
        let q = self.list[second];
        let (mut dot, mut length) = (0.0, 0.0);
        for k in 0..3 {
            dot += (c[k] - p[k]) * (q[k] - p[k]);
            length += (q[k] - p[k]) * (q[k] - p[k]);
        }
        let share = if length > 0.0 { (dot / length).clamp(0.0, 1.0) } else { 0.0 };
        (first as u8, second as u8, share)
    }
}

fn nearest(list: &[[f32; 3]], c: [f32; 3]) -> usize {
    let mut best = (f32::INFINITY, 0);
    for (i, p) in list.iter().enumerate() {
        let d = [p[0] - c[0], p[1] - c[1], p[2] - c[2]];
        let distance = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
        if distance < best.0 {
            best = (distance, i);
        }
    }
    best.1
}

/// Colours in use, in the order of their codes.
fn histogram(images: &[&Image]) -> Vec<Spot> {
    let mut cells = vec![([0_u64; 3], 0_u64); 1 << (3 * BITS)];
    for p in images.iter().flat_map(|i| i.rgba.chunks_exact(4)) {
        let code = p[..3].iter().fold(0, |code, x| code << BITS | usize::from(x >> (8 - BITS)));
        let cell = &mut cells[code];
        for k in 0..3 {
            cell.0[k] += u64::from(p[k]);
        }
        cell.1 += 1;
    }
    cells
        .into_iter()
        .filter(|(_, count)| *count > 0)
        .map(|(sum, count)| Spot {
            colour: sum.map(|x| x as f32 / count as f32),
            // The root, or a large backdrop would leave no colours for the cloth.
            weight: (count as f32).sqrt(),
        })
        .collect()
}

/// Cuts the colours into boxes and returns the means.
fn cut(spots: Vec<Spot>) -> Vec<[f32; 3]> {
    let mut boxes = vec![Cell::new(spots)];
    while boxes.len() < COUNT {
        let widest = (0..boxes.len())
            .filter(|b| boxes[*b].scatter > 0.0)
            .max_by(|a, b| boxes[*a].scatter.total_cmp(&boxes[*b].scatter));
        let Some(widest) = widest else { break };
        let Cell { spots, axis, mean, .. } = boxes.swap_remove(widest);
        let (low, high): (Vec<_>, Vec<_>) =
            spots.into_iter().partition(|s| s.colour[axis] < mean[axis]);
        boxes.extend([low, high].into_iter().filter(|s| !s.is_empty()).map(Cell::new));
    }
    boxes.into_iter().map(|b| b.mean).collect()
}

/// A box of the colour cube.
struct Cell {
    spots: Vec<Spot>,
    mean: [f32; 3],
    /// Weighted sum of squares about the mean along `axis`, where it is largest; 0 if indivisible.
    scatter: f32,
    axis: usize,
}

impl Cell {
    fn new(spots: Vec<Spot>) -> Self {
        let weight: f32 = spots.iter().map(|s| s.weight).sum();
        let mean = [0, 1, 2]
            .map(|k| spots.iter().map(|s| s.weight * s.colour[k]).sum::<f32>() / weight.max(1e-6));
        let scatter = [0, 1, 2]
            .map(|k| spots.iter().map(|s| s.weight * (s.colour[k] - mean[k]).powi(2)).sum::<f32>());
        let axis = (0..3).max_by(|a, b| scatter[*a].total_cmp(&scatter[*b])).unwrap_or(0);
        let low = spots.iter().filter(|s| s.colour[axis] < mean[axis]).count();
        let divisible = low > 0 && low < spots.len();
        Self { spots, mean, scatter: if divisible { scatter[axis] } else { 0.0 }, axis }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_colours_are_kept_exactly() {
        let mut image = Image::filled(8, 8, [10, 20, 30, 255]);
        image.rgba[..8].copy_from_slice(&[200, 100, 50, 255, 0, 255, 1, 255]);
        let colours = Colours::of(&[&image]);
        assert_eq!(colours.len(), 3);
        let bytes = colours.to_bytes();
        for (i, p) in colours.index(&image).iter().zip(image.rgba.chunks_exact(4)) {
            assert_eq!(&bytes[3 * usize::from(*i)..][..3], &p[..3]);
        }
    }

    #[test]
    fn dithering_keeps_the_mean_of_a_gradient() {
        // 2048 shades at most; the palette holds 255, so mixtures are needed.
        let mut image = Image::filled(256, 64, [0, 0, 0, 255]);
        for (i, p) in image.rgba.chunks_exact_mut(4).enumerate() {
            let (x, y) = (i % 256, i / 256);
            p[..3].copy_from_slice(&[x as u8, (x / 2 + y) as u8, (255 - x) as u8]);
        }
        let colours = Colours::of(&[&image]);
        let bytes = colours.to_bytes();
        let index = colours.index(&image);
        // Means over blocks of 16 × 16 pixels differ by less than two codes.
        for block in 0..64 {
            let (left, top) = (block % 16 * 16, block / 16 * 16);
            let mut off = [0.0; 3];
            for y in top..top + 16 {
                for x in left..left + 16 {
                    let i = y * 256 + x;
                    for k in 0..3 {
                        off[k] += f64::from(bytes[3 * usize::from(index[i]) + k])
                            - f64::from(image.rgba[4 * i + k]);
                    }
                }
            }
            assert!(off.iter().all(|o| (o / 256.0).abs() < 2.0), "{off:?}");
        }
    }

    #[test]
    fn no_pictures_still_give_a_colour() {
        assert_eq!(Colours::of(&[]).len(), 1);
    }
}
