use super::*;

fn found(case: &Case, options: Options) -> Vec<(Pair, [u32; 2])> {
    let mut detector = case.detector(options);
    detector.update(case.motion(), case.kind.separation(), None).unwrap();
    let (candidates, _) = detector.self_candidates(prune::DEFAULT_LIMIT);
    true_pairs(case, &detector.surface, &candidates)
}

#[test]
fn every_choice_finds_the_same_true_pairs_on_every_scene() {
    for scene in Kind::ALL {
        let case = Case::new(scene, 5_000).unwrap();
        let all = found(&case, Options { prune: Prune::Nothing, ..Options::default() });
        for choice in choices() {
            assert!(found(&case, choice.options) == all, "{scene:?}, {}", choice.name());
        }
    }
}

#[test]
fn layers_touch_and_a_flat_sheet_does_not() {
    for scene in Kind::ALL {
        let case = Case::new(scene, 20_000).unwrap();
        let pairs = found(&case, Options::default()).len();
        match scene {
            Kind::Flat => assert_eq!(pairs, 0),
            Kind::Draped => {}
            _ => assert!(pairs > case.triangles.len(), "{scene:?}: {pairs}"),
        }
    }
}

#[test]
fn choices_differ_from_the_default_in_one_thing_and_from_each_other() {
    let all = choices();
    assert!(all[1..].iter().all(|c| c.options != Options::default()));
    for (i, a) in all.iter().enumerate() {
        assert!(all[..i].iter().all(|b| a.options != b.options && a.name() != b.name()), "{a:?}");
    }
    assert_eq!(product().len(), 4 * 6 * 4 * 3);
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
        let table = pool.install(|| measure(&plan, |_| {})).unwrap();
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
    let table = measure(&plan, |_| {}).unwrap();
    assert!(table.rows.is_empty());
    assert_eq!(table.skipped.len(), plan.choices.len());
    assert!(table.skipped.iter().all(|s| !s.reason.is_empty()));
}
