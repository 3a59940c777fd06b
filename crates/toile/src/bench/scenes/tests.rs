use super::*;

/// Stretch of every edge.
fn stretch(case: &Case) -> Vec<f64> {
    let topology = Topology::new(case.uv.len(), &case.triangles);
    let of =
        |[a, b]: [usize; 2]| case.x_t0[a].distance(case.x_t0[b]) / case.uv[a].distance(case.uv[b]);
    topology.edges.iter().map(|e| of(e.vertices.map(|v| v as usize))).collect()
}

#[test]
fn no_scene_stretches_its_cloth_much_at_any_resolution() {
    for kind in Kind::ALL {
        for size in [5_000, 60_000] {
            let edges = stretch(&Case::new(kind, size).unwrap());
            let beyond = |limit: f64| {
                let far = edges.iter().filter(|s| (*s - 1.0).abs() > limit).count();
                far as f64 / edges.len() as f64
            };
            // Splines still run unevenly through the sharpest folds of the coarse drape.
            let (few, most) = if kind == Kind::Draped { (0.01, 0.25) } else { (0.0, 0.15) };
            let worst = edges.iter().map(|s| (s - 1.0).abs()).fold(0.0, f64::max);
            assert!(worst < most, "{kind:?} {size}: {worst}, {} beyond 15 %", beyond(0.15));
            assert!(beyond(0.15) <= few, "{kind:?} {size}: {} beyond 15 %", beyond(0.15));
        }
    }
}

#[test]
fn scenes_are_a_square_metre_with_the_wanted_number_of_triangles() {
    for kind in Kind::ALL {
        for size in [5_000, 20_000] {
            let case = Case::new(kind, size).unwrap();
            let ratio = case.triangles.len() as f64 / size as f64;
            assert!((0.9..1.1).contains(&ratio), "{kind:?}: {} for {size}", case.triangles.len());
            let corners = |t: &[u32; 3]| t.map(|v| case.uv[v as usize]);
            let area: f64 = case
                .triangles
                .iter()
                .map(corners)
                .map(|[a, b, c]| 0.5 * (b - a).perp_dot(c - a))
                .sum();
            assert!((area - 1.0).abs() < 0.01, "{kind:?}: {area} m²");
        }
    }
}

#[test]
fn everything_moves_by_about_a_millimetre_and_not_rigidly() {
    for kind in Kind::ALL {
        let case = Case::new(kind, 5_000).unwrap();
        let ways: Vec<DVec3> = case.x_t1.iter().zip(&case.x_t0).map(|(b, a)| *b - *a).collect();
        assert!(ways.iter().all(|w| (5e-4..1.5e-3).contains(&w.length())), "{kind:?}");
        let differ = ways.iter().map(|w| w.distance(ways[0])).fold(0.0, f64::max);
        assert!(differ > 1e-4, "{kind:?}: {differ}");
    }
}

#[test]
fn layers_are_as_far_apart_as_they_say_and_pass_none_through_another() {
    for kind in [Kind::Ribbon, Kind::Stack, Kind::Twist] {
        let case = Case::new(kind, 20_000).unwrap();
        let found = toile_audit::self_intersections(&case.x_t0, &case.triangles).unwrap();
        assert!(found.is_empty(), "{kind:?}: {}", found.len());
    }
}
