//! Faults of single panels.

use super::crossing::{Piece, crossings};
use super::{
    Check, Fault, Kind, MAX_EDGES, MAX_PANEL_SIZE, MAX_PIECES, MAX_PIECES_OF_ALL, MIN_EDGE_LENGTH,
    nearest,
};
use crate::edge::Curve;
use crate::file::CLOSED;
use crate::panel::{self, DartShape, Panel, Path, Source};
use crate::pattern::Pattern;
use glam::DVec2;
use std::collections::BTreeSet;

/// Polygons follow curves to this distance [m].
const FLAT: f64 = 1e-4;

/// An arc with a larger bulge is a circle but for half a degree: its point was given beyond its ends.
const MAX_BULGE: f64 = 1e3;

/// The widest seam allowance [m]; hems are the widest.
const MAX_ALLOWANCE: f64 = 0.3;

/// Panels are placed no farther from the origin [m].
const MAX_PLACEMENT_DISTANCE: f64 = 10.0;

/// At most so many places where one panel meets itself are listed.
const MAX_CROSSINGS: usize = 8;

pub(super) fn check(pattern: &Pattern, check: &mut Check) {
    if pattern.panels.is_empty() {
        check.add(Fault::new(Kind::NoOutline, "there are no panels", "add a [[panel]]"));
    }
    let mut names = BTreeSet::new();
    let mut pieces = 0;
    for (i, panel) in pattern.panels.iter().enumerate() {
        if !names.insert(&panel.name) {
            check.add(
                Fault::new(Kind::SameName, "another panel has this name", "rename one of them")
                    .on_panel(&panel.name),
            );
        }
        if let Some(count) = counted(panel, check) {
            pieces += count;
            if pieces > MAX_PIECES_OF_ALL {
                let message = format!("all panels up to this one have {pieces} pieces of curves");
                let remedy = format!("a pattern has {MAX_PIECES_OF_ALL} at most: draw less detail");
                check.add(Fault::new(Kind::NoOutline, message, remedy).on_panel(&panel.name));
                return;
            }
            of_panel(i, panel, check);
        }
    }
}

/// How many straight pieces a panel has; none if it has too many of anything to be looked at, which is a fault.
fn counted(panel: &Panel, check: &mut Check) -> Option<usize> {
    let paths = || panel.holes.iter().chain(&panel.lines).flat_map(|p| &p.edges);
    let closures = panel.darts.len() + panel.pleats.len();
    let marks = panel.notches.len() + panel.elastics.len();
    let parts = panel.edges.len() + paths().count() + closures + marks;
    let mut refuse = |message| {
        let remedy = "draw less detail";
        check.add(Fault::new(Kind::NoOutline, message, remedy).on_panel(&panel.name));
    };
    if parts > MAX_EDGES {
        refuse(format!("it has {parts} edges, darts and marks; {MAX_EDGES} is the most"));
        return None;
    }
    let pieces = panel.edges.iter().chain(paths()).map(|e| e.flatten(FLAT).len()).sum();
    if pieces > MAX_PIECES {
        refuse(format!("its curves have {pieces} straight pieces; {MAX_PIECES} is the most"));
        return None;
    }
    Some(pieces)
}

fn of_panel(i: usize, panel: &Panel, check: &mut Check) {
    let on = |f: Fault| f.on_panel(&panel.name);
    let n = panel.edges.len();
    if !(2..=MAX_EDGES).contains(&n) {
        let message = format!("the outline has {n} edges");
        check.add(on(Fault::new(
            Kind::NoOutline,
            message,
            "give it two edges or more, not thousands",
        )));
        return;
    }
    // Nothing else can be said of numbers that are none.
    if !finite(i, panel, check) {
        return;
    }
    let mut names = BTreeSet::new();
    for edge in &panel.edges {
        if !names.insert(&edge.name) {
            let fault =
                Fault::new(Kind::SameName, "another edge has this name", "rename one of them");
            check.add(on(fault).on_edge(&edge.name));
        }
        let length = edge.length();
        if length < MIN_EDGE_LENGTH {
            let message = format!("its length is {}", mm(length));
            let fault =
                Fault::new(Kind::ZeroEdge, message, "leave it out, or move one of its ends");
            check.add(on(fault).on_edge(&edge.name).marked(i, vec![edge.from]));
        }
        if let Curve::Arc { bulge } = edge.curve
            && bulge.abs() > MAX_BULGE
        {
            let message = "the arc is all of a circle, or its point is in line with its ends";
            let remedy = "move the point of `arc` to where the edge passes between its ends";
            let fault = on(Fault::new(Kind::Arc, message, remedy)).on_edge(&edge.name);
            check.add(fault.marked(i, vec![edge.from, edge.to]));
            return;
        }
    }
    if !(0.0..=MAX_ALLOWANCE).contains(&panel.allowance) {
        let message = format!("a seam allowance of {} is impossible", mm(panel.allowance));
        let remedy = "give its width outside the sewing line, such as 1 cm";
        let fault = on(Fault::new(Kind::Allowance, message, remedy));
        check.add(fault.marked(i, closed_line(&panel.polygon(FLAT))));
    }
    if let Some(frame) = &panel.placement.frame
        && frame.translation.abs().max_element() > MAX_PLACEMENT_DISTANCE
    {
        let message = format!("it is placed at {} m", metres(frame.translation.to_array(), ", "));
        let remedy =
            "place it near the body, which stands at the origin, or leave `translation` out";
        let fault = on(Fault::new(Kind::Placement, message, remedy));
        check.add(fault.marked(i, closed_line(&panel.polygon(FLAT))));
    }
    let open = closed(i, &panel.name, &panel.edges, check);
    let points = panel.polygon(FLAT);
    let (low, high) =
        points.iter().fold((DVec2::MAX, DVec2::MIN), |(l, h), &p| (l.min(p), h.max(p)));
    let size = high - low;
    if size.max_element() > MAX_PANEL_SIZE {
        let message = format!("it measures {} m", metres(size.to_array(), " m × "));
        let remedy = "no body is so large: check `unit` (mm, cm, m or in)";
        check.add(on(Fault::new(Kind::TooLarge, message, remedy)).marked(i, closed_line(&points)));
    }
    if panel.grain.try_normalize().is_none() {
        let remedy = "give a direction, such as [0, 1]";
        check.add(on(Fault::new(Kind::Grain, "the grain has no direction", remedy)));
    }
    notches(i, panel, check);
    elastics(i, panel, check);
    let sound = darts(i, panel, &points, check);
    if open {
        return;
    }
    if panel.signed_area() < 0.0 {
        let message = "the outline runs clockwise";
        let remedy = "list its edges counterclockwise, as seen from the right side of the cloth";
        check.add(on(Fault::new(Kind::Clockwise, message, remedy)).marked(i, closed_line(&points)));
        return;
    }
    for hole in &panel.holes {
        inside(i, panel, hole, "hole", &points, check);
        closed(i, &panel.name, &hole.edges, check);
    }
    for line in &panel.lines {
        inside(i, panel, line, "line", &points, check);
    }
    meets_itself(i, &sound, check);
}

/// Whether all numbers are finite; says which are not.
fn finite(i: usize, panel: &Panel, check: &mut Check) -> bool {
    let before = check.faults.len();
    let remedy = "write a finite number";
    let paths = panel.holes.iter().chain(&panel.lines).flat_map(|p| &p.edges);
    for edge in panel.edges.iter().chain(paths) {
        if !edge.is_finite() {
            let fault = Fault::new(Kind::NotFinite, "a coordinate is not a finite number", remedy);
            let fault = fault.on_panel(&panel.name).on_edge(&edge.name);
            check.add(fault.marked(i, vec![edge.from]).marked(i, vec![edge.to]));
        }
    }
    let darts = panel.darts.iter().map(|d| {
        let sum = match &d.shape {
            DartShape::Open { at, width, tip, .. } => at + width + tip.x + tip.y,
            DartShape::Double { tips: [a, b], width } => width + a.x + a.y + b.x + b.y,
        };
        (&d.name, sum)
    });
    let pleats = panel.pleats.iter().map(|p| (&p.name, p.at + p.depth));
    let notches = panel.notches.iter().map(|n| (&n.edge, n.at));
    let elastics = panel.elastics.iter().map(|e| (&e.edge, e.ratio + e.stiffness));
    for (name, value) in darts.chain(pleats).chain(notches).chain(elastics) {
        if !value.is_finite() {
            let fault = Fault::new(Kind::NotFinite, "a number is not finite", remedy);
            check.add(fault.on_panel(&panel.name).on_edge(name));
        }
    }
    let frame = panel.placement.frame.as_ref();
    for (what, good) in [
        ("allowance", panel.allowance.is_finite()),
        ("grain", panel.grain.is_finite()),
        ("translation", frame.is_none_or(|f| f.translation.is_finite())),
        ("rotation", frame.is_none_or(|f| f.rotation.is_finite())),
    ] {
        if !good {
            let message = format!("`{what}` is not a finite number");
            let fault = Fault::new(Kind::NotFinite, message, remedy).on_panel(&panel.name);
            check.add(fault.marked(i, closed_line(&panel.polygon(FLAT))));
        }
    }
    check.faults.len() == before
}

/// Whether a closed line has a gap; says where.
fn closed(i: usize, panel: &str, edges: &[crate::Edge], check: &mut Check) -> bool {
    let mut open = false;
    let n = edges.len();
    for k in 0..n {
        let (a, b) = (&edges[k], &edges[(k + 1) % n]);
        let gap = a.to.distance(b.from);
        if gap > CLOSED {
            open = true;
            let message = format!("a gap of {} to edge `{}`", mm(gap), b.name);
            let remedy = format!("let `{}` end where `{}` begins", a.name, b.name);
            let fault = Fault::new(Kind::OpenOutline, message, remedy).on_panel(panel);
            check.add(fault.on_edge(&a.name).marked(i, vec![a.to, b.from]));
        }
    }
    open
}

fn notches(i: usize, panel: &Panel, check: &mut Check) {
    for notch in &panel.notches {
        let fault = match panel.edge(&notch.edge) {
            None => {
                let remedy = suggestion(panel, &notch.edge);
                Fault::new(Kind::Notch, "a notch is on an edge that does not exist", remedy)
            }
            Some(_) if (0.0..=1.0).contains(&notch.at) => continue,
            Some(edge) => {
                let message = format!("a notch is at {}, beyond the edge", notch.at);
                Fault::new(Kind::Notch, message, "give a fraction between 0 and 1")
                    .marked(i, edge.flatten(FLAT))
            }
        };
        check.add(fault.on_panel(&panel.name).on_edge(&notch.edge));
    }
}

/// Lengths of elastics over that of their edge: shorter ones are not to be had, longer ones do nothing.
const ELASTIC: std::ops::RangeInclusive<f64> = 0.3..=1.0;

fn elastics(i: usize, panel: &Panel, check: &mut Check) {
    for elastic in &panel.elastics {
        let fault = match panel.edge(&elastic.edge) {
            None => {
                let remedy = suggestion(panel, &elastic.edge);
                Fault::new(Kind::Elastic, "an elastic is on an edge that does not exist", remedy)
            }
            Some(edge) if !ELASTIC.contains(&elastic.ratio) => {
                let message = format!("an elastic is {} of its edge", elastic.ratio);
                Fault::new(Kind::Elastic, message, "give a ratio between 0.3 and 1")
                    .marked(i, edge.flatten(FLAT))
            }
            Some(edge) if elastic.stiffness <= 0.0 => {
                let message = format!("an elastic pulls with {} N", elastic.stiffness);
                Fault::new(Kind::Elastic, message, "give a stiffness above zero, 20 N is usual")
                    .marked(i, edge.flatten(FLAT))
            }
            Some(_) => continue,
        };
        check.add(fault.on_panel(&panel.name).on_edge(&elastic.edge));
    }
}

/// Checks darts and pleats, and gives the panel without those that are wrong.
fn darts(i: usize, panel: &Panel, outline: &[DVec2], check: &mut Check) -> Panel {
    let mut sound = panel.clone();
    let mut wrong: Vec<Source> = Vec::new();
    let mut add = |what: Source, name: &str, message: String, remedy: String, at: Vec<DVec2>| {
        let fault = Fault::new(Kind::Dart, message, remedy).on_panel(&panel.name).on_edge(name);
        check.add(fault.marked(i, at));
        wrong.push(what);
    };
    let missing = |edge: &str| panel.edge(edge).is_none();
    for (k, dart) in panel.darts.iter().enumerate() {
        let what = Source::Dart(k, 0);
        let (tips, width) = match &dart.shape {
            DartShape::Open { edge, width, tip, .. } => {
                if missing(edge) {
                    let message = format!("the dart is on an edge `{edge}` that does not exist");
                    add(what, &dart.name, message, suggestion(panel, edge), vec![*tip]);
                    continue;
                }
                (vec![*tip], *width)
            }
            DartShape::Double { tips, width } => (tips.to_vec(), *width),
        };
        if width < MIN_EDGE_LENGTH {
            let message = format!("the dart is {} wide", mm(width));
            add(what, &dart.name, message, "give it a width, or leave it out".into(), tips.clone());
        } else if let Some(tip) = tips.iter().find(|t| !panel::contains(outline, **t)) {
            let message = "the dart ends outside the panel".to_owned();
            add(what, &dart.name, message, "make it shorter, or move its tip".into(), vec![*tip]);
        }
    }
    for (k, pleat) in panel.pleats.iter().enumerate() {
        if missing(&pleat.edge) {
            let message = format!("the pleat is on an edge `{}` that does not exist", pleat.edge);
            add(Source::Pleat(k, 0), &pleat.name, message, suggestion(panel, &pleat.edge), vec![]);
        } else if pleat.depth < MIN_EDGE_LENGTH {
            let message = format!("the pleat is {} deep", mm(pleat.depth));
            add(Source::Pleat(k, 0), &pleat.name, message, "give it a depth".into(), vec![]);
        }
    }
    for (e, edge) in panel.edges.iter().enumerate() {
        let (length, mut done) = (edge.length(), 0.0);
        for o in panel.openings(e) {
            if o.start < -1e-9 || o.end > length + 1e-9 {
                let message = format!("a dart or pleat reaches beyond the edge `{}`", edge.name);
                let remedy = "move it with `at`, or make it narrower".into();
                add(o.what, &edge.name, message, remedy, edge.flatten(FLAT));
            } else if o.start < done - 1e-9 {
                let message = format!("two darts or pleats overlap on the edge `{}`", edge.name);
                add(o.what, &edge.name, message, "move them apart".into(), vec![edge.at(o.start)]);
            }
            done = o.end;
        }
    }
    let bad = |s: Source| wrong.contains(&s);
    let mut k = 0;
    sound.darts.retain(|_| {
        k += 1;
        !bad(Source::Dart(k - 1, 0))
    });
    k = 0;
    sound.pleats.retain(|_| {
        k += 1;
        !bad(Source::Pleat(k - 1, 0))
    });
    sound
}

/// Whether a hole or line lies inside the outline.
fn inside(i: usize, panel: &Panel, path: &Path, what: &str, outline: &[DVec2], check: &mut Check) {
    let points: Vec<DVec2> = path.edges.iter().flat_map(|e| e.flatten(FLAT)).collect();
    let near_outline = |p: DVec2| {
        let n = outline.len();
        (0..n).any(|k| {
            let (a, d) = (outline[k], outline[(k + 1) % n] - outline[k]);
            let t = (p - a).dot(d) / d.length_squared().max(f64::MIN_POSITIVE);
            p.distance(a + t.clamp(0.0, 1.0) * d) < 2.0 * FLAT
        })
    };
    // A line may end on the outline; a hole may not.
    let allowed = |p: DVec2| panel::contains(outline, p) || (what == "line" && near_outline(p));
    let outside: Vec<DVec2> = points.into_iter().filter(|&p| !allowed(p)).collect();
    if !outside.is_empty() || path.edges.is_empty() {
        let message = format!("the {what} is not inside the panel");
        let fault = Fault::new(Kind::Outside, message, "move it inside, or leave it out");
        check.add(fault.on_panel(&panel.name).on_edge(&path.name).marked(i, outside));
    }
}

/// Finds where the opened outline and the holes meet.
fn meets_itself(i: usize, panel: &Panel, check: &mut Check) {
    let loops = panel.loops();
    let mut sources = Vec::new();
    let mut rings = Vec::new();
    for segments in &loops {
        let mut ring = Vec::new();
        for segment in segments {
            let mut flat = segment.edge.flatten(FLAT);
            flat.pop();
            ring.extend(flat.into_iter().map(|p| (p, sources.len())));
            sources.push((segment.source, segment.edge.name.clone()));
        }
        rings.push(ring);
    }
    let mut said = BTreeSet::new();
    for (a, b, place) in crossings(&Piece::of_rings(&rings), 64) {
        let (low, high) = (a.tag.min(b.tag), a.tag.max(b.tag));
        if !said.insert((low, high)) || said.len() > MAX_CROSSINGS {
            continue;
        }
        let [(sa, na), (sb, nb)] = [&sources[low], &sources[high]];
        let is_dart = |s: &Source| matches!(s, Source::Dart(..));
        let is_hole = |s: &Source| matches!(s, Source::Hole(_));
        let fault = if is_dart(sa) || is_dart(sb) {
            let (dart, other) = if is_dart(sa) { (na, nb) } else { (nb, na) };
            let message = format!("the dart crosses `{other}`");
            Fault::new(Kind::Dart, message, "make it shorter or narrower, or move it").on_edge(dart)
        } else if is_hole(sa) || is_hole(sb) {
            let message = format!("the hole's edge `{nb}` crosses `{na}`");
            Fault::new(Kind::SelfCrossing, message, "move the hole inside").on_edge(nb)
        } else {
            let message = if na == nb {
                "the edge crosses itself".to_owned()
            } else {
                format!("the edge crosses the edge `{nb}`")
            };
            let remedy = "move the point in red, or a control point of its curve";
            Fault::new(Kind::SelfCrossing, message, remedy).on_edge(na)
        };
        check.add(fault.on_panel(&panel.name).marked(i, vec![place]));
    }
}

/// What to say when a panel has no such edge.
pub(super) fn suggestion(panel: &Panel, wrong: &str) -> String {
    match nearest(wrong, panel.edges.iter().map(|e| e.name.as_str())) {
        Some(name) => format!("did you mean `{name}`?"),
        None => {
            let names: Vec<&str> = panel.edges.iter().take(12).map(|e| e.name.as_str()).collect();
            format!("the edges are {}", names.join(", "))
        }
    }
}

fn closed_line(points: &[DVec2]) -> Vec<DVec2> {
    points.iter().chain(points.first()).copied().collect()
}

/// Lengths in metres, short also where they are absurd.
fn metres<const N: usize>(lengths: [f64; N], between: &str) -> String {
    let each = lengths.map(|l| if l.abs() < 1e4 { format!("{l:.2}") } else { format!("{l:.2e}") });
    each.join(between)
}

/// A length for people.
pub(super) fn mm(length: f64) -> String {
    if length.abs() < 0.1 {
        format!("{:.2} mm", 1e3 * length)
    } else if length.abs() < 1e4 {
        format!("{:.1} cm", 1e2 * length)
    } else {
        format!("{length:.2e} m")
    }
}
