//! Mannequins made to measure.
//!
//! The cage is built from control measurements, which begin as the ones asked for. The tape is then laid around
//! the finished mesh as around any other, and each control is corrected by what its tape is off, until all
//! are right. So the mesh that is handed out measures what was asked, whatever subdivision and skinning did.

use crate::anatomy;
use crate::atlas::{self, Patch};
use crate::bounds;
use crate::build::{Builder, NUMBERS, skeleton};
use crate::cage::{Cage, is_sound};
use crate::error::Error;
use crate::figure::{Figure, Pose};
use crate::find::Landmarks;
use crate::measure::{Measured, measure};
use crate::pose;
use crate::proportions::Proportions;
use crate::relief::relief;
use crate::skeleton::{BONES, Bone, Skeleton, skinned, turned};
use glam::DVec3;
use toile_mesh::TriMesh;
use toile_pattern::Measurements;

/// Levels of subdivision.
const LEVELS: usize = 2;

/// The tape may differ by this much when the fit ends [m].
const GOOD: f64 = 0.002;

/// The tape must not differ by more [m].
const TOLERANCE: f64 = 0.015;

/// Most rounds of fitting.
const ROUNDS: usize = 14;

/// Bones that may share a vertex.
pub const INFLUENCES: usize = 4;

/// Measurements that a mannequin is fitted to. The others follow from them: the rise from waist and inside leg, the
/// front length from the height of the bust, and the widths of chest and back are shapes without a tape.
pub const FITTED: [&str; 25] = [
    "height",
    "head_girth",
    "neck_girth",
    "bust_girth",
    "underbust_girth",
    "waist_girth",
    "hip_girth",
    "shoulder_width",
    "shoulder_length",
    "shoulder_slope",
    "back_length",
    "bust_height",
    "bust_width",
    "arm_length",
    "upper_arm_girth",
    "elbow_girth",
    "wrist_girth",
    "waist_to_hip",
    "waist_to_knee",
    "waist_height",
    "inseam",
    "thigh_girth",
    "knee_girth",
    "calf_girth",
    "ankle_girth",
];

/// A body made to measure.
#[derive(Clone, Debug)]
pub struct Body {
    /// Its skin: closed, facing outwards, y up, standing on y = 0 and facing +z.
    pub mesh: TriMesh,
    /// Its landmarks, found on the mesh.
    pub landmarks: Landmarks,
    /// What the tape says of the mesh.
    pub measured: Measured,
    /// Its bones.
    pub skeleton: Skeleton,
    /// The bones that move each vertex and their shares, the largest first; shares sum to one.
    pub weights: Vec<[(Bone, f64); INFLUENCES]>,
    /// Whose body it is.
    pub figure: Figure,
    /// How it stands.
    pub pose: Pose,
    /// The measurements asked for.
    pub measurements: Measurements,
    /// What the cage is built from, so that the pose can be changed.
    controls: Controls,
}

/// What the shape is built from.
#[derive(Clone, Copy, Debug)]
struct Controls {
    m: Measurements,
    /// How far the breasts stand out [m].
    reach: f64,
}

/// Makes bodies.
#[derive(Clone, Copy, Debug)]
pub struct Mannequin;

impl Mannequin {
    /// A mannequin made to measure, in a pose.
    ///
    /// # Errors
    /// If a measurement, or a combination of them, is not that of a body, with the bounds.
    #[expect(clippy::new_ret_no_self, reason = "a mannequin is a body among others")]
    pub fn new(m: &Measurements, figure: Figure, pose: Pose) -> Result<Body, Error> {
        bounds::check(m)?;
        let mut controls = Controls { m: *m, reach: 0.3 * (m.bust_girth - m.underbust_girth) };
        // What is off at worst, with the controls it belongs to.
        let mut best: Option<(f64, Controls, &'static str)> = None;
        let mut helms = [Helm::default(); FITTED.len()];
        for _ in 0..ROUNDS {
            let shape = Shape::new(&controls, figure, Pose::A);
            let measured = match measure(&shape.mesh) {
                Ok(measured) => measured,
                // A step too far; what was good before still is.
                Err(_) if best.is_some() => break,
                Err(e) => return Err(no_fit(&e.to_string())),
            };
            let worst = worst(m, figure, &measured);
            if best.is_none_or(|b| worst.0 < b.0) {
                best = Some((worst.0, controls, worst.1));
            }
            if worst.0 < GOOD {
                break;
            }
            controls.correct(&mut helms, m, figure, &measured);
        }
        let (off, controls, name) = best.unwrap_or((f64::INFINITY, controls, "height"));
        if off > TOLERANCE {
            return Err(no_fit(&format!("{name} stays off by {:.0} mm", 1000.0 * off)));
        }
        Body::finished(controls, m, figure, pose)
    }
}

fn no_fit(what: &str) -> Error {
    Error::NoFit { what: what.into() }
}

/// The largest difference [m] and its name. A degree counts as a millimetre and a half: over a shoulder it is two.
fn worst(m: &Measurements, figure: Figure, measured: &Measured) -> (f64, &'static str) {
    let off = |name: &'static str| {
        let difference = (wanted(m, name) - measured.get(name).unwrap_or(f64::INFINITY)).abs();
        (if name == "shoulder_slope" { 0.0015 * difference } else { difference }, name)
    };
    fitted(figure).map(off).max_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or((0.0, ""))
}

/// The measurements that a figure is fitted to; a flat chest has no bust points to tell apart.
pub fn fitted(figure: Figure) -> impl Iterator<Item = &'static str> {
    FITTED
        .into_iter()
        .filter(move |n| figure == Figure::Female || !["bust_width", "bust_height"].contains(n))
}

fn wanted(m: &Measurements, name: &str) -> f64 {
    m.get(name).unwrap_or(f64::NAN)
}

/// Steers one control by its tape: a secant for each, kept within reason because tapes also move each other.
#[derive(Clone, Copy, Debug, Default)]
struct Helm {
    /// The last control and what the tape was off then.
    last: Option<(f64, f64)>,
    gain: f64,
}

impl Helm {
    /// The next control.
    fn steer(&mut self, control: f64, off: f64, first: f64, most: f64) -> f64 {
        if self.last.is_none() {
            self.gain = first;
        }
        if let Some((c, o)) = self.last
            && (control - c).abs() > SECANT
        {
            let slope = (o - off) / (control - c);
            let gain = if slope > 0.0 { 1.0 / slope } else { 2.0 * first };
            self.gain = 0.5 * (self.gain + gain.clamp(0.5 * first, 2.5 * first));
        }
        self.last = Some((control, off));
        control + (0.85 * self.gain * off).clamp(-most, most)
    }
}

/// Steps of controls shorter than this tell nothing about a slope [m].
const SECANT: f64 = 2e-4;

impl Controls {
    /// Moves each control by what its tape is off.
    fn correct(
        &mut self,
        helms: &mut [Helm; FITTED.len()],
        m: &Measurements,
        figure: Figure,
        measured: &Measured,
    ) {
        for (name, helm) in FITTED.into_iter().zip(helms) {
            let off = wanted(m, name) - measured.get(name).unwrap_or_else(|| wanted(m, name));
            if !fitted(figure).any(|n| n == name) {
                continue;
            }
            if name == "bust_girth" {
                // A tape over two breasts grows about twice as fast as they stand out. No secant: the level of the
                // bust, which other controls move, hides its slope.
                let gain = if figure == Figure::Female { 0.28 } else { 0.2 };
                self.reach = (self.reach + (gain * off).clamp(-0.01, 0.01)).max(0.0);
            } else {
                let most = 0.05 * wanted(m, name).abs();
                let next = helm.steer(wanted(&self.m, name), off, 0.8, most);
                let target = wanted(m, name);
                // Far from their tape these two bend the shape before they move it: a hip at the crotch creases, and a
                // wide neck falls off too gently to be told from the shoulder.
                let [least, most] = match name {
                    "waist_to_hip" => [0.80, 1.10],
                    "shoulder_length" => [0.92, 1.10],
                    // The foremost points move less than the breasts do.
                    "bust_width" => [0.65, 1.40],
                    "bust_height" => [0.72, 1.25],
                    _ => [0.8, 1.25],
                };
                self.m.set(name, next.clamp(least * target, most * target));
            }
        }
    }
}

/// A mesh on the way.
struct Shape {
    mesh: TriMesh,
    fine: Cage<NUMBERS>,
    patches: Vec<Patch>,
    skeleton: Skeleton,
}

impl Shape {
    fn new(controls: &Controls, figure: Figure, pose: Pose) -> Self {
        let p = Proportions::new(&controls.m, figure);
        let (mut cage, patches) = Builder::build(p);
        let mut skeleton = skeleton(&p);
        let turns = pose::turns(&p, pose, &cage);
        let motions = skeleton.motions(&turns);
        // Relief is laid over the pose in which the cage is built, and turns with the skin.
        let moves = relief(&refined(cage.clone()), &anatomy::strokes(&p, controls.reach));
        for d in &mut cage.data {
            let moved = skinned(place(d), &d[3..], &motions);
            d[..3].copy_from_slice(&moved.to_array());
        }
        skeleton = skeleton.moved(&motions);
        let mut fine = refined(cage);
        for (d, v) in fine.data.iter_mut().zip(moves) {
            if v != DVec3::ZERO {
                let moved = place(d) + turned(v, &d[3..], &motions);
                d[..3].copy_from_slice(&moved.to_array());
            }
        }
        // The soles stand on the ground whatever subdivision took off.
        let low = fine.data.iter().map(|d| d[1]).fold(f64::MAX, f64::min);
        for d in &mut fine.data {
            d[1] -= low;
        }
        let triangles = fine.triangles(place);
        let mesh = TriMesh::new(fine.data.iter().map(place).collect(), triangles);
        Self { mesh, fine, patches, skeleton }
    }
}

fn refined(mut cage: Cage<NUMBERS>) -> Cage<NUMBERS> {
    for _ in 0..LEVELS {
        cage = cage.subdivided();
    }
    cage
}

fn place(d: &[f64; NUMBERS]) -> DVec3 {
    DVec3::new(d[0], d[1], d[2])
}

impl Body {
    fn finished(
        controls: Controls,
        m: &Measurements,
        figure: Figure,
        pose: Pose,
    ) -> Result<Self, Error> {
        let Shape { mut mesh, fine, patches, skeleton } = Shape::new(&controls, figure, pose);
        let measured = measure(&mesh).map_err(|e| no_fit(&e.to_string()))?;
        debug_assert!(is_sound(mesh.positions.len(), &mesh.triangles));
        let crossing = toile_audit::self_intersections(&mesh.positions, &mesh.triangles)
            .map_err(|e| no_fit(&e.to_string()))?;
        if let Some([t, _]) = crossing.first() {
            let at = mesh.corners(*t as usize)[0];
            let (x, y) = (100.0 * at.x, 100.0 * at.y);
            return Err(no_fit(&format!(
                "the skin would cross itself, {x:.0} cm beside the middle at {y:.0} cm height"
            )));
        }
        let weights = fine.data.iter().map(|d| strongest(&d[3..])).collect();
        let landmarks = measured.landmarks.clone();
        atlas::lay(&mut mesh, &fine.faces, &patches, LEVELS);
        let measurements = *m;
        Ok(Self {
            mesh,
            landmarks,
            measured,
            skeleton,
            weights,
            figure,
            pose,
            measurements,
            controls,
        })
    }

    /// The same body in another pose: its skin follows its bones.
    ///
    /// It has the same vertices and triangles in the same order. Unlike a body made in that pose it is not fitted
    /// again, so that girths around the shoulders may change as those of living bodies do.
    ///
    /// # Errors
    /// If the skin would cross itself.
    pub fn posed(&self, pose: Pose) -> Result<Self, Error> {
        Self::finished(self.controls, &self.measurements, self.figure, pose)
    }
}

/// The largest weights, scaled to sum to one.
fn strongest(weights: &[f64]) -> [(Bone, f64); INFLUENCES] {
    let mut order: Vec<usize> = (0..BONES).collect();
    order.sort_by(|a, b| weights[*b].total_cmp(&weights[*a]).then(a.cmp(b)));
    let sum: f64 = order[..INFLUENCES].iter().map(|b| weights[*b]).sum();
    std::array::from_fn(|i| (Bone::ALL[order[i]], weights[order[i]] / sum))
}
