//! What is missing of a set of pieces that says neither what is cut on the fold nor what is cut twice.
//!
//! Names and shapes tell: a back, a yoke or a collar with a long straight edge at one side, square at both ends, is half a
//! piece; a sleeve is cut twice, and so is a front that has a placket; interfacing is ironed on.

use super::names::{Hand, Role, hand, role};
use crate::panel::Panel;
use crate::pattern::Pattern;
use serde::{Deserialize, Serialize};
use std::f64::consts::FRAC_PI_2;

/// What is done with a piece.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PieceChange {
    /// The panel.
    pub name: String,
    /// It is half a piece: the straight edge at which it is unfolded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fold: Option<String>,
    /// It is cut twice: its mirror image is added.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub mirror: bool,
    /// It is left out.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub omit: bool,
}

impl PieceChange {
    fn new(name: &str) -> Self {
        Self { name: name.into(), fold: None, mirror: false, omit: false }
    }
}

/// What is likely missing; nothing if some piece is already a left, a right or a mirrored one.
pub fn pieces(pattern: &Pattern) -> Vec<PieceChange> {
    let paired = pattern.panels.iter().any(|p| hand(&p.name) != Hand::None);
    let named = pattern.panels.iter().any(|p| role(&p.name) != Role::Unknown);
    let boundary = super::boundary::Boundary::new(pattern);
    let twins = super::twins::Twins::new(pattern, &boundary);
    let symmetric = |i: usize| twins.is_symmetric(i);
    let has_twin = |i: usize| (0..pattern.panels.len()).any(|j| twins.are_twins(i, j));
    if paired
        || !named
        || !pattern.seams.is_empty()
        || pattern.panels.iter().any(|p| !p.darts.is_empty())
    {
        return Vec::new();
    }
    let buttoned = pattern.panels.iter().any(|p| p.name.to_lowercase().contains("placket"));
    let mut changes = Vec::new();
    for (i, panel) in pattern.panels.iter().enumerate() {
        let mut change = PieceChange::new(&panel.name);
        let role = role(&panel.name);
        let fold = fold(panel);
        match role {
            Role::Interfacing | Role::Pocket => change.omit = true,
            _ if has_twin(i) => continue,
            Role::Front if buttoned && !symmetric(i) => change.mirror = true,
            Role::Front | Role::Back | Role::Yoke | Role::Collar | Role::Skirt
                if fold.is_some() && !symmetric(i) =>
            {
                change.fold = fold;
            }
            Role::Sleeve | Role::Cuff | Role::Leg => change.mirror = true,
            _ => continue,
        }
        changes.push(change);
    }
    changes
}

/// The edge at which a piece is likely folded: straight, along the warp, at one side, square at both ends.
fn fold(panel: &Panel) -> Option<String> {
    let polygon = panel.polygon(1e-3);
    let low = polygon.iter().fold(glam::DVec2::MAX, |l, p| l.min(*p));
    let high = polygon.iter().fold(glam::DVec2::MIN, |h, p| h.max(*p));
    let n = panel.edges.len();
    let fits = |k: &usize| {
        let e = &panel.edges[*k];
        let (x, y) = (0.5 * (e.from.x + e.to.x), (e.to.y - e.from.y).abs());
        let at_side = (x - low.x).min(high.x - x) < 2e-3 && (e.to.x - e.from.x).abs() < 2e-3;
        let (before, after) = (&panel.edges[(k + n - 1) % n], &panel.edges[(k + 1) % n]);
        let square =
            |a: glam::DVec2, b: glam::DVec2| (a.angle_to(b).abs() - FRAC_PI_2).abs() < 0.16;
        let d = e.direction(0.0);
        at_side
            && e.is_straight()
            && y > 0.3 * (high.y - low.y)
            && square(before.direction(before.length()), d)
            && square(d, after.direction(0.0))
    };
    let longest = (0..n)
        .filter(fits)
        .max_by(|a, b| panel.edges[*a].length().total_cmp(&panel.edges[*b].length()));
    longest.map(|k| panel.edges[k].name.clone())
}

/// The pattern with its pieces changed.
///
/// # Errors
/// A sentence, if there is no such piece or edge.
pub fn apply(pattern: &Pattern, changes: &[PieceChange]) -> Result<Pattern, String> {
    let mut changed = pattern.clone();
    for change in changes {
        let find = |p: &Panel| p.name == change.name;
        let Some(at) = changed.panels.iter().position(find) else {
            return Err(format!("there is no piece `{}`", change.name));
        };
        if change.omit {
            changed.panels.remove(at);
            continue;
        }
        if let Some(fold) = &change.fold {
            let unfolded = crate::import::unfold_at(&changed.panels[at], fold);
            changed.panels[at] = unfolded.map_err(|m| format!("piece `{}`: {m}", change.name))?;
        }
        if change.mirror {
            let name = format!("{}-mirrored", change.name);
            let image = crate::design::mirrored(&changed.panels[at], &name);
            changed.panels.insert(at + 1, image);
        }
    }
    Ok(changed)
}
