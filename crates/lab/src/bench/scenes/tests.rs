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
            let edges = stretch(&Case::new(kind, size));
            let worst = edges.iter().map(|s| (s - 1.0).abs()).fold(0.0, f64::max);
            assert!(worst < 0.15, "{kind:?} {size}: {worst}");
        }
    }
}

#[test]
fn scenes_are_a_square_metre_with_the_wanted_number_of_triangles() {
    for kind in Kind::ALL {
        for size in [5_000, 20_000] {
            let case = Case::new(kind, size);
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
        let case = Case::new(kind, 5_000);
        let ways: Vec<DVec3> = case.x_t1.iter().zip(&case.x_t0).map(|(b, a)| *b - *a).collect();
        assert!(ways.iter().all(|w| (5e-4..1.5e-3).contains(&w.length())), "{kind:?}");
        let differ = ways.iter().map(|w| w.distance(ways[0])).fold(0.0, f64::max);
        assert!(differ > 1e-4, "{kind:?}: {differ}");
    }
}

#[test]
fn layers_are_as_far_apart_as_they_say_and_pass_none_through_another() {
    for kind in [Kind::Draped, Kind::Ribbon, Kind::Stack, Kind::Twist] {
        let case = Case::new(kind, 20_000);
        let found = toile_audit::self_intersections(&case.x_t0, &case.triangles).unwrap();
        assert!(found.is_empty(), "{kind:?}: {}", found.len());
    }
}

#[test]
fn pleats_do_not_pass_through_themselves_at_any_resolution() {
    // Odd sizes: grid lines lie elsewhere on the bends each time.
    for size in [5_000, 7_300, 10_000, 13_700, 33_000] {
        let case = Case::new(Kind::Draped, size);
        for x in [&case.x_t0, &case.x_t1] {
            let found = toile_audit::self_intersections(x, &case.triangles).unwrap();
            assert!(found.is_empty(), "{size}: {}", found.len());
        }
    }
}

#[test]
fn pleats_are_bent_without_stretch() {
    let pleats = Pleats::new(Kind::Draped.measures().pleats);
    let step = 1e-6;
    for i in 0..40 {
        for j in 0..40 {
            let p = DVec2::new(f64::from(i), f64::from(j)) / 40.0 - 0.49;
            let along =
                |d: DVec2| (pleats.at(p + step * d) - pleats.at(p - step * d)) / (2.0 * step);
            let (u, v) = (along(DVec2::X), along(DVec2::Y));
            // Differences of positions of 1 m over 1e-6 m are good to 1e-9; across the ends of bends, to
            // the curvature times the step.
            let off = (u.length() - 1.0).abs().max((v.length() - 1.0).abs()).max(u.dot(v).abs());
            assert!(off < 1e-3, "{p}: {off}");
        }
    }
}

#[test]
fn necks_of_pleats_are_as_wide_as_they_say() {
    let shape = Kind::Draped.measures().pleats;
    let pleats = Pleats::new(shape);
    // Along the top and along the hem, at one distance from the apex, every fifth of a millimetre.
    for from_apex in [3.0, 4.0] {
        let at = |i: i32| {
            let s = 2e-4 * f64::from(i) / from_apex;
            let apex = DVec2::new(0.0, 3.5);
            pleats.at(apex + from_apex * DVec2::new(libm::sin(s), -libm::cos(s)))
        };
        let x: Vec<DVec3> = (-2000..2000).map(at).collect();
        // Two points of one limb are as far apart as they are in the cloth; those of a bulb of 8 cm
        // are at least 2 cm apart.
        let apart = (0.05 / 2e-4) as usize;
        let least = (0..x.len())
            .flat_map(|i| x[(i + apart).min(x.len())..].iter().map(move |y| (i, y)))
            .map(|(i, y)| x[i].distance(*y))
            .fold(f64::INFINITY, f64::min);
        let width = shape.gap * from_apex / 3.5;
        assert!((least / width - 1.0).abs() < 0.05, "{least} for {width}");
    }
}
