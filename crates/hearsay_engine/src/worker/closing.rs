//! Closing of the memory: commits accepted changes until the time limit. The remaining changes fail and are counted.

use std::{
    sync::{Arc, OnceLock},
    time::{Duration, Instant},
};

use super::{Command, Worker, Write, outcome::Outcome};
use crate::{Closed, MemoryError};

/// State of closing.
pub(super) struct Closing {
    /// Time at which closing stops waiting for accepted changes. Set when closing begins.
    deadline: Arc<OnceLock<Instant>>,
    gave_up: bool,
    closed: Closed,
}

impl Closing {
    pub(super) fn new(deadline: Arc<OnceLock<Instant>>) -> Self {
        Self { deadline, gave_up: false, closed: Closed::default() }
    }

    /// Returns the time left for accepted changes; `None` if the memory is not closing, or if no time is left.
    pub(super) fn time_until_due(&self, now: Instant) -> Option<Duration> {
        self.deadline.get().filter(|_| !self.gave_up).map(|deadline| deadline.saturating_duration_since(now))
    }

    pub(super) fn gave_up(&self) -> bool {
        self.gave_up
    }

    pub(super) fn closed(&self) -> Closed {
        self.closed
    }

    /// Counts the outcome of a change if the memory is closing.
    fn count(&mut self, write: &Write, outcome: &Result<Option<Outcome>, MemoryError>) {
        if self.deadline.get().is_none() || !write.has_caller() {
            return;
        }
        match outcome {
            Ok(Some(_)) => self.closed.committed += 1,
            Err(
                MemoryError::NotCommittedInTime
                | MemoryError::NotCommitted(_)
                | MemoryError::Halted(_)
                | MemoryError::Uncertain(_),
            ) => self.closed.not_committed += 1,
            // There was nothing to write, or the write failed for a reason other than closing.
            Ok(None) | Err(_) => {}
        }
    }
}

impl Worker {
    /// Answers a write, and counts it if the memory is closing.
    pub(super) fn finish(&mut self, write: Write, outcome: Result<Option<Outcome>, MemoryError>) {
        self.ending.count(&write, &outcome);
        write.finish(outcome);
    }

    /// Fails the waiting writes if the time limit for closing has passed. The worker still waits for writes that are
    /// being committed.
    pub(super) fn fail_writes_after_deadline(&mut self) {
        if self.ending.time_until_due(Instant::now()).is_none_or(|time_left| time_left > Duration::ZERO) {
            return;
        }
        self.ending.gave_up = true;
        self.ending.closed.not_committed += usize::from(self.writes.is_planning());
        let queued_commands: Vec<Command> = self.queued.try_iter().collect();
        let mut waiting = self.writes.take_waiting();
        for command in queued_commands {
            match command {
                Command::Write(write) => waiting.push_back(write),
                Command::Import { responder, .. } => {
                    self.ending.closed.not_committed += 1;
                    responder.give(Err(MemoryError::NotCommittedInTime));
                }
                // When the responder is dropped, the ticket fails with `MemoryError::Closed`.
                _ => {}
            }
        }
        self.fail_writes(waiting, || MemoryError::NotCommittedInTime);
        #[cfg(feature = "remote")]
        self.abandon_in_flight();
        let count = self.ending.closed.not_committed;
        if count > 0 {
            tracing::warn!("{count} changes were not committed before the campaign closed");
        }
    }
}

/// Frees large data of a closed memory, or leaves the data to the operating system.
pub(super) fn release(large: impl Send + 'static, is_freed: bool) {
    if is_freed {
        // Freeing a large amount of memory is slow, so it runs in the background.
        let freeing = std::thread::Builder::new().name("hearsay-freeing".into());
        let _ = freeing.spawn(move || drop(large));
    } else {
        std::mem::forget(large);
    }
}
