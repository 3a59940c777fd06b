//! Writing DXF as AAMA describes it, in millimetres.

use crate::edge::{Curve, Edge};
use crate::panel::{Panel, Source};
use crate::pattern::Pattern;
use crate::svg::{cut_width, offset};
use glam::DVec2;
use std::fmt::Write;

/// Lines follow curves this closely [m].
const TOLERANCE: f64 = 5e-5;

/// A pattern in one of its sizes.
#[derive(Clone, Debug, PartialEq)]
pub struct Graded {
    /// The size; empty if there is only one.
    pub size: String,
    /// The pattern in that size.
    pub pattern: Pattern,
}

/// A pattern as DXF-AAMA, all sizes in one file. The first size, or the middle one of several, is the sample size.
pub fn to_dxf(sizes: &[Graded]) -> String {
    let mut out = Writer { text: String::new() };
    out.group(999, "toile");
    out.header();
    out.section("BLOCKS");
    let mut names = Vec::new();
    for graded in sizes {
        for panel in &graded.pattern.panels {
            let name = match graded.size.as_str() {
                "" => plain(&panel.name),
                size => format!("{}_{}", plain(&panel.name), plain(size)),
            };
            out.block(&name, panel, &graded.size);
            names.push(name);
        }
    }
    out.group(0, "ENDSEC");
    out.section("ENTITIES");
    for name in &names {
        out.entity("INSERT", 1);
        out.group(2, name);
        out.point(10, DVec2::ZERO);
    }
    let sample = sizes.get(sizes.len() / 2).map_or("", |g| g.size.as_str());
    let title = sizes.first().map_or("", |g| g.pattern.name.as_str());
    out.text(DVec2::ZERO, &format!("STYLE NAME: {}", plain(title)));
    out.text(DVec2::ZERO, "AUTHOR: toile");
    if !sample.is_empty() {
        out.text(DVec2::ZERO, &format!("SAMPLE SIZE: {}", plain(sample)));
    }
    out.text(DVec2::ZERO, "UNITS: METRIC");
    out.group(0, "ENDSEC");
    out.group(0, "EOF");
    out.text
}

/// Text on one line that every reader takes.
fn plain(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

struct Writer {
    text: String,
}

impl Writer {
    fn group(&mut self, code: i32, value: &str) {
        // Writing to a string cannot fail.
        let _ = write!(self.text, "{code:>3}\r\n{value}\r\n");
    }

    fn number(&mut self, code: i32, value: f64) {
        self.group(code, &format!("{:.6}", value + 0.0));
    }

    /// A point [mm]: x under a code, y under the one that is ten more.
    fn point(&mut self, code: i32, p: DVec2) {
        self.number(code, p.x);
        self.number(code + 10, p.y);
    }

    fn section(&mut self, name: &str) {
        self.group(0, "SECTION");
        self.group(2, name);
    }

    fn entity(&mut self, kind: &str, layer: u32) {
        self.group(0, kind);
        self.group(8, &layer.to_string());
    }

    fn header(&mut self) {
        self.section("HEADER");
        self.group(9, "$ACADVER");
        self.group(1, "AC1009");
        self.group(9, "$INSUNITS");
        self.group(70, "4");
        self.group(0, "ENDSEC");
    }

    fn text(&mut self, at: DVec2, text: &str) {
        self.entity("TEXT", 1);
        self.point(10, at);
        self.number(40, 5.0);
        self.group(1, text);
    }

    fn line(&mut self, layer: u32, points: &[DVec2], closed: bool) {
        self.entity("POLYLINE", layer);
        self.group(66, "1");
        self.group(70, if closed { "1" } else { "0" });
        for p in points {
            self.entity("VERTEX", layer);
            self.point(10, 1e3 * *p);
        }
        self.entity("SEQEND", layer);
    }

    fn mark(&mut self, layer: u32, at: DVec2) {
        self.entity("POINT", layer);
        self.point(10, 1e3 * at);
    }

    fn block(&mut self, name: &str, panel: &Panel, size: &str) {
        self.entity("BLOCK", 1);
        self.group(2, name);
        self.group(70, "64");
        self.point(10, DVec2::ZERO);
        self.label(panel, size);
        let outline = opened(panel);
        let sewing = flat(&outline);
        let width = cut_width(panel);
        if width > 0.0 {
            self.line(1, &offset(&panel.polygon(2e-4), width), true);
            self.line(14, &sewing, true);
        } else {
            self.line(1, &sewing, true);
        }
        for edge in &outline {
            self.mark(2, edge.from);
            if edge.curve != Curve::Line {
                let points = edge.flatten(TOLERANCE);
                points[1..points.len() - 1].iter().for_each(|p| self.mark(3, *p));
            }
        }
        for notch in &panel.notches {
            if let Some(edge) = panel.edge(&notch.edge) {
                let s = notch.at * edge.length();
                let inward = edge.direction(s).perp();
                self.mark(4, edge.at(s) - width * inward);
                self.number(50, libm::atan2(inward.y, inward.x).to_degrees());
            }
        }
        let rings = panel.loops();
        for ring in rings.iter().skip(1) {
            let edges: Vec<Edge> = ring.iter().map(|s| s.edge.clone()).collect();
            let dart = ring.iter().any(|s| matches!(s.source, Source::Dart(..)));
            // A dart inside is a line to sew along, not a hole.
            self.line(if dart { 8 } else { 11 }, &flat(&edges), true);
        }
        for line in &panel.lines {
            let mut points = flat(&line.edges);
            points.extend(line.edges.last().map(|e| e.to));
            self.line(8, &points, false);
        }
        self.grain(panel, &sewing);
        self.entity("ENDBLK", 1);
    }

    fn label(&mut self, panel: &Panel, size: &str) {
        let polygon = panel.polygon(1e-3);
        let at = 1e3 * polygon.iter().sum::<DVec2>() / polygon.len().max(1) as f64;
        let mut lines = vec![format!("PIECE NAME: {}", plain(&panel.name))];
        if !size.is_empty() {
            lines.push(format!("SIZE: {}", plain(size)));
        }
        lines.push("QUANTITY: 1".into());
        if let Some(fabric) = &panel.fabric {
            lines.push(format!("MATERIAL: {}", plain(fabric)));
        }
        for (k, line) in lines.iter().enumerate() {
            self.text(at - DVec2::new(0.0, 7.0 * k as f64), line);
        }
    }

    fn grain(&mut self, panel: &Panel, outline: &[DVec2]) {
        let low = outline.iter().fold(DVec2::MAX, |l, p| l.min(*p));
        let high = outline.iter().fold(DVec2::MIN, |h, p| h.max(*p));
        let half = 0.3 * (high - low).dot(panel.grain.abs()) * panel.grain;
        let middle = 0.5 * (low + high);
        self.entity("LINE", 7);
        self.point(10, 1e3 * (middle - half));
        self.point(11, 1e3 * (middle + half));
    }
}

/// The sewing line with its darts and pleats opened.
fn opened(panel: &Panel) -> Vec<Edge> {
    panel.loops().into_iter().next().unwrap_or_default().into_iter().map(|s| s.edge).collect()
}

/// A closed line of points along edges.
fn flat(edges: &[Edge]) -> Vec<DVec2> {
    crate::panel::polygon(edges.iter(), TOLERANCE)
}
