//! `toile pattern seams`.

use super::{Source, load, request};
use crate::{End, print_json, print_line};
use std::path::{Path, PathBuf};
use toile::Error;
use toile_pattern::infer::{self, DOUBTFUL, Judgement};
use toile_pattern::sidecar::{self, Sewn};
use toile_pattern::{EdgePart, Pattern, Placement, svg};

#[derive(clap::Args)]
pub(super) struct Args {
    /// Pattern files or built-in designs.
    #[arg(required = true, value_name = "FILE|DESIGN")]
    patterns: Vec<String>,
    #[command(flatten)]
    source: Source,
    /// Write NAME.seams.toml beside the file, to be corrected there.
    #[arg(long)]
    write: bool,
    /// Replace a NAME.seams.toml that is there.
    #[arg(long, requires = "write")]
    force: bool,
    /// Where to draw the proposals.
    #[arg(short, long, value_name = "SVG")]
    out: Option<PathBuf>,
    /// Take the seams away that the patterns have, propose anew, and count how many are right.
    #[arg(long, conflicts_with_all = ["write", "out"])]
    judge: bool,
}

pub(super) fn run(args: &Args, json: bool) -> Result<End, Error> {
    if args.judge {
        return judge(args, json);
    }
    if args.out.is_some() && args.patterns.len() > 1 {
        return Err(request("there are several patterns for one drawing", "draw them one by one"));
    }
    let mut rows = Vec::new();
    for name in &args.patterns {
        let sewn = sidecar::sew(&load(name, &args.source)?);
        let mut wrote = None;
        if args.write {
            wrote = Some(write(name, &sewn, args.force)?);
        }
        if let Some(path) = &args.out {
            let drawing =
                svg::draw_proposals(&sewn, &sewn.pattern.check(), svg::Options::default());
            super::write(path, &drawing)?;
        }
        if json {
            rows.push(value(name, &sewn, wrote.as_deref()));
        } else {
            tell(name, &sewn);
            if let Some(path) = wrote {
                print_line(&format!("written to {}", path.display()));
            }
        }
    }
    if json {
        print_json(&serde_json::json!({ "patterns": rows }));
    }
    Ok(End::Good)
}

fn side(parts: &[EdgePart]) -> String {
    parts.iter().map(ToString::to_string).collect::<Vec<_>>().join(" + ")
}

/// Lists proposals for people, doubtful ones last.
pub(super) fn tell(name: &str, sewn: &Sewn) {
    let doubtful = sewn.doubtful().count();
    print_line(&format!(
        "{name}: {} seams proposed, {doubtful} of them doubtful",
        sewn.proposals.len()
    ));
    for piece in &sewn.pieces {
        let what = match (&piece.fold, piece.mirror, piece.omit) {
            (_, _, true) => "left out".to_owned(),
            (Some(edge), _, _) => format!("unfolded at edge {edge}"),
            _ => "cut twice, as a left and a right one".to_owned(),
        };
        print_line(&format!("  piece {}: {what}", piece.name));
    }
    for (is_doubtful, head) in [(false, "seam"), (true, "doubtful")] {
        let listed = sewn.proposals.iter().filter(|p| (p.confidence < DOUBTFUL) == is_doubtful);
        for (k, p) in listed.enumerate() {
            if k == 0 {
                print_line(&format!("  {head:>8}  sure  what"));
            }
            let edges = format!("{} – {}", side(&p.seam.a), side(&p.seam.b));
            print_line(&format!(
                "  {:>8}  {:>3.0}%  {edges} ({})",
                p.seam.name,
                100.0 * p.confidence,
                p.reason
            ));
        }
    }
}

pub(super) fn value(name: &str, sewn: &Sewn, wrote: Option<&Path>) -> serde_json::Value {
    let seams: Vec<_> = sewn
        .proposals
        .iter()
        .map(|p| {
            serde_json::json!({
                "name": p.seam.name, "a": side(&p.seam.a), "b": side(&p.seam.b), "gather": p.seam.gather,
                "confidence": p.confidence, "doubtful": p.confidence < DOUBTFUL, "reason": p.reason,
            })
        })
        .collect();
    serde_json::json!({ "file": name, "seams": seams, "pieces": sewn.pieces, "sidecar": wrote })
}

fn write(name: &str, sewn: &Sewn, force: bool) -> Result<PathBuf, Error> {
    if !Path::new(name).is_file() {
        return Err(request(format!("`{name}` is a design, which has its seams"), "give a file"));
    }
    let path = sidecar::path_of(Path::new(name));
    if path.exists() && !force {
        let message = format!("{} is there already, perhaps with your corrections", path.display());
        return Err(request(message, "delete it, or pass --force"));
    }
    super::write(&path, &sidecar::to_toml(sewn))?;
    Ok(path)
}

/// The pattern as a format without seams would have it.
fn bare(pattern: &Pattern) -> Pattern {
    let mut bare = pattern.clone();
    bare.seams.clear();
    for panel in &mut bare.panels {
        panel.placement = Placement::default();
        panel.notches.iter_mut().for_each(|n| n.label.clear());
    }
    bare
}

fn judge(args: &Args, json: bool) -> Result<End, Error> {
    let mut all = Judgement::default();
    let mut rows = Vec::new();
    for name in &args.patterns {
        let pattern = load(name, &args.source)?;
        if pattern.seams.is_empty() {
            return Err(request(format!("`{name}` has no seams to compare with"), "omit it"));
        }
        let found = infer::judge(&pattern, &infer::seams(&bare(&pattern), &[]));
        let Judgement { known, found: there, proposed, right, sure, sure_right, .. } = found;
        all.known += known;
        all.found += there;
        all.proposed += proposed;
        all.right += right;
        all.sure += sure;
        all.sure_right += sure_right;
        if json {
            rows.push(serde_json::json!({ "file": name, "judgement": found }));
        } else {
            print_line(&format!(
                "{name}: {right} of {proposed} proposals right, {there} of {known} seams found"
            ));
            found.wrong.iter().for_each(|w| print_line(&format!("  wrong: {w}")));
            found.missing.iter().for_each(|m| print_line(&format!("  missing: {m}")));
        }
    }
    if json {
        print_json(&serde_json::json!({ "patterns": rows, "all": all }));
    } else {
        let percent = |a: usize, b: usize| 100.0 * a as f64 / b.max(1) as f64;
        print_line(&format!(
            "\n{} patterns: {} of {} proposals right ({:.1} %), of those that are not doubtful {} of {} ({:.1} %); \
             {} of {} seams found ({:.1} %)",
            args.patterns.len(),
            all.right,
            all.proposed,
            percent(all.right, all.proposed),
            all.sure_right,
            all.sure,
            percent(all.sure_right, all.sure),
            all.found,
            all.known,
            percent(all.found, all.known)
        ));
    }
    Ok(End::Good)
}
