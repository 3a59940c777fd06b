//! What an impact does to velocities (R1, [provot1997] §3, eq. 4).
//!
//! With `v = v_T + v_N` in the frame of the other side, `k_f` the coefficient of friction and `k_d` that of restitution:
//! if `|v_T| ≥ k_f |v_N|` then `v' = v_T − k_f |v_N| v_T/|v_T| − k_d v_N`, else `v' = −k_d v_N`.
//!
//! Beyond the paper: a pair nearer than the separation is also pushed apart, a part of what is
//! missing each step. The push moves positions but is not kept as velocity, so it adds no energy.
//! Without it, pairs that rest on each other would come nearer step by step, until every impact
//! is a matter of the last digits.

use super::Contact;
use crate::settings::Law;
use glam::DVec3;

/// The law for one velocity.
pub fn reflect(v: DVec3, normal: DVec3, friction: f64, restitution: f64) -> DVec3 {
    let v_n = normal * v.dot(normal);
    let v_t = v - v_n;
    let (slide, press) = (v_t.length(), friction * v_n.length());
    if slide >= press && slide > 0.0 {
        v_t * (1.0 - press / slide) - v_n * restitution
    } else {
        v_n * -restitution
    }
}

/// Part of a missing gap that is made up in one step.
const GAP_RECOVERY: f64 = 0.25;

/// Pushes a contact's particles apart by part of what their gap is short of. `push` are
/// displacements [m].
pub fn separate(c: &Contact, inverse_mass: &[f64], push: &mut [DVec3]) {
    if c.deficit <= 0.0 {
        return;
    }
    let pairs = || c.vertices().iter().map(|i| *i as usize).zip(c.weights);
    let yielding: f64 = pairs().map(|(i, w)| w * w * inverse_mass[i]).sum();
    let opened: f64 = pairs().map(|(i, w)| push[i].dot(c.normal) * w).sum();
    let missing = GAP_RECOVERY * c.deficit - opened;
    if missing <= 0.0 || yielding <= 0.0 {
        return;
    }
    for (i, w) in pairs() {
        push[i] += c.normal * (missing / yielding * w * inverse_mass[i]);
    }
}

/// Changes the velocities of a contact's particles. `inverse_mass` is zero where pinned.
pub fn respond(c: &Contact, law: Law, restitution: f64, inverse_mass: &[f64], v: &mut [DVec3]) {
    // Already parting: a particle meets several features at once, and the first impact may have
    // done for all. A second reflection would throw it back.
    if approach(c, v).dot(c.normal) >= 0.0 {
        return;
    }
    match law {
        Law::Provot => provot(c, restitution, inverse_mass, v),
        Law::Impulse => impulse(c, restitution, inverse_mass, v),
    }
}

/// Velocity of the first side relative to the second at the point of contact.
fn approach(c: &Contact, v: &[DVec3]) -> DVec3 {
    let each = c.vertices().iter().zip(c.weights);
    let body = c.body.map_or(DVec3::ZERO, |(_, velocity)| velocity);
    each.map(|(i, w)| v[*i as usize] * w).sum::<DVec3>() - body
}

/// Each particle by itself in the frame of the body, or of the centre of mass of all.
fn provot(c: &Contact, restitution: f64, inverse_mass: &[f64], v: &mut [DVec3]) {
    let frame = match c.body {
        Some((_, velocity)) => velocity,
        None => centre_velocity(c.vertices(), inverse_mass, v),
    };
    for i in c.vertices() {
        let i = *i as usize;
        if inverse_mass[i] > 0.0 {
            v[i] = frame + reflect(v[i] - frame, c.normal, c.friction, restitution);
        }
    }
}

/// Velocity of the centre of mass; pinned particles weigh infinitely more than free ones.
fn centre_velocity(vertices: &[u32], inverse_mass: &[f64], v: &[DVec3]) -> DVec3 {
    let pinned = || vertices.iter().filter(|i| inverse_mass[**i as usize] == 0.0);
    let n = pinned().count();
    if n > 0 {
        return pinned().map(|i| v[*i as usize]).sum::<DVec3>() / n as f64;
    }
    let mass = |i: &u32| 1.0 / inverse_mass[*i as usize];
    let total: f64 = vertices.iter().map(mass).sum();
    vertices.iter().map(|i| v[*i as usize] * mass(i)).sum::<DVec3>() / total
}

/// One impulse at the point of contact: with `u = Σ w v − v_body` and `K = Σ w²/m`, the velocities
/// change by `(w/m) j`, where `j` turns u into what the law makes of it: `K j = u' − u`.
fn impulse(c: &Contact, restitution: f64, inverse_mass: &[f64], v: &mut [DVec3]) {
    let pairs = || c.vertices().iter().map(|i| *i as usize).zip(c.weights);
    let u = approach(c, v);
    let yielding: f64 = pairs().map(|(i, w)| w * w * inverse_mass[i]).sum();
    if yielding <= 0.0 {
        return;
    }
    let j = (reflect(u, c.normal, c.friction, restitution) - u) / yielding;
    for (i, w) in pairs() {
        v[i] += j * (w * inverse_mass[i]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_formula_of_the_paper_by_hand() {
        // v = (3, −4, 0) onto a floor: |v_T| = 3, |v_N| = 4.
        let v = DVec3::new(3.0, -4.0, 0.0);
        let close = |a: DVec3, x: f64, y: f64| (a - DVec3::new(x, y, 0.0)).length() < 1e-12;
        assert!(
            close(reflect(v, DVec3::Y, 0.0, 0.0), 3.0, 0.0),
            "no friction, perfectly inelastic"
        );
        assert!(
            close(reflect(v, DVec3::Y, 0.25, 0.0), 2.0, 0.0),
            "slides, slower by k_f |v_N| = 1"
        );
        assert!(close(reflect(v, DVec3::Y, 0.25, 0.5), 2.0, 2.0), "and bounces by k_d |v_N| = 2");
        assert!(close(reflect(v, DVec3::Y, 0.75, 0.0), 0.0, 0.0), "just sticks");
        assert!(close(reflect(v, DVec3::Y, 2.0, 1.0), 0.0, 4.0), "sticks and bounces elastically");
    }

    fn pair() -> Contact {
        Contact {
            time: 0.5,
            vertices: [0, 1, 2, 3],
            count: 4,
            weights: [1.0, -0.5, -0.3, -0.2],
            normal: DVec3::Y,
            body: None,
            friction: 0.2,
            deficit: 0.0,
        }
    }

    #[test]
    fn in_the_frame_of_their_centre_of_mass_by_hand() {
        // A particle of mass 3 falls with 4 m/s on three of mass 1 at rest: the centre falls with
        // 2 m/s, and after a perfectly inelastic impact all do.
        let mut v = [DVec3::Y * -4.0, DVec3::ZERO, DVec3::ZERO, DVec3::ZERO];
        let w = [1.0 / 3.0, 1.0, 1.0, 1.0];
        respond(&pair(), Law::Provot, 0.0, &w, &mut v);
        assert!(v.iter().all(|v| (*v - DVec3::Y * -2.0).length() < 1e-12), "{v:?}");
        // With k_d = 1 their velocities in that frame are turned round: +2 − 2 and −2 − 2.
        let mut v = [DVec3::Y * -4.0, DVec3::ZERO, DVec3::ZERO, DVec3::ZERO];
        respond(&pair(), Law::Provot, 1.0, &w, &mut v);
        assert!((v[0].y - 0.0).abs() < 1e-12 && (v[1].y + 4.0).abs() < 1e-12, "{v:?}");
    }

    #[test]
    fn an_impulse_conserves_momentum_and_stops_the_approach() {
        let w = [0.5, 1.0, 2.0, 0.7];
        let mut v = [
            DVec3::new(0.3, -4.0, 0.2),
            DVec3::new(-0.1, 0.5, 0.0),
            DVec3::new(0.0, 0.1, 0.9),
            DVec3::new(0.4, -0.2, 0.0),
        ];
        let momentum = |v: &[DVec3; 4]| (0..4).map(|i| v[i] / w[i]).sum::<DVec3>();
        let before = momentum(&v);
        let c = pair();
        respond(&c, Law::Impulse, 0.0, &w, &mut v);
        assert!((momentum(&v) - before).length() < 1e-12);
        let gap: DVec3 = (0..4).map(|i| v[i] * c.weights[i]).sum();
        assert!(gap.y.abs() < 1e-12);
    }

    #[test]
    fn an_impulse_keeps_angular_momentum_when_the_weights_meet_in_one_point() {
        let c = pair();
        let w = [0.5, 1.0, 2.0, 0.7];
        let tri = [DVec3::new(0.0, 0.0, 0.0), DVec3::new(1.0, 0.0, 0.0), DVec3::new(0.0, 0.0, 1.0)];
        let foot: DVec3 = (0..3).map(|i| tri[i] * -c.weights[i + 1]).sum();
        let x = [foot, tri[0], tri[1], tri[2]];
        let mut v = [DVec3::new(1.0, -3.0, 0.5), DVec3::X, DVec3::Y, DVec3::Z];
        let spin = |v: &[DVec3; 4]| (0..4).map(|i| x[i].cross(v[i]) / w[i]).sum::<DVec3>();
        let before = spin(&v);
        respond(&c, Law::Impulse, 0.3, &w, &mut v);
        assert!((spin(&v) - before).length() < 1e-12);
    }

    #[test]
    fn a_gap_that_is_too_narrow_is_opened_by_a_quarter_of_what_is_missing() {
        let c = Contact { deficit: 1e-3, ..pair() };
        let mut push = [DVec3::ZERO; 4];
        separate(&c, &[1.0, 2.0, 0.0, 1.0], &mut push);
        let opened: f64 = (0..4).map(|i| push[i].dot(c.normal) * c.weights[i]).sum();
        assert!((opened - 0.25e-3).abs() < 1e-15);
        assert_eq!(push[2], DVec3::ZERO);
        // A second contact at the same place finds nothing left to do.
        let before = push;
        separate(&c, &[1.0, 2.0, 0.0, 1.0], &mut push);
        assert!((0..4).all(|i| (push[i] - before[i]).length() < 1e-15));
    }

    #[test]
    fn pinned_particles_keep_their_velocity_under_both_laws() {
        for law in [Law::Provot, Law::Impulse] {
            let mut v = [DVec3::Y * -4.0, DVec3::Y, DVec3::Y, DVec3::Y];
            respond(&pair(), law, 0.0, &[1.0, 0.0, 0.0, 0.0], &mut v);
            assert_eq!(v[1], DVec3::Y);
            assert!((v[0] - DVec3::Y).length() < 1e-12, "{law:?}: {v:?}");
        }
    }

    #[test]
    fn a_moving_body_gives_its_velocity_to_what_sticks_to_it() {
        let body = DVec3::new(1.0, 2.0, 0.0);
        let c = Contact { count: 1, body: Some((0, body)), friction: 100.0, ..pair() };
        for law in [Law::Provot, Law::Impulse] {
            let mut v = [DVec3::Y * -1.0];
            respond(&c, law, 0.0, &[2.0], &mut v);
            assert!((v[0] - body).length() < 1e-12, "{law:?}");
        }
    }
}
