//! `cargo xtask peers import`: what Blender makes of the files of a garment of two fabrics.
//!
//! The garment is draped twice: on the mannequin, and on the same body as another program would export it, in centimetres, z up,
//! away from the origin. `peers/import_check.py` imports OBJ, PC2, GLB and USD and compares.

use super::python::{self, BLENDER};
use super::{read_json, run};
use crate::toile::Toile;
use crate::{Done, root};
use std::path::Path;
use std::process::{Command, Stdio};

/// A vest of denim over a top of cotton.
const PATTERN: &str = "patterns/vest.toml";

/// Drapes, imports, and lists what is not as it should be.
pub(super) fn import(asked: &[String]) -> Done {
    let toile = match asked {
        [] => Toile::default(),
        [option, path] if option == "--program" => Toile::given(Some(path))?,
        _ => return Err("give nothing or --program PATH".into()),
    };
    let folder = root().join("target/peers");
    std::fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let blender = python::with(&BLENDER, &folder)?;
    let (mannequin, scan) = (folder.join("import-mannequin"), folder.join("import-scan"));
    drape(&toile, &mannequin, None)?;
    let body = folder.join("import-scan.obj");
    write_scan(&mannequin.join("body.obj"), &body)?;
    drape(&toile, &scan, Some(&body))?;
    let (mut all, mut bad) = (0, 0);
    for out in [&mannequin, &scan] {
        let result = out.with_extension("json");
        let mut command = Command::new(&blender.python);
        command.arg(root().join("xtask/peers/import_check.py")).args([out, &result]);
        if !run(command.stdout(Stdio::null()), "Blender")? {
            return Err("Blender failed; see what it said above".into());
        }
        println!("== {}", out.display());
        for check in read_json(&result)?["checks"].as_array().into_iter().flatten() {
            let is_good = check["good"] == true;
            (all, bad) = (all + 1, bad + usize::from(!is_good));
            let word = if is_good { "ok    " } else { "FAILED" };
            let text = |key: &str| check[key].as_str().unwrap_or_default().to_owned();
            println!("{word} {:13} {}: {}", text("file"), text("what"), check["found"]);
        }
    }
    if bad > 0 || all == 0 {
        return Err(format!("FAILED: {bad} of {all} checks"));
    }
    Ok(format!("Blender {} reads all files as they are: {all} checks.", blender.version))
}

fn drape(toile: &Toile, out: &Path, body: Option<&Path>) -> Result<(), String> {
    if out.exists() {
        std::fs::remove_dir_all(out).map_err(|e| format!("{}: {e}", out.display()))?;
    }
    let folder = out.display().to_string();
    let mut args = vec!["drape", PATTERN, "--quality", "draft", "--no-picture", "--out", &folder];
    args.extend(["--with-body", "--unwelded", "--frames", "usda"]);
    let body = body.map(|b| b.display().to_string());
    args.extend(body.iter().flat_map(|b| ["--body", b]));
    if run(toile.command(&args).stdout(Stdio::null()), "toile")? {
        Ok(())
    } else {
        Err("toile failed; see what it said above".into())
    }
}

/// The body in centimetres, z up, away from the origin.
fn write_scan(from: &Path, to: &Path) -> Result<(), String> {
    let say = |path: &Path, e: std::io::Error| format!("{}: {e}", path.display());
    let text = std::fs::read_to_string(from).map_err(|e| say(from, e))?;
    std::fs::write(to, as_scan(&text)).map_err(|e| say(to, e))
}

fn as_scan(obj: &str) -> String {
    let mut scan = String::new();
    for line in obj.lines() {
        let mut words = line.split(' ');
        match words.next() {
            Some("v") => {
                let p: Vec<f64> = words.filter_map(|w| w.parse().ok()).collect();
                if let [x, y, z] = p[..] {
                    let [x, y, z] = [100.0 * x + 31.0, 7.0 - 100.0 * z, 100.0 * y + 12.0];
                    scan += &format!("v {x:?} {y:?} {z:?}\n");
                }
            }
            Some("f") => {
                let corners: Vec<&str> =
                    words.map(|w| w.split('/').next().unwrap_or_default()).collect();
                scan += &format!("f {}\n", corners.join(" "));
            }
            _ => {}
        }
    }
    scan
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scan_is_the_body_in_centimetres_with_z_up() {
        let obj = "o body\nv 0.5 1 0.25\nvn 0 1 0\nf 1//1 1//1 1//1\n";
        assert_eq!(as_scan(obj), "v 81.0 -18.0 112.0\nf 1 1 1\n");
    }

    #[test]
    fn what_is_not_known_is_refused() {
        assert!(import(&["--programm".into()]).is_err());
    }
}
