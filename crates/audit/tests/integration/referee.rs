//! The audit against exact rational arithmetic, on inputs where touching really happens.

use crate::rational;

use glam::DVec3;
use proptest::prelude::*;
use toile_audit::{self_intersections, self_intersections_brute_force};

/// Corners on a small lattice: most pairs are coplanar, touching or degenerate somewhere.
fn lattice(n: i32) -> impl Strategy<Value = DVec3> {
    (-n..=n, -n..=n, -n..=n).prop_map(|(x, y, z)| DVec3::new(x.into(), y.into(), z.into()))
}

fn soup(n: i32, vertices: usize, triangles: usize) -> impl Strategy<Value = Soup> {
    let corner = 0..vertices as u32;
    (
        prop::collection::vec(lattice(n), vertices),
        prop::collection::vec([corner.clone(), corner.clone(), corner], triangles),
    )
}

type Soup = (Vec<DVec3>, Vec<[u32; 3]>);

fn refereed(x: &[DVec3], triangles: &[[u32; 3]]) -> Vec<[u32; 2]> {
    let mut pairs = Vec::new();
    for s in 0..triangles.len() {
        for t in s + 1..triangles.len() {
            if rational::intersects(x, triangles[s], triangles[t]) {
                pairs.push([s as u32, t as u32]);
            }
        }
    }
    pairs
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn lattice_soups_agree_with_rational_arithmetic((x, triangles) in soup(2, 12, 10)) {
        prop_assert_eq!(self_intersections(&x, &triangles).unwrap(), refereed(&x, &triangles));
    }

    #[test]
    fn flat_lattice_soups_agree_with_rational_arithmetic((x, triangles) in soup(3, 10, 10)) {
        // On the plane z = x + 2y nothing but coplanar cases remains.
        let x: Vec<_> = x.iter().map(|p| DVec3::new(p.x, p.y, p.x + 2.0 * p.y)).collect();
        prop_assert_eq!(self_intersections(&x, &triangles).unwrap(), refereed(&x, &triangles));
    }

    #[test]
    fn lines_of_degenerate_triangles_agree_with_rational_arithmetic(
        (x, triangles) in soup(3, 8, 8)
    ) {
        let x: Vec<_> = x.iter().map(|p| DVec3::new(p.x, -2.0 * p.x, 3.0 * p.x)).collect();
        prop_assert_eq!(self_intersections(&x, &triangles).unwrap(), refereed(&x, &triangles));
    }

    #[test]
    fn rounded_lattices_agree_with_rational_arithmetic(
        (x, triangles) in soup(2, 12, 8), step in 1e-9..1e6f64, shift in -1e3..1e3f64,
    ) {
        // Rounding moves every touching case a little to one side or the other.
        let x: Vec<_> = x.iter().map(|p| *p * step + DVec3::splat(shift)).collect();
        prop_assert_eq!(self_intersections(&x, &triangles).unwrap(), refereed(&x, &triangles));
    }

    #[test]
    fn general_soups_agree_with_rational_arithmetic(
        x in prop::collection::vec([-1.0..1.0f64, -1.0..1.0, -1.0..1.0], 12),
        triangles in prop::collection::vec([0..12u32, 0..12u32, 0..12u32], 8),
        exponent in -30..20i32,
    ) {
        let scale = 2f64.powi(exponent); // about 1e-9 to 1e6
        let x: Vec<_> = x.into_iter().map(|p| DVec3::from_array(p) * scale).collect();
        prop_assert_eq!(self_intersections(&x, &triangles).unwrap(), refereed(&x, &triangles));
    }

    #[test]
    fn the_tree_equals_brute_force((x, triangles) in soup(6, 100, 120)) {
        prop_assert_eq!(
            self_intersections(&x, &triangles).unwrap(),
            self_intersections_brute_force(&x, &triangles).unwrap()
        );
    }
}
