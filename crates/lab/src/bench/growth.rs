//! How the cost of collision detection grows with the mesh.
//!
//! Sheets of the same shape but finer and finer meshes are asked for the candidate pairs of one
//! step, with and without pruning. Counts of operations are the same on every machine; the
//! exponent p of `cost = c · nᵖ` is fitted to them, and to the time, by least squares on logarithms.
//! A method that costs n log n has p ≈ 1.1 between 30 000 and 500 000 triangles.
//!
//! The sheets are bent with hardly any stretch, so that a finer mesh is the same cloth. What depends on the size of
//! triangles is in proportion to it: the separation, as a fabric may not be thicker than its
//! triangles allow, the gaps between layers that touch, and the way of the step. Were they fixed, a
//! finer mesh would have thicker cloth in terms of its triangles: another problem, not a larger one.
//!
//! Limits: a bend must be several leaves of the tree wide to be told from a fold; below 30 000 triangles
//! the drape is too coarse for that and costs more for each triangle.

use super::scenes::{Case, Kind, Measures, pleats};
use super::{middle, timed};
use glam::DVec2;
use serde::{Deserialize, Serialize};
use toile_collide::{Counts, Options, prune};

/// Numbers of triangles that are measured, about. Each grid has twice as many cells along its sides as
/// the one before, so that leaves of their trees are filled alike.
pub const SIZES: [usize; 3] = [32_768, 131_072, 524_288];

/// Why an update cannot fail.
const FINITE: &str = "the sheets are finite";

/// Distance at which a pair becomes a candidate, and the way of the step, as parts of an edge.
const SEPARATION: f64 = 0.2;
const WAY: f64 = 0.1;

/// A sheet of one square metre.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Sheet {
    /// Flat.
    Flat,
    /// Gathered at its top and hanging in wide folds whose necks are closed.
    Draped,
    /// A ribbon folded to a heap of 25 layers, all of them in contact.
    Crumpled,
}

impl Sheet {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Flat, Self::Draped, Self::Crumpled];

    /// The sheet with about as many triangles as wanted.
    fn case(self, triangles: usize) -> Case {
        let kind = match self {
            Self::Flat => Kind::Flat,
            Self::Draped => Kind::Draped,
            Self::Crumpled => Kind::Ribbon,
        };
        // A square metre of squares, two triangles each.
        let edge = (2.0 / triangles.max(2) as f64).sqrt();
        let separation = SEPARATION * edge;
        let pleats = pleats::Shape { bend: 70e-3, limb: 90e-3, gap: 0.96 * separation };
        let measures = Measures { separation, layer: separation / 1.1, way: WAY * edge, pleats };
        Case::with(kind, triangles, measures)
    }
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
    let case = sheet.case(triangles);
    let mut detector = case.detector(Options::default());
    detector.update(case.motion(), case.separation, None).expect(FINITE);
    detector.self_candidates(prune::DEFAULT_LIMIT).1.feature_pairs
}

fn measure(sheet: Sheet, triangles: usize, repeats: usize) -> Row {
    let case = sheet.case(triangles);
    let mut detector = case.detector(Options::default());
    let refit_seconds = median(repeats, || {
        detector.update(case.motion(), case.separation, None).expect(FINITE);
    });
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
    fn operations_grow_like_the_mesh() {
        for growth in detection(&SIZES[..2], 1).growth {
            assert!((0.9..=1.1).contains(&growth.operations), "{growth:?}");
        }
    }

    #[test]
    fn pruning_skips_all_self_tests_of_a_flat_sheet_most_of_a_draped_one_and_some_of_a_heap() {
        for row in detection(&SIZES[..1], 1).rows {
            let least = match row.sheet {
                Sheet::Flat => 0.99,
                Sheet::Draped => 0.5,
                // Layers that touch must be compared; within each, little needs to be.
                Sheet::Crumpled => 0.05,
            };
            assert!(row.triangle_pairs_without_cones > 5 * row.triangles as u64, "{row:?}");
            assert!(row.skipped > least, "{row:?}");
        }
    }

    #[test]
    fn counts_do_not_depend_on_threads_and_agree_with_the_fixed_work() {
        let size = 6_000;
        let run = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            pool.expect("threads can be started").install(|| detection(&[size], 1))
        };
        let (one, two) = (run(1), run(2));
        assert_eq!(counts(&one), counts(&two));
        for row in &one.rows {
            assert_eq!(detection_work(row.sheet, size), row.feature_pairs);
        }
    }

    #[test]
    fn the_exponent_of_a_power_law_is_found() {
        let points = [10, 100, 1000].map(|n| (n, 7.0 * f64::powf(n as f64, 1.25)));
        assert!((exponent(points.into_iter()) - 1.25).abs() < 1e-12);
    }
}
