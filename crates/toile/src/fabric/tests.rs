//! Fabric files: what is refused, what is kept, and what is shipped.

use super::*;

const GOOD: &str =
    "density = 0.12\nweft = 9000\nwarp = 11000\nshear = 60\nbend_weft = 7e-6\nbend_warp = 9e-6\n";

/// What is said about a file that must be refused: message, place, remedy.
fn refused(text: &str) -> String {
    let error = from_toml(text, "bad.toml").expect_err(text);
    let Error::Scene(e) = error else { panic!("{error}") };
    let spot = e.span.map(|s| text[s.offset()..s.offset() + s.len()].to_owned());
    format!("{} | {} | {}", e.message, spot.unwrap_or_default(), e.help.unwrap_or_default())
}

fn says(text: &str, words: &[&str]) {
    let said = refused(text);
    words.iter().for_each(|w| assert!(said.contains(w), "`{w}` is not in: {said}"));
}

#[test]
fn six_numbers_are_a_fabric() {
    let fabric = from_toml(GOOD, "good.toml").unwrap();
    assert_eq!((fabric.weft, fabric.poisson), (9000.0, 0.0));
    assert_eq!(fabric.origins["thickness"].source, "not given");
    assert_eq!(fabric.confidence_of("thickness"), Confidence::Estimated);
}

#[test]
fn mistakes_are_shown_where_they_are_with_a_remedy() {
    let with = |line: &str| format!("{GOOD}{line}\n");
    says("density = ", &["this is not TOML", "a fabric is a TOML file"]);
    says("", &["bad.toml: `density` is missing", "kg/m²", "W under [kes]"]);
    for (key, value) in [("density", "0.12"), ("bend_warp", "9e-6"), ("shear", "60")] {
        let text = GOOD.replace(&format!("{key} = {value}\n"), "");
        says(&text, &[&format!("`{key}` is missing"), "add "]);
    }
    says(&GOOD.replace("= 60", "= -60"), &["`shear` is -60", "| -60 |", "not negative"]);
    says(&GOOD.replace("0.12", "nan"), &["`density` is NaN", "| nan |", "above zero"]);
    says(&GOOD.replace("0.12", "inf"), &["`density` is inf"]);
    says(&GOOD.replace("0.12", "true"), &["`density` is true or false", "text with a unit"]);
    says(&GOOD.replace("0.12", "\"12 mg\""), &["unit `mg`", "| \"12 mg\" |", "`mg/cm²`"]);
    says(&GOOD.replace("0.12", "\"0.12\""), &["without a unit"]);
    says(
        &GOOD.replace("7e-6", "\"7 N/m\""),
        &["`bend_weft` has the unit `N/m` of force per width"],
    );
    says(&with("poisson = 1.2"), &["`poisson` is 1.2", "positive definite", "| 1.2 |"]);
    says(&with("bend_twits = 1"), &["unknown key `bend_twits`", "did you mean `bend_twist`"]);
    says(&with("confidence = \"sure\""), &["`confidence` cannot be `sure`", "`measured`"]);
    says(&with("[origins]\nwieght = { confidence = \"measured\" }"), &["`origins.wieght`"]);
    says(&with("[origins]\nshear = { confidence = \"measred\" }"), &["did you mean `measured`"]);
    says(&with("[origins]\nshear = { source = \"x\" }"), &["origins.shear", "confidence"]);
    says(&with("origins = 3"), &["`origins` is wrong"]);
}

#[test]
fn curves_that_make_no_sense_are_refused_at_their_point() {
    let with = |curve: &str| format!("{GOOD}weft_curve = {curve}\n");
    says(
        &with("[[0, 0], [0.1, 5], [0.05, 9]]"),
        &["`weft_curve[2]`", "behind", "| [0.05, 9] |", "sort"],
    );
    says(&with("[[0, 0], [0.1, -5]]"), &["`weft_curve[1]`", "below"]);
    says(&with("[[0.1, 1], [0.2, 2]]"), &["does not pass through rest", "[0, 0]"]);
    says(&with("[[0, 0], [0.1, nan]]"), &["`weft_curve[1]`", "finite"]);
    says(&with("[[0, 0]]"), &["has 1 points"]);
    says(&with("[[0, 0], [1, 2, 3]]"), &["`weft_curve[1]` is not a pair"]);
    says(&with("[[0, 0], [1, \"2\"]]"), &["is not a pair"]);
    says(&with("7"), &["it must be a list of points"]);
    says(&with("{ strain = \"%\" }"), &["no list of `points`"]);
    says(
        &with("{ strian = \"%\", points = [] }"),
        &["`weft_curve.strian`", "did you mean `strain`"],
    );
    says(&with("{ tension = \"kg\", points = [[0, 0], [1, 2]] }"), &["unit `kg`", "`gf/cm`"]);
    says(&with("[[-2, -1], [0, 0]]"), &["`weft_curve`", "above -1"]);
    // A curve so flat that the stress of the stretched cloth falls.
    says(&with("[[0, 0], [0.1, 50], [2, 51]]"), &["`weft_curve`", "Green"]);
    let many = vec!["[0, 0]"; 20_000].join(",");
    says(&with(&format!("[{many}]")), &["20000 points"]);
}

#[test]
fn figures_of_kawabata_that_make_no_sense_are_refused_at_their_place() {
    let kes = |text: &str| format!("{}[kes]\n{text}\n", "poisson = 0.1\n");
    says(&kes("B = -0.1"), &["`kes.B` is -0.1", "above zero", "gf·cm²/cm", "| -0.1 |"]);
    says(&kes("BB = 0.1"), &["`kes.BB` is no figure", "did you mean `B`"]);
    says(&kes("B = { weft = 0.1 }"), &["`kes.B` has no `warp`"]);
    says(&kes("B = { weft = 0.1, wrap = 0.1 }"), &["`kes.B.wrap`", "did you mean `warp`"]);
    says(&kes("B = \"0.1 gf/cm\""), &["`kes.B` has the unit"]);
    says(&kes("W = [1, 2]"), &["`kes.W` is a list"]);
    says("kes = 3", &["`kes` is a number", "[kes]"]);
    says(&format!("{GOOD}[kes]\nW = 12"), &["`density` is given twice", "leave one"]);
    says(&kes("W = 12\nG = 1\nEM = 5"), &["`bend_weft` is missing", "B under [kes]"]);
}

#[test]
fn units_of_curves_are_converted_and_the_stiffness_is_their_secant() {
    let text = format!(
        "{}\n{}\n{}",
        GOOD.replace("weft = 9000\n", "").replace("shear = 60\n", ""),
        "weft_curve = { strain = \"%\", tension = \"gf/cm\", points = [[0, 0], [2, 100], [5, 500]] }",
        "shear_curve = { angle = \"deg\", points = [[0, 0], [8, 9]] }",
    );
    let fabric = from_toml(&text, "curve.toml").unwrap();
    assert!((fabric.weft - 490.3325 / 0.05).abs() < 1e-9);
    assert!((fabric.weft_curve[1][1] - 98.0665).abs() < 1e-12);
    assert!((fabric.shear_curve[1][0] - 8_f64.to_radians()).abs() < 1e-15);
    assert!((fabric.shear - 9.0 / 8_f64.to_radians()).abs() < 1e-12);
}

#[test]
fn what_is_written_reads_back_bit_for_bit() {
    for name in names() {
        let fabric = built_in(name).unwrap().unwrap();
        let text = to_toml(&fabric);
        assert_eq!(from_toml(&text, "again.toml").unwrap(), fabric, "{text}");
    }
}

#[test]
fn every_shipped_file_is_listed_plausible_and_says_where_it_comes_from() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fabrics");
    let mut files: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|e| e.unwrap().file_name().to_string_lossy().into_owned())
        .filter_map(|f| f.strip_suffix(".toml").map(str::to_owned))
        .collect();
    files.sort();
    assert_eq!(files, names());
    for name in names() {
        let fabric = built_in(name).unwrap().unwrap();
        assert_eq!(fabric.name, name);
        assert!(fabric.provenance.len() > 20, "{name}");
        assert_eq!(implausible(&fabric), Vec::<String>::new(), "{name}");
        let c = fabric.membrane();
        assert!(c.c11 * c.c22 > c.c12 * c.c12 && c.c33 > 0.0, "{name}");
        assert!((0.02..=1.0).contains(&fabric.density), "{name}");
        assert!(fabric.bending_lengths().iter().all(|c| (0.005..=0.06).contains(c)), "{name}");
        assert!(fabric.law().is_ok(), "{name}");
    }
}

#[test]
fn a_slip_of_units_is_noticed() {
    let text = GOOD.replace("7e-6", "7e-3").replace("0.12", "12");
    let found = implausible(&from_toml(&text, "slip.toml").unwrap());
    assert!(found.iter().any(|f| f.starts_with("density is 12")), "{found:?}");
    let text = GOOD.replace("7e-6", "7e-3");
    let found = implausible(&from_toml(&text, "slip.toml").unwrap());
    assert!(found.iter().any(|f| f.contains("bending length along the weft")), "{found:?}");
}

#[test]
fn figures_in_kawabatas_units_are_those_that_were_given() {
    let text = "[kes]\nW = 12\nB = 0.07\nG = 1.1\n2HG = 2\nEM = 5\nLT = 0.8\nT0 = 0.3\n";
    let all = figures(&from_toml(text, "k.toml").unwrap());
    let value = |name: &str| {
        let found = all.iter().find(|f| f.kes.is_some_and(|k| k.0 == name));
        found.and_then(|f| f.kes).unwrap().1
    };
    let exact = [("W", 12.0), ("B", 0.07), ("G", 1.1), ("2HG", 2.0), ("EM", 5.0), ("T0", 0.3)];
    for (name, expected) in exact {
        assert!((value(name) / expected - 1.0).abs() < 1e-9, "{name} {}", value(name));
    }
    // By straight lines through 33 points, a little above the power law.
    for (name, expected) in [("LT", 0.8), ("WT", 10.0)] {
        assert!((value(name) / expected - 1.0).abs() < 2e-3, "{name} {}", value(name));
    }
}
