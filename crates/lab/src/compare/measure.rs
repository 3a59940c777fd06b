//! One run of a comparison.

use super::{Options, Row};
use std::time::Instant;
use toile::Error;
use toile::Scene;
use toile::Simulation;
use toile::Studio;
use toile::audit;
use toile_render::Image;
use toile_render::label;
use toile_sim::{Preset, StepReport};

/// Size of a picture [px].
const SIZE: [u32; 2] = [480, 360];
/// Names are written in this colour, those of failures in the other.
const INK: [[u8; 3]; 2] = [[40, 46, 54], [176, 36, 36]];

/// Runs a scene and measures it; what goes wrong is in the row.
pub(super) fn measure(
    preset: Preset,
    scene: Scene,
    options: &Options,
    progress: &mut (dyn FnMut(&'static str, f64) + Send),
) -> Row {
    let mut row = Row { preset: preset.name(), ..Row::default() };
    let mut sim = match scene.build() {
        Ok(sim) => sim,
        Err(error) => {
            row.failure = Some(error.to_string());
            return row;
        }
    };
    row.vertices = sim.state().x.len() as u64;
    row.step = sim.world().settings().step;
    row.warnings = sim.world().warnings().iter().map(ToString::to_string).collect();
    let mut course = Course::default();
    if let Err(failure) = course.follow(&mut sim, &mut row, options, progress) {
        row.failure = Some(failure);
    }
    course.close(&mut sim, &mut row);
    row.picture = Studio::new(&sim).sized(SIZE[0], SIZE[1]).draw().ok();
    row
}

/// What adds up on the way.
#[derive(Default)]
struct Course {
    stages: toile_sim::StageSeconds,
    iterations: u64,
    frames: u64,
    /// Least energy so far [J].
    least: Option<f64>,
}

impl Course {
    fn follow(
        &mut self,
        sim: &mut Simulation,
        row: &mut Row,
        options: &Options,
        progress: &mut (dyn FnMut(&'static str, f64) + Send),
    ) -> Result<(), String> {
        let begin = Instant::now();
        let steps = sim.steps_in(sim.scene().duration);
        self.look(sim, row)?;
        while sim.state().step < steps {
            if options.stop.is_set() {
                return Err("stopped".into());
            }
            if let Some(limit) = options.limit
                && begin.elapsed().as_secs_f64() > limit
            {
                return Err(format!("took longer than the {limit} s it was given"));
            }
            let clock = Instant::now();
            let report = sim.step().map_err(|e| e.to_string())?;
            row.step_seconds += clock.elapsed().as_secs_f64();
            self.add(&report, row);
            row.max_strain = row.max_strain.max(sim.world().max_strain());
            self.look(sim, row)?;
            progress(row.preset, sim.state().step as f64 / steps as f64);
        }
        Ok(())
    }

    fn add(&mut self, report: &StepReport, row: &mut Row) {
        self.stages.add(&report.seconds);
        let iterations = if report.iterations > 0 { report.iterations } else { report.detections };
        self.iterations += u64::from(iterations);
        row.iterations_max = row.iterations_max.max(iterations);
    }

    /// Audits the frame of the present step, if it is one.
    fn look(&mut self, sim: &mut Simulation, row: &mut Row) -> Result<(), String> {
        let due = sim.steps_in(self.frames as f64 / sim.scene().fps) <= sim.state().step;
        if !due {
            return Ok(());
        }
        self.frames += 1;
        self.take_energy(sim.world_mut().energy().total(), row);
        let world = sim.world();
        let state = world.state();
        let found = audit(&state.x, &world.model().mesh.triangles, world.bodies(), state.time)
            .map_err(|e: Error| e.to_string())?;
        row.intersections_final = found.self_intersections;
        row.intersections_max = row.intersections_max.max(found.self_intersections);
        // Zero of an earlier frame does not hide that it is unknown now.
        row.body_penetrations_max = match (row.body_penetrations_max, found.known_penetrations()) {
            (Some(0), None) => None,
            (before, now) => before.max(now),
        };
        Ok(())
    }

    fn take_energy(&mut self, energy: f64, row: &mut Row) {
        let least = self.least.map_or(energy, |least| least.min(energy));
        if self.least.is_none() {
            row.energy[0] = energy;
        }
        self.least = Some(least);
        row.energy[1] = energy;
        row.energy_gained = row.energy_gained.max(energy - least);
    }

    fn close(&mut self, sim: &mut Simulation, row: &mut Row) {
        self.take_energy(sim.world_mut().energy().total(), row);
        let state = sim.state();
        row.steps = state.step;
        row.simulated_seconds = state.time;
        row.rms_speed_final = state.rms_speed();
        row.state_hash = format!("{:016x}", state.hash());
        let each = 1.0 / row.steps.max(1) as f64;
        row.ms_per_step = 1e3 * each * row.step_seconds;
        row.ms_integrate = 1e3 * each * self.stages.integrate;
        row.ms_strain_limit = 1e3 * each * self.stages.strain_limit;
        row.ms_detect = 1e3 * each * self.stages.detect;
        row.ms_respond = 1e3 * each * self.stages.respond;
        row.iterations_mean = each * self.iterations as f64;
    }
}

/// The picture of a row with its name; grey where there is none.
pub(super) fn tile(row: &Row) -> Image {
    let empty = || Image::filled(SIZE[0], SIZE[1], [226, 228, 231, 255]);
    let mut tile = row.picture.clone().unwrap_or_else(empty);
    let ink = INK[usize::from(row.failure.is_some())];
    label::write(&mut tile, 0, row.preset, ink);
    if row.failure.is_some() {
        label::write(&mut tile, 1, &format!("failed at {:.3} s", row.simulated_seconds), ink);
    } else if row.intersections_max + row.body_penetrations_max.unwrap_or(0) > 0 {
        let inside = row.body_penetrations_max.map_or("unknown".into(), |n| n.to_string());
        let text = format!("{} crossings {inside} in bodies", row.intersections_max);
        label::write(&mut tile, 1, &text, INK[1]);
    }
    tile
}

/// A picture as a file.
pub(super) fn png(image: &Image) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    image.write_png(&mut bytes).map_err(|e| Error::Picture(e.to_string()))?;
    Ok(bytes)
}
