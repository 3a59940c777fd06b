//! A panel: one piece of cloth, its outline and what is marked on it.
//!
//! The outline runs counterclockwise as seen from the right side of the cloth, the side that shows when
//! the garment is worn. So, where two panels are sewn together, their edges run against each other.
//! The outline is the sewing line; the seam allowance is kept apart and never simulated.
//!
//! Darts and pleats are written as marks on an edge. [`Panel::loops`] opens them: it cuts the edge, puts
//! the two legs between the parts, and so gives the line along which the cloth really ends.

use crate::edge::Edge;
use glam::{DQuat, DVec2, DVec3};
use serde::{Deserialize, Serialize};

/// Parts of an edge shorter than this [m] are dropped when darts cut it.
const MIN_PART_LENGTH: f64 = 1e-7;

/// One piece of cloth.
#[derive(Clone, Debug, PartialEq)]
pub struct Panel {
    /// What seams call it; unique in its pattern.
    pub name: String,
    /// The sewing line, closed, counterclockwise as seen from the right side.
    pub edges: Vec<Edge>,
    /// Openings inside the outline.
    pub holes: Vec<Path>,
    /// Wedges sewn shut.
    pub darts: Vec<Dart>,
    /// Folds held by a seam.
    pub pleats: Vec<Pleat>,
    /// Elastics along edges.
    pub elastics: Vec<Elastic>,
    /// Marks that must meet when sewn.
    pub notches: Vec<Notch>,
    /// Lines inside the outline that the mesh follows: creases, pockets, stitching.
    pub lines: Vec<Path>,
    /// Direction of the warp, a unit vector.
    pub grain: DVec2,
    /// Its fabric, if not that of the garment.
    pub fabric: Option<String>,
    /// Layers with greater numbers are worn outside.
    pub layer: i32,
    /// Where it belongs on the body.
    pub placement: Placement,
    /// Width of the seam allowance outside the sewing line [m].
    pub allowance: f64,
}

/// Edges one after the other: closed for a hole (either way round), open for a line.
#[derive(Clone, Debug, PartialEq)]
pub struct Path {
    /// What it is called; unique among those of its panel.
    pub name: String,
    /// Its edges, each beginning where the one before ends.
    pub edges: Vec<Edge>,
}

/// A wedge taken out of a panel and sewn shut.
#[derive(Clone, Debug, PartialEq)]
pub struct Dart {
    /// What it is called.
    pub name: String,
    /// Where it is.
    pub shape: DartShape,
}

/// Where a dart is.
#[derive(Clone, Debug, PartialEq)]
pub enum DartShape {
    /// Open at an edge.
    Open {
        /// The edge it opens at.
        edge: String,
        /// Middle of its mouth, as a fraction of the length of the edge.
        at: f64,
        /// Width of its mouth along the edge [m].
        width: f64,
        /// Where it ends [m].
        tip: DVec2,
    },
    /// Pointed at both ends, inside the panel.
    Double {
        /// Its two ends [m].
        tips: [DVec2; 2],
        /// Its width in the middle [m].
        width: f64,
    },
}

/// A fold of cloth held by a seam: twice its depth is taken out of the edge.
#[derive(Clone, Debug, PartialEq)]
pub struct Pleat {
    /// What it is called.
    pub name: String,
    /// The edge that holds it.
    pub edge: String,
    /// Its middle, as a fraction of the length of the edge.
    pub at: f64,
    /// Depth of the fold [m].
    pub depth: f64,
}

/// A tape of rubber along an edge, drawn to the length of the edge when it is sewn on.
#[derive(Clone, Debug, PartialEq)]
pub struct Elastic {
    /// The edge.
    pub edge: String,
    /// Its length without tension over that of the edge.
    pub ratio: f64,
    /// Its pull when it is twice as long as without tension [N].
    pub stiffness: f64,
}

impl Elastic {
    /// What an elastic for waists of 2 to 3 cm pulls with when it is stretched to twice its length [N].
    pub const STIFFNESS: f64 = 20.0;
}

/// A mark on an edge. Notches of the same label on both sides of a seam are sewn together.
#[derive(Clone, Debug, PartialEq)]
pub struct Notch {
    /// The edge it is on.
    pub edge: String,
    /// Its place, as a fraction of the length of the edge.
    pub at: f64,
    /// What it must meet; empty if it is only a mark.
    pub label: String,
}

/// A part of the body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BodyPart {
    /// The head.
    Head,
    /// The neck.
    Neck,
    /// From the shoulders to the waist.
    Torso,
    /// The waist.
    Waist,
    /// From the waist down, both legs together, as a skirt is worn.
    Hips,
    /// The left arm of the wearer.
    LeftArm,
    /// The right arm of the wearer.
    RightArm,
    /// The left leg of the wearer.
    LeftLeg,
    /// The right leg of the wearer.
    RightLeg,
}

/// The side of a body part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Side {
    /// Where the face looks.
    Front,
    /// Behind.
    Back,
    /// To the left of the wearer.
    Left,
    /// To the right of the wearer.
    Right,
    /// All around.
    Around,
}

/// Where a panel belongs on the body: hints for the arrangement, none of them needed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Placement {
    /// The part of the body it covers.
    pub part: Option<BodyPart>,
    /// The side of that part.
    pub side: Option<Side>,
    /// Where the file puts the panel in space.
    pub frame: Option<Frame>,
}

/// A rigid motion that takes the plane of the pattern into space: y up, z to the front [m]. The right
/// side of the cloth faces the image of +z.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frame {
    /// Where the origin of the panel goes [m].
    pub translation: DVec3,
    /// How the panel turns, before it is moved.
    pub rotation: DQuat,
}

impl Frame {
    /// The place of a point of the pattern in space [m].
    pub fn point(&self, p: DVec2) -> DVec3 {
        self.translation + self.rotation * p.extend(0.0)
    }
}

/// What a piece of the opened outline comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// A part of the edge with this index.
    Edge(usize),
    /// The first or second leg of the dart with this index; a double dart has two pieces to a leg.
    Dart(usize, usize),
    /// The first or second half of the pleat with this index.
    Pleat(usize, usize),
    /// An edge of the hole with this index.
    Hole(usize),
}

/// A piece of the line along which the cloth ends.
#[derive(Clone, Debug, PartialEq)]
pub struct Segment {
    /// Its curve; the cloth is on its left.
    pub edge: Edge,
    /// What it comes from.
    pub source: Source,
}

impl Panel {
    /// A panel with an outline and nothing else; warp along +y.
    pub fn new(name: impl Into<String>, edges: Vec<Edge>) -> Self {
        Self {
            name: name.into(),
            edges,
            holes: Vec::new(),
            darts: Vec::new(),
            pleats: Vec::new(),
            elastics: Vec::new(),
            notches: Vec::new(),
            lines: Vec::new(),
            grain: DVec2::Y,
            fabric: None,
            layer: 0,
            placement: Placement::default(),
            allowance: 0.0,
        }
    }

    /// With a hint where it belongs.
    pub fn with_placement(mut self, part: BodyPart, side: Side) -> Self {
        (self.placement.part, self.placement.side) = (Some(part), Some(side));
        self
    }

    /// With a seam allowance [m].
    pub fn with_allowance(mut self, allowance: f64) -> Self {
        self.allowance = allowance;
        self
    }

    /// The index of an edge.
    pub fn edge_index(&self, name: &str) -> Option<usize> {
        self.edges.iter().position(|e| e.name == name)
    }

    /// An edge.
    pub fn edge(&self, name: &str) -> Option<&Edge> {
        self.edges.iter().find(|e| e.name == name)
    }

    /// Length of an edge once its darts and pleats are sewn [m].
    pub fn sewn_length(&self, edge: usize) -> f64 {
        let full = self.edges.get(edge).map_or(0.0, Edge::length);
        full - self.openings(edge).iter().map(|o| o.end - o.start).sum::<f64>()
    }

    /// Signed area within the sewing line, holes not taken off, darts closed or not [m²]; positive if
    /// the outline runs counterclockwise.
    pub fn signed_area(&self) -> f64 {
        signed_area(&self.polygon(1e-4))
    }

    /// The sewing line as a polygon that follows it to within `tolerance` [m], darts not opened.
    pub fn polygon(&self, tolerance: f64) -> Vec<DVec2> {
        polygon(self.edges.iter(), tolerance)
    }

    /// The line along which the cloth ends: the outline with darts and pleats opened, then the holes
    /// (clockwise, so that the cloth is on their left too).
    pub fn loops(&self) -> Vec<Vec<Segment>> {
        let mut outline = Vec::new();
        for (i, edge) in self.edges.iter().enumerate() {
            let mut done = 0.0;
            for o in self.openings(i) {
                if o.start - done > MIN_PART_LENGTH {
                    outline
                        .push(Segment { edge: edge.part(done, o.start), source: Source::Edge(i) });
                }
                outline.extend(self.legs(edge, &o));
                done = o.end;
            }
            if done == 0.0 {
                outline.push(Segment { edge: edge.clone(), source: Source::Edge(i) });
            } else if edge.length() - done > MIN_PART_LENGTH {
                let rest = edge.part(done, edge.length());
                outline.push(Segment { edge: rest, source: Source::Edge(i) });
            }
        }
        // Ends of neighbours agree to the last bit.
        let n = outline.len();
        for i in 0..n {
            outline[i].edge.to = outline[(i + 1) % n].edge.from;
        }
        let mut loops = vec![outline];
        for (i, hole) in self.holes.iter().enumerate() {
            loops.push(clockwise(hole.edges.clone(), |_| Source::Hole(i)));
        }
        for (i, dart) in self.darts.iter().enumerate() {
            if let DartShape::Double { tips: [a, b], width } = dart.shape {
                let across = 0.5 * width * (b - a).perp().normalize_or_zero();
                let middle = 0.5 * (a + b);
                let corners = [a, middle + across, b, middle - across];
                let edges = (0..4)
                    .map(|k| Edge::line(dart.name.clone(), corners[k], corners[(k + 1) % 4]))
                    .collect();
                loops.push(clockwise(edges, |k| Source::Dart(i, k / 2)));
            }
        }
        loops
    }

    /// The half piece unfolded at its straight edge `fold`. What is mirrored gets the ending
    /// `-mirrored`; the edge on the fold disappears.
    ///
    /// # Errors
    /// A sentence, if there is no such edge, it is not straight, or something is marked on it.
    pub fn unfolded(&self, fold: &str) -> Result<Self, String> {
        let index = self.edge_index(fold).ok_or_else(|| format!("there is no edge `{fold}`"))?;
        let line = &self.edges[index];
        let along = (line.to - line.from).normalize_or_zero();
        if !line.is_straight() || along == DVec2::ZERO {
            return Err(format!("the edge `{fold}` is not a straight line"));
        }
        let mirror = |p: DVec2| {
            let d = p - line.from;
            line.from + 2.0 * d.dot(along) * along - d
        };
        let renamed = |name: &str| format!("{name}-mirrored");
        let flip = |edge: &Edge| {
            let mut e = edge.map(mirror, true).reversed();
            e.name = renamed(&edge.name);
            e
        };
        let flip_path = |path: &Path| Path {
            name: renamed(&path.name),
            edges: path.edges.iter().rev().map(flip).collect(),
        };
        let n = self.edges.len();
        let half: Vec<Edge> = (1..n).map(|k| self.edges[(index + k) % n].clone()).collect();
        let mut whole = self.clone();
        whole.edges = half.iter().cloned().chain(half.iter().rev().map(flip)).collect();
        whole.holes.extend(self.holes.iter().map(flip_path));
        whole.lines.extend(self.lines.iter().map(flip_path));
        for dart in &self.darts {
            let shape = match &dart.shape {
                DartShape::Open { edge, at, width, tip } => DartShape::Open {
                    edge: renamed(edge),
                    at: 1.0 - at,
                    width: *width,
                    tip: mirror(*tip),
                },
                DartShape::Double { tips, width } => {
                    DartShape::Double { tips: tips.map(mirror), width: *width }
                }
            };
            whole.darts.push(Dart { name: renamed(&dart.name), shape });
        }
        for pleat in &self.pleats {
            whole.pleats.push(Pleat {
                name: renamed(&pleat.name),
                edge: renamed(&pleat.edge),
                at: 1.0 - pleat.at,
                depth: pleat.depth,
            });
        }
        for elastic in &self.elastics {
            whole.elastics.push(Elastic { edge: renamed(&elastic.edge), ..elastic.clone() });
        }
        for notch in &self.notches {
            let label = if notch.label.is_empty() { String::new() } else { renamed(&notch.label) };
            whole.notches.push(Notch { edge: renamed(&notch.edge), at: 1.0 - notch.at, label });
        }
        let on_fold = whole
            .darts
            .iter()
            .any(|d| matches!(&d.shape, DartShape::Open { edge, .. } if edge == fold))
            || whole.pleats.iter().any(|p| p.edge == fold)
            || whole.elastics.iter().any(|e| e.edge == fold);
        if on_fold {
            return Err(format!("a dart, pleat or elastic is on the fold `{fold}`"));
        }
        whole.notches.retain(|n| n.edge != fold && n.edge != renamed(fold));
        Ok(whole)
    }

    /// Darts and pleats that open at an edge, in order.
    pub(crate) fn openings(&self, edge: usize) -> Vec<Opening> {
        let Some(e) = self.edges.get(edge) else { return Vec::new() };
        let length = e.length();
        let mut openings = Vec::new();
        for (i, dart) in self.darts.iter().enumerate() {
            if let DartShape::Open { edge, at, width, tip } = &dart.shape
                && *edge == e.name
            {
                let middle = at * length;
                openings.push(Opening {
                    start: middle - 0.5 * width,
                    end: middle + 0.5 * width,
                    what: Source::Dart(i, 0),
                    tip: Some(*tip),
                });
            }
        }
        for (i, pleat) in self.pleats.iter().enumerate() {
            if pleat.edge == e.name {
                let middle = pleat.at * length;
                openings.push(Opening {
                    start: middle - pleat.depth,
                    end: middle + pleat.depth,
                    what: Source::Pleat(i, 0),
                    tip: None,
                });
            }
        }
        openings.sort_by(|a, b| a.start.total_cmp(&b.start));
        openings
    }

    /// The two legs of an opening.
    fn legs(&self, edge: &Edge, o: &Opening) -> [Segment; 2] {
        let (mut legs, what) = match (o.tip, o.what) {
            (Some(tip), what) => {
                let (a, b) = (edge.at(o.start), edge.at(o.end));
                ([Edge::line("", a, tip), Edge::line("", tip, b)], what)
            }
            (None, what) => {
                let middle = 0.5 * (o.start + o.end);
                ([edge.part(o.start, middle), edge.part(middle, o.end)], what)
            }
        };
        let (name, second) = match what {
            Source::Dart(i, _) => (&self.darts[i].name, Source::Dart(i, 1)),
            Source::Pleat(i, _) => (&self.pleats[i].name, Source::Pleat(i, 1)),
            other => (&edge.name, other),
        };
        legs.iter_mut().for_each(|l| l.name.clone_from(name));
        let [a, b] = legs;
        [Segment { edge: a, source: what }, Segment { edge: b, source: second }]
    }
}

/// A dart or pleat on an edge.
#[derive(Clone, Debug)]
pub(crate) struct Opening {
    /// Where it starts, as an arc length of the edge [m].
    pub(crate) start: f64,
    /// Where it ends [m].
    pub(crate) end: f64,
    /// The dart or pleat.
    pub(crate) what: Source,
    /// The tip of a dart.
    pub(crate) tip: Option<DVec2>,
}

/// Edges walked so that they run clockwise.
fn clockwise(mut edges: Vec<Edge>, source: impl Fn(usize) -> Source) -> Vec<Segment> {
    if signed_area(&polygon(edges.iter(), 1e-4)) > 0.0 {
        edges = edges.iter().rev().map(Edge::reversed).collect();
    }
    let n = edges.len();
    for i in 0..n {
        edges[i].to = edges[(i + 1) % n].from;
    }
    edges.into_iter().enumerate().map(|(k, edge)| Segment { edge, source: source(k) }).collect()
}

/// The points of closed edges, each once.
pub(crate) fn polygon<'a>(edges: impl Iterator<Item = &'a Edge>, tolerance: f64) -> Vec<DVec2> {
    let mut points = Vec::new();
    for edge in edges {
        let mut flat = edge.flatten(tolerance);
        flat.pop();
        points.append(&mut flat);
    }
    points
}

/// Signed area of a polygon [m²]; positive counterclockwise.
pub(crate) fn signed_area(polygon: &[DVec2]) -> f64 {
    let n = polygon.len();
    0.5 * (0..n).map(|i| polygon[i].perp_dot(polygon[(i + 1) % n])).sum::<f64>()
}

/// Whether a point lies within a polygon (even–odd rule).
pub(crate) fn contains(polygon: &[DVec2], p: DVec2) -> bool {
    let mut inside = false;
    let mut a = match polygon.last() {
        Some(&last) => last,
        None => return false,
    };
    for &b in polygon {
        if (a.y > p.y) != (b.y > p.y) && p.x < a.x + (p.y - a.y) / (b.y - a.y) * (b.x - a.x) {
            inside = !inside;
        }
        a = b;
    }
    inside
}

#[cfg(test)]
mod tests {
    use super::*;

    fn v(x: f64, y: f64) -> DVec2 {
        DVec2::new(x, y)
    }

    fn square() -> Panel {
        let c = [v(0.0, 0.0), v(1.0, 0.0), v(1.0, 1.0), v(0.0, 1.0)];
        let names = ["south", "east", "north", "west"];
        Panel::new("square", (0..4).map(|i| Edge::line(names[i], c[i], c[(i + 1) % 4])).collect())
    }

    #[test]
    fn a_dart_opens_the_edge_it_is_on() {
        let mut panel = square();
        let shape =
            DartShape::Open { edge: "north".into(), at: 0.25, width: 0.1, tip: v(0.75, 0.5) };
        panel.darts.push(Dart { name: "d".into(), shape });
        let outline = &panel.loops()[0];
        assert_eq!(outline.len(), 7);
        assert!((panel.sewn_length(2) - 0.9).abs() < 1e-12);
        assert_eq!(outline[3].source, Source::Dart(0, 0));
        assert!(outline[3].edge.from.distance(v(0.8, 1.0)) < 1e-12);
        assert_eq!(outline[3].edge.to, v(0.75, 0.5));
        let polygon = polygon(outline.iter().map(|s| &s.edge), 1e-4);
        assert!((signed_area(&polygon) - (1.0 - 0.5 * 0.1 * 0.5)).abs() < 1e-12);
    }

    #[test]
    fn a_pleat_takes_twice_its_depth_out_of_the_edge() {
        let mut panel = square();
        panel.pleats.push(Pleat { name: "p".into(), edge: "north".into(), at: 0.5, depth: 0.1 });
        assert!((panel.sewn_length(2) - 0.8).abs() < 1e-12);
        let outline = &panel.loops()[0];
        assert_eq!(outline.len(), 7);
        let polygon = polygon(outline.iter().map(|s| &s.edge), 1e-4);
        assert!((signed_area(&polygon) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn a_double_dart_is_a_hole_that_runs_clockwise() {
        let mut panel = square();
        let shape = DartShape::Double { tips: [v(0.5, 0.2), v(0.5, 0.8)], width: 0.1 };
        panel.darts.push(Dart { name: "d".into(), shape });
        let loops = panel.loops();
        assert_eq!(loops.len(), 2);
        let area = signed_area(&polygon(loops[1].iter().map(|s| &s.edge), 1e-4));
        assert!((area + 0.03).abs() < 1e-12, "{area}");
    }

    #[test]
    fn a_half_piece_unfolds_to_twice_its_area() {
        let mut half = square();
        half.notches.push(Notch { edge: "south".into(), at: 0.25, label: "n".into() });
        let shape =
            DartShape::Open { edge: "north".into(), at: 0.25, width: 0.1, tip: v(0.75, 0.5) };
        half.darts.push(Dart { name: "d".into(), shape });
        let whole = half.unfolded("west").expect("a straight edge");
        assert_eq!(whole.edges.len(), 6);
        assert!((whole.signed_area() - 2.0).abs() < 1e-12);
        let notch = &whole.notches[1];
        let edge = whole.edge(&notch.edge).expect("mirrored too");
        assert!(edge.at(notch.at * edge.length()).distance(v(-0.25, 0.0)) < 1e-12);
        let DartShape::Open { tip, .. } = whole.darts[1].shape else { panic!("an open dart") };
        assert!(tip.distance(v(-0.75, 0.5)) < 1e-12);
        assert!(half.unfolded("nowhere").is_err());
    }

    #[test]
    fn a_curved_edge_is_no_fold() {
        let mut half = square();
        half.edges[3].curve = crate::edge::Curve::Arc { bulge: 0.2 };
        assert!(half.unfolded("west").unwrap_err().contains("not a straight line"));
    }
}
