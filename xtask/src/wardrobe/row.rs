//! Rows of the table of a wardrobe.

use serde_json::{Value, json};
use std::path::Path;

/// Widest opening of a seam that counts as closed [m].
const CLOSED: f64 = 2e-3;

/// What became of a pattern.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Row {
    name: String,
    is_good: bool,
    vertices: Option<u64>,
    steps: Option<u64>,
    gap_mm: Option<f64>,
    intersections: Option<u64>,
    in_body: Option<u64>,
    cpu_seconds: f64,
    reason: String,
}

impl Row {
    /// Of the report, if there is one, and what the program said.
    pub(super) fn new(name: String, report: Option<&Value>, said: &str, cpu_seconds: f64) -> Self {
        let count = |key: &str| report?[key].as_u64();
        let mut row = Self {
            name,
            is_good: false,
            vertices: count("vertices"),
            steps: count("steps"),
            gap_mm: report.and_then(|r| r["seam_gap_max"].as_f64()).map(|g| 1e3 * g),
            intersections: count("intersections_max"),
            in_body: count("body_penetrations_max"),
            cpu_seconds,
            reason: String::new(),
        };
        let Some(report) = report else {
            row.reason = sentence(said);
            return row;
        };
        let at_rest = report["at_rest"].as_bool() == Some(true);
        let closed = row.gap_mm.is_some_and(|g| g < 1e3 * CLOSED);
        let clean = row.intersections == Some(0) && row.in_body == Some(0);
        row.is_good = at_rest && closed && clean;
        row.reason = match (row.is_good, report["open_seam"].as_str()) {
            (true, _) => String::new(),
            (false, Some(open)) if !closed => open.to_owned(),
            _ if !clean => "intersects".to_owned(),
            _ => {
                let speed = report["rms_speed"].as_f64().unwrap_or(f64::NAN);
                format!("not at rest: {:.1} mm/s", 1e3 * speed)
            }
        };
        row
    }

    fn json(&self) -> Value {
        json!({
            "name": self.name, "good": self.is_good, "vertices": self.vertices, "steps": self.steps, "gap_mm": self.gap_mm,
            "intersections": self.intersections, "in_body": self.in_body, "cpu_seconds": self.cpu_seconds, "reason": self.reason,
        })
    }

    /// The row of a run that was finished earlier.
    pub(super) fn read(folder: &Path) -> Option<Self> {
        let text = std::fs::read_to_string(folder.join("row.json")).ok()?;
        let row: Value = serde_json::from_str(&text).ok()?;
        Some(Self {
            name: row["name"].as_str()?.to_owned(),
            is_good: row["good"].as_bool()?,
            vertices: row["vertices"].as_u64(),
            steps: row["steps"].as_u64(),
            gap_mm: row["gap_mm"].as_f64(),
            intersections: row["intersections"].as_u64(),
            in_body: row["in_body"].as_u64(),
            cpu_seconds: row["cpu_seconds"].as_f64()?,
            reason: row["reason"].as_str()?.to_owned(),
        })
    }

    pub(super) fn write(&self, folder: &Path) -> Result<(), String> {
        put(&folder.join("row.json"), &format!("{:#}\n", self.json()))
    }

    /// Its line of the table.
    pub(super) fn line(&self) -> String {
        let whole = |n: Option<u64>| n.map_or(String::new(), |n| n.to_string());
        let gap = self.gap_mm.map_or(String::new(), |g| format!("{g:.2}"));
        format!(
            "| {} | {} | {} | {} | {gap} | {} | {} | {:.0} | {} |",
            self.name,
            if self.is_good { "good" } else { "**failed**" },
            whole(self.vertices),
            whole(self.steps),
            whole(self.intersections),
            whole(self.in_body),
            self.cpu_seconds,
            self.reason.replace('|', "/")
        )
    }
}

/// The message of the program, its lines joined, without what decorates them.
fn sentence(said: &str) -> String {
    let bare = |line: &str| line.trim().trim_start_matches(['×', '│', '╰', '─']).trim().to_owned();
    let lines: Vec<String> = said.lines().map(bare).filter(|l| !l.is_empty()).collect();
    if lines.is_empty() { "it said nothing".into() } else { lines.join(" ") }
}

/// All rows as Markdown, with their sum.
pub(super) fn table(rows: &[Row]) -> String {
    let mut text = String::from(
        "| pattern | result | vertices | steps | widest seam [mm] | intersections | triangles in the body | CPU s | reason |\n\
         | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n",
    );
    rows.iter().for_each(|row| text += &format!("{}\n", row.line()));
    let mut seconds: Vec<f64> = rows.iter().map(|r| r.cpu_seconds).collect();
    seconds.sort_by(f64::total_cmp);
    let good = rows.iter().filter(|r| r.is_good).count();
    let middle = seconds.get(seconds.len() / 2).copied().unwrap_or(0.0);
    let most = seconds.last().copied().unwrap_or(0.0);
    let n = rows.len();
    text + &format!("\n{good} of {n} good; CPU s: median {middle:.0}, most {most:.0}.\n")
}

/// The table and the pictures of what is known so far.
pub(super) fn write_all(out: &Path, rows: &[Row]) -> Result<(), String> {
    put(&out.join("wardrobe.md"), &table(rows))?;
    let all: Vec<Value> = rows.iter().map(Row::json).collect();
    put(&out.join("wardrobe.json"), &format!("{:#}\n", Value::from(all)))?;
    let mut page = String::from(
        "<!doctype html><meta charset=\"utf-8\"><title>Wardrobe</title>\n<style>body{font:14px sans-serif;display:grid;\
         grid-template-columns:repeat(auto-fill,minmax(600px,1fr));gap:12px}img{width:100%}.bad{color:#a8322d}</style>\n",
    );
    for row in rows {
        let class = if row.is_good { "good" } else { "bad" };
        let reason = row.reason.replace('&', "&amp;").replace('<', "&lt;");
        page += &format!("<div class=\"{class}\"><b>{}</b> {reason}\n", row.name);
        let drawn = ["final.png", "caught.png", "arranged.png"];
        let picture = drawn.iter().find(|p| out.join(&row.name).join("results").join(p).exists());
        if let Some(picture) = picture {
            page += &format!("<img src=\"{}/results/{picture}\">", row.name);
        }
        page += "</div>\n";
    }
    put(&out.join("wardrobe.html"), &page)
}

fn put(path: &Path, text: &str) -> Result<(), String> {
    std::fs::write(path, text).map_err(|e| format!("{}: {e}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(at_rest: bool, gap: f64, crossing: u64) -> Value {
        json!({
            "vertices": 10, "steps": 5, "at_rest": at_rest, "seam_gap_max": gap, "intersections_max": crossing,
            "body_penetrations_max": 0, "rms_speed": 0.02, "open_seam": "seam \"1\" stays open",
        })
    }

    #[test]
    fn only_what_is_at_rest_closed_and_clean_is_good() {
        let row = |r: Value| Row::new("a".into(), Some(&r), "", 1.0);
        assert!(row(report(true, 1e-3, 0)).is_good);
        assert_eq!(row(report(false, 0.0, 0)).reason, "not at rest: 20.0 mm/s");
        assert_eq!(row(report(true, 3e-3, 0)).reason, "seam \"1\" stays open");
        assert_eq!(row(report(true, 0.0, 2)).reason, "intersects");
        let failed = Row::new("a".into(), None, "  × seam\n  │ stays open\n  help: wait\n", 1.0);
        assert!(!failed.is_good);
        assert_eq!(failed.reason, "seam stays open help: wait");
    }

    #[test]
    fn a_row_is_read_back_as_it_was_written() {
        let folder = tempfile::tempdir().expect("a folder");
        assert_eq!(Row::read(folder.path()), None);
        for report in [Some(report(true, 1e-3, 0)), None] {
            let row = Row::new("a|b".into(), report.as_ref(), "no", 2.5);
            row.write(folder.path()).expect("written");
            assert_eq!(Row::read(folder.path()), Some(row.clone()));
            assert_eq!(table(&[row]).lines().count(), 5);
        }
    }
}
