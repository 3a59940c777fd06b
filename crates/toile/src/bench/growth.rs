//! How the cost of collision detection grows with the mesh.
//!
//! Sheets of the same shape but finer and finer meshes are asked for the candidate pairs of one
//! step, with and without normal cones. Counts of operations are the same on every machine; the
//! exponent p of `cost = c · nᵖ` is fitted to them, and to the time, by least squares on logarithms.
//! A method that costs n log n has p ≈ 1.1 between 2000 and 200 000 triangles.

use super::{middle, timed};
use glam::{DVec2, DVec3};
use serde::{Deserialize, Serialize};
use toile_collide::broad::Detector;
use toile_collide::{Counts, Motion, Surface, prune};
use toile_mesh::shape::{Diagonals, grid};
use toile_mesh::{Topology, TriMesh};

/// Numbers of triangles that are measured, about: grids have twice a square.
pub const SIZES: [usize; 5] = [2_000, 6_000, 20_000, 60_000, 200_000];

/// Why an update cannot fail.
const FINITE: &str = "the sheets are finite";

/// Distance at which a pair becomes a candidate [m].
const SEPARATION: f64 = 5e-4;

/// A sheet of one square metre.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Sheet {
    /// Flat.
    Flat,
    /// Over a ball, the rim hanging down in folds.
    Draped,
    /// In short steep waves along both directions, with overhangs.
    Crumpled,
}

impl Sheet {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Flat, Self::Draped, Self::Crumpled];

    /// Where the material point `p` is [m].
    fn at(self, p: DVec2) -> DVec3 {
        let (sin, cos) = (libm::sin, libm::cos);
        match self {
            Self::Flat => DVec3::new(p.x, 0.0, -p.y),
            Self::Draped => {
                // On a ball up to a radius, then down along folds that grow deeper.
                let (ball, rim) = (0.25, 0.3);
                let (r, phi) = (p.length(), libm::atan2(p.y, p.x));
                let bent = r.min(rim) / ball;
                let fall = (r - rim).max(0.0);
                let fold = 0.35 * fall * sin(10.0 * phi) + 0.1 * fall * sin(23.0 * phi);
                let radius = ball * sin(bent) + 0.15 * fall + fold;
                DVec3::new(radius * cos(phi), ball * cos(bent) - 0.95 * fall, radius * sin(phi))
            }
            Self::Crumpled => DVec3::new(
                0.5 * p.x + 0.03 * sin(47.0 * p.y + 5.0 * p.x),
                0.06 * sin(41.0 * p.x) + 0.04 * sin(53.0 * p.y + 3.0 * p.x),
                -0.5 * p.y + 0.03 * sin(59.0 * p.x - 7.0 * p.y),
            ),
        }
    }

    /// A detector, and the positions at both ends of a step of a millisecond.
    fn scene(self, triangles: usize) -> (Detector, Vec<DVec3>, Vec<DVec3>) {
        let n = ((triangles as f64 / 2.0).sqrt().round() as usize).max(1);
        let mesh = grid(1.0, 1.0, n, n, Diagonals::Alternating);
        let x_t0: Vec<DVec3> = mesh.uv.iter().map(|p| self.at(*p)).collect();
        // Falls by a millimetre, and swings a little.
        let swing =
            |x: DVec3| DVec3::new(2e-4 * libm::sin(9.0 * x.y), -1e-3, 1e-4 * libm::sin(7.0 * x.x));
        let x_t1 = x_t0.iter().map(|x| *x + swing(*x)).collect();
        (detector(&mesh), x_t0, x_t1)
    }
}

fn detector(mesh: &TriMesh) -> Detector {
    let topology = Topology::new(mesh.positions.len(), &mesh.triangles);
    let surface = Surface::new(mesh.positions.len(), &mesh.triangles, &topology);
    let uv: Vec<[DVec2; 3]> = (0..mesh.triangles.len()).map(|t| mesh.corners_uv(t)).collect();
    Detector::for_cloth(surface, &uv, &vec![0; mesh.triangles.len()])
}

/// What one detection cost.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// The shape.
    pub sheet: Sheet,
    /// Triangles of its mesh.
    pub triangles: usize,
    /// Nodes of the tree: each is refit once.
    pub nodes: u64,
    /// Nodes whose cone was looked at.
    pub cone_tests: u64,
    /// Pairs of boxes that were compared.
    pub box_tests: u64,
    /// Pairs of triangles whose boxes overlap, with cones.
    pub triangle_pairs: u64,
    /// The same without cones.
    pub triangle_pairs_without_cones: u64,
    /// Part of these self tests that cones skip.
    pub skipped: f64,
    /// Feature pairs that are left to be tested exactly.
    pub feature_pairs: u64,
    /// Time to refit tree and cones [s], median.
    pub refit_seconds: f64,
    /// Time to find the candidates [s], median.
    pub query_seconds: f64,
}

impl Row {
    /// Everything that is done once for each node, pair of nodes or pair of features.
    pub fn operations(&self) -> u64 {
        self.nodes + self.cone_tests + self.box_tests + self.triangle_pairs + self.feature_pairs
    }
}

/// How cost grows with the number of triangles n.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Growth {
    /// The shape.
    pub sheet: Sheet,
    /// Exponent of n in the number of operations.
    pub operations: f64,
    /// Exponent of n in the time.
    pub seconds: f64,
}

/// The whole table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Detection {
    /// Threads that were used.
    pub threads: usize,
    /// One row for each sheet and size.
    pub rows: Vec<Row>,
    /// One for each sheet; empty if there is only one size.
    pub growth: Vec<Growth>,
}

/// Measures all sheets at all sizes (numbers of triangles, see [`SIZES`]); each time is the median
/// of `repeats`.
pub fn detection(sizes: &[usize], repeats: usize) -> Detection {
    let mut table =
        Detection { threads: rayon::current_num_threads(), rows: Vec::new(), growth: Vec::new() };
    for sheet in Sheet::ALL {
        let rows: Vec<Row> = sizes.iter().map(|n| measure(sheet, *n, repeats.max(1))).collect();
        if sizes.len() > 1 {
            let seconds = |r: &Row| r.refit_seconds + r.query_seconds;
            table.growth.push(Growth {
                sheet,
                operations: exponent(rows.iter().map(|r| (r.triangles, r.operations() as f64))),
                seconds: exponent(rows.iter().map(|r| (r.triangles, seconds(r)))),
            });
        }
        table.rows.extend(rows);
    }
    table
}

/// The same work as one measurement, once and without a clock, for tools that count instructions.
/// Returns the number of feature pairs.
pub fn detection_work(sheet: Sheet, triangles: usize) -> u64 {
    let (mut detector, x_t0, x_t1) = sheet.scene(triangles);
    detector.update(Motion { x_t0: &x_t0, x_t1: &x_t1 }, SEPARATION, None).expect(FINITE);
    detector.self_candidates(prune::DEFAULT_LIMIT).1.feature_pairs
}

fn measure(sheet: Sheet, triangles: usize, repeats: usize) -> Row {
    let (mut detector, x_t0, x_t1) = sheet.scene(triangles);
    let motion = Motion { x_t0: &x_t0, x_t1: &x_t1 };
    let refit_seconds =
        median(repeats, || detector.update(motion, SEPARATION, None).expect(FINITE));
    let mut found = Counts::default();
    let query_seconds = median(repeats, || {
        found = detector.self_candidates(prune::DEFAULT_LIMIT).1;
    });
    let (_, all) = detector.self_candidates(0.0);
    let pruned = all.triangle_pairs.saturating_sub(found.triangle_pairs);
    Row {
        sheet,
        triangles: detector.surface.triangles.len(),
        nodes: detector.node_count() as u64,
        cone_tests: found.cone_tests,
        box_tests: found.box_tests,
        triangle_pairs: found.triangle_pairs,
        triangle_pairs_without_cones: all.triangle_pairs,
        skipped: pruned as f64 / all.triangle_pairs.max(1) as f64,
        feature_pairs: found.feature_pairs,
        refit_seconds,
        query_seconds,
    }
}

fn median(repeats: usize, mut work: impl FnMut()) -> f64 {
    middle((0..repeats).map(|_| timed(&mut work).1).collect())
}

/// Slope of the line through (log n, log cost), by least squares.
fn exponent(points: impl Iterator<Item = (usize, f64)>) -> f64 {
    let logs: Vec<DVec2> = points
        .map(|(n, cost)| DVec2::new(libm::log(n as f64), libm::log(cost.max(1e-12))))
        .collect();
    let mean = logs.iter().sum::<DVec2>() / logs.len() as f64;
    let (mut along, mut across) = (0.0, 0.0);
    for p in &logs {
        along += (p.x - mean.x) * (p.y - mean.y);
        across += (p.x - mean.x) * (p.x - mean.x);
    }
    along / across
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The counts of a row: what must not depend on the machine.
    fn counts(table: &Detection) -> Vec<[u64; 6]> {
        let of = |r: &Row| {
            let pairs = [r.triangle_pairs, r.triangle_pairs_without_cones, r.feature_pairs];
            [r.nodes, r.cone_tests, r.box_tests, pairs[0], pairs[1], pairs[2]]
        };
        table.rows.iter().map(of).collect()
    }

    #[test]
    fn detection_grows_hardly_faster_than_the_mesh() {
        let table = detection(&SIZES[..4], 1);
        // Below one where finer meshes have flatter patches; how far below is no fault.
        for growth in &table.growth {
            assert!((0.5..1.15).contains(&growth.operations), "{growth:?}");
        }
    }

    #[test]
    fn pruning_skips_nearly_all_self_tests_of_a_flat_sheet_and_some_of_a_draped_one() {
        for row in detection(&SIZES[1..3], 1).rows {
            let least = match row.sheet {
                Sheet::Flat => 0.95,
                // This sheet squeezes its cloth; only what is nearly isometric is proved flat.
                Sheet::Draped => 0.2,
                // Waves a few triangles long: hardly two triangles face the same way.
                Sheet::Crumpled => 0.0,
            };
            assert!(row.triangle_pairs_without_cones > 5 * row.triangles as u64, "{row:?}");
            assert!(row.skipped >= least, "{row:?}");
        }
    }

    #[test]
    fn counts_do_not_depend_on_threads_and_agree_with_the_fixed_work() {
        let run = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            pool.expect("threads can be started").install(|| detection(&SIZES[..2], 1))
        };
        let (one, two) = (run(1), run(2));
        assert_eq!(counts(&one), counts(&two));
        for row in &one.rows {
            assert_eq!(detection_work(row.sheet, row.triangles), row.feature_pairs);
        }
    }

    #[test]
    fn the_exponent_of_a_power_law_is_found() {
        let points = [10, 100, 1000].map(|n| (n, 7.0 * f64::powf(n as f64, 1.25)));
        assert!((exponent(points.into_iter()) - 1.25).abs() < 1e-12);
    }
}
