//! Faults of seams.

use super::panels::{mm, suggestion};
use super::{Check, Fault, Kind, UNSTATED_FRACTION, UNSTATED_LENGTH, nearest};
use crate::pattern::Pattern;
use crate::seam::{EdgePart, MAX_GATHER, Seam};
use std::collections::{BTreeMap, BTreeSet};

/// Stretches that overlap by less than this fraction of an edge only touch.
const OVERLAP: f64 = 1e-6;

pub(super) fn check(pattern: &Pattern, check: &mut Check) {
    let mut sewn: BTreeSet<&str> = BTreeSet::new();
    let mut stretches: BTreeMap<_, Vec<([f64; 2], usize)>> = BTreeMap::new();
    for (number, seam) in pattern.seams.iter().enumerate() {
        let mut good = !seam.a.is_empty() && !seam.b.is_empty();
        if !good {
            let fault =
                Fault::new(Kind::Range, "one side is empty", "name an edge for `a` and `b`");
            check.add(fault.on_seam(&seam.name));
        }
        for part in seam.a.iter().chain(&seam.b) {
            good &= of_part(pattern, seam, part, check);
            sewn.insert(&part.panel);
            let place = stretches.entry((part.panel.as_str(), part.edge.as_str())).or_default();
            place.push((part.range, number));
        }
        if good {
            lengths(pattern, seam, check);
        }
    }
    for ((panel, edge), mut parts) in stretches {
        parts.sort_by(|a, b| a.0[0].total_cmp(&b.0[0]));
        for pair in parts.windows(2) {
            let [first, second] = [pair[0].1, pair[1].1].map(|i| &pattern.seams[i].name);
            if pair[1].0[0] < pair[0].0[1] - OVERLAP && pair[0].1 == pair[1].1 {
                let message = "a stretch of the edge is sewn to itself";
                let remedy = "to close an edge upon itself, sew `panel.edge[0, 0.5]` to `panel.edge[0.5, 1]`";
                let mut fault = Fault::new(Kind::SewnTwice, message, remedy);
                if let Some(i) = pattern.panels.iter().position(|p| p.name == panel)
                    && let Some(line) = pattern.panels[i].edge(edge)
                {
                    fault = fault.marked(i, line.flatten(1e-3));
                }
                check.add(fault.on_seam(second).on_panel(panel).on_edge(edge));
            } else if pair[1].0[0] < pair[0].0[1] - OVERLAP {
                let message = format!("the seam `{first}` sews the same stretch");
                let remedy =
                    "sew only a part, as in `panel.edge[0, 0.5]`, or drop one of the seams";
                let fault = Fault::new(Kind::SewnTwice, message, remedy).warning();
                check.add(fault.on_seam(second).on_panel(panel).on_edge(edge));
            }
        }
    }
    if pattern.panels.len() > 1 {
        for (i, panel) in pattern.panels.iter().enumerate() {
            if !sewn.contains(panel.name.as_str()) {
                let fault =
                    Fault::new(Kind::Loose, "the panel is sewn to nothing", "add a [[seam]]");
                let points = panel.polygon(1e-3);
                check.add(fault.warning().on_panel(&panel.name).marked(i, points));
            }
        }
    }
}

/// Whether an edge that a seam names exists.
fn of_part(pattern: &Pattern, seam: &Seam, part: &EdgePart, check: &mut Check) -> bool {
    let Some(i) = pattern.panels.iter().position(|p| p.name == part.panel) else {
        let names = pattern.panels.iter().map(|p| p.name.as_str());
        let remedy = match nearest(&part.panel, names.clone()) {
            Some(name) => format!("did you mean `{name}`?"),
            None => format!("the panels are {}", names.take(12).collect::<Vec<_>>().join(", ")),
        };
        let fault = Fault::new(Kind::MissingPanel, "there is no such panel", remedy);
        check.add(fault.on_seam(&seam.name).on_panel(&part.panel).on_edge(&part.edge));
        return false;
    };
    let panel = &pattern.panels[i];
    let Some(edge) = panel.edge(&part.edge) else {
        let remedy = suggestion(panel, &part.edge);
        let fault = Fault::new(Kind::MissingEdge, "there is no such edge", remedy);
        let fault = fault.on_seam(&seam.name).on_panel(&part.panel).on_edge(&part.edge);
        check.add(fault.marked(i, panel.polygon(1e-3)));
        return false;
    };
    let [from, to] = part.range;
    if !(from >= 0.0 && to <= 1.0 && from < to) {
        let message = format!("the part [{from}, {to}] is not on the edge");
        let remedy = "give two fractions between 0 and 1, the smaller first";
        let fault = Fault::new(Kind::Range, message, remedy).on_seam(&seam.name);
        let fault = fault.on_panel(&part.panel).on_edge(&part.edge);
        check.add(fault.marked(i, edge.flatten(1e-4)));
        return false;
    }
    true
}

/// Compares the lengths of the two sides.
fn lengths(pattern: &Pattern, seam: &Seam, check: &mut Check) {
    let [a, b] = pattern.seam_lengths(seam);
    let (short, long) = (a.min(b), a.max(b));
    // Lengths that are no numbers have been spoken of.
    if a.is_nan() || b.is_nan() {
        return;
    }
    let ratio = long / short.max(f64::MIN_POSITIVE);
    let part = if a > b { &seam.a[0] } else { &seam.b[0] };
    let sides =
        |parts: &[EdgePart]| parts.iter().map(|p| format!("`{p}`")).collect::<Vec<_>>().join(" + ");
    let said = format!("{} is {}, {} is {}", sides(&seam.a), mm(a), sides(&seam.b), mm(b));
    let mut fault = if !(seam.gather >= 1.0 && seam.gather <= MAX_GATHER) {
        let message = format!("gather = {} is impossible", seam.gather);
        Fault::new(Kind::Ratio, message, format!("give a ratio from 1 to {MAX_GATHER}"))
    } else if ratio > MAX_GATHER {
        let message = format!("{said}: the ratio {ratio:.2} is more than {MAX_GATHER}");
        Fault::new(
            Kind::Ratio,
            message,
            "make the shorter longer, or sew only a part of the longer",
        )
    } else {
        let wanted = short * seam.gather;
        let off = (long - wanted).abs();
        if off <= UNSTATED_LENGTH.max(UNSTATED_FRACTION * long) {
            return;
        }
        let message = if seam.gather == 1.0 {
            format!("{said}, and no `gather` is stated")
        } else {
            format!("{said}, but gather = {} is stated", seam.gather)
        };
        let remedy = format!("make them match, or state gather = {ratio:.3}");
        Fault::new(Kind::Unstated, message, remedy).warning()
    };
    for p in seam.a.iter().chain(&seam.b) {
        if let Some(i) = pattern.panels.iter().position(|q| q.name == p.panel)
            && let Some(edge) = pattern.panels[i].edge(&p.edge)
        {
            fault = fault.marked(i, edge.flatten(1e-3));
        }
    }
    check.add(fault.on_seam(&seam.name).on_panel(&part.panel).on_edge(&part.edge));
}
