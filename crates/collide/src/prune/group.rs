//! The cone of some neighbouring triangles, from positions that were read once.
//!
//! A group has at most [`MAX_VERTICES`] vertices. Their positions at both ends of the step are taken
//! relative to one of them and kept in 32-bit numbers, eight to a vertex, so that what is computed for a
//! triangle is computed for both ends together. The cone is about U, the isometry nearest to the mean of
//! the gradients, which is linear in the positions: each vertex has its share of it. With λ₀ the
//! stretch of the mean, `R = F − λ₀U` and `m = U·R`, a gradient has the parts
//!
//! ```text
//! along U:   √2 λ,  λ = λ₀ + m/2         across U:   |F⊥|² = |R|² − m²/2
//! ```
//!
//! and its angle from U is that of the tangent `|F⊥| / (√2 λ)`. The largest of these is the cone.
//!
//! **Rounding.** What is computed of R, m and their squares is off by a few units of ε = 2⁻²⁴, relative
//! to `|R|² + m²/2`, and U is an isometry up to 16 ε: [`GRADIENT_ROUNDING`] times that sum is added to `|F⊥|²`. It
//! also covers the error of λ. That is at most 16 ε λ₀, so the tangent's square t is off by
//! 32 ε t λ₀/λ, and where λ is so small that this counts, `|R|² ≈ 2 λ₀²` makes what is added far larger.
//!
//! Positions relative to the first vertex are off by ε D, with D the largest coordinate among them, edges by
//! 4 ε D in each coordinate, and gradients by √6 · 4 ε D |A|, A the inverse of the material edges. That
//! turns a gradient, which is longer than √2 λ, by an angle of less than [`POSITION_ROUNDING`] · D |A| / λ. The
//! products themselves are covered by [`super::ANGLE_ROUNDING`].

use super::gradient::{GradientCone, RestTriangle, angle_of_chord, nearest_isometry};
use crate::simd::{F32x8, Work, with_simd};
use crate::tree::Ends;
use crate::volume::MovingBox;
use std::ops::Range;

/// Vertices of a group.
const MAX_VERTICES: usize = 32;

/// What is added to the square of a gradient's part across the axis, relative to what it comes from.
const GRADIENT_ROUNDING: f32 = 64.0 / 16_777_216.0;

/// Bound on the angle that rounded positions turn a gradient by: √6 · 4 ε / √2, and a fifth for the
/// difference between an angle and its sine.
const POSITION_ROUNDING: f32 = 5e-7;

/// Stretches within which no square overflows, or loses digits by underflow.
const STRETCH_RANGE: Range<f32> = 1e-12..1e12;

/// Triangles that are looked at together.
const LANES: usize = 4;

/// Groups of triangles, behind one another.
#[derive(Clone, Debug, Default)]
pub(super) struct Groups {
    vertices: Vec<Vertex>,
    triangles: Vec<Triangle>,
    groups: Vec<Group>,
}

/// A vertex of a group.
#[derive(Clone, Copy, Debug)]
struct Vertex {
    number: u32,
    /// What its position adds to the columns of the mean gradient [1/m].
    share: [f32; 2],
}

/// A triangle of a group.
#[derive(Clone, Copy, Debug)]
struct Triangle {
    /// Inverse of its material edges [1/m].
    inverse: [f32; 4],
    /// Its corners among the vertices of the group; the last entry has no meaning.
    corners: [u8; 4],
}

#[derive(Clone, Copy, Debug)]
struct Group {
    /// Where its vertices and triangles end.
    vertices: u32,
    triangles: u32,
    /// Largest norm of an inverse [1/m].
    largest: f32,
}

impl Groups {
    /// Adds groups that hold all of some triangles.
    pub(super) fn push(&mut self, mut triangles: &[RestTriangle]) {
        let mut numbers: Vec<u32> = Vec::with_capacity(MAX_VERTICES);
        while !triangles.is_empty() {
            numbers.clear();
            let mut count = 0;
            for t in triangles {
                let new = |v: &&u32| !numbers.contains(v);
                if numbers.len() + t.vertices.iter().filter(new).count() > MAX_VERTICES {
                    break;
                }
                for v in t.vertices {
                    if !numbers.contains(&v) {
                        numbers.push(v);
                    }
                }
                count += 1;
            }
            // Every triangle fits into a group of its own.
            let (here, rest) = triangles.split_at(count);
            self.push_one(&numbers, here);
            triangles = rest;
        }
    }

    fn push_one(&mut self, numbers: &[u32], triangles: &[RestTriangle]) {
        let mut shares = vec![[0.0_f32; 2]; numbers.len()];
        let mut largest = 0.0_f32;
        // The mean is one of both ends.
        let part = 0.5 / triangles.len() as f32;
        for t in triangles {
            let place = |v: u32| numbers.iter().position(|n| *n == v).unwrap_or(0);
            let corners = t.vertices.map(place);
            let [i, j, k, l] = t.inverse;
            let gradients = [[-i - k, -j - l], [i, j], [k, l]];
            for (corner, g) in corners.into_iter().zip(gradients) {
                shares[corner][0] += part * g[0];
                shares[corner][1] += part * g[1];
            }
            let [a, b, c] = corners.map(|c| c as u8);
            self.triangles.push(Triangle { inverse: t.inverse, corners: [a, b, c, 0] });
            let norm = t.inverse.iter().map(|x| f64::from(*x) * f64::from(*x)).sum::<f64>().sqrt();
            largest = largest.max((norm as f32).next_up());
        }
        // The last one fills the lanes that are left.
        while !self.triangles.len().is_multiple_of(LANES) {
            self.triangles.extend(self.triangles.last().copied());
        }
        let vertices = numbers.iter().zip(shares);
        self.vertices.extend(vertices.map(|(number, share)| Vertex { number: *number, share }));
        self.groups.push(Group {
            vertices: self.vertices.len() as u32,
            triangles: self.triangles.len() as u32,
            largest,
        });
    }

    /// Gives back memory that would be for further groups.
    pub(super) fn shrink_to_fit(&mut self) {
        self.vertices.shrink_to_fit();
        self.triangles.shrink_to_fit();
        self.groups.shrink_to_fit();
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.groups.len()
    }

    /// Gives all vertices other numbers.
    pub(super) fn renumber(&mut self, rank: &[u32]) {
        for v in &mut self.vertices {
            v.number = rank[v.number as usize];
        }
    }

    fn first(&self, group: usize) -> (usize, usize) {
        match group {
            0 => (0, 0),
            g => (self.groups[g - 1].vertices as usize, self.groups[g - 1].triangles as usize),
        }
    }

    /// Whether something is true of a vertex of some groups.
    pub(super) fn any(&self, groups: Range<usize>, is: impl Fn(u32) -> bool) -> bool {
        let (begin, end) = (self.first(groups.start).0, self.first(groups.end).0);
        self.vertices[begin..end].iter().any(|v| is(v.number))
    }

    /// The cone of some groups.
    pub(super) fn cone(&self, groups: Range<usize>, ends: &Ends) -> GradientCone {
        let of = |g: usize| self.cone_and_box(g, ends, 0.0).0;
        groups.map(of).fold(GradientCone::EMPTY, GradientCone::merge)
    }

    /// The cone of a group, and a box with a margin that is hardly larger than the one around the paths of its vertices:
    /// it holds their boxes.
    #[inline]
    pub(super) fn cone_and_box(
        &self,
        group: usize,
        ends: &Ends,
        margin: f32,
    ) -> (GradientCone, MovingBox) {
        let ((v, t), group) = (self.first(group), &self.groups[group]);
        with_simd(OneGroup {
            vertices: &self.vertices[v..group.vertices as usize],
            triangles: &self.triangles[t..group.triangles as usize],
            largest: group.largest,
            ends,
            margin,
        })
    }
}

/// The cone and the box of one group.
struct OneGroup<'a> {
    vertices: &'a [Vertex],
    triangles: &'a [Triangle],
    largest: f32,
    ends: &'a Ends,
    /// Margin of the box, as [`crate::volume::margin`] makes it [m].
    margin: f32,
}

impl Work for OneGroup<'_> {
    type Output = (GradientCone, MovingBox);

    #[inline(always)]
    fn run(self, w: impl F32x8) -> Self::Output {
        // Three coordinates and a zero at the start of the step, and the same at its end.
        let mut x = [w.splat(0.0); MAX_VERTICES];
        let origin = self.ends[self.vertices[0].number as usize][0];
        let mut sums = [w.splat(0.0); 2];
        let (mut lo, mut hi) = (w.splat(f32::INFINITY), w.splat(f32::NEG_INFINITY));
        for (x, v) in x.iter_mut().zip(self.vertices) {
            let [a, b] = &self.ends[v.number as usize];
            let y = w.load([
                (a.x - origin.x) as f32,
                (a.y - origin.y) as f32,
                (a.z - origin.z) as f32,
                0.0,
                (b.x - origin.x) as f32,
                (b.y - origin.y) as f32,
                (b.z - origin.z) as f32,
                0.0,
            ]);
            for (sum, share) in sums.iter_mut().zip(v.share) {
                *sum = w.add(*sum, w.mul(w.splat(share), y));
            }
            (lo, hi) = (w.min(y, lo), w.max(y, hi));
            *x = y;
        }
        let around = MovingBox::from_point(w, origin, [lo, hi], self.margin);
        let extent = w.max(hi, w.sub(w.splat(0.0), lo));
        (self.cone(w, &x, sums, extent), around)
    }
}

impl OneGroup<'_> {
    /// The cone, from positions, the sums of their shares and their largest coordinates.
    #[inline(always)]
    fn cone<S: F32x8>(
        &self,
        w: S,
        x: &[S::Vector; MAX_VERTICES],
        sums: [S::Vector; 2],
        extent: S::Vector,
    ) -> GradientCone {
        let (p, q) = (w.store(sums[0]), w.store(sums[1]));
        let mean = [p[0] + p[4], p[1] + p[5], p[2] + p[6], q[0] + q[4], q[1] + q[5], q[2] + q[6]];
        // A position that is not finite has made the mean so, and there is no axis.
        let Some(axis) = nearest_isometry(&mean) else { return GradientCone::ALL };
        let stretch = 0.5 * (0..6).map(|n| mean[n] * axis[n]).sum::<f32>();
        if !STRETCH_RANGE.contains(&stretch) {
            return GradientCone::ALL;
        }
        let [a, b, c, d, e, f] = axis;
        let (u, v) = (w.load([a, b, c, 0.0, a, b, c, 0.0]), w.load([d, e, f, 0.0, d, e, f, 0.0]));
        let centre = [w.mul(w.splat(stretch), u), w.mul(w.splat(stretch), v)];
        let (mut worst, mut total, mut least) =
            (w.splat(0.0), w.splat(0.0), w.splat(f32::INFINITY));
        for four in self.triangles.chunks_exact(LANES) {
            let (mut square, mut along) = ([w.splat(0.0); LANES], [w.splat(0.0); LANES]);
            for (lane, t) in four.iter().enumerate() {
                let [a, b, c, _] = t.corners;
                let [a, b, c] = [a, b, c].map(|k| usize::from(k) % MAX_VERTICES);
                let (d, e) = (w.sub(x[b], x[a]), w.sub(x[c], x[a]));
                let [i, j, k, l] = t.inverse;
                let r = w.sub(w.add(w.mul(d, w.splat(i)), w.mul(e, w.splat(k))), centre[0]);
                let s = w.sub(w.add(w.mul(d, w.splat(j)), w.mul(e, w.splat(l))), centre[1]);
                square[lane] = w.add(w.mul(r, r), w.mul(s, s));
                along[lane] = w.add(w.mul(r, u), w.mul(s, v));
            }
            // Sums over coordinates: four triangles at the start, the same at the end.
            let ([a, b, c, d], [e, f, g, h]) = (square, along);
            let square = w.horizontal_add(w.horizontal_add(a, b), w.horizontal_add(c, d));
            let half = w.mul(
                w.horizontal_add(w.horizontal_add(e, f), w.horizontal_add(g, h)),
                w.splat(0.5),
            );
            let of_mean = w.mul(w.splat(2.0), w.mul(half, half));
            let rest = w.max(w.sub(square, of_mean), w.splat(0.0));
            let across = w.add(rest, w.mul(w.splat(GRADIENT_ROUNDING), w.add(square, of_mean)));
            let lambda = w.add(w.splat(stretch), half);
            let t = w.div(across, w.mul(w.splat(2.0), w.mul(lambda, lambda)));
            worst = w.max(t, worst);
            least = w.min(lambda, least);
            total = w.add(total, t);
        }
        let least = w.store(least).into_iter().fold(f32::INFINITY, f32::min);
        // NaN does not show in a largest number, but in a sum.
        if !(w.store(total).into_iter().sum::<f32>().is_finite() && least > 0.0) {
            return GradientCone::ALL;
        }
        let extent = w.store(extent).into_iter().fold(0.0, f32::max);
        let off = POSITION_ROUNDING * extent * self.largest / least;
        let t = w.store(worst).into_iter().fold(0.0, f32::max);
        // Of the chord, 2 − 2 cos θ without cancellation.
        let root = (1.0 + t).sqrt();
        let angle = angle_of_chord(2.0 * t / (root * (root + 1.0))) + off;
        // Beyond that an angle is no longer about its sine; it would be of no use either.
        if off < 0.1 { GradientCone { axis, angle } } else { GradientCone::ALL }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::volume::Volume;
    use glam::{DVec2, DVec3};
    use proptest::prelude::*;

    /// A strip of triangles, its material shaken, and the places of its vertices.
    fn strip(n: u32, shake: &[f64], size: f64) -> (Vec<RestTriangle>, Vec<[DVec2; 3]>) {
        let uv = |v: u32| {
            let s = |k: u32| shake[((2 * v + k) as usize) % shake.len()];
            size * DVec2::new(f64::from(v / 2) + 0.3 * s(0), f64::from(v % 2) + 0.3 * s(1))
        };
        let of = |t: u32| if t.is_multiple_of(2) { [t, t + 2, t + 1] } else { [t, t + 1, t + 2] };
        let triangles = (0..n)
            .map(of)
            .filter_map(|t| RestTriangle::new(t, t.map(uv)).map(|rest| (rest, t.map(uv))));
        triangles.unzip()
    }

    /// The angle of a triangle's gradient from an axis, in f64.
    fn angle(t: &RestTriangle, uv: &[DVec2; 3], x: &[DVec3], axis: &[f32; 6]) -> f64 {
        let (d, e) = (uv[1] - uv[0], uv[2] - uv[0]);
        let det = d.perp_dot(e);
        let [a, b, c] = t.vertices.map(|v| x[v as usize]);
        let (p, q) = (b - a, c - a);
        let columns = [(p * e.y - q * d.y) / det, (q * d.x - p * e.x) / det];
        let axis = axis.map(f64::from);
        let [u, v] = [0, 3].map(|k| DVec3::new(axis[k], axis[k + 1], axis[k + 2]));
        let along = columns[0].dot(u) + columns[1].dot(v);
        let of_axis = (u.length_squared() + v.length_squared()).sqrt();
        let norm = (columns[0].length_squared() + columns[1].length_squared()).sqrt();
        (along / (norm * of_axis)).clamp(-1.0, 1.0).acos()
    }

    proptest! {
        #[test]
        fn a_cone_holds_the_gradients_of_its_triangles_wherever_they_are(
            n in 1..90_u32, shake in prop::collection::vec(-1.0..1.0_f64, 31), bend in -1.0..1.0_f64,
            noise in prop::collection::vec(-1.0..1.0_f64, 47), amount in 0.0..0.5_f64,
            scale in -4..3_i32, offset in 0.0..1e4_f64, squeeze in 0.01..3.0_f64,
        ) {
            let size = 10.0_f64.powi(scale);
            let (rest, uv) = strip(n, &shake, size);
            prop_assume!(!rest.is_empty());
            let place = |v: u32, end: usize| {
                let s = |k: usize| amount * noise[(5 * v as usize + 3 * end + k) % noise.len()];
                let (i, a) = (f64::from(v / 2), 0.02 * bend * f64::from(v / 2));
                let x = DVec3::new(i * a.cos() + s(0), f64::from(v % 2) + s(1), i * a.sin() + s(2));
                squeeze * size * x + DVec3::splat(offset)
            };
            let ends: Vec<[DVec3; 2]> = (0..n + 2).map(|v| [place(v, 0), place(v, 1)]).collect();
            let mut groups = Groups::default();
            groups.push(&rest);
            let cone = groups.cone(0..groups.len(), &ends);
            for end in 0..2 {
                let x: Vec<DVec3> = ends.iter().map(|e| e[end]).collect();
                for (t, uv) in rest.iter().zip(&uv) {
                    let angle = angle(t, uv, &x, &cone.axis);
                    let slack = crate::prune::ANGLE_ROUNDING;
                    prop_assert!(angle < f64::from(cone.angle) + slack, "{angle} {cone:?}");
                }
            }
        }
    }

    proptest! {
        #[test]
        fn the_box_of_a_group_holds_the_boxes_of_its_vertices_and_is_hardly_larger(
            n in 1..30_u32, scale in -9..20_i32, far in -3..6_i32, offset in prop::array::uniform3(-1.0..1.0_f64),
            noise in prop::collection::vec(-1.0..1.0_f64, 47), margin in -12..3_i32,
        ) {
            let (rest, _) = strip(n, &[0.1, -0.2], 1.0);
            let size = 10.0_f64.powi(scale);
            let margin = 10.0_f64.powi(margin) * size;
            let place = |v: u32, end: u32| {
                let s = |k: u32| noise[((5 * v + 3 * end + k) as usize) % noise.len()];
                size * (DVec3::new(s(0), s(1), s(2)) + 10.0_f64.powi(far) * DVec3::from_array(offset))
            };
            let ends: Vec<[DVec3; 2]> = (0..n + 2).map(|v| [place(v, 0), place(v, 1)]).collect();
            let mut groups = Groups::default();
            groups.push(&rest);
            prop_assert_eq!(groups.len(), 1);
            let (_, all) = groups.cone_and_box(0, &ends, crate::volume::margin(margin));
            let vertices = MovingBox::around(ends.iter().copied(), margin);
            prop_assert_eq!(all.merge(vertices), all);
            let away = 1.0 + 10.0_f64.powi(far);
            let larger = vertices.inflate(1e-5 * (size * away + margin));
            prop_assert_eq!(larger.merge(all), larger);
        }
    }

    #[test]
    fn the_cone_of_a_flat_strip_is_narrow_and_of_a_broken_one_says_nothing() {
        let (rest, _) = strip(60, &[0.0], 0.01);
        let flat = |v: u32| DVec3::new(0.01 * f64::from(v / 2), 0.01 * f64::from(v % 2), 5.0);
        let mut ends: Vec<[DVec3; 2]> = (0..62).map(|v| [flat(v); 2]).collect();
        let mut groups = Groups::default();
        groups.push(&rest);
        assert!(groups.len() > 1, "more vertices than a group has");
        let angle = |ends: &[[DVec3; 2]]| groups.cone(0..groups.len(), ends).angle;
        assert!(angle(&ends) < 1e-3, "{}", angle(&ends));
        for bad in [f64::NAN, f64::INFINITY, 1e30, -1e300] {
            let mut ends = ends.clone();
            ends[20][1].y = bad;
            assert_eq!(angle(&ends), GradientCone::ALL.angle, "{bad}");
        }
        // A triangle without area in space, then all in one point.
        ends[21] = ends[20];
        assert!(angle(&ends) > 0.5);
        assert_eq!(angle(&vec![[DVec3::ONE; 2]; 62]), GradientCone::ALL.angle);
    }
}
