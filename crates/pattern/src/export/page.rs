//! A sheet cut into pages.

use super::Paper;
use super::sheet::{Line, Sheet, Text};
use glam::DVec2;

/// Border of a page that printers leave white [mm].
pub(super) const MARGIN: f64 = 10.0;

/// Most pages of a print.
pub(super) const MAX_PAGES: usize = 2000;

/// A tile of the sheet.
#[derive(Clone, Debug)]
pub(super) struct Tile<'a> {
    pub(super) column: usize,
    pub(super) row: usize,
    /// Its lower left corner on the sheet [mm].
    pub(super) corner: DVec2,
    pub(super) lines: Vec<&'a Line>,
    pub(super) texts: Vec<&'a Text>,
}

/// The printable size of a page [mm].
pub(super) fn printable(paper: Paper) -> DVec2 {
    DVec2::from(paper.size()) - 2.0 * MARGIN
}

/// The columns and rows of a sheet.
pub(super) fn counts(sheet: &Sheet, paper: Paper) -> [usize; 2] {
    (sheet.size / printable(paper)).ceil().max(DVec2::ONE).to_array().map(|x| x as usize)
}

/// The tiles that have something on them, row by row from the top.
pub(super) fn tiles<'a>(sheet: &'a Sheet, paper: Paper) -> Vec<Tile<'a>> {
    let size = printable(paper);
    let [columns, rows] = counts(sheet, paper);
    let mut tiles = Vec::new();
    for row in 0..rows {
        for column in 0..columns {
            let corner =
                DVec2::new(column as f64 * size.x, sheet.size.y - (row + 1) as f64 * size.y);
            let high = corner + size;
            let touches = |p: &[DVec2]| {
                p.windows(2).any(|w| {
                    let (l, h) = (w[0].min(w[1]), w[0].max(w[1]));
                    l.x < high.x
                        && l.y < high.y
                        && h.x > corner.x
                        && h.y > corner.y
                        && crosses(w, corner, high)
                })
            };
            let lines: Vec<&Line> = sheet.lines.iter().filter(|l| touches(&l.points)).collect();
            let inside = |t: &&Text| {
                let width = 0.6 * t.size * t.text.chars().count() as f64;
                t.at.x < high.x
                    && t.at.x + width > corner.x
                    && t.at.y < high.y
                    && t.at.y + t.size > corner.y
            };
            let texts = sheet.texts.iter().filter(inside).collect();
            if !lines.is_empty() {
                tiles.push(Tile { column, row, corner, lines, texts });
            }
        }
    }
    tiles
}

/// Whether a line segment goes through a box.
fn crosses(w: &[DVec2], low: DVec2, high: DVec2) -> bool {
    let d = w[1] - w[0];
    let (mut from, mut to) = (0.0_f64, 1.0_f64);
    for (p, v, l, h) in [(w[0].x, d.x, low.x, high.x), (w[0].y, d.y, low.y, high.y)] {
        if v.abs() < 1e-12 {
            if p < l || p > h {
                return false;
            }
            continue;
        }
        let (s, t) = ((l - p) / v, (h - p) / v);
        (from, to) = (from.max(s.min(t)), to.min(s.max(t)));
    }
    from <= to
}

/// What a tile is called: a letter for its row, a number for its column.
pub(super) fn name(row: usize, column: usize) -> String {
    format!("{}{}", crate::svg::letters(row), column + 1)
}
