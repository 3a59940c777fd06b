//! Entities of a DXF drawing, in its blocks and outside of them.

use super::groups::{Group, groups};
use crate::import::{Kind, MAX_VERTICES, Polyline, Vertex};
use glam::DVec2;
use std::collections::BTreeMap;
use std::ops::Range;

/// Most entities of a file.
const MAX_ENTITIES: usize = 400_000;

/// What is drawn, in the unit of the file.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Shape {
    Line(Polyline),
    Point(DVec2),
    Text(String),
    Insert {
        block: String,
        at: DVec2,
        scale: DVec2,
        degrees: f64,
    },
    /// A curve of a kind that garment CAD does not write.
    Unknown(String),
}

/// Something drawn on a layer.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Entity {
    pub(super) layer: i64,
    pub(super) shape: Shape,
}

/// A drawing.
#[derive(Clone, Debug, Default)]
pub(super) struct Drawing {
    /// `$INSUNITS`: 1 inches, 4 mm, 5 cm, 6 m.
    pub(super) insunits: Option<i64>,
    /// Blocks by name, in the order of the file.
    pub(super) blocks: Vec<(String, Vec<Entity>)>,
    /// What is in no block.
    pub(super) entities: Vec<Entity>,
}

impl Drawing {
    pub(super) fn read(text: &str) -> Result<Self, String> {
        let all = groups(text)?;
        let unit = all.windows(2).find(|w| w[0].code == 9 && w[0].value == "$INSUNITS");
        let mut drawing = Self { insunits: unit.map(|w| w[1].flags()), ..Self::default() };
        let mut numbers: BTreeMap<String, usize> = BTreeMap::new();
        let mut block: Option<usize> = None;
        let mut section = "";
        let mut count = 0;
        let records = records(&all);
        let mut k = 0;
        while k < records.len() {
            let groups = &all[records[k].clone()];
            let kind = groups[0].value;
            k += 1;
            match kind {
                "SECTION" => section = string(groups, 2),
                "ENDSEC" => (section, block) = ("", None),
                "BLOCK" => {
                    let name = string(groups, 2).to_owned();
                    let new = drawing.blocks.len();
                    let index = *numbers.entry(name.clone()).or_insert(new);
                    if index == new {
                        drawing.blocks.push((name, Vec::new()));
                    }
                    block = Some(index);
                }
                "ENDBLK" => block = None,
                _ if section != "BLOCKS" && section != "ENTITIES" => {}
                _ => {
                    let mut shape = entity(kind, groups)?;
                    if kind == "POLYLINE" {
                        let line = vertices(groups, &all, &records, &mut k)?;
                        shape = (line.vertices.len() > 1).then_some(Shape::Line(line));
                    }
                    let Some(shape) = shape else { continue };
                    count += 1;
                    if count > MAX_ENTITIES {
                        return Err(format!("it has more than {MAX_ENTITIES} entities"));
                    }
                    let layer = layer(string(groups, 8));
                    match block {
                        Some(b) => drawing.blocks[b].1.push(Entity { layer, shape }),
                        None => drawing.entities.push(Entity { layer, shape }),
                    }
                }
            }
        }
        Ok(drawing)
    }
}

/// The groups of each entity: from a code 0 to the next.
fn records(all: &[Group<'_>]) -> Vec<Range<usize>> {
    let starts: Vec<usize> = (0..all.len()).filter(|k| all[*k].code == 0).collect();
    let end = |k: usize| starts.get(k + 1).copied().unwrap_or(all.len());
    (0..starts.len()).map(|k| starts[k]..end(k)).collect()
}

/// The number of a layer; −1 if its name is none.
fn layer(name: &str) -> i64 {
    name.parse::<i64>().unwrap_or(-1)
}

fn find<'a, 'g>(groups: &'a [Group<'g>], code: i32) -> Option<&'a Group<'g>> {
    groups.iter().find(|g| g.code == code)
}

fn string<'g>(groups: &[Group<'g>], code: i32) -> &'g str {
    find(groups, code).map_or("", |g| g.value)
}

fn number(groups: &[Group<'_>], code: i32, default: f64) -> Result<f64, String> {
    find(groups, code).map_or(Ok(default), Group::number)
}

fn point(groups: &[Group<'_>], x: i32) -> Result<DVec2, String> {
    Ok(DVec2::new(number(groups, x, 0.0)?, number(groups, x + 10, 0.0)?))
}

fn vertex(at: DVec2, bulge: f64) -> Vertex {
    Vertex { at, bulge, kind: Kind::Unknown }
}

/// What an entity draws; nothing for what is of no interest.
fn entity(kind: &str, groups: &[Group<'_>]) -> Result<Option<Shape>, String> {
    let line = |vertices: Vec<Vertex>, closed| Some(Shape::Line(Polyline { vertices, closed }));
    Ok(match kind {
        "LINE" => {
            line(vec![vertex(point(groups, 10)?, 0.0), vertex(point(groups, 11)?, 0.0)], false)
        }
        "LWPOLYLINE" => light(groups)?,
        "ARC" => {
            let (centre, radius) = (point(groups, 10)?, number(groups, 40, 0.0)?);
            let (a, b) =
                (number(groups, 50, 0.0)?.to_radians(), number(groups, 51, 0.0)?.to_radians());
            let turn = (b - a).rem_euclid(std::f64::consts::TAU);
            let on = |angle: f64| {
                let (sin, cos) = libm::sincos(angle);
                centre + radius * DVec2::new(cos, sin)
            };
            let bulge = libm::tan(0.125 * turn);
            let middle = vertex(on(a + 0.5 * turn), bulge);
            line(vec![vertex(on(a), bulge), middle, vertex(on(a + turn), 0.0)], false)
        }
        "CIRCLE" => {
            let (centre, radius) = (point(groups, 10)?, number(groups, 40, 0.0)?);
            let across = DVec2::new(radius, 0.0);
            line(vec![vertex(centre - across, 1.0), vertex(centre + across, 1.0)], true)
        }
        "POINT" => Some(Shape::Point(point(groups, 10)?)),
        "TEXT" | "MTEXT" | "ATTRIB" => Some(Shape::Text(string(groups, 1).to_owned())),
        "INSERT" => Some(Shape::Insert {
            block: string(groups, 2).to_owned(),
            at: point(groups, 10)?,
            scale: DVec2::new(number(groups, 41, 1.0)?, number(groups, 42, 1.0)?),
            degrees: number(groups, 50, 0.0)?,
        }),
        "SPLINE" | "ELLIPSE" => Some(Shape::Unknown(kind.to_owned())),
        _ => None,
    })
}

fn refuse_if_long(count: usize, line: usize) -> Result<(), String> {
    if count <= MAX_VERTICES {
        return Ok(());
    }
    Err(format!("line {line}: a line of more than {MAX_VERTICES} points"))
}

/// A polyline that has its points in itself.
fn light(groups: &[Group<'_>]) -> Result<Option<Shape>, String> {
    let mut vertices: Vec<Vertex> = Vec::new();
    for g in groups {
        match (g.code, vertices.last_mut()) {
            (10, _) => {
                vertices.push(vertex(DVec2::new(g.number()?, 0.0), 0.0));
                refuse_if_long(vertices.len(), g.line)?;
            }
            (20, Some(v)) => v.at.y = g.number()?,
            (42, Some(v)) => v.bulge = bulge(g.number()?),
            _ => {}
        }
    }
    let closed = find(groups, 70).is_some_and(|g| g.flags() & 1 == 1);
    Ok((vertices.len() > 1).then_some(Shape::Line(Polyline { vertices, closed })))
}

/// The vertices that follow a polyline, up to the end of the sequence.
fn vertices(
    head: &[Group<'_>],
    all: &[Group<'_>],
    records: &[Range<usize>],
    k: &mut usize,
) -> Result<Polyline, String> {
    let closed = find(head, 70).is_some_and(|g| g.flags() & 1 == 1);
    let mut line = Polyline { vertices: Vec::new(), closed };
    while *k < records.len() {
        let groups = &all[records[*k].clone()];
        match groups[0].value {
            "VERTEX" => {
                // Points of the frame of a spline do not lie on it.
                if find(groups, 70).is_none_or(|g| g.flags() & 16 == 0) {
                    let bulge = bulge(number(groups, 42, 0.0)?);
                    line.vertices.push(vertex(point(groups, 10)?, bulge));
                    refuse_if_long(line.vertices.len(), groups[0].line)?;
                }
                *k += 1;
            }
            "SEQEND" => {
                *k += 1;
                break;
            }
            _ => break,
        }
    }
    Ok(line)
}

/// A bulge that is an arc: beyond a thousand it is a circle without an end.
fn bulge(b: f64) -> f64 {
    if b.abs() < 1e-9 || b.abs() > 1e3 { 0.0 } else { b }
}
