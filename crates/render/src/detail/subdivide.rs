//! Loop's subdivision [loop1987] that goes through the vertices it starts from.
//!
//! The limit surface of a mesh lies inside its bends, so cloth would sink into the body below. So the
//! control points are moved until the limit of each is where the vertex was, by p ← p + (x − limit(p))
//! [cheng2009]. Borders are cubic splines of their own; material coordinates are halved along edges.

use crate::Error;
use glam::{DVec2, DVec3};
use std::collections::BTreeMap;
use toile_mesh::TriMesh;

/// Most triangles that come out.
const MAX_TRIANGLES: usize = 1 << 24;
/// Rounds of moving the control points.
const ROUNDS: usize = 12;

/// The smooth surface through the vertices of a mesh, each triangle cut in four `levels` times.
///
/// # Errors
/// If more than 16 million triangles would come out, or a triangle names a vertex that is not there.
pub fn subdivide(mesh: &TriMesh, levels: u32) -> Result<TriMesh, Error> {
    let count = 4_usize.checked_pow(levels).and_then(|f| f.checked_mul(mesh.triangles.len()));
    if count.is_none_or(|c| c > MAX_TRIANGLES) {
        return Err(Error::Detail("subdivision would make more than 16 million triangles"));
    }
    let known = mesh.positions.len() as u32;
    if let Some(t) = mesh.triangles.iter().position(|c| c.iter().any(|v| *v >= known)) {
        return Err(Error::Index { item: 0, triangle: t });
    }
    let mut mesh = mesh.clone();
    if levels > 0 {
        mesh.positions = control_points(&mesh);
    }
    for _ in 0..levels {
        mesh = split(&mesh);
    }
    // What comes out lies on the way to the limit; its own limit is the smooth surface.
    if levels > 0 {
        let around = Neighbours::new(&mesh);
        mesh.positions = around.limits(&mesh.positions);
    }
    Ok(mesh)
}

/// The neighbours of each vertex.
struct Neighbours {
    /// All of them; on a border, the two along it.
    rings: Vec<Vec<u32>>,
    border: Vec<bool>,
}

impl Neighbours {
    fn new(mesh: &TriMesh) -> Self {
        let edges = edges(mesh);
        let count = mesh.positions.len();
        let mut border = vec![false; count];
        for ((a, b), edge) in &edges {
            if edge.opposite.len() != 2 {
                border[*a as usize] = true;
                border[*b as usize] = true;
            }
        }
        let mut rings = vec![Vec::new(); count];
        for ((a, b), edge) in &edges {
            for (v, other) in [(*a, *b), (*b, *a)] {
                if !border[v as usize] || edge.opposite.len() != 2 {
                    rings[v as usize].push(other);
                }
            }
        }
        Self { rings, border }
    }

    /// Where the vertices end after subdividing for ever.
    fn limits(&self, p: &[DVec3]) -> Vec<DVec3> {
        let limit = |v: usize| {
            let ring = &self.rings[v];
            let sum: DVec3 = ring.iter().map(|q| p[*q as usize]).sum();
            if self.border[v] {
                // Corners, where borders touch or end, stay.
                if ring.len() == 2 { (4.0 * p[v] + sum) / 6.0 } else { p[v] }
            } else if ring.is_empty() {
                p[v]
            } else {
                let n = ring.len() as f64;
                let chi = 1.0 / (3.0 / (8.0 * beta(ring.len())) + n);
                p[v] * (1.0 - n * chi) + sum * chi
            }
        };
        (0..p.len()).map(limit).collect()
    }
}

/// Weight of a neighbour in Loop's vertex rule.
fn beta(n: usize) -> f64 {
    let c = 0.375 + 0.25 * (std::f64::consts::TAU / n as f64).cos();
    (0.625 - c * c) / n as f64
}

/// Control points whose limits are the vertices.
fn control_points(mesh: &TriMesh) -> Vec<DVec3> {
    let around = Neighbours::new(mesh);
    let mut p = mesh.positions.clone();
    for _ in 0..ROUNDS {
        let limits = around.limits(&p);
        for (p, (x, l)) in p.iter_mut().zip(mesh.positions.iter().zip(&limits)) {
            *p += *x - *l;
        }
    }
    p
}

/// An edge: the vertices opposite to it, and its new vertex.
#[derive(Clone, Debug, Default)]
struct Edge {
    opposite: Vec<u32>,
    middle: u32,
}

type Edges = BTreeMap<(u32, u32), Edge>;

fn key(a: u32, b: u32) -> (u32, u32) {
    (a.min(b), a.max(b))
}

fn edges(mesh: &TriMesh) -> Edges {
    let mut edges = Edges::new();
    for [a, b, c] in &mesh.triangles {
        for (p, q, r) in [(*a, *b, *c), (*b, *c, *a), (*c, *a, *b)] {
            edges.entry(key(p, q)).or_default().opposite.push(r);
        }
    }
    edges
}

/// One step of Loop's rules.
fn split(mesh: &TriMesh) -> TriMesh {
    let mut edges = edges(mesh);
    let around = Neighbours::new(mesh);
    let p = &mesh.positions;
    let mut positions: Vec<DVec3> = (0..p.len())
        .map(|v| {
            let ring = &around.rings[v];
            let sum: DVec3 = ring.iter().map(|q| p[*q as usize]).sum();
            match (around.border[v], ring.len()) {
                (true, 2) => 0.75 * p[v] + 0.125 * sum,
                (true, _) | (_, 0) => p[v],
                (false, n) => p[v] * (1.0 - n as f64 * beta(n)) + sum * beta(n),
            }
        })
        .collect();
    for ((a, b), edge) in &mut edges {
        edge.middle = positions.len() as u32;
        let ends = p[*a as usize] + p[*b as usize];
        positions.push(match edge.opposite[..] {
            [c, d] => 0.375 * ends + 0.125 * (p[c as usize] + p[d as usize]),
            _ => 0.5 * ends,
        });
    }
    let middle = |a: u32, b: u32| edges[&key(a, b)].middle;
    let four =
        |[a, b, c]: [u32; 3], [x, y, z]: [u32; 3]| [[a, x, z], [x, b, y], [z, y, c], [x, y, z]];
    let cut = |t: &[u32; 3]| {
        let [a, b, c] = *t;
        four(*t, [middle(a, b), middle(b, c), middle(c, a)])
    };
    let triangles = mesh.triangles.iter().flat_map(cut).collect();
    let (uv, uv_triangles) = split_uv(mesh);
    TriMesh { positions, triangles, uv, uv_triangles }
}

/// Material coordinates with the middle of each edge.
fn split_uv(mesh: &TriMesh) -> (Vec<DVec2>, Vec<[u32; 3]>) {
    if !mesh.has_uv() {
        return (Vec::new(), Vec::new());
    }
    let mut uv = mesh.uv.clone();
    let mut middles: BTreeMap<(u32, u32), u32> = BTreeMap::new();
    let mut triangles = Vec::with_capacity(4 * mesh.uv_triangles.len());
    for [a, b, c] in &mesh.uv_triangles {
        let mut middle = |p: u32, q: u32| {
            *middles.entry(key(p, q)).or_insert_with(|| {
                let ends = [p, q].map(|k| mesh.uv.get(k as usize).copied().unwrap_or_default());
                uv.push(0.5 * (ends[0] + ends[1]));
                uv.len() as u32 - 1
            })
        };
        let (x, y, z) = (middle(*a, *b), middle(*b, *c), middle(*c, *a));
        triangles.extend([[*a, x, z], [x, *b, y], [z, y, *c], [x, y, z]]);
    }
    (uv, triangles)
}

#[cfg(test)]
mod tests {
    use super::*;
    use toile_mesh::shape::{Diagonals, grid};

    #[test]
    fn the_surface_goes_through_the_vertices_it_starts_from() {
        let mesh = grid(1.0, 1.0, 8, 8, Diagonals::Alternating)
            .map_positions(|p| DVec3::new(p.x, 0.1 * (7.0 * p.x).sin() * (5.0 * p.z).cos(), p.z));
        let fine = subdivide(&mesh, 2).unwrap();
        assert_eq!(fine.triangles.len(), 16 * mesh.triangles.len());
        assert_eq!(fine.uv_triangles.len(), fine.triangles.len());
        for (a, b) in mesh.positions.iter().zip(&fine.positions) {
            assert!(a.distance(*b) < 1e-4, "{a} {b}");
        }
    }

    #[test]
    fn a_coarse_cylinder_becomes_round() {
        let wave = |n: usize| {
            let mesh = grid(1.0, 0.5, n, n / 2, Diagonals::Alternating);
            mesh.map_positions(|p| DVec3::new(p.x.sin(), p.x.cos(), p.z))
        };
        let radius = |mesh: &TriMesh| {
            // The middles of edges show the facets.
            let off = |t: &[u32; 3]| {
                let [a, b, c] = t.map(|v| mesh.positions[v as usize]);
                let away = |p: DVec3, q: DVec3| {
                    let m = 0.5 * (p + q);
                    // The ends of the sheet are free and turn straight.
                    if m.x.abs() > 0.3 || m.z.abs() > 0.15 {
                        return 0.0;
                    }
                    (1.0 - DVec2::new(m.x, m.y).length()).abs()
                };
                away(a, b).max(away(b, c)).max(away(c, a))
            };
            mesh.triangles.iter().map(off).fold(0.0, f64::max)
        };
        let coarse = wave(8);
        let fine = subdivide(&coarse, 2).unwrap();
        assert!(radius(&fine) < 0.35 * radius(&coarse), "{} {}", radius(&fine), radius(&coarse));
    }

    #[test]
    fn flat_stays_flat_and_too_much_is_refused() {
        let mesh = grid(1.0, 1.0, 3, 3, Diagonals::Same);
        let fine = subdivide(&mesh, 1).unwrap();
        assert!(fine.positions.iter().all(|p| p.y.abs() < 1e-12));
        // Only the four corners are rounded off.
        assert!((fine.area() / mesh.area() - 1.0).abs() < 0.06, "{}", fine.area());
        assert!(subdivide(&mesh, 30).is_err());
        let broken = TriMesh::new(vec![DVec3::ZERO], vec![[0, 1, 2]]);
        assert!(subdivide(&broken, 1).is_err());
    }
}
