//! Readings that are kept fresh.

use std::time::{Duration, Instant};

use hearsay_memory::{Memory, MemoryError, Ticket, World};
use hearsay_model::StateVersion;

use crate::news::taken;

/// How often something is read anew at most, while nobody asks for anything else: a game writes many times a second.
const OFTEN: Duration = Duration::from_millis(120);

/// A reading that takes long, and is made again beside the worker when something else is asked for or something was
/// written. What was read last stays until the next is there.
#[derive(Debug)]
pub(crate) struct Fresh<R, M> {
    ticket: Option<(Ticket<M>, R, StateVersion)>,
    /// What was asked for, and as of when.
    asked: Option<(R, StateVersion, Instant)>,
    /// What is there, and what it is the answer to.
    have: Option<(M, R)>,
    /// What was there before: it goes with the next reading, beside the worker, for large ones take a while to be freed.
    old: Option<M>,
    trouble: Option<String>,
}

impl<R, M> Default for Fresh<R, M> {
    fn default() -> Self {
        Self { ticket: None, asked: None, have: None, old: None, trouble: None }
    }
}

impl<R: Clone + PartialEq, M: Send + 'static> Fresh<R, M> {
    /// Takes what came back, and asks anew where that is stale. Answers whether something new is there.
    pub(crate) fn update(
        &mut self,
        memory: &Memory,
        version: StateVersion,
        request: &R,
        read: impl FnOnce(&World) -> Result<M, MemoryError> + Send + 'static,
    ) -> bool {
        let mut news = false;
        if let Some((ticket, of, at)) = self.ticket.take() {
            match ticket.try_take() {
                None => self.ticket = Some((ticket, of, at)),
                Some(Ok(model)) => {
                    self.old = self.have.replace((model, of)).map(|(old, _)| old);
                    (self.trouble, news) = (None, true);
                }
                Some(Err(error)) => (self.trouble, news) = (Some(error.to_string()), true),
            }
        }
        let stale = match &self.asked {
            None => true,
            Some((of, _, _)) if of != request => true,
            Some((_, at, when)) => *at != version && when.elapsed() >= OFTEN && self.ticket.is_none(),
        };
        if !stale {
            return news;
        }
        let old = self.old.take();
        let read = move |world: &World| {
            drop(old);
            read(world)
        };
        if let Ok(ticket) = memory.read_aside(read) {
            // Whatever was under way is not wanted any more.
            self.ticket = Some((ticket, request.clone(), version));
            self.asked = Some((request.clone(), version, Instant::now()));
        }
        news
    }

    /// What was read last.
    pub(crate) fn model(&self) -> Option<&M> {
        self.have.as_ref().map(|(model, _)| model)
    }

    /// The same, if it answers this.
    pub(crate) fn of(&self, request: &R) -> Option<&M> {
        self.have.as_ref().filter(|(_, of)| of == request).map(|(model, _)| model)
    }

    /// Why the last reading failed.
    pub(crate) fn trouble(&self) -> Option<&str> {
        self.trouble.as_deref()
    }

    /// Forgets what was asked, so that it is asked again.
    pub(crate) fn again(&mut self) {
        self.asked = None;
    }
}

/// A reading that is asked for once, and looked at until it is there.
pub(crate) fn arrived<T>(ticket: &mut Option<Ticket<T>>) -> Option<Result<T, String>> {
    taken(ticket).map(|answer| answer.map_err(|error| error.to_string()))
}
