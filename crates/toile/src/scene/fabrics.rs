//! Fabrics by name: from files beside the scene, in `fabrics/`, or built in.

use super::Scene;
use super::locate::{Source, suggest};
use super::read::{from_value, merge};
use crate::error::{Error, SceneError};
use std::path::{Path, PathBuf};
use toile_sim::Fabric;
use toml::{Table, Value};

const BUILT_IN: [(&str, &str); 5] = [
    ("cotton", include_str!("../../../../fabrics/cotton.toml")),
    ("denim", include_str!("../../../../fabrics/denim.toml")),
    ("jersey", include_str!("../../../../fabrics/jersey.toml")),
    ("silk", include_str!("../../../../fabrics/silk.toml")),
    ("wool", include_str!("../../../../fabrics/wool.toml")),
];

/// Names of the fabrics that are always there.
pub fn builtin_fabrics() -> [&'static str; BUILT_IN.len()] {
    BUILT_IN.map(|(name, _)| name)
}

/// Reads a fabric; `name` is for error messages.
///
/// # Errors
/// If the text is not the TOML of a fabric.
pub fn fabric_from_toml(text: &str, name: &str) -> Result<Fabric, Error> {
    let source = Source::new(name, text, Vec::new());
    let table: Table =
        text.parse().map_err(|e: toml::de::Error| source.syntax_error(e.span(), e.message()))?;
    let fabric: Fabric = from_value("", Value::Table(table), &source)?;
    check(&fabric, "", &source)?;
    Ok(fabric)
}

fn check(fabric: &Fabric, path: &str, source: &Source) -> Result<(), Box<SceneError>> {
    fabric.validate().map_err(|e| match e {
        toile_sim::Error::Setting { key, reason } => {
            let dot = if path.is_empty() { "" } else { "." };
            source.error(&format!("{path}{dot}{key}"), &reason, None)
        }
        other => source.error(path, &other.to_string(), None),
    })
}

impl Scene {
    /// The fabric that `value`, standing at `path`, means.
    pub(super) fn fabric(&self, path: &str, value: &Value) -> Result<Fabric, Error> {
        match value {
            Value::String(name) => self.named_fabric(path, name),
            Value::Table(changes) => {
                let mut changes = changes.clone();
                let base = match changes.remove("base") {
                    Some(Value::String(name)) => name,
                    Some(_) => {
                        return Err(self.error(&format!("{path}.base"), "is not a name").into());
                    }
                    None => "cotton".into(),
                };
                let base = self.named_fabric(path, &base)?;
                let mut table = Table::try_from(base)
                    .map_err(|e| self.error(path, &format!("cannot be merged: {e}")))?;
                merge(&mut table, &changes);
                let fabric: Fabric = from_value(path, Value::Table(table), &self.source)?;
                check(&fabric, path, &self.source)?;
                Ok(fabric)
            }
            _ => {
                let help =
                    "write fabric = \"cotton\", or fabric = { base = \"cotton\", density = 0.1 }";
                let reason = "is neither a name nor a table";
                Err(self.source.error(path, reason, Some(help.into())).into())
            }
        }
    }

    fn named_fabric(&self, path: &str, name: &str) -> Result<Fabric, Error> {
        let plain =
            !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_'));
        if plain {
            let file = PathBuf::from(format!("{name}.toml"));
            let beside = self.folder.join("fabrics").join(&file);
            let here = Path::new("fabrics").join(&file);
            for candidate in [self.folder.join(&file), beside, here] {
                // A scene may have the name of a fabric; only what reads as a fabric is one.
                if let Ok(text) = std::fs::read_to_string(&candidate) {
                    if candidate.parent().is_some_and(|p| p.ends_with("fabrics")) {
                        return fabric_from_toml(&text, &candidate.display().to_string());
                    }
                    if let Ok(fabric) = fabric_from_toml(&text, "") {
                        return Ok(fabric);
                    }
                }
            }
        }
        if let Some((name, text)) = BUILT_IN.iter().find(|(n, _)| *n == name) {
            return fabric_from_toml(text, &format!("fabrics/{name}.toml"));
        }
        let help = suggest(name, &builtin_fabrics());
        let reason = format!("names the fabric `{name}`, which is not there");
        Err(self.source.error(path, &reason, Some(help)).into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_built_in_fabric_is_sound_and_says_where_it_comes_from() {
        for name in builtin_fabrics() {
            let fabric = Scene::new().fabric("", &Value::String(name.into())).unwrap();
            assert_eq!(fabric.name, name);
            assert!(fabric.provenance.len() > 20, "{name}");
        }
    }

    #[test]
    fn cotton_is_the_default_fabric() {
        let cotton = Scene::new().fabric("", &Value::String("cotton".into())).unwrap();
        let default = Fabric::default();
        assert_eq!(Fabric { provenance: default.provenance.clone(), ..cotton }, default);
    }

    #[test]
    fn a_table_changes_what_it_names_and_keeps_the_rest() {
        let table: Table = "base = \"denim\"\nfriction = 0.7".parse().unwrap();
        let fabric = Scene::new().fabric("", &Value::Table(table)).unwrap();
        let denim = Scene::new().fabric("", &Value::String("denim".into())).unwrap();
        assert_eq!(fabric, Fabric { friction: 0.7, ..denim });
    }

    #[test]
    fn unknown_fabrics_and_paths_are_refused() {
        for name in ["coton", "../secret", ""] {
            assert!(Scene::new().fabric("x", &Value::String(name.into())).is_err(), "{name}");
        }
        let table: Table = "densty = 1".parse().unwrap();
        assert!(Scene::new().fabric("x", &Value::Table(table)).is_err());
        let table: Table = "density = -1".parse().unwrap();
        assert!(Scene::new().fabric("x", &Value::Table(table)).is_err());
    }
}
