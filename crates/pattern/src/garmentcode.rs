//! Import of patterns of GarmentCode [korosteleva2023]: `*_specification.json`.
//!
//! Points are in `units_in_meter`; curves are given by points relative to their edge, (x, y) ↦ from + x·e + y·e⊥
//! with e from beginning to end and e⊥ its left normal, or by the radius of a circle. A panel whose edges run
//! clockwise is seen from its wrong side there; it is turned over, together with its placement, so that it stays
//! where it was in space. Stitches join edges right side to right side, unless they say `right_wrong`.
//!
//! Panels get hints for their placement from their names and the way they face; their place in space is kept.

use crate::edge::{Curve, Edge};
use crate::error::Error;
use crate::file::refuse_if_many;
use crate::hint::part_of;
use crate::panel::{BodyPart, Frame, Panel, Side};
use crate::pattern::Pattern;
use crate::seam::{Direction, EdgePart, Seam};
use glam::{DQuat, DVec2, DVec3, EulerRot};
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;

#[derive(Deserialize)]
struct Document {
    pattern: Body,
    #[serde(default)]
    properties: Properties,
}

#[derive(Deserialize, Default)]
struct Properties {
    units_in_meter: Option<f64>,
    curvature_coords: Option<String>,
}

#[derive(Deserialize)]
struct Body {
    panels: BTreeMap<String, PanelIn>,
    #[serde(default)]
    stitches: Vec<Vec<Value>>,
    #[serde(default)]
    panel_order: Vec<String>,
}

#[derive(Deserialize)]
struct PanelIn {
    vertices: Vec<[f64; 2]>,
    edges: Vec<EdgeIn>,
    #[serde(default)]
    translation: [f64; 3],
    #[serde(default)]
    rotation: [f64; 3],
    #[serde(default)]
    label: Option<String>,
}

#[derive(Deserialize)]
struct EdgeIn {
    endpoints: [usize; 2],
    #[serde(default)]
    curvature: Option<CurvatureIn>,
    #[serde(default)]
    label: Option<String>,
}

/// Old files have the control point of a quadratic curve, new ones a type and its parameters.
#[derive(Deserialize)]
#[serde(untagged)]
enum CurvatureIn {
    Point([f64; 2]),
    Typed {
        #[serde(rename = "type")]
        kind: String,
        params: Vec<Value>,
    },
}

#[derive(Deserialize)]
struct StitchSide {
    panel: String,
    edge: usize,
}

/// Reads a pattern of GarmentCode; `name` is for messages.
///
/// # Errors
/// If it is not such a pattern.
pub fn from_json(text: &str, name: &str) -> Result<Pattern, Error> {
    let value = serde_json::from_str(text.trim_start_matches('\u{feff}'))
        .map_err(|e| Error::Parse { name: name.into(), message: e.to_string() })?;
    from_value(value, name)
}

pub(crate) fn from_value(value: Value, name: &str) -> Result<Pattern, Error> {
    let wrong = |e: serde_json::Error| Error::Parse {
        name: name.into(),
        message: format!("not a pattern of GarmentCode: {e}"),
    };
    let document: Document = serde_json::from_value(value).map_err(wrong)?;
    let bad = |place: String, message: String| Error::Content { name: name.into(), place, message };
    let per_metre = document.properties.units_in_meter.unwrap_or(100.0);
    if !(per_metre.is_finite() && per_metre > 0.0) {
        let message = format!("units_in_meter = {per_metre} is impossible");
        return Err(bad("properties".into(), message));
    }
    let (panels, stitches) = (&document.pattern.panels, &document.pattern.stitches);
    refuse_if_many(name, panels.len().max(document.pattern.panel_order.len()), stitches.len())?;
    let absolute = document.properties.curvature_coords.as_deref() == Some("absolute");
    let reader = Reader { scale: 1.0 / per_metre, absolute };
    let mut pattern = Pattern::new("");
    pattern.description = "Imported from GarmentCode.".into();
    // In the order of the file, which is its order from one side of the body to the other.
    let panels = &document.pattern.panels;
    let mut order: Vec<&String> =
        document.pattern.panel_order.iter().filter(|n| panels.contains_key(*n)).collect();
    order.extend(panels.keys().filter(|n| !document.pattern.panel_order.contains(n)));
    for key in order {
        let made = reader.panel(key, &panels[key]);
        pattern.panels.push(made.map_err(|m| bad(format!("panel `{key}`"), m))?);
    }
    for (i, stitch) in document.pattern.stitches.iter().enumerate() {
        let made = seam(&pattern, stitch, i);
        pattern.seams.push(made.map_err(|m| bad(format!("stitch {i}"), m))?);
    }
    for i in 0..pattern.seams.len() {
        let [a, b] = pattern.seam_lengths(&pattern.seams[i]);
        let ratio = a.max(b) / a.min(b).max(f64::MIN_POSITIVE);
        // Sides of any ratio are read; what cannot be sewn is left to the check.
        pattern.seams[i].gather = ratio.clamp(1.0, crate::MAX_GATHER);
    }
    Ok(pattern)
}

struct Reader {
    scale: f64,
    absolute: bool,
}

impl Reader {
    fn panel(&self, name: &str, file: &PanelIn) -> Result<Panel, String> {
        let mut edges = Vec::new();
        for (k, e) in file.edges.iter().enumerate() {
            let edge = self.edge(k, e, &file.vertices).map_err(|m| format!("edge {k}: {m}"))?;
            edge.refuse_if_far()?;
            edges.push(edge);
        }
        let [x, y, z] = file.rotation.map(f64::to_radians);
        let mut frame = Frame {
            translation: DVec3::from(file.translation) * self.scale,
            rotation: DQuat::from_euler(EulerRot::ZYX, z, y, x),
        };
        let mut panel = Panel::new(tidy(name), edges);
        if panel.signed_area() < 0.0 {
            let flip = |p: DVec2| DVec2::new(-p.x, p.y);
            panel.edges = panel.edges.iter().map(|e| e.map(flip, true)).collect();
            // A half turn about y takes (−x, y, 0) to (x, y, 0).
            frame.rotation *= DQuat::from_xyzw(0.0, 1.0, 0.0, 0.0);
        }
        panel.placement.part = part(name, file.label.as_deref());
        panel.placement.side = Some(side(frame.rotation * DVec3::Z));
        panel.placement.frame = Some(frame);
        Ok(panel)
    }

    fn edge(&self, k: usize, file: &EdgeIn, vertices: &[[f64; 2]]) -> Result<Edge, String> {
        let point = |i: usize| match vertices.get(i) {
            Some(&p) => Ok(DVec2::from(p) * self.scale),
            None => Err(format!("there is no vertex {i}")),
        };
        let name = match &file.label {
            Some(label) if !label.is_empty() => format!("{}-{k}", tidy(label)),
            _ => k.to_string(),
        };
        let (from, to) = (point(file.endpoints[0])?, point(file.endpoints[1])?);
        let control = |p: [f64; 2]| {
            let p = DVec2::from(p);
            if self.absolute {
                return p * self.scale;
            }
            let chord = to - from;
            from + p.x * chord + p.y * chord.perp()
        };
        let mut edge = Edge::line(name.clone(), from, to);
        match &file.curvature {
            None => {}
            Some(CurvatureIn::Point(p)) => edge.curve = Curve::Quadratic { control: control(*p) },
            Some(CurvatureIn::Typed { kind, params }) => {
                let wrong = |_| format!("the parameters of `{kind}` are not as expected");
                let params = Value::Array(params.clone());
                match kind.as_str() {
                    "quadratic" => {
                        let [p]: [[f64; 2]; 1] = serde_json::from_value(params).map_err(wrong)?;
                        edge.curve = Curve::Quadratic { control: control(p) };
                    }
                    "cubic" => {
                        let p: [[f64; 2]; 2] = serde_json::from_value(params).map_err(wrong)?;
                        edge.curve = Curve::Cubic { controls: p.map(control) };
                    }
                    "circle" => {
                        let (radius, large, right): (f64, Value, Value) =
                            serde_json::from_value(params).map_err(wrong)?;
                        // An arc to the right of its chord turns left.
                        let (large, left) = (truth(&large), truth(&right));
                        let radius = radius * self.scale;
                        edge = Edge::arc_of_radius(name, from, to, radius, large, left);
                    }
                    other => return Err(format!("`{other}` is not a known kind of curve")),
                }
            }
        }
        Ok(edge)
    }
}

fn seam(pattern: &Pattern, stitch: &[Value], i: usize) -> Result<Seam, String> {
    let side = |value: &Value| -> Result<EdgePart, String> {
        let side: StitchSide = serde_json::from_value(value.clone()).map_err(|e| e.to_string())?;
        // What does not exist is left to the check, which draws it.
        let panel = tidy(&side.panel);
        let edge = pattern.panel(&panel).and_then(|p| p.edges.get(side.edge));
        let edge = edge.map_or_else(|| side.edge.to_string(), |e| e.name.clone());
        Ok(EdgePart::new(panel, edge))
    };
    let [a, b, rest @ ..] = stitch else {
        return Err("it has fewer than two sides".into());
    };
    let mut seam = Seam::new(i.to_string(), side(a)?, side(b)?);
    if rest.iter().any(|v| v.as_str() == Some("right_wrong")) {
        seam.direction = Direction::Same;
    }
    Ok(seam)
}

/// A flag, written as a truth value or a number.
fn truth(value: &Value) -> bool {
    value.as_bool().unwrap_or_else(|| value.as_f64().is_some_and(|x| x != 0.0))
}

/// A name without what the names of edges need for themselves.
fn tidy(name: &str) -> String {
    name.replace(['.', '['], "_")
}

/// The part of the body that a name speaks of, or else a label.
fn part(name: &str, label: Option<&str>) -> Option<BodyPart> {
    let right = name.contains("right") || name.ends_with("_r");
    part_of(name).or(match label {
        Some("arm") if right => Some(BodyPart::RightArm),
        Some("arm") => Some(BodyPart::LeftArm),
        Some("leg") => Some(BodyPart::Hips),
        Some("body") => Some(BodyPart::Torso),
        _ => None,
    })
}

/// The side of the body that a panel faces away from.
fn side(normal: DVec3) -> Side {
    if normal.x.abs() > normal.z.abs() {
        // The left of the wearer, who looks along +z, is +x.
        if normal.x > 0.0 { Side::Left } else { Side::Right }
    } else if normal.z >= 0.0 {
        Side::Front
    } else {
        Side::Back
    }
}
