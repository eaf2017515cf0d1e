//! Tickets: handles to the answers of requests.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, TryRecvError, bounded};

use crate::{MemoryError, Waker};

/// A pending request. Dropping the ticket of a read or a question cancels the request. Dropping the ticket of a write
/// does not cancel the write: use [`cancel`](Self::cancel).
#[derive(Debug)]
#[must_use = "dropping the ticket of a read cancels the read, and errors of a write are only reported to its ticket"]
pub struct Ticket<T> {
    id: u64,
    answer: Receiver<Result<T, MemoryError>>,
    taken: AtomicBool,
    cancelled: Arc<AtomicBool>,
    on_drop: OnDrop,
}

/// Effect of dropping a ticket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OnDrop {
    /// Cancels the request, because nobody needs its answer.
    Cancel,
    /// Lets the request continue, because it changes the campaign.
    Continue,
}

/// Worker's side of a ticket.
#[derive(Debug)]
pub(crate) struct Responder<T> {
    answer: Option<Sender<Result<T, MemoryError>>>,
    cancelled: Arc<AtomicBool>,
    waker: Option<Waker>,
}

/// Creates a ticket and its responder. The responder calls `waker` when the ticket has an answer.
pub(crate) fn ticket<T>(id: u64, on_drop: OnDrop, waker: Option<Waker>) -> (Ticket<T>, Responder<T>) {
    let (sender, receiver) = bounded(1);
    let cancelled = Arc::new(AtomicBool::new(false));
    let taken = AtomicBool::new(false);
    let ticket = Ticket { id, answer: receiver, taken, cancelled: Arc::clone(&cancelled), on_drop };
    (ticket, Responder { answer: Some(sender), cancelled, waker })
}

impl<T> Ticket<T> {
    /// Returns the number of the request, which is unique within the memory.
    pub fn id(&self) -> u64 {
        self.id
    }

    /// Returns the answer if it has arrived, otherwise `None`. The answer is returned only once; all later calls return
    /// `None`.
    pub fn try_take(&self) -> Option<Result<T, MemoryError>> {
        let answer = match self.answer.try_recv() {
            Ok(answer) => answer,
            Err(TryRecvError::Empty) => return None,
            Err(TryRecvError::Disconnected) => Err(MemoryError::Closed),
        };
        (!self.taken.swap(true, Ordering::Relaxed)).then_some(answer)
    }

    /// Waits for the answer. Blocks, so a game should poll with [`try_take`](Self::try_take) instead.
    ///
    /// # Errors
    /// Returns the error of the request, or [`MemoryError::Closed`] if the memory closes before the answer arrives.
    pub fn wait(self) -> Result<T, MemoryError> {
        self.answer.recv().unwrap_or(Err(MemoryError::Closed))
    }

    /// Waits at most `timeout` for the answer, then cancels the request.
    ///
    /// # Errors
    /// Returns [`MemoryError::TimedOut`] if no answer arrives in this time. Otherwise, returns the same errors as
    /// [`wait`](Self::wait).
    pub fn wait_for(self, timeout: Duration) -> Result<T, MemoryError> {
        match self.answer.recv_timeout(timeout) {
            Ok(answer) => answer,
            Err(RecvTimeoutError::Timeout) => {
                self.cancel();
                Err(MemoryError::TimedOut(timeout))
            }
            Err(RecvTimeoutError::Disconnected) => Err(MemoryError::Closed),
        }
    }

    /// Cancels the request. A change that is already being committed is not undone.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }
}

impl<T> Drop for Ticket<T> {
    fn drop(&mut self) {
        if self.on_drop == OnDrop::Cancel {
            self.cancel();
        }
    }
}

impl<T> Drop for Responder<T> {
    /// Wakes the owner of the ticket. The ticket then has either an answer or the error that there is no answer.
    fn drop(&mut self) {
        self.answer = None;
        self.waker.iter().for_each(Waker::wake);
    }
}

impl<T> Responder<T> {
    pub(crate) fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }

    pub(crate) fn cancelled(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.cancelled)
    }

    /// Sends the answer. Does nothing if the ticket was dropped.
    pub(crate) fn give(self, answer: Result<T, MemoryError>) {
        let _ = self.answer.as_ref().map(|sender| sender.try_send(answer));
    }
}
