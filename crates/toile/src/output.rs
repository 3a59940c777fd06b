//! Folders of results: nothing that toile did not write is deleted or overwritten.
//!
//! A folder of results has a private folder `.toile` with a manifest of what toile has written (`manifest.rs`), a lock and
//! files under way. An [`OutputFolder`] writes only where there is no file, or one that the manifest lists and that is
//! unchanged. What a run will write is known before it starts ([`Plan`]): a name that is taken refuses the run, and a run
//! that is refused changes nothing.

pub(crate) mod hash;
mod manifest;

use crate::error::Error;
use hash::Fnv;
use manifest::{Entry, Manifest, hash_range};
use std::fs::{self, File, TryLockError};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use toile_mesh::{TriMesh, io as mesh_io};

/// The private folder.
const PRIVATE: &str = ".toile";

/// Ending of files under way in the private folder.
const TEMPORARY: &str = "tmp";

/// Folder of numbered frames.
pub(crate) const FRAMES: &str = "frames";

/// What a run reads and writes.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// Names of the files that it writes.
    pub(crate) names: Vec<String>,
    /// Ending of numbered frames that it writes, if it does.
    pub(crate) frames: Option<&'static str>,
    /// Files that it reads.
    pub(crate) inputs: Vec<PathBuf>,
}

impl Plan {
    /// Writes files of these names.
    pub fn new(names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self { names: names.into_iter().map(Into::into).collect(), ..Self::default() }
    }

    /// Writes files of these names, too.
    #[must_use]
    pub fn writing(mut self, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.names.extend(names.into_iter().map(Into::into));
        self
    }

    /// Reads these files.
    #[must_use]
    pub fn reading(mut self, inputs: impl IntoIterator<Item = PathBuf>) -> Self {
        self.inputs.extend(inputs);
        self
    }

    /// Refuses, without changing anything, a folder in which a name is taken.
    pub fn check(&self, folder: &Path) -> Result<(), Error> {
        if fs::metadata(folder).is_ok_and(|found| !found.is_dir()) {
            let source = io::ErrorKind::NotADirectory.into();
            return Err(Error::Folder { path: folder.to_path_buf(), source });
        }
        self.check_with(folder, &Manifest::read(manifest_path(folder)))
    }

    fn check_with(&self, folder: &Path, manifest: &Manifest) -> Result<(), Error> {
        let mut names = self.names.clone();
        names.extend(self.frames.iter().flat_map(|extension| numbered(folder, extension)));
        for name in &names {
            let path = folder.join(name);
            if fs::symlink_metadata(&path).is_err() {
                continue;
            }
            if self.reads(&path) {
                let message = format!(
                    "{}: this file is read, and would be overwritten by the result of that name",
                    path.display()
                );
                return Err(Error::request(
                    message,
                    "choose another folder for the results: --out",
                ));
            }
            if !manifest.describes(folder, name) {
                return Err(foreign(&path));
            }
        }
        Ok(())
    }

    /// Whether a file is one of those that are read, by whatever path.
    fn reads(&self, path: &Path) -> bool {
        let Ok(real) = fs::canonicalize(path) else { return false };
        self.inputs.iter().any(|input| fs::canonicalize(input).is_ok_and(|i| i == real))
    }
}

fn foreign(path: &Path) -> Error {
    let message = format!(
        "{}: this file was not written by toile, or was changed since; it is left as it is",
        path.display()
    );
    Error::request(message, "move it away, or choose another folder for the results: --out")
}

fn manifest_path(folder: &Path) -> PathBuf {
    folder.join(PRIVATE).join("manifest")
}

/// Numbered frames with an ending that are in a folder of results.
fn numbered(folder: &Path, extension: &str) -> Vec<String> {
    let entries = fs::read_dir(folder.join(FRAMES)).into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    let is_frame = |name: &String| {
        let parts = name.rsplit_once('.');
        parts.is_some_and(|(n, e)| {
            n.len() >= 5 && n.bytes().all(|b| b.is_ascii_digit()) && e == extension
        })
    };
    let mut names: Vec<String> =
        names.filter(is_frame).map(|name| format!("{FRAMES}/{name}")).collect();
    names.sort();
    names
}

/// Length and time of change of a file.
type Stamp = (u64, Option<SystemTime>);

/// A folder of results that no other run writes into as long as this value lives.
#[derive(Debug)]
pub struct OutputFolder {
    path: PathBuf,
    plan: Plan,
    manifest: Manifest,
    /// Files as this value has left them: they need not be read to see that they are unchanged.
    left: std::collections::BTreeMap<String, Stamp>,
    /// Whether the folder was made for this run.
    made: bool,
    /// The system drops the lock with the process, also when that is killed.
    _lock: File,
}

impl OutputFolder {
    /// Takes hold of a folder; it is made if it is missing.
    ///
    /// # Errors
    /// If a name of the plan is taken, another run is writing into the folder, or it cannot be made.
    pub fn open(path: &Path, plan: Plan) -> Result<Self, Error> {
        plan.check(path)?;
        let failed = |source| Error::Folder { path: path.to_path_buf(), source };
        let made = !path.exists();
        fs::create_dir_all(path.join(PRIVATE)).map_err(failed)?;
        let lock = File::create(path.join(PRIVATE).join("lock")).map_err(failed)?;
        match lock.try_lock() {
            Err(TryLockError::WouldBlock) => {
                return Err(Error::request(
                    format!("{}: another run is writing into this folder", path.display()),
                    "wait until it ends, or choose another folder with --out",
                ));
            }
            // Where files cannot be locked, there is no protection against a second run.
            Ok(()) | Err(TryLockError::Error(_)) => {}
        }
        let manifest = Manifest::read(manifest_path(path));
        plan.check_with(path, &manifest)?;
        let left = std::collections::BTreeMap::new();
        let folder = Self { path: path.to_path_buf(), plan, manifest, left, made, _lock: lock };
        folder.sweep();
        Ok(folder)
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Removes files that were under way when a run was killed.
    fn sweep(&self) {
        for entry in fs::read_dir(self.path.join(PRIVATE)).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.extension().is_some_and(|e| e == TEMPORARY) {
                let _ = fs::remove_file(path);
            }
        }
    }

    /// Removes what earlier runs have written: beside new results it would seem to belong to them. What was changed since, or is
    /// read by this run, stays.
    pub(crate) fn clear(&mut self) -> Result<(), Error> {
        let names: Vec<String> = self.manifest.names().map(str::to_owned).collect();
        for name in names {
            self.remove(&name);
        }
        let folder = self.path.clone();
        let kept = self.manifest.retain(|name| folder.join(name).exists());
        kept.map_err(|source| self.failed("manifest", source))
    }

    /// Removes a file that toile has written and nobody changed or reads; others stay.
    pub(crate) fn remove(&mut self, name: &str) {
        let path = self.path.join(name);
        if !self.plan.reads(&path) && self.manifest.describes(&self.path, name) {
            let _ = fs::remove_file(path);
        }
    }

    /// Lists a file as toile's own that is known to be so by its contents.
    pub(crate) fn adopt(&mut self, name: &str) -> Result<(), Error> {
        self.seal(name)
    }

    fn failed(&self, name: &str, source: io::Error) -> Error {
        mesh_io::Error::Write { path: self.path.join(name), source }.into()
    }

    fn stamp(&self, name: &str) -> Option<Stamp> {
        let found =
            fs::symlink_metadata(self.path.join(name)).ok().filter(fs::Metadata::is_file)?;
        Some((found.len(), found.modified().ok()))
    }

    /// Refuses to replace what somebody else has put there during the run.
    fn check_free(&self, name: &str) -> Result<(), Error> {
        let path = self.path.join(name);
        if fs::symlink_metadata(&path).is_err() {
            return Ok(());
        }
        let known = self.left.get(name).is_some_and(|left| self.stamp(name) == Some(*left));
        if known || (self.manifest.describes(&self.path, name) && !self.plan.reads(&path)) {
            return Ok(());
        }
        Err(foreign(&path))
    }

    /// Writes a file: the whole of it or nothing.
    ///
    /// # Errors
    /// If there is a file of that name that toile did not write, or the disk fails.
    pub fn write(
        &mut self,
        name: &str,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), Error> {
        let temporary = self.temporary(name);
        let done = self.fill(&temporary, write);
        let entry = done.map_err(|source| {
            // The first error is the one to report.
            let _ = fs::remove_file(&temporary);
            self.failed(name, source)
        })?;
        self.publish(&temporary, name, entry)
    }

    fn fill(
        &self,
        temporary: &Path,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> io::Result<Entry> {
        let file = File::create(temporary)?;
        let mut out =
            Hashing { out: BufWriter::with_capacity(1 << 16, &file), hash: Fnv::NEW, length: 0 };
        write(&mut out)?;
        out.flush()?;
        file.sync_all()?;
        Ok(Entry { growing: false, hash: out.hash, from: 0, length: out.length })
    }

    /// Where a file is written before it gets its name.
    fn temporary(&self, name: &str) -> PathBuf {
        self.path.join(PRIVATE).join(format!("{}.{TEMPORARY}", name.replace('/', "-")))
    }

    /// Gives a file its name, after it is listed.
    fn publish(&mut self, temporary: &Path, name: &str, entry: Entry) -> Result<(), Error> {
        let target = self.path.join(name);
        let done = self.check_free(name).and_then(|()| {
            let parent = target.parent().unwrap_or(&self.path).to_path_buf();
            fs::create_dir_all(&parent).map_err(|source| Error::Folder { path: parent, source })?;
            self.manifest.append(name, entry).map_err(|source| self.failed(name, source))?;
            fs::rename(temporary, &target).map_err(|source| self.failed(name, source))
        });
        if done.is_err() {
            let _ = fs::remove_file(temporary);
        }
        done?;
        self.left.extend(self.stamp(name).map(|stamp| (name.to_owned(), stamp)));
        Ok(())
    }

    /// Writes bytes that are there already.
    pub fn write_bytes(&mut self, name: &str, bytes: &[u8]) -> Result<(), Error> {
        self.write(name, |out| out.write_all(bytes))
    }

    /// Writes a value as JSON for people and programs.
    pub fn write_json(&mut self, name: &str, value: &impl serde::Serialize) -> Result<(), Error> {
        self.write(name, |out| {
            serde_json::to_writer_pretty(&mut *out, value)?;
            out.write_all(b"\n")
        })
    }

    /// Writes a mesh in the format of the extension of its name.
    pub fn write_mesh(&mut self, name: &str, mesh: &TriMesh) -> Result<(), Error> {
        let format = mesh_io::Format::of(Path::new(name))?;
        let name_of = || self.path.join(name).display().to_string();
        mesh.check().map_err(|fault| mesh_io::Error::Invalid { name: name_of(), fault })?;
        self.write(name, |out| format.write(out, mesh))
    }

    /// Writes a model as OBJ or GLB; `library` is the file of the materials of an OBJ.
    pub(crate) fn write_model(
        &mut self,
        name: &str,
        model: &mesh_io::Model,
        library: Option<&str>,
    ) -> Result<(), Error> {
        for object in &model.objects {
            let name = || self.path.join(name).display().to_string();
            let checked = object.mesh.check();
            checked.map_err(|fault| mesh_io::Error::Invalid { name: name(), fault })?;
        }
        match mesh_io::Format::of(Path::new(name))? {
            mesh_io::Format::Glb => self.write(name, |out| mesh_io::glb::write_model(out, model)),
            _ => self.write(name, |out| mesh_io::obj::write_model(out, model, library)),
        }
    }

    /// Begins a file that grows: `create` makes it at a path, with all that is to be in it when it gets its name. Its first `from`
    /// bytes may change later.
    pub(crate) fn begin_growing<T>(
        &mut self,
        name: &str,
        from: u64,
        create: impl FnOnce(&Path) -> Result<T, Error>,
    ) -> Result<(T, Growing), Error> {
        let temporary = self.temporary(name);
        let made = create(&temporary)?;
        let mut growing = Growing { name: name.to_owned(), from, length: 0, hash: Fnv::NEW };
        growing.read_to_end(&temporary).map_err(|source| self.failed(name, source))?;
        self.publish(&temporary, name, growing.entry())?;
        self.left.remove(name);
        Ok((made, growing))
    }

    /// Appends to a file that was begun by this run or an earlier one.
    pub(crate) fn go_on_growing(&mut self, name: &str, from: u64) -> Result<Growing, Error> {
        let mut growing = Growing { name: name.to_owned(), from, length: 0, hash: Fnv::NEW };
        self.note_growth(&mut growing)?;
        Ok(growing)
    }

    /// Takes note of what was appended to a growing file.
    pub(crate) fn note_growth(&mut self, growing: &mut Growing) -> Result<(), Error> {
        let path = self.path.join(&growing.name);
        let grown = growing.read_to_end(&path);
        grown
            .and_then(|()| self.manifest.append(&growing.name, growing.entry()))
            .map_err(|source| self.failed(&growing.name, source))
    }

    /// Lists a file as it is now, as one that will not change any more.
    pub(crate) fn seal(&mut self, name: &str) -> Result<(), Error> {
        let path = self.path.join(name);
        let entry = || {
            let length = fs::metadata(&path)?.len();
            let hash = hash_range(&path, Fnv::NEW, 0, length)?;
            Ok(Entry { growing: false, hash, from: 0, length })
        };
        let entry = entry().map_err(|source| self.failed(name, source))?;
        self.manifest.append(name, entry).map_err(|source| self.failed(name, source))
    }
}

impl Drop for OutputFolder {
    /// A folder that was made for a run that has written nothing goes again.
    fn drop(&mut self) {
        if self.made && self.manifest.names().next().is_none() {
            let private = self.path.join(PRIVATE);
            for name in ["lock", "manifest"] {
                let _ = fs::remove_file(private.join(name));
            }
            // Neither goes if anything is in it.
            let _ = fs::remove_dir(private);
            let _ = fs::remove_dir(&self.path);
        }
    }
}

/// A file that is appended to during a run.
#[derive(Debug)]
pub(crate) struct Growing {
    name: String,
    from: u64,
    length: u64,
    hash: Fnv,
}

impl Growing {
    fn entry(&self) -> Entry {
        Entry { growing: true, hash: self.hash, from: self.from, length: self.length }
    }

    fn read_to_end(&mut self, path: &Path) -> io::Result<()> {
        let begin = self.from + self.length;
        let more = fs::metadata(path)?.len().saturating_sub(begin);
        self.hash = hash_range(path, self.hash, begin, more)?;
        self.length += more;
        Ok(())
    }
}

/// Counts and hashes what goes through.
struct Hashing<W> {
    out: W,
    hash: Fnv,
    length: u64,
}

impl<W: Write> Write for Hashing<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let n = self.out.write(bytes)?;
        self.hash.add(&bytes[..n]);
        self.length += n as u64;
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

#[cfg(test)]
mod tests;
