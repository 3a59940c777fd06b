//! Derivatives, constant curvature on any mesh, zero modes, and plates with known deflections.

use super::super::check::{self, Dice, meshes};
use super::super::{Element, spring};
use super::*;
use crate::Fabric;

const BENDING: Bending = Bending { weft: 1.0, warp: 2.5, poisson: 0.2, twist: 2.1 };

/// An inner patch with one clamped edge, far from flat.
fn patch() -> (Patch, [DVec3; 6], [f64; 3]) {
    let uv = [DVec2::new(0.0, 0.1), DVec2::new(1.0, 0.0), DVec2::new(0.3, 0.8)];
    let inner = |tip, sign| Side::Inner { tip, weight: 0.4, sign, unknown: tip };
    let sides = [inner(3, 1.0), inner(4, -1.0), Side::Clamped(DVec3::new(-0.6, 0.6, 0.3))];
    let stiffness = stiffness(&uv, 0.35, &sides, &invert(&BENDING.matrix()).unwrap());
    let mut dice = Dice(5);
    let flat = [[0.0, 0.1], [1.0, 0.0], [0.3, 0.8], [0.4, -0.9], [1.1, 0.9], [0.3, 0.8]];
    let x = flat.map(|[u, v]| DVec3::new(u, v, 0.0) + dice.vector() * 0.25);
    (Patch { corners: [0, 1, 2], sides, stiffness, rest: [0.1, -0.2, 0.0] }, x, [0.3, -0.2, 0.0])
}

#[test]
fn the_gradient_matches_differences_of_the_energy() {
    let (patch, x, psi) = patch();
    let (by_x, by_psi) = patch.gradient(&x, &psi);
    let scale = by_x.iter().map(|g| g.length()).fold(0.0, f64::max);
    let h = 1e-5;
    for v in 0..6 {
        for k in 0..3 {
            let shifted = |s: f64| {
                let mut y = x;
                y[v][k] += s;
                patch.energy(&y, &psi)
            };
            let numeric = (shifted(h) - shifted(-h)) / (2.0 * h);
            assert!((by_x[v][k] - numeric).abs() < 1e-7 * scale, "{v} {k} {numeric}");
        }
    }
    for k in 0..3 {
        let shifted = |s: f64| {
            let mut p = psi;
            p[k] += s;
            patch.energy(&x, &p)
        };
        let numeric = (shifted(h) - shifted(-h)) / (2.0 * h);
        assert!((by_psi[k] - numeric).abs() < 1e-7 * scale);
    }
}

#[test]
fn the_hessian_is_exact_at_rest_and_definite_elsewhere() {
    let (mut patch, x, _) = patch();
    let dense = |p: &Patch| -> Vec<f64> {
        let h = p.hessian(&x);
        let entry = |i: usize, j: usize| match (i < 18, j < 18) {
            (true, true) => h.xx[i / 3][j / 3].col(j % 3)[i % 3],
            (true, false) => h.xp[i / 3][j - 18][i % 3],
            (false, true) => h.xp[j / 3][i - 18][j % 3],
            (false, false) => h.pp[i - 18][j - 18],
        };
        (0..441).map(|k| entry(k / 21, k % 21)).collect()
    };
    let values = check::eigenvalues(&mut dense(&patch), 21);
    assert!(values[0] > -1e-10 * values[20] && values[20] > 0.0);
    // Rest angles as they are: α = 0, where nothing is dropped.
    patch.rest = std::array::from_fn(|k| angle(&patch.hinge(&x, k)));
    let h = dense(&patch);
    let scale = h.iter().fold(0.0_f64, |s, v| s.max(v.abs()));
    let gradient = |i: usize, s: f64| -> Vec<f64> {
        let (mut y, mut p) = (x, [0.0; 3]);
        if i < 18 {
            y[i / 3][i % 3] += s
        } else {
            p[i - 18] += s
        }
        let (gx, gp) = patch.gradient(&y, &p);
        gx.iter().flat_map(|g| g.to_array()).chain(gp).collect()
    };
    for j in 0..21 {
        let (plus, minus) = (gradient(j, 1e-5), gradient(j, -1e-5));
        for i in 0..21 {
            let numeric = (plus[i] - minus[i]) / 2e-5;
            assert!((h[i * 21 + j] - numeric).abs() < 1e-7 * scale, "{i} {j}");
        }
    }
}

#[test]
fn phi_goes_on_smoothly_beyond_its_last_angle() {
    let last = 2.0 * FRAC_PI_3;
    for side in [-1.0, 1.0] {
        let (below, above) = (phi(side * (last - 1e-9)), phi(side * (last + 1e-9)));
        assert!((below.0 - above.0).abs() < 1e-7 && (below.1 - above.1).abs() < 1e-7);
        assert!((phi(side * 3.0).0 - phi(side * 2.9).0) * side > 0.0);
    }
}

/// A mesh with its patches and the state they are in.
struct Sheet {
    patches: Vec<Patch>,
    x: Vec<DVec3>,
    psi: Vec<f64>,
}

impl Sheet {
    fn local(&self, p: &Patch, psi: &[f64]) -> ([DVec3; 6], [f64; 3]) {
        let x = p.vertices().map(|v| self.x[v as usize]);
        (x, p.unknowns().map(|u| u.map_or(0.0, |u| psi[u as usize])))
    }

    fn energy(&self) -> f64 {
        self.patches
            .iter()
            .map(|p| {
                let (x, psi) = self.local(p, &self.psi);
                p.energy(&x, &psi)
            })
            .sum()
    }

    /// Gradient by vertices, and how large its parts are before they cancel.
    fn gradient(&self) -> (Vec<DVec3>, Vec<f64>) {
        let (mut sum, mut size) = (vec![DVec3::ZERO; self.x.len()], vec![0.0; self.x.len()]);
        for p in &self.patches {
            let (x, psi) = self.local(p, &self.psi);
            for (v, g) in p.vertices().into_iter().zip(p.gradient(&x, &psi).0) {
                sum[v as usize] += g;
                size[v as usize] += g.length();
            }
        }
        (sum, size)
    }

    /// ψ at the minimum: the energy is quadratic in it, so conjugate gradients find it.
    fn relax(&mut self) {
        let mut right = vec![0.0; self.psi.len()];
        for p in &self.patches {
            let (x, _) = self.local(p, &self.psi);
            let g = p.gradient(&x, &[0.0; 3]).1;
            p.unknowns().into_iter().zip(g).for_each(|(u, g)| {
                if let Some(u) = u {
                    right[u as usize] -= g;
                }
            });
        }
        let product = |psi: &[f64]| {
            let mut out = vec![0.0; psi.len()];
            for p in &self.patches {
                let (x, local) = self.local(p, psi);
                let pulled = multiply(&p.hessian(&x).pp, local);
                p.unknowns().into_iter().zip(pulled).for_each(|(u, g)| {
                    if let Some(u) = u {
                        out[u as usize] += g;
                    }
                });
            }
            out
        };
        let (psi, _) = conjugate_gradients(product, &right, &vec![1.0; right.len()]);
        self.psi = psi;
    }
}

/// Solves to 1e-12 of the right side; `diagonal` preconditions. Also gives the iterations.
fn conjugate_gradients(
    product: impl Fn(&[f64]) -> Vec<f64>,
    right: &[f64],
    diagonal: &[f64],
) -> (Vec<f64>, usize) {
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let precondition = |r: &[f64]| r.iter().zip(diagonal).map(|(r, d)| r / d).collect::<Vec<_>>();
    let mut x = vec![0.0; right.len()];
    let mut r = right.to_vec();
    let mut z = precondition(&r);
    let mut p = z.clone();
    let (mut rz, limit) = (dot(&r, &z), 1e-24 * dot(right, right));
    for iteration in 0..20_000 {
        if dot(&r, &r) <= limit {
            return (x, iteration);
        }
        let ap = product(&p);
        let step = rz / dot(&p, &ap);
        for i in 0..x.len() {
            x[i] += step * p[i];
            r[i] -= step * ap[i];
        }
        z = precondition(&r);
        let next = dot(&r, &z);
        for i in 0..x.len() {
            p[i] = z[i] + p[i] * (next / rz);
        }
        rz = next;
    }
    panic!("conjugate gradients did not converge");
}

/// The height of a constant curvature.
fn height(k: [f64; 3], p: DVec2) -> f64 {
    0.5 * k[0] * p.x * p.x + 0.5 * k[1] * p.y * p.y + k[2] * p.x * p.y
}

/// The unit square bent to the curvature k, its boundary clamped to the tangents of the surface.
fn bent(mesh: &TriMesh, k: [f64; 3]) -> Sheet {
    let topology = Topology::new(mesh.positions.len(), &mesh.triangles);
    let on = |p: DVec2| DVec3::new(p.x, p.y, height(k, p));
    // On a quadratic surface a chord is parallel to the tangent plane over its middle.
    let clamp = |e: usize| {
        let [a, b] = topology.edges[e].vertices.map(|v| mesh.uv[v as usize]);
        let c = 0.5 * (a + b);
        let out = c.normalize() * 0.1;
        let slope = DVec2::new(k[0] * c.x + k[2] * c.y, k[2] * c.x + k[1] * c.y);
        Some(0.5 * (on(a) + on(b)) + DVec3::new(out.x, out.y, slope.dot(out)))
    };
    let (patches, unknowns) = of_mesh(mesh, &topology, &BENDING, clamp).unwrap();
    let x = mesh.uv.iter().map(|p| on(*p)).collect();
    let mut sheet = Sheet { patches, x, psi: vec![0.0; unknowns] };
    sheet.relax();
    sheet
}

#[test]
fn a_constant_curvature_has_the_energy_of_the_plate_and_no_inner_force_on_any_mesh() {
    let k = 1e-3;
    let (h, d) = (0.5 * k, 0.0);
    let states = [[k, d, d], [d, k, d], [h, h, h], [h, h, -h], [d, d, k], [k, k, d]];
    for (name, mesh) in meshes(8) {
        for state in states {
            let sheet = bent(&mesh, state);
            let ratio = sheet.energy() / BENDING.density(state);
            assert!((ratio - 1.0).abs() < 1e-4, "{name} {state:?}: {ratio}");
            let (force, size) = sheet.gradient();
            for (v, p) in mesh.uv.iter().enumerate() {
                if p.abs().max_element() < 0.4999 {
                    let left = force[v].length() / size[v];
                    assert!(left < 1e-3, "{name} {state:?}: vertex {v} keeps {left}");
                }
            }
        }
    }
}

#[test]
fn a_sheet_rolled_to_a_prism_has_the_energy_of_the_cylinder_inside_it() {
    let n = 6;
    let edge = 1.0 / n as f64;
    for (turn, (name, mesh)) in [0.8, 1.9].into_iter().zip(meshes(n)) {
        let topology = Topology::new(mesh.positions.len(), &mesh.triangles);
        // Edges of true length and the same turn between any two: a prism around a cylinder of
        // curvature 2 tan(turn/2)/edge.
        let radius = 0.5 * edge / (0.5_f64 * turn).sin();
        let on = |p: DVec2| {
            let a = p.x / edge * turn;
            DVec3::new(radius * a.sin(), p.y, radius * (1.0 - a.cos()))
        };
        let clamp = |e: usize| {
            let edge = &topology.edges[e];
            let [a, b] = edge.vertices.map(|v| mesh.uv[v as usize]);
            let t = mesh.triangles[edge.triangles[0] as usize];
            let o = t.into_iter().find(|v| !edge.vertices.contains(v)).unwrap();
            let middle = 0.5 * (on(a) + on(b));
            let level = 2.0 * middle - on(mesh.uv[o as usize]);
            // Round ends turn on by half of φ, straight sides not at all.
            let end = a.x == b.x;
            let half = 2.0 * (0.5 * (0.5_f64 * turn).tan()).atan();
            let axis = DVec3::Y * -a.x.signum();
            let turned = glam::DQuat::from_axis_angle(axis, half) * (level - middle);
            Some(if end { middle + turned } else { level })
        };
        let (patches, unknowns) = of_mesh(&mesh, &topology, &BENDING, clamp).unwrap();
        let x = mesh.uv.iter().map(|p| on(*p)).collect();
        let mut sheet = Sheet { patches, x, psi: vec![0.0; unknowns] };
        sheet.relax();
        let kappa = 2.0 * (0.5_f64 * turn).tan() / edge;
        let ratio = sheet.energy() / BENDING.density([kappa, 0.0, 0.0]);
        assert!((ratio - 1.0).abs() < 1e-9, "{name} {turn}: {ratio}");
    }
}

#[test]
fn a_free_sheet_has_exactly_six_zero_modes() {
    for (name, mesh) in meshes(3) {
        let topology = Topology::new(mesh.positions.len(), &mesh.triangles);
        let (patches, unknowns) = of_mesh(&mesh, &topology, &BENDING, |_| None).unwrap();
        let soft = Fabric { weft: 1.0, warp: 1.0, ..Fabric::default() };
        let nodes = mesh.positions.len();
        let n = 3 * nodes + unknowns;
        let mut dense = vec![0.0; n * n];
        for s in spring::of_triangles(&mesh, &topology, &soft) {
            if s.kind == spring::Kind::Structural {
                let x = s.ends.map(|v| mesh.positions[v as usize]);
                scatter(&mut dense, n, &Element::hessian(&s, &x, false), &s.ends);
            }
        }
        for p in &patches {
            let h = p.hessian(&p.vertices().map(|v| mesh.positions[v as usize]));
            scatter(&mut dense, n, &h.xx, &p.vertices());
            for (l, u) in p.unknowns().into_iter().enumerate() {
                let Some(u) = u else { continue };
                let j = 3 * nodes + u as usize;
                for (a, v) in p.vertices().into_iter().enumerate() {
                    for i in 0..3 {
                        dense[(3 * v as usize + i) * n + j] += h.xp[a][l][i];
                        dense[j * n + 3 * v as usize + i] += h.xp[a][l][i];
                    }
                }
                for (m, w) in p.unknowns().into_iter().enumerate() {
                    if let Some(w) = w {
                        dense[j * n + 3 * nodes + w as usize] += h.pp[l][m];
                    }
                }
            }
        }
        let values = check::eigenvalues(&mut dense, n);
        let largest = values[n - 1];
        assert!(values[0] > -1e-12 * largest, "{name}");
        let zero = values.iter().filter(|v| **v < 1e-10 * largest).count();
        assert_eq!(zero, 6, "{name}: {:?}", &values[..8]);
        assert!(values[6] > 1e-6 * largest, "{name}: {:?}", &values[..8]);
    }
}

fn scatter<const N: usize>(dense: &mut [f64], n: usize, h: &Blocks<N>, v: &[u32; N]) {
    for a in 0..N {
        for b in 0..N {
            for k in 0..9 {
                let (i, j) = (3 * v[a] as usize + k / 3, 3 * v[b] as usize + k % 3);
                dense[i * n + j] += h[a][b].col(k % 3)[k / 3];
            }
        }
    }
}

/// Deflection in the middle of the unit square plate (D = 1) under unit load, on each mesh.
fn plate(n: usize, poisson: f64, clamped: bool) -> [f64; 3] {
    meshes(n).map(|(_, mesh)| {
        let topology = Topology::new(mesh.positions.len(), &mesh.triangles);
        let clamp = |e: usize| {
            let [a, b] = topology.edges[e].vertices.map(|v| mesh.positions[v as usize]);
            clamped.then(|| (a + b) * 0.6)
        };
        let bending = Bending::isotropic(1.0, poisson);
        let (patches, unknowns) = of_mesh(&mesh, &topology, &bending, clamp).unwrap();
        let nodes = mesh.positions.len();
        let on_rim = |v: usize| mesh.uv[v].abs().max_element() > 0.4999;
        // Nine unknowns of each patch: the heights (along y) of its vertices and its ψ.
        let local: Vec<([usize; 9], [[f64; 9]; 9])> = patches
            .iter()
            .map(|p| {
                let h = p.hessian(&p.vertices().map(|v| mesh.positions[v as usize]));
                let (v, u) = (p.vertices(), p.unknowns());
                let index = std::array::from_fn(|i| {
                    if i < 6 { v[i] as usize } else { u[i - 6].map_or(0, |u| nodes + u as usize) }
                });
                let k = std::array::from_fn(|i| {
                    std::array::from_fn(|j| match (i < 6, j < 6) {
                        (true, true) => h.xx[i][j].y_axis.y,
                        (true, false) => h.xp[i][j - 6].y,
                        (false, true) => h.xp[j][i - 6].y,
                        (false, false) => h.pp[i - 6][j - 6],
                    })
                });
                (index, k)
            })
            .collect();
        let product = |p: &[f64]| {
            let mut out = vec![0.0; p.len()];
            for (index, k) in &local {
                for i in 0..9 {
                    out[index[i]] += (0..9).map(|j| k[i][j] * p[index[j]]).sum::<f64>();
                }
            }
            (0..nodes).filter(|v| on_rim(*v)).for_each(|v| out[v] = p[v]);
            out
        };
        let mut diagonal = vec![0.0; nodes + unknowns];
        for (index, k) in &local {
            (0..9).for_each(|i| diagonal[index[i]] += k[i][i]);
        }
        let mut load = vec![0.0; nodes + unknowns];
        for t in 0..mesh.triangles.len() {
            for v in mesh.triangles[t] {
                if !on_rim(v as usize) {
                    load[v as usize] += 0.5 * mesh.area_normal(t).length() / 3.0;
                }
            }
        }
        let (x, _) = conjugate_gradients(product, &load, &diagonal);
        let middle =
            (0..nodes).min_by(|a, b| mesh.uv[*a].length().total_cmp(&mesh.uv[*b].length()));
        x[middle.unwrap()]
    })
}

#[test]
fn a_clamped_plate_bends_as_theory_says_on_every_mesh() {
    let exact = 0.00126532;
    let (coarse, fine) = (plate(16, 0.3, true), plate(32, 0.3, true));
    for m in 0..3 {
        let error = [coarse[m] / exact - 1.0, fine[m] / exact - 1.0];
        assert!(error[1].abs() < 0.03, "mesh {m}: {error:?}");
        // Second order on grids; a jittered mesh is not the same mesh when refined.
        if m < 2 {
            let order = (error[0] / error[1]).log2();
            assert!((order - 2.0).abs() < 0.2, "mesh {m}: {error:?}");
        }
    }
}

#[test]
fn a_supported_plate_bends_as_theory_says_on_every_mesh() {
    for (m, w) in plate(24, 0.3, false).into_iter().enumerate() {
        let error = w / 0.00406235 - 1.0;
        assert!(error.abs() < 0.03, "mesh {m}: {error}");
    }
}
