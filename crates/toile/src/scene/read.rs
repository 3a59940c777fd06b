//! Reading scenes: TOML, changes from outside, errors with their place.

use super::locate::Source;
use super::{BodyMotion, BodyShape, Cloth, ClothShape, Scene};
use crate::error::{Error, SceneError};
use serde::de::DeserializeOwned;
use std::path::{Path, PathBuf};
use toile_mesh::io::source;
use toml::{Table, Value};

/// The scene that `toile drape sphere` shows: a square of cotton over a ball.
const DRAPE: &str = include_str!("../../../../scenes/sphere.toml");

/// The scene that `toile drape sphere` simulates: a square of a fabric over a ball.
///
/// # Errors
/// If a change does not fit.
pub fn drape_scene(changes: &[(String, String)]) -> Result<Scene, Error> {
    Scene::from_toml_with(DRAPE, "drape.toml", Path::new(""), changes)
}

/// A number, whole or not.
fn number(value: &Value) -> Option<f64> {
    value.as_float().or_else(|| value.as_integer().map(|i| i as f64))
}

/// Whether a file is a scene, rather than a pattern: a table that has cloths.
pub fn is_scene(path: impl AsRef<Path>) -> bool {
    let table = read_text(path.as_ref()).ok().and_then(|text| text.parse::<Table>().ok());
    table.is_some_and(|t| t.contains_key("cloth"))
}

impl Scene {
    /// Reads a scene file.
    ///
    /// # Errors
    /// If the file cannot be read or does not describe a scene; the error has the place and the
    /// remedy.
    pub fn read(path: impl AsRef<Path>) -> Result<Self, Error> {
        Self::read_with(path, &[])
    }

    /// Reads a scene file and changes some of its values, such as `("solver.step", "0.0005")` or
    /// `("cloth.0.shape.cells", "[10, 10]")`. A value that is not TOML is taken as text.
    ///
    /// # Errors
    /// As [`Scene::read`], and if a change does not fit.
    pub fn read_with(path: impl AsRef<Path>, changes: &[(String, String)]) -> Result<Self, Error> {
        let path = path.as_ref();
        let text = read_text(path)?;
        let folder = path.parent().unwrap_or(Path::new(""));
        let mut scene = Self::from_toml_with(&text, &path.display().to_string(), folder, changes)?;
        if scene.name == Self::default().name {
            scene.name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        }
        Ok(scene)
    }

    /// Reads a scene from text. File names in it are relative to the current folder.
    ///
    /// ```
    /// let scene = toile::Scene::from_toml(
    ///     "[[cloth]]\nshape = { type = \"grid\", width = 1, height = 1, cells = [10, 10] }",
    /// )?;
    /// assert_eq!(scene.build()?.triangles().len(), 200);
    /// # Ok::<(), toile::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Scene::read`].
    pub fn from_toml(text: &str) -> Result<Self, Error> {
        Self::from_toml_with(text, "scene.toml", Path::new(""), &[])
    }

    /// Reads a scene from text; `name` is for error messages and file names in the scene are
    /// relative to `folder`.
    ///
    /// # Errors
    /// As [`Scene::read_with`].
    pub fn from_toml_with(
        text: &str,
        name: &str,
        folder: &Path,
        changes: &[(String, String)],
    ) -> Result<Self, Error> {
        let set = changes.iter().map(|(key, _)| key.clone()).collect();
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let source = Source::new(name, text, set);
        let mut table: Table = text
            .parse()
            .map_err(|e: toml::de::Error| source.syntax_error(e.span(), e.message()))?;
        let own_duration = table.get("duration").and_then(number);
        for (key, value) in changes {
            change(&mut table, key, parse_value(value), &source)?;
        }
        let mut scene: Self = from_value("", Value::Table(table), &source)?;
        let own_duration = own_duration.unwrap_or_else(|| Self::default().duration);
        let asked = |key: &str| changes.iter().any(|(changed, _)| changed.starts_with(key));
        if scene.duration < own_duration && !asked("expect") {
            scene.expect = scene.expect.of_any_moment();
        }
        scene.folder = folder.to_path_buf();
        scene.source = source;
        scene.check_counts()?;
        Ok(scene)
    }

    /// Refuses scenes without cloth early, while the file is at hand.
    fn check_counts(&self) -> Result<(), Box<SceneError>> {
        if self.cloths.is_empty() {
            let help = "add a piece, for example\n[[cloth]]\nshape = { type = \"grid\", width = 1, \
                        height = 1 }";
            return Err(self.source.error("", "this scene has no cloth", Some(help.into())));
        }
        Ok(())
    }

    /// An error at a dotted path of this scene.
    pub(crate) fn error(&self, path: &str, reason: &str) -> Box<SceneError> {
        self.source.error(path, reason, None)
    }

    /// Files that it reads, and its own.
    pub(crate) fn inputs(&self) -> Vec<PathBuf> {
        let cloths = self.cloths.iter().filter_map(|cloth| match &cloth.shape {
            ClothShape::Mesh { file, .. } => Some(file),
            _ => None,
        });
        let bodies = self.bodies.iter().filter_map(|body| match &body.shape {
            BodyShape::Mesh { file, .. } => Some(file),
            _ => None,
        });
        let motions = self.bodies.iter().filter_map(|body| match &body.motion {
            BodyMotion::Figure(figure) => figure.file.as_ref(),
            BodyMotion::Rigid(_) => None,
        });
        let meshes = cloths.chain(bodies).chain(motions).map(|file| self.folder.join(file));
        meshes.chain([PathBuf::from(self.source.name())]).collect()
    }

    /// The cloth that [`Scene::cloths`] has at an index, with its path.
    pub(crate) fn cloths_with_paths(&self) -> impl Iterator<Item = (String, &Cloth)> {
        self.cloths.iter().enumerate().map(|(i, cloth)| (format!("cloth.{i}"), cloth))
    }
}

/// The text of a scene, a fabric or another file that people write.
///
/// # Errors
/// If it cannot be read, is larger than 16 MB, is a pipe or device, or is not in UTF-8.
pub fn read_text(path: &Path) -> Result<String, Error> {
    source::read_text(path, source::MAX_TEXT_BYTES)
        .map_err(|source| Error::Read { path: path.to_path_buf(), source })
}

/// Reads a type from a value that stands at `path` in a scene.
pub(crate) fn from_value<T: DeserializeOwned>(
    path: &str,
    value: Value,
    source: &Source,
) -> Result<T, Box<SceneError>> {
    serde_path_to_error::deserialize(value).map_err(|e| {
        let mut full = path.to_owned();
        for segment in e.path() {
            use serde_path_to_error::Segment;
            let part = match segment {
                Segment::Seq { index } => index.to_string(),
                Segment::Map { key } => key.clone(),
                // Variants are not keys, and what is unknown has no place.
                Segment::Enum { .. } | Segment::Unknown => continue,
            };
            if !full.is_empty() {
                full.push('.');
            }
            full.push_str(&part);
        }
        let message = e.inner().message().to_owned();
        // The path of an unknown key ends with that key; its table is the place.
        let parent = match message.strip_prefix("unknown field `") {
            Some(rest) => {
                let key = rest.split('`').next().unwrap_or_default();
                full.strip_suffix(key).map_or(&*full, |p| p.trim_end_matches('.')).to_owned()
            }
            None => full,
        };
        source.serde_error(&parent, &message)
    })
}

/// A value as it would stand in a scene; what is not TOML is text.
fn parse_value(text: &str) -> Value {
    let wrapped: Result<Table, _> = format!("x = {text}").parse();
    match wrapped {
        Ok(mut table) if table.len() == 1 => {
            table.remove("x").unwrap_or_else(|| Value::String(text.into()))
        }
        _ => Value::String(text.into()),
    }
}

/// Sets the value at a dotted path; tables on the way are made if they are missing.
fn change(
    table: &mut Table,
    key: &str,
    value: Value,
    source: &Source,
) -> Result<(), Box<SceneError>> {
    let parts: Vec<&str> = key.split('.').collect();
    set_in_table(table, &parts, value).map_err(|reason| {
        let help = "name a key of the scene, for example solver.step=0.0005 or \
                    cloth.0.shape.cells=[20,20]";
        source.error("", &format!("cannot set `{key}`: {reason}"), Some(help.into()))
    })
}

fn set_in_table(table: &mut Table, parts: &[&str], value: Value) -> Result<(), String> {
    match parts {
        [] | ["", ..] => Err("a part of the name is empty".into()),
        [last] => {
            table.insert((*last).to_owned(), value);
            Ok(())
        }
        [first, rest @ ..] => {
            let next = table.entry((*first).to_owned());
            set_in(next.or_insert_with(|| Value::Table(Table::new())), rest, value)
        }
    }
}

fn set_in(here: &mut Value, parts: &[&str], value: Value) -> Result<(), String> {
    match (here, parts) {
        (here, []) => {
            *here = value;
            Ok(())
        }
        (Value::Table(table), parts) => set_in_table(table, parts, value),
        (Value::Array(array), [first, rest @ ..]) => {
            match first.parse::<usize>().ok().and_then(|i| array.get_mut(i)) {
                Some(item) => set_in(item, rest, value),
                None => Err(format!("there is no number `{first}` in the list")),
            }
        }
        (_, [first, ..]) => Err(format!("`{first}` would stand in a single value")),
    }
}

/// Lays `changes` over `base`, table by table. A table with another `type` replaces the old one
/// whole: the keys of one method mean nothing to another.
pub(crate) fn merge(base: &mut Table, changes: &Table) {
    for (key, value) in changes {
        match (base.get_mut(key), value) {
            (Some(Value::Table(old)), Value::Table(new))
                if new.get("type").is_none_or(|t| old.get("type") == Some(t)) =>
            {
                merge(old, new);
            }
            _ => {
                base.insert(key.clone(), value.clone());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: &str = "[[cloth]]\nshape = { type = \"grid\", width = 1, height = 1 }\n";

    fn read(text: &str) -> Result<Scene, Error> {
        Scene::from_toml_with(text, "test.toml", Path::new(""), &[])
    }

    fn message(text: &str) -> String {
        let error = read(text).expect_err("must be refused");
        let Error::Scene(e) = error else { panic!("{error}") };
        let spot = e.span.map(|s| text[s.offset()..s.offset() + s.len()].to_owned());
        format!("{} | {} | {}", e.message, spot.unwrap_or_default(), e.help.unwrap_or_default())
    }

    #[test]
    fn a_few_lines_are_a_scene() {
        let scene = read(SMALL).unwrap();
        assert_eq!(scene.cloths.len(), 1);
        assert_eq!(scene.preset.name(), "toile");
    }

    #[test]
    fn bounds_of_the_end_are_not_held_against_a_shorter_run() {
        let text =
            "duration = 2\n[expect]\nintersections_max = 0\nlowest = [0, 1]\n".to_owned() + SMALL;
        let after = |changes: &[(&str, &str)]| {
            let changes: Vec<(String, String)> =
                changes.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
            Scene::from_toml_with(&text, "test.toml", Path::new(""), &changes).unwrap().expect
        };
        for (changes, kept) in [
            (&[][..], true),
            (&[("duration", "2")], true),
            (&[("duration", "3.5")], true),
            (&[("duration", "0.5")], false),
            (&[("duration", "0.5"), ("expect.lowest", "[0, 2]")], true),
        ] {
            let expect = after(changes);
            assert_eq!(expect.lowest.is_some(), kept, "{changes:?}");
            assert_eq!(expect.intersections_max, Some(0), "{changes:?}");
        }
    }

    #[test]
    fn mistakes_are_shown_where_they_are() {
        let m = message("durration = 1\n");
        assert!(
            m.starts_with("unknown key `durration` | durration | did you mean `duration`"),
            "{m}"
        );
        let m = message(&SMALL.replace("width", "widht"));
        assert!(m.contains("| widht | did you mean `width`"), "{m}");
        let m = message("duration = \"long\"\n");
        assert!(m.starts_with("`duration` is wrong") && m.contains("| \"long\" |"), "{m}");
        let m = message("[[cloth]]\nshape = { type = \"gird\" }\n");
        assert!(m.contains("did you mean `grid`"), "{m}");
        let m = message("preset = \"provot\"\n");
        assert!(m.contains("did you mean `provot97`"), "{m}");
        let m = message("[[cloth]]\nshape = { type = \"grid\", width = 1 }\n");
        assert!(m.contains("missing field `height`") && m.contains("| { type"), "{m}");
        let m = message("[[cloth]\n");
        assert!(m.starts_with("this is not TOML"), "{m}");
        assert!(message("").contains("no cloth"));
    }

    #[test]
    fn values_can_be_changed_from_outside() {
        let changes =
            [("solver.step", "0.5e-3"), ("cloth.0.shape.width", "2"), ("name", "two words")]
                .map(|(k, v)| (k.to_owned(), v.to_owned()));
        let scene = Scene::from_toml_with(SMALL, "test.toml", Path::new(""), &changes).unwrap();
        assert_eq!(scene.solver["step"].as_float(), Some(0.5e-3));
        assert_eq!(scene.name, "two words");
        for (key, value) in [("cloth.1.name", "x"), ("fps.a", "1"), ("", "1"), ("cloth.0.nme", "x")]
        {
            let changes = [(key.to_owned(), value.to_owned())];
            assert!(
                Scene::from_toml_with(SMALL, "test.toml", Path::new(""), &changes).is_err(),
                "{key}"
            );
        }
    }

    #[test]
    fn another_method_replaces_the_keys_of_the_old_one() {
        let mut base: Table = "a = { type = \"x\", p = 1 }\nb = { q = 1, r = 2 }".parse().unwrap();
        merge(&mut base, &"a = { type = \"y\" }\nb = { q = 3 }".parse().unwrap());
        assert_eq!(base, "a = { type = \"y\" }\nb = { q = 3, r = 2 }".parse().unwrap());
    }
}
