//! PC2 point caches: the positions of an animation, frame after frame, without triangles.
//!
//! Layout, little endian: `POINTCACHE2\0`, version 1 (i32), points in a frame (i32), number of the
//! first frame (f32), distance between samples in frames (f32), samples (i32); then for each sample
//! and point x, y, z (f32). Here every frame is a sample; the rate in frames per second is not
//! stored.
//!
//! A [`Pc2Writer`] first writes frames to the disk and then raises the count in the header. After
//! a crash the header counts only whole frames, what follows them is ignored, and
//! [`Pc2Writer::resume`] appends after any frame.

use super::Error;
use super::bytes::{Cursor, truncated};
use glam::{DVec3, Vec3};
use std::fs::{File, OpenOptions};
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

const MAGIC: &[u8; 12] = b"POINTCACHE2\0";
/// Bytes before the first frame; the count of frames among them changes as frames are appended.
pub const HEADER_BYTES: u64 = 32;
const HEADER: u64 = HEADER_BYTES;
/// Where the count of frames stands.
const COUNT_AT: u64 = 28;
/// Bytes of a point.
const POINT: u64 = 12;

/// The header of a point cache.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Header {
    /// Points in each frame.
    pub points: u32,
    /// Number of the first frame.
    pub start: f32,
    /// Distance between frames, in frames: 1 unless frames were left out.
    pub sample_rate: f32,
    /// Frames in the file.
    pub frames: u32,
}

impl Header {
    fn frame_bytes(&self) -> u64 {
        u64::from(self.points) * POINT
    }

    fn parse(bytes: &[u8], name: &str) -> Result<Self, Error> {
        let mut cursor = Cursor::new(bytes, name);
        if cursor.take(bytes.len().min(12))? != &MAGIC[..bytes.len().min(12)] {
            let remedy = "a PC2 file begins with POINTCACHE2; check the extension";
            return Err(cursor.error(0, "this is not a point cache", remedy));
        }
        let [version, points] = [cursor.u32()?, cursor.u32()?];
        if version != 1 {
            let what = format!("point cache version {version}");
            return Err(cursor.error(12, what, "only version 1 is known: export it again"));
        }
        let mut float = || Ok::<_, Error>(f32::from_bits(cursor.u32()?));
        let [start, sample_rate] = [float()?, float()?];
        let frames = cursor.u32()?;
        let remedy = "the header is damaged: export the file again";
        if points == 0 || i32::try_from(points).is_err() {
            return Err(cursor.error(16, format!("frames of {} points", points as i32), remedy));
        }
        if i32::try_from(frames).is_err() {
            return Err(cursor.error(28, format!("{} frames", frames as i32), remedy));
        }
        Ok(Self { points, start, sample_rate, frames })
    }

    /// The header of a new file; `path` is for messages.
    fn for_points(path: &Path, points: usize) -> Result<Self, Error> {
        match i32::try_from(points).ok().filter(|p| *p > 0) {
            Some(points) => {
                Ok(Self { points: points as u32, start: 0.0, sample_rate: 1.0, frames: 0 })
            }
            None => Err(Error::Unfit {
                name: path.display().to_string(),
                what: format!("a point cache of {points} points"),
                remedy: "give it 1 to 2147483647 points",
            }),
        }
    }

    fn bytes(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend_from_slice(&1_i32.to_le_bytes());
        bytes.extend_from_slice(&self.points.to_le_bytes());
        bytes.extend_from_slice(&self.start.to_le_bytes());
        bytes.extend_from_slice(&self.sample_rate.to_le_bytes());
        bytes.extend_from_slice(&self.frames.to_le_bytes());
        bytes
    }

    /// Refuses a frame that cannot follow those that are there.
    fn check_next(&self, path: &Path, frame: &[DVec3]) -> Result<(), Error> {
        let unfit = |what| Error::Unfit {
            name: path.display().to_string(),
            what,
            remedy: "write frames of one cloth, checked to be finite, to one file",
        };
        if frame.len() != self.points as usize {
            let (n, points) = (frame.len(), self.points);
            return Err(unfit(format!("a frame of {n} points for a cache of {points}")));
        }
        if let Some(v) = frame.iter().position(|p| !p.as_vec3().is_finite()) {
            return Err(unfit(format!("point {v} is not finite")));
        }
        if self.frames == i32::MAX as u32 {
            return Err(unfit("the cache is full".into()));
        }
        Ok(())
    }
}

/// Writes a point cache frame by frame.
#[derive(Debug)]
pub struct Pc2Writer {
    path: PathBuf,
    out: BufWriter<File>,
    header: Header,
    /// Whether a frame may have been written in part, so that nothing can follow it.
    is_torn: bool,
}

impl Pc2Writer {
    /// Begins a new file for frames of `points` points; an old file is replaced.
    ///
    /// # Errors
    /// If the file cannot be written, or `points` is zero or more than 2³¹ − 1.
    pub fn create(path: impl AsRef<Path>, points: usize) -> Result<Self, Error> {
        let path = path.as_ref().to_path_buf();
        let header = Header::for_points(&path, points)?;
        let begin = || {
            let mut out = BufWriter::new(File::create(&path)?);
            out.write_all(&header.bytes())?;
            out.flush()?;
            Ok(out)
        };
        let out = begin().map_err(|source| Error::Write { path: path.clone(), source })?;
        Ok(Self { path, out, header, is_torn: false })
    }

    /// Opens a file to append after its first `frames` frames; later ones are cut off.
    ///
    /// Whole frames count even if a crash came before the header could say so.
    ///
    /// # Errors
    /// If the file is not a point cache of `points` points with at least `frames` frames.
    pub fn resume(path: impl AsRef<Path>, points: usize, frames: usize) -> Result<Self, Error> {
        let path = path.as_ref().to_path_buf();
        let name = path.display().to_string();
        let read_error = |source| Error::Read { path: path.clone(), source };
        let write_error = |source| Error::Write { path: path.clone(), source };
        let mut file =
            OpenOptions::new().read(true).write(true).open(&path).map_err(write_error)?;
        let mut header = Header::parse(&read_header(&mut file).map_err(read_error)?, &name)?;
        let length = file.metadata().map_err(read_error)?.len();
        let stored = (length - HEADER) / header.frame_bytes();
        if header.points as usize != points || frames as u64 > stored {
            return Err(Error::Unfit {
                name,
                what: format!(
                    "cannot append after {frames} frames of {points} points: \
                     the file holds {stored} of {}",
                    header.points
                ),
                remedy: "resume from an earlier frame, or start a new file",
            });
        }
        header.frames = frames as u32;
        // The count goes down before the frames go away, so that it is never too high.
        let cut = || {
            write_count(&mut file, header.frames)?;
            file.set_len(HEADER + frames as u64 * header.frame_bytes())?;
            file.seek(SeekFrom::End(0))?;
            Ok(file)
        };
        let out = BufWriter::new(cut().map_err(write_error)?);
        Ok(Self { path, out, header, is_torn: false })
    }

    /// Appends a frame. It is safe on the disk after the next [`Pc2Writer::flush`].
    ///
    /// # Errors
    /// If the file cannot be written, the frame has the wrong number of points, or a point does
    /// not fit in 32-bit floats.
    pub fn append(&mut self, frame: &[DVec3]) -> Result<(), Error> {
        self.header.check_next(&self.path, frame)?;
        if self.is_torn {
            return Err(Error::Unfit {
                name: self.path.display().to_string(),
                what: "an earlier frame could not be written".into(),
                remedy: "make space on the disk and resume the file",
            });
        }
        self.is_torn = true;
        write_points(&mut self.out, frame)
            .map_err(|source| Error::Write { path: self.path.clone(), source })?;
        self.is_torn = false;
        self.header.frames += 1;
        Ok(())
    }

    /// Brings all frames to the disk, then the count in the header.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn flush(&mut self) -> Result<(), Error> {
        let mut flush = || {
            self.out.flush()?;
            let file = self.out.get_mut();
            file.sync_data()?;
            write_count(file, self.header.frames)?;
            file.seek(SeekFrom::End(0))?;
            file.sync_data()
        };
        flush().map_err(|source| Error::Write { path: self.path.clone(), source })
    }

    /// How many frames have been written.
    pub fn frames(&self) -> usize {
        self.header.frames as usize
    }

    /// Flushes and closes the file.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn finish(mut self) -> Result<(), Error> {
        self.flush()
    }
}

/// Writes a point cache with all its frames: the whole file or nothing.
///
/// # Errors
/// As [`Pc2Writer::create`] and [`Pc2Writer::append`]; a file that was there then stays as it is.
pub fn write_file(
    path: impl AsRef<Path>,
    points: usize,
    frames: &[Vec<DVec3>],
) -> Result<(), Error> {
    let path = path.as_ref();
    let mut header = Header::for_points(path, points)?;
    for frame in frames {
        header.check_next(path, frame)?;
        header.frames += 1;
    }
    super::write_atomically(path, |out| {
        out.write_all(&header.bytes())?;
        frames.iter().try_for_each(|frame| write_points(out, frame))
    })
}

/// Writes frames as the contents of a file.
///
/// # Errors
/// If `out` fails, or with [`io::ErrorKind::InvalidInput`] if a frame does not fit.
pub fn write(out: &mut dyn Write, points: usize, frames: &[Vec<DVec3>]) -> io::Result<()> {
    let path = Path::new("the point cache");
    let refuse = |e: Error| super::invalid_input(e.to_string());
    let mut header = Header::for_points(path, points).map_err(refuse)?;
    for frame in frames {
        header.check_next(path, frame).map_err(refuse)?;
        header.frames += 1;
    }
    out.write_all(&header.bytes())?;
    frames.iter().try_for_each(|frame| write_points(out, frame))
}

fn write_points(out: &mut dyn Write, frame: &[DVec3]) -> io::Result<()> {
    for c in frame.iter().flat_map(|p| p.as_vec3().to_array()) {
        out.write_all(&c.to_le_bytes())?;
    }
    Ok(())
}

fn write_count(file: &mut File, frames: u32) -> io::Result<()> {
    file.seek(SeekFrom::Start(COUNT_AT))?;
    file.write_all(&frames.to_le_bytes())
}

/// The header, or as much of it as there is.
fn read_header(source: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    source.take(HEADER).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Reads a point cache frame by frame; also an iterator over the frames that are left.
#[derive(Debug)]
pub struct Pc2Reader<R> {
    source: R,
    name: String,
    header: Header,
    next: u32,
    buffer: Vec<u8>,
}

impl Pc2Reader<BufReader<File>> {
    /// Opens a file.
    ///
    /// # Errors
    /// If it cannot be read, is not a point cache, or is shorter than its header says.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = path.as_ref();
        let file = super::source::open_regular(path)
            .map_err(|source| Error::Read { path: path.to_path_buf(), source })?;
        Self::new(BufReader::new(file), &path.display().to_string())
    }
}

impl<R: Read + Seek> Pc2Reader<R> {
    /// Reads from anything that can be read and sought in; `name` is for error messages.
    ///
    /// # Errors
    /// If it cannot be read, is not a point cache, or is shorter than its header says.
    pub fn new(mut source: R, name: &str) -> Result<Self, Error> {
        let read_error = |source| Error::Read { path: PathBuf::from(name), source };
        let header = Header::parse(&read_header(&mut source).map_err(read_error)?, name)?;
        let length = source.seek(SeekFrom::End(0)).map_err(read_error)?;
        // Both factors are below 2³¹ and a point has 12 bytes: no overflow of 128 bits.
        let needed =
            u128::from(HEADER) + u128::from(header.frame_bytes()) * u128::from(header.frames);
        if u128::from(length) < needed {
            return Err(truncated(name, usize::try_from(length).unwrap_or(usize::MAX)));
        }
        source.seek(SeekFrom::Start(HEADER)).map_err(read_error)?;
        Ok(Self { source, name: name.to_owned(), header, next: 0, buffer: Vec::new() })
    }

    /// The header.
    pub fn header(&self) -> Header {
        self.header
    }

    /// Goes to frame `frame`, which the iterator then yields next.
    ///
    /// # Errors
    /// If there is no such frame.
    pub fn seek(&mut self, frame: usize) -> Result<(), Error> {
        if frame > self.header.frames as usize {
            return Err(Error::Unfit {
                name: self.name.clone(),
                what: format!("there is no frame {frame}, only {}", self.header.frames),
                remedy: "frames count from 0",
            });
        }
        let at = HEADER + frame as u64 * self.header.frame_bytes();
        self.source.seek(SeekFrom::Start(at)).map_err(|e| self.read_error(e))?;
        self.next = frame as u32;
        Ok(())
    }

    fn read_error(&self, source: io::Error) -> Error {
        Error::Read { path: PathBuf::from(&self.name), source }
    }

    fn read_next(&mut self) -> Result<Vec<DVec3>, Error> {
        // The length of the file was checked, so that a frame is no larger than the file.
        self.buffer.resize(self.header.frame_bytes() as usize, 0);
        if let Err(e) = self.source.read_exact(&mut self.buffer) {
            return Err(self.read_error(e));
        }
        let frame = self.next;
        self.next += 1;
        let mut points = Vec::with_capacity(self.header.points as usize);
        for (k, bytes) in self.buffer.chunks_exact(POINT as usize).enumerate() {
            let c = |i: usize| f32::from_le_bytes([0, 1, 2, 3].map(|b| bytes[4 * i + b]));
            let p = Vec3::new(c(0), c(1), c(2)).as_dvec3();
            if !p.is_finite() {
                let at = HEADER + u64::from(frame) * self.header.frame_bytes() + k as u64 * POINT;
                let what = format!("point {k} of frame {frame} is not finite");
                let remedy = "stop reading before this frame, or simulate it again";
                let at = usize::try_from(at).unwrap_or(usize::MAX);
                return Err(Cursor::new(&[], &self.name).error(at, what, remedy));
            }
            points.push(p);
        }
        Ok(points)
    }
}

impl<R: Read + Seek> Iterator for Pc2Reader<R> {
    type Item = Result<Vec<DVec3>, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        (self.next < self.header.frames).then(|| {
            let frame = self.read_next();
            if frame.is_err() {
                // Nothing sensible can follow.
                self.next = self.header.frames;
            }
            frame
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(k: usize) -> Vec<DVec3> {
        (0..3).map(|i| DVec3::new(k as f64, i as f64, 0.25)).collect()
    }

    fn read_all(path: &Path) -> Vec<Vec<DVec3>> {
        Pc2Reader::open(path).unwrap().map(Result::unwrap).collect()
    }

    fn write(path: &Path, frames: usize) {
        let mut writer = Pc2Writer::create(path, 3).unwrap();
        (0..frames).for_each(|k| writer.append(&frame(k)).unwrap());
        writer.finish().unwrap();
    }

    #[test]
    fn the_bytes_are_those_of_the_format() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.pc2");
        write(&path, 2);
        let bytes = std::fs::read(&path).unwrap();
        assert_eq!(bytes.len(), 32 + 2 * 3 * 12);
        assert_eq!(&bytes[..16], b"POINTCACHE2\0\x01\0\0\0");
        assert_eq!(&bytes[16..32], b"\x03\0\0\0\0\0\0\0\0\0\x80\x3f\x02\0\0\0");
        assert_eq!(&bytes[40..44], &0.25_f32.to_le_bytes());
    }

    #[test]
    fn frames_come_back_and_can_be_sought() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.pc2");
        write(&path, 5);
        assert_eq!(read_all(&path), (0..5).map(frame).collect::<Vec<_>>());
        let mut reader = Pc2Reader::open(&path).unwrap();
        reader.seek(3).unwrap();
        assert_eq!(reader.next().unwrap().unwrap(), frame(3));
        assert!(reader.seek(6).is_err());
    }

    #[test]
    fn the_header_counts_only_what_was_flushed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.pc2");
        let mut writer = Pc2Writer::create(&path, 3).unwrap();
        assert!(read_all(&path).is_empty());
        writer.append(&frame(0)).unwrap();
        writer.flush().unwrap();
        writer.append(&frame(1)).unwrap();
        // As after a crash: the second frame is perhaps there, perhaps not.
        assert_eq!(read_all(&path), [frame(0)]);
        writer.append(&frame(2)).unwrap();
        writer.flush().unwrap();
        assert_eq!(read_all(&path), [frame(0), frame(1), frame(2)]);
    }

    #[test]
    fn a_run_goes_on_from_any_frame() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.pc2");
        write(&path, 5);
        // A torn frame at the end, as a crash leaves it.
        let mut file = OpenOptions::new().append(true).open(&path).unwrap();
        file.write_all(&[1; 17]).unwrap();
        let mut writer = Pc2Writer::resume(&path, 3, 2).unwrap();
        assert_eq!(read_all(&path).len(), 2);
        writer.append(&frame(7)).unwrap();
        writer.finish().unwrap();
        assert_eq!(read_all(&path), [frame(0), frame(1), frame(7)]);
        assert_eq!(std::fs::metadata(&path).unwrap().len(), 32 + 3 * 36);
        assert!(Pc2Writer::resume(&path, 3, 4).is_err());
        assert!(Pc2Writer::resume(&path, 4, 1).is_err());
    }

    #[test]
    fn unfit_frames_are_refused_and_leave_no_trace() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.pc2");
        let mut writer = Pc2Writer::create(&path, 3).unwrap();
        assert!(writer.append(&[DVec3::ZERO]).is_err());
        assert!(writer.append(&[DVec3::NAN; 3]).is_err());
        assert!(writer.append(&[DVec3::splat(1e39); 3]).is_err());
        writer.finish().unwrap();
        assert!(read_all(&path).is_empty());
        assert!(Pc2Writer::create(folder.path().join("b.pc2"), 0).is_err());
    }

    #[test]
    fn messages_name_file_byte_and_remedy() {
        let message = |bytes: &[u8]| match Pc2Reader::new(io::Cursor::new(bytes), "t.pc2") {
            Ok(mut reader) => reader.find_map(Result::err).unwrap().to_string(),
            Err(e) => e.to_string(),
        };
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.pc2");
        write(&path, 2);
        let good = std::fs::read(&path).unwrap();
        assert_eq!(
            message(b"OBJ"),
            "t.pc2 at byte 0: this is not a point cache; \
             a PC2 file begins with POINTCACHE2; check the extension"
        );
        let cut_off = "the file ends too early; it was cut off: copy or export it again";
        for n in 0..good.len() {
            assert_eq!(message(&good[..n]), format!("t.pc2 at byte {n}: {cut_off}"));
        }
        let mut nan = good.clone();
        nan[68 + 12..][..4].copy_from_slice(&f32::NAN.to_le_bytes());
        assert_eq!(
            message(&nan),
            "t.pc2 at byte 80: point 1 of frame 1 is not finite; \
             stop reading before this frame, or simulate it again"
        );
        for (at, value) in [(12, 2), (16, 0), (16, -1), (16, i32::MAX), (28, -1), (28, i32::MAX)] {
            let mut bad = good.clone();
            bad[at..at + 4].copy_from_slice(&i32::to_le_bytes(value));
            assert!(message(&bad).starts_with("t.pc2 at byte "), "{at} {value}");
        }
    }
}
