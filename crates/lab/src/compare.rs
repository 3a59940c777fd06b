//! One scene, several presets, side by side.
//!
//! [`compare`] runs a scene with each preset in turn and measures the same for all: time per step and per
//! stage, iterations, audited intersections, strain, energy that came from nowhere, and a picture. A preset
//! that fails is a row that says so, with what was measured until then.

mod measure;
mod page;

use crate::paper::{Cell, Table};
use serde::Serialize;
use std::path::{Path, PathBuf};
use toile::Error;
use toile::Scene;
use toile::StopFlag;
use toile::output::{OutputFolder, Plan};
use toile_render::Image;
use toile_sim::Preset;

/// How a comparison is carried out.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Longest time of the clock on the wall for one preset [s]; none if not given.
    pub limit: Option<f64>,
    /// Threads; as many as the machine has if `None`.
    pub threads: Option<usize>,
    /// What stops it.
    pub stop: StopFlag,
}

/// What was measured of all presets.
#[derive(Clone, Debug, Serialize)]
pub struct Comparison {
    /// Name of the scene.
    pub scene: String,
    /// Preset by preset, in the order they were asked for.
    pub rows: Vec<Row>,
}

/// What was measured of one preset.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Row {
    /// Its name.
    pub preset: &'static str,
    /// Why it did not reach the end; null if it did.
    pub failure: Option<String>,
    /// Vertices of all cloths.
    pub vertices: u64,
    /// Length of a step [s].
    pub step: f64,
    /// Steps taken.
    pub steps: u64,
    /// Simulated time [s].
    pub simulated_seconds: f64,
    /// Wall time of all steps, without audit and pictures [s].
    pub step_seconds: f64,
    /// The same for one step [ms].
    pub ms_per_step: f64,
    /// Of which forces and integration [ms].
    pub ms_integrate: f64,
    /// Of which strain limiting [ms].
    pub ms_strain_limit: f64,
    /// Of which finding collisions [ms].
    pub ms_detect: f64,
    /// Of which responding to them [ms].
    pub ms_respond: f64,
    /// Mean number of iterations of a step: of the solver if it has any, else of detection and response.
    pub iterations_mean: f64,
    /// Most iterations of a step.
    pub iterations_max: u32,
    /// Most pairs of intersecting triangles in any audited frame.
    pub intersections_max: u64,
    /// Pairs of intersecting triangles in the last frame.
    pub intersections_final: u64,
    /// Most triangles inside bodies in any audited frame; null if a body is open and none crosses it.
    pub body_penetrations_max: Option<u64>,
    /// Largest elongation of an edge at the end of any step.
    pub max_strain: f64,
    /// Energy at the start and at the end [J].
    pub energy: [f64; 2],
    /// Largest rise of the energy above its least value before [J]. Wind and what is driven bring some in;
    /// in scenes without them there should be none.
    pub energy_gained: f64,
    /// Root mean square speed at the end [m/s].
    pub rms_speed_final: f64,
    /// Hash of time, positions and velocities at the end, in hexadecimal.
    pub state_hash: String,
    /// What went partly wrong.
    pub warnings: Vec<String>,
    /// The end, or the last good step.
    #[serde(skip)]
    pub picture: Option<Image>,
}

/// Runs a scene with each preset; `scene` makes it anew for each.
///
/// # Errors
/// If the scene is wrong whatever the preset, or threads cannot be started.
pub fn compare(
    presets: &[Preset],
    options: &Options,
    scene: &dyn Fn(Preset) -> Result<Scene, Error>,
    progress: &mut (dyn FnMut(&'static str, f64) + Send),
) -> Result<Comparison, Error> {
    let threads = options.threads.unwrap_or(0);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().map_err(|e| {
        Error::request(format!("cannot start {threads} threads: {e}"), "ask for fewer threads")
    })?;
    let mut rows = Vec::with_capacity(presets.len());
    let mut name = String::new();
    for preset in presets {
        let made = scene(*preset)?;
        name.clone_from(&made.name);
        rows.push(pool.install(|| measure::measure(*preset, made, options, progress)));
        if options.stop.is_set() {
            break;
        }
    }
    Ok(Comparison { scene: name, rows })
}

impl Comparison {
    /// Whether every preset came to the end.
    pub fn is_complete(&self) -> bool {
        self.rows.iter().all(|r| r.failure.is_none())
    }

    /// All numbers as one table.
    pub fn table(&self) -> Table {
        let mut table = Table::new(
            format!("{}: what one step takes [ms], and what came of it", self.scene),
            [
                "preset",
                "step [ms]",
                "steps",
                "wall",
                "integrate",
                "limit",
                "detect",
                "respond",
                "iterations",
                "most",
                "crossings",
                "in bodies",
                "strain %",
                "gained [J]",
                "reached",
            ],
        );
        for r in &self.rows {
            table.push([
                Cell::from(r.preset),
                Cell::from(1e3 * r.step),
                Cell::from(r.steps),
                Cell::from(r.ms_per_step),
                Cell::from(r.ms_integrate),
                Cell::from(r.ms_strain_limit),
                Cell::from(r.ms_detect),
                Cell::from(r.ms_respond),
                Cell::from(r.iterations_mean),
                Cell::from(u64::from(r.iterations_max)),
                Cell::from(r.intersections_max),
                r.body_penetrations_max.map_or(Cell::from("unknown"), Cell::from),
                Cell::from(100.0 * r.max_strain),
                Cell::from(r.energy_gained),
                Cell::from(match r.failure {
                    None => "the end".to_owned(),
                    Some(_) => format!("{:.3} s", r.simulated_seconds),
                }),
            ]);
        }
        table
    }

    /// The table, and why presets failed, for people.
    pub fn to_text(&self) -> String {
        let mut out = self.table().to_text();
        for row in &self.rows {
            if let Some(failure) = &row.failure {
                out += &format!(
                    "{} FAILED at {:.4} s: {failure}\n",
                    row.preset, row.simulated_seconds
                );
            }
        }
        out
    }

    /// The ends of all runs side by side, each with its name.
    ///
    /// # Errors
    /// If the sheet would be too large.
    pub fn contact_sheet(&self) -> Result<Image, Error> {
        let tiles: Vec<Image> = self.rows.iter().map(measure::tile).collect();
        Image::contact_sheet(&tiles, 3).map_err(|e| Error::Picture(e.to_string()))
    }

    /// One page of HTML that needs nothing else.
    ///
    /// # Errors
    /// If a picture cannot be made.
    pub fn to_html(&self) -> Result<String, Error> {
        page::page(self)
    }

    /// Writes `compare.json`, `compare.png` and `compare.html` into a folder; returns their paths.
    ///
    /// # Errors
    /// If the folder or a file cannot be written.
    pub fn write(&self, folder: &Path) -> Result<[PathBuf; 3], Error> {
        let (png, html) = (measure::png(&self.contact_sheet()?)?, self.to_html()?);
        let mut out = OutputFolder::open(folder, Plan::new(FILES))?;
        out.write_json(FILES[0], self)?;
        out.write_bytes(FILES[1], &png)?;
        out.write_bytes(FILES[2], html.as_bytes())?;
        Ok(FILES.map(|name| folder.join(name)))
    }
}

/// Files that a comparison writes.
const FILES: [&str; 3] = ["compare.json", "compare.png", "compare.html"];

/// Refuses a folder in which a name of a comparison's files is taken by a file that toile did not write.
///
/// # Errors
/// If one is, or the folder is none.
pub fn check_folder(folder: &Path) -> Result<(), Error> {
    Plan::new(FILES).check(folder)
}

/// Makes a folder for results, so that a long run need not find out at its end that it cannot.
///
/// # Errors
/// If it cannot be made.
pub fn make_folder(folder: &Path) -> Result<(), Error> {
    std::fs::create_dir_all(folder)
        .map_err(|source| Error::Folder { path: folder.to_path_buf(), source })
}

#[cfg(test)]
mod tests;
