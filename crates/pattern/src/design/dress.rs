//! Sleeveless sheath dress: front and back on the fold, a bust dart at the side, double darts at the waist.
//!
//! Quarters of bust, waist and hip girth with their ease; the difference to the waist goes into the side seam and a
//! double dart. The front is longer over the bust: the bust dart takes exactly what its side seam is
//! longer than that of the back.

use super::option::{DesignOption, length};
use super::{NAPE_DROP, part, unfold, v};
use crate::edge::Edge;
use crate::measurements::Measurements;
use crate::panel::{BodyPart, Dart, DartShape, Panel};
use crate::pattern::Pattern;
use crate::seam::Seam;
use serde::{Deserialize, Serialize};

/// What can be chosen about a dress.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Dress {
    /// Girth of the finished bust more than that of the body [m].
    pub bust_ease: f64,
    /// Girth of the finished waist more than that of the body [m].
    pub waist_ease: f64,
    /// Girth of the finished hips more than that of the body [m].
    pub hip_ease: f64,
    /// Length below the knee [m]; negative above.
    pub below_knee: f64,
    /// How far each quarter flares out at the hem [m].
    pub flare: f64,
}

impl Default for Dress {
    fn default() -> Self {
        Self { bust_ease: 0.06, waist_ease: 0.06, hip_ease: 0.05, below_knee: 0.0, flare: 0.01 }
    }
}

/// The most that a side seam takes in at the waist [m].
const SIDE_MOST: f64 = 0.03;

/// The widest double dart [m].
const DART_MOST: f64 = 0.045;

/// Narrower darts are not worth sewing [m].
const DART_LEAST: f64 = 0.005;

/// The neckline is this much wider than the neck [m].
const WIDER: f64 = 0.02;

impl Dress {
    /// What can be chosen, with its range.
    pub const OPTIONS: &'static [DesignOption] = &[
        length("bust_ease", "girth of the finished bust more than that of the body", 0.0, 0.3),
        length("waist_ease", "girth of the finished waist more than that of the body", 0.0, 0.4),
        length("hip_ease", "girth of the finished hips more than that of the body", 0.0, 0.4),
        length("below_knee", "length below the knee, negative above", -0.3, 0.35),
        length("flare", "how far each quarter flares out at the hem", 0.0, 0.25),
    ];

    /// Drafts it to a body.
    pub fn draft(&self, m: &Measurements) -> Pattern {
        let back = self.half(m, false);
        let mut front = self.half(m, true);
        let side = |p: &Panel| p.edge("side-upper").map_or(0.0, Edge::length);
        let longer = side(&front) - side(&back);
        if longer > DART_LEAST
            && let Some(edge) = front.edge("side-upper")
        {
            // A hand below the armhole, at the height of the bust or lower; it stops short of the bust point.
            let bust = v(0.5 * m.bust_width, -m.bust_height);
            let level = (edge.to.y - 0.07).min(bust.y - 0.01);
            let at = ((level - edge.from.y) / (edge.to.y - edge.from.y)).clamp(0.3, 0.75);
            let mouth = edge.at(at * edge.length());
            let tip = bust + 0.025 * (mouth - bust).normalize_or_zero();
            let shape = DartShape::Open { edge: edge.name.clone(), at, width: longer, tip };
            front.darts.push(Dart { name: "bust".into(), shape });
        }
        let mut pattern = Pattern::new("Sheath dress");
        pattern.description = "Sleeveless sheath dress drafted by toile.".into();
        pattern.panels = vec![unfold(&front, true), unfold(&back, false)];
        for side in ["left", "right"] {
            for edge in ["shoulder", "side-upper", "side-hip", "side-lower"] {
                let name = format!("{edge}-{side}");
                pattern.seams.push(Seam::new(&name, part("front", &name), part("back", &name)));
            }
        }
        pattern
    }

    /// Half of the front or back. The side neck point is at y = 0, the centre at x = 0.
    fn half(&self, m: &Measurements, front: bool) -> Panel {
        let quarter = |girth: f64, ease: f64| 0.25 * (girth + ease);
        let bust = quarter(m.bust_girth, self.bust_ease);
        let waist = quarter(m.waist_girth, self.waist_ease);
        let hip = quarter(m.hip_girth, self.hip_ease);
        // The side takes its share, the dart what is left; what a dart cannot take goes to the side again.
        let taken = (bust - waist).max(0.0);
        let dart = (taken - SIDE_MOST.min(0.45 * taken)).min(DART_MOST);
        let dart = if dart < DART_LEAST { 0.0 } else { dart };
        let waist_x = waist + dart;

        let chest_y = -(NAPE_DROP + m.armscye_depth + 0.005);
        // A flat chest needs no dart, and its front is no shorter than the back.
        let back_length = m.back_length + NAPE_DROP;
        let waist_y = -if front { m.front_length.max(back_length) } else { back_length };
        let hip_y = waist_y - m.waist_to_hip;
        let hem_y = (waist_y - m.waist_to_knee - self.below_knee).min(hip_y - 0.1);
        let neck_width = 0.2 * m.neck_girth + WIDER;
        let neck_depth = if front { neck_width + 0.02 } else { NAPE_DROP + 0.015 };
        let slope = libm::tan(m.shoulder_slope.to_radians());
        let shoulder_x = (0.5 * m.shoulder_width - 0.01).max(neck_width + 0.05);
        let shoulder = v(shoulder_x, -(shoulder_x - neck_width) * slope);
        let across = 0.5 * if front { m.chest_width } else { m.back_width } - 0.002;
        let across = across.min(shoulder_x - 0.004).min(bust - 0.03);
        let underarm = v(bust, chest_y);
        let (waist_p, hip_p) = (v(waist_x, waist_y), v(hip, hip_y));
        let hem = v(hip + self.flare, hem_y);
        let neck = v(neck_width, 0.0);
        let centre = v(0.0, -neck_depth);
        let depth = shoulder.y - chest_y;
        let neckline = if front {
            [v(neck_width - 0.004, -0.6 * neck_depth), v(0.55 * neck_width, -neck_depth)]
        } else {
            [v(neck_width - 0.015, -0.85 * neck_depth), v(0.6 * neck_width, -neck_depth)]
        };
        let edges = vec![
            Edge::line("hem", v(0.0, hem_y), hem),
            Edge::line("side-lower", hem, hip_p),
            Edge::cubic(
                "side-hip",
                hip_p,
                [
                    hip_p + v(0.0, 0.4 * m.waist_to_hip),
                    waist_p + v(0.15 * (hip - waist_x), -0.3 * m.waist_to_hip),
                ],
                waist_p,
            ),
            Edge::line("side-upper", waist_p, underarm),
            Edge::cubic(
                "armhole",
                underarm,
                [
                    v(across + 0.1 * (bust - across), chest_y),
                    v(across - 0.2 * (shoulder_x - across), shoulder.y - 0.6 * depth),
                ],
                shoulder,
            ),
            Edge::line("shoulder", shoulder, neck),
            Edge::cubic("neck", neck, neckline, centre),
            Edge::line("centre", centre, v(0.0, hem_y)),
        ];
        let mut panel = Panel::new(if front { "front" } else { "back" }, edges);
        if dart > 0.0 {
            let x = if front { 0.5 * m.bust_width } else { 0.5 * waist_x };
            let top = if front { -m.bust_height - 0.025 } else { chest_y - 0.03 };
            // Even about the waist, where it is widest, as the waist asks for its whole width there.
            let reach = (top - waist_y).clamp(0.06, 0.16);
            let reach = reach.min(0.75 * m.waist_to_hip);
            let tips = [v(x, waist_y - reach), v(x, waist_y + reach)];
            panel.darts.push(Dart {
                name: "waist".into(),
                shape: DartShape::Double { tips, width: dart },
            });
        }
        panel.placement.part = Some(BodyPart::Torso);
        panel
    }
}
