//! Models that are read on a background thread and kept up to date.

use std::time::{Duration, Instant};

use hearsay_engine::{Memory, MemoryError, ReadSnapshot, Ticket};
use hearsay_model::StateVersion;

use crate::panel_context::taken;

/// Minimum interval between two reads for an unchanged request. The limit is necessary because a game can write many
/// times per second.
const OFTEN: Duration = Duration::from_millis(120);

/// A model that takes a long time to read. A background thread reads it again when the request or the memory changes.
/// The old model stays available until the new model arrives.
#[derive(Debug)]
pub(crate) struct AsyncModel<R, M> {
    ticket: Option<(Ticket<M>, R, StateVersion)>,
    /// The last request, the version of the memory at the time of the request, and this time.
    asked: Option<(R, StateVersion, Instant)>,
    /// The current model and its request.
    have: Option<(M, R)>,
    /// The previous model. It is dropped by the next background read, because freeing a large model takes too long for
    /// a frame.
    old: Option<M>,
    trouble: Option<String>,
}

impl<R, M> Default for AsyncModel<R, M> {
    fn default() -> Self {
        Self { ticket: None, asked: None, have: None, old: None, trouble: None }
    }
}

impl<R: Clone + PartialEq, M: Send + 'static> AsyncModel<R, M> {
    /// Receives the answer to a pending read, and requests a new read if the model is stale. Returns whether a new
    /// model or an error arrived.
    pub(crate) fn update(
        &mut self,
        memory: &Memory,
        version: StateVersion,
        request: &R,
        read: impl FnOnce(&ReadSnapshot) -> Result<M, MemoryError> + Send + 'static,
    ) -> bool {
        let mut panel_context = false;
        if let Some((ticket, of, at)) = self.ticket.take() {
            match ticket.try_take() {
                None => self.ticket = Some((ticket, of, at)),
                Some(Ok(model)) => {
                    self.old = self.have.replace((model, of)).map(|(old, _)| old);
                    (self.trouble, panel_context) = (None, true);
                }
                Some(Err(error)) => (self.trouble, panel_context) = (Some(error.to_string()), true),
            }
        }
        let stale = match &self.asked {
            None => true,
            Some((of, _, _)) if of != request => true,
            Some((_, at, when)) => *at != version && when.elapsed() >= OFTEN && self.ticket.is_none(),
        };
        if !stale {
            return panel_context;
        }
        let old = self.old.take();
        let read = move |world: &ReadSnapshot| {
            drop(old);
            read(world)
        };
        if let Ok(ticket) = memory.read_in_background(read) {
            // This ticket replaces the ticket of a pending read, which is no longer needed.
            self.ticket = Some((ticket, request.clone(), version));
            self.asked = Some((request.clone(), version, Instant::now()));
        }
        panel_context
    }

    /// Returns the current model.
    pub(crate) fn model(&self) -> Option<&M> {
        self.have.as_ref().map(|(model, _)| model)
    }

    /// Returns the current model if it was read for this request.
    pub(crate) fn of(&self, request: &R) -> Option<&M> {
        self.have.as_ref().filter(|(_, of)| of == request).map(|(model, _)| model)
    }

    /// Returns the error of the last read; `None` if the read succeeded.
    pub(crate) fn trouble(&self) -> Option<&str> {
        self.trouble.as_deref()
    }

    /// Makes the next update read the model again.
    pub(crate) fn again(&mut self) {
        self.asked = None;
    }
}

/// Takes the answer of a ticket, with any error as text, and clears the ticket. Returns `None` while there is no
/// answer.
pub(crate) fn arrived<T>(ticket: &mut Option<Ticket<T>>) -> Option<Result<T, String>> {
    taken(ticket).map(|answer| answer.map_err(|error| error.to_string()))
}
