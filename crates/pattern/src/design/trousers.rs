//! Straight trousers: two fronts, two backs, a waistband.
//!
//! Hip quarter = (hip + ease)/4, crotch extensions of hip/20 in front and hip/9 behind. Knee and hem lie
//! even about the crease. The back crotch point is lowered until both inseams are equally long, as cutters do.

use super::option::{self, DesignOption, fraction};
use super::{ALLOWANCE, add_waistband, dart, mirrored, part, solve, v};
use crate::edge::Edge;
use crate::measurements::Measurements;
use crate::panel::{BodyPart, Panel, Side};
use crate::pattern::Pattern;
use crate::seam::Seam;
use glam::DVec2;
use serde::{Deserialize, Serialize};

/// What can be chosen about trousers.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Trousers {
    /// Girth of the finished waist more than that of the body [m].
    pub waist_ease: f64,
    /// Girth of the finished hips more than that of the body [m].
    pub hip_ease: f64,
    /// Girth of the finished knee more than that of the body [m].
    pub knee_ease: f64,
    /// Girth of the hem over that of the knee of the trousers.
    pub hem: f64,
    /// Height of the hem above the ground [m].
    pub above_ground: f64,
    /// Height of the waistband [m].
    pub waistband: f64,
}

impl Default for Trousers {
    fn default() -> Self {
        Self {
            waist_ease: 0.02,
            hip_ease: 0.06,
            knee_ease: 0.07,
            hem: 0.92,
            above_ground: 0.03,
            waistband: 0.035,
        }
    }
}

/// How much wider the back is at knee and hem than the front [m].
const BACK_WIDER: f64 = 0.02;

/// Room below the crotch [m].
const CROTCH_EASE: f64 = 0.012;

/// The part of the difference between hip and waist that the side seam takes.
const SIDE_SHARE: f64 = 0.4;

impl Trousers {
    /// What can be chosen, with its range.
    pub const OPTIONS: &'static [DesignOption] = &[
        option::length(
            "waist_ease",
            "girth of the finished waist more than that of the body",
            -0.02,
            0.15,
        ),
        option::length(
            "hip_ease",
            "girth of the finished hips more than that of the body",
            0.0,
            0.4,
        ),
        option::length(
            "knee_ease",
            "girth of the finished knee more than that of the body",
            0.02,
            0.4,
        ),
        fraction("hem", "girth of the hem, of that of the knee of the trousers", 0.6, 1.6),
        option::length("above_ground", "height of the hem above the ground", 0.0, 0.4),
        option::length("waistband", "height of the waistband", 0.015, 0.1),
    ];

    /// Drafts them to a body.
    pub fn draft(&self, m: &Measurements) -> Pattern {
        let mut pattern = Pattern::new("Trousers");
        pattern.description = "Straight trousers drafted by toile.".into();
        let front = self.leg(m, true, 0.0);
        let inseam = length(&front, "inseam-upper");
        // The longer slant of the back is made up by a lower crotch point.
        let lower =
            solve(-0.01, 0.05, -inseam, |d| -length(&self.leg(m, false, d), "inseam-upper"));
        let back = self.leg(m, false, lower);
        // Seen from the right side, the side seam at the right is the left leg in front, the right behind.
        let mut add = |panel: &Panel, name: &str, part: BodyPart, side: Side| {
            let mut p = panel.clone().with_allowance(ALLOWANCE).with_placement(part, side);
            p.name = name.into();
            pattern.panels.push(p);
        };
        add(&front, "front-left", BodyPart::LeftLeg, Side::Front);
        add(&mirrored(&front, ""), "front-right", BodyPart::RightLeg, Side::Front);
        add(&mirrored(&back, ""), "back-left", BodyPart::LeftLeg, Side::Back);
        add(&back, "back-right", BodyPart::RightLeg, Side::Back);
        for leg in ["left", "right"] {
            let (f, b) = (format!("front-{leg}"), format!("back-{leg}"));
            for edge in ["side-lower", "side-thigh", "side-hip", "inseam-upper", "inseam-lower"] {
                pattern.seams.push(Seam::new(
                    format!("{edge}-{leg}"),
                    part(&f, edge),
                    part(&b, edge),
                ));
            }
        }
        for side in ["front", "back"] {
            let [a, b] = ["left", "right"].map(|leg| part(&format!("{side}-{leg}"), "rise"));
            pattern.seams.push(Seam::new(format!("rise-{side}"), a, b).with_order(1));
        }
        let order = ["front-left", "front-right", "back-right", "back-left"];
        let chain = order.map(|p| part(p, "waist")).to_vec();
        add_waistband(&mut pattern, self.waistband, chain);
        pattern
    }

    /// One leg: the centre at x = 0, the side at the right, the waist at y = 0. `lower` moves the crotch
    /// point down [m].
    fn leg(&self, m: &Measurements, front: bool, lower: f64) -> Panel {
        let hip = 0.25 * (m.hip_girth + self.hip_ease);
        let waist = 0.25 * (m.waist_girth + self.waist_ease);
        let taken = (1.0 - SIDE_SHARE) * (hip - waist).max(0.0);
        let extension = m.hip_girth / if front { 20.0 } else { 9.0 };
        let crotch_y = -(m.body_rise + CROTCH_EASE);
        let hip_y = -m.waist_to_hip.min(m.body_rise - 0.03);
        let knee_y = -m.waist_to_knee;
        let hem_y = -(m.waist_height - self.above_ground);
        let wider = if front { -0.25 } else { 0.25 } * BACK_WIDER;
        let knee = 0.25 * (m.knee_girth + self.knee_ease) + wider;
        let hem = 0.25 * self.hem * (m.knee_girth + self.knee_ease) + wider;
        // The crease is the middle of the front at the crotch; the back lies on it, moved to its side.
        let crease = if front { 0.5 * (hip - extension) } else { 0.5 * hip - 0.028 };

        // The seat is slanted: the waist of the back leans to the side and rises.
        let centre = if front { v(0.008, 0.0) } else { v(0.03, 0.025) };
        // Both waist edges are so long that front and back together give half the waist.
        let dart_width = if front { 0.7 * taken } else { 1.3 * taken - 0.022 };
        let dart_width = if dart_width < 0.006 { 0.0 } else { dart_width.min(0.045) };
        let side = solve(0.0, 1.0, waist + dart_width, |x| centre.distance(v(x, 0.006)));
        let (hip, crotch) = (v(hip, hip_y), v(-extension, crotch_y - lower));
        let (outer_knee, inner_knee) = (v(crease + knee, knee_y), v(crease - knee, knee_y));
        let (outer_hem, inner_hem) = (v(crease + hem, hem_y), v(crease - hem, hem_y));
        let waist_side = v(side, 0.006);

        let thigh = outer_knee.y.abs() - hip_y.abs();
        let shin = |a: DVec2, b: DVec2| (a - b).normalize_or_zero();
        let down = 0.35 * thigh;
        let waist_edge = Edge::line("waist", waist_side, centre);
        let edges = vec![
            Edge::line("hem", inner_hem, outer_hem),
            Edge::line("side-lower", outer_hem, outer_knee),
            Edge::cubic(
                "side-thigh",
                outer_knee,
                [outer_knee + down * shin(outer_knee, outer_hem), hip - v(0.0, down)],
                hip,
            ),
            Edge::cubic(
                "side-hip",
                hip,
                [hip - v(0.0, 0.4 * hip_y), waist_side + v(0.3 * (hip.x - side), 0.3 * hip_y)],
                waist_side,
            ),
            waist_edge.clone(),
            Edge::cubic(
                "rise",
                centre,
                [v(0.0, 0.8 * crotch.y), v(-0.05 * extension, crotch.y + 0.003)],
                crotch,
            ),
            Edge::cubic(
                "inseam-upper",
                crotch,
                [
                    crotch.lerp(inner_knee, 0.3) + v(0.18 * (inner_knee.x - crotch.x), 0.0),
                    inner_knee + 0.3 * (crotch.y - knee_y) * shin(inner_knee, inner_hem),
                ],
                inner_knee,
            ),
            Edge::line("inseam-lower", inner_knee, inner_hem),
        ];
        let mut panel = Panel::new("leg", edges);
        if dart_width > 0.0 {
            let depth = if front { 0.4 } else { 0.55 } * m.waist_to_hip;
            panel.darts.push(dart("dart", &waist_edge, 0.45, dart_width, depth));
        }
        panel
    }
}

fn length(panel: &Panel, edge: &str) -> f64 {
    panel.edge(edge).map_or(0.0, Edge::length)
}
