//! What contact does to an implicit step, and what the step does about it.
//!
//! Corrections of positions and velocities after an implicit solve are not compatible with its forces: a vertex that is stopped
//! stretches threads whose force the solve has just balanced, and the elastic energy, k (h Δv)²/2, is paid by nothing. At steps with
//! k h² ≫ m that is far more than the energy Δv took away. So the step is solved again with what contact decided as a constraint: a
//! vertex keeps the corrected velocity in the direction of the correction, and the rest of the cloth moves with it. Then contact has the last
//! word, on what little is left. [eg2004garments] names the problem.

use super::constrain::Touch;
use super::{Engine, Stepper, ZoneAnchors};
use crate::clock::Clock;
use crate::error::{Error, StepPhase};
use crate::report::StepReport;
use crate::settings::Method;
use crate::world::World;
use glam::DVec3;

impl Stepper {
    /// Responds to the collisions of a step, with as much feedback as the settings ask for; whether there were any. What bodies
    /// constrained already stays so.
    pub(super) fn respond(
        &mut self,
        world: &World,
        engine: &mut Engine,
        t: f64,
        h: f64,
        x: &mut [DVec3],
        v: &mut [DVec3],
        anchors: &ZoneAnchors,
        bodies: &[Touch],
        report: &mut StepReport,
    ) -> Result<bool, Error> {
        let feedback = match world.settings.method {
            Method::Implicit => world.settings.collision.feedback,
            _ => 0,
        };
        let mut touched = false;
        let mut given: Vec<Option<Touch>> = Vec::new();
        if feedback > 0 {
            given.resize(x.len(), None);
            bodies.iter().for_each(|touch| given[touch.vertex as usize] = Some(*touch));
        }
        for round in 0..=feedback {
            let free = if round < feedback { x.to_vec() } else { Vec::new() };
            let changed = self.collide(world, t, h, x, v, anchors, report)?;
            if !changed.iter().any(Option::is_some) {
                break;
            }
            touched = true;
            if round == feedback {
                break;
            }
            let clock = Clock::start();
            for (i, mean) in changed.into_iter().enumerate() {
                if let (Some(mean), Some(direction)) = (mean, (x[i] - free[i]).try_normalize()) {
                    given[i] = Some(Touch::stopped(i as u32, direction, mean, given[i]));
                }
            }
            let touches: Vec<Touch> = given.iter().flatten().copied().collect();
            x.copy_from_slice(&world.state.x);
            v.copy_from_slice(&world.state.v);
            self.drive_pins(world, t, h, v);
            self.integrate_with(world, engine, t, h, x, v, &touches, report)?;
            world.check_finite(x, v, StepPhase::Integrate)?;
            report.seconds.integrate += clock.seconds();
        }
        Ok(touched)
    }
}

#[cfg(test)]
mod tests {
    use crate::body::Shape;
    use crate::model::Cloth;
    use crate::{Body, Fabric, Preset, Surroundings, World};
    use glam::{DMat3, DVec3};
    use toile_mesh::shape::{Diagonals, grid};

    /// Energy that a cloth on a table gains in its first 0.4 s, and its largest strain.
    fn fall(feedback: u32) -> (f64, f64) {
        let mut settings = Preset::Geneva04.settings();
        settings.collision.feedback = feedback;
        let mesh = grid(1.0, 1.0, 16, 16, Diagonals::Alternating)
            .map_positions(|p| p + DVec3::Y * (0.55 + 1e-3 * (7.0 * p.x - 3.0 * p.z).sin()));
        let cloth = Cloth {
            name: "sheet".into(),
            mesh,
            grid: Some([16, 16]),
            fabric: Fabric::default(),
            pieces: Vec::new(),
        };
        let half = DVec3::new(0.25, 0.05, 0.25);
        let table = Shape::Cuboid { centre: DVec3::Y * 0.45, half, rotation: DMat3::IDENTITY };
        let bodies = vec![Body::new("table", table)];
        let surroundings = Surroundings { bodies, ..Surroundings::default() };
        let mut world = World::new(vec![cloth], surroundings, settings).unwrap();
        let (mut least, mut gained, mut strain) = (f64::INFINITY, 0.0_f64, 0.0_f64);
        for _ in 0..80 {
            world.step().unwrap();
            let energy = world.energy().total();
            least = least.min(energy);
            gained = gained.max(energy - least);
            strain = strain.max(world.max_strain());
        }
        (gained, strain)
    }

    #[test]
    fn contact_brings_a_tenth_of_the_energy_into_stiff_threads_that_it_did_without_feedback() {
        let ((with, strain), (without, wild)) = (fall(1), fall(0));
        assert!(without > 0.1, "{without}");
        assert!(with < 0.1 * without, "{with} {without}");
        assert!(strain < wild, "{strain} {wild}");
    }
}
