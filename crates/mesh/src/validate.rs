//! Faults of meshes: what a simulation cannot live with, and what it should know.
//!
//! *Hard* faults make a mesh meaningless: an index that points nowhere, a coordinate that is not a
//! number. *Soft* faults leave it readable and drawable, but some method may refuse or mistreat
//! it: a triangle without area has no rest shape, an edge with three triangles has no hinge.
//!
//! A triangle counts as without area when twice its area is at most [`FLAT`] times the square of
//! its longest side, whatever its size.

use crate::{NONE, TriMesh, topology::edges_of};
use glam::{DVec2, DVec3};

/// Ratio of twice the area to the longest side squared below which a triangle counts as flat.
/// Differences and products of doubles are good to about 1e-16, so that at 1e-12 the direction of
/// the normal still has four digits.
pub const FLAT: f64 = 1e-12;

/// One fault of a mesh. Indices count from zero.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// There is nothing in it.
    #[error("the mesh has no triangles; export faces, not only points or curves")]
    Empty,
    /// A coordinate is infinite or not a number.
    #[error("vertex {vertex} has a coordinate that is not finite; remove it or export again")]
    NotFinite {
        /// Index of the vertex.
        vertex: u32,
    },
    /// A triangle uses a vertex that does not exist.
    #[error(
        "triangle {triangle} uses vertex {vertex}, but there are only {count} vertices; \
         renumber the triangles or add the missing vertices"
    )]
    IndexOutOfRange {
        /// Index of the triangle.
        triangle: u32,
        /// The index it uses.
        vertex: u32,
        /// How many vertices there are.
        count: usize,
    },
    /// A material coordinate is infinite or not a number.
    #[error("uv point {index} is not finite; unwrap the mesh again or remove its uv")]
    UvNotFinite {
        /// Index of the uv point.
        index: u32,
    },
    /// A triangle uses a uv point that does not exist.
    #[error(
        "triangle {triangle} uses uv point {index}, but there are only {count}; \
         renumber the uv triangles or remove the uv"
    )]
    UvIndexOutOfRange {
        /// Index of the triangle.
        triangle: u32,
        /// The uv index it uses.
        index: u32,
        /// How many uv points there are.
        count: usize,
    },
    /// There are uv indices, but not one triple for each triangle.
    #[error(
        "{uv_triangles} uv triangles for {triangles} triangles; \
         give every triangle uv indices or none"
    )]
    UvCount {
        /// How many uv triangles there are.
        uv_triangles: usize,
        /// How many triangles there are.
        triangles: usize,
    },
    /// A triangle uses one vertex twice.
    #[error("triangle {triangle} uses vertex {vertex} twice; remove the triangle")]
    RepeatedVertex {
        /// Index of the triangle.
        triangle: u32,
        /// The vertex.
        vertex: u32,
    },
    /// The corners of a triangle lie on a line.
    #[error("triangle {triangle} has no area; remove it, or collapse its shortest edge")]
    ZeroArea {
        /// Index of the triangle.
        triangle: u32,
    },
    /// The material coordinates of a triangle lie on a line: it has no rest shape.
    #[error("triangle {triangle} has no area in uv; unwrap the mesh again or remove its uv")]
    UvZeroArea {
        /// Index of the triangle.
        triangle: u32,
    },
    /// More than two triangles share an edge.
    #[error(
        "{triangles} triangles share the edge of vertices {} and {}; \
         split the surface there so that at most two meet", edge[0], edge[1]
    )]
    NonManifoldEdge {
        /// The two vertices, smaller index first.
        edge: [u32; 2],
        /// How many triangles use the edge.
        triangles: u32,
    },
    /// Two neighbouring triangles face opposite sides.
    #[error(
        "triangles {} and {} face opposite sides at the edge of vertices {} and {}; \
         recalculate the normals so that all agree", triangles[0], triangles[1], edge[0], edge[1]
    )]
    InconsistentOrientation {
        /// The two vertices of the shared edge, smaller index first.
        edge: [u32; 2],
        /// The two triangles.
        triangles: [u32; 2],
    },
    /// No triangle uses the vertex, so that it would have no mass.
    #[error("no triangle uses vertex {vertex}; delete loose vertices")]
    UnusedVertex {
        /// Index of the vertex.
        vertex: u32,
    },
}

impl Fault {
    /// Whether the mesh cannot be used at all.
    pub fn is_hard(&self) -> bool {
        matches!(
            self,
            Self::Empty
                | Self::NotFinite { .. }
                | Self::IndexOutOfRange { .. }
                | Self::UvNotFinite { .. }
                | Self::UvIndexOutOfRange { .. }
                | Self::UvCount { .. }
        )
    }
}

/// A mesh that cannot be used at all: its hard faults, at least one.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{}{}", faults[0], more(faults.len() - 1))]
pub struct InvalidMesh {
    /// The hard faults.
    faults: Vec<Fault>,
}

impl InvalidMesh {
    /// The hard faults, at least one.
    pub fn faults(&self) -> &[Fault] {
        &self.faults
    }
}

fn more(n: usize) -> String {
    if n == 0 { String::new() } else { format!(" (and {n} more)") }
}

/// What was found in a mesh.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Validation {
    /// All faults: hard ones first, each kind in the order of its indices.
    pub faults: Vec<Fault>,
}

impl Validation {
    /// Whether there is no fault at all.
    pub fn is_clean(&self) -> bool {
        self.faults.is_empty()
    }

    /// Faults that make the mesh unusable.
    pub fn hard(&self) -> impl Iterator<Item = &Fault> {
        self.faults.iter().filter(|f| f.is_hard())
    }

    /// Faults that some methods can live with.
    pub fn soft(&self) -> impl Iterator<Item = &Fault> {
        self.faults.iter().filter(|f| !f.is_hard())
    }

    /// The soft faults, to be shown as warnings.
    ///
    /// # Errors
    /// If there is a hard fault.
    pub fn into_result(self) -> Result<Vec<Fault>, InvalidMesh> {
        let (hard, soft): (Vec<_>, Vec<_>) = self.faults.into_iter().partition(Fault::is_hard);
        if hard.is_empty() { Ok(soft) } else { Err(InvalidMesh { faults: hard }) }
    }
}

impl TriMesh {
    /// Lists every fault. Never panics, whatever the mesh holds.
    pub fn validate(&self) -> Validation {
        let mut faults: Vec<Fault> = self.hard_faults().collect();
        if faults.iter().any(|f| !matches!(f, Fault::Empty)) {
            // Soft faults are about shapes and neighbours, which a broken mesh does not have.
            return Validation { faults };
        }
        self.flat_triangles(&mut faults);
        self.bad_edges(&mut faults);
        let mut used = vec![false; self.positions.len()];
        for v in self.triangles.iter().flatten() {
            used[*v as usize] = true;
        }
        let unused = (0..).zip(used).filter(|(_, used)| !used);
        faults.extend(unused.map(|(vertex, _)| Fault::UnusedVertex { vertex }));
        Validation { faults }
    }

    /// Finds the first hard fault only, in one quick pass.
    ///
    /// # Errors
    /// If there is one.
    pub fn check(&self) -> Result<(), Fault> {
        self.hard_faults().next().map_or(Ok(()), Err)
    }

    fn hard_faults(&self) -> impl Iterator<Item = Fault> {
        let count = self.positions.len();
        let uv_count = self.uv.len();
        let empty = self.triangles.is_empty().then_some(Fault::Empty);
        let positions = (0..).zip(&self.positions);
        let not_finite = positions
            .filter(|(_, p)| !p.is_finite())
            .map(|(vertex, _)| Fault::NotFinite { vertex });
        let triangles = (0..).zip(&self.triangles);
        let out_of_range = triangles.flat_map(move |(triangle, t)| {
            let bad = t.iter().filter(move |v| **v as usize >= count);
            bad.map(move |v| Fault::IndexOutOfRange { triangle, vertex: *v, count })
        });
        let uv_not_finite = (0..)
            .zip(&self.uv)
            .filter(|(_, p)| !p.is_finite())
            .map(|(index, _)| Fault::UvNotFinite { index });
        let (n_uv, n) = (self.uv_triangles.len(), self.triangles.len());
        let uv_mismatch =
            (n_uv != 0 && n_uv != n).then_some(Fault::UvCount { uv_triangles: n_uv, triangles: n });
        let uv_out_of_range = (0..).zip(&self.uv_triangles).flat_map(move |(triangle, t)| {
            let bad = t.iter().filter(move |v| **v as usize >= uv_count);
            bad.map(move |v| Fault::UvIndexOutOfRange { triangle, index: *v, count: uv_count })
        });
        empty
            .into_iter()
            .chain(not_finite)
            .chain(out_of_range)
            .chain(uv_not_finite)
            .chain(uv_mismatch)
            .chain(uv_out_of_range)
    }

    /// Triangles without area, in space and in uv. The mesh has no hard fault.
    fn flat_triangles(&self, faults: &mut Vec<Fault>) {
        for (triangle, t) in (0..).zip(&self.triangles) {
            if let Some(vertex) = repeated(t) {
                faults.push(Fault::RepeatedVertex { triangle, vertex });
            } else if is_flat(self.corners(triangle as usize)) {
                faults.push(Fault::ZeroArea { triangle });
            }
        }
        for triangle in 0..self.uv_triangles.len() {
            if is_flat(self.corners_uv(triangle).map(|p: DVec2| p.extend(0.0))) {
                faults.push(Fault::UvZeroArea { triangle: triangle as u32 });
            }
        }
    }

    /// Edges with more than two triangles, or with two that disagree about the front.
    fn bad_edges(&self, faults: &mut Vec<Fault>) {
        // A triangle that uses a vertex twice is reported already and has no proper edges.
        let (original, proper): (Vec<u32>, Vec<[u32; 3]>) = (0..)
            .zip(self.triangles.iter().copied())
            .filter(|(_, t)| repeated(t).is_none())
            .unzip();
        for e in edges_of(&proper).0 {
            if e.valence > 2 {
                faults.push(Fault::NonManifoldEdge { edge: e.vertices, triangles: e.valence });
            } else if e.triangles[1] != NONE {
                let [a, b] = e.triangles.map(|t| runs_upward(&proper[t as usize], e.vertices));
                if a == b {
                    let triangles = e.triangles.map(|t| original[t as usize]);
                    faults.push(Fault::InconsistentOrientation { edge: e.vertices, triangles });
                }
            }
        }
    }
}

/// The vertex a triangle uses twice.
pub(crate) fn repeated(t: &[u32; 3]) -> Option<u32> {
    let [a, b, c] = *t;
    if a == b || a == c {
        Some(a)
    } else if b == c {
        Some(b)
    } else {
        None
    }
}

/// Whether the triangle passes the edge from its smaller to its larger vertex.
fn runs_upward(t: &[u32; 3], edge: [u32; 2]) -> bool {
    (0..3).any(|k| [t[k], t[(k + 1) % 3]] == edge)
}

/// Whether the corners lie on a line, up to rounding.
pub(crate) fn is_flat([a, b, c]: [DVec3; 3]) -> bool {
    let sides = [b - a, c - b, a - c];
    // Scaled by the largest component, so that no size overflows or underflows.
    let scale = sides.iter().fold(0.0, |m: f64, s| m.max(s.abs().max_element()));
    if scale == 0.0 {
        return true;
    }
    let [p, q, r] = sides.map(|s| s / scale);
    let longest = p.length_squared().max(q.length_squared()).max(r.length_squared());
    p.cross(r).length() <= FLAT * longest
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn triangle() -> TriMesh {
        TriMesh::new(vec![DVec3::ZERO, DVec3::X, DVec3::Y], vec![[0, 1, 2]])
    }

    fn faults(mesh: &TriMesh) -> Vec<Fault> {
        mesh.validate().faults
    }

    #[test]
    fn a_sound_triangle_is_clean() {
        assert!(triangle().validate().is_clean());
        assert_eq!(triangle().check(), Ok(()));
    }

    #[test]
    fn an_empty_mesh_is_hard() {
        let v = TriMesh::default().validate();
        assert_eq!(v.faults, [Fault::Empty]);
        assert!(v.into_result().is_err());
    }

    #[test]
    fn a_mesh_of_points_is_empty_and_its_points_unused() {
        let points = TriMesh::new(vec![DVec3::ZERO], vec![]);
        assert_eq!(faults(&points), [Fault::Empty, Fault::UnusedVertex { vertex: 0 }]);
    }

    #[test]
    fn every_bad_index_is_listed() {
        let mut m = triangle();
        m.triangles.push([0, 7, u32::MAX]);
        let expected =
            [7, u32::MAX].map(|vertex| Fault::IndexOutOfRange { triangle: 1, vertex, count: 3 });
        assert_eq!(faults(&m), expected);
        assert_eq!(
            m.validate().into_result().unwrap_err().to_string(),
            "triangle 1 uses vertex 7, but there are only 3 vertices; \
             renumber the triangles or add the missing vertices (and 1 more)"
        );
    }

    #[test]
    fn a_nan_names_its_vertex() {
        let mut m = triangle();
        m.positions[2].z = f64::NAN;
        assert_eq!(m.check(), Err(Fault::NotFinite { vertex: 2 }));
    }

    #[test]
    fn degenerate_triangles_are_soft_at_any_size() {
        for size in [1e-200, 1e-9, 1.0, 1e200] {
            let mut m = triangle().map_positions(|p| p * size);
            assert!(m.validate().is_clean(), "size {size}");
            m.positions[2] = m.positions[1] * 0.5;
            assert_eq!(faults(&m), [Fault::ZeroArea { triangle: 0 }], "size {size}");
            assert!(m.validate().into_result().is_ok());
        }
        let twice = TriMesh { triangles: vec![[0, 1, 2], [1, 2, 2]], ..triangle() };
        assert_eq!(faults(&twice), [Fault::RepeatedVertex { triangle: 1, vertex: 2 }]);
    }

    #[test]
    fn three_triangles_on_an_edge_are_named() {
        let mut m = triangle();
        m.positions.extend([DVec3::Z, -DVec3::Z]);
        m.triangles.extend([[0, 1, 3], [1, 0, 4]]);
        assert_eq!(faults(&m), [Fault::NonManifoldEdge { edge: [0, 1], triangles: 3 }]);
    }

    #[test]
    fn a_flipped_neighbour_is_named_by_its_own_index() {
        let mut m = triangle();
        m.positions.push(DVec3::ONE);
        m.triangles = vec![[0, 0, 1], [0, 1, 2], [1, 2, 3]];
        let flipped = Fault::InconsistentOrientation { edge: [1, 2], triangles: [1, 2] };
        assert!(faults(&m).contains(&flipped));
        m.triangles[2] = [2, 1, 3];
        assert!(!faults(&m).contains(&flipped));
    }

    #[test]
    fn uv_faults_are_found() {
        let uv = vec![DVec2::ZERO, DVec2::X, DVec2::X * 2.0];
        let with = |uv: &[DVec2], t: &[[u32; 3]]| TriMesh {
            uv: uv.to_vec(),
            uv_triangles: t.to_vec(),
            ..triangle()
        };
        assert_eq!(faults(&with(&uv, &[[0, 1, 2]])), [Fault::UvZeroArea { triangle: 0 }]);
        let out = Fault::UvIndexOutOfRange { triangle: 0, index: 3, count: 3 };
        assert_eq!(faults(&with(&uv, &[[0, 1, 3]])), [out]);
        let count = Fault::UvCount { uv_triangles: 2, triangles: 1 };
        assert_eq!(faults(&with(&uv, &[[0, 1, 2]; 2])), [count]);
        let nan = with(&[DVec2::NAN], &[]);
        assert_eq!(faults(&nan), [Fault::UvNotFinite { index: 0 }]);
    }

    proptest! {
        #[test]
        fn validation_never_panics(
            positions in proptest::collection::vec(proptest::num::f64::ANY, 0..30),
            triangles in proptest::collection::vec(proptest::array::uniform3(0_u32..12), 0..12),
            uv in proptest::collection::vec(proptest::num::f64::ANY, 0..12),
            uv_triangles in proptest::collection::vec(proptest::array::uniform3(0_u32..7), 0..12),
        ) {
            let mesh = TriMesh {
                positions: positions.chunks_exact(3).map(DVec3::from_slice).collect(),
                triangles,
                uv: uv.chunks_exact(2).map(DVec2::from_slice).collect(),
                uv_triangles,
            };
            let v = mesh.validate();
            prop_assert_eq!(mesh.check().err(), v.hard().next().cloned());
            for f in &v.faults {
                prop_assert!(f.to_string().contains(';'), "no remedy in: {}", f);
            }
        }
    }
}
