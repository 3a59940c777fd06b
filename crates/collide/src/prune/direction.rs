//! Sets of directions from which a region looks flat (D6b, [eg2004garments] §3.2).
//!
//! A region whose normals all have a positive dot product with a direction d is seen without a fold
//! along d. The sample directions are the 26 towards the faces, edges and corners of a cube, in
//! pairs ±; a set of them is a bit mask, and the set of a parent is the AND of its children's.
//!
//! During a step the normal of a triangle is quadratic in time and stays in the convex hull of three
//! control vectors (see [`super::Cone`]); d is kept only if all three are on its side, by more than
//! rounding can amount to.
//!
//! Limits: neighbouring samples are up to 55° apart, so a region that turns by more than some 125°
//! may find none; and that no fold is seen says nothing about the outline: see
//! [`super::outline_is_simple`].

use glam::{DVec2, DVec3};

/// Half of the sample directions; the other half are their opposites.
const HALF: [[i8; 3]; 13] = [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
    [1, 1, 0],
    [1, -1, 0],
    [1, 0, 1],
    [1, 0, -1],
    [0, 1, 1],
    [0, 1, -1],
    [1, 1, 1],
    [1, 1, -1],
    [1, -1, 1],
    [-1, 1, 1],
];

/// One of the 26 sample directions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Direction(u8);

impl Direction {
    /// How many there are.
    pub const COUNT: usize = 2 * HALF.len();

    /// All of them, opposites behind one another.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..Self::COUNT as u8).map(Self)
    }

    /// The direction; its coordinates are −1, 0 or 1, so it is no unit vector.
    pub fn vector(self) -> DVec3 {
        let [x, y, z] = HALF[usize::from(self.0 / 2)].map(f64::from);
        DVec3::new(x, y, z) * if self.0.is_multiple_of(2) { 1.0 } else { -1.0 }
    }

    /// Two vectors with small whole coordinates, across the direction and each other; their cross
    /// product points exactly along it. Whole numbers keep the projection's rounding plain.
    pub fn basis(self) -> [DVec3; 2] {
        let d = self.vector();
        let across = if d.z == 0.0 {
            DVec3::Z
        } else if d.x == 0.0 {
            DVec3::X
        } else {
            // Neither x nor z is zero; their squares are 1.
            DVec3::new(d.z, 0.0, -d.x)
        };
        [across, d.cross(across)]
    }

    /// Where a point is seen along the direction, in the coordinates of [`Self::basis`].
    pub fn project(self, x: DVec3) -> DVec2 {
        let [u, v] = self.basis();
        DVec2::new(u.dot(x), v.dot(x))
    }
}

/// The sample directions that every normal of a region has a positive dot product with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DirectionSet(pub u32);

impl DirectionSet {
    /// All directions: the set of a region without triangles.
    pub const ALL: Self = Self((1 << Direction::COUNT) - 1);

    /// The set of a triangle whose corners move from `[0]` to `[1]`.
    pub fn of_triangle(corners: [[DVec3; 2]; 3]) -> Self {
        let [a, b, c] = corners;
        let (e0, e1) = (b[0] - a[0], b[1] - a[1]);
        let (f0, f1) = (c[0] - a[0], c[1] - a[1]);
        let n = [e0.cross(f0), 0.5 * (e0.cross(f1) + e1.cross(f0)), e1.cross(f1)];
        // Each coordinate of a control vector is off by at most 10 units of 2⁻⁵³|e||f|, a sum of three
        // by 42 with its own rounding; 64 are allowed for. The last term is for underflow.
        let largest = |p: DVec3, q: DVec3| p.abs().max(q.abs()).max_element();
        let bound = 32.0 * f64::EPSILON * largest(e0, e1) * largest(f0, f1) + f64::MIN_POSITIVE;
        let mut set = 0;
        for (k, d) in HALF.iter().enumerate() {
            let [x, y, z] = d.map(f64::from);
            let dots = n.map(|n| x * n.x + y * n.y + z * n.z);
            // Written so that NaN sets no bit.
            let positive = (dots[0] > bound) & (dots[1] > bound) & (dots[2] > bound);
            let negative = (dots[0] < -bound) & (dots[1] < -bound) & (dots[2] < -bound);
            set |= (u32::from(positive) | u32::from(negative) << 1) << (2 * k);
        }
        Self(set)
    }

    /// The set of both regions together.
    #[inline]
    #[must_use]
    pub fn merge(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// Whether no sample sees the region without a fold.
    #[inline]
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The directions of the set.
    pub fn directions(self) -> impl Iterator<Item = Direction> {
        Direction::all().filter(move |d| self.0 & (1 << d.0) != 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn still(corners: [DVec3; 3]) -> [[DVec3; 2]; 3] {
        corners.map(|c| [c, c])
    }

    #[test]
    fn the_samples_are_26_different_directions_in_opposite_pairs() {
        let all: Vec<DVec3> = Direction::all().map(Direction::vector).collect();
        assert_eq!(all.len(), 26);
        for (i, a) in all.iter().enumerate() {
            assert!(all[..i].iter().all(|b| a.normalize().dot(b.normalize()) < 0.99));
            assert_eq!(*a, -all[i ^ 1]);
        }
    }

    #[test]
    fn the_basis_is_orthogonal_and_right_handed() {
        for direction in Direction::all() {
            let (d, [u, v]) = (direction.vector(), direction.basis());
            assert_eq!([u.dot(v), u.dot(d), v.dot(d)], [0.0; 3]);
            assert_eq!(u.cross(v), d * u.length_squared());
        }
    }

    #[test]
    fn a_flat_triangle_is_seen_from_one_half_of_space() {
        let set = DirectionSet::of_triangle(still([DVec3::ZERO, DVec3::X, DVec3::Y]));
        let seen: Vec<DVec3> = set.directions().map(Direction::vector).collect();
        assert_eq!(seen.len(), 9);
        assert!(seen.iter().all(|d| d.z > 0.0));
    }

    #[test]
    fn opposite_and_degenerate_triangles_leave_nothing() {
        let up = DirectionSet::of_triangle(still([DVec3::ZERO, DVec3::X, DVec3::Y]));
        let down = DirectionSet::of_triangle(still([DVec3::ZERO, DVec3::Y, DVec3::X]));
        assert!(up.merge(down).is_empty());
        assert_eq!(up.merge(DirectionSet::ALL), up);
        let line = still([DVec3::ZERO, DVec3::X, DVec3::X * 2.0]);
        assert!(DirectionSet::of_triangle(line).is_empty());
        let nan = still([DVec3::ZERO, DVec3::X, DVec3::NAN]);
        assert!(DirectionSet::of_triangle(nan).is_empty());
    }

    #[test]
    fn a_triangle_that_turns_over_has_no_direction() {
        // Turned by half a turn about the x axis: the middle control vector is against both ends.
        let corners = [[DVec3::ZERO; 2], [DVec3::X, DVec3::X], [DVec3::Y, -DVec3::Y]];
        assert!(DirectionSet::of_triangle(corners).is_empty());
    }

    fn point() -> impl Strategy<Value = DVec3> {
        [-1.0..1.0, -1.0..1.0, -1.0..1.0_f64].prop_map(DVec3::from_array)
    }

    proptest! {
        #[test]
        fn the_normal_stays_on_the_side_of_every_direction_of_the_set(
            a in [point(), point()], b in [point(), point()], c in [point(), point()],
            t in 0.0..1.0_f64,
        ) {
            let at = |p: [DVec3; 2]| p[0].lerp(p[1], t);
            let n = (at(b) - at(a)).cross(at(c) - at(a));
            for d in DirectionSet::of_triangle([a, b, c]).directions() {
                prop_assert!(d.vector().dot(n) > 0.0);
            }
        }

        #[test]
        fn a_triangle_at_rest_is_seen_from_every_direction_above_it(
            a in point(), b in point(), c in point(),
        ) {
            let n = (b - a).cross(c - a);
            let set = DirectionSet::of_triangle(still([a, b, c]));
            let above = Direction::all().filter(|d| d.vector().dot(n) > 1e-12).count();
            prop_assert!(set.directions().count() >= above);
        }
    }
}
