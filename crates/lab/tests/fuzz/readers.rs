//! Every reader: what it is given, and what is done with what it returns.

use super::geometry;
use super::pictures;
use super::seeds;
use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use toile::output::{OutputFolder, Plan};
use toile::{BodyShape, Error, Options, Scene};
use toile_body::motion::{Bvh, Clip as Motion, Performance, Posture, Recording, Rig, Skinning};
use toile_body::{Mannequin, Pose};
use toile_collide::ccd::Pair;
use toile_lab::fit;
use toile_lab::laboratory::kes::Along;
use toile_mesh::io::Format;
use toile_pattern::design::Design;
use toile_pattern::{Figure, Measurements, Pattern, Size, file, meshing, svg};

/// A reader and the files that it reads.
pub(crate) struct Reader {
    pub(crate) name: &'static str,
    pub(crate) extension: &'static str,
    pub(crate) is_text: bool,
    /// Cases in the test of every day.
    pub(crate) cases: usize,
    pub(crate) seeds: Vec<Vec<u8>>,
    /// Where its files are.
    pub(crate) folder: tempfile::TempDir,
    /// Reads bytes as a file of a folder.
    pub(crate) read: fn(&[u8], &Path),
}

/// A name on the disk for the bytes of a case.
fn on_disk(folder: &Path, name: &str, bytes: &[u8]) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, bytes).expect("the folder of the test is writable");
    path
}

/// An error is what a broken file should give; it says something, in a few lines.
pub(crate) fn judged<T>(result: Result<T, impl std::fmt::Display>) -> Option<T> {
    match result {
        Ok(value) => Some(value),
        Err(e) => {
            let text = e.to_string();
            assert!(!text.is_empty() && text.len() < 20_000, "an error of {} bytes", text.len());
            None
        }
    }
}

pub(crate) fn all() -> Vec<Reader> {
    let reader = |name, extension, is_text, cases, seeds, read| Reader {
        name,
        extension,
        is_text,
        cases,
        seeds,
        folder: tempfile::tempdir().expect("a folder for the cases"),
        read,
    };
    let mut patterns = seeds::files("patterns", "toml");
    patterns.extend(seeds::files("crates/pattern/tests/integration/data", "toml"));
    let json = seeds::texts(&[seeds::GARMENTCODE, seeds::FREESEWING]);
    let state: fn(&[u8], &Path) = |b, f| state(&with_checksum(b), f);
    vec![
        reader("obj", "obj", true, 1500, seeds::mesh_files(Format::Obj), |b, f| {
            mesh(b, f, "m.obj")
        }),
        reader("ply", "ply", false, 1500, seeds::mesh_files(Format::Ply), |b, f| {
            mesh(b, f, "m.ply")
        }),
        reader("glb", "glb", false, 3000, seeds::mesh_files(Format::Glb), |b, f| {
            mesh(b, f, "m.glb")
        }),
        reader("pc2", "pc2", false, 1000, seeds::caches(), cache),
        reader("scene", "toml", true, 2000, seeds::scenes(), scene),
        reader("fabric", "toml", true, 1500, seeds::files("fabrics", "toml"), fabric),
        reader("kes", "csv", true, 1500, seeds::texts(seeds::KES), kes),
        reader("curve", "csv", true, 400, seeds::texts(seeds::CURVES), curve),
        reader("pattern", "toml", true, 3000, patterns, |b, _| pattern(b, file::from_toml)),
        reader("pattern-json", "json", true, 6000, json, |b, _| pattern(b, file::from_json)),
        reader("pattern-dxf", "dxf", true, 3000, seeds::dxf_files(), |b, _| pattern(b, dxf)),
        reader("pattern-svg", "svg", true, 3000, seeds::texts(&[seeds::SVG]), |b, _| {
            pattern(b, outlines)
        }),
        reader("sidecar", "toml", true, 1000, seeds::texts(&[seeds::SIDECAR]), |b, _| sidecar(b)),
        reader("motion-bvh", "bvh", true, 3000, seeds::bvh_files(), |b, _| motion(b)),
        reader("picture-hdr", "hdr", false, 3000, pictures::hdr_files(), |b, _| {
            pictures::scene_light(b)
        }),
        reader("picture-exr", "exr", false, 3000, pictures::exr_files(), |b, _| {
            pictures::scene_light(b)
        }),
        reader("picture-png", "png", false, 3000, pictures::png_files(), |b, _| pictures::print(b)),
        reader("draft-wif", "wif", true, 3000, seeds::texts(&[pictures::WIF]), |b, _| {
            pictures::draft(b)
        }),
        reader("luminaire", "ies", true, 2000, pictures::ies_files(), |b, _| {
            pictures::luminaire(b)
        }),
        reader("measurements", "toml", true, 1000, seeds::texts(seeds::MEASUREMENTS), measurements),
        reader("queries", "csv", true, 3000, seeds::queries(), queries),
        reader("state", "bin", false, 1500, vec![saved_state()], state),
        reader("manifest", "txt", true, 400, vec![manifest_seed()], manifest),
        reader("ccd", "bin", false, 2000, geometry_seeds(), |b, _| geometry::ccd(b)),
        reader("detector", "bin", false, 3000, geometry_seeds(), |b, _| geometry::detector(b)),
        reader("field", "bin", false, 1000, geometry_seeds(), |b, _| geometry::field(b)),
    ]
}

fn mesh(bytes: &[u8], folder: &Path, name: &str) {
    let path = on_disk(folder, name, bytes);
    // As an obstacle and as cloth: both readers, cleaning and audit.
    if let Some(found) = judged(toile::check(std::slice::from_ref(&path), Some(&path))) {
        assert!(found.frames > 0, "what was read has frames");
    }
    if let Some(mesh) = judged(toile_mesh::io::read_mesh(&path)) {
        assert!(mesh.check().is_ok(), "what was read can be used");
    }
}

fn cache(bytes: &[u8], folder: &Path) {
    let mesh = folder.join("m.obj");
    toile_mesh::io::write_mesh(&mesh, &seeds::sheet()).expect("written");
    let path = on_disk(folder, "m.pc2", bytes);
    judged(toile::check(&[mesh, path], None));
}

fn text(bytes: &[u8]) -> Option<String> {
    judged(toile_mesh::io::source::decode(bytes.to_vec()))
}

/// Triangles above which a scene is only read: larger ones are allowed, and take their time.
const MAX_CELLS: u64 = 3000;

fn scene(bytes: &[u8], folder: &Path) {
    let Some(text) = text(bytes) else { return };
    let Some(scene) = judged(Scene::from_toml_with(&text, "s.toml", folder, &[])) else { return };
    let cells = scene.cloths.iter().map(|c| {
        let [a, b] = c.shape.cells().unwrap_or([0, 0]);
        a.saturating_mul(b).saturating_mul(u64::from(c.stack.map_or(1, |s| s.count)))
    });
    // What is refused by size is refused by `build`.
    let cells = cells.fold(0, u64::saturating_add);
    // To make a mannequin and to look through its clip takes seconds by right.
    let has_mannequin = scene.bodies.iter().any(|b| matches!(b.shape, BodyShape::Mannequin { .. }));
    if !has_mannequin && (cells <= MAX_CELLS || cells > 8_000_000) {
        judged(scene.build());
    }
}

fn fabric(bytes: &[u8], _: &Path) {
    let Some(text) = text(bytes) else { return };
    if let Some(fabric) = judged(toile::fabric::from_toml(&text, "f.toml")) {
        let written = toile::fabric::to_toml(&fabric);
        assert!(toile::fabric::from_toml(&written, "again").is_ok(), "{written}");
        toile::fabric::implausible(&fabric);
    }
}

fn kes(bytes: &[u8], folder: &Path) {
    judged(toile::fabric::import(on_disk(folder, "k.csv", bytes)));
}

fn curve(bytes: &[u8], _: &Path) {
    thread_local! {
        static READ: Cell<u32> = const { Cell::new(0) };
    }
    let Some(text) = text(bytes) else { return };
    let Some(data) = judged(fit::read_curve(&text, "c.csv")) else { return };
    // A fit takes a second.
    READ.set(READ.get() + 1);
    if READ.get() % 40 == 1 {
        judged(fit::fit(&toile::Fabric::default(), &data, Along::Weft));
    }
}

fn pattern(bytes: &[u8], read: fn(&str, &str) -> Result<Pattern, toile_pattern::Error>) {
    let Some(text) = text(bytes) else { return };
    let Some(pattern) = judged(read(&text, "p")) else { return };
    let check = pattern.check();
    let drawing = svg::draw(&pattern, &check, svg::Options::default());
    // Attributes stand between quotation marks.
    let mut attributes = drawing.split('"').skip(1).step_by(2);
    let bad = attributes.find(|a| a.contains("NaN") || a.contains("inf"));
    assert_eq!(bad, None, "a drawing has only numbers");
    judged(meshing::mesh(&pattern, 0.1));
    if pattern.panels.len() <= 12 {
        toile_pattern::sidecar::sew(&pattern);
    }
}

fn dxf(text: &str, name: &str) -> Result<Pattern, toile_pattern::Error> {
    toile_pattern::dxf::from_dxf(text, name, &toile_pattern::dxf::Options::default())
}

fn outlines(text: &str, name: &str) -> Result<Pattern, toile_pattern::Error> {
    svg::from_svg(text, name, None)
}

/// Corrections of a small pattern, and seams inferred for the rest.
fn sidecar(bytes: &[u8]) {
    let Some(text) = text(bytes) else { return };
    let m = Measurements::of(Figure::Female, Size::M);
    let design = Design::find("tshirt").expect("a design").draft(&m);
    judged(toile_pattern::sidecar::apply(&text, "s", &design).map(|p| p.check()));
}

/// The body that motions are read for; to make one takes a second.
fn rig() -> &'static Rig {
    static RIG: OnceLock<Rig> = OnceLock::new();
    RIG.get_or_init(|| {
        let m = toile_body::Figure::Female.measurements(Size::Xs);
        Rig::new(&Mannequin::new(&m, toile_body::Figure::Female, Pose::A).expect("a body"))
    })
}

/// A motion file, carried over to a body: every posture has finite numbers.
fn motion(bytes: &[u8]) {
    let Some(text) = text(bytes) else { return };
    let Some(bvh) = judged(Bvh::parse(&text, "m.bvh")) else { return };
    let Some(recording) = judged(Recording::new(&bvh, rig())) else { return };
    let clip = Motion::Recorded(Box::new(recording));
    let duration = clip.duration().unwrap_or(0.0);
    assert!(duration.is_finite(), "a motion of {duration} s");
    let performance = Performance::new(rig(), clip, Skinning::default());
    let moments = [0.5, performance.clip_start(), performance.clip_start() + 0.5 * duration];
    let posture = moments.map(|t| performance.posture(t));
    let is_finite = |p: &Posture| p.root.is_finite() && p.turns.iter().all(|q| q.is_finite());
    assert!(posture.iter().all(is_finite), "{posture:?}");
}

fn measurements(bytes: &[u8], _: &Path) {
    let Some(text) = text(bytes) else { return };
    let m = Measurements::of(Figure::Female, Size::M);
    if let Some(m) = judged(m.with_toml(&text, "m.toml")) {
        for design in Design::all() {
            design.draft(&m).check();
        }
    }
}

fn queries(bytes: &[u8], folder: &Path) {
    judged(toile_lab::ccd::read(&on_disk(folder, "q.csv", bytes), Some(Pair::EdgeEdge)));
}

/// A state of a short run.
fn saved_state() -> Vec<u8> {
    let folder = tempfile::tempdir().expect("a folder");
    let mut sim = small().build().expect("a good scene");
    let options = Options { picture: false, ..Options::new(folder.path()) };
    toile::run(&mut sim, &options, &mut |_| {}).expect("it runs");
    std::fs::read(folder.path().join("state.bin")).expect("it was saved")
}

fn small() -> Scene {
    let text = "duration = 0.01\n[[cloth]]\nshape = { type = \"grid\", width = 0.2, height = 0.2, cells = [2, 2] }\n";
    Scene::from_toml_with(text, "small.toml", Path::new(""), &[]).expect("a good scene")
}

/// The bytes with the checksum that they should have (FNV-1a), without which nothing behind it would be reached.
fn with_checksum(bytes: &[u8]) -> Vec<u8> {
    let body = bytes.len().saturating_sub(8);
    let step = |hash: u64, b: &u8| (hash ^ u64::from(*b)).wrapping_mul(0x0100_0000_01b3);
    let hash = bytes[..body].iter().fold(0xcbf2_9ce4_8422_2325, step);
    [&bytes[..body], &hash.to_le_bytes()].concat()
}

fn state(bytes: &[u8], folder: &Path) {
    let path = on_disk(folder, "state.bin", bytes);
    let Some(saved) = judged(toile::saved_state(&path)) else { return };
    let mut sim = small().build().expect("a good scene");
    judged(sim.world_mut().restore(saved));
}

fn manifest_seed() -> Vec<u8> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path();
    let mut out = OutputFolder::open(path, Plan::new(["a.txt", "b.txt"])).expect("opened");
    out.write_bytes("a.txt", b"one").expect("written");
    out.write_bytes("b.txt", b"two").expect("written");
    drop(out);
    std::fs::read(path.join(".toile/manifest")).expect("there")
}

fn manifest(bytes: &[u8], folder: &Path) {
    let folder = folder.join("results");
    std::fs::create_dir_all(folder.join(".toile")).expect("made");
    on_disk(&folder, ".toile/manifest", bytes);
    on_disk(&folder, "mine.txt", b"the user's");
    on_disk(&folder, "a.txt", b"the user's, or of a run");
    let done = OutputFolder::open(&folder, Plan::new(["a.txt"]))
        .and_then(|mut out| out.write_bytes("a.txt", b"new"));
    judged::<()>(done.map_err(|e: Error| e));
    // A manifest that was not written for these bytes gives no right to them.
    let read = |name: &str| std::fs::read(folder.join(name)).unwrap_or_default();
    assert_eq!(read("mine.txt"), b"the user's");
    assert_eq!(read("a.txt"), b"the user's, or of a run");
}

/// Any bytes are geometry.
fn geometry_seeds() -> Vec<Vec<u8>> {
    let mut random = super::mutate::Random::new(7);
    (0..8).map(|_| (0..200).map(|_| random.next() as u8).collect()).collect()
}
