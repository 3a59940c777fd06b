//! Tasks of the workspace: `cargo xtask test` and friends. Needs nothing but the Rust toolchain, except that `peers`
//! installs another simulator.

// A task talks to people on purpose.
#![allow(clippy::print_stdout, clippy::print_stderr)]

mod figures;
mod fuzz;
mod growth;
mod hashes;
mod jitters;
mod peers;
mod suite;
mod toile;
#[cfg(test)]
mod vocabulary;
mod wardrobe;
mod wasm;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

const HELP: &str = "cargo xtask TASK

  test           everything CI checks: format, lints, documentation, tests, examples, WebAssembly; --without-wasm as an argument
  scenes         run every scene at full size and check what it expects (long); names as arguments
  jitters        run every scene from ten starts that differ by a tremble, every step audited (hours); names of
                 scenes, --starts N, --streams N (so many runs at once) or --program PATH as arguments
  growth         what a step costs as the cloth gets finer (long); cells along a side or --program PATH as arguments
  hashes         compare state hashes of short runs with xtask/hashes.txt; names, --write or --program PATH as arguments
  fuzz           mutated files for every reader, for an hour; --seconds N, --seed N, or --replay FILE for one that was
                 kept in out/fuzz
  figures        make the figures of the documentation anew (long); names, --check to compare only, --quick or --program PATH
                 as arguments
  gallery        draw the pictures of docs/images anew
  photos         draw the photographs of docs/images anew: garments and swatches, path-traced; --program PATH as an argument
  bench-collide  measure collision detection and rewrite docs/collision.md and its diagram (long)
  peers          run shared scenes here and in Blender and compare (long); names of scenes, --without-blender,
                 or --program PATH as arguments
  peers ccd      ask toile and Tight-Inclusion the same queries; files, --seconds N or --program PATH as arguments
  peers render   draw a garment here and with Blender's Cycles; --program PATH as an argument
  peers import   drape a garment of two fabrics and import its files into Blender; --program PATH as an argument
  wardrobe       sew and drape every pattern of a folder and make a table (long): FOLDER, --body MESH, --fabric NAME,
                 --quality LEVEL, --out FOLDER, --patience S, --again, --program PATH, beginnings of names as arguments
  wasm           build crates/wasm for browsers; --test runs a scene in Node and natively and compares the bits, --debian takes Debian's
                 compiler
  schema         write scenes/scene.schema.json and fabrics/fabric.schema.json anew";

fn main() -> ExitCode {
    let mut args = std::env::args().skip(1);
    let task = args.next().unwrap_or_default();
    let rest: Vec<String> = args.collect();
    let done = match task.as_str() {
        "test" => test(&rest),
        "scenes" => scenes(&rest),
        "jitters" => jitters::jitters(&rest),
        "growth" => growth::growth(&rest),
        "hashes" => hashes::hashes(&rest),
        "fuzz" => fuzz::fuzz(&rest),
        "figures" => figures::figures_task(&rest),
        "gallery" => gallery(&rest),
        "photos" => photos(&rest),
        "bench-collide" => bench_collide(&rest),
        "peers" => peers::peers(&rest),
        "wardrobe" => wardrobe::wardrobe(&rest),
        "wasm" => wasm::wasm(&rest),
        "schema" => schema(),
        _ => {
            eprintln!("{HELP}");
            return ExitCode::from(2);
        }
    };
    match done {
        Ok(line) => {
            println!("{line}");
            ExitCode::SUCCESS
        }
        Err(line) => {
            eprintln!("{line}");
            ExitCode::FAILURE
        }
    }
}

type Done = Result<String, String>;

/// The folder of the workspace.
fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_path_buf()
}

fn cargo(args: &[&str]) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(args).current_dir(root());
    command
}

/// How a stage ended.
fn stage_line(name: &str, succeeded: bool, took: Duration) -> String {
    let how = if succeeded { "ok" } else { "FAILED" };
    format!("== {name}: {how} in {:.1} s", took.as_secs_f64())
}

/// Runs one stage and says how long it took.
fn stage(name: &str, mut command: Command) -> Result<Duration, String> {
    println!("== {name}");
    let clock = Instant::now();
    let status = command.status().map_err(|e| format!("{name}: cannot start: {e}"))?;
    let took = clock.elapsed();
    println!("{}", stage_line(name, status.success(), took));
    if status.success() { Ok(took) } else { Err(format!("FAILED: {name}")) }
}

fn test(args: &[String]) -> Done {
    if let Some(unknown) = args.iter().find(|a| *a != "--without-wasm") {
        return Err(format!("there is no option `{unknown}`; there is --without-wasm"));
    }
    let clock = Instant::now();
    stage("format", cargo(&["fmt", "--all", "--check"]))?;
    let clippy = ["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"];
    stage("lints", cargo(&clippy))?;
    let alone = ["--package", "toile-sim", "--no-default-features", "--all-targets"];
    let mut lints = cargo(&["clippy"]);
    lints.args(alone).args(["--", "-D", "warnings"]);
    stage("the default solver without the papers' systems", lints)?;
    let mut doc = cargo(&["doc", "--workspace", "--no-deps", "--document-private-items"]);
    doc.env("RUSTDOCFLAGS", "-D warnings");
    stage("documentation", doc)?;
    suite::run_all()?;
    stage("tests in the documentation", cargo(&["test", "--workspace", "--doc"]))?;
    for example in examples()? {
        let name = format!("example {example}");
        stage(&name, cargo(&["run", "--quiet", "--package", "toile", "--example", &example]))?;
    }
    if args.is_empty() {
        println!("{}", wasm::wasm(&["--test".to_owned()])?);
    }
    Ok(format!("All checks passed in {:.0} s.", clock.elapsed().as_secs_f64()))
}

/// Names of the files of a folder with an extension, without it, sorted.
fn names(folder: &str, extension: &str) -> Result<Vec<String>, String> {
    let path = root().join(folder);
    let entries = std::fs::read_dir(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    let mut names: Vec<String> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|p| p.extension().is_some_and(|e| e == extension))
        .filter_map(|p| Some(p.file_stem()?.to_string_lossy().into_owned()))
        .collect();
    names.sort();
    Ok(names)
}

fn examples() -> Result<Vec<String>, String> {
    names("examples", "rs")
}

/// A command of the program, built with all optimisations.
fn program(args: &[&str]) -> Command {
    toile::Toile::default().command(args)
}

/// The scenes asked for, or all.
fn chosen(asked: &[String]) -> Result<Vec<String>, String> {
    let all = names("scenes", "toml")?;
    if let Some(unknown) = asked.iter().find(|a| !all.contains(a)) {
        return Err(format!("there is no scene `{unknown}`; there are {}", all.join(", ")));
    }
    Ok(if asked.is_empty() { all } else { asked.to_vec() })
}

fn scenes(asked: &[String]) -> Done {
    let mut failed = Vec::new();
    for name in chosen(asked)? {
        let (scene, out) = (format!("scenes/{name}.toml"), format!("out/scenes/{name}"));
        let run = program(&["sim", &scene, "--out", &out, "--frames", "pc2"]);
        let (mesh, cache) = (format!("{out}/final.obj"), format!("{out}/frames.pc2"));
        // The frames on the disk are audited once more, by a process that knows nothing else.
        let done = stage(&name, run)
            .and_then(|_| stage(&format!("check {name}"), program(&["check", &mesh, &cache])));
        if done.is_err() {
            failed.push(name);
        }
    }
    if failed.is_empty() {
        Ok("All scenes are as expected.".into())
    } else {
        Err(format!("FAILED: {}", failed.join(", ")))
    }
}

/// Largest picture that the repository keeps [bytes].
const LARGEST_PICTURE: u64 = 400_000;

/// Scenes whose course is told by their first part [s]; then they only lie there.
const COURSES: [(&str, &str); 1] = [("ribbon", "1.4")];

/// Garments of the gallery: a design or pattern file and what else `toile drape` is told.
const GARMENTS: [&[&str]; 5] = [
    &["tshirt", "--fabric", "jersey", "--quality", "fine"],
    &["dress", "--fabric", "cotton"],
    &["circle-skirt", "--fabric", "silk", "--pose", "t", "--quality", "draft"],
    &["patterns/pull-on-skirt.toml"],
    &["patterns/vest.toml"],
];

/// Photographs of docs/rendering.md and the gallery: picture, garment, fabric, and what else `toile render` is told.
const PHOTOS: [(&str, &str, &str, &[&str]); 4] = [
    ("tshirt", "tshirt", "cotton-jersey", &["--size-px", "960x720"]),
    ("dress", "dress", "silk", &["--size-px", "480x640"]),
    ("trousers", "trousers", "denim", &["--size-px", "480x640"]),
    ("skirt", "circle-skirt", "polyester-georgette", &["--size-px", "560x560"]),
];

/// Fabrics whose swatches are shown.
const SWATCHES: [&str; 5] =
    ["silk", "denim", "wool-flannel", "cotton-jersey", "polyester-georgette"];

/// Draws garments and swatches with the path tracer.
fn photos(asked: &[String]) -> Done {
    let toile = match asked {
        [] => toile::Toile::default(),
        [option, path] if option == "--program" => toile::Toile::given(Some(path))?,
        _ => return Err("give nothing or --program PATH".into()),
    };
    let program = |args: &[&str]| toile.command(args);
    for (picture, garment, fabric, more) in PHOTOS {
        let out = format!("out/gallery/photo-{picture}");
        stage(
            garment,
            program(&["drape", garment, "--fabric", fabric, "--no-picture", "--out", &out]),
        )?;
        let file = format!("docs/images/photo-{picture}.png");
        let mut args = vec!["render", &out, "--out", &file];
        args.extend(more);
        stage(picture, program(&args))?;
    }
    for fabric in SWATCHES {
        let file = format!("docs/images/swatch-{fabric}.png");
        let size = ["--size-px", "720x360"];
        let args = [&["fabric", "show", fabric, "--picture", &file][..], &size].concat();
        stage(fabric, program(&args))?;
    }
    Ok("The photographs are in docs/images.".into())
}

/// What a garment of the gallery is called: its design, or its file without folder and ending.
fn garment_name(garment: &[&'static str]) -> &'static str {
    Path::new(garment[0]).file_stem().and_then(|s| s.to_str()).unwrap_or(garment[0])
}

/// The tutorial of docs/first-garment.md.
const TUTORIAL: &str = "first-garment";

/// Runs the commands of the tutorial and keeps their pictures.
fn tutorial(images: &Path) -> Result<(), String> {
    let (pattern, out) = ("patterns/top.toml", "out/gallery/first-garment");
    let drawing = format!("docs/images/{TUTORIAL}-pattern.svg");
    stage("the pattern", program(&["pattern", "show", pattern, "-o", &drawing]))?;
    let drape = ["drape", pattern, "--fabric", "cotton-poplin", "--out", out];
    stage(TUTORIAL, program(&drape))?;
    for (from, to) in [
        ("arranged", "arranged"),
        ("final", "final"),
        ("fit-gap", "gap"),
        ("fit-pressure", "pressure"),
    ] {
        let file = root().join(out).join(format!("{from}.png"));
        copy_picture(&file, images, &format!("{TUTORIAL}-{to}"))?;
    }
    Ok(())
}

fn gallery(asked: &[String]) -> Done {
    let images = root().join("docs/images");
    std::fs::create_dir_all(&images).map_err(|e| format!("{}: {e}", images.display()))?;
    if asked.is_empty() || asked.iter().any(|a| a == TUTORIAL) {
        tutorial(&images)?;
    }
    let is_asked =
        |g: &&&[&'static str]| asked.is_empty() || asked.iter().any(|a| a == garment_name(g));
    for garment in GARMENTS.iter().filter(is_asked) {
        let name = garment_name(garment);
        let out = &format!("out/gallery/{name}");
        let mut args = vec!["drape", garment[0], "--out", out];
        args.extend(&garment[1..]);
        stage(name, program(&args))?;
        copy_picture(&root().join(out).join("final.png"), &images, &format!("garment-{name}"))?;
        if name == "tshirt" {
            copy_picture(&root().join(out).join("fit-strain.png"), &images, "fit-strain")?;
        }
    }
    let others = |a: &&String| *a != TUTORIAL && GARMENTS.iter().all(|g| garment_name(g) != **a);
    let scenes: Vec<String> = asked.iter().filter(others).cloned().collect();
    if scenes.is_empty() && !asked.is_empty() {
        return Ok(format!("The pictures are in {}.", images.display()));
    }
    for name in chosen(&scenes)? {
        let (scene, out) = (format!("scenes/{name}.toml"), format!("out/gallery/{name}"));
        stage(&name, program(&["sim", &scene, "--out", &out, "--frames", "sheet"]))?;
        let mut course = out.clone();
        if let Some((_, duration)) = COURSES.iter().find(|(scene, _)| *scene == name) {
            course = format!("{out}-course");
            let part =
                ["sim", &scene, "--out", &course, "--frames", "sheet", "--duration", duration];
            // A part need not be what the whole is expected to be.
            stage(&format!("{name}, its course"), program(&part)).or_else(|e| {
                if root().join(&course).join("frames.png").exists() {
                    Ok(Duration::ZERO)
                } else {
                    Err(e)
                }
            })?;
        }
        for (folder, from, to) in
            [(&out, "final", name.clone()), (&course, "frames", format!("{name}-course"))]
        {
            copy_picture(&root().join(folder).join(format!("{from}.png")), &images, &to)?;
        }
    }
    Ok(format!("The pictures are in {}.", images.display()))
}

fn copy_picture(from: &Path, images: &Path, name: &str) -> Result<(), String> {
    let to = images.join(format!("{name}.png"));
    let size = std::fs::copy(from, &to).map_err(|e| format!("{}: {e}", to.display()))?;
    if size > LARGEST_PICTURE {
        return Err(format!("{}: {size} bytes, more than {LARGEST_PICTURE}", to.display()));
    }
    Ok(())
}

/// Arguments go to `toile bench collide`.
fn bench_collide(asked: &[String]) -> Done {
    let (plot, document) = ("docs/images/bench-collide.svg", "docs/collision.md");
    let mut args = vec!["bench", "collide", "--plot", plot, "--markdown", document];
    args.extend(asked.iter().map(String::as_str));
    stage("bench-collide", program(&args))?;
    Ok(format!("{document} and {plot} are up to date."))
}

fn schema() -> Done {
    let both: [(&str, [&str; 2]); 2] = [
        ("scenes/scene.schema.json", ["methods", "--schema"]),
        ("fabrics/fabric.schema.json", ["fabric", "schema"]),
    ];
    for (file, args) in both {
        let path = root().join(file);
        let output = program(&args).output().map_err(|e| e.to_string())?;
        if !output.status.success() {
            return Err(format!("the program could not print the schema for {file}"));
        }
        std::fs::write(&path, output.stdout).map_err(|e| format!("{}: {e}", path.display()))?;
    }
    Ok("The schemas of scenes and fabrics are up to date.".into())
}
