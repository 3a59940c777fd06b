use super::*;
use std::collections::BTreeMap;

fn open(path: &Path, names: &[&str]) -> Result<OutputFolder, Error> {
    OutputFolder::open(path, Plan::new(names.iter().copied()))
}

/// All files below a folder but the private ones, with their contents.
fn contents(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let path = entry.path();
        if path.is_dir() && entry.file_name() != PRIVATE {
            found.extend(contents(&path));
        } else if path.is_file() {
            found.insert(path.clone(), fs::read(&path).unwrap());
        }
    }
    found
}

#[test]
fn own_files_are_replaced_and_cleared_and_others_stay() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path();
    fs::write(out.join("notes.txt"), "mine").unwrap();
    let mut first = open(out, &["a", "b", "frames/00000.obj"]).unwrap();
    for name in ["a", "b", "frames/00000.obj"] {
        first.write_bytes(name, b"old").unwrap();
    }
    drop(first);
    fs::write(out.join("b"), "edited").unwrap();
    let mut second = open(out, &["a"]).unwrap();
    second.clear().unwrap();
    assert!(!out.join("a").exists() && !out.join("frames/00000.obj").exists());
    second.write_bytes("a", b"new").unwrap();
    second.write_bytes("a", b"newer").unwrap();
    assert_eq!(fs::read(out.join("a")).unwrap(), b"newer");
    assert_eq!(fs::read(out.join("b")).unwrap(), b"edited");
    assert_eq!(fs::read(out.join("notes.txt")).unwrap(), b"mine");
}

#[test]
fn a_taken_name_refuses_the_run_and_nothing_changes() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path();
    fs::create_dir(out.join("frames")).unwrap();
    for name in ["final.obj", "frames/00007.obj"] {
        fs::write(out.join(name), "mine").unwrap();
    }
    let before = contents(out);
    let error = open(out, &["final.obj"]).unwrap_err().to_string();
    assert!(error.contains("final.obj: this file was not written by toile"), "{error}");
    let plan = Plan { frames: Some("obj"), ..Plan::default() };
    let error = OutputFolder::open(out, plan).unwrap_err().to_string();
    assert!(error.contains("00007.obj"), "{error}");
    assert_eq!(contents(out), before);
    assert!(!out.join(PRIVATE).exists());
}

#[test]
fn an_input_in_the_folder_is_not_touched_although_toile_wrote_it() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path();
    let mut first = open(out, &["final.obj", "x"]).unwrap();
    first.write_bytes("final.obj", b"cloth").unwrap();
    first.write_bytes("x", b"x").unwrap();
    drop(first);
    let reading = |plan: Plan| plan.reading([out.join("../").join(out).join("final.obj")]);
    let error = OutputFolder::open(out, reading(Plan::new(["final.obj"]))).unwrap_err();
    assert!(error.to_string().contains("this file is read"), "{error}");
    let mut second = OutputFolder::open(out, reading(Plan::new(["x"]))).unwrap();
    second.clear().unwrap();
    assert!(out.join("final.obj").exists() && !out.join("x").exists());
}

#[test]
fn a_file_put_there_during_the_run_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let mut out = open(folder.path(), &["a"]).unwrap();
    out.write_bytes("a", b"ours").unwrap();
    fs::write(folder.path().join("a"), "theirs").unwrap();
    fs::write(folder.path().join("b"), "theirs").unwrap();
    assert!(out.write_bytes("a", b"new").is_err());
    assert!(out.write_bytes("b", b"new").is_err());
    assert_eq!(fs::read(folder.path().join("a")).unwrap(), b"theirs");
    assert_eq!(fs::read(folder.path().join("b")).unwrap(), b"theirs");
}

#[cfg(unix)]
#[test]
fn a_link_is_never_ours() {
    let folder = tempfile::tempdir().unwrap();
    let mut out = open(folder.path(), &["a"]).unwrap();
    out.write_bytes("a", b"ours").unwrap();
    drop(out);
    fs::rename(folder.path().join("a"), folder.path().join("kept")).unwrap();
    std::os::unix::fs::symlink(folder.path().join("kept"), folder.path().join("a")).unwrap();
    assert!(open(folder.path(), &["a"]).is_err());
}

#[test]
fn a_failed_write_leaves_what_was_there_and_no_torn_file() {
    let folder = tempfile::tempdir().unwrap();
    let mut out = open(folder.path(), &["a"]).unwrap();
    out.write_bytes("a", b"old").unwrap();
    let error = out.write("a", |out| {
        out.write_all(b"half")?;
        Err(io::Error::other("no space"))
    });
    assert!(error.unwrap_err().to_string().contains("a: cannot write: no space"));
    assert_eq!(fs::read(folder.path().join("a")).unwrap(), b"old");
    let torn = fs::read_dir(folder.path().join(PRIVATE)).unwrap();
    assert!(torn.flatten().all(|e| e.path().extension().is_none()));
}

#[test]
fn a_growing_file_is_ours_at_every_moment() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("g");
    let mut out = open(folder.path(), &["g"]).unwrap();
    let create = |path: &Path| {
        fs::write(path, "01first").unwrap();
        Ok(())
    };
    let ((), mut growing) = out.begin_growing("g", 2, create).unwrap();
    // Appended, and the beginning changed, but not noted: as after a kill.
    fs::write(&path, "02firstsecond").unwrap();
    assert!(out.manifest.describes(folder.path(), "g"));
    out.note_growth(&mut growing).unwrap();
    fs::write(&path, "02firstsec").unwrap();
    assert!(out.manifest.describes(folder.path(), "g"), "the version before still counts");
    fs::write(&path, "02foreign").unwrap();
    assert!(!out.manifest.describes(folder.path(), "g"));
}

#[test]
fn a_folder_has_one_run_at_a_time_and_goes_if_nothing_was_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("new/out");
    let first = open(&path, &["a"]).unwrap();
    let second = open(&path, &["a"]).unwrap_err();
    assert!(second.to_string().contains("another run"), "{second}");
    drop(first);
    assert!(!path.exists());
    open(&path, &["a"]).unwrap().write_bytes("a", b"x").unwrap();
    assert!(path.join("a").exists());
    fs::write(folder.path().join("file"), "").unwrap();
    assert!(open(&folder.path().join("file"), &["a"]).is_err());
}
