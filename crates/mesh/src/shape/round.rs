//! Tubes, spheres and capsules.

use crate::TriMesh;
use glam::{DVec2, DVec3};
use std::collections::HashMap;
use std::f64::consts::{FRAC_PI_2, PI, TAU};

/// The unit vector at angle θ around the y axis, from +x towards −z.
///
/// This way round, tangent × y is the outward normal: u runs around, v up.
fn around_y(k: usize, n: usize) -> DVec3 {
    let angle = TAU * k as f64 / n as f64;
    DVec3::new(libm::cos(angle), 0.0, -libm::sin(angle))
}

/// An open cylinder around the y axis, facing outwards: `around` × `along` cells.
///
/// Its vertices lie on the true cylinder. The pattern is a rectangle closed by a seam: column
/// `around` of the uv points is sewn to column 0. u counts along the flat facets, not along the
/// arc, so that every triangle is congruent with its uv triangle and starts without strain.
/// Vertex (i, j) is `i * (along + 1) + j`, i around, j up.
///
/// # Panics
/// If `around` is less than 3, `along` is zero, or a size is not positive and finite.
pub fn tube(radius: f64, height: f64, around: usize, along: usize) -> TriMesh {
    assert!(around >= 3 && along > 0, "a tube needs 3 cells around and 1 along at least");
    assert!(radius > 0.0 && height > 0.0 && (radius * height).is_finite(), "a tube needs an area");
    let facet = 2.0 * radius * libm::sin(PI / around as f64);
    let mut mesh = TriMesh::default();
    for i in 0..=around {
        for j in 0..=along {
            let y = (j as f64 / along as f64 - 0.5) * height;
            mesh.uv.push(DVec2::new((i as f64 - 0.5 * around as f64) * facet, y));
            if i < around {
                mesh.positions.push(radius * around_y(i, around) + y * DVec3::Y);
            }
        }
    }
    for i in 0..around {
        for j in 0..along {
            let uv_vertex = |di, dj| ((i + di) * (along + 1) + j + dj) as u32;
            let vertex = |di, dj| ((i + di) % around * (along + 1) + j + dj) as u32;
            for (a, b, c) in cell_corners(i + j) {
                mesh.triangles.push([vertex(a.0, a.1), vertex(b.0, b.1), vertex(c.0, c.1)]);
                let uv_triangle = [uv_vertex(a.0, a.1), uv_vertex(b.0, b.1), uv_vertex(c.0, c.1)];
                mesh.uv_triangles.push(uv_triangle);
            }
        }
    }
    mesh
}

type Corner = (usize, usize);

/// The two triangles of a cell with alternating diagonal.
fn cell_corners(parity: usize) -> [(Corner, Corner, Corner); 2] {
    if parity.is_multiple_of(2) {
        [((0, 0), (1, 0), (1, 1)), ((0, 0), (1, 1), (0, 1))]
    } else {
        [((0, 0), (1, 0), (0, 1)), ((1, 0), (1, 1), (0, 1))]
    }
}

/// A sphere of 20 · 4^`level` triangles whose vertices lie on the true sphere: an icosahedron,
/// each triangle cut in four `level` times.
///
/// # Panics
/// If the radius is not positive and finite, or the level is above 10 (21 million triangles).
pub fn sphere(radius: f64, level: u32) -> TriMesh {
    assert!(radius > 0.0 && radius.is_finite(), "a sphere needs a positive radius");
    assert!(level <= 10, "a sphere of level {level} does not fit in memory; use 10 at most");
    let mut mesh = icosahedron();
    for _ in 0..level {
        quarter(&mut mesh);
    }
    mesh.map_positions(|p| radius * p)
}

/// As [`sphere`], but swollen until no triangle cuts into the true sphere.
///
/// Cloth that keeps clear of this mesh keeps clear of the sphere.
///
/// # Panics
/// As [`sphere`] does.
pub fn sphere_circumscribed(radius: f64, level: u32) -> TriMesh {
    let inscribed = sphere(radius, level);
    let nearest = (0..inscribed.triangles.len())
        .map(|t| inscribed.area_normal(t).normalize().dot(inscribed.corners(t)[0]))
        .fold(f64::INFINITY, f64::min);
    // Sixteen roundings, more than the way from here to a vertex and back takes.
    let scale = radius / nearest * (1.0 + 16.0 * f64::EPSILON);
    inscribed.map_positions(|p| scale * p)
}

/// The regular icosahedron on the unit sphere, with a vertex at the top.
fn icosahedron() -> TriMesh {
    // The rings lie at the heights ±1/√5, turned by half a cell against one another.
    let (height, radius) = (0.2_f64.sqrt(), 0.8_f64.sqrt());
    let mut positions = vec![DVec3::Y];
    positions.extend((0..5).map(|k| height * DVec3::Y + radius * around_y(2 * k, 10)));
    positions.extend((0..5).map(|k| -height * DVec3::Y + radius * around_y(2 * k + 1, 10)));
    positions.push(-DVec3::Y);
    let mut triangles = Vec::new();
    for k in 0..5 {
        let next = (k + 1) % 5;
        let (a, b, c, d) = (1 + k, 1 + next, 6 + k, 6 + next);
        triangles.extend([[0, a, b], [a, c, b], [b, c, d], [11, d, c]]);
    }
    TriMesh::new(positions, triangles)
}

/// Cuts each triangle in four, new vertices on the unit sphere.
fn quarter(mesh: &mut TriMesh) {
    let mut midpoints: HashMap<[u32; 2], u32> = HashMap::new();
    let mut triangles = Vec::with_capacity(4 * mesh.triangles.len());
    for &[a, b, c] in &mesh.triangles {
        let mut midpoint = |a: u32, b: u32| {
            *midpoints.entry([a.min(b), a.max(b)]).or_insert_with(|| {
                let p = mesh.positions[a as usize] + mesh.positions[b as usize];
                mesh.positions.push(p.normalize());
                mesh.positions.len() as u32 - 1
            })
        };
        let (ab, bc, ca) = (midpoint(a, b), midpoint(b, c), midpoint(c, a));
        triangles.extend([[a, ab, ca], [b, bc, ab], [c, ca, bc], [ab, bc, ca]]);
    }
    mesh.triangles = triangles;
}

/// A ring around the y axis: a rod of radius `rod` bent to a circle of `radius` through its middle, `around` × `across`
/// cells. Its vertices lie on the true torus.
///
/// # Panics
/// If there are fewer than 3 cells either way, or the rod is not positive, finite and thinner than the circle.
pub fn ring(radius: f64, rod: f64, around: usize, across: usize) -> TriMesh {
    assert!(around >= 3 && across >= 3, "a ring needs 3 cells around and 3 across at least");
    assert!(rod > 0.0 && rod < radius && radius.is_finite(), "a ring needs a hole");
    let mut mesh = TriMesh::default();
    for i in 0..around {
        let out = around_y(i, around);
        for j in 0..across {
            let angle = TAU * j as f64 / across as f64;
            let (sin, cos) = libm::sincos(angle);
            mesh.positions.push(out * (radius + rod * cos) + DVec3::Y * (rod * sin));
        }
    }
    let vertex = |i: usize, j: usize| (i % around * across + j % across) as u32;
    for i in 0..around {
        for j in 0..across {
            for (a, b, c) in cell_corners(i + j) {
                let [a, b, c] = [a, b, c].map(|(di, dj)| vertex(i + di, j + dj));
                mesh.triangles.push([a, b, c]);
            }
        }
    }
    mesh
}

/// A capsule around the y axis: a cylinder of `length` with half a ball at each end, so that its
/// whole height is `length` + 2 `radius`. `around` cells around, `rings` on each cap from rim to
/// pole. Its vertices lie on the true capsule.
///
/// # Panics
/// If `around` is less than 3, `rings` is zero, or a size is not positive and finite.
pub fn capsule(radius: f64, length: f64, around: usize, rings: usize) -> TriMesh {
    assert!(around >= 3 && rings > 0, "a capsule needs 3 cells around and 1 ring at least");
    assert!(
        radius > 0.0 && length > 0.0 && (radius + length).is_finite(),
        "a capsule needs a positive radius and length"
    );
    let mut mesh = TriMesh::default();
    let pole = (0.5 * length + radius) * DVec3::Y;
    // Circles from the lowest to the highest, then the two poles.
    let circles = 2 * rings;
    for circle in 0..circles {
        let (side, step) =
            if circle < rings { (-1.0, rings - 1 - circle) } else { (1.0, circle - rings) };
        let latitude = FRAC_PI_2 * step as f64 / rings as f64;
        let y = side * (0.5 * length + radius * libm::sin(latitude));
        let r = radius * libm::cos(latitude);
        mesh.positions.extend((0..around).map(|k| r * around_y(k, around) + y * DVec3::Y));
    }
    let bottom = mesh.positions.len() as u32;
    mesh.positions.extend([-pole, pole]);
    let vertex = |circle: usize, k: usize| (circle * around + k % around) as u32;
    for k in 0..around {
        mesh.triangles.push([bottom, vertex(0, k + 1), vertex(0, k)]);
        for circle in 0..circles - 1 {
            let (p, q) = (vertex(circle, k), vertex(circle, k + 1));
            let (s, r) = (vertex(circle + 1, k), vertex(circle + 1, k + 1));
            mesh.triangles.extend([[p, q, r], [p, r, s]]);
        }
        mesh.triangles.push([bottom + 1, vertex(circles - 1, k), vertex(circles - 1, k + 1)]);
    }
    mesh
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Topology;

    fn assert_closed(m: &TriMesh) {
        assert_eq!(m.validate().faults, []);
        assert!(Topology::new(m.positions.len(), &m.triangles).is_closed());
        assert!(m.signed_volume() > 0.0);
    }

    #[test]
    fn a_tube_faces_outwards_and_unrolls_without_strain() {
        for around in [3, 8, 9] {
            let m = tube(0.5, 2.0, around, 4);
            assert_eq!(m.validate().faults, []);
            let n = around as f64;
            let exact = n * 2.0 * 0.5 * (PI / n).sin() * 2.0;
            assert!((m.area() - exact).abs() < 1e-13);
            for t in 0..m.triangles.len() {
                let centre = m.corners(t).iter().sum::<DVec3>() / 3.0;
                assert!(m.area_normal(t).dot(centre.with_y(0.0)) > 0.0);
                let ([a, b, c], [p, q, r]) = (m.corners(t), m.corners_uv(t));
                assert!((q - p).perp_dot(r - p) > 0.0);
                for (x, u) in [(b - a, q - p), (c - b, r - q), (a - c, p - r)] {
                    assert!((x.length() - u.length()).abs() < 1e-14);
                }
            }
            let rims = Topology::new(m.positions.len(), &m.triangles);
            assert_eq!(rims.edges.iter().filter(|e| e.is_boundary()).count(), 2 * around);
        }
    }

    #[test]
    fn spheres_converge_to_the_sphere_with_second_order() {
        let exact = 4.0 / 3.0 * PI;
        let mut last = f64::NAN;
        for level in 0..5 {
            let m = sphere(1.0, level);
            assert_closed(&m);
            assert_eq!(m.triangles.len(), 20 << (2 * level));
            for p in &m.positions {
                assert!((p.length() - 1.0).abs() < 1e-15);
            }
            let error = exact - m.signed_volume();
            assert!(error > 0.0);
            if level >= 2 {
                // Half the edge, a quarter of the error; 10 % for the terms of higher order.
                assert!((last / error - 4.0).abs() < 0.4, "level {level}: {}", last / error);
            }
            last = error;
        }
        assert!((sphere(1.0, 4).area() - 4.0 * PI).abs() < 0.01 * 4.0 * PI);
    }

    #[test]
    fn the_icosahedron_is_regular() {
        let m = sphere(1.0, 0);
        let edge = (m.positions[0] - m.positions[1]).length();
        for e in Topology::new(12, &m.triangles).edges {
            let [a, b] = e.vertices.map(|v| m.positions[v as usize]);
            assert!(((a - b).length() - edge).abs() < 1e-15);
        }
    }

    #[test]
    fn a_circumscribed_sphere_has_no_face_inside() {
        for level in 0..5 {
            for radius in [0.1, 1.0, 7.3] {
                let m = sphere_circumscribed(radius, level);
                assert_closed(&m);
                let mut nearest = f64::INFINITY;
                for t in 0..m.triangles.len() {
                    let normal = m.area_normal(t).normalize();
                    nearest = nearest.min(normal.dot(m.corners(t)[0]));
                }
                assert!(nearest >= radius && nearest < radius * (1.0 + 1e-14));
            }
        }
    }

    #[test]
    fn capsules_converge_to_the_capsule() {
        let (r, l) = (0.3, 1.2);
        let volume = PI * r * r * l + 4.0 / 3.0 * PI * r * r * r;
        let area = TAU * r * l + 4.0 * PI * r * r;
        for (around, rings) in [(3, 1), (8, 2), (128, 32)] {
            let m = capsule(r, l, around, rings);
            assert_closed(&m);
            assert!(m.signed_volume() < volume && m.area() < area);
        }
        let fine = capsule(r, l, 128, 32);
        // Relative error of a polygon with n corners: about (2π/n)²/6 < 4.1e-4 for the volume.
        assert!(fine.signed_volume() > volume * (1.0 - 1e-3));
        assert!(fine.area() > area * (1.0 - 1e-3));
        let (lo, hi) = fine.bounds().unwrap();
        assert!((lo.y + 0.9).abs() < 1e-15 && (hi.y - 0.9).abs() < 1e-15);
    }
}
