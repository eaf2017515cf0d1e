//! Reads the model (the displayed data) of a panel on a background thread, and keeps the model up to date.

use std::time::{Duration, Instant};

use hearsay_engine::{MemoryError, ReadSnapshot, Ticket};
use hearsay_model::StateVersion;

use crate::{panel_context::poll_ticket, panel_source::PanelSource};

/// Minimum interval between two reads for an unchanged request. The limit is necessary because a game can write many
/// times per second.
const MIN_READ_INTERVAL: Duration = Duration::from_millis(120);

/// A model that takes a long time to read. A background thread reads it again when the request or the memory changes.
/// The old model stays available until the new model arrives.
#[derive(Debug)]
pub(crate) struct AsyncModel<R, M> {
    ticket: Option<(Ticket<M>, R, StateVersion)>,
    /// The last request, the version of the memory at that time, and the time of the request.
    last_request: Option<(R, StateVersion, Instant)>,
    /// The current model and its request.
    current: Option<(M, R)>,
    /// The previous model. The next background read drops it, because this takes too long for a frame if the model is
    /// large.
    previous: Option<M>,
    error: Option<String>,
}

impl<R, M> Default for AsyncModel<R, M> {
    fn default() -> Self {
        Self { ticket: None, last_request: None, current: None, previous: None, error: None }
    }
}

impl<R: Clone + PartialEq, M: Send + 'static> AsyncModel<R, M> {
    /// Receives the answer to a pending read, and requests a new read if the model is stale. Returns whether a new
    /// model or an error arrived.
    pub(crate) fn update(
        &mut self,
        source: PanelSource,
        version: StateVersion,
        request: &R,
        read: impl FnOnce(&ReadSnapshot) -> Result<M, MemoryError> + Send + 'static,
    ) -> bool {
        let mut has_changed = false;
        if let Some((ticket, model_request, read_version)) = self.ticket.take() {
            match ticket.try_take() {
                None => self.ticket = Some((ticket, model_request, read_version)),
                Some(Ok(model)) => {
                    self.previous = self.current.replace((model, model_request)).map(|(previous, _)| previous);
                    (self.error, has_changed) = (None, true);
                }
                Some(Err(error)) => (self.error, has_changed) = (Some(error.to_string()), true),
            }
        }
        let stale = match &self.last_request {
            None => true,
            Some((model_request, _, _)) if model_request != request => true,
            Some((_, read_version, requested_at)) => {
                *read_version != version && requested_at.elapsed() >= MIN_READ_INTERVAL && self.ticket.is_none()
            }
        };
        if !stale {
            return has_changed;
        }
        let previous = self.previous.take();
        let read = move |world: &ReadSnapshot| {
            drop(previous);
            read(world)
        };
        if let Ok(ticket) = source.read_in_background(read) {
            // This ticket replaces the ticket of a pending read, which is no longer needed.
            self.ticket = Some((ticket, request.clone(), version));
            self.last_request = Some((request.clone(), version, Instant::now()));
        }
        has_changed
    }

    /// Returns the current model.
    pub(crate) fn model(&self) -> Option<&M> {
        self.current.as_ref().map(|(model, _)| model)
    }

    /// Returns the current model if it was read for this request.
    pub(crate) fn model_for(&self, request: &R) -> Option<&M> {
        self.current.as_ref().filter(|(_, model_request)| model_request == request).map(|(model, _)| model)
    }

    /// Returns the error of the last read; `None` if the read succeeded.
    pub(crate) fn error(&self) -> Option<&str> {
        self.error.as_deref()
    }

    /// Makes the next update read the model again.
    pub(crate) fn invalidate(&mut self) {
        self.last_request = None;
    }
}

/// Takes the answer of a ticket, with any error as text, and clears the ticket. Returns `None` while there is no
/// answer.
pub(crate) fn poll_ticket_with_message<T>(ticket: &mut Option<Ticket<T>>) -> Option<Result<T, String>> {
    poll_ticket(ticket).map(|answer| answer.map_err(|error| error.to_string()))
}
