//! Room for cloth where a moving body touches itself.
//!
//! In armpits, at the crotch and behind bent joints parts of a body come nearer to each other than cloth is thick, or go through each other:
//! a solver that allows no penetration would find no way on. Flesh gives way there. So does this skin: the clip is looked through beforehand,
//! and where a vertex is nearer than [`ROOM`] to skin of another part that faces it, both recede along their inner normals by half of what is
//! missing, d = (ROOM − g)/2, with g the gap, negative inside the other part.
//!
//! Skin is of another part if both were apart in the pose of the fitting: farther than ROOM, and clearly farther than they are now. Depths are kept
//! for each moment of 1/[`RATE`] s as the largest of three, spread over the skin so that its slope stays below [`SLOPE`], and blend
//! linearly in between. What lies deeper than [`DEEPEST`], or at a joint than [`DEEPEST_FOLD`], is no flesh that gives way; such clips are refused
//! with the moment and the place.

mod facing;

use crate::error::Error;
pub(crate) use facing::Surface;
use facing::{Facing, Skin};
use glam::DVec3;
use rayon::prelude::*;
use std::collections::BTreeMap;
use toile_mesh::TriMesh;

/// Gap that is made: two layers of cloth, each with its distance from the body and from the other, with ease [m].
pub(crate) const ROOM: f64 = 6e-3;

/// Moments that are looked at per second.
const RATE: f64 = 30.0;

/// How far a part may be inside another [m].
const DEEPEST: f64 = 0.05;

/// The same for parts that a joint connects, such as thigh and pelvis when sitting: skin that is blended between them folds deep into itself, where
/// flesh bulges [m].
const DEEPEST_FOLD: f64 = 0.1;

/// Largest slope of the depth over the skin.
const SLOPE: f64 = 0.35;

/// How far the skin recedes, for every moment of a clip.
#[derive(Clone, Debug, Default)]
pub(crate) struct Room {
    /// Vertices that recede at a moment, ascending, and how far [m].
    moments: Vec<Vec<(u32, f64)>>,
    triangles: Vec<[u32; 3]>,
    /// The triangles of each vertex that ever recedes.
    around: BTreeMap<u32, Vec<u32>>,
}

/// What was found.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize)]
pub struct SelfContact {
    /// Vertices of the skin that recede at any moment.
    pub vertices: u64,
    /// The farthest that any recedes [m].
    pub deepest: f64,
    /// When that is [s].
    pub time: f64,
    /// The bone of the skin there, and the bone of the skin it meets.
    pub bones: Option<[String; 2]>,
}

/// The deepest contact of a moment.
#[derive(Clone, Copy)]
struct Deepest {
    depth: f64,
    vertices: [u32; 2],
}

impl Room {
    /// Looks through a motion from its begin to `duration` [s]; `place` says where the skin is at a time.
    ///
    /// # Errors
    /// If parts of the body are so far inside each other that no skin could give way.
    pub(crate) fn of(
        surface: &Surface,
        place: impl Fn(f64) -> Vec<DVec3> + Sync,
        duration: f64,
    ) -> Result<(Self, SelfContact), Error> {
        let count = (duration * RATE).ceil() as usize + 2;
        let (neighbours, skin) = (neighbours(&surface.mesh), Skin::new(surface));
        let moments: Vec<_> = (0..count)
            .into_par_iter()
            .map(|k| {
                let x = place(k as f64 / RATE);
                let found = depths(&skin, &x);
                (spread(found.depths, &neighbours, &x), found.deepest, found.too_deep)
            })
            .collect();
        let mut contact = SelfContact::default();
        for (k, (_, deepest, too_deep)) in moments.iter().enumerate() {
            let time = k as f64 / RATE;
            if let Some(too_deep) = too_deep {
                return Err(no_room(surface, too_deep, &place(time), time));
            }
            let Some(deepest) = deepest.filter(|d| d.depth > contact.deepest) else { continue };
            contact.bones = surface.bones(deepest.vertices);
            (contact.deepest, contact.time) = (deepest.depth, time);
        }
        let dilated = |k: usize| {
            let three = &moments[k.saturating_sub(1)..(k + 2).min(count)];
            let mut all = BTreeMap::new();
            for (v, depth) in three.iter().flat_map(|(depths, ..)| depths) {
                let most: &mut f64 = all.entry(*v).or_default();
                *most = most.max(*depth);
            }
            all.into_iter().collect::<Vec<_>>()
        };
        let moments: Vec<_> = (0..count).map(dilated).collect();
        let mut around: BTreeMap<u32, Vec<u32>> =
            moments.iter().flatten().map(|(v, _)| (*v, Vec::new())).collect();
        for (t, corners) in surface.mesh.triangles.iter().enumerate() {
            for v in corners {
                if let Some(own) = around.get_mut(v) {
                    own.push(t as u32);
                }
            }
        }
        contact.vertices = around.len() as u64;
        Ok((Self { moments, triangles: surface.mesh.triangles.clone(), around }, contact))
    }

    /// Lets the skin recede at a time [s].
    pub(crate) fn recede(&self, time: f64, x: &mut [DVec3]) {
        let last = self.moments.len().saturating_sub(1);
        let at = (time * RATE).clamp(0.0, last as f64);
        let (k, s) = (at as usize, at.fract());
        let Some(now) = self.moments.get(k) else { return };
        let next = self.moments.get(k + 1).unwrap_or(now);
        let mut depths: BTreeMap<u32, f64> = now.iter().map(|(v, d)| (*v, (1.0 - s) * d)).collect();
        for (v, d) in next {
            *depths.entry(*v).or_default() += s * d;
        }
        depths.retain(|_, d| *d > 0.0);
        let moved: Vec<(u32, DVec3)> =
            depths.iter().map(|(v, d)| (*v, x[*v as usize] - self.normal(*v, x) * *d)).collect();
        moved.into_iter().for_each(|(v, p)| x[v as usize] = p);
    }

    /// Unit normal of the skin at a vertex.
    fn normal(&self, v: u32, x: &[DVec3]) -> DVec3 {
        let area = |t: &u32| {
            let [a, b, c] = self.triangles[*t as usize].map(|v| x[v as usize]);
            (b - a).cross(c - a)
        };
        self.around[&v].iter().map(area).sum::<DVec3>().normalize_or_zero()
    }
}

/// Refuses a moment.
fn no_room(surface: &Surface, contact: &Deepest, x: &[DVec3], time: f64) -> Error {
    let height = x[contact.vertices[0] as usize].y;
    let [a, b] = surface.bones(contact.vertices).unwrap_or_else(|| {
        [format!("one part, {height:.2} m above the ground,"), "another".into()]
    });
    let mm = 1e3 * (2.0 * contact.depth - ROOM);
    Error::request(
        format!(
            "the motion leaves cloth no room: {time:.2} s after its start the skin of {a} is {mm:.0} mm inside that of {b}"
        ),
        "change the motion there, or take a smaller size of the body",
    )
}

/// How the skin of a moment has to recede.
struct Depths {
    /// Of each vertex from what faces it; zero for most.
    depths: Vec<f64>,
    deepest: Option<Deepest>,
    /// The deepest that is too deep.
    too_deep: Option<Deepest>,
}

/// How far each vertex has to recede from what faces it.
fn depths(skin: &Skin<'_>, x: &[DVec3]) -> Depths {
    receding(skin.surface(), &skin.facing(x))
}

/// The same from what each vertex faces.
fn receding(surface: &Surface, nearest: &[Option<Facing>]) -> Depths {
    let mut found = Depths { depths: vec![0.0; nearest.len()], deepest: None, too_deep: None };
    for (v, nearest) in nearest.iter().enumerate() {
        let Some(facing) = nearest.filter(|n| n.gap < ROOM) else { continue };
        let depth = 0.5 * (ROOM - facing.gap);
        let vertices = [v as u32, surface.mesh.triangles[facing.triangle as usize][0]];
        let here = Some(Deepest { depth, vertices });
        found.depths[v] = depth;
        if found.deepest.is_none_or(|d| depth > d.depth) {
            found.deepest = here;
        }
        let is_too_deep =
            -facing.gap > if surface.is_fold(vertices) { DEEPEST_FOLD } else { DEEPEST };
        if is_too_deep && found.too_deep.is_none_or(|d| depth > d.depth) {
            found.too_deep = here;
        }
    }
    found
}

/// The neighbours of each vertex.
fn neighbours(mesh: &TriMesh) -> Vec<Vec<u32>> {
    let mut all = vec![Vec::new(); mesh.positions.len()];
    for [a, b, c] in &mesh.triangles {
        for (v, others) in [(a, [*b, *c]), (b, [*c, *a]), (c, [*a, *b])] {
            all[*v as usize].extend(others);
        }
    }
    for own in &mut all {
        own.sort_unstable();
        own.dedup();
    }
    all
}

/// Spreads depths so that they fall off no faster than [`SLOPE`]; those that are not zero.
fn spread(mut depths: Vec<f64>, neighbours: &[Vec<u32>], x: &[DVec3]) -> Vec<(u32, f64)> {
    let mut open: Vec<u32> =
        (0..depths.len() as u32).filter(|v| depths[*v as usize] > 0.0).collect();
    while !open.is_empty() {
        let mut next = Vec::new();
        for v in open {
            let own = depths[v as usize];
            for n in &neighbours[v as usize] {
                let fall = SLOPE * x[v as usize].distance(x[*n as usize]);
                if own - fall > depths[*n as usize] {
                    depths[*n as usize] = own - fall;
                    next.push(*n);
                }
            }
        }
        next.sort_unstable();
        next.dedup();
        open = next;
    }
    let all = depths.into_iter().enumerate();
    all.filter(|(_, d)| *d > 0.0).map(|(v, d)| (v as u32, d)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use toile_body::motion::{Angles, Clip, Key, Performance, Rig, Skinning};
    use toile_body::{Figure, Mannequin, Pose};
    use toile_pattern::Size;

    fn rig() -> Rig {
        let m = Figure::Female.measurements(Size::M);
        Rig::new(&Mannequin::new(&m, Figure::Female, Pose::A).expect("a body"))
    }

    #[test]
    fn skin_that_touches_recedes_until_cloth_has_room() {
        let rig = rig();
        // Arms that hang clear by 18 mm are pressed to the trunk.
        let mut angles = Angles::standing(&rig);
        angles.arms.iter_mut().for_each(|arm| arm.raise -= 0.05);
        let clip = Clip::keys(vec![Key { time: 0.0, angles }]).expect("a key");
        let pressed = Performance::new(&rig, clip, Skinning::default());
        let (room, contact) = Room::of(&Surface::of_rig(&rig), |t| pressed.positions(t), 1.25)
            .expect("there is room");
        assert!(contact.vertices > 0 && contact.deepest > 0.0, "{contact:?}");
        let surface = Surface::of_rig(&rig);
        let skin = Skin::new(&surface);
        let deepest = |x: &[DVec3]| depths(&skin, x).depths.into_iter().fold(0.0, f64::max);
        let mut x = pressed.positions(1.2);
        let before = deepest(&x);
        room.recede(1.2, &mut x);
        let after = deepest(&x);
        assert!(before > 0.0 && after < 0.5 * before, "{before} {after}");
    }

    #[test]
    fn the_pose_of_the_fitting_is_left_as_it_is_bit_for_bit() {
        let walk = Clip::of_name("walk").expect("a clip");
        let walk = Performance::new(&rig(), walk, Skinning::default());
        let surface = Surface::of_rig(walk.rig());
        let (room, _) = Room::of(&surface, |t| walk.positions(t), 0.2).expect("there is room");
        let mut x = walk.positions(0.0);
        room.recede(0.0, &mut x);
        assert_eq!(x, walk.rig().mesh.positions);
    }
}
