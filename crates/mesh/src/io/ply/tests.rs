use super::*;
use crate::shape;

fn message(bytes: &[u8]) -> String {
    read(bytes, "t.ply").unwrap_err().to_string()
}

fn ascii(vertex: &str, face: &str, data: &str) -> String {
    format!("ply\r\nformat ascii 1.0\n{vertex}\n{face}\nend_header\n{data}")
}

const XYZ: &str = "element vertex 3\nproperty float x\nproperty float y\nproperty float z";
const FACE: &str = "element face 1\nproperty list uchar int vertex_index";

fn round_trip(mesh: &TriMesh) -> TriMesh {
    let mut bytes = Vec::new();
    write(&mut bytes, mesh).unwrap();
    read(&bytes, "t.ply").unwrap()
}

#[test]
fn what_is_written_is_read_bit_for_bit() {
    let grid = shape::grid(1.0 / 3.0, 0.7, 3, 4, shape::Diagonals::Same);
    assert_eq!(round_trip(&grid), grid);
    let ball = shape::sphere(0.1, 1);
    assert_eq!(round_trip(&ball), ball);
}

#[test]
fn a_seam_keeps_both_sides_and_does_not_split_the_mesh() {
    let tube = shape::tube(0.1, 0.3, 5, 2);
    let back = round_trip(&tube);
    assert_eq!((&back.positions, &back.triangles), (&tube.positions, &tube.triangles));
    assert_eq!(back.uv.len(), tube.uv.len());
    for t in 0..tube.triangles.len() {
        assert_eq!(back.corners_uv(t), tube.corners_uv(t));
    }
}

#[test]
fn polygons_are_cut_and_strangers_skipped() {
    let text = "ply\nformat ascii 1.0\nobj_info x\nelement camera 1\nproperty list char short a\n\
                property float b\nelement vertex 4\nproperty uchar red\nproperty double x\n\
                property list int int extra\nproperty double y\nproperty double z\n\
                property float u\nproperty float v\nelement face 1\nproperty uchar flag\n\
                property list uchar uint vertex_indices\nelement void 1000000000000000000\n\
                end_header\n2 5 6 7\n9 0 0 0 0 0 0\n9 1 1 8 0 0 1 0\n9 1 2 8 8 1 0 1 1\n\
                9 0 0 1 0 0 1\n1 4 0 1 2 3\n";
    let m = read(text.as_bytes(), "t.ply").unwrap();
    assert_eq!(m.positions, [DVec3::ZERO, DVec3::X, DVec3::new(1.0, 1.0, 0.0), DVec3::Y]);
    assert_eq!(m.triangles, [[0, 1, 2], [0, 2, 3]]);
    assert_eq!(m.uv[2], DVec2::ONE);
    assert_eq!(m.uv_triangles, m.triangles);
}

#[test]
fn every_scalar_type_is_read_in_both_byte_orders() {
    let types = ["char", "uchar", "short", "ushort", "int", "uint", "float", "double"];
    for (order, big) in [("little", false), ("big", true)] {
        for (k, kind) in types.iter().enumerate() {
            let header = format!(
                "ply\nformat binary_{order}_endian 1.0\nelement vertex 3\nproperty {kind} x\n\
                 property {kind} y\nproperty {kind} z\nelement face 1\n\
                 property list {kind} {kind} vertex_indices\nend_header\n"
            );
            let mut bytes = header.into_bytes();
            for value in [0_u8, 0, 0, 100, 0, 0, 0, 100, 0, 3, 0, 1, 2] {
                let mut raw = match k {
                    0 | 1 => vec![value],
                    2 | 3 => u16::from(value).to_le_bytes().to_vec(),
                    4 | 5 => u32::from(value).to_le_bytes().to_vec(),
                    6 => f32::from(value).to_le_bytes().to_vec(),
                    _ => f64::from(value).to_le_bytes().to_vec(),
                };
                if big {
                    raw.reverse();
                }
                bytes.extend(raw);
            }
            let m = read(&bytes, "t.ply").unwrap();
            assert_eq!(m.positions[1], 100.0 * DVec3::X, "{order} {kind}");
            assert_eq!(m.triangles, [[0, 1, 2]]);
        }
    }
    assert_eq!(Scalar::I8.decode([0xff].into_iter()), -1.0);
    assert_eq!(Scalar::I16.decode([0xfe, 0xff].into_iter()), -2.0);
    assert_eq!(Scalar::U32.decode([0xff; 4].into_iter()), 4_294_967_295.0);
}

#[test]
fn messages_name_file_place_and_remedy() {
    assert_eq!(
        message(b"solid cube\n"),
        "t.ply:1: this is not a PLY file; a PLY file begins with the line `ply`; \
         check the extension"
    );
    let text = ascii(XYZ, FACE, "0 0 0\n1 0 0\n0 nan 0\n3 0 1 2\n");
    assert_eq!(
        message(text.as_bytes()),
        "t.ply:12: vertex 2 is not finite; remove the vertex or export again"
    );
    let text = ascii(XYZ, FACE, "0 0 0\n1 0 0\n0 1 0\n3 0 1 7\n");
    assert_eq!(
        message(text.as_bytes()),
        "t.ply:13: face 0 uses vertex 7, but there are 3; \
         indices count from 0: export the file again"
    );
    let text = ascii(XYZ, FACE, "0 0 0\n1 0 0\n0 1 0\n3 0 -1 2\n");
    assert_eq!(
        message(text.as_bytes()),
        "t.ply:13: face 0 uses vertex -1, but there are 3; \
         indices count from 0: export the file again"
    );
    let mut bytes = Vec::new();
    write(&mut bytes, &shape::cuboid(DVec3::ONE, 1)).unwrap();
    bytes.pop();
    assert_eq!(
        message(&bytes),
        format!(
            "t.ply at byte {}: the file ends too early; it was cut off: copy or export it again",
            bytes.len()
        )
    );
}

#[test]
fn counts_in_the_header_are_not_believed() {
    for count in ["2147483648", "1000000000000000000", "18446744073709551615"] {
        for format in ["ascii", "binary_little_endian", "binary_big_endian"] {
            let text = format!(
                "ply\nformat {format} 1.0\nelement vertex {count}\nproperty float x\n\
                 property float y\nproperty float z\nelement face {count}\n\
                 property list uint uint vertex_indices\nend_header\n0 0 0 1"
            );
            assert!(message(text.as_bytes()).contains("the file ends too early"));
        }
    }
    // A list of 4 294 967 295 corners.
    let mut bytes = b"ply\nformat binary_little_endian 1.0\nelement face 1\n\
        property list uint uint vertex_indices\nend_header\n"
        .to_vec();
    bytes.extend([0xff; 40]);
    assert!(read(&bytes, "t.ply").is_err());
}

#[test]
fn faces_without_index_lists_of_positive_length_are_refused() {
    let text = ascii(
        XYZ,
        "element face 1\nproperty list char int vertex_index",
        "0 0 0\n1 0 0\n0 1 0\n-3",
    );
    assert!(message(text.as_bytes()).starts_with("t.ply:13: a list of length -3; "));
    let text = ascii(XYZ, "element face 9000000000", "0 0 0\n1 0 0\n0 1 0\n");
    assert!(message(text.as_bytes()).contains("the faces have no vertex indices"));
}
