//! Valid files that mutations begin with: small ones made here, and those that the repository ships.

use glam::DVec3;
use std::path::{Path, PathBuf};
use toile::DVec3 as Point;
use toile_mesh::io::{Format, glb, pc2};
use toile_mesh::{TriMesh, shape};

/// A folder of the repository.
pub(crate) fn shipped(folder: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(folder)
}

/// All files of a folder of the repository with an extension, in the order of their names.
pub(crate) fn files(folder: &str, extension: &str) -> Vec<Vec<u8>> {
    let entries = std::fs::read_dir(shipped(folder)).expect("the folder is there");
    let mut paths: Vec<PathBuf> = entries.map(|e| e.expect("an entry").path()).collect();
    paths.retain(|p| p.extension().is_some_and(|e| e == extension));
    paths.sort();
    paths.iter().map(|p| std::fs::read(p).expect("a file")).collect()
}

/// A sheet with uv, and a closed surface without.
fn meshes() -> [TriMesh; 2] {
    [shape::grid(0.4, 0.3, 4, 3, shape::Diagonals::Alternating), shape::sphere(0.2, 1)]
}

pub(crate) fn sheet() -> TriMesh {
    meshes()[0].clone()
}

/// Three frames of the sheet.
fn frames() -> Vec<Vec<Point>> {
    let at = |k: usize| sheet().positions.iter().map(|p| *p + DVec3::Y * 0.1 * k as f64).collect();
    (0..3).map(at).collect()
}

pub(crate) fn mesh_files(format: Format) -> Vec<Vec<u8>> {
    let mut files: Vec<Vec<u8>> = meshes()
        .iter()
        .map(|mesh| {
            let mut bytes = Vec::new();
            format.write(&mut bytes, mesh).expect("written to memory");
            bytes
        })
        .collect();
    match format {
        Format::Glb => {
            let mut bytes = Vec::new();
            let look = glb::Look::default();
            glb::write_animation(&mut bytes, &sheet(), &frames(), 30.0, &look).expect("written");
            files.push(bytes);
        }
        Format::Ply => files.push(
            b"ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\n\
              element face 2\nproperty list uchar int vertex_indices\nend_header\n\
              0 0 0\n1 0 0\n1 1 0\n0 1 0\n3 0 1 2\n3 0 2 3\n"
                .to_vec(),
        ),
        Format::Obj => files.push(
            b"# quads\no a\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 1 1\nvn 0 0 1\nusemtl b\n\
              f 1/1/1 2/2/1 3/3/1\nf -4//1 -2//1 -1//1\nf 1 2 \\\n 3 4\n"
                .to_vec(),
        ),
        _ => {}
    }
    files
}

pub(crate) fn caches() -> Vec<Vec<u8>> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.pc2");
    pc2::write_file(&path, sheet().positions.len(), &frames()).expect("written");
    vec![std::fs::read(path).expect("there")]
}

pub(crate) fn texts(texts: &[&str]) -> Vec<Vec<u8>> {
    texts.iter().map(|t| t.as_bytes().to_vec()).collect()
}

/// Scenes that use every key once, and those of the repository.
pub(crate) fn scenes() -> Vec<Vec<u8>> {
    let mut all = files("scenes", "toml");
    all.extend(texts(&[SCENE]));
    all
}

const SCENE: &str = r#"name = "all"
preset = "toile"
duration = 0.2
fps = 30
levels = 1
gravity = [0, -9.81, 0]
wind = { velocity = [1, 0, 2], gust = 0.3, gust_period = 2, gust_size = 1, normal_drag = 1.2, tangential_drag = 0.05 }
camera = { azimuth = 30, elevation = 20, frame = [[-1, -1, -1], [1, 1, 1]] }

[[cloth]]
name = "sheet"
shape = { type = "grid", width = 0.2, height = 0.3, cells = [4, 6], diagonals = "same" }
fabric = { base = "denim", density = "12 mg/cm²", warp_curve = [[0, 0], [0.01, 20], [0.02, 60]] }
place = { at = [0, 0.3, 0], rotate = { axis = [1, 0, 0], degrees = 20 } }
stack = { count = 2, offset = [0, 0.02, 0], turn = 3 }
jitter = { amplitude = 1e-4, seed = 3, axis = [0, 1, 0] }
pins = [
  { select = "top", until = 0.1 },
  { points = [[0, 0]], motion = { type = "steady", velocity = [0.1, 0, 0], turns_per_second = 0.1 } },
  { vertices = [3], motion = { type = "keys", keys = [{ time = 0 }, { time = 1, translate = [0, 0.1, 0], degrees = 30 }] } },
]

[[cloth]]
shape = { type = "knot", width = 0.05, length = 1.0, cells = [2, 60] }
place = { at = [0, 2, 0] }

[[body]]
name = "ball"
shape = { type = "sphere", at = [0, 0, 0], radius = 0.1 }
friction = 0.3
motion = { type = "steady", velocity = [0, 0.1, 0] }

[[body]]
shape = { type = "capsule", a = [1, 0, 0], b = [2, 0, 0], radius = 0.1 }

[[body]]
shape = { type = "box", at = [3, 0, 0], size = [0.1, 0.2, 0.3], rotate = { axis = [0, 0, 1], degrees = 5 } }

[[body]]
shape = { type = "ring", at = [5, 0, 0], radius = 0.3, rod = 0.05 }

[[body]]
shape = { type = "plane", at = [0, -1, 0], normal = [0, 1, 0] }

[solver]
step = 0.005
collision = { separation = 0.0005, response = "impulse" }

[expect]
intersections_max = 0
"#;

pub(crate) const KES: &[&str] = &[
    "property,weft,warp\nW,12.1\nB,0.062,0.091\n2HB,0.03,0.04\nG,1.1\n2HG,2.0\nEM,5.2,4.1\nLT,0.8\nWT,10,9\nRT,45\n",
    "name;Worsted\nproperty;value\nW;12,1\nB;0,06\nG;1,1\nEM;5,2\nLT;0,8\n",
];

pub(crate) const CURVES: &[&str] = &[
    "strain [%],force [gf/cm]\n0.5,10\n1,30\n2,120\n4,480\n",
    "angle [deg],force [gf/cm]\n1,1.9\n3,4.2\n5,6.4\n8,9.9\n",
    "curvature [1/cm];moment [gf·cm/cm]\n0,5;0,05\n1;0,1\n2;0,2\n",
    "# Peirce\nlength [cm],angle [deg]\n3,20\n4,41\n",
];

pub(crate) const MEASUREMENTS: &[&str] =
    &["height = 170\nbust_girth = 92\nwaist_girth = 74.5\nhip_girth = 99\nshoulder_slope = 20\n"];

pub(crate) const GARMENTCODE: &str = r#"{"pattern": {"panels": {
  "front": {"vertices": [[0, 0], [40, 0], [40, 60], [0, 60]], "translation": [0, 100, 20], "rotation": [0, 0, 0],
    "edges": [{"endpoints": [0, 1], "curvature": {"type": "quadratic", "params": [[0.5, -0.1]]}},
      {"endpoints": [1, 2]}, {"endpoints": [2, 3], "curvature": {"type": "cubic", "params": [[0.3, 0.1], [0.6, 0.1]]}},
      {"endpoints": [3, 0], "label": "side"}]},
  "back": {"vertices": [[0, 0], [40, 0], [40, 60], [0, 60]], "translation": [0, 100, -20],
    "edges": [{"endpoints": [0, 1]}, {"endpoints": [1, 2], "curvature": {"type": "circle", "params": [80, 0, 1]}},
      {"endpoints": [2, 3], "curvature": [0.5, 0.1]}, {"endpoints": [3, 0]}]}},
  "stitches": [[{"panel": "front", "edge": 1}, {"panel": "back", "edge": 3}],
    [{"panel": "front", "edge": 3}, {"panel": "back", "edge": 1}, "right_wrong"]], "panel_order": ["front", "back"]},
 "properties": {"units_in_meter": 100, "curvature_coords": "relative"}}"#;

pub(crate) const FREESEWING: &str = r#"{"units": "mm", "y_axis": "down", "seam_allowance": 10, "parts": {"brian.front": {
  "paths": {"seam": {"ops": [{"t": "move", "to": [0, 0]}, {"t": "line", "to": [200, 0]},
    {"t": "curve", "cp1": [220, 100], "cp2": [220, 200], "to": [200, 300]}, {"t": "line", "to": [0, 300]}, {"t": "close"}]}},
  "snippets": [{"def": "notch", "at": [100, 0]}]}},
 "cutlist": {"brian.front": {"materials": {"fabric": [{"cut": 1, "onFold": true}]}, "cutOnFold": [[0, 0], [0, 300]], "grain": 90}}}"#;

/// Queries of continuous collision detection, in both formats.
pub(crate) fn queries() -> Vec<Vec<u8>> {
    let plain: String = (0..4)
        .map(|k| (0..24).map(|i| format!("{},", (i * 7 + k) % 5)).collect::<String>() + "1\n")
        .collect();
    let rational: String =
        (0..16).map(|k| format!("{},3,{},7,{},1,1\n", k, k * k - 20, 3 - k)).collect();
    texts(&[&plain, &rational])
}

/// DXF that toile writes, and one in the dialect of other programs.
pub(crate) fn dxf_files() -> Vec<Vec<u8>> {
    use toile_pattern::{Figure, Measurements, Size, design::Design, dxf};
    let pattern = |name: &str, size| {
        Design::find(name).expect("a design").draft(&Measurements::of(Figure::Female, size))
    };
    let written = |name: &str| {
        let sizes = [Size::S, Size::L]
            .map(|size| dxf::Graded { size: size.name().into(), pattern: pattern(name, size) });
        dxf::to_dxf(&sizes).into_bytes()
    };
    let other = DXF.lines().map(|l| l.replacen(' ', "\n", 1) + "\n").collect::<String>();
    vec![written("circle-skirt"), written("skirt"), other.into_bytes()]
}

/// Pairs of a code and a value.
const DXF: &str = "0 SECTION\n2 BLOCKS\n0 BLOCK\n8 1\n2 yoke_M\n70 64\n0 TEXT\n8 1\n1 PIECE NAME: yoke\n0 TEXT\n8 1\n1 SIZE: M\n\
    0 TEXT\n8 1\n1 QUANTITY: 1,1\n0 LWPOLYLINE\n8 1\n90 4\n70 1\n10 0\n20 0\n10 200\n20 0\n42 0.4\n10 200\n20 90\n10 0\n20 90\n\
    0 LINE\n8 6\n10 0\n20 0\n11 0\n21 90\n0 POINT\n8 4\n10 100\n20 0\n0 ARC\n8 8\n10 50\n20 50\n40 20\n50 10\n51 90\n0 CIRCLE\n8 11\n\
    10 80\n20 40\n40 9\n0 ENDBLK\n0 ENDSEC\n0 SECTION\n2 ENTITIES\n0 INSERT\n8 1\n2 yoke_M\n10 5\n20 5\n41 -1\n42 1\n50 30\n\
    0 TEXT\n8 1\n1 UNITS: METRIC\n0 TEXT\n8 1\n1 SAMPLE SIZE: M\n0 ENDSEC\n0 EOF\n";

pub(crate) const SVG: &str = r##"<svg xmlns="http://www.w3.org/2000/svg" width="60cm" height="40cm" viewBox="0 0 600 400">
<g id="front" transform="translate(10 10) rotate(3)"><path d="M0 0H220V320H0Z"/><path d="M10 10c20 5 60 5 100 0s90-4 100 0v300H10Z M100 100h30v30h-30z"/>
<line x1="10" y1="100" x2="16" y2="100"/><text>cut 2 mirrored</text></g><circle cx="400" cy="100" r="60"/>
<path id="b" d="m300 200 a 60 40 20 0 1 100 0 q 20 50 0 100 t -100 0 z"/><polygon points="500,10 590,10 590,300 500,300"/></svg>"##;

pub(crate) const SIDECAR: &str = r#"infer = true
open = ["front.hem-left", "back.hem-left"]

[[piece]]
name = "sleeve-right"
omit = true

[[piece]]
name = "back"
mirror = true

[[seam]]
name = "1"
a = ["front.side-left"]
b = "back.side-left[0, 1]"
gather = 1.1
confidence = 0.9
"#;

/// Motions: one that toile writes, and one in the way of other programs.
pub(crate) fn bvh_files() -> Vec<Vec<u8>> {
    use toile_body::motion::{Bvh, Posture, Rig};
    use toile_body::{Figure, Mannequin, Pose};
    use toile_pattern::Size;
    let m = Figure::Female.measurements(Size::Xs);
    let rig = Rig::new(&Mannequin::new(&m, Figure::Female, Pose::A).expect("a body"));
    let own = Bvh::write(&rig, &[Posture::REST; 2], 0.04).expect("written");
    let frame = (0..45).map(|k| format!("{} ", (k * 7) % 30)).collect::<String>();
    let other = BVH.to_owned() + &format!("{frame}\n").repeat(3);
    texts(&[&own, &other])
}

/// A figure with every limb; end sites, names with spaces, and rotations in two orders.
const BVH: &str = "HIERARCHY\nROOT Hips\n{\n OFFSET 0 90 0\n CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation\n\
 JOINT Spine\n {\n OFFSET 0 20 0\n CHANNELS 3 Zrotation Xrotation Yrotation\n\
 JOINT Neck\n {\n OFFSET 0 25 0\n CHANNELS 3 Zrotation Xrotation Yrotation\n\
 JOINT Head\n {\n OFFSET 0 10 0\n CHANNELS 3 Zrotation Xrotation Yrotation\n End Site\n {\n OFFSET 0 18 0\n }\n }\n }\n\
 JOINT Left Arm\n {\n OFFSET 18 20 0\n CHANNELS 3 Xrotation Yrotation Zrotation\n\
 JOINT LeftForeArm\n {\n OFFSET 28 0 0\n CHANNELS 3 Xrotation Yrotation Zrotation\n End Site\n {\n OFFSET 25 0 0\n }\n }\n }\n\
 JOINT Right Arm\n {\n OFFSET -18 20 0\n CHANNELS 3 Xrotation Yrotation Zrotation\n\
 JOINT RightForeArm\n {\n OFFSET -28 0 0\n CHANNELS 3 Xrotation Yrotation Zrotation\n End Site nub\n {\n OFFSET -25 0 0\n }\n }\n }\n }\n\
 JOINT LeftUpLeg\n {\n OFFSET 9 0 0\n CHANNELS 3 Zrotation Xrotation Yrotation\n\
 JOINT LeftLeg\n {\n OFFSET 0 -42 0\n CHANNELS 3 Zrotation Xrotation Yrotation\n\
 JOINT LeftFoot\n {\n OFFSET 0 -40 0\n CHANNELS 3 Zrotation Xrotation Yrotation\n End Site\n {\n OFFSET 0 -6 14\n }\n }\n }\n }\n\
 JOINT RightUpLeg\n {\n OFFSET -9 0 0\n CHANNELS 3 Zrotation Xrotation Yrotation\n\
 JOINT RightLeg\n {\n OFFSET 0 -42 0\n CHANNELS 3 Zrotation Xrotation Yrotation\n End Site\n {\n OFFSET 0 -40 0\n }\n }\n }\n}\n\
MOTION\nFrames: 3\nFrame Time: 0.0333333\n";
