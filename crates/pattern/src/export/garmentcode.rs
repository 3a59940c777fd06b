//! Specifications of GarmentCode [korosteleva2023].
//!
//! There, a stitch joins two whole edges: edges are cut where a seam begins, ends or goes over a joint of its other side. Darts
//! and pleats are edges that are stitched. Notches, grain, holes and double darts are not part of the format.

use crate::edge::{Curve, Edge};
use crate::panel::Panel;
use crate::pattern::Pattern;
use crate::seam::{Chain, Correspondence, Direction, Loops, SegmentId};
use glam::{DVec2, EulerRot};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Places nearer than this are one [m].
const MERGE_DISTANCE: f64 = 1e-5;

/// Writes a specification.
pub fn to_json(pattern: &Pattern) -> String {
    let loops = pattern.loops();
    let stitches = stitches(pattern, &loops);
    let mut cuts: BTreeMap<SegmentId, Vec<f64>> = BTreeMap::new();
    for (segment, s) in
        stitches.iter().flat_map(|s| s.sides).flat_map(|s| [(s.segment, s.from), (s.segment, s.to)])
    {
        cuts.entry(segment).or_default().push(s);
    }
    let mut panels = serde_json::Map::new();
    let mut numbers: BTreeMap<(SegmentId, i64), usize> = BTreeMap::new();
    for (i, panel) in pattern.panels.iter().enumerate() {
        let edges = edges(i, &loops, &cuts, &mut numbers);
        panels.insert(panel.name.clone(), panel_value(panel, &edges));
    }
    let side = |s: &Side| {
        let low = s.from.min(s.to);
        let edge = numbers.get(&(s.segment, key(low))).copied()?;
        Some(json!({ "panel": pattern.panels[s.segment.panel].name, "edge": edge }))
    };
    let stitch = |s: &Stitch| {
        let mut both = vec![side(&s.sides[0])?, side(&s.sides[1])?];
        if s.direction == Direction::Same {
            both.push("right_wrong".into());
        }
        Some(Value::Array(both))
    };
    let order: Vec<&String> = pattern.panels.iter().map(|p| &p.name).collect();
    let stitches: Vec<Value> = stitches.iter().filter_map(stitch).collect();
    let document = json!({
        "pattern": { "panels": panels, "stitches": stitches, "panel_order": order },
        "parameters": {}, "parameter_order": [],
        "properties": {
            "curvature_coords": "relative", "normalize_panel_translation": false,
            "normalized_edge_loops": true, "units_in_meter": 100,
        },
    });
    serde_json::to_string_pretty(&document).unwrap_or_default() + "\n"
}

/// A stretch of a segment.
#[derive(Clone, Copy)]
struct Side {
    segment: SegmentId,
    from: f64,
    to: f64,
}

struct Stitch {
    sides: [Side; 2],
    direction: Direction,
}

/// All pairs of stretches that are sewn as wholes.
fn stitches(pattern: &Pattern, loops: &Loops) -> Vec<Stitch> {
    let mut all = Vec::new();
    for seam in &pattern.seams {
        let (a, b, meet) = pattern.sides(seam, loops);
        pairs(&a, &b, &meet, seam.direction, &mut all);
    }
    for (_, _, a, b) in pattern.closures(loops) {
        if a.stretches.iter().chain(&b.stretches).all(|s| s.segment.ring == 0) {
            let meet = Correspondence::new(&a, &b, &[]);
            pairs(&a, &b, &meet, Direction::Opposite, &mut all);
        }
    }
    all
}

fn pairs(a: &Chain, b: &Chain, meet: &Correspondence, direction: Direction, all: &mut Vec<Stitch>) {
    let (la, lb) = (a.length(), b.length());
    if la < MERGE_DISTANCE || lb < MERGE_DISTANCE {
        return;
    }
    let mut stops = vec![0.0, la];
    stops.extend(a.joints());
    stops.extend(b.joints().into_iter().map(|s| meet.partner(1, s)));
    stops.extend(meet.pairs.iter().map(|p| p[0]));
    stops.sort_by(f64::total_cmp);
    stops.dedup_by(|x, y| (*x - *y).abs() < MERGE_DISTANCE);
    for w in stops.windows(2) {
        let other = [meet.partner(0, w[0]), meet.partner(0, w[1])];
        if let (Some(x), Some(y)) = (stretch(a, [w[0], w[1]]), stretch(b, other)) {
            all.push(Stitch { sides: [x, y], direction });
        }
    }
}

/// The part of a chain between two arc lengths, which lies on one segment.
fn stretch(chain: &Chain, [from, to]: [f64; 2]) -> Option<Side> {
    let (mut done, middle) = (0.0, 0.5 * (from + to));
    for s in &chain.stretches {
        let length = s.length();
        if middle <= done + length {
            let sign = if s.to >= s.from { 1.0 } else { -1.0 };
            let at = |x: f64| s.from + sign * (x - done).clamp(0.0, length);
            return Some(Side { segment: s.segment, from: at(from), to: at(to) });
        }
        done += length;
    }
    None
}

fn key(s: f64) -> i64 {
    (s / (10.0 * MERGE_DISTANCE)).round() as i64
}

/// The edges of an outline, cut where stitches begin and end; their numbers by where they begin.
fn edges(
    panel: usize,
    loops: &Loops,
    cuts: &BTreeMap<SegmentId, Vec<f64>>,
    numbers: &mut BTreeMap<(SegmentId, i64), usize>,
) -> Vec<Edge> {
    let mut edges = Vec::new();
    for (index, segment) in loops[panel][0].iter().enumerate() {
        let id = SegmentId { panel, ring: 0, index };
        let length = segment.edge.length();
        let mut stops = vec![0.0, length];
        stops.extend(cuts.get(&id).into_iter().flatten().copied());
        stops.sort_by(f64::total_cmp);
        stops.dedup_by(|x, y| (*x - *y).abs() < 2.0 * MERGE_DISTANCE);
        if stops.len() < 2 {
            stops = vec![0.0, length];
        }
        for w in stops.windows(2) {
            for k in -1..=1 {
                // Neighbouring keys, for what rounding puts aside.
                numbers.entry((id, key(w[0]) + k)).or_insert(edges.len());
            }
            numbers.insert((id, key(w[0])), edges.len());
            let whole = w[0] == 0.0 && (w[1] - length).abs() < MERGE_DISTANCE;
            edges.push(if whole { segment.edge.clone() } else { segment.edge.part(w[0], w[1]) });
        }
    }
    edges
}

fn panel_value(panel: &Panel, edges: &[Edge]) -> Value {
    let cm = |p: DVec2| [1e2 * p.x, 1e2 * p.y];
    let vertices: Vec<[f64; 2]> = edges.iter().map(|e| cm(e.from)).collect();
    let n = edges.len();
    let list: Vec<Value> = edges
        .iter()
        .enumerate()
        .map(|(k, e)| {
            let mut value = json!({ "endpoints": [k, (k + 1) % n] });
            if let Some(curvature) = curvature(e) {
                value["curvature"] = curvature;
            }
            value
        })
        .collect();
    let (translation, rotation) = match panel.placement.frame {
        None => ([0.0; 3], [0.0; 3]),
        Some(frame) => {
            let (z, y, x) = frame.rotation.to_euler(EulerRot::ZYX);
            (frame.translation.to_array().map(|t| 1e2 * t), [x, y, z].map(f64::to_degrees))
        }
    };
    json!({ "vertices": vertices, "edges": list, "translation": translation, "rotation": rotation })
}

/// Control points relative to the edge, or the radius of a circle.
fn curvature(e: &Edge) -> Option<Value> {
    let chord = e.to - e.from;
    let relative = |p: DVec2| {
        let d = p - e.from;
        [d.dot(chord) / chord.length_squared(), d.dot(chord.perp()) / chord.length_squared()]
    };
    match e.curve {
        Curve::Line => None,
        Curve::Quadratic { control } => {
            Some(json!({ "type": "quadratic", "params": [relative(control)] }))
        }
        Curve::Cubic { controls } => {
            Some(json!({ "type": "cubic", "params": controls.map(relative) }))
        }
        Curve::Arc { bulge } if bulge.abs() < 1e-9 => None,
        Curve::Arc { bulge } => {
            let radius = 1e2 * chord.length() * (1.0 + bulge * bulge) / (4.0 * bulge.abs());
            let (large, right) = (i32::from(bulge.abs() > 1.0), i32::from(bulge > 0.0));
            Some(json!({ "type": "circle", "params": [radius, large, right] }))
        }
    }
}
