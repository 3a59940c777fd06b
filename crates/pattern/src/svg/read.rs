//! Reading outlines from SVG: of drawing programs, of FreeSewing, and those that toile exports.
//!
//! A closed path, polygon or rectangle that lies in no other is a piece, named by its id or label or that of its group. A closed
//! line that runs inside at an equal distance is the sewing line, and the outer one is where it is cut; further parts of the
//! same path are holes. Units are those of `width` and `height` with the `viewBox`; without a unit, 96 pixels are an inch.
//!
//! Of FreeSewing, `cut on fold` unfolds a piece, `mirrored` adds its mirror image, and notches and grain lines are kept.
//! SVG does not say what is sewn to what.

use super::path::{Subpath, numbers, parse};
use crate::edge::Edge;
use crate::error::Error;
use crate::file::{Unit, refuse_if_many};
use crate::import::{Copies, Kind, Piece, Polyline, Vertex, contour_allowance, join, tidy, unique};
use crate::panel::{contains, polygon, signed_area};
use crate::pattern::Pattern;
use glam::{DAffine2, DVec2};
use roxmltree::{Document, Node, ParsingOptions};

/// Most elements of a drawing.
const MAX_NODES: u32 = 500_000;

/// Most lines of a drawing.
const MAX_LINES: usize = 3000;

/// A closed line around less is no piece [m²].
const SMALLEST: f64 = 1e-3;

/// Points of an outline nearer than this are one [m].
const MERGE_DISTANCE: f64 = 1e-4;

/// A drawing whose largest piece is not between these is in another unit [m].
const PLAUSIBLE: [f64; 2] = [0.06, 6.0];

/// A line of the drawing, in the plane of the pattern [m].
struct Drawn {
    /// Its place in the file.
    order: u32,
    name: Option<String>,
    group: usize,
    class: String,
    markers: String,
    paths: Vec<Subpath>,
}

/// What is drawn, and marks.
#[derive(Default)]
struct Sheet {
    lines: Vec<Drawn>,
    /// Notches, with their group.
    notches: Vec<(usize, DVec2)>,
    /// Text of each group.
    texts: Vec<(usize, String)>,
}

/// What a group passes on to what is in it.
#[derive(Clone)]
struct Context {
    to_plane: DAffine2,
    name: Option<String>,
    group: usize,
}

/// Reads outlines from SVG; `name` is for messages. `unit` is that of its coordinates, if not said by the drawing.
///
/// # Errors
/// If it is no SVG or has no closed outline.
pub fn from_svg(text: &str, name: &str, unit: Option<Unit>) -> Result<Pattern, Error> {
    let wrong = |message: String| Error::Parse { name: name.into(), message };
    let options = ParsingOptions { allow_dtd: true, nodes_limit: MAX_NODES, ..Default::default() };
    let document = Document::parse_with_options(text, options)
        .map_err(|e| wrong(format!("not well-formed XML: {e}")))?;
    let root = document.root_element();
    if root.tag_name().name() != "svg" {
        let tag: String = root.tag_name().name().chars().take(40).collect();
        return Err(wrong(format!(
            "its root is `{tag}`, not `svg`; it is no drawing that can be read"
        )));
    }
    let to_plane = page(root, unit).map_err(wrong)?;
    let mut sheet = Sheet::default();
    collect(root, to_plane, &mut sheet).map_err(wrong)?;
    let pieces = pieces(&sheet).map_err(wrong)?;
    refuse_if_many(name, pieces.len(), 0)?;
    let mut pattern = Pattern::new("");
    pattern.description = "Imported from SVG.".into();
    for piece in &pieces {
        let place = format!("piece `{}`", piece.name);
        let bad = |message| Error::Content { name: name.into(), place, message };
        pattern.panels.extend(piece.panels().map_err(bad)?);
    }
    if pattern.panels.is_empty() {
        let help = "close the outlines, and check the unit (--unit mm)";
        return Err(wrong(format!("it has no closed outline of more than 10 cm²; {help}")));
    }
    let extents = pattern.panels.iter().map(|p| {
        let points = p.polygon(1e-3);
        let start = (DVec2::MAX, DVec2::MIN);
        let (low, high) = points.iter().fold(start, |(l, h), q| (l.min(*q), h.max(*q)));
        (high - low).max_element()
    });
    let largest = extents.fold(0.0, f64::max);
    if !(PLAUSIBLE[0]..PLAUSIBLE[1]).contains(&largest) {
        return Err(wrong(format!(
            "its largest piece would be {largest:.3} m long; say its unit: --unit mm"
        )));
    }
    unique(&mut pattern.panels);
    Ok(pattern)
}

/// From coordinates of the drawing to the plane of the pattern [m], y up.
fn page(root: Node<'_, '_>, unit: Option<Unit>) -> Result<DAffine2, String> {
    let view = root.attribute("viewBox").map(numbers).transpose()?;
    let view = view.filter(|v| v.len() == 4 && v[2] > 0.0 && v[3] > 0.0);
    let lengths = ["width", "height"].map(|k| root.attribute(k).and_then(length));
    let scale = match (unit, &view) {
        (Some(unit), _) => unit.metres(),
        (None, Some(v)) => {
            let scales = [0, 1].map(|i| lengths[i].map(|l| l / v[2 + i]));
            // The drawing keeps its proportions and fits into both.
            scales.iter().flatten().copied().reduce(f64::min).unwrap_or(0.0254 / 96.0)
        }
        (None, None) => 0.0254 / 96.0,
    };
    if !(scale.is_finite() && scale > 0.0) {
        return Err("its width or height is impossible".into());
    }
    Ok(DAffine2::from_scale(DVec2::new(scale, -scale)))
}

/// A length with a unit [m]; nothing for parts of the window.
fn length(text: &str) -> Option<f64> {
    let text = text.trim();
    let end =
        text.find(|c: char| c.is_ascii_alphabetic() && c != 'e' || c == '%').unwrap_or(text.len());
    let value: f64 = text[..end].trim().parse().ok().filter(|x: &f64| x.is_finite() && *x > 0.0)?;
    let unit = match text[end..].trim() {
        "mm" => 1e-3,
        "cm" => 1e-2,
        "in" => 0.0254,
        "pt" => 0.0254 / 72.0,
        "pc" => 0.0254 / 6.0,
        "px" | "" => 0.0254 / 96.0,
        _ => return None,
    };
    Some(value * unit)
}

/// All lines, notches and texts below an element.
fn collect(root: Node<'_, '_>, to_plane: DAffine2, sheet: &mut Sheet) -> Result<(), String> {
    let mut groups = 0;
    let mut stack = vec![(root, Context { to_plane, name: None, group: 0 })];
    while let Some((node, context)) = stack.pop() {
        let mut inner = Vec::new();
        for child in node.children().filter(Node::is_element) {
            let tag = child.tag_name().name();
            if matches!(
                tag,
                "defs"
                    | "symbol"
                    | "clipPath"
                    | "mask"
                    | "marker"
                    | "pattern"
                    | "style"
                    | "metadata"
                    | "title"
                    | "desc"
                    | "image"
            ) || hidden(child)
            {
                continue;
            }
            let mut context = context.clone();
            if let Some(text) = child.attribute("transform") {
                context.to_plane *= transform(text)?;
            }
            let own = label(child);
            match tag {
                "g" | "svg" | "a" | "switch" => {
                    groups += 1;
                    context.group = groups;
                    context.name = own.or(context.name);
                    inner.push((child, context));
                }
                "text" => {
                    let text: String = child
                        .descendants()
                        .filter(|n| n.is_text())
                        .filter_map(|n| n.text())
                        .take(50)
                        .flat_map(|t| t.chars().take(200).chain(" ".chars()))
                        .collect();
                    sheet.texts.push((context.group, text));
                }
                "use" => {
                    if child
                        .attributes()
                        .any(|a| a.name() == "href" && a.value().ends_with("notch"))
                    {
                        let at = |k: &str| child.attribute(k).and_then(|t| t.trim().parse().ok());
                        let p = DVec2::new(at("x").unwrap_or(0.0), at("y").unwrap_or(0.0));
                        sheet.notches.push((context.group, context.to_plane.transform_point2(p)));
                    }
                }
                _ => {
                    let paths = shape(child, &context.to_plane)?;
                    let class = child.attribute("class").unwrap_or_default().to_owned();
                    let markers = ["marker-start", "marker-end"]
                        .map(|k| child.attribute(k).unwrap_or_default())
                        .concat();
                    let name = own.or(context.name);
                    let group = context.group;
                    if !paths.is_empty() {
                        sheet.lines.push(Drawn {
                            order: child.id().get(),
                            name,
                            group,
                            class,
                            markers,
                            paths,
                        });
                    }
                    if sheet.lines.len() > MAX_LINES {
                        return Err(format!("it has more than {MAX_LINES} lines"));
                    }
                }
            }
        }
        stack.extend(inner.into_iter().rev());
    }
    sheet.lines.sort_by_key(|l| l.order);
    Ok(())
}

fn hidden(node: Node<'_, '_>) -> bool {
    let style = node.attribute("style").unwrap_or_default().replace(' ', "");
    let class = node.attribute("class").unwrap_or_default();
    node.attribute("display") == Some("none")
        || style.contains("display:none")
        || class.split_whitespace().any(|c| c == "hidden")
}

/// What an element is called, if a person named it.
fn label(node: Node<'_, '_>) -> Option<String> {
    let named = node.attributes().find(|a| a.name() == "label").map(|a| a.value());
    let title = node.children().find(|c| c.tag_name().name() == "title").and_then(|t| t.text());
    let id = node.attribute("id").filter(|id| !automatic(id));
    let name = named.or(title).or(id)?;
    // FreeSewing: fs-stack-teagan.front-part-teagan.front.
    let name = name.rsplit_once("-part-").map_or(name, |n| n.1);
    let name = if name.starts_with("fs-") { return None } else { name };
    let name = name.rsplit('.').next().unwrap_or(name).trim();
    (!name.is_empty()).then(|| tidy(name))
}

/// Whether a program made this id up.
fn automatic(id: &str) -> bool {
    let stem = id.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, '-' | '_'));
    let words = [
        "", "path", "rect", "polygon", "polyline", "g", "svg", "layer", "Layer", "use", "ellipse",
        "circle", "line", "shape", "Shape", "Path", "group", "Group", "fs", "SVGID", "XMLID",
    ];
    words.contains(&stem)
}

/// The lines of a basic shape.
fn shape(node: Node<'_, '_>, to_plane: &DAffine2) -> Result<Vec<Subpath>, String> {
    let number = |key: &str| {
        let text = node.attribute(key).unwrap_or("0").trim();
        let text = text.strip_suffix("px").unwrap_or(text);
        text.parse::<f64>().ok().filter(|x| x.is_finite()).unwrap_or(0.0)
    };
    let points = |closed: bool| -> Result<Vec<Subpath>, String> {
        let list = numbers(node.attribute("points").unwrap_or_default())?;
        let points: Vec<DVec2> = list.chunks_exact(2).map(|c| DVec2::new(c[0], c[1])).collect();
        Ok(if points.len() < 2 {
            Vec::new()
        } else {
            vec![Subpath::of_points(&points, closed, to_plane)]
        })
    };
    Ok(match node.tag_name().name() {
        "path" => parse(node.attribute("d").unwrap_or_default(), to_plane)?,
        "polygon" => points(true)?,
        "polyline" => points(false)?,
        "line" => {
            let ends =
                [DVec2::new(number("x1"), number("y1")), DVec2::new(number("x2"), number("y2"))];
            vec![Subpath::of_points(&ends, false, to_plane)]
        }
        "rect" => {
            let (p, s) = (
                DVec2::new(number("x"), number("y")),
                DVec2::new(number("width"), number("height")),
            );
            if s.min_element() <= 0.0 {
                return Ok(Vec::new());
            }
            let corners = [p, p + DVec2::new(s.x, 0.0), p + s, p + DVec2::new(0.0, s.y)];
            vec![Subpath::of_points(&corners, true, to_plane)]
        }
        "circle" | "ellipse" => {
            let c = DVec2::new(number("cx"), number("cy"));
            let r = if node.has_attribute("r") {
                DVec2::splat(number("r"))
            } else {
                DVec2::new(number("rx"), number("ry"))
            };
            if r.min_element() <= 0.0 {
                return Ok(Vec::new());
            }
            let (x0, x1, y) = (c.x - r.x, c.x + r.x, c.y);
            let data =
                format!("M{x0} {y}A{0} {1} 0 0 0 {x1} {y}A{0} {1} 0 0 0 {x0} {y}Z", r.x, r.y);
            parse(&data, to_plane)?
        }
        _ => Vec::new(),
    })
}

/// A list of transformations.
fn transform(text: &str) -> Result<DAffine2, String> {
    let mut all = DAffine2::IDENTITY;
    for part in text.split(')') {
        let part = part.trim_matches([' ', ',', '\n', '\t', '\r']);
        if part.is_empty() {
            continue;
        }
        let short: String = part.chars().take(40).collect();
        let wrong = || format!("the transformation `{short}` is not understood");
        let (name, list) = part.split_once('(').ok_or_else(wrong)?;
        let n = numbers(list)?;
        let one = match (name.trim(), &n[..]) {
            ("translate", [x]) => DAffine2::from_translation(DVec2::new(*x, 0.0)),
            ("translate", [x, y]) => DAffine2::from_translation(DVec2::new(*x, *y)),
            ("scale", [s]) => DAffine2::from_scale(DVec2::splat(*s)),
            ("scale", [x, y]) => DAffine2::from_scale(DVec2::new(*x, *y)),
            ("rotate", [a]) => turn(*a),
            ("rotate", [a, x, y]) => {
                let c = DVec2::new(*x, *y);
                DAffine2::from_translation(c) * turn(*a) * DAffine2::from_translation(-c)
            }
            ("skewX", [a]) => {
                DAffine2::from_cols_array(&[1.0, 0.0, libm::tan(a.to_radians()), 1.0, 0.0, 0.0])
            }
            ("skewY", [a]) => {
                DAffine2::from_cols_array(&[1.0, libm::tan(a.to_radians()), 0.0, 1.0, 0.0, 0.0])
            }
            ("matrix", [a, b, c, d, e, f]) => DAffine2::from_cols_array(&[*a, *b, *c, *d, *e, *f]),
            _ => return Err(wrong()),
        };
        all *= one;
    }
    if all.is_finite() { Ok(all) } else { Err("a transformation is not finite".into()) }
}

fn turn(degrees: f64) -> DAffine2 {
    let (sin, cos) = libm::sincos(degrees.to_radians());
    DAffine2::from_cols_array(&[cos, sin, -sin, cos, 0.0, 0.0])
}

/// A closed line.
struct Outline {
    drawn: usize,
    edges: Vec<Edge>,
    points: Vec<DVec2>,
    area: f64,
    holes: Vec<Vec<Edge>>,
}

/// All pieces of a sheet, in the order in which they are drawn.
fn pieces(sheet: &Sheet) -> Result<Vec<Piece>, String> {
    let mut outlines: Vec<Outline> = Vec::new();
    for (drawn, line) in sheet.lines.iter().enumerate() {
        outlines.extend(outline(drawn, line)?);
    }
    outlines.extend(joined(sheet, outlines.is_empty()));
    let mut order: Vec<usize> = (0..outlines.len()).collect();
    order.sort_by(|a, b| outlines[*b].area.total_cmp(&outlines[*a].area));
    // What lies within a larger one belongs to it.
    let mut within: Vec<Option<usize>> = vec![None; outlines.len()];
    for (k, &i) in order.iter().enumerate() {
        let p = outlines[i].points[0];
        let q = outlines[i].points[outlines[i].points.len() / 2];
        let holds =
            |j: &usize| contains(&outlines[*j].points, p) && contains(&outlines[*j].points, q);
        within[i] = order[..k].iter().copied().filter(|j| within[*j].is_none()).find(holds);
    }
    let mut made = Vec::new();
    for i in (0..outlines.len()).filter(|i| within[*i].is_none()) {
        let inside: Vec<usize> = (0..outlines.len()).filter(|j| within[*j] == Some(i)).collect();
        made.push(piece(sheet, &outlines, i, &inside, made.len()));
    }
    Ok(made)
}

/// The closed line of an element, if it has one that is large enough.
fn outline(drawn: usize, line: &Drawn) -> Result<Option<Outline>, String> {
    let mut best: Option<Outline> = None;
    let mut holes = Vec::new();
    for path in &line.paths {
        let edges = cleaned(&path.edges);
        let (Some(first), Some(last)) = (edges.first(), edges.last()) else { continue };
        if !path.closed && first.from.distance(last.to) > MERGE_DISTANCE {
            continue;
        }
        edges.iter().try_for_each(Edge::refuse_if_far)?;
        let points = polygon(edges.iter(), 3e-4);
        if points.len() > 20_000 {
            return Err("an outline of more than 20000 points".into());
        }
        let area = signed_area(&points).abs();
        if area < SMALLEST && best.is_none() {
            continue;
        }
        let made = Outline { drawn, edges, points, area, holes: Vec::new() };
        match &mut best {
            Some(large) if large.area >= area => {
                if contains(&large.points, made.points[0]) {
                    holes.push(made.edges);
                }
            }
            _ => holes.extend(best.replace(made).map(|o| o.edges)),
        }
    }
    Ok(best.map(|b| Outline { holes, ..b }))
}

/// Outlines drawn as several open lines, where there is no other.
fn joined(sheet: &Sheet, wanted: bool) -> Vec<Outline> {
    if !wanted {
        return Vec::new();
    }
    let open =
        sheet.lines.iter().flat_map(|l| &l.paths).filter(|p| !p.closed && !p.edges.is_empty());
    let closed = join(open.map(|p| line_of(&p.edges)).collect()).into_iter().filter(|l| l.closed);
    let outline = |l: Polyline| {
        let edges = crate::import::edges(&l);
        let points = polygon(edges.iter(), 3e-4);
        let area = signed_area(&points).abs();
        Outline { drawn: 0, edges, points, area, holes: Vec::new() }
    };
    closed.map(outline).filter(|o| o.area >= SMALLEST).collect()
}

/// Edges without those of no length; many short lines become curves.
fn cleaned(edges: &[Edge]) -> Vec<Edge> {
    let mut kept: Vec<Edge> = Vec::new();
    for e in edges {
        if e.from.distance(e.to) > MERGE_DISTANCE || e.length() > 10.0 * MERGE_DISTANCE {
            let mut e = e.clone();
            if let Some(last) = kept.last() {
                e.from = last.to;
            }
            kept.push(e);
        }
    }
    if let (Some(start), Some(last)) = (kept.first().map(|e| e.from), kept.last_mut())
        && last.to.distance(start) < 2.0 * MERGE_DISTANCE
    {
        last.to = start;
    }
    let lines = kept.iter().filter(|e| e.curve == crate::edge::Curve::Line).count();
    if lines == kept.len() && lines > 12 {
        let mut line = line_of(&kept);
        line.closed = kept[0].from == kept[kept.len() - 1].to;
        kept = crate::import::edges(&line);
    }
    for (i, e) in kept.iter_mut().enumerate() {
        e.name = (i + 1).to_string();
    }
    kept
}

fn line_of(edges: &[Edge]) -> Polyline {
    let mut points = polygon(edges.iter(), 1e-4);
    points.extend(edges.last().map(|e| e.to));
    let vertex = |at| Vertex { at, bulge: 0.0, kind: Kind::Unknown };
    Polyline { vertices: points.into_iter().map(vertex).collect(), closed: false }
}

fn piece(sheet: &Sheet, outlines: &[Outline], i: usize, inside: &[usize], number: usize) -> Piece {
    let outer = &outlines[i];
    let mut allowance = 0.0;
    let mut sewing = i;
    for &j in inside {
        let width = contour_allowance(&outer.points, &outlines[j].points).filter(|w| *w > 5e-4);
        if let Some(width) = width
            && outlines[j].area > 0.5 * outer.area
        {
            (sewing, allowance) = (j, width);
            break;
        }
    }
    let chosen = &outlines[sewing];
    let drawn = &sheet.lines[chosen.drawn];
    let name = drawn.name.clone().unwrap_or_else(|| format!("piece {}", number + 1));
    let mut piece = Piece { name, edges: chosen.edges.clone(), allowance, ..Piece::default() };
    piece.holes = chosen.holes.iter().map(|h| Polyline { closed: true, ..line_of(h) }).collect();
    // Marks near the outline may belong to a neighbour.
    let near = |group: usize, p: DVec2| {
        let close = || outer.edges.iter().any(|e| foot(e, p) < 0.02);
        contains(&outer.points, p) || ((group == drawn.group || group == 0) && close())
    };
    let notches = sheet.notches.iter().filter(|(group, p)| near(*group, *p));
    piece.notches = notches.map(|n| n.1).collect();
    for (k, line) in sheet.lines.iter().enumerate() {
        if k == chosen.drawn || k == outer.drawn {
            continue;
        }
        for path in line.paths.iter().filter(|p| !p.edges.is_empty()) {
            mark(&mut piece, line, path, line.group == drawn.group, chosen, &near);
        }
    }
    let text = sheet.texts.iter().filter(|t| t.0 == drawn.group && t.0 != 0);
    let text: String = text.map(|t| t.1.to_lowercase() + " ").collect();
    piece.copies = copies(&text);
    piece
}

/// What an open line in a piece means.
fn mark(
    piece: &mut Piece,
    line: &Drawn,
    path: &Subpath,
    same_group: bool,
    outline: &Outline,
    near: &impl Fn(usize, DVec2) -> bool,
) {
    let (from, to) = (path.edges[0].from, path.edges[path.edges.len() - 1].to);
    let class = |word: &str| line.class.split_whitespace().any(|c| c == word);
    let middle = from.midpoint(to);
    if !near(line.group, middle) {
        return;
    }
    if class("sa") && same_group && piece.allowance == 0.0 {
        let cut = polygon(path.edges.iter(), 3e-4);
        piece.allowance = contour_allowance(&cut, &outline.points).unwrap_or(0.0);
    } else if line.markers.contains("cutonfold") {
        piece.mirror = Some([from, to]);
    } else if class("grain") && path.edges.len() > 1 {
        // The head of an arrow.
    } else if line.markers.contains("grainline") || class("grain") {
        piece.grain = Some(to - from);
    } else if class("notch") {
        piece.notches.push(from);
    } else if !path.closed && path.edges.len() == 1 && from.distance(to) < 0.016 {
        // A short line across the outline.
        let gap = |p: DVec2| outline.edges.iter().map(|e| foot(e, p)).fold(f64::MAX, f64::min);
        let (a, b) = (gap(from), gap(to));
        if a.min(b) < 1e-3 {
            piece.notches.push(if a < b { from } else { to });
        }
    } else if !path.closed
        && same_group
        && line.markers.is_empty()
        && contains(&outline.points, middle)
    {
        piece.lines.push(line_of(&path.edges));
    }
}

/// Distance of a point from an edge, roughly [m].
fn foot(e: &Edge, p: DVec2) -> f64 {
    let points = e.flatten(2e-4);
    let gap = |w: &[DVec2]| {
        let d = w[1] - w[0];
        let t = ((p - w[0]).dot(d) / d.length_squared().max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
        p.distance(w[0] + t * d)
    };
    points.windows(2).map(gap).fold(f64::MAX, f64::min)
}

/// `cut 2 mirrored`, in words or as FreeSewing writes keys.
fn copies(text: &str) -> Copies {
    let count = text.find("cut").and_then(|k| {
        let rest = text[k + 3..].trim_start_matches([' ', ',', ':']);
        let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
        digits.parse::<usize>().ok()
    });
    match count {
        Some(n @ 2..=20) if text.contains("mirrored") => {
            Copies { plain: n.div_ceil(2), mirrored: n / 2 }
        }
        _ => Copies::default(),
    }
}
