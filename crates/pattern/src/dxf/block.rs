//! Blocks as pieces of a pattern.

use super::drawing::{Drawing, Entity, Shape};
use crate::import::{Copies, Kind, Piece, Polyline, Vertex, contour_allowance, join, tidy};
use crate::panel::{contains, signed_area};
use glam::DVec2;
use std::borrow::Cow;
use std::collections::BTreeSet;

/// Blocks in blocks are followed this far.
const DEEPEST: usize = 4;

/// Most entities of a piece with the blocks in it.
const MAX_IN_PIECE: usize = 100_000;

/// Points this near to each other are the same [units of the file, mm].
const GRID: f64 = 1e-2;

/// A piece in one size.
#[derive(Clone, Debug)]
pub(super) struct Block<'a> {
    pub(super) name: String,
    pub(super) size: Option<String>,
    pub(super) entities: Cow<'a, [Entity]>,
}

/// The value of a text `KEY: VALUE`.
pub(super) fn value(entity: &Entity, key: &str) -> Option<String> {
    let Shape::Text(text) = &entity.shape else { return None };
    let (k, v) = text.split_once(':')?;
    (k.trim().eq_ignore_ascii_case(key) && !v.trim().is_empty()).then(|| v.trim().to_owned())
}

/// The first value of a key among entities.
pub(super) fn texts(entities: &[Entity], key: &str) -> Option<String> {
    entities.iter().find_map(|e| value(e, key))
}

/// All pieces of a drawing.
pub(super) fn blocks(drawing: &Drawing) -> Result<Vec<Block<'_>>, String> {
    let mut made = Vec::new();
    let insert = |e: &Entity| match &e.shape {
        Shape::Insert { block, .. } => Some(block.clone()),
        _ => None,
    };
    // What other blocks contain is not a piece of its own.
    let inner: BTreeSet<String> =
        drawing.blocks.iter().flat_map(|(_, e)| e.iter().filter_map(insert)).collect();
    let mut placed = BTreeSet::new();
    for (name, entities) in &drawing.blocks {
        let outline = entities.iter().any(|e| e.layer == 1 && matches!(e.shape, Shape::Line(_)));
        let empty = name.starts_with(['*', '$']) && !outline;
        if empty || inner.contains(name) || entities.is_empty() {
            continue;
        }
        let mut places: Vec<&Shape> = Vec::new();
        for e in &drawing.entities {
            if insert(e).as_ref() == Some(name) {
                places.push(&e.shape);
            }
        }
        placed.insert(name);
        if places.len() > 20 {
            return Err(format!("block `{name}` is inserted {} times; 20 at most", places.len()));
        }
        if places.is_empty() {
            made.push(block(name, Cow::Borrowed(entities), drawing)?);
        }
        for place in places {
            made.push(block(name, moved(entities, place), drawing)?);
        }
    }
    if made.is_empty() {
        made = loose(drawing)?;
    }
    Ok(made)
}

/// Pieces of a drawing without blocks: closed lines that are in no other.
fn loose(drawing: &Drawing) -> Result<Vec<Block<'_>>, String> {
    let layered =
        drawing.entities.iter().any(|e| e.layer == 1 && matches!(e.shape, Shape::Line(_)));
    let of_boundary = |e: &Entity| !layered || e.layer == 1;
    let lines = drawing.entities.iter().filter(|e| of_boundary(e)).filter_map(|e| match &e.shape {
        Shape::Line(line) => Some(line.clone()),
        _ => None,
    });
    let mut outlines: Vec<Vec<DVec2>> =
        join(lines.collect()).into_iter().filter(|l| l.closed).map(|l| l.points()).collect();
    if outlines.len() > 500 {
        return Err(format!("it has {} closed lines and no blocks; 500 at most", outlines.len()));
    }
    outlines.sort_by(|a, b| signed_area(b).abs().total_cmp(&signed_area(a).abs()));
    let mut outer: Vec<Vec<DVec2>> = Vec::new();
    for o in outlines {
        if !outer.iter().any(|large| contains(large, o[0])) {
            outer.push(o);
        }
    }
    let mut groups: Vec<Vec<Entity>> = vec![Vec::new(); outer.len()];
    for e in &drawing.entities {
        let at = match &e.shape {
            Shape::Line(line) => line.vertices[0].at,
            Shape::Point(p) => *p,
            _ => continue,
        };
        let on = |o: &Vec<DVec2>| o.iter().any(|p| p.distance(at) < GRID) || contains(o, at);
        if let Some(k) = outer.iter().position(on) {
            let layer = if layered || !matches!(e.shape, Shape::Line(_)) { e.layer } else { 1 };
            groups[k].push(Entity { layer, shape: e.shape.clone() });
        }
    }
    let made = groups.into_iter().enumerate();
    made.map(|(k, g)| block(&format!("piece {}", k + 1), Cow::Owned(g), drawing)).collect()
}

fn block<'a>(
    called: &str,
    entities: Cow<'a, [Entity]>,
    drawing: &Drawing,
) -> Result<Block<'a>, String> {
    let entities = flattened(entities, drawing).map_err(|m| format!("block `{called}`: {m}"))?;
    let size = texts(&entities, "SIZE");
    let name = texts(&entities, "PIECE NAME").unwrap_or_else(|| {
        let ending = size.as_ref().map(|s| format!("_{s}")).unwrap_or_default();
        called.strip_suffix(ending.as_str()).unwrap_or(called).to_owned()
    });
    Ok(Block { name: tidy(&name), size, entities })
}

/// With what the blocks within it draw.
fn flattened<'a>(
    entities: Cow<'a, [Entity]>,
    drawing: &Drawing,
) -> Result<Cow<'a, [Entity]>, String> {
    let mut entities = entities;
    for _ in 0..DEEPEST {
        if !entities.iter().any(|e| matches!(e.shape, Shape::Insert { .. })) {
            return Ok(entities);
        }
        let mut all = Vec::new();
        for e in entities.iter() {
            match &e.shape {
                Shape::Insert { block, .. } => {
                    if let Some((_, inner)) = drawing.blocks.iter().find(|b| b.0 == *block) {
                        all.extend(moved(inner, &e.shape).into_owned());
                    }
                }
                _ => all.push(e.clone()),
            }
            if all.len() > MAX_IN_PIECE {
                return Err(format!(
                    "with the blocks in it, it has more than {MAX_IN_PIECE} entities"
                ));
            }
        }
        entities = Cow::Owned(all);
    }
    if entities.iter().any(|e| matches!(e.shape, Shape::Insert { .. })) {
        return Err(format!("blocks in blocks are more than {DEEPEST} deep"));
    }
    Ok(entities)
}

/// Entities where an insertion puts them.
fn moved<'a>(entities: &'a [Entity], place: &Shape) -> Cow<'a, [Entity]> {
    let Shape::Insert { at, scale, degrees, .. } = place else { return Cow::Borrowed(entities) };
    if *at == DVec2::ZERO && *scale == DVec2::ONE && *degrees == 0.0 {
        return Cow::Borrowed(entities);
    }
    let (sin, cos) = libm::sincos(degrees.to_radians());
    let map = |p: DVec2| *at + DVec2::new(cos, sin).rotate(p * *scale);
    let turned = scale.x * scale.y < 0.0;
    let shape = |shape: &Shape| match shape {
        Shape::Line(line) => {
            let vertex = |v: &Vertex| {
                let bulge = if turned { -v.bulge } else { v.bulge };
                Vertex { at: map(v.at), bulge, kind: v.kind }
            };
            let vertices = line.vertices.iter().map(vertex).collect();
            Shape::Line(Polyline { vertices, closed: line.closed })
        }
        Shape::Point(p) => Shape::Point(map(*p)),
        Shape::Insert { block, at: a, scale: s, degrees: d } => Shape::Insert {
            block: block.clone(),
            at: map(*a),
            scale: *s * *scale,
            degrees: if turned { degrees - d } else { degrees + d },
        },
        other => other.clone(),
    };
    entities.iter().map(|e| Entity { layer: e.layer, shape: shape(&e.shape) }).collect()
}

impl Block<'_> {
    /// Largest extent of its boundary [units of the file].
    pub(super) fn extent(&self) -> f64 {
        let points = self.lines(1).into_iter().flat_map(|l| l.points());
        let (low, high) = points.fold((DVec2::MAX, DVec2::MIN), |(l, h), p| (l.min(p), h.max(p)));
        if low.x > high.x { 0.0 } else { (high - low).max_element() }
    }

    fn lines(&self, layer: i64) -> Vec<Polyline> {
        let of = |e: &Entity| match &e.shape {
            Shape::Line(line) if e.layer == layer => Some(line.clone()),
            _ => None,
        };
        self.entities.iter().filter_map(of).collect()
    }

    fn points(&self, layers: &[i64]) -> Vec<DVec2> {
        let of = |e: &Entity| match e.shape {
            Shape::Point(p) if layers.contains(&e.layer) => Some(p),
            _ => None,
        };
        self.entities.iter().filter_map(of).collect()
    }

    /// The closed lines of a layer, largest first, and the open ones.
    fn loops(&self, layer: i64) -> (Vec<Polyline>, Vec<Polyline>) {
        let (mut closed, open): (Vec<_>, Vec<_>) =
            join(self.lines(layer)).into_iter().partition(|l| l.closed);
        closed.sort_by(|a, b| {
            signed_area(&b.points()).abs().total_cmp(&signed_area(&a.points()).abs())
        });
        (closed, open)
    }

    /// The piece [m]; nothing if it has no closed outline.
    pub(super) fn piece(&self, unit: f64) -> Result<Option<Piece>, String> {
        let (mut boundaries, open) = self.loops(1);
        let (mut inner, mut lines) = self.loops(8);
        let (mut sewing, _) = self.loops(14);
        if boundaries.is_empty() {
            // Some programs write the outline as the sewing line alone.
            boundaries = std::mem::take(&mut sewing);
        }
        if boundaries.is_empty() {
            let unknown = |e: &Entity| match &e.shape {
                Shape::Unknown(kind) if e.layer == 1 => Some(kind.clone()),
                _ => None,
            };
            return match self.entities.iter().find_map(unknown) {
                Some(kind) => Err(format!("its outline is a {kind}; export curves as polylines")),
                None if !open.is_empty() => {
                    Err("its outline on layer 1 is not closed; close it in the drawing".into())
                }
                None => Ok(None),
            };
        }
        let cut = boundaries.remove(0);
        let mut holes = boundaries;
        holes.extend(self.loops(11).0);
        let (outline, allowance) = sewing_line(&cut, sewing, &mut inner, unit);
        // Closed lines inside, such as darts and pockets, are drawn.
        lines.extend(inner.into_iter().map(reopened));
        let marks = Marks::of(self);
        let scaled = |l: Polyline| scaled(marks.told(l), unit);
        let mut piece = Piece {
            name: self.name.clone(),
            outline: scaled(outline),
            holes: holes.into_iter().map(scaled).collect(),
            lines: lines.into_iter().map(scaled).collect(),
            notches: self.points(&[4, 80, 81, 82, 83]).iter().map(|p| *p * unit).collect(),
            allowance,
            copies: quantity(texts(&self.entities, "QUANTITY").as_deref()),
            fabric: texts(&self.entities, "MATERIAL").map(|m| tidy(&m)),
            ..Piece::default()
        };
        let ends = |l: &Polyline| [l.vertices[0].at, l.vertices[l.vertices.len() - 1].at];
        piece.grain = self.lines(7).first().map(ends).map(|[a, b]| b - a);
        piece.mirror = self.lines(6).first().map(ends).map(|e| e.map(|p| p * unit));
        Ok(Some(piece))
    }
}

/// The sewing line and the width of the allowance around it [m].
fn sewing_line(
    cut: &Polyline,
    mut sewing: Vec<Polyline>,
    inner: &mut Vec<Polyline>,
    unit: f64,
) -> (Polyline, f64) {
    let outer: Vec<DVec2> = cut.points().iter().map(|p| *p * unit).collect();
    let allowance = |l: &Polyline| {
        let points: Vec<DVec2> = l.points().iter().map(|p| *p * unit).collect();
        contour_allowance(&outer, &points)
    };
    if let Some(width) = sewing.first().and_then(allowance) {
        return (sewing.remove(0), width);
    }
    if let Some(width) = inner.first().and_then(allowance).filter(|w| *w > 0.0) {
        return (inner.remove(0), width);
    }
    (cut.clone(), 0.0)
}

/// A closed line as an open one that ends where it begins.
fn reopened(mut line: Polyline) -> Polyline {
    line.vertices.push(line.vertices[0]);
    line.closed = false;
    line
}

fn scaled(mut line: Polyline, unit: f64) -> Polyline {
    line.vertices.iter_mut().for_each(|v| v.at *= unit);
    line
}

/// Turn and curve points, to be found by their place.
struct Marks {
    turns: BTreeSet<[i64; 2]>,
    curves: BTreeSet<[i64; 2]>,
}

impl Marks {
    fn of(block: &Block<'_>) -> Self {
        let set = |layer: i64| block.points(&[layer]).into_iter().map(cell).collect();
        Self { turns: set(2), curves: set(3) }
    }

    /// The line with what is known of its points.
    fn told(&self, mut line: Polyline) -> Polyline {
        for v in &mut line.vertices {
            let [x, y] = cell(v.at);
            let near = |set: &BTreeSet<[i64; 2]>| {
                (-1..=1).any(|i| (-1..=1).any(|k| set.contains(&[x + i, y + k])))
            };
            v.kind = match (near(&self.turns), near(&self.curves)) {
                (true, _) => Kind::Turn,
                (false, true) => Kind::Curve,
                _ => v.kind,
            };
        }
        line
    }
}

fn cell(p: DVec2) -> [i64; 2] {
    // Saturates for what is far away, which is refused later.
    (p / GRID).round().to_array().map(|x| x.clamp(-1e15, 1e15) as i64)
}

/// `1`, `2`, or `1,1` for as drawn and mirrored. Two of a piece are a left and a right one.
fn quantity(text: Option<&str>) -> Copies {
    let numbers: Vec<usize> = text
        .unwrap_or("1")
        .split(|c: char| !c.is_ascii_digit())
        .filter_map(|t| t.parse().ok())
        .collect();
    match numbers[..] {
        [n] if n > 1 => Copies { plain: n.div_ceil(2), mirrored: n / 2 },
        [plain, mirrored, ..] if plain.saturating_add(mirrored) > 0 => Copies { plain, mirrored },
        _ => Copies::default(),
    }
}
