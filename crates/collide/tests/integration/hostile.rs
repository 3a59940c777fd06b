//! Meshes and motions made to do harm: nothing panics or hangs, and what is sane is answered right.

mod bodies;

use proptest::prelude::*;

fn bytes() -> impl Strategy<Value = Vec<u8>> {
    proptest::collection::vec(any::<u8>(), 0..300)
}

/// Findings become named tests, not files of seeds.
fn config(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(config(2000))]

    #[test]
    fn impacts_of_any_numbers_end_and_sane_ones_are_found(data in bytes()) {
        bodies::ccd(&data);
    }

    #[test]
    fn any_mesh_is_searched_and_sane_ones_completely(data in bytes()) {
        bodies::detector(&data);
    }
}

proptest! {
    #![proptest_config(config(500))]

    #[test]
    fn any_mesh_is_refused_or_has_fields_that_agree(data in bytes()) {
        bodies::field(&data);
    }
}
