//! The benchmark of collision detection as text, Markdown and a diagram.

use super::bodies;
use super::collide::{self, Choice, Plan, Row, Skipped, Table};
use super::scenes::Kind;
use crate::plot::{Figure, Plot};
use serde::{Deserialize, Serialize};
use std::fmt::Write;
use std::path::Path;
use toile::Error;

/// Where the tables begin in a Markdown file.
pub const BEGIN: &str = "<!-- bench-collide: begin -->";
/// Where they end.
pub const END: &str = "<!-- bench-collide: end -->";

/// A choice is called better if it saves at least this part: less is noise.
const WORTH: f64 = 0.05;

/// Longest line of a list in a document.
const LINE: usize = 110;

/// Everything that was measured.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// Choices of detectors.
    pub collide: Table,
    /// Stand-ins for bodies.
    pub bodies: Vec<bodies::Row>,
}

impl Report {
    /// Measures a plan, and bodies with `cells` along their longest side, on a number of threads (0 for
    /// all there are). `progress` is told what comes next.
    ///
    /// # Errors
    /// If the threads cannot be started, or the cells are too many.
    pub fn measure(
        plan: &Plan,
        cells: usize,
        threads: usize,
        progress: impl FnMut(&str) + Send,
    ) -> Result<Self, Error> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().map_err(|e| {
            Error::request(format!("cannot start {threads} threads: {e}"), "ask for fewer")
        })?;
        pool.install(|| {
            let collide = collide::measure(plan, progress);
            Ok(Self { collide, bodies: bodies::measure(cells, plan.repeats)? })
        })
    }

    /// Scenes that were measured, in order.
    fn scenes(&self) -> Vec<Kind> {
        let has = |k: &Kind| self.collide.rows.iter().any(|r| r.scene == *k);
        Kind::ALL.into_iter().filter(has).collect()
    }

    /// The scene's size that is nearest to a wanted one.
    fn size_near(&self, scene: Kind, wanted: usize) -> Option<usize> {
        let sizes = self.collide.rows.iter().filter(|r| r.scene == scene).map(|r| r.triangles);
        sizes.min_by_key(|n| n.abs_diff(wanted))
    }

    fn rows_at(&self, scene: Kind, wanted: usize) -> Vec<&Row> {
        let size = self.size_near(scene, wanted);
        let rows = self.collide.rows.iter();
        rows.filter(|r| r.scene == scene && Some(r.triangles) == size).collect()
    }

    /// Names of choices, in the order they were measured.
    fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for row in &self.collide.rows {
            let name = row.choice.name();
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }

    /// Which choice is best on a scene at a size, narrow phase included, in a sentence.
    pub fn verdict(&self, scene: Kind, wanted: usize) -> Option<String> {
        let rows = self.rows_at(scene, wanted);
        let default = rows.iter().find(|r| r.choice.group == "default")?;
        let cost = |r: &Row| r.ns_with_narrow();
        let saves = |r: &Row| 1.0 - cost(r) / cost(default);
        let mut better: Vec<&&Row> = rows.iter().filter(|r| saves(r) > WORTH).collect();
        better.sort_by(|a, b| cost(a).total_cmp(&cost(b)));
        let list: Vec<String> = better
            .iter()
            .take(3)
            .map(|r| format!("`{}` saves {:.0} %", r.choice.name(), 100.0 * saves(r)))
            .collect();
        let end = match list.is_empty() {
            true => format!("nothing is better by more than {:.0} %.", 100.0 * WORTH),
            false => format!("{}.", list.join(", ")),
        };
        let mut text = format!(
            "**{}**: the default takes {:.0} ns a triangle, {:.0} with the narrow phase; {end}",
            scene.name(),
            default.ns_per_triangle,
            cost(default),
        );
        if let Some(worst) = rows.iter().max_by(|a, b| cost(a).total_cmp(&cost(b)))
            && cost(worst) > 2.0 * cost(default)
        {
            let times = cost(worst) / cost(default);
            let _ = write!(text, " Worst is `{}`, {times:.1} times as much.", worst.choice.name());
        }
        Some(text)
    }

    /// Tables for people at a terminal.
    pub fn to_text(&self) -> String {
        let table = &self.collide;
        let mut out = format!(
            "Self-collision of one step, {} thread{}, medians of {}\n\n",
            table.threads,
            if table.threads == 1 { "" } else { "s" },
            table.repeats
        );
        let _ = writeln!(
            out,
            "{:<7} {:>9} {:<22} {:>8} {:>9} {:>9} {:>9} {:>9} {:>9} {:>8} {:>8} {:>11} {:>11} {:>11} {:>10} {:>8}",
            "scene",
            "triangles",
            "choice",
            "build s",
            "refit ms",
            "desc. ms",
            "trav. ms",
            "feat. ms",
            "narrow ms",
            "cull ns",
            "ns/tri",
            "node tests",
            "tri. pairs",
            "narrow",
            "true",
            "per true"
        );
        for r in &table.rows {
            let _ = writeln!(
                out,
                "{:<7} {:>9} {:<22} {:>8.3} {:>9.2} {:>9.2} {:>9.2} {:>9.2} {:>9.2} {:>8.1} {:>8.0} {:>11} {:>11} {:>11} {:>10} {:>8}",
                r.scene.name(),
                r.triangles,
                r.choice.name(),
                r.build_seconds,
                1e3 * r.refit_seconds,
                1e3 * r.descend_seconds,
                1e3 * r.traverse_seconds,
                1e3 * r.feature_seconds(),
                1e3 * r.narrow_seconds,
                r.ns_of_culling(),
                r.ns_per_triangle,
                r.node_tests,
                r.triangle_pairs,
                r.feature_pairs,
                r.true_pairs,
                ratio(r.narrow_per_true),
            );
        }
        out += "narrow: feature pairs left to decide after boxes and planes; true: those that come too near\n";
        for (scene, triangles, choices, reason) in gathered(&table.skipped) {
            let _ =
                writeln!(out, "left out: {} at {triangles}: {choices} ({reason})", scene.name());
        }
        if !self.bodies.is_empty() {
            let _ = writeln!(
                out,
                "\n{:<7} {:<20} {:>8} {:>8} {:>9} {:>9} {:>9} {:>8}",
                "body", "method", "cell mm", "build s", "ns/point", "KiB", "worst mm", "wrong %"
            );
        }
        for r in &self.bodies {
            let _ = writeln!(
                out,
                "{:<7} {:<20} {:>8.1} {:>8.3} {:>9.0} {:>9} {:>9.3} {:>8.3}",
                r.shape.name(),
                r.method,
                1e3 * r.cell,
                r.build_seconds,
                r.nanoseconds,
                r.bytes / 1024,
                1e3 * r.worst_error,
                100.0 * r.wrong_side
            );
        }
        out
    }

    /// Tables for a document, at the size nearest to a wanted one.
    pub fn to_markdown(&self, wanted: usize) -> String {
        let (scenes, names) = (self.scenes(), self.names());
        let mut out = format!(
            "Medians of {} on {} thread{}. The default, by scene:\n\n",
            self.collide.repeats,
            self.collide.threads,
            if self.collide.threads == 1 { "" } else { "s" }
        );
        out += "| scene | triangles | build s | refit ms | descend ms | traverse ms | features ms | refit + descend ns/triangle | refit + traverse ns/triangle | all ns/triangle | narrow ms | node tests | triangle pairs | narrow pairs | true pairs | narrow per true | query ns/true pair |\n";
        out += "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n";
        for r in self.collide.rows.iter().filter(|r| r.choice.group == "default") {
            let _ = writeln!(
                out,
                "| {} | {} | {:.2} | {:.1} | {:.1} | {:.1} | {:.1} | {:.0} | {:.0} | {:.0} | {:.1} | {} | {} | {} | {} | {} | {} |",
                r.scene.name(),
                spaced(r.triangles as u64),
                r.build_seconds,
                1e3 * r.refit_seconds,
                1e3 * r.descend_seconds,
                1e3 * r.traverse_seconds,
                1e3 * r.feature_seconds(),
                r.ns_of_descent(),
                r.ns_of_culling(),
                r.ns_per_triangle,
                1e3 * r.narrow_seconds,
                spaced(r.node_tests),
                spaced(r.triangle_pairs),
                spaced(r.feature_pairs),
                spaced(r.true_pairs),
                ratio(r.narrow_per_true),
                r.ns_per_true_pair().map_or("–".into(), |ns| format!("{ns:.0}")),
            );
        }
        out += "\nThe way down the tree ends at pairs of leaves. The traversal, of which it is a part, ends at pairs of triangles whose boxes overlap; traversal and features are the query.\n";
        out += "Narrow pairs are what is left to decide after boxes and planes.\n";
        out += "\nEvery choice, at the size nearest to ";
        let _ = write!(
            out,
            "{}: refit and query in ns a triangle; behind it, narrow pairs a triangle:\n\n| choice |",
            spaced(wanted as u64)
        );
        scenes.iter().for_each(|s| {
            let _ = write!(out, " {} |", s.name());
        });
        let _ = writeln!(out, "\n|---|{}", "--:|".repeat(scenes.len()));
        for name in &names {
            let _ = write!(out, "| {name} |");
            for scene in &scenes {
                let rows = self.rows_at(*scene, wanted);
                let cell =
                    rows.iter().find(|r| r.choice.name() == *name).map_or("–".into(), |r| {
                        let pairs = r.feature_pairs as f64 / r.triangles as f64;
                        format!("{:.0} · {pairs:.1}", r.ns_per_triangle)
                    });
                let _ = write!(out, " {cell} |");
            }
            out.push('\n');
        }
        out.push('\n');
        for scene in &scenes {
            if let Some(text) = self.verdict(*scene, wanted) {
                let _ = writeln!(out, "- {text}");
            }
        }
        // Why is in the text; a document is for reading.
        for (scene, triangles, choices, _) in gathered(&self.collide.skipped) {
            let size = spaced(triangles as u64);
            let text =
                format!("- Left out of {} at {size}, for want of time: {choices}.", scene.name());
            wrap(&text, &mut out);
        }
        self.bodies_to_markdown(&mut out);
        out
    }

    fn bodies_to_markdown(&self, out: &mut String) {
        if self.bodies.is_empty() {
            return;
        }
        *out += "\nBodies, against the exact distance:\n\n";
        *out += "| body | method | cell mm | build s | ns a point | KiB | worst error mm | wrong side % |\n";
        *out += "|---|---|--:|--:|--:|--:|--:|--:|\n";
        for r in &self.bodies {
            let _ = writeln!(
                out,
                "| {} | {} | {:.1} | {:.3} | {:.0} | {} | {:.3} | {:.3} |",
                r.shape.name(),
                r.method,
                1e3 * r.cell,
                r.build_seconds,
                r.nanoseconds,
                r.bytes / 1024,
                1e3 * r.worst_error,
                100.0 * r.wrong_side
            );
        }
    }

    /// Rewrites what stands between the markers in a file.
    ///
    /// # Errors
    /// If the file cannot be read or written, or has no markers.
    pub fn write_markdown(&self, path: &Path, wanted: usize) -> Result<(), Error> {
        let read = std::fs::read_to_string(path);
        let text = read.map_err(|source| Error::Read { path: path.to_path_buf(), source })?;
        let new = between_markers(&text, &self.to_markdown(wanted)).ok_or_else(|| {
            Error::request(
                format!("{}: there is no place for the tables", path.display()),
                format!("add the lines\n{BEGIN}\n{END}"),
            )
        })?;
        write(path, &new)
    }

    /// Writes the diagram as SVG.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write_plot(&self, path: &Path, wanted: usize) -> Result<(), Error> {
        write(path, &self.to_svg(wanted))
    }

    /// The diagram: cost against size for each scene, by pruning and by volume, and bars for the other
    /// choices at one size.
    pub fn to_svg(&self, wanted: usize) -> String {
        let scenes = self.scenes();
        let mut plots = Vec::new();
        for (group, title) in [("prune", "by pruning"), ("volume", "by volume")] {
            for scene in &scenes {
                plots.push(self.growth_plot(*scene, group, title));
            }
        }
        let groups = [&["build"][..], &["arity"], &["leaf"], &["refit", "inflation"], &["descend"]];
        plots.extend(groups.map(|groups| self.bar_plot(&scenes, groups, wanted)));
        Figure::grid(groups.len(), plots)
            .title("Self-collision detection of one step")
            .panel_size(340.0, 300.0)
            .to_svg()
    }

    fn growth_plot(&self, scene: Kind, group: &str, title: &str) -> Plot {
        let mut plot = Plot::new(format!("{}, {title}", scene.name()))
            .x("triangles")
            .log_x()
            .y("refit + query [ns/triangle]")
            .log_y();
        let rows = || self.collide.rows.iter().filter(|r| r.scene == scene);
        let mut values: Vec<&str> = Vec::new();
        for row in rows().filter(|r| r.choice.group == group) {
            if !values.contains(&row.choice.value.as_str()) {
                values.push(&row.choice.value);
            }
        }
        let of = |value: &str, group: &str| -> Vec<(f64, f64)> {
            rows()
                .filter(|r| r.choice.group == group && r.choice.value == value)
                .map(|r| (r.triangles as f64, r.ns_per_triangle))
                .collect()
        };
        let default = rows().find(|r| r.choice.group == "default");
        let own = default.map(|r| match group {
            "prune" => Choice::new(group, r.choice.options.prune, r.choice.options),
            _ => Choice::new(group, r.choice.options.volume, r.choice.options),
        });
        let name = own.map_or("default".into(), |c| format!("{} (default)", c.value));
        plot = plot.line(name, &of("", "default"));
        for value in values {
            plot = plot.line(value, &of(value, group));
        }
        plot
    }

    /// What choices cost on each scene, as a part of what the default costs.
    fn bar_plot(&self, scenes: &[Kind], groups: &[&str], wanted: usize) -> Plot {
        let mut plot = Plot::new(format!("{}, {} triangles", groups.join(", "), short(wanted)))
            .y("refit + query, default = 1")
            .categories(scenes.iter().map(|s| s.name()));
        let rows: Vec<Vec<&Row>> = scenes.iter().map(|s| self.rows_at(*s, wanted)).collect();
        let cost = |scene: usize, name: &str| {
            rows[scene].iter().find(|r| r.choice.name() == name).map(|r| r.ns_per_triangle)
        };
        let within = |name: &&String| groups.iter().any(|g| name.starts_with(&format!("{g} ")));
        for name in self.names().iter().filter(within) {
            let part = |i: usize| {
                Some((i as f64, cost(i, name)? / cost(i, "default").filter(|c| *c > 0.0)?))
            };
            let bars: Vec<(f64, f64)> = (0..scenes.len()).filter_map(part).collect();
            plot = plot.bars(name.as_str(), &bars);
        }
        plot.level("default", 1.0)
    }
}

/// Writes a point of a list in lines of a readable length.
fn wrap(text: &str, out: &mut String) {
    let mut line = String::new();
    for word in text.split(' ') {
        if line.chars().count() + 1 + word.chars().count() > LINE {
            let _ = writeln!(out, "{line}");
            line = format!("  {word}");
        } else {
            line = if line.is_empty() { word.into() } else { format!("{line} {word}") };
        }
    }
    let _ = writeln!(out, "{line}");
}

/// A number in thousands, for a title.
fn short(n: usize) -> String {
    if n >= 1_000 { format!("{}k", n / 1_000) } else { n.to_string() }
}

fn ratio(value: Option<f64>) -> String {
    value.map_or("–".into(), |v| format!("{v:.1}"))
}

/// A number in groups of three digits.
fn spaced(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (i, c) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push('\u{202f}');
        }
        out.push(c);
    }
    out
}

/// What was left out of each scene and size, in one line each.
fn gathered(skipped: &[Skipped]) -> Vec<(Kind, usize, String, String)> {
    let mut all: Vec<(Kind, usize, String, String)> = Vec::new();
    for s in skipped {
        match all.last_mut() {
            Some(last) if (last.0, last.1) == (s.scene, s.triangles) => {
                last.2 = format!("{}, {}", last.2, s.choice);
                if !last.3.contains(&s.reason) {
                    last.3 = format!("{}; {}", last.3, s.reason);
                }
            }
            _ => all.push((s.scene, s.triangles, s.choice.clone(), s.reason.clone())),
        }
    }
    all
}

/// The text with something new between its markers; `None` if it has none.
fn between_markers(text: &str, new: &str) -> Option<String> {
    let begin = text.find(BEGIN)? + BEGIN.len();
    let end = begin + text[begin..].find(END)?;
    Some(format!("{}\n{}\n{}", &text[..begin], new.trim_end(), &text[end..]))
}

fn write(path: &Path, text: &str) -> Result<(), Error> {
    Ok(toile_mesh::io::write_atomically(path, |out| out.write_all(text.as_bytes()))?)
}

#[cfg(test)]
mod tests;
