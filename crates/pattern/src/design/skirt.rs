//! A-line skirt: front and back on the fold, one dart to a quarter, a waistband.
//!
//! Hip quarter = (hip + ease)/4; the difference to the waist is taken up by the side seam and a dart. Both
//! side seams are the same curve, so they are sewn without ease: waist edges of equal length, of which the
//! wider back dart takes more than the front's.

use super::option::{DesignOption, length};
use super::{add_waistband, dart, part, solve, unfold, v};
use crate::edge::Edge;
use crate::measurements::Measurements;
use crate::panel::{BodyPart, Panel};
use crate::pattern::Pattern;
use crate::seam::Seam;
use serde::{Deserialize, Serialize};

/// What can be chosen about a skirt.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Skirt {
    /// Girth of the finished waist more than that of the body [m].
    pub waist_ease: f64,
    /// Girth of the finished hips more than that of the body [m].
    pub hip_ease: f64,
    /// Length below the knee [m]; negative above.
    pub below_knee: f64,
    /// How far each quarter flares out at the hem [m].
    pub flare: f64,
    /// Height of the waistband [m].
    pub waistband: f64,
}

impl Default for Skirt {
    fn default() -> Self {
        Self { waist_ease: 0.015, hip_ease: 0.05, below_knee: 0.0, flare: 0.06, waistband: 0.035 }
    }
}

/// How far the waist rises from the centre to the side [m].
const RISE: f64 = 0.012;

/// The part of a girth's difference that the side seam takes.
const SIDE_SHARE: f64 = 0.45;

impl Skirt {
    /// What can be chosen, with its range.
    pub const OPTIONS: &'static [DesignOption] = &[
        length("waist_ease", "girth of the finished waist more than that of the body", -0.02, 0.15),
        length("hip_ease", "girth of the finished hips more than that of the body", 0.0, 0.4),
        length("below_knee", "length below the knee, negative above", -0.3, 0.35),
        length("flare", "how far each quarter flares out at the hem", 0.0, 0.25),
        length("waistband", "height of the waistband", 0.015, 0.1),
    ];

    /// Drafts it to a body.
    pub fn draft(&self, m: &Measurements) -> Pattern {
        let mut pattern = Pattern::new("A-line skirt");
        pattern.description = "A-line skirt drafted by toile.".into();
        let waist = 0.25 * (m.waist_girth + self.waist_ease);
        let hip = 0.25 * (m.hip_girth + self.hip_ease);
        let taken = (1.0 - SIDE_SHARE) * (hip - waist).max(0.0);
        // The seat is rounder than the belly.
        let darts = [0.75 * taken, 1.25 * taken].map(|d| if d < 0.006 { 0.0 } else { d.min(0.05) });
        let edge = waist + 0.5 * (darts[0] + darts[1]);
        for (front, width) in [(true, darts[0]), (false, darts[1])] {
            pattern.panels.push(unfold(&self.half(m, front, edge, width), front));
        }
        for side in ["left", "right"] {
            for e in ["side", "hip"] {
                let name = format!("{e}-{side}");
                pattern.seams.push(Seam::new(&name, part("front", &name), part("back", &name)));
            }
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

    /// Half of the front or back; the centre of the waist is the origin.
    fn half(&self, m: &Measurements, front: bool, waist_edge: f64, width: f64) -> Panel {
        let hip = 0.25 * (m.hip_girth + self.hip_ease);
        let hem_y = -(m.waist_to_knee + self.below_knee).max(m.waist_to_hip + 0.1);
        let waist = |x: f64| Edge::quadratic("waist", v(x, RISE), v(0.5 * x, 0.0), v(0.0, 0.0));
        let x = solve(0.0, 1.5, waist_edge, |x| waist(x).length());
        let waist = waist(x);
        let (hip, hem) = (v(hip, -m.waist_to_hip), v(hip + self.flare, hem_y + 0.01));
        // Straight up from the hem's flare, then over the hip.
        let up = (hip - hem).normalize_or_zero() * 0.45 * m.waist_to_hip;
        let side = Edge::cubic(
            "hip",
            hip,
            [hip + up, waist.from + v(0.35 * (hip.x - x), -0.35 * m.waist_to_hip)],
            waist.from,
        );
        let edges = vec![
            Edge::quadratic("hem", v(0.0, hem_y), v(0.55 * hem.x, hem_y), hem),
            Edge::line("side", hem, hip),
            side,
            waist.clone(),
            Edge::line("centre", v(0.0, 0.0), v(0.0, hem_y)),
        ];
        let mut panel = Panel::new(if front { "front" } else { "back" }, edges);
        if width > 0.0 {
            let depth = if front { 0.45 } else { 0.65 } * m.waist_to_hip;
            panel.darts.push(dart("dart", &waist, 0.5, width, depth));
        }
        panel.placement.part = Some(BodyPart::Hips);
        panel
    }
}
