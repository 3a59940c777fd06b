//! One pair at a time, in which something vanishes: an area, a length, a volume, a discriminant, a motion.

use super::{Family, Four, Frame};
use crate::exact::cases::{Random, planted_edge_edge, planted_vertex_face};
use glam::DVec3;
use toile_collide::ccd::Pair;

/// Queries of each kind.
const EACH: usize = 120;

/// Binary places of coordinates that are meant to be combined exactly.
const BITS: u32 = 10;

type Source = fn(&mut Random, f64) -> Four;

pub(super) fn families(pair: Pair) -> Vec<Family> {
    let sources: &[(&'static str, Source)] = match pair {
        Pair::VertexFace => &VERTEX_FACE,
        Pair::EdgeEdge => &EDGE_EDGE,
    };
    let family = |(k, (name, source)): (usize, &(&'static str, Source))| {
        let mut random = Random(0xd09e_0000 + k as u64);
        let queries = (0..EACH)
            .map(|_| {
                let frame = Frame::any(&mut random);
                source(&mut random, frame.ulp()).map(|ends| ends.map(|p| frame.place(p)))
            })
            .collect();
        Family { name, queries }
    };
    sources.iter().enumerate().map(family).collect()
}

const VERTEX_FACE: [(&str, Source); 10] = [
    ("coplanar motion", coplanar),
    ("coplanar, in or out", point_in_plane),
    ("on a plane to the last digit", |r, ulp| {
        let [a, b, c] = [(); 3].map(|()| flat(r));
        over(r, [a; 2], [b; 2], [c; 2], ulp)
    }),
    ("planted on rims", |r, _| {
        let (p, [a, b, c]) = planted_vertex_face(r).0;
        unit_size([p, a, b, c])
    }),
    ("triangle without area", |r, ulp| {
        let (a, d) = (r.dyadic_point(BITS), r.dyadic_point(BITS));
        let moved = |r: &mut Random| nudge(r, ulp) + r.dyadic_point(BITS);
        let u = r.below(9) as f64 / 4.0 - 0.5;
        let (shift, hit) = (moved(r), a + u * d + nudge(r, ulp));
        let v = r.dyadic_point(BITS);
        [[hit - v, hit + v], [a, a], [a + d, a + d], [a - 0.5 * d, a - 0.5 * d]]
            .map(|[x, y]| [x, y + shift * f64::from(r.below(2) as u32)])
    }),
    ("triangle without extent", |r, ulp| {
        let a = [r.dyadic_point(BITS), r.dyadic_point(BITS)];
        let v = r.dyadic_point(BITS);
        let hit = 0.5 * (a[0] + a[1]) + nudge(r, ulp);
        [[hit - v, hit + v], a, a, a]
    }),
    ("touching at an end of the step", |r, ulp| {
        let t = r.below(2) as usize;
        let face = [(); 3].map(|()| [r.dyadic_point(BITS), r.dyadic_point(BITS)]);
        let mut p = [r.dyadic_point(BITS); 2];
        let (u, v) = (0.25, 0.25 * r.below(4) as f64);
        let [a, b, c] = face.map(|x| x[t]);
        p[t] = a + u * (b - a) + v * (c - a) + nudge(r, ulp);
        [p, face[0], face[1], face[2]]
    }),
    ("no motion", |r, ulp| {
        let [a, b, c] = [(); 3].map(|()| r.dyadic_point(BITS));
        let (u, v) = (0.25 * r.below(5) as f64, 0.25 * r.below(3) as f64);
        let p = a + u * (b - a) + v * (c - a) + nudge(r, ulp);
        [p, a, b, c].map(|x| [x; 2])
    }),
    ("double root", |r, ulp| {
        let (w, [o, far]) = double_root(r);
        let (side, z) = (DVec3::Y * w, height(r, w, ulp));
        [
            [DVec3::new(w, 0.0, z), DVec3::new(0.0, 0.0, z)],
            o.map(|x| x - side),
            o.map(|x| x + side),
            far,
        ]
    }),
    ("past a vertex or along an edge", |r, ulp| {
        let [a, b, c] = [(); 3].map(|()| r.dyadic_point(BITS));
        let v = if r.below(2) == 0 { b - a } else { r.dyadic_point(BITS) };
        let spot = a + nudge(r, ulp);
        [[spot - v, spot + 0.5 * v], [a; 2], [b; 2], [c; 2]]
    }),
];

const EDGE_EDGE: [(&str, Source); 10] = [
    ("coplanar motion", coplanar),
    ("parallel", |r, ulp| {
        let (a, d) = (r.dyadic_point(BITS), r.dyadic_point(BITS));
        let hit = a + (r.below(9) as f64 / 4.0 - 0.5) * d + nudge(r, ulp);
        let v = r.dyadic_point(BITS);
        [[a; 2], [a + d; 2], [hit - v, hit + v], [hit + d - v, hit + d + v]]
    }),
    ("collinear", |r, ulp| {
        let (a, d) = (r.dyadic_point(BITS), r.dyadic_point(BITS));
        let [s, t] = [(); 2].map(|()| 1.0 + r.below(5) as f64 / 4.0 - 0.25 * r.below(3) as f64);
        let side = nudge(r, ulp);
        let [begin, end] = [s, t].map(|s| a + s * d + side);
        [[a; 2], [a + d; 2], [begin, end], [begin + d, end + d]]
    }),
    ("planted on rims", |r, _| {
        let ([a, b], [c, d]) = planted_edge_edge(r).0;
        unit_size([a, b, c, d])
    }),
    ("edges without length", |r, ulp| {
        let (a, d, v) = (r.dyadic_point(BITS), r.dyadic_point(BITS), r.dyadic_point(BITS));
        let d = if r.below(3) == 0 { DVec3::ZERO } else { d };
        let hit = a + (r.below(7) as f64 / 4.0 - 0.25) * d + nudge(r, ulp);
        [[a; 2], [a + d; 2], [hit - v, hit + v], [hit - v, hit + v]]
    }),
    ("touching at an end of the step", |r, ulp| {
        let t = r.below(2) as usize;
        let mut q = [(); 4].map(|()| [r.dyadic_point(BITS), r.dyadic_point(BITS)]);
        let along = q[3][t] - q[2][t];
        q[2][t] = q[0][t] + 0.25 * r.below(5) as f64 * (q[1][t] - q[0][t]) + nudge(r, ulp);
        q[3][t] = q[2][t] + along;
        q
    }),
    ("no motion", |r, ulp| {
        let (a, b, d) = (r.dyadic_point(BITS), r.dyadic_point(BITS), r.dyadic_point(BITS));
        let hit = a + 0.25 * r.below(5) as f64 * (b - a) + nudge(r, ulp);
        [a, b, hit - 0.5 * d, hit + 0.5 * r.below(2) as f64 * d].map(|x| [x; 2])
    }),
    ("double root", |r, ulp| {
        let (w, [o, far]) = double_root(r);
        let (side, z) = (DVec3::Y * w, height(r, w, ulp));
        let [begin, end] = [DVec3::new(w, 0.0, z), DVec3::new(0.0, 0.0, z)];
        [[begin - side, end - side], [begin + side, end + side], o, far]
    }),
    ("past an end", |r, ulp| {
        let [a, b, c] = [(); 3].map(|()| r.dyadic_point(BITS));
        let v = if r.below(2) == 0 { b - a } else { r.dyadic_point(BITS) };
        let spot = a + nudge(r, ulp);
        [[a; 2], [b; 2], [spot - v, spot + 0.5 * v], [spot + c - v, spot + c + 0.5 * v]]
    }),
    ("crossing to the last digit", |r, ulp| {
        let [a, b] = [(); 2].map(|()| flat(r));
        over(r, [a; 2], [b; 2], [-a; 2], ulp).map(|[x, y]| [x, y + DVec3::Z * ulp])
    }),
];

/// A point of the plane z = 0.
fn flat(r: &mut Random) -> DVec3 {
    r.dyadic_point(BITS) * DVec3::new(1.0, 1.0, 0.0)
}

/// Nothing, or about the last digit in any direction.
fn nudge(r: &mut Random, ulp: f64) -> DVec3 {
    match r.below(3) {
        0 => DVec3::ZERO,
        1 => ulp * DVec3::from_array([0, 1, 2].map(|_| r.below(3) as f64 - 1.0)),
        _ => 4.0 * ulp * r.point(),
    }
}

/// All four in one plane for all time, which rounding does not disturb.
fn coplanar(r: &mut Random, _: f64) -> Four {
    let slant = if r.below(2) == 0 { DVec3::ZERO } else { DVec3::new(0.5, -2.0, 0.0) };
    [(); 4].map(|()| {
        [(); 2].map(|()| {
            let p = flat(r);
            p + DVec3::Z * slant.dot(p)
        })
    })
}

/// A point that moves in the plane of a still triangle, into it, out of it or along its rim.
fn point_in_plane(r: &mut Random, ulp: f64) -> Four {
    let [a, b, c] = [(); 3].map(|()| flat(r));
    let inside = a + 0.25 * (b - a) + 0.25 * (c - a);
    let rim = a + 0.25 * r.below(5) as f64 * (b - a);
    let outside = flat(r) * 2.0;
    let p = match r.below(4) {
        0 => [outside, inside],
        1 => [inside, outside],
        2 => [outside, rim],
        _ => [rim + (b - a), rim],
    };
    let by = nudge(r, ulp);
    [p.map(|x| x + by), [a; 2], [b; 2], [c; 2]]
}

/// A vertex that comes down onto the plane z = 0, and stops there or a digit off.
fn over(r: &mut Random, a: [DVec3; 2], b: [DVec3; 2], c: [DVec3; 2], ulp: f64) -> Four {
    let (u, v) = (0.25 * r.below(5) as f64, 0.25 * r.below(3) as f64);
    let spot = a[0] + u * (b[0] - a[0]) + v * (c[0] - a[0]);
    let z = ulp * (r.below(3) as f64 - 0.5);
    let from = DVec3::Z * 0.125 * r.below(3) as f64;
    [[spot + from, spot + DVec3::Z * z], a, b, c]
}

/// A line from the origin that rises from z = 0 to z = x while something at x = w comes to x = 0: at half
/// time that is w / 4 high, and never higher. Its width, and the line's ends.
fn double_root(r: &mut Random) -> (f64, [[DVec3; 2]; 2]) {
    let w = (1 + r.below(64)) as f64 / 32.0;
    let far = DVec3::X * (2.0 * w);
    (w, [[DVec3::ZERO; 2], [far, far + DVec3::Z * (2.0 * w)]])
}

/// The height of the summit of [`double_root`], or a little more.
fn height(r: &mut Random, w: f64, ulp: f64) -> f64 {
    let more = [0.0, 1.0, -1.0, 16.0, 1e4][r.below(5) as usize];
    0.25 * w + more * w * ulp
}

/// Scales a query exactly so that frames fit it.
fn unit_size(q: Four) -> Four {
    let m = q.iter().flatten().fold(0.0, |m: f64, p| m.max(p.abs().max_element()));
    let scale = 2f64.powi(-(m.log2().ceil() as i32));
    q.map(|ends| ends.map(|p| p * scale))
}
