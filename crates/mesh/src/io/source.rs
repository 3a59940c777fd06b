//! Reading whole files: never more than a stated size, and never from what may have no end.
//!
//! A pipe or a device (`/dev/zero`, a terminal) is refused before it is opened: it may never send anything, and then
//! no limit on the size ends the wait. Errors are [`std::io::Error`] with a kind that [`remedy`] turns into advice.

use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::Path;

/// Largest mesh, animation or saved state that is read [bytes].
pub const MAX_MESH_BYTES: u64 = 4 << 30;

/// Largest text file for people that is read: scene, fabric, measurements [bytes].
pub const MAX_TEXT_BYTES: u64 = 16 << 20;

/// Opens a regular file for reading.
///
/// # Errors
/// If it cannot be opened, or is a folder, pipe or device.
pub fn open_regular(path: &Path) -> io::Result<File> {
    // Asked before opening: to open a pipe waits for somebody who writes.
    let metadata = std::fs::metadata(path)?;
    if metadata.is_dir() {
        return Err(io::Error::new(ErrorKind::IsADirectory, "it is a folder"));
    }
    if !metadata.is_file() {
        let reason = "it is a pipe or a device, which may have no end";
        return Err(io::Error::new(ErrorKind::InvalidInput, reason));
    }
    File::open(path)
}

/// All bytes of a regular file of at most `most` bytes.
///
/// # Errors
/// If it cannot be read, is no regular file, or is larger.
pub fn read_bytes(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let file = open_regular(path)?;
    let length = file.metadata()?.len();
    if length > most {
        return Err(too_large(most));
    }
    // The size of files in /proc is not known beforehand, and a file may grow while it is read.
    let mut bytes = Vec::with_capacity(length as usize);
    file.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most { Err(too_large(most)) } else { Ok(bytes) }
}

fn too_large(most: u64) -> io::Error {
    let (most, unit) = if most >= 1 << 30 { (most >> 30, "GB") } else { (most >> 20, "MB") };
    io::Error::new(ErrorKind::FileTooLarge, format!("it is larger than {most} {unit}"))
}

/// The text of a regular file of at most `most` bytes, in UTF-8, without a byte order mark.
///
/// # Errors
/// As [`read_bytes`], and if the file is in another encoding.
pub fn read_text(path: &Path, most: u64) -> io::Result<String> {
    decode(read_bytes(path, most)?)
}

/// Text from UTF-8; a byte order mark is removed.
///
/// # Errors
/// If it is another encoding, which is named.
pub fn decode(bytes: Vec<u8>) -> io::Result<String> {
    let wrong = |reason: String| io::Error::new(ErrorKind::InvalidData, reason);
    if let Some(order) = utf16(&bytes) {
        return Err(wrong(format!("it is text in UTF-16 ({order} endian), not in UTF-8")));
    }
    match String::from_utf8(bytes) {
        Ok(text) => Ok(match text.strip_prefix('\u{feff}') {
            Some(rest) => rest.to_owned(),
            None => text,
        }),
        Err(e) => {
            let at = e.utf8_error().valid_up_to();
            let bytes = e.into_bytes();
            let line = 1 + bytes[..at].iter().filter(|b| **b == b'\n').count();
            let byte = bytes[at];
            // No text has most of these.
            if bytes.iter().take(1 << 16).any(|b| *b == 0) {
                return Err(wrong(format!("it is no text: byte {byte:#04x} in line {line}")));
            }
            Err(wrong(format!(
                "line {line} has byte {byte:#04x}, which is not UTF-8; it is probably text in Latin-1 or Windows-1252"
            )))
        }
    }
}

/// The byte order if this is UTF-16: by its mark, or by zeros at every second place.
pub(super) fn utf16(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0xff, 0xfe, ..] => return Some("little"),
        [0xfe, 0xff, ..] => return Some("big"),
        _ => {}
    }
    let start = &bytes[..bytes.len().min(64) & !1];
    let zeros = |from: usize| start.iter().skip(from).step_by(2).filter(|b| **b == 0).count();
    let (even, odd, half) = (zeros(0), zeros(1), start.len() / 2);
    match half >= 2 {
        true if odd == half && even == 0 => Some("little"),
        true if even == half && odd == 0 => Some("big"),
        _ => None,
    }
}

/// What to do about a file that cannot be read.
pub fn remedy(error: &io::Error) -> &'static str {
    match error.kind() {
        ErrorKind::InvalidData => "save it as UTF-8 in your editor, or: iconv -f FROM -t UTF-8",
        ErrorKind::FileTooLarge => "check that it is the right file",
        ErrorKind::InvalidInput => "copy it into a file and give that",
        ErrorKind::IsADirectory => "give a file in it",
        _ => "check the path and its permissions",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_no_end_is_refused_without_waiting() {
        for device in ["/dev/zero", "/dev/null", "/dev/random"] {
            let error = read_bytes(Path::new(device), 1 << 20).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::InvalidInput, "{device}: {error}");
        }
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(read_bytes(folder.path(), 9).unwrap_err().kind(), ErrorKind::IsADirectory);
        #[cfg(unix)]
        {
            let socket = folder.path().join("socket");
            let _listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
            assert_eq!(read_bytes(&socket, 9).unwrap_err().kind(), ErrorKind::InvalidInput);
        }
    }

    #[test]
    fn a_file_of_a_terabyte_of_nothing_is_refused_by_its_size() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sparse.obj");
        File::create(&path).unwrap().set_len(1 << 40).unwrap();
        let error = read_bytes(&path, MAX_MESH_BYTES).unwrap_err();
        assert_eq!(error.to_string(), "it is larger than 4 GB");
        std::fs::write(&path, [1; 9]).unwrap();
        assert_eq!(read_bytes(&path, 9).unwrap(), [1; 9]);
        assert!(read_bytes(&path, 8).is_err());
    }

    #[test]
    fn encodings_are_named_and_a_byte_order_mark_is_no_part_of_the_text() {
        let text = |bytes: &[u8]| decode(bytes.to_vec()).map_err(|e| e.to_string());
        assert_eq!(text(b"\xef\xbb\xbfname = 1").unwrap(), "name = 1");
        assert_eq!(text("größe".as_bytes()).unwrap(), "größe");
        for (bytes, said) in [
            (&b"\xff\xfea\0=\0"[..], "UTF-16 (little endian)"),
            (b"\xfe\xff\0a\0=", "UTF-16 (big endian)"),
            (b"a\0=\x001\0", "UTF-16 (little endian)"),
            (b"\0a\0=\x001", "UTF-16 (big endian)"),
            (b"a = 1\nb = \"gr\xf6\xdfe\"", "line 2 has byte 0xf6"),
            (b"a = 1\nb = \"gr\xf6\xdfe\"", "Latin-1"),
            (b"\x89PNG\r\n\0\x01\xff", "it is no text"),
        ] {
            let message = text(bytes).unwrap_err();
            assert!(message.contains(said), "{message}");
        }
    }
}
