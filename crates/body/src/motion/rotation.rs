//! Rotations, with the same bits on every machine.

use glam::{DQuat, DVec3};
use libm::{acos, atan2, cos, sin};

/// The turn by an angle [rad] about an axis of length one.
pub(super) fn about(axis: DVec3, angle: f64) -> DQuat {
    let v = axis * sin(0.5 * angle);
    DQuat::from_xyzw(v.x, v.y, v.z, cos(0.5 * angle))
}

/// The shorter way from one rotation to another, at constant speed.
pub(super) fn slerp(a: DQuat, b: DQuat, s: f64) -> DQuat {
    let dot = a.dot(b);
    let (b, dot) = if dot < 0.0 { (-b, -dot) } else { (b, dot) };
    // Nearly equal: straight, so that equal rotations stay as they are.
    if dot > 1.0 - 1e-9 {
        return if s == 0.0 { a } else { (a + (b - a) * s).normalize() };
    }
    let angle = acos(dot);
    let shares = [sin((1.0 - s) * angle), sin(s * angle)].map(|x| x / sin(angle));
    (a * shares[0] + b * shares[1]).normalize()
}

/// The least rotation that takes one direction to another.
pub(super) fn shortest(from: DVec3, to: DVec3) -> DQuat {
    let (Some(a), Some(b)) = (from.try_normalize(), to.try_normalize()) else {
        return DQuat::IDENTITY;
    };
    if a.dot(b) < -1.0 + 1e-12 {
        return about(a.any_orthonormal_vector(), std::f64::consts::PI);
    }
    let v = a.cross(b);
    DQuat::from_xyzw(v.x, v.y, v.z, 1.0 + a.dot(b)).normalize()
}

/// The angle about the vertical by which a rotation turns what faces +z [rad].
pub(super) fn heading(q: DQuat) -> f64 {
    let front = q * DVec3::Z;
    atan2(front.x, front.z)
}

/// 3s² − 2s³ between 0 and 1, and its limits outside.
pub(super) fn smoothstep(s: f64) -> f64 {
    let s = s.clamp(0.0, 1.0);
    s * s * (3.0 - 2.0 * s)
}
