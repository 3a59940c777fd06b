//! Ranges of the numbers of a scene: what is outside is a slip of the hand or in other units.
//!
//! Numbers of `[solver]` and of fabrics have their ranges where they are defined ([`toile_sim::Settings::validate`],
//! [`toile_sim::Fabric::validate`]).

use super::{BodyMotion, BodyShape, Cloth, ClothShape, Pinned, Place, Rotate, Scene};
use crate::error::SceneError;
use glam::DVec3;
use toile_sim::Motion;

/// Largest coordinate and size [m].
const MAX_COORDINATE: f64 = 1e6;
/// Longest time [s]: thirty thousand years.
const MAX_DURATION: f64 = 1e12;
/// Largest acceleration of free fall [m/s²]: a hundred times that of the earth.
const MAX_GRAVITY: f64 = 1000.0;
/// Fastest wind [m/s]: the formula of the drag ends with the speed of sound.
const MAX_WIND_SPEED: f64 = 340.0;
/// Fastest motion of a body or pin [m/s].
const MAX_SPEED: f64 = 1e4;
/// Most turns of a motion or place [degrees].
const MAX_ROTATION: f64 = 3.6e6;
/// Most keys of a motion.
const MAX_KEYS: usize = 100_000;
/// Steps beyond this cannot be counted in the double-precision time.
const MAX_STEPS: f64 = 9e15;

type Checked = Result<(), Box<SceneError>>;

impl Scene {
    /// Refuses numbers outside their range, with the place.
    pub(super) fn check_ranges(&self) -> Checked {
        self.number("duration", self.duration, [0.0, MAX_DURATION], "s")?;
        if !(self.fps.is_finite() && self.fps > 0.0) {
            return Err(self.error("fps", &format!("is {:?}; it must be above zero", self.fps)));
        }
        self.vector("gravity", self.gravity, MAX_GRAVITY, "m/s²")?;
        if let Some(w) = &self.wind {
            self.vector("wind.velocity", w.velocity, MAX_WIND_SPEED, "m/s")?;
            self.number("wind.gust", w.gust, [0.0, 10.0], "times the mean velocity")?;
            self.number("wind.gust_period", w.gust_period, [1e-3, 1e6], "s")?;
            self.number("wind.gust_size", w.gust_size, [1e-3, 1e6], "m")?;
            self.number("wind.normal_drag", w.normal_drag, [0.0, 100.0], "")?;
            self.number("wind.tangential_drag", w.tangential_drag, [0.0, 100.0], "")?;
        }
        self.check_camera()?;
        for (path, cloth) in self.cloths_with_paths() {
            self.check_cloth_numbers(&path, cloth)?;
        }
        for (i, body) in self.bodies.iter().enumerate() {
            let path = format!("body.{i}");
            self.check_body_shape(&format!("{path}.shape"), &body.shape)?;
            if let BodyMotion::Rigid(motion) = &body.motion {
                self.check_motion(&format!("{path}.motion"), motion)?;
            }
            if let Some(friction) = body.friction {
                self.number(&format!("{path}.friction"), friction, [0.0, 100.0], "")?;
            }
        }
        Ok(())
    }

    /// Whether the steps of the duration can be counted.
    pub(super) fn check_steps(&self, step: f64) -> Checked {
        let steps = self.duration / step;
        if steps <= MAX_STEPS {
            return Ok(());
        }
        let reason = format!("takes {steps:.1e} steps of {step:?} s, more than can be counted");
        Err(self.error("duration", &reason))
    }

    fn check_camera(&self) -> Checked {
        let camera = &self.camera;
        self.number("camera.azimuth", camera.azimuth, [-MAX_ROTATION, MAX_ROTATION], "degrees")?;
        self.number("camera.elevation", camera.elevation, [-90.0, 90.0], "degrees")?;
        let Some([a, b]) = camera.frame else { return Ok(()) };
        self.vector("camera.frame.0", a, MAX_COORDINATE, "m")?;
        self.vector("camera.frame.1", b, MAX_COORDINATE, "m")?;
        if (b - a).length() < 1e-6 {
            let reason = "is a point; give two corners of the box that the picture shows";
            return Err(self.error("camera.frame", reason));
        }
        Ok(())
    }

    fn check_cloth_numbers(&self, path: &str, cloth: &Cloth) -> Checked {
        let sizes = match cloth.shape {
            ClothShape::Grid { width, height, .. } => &[("width", width), ("height", height)],
            ClothShape::Knot { width, length, .. } => &[("width", width), ("length", length)],
            ClothShape::Mesh { .. } | ClothShape::InMemory { .. } => &[][..],
        };
        for (key, value) in sizes {
            if !(value.is_finite() && *value > 0.0 && *value <= MAX_COORDINATE) {
                let reason = format!("is {value:?}; it must be above zero and at most 1e6 [m]");
                return Err(self.error(&format!("{path}.shape.{key}"), &reason));
            }
        }
        self.check_place(&format!("{path}.place"), &cloth.place)?;
        if let Some(s) = cloth.stack {
            let path = format!("{path}.stack");
            if s.count == 0 {
                return Err(self.error(&format!("{path}.count"), "is 0; it must be 1 or more"));
            }
            self.vector(&format!("{path}.offset"), s.offset, MAX_COORDINATE, "m")?;
            self.number(&format!("{path}.turn"), s.turn, [-MAX_ROTATION, MAX_ROTATION], "degrees")?;
        }
        if let Some(j) = cloth.jitter {
            let path = format!("{path}.jitter");
            self.number(&format!("{path}.amplitude"), j.amplitude, [0.0, 10.0], "m")?;
            self.vector(&format!("{path}.axis"), j.axis, MAX_COORDINATE, "")?;
        }
        for (k, pin) in cloth.pins.iter().enumerate() {
            let path = format!("{path}.pins.{k}");
            if let Pinned::Box(corners) = &pin.what {
                for (corner, p) in corners.iter().enumerate() {
                    self.vector(&format!("{path}.box.{corner}"), *p, MAX_COORDINATE, "m")?;
                }
            }
            if let Some(until) = pin.until.filter(|t| *t != f64::INFINITY) {
                self.number(&format!("{path}.until"), until, [0.0, MAX_DURATION], "s")?;
            }
            self.check_motion(&format!("{path}.motion"), &pin.motion)?;
        }
        Ok(())
    }

    pub(super) fn check_place(&self, path: &str, place: &Place) -> Checked {
        self.vector(&format!("{path}.at"), place.at, MAX_COORDINATE, "m")?;
        place.rotate.map_or(Ok(()), |r| self.check_rotate(&format!("{path}.rotate"), &r))
    }

    pub(super) fn check_rotate(&self, path: &str, rotate: &Rotate) -> Checked {
        self.vector(&format!("{path}.axis"), rotate.axis, MAX_COORDINATE, "")?;
        if rotate.axis.length() <= f64::EPSILON {
            return Err(self.error(&format!("{path}.axis"), "has no direction"));
        }
        self.number(
            &format!("{path}.degrees"),
            rotate.degrees,
            [-MAX_ROTATION, MAX_ROTATION],
            "degrees",
        )
    }

    fn check_body_shape(&self, path: &str, shape: &BodyShape) -> Checked {
        let at = |key: &str| format!("{path}.{key}");
        match shape {
            BodyShape::Sphere { at: p, .. } | BodyShape::Plane { at: p, .. } => {
                self.vector(&at("at"), *p, MAX_COORDINATE, "m")
            }
            BodyShape::Capsule { a, b, .. } => {
                self.vector(&at("a"), *a, MAX_COORDINATE, "m")?;
                self.vector(&at("b"), *b, MAX_COORDINATE, "m")
            }
            BodyShape::Box { at: p, rotate, .. } | BodyShape::Ring { at: p, rotate, .. } => {
                self.vector(&at("at"), *p, MAX_COORDINATE, "m")?;
                rotate.map_or(Ok(()), |r| self.check_rotate(&at("rotate"), &r))
            }
            BodyShape::Mesh { place, .. }
            | BodyShape::Mannequin { place, .. }
            | BodyShape::InMemory { place, .. } => self.check_place(&at("place"), place),
        }
    }

    fn check_motion(&self, path: &str, motion: &Motion) -> Checked {
        let at = |key: &str| format!("{path}.{key}");
        match motion {
            Motion::Still => Ok(()),
            Motion::Steady { velocity, axis, turns_per_second, centre } => {
                self.vector(&at("velocity"), *velocity, MAX_SPEED, "m/s")?;
                self.vector(&at("axis"), *axis, MAX_COORDINATE, "")?;
                self.vector(&at("centre"), *centre, MAX_COORDINATE, "m")?;
                self.number(&at("turns_per_second"), *turns_per_second, [-1e6, 1e6], "1/s")
            }
            Motion::Keys { centre, keys } => {
                self.vector(&at("centre"), *centre, MAX_COORDINATE, "m")?;
                if keys.len() > MAX_KEYS {
                    let reason = format!("has {} keys; {MAX_KEYS} is the most", keys.len());
                    return Err(self.error(&at("keys"), &reason));
                }
                for (k, key) in keys.iter().enumerate() {
                    let at = |part: &str| format!("{path}.keys.{k}.{part}");
                    self.number(&at("time"), key.time, [-MAX_DURATION, MAX_DURATION], "s")?;
                    self.vector(&at("translate"), key.translate, MAX_COORDINATE, "m")?;
                    self.vector(&at("axis"), key.axis, MAX_COORDINATE, "")?;
                    self.number(
                        &at("degrees"),
                        key.degrees,
                        [-MAX_ROTATION, MAX_ROTATION],
                        "degrees",
                    )?;
                }
                self.check_speed(path, keys)
            }
        }
    }

    fn check_speed(&self, path: &str, keys: &[toile_sim::motion::Key]) -> Checked {
        for (k, pair) in keys.windows(2).enumerate() {
            let speed =
                pair[1].translate.distance(pair[0].translate) / (pair[1].time - pair[0].time);
            if speed > MAX_SPEED {
                let reason =
                    format!("is reached at {speed:.1e} m/s; {MAX_SPEED:?} m/s is the most");
                return Err(self.error(&format!("{path}.keys.{}", k + 1), &reason));
            }
        }
        Ok(())
    }

    fn number(&self, path: &str, value: f64, [lo, hi]: [f64; 2], unit: &str) -> Checked {
        if (lo..=hi).contains(&value) {
            return Ok(());
        }
        let said = format!("is {value:?}; it must be {lo:?} to {hi:?} {unit}");
        Err(self.error(path, said.trim_end()))
    }

    fn vector(&self, path: &str, value: DVec3, most: f64, unit: &str) -> Checked {
        if !value.is_finite() {
            return Err(self.error(path, "is not finite"));
        }
        let largest = value.abs().max_element();
        if largest <= most {
            return Ok(());
        }
        let said = format!("has a coordinate of {largest:?}; {most:?} {unit}");
        Err(self.error(path, &format!("{} is the most", said.trim_end())))
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    /// Builds a scene with lines before the cloth, keys of the cloth, and tables behind it.
    fn refused(before: &str, cloth: &str, behind: &str) -> String {
        let text = format!(
            "{before}\n[[cloth]]\nshape = {{ type = \"grid\", width = 1, height = 1, cells = [2, 2] }}\n\
             {cloth}\n{behind}\n"
        );
        let scene = crate::Scene::from_toml_with(&text, "t.toml", Path::new(""), &[]).unwrap();
        let crate::Error::Scene(error) = scene.build().expect_err(&text) else { panic!("{text}") };
        let span = error.span.unwrap_or_else(|| panic!("no place: {}", error.message));
        // The place is a line of the file that was given.
        assert!(span.offset() < text.len() && !span.is_empty(), "{text}");
        error.message.clone()
    }

    #[test]
    fn numbers_outside_their_range_are_refused_at_their_place() {
        for (before, key) in [
            ("gravity = [0, -1e300, 0]", "gravity"),
            ("duration = 1e300", "duration"),
            ("duration = 1e12\nsolver.step = 1e-7", "duration"),
            ("wind = { velocity = [1e9, 0, 0] }", "wind.velocity"),
            ("wind = { velocity = [1, 0, 0], gust = 1e9 }", "wind.gust"),
            ("wind = { velocity = [1, 0, 0], gust = 1, gust_period = 1e-300 }", "wind.gust_period"),
            ("wind = { gust_size = 1e-300 }", "wind.gust_size"),
            ("camera = { azimuth = inf }", "camera.azimuth"),
            ("camera = { elevation = 1e9 }", "camera.elevation"),
            ("camera = { frame = [[0, 0, 0], [0, 0, 0]] }", "camera.frame"),
            ("camera = { frame = [[0, 0, 0], [0, nan, 0]] }", "camera.frame[1]"),
            ("solver.implicit.solve.max_iterations = 4000000000", "solver.implicit.solve"),
            ("solver.collision.zone_rounds = 4000000000", "solver.collision.zone_rounds"),
        ] {
            let message = refused(before, "", "");
            assert!(message.starts_with(&format!("`{key}")), "{before}: {message}");
        }
        for (cloth, key) in [
            ("place = { at = [0, 1e9, 0] }", "cloth[0].place.at"),
            (
                "place = { rotate = { axis = [0, 0, 0], degrees = 9 } }",
                "cloth[0].place.rotate.axis",
            ),
            ("stack = { count = 2, offset = [0, 1e30, 0] }", "cloth[0].stack.offset"),
            ("jitter = { amplitude = 1e9 }", "cloth[0].jitter.amplitude"),
            ("pins = [{ box = [[0, 0, 0], [0, 1e300, 0]] }]", "cloth[0].pins[0].box[1]"),
            ("pins = [{ select = \"top\", until = -1 }]", "cloth[0].pins[0].until"),
            ("fabric = { density = 1e9 }", "cloth[0].fabric.density"),
            ("fabric = { thickness = 1e9 }", "cloth[0].fabric.thickness"),
            ("fabric = { bend_weft = 1e9 }", "cloth[0].fabric.bend_weft"),
        ] {
            let message = refused("", cloth, "");
            assert!(message.starts_with(&format!("`{key}")), "{cloth}: {message}");
        }
        let keys = |second: &str| {
            format!(
                "pins = [{{ select = \"top\", motion = {{ type = \"keys\", keys = [{{ time = 0 }}, {second}] }} }}]"
            )
        };
        for (second, key) in [
            ("{ time = 1e300 }", "cloth[0].pins[0].motion.keys[1].time"),
            (
                "{ time = 1, translate = [1e300, 0, 0] }",
                "cloth[0].pins[0].motion.keys[1].translate",
            ),
            ("{ time = 1e-9, translate = [1, 0, 0] }", "cloth[0].pins[0].motion.keys[1]"),
            ("{ time = 1, degrees = 1e300 }", "cloth[0].pins[0].motion.keys[1].degrees"),
        ] {
            let message = refused("", &keys(second), "");
            assert!(message.starts_with(&format!("`{key}")), "{second}: {message}");
        }
        let body = "[[body]]\nshape = { type = \"sphere\", radius = 1, at = [1e9, 0, 0] }";
        assert!(refused("", "", body).starts_with("`body[0].shape.at"));
        let body = "[[body]]\nshape = { type = \"sphere\", radius = 1 }\nmotion = { type = \"steady\", velocity = [1e30, 0, 0] }";
        assert!(refused("", "", body).starts_with("`body[0].motion.velocity"));
    }
}
