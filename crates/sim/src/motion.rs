//! Rigid motion of bodies and pinned vertices (M13).
//!
//! A pose maps positions at time zero to positions at time t: `x(t) = R x(0) + T`.

use glam::{DMat3, DQuat, DVec3};
use serde::{Deserialize, Serialize};

/// A rigid displacement.
///
/// ```
/// use glam::DVec3;
/// use toile_sim::Pose;
///
/// let quarter = Pose::turn_and_shift(DVec3::Y, std::f64::consts::FRAC_PI_2, DVec3::ZERO, DVec3::Y);
/// assert!(quarter.apply(DVec3::X).distance(DVec3::new(0.0, 1.0, -1.0)) < 1e-12);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    /// Rotation.
    pub rotation: DMat3,
    /// Translation after the rotation [m].
    pub translation: DVec3,
}

impl Pose {
    /// No displacement.
    pub const IDENTITY: Self = Self { rotation: DMat3::IDENTITY, translation: DVec3::ZERO };

    /// Where a point goes.
    #[inline]
    pub fn apply(&self, x: DVec3) -> DVec3 {
        self.rotation * x + self.translation
    }

    /// The displacement that leads from this pose to another.
    pub fn to(&self, next: &Self) -> Self {
        let rotation = next.rotation * self.rotation.transpose();
        Self { rotation, translation: next.translation - rotation * self.translation }
    }

    /// Turn by `angle` [rad] about an axis through `centre`, then move by `shift`.
    pub fn turn_and_shift(axis: DVec3, angle: f64, centre: DVec3, shift: DVec3) -> Self {
        let rotation = rotation_matrix(axis, angle);
        Self { rotation, translation: centre - rotation * centre + shift }
    }
}

/// Rotation by `angle` about `axis`, by Rodrigues' formula.
///
/// With `libm` rather than the platform's sine, so that every platform turns by the same bits.
pub fn rotation_matrix(axis: DVec3, angle: f64) -> DMat3 {
    let axis = axis.normalize_or_zero();
    if axis == DVec3::ZERO {
        return DMat3::IDENTITY;
    }
    let (sin, cos) = libm::sincos(angle);
    let k = DMat3::from_cols(
        DVec3::new(0.0, axis.z, -axis.y),
        DVec3::new(-axis.z, 0.0, axis.x),
        DVec3::new(axis.y, -axis.x, 0.0),
    );
    DMat3::IDENTITY + k * sin + (k * k) * (1.0 - cos)
}

/// One key of an animation.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Key {
    /// When [s].
    pub time: f64,
    /// Translation from the place at the start [m].
    #[serde(default)]
    pub translate: DVec3,
    /// Axis of the rotation.
    #[serde(default = "up")]
    pub axis: DVec3,
    /// Angle of the rotation [degrees].
    #[serde(default)]
    pub degrees: f64,
}

fn up() -> DVec3 {
    DVec3::Y
}

/// How a body or a set of pinned vertices moves.
///
/// ```
/// use glam::DVec3;
/// use toile_sim::Motion;
///
/// let rise = Motion::Steady {
///     velocity: DVec3::Y * 0.5,
///     axis: DVec3::Y,
///     turns_per_second: 0.0,
///     centre: DVec3::ZERO,
/// };
/// assert_eq!(rise.pose(2.0).apply(DVec3::X), DVec3::new(1.0, 1.0, 0.0));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Motion {
    /// Not at all.
    #[default]
    Still,
    /// With constant velocity and spin.
    Steady {
        /// Velocity [m/s].
        #[serde(default)]
        velocity: DVec3,
        /// Axis of the spin.
        #[serde(default = "up")]
        axis: DVec3,
        /// Turns about the axis per second.
        #[serde(default)]
        turns_per_second: f64,
        /// A point on the axis at time zero [m].
        #[serde(default)]
        centre: DVec3,
    },
    /// From key to key: straight in between, at rest before the first and after the last.
    Keys {
        /// A point of the body that the rotations turn about [m].
        #[serde(default)]
        centre: DVec3,
        /// The keys, in order of time.
        keys: Vec<Key>,
    },
}

impl Motion {
    /// Where things are at time `t` [s].
    pub fn pose(&self, t: f64) -> Pose {
        match self {
            Self::Still => Pose::IDENTITY,
            Self::Steady { velocity, axis, turns_per_second, centre } => {
                let angle = std::f64::consts::TAU * turns_per_second * t;
                Pose::turn_and_shift(*axis, angle, *centre, *velocity * t)
            }
            Self::Keys { centre, keys } => between(keys, t, *centre),
        }
    }

    /// What is wrong with it, if anything.
    pub fn validate(&self) -> Result<(), String> {
        match self {
            Self::Still => Ok(()),
            Self::Steady { velocity, axis, turns_per_second, centre } => {
                let finite = velocity.is_finite() && axis.is_finite() && centre.is_finite();
                if !finite || !turns_per_second.is_finite() {
                    return Err("has a value that is not a finite number".into());
                }
                if *turns_per_second != 0.0 && axis.length() < 1e-12 {
                    return Err(
                        "spins about an axis of zero length; give `axis` a direction".into()
                    );
                }
                Ok(())
            }
            Self::Keys { keys, .. } => validate_keys(keys),
        }
    }

    /// Whether it ever turns.
    pub fn turns(&self) -> bool {
        match self {
            Self::Still => false,
            Self::Steady { turns_per_second, .. } => *turns_per_second != 0.0,
            Self::Keys { keys, .. } => keys.iter().any(|k| k.degrees != 0.0),
        }
    }
}

fn validate_keys(keys: &[Key]) -> Result<(), String> {
    if keys.is_empty() {
        return Err("has no keys; give at least one".into());
    }
    if let Some(i) = keys.iter().position(|k| {
        !(k.time.is_finite()
            && k.translate.is_finite()
            && k.axis.is_finite()
            && k.degrees.is_finite())
    }) {
        return Err(format!("has a value in key {i} that is not a finite number"));
    }
    if let Some(i) = keys.windows(2).position(|w| w[1].time <= w[0].time) {
        return Err(format!("has keys out of order: key {} is not later than key {i}", i + 1));
    }
    if let Some(i) = keys.iter().position(|k| k.degrees != 0.0 && k.axis.length() < 1e-12) {
        return Err(format!("turns about an axis of zero length in key {i}"));
    }
    Ok(())
}

fn between(keys: &[Key], t: f64, centre: DVec3) -> Pose {
    let pose = |rotation: DMat3, shift: DVec3| Pose {
        rotation,
        translation: centre - rotation * centre + shift,
    };
    let turn = |k: &Key| rotation_matrix(k.axis, k.degrees.to_radians());
    let next = keys.partition_point(|k| k.time <= t);
    let (Some(first), Some(last)) = (keys.first(), keys.last()) else { return Pose::IDENTITY };
    if next == 0 {
        return pose(turn(first), first.translate);
    }
    if next == keys.len() {
        return pose(turn(last), last.translate);
    }
    let (a, b) = (&keys[next - 1], &keys[next]);
    let s = (t - a.time) / (b.time - a.time);
    let shift = a.translate.lerp(b.translate, s);
    // Turns about one axis are interpolated by angle, so that a whole turn is one.
    let rotation = if a.axis == b.axis || a.degrees == 0.0 || b.degrees == 0.0 {
        let axis = if a.degrees == 0.0 { b.axis } else { a.axis };
        rotation_matrix(axis, (a.degrees + s * (b.degrees - a.degrees)).to_radians())
    } else {
        slerp(&turn(a), &turn(b), s)
    };
    pose(rotation, shift)
}

/// Part `s` of the way from one rotation to another, about the one axis that joins them.
fn slerp(a: &DMat3, b: &DMat3, s: f64) -> DMat3 {
    let q = DQuat::from_mat3(&(*b * a.transpose())).normalize();
    let q = if q.w < 0.0 { -q } else { q };
    let v = DVec3::new(q.x, q.y, q.z);
    rotation_matrix(v, 2.0 * libm::atan2(v.length(), q.w) * s) * *a
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: DVec3, b: DVec3) -> bool {
        a.distance(b) < 1e-12
    }

    #[test]
    fn a_steady_spin_turns_about_its_centre() {
        let m = Motion::Steady {
            velocity: DVec3::X,
            axis: DVec3::Z,
            turns_per_second: 0.25,
            centre: DVec3::X,
        };
        assert!(close(m.pose(1.0).apply(DVec3::X * 2.0), DVec3::new(2.0, 1.0, 0.0)));
        assert!(close(m.pose(4.0).apply(DVec3::ZERO), DVec3::X * 4.0));
    }

    #[test]
    fn keys_are_met_and_held() {
        let key =
            |time, x: f64, degrees| Key { time, translate: DVec3::X * x, axis: DVec3::Y, degrees };
        let m = Motion::Keys {
            centre: DVec3::ZERO,
            keys: vec![key(1.0, 0.0, 0.0), key(3.0, 2.0, 360.0)],
        };
        assert!(close(m.pose(0.0).apply(DVec3::Z), DVec3::Z));
        assert!(close(m.pose(2.0).apply(DVec3::Z), DVec3::new(1.0, 0.0, -1.0)));
        assert!(close(m.pose(9.0).apply(DVec3::Z), DVec3::new(2.0, 0.0, 1.0)));
    }

    #[test]
    fn turns_about_different_axes_blend_into_one() {
        let key = |time, axis, degrees| Key { time, translate: DVec3::ZERO, axis, degrees };
        let m = Motion::Keys {
            centre: DVec3::ZERO,
            keys: vec![key(0.0, DVec3::X, 90.0), key(1.0, DVec3::Y, 90.0)],
        };
        let r = m.pose(0.5).rotation;
        assert!(
            (r * r.transpose() - DMat3::IDENTITY).to_cols_array().iter().all(|e| e.abs() < 1e-12)
        );
        assert!(close(m.pose(1.0).apply(DVec3::Z), DVec3::X));
    }

    #[test]
    fn a_pose_leads_to_the_next() {
        let a = Pose::turn_and_shift(DVec3::X, 0.3, DVec3::Y, DVec3::Z);
        let b = Pose::turn_and_shift(DVec3::new(1.0, 2.0, 0.5), 1.3, DVec3::X, DVec3::Y);
        let p = DVec3::new(0.1, 0.2, 0.3);
        assert!(close(a.to(&b).apply(a.apply(p)), b.apply(p)));
    }

    #[test]
    fn keys_out_of_order_are_refused() {
        let key = |time| Key { time, translate: DVec3::ZERO, axis: DVec3::Y, degrees: 0.0 };
        let bad = Motion::Keys { centre: DVec3::ZERO, keys: vec![key(1.0), key(1.0)] };
        assert!(bad.validate().unwrap_err().contains("key 1 is not later than key 0"));
        assert!(Motion::Keys { centre: DVec3::ZERO, keys: vec![] }.validate().is_err());
    }
}
