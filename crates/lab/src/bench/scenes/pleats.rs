//! A sheet gathered at its top and hanging in deep pleats whose necks are closed.
//!
//! Without stretch a flat sheet can be bent to any cone: with polar coordinates (r, s) around a point
//! of the material plane, here far above the sheet, the point goes to r·γ(s), where γ is a curve
//! of unit speed on the unit sphere. The map is isometric whatever the curve, and the pleats flare
//! toward the hem as they do in a curtain or a skirt.
//!
//! γ is made of circles and great circles. Along one of geodesic curvature κ, with tangent T and
//! N = P × T, the point P turns about the axis κP + N at the rate √(1 + κ²). A pleat is a Ω:
//!
//! ```text
//!    ___        bulb: π + 2α to the right, radius b
//!   (   )
//!    ) (        two flanks: α to the left, radius b
//!    | |        two limbs with a gap g between them
//! __/   \__     two feet: a quarter to the left, radius b, and a straight piece to the next
//! ```
//!
//! Its limbs are g apart if cos α = (g + 2b) / 4b: the flanks lead apart by 2b (1 − cos α), and the bulb
//! comes back by 2b cos α. Limbs are flat and curve only away from each other, so facets of any
//! size, which lie on the hollow side of a bend, do not bring them nearer.
//!
//! Limits: the formula is that of the plane; on the sphere, with bends of 1/200 of its radius or less, the gap is off by
//! a few hundredths at most. Meshes whose edges are longer than two radii cut the bulbs off.

use glam::{DVec2, DVec3};
use std::f64::consts::{FRAC_PI_2, PI};

/// From the apex of the cone to the top and to the middle of the sheet [m].
const TOP: f64 = 3.0;
const MIDDLE: f64 = TOP + 0.5;

/// How pleats are made, in lengths at half the height of the sheet [m].
#[derive(Clone, Copy, Debug)]
pub(in crate::bench) struct Shape {
    /// Radius of the bends.
    pub(in crate::bench) bend: f64,
    /// Length of a limb: the depth over which a pleat is closed.
    pub(in crate::bench) limb: f64,
    /// From limb to limb. It is a seventh less at the top, and as much more at the hem.
    pub(in crate::bench) gap: f64,
}

/// The sheet: a square metre around the origin of the material plane, its top at v = 1/2.
#[derive(Clone, Debug)]
pub(in crate::bench) struct Pleats {
    pieces: Vec<Piece>,
}

/// A circle, from a point on.
#[derive(Clone, Copy, Debug)]
struct Piece {
    /// Length of the curve up to here.
    begin: f64,
    /// Place and direction at its begin.
    at: DVec3,
    along: DVec3,
    /// Geodesic curvature.
    curvature: f64,
}

impl Piece {
    /// Place and direction on it.
    fn place(&self, s: f64) -> (DVec3, DVec3) {
        let axis = self.curvature * self.at + self.at.cross(self.along);
        let rate = axis.length();
        let (axis, angle) = (axis / rate, rate * (s - self.begin));
        let (sin, cos) = (libm::sin(angle), libm::cos(angle));
        let turned = |x: DVec3| cos * x + sin * axis.cross(x) + (1.0 - cos) * axis.dot(x) * axis;
        (turned(self.at), turned(self.along))
    }
}

impl Pleats {
    pub(in crate::bench) fn new(shape: Shape) -> Self {
        // The widest the sheet is seen from the apex, and some more for the corners.
        let half = libm::atan2(0.5, TOP) + 0.01;
        // What is gathered spans about a sixth of that.
        let from = half / 6.0;
        let mut curve = Self { pieces: Vec::new() };
        let mut next = Piece {
            begin: -half,
            at: DVec3::new(-libm::sin(from), -libm::cos(from), 0.0),
            along: DVec3::new(libm::cos(from), -libm::sin(from), 0.0),
            curvature: 0.0,
        };
        let mut number = 0.0;
        while next.begin < half {
            // No two pleats are alike.
            let vary = |part: f64, phase: f64| 1.0 + part * libm::sin(2.1 * number + phase);
            for (length, turn) in pleat(shape, vary(0.25, 0.0), vary(0.1, 1.0)) {
                let length = length / MIDDLE;
                let piece = Piece { curvature: turn / length, ..next };
                let (at, along) = piece.place(piece.begin + length);
                next = Piece { begin: piece.begin + length, at, along, curvature: 0.0 };
                curve.pieces.push(piece);
            }
            number += 1.0;
        }
        curve
    }

    /// Where the material point `p` is [m].
    pub(in crate::bench) fn at(&self, p: DVec2) -> DVec3 {
        let from_apex = DVec2::new(p.x, 0.5 + TOP - p.y);
        let s = libm::atan2(from_apex.x, from_apex.y);
        let k = self.pieces.partition_point(|piece| piece.begin <= s).max(1) - 1;
        let x = from_apex.length() * self.pieces[k].place(s).0 + DVec3::new(0.0, MIDDLE, 0.0);
        // Pleats that lie along an axis would fit into boxes as they seldom do.
        let (sin, cos) = (libm::sin(0.6), libm::cos(0.6));
        DVec3::new(cos * x.x + sin * x.z, x.y, cos * x.z - sin * x.x)
    }
}

/// Lengths [m] and angles to the left of a pleat's pieces, with longer limbs and wider bulbs by
/// some factors.
fn pleat(shape: Shape, longer: f64, wider: f64) -> [(f64, f64); 8] {
    let (limb, b) = (longer * shape.limb, wider * shape.bend);
    let alpha = libm::acos((shape.gap + 2.0 * b) / (4.0 * b));
    let foot = (FRAC_PI_2 * b, FRAC_PI_2);
    let flank = (alpha * b, alpha);
    let bulb = ((PI + 2.0 * alpha) * b, -(PI + 2.0 * alpha));
    [(b, 0.0), foot, (limb, 0.0), flank, bulb, flank, (limb, 0.0), foot]
}
