use super::*;

fn found(case: &Case, options: Options) -> Vec<(Pair, [u32; 2])> {
    let mut detector = case.detector(options);
    detector.update(case.motion(), case.separation, None).unwrap();
    let (candidates, _) = detector.self_candidates(prune::DEFAULT_LIMIT);
    true_pairs(case, &detector.surface, &candidates)
}

#[test]
fn every_choice_finds_the_same_true_pairs_on_every_scene() {
    for scene in Kind::ALL {
        let case = Case::new(scene, 2_000);
        let all = found(&case, Options { prune: Prune::Nothing, ..Options::default() });
        for choice in choices() {
            assert!(found(&case, choice.options) == all, "{scene:?}, {}", choice.name());
        }
    }
}

#[test]
fn layers_touch_and_a_flat_sheet_does_not() {
    for scene in Kind::ALL {
        let case = Case::new(scene, 20_000);
        let pairs = found(&case, Options::default()).len();
        match scene {
            Kind::Flat | Kind::Hung => assert_eq!(pairs, 0),
            // A quarter of this cloth lies in the necks of its pleats.
            Kind::Draped => assert!(4 * pairs > case.triangles.len(), "{pairs}"),
            _ => assert!(pairs > case.triangles.len(), "{scene:?}: {pairs}"),
        }
    }
}

#[test]
fn a_drape_has_fewer_than_three_narrow_pairs_for_each_true_one() {
    for size in [5_000, 20_000] {
        let plan = Plan {
            scenes: vec![Kind::Draped],
            sizes: vec![size],
            choices: choices().into_iter().take(1).collect(),
            repeats: 1,
            budget: 60.0,
        };
        let row = &measure(&plan, |_| {}).rows[0];
        assert!(row.narrow_per_true.is_some_and(|n| (1.0..3.0).contains(&n)), "{row:?}");
    }
}

#[test]
fn choices_differ_from_the_default_in_one_thing_and_from_each_other() {
    let all = choices();
    assert!(all[1..].iter().all(|c| c.options != Options::default()));
    for (i, a) in all.iter().enumerate() {
        assert!(all[..i].iter().all(|b| a.options != b.options && a.name() != b.name()), "{a:?}");
    }
    assert_eq!(product().len(), 4 * 7 * 4 * 3);
}

#[test]
fn counts_are_the_same_for_any_number_of_threads() {
    let plan = Plan {
        scenes: vec![Kind::Ribbon],
        sizes: vec![3_000],
        choices: choices().into_iter().take(3).collect(),
        repeats: 1,
        budget: 60.0,
    };
    let counts = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let table = pool.install(|| measure(&plan, |_| {}));
        assert_eq!(table.threads, threads);
        let of = |r: &Row| [r.nodes, r.node_tests, r.triangle_pairs, r.feature_pairs, r.true_pairs];
        table.rows.iter().map(of).collect::<Vec<_>>()
    };
    let one = counts(1);
    assert_eq!(one.len(), 3);
    assert_eq!(one, counts(2));
}

#[test]
fn what_does_not_fit_the_budget_is_left_out_with_a_reason() {
    let plan = Plan {
        scenes: vec![Kind::Flat],
        sizes: vec![200],
        choices: choices(),
        repeats: 1,
        budget: 0.0,
    };
    let table = measure(&plan, |_| {});
    assert!(table.rows.is_empty());
    assert_eq!(table.skipped.len(), plan.choices.len());
    assert!(table.skipped.iter().all(|s| !s.reason.is_empty()));
}

#[test]
fn what_cost_least_at_the_size_before_is_measured_first_after_the_default() {
    let plan = Plan {
        scenes: vec![Kind::Flat],
        sizes: vec![200],
        choices: choices().into_iter().take(4).collect(),
        repeats: 1,
        budget: 60.0,
    };
    let mut rows = measure(&plan, |_| {}).rows;
    for (row, cost) in rows.iter_mut().zip([9.0, 3.0, 1.0, 2.0]) {
        (row.ns_per_triangle, row.narrow_seconds) = (cost, 0.0);
    }
    let mut before: Vec<Option<Row>> = rows.into_iter().map(Some).collect();
    assert_eq!(by_promise(&plan.choices, &before), [0, 2, 3, 1]);
    before[2] = None;
    assert_eq!(by_promise(&plan.choices, &before), [0, 3, 1, 2]);

    // What took a second would take sixteen at ten times the size; the default is measured anyway.
    let slow = before[1].take().map(|row| Row {
        triangles: 1000,
        build_seconds: 0.0,
        refit_seconds: 0.0,
        descend_seconds: 0.0,
        traverse_seconds: 0.0,
        query_seconds: 1.0,
        ..row
    });
    let ask = |i: usize, left: f64| too_much(10_000, &plan.choices[i], slow.as_ref(), 5, left);
    assert!(ask(1, 20.0).is_none() && ask(1, 10.0).is_some_and(|reason| reason.contains("16 s")));
    assert!(ask(0, 10.0).is_none() && ask(0, 0.0).is_some());
}
