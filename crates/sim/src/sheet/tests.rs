//! Every pair of models: derivatives against differences, and any number of threads.

use super::*;
use crate::element::check::Dice;
use crate::{Fabric, Piece};
use toile_mesh::shape::{Diagonals, grid};

fn cloth(n: usize) -> Cloth {
    Cloth {
        name: "sheet".into(),
        mesh: grid(0.3, 0.2, n, n - 1, Diagonals::Alternating),
        grid: Some([n, n - 1]),
        fabric: Fabric { bend_weft: 2e-3, bend_warp: 3e-3, ..Fabric::default() },
        pieces: Vec::new(),
    }
}

fn shaken(cloths: &[Cloth]) -> Vec<DVec3> {
    let mut dice = Dice(3);
    let all = cloths.iter().flat_map(|c| c.mesh.positions.clone());
    all.map(|p| p * 1.05 + dice.vector() * 0.004 + DVec3::Y * 2.0 * p.x * p.x).collect()
}

#[test]
fn the_gradient_of_every_pair_of_models_matches_differences_of_the_energy() {
    let cloths = [cloth(4), cloth(3)];
    let x = shaken(&cloths);
    for stretch in Stretch::ALL {
        for bend in Bend::ALL {
            let mut sheet = Sheet::new(&cloths, stretch, bend, &[]).unwrap();
            let mut g = vec![DVec3::ZERO; x.len()];
            sheet.gradient(&x, &mut g);
            let scale = g.iter().map(|g| g.length()).fold(0.0, f64::max);
            for v in (0..x.len()).step_by(5) {
                let mut shifted = |s: f64| {
                    let mut y = x.clone();
                    y[v].y += s;
                    sheet.energy(&y)
                };
                let numeric = (shifted(1e-7) - shifted(-1e-7)) / 2e-7;
                assert!((g[v].y - numeric).abs() < 1e-6 * scale, "{stretch:?} {bend:?} {v}");
            }
        }
    }
}

#[test]
fn the_hessian_is_the_derivative_of_the_gradient_where_no_part_is_left_out() {
    let cloths = [cloth(4)];
    let x = shaken(&cloths);
    let mut sheet = Sheet::new(&cloths, Stretch::Stvk, Bend::Laplacian, &[]).unwrap();
    let mut h = sheet.matrix();
    sheet.hessian(&x, false, true, &mut h);
    let mut dice = Dice(8);
    let d: Vec<DVec3> = x.iter().map(|_| dice.vector()).collect();
    let mut applied = vec![DVec3::ZERO; x.len()];
    h.multiply(&d, &mut applied);
    let mut gradient = |s: f64| {
        let y: Vec<DVec3> = x.iter().zip(&d).map(|(x, d)| *x + *d * s).collect();
        let mut g = vec![DVec3::ZERO; x.len()];
        sheet.gradient(&y, &mut g);
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
fn the_bits_do_not_depend_on_the_number_of_threads() {
    let cloths = [cloth(40), cloth(30)];
    let x = shaken(&cloths);
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut sheet = Sheet::new(&cloths, Stretch::Stvk, Bend::Morley, &[]).unwrap();
            let mut g = vec![DVec3::ZERO; x.len()];
            sheet.gradient(&x, &mut g);
            (sheet.energy(&x), g)
        })
    };
    let one = run(1);
    assert_eq!(run(2), one);
    assert_eq!(run(3), one);
}

#[test]
fn gradient_and_hessian_at_once_are_those_one_after_the_other() {
    // Rows enough for several chunks, which cut through elements and cloths.
    let cloths = [cloth(50), cloth(60)];
    let x = shaken(&cloths);
    for (stretch, bend) in [(Stretch::Corotational, Bend::Hinge), (Stretch::Stvk, Bend::Morley)] {
        let mut sheet = Sheet::new(&cloths, stretch, bend, &[]).unwrap();
        let (mut alone, mut both) = (vec![DVec3::ZERO; x.len()], vec![DVec3::ONE; x.len()]);
        let mut matrices = [0, 1].map(|_| Matrix::zeros(sheet.pattern()));
        assert!(matrices[0].chunks_mut().len() > 2);
        sheet.gradient(&x, &mut alone);
        sheet.single_hessian(&x, &mut matrices[0]);
        sheet.gradient_and_single_hessian(&x, &mut both, &mut matrices[1]);
        assert_eq!(matrices[0].values(), matrices[1].values());
        let size = alone.iter().map(|g| g.length()).fold(0.0, f64::max);
        for (a, b) in alone.iter().zip(&both) {
            assert!((*a - *b).length() < 1e-11 * size, "{stretch:?} {bend:?} {a} {b}");
        }
    }
}

#[test]
fn a_sheet_of_two_fabrics_has_the_energy_of_each_in_its_part() {
    let plain = cloth(6);
    let middle = plain.mesh.triangles.len() as u32 / 2;
    let other = Fabric { weft: 3.0 * plain.fabric.weft, ..plain.fabric.clone() };
    let piece = |fabric: &Fabric| Piece { triangles: 4..middle, fabric: fabric.clone() };
    let with = |pieces: Vec<Piece>| Cloth { pieces, ..plain.clone() };
    let energy = |cloth: &Cloth, x: &[DVec3]| {
        let mut sheet =
            Sheet::dissipative(std::slice::from_ref(cloth), Stretch::Stvk, Bend::Morley, Some(0.3))
                .unwrap();
        sheet.energy(x)
    };
    // Pieces of the same fabric change nothing, whatever the shape.
    let x = shaken(std::slice::from_ref(&plain));
    let (one, same) = (energy(&plain, &x), energy(&with(vec![piece(&plain.fabric)]), &x));
    assert!((one / same - 1.0).abs() < 1e-12, "{one} {same}");
    // Pulled along the weft, every triangle bears what its fabric does by its area.
    let x: Vec<DVec3> = plain.mesh.uv.iter().map(|p| DVec3::new(1.02 * p.x, p.y, 0.0)).collect();
    let [soft, stiff] = [&plain.fabric, &other]
        .map(|fabric| energy(&Cloth { fabric: fabric.clone(), ..plain.clone() }, &x));
    let share = f64::from(middle - 4) / plain.mesh.triangles.len() as f64;
    let mixed = energy(&with(vec![piece(&other)]), &x);
    let wanted = soft + share * (stiff - soft);
    assert!(stiff > 2.0 * soft && (mixed / wanted - 1.0).abs() < 1e-9, "{mixed} {wanted}");
    // Models of one fabric say so.
    let mixed = with(vec![piece(&other)]);
    let refused = Sheet::new(&[mixed], Stretch::Stvk, Bend::Hinge, &[]).unwrap_err().to_string();
    assert!(refused.contains("sheet: is of several fabrics"), "{refused}");
}

#[test]
fn a_grid_model_on_another_mesh_is_refused_by_name() {
    let mut c = cloth(4);
    c.grid = None;
    let error = Sheet::new(&[c], Stretch::Kes, Bend::None, &[]).unwrap_err().to_string();
    assert!(error.contains("sheet") && error.contains("kes"), "{error}");
}
