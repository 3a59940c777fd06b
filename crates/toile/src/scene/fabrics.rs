//! Fabrics by name: from files beside the scene, in `fabrics/`, or built in.

use super::Scene;
use super::locate::suggest;
use super::read_text;
use crate::error::Error;
use crate::fabric;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use toile_sim::{Fabric, Settings};
use toml::{Table, Value};

/// How a cloth says what it is made of.
///
/// ```
/// use toile::{Fabric, FabricSource};
///
/// let stiff: FabricSource = Fabric { bend_weft: 1e-4, ..Fabric::default() }.into();
/// assert!(matches!(stiff, FabricSource::Inline(_)));
/// assert_eq!(FabricSource::default(), FabricSource::Named("cotton".into()));
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "Value", untagged)]
pub enum FabricSource {
    /// The name of a fabric: a file in `fabrics/`, or a built-in one.
    Named(String),
    /// Values that differ from those of `base`, which is cotton if not given, as they stand in a scene file.
    Changed(Table),
    /// A fabric.
    Inline(Box<Fabric>),
    /// Something else, which is refused with its place when the scene is built.
    Other(Value),
}

impl Default for FabricSource {
    fn default() -> Self {
        Self::Named("cotton".into())
    }
}

impl From<Value> for FabricSource {
    fn from(value: Value) -> Self {
        match value {
            Value::String(name) => Self::Named(name),
            Value::Table(changes) => Self::Changed(changes),
            other => Self::Other(other),
        }
    }
}

impl From<Fabric> for FabricSource {
    fn from(fabric: Fabric) -> Self {
        Self::Inline(Box::new(fabric))
    }
}

impl Scene {
    /// The fabric that `source`, standing at `path`, means.
    pub(super) fn fabric(&self, path: &str, source: &FabricSource) -> Result<Fabric, Error> {
        match source {
            FabricSource::Inline(fabric) => Ok(Fabric::clone(fabric)),
            FabricSource::Named(name) => self.named_fabric(path, name),
            FabricSource::Changed(changes) => {
                let mut changes = changes.clone();
                let base = match changes.remove("base") {
                    Some(Value::String(name)) => name,
                    Some(_) => {
                        return Err(self.error(&format!("{path}.base"), "is not a name").into());
                    }
                    None => "cotton".into(),
                };
                let base = self.named_fabric(path, &base)?;
                Ok(fabric::changed(&base, changes, path, &self.source)?)
            }
            FabricSource::Other(_) => {
                let help =
                    "write fabric = \"cotton\", or fabric = { base = \"cotton\", density = 0.1 }";
                let reason = "is neither a name nor a table";
                Err(self.source.error(path, reason, Some(help.into())).into())
            }
        }
    }

    /// Refuses what a scene changes of a fabric and what does nothing with its method.
    pub(super) fn check_fabric_keys(
        &self,
        path: &str,
        source: &FabricSource,
        settings: &Settings,
    ) -> Result<(), Error> {
        let FabricSource::Changed(changes) = source else { return Ok(()) };
        for key in changes.keys() {
            if let Some(reason) = settings.inactive_fabric(key) {
                return Err(self.error(&format!("{path}.{key}"), &reason).into());
            }
        }
        Ok(())
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
                if !candidate.is_file() {
                    continue;
                }
                if candidate.parent().is_some_and(|p| p.ends_with("fabrics")) {
                    let text = read_text(&candidate)?;
                    return fabric::from_toml(&text, &candidate.display().to_string());
                }
                let text = read_text(&candidate);
                if let Ok(fabric) = text.and_then(|text| fabric::from_toml(&text, "")) {
                    return Ok(fabric);
                }
            }
        }
        if let Some(fabric) = fabric::built_in(name) {
            return fabric;
        }
        let help = suggest(name, &fabric::names());
        let reason = format!("names the fabric `{name}`, which is not there");
        Err(self.source.error(path, &reason, Some(help)).into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fabric::Confidence;

    fn named(name: &str) -> Fabric {
        Scene::new().fabric("", &FabricSource::Named(name.into())).unwrap()
    }

    fn made(text: &str) -> Result<Fabric, Error> {
        let table: Table = text.parse().unwrap();
        Scene::new().fabric("x", &FabricSource::Changed(table))
    }

    #[test]
    fn cotton_is_the_default_fabric() {
        let (cotton, default) = (named("cotton"), Fabric::default());
        let provenance = default.provenance.clone();
        assert_eq!(Fabric { provenance, origins: Default::default(), ..cotton }, default);
    }

    #[test]
    fn a_table_changes_what_it_names_and_keeps_the_rest() {
        let mut fabric = made("base = \"denim\"\nfriction = 0.7").unwrap();
        let mut denim = named("denim");
        let origin = fabric.origins.remove("friction").unwrap();
        assert_eq!(origin.source, "given in the scene");
        denim.origins.remove("friction");
        assert_eq!(fabric, Fabric { friction: 0.7, ..denim });
    }

    #[test]
    fn a_table_can_have_units_and_a_straight_line_for_a_curve() {
        let base = named("cotton-poplin");
        let fabric = made(
            "base = \"cotton-poplin\"\ndensity = \"10 mg/cm²\"\nweft = \"2 kN/m\"\n\
             confidence = \"measured\"",
        )
        .unwrap();
        assert!((fabric.density - 0.1).abs() < 1e-15);
        assert_eq!((fabric.weft, fabric.weft_curve.len()), (2000.0, 0));
        assert_eq!((fabric.warp, &fabric.warp_curve), (base.warp, &base.warp_curve));
        assert_eq!(fabric.confidence_of("weft"), Confidence::Measured);
        assert_eq!(fabric.confidence_of("warp"), base.confidence_of("warp"));
    }

    #[test]
    fn unknown_fabrics_and_paths_are_refused() {
        for name in ["coton", "../secret", ""] {
            assert!(Scene::new().fabric("x", &FabricSource::Named(name.into())).is_err(), "{name}");
        }
        for text in
            ["densty = 1", "density = -1", "density = \"3 m\"", "kes = { B = 0.1 }\nbend_weft = 1"]
        {
            let message = made(text).unwrap_err().to_string();
            assert!(message.contains("dens") || message.contains("x.bend_weft"), "{message}");
        }
    }
}
