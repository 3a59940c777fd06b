//! Clips: postures as functions of time.

use super::angles::{Angles, Arm, Leg};
use super::recording::Recording;
use super::rig::{Posture, Rig};
use super::rotation::smoothstep;
use crate::error::Error;
use libm::{cos, sin};
use std::f64::consts::{FRAC_PI_2, PI, TAU};

/// A row of the gait: an angle [degrees] over the phase p, mean + cos p, sin p, cos 2p, sin 2p.
type Row = [f64; 5];

/// Flexion of the hip, of the knee, and of the ankle towards the shin, at 1.2 m/s; fitted to textbook curves.
pub const GAITS: [Row; 3] =
    [[12.9, 20.4, -3.8, -3.1, -2.7], [21.5, -2.6, -18.7, -14.7, 7.5], [-0.5, -1.1, 6.6, 0.6, -7.9]];

/// The same of a run at 2.8 m/s.
pub const RUNNING: [Row; 3] =
    [[24.1, 19.7, -17.5, -4.8, 4.4], [48.3, -15.9, -25.9, -9.6, 18.5], [2.6, 13.1, 2.9, -7.0, 9.4]];

/// Speeds of the tables [m/s].
const TABLE_SPEEDS: [f64; 2] = [1.2, 2.8];

/// Strides of one leg per second at those speeds [Hz].
const TABLE_RATES: [f64; 2] = [0.9, 1.4];

/// The length of leg that the table belongs to [m].
const TABLE_LEG: f64 = 0.83;

/// How fast the way of a walk on a circle bends [rad/s]: half a turn in 4 s.
const TURN: f64 = 0.25 * PI;

/// Slowest and fastest walk and run [m/s].
const SPEEDS: [[f64; 2]; 2] = [[0.2, 2.2], [1.5, 5.0]];

/// Which table of angles a figure goes by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Gait {
    /// One foot is always on the ground.
    #[default]
    Walk,
    /// With bent arms; the flight between steps is left out.
    Run,
}

/// Walking or running, straight ahead or on a circle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Walk {
    /// Speed [m/s].
    pub speed: f64,
    /// How fast the way bends to the left [rad/s].
    pub turn: f64,
    /// How the legs move.
    pub gait: Gait,
}

impl Walk {
    /// By how much angles and strides differ from the table: √ of the speed, where equal legs at equal v/√leg do the same.
    fn amplitude(&self, rig: &Rig) -> f64 {
        let speed = TABLE_SPEEDS[self.gait as usize];
        (self.speed / speed * (TABLE_LEG / rig.leg_length()).sqrt()).sqrt()
    }

    /// Stride length [m]: 1.33 m at 1.2 m/s on legs of 83 cm.
    pub fn stride(&self, rig: &Rig) -> f64 {
        let k = self.gait as usize;
        TABLE_SPEEDS[k] / TABLE_RATES[k] * self.amplitude(rig) * rig.leg_length() / TABLE_LEG
    }

    /// Time of two steps [s].
    pub fn period(&self, rig: &Rig) -> f64 {
        self.stride(rig) / self.speed
    }

    fn angles(&self, rig: &Rig, t: f64) -> Angles {
        let a = self.amplitude(rig);
        let phase = TAU * t / self.period(rig);
        let row = |k: usize, p: f64| {
            let [mean, c1, s1, c2, s2] = match self.gait {
                Gait::Walk => GAITS[k],
                Gait::Run => RUNNING[k],
            };
            let sum = mean + c1 * cos(p) + s1 * sin(p) + c2 * cos(2.0 * p) + s2 * sin(2.0 * p);
            (a * sum).to_radians()
        };
        let side = |k: usize| phase + if k == 0 { 0.0 } else { PI };
        let leg = |k: usize| {
            let p = side(k);
            Leg { hip: row(0, p), knee: row(1, p), ankle: row(2, p) }
        };
        let arm = |k: usize| {
            let back = cos(side(k));
            let [swing, elbow] = match self.gait {
                Gait::Walk => [5.0 - a * 20.0 * back, 15.0 - a * 8.0 * back],
                Gait::Run => [-5.0 - a * 32.0 * back, 85.0 - a * 12.0 * back],
            };
            // Bent forearms pass beside the trunk.
            let out = if self.gait == Gait::Run { 0.12 } else { 0.0 };
            Arm { raise: rig.hanging() + out, swing: swing.to_radians(), elbow: elbow.to_radians() }
        };
        // The hip of the leg in front is in front: +x of the pelvis turns towards +z.
        Angles {
            pelvis_yaw: (-4.0 * a * cos(phase)).to_radians(),
            chest_yaw: (6.0 * a * cos(phase)).to_radians(),
            legs: [leg(0), leg(1)],
            arms: [arm(0), arm(1)],
            heading: self.turn * t,
            lean: if self.gait == Gait::Run { 0.1 } else { 0.0 },
            travel: self.way(t),
            ..Angles::default()
        }
    }

    /// Where it has come to, to the left and to the front [m].
    fn way(&self, t: f64) -> [f64; 2] {
        if self.turn == 0.0 {
            return [0.0, self.speed * t];
        }
        let (radius, angle) = (self.speed / self.turn, self.turn * t);
        [radius * (1.0 - cos(angle)), radius * sin(angle)]
    }
}

/// A posture at a time; in between smoothstep.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Key {
    /// When [s].
    pub time: f64,
    /// How it stands.
    pub angles: Angles,
}

/// A motion of a figure.
#[derive(Clone, Debug)]
pub enum Clip {
    /// Walking.
    Walk(Walk),
    /// Turning on the spot, to the left, in steps.
    Turn {
        /// Time of a whole turn [s].
        period: f64,
    },
    /// Both arms up to the side, and down again.
    ArmsUp,
    /// Down on bent knees, and up again.
    Squat,
    /// Down on a chair that is not there, and up again.
    Sit,
    /// A long step to the front with the left leg, and back.
    Lunge,
    /// Standing still.
    Pose(Stance),
    /// Keys, in the order of time.
    Keys(Vec<Key>),
    /// A file.
    Recorded(Box<Recording>),
}

impl Clip {
    /// Names of the built-in clips.
    pub const NAMES: [&str; 8] =
        ["walk", "walk-turn", "run", "turn", "arms-up", "squat", "sit", "lunge"];

    /// Walking at the speed of the table.
    const WALK: Self = Self::Walk(Walk { speed: TABLE_SPEEDS[0], turn: 0.0, gait: Gait::Walk });

    /// Walking at a speed [m/s].
    ///
    /// # Errors
    /// If it is no walk.
    pub fn walk(speed: f64) -> Result<Self, Error> {
        Self::WALK.at_speed(speed)
    }

    /// The same walk or run at another speed [m/s].
    ///
    /// # Errors
    /// If it has no speed, or nobody walks or runs so fast.
    pub fn at_speed(self, speed: f64) -> Result<Self, Error> {
        let (name, no) = ("motion".into(), "this motion has no speed");
        let Self::Walk(walk) = self else {
            let help = "leave the speed away, or take a walk or a run";
            return Err(Error::Motion { name, what: no.into(), help });
        };
        let [low, high] = SPEEDS[walk.gait as usize];
        if (low..=high).contains(&speed) {
            return Ok(Self::Walk(Walk { speed, ..walk }));
        }
        let (name, help) = match walk.gait {
            Gait::Walk => ("walk", "give a speed from 0.2 to 2.2 m/s"),
            Gait::Run => ("run", "give a speed from 1.5 to 5 m/s"),
        };
        let what = format!("a speed of {speed} m/s is no {name}");
        Err(Error::Motion { name: name.into(), what, help })
    }

    /// The same walk on a circle that bends to the left so fast [rad/s]; other clips as they are.
    #[must_use]
    pub fn turning(self, turn: f64) -> Self {
        match self {
            Self::Walk(walk) => Self::Walk(Walk { turn, ..walk }),
            other => other,
        }
    }

    /// Keys in the order of time.
    ///
    /// # Errors
    /// If there is none, times do not grow, or a number is not finite.
    pub fn keys(keys: Vec<Key>) -> Result<Self, Error> {
        let bad = |what: String| {
            let help = "give keys with finite angles in the order of time";
            Err(Error::Motion { name: "keys".into(), what, help })
        };
        if keys.is_empty() {
            return bad("there is no key".into());
        }
        if let Some(k) = keys.iter().position(|k| !(k.time.is_finite() && k.angles.is_finite())) {
            return bad(format!("key {k} has a number that is not finite"));
        }
        if let Some(k) = keys.windows(2).position(|w| w[1].time <= w[0].time) {
            return bad(format!("key {} is not later than the one before", k + 1));
        }
        Ok(Self::Keys(keys))
    }

    /// The built-in clip of a name; a walk has 1.2 m/s.
    pub fn of_name(name: &str) -> Option<Self> {
        Some(match name {
            "walk" => Self::WALK,
            "walk-turn" => Self::WALK.turning(TURN),
            "run" => Self::Walk(Walk { speed: TABLE_SPEEDS[1], turn: 0.0, gait: Gait::Run }),
            "sit" => Self::Sit,
            "lunge" => Self::Lunge,
            "turn" => Self::Turn { period: 4.0 },
            "arms-up" => Self::ArmsUp,
            "squat" => Self::Squat,
            _ => return None,
        })
    }

    /// Duration until it stands still [s]; a walk and a turn never end.
    pub fn duration(&self) -> Option<f64> {
        match self {
            Self::Walk(_) | Self::Turn { .. } | Self::Pose(_) => None,
            Self::ArmsUp => Some(3.0),
            Self::Squat | Self::Lunge => Some(3.5),
            Self::Sit => Some(4.5),
            Self::Keys(keys) => keys.last().map(|k| k.time),
            Self::Recorded(recording) => Some(recording.duration()),
        }
    }

    /// The posture at a time [s].
    pub(super) fn posture(&self, rig: &Rig, t: f64) -> Posture {
        let standing = Angles::standing(rig);
        match self {
            Self::Walk(walk) => walk.angles(rig, t).posture(rig),
            Self::Turn { period } => turning(standing, t, *period).posture(rig),
            Self::ArmsUp => {
                let up = Arm { raise: 150_f64.to_radians(), swing: 0.0, elbow: 0.2 };
                let up = Angles { arms: [up; 2], ..standing };
                keyed(&there_and_back(standing, up, [1.2, 1.8, 3.0]), t).posture(rig)
            }
            Self::Squat => {
                let down = squatting(standing);
                let standing = Angles { planted: true, ..standing };
                keyed(&there_and_back(standing, down, [1.5, 2.0, 3.5]), t).posture(rig)
            }
            Self::Sit => {
                let down = sitting(standing);
                let standing = Angles { planted: true, ..standing };
                keyed(&there_and_back(standing, down, [1.6, 2.9, 4.5]), t).posture(rig)
            }
            Self::Lunge => {
                let keys = there_and_back(standing, lunging(standing, rig), [1.5, 2.0, 3.5]);
                keyed(&keys, t).posture(rig)
            }
            Self::Pose(stance) => stance.angles(rig).posture(rig),
            Self::Keys(keys) => keyed(keys, t).posture(rig),
            Self::Recorded(recording) => recording.posture(t),
        }
    }
}

impl Angles {
    fn is_finite(&self) -> bool {
        let legs = self.legs.iter().flat_map(|l| [l.hip, l.knee, l.ankle]);
        let arms = self.arms.iter().flat_map(|a| [a.raise, a.swing, a.elbow]);
        let trunk = [self.heading, self.pelvis_yaw, self.chest_yaw, self.lean];
        legs.chain(arms).chain(trunk).chain(self.travel).all(f64::is_finite)
    }
}

/// To other angles, a rest there, and back.
fn there_and_back(from: Angles, to: Angles, [arrive, leave, back]: [f64; 3]) -> [Key; 4] {
    [(0.0, from), (arrive, to), (leave, to), (back, from)]
        .map(|(time, angles)| Key { time, angles })
}

/// The angles between keys; before the first and after the last they rest.
fn keyed(keys: &[Key], t: f64) -> Angles {
    let next = keys.partition_point(|k| k.time <= t);
    match (next.checked_sub(1).map(|k| keys[k]), keys.get(next)) {
        (Some(a), Some(b)) => {
            a.angles.mixed(&b.angles, smoothstep((t - a.time) / (b.time - a.time)))
        }
        (Some(a), None) => a.angles,
        (None, first) => first.map(|k| k.angles).unwrap_or_default(),
    }
}

/// Thighs nearly level, shins 25° to the front, soles flat, the trunk over the feet.
fn squatting(standing: Angles) -> Angles {
    let [thigh, shin, lean] = [78_f64, 25.0, 32.0].map(f64::to_radians);
    let leg = Leg { hip: thigh, knee: thigh + shin, ankle: shin };
    let arm = Arm { swing: 0.45 * PI, elbow: 0.2, ..standing.arms[0] };
    Angles { lean, legs: [leg; 2], arms: [arm; 2], planted: true, ..standing }
}

/// Thighs level, shins upright, the trunk a bit to the front, hands towards the knees.
fn sitting(standing: Angles) -> Angles {
    let [thigh, lean] = [84_f64, 8.0].map(f64::to_radians);
    let leg = Leg { hip: thigh, knee: thigh, ankle: 0.0 };
    let arm = Arm { swing: 0.45, elbow: 0.5, ..standing.arms[0] };
    Angles { lean, legs: [leg; 2], arms: [arm; 2], planted: true, ..standing }
}

/// The left shin upright on a level foot, the right knee near the ground.
fn lunging(standing: Angles, rig: &Rig) -> Angles {
    let [thigh, back, knee] = [62_f64, -22.0, 62.0].map(f64::to_radians);
    let front = Leg { hip: thigh, knee: thigh, ankle: 0.0 };
    let rear = Leg { hip: back, knee, ankle: 0.1 };
    let arm = Arm { swing: 0.15, elbow: 0.3, ..standing.arms[0] };
    Angles {
        legs: [front, rear],
        arms: [arm; 2],
        travel: [0.0, 0.42 * rig.leg_length()],
        ..standing
    }
}

/// How a figure stands still.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stance {
    /// Arms half raised.
    A,
    /// Arms level.
    T,
    /// Arms hanging.
    Relaxed,
    /// Arms up, 150°.
    ArmsUp,
    /// On bent knees.
    Squat,
    /// On a chair that is not there.
    Sit,
    /// A long step to the front.
    Lunge,
}

impl Stance {
    /// All of them.
    pub const ALL: [Self; 7] =
        [Self::A, Self::T, Self::Relaxed, Self::ArmsUp, Self::Squat, Self::Sit, Self::Lunge];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::A => "a",
            Self::T => "t",
            Self::Relaxed => "relaxed",
            Self::ArmsUp => "arms-up",
            Self::Squat => "squat",
            Self::Sit => "sit",
            Self::Lunge => "lunge",
        }
    }

    /// That of a name.
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|s| s.name() == name)
    }

    fn angles(self, rig: &Rig) -> Angles {
        let standing = Angles::standing(rig);
        let raised = |degrees: f64| {
            let arm = Arm { raise: degrees.to_radians(), swing: 0.0, elbow: 0.0 };
            Angles { arms: [arm; 2], ..standing }
        };
        match self {
            Self::A => raised(45.0),
            Self::T => raised(90.0),
            Self::Relaxed => standing,
            Self::ArmsUp => raised(150.0),
            Self::Squat => squatting(standing),
            Self::Sit => sitting(standing),
            Self::Lunge => lunging(standing, rig),
        }
    }
}

/// Two steps for each quarter of a turn.
fn turning(standing: Angles, t: f64, period: f64) -> Angles {
    let phase = TAU * 4.0 * t / period;
    let lifted = |p: f64| sin(p).max(0.0) * sin(p).max(0.0);
    let leg = |p: f64| {
        let s = lifted(p);
        let [hip, knee] = [26_f64, 48.0].map(|a| (a * s).to_radians());
        Leg { hip, knee, ankle: knee - hip - 0.15 * s }
    };
    Angles {
        heading: 4.0 * FRAC_PI_2 * t / period,
        legs: [leg(phase), leg(phase + PI)],
        ..standing
    }
}
