//! Every solver against dense elimination, on grids and on Delaunay graphs.

use super::cg::{End, Stop, Workspace};
use super::*;
use glam::{DMat3, DVec3};

/// Numbers in −1..1, the same on every machine.
pub(crate) struct Dice(pub u64);

impl Dice {
    pub(crate) fn roll(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    pub(crate) fn vector(&mut self) -> DVec3 {
        DVec3::new(self.roll(), self.roll(), self.roll())
    }
}

/// Numbers that look random and are the same everywhere.
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0x1234_5678_9ABC_DEF1)
    }

    /// Between −1 and 1.
    pub(super) fn next(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    fn vec(&mut self) -> DVec3 {
        DVec3::new(self.next(), self.next(), self.next())
    }

    pub(super) fn vector(&mut self, n: usize) -> Vec<DVec3> {
        (0..n).map(|_| self.vec()).collect()
    }
}

fn outer(a: DVec3, b: DVec3) -> DMat3 {
    DMat3::from_cols(a * b.x, a * b.y, a * b.z)
}

/// Edges of a grid of `nu` × `nv` vertices with both diagonals and every second neighbour.
fn grid(nu: u32, nv: u32) -> (usize, Vec<[u32; 2]>, Vec<[u32; 4]>) {
    let at = |i: u32, j: u32| i * nv + j;
    let (mut edges, mut cells) = (Vec::new(), Vec::new());
    for i in 0..nu {
        for j in 0..nv {
            for (di, dj) in [(0, 1), (1, 0), (0, 2), (2, 0)] {
                if i + di < nu && j + dj < nv {
                    edges.push([at(i, j), at(i + di, j + dj)]);
                }
            }
            if i + 1 < nu && j + 1 < nv {
                cells.push([at(i, j), at(i + 1, j), at(i, j + 1), at(i + 1, j + 1)]);
            }
        }
    }
    ((nu * nv) as usize, edges, cells)
}

/// Triangles whose circumcircle holds no other point: Delaunay's, by brute force.
fn delaunay(n: usize, seed: u64) -> Vec<[u32; 3]> {
    let mut random = Random::new(seed);
    let p: Vec<(f64, f64)> = (0..n).map(|_| (random.next(), random.next())).collect();
    let mut triangles = Vec::new();
    for a in 0..n {
        for b in a + 1..n {
            for c in b + 1..n {
                let ((bx, by), (cx, cy)) =
                    ((p[b].0 - p[a].0, p[b].1 - p[a].1), (p[c].0 - p[a].0, p[c].1 - p[a].1));
                let d = 2.0 * (bx * cy - by * cx);
                let (b2, c2) = (bx * bx + by * by, cx * cx + cy * cy);
                let (ux, uy) = ((cy * b2 - by * c2) / d, (bx * c2 - cx * b2) / d);
                let r2 = ux * ux + uy * uy;
                let inside = |k: &usize| {
                    let (x, y) = (p[*k].0 - p[a].0 - ux, p[*k].1 - p[a].1 - uy);
                    x * x + y * y < r2 && ![a, b, c].contains(k)
                };
                if !(0..n).any(|k| inside(&k)) {
                    triangles.push([a as u32, b as u32, c as u32]);
                }
            }
        }
    }
    triangles
}

/// Writes w wᵀ ⊗ B, with Σ w = 0 and B positive: what elastic elements look like.
fn elastic(upper: &mut [DMat3], width: usize, seed: u64) {
    let mut random = Random::new(seed);
    let mut w: Vec<f64> = (0..width).map(|_| random.next()).collect();
    let mean = w.iter().sum::<f64>() / width as f64;
    w.iter_mut().for_each(|w| *w -= mean);
    let n = random.vec();
    let b = outer(n, n) + DMat3::IDENTITY * 0.1;
    let mut k = 0;
    for i in 0..width {
        for j in i..width {
            upper[k] = b * (w[i] * w[j]);
            k += 1;
        }
    }
}

/// A random elastic matrix on a grid plus `mass` on the diagonal.
pub(super) fn grid_matrix(nu: u32, nv: u32, mass: f64) -> BlockCsr {
    let (n, edges, cells) = grid(nu, nv);
    let builder = Builder::new(n).with_elements(&edges).unwrap().with_elements(&cells).unwrap();
    let mut assembly = builder.build().unwrap();
    assembly.fill(0, |e, upper| elastic(upper, 2, e as u64));
    assembly.fill(1, |e, upper| elastic(upper, 4, 7_000_000 + e as u64));
    with_mass(&assembly, mass)
}

fn delaunay_matrix(n: usize, mass: f64) -> BlockCsr {
    let triangles = delaunay(n, 5);
    assert!(triangles.len() > n, "{} triangles", triangles.len());
    let mut assembly = Builder::new(n).with_elements(&triangles).unwrap().build().unwrap();
    assembly.fill(0, |e, upper| elastic(upper, 3, 50 + e as u64));
    with_mass(&assembly, mass)
}

fn with_mass(assembly: &Assembly, mass: f64) -> BlockCsr {
    let mut a = assembly.matrix();
    assembly.gather(&mut a).unwrap();
    for i in 0..a.rows() as u32 {
        assert!(a.add(i, i, DMat3::IDENTITY * mass));
    }
    a
}

/// Gaussian elimination with row exchanges.
fn dense_solve(a: &BlockCsr, b: &[DVec3]) -> Vec<DVec3> {
    let n = 3 * a.rows();
    let entry = |i: usize, j: usize| a.block(i as u32 / 3, j as u32 / 3).col(j % 3)[i % 3];
    let mut m: Vec<Vec<f64>> = (0..n)
        .map(|i| (0..=n).map(|j| if j < n { entry(i, j) } else { b[i / 3][i % 3] }).collect())
        .collect();
    for k in 0..n {
        let best = (k..n).max_by(|p, q| m[*p][k].abs().total_cmp(&m[*q][k].abs())).unwrap();
        m.swap(k, best);
        for i in k + 1..n {
            let factor = m[i][k] / m[k][k];
            for j in k..=n {
                m[i][j] -= factor * m[k][j];
            }
        }
    }
    let mut x = vec![0.0; n];
    for i in (0..n).rev() {
        let known: f64 = (i + 1..n).map(|j| m[i][j] * x[j]).sum();
        x[i] = (m[i][n] - known) / m[i][i];
    }
    x.chunks(3).map(DVec3::from_slice).collect()
}

fn norm(x: &[DVec3]) -> f64 {
    vector::dot(x, x).sqrt()
}

fn distance(x: &[DVec3], y: &[DVec3]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x.distance_squared(*y)).sum::<f64>().sqrt()
}

const ALL: [Precondition; 6] = [
    Precondition::None,
    Precondition::BlockJacobi,
    Precondition::IncompleteCholesky,
    Precondition::Schwarz { aggregate: 16, coarse: false },
    Precondition::Schwarz { aggregate: 16, coarse: true },
    Precondition::Schwarz { aggregate: 5, coarse: true },
];

fn pcg(
    a: &BlockCsr,
    choice: Precondition,
    filter: Option<&Filter>,
    b: &[DVec3],
    x: &mut [DVec3],
    tolerance: f64,
) -> cg::Outcome {
    let mut m = Preconditioner::new(choice, a.pattern()).unwrap();
    m.update(a).unwrap();
    let stop = Stop { tolerance, max_iterations: 2000 };
    cg::solve(a, &mut m, filter, b, x, stop, &mut Workspace::new(a.rows()))
}

#[test]
fn the_product_is_that_of_the_dense_matrix_and_the_matrix_is_symmetric() {
    let a = grid_matrix(9, 7, 0.3);
    let x = Random::new(3).vector(a.rows());
    let mut y = a.pattern().zeros();
    a.multiply(&x, &mut y);
    for i in 0..a.rows() as u32 {
        let mut sum = DVec3::ZERO;
        for j in 0..a.rows() as u32 {
            sum += a.block(i, j) * x[j as usize];
            assert_eq!(a.block(i, j), a.block(j, i).transpose());
        }
        assert!(sum.distance(y[i as usize]) < 1e-13);
    }
}

#[test]
fn conjugate_gradients_agree_with_elimination_for_every_preconditioner() {
    for a in [grid_matrix(8, 9, 0.05), delaunay_matrix(60, 0.05)] {
        let b = Random::new(11).vector(a.rows());
        let exact = dense_solve(&a, &b);
        for choice in ALL {
            let mut x = a.pattern().zeros();
            let outcome = pcg(&a, choice, None, &b, &mut x, 1e-12);
            assert_eq!(outcome.end, End::Converged, "{choice:?}");
            assert!(distance(&x, &exact) < 1e-9 * norm(&exact), "{choice:?}");
            // The solution as a start is found to be one.
            let again = pcg(&a, choice, None, &b, &mut x, 1e-9);
            assert_eq!(again.iterations, 0, "{choice:?}");
        }
    }
}

#[test]
fn stronger_preconditioners_need_fewer_iterations() {
    let a = grid_matrix(40, 40, 1e-3);
    let b = Random::new(2).vector(a.rows());
    let its: Vec<u32> = ALL[..5]
        .iter()
        .map(|choice| pcg(&a, *choice, None, &b, &mut a.pattern().zeros(), 1e-8).iterations)
        .collect();
    assert!(its[1] < its[0] && its[2] < its[1] && its[3] < its[1] && its[4] < its[3], "{its:?}");
}

#[test]
fn cholesky_agrees_with_elimination_in_every_order() {
    for a in [grid_matrix(13, 8, 0.01), delaunay_matrix(60, 0.01)] {
        let b = Random::new(12).vector(a.rows());
        let exact = dense_solve(&a, &b);
        for ordering in [Ordering::Amd, Ordering::NestedDissection, Ordering::Natural] {
            let mut solver = Cholesky::new(a.pattern(), ordering).unwrap();
            let mut x = a.pattern().zeros();
            solver.factor(&a).unwrap();
            solver.solve(&b, &mut x);
            assert!(distance(&x, &exact) < 1e-10 * norm(&exact), "{ordering:?}");
            assert!(solver.fill_in() >= 1.0);
        }
    }
}

#[test]
fn good_orders_fill_in_less_than_none() {
    let a = grid_matrix(40, 40, 1.0);
    let fill = |o| Cholesky::new(a.pattern(), o).unwrap().fill_in();
    let natural = fill(Ordering::Natural);
    let (amd, dissection) = (fill(Ordering::Amd), fill(Ordering::NestedDissection));
    assert!(amd < 0.6 * natural && dissection < 0.6 * natural, "{amd} {dissection} {natural}");
}

#[test]
fn the_bits_do_not_depend_on_the_number_of_threads() {
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            // Large enough that every kernel goes parallel.
            let a = grid_matrix(150, 120, 0.01);
            let b = Random::new(4).vector(a.rows());
            let mut bits: Vec<u64> = Vec::new();
            for choice in ALL {
                let mut x = a.pattern().zeros();
                let mut m = Preconditioner::new(choice, a.pattern()).unwrap();
                m.update(&a).unwrap();
                let stop = Stop { tolerance: 1e-12, max_iterations: 4 };
                cg::solve(&a, &mut m, None, &b, &mut x, stop, &mut Workspace::default());
                bits.extend(x.iter().flat_map(|x| x.to_array().map(f64::to_bits)));
            }
            let mut solver = Cholesky::new(a.pattern(), Ordering::Amd).unwrap();
            let mut x = a.pattern().zeros();
            solver.factor(&a).unwrap();
            solver.solve(&b, &mut x);
            bits.extend(x.iter().flat_map(|x| x.to_array().map(f64::to_bits)));
            bits
        })
    };
    let one = run(1);
    assert!(one == run(2) && one == run(4));
}

#[test]
fn negative_curvature_is_found_and_its_direction_given() {
    let mut a = grid_matrix(6, 6, 0.5);
    assert!(a.add(14, 14, DMat3::IDENTITY * -50.0));
    let b = Random::new(9).vector(36);
    for choice in ALL {
        let mut m = Preconditioner::new(choice, a.pattern()).unwrap();
        m.update(&a).unwrap();
        let mut w = Workspace::new(36);
        let outcome =
            cg::solve(&a, &mut m, None, &b, &mut a.pattern().zeros(), Stop::default(), &mut w);
        let End::NotPositiveDefinite { curvature } = outcome.end else {
            panic!("{choice:?}: {outcome:?}")
        };
        let mut q = a.pattern().zeros();
        a.multiply(w.direction(), &mut q);
        let p2 = vector::dot(w.direction(), w.direction());
        let exact = vector::dot(w.direction(), &q) / p2;
        assert!(exact <= 0.0 && (exact - curvature).abs() <= 1e-9 * exact.abs(), "{choice:?}");
    }
    let mut solver = Cholesky::new(a.pattern(), Ordering::Natural).unwrap();
    let error = solver.factor(&a).unwrap_err();
    assert_eq!(error, Error::NotPositiveDefinite { vertex: 14, coordinate: 0 });
}

#[test]
fn a_failed_pivot_is_named_in_large_matrices_too() {
    let mut a = grid_matrix(60, 60, 0.5);
    let bad = 1234;
    assert!(a.add(bad, bad, DMat3::from_diagonal(DVec3::new(0.0, 0.0, -1e3))));
    for ordering in [Ordering::Amd, Ordering::NestedDissection, Ordering::Natural] {
        let error = Cholesky::new(a.pattern(), ordering).unwrap().factor(&a).unwrap_err();
        assert_eq!(
            error,
            Error::NotPositiveDefinite { vertex: bad, coordinate: 2 },
            "{ordering:?}"
        );
    }
}

#[test]
fn a_nearly_singular_matrix_gives_a_small_residual_or_says_no() {
    // Without mass the translations cost nothing; 1e-10 of it makes a condition of about 1e11.
    let a = grid_matrix(10, 10, 1e-10);
    let b = Random::new(6).vector(100);
    for choice in ALL {
        let mut x = a.pattern().zeros();
        let outcome = pcg(&a, choice, None, &b, &mut x, 1e-8);
        let mut q = a.pattern().zeros();
        a.multiply(&x, &mut q);
        if outcome.end == End::Converged {
            assert!(distance(&q, &b) < 1e-3 * norm(&b), "{choice:?} {}", distance(&q, &b));
        }
    }
    let mut solver = Cholesky::new(a.pattern(), Ordering::Amd).unwrap();
    let mut x = a.pattern().zeros();
    solver.factor(&a).unwrap();
    solver.solve(&b, &mut x);
    let mut q = a.pattern().zeros();
    a.multiply(&x, &mut q);
    assert!(distance(&q, &b) < 1e-3 * norm(&b));
}

#[test]
fn a_row_of_zeros_is_harmless_when_nothing_pulls_on_it_and_reported_otherwise() {
    let mut assembly =
        Builder::new(4).with_elements(&[[0_u32, 1], [1, 2]]).unwrap().build().unwrap();
    assembly.fill(0, |e, upper| elastic(upper, 2, e as u64));
    let mut a = assembly.matrix();
    assembly.gather(&mut a).unwrap();
    (0..3).for_each(|i| assert!(a.add(i, i, DMat3::IDENTITY)));
    let mut b = Random::new(8).vector(4);
    b[3] = DVec3::ZERO;
    for choice in ALL {
        let mut x = a.pattern().zeros();
        let outcome = pcg(&a, choice, None, &b, &mut x, 1e-10);
        assert_eq!(outcome.end, End::Converged, "{choice:?}");
        assert_eq!(x[3], DVec3::ZERO);
    }
    b[3] = DVec3::X;
    for choice in ALL {
        let outcome = pcg(&a, choice, None, &b, &mut a.pattern().zeros(), 1e-10);
        assert_ne!(outcome.end, End::Converged, "{choice:?}");
    }
    let error = Cholesky::new(a.pattern(), Ordering::Amd).unwrap().factor(&a).unwrap_err();
    assert_eq!(error, Error::NotPositiveDefinite { vertex: 3, coordinate: 0 });
}

#[test]
fn no_vertices_and_one_vertex_are_solved_too() {
    for n in [0, 1] {
        let assembly = Builder::new(n).with_elements::<2>(&[]).unwrap().build().unwrap();
        let a = with_mass(&assembly, 2.0);
        let b = vec![DVec3::new(2.0, 4.0, -6.0); n];
        let expected = vec![DVec3::new(1.0, 2.0, -3.0); n];
        for choice in ALL {
            let mut x = a.pattern().zeros();
            let outcome = pcg(&a, choice, None, &b, &mut x, 1e-12);
            assert_eq!(outcome.end, End::Converged);
            assert!(distance(&x, &expected) < 1e-14);
        }
        let mut x = a.pattern().zeros();
        let mut solver = Cholesky::new(a.pattern(), Ordering::NestedDissection).unwrap();
        solver.factor(&a).unwrap();
        solver.solve(&b, &mut x);
        assert!(distance(&x, &expected) < 1e-14);
    }
}

#[test]
fn numbers_that_are_none_are_reported() {
    let mut a = grid_matrix(5, 5, 1.0);
    let b = Random::new(1).vector(25);
    let mut broken = b.clone();
    broken[7].y = f64::NAN;
    let outcome = pcg(&a, Precondition::BlockJacobi, None, &broken, &mut a.pattern().zeros(), 1e-6);
    assert_eq!(outcome.end, End::NotFinite);
    assert!(a.add(3, 3, DMat3::IDENTITY * f64::NAN));
    for choice in ALL {
        let outcome = pcg(&a, choice, None, &b, &mut a.pattern().zeros(), 1e-6);
        assert_eq!(outcome.end, End::NotFinite, "{choice:?}");
    }
    let error = Cholesky::new(a.pattern(), Ordering::Amd).unwrap().factor(&a).unwrap_err();
    assert_eq!(error, Error::NotFinite { row: 3 });
}

#[test]
fn bad_stencils_are_refused() {
    let error = Builder::new(3).with_elements(&[[0_u32, 1], [1, 3]]).unwrap_err();
    assert_eq!(error, Error::VertexOutOfRange { element: 1, vertex: 3, vertices: 3 });
    let error = Builder::new(3).with_elements(&[[0_u32, 1, 0]]).unwrap_err();
    assert_eq!(error, Error::RepeatedVertex { element: 0, vertex: 0 });
}

/// Some held, one in a plane, one on a line.
fn constraints() -> Filter {
    let list = [
        (0, Constraint::Fixed),
        (9, Constraint::Fixed),
        (33, Constraint::Plane(DVec3::new(1.0, 2.0, -0.5))),
        (57, Constraint::Line(DVec3::new(0.3, -1.0, 4.0))),
    ];
    Filter::new(100, &list).unwrap()
}

#[test]
fn filtered_gradients_solve_in_the_free_directions_and_keep_the_rest() {
    let a = grid_matrix(10, 10, 0.02);
    let b = Random::new(21).vector(100);
    let prescribed = Random::new(22).vector(100);
    let filter = constraints();
    for choice in ALL {
        let mut x = prescribed.clone();
        let outcome = pcg(&a, choice, Some(&filter), &b, &mut x, 1e-12);
        assert_eq!(outcome.end, End::Converged, "{choice:?}");
        // What is left of the residual is a constraint force: nothing in the free directions.
        let mut r = a.pattern().zeros();
        a.multiply(&x, &mut r);
        r.iter_mut().zip(&b).for_each(|(r, b)| *r = *b - *r);
        let mut free = r.clone();
        filter.project_free(&mut free);
        assert!(norm(&free) < 1e-9 * norm(&b), "{choice:?} {}", norm(&free));
        assert!(norm(&r) > 1e-3);
        let (mut held, mut expected) = (a.pattern().zeros(), a.pattern().zeros());
        filter.project_prescribed(&x, &mut held);
        filter.project_prescribed(&prescribed, &mut expected);
        assert!(distance(&held, &expected) < 1e-12, "{choice:?}");
    }
}

#[test]
fn a_constrained_matrix_has_the_solution_of_the_filtered_one() {
    let mut a = grid_matrix(10, 10, 0.02);
    let mut b = Random::new(23).vector(100);
    let filter = constraints();
    let mut filtered = a.pattern().zeros();
    pcg(&a, Precondition::BlockJacobi, Some(&filter), &b, &mut filtered, 1e-13);
    a.constrain(&filter);
    filter.project_free(&mut b);
    let mut solver = Cholesky::new(a.pattern(), Ordering::Amd).unwrap();
    let mut x = a.pattern().zeros();
    solver.factor(&a).unwrap();
    solver.solve(&b, &mut x);
    assert!(distance(&x, &filtered) < 1e-10 * norm(&x));
}

#[test]
fn with_everything_held_there_is_nothing_to_do() {
    let a = grid_matrix(10, 10, 0.02);
    let all: Vec<_> = (0..100).map(|i| (i, Constraint::Fixed)).collect();
    let filter = Filter::new(100, &all).unwrap();
    let start = Random::new(5).vector(100);
    let mut x = start.clone();
    let b = Random::new(6).vector(100);
    let outcome = pcg(&a, Precondition::BlockJacobi, Some(&filter), &b, &mut x, 1e-9);
    assert_eq!((outcome.end, outcome.iterations), (End::Converged, 0));
    assert_eq!(x, start);
    assert!(Filter::new(3, &[(3, Constraint::Fixed)]).is_err());
}

#[test]
fn incomplete_cholesky_shifts_when_it_breaks_down() {
    // Kershaw's matrix: positive definite, yet IC(0) meets a negative pivot.
    let ring: [[u32; 2]; 4] = [[0, 1], [1, 2], [2, 3], [3, 0]];
    let assembly = Builder::new(4).with_elements(&ring).unwrap().build().unwrap();
    let mut a = assembly.matrix();
    for i in 0..4 {
        assert!(a.add(i, i, DMat3::IDENTITY * 3.0));
        let sign = if i == 3 { 2.0 } else { -2.0 };
        assert!(a.add(i, (i + 1) % 4, DMat3::IDENTITY * sign));
    }
    let mut m = Preconditioner::new(Precondition::IncompleteCholesky, a.pattern()).unwrap();
    m.update(&a).unwrap();
    assert!(m.shift() > 0.0);
    let b = Random::new(1).vector(4);
    let mut x = a.pattern().zeros();
    let outcome = pcg(&a, Precondition::IncompleteCholesky, None, &b, &mut x, 1e-12);
    assert_eq!(outcome.end, End::Converged);
    assert!(distance(&x, &dense_solve(&a, &b)) < 1e-10);
}

mod seidel {
    use super::super::gauss_seidel::{Interval, Sweep};
    use super::*;

    fn problem() -> (BlockCsr, Csr, Vec<f64>) {
        let a = grid_matrix(6, 5, 0.2);
        let b = Random::new(14).vector(30).iter().flat_map(|b| b.to_array()).collect();
        let csr = Csr::from_blocks(&a);
        (a, csr, b)
    }

    #[test]
    fn every_sweep_converges_to_the_solution() {
        let (a, csr, b) = problem();
        let rhs: Vec<DVec3> = b.chunks(3).map(DVec3::from_slice).collect();
        let exact = dense_solve(&a, &rhs);
        for (sweep, relaxation) in
            [(Sweep::Forward, 1.0), (Sweep::Symmetric, 1.0), (Sweep::Forward, 1.5)]
        {
            let method = GaussSeidel { sweep, relaxation, tolerance: 1e-13, max_sweeps: 5000 };
            let mut x = vec![0.0; 90];
            let outcome = method.solve(&csr, &b, None, &mut x).unwrap();
            assert!(outcome.converged);
            let x: Vec<DVec3> = x.chunks(3).map(DVec3::from_slice).collect();
            assert!(distance(&x, &exact) < 1e-9 * norm(&exact));
        }
    }

    #[test]
    fn between_bounds_the_solution_is_the_constrained_minimum() {
        let (_, csr, b) = problem();
        let bounds = vec![Interval { lower: -0.4, upper: 0.7 }; 90];
        let mut x = vec![0.0; 90];
        let method = GaussSeidel { tolerance: 1e-13, max_sweeps: 5000, ..GaussSeidel::default() };
        let outcome = method.solve(&csr, &b, Some(&bounds), &mut x).unwrap();
        assert!(outcome.converged && outcome.at_bounds > 5 && outcome.at_bounds < 85);
        // Free unknowns are in balance, the others are pushed against their bound.
        for i in 0..90 {
            let force = b[i] - csr.row_times(i, &x);
            assert!((-0.4..=0.7).contains(&x[i]));
            let ok = match x[i] {
                -0.4 => force <= 1e-10,
                0.7 => force >= -1e-10,
                _ => force.abs() < 1e-10,
            };
            assert!(ok, "{i}: {} {force}", x[i]);
        }
    }

    #[test]
    fn what_cannot_be_solved_is_refused() {
        let method = GaussSeidel::default();
        let csr = Csr::from_triplets(2, &[(0, 0, 1.0), (0, 1, 1.0)]).unwrap();
        let error = method.solve(&csr, &[1.0, 1.0], None, &mut [0.0; 2]).unwrap_err();
        assert_eq!(error, Error::BadDiagonal { row: 1, value: 0.0 });
        let csr = Csr::from_triplets(1, &[(0, 0, 1.0), (0, 0, 1.0)]).unwrap();
        let empty = [Interval { lower: 1.0, upper: 0.0 }];
        let error = method.solve(&csr, &[1.0], Some(&empty), &mut [0.0]).unwrap_err();
        assert_eq!(error, Error::EmptyInterval { index: 0, lower: 1.0, upper: 0.0 });
        let mut x = [0.0];
        method.solve(&csr, &[1.0], Some(&[Interval::FREE]), &mut x).unwrap();
        assert_eq!(x, [0.5]);
        assert!(Csr::from_triplets(1, &[(0, 1, 1.0)]).is_err());
        assert!(method.solve(&csr, &[1.0, 2.0], None, &mut [0.0]).is_err());
        let none = Csr::from_triplets(0, &[]).unwrap();
        assert!(method.solve(&none, &[], None, &mut []).unwrap().converged);
    }
}
