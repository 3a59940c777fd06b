//! Zones of impact (R2, [provot1997] §4).
//!
//! Particles that take part in the same collision, or in collisions with a particle in common, form
//! a zone; zones that share a particle are one. Each moves as a rigid body for the rest of the step,
//! so nothing inside it can collide.
//!
//! Errata: the printed angular velocity, the mean of `GM × (V_M − V_G)/|GM|²`, does not conserve
//! angular momentum, and `V_G + Ω × GM` along a straight line is not rigid over a finite step. Here
//! `Ω = I⁻¹ L` with the zone's momentum and inertia tensor, and the rotation is exact, so distances
//! inside the zone are kept. Between the ends of the step the particles move on straight lines, by
//! `(1−t) 1 + t R`: a regular map while the turn is below π, so nothing inside collides on the way
//! either. The printed variant is there for comparison.
//!
//! A zone that touches a body or a pinned particle cannot move as it likes: it goes where that goes.

use crate::motion::Pose;
use crate::settings::Zones;
use glam::{DMat3, DVec3};

/// Largest turn of a zone in one step [rad].
const MAX_TURN: f64 = 1.0;

/// Something immovable that a zone can be attached to: number 0 is all that is at rest.
pub(crate) type Anchor = u32;

/// Which particles belong together.
#[derive(Clone, Debug, Default)]
pub(crate) struct ZoneSet {
    parent: Vec<u32>,
    /// Of a root: number of members; 0 means the particle is in no zone.
    members: Vec<u32>,
    /// Of a root: what the zone hangs on.
    anchor: Vec<Option<Anchor>>,
    touched: Vec<u32>,
}

/// A zone cannot follow two things that move differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ConflictingAnchors;

impl ZoneSet {
    /// No zones among `n` particles.
    pub(crate) fn reset(&mut self, n: usize) {
        self.parent.clear();
        self.parent.extend(0..n as u32);
        self.members.clear();
        self.members.resize(n, 0);
        self.anchor.clear();
        self.anchor.resize(n, None);
        self.touched.clear();
    }

    pub(crate) fn root(&self, mut i: u32) -> u32 {
        while self.parent[i as usize] != i {
            i = self.parent[i as usize];
        }
        i
    }

    /// The zone of a particle, if it is in one.
    pub(crate) fn zone(&self, i: u32) -> Option<u32> {
        let root = self.root(i);
        (self.members[root as usize] > 0).then_some(root)
    }

    /// What the zone of a particle hangs on.
    pub(crate) fn anchor(&self, i: u32) -> Option<Anchor> {
        self.anchor[self.root(i) as usize]
    }

    /// Joins the particles of a collision.
    pub(crate) fn join(&mut self, particles: &[u32]) -> Result<(), ConflictingAnchors> {
        for p in particles {
            if self.zone(*p).is_none() {
                self.members[*p as usize] = 1;
                self.touched.push(*p);
            }
        }
        for pair in particles.windows(2) {
            let (a, b) = (self.root(pair[0]), self.root(pair[1]));
            if a != b {
                self.merge(a, b)?;
            }
        }
        Ok(())
    }

    /// Hangs the zone of a particle on something.
    pub(crate) fn attach(
        &mut self,
        particle: u32,
        anchor: Anchor,
    ) -> Result<(), ConflictingAnchors> {
        let root = self.root(particle) as usize;
        match self.anchor[root] {
            Some(other) if other != anchor => Err(ConflictingAnchors),
            _ => {
                self.anchor[root] = Some(anchor);
                Ok(())
            }
        }
    }

    fn merge(&mut self, a: u32, b: u32) -> Result<(), ConflictingAnchors> {
        // The larger zone takes up the smaller; equal ones by number, so that order is fixed.
        let (ma, mb) = (self.members[a as usize], self.members[b as usize]);
        let (keep, lose) = if (ma, b) > (mb, a) { (a, b) } else { (b, a) };
        self.parent[lose as usize] = keep;
        self.members[keep as usize] = ma + mb;
        match (self.anchor[keep as usize], self.anchor[lose as usize]) {
            (Some(x), Some(y)) if x != y => Err(ConflictingAnchors),
            (x, y) => {
                self.anchor[keep as usize] = x.or(y);
                Ok(())
            }
        }
    }

    /// All zones with their members, ordered by their smallest member.
    pub(crate) fn zones(&self) -> Vec<(Option<Anchor>, Vec<u32>)> {
        let mut members: Vec<(u32, u32)> =
            self.touched.iter().map(|p| (self.root(*p), *p)).collect();
        members.sort_unstable();
        let mut zones: Vec<(Option<Anchor>, Vec<u32>)> = members
            .chunk_by(|a, b| a.0 == b.0)
            .map(|zone| (self.anchor[zone[0].0 as usize], zone.iter().map(|m| m.1).collect()))
            .collect();
        zones.sort_by_key(|(_, members)| members[0]);
        zones
    }
}

/// Where the particles of a zone that hangs on nothing end up after a step `h`.
pub fn rigid_end(
    members: &[u32],
    x: &[DVec3],
    v: &[DVec3],
    mass: &[f64],
    h: f64,
    variant: Zones,
) -> Vec<DVec3> {
    match variant {
        Zones::Printed => printed_end(members, x, v, h),
        _ => {
            let pose = rigid_pose(members, x, v, mass, h);
            members.iter().map(|i| pose.apply(x[*i as usize])).collect()
        }
    }
}

/// The rigid displacement with the zone's linear and angular momentum.
pub(crate) fn rigid_pose(members: &[u32], x: &[DVec3], v: &[DVec3], mass: &[f64], h: f64) -> Pose {
    let each = || members.iter().map(|i| (mass[*i as usize], x[*i as usize], v[*i as usize]));
    let total: f64 = each().map(|(m, _, _)| m).sum();
    let centre = each().map(|(m, x, _)| x * m).sum::<DVec3>() / total;
    let velocity = each().map(|(m, _, v)| v * m).sum::<DVec3>() / total;
    let momentum: DVec3 = each().map(|(m, x, v)| (x - centre).cross(v - velocity) * m).sum();
    let inertia = each().fold(DMat3::ZERO, |i, (m, x, _)| i + inertia_of(x - centre) * m);
    let spin = solve_inertia(inertia, momentum);
    let turn = (spin.length() * h).min(MAX_TURN);
    Pose::turn_and_shift(spin, turn, centre, velocity * h)
}

/// Inertia tensor of a unit mass at `r`.
fn inertia_of(r: DVec3) -> DMat3 {
    let outer = DMat3::from_cols(r * r.x, r * r.y, r * r.z);
    DMat3::from_diagonal(DVec3::splat(r.length_squared())) - outer
}

/// `I⁻¹ L`. Particles on a line have no inertia about it and no momentum either; the small
/// diagonal keeps the matrix regular there.
fn solve_inertia(inertia: DMat3, momentum: DVec3) -> DVec3 {
    let trace = inertia.x_axis.x + inertia.y_axis.y + inertia.z_axis.z;
    if trace <= 0.0 {
        return DVec3::ZERO;
    }
    let regular = inertia + DMat3::from_diagonal(DVec3::splat(1e-9 * trace));
    let spin = regular.inverse() * momentum;
    if spin.is_finite() { spin } else { DVec3::ZERO }
}

/// The formulas as printed: equal masses, mean angular velocity, straight motion.
fn printed_end(members: &[u32], x: &[DVec3], v: &[DVec3], h: f64) -> Vec<DVec3> {
    let n = members.len() as f64;
    let mean =
        |f: &dyn Fn(usize) -> DVec3| members.iter().map(|i| f(*i as usize)).sum::<DVec3>() / n;
    let centre = mean(&|i| x[i]);
    let velocity = mean(&|i| v[i]);
    let spin = mean(&|i| {
        let arm = x[i] - centre;
        let len2 = arm.length_squared();
        if len2 > 0.0 { arm.cross(v[i] - velocity) / len2 } else { DVec3::ZERO }
    });
    let end = |i: &u32| {
        let x = x[*i as usize];
        x + (velocity + spin.cross(x - centre)) * h
    };
    members.iter().map(end).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zones_with_a_common_particle_merge() {
        let mut z = ZoneSet::default();
        z.reset(10);
        z.join(&[0, 1, 2, 3]).unwrap();
        z.join(&[5, 6, 7, 8]).unwrap();
        assert_eq!(z.zones().len(), 2);
        assert_eq!(z.zone(4), None);
        z.join(&[3, 5]).unwrap();
        let zones = z.zones();
        assert_eq!(zones, vec![(None, vec![0, 1, 2, 3, 5, 6, 7, 8])]);
        assert_eq!(z.zone(0), z.zone(8));
    }

    #[test]
    fn a_zone_follows_one_anchor_and_is_torn_by_two() {
        let mut z = ZoneSet::default();
        z.reset(6);
        z.join(&[0, 1]).unwrap();
        z.attach(1, 0).unwrap();
        z.join(&[2, 3]).unwrap();
        assert_eq!(z.anchor(0), Some(0));
        z.join(&[1, 2]).unwrap();
        assert_eq!(z.anchor(3), Some(0));
        z.join(&[4, 5]).unwrap();
        z.attach(5, 1).unwrap();
        assert_eq!(z.join(&[4, 0]), Err(ConflictingAnchors));
    }

    const X: [DVec3; 5] = [
        DVec3::new(0.0, 0.0, 0.0),
        DVec3::new(1.0, 0.2, 0.0),
        DVec3::new(0.3, 1.0, -0.4),
        DVec3::new(-0.2, 0.4, 0.9),
        DVec3::new(0.5, 0.5, 0.5),
    ];
    const V: [DVec3; 5] = [
        DVec3::new(1.0, 0.0, 0.3),
        DVec3::new(0.0, -1.0, 0.0),
        DVec3::new(-0.4, 0.2, 1.0),
        DVec3::new(0.0, 0.9, -0.3),
        DVec3::new(0.1, 0.0, 0.0),
    ];
    const M: [f64; 5] = [1.0, 0.5, 2.0, 0.7, 1.3];
    const ALL: [u32; 5] = [0, 1, 2, 3, 4];

    fn momenta(x: &[DVec3], v: &[DVec3]) -> (DVec3, DVec3) {
        let p = (0..5).map(|i| v[i] * M[i]).sum();
        let l = (0..5).map(|i| x[i].cross(v[i]) * M[i]).sum();
        (p, l)
    }

    #[test]
    fn distances_inside_a_zone_stay_exactly() {
        let end = rigid_end(&ALL, &X, &V, &M, 0.1, Zones::Rigid);
        for i in 0..5 {
            for j in 0..i {
                assert!((end[i].distance(end[j]) - X[i].distance(X[j])).abs() < 1e-14);
            }
        }
        let printed = rigid_end(&ALL, &X, &V, &M, 0.1, Zones::Printed);
        let off =
            |i: usize, j: usize| (printed[i].distance(printed[j]) - X[i].distance(X[j])).abs();
        let worst = (0..5).flat_map(|i| (0..i).map(move |j| (i, j))).map(|(i, j)| off(i, j));
        assert!(worst.fold(0.0, f64::max) > 1e-6, "the printed motion is not rigid");
    }

    #[test]
    fn a_zone_keeps_its_linear_and_angular_momentum() {
        let h = 1e-6;
        let end = rigid_end(&ALL, &X, &V, &M, h, Zones::Rigid);
        let after: Vec<DVec3> = (0..5).map(|i| (end[i] - X[i]) / h).collect();
        let (p0, l0) = momenta(&X, &V);
        let (p1, l1) = momenta(&X, &after);
        assert!((p1 - p0).length() < 1e-8, "{p0} {p1}");
        assert!((l1 - l0).length() < 1e-5, "{l0} {l1}");
        let printed = rigid_end(&ALL, &X, &V, &M, h, Zones::Printed);
        let after: Vec<DVec3> = (0..5).map(|i| (printed[i] - X[i]) / h).collect();
        assert!((momenta(&X, &after).1 - l0).length() > 1e-2, "the printed spin does not");
    }

    #[test]
    fn a_rigid_motion_is_left_as_it_is() {
        let spin = DVec3::new(0.2, -0.5, 0.7);
        let v: Vec<DVec3> = X.iter().map(|x| DVec3::X + spin.cross(*x)).collect();
        let h = 1e-3;
        let end = rigid_end(&ALL, &X, &v, &M, h, Zones::Rigid);
        for i in 0..5 {
            assert!((end[i] - (X[i] + v[i] * h)).length() < 1e-6);
        }
    }

    #[test]
    fn two_particles_or_a_line_of_them_do_not_break_the_inertia() {
        let line = [DVec3::ZERO, DVec3::X, DVec3::X * 2.0];
        let v = [DVec3::Y, DVec3::ZERO, -DVec3::Y];
        let end = rigid_end(&[0, 1, 2], &line, &v, &[1.0; 3], 0.01, Zones::Rigid);
        assert!(end.iter().all(|e| e.is_finite()));
        assert!((end[0].distance(end[2]) - 2.0).abs() < 1e-12);
        assert!(end[0].y > 0.0 && end[2].y < 0.0);
        let one_spot = [DVec3::ONE; 2];
        let end = rigid_end(&[0, 1], &one_spot, &v, &[1.0; 2], 0.01, Zones::Rigid);
        assert!(end.iter().all(|e| e.is_finite()));
    }
}
