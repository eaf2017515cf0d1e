//! Models that are read in the background and kept up to date.

use std::time::{Duration, Instant};

use hearsay_memory::{Memory, MemoryError, ReadSnapshot, Ticket};
use hearsay_model::StateVersion;

use crate::panel_context::taken;

/// Minimum interval between two reads of the same request, because a game may write many times per second.
const OFTEN: Duration = Duration::from_millis(120);

/// A model that takes long to read. It is read again in the background when the request changes or the memory changes.
/// The last model remains until the next one arrives.
#[derive(Debug)]
pub(crate) struct AsyncModel<R, M> {
    ticket: Option<(Ticket<M>, R, StateVersion)>,
    /// The last request, its version and its time.
    asked: Option<(R, StateVersion, Instant)>,
    /// The current model and its request.
    have: Option<(M, R)>,
    /// The previous model. The next background read drops it, because freeing a large model takes a while.
    old: Option<M>,
    trouble: Option<String>,
}

impl<R, M> Default for AsyncModel<R, M> {
    fn default() -> Self {
        Self { ticket: None, asked: None, have: None, old: None, trouble: None }
    }
}

impl<R: Clone + PartialEq, M: Send + 'static> AsyncModel<R, M> {
    /// Takes the answer, and requests a new read if the model is stale. Returns whether a new model or error arrived.
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
            // This replaces a pending read, which is no longer needed.
            self.ticket = Some((ticket, request.clone(), version));
            self.asked = Some((request.clone(), version, Instant::now()));
        }
        panel_context
    }

    /// Returns the last model.
    pub(crate) fn model(&self) -> Option<&M> {
        self.have.as_ref().map(|(model, _)| model)
    }

    /// Returns the last model if it answers this request.
    pub(crate) fn of(&self, request: &R) -> Option<&M> {
        self.have.as_ref().filter(|(_, of)| of == request).map(|(model, _)| model)
    }

    /// Returns the error of the last read, if it failed.
    pub(crate) fn trouble(&self) -> Option<&str> {
        self.trouble.as_deref()
    }

    /// Forces a new read.
    pub(crate) fn again(&mut self) {
        self.asked = None;
    }
}

/// Takes the answer of a single read, with its error as text.
pub(crate) fn arrived<T>(ticket: &mut Option<Ticket<T>>) -> Option<Result<T, String>> {
    taken(ticket).map(|answer| answer.map_err(|error| error.to_string()))
}
