//! What is drawn of all pieces on one large sheet, in millimetres, y up.

use super::{Graded, Options, prepared};
use crate::edge::Edge;
use crate::panel::{Panel, Source};
use crate::svg::{centre, cut_width, letters, offset};
use glam::DVec2;

/// Space between pieces [mm].
const GAP: f64 = 12.0;

/// Lines follow curves this closely [m].
const TOLERANCE: f64 = 5e-5;

/// How a line is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stroke {
    /// Where cloth is cut; the size by its number.
    Cut(usize),
    /// Where it is sewn.
    Sew,
    /// Lines inside, darts.
    Mark,
    /// Notches.
    Notch,
    /// The direction of the warp.
    Grain,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Line {
    pub(super) points: Vec<DVec2>,
    pub(super) stroke: Stroke,
    /// The number of its piece.
    pub(super) piece: usize,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Text {
    pub(super) at: DVec2,
    /// Height of capitals and descenders [mm].
    pub(super) size: f64,
    pub(super) text: String,
    pub(super) is_bold: bool,
}

/// All pieces laid out.
#[derive(Clone, Debug, Default)]
pub(super) struct Sheet {
    pub(super) size: DVec2,
    title: String,
    /// The piece that is drawn.
    piece: usize,
    pub(super) lines: Vec<Line>,
    pub(super) texts: Vec<Text>,
    /// Number and name of each piece, and where its name is.
    pub(super) pieces: Vec<(String, DVec2)>,
}

impl Sheet {
    /// Lays pieces out in rows no wider than `width` [mm], or as wide as the widest piece.
    pub(super) fn new(sizes: &[Graded], options: &Options, width: f64) -> Self {
        let sizes = prepared(sizes, options);
        let mut sheet = Self::default();
        let Some(first) = sizes.first() else { return sheet };
        sheet.title.clone_from(&first.pattern.name);
        let names: Vec<&str> = first.pattern.panels.iter().map(|p| p.name.as_str()).collect();
        let boxes: Vec<[DVec2; 2]> = names.iter().map(|n| bounds(&sizes, n)).collect();
        // High ones first: rows are filled better.
        let mut order: Vec<usize> = (0..names.len()).collect();
        let extent = |k: usize| boxes[k][1] - boxes[k][0];
        order.sort_by(|a, b| extent(*b).y.total_cmp(&extent(*a).y));
        let (mut at, mut row) = (DVec2::splat(GAP), 0.0_f64);
        let mut places = vec![DVec2::ZERO; names.len()];
        for k in order {
            if at.x > GAP && at.x + extent(k).x + GAP > width {
                at = DVec2::new(GAP, at.y + row + GAP);
                row = 0.0;
            }
            places[k] = at;
            row = row.max(extent(k).y);
            at.x += extent(k).x + GAP;
            sheet.size = sheet.size.max(DVec2::new(at.x, at.y + row + GAP));
        }
        for (k, name) in names.iter().enumerate() {
            sheet.piece = k;
            // Rows go down from the top of the sheet.
            let top = sheet.size.y - places[k].y;
            let shift = DVec2::new(places[k].x - boxes[k][0].x, top - boxes[k][1].y);
            for (n, graded) in sizes.iter().enumerate() {
                if let Some(panel) = graded.pattern.panel(name) {
                    sheet.panel(panel, shift, n, sizes.len());
                }
            }
            sheet.label(&sizes, k, shift);
        }
        sheet.seam_letters(first, &names, &places, &boxes);
        sheet
    }

    /// The name of the pattern.
    pub(super) fn title(&self) -> String {
        self.title.clone()
    }

    /// The lines of each piece.
    pub(super) fn groups(&self) -> Vec<Vec<&Line>> {
        let mut groups: Vec<Vec<&Line>> = vec![Vec::new(); self.pieces.len()];
        for line in &self.lines {
            if let Some(group) = groups.get_mut(line.piece) {
                group.push(line);
            }
        }
        groups
    }

    fn push(&mut self, points: Vec<DVec2>, shift: DVec2, stroke: Stroke) {
        let points = points.into_iter().map(|p| 1e3 * p + shift).collect();
        self.lines.push(Line { points, stroke, piece: self.piece });
    }

    fn panel(&mut self, panel: &Panel, shift: DVec2, n: usize, count: usize) {
        let closed = |mut p: Vec<DVec2>| {
            p.extend(p.first().copied());
            p
        };
        let width = cut_width(panel);
        let rings = panel.loops();
        let outline =
            |k: usize| closed(crate::panel::polygon(rings[k].iter().map(|s| &s.edge), TOLERANCE));
        let cut =
            if width > 0.0 { closed(offset(&panel.polygon(2e-4), width)) } else { outline(0) };
        self.push(cut, shift, Stroke::Cut(n));
        if width > 0.0 && count == 1 {
            self.push(outline(0), shift, Stroke::Sew);
        }
        for (k, ring) in rings.iter().enumerate().skip(1) {
            let dart = ring.iter().any(|s| matches!(s.source, Source::Dart(..)));
            self.push(outline(k), shift, if dart { Stroke::Mark } else { Stroke::Cut(n) });
        }
        for line in &panel.lines {
            let mut points = crate::panel::polygon(line.edges.iter(), TOLERANCE);
            points.extend(line.edges.last().map(|e| e.to));
            self.push(points, shift, Stroke::Mark);
        }
        for notch in &panel.notches {
            let Some(edge) = panel.edge(&notch.edge) else { continue };
            let s = notch.at * edge.length();
            let inward = edge.direction(s).perp();
            let at = edge.at(s);
            self.push(vec![at - width * inward, at + 4e-3 * inward], shift, Stroke::Notch);
        }
    }

    /// Grain and name of a piece.
    fn label(&mut self, sizes: &[Graded], k: usize, shift: DVec2) {
        let pattern = &sizes[0].pattern;
        let panel = &pattern.panels[k];
        let polygon = panel.polygon(1e-3);
        if polygon.len() < 3 {
            self.pieces.push((panel.name.clone(), DVec2::ZERO));
            return;
        }
        let low = polygon.iter().fold(DVec2::MAX, |l, p| l.min(*p));
        let high = polygon.iter().fold(DVec2::MIN, |h, p| h.max(*p));
        let middle = centre(&polygon);
        let reach = panel.grain.abs().dot(high - low);
        let half = 0.5 * (0.5 * reach).min(0.3) * panel.grain;
        let (a, b) = (middle - half, middle + half);
        self.push(vec![a, b], shift, Stroke::Grain);
        for (tip, back) in [(a, panel.grain), (b, -panel.grain)] {
            let wing = |side: f64| tip + 6e-3 * back + side * 2e-3 * back.perp();
            self.push(vec![wing(1.0), tip, wing(-1.0)], shift, Stroke::Grain);
        }
        let sizes_text = sizes.iter().map(|g| g.size.as_str()).filter(|s| !s.is_empty());
        let sizes_text = sizes_text.collect::<Vec<_>>().join(" ");
        let narrow = 1e3 * (high.y - low.y) < 40.0;
        let mut rows = vec![(format!("{}. {}", k + 1, panel.name), 6.0, true)];
        if narrow {
            if !sizes_text.is_empty() {
                rows[0].0 += &format!(", {sizes_text}");
            }
        } else {
            rows.push((pattern.name.clone(), 3.5, false));
            if !sizes_text.is_empty() {
                rows.push((format!("size {sizes_text}"), 3.5, false));
            }
            let cloth = panel.fabric.as_ref().map(|f| format!(" of {f}")).unwrap_or_default();
            rows.push((format!("cut 1{cloth}"), 3.5, false));
            let allowance = match 1e2 * cut_width(panel) {
                w if w > 0.0 => format!("with a seam allowance of {:.1} cm", w),
                _ => "without seam allowance".into(),
            };
            rows.push((allowance, 3.5, false));
        }
        let mut at = 1e3 * middle + shift + DVec2::new(4.0, if narrow { -2.0 } else { 10.0 });
        self.pieces.push((format!("{}. {}", k + 1, panel.name), at));
        for (text, size, is_bold) in rows {
            self.texts.push(Text { at, size, text, is_bold });
            at.y -= 1.7 * size.min(4.5);
        }
    }

    /// Both sides of a seam have the same letter, beside the sewing line.
    fn seam_letters(
        &mut self,
        graded: &Graded,
        names: &[&str],
        places: &[DVec2],
        boxes: &[[DVec2; 2]],
    ) {
        let pattern = &graded.pattern;
        let loops = pattern.loops();
        for (k, seam) in pattern.seams.iter().enumerate() {
            let (a, b, _) = pattern.sides(seam, &loops);
            for stretch in a.stretches.iter().chain(&b.stretches) {
                let id = stretch.segment;
                let edge: &Edge = &loops[id.panel][id.ring][id.index].edge;
                if !edge.is_finite() || stretch.length() < 0.01 {
                    continue;
                }
                let Some(n) = names.iter().position(|n| *n == pattern.panels[id.panel].name) else {
                    continue;
                };
                let top = self.size.y - places[n].y;
                let shift = DVec2::new(places[n].x - boxes[n][0].x, top - boxes[n][1].y);
                let s = 0.5 * (stretch.from + stretch.to);
                let at = 1e3 * (edge.at(s) + 4e-3 * edge.direction(s).perp()) + shift;
                let at = at - DVec2::new(1.0, 1.2);
                self.texts.push(Text { at, size: 3.5, text: letters(k), is_bold: true });
            }
        }
    }
}

/// The box around a piece in all sizes [mm].
fn bounds(sizes: &[Graded], name: &str) -> [DVec2; 2] {
    let mut all = [DVec2::MAX, DVec2::MIN];
    for panel in sizes.iter().filter_map(|g| g.pattern.panel(name)) {
        let wide = DVec2::splat(1e3 * cut_width(panel));
        for p in panel.polygon(5e-4).into_iter().filter(|p| p.is_finite()) {
            all = [all[0].min(1e3 * p - wide), all[1].max(1e3 * p + wide)];
        }
    }
    if all[0].x > all[1].x { [DVec2::ZERO; 2] } else { all }
}
