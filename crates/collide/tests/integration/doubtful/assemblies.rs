//! Two solids that meet, and the candidates between their features.

use super::{Family, Four, Frame};
use crate::exact::cases::Random;
use glam::DVec3;
use toile_collide::ccd::Pair;

/// Of so many candidates one is taken.
const SPARSE: u64 = 12;

pub(super) fn families(pair: Pair) -> Vec<Family> {
    SCENES
        .iter()
        .map(|scene| Family { name: scene.name, queries: candidates(scene, pair) })
        .collect()
}

struct Solid {
    x: Vec<DVec3>,
    faces: Vec<[usize; 3]>,
}

impl Solid {
    /// From polygons, each cut into a fan of triangles.
    fn new(x: &[[f64; 3]], polygons: &[&[usize]]) -> Self {
        let fan = |p: &&[usize]| -> Vec<[usize; 3]> {
            p[1..].windows(2).map(|w| [p[0], w[0], w[1]]).collect()
        };
        Self {
            x: x.iter().map(|p| DVec3::from_array(*p)).collect(),
            faces: polygons.iter().flat_map(fan).collect(),
        }
    }

    fn edges(&self) -> Vec<[usize; 2]> {
        let sides = |f: &[usize; 3]| [[f[0], f[1]], [f[1], f[2]], [f[2], f[0]]];
        let mut all: Vec<[usize; 2]> =
            self.faces.iter().flat_map(sides).map(|[a, b]| [a.min(b), a.max(b)]).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    fn map(mut self, f: impl Fn(DVec3) -> DVec3) -> Self {
        self.x = self.x.into_iter().map(f).collect();
        self
    }
}

/// A tetrahedron with its apex at the origin and the rest above.
fn spike() -> Solid {
    let third = 1.0 / 3.0;
    let x = [[0.0; 3], [-0.5, 1.0, -third], [0.5, 1.0, -third], [0.0, 1.0, 2.0 * third]];
    Solid::new(&x, &[&[0, 1, 2], &[0, 2, 3], &[0, 3, 1], &[1, 3, 2]])
}

/// A prism with its ridge along x through the origin and the rest above.
fn wedge() -> Solid {
    let x = [
        [-0.5, 0.0, 0.0],
        [0.5, 0.0, 0.0],
        [-0.5, 1.0, -0.4],
        [0.5, 1.0, -0.4],
        [-0.5, 1.0, 0.4],
        [0.5, 1.0, 0.4],
    ];
    Solid::new(&x, &[&[0, 1, 3, 2], &[0, 4, 5, 1], &[2, 3, 5, 4], &[0, 2, 4], &[1, 5, 3]])
}

/// A box from y = 0 up.
fn block() -> Solid {
    let x: Vec<[f64; 3]> = (0..8)
        .map(|k| [f64::from(k & 1) - 0.5, f64::from(k >> 1 & 1), f64::from(k >> 2) - 0.5])
        .collect();
    let sides: [&[usize]; 6] =
        [&[0, 1, 5, 4], &[2, 6, 7, 3], &[0, 2, 3, 1], &[4, 5, 7, 6], &[0, 4, 6, 2], &[1, 3, 7, 5]];
    Solid::new(&x, &sides)
}

/// A pit whose bottom is a vertex, wider than a spike.
fn hole() -> Solid {
    let x = [[0.0; 3], [-1.0, 1.0, -1.0], [1.0, 1.0, -1.0], [1.0, 1.0, 1.0], [-1.0, 1.0, 1.0]];
    Solid::new(&x, &[&[0, 2, 1], &[0, 3, 2], &[0, 4, 3], &[0, 1, 4]])
}

/// A pit whose bottom is an edge, wider than a wedge.
fn crack() -> Solid {
    let x = [
        [-1.0, 0.0, 0.0],
        [1.0, 0.0, 0.0],
        [-1.0, 1.0, -1.0],
        [1.0, 1.0, -1.0],
        [-1.0, 1.0, 1.0],
        [1.0, 1.0, 1.0],
    ];
    Solid::new(&x, &[&[0, 1, 3, 2], &[0, 4, 5, 1]])
}

/// A flat floor of eight triangles, so that edges and a vertex are inside it.
fn floor() -> Solid {
    let x: Vec<[f64; 3]> =
        (0..9).map(|k| [f64::from(k % 3) - 1.0, 0.0, f64::from(k / 3) - 1.0]).collect();
    let cells: [&[usize]; 4] = [&[0, 1, 4, 3], &[1, 2, 5, 4], &[3, 4, 7, 6], &[4, 5, 8, 7]];
    Solid::new(&x, &cells)
}

fn upside_down(solid: Solid) -> Solid {
    solid.map(|p| DVec3::new(p.x, -p.y, p.z))
}

/// A quarter turn about the vertical.
fn crosswise(solid: Solid) -> Solid {
    solid.map(|p| DVec3::new(p.z, p.y, -p.x))
}

/// A block below y = 0 whose edge along z is at x = 0.
fn cliff() -> Solid {
    upside_down(block()).map(|p| p - DVec3::X * 0.5)
}

/// What comes from above, and on what.
struct Scene {
    name: &'static str,
    above: fn() -> Solid,
    below: fn() -> Solid,
}

const SCENES: [Scene; 12] = [
    Scene { name: "spike on spike", above: spike, below: || upside_down(spike()) },
    Scene { name: "spike on wedge", above: spike, below: || upside_down(wedge()) },
    Scene { name: "spike into hole", above: spike, below: hole },
    Scene { name: "spike into crack", above: spike, below: crack },
    Scene { name: "spike on cliff edge", above: spike, below: cliff },
    Scene { name: "spike on internal edges", above: spike, below: floor },
    Scene { name: "wedge on wedge", above: wedge, below: || upside_down(wedge()) },
    Scene { name: "wedge across wedge", above: wedge, below: || crosswise(upside_down(wedge())) },
    Scene { name: "wedge into crack", above: wedge, below: crack },
    Scene { name: "wedge on cliff edge", above: || crosswise(wedge()), below: cliff },
    Scene { name: "wedge on internal edges", above: wedge, below: floor },
    Scene { name: "block on floor and edges", above: block, below: floor },
];

/// Where the upper solid is before and after, from the place where it just touches. `ulp` is about the last
/// digit of a coordinate.
fn motions(ulp: f64) -> [[DVec3; 2]; 11] {
    let at = DVec3::new;
    let o = DVec3::ZERO;
    [
        // Lands; stops short of it; falls through; lifts.
        [at(0.0, 0.5, 0.0), o],
        [at(0.0, 0.5, 0.0), at(0.0, ulp, 0.0)],
        [at(0.1, 0.5, 0.0), at(-0.1, -0.5, 0.0)],
        [o, at(0.0, 0.5, 0.0)],
        // Slides in contact, along and across; slides just above.
        [at(-0.25, 0.0, 0.0), at(0.5, 0.0, 0.0)],
        [o, at(0.0, 0.0, 1.0 / 3.0)],
        [at(-0.2, ulp, 0.1), at(0.3, ulp, -0.1)],
        [at(-0.2, 1e-9, 0.0), at(0.3, 1e-9, 0.0)],
        // Rests; rests just above; comes down slantwise.
        [o, o],
        [at(0.0, ulp, 0.0), at(0.0, ulp, 0.0)],
        [at(0.25, 0.25, 0.125), o],
    ]
}

/// The solid's vertices turned about the vertical by a quarter, or not.
fn turned(x: &[DVec3], quarter: bool) -> Vec<DVec3> {
    x.iter().map(|p| if quarter { DVec3::new(p.z, p.y, -p.x) } else { *p }).collect()
}

fn candidates(scene: &Scene, pair: Pair) -> Vec<Four> {
    let (above, below) = ((scene.above)(), (scene.below)());
    let mut random = Random(0xe71e_be20_u64 ^ scene.name.len() as u64);
    let mut found = Vec::new();
    for frame in Frame::ALL {
        for [from, to] in motions(frame.ulp()) {
            // Over the vertex or the edge's middle, and beside it.
            for beside in [0.0, 1.0 / 3.0] {
                for quarter in [false, true] {
                    let ends = [turned(&above.x, false), turned(&above.x, quarter)];
                    let spot = DVec3::X * beside;
                    let place = |p: DVec3, by: DVec3| frame.place(p + by + spot);
                    let a: Vec<[DVec3; 2]> = (0..above.x.len())
                        .map(|v| [place(ends[0][v], from), place(ends[1][v], to)])
                        .collect();
                    let b: Vec<[DVec3; 2]> = below.x.iter().map(|p| [frame.place(*p); 2]).collect();
                    let all = pairs(pair, (&above, &a), (&below, &b));
                    found.extend(all.into_iter().filter(|_| random.below(SPARSE) == 0));
                }
            }
        }
    }
    found
}

/// The pairs of features whose boxes over the step touch.
fn pairs(
    pair: Pair,
    (a, xa): (&Solid, &[[DVec3; 2]]),
    (b, xb): (&Solid, &[[DVec3; 2]]),
) -> Vec<Four> {
    let mut all = Vec::new();
    match pair {
        Pair::VertexFace => {
            for (solid, x, points) in [(b, xb, xa), (a, xa, xb)] {
                for p in points {
                    all.extend(solid.faces.iter().map(|f| [*p, x[f[0]], x[f[1]], x[f[2]]]));
                }
            }
        }
        Pair::EdgeEdge => {
            let others = b.edges();
            for [i, j] in a.edges() {
                all.extend(others.iter().map(|[k, l]| [xa[i], xa[j], xb[*k], xb[*l]]));
            }
        }
    }
    let first = if pair == Pair::VertexFace { 1 } else { 2 };
    all.retain(|q| {
        let (p, q) = q.split_at(first);
        let [(lo, hi), (min, max)] = [p, q].map(|x| {
            let points = || x.iter().flatten().copied();
            (
                points().fold(DVec3::INFINITY, DVec3::min),
                points().fold(DVec3::NEG_INFINITY, DVec3::max),
            )
        });
        lo.cmple(max).all() && min.cmple(hi).all()
    });
    all
}
