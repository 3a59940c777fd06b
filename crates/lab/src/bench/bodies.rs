//! What fields, images and octrees of bodies cost, and how wrong they are (D7, D8, D9).
//!
//! Each stands in for the exact mesh of a closed body. They are asked about the same points, spread
//! evenly over the body's box and a little around it, and judged by the exact signed distance:
//!
//! - fields by the distance within two cells of the surface;
//! - depth maps by the depth of points that they rightly take to be inside;
//! - layered depth images and octrees, which only know inside from outside, by how far from the
//!   surface a point is that they take for the other.

use super::{middle, timed};
use glam::DVec3;
use serde::{Deserialize, Serialize};
use std::f64::consts::{PI, TAU};
use toile::Error;
use toile_collide::field::{DenseField, Solid, SolidError, Spacing, SparseField};
use toile_collide::image::{DepthMaps, Frame, LayeredDepthImage};
use toile_collide::voxel::Octree;

/// A closed body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Shape {
    /// A ring of radius 0.3 m, 0.1 m thick each way.
    Torus,
    /// A head, a trunk, two arms and two legs: capsules that do not touch.
    Figure,
}

impl Shape {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Torus, Self::Figure];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Torus => "torus",
            Self::Figure => "figure",
        }
    }

    /// Its mesh.
    fn mesh(self) -> Mesh {
        let mut mesh = Mesh::default();
        match self {
            Self::Torus => mesh.add_torus(0.3, 0.1),
            Self::Figure => {
                let at = DVec3::new;
                mesh.add_capsule(at(0.0, 1.62, 0.0), at(0.0, 1.66, 0.0), 0.1);
                mesh.add_capsule(at(0.0, 1.05, 0.0), at(0.0, 1.35, 0.0), 0.15);
                for side in [-1.0, 1.0] {
                    mesh.add_capsule(at(0.22 * side, 1.38, 0.0), at(0.45 * side, 0.9, 0.0), 0.05);
                    mesh.add_capsule(at(0.1 * side, 0.1, 0.0), at(0.1 * side, 0.8, 0.0), 0.08);
                }
            }
        }
        mesh
    }
}

#[derive(Default)]
struct Mesh {
    x: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
}

impl Mesh {
    fn add_torus(&mut self, major: f64, minor: f64) {
        let (around, across) = (128_u32, 48_u32);
        for i in 0..around {
            for j in 0..across {
                let a = TAU * f64::from(i) / f64::from(around);
                let b = TAU * f64::from(j) / f64::from(across);
                let r = major + minor * libm::cos(b);
                self.x.push(DVec3::new(r * libm::cos(a), minor * libm::sin(b), -r * libm::sin(a)));
            }
        }
        let at = |i: u32, j: u32| (i % around) * across + j % across;
        for i in 0..around {
            for j in 0..across {
                let (p, q) = (at(i, j), at(i + 1, j));
                let (r, s) = (at(i + 1, j + 1), at(i, j + 1));
                self.triangles.extend([[p, q, r], [p, r, s]]);
            }
        }
    }

    /// A capsule from `a` to `b`: rings from pole to pole, the two middle ones on its cylinder.
    fn add_capsule(&mut self, a: DVec3, b: DVec3, radius: f64) {
        let (around, half) = (48_u32, 12_u32);
        let rings = 2 * half + 1;
        let up = (b - a).normalize_or(DVec3::Y);
        let (e, f) = up.any_orthonormal_pair();
        let first = self.x.len() as u32;
        self.x.push(a - radius * up);
        for ring in 1..rings {
            // Half of the rings belong to each end.
            let quarter = 0.5 * PI / f64::from(half);
            let (centre, angle) = match ring.checked_sub(half + 1) {
                None => (a, -quarter * f64::from(half - ring)),
                Some(beyond) => (b, quarter * f64::from(beyond)),
            };
            let (out, along) = (radius * libm::cos(angle), radius * libm::sin(angle));
            for i in 0..around {
                let turn = TAU * f64::from(i) / f64::from(around);
                let side = libm::cos(turn) * e + libm::sin(turn) * f;
                self.x.push(centre + out * side + along * up);
            }
        }
        self.x.push(b + radius * up);
        let at = |ring: u32, i: u32| first + 1 + (ring - 1) * around + i % around;
        let last = first + 1 + (rings - 1) * around;
        for i in 0..around {
            self.triangles.push([first, at(1, i + 1), at(1, i)]);
            self.triangles.push([last, at(rings - 1, i), at(rings - 1, i + 1)]);
            for ring in 1..rings - 1 {
                let (p, q) = (at(ring, i), at(ring, i + 1));
                let (r, s) = (at(ring + 1, i + 1), at(ring + 1, i));
                self.triangles.extend([[p, q, r], [p, r, s]]);
            }
        }
    }
}

/// How one method did on one body.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// The body.
    pub shape: Shape,
    /// Triangles of its mesh.
    pub triangles: usize,
    /// The method.
    pub method: String,
    /// Side of a cell or pixel [m]; 0 for the mesh itself.
    pub cell: f64,
    /// Time to build it [s].
    pub build_seconds: f64,
    /// Time to ask about a point [ns].
    pub nanoseconds: f64,
    /// What it keeps beside the mesh, about [bytes].
    pub bytes: usize,
    /// The worst error; see the module [m].
    pub worst_error: f64,
    /// Part of the points taken to be inside but outside, or the other way round.
    pub wrong_side: f64,
}

/// Points asked about.
const POINTS: usize = 20_000;

/// A method's answer about a point.
#[derive(Clone, Copy)]
struct Answer {
    inside: bool,
    /// Signed distance [m], if it knows one.
    distance: Option<f64>,
}

/// Measures all methods on all bodies, with `cells` along a body's longest side. Times are medians of
/// `repeats`.
///
/// # Errors
/// If the cells are too many or none.
pub fn measure(cells: usize, repeats: usize) -> Result<Vec<Row>, Error> {
    let mut rows = Vec::new();
    for shape in Shape::ALL {
        rows.extend(measure_shape(shape, cells, repeats).map_err(|e| {
            Error::request(format!("{} cells: {e}", cells), "ask for 8 to 512 cells")
        })?);
    }
    Ok(rows)
}

fn measure_shape(shape: Shape, cells: usize, repeats: usize) -> Result<Vec<Row>, SolidError> {
    let mesh = shape.mesh();
    let (solid, build) = timed(|| Solid::new(&mesh.x, &mesh.triangles));
    let solid = solid?;
    let cell = solid.spacing_for(cells.max(1));
    let points = points(&solid, 2.0 * cell);
    let exact: Vec<f64> = points.iter().map(|p| solid.signed_distance(*p)).collect();
    let row = |method: &str, build: f64, bytes: usize, ask: &dyn Fn(DVec3) -> Answer| {
        let mut answers = Vec::new();
        let time = |_| timed(|| answers = points.iter().map(|p| ask(*p)).collect()).1;
        let seconds = middle((0..repeats.max(1)).map(time).collect());
        let (worst_error, wrong_side) = judge(&answers, &exact, 2.0 * cell);
        Row {
            shape,
            triangles: mesh.triangles.len(),
            method: method.into(),
            cell,
            build_seconds: build,
            nanoseconds: 1e9 * seconds / points.len() as f64,
            bytes,
            worst_error,
            wrong_side,
        }
    };
    let (axis, of_distance) = (2, |d: f64| Answer { inside: d < 0.0, distance: Some(d) });
    let mut rows = Vec::new();
    let ask = |p| of_distance(solid.signed_distance(p));
    rows.push(Row { cell: 0.0, ..row("exact", build, 0, &ask) });

    let (field, build) = timed(|| DenseField::new(&solid, Spacing::cell(cell)));
    let field = field?;
    let far = Answer { inside: false, distance: None };
    let ask = |p| field.sample(p).map_or(far, |s| of_distance(s.distance));
    rows.push(row("dense field", build, 4 * field.len(), &ask));

    let (field, build) = timed(|| SparseField::new(&solid, Spacing::cell(cell)));
    let field = field?;
    let ask = |p| field.sample(p).map_or(far, |s| of_distance(s.distance));
    rows.push(row("sparse field", build, 4 * field.len(), &ask));

    let (maps, build) = timed(|| DepthMaps::new(&solid, axis, cell));
    let maps = maps?;
    let ask = |p| maps.query(p).map_or(far, |d| of_distance(-d.depth));
    // Front and back of a pixel are a depth and a normal each.
    rows.push(row("depth maps", build, 64 * pixels(maps.frame()), &ask));

    let frame = Frame::around(solid.bounds().0, solid.bounds().1, axis, cell)?;
    let (image, build) = timed(|| LayeredDepthImage::new(&solid, frame));
    let image = image?;
    let ask = |p| Answer { inside: image.contains(p), distance: None };
    let [nu, nv] = frame.counts();
    let layers: usize = (0..nv)
        .flat_map(|j| (0..nu).map(move |i| (i, j)))
        .map(|(i, j)| image.layers(i, j).len())
        .sum();
    rows.push(row("layered depth image", build, 16 * layers + 8 * pixels(&frame), &ask));

    let copy = solid.clone();
    let (octree, build) = timed(|| Octree::new(copy, cell));
    let octree = octree?;
    let ask = |p| Answer { inside: octree.contains(p), distance: None };
    rows.push(row("octree", build, 12 * octree.len(), &ask));
    Ok(rows)
}

fn pixels(frame: &Frame) -> usize {
    let [nu, nv] = frame.counts();
    nu * nv
}

/// Points spread evenly over the body's box, enlarged by a margin: fractions of multiples of
/// powers of the plastic number's relative in three dimensions.
fn points(solid: &Solid, margin: f64) -> Vec<DVec3> {
    let (lo, hi) = solid.bounds();
    let (lo, hi) = (lo - margin, hi + margin);
    // The root of g⁴ = g + 1.
    let g = 1.220_744_084_605_759_5_f64;
    let step = DVec3::new(1.0 / g, 1.0 / (g * g), 1.0 / (g * g * g));
    (0..POINTS).map(|i| lo + (hi - lo) * (step * (i as f64 + 0.5)).fract()).collect()
}

/// The worst error, and the part of points on the wrong side.
fn judge(answers: &[Answer], exact: &[f64], band: f64) -> (f64, f64) {
    let (mut worst, mut wrong) = (0.0_f64, 0_usize);
    for (answer, exact) in answers.iter().zip(exact) {
        if answer.inside != (*exact < 0.0) {
            wrong += 1;
            worst = worst.max(exact.abs());
        } else if let Some(d) = answer.distance
            && exact.abs() <= band
        {
            worst = worst.max((d - exact).abs());
        }
    }
    (worst, wrong as f64 / exact.len().max(1) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Vec<Row> {
        measure(32, 1).unwrap()
    }

    #[test]
    fn every_method_is_measured_on_every_body_and_the_mesh_is_exact() {
        let rows = table();
        assert_eq!(rows.len(), 12);
        for row in &rows {
            assert!(row.nanoseconds > 0.0 && row.worst_error.is_finite(), "{row:?}");
            if row.method == "exact" {
                assert!(row.worst_error == 0.0 && row.wrong_side == 0.0, "{row:?}");
            }
        }
    }

    #[test]
    fn fields_are_right_to_a_cell_and_octrees_know_inside_from_outside() {
        for row in table() {
            match row.method.as_str() {
                "dense field" | "sparse field" => assert!(row.worst_error < row.cell, "{row:?}"),
                "octree" => assert!(row.wrong_side < 1e-3 && row.worst_error < 1e-6, "{row:?}"),
                // Pixels: nothing is right at a rim that is seen edge-on.
                _ => {}
            }
        }
    }

    #[test]
    fn no_cells_at_all_are_refused() {
        assert!(measure(usize::MAX, 1).is_err());
    }
}
