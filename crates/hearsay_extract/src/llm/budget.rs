//! How many tokens may be used.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering::Relaxed},
};

/// Tokens of one budget, used and set aside for calls under way. Copies share it.
#[derive(Debug, Clone)]
pub(crate) struct Budget {
    limit: u64,
    used: Arc<AtomicU64>,
}

/// Tokens that are set aside for a call. Dropped before it is settled, they are free again.
#[derive(Debug)]
pub(crate) struct Reserved<'a> {
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

    /// Sets tokens aside, if there are as many.
    pub(crate) fn reserve(&self, tokens: u64) -> Option<Reserved<'_>> {
        let fits = |used: u64| used.checked_add(tokens).filter(|sum| *sum <= self.limit);
        self.used.fetch_update(Relaxed, Relaxed, fits).ok()?;
        Some(Reserved { budget: self, tokens })
    }
}

impl Reserved<'_> {
    /// The call took place, and used these.
    pub(crate) fn settle(mut self, used: u64) {
        // More than was set aside counts too: the next call finds less.
        self.budget.used.fetch_add(used, Relaxed);
        self.free();
    }

    fn free(&mut self) {
        self.budget.used.fetch_sub(std::mem::take(&mut self.tokens), Relaxed);
    }
}

impl Drop for Reserved<'_> {
    fn drop(&mut self) {
        self.free();
    }
}

/// About how many tokens a text has, where no server has counted them: four bytes each, as English has.
pub(crate) fn estimate(text: &str) -> u64 {
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
