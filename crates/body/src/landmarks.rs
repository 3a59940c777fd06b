//! Puts the landmarks of a body together: levels first, then neck and shoulders, then limbs.

use crate::arms::{Arm, EdgeGraph};
use crate::error::Error;
use crate::find::{Finder, Landmarks, knee_above, peak};
use crate::slice::{Loop, Plane, slice};
use glam::DVec3;
use toile_mesh::TriMesh;

/// Lean of the neck's axis to the front [rad].
pub(crate) const NECK_LEAN: f64 = 0.35;

/// The elbow's distance from the wrist as a share of that of the shoulder.
const ELBOW_FROM_WRIST: f64 = 0.455;

/// How far below the bust points the tape under the bust lies, as a share of the height.
pub(crate) const UNDERBUST: f64 = 0.045;

/// How far below the nape the bust points of a flat chest are, as a share of the height.
pub(crate) const USUAL_BUST: f64 = 0.132;

/// How much depth, over the height, a level gives away by the square of its distance from the usual one.
const BUST_PRIOR_WEIGHT: f64 = 2.7;

/// How far above the crotch hips usually are, as a share of the height.
const USUAL_HIP: f64 = 0.038;

/// How far below the nape waists usually are, as a share of the height.
const USUAL_WAIST: f64 = 0.241;

/// How much girth, over the height, a level gives away by the square of its distance from the usual waist or hip.
const WAIST_PRIOR_WEIGHT: f64 = 6.0;
const HIP_PRIOR_WEIGHT: f64 = 2.0;

/// Distance between points of the shoulder line, as a share of the height.
const RIDGE_STEP: f64 = 0.0025;

/// Everything found on a body, with the arms it was found by.
pub(crate) struct Found {
    pub(crate) landmarks: Landmarks,
    pub(crate) arms: [Arm; 2],
}

impl Landmarks {
    /// Finds the landmarks of a human mesh that stands upright on the ground and faces +z.
    ///
    /// # Errors
    /// If the mesh has not the shape of a standing body with arms and legs apart.
    pub fn find(mesh: &TriMesh) -> Result<Self, Error> {
        Ok(find(mesh)?.landmarks)
    }
}

pub(crate) fn find(mesh: &TriMesh) -> Result<Found, Error> {
    let f = Finder::new(mesh)?;
    let h = f.height;
    let missing = |what: &str| Error::NotHuman { what: format!("{what} was not found") };
    // Levels of the trunk.
    let crotch = f.crotch()?;
    let usual = crotch + USUAL_HIP * h;
    let full = |y: f64| f.trunk_girth(y) - HIP_PRIOR_WEIGHT / h * (y - usual).powi(2);
    let hip = peak(crotch + 0.008 * h, crotch + 0.12 * h, 20, full);
    let armpit = f.armpit(f.low + 0.62 * h)?;
    let loop_at = |y: f64, what: &str| f.trunk(y).ok_or_else(|| missing(what));
    let navel = extreme(&loop_at(f.low + 0.61 * h, "the waist")?, DVec3::Z);
    let arms = f.arms(&EdgeGraph::new(mesh), navel)?;
    // Neck and shoulders.
    let (neck_loop, neck_y) = neck(&f)?;
    let neck = neck_loop.centroid();
    let armpit_loop = loop_at(armpit - 0.001 * h, "the armpits")?;
    let armpits = [1.0, -1.0].map(|side| extreme(&armpit_loop, DVec3::X * side));
    let mut side_neck = [DVec3::ZERO; 2];
    let mut shoulder = [DVec3::ZERO; 2];
    for (i, side) in [1.0, -1.0].into_iter().enumerate() {
        let ridge = ridge(&f, side, neck.with_y(neck_y), armpit);
        side_neck[i] = turn(&ridge, h).ok_or_else(|| missing("the side of the neck"))?;
        shoulder[i] =
            end(&ridge, armpits[i], side, lean(&arms[i])).ok_or_else(|| missing("the shoulder"))?;
    }
    let nape_y = 0.5 * (side_neck[0].y + side_neck[1].y) + 0.004 * h;
    let middle = slice(mesh, Plane { point: DVec3::ZERO, normal: DVec3::X });
    let nape = at_height(&middle, nape_y, -1.0).ok_or_else(|| missing("the nape"))?;
    let front_neck = at_height(&middle, nape_y - 0.042 * h, 1.0)
        .ok_or_else(|| missing("the pit of the neck"))?;
    // The waist: the least girth. On a straight trunk a slight preference decides.
    let usual = nape_y - USUAL_WAIST * h;
    let top = armpit - 0.05 * h;
    let slender = |y: f64| -f.trunk_girth(y) - WAIST_PRIOR_WEIGHT / h * (y - usual).powi(2);
    let waist = peak((hip + 0.045 * h).min(top - 0.08 * h), top, 28, slender);
    let waist_loop = loop_at(waist, "the waist")?;
    // The bust: the foremost level of the upper trunk, beside its middle.
    let foremost = |l: &Loop, side: f64| {
        let beside = l.points.iter().filter(|p| side * p.x > 0.02 * h);
        beside.copied().max_by(|a, b| a.z.total_cmp(&b.z))
    };
    // A flat chest has no foremost level; a slight preference for where nipples are decides.
    let usual = nape_y - USUAL_BUST * h;
    let ahead = |y: f64| {
        let z = f.trunk(y).and_then(|l| foremost(&l, 1.0)).map_or(f64::NAN, |p| p.z);
        z - BUST_PRIOR_WEIGHT / h * (y - usual).powi(2)
    };
    let highest = (armpit - 0.004 * h).min(nape_y - 0.10 * h);
    let bust = peak(nape_y - 0.185 * h, highest, 28, ahead);
    let bust_loop = loop_at(bust, "the bust")?;
    let bust_points = [1.0, -1.0].map(|side| bust_point(&bust_loop, side, h));
    let [Some(bust_left), Some(bust_right)] = bust_points else { return Err(missing("the bust")) };
    let underbust = bust - UNDERBUST * h;
    // Limbs.
    let (mut elbow, mut wrist, mut axes) = ([DVec3::ZERO; 2], [DVec3::ZERO; 2], [vec![], vec![]]);
    for (i, arm) in arms.iter().enumerate() {
        let s = arm.wrist();
        wrist[i] = arm.at(s).0;
        let e = arm.after(s, ELBOW_FROM_WRIST * wrist[i].distance(shoulder[i]));
        elbow[i] = arm.at(e).0;
        axes[i].push(wrist[i]);
        axes[i].extend(&arm.axis[(s as usize + 1).min(arm.axis.len())..]);
    }
    let (mut knee, mut calf, mut ankle) = ([DVec3::ZERO; 2], [DVec3::ZERO; 2], [DVec3::ZERO; 2]);
    let mut hip_joint = [DVec3::ZERO; 2];
    for (i, side) in [1.0, -1.0].into_iter().enumerate() {
        let girth = |y: f64| f.leg_girth(y, side);
        let leg = |y: f64| f.leg(y, side).map(|l| l.centroid()).ok_or_else(|| missing("a leg"));
        let inside = crotch - f.low;
        let c = peak(f.low + 0.28 * inside, f.low + 0.50 * inside, 18, girth);
        let narrow = peak(c + 0.02 * inside, f.low + 0.68 * inside, 18, |y| -girth(y));
        knee[i] = leg(knee_above(narrow, h))?;
        calf[i] = leg(c)?;
        ankle[i] = leg(peak(f.low + 0.07 * inside, f.low + 0.24 * inside, 18, |y| -girth(y)))?;
        hip_joint[i] = leg(crotch - 0.01 * h)?;
        hip_joint[i].y = crotch + 0.04 * h;
    }
    let crown =
        mesh.positions.iter().copied().max_by(|a, b| a.y.total_cmp(&b.y)).unwrap_or_default();
    let inner = f.leg(crotch - 0.002 * h, 1.0).map(|l| extreme(&l, -DVec3::X)).unwrap_or_default();
    let landmarks = Landmarks {
        crown,
        nape,
        front_neck,
        neck,
        side_neck,
        shoulder,
        armpit: armpits,
        bust: [bust_left, bust_right],
        underbust: loop_at(underbust, "the underbust")?.centroid(),
        waist: waist_loop.centroid().with_y(waist),
        hip: loop_at(hip, "the hip")?.centroid(),
        crotch: DVec3::new(0.0, crotch, inner.z),
        elbow,
        wrist,
        hand: [arms[0].tip, arms[1].tip],
        hip_joint,
        knee,
        calf,
        ankle,
        arm_axis: axes,
    };
    Ok(Found { landmarks, arms })
}

/// The point of a loop farthest along a direction.
pub(crate) fn extreme(l: &Loop, along: DVec3) -> DVec3 {
    let far = l.points.iter().copied().max_by(|a, b| a.dot(along).total_cmp(&b.dot(along)));
    far.unwrap_or_default()
}

/// The foremost point of one side: the middle of what lies within a few millimetres of it.
fn bust_point(l: &Loop, side: f64, h: f64) -> Option<DVec3> {
    let beside = |p: &DVec3| side * p.x > 0.02 * h;
    let front = l.points.iter().filter(|p| beside(p)).map(|p| p.z).fold(f64::MIN, f64::max);
    let near = 0.0022 * h;
    let (mut sum, mut weight) = (DVec3::ZERO, 0.0);
    for (a, b) in l.sides() {
        let mid = 0.5 * (a + b);
        if beside(&mid) && mid.z > front - near {
            let w = a.distance(b) * (mid.z - front + near);
            sum += w * mid;
            weight += w;
        }
    }
    (weight > 0.0).then(|| (sum / weight).with_z(front))
}

/// The narrowest section across the neck, and the height of its centre.
fn neck(f: &Finder<'_>) -> Result<(Loop, f64), Error> {
    let normal = DVec3::new(0.0, libm::cos(NECK_LEAN), libm::sin(NECK_LEAN));
    let centre = f
        .around_middle(Plane::level(f.low + 0.87 * f.height))
        .ok_or(Error::NotHuman { what: "it has no neck".into() })?
        .centroid();
    let cut = |y: f64| f.around_middle(Plane { point: centre.with_y(y), normal });
    let girth = |y: f64| cut(y).map_or(f64::NAN, |l| -l.girth(normal));
    let y = peak(f.low + 0.80 * f.height, f.low + 0.905 * f.height, 26, girth);
    let section = cut(y).ok_or(Error::NotHuman { what: "it has no neck".into() })?;
    Ok((section, y))
}

impl Finder<'_> {
    /// The widest loop of a plane around the middle; cavities inside a head are smaller.
    pub(crate) fn around_middle(&self, plane: Plane) -> Option<Loop> {
        self.widest(slice(self.mesh, plane))
    }

    /// The widest of loops that lie around the middle.
    pub(crate) fn widest(&self, loops: Vec<Loop>) -> Option<Loop> {
        let loops = loops.into_iter().map(|l| (l.bounds(), l));
        let around = loops.filter(|((lo, hi), _)| lo.x < 0.0 && hi.x > 0.0);
        around.max_by(|a, b| (a.0.1.x - a.0.0.x).total_cmp(&(b.0.1.x - b.0.0.x))).map(|(_, l)| l)
    }
}

/// The line of the shoulder: the highest points of sections x = const, below the head and behind the jaw.
fn ridge(f: &Finder<'_>, side: f64, neck: DVec3, armpit: f64) -> Vec<DVec3> {
    const COUNT: usize = 64;
    let step = RIDGE_STEP * f.height;
    let (roof, jaw) = (neck.y + 0.022 * f.height, neck.z + 0.015 * f.height);
    let first = 0.012 * f.height;
    let mut top = vec![DVec3::new(0.0, f64::NEG_INFINITY, 0.0); COUNT];
    for t in 0..f.mesh.triangles.len() {
        let c = f.mesh.corners(t);
        let low = c.iter().map(|p| p.y).fold(f64::MAX, f64::min);
        let high = c.iter().map(|p| p.y).fold(f64::MIN, f64::max);
        if high < armpit || low > roof {
            continue;
        }
        for k in 0..3 {
            let (a, b) = (c[k], c[(k + 1) % 3]);
            let (xa, xb) = (side * a.x, side * b.x);
            let (from, to) = (xa.min(xb), xa.max(xb));
            let start = ((from - first) / step).ceil().max(0.0) as usize;
            for (i, best) in top.iter_mut().enumerate().skip(start) {
                let x = first + i as f64 * step;
                if x > to {
                    break;
                }
                if to > from {
                    let p = a.lerp(b, (x - xa) / (xb - xa));
                    if p.y > best.y && p.y <= roof && p.z < jaw {
                        *best = p;
                    }
                }
            }
        }
    }
    top.retain(|p| p.y.is_finite());
    top
}

/// Slope of the shoulder line where the neck begins: halfway between a shoulder and a neck.
const NECK_SLOPE: f64 = 0.75;

/// Where the shoulder line, coming from outside, becomes steep.
fn turn(ridge: &[DVec3], h: f64) -> Option<DVec3> {
    let slope = |i: usize| {
        let (a, b) = (ridge[i - 2], ridge[i + 2]);
        -(b.y - a.y) / (b.x - a.x).abs()
    };
    let start = ridge.iter().position(|p| p.x.abs() > 0.085 * h)?.min(ridge.len().checked_sub(3)?);
    (3..=start).rev().find(|i| slope(i - 1) > NECK_SLOPE).map(|i| {
        let (s0, s1) = (slope(i - 1), slope(i));
        let t = if s0 > s1 { ((s0 - NECK_SLOPE) / (s0 - s1)).clamp(0.0, 1.0) } else { 0.0 };
        ridge[i - 1].lerp(ridge[i], t)
    })
}

/// How far the plane through armpit and shoulder point leans outwards [rad].
///
/// A raised arm carries its armpit outwards and the shoulder point inwards. The parabola goes through what was seen on
/// the mannequin with hanging, half raised and level arms.
fn lean(arm: &Arm) -> f64 {
    let n = arm.axis.len();
    // The middle of the arm: its end at the shoulder is no sure direction.
    let along = arm.axis[(0.72 * n as f64) as usize] - arm.axis[(0.42 * n as f64) as usize];
    let raised = libm::atan2(along.x.abs(), along.y).to_degrees();
    (16.0 - 0.333 * (raised - 12.0) - 0.0085 * (raised - 12.0) * (raised - 45.0)).to_radians()
}

/// Where the shoulder line meets the plane through the armpit that leans outwards.
fn end(ridge: &[DVec3], armpit: DVec3, side: f64, lean: f64) -> Option<DVec3> {
    let lean = libm::tan(lean);
    let beyond = |p: DVec3| side * (p.x - armpit.x) - lean * (p.y - armpit.y);
    let i = ridge.windows(2).position(|w| beyond(w[0]) <= 0.0 && beyond(w[1]) > 0.0)?;
    let (a, b) = (beyond(ridge[i]), beyond(ridge[i + 1]));
    Some(ridge[i].lerp(ridge[i + 1], a / (a - b)))
}

/// The foremost (+1) or backmost (−1) point at a height of loops in a plane x = const.
pub(crate) fn at_height(loops: &[Loop], y: f64, side: f64) -> Option<DVec3> {
    let sides = loops.iter().flat_map(Loop::sides);
    let crossing = sides.filter(|(a, b)| (a.y < y) != (b.y < y));
    let points = crossing.map(|(a, b)| a.lerp(b, (y - a.y) / (b.y - a.y)));
    points.max_by(|a, b| (side * a.z).total_cmp(&(side * b.z)))
}
