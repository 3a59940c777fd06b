//! Saved states.
//!
//! `state.bin` holds `TOILE-ST`, the version (u32, little endian), the rest in the format of `postcard`
//! ([`Checkpoint`]), and FNV-1a of all bytes before it (u64). A state fits a run whose fingerprint it has: everything that decides
//! the motion, but not its duration, so that a finished run can be made longer, unless it has levels.

use super::frames::Format;
use super::statistics::Statistics;
use crate::error::Error;
use crate::output::hash::Fnv;
use serde::{Deserialize, Serialize};
use std::path::Path;
use toile_garment::SavedTailor;
use toile_mesh::io::source;
use toile_sim::State;

const MAGIC: &[u8; 8] = b"TOILE-ST";
const VERSION: u32 = 5;

/// What a job needs to resume.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Saved {
    /// Time, positions and velocities.
    pub(crate) state: State,
    /// Of a garment: how many steps it has taken, and how far it is.
    pub(crate) garment: Option<(u64, SavedTailor)>,
    /// Whether the body of the garment has begun to move.
    pub(crate) is_moving: bool,
}

/// A saved state with what the run has counted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Checkpoint {
    pub(super) fingerprint: u64,
    pub(super) frames: Option<Format>,
    pub(super) statistics: Statistics,
    pub(super) saved: Saved,
}

impl Checkpoint {
    /// The contents of its file.
    pub(super) fn bytes(&self) -> Result<Vec<u8>, Error> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend_from_slice(&VERSION.to_le_bytes());
        let mut bytes = postcard::to_extend(self, bytes)
            .map_err(|e| refuse(Path::new("state.bin"), format!("cannot be written: {e}")))?;
        let mut checksum = Fnv::NEW;
        checksum.add(&bytes);
        bytes.extend_from_slice(&checksum.0.to_le_bytes());
        Ok(bytes)
    }

    /// Reads a saved state.
    ///
    /// # Errors
    /// If there is none, or it is damaged.
    pub(super) fn read(path: &Path) -> Result<Self, Error> {
        let bytes = source::read_bytes(path, source::MAX_MESH_BYTES).map_err(|e| Error::State {
            path: path.to_path_buf(),
            reason: format!("cannot read the saved state: {e}"),
            remedy: "resume with the --out of the run that was stopped, or start without --resume"
                .into(),
        })?;
        Self::parse(&bytes).map_err(|reason| refuse(path, reason))
    }

    fn parse(bytes: &[u8]) -> Result<Self, String> {
        let Some(rest) = bytes.strip_prefix(MAGIC) else {
            return Err("this is not a saved state".into());
        };
        let damaged = || "the saved state is damaged".to_owned();
        let (version, rest) = rest.split_first_chunk().ok_or_else(damaged)?;
        let version = u32::from_le_bytes(*version);
        if version != VERSION {
            return Err(format!("saved in version {version}; this program reads {VERSION}"));
        }
        let (body, sum) = rest.split_last_chunk().ok_or_else(damaged)?;
        let mut checksum = Fnv::NEW;
        checksum.add(&bytes[..bytes.len() - sum.len()]);
        if checksum.0 != u64::from_le_bytes(*sum) {
            return Err(damaged());
        }
        match postcard::take_from_bytes::<Self>(body) {
            Ok((checkpoint, [])) => Ok(checkpoint),
            _ => Err(damaged()),
        }
    }

    /// Whether a run of so many steps has not come so far yet: it cannot go back.
    pub(super) fn check_not_beyond(&self, path: &Path, steps: u64) -> Result<(), Error> {
        let State { step, time, .. } = self.saved.state;
        if step <= steps {
            return Ok(());
        }
        let reason = format!(
            "the saved state is at {time:.3} s (step {step}), beyond the {steps} steps asked for"
        );
        Err(refuse(path, reason))
    }

    /// Whether a run can be resumed from it.
    pub(super) fn check_fits(
        &self,
        path: &Path,
        fingerprint: u64,
        frames: Option<Format>,
    ) -> Result<(), Error> {
        if self.fingerprint != fingerprint {
            let reason =
                "the saved state belongs to another scene or garment, or to other settings";
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

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec3;
    use toile_sim::PreviousStep;
    use toile_sim::barrier::Anchors;

    fn checkpoint() -> Checkpoint {
        let x = vec![DVec3::new(0.1, -0.0, 1e-300), DVec3::splat(f64::MIN_POSITIVE)];
        let anchors =
            Anchors { keys: vec![[1, 2, 3, 4]], displacements: vec![DVec3::new(0.1, 0.2, 0.3)] };
        let previous_step =
            Some(PreviousStep { h: 0.01, x: vec![DVec3::Y; 2], v: vec![DVec3::Z; 2] });
        let (v, slider_positions) = (vec![DVec3::X; 2], vec![0.1, -0.0, 1e-300]);
        let state =
            State { time: 0.1 + 0.2, step: 300, x, v, anchors, previous_step, slider_positions };
        let mut statistics = Statistics::default();
        (statistics.frames, statistics.max_strain) = (9, 0.1 + 0.7);
        let saved = Saved { state, garment: None, is_moving: false };
        Checkpoint { fingerprint: 7, frames: Some(Format::Pc2), statistics, saved }
    }

    #[test]
    fn a_state_comes_back_bit_for_bit() {
        let bytes = checkpoint().bytes().unwrap();
        let back = Checkpoint::parse(&bytes).unwrap();
        assert_eq!(back.saved.state.hash(), checkpoint().saved.state.hash());
        assert_eq!(back.statistics.max_strain.to_bits(), (0.1_f64 + 0.7).to_bits());
        assert_eq!(back, checkpoint());
    }

    #[test]
    fn every_flipped_bit_and_every_cut_is_noticed() {
        let bytes = checkpoint().bytes().unwrap();
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
