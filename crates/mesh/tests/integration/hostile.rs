//! Files that are cut off, damaged or made to do harm: readers return errors and never panic.

use glam::DVec3;
use proptest::prelude::*;
use std::io::Cursor;
use std::sync::LazyLock;
use toile_mesh::io::{Format, glb, pc2};
use toile_mesh::{TriMesh, shape};

/// What to read bytes as.
#[derive(Clone, Copy, Debug)]
enum Reader {
    Mesh(Format),
    Animation,
    Pc2,
}

const READERS: [Reader; 5] = [
    Reader::Mesh(Format::Obj),
    Reader::Mesh(Format::Ply),
    Reader::Mesh(Format::Glb),
    Reader::Animation,
    Reader::Pc2,
];

/// Reads everything in the bytes; a mesh that comes out has no hard fault.
fn read(reader: Reader, bytes: &[u8]) -> Result<(), String> {
    let check = |mesh: &TriMesh| assert_eq!(mesh.check(), Ok(()));
    match reader {
        Reader::Mesh(format) => {
            format.read(bytes, "t").map(|mesh| check(&mesh)).map_err(|e| e.to_string())
        }
        Reader::Animation => glb::read_animation(bytes, "t")
            .map(|animation| {
                check(&animation.mesh);
                assert!(animation.frames.iter().flatten().all(|p| p.is_finite()));
                check(&animation.weld().0.mesh);
            })
            .map_err(|e| e.to_string()),
        Reader::Pc2 => pc2::Pc2Reader::new(Cursor::new(bytes), "t")
            .and_then(|mut reader| reader.try_for_each(|frame| frame.map(drop)))
            .map_err(|e| e.to_string()),
    }
}

fn valid_files() -> Vec<(Reader, Vec<u8>)> {
    static FILES: LazyLock<Vec<(Reader, Vec<u8>)>> = LazyLock::new(make_valid_files);
    FILES.clone()
}

/// Small valid files of each format, one per variant of it.
fn make_valid_files() -> Vec<(Reader, Vec<u8>)> {
    let tube = shape::tube(0.1, 0.2, 3, 1);
    let grid = shape::grid(0.1, 0.2, 2, 1, shape::Diagonals::Same);
    let mut files = Vec::new();
    for format in [Format::Obj, Format::Ply, Format::Glb] {
        for mesh in [&tube, &grid] {
            let mut bytes = Vec::new();
            format.write(&mut bytes, mesh).unwrap();
            files.push((Reader::Mesh(format), bytes));
        }
    }
    let ascii = "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\n\
                 property float z\nelement face 1\nproperty list uchar int vertex_indices\n\
                 end_header\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n";
    files.push((Reader::Mesh(Format::Ply), ascii.as_bytes().to_vec()));
    let frames: Vec<Vec<DVec3>> = (0..3)
        .map(|k| grid.positions.iter().map(|p| *p * (1.0 + f64::from(k))).collect())
        .collect();
    let mut bytes = Vec::new();
    glb::write_animation(&mut bytes, &grid, &frames, 30.0, &glb::Look::default()).unwrap();
    files.push((Reader::Animation, bytes));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.pc2");
    let mut writer = pc2::Pc2Writer::create(&path, grid.positions.len()).unwrap();
    frames.iter().for_each(|frame| writer.append(frame).unwrap());
    writer.finish().unwrap();
    files.push((Reader::Pc2, std::fs::read(&path).unwrap()));
    files
}

#[test]
fn valid_files_are_read() {
    for (reader, bytes) in valid_files() {
        assert_eq!(read(reader, &bytes), Ok(()), "{reader:?}");
    }
}

#[test]
fn every_prefix_of_a_file_is_an_error_or_a_mesh() {
    for (reader, bytes) in valid_files() {
        let mut errors = 0;
        for n in 0..bytes.len() {
            if let Err(message) = read(reader, &bytes[..n]) {
                errors += 1;
                // The file, then perhaps the place; then what is wrong, and the remedy.
                assert!(message.starts_with('t') && message.contains("; "), "{message}");
            }
        }
        // Text may end early and still make sense; a container knows its length.
        if matches!(reader, Reader::Mesh(Format::Obj)) {
            assert!(errors > bytes.len() / 2);
        } else {
            assert!(errors + 3 > bytes.len(), "{reader:?}: {errors} of {}", bytes.len());
        }
    }
}

#[test]
fn every_byte_may_be_damaged() {
    for (reader, bytes) in valid_files() {
        let mut bad = bytes.clone();
        for at in 0..bytes.len() {
            for value in [0, 0x7f, 0x80, 0xff, b'-', b'9', bytes[at] ^ 1] {
                bad[at] = value;
                let _ = read(reader, &bad);
            }
            bad[at] = bytes[at];
        }
    }
}

#[test]
fn every_word_may_be_damaged() {
    for (reader, bytes) in valid_files() {
        for at in 0..bytes.len().saturating_sub(4) {
            for value in [u32::MAX, 1 << 31, 0x7fff_ffff, 0x7fc0_0000, 0x7f80_0000] {
                let mut bad = bytes.clone();
                bad[at..at + 4].copy_from_slice(&value.to_le_bytes());
                let _ = read(reader, &bad);
            }
        }
    }
}

/// Puts a number of the tested kind where digits stand.
fn replace_number(bytes: &[u8], pick: usize, new: &str) -> Vec<u8> {
    let starts: Vec<usize> = (0..bytes.len())
        .filter(|k| bytes[*k].is_ascii_digit() && (*k == 0 || !bytes[k - 1].is_ascii_digit()))
        .collect();
    let Some(start) = starts.get(pick % starts.len().max(1)) else { return bytes.to_vec() };
    let length = bytes[*start..].iter().take_while(|b| b.is_ascii_digit()).count();
    [&bytes[..*start], new.as_bytes(), &bytes[start + length..]].concat()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn random_bytes_do_no_harm(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        for reader in READERS {
            let _ = read(reader, &bytes);
            // Behind a valid beginning they come further.
            for start in [&b"ply\nformat ascii 1.0\n"[..], b"glTF\x02\0\0\0", b"POINTCACHE2\0\x01\0\0\0"] {
                let _ = read(reader, &[start, &bytes].concat());
            }
        }
    }

    #[test]
    fn random_text_does_no_harm(text in "(v|vt|f|#|o|/|-|\\\\|\n|\r\n| |[0-9]{1,3}|[.]|e|nan){0,60}") {
        let _ = read(Reader::Mesh(Format::Obj), text.as_bytes());
    }

    #[test]
    fn mutated_files_do_no_harm(
        file in 0_usize..9,
        edits in proptest::collection::vec((any::<u32>(), any::<u8>(), 0_u8..4), 1..8),
    ) {
        let (reader, mut bytes) = valid_files().swap_remove(file);
        for (at, value, kind) in edits {
            let at = at as usize % bytes.len().max(1);
            match kind {
                0 => bytes[at] = value,
                1 => bytes.insert(at, value),
                2 => { bytes.remove(at); }
                _ => bytes.truncate(at.max(1)),
            }
            if bytes.is_empty() {
                break;
            }
        }
        let _ = read(reader, &bytes);
    }

    #[test]
    fn hostile_numbers_in_text_do_no_harm(
        file in 0_usize..9,
        pick in any::<usize>(),
        new in prop_oneof![
            Just("2147483648"), Just("4294967295"), Just("1000000000000000000"),
            Just("18446744073709551616"), Just("-1"), Just("1e999"), Just("0"), Just("nan"),
            Just(""), Just("999999999999999999999999999999"),
        ],
    ) {
        let (reader, bytes) = valid_files().swap_remove(file);
        let mut bad = replace_number(&bytes, pick, new);
        if matches!(reader, Reader::Mesh(Format::Glb) | Reader::Animation) {
            // Make the JSON chunk fit again, so that the document itself is read.
            let grown = bad.len() as i64 - bytes.len() as i64;
            for at in [8, 12] {
                let old = u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
                let new = (i64::from(old) + grown) as u32;
                bad[at..at + 4].copy_from_slice(&new.to_le_bytes());
            }
        }
        let _ = read(reader, &bad);
    }
}
