//! Waiting time before a failed call is repeated.

use std::{hash::Hasher, time::Duration};

use rustc_hash::FxHasher;

use crate::LlmSettings;

/// Returns the waiting time after failed try number `tries`, counted from 0. The time doubles with each try, up to a
/// maximum. The time is then shortened by up to a quarter, so that calls that failed together are not repeated
/// together. The amount depends on `seed` instead of a random number, so the same call always waits equally long.
pub(crate) fn retry_delay(settings: &LlmSettings, tries: u32, seed: u64) -> Duration {
    exponential_delay(settings.backoff_ms, settings.backoff_most_ms, tries, seed)
}

pub(crate) fn exponential_delay(first_ms: u64, max_ms: u64, tries: u32, seed: u64) -> Duration {
    let delay = first_ms.saturating_mul(1_u64.checked_shl(tries).unwrap_or(u64::MAX)).min(max_ms);
    let mut hasher = FxHasher::default();
    hasher.write_u64(seed);
    hasher.write_u32(tries);
    let thousandths = (hasher.finish() >> 32) % 250;
    Duration::from_millis(delay - delay / 1000 * thousandths - delay % 1000 * thousandths / 1000)
}

/// Returns the seed for the waiting time before a call is repeated. Calls with different texts get different seeds.
pub(crate) fn delay_seed(text: &str) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(text.as_bytes());
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn waits_double_up_to_a_most(first in 1_u64..10_000, max in 1_u64..1_000_000, tries in 0_u32..200, seed: u64) {
            let wait = exponential_delay(first, max, tries, seed).as_millis() as u64;
            let delay = first.saturating_mul(1_u64.checked_shl(tries).unwrap_or(u64::MAX)).min(max);
            prop_assert!(wait <= delay && wait >= delay - delay.div_ceil(4), "{wait} of {delay}");
            prop_assert_eq!(exponential_delay(first, max, tries, seed).as_millis() as u64, wait);
        }
    }

    #[test]
    fn calls_do_not_come_back_together() {
        let waits: std::collections::BTreeSet<_> =
            (0..50).map(|n| exponential_delay(1000, 60_000, 2, delay_seed(&n.to_string()))).collect();
        assert!(waits.len() > 30, "{}", waits.len());
    }
}
