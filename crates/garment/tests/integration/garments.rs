//! Garments on the mannequin: arranged without touching anything, sewn and at rest without an intersection.

use glam::DVec3;
use toile_audit::{Shape, body_penetrations, self_intersections};
use toile_body::{Body, Figure, Mannequin, Pose};
use toile_garment::{Error, Fabrics, Fitting, Stage, Tailor, arrange};
use toile_mesh::{Topology, TriMesh};
use toile_pattern::design::Design;
use toile_pattern::meshing::{self, PatternMesh};
use toile_pattern::{Pattern, Size};
use toile_sim::Fabric;

/// Coarse, so that it is quick.
const EDGE: f64 = 0.05;

fn mannequin() -> Body {
    let m = Figure::Female.measurements(Size::M);
    Mannequin::new(&m, Figure::Female, Pose::A).unwrap()
}

fn design(name: &str) -> (Pattern, PatternMesh) {
    let m = Figure::Female.measurements(Size::M);
    let pattern = Design::find(name).unwrap().draft(&m);
    let mesh = meshing::mesh(&pattern, EDGE).unwrap();
    (pattern, mesh)
}

fn assert_clear(cloth: &TriMesh, body: &Body, when: &str) {
    let crossing = self_intersections(&cloth.positions, &cloth.triangles).unwrap();
    assert!(crossing.is_empty(), "{when}: {} crossings", crossing.len());
    let solid = Shape::from(&body.mesh);
    let inside = body_penetrations(&cloth.positions, &cloth.triangles, &solid).unwrap();
    assert!(inside.triangles.is_empty(), "{when}: {} inside", inside.triangles.len());
}

fn put(mesh: &PatternMesh, panels: &[Vec<DVec3>]) -> TriMesh {
    let mut all = TriMesh::default();
    for (panel, x) in mesh.panels.iter().zip(panels) {
        all.append(&TriMesh::new(x.clone(), panel.mesh.triangles.clone()));
    }
    all
}

#[test]
fn panels_are_bent_around_the_body_without_stretch_or_touch() {
    let body = mannequin();
    // Around the corner between front and inside of a leg a chord is as much shorter as that of a right angle.
    let designs = [
        ("tshirt", 0.95),
        ("skirt", 0.95),
        ("dress", 0.95),
        ("circle-skirt", 0.95),
        ("trousers", 0.7),
    ];
    for (name, least) in designs {
        let (pattern, mesh) = design(name);
        let arranged = arrange(&pattern, &mesh, &body.mesh, &body.landmarks).unwrap();
        assert_clear(&put(&mesh, &arranged.panels), &body, name);
        for (panel, x) in mesh.panels.iter().zip(&arranged.panels) {
            let flat = &panel.mesh.positions;
            let topology = Topology::new(flat.len(), &panel.mesh.triangles);
            for edge in &topology.edges {
                let [a, b] = edge.vertices.map(|v| v as usize);
                // A chord is shorter than the arc of cloth that it spans.
                let ratio = x[a].distance(x[b]) / flat[a].distance(flat[b]);
                assert!((least..1.0 + 1e-9).contains(&ratio), "{name} {}: {ratio}", panel.name);
            }
        }
    }
}

/// How many closed lines a surface ends in.
fn rims(mesh: &TriMesh) -> usize {
    let topology = Topology::new(mesh.positions.len(), &mesh.triangles);
    let rim = topology.edges.iter().filter(|e| e.valence == 1);
    let mut next = std::collections::BTreeMap::new();
    for edge in rim {
        let tri = mesh.triangles[edge.triangles[0] as usize];
        let [a, b] = edge.vertices;
        let along = (0..3).any(|k| tri[k] == a && tri[(k + 1) % 3] == b);
        let (a, b) = if along { (a, b) } else { (b, a) };
        assert!(next.insert(a, b).is_none(), "two rims meet at {a}");
    }
    let mut count = 0;
    while let Some((_, mut at)) = next.pop_first() {
        while let Some(on) = next.remove(&at) {
            at = on;
        }
        count += 1;
    }
    count
}

/// Steps until all seams are closed.
fn sew(name: &str, fabric: &Fabric) -> (Body, PatternMesh, Fitting) {
    let body = mannequin();
    let (pattern, mesh) = design(name);
    let arranged = arrange(&pattern, &mesh, &body.mesh, &body.landmarks).unwrap();
    let mut fitting = Fitting::new(&mesh, &arranged, &body.mesh, fabric).unwrap();
    for _ in 0..120 {
        if fitting.stage() != Stage::Sewing && fitting.open_stitches() == 0 {
            break;
        }
        fitting.step().unwrap();
    }
    (body, mesh, fitting)
}

#[test]
fn trousers_are_welded_to_one_surface_with_a_rim_at_the_waist_and_one_at_each_leg() {
    let (body, mesh, fitting) = sew("trousers", &Fabric::default());
    assert_eq!(fitting.open_stitches(), 0);
    assert_eq!(fitting.widest_gap(), 0.0);
    let cloth = fitting.mesh();
    assert_clear(&cloth, &body, "welded");
    assert_eq!(rims(&cloth), 3);
    let topology = Topology::new(cloth.positions.len(), &cloth.triangles);
    assert_eq!(topology.components().1, 1);
    // Triangles keep their order and the cloth of their panel.
    let mut first = 0;
    for (panel, range) in mesh.panels.iter().zip(fitting.panels()) {
        assert_eq!((&panel.name, first), (&range.name, range.triangles.start));
        for (t, tri) in panel.mesh.triangles.iter().enumerate() {
            let [a, b, c] = tri.map(|v| panel.mesh.uv[v as usize]);
            let [p, q, r] = cloth.corners_uv(first as usize + t);
            assert!(((b - a) - (q - p)).length() + ((c - a) - (r - p)).length() < 1e-12);
        }
        first = range.triangles.end;
    }
}

#[test]
fn a_t_shirt_is_sewn_onto_the_mannequin_and_comes_to_rest_without_an_intersection() {
    let body = mannequin();
    let (pattern, mesh) = design("tshirt");
    let arranged = arrange(&pattern, &mesh, &body.mesh, &body.landmarks).unwrap();
    let jersey = Fabric {
        density: 0.16,
        weft: 17.0,
        warp: 30.0,
        shear: 34.0,
        bend_weft: 1.6e-6,
        bend_warp: 2.4e-6,
        ..Fabric::default()
    };
    let mut fitting = Fitting::new(&mesh, &arranged, &body.mesh, &jersey).unwrap();
    let open = fitting.widest_gap();
    assert!(open > 0.1, "{open}");
    for step in 0..250 {
        fitting.step().unwrap();
        if step % 10 == 0 {
            assert_clear(&fitting.mesh(), &body, "on the way");
        }
        if fitting.stage() == Stage::Done {
            break;
        }
    }
    assert_eq!(fitting.stage(), Stage::Done);
    assert_clear(&fitting.mesh(), &body, "at rest");
    assert_eq!((fitting.widest_gap(), fitting.open_stitches()), (0.0, 0));
    assert_eq!(rims(&fitting.mesh()), 4);
    // It stays where it is, though nothing is slowed down any more.
    let before = fitting.mesh();
    for _ in 0..20 {
        fitting.step().unwrap();
    }
    let after = fitting.mesh();
    let ways = before.positions.iter().zip(&after.positions).map(|(a, b)| a.distance_squared(*b));
    let moved = (ways.sum::<f64>() / before.positions.len() as f64).sqrt();
    assert!(moved < 1e-3, "{moved}");
    // It hangs on the shoulders and ends about the hip.
    let (low, high) = fitting.mesh().bounds().unwrap();
    let marks = &body.landmarks;
    assert!((high.y - marks.side_neck[0].y).abs() < 0.06, "{} {}", high.y, marks.side_neck[0].y);
    assert!((marks.crotch.y - 0.1..marks.hip.y + 0.05).contains(&low.y), "{}", low.y);
}

#[test]
fn a_garment_sewn_with_large_triangles_goes_on_with_small_ones_for_any_number_of_threads() {
    let body = mannequin();
    let m = Figure::Female.measurements(Size::M);
    let pattern = Design::find("skirt").unwrap().draft(&m);
    let edge = 0.015;
    let mesh = meshing::mesh(&pattern, edge).unwrap();
    let fabric = Fabric::default();
    let worn = || {
        let mut tailor =
            Tailor::new(&pattern, &mesh, edge, &body.mesh, &body.landmarks, &fabric).unwrap();
        assert!(tailor.is_coarse() && !tailor.is_done());
        let coarse = tailor.fitting().mesh().positions.len();
        while tailor.is_coarse() {
            tailor.step().unwrap();
        }
        // Refined, not begun anew: all is sewn and nothing intersects from the first moment.
        let fitting = tailor.fitting();
        assert_eq!((fitting.stage(), fitting.open_stitches()), (Stage::Draping, 0));
        let cloth = fitting.mesh();
        assert!(cloth.positions.len() > 3 * coarse, "{} {coarse}", cloth.positions.len());
        let wanted: usize = mesh.panels.iter().map(|p| p.mesh.triangles.len()).sum();
        assert_eq!(cloth.triangles.len(), wanted);
        assert_clear(&cloth, &body, "refined");
        tailor.step().unwrap();
        assert_clear(&tailor.fitting().mesh(), &body, "a step later");
        tailor.fitting().world().state().hash()
    };
    let hashes = [1, 3].map(|threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(worn)
    });
    assert_eq!(hashes[0], hashes[1]);
}

/// How high cloth or body reach on the left shoulder, between neck and arm.
fn shoulder(mesh: &TriMesh) -> f64 {
    let on = |p: &&DVec3| (0.13..0.18).contains(&p.x);
    mesh.positions.iter().filter(on).map(|p| p.y).fold(f64::NEG_INFINITY, f64::max)
}

#[test]
fn a_t_shirt_that_hardly_stretches_lies_on_the_shoulders_and_does_not_hang_in_the_armpits() {
    let (body, _, mut fitting) = sew("tshirt", &Fabric::default());
    for _ in 0..250 {
        if fitting.stage() == Stage::Done {
            break;
        }
        fitting.step().unwrap();
    }
    assert_eq!(fitting.stage(), Stage::Done);
    let above = shoulder(&fitting.mesh()) - shoulder(&body.mesh);
    assert!((0.0..0.025).contains(&above), "{above}");
}

/// A pattern file of the repository.
fn from_file(name: &str) -> Pattern {
    let path = format!("{}/../../patterns/{name}", env!("CARGO_MANIFEST_DIR"));
    toile_pattern::file::read(path).unwrap()
}

#[test]
fn a_skirt_is_held_up_by_its_elastic_and_by_nothing_else() {
    let body = mannequin();
    let drape = |pattern: &Pattern| {
        let mesh = meshing::mesh(pattern, 0.03).unwrap();
        let arranged = arrange(pattern, &mesh, &body.mesh, &body.landmarks).unwrap();
        let mut fitting = Fitting::new(&mesh, &arranged, &body.mesh, &Fabric::default()).unwrap();
        for _ in 0..150 {
            if fitting.stage() == Stage::Done {
                break;
            }
            // What falls off is given up.
            match fitting.step() {
                Err(Error::Fallen { .. }) => break,
                step => drop(step.unwrap()),
            }
        }
        let cloth = fitting.mesh();
        assert_clear(&cloth, &body, "draped");
        // The girth of the band as it is worn, and how high it is.
        let band = fitting.panels().iter().find(|p| p.name == "waistband").unwrap();
        let triangles = band.triangles.start as usize..band.triangles.end as usize;
        let band = TriMesh::new(cloth.positions.clone(), cloth.triangles[triangles].to_vec());
        let used: Vec<f64> =
            band.triangles.iter().flatten().map(|v| cloth.positions[*v as usize].y).collect();
        let height = used.iter().sum::<f64>() / used.len() as f64;
        (fitting.stage(), fitting.open_stitches(), height)
    };
    let mut pattern = from_file("pull-on-skirt.toml");
    let (stage, open, height) = drape(&pattern);
    assert_eq!((stage, open), (Stage::Done, 0));
    let waist = body.landmarks.waist.y;
    assert!((height - waist).abs() < 0.06, "{height} {waist}");
    // Without it the same skirt, whose band is wider than the hips, falls down.
    pattern.panels.iter_mut().for_each(|p| p.elastics.clear());
    let (_, _, fallen) = drape(&pattern);
    assert!(fallen < height - 0.05, "{fallen} {height}");
}

#[test]
fn a_skirt_that_is_too_tight_names_its_seam_and_both_girths() {
    let small = Figure::Female.measurements(Size::Xs);
    let large = Figure::Female.measurements(Size::Xxl);
    let body = Mannequin::new(&large, Figure::Female, Pose::A).unwrap();
    let pattern = Design::find("skirt").unwrap().draft(&small);
    let mesh = meshing::mesh(&pattern, EDGE).unwrap();
    let arranged = arrange(&pattern, &mesh, &body.mesh, &body.landmarks).unwrap();
    let stiff = Fabric { weft: 3000.0, warp: 3000.0, shear: 300.0, ..Fabric::default() };
    let mut fitting = Fitting::new(&mesh, &arranged, &body.mesh, &stiff).unwrap();
    let refused = (0..200).find_map(|_| fitting.step().err()).expect("it cannot be closed");
    let Error::Open { seam, gap, girths: Some([wearer, cloth]), .. } = &refused else {
        panic!("{refused}")
    };
    assert!(pattern.seams.iter().any(|s| s.name == *seam), "{seam}");
    assert!(*gap > 0.01 && *cloth < 0.95 * *wearer, "{refused}");
    // The waist of XS is drafted to 63.5 cm, its hip is the widest.
    assert!((0.6..1.0).contains(cloth) && (0.9..1.5).contains(wearer), "{refused}");
    assert!(refused.to_string().contains("too tight"), "{refused}");
    assert!(refused.help().contains("larger size"));
}

#[test]
fn a_panel_that_does_not_say_where_it_belongs_is_refused_by_name() {
    let body = mannequin();
    let (mut pattern, mesh) = design("skirt");
    pattern.panels[0].placement = toile_pattern::Placement::default();
    pattern.panels[0].name = "piece".into();
    let refused = arrange(&pattern, &mesh, &body.mesh, &body.landmarks).unwrap_err();
    let name = pattern.panels[0].name.clone();
    assert!(matches!(&refused, Error::NoPlace { panel, .. } if *panel == name), "{refused}");
    assert!(refused.help().contains("placement"));
}

#[test]
fn a_panel_of_another_fabric_weighs_what_it_does_before_and_after_it_is_sewn() {
    let body = mannequin();
    let (mut pattern, mesh) = design("skirt");
    pattern.panels[1].fabric = Some("heavy".into());
    let main = Fabric::default();
    let heavy = Fabric { density: 3.0 * main.density, ..main.clone() };
    let named = |_: &str| Ok::<_, std::convert::Infallible>(heavy.clone());
    let fabrics = Fabrics::of_pattern(&pattern, &main, named).unwrap();
    let arranged = arrange(&pattern, &mesh, &body.mesh, &body.landmarks).unwrap();
    let mut fitting = Fitting::new(&mesh, &arranged, &body.mesh, &fabrics).unwrap();
    let area = |i: usize| mesh.panels[i].mesh.area();
    let wanted: f64 = (0..mesh.panels.len()).map(|i| fabrics.of(i).density * area(i)).sum();
    let mass = |fitting: &Fitting| fitting.world().model().mass.iter().sum::<f64>();
    assert!((mass(&fitting) / wanted - 1.0).abs() < 1e-9, "{} {wanted}", mass(&fitting));
    for _ in 0..120 {
        if fitting.stage() != Stage::Sewing && fitting.open_stitches() == 0 {
            break;
        }
        fitting.step().unwrap();
    }
    assert_eq!(fitting.open_stitches(), 0);
    assert!((mass(&fitting) / wanted - 1.0).abs() < 1e-9, "{} {wanted}", mass(&fitting));
}

#[test]
fn outer_layers_are_put_around_inner_ones_in_whatever_order_they_are_listed() {
    let body = mannequin();
    let top = from_file("top.toml");
    let mut pattern = Pattern::new("two tops");
    // The outer one is listed first; it is shorter, where the body is less deep.
    for (prefix, layer, cut) in [("outer", 1, 0.15), ("inner", 0, 0.0)] {
        for panel in &top.panels {
            let mut panel = panel.clone();
            panel.name = format!("{prefix}-{}", panel.name);
            panel.layer = layer;
            for edge in &mut panel.edges {
                for end in [&mut edge.from, &mut edge.to] {
                    end.y = end.y.max(-0.58 + cut);
                }
            }
            pattern.panels.push(panel);
        }
    }
    let mesh = meshing::mesh(&pattern, EDGE).unwrap();
    let arranged = arrange(&pattern, &mesh, &body.mesh, &body.landmarks).unwrap();
    let depth = |i: usize| arranged.panels[i].iter().map(|p| p.z.abs()).fold(0.0, f64::max);
    for side in 0..2 {
        let (outer, inner) = (depth(side), depth(side + 2));
        assert!(outer > inner + 0.01, "{}: {outer} {inner}", pattern.panels[side].name);
    }
}

#[test]
fn a_panel_that_nothing_holds_up_is_named_when_it_has_fallen() {
    let body = mannequin();
    let mut pattern = from_file("top.toml");
    pattern.seams.clear();
    let mesh = meshing::mesh(&pattern, EDGE).unwrap();
    let arranged = arrange(&pattern, &mesh, &body.mesh, &body.landmarks).unwrap();
    let mut fitting = Fitting::new(&mesh, &arranged, &body.mesh, &Fabric::default()).unwrap();
    let refused = (0..200).find_map(|_| fitting.step().err()).expect("it falls");
    assert!(matches!(&refused, Error::Fallen { .. }), "{refused}");
    assert!(refused.help().contains("elastic"));
}

#[test]
fn a_vest_is_worn_over_a_top() {
    let body = mannequin();
    let pattern = from_file("vest.toml");
    let mesh = meshing::mesh(&pattern, 0.04).unwrap();
    let main = Fabric::default();
    let heavy = |_: &str| {
        Ok::<_, std::convert::Infallible>(Fabric { density: 2.0 * main.density, ..main.clone() })
    };
    let fabrics = Fabrics::of_pattern(&pattern, &main, heavy).unwrap();
    let arranged = arrange(&pattern, &mesh, &body.mesh, &body.landmarks).unwrap();
    let mut fitting = Fitting::new(&mesh, &arranged, &body.mesh, &fabrics).unwrap();
    for _ in 0..200 {
        if fitting.stage() == Stage::Done {
            break;
        }
        fitting.step().unwrap();
    }
    assert_eq!((fitting.stage(), fitting.open_stitches()), (Stage::Done, 0));
    let cloth = fitting.mesh();
    assert_clear(&cloth, &body, "worn");
    // Between bust and waist the vest is farther out than the top, in front and behind.
    let level = 0.5 * (body.landmarks.waist.y + body.landmarks.shoulder[0].y);
    let reach = |name: &str| {
        let panel = fitting.panels().iter().find(|p| p.name == name).unwrap();
        let triangles = panel.triangles.clone().map(|t| cloth.triangles[t as usize]);
        let corners = triangles.flatten().map(|v| cloth.positions[v as usize]);
        let near = corners.filter(|p| (p.y - level).abs() < 0.04 && p.x.abs() < 0.06);
        near.map(|p| p.z.abs()).fold(0.0, f64::max)
    };
    for side in ["front", "back"] {
        let (vest, top) = (reach(&format!("vest-{side}")), reach(&format!("top-{side}")));
        assert!(vest > top && top > 0.0, "{side}: {vest} {top}");
    }
}
