//! A garment from an order to its fit report.

use super::maps::{self, Map};
use super::report::FitReport;
use super::{Coordinates, Order, dress, page};
use crate::run::{Options, Outcome};
use glam::DVec3;
use toile_body::{Figure, Pose};
use toile_garment::fit::{Fit, Maps, Summary};
use toile_mesh::shape;
use toile_pattern::Size;

/// Every number within a value is finite; null would be one that is not.
fn assert_finite(value: &serde_json::Value, path: &str) {
    match value {
        serde_json::Value::Null => assert_eq!(path, ".best_size", "{path} is no number"),
        serde_json::Value::Array(all) => all.iter().for_each(|v| assert_finite(v, path)),
        serde_json::Value::Object(all) => {
            all.iter().for_each(|(k, v)| assert_finite(v, &format!("{path}.{k}")));
        }
        _ => {}
    }
}

fn assert_self_contained(page: &str, pictures: usize) {
    assert_eq!(page.matches("src=\"data:image/png;base64,iVBORw0KGgo").count(), pictures);
    assert_eq!(page.matches("src=").count(), pictures);
    for outside in ["http:", "https:", "<link", "<script", "@import", "url(http"] {
        assert!(!page.contains(outside), "{outside}");
    }
}

#[test]
fn a_t_shirt_is_worn_and_its_fit_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let order = Order {
        garment: "tshirt".into(),
        size: Size::M,
        wearer: None,
        figure: Figure::Female,
        pose: Pose::A,
        motion: None,
        body: None,
        fabric: "cotton-jersey".into(),
        edge_length: 0.06,
        fps: 30.0,
        coordinates: Coordinates::Body,
        design_options: Vec::new(),
        measurements: None,
    };
    let mut said = Vec::new();
    let options = Options { picture: false, ..Options::new(folder.path()) };
    let outcome = dress(&order, &options, &mut |at| {
        if said.last() != Some(&at.stage.name()) {
            said.push(at.stage.name());
        }
    });
    let outcome = outcome.expect("it can be made");
    let Outcome::Finished(report) = outcome else { panic!("nobody stopped it") };
    let garment = report.garment.as_ref().expect("a garment");
    assert!(report.is_good(), "{report:?}");
    assert_eq!(
        said,
        [
            "arranging",
            "untangling",
            "sewing",
            "draping",
            "auditing",
            "measuring",
            "writing",
            "drawing"
        ]
    );
    // Drafted with 8 cm more than the bust; a section between two planes of a coarse mesh is near that.
    let bust = garment.fit.girths.iter().find(|g| g.name == "bust_girth").expect("a bust");
    assert!((bust.ease - 0.08).abs() < 0.03, "{bust:?}");
    assert!(garment.fit.girths.iter().all(|g| g.ease > 0.0), "{:?}", garment.fit.girths);
    let [best, reason] = garment.fit.best_size.clone().expect("a design");
    assert_eq!(best, "M", "{reason}");

    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).expect(name);
    let fit: serde_json::Value = serde_json::from_str(&read("fit.json")).expect("JSON");
    assert_finite(&fit, "");
    for map in ["strain", "tension", "pressure", "gap"] {
        let values = fit["maps"][map].as_array().expect("a map");
        assert_eq!(values.len() as u64, report.vertices, "{map}");
    }
    assert!(fit["summary"]["pressure"]["max"].as_f64().expect("a number") > 0.0);
    assert_self_contained(&read("fit.html"), 0);
    let whole: serde_json::Value = serde_json::from_str(&read("report.json")).expect("JSON");
    assert!(whole["fit"]["girths"].as_array().is_some_and(|g| g.len() >= 3));
}

#[test]
fn a_page_has_its_maps_and_their_legends_within_it() {
    let body = shape::sphere(0.2, 3);
    let cloth = shape::sphere(0.25, 3).map_positions(|p| p + DVec3::Y * 0.05);
    let values: Vec<f64> = cloth.positions.iter().map(|p| p.y.abs()).collect();
    let maps = Maps {
        strain: values.clone(),
        tension: values.clone(),
        pressure: values.clone(),
        gap: values,
    };
    let (girths, triangles, summary) = (Vec::new(), Vec::new(), Summary::default());
    let fit = Fit { girths, triangles, maps, summary, curvature: 0.0 };
    let [strain, _, pressure, gap]: [Map; 4] = maps::maps(&fit);
    let image = maps::views(&cloth, &body, &pressure).expect("a picture");
    let marked = maps::with_legend(&image, &pressure);
    assert!(marked.height > image.height && marked.width == image.width);
    let mut png = Vec::new();
    marked.write_png(&mut png).expect("a file");
    let names = ["<Ball>", "M", "a & b", "cotton"].map(String::from);
    let report = FitReport::new(fit, names, None, &[]);
    let pictures = [Some(strain), Some(pressure), Some(gap), None]
        .map(|map| page::Picture { png: png.clone(), map });
    let html = page::page(&report, &pictures);
    assert_self_contained(&html, 4);
    assert_eq!(html.matches("<linearGradient").count(), 3);
    for unit in ["[%]", "[kPa]", "[mm]", "&lt;Ball&gt;", "a &amp; b"] {
        assert!(html.contains(unit), "{unit}");
    }
}
