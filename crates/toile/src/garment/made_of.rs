//! What a garment is made of: its fabric, and those that single panels name.

use super::Order;
use crate::error::Error;
use crate::fabric;
use std::collections::BTreeMap;
use std::path::Path;
use toile_garment::Fabrics;
use toile_pattern::{Panel, Pattern};

/// What each panel that names a fabric is made of.
pub(super) fn panel_fabrics(pattern: &Pattern) -> BTreeMap<String, String> {
    let named = |p: &Panel| Some((p.name.clone(), p.fabric.clone()?));
    pattern.panels.iter().filter_map(named).collect()
}

/// The fabric of the garment and those that its panels name. Files that they name may lie beside the pattern.
pub(super) fn fabrics(order: &Order, pattern: &Pattern) -> Result<Fabrics, Error> {
    let main = fabric::find(&order.fabric)?;
    let folder = Path::new(&order.garment).parent();
    Fabrics::of_pattern(pattern, &main, |name| {
        let beside = folder.map(|f| f.join(name)).filter(|f| f.extension().is_some());
        let file = beside.filter(|f| f.is_file());
        fabric::find(file.as_deref().and_then(Path::to_str).unwrap_or(name)).map_err(|error| {
            let of_it = |p: &&Panel| p.fabric.as_deref() == Some(name);
            let panel = pattern.panels.iter().find(of_it).map_or("", |p| &p.name);
            match error {
                Error::Request { message, help } => {
                    let message = format!("{}: panel `{panel}`: {message}", order.garment);
                    Error::request(message, help)
                }
                other => other,
            }
        })
    })
}

/// The number of each panel's colour: one for each fabric, that of the garment first.
pub(super) fn colours(order: &Order, pattern: &Pattern) -> Vec<usize> {
    let mut names: Vec<&str> = vec![&order.fabric];
    let mut colours = Vec::new();
    for panel in &pattern.panels {
        let own = panel.fabric.as_deref().unwrap_or(&order.fabric);
        let known = names.iter().position(|n| *n == own);
        colours.push(known.unwrap_or_else(|| {
            names.push(own);
            names.len() - 1
        }));
    }
    colours
}
