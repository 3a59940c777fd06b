//! BVH files: a hierarchy of joints, and their channels frame by frame.
//!
//! The rotation of a joint is the product of its channels in the order of the file, X = R₁ R₂ R₃, against axes that are those of the
//! world when all angles are zero. Numbers and memory are bounded by the file and by the limits below.

use super::rig::{Posture, Rig};
use super::rotation::about;
use crate::error::Error;
use crate::skeleton::Bone;
use glam::{DQuat, DVec3, EulerRot};
use std::fmt::Write;

/// Most joints.
const MAX_JOINTS: usize = 1024;

/// Most frames.
const MAX_FRAMES: usize = 200_000;

/// Most numbers of all frames.
const MAX_VALUES: usize = 1 << 25;

/// Longest time of a frame [s].
const MAX_FRAME_TIME: f64 = 10.0;

/// Largest number: beyond, it is no motion in any unit.
const MAX_NUMBER: f64 = 1e7;

/// What a number of a frame moves: axis 0, 1, 2 is x, y, z.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Channel {
    /// Along an axis, in the unit of the file.
    Position(usize),
    /// About an axis, in degrees.
    Rotation(usize),
}

impl Channel {
    fn parse(word: &str) -> Option<Self> {
        let word = word.to_ascii_lowercase();
        let axis = ["x", "y", "z"].iter().position(|a| word.starts_with(a))?;
        match &word[1..] {
            "position" => Some(Self::Position(axis)),
            "rotation" => Some(Self::Rotation(axis)),
            _ => None,
        }
    }

    fn name(self) -> String {
        match self {
            Self::Position(axis) => format!("{}position", ["X", "Y", "Z"][axis]),
            Self::Rotation(axis) => format!("{}rotation", ["X", "Y", "Z"][axis]),
        }
    }
}

/// A joint.
#[derive(Clone, Debug, PartialEq)]
pub struct Joint {
    /// What it is called.
    pub name: String,
    /// The joint that carries it, which comes before it.
    pub parent: Option<usize>,
    /// Where it is from its parent, in the unit of the file.
    pub offset: DVec3,
    /// Its end site, if it has one, from the joint.
    pub end: Option<DVec3>,
    /// Its channels.
    pub channels: Vec<Channel>,
    /// The place of its first number in a frame.
    first: usize,
}

/// A file.
#[derive(Clone, Debug, PartialEq)]
pub struct Bvh {
    /// What the file is called, for messages.
    pub name: String,
    /// Joints, parents first.
    pub joints: Vec<Joint>,
    /// Time from one frame to the next [s].
    pub frame_time: f64,
    /// Numbers of a frame.
    width: usize,
    values: Vec<f64>,
}

/// How a joint stands in a frame, against its parent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Local {
    pub(super) offset: DVec3,
    pub(super) turn: DQuat,
}

impl Bvh {
    /// Reads a file; `name` is for messages.
    ///
    /// # Errors
    /// If it breaks the rules of the format or a limit, with the line.
    pub fn parse(text: &str, name: &str) -> Result<Self, Error> {
        let mut reader = Reader::new(text, name);
        reader.expect("HIERARCHY")?;
        let joints = reader.hierarchy()?;
        let width = joints.iter().map(|j| j.channels.len()).sum();
        reader.frames(joints, width)
    }

    /// How many frames there are.
    pub fn frame_count(&self) -> usize {
        self.values.len() / self.width.max(1)
    }

    /// How a joint stands in a frame.
    pub(super) fn local(&self, joint: usize, frame: usize) -> Local {
        let joint = &self.joints[joint];
        let mut local = Local { offset: joint.offset, turn: DQuat::IDENTITY };
        let numbers = &self.values[frame * self.width + joint.first..];
        for (channel, value) in joint.channels.iter().zip(numbers) {
            match channel {
                // A position takes the place of the offset.
                Channel::Position(axis) => local.offset[*axis] = *value,
                Channel::Rotation(axis) => {
                    local.turn *= about(DVec3::AXES[*axis], value.to_radians());
                }
            }
        }
        local
    }

    /// The text of a file of a rig and its postures; lengths are in metres.
    ///
    /// # Errors
    /// If there is no posture, or the file could not be read again.
    pub fn write(rig: &Rig, postures: &[Posture], frame_time: f64) -> Result<String, Error> {
        let joints = joints_of(rig);
        let mut text = String::from("HIERARCHY\n");
        write_joint(&mut text, &joints, 0, 0);
        let _ = writeln!(text, "MOTION\nFrames: {}\nFrame Time: {frame_time:?}", postures.len());
        let pelvis = rig.skeleton.bone(Bone::Pelvis).joint;
        for posture in postures {
            let root = pelvis + posture.root;
            let turns = posture.turns.iter().flat_map(|q| {
                let (z, x, y) = q.to_euler(EulerRot::ZXY);
                [z, x, y].map(f64::to_degrees)
            });
            let numbers = root.to_array().into_iter().chain(turns);
            let numbers: Vec<String> = numbers.map(|v| format!("{v:?}")).collect();
            text.push_str(&numbers.join(" "));
            text.push('\n');
        }
        Self::parse(&text, "the motion").map(|_| text)
    }
}

/// The bones of a rig as joints with three rotations, z, x, y; the root also has positions.
fn joints_of(rig: &Rig) -> Vec<Joint> {
    let joint = |bone: Bone| {
        let place = rig.skeleton.bone(bone);
        let parent = bone.parent();
        let from = parent.map_or(DVec3::ZERO, |p| rig.skeleton.bone(p).joint);
        let mut channels = [2, 0, 1].map(Channel::Rotation).to_vec();
        if parent.is_none() {
            channels.splice(0..0, [0, 1, 2].map(Channel::Position));
        }
        let is_end = Bone::ALL.into_iter().all(|b| b.parent() != Some(bone));
        Joint {
            name: if parent.is_none() { "Hips".into() } else { format!("{bone:?}") },
            parent: parent.map(|p| p as usize),
            offset: place.joint - from,
            end: is_end.then_some(place.end - place.joint),
            channels,
            first: 0,
        }
    };
    Bone::ALL.into_iter().map(joint).collect()
}

fn write_joint(text: &mut String, joints: &[Joint], k: usize, depth: usize) {
    let Some(joint) = joints.get(k) else { return };
    let tab = "  ".repeat(depth);
    let vector = |v: DVec3| format!("{:?} {:?} {:?}", v.x, v.y, v.z);
    let kind = if joint.parent.is_none() { "ROOT" } else { "JOINT" };
    let channels: Vec<String> = joint.channels.iter().map(|c| c.name()).collect();
    let _ = writeln!(
        text,
        "{tab}{kind} {}\n{tab}{{\n{tab}  OFFSET {}\n{tab}  CHANNELS {} {}",
        joint.name,
        vector(joint.offset),
        channels.len(),
        channels.join(" ")
    );
    for child in (k + 1..joints.len()).filter(|c| joints[*c].parent == Some(k)) {
        write_joint(text, joints, child, depth + 1);
    }
    if let Some(end) = joint.end {
        let _ = writeln!(
            text,
            "{tab}  End Site\n{tab}  {{\n{tab}    OFFSET {}\n{tab}  }}",
            vector(end)
        );
    }
    let _ = writeln!(text, "{tab}}}");
}

/// A word and the line it is in, counted from 1.
#[derive(Clone, Copy)]
struct Word<'a> {
    text: &'a str,
    line: usize,
}

/// Words one after the other.
struct Reader<'a> {
    words: std::iter::Peekable<Box<Words<'a>>>,
    name: &'a str,
    line: usize,
}

/// An iterator over the words of a text.
struct Words<'a> {
    lines: std::iter::Enumerate<std::str::Lines<'a>>,
    current: std::str::SplitWhitespace<'a>,
    line: usize,
}

impl<'a> Iterator for Words<'a> {
    type Item = Word<'a>;

    fn next(&mut self) -> Option<Word<'a>> {
        loop {
            if let Some(text) = self.current.next() {
                return Some(Word { text, line: self.line });
            }
            let (k, line) = self.lines.next()?;
            (self.current, self.line) = (line.split_whitespace(), k + 1);
        }
    }
}

impl<'a> Reader<'a> {
    fn new(text: &'a str, name: &'a str) -> Self {
        let current = "".split_whitespace();
        let words = Words { lines: text.lines().enumerate(), current, line: 0 };
        Self { words: Box::new(words).peekable(), name, line: 1 }
    }

    fn error(&self, what: impl std::fmt::Display) -> Error {
        Error::Motion {
            name: self.name.into(),
            what: format!("line {}: {what}", self.line),
            help: "export the motion again as BVH",
        }
    }

    fn next(&mut self) -> Result<&'a str, Error> {
        match self.words.next() {
            Some(word) => {
                self.line = word.line;
                Ok(word.text)
            }
            None => Err(self.error("the file ends here, in the middle")),
        }
    }

    fn expect(&mut self, wanted: &str) -> Result<(), Error> {
        let word = self.next()?;
        if word.eq_ignore_ascii_case(wanted) {
            return Ok(());
        }
        Err(self.error(format!("`{}` where {wanted} is needed", shortened(word))))
    }

    fn number(&mut self) -> Result<f64, Error> {
        let word = self.next()?;
        let value = word.parse().unwrap_or(f64::NAN);
        if f64::abs(value) <= MAX_NUMBER {
            return Ok(value);
        }
        Err(self.error(format!("`{}` is no number of a motion", shortened(word))))
    }

    fn count(&mut self, what: &str, most: usize) -> Result<usize, Error> {
        let word = self.next()?;
        match word.parse::<usize>() {
            Ok(n) if n <= most => Ok(n),
            Ok(n) => Err(self.error(format!("{n} {what}; {most} are the most"))),
            Err(_) => Err(self.error(format!("`{}` is no number of {what}", shortened(word)))),
        }
    }

    fn vector(&mut self) -> Result<DVec3, Error> {
        Ok(DVec3::new(self.number()?, self.number()?, self.number()?))
    }

    /// The rest of the line up to the brace: names may have spaces.
    fn joint_name(&mut self) -> Result<String, Error> {
        let mut name = String::new();
        while self.words.peek().is_some_and(|w| w.line == self.line && w.text != "{") {
            if !name.is_empty() {
                name.push(' ');
            }
            name.push_str(shortened(self.next()?));
        }
        if name.len() > 256 {
            return Err(self.error("a name of more than 256 letters"));
        }
        Ok(name)
    }

    fn hierarchy(&mut self) -> Result<Vec<Joint>, Error> {
        let mut joints: Vec<Joint> = Vec::new();
        let mut open: Vec<usize> = Vec::new();
        let mut width = 0;
        self.expect("ROOT")?;
        self.joint(&mut joints, None)?;
        open.push(0);
        while let Some(current) = open.last().copied() {
            match self.next()?.to_ascii_uppercase().as_str() {
                "OFFSET" => joints[current].offset = self.vector()?,
                "CHANNELS" => {
                    if !joints[current].channels.is_empty() {
                        return Err(self.error("a second list of channels for one joint"));
                    }
                    joints[current].channels = self.channels()?;
                    joints[current].first = width;
                    width += joints[current].channels.len();
                }
                "JOINT" => {
                    self.joint(&mut joints, Some(current))?;
                    open.push(joints.len() - 1);
                }
                "END" => {
                    self.expect("Site")?;
                    // Some exporters name them.
                    let _ = self.joint_name()?;
                    self.expect("{")?;
                    self.expect("OFFSET")?;
                    joints[current].end = Some(self.vector()?);
                    self.expect("}")?;
                }
                "}" => {
                    open.pop();
                }
                other => {
                    let other = shortened(other).to_owned();
                    return Err(self.error(format!("`{other}` is nothing a joint has")));
                }
            }
        }
        Ok(joints)
    }

    fn joint(&mut self, joints: &mut Vec<Joint>, parent: Option<usize>) -> Result<(), Error> {
        if joints.len() == MAX_JOINTS {
            return Err(self.error(format!("more than {MAX_JOINTS} joints")));
        }
        let name = self.joint_name()?;
        self.expect("{")?;
        let (offset, channels) = (DVec3::ZERO, Vec::new());
        joints.push(Joint { name, parent, offset, end: None, channels, first: 0 });
        Ok(())
    }

    fn channels(&mut self) -> Result<Vec<Channel>, Error> {
        let mut channels = Vec::new();
        for _ in 0..self.count("channels of a joint", 6)? {
            let word = self.next()?;
            let Some(channel) = Channel::parse(word) else {
                return Err(self.error(format!("`{}` is no channel", shortened(word))));
            };
            if channels.contains(&channel) {
                return Err(self.error(format!("a joint has `{}` twice", shortened(word))));
            }
            channels.push(channel);
        }
        Ok(channels)
    }

    fn frames(&mut self, joints: Vec<Joint>, width: usize) -> Result<Bvh, Error> {
        self.expect("MOTION")?;
        self.expect("Frames:")?;
        let frames = self.count("frames", MAX_FRAMES)?;
        self.expect("Frame")?;
        self.expect("Time:")?;
        let frame_time = self.number()?;
        if !(frame_time > 1e-5 && frame_time <= MAX_FRAME_TIME) {
            return Err(self.error(format!("{frame_time} s from frame to frame")));
        }
        if frames == 0 || width == 0 {
            return Err(self.error("there is no motion: no frames, or no channels"));
        }
        let (total, work) = (frames * width, frames * width.max(joints.len()));
        if work > MAX_VALUES {
            return Err(self.error(format!(
                "{frames} frames of {} joints; {MAX_VALUES} numbers are the most",
                joints.len()
            )));
        }
        // Memory grows with what the file holds, not with what it says.
        let mut values = Vec::new();
        for _ in 0..total {
            if self.words.peek().is_none() {
                let there = values.len() / width;
                return Err(self.error(format!("the file ends in frame {there} of {frames}")));
            }
            values.push(self.number()?);
        }
        if let Ok(word) = self.next() {
            let word = shortened(word).to_owned();
            return Err(self.error(format!("`{word}` after the last of {frames} frames")));
        }
        Ok(Bvh { name: self.name.into(), joints, frame_time, width, values })
    }
}

/// The beginning of a word, for messages.
fn shortened(word: &str) -> &str {
    word.char_indices().nth(64).map_or(word, |(k, _)| &word[..k])
}
