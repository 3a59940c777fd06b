//! Meshes of panels: they cover the panel, follow its edges, and match along seams.

use glam::DVec2;
use proptest::prelude::*;
use std::collections::BTreeSet;
use toile_mesh::{Topology, TriMesh};
use toile_pattern::meshing::{self, PatternMesh, SewnBy};
use toile_pattern::{
    Dart, DartShape, Direction, Edge, EdgePart, Notch, Panel, Pattern, Seam, file,
};

fn v(x: f64, y: f64) -> DVec2 {
    DVec2::new(x, y)
}

fn apron() -> Pattern {
    file::from_toml(include_str!("data/apron.toml"), "apron").expect("a good file")
}

fn rectangle(name: &str, width: f64, height: f64) -> Panel {
    let c = [v(0.0, 0.0), v(width, 0.0), v(width, height), v(0.0, height)];
    let names = ["south", "east", "north", "west"];
    Panel::new(name, (0..4).map(|i| Edge::line(names[i], c[i], c[(i + 1) % 4])).collect())
}

/// Front and back with curved sides, sewn at both, the back longer.
fn tube() -> Pattern {
    let panel = |name: &str, height: f64, bow: f64| {
        let c = [v(0.0, 0.0), v(0.4, 0.0), v(0.4, height), v(0.0, height)];
        Panel::new(
            name,
            vec![
                Edge::line("hem", c[0], c[1]),
                Edge::quadratic("east", c[1], v(0.4 + bow, 0.5 * height), c[2]),
                Edge::cubic("top", c[2], [v(0.3, height - 0.1), v(0.1, height - 0.1)], c[3]),
                Edge::quadratic("west", c[3], v(-bow, 0.5 * height), c[0]),
            ],
        )
    };
    let mut pattern = Pattern::new("tube");
    pattern.panels = vec![panel("front", 0.6, 0.05), panel("back", 0.7, -0.05)];
    let part = EdgePart::new;
    pattern.seams = vec![
        Seam::new("left", part("front", "east"), part("back", "west")).with_gather(1.17),
        Seam::new("right", part("back", "east"), part("front", "west")).with_gather(1.17),
    ];
    pattern
}

fn smallest_angle(mesh: &TriMesh) -> f64 {
    let mut least = f64::MAX;
    for t in 0..mesh.triangles.len() {
        let c = mesh.corners(t);
        for k in 0..3 {
            let (a, b) = (c[(k + 1) % 3] - c[k], c[(k + 2) % 3] - c[k]);
            least = least.min(a.angle_between(b).to_degrees());
        }
    }
    least
}

/// Everything that must hold of any mesh of a pattern.
fn assert_sound(pattern: &Pattern, made: &PatternMesh) {
    for (panel, m) in pattern.panels.iter().zip(&made.panels) {
        let mesh = &m.mesh;
        assert!(mesh.validate().is_clean(), "{}: {:?}", panel.name, mesh.validate());
        for t in 0..mesh.triangles.len() {
            let [a, b, c] = mesh.corners(t);
            assert!((b - a).cross(c - a).z > 0.0, "{}: triangle {t} is inverted", panel.name);
        }
        // The triangles fill exactly the polygons of the rings.
        let ring_area = |ring: &Vec<u32>| {
            let p = |k: usize| mesh.positions[ring[k % ring.len()] as usize].truncate();
            0.5 * (0..ring.len()).map(|k| p(k).perp_dot(p(k + 1))).sum::<f64>()
        };
        let wanted: f64 = m.rings.iter().map(ring_area).sum();
        assert!((mesh.area() - wanted).abs() < 1e-9 * wanted, "{}", panel.name);
        // The boundary of the mesh is the rings and nothing else.
        let topology = Topology::new(mesh.positions.len(), &mesh.triangles);
        let boundary: BTreeSet<[u32; 2]> = topology
            .edges
            .iter()
            .filter(|e| e.is_boundary())
            .map(|e| [e.vertices[0].min(e.vertices[1]), e.vertices[0].max(e.vertices[1])])
            .collect();
        let rings: BTreeSet<[u32; 2]> = m
            .rings
            .iter()
            .flat_map(|r| (0..r.len()).map(|k| [r[k], r[(k + 1) % r.len()]]))
            .map(|[a, b]| [a.min(b), a.max(b)])
            .collect();
        assert_eq!(boundary, rings, "{}", panel.name);
        // Edge vertices lie on their edges, from end to end.
        for (edge, vertices) in panel.edges.iter().zip(&m.edges) {
            let p = |i: u32| mesh.positions[i as usize].truncate();
            assert!(p(vertices[0]).distance(edge.from) < 1e-9, "{} {}", panel.name, edge.name);
            let last = vertices[vertices.len() - 1];
            assert!(p(last).distance(edge.to) < 1e-9, "{} {}", panel.name, edge.name);
        }
        // Every corner has its material point: without, cloth would be at rest where it is put.
        assert!(mesh.has_uv() && mesh.uv_triangles == mesh.triangles, "{}", panel.name);
        // Turning the pattern into uv changes no length.
        for (x, uv) in mesh.positions.iter().zip(&mesh.uv) {
            assert!((x.length() - uv.length()).abs() < 1e-12);
        }
    }
}

#[test]
fn a_rectangle_is_meshed_with_good_triangles() {
    let mut pattern = Pattern::new("p");
    pattern.panels.push(rectangle("p", 0.5, 0.7));
    for h in [0.05, 0.02, 0.01] {
        let made = meshing::mesh(&pattern, h).expect("meshed");
        assert_sound(&pattern, &made);
        let mesh = &made.panels[0].mesh;
        assert!((mesh.area() - 0.35).abs() < 1e-12);
        assert!(smallest_angle(mesh) > 25.0, "{h}: {}", smallest_angle(mesh));
        // About as many vertices as equilateral triangles of this edge length have.
        let ideal = 0.35 / (0.75_f64.sqrt() * h * h);
        let ratio = mesh.positions.len() as f64 / ideal;
        assert!((0.8..1.5).contains(&ratio), "{h}: {ratio}");
    }
}

#[test]
fn curved_panels_have_angles_above_twenty_degrees() {
    let pattern = tube();
    for h in [0.04, 0.02, 0.01] {
        let made = meshing::mesh(&pattern, h).expect("meshed");
        assert_sound(&pattern, &made);
        for panel in &made.panels {
            let least = smallest_angle(&panel.mesh);
            assert!(least > 20.0, "{} at {h}: {least}", panel.name);
        }
    }
}

#[test]
fn neither_warp_nor_weft_nor_one_diagonal_is_preferred() {
    let mut pattern = Pattern::new("p");
    pattern.panels.push(rectangle("p", 1.0, 1.0));
    let made = meshing::mesh(&pattern, 0.02).expect("meshed");
    let mesh = &made.panels[0].mesh;
    let topology = Topology::new(mesh.positions.len(), &mesh.triangles);
    // Edges in twelve sectors of 15°: each would get 1/12 of all if all directions were equal.
    let mut sectors = [0.0; 12];
    for e in topology.edges.iter().filter(|e| !e.is_boundary()) {
        let [a, b] = e.vertices.map(|i| mesh.positions[i as usize].truncate());
        let angle = (b - a).to_angle().rem_euclid(std::f64::consts::PI);
        sectors[(angle / std::f64::consts::PI * 12.0) as usize % 12] += 1.0;
    }
    let all: f64 = sectors.iter().sum();
    let most = sectors.iter().fold(0.0_f64, |m, s| m.max(s / all));
    // A grid with one diagonal has a third of its edges in one sector.
    assert!(most < 0.25, "{most}");
}

#[test]
fn seams_are_sewn_point_by_point_with_the_ease_spread_evenly() {
    let pattern = tube();
    let made = meshing::mesh(&pattern, 0.02).expect("meshed");
    for (k, [(pa, ea), (pb, eb)]) in [[(0, 1), (1, 3)], [(1, 1), (0, 3)]].into_iter().enumerate() {
        let s = &made.stitchings[k];
        assert_eq!(s.by, SewnBy::Seam(k));
        let a: Vec<u32> = s.pairs.iter().map(|p| p[0].vertex).collect();
        let b: Vec<u32> = s.pairs.iter().rev().map(|p| p[1].vertex).collect();
        assert_eq!(a, made.panels[pa].edges[ea]);
        assert_eq!(b, made.panels[pb].edges[eb]);
        let length = |panel: usize, list: &[u32]| {
            let p = |i: u32| made.panels[panel].mesh.positions[i as usize];
            let all: Vec<f64> = list.windows(2).map(|w| p(w[0]).distance(p(w[1]))).collect();
            all.iter().fold((f64::MAX, 0.0_f64), |(l, h), &x| (l.min(x), h.max(x)))
        };
        for (low, high) in [length(pa, &a), length(pb, &b)] {
            assert!(high / low < 1.01, "{low} to {high}");
        }
    }
}

#[test]
fn a_seam_in_the_same_direction_pairs_beginning_with_beginning() {
    let mut pattern = tube();
    pattern.seams[0].direction = Direction::Same;
    let made = meshing::mesh(&pattern, 0.02).expect("meshed");
    let b: Vec<u32> = made.stitchings[0].pairs.iter().map(|p| p[1].vertex).collect();
    assert_eq!(b, made.panels[1].edges[3]);
}

#[test]
fn parts_and_chains_of_edges_match_point_by_point() {
    let mut pattern = Pattern::new("band");
    pattern.panels = vec![
        rectangle("band", 1.0, 0.05),
        rectangle("front", 0.45, 0.5),
        rectangle("back", 0.55, 0.5),
    ];
    let part = EdgePart::new;
    pattern.seams = vec![
        Seam::of_chains(
            "waist",
            vec![part("band", "south")],
            vec![part("back", "north"), part("front", "north")],
        ),
        Seam::new(
            "half",
            EdgePart { range: [0.2, 0.7], ..part("front", "east") },
            EdgePart { range: [0.5, 1.0], ..part("back", "west") },
        ),
    ];
    let made = meshing::mesh(&pattern, 0.017).expect("meshed");
    assert_sound(&pattern, &made);
    let waist = &made.stitchings[0].pairs;
    let place =
        |x: &meshing::PanelVertex| made.panels[x.panel as usize].mesh.positions[x.vertex as usize];
    for [a, b] in waist {
        // The front is sewn to the first 45 cm of the band, the back to the rest.
        let start = if b.panel == 1 { 0.0 } else { 0.45 };
        assert!((place(a).x - (start + place(b).x)).abs() < 1e-9, "{a:?} {b:?}");
    }
    let sewn: BTreeSet<u32> = waist.iter().map(|p| p[0].vertex).collect();
    assert_eq!(sewn.len(), made.panels[0].edges[0].len(), "every point of the band is sewn");
    let half = &made.stitchings[1].pairs;
    for [a, b] in half {
        assert!((place(a).y - 0.1 - place(b).y).abs() < 1e-9, "{:?} {:?}", place(a), place(b));
    }
    assert!((place(&half[0][0]).y - 0.1).abs() < 1e-9);
    assert!((place(&half[half.len() - 1][0]).y - 0.35).abs() < 1e-9);
}

#[test]
fn notches_of_one_label_meet() {
    let mut pattern = tube();
    pattern.panels[0].notches.push(Notch { edge: "east".into(), at: 0.3, label: "n".into() });
    pattern.panels[1].notches.push(Notch { edge: "west".into(), at: 0.6, label: "n".into() });
    let made = meshing::mesh(&pattern, 0.02).expect("meshed");
    let at = |panel: usize, edge: usize, fraction: f64| {
        let e = &pattern.panels[panel].edges[edge];
        e.at(fraction * e.length())
    };
    let wanted = [at(0, 1, 0.3), at(1, 3, 0.6)];
    let meets = made.stitchings[0].pairs.iter().any(|pair| {
        pair.iter().zip(wanted).all(|(x, w)| {
            let p = made.panels[x.panel as usize].mesh.positions[x.vertex as usize];
            p.truncate().distance(w) < 1e-6
        })
    });
    assert!(meets);
}

#[test]
fn darts_pleats_holes_and_lines_are_meshed() {
    let pattern = apron();
    let made = meshing::mesh(&pattern, 0.015).expect("meshed");
    assert_sound(&pattern, &made);
    let names: Vec<&str> = made
        .stitchings
        .iter()
        .map(|s| match &s.by {
            SewnBy::Closure { name, .. } => name.as_str(),
            SewnBy::Seam(i) => pattern.seams[*i].name.as_str(),
        })
        .collect();
    assert_eq!(names, ["bust", "bust-mirrored", "shape", "pleat", "waist"]);
    let [elastic] = &made.panels[1].elastics[..] else { panic!("one elastic") };
    assert_eq!((elastic.ratio, elastic.stiffness), (0.8, 12.5));
    assert_eq!(elastic.vertices, made.panels[1].edges[0], "along the hem");
    for s in &made.stitchings[..4] {
        assert!(s.pairs.len() >= 2, "{s:?}");
        let all: Vec<_> = s.pairs.iter().flatten().collect();
        assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), all.len(), "each vertex once: {s:?}");
    }
    assert_eq!(made.panels[1].rings.len(), 3, "outline, hole and double dart");
    // The pocket's corner is a vertex.
    let corner = v(-0.15, -0.35);
    let found = made.panels[1].mesh.positions.iter().any(|p| p.truncate().distance(corner) < 1e-9);
    assert!(found);
}

#[test]
fn the_grain_becomes_the_warp() {
    let mut pattern = Pattern::new("p");
    let mut panel = rectangle("p", 0.2, 0.3);
    panel.grain = v(1.0, 0.0);
    pattern.panels.push(panel);
    let made = meshing::mesh(&pattern, 0.05).expect("meshed");
    let mesh = &made.panels[0].mesh;
    assert!(mesh.has_uv(), "every corner has material coordinates");
    for (x, uv) in mesh.positions.iter().zip(&mesh.uv) {
        // x of the pattern is now v, and the sheet is not turned over.
        assert!((uv.y - x.x).abs() < 1e-12 && (uv.x + x.y).abs() < 1e-12);
    }
}

#[test]
fn the_same_pattern_gives_the_same_mesh() {
    let a = meshing::mesh(&apron(), 0.01).expect("meshed");
    let b = meshing::mesh(&apron(), 0.01).expect("meshed");
    assert_eq!(a, b);
}

#[test]
fn four_times_the_vertices_take_less_than_nine_times_as_long() {
    let mut pattern = tube();
    pattern.panels.push(rectangle("sheet", 0.5, 0.5));
    // The least of three: other work on the machine only adds.
    let take = |edge: f64| {
        let times = (0..3).map(|_| {
            let start = std::time::Instant::now();
            let made = meshing::mesh(&pattern, edge).expect("meshed");
            (*made.offsets().last().expect("a number"), start.elapsed().as_secs_f64())
        });
        times.fold((0, f64::INFINITY), |(_, least), (n, seconds)| (n, least.min(seconds)))
    };
    let (few, quick) = take(0.0174);
    let (many, slow) = take(0.0087);
    assert!(many > 10_000 && few * 3 < many && many < few * 5, "{few} {many}");
    assert!(slow < 9.0 * quick, "{few} vertices in {quick} s, {many} in {slow} s");
}

#[test]
fn impossible_edge_lengths_are_refused() {
    for h in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e-6] {
        assert!(meshing::mesh(&tube(), h).is_err(), "{h}");
    }
    // The estimate comes before the work, and also counts long outlines of little area.
    let error = meshing::mesh(&tube(), 1e-9).unwrap_err();
    assert!(error.to_string().contains("vertices, more than 4e6"), "{error}");
    assert!(error.help().contains("choose longer edges"), "{}", error.help());
    let mut strip = Pattern::new("strip");
    strip.panels = vec![rectangle("thread", 3.0, 1.1e-4)];
    assert!(meshing::mesh(&strip, 1e-6).unwrap_err().to_string().contains("vertices, more than"));
    // A length larger than the panel still gives a mesh of its corners.
    let coarse = meshing::mesh(&tube(), 10.0).expect("a few triangles");
    assert_sound(&tube(), &coarse);
}

#[test]
fn a_pattern_with_faults_is_not_meshed() {
    let mut pattern = tube();
    pattern.seams[0].a[0].edge = "nowhere".into();
    let error = meshing::mesh(&pattern, 0.01).unwrap_err();
    assert!(error.to_string().contains("nowhere"), "{error}");
}

/// A round panel with wavy edges of all kinds, and perhaps a dart.
fn blob(radii: &[f64], kinds: &[u8], dart: bool) -> Panel {
    let n = radii.len();
    let at = |i: usize, r: f64| r * DVec2::from_angle(std::f64::consts::TAU * i as f64 / n as f64);
    let corner = |i: usize| at(i % n, 0.2 + 0.1 * radii[i % n]);
    let edges = (0..n)
        .map(|i| {
            let (a, b) = (corner(i), corner(i + 1));
            let out = 0.15 * (b - a).perp();
            let m = 0.5 * (a + b);
            let name = format!("e{i}");
            match kinds[i] % 4 {
                0 => Edge::line(name, a, b),
                1 => Edge::quadratic(name, a, m - out, b),
                2 => Edge::cubic(name, a, [a.lerp(b, 0.3) - out, a.lerp(b, 0.7) + out], b),
                _ => Edge::arc_through(name, a, m - out, b),
            }
        })
        .collect();
    let mut panel = Panel::new("blob", edges);
    if dart {
        let shape =
            DartShape::Open { edge: "e0".into(), at: 0.5, width: 0.02, tip: 0.25 * corner(0) };
        panel.darts.push(Dart { name: "d".into(), shape });
    }
    panel
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    #[test]
    fn any_sound_panel_is_meshed_soundly(
        radii in prop::collection::vec(0.0_f64..1.0, 5..9),
        kinds in prop::collection::vec(0_u8..4, 9),
        dart in any::<bool>(),
        h in 0.01_f64..0.08,
    ) {
        let mut pattern = Pattern::new("blobs");
        pattern.panels.push(blob(&radii, &kinds, dart));
        let mut other = blob(&radii, &kinds[1..].iter().copied().chain([0]).collect::<Vec<_>>(), false);
        other.name = "other".into();
        pattern.panels.push(other);
        pattern.seams.push(Seam::new("s", EdgePart::new("blob", "e1"), EdgePart::new("other", "e3")));
        prop_assume!(pattern.check().is_usable());
        let made = meshing::mesh(&pattern, h).expect("meshed");
        assert_sound(&pattern, &made);
        let seam = made.stitchings.iter().find(|s| s.by == SewnBy::Seam(0)).expect("sewn");
        for side in 0..2 {
            let all: BTreeSet<_> = seam.pairs.iter().map(|p| p[side]).collect();
            prop_assert_eq!(all.len(), seam.pairs.len());
        }
    }
}
