use super::*;
use crate::bench::collide::choices;

/// Measured once for all tests.
static SMALL: std::sync::LazyLock<Report> = std::sync::LazyLock::new(small);

fn small() -> Report {
    let plan = Plan {
        scenes: vec![Kind::Flat, Kind::Stack],
        sizes: vec![400, 2_000],
        choices: choices(),
        repeats: 1,
        budget: 60.0,
    };
    Report::measure(&plan, 8, 1, |_| {}).unwrap()
}

#[test]
fn tables_have_a_cell_for_each_scene_and_choice() {
    let report = &*SMALL;
    let text = report.to_text();
    assert_eq!(text.lines().filter(|l| l.starts_with("stack")).count(), 2 * choices().len());
    let markdown = report.to_markdown(2_000);
    for choice in choices() {
        let line = format!("| {} |", choice.name());
        let row = markdown.lines().find(|l| l.starts_with(&line)).expect(&line);
        assert_eq!(row.matches('|').count(), 4, "{row}");
        assert!(!row.contains('–'), "{row}");
    }
    // Every row of a table has as many cells as its head.
    let mut columns = 0;
    for line in markdown.lines() {
        match line.starts_with('|') {
            true if columns == 0 => columns = line.matches('|').count(),
            true => assert_eq!(line.matches('|').count(), columns, "{line}"),
            false => columns = 0,
        }
    }
    assert!(report.verdict(Kind::Stack, 2_000).is_some_and(|v| v.contains("the default takes")));
}

#[test]
fn json_says_the_same_when_read_back() {
    let report = &*SMALL;
    let text = serde_json::to_string(&report).unwrap();
    let again: Report = serde_json::from_str(&text).unwrap();
    assert_eq!(again.to_text(), report.to_text());
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
    let row = &value["collide"]["rows"][0];
    assert_eq!((row["scene"].as_str(), row["group"].as_str()), (Some("flat"), Some("default")));
    assert!(row["narrow_per_true"].is_null(), "no true pairs on a flat sheet");
}

#[test]
fn the_diagram_has_every_scene_and_method() {
    let svg = SMALL.to_svg(2_000);
    for word in ["flat, by pruning", "stack, by volume", "dop18", "directions", "leaf 16"] {
        assert!(svg.contains(word), "{word}");
    }
    // Nothing measured is still a picture.
    assert!(Report::default().to_svg(1).starts_with("<svg"));
}

#[test]
fn only_what_is_between_the_markers_changes() {
    let text = format!("before\n{BEGIN}\nold\n{END}\nafter\n");
    let new = between_markers(&text, "new\n").unwrap();
    assert_eq!(new, format!("before\n{BEGIN}\nnew\n{END}\nafter\n"));
    assert_eq!(between_markers(&new, "new").as_ref(), Some(&new));
    assert_eq!(between_markers("no markers", "new"), None);
}

#[test]
fn numbers_are_grouped_and_what_is_left_out_is_gathered() {
    assert_eq!(spaced(1_234_567), "1\u{202f}234\u{202f}567");
    assert_eq!(spaced(12), "12");
    let left = |choice: &str| Skipped {
        scene: Kind::Twist,
        triangles: 9,
        choice: choice.into(),
        reason: "no time left".into(),
    };
    let all = gathered(&[left("a"), left("b")]);
    assert_eq!(all, [(Kind::Twist, 9, "a, b".into(), "no time left".into())]);
}

#[test]
fn long_points_of_a_list_are_cut_into_lines_that_say_the_same() {
    let text = format!("- Left out: {}.", vec!["leaf 32"; 60].join(", "));
    let mut lines = String::new();
    wrap(&text, &mut lines);
    assert!(lines.lines().count() > 3 && lines.lines().all(|l| l.chars().count() <= LINE));
    assert!(lines.lines().skip(1).all(|l| l.starts_with("  ")));
    assert_eq!(lines.split_whitespace().collect::<Vec<_>>().join(" "), text);
}
