use proptest::prelude::*;

use super::*;
use crate::contradictions::tests::{operation, stage, steps};

proptest! {
    #[test]
    fn the_count_follows_every_operation(steps in steps()) {
        let mut state = stage();
        let mut reviews = ReviewCounter::of(&state);
        for (clock, step) in (0..).zip(&steps) {
            let Some(operation) = operation(&state, step, clock) else { continue };
            if let Ok(applied) = state.apply(operation) {
                reviews.update(&state, &applied.touched);
                prop_assert_eq!(&reviews, &ReviewCounter::of(&state));
            }
        }
        prop_assert_eq!(reviews.count(), review_items(&state).len());
    }
}
