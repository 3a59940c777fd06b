//! CSV of a laboratory: one row for each figure of Kawabata's tests.
//!
//! A first row names the columns: `property,weft,warp`. Then come rows such as `B,0.062,0.091`, or with
//! one value for both, `W,12.1`. Rows `name`, `provenance` and `confidence` have a text. Cells
//! can be numbers in Kawabata's units or numbers with another unit. The separator is a comma, a
//! semicolon or a tab; with the latter two, numbers may have a decimal comma. Lines that begin with #
//! are comments.

use super::read::{complete, note_unused};
use super::{Blame, kes};
use crate::error::{Error, SceneError};
use crate::scene::suggest;
use miette::NamedSource;
use std::ops::Range;
use toile_sim::Fabric;
use toml::{Table, Value};

const EXAMPLE: &str =
    "a row for each figure:\nproperty,weft,warp\nW,12.1\nB,0.062,0.091\nG,1.1\nEM,5.2,4.1\nLT,0.8";

/// Reads a fabric and notes on what was not used; `name` is for error messages.
pub(super) fn read(text: &str, name: &str) -> Result<(Fabric, Vec<String>), Error> {
    let mut table = Table::new();
    let mut figures = Table::new();
    let mut places: Vec<(String, Range<usize>)> = Vec::new();
    // The row of names tells: texts in other rows may hold anything.
    let first = text.lines().find(|l| !is_comment(l)).unwrap_or_default();
    let separator = [';', '\t'].into_iter().find(|s| first.contains(*s)).unwrap_or(',');
    let fail = |place: Range<usize>, message: String, help: String| {
        Error::from(error(text, name, Some(place), message, Some(help)))
    };
    let mut header: Option<Vec<String>> = None;
    for line in lines(text) {
        let content = &text[line.clone()];
        if is_comment(content) {
            continue;
        }
        let cells: Vec<String> = cells(content, separator);
        let key = cells[0].clone();
        let Some(header) = &header else {
            let columns: Vec<String> = cells.iter().map(|c| c.to_lowercase()).collect();
            let known = matches!(
                columns.iter().map(String::as_str).collect::<Vec<_>>()[..],
                [_, "weft", "warp"] | [_, "warp", "weft"] | [_, "mean" | "value"]
            );
            if !known {
                let message = "the first row does not name the columns".into();
                return Err(fail(line, message, EXAMPLE.into()));
            }
            header = Some(columns);
            continue;
        };
        let values: Vec<&String> = cells[1..].iter().filter(|c| !c.is_empty()).collect();
        if matches!(key.as_str(), "name" | "provenance" | "confidence") {
            let text = Value::String(values.first().map_or(String::new(), |v| (*v).clone()));
            places.push((key.clone(), line));
            table.insert(key, text);
            continue;
        }
        if !kes::names().contains(&key.as_str()) {
            let message = format!("`{key}` is no figure of Kawabata's tests");
            return Err(fail(line, message, suggest(&key, &kes::names())));
        }
        if figures.contains_key(&key) {
            let message = format!("`{key}` is given twice");
            return Err(fail(line, message, "leave one of them out".into()));
        }
        let cell = |text: &str| {
            let text = if separator == ',' { text.to_owned() } else { text.replace(',', ".") };
            text.parse().map_or(Value::String(text), Value::Float)
        };
        let value = match values[..] {
            [one] => cell(one),
            [a, b] if header.len() == 3 => {
                let columns = header[1..].iter().cloned();
                Value::Table(columns.zip([cell(a), cell(b)]).collect())
            }
            _ => {
                let message = format!("`{key}` has {} values", values.len());
                return Err(fail(line, message, EXAMPLE.into()));
            }
        };
        places.push((format!("kes.{key}"), line));
        figures.insert(key, value);
    }
    if figures.is_empty() {
        let message = "there is no figure of Kawabata's tests".to_owned();
        return Err(error(text, name, None, message, Some(EXAMPLE.into())).into());
    }
    let notes = note_unused(&figures);
    table.insert("kes".into(), Value::Table(figures));
    table
        .entry("provenance")
        .or_insert_with(|| Value::String(format!("Kawabata's tests, imported from {name}.")));
    // Who has a laboratory's sheet has measured.
    table.entry("confidence").or_insert_with(|| Value::String("measured".into()));
    let blame = |path: &str, reason: &str, help: Option<String>| {
        let within = |p: &str| path == p || path.starts_with(&format!("{p}."));
        let place = places.iter().find(|(p, _)| within(p)).map(|(_, place)| place.clone());
        let key = path.strip_prefix("kes.").unwrap_or(path);
        let message = if key.is_empty() { reason.to_owned() } else { format!("`{key}` {reason}") };
        error(text, name, place, message, help)
    };
    let fabric = finish(table, &blame)?;
    Ok((fabric, notes))
}

fn finish(table: Table, blame: &Blame<'_>) -> Result<Fabric, Box<SceneError>> {
    let table = complete(table, blame)?;
    let fabric: Fabric = serde_path_to_error::deserialize(Value::Table(table)).map_err(|e| {
        blame(&e.path().to_string(), &format!("is wrong: {}", e.inner().message().trim()), None)
    })?;
    fabric.validate().map_err(|e| match e {
        toile_sim::Error::Setting { key, reason } => blame(key, &reason, None),
        other => blame("", &other.to_string(), None),
    })?;
    Ok(fabric)
}

fn is_comment(line: &str) -> bool {
    line.trim().is_empty() || line.trim_start().starts_with('#')
}

/// The bytes of each line.
fn lines(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut start = 0;
    text.split_inclusive('\n').map(move |line| {
        let begin = start;
        start += line.len();
        begin..begin + line.trim_end_matches(['\n', '\r']).len()
    })
}

/// Cells of a row; a quoted cell may hold the separator.
fn cells(line: &str, separator: char) -> Vec<String> {
    let mut cells = vec![String::new()];
    let mut quoted = false;
    for c in line.trim_start_matches('\u{feff}').chars() {
        match c {
            '"' => quoted = !quoted,
            c if c == separator && !quoted => cells.push(String::new()),
            c => {
                if let Some(cell) = cells.last_mut() {
                    cell.push(c);
                }
            }
        }
    }
    cells.iter().map(|c| c.trim().to_owned()).collect()
}

/// Longest line that an error shows [bytes].
const WIDEST: usize = 1000;

fn error(
    text: &str,
    name: &str,
    place: Option<Range<usize>>,
    message: String,
    help: Option<String>,
) -> Box<SceneError> {
    let longest = text.lines().map(str::len).max().unwrap_or(0);
    let place = place.filter(|_| longest < WIDEST);
    Box::new(SceneError {
        message: if place.is_some() { message } else { format!("{name}: {message}") },
        source_code: place.is_some().then(|| NamedSource::new(name, text.to_owned())),
        span: place.map(Into::into),
        label: "here".into(),
        help,
    })
}

#[cfg(test)]
mod tests;
