//! Cloth that lies crosswise at a seam is laid flat.
//!
//! Where several panels meet, under an arm for example, a corner of one may come to lie between two others before their seam is
//! closed. Nothing passes through anything, so threads alone never close that seam. A tailor takes the corners out, puts
//! them together and irons them: here sewn vertices are joined in spite of what is between them, and the cloth within a few edges around is
//! stretched smoothly between what surrounds it, clear of the body. Each vertex there is the mean of its neighbours, which is
//! the least sum of squared edges.
//!
//! Whether the cloth is then free of intersections is not known: who irons must look (the exact audit), and irons a larger piece if
//! it is not.

use glam::DVec3;
use toile_collide::field::Solid;
use toile_mesh::{Topology, TriMesh};

/// Rounds of taking means.
const IRONING_ROUNDS: u32 = 200;

/// Vertices within so many edges of some vertices, ascending.
fn within(neighbours: &[Vec<u32>], from: &[u32], rings: u32) -> Vec<u32> {
    let mut reached = vec![false; neighbours.len()];
    let mut all: Vec<u32> = Vec::new();
    let mut last = from.to_vec();
    for ring in 0..=rings {
        last.retain(|v| !std::mem::replace(&mut reached[*v as usize], true));
        all.extend(&last);
        if ring < rings {
            last = last.iter().flat_map(|v| neighbours[*v as usize].iter().copied()).collect();
        }
    }
    all.sort_unstable();
    all
}

/// Lays the cloth within `rings` edges of some vertices smoothly between what is around it, no nearer to the body than
/// `clearance` [m].
pub(crate) fn iron(mesh: &mut TriMesh, around: &[u32], rings: u32, body: &Solid, clearance: f64) {
    let mut neighbours = vec![Vec::new(); mesh.positions.len()];
    for edge in &Topology::new(mesh.positions.len(), &mesh.triangles).edges {
        let [a, b] = edge.vertices;
        neighbours[a as usize].push(b);
        neighbours[b as usize].push(a);
    }
    let laid = within(&neighbours, around, rings);
    let x = &mut mesh.positions;
    for round in 0..IRONING_ROUNDS {
        for v in &laid {
            let near = &neighbours[*v as usize];
            if near.is_empty() {
                continue;
            }
            let mean = near.iter().map(|n| x[*n as usize]).sum::<DVec3>() / near.len() as f64;
            x[*v as usize] = mean;
        }
        // The way out of the body is sought seldom, since that takes most of the time, and at the end.
        if round % 20 == 19 {
            for v in &laid {
                x[*v as usize] = outside(body, x[*v as usize], clearance);
            }
        }
    }
}

/// The point, or the nearest one that is so far from the body.
fn outside(body: &Solid, p: DVec3, clearance: f64) -> DVec3 {
    let near = body.nearest(p);
    let inside = body.contains(p);
    if !inside && near.distance >= clearance {
        return p;
    }
    let out = (p - near.point).normalize_or(DVec3::Y) * if inside { -1.0 } else { 1.0 };
    near.point + out * clearance
}

#[cfg(test)]
mod tests {
    use super::*;
    use toile_audit::self_intersections;
    use toile_mesh::shape::{Diagonals, grid, sphere};

    #[test]
    fn crumpled_cloth_is_flat_again_and_all_around_it_stays() {
        let flat = grid(1.0, 1.0, 20, 20, Diagonals::Alternating);
        let mut cloth = flat.clone();
        let middle = (0..441).min_by(|a, b| {
            let far = |v: &u32| flat.positions[*v as usize].length();
            far(a).total_cmp(&far(b))
        });
        let middle = middle.unwrap();
        // The middle is turned over and pulled through what is beside it.
        let near: Vec<u32> =
            (0..441).filter(|v| flat.positions[*v as usize].length() < 0.12).collect();
        for v in &near {
            cloth.positions[*v as usize] = -1.7 * flat.positions[*v as usize] + DVec3::Y * 0.01;
        }
        assert!(!self_intersections(&cloth.positions, &cloth.triangles).unwrap().is_empty());
        let far = sphere(0.1, 2).map_positions(|p| p + DVec3::splat(5.0));
        let body = Solid::new(&far.positions, &far.triangles).unwrap();
        let before = cloth.clone();
        iron(&mut cloth, &[middle], 5, &body, 0.01);
        assert!(self_intersections(&cloth.positions, &cloth.triangles).unwrap().is_empty());
        let edge = 1.0 / 20.0;
        for v in 0..441 {
            let p = flat.positions[v];
            if p.x.abs().max(p.z.abs()).max(p.y.abs()) > 5.5 * edge {
                assert_eq!(cloth.positions[v], before.positions[v]);
            }
        }
    }

    #[test]
    fn what_is_laid_flat_stays_clear_of_the_body() {
        let mut cloth = grid(1.0, 1.0, 20, 20, Diagonals::Alternating);
        let ball = sphere(0.1, 3);
        let body = Solid::new(&ball.positions, &ball.triangles).unwrap();
        let all: Vec<u32> = (0..441).collect();
        iron(&mut cloth, &all, 0, &body, 0.01);
        for p in &cloth.positions {
            assert!(!body.contains(*p) && body.nearest(*p).distance > 0.01 - 1e-9, "{p}");
        }
    }
}
