//! From plots to SVG elements.

use super::axis::{Axis, Wish, shows};
use super::{Figure, Kind, Plot, Reference, Series};

/// Okabe and Ito's palette without its yellow, which vanishes on white.
const PALETTE: [&str; 7] =
    ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8c8c8c"];

/// Lines of at most this many points are marked at each.
const MARKED: usize = 24;

/// Colours of the light picture stand at the elements, those of the dark one in the style, so that
/// viewers which know no style sheets show the light one.
const STYLE: &str = "<style>\
    @media (prefers-color-scheme: dark){\
    .toile-paper{fill:#14171c}.toile-ink{fill:#e4e7eb}.toile-pale{fill:#9aa3ad}\
    .toile-axis{stroke:#737d88}.toile-grid{stroke:#2d333b}.toile-fine{stroke:#21262d}\
    .toile-rim{stroke:#14171c}}</style>\n";

const MARGIN: f64 = 18.0;
const TITLE: f64 = 26.0;
const ROW: f64 = 19.0;

pub(super) fn figure(f: &Figure) -> String {
    let (w, h) = f.panel;
    let rows = f.plots.len().div_ceil(f.columns).max(1);
    let head = if f.title.is_empty() { 0.0 } else { 36.0 };
    let width = w * f.columns as f64;
    let height = head + h * rows as f64;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" role=\"img\" \
         font-family=\"system-ui, 'Segoe UI', 'Helvetica Neue', Arial, 'DejaVu Sans', sans-serif\">\n"
    );
    let first = f.plots.first().map_or("", |p| &p.title);
    let name = if f.title.is_empty() { first } else { &f.title };
    out += &format!("<title>{}</title>\n{STYLE}", escape(name));
    out += &format!(
        "<rect class=\"toile-paper\" width=\"{width}\" height=\"{height}\" fill=\"#fcfcfb\"/>\n"
    );
    if !f.title.is_empty() {
        out += &text(MARGIN, 30.0, "start", 18.0, "ink", true, &f.title);
    }
    let styles = styles(f);
    for (r, row) in f.plots.chunks(f.columns).enumerate() {
        // Frames of one row begin at one height, whatever is above them.
        let legend_rows = row.iter().map(|p| legend(p, &styles, w).1).max().unwrap_or(0);
        for (c, plot) in row.iter().enumerate() {
            let corner = (c as f64 * w, head + r as f64 * h);
            out += &format!("<g transform=\"translate({} {})\">\n", corner.0, corner.1);
            out += &panel(plot, &styles, f.panel, legend_rows);
            out += "</g>\n";
        }
    }
    out + "</svg>\n"
}

/// Colour and mark of every name.
type Styles<'a> = Vec<(&'a str, usize)>;

/// A name keeps its style in all panels; a new one takes the first that its panel does not use.
fn styles(f: &Figure) -> Styles<'_> {
    let mut styles = Styles::new();
    for plot in &f.plots {
        let known = |styles: &Styles<'_>, name: &str| styles.iter().any(|(n, _)| *n == name);
        let names = || plot.series.iter().map(|s| s.name.as_str());
        let mut used: Vec<usize> =
            names().filter(|n| known(&styles, n)).map(|n| style_of(&styles, n)).collect();
        for name in names() {
            if !known(&styles, name) {
                let free = (0..).find(|k| !used.contains(k)).unwrap_or(0);
                used.push(free);
                styles.push((name, free));
            }
        }
    }
    styles
}

fn style_of(styles: &[(&str, usize)], name: &str) -> usize {
    styles.iter().find(|(n, _)| *n == name).map_or(0, |(_, style)| *style)
}

/// Where the data go, in pixels of the panel.
#[derive(Clone, Copy)]
struct Frame {
    left: f64,
    top: f64,
    width: f64,
    height: f64,
}

impl Frame {
    fn x(&self, axis: &Axis, v: f64) -> Option<f64> {
        axis.place(v).map(|t| far(self.left + t * self.width))
    }

    fn y(&self, axis: &Axis, v: f64) -> Option<f64> {
        axis.place(v).map(|t| far(self.top + (1.0 - t) * self.height))
    }

    fn holds(&self, (x, y): (f64, f64)) -> bool {
        let (dx, dy) = (x - self.left, y - self.top);
        (-0.1..=self.width + 0.1).contains(&dx) && (-0.1..=self.height + 0.1).contains(&dy)
    }
}

/// Keeps what lies far outside the frame to numbers that every viewer can draw.
fn far(v: f64) -> f64 {
    v.clamp(-1e6, 1e6)
}

fn panel(plot: &Plot, styles: &[(&str, usize)], (w, h): (f64, f64), legend_rows: usize) -> String {
    let mut out = String::new();
    let mut top = MARGIN;
    if !plot.title.is_empty() {
        out += &text(MARGIN, top + 9.0, "start", 14.5, "ink", true, &plot.title);
    }
    top += TITLE - 4.0;
    out += &legend(plot, styles, w).0;
    top += legend_rows as f64 * ROW + 4.0;
    if !plot.y.label.is_empty() {
        out += &text(MARGIN, top + 8.0, "start", 12.0, "pale", false, &plot.y.label);
    }
    top += ROW;
    let bottom = h - MARGIN - 20.0 - if plot.x.label.is_empty() { 0.0 } else { 18.0 };
    let y = y_axis(plot, ((bottom - top) / 26.0).clamp(2.0, 10.0) as usize);
    let labels = y.ticks.iter().map(|t| width_of(&t.label, 11.5));
    let left = MARGIN + labels.fold(0.0, f64::max) + 8.0;
    let width = (w - left - MARGIN - 6.0).max(20.0);
    let frame = Frame { left, top, width, height: (bottom - top).max(20.0) };
    let x = x_axis(plot, (width / 62.0).clamp(2.0, 12.0) as usize);

    out += &grid(&frame, &x, &y);
    if !plot.x.label.is_empty() {
        let middle = left + 0.5 * width;
        out += &text(middle, h - MARGIN + 4.0, "middle", 12.0, "pale", false, &plot.x.label);
    }
    // A nested picture clips without an id, which could clash with others in one page.
    out += &format!(
        "<svg x=\"{left:.2}\" y=\"{top:.2}\" width=\"{width:.2}\" height=\"{:.2}\" \
         viewBox=\"{left:.2} {top:.2} {width:.2} {:.2}\" overflow=\"hidden\">\n",
        frame.height, frame.height
    );
    out += &bars(plot, styles, &frame, &x, &y);
    for r in &plot.references {
        out += &reference(r, &frame, &x, &y);
    }
    for s in plot.series.iter().filter(|s| s.kind == Kind::Line) {
        out += &line(s, style_of(styles, &s.name), &frame, &x, &y);
    }
    out += "</svg>\n";
    // Marks may stand half outside, but only if their middle is inside.
    for s in plot.series.iter().filter(|s| s.kind != Kind::Bars) {
        let style = style_of(styles, &s.name);
        let places: Vec<_> = s.data.iter().filter_map(|p| place(*p, &frame, &x, &y)).collect();
        if s.kind == Kind::Points || places.len() <= MARKED {
            out.extend(places.iter().filter(|p| frame.holds(**p)).map(|p| mark(*p, style)));
        }
    }
    out
}

fn x_axis(plot: &Plot, room: usize) -> Axis {
    if !plot.categories.is_empty() {
        return Axis::of_names(&plot.categories);
    }
    let slot = bar_slot(plot);
    let values = plot.series.iter().flat_map(|s| {
        // Half a slot on either side of bars, so that the outermost are whole.
        let half = if s.kind == Kind::Bars && !plot.x.log { 0.5 * slot } else { 0.0 };
        s.data.iter().flat_map(move |p| [p.0 - half, p.0 + half])
    });
    Axis::fit(values, Wish { log: plot.x.log, range: plot.x.range, zero: false, room })
}

fn y_axis(plot: &Plot, room: usize) -> Axis {
    let zero = plot.series.iter().any(|s| s.kind == Kind::Bars);
    let values = plot.series.iter().flat_map(|s| s.data.iter().map(|p| p.1));
    Axis::fit(values, Wish { log: plot.y.log, range: plot.y.range, zero, room })
}

/// The smallest distance of two bars: the room of a group.
fn bar_slot(plot: &Plot) -> f64 {
    let bars = plot.series.iter().filter(|s| s.kind == Kind::Bars);
    let mut at: Vec<f64> =
        bars.flat_map(|s| s.data.iter().map(|p| p.0)).filter(|x| x.is_finite()).collect();
    at.sort_by(f64::total_cmp);
    let gaps = at.windows(2).map(|p| p[1] - p[0]).filter(|d| *d > 0.0 && d.is_finite());
    let least = gaps.fold(f64::INFINITY, f64::min);
    if least.is_finite() { least } else { 1.0 }
}

fn place(p: (f64, f64), frame: &Frame, x: &Axis, y: &Axis) -> Option<(f64, f64)> {
    let shown = shows(x.is_log(), p.0) && shows(y.is_log(), p.1);
    if shown { frame.x(x, p.0).zip(frame.y(y, p.1)) } else { None }
}

/// Grid lines, axis line and labels of the ticks.
fn grid(frame: &Frame, x: &Axis, y: &Axis) -> String {
    let Frame { left, top, width, height } = *frame;
    let (right, bottom) = (left + width, top + height);
    let (mut fine, mut major, mut labels) = (String::new(), String::new(), String::new());
    for t in &y.ticks {
        let Some(at) = frame.y(y, t.at) else { continue };
        let lines = if t.is_minor() { &mut fine } else { &mut major };
        *lines += &format!("M{left:.2} {at:.2}H{right:.2}");
        if !t.is_minor() {
            labels += &text(left - 7.0, at + 4.0, "end", 11.5, "pale", false, &t.label);
        }
    }
    let mut free_from = f64::NEG_INFINITY;
    for t in &x.ticks {
        let Some(at) = frame.x(x, t.at) else { continue };
        let lines = if t.is_minor() { &mut fine } else { &mut major };
        *lines += &format!("M{at:.2} {top:.2}V{bottom:.2}");
        // Labels that would run into the one before are left out.
        let half = 0.5 * width_of(&t.label, 11.5);
        if !t.is_minor() && at - half > free_from {
            labels += &text(at, bottom + 17.0, "middle", 11.5, "pale", false, &t.label);
            free_from = at + half + 4.0;
        }
    }
    let path = |class: &str, colour: &str, d: &str| match d {
        "" => String::new(),
        d => {
            format!("<path class=\"toile-{class}\" d=\"{d}\" stroke=\"{colour}\" fill=\"none\"/>\n")
        }
    };
    let base = format!("M{left:.2} {bottom:.2}H{right:.2}");
    path("fine", "#f0f1f1", &fine)
        + &path("grid", "#dfe2e5", &major)
        + &path("axis", "#858d96", &base)
        + &labels
}

/// A line, broken where a point has no place.
fn line(s: &Series, style: usize, frame: &Frame, x: &Axis, y: &Axis) -> String {
    let mut d = String::new();
    let mut drawing = false;
    for p in &s.data {
        let at = place(*p, frame, x, y);
        if let Some((px, py)) = at {
            d += &format!("{}{px:.2} {py:.2}", if drawing { 'L' } else { 'M' });
        }
        drawing = at.is_some();
    }
    if d.is_empty() {
        return d;
    }
    // The second turn through the palette is told from the first by dashes.
    let dashes = if style >= PALETTE.len() { " stroke-dasharray=\"7 3\"" } else { "" };
    let colour = PALETTE[style % PALETTE.len()];
    format!(
        "<path d=\"{d}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\" \
         stroke-linejoin=\"round\" stroke-linecap=\"round\"{dashes}/>\n"
    )
}

/// A dashed reference over the whole width; sampled, as it is curved on linear axes.
fn reference(r: &Reference, frame: &Frame, x: &Axis, y: &Axis) -> String {
    const SAMPLES: usize = 64;
    let (lo, hi) = x.range();
    let at = |k: usize| {
        let t = k as f64 / SAMPLES as f64;
        if x.is_log() { lo * (hi / lo).powf(t) } else { lo + t * (hi - lo) }
    };
    let data = (0..=SAMPLES).map(|k| (at(k), r.at(at(k)))).collect();
    let s = Series { name: String::new(), kind: Kind::Line, data };
    let path = line(&s, 0, frame, x, y);
    path.replace(PALETTE[0], "#80868d")
        .replace("stroke-width=\"2\"", "stroke-width=\"1.3\" stroke-dasharray=\"5 4\"")
        .replace("stroke-linecap=\"round\"", "stroke-linecap=\"butt\"")
}

fn bars(plot: &Plot, styles: &[(&str, usize)], frame: &Frame, x: &Axis, y: &Axis) -> String {
    let series: Vec<&Series> = plot.series.iter().filter(|s| s.kind == Kind::Bars).collect();
    let slot = 0.78 * bar_slot(plot);
    let mut out = String::new();
    for (k, s) in series.iter().enumerate() {
        let colour = PALETTE[style_of(styles, &s.name) % PALETTE.len()];
        for p in &s.data {
            let Some((middle, top)) = place(*p, frame, x, y) else { continue };
            // On a logarithmic x axis a slot has no fixed width; a bar is then a narrow column.
            let group = match frame.x(x, p.0 + slot) {
                Some(right) if !x.is_log() => right - middle,
                _ => 14.0,
            };
            let width = group / series.len() as f64;
            let left = middle - 0.5 * group + k as f64 * width;
            let base = frame.y(y, 0.0).unwrap_or(frame.top + frame.height);
            let (top, height) = (top.min(base), (base - top).abs());
            let gap = if width > 6.0 { 1.0 } else { 0.0 };
            let width = (width - gap).max(0.5);
            out += &format!(
                "<rect x=\"{left:.2}\" y=\"{top:.2}\" width=\"{width:.2}\" \
                 height=\"{height:.2}\" fill=\"{colour}\"/>\n"
            );
        }
    }
    out
}

/// The mark of a series: circle, square, triangle or diamond.
fn mark((x, y): (f64, f64), style: usize) -> String {
    let shape = match style % 4 {
        0 => format!("<circle cx=\"{x:.2}\" cy=\"{y:.2}\" r=\"3.6\""),
        1 => format!("<path d=\"M{:.2} {:.2}h6.4v6.4h-6.4z\"", x - 3.2, y - 3.2),
        2 => format!("<path d=\"M{x:.2} {:.2}l4.2 7h-8.4z\"", y - 4.4),
        _ => format!("<path d=\"M{x:.2} {:.2}l4.4 4.4l-4.4 4.4l-4.4 -4.4z\"", y - 4.4),
    };
    let colour = PALETTE[style % PALETTE.len()];
    format!(
        "{shape} class=\"toile-rim\" fill=\"{colour}\" stroke=\"#fcfcfb\" stroke-width=\"1\"/>\n"
    )
}

/// The legend below the title, and how many rows it takes. A single series needs none.
fn legend(plot: &Plot, styles: &[(&str, usize)], width: f64) -> (String, usize) {
    let mut entries: Vec<(&str, Option<&Series>)> = Vec::new();
    for s in &plot.series {
        if !s.name.is_empty() && !entries.iter().any(|(n, _)| *n == s.name) {
            entries.push((&s.name, Some(s)));
        }
    }
    for r in plot.references.iter().filter(|r| !r.name().is_empty()) {
        entries.push((r.name(), None));
    }
    let (mut x, mut y) = (MARGIN, MARGIN + TITLE);
    let mut rows = usize::from(!entries.is_empty());
    let mut out = String::new();
    for (name, series) in entries {
        let length = 28.0 + width_of(name, 12.0) + 16.0;
        if x > MARGIN && x + length > width - MARGIN + 16.0 {
            (x, y, rows) = (MARGIN, y + ROW, rows + 1);
        }
        let style = style_of(styles, name);
        let colour = if series.is_some() { PALETTE[style % PALETTE.len()] } else { "#80868d" };
        let dashes = match series {
            None => "stroke-width=\"1.3\" stroke-dasharray=\"5 4\"",
            Some(_) if style >= PALETTE.len() => "stroke-width=\"2\" stroke-dasharray=\"7 3\"",
            Some(_) => "stroke-width=\"2\"",
        };
        let kind = series.map_or(Kind::Line, |s| s.kind);
        if kind == Kind::Bars {
            out += &format!(
                "<rect x=\"{:.2}\" y=\"{:.2}\" width=\"11\" height=\"11\" fill=\"{colour}\"/>\n",
                x + 8.0,
                y - 5.5
            );
        }
        if kind == Kind::Line {
            let end = x + 22.0;
            out += &format!("<path d=\"M{x:.2} {y:.2}H{end:.2}\" stroke=\"{colour}\" {dashes}/>\n");
        }
        if series.is_some_and(|s| s.kind == Kind::Points || s.kind == Kind::Line) {
            out += &mark((x + 11.0, y), style);
        }
        out += &text(x + 28.0, y + 4.2, "start", 12.0, "ink", false, name);
        x += length;
    }
    (out, rows)
}

fn text(x: f64, y: f64, anchor: &str, size: f64, tone: &str, bold: bool, s: &str) -> String {
    let colour = if tone == "ink" { "#23272c" } else { "#59616a" };
    let weight = if bold { " font-weight=\"600\"" } else { "" };
    format!(
        "<text class=\"toile-{tone}\" x=\"{x:.2}\" y=\"{y:.2}\" text-anchor=\"{anchor}\" \
         font-size=\"{size}\" fill=\"{colour}\"{weight}>{}</text>\n",
        escape(s)
    )
}

/// About the width of a text in a common sans-serif font [px].
fn width_of(s: &str, size: f64) -> f64 {
    let em = |c: char| match c {
        'i' | 'j' | 'l' | 't' | 'f' | '.' | ',' | ':' | ';' | '|' | '\'' | '!' | '·' => 0.31,
        ' ' | '(' | ')' | '[' | ']' | 'r' | '-' => 0.38,
        '\u{202f}' => 0.2,
        '⁰'..='⁹' | '¹' | '²' | '³' | '⁻' => 0.38,
        'm' | 'w' | 'M' | 'W' | '@' | '%' => 0.9,
        'A'..='Z' => 0.68,
        c if c as u32 > 0x2e80 => 1.0,
        _ => 0.58,
    };
    size * s.chars().map(em).sum::<f64>()
}

/// Text that may stand in XML: its five signs replaced, characters that XML forbids left out.
fn escape(s: &str) -> String {
    let mut out = String::new();
    for c in s.chars() {
        match c {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '"' => out += "&quot;",
            '\'' => out += "&apos;",
            '\t' | '\n' | '\r' => out.push(' '),
            c if c < ' ' || matches!(c, '\u{fffe}' | '\u{ffff}') => {}
            c => out.push(c),
        }
    }
    out
}
