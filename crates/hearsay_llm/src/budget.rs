//! Budgets that limit the number of tokens.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering::Relaxed},
};

/// Budget with a maximum number of tokens. The budget counts used tokens, and tokens that are reserved for unfinished
/// calls. Clones share the count.
#[derive(Debug, Clone)]
pub(crate) struct Budget {
    limit: u64,
    used: Arc<AtomicU64>,
}

/// Tokens that are reserved for a call. If the value is dropped without a call to `settle`, the tokens become available
/// again.
#[derive(Debug)]
pub(crate) struct Reservation<'a> {
    budget: &'a Budget,
    tokens: u64,
}

impl Budget {
    pub(crate) fn new(limit: u64) -> Self {
        Self { limit, used: Arc::default() }
    }

    pub(crate) fn limit(&self) -> u64 {
        self.limit
    }

    pub(crate) fn used(&self) -> u64 {
        self.used.load(Relaxed)
    }

    /// Reserves tokens. Returns `None` if the budget has too few tokens left.
    pub(crate) fn reserve(&self, tokens: u64) -> Option<Reservation<'_>> {
        let fits = |used: u64| used.checked_add(tokens).filter(|sum| *sum <= self.limit);
        self.used.fetch_update(Relaxed, Relaxed, fits).ok()?;
        Some(Reservation { budget: self, tokens })
    }
}

impl Reservation<'_> {
    /// Replaces the reservation with the number of tokens that the call used.
    pub(crate) fn settle(mut self, used: u64) {
        // A call may use more tokens than were reserved. All of them count, so less is left for the next call.
        self.budget.used.fetch_add(used, Relaxed);
        self.release();
    }

    fn release(&mut self) {
        self.budget.used.fetch_sub(std::mem::take(&mut self.tokens), Relaxed);
    }
}

impl Drop for Reservation<'_> {
    fn drop(&mut self) {
        self.release();
    }
}

/// Estimates the number of tokens of a text, for servers that do not count them. A token of English text has about four
/// bytes.
pub(crate) fn estimate_tokens(text: &str) -> u64 {
    (text.len() as u64).div_ceil(4)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_set_aside_is_not_spent_twice() {
        let budget = Budget::new(100);
        let first = budget.reserve(70).unwrap();
        assert!(budget.reserve(40).is_none());
        first.settle(50);
        assert_eq!(budget.used(), 50);
        drop(budget.reserve(50).unwrap());
        assert_eq!(budget.used(), 50);
        assert!(budget.reserve(u64::MAX).is_none());
    }
}
