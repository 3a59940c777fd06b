//! Writing pattern files, in centimetres to the micrometre.

use super::{
    DartFile, EdgeFile, ElasticFile, NotchFile, OneOrMany, PanelFile, PathFile, PatternFile,
    PlacementFile, PleatFile, SeamFile, Unit,
};
use crate::edge::{Curve, Edge};
use crate::error::Error;
use crate::panel::{DartShape, Elastic, Panel, Path};
use crate::pattern::Pattern;
use crate::seam::{EdgePart, Seam};
use glam::{DVec2, EulerRot};

/// Writes a pattern file, JSON if the name ends so, TOML otherwise: the whole file or nothing.
///
/// # Errors
/// If the file cannot be written.
pub fn write(path: impl AsRef<std::path::Path>, pattern: &Pattern) -> Result<(), Error> {
    let path = path.as_ref();
    let json = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("json"));
    let text = if json { to_json(pattern) } else { to_toml(pattern) };
    Ok(toile_mesh::io::write_atomically(path, |out| out.write_all(text.as_bytes()))?)
}

/// The pattern as JSON.
pub fn to_json(pattern: &Pattern) -> String {
    serde_json::to_string_pretty(&file(pattern)).unwrap_or_default() + "\n"
}

/// The pattern as TOML, an edge on each line.
pub fn to_toml(pattern: &Pattern) -> String {
    let file = file(pattern);
    let mut text = String::new();
    let mut push = |line: String| {
        text.push_str(&line);
        text.push('\n');
    };
    push(format!("name = {}", quoted(&file.name)));
    if !file.description.is_empty() {
        push(format!("description = {}", quoted(&file.description)));
    }
    push("unit = \"cm\"".into());
    for p in &file.panel {
        push("\n[[panel]]".into());
        // Everything but the lists, by the serializer, then the lists by hand: it would spread
        // every point over three lines.
        push(format!("name = {}", quoted(&p.name)));
        push(format!("start = {}", pair(p.start)));
        if let Some(grain) = p.grain {
            push(format!("grain = {}", pair(grain)));
        }
        if let Some(fabric) = &p.fabric {
            push(format!("fabric = {}", quoted(fabric)));
        }
        if p.layer != 0 {
            push(format!("layer = {}", p.layer));
        }
        if let Some(allowance) = p.allowance {
            push(format!("allowance = {allowance}"));
        }
        if let Some(placement) = &p.placement {
            push(format!("placement = {}", inline(placement)));
        }
        push("edge = [".into());
        p.edge.iter().for_each(|e| push(format!("  {},", inline(e))));
        push("]".into());
        list(&mut push, "dart", &p.dart);
        list(&mut push, "pleat", &p.pleat);
        list(&mut push, "elastic", &p.elastic);
        list(&mut push, "notch", &p.notch);
        list(&mut push, "hole", &p.hole);
        list(&mut push, "line", &p.line);
    }
    for s in &file.seam {
        push("\n[[seam]]".into());
        push(format!("name = {}", quoted(&s.name)));
        for (key, side) in [("a", &s.a), ("b", &s.b)] {
            push(format!("{key} = {}", inline(side)));
        }
        if s.direction != crate::seam::Direction::Opposite {
            push("direction = \"same\"".into());
        }
        if let Some(gather) = s.gather {
            push(format!("gather = {gather}"));
        }
        if s.order != 0 {
            push(format!("order = {}", s.order));
        }
    }
    text
}

fn list<T: serde::Serialize>(push: &mut impl FnMut(String), key: &str, items: &[T]) {
    if !items.is_empty() {
        push(format!("{key} = ["));
        items.iter().for_each(|i| push(format!("  {},", inline(i))));
        push("]".into());
    }
}

/// A value on one line of TOML.
fn inline(value: &impl serde::Serialize) -> String {
    let value = serde_json::to_value(value).unwrap_or_default();
    inline_json(&value)
}

fn inline_json(value: &serde_json::Value) -> String {
    use serde_json::Value;
    match value {
        Value::Object(map) => {
            // The name comes first, as a person would write it.
            let mut keys: Vec<&String> = map.keys().collect();
            keys.sort_by_key(|k| !matches!(k.as_str(), "name" | "start"));
            let part = |k: &&String| format!("{k} = {}", inline_json(&map[*k]));
            let parts: Vec<String> = keys.iter().map(part).collect();
            format!("{{ {} }}", parts.join(", "))
        }
        Value::Array(items) => {
            let parts: Vec<String> = items.iter().map(inline_json).collect();
            format!("[{}]", parts.join(", "))
        }
        Value::String(text) => quoted(text),
        other => other.to_string(),
    }
}

/// A TOML string.
fn quoted(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}

fn pair([x, y]: [f64; 2]) -> String {
    inline(&[x, y])
}

fn file(pattern: &Pattern) -> PatternFile {
    PatternFile {
        name: pattern.name.clone(),
        description: pattern.description.clone(),
        unit: Unit::Cm,
        panel: pattern.panels.iter().map(panel).collect(),
        seam: pattern.seams.iter().map(seam).collect(),
    }
}

/// Centimetres, to the micrometre.
fn cm(metres: f64) -> f64 {
    round(metres * 100.0)
}

/// Four decimals; no negative zero.
fn round(value: f64) -> f64 {
    (value * 1e4).round() / 1e4 + 0.0
}

fn point(p: DVec2) -> [f64; 2] {
    [cm(p.x), cm(p.y)]
}

fn panel(p: &Panel) -> PanelFile {
    let placement = (p.placement != crate::panel::Placement::default()).then(|| PlacementFile {
        part: p.placement.part,
        side: p.placement.side,
        translation: p.placement.frame.map(|f| f.translation.to_array().map(cm)),
        rotation: p.placement.frame.map(|f| {
            let (z, y, x) = f.rotation.to_euler(EulerRot::ZYX);
            [x, y, z].map(|a| round(a.to_degrees()))
        }),
    });
    let dart = |d: &crate::panel::Dart| {
        let mut file = DartFile { name: d.name.clone(), ..DartFile::default() };
        match &d.shape {
            DartShape::Open { edge, at, width, tip } => {
                (file.edge, file.at) = (Some(edge.clone()), Some(*at));
                (file.width, file.tip) = (cm(*width), Some(point(*tip)));
            }
            DartShape::Double { tips, width } => {
                (file.width, file.tips) = (cm(*width), Some(tips.map(point)));
            }
        }
        file
    };
    PanelFile {
        name: p.name.clone(),
        start: p.edges.first().map_or([0.0; 2], |e| point(e.from)),
        grain: (p.grain != DVec2::Y).then(|| p.grain.to_array()),
        fold: None,
        fabric: p.fabric.clone(),
        layer: p.layer,
        allowance: (p.allowance != 0.0).then(|| cm(p.allowance)),
        placement,
        edge: p.edges.iter().map(edge).collect(),
        dart: p.darts.iter().map(dart).collect(),
        pleat: p
            .pleats
            .iter()
            .map(|x| PleatFile {
                name: x.name.clone(),
                edge: x.edge.clone(),
                at: x.at,
                depth: cm(x.depth),
            })
            .collect(),
        elastic: p.elastics.iter().map(elastic).collect(),
        notch: p
            .notches
            .iter()
            .map(|n| NotchFile { edge: n.edge.clone(), at: n.at, label: n.label.clone() })
            .collect(),
        hole: p.holes.iter().map(path).collect(),
        line: p.lines.iter().map(path).collect(),
    }
}

fn elastic(e: &Elastic) -> ElasticFile {
    ElasticFile { edge: e.edge.clone(), ratio: round(e.ratio), stiffness: Some(round(e.stiffness)) }
}

fn path(p: &Path) -> PathFile {
    PathFile {
        name: p.name.clone(),
        start: p.edges.first().map_or([0.0; 2], |e| point(e.from)),
        edge: p.edges.iter().map(edge).collect(),
    }
}

fn edge(e: &Edge) -> EdgeFile {
    let mut file = EdgeFile { name: Some(e.name.clone()), to: point(e.to), ..EdgeFile::default() };
    match e.curve {
        Curve::Line => {}
        Curve::Quadratic { control } => file.quadratic = Some(point(control)),
        Curve::Cubic { controls } => file.cubic = Some(controls.map(point)),
        Curve::Arc { .. } => file.arc = Some(point(e.point(0.5))),
    }
    file
}

fn seam(s: &Seam) -> SeamFile {
    let side = |parts: &[EdgePart]| match parts {
        [one] => OneOrMany::One(one.to_string()),
        many => OneOrMany::Many(many.iter().map(EdgePart::to_string).collect()),
    };
    SeamFile {
        name: s.name.clone(),
        a: side(&s.a),
        b: side(&s.b),
        direction: s.direction,
        gather: ((s.gather - 1.0).abs() > 5e-5).then(|| round(s.gather)),
        order: s.order,
    }
}
