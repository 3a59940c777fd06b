//! `toile fabric` from outside.

use crate::common;

use common::{SMALL, Toile};
use serde_json::Value;

const SHEET: &str = "property,weft,warp\nname,my-poplin\nW,12.1\nB,0.062,0.091\nG,1.1,1.2\nEM,5.2,4.1\nLT,0.8,0.82\nT0,0.31\nSMD,3\n";

#[test]
fn the_list_has_every_fabric_with_its_weight_and_confidence() {
    let toile = Toile::new();
    let done = toile.run(&["fabric", "list"]);
    assert_eq!(done.code, 0, "{}", done.error);
    for word in ["cotton-poplin", "wang-royal-target", "typical ±40 %", "g/m²", "µN·m"] {
        assert!(done.output.contains(word), "{word}: {}", done.output);
    }
    let json: Value =
        serde_json::from_str(&toile.run(&["fabric", "list", "--json"]).output).unwrap();
    assert!(json.as_array().unwrap().len() >= 25);
}

#[test]
fn a_sheet_is_imported_checked_shown_drawn_and_used_in_a_scene() {
    let toile = Toile::new();
    let sheet = toile.file("kes.csv", SHEET);
    std::fs::create_dir(toile.path("fabrics")).unwrap();
    let done = toile.run(&["fabric", "import", &sheet, "--out", "fabrics/my-poplin.toml"]);
    assert_eq!(done.code, 0, "{}", done.error);
    assert!(done.output.contains("SMD is not used"), "{}", done.output);
    assert_eq!(toile.run(&["fabric", "check", "fabrics/my-poplin.toml"]).code, 0);
    let done = toile.run(&["fabric", "show", "my-poplin", "--plot", "curves.svg"]);
    assert_eq!(done.code, 0, "{}", done.error);
    for word in ["gf·cm²/cm", "0.062", "measured", "J/m²", "curve of weft: 33 points"] {
        assert!(done.output.contains(word), "{word}: {}", done.output);
    }
    let svg = std::fs::read_to_string(toile.path("curves.svg")).unwrap();
    assert!(svg.starts_with("<svg") && svg.contains("tension [N/m]"));
    let done = toile.run(&["fabric", "show", "my-poplin", "--json"]);
    let json: Value = serde_json::from_str(&done.output).unwrap();
    assert!((json["fabric"]["density"].as_f64().unwrap() - 0.121).abs() < 1e-12);
    let scene = SMALL.replace("jitter", "fabric = \"my-poplin\"\njitter");
    let scene = toile.file("scene.toml", &scene);
    let done = toile.run(&["sim", &scene, "--duration", "0.02", "--no-picture"]);
    assert_eq!(done.code, 0, "{}", done.error);
}

#[test]
fn what_is_no_fabric_is_refused_with_its_place_and_remedy() {
    let toile = Toile::new();
    toile.file("bad.toml", "[kes]\nW = 12\nB = -0.1\n");
    let done = toile.run(&["fabric", "check", "bad.toml"]);
    assert_eq!(done.code, 1);
    for word in ["`kes.B` is -0.1", "bad.toml:3", "gf·cm²/cm"] {
        assert!(done.error.contains(word), "{word}: {}", done.error);
    }
    toile.file("bad.csv", &SHEET.replace("B,", "BB,"));
    let done = toile.run(&["fabric", "import", "bad.csv"]);
    assert_eq!(done.code, 1);
    assert!(
        done.error.contains("bad.csv:4") && done.error.contains("did you mean `B`"),
        "{}",
        done.error
    );
    let done = toile.run(&["fabric", "show", "cottn"]);
    assert_eq!(done.code, 1);
    assert!(done.error.contains("did you mean `cotton`"), "{}", done.error);
    let done = toile.run(&["fabric", "show", "nothing.toml"]);
    assert!(done.error.contains("nothing.toml: cannot read"), "{}", done.error);
    let done = toile.run(&["fabric", "show", "cotton", "--plot", "no/such/folder.svg"]);
    assert!(done.code == 1 && done.error.contains("cannot write"), "{}", done.error);
}

#[test]
fn numbers_that_no_cloth_has_are_told_and_end_with_status_one() {
    let toile = Toile::new();
    let text =
        "density = 12\nweft = 9000\nwarp = 9000\nshear = 60\nbend_weft = 7e-6\nbend_warp = 7e-6\n";
    toile.file("heavy.toml", text);
    let done = toile.run(&["fabric", "check", "heavy.toml"]);
    assert_eq!(done.code, 1, "{}", done.error);
    assert!(done.output.contains("density is 12"), "{}", done.output);
}

#[test]
fn a_fabric_is_fitted_to_a_measured_curve_and_can_be_used() {
    let toile = Toile::new();
    // B 0.1 gf·cm²/cm and 2HB 0.04 gf·cm/cm.
    let csv = "curvature [1/cm],moment [gf·cm/cm]\n0.5,0.07\n1,0.12\n1.5,0.17\n2,0.22\n";
    toile.file("bending.csv", csv);
    let out = ["--base", "wool-worsted", "--name", "mine", "--out", "mine.toml"];
    let done = toile.run(&[&["fabric", "fit", "bending.csv"][..], &out[..]].concat());
    assert_eq!(done.code, 0, "{}", done.error);
    assert!(done.output.contains("residual") && done.output.contains("mine is in mine.toml"));
    let done = toile.run(&["fabric", "show", "mine.toml", "--json"]);
    let json: Value = serde_json::from_str(&done.output).unwrap();
    let weft = json["fabric"]["bend_weft"].as_f64().unwrap();
    assert!((weft / 9.80665e-6 - 1.0).abs() < 0.01, "{weft}");
    assert!(json["fabric"]["provenance"].as_str().unwrap().starts_with("Fitted"));
    toile.file("bad.csv", &csv.replace("0.12", "much"));
    let done = toile.run(&["fabric", "fit", "bad.csv"]);
    assert_eq!(done.code, 1);
    for word in ["bad.csv:3", "`much` is no number", "strain [%],force [gf/cm]"] {
        assert!(done.error.contains(word), "{word}: {}", done.error);
    }
}

#[test]
fn a_fit_of_data_in_wrong_units_writes_nothing() {
    let toile = Toile::new();
    for (text, said) in [
        ("length,angle\n0.1,30\n", "angle [deg]"),
        ("length,angle\n0.001,0.7\n", "less than 0.01 m"),
        ("strain [%],force [gf/cm]\n0.5,10\n1,30\n2,120\n4,99999999999999999999\n", "the force"),
        ("strain,force\n0.01,90\n0.02,1\n0.03,80\n0.04,2\n", "units are probably wrong"),
    ] {
        toile.file("curve.csv", text);
        let done = toile.run(&["fabric", "fit", "curve.csv", "--out", "mine.toml"]);
        assert_eq!(done.code, 1, "{text}\n{}", done.output);
        assert!(done.error.contains(said), "{text}\n{}", done.error);
        assert!(!toile.path("mine.toml").exists());
    }
}
