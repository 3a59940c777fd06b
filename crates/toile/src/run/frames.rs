//! Frames of a run, in any format.
//!
//! PC2, OBJ and PNG are written frame by frame. The others are single files that can only be
//! written whole: their frames are kept in `frames.pc2` and turned into the file at the end.

use super::Options;
use crate::convert::{self, Clip};
use crate::error::Error;
use crate::picture::Studio;
use crate::simulation::Simulation;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use toile_mesh::io;
use toile_mesh::io::pc2::{Pc2Reader, Pc2Writer};

/// Form of the frames of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// A point cache, `frames.pc2`, with the vertex order of `final.obj`.
    Pc2,
    /// One mesh a frame, `frames/00000.obj` and so on.
    Obj,
    /// An animation for viewers, `frames.glb`.
    Glb,
    /// An animation for USD, `frames.usda`.
    Usda,
    /// One picture a frame, `frames/00000.png` and so on.
    Png,
    /// A moving picture, `frames.gif`.
    Gif,
    /// A moving picture in full colour, `frames.apng`.
    Apng,
    /// A still picture of moments side by side, `frames.png`.
    Sheet,
}

impl Format {
    /// All formats.
    pub const ALL: [Self; 8] = [
        Self::Pc2,
        Self::Obj,
        Self::Glb,
        Self::Usda,
        Self::Png,
        Self::Gif,
        Self::Apng,
        Self::Sheet,
    ];

    /// Its name in a scene and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pc2 => "pc2",
            Self::Obj => "obj",
            Self::Glb => "glb",
            Self::Usda => "usda",
            Self::Png => "png",
            Self::Gif => "gif",
            Self::Apng => "apng",
            Self::Sheet => "sheet",
        }
    }

    /// The format of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|f| f.name() == name)
    }
}

/// Takes the frames of a run.
pub(super) struct Recorder {
    format: Option<Format>,
    out: PathBuf,
    cache: Option<Pc2Writer>,
    next: u64,
}

impl Recorder {
    /// Begins, or goes on behind the first `frames` frames.
    pub(super) fn begin(sim: &Simulation, options: &Options, frames: u64) -> Result<Self, Error> {
        let out = options.out.clone();
        let path = out.join("frames.pc2");
        let points = sim.state().x.len();
        let cache = match options.frames {
            None | Some(Format::Obj | Format::Png) => None,
            Some(_) if frames == 0 => Some(Pc2Writer::create(&path, points)?),
            Some(_) => Some(Pc2Writer::resume(&path, points, frames as usize)?),
        };
        if let Some(Format::Obj | Format::Png) = options.frames {
            let path = out.join("frames");
            std::fs::create_dir_all(&path).map_err(|source| Error::Folder { path, source })?;
        }
        Ok(Self { format: options.frames, out, cache, next: frames })
    }

    /// Whether pictures are drawn at the end.
    pub(super) fn has_pictures(&self) -> bool {
        matches!(self.format, Some(Format::Gif | Format::Apng | Format::Sheet))
    }

    fn file(&self, extension: &str) -> PathBuf {
        self.out.join("frames").join(format!("{:05}.{extension}", self.next))
    }

    /// Takes a frame.
    pub(super) fn append(&mut self, sim: &Simulation, time: f64) -> Result<(), Error> {
        match self.format {
            Some(Format::Obj) => io::write_mesh(self.file("obj"), &sim.mesh())?,
            Some(Format::Png) => {
                Studio::new(sim).small().at(&sim.state().x, time).draw_to(&self.file("png"))?;
            }
            _ => {}
        }
        if let Some(cache) = &mut self.cache {
            cache.append(&sim.state().x)?;
        }
        self.next += 1;
        Ok(())
    }

    /// Brings all frames to the disk.
    pub(super) fn flush(&mut self) -> Result<(), Error> {
        self.cache.as_mut().map_or(Ok(()), |cache| Ok(cache.flush()?))
    }

    /// Makes the file of formats that are written whole.
    pub(super) fn finish(&mut self, sim: &Simulation) -> Result<(), Error> {
        self.flush()?;
        let cache = self.out.join("frames.pc2");
        let fps = sim.scene().fps;
        match self.format {
            Some(format @ (Format::Glb | Format::Usda)) => {
                let clip = Clip { mesh: sim.mesh(), frames: read_all(&cache)?, fps };
                convert::write_clip(&self.out.join(format!("frames.{}", format.name())), &clip)
            }
            Some(Format::Gif) => {
                Studio::new(sim).small().film_gif(&self.out.join("frames.gif"), &read_all(&cache)?)
            }
            Some(Format::Apng) => Studio::new(sim)
                .small()
                .film_apng(&self.out.join("frames.apng"), &read_all(&cache)?),
            Some(Format::Sheet) => Studio::new(sim)
                .small()
                .film_sheet(&self.out.join("frames.png"), &read_all(&cache)?),
            None | Some(Format::Pc2 | Format::Obj | Format::Png) => Ok(()),
        }
    }
}

fn read_all(path: &Path) -> Result<Vec<Vec<glam::DVec3>>, Error> {
    Ok(Pc2Reader::open(path)?.collect::<Result<_, _>>()?)
}
