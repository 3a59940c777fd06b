//! The folder of a run: one run at a time, and nothing in it that another run has left.

use crate::error::Error;
use std::fs::{self, File, TryLockError};
use std::path::Path;

/// Files that a run writes into its folder.
const FILES: [&str; 19] = [
    "report.json",
    "state.bin",
    "final.obj",
    "final.glb",
    "final.png",
    "frames.pc2",
    "frames.glb",
    "frames.usda",
    "frames.gif",
    "frames.apng",
    "frames.png",
    // Those of a garment, but for body.obj: somebody may keep the body there that is to be dressed.
    "arranged.png",
    "fit.html",
    "fit.json",
    "fit-strain.png",
    "fit-tension.png",
    "fit-pressure.png",
    "fit-gap.png",
    "faults.svg",
];

/// A folder that no other run writes into as long as this value lives.
#[derive(Debug)]
pub(crate) struct Folder {
    /// The system drops the lock with the process, also when that is killed.
    _lock: Option<File>,
}

impl Folder {
    /// Takes hold of a folder that is there.
    pub(crate) fn lock(path: &Path) -> Result<Self, Error> {
        // Where folders cannot be opened or locked, there is no protection.
        let Ok(folder) = File::open(path) else { return Ok(Self { _lock: None }) };
        match folder.try_lock() {
            Err(TryLockError::WouldBlock) => Err(Error::request(
                format!("{}: another run is writing into this folder", path.display()),
                "wait until it ends, or choose another folder with --out",
            )),
            Ok(()) => Ok(Self { _lock: Some(folder) }),
            Err(TryLockError::Error(_)) => Ok(Self { _lock: None }),
        }
    }
}

/// Removes the results of an earlier run: beside new ones they would seem to belong to them.
pub(crate) fn clear(out: &Path) {
    for name in FILES {
        // What is not there, or is no file, is not in the way; or writing it will say so.
        let _ = fs::remove_file(out.join(name));
    }
    remove(&out.join("frames"), is_frame);
}

/// Removes files that were being written when a run was killed.
pub(crate) fn sweep(out: &Path) {
    let torn = |name: &str| {
        let inner = name.strip_prefix('.').and_then(|n| n.strip_suffix(".tmp"));
        let target = inner.and_then(|n| n.rsplit_once('.'));
        target.filter(|(_, n)| is_number(n)).map(|(target, _)| target.to_owned())
    };
    remove(out, |name| torn(name).is_some_and(|target| FILES.contains(&&*target)));
    remove(&out.join("frames"), |name| torn(name).is_some_and(|target| is_frame(&target)));
}

fn remove(folder: &Path, which: impl Fn(&str) -> bool) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_name().to_str().is_some_and(&which) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

/// Whether a file has the name of a numbered frame.
fn is_frame(name: &str) -> bool {
    let parts = name.rsplit_once('.');
    parts.is_some_and(|(n, e)| n.len() >= 5 && is_number(n) && ["obj", "png"].contains(&e))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_files_of_runs_are_removed() {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path();
        fs::create_dir(out.join("frames")).unwrap();
        let theirs = ["notes.txt", ".notes.txt.0.tmp", "frames/1.png", "frames/00001.txt"];
        let ours = ["report.json", "frames.gif", "frames/00001.png", "frames/123456.obj"];
        let torn = [".state.bin.0.tmp", ".final.obj.12.tmp", "frames/.00003.obj.0.tmp"];
        for name in theirs.iter().chain(&ours).chain(&torn) {
            fs::write(out.join(name), "x").unwrap();
        }
        sweep(out);
        assert!(torn.iter().all(|n| !out.join(n).exists()));
        assert!(ours.iter().chain(&theirs).all(|n| out.join(n).exists()));
        clear(out);
        assert!(ours.iter().all(|n| !out.join(n).exists()));
        assert!(theirs.iter().all(|n| out.join(n).exists()));
    }

    #[test]
    fn a_folder_has_one_run_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let first = Folder::lock(folder.path()).unwrap();
        let second = Folder::lock(folder.path()).unwrap_err();
        assert!(second.to_string().contains("another run"), "{second}");
        drop(first);
        Folder::lock(folder.path()).unwrap();
    }
}
