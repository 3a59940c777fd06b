//! Mannequins and characters that move, as bodies that cloth meets.

use super::character::Character;
use super::room::{Room, SelfContact, Surface};
use crate::error::Error;
use glam::DVec3;
use serde::Serialize;
use std::fmt;
use std::path::Path;
use std::sync::Arc;
use toile_body::motion::{Clip, Performance, Recording, Rig, Skinning, Source, Stance};
use toile_mesh::TriMesh;
use toile_sim::{Deform, Deformation};

/// A motion by its name or file, as an order or a scene names it.
#[derive(Clone, Debug, PartialEq)]
pub struct MotionOrder {
    /// The name of a built-in clip, or the path of a BVH file.
    pub motion: String,
    /// Speed of a walk [m/s]; that of the clip if not given.
    pub speed: Option<f64>,
    /// How much of the clip [s], without the time from the pose of the fitting; all of it if not given, 4 s of one without an end.
    pub duration: Option<f64>,
    /// How the skin follows the bones.
    pub skinning: Skinning,
    /// Instead of a clip: where the way from the pose of the fitting ends. What is worn then comes to rest.
    pub stance: Option<Stance>,
}

/// How much of a clip without an end, if nothing is said [s].
const USUAL_DURATION: f64 = 4.0;

/// Longest time to come to rest in a pose [s].
const REST: f64 = 6.0;

/// Longest clip [s].
const MAX_DURATION: f64 = 600.0;

impl MotionOrder {
    /// A built-in clip or a file, all of it.
    pub fn new(motion: impl Into<String>) -> Self {
        Self {
            motion: motion.into(),
            speed: None,
            duration: None,
            skinning: Skinning::default(),
            stance: None,
        }
    }

    /// From the pose of the fitting to another, and rest there.
    pub fn to(stance: Stance) -> Self {
        Self { stance: Some(stance), duration: Some(REST), ..Self::new(stance.name()) }
    }

    /// The clip on a rig; of a file also what was found out about it.
    ///
    /// # Errors
    /// If there is no such clip, or its file cannot be used.
    pub fn clip(&self, rig: &Rig) -> Result<(Clip, Option<Source>), Error> {
        if let Some(stance) = self.stance {
            return Ok((Clip::Pose(stance), None));
        }
        let built_in = Clip::of_name(&self.motion);
        if self.speed.is_some() && !matches!(built_in, Some(Clip::Walk(_))) {
            let message = format!("`{}` has no speed", self.motion);
            return Err(Error::request(message, "omit the speed, or use walk"));
        }
        if let Some(clip) = built_in {
            return Ok((self.speed.map_or(Ok(clip.clone()), |v| clip.at_speed(v))?, None));
        }
        if !self.motion.to_lowercase().ends_with(".bvh") {
            let message = format!("there is no motion `{}`", self.motion);
            let help = format!("there are {}, and files *.bvh", Clip::NAMES.join(", "));
            return Err(Error::request(message, help));
        }
        let bvh = super::read_bvh(Path::new(&self.motion))?;
        let recording = Recording::new(&bvh, rig)?;
        let source = recording.source().clone();
        Ok((Clip::Recorded(Box::new(recording)), Some(source)))
    }
}

/// A mannequin that performs a clip from the pose of the fitting on, or a character of a file. Where it touches itself its skin recedes, so that
/// cloth has room.
pub struct MovingBody {
    performer: Performer,
    room: Room,
    /// From the start to the end of the clip [s].
    duration: f64,
    contact: SelfContact,
    source: Option<Source>,
}

/// Who moves.
enum Performer {
    Mannequin(Box<Performance>),
    Character(Box<Character>),
}

impl Performer {
    /// The skin at a time, before any of it recedes.
    fn positions(&self, time: f64) -> Vec<DVec3> {
        match self {
            Self::Mannequin(performance) => performance.positions(time),
            Self::Character(character) => character.positions(time),
        }
    }

    /// When the clip begins [s].
    fn clip_start(&self) -> f64 {
        match self {
            Self::Mannequin(performance) => performance.clip_start(),
            Self::Character(character) => character.clip_start(),
        }
    }
}

/// What is said of a motion in a report.
#[derive(Clone, Debug, Serialize)]
pub struct MotionReport {
    /// The clip or its file.
    pub motion: String,
    /// When the clip begins, after the way from the pose of the fitting [s].
    pub clip_start: f64,
    /// How much of the clip there is [s].
    pub clip_duration: f64,
    /// Of a file that has times of its own, what they are less than those of the run, from a quarter of a second after the start of the clip on [s].
    pub file_time: Option<f64>,
    /// Length of a step [s].
    pub step: f64,
    /// Where the body touches itself and its skin recedes.
    pub self_contact: SelfContact,
    /// Of a file, what was found out about it.
    pub source: Option<Source>,
}

impl MovingBody {
    /// Looks through the motion on a rig.
    ///
    /// # Errors
    /// If there is no such motion, or it leaves cloth no room.
    pub fn new(rig: &Rig, order: &MotionOrder) -> Result<Self, Error> {
        let (clip, source) = order.clip(rig)?;
        let wanted = order.duration.or(clip.duration()).unwrap_or(USUAL_DURATION);
        if !(wanted > 0.0 && wanted <= MAX_DURATION) {
            let help = format!("give a number of seconds above zero, up to {MAX_DURATION}");
            return Err(Error::request(format!("a motion cannot last {wanted} s"), help));
        }
        let performance = Performance::new(rig, clip, order.skinning);
        let duration = performance.clip_start() + wanted;
        let surface = Surface::of_rig(rig);
        let (room, contact) = Room::of(&surface, |t| performance.positions(t), duration)?;
        let performer = Performer::Mannequin(Box::new(performance));
        Ok(Self { performer, room, duration, contact, source })
    }

    /// Looks through the motion of a character that is dressed as `body`.
    ///
    /// # Errors
    /// If the duration makes no sense, or the motion leaves cloth no room.
    pub(crate) fn of_character(
        character: Character,
        body: &TriMesh,
        duration: Option<f64>,
    ) -> Result<Self, Error> {
        let wanted = duration.unwrap_or_else(|| character.duration());
        if !(wanted > 0.0 && wanted <= MAX_DURATION) {
            let help = format!("give a number of seconds above zero, up to {MAX_DURATION}");
            return Err(Error::request(format!("a motion cannot last {wanted} s"), help));
        }
        let duration = character.clip_start() + wanted;
        let surface = character.surface(body);
        let (room, contact) = Room::of(&surface, |t| character.positions(t), duration)?;
        let performer = Performer::Character(Box::new(character));
        Ok(Self { performer, room, duration, contact, source: None })
    }

    /// From the pose of the fitting to the end of the clip [s].
    pub fn duration(&self) -> f64 {
        self.duration
    }

    /// The skin at a time [s].
    pub fn positions(&self, time: f64) -> Vec<DVec3> {
        let mut x = self.performer.positions(time);
        self.room.recede(time, &mut x);
        x
    }

    /// When the clip begins [s].
    pub fn clip_start(&self) -> f64 {
        self.performer.clip_start()
    }

    /// Where it touches itself.
    pub fn self_contact(&self) -> &SelfContact {
        &self.contact
    }

    /// What is to be said of it.
    pub fn report(&self, motion: &str, step: f64) -> MotionReport {
        let clip_start = self.clip_start();
        let file_time = match &self.performer {
            Performer::Mannequin(_) => None,
            Performer::Character(character) => Some(clip_start - character.begin()),
        };
        MotionReport {
            motion: motion.to_owned(),
            clip_start,
            clip_duration: self.duration - clip_start,
            file_time,
            step,
            self_contact: self.contact.clone(),
            source: self.source.clone(),
        }
    }

    /// As a solver takes it.
    pub fn deformation(self: &Arc<Self>) -> Deformation {
        Deformation::new(Arc::clone(self) as Arc<dyn Deform>)
    }
}

impl fmt::Debug for MovingBody {
    /// All that decides where the skin is, given the rig.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.performer {
            Performer::Mannequin(performance) => {
                let (clip, skinning) = (performance.clip(), performance.skinning());
                write!(f, "MovingBody({clip:?}, {skinning:?}, {:?})", self.contact)
            }
            Performer::Character(character) => {
                let end = self.positions(self.duration);
                write!(f, "MovingBody({character:?}, {end:?}, {:?})", self.contact)
            }
        }
    }
}

impl Deform for MovingBody {
    fn place(&self, time: f64, vertices: &mut [DVec3]) {
        vertices.copy_from_slice(&self.positions(time));
    }
}
