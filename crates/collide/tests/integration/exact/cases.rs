//! Queries to judge by: ordinary ones, adversarial ones, and hits planted exactly.

use glam::DVec3;

/// A point and a triangle, each vertex at t = 0 and t = 1.
pub(crate) type VertexFace = ([DVec3; 2], [[DVec3; 2]; 3]);
/// Two edges, each end at t = 0 and t = 1.
pub(crate) type EdgeEdge = ([[DVec3; 2]; 2], [[DVec3; 2]; 2]);

/// A small generator of random numbers (SplitMix64), the same on every machine.
#[derive(Clone, Debug)]
pub(crate) struct Random(pub(crate) u64);

impl Random {
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    /// An integer from 0 to n − 1.
    pub(crate) fn below(&mut self, n: u64) -> u64 {
        self.bits() % n
    }

    /// A number from −1 to 1.
    pub(crate) fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    /// A point of the cube from −1 to 1.
    pub(crate) fn point(&mut self) -> DVec3 {
        DVec3::new(self.unit(), self.unit(), self.unit())
    }

    /// A point of the cube whose coordinates have `bits` binary places.
    pub(crate) fn dyadic_point(&mut self, bits: u32) -> DVec3 {
        let mut c = || {
            let n = 1u64 << bits;
            self.below(2 * n + 1) as f64 / n as f64 - 1.0
        };
        DVec3::new(c(), c(), c())
    }

    /// A point with integer coordinates from −n to n.
    pub(crate) fn lattice_point(&mut self, n: u64) -> DVec3 {
        let mut c = || self.below(2 * n + 1) as f64 - n as f64;
        DVec3::new(c(), c(), c())
    }

    /// A power of two between about 1e-9 and 1e6.
    fn scale(&mut self) -> f64 {
        2f64.powi(self.below(51) as i32 - 30)
    }

    fn sixteenth(&mut self) -> f64 {
        self.below(17) as f64 / 16.0
    }
}

/// The four moving vertices of a query, from a source of points.
fn four(mut vertex: impl FnMut() -> [DVec3; 2]) -> [[DVec3; 2]; 4] {
    [vertex(), vertex(), vertex(), vertex()]
}

/// The first vertex against the other three.
pub(crate) fn as_vertex_face([p, a, b, c]: [[DVec3; 2]; 4]) -> VertexFace {
    (p, [a, b, c])
}

/// The first two vertices against the others.
pub(crate) fn as_edge_edge([a, b, c, d]: [[DVec3; 2]; 4]) -> EdgeEdge {
    ([a, b], [c, d])
}

/// Four vertices that start and end anywhere in a cube.
pub(crate) fn ordinary(random: &mut Random) -> [[DVec3; 2]; 4] {
    four(|| [random.point(), random.point()])
}

/// Four vertices that move between points of a small lattice: many are coplanar throughout,
/// degenerate, or touch at an end.
pub(crate) fn lattice(random: &mut Random, n: u64) -> [[DVec3; 2]; 4] {
    four(|| [random.lattice_point(n), random.lattice_point(n)])
}

/// Four vertices in a configuration on which rounded arithmetic fails.
pub(crate) fn adversarial(random: &mut Random) -> [[DVec3; 2]; 4] {
    let mut q = ordinary(random);
    let tiny = 2f64.powi(-(random.below(50) as i32));
    match random.below(8) {
        // Edges nearly parallel at both ends; a triangle nearly without area.
        0 => {
            for t in 0..2 {
                q[3][t] = q[2][t] + (q[1][t] - q[0][t]) + tiny * random.point();
            }
        }
        // Coplanar for all time, in a plane that rounding does not disturb.
        1 => {
            for p in q.iter_mut().flatten() {
                let bits = 20;
                let d = random.dyadic_point(bits);
                *p = DVec3::new(d.x, d.y, 0.5 * d.x - 2.0 * d.y);
            }
        }
        // Nearly coplanar for all time.
        2 => {
            for p in q.iter_mut().flatten() {
                p.z = 0.25 * p.x + 0.5 * p.y + tiny * random.unit();
            }
        }
        // A common vertex at one end of the time.
        3 => q[0][random.below(2) as usize] = q[2][0],
        // A common vertex at the same end: touching.
        4 => {
            let t = random.below(2) as usize;
            q[0][t] = q[3][t];
        }
        // An edge of no length, for some or for all of the time.
        5 => {
            q[1][0] = q[0][0];
            if random.below(2) == 0 {
                q[1][1] = q[0][1];
            }
        }
        // A triangle without area, and edges on one line, at both ends.
        6 => {
            for t in 0..2 {
                let (a, d) = (random.dyadic_point(12), random.dyadic_point(12));
                q[1][t] = a;
                q[2][t] = a + d;
                q[3][t] = a - 2.0 * d;
                if random.below(2) == 0 {
                    q[0][t] = a + 0.25 * d;
                }
            }
        }
        // Very slow, at a distance of the same order.
        _ => {
            for p in &mut q {
                p[1] = p[0] + tiny * random.point();
            }
        }
    }
    // Scales exactly; the shift rounds, which is an adversary of its own.
    let scale = random.scale();
    let shift = if random.below(4) == 0 { 64.0 * random.point() } else { DVec3::ZERO };
    q.map(|ends| ends.map(|p| (p + shift) * scale))
}

/// Where a planted hit is: time, and the place in the triangle or on the two edges.
pub(crate) type Place = [f64; 3];

/// A vertex that is in the triangle exactly at t, at a + u (b − a) + v (c − a); t, u, v are
/// sixteenths in [0, 1], the boundary included.
pub(crate) fn planted_vertex_face(random: &mut Random) -> (VertexFace, Place) {
    let (t, u) = (random.sixteenth(), random.sixteenth());
    let v = random.below((16.0 * (1.0 - u)) as u64 + 1) as f64 / 16.0;
    let bits = 4 + random.below(25) as u32;
    let mut moving = || [random.dyadic_point(bits), random.dyadic_point(bits)];
    let tri = [moving(), moving(), moving()];
    // Each of these has at most `bits` + 8 binary places and is exact.
    let [a, b, c] = tri.map(|p| (1.0 - t) * p[0] + t * p[1]);
    let hit = (1.0 - u - v) * a + u * b + v * c;
    let p = through(hit, t, random.dyadic_point(bits));
    let scale = random.scale();
    ((p.map(|x| x * scale), tri.map(|p| p.map(|x| x * scale))), [t, u, v])
}

/// Two edges that meet exactly at t, at u along the first and v along the second.
pub(crate) fn planted_edge_edge(random: &mut Random) -> (EdgeEdge, Place) {
    let place = [random.sixteenth(), random.sixteenth(), random.sixteenth()];
    let [t, u, v] = place;
    let bits = 4 + random.below(25) as u32;
    let mut moving = || [random.dyadic_point(bits), random.dyadic_point(bits)];
    let a = [moving(), moving()];
    let [a0, a1] = a.map(|p| (1.0 - t) * p[0] + t * p[1]);
    let hit = (1.0 - u) * a0 + u * a1;
    let along = random.dyadic_point(bits);
    let b = [
        through(hit - v * along, t, random.dyadic_point(bits)),
        through(hit + (1.0 - v) * along, t, random.dyadic_point(bits)),
    ];
    let scale = random.scale();
    ((a.map(|p| p.map(|x| x * scale)), b.map(|p| p.map(|x| x * scale))), place)
}

/// Ends of a motion that is at `hit` at time t.
fn through(hit: DVec3, t: f64, velocity: DVec3) -> [DVec3; 2] {
    [hit - t * velocity, hit + (1.0 - t) * velocity]
}
