//! Every built-in design in three sizes and three fabrics on the mannequin of its size, as a table and a sheet of pictures.
//!
//! `cargo run --release -p toile --example wardrobe -- --out wardrobe`; words without dashes choose: `tshirt M jersey`.
//! `--plain` sews with these triangles from the start. `--edge 0.04` sets the length of edges, `--fabric cotton` takes another fabric, `--pattern file --body mesh` dress others, `--log`
//! tells of every tenth step.

#![allow(clippy::print_stdout, reason = "an example prints what it does")]

use std::path::{Path, PathBuf};
use std::time::Instant;
use toile::fabric;
use toile_audit::{Shape, body_penetrations, self_intersections};
use toile_body::{Figure, Landmarks, Mannequin, Pose, repair};
use toile_garment::{Fitting, Tailor};
use toile_mesh::{TriMesh, io};
use toile_pattern::design::Design;
use toile_pattern::{Pattern, Size, file, meshing};
use toile_render::{Camera, Image, Material, Scene, Settings, palette, render};

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

const FABRICS: [&str; 3] = ["jersey", "cotton-poplin", "denim"];
const SIZES: [Size; 3] = [Size::S, Size::M, Size::L];
const MAX_STEPS: u32 = 400;

struct Choice {
    words: Vec<String>,
    edge: f64,
    plain: bool,
    out: PathBuf,
    fabrics: Vec<String>,
    pattern: Option<PathBuf>,
    body: Option<PathBuf>,
    log: bool,
}

impl Choice {
    fn read() -> Self {
        let mut choice = Self {
            words: Vec::new(),
            edge: 0.04,
            plain: false,
            out: "wardrobe".into(),
            fabrics: Vec::new(),
            pattern: None,
            body: None,
            log: false,
        };
        let mut args = std::env::args().skip(1);
        while let Some(word) = args.next() {
            match word.as_str() {
                "--edge" => choice.edge = args.next().and_then(|a| a.parse().ok()).unwrap_or(0.04),
                "--plain" => choice.plain = true,
                "--out" => choice.out = args.next().unwrap_or_default().into(),
                "--fabric" => choice.fabrics.extend(args.next()),
                "--pattern" => choice.pattern = args.next().map(Into::into),
                "--body" => choice.body = args.next().map(Into::into),
                "--log" => choice.log = true,
                _ => choice.words.push(word),
            }
        }
        if choice.fabrics.is_empty() {
            let named = FABRICS.iter().filter(|f| choice.wants(f, &FABRICS));
            choice.fabrics = named.map(|f| (*f).to_owned()).collect();
        }
        choice
    }

    /// Whether one of several is chosen: named, or none of its kind is.
    fn wants(&self, name: &str, among: &[&str]) -> bool {
        let named = |n: &str| self.words.iter().any(|w| w == n);
        named(name) || !among.iter().any(|n| named(n))
    }
}

fn main() -> Outcome<()> {
    let choice = Choice::read();
    std::fs::create_dir_all(&choice.out)?;
    println!(
        "{:14} {:4} {:14} {:>6} {:>6} {:>6} {:>6} {:>6} {:>7} {:>6} {:>7} rest",
        "design",
        "size",
        "fabric",
        "verts",
        "steps",
        "sec",
        "inter",
        "inside",
        "seam mm",
        "open",
        "strain"
    );
    let designs = Design::all().map(|d| d.name());
    let mut pictures = Vec::new();
    for size in SIZES.into_iter().filter(|s| choice.wants(s.name(), &SIZES.map(Size::name))) {
        let figure = Figure::Female;
        let m = figure.measurements(size);
        let (body, marks) = match &choice.body {
            Some(path) => {
                let (mesh, _) = repair(&io::read_mesh(path)?)?;
                let marks = Landmarks::find(&mesh)?;
                (mesh, marks)
            }
            None => {
                let body = Mannequin::new(&m, figure, Pose::A)?;
                (body.mesh, body.landmarks)
            }
        };
        let patterns: Vec<(String, Pattern)> = match &choice.pattern {
            Some(path) => vec![("pattern".into(), file::read(path)?)],
            None => Design::all()
                .iter()
                .filter(|d| choice.wants(d.name(), &designs))
                .map(|d| (d.name().to_owned(), d.draft(&m)))
                .collect(),
        };
        for (name, pattern) in &patterns {
            for cloth in &choice.fabrics {
                print!("{name:14} {:4} {cloth:14} ", size.name());
                let fabric = fabric::find(cloth)?;
                let mesh = meshing::mesh(pattern, choice.edge)?;
                let path = choice.out.join(format!("{name}-{}-{cloth}.png", size.name()));
                match dress(pattern, &mesh, &body, &marks, &fabric, &choice, &path) {
                    Ok(sheet) => pictures.push(sheet),
                    Err(error) => println!("{error}"),
                }
            }
        }
    }
    if let Ok(sheet) = Image::contact_sheet(&pictures, 3) {
        write(&choice.out.join("wardrobe.png"), &sheet)?;
    }
    Ok(())
}

/// Seconds of this process, however busy the machine is; of the clock on the wall where those are not to be had.
struct Clock(Instant, Option<f64>);

impl Clock {
    fn start() -> Self {
        Self(Instant::now(), toile::cpu_seconds())
    }

    fn seconds(&self) -> f64 {
        match (self.1, toile::cpu_seconds()) {
            (Some(before), Some(now)) => now - before,
            _ => self.0.elapsed().as_secs_f64(),
        }
    }
}

fn dress(
    pattern: &Pattern,
    mesh: &meshing::PatternMesh,
    body: &TriMesh,
    marks: &Landmarks,
    fabric: &toile::Fabric,
    choice: &Choice,
    path: &Path,
) -> Outcome<Image> {
    let clock = Clock::start();
    let mut tailor = Tailor::new(pattern, mesh, choice.edge, body, marks, fabric)?;
    if choice.plain {
        tailor = tailor.without_coarse()?;
    }
    if choice.log {
        println!();
        write(&path.with_extension("arranged.png"), &views(tailor.fitting(), body)?)?;
    }
    let mut steps = 0;
    while !tailor.is_done() && steps < MAX_STEPS {
        let before = (tailor.is_coarse(), tailor.fitting().stage());
        let report = match tailor.step() {
            Ok(report) => report,
            Err(error) => {
                write(path, &views(tailor.fitting(), body)?)?;
                return Err(error.into());
            }
        };
        steps += 1;
        let fitting = tailor.fitting();
        let now = (tailor.is_coarse(), fitting.stage());
        if choice.log && (steps % 10 == 0 || now != before) {
            let world = fitting.world();
            println!(
                "{steps} {:?}{} {:.0} s, gap {:.1} mm, open {}, newton {}, contacts {}, strain {:.3}, speed {:.4}",
                now.1,
                if now.0 { ", coarse" } else { "" },
                clock.seconds(),
                1e3 * fitting.widest_gap(),
                fitting.open_stitches(),
                report.iterations,
                report.contacts,
                world.max_strain(),
                world.state().rms_speed()
            );
        }
    }
    let fitting = tailor.fitting();
    let cloth = fitting.mesh();
    let crossing = self_intersections(&cloth.positions, &cloth.triangles)?.len();
    let solid = Shape::from(body);
    let inside = body_penetrations(&cloth.positions, &cloth.triangles, &solid)?.triangles.len();
    println!(
        "{:6} {steps:6} {:6.0} {crossing:6} {inside:6} {:7.2} {:6} {:7.3} {}",
        cloth.positions.len(),
        clock.seconds(),
        1e3 * fitting.widest_gap(),
        fitting.open_stitches(),
        fitting.world().max_strain(),
        if tailor.is_done() { "yes" } else { "no" }
    );
    if let Some(open) = fitting.open() {
        println!("  {open}");
    }
    let sheet = views(fitting, body)?;
    write(path, &sheet)?;
    io::write_mesh(path.with_extension("obj"), &cloth)?;
    Ok(sheet)
}

/// From four sides, every panel in its colour.
fn views(fitting: &Fitting, body: &TriMesh) -> Outcome<Image> {
    let whole = fitting.mesh();
    let panels: Vec<TriMesh> = fitting
        .panels()
        .iter()
        .map(|p| {
            let range = p.triangles.start as usize..p.triangles.end as usize;
            TriMesh::new(whole.positions.clone(), whole.triangles[range].to_vec())
        })
        .collect();
    let (mut lo, mut hi) = body.bounds().ok_or("there is no body")?;
    (lo.x, hi.x) = (-0.45, 0.45);
    let mut images = Vec::new();
    for azimuth in [20.0_f64, 110.0, 200.0, 290.0] {
        let camera = Camera::framing(lo, hi, azimuth.to_radians(), 0.06, 300.0 / 500.0);
        let mut scene = Scene::new(camera).with_item(body, Material::plaster()).with_ground(0.0);
        for (i, panel) in panels.iter().enumerate() {
            let (front, back) = palette(i);
            scene = scene.with_item(panel, Material::cloth(front, back));
        }
        images.push(render(&scene, &Settings { samples: 4, ..Settings::new(300, 500) })?);
    }
    Ok(Image::contact_sheet(&images, 4)?)
}

fn write(path: &Path, image: &Image) -> Outcome<()> {
    let mut bytes = Vec::new();
    image.write_png(&mut bytes)?;
    Ok(std::fs::write(path, bytes)?)
}
