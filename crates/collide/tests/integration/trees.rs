//! Every kind of tree against brute force, over several steps.
//!
//! Without pruning a tree must return exactly the pairs whose features overlap; with pruning it must
//! return all that really meet.

use glam::{DVec2, DVec3};
use toile_collide::broad::Detector;
use toile_collide::ccd::{Ccd, Separation};
use toile_collide::prune::{self, Prune};
use toile_collide::tree::{Build, Descend, Refit, Rest};
use toile_collide::volume::{Aabb, Aabb32, Dop, MovingBox, Volume, VolumeKind};
use toile_collide::{Arity, Candidates, Motion, Options, Surface, brute};
use toile_mesh::shape::{Diagonals, grid};
use toile_mesh::{Topology, TriMesh};

const GAP: f64 = 2e-3;

/// A state of a moving mesh and all that brute force says of it.
struct Step {
    x_t0: Vec<DVec3>,
    x_t1: Vec<DVec3>,
    moved: Option<Vec<bool>>,
    separation: f64,
    /// Pairs that may meet, and those that do.
    near: Candidates,
    met: Candidates,
}

impl Step {
    fn motion(&self) -> Motion<'_> {
        Motion { x_t0: &self.x_t0, x_t1: &self.x_t1 }
    }
}

/// A mesh and its motion.
struct Case {
    name: &'static str,
    surface: Surface,
    keys: Vec<DVec3>,
    uv: Vec<[DVec2; 3]>,
    piece: Vec<u32>,
    steps: Vec<Step>,
}

fn hash(i: usize, k: usize) -> f64 {
    let mut h = (i as u64 * 31 + k as u64 * 1013 + 7).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    h ^= h >> 29;
    h = h.wrapping_mul(0xbf58_476d_1ce4_e5b9);
    (h >> 40) as f64 / f64::from(1 << 23) - 1.0
}

fn noise(i: usize, k: usize) -> DVec3 {
    DVec3::new(hash(i, 3 * k), hash(i, 3 * k + 1), hash(i, 3 * k + 2))
}

fn impacts(s: &Surface, motion: Motion<'_>, pairs: &Candidates) -> Candidates {
    let gap = Separation::gap(1e-9);
    let face = |t: u32| s.triangles[t as usize].map(|v| motion.ends(v));
    let edge = |e: u32| s.edges[e as usize].map(|v| motion.ends(v));
    let vf =
        |[v, t]: &&[u32; 2]| Ccd::Separating.vertex_face(motion.ends(*v), face(*t), gap).is_some();
    let ee = |[a, b]: &&[u32; 2]| Ccd::Separating.edge_edge(edge(*a), edge(*b), gap).is_some();
    Candidates {
        vf: pairs.vf.iter().filter(vf).copied().collect(),
        fv: Vec::new(),
        ee: pairs.ee.iter().filter(ee).copied().collect(),
    }
}

/// Only pairs with a moved vertex.
fn with_moved(s: &Surface, pairs: &Candidates, moved: Option<&[bool]>) -> Candidates {
    let any = |of: &[u32]| moved.is_none_or(|m| of.iter().any(|v| m[*v as usize]));
    let vf = |[v, t]: &&[u32; 2]| any(&[*v]) || any(&s.triangles[*t as usize]);
    let ee = |[a, b]: &&[u32; 2]| any(&s.edges[*a as usize]) || any(&s.edges[*b as usize]);
    Candidates {
        vf: pairs.vf.iter().filter(vf).copied().collect(),
        fv: Vec::new(),
        ee: pairs.ee.iter().filter(ee).copied().collect(),
    }
}

/// Centres in material coordinates.
fn keys(mesh: &TriMesh) -> Vec<DVec3> {
    let centre = |t: &[u32; 3]| t.iter().map(|v| mesh.uv[*v as usize]).sum::<DVec2>() / 3.0;
    mesh.triangles.iter().map(|t| centre(t).extend(0.0)).collect()
}

/// Material coordinates of the corners.
fn uv(mesh: &TriMesh) -> Vec<[DVec2; 3]> {
    mesh.triangles.iter().map(|t| t.map(|v| mesh.uv[v as usize])).collect()
}

/// Five updates: a step, a part of it again, a little further, far away, and a wider separation.
fn case(name: &'static str, mesh: &TriMesh, x: Vec<DVec3>) -> Case {
    let n = x.len();
    let topology = Topology::new(n, &mesh.triangles);
    let surface = Surface::new(n, &mesh.triangles, &topology);
    let keys = keys(mesh);
    let uv = uv(mesh);
    let (piece, _) = topology.components();
    let by = |x: &[DVec3], size: f64, k: usize| -> Vec<DVec3> {
        x.iter().enumerate().map(|(i, p)| *p + size * noise(i, k)).collect()
    };
    let x1 = by(&x, 0.02, 1);
    let moved: Vec<bool> = (0..n).map(|i| hash(i, 77) > 0.7).collect();
    let nudged: Vec<DVec3> =
        (0..n).map(|i| if moved[i] { x1[i] + 0.01 * noise(i, 2) } else { x1[i] }).collect();
    let x2 = by(&nudged, 4e-4, 3);
    let x3 = by(&x2, 0.05, 4);
    let plain = [
        (x.clone(), x1, None, GAP),
        (x, nudged.clone(), Some(moved.clone()), GAP),
        (nudged, x2.clone(), None, GAP),
        (x2.clone(), x3.clone(), None, GAP),
        (x2, x3, Some(moved), 3.0 * GAP),
    ];
    let steps = plain.map(|(x_t0, x_t1, moved, separation)| {
        let motion = Motion { x_t0: &x_t0, x_t1: &x_t1 };
        let all = brute::self_candidates(&surface, motion, separation);
        let near = with_moved(&surface, &all, moved.as_deref());
        let met = impacts(&surface, motion, &near);
        Step { x_t0, x_t1, moved, separation, near, met }
    });
    Case { name, surface, keys, uv, piece, steps: steps.into() }
}

fn sheet() -> TriMesh {
    grid(1.0, 0.6, 6, 4, Diagonals::Alternating)
}

/// A sheet folded over itself.
fn folded(mesh: &TriMesh) -> Vec<DVec3> {
    let at = |p: &DVec2| {
        let a = 5.0 * (p.x + 0.5);
        DVec3::new(0.2 * a.sin(), 0.2 * (1.0 - a.cos()) + 0.01 * p.x, -p.y)
    };
    mesh.uv.iter().map(at).collect()
}

fn cases() -> Vec<Case> {
    let mesh = sheet();
    let flat: Vec<DVec3> = mesh.positions.clone();
    let crumpled = (0..flat.len()).map(|i| 0.25 * noise(i, 0)).collect();
    let mut two = mesh.clone();
    two.append(&mesh);
    let layers = folded(&mesh).into_iter().map(|p| p + 0.01 * DVec3::Y);
    let both = folded(&mesh).into_iter().chain(layers).collect();
    // Three triangles on every edge of one row.
    let mut book = sheet();
    let extra = book.triangles[..6].iter().map(|[a, b, _]| [*a, *b, 30]).collect::<Vec<_>>();
    book.triangles.extend(extra);
    // Vertices at the same place, and triangles without area.
    let mut degenerate = folded(&mesh);
    for i in (0..degenerate.len() - 1).step_by(3) {
        degenerate[i + 1] = degenerate[i];
    }
    let one = TriMesh { triangles: mesh.triangles[..1].to_vec(), ..mesh.clone() };
    let none = TriMesh { triangles: Vec::new(), ..mesh.clone() };
    vec![
        case("folded", &mesh, folded(&mesh)),
        case("crumpled", &mesh, crumpled),
        case("two layers", &two, both),
        case("three on an edge", &book, folded(&book)),
        case("no area", &mesh, degenerate),
        case("one triangle", &one, flat.clone()),
        case("no triangle", &none, flat),
    ]
}

fn options(volume: VolumeKind) -> Vec<Options> {
    let mut all = Vec::new();
    for build in Build::ALL {
        for arity in Arity::ALL {
            for leaf in [1, 8] {
                for refit in Refit::ALL {
                    for inflation in [0.0, 3e-3] {
                        for descend in Descend::ALL {
                            // Each with every tree, in turn.
                            let prune = Prune::ALL[all.len() % Prune::ALL.len()];
                            all.push(Options {
                                volume,
                                build,
                                arity,
                                leaf,
                                refit,
                                inflation,
                                descend,
                                prune,
                            });
                        }
                    }
                }
            }
        }
    }
    all
}

fn detector(case: &Case, options: Options) -> Detector {
    let rest = Rest { x: &case.steps[0].x_t0, keys: &case.keys, piece: &case.piece, uv: &case.uv };
    Detector::with_options(case.surface.clone(), rest, options)
}

fn check<V: Volume>(volume: VolumeKind) {
    // One thread: queries are so small that handing them over would take longer.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    pool.install(|| check_all::<V>(volume));
}

fn check_all<V: Volume>(volume: VolumeKind) {
    for (n, case) in cases().into_iter().enumerate() {
        let truth: Vec<Candidates> = case
            .steps
            .iter()
            .map(|s| brute::sharpened::<V>(&s.near, &case.surface, s.motion(), s.separation))
            .collect();
        let far = case.steps.iter().any(|s| s.near.len() > 100);
        assert!(far || case.surface.triangles.len() < 2, "{} is too easy", case.name);
        // A fifth of the choices for each mesh; the first five, the hard ones, share out all.
        for options in options(volume).into_iter().skip(n % 5).step_by(5) {
            let mut d = detector(&case, options);
            for (k, step) in case.steps.iter().enumerate() {
                d.update(step.motion(), step.separation, step.moved.as_deref()).unwrap();
                let (all, counts) = d.self_candidates(0.0);
                let place = || format!("{}, update {k}, {options:?}", case.name);
                assert_eq!(all, truth[k], "{}", place());
                assert_eq!(counts.feature_pairs, all.len() as u64);
                let (some, _) = d.self_candidates(prune::DEFAULT_LIMIT);
                let has = |list: &[[u32; 2]], p: &[u32; 2]| list.binary_search(p).is_ok();
                assert!(some.vf.iter().all(|p| has(&all.vf, p)), "{}", place());
                assert!(some.ee.iter().all(|p| has(&all.ee, p)), "{}", place());
                assert!(step.met.vf.iter().all(|p| has(&some.vf, p)), "{}", place());
                assert!(step.met.ee.iter().all(|p| has(&some.ee, p)), "{}", place());
            }
        }
    }
}

#[test]
fn trees_of_boxes_find_what_brute_force_finds() {
    check::<Aabb>(VolumeKind::Aabb);
}

#[test]
fn trees_of_small_boxes_find_what_brute_force_finds() {
    check::<Aabb32>(VolumeKind::Aabb32);
}

#[test]
fn trees_of_moving_boxes_find_what_brute_force_finds() {
    check::<MovingBox>(VolumeKind::Moving);
}

#[test]
fn trees_of_6_dops_find_what_brute_force_finds() {
    check::<Dop<3>>(VolumeKind::Dop6);
}

#[test]
fn trees_of_14_dops_find_what_brute_force_finds() {
    check::<Dop<7>>(VolumeKind::Dop14);
}

#[test]
fn trees_of_18_dops_find_what_brute_force_finds() {
    check::<Dop<9>>(VolumeKind::Dop18);
}

#[test]
fn trees_of_26_dops_find_what_brute_force_finds() {
    check::<Dop<13>>(VolumeKind::Dop26);
}

#[test]
fn cases_meet_and_sharper_volumes_leave_out_pairs() {
    let (mut near, mut sharp, mut met) = (0, 0, 0);
    for case in cases() {
        for step in &case.steps {
            let some = brute::sharpened::<Dop<13>>(
                &step.near,
                &case.surface,
                step.motion(),
                step.separation,
            );
            near += step.near.len();
            sharp += some.len();
            met += step.met.len();
        }
    }
    assert!(met > 500 && sharp > met && sharp < near, "{near} {sharp} {met}");
}

#[test]
fn trees_of_different_volumes_find_what_brute_force_finds() {
    let all = cases();
    let (a, b) = (&all[0], &all[1]);
    let (ma, mb) = (a.steps[0].motion(), b.steps[0].motion());
    let truth = brute::candidates(&a.surface, ma, &b.surface, mb, GAP);
    assert!(truth.len() > 100);
    for refit in Refit::ALL {
        for va in VolumeKind::ALL {
            for vb in [VolumeKind::Aabb, VolumeKind::Aabb32, VolumeKind::Dop6] {
                let plain = Options { refit, ..Options::default() };
                let mut da = detector(a, Options { volume: va, ..plain });
                let mut db = detector(b, Options { volume: vb, ..plain });
                da.update(ma, GAP, None).unwrap();
                db.update(mb, GAP, None).unwrap();
                assert_eq!(da.candidates_with(&db).0, truth, "{va:?} {vb:?} {refit:?}");
            }
        }
    }
}

#[test]
fn a_settled_body_meets_only_what_moved() {
    let all = cases();
    let (a, b) = (&all[0], &all[1]);
    let (ma, mb) = (a.steps[1].motion(), b.steps[0].motion());
    let moved = a.steps[1].moved.as_deref().unwrap();
    // Boxes around the whole step, as brute force has them.
    let options = Options { volume: VolumeKind::Aabb32, ..Options::default() };
    let mut da = detector(a, options);
    let mut db = detector(b, options);
    da.update(a.steps[0].motion(), GAP, None).unwrap();
    da.update(ma, GAP, Some(moved)).unwrap();
    db.update(mb, GAP, None).unwrap();
    db.mark_unmoved();
    let (found, _) = da.candidates_with(&db);
    let mut truth = brute::candidates(&a.surface, ma, &b.surface, mb, GAP);
    let any = |of: &[u32]| of.iter().any(|v| moved[*v as usize]);
    let before = truth.len();
    truth.vf.retain(|[v, _]| any(&[*v]));
    truth.fv.retain(|[t, _]| any(&a.surface.triangles[*t as usize]));
    truth.ee.retain(|[e, _]| any(&a.surface.edges[*e as usize]));
    assert!(truth.len() < before);
    assert_eq!(found, truth);
}

#[test]
fn triangles_in_a_box_are_those_whose_boxes_overlap_it() {
    let case = &cases()[0];
    let step = &case.steps[0];
    let query = Aabb::of_points([DVec3::new(-0.1, 0.0, -0.2), DVec3::new(0.3, 0.2, 0.1)]);
    let margin = 0.5 * GAP;
    let truth: Vec<u32> = (0..case.surface.triangles.len() as u32)
        .filter(|t| {
            let corners = case.surface.triangles[*t as usize].map(|v| step.motion().ends(v));
            let boxes = corners.map(|p| Aabb::of_path(p, margin));
            boxes[0].merge(boxes[1]).merge(boxes[2]).overlaps(&query)
        })
        .collect();
    assert!(truth.len() > 5 && truth.len() < case.surface.triangles.len());
    for volume in VolumeKind::ALL {
        for refit in Refit::ALL {
            let mut d = detector(case, Options { volume, refit, ..Options::default() });
            d.update(step.motion(), GAP, None).unwrap();
            let mut found = Vec::new();
            d.triangles_in(&query, |t| found.push(t));
            found.sort_unstable();
            assert_eq!(found, truth, "{volume:?} {refit:?}");
        }
    }
}

#[test]
fn results_and_counts_do_not_depend_on_the_number_of_threads() {
    let mesh = grid(1.0, 1.0, 60, 60, Diagonals::Alternating);
    let topology = Topology::new(mesh.positions.len(), &mesh.triangles);
    let surface = Surface::new(mesh.positions.len(), &mesh.triangles, &topology);
    let x: Vec<DVec3> =
        folded(&mesh).iter().enumerate().map(|(i, p)| *p + 0.01 * noise(i, 0)).collect();
    let (keys, uv) = (keys(&mesh), uv(&mesh));
    let piece = vec![0; keys.len()];
    let run = |threads: usize, options: Options| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let rest = Rest { x: &x, keys: &keys, piece: &piece, uv: &uv };
            let mut d = Detector::with_options(surface.clone(), rest, options);
            d.update(Motion::still(&x), 5e-3, None).unwrap();
            d.self_candidates(prune::DEFAULT_LIMIT)
        })
    };
    for (i, refit) in Refit::ALL.into_iter().enumerate() {
        for (k, build) in Build::ALL.into_iter().enumerate() {
            let prune = Prune::ALL[(i + k) % Prune::ALL.len()];
            let options = Options { refit, build, prune, ..Options::default() };
            let one = run(1, options);
            assert!(one.0.len() > 1000);
            assert_eq!(one, run(2, options));
            assert_eq!(one, run(4, options));
        }
    }
}
