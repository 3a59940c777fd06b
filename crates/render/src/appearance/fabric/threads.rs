//! The yarns of one direction: their colours, lobes, twist, plies and single fibres.

use super::super::fibre::Optics;
use super::super::weave::{Relief, mix};
use super::super::yarn::Lobes;
use super::super::{Appearance, Yarn};
use glam::Vec3;

/// The yarns of one direction.
#[derive(Clone, Debug)]
pub(super) struct Threads {
    pub(super) lobes: Lobes,
    /// Colours of neighbouring yarns.
    pub(super) colours: Vec<Vec3>,
    /// Tangent of the angle of the fibres to the yarn.
    pub(super) twist: f32,
    plies: f32,
    /// Length of a turn of the plies [m].
    pitch: f32,
    pub(super) irregularity: f32,
}

/// Plies and fibres of a yarn seen from near.
#[derive(Clone, Copy, Debug)]
pub(super) struct Detail {
    /// Slope across the yarn.
    pub(super) tilt: f32,
    /// Factor of the colour, one on average.
    pub(super) shade: f32,
}

impl Threads {
    pub(super) fn colour(&self, number: i64) -> Vec3 {
        self.colours[number.rem_euclid(self.colours.len() as i64) as usize]
    }

    pub(super) fn detail(&self, relief: &Relief) -> Detail {
        // Angle around the yarn, in turns; plies wind with the place along it.
        let around = relief.across.clamp(-1.0, 1.0).asin() / std::f32::consts::PI;
        let wound = around + relief.along / self.pitch * self.twist.signum();
        let (s, c) = (std::f32::consts::TAU * self.plies.max(1.0) * wound).sin_cos();
        let depth = if self.plies > 1.0 { 1.0 } else { 0.35 };
        // Single fibres: streaks along the yarn.
        let streak = |across: f32, along: f32| {
            let cell = (across.floor() as i32 as u32).wrapping_mul(0x9e37_79b9)
                ^ (along.floor() as i32 as u32).wrapping_mul(0x85eb_ca6b)
                ^ (relief.number as u32).wrapping_mul(0xc2b2_ae35);
            (mix(cell) >> 8) as f32 * (2.0 / (1 << 24) as f32) - 1.0
        };
        let fine =
            streak(relief.across * 9.0 + relief.along / self.pitch * 9.0, relief.along * 2500.0);
        let twisted = self.twist.abs().min(0.5) * 2.0;
        Detail {
            tilt: 0.25 * depth * s * twisted + 0.12 * fine,
            shade: 1.0 + 0.10 * depth * c * twisted + 0.08 * fine,
        }
    }
}

/// Numbers of the yarns of one direction.
pub(super) fn threads(yarn: &Yarn, appearance: &Appearance, thickness: f32) -> Threads {
    let Optics { ior, alpha, gloss, inner, inner_alpha, depth_mm } = yarn.fibre.optics();
    let shine = appearance.finish.gloss as f32;
    // Pressing lays fibres in order; raising takes it away.
    let order = if shine >= 0.0 { 1.0 - 0.55 * shine } else { 1.0 - 0.6 * shine };
    let lobes = Lobes {
        ior,
        gloss: gloss * (1.0 + 0.8 * shine),
        alpha: (alpha * order).clamp(0.05, 0.9),
        inner: (inner * (1.0 + 0.5 * shine)).min(0.6),
        inner_alpha: (inner_alpha * order).clamp(0.1, 0.95),
        transmission: 1.0 / (1.0 + 2.0 * thickness * 1e3 / depth_mm),
    };
    let striped = yarn
        .stripes
        .iter()
        .flat_map(|s| std::iter::repeat_n(Vec3::from(s.colour.linear()), s.yarns as usize));
    let mut colours: Vec<Vec3> = striped.collect();
    if colours.is_empty() {
        colours.push(yarn.colour.linear().into());
    }
    let twist = (yarn.twist_deg as f32).to_radians().tan();
    let girth = std::f32::consts::PI * yarn.thickness_mm as f32 * 1e-3;
    Threads {
        lobes,
        colours,
        twist,
        plies: yarn.plies as f32,
        pitch: girth / twist.abs().max(0.05),
        irregularity: yarn.irregularity as f32,
    }
}
