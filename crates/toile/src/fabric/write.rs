//! A fabric as the text of a file.

use super::units::Dimension;
use crate::error::Error;
use std::path::Path;
use toile_mesh::io;
use toile_sim::Fabric;
use toml::{Table, Value};

/// The file of a fabric: SI units, each said in a comment. Reading it gives the same bits again.
pub fn to_toml(fabric: &Fabric) -> String {
    // A fabric is numbers, texts and lists: all of them are TOML.
    let table = Table::try_from(fabric).unwrap_or_default();
    let mut out = String::new();
    for key in ["name", "provenance", "confidence"] {
        if let Some(value) = table.get(key) {
            out += &format!("{key} = {value}\n");
        }
    }
    out.push('\n');
    for key in Fabric::QUANTITIES {
        match table.get(key) {
            Some(Value::Array(points)) => {
                let unit = if key == "shear_curve" { "[rad, N/m]" } else { "[strain, N/m]" };
                out += &format!("{key} = [  # {unit}\n");
                points.iter().for_each(|p| out += &format!("    {p},\n"));
                out += "]\n";
            }
            Some(value) => {
                let line = format!("{key} = {value}");
                match Dimension::of(key).map_or("", Dimension::si) {
                    "" => out += &format!("{line}\n"),
                    unit => out += &format!("{line:40}  # {unit}\n"),
                }
            }
            None => {}
        }
    }
    if let Some(Value::Table(origins)) = table.get("origins") {
        out += "\n[origins]\n";
        origins.iter().for_each(|(key, origin)| out += &format!("{key} = {origin}\n"));
    }
    out
}

/// Writes the file of a fabric; nobody ever sees half of it.
///
/// # Errors
/// If it cannot be written.
pub fn write(fabric: &Fabric, path: &Path) -> Result<(), Error> {
    let text = to_toml(fabric);
    Ok(io::write_atomically(path, |out| out.write_all(text.as_bytes()))?)
}
