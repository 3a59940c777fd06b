//! The set of a shot: cameras, surfaces and light of each moment, and what is behind them.

use super::pose::{Pose, Poses};
use super::set::hung;
use super::subject::Subject;
use super::view::Frame;
use super::{Behind, Catcher, Drawn, SIZE, Set, Shot, View, Wardrobe, failed, sewn, sheet_tile};
use crate::error::Error;
use glam::DVec3;
use std::sync::Arc;
use toile_mesh::TriMesh;
use toile_render::compose::{Photograph, cut_out};
use toile_render::light::ies::Luminaire;
use toile_render::path::{Background, Buffers, Lens, Material, Scene, Surface};
use toile_render::tone::{Exposure, Eye};
use toile_render::{Image, srgb};

/// Edges of bodies that bend more than this are sharp [rad].
const CREASE: f64 = 0.7;
/// Body under cloth keeps this far away [m], where it is nearer than the first.
const RECEDE: [f64; 2] = [0.02, 0.003];
/// Frames per second of turntables.
const TURNTABLE_FPS: f64 = 12.0;

/// Draws the views of a shot.
pub(super) struct Studio<'a> {
    shot: &'a Shot,
    subject: &'a Subject,
    wardrobe: &'a Wardrobe,
    set: Set,
    /// Cameras of the shot's file.
    poses: Option<Poses>,
    photograph: Option<Photograph>,
    luminaires: Vec<(Arc<Luminaire>, Option<DVec3>)>,
}

/// A moment, seen from somewhere.
#[derive(Clone, Copy)]
struct Exposed {
    frame: Option<usize>,
    pose: Pose,
    size: [u32; 2],
}

impl<'a> Studio<'a> {
    /// Reads what the shot names besides its inputs.
    pub(super) fn new(
        shot: &'a Shot,
        subject: &'a Subject,
        wardrobe: &'a Wardrobe,
        set: Set,
    ) -> Result<Self, Error> {
        let poses = shot.camera.as_deref().map(Poses::read).transpose()?;
        if poses.is_some() && (shot.turntable > 0 || shot.view == View::Sheet) {
            let message = "a camera from a file has one view";
            return Err(Error::request(message, "omit --turntable and --view sheet"));
        }
        let photograph = match &shot.behind {
            Behind::Photograph(path) => {
                let bytes = toile_mesh::io::read_file(path)?;
                let read = Photograph::read(&bytes, &path.display().to_string());
                let help = "give a .png, .hdr or .exr";
                Some(read.map_err(|e| Error::request(e.to_string(), help))?)
            }
            _ => None,
        };
        let mut luminaires = Vec::new();
        for hung in &shot.luminaires {
            let bytes = toile_mesh::io::read_file(&hung.file)?;
            let read = Luminaire::read(&bytes, &hung.file.display().to_string());
            let help = "give a photometric file (.ies)";
            let read = read.map_err(|e| Error::request(e.to_string(), help))?;
            luminaires.push((Arc::new(read), hung.place.map(DVec3::from)));
        }
        Ok(Self { shot, subject, wardrobe, set, poses, photograph, luminaires })
    }

    pub(super) fn draw(&self, tell: &(impl Fn(f64) -> bool + Sync)) -> Result<Drawn, Error> {
        let shots = self.exposures()?;
        let count = shots.len();
        let (mut images, mut last) = (Vec::new(), None);
        let mut prepared: Option<(Option<usize>, Prepared)> = None;
        // In an animation the eye follows the light with a delay.
        let (mut eye, step) = (Eye::default(), 1.0 / self.fps().max(1.0) as f32);
        let mut photograph: Option<Photograph> = None;
        for (k, exposed) in shots.into_iter().enumerate() {
            if prepared.as_ref().is_none_or(|(frame, _)| *frame != exposed.frame) {
                prepared = Some((exposed.frame, self.prepare(exposed.frame)?));
            }
            let Some((_, ready)) = &prepared else { continue };
            let part = |share: f64| tell((k as f64 + share) / count as f64);
            let buffers = self.trace(ready, &exposed, &part)?;
            let exposure = match self.shot.options.exposure {
                Exposure::Auto if self.is_film() => eye.look(&buffers.colour, step),
                own => own,
            };
            if let (None, Some(read)) = (&photograph, &self.photograph) {
                let [w, h] = exposed.size;
                photograph = Some(read.resized(w, h).map_err(failed)?);
            }
            images.push(self.develop(&buffers, exposure, photograph.as_ref())?);
            last = Some(buffers);
        }
        let (is_sheet, is_film) = (self.shot.view == View::Sheet, self.is_film());
        if is_sheet && !is_film {
            let sheet = Image::contact_sheet(&images, images.len()).map_err(failed)?;
            images = vec![sheet];
        }
        let buffers = last.filter(|_| count == 1);
        Ok(Drawn { images, buffers, fps: self.fps(), notes: Vec::new() })
    }

    /// Display light, over what is behind.
    fn develop(
        &self,
        buffers: &Buffers,
        exposure: Exposure,
        photograph: Option<&Photograph>,
    ) -> Result<Image, Error> {
        let options = &self.shot.options;
        match (&self.shot.behind, photograph) {
            (_, Some(photograph)) => {
                photograph.under(buffers, options.denoise, options.tone, exposure).map_err(failed)
            }
            (Behind::Nothing, _) => {
                cut_out(buffers, options.denoise, options.tone, exposure).map_err(failed)
            }
            _ => options.develop_as(buffers, exposure),
        }
    }

    fn fps(&self) -> f64 {
        if self.shot.turntable > 0 { TURNTABLE_FPS } else { self.subject.fps }
    }

    fn is_film(&self) -> bool {
        self.shot.turntable > 0 || self.shot.animate
    }

    /// All views that are drawn.
    fn exposures(&self) -> Result<Vec<Exposed>, Error> {
        let shot = self.shot;
        let cloth = self.subject.at(shot.frame);
        let nothing = || Error::Picture("there is nothing to see".into());
        if cloth.triangles.is_empty() {
            return Err(nothing());
        }
        if let Some(k) = shot.frame.filter(|k| *k >= self.subject.frames.len().max(1)) {
            let message = format!("there is no frame {k}");
            let help = format!("there are {}, counted from 0", self.subject.frames.len().max(1));
            return Err(Error::request(message, help));
        }
        let frame = Frame::new(&cloth.positions).ok_or_else(nothing)?;
        let seen = |camera| Pose { camera, shift: [0.0; 2] };
        let still = |camera, size| Exposed { frame: shot.frame, pose: seen(camera), size };
        let usual = self.photograph.as_ref().map_or(SIZE, Photograph::size);
        let size = shot.options.size.unwrap_or(usual);
        if let Some(poses) = &self.poses {
            let at = |frame| Ok(Exposed { frame, pose: poses.of(frame)?, size });
            if shot.animate {
                return (0..self.subject.frames.len()).map(|k| at(Some(k))).collect();
            }
            return Ok(vec![at(shot.frame)?]);
        }
        let aspect = |[w, h]: [u32; 2]| f64::from(w.max(1)) / f64::from(h.max(1));
        match shot.view {
            View::Sheet if self.is_film() => {
                Err(Error::request("an animation has one view", "take another --view than sheet"))
            }
            View::Sheet => {
                let tile = sheet_tile(shot.options.size, frame.sheet_aspect());
                Ok(frame.sheet(aspect(tile)).into_iter().map(|c| still(c, tile)).collect())
            }
            View::Orbit { azimuth, elevation } if shot.turntable > 0 => {
                let n = shot.turntable;
                let turn = |k: u32| azimuth + 360.0 * f64::from(k) / f64::from(n);
                let azimuths: Vec<f64> = (0..n).map(turn).collect();
                let cameras = frame.cameras(&azimuths, elevation, aspect(size));
                Ok(cameras.into_iter().map(|c| still(c, size)).collect())
            }
            View::Orbit { azimuth, elevation } if shot.animate => {
                let all: Vec<DVec3> = self.subject.frames.iter().flatten().copied().collect();
                let frame = Frame::new(&all).unwrap_or(frame);
                let camera = frame.camera(azimuth, elevation, aspect(size));
                let at = |k: usize| Exposed { frame: Some(k), ..still(camera, size) };
                Ok((0..self.subject.frames.len()).map(at).collect())
            }
            View::Orbit { azimuth, elevation } => {
                Ok(vec![still(frame.camera(azimuth, elevation, aspect(size)), size)])
            }
        }
    }

    /// Surfaces of a moment.
    fn prepare(&self, frame: Option<usize>) -> Result<Prepared, Error> {
        let cloth = self.subject.at(frame);
        let pieces = sewn::pieces(&cloth, &self.subject.parts, self.wardrobe)?;
        let ends = match self.moved(frame) {
            Some(later) => {
                let later = sewn::pieces(&later, &self.subject.parts, self.wardrobe)?;
                // What has other vertices by then, such as one more stitch, stands still.
                let end = |(k, piece): (usize, &sewn::Piece)| {
                    let end = later.get(k).map(|l| l.mesh.positions.clone());
                    end.filter(|e| e.len() == piece.mesh.positions.len())
                };
                pieces.iter().enumerate().map(end).collect()
            }
            None => vec![None; pieces.len()],
        };
        let covering = toile_render::detail::Cloth::new(&cloth);
        let bodies = self.subject.bodies.iter().filter(|_| self.shot.with_body);
        let bodies = bodies.map(|b| covering.receded(b, RECEDE[0], RECEDE[1])).collect();
        Ok(Prepared { pieces, ends, bodies })
    }

    /// The cloth when the shutter closes, if it moves before.
    fn moved(&self, frame: Option<usize>) -> Option<TriMesh> {
        let share = self.shot.shutter;
        let frames = &self.subject.frames;
        let k = frame.or(frames.len().checked_sub(1))?;
        let now = frames.get(k).filter(|_| share > 0.0)?;
        // The last frame moves on as it did before.
        let (from, to) = match (frames.get(k + 1), k.checked_sub(1).and_then(|j| frames.get(j))) {
            (Some(next), _) => (now, next),
            (None, Some(before)) => (before, now),
            (None, None) => return None,
        };
        let go = |((x, a), b): ((&DVec3, &DVec3), &DVec3)| *x + (*b - *a) * share;
        let positions = now.iter().zip(from).zip(to).map(go).collect();
        Some(TriMesh { positions, ..self.subject.cloth.clone() })
    }

    /// Height of the ground, if there is one.
    fn ground(&self, ready: &Prepared) -> Option<f64> {
        match self.shot.catcher {
            Some(Catcher::At(height)) => Some(height),
            Some(Catcher::Lowest) => {
                let cloth = ready.pieces.iter().map(|p| &p.mesh);
                let all = cloth.chain(&ready.bodies).filter_map(TriMesh::bounds);
                let lowest = all.map(|(lo, _)| lo.y).fold(f64::INFINITY, f64::min);
                self.subject.ground.or(Some(lowest)).filter(|y| y.is_finite())
            }
            None => self.subject.ground.filter(|_| self.shot.with_body),
        }
    }

    fn trace(
        &self,
        ready: &Prepared,
        exposed: &Exposed,
        tell: &(impl Fn(f64) -> bool + Sync),
    ) -> Result<Buffers, Error> {
        let mut scene = Scene::studio(exposed.pose.camera);
        if !self.set.turns {
            scene.environment = self.set.environment.clone();
        }
        scene.lamps.extend(self.set.sun.clone());
        match self.shot.behind {
            Behind::Paper => {}
            Behind::Environment => scene.background = Background::Environment,
            Behind::Nothing | Behind::Photograph(_) => scene.background = Background::Nothing,
        }
        // A camera from a file need not look at the garment: its middle is sharp all the same.
        let middle = Frame::new(ready.pieces.first().map_or(&[], |p| &p.mesh.positions));
        if let Some(target) = middle.as_ref().map(Frame::centre) {
            let side = (exposed.pose.camera.eye - target) * DVec3::new(1.0, 0.0, 1.0);
            let usual = target + side.normalize_or(DVec3::Z) * 1.2 + DVec3::Y * 1.6;
            for (luminaire, place) in &self.luminaires {
                scene.lamps.push(hung(luminaire, place.unwrap_or(usual), target));
            }
        }
        let focus = middle.map(|m| m.depth(&exposed.pose.camera)).filter(|d| *d > 0.0);
        let focus = self.shot.focus.or(focus.filter(|_| self.poses.is_some()));
        let shift = exposed.pose.shift;
        scene.lens = Lens { aperture: self.shot.aperture, focus, shift, ..Lens::default() };
        for (piece, end) in ready.pieces.iter().zip(&ready.ends) {
            let surface = Surface::new(&piece.mesh, piece.material.clone());
            scene = scene.with(Surface { end: end.as_deref(), ..surface });
        }
        for body in &ready.bodies {
            scene = scene.with(Surface::new(body, mannequin()).with_crease(CREASE));
        }
        if let Some(y) = self.ground(ready) {
            scene = scene.with_floor(y);
        }
        self.shot.options.trace(&scene, exposed.size, tell)
    }
}

/// Surfaces of a moment.
struct Prepared {
    pieces: Vec<sewn::Piece>,
    /// Where their vertices are when the shutter closes.
    ends: Vec<Option<Vec<DVec3>>>,
    bodies: Vec<TriMesh>,
}

/// The paint of mannequins: warm grey, dull.
fn mannequin() -> Material {
    Material::Lacquer { colour: srgb(0xcfc6bb), roughness: 0.55, ior: 1.45 }
}
