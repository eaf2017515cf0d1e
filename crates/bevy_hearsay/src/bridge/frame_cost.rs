//! The cost of the plugin's systems in a frame.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use bevy::prelude::*;

/// Time that the plugin's systems took in this frame, in nanoseconds.
#[derive(Resource, Default)]
pub(crate) struct FrameCost(Arc<AtomicU64>);

impl FrameCost {
    /// Returns whether no system has had work since the last call of [`take`](Self::take).
    pub(crate) fn is_zero(&self) -> bool {
        self.0.load(Ordering::Relaxed) == 0
    }

    /// Returns the cost and resets it to zero.
    pub(crate) fn take(&self) -> Duration {
        Duration::from_nanos(self.0.swap(0, Ordering::Relaxed))
    }

    /// Starts a measurement. When the returned guard is dropped, the elapsed time is added to the cost.
    pub(crate) fn measure(&self) -> impl Drop + use<> {
        Measurement { start: Instant::now(), cost: Arc::clone(&self.0) }
    }
}

struct Measurement {
    start: Instant,
    cost: Arc<AtomicU64>,
}

impl Drop for Measurement {
    fn drop(&mut self) {
        self.cost.fetch_add(u64::try_from(self.start.elapsed().as_nanos()).unwrap_or(u64::MAX), Ordering::Relaxed);
    }
}
