use super::regions::{OMEGAS, measured};
use super::solve::Method;
use super::*;

fn page(id: &str) -> Page {
    Item::from_name(id).unwrap().run(Effort::Quick).unwrap()
}

/// The number in a column of the rows whose first cells are the given ones.
fn number_at(table: &Table, row: &[&str], column: &str) -> f64 {
    let column = table.columns.iter().position(|c| c == column).expect(column);
    let is = |cells: &Vec<Cell>| row.iter().zip(cells).all(|(a, b)| **a == b.to_string());
    let cells = table.rows.iter().find(|r| is(r)).unwrap_or_else(|| panic!("no row {row:?}"));
    match &cells[column] {
        Cell::Number(v) => *v,
        Cell::Count(n) => *n as f64,
        other => panic!("{row:?}: {other:?} is no number"),
    }
}

/// Claims that agree, in order.
fn verdicts(page: &Page) -> Vec<bool> {
    page.claims.iter().map(|c| c.agrees).collect()
}

#[test]
fn items_are_found_by_name_and_others_are_refused_with_a_near_match() {
    for item in ITEMS {
        assert_eq!(Item::from_name(item.id).unwrap().id, item.id);
        assert!(!item.summary.is_empty() && item.summary.len() < 80);
    }
    let Err(Error::Request { message, help }) = Item::from_name("t04-fig99") else {
        panic!("it was found");
    };
    assert!(message.contains("t04-fig99"), "{message}");
    assert!(help.contains("did you mean `t04-fig9`?"), "{help}");
    assert!(ITEMS.iter().all(|i| help.contains(i.id)), "{help}");
    let Err(Error::Request { help, .. }) = Item::from_name("unicorn") else {
        panic!("it was found");
    };
    assert!(!help.contains("did you mean") && help.contains("t04-fig13"), "{help}");
}

#[test]
fn explicit_methods_have_their_slopes_and_limits_in_figure_9() {
    let page = page("t04-fig9");
    // Only the bound 1/|λ| for Euler is not the paper's.
    assert_eq!(verdicts(&page), [true, true, true, false], "{}", page.to_text());
    let limit = |problem: &str, method: &str| {
        number_at(&page.tables[1], &[problem, method], "measured [s]")
    };
    assert!((limit("(b) y' = −15y", "explicit Euler") - 2.0 / 15.0).abs() < 1e-3);
    assert!((limit("(b) y' = −15y", "RK4") - 2.785_293_56 / 15.0).abs() < 1e-3);
    // −2 Re λ / |λ|² with λ = −5 ± i √975.
    assert!((limit("(d) damped spring", "explicit Euler") - 0.01).abs() < 1e-4);
}

#[test]
fn growth_on_the_imaginary_axis_is_that_of_theory_to_a_millionth() {
    // h ω: implicit Euler, implicit midpoint, BDF2, RK4.
    let table = [
        [0.995_037, 1.0, 0.999_976, 1.0 - 7e-9],
        [0.894_427, 1.0, 0.990_401, 0.999_895],
        [std::f64::consts::FRAC_1_SQRT_2, 1.0, 0.933_321, 0.993_905],
        [0.447_214, 1.0, 0.762_235, 0.745_356],
        [0.099_504, 1.0, 0.300_750, (367.0_f64 + 2.0 / 3.0).hypot(156.0 + 2.0 / 3.0)],
    ];
    let methods = [Method::IMPLICIT_EULER, Method::IMPLICIT_MIDPOINT, Method::BDF2, Method::RK4];
    for (w, row) in OMEGAS.iter().zip(table) {
        for (method, expected) in methods.iter().zip(row) {
            let growth = measured(*method, 0.0, *w).unwrap();
            assert!((growth - expected).abs() < 1e-6, "{method:?} {w}: {growth}");
        }
        // Explicit Euler grows by √(1 + h²ω²) for any step.
        let euler = measured(Method::EULER, 0.0, *w).unwrap();
        assert!((euler - (1.0 + w * w).sqrt()).abs() < 1e-12 && euler > 1.0, "{euler}");
    }
}

#[test]
fn stability_regions_of_figure_10_end_where_they_should() {
    let page = page("t04-fig10");
    assert!(verdicts(&page).iter().all(|v| *v), "{}", page.to_text());
    let edges = &page.tables[0];
    for (method, real, imaginary) in [
        ("explicit Euler", -2.0, 0.0),
        ("explicit midpoint", -2.0, 0.0),
        ("RK4", -2.785_293_56, 8.0_f64.sqrt()),
    ] {
        assert!((number_at(edges, &[method], "real axis to") - real).abs() < 1e-6, "{method}");
        let end = number_at(edges, &[method], "imaginary axis to");
        assert!((end - imaginary).abs() < 1e-6, "{method}");
    }
    for row in &edges.rows[3..] {
        assert_eq!(row[1..4], ["no end", "no end", "all"].map(Cell::from), "{row:?}");
    }
}

#[test]
fn implicit_methods_stay_bounded_in_figure_11() {
    let page = page("t04-fig11");
    // Verlet loses an order to damping, and BDF2 has order 2, not 3.
    assert_eq!(verdicts(&page), [true, true, false, true, false], "{}", page.to_text());
    let slope = number_at(&page.tables[0], &["(d) damped spring", "Verlet"], "slope");
    assert!((slope - 1.0).abs() < 0.1, "{slope}");
}

#[test]
fn velocities_of_figure_12_belong_to_half_steps() {
    let page = page("t04-fig12");
    assert_eq!(verdicts(&page), [true, false, false], "{}", page.to_text());
    for (name, order) in [("x at n h", 2.0), ("v at (n + ½) h", 2.0), ("v read at n h", 1.0)] {
        let slope = number_at(&page.tables[0], &[name], "slope");
        assert!((slope - order).abs() < 0.1, "{name}: {slope}");
    }
}

#[test]
fn verlet_wins_figure_13_below_its_limit() {
    let page = page("t04-fig13");
    assert_eq!(verdicts(&page), [true, false, true], "{}", page.to_text());
    let limit = number_at(&page.tables[2], &["y'' = −5y", "Verlet"], "measured [s]");
    assert!((limit - 2.0 / 5.0_f64.sqrt()).abs() < 1e-3, "{limit}");
}

#[test]
fn all_orders_are_within_a_tenth() {
    let page = page("orders");
    assert_eq!(verdicts(&page), [true, false], "{}", page.to_text());
    for row in &page.tables[0].rows {
        let numbers: Vec<f64> =
            row.iter().skip(1).filter_map(|c| c.to_string().parse().ok()).collect();
        let [order, oscillator, patch, damped_order, damped, _] = numbers[..] else {
            panic!("{row:?}");
        };
        for (order, slope) in [(order, oscillator), (order, patch), (damped_order, damped)] {
            assert!((order - slope).abs() < 0.1, "{row:?}");
        }
    }
}

#[test]
fn pages_are_complete_and_pictures_the_same_on_every_run() {
    for (i, item) in ITEMS.iter().enumerate() {
        let page = item.run(Effort::Quick).unwrap();
        assert_eq!(page.id, item.id);
        assert!(page.is_explained(), "{}", page.to_text());
        assert!(!page.claims.is_empty() && !page.pictures.is_empty());
        for table in &page.tables {
            assert!(!table.rows.is_empty(), "{}", table.title);
            assert!(table.rows.iter().all(|r| r.len() == table.columns.len()), "{}", table.title);
        }
        for picture in &page.pictures {
            well_formed(&picture.svg);
            assert_eq!(picture.file, format!("{}.svg", item.id));
        }
        // What could differ from run to run is common to all; a third of them is enough to see it.
        if i % 3 != 0 {
            continue;
        }
        let again = item.run(Effort::Quick).unwrap();
        let pictures =
            |page: &Page| page.pictures.iter().map(|p| p.svg.clone()).collect::<Vec<_>>();
        assert!(pictures(&page) == pictures(&again), "{} is drawn differently", item.id);
    }
}

/// Tags are nested and closed, and every number is finite.
fn well_formed(svg: &str) {
    assert!(svg.starts_with("<svg") && svg.ends_with("</svg>\n"));
    let mut open = Vec::new();
    for tag in svg.split('<').skip(1) {
        let inner = tag.split('>').next().unwrap();
        match inner.strip_prefix('/') {
            Some(closed) => assert_eq!(open.pop(), Some(closed)),
            None if inner.ends_with('/') => {}
            None => open.extend(inner.split(' ').next()),
        }
    }
    assert!(open.is_empty() && !svg.contains("NaN") && !svg.contains("inf"), "{open:?}");
    assert!(svg.matches("stroke-linejoin").count() >= 2, "there is nothing in it");
}

#[test]
fn numbers_in_tables_have_four_digits() {
    for (v, text) in [
        (0.0, "0"),
        (1.0, "1.000"),
        (-2.0, "-2.000"),
        (0.133_333, "0.1333"),
        (12_345.6, "12346"),
        (1e-9, "1.00e-9"),
        (2.5e7, "2.50e7"),
        (f64::INFINITY, "inf"),
    ] {
        assert_eq!(page::number(v), text);
    }
    let mut table = Table::new("t", ["a", "long name"]);
    table.push(["x".into(), Cell::None]);
    assert_eq!(table.to_text(), "t\n  a  long name\n  x          -\n");
}

#[test]
fn a_folder_that_cannot_be_made_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    std::fs::write(&file, "").unwrap();
    let page = Page::default();
    assert!(matches!(page.write(&file.join("below")), Err(Error::Folder { .. })));
}
