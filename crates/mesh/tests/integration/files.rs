//! Meshes through files: whole, by extension, and with errors that help.

use glam::{DVec2, DVec3};
use proptest::prelude::*;
use std::path::Path;
use toile_mesh::io::{self, Error, Format};
use toile_mesh::{Fault, TriMesh, shape};

#[test]
fn the_extension_chooses_the_format() {
    let folder = tempfile::tempdir().unwrap();
    let cloth = shape::grid(1.0, 2.0, 3, 4, shape::Diagonals::Alternating);
    for (name, exact) in [("a.obj", true), ("b.PLY", true), ("c.glb", false)] {
        let path = folder.path().join(name);
        io::write_mesh(&path, &cloth).unwrap();
        let back = io::read_mesh(&path).unwrap();
        assert_eq!(back.triangles, cloth.triangles);
        assert_eq!(back == cloth, exact, "{name}");
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 3);
}

#[test]
fn unknown_extensions_and_missing_files_say_what_to_do() {
    for name in ["a.stl", "obj", ""] {
        assert_eq!(
            Format::of(Path::new(name)).unwrap_err().to_string(),
            format!("{name}: unknown mesh format; use a name that ends in .obj, .ply or .glb")
        );
    }
    let error = io::read_mesh("no/such/cloth.obj").unwrap_err();
    assert!(matches!(error, Error::Read { .. }));
    let text = error.to_string();
    assert!(text.starts_with("no/such/cloth.obj: cannot read: "), "{text}");
    assert!(text.ends_with("; check the path and its permissions"), "{text}");
}

#[test]
fn a_mesh_with_a_hard_fault_does_not_touch_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let broken = TriMesh::new(vec![DVec3::NAN], vec![[0, 0, 0]]);
    for name in ["a.obj", "a.ply", "a.glb"] {
        let path = folder.path().join(name);
        std::fs::write(&path, b"old").unwrap();
        let error = io::write_mesh(&path, &broken).unwrap_err();
        assert!(matches!(error, Error::Invalid { fault: Fault::NotFinite { vertex: 0 }, .. }));
        assert_eq!(std::fs::read(&path).unwrap(), b"old");
    }
}

#[test]
fn soft_faults_pass_through_files_and_are_found_there() {
    let flat = TriMesh::new(vec![DVec3::ZERO, DVec3::X, 2.0 * DVec3::X], vec![[0, 1, 2]]);
    for format in [Format::Obj, Format::Ply, Format::Glb] {
        let mut bytes = Vec::new();
        format.write(&mut bytes, &flat).unwrap();
        let back = format.read(&bytes, "t").unwrap();
        assert_eq!(back.validate().faults, [Fault::ZeroArea { triangle: 0 }]);
    }
}

fn finite() -> impl Strategy<Value = f64> {
    proptest::num::f64::ANY.prop_filter("files hold finite numbers", |x| x.is_finite())
}

/// Bits, so that −0 differs from 0.
fn bits(points: &[DVec3]) -> Vec<[u64; 3]> {
    points.iter().map(|p| p.to_array().map(f64::to_bits)).collect()
}

proptest! {
    #[test]
    fn any_finite_numbers_survive_obj_and_ply_bit_for_bit(
        numbers in proptest::collection::vec(finite(), 9..30),
        uv in proptest::collection::vec(finite(), 6..12),
    ) {
        let positions: Vec<_> = numbers.chunks_exact(3).map(DVec3::from_slice).collect();
        let uv: Vec<_> = uv.chunks_exact(2).map(DVec2::from_slice).collect();
        let mesh = TriMesh {
            positions, triangles: vec![[0, 1, 2]], uv, uv_triangles: vec![[2, 0, 1]],
        };
        for format in [Format::Obj, Format::Ply] {
            let mut bytes = Vec::new();
            format.write(&mut bytes, &mesh).unwrap();
            let back = format.read(&bytes, "t").unwrap();
            prop_assert_eq!(bits(&back.positions), bits(&mesh.positions));
            prop_assert_eq!(back.corners_uv(0), mesh.corners_uv(0));
            if format == Format::Obj {
                prop_assert_eq!(back, mesh.clone());
            }
        }
    }
}
