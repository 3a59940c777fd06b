//! The list of files that toile has written into a folder.
//!
//! `.toile/manifest` is text: a header, then a line for each version of a file, `KIND HASH FROM LENGTH NAME`. The
//! hash (FNV-1a) covers `LENGTH` bytes from byte `FROM` on. A `whole` file ends there; a `growing` one, such as a point
//! cache under way, may be longer. A line is appended *before* its file gets its name, so that a file of toile's is listed
//! whenever a run is killed. The last two versions of a file count: the new one may not have got its name.

use super::hash::Fnv;
use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use toile_mesh::io::source;

const HEADER: &str =
    "toile manifest 1: files that toile wrote here and may replace while they are unchanged";

/// Versions of a file that are kept.
const VERSIONS: usize = 2;

/// Superseded lines at which the manifest is written anew.
const SUPERSEDED: usize = 1000;

/// What a file of toile's looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    /// Whether more bytes may follow.
    pub(super) growing: bool,
    /// Hash of the bytes `from .. from + length`.
    pub(super) hash: Fnv,
    /// First byte that counts.
    pub(super) from: u64,
    /// How many bytes count.
    pub(super) length: u64,
}

impl Entry {
    fn line(&self, name: &str) -> String {
        let kind = if self.growing { "growing" } else { "whole" };
        format!("{kind} {:016x} {} {} {name}\n", self.hash.0, self.from, self.length)
    }

    fn parse(line: &str) -> Option<(&str, Self)> {
        let mut parts = line.splitn(5, ' ');
        let growing = match parts.next()? {
            "growing" => true,
            "whole" => false,
            _ => return None,
        };
        let hash = Fnv(u64::from_str_radix(parts.next()?, 16).ok()?);
        let from = parts.next()?.parse().ok()?;
        let length = parts.next()?.parse().ok()?;
        Some((parts.next()?, Self { growing, hash, from, length }))
    }

    /// Whether the file at `path` is this version.
    fn describes(&self, path: &Path) -> bool {
        let Some(end) = self.from.checked_add(self.length) else { return false };
        let Ok(found) = fs::symlink_metadata(path) else { return false };
        let fits = if self.growing { found.len() >= end } else { found.len() == end };
        found.is_file()
            && fits
            && hash_range(path, Fnv::NEW, self.from, self.length).is_ok_and(|h| h == self.hash)
    }
}

/// Adds `length` bytes of a file, from byte `from` on, to a hash.
pub(super) fn hash_range(path: &Path, mut hash: Fnv, from: u64, length: u64) -> io::Result<Fnv> {
    let mut file = File::open(path)?;
    file.seek(SeekFrom::Start(from))?;
    let mut left = length;
    let mut buffer = vec![0; 1 << 16];
    while left > 0 {
        let most = usize::try_from(left).map_or(buffer.len(), |n| n.min(buffer.len()));
        let n = file.read(&mut buffer[..most])?;
        if n == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        hash.add(&buffer[..n]);
        left -= n as u64;
    }
    Ok(hash)
}

/// The files that toile has written into a folder.
#[derive(Debug)]
pub(super) struct Manifest {
    path: PathBuf,
    entries: BTreeMap<String, Vec<Entry>>,
    /// Lines in the file.
    lines: usize,
    /// Whether the file ends in a torn line or is missing, so that nothing can be appended.
    rewrite: bool,
}

impl Manifest {
    /// Reads the manifest at `path`; it is empty if there is none. Torn lines are passed over.
    pub(super) fn read(path: PathBuf) -> Self {
        let text = source::read_bytes(&path, source::MAX_MESH_BYTES)
            .map(|b| String::from_utf8_lossy(&b).into_owned());
        let text = text.unwrap_or_default();
        let known = text.lines().next() == Some(HEADER);
        let mut manifest = Self {
            path,
            entries: BTreeMap::new(),
            lines: 0,
            rewrite: !known || !text.ends_with('\n'),
        };
        for line in text.split_inclusive('\n').skip(1).filter(|_| known) {
            if let Some((name, entry)) = line.strip_suffix('\n').and_then(Entry::parse) {
                manifest.remember(name, entry);
            }
        }
        manifest
    }

    fn remember(&mut self, name: &str, entry: Entry) {
        let versions = self.entries.entry(name.to_owned()).or_default();
        versions.push(entry);
        if versions.len() > VERSIONS {
            versions.remove(0);
        }
        self.lines += 1;
    }

    /// Whether the file `name` of the folder is as toile has left it.
    pub(super) fn describes(&self, folder: &Path, name: &str) -> bool {
        let path = folder.join(name);
        self.entries.get(name).is_some_and(|versions| versions.iter().any(|e| e.describes(&path)))
    }

    /// Names of all files that were written.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.entries.keys().map(String::as_str)
    }

    /// Lists a version of a file that is about to get its name.
    pub(super) fn append(&mut self, name: &str, entry: Entry) -> io::Result<()> {
        self.remember(name, entry);
        if self.rewrite || self.lines > VERSIONS * self.entries.len() + SUPERSEDED {
            return self.write();
        }
        let mut file = OpenOptions::new().append(true).open(&self.path)?;
        // Half a line on a full disk must not run into the next one.
        self.rewrite = true;
        file.write_all(entry.line(name).as_bytes())?;
        file.sync_data()?;
        self.rewrite = false;
        Ok(())
    }

    /// Keeps only the files for which `keep` holds.
    pub(super) fn retain(&mut self, keep: impl Fn(&str) -> bool) -> io::Result<()> {
        self.entries.retain(|name, _| keep(name));
        self.write()
    }

    /// Writes all of it anew: the whole file or nothing.
    fn write(&mut self) -> io::Result<()> {
        let mut text = format!("{HEADER}\n");
        for (name, versions) in &self.entries {
            versions.iter().for_each(|entry| text += &entry.line(name));
        }
        let temporary = self.path.with_extension("tmp");
        let mut file = File::create(&temporary)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        fs::rename(&temporary, &self.path)?;
        self.lines = self.entries.values().map(Vec::len).sum();
        self.rewrite = false;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole(bytes: &[u8]) -> Entry {
        let mut hash = Fnv::NEW;
        hash.add(bytes);
        Entry { growing: false, hash, from: 0, length: bytes.len() as u64 }
    }

    #[test]
    fn a_manifest_knows_the_last_two_versions_of_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("manifest");
        let mut manifest = Manifest::read(path.clone());
        for text in ["one", "two", "three"] {
            manifest.append("a b.txt", whole(text.as_bytes())).unwrap();
        }
        for (text, known) in [("one", false), ("two", true), ("three", true), ("four", false)] {
            fs::write(folder.path().join("a b.txt"), text).unwrap();
            assert_eq!(manifest.describes(folder.path(), "a b.txt"), known, "{text}");
            let again = Manifest::read(path.clone());
            assert_eq!(again.describes(folder.path(), "a b.txt"), known, "{text}, read again");
        }
        assert!(!manifest.describes(folder.path(), "other"));
    }

    #[test]
    fn a_growing_file_is_known_by_its_beginning() {
        let folder = tempfile::tempdir().unwrap();
        let mut manifest = Manifest::read(folder.path().join("manifest"));
        let entry = Entry { growing: true, from: 2, ..whole(b"abc") };
        manifest.append("a", entry).unwrap();
        for (text, known) in [("00abc", true), ("01abcd", true), ("00ab", false), ("00abd", false)]
        {
            fs::write(folder.path().join("a"), text).unwrap();
            assert_eq!(manifest.describes(folder.path(), "a"), known, "{text}");
        }
    }

    #[test]
    fn torn_lines_and_foreign_files_are_passed_over() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("manifest");
        let mut manifest = Manifest::read(path.clone());
        manifest.append("a", whole(b"a")).unwrap();
        let mut text = fs::read_to_string(&path).unwrap();
        text += "whole 00";
        fs::write(&path, text).unwrap();
        let mut manifest = Manifest::read(path.clone());
        manifest.append("b", whole(b"b")).unwrap();
        assert_eq!(Manifest::read(path.clone()).names().collect::<Vec<_>>(), ["a", "b"]);
        fs::write(&path, "whole 0 0 0 precious\n").unwrap();
        assert_eq!(Manifest::read(path).names().count(), 0);
    }

    #[test]
    fn a_manifest_does_not_grow_without_end() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("manifest");
        let mut manifest = Manifest::read(path.clone());
        for n in 0..2 * SUPERSEDED {
            manifest.append("a", whole(&n.to_le_bytes())).unwrap();
        }
        assert!(fs::read_to_string(&path).unwrap().lines().count() < SUPERSEDED + 10);
    }
}
