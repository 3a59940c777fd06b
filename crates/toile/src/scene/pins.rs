//! What holds cloth: which vertices, and how they move.

use glam::{DVec2, DVec3};
use serde::{Deserialize, Serialize};
use toile_mesh::TriMesh;
use toile_sim::Motion;

/// A named part of a rectangle: left and right are the ends of its width, bottom and top those of
/// its height.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Select {
    /// The edge of least u.
    Left,
    /// The edge of largest u.
    Right,
    /// The edge of largest v.
    Top,
    /// The edge of least v.
    Bottom,
    /// All four corners.
    Corners,
    /// The two upper corners.
    TopCorners,
}

/// Which vertices a pin holds.
#[derive(Clone, Debug, PartialEq)]
pub enum Pinned {
    /// A named part.
    Part(Select),
    /// The vertices nearest to these places in the pattern, each from (0, 0) at the lower left to (1, 1) at the upper right.
    Points(Vec<DVec2>),
    /// Vertices by number, counted from 0 within the cloth.
    Vertices(Vec<u32>),
    /// All vertices that begin between two corners of a box [m].
    Box([DVec3; 2]),
}

/// Vertices that go where they are told.
///
/// ```
/// use toile::{Pin, Pinned, Select};
///
/// let held = Pin::of(Select::Left);
/// let dropped = Pin::vertices([0, 10]).until(0.5); // seconds
/// assert_eq!(held.what, Pinned::Part(Select::Left));
/// assert_eq!(dropped.until, Some(0.5));
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "PinTable", into = "PinTable")]
pub struct Pin {
    /// Which vertices.
    pub what: Pinned,
    /// How they move.
    pub motion: Motion,
    /// Until when they are held [s]; to the end if not given.
    pub until: Option<f64>,
}

/// A pin as it stands in a scene file: exactly one of `select`, `points`, `vertices` and `box` says which vertices it holds.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct PinTable {
    #[serde(skip_serializing_if = "Option::is_none")]
    select: Option<Select>,
    #[serde(skip_serializing_if = "Option::is_none")]
    points: Option<Vec<DVec2>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    vertices: Option<Vec<u32>>,
    #[serde(rename = "box", skip_serializing_if = "Option::is_none")]
    within: Option<[DVec3; 2]>,
    motion: Motion,
    #[serde(skip_serializing_if = "Option::is_none")]
    until: Option<f64>,
}

impl TryFrom<PinTable> for Pin {
    type Error = &'static str;

    fn try_from(table: PinTable) -> Result<Self, Self::Error> {
        let PinTable { select, points, vertices, within, motion, until } = table;
        let what = match (select, points, vertices, within) {
            (Some(part), None, None, None) => Pinned::Part(part),
            (None, Some(points), None, None) => Pinned::Points(points),
            (None, None, Some(vertices), None) => Pinned::Vertices(vertices),
            (None, None, None, Some(corners)) => Pinned::Box(corners),
            _ => return Err("a pin needs exactly one of `select`, `points`, `vertices` and `box`"),
        };
        Ok(Self { what, motion, until })
    }
}

impl From<Pin> for PinTable {
    fn from(Pin { what, motion, until }: Pin) -> Self {
        let table = Self { motion, until, ..Self::default() };
        match what {
            Pinned::Part(part) => Self { select: Some(part), ..table },
            Pinned::Points(points) => Self { points: Some(points), ..table },
            Pinned::Vertices(vertices) => Self { vertices: Some(vertices), ..table },
            Pinned::Box(corners) => Self { within: Some(corners), ..table },
        }
    }
}

impl Pin {
    /// Holds vertices still.
    pub fn new(what: Pinned) -> Self {
        Self { what, motion: Motion::Still, until: None }
    }

    /// Holds a named part still.
    pub fn of(select: Select) -> Self {
        Self::new(Pinned::Part(select))
    }

    /// Holds vertices by their numbers.
    pub fn vertices(vertices: impl Into<Vec<u32>>) -> Self {
        Self::new(Pinned::Vertices(vertices.into()))
    }

    /// Holds all vertices that begin between two corners of a box [m].
    pub fn within(a: DVec3, b: DVec3) -> Self {
        Self::new(Pinned::Box([a, b]))
    }

    /// Lets it move.
    #[must_use]
    pub fn moving(mut self, motion: Motion) -> Self {
        self.motion = motion;
        self
    }

    /// Lets go at a time [s].
    #[must_use]
    pub fn until(mut self, time: f64) -> Self {
        self.until = Some(time);
        self
    }

    /// Numbers of the vertices in the mesh of one sheet, or what is wrong and where. `map` has the
    /// new numbers of the vertices of its file, if they were merged.
    pub(super) fn find(
        &self,
        mesh: &TriMesh,
        map: Option<&[u32]>,
    ) -> Result<Vec<u32>, (&'static str, String)> {
        if self.until.is_some_and(f64::is_nan) {
            return Err(("until", "is not a number".into()));
        }
        match &self.what {
            Pinned::Vertices(vertices) => by_number(vertices, mesh.positions.len(), map),
            Pinned::Box(corners) => in_box(*corners, mesh),
            Pinned::Points(points) => at_points(points, mesh),
            Pinned::Part(part) => in_part(*part, mesh),
        }
    }
}

/// Vertices, or the key that is wrong and why.
type Found = Result<Vec<u32>, (&'static str, String)>;

/// Vertices by number in a mesh of so many; those of a file may have been merged.
fn by_number(vertices: &[u32], count: usize, map: Option<&[u32]>) -> Found {
    if vertices.is_empty() {
        return Err(("vertices", EMPTY.into()));
    }
    let count = map.map_or(count, <[u32]>::len);
    if let Some(v) = vertices.iter().find(|v| **v as usize >= count) {
        return Err(("vertices", format!("names vertex {v}; there are 0 to {}", count - 1)));
    }
    let Some(map) = map else { return Ok(vertices.to_vec()) };
    let mut merged: Vec<u32> = vertices.iter().map(|v| map[*v as usize]).collect();
    merged.sort_unstable();
    merged.dedup();
    Ok(merged)
}

fn in_box([a, b]: [DVec3; 2], mesh: &TriMesh) -> Found {
    let (lo, hi) = (a.min(b), a.max(b));
    let inside = |p: &DVec3| p.cmpge(lo).all() && p.cmple(hi).all();
    let found: Vec<u32> =
        (0..).zip(&mesh.positions).filter(|(_, p)| inside(p)).map(|(i, _)| i).collect();
    if found.is_empty() { Err(("box", "holds no vertex".into())) } else { Ok(found) }
}

fn at_points(points: &[DVec2], mesh: &TriMesh) -> Found {
    let key = "points";
    if points.is_empty() {
        return Err((key, EMPTY.into()));
    }
    let uv = unit_square(mesh).ok_or_else(|| (key, FLAT.to_owned()))?;
    if points.iter().any(|p| !p.is_finite()) {
        return Err((key, "has a value that is not finite".into()));
    }
    let outside = |p: &&DVec2| !(p.cmpge(DVec2::ZERO) & p.cmple(DVec2::ONE)).all();
    if let Some(p) = points.iter().find(outside) {
        let reason = format!(
            "has [{:?}, {:?}]; places go from [0, 0] at the lower left to [1, 1]",
            p.x, p.y
        );
        return Err((key, reason));
    }
    let nearest = |p: &DVec2| {
        let distance = |v: &u32| uv[*v as usize].distance_squared(*p);
        (0..uv.len() as u32).min_by(|a, b| distance(a).total_cmp(&distance(b)))
    };
    let mut found: Vec<u32> = points.iter().filter_map(nearest).collect();
    found.sort_unstable();
    found.dedup();
    Ok(found)
}

fn in_part(part: Select, mesh: &TriMesh) -> Found {
    let key = "select";
    let uv = unit_square(mesh).ok_or_else(|| (key, FLAT.to_owned()))?;
    let chosen = |p: &DVec2| {
        let (left, right) = (p.x < EDGE, p.x > 1.0 - EDGE);
        let (bottom, top) = (p.y < EDGE, p.y > 1.0 - EDGE);
        match part {
            Select::Left => left,
            Select::Right => right,
            Select::Top => top,
            Select::Bottom => bottom,
            Select::Corners => (left || right) && (top || bottom),
            Select::TopCorners => (left || right) && top,
        }
    };
    let found: Vec<u32> = (0..).zip(&uv).filter(|(_, p)| chosen(p)).map(|(i, _)| i).collect();
    if found.is_empty() { Err((key, "finds no vertex".into())) } else { Ok(found) }
}

const EMPTY: &str = "is empty; a pin holds at least one vertex";
const FLAT: &str = "needs material coordinates, which this mesh lacks; use `box` or `vertices`";

/// How far from the edge of the unit square a vertex still lies on it: rounding, no more.
const EDGE: f64 = 1e-9;

/// Material coordinates of each vertex, scaled to the unit square.
fn unit_square(mesh: &TriMesh) -> Option<Vec<DVec2>> {
    if !mesh.has_uv() {
        return None;
    }
    let first = *mesh.uv.first()?;
    let (lo, hi) = mesh.uv.iter().fold((first, first), |(lo, hi), p| (lo.min(*p), hi.max(*p)));
    let size = (hi - lo).max(DVec2::splat(f64::MIN_POSITIVE));
    // A vertex without a triangle has no place in the pattern and is never chosen.
    let mut of_vertex = vec![DVec2::NAN; mesh.positions.len()];
    for (t, corners) in mesh.triangles.iter().zip(&mesh.uv_triangles) {
        for (v, c) in t.iter().zip(corners) {
            of_vertex[*v as usize] = (mesh.uv[*c as usize] - lo) / size;
        }
    }
    Some(of_vertex)
}

#[cfg(test)]
mod tests {
    use super::*;
    use toile_mesh::shape::{Diagonals, grid};

    #[test]
    fn named_parts_are_where_they_are_called() {
        let mesh = grid(1.0, 2.0, 3, 4, Diagonals::Alternating);
        let find = |select| Pin::of(select).find(&mesh, None).unwrap();
        assert_eq!(find(Select::Left), [0, 1, 2, 3, 4]);
        assert_eq!(find(Select::Right), [15, 16, 17, 18, 19]);
        assert_eq!(find(Select::Bottom), [0, 5, 10, 15]);
        assert_eq!(find(Select::Top), [4, 9, 14, 19]);
        assert_eq!(find(Select::Corners), [0, 4, 15, 19]);
        assert_eq!(find(Select::TopCorners), [4, 19]);
    }

    #[test]
    fn points_find_the_nearest_vertex_at_any_resolution() {
        for n in [4, 40] {
            let mesh = grid(1.0, 1.0, n, n, Diagonals::Alternating);
            let pin = Pin::new(Pinned::Points(vec![DVec2::new(0.5, 1.0)]));
            let v = pin.find(&mesh, None).unwrap();
            assert_eq!(mesh.positions[v[0] as usize], DVec3::new(0.0, 0.0, -0.5));
        }
    }

    #[test]
    fn a_pin_that_chooses_twice_or_nothing_is_refused() {
        let mesh = grid(1.0, 1.0, 2, 2, Diagonals::Alternating);
        let read = |text: &str| toml::from_str::<Pin>(text).map_err(|e| e.to_string());
        for text in ["", "until = 1.0", "select = \"top\"\nvertices = [0]"] {
            assert!(read(text).unwrap_err().contains("exactly one of"), "{text}");
        }
        assert_eq!(read("select = \"top\"\nuntil = 1.0"), Ok(Pin::of(Select::Top).until(1.0)));
        let beyond = Pin::vertices([9]);
        assert!(beyond.find(&mesh, None).unwrap_err().1.contains("vertex 9"));
        let none = Pin::vertices([]);
        assert!(none.find(&mesh, None).unwrap_err().1.contains("is empty"));
        let nowhere = Pin::new(Pinned::Points(vec![DVec2::new(0.5, 9.0)]));
        assert!(nowhere.find(&mesh, None).unwrap_err().1.contains("[0.5, 9.0]"));
        let empty = Pin::within(DVec3::ONE, DVec3::splat(2.0));
        assert!(empty.find(&mesh, None).unwrap_err().1.contains("no vertex"));
    }

    #[test]
    fn a_pin_is_written_as_it_is_read() {
        let corners = [DVec3::ZERO, DVec3::ONE];
        for what in [
            Pinned::Part(Select::TopCorners),
            Pinned::Points(vec![DVec2::new(0.5, 1.0)]),
            Pinned::Vertices(vec![3, 5]),
            Pinned::Box(corners),
        ] {
            let pin = Pin::new(what).until(2.0);
            let text = toml::to_string(&pin).unwrap();
            assert_eq!(toml::from_str::<Pin>(&text).unwrap(), pin, "{text}");
        }
    }
}
