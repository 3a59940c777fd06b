//! Frames of a run, in any format.
//!
//! PC2, OBJ and PNG are written frame by frame. The others are single files that can only be
//! written whole: their frames are kept in `frames.pc2` and turned into the file at the end.

use super::job::Job;
use crate::convert::{self, Clip};
use crate::error::Error;
use crate::export::{self, Space};
use crate::output::{FRAMES, Growing, OutputFolder};
use crate::usda;
use glam::DVec3;
use serde::{Deserialize, Serialize};
use std::path::Path;
use toile_mesh::io::pc2::{self, Pc2Reader, Pc2Writer};

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
    /// An animation, `frames.gif`.
    Gif,
    /// An animation in full colour, `frames.apng`.
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

    /// Files that a run with such frames writes, but for numbered ones.
    pub(crate) fn files(self) -> Vec<&'static str> {
        match self {
            Self::Pc2 => vec![CACHE],
            Self::Obj | Self::Png => vec![],
            Self::Glb => vec![CACHE, "frames.glb"],
            Self::Usda => vec![CACHE, "frames.usda"],
            Self::Gif => vec![CACHE, "frames.gif"],
            Self::Apng => vec![CACHE, "frames.apng"],
            Self::Sheet => vec![CACHE, "frames.png"],
        }
    }

    /// Extension of the numbered files, if each frame is one.
    pub(crate) fn numbered(self) -> Option<&'static str> {
        match self {
            Self::Obj => Some("obj"),
            Self::Png => Some("png"),
            _ => None,
        }
    }
}

/// The file that frames are kept in.
const CACHE: &str = "frames.pc2";

/// Most bytes of frames that a file which is written whole may take while it is made: half of what the machines it is
/// made for have.
const MAX_BYTES: f64 = 8e9;

/// Most frames that are files of their own, and as many as a point cache counts.
const MAX_FRAMES: [f64; 2] = [1e6, 2e9];

/// Refuses frames that would take too much, with the estimate, before the first step.
pub(crate) fn check_amount(
    format: Option<Format>,
    frames: f64,
    vertices: usize,
) -> Result<(), Error> {
    let Some(format) = format else { return Ok(()) };
    let each = match format {
        Format::Gif | Format::Apng => 24 * vertices + 4 * 480 * 360,
        _ => 24 * vertices,
    };
    let bytes = frames * each as f64;
    let name = format.name();
    let reason = match format {
        Format::Obj | Format::Png if frames > MAX_FRAMES[0] => "are too many files",
        Format::Pc2 if frames > MAX_FRAMES[1] => "are more than a point cache counts",
        Format::Obj | Format::Png | Format::Pc2 => return Ok(()),
        _ if bytes > MAX_BYTES => "are too many for one file that is written at once",
        _ => return Ok(()),
    };
    Err(Error::request(
        format!(
            "{frames:.0} frames of {vertices} vertices ({:.0} GB) {reason} with --frames {name}",
            1e-9 * bytes
        ),
        "take fewer frames with --every, a shorter --duration, or --frames pc2",
    ))
}

/// Takes the frames of a run.
pub(super) struct Recorder {
    format: Option<Format>,
    cache: Option<(Pc2Writer, Growing)>,
    next: u64,
}

impl Recorder {
    /// For a run that begins.
    pub(super) fn new(format: Option<Format>) -> Self {
        Self { format, cache: None, next: 0 }
    }

    /// Appends after the first `frames` frames.
    pub(super) fn resume(
        folder: &mut OutputFolder,
        job: &impl Job,
        format: Option<Format>,
        frames: u64,
    ) -> Result<Self, Error> {
        let mut recorder = Self { format, cache: None, next: frames };
        let Some(format) = format.filter(|_| frames > 0 && recorder.keeps_cache()) else {
            return Ok(recorder);
        };
        {
            let path = folder.path().join(CACHE);
            let vertices = job.frame_mesh(format).positions.len();
            let writer = Pc2Writer::resume(&path, vertices, frames as usize)?;
            recorder.cache = Some((writer, folder.go_on_growing(CACHE, pc2::HEADER_BYTES)?));
        }
        Ok(recorder)
    }

    fn keeps_cache(&self) -> bool {
        !matches!(self.format, None | Some(Format::Obj | Format::Png))
    }

    /// Whether pictures are drawn at the end.
    pub(super) fn has_pictures(&self) -> bool {
        matches!(self.format, Some(Format::Gif | Format::Apng | Format::Sheet))
    }

    /// Takes the cloth at positions `x` as a frame.
    pub(super) fn append(
        &mut self,
        folder: &mut OutputFolder,
        job: &impl Job,
        x: &[DVec3],
        time: f64,
    ) -> Result<(), Error> {
        let file = |extension| format!("{FRAMES}/{:05}.{extension}", self.next);
        match self.format {
            Some(Format::Obj) => {
                let mut model = job.model(false, None);
                model.objects[0].mesh.positions.copy_from_slice(x);
                let library = format!("../{}", export::MATERIALS);
                folder.write_model(&file("obj"), &job.space().model(model), Some(&library))?;
            }
            Some(Format::Png) => {
                folder.write_bytes(&file("png"), &job.frame_studio().small().at(x, time).png()?)?;
            }
            _ => {}
        }
        if self.keeps_cache() {
            // The frames behind pictures move panels.obj, which is in metres.
            let space = if self.has_pictures() { Space::default() } else { job.space() };
            let x: Vec<DVec3> = x.iter().map(|p| space.point(*p)).collect();
            match &mut self.cache {
                Some((writer, _)) => writer.append(&x)?,
                None => self.cache = Some(begin_cache(folder, &x)?),
            }
        }
        self.next += 1;
        Ok(())
    }

    /// Brings all frames to the disk.
    pub(super) fn flush(&mut self, folder: &mut OutputFolder) -> Result<(), Error> {
        let Some((writer, growing)) = &mut self.cache else { return Ok(()) };
        writer.flush()?;
        folder.note_growth(growing)
    }

    /// Makes the file of formats that are written whole.
    pub(super) fn finish(
        &mut self,
        folder: &mut OutputFolder,
        job: &impl Job,
        with_body: bool,
    ) -> Result<(), Error> {
        self.flush(folder)?;
        if self.cache.take().is_some() {
            folder.seal(CACHE)?;
        }
        let Some(format) = self.format.filter(|_| self.next > 0) else { return Ok(()) };
        let frames = || read_all(&folder.path().join(CACHE));
        let studio = || job.frame_studio().small();
        let bytes = match format {
            Format::Pc2 => return write_body_cache(folder, job, self.next),
            Format::Obj | Format::Png => return Ok(()),
            Format::Gif => studio().gif(&frames()?)?,
            Format::Apng => studio().apng(&frames()?)?,
            Format::Sheet => studio().sheet(&frames()?)?,
            Format::Glb | Format::Usda => {
                let (frames, fps) = (frames()?, job.fps());
                let times: Vec<f64> = (0..frames.len()).map(|k| k as f64 / fps).collect();
                let model = job.space().model(job.model(with_body, Some(&times)));
                let clip = Clip { model, frames, fps };
                let name = format!("frames.{}", format.name());
                convert::check_range(&folder.path().join(&name), &clip)?;
                return folder.write(&name, |out| match format {
                    Format::Usda => usda::write(out, &clip, job.space().stage()),
                    _ => convert::write_glb(out, &clip),
                });
            }
        };
        let name = if format == Format::Sheet { "png" } else { format.name() };
        folder.write_bytes(&format!("frames.{name}"), &bytes)
    }
}

/// Writes the frames of a body that changes its shape, if the job has one.
fn write_body_cache(folder: &mut OutputFolder, job: &impl Job, count: u64) -> Result<(), Error> {
    let Some(name) = job.body_cache() else { return Ok(()) };
    let times: Vec<f64> = (0..count).map(|k| k as f64 / job.fps()).collect();
    let model = job.space().model(job.model(true, Some(&times)));
    let Some(body) = model.objects.iter().find(|o| !o.frames.is_empty()) else { return Ok(()) };
    folder.write(name, |out| pc2::write(out, body.mesh.positions.len(), &body.frames))
}

/// Begins the point cache with its first frame.
fn begin_cache(folder: &mut OutputFolder, x: &[DVec3]) -> Result<(Pc2Writer, Growing), Error> {
    folder.begin_growing(CACHE, pc2::HEADER_BYTES, |path| {
        let mut writer = Pc2Writer::create(path, x.len())?;
        writer.append(x)?;
        writer.flush()?;
        Ok(writer)
    })
}

fn read_all(path: &Path) -> Result<Vec<Vec<DVec3>>, Error> {
    Ok(Pc2Reader::open(path)?.collect::<Result<_, _>>()?)
}
