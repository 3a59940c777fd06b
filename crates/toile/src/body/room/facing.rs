//! The nearest other skin that each vertex of a skin faces.
//!
//! A vertex v is compared with the triangles t of other parts for which, with c the middle of t, 0 the pose of the fitting, and n unit normals,
//!
//! |x_v − x_c| ≤ REACH,  |x_v − x_c| < NEARER |x⁰_v − x⁰_c|,  |x⁰_v − x⁰_c| > 1.5 ROOM  and  n_v · n_t ≤ FACING.
//!
//! Of those the nearest counts, and only if the vertex is behind its plane or nearer than ROOM. So most vertices need no search: the skin is cut
//! into patches of one bone, and a patch of vertices is compared with one of triangles only if balls around both, now and in the pose of the fitting,
//! and cones around their normals do not rule out every pair. A first pass finds the vertices that some triangle could move, by the same
//! cones: v is in front of all triangles of a patch by more than ROOM if that holds for the ball of v's patch and all normals of the cone. The second
//! pass finds the nearest triangle for those alone, patches in order of their distance. The result is that of comparing all with all.

use super::ROOM;
use glam::DVec3;
use std::collections::BTreeMap;
use toile_body::Bone;
use toile_body::motion::Rig;
use toile_collide::distance::point_triangle;
use toile_mesh::TriMesh;

/// How far from a vertex other skin is looked for [m].
const REACH: f64 = 0.1;

/// Skin faces other skin if the cosine between their normals is below this.
const FACING: f64 = -0.2;

/// By how much skin is nearer than in the pose of the fitting if it is of another part.
const NEARER: f64 = 0.5;

/// Side of the cells that patches of skin are cut by [m].
const PATCH: f64 = 0.03;

/// How many patches the side of a region has.
const REGION: i32 = 4;

/// Allowance for rounding in bounds: on lengths [m] and on angles [rad].
const ROUNDING: f64 = 1e-9;

/// A skin at rest, and its parts.
#[derive(Clone, Debug)]
pub(crate) struct Surface {
    pub(super) mesh: TriMesh,
    /// The part that each vertex belongs to.
    part: Vec<u32>,
    /// Whether the parts are bones, in the order of [`Bone::ALL`].
    has_bones: bool,
}

/// Side of the cells that stand for parts where no bones are known [m].
const CELL: f64 = 0.1;

impl Surface {
    /// The skin of a rig: a vertex belongs to the bone that holds most of it.
    pub(crate) fn of_rig(rig: &Rig) -> Self {
        let part = rig.weights.iter().map(|w| w[0].0 as u32).collect();
        Self { mesh: rig.mesh.clone(), part, has_bones: true }
    }

    /// A skin in parts that are only numbered: those that joints of a file hold.
    pub(crate) fn in_parts(mesh: TriMesh, part: Vec<u32>) -> Self {
        Self { mesh, part, has_bones: false }
    }

    /// A skin of which no bones are known, in small cells.
    pub(crate) fn in_cells(mesh: TriMesh) -> Self {
        let mut numbers: BTreeMap<[i32; 3], u32> = BTreeMap::new();
        let cell = |p: &DVec3| (*p / CELL).floor().to_array().map(|c| c as i32);
        let mut part = Vec::with_capacity(mesh.positions.len());
        for p in &mesh.positions {
            let next = numbers.len() as u32;
            part.push(*numbers.entry(cell(p)).or_insert(next));
        }
        Self { mesh, part, has_bones: false }
    }

    /// The bones of two vertices, if there are any.
    pub(super) fn bones(&self, vertices: [u32; 2]) -> Option<[String; 2]> {
        self.has_bones.then(|| vertices.map(|v| format!("{:?}", self.bone(v))))
    }

    fn bone(&self, vertex: u32) -> Bone {
        Bone::ALL[self.part[vertex as usize] as usize]
    }

    /// Whether skin at two vertices may fold deep into itself: a joint is between them, or could be.
    pub(super) fn is_fold(&self, vertices: [u32; 2]) -> bool {
        if !self.has_bones {
            return true;
        }
        let [a, b] = vertices.map(|v| self.bone(v));
        a.parent() == Some(b) || b.parent() == Some(a)
    }
}

/// The nearest skin that a vertex faces.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Facing {
    pub(super) distance: f64,
    /// The distance, negative behind the triangle.
    pub(super) gap: f64,
    pub(super) triangle: u32,
    /// Place of the triangle in the order of patches; decides between equal distances.
    rank: u32,
}

/// Skin of one part in a small cell of the pose of the fitting.
struct Patch {
    #[cfg(test)]
    part: u32,
    vertices: Vec<u32>,
    triangles: Vec<u32>,
    /// Place of its first triangle in the order of all patches.
    first: u32,
    rest: Ball,
}

/// Patches of one part in a larger cell.
struct Region {
    part: u32,
    patches: Vec<u32>,
    rest: Ball,
}

/// A ball around points.
#[derive(Clone, Copy)]
struct Ball {
    centre: DVec3,
    radius: f64,
}

impl Ball {
    fn around(vertices: &[u32], x: &[DVec3]) -> Self {
        let all = || vertices.iter().map(|v| x[*v as usize]);
        let centre = all().sum::<DVec3>() / vertices.len() as f64;
        let radius = all().map(|p| p.distance_squared(centre)).fold(0.0, f64::max).sqrt();
        Self { centre, radius }
    }

    /// A ball around balls.
    fn enclosing(balls: impl Iterator<Item = Self> + Clone) -> Self {
        let (lo, hi) = balls.clone().fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(lo, hi), b| {
            (lo.min(b.centre), hi.max(b.centre))
        });
        let centre = 0.5 * (lo + hi);
        let radius = balls.map(|b| b.centre.distance(centre) + b.radius).fold(0.0, f64::max);
        Self { centre, radius }
    }

    /// Least distance between points of two balls; negative if they overlap.
    fn gap(&self, other: &Self) -> f64 {
        self.centre.distance(other.centre) - self.radius - other.radius
    }

    /// Largest distance between points of two balls.
    fn span(&self, other: &Self) -> f64 {
        self.centre.distance(other.centre) + self.radius + other.radius
    }
}

/// A cone around unit vectors.
#[derive(Clone, Copy)]
struct Cone {
    axis: DVec3,
    /// Cosine and sine of half its angle.
    turn: [f64; 2],
    /// The angle beyond which skin faces other skin, less half the angle of the cone [rad]; and its cosine and sine.
    left: f64,
    left_turn: [f64; 2],
}

impl Cone {
    fn around(normals: impl Iterator<Item = DVec3> + Clone) -> Self {
        let axis = normals.clone().sum::<DVec3>().normalize_or_zero();
        let cosine = normals.filter(|n| *n != DVec3::ZERO).map(|n| n.dot(axis)).fold(1.0, f64::min);
        let spread = libm::acos(cosine.clamp(-1.0, 1.0)) + ROUNDING;
        let left = libm::acos(FACING) - spread;
        let turns = |angle: f64| [libm::cos(angle), libm::sin(angle)];
        Self { axis, turn: turns(spread), left, left_turn: turns(left) }
    }

    /// Whether a unit vector faces none of the cone.
    fn is_turned_away(&self, n: DVec3) -> bool {
        self.left > 0.0 && n.dot(self.axis) > self.left_turn[0] + ROUNDING
    }

    /// Whether no vector of a cone faces one of the other: whether the angle between the axes is less than what both leave.
    fn are_turned_away(&self, other: &Self) -> bool {
        let ([cos, sin], [c, s]) = (self.left_turn, other.turn);
        // Of the angle that is left when the other cone is taken off, too.
        let (cos, sin) = (cos * c + sin * s, sin * c - cos * s);
        self.left > 0.0 && c > 0.0 && sin > 0.0 && self.axis.dot(other.axis) > cos + ROUNDING
    }

    /// Least of n · d over the unit vectors n of the cone: |d| cos(angle to the axis + spread).
    fn least(&self, d: DVec3) -> f64 {
        let (along, squared) = (self.axis.dot(d), d.length_squared());
        let [cos, sin] = self.turn;
        let length = squared.sqrt();
        // Beyond half a turn the vector −d is in the cone.
        if along < -cos * length {
            return -length;
        }
        along * cos - (squared - along * along).max(0.0).sqrt() * sin
    }
}

/// A skin that is looked at in many postures.
pub(super) struct Skin<'a> {
    surface: &'a Surface,
    patches: Vec<Patch>,
    regions: Vec<Region>,
    /// Middles of the triangles in the pose of the fitting.
    middles: Vec<DVec3>,
}

impl<'a> Skin<'a> {
    pub(super) fn new(surface: &'a Surface) -> Self {
        let mut cells: BTreeMap<(u32, [i32; 3]), Vec<u32>> = BTreeMap::new();
        let middles = middles(&surface.mesh.triangles, &surface.mesh.positions);
        for (t, corners) in surface.mesh.triangles.iter().enumerate() {
            let part = surface.part[corners[0] as usize];
            let cell = (middles[t] / PATCH).floor().to_array().map(|c| c as i32);
            cells.entry((part, cell)).or_default().push(t as u32);
        }
        let mut by_region: BTreeMap<(u32, [i32; 3]), Vec<u32>> = BTreeMap::new();
        let (mut patches, mut first) = (Vec::new(), 0);
        for ((part, cell), triangles) in cells {
            let region = by_region.entry((part, cell.map(|c| c.div_euclid(REGION)))).or_default();
            region.push(patches.len() as u32);
            let corners = triangles.iter().flat_map(|t| surface.mesh.triangles[*t as usize]);
            let mut vertices: Vec<u32> = corners.collect();
            vertices.sort_unstable();
            vertices.dedup();
            let rest = Ball::around(&vertices, &surface.mesh.positions);
            let count = triangles.len() as u32;
            patches.push(Patch {
                #[cfg(test)]
                part,
                vertices,
                triangles,
                first,
                rest,
            });
            first += count;
        }
        let region = |((part, _), own): ((u32, [i32; 3]), Vec<u32>)| {
            let rest = Ball::enclosing(own.iter().map(|p| patches[*p as usize].rest));
            Region { part, patches: own, rest }
        };
        let regions = by_region.into_iter().map(region).collect();
        Self { surface, patches, regions, middles }
    }

    pub(super) fn surface(&self) -> &'a Surface {
        self.surface
    }

    /// What each vertex faces, of those that are behind it or nearer to it than [`ROOM`]; others may have nothing.
    pub(super) fn facing(&self, x: &[DVec3]) -> Vec<Option<Facing>> {
        let moment = Moment::new(self, x);
        let mut nearest = vec![None; x.len()];
        for (a, others) in moment.pairs().iter().enumerate() {
            if others.iter().any(|o| !o.is_in_front) {
                moment.search(&self.patches[a], others, &mut nearest);
            }
        }
        nearest
    }
}

/// Middles of triangles.
fn middles(triangles: &[[u32; 3]], x: &[DVec3]) -> Vec<DVec3> {
    triangles.iter().map(|t| t.iter().map(|v| x[*v as usize]).sum::<DVec3>() / 3.0).collect()
}

/// A patch of triangles that vertices of another could face.
struct Other {
    patch: u32,
    /// Whether all vertices are certainly in front of its triangles, by more than [`ROOM`].
    is_in_front: bool,
}

/// A skin in a posture.
struct Moment<'a> {
    skin: &'a Skin<'a>,
    x: &'a [DVec3],
    /// Normals of the vertices.
    normals: Vec<DVec3>,
    /// Normals and middles of the triangles.
    faces: Vec<(DVec3, DVec3)>,
    balls: Vec<Ball>,
    /// Around the normals of the vertices of each patch, and of its triangles.
    cones: Vec<[Cone; 2]>,
}

impl<'a> Moment<'a> {
    fn new(skin: &'a Skin<'a>, x: &'a [DVec3]) -> Self {
        let triangles = &skin.surface.mesh.triangles;
        let normals = TriMesh::new(x.to_vec(), triangles.clone()).vertex_normals();
        let face = |t: &[u32; 3]| {
            let [a, b, c] = t.map(|v| x[v as usize]);
            ((b - a).cross(c - a).normalize_or_zero(), (a + b + c) / 3.0)
        };
        let faces: Vec<_> = triangles.iter().map(face).collect();
        let balls = skin.patches.iter().map(|p| Ball::around(&p.vertices, x)).collect();
        let cones = |p: &Patch| {
            let of_vertices = Cone::around(p.vertices.iter().map(|v| normals[*v as usize]));
            [of_vertices, Cone::around(p.triangles.iter().map(|t| faces[*t as usize].0))]
        };
        let cones = skin.patches.iter().map(cones).collect();
        Self { skin, x, normals, faces, balls, cones }
    }

    /// For each patch of vertices the patches of triangles that it could face.
    fn pairs(&self) -> Vec<Vec<Other>> {
        let skin = self.skin;
        let mut pairs: Vec<Vec<Other>> = skin.patches.iter().map(|_| Vec::new()).collect();
        let ball = |r: &Region| Ball::enclosing(r.patches.iter().map(|p| self.balls[*p as usize]));
        let balls: Vec<Ball> = skin.regions.iter().map(ball).collect();
        for (i, r) in skin.regions.iter().enumerate() {
            for (j, s) in skin.regions.iter().enumerate().filter(|(_, s)| s.part != r.part) {
                if !is_near(balls[i].gap(&balls[j]), r.rest.span(&s.rest)) {
                    continue;
                }
                for a in &r.patches {
                    let found = s.patches.iter().filter_map(|b| self.compare(*a, *b));
                    pairs[*a as usize].extend(found);
                }
            }
        }
        pairs
    }

    /// Whether vertices of a patch could face triangles of another.
    fn compare(&self, a: u32, b: u32) -> Option<Other> {
        let (i, j) = (a as usize, b as usize);
        let (a_ball, b_ball) = (&self.balls[i], &self.balls[j]);
        if is_beyond(a_ball.centre - b_ball.centre, a_ball.radius + b_ball.radius) {
            return None;
        }
        let gap = a_ball.gap(b_ball);
        if !is_near(gap, self.skin.patches[i].rest.span(&self.skin.patches[j].rest)) {
            return None;
        }
        let (vertices, triangles) = (&self.cones[i][0], &self.cones[j][1]);
        if triangles.are_turned_away(vertices) {
            return None;
        }
        let radii = a_ball.radius + b_ball.radius;
        let height = triangles.least(a_ball.centre - b_ball.centre) - radii;
        Some(Other { patch: b, is_in_front: height > ROOM + ROUNDING })
    }

    /// Whether a vertex faces a triangle of another part.
    fn faces(&self, v: usize, t: usize) -> bool {
        let (normal, middle) = self.faces[t];
        let now = self.x[v].distance_squared(middle);
        if now > REACH * REACH || normal.dot(self.normals[v]) > FACING {
            return false;
        }
        let before = self.skin.surface.mesh.positions[v].distance_squared(self.skin.middles[t]);
        before > 1.5 * 1.5 * ROOM * ROOM && now < NEARER * NEARER * before
    }

    /// Whether a triangle that a vertex faces moves it if it is the nearest: unless the vertex is in front of its plane by more than [`ROOM`].
    fn is_in_the_way(&self, v: usize, t: usize) -> bool {
        let (normal, middle) = self.faces[t];
        (self.x[v] - middle).dot(normal) < ROOM + ROUNDING && self.faces(v, t)
    }

    /// Whether a vertex could face triangles of a patch; if so, how far away they are at least and whether it is in front of all of them by more
    /// than [`ROOM`].
    fn sees(&self, v: u32, b: u32) -> Option<(f64, bool)> {
        let (v, b) = (v as usize, b as usize);
        let (ball, cone, rest) = (&self.balls[b], &self.cones[b][1], &self.skin.patches[b].rest);
        let d = self.x[v] - ball.centre;
        if is_beyond(d, ball.radius) || cone.is_turned_away(self.normals[v]) {
            return None;
        }
        let gap = d.length() - ball.radius;
        let span = self.skin.surface.mesh.positions[v].distance(rest.centre) + rest.radius;
        let height = cone.least(d) - ball.radius;
        is_near(gap, span).then_some((gap, height > ROOM + ROUNDING))
    }

    /// Finds what the vertices of a patch face, if that could move them.
    fn search(&self, a: &Patch, others: &[Other], nearest: &mut [Option<Facing>]) {
        let patch = |b: u32| &self.skin.patches[b as usize];
        let mut seen: Vec<(f64, u32)> = Vec::new();
        for v in &a.vertices {
            let is_moved = |o: &Other| {
                let open =
                    !o.is_in_front && self.sees(*v, o.patch).is_some_and(|(_, front)| !front);
                let mut triangles = patch(o.patch).triangles.iter();
                open && triangles.any(|t| self.is_in_the_way(*v as usize, *t as usize))
            };
            if !others.iter().any(is_moved) {
                continue;
            }
            seen.clear();
            seen.extend(others.iter().filter_map(|o| Some((self.sees(*v, o.patch)?.0, o.patch))));
            seen.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            let own = &mut nearest[*v as usize];
            for (gap, b) in &seen {
                if own.is_some_and(|n| n.distance < gap - ROUNDING) {
                    break;
                }
                self.nearer(*v as usize, patch(*b), own);
            }
        }
    }

    /// Looks for what is nearer to a vertex among the triangles of a patch.
    fn nearer(&self, v: usize, b: &Patch, nearest: &mut Option<Facing>) {
        for (k, t) in b.triangles.iter().enumerate() {
            let (normal, middle) = self.faces[*t as usize];
            // A triangle is no nearer than its plane.
            let height = (self.x[v] - middle).dot(normal).abs() - ROUNDING;
            let is_farther = nearest.is_some_and(|n| height > n.distance);
            if is_farther || !self.faces(v, *t as usize) {
                continue;
            }
            let found = self.measure(v, *t, b.first + k as u32);
            let is_nearer = |n: Facing| (found.distance, found.rank) < (n.distance, n.rank);
            if nearest.is_none_or(is_nearer) {
                *nearest = Some(found);
            }
        }
    }

    /// How far a vertex is from a triangle.
    fn measure(&self, v: usize, triangle: u32, rank: u32) -> Facing {
        let p = self.x[v];
        let tri = self.skin.surface.mesh.triangles[triangle as usize].map(|c| self.x[c as usize]);
        let w = point_triangle(p, tri);
        let foot = tri[0] * w[0] + tri[1] * w[1] + tri[2] * w[2];
        let distance = p.distance(foot);
        let is_behind = (p - foot).dot(self.faces[triangle as usize].0) < 0.0;
        let gap = if is_behind { -distance } else { distance };
        Facing { distance, gap, triangle, rank }
    }
}

/// Whether balls whose centres are `d` apart, of so large radii together, are farther apart than is looked.
fn is_beyond(d: DVec3, radii: f64) -> bool {
    let reach = REACH + radii + ROUNDING;
    d.length_squared() > reach * reach
}

/// Whether points that are at least `gap` apart now and at most `span` in the pose of the fitting could be of different parts.
fn is_near(gap: f64, span: f64) -> bool {
    gap < REACH + ROUNDING && gap < NEARER * span + ROUNDING
}

#[cfg(test)]
mod tests {
    use super::*;
    use toile_body::motion::{Clip, Performance, Skinning};
    use toile_body::{Figure, Mannequin, Pose};
    use toile_pattern::Size;

    /// Every vertex against every triangle.
    fn by_brute_force(skin: &Skin<'_>, x: &[DVec3]) -> Vec<Option<Facing>> {
        let moment = Moment::new(skin, x);
        let mut parts = vec![Vec::new(); x.len()];
        for p in &skin.patches {
            p.vertices.iter().for_each(|v| parts[*v as usize].push(p.part));
        }
        let mut nearest: Vec<Option<Facing>> = vec![None; x.len()];
        for (v, own) in nearest.iter_mut().enumerate() {
            for patch in &skin.patches {
                if parts[v].iter().any(|b| *b != patch.part) {
                    moment.nearer(v, patch, own);
                }
            }
        }
        nearest
    }

    #[test]
    fn the_search_finds_what_comparing_all_with_all_finds() {
        let m = Figure::Female.measurements(Size::M);
        let rig = Rig::new(&Mannequin::new(&m, Figure::Female, Pose::A).expect("a body"));
        let surface = Surface::of_rig(&rig);
        let skin = Skin::new(&surface);
        for (name, time) in [("walk", 2.1), ("sit", 2.4)] {
            let clip = Clip::of_name(name).expect("a clip");
            let x = Performance::new(&rig, clip, Skinning::default()).positions(time);
            let moving = |all: Vec<Option<Facing>>| -> Vec<_> {
                all.into_iter().map(|f| f.filter(|f| f.gap < ROOM)).collect()
            };
            let (found, wanted) = (moving(skin.facing(&x)), moving(by_brute_force(&skin, &x)));
            assert!(wanted.iter().flatten().count() > 5, "{name}: nothing touches");
            assert_eq!(found, wanted, "{name}");
        }
    }
}
