//! Where pictures are taken from.

use glam::{DMat3, DVec3};
use toile_render::Camera;

/// Share of a single picture that the garment fills, and of the views of a sheet.
const FILL: f64 = 0.90;
/// Height of the camera above the horizon [degrees].
const ELEVATION: f64 = 5.0;
/// Directions of the views of a sheet around the vertical axis [degrees].
const SHEET: [f64; 4] = [0.0, 35.0, 90.0, 180.0];
/// Width over height of the views of a sheet.
const ASPECTS: [f64; 2] = [0.6, 1.1];

/// A view of a garment, or four.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum View {
    /// From one side.
    Orbit {
        /// Around the vertical axis [degrees]: 0 is the front, 90 its left.
        azimuth: f64,
        /// Above the horizon [degrees].
        elevation: f64,
    },
    /// Front, three quarters, left and back side by side.
    Sheet,
}

impl View {
    /// Names of the views.
    pub const NAMES: [&'static str; 6] =
        ["front", "back", "left", "right", "three-quarter", "sheet"];

    /// A view by its name, or by azimuth and elevation in degrees such as `30,10`.
    ///
    /// # Errors
    /// Says what is known.
    pub fn parse(text: &str) -> Result<Self, String> {
        let at = |azimuth| Ok(Self::Orbit { azimuth, elevation: ELEVATION });
        match text {
            "front" => return at(0.0),
            "back" => return at(180.0),
            "left" => return at(90.0),
            "right" => return at(270.0),
            "three-quarter" => return at(35.0),
            "sheet" => return Ok(Self::Sheet),
            _ => {}
        }
        let number = |t: &str| t.trim().parse::<f64>().ok().filter(|x| x.is_finite());
        let pair = text.split_once(',').and_then(|(a, e)| Some((number(a)?, number(e)?)));
        match pair {
            Some((azimuth, elevation)) if elevation.abs() <= 90.0 => {
                Ok(Self::Orbit { azimuth: azimuth % 360.0, elevation })
            }
            Some(_) => Err("the elevation must lie between -90 and 90 degrees".into()),
            None => Err(format!(
                "there are {}, or give azimuth and elevation in degrees, such as 30,10",
                Self::NAMES.join(", ")
            )),
        }
    }
}

/// What cameras look at.
#[derive(Clone, Debug)]
pub(super) struct Frame {
    points: Vec<DVec3>,
    centre: DVec3,
}

/// Most points that a frame is made of.
const MAX_POINTS: usize = 20_000;

impl Frame {
    pub(super) fn new(points: &[DVec3]) -> Option<Self> {
        let first = points.first()?;
        let (lo, hi) = points.iter().fold((*first, *first), |(a, b), p| (a.min(*p), b.max(*p)));
        let every = points.len().div_ceil(MAX_POINTS);
        let mut kept: Vec<DVec3> = points.iter().step_by(every).copied().collect();
        // What the points left out could reach beyond is little: the extremes are there.
        for axis in 0..3 {
            let by = |a: &&DVec3, b: &&DVec3| a[axis].total_cmp(&b[axis]);
            kept.extend(points.iter().min_by(by));
            kept.extend(points.iter().max_by(by));
        }
        Some(Self { points: kept, centre: 0.5 * (lo + hi) })
    }

    pub(super) fn centre(&self) -> DVec3 {
        self.centre
    }

    /// Distance of the middle from a camera, along its axis [m].
    pub(super) fn depth(&self, camera: &Camera) -> f64 {
        (self.centre - camera.eye).dot((camera.target - camera.eye).normalize_or_zero())
    }

    /// The camera of a single view.
    pub(super) fn camera(&self, azimuth: f64, elevation: f64, aspect: f64) -> Camera {
        let (a, e) = (azimuth.to_radians(), elevation.to_radians());
        Camera::around(&self.points, a, e, aspect, FILL)
    }

    /// The points as they are seen from several directions, turned to the first.
    fn turned(&self, azimuths: &[f64]) -> Vec<DVec3> {
        let turn = |azimuth: f64| DMat3::from_rotation_y(-azimuth.to_radians());
        let about = |m: DMat3| self.points.iter().map(move |p| m * (*p - self.centre));
        azimuths.iter().flat_map(|a| about(turn(*a))).collect()
    }

    /// Cameras in several directions that see the garment in the same size.
    pub(super) fn cameras(&self, azimuths: &[f64], elevation: f64, aspect: f64) -> Vec<Camera> {
        let e = elevation.to_radians();
        let camera = Camera::around(&self.turned(azimuths), 0.0, e, aspect, FILL);
        let about = |azimuth: &f64| {
            let turn = DMat3::from_rotation_y(azimuth.to_radians());
            let (eye, target) = (turn * camera.eye, turn * camera.target);
            Camera { eye: self.centre + eye, target: self.centre + target, ..camera }
        };
        azimuths.iter().map(about).collect()
    }

    /// Width over height that suits the views of a sheet.
    pub(super) fn sheet_aspect(&self) -> f64 {
        let points = self.turned(&SHEET);
        let size = |axis: usize| {
            let (lo, hi) = points.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), p| {
                (a.min(p[axis]), b.max(p[axis]))
            });
            hi - lo
        };
        (size(0) / size(1).max(1e-9)).clamp(ASPECTS[0], ASPECTS[1])
    }

    /// The four cameras of a sheet.
    pub(super) fn sheet(&self, aspect: f64) -> Vec<Camera> {
        self.cameras(&SHEET, ELEVATION, aspect)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn views_are_named_or_given_in_degrees() {
        assert_eq!(View::parse("sheet"), Ok(View::Sheet));
        assert_eq!(View::parse("370, 20"), Ok(View::Orbit { azimuth: 10.0, elevation: 20.0 }));
        for name in View::NAMES {
            assert!(View::parse(name).is_ok());
        }
        for bad in ["", "top", "10", "10,100", "nan,0", "1,2,3"] {
            assert!(View::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn the_views_of_a_sheet_have_one_size_and_hold_the_garment() {
        let points: Vec<DVec3> = (0..8)
            .map(|k| DVec3::new(f64::from(k & 1), f64::from(k >> 1 & 1) * 2.0, f64::from(k >> 2)))
            .collect();
        let frame = Frame::new(&points).unwrap();
        let aspect = frame.sheet_aspect();
        let cameras = frame.sheet(aspect);
        let distance = |c: &Camera| c.eye.distance(c.target);
        assert!(cameras.iter().all(|c| (distance(c) - distance(&cameras[0])).abs() < 1e-9));
        for c in &cameras {
            let forward = (c.target - c.eye).normalize();
            let right = forward.cross(DVec3::Y).normalize();
            let up = right.cross(forward);
            for p in &points {
                let d = *p - c.eye;
                let reach = d.dot(forward) * (0.5 * c.fov_y).tan();
                assert!(d.dot(right).abs() <= reach * aspect && d.dot(up).abs() <= reach);
            }
        }
    }
}
