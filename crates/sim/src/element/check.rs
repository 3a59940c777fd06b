//! What every element must satisfy, and meshes to try it on.

use super::definite::eigen;
use super::{Blocks, Element, Triangle};
use glam::{DMat3, DQuat, DVec2, DVec3, Mat3A};
use toile_mesh::shape::{Diagonals, grid};
use toile_mesh::{NONE, Topology, TriMesh};

/// Differences of fourth order with this step (of the element's size) err by about 1e-12.
const STEP: f64 = 1e-3;
/// Allowed error of a derivative, of the largest entry.
const TOLERANCE: f64 = 1e-7;

fn size<const N: usize>(x: &[DVec3; N]) -> f64 {
    x.iter().map(|p| p.distance(x[0])).fold(0.0, f64::max)
}

/// Fourth-order central difference.
fn difference<T>(h: f64, f: impl Fn(f64) -> T) -> T
where
    T: std::ops::Sub<Output = T> + std::ops::Mul<f64, Output = T>,
{
    (f(h) - f(-h)) * (8.0 / (12.0 * h)) - (f(2.0 * h) - f(-2.0 * h)) * (1.0 / (12.0 * h))
}

/// The gradient agrees with differences of the energy.
pub(super) fn gradient<const N: usize>(e: &impl Element<N>, x: &[DVec3; N]) {
    let g = e.gradient(x);
    let h = STEP * size(x);
    let scale = g.iter().map(|g| g.length()).fold(e.energy(x) / size(x), f64::max);
    assert!(scale > 0.0, "nothing to compare");
    for a in 0..N {
        for k in 0..3 {
            let numeric = difference(h, |s| {
                let mut y = *x;
                y[a][k] += s;
                e.energy(&y)
            });
            let error = (g[a][k] - numeric).abs();
            assert!(error < TOLERANCE * scale, "vertex {a} axis {k}: {} {numeric}", g[a][k]);
        }
    }
}

/// The Hessian agrees with differences of the gradient and is symmetric.
pub(super) fn hessian<const N: usize>(e: &impl Element<N>, x: &[DVec3; N]) {
    let hessian = e.hessian(x, false);
    let h = STEP * size(x);
    let scale = hessian.iter().flatten().map(largest).fold(0.0, f64::max);
    for b in 0..N {
        for k in 0..3 {
            for a in 0..N {
                let numeric = difference(h, |s| {
                    let mut y = *x;
                    y[b][k] += s;
                    e.gradient(&y)[a]
                });
                let column = hessian[a][b].col(k);
                let error = (column - numeric).length();
                assert!(error < TOLERANCE * scale, "block {a} {b} {k}: {column} {numeric}");
            }
        }
    }
    symmetric(&hessian);
}

fn largest(m: &DMat3) -> f64 {
    m.to_cols_array().iter().fold(0.0, |s, v| f64::max(s, v.abs()))
}

fn symmetric<const N: usize>(h: &Blocks<N>) {
    let scale = h.iter().flatten().map(largest).fold(0.0, f64::max);
    for a in 0..N {
        for b in 0..N {
            assert!(largest(&(h[a][b] - h[b][a].transpose())) <= 1e-11 * scale, "{a} {b}");
        }
    }
}

/// The Hessian asked to be definite has no negative eigenvalue.
pub(super) fn definite<const N: usize>(e: &impl Element<N>, x: &[DVec3; N]) {
    let h = e.hessian(x, true);
    symmetric(&h);
    let n = 3 * N;
    let mut dense: Vec<f64> =
        (0..n * n).map(|k| h[k / n / 3][k % n / 3].col(k % n % 3)[k / n % 3]).collect();
    let values = eigenvalues(&mut dense, n);
    let largest = values[n - 1];
    assert!(largest > 0.0, "a definite matrix of zeros helps nobody");
    assert!(values[0] > -1e-10 * largest, "{} of {largest}", values[0]);
}

/// Eigenvalues in ascending order; the matrix is used up.
pub(super) fn eigenvalues(dense: &mut [f64], n: usize) -> Vec<f64> {
    let mut vectors = vec![0.0; n * n];
    eigen(dense, &mut vectors, n);
    let mut values: Vec<f64> = (0..n).map(|i| dense[i * n + i]).collect();
    values.sort_by(f64::total_cmp);
    values
}

/// Rigid motion changes nothing; forces add up to no force and no torque.
pub(super) fn rigid<const N: usize>(e: &impl Element<N>, x: &[DVec3; N]) {
    let turn = DQuat::from_axis_angle(DVec3::new(0.48, 0.6, -0.64), 1.3);
    let moved = x.map(|p| turn * p + DVec3::new(0.3, -0.2, 0.1));
    let (energy, g, g_moved) = (e.energy(x), e.gradient(x), e.gradient(&moved));
    let scale = g.iter().map(|g| g.length()).fold(0.0, f64::max);
    assert!((e.energy(&moved) - energy).abs() <= 1e-9 * energy.abs().max(scale * size(x)));
    for a in 0..N {
        assert!((turn * g[a] - g_moved[a]).length() < 1e-9 * scale, "vertex {a}");
    }
    let force: DVec3 = g.iter().sum();
    let torque: DVec3 = g.iter().zip(x).map(|(g, p)| (*p - x[0]).cross(*g)).sum();
    assert!(force.length() < 1e-10 * scale, "force {force}");
    assert!(torque.length() < 1e-10 * scale * size(x), "torque {torque}");
}

/// At rest there is neither energy nor force.
pub(super) fn at_rest<const N: usize>(e: &impl Element<N>, x: &[DVec3; N], stiffness: f64) {
    assert!(e.energy(x).abs() < 1e-18 * stiffness, "{}", e.energy(x));
    for g in e.gradient(x) {
        assert!(g.length() < 1e-12 * stiffness, "{g}");
    }
}

/// All of it, for an element with an exact Hessian.
pub(super) fn all<const N: usize>(e: &impl Element<N>, x: &[DVec3; N]) {
    gradient(e, x);
    hessian(e, x);
    definite(e, x);
    single(e, x);
    rigid(e, x);
}

/// The semidefinite Hessian is the same in single precision.
fn single<const N: usize>(e: &impl Element<N>, x: &[DVec3; N]) {
    let (mut upper, mut single) = ([DMat3::ZERO; 45], [Mat3A::ZERO; 45]);
    let count = N * (N + 1) / 2;
    e.upper(x, true, &mut upper[..count]);
    e.single_upper(x, &mut single[..count]);
    let size = upper.iter().map(largest).fold(f64::MIN_POSITIVE, f64::max);
    for (u, s) in upper.iter().zip(&single) {
        for k in 0..3 {
            let off = (u.col(k) - s.col(k).as_dvec3()).length();
            assert!(off < 1e-5 * size, "{u} {s}");
        }
    }
    let mut again = [Mat3A::ZERO; 45];
    let (both, alone) = (e.single_upper_and_gradient(x, &mut again[..count]), e.gradient(x));
    assert_eq!(single, again);
    let size = alone.iter().map(|g| g.length()).fold(f64::MIN_POSITIVE, f64::max);
    assert!((0..N).all(|a| (both[a] - alone[a]).length() < 1e-12 * size), "{both:?} {alone:?}");
}

/// Energy of all elements with the vertices at `x`.
pub(super) fn total<const N: usize, E: Element<N>>(elements: &[E], x: &[DVec3]) -> f64 {
    elements.iter().map(|e| e.energy(&e.vertices().map(|v| x[v as usize]))).sum()
}

/// Gradient of all elements with the vertices at `x`.
fn total_gradient<const N: usize, E: Element<N>>(elements: &[E], x: &[DVec3]) -> Vec<DVec3> {
    let mut sum = vec![DVec3::ZERO; x.len()];
    for e in elements {
        let g = e.gradient(&e.vertices().map(|v| x[v as usize]));
        for (v, g) in e.vertices().into_iter().zip(g) {
            sum[v as usize] += g;
        }
    }
    sum
}

/// Stretched, sheared, turned: an affine map of the unit square into space.
const AFFINE: [DVec3; 2] = [DVec3::new(1.05, 0.1, -0.2), DVec3::new(0.12, 0.7, 0.6)];

/// Vertices of a mesh after an affine map with these columns.
pub(super) fn affine(mesh: &TriMesh, su: DVec3, sv: DVec3) -> Vec<DVec3> {
    mesh.uv.iter().map(|p| su * p.x + sv * p.y).collect()
}

/// Largest error over all meshes of the energy of an affine map against `exact` per area, and
/// largest force on an inner vertex against the largest of all.
pub(super) fn affine_error<'a, E: Element<3>>(
    element: &dyn Fn(&'a Triangle) -> E,
    exact: &dyn Fn(DVec3, DVec3) -> f64,
) -> [f64; 2] {
    let [su, sv] = AFFINE;
    let (mut energy, mut force) = (0.0_f64, 0.0_f64);
    for (_, mesh) in meshes(6) {
        // Elements borrow their rest state for as long as the test runs.
        let rest: &'a [Triangle] = Triangle::of_mesh(&mesh).leak();
        let elements: Vec<E> = rest.iter().map(element).collect();
        let x = affine(&mesh, su, sv);
        energy = energy.max((total(&elements, &x) / exact(su, sv) - 1.0).abs());
        let g = total_gradient(&elements, &x);
        let inner = |v: usize| mesh.uv[v].abs().max_element() < 0.4999;
        let largest = g.iter().map(|g| g.length()).fold(0.0, f64::max);
        let left = (0..g.len()).filter(|v| inner(*v)).map(|v| g[v].length()).fold(0.0, f64::max);
        force = force.max(left / largest);
    }
    [energy, force]
}

/// Numbers in −1..1, the same on every machine.
pub(crate) struct Dice(pub u64);

impl Dice {
    pub(super) fn roll(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    pub(crate) fn vector(&mut self) -> DVec3 {
        DVec3::new(self.roll(), self.roll(), self.roll())
    }
}

/// The unit square in n × n cells: alternating diagonals, one diagonal, jittered Delaunay.
pub(super) fn meshes(n: usize) -> [(&'static str, TriMesh); 3] {
    [
        ("alternating", grid(1.0, 1.0, n, n, Diagonals::Alternating)),
        ("one diagonal", grid(1.0, 1.0, n, n, Diagonals::Same)),
        ("Delaunay", delaunay(n)),
    ]
}

/// A grid with its inner vertices moved at random and its edges flipped until it is Delaunay.
fn delaunay(n: usize) -> TriMesh {
    let mut mesh = grid(1.0, 1.0, n, n, Diagonals::Alternating);
    let mut dice = Dice(7);
    let reach = 0.3 / n as f64;
    for p in &mut mesh.uv {
        let free = |c: f64| if c.abs() > 0.4999 { 0.0 } else { reach };
        *p += DVec2::new(dice.roll() * free(p.x), dice.roll() * free(p.y));
    }
    mesh.positions = mesh.uv.iter().map(|p| DVec3::new(p.x, 0.0, -p.y)).collect();
    while flip_all(&mut mesh) > 0 {}
    mesh.uv_triangles = mesh.triangles.clone();
    mesh
}

/// Flips edges that are not Delaunay, no triangle twice; returns how many.
fn flip_all(mesh: &mut TriMesh) -> usize {
    let topology = Topology::new(mesh.uv.len(), &mesh.triangles);
    let mut touched = vec![false; mesh.triangles.len()];
    let mut flips = 0;
    for e in &topology.edges {
        let [s, t] = e.triangles;
        if t == NONE || touched[s as usize] || touched[t as usize] {
            continue;
        }
        let tip = |t: u32| {
            mesh.triangles[t as usize].into_iter().find(|v| !e.vertices.contains(v)).unwrap()
        };
        let (c, d) = (tip(s), tip(t));
        let uv = |v: u32| mesh.uv[v as usize];
        let angle = |o: u32| {
            let (p, q) = (uv(e.vertices[0]) - uv(o), uv(e.vertices[1]) - uv(o));
            p.angle_to(q).abs()
        };
        if angle(c) + angle(d) > std::f64::consts::PI + 1e-9 {
            let [a, b] = e.vertices;
            let ccw = |t: [u32; 3]| {
                let [p, q, r] = t.map(uv);
                if (q - p).perp_dot(r - p) > 0.0 { t } else { [t[0], t[2], t[1]] }
            };
            let (one, two) = (ccw([c, d, a]), ccw([c, d, b]));
            mesh.triangles[s as usize] = one;
            mesh.triangles[t as usize] = two;
            touched[s as usize] = true;
            touched[t as usize] = true;
            flips += 1;
        }
    }
    flips
}

#[test]
fn the_test_meshes_are_sound() {
    for (name, mesh) in meshes(8) {
        assert!(mesh.validate().is_clean(), "{name}");
        assert!((mesh.area() - 1.0).abs() < 1e-12, "{name}");
        for t in 0..mesh.triangles.len() {
            assert!(mesh.area_normal(t).y > 0.0, "{name}");
        }
    }
}
