//! T-shirt: front and back on the fold, set-in sleeves, a neckband if wanted.
//!
//! Chest quarter = (bust + ease)/4. The neckline is drafted from the neck girth (width = girth/5), the shoulder
//! from its width and slope, the armholes through the widths of back and chest. The cap of the sleeve is as
//! long as the armhole times (1 + cap ease), front and back each for themselves: its height and the place of
//! its crown are solved for. A wide sleeve has a low cap, as T-shirts are cut: one that is as high as for hanging arms hangs
//! in the armpits of raised ones, and what is then too long over the shoulders falls into folds at the nape.

use super::option::{DesignOption, fraction, length, switch};
use super::{ALLOWANCE, NAPE_DROP, part, rectangle, solve, unfold, v};
use crate::edge::Edge;
use crate::measurements::Measurements;
use crate::panel::{BodyPart, Notch, Panel, Side};
use crate::pattern::Pattern;
use crate::seam::Seam;
use serde::{Deserialize, Serialize};

/// What can be chosen about a T-shirt.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Tshirt {
    /// Girth of the finished chest more than that of the body [m].
    pub ease: f64,
    /// Girth of the sleeve more than that of the upper arm [m].
    pub sleeve_ease: f64,
    /// Length below the hip line [m].
    pub below_hip: f64,
    /// Length of the sleeve from the shoulder point, as a fraction of the arm.
    pub sleeve: f64,
    /// How much the cap of the sleeve is longer than the armhole, as a fraction.
    pub cap_ease: f64,
    /// Whether the neck gets a band, a sixth shorter than the neckline.
    pub neckband: bool,
}

impl Default for Tshirt {
    fn default() -> Self {
        Self {
            ease: 0.08,
            sleeve_ease: 0.13,
            below_hip: 0.0,
            sleeve: 0.36,
            cap_ease: 0.01,
            neckband: false,
        }
    }
}

/// Length of the neckline over that of its band.
const BAND_STRETCH: f64 = 1.18;

/// Height of the neckband [m].
const BAND_HEIGHT: f64 = 0.02;

impl Tshirt {
    /// What can be chosen, with its range.
    pub const OPTIONS: &'static [DesignOption] = &[
        length("ease", "girth of the finished chest more than that of the body", -0.1, 0.6),
        length("sleeve_ease", "girth of the sleeve more than that of the upper arm", 0.02, 0.3),
        length("below_hip", "length below the hip line, negative above", -0.2, 0.4),
        fraction(
            "sleeve",
            "length of the sleeve from the shoulder point, of that of the arm",
            0.2,
            0.95,
        ),
        fraction(
            "cap_ease",
            "how much the cap of the sleeve is longer than the armhole",
            0.0,
            0.08,
        ),
        switch("neckband", "whether the neck gets a band, a sixth shorter than the neckline"),
    ];

    /// Drafts it to a body.
    pub fn draft(&self, m: &Measurements) -> Pattern {
        let front = unfold(&self.half(m, true), true);
        let back = unfold(&self.half(m, false), false);
        let armhole = |p: &Panel| p.edge("armhole-left").map_or(0.0, Edge::length);
        let left = self.sleeve(m, armhole(&front), armhole(&back));
        let mut right = super::mirrored(&left, "sleeve-right");
        right.placement.part = Some(BodyPart::RightArm);
        let mut pattern = Pattern::new("T-shirt");
        pattern.description = "T-shirt drafted by toile.".into();
        pattern.panels = vec![front, back, left, right];
        for side in ["left", "right"] {
            let sleeve = format!("sleeve-{side}");
            let of = |panel: &str, edge: &str| part(panel, &format!("{edge}-{side}"));
            let eased = 1.0 + self.cap_ease;
            pattern.seams.extend([
                Seam::new(
                    format!("shoulder-{side}"),
                    of("front", "shoulder"),
                    of("back", "shoulder"),
                ),
                Seam::new(format!("side-{side}"), of("front", "side"), of("back", "side")),
                Seam::new(
                    format!("underarm-{side}"),
                    part(&sleeve, "underarm-front"),
                    part(&sleeve, "underarm-back"),
                ),
                Seam::new(
                    format!("armhole-front-{side}"),
                    part(&sleeve, "cap-front"),
                    of("front", "armhole"),
                )
                .with_gather(eased)
                .with_order(1),
                Seam::new(
                    format!("armhole-back-{side}"),
                    part(&sleeve, "cap-back"),
                    of("back", "armhole"),
                )
                .with_gather(eased)
                .with_order(1),
            ]);
        }
        if self.neckband {
            add_neckband(&mut pattern);
        }
        pattern
    }

    /// Half of the front or back. The side neck point is at y = 0, the centre at x = 0.
    fn half(&self, m: &Measurements, front: bool) -> Panel {
        let quarter = 0.25 * (m.bust_girth + self.ease);
        // The hem must pass the hips, which may be wider than the chest.
        let hem = quarter.max(0.25 * (m.hip_girth + 0.5 * self.ease));
        let neck_width = 0.2 * m.neck_girth + 0.008;
        let neck_depth = if front { neck_width + 0.015 } else { NAPE_DROP + 0.005 };
        let shoulder_x = 0.5 * m.shoulder_width + 0.01;
        let drop = (shoulder_x - neck_width) * libm::tan(m.shoulder_slope.to_radians());
        let chest = -(NAPE_DROP + m.armscye_depth + 0.01);
        let hem_y = -(NAPE_DROP + m.back_length + m.waist_to_hip + self.below_hip);
        let across = 0.5 * if front { m.chest_width } else { m.back_width } + 0.006;
        let across = across.min(shoulder_x - 0.002).min(quarter - 0.02);

        let neck = v(neck_width, 0.0);
        let shoulder = v(shoulder_x, -drop);
        let underarm = v(quarter, chest);
        let depth = shoulder.y - chest;
        // Down from the shoulder, in to the width of the back, out to the underarm.
        let armhole = [
            v(across + 0.12 * (quarter - across), chest),
            v(across - 0.25 * (shoulder_x - across), shoulder.y - 0.55 * depth),
        ];
        let centre = v(0.0, -neck_depth);
        let neckline = if front {
            [v(neck_width - 0.004, -0.6 * neck_depth), v(0.55 * neck_width, -neck_depth)]
        } else {
            [v(neck_width - 0.01, -0.8 * neck_depth), v(0.6 * neck_width, -neck_depth)]
        };
        let edges = vec![
            Edge::line("hem", v(0.0, hem_y), v(hem, hem_y)),
            Edge::line("side", v(hem, hem_y), underarm),
            Edge::cubic("armhole", underarm, armhole, shoulder),
            Edge::line("shoulder", shoulder, neck),
            Edge::cubic("neck", neck, neckline, centre),
            Edge::line("centre", centre, v(0.0, hem_y)),
        ];
        let mut panel = Panel::new(if front { "front" } else { "back" }, edges);
        panel.placement.part = Some(BodyPart::Torso);
        panel.notches.push(Notch { edge: "armhole".into(), at: 0.5, label: String::new() });
        panel
    }

    /// The left sleeve, from outside: its front is on the left.
    fn sleeve(&self, m: &Measurements, front: f64, back: f64) -> Panel {
        let half = 0.5 * (m.upper_arm_girth + self.sleeve_ease);
        let (front, back) = (front * (1.0 + self.cap_ease), back * (1.0 + self.cap_ease));
        // Wide sleeves in small armholes would need a cap below zero: they get a flat one.
        let half = half.min(0.48 * (front + back));
        // Half a cap from the underarm to the crown.
        let cap = |name: &str, side: f64, crown: f64, height: f64| {
            let (foot, top) = (v(side * half, 0.0), v(crown, height));
            let reach = (foot.x - crown).abs();
            let controls = [
                v(foot.x - side * 0.42 * reach, 0.02 * height),
                v(crown + side * 0.52 * reach, height),
            ];
            Edge::cubic(name, foot, controls, top)
        };
        // For any height there is a place of the crown that shares the length as the armhole does.
        let crown = |height: f64| {
            solve(-0.6 * half, 0.6 * half, 0.0, |x| {
                let (f, b) = (cap("", -1.0, x, height), cap("", 1.0, x, height));
                f.length() * back - b.length() * front
            })
        };
        let height = solve(0.0, front + back, front + back, |h| {
            let x = crown(h);
            cap("", -1.0, x, h).length() + cap("", 1.0, x, h).length()
        });
        let x = crown(height);
        let below = (self.sleeve * m.arm_length + 0.01 - height).max(0.04);
        let wrist = half - 0.12 * below;
        let edges = vec![
            Edge::line("hem", v(-wrist, -below), v(wrist, -below)),
            Edge::line("underarm-back", v(wrist, -below), v(half, 0.0)),
            cap("cap-back", 1.0, x, height),
            cap("cap-front", -1.0, x, height).reversed(),
            Edge::line("underarm-front", v(-half, 0.0), v(-wrist, -below)),
        ];
        let mut panel = Panel::new("sleeve-left", edges)
            .with_allowance(ALLOWANCE)
            .with_placement(BodyPart::LeftArm, Side::Around);
        for edge in ["cap-back", "cap-front"] {
            panel.notches.push(Notch { edge: edge.into(), at: 0.5, label: String::new() });
        }
        panel
    }
}

/// A strip around the neck, stretched when it is sewn.
fn add_neckband(pattern: &mut Pattern) {
    let chain = ["front.neck-left", "front.neck-right", "back.neck-right", "back.neck-left"];
    let chain = chain.map(|t| t.split_once('.').map_or(part("", ""), |(p, e)| part(p, e)));
    let mut seam = Seam::of_chains("neck", vec![part("neckband", "bottom")], chain.to_vec());
    let length = pattern.seam_lengths(&seam)[1] / BAND_STRETCH;
    (seam.gather, seam.order) = (BAND_STRETCH, 2);
    let band = Panel::new("neckband", rectangle(length, BAND_HEIGHT));
    pattern
        .panels
        .push(band.with_allowance(ALLOWANCE).with_placement(BodyPart::Neck, Side::Around));
    pattern.seams.push(
        Seam::new("neckband", part("neckband", "end"), part("neckband", "start")).with_order(1),
    );
    pattern.seams.push(seam);
}
