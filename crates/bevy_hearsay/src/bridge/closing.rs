//! Closes a memory on a separate thread.

use std::{
    thread,
    time::{Duration, Instant},
};

use crossbeam_channel::{Receiver, RecvTimeoutError, TryRecvError, bounded};
use hearsay_engine::{Memory, MemoryError};

use super::close_steps::CountFn;

/// Time that the database has for closing after the deadline for commits.
const CLOSE_GRACE_PERIOD: Duration = Duration::from_secs(5);

/// A memory that is being closed.
pub(super) struct Closing {
    result: Receiver<Result<(), MemoryError>>,
    deadline: Instant,
    requests: Vec<CountFn>,
}

impl Closing {
    /// Starts the thread that closes a memory. The memory waits until its accepted changes are committed, but not
    /// longer than until the deadline. The functions in `requests` own the unanswered requests of the plugins.
    pub(super) fn start(memory: Memory, deadline: Instant, requests: Vec<CountFn>) -> Self {
        let (sender, result) = bounded(1);
        let fallback_sender = sender.clone();
        let remaining = deadline.saturating_duration_since(Instant::now());
        let thread = thread::Builder::new().name("hearsay-close".into()).spawn(move || {
            let _ = sender.send(memory.close_within(remaining).map(drop));
        });
        if let Err(error) = thread {
            let _ = fallback_sender.try_send(Err(MemoryError::Thread(error)));
        }
        Self { result, deadline, requests }
    }

    /// Returns the result of closing, or `None` if the memory is not closed yet.
    pub(super) fn try_result(&self) -> Option<Result<(), MemoryError>> {
        match self.result.try_recv() {
            Ok(result) => Some(result),
            Err(TryRecvError::Empty) => None,
            Err(TryRecvError::Disconnected) => Some(Err(MemoryError::Panicked)),
        }
    }

    /// Waits for the result of closing. Returns `None` if the database does not close in time. A commit that is in
    /// progress at the deadline is still completed before the database closes.
    pub(super) fn wait(&self) -> Option<Result<(), MemoryError>> {
        let remaining = self.deadline.saturating_duration_since(Instant::now());
        match self.result.recv_timeout(remaining + CLOSE_GRACE_PERIOD) {
            Ok(result) => Some(result),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => Some(Err(MemoryError::Panicked)),
        }
    }

    /// Returns the number of changes and game events that were not committed. Call this function after the memory is
    /// closed.
    pub(super) fn count_uncommitted(self) -> usize {
        self.requests.into_iter().map(|count| count()).sum()
    }
}
