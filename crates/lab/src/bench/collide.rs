//! Which choices of a detector are best, when.
//!
//! On every scene and size one choice at a time is changed from the default, and what a step of
//! detection costs is measured: building the tree, taking up a step (refit), finding candidates (query)
//! and deciding them (narrow, by separating planes). Of the query, the part that finds pairs of triangles
//! whose boxes overlap (traverse) is measured by itself too, and of that the way down the tree to pairs of leaves
//! (descend); refit and traversal are what culling costs, the rest depends on how much of the cloth
//! touches. Counts are the same on every machine.
//!
//! A *true pair* comes nearer than the separation at some time of the step, and is not merely near
//! because it is near in the cloth: its features are of different cloths, or more than four
//! separations apart in the material. Pruning may leave out neighbours in the cloth, and nothing else;
//! so every choice finds the same true pairs.
//!
//! *Narrow pairs* are what the query hands on: pairs of features whose boxes overlap and which, unless
//! nothing is pruned, no plane was found to keep apart over the whole step. Each of them costs the narrow phase
//! a decision; how many there are for each true pair tells how good the culling is.
//!
//! Taking up a step is measured over four small steps of a quarter of the motion, so that inflated
//! volumes show what they save.

mod truth;

use super::scenes::{Case, Kind};
use super::{middle, timed};
use serde::{Deserialize, Serialize};
use std::time::Instant;
use toile_collide::broad::Detector;
use toile_collide::ccd::{Ccd, Filter, Pair, Separation};
use toile_collide::prune::{self, Prune};
use toile_collide::tree::{Build, Descend, Refit};
use toile_collide::volume::VolumeKind;
use toile_collide::{Arity, Candidates, Counts, Motion, Options};
pub use truth::true_pairs;

/// Numbers of triangles that are measured.
pub const SIZES: [usize; 3] = [10_000, 100_000, 1_000_000];

/// Candidates that may be kept at once: two gigabytes.
const MAX_PAIRS: f64 = 2.5e8;

/// A way to make a detector.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Choice {
    /// What is chosen: `volume`, `build`, …; `default` for the default.
    pub group: String,
    /// Which one.
    pub value: String,
    /// All of the options.
    pub options: Options,
}

impl Choice {
    pub(super) fn new(group: &str, value: impl Serialize, options: Options) -> Self {
        let text = match serde_json::to_value(value) {
            Ok(serde_json::Value::String(text)) => text,
            Ok(other) => other.to_string(),
            Err(_) => String::new(),
        };
        Self { group: group.into(), value: text, options }
    }

    /// Both parts of its name.
    pub fn name(&self) -> String {
        match self.group.as_str() {
            "default" => "default".into(),
            group => format!("{group} {}", self.value),
        }
    }
}

/// The default, then everything that differs from it in one choice.
pub fn choices() -> Vec<Choice> {
    let d = Options::default();
    let mut all = vec![Choice::new("default", "", d)];
    all.extend(Prune::ALL.map(|prune| Choice::new("prune", prune, Options { prune, ..d })));
    all.extend(
        VolumeKind::ALL.map(|volume| Choice::new("volume", volume, Options { volume, ..d })),
    );
    all.extend(Build::ALL.map(|build| Choice::new("build", build, Options { build, ..d })));
    all.extend(Arity::ALL.map(|arity| Choice::new("arity", arity, Options { arity, ..d })));
    all.extend([1, 4, 8, 16, 32, 64].map(|leaf| Choice::new("leaf", leaf, Options { leaf, ..d })));
    all.extend(Refit::ALL.map(|refit| Choice::new("refit", refit, Options { refit, ..d })));
    all.extend([0.0, 5e-4, 2e-3].map(|inflation| {
        let name = format!("{} mm", 1e3 * inflation);
        Choice::new("inflation", name, Options { inflation, ..d })
    }));
    all.extend(
        Descend::ALL.map(|descend| Choice::new("descend", descend, Options { descend, ..d })),
    );
    // Each group has the default once more.
    all.retain(|c| c.group == "default" || c.options != d);
    all
}

/// Every combination of volume, arity, build and pruning.
pub fn product() -> Vec<Choice> {
    let mut all = Vec::new();
    for prune in Prune::ALL {
        for volume in VolumeKind::ALL {
            for build in Build::ALL {
                for arity in Arity::ALL {
                    let options = Options { volume, build, arity, prune, ..Options::default() };
                    let names = [
                        Choice::new("", prune, options).value,
                        Choice::new("", volume, options).value,
                        Choice::new("", build, options).value,
                        Choice::new("", arity, options).value,
                    ];
                    all.push(Choice::new("product", names.join(" "), options));
                }
            }
        }
    }
    all
}

/// What one choice cost.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// The scene.
    pub scene: Kind,
    /// Triangles of its mesh.
    pub triangles: usize,
    /// The choice.
    #[serde(flatten)]
    pub choice: Choice,
    /// Time to build the detector [s].
    pub build_seconds: f64,
    /// Time to take up a step [s].
    pub refit_seconds: f64,
    /// Time to go down the tree to pairs of leaves, a part of the traversal [s].
    #[serde(default)]
    pub descend_seconds: f64,
    /// Time to find the pairs of triangles whose boxes overlap, a part of the query [s].
    #[serde(default)]
    pub traverse_seconds: f64,
    /// Time to find the candidates [s].
    pub query_seconds: f64,
    /// Time to decide them by separating planes [s].
    pub narrow_seconds: f64,
    /// Refit and query for each triangle [ns].
    pub ns_per_triangle: f64,
    /// Nodes of the tree.
    pub nodes: u64,
    /// Nodes compared with themselves, and pairs of nodes compared.
    pub node_tests: u64,
    /// Pairs of leaves that are left.
    #[serde(default)]
    pub leaf_pairs: u64,
    /// Pairs of triangles whose boxes overlap.
    pub triangle_pairs: u64,
    /// Narrow pairs: feature pairs that are left to be decided exactly.
    pub feature_pairs: u64,
    /// Pairs that really come too near; see the module.
    pub true_pairs: u64,
    /// Narrow pairs for each true pair, if there are any.
    pub narrow_per_true: Option<f64>,
}

impl Row {
    /// Refit, query and narrow phase for each triangle [ns].
    pub fn ns_with_narrow(&self) -> f64 {
        self.ns_per_triangle + 1e9 * self.narrow_seconds / self.triangles as f64
    }

    /// Refit and traversal for each triangle [ns].
    pub fn ns_of_culling(&self) -> f64 {
        1e9 * (self.refit_seconds + self.traverse_seconds) / self.triangles as f64
    }

    /// Refit and the way down the tree for each triangle [ns].
    pub fn ns_of_descent(&self) -> f64 {
        1e9 * (self.refit_seconds + self.descend_seconds) / self.triangles as f64
    }

    /// Time to find the candidates of pairs of triangles [s].
    pub fn feature_seconds(&self) -> f64 {
        (self.query_seconds - self.traverse_seconds).max(0.0)
    }

    /// Query for each true pair, if there are any [ns].
    pub fn ns_per_true_pair(&self) -> Option<f64> {
        (self.true_pairs > 0).then(|| 1e9 * self.query_seconds / self.true_pairs as f64)
    }
}

/// Something that was left out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Skipped {
    /// The scene.
    pub scene: Kind,
    /// Wanted number of triangles.
    pub triangles: usize,
    /// The choice's name.
    pub choice: String,
    /// Why.
    pub reason: String,
}

/// The whole table.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Table {
    /// Threads that were used.
    pub threads: usize,
    /// Number of samples of which each time is the median.
    pub repeats: usize,
    /// One row for each scene, size and choice.
    pub rows: Vec<Row>,
    /// What was left out.
    pub skipped: Vec<Skipped>,
}

/// What to measure.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// Scenes.
    pub scenes: Vec<Kind>,
    /// Numbers of triangles.
    pub sizes: Vec<usize>,
    /// Choices.
    pub choices: Vec<Choice>,
    /// Samples of which each time is the median.
    pub repeats: usize,
    /// Time for one scene at one size [s]; choices that do not fit are left out.
    pub budget: f64,
}

impl Default for Plan {
    fn default() -> Self {
        Self {
            scenes: Kind::ALL.to_vec(),
            sizes: SIZES.to_vec(),
            choices: choices(),
            repeats: 5,
            budget: 60.0,
        }
    }
}

/// Measures everything of a plan, on the threads of the present pool. `progress` is told what
/// comes next.
///
/// What was cheapest at the size before is measured first, after the default: if the time does not
/// suffice, it is the least promising that is left out.
pub fn measure(plan: &Plan, mut progress: impl FnMut(&str)) -> Table {
    let mut sizes = plan.sizes.clone();
    sizes.sort_unstable();
    sizes.dedup();
    let threads = rayon::current_num_threads();
    let mut table = Table { threads, repeats: plan.repeats.max(1), ..Table::default() };
    for scene in &plan.scenes {
        // What each choice cost at the size before.
        let mut before: Vec<Option<Row>> = vec![None; plan.choices.len()];
        for size in &sizes {
            progress(&format!("{}, {size} triangles", scene.name()));
            let clock = Instant::now();
            let case = Case::new(*scene, *size);
            let mut truth = None;
            let mut rows: Vec<Option<Row>> = vec![None; plan.choices.len()];
            for i in by_promise(&plan.choices, &before) {
                let left = plan.budget - clock.elapsed().as_secs_f64();
                let choice = &plan.choices[i];
                if let Some(reason) =
                    too_much(*size, choice, before[i].as_ref(), table.repeats, left)
                {
                    let choice = choice.name();
                    table.skipped.push(Skipped { scene: *scene, triangles: *size, choice, reason });
                    continue;
                }
                let row = measure_choice(&case, choice, table.repeats, &mut truth);
                before[i] = Some(row.clone());
                rows[i] = Some(row);
            }
            table.rows.extend(rows.into_iter().flatten());
        }
    }
    table
}

/// Numbers of choices: the default, then those that cost least at the size before, then those that
/// were never measured.
fn by_promise(choices: &[Choice], before: &[Option<Row>]) -> Vec<usize> {
    let cost = |i: usize| match &before[i] {
        _ if choices[i].group == "default" => 0.0,
        Some(row) => row.ns_with_narrow(),
        None => f64::INFINITY,
    };
    let mut order: Vec<usize> = (0..choices.len()).collect();
    order.sort_by(|a, b| cost(*a).total_cmp(&cost(*b)));
    order
}

/// Why a choice is better not measured, guessed from the size before. The default is always worth
/// its time, as the others are compared with it.
fn too_much(
    size: usize,
    choice: &Choice,
    before: Option<&Row>,
    repeats: usize,
    left: f64,
) -> Option<String> {
    if left <= 0.0 {
        return Some("no time left".into());
    }
    let row = before?;
    let ratio = size as f64 / row.triangles.max(1) as f64;
    // A finer mesh has more features within a separation.
    let pairs = row.feature_pairs as f64 * ratio.powf(1.5);
    if pairs > MAX_PAIRS {
        return Some(format!("about {pairs:.0e} candidates would not fit in memory"));
    }
    let growth = ratio.powf(1.2);
    let sample =
        growth * (QUARTERS as f64 * row.refit_seconds + row.traverse_seconds + row.query_seconds);
    let samples = if sample > LONG { 1 } else { repeats };
    let guess = growth * (row.build_seconds + row.narrow_seconds) + samples as f64 * sample;
    let known = choice.group != "default" && guess > left;
    known.then(|| format!("about {guess:.0} s, with {left:.0} s left"))
}

/// Small steps over which taking up a step is measured.
const QUARTERS: usize = 4;

/// Time beyond which one sample is enough [s].
const LONG: f64 = 2.0;

fn measure_choice(case: &Case, choice: &Choice, repeats: usize, truth: &mut Option<u64>) -> Row {
    let (mut detector, build_seconds) = timed(|| case.detector(choice.options));
    let separation = case.separation;
    let steps = quarters(case);
    if truth.is_none() {
        // The first choice must not pay for memory and caches that the others find warm.
        take(&mut detector, &steps[0], separation);
        detector.self_candidates(prune::DEFAULT_LIMIT);
    }
    let (mut refits, mut walks, mut queries) = (Vec::new(), Vec::new(), Vec::new());
    let mut descents = Vec::new();
    let mut found = (Candidates::default(), Counts::default());
    for _ in 0..repeats {
        let ((), refit) = timed(|| steps.iter().for_each(|s| take(&mut detector, s, separation)));
        let (_, descent) = timed(|| detector.self_descent(prune::DEFAULT_LIMIT));
        let (_, walk) = timed(|| detector.self_traversal(prune::DEFAULT_LIMIT));
        // The candidates before are freed outside the clock.
        drop(std::mem::take(&mut found));
        let (pairs, query) = timed(|| detector.self_candidates(prune::DEFAULT_LIMIT));
        found = pairs;
        refits.push(refit / steps.len() as f64);
        descents.push(descent);
        walks.push(walk);
        queries.push(query);
        if refit + walk + query > LONG {
            break;
        }
    }
    let (candidates, counts) = found;
    // What was filtered by planes need not be so again.
    let filtered = choice.options.prune != Prune::Nothing;
    let filter = if filtered { Filter::None } else { Filter::Hull };
    let (_, narrow_seconds) = timed(|| decide(case, &detector, &candidates, filter));
    let true_pairs =
        *truth.get_or_insert_with(|| true_pairs(case, &detector.surface, &candidates).len() as u64);
    let (refit_seconds, query_seconds) = (middle(refits), middle(queries));
    let traverse_seconds = middle(walks);
    let triangles = case.triangles.len();
    Row {
        scene: case.kind,
        triangles,
        choice: choice.clone(),
        build_seconds,
        refit_seconds,
        descend_seconds: middle(descents),
        traverse_seconds,
        query_seconds,
        narrow_seconds,
        ns_per_triangle: 1e9 * (refit_seconds + query_seconds) / triangles as f64,
        nodes: detector.node_count() as u64,
        node_tests: counts.cone_tests + counts.box_tests,
        leaf_pairs: counts.leaf_pairs,
        triangle_pairs: counts.triangle_pairs,
        feature_pairs: counts.feature_pairs,
        true_pairs,
        narrow_per_true: (true_pairs > 0).then(|| counts.feature_pairs as f64 / true_pairs as f64),
    }
}

type Positions = Vec<glam::DVec3>;

/// The motion begun a quarter, a half and three quarters later, and the motion itself at last.
fn quarters(case: &Case) -> Vec<(Positions, Positions)> {
    let later = |x: &Positions, part: f64| {
        let ends = case.x_t0.iter().zip(&case.x_t1);
        x.iter().zip(ends).map(|(x, (a, b))| *x + part * (*b - *a)).collect()
    };
    let begins: [f64; QUARTERS] = [0.25, 0.5, 0.75, 0.0];
    begins.map(|s| (later(&case.x_t0, s), later(&case.x_t1, s))).to_vec()
}

fn take(detector: &mut Detector, (x_t0, x_t1): &(Positions, Positions), separation: f64) {
    let done = detector.update(Motion { x_t0, x_t1 }, separation, None);
    done.expect("the scenes are finite");
}

/// Decides all candidates, and counts impacts.
fn decide(case: &Case, detector: &Detector, candidates: &Candidates, filter: Filter) -> u64 {
    let (motion, surface) = (case.motion(), &detector.surface);
    let separation = Separation::gap(case.separation);
    let mut impacts = 0;
    for pair in [Pair::VertexFace, Pair::EdgeEdge] {
        let list = if pair == Pair::VertexFace { &candidates.vf } else { &candidates.ee };
        let ask = |i: usize| Some(truth::query(surface, motion, pair, list[i]));
        let ccd = Ccd::Separating;
        ccd.times_of_impact(pair, list.len(), separation, filter, ask, |_, _| impacts += 1);
    }
    impacts
}

#[cfg(test)]
mod tests;
