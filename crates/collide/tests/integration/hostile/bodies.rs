//! Geometry from any bytes, and what must hold of it. `hostile.rs` runs it with random ones, `cargo xtask fuzz`
//! (`crates/lab/tests/fuzz`) for long.

use glam::{DVec2, DVec3};
use toile_collide::broad::Detector;
use toile_collide::ccd::{Ccd, Separation};
use toile_collide::field::{DenseField, Solid, SolidError, Spacing, SparseField};
use toile_collide::image::{DepthMaps, Frame, LayeredDepthImage};
use toile_collide::prune::Prune;
use toile_collide::volume::MovingBox;
use toile_collide::voxel::{Flag, Octree};
use toile_collide::{Candidates, Motion, Options, Surface, brute, distance, proximity};
use toile_mesh::Topology;

/// Coordinates up to here count as sane: what is computed of them must be right, not only finish.
const SANE: f64 = 1e3;

/// Makes numbers of bytes; zeros when they run out.
struct Bytes<'a>(&'a [u8]);

impl Bytes<'_> {
    fn byte(&mut self) -> u8 {
        let Some((first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        *first
    }

    fn bits(&mut self) -> u64 {
        (0..8).fold(0, |bits, _| bits << 8 | u64::from(self.byte()))
    }

    /// A coordinate: mostly on a coarse lattice, where features coincide and triangles have no area;
    /// sometimes anything at all.
    fn number(&mut self) -> f64 {
        let kind = self.byte();
        match kind {
            0..=179 => f64::from(kind % 9) * 0.25 - 1.0,
            180..=229 => (self.bits() >> 11) as f64 / (1_u64 << 53) as f64 * 2.0 - 1.0,
            230..=233 => f64::from_bits(self.bits()),
            234 => f64::NAN,
            235 => f64::INFINITY,
            236 => f64::NEG_INFINITY,
            237 => 5e-324,
            238 => f64::MAX,
            239 => -1e200,
            240 => -0.0,
            _ => f64::from(kind % 3) - 1.0 + f64::EPSILON * f64::from(self.byte()),
        }
    }

    fn point(&mut self) -> DVec3 {
        DVec3::new(self.number(), self.number(), self.number())
    }

    /// A few vertices and triangles; indices are in range, but may repeat.
    fn mesh(&mut self) -> (Vec<DVec3>, Vec<[u32; 3]>) {
        // Now and then a closed body, which random triangles almost never make.
        if self.byte() < 64 {
            let positions = (0..4).map(|_| self.point()).collect();
            return (positions, vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]]);
        }
        let vertices = 3 + u32::from(self.byte() % 7);
        let triangles = 1 + self.byte() % 10;
        let positions = (0..vertices).map(|_| self.point()).collect();
        let mut corner = || u32::from(self.byte()) % vertices;
        let triangles = (0..triangles).map(|_| [corner(), corner(), corner()]).collect();
        (positions, triangles)
    }
}

fn is_sane(points: &[DVec3]) -> bool {
    // Also false for what is not a number.
    points.iter().all(|p| p.abs().cmple(DVec3::splat(SANE)).all())
}

/// Continuous collision detection ends for any numbers, and misses no approach that can be seen by
/// looking at some moments of the step.
pub(crate) fn ccd(data: &[u8]) {
    let mut bytes = Bytes(data);
    let gap = [1e-3, 0.0, 0.1][usize::from(bytes.byte() % 3)];
    let points: [[DVec3; 2]; 4] = std::array::from_fn(|_| [bytes.point(), bytes.point()]);
    let [p, a, b, c] = points;
    let separation = Separation::gap(gap);
    for method in Ccd::ALL {
        let vf = method.vertex_face(p, [a, b, c], separation);
        let ee = method.edge_edge([p, a], [b, c], separation);
        let swapped = method.edge_edge([b, c], [p, a], separation);
        if !points.as_flattened().iter().all(|p| p.is_finite()) && method == Ccd::Separating {
            let all = [vf, ee, swapped];
            assert!(all.iter().all(Option::is_some), "what is nowhere may be anywhere: {points:?}");
        }
        if !is_sane(points.as_flattened()) {
            continue;
        }
        for impact in [vf, ee, swapped].into_iter().flatten() {
            assert!((0.0..=1.0).contains(&impact.time), "{impact:?}");
            assert!(impact.weights.iter().all(|w| w.is_finite()), "{impact:?}");
        }
        // The cubic is known to miss some.
        if method == Ccd::Separating {
            let vf_distance = |x: [DVec3; 4]| {
                let face = [x[1], x[2], x[3]];
                let to =
                    |[u, v, w]: [f64; 3]| x[0].distance(u * face[0] + v * face[1] + w * face[2]);
                let inner = to(distance::point_triangle(x[0], face));
                inner.min(to(distance::point_triangle_edges(x[0], face)))
            };
            let ee_distance = |x: [DVec3; 4]| {
                let (a, b) = ([x[0], x[1]], [x[2], x[3]]);
                let to = |[s, t]: [f64; 2]| a[0].lerp(a[1], s).distance(b[0].lerp(b[1], t));
                to(distance::edge_edge(a, b)).min(to(distance::edge_edge_ends(a, b)))
            };
            if comes_near(&points, separation, vf_distance) {
                assert!(vf.is_some(), "a vertex and a face come near: {points:?}");
            }
            if comes_near(&points, separation, ee_distance) {
                assert!(ee.is_some() && swapped.is_some(), "two edges come near: {points:?}");
            }
        }
    }
}

/// Whether a pair is clearly nearer than it may be, at one of some moments.
fn comes_near(
    points: &[[DVec3; 2]; 4],
    separation: Separation,
    distance: impl Fn([DVec3; 4]) -> f64,
) -> bool {
    let at = |t: f64| points.map(|[x, y]| x + t * (y - x));
    let gap = separation.radius + separation.gap;
    let start = distance(at(0.0));
    // A pair that begins too near has its own rule; here only those that begin apart.
    start > 2.0 * gap + 1e-6
        && (1..=32).any(|k| distance(at(f64::from(k) / 32.0)) < 0.5 * gap.min(0.5 * start))
}

/// Detection ends for any mesh and any numbers; for sane ones it finds every pair that brute force
/// finds.
pub(crate) fn detector(data: &[u8]) {
    let mut bytes = Bytes(data);
    let thickness = [0.1, 0.0, 1e-6][usize::from(bytes.byte() % 3)];
    let (x, triangles) = bytes.mesh();
    let moved: Vec<DVec3> =
        x.iter().map(|p| if bytes.byte() < 128 { *p } else { bytes.point() }).collect();
    let surface = Surface::new(x.len(), &triangles, &Topology::new(x.len(), &triangles));
    // Material coordinates that may overlap, have no area, or fit.
    let uv: Vec<[DVec2; 3]> =
        triangles.iter().map(|t| t.map(|v| x[v as usize].truncate())).collect();
    let piece = vec![0; triangles.len()];
    let motion = Motion { x_t0: &x, x_t1: &moved };
    // Vertices without a triangle are not looked at.
    let used = || triangles.iter().flatten().map(|v| *v as usize);
    let finite = used().all(|v| x[v].is_finite() && moved[v].is_finite());
    let sane = is_sane(&x) && is_sane(&moved);
    let all = brute::self_candidates(&surface, motion, thickness);
    let met = if sane { meeting(&surface, motion, &all) } else { Candidates::default() };
    for prune in Prune::ALL {
        let options = Options { prune, ..Options::default() };
        let mut detector = Detector::for_cloth_with(surface.clone(), &uv, &piece, options);
        assert_eq!(detector.update(motion, thickness, None).is_ok(), finite);
        if !finite {
            return;
        }
        let (found, _) = detector.self_candidates(0.0);
        let (pruned, _) = detector.self_candidates(1.0);
        if sane {
            let near = brute::sharpened::<MovingBox>(&all, &surface, motion, thickness);
            assert_eq!(found, near, "{x:?} {moved:?} {triangles:?}");
            let has = |list: &[[u32; 2]], p: &[u32; 2]| list.binary_search(p).is_ok();
            let complete = met.vf.iter().all(|p| has(&pruned.vf, p))
                && met.ee.iter().all(|p| has(&pruned.ee, p));
            // Cones of normals do not look at outlines, and are known to miss some.
            let known = prune == Prune::Cones;
            assert!(complete || known, "{prune:?} {x:?} {moved:?} {triangles:?}");
        }
        let mut body = Detector::for_body(surface.clone(), &x);
        assert!(body.update(motion, thickness, None).is_ok());
        detector.candidates_with(&body);
        let near = proximity::self_proximity(&mut detector, &x, thickness);
        if let (Ok(near), true) = (near, sane) {
            let all = brute::self_candidates(&surface, Motion::still(&x), thickness);
            let true_near = proximity::measure(&surface, &all, &x, thickness);
            assert_eq!(near, true_near, "{x:?} {triangles:?}");
        }
    }
}

/// Those pairs that pass through each other: the volume of their four vertices has opposite signs at the
/// ends of the step, beyond doubt, and they meet.
fn meeting(surface: &Surface, motion: Motion<'_>, pairs: &Candidates) -> Candidates {
    let crosses = |x: [[DVec3; 2]; 4]| {
        let volume = |t: usize| {
            let [p, a, b, c] = x.map(|x| x[t]);
            (p - a).dot((b - a).cross(c - a))
        };
        volume(0) * volume(1) < 0.0 && volume(0).abs().min(volume(1).abs()) > 1e-9
    };
    let vf = |[v, t]: &&[u32; 2]| {
        let [a, b, c] = surface.triangles[*t as usize].map(|v| motion.ends(v));
        let p = motion.ends(*v);
        crosses([p, a, b, c])
            && Ccd::Cubic.vertex_face(p, [a, b, c], Separation::gap(0.0)).is_some()
    };
    let ee = |[a, b]: &&[u32; 2]| {
        let ends = |e: u32| surface.edges[e as usize].map(|v| motion.ends(v));
        let ([p, q], [r, s]) = (ends(*a), ends(*b));
        crosses([p, q, r, s])
            && Ccd::Cubic.edge_edge([p, q], [r, s], Separation::gap(0.0)).is_some()
    };
    Candidates {
        vf: pairs.vf.iter().filter(vf).copied().collect(),
        fv: Vec::new(),
        ee: pairs.ee.iter().filter(ee).copied().collect(),
    }
}

/// Fields, images and voxels refuse a mesh or agree about it.
pub(crate) fn field(data: &[u8]) {
    let mut bytes = Bytes(data);
    let (x, triangles) = bytes.mesh();
    let cells = 2 + usize::from(bytes.byte() % 6);
    let with_holes = Solid::with_holes(&x, &triangles);
    let bad = x.iter().position(|p| !p.is_finite());
    if let Some(vertex) = bad {
        // Unless a vertex before it is too far out.
        let error = with_holes.unwrap_err();
        assert!(
            matches!(error, SolidError::NotFinite { vertex: v } if v as usize == vertex)
                || matches!(error, SolidError::TooFar { .. }),
            "{error}"
        );
        return;
    }
    let closed = Solid::new(&x, &triangles);
    let Ok(solid) = with_holes else {
        assert!(closed.is_err());
        return;
    };
    assert_eq!(closed.is_ok(), solid.open_edges() == 0);
    let cell = solid.spacing_for(cells);
    let spacing = Spacing::cell(cell);
    let (Ok(dense), Ok(sparse)) =
        (DenseField::new(&solid, spacing), SparseField::new(&solid, spacing))
    else {
        return;
    };
    let octree = Octree::new(solid.clone(), cell).ok();
    let maps = DepthMaps::new(&solid, 1, cell);
    let (lo, hi) = solid.bounds();
    if closed.is_ok()
        && let Ok(frame) = Frame::around(lo, hi, 2, cell)
    {
        let image = LayeredDepthImage::new(&solid, frame).unwrap();
        assert!(image.volume() >= 0.0 && image.self_overlap_volume() <= image.volume());
    }
    for k in 0..16_u8 {
        let t = DVec3::new(
            f64::from(k) / 15.0,
            f64::from(k * 7 % 16) / 15.0,
            f64::from(bytes.byte()) / 255.0,
        );
        let p = lo + (hi - lo) * t;
        let nearest = solid.nearest(p).distance;
        for sample in [dense.sample(p), sparse.sample(p)] {
            let s = sample.expect("the grid covers the body");
            assert!(s.distance.is_finite() && s.gradient.is_finite(), "{x:?} {triangles:?} {p}");
        }
        let exact = solid.signed_distance(p);
        // Across a hole the sign jumps, and no bound holds.
        if closed.is_ok() {
            assert!(dense.distance_at_least(p) <= exact, "{x:?} {triangles:?} {p}");
            assert!(sparse.distance_at_least(p) <= exact, "{x:?} {triangles:?} {p}");
        }
        if let Ok(maps) = &maps {
            maps.query(p);
        }
        let Some(octree) = &octree else { continue };
        let found = octree.nearest(p, f64::INFINITY).expect("there is a surface").distance;
        assert!((found - nearest).abs() <= 1e-9 * cell, "{x:?} {triangles:?} {p}");
        if closed.is_ok() && octree.flag(p) != Flag::Surface && nearest > 1e-6 * cell {
            assert_eq!(octree.flag(p) == Flag::Interior, exact < 0.0, "{x:?} {triangles:?} {p}");
        }
    }
}
