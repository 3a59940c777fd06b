//! The figures of a comparison as a table to read and as JSON.

use serde_json::{Value, json};

/// What is compared of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Figures {
    /// Processor seconds per simulated second, stepping only.
    pub(super) cpu: f64,
    /// Wall seconds per simulated second, stepping only.
    pub(super) wall: f64,
    /// Intersecting pairs of triangles in the worst frame.
    pub(super) pairs: u64,
    /// Largest elongation of an edge in any frame.
    pub(super) stretch: f64,
}

/// A scene in both simulators; `None` if it was not run, or failed.
#[derive(Clone, Debug)]
pub(super) struct Row {
    pub(super) label: &'static str,
    pub(super) name: &'static str,
    pub(super) toile: Option<Figures>,
    pub(super) blender: Option<Figures>,
}

impl Row {
    /// How many times as much Blender has as toile, where both have something.
    fn ratio(&self, of: impl Fn(&Figures) -> f64) -> Option<f64> {
        let (toile, blender) = (of(self.toile.as_ref()?), of(self.blender.as_ref()?));
        (toile > 0.0).then_some(blender / toile)
    }
}

/// The table as Markdown.
pub(super) fn to_markdown(rows: &[Row]) -> String {
    let mut text = String::from(
        "| scene | CPU s per simulated s: toile | Blender | Blender / toile \
         | intersecting pairs, worst frame: toile | Blender | largest stretch: toile | Blender | Blender / toile |\n\
         | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n",
    );
    for row in rows {
        let cpu = |f: Option<Figures>| cell(f.map(|f| format!("{:.2}", f.cpu)));
        let pairs = |f: Option<Figures>| cell(f.map(|f| f.pairs.to_string()));
        let stretch = |f: Option<Figures>| cell(f.map(|f| format!("{:.1} %", 100.0 * f.stretch)));
        let times = |r: Option<f64>| cell(r.map(|r| format!("{r:.2}")));
        let cells = [
            row.label.to_owned(),
            cpu(row.toile),
            cpu(row.blender),
            times(row.ratio(|f| f.cpu)),
            pairs(row.toile),
            pairs(row.blender),
            stretch(row.toile),
            stretch(row.blender),
            times(row.ratio(|f| f.stretch)),
        ];
        text += &format!("| {} |\n", cells.join(" | "));
    }
    text
}

fn cell(text: Option<String>) -> String {
    text.unwrap_or_else(|| "–".into())
}

/// All figures, for programs; `machine` says where they were measured.
pub(super) fn to_json(machine: &Value, rows: &[Row]) -> Value {
    let figures = |f: Figures| {
        json!({
            "cpu_seconds_per_second": f.cpu,
            "wall_seconds_per_second": f.wall,
            "intersections_max": f.pairs,
            "max_stretch": f.stretch,
        })
    };
    let scenes = rows.iter().map(|row| {
        json!({
            "scene": row.name,
            "toile": row.toile.map(figures),
            "blender": row.blender.map(figures),
            "blender_over_toile": {
                "cpu": row.ratio(|f| f.cpu),
                "stretch": row.ratio(|f| f.stretch),
            },
        })
    });
    json!({ "version": 1, "machine": machine, "scenes": scenes.collect::<Vec<_>>() })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOILE: Figures = Figures { cpu: 2.0, wall: 2.5, pairs: 0, stretch: 0.04 };
    const BLENDER: Figures = Figures { cpu: 5.0, wall: 3.0, pairs: 17, stretch: 0.36 };

    fn row(toile: Option<Figures>, blender: Option<Figures>) -> Row {
        Row { label: "ball 3×3", name: "ball", toile, blender }
    }

    #[test]
    fn ratios_say_how_many_times_as_much_blender_has() {
        let text = to_markdown(&[row(Some(TOILE), Some(BLENDER))]);
        let last = text.lines().last();
        assert_eq!(
            last,
            Some("| ball 3×3 | 2.00 | 5.00 | 2.50 | 0 | 17 | 4.0 % | 36.0 % | 9.00 |")
        );
        let both = &to_json(&Value::Null, &[row(Some(TOILE), Some(BLENDER))])["scenes"][0];
        assert_eq!(both["blender_over_toile"]["cpu"], json!(2.5));
        assert_eq!(both["blender"]["intersections_max"], json!(17));
    }

    #[test]
    fn what_was_not_run_is_left_open_and_nothing_is_divided_by_zero() {
        let alone = row(Some(TOILE), None);
        assert!(
            to_markdown(std::slice::from_ref(&alone))
                .ends_with("| 2.00 | – | – | 0 | – | 4.0 % | – | – |\n")
        );
        assert_eq!(to_json(&Value::Null, &[alone])["scenes"][0]["blender"], Value::Null);
        let still = Figures { stretch: 0.0, ..TOILE };
        assert_eq!(row(Some(still), Some(BLENDER)).ratio(|f| f.stretch), None);
    }

    #[test]
    fn every_row_has_as_many_cells_as_the_head() {
        let text = to_markdown(&[row(None, None), row(Some(TOILE), Some(BLENDER))]);
        let bars: Vec<usize> = text.lines().map(|l| l.matches('|').count()).collect();
        assert_eq!(bars, [10; 4]);
    }
}
