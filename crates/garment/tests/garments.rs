//! Garments on the mannequin: arranged without touching anything, sewn and at rest without an intersection.

use glam::DVec3;
use toile_audit::{Solid, body_penetrations, self_intersections};
use toile_body::{Body, Figure, Mannequin, Pose};
use toile_garment::{Error, Fitting, Stage, arrange};
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
    let (positions, triangles) = (body.mesh.positions.clone(), body.mesh.triangles.clone());
    let solid = Solid::Mesh { positions, triangles };
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
    for name in ["tshirt", "skirt", "dress"] {
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
                assert!((0.95..1.0 + 1e-9).contains(&ratio), "{name} {}: {ratio}", panel.name);
            }
        }
    }
}

#[test]
fn a_t_shirt_is_sewn_onto_the_mannequin_and_comes_to_rest_without_an_intersection() {
    let body = mannequin();
    let (pattern, mesh) = design("tshirt");
    let arranged = arrange(&pattern, &mesh, &body.mesh, &body.landmarks).unwrap();
    let mut fitting = Fitting::new(&mesh, &arranged, &body.mesh, &Fabric::default()).unwrap();
    let open = fitting.widest_gap();
    assert!(open > 0.1, "{open}");
    for step in 0..150 {
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
    assert!(fitting.widest_gap() < 3e-3, "{}", fitting.widest_gap());
    // It hangs on the shoulders and ends about the hip.
    let (low, high) = fitting.mesh().bounds().unwrap();
    let marks = &body.landmarks;
    assert!((high.y - marks.side_neck[0].y).abs() < 0.06, "{} {}", high.y, marks.side_neck[0].y);
    assert!((marks.crotch.y - 0.1..marks.hip.y + 0.05).contains(&low.y), "{}", low.y);
}

#[test]
fn a_panel_that_does_not_say_where_it_belongs_is_refused_by_name() {
    let body = mannequin();
    let (mut pattern, mesh) = design("skirt");
    pattern.panels[0].placement.part = None;
    let refused = arrange(&pattern, &mesh, &body.mesh, &body.landmarks).unwrap_err();
    let name = pattern.panels[0].name.clone();
    assert!(matches!(&refused, Error::NoPlace { panel, .. } if *panel == name), "{refused}");
    assert!(refused.help().contains("placement"));
}
