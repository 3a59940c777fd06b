//! The cloth as one surface: what is sewn together is one vertex; strain and tension of its triangles.
//!
//! With the columns s_u, s_v of the deformation gradient, elongations are |s_u| − 1 and |s_v| − 1, and the shear is the angle by
//! which s_u and s_v are off a right angle. With C = FᵀF, the law's second Piola–Kirchhoff stress S and J = √det C, the
//! principal tensions are the eigenvalues of S C/J, that of force per present width, and the principal stretches the roots
//! of those of C.

use super::Worn;
use crate::error::Error;
use glam::{DVec2, DVec3};
use serde::Serialize;
use toile_mesh::Topology;
use toile_sim::element::Triangle;

/// What a triangle bears.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Strain {
    /// Elongation along the weft.
    pub weft: f64,
    /// Elongation along the warp.
    pub warp: f64,
    /// Angle of shear between them [rad].
    pub shear: f64,
    /// Largest and least elongation.
    pub principal: [f64; 2],
    /// Largest and least principal tension [N/m]; negative where cloth is compressed.
    pub tension: [f64; 2],
    /// Second Piola–Kirchhoff stress (S11, S22, S12) [N/m].
    pub stress: [f64; 3],
}

/// The cloth with sewn vertices joined.
pub(super) struct Merged {
    /// Vertex of each vertex of the cloth.
    of: Vec<u32>,
    /// Vertex of the cloth of each vertex of the pattern, its panels behind one another.
    became: Vec<u32>,
    /// Mean of what was joined [m].
    pub(super) positions: Vec<DVec3>,
    /// Triangles of the joined vertices, in the order of the cloth.
    pub(super) triangles: Vec<[u32; 3]>,
    /// Rest state of each, with the vertices of the cloth.
    pub(super) rest: Vec<Triangle>,
    /// Corners in the pattern [m].
    pub(super) uv: Vec<[DVec2; 3]>,
    /// Panel of each.
    pub(super) panel: Vec<u32>,
}

impl Merged {
    pub(super) fn new(worn: &Worn<'_>) -> Result<Self, Error> {
        let cloth = worn.cloth;
        let count: usize = worn.panels.panels.iter().map(|p| p.mesh.triangles.len()).sum();
        let known = |t: &[u32; 3]| t.iter().all(|v| (*v as usize) < cloth.positions.len());
        if count != cloth.triangles.len() || !cloth.triangles.iter().all(known) {
            return Err(Error::NotTheSame { worn: cloth.triangles.len(), pattern: count });
        }
        let (mut uv, mut panel) = (Vec::with_capacity(count), Vec::with_capacity(count));
        // The vertex of the cloth that each vertex of the pattern became.
        let offsets = worn.panels.offsets();
        let mut became = vec![0; offsets[offsets.len() - 1] as usize];
        for (p, part) in worn.panels.panels.iter().enumerate() {
            let flat = &part.mesh;
            for (own, tri) in flat.triangles.iter().enumerate() {
                let t = uv.len();
                for k in 0..3 {
                    became[(offsets[p] + tri[k]) as usize] = cloth.triangles[t][k];
                }
                uv.push(match flat.has_uv() {
                    true => flat.corners_uv(own),
                    false => flat.corners(own).map(|p| p.truncate()),
                });
                panel.push(p as u32);
            }
        }
        let mut of: Vec<u32> = (0..cloth.positions.len() as u32).collect();
        for [a, b] in worn.panels.sewn_pairs() {
            let [a, b] = [a, b].map(|v| root(&mut of, became[v as usize]));
            of[a.max(b) as usize] = a.min(b);
        }
        let (mut positions, mut counts) = (Vec::new(), Vec::new());
        let mut number = vec![0; of.len()];
        for v in 0..of.len() as u32 {
            let r = root(&mut of, v) as usize;
            // A root is the least of its group, and comes first.
            if r == v as usize {
                number[r] = positions.len() as u32;
                positions.push(DVec3::ZERO);
                counts.push(0.0);
            }
            positions[number[r] as usize] += cloth.positions[v as usize];
            counts[number[r] as usize] += 1.0;
        }
        for (p, n) in positions.iter_mut().zip(counts) {
            *p /= n;
        }
        let of: Vec<u32> = of.iter().map(|r| number[*r as usize]).collect();
        let triangles = cloth.triangles.iter().map(|t| t.map(|v| of[v as usize])).collect();
        // A triangle without area bears nothing; it keeps its place.
        let nothing = Triangle::without_area;
        let rest = cloth.triangles.iter().zip(&uv);
        let rest = rest.map(|(t, uv)| Triangle::new(*t, *uv).unwrap_or(nothing(*t))).collect();
        Ok(Self { of, became, positions, triangles, rest, uv, panel })
    }

    /// Where a vertex of a panel is worn [m].
    pub(super) fn place(&self, worn: &Worn<'_>, panel: usize, vertex: u32) -> DVec3 {
        let number = worn.panels.offsets()[panel] + vertex;
        self.positions[self.of[self.became[number as usize] as usize] as usize]
    }

    /// Values of the joined vertices at the vertices of the cloth.
    pub(super) fn to_cloth(&self, values: &[f64]) -> Vec<f64> {
        self.of.iter().map(|v| values[*v as usize]).collect()
    }

    /// Means of the triangles around each vertex, by rest area.
    pub(super) fn mean(&self, strains: &[Strain], value: &dyn Fn(&Strain) -> f64) -> Vec<f64> {
        let mut sums = vec![[0.0; 2]; self.positions.len()];
        for ((tri, rest), strain) in self.triangles.iter().zip(&self.rest).zip(strains) {
            for v in tri {
                sums[*v as usize][0] += rest.area * value(strain);
                sums[*v as usize][1] += rest.area;
            }
        }
        sums.iter().map(|[s, w]| if *w > 0.0 { s / w } else { 0.0 }).collect()
    }

    /// Mean of the absolute mean curvature [1/m]. That of a vertex is ¼ Σ θ |e| over its edges, by its area, with the sign of
    /// the angle: facets of a smooth surface bend both ways and must cancel. A tube of radius R has 1/2R.
    pub(super) fn curvature(&self) -> f64 {
        let x = |v: u32| self.positions[v as usize];
        let normal = |[a, b, c]: &[u32; 3]| (x(*b) - x(*a)).cross(x(*c) - x(*a));
        let normals: Vec<DVec3> = self.triangles.iter().map(normal).collect();
        let area: f64 = normals.iter().map(|n| 0.5 * n.length()).sum();
        let topology = Topology::new(self.positions.len(), &self.triangles);
        let mut bends = vec![0.0; self.positions.len()];
        for e in topology.edges.iter().filter(|e| e.valence == 2) {
            let [m, n] = e.triangles.map(|t| normals[t as usize]);
            let first = self.triangles[e.triangles[0] as usize];
            let [a, b] = e.vertices;
            let runs = (0..3).any(|k| first[k] == a && first[(k + 1) % 3] == b);
            let along = if runs { x(b) - x(a) } else { x(a) - x(b) };
            let turn = m.cross(n);
            let angle = libm::atan2(turn.length().copysign(turn.dot(along)), m.dot(n));
            for v in [a, b] {
                bends[v as usize] += 0.25 * angle * along.length();
            }
        }
        let bent: f64 = bends.iter().map(|b| b.abs()).sum();
        if area > 0.0 { bent / area } else { 0.0 }
    }
}

/// The least vertex that a vertex is joined to.
fn root(of: &mut [u32], v: u32) -> u32 {
    let mut r = v;
    while of[r as usize] != r {
        of[r as usize] = of[of[r as usize] as usize];
        r = of[r as usize];
    }
    of[v as usize] = r;
    r
}

/// Strain and tension of all triangles.
pub(super) fn strains(worn: &Worn<'_>, merged: &Merged) -> Result<Vec<Strain>, Error> {
    let laws = (0..worn.panels.panels.len()).map(|p| worn.fabrics.of(p).law());
    let laws = laws.collect::<Result<Vec<_>, _>>()?;
    let each = merged.rest.iter().enumerate().map(|(t, rest)| {
        if rest.area == 0.0 {
            return Strain::default();
        }
        let x = worn.cloth.corners(t);
        let [u, v] = rest.deformation(&x);
        let (s, _) = laws[merged.panel[t] as usize].stress(rest.green_strain(&x));
        let (c11, c22, c12) = (u.dot(u), v.dot(v), u.dot(v));
        let det = (c11 * c22 - c12 * c12).max(0.0);
        let stretches = roots(c11 + c22, det).map(f64::sqrt);
        // Eigenvalues of S C by its trace and determinant.
        let trace = s[0] * c11 + 2.0 * s[2] * c12 + s[1] * c22;
        let pulls = roots(trace, (s[0] * s[1] - s[2] * s[2]) * det);
        let j = det.sqrt();
        let shear = libm::asin((c12 / (c11 * c22).sqrt().max(1e-300)).clamp(-1.0, 1.0));
        Strain {
            weft: c11.sqrt() - 1.0,
            warp: c22.sqrt() - 1.0,
            shear,
            principal: stretches.map(|l| l - 1.0),
            // A triangle compressed to a line has no width to bear anything over.
            tension: if j > 1e-9 { pulls.map(|p| p / j) } else { [0.0; 2] },
            stress: s,
        }
    });
    Ok(each.collect())
}

/// Both roots of λ² − trace λ + det, which are real; the larger first.
fn roots(trace: f64, det: f64) -> [f64; 2] {
    let half = 0.5 * trace;
    let d = (half * half - det).max(0.0).sqrt();
    [half + d, half - d]
}
