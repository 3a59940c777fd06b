//! Circle skirt: two halves of a ring, or of a part of one.
//!
//! The waist is an arc of radius r = (waist + ease) / (2π f), where f is the fraction of a full circle; the hem
//! is an arc of radius r + length.

use super::option::{DesignOption, fraction, length};
use super::{add_waistband, part, unfold, v};
use crate::edge::Edge;
use crate::measurements::Measurements;
use crate::panel::{BodyPart, Panel};
use crate::pattern::Pattern;
use crate::seam::Seam;
use serde::{Deserialize, Serialize};

/// What can be chosen about a circle skirt.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CircleSkirt {
    /// Girth of the finished waist more than that of the body [m].
    pub waist_ease: f64,
    /// Length above the knee [m].
    pub above_knee: f64,
    /// The fraction of a full circle; 0.5 is a half-circle skirt.
    pub circle: f64,
    /// Height of the waistband [m].
    pub waistband: f64,
}

impl Default for CircleSkirt {
    fn default() -> Self {
        Self { waist_ease: 0.015, above_knee: 0.05, circle: 1.0, waistband: 0.035 }
    }
}

impl CircleSkirt {
    /// What can be chosen, with its range.
    pub const OPTIONS: &'static [DesignOption] = &[
        length("waist_ease", "girth of the finished waist more than that of the body", -0.02, 0.15),
        length("above_knee", "length above the knee, negative below", -0.35, 0.35),
        fraction("circle", "part of a full circle; 0.5 is a half-circle skirt", 0.25, 1.0),
        length("waistband", "height of the waistband", 0.015, 0.1),
    ];

    /// Drafts it to a body.
    pub fn draft(&self, m: &Measurements) -> Pattern {
        let mut pattern = Pattern::new("Circle skirt");
        pattern.description = "Circle skirt drafted by toile.".into();
        let circle = self.circle.clamp(0.2, 1.0);
        let waist = (m.waist_girth + self.waist_ease) / (std::f64::consts::TAU * circle);
        let hem = waist + (m.waist_to_knee - self.above_knee).max(0.2);
        // A quarter of the skirt, from the centre, which points down, to the side.
        let angle = std::f64::consts::FRAC_PI_2 * circle;
        let at = |radius: f64, share: f64| {
            let (sin, cos) = libm::sincos(angle * share);
            v(radius * sin, -radius * cos)
        };
        for front in [true, false] {
            let edges = vec![
                Edge::arc_through("hem", at(hem, 0.0), at(hem, 0.5), at(hem, 1.0)),
                Edge::line("side", at(hem, 1.0), at(waist, 1.0)),
                Edge::arc_through("waist", at(waist, 1.0), at(waist, 0.5), at(waist, 0.0)),
                Edge::line("centre", at(waist, 0.0), at(hem, 0.0)),
            ];
            let mut half = Panel::new(if front { "front" } else { "back" }, edges);
            half.placement.part = Some(BodyPart::Hips);
            pattern.panels.push(unfold(&half, front));
        }
        for name in ["side-left", "side-right"] {
            pattern.seams.push(Seam::new(name, part("front", name), part("back", name)));
        }
        let chain = vec![
            part("front", "waist-left"),
            part("front", "waist-right"),
            part("back", "waist-right"),
            part("back", "waist-left"),
        ];
        add_waistband(&mut pattern, self.waistband, chain);
        pattern
    }
}
