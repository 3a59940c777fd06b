//! Morley bending with its extra unknowns eliminated: one moment per edge.
//!
//! The least energy over all ψ is `E(x) = ½ φᵀ F⁻¹ φ`: φ the changes of slope over all edges that
//! carry a moment, `F = Σ_T N_T C_b⁻¹ N_Tᵀ / A_T` their compliance, constant, sparse and well conditioned,
//! factored once. The moments m = F⁻¹ φ are the same on both sides of an edge, so the gradient is
//! `Σ m_e φ′ ∇θ_e`, as cheap as that of hinges.
//!
//! The Gauss–Newton Hessian `Jᵀ F⁻¹ J`, J = φ′ ∇θ, couples everything with everything. It is applied, never
//! stored ([`Moments::apply`]); in its place [`Moments::hinge_hessian`] has the matrix of hinges, with what the
//! moment of an edge does to itself. Both have the same null space; the quotient of their energies lies
//! within small bounds on any mesh, so the one preconditions the other.

use super::super::Bending;
use super::super::hinge::angle_gradient;
use super::{compliance, row, slope};
use crate::Error;
use crate::element::stiffness::multiply;
use crate::linear::Scalar;
use glam::DVec3;
use toile_mesh::{Topology, TriMesh};

/// An edge that carries a moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Crease {
    /// The ends of the edge, then the tips of the triangles beside it. Behind a clamped edge the
    /// first tip stands in for the second.
    pub vertices: [u32; 4],
}

impl Crease {
    /// Whether there is a clamp behind the edge instead of a triangle.
    pub fn is_clamped(&self) -> bool {
        self.vertices[2] == self.vertices[3]
    }
}

/// Points of the planes that edges are clamped in [m], by the numbers of their creases, ascending. Few edges are clamped, and
/// there are three edges to a vertex: so they are not kept with the creases.
#[derive(Debug, Default)]
struct Clamps(Vec<(u32, DVec3)>);

impl Clamps {
    // Within its callers: what is copied to be handed on costs more than what is computed from it.
    #[inline(always)]
    fn corners(&self, number: usize, crease: &Crease, x: &[DVec3]) -> [DVec3; 4] {
        let mut corners = crease.vertices.map(|v| x[v as usize]);
        if crease.is_clamped()
            && let Ok(at) = self.0.binary_search_by_key(&(number as u32), |c| c.0)
        {
            corners[3] = self.0[at].1;
        }
        corners
    }

    /// Slope over a crease.
    #[inline(always)]
    fn slope(&self, number: usize, crease: &Crease, x: &[DVec3]) -> f64 {
        slope(&self.corners(number, crease, x)).0
    }

    /// Derivatives of the slope; a clamp does not move.
    fn slopes(&self, number: usize, crease: &Crease, x: &[DVec3]) -> [DVec3; 4] {
        let corners = self.corners(number, crease, x);
        let factor = slope(&corners).1;
        let mut g = angle_gradient(&corners).map(|g| g * factor);
        if crease.is_clamped() {
            g[3] = DVec3::ZERO;
        }
        g
    }
}

/// The bending of a sheet.
#[derive(Debug)]
pub struct Moments {
    creases: Vec<Crease>,
    clamps: Clamps,
    /// Slopes at rest; none where all is flat, as most cloth is.
    rest: Vec<f64>,
    compliance: Scalar,
}

impl Moments {
    /// The bending of a mesh, flat at rest; `clamp` as for [`super::of_mesh`].
    ///
    /// # Errors
    /// If the bending stiffness is not positive definite.
    pub fn of_mesh(
        mesh: &TriMesh,
        topology: &Topology,
        bending: impl Fn(usize) -> Bending,
        clamp: impl Fn(usize) -> Option<DVec3>,
    ) -> Result<Self, Error> {
        let mut number = vec![None; topology.edges.len()];
        let mut creases = Vec::with_capacity(topology.edges.len());
        let mut clamps = Clamps::default();
        for e in 0..topology.edges.len() {
            if let Some(vertices) = stencil(mesh, topology, e, &clamp) {
                number[e] = Some(creases.len() as u32);
                if let Some(point) = clamp(e).filter(|_| topology.edges[e].valence != 2) {
                    clamps.0.push((creases.len() as u32, point));
                }
                creases.push(Crease { vertices });
            }
        }
        creases.shrink_to_fit();
        let mut entries = Vec::with_capacity(6 * mesh.triangles.len());
        for t in 0..mesh.triangles.len() {
            let uv = mesh.corners_uv(t);
            let area = 0.5 * (uv[1] - uv[0]).perp_dot(uv[2] - uv[0]).abs();
            if area <= 0.0 {
                continue;
            }
            let soft = compliance(&bending(t))?;
            let held = topology.triangle_edges[t].map(|e| number[e as usize]);
            let rows: [[f64; 3]; 3] = std::array::from_fn(|k| row(&uv, k));
            for k in 0..3 {
                let c = multiply(&soft, rows[k]);
                for l in k..3 {
                    if let (Some(a), Some(b)) = (held[k], held[l]) {
                        let f = (0..3).map(|i| rows[l][i] * c[i]).sum::<f64>() / area;
                        entries.push((a, b, f));
                    }
                }
            }
        }
        let compliance = Scalar::new(creases.len(), &entries)
            .map_err(|e| Error::Setting { key: "bending", reason: e.to_string() })?;
        Ok(Self { creases, clamps, rest: Vec::new(), compliance })
    }

    /// The edges that carry a moment.
    pub fn creases(&self) -> &[Crease] {
        &self.creases
    }

    /// Takes the present shape for the one at rest.
    pub fn rest_at(&mut self, x: &[DVec3]) {
        self.rest.clear();
        self.rest.extend(self.creases.iter().enumerate().map(|(i, c)| self.clamps.slope(i, c, x)));
    }

    /// Moments of all edges [N·m], and the energy [J].
    pub fn moments(&mut self, x: &[DVec3], m: &mut Vec<f64>) -> f64 {
        m.clear();
        m.extend(self.creases.iter().enumerate().map(|(i, c)| self.clamps.slope(i, c, x)));
        m.iter_mut().zip(&self.rest).for_each(|(change, rest)| *change -= rest);
        let changes = m.clone();
        self.compliance.solve(m);
        let energy: f64 = changes.iter().zip(&*m).map(|(c, m)| c * m).sum();
        0.5 * energy
    }

    /// Adds the gradient of the energy, given the moments [N].
    pub fn add_gradient(&self, x: &[DVec3], m: &[f64], g: &mut [DVec3]) {
        for (number, (crease, m)) in self.creases.iter().zip(m).enumerate() {
            let slopes = self.clamps.slopes(number, crease, x);
            for (v, slope) in crease.vertices.into_iter().zip(slopes) {
                g[v as usize] += slope * *m;
            }
        }
    }

    /// Semidefinite approximation k g gᵀ of the Hessian, edge by edge: k [N·m], the inverse of the edge's own compliance, and
    /// g [1/m].
    pub fn hinge_hessian(&self, crease: usize, x: &[DVec3]) -> (f64, [DVec3; 4]) {
        let own = 1.0 / f64::from(self.compliance.diagonal()[crease]);
        (own, self.clamps.slopes(crease, &self.creases[crease], x))
    }

    /// Adds the Gauss–Newton Hessian at `x`, times `d`. `work` is memory.
    pub fn apply(&mut self, x: &[DVec3], d: &[DVec3], work: &mut Vec<f64>, out: &mut [DVec3]) {
        work.clear();
        work.extend(self.creases.iter().enumerate().map(|(number, c)| {
            let slopes = self.clamps.slopes(number, c, x);
            (0..4).map(|k| slopes[k].dot(d[c.vertices[k] as usize])).sum::<f64>()
        }));
        self.compliance.solve(work);
        self.add_gradient(x, work, out);
    }
}

/// The vertices of a crease over edge `e`, if it carries a moment.
fn stencil(
    mesh: &TriMesh,
    topology: &Topology,
    e: usize,
    clamp: &impl Fn(usize) -> Option<DVec3>,
) -> Option<[u32; 4]> {
    let edge = &topology.edges[e];
    if edge.valence == 2 {
        return super::super::hinge::stencil(mesh, topology, e).map(|(vertices, _)| vertices);
    }
    clamp(e)?;
    let t = edge.triangles[0] as usize;
    let k = topology.triangle_edges[t].iter().position(|k| *k as usize == e)?;
    let [a, b, tip] = [0, 1, 2].map(|i| mesh.triangles[t][(k + i) % 3]);
    Some([a, b, tip, tip])
}

#[cfg(test)]
mod tests {
    use super::super::super::check::{Dice, meshes};
    use super::super::{Patch, of_mesh};
    use super::*;

    const BENDING: Bending = Bending { weft: 1.0, warp: 2.5, poisson: 0.2, twist: 2.1 };

    /// A bent sheet, clamped on one side, with its moments and its patches.
    fn sheet(mesh: &TriMesh) -> (Moments, Vec<Patch>, usize, Vec<DVec3>) {
        let topology = Topology::new(mesh.positions.len(), &mesh.triangles);
        let clamp = |e: usize| {
            let [a, b] = topology.edges[e].vertices.map(|v| mesh.uv[v as usize]);
            (a.x < 1e-9 && b.x < 1e-9).then(|| DVec3::new(-0.3, 0.5 * (a.y + b.y), 0.1))
        };
        let moments = Moments::of_mesh(mesh, &topology, |_| BENDING, clamp).unwrap();
        let (patches, unknowns) = of_mesh(mesh, &topology, &BENDING, clamp).unwrap();
        let mut dice = Dice(4);
        let x = mesh
            .uv
            .iter()
            .map(|p| DVec3::new(p.x, p.y, 0.3 * p.x * p.x + 0.2 * p.x * p.y) + dice.vector() * 0.01)
            .collect();
        (moments, patches, unknowns, x)
    }

    /// The least energy of the patches over ψ, by steepest descent on its exact diagonal.
    fn least(patches: &[Patch], unknowns: usize, x: &[DVec3]) -> f64 {
        let mut psi = vec![0.0; unknowns];
        let local = |p: &Patch, psi: &[f64]| {
            let u = p.unknowns().map(|u| u.map_or(0.0, |u| psi[u as usize]));
            (p.vertices().map(|v| x[v as usize]), u)
        };
        let gradient = |psi: &[f64]| {
            let (mut g, mut d) = (vec![0.0; unknowns], vec![0.0; unknowns]);
            for p in patches {
                let (x, u) = local(p, psi);
                let by_psi = p.gradient(&x, &u).1;
                for (k, unknown) in p.unknowns().into_iter().enumerate() {
                    if let Some(unknown) = unknown {
                        g[unknown as usize] += by_psi[k];
                        d[unknown as usize] += p.stiffness[k][k];
                    }
                }
            }
            (g, d)
        };
        for _ in 0..2000 {
            let (g, d) = gradient(&psi);
            for i in 0..unknowns {
                psi[i] -= 0.5 * g[i] / d[i];
            }
        }
        patches
            .iter()
            .map(|p| {
                let (x, u) = local(p, &psi);
                p.energy(&x, &u)
            })
            .sum()
    }

    #[test]
    fn the_energy_is_the_least_of_the_patches_over_their_unknowns() {
        for (_, mesh) in meshes(5) {
            let (mut moments, patches, unknowns, x) = sheet(&mesh);
            let condensed = moments.moments(&x, &mut Vec::new());
            let exact = least(&patches, unknowns, &x);
            // As near as the compliance is kept.
            assert!((condensed / exact - 1.0).abs() < 1e-6, "{condensed} {exact}");
        }
    }

    #[test]
    fn the_gradient_matches_differences_of_the_energy() {
        for (_, mesh) in meshes(4) {
            let (mut moments, _, _, x) = sheet(&mesh);
            let (mut m, mut g) = (Vec::new(), vec![DVec3::ZERO; x.len()]);
            moments.moments(&x, &mut m);
            moments.add_gradient(&x, &m, &mut g);
            let scale = g.iter().map(|g| g.length()).fold(0.0, f64::max);
            for v in (0..x.len()).step_by(3) {
                for k in 0..3 {
                    let mut shifted = |s: f64| {
                        let mut y = x.clone();
                        y[v][k] += s;
                        moments.moments(&y, &mut m)
                    };
                    let numeric = (shifted(1e-6) - shifted(-1e-6)) / 2e-6;
                    assert!((g[v][k] - numeric).abs() < 1e-7 * scale, "{v} {k}");
                }
            }
        }
    }

    #[test]
    fn at_rest_the_applied_hessian_is_the_derivative_of_the_gradient() {
        let mesh = meshes(4).into_iter().next().unwrap().1;
        let (mut moments, _, _, x) = sheet(&mesh);
        moments.rest_at(&x);
        let mut dice = Dice(7);
        let d: Vec<DVec3> = x.iter().map(|_| dice.vector()).collect();
        let (mut m, mut applied) = (Vec::new(), vec![DVec3::ZERO; x.len()]);
        moments.apply(&x, &d, &mut m, &mut applied);
        let mut gradient = |s: f64| {
            let y: Vec<DVec3> = x.iter().zip(&d).map(|(x, d)| *x + *d * s).collect();
            let mut g = vec![DVec3::ZERO; x.len()];
            moments.moments(&y, &mut m);
            moments.add_gradient(&y, &m, &mut g);
            g
        };
        let (plus, minus) = (gradient(1e-6), gradient(-1e-6));
        let scale = applied.iter().map(|g| g.length()).fold(0.0, f64::max);
        for v in 0..x.len() {
            let numeric = (plus[v] - minus[v]) / 2e-6;
            assert!((applied[v] - numeric).length() < 1e-6 * scale, "{v}");
        }
    }

    #[test]
    fn the_matrix_of_hinges_is_near_the_hessian_on_any_mesh() {
        let mut dice = Dice(11);
        for (_, mesh) in meshes(6) {
            let (mut moments, _, _, x) = sheet(&mesh);
            for _ in 0..5 {
                let d: Vec<DVec3> = x.iter().map(|_| dice.vector()).collect();
                let mut applied = vec![DVec3::ZERO; x.len()];
                moments.apply(&x, &d, &mut Vec::new(), &mut applied);
                let exact: f64 = d.iter().zip(&applied).map(|(d, a)| d.dot(*a)).sum();
                let near: f64 = (0..moments.creases().len())
                    .map(|c| {
                        let ((k, g), v) =
                            (moments.hinge_hessian(c, &x), moments.creases()[c].vertices);
                        let along: f64 = (0..4).map(|i| g[i].dot(d[v[i] as usize])).sum();
                        k * along * along
                    })
                    .sum();
                assert!((0.3..3.0).contains(&(near / exact)), "{}", near / exact);
            }
        }
    }
}
