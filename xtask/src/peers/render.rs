//! `cargo xtask peers render`: the path tracer beside Blender's Cycles, on the same garment under the same lights.
//!
//! toile draws the folder of a draped T-shirt, Cycles its `final.glb` and `body.obj` (`peers/photograph.py`), both on the CPU with
//! as many rays for each pixel, without adaptive sampling, denoised.

use super::python::{self, BLENDER};
use super::{number, run};
use crate::toile::Toile;
use crate::{Done, root};
use serde_json::Value;
use std::path::Path;
use std::process::{Command, Stdio};

/// Width and height [px], and rays for each pixel.
const SIZE: [u32; 2] = [640, 480];
const SAMPLES: u32 = 32;
/// The camera's place around the vertical axis [degrees].
const AZIMUTH: &str = "35";

/// Draws with both and prints a table.
pub(super) fn render(asked: &[String]) -> Done {
    let toile = match asked {
        [] => Toile::default(),
        [option, path] if option == "--program" => Toile::given(Some(path))?,
        _ => return Err("give nothing or --program PATH".into()),
    };
    let folder = root().join("target/peers/render");
    std::fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let garment = folder.join("tshirt");
    if !garment.join("final.glb").is_file() {
        let out = garment.display().to_string();
        let drape = ["drape", "tshirt", "--no-picture", "--out", &out];
        if !run(toile.command(&drape).stdout(Stdio::null()), "toile")? {
            return Err("toile failed; see what it said above".into());
        }
    }
    let own = by_toile(&toile, &garment, &folder.join("toile.png"))?;
    let mut rows = vec![("toile, all of `toile render`".to_owned(), own)];
    match python::with(&BLENDER, &root().join("target/peers")) {
        Ok(blender) => {
            let seconds = by_cycles(&blender.python, &garment, &folder.join("cycles.png"))?;
            let name = format!("Cycles {}, rendering and denoising alone", blender.version);
            rows.push((name, seconds));
        }
        Err(e) => eprintln!("Without Blender: {e}"),
    }
    println!("{}", table(&rows));
    Ok(format!("The pictures are in {}.", folder.display()))
}

/// Processor time of toile [s].
fn by_toile(toile: &Toile, garment: &Path, out: &Path) -> Result<f64, String> {
    let (garment, out) = (garment.display().to_string(), out.display().to_string());
    let [w, h] = SIZE;
    let (size, samples, view) = (format!("{w}x{h}"), SAMPLES.to_string(), format!("{AZIMUTH},5"));
    let mut command = toile.command(&["render", &garment, "--out", &out, "--json"]);
    command.args(["--size-px", &size, "--samples", &samples, "--noise", "0", "--view", &view]);
    seconds(&mut command, "toile")
}

/// Processor time of Cycles [s].
fn by_cycles(python: &Path, garment: &Path, out: &Path) -> Result<f64, String> {
    let mut command = Command::new(python);
    command.arg(root().join("xtask/peers/photograph.py"));
    command.args([&garment.join("final.glb"), &garment.join("body.obj"), out]);
    let [w, h] = SIZE;
    command.args([w, h, SAMPLES].map(|n| n.to_string())).arg(AZIMUTH);
    seconds(&mut command, "Blender")
}

/// Runs a command whose last line of JSON has the processor time.
fn seconds(command: &mut Command, name: &str) -> Result<f64, String> {
    let output = command.stderr(Stdio::inherit()).output();
    let output = output.map_err(|e| format!("{name} cannot be started: {e}"))?;
    let text = String::from_utf8_lossy(&output.stdout);
    if !output.status.success() {
        return Err(format!("{name} failed: {text}"));
    }
    let start = text.rfind("\n{").map_or(0, |k| k + 1);
    let said: Value = serde_json::from_str(text[start..].trim())
        .map_err(|e| format!("{name} says no figures: {e}"))?;
    number(&said, "cpu_seconds")
}

/// Names and processor times as Markdown.
fn table(rows: &[(String, f64)]) -> String {
    let rays = f64::from(SIZE[0] * SIZE[1] * SAMPLES);
    let mut text =
        "|  | processor time [s] | camera rays per second of processor time |\n| --- | --- | --- |\n"
            .to_owned();
    for (name, seconds) in rows {
        let million = 1e-6 * rays / seconds.max(1e-9);
        text += &format!("| {name} | {seconds:.1} | {million:.2} million |\n");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_the_rays_of_each() {
        let text = table(&[("a".into(), 10.0), ("b".into(), 20.0)]);
        assert!(text.contains("| a | 10.0 | 0.98 million |"), "{text}");
        assert!(text.contains("| b | 20.0 | 0.49 million |"), "{text}");
    }

    #[test]
    fn figures_are_read_from_the_last_object_of_what_is_said() {
        let mut echo = Command::new("printf");
        echo.arg("Fra:1 Mem:20M\n{\"wall_seconds\": 2, \"cpu_seconds\": 3.5}\n");
        assert_eq!(seconds(&mut echo, "echo"), Ok(3.5));
    }
}
