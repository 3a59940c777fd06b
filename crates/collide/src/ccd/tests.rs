use super::*;
use crate::distance;
use proptest::prelude::*;

const METHODS: [Ccd; 2] = [Ccd::Cubic, Ccd::Separating];
const FILTERS: [Filter; 4] = [Filter::None, Filter::Boxes, Filter::Dop, Filter::Hull];
const TOUCH: Separation =
    Separation { radius: 0.0, gap: 1e-9, max_approach: Separation::LOOSE, body: 0.0 };

fn still(x: DVec3) -> [DVec3; 2] {
    [x, x]
}

/// The triangle (0,0,0), (1,0,0), (0,0,1) in the plane y = 0.
fn floor() -> [[DVec3; 2]; 3] {
    [still(DVec3::ZERO), still(DVec3::X), still(DVec3::Z)]
}

#[test]
fn a_point_falling_through_a_triangle_hits_it_half_way() {
    let p = [DVec3::new(0.2, 1.0, 0.3), DVec3::new(0.2, -1.0, 0.3)];
    for method in METHODS {
        let hit = method.vertex_face(p, floor(), TOUCH).unwrap();
        assert!((hit.time - 0.5).abs() < 1e-6, "{method:?}: {}", hit.time);
        assert!((hit.normal - DVec3::Y).length() < 1e-12);
        let expected = [1.0, -0.5, -0.2, -0.3];
        assert!(hit.weights.iter().zip(expected).all(|(w, e)| (w - e).abs() < 1e-6));
    }
}

#[test]
fn a_point_passing_beside_a_triangle_misses_it() {
    let p = [DVec3::new(0.8, 1.0, 0.8), DVec3::new(0.8, -1.0, 0.8)];
    for method in METHODS {
        assert_eq!(method.vertex_face(p, floor(), TOUCH), None);
    }
}

#[test]
fn crossing_edges_meet_at_the_time_by_hand() {
    let a = [still(DVec3::new(-1.0, 0.0, 0.0)), still(DVec3::new(1.0, 0.0, 0.0))];
    let fall = |z: f64| [DVec3::new(0.0, 3.0, z), DVec3::new(0.0, -1.0, z)];
    let b = [fall(-1.0), fall(1.0)];
    for method in METHODS {
        let hit = method.edge_edge(a, b, TOUCH).unwrap();
        assert!((hit.time - 0.75).abs() < 1e-6, "{method:?}: {}", hit.time);
        assert!((hit.normal.y + 1.0).abs() < 1e-12, "from b to a is down");
    }
}

#[test]
fn the_earliest_of_several_coplanarities_is_taken() {
    // The triangle turns once about the x axis while the point waits beside its plane.
    let p = still(DVec3::new(0.3, 0.0, 0.3));
    let face = [
        [DVec3::new(0.0, 1.0, 0.0), DVec3::new(0.0, -1.0, 0.0)],
        [DVec3::new(1.0, 0.5, 0.0), DVec3::new(1.0, -0.5, 0.0)],
        [DVec3::new(0.0, 0.5, 1.0), DVec3::new(0.0, -1.5, 1.0)],
    ];
    let cubic = Ccd::Cubic.vertex_face(p, face, TOUCH).unwrap();
    let separating = Ccd::Separating.vertex_face(p, face, TOUCH).unwrap();
    assert!((cubic.time - separating.time).abs() < 1e-6);
}

#[test]
fn motion_in_one_plane_is_not_missed() {
    // Two collinear-plane edges driven into each other within the plane y = 0: the cubic is zero
    // everywhere and says nothing, the separating planes see it.
    let a = [still(DVec3::new(0.0, 0.0, -1.0)), still(DVec3::new(0.0, 0.0, 1.0))];
    let b = [
        [DVec3::new(0.5, 0.0, 0.0), DVec3::new(-0.5, 0.0, 0.0)],
        [DVec3::new(1.5, 0.0, 0.0), DVec3::new(0.5, 0.0, 0.0)],
    ];
    assert!(Ccd::Separating.edge_edge(a, b, TOUCH).is_some());
}

#[test]
fn a_pair_that_touches_and_leaves_is_let_go() {
    let p = [DVec3::new(0.2, 1e-9, 0.3), DVec3::new(0.2, 1.0, 0.3)];
    assert_eq!(Ccd::Separating.vertex_face(p, floor(), Separation::gap(1e-3)), None);
    let back = [p[0], DVec3::new(0.2, -1.0, 0.3)];
    assert!(Ccd::Separating.vertex_face(back, floor(), Separation::gap(1e-3)).is_some());
}

#[test]
fn sliding_at_the_separation_is_no_impact() {
    let p = [DVec3::new(0.1, 2e-3, 0.1), DVec3::new(0.4, 2e-3, 0.4)];
    assert_eq!(Ccd::Separating.vertex_face(p, floor(), Separation::gap(1e-3)), None);
}

/// Two edges, or a vertex and a face, `gap` beyond a radius of one half apart, that begin to turn about a far axis by `angle` and part
/// by `parting`.
fn tight(pair: Pair, gap: f64, angle: f64, parting: f64) -> Query {
    let up = DVec3::Y * (0.5 + gap);
    let points = match pair {
        Pair::EdgeEdge => {
            [up - DVec3::X * 3.0, up + DVec3::X * 9.0, -DVec3::Z * 5.0, DVec3::Z * 8.0]
        }
        Pair::VertexFace => {
            [up, DVec3::new(-9.0, 0.0, -4.0), DVec3::new(8.0, 0.0, -5.0), DVec3::Z * 9.0]
        }
    };
    let turn = DVec3::new(0.6, 0.0, 0.8) * angle;
    let first = if pair == Pair::EdgeEdge { 2 } else { 1 };
    let pivot = DVec3::new(20.0, 0.0, 10.0);
    std::array::from_fn(|i| {
        let more = if i < first { DVec3::Y * parting } else { DVec3::ZERO };
        [points[i], points[i] + turn.cross(points[i] - pivot) + more]
    })
}

#[test]
fn what_turns_as_one_is_let_go_however_small_the_gap() {
    for pair in [Pair::EdgeEdge, Pair::VertexFace] {
        for (gap, angle) in [(1e-2, 0.2), (1e-3, 0.1), (1e-4, 0.05), (1e-6, 0.02)] {
            let separation = Separation { radius: 0.5, gap: 0.1, max_approach: 0.8, body: 0.0 };
            let x = tight(pair, gap, angle, 0.0);
            assert_eq!(
                Ccd::Separating.time_of_impact(pair, &x, separation, Filter::Hull),
                None,
                "{gap}"
            );
            let meets = tight(pair, gap, angle, -2.0 * gap - angle * angle);
            assert!(
                Ccd::Separating.time_of_impact(pair, &meets, separation, Filter::Hull).is_some()
            );
        }
    }
}

proptest! {
    #[test]
    fn what_turns_keeps_its_distance_until_the_time_it_is_told(
        pair in pair(), digits in 1.0..7.0_f64, angle in -0.4..0.4_f64, parting in -2.0..9.0_f64,
    ) {
        let gap = libm::pow(10.0, -digits);
        let separation = Separation { radius: 0.5, gap: 0.1, max_approach: 0.8, body: 0.0 };
        let x = tight(pair, gap, angle, parting * gap);
        let impact = Ccd::Separating.time_of_impact(pair, &x, separation, Filter::Hull);
        let until = impact.map_or(1.0, |i| i.time);
        let least = separation.threshold(0.5 + gap);
        for k in 0..=400 {
            let [p, q, r, s] = at(&x, until * f64::from(k) / 400.0);
            let way = match pair {
                Pair::VertexFace => {
                    let w = distance::point_triangle(p, [q, r, s]);
                    p - (q * w[0] + r * w[1] + s * w[2])
                }
                Pair::EdgeEdge => {
                    let [u, v] = distance::edge_edge([p, q], [r, s]);
                    p.lerp(q, u) - r.lerp(s, v)
                }
            };
            prop_assert!(way.length() >= least - 1e-13, "{} of {least} at {k}", way.length());
        }
    }
}

#[test]
fn a_plane_tells_of_what_it_keeps_apart_and_of_nothing_else() {
    let still = |y: f64| [DVec3::new(0.2, y, 0.3); 2];
    let falls = |y: f64| [DVec3::new(0.2, y, 0.3), DVec3::new(0.2, -y, 0.3)];
    let [a, b, c] = floor();
    let above =
        |p: [DVec3; 2], least: f64| is_separated(Pair::VertexFace, &[p, a, b, c], DVec3::Y, least);
    assert!(above(still(0.5), 0.4) && above(still(0.5), 0.0));
    assert!(!above(still(0.5), 0.5) && !above(falls(0.5), 0.0));
    for scale in [1e-121, 1e-300, f64::INFINITY, f64::NAN] {
        let x = [falls(0.5), a, b, c].map(|p| p.map(|x| x * scale));
        assert!(!is_separated(Pair::VertexFace, &x, DVec3::Y, 0.0), "{scale}");
        let far = [still(0.5), a, b, [DVec3::Z, DVec3::splat(scale.max(1.0) * f64::MAX)]];
        assert!(!is_separated(Pair::VertexFace, &far, DVec3::Y, 0.0), "{scale}");
    }
}

#[test]
fn a_sphere_is_a_vertex_with_a_radius() {
    let p = [DVec3::new(0.2, 1.0, 0.2), DVec3::new(0.2, 0.0, 0.2)];
    let ball = Separation { radius: 0.25, gap: 0.0, max_approach: Separation::LOOSE, body: 0.0 };
    let hit = Ccd::Separating.vertex_face(p, floor(), ball).unwrap();
    assert!((hit.time - 0.75).abs() < 1e-3, "{}", hit.time);
}

#[test]
fn a_gap_is_as_fine_above_a_large_ball_as_above_cloth() {
    for body in [0.0, 0.3, 1.0] {
        let (radius, gap) = (body + 1e-5, 2e-8);
        let separation = Separation { radius, gap: 1e-5, max_approach: 0.8, body };
        // It comes down by one and a half of the gap, and may use up four fifths of it.
        let height = radius + gap;
        let p = [DVec3::new(0.2, height, 0.3), DVec3::new(0.2, height - 1.5 * gap, 0.3)];
        let time = Ccd::Separating.vertex_face(p, floor(), separation).unwrap().time;
        assert!((time - 0.8 / 1.5).abs() < 2e-3, "{body}: {time}");
    }
}

#[test]
fn features_without_extent_are_handled() {
    let o = still(DVec3::ZERO);
    let gone = still(DVec3::ONE);
    assert!(Ccd::Separating.edge_edge([o, o], [o, o], TOUCH).is_some());
    assert!(Ccd::Separating.edge_edge([o, o], [gone, gone], TOUCH).is_none());
    assert!(Ccd::Separating.vertex_face(o, [gone, gone, gone], TOUCH).is_none());
    let through = [DVec3::NEG_ONE, DVec3::ONE];
    assert!(Ccd::Separating.vertex_face(through, [o, o, o], TOUCH).is_some());
}

fn point() -> impl Strategy<Value = DVec3> {
    [-1.0..1.0, -1.0..1.0, -1.0..1.0_f64].prop_map(DVec3::from_array)
}

fn moving() -> impl Strategy<Value = [DVec3; 2]> {
    [point(), point()]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn a_dismissed_vertex_and_face_keep_their_distance(
        p in moving(), face in [moving(), moving(), moving()], t in 0.0..=1.0_f64, gap in 1e-6..0.1_f64,
    ) {
        if Ccd::Separating.vertex_face(p, face, Separation::gap(gap)).is_none() {
            let ([x], f) = (at(&[p], t), at(&face, t));
            let start = { let w = crate::distance::point_triangle(p[0], face.map(|c| c[0]));
                p[0].distance((0..3).map(|i| face[i][0] * w[i]).sum()) };
            let w = crate::distance::point_triangle(x, f);
            let d = x.distance((0..3).map(|i| f[i] * w[i]).sum());
            prop_assert!(d >= gap.min(0.9 * start) * (1.0 - 1e-9));
        }
    }

    #[test]
    fn what_the_cubic_sees_the_separating_planes_see_not_later(
        p in moving(), face in [moving(), moving(), moving()],
        a in [moving(), moving()], b in [moving(), moving()],
    ) {
        if let Some(cubic) = Ccd::Cubic.vertex_face(p, face, TOUCH) {
            let hit = Ccd::Separating.vertex_face(p, face, TOUCH);
            prop_assert!(hit.is_some_and(|h| h.time <= cubic.time + 1e-12));
        }
        if let Some(cubic) = Ccd::Cubic.edge_edge(a, b, TOUCH) {
            let hit = Ccd::Separating.edge_edge(a, b, TOUCH);
            prop_assert!(hit.is_some_and(|h| h.time <= cubic.time + 1e-12));
        }
    }
}

/// A query and whether its coordinates are small, of the size of a room, or large.
fn query() -> impl Strategy<Value = Query> {
    (prop::array::uniform24(-1.0..1.0_f64), -30..20_i32).prop_map(|(c, power)| {
        let x: Vec<DVec3> =
            c.chunks(3).map(|c| DVec3::new(c[0], c[1], c[2]) * f64::from(power).exp2()).collect();
        std::array::from_fn(|v| [x[v], x[v + 4]])
    })
}

fn pair() -> impl Strategy<Value = Pair> {
    prop_oneof![Just(Pair::VertexFace), Just(Pair::EdgeEdge)]
}

proptest! {
    #[test]
    fn many_queries_get_the_answers_of_each_alone(
        queries in prop::collection::vec(query(), 0..40), pair in pair(), gap in 0.0..0.2_f64,
        skip in any::<u32>(),
    ) {
        let separation = Separation::gap(gap);
        for method in Ccd::ALL {
            for filter in FILTERS {
                let asked = |i: usize| skip >> (i % 32) & 1 == 0;
                let mut together = Vec::new();
                method.times_of_impact(
                    pair, queries.len(), separation, filter,
                    |i| asked(i).then_some(queries[i]), |i, impact| together.push((i, impact)),
                );
                let alone: Vec<(usize, Impact)> = (0..queries.len())
                    .filter(|i| asked(*i))
                    .filter_map(|i| Some((i, method.time_of_impact(pair, &queries[i], separation, filter)?)))
                    .collect();
                prop_assert_eq!(together, alone);
            }
        }
    }

    #[test]
    fn a_filter_dismisses_nothing_that_comes_near(
        x in query(), pair in pair(), gap in 0.0..0.2_f64, t in 0.0..1.0_f64,
    ) {
        let [p, q, r, s] = x.map(|x| x[0].lerp(x[1], t));
        let near = match pair {
            Pair::VertexFace => {
                let w = distance::point_triangle(p, [q, r, s]);
                p.distance(w[0] * q + w[1] * r + w[2] * s)
            }
            Pair::EdgeEdge => {
                let [u, v] = distance::edge_edge([p, q], [r, s]);
                p.lerp(q, u).distance(r.lerp(s, v))
            }
        };
        for filter in FILTERS {
            // With the strictest limit a pair that starts nearer than the gap is let go; that is the
            // method's to say, so the method is asked too.
            let separation = Separation { radius: 0.0, gap, max_approach: 0.0, body: 0.0 };
            if near < gap && Ccd::Separating.time_of_impact(pair, &x, separation, Filter::None).is_some() {
                prop_assert!(
                    Ccd::Separating.time_of_impact(pair, &x, separation, filter).is_some(),
                    "{filter:?} dismisses {near} < {gap}"
                );
            }
        }
    }
}

#[test]
fn numbers_that_are_no_positions_count_as_impact() {
    let ordinary = [DVec3::new(0.2, 1.0, 0.3), DVec3::new(0.2, 2.0, 0.3)];
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e200] {
        for (vertex, end) in [(0, 0), (0, 1), (2, 0), (3, 1)] {
            let mut x = [ordinary, still(DVec3::ZERO), still(DVec3::X), still(DVec3::Z)];
            x[vertex][end].y = bad;
            for pair in [Pair::VertexFace, Pair::EdgeEdge] {
                for filter in FILTERS {
                    let found = Ccd::Separating.time_of_impact(pair, &x, TOUCH, filter);
                    let finite = bad.is_finite();
                    assert!(found.is_some() || finite, "{bad} {pair:?} {filter:?} {vertex} {end}");
                    if let Some(impact) = found {
                        assert!((0.0..=1.0).contains(&impact.time), "{impact:?}");
                    }
                }
            }
        }
    }
}

#[test]
fn a_gap_is_not_forgotten_where_squares_underflow() {
    let at = |x: [f64; 3]| DVec3::from_array(x);
    let x = [
        [at([2.0, 2.0, 1.0]), at([-2.0, 0.0, 0.0])],
        [at([1.0, -2.0, 0.0]), at([-2.0, 1.0, 0.0])],
        [at([2.0, 0.0, 0.0]), at([0.0, -1.0, 0.0])],
        [at([0.0, 0.0, 0.0]), at([1.0, -1.0, 0.0])],
    ];
    // The same question at every scale. Near 2^-280 the square of the normal is zero, but the volume is not.
    for exponent in (-1000..=400).step_by(3) {
        let scale = 2.0_f64.powi(exponent);
        let separation = Separation::gap(0.5 * scale);
        let x = x.map(|x| x.map(|x| x * scale));
        let found = Ccd::Separating.time_of_impact(Pair::VertexFace, &x, separation, Filter::Hull);
        assert!(found.is_some(), "2^{exponent}");
    }
}
