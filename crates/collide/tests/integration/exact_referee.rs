//! The referee of continuous collision detection, itself refereed.

use crate::exact;

use exact::cases::{
    Random, adversarial, as_edge_edge, as_vertex_face, lattice, ordinary, planted_edge_edge,
    planted_vertex_face,
};
use exact::{Truth, edge_edge, vertex_face};
use glam::DVec3;

type Four = [[DVec3; 2]; 4];

fn vf(q: Four) -> Truth {
    let (p, tri) = as_vertex_face(q);
    vertex_face(p, tri)
}

fn ee(q: Four) -> Truth {
    let (a, b) = as_edge_edge(q);
    edge_edge(a, b)
}

fn v(x: f64, y: f64, z: f64) -> DVec3 {
    DVec3::new(x, y, z)
}

/// Resting at a place.
fn at(x: f64, y: f64, z: f64) -> [DVec3; 2] {
    [v(x, y, z); 2]
}

#[test]
fn known_vertex_face_answers() {
    let tri = [at(0.0, 0.0, 0.0), at(1.0, 0.0, 0.0), at(0.0, 1.0, 0.0)];
    let fall = |x: f64, y: f64, from: f64, to: f64| vertex_face([v(x, y, from), v(x, y, to)], tri);
    assert_eq!(fall(0.25, 0.25, 1.0, -1.0), Truth::Hit);
    assert_eq!(fall(0.25, 0.25, 1.0, -1e-300), Truth::Hit, "past the plane by next to nothing");
    assert_eq!(fall(0.25, 0.25, 1.0, 1e-300), Truth::Miss, "short of it by next to nothing");
    assert_eq!(fall(0.25, 0.25, 1.0, 0.0), Truth::Touching, "arrives at the end");
    assert_eq!(fall(0.25, 0.25, 0.0, 1.0), Truth::Touching, "leaves at the start");
    assert_eq!(fall(0.5, 0.5, 1.0, -1.0), Truth::Touching, "through an edge");
    assert_eq!(fall(0.0, 0.0, 1.0, -1.0), Truth::Touching, "through a corner");
    assert_eq!(fall(0.5, 0.5 + f64::EPSILON, 1.0, -1.0), Truth::Miss);
    let slide = |from: DVec3, to: DVec3| vertex_face([from, to], tri);
    assert_eq!(slide(v(-1.0, 0.5, 0.0), v(1.0, 0.5, 0.0)), Truth::Touching, "in the plane");
    assert_eq!(slide(v(-1.0, 2.0, 0.0), v(2.0, -1.0 + 1e-9, 0.0)), Truth::Miss, "past the edge");
    assert_eq!(slide(v(0.2, 0.2, 0.0), v(0.3, 0.2, 0.0)), Truth::Touching, "inside all the time");
}

#[test]
fn known_edge_edge_answers() {
    let a = [at(-1.0, 0.0, 0.0), at(1.0, 0.0, 0.0)];
    let fall = |x: f64, y: f64, to: f64| {
        edge_edge(a, [[v(x, y, 1.0), v(x, y, to)], [v(x, y + 2.0, 1.0), v(x, y + 2.0, to)]])
    };
    assert_eq!(fall(0.5, -1.0, -1.0), Truth::Hit);
    assert_eq!(fall(0.5, -1.0, 0.0), Truth::Touching, "arrives at the end");
    assert_eq!(fall(1.0, -1.0, -1.0), Truth::Touching, "at an end point");
    assert_eq!(fall(0.5, 0.0, -1.0), Truth::Touching, "with an end point");
    assert_eq!(fall(0.5, 0.1, -1.0), Truth::Miss);
    assert_eq!(fall(1.1, -1.0, -1.0), Truth::Miss);
    let lying = |x: f64, to: f64| {
        edge_edge(a, [[v(x, 0.0, 1.0), v(x, 0.0, to)], [v(x + 1.0, 0.0, 1.0), v(x + 1.0, 0.0, to)]])
    };
    assert_eq!(lying(0.5, -1.0), Truth::Touching, "parallel, through each other");
    assert_eq!(lying(1.0, -1.0), Truth::Touching, "parallel, end to end");
    assert_eq!(lying(1.5, -1.0), Truth::Miss, "parallel, beside each other");
    // A rotating edge sweeps a resting point-like one: coplanar throughout.
    let hand = [at(0.0, 0.0, 0.0), [v(1.0, 0.0, 0.0), v(0.0, 1.0, 0.0)]];
    assert_eq!(edge_edge(hand, [at(0.25, 0.5, 0.0); 2]), Truth::Touching, "swept at t = 2/3");
    assert_eq!(edge_edge(hand, [at(0.75, 0.5, 0.0); 2]), Truth::Miss, "out of reach");
    assert_eq!(edge_edge(hand, [at(0.5, 0.5, 0.0); 2]), Truth::Touching, "in reach at one time");
}

#[test]
fn a_common_point_at_an_irrational_time_is_found() {
    // In a plane of constant z the wall x = t meets the edge from (0, −1) to (1, 1 + t) where
    // t (2 + t) = 1, that is, at t = √2 − 1.
    let wall = [[v(0.0, 0.0, 0.0), v(1.0, 0.0, 0.0)], [v(0.0, 0.0, 1.0), v(1.0, 0.0, 1.0)]];
    let edge = |z: f64| [at(0.0, -1.0, z), [v(1.0, 1.0, z), v(1.0, 2.0, z)]];
    assert_eq!(edge_edge(wall, edge(0.5)), Truth::Hit);
    assert_eq!(edge_edge(wall, edge(1.0)), Truth::Touching, "at its upper end");
    assert_eq!(edge_edge(wall, edge(1.0 + f64::EPSILON)), Truth::Miss);
    // The point (t, 1/2) is on the hand from 0 to r (1, t) where t² = 1/2, if r ≥ t then. Nothing
    // but that one irrational time shows the contact, for the motion is coplanar throughout.
    let hand = |r: f64| [at(0.0, 0.0, 0.0), [v(r, 0.0, 0.0), v(r, r, 0.0)]];
    let p = [v(0.0, 0.5, 0.0), v(1.0, 0.5, 0.0)];
    let above = std::f64::consts::FRAC_1_SQRT_2; // rounded up from 1/√2
    for (r, truth) in
        [(1.0, Truth::Touching), (above, Truth::Touching), (above.next_down(), Truth::Miss)]
    {
        let [a, b] = hand(r);
        assert_eq!(vertex_face(p, [a, b, b]), truth, "r = {r}");
        assert_eq!(edge_edge([a, b], [p, p]), truth, "r = {r}");
    }
}

#[test]
fn a_root_of_even_multiplicity_touches_and_one_of_odd_multiplicity_passes() {
    // With s = 2t − 1 the volume is −s²/4: from below and back again.
    let tri = [at(0.0, 0.0, 0.0), at(1.0, 0.0, 0.0), [v(0.0, 1.0, -2.0), v(0.0, 1.0, 2.0)]];
    let p = [v(0.25, 0.125, -0.5), v(0.25, 0.375, 0.5)];
    assert_eq!(vertex_face(p, tri), Truth::Touching);
    // Here it is s³/8: through, if only just.
    let tri = [
        at(0.0, 0.0, 0.0),
        [v(1.0, -1.0, 0.0), v(1.0, 1.0, 0.0)],
        [v(0.0, 1.0, -1.0), v(0.0, 1.0, 1.0)],
    ];
    let p = [v(0.125, 0.0, -0.25), v(0.375, 0.5, 0.25)];
    assert_eq!(vertex_face(p, tri), Truth::Hit);
}

#[test]
fn planted_hits_are_never_missed() {
    let mut random = Random(1);
    let mut hits = [0; 2];
    for _ in 0..5000 {
        let ((p, tri), place) = planted_vertex_face(&mut random);
        let truth = vertex_face(p, tri);
        assert_ne!(truth, Truth::Miss, "{p:?} {tri:?} at {place:?}");
        hits[0] += usize::from(truth == Truth::Hit);
        let ((a, b), place) = planted_edge_edge(&mut random);
        let truth = edge_edge(a, b);
        assert_ne!(truth, Truth::Miss, "{a:?} {b:?} at {place:?}");
        hits[1] += usize::from(truth == Truth::Hit);
    }
    // Of the sixteenths, 15/17 of the times are inside and about 70 % of the places.
    assert!(hits.iter().all(|h| (2500..4900).contains(h)), "{hits:?}");
}

#[test]
fn planted_places_decide_between_hit_and_touching() {
    let mut random = Random(2);
    let inner = |c: f64| c > 0.0 && c < 1.0;
    for _ in 0..3000 {
        let ((p, tri), [t, u, v]) = planted_vertex_face(&mut random);
        if !(inner(t) && inner(u) && inner(v) && inner(u + v)) {
            continue;
        }
        // Strictly inside; passing through takes a nonzero normal speed, which is almost sure.
        let x = |p: [DVec3; 2]| p[0].lerp(p[1], t);
        let w = |p: [DVec3; 2]| p[1] - p[0];
        let n = (x(tri[1]) - x(tri[0])).cross(x(tri[2]) - x(tri[0]));
        let speed = w(p) - (w(tri[0]) * (1.0 - u - v) + w(tri[1]) * u + w(tri[2]) * v);
        if n.dot(speed).abs() > 1e-6 * n.length() * speed.length() {
            assert_eq!(vertex_face(p, tri), Truth::Hit);
        }
    }
}

#[test]
fn vertices_on_two_sides_of_a_plane_miss() {
    let mut random = Random(3);
    for _ in 0..2000 {
        let n = random.point().normalize();
        let mut q =
            if random.below(2) == 0 { ordinary(&mut random) } else { lattice(&mut random, 1) };
        // Mirror vertices to their side of the plane and push them off it.
        let side = |p: DVec3, s: f64| p + n * (s * (n.dot(p).abs() + 1e-9) - n.dot(p));
        for (k, ends) in q.iter_mut().enumerate() {
            *ends = ends.map(|p| side(p, if k == 0 { 1.0 } else { -1.0 }));
        }
        assert_eq!(vf(q), Truth::Miss, "{q:?}");
        q[1] = q[1].map(|p| side(p, 1.0));
        assert_eq!(ee(q), Truth::Miss, "{q:?}");
    }
}

/// A mixed bag of queries.
fn mixed(random: &mut Random) -> Four {
    match random.below(4) {
        0 => ordinary(random),
        1 => lattice(random, 1),
        2 => lattice(random, 3),
        _ => adversarial(random),
    }
}

#[test]
fn answers_do_not_depend_on_order_direction_or_frame() {
    let mut random = Random(4);
    let mut seen = [[0; 3]; 2];
    for _ in 0..4000 {
        let q = mixed(&mut random);
        let [a, b, c, d] = q;
        let same = [
            q.map(|[start, end]| [end, start]),
            q.map(|ends| ends.map(|p| v(p.y, p.z, p.x))),
            q.map(|ends| ends.map(|p| v(-p.x, p.y, p.z))),
            q.map(|ends| ends.map(|p| p * 1024.0)),
        ];
        let truth = vf(q);
        seen[0][truth as usize] += 1;
        for other in same.into_iter().chain([[a, c, d, b], [a, c, b, d], [a, d, c, b]]) {
            assert_eq!(vf(other), truth, "{q:?} {other:?}");
        }
        let truth = ee(q);
        seen[1][truth as usize] += 1;
        for other in same.into_iter().chain([[c, d, a, b], [b, a, c, d], [a, b, d, c]]) {
            assert_eq!(ee(other), truth, "{q:?} {other:?}");
        }
    }
    assert!(seen.iter().flatten().all(|n| *n > 100), "all answers occur: {seen:?}");
}

/// Contact of resting integer points in plain integer arithmetic, by other formulas.
mod resting {
    type I = [i64; 3];

    fn sub(a: I, b: I) -> I {
        std::array::from_fn(|k| a[k] - b[k])
    }
    fn dot(a: I, b: I) -> i64 {
        (0..3).map(|k| a[k] * b[k]).sum()
    }
    fn cross(a: I, b: I) -> I {
        std::array::from_fn(|k| a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3])
    }
    fn on_segment(p: I, a: I, b: I) -> bool {
        let (along, d) = (dot(sub(p, a), sub(b, a)), sub(b, a));
        cross(sub(p, a), d) == [0; 3]
            && if d == [0; 3] { p == a } else { (0..=dot(d, d)).contains(&along) }
    }
    pub(super) fn vertex_face([p, a, b, c]: [I; 4]) -> bool {
        let n = cross(sub(b, a), sub(c, a));
        if n == [0; 3] {
            return on_segment(p, a, b) || on_segment(p, b, c) || on_segment(p, c, a);
        }
        let inside = |a: I, b: I| dot(n, cross(sub(b, a), sub(p, a))) >= 0;
        dot(n, sub(p, a)) == 0 && inside(a, b) && inside(b, c) && inside(c, a)
    }
    pub(super) fn edge_edge([a, b, c, d]: [I; 4]) -> bool {
        let (e, f, r) = (sub(b, a), sub(d, c), sub(c, a));
        let n = cross(e, f);
        if n == [0; 3] {
            return on_segment(a, c, d)
                || on_segment(b, c, d)
                || on_segment(c, a, b)
                || on_segment(d, a, b);
        }
        let whole = 0..=dot(n, n);
        dot(n, r) == 0
            && whole.contains(&dot(cross(r, f), n))
            && whole.contains(&dot(cross(r, e), n))
    }
}

#[test]
fn contact_at_a_sampled_time_is_never_a_miss() {
    let mut random = Random(5);
    let mut contacts = [0; 2];
    for round in 0..6000 {
        let q = lattice(&mut random, 1 + round % 3);
        // In units of 1/60 every position at a time of j/60 is an integer.
        let at = |j: i64| {
            q.map(|[start, end]| {
                std::array::from_fn(|k| (60 - j) * start[k] as i64 + j * end[k] as i64)
            })
        };
        if (0..=60).any(|j| resting::vertex_face(at(j))) {
            contacts[0] += 1;
            assert_ne!(vf(q), Truth::Miss, "{q:?}");
        }
        if (0..=60).any(|j| resting::edge_edge(at(j))) {
            contacts[1] += 1;
            assert_ne!(ee(q), Truth::Miss, "{q:?}");
        }
    }
    assert!(contacts.iter().all(|n| *n > 300), "{contacts:?}");
}

/// Distance of a point from a segment.
fn point_segment(p: DVec3, a: DVec3, b: DVec3) -> f64 {
    let d = b - a;
    let s = if d == DVec3::ZERO { 0.0 } else { (p - a).dot(d) / d.length_squared() };
    (a + s.clamp(0.0, 1.0) * d).distance(p)
}

/// Distance of a point from a triangle.
fn point_triangle([p, a, b, c]: [DVec3; 4]) -> f64 {
    let edges = point_segment(p, a, b).min(point_segment(p, b, c)).min(point_segment(p, c, a));
    let n = (b - a).cross(c - a);
    let inside = |a: DVec3, b: DVec3| n.dot((b - a).cross(p - a)) > 0.0;
    let face = inside(a, b) && inside(b, c) && inside(c, a);
    if face { edges.min((p - a).dot(n.normalize()).abs()) } else { edges }
}

/// Distance of two segments.
fn segment_segment([a, b, c, d]: [DVec3; 4]) -> f64 {
    let ends = point_segment(a, c, d)
        .min(point_segment(b, c, d))
        .min(point_segment(c, a, b))
        .min(point_segment(d, a, b));
    let (e, f, r) = (b - a, d - c, c - a);
    let n = e.cross(f);
    let range = 0.0..=n.length_squared();
    let crossing = n != DVec3::ZERO
        && range.contains(&r.cross(f).dot(n))
        && range.contains(&r.cross(e).dot(n));
    if crossing { ends.min(r.dot(n.normalize()).abs()) } else { ends }
}

#[test]
fn what_comes_into_contact_comes_near_and_what_misses_by_far_is_a_miss() {
    const STEPS: u32 = 2000;
    let mut random = Random(6);
    let mut far = [0; 2];
    for _ in 0..1500 {
        let q = mixed(&mut random);
        let fastest = q.iter().map(|[x, y]| x.distance(*y)).fold(0.0, f64::max);
        let size = q.iter().flatten().map(|p| p.abs().max_element()).fold(0.0, f64::max);
        // Between two samples no distance changes by more than this.
        let reach = 2.0 * fastest / f64::from(STEPS) + 1e-12 * size;
        let least = |distance: fn([DVec3; 4]) -> f64| {
            (0..=STEPS)
                .map(|j| distance(q.map(|[x, y]| x.lerp(y, f64::from(j) / f64::from(STEPS)))))
                .fold(f64::INFINITY, f64::min)
        };
        for (k, (least, truth)) in [(least(point_triangle), vf(q)), (least(segment_segment), ee(q))]
            .into_iter()
            .enumerate()
        {
            if least > reach {
                far[k] += 1;
                assert_eq!(truth, Truth::Miss, "{q:?}: never nearer than {least}");
            }
        }
    }
    assert!(far.iter().all(|n| *n > 300), "{far:?}");
}

/// Whether the cubic of a query changes sign at a sampled pair of times with all the inside
/// conditions of the rounded root clearly fulfilled.
fn clearly_passes(q: Four) -> bool {
    const STEPS: u32 = 500;
    let at = |t: f64| q.map(|[x, y]| x.lerp(y, t));
    let volume = |t: f64| {
        let [p, a, b, c] = at(t);
        (p - a).dot((b - a).cross(c - a))
    };
    (0..STEPS).any(|j| {
        let (mut lo, mut hi) =
            (f64::from(j) / f64::from(STEPS), f64::from(j + 1) / f64::from(STEPS));
        if volume(lo).min(volume(hi)) > -1e-9 || volume(lo).max(volume(hi)) < 1e-9 {
            return false;
        }
        for _ in 0..50 {
            let middle = 0.5 * (lo + hi);
            if (volume(middle) > 0.0) == (volume(lo) > 0.0) { lo = middle } else { hi = middle }
        }
        let [p, a, b, c] = at(lo);
        let n = (b - a).cross(c - a);
        let weight = |a: DVec3, b: DVec3| n.dot((b - a).cross(p - a)) / n.length_squared();
        weight(a, b) > 1e-6 && weight(b, c) > 1e-6 && weight(c, a) > 1e-6
    })
}

#[test]
fn a_clear_passage_is_a_hit() {
    let mut random = Random(7);
    let mut passages = 0;
    for _ in 0..3000 {
        let q = ordinary(&mut random);
        if clearly_passes(q) {
            passages += 1;
            assert_eq!(vf(q), Truth::Hit, "{q:?}");
        }
    }
    assert!(passages > 200, "{passages}");
}
