//! The rest state of a triangle, shared by the finite-element models.
//!
//! Linear form functions N_a with gradients g_a in material coordinates give the 3 × 2 deformation
//! gradient `F = Σ x_a g_aᵀ`, constant over the triangle, with columns s_u (weft) and s_v (warp).

use super::definite::single_outer;
use glam::{DMat2, DVec2, DVec3, Mat3A, Vec3, Vec3A};
use toile_mesh::TriMesh;

/// A triangle at rest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Triangle {
    /// Its vertices.
    pub vertices: [u32; 3],
    /// Rest area [m²].
    pub area: f64,
    /// Gradients of the first two form functions in material coordinates [1/m]: all three sum to zero.
    two: [DVec2; 2],
}

impl Triangle {
    /// The triangle with these material corners; `None` if it has no area.
    pub fn new(vertices: [u32; 3], uv: [DVec2; 3]) -> Option<Self> {
        let twice = (uv[1] - uv[0]).perp_dot(uv[2] - uv[0]);
        if !(twice.abs() > 0.0 && twice.is_finite()) {
            return None;
        }
        // The gradient of N_a stands upright on the opposite edge. A pattern piece that lies face
        // down has a negative area here; the gradients stay right.
        let two = std::array::from_fn(|a| {
            let edge = uv[(a + 2) % 3] - uv[(a + 1) % 3];
            DVec2::new(-edge.y, edge.x) / twice
        });
        Some(Self { vertices, area: 0.5 * twice.abs(), two })
    }

    /// One that resists nothing.
    pub fn without_area(vertices: [u32; 3]) -> Self {
        Self { vertices, area: 0.0, two: [DVec2::ZERO; 2] }
    }

    /// Gradients of the form functions in material coordinates [1/m].
    #[inline]
    pub fn gradients(&self) -> [DVec2; 3] {
        let [a, b] = self.two;
        [a, b, -a - b]
    }

    /// All triangles of a mesh with material coordinates; those without area are left out.
    pub fn of_mesh(mesh: &TriMesh) -> Vec<Self> {
        let mut all = Vec::with_capacity(mesh.triangles.len());
        let each =
            (0..mesh.triangles.len()).map(|t| Self::new(mesh.triangles[t], mesh.corners_uv(t)));
        all.extend(each.flatten());
        all
    }

    /// The columns s_u and s_v of the deformation gradient.
    #[inline]
    pub fn deformation(&self, x: &[DVec3; 3]) -> [DVec3; 2] {
        let ([p, q], [a, b]) = (self.two, [x[0] - x[2], x[1] - x[2]]);
        [a * p.x + b * q.x, a * p.y + b * q.y]
    }

    /// The stiffness between corners a and b under tangent moduli C and a stress S: between directions of the
    /// plane, and, the same in all directions of space, of tension.
    ///
    /// `κ_ij = A Σ_kl ∂N_a/∂u_k C_ikjl ∂N_b/∂u_l` and `A g_aᵀ S g_b`.
    #[inline]
    pub(super) fn between(
        &self,
        c: &[[f64; 3]; 3],
        stress: DMat2,
        a: usize,
        b: usize,
    ) -> ([[f64; 2]; 2], f64) {
        let (ga, gb) = (self.gradients()[a] * self.area, self.gradients()[b]);
        // Stress (11, 22, 12) of moving corner b along either direction, and its pull at corner a.
        let along = |k: usize| [c[k][0] * gb.x + c[k][2] * gb.y, c[k][1] * gb.y + c[k][2] * gb.x];
        let moved = [along(0), along(1), along(2)];
        let pull = |i: usize, j: usize| ga[i] * moved[i][j] + ga[1 - i] * moved[2][j];
        ([[pull(0, 0), pull(0, 1)], [pull(1, 0), pull(1, 1)]], ga.dot(stress * gb))
    }

    /// The upper triangle of `Σ_ij κ_ij f_i f_jᵀ` and of tension in single precision, for directions f of the plane
    /// in space. Rows sum to zero, as do the gradients of the form functions, so three blocks of six do.
    #[inline]
    pub(super) fn write_single(
        &self,
        f: [Vec3A; 2],
        c: &[[f64; 3]; 3],
        stress: DMat2,
        upper: &mut [Mat3A],
    ) {
        let block = |a: usize, b: usize| {
            let (k, all) = self.between(c, stress, a, b);
            let row = |i: usize| f[0] * k[i][0] as f32 + f[1] * k[i][1] as f32;
            single_outer(f[0], row(0))
                + single_outer(f[1], row(1))
                + Mat3A::from_diagonal(Vec3::splat(all as f32))
        };
        let (k00, k01, k11) = (block(0, 0), block(0, 1), block(1, 1));
        let (k02, k12) = (-k00 - k01, -k01.transpose() - k11);
        upper.copy_from_slice(&[k00, k01, k02, k11, k12, -k02 - k12]);
    }

    /// Green strain (e11, e22, 2 e12).
    #[inline]
    pub fn green_strain(&self, x: &[DVec3; 3]) -> [f64; 3] {
        let [u, v] = self.deformation(x);
        [0.5 * (u.dot(u) - 1.0), 0.5 * (v.dot(v) - 1.0), u.dot(v)]
    }

    /// Gradients of the three entries of the Green strain at the corners.
    #[inline]
    pub fn green_gradients(&self, x: &[DVec3; 3]) -> [[DVec3; 3]; 3] {
        let [u, v] = self.deformation(x);
        let g = self.gradients();
        [g.map(|g| u * g.x), g.map(|g| v * g.y), g.map(|g| u * g.y + v * g.x)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_affine_map_has_its_own_gradient_on_any_triangle() {
        let uv = [DVec2::new(0.3, -0.1), DVec2::new(1.1, 0.2), DVec2::new(0.2, 0.9)];
        let (su, sv) = (DVec3::new(1.1, 0.2, -0.3), DVec3::new(0.1, 0.8, 0.5));
        let x = uv.map(|p| su * p.x + sv * p.y + DVec3::new(3.0, 2.0, 1.0));
        for order in [[0, 1, 2], [1, 0, 2]] {
            let t = Triangle::new([0, 1, 2], order.map(|k| uv[k])).unwrap();
            let [u, v] = t.deformation(&order.map(|k| x[k]));
            assert!((u - su).length() < 1e-14 && (v - sv).length() < 1e-14);
            assert!((t.area - 0.415).abs() < 1e-14, "{}", t.area);
        }
        assert!(Triangle::new([0, 1, 2], [uv[0], uv[1], uv[0]]).is_none());
    }
}
