//! Maps from the unit square to the shapes that samples are drawn from, and local frames.

use glam::Vec3;
use std::f32::consts::{PI, TAU};

/// An orthonormal frame; local z is `normal`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Basis {
    pub(crate) tangent: Vec3,
    pub(crate) bitangent: Vec3,
    pub(crate) normal: Vec3,
}

impl Basis {
    /// Some frame around a unit normal.
    pub(crate) fn around(normal: Vec3) -> Self {
        let (tangent, bitangent) = normal.any_orthonormal_pair();
        Self { tangent, bitangent, normal }
    }

    /// A frame whose tangent is as near to `along` as the normal permits.
    pub(crate) fn along(normal: Vec3, along: Vec3) -> Self {
        match (along - normal * normal.dot(along)).try_normalize() {
            Some(tangent) => Self { tangent, bitangent: normal.cross(tangent), normal },
            None => Self::around(normal),
        }
    }

    pub(crate) fn local(&self, d: Vec3) -> Vec3 {
        Vec3::new(d.dot(self.tangent), d.dot(self.bitangent), d.dot(self.normal))
    }

    pub(crate) fn world(&self, d: Vec3) -> Vec3 {
        self.tangent * d.x + self.bitangent * d.y + self.normal * d.z
    }
}

/// A point of the unit disc from a point of the unit square, keeping areas [shirley1997].
pub(crate) fn disc(x: f32, y: f32) -> [f32; 2] {
    let (a, b) = (2.0 * x - 1.0, 2.0 * y - 1.0);
    if a == 0.0 && b == 0.0 {
        return [0.0; 2];
    }
    let quarter = std::f32::consts::FRAC_PI_4;
    if a.abs() > b.abs() {
        let (sin, cos) = sin_cos(quarter * b / a);
        [a * cos, a * sin]
    } else {
        let (sin, cos) = sin_cos(quarter * a / b);
        [b * sin, b * cos]
    }
}

/// Sine and cosine of an angle up to π/4, the same on every platform.
fn sin_cos(x: f32) -> (f32, f32) {
    let y = x * x;
    let sin = x * (1.0 - y * (1.0 / 6.0 - y * (1.0 / 120.0 - y / 5040.0)));
    let cos = 1.0 - y * (0.5 - y * (1.0 / 24.0 - y * (1.0 / 720.0 - y / 40320.0)));
    (sin, cos)
}

/// A direction about `n`, as often as its cosine is large.
pub(crate) fn cosine_direction(n: Vec3, x: f32, y: f32) -> Vec3 {
    let [px, py] = disc(x, y);
    let (a, b) = n.any_orthonormal_pair();
    let pz = (1.0 - px * px - py * py).max(1e-4).sqrt();
    (a * px + b * py + n * pz).normalize()
}

/// A direction about local z with density cos θ / π.
pub(crate) fn cosine_hemisphere([x, y]: [f32; 2]) -> Vec3 {
    let [px, py] = disc(x, y);
    Vec3::new(px, py, (1.0 - px * px - py * py).max(0.0).sqrt())
}

/// A direction of the sphere with even density 1 / 4π, for integrals in tests.
#[cfg(test)]
pub(crate) fn sphere([x, y]: [f32; 2]) -> Vec3 {
    let z = 1.0 - 2.0 * x;
    let r = (1.0 - z * z).max(0.0).sqrt();
    let (s, c) = (TAU * y).sin_cos();
    Vec3::new(r * c, r * s, z)
}

/// A direction of the cone about local z with the given cosine, evenly; see [`cone_pdf`].
pub(crate) fn cone([x, y]: [f32; 2], cos: f32) -> Vec3 {
    // 1 − cos of the direction; the plain cosine would round away the sun.
    let up = x * (1.0 - cos);
    let r = (up * (2.0 - up)).max(0.0).sqrt();
    let (s, c) = (TAU * y).sin_cos();
    Vec3::new(r * c, r * s, 1.0 - up)
}

/// Density of [`cone`].
pub(crate) fn cone_pdf(cos: f32) -> f32 {
    1.0 / (TAU * (1.0 - cos)).max(1e-12)
}

/// A number in (−1, 1) with triangular density from one in [0, 1).
pub(crate) fn tent(u: f32) -> f32 {
    let x = 2.0 * u - 1.0;
    x.signum() * (1.0 - (1.0 - x.abs()).max(0.0).sqrt())
}

/// Weight of the first of two strategies in multiple importance sampling [veach1995].
pub(crate) fn power_heuristic(first: f32, second: f32) -> f32 {
    // Of two infinite or huge densities the ratio counts.
    let ratio = second / first;
    1.0 / (1.0 + ratio * ratio)
}

/// Density of [`cosine_hemisphere`].
pub(crate) fn cosine_pdf(cos: f32) -> f32 {
    cos.max(0.0) / PI
}

/// A density that is constant on cells of the unit square, sampled by inversion: rows first, then
/// columns, so that well-spread points stay well spread.
#[derive(Clone, Debug)]
pub(crate) struct Distribution2 {
    rows: Distribution1,
    /// The distributions within the rows, one after the other.
    columns: Distribution1,
    width: usize,
}

/// Densities that are constant on equal cells of [0, 1).
#[derive(Clone, Debug, Default)]
struct Distribution1 {
    /// Cumulated weights, ending with one.
    cumulated: Vec<f32>,
    /// For each of as many equal parts of [0, 1): the first cell that may contain it.
    guide: Vec<u32>,
}

/// Cumulated weights and guide of one density.
#[derive(Clone, Copy, Debug)]
struct Cells<'a> {
    cumulated: &'a [f32],
    guide: &'a [u32],
}

/// A cell and the place in it.
#[derive(Clone, Copy, Debug)]
struct Drawn {
    cell: usize,
    /// Place in [0, 1) of the whole.
    at: f32,
    pdf: f32,
}

impl Distribution1 {
    /// Appends a density; gives the mean of its weights.
    fn push(&mut self, weights: impl Iterator<Item = f32>) -> f32 {
        let mut sum = 0.0_f64;
        let sums: Vec<f64> = weights
            .map(|w| {
                sum += f64::from(w.max(0.0));
                sum
            })
            .collect();
        let n = sums.len();
        let flat = sum <= 0.0 || !sum.is_finite();
        let share = |i: usize| if flat { (i + 1) as f64 / n as f64 } else { sums[i] / sum };
        let mut cumulated: Vec<f32> = (0..n).map(|i| share(i) as f32).collect();
        cumulated[n - 1] = 1.0;
        let mut cell = 0;
        for part in 0..n {
            while cumulated[cell] <= part as f32 / n as f32 && cell + 1 < n {
                cell += 1;
            }
            self.guide.push(cell as u32);
        }
        self.cumulated.extend(cumulated);
        (sum / n as f64) as f32
    }

    fn cells(&self, from: usize, count: usize) -> Cells<'_> {
        let range = from..from + count;
        Cells { cumulated: &self.cumulated[range.clone()], guide: &self.guide[range] }
    }
}

impl Cells<'_> {
    fn pdf(&self, cell: usize) -> f32 {
        let below = if cell == 0 { 0.0 } else { self.cumulated[cell - 1] };
        (self.cumulated[cell] - below) * self.cumulated.len() as f32
    }

    fn draw(&self, u: f32) -> Drawn {
        let n = self.cumulated.len();
        let mut cell = self.guide[((u * n as f32) as usize).min(n - 1)] as usize;
        while self.cumulated[cell] <= u && cell + 1 < n {
            cell += 1;
        }
        let below = if cell == 0 { 0.0 } else { self.cumulated[cell - 1] };
        let width = self.cumulated[cell] - below;
        let within = if width > 0.0 { ((u - below) / width).clamp(0.0, 0.999_999) } else { 0.5 };
        Drawn { cell, at: (cell as f32 + within) / n as f32, pdf: width * n as f32 }
    }
}

/// A point of the unit square and its density.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Point2 {
    pub(crate) x: f32,
    pub(crate) y: f32,
    pub(crate) pdf: f32,
}

impl Distribution2 {
    /// Weights in rows of `width`.
    pub(crate) fn new(weights: &[f32], width: usize) -> Self {
        let (mut rows, mut columns) = (Distribution1::default(), Distribution1::default());
        let means: Vec<f32> =
            weights.chunks_exact(width).map(|row| columns.push(row.iter().copied())).collect();
        rows.push(means.into_iter());
        Self { rows, columns, width }
    }

    fn row(&self, row: usize) -> Cells<'_> {
        self.columns.cells(row * self.width, self.width)
    }

    pub(crate) fn draw(&self, [x, y]: [f32; 2]) -> Point2 {
        let row = self.rows.cells(0, self.rows.guide.len()).draw(y);
        let column = self.row(row.cell).draw(x);
        Point2 { x: column.at, y: row.at, pdf: row.pdf * column.pdf }
    }

    /// Density at a point of the unit square.
    pub(crate) fn pdf(&self, x: f32, y: f32) -> f32 {
        let count = self.rows.guide.len();
        let row = ((y * count as f32) as usize).min(count - 1);
        let column = ((x * self.width as f32) as usize).min(self.width - 1);
        self.rows.cells(0, count).pdf(row) * self.row(row).pdf(column)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_distribution_draws_cells_as_often_as_their_weight() {
        let weights = [0.0, 1.0, 3.0, 0.0, 0.0, 4.0, 0.0, 8.0];
        let d = Distribution2::new(&weights, 4);
        let n = 256;
        let mut seen = [0.0_f32; 8];
        for i in 0..n * n {
            let u = [(i % n) as f32 + 0.5, (i / n) as f32 + 0.5].map(|x| x / n as f32);
            let p = d.draw(u);
            let cell = (p.y * 2.0) as usize * 4 + (p.x * 4.0) as usize;
            seen[cell] += 1.0 / (n * n) as f32;
            assert!((d.pdf(p.x, p.y) - p.pdf).abs() < 1e-4);
            assert!((p.pdf - weights[cell] / 16.0 * 8.0).abs() < 1e-4, "{p:?}");
        }
        for (s, w) in seen.iter().zip(weights) {
            assert!((s - w / 16.0).abs() < 0.01, "{seen:?}");
        }
    }

    #[test]
    fn a_distribution_without_weight_is_even() {
        let d = Distribution2::new(&[0.0; 6], 3);
        assert!((d.draw([0.4, 0.7]).pdf - 1.0).abs() < 1e-5);
    }

    #[test]
    fn a_narrow_cone_keeps_its_solid_angle() {
        let cos = 0.00465_f32.cos();
        let d = cone([0.999, 0.3], cos);
        assert!((d.length() - 1.0).abs() < 1e-6 && d.z > cos - 1e-7);
        let mean: f32 = (0..64).map(|i| cone([(i as f32 + 0.5) / 64.0, 0.0], cos).x.powi(2)).sum();
        assert!((mean / 64.0 / (0.00465_f32.powi(2) / 2.0) - 1.0).abs() < 0.02);
    }
}
