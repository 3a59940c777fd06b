//! Files that are whole or not there.

use super::Error;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Writes a file so that nobody ever sees half of it.
///
/// `write` fills a temporary file in the same folder, which is flushed to the disk and then
/// renamed to `path`. If anything fails, `path` keeps its old contents and the temporary file is
/// removed. A symbolic link is followed. What is not a regular file, such as `/dev/stdout`, is
/// written directly.
///
/// # Errors
/// If `write` or the file system fails.
pub fn write_atomically(
    path: impl AsRef<Path>,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), Error> {
    let path = path.as_ref();
    let result = match fs::metadata(path) {
        Ok(old) if old.is_dir() => Err(io::Error::from(io::ErrorKind::IsADirectory)),
        Ok(old) if !old.is_file() => {
            OpenOptions::new().write(true).open(path).and_then(|file| fill(&file, write))
        }
        Ok(old) => fs::canonicalize(path)
            .and_then(|target| replace(&target, Some(old.permissions()), write)),
        Err(_) => replace(path, None, write),
    };
    result.map_err(|source| Error::Write { path: path.to_path_buf(), source })
}

/// Writes a temporary file beside `target` and renames it.
fn replace(
    target: &Path,
    permissions: Option<fs::Permissions>,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let (file, temporary) = create_beside(target)?;
    let done = fill(&file, write)
        .and_then(|()| permissions.map_or(Ok(()), |p| file.set_permissions(p)))
        .and_then(|()| file.sync_all())
        .and_then(|()| fs::rename(&temporary, target));
    if done.is_err() {
        // The first error is the one to report.
        let _ = fs::remove_file(&temporary);
    }
    done
}

fn fill(file: &File, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(1 << 16, file);
    write(&mut out)?;
    out.flush()
}

/// Makes a new file with an unused name in the folder of `target`.
fn create_beside(target: &Path) -> io::Result<(File, PathBuf)> {
    let name = target.file_name().ok_or(io::ErrorKind::InvalidFilename)?;
    let mut n = 0_u32;
    loop {
        let mut hidden = std::ffi::OsString::from(".");
        hidden.push(name);
        hidden.push(format!(".{n}.tmp"));
        let temporary = target.with_file_name(hidden);
        match OpenOptions::new().write(true).create_new(true).open(&temporary) {
            Ok(file) => return Ok((file, temporary)),
            // Another writer is at work, or a crash has left its file.
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists && n < 1000 => n += 1,
            Err(e) => return Err(e),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_write_keeps_the_old_file_and_leaves_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        write_atomically(&path, |out| out.write_all(b"old")).unwrap();
        let error = write_atomically(&path, |out| {
            out.write_all(b"half of the new")?;
            Err(io::Error::other("power cut"))
        });
        assert!(error.unwrap_err().to_string().contains("a.txt: cannot write: power cut; "));
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        write_atomically(&path, |out| out.write_all(b"new")).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_stale_temporary_file_is_no_obstacle() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(".a.txt.0.tmp"), b"stale").unwrap();
        let path = folder.path().join("a.txt");
        write_atomically(&path, |out| out.write_all(b"new")).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
    }

    #[test]
    fn a_folder_and_a_missing_folder_are_errors() {
        let folder = tempfile::tempdir().unwrap();
        assert!(write_atomically(folder.path(), |_| Ok(())).is_err());
        assert!(write_atomically(folder.path().join("no/a.txt"), |_| Ok(())).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn a_link_is_followed_and_keeps_pointing() {
        let folder = tempfile::tempdir().unwrap();
        let (real, link) = (folder.path().join("real"), folder.path().join("link"));
        fs::write(&real, b"old").unwrap();
        std::os::unix::fs::symlink(&real, &link).unwrap();
        write_atomically(&link, |out| out.write_all(b"new")).unwrap();
        assert_eq!(fs::read(&real).unwrap(), b"new");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    }
}
