//! Whether a world's sizes and motions make sense together.

use crate::body::{Body, Shape};
use crate::constraint::Pin;
use crate::error::Error;
use crate::force::Wind;
use crate::model::Model;
use crate::motion::Motion;
use crate::report::Warning;
use glam::DVec3;

/// Largest coordinate and size [m]. Beyond it a thickness is lost in the rounding of positions.
const MAX_COORDINATE: f64 = 1e6;

/// Strongest gravity [m/s²]: a step of 10 ms ends ten kilometres away. Beyond it forces leave the range of single precision.
const MAX_GRAVITY: f64 = 1e8;

/// Part of the shortest edge that a fabric's thickness may take up. Thicker cloth would press its
/// own neighbours apart.
const MAX_THICKNESS: f64 = 0.25;

/// Part of a turn that anything may make in a step: motion within a step is straight.
const MAX_TURN: f64 = 0.25;

/// The distance that is kept between features: what is asked for, or the fabric's thickness as far
/// as the mesh can bear it.
pub(crate) fn separation(
    model: &Model,
    asked: f64,
    warnings: &mut Vec<Warning>,
) -> Result<f64, Error> {
    let shortest = model.rest_lengths().iter().copied().fold(f64::INFINITY, f64::min);
    let most = MAX_THICKNESS * shortest;
    let thickness = model.thickness();
    let separation = if asked > 0.0 { asked } else { thickness.min(most) };
    if asked > 2.0 * most {
        let reason = format!(
            "is {asked:?} m, more than half of the shortest edge of {shortest:?} m; \
             neighbours in the cloth would collide at rest"
        );
        return Err(Error::Setting { key: "solver.collision.separation", reason });
    }
    if asked <= 0.0 && thickness > most {
        warnings.push(Warning::ThicknessReduced { thickness, separation });
    }
    let extent = model.mesh.positions.iter().map(|p| p.abs().max_element()).fold(0.0, f64::max);
    if separation < SINGLE_PRECISION_ERROR * extent {
        warnings.push(Warning::BelowSinglePrecision { separation, extent });
    }
    Ok(separation)
}

/// Rounding to single precision moves a coordinate by up to 2⁻²⁴ of it, so that of two points, along
/// the diagonal, by 2·√3·2⁻²⁴: below this part of the coordinates a gap may be lost in a file.
const SINGLE_PRECISION_ERROR: f64 = 2.1e-7;

/// Refuses what cannot be simulated, by name.
pub(crate) fn check(
    model: &Model,
    bodies: &[Body],
    pins: &[Pin],
    gravity: DVec3,
    wind: Option<&Wind>,
    step: f64,
) -> Result<(), Error> {
    check_gravity(gravity)?;
    check_wind(wind)?;
    if let Some(v) =
        model.mesh.positions.iter().position(|p| p.abs().max_element() > MAX_COORDINATE)
    {
        let reason =
            format!("vertex {v} is more than {MAX_COORDINATE:?} m from the origin; move the scene");
        return Err(Error::Mesh { name: name_of(model, v as u32), reason });
    }
    for body in bodies {
        body.validate()?;
        if largest_size(&body.shape) > MAX_COORDINATE {
            let reason = format!("it is larger or farther away than {MAX_COORDINATE:?} m");
            return Err(Error::Mesh { name: body.name.clone(), reason });
        }
        if let Some(reason) = spins_too_fast(&body.motion, step) {
            return Err(Error::Mesh { name: body.name.clone(), reason });
        }
    }
    check_pins(model, pins, step)
}

/// Refuses gravity that no number can hold.
pub(crate) fn check_gravity(gravity: DVec3) -> Result<(), Error> {
    if !gravity.is_finite() {
        return Err(setting("gravity", "is not finite".into()));
    }
    if gravity.length() > MAX_GRAVITY {
        let reason = format!("is {:e} m/s²; at most {MAX_GRAVITY:e} can be", gravity.length());
        return Err(setting("gravity", reason));
    }
    Ok(())
}

/// Refuses wind that makes no sense.
pub(crate) fn check_wind(wind: Option<&Wind>) -> Result<(), Error> {
    wind.map_or(Ok(()), |w| w.validate().map_err(|reason| setting("wind", reason)))
}

fn check_pins(model: &Model, pins: &[Pin], step: f64) -> Result<(), Error> {
    let mut held: Vec<Option<usize>> = vec![None; model.mass.len()];
    for (p, pin) in pins.iter().enumerate() {
        if let Err(reason) = pin.motion.validate() {
            return Err(setting("pin", format!("its motion {reason}")));
        }
        if let Some(reason) = spins_too_fast(&pin.motion, step) {
            return Err(setting("pin", reason));
        }
        let start = pin.motion.pose(0.0);
        for v in &pin.vertices {
            let Some(x) = model.mesh.positions.get(*v as usize) else {
                return Err(setting(
                    "pin",
                    format!("names vertex {v}; there are {}", model.mass.len()),
                ));
            };
            if start.apply(*x).distance(*x) > 1e-9 * (1.0 + x.length()) {
                let reason =
                    format!("moves vertex {v} away at time 0; it must start where the cloth is");
                return Err(setting("pin", reason));
            }
            if let Some(other) = held[*v as usize].replace(p) {
                let reason =
                    format!("{p} holds vertex {v}, which pin {other} holds too; choose one");
                return Err(setting("pin", reason));
            }
        }
    }
    Ok(())
}

fn setting(key: &'static str, reason: String) -> Error {
    Error::Setting { key, reason }
}

/// Name of the cloth a vertex belongs to.
fn name_of(model: &Model, v: u32) -> String {
    model.names[model.cloth_of[v as usize] as usize].clone()
}

/// Largest coordinate or size of a shape [m]; a plane has neither.
fn largest_size(shape: &Shape) -> f64 {
    match shape {
        Shape::Mesh(mesh) => {
            mesh.positions.iter().map(|p| p.abs().max_element()).fold(0.0, f64::max)
        }
        Shape::Sphere { centre, radius } => centre.abs().max_element() + radius,
        Shape::Capsule { a, b, radius } => a.abs().max(b.abs()).max_element() + radius,
        Shape::Cuboid { centre, half, .. } => (centre.abs() + *half).max_element(),
        Shape::Plane { point, .. } => point.abs().max_element(),
    }
}

fn spins_too_fast(motion: &Motion, step: f64) -> Option<String> {
    match motion {
        Motion::Steady { turns_per_second, .. } if turns_per_second.abs() * step > MAX_TURN => {
            Some(format!(
                "turns {turns_per_second:?} times a second, more than a quarter turn in a step of {step:?} s"
            ))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::body::Shape;
    use crate::{Body, Cloth, Fabric, Motion, Pin, Preset, Surroundings, Warning, World};
    use glam::DVec3;
    use toile_mesh::shape::{Diagonals, grid};

    fn world(
        shift: f64,
        thickness: f64,
        separation: f64,
        pins: Vec<Pin>,
        bodies: Vec<Body>,
    ) -> Result<World, String> {
        let cloth = Cloth {
            name: "sheet".into(),
            mesh: grid(1.0, 1.0, 4, 4, Diagonals::Alternating)
                .map_positions(|p| p + DVec3::X * shift),
            grid: Some([4, 4]),
            fabric: Fabric { thickness, ..Fabric::default() },
            pieces: Vec::new(),
        };
        let mut settings = Preset::Toile.settings();
        settings.collision.separation = separation;
        let surroundings = Surroundings { pins, bodies, ..Surroundings::default() };
        World::new(vec![cloth], surroundings, settings).map_err(|e| e.to_string())
    }

    #[test]
    fn cloth_thicker_than_its_mesh_can_bear_is_taken_thinner() {
        let w = world(0.0, 1.0, 0.0, vec![], vec![]).unwrap();
        assert!((w.separation() - 0.0625).abs() < 1e-12);
        assert!(w.warnings().iter().any(|w| matches!(w, Warning::ThicknessReduced { .. })));
        let asked = world(0.0, 1e-3, 0.2, vec![], vec![]);
        assert!(asked.unwrap_err().contains("solver.collision.separation"));
    }

    #[test]
    fn a_gap_that_files_cannot_hold_is_a_warning() {
        let fine = |shift, thickness| {
            let w = world(shift, thickness, 0.0, vec![], vec![]).unwrap();
            w.warnings().iter().any(|w| matches!(w, Warning::BelowSinglePrecision { .. }))
        };
        assert!(fine(0.0, 1e-9) && fine(2e4, 5e-4) && !fine(0.0, 5e-4));
    }

    #[test]
    fn things_beyond_all_sizes_are_refused() {
        assert!(world(1e20, 5e-4, 0.0, vec![], vec![]).unwrap_err().starts_with("sheet: vertex 0"));
        let ball = Body::new("ball", Shape::Sphere { centre: DVec3::ZERO, radius: 1e300 });
        assert!(
            world(0.0, 5e-4, 0.0, vec![], vec![ball])
                .unwrap_err()
                .starts_with("ball: it is larger")
        );
    }

    #[test]
    fn gravity_beyond_all_numbers_is_refused_by_name() {
        let cloth = || Cloth {
            name: "sheet".into(),
            mesh: grid(1.0, 1.0, 4, 4, Diagonals::Alternating),
            grid: Some([4, 4]),
            fabric: Fabric::default(),
            pieces: Vec::new(),
        };
        let with = |gravity| {
            let surroundings = Surroundings { gravity, ..Surroundings::default() };
            World::new(vec![cloth()], surroundings, Preset::Toile.settings())
        };
        let refused = with(DVec3::Y * -1e30).map(|_| ()).unwrap_err().to_string();
        assert!(refused.contains("gravity") && refused.contains("1e30"), "{refused}");
        let mut strong = with(DVec3::Y * -1e6).unwrap();
        strong.step().unwrap();
        let (h, x) = (strong.settings().step, strong.state().x[0]);
        assert!((x.y / (-1e6 * h * h) - 1.0).abs() < 1e-6, "it falls: {x}");
    }

    #[test]
    fn pins_that_jump_spin_or_disagree_are_refused() {
        let spin = |turns_per_second, degrees: f64| Motion::Steady {
            velocity: DVec3::ZERO,
            axis: DVec3::Y,
            turns_per_second,
            centre: DVec3::splat(degrees),
        };
        let pin = |motion| Pin { vertices: vec![0, 1], motion, until: f64::INFINITY };
        let jump = Motion::Keys {
            centre: DVec3::ZERO,
            keys: vec![crate::motion::Key {
                time: 0.0,
                translate: DVec3::Y,
                axis: DVec3::Y,
                degrees: 0.0,
            }],
        };
        let refused = |pins| world(0.0, 5e-4, 0.0, pins, vec![]).unwrap_err();
        assert!(refused(vec![pin(jump)]).contains("moves vertex 0 away at time 0"));
        assert!(refused(vec![pin(spin(1e300, 0.0))]).contains("quarter turn"));
        assert!(refused(vec![pin(Motion::Still), pin(Motion::Still)]).contains("pin 0 holds too"));
        assert!(world(0.0, 5e-4, 0.0, vec![pin(spin(0.5, 0.0))], vec![]).is_ok());
    }
}
