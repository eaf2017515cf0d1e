//! Limits of the API: the size and number of requests.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use blake3::Hash;

/// Limits of the API.
#[derive(Debug, Clone, Copy)]
pub(super) struct ApiLimits {
    /// Maximum size of a request's body, in bytes.
    pub(super) body_bytes: usize,
    /// Mean number of requests per second of one token.
    pub(super) requests_per_second: f64,
    /// Number of requests that one token may send at once after a pause.
    pub(super) burst: f64,
    /// Maximum number of requests of all tokens that run at the same time. Larger than `burst`.
    pub(super) concurrent_requests: usize,
}

impl Default for ApiLimits {
    fn default() -> Self {
        Self { body_bytes: 1 << 20, requests_per_second: 20.0, burst: 60.0, concurrent_requests: 64 }
    }
}

/// Returns the hash of the token in the header `Authorization`. The token is the last word of the header.
pub(super) fn token_hash(authorization: &[u8]) -> Hash {
    let mut words = authorization.split(u8::is_ascii_whitespace);
    blake3::hash(words.rfind(|word| !word.is_empty()).unwrap_or_default())
}

/// Limits the requests of each token. Each token has a budget of requests that grows with time (token bucket).
#[derive(Debug)]
pub(super) struct RateLimit {
    limits: ApiLimits,
    /// The budgets that are not full, by the hash of the token.
    budgets: Mutex<HashMap<Hash, Budget>>,
}

/// Number of requests that a token may send at a time.
#[derive(Debug)]
struct Budget {
    requests: f64,
    updated: Instant,
}

impl RateLimit {
    pub(super) fn new(limits: ApiLimits) -> Self {
        Self { limits, budgets: Mutex::default() }
    }

    /// Takes one request from the budget of a token.
    ///
    /// # Errors
    /// If the budget is empty, returns the time until the token may send the next request.
    pub(super) fn take(&self, token: Hash, now: Instant) -> Result<(), Duration> {
        let ApiLimits { requests_per_second, burst, .. } = self.limits;
        let mut budgets = self.budgets.lock().unwrap_or_else(PoisonError::into_inner);
        budgets.retain(|_, budget| {
            let elapsed = now.saturating_duration_since(budget.updated);
            budget.requests += elapsed.as_secs_f64() * requests_per_second;
            budget.updated = now;
            budget.requests < burst
        });
        let budget = budgets.entry(token).or_insert(Budget { requests: burst, updated: now });
        if budget.requests < 1.0 {
            return Err(Duration::from_secs_f64((1.0 - budget.requests) / requests_per_second));
        }
        budget.requests -= 1.0;
        Ok(())
    }
}
