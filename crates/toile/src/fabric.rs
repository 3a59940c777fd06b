//! Fabric files: reading, writing, importing, judging and drawing what cloth is made of.
//!
//! A fabric file is TOML ([`read`]). Numbers are in SI units, or texts with their unit
//! ([`units`]); figures of Kawabata's tests can stand in a table `[kes]` ([`kes`]), or come from the CSV of
//! a laboratory ([`import`]). Every number has a confidence and a source, by the table `[origins]`. The table
//! `[appearance]` says how it looks ([`look()`]).
//!
//! ```
//! let fabric = toile::fabric::from_toml(
//!     "density = \"12 mg/cm²\"\nbend_weft = \"7 µN·m\"\nbend_warp = 9e-6\n\
//!      weft = 9000\nwarp = 9000\nshear = \"1.1 gf/(cm·deg)\"",
//!     "mine.toml",
//! )?;
//! assert!((fabric.density - 0.12).abs() < 1e-12);
//! # Ok::<(), toile::Error>(())
//! ```
//!
//! What is no fabric is refused with the file, the key, the place and the remedy, as scenes are.

use crate::error::{Error, SceneError};
use std::path::Path;
use toile_sim::Fabric;

mod appearance;
mod builtin;
mod csv;
mod figures;
pub mod kes;
mod read;
mod schema;
#[cfg(test)]
mod tests;
pub mod units;
mod write;

pub(crate) use appearance::appearance;
pub use appearance::{Look, derived, import_wif, look};
pub use builtin::{built_in, names};
pub use figures::{Figure, figures, implausible, tensile};
pub use schema::schema;
pub use toile_sim::fabric::{Confidence, Origin};
pub use write::{to_toml, write};

pub(crate) use read::{changed, from_toml_at};
pub(crate) use schema::properties;

/// Makes an error about a dotted path: what is wrong, and what to do.
type Blame<'a> = dyn Fn(&str, &str, Option<String>) -> Box<SceneError> + 'a;

/// Reads a fabric from text; `name` is for error messages.
///
/// # Errors
/// If the text is not the TOML of a fabric.
pub fn from_toml(text: &str, name: &str) -> Result<Fabric, Error> {
    Ok(from_toml_at(text, name)?)
}

/// Reads a fabric file. A fabric without a name gets that of its file.
///
/// # Errors
/// If the file cannot be read or is no fabric.
pub fn read(path: impl AsRef<Path>) -> Result<Fabric, Error> {
    let path = path.as_ref();
    let text = text_of(path)?;
    Ok(named(from_toml(&text, &path.display().to_string())?, path))
}

/// The fabric that a name or a file means: a file if there is one, else a built-in fabric.
///
/// # Errors
/// If there is neither, or the file is no fabric.
pub fn find(name: &str) -> Result<Fabric, Error> {
    let path = Path::new(name);
    let file_like = path.extension().is_some() || path.components().count() > 1;
    if file_like {
        return if is_csv(path) { import(path).map(|(f, _)| f) } else { read(path) };
    }
    let here = Path::new("fabrics").join(format!("{name}.toml"));
    if !name.is_empty() && here.is_file() {
        return read(here);
    }
    match built_in(name) {
        Some(fabric) => fabric,
        None => Err(Error::request(
            format!("there is no fabric `{name}`"),
            crate::scene::suggest(name, &names()),
        )),
    }
}

/// Imports the tests of a laboratory: a fabric file with a table `[kes]`, or a CSV file with a
/// row for each figure. Returns the fabric, and what was in the file but could not be used.
///
/// ```csv
/// property,weft,warp
/// W,12.1
/// B,0.062,0.091
/// ```
///
/// # Errors
/// If the file cannot be read, or its figures make no fabric.
pub fn import(path: impl AsRef<Path>) -> Result<(Fabric, Vec<String>), Error> {
    let path = path.as_ref();
    let (text, name) = (text_of(path)?, path.display().to_string());
    let (fabric, notes) = if is_csv(path) {
        csv::read(&text, &name)?
    } else {
        (from_toml(&text, &name)?, read::unused(&text))
    };
    Ok((named(fabric, path), notes))
}

fn is_csv(path: &Path) -> bool {
    let extension = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
    matches!(extension.as_str(), "csv" | "tsv" | "txt")
}

fn text_of(path: &Path) -> Result<String, Error> {
    crate::scene::read_text(path)
}

fn named(mut fabric: Fabric, path: &Path) -> Fabric {
    if fabric.name.is_empty() {
        fabric.name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    }
    fabric
}

/// A number in SI units from a number or a text with a unit.
fn number(
    path: &str,
    value: &toml::Value,
    dimension: units::Dimension,
    blame: &Blame<'_>,
) -> Result<f64, Box<SceneError>> {
    match value {
        toml::Value::Float(v) => Ok(*v),
        toml::Value::Integer(v) => Ok(*v as f64),
        toml::Value::String(text) => {
            dimension.parse(text).map_err(|[reason, help]| blame(path, &reason, Some(help)))
        }
        other => {
            let reason = format!("is {}; it must be a number, or a text with a unit", kind(other));
            Err(blame(path, &reason, None))
        }
    }
}

/// What a value is, in words.
fn kind(value: &toml::Value) -> &'static str {
    match value {
        toml::Value::String(_) => "a text",
        toml::Value::Integer(_) | toml::Value::Float(_) => "a number",
        toml::Value::Boolean(_) => "true or false",
        toml::Value::Datetime(_) => "a date",
        toml::Value::Array(_) => "a list",
        toml::Value::Table(_) => "a table",
    }
}
