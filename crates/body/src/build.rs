//! The cage of a mannequin: rings of vertices joined to tubes.
//!
//! The torso is a tube of [`COLUMNS`] columns with two holes where the arms begin, and its lowest ring splits
//! into two legs along the crotch. Everything is built for the left side and mirrored.

use crate::atlas::Patch;
use crate::cage::Cage;
use crate::proportions::Proportions;
use crate::section::Section;
use crate::skeleton::{BONES, Bone, BonePlace, Skeleton};
use glam::{DVec2, DVec3};

/// Numbers at each vertex of the cage: a position and the weights of the bones.
pub(crate) const NUMBERS: usize = 3 + BONES;

/// Columns of the torso: 0 is the middle of the front, [`SIDE`] the left side, the double of it the middle of the back.
pub(crate) const COLUMNS: usize = 16;

/// The column of the left side.
pub(crate) const SIDE: usize = COLUMNS / 4;

/// Shares of bones.
pub(crate) type Weights = [f64; BONES];

/// Weights from a short list.
pub(crate) fn weights(list: &[(Bone, f64)]) -> Weights {
    let mut w = [0.0; BONES];
    for (bone, share) in list {
        w[*bone as usize] += share;
    }
    w
}

/// A cage that grows.
pub(crate) struct Builder {
    pub(crate) p: Proportions,
    pub(crate) cage: Cage<NUMBERS>,
    /// Where each face is in its chart of the atlas.
    pub(crate) patches: Vec<Patch>,
    charts: u32,
}

/// A tube that grows ring by ring, unrolled to a chart of the atlas.
pub(crate) struct Tube {
    chart: u32,
    /// How long it is by now [m].
    length: f64,
    flip: bool,
}

/// Which half of the body a limb belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Half {
    Left,
    Right,
}

impl Half {
    pub(crate) const BOTH: [Self; 2] = [Self::Left, Self::Right];

    pub(crate) fn point(self, p: DVec3) -> DVec3 {
        if self == Self::Left { p } else { DVec3::new(-p.x, p.y, p.z) }
    }

    pub(crate) fn bone(self, left: Bone) -> Bone {
        if self == Self::Left { left } else { left.mirrored() }
    }

    /// Whether the faces of a limb must be turned: its rings run clockwise on the left.
    pub(crate) fn flips(self) -> bool {
        self == Self::Left
    }

    /// The column of the torso that mirrors a column of the left half.
    pub(crate) fn column(self, left: usize) -> usize {
        if self == Self::Left { left } else { (COLUMNS - left) % COLUMNS }
    }
}

impl Builder {
    /// The whole cage.
    pub(crate) fn build(p: Proportions) -> (Cage<NUMBERS>, Vec<Patch>) {
        let cage = Cage { data: Vec::new(), faces: Vec::new() };
        let mut b = Self { p, cage, patches: Vec::new(), charts: 0 };
        let mut torso = b.torso();
        b.head(&mut torso);
        for half in Half::BOTH {
            b.arm(&torso, half);
        }
        b.legs(&torso);
        (b.cage, b.patches)
    }

    pub(crate) fn vertex(&mut self, p: DVec3, w: &Weights) -> u32 {
        let mut data = [0.0; NUMBERS];
        data[..3].copy_from_slice(&p.to_array());
        data[3..].copy_from_slice(w);
        self.cage.data.push(data);
        self.cage.data.len() as u32 - 1
    }

    /// Points of a left limb, put on its half.
    pub(crate) fn ring(&mut self, points: &[DVec3], half: Half, left: &[(Bone, f64)]) -> Vec<u32> {
        let list: Vec<_> = left.iter().map(|(b, s)| (half.bone(*b), *s)).collect();
        let w = weights(&list);
        points.iter().map(|p| self.vertex(half.point(*p), &w)).collect()
    }

    pub(crate) fn position(&self, v: u32) -> DVec3 {
        DVec3::from_slice(&self.cage.data[v as usize][..3])
    }

    /// Begins a tube; `flip` if its rings run clockwise seen from where it grows to.
    pub(crate) fn tube(&mut self, flip: bool) -> Tube {
        self.charts += 1;
        Tube { chart: self.charts - 1, length: 0.0, flip }
    }

    /// Quads from a ring to the next.
    pub(crate) fn join(&mut self, tube: &mut Tube, from: &[u32], to: &[u32]) {
        let points = [from, to].map(|ring| ring.iter().map(|v| self.position(*v)).collect());
        self.join_where(tube, from, to, points, |_| true);
    }

    /// Quads from a ring to the next where a column is wanted; `points` are the rings, also where there are no vertices.
    pub(crate) fn join_where(
        &mut self,
        tube: &mut Tube,
        from: &[u32],
        to: &[u32],
        points: [Vec<DVec3>; 2],
        wanted: impl Fn(usize) -> bool,
    ) {
        let n = from.len();
        let far: f64 = (0..n).map(|i| points[0][i].distance(points[1][i])).sum();
        let ends = [tube.length, tube.length + far / n as f64];
        tube.length = ends[1];
        let [low, high] = points.map(|ring| unrolled(&ring));
        for i in (0..n).filter(|i| wanted(*i)) {
            let j = (i + 1) % n;
            let side = if tube.flip { -1.0 } else { 1.0 };
            let place = |u: f64, end: usize| DVec2::new(side * u, ends[end]);
            let corners = vec![
                place(low[i], 0),
                place(low[i + 1], 0),
                place(high[i + 1], 1),
                place(high[i], 1),
            ];
            let patch = Patch { chart: tube.chart, corners };
            self.face(&[from[i], from[j], to[j], to[i]], patch, tube.flip);
        }
    }

    /// Closes a tube by one polygon, a chart of its own.
    pub(crate) fn cap(&mut self, ring: &[u32], flip: bool) {
        let points: Vec<DVec3> = ring.iter().map(|v| self.position(*v)).collect();
        let centre = points.iter().sum::<DVec3>() / points.len() as f64;
        let around = |i: usize| (points[i] - centre).cross(points[(i + 1) % points.len()] - centre);
        let normal = (0..points.len()).map(around).sum::<DVec3>().normalize_or(DVec3::Y);
        let normal = if flip { -normal } else { normal };
        let x = normal.any_orthonormal_vector();
        let y = normal.cross(x);
        let corners = points.iter().map(|p| DVec2::new(p.dot(x), p.dot(y))).collect();
        self.charts += 1;
        let patch = Patch { chart: self.charts - 1, corners };
        self.face(ring, patch, flip);
    }

    fn face(&mut self, corners: &[u32], mut patch: Patch, flip: bool) {
        let mut face = corners.to_vec();
        if flip {
            face.reverse();
            patch.corners.reverse();
        }
        self.cage.faces.push(face);
        self.patches.push(patch);
    }

    /// Points of a section at given angles from the front [rad].
    pub(crate) fn around(section: &Section, angles: &[f64]) -> Vec<DVec3> {
        angles.iter().map(|t| section.point(*t)).collect()
    }
}

/// How far each vertex of a ring, and the first again, is along it from its middle [m].
fn unrolled(ring: &[DVec3]) -> Vec<f64> {
    let mut along = vec![0.0];
    let mut run = 0.0;
    for i in 0..ring.len() {
        run += ring[i].distance(ring[(i + 1) % ring.len()]);
        along.push(run);
    }
    along.iter().map(|u| u - 0.5 * run).collect()
}

/// Where the bones are in the pose in which the cage is built.
pub(crate) fn skeleton(p: &Proportions) -> Skeleton {
    let k = p.k;
    let mid = |y: f64, z: f64| DVec3::new(0.0, y, z);
    let pelvis = mid(p.hip + 0.3 * (p.waist - p.hip), -0.01 * k);
    let spine = mid(p.waist, -0.02 * k);
    let chest = mid(p.underbust, -0.03 * k);
    let neck = mid(p.nape - 0.02 * k, -0.035 * k);
    let head = mid(p.m.height - 0.215 * k, -0.005 * k);
    let hip_joint = DVec3::new(p.thigh_x(), p.crotch + 0.06 * k, 0.0);
    let knee = p.knee_centre();
    let ankle = p.ankle_centre();
    let wrist = p.on_arm(1.0);
    let left = |bone: Bone| match bone {
        Bone::LeftCollar => (DVec3::new(0.02 * k, p.shoulder.y - 0.02 * k, 0.0), p.shoulder_joint),
        Bone::LeftUpperArm => (p.shoulder_joint, p.on_arm(crate::proportions::ELBOW)),
        Bone::LeftForearm => (p.on_arm(crate::proportions::ELBOW), wrist),
        Bone::LeftHand => (wrist, wrist + p.along_arm * (0.105 * p.m.height)),
        Bone::LeftThigh => (hip_joint, knee),
        Bone::LeftShin => (knee, ankle),
        _ => (ankle, DVec3::new(ankle.x + 0.02 * k, 0.02 * k, ankle.z + 0.16 * k)),
    };
    let place = |bone: Bone| {
        let (joint, end) = match bone {
            Bone::Pelvis => (pelvis, spine),
            Bone::Spine => (spine, chest),
            Bone::Chest => (chest, neck),
            Bone::Neck => (neck, head),
            Bone::Head => (head, mid(p.m.height, 0.0)),
            _ if (bone.mirrored() as usize) < bone as usize => {
                let (joint, end) = left(bone.mirrored());
                (Half::Right.point(joint), Half::Right.point(end))
            }
            _ => left(bone),
        };
        BonePlace { bone, joint, end }
    };
    Skeleton { bones: Bone::ALL.into_iter().map(place).collect() }
}
