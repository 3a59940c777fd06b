//! The picture frame: a square of fabric in four bars of one length, hinged at the corners, sheared by pulling
//! its diagonal.
//!
//! The bars hold all four sides along the threads, so the shear is even and no thread is stretched: a purer test than
//! [`super::kes::shear`], whose specimen has two free sides. With γ the shear angle, φ = (90° − γ)/2 half the angle of
//! the frame, L its side and F the pull of the diagonal, the force per width is F/(2 L cos φ). By virtual work
//! it is P/cos γ, P what the energy changes by with γ, per area.
//!
//! The loop goes to ±8° and is read as that of [`super::kes::shear`]: G, 2HG, 2HG5.
//!
//! Limits: as there, no wrinkles; threads do not turn within the clamps, which in a real frame they do.

use super::Failure;
use super::kes::{CYCLE, Fineness, LAST_ANGLE, Loop, Shear, shear_figures};
use glam::{DVec2, DVec3};
use toile_mesh::shape::{Diagonals, grid};
use toile_sim::linear::Constraint;
use toile_sim::sheet::{Bend, Sheet};
use toile_sim::statics::{Equilibrium, Statics};
use toile_sim::{Cloth, Fabric};

/// Side of the frame [m].
pub(super) const SIDE: f64 = 0.2;
/// When two lengths are the same [m].
const NEAR: f64 = 1e-9;

/// Shears a square to ±8° and back.
///
/// # Errors
/// If no equilibrium is found.
pub fn shear(fabric: &Fabric, fineness: Fineness) -> Result<(Loop, Shear), Failure> {
    let mut mesh = grid(SIDE, SIDE, fineness.cells, fineness.cells, Diagonals::Alternating);
    let rest: Vec<DVec2> = mesh.uv.clone();
    let mut x: Vec<DVec3> = rest.iter().map(|p| place(*p, 0.0)).collect();
    mesh.positions.clone_from(&x);
    let n = x.len();
    let edge = |p: &DVec2| p.abs().max_element() > 0.5 * SIDE - NEAR;
    let frame: Vec<u32> = (0..n as u32).filter(|v| edge(&rest[*v as usize])).collect();
    let flat = (0..n as u32).map(|v| (v, Constraint::Plane(DVec3::Z)));
    let held: Vec<(u32, Constraint)> =
        flat.chain(frame.iter().map(|v| (*v, Constraint::Fixed))).collect();
    let cloth = Cloth {
        name: "square".into(),
        mesh,
        grid: None,
        fabric: fabric.clone(),
        pieces: Vec::new(),
    };
    let mut sheet = Sheet::with_loops(std::slice::from_ref(&cloth), Bend::None, &[])?;
    let statics = Statics { tolerance: 1e-7, max_iterations: 400 };
    let mut solver = Equilibrium::new(statics, &sheet)?;
    let load = vec![DVec3::ZERO; n];
    let mut gradient = vec![DVec3::ZERO; n];
    let (mut path, mut before) = (Loop::new(), 0.0);
    for (from, to) in CYCLE {
        let steps = fineness.points * f64::abs(to - from) as usize;
        for k in 1..=steps {
            let part = from + (to - from) * k as f64 / steps as f64;
            let angle = (part * LAST_ANGLE).to_radians();
            for (x, p) in x.iter_mut().zip(&rest) {
                *x += place(*p, angle) - place(*p, before);
            }
            before = angle;
            solver.settle(&mut sheet, &load, &held, &mut x)?;
            sheet.gradient(&x, &mut gradient);
            let (sin, cos) = libm::sincos(angle);
            let turned = |v: &u32| DVec3::new(cos, -sin, 0.0) * rest[*v as usize].y;
            let work: f64 = frame.iter().map(|v| gradient[*v as usize].dot(turned(v))).sum();
            path.push((angle, work / (SIDE * SIDE * cos)));
            sheet.update_sliders(&x);
        }
    }
    let figures = shear_figures(&path, fineness);
    Ok((path, figures))
}

/// Where a point of the frame is at a shear angle [rad]; bars keep their length.
pub(super) fn place(p: DVec2, angle: f64) -> DVec3 {
    let (sin, cos) = libm::sincos(angle);
    DVec3::new(p.x + p.y * sin, p.y * cos, 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_frame_reads_what_a_fabric_is_made_of() {
        let fabric = Fabric {
            shear: 40.0,
            shear_hysteresis: 0.8,
            shear_hysteresis_wide: 1.6,
            ..Fabric::default()
        };
        let (path, found) = shear(&fabric, Fineness { cells: 2, points: 20 }).unwrap();
        assert_eq!(path.len(), 100);
        for (value, exact) in [(found.g, 40.0), (found.hg, 0.8), (found.hg5, 1.6)] {
            assert!((value / exact - 1.0).abs() < 0.02, "{found:?}");
        }
    }

    #[test]
    fn bars_keep_their_length() {
        let corner = |u: f64, v: f64| place(DVec2::new(u, v) * 0.5 * SIDE, 0.14);
        for (a, b) in [([1.0, 1.0], [1.0, -1.0]), ([1.0, 1.0], [-1.0, 1.0])] {
            let length = corner(a[0], a[1]).distance(corner(b[0], b[1]));
            assert!((length - SIDE).abs() < 1e-12);
        }
    }
}
