//! PDF in true scale, tiled to pages.
//!
//! The first page has a map of the pages and a test square; the others show a part of the sheet each, within a frame. Frames are
//! cut or folded at two sides and laid edge to edge: the diamonds at the middle of the sides must meet.

use super::page::{MARGIN, MAX_PAGES, Tile, counts, name, printable, tiles};
use super::sheet::{Sheet, Stroke, Text};
use super::{Graded, Options};
use crate::error::Error;
use glam::DVec2;
use std::fmt::Write;

/// Points of PDF in a millimetre.
const POINT: f64 = 72.0 / 25.4;

/// Writes sizes of a pattern as PDF.
///
/// # Errors
/// If it would have too many pages.
pub fn to_pdf(sizes: &[Graded], options: &Options) -> Result<Vec<u8>, Error> {
    let paper = options.paper;
    let tile = printable(paper);
    let few = |sheet: &Sheet| {
        let [c, r] = counts(sheet, paper);
        c.saturating_mul(r)
    };
    // The width of the sheet that needs the fewest pages.
    let widths = (2..=8).map(|k| f64::from(k) * tile.x);
    let sheets = widths.map(|w| Sheet::new(sizes, options, w));
    let mut best: Option<(usize, Sheet)> = None;
    for sheet in sheets {
        let [columns, rows] = counts(&sheet, paper);
        if columns.saturating_mul(rows) > MAX_PAGES {
            continue;
        }
        let used = tiles(&sheet, paper).len();
        if best.as_ref().is_none_or(|(n, s)| (used, few(&sheet)) < (*n, few(s))) {
            best = Some((used, sheet));
        }
    }
    let (_, sheet) = best.ok_or_else(|| Error::Request {
        message: format!("the pattern would be printed on more than {MAX_PAGES} pages"),
        help: "check its unit: `toile pattern check`".into(),
    })?;
    let tiles = tiles(&sheet, paper);
    let mut document = Document::new(paper.size());
    document.page(&overview(&sheet, &tiles, sizes, options));
    for t in &tiles {
        document.page(&page(&sheet, &tiles, t, options));
    }
    Ok(document.finish())
}

/// The operators that draw a page; lengths in points.
struct Content {
    text: String,
}

impl Content {
    fn put(&mut self, arguments: std::fmt::Arguments<'_>) {
        // Writing to a string cannot fail.
        let _ = self.text.write_fmt(arguments);
        self.text.push('\n');
    }

    /// A line through points [mm of the page].
    fn line(&mut self, points: impl IntoIterator<Item = DVec2>, closed: bool) {
        for (k, p) in points.into_iter().enumerate() {
            let p = POINT * p;
            self.put(format_args!("{:.3} {:.3} {}", p.x, p.y, if k == 0 { "m" } else { "l" }));
        }
        self.put(format_args!("{}", if closed { "s" } else { "S" }));
    }

    /// Width [mm], grey or colour, and dashes [mm].
    fn stroke(&mut self, width: f64, [r, g, b]: [f64; 3], dash: &[f64]) {
        let dashes: Vec<String> = dash.iter().map(|d| format!("{:.2}", d * POINT)).collect();
        self.put(format_args!("{:.3} w {r} {g} {b} RG [{}] 0 d", width * POINT, dashes.join(" ")));
    }

    fn text(&mut self, at: DVec2, size: f64, text: &str, is_bold: bool) {
        let p = POINT * at;
        // 1 mm of capitals is about 1.4 mm of the font.
        let font = if is_bold { "F2" } else { "F1" };
        let text = encoded(text);
        self.put(format_args!(
            "BT /{font} {:.2} Tf {:.2} {:.2} Td ({text}) Tj ET",
            size * POINT,
            p.x,
            p.y
        ));
    }
}

/// A string of PDF in WinAnsi, with what would end it escaped.
fn encoded(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            '(' | ')' | '\\' => format!("\\{c}"),
            ' '..='~' => c.to_string(),
            '\u{a0}'..='\u{ff}' => format!("\\{:03o}", c as u32),
            '–' => "\\226".into(),
            '…' => "\\205".into(),
            _ => "?".into(),
        })
        .collect()
}

/// Colours and dashes by which sizes are told apart.
fn style(stroke: Stroke) -> (f64, [f64; 3], &'static [f64]) {
    const SIZES: [([f64; 3], &[f64]); 6] = [
        ([0.0, 0.0, 0.0], &[]),
        ([0.75, 0.1, 0.1], &[6.0, 2.0]),
        ([0.1, 0.3, 0.75], &[3.0, 1.5]),
        ([0.1, 0.5, 0.2], &[8.0, 2.0, 1.0, 2.0]),
        ([0.55, 0.1, 0.55], &[1.5, 1.5]),
        ([0.75, 0.45, 0.0], &[10.0, 2.0, 1.0, 1.5, 1.0, 2.0]),
    ];
    match stroke {
        Stroke::Cut(n) => (0.35, SIZES[n % 6].0, SIZES[n % 6].1),
        Stroke::Sew => (0.2, [0.35, 0.35, 0.35], &[3.0, 2.0]),
        Stroke::Mark => (0.2, [0.35, 0.35, 0.35], &[1.5, 1.5]),
        Stroke::Notch => (0.5, [0.0, 0.0, 0.0], &[]),
        Stroke::Grain => (0.25, [0.0, 0.0, 0.0], &[]),
    }
}

fn page(sheet: &Sheet, tiles: &[Tile<'_>], tile: &Tile<'_>, options: &Options) -> String {
    let size = printable(options.paper);
    let (low, high) = (DVec2::splat(MARGIN), DVec2::splat(MARGIN) + size);
    let place = |p: DVec2| p - tile.corner + low;
    let mut c = Content { text: String::new() };
    let (p, s) = (POINT * low, POINT * size);
    c.put(format_args!("q {:.3} {:.3} {:.3} {:.3} re W n", p.x, p.y, s.x, s.y));
    for line in &tile.lines {
        let (width, colour, dash) = style(line.stroke);
        c.stroke(width, colour, dash);
        c.line(line.points.iter().map(|p| place(*p)), false);
    }
    for Text { at, size, text, is_bold } in &tile.texts {
        c.text(place(*at), *size, text, *is_bold);
    }
    c.put(format_args!("Q"));
    c.stroke(0.15, [0.55; 3], &[]);
    c.line([low, DVec2::new(high.x, low.y), high, DVec2::new(low.x, high.y)], true);
    alignment(&mut c, tiles, tile, [low, high]);
    let title = format!("{}   {}", name(tile.row, tile.column), sheet.title());
    c.text(DVec2::new(low.x + 1.0, high.y + 2.0), 4.0, &title, true);
    c.text(
        DVec2::new(low.x + 1.0, low.y - 5.0),
        3.0,
        "cut or fold at the frame; diamonds meet",
        false,
    );
    c.text
}

/// Diamonds at the sides at which another page follows, with its name.
fn alignment(c: &mut Content, tiles: &[Tile<'_>], tile: &Tile<'_>, [low, high]: [DVec2; 2]) {
    let middle = low.midpoint(high);
    let (row, column) = (tile.row as i64, tile.column as i64);
    let sides = [
        (DVec2::new(low.x, middle.y), row, column - 1),
        (DVec2::new(high.x, middle.y), row, column + 1),
        (DVec2::new(middle.x, high.y), row - 1, column),
        (DVec2::new(middle.x, low.y), row + 1, column),
    ];
    for (at, r, k) in sides {
        let there = tiles.iter().any(|t| (t.row as i64, t.column as i64) == (r, k));
        if !there {
            continue;
        }
        c.stroke(0.25, [0.2; 3], &[]);
        let reach = 4.0;
        let diamond = [DVec2::X, DVec2::Y, DVec2::NEG_X, DVec2::NEG_Y].map(|d| at + reach * d);
        c.line(diamond, true);
        let inward = (middle - at).normalize_or_zero();
        let label = at + 6.0 * inward - DVec2::new(if inward.x < 0.0 { 4.5 } else { 0.0 }, 1.0);
        c.text(label, 3.0, &name(r as usize, k as usize), false);
    }
}

/// The first page: what it is, the test square, the map of pages, and the pieces.
fn overview(sheet: &Sheet, tiles: &[Tile<'_>], sizes: &[Graded], options: &Options) -> String {
    let size = DVec2::from(options.paper.size());
    let (left, right) = (MARGIN + 5.0, size.x - MARGIN - 5.0);
    let mut c = Content { text: String::new() };
    let mut y = size.y - MARGIN - 12.0;
    c.text(DVec2::new(left, y), 8.0, &sheet.title(), true);
    let sizes: Vec<&str> =
        sizes.iter().map(|g| g.size.as_str()).filter(|s| !s.is_empty()).collect();
    let said = match sizes[..] {
        [] => String::new(),
        [one] => format!("size {one}, "),
        _ => format!("sizes {}, ", sizes.join(" ")),
    };
    y -= 8.0;
    let count =
        format!("{said}{} pieces, {} pages after this one", sheet.pieces.len(), tiles.len());
    c.text(DVec2::new(left, y), 4.0, &count, false);
    y -= 7.0;
    c.text(
        DVec2::new(left, y),
        4.0,
        "Print at 100 % (actual size). Measure the square before you cut.",
        false,
    );
    for (k, size) in sizes.iter().enumerate() {
        y -= 6.0;
        let (width, colour, dash) = style(Stroke::Cut(k));
        c.stroke(2.0 * width, colour, dash);
        c.line([DVec2::new(left, y + 1.0), DVec2::new(left + 30.0, y + 1.0)], false);
        c.text(DVec2::new(left + 34.0, y), 4.0, size, true);
    }
    y -= 58.0;
    c.stroke(0.3, [0.0; 3], &[]);
    let corner = DVec2::new(left, y);
    let square = |side: f64| {
        [
            corner,
            corner + DVec2::new(side, 0.0),
            corner + DVec2::splat(side),
            corner + DVec2::new(0.0, side),
        ]
    };
    c.line(square(50.0), true);
    c.line(square(25.4), true);
    c.text(corner + DVec2::new(2.0, 45.0), 3.5, "50 mm", true);
    c.text(corner + DVec2::new(2.0, 20.5), 3.5, "1 inch", false);
    let rows = sheet.pieces.iter().map(|p| p.0.as_str());
    for (k, text) in rows.enumerate().take(24) {
        let column = (k / 8) as f64;
        let at = DVec2::new(left + 58.0 + 45.0 * column, y + 46.0 - 6.0 * (k % 8) as f64);
        let short: String = text.chars().take(22).collect();
        c.text(at, 3.5, &short, false);
    }
    map(
        &mut c,
        sheet,
        tiles,
        options,
        [DVec2::new(left, MARGIN + 8.0), DVec2::new(right, y - 8.0)],
    );
    c.text
}

/// How the pages lie, with the pieces on them.
fn map(
    c: &mut Content,
    sheet: &Sheet,
    tiles: &[Tile<'_>],
    options: &Options,
    [low, high]: [DVec2; 2],
) {
    let [columns, rows] = counts(sheet, options.paper);
    let tile = printable(options.paper);
    let all = DVec2::new(columns as f64, rows as f64) * tile;
    let scale = ((high - low) / all).min_element();
    let base = DVec2::new(0.0, sheet.size.y - all.y);
    let place = |p: DVec2| low + scale * (p - base);
    c.stroke(0.15, [0.4; 3], &[]);
    for line in sheet.lines.iter().filter(|l| matches!(l.stroke, Stroke::Cut(_))) {
        let step = (line.points.len() / 150).max(1);
        let last = line.points.last().copied();
        c.line(line.points.iter().step_by(step).copied().chain(last).map(place), false);
    }
    for t in tiles {
        let corner = t.corner;
        let frame = [
            corner,
            corner + DVec2::new(tile.x, 0.0),
            corner + tile,
            corner + DVec2::new(0.0, tile.y),
        ];
        c.stroke(0.1, [0.75, 0.35, 0.35], &[]);
        c.line(frame.map(place), true);
        let at = place(corner + DVec2::new(0.0, tile.y)) + DVec2::new(1.0, -4.0);
        c.text(at, 3.2, &name(t.row, t.column), true);
    }
}

/// Objects of a PDF file, and where each begins.
struct Document {
    bytes: Vec<u8>,
    offsets: Vec<usize>,
    pages: Vec<usize>,
    paper: [f64; 2],
}

impl Document {
    fn new(paper: [f64; 2]) -> Self {
        let mut document = Self {
            bytes: b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n".to_vec(),
            offsets: Vec::new(),
            pages: Vec::new(),
            paper,
        };
        // 1 is the catalogue, 2 the pages, which are known at the end; 3 and 4 are fonts.
        document.offsets.extend([0, 0]);
        for font in ["Helvetica", "Helvetica-Bold"] {
            document.object(&format!(
                "<< /Type /Font /Subtype /Type1 /BaseFont /{font} /Encoding /WinAnsiEncoding >>"
            ));
        }
        document
    }

    fn object(&mut self, body: &str) -> usize {
        self.offsets.push(self.bytes.len());
        let number = self.offsets.len();
        self.bytes.extend(format!("{number} 0 obj\n{body}\nendobj\n").bytes());
        number
    }

    fn page(&mut self, content: &str) {
        let stream = self
            .object(&format!("<< /Length {} >>\nstream\n{content}\nendstream", content.len() + 1));
        let [w, h] = self.paper.map(|x| x * POINT);
        let page = self.object(&format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {w:.3} {h:.3}] /Contents {stream} 0 R \
             /Resources << /Font << /F1 3 0 R /F2 4 0 R >> >> >>"
        ));
        self.pages.push(page);
    }

    fn finish(mut self) -> Vec<u8> {
        let kids: Vec<String> = self.pages.iter().map(|p| format!("{p} 0 R")).collect();
        let bodies = [
            // Viewers that ask how to print should not scale.
            "<< /Type /Catalog /Pages 2 0 R /ViewerPreferences << /PrintScaling /None >> >>"
                .to_owned(),
            format!("<< /Type /Pages /Kids [{}] /Count {} >>", kids.join(" "), kids.len()),
        ];
        for (k, body) in bodies.iter().enumerate() {
            self.offsets[k] = self.bytes.len();
            self.bytes.extend(format!("{} 0 obj\n{body}\nendobj\n", k + 1).bytes());
        }
        let start = self.bytes.len();
        let count = self.offsets.len() + 1;
        let mut table = format!("xref\n0 {count}\n0000000000 65535 f \n");
        for offset in &self.offsets {
            let _ = writeln!(table, "{offset:010} 00000 n ");
        }
        let _ =
            write!(table, "trailer\n<< /Size {count} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n");
        self.bytes.extend(table.bytes());
        self.bytes
    }
}
