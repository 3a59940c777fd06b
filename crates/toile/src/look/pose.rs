//! Cameras from files: where a photograph was taken from.
//!
//! A file is one JSON object, or a list of them with a `frame` each: either `eye`, `target`, `up` and `fov-y-deg`, or
//! what camera trackers write: `R` (rows: right, down, forward in world coordinates), `C` (place [m]), `f` (focal length [px]),
//! `size-px` and `centre-px` (where the axis meets the picture; its middle if absent).

use crate::error::Error;
use glam::{DMat3, DVec3};
use serde::Deserialize;
use std::path::Path;
use toile_render::Camera;

/// A camera and where its axis meets the picture, in heights of the picture from the middle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Pose {
    pub(super) camera: Camera,
    pub(super) shift: [f64; 2],
}

/// Cameras of a file, for all frames or for one each.
#[derive(Clone, Debug)]
pub(super) struct Poses(Vec<(Option<usize>, Pose)>);

/// A camera as files have it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Written {
    frame: Option<usize>,
    eye: Option<[f64; 3]>,
    target: Option<[f64; 3]>,
    up: Option<[f64; 3]>,
    fov_y_deg: Option<f64>,
    #[serde(rename = "R")]
    rotation: Option<[[f64; 3]; 3]>,
    #[serde(rename = "C")]
    place: Option<[f64; 3]>,
    #[serde(rename = "f")]
    focal: Option<f64>,
    size_px: Option<[f64; 2]>,
    centre_px: Option<[f64; 2]>,
}

/// One camera or several.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum File {
    Several(Vec<serde_json::Value>),
    One(serde_json::Value),
}

/// Most that axes may differ from right angles and unit length.
const SKEW: f64 = 1e-3;

impl Poses {
    pub(super) fn read(path: &Path) -> Result<Self, Error> {
        let text = crate::scene::read_text(path)?;
        Self::parse(&text).map_err(|e| {
            let help = "write eye, target, up and fov-y-deg, or R, C, f and size-px";
            Error::request(format!("{}: is no camera: {e}", path.display()), help)
        })
    }

    fn parse(text: &str) -> Result<Self, String> {
        let said = |e: serde_json::Error| e.to_string();
        let all = match serde_json::from_str::<File>(text).map_err(said)? {
            File::Several(all) => all,
            File::One(one) => vec![one],
        };
        if all.is_empty() {
            return Err("the list is empty".into());
        }
        let pose = |value| {
            let written: Written = serde_json::from_value(value).map_err(said)?;
            Ok((written.frame, written.pose()?))
        };
        all.into_iter().map(pose).collect::<Result<_, String>>().map(Self)
    }

    /// The camera of a frame.
    pub(super) fn of(&self, frame: Option<usize>) -> Result<Pose, Error> {
        let fits = |own: &Option<usize>| own.is_none() || *own == frame;
        let found = self.0.iter().find(|(own, _)| fits(own));
        // A single picture may take the only camera there is.
        let found = found.or(self.0.first().filter(|_| self.0.len() == 1 && frame.is_none()));
        found.map(|(_, pose)| *pose).ok_or_else(|| {
            let which = frame.map_or("a still".into(), |k| format!("frame {k}"));
            let message = format!("the camera file has no camera for {which}");
            Error::request(message, "give it one with this `frame`, or one without for all")
        })
    }
}

impl Written {
    fn pose(&self) -> Result<Pose, String> {
        let finite = |v: [f64; 3]| DVec3::from(v).is_finite().then_some(DVec3::from(v));
        let looking = [self.eye, self.target].into_iter().flatten().count();
        let tracked = [self.place.is_some(), self.rotation.is_some(), self.focal.is_some()];
        match (looking, tracked) {
            (2, [false, false, false]) => {
                let [eye, target] = [self.eye, self.target].map(|v| v.and_then(finite));
                let (Some(eye), Some(target)) = (eye, target) else {
                    return Err("eye and target must be finite".into());
                };
                let up = self.up.map_or(Some(DVec3::Y), finite).ok_or("up must be finite")?;
                let degrees = self.fov_y_deg.ok_or("fov-y-deg is missing")?;
                if !(0.1..=170.0).contains(&degrees) || eye == target {
                    return Err(
                        "fov-y-deg must lie between 0.1 and 170, and eye differ from target".into(),
                    );
                }
                let camera = Camera { eye, target, up, fov_y: degrees.to_radians() };
                Ok(Pose { camera, shift: [0.0; 2] })
            }
            (0, [true, true, true]) => self.tracked(),
            _ => Err("give eye, target and fov-y-deg, or R, C, f and size-px".into()),
        }
    }

    fn tracked(&self) -> Result<Pose, String> {
        let rows = self.rotation.unwrap_or_default().map(DVec3::from);
        let [right, down, forward] = rows;
        let turn = DMat3::from_cols(right, down, forward);
        let off = turn.transpose() * turn - DMat3::IDENTITY;
        let skew = off.to_cols_array().into_iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        // Comparisons with NaN fail.
        if !(skew < SKEW && turn.determinant() > 0.0) {
            return Err("the rows of R must be unit vectors to the right, down and forward".into());
        }
        let (eye, focal) = (DVec3::from(self.place.unwrap_or_default()), self.focal.unwrap_or(0.0));
        let [w, h] = self.size_px.ok_or("size-px is missing")?;
        let sizes = [w, h, focal].iter().all(|x| (1.0..1e6).contains(x));
        if !sizes || !eye.is_finite() {
            return Err("f and size-px must be at least 1 px, and C finite".into());
        }
        let [cx, cy] = self.centre_px.unwrap_or([0.5 * w, 0.5 * h]);
        let shift = [(cx - 0.5 * w) / h, (cy - 0.5 * h) / h];
        if !shift.iter().all(|s| s.abs() <= 10.0) {
            return Err("centre-px is far outside the picture".into());
        }
        let fov_y = 2.0 * (0.5 * h / focal).atan();
        let camera = Camera { eye, target: eye + forward, up: -down, fov_y };
        Ok(Pose { camera, shift })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_of_writing_a_camera_mean_the_same() {
        let seen = Poses::parse(
            r#"{"eye": [0, 1, 5], "target": [0, 1, 4], "fov-y-deg": 53.13010235415598}"#,
        );
        let tracked = Poses::parse(
            r#"[{"frame": 3, "R": [[1,0,0],[0,-1,0],[0,0,-1]], "C": [0,1,5], "f": 480,
                 "size-px": [640, 480], "centre-px": [320, 240]}]"#,
        );
        let (a, b) = (seen.unwrap().of(None).unwrap(), tracked.unwrap().of(Some(3)).unwrap());
        assert!((a.camera.fov_y - b.camera.fov_y).abs() < 1e-9);
        assert_eq!((a.camera.eye, a.camera.target), (b.camera.eye, b.camera.target));
        assert_eq!(a.shift, b.shift);
    }

    #[test]
    fn a_list_has_a_camera_for_each_frame() {
        let text = r#"[{"frame": 0, "eye": [0,0,1], "target": [0,0,0], "fov-y-deg": 30},
                       {"frame": 1, "eye": [0,0,2], "target": [0,0,0], "fov-y-deg": 30}]"#;
        let poses = Poses::parse(text).unwrap();
        assert_eq!(poses.of(Some(1)).unwrap().camera.eye.z, 2.0);
        assert!(poses.of(Some(2)).is_err() && poses.of(None).is_err());
    }

    #[test]
    fn what_is_no_camera_is_refused() {
        for bad in [
            "",
            "[]",
            "7",
            "{}",
            r#"{"eye": [0,0,1], "target": [0,0,1], "fov-y-deg": 30}"#,
            r#"{"eye": [0,0,1], "target": [0,0,0], "fov-y-deg": 300}"#,
            r#"{"eye": [0,0,1e400], "target": [0,0,0], "fov-y-deg": 30}"#,
            r#"{"eye": [0,0,1], "target": [0,0,0], "fov-y-deg": 30, "f": 3}"#,
            r#"{"R": [[1,0,0],[0,1,0],[0,0,-1]], "C": [0,0,0], "f": 480, "size-px": [4, 4]}"#,
            r#"{"R": [[1,0,0],[0,1,0],[0,0,1]], "C": [0,0,0], "f": 0, "size-px": [4, 4]}"#,
            r#"{"R": [[1,0,0],[0,1,0],[0,0,1]], "C": [0,0,0], "f": 40, "size-px": [4, 4], "centre-px": [1e9, 0]}"#,
        ] {
            assert!(Poses::parse(bad).is_err(), "{bad}");
        }
    }
}
