//! A file beside a pattern that says what its format cannot: `shirt.seams.toml` beside `shirt.dxf`.
//!
//! It has the seams, how pieces are cut, and which edges stay open. With `infer = true` seams are proposed for all other edges.

use crate::error::Error;
use crate::file::SeamFile;
use crate::infer::{self, PieceChange, Proposal};
use crate::pattern::Pattern;
use crate::seam::EdgePart;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use toile_mesh::io::source;

/// Most lines of each kind.
const MAX_ENTRIES: usize = 5000;

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SidecarFile {
    #[serde(default)]
    infer: bool,
    #[serde(default)]
    open: Vec<String>,
    #[serde(default)]
    piece: Vec<PieceChange>,
    #[serde(default)]
    seam: Vec<SeamLine>,
}

/// A seam; its confidence is for people.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct SeamLine {
    #[serde(flatten)]
    seam: SeamFile,
    #[serde(default)]
    confidence: Option<f64>,
}

/// A pattern with the seams that were proposed for it.
#[derive(Clone, Debug, PartialEq)]
pub struct Sewn {
    /// The pattern, its pieces complete, with its own seams and the proposed ones.
    pub pattern: Pattern,
    /// Seams that were proposed: the last of the pattern, in this order.
    pub proposals: Vec<Proposal>,
    /// What was done with pieces.
    pub pieces: Vec<PieceChange>,
}

impl Sewn {
    /// Proposals that should be looked at.
    pub fn doubtful(&self) -> impl Iterator<Item = &Proposal> {
        self.proposals.iter().filter(|p| p.confidence < infer::DOUBTFUL)
    }
}

/// Completes the pieces of a pattern that has no seams, and proposes seams.
pub fn sew(pattern: &Pattern) -> Sewn {
    let pieces = infer::pieces(pattern);
    let (whole, pieces) = match infer::apply(pattern, &pieces) {
        Ok(whole) => (whole, pieces),
        Err(_) => (pattern.clone(), Vec::new()),
    };
    let mut sewn = add_proposals(&whole, &[]);
    sewn.pieces = pieces;
    sewn
}

fn add_proposals(pattern: &Pattern, open: &[EdgePart]) -> Sewn {
    let mut sewn = Sewn { pattern: pattern.clone(), proposals: Vec::new(), pieces: Vec::new() };
    for mut proposal in infer::seams(pattern, open) {
        // Names of seams are their numbers in the pattern.
        proposal.seam.name = (sewn.pattern.seams.len() + 1).to_string();
        sewn.pattern.seams.push(proposal.seam.clone());
        sewn.proposals.push(proposal);
    }
    sewn
}

/// Where the sidecar of a pattern file is.
pub fn path_of(pattern: &Path) -> PathBuf {
    pattern.with_extension("seams.toml")
}

/// Applies the sidecar of a pattern file, if there is one.
///
/// # Errors
/// If it cannot be read, or does not fit the pattern.
pub fn apply_beside(path: &Path, pattern: Pattern) -> Result<Pattern, Error> {
    let beside = path_of(path);
    if beside == path || !beside.is_file() {
        return Ok(pattern);
    }
    let failed = |source| Error::Read { path: beside.clone(), source };
    let text = source::read_text(&beside, source::MAX_TEXT_BYTES).map_err(failed)?;
    apply(&text, &beside.display().to_string(), &pattern)
}

/// Applies the text of a sidecar; `name` is for messages. Its seams replace those that the pattern has.
///
/// # Errors
/// If it is not a sidecar, or does not fit the pattern.
pub fn apply(text: &str, name: &str, pattern: &Pattern) -> Result<Pattern, Error> {
    let wrong = |message: String| Error::Parse { name: name.into(), message };
    let file: SidecarFile = toml::from_str(text)
        .map_err(|e| wrong(crate::file::shortened(e.to_string().trim_end())))?;
    if file.seam.len().max(file.open.len()).max(file.piece.len()) > MAX_ENTRIES {
        return Err(wrong(format!("more than {MAX_ENTRIES} seams, pieces or open edges")));
    }
    let mut pattern = infer::apply(pattern, &file.piece).map_err(wrong)?;
    pattern.seams.clear();
    for (i, line) in file.seam.iter().enumerate() {
        let called =
            if line.seam.name.is_empty() { (i + 1).to_string() } else { line.seam.name.clone() };
        let place = format!("seam `{called}`");
        let bad = |message| Error::Content { name: name.into(), place, message };
        pattern.seams.push(crate::file::seam_of(&line.seam, called).map_err(bad)?);
    }
    let parts: usize = pattern.seams.iter().map(|s| s.a.len() + s.b.len()).sum();
    crate::file::refuse_if_many(name, pattern.panels.len(), parts)?;
    let open: Result<Vec<EdgePart>, String> =
        file.open.iter().map(|t| EdgePart::parse(t)).collect();
    let open = open.map_err(|m| wrong(format!("open: {m}")))?;
    if let Some(part) =
        open.iter().find(|p| pattern.panel(&p.panel).and_then(|q| q.edge_index(&p.edge)).is_none())
    {
        return Err(wrong(format!("open: there is no edge `{part}`")));
    }
    Ok(if file.infer { add_proposals(&pattern, &open).pattern } else { pattern })
}

/// The sidecar that says what was proposed, doubtful seams first.
pub fn to_toml(sewn: &Sewn) -> String {
    use std::fmt::Write;
    let mut text = String::from(
        "# Seams proposed by toile. Correct them: delete or change what is wrong, add what is missing.\n\
         # `toile pattern show` draws them with their numbers. This file is read with the pattern beside it.\n\
         # With infer = true, seams are proposed for all edges that are not named here; open = [\"panel.edge\"] keeps edges free.\n\
         infer = false\n",
    );
    let quoted = |t: &str| toml::Value::String(t.into()).to_string();
    for piece in &sewn.pieces {
        // Writing to a string cannot fail.
        let _ = write!(text, "\n[[piece]]\nname = {}\n", quoted(&piece.name));
        if let Some(fold) = &piece.fold {
            let _ = writeln!(text, "fold = {}", quoted(fold));
        }
        for (key, said) in [("mirror", piece.mirror), ("omit", piece.omit)] {
            if said {
                let _ = writeln!(text, "{key} = true");
            }
        }
    }
    let mut order: Vec<&Proposal> = sewn.proposals.iter().collect();
    order.sort_by_key(|p| p.confidence >= infer::DOUBTFUL);
    for p in order {
        let side = |parts: &[EdgePart]| match parts {
            [one] => quoted(&one.to_string()),
            many => {
                let all: Vec<String> = many.iter().map(|p| quoted(&p.to_string())).collect();
                format!("[{}]", all.join(", "))
            }
        };
        let doubt = if p.confidence < infer::DOUBTFUL { "   # doubtful" } else { "" };
        let _ = write!(
            text,
            "\n[[seam]]\nname = {}\na = {}\nb = {}\nconfidence = {:.2}{doubt}\n",
            quoted(&p.seam.name),
            side(&p.seam.a),
            side(&p.seam.b),
            p.confidence
        );
        if p.seam.gather > 1.0 {
            let _ = writeln!(text, "gather = {:.4}", p.seam.gather);
        }
        if p.seam.order != 0 {
            let _ = writeln!(text, "order = {}", p.seam.order);
        }
    }
    text
}
