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

/// Vertices that go where they are told. Exactly one of `select`, `points`, `vertices` and `box`
/// says which.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Pin {
    /// A named part.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub select: Option<Select>,
    /// The vertices nearest to these places in the pattern, each from (0, 0) at the lower left to
    /// (1, 1) at the upper right.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub points: Option<Vec<DVec2>>,
    /// Vertices by number, counted from 0 within the cloth.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vertices: Option<Vec<u32>>,
    /// All vertices that begin between two corners of a box [m].
    #[serde(rename = "box", skip_serializing_if = "Option::is_none")]
    pub within: Option<[DVec3; 2]>,
    /// How they move.
    pub motion: Motion,
    /// Until when they are held [s]; to the end if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<f64>,
}

impl Pin {
    /// Holds a named part still.
    pub fn of(select: Select) -> Self {
        Self { select: Some(select), ..Self::default() }
    }

    /// Lets it move.
    #[must_use]
    pub fn moving(mut self, motion: Motion) -> Self {
        self.motion = motion;
        self
    }

    /// Numbers of the vertices in the mesh of one sheet, or what is wrong and where. `map` has the
    /// new numbers of the vertices of its file, if they were merged.
    pub(super) fn find(
        &self,
        mesh: &TriMesh,
        map: Option<&[u32]>,
    ) -> Result<Vec<u32>, (&'static str, String)> {
        let count = mesh.positions.len();
        let chosen = [
            self.select.is_some(),
            self.points.is_some(),
            self.vertices.is_some(),
            self.within.is_some(),
        ];
        if chosen.iter().filter(|c| **c).count() != 1 {
            let reason = "needs exactly one of `select`, `points`, `vertices` and `box`";
            return Err(("", reason.into()));
        }
        if self.until.is_some_and(|t| t.is_nan()) {
            return Err(("until", "is not a number".into()));
        }
        let lists = [
            ("points", self.points.as_ref().is_some_and(Vec::is_empty)),
            ("vertices", self.vertices.as_ref().is_some_and(Vec::is_empty)),
        ];
        if let Some((key, _)) = lists.iter().find(|(_, is_empty)| *is_empty) {
            return Err((key, "is empty; a pin holds at least one vertex".into()));
        }
        if let Some(vertices) = &self.vertices {
            let count = map.map_or(count, <[u32]>::len);
            if let Some(v) = vertices.iter().find(|v| **v as usize >= count) {
                return Err((
                    "vertices",
                    format!("names vertex {v}; there are 0 to {}", count - 1),
                ));
            }
            let Some(map) = map else { return Ok(vertices.clone()) };
            let mut merged: Vec<u32> = vertices.iter().map(|v| map[*v as usize]).collect();
            merged.sort_unstable();
            merged.dedup();
            return Ok(merged);
        }
        if let Some([a, b]) = self.within {
            let (lo, hi) = (a.min(b), a.max(b));
            let inside = |p: &DVec3| p.cmpge(lo).all() && p.cmple(hi).all();
            let found: Vec<u32> =
                (0..).zip(&mesh.positions).filter(|(_, p)| inside(p)).map(|(i, _)| i).collect();
            if found.is_empty() {
                return Err(("box", "holds no vertex".into()));
            }
            return Ok(found);
        }
        let key = if self.select.is_some() { "select" } else { "points" };
        let Some(uv) = unit_square(mesh) else {
            let reason =
                "needs material coordinates, which this mesh lacks; use `box` or `vertices`";
            return Err((key, reason.into()));
        };
        if let Some(points) = &self.points {
            let nearest = |p: &DVec2| {
                let distance = |v: &u32| uv[*v as usize].distance_squared(*p);
                (0..count as u32).min_by(|a, b| distance(a).total_cmp(&distance(b)))
            };
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
            let mut found: Vec<u32> = points.iter().filter_map(nearest).collect();
            found.sort_unstable();
            found.dedup();
            return Ok(found);
        }
        let select = self.select.unwrap_or(Select::Top);
        let chosen = |p: &DVec2| {
            let (left, right) = (p.x < EDGE, p.x > 1.0 - EDGE);
            let (bottom, top) = (p.y < EDGE, p.y > 1.0 - EDGE);
            match select {
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
}

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
            let pin = Pin { points: Some(vec![DVec2::new(0.5, 1.0)]), ..Pin::default() };
            let v = pin.find(&mesh, None).unwrap();
            assert_eq!(mesh.positions[v[0] as usize], DVec3::new(0.0, 0.0, -0.5));
        }
    }

    #[test]
    fn a_pin_that_chooses_twice_or_nothing_is_refused() {
        let mesh = grid(1.0, 1.0, 2, 2, Diagonals::Alternating);
        assert!(Pin::default().find(&mesh, None).is_err());
        let twice = Pin { vertices: Some(vec![0]), ..Pin::of(Select::Top) };
        assert!(twice.find(&mesh, None).is_err());
        let beyond = Pin { vertices: Some(vec![9]), ..Pin::default() };
        assert!(beyond.find(&mesh, None).unwrap_err().1.contains("vertex 9"));
        let none = Pin { vertices: Some(Vec::new()), ..Pin::default() };
        assert!(none.find(&mesh, None).unwrap_err().1.contains("is empty"));
        let nowhere = Pin { points: Some(vec![DVec2::new(0.5, 9.0)]), ..Pin::default() };
        assert!(nowhere.find(&mesh, None).unwrap_err().1.contains("[0.5, 9.0]"));
    }
}
