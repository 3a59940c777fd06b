//! Surfaces to measure collision detection on.
//!
//! Cloth bends but hardly stretches. A surface that squeezes its cloth has proximities no cloth has, so
//! all surfaces here are nearly isometric to their material: each is one square metre of cloth at
//! any resolution, made without files and the same on every machine.
//!
//! | scene | shape | separation |
//! |---|---|---|
//! | flat | a square | 0.5 mm |
//! | hung | gathered at its top, hanging in deep pleats 2 cm wide at their necks: nothing touches | 0.5 mm |
//! | draped | the same, but the necks are 0.41 mm wide at the top and open to 0.55 mm | 0.5 mm |
//! | ribbon | 20 cm wide, folded to 25 layers 1 mm apart, each turned against the one below | 1.1 mm |
//! | stack | 20 sheets 1 mm apart, turned by a degree each, in common waves | 1.1 mm |
//! | twist | a sheet rolled to a spiral with 1.2 mm between its layers, then wrung | 1.3 mm |
//!
//! Over the step everything moves by about a millimetre, in a smooth field that is not rigid.
//!
//! Limits: ribbon, stack and twist are coarse below 5000 triangles; facets of neighbouring layers
//! may then touch.

pub(super) mod pleats;

use glam::{DAffine2, DMat2, DQuat, DVec2, DVec3};
use pleats::Pleats;
use serde::{Deserialize, Serialize};
use toile_collide::broad::Detector;
use toile_collide::{Motion, Options, Surface};
use toile_mesh::Topology;
use toile_mesh::shape::{Diagonals, grid};

/// What is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// A flat square.
    Flat,
    /// A curtain whose folds do not touch.
    Hung,
    /// A curtain: gathered at its top and hanging in folds that touch themselves.
    Draped,
    /// A ribbon folded to a heap.
    Ribbon,
    /// Sheets on one another.
    Stack,
    /// A roll, wrung.
    Twist,
}

impl Kind {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Flat, Self::Hung, Self::Draped, Self::Ribbon, Self::Stack, Self::Twist];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Flat => "flat",
            Self::Hung => "hung",
            Self::Draped => "draped",
            Self::Ribbon => "ribbon",
            Self::Stack => "stack",
            Self::Twist => "twist",
        }
    }

    /// The scene of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|k| k.name() == name)
    }

    /// Its lengths.
    fn measures(self) -> Measures {
        let separation = match self {
            Self::Flat | Self::Hung | Self::Draped => 5e-4,
            Self::Ribbon | Self::Stack => 1.1e-3,
            Self::Twist => 1.3e-3,
        };
        let gap = if self == Self::Hung { 2e-2 } else { 4.8e-4 };
        let pleats = pleats::Shape { bend: 15e-3, limb: 60e-3, gap };
        Measures { separation, layer: 1e-3, way: 1e-3, pleats }
    }
}

/// Lengths that may be chosen.
#[derive(Clone, Copy, Debug)]
pub(super) struct Measures {
    /// Distance at which a pair becomes a candidate: a little more than the layers' if there are
    /// layers, so that they are in contact [m].
    pub(super) separation: f64,
    /// From layer to layer of the ribbon and the stack [m].
    pub(super) layer: f64,
    /// How far everything moves [m].
    pub(super) way: f64,
    /// Pleats of the draped sheet.
    pub(super) pleats: pleats::Shape,
}

/// A surface at both ends of a step.
#[derive(Clone, Debug)]
pub struct Case {
    /// Where it comes from.
    pub kind: Kind,
    /// Distance at which a pair becomes a candidate [m].
    pub separation: f64,
    /// Its triangles.
    pub triangles: Vec<[u32; 3]>,
    /// Material coordinates of vertices [m].
    pub uv: Vec<DVec2>,
    /// The cloth each triangle belongs to.
    pub piece: Vec<u32>,
    /// The cloth each vertex belongs to.
    pub vertex_piece: Vec<u32>,
    /// Positions at the start of the step [m].
    pub x_t0: Vec<DVec3>,
    /// Positions at its end [m].
    pub x_t1: Vec<DVec3>,
}

impl Case {
    /// A scene with about as many triangles as wanted.
    pub fn new(kind: Kind, triangles: usize) -> Self {
        Self::with(kind, triangles, kind.measures())
    }

    /// The same with other lengths.
    pub(super) fn with(kind: Kind, triangles: usize, measures: Measures) -> Self {
        let mut case = Self {
            kind,
            separation: measures.separation,
            triangles: Vec::new(),
            uv: Vec::new(),
            piece: Vec::new(),
            vertex_piece: Vec::new(),
            x_t0: Vec::new(),
            x_t1: Vec::new(),
        };
        let square = |n: usize| ((n as f64 / 2.0).sqrt().round() as usize).max(1);
        match kind {
            Kind::Flat => {
                let n = square(triangles);
                let flat = |p: DVec2| DVec3::new(p.x, 0.0, -p.y);
                case.add(&lines(1.0, n), &lines(1.0, n), |p| p, flat);
            }
            Kind::Hung | Kind::Draped => {
                let (n, pleats) = (square(triangles), Pleats::new(measures.pleats));
                case.add(&lines(1.0, n), &lines(1.0, n), |p| p, |p| pleats.at(p));
            }
            Kind::Ribbon => case.add_ribbon(triangles, measures.layer),
            Kind::Stack => case.add_stack(square(triangles / SHEETS), measures.layer),
            Kind::Twist => {
                let across = ((triangles as f64 / (2.0 * ROLL.0 / ROLL.1)).sqrt()).round().max(1.0);
                let along = (triangles as f64 / (2.0 * across)).round().max(1.0);
                let (u, v) = (lines(ROLL.0, along as usize), lines(ROLL.1, across as usize));
                case.add(&u, &v, |p| p, rolled);
            }
        }
        case.x_t1 = case.x_t0.iter().map(|x| *x + measures.way * displacement(*x)).collect();
        case
    }

    /// Adds a sheet: a grid over the lines, taken to the material, then into space.
    fn add(
        &mut self,
        u: &[f64],
        v: &[f64],
        material: impl Fn(DVec2) -> DVec2,
        place: impl Fn(DVec2) -> DVec3,
    ) {
        let (first, piece) = (self.uv.len() as u32, self.piece.last().map_or(0, |p| p + 1));
        let sheet = grid(1.0, 1.0, u.len() - 1, v.len() - 1, Diagonals::Alternating);
        self.triangles.extend(sheet.triangles.iter().map(|t| t.map(|v| first + v)));
        self.piece.resize(self.triangles.len(), piece);
        for u in u {
            for v in v {
                let p = material(DVec2::new(*u, *v));
                self.uv.push(p);
                self.x_t0.push(place(p));
            }
        }
        self.vertex_piece.resize(self.uv.len(), piece);
    }

    fn add_stack(&mut self, n: usize, layer: f64) {
        let side = (1.0 / SHEETS as f64).sqrt();
        for k in 0..SHEETS {
            let turn = DMat2::from_angle((k as f64).to_radians());
            let height = layer * (k as f64 - 0.5 * (SHEETS - 1) as f64);
            let place = |p: DVec2| {
                let p = turn * p;
                // Slopes of 0.1: the waves stretch the cloth by half a percent.
                let wave = 2e-3 * libm::sin(42.0 * p.x + 11.0 * p.y) + 1e-3 * libm::sin(51.0 * p.y);
                over_a_hill(p, height + wave)
            };
            self.add(&lines(side, n), &lines(side, n), |p| p, place);
        }
    }

    fn add_ribbon(&mut self, triangles: usize, layer: f64) {
        let folds = Folds::new(layer);
        let turn = folds.bend();
        // Bends are far narrower than coarse triangles; they have lines of their own.
        let cell = (2.0 / triangles.max(2) as f64).sqrt();
        let cells = |length: f64, least: f64| (length / cell).round().max(least) as usize;
        let (straight, round) = (cells(RIBBON.1 - turn, 1.0), cells(turn, 3.0));
        let mut u = vec![0.0];
        for layer in 0..LAYERS {
            let begin = layer as f64 * RIBBON.1;
            if layer > 0 {
                let bend = |i: usize| begin + turn * (i as f64 / round as f64 - 0.5);
                u.extend((1..=round).map(bend));
            }
            let from = if layer > 0 { begin + 0.5 * turn } else { begin };
            let to = begin + RIBBON.1 - if layer + 1 < LAYERS { 0.5 * turn } else { 0.0 };
            let part = |i: usize| from + (to - from) * (i as f64 / straight as f64);
            u.extend((1..=straight).map(part));
        }
        let across = (triangles as f64 / (2.0 * (u.len() - 1) as f64)).round().max(1.0);
        self.add(&u, &lines(RIBBON.0, across as usize), |p| folds.slanted(p), |p| folds.place(p));
    }

    /// The motion of the step.
    pub fn motion(&self) -> Motion<'_> {
        Motion { x_t0: &self.x_t0, x_t1: &self.x_t1 }
    }

    /// A detector for it.
    pub fn detector(&self, options: Options) -> Detector {
        let (vertices, triangles) = (self.uv.len(), &self.triangles);
        let surface = Surface::new(vertices, triangles, &Topology::new(vertices, triangles));
        let uv: Vec<[DVec2; 3]> =
            triangles.iter().map(|t| t.map(|v| self.uv[v as usize])).collect();
        Detector::for_cloth_with(surface, &uv, &self.piece, options)
    }
}

/// Sheets of the stack.
const SHEETS: usize = 20;
/// Width of the ribbon and length of one of its layers [m].
const RIBBON: (f64, f64) = (0.2, 0.2);
/// Layers of the ribbon.
const LAYERS: usize = 25;
/// Length and width of the rolled sheet [m].
const ROLL: (f64, f64) = (4.0, 0.25);

/// Lines of a grid over a length around zero [m].
fn lines(length: f64, cells: usize) -> Vec<f64> {
    let n = cells.max(1);
    (0..=n).map(|i| length * (i as f64 / n as f64 - 0.5)).collect()
}

/// About one, over wavelengths of half a metre.
fn displacement(x: DVec3) -> DVec3 {
    let (sin, p) = (libm::sin, x);
    DVec3::new(
        0.4 * sin(9.0 * p.y + 4.0 * p.z),
        -0.9 + 0.2 * sin(11.0 * p.x),
        0.4 * sin(8.0 * p.x + 5.0 * p.y),
    )
}

/// Heaps lie askew, or boxes would fit them as they never fit cloth.
fn askew(x: DVec3) -> DVec3 {
    DQuat::from_rotation_z(0.35) * DQuat::from_rotation_x(0.25) * x
}

/// A place of the plane at a height, on a hill of radius 0.4 m; 10 mm of height stretch by 2.5 %.
fn over_a_hill(p: DVec2, height: f64) -> DVec3 {
    let (radius, angle) = (0.4 + height, p.x / 0.4);
    askew(DVec3::new(radius * libm::sin(angle), radius * libm::cos(angle) - 0.4, -p.y))
}

/// A spiral r = r₀ + c θ along the first coordinate, turned about its axis along the second. Its arc
/// length is r₀ θ + c θ²/2 up to a part of (c/r₀)², a millionth.
fn rolled(p: DVec2) -> DVec3 {
    let (inner, c) = (0.08, 1.2e-3 / std::f64::consts::TAU);
    let s = p.x + 0.5 * ROLL.0;
    let theta = ((inner * inner + 2.0 * c * s).sqrt() - inner) / c;
    // At this radius the twist shears by 0.1.
    let (radius, angle) = (inner + c * theta, theta + 1.2 * p.y);
    askew(DVec3::new(radius * libm::cos(angle), p.y, radius * libm::sin(angle)))
}

/// A ribbon folded over and over: each layer lies `height` above the one before, and a half circle of
/// cloth leads up to it. The fold lines are a little aslant, so the layers are turned.
struct Folds {
    /// From layer to layer [m].
    height: f64,
    /// The slope du/dv of each fold line; the ribbon's ends are straight.
    slopes: Vec<f64>,
    /// From the material to the plane, for each layer.
    layers: Vec<DAffine2>,
}

impl Folds {
    fn new(height: f64) -> Self {
        let slope = |k: usize| match k {
            0 | LAYERS => 0.0,
            k => 0.015 * libm::sin(1.7 * k as f64),
        };
        let slopes: Vec<f64> = (0..=LAYERS).map(slope).collect();
        let mut layers = vec![DAffine2::from_translation(DVec2::new(-0.5 * RIBBON.1, 0.0))];
        for k in 1..LAYERS {
            // Mirrored at the fold line: the far rim of the bend comes to lie above the near one.
            let (middle, normal) = fold_line(k, slopes[k]);
            let mirror = DMat2::from_cols(
                DVec2::X - 2.0 * normal.x * normal,
                DVec2::Y - 2.0 * normal.y * normal,
            );
            let back = DAffine2::from_mat2_translation(mirror, middle - mirror * middle);
            layers.push(layers[k - 1] * back);
        }
        Self { height, slopes, layers }
    }

    /// Cloth in a bend: half a circle [m].
    fn bend(&self) -> f64 {
        0.5 * std::f64::consts::PI * self.height
    }

    /// A grid point moved so that grid lines run along the fold lines.
    fn slanted(&self, p: DVec2) -> DVec2 {
        let layer = ((p.x / RIBBON.1) as usize).min(LAYERS - 1);
        let part = p.x / RIBBON.1 - layer as f64;
        // Straight from one fold to the next, but parallel within each bend.
        let flat = 0.5 * self.bend() / RIBBON.1;
        let part = ((part - flat) / (1.0 - 2.0 * flat)).clamp(0.0, 1.0);
        let slope = self.slopes[layer] + part * (self.slopes[layer + 1] - self.slopes[layer]);
        DVec2::new(p.x + slope * p.y, p.y)
    }

    fn place(&self, p: DVec2) -> DVec3 {
        // The layer is the number of fold lines before the point; bends have half a width to each side.
        let mut layer = 0;
        for k in 1..LAYERS {
            let (middle, normal) = fold_line(k, self.slopes[k]);
            let beyond = (p - middle).dot(normal);
            if beyond.abs() < 0.5 * self.bend() {
                // From the near rim on, half a circle up.
                let angle = (beyond + 0.5 * self.bend()) / (0.5 * self.height);
                let rim = p - (beyond + 0.5 * self.bend()) * normal;
                let at = rim + 0.5 * self.height * libm::sin(angle) * normal;
                let up = 0.5 * self.height * (1.0 - libm::cos(angle));
                return self.stacked(self.layers[k - 1].transform_point2(at), k - 1, up);
            }
            if beyond > 0.0 {
                layer = k;
            }
        }
        self.stacked(self.layers[layer].transform_point2(p), layer, 0.0)
    }

    fn stacked(&self, p: DVec2, layer: usize, up: f64) -> DVec3 {
        over_a_hill(p, self.height * (layer as f64 - 0.5 * (LAYERS - 1) as f64) + up)
    }
}

/// A point of the k-th fold line and its unit normal along the ribbon.
fn fold_line(k: usize, slope: f64) -> (DVec2, DVec2) {
    (DVec2::new(k as f64 * RIBBON.1, 0.0), DVec2::new(1.0, -slope).normalize())
}

#[cfg(test)]
mod tests;
