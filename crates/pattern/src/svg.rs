//! Drawings of patterns, and outlines read from drawings.
//!
//! [`draw`]: panels side by side, seam partners in the same colour with the same letter.
//!
//! One unit of the drawing is a millimetre. In true scale the page has that size, to be printed and cut;
//! otherwise it is fitted to a width in pixels. Faults are red.

mod path;
mod read;

pub use read::from_svg;

use crate::check::Check;
use crate::edge::{Curve, Edge};
use crate::panel::{Panel, Source, contains, signed_area};
use crate::pattern::Pattern;
use crate::seam::{Chain, Loops};
use glam::DVec2;
use std::fmt::Write;

/// How to draw.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// Whether a centimetre of the pattern is a centimetre of the page.
    pub true_scale: bool,
    /// Width of the drawing in pixels, if not in true scale.
    pub width: f64,
}

impl Default for Options {
    fn default() -> Self {
        Self { true_scale: false, width: 1000.0 }
    }
}

/// How a seam is drawn.
#[derive(Clone, Debug, PartialEq)]
struct Label {
    text: String,
    is_doubtful: bool,
}

/// Space around panels [mm].
const GAP: f64 = 40.0;

/// Draws a pattern; seam partners have the same letter, the faults of `check` are red.
pub fn draw(pattern: &Pattern, check: &Check, options: Options) -> String {
    let label = |k| Label { text: letters(k), is_doubtful: false };
    draw_labelled(pattern, check, options, &(0..pattern.seams.len()).map(label).collect::<Vec<_>>())
}

/// Draws a pattern with proposed seams: numbers instead of letters, a question mark and dashes where a proposal is
/// doubtful.
pub fn draw_proposals(sewn: &crate::sidecar::Sewn, check: &Check, options: Options) -> String {
    let own = sewn.pattern.seams.len() - sewn.proposals.len();
    let label = |k: usize| {
        let proposal = k.checked_sub(own).and_then(|k| sewn.proposals.get(k));
        let is_doubtful = proposal.is_some_and(|p| p.confidence < crate::infer::DOUBTFUL);
        let mark = if is_doubtful { "?" } else { "" };
        Label { text: format!("{}{mark}", k + 1), is_doubtful }
    };
    let labels: Vec<Label> = (0..sewn.pattern.seams.len()).map(label).collect();
    draw_labelled(&sewn.pattern, check, options, &labels)
}

fn draw_labelled(pattern: &Pattern, check: &Check, options: Options, labels: &[Label]) -> String {
    let layout = Layout::new(pattern);
    let font = if options.true_scale { 6.0 } else { (layout.size.x / 75.0).clamp(5.0, 40.0) };
    let mut page = Page { text: String::new(), layout, font, true_scale: options.true_scale };
    let loops = pattern.loops();
    for (i, panel) in pattern.panels.iter().enumerate() {
        page.panel(i, panel, &loops[i]);
    }
    page.seams(pattern, &loops, labels);
    for (i, panel) in pattern.panels.iter().enumerate() {
        page.marks(i, panel);
    }
    page.faults(check);
    page.finish(pattern, check, options)
}

/// Where panels go on the page.
struct Layout {
    /// What is added to a point of each panel, x to the right and y up [mm].
    shift: Vec<DVec2>,
    /// Size of the page without its head and foot [mm].
    size: DVec2,
}

impl Layout {
    fn new(pattern: &Pattern) -> Self {
        let boxes: Vec<(DVec2, DVec2)> = pattern
            .panels
            .iter()
            .map(|p| {
                let points = p.polygon(1e-3);
                let points = points.iter().filter(|p| p.is_finite()).map(|p| 1e3 * *p);
                let start = (DVec2::MAX, DVec2::MIN);
                let (low, high) = points.fold(start, |(l, h), p| (l.min(p), h.max(p)));
                let wide = DVec2::splat(1e3 * cut_width(p));
                if low.x > high.x { (DVec2::ZERO, DVec2::ZERO) } else { (low - wide, high + wide) }
            })
            .collect();
        let area: f64 = boxes.iter().map(|(l, h)| (h.x - l.x + GAP) * (h.y - l.y + GAP)).sum();
        let widest = boxes.iter().map(|(l, h)| h.x - l.x).fold(100.0, f64::max);
        let target = (1.7 * area).sqrt().max(widest + 2.0 * GAP);
        // Rows from left to right; y is down here, and turned over at the end.
        let (mut at, mut row) = (DVec2::splat(GAP), 0.0_f64);
        let (mut shift, mut size) = (Vec::new(), DVec2::ZERO);
        for (low, high) in &boxes {
            let extent = *high - *low;
            if at.x > GAP && at.x + extent.x + GAP > target {
                at = DVec2::new(GAP, at.y + row + GAP);
                row = 0.0;
            }
            shift.push(DVec2::new(at.x - low.x, -at.y - high.y));
            at.x += extent.x + GAP;
            row = row.max(extent.y);
            size = size.max(DVec2::new(at.x, at.y + row + GAP));
        }
        Self { shift, size: size.max(DVec2::splat(3.0 * GAP)) }
    }
}

struct Page {
    text: String,
    layout: Layout,
    font: f64,
    true_scale: bool,
}

impl Page {
    /// A point of a panel on the page [mm], y down.
    fn place(&self, panel: usize, p: DVec2) -> DVec2 {
        let p = 1e3 * p + self.layout.shift[panel];
        DVec2::new(p.x, -p.y)
    }

    fn line(&mut self, text: std::fmt::Arguments<'_>) {
        // Writing to a string cannot fail.
        let _ = self.text.write_fmt(text);
        self.text.push('\n');
    }

    /// Path data of an edge; `begin` moves to its start first.
    fn data(&self, panel: usize, edge: &Edge, begin: bool) -> String {
        let at = |p: DVec2| {
            let p = self.place(panel, p);
            format!("{:.2} {:.2}", p.x, p.y)
        };
        if !edge.is_finite() {
            return String::new();
        }
        let start = if begin { format!("M{} ", at(edge.from)) } else { String::new() };
        let rest = match edge.curve {
            Curve::Line => format!("L{}", at(edge.to)),
            Curve::Quadratic { control } => format!("Q{} {}", at(control), at(edge.to)),
            Curve::Cubic { controls: [a, b] } => format!("C{} {} {}", at(a), at(b), at(edge.to)),
            Curve::Arc { bulge } => {
                let chord = 1e3 * edge.from.distance(edge.to);
                let r = chord * (1.0 + bulge * bulge) / (4.0 * bulge.abs().max(1e-12));
                let (large, sweep) = (u8::from(bulge.abs() > 1.0), u8::from(bulge < 0.0));
                format!("A{r:.2} {r:.2} 0 {large} {sweep} {}", at(edge.to))
            }
        };
        start + &rest
    }

    /// The data of a closed line.
    fn closed<'e>(&self, panel: usize, edges: impl Iterator<Item = &'e Edge>) -> String {
        let parts = edges.enumerate().map(|(k, edge)| self.data(panel, edge, k == 0));
        parts.collect::<String>() + "Z"
    }

    fn panel(&mut self, i: usize, panel: &Panel, loops: &[Vec<crate::Segment>]) {
        if !panel.edges.iter().all(Edge::is_finite) {
            return;
        }
        if cut_width(panel) > 0.0 {
            let cut = offset(&panel.polygon(5e-4), cut_width(panel));
            let points = self.points(i, &cut);
            let w = 0.08 * self.font;
            self.line(format_args!(
                r##"<polygon points="{points}" fill="none" stroke="#999" stroke-width="{w:.2}" stroke-dasharray="{0:.1} {0:.1}"/>"##,
                4.0 * w
            ));
        }
        let mut data = String::new();
        for (k, ring) in loops.iter().enumerate() {
            if ring.iter().all(|s| s.edge.is_finite()) {
                data += &self.closed(i, ring.iter().map(|s| &s.edge));
            } else if k == 0 {
                // A dart that leads nowhere: the outline without it.
                data += &self.closed(i, panel.edges.iter());
            }
        }
        let w = 0.09 * self.font;
        self.line(format_args!(
            r##"<path d="{data}" fill="#f5f1e8" fill-rule="evenodd" stroke="#444" stroke-width="{w:.2}" stroke-linejoin="round"/>"##
        ));
        for segment in loops.iter().flatten() {
            if matches!(segment.source, Source::Dart(..) | Source::Pleat(..)) {
                let data = self.data(i, &segment.edge, true);
                self.line(format_args!(
                    r##"<path d="{data}" fill="none" stroke="#8a6d3b" stroke-width="{:.2}"/>"##,
                    2.0 * w
                ));
            }
        }
        for edge in panel.lines.iter().flat_map(|l| &l.edges) {
            let data = self.data(i, edge, true);
            self.line(format_args!(
                r##"<path d="{data}" fill="none" stroke="#557" stroke-width="{w:.2}" stroke-dasharray="{:.1} {:.1}"/>"##,
                8.0 * w,
                4.0 * w
            ));
        }
    }

    /// Seams: both sides in the same colour and with the same letter.
    fn seams(&mut self, pattern: &Pattern, loops: &Loops, labels: &[Label]) {
        for (k, seam) in pattern.seams.iter().enumerate() {
            let (a, b, _) = pattern.sides(seam, loops);
            for chain in [a, b] {
                self.side(&chain, loops, &colour(k), &labels[k]);
            }
        }
    }

    fn side(&mut self, chain: &Chain, loops: &Loops, colour: &str, label: &Label) {
        let w = 0.28 * self.font;
        let dash = if label.is_doubtful {
            format!(r#" stroke-dasharray="{0:.1} {0:.1}""#, 3.0 * w)
        } else {
            String::new()
        };
        for stretch in &chain.stretches {
            let id = stretch.segment;
            let edge = &loops[id.panel][id.ring][id.index].edge;
            if !edge.is_finite() {
                continue;
            }
            let (low, high) = (stretch.from.min(stretch.to), stretch.from.max(stretch.to));
            let part = edge.part(low, high);
            let data = self.data(id.panel, &part, true);
            self.line(format_args!(
                r##"<path d="{data}" fill="none" stroke="{colour}" stroke-width="{w:.2}" stroke-linecap="round"{dash}/>"##
            ));
            let s = 0.5 * (low + high);
            let inward = edge.direction(s).perp();
            let at = self.place(id.panel, edge.at(s))
                + 0.95 * self.font * DVec2::new(inward.x, -inward.y);
            let size = self.font;
            self.label(at, size, colour, "bold", &label.text);
        }
    }

    /// Grain, notches and the name, on top of everything.
    fn marks(&mut self, i: usize, panel: &Panel) {
        let outline = panel.polygon(1e-3);
        if !outline.iter().all(|p| p.is_finite()) || outline.len() < 3 {
            return;
        }
        let w = 0.1 * self.font;
        for notch in &panel.notches {
            if let Some(edge) = panel.edge(&notch.edge).filter(|_| notch.at.is_finite()) {
                let s = notch.at * edge.length();
                let inward = edge.direction(s).perp();
                let a = self.place(i, edge.at(s));
                let b = a + 0.7 * self.font * DVec2::new(inward.x, -inward.y);
                self.line(format_args!(
                    r##"<path d="M{:.2} {:.2}L{:.2} {:.2}" stroke="#222" stroke-width="{:.2}"/>"##,
                    a.x,
                    a.y,
                    b.x,
                    b.y,
                    1.6 * w
                ));
            }
        }
        let (low, high) =
            outline.iter().fold((DVec2::MAX, DVec2::MIN), |(l, h), &p| (l.min(p), h.max(p)));
        let mut middle = centre(&outline);
        if 1e3 * (high.y - low.y) < 5.0 * self.font {
            // Beside the letters in the middle of the edges of a narrow band.
            middle.x += 3e-3 * self.font;
        }
        let grain = panel.grain.normalize_or_zero();
        let reach = grain.abs().dot(high - low);
        let half = 0.5 * (0.3 * reach).min(0.15).max(0.6 * reach.min(0.06)) * grain;
        // The arrow stands beside the name.
        let aside = DVec2::new(-1.5e-3 * self.font, 0.0);
        let (a, b) = (self.place(i, middle + aside - half), self.place(i, middle + aside + half));
        let along = (b - a).normalize_or_zero();
        let head = |tip: DVec2, back: DVec2| {
            let (l, r) = (
                tip + 0.6 * self.font * (back + 0.4 * back.perp()),
                tip + 0.6 * self.font * (back - 0.4 * back.perp()),
            );
            format!("M{:.2} {:.2}L{:.2} {:.2}L{:.2} {:.2}", l.x, l.y, tip.x, tip.y, r.x, r.y)
        };
        let (first, second) = (head(a, along), head(b, -along));
        self.line(format_args!(
            r##"<path d="M{:.2} {:.2}L{:.2} {:.2}{first}{second}" fill="none" stroke="#222" stroke-width="{w:.2}"/>"##,
            a.x, a.y, b.x, b.y
        ));
        let (at, size) = (self.place(i, middle), self.font);
        let name = panel.name.clone();
        let beside = DVec2::new(0.3 * size, 0.0);
        let style = r#"text-anchor="start""#;
        self.styled(at + beside, 0.95 * size, "#222", style, &name);
        if let Some(fabric) = &panel.fabric {
            let below = beside + DVec2::new(0.0, 1.1 * size);
            self.styled(at + below, 0.7 * size, "#666", style, fabric);
        }
    }

    fn faults(&mut self, check: &Check) {
        let w = 0.4 * self.font;
        for mark in check.faults.iter().flat_map(|f| &f.marks) {
            if mark.panel >= self.layout.shift.len() {
                continue;
            }
            if mark.points.len() > 1 {
                let points = self.points(mark.panel, &mark.points);
                self.line(format_args!(
                    r##"<polyline points="{points}" fill="none" stroke="#e00000" stroke-width="{w:.2}" stroke-opacity="0.85"/>"##
                ));
            }
            if let [only] | [only, _] = mark.points[..] {
                let c = self.place(mark.panel, only);
                self.line(format_args!(
                    r##"<circle cx="{:.2}" cy="{:.2}" r="{:.2}" fill="none" stroke="#e00000" stroke-width="{w:.2}"/>"##,
                    c.x, c.y, 2.5 * w
                ));
            }
        }
    }

    fn points(&self, panel: usize, points: &[DVec2]) -> String {
        let mut text = String::new();
        for &p in points {
            let p = self.place(panel, p);
            let _ = write!(text, "{:.2},{:.2} ", p.x, p.y);
        }
        text.trim_end().to_owned()
    }

    fn label(&mut self, at: DVec2, size: f64, colour: &str, weight: &str, text: &str) {
        let style = format!(r#"text-anchor="middle" font-weight="{weight}""#);
        self.styled(at + DVec2::new(0.0, 0.35 * size), size, colour, &style, text);
    }

    fn styled(&mut self, at: DVec2, size: f64, colour: &str, style: &str, text: &str) {
        let text = escape(text);
        self.line(format_args!(
            r#"<text x="{:.2}" y="{:.2}" font-size="{size:.2}" fill="{colour}" {style}>{text}</text>"#,
            at.x, at.y
        ));
    }

    fn finish(mut self, pattern: &Pattern, check: &Check, options: Options) -> String {
        let (font, size) = (self.font, self.layout.size);
        let head = 3.0 * font;
        let mut foot = size.y + 1.2 * font;
        // Letters are about half as wide as they are high.
        let letters = ((size.x - 2.0 * GAP) / (0.8 * font * 0.5)).max(20.0) as usize;
        for fault in &check.faults {
            for line in wrap(&fault.to_string(), letters) {
                self.styled(DVec2::new(GAP, foot), 0.8 * font, "#e00000", "", &line);
                foot += 1.1 * font;
            }
        }
        // A bar to check the scale of a print.
        let y = -0.8 * font;
        let x = size.x - GAP - 100.0;
        self.line(format_args!(
            r##"<path d="M{x:.2} {y:.2}h100m0 -2v4M{x:.2} {:.2}v4" fill="none" stroke="#222" stroke-width="{:.2}"/>"##,
            y - 2.0,
            0.1 * font
        ));
        self.label(DVec2::new(x + 50.0, y - 0.9 * font), 0.8 * font, "#222", "normal", "10 cm");
        self.styled(DVec2::new(GAP, -0.6 * font), 1.4 * font, "#222", "", &pattern.name);
        let (w, h) = (size.x, foot + head);
        let page = if self.true_scale {
            format!(r#"width="{w:.2}mm" height="{h:.2}mm""#)
        } else {
            let scale = options.width.clamp(100.0, 20_000.0) / w;
            format!(r#"width="{:.0}" height="{:.0}""#, w * scale, h * scale)
        };
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" {page} viewBox=\"0 {:.2} {w:.2} {h:.2}\" \
             font-family=\"Helvetica, Arial, sans-serif\">\n\
             <title>{}</title>\n\
             <rect x=\"0\" y=\"{:.2}\" width=\"{w:.2}\" height=\"{h:.2}\" fill=\"#fff\"/>\n{}</svg>\n",
            -head,
            escape(&pattern.name),
            -head,
            self.text
        )
    }
}

/// A colour for the k-th seam: hues a golden angle apart, none of them the red of faults.
fn colour(k: usize) -> String {
    let hue = 20.0 + (k as f64 * 137.508) % 320.0;
    let light = [38, 48, 30][k / 7 % 3];
    // Plain numbers: not every viewer knows hsl().
    let (c, l) = (0.7 * f64::from(light.min(100 - light)) / 100.0, f64::from(light) / 100.0);
    let part = |n: f64| {
        let k = (n + hue / 30.0) % 12.0;
        let v = l - c * (k - 3.0).min(9.0 - k).clamp(-1.0, 1.0);
        (255.0 * v).round() as u8
    };
    format!("#{:02x}{:02x}{:02x}", part(0.0), part(8.0), part(4.0))
}

/// A, B, …, Z, AA, AB, ….
pub(crate) fn letters(mut k: usize) -> String {
    let mut text = String::new();
    loop {
        text.insert(0, char::from(b'A' + (k % 26) as u8));
        if k < 26 {
            return text;
        }
        k = k / 26 - 1;
    }
}

/// Where a label fits: the centroid, or else the middle of the widest level inside.
pub(crate) fn centre(outline: &[DVec2]) -> DVec2 {
    let n = outline.len();
    let area = signed_area(outline);
    let sum: DVec2 = (0..n)
        .map(|i| {
            let (a, b) = (outline[i], outline[(i + 1) % n]);
            (a + b) * a.perp_dot(b)
        })
        .sum();
    let middle = sum / (6.0 * area);
    if area != 0.0 && middle.is_finite() && contains(outline, middle) {
        return middle;
    }
    let (low, high) =
        outline.iter().fold((f64::MAX, f64::MIN), |(l, h), p| (l.min(p.y), h.max(p.y)));
    let mut best = (0.0, outline[0]);
    for k in 1..20 {
        let y = low + (high - low) * f64::from(k) / 20.0;
        let mut cuts: Vec<f64> = (0..n)
            .filter_map(|i| {
                let (a, b) = (outline[i], outline[(i + 1) % n]);
                ((a.y > y) != (b.y > y)).then(|| a.x + (y - a.y) / (b.y - a.y) * (b.x - a.x))
            })
            .collect();
        cuts.sort_by(f64::total_cmp);
        for pair in cuts.chunks_exact(2) {
            if pair[1] - pair[0] > best.0 {
                best = (pair[1] - pair[0], DVec2::new(0.5 * (pair[0] + pair[1]), y));
            }
        }
    }
    best.1
}

/// A polygon moved outwards, corners mitred, sharp ones cut.
pub(crate) fn offset(polygon: &[DVec2], width: f64) -> Vec<DVec2> {
    let mut points: Vec<DVec2> = Vec::new();
    for &p in polygon {
        if points.last().is_none_or(|q| q.distance(p) > 1e-6) {
            points.push(p);
        }
    }
    let n = points.len();
    let turn = if signed_area(&points) < 0.0 { -1.0 } else { 1.0 };
    (0..n)
        .map(|i| {
            let before = (points[i] - points[(i + n - 1) % n]).normalize_or_zero();
            let after = (points[(i + 1) % n] - points[i]).normalize_or_zero();
            let normal = -turn * (before.perp() + after.perp()).normalize_or_zero();
            let reach = normal.dot(-turn * after.perp()).max(0.4);
            points[i] + normal * (width / reach)
        })
        .collect()
}

/// Lines of at most so many letters, broken between words; all but the first are indented.
fn wrap(text: &str, letters: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let last = lines.len() - 1;
        let line = &mut lines[last];
        if !line.trim().is_empty() && line.chars().count() + 1 + word.chars().count() > letters {
            // Ordinary spaces at the beginning of a line are not drawn.
            lines.push(format!("\u{a0}\u{a0}{word}"));
        } else {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    lines
}

pub(crate) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// The seam allowance as it is drawn [m]; none if it is impossible.
pub(crate) fn cut_width(panel: &Panel) -> f64 {
    if (0.0..=1.0).contains(&panel.allowance) { panel.allowance } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_go_on_after_z() {
        let all: Vec<String> = [0, 25, 26, 27, 51, 52, 701, 702].map(letters).to_vec();
        assert_eq!(all, ["A", "Z", "AA", "AB", "AZ", "BA", "ZZ", "AAA"]);
    }

    #[test]
    fn a_square_moved_outwards_is_a_larger_square() {
        let square = [DVec2::ZERO, DVec2::X, DVec2::ONE, DVec2::Y];
        let larger = offset(&square, 0.1);
        assert!((signed_area(&larger) - 1.44).abs() < 1e-12);
    }

    #[test]
    fn names_cannot_break_the_drawing() {
        assert_eq!(escape("<a & \"b\">"), "&lt;a &amp; &quot;b&quot;&gt;");
    }

    #[test]
    fn long_lines_are_broken_between_words() {
        let lines = wrap("one two three four", 9);
        assert_eq!(lines, ["one two", "\u{a0}\u{a0}three", "\u{a0}\u{a0}four"]);
    }

    #[test]
    fn the_first_colours_differ_and_are_not_red() {
        let colours: Vec<String> = (0..14).map(colour).collect();
        for (i, c) in colours.iter().enumerate() {
            assert!(!colours[..i].contains(c), "{c}");
            let [r, g, b] = [1, 3, 5].map(|k| u8::from_str_radix(&c[k..k + 2], 16).unwrap());
            assert!(r < 200 || g > 60 || b > 60, "{c}");
        }
    }
}
