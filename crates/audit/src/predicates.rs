//! Signs of determinants, exact for the accepted range of coordinates.
//!
//! The determinants are evaluated by adaptive floating-point expansions [shewchuk1997]: the sign is
//! that of real arithmetic as long as no product over- or underflows. A nonzero coordinate c with
//! 2⁻³⁰⁰ ≤ |c| ≤ 2³⁰⁰ is a multiple of 2⁻³⁵², so that every product of three differences is a
//! multiple of 2⁻¹⁰⁵⁶ and below 2⁹⁰⁶, both within f64. [`checked_positions`] sees to that: larger
//! coordinates are refused, and smaller ones, which a sheet that settles at x = 0 does reach, are
//! taken as zero. That moves a vertex by less than 5·10⁻⁹¹ m.

use crate::Error;
use glam::DVec3;
use robust::{Coord, Coord3D};
use std::borrow::Cow;

/// Largest magnitude of a coordinate, 2³⁰⁰.
pub const LARGEST_COORDINATE: f64 = f64::from_bits((1023 + 300) << 52);
/// Magnitude below which a coordinate is taken as zero, 2⁻³⁰⁰.
pub const SMALLEST_COORDINATE: f64 = f64::from_bits((1023 - 300) << 52);

/// The positions in the range in which the predicates are exact.
pub(crate) fn checked_positions(positions: &[DVec3]) -> Result<Cow<'_, [DVec3]>, Error> {
    let good = |c: f64| c.abs() <= LARGEST_COORDINATE; // false for NaN
    if let Some(v) = positions.iter().position(|p| !p.to_array().into_iter().all(good)) {
        let (vertex, position) = (v as u32, positions[v]);
        return Err(if position.is_finite() {
            Error::OutOfRange { vertex, position }
        } else {
            Error::NotFinite { vertex, position }
        });
    }
    let tiny = |c: f64| c != 0.0 && c.abs() < SMALLEST_COORDINATE;
    if !positions.iter().any(|p| p.to_array().into_iter().any(tiny)) {
        return Ok(Cow::Borrowed(positions));
    }
    let flush = |c: f64| if tiny(c) { 0.0 } else { c };
    Ok(positions.iter().map(|p| DVec3::from_array(p.to_array().map(flush))).collect())
}

/// Refuses triangles that use vertices which do not exist.
pub(crate) fn check_triangles(vertices: usize, triangles: &[[u32; 3]]) -> Result<(), Error> {
    match triangles.iter().position(|t| t.iter().any(|v| *v as usize >= vertices)) {
        None => Ok(()),
        Some(t) => Err(Error::NoSuchVertex { triangle: t as u32, vertices: vertices as u32 }),
    }
}

/// Sign of a determinant.
fn sign(x: f64) -> i8 {
    i8::from(x > 0.0) - i8::from(x < 0.0)
}

/// On which side of the plane (a, b, c) point d lies: 0 if all four are coplanar.
pub(crate) fn orient3(a: DVec3, b: DVec3, c: DVec3, d: DVec3) -> i8 {
    // Sheets in an axis plane are common at rest; four equal coordinates need no arithmetic.
    for k in 0..3 {
        if a[k] == b[k] && a[k] == c[k] && a[k] == d[k] {
            return 0;
        }
    }
    let p = |v: DVec3| Coord3D { x: v.x, y: v.y, z: v.z };
    sign(robust::orient3d(p(a), p(b), p(c), p(d)))
}

/// A projection along one of the coordinate axes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Projection(usize);

impl Projection {
    /// Along x, y and z.
    pub(crate) const ALL: [Self; 3] = [Self(0), Self(1), Self(2)];

    /// A projection in which the three points are not collinear; `None` if they are collinear in
    /// space. The three determinants are the components of (b − a) × (c − a), so this is exact.
    pub(crate) fn of_plane(a: DVec3, b: DVec3, c: DVec3) -> Option<Self> {
        Self::ALL.into_iter().find(|p| p.orient2(a, b, c) != 0)
    }

    /// The projection that shows most of a triangle, by rounded arithmetic: good for filters only.
    pub(crate) fn widest(a: DVec3, b: DVec3, c: DVec3) -> Self {
        let n = (b - a).cross(c - a).abs();
        Self(if n.x > n.y && n.x > n.z { 0 } else { 1 + usize::from(n.z > n.y) })
    }

    /// The two remaining coordinates.
    pub(crate) fn flat(self, p: DVec3) -> [f64; 2] {
        [p[(self.0 + 1) % 3], p[(self.0 + 2) % 3]]
    }

    /// On which side of line (a, b) point c lies in the projection.
    pub(crate) fn orient2(self, a: DVec3, b: DVec3, c: DVec3) -> i8 {
        let p = |v: DVec3| {
            let [x, y] = self.flat(v);
            Coord { x, y }
        };
        sign(robust::orient2d(p(a), p(b), p(c)))
    }
}

/// Order by x, then y, then z. Along any line this is the order on the line.
pub(crate) fn before_or_equal(a: DVec3, b: DVec3) -> bool {
    a.to_array() <= b.to_array()
}
