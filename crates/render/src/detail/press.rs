//! What sewing does to the surface of cloth: seams sink in, hems are twice as thick, stitches pucker.
//!
//! Displacements are along the normal and smaller than a millimetre. Their shapes are chosen by eye after
//! photographs of garments: a seam is a groove of Gaussian section, the layers below it and those of a hem raise
//! the cloth beside it, and the pull of the stitches makes short waves across the line that fade with distance.

use super::proximity::Near;
use super::vertex_normals;
use toile_mesh::TriMesh;

/// Measures of what is sewn [m].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pressing {
    /// Thickness of the cloth.
    pub thickness: f64,
    /// Width of hems; 0 for none.
    pub hem: f64,
    /// From stitch to stitch.
    pub stitch: f64,
}

/// Width of what is turned in at a seam [m].
const ALLOWANCE: f64 = 0.008;
/// Half width of the groove of a seam, and how far puckers reach [m].
const GROOVE: f64 = 0.0021;
const REACH: f64 = 0.009;
/// Most that cloth is displaced [m].
const MAX_DISPLACEMENT: f64 = 1.5e-3;

/// Moves the vertices of a smooth mesh as its seams and hems do.
pub fn press(
    mesh: &TriMesh,
    seams: &[Option<Near>],
    hems: &[Option<Near>],
    pressing: &Pressing,
) -> TriMesh {
    let normals = vertex_normals(mesh);
    let mut pressed = mesh.clone();
    for (v, p) in pressed.positions.iter_mut().enumerate() {
        let rise = seams[v].map_or(0.0, |n| seam(&n, pressing))
            + hems[v].map_or(0.0, |n| hem(&n, pressing));
        *p += normals[v] * rise.clamp(-MAX_DISPLACEMENT, MAX_DISPLACEMENT);
    }
    pressed
}

fn seam(near: &Near, m: &Pressing) -> f64 {
    let d = near.distance;
    let depth = (1.4 * m.thickness).clamp(0.45e-3, 1.1e-3);
    let groove = -depth * libm::exp(-(d / GROOVE) * (d / GROOVE));
    let layers = 0.55 * m.thickness.min(0.8e-3) * (1.0 - smooth(d, 0.6 * ALLOWANCE, ALLOWANCE));
    groove + layers + 0.8 * pucker(near.along, d, m)
}

fn hem(near: &Near, m: &Pressing) -> f64 {
    if m.hem <= 0.0 {
        return 0.0;
    }
    let d = near.distance;
    let layers = 0.5 * m.thickness.min(1e-3) * (1.0 - smooth(d, m.hem - 0.6e-3, m.hem + 1.2e-3));
    let line = (m.hem - 2e-3).max(0.5 * m.hem);
    let off = (d - line).abs();
    let dent = -0.35 * m.thickness.min(0.8e-3) * libm::exp(-(off / 1.3e-3) * (off / 1.3e-3));
    layers + dent + pucker(near.along, off, m)
}

/// Short waves beside a line of stitches.
fn pucker(along: f64, off: f64, m: &Pressing) -> f64 {
    let fade = libm::exp(-off / (0.5 * REACH));
    // Thin cloth puckers in shorter waves.
    let wave = 2.5 * m.stitch + 4.0 * m.thickness;
    0.30e-3 * fade * (noise(along / wave) + 0.5 * noise(17.3 + 2.1 * along / wave))
}

/// Smooth noise in (−1, 1) with about one wave in each unit.
fn noise(x: f64) -> f64 {
    let cell = x.floor();
    let t = x - cell;
    let value = |c: f64| {
        let mut h = (c as i64 as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        h = (h ^ (h >> 31)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        ((h >> 11) as f64) / (1_u64 << 52) as f64 - 1.0
    };
    let (a, b) = (value(2.0 * cell) * t, value(2.0 * cell + 2.0) * (t - 1.0));
    2.0 * (a + (b - a) * t * t * (3.0 - 2.0 * t))
}

/// 0 below `from`, 1 above `to`, smooth in between.
fn smooth(x: f64, from: f64, to: f64) -> f64 {
    let t = ((x - from) / (to - from)).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::detail::{edge_chains, proximity};
    use toile_mesh::shape::{Diagonals, grid};

    const COTTON: Pressing = Pressing { thickness: 0.6e-3, hem: 0.02, stitch: 2.6e-3 };

    #[test]
    fn a_seam_is_a_groove_between_raised_layers() {
        let at = |distance: f64| {
            let all =
                (0..400).map(|k| seam(&Near { distance, along: 1e-3 * f64::from(k) }, &COTTON));
            all.sum::<f64>() / 400.0
        };
        assert!(at(0.0) < -0.2e-3 && at(0.004) > 0.1e-3 && at(0.012).abs() < 0.05e-3);
    }

    #[test]
    fn pressing_moves_cloth_by_less_than_a_millimetre_and_only_where_it_is_sewn() {
        let mesh = grid(0.2, 0.2, 80, 80, Diagonals::Alternating);
        let hems = proximity(&mesh, &edge_chains(&mesh), 0.03);
        let pressed = press(&mesh, &vec![None; hems.len()], &hems, &COTTON);
        let mut moved = 0;
        for ((a, b), near) in mesh.positions.iter().zip(&pressed.positions).zip(&hems) {
            let by = a.distance(*b);
            assert!(by < 1e-3 && (near.is_some() || by == 0.0));
            moved += usize::from(by > 0.1e-3);
        }
        assert!(moved > 500, "{moved}");
    }
}
