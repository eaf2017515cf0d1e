//! Tests of clones: a clone of a state does not change when the original is written to.

use super::{
    super::*,
    forget::{keys_of, query_results},
    *,
};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn clones_keep_what_they_held(
        history in history(),
        clones in prop::collection::vec(any::<bool>(), 40),
        forks in prop::collection::vec(any::<bool>(), 40),
    ) {
        let keys = keys_of(&history);
        let (mut state, mut snapshots) = (State::default(), Vec::new());
        for (n, operation) in history.iter().enumerate() {
            state.apply_checked(Arc::new(operation.clone()));
            if clones[n % clones.len()] {
                snapshots.push((n, state.clone()));
            }
            // In some cases the clone is written to, instead of the original.
            if forks[n % forks.len()] {
                let mut other = state.clone();
                other.apply_checked(Arc::new(revert(n as u64 + 1)));
                other.apply_checked(Arc::new(Operation::new(Author::Game, "add", vec![change(n as u8, n as u8)])));
            }
        }
        for (n, clone) in snapshots {
            // A state that is computed again from its operations shares no data with other states.
            let copy = fold(history[..=n].to_vec());
            clone.assert_consistent();
            prop_assert!(clone == copy && clone.position() == copy.position());
            prop_assert_eq!(query_results(&clone, &keys), query_results(&copy, &keys));
        }
    }
}
