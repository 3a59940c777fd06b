//! Peirce's cantilever: the bending length of a fabric.
//!
//! A strip is pushed over an edge until the line from the edge to its end is 41.5° below the horizontal. Then
//! σ g L³/B = 8.0042, so that half the overhang is the bending length `c = (B/(σ g))^⅓` to 0.01 %
//! [peirce1930; ASTM D1388].
//!
//! Limits: no friction in the fabric, which makes real strips a little stiffer on the way down.

use super::Failure;
use super::kes::Along;
use glam::{DVec2, DVec3};
use toile_mesh::Topology;
use toile_mesh::shape::{Diagonals, grid};
use toile_sim::fabric::STANDARD_GRAVITY;
use toile_sim::linear::Constraint;
use toile_sim::sheet::{Bend, Clamp, Sheet, Stretch};
use toile_sim::statics::{Equilibrium, Statics};
use toile_sim::{Cloth, Fabric};

/// The angle of the test [°].
pub const ANGLE: f64 = 41.5;
/// Width of the strip [m].
const WIDTH: f64 = 0.025;
/// When two lengths are the same [m].
const NEAR: f64 = 1e-9;

/// Bending length [m] from the overhang at 41.5°, of a strip with `cells` along it.
///
/// # Errors
/// If no equilibrium is found.
pub fn bending_length(fabric: &Fabric, along: Along, cells: usize) -> Result<f64, Failure> {
    let rigidity = if along == Along::Weft { fabric.bend_weft } else { fabric.bend_warp };
    let weight = fabric.density * STANDARD_GRAVITY;
    // Pushed further and further: secants from both sides of the usual place.
    let usual = 2.0 * libm::cbrt(rigidity / weight);
    let (mut a, mut b) = (0.95 * usual, 1.05 * usual);
    let (mut at_a, mut at_b) =
        (overhang(fabric, along, a, cells)?, overhang(fabric, along, b, cells)?);
    for _ in 0..12 {
        if at_a == at_b {
            break;
        }
        let next = b + (ANGLE - at_b) * (b - a) / (at_b - at_a);
        (a, at_a) = (b, at_b);
        (b, at_b) = (next, overhang(fabric, along, next, cells)?);
        if (at_b - ANGLE).abs() < 1e-4 {
            return Ok(0.5 * b);
        }
    }
    Err(Failure::NoConvergence("the overhang"))
}

/// Angle below the horizontal [°] of the line from the edge to the end of a strip that is `length` [m] over it.
///
/// # Errors
/// If no equilibrium is found.
pub fn overhang(fabric: &Fabric, along: Along, length: f64, cells: usize) -> Result<f64, Failure> {
    let across = ((cells as f64 * WIDTH / length).round() as usize).max(2);
    let mut mesh = grid(WIDTH, length, across, cells, Diagonals::Alternating);
    let rest: Vec<DVec2> = mesh.uv.iter().map(|p| DVec2::new(p.x, p.y + 0.5 * length)).collect();
    if along == Along::Weft {
        mesh.uv.iter_mut().for_each(|p| *p = DVec2::new(p.y, -p.x));
    }
    let mut x: Vec<DVec3> = rest.iter().map(|p| DVec3::new(p.y, 0.0, p.x)).collect();
    mesh.positions.clone_from(&x);
    let topology = Topology::new(x.len(), &mesh.triangles);
    let at_edge = |v: u32| rest[v as usize].y < NEAR;
    let clamps: Vec<Clamp> = topology
        .edges
        .iter()
        .filter(|e| e.is_boundary() && e.vertices.into_iter().all(at_edge))
        .map(|e| {
            let [a, b] = e.vertices.map(|v| x[v as usize]);
            Clamp { cloth: 0, edge: e.vertices, point: 0.5 * (a + b) - DVec3::X * length }
        })
        .collect();
    let n = x.len() as u32;
    let held: Vec<_> = (0..n).filter(|v| at_edge(*v)).map(|v| (v, Constraint::Fixed)).collect();
    let cloth = Cloth {
        name: "strip".into(),
        mesh,
        grid: None,
        fabric: fabric.clone(),
        pieces: Vec::new(),
    };
    let weight: Vec<DVec3> = super::cusick::areas(&cloth.mesh)
        .into_iter()
        .map(|area| DVec3::NEG_Y * (area * fabric.density * STANDARD_GRAVITY))
        .collect();
    let mut sheet = Sheet::new(std::slice::from_ref(&cloth), Stretch::Stvk, Bend::Morley, &clamps)?;
    let statics = Statics { tolerance: 1e-9, max_iterations: 300 };
    let mut solver = Equilibrium::new(statics, &sheet)?;
    solver.settle(&mut sheet, &weight, &held, &mut x)?;
    let ends: Vec<DVec3> =
        (0..x.len()).filter(|v| rest[*v].y > length - NEAR).map(|v| x[v]).collect();
    let end = ends.iter().sum::<DVec3>() / ends.len() as f64;
    Ok(libm::atan2(-end.y, end.x).to_degrees())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_the_overhang_is_the_bending_length_along_weft_and_warp() {
        let fabric = toile::fabric::find("wool-worsted").unwrap();
        for (along, exact) in Along::BOTH.into_iter().zip(fabric.bending_lengths()) {
            let c = bending_length(&fabric, along, 16).unwrap();
            assert!((c / exact - 1.0).abs() < 0.01, "{along:?} {c} {exact}");
        }
    }
}
