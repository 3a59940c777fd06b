//! Motions of bodies in scenes: rigid ones, and clips that a mannequin performs.

use crate::body::MotionOrder;
use serde::{Deserialize, Deserializer, Serialize};
use std::path::PathBuf;
use toile_body::motion::Clip;
use toile_sim::Motion;

/// How a body of a scene moves.
///
/// ```
/// use toile::{BodyMotion, FigureMotion};
///
/// let motion: BodyMotion = toml::from_str("type = \"walk\"\nspeed = 1.2").unwrap();
/// assert_eq!(motion, BodyMotion::Figure(FigureMotion { speed: Some(1.2), ..FigureMotion::new("walk") }));
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum BodyMotion {
    /// As a whole.
    Rigid(Motion),
    /// A clip of a mannequin.
    Figure(FigureMotion),
}

/// A clip that a mannequin performs from the pose of the fitting on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FigureMotion {
    /// The name of a clip, or `bvh`.
    #[serde(rename = "type")]
    pub clip: String,
    /// Speed of a walk [m/s].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub speed: Option<f64>,
    /// The BVH file, relative to the scene.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<PathBuf>,
}

impl FigureMotion {
    /// A built-in clip.
    pub fn new(clip: impl Into<String>) -> Self {
        Self { clip: clip.into(), speed: None, file: None }
    }

    /// The same as an order, for so many seconds; files are in `folder`.
    pub(crate) fn order(
        &self,
        folder: &std::path::Path,
        duration: f64,
    ) -> Result<MotionOrder, String> {
        let motion = match (&self.file, self.clip.as_str()) {
            (Some(file), "bvh") => folder.join(file).display().to_string(),
            (None, "bvh") => return Err("of type `bvh` needs a `file`".into()),
            (Some(_), _) => return Err("has a `file`; that is for type `bvh`".into()),
            (None, clip) => clip.to_owned(),
        };
        Ok(MotionOrder { speed: self.speed, duration: Some(duration), ..MotionOrder::new(motion) })
    }
}

impl Default for BodyMotion {
    fn default() -> Self {
        Self::Rigid(Motion::Still)
    }
}

impl From<Motion> for BodyMotion {
    fn from(motion: Motion) -> Self {
        Self::Rigid(motion)
    }
}

impl<'de> Deserialize<'de> for BodyMotion {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let table = toml::Table::deserialize(deserializer)?;
        let named = table.get("type").and_then(|t| t.as_str()).unwrap_or_default();
        let is_clip = named == "bvh" || Clip::NAMES.contains(&named);
        let value = toml::Value::Table(table);
        let read = match is_clip {
            true => FigureMotion::deserialize(value).map(Self::Figure),
            false => Motion::deserialize(value).map(Self::Rigid),
        };
        // The place in the file is known to the caller.
        read.map_err(|e| serde::de::Error::custom(e.message()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn motions_are_told_apart_by_their_type_and_come_back() {
        let read = |text: &str| toml::from_str::<BodyMotion>(text);
        for text in [
            "type = \"still\"\n",
            "type = \"turn\"\n",
            "type = \"walk\"\nspeed = 0.9\n",
            "type = \"bvh\"\nfile = \"a.bvh\"\n",
        ] {
            let motion = read(text).unwrap_or_else(|e| panic!("{text}: {e}"));
            assert_eq!(toml::to_string(&motion).expect("text"), text);
        }
        assert!(matches!(read("type = \"keys\"\nkeys = [{ time = 0 }]"), Ok(BodyMotion::Rigid(_))));
        for (text, said) in [
            ("type = \"dance\"", "dance"),
            ("type = \"walk\"\nvelocity = 3", "velocity"),
            ("speed = 3", "type"),
        ] {
            let error = read(text).expect_err(text).to_string();
            assert!(error.contains(said), "{error}");
        }
    }

    #[test]
    fn a_mannequin_of_a_scene_moves_in_its_place_and_other_bodies_perform_nothing() {
        let scene = |shape: &str, motion: &str| {
            let text = format!(
                "duration = 2\n[[cloth]]\nshape = {{ type = \"grid\", width = 0.2, height = 0.2, cells = [2, 2] }}\n\
                 place = {{ at = [5, 1, 0] }}\n[[body]]\nshape = {shape}\nmotion = {motion}"
            );
            crate::Scene::from_toml(&text).and_then(crate::Scene::build)
        };
        let mannequin = "{ type = \"mannequin\", size = \"S\", place = { at = [1, 0, 0] } }";
        let walking = scene(mannequin, "{ type = \"walk\", speed = 1.0 }").expect("a scene");
        let body = &walking.world().bodies()[0];
        let middle = |t: f64| match body.shape_at(t) {
            toile_sim::body::Shape::Mesh(mesh) => {
                mesh.positions.iter().sum::<glam::DVec3>() / mesh.positions.len() as f64
            }
            _ => panic!("a mesh"),
        };
        assert!((middle(0.0).x - 1.0).abs() < 0.01 && middle(0.0).z.abs() < 0.1);
        // 1.5 s to the clip, half a second to get up to speed, half a second at it.
        assert!((middle(2.5).z - middle(1.5).z - 0.75).abs() < 0.1, "{}", middle(2.5));
        for (shape, motion, said) in [
            ("{ type = \"sphere\", radius = 0.1 }", "{ type = \"walk\" }", "only a body of type"),
            (mannequin, "{ type = \"walk\", speed = 7.0 }", "no walk"),
            (mannequin, "{ type = \"turn\", speed = 1.0 }", "no speed"),
            (mannequin, "{ type = \"bvh\" }", "needs a `file`"),
            (mannequin, "{ type = \"bvh\", file = \"none.bvh\" }", "none.bvh"),
            ("{ type = \"mannequin\", size = \"Q\" }", "{ type = \"still\" }", "there are XS"),
        ] {
            let error = scene(shape, motion).expect_err(said).to_string();
            assert!(error.contains(said), "{error}");
        }
    }

    #[test]
    fn a_file_belongs_to_bvh_alone() {
        let folder = std::path::Path::new("scenes");
        let with = |clip: &str, file: Option<&str>| {
            FigureMotion { file: file.map(PathBuf::from), ..FigureMotion::new(clip) }
                .order(folder, 1.0)
        };
        assert!(with("bvh", None).is_err() && with("walk", Some("a.bvh")).is_err());
        assert_eq!(with("bvh", Some("a.bvh")).expect("an order").motion, "scenes/a.bvh");
    }
}
