//! Control cages and their subdivision.
//!
//! A cage is a coarse closed mesh of polygons; [`Cage::subdivided`] refines it by the rule of Catmull and Clark:
//! a face gets its mean, an edge the mean of its ends and the means of its faces, and a vertex of valence n
//! moves to (Q + 2R + (n − 3) v) / n, with Q the mean of the face points and R that of the edge midpoints around
//! it [catmull1978]. What holds for positions holds for skin weights: both are refined by the same means, so that
//! weights still sum to one.
//!
//! Limits: the cage has no boundary. The limit surface is smooth in its curvature except at vertices of
//! valence other than four.

use toile_mesh::Topology;

/// A closed mesh of polygons with `N` numbers at each vertex.
#[derive(Clone, Debug)]
pub(crate) struct Cage<const N: usize> {
    /// The numbers of each vertex.
    pub(crate) data: Vec<[f64; N]>,
    /// The corners of each face, counter-clockwise seen from outside.
    pub(crate) faces: Vec<Vec<u32>>,
}

impl<const N: usize> Cage<N> {
    /// One level finer; all faces are quads then.
    ///
    /// Old vertices keep their index, then come those of the faces, then those of the edges.
    pub(crate) fn subdivided(&self) -> Self {
        let (nv, nf) = (self.data.len(), self.faces.len());
        let edges = self.edges();
        let add = |a: &mut [f64; N], b: &[f64; N], s: f64| {
            a.iter_mut().zip(b).for_each(|(a, b)| *a += s * b);
        };
        let mut data = vec![[0.0; N]; nv + nf + edges.list.len()];
        // Face points.
        for (f, face) in self.faces.iter().enumerate() {
            for v in face {
                add(&mut data[nv + f], &self.data[*v as usize], 1.0 / face.len() as f64);
            }
        }
        // Edge points, and at old vertices the sums Q + 2R, halves of edges counted once at each end.
        let mut valence = vec![0_u32; nv];
        let mut around = vec![[0.0; N]; nv];
        for (e, ([a, b], faces)) in edges.list.iter().enumerate() {
            let mut p = [0.0; N];
            for v in [*a, *b] {
                add(&mut p, &self.data[v as usize], 0.25);
            }
            for f in faces {
                let face = data[nv + *f as usize];
                add(&mut p, &face, 0.25);
            }
            data[nv + nf + e] = p;
            for (v, other) in [(*a, *b), (*b, *a)] {
                let sum = &mut around[v as usize];
                add(sum, &self.data[v as usize], 1.0);
                add(sum, &self.data[other as usize], 1.0);
                valence[v as usize] += 1;
            }
        }
        for (f, face) in self.faces.iter().enumerate() {
            let point = data[nv + f];
            for v in face {
                add(&mut around[*v as usize], &point, 1.0);
            }
        }
        for v in 0..nv {
            let n = f64::from(valence[v]);
            add(&mut data[v], &around[v], 1.0 / (n * n));
            add(&mut data[v], &self.data[v], (n - 3.0) / n);
        }
        let mut faces = Vec::with_capacity(4 * nf);
        for (f, face) in self.faces.iter().enumerate() {
            let k = face.len();
            let side = |i: usize| (nv + nf) as u32 + edges.of_face[f][i % k];
            for i in 0..k {
                faces.push(vec![face[i], side(i), (nv + f) as u32, side(i + k - 1)]);
            }
        }
        Self { data, faces }
    }

    /// Each quad as two triangles along its shorter diagonal; a tie takes the first.
    pub(crate) fn triangles(&self, place: impl Fn(&[f64; N]) -> glam::DVec3) -> Vec<[u32; 3]> {
        let mut triangles = Vec::with_capacity(2 * self.faces.len());
        for face in &self.faces {
            let [a, b, c, d] = [face[0], face[1], face[2], face[3]];
            let length = |u: u32, v: u32| {
                place(&self.data[u as usize]).distance_squared(place(&self.data[v as usize]))
            };
            if length(a, c) <= length(b, d) * (1.0 + 1e-9) {
                triangles.extend([[a, b, c], [a, c, d]]);
            } else {
                triangles.extend([[a, b, d], [b, c, d]]);
            }
        }
        triangles
    }

    fn edges(&self) -> Edges {
        let mut sides: Vec<([u32; 2], u32, u32)> = Vec::new();
        for (f, face) in self.faces.iter().enumerate() {
            for i in 0..face.len() {
                let (a, b) = (face[i], face[(i + 1) % face.len()]);
                sides.push(([a.min(b), a.max(b)], f as u32, i as u32));
            }
        }
        sides.sort_unstable();
        let mut of_face: Vec<Vec<u32>> = self.faces.iter().map(|f| vec![0; f.len()]).collect();
        let mut list = Vec::with_capacity(sides.len() / 2);
        for pair in sides.chunk_by(|a, b| a.0 == b.0) {
            debug_assert_eq!(pair.len(), 2, "the cage is closed at {:?}", pair[0].0);
            for (_, f, i) in pair {
                of_face[*f as usize][*i as usize] = list.len() as u32;
            }
            list.push((pair[0].0, [pair[0].1, pair[pair.len() - 1].1]));
        }
        Edges { list, of_face }
    }
}

/// The edges of a cage: their ends and faces, and for each face the edge that leaves each corner.
struct Edges {
    list: Vec<([u32; 2], [u32; 2])>,
    of_face: Vec<Vec<u32>>,
}

/// Whether triangles over `vertices` vertices form one closed surface of consistent orientation.
pub(crate) fn is_sound(vertices: usize, triangles: &[[u32; 3]]) -> bool {
    let topology = Topology::new(vertices, triangles);
    let mut sides: Vec<[u32; 2]> =
        triangles.iter().flat_map(|[a, b, c]| [[*a, *b], [*b, *c], [*c, *a]]).collect();
    sides.sort_unstable();
    topology.is_closed()
        && topology.components().1 == 1
        && sides.windows(2).all(|pair| pair[0] != pair[1])
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec3;

    fn cube() -> Cage<3> {
        let data = (0..8).map(|i| [0, 1, 2].map(|k| f64::from(i >> k & 1) * 2.0 - 1.0)).collect();
        let faces =
            [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
        Cage { data, faces: faces.iter().map(|f| f.to_vec()).collect() }
    }

    #[test]
    fn a_cube_becomes_a_round_closed_surface() {
        // On the cube: face point (0,0,1), edge point (Q + R) / 2, vertex (Q + 2R) / 3 with Q = 1/3, R = 2/3.
        let once = cube().subdivided();
        assert_eq!((once.data.len(), once.faces.len()), (26, 24));
        for k in 0..3 {
            assert!((once.data[7][k] - 5.0 / 9.0).abs() < 1e-15);
        }
        let twice = once.subdivided();
        let triangles = twice.triangles(|p| DVec3::from_array(*p));
        assert!(is_sound(twice.data.len(), &triangles));
        let radii = twice.data.iter().map(|p| DVec3::from_array(*p).length());
        let (lo, hi) = radii.fold((f64::MAX, 0.0_f64), |(lo, hi), r| (lo.min(r), hi.max(r)));
        assert!(lo > 0.75 && hi < 1.0, "{lo} {hi}");
    }
}
