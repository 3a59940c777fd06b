//! Reading pattern files.

use super::{DartFile, EdgeFile, PanelFile, PathFile, PatternFile, SeamFile};
use crate::edge::Edge;
use crate::error::Error;
use crate::format::Format;
use crate::panel::{Dart, DartShape, Elastic, Frame, Notch, Panel, Path, Placement, Pleat};
use crate::pattern::Pattern;
use crate::seam::{EdgePart, Seam};
use glam::{DQuat, DVec2, DVec3, EulerRot};
use toile_mesh::io::source;

/// A file larger than this is no pattern [bytes].
const MAX_BYTES: u64 = source::MAX_TEXT_BYTES;

/// An outline that ends this near to its beginning is closed [m]: less than a thread.
pub(crate) const CLOSED: f64 = 1e-4;

/// What a file of another program does not tell.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// The size, if the file has several.
    pub size: Option<String>,
    /// The unit of lengths, if not that of the file.
    pub unit: Option<super::Unit>,
}

/// Reads a pattern file: TOML, JSON, GarmentCode, FreeSewing, DXF or SVG, told by its content; and the sidecar beside
/// it ([`crate::sidecar`]), if there is one.
///
/// # Errors
/// If it cannot be read or is not a pattern. Faults of the pattern itself, such as an open outline,
/// are left to [`Pattern::check`], so that they can be drawn.
pub fn read(path: impl AsRef<std::path::Path>) -> Result<Pattern, Error> {
    read_with(path, &Options::default())
}

/// Reads a pattern file of any format; `options` say what it does not.
///
/// # Errors
/// As [`read`], and for an option that the format does not have.
pub fn read_with(path: impl AsRef<std::path::Path>, options: &Options) -> Result<Pattern, Error> {
    let path = path.as_ref();
    let failed = |source| Error::Read { path: path.to_path_buf(), source };
    let name = path.display().to_string();
    let bytes = source::read_bytes(path, MAX_BYTES).map_err(failed)?;
    let extension = path.extension().and_then(|e| e.to_str()).unwrap_or_default();
    let format = Format::of(&bytes, extension);
    format.refuse_options(options, &name)?;
    let text = match format {
        Format::Dxf => Format::decode_dxf(bytes),
        Format::Foreign(what) => return Err(what.error(&name)),
        _ => source::decode(bytes).map_err(failed)?,
    };
    let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let mut pattern = match format {
        Format::Json => from_json(&text, &name)?,
        Format::Dxf => {
            let Options { size, unit } = options.clone();
            crate::dxf::from_dxf(&text, &name, &crate::dxf::Options { size, unit })?
        }
        Format::Svg => crate::svg::from_svg(&text, &name, options.unit)?,
        Format::Toml | Format::Foreign(_) => from_toml(&text, &name)?,
    };
    if pattern.name.is_empty() {
        pattern.name = stem.trim_end_matches("_specification").to_owned();
    }
    crate::sidecar::apply_beside(path, pattern)
}

/// Reads a pattern from TOML; `name` is for messages.
///
/// # Errors
/// If it is not a pattern.
pub fn from_toml(text: &str, name: &str) -> Result<Pattern, Error> {
    let text = text.trim_start_matches('\u{feff}');
    let file: PatternFile = toml::from_str(text).map_err(|e| Error::Parse {
        name: name.into(),
        message: shortened(e.to_string().trim_end()),
    })?;
    build(&file, name)
}

/// A message of a parser, which repeats the line of the file, however long that is.
pub(crate) fn shortened(message: &str) -> String {
    const LONGEST: usize = 200;
    let short = |line: &str| match line.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{} …", line[..end].trim_end()),
        None => line.to_owned(),
    };
    message.lines().map(short).collect::<Vec<_>>().join("\n")
}

/// Reads a pattern from JSON, of toile, GarmentCode or FreeSewing; `name` is for messages.
///
/// # Errors
/// If it is not a pattern.
pub fn from_json(text: &str, name: &str) -> Result<Pattern, Error> {
    let wrong = |e: serde_json::Error| Error::Parse { name: name.into(), message: e.to_string() };
    let text = text.trim_start_matches('\u{feff}');
    let value: serde_json::Value = serde_json::from_str(text).map_err(wrong)?;
    if value.get("pattern").is_some() {
        return crate::garmentcode::from_value(value, name);
    }
    if value.get("parts").is_some() {
        return crate::freesewing::from_value(value, name);
    }
    // Read again, so that messages have lines.
    build(&serde_json::from_str(text).map_err(wrong)?, name)
}

fn build(file: &PatternFile, name: &str) -> Result<Pattern, Error> {
    let sides = file.seam.iter().map(|s| s.a.list().len() + s.b.list().len()).sum();
    super::refuse_if_many(name, file.panel.len(), sides)?;
    let mut pattern = Pattern::new(&file.name);
    pattern.description.clone_from(&file.description);
    let scale = file.unit.metres();
    for p in &file.panel {
        let place = format!("panel `{}`", p.name);
        let bad = |message| Error::Content { name: name.into(), place: place.clone(), message };
        pattern.panels.push(panel(p, scale).map_err(bad)?);
    }
    for (i, s) in file.seam.iter().enumerate() {
        let called = if s.name.is_empty() { format!("{}", i + 1) } else { s.name.clone() };
        let place = format!("seam `{called}`");
        let bad = |message| Error::Content { name: name.into(), place: place.clone(), message };
        pattern.seams.push(seam(s, called.clone()).map_err(bad)?);
    }
    Ok(pattern)
}

fn panel(file: &PanelFile, scale: f64) -> Result<Panel, String> {
    if file.name.is_empty() || file.name.contains(['.', '[']) {
        return Err("a panel needs a name without `.` and `[`".into());
    }
    let mut panel = Panel::new(&file.name, edges(file.start, &file.edge, scale, true)?);
    let path = |p: &PathFile, closed: bool| {
        let edges = edges(p.start, &p.edge, scale, closed);
        edges.map(|edges| Path { name: p.name.clone(), edges })
    };
    panel.holes = file.hole.iter().map(|p| path(p, true)).collect::<Result<_, _>>()?;
    panel.lines = file.line.iter().map(|p| path(p, false)).collect::<Result<_, _>>()?;
    let darts = file.dart.iter().map(|d| dart(d, &panel, scale));
    panel.darts = darts.collect::<Result<_, _>>()?;
    for p in &file.pleat {
        panel.pleats.push(Pleat {
            name: p.name.clone(),
            edge: p.edge.clone(),
            at: p.at,
            depth: p.depth * scale,
        });
    }
    for e in &file.elastic {
        let stiffness = e.stiffness.unwrap_or(Elastic::STIFFNESS);
        panel.elastics.push(Elastic { edge: e.edge.clone(), ratio: e.ratio, stiffness });
    }
    for n in &file.notch {
        panel.notches.push(Notch { edge: n.edge.clone(), at: n.at, label: n.label.clone() });
    }
    if let Some(grain) = file.grain {
        panel.grain = DVec2::from(grain)
            .try_normalize()
            .ok_or("grain: a direction is needed, such as [0, 1]")?;
    }
    panel.fabric.clone_from(&file.fabric);
    panel.layer = file.layer;
    panel.allowance = file.allowance.unwrap_or(0.0) * scale;
    if let Some(p) = &file.placement {
        let frame = match (p.translation, p.rotation) {
            (None, None) => None,
            (translation, rotation) => {
                let [x, y, z] = rotation.unwrap_or_default().map(f64::to_radians);
                Some(Frame {
                    translation: DVec3::from(translation.unwrap_or_default()) * scale,
                    rotation: DQuat::from_euler(EulerRot::ZYX, z, y, x),
                })
            }
        };
        panel.placement = Placement { part: p.part, side: p.side, frame };
    }
    match &file.fold {
        None => Ok(panel),
        Some(fold) => panel.unfolded(fold).map_err(|e| format!("fold: {e}")),
    }
}

/// The edges of a path; those without a name are numbered from 1.
fn edges(
    start: [f64; 2],
    files: &[EdgeFile],
    scale: f64,
    closed: bool,
) -> Result<Vec<Edge>, String> {
    let point = |p: [f64; 2]| DVec2::from(p) * scale;
    let start = point(start);
    let mut from = start;
    let mut edges = Vec::new();
    for (i, f) in files.iter().enumerate() {
        let name = f.name.clone().unwrap_or_else(|| (i + 1).to_string());
        let mut to = point(f.to);
        if closed && i + 1 == files.len() && to.distance(start) < CLOSED {
            to = start;
        }
        if let Some(c) = f.arc
            && point(c).distance(from).min(point(c).distance(to)) < CLOSED
        {
            return Err(format!(
                "edge `{name}`: `arc` is one of its ends; give a point of the circle between them"
            ));
        }
        let edge = match (f.quadratic, f.cubic, f.arc) {
            (None, None, None) => Edge::line(name, from, to),
            (Some(c), None, None) => Edge::quadratic(name, from, point(c), to),
            (None, Some(c), None) => Edge::cubic(name, from, c.map(point), to),
            (None, None, Some(c)) => Edge::arc_through(name, from, point(c), to),
            _ => {
                return Err(format!(
                    "edge `{name}`: only one of `quadratic`, `cubic` and `arc` can be given"
                ));
            }
        };
        edge.refuse_if_far()?;
        edges.push(edge);
        from = to;
    }
    Ok(edges)
}

fn dart(file: &DartFile, panel: &Panel, scale: f64) -> Result<Dart, String> {
    let width = file.width * scale;
    let point = |p: [f64; 2]| DVec2::from(p) * scale;
    let place = |what: &str| format!("dart `{}`: {what}", file.name);
    let shape = match (&file.edge, file.tips) {
        (None, Some(tips)) if file.at.or(file.depth).is_none() && file.tip.is_none() => {
            DartShape::Double { tips: tips.map(point), width }
        }
        (Some(edge), None) => {
            let at =
                file.at.ok_or_else(|| place("`at` says where on the edge; 0.5 is the middle"))?;
            let tip = match (file.tip, file.depth) {
                (Some(tip), None) => point(tip),
                (None, Some(depth)) => {
                    let e = panel.edge(edge).ok_or_else(|| place(&format!("no edge `{edge}`")))?;
                    let s = at * e.length();
                    // The cloth is on the left of its outline.
                    e.at(s) + depth * scale * e.direction(s).perp()
                }
                _ => return Err(place("give either `depth` or `tip`")),
            };
            DartShape::Open { edge: edge.clone(), at, width, tip }
        }
        _ => return Err(place("give `edge`, `at` and `depth`, or `tips` for a double dart")),
    };
    Ok(Dart { name: file.name.clone(), shape })
}

pub(crate) fn seam(file: &SeamFile, name: String) -> Result<Seam, String> {
    let side = |which: &super::OneOrMany| {
        which.list().iter().map(|t| EdgePart::parse(t)).collect::<Result<Vec<_>, _>>()
    };
    let mut seam = Seam::of_chains(name, side(&file.a)?, side(&file.b)?);
    seam.direction = file.direction;
    seam.gather = file.gather.unwrap_or(1.0);
    seam.order = file.order;
    Ok(seam)
}
