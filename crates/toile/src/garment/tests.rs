//! A garment from an order to its fit report.

use super::{Order, dress};
use toile_body::{Figure, Pose};
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

#[test]
fn a_t_shirt_is_worn_and_its_fit_told_in_a_page_without_outside_references() {
    let folder = tempfile::tempdir().expect("a folder");
    let order = Order {
        garment: "tshirt".into(),
        size: Size::M,
        wearer: None,
        figure: Figure::Female,
        pose: Pose::A,
        body: None,
        fabric: "cotton-jersey".into(),
        edge_length: 0.06,
        out: folder.path().into(),
        picture: true,
        threads: None,
    };
    let mut said = Vec::new();
    let report = dress(&order, |at| {
        if said.last() != Some(&at.doing) {
            said.push(at.doing);
        }
        true
    });
    let report = report.expect("it can be made").expect("it was not stopped");
    assert!(report.is_good(), "{report:?}");
    assert_eq!(said, ["arranging", "sewing", "draping", "measuring", "drawing"]);
    // Drafted with 8 cm more than the bust; a section between two planes of a coarse mesh is near that.
    let bust = report.fit.girths.iter().find(|g| g.name == "bust_girth").expect("a bust");
    assert!((bust.ease - 0.08).abs() < 0.03, "{bust:?}");
    assert!(report.fit.girths.iter().all(|g| g.ease > 0.0), "{:?}", report.fit.girths);
    let [best, reason] = report.fit.best_size.clone().expect("a design");
    assert_eq!(best, "M", "{reason}");

    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).expect(name);
    let fit: serde_json::Value = serde_json::from_str(&read("fit.json")).expect("JSON");
    assert_finite(&fit, "");
    for map in ["strain", "tension", "pressure", "gap"] {
        let values = fit["maps"][map].as_array().expect("a map");
        assert_eq!(values.len(), report.vertices, "{map}");
        assert!(folder.path().join(format!("fit-{map}.png")).exists(), "{map}");
    }
    assert!(fit["summary"]["pressure"]["max"].as_f64().expect("a number") > 0.0);
    let page = read("fit.html");
    assert_eq!(page.matches("src=\"data:image/png;base64,iVBORw0KGgo").count(), 5);
    assert_eq!(page.matches("src=").count(), 5);
    for outside in ["http:", "https:", "<link", "<script", "@import", "url(http"] {
        assert!(!page.contains(outside), "{outside}");
    }
    let whole: serde_json::Value = serde_json::from_str(&read("report.json")).expect("JSON");
    assert!(whole["fit"]["girths"].as_array().is_some_and(|g| g.len() >= 3));
}
