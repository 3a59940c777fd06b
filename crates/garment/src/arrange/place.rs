//! Maps of the plane into space that do not stretch.

use super::curve::{along, offset};
use glam::{DVec2, DVec3};
use std::f64::consts::FRAC_PI_2;

/// How far a sheet of an outer layer is before the one within, and how much higher [m].
const LAYER_OFFSET: f64 = 0.02;
const LAYER_LIFT: f64 = 0.012;

/// A place for a panel: a map of the plane into space without stretch.
#[derive(Clone, Debug)]
pub(super) enum Place {
    /// p = origin + x a + y b.
    Flat { origin: DVec3, across: DVec3, up: DVec3, away: DVec3 },
    /// Around an axis through `origin` along `up`; x = 0 lies in direction `out`, and x grows towards `up` × `out`.
    Tube { origin: DVec3, up: DVec3, out: DVec3, radius: f64, away: DVec3 },
    /// A part of a tube around an axis through `centre`: a point is `along` · p down it and (`across` · p − `middle`) around it, from
    /// direction `out` towards `over`.
    Rolled {
        centre: DVec3,
        down: DVec3,
        over: DVec3,
        out: DVec3,
        along: DVec2,
        across: DVec2,
        middle: f64,
        radius: f64,
    },
    /// Upright on a level closed curve, x = 0 at `start` along it; y = 0 at `height`.
    Wall { curve: Vec<DVec3>, start: f64, height: f64 },
    /// Upright on a level closed curve around a leg, whose way through the middle stays where it is.
    Leg { curve: Vec<DVec3>, start: f64, height: f64 },
    /// Upright before (+1) or behind (−1) the body, bent towards it at both sides: flat for |x| below `level`, then around an arc of radius
    /// `bend`, then straight on. x is counted from `middle`.
    Bent { origin: DVec3, side: f64, middle: f64, level: f64, bend: f64 },
    /// Lying before (+1) or behind (−1) the body, y pointing to it, bent down at both sides like a roof: level for |x| below `level`,
    /// then around an arc of radius `bend`, then straight down. x is counted from `middle`.
    Roof { origin: DVec3, side: f64, middle: f64, level: f64, bend: f64 },
}

/// How far out and how far down a point of a sheet is that is bent by a right angle.
fn bent(across: f64, level: f64, bend: f64) -> [f64; 2] {
    let beyond = (across.abs() - level).max(0.0);
    let turn = (beyond / bend).min(FRAC_PI_2);
    let (sin, cos) = libm::sincos(turn);
    [across.abs().min(level) + bend * sin, bend * (1.0 - cos) + beyond - turn * bend]
}

impl Place {
    pub(super) fn point(&self, p: DVec2) -> DVec3 {
        match self {
            Self::Flat { origin, across, up, .. } => *origin + *across * p.x + *up * p.y,
            Self::Tube { origin, up, out, radius, .. } => {
                let (sin, cos) = libm::sincos(p.x / radius);
                *origin + *up * p.y + (*out * cos + up.cross(*out) * sin) * *radius
            }
            Self::Rolled { centre, down, over, out, along, across, middle, radius } => {
                let (sin, cos) = libm::sincos((across.dot(p) - middle) / radius);
                *centre + *down * along.dot(p) + (*out * cos + *over * sin) * *radius
            }
            Self::Wall { curve, start, height } | Self::Leg { curve, start, height } => {
                let on = along(curve, start + p.x);
                DVec3::new(on.x, height + p.y, on.z)
            }
            Self::Bent { origin, side, middle, level, bend } => {
                let (across, [x, back]) = (p.x - middle, bent(p.x - middle, *level, *bend));
                *origin + DVec3::new(side * x * across.signum(), p.y, -side * back)
            }
            Self::Roof { origin, side, middle, level, bend } => {
                let (across, [x, drop]) = (p.x - middle, bent(p.x - middle, *level, *bend));
                *origin + DVec3::new(side * x * across.signum(), -drop, -side * p.y)
            }
        }
    }

    pub(super) fn moved(mut self, distance: f64) -> Self {
        match &mut self {
            Self::Flat { origin, away, .. } | Self::Tube { origin, away, .. } => {
                *origin += *away * distance;
            }
            Self::Rolled { centre, down, .. } => *centre += *down * distance,
            Self::Wall { curve, height, .. } => {
                // Wider while that is not much, then also higher.
                offset(curve, 0.2 * distance);
                *height += 0.5 * distance;
            }
            // Between the legs there is no room beside, only below.
            Self::Leg { height, .. } => *height -= 0.5 * distance,
            Self::Roof { origin, side, .. } | Self::Bent { origin, side, .. } => {
                origin.z += *side * distance
            }
        }
        self
    }

    /// A sheet so far before others of inner layers that look the same way, and higher by a little for each layer. Other
    /// places stay as they are: what is wider is outside.
    pub(super) fn outside(mut self, inner: &[(i32, Self)]) -> Self {
        let mut layers: Vec<i32> = Vec::new();
        if let Self::Flat { origin, up, away, .. } = &mut self {
            let mut distance = 0.0_f64;
            for (layer, place) in inner {
                let Self::Flat { origin: other, away: looks, .. } = place else { continue };
                if looks.dot(*away) > 0.9 {
                    distance = distance.max((*other - *origin).dot(*away) + LAYER_OFFSET);
                    layers.push(*layer);
                }
            }
            layers.dedup();
            *origin += *away * distance + *up * (LAYER_LIFT * layers.len() as f64);
        }
        self
    }

    /// Turned about its axis, by a part of a whole turn.
    pub(super) fn turned(mut self, part: f64) -> Self {
        if let Self::Wall { curve, start, .. } = &mut self {
            *start += part * toile_body::length(curve, true);
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_place_stretches_what_is_put_there() {
        let square = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)];
        let curve: Vec<DVec3> = square.iter().map(|(x, z)| DVec3::new(*x, 0.0, *z)).collect();
        let places = [
            Place::Bent { origin: DVec3::ONE, side: 1.0, middle: 0.0, level: 0.07, bend: 0.1 },
            Place::Roof { origin: DVec3::ONE, side: -1.0, middle: 0.02, level: 0.11, bend: 0.1 },
            Place::Leg { curve, start: 0.3, height: 1.0 },
            Place::Rolled {
                centre: DVec3::ONE,
                down: DVec3::NEG_Y,
                over: DVec3::X,
                out: DVec3::Z,
                along: DVec2::new(0.6, -0.8),
                across: DVec2::new(0.8, 0.6),
                middle: 0.03,
                radius: 0.1,
            },
            Place::Tube {
                origin: DVec3::ZERO,
                up: DVec3::Y,
                out: DVec3::X,
                radius: 0.1,
                away: DVec3::Y,
            },
        ];
        for place in places {
            let step = 1e-5;
            for k in -40..40 {
                let p = DVec2::new(0.0131 * f64::from(k), 0.2);
                for direction in [DVec2::X, DVec2::Y, DVec2::new(0.6, 0.8)] {
                    let length = place.point(p).distance(place.point(p + direction * step)) / step;
                    assert!((length - 1.0).abs() < 1e-6, "{place:?} {p} {direction}: {length}");
                }
            }
        }
    }
}
