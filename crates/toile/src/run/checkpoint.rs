//! Saved states.
//!
//! `state.bin`, little endian: `TOILE-ST`, version (u32), fingerprint of the scene (u64), length of
//! the header (u64), header (JSON: what a run has counted so far), step (u64), time (f64), vertices
//! (u64), positions and velocities (f64), anchors of friction (u64) with their keys (four u32) and
//! ways (f64), length of the step before (f64; 0 if it does not matter) with its positions and
//! velocities, and FNV-1a of all bytes before it (u64). A state fits a scene whose fingerprint it has:
//! everything that decides the motion, but not its duration, so that a finished run can be made longer, unless it has levels.

use super::effort::{Counts, Momentum};
use super::frames::Format;
use super::report::Stages;
use crate::audit::Audit;
use crate::error::Error;
use crate::simulation::Simulation;
use crate::untangle::Untangled;
use glam::DVec3;
use serde::{Deserialize, Serialize};
use std::path::Path;
use toile_mesh::io;
use toile_sim::barrier::Anchors;
use toile_sim::{Before, Energy, State, StepReport, Warning};

const MAGIC: &[u8; 8] = b"TOILE-ST";
const VERSION: u32 = 2;

/// Warnings of one kind that are listed one by one; the rest is counted.
const LISTED: usize = 5;

/// What a run has counted so far.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Statistics {
    pub(super) frames: u64,
    pub(super) intersections_max: u64,
    pub(super) penetrations_max: u64,
    /// Bits of the largest elongation: JSON need not keep the last bit of a number.
    max_strain_bits: u64,
    #[serde(skip)]
    pub(super) max_strain: f64,
    pub(super) stages: Stages,
    pub(super) counts: Counts,
    pub(super) untangle: Option<Untangled>,
    pub(super) energy_begin: Energy,
    pub(super) momentum_begin: Momentum,
    pub(super) wall_seconds: f64,
    pub(super) cpu_seconds: f64,
    listed: Vec<String>,
    substepped: u64,
}

/// Strain at which the result is no fabric any more.
const TORN: f64 = 1.0;

impl Statistics {
    /// Takes up a step.
    pub(super) fn add(&mut self, report: &StepReport) {
        let s = &report.seconds;
        self.stages.integrate += s.integrate;
        self.stages.strain_limit += s.strain_limit;
        self.stages.detect += s.detect;
        self.stages.respond += s.respond;
        self.counts.add(report);
        self.warn(&report.warnings);
    }

    /// Takes up the strain at the end of a step.
    pub(super) fn strain(&mut self, strain: f64) {
        self.max_strain = self.max_strain.max(strain);
    }

    pub(super) fn warn(&mut self, warnings: &[Warning]) {
        for warning in warnings {
            if matches!(warning, Warning::Substepped { .. }) {
                self.substepped += 1;
                if self.substepped > LISTED as u64 {
                    continue;
                }
            }
            self.listed.push(warning.to_string());
        }
    }

    /// Says what is wrong before the first step: what intersects then can hardly come apart, and
    /// what begins inside a body is thrown out of it.
    pub(super) fn warn_of_begin(&mut self, found: &Audit) {
        if found.self_intersections > 0 {
            let n = found.self_intersections;
            self.listed.push(format!(
                "the cloth begins with {n} pairs of intersecting triangles{}; move its parts apart",
                self.tried()
            ));
        }
        if found.body_penetrations > 0 {
            let n = found.body_penetrations;
            self.listed.push(format!(
                "the cloth begins with {n} triangles inside bodies{}; move it or them",
                self.tried()
            ));
        }
        if let Some(Untangled { without_room_after: n @ 1.., .. }) = self.untangle {
            self.listed.push(format!(
                "{n} vertices begin nearer to bodies or to other cloth than the solver keeps them; they may stick"
            ));
        }
    }

    fn tried(&self) -> String {
        self.untangle.map_or(String::new(), |u| {
            format!(" that {} iterations of untangling have left", u.iterations)
        })
    }

    /// Takes up an audit.
    pub(super) fn take(&mut self, found: &Audit) {
        self.intersections_max = self.intersections_max.max(found.self_intersections);
        self.penetrations_max = self.penetrations_max.max(found.body_penetrations);
    }

    /// What went partly wrong, for the report.
    pub(super) fn warnings(&self) -> Vec<String> {
        let mut list = self.listed.clone();
        if self.substepped > LISTED as u64 {
            let n = self.substepped - LISTED as u64;
            list.push(format!("{n} more steps were cut into parts to resolve their collisions"));
        }
        if self.max_strain > TORN {
            let percent = 100.0 * self.max_strain;
            list.push(format!(
                "the cloth was stretched by {percent:.0} %: no fabric is; forces are too strong for \
                 it, or `solver.step` is too large"
            ));
        }
        list.extend(self.counts.doubts());
        list
    }
}

/// A saved state with what the run has counted.
#[derive(Clone, Debug)]
pub struct Checkpoint {
    pub(super) fingerprint: u64,
    pub(super) frames: Option<Format>,
    /// Time, positions and velocities.
    pub state: State,
    pub(super) statistics: Statistics,
}

#[derive(Serialize, Deserialize)]
struct Header {
    frames: Option<Format>,
    statistics: Statistics,
}

/// A hash that grows with what is written to it (FNV-1a).
#[derive(Clone, Copy)]
struct Fnv(u64);

impl Fnv {
    const NEW: Self = Self(0xcbf2_9ce4_8422_2325);

    fn add(&mut self, bytes: &[u8]) {
        for b in bytes {
            self.0 = (self.0 ^ u64::from(*b)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}

impl std::fmt::Write for Fnv {
    fn write_str(&mut self, s: &str) -> std::fmt::Result {
        self.add(s.as_bytes());
        Ok(())
    }
}

/// A hash of everything that decides the motion and the frames.
pub(super) fn fingerprint(sim: &Simulation) -> u64 {
    use std::fmt::Write;
    let (world, scene) = (sim.world(), sim.scene());
    let model = world.model();
    let mut hash = Fnv::NEW;
    // Another version may step in other bits.
    hash.add(env!("CARGO_PKG_VERSION").as_bytes());
    for p in &model.mesh.positions {
        p.to_array().iter().for_each(|c| hash.add(&c.to_bits().to_le_bytes()));
    }
    for v in model.mesh.triangles.iter().flatten() {
        hash.add(&v.to_le_bytes());
    }
    for number in model.mass.iter().chain(&model.rest_lengths()) {
        hash.add(&number.to_bits().to_le_bytes());
    }
    // Debug prints every number with all its digits; writing to a hash does not fail.
    let _ = write!(hash, "{:?}{:?}{:?}", model.fabrics, world.settings(), world.bodies());
    let pins: Vec<_> = scene.cloths.iter().map(|c| &c.pins).collect();
    let _ = write!(hash, "{pins:?}{:?}{:?}{:?}", scene.gravity, scene.wind, scene.fps);
    // When cells become smaller depends on the duration.
    sim.level_ends().for_each(|step| hash.add(&step.to_le_bytes()));
    hash.0
}

impl Checkpoint {
    /// Writes it: the whole file or nothing.
    pub(super) fn write(&self, path: &Path) -> Result<(), Error> {
        let mut statistics = self.statistics.clone();
        statistics.max_strain_bits = statistics.max_strain.to_bits();
        let header = serde_json::to_vec(&Header { frames: self.frames, statistics })
            .map_err(|e| refuse(path, format!("cannot be written: {e}")))?;
        let n = self.state.x.len();
        let mut bytes = Vec::with_capacity(64 + header.len() + 48 * n);
        bytes.extend_from_slice(MAGIC);
        bytes.extend_from_slice(&VERSION.to_le_bytes());
        bytes.extend_from_slice(&self.fingerprint.to_le_bytes());
        bytes.extend_from_slice(&(header.len() as u64).to_le_bytes());
        bytes.extend_from_slice(&header);
        bytes.extend_from_slice(&self.state.step.to_le_bytes());
        bytes.extend_from_slice(&self.state.time.to_bits().to_le_bytes());
        bytes.extend_from_slice(&(n as u64).to_le_bytes());
        for p in self.state.x.iter().chain(&self.state.v) {
            for c in p.to_array() {
                bytes.extend_from_slice(&c.to_bits().to_le_bytes());
            }
        }
        let anchors = &self.state.anchors;
        bytes.extend_from_slice(&(anchors.keys.len() as u64).to_le_bytes());
        for number in anchors.keys.iter().flatten() {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
        for c in anchors.slid.iter().flat_map(|p| p.to_array()) {
            bytes.extend_from_slice(&c.to_bits().to_le_bytes());
        }
        // The step before, if there is one that matters: its length, or zero.
        let before = self.state.before.as_ref();
        bytes.extend_from_slice(&before.map_or(0.0, |b| b.h).to_bits().to_le_bytes());
        for c in before.iter().flat_map(|b| b.x.iter().chain(&b.v)).flat_map(|p| p.to_array()) {
            bytes.extend_from_slice(&c.to_bits().to_le_bytes());
        }
        let mut checksum = Fnv::NEW;
        checksum.add(&bytes);
        bytes.extend_from_slice(&checksum.0.to_le_bytes());
        Ok(io::write_atomically(path, |out| out.write_all(&bytes))?)
    }

    /// Reads a saved state.
    ///
    /// # Errors
    /// If there is none, or it is damaged.
    pub fn read(path: &Path) -> Result<Self, Error> {
        let bytes = std::fs::read(path).map_err(|e| Error::State {
            path: path.to_path_buf(),
            reason: format!("cannot read the saved state: {e}"),
            remedy: "resume with the --out of the run that was stopped, or start without --resume"
                .into(),
        })?;
        Self::parse(&bytes).map_err(|reason| refuse(path, reason))
    }

    fn parse(bytes: &[u8]) -> Result<Self, String> {
        if !bytes.starts_with(MAGIC) {
            return Err("this is not a saved state".into());
        }
        let damaged = || "the saved state is damaged".to_owned();
        let body = bytes.len().checked_sub(8).ok_or_else(damaged)?;
        let mut cursor = Cursor { bytes: &bytes[..body], at: MAGIC.len() };
        let version = u32::from_le_bytes(cursor.take().ok_or_else(damaged)?);
        if version != VERSION {
            return Err(format!("saved in version {version}; this program reads {VERSION}"));
        }
        let mut checksum = Fnv::NEW;
        checksum.add(&bytes[..body]);
        if checksum.0.to_le_bytes() != bytes[body..] {
            return Err(damaged());
        }
        Self::parse_body(&mut cursor).ok_or_else(damaged)
    }

    fn parse_body(cursor: &mut Cursor<'_>) -> Option<Self> {
        let fingerprint = cursor.u64()?;
        let length = usize::try_from(cursor.u64()?).ok()?;
        let mut header: Header = serde_json::from_slice(cursor.slice(length)?).ok()?;
        header.statistics.max_strain = f64::from_bits(header.statistics.max_strain_bits);
        let step = cursor.u64()?;
        let time = f64::from_bits(cursor.u64()?);
        let n = usize::try_from(cursor.u64()?).ok()?;
        let (x, v) = (cursor.points(n)?, cursor.points(n)?);
        let anchors = cursor.anchors()?;
        let h = f64::from_bits(cursor.u64()?);
        let before = match h > 0.0 {
            true => Some(Before { h, x: cursor.points(n)?, v: cursor.points(n)? }),
            false => None,
        };
        if cursor.at != cursor.bytes.len() {
            return None;
        }
        let state = State { time, step, x, v, anchors, before };
        Some(Self { fingerprint, frames: header.frames, state, statistics: header.statistics })
    }

    /// Whether a run of so many steps has not come so far yet: it cannot go back.
    pub(super) fn check_not_beyond(&self, path: &Path, steps: u64) -> Result<(), Error> {
        if self.state.step <= steps {
            return Ok(());
        }
        let (step, time) = (self.state.step, self.state.time);
        let reason = format!(
            "the saved state is at {time:.3} s (step {step}), beyond the {steps} steps asked for"
        );
        Err(refuse(path, reason))
    }

    /// Whether a run can go on from it.
    pub(super) fn check_fits(
        &self,
        path: &Path,
        fingerprint: u64,
        frames: Option<Format>,
    ) -> Result<(), Error> {
        if self.fingerprint != fingerprint {
            let reason = "the saved state belongs to another scene or other settings";
            return Err(refuse(path, reason.into()));
        }
        if self.frames != frames {
            let name = |f: Option<Format>| f.map_or("none", Format::name);
            return Err(Error::State {
                path: path.to_path_buf(),
                reason: format!(
                    "the run was begun with frames: {}, not {}",
                    name(self.frames),
                    name(frames)
                ),
                remedy: match self.frames {
                    Some(f) => format!("resume with --frames {}", f.name()),
                    None => "resume without --frames".into(),
                },
            });
        }
        Ok(())
    }
}

fn refuse(path: &Path, reason: String) -> Error {
    let remedy = "start again without --resume, or with another --out".into();
    Error::State { path: path.to_path_buf(), reason, remedy }
}

struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    fn slice(&mut self, n: usize) -> Option<&'a [u8]> {
        let slice = self.bytes.get(self.at..self.at.checked_add(n)?)?;
        self.at += n;
        Some(slice)
    }

    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.slice(N)?.try_into().ok()
    }

    fn u64(&mut self) -> Option<u64> {
        self.take().map(u64::from_le_bytes)
    }

    /// A count is believed only if the file is long enough for it.
    fn points(&mut self, n: usize) -> Option<Vec<DVec3>> {
        let bytes = self.slice(n.checked_mul(24)?)?;
        let number = |b: &[u8]| Some(f64::from_bits(u64::from_le_bytes(b.try_into().ok()?)));
        let point =
            |b: &[u8]| Some(DVec3::new(number(&b[..8])?, number(&b[8..16])?, number(&b[16..])?));
        bytes.chunks_exact(24).map(point).collect()
    }

    fn anchors(&mut self) -> Option<Anchors> {
        let n = usize::try_from(self.u64()?).ok()?;
        let bytes = self.slice(n.checked_mul(16)?)?;
        let number = |b: &[u8]| Some(u32::from_le_bytes(b.try_into().ok()?));
        let key = |b: &[u8]| {
            Some([number(&b[..4])?, number(&b[4..8])?, number(&b[8..12])?, number(&b[12..])?])
        };
        let keys: Option<Vec<[u32; 4]>> = bytes.chunks_exact(16).map(key).collect();
        Some(Anchors { keys: keys?, slid: self.points(n)? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checkpoint() -> Checkpoint {
        let x = vec![DVec3::new(0.1, -0.0, 1e-300), DVec3::splat(f64::MIN_POSITIVE)];
        let anchors = Anchors { keys: vec![[1, 2, 3, 4]], slid: vec![DVec3::new(0.1, 0.2, 0.3)] };
        let before = Some(Before { h: 0.01, x: vec![DVec3::Y; 2], v: vec![DVec3::Z; 2] });
        let state = State { time: 0.1 + 0.2, step: 300, x, v: vec![DVec3::X; 2], anchors, before };
        let statistics = Statistics { frames: 9, max_strain: 0.1 + 0.7, ..Statistics::default() };
        Checkpoint { fingerprint: 7, frames: Some(Format::Pc2), state, statistics }
    }

    fn bytes() -> (tempfile::TempDir, Vec<u8>) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state.bin");
        checkpoint().write(&path).unwrap();
        let bytes = std::fs::read(&path).unwrap();
        (folder, bytes)
    }

    #[test]
    fn a_state_comes_back_bit_for_bit() {
        let (_folder, bytes) = bytes();
        let back = Checkpoint::parse(&bytes).unwrap();
        assert_eq!(back.state.hash(), checkpoint().state.hash());
        assert_eq!(back.statistics.max_strain.to_bits(), (0.1_f64 + 0.7).to_bits());
        assert_eq!((back.statistics.frames, back.frames), (9, Some(Format::Pc2)));
    }

    #[test]
    fn every_flipped_bit_and_every_cut_is_noticed() {
        let (_folder, bytes) = bytes();
        for i in 0..bytes.len() {
            let mut bad = bytes.clone();
            bad[i] ^= 4;
            assert!(Checkpoint::parse(&bad).is_err(), "byte {i}");
            assert!(Checkpoint::parse(&bytes[..i]).is_err(), "cut at {i}");
        }
    }

    #[test]
    fn a_foreign_state_is_refused() {
        let path = Path::new("state.bin");
        assert!(checkpoint().check_fits(path, 7, Some(Format::Pc2)).is_ok());
        assert!(checkpoint().check_fits(path, 8, Some(Format::Pc2)).is_err());
        let other = checkpoint().check_fits(path, 7, None).unwrap_err();
        assert!(other.to_string().contains("pc2"), "{other}");
    }
}
