use super::*;
use crate::cg::End;
use crate::tests::Dice;
use crate::{Block, BlockCsr, Builder, Cholesky, Ordering, Pattern, ScatterMap};
use glam::{DMat3, DVec3, Mat3A, Vec3A};
use std::sync::Arc;

/// A strip of triangles with a stiffness in every edge, its matrix in both precisions.
fn strip(n: u32) -> (Arc<Pattern>, Vec<[u32; 3]>) {
    let triangles: Vec<[u32; 3]> = (0..n - 2).map(|i| [i, i + 1, i + 2]).collect();
    let builder = Builder::new(n as usize).with_elements(&triangles).unwrap();
    (builder.pattern().unwrap(), triangles)
}

fn block(seed: u64) -> DMat3 {
    let mut dice = Dice(seed);
    let v = dice.vector();
    DMat3::from_cols(v * v.x, v * v.y, v * v.z) + DMat3::IDENTITY * 0.1
}

/// Every triangle joins its corners by one stiffness; the diagonal has a mass besides.
fn fill(pattern: &Arc<Pattern>, triangles: &[[u32; 3]]) -> (Matrix, BlockCsr) {
    let scatter = ScatterMap::new(pattern, 3, triangles.as_flattened()).unwrap();
    let sign = |a: usize, b: usize| if a == b { 2.0 } else { -1.0 };
    let mut single = Matrix::zeros(pattern);
    for (first, rows) in single.chunks_mut() {
        for e in scatter.of_chunk(first) {
            let k = block(u64::from(*e) + 1);
            let k = Mat3A::from_cols(k.x_axis.as_vec3a(), k.y_axis.as_vec3a(), k.z_axis.as_vec3a());
            let vertices = triangles[*e as usize];
            let block = |a: usize, b: usize| k * sign(a, b);
            scatter.add::<3, Mat3A>(pattern, *e as usize, vertices, (first, &mut *rows), block);
        }
    }
    single.add_to_diagonal(|_| 0.01);
    let mut double = BlockCsr::zeros(pattern);
    for (e, t) in triangles.iter().enumerate() {
        for a in 0..3 {
            for b in a..3 {
                double.add(t[a], t[b], block(e as u64 + 1) * f64::from(sign(a, b)));
            }
        }
    }
    for i in 0..pattern.rows() as u32 {
        double.add(i, i, DMat3::IDENTITY * 0.01);
    }
    (single, double)
}

#[test]
fn elements_add_to_the_rows_of_any_chunk_what_the_double_matrix_holds() {
    // More rows than one chunk has, so that elements lie across.
    for n in [40, 5000] {
        let (pattern, triangles) = strip(n);
        let (single, double) = fill(&pattern, &triangles);
        for (s, d) in single.values().iter().zip(double.values()) {
            for k in 0..3 {
                assert!((Mat3A::load(s).col(k).as_dvec3() - d.col(k)).length() < 1e-5, "{s:?} {d}");
            }
        }
    }
}

#[test]
fn a_tight_solve_is_that_of_cholesky_with_contact_blocks_and_fixed_vertices() {
    let (pattern, triangles) = strip(90);
    let (single, mut double) = fill(&pattern, &triangles);
    // A contact block between neighbours, which the pattern of the referee has room for.
    let contact_block =
        ContactBlock::new([10, 11, 12, 0], [1.0, -0.5, -0.5, 0.0], &(DMat3::IDENTITY * 50.0));
    let w = [1.0, -0.5, -0.5];
    for a in 0..3_usize {
        for b in a..3 {
            double.add(10 + a as u32, 10 + b as u32, DMat3::IDENTITY * (50.0 * w[a] * w[b]));
        }
    }
    let mut dice = Dice(3);
    let right: Vec<DVec3> = (0..90).map(|_| dice.vector()).collect();
    let fixed = [4_u32, 50];
    let mut x = vec![DVec3::ZERO; 90];
    x[4] = DVec3::X * 0.3;
    let mut m = TwoLevel::new(&pattern).unwrap();
    m.update(&single, &[contact_block], &fixed);
    let stop = Goal {
        quadratic_tolerance: 1e-9,
        relative_residual: 0.02,
        absolute_tolerance: 0.0,
        max_iterations: 500,
    };
    let given = x[4];
    let outcome = solve(
        &single,
        &[contact_block],
        &mut m,
        &fixed,
        &right,
        &mut x,
        stop,
        &mut Vectors::default(),
    );
    assert_eq!(outcome.end, End::Converged);
    assert!(outcome.iterations < 100, "{}", outcome.iterations);
    assert_eq!((x[4], x[50]), (given, DVec3::ZERO));
    // Referee: held rows are put aside by hand.
    let mut rest = vec![DVec3::ZERO; 90];
    let mut still = vec![DVec3::ZERO; 90];
    still[4] = given;
    double.multiply(&still, &mut rest);
    let mut b: Vec<DVec3> = right.iter().zip(&rest).map(|(b, r)| *b - *r).collect();
    let constraints = fixed.map(|v| (v, crate::Constraint::Fixed));
    double.constrain(&crate::Filter::new(90, &constraints).unwrap());
    fixed.iter().for_each(|v| b[*v as usize] = DVec3::ZERO);
    let mut cholesky = Cholesky::new(&pattern, Ordering::Amd).unwrap();
    cholesky.factor(&double).unwrap();
    let mut exact = vec![DVec3::ZERO; 90];
    cholesky.solve(&b, &mut exact);
    let size = exact.iter().map(|e| e.length()).fold(0.0, f64::max);
    for i in 0..90 {
        let expected = if i == 4 { given } else { exact[i] };
        assert!((x[i] - expected).length() < 1e-3 * size, "{i}: {} {}", x[i], expected);
    }
}

#[test]
fn stiff_contact_blocks_between_far_vertices_leave_the_coarse_level_definite() {
    let (pattern, triangles) = strip(400);
    let (single, _) = fill(&pattern, &triangles);
    let mut dice = Dice(9);
    let mut pick = || ((dice.vector().x.abs() * 1e6) as u32) % 397;
    let contact_blocks: Vec<ContactBlock> = (0..300)
        .map(|_| {
            let (a, b) = (pick(), pick());
            let stiffness = DMat3::IDENTITY * 1e5;
            ContactBlock::new([a, b, b + 1, b + 2], [1.0, -0.2, -0.3, -0.5], &stiffness)
        })
        .filter(|b| !b.points[1..].contains(&b.points[0]))
        .collect();
    let mut m = TwoLevel::new(&pattern).unwrap();
    m.update(&single, &contact_blocks, &[]);
    assert!(m.is_coarse_usable());
    let right = vec![DVec3::Y; 400];
    let mut x = vec![DVec3::ZERO; 400];
    let stop = Goal {
        quadratic_tolerance: 1e-3,
        relative_residual: 0.02,
        absolute_tolerance: 0.0,
        max_iterations: 2000,
    };
    let outcome =
        solve(&single, &contact_blocks, &mut m, &[], &right, &mut x, stop, &mut Vectors::default());
    assert_eq!(outcome.end, End::Converged, "{outcome:?}");
    // Whatever it is, it points downhill.
    assert!(x.iter().map(|x| x.y).sum::<f64>() > 0.0);
}

#[test]
fn groups_recover_from_a_matrix_that_is_no_number() {
    let (pattern, triangles) = strip(40);
    let (good, _) = fill(&pattern, &triangles);
    let mut bad = good.clone();
    bad.add_to_diagonal(|_| f32::NAN);
    let r: Vec<Vec3A> = (0..40).map(|i| Vec3A::new(1.0, i as f32, -2.0)).collect();
    let apply = |m: &mut TwoLevel| {
        let mut z = vec![Vec3A::ZERO; 40];
        m.apply(&r, &mut z);
        z
    };
    let mut fresh = TwoLevel::new(&pattern).unwrap();
    fresh.update(&good, &[], &[]);
    let mut hurt = TwoLevel::new(&pattern).unwrap();
    hurt.update(&bad, &[], &[]);
    hurt.update(&good, &[], &[]);
    assert_eq!(apply(&mut hurt), apply(&mut fresh));
}

#[test]
fn a_contact_that_is_small_beside_the_threads_is_not_overlooked() {
    // Stiff in a plane, hardly anything across it, as a sheet is.
    let (pattern, _) = strip(400);
    let mut sheet = Matrix::zeros(&pattern);
    sheet.add_to_diagonal(|_| 1.0);
    let fixed = |i: u32, stiffness: DVec3| {
        ContactBlock::new([i, 0, 0, 0], [1.0, 0.0, 0.0, 0.0], &DMat3::from_diagonal(stiffness))
    };
    let threads: Vec<ContactBlock> =
        (0..400).map(|i| fixed(i, DVec3::new(1e4, 0.0, 1e4))).collect();
    let touch = |i: u32| fixed(i, DVec3::new(0.0, 400.0, 0.0));
    let mut all = threads.clone();
    all.extend((0..400).step_by(3).map(touch));
    let mut m = TwoLevel::new(&pattern).unwrap();
    m.update(&sheet, &threads, &[]);
    m.update(&sheet, &all, &[]);
    let right = vec![DVec3::Y; 400];
    let mut x = vec![DVec3::ZERO; 400];
    let stop = Goal {
        quadratic_tolerance: 1e-9,
        relative_residual: 1e-3,
        absolute_tolerance: 0.0,
        max_iterations: 2000,
    };
    let outcome = solve(&sheet, &all, &mut m, &[], &right, &mut x, stop, &mut Vectors::default());
    assert_eq!(outcome.end, End::Converged);
    assert!(outcome.iterations <= 12, "{outcome:?}");
}
