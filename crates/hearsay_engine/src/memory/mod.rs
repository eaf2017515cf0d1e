//! [`Memory`]: the handle to the worker.

mod files;
mod reads;
mod texts;
mod writes;

use std::{
    sync::{
        Arc, OnceLock,
        atomic::{AtomicU64, Ordering},
    },
    thread::JoinHandle,
    time::{Duration, Instant, SystemTime},
};

use crossbeam_channel::{Receiver, Sender, bounded, unbounded};

use crate::{
    Event, MemoryError, MindFilter, Status, Waker,
    clock::check_clock,
    event::EventSender,
    options::MemoryOptions,
    outcome::Closed,
    settings::Settings,
    ticket::{OnDrop, Responder, Ticket, ticket},
    worker::{self, Command},
};

/// Handle to the memory of an open campaign. A worker thread owns the memory. See the [crate] documentation for an
/// example.
#[derive(Debug)]
pub struct Memory {
    running: Option<Running>,
    events: Receiver<Event>,
    event_count: Arc<AtomicU64>,
    waker: Option<Waker>,
    next_request_id: AtomicU64,
    max_queued: usize,
    settings: Settings,
}

/// Channels to the worker. The worker ends when these channels are dropped. Reads have their own channel, so reads do
/// not wait for writes.
///
/// The channels are unbounded, and [`Memory`] enforces the limit itself. In crossbeam, only unbounded channels drop
/// their messages when the receiving thread has ended.
#[derive(Debug)]
pub(super) struct Running {
    reads: Sender<Command>,
    writes: Sender<Command>,
    worker: JoinHandle<Result<Closed, MemoryError>>,
    /// Time at which closing stops waiting for accepted changes. Set when closing begins.
    deadline: Arc<OnceLock<Instant>>,
}

impl Memory {
    /// Opens a memory. Blocks while it reads the database, then starts the worker thread. A background thread loads the
    /// sentence encoder.
    ///
    /// # Errors
    /// Returns an error if the database cannot be opened: another process has locked it, it is damaged, or it is not
    /// writable. Also returns an error if the clock of the machine shows a time before 1970. A missing sentence encoder
    /// is not an error: answers are then ranked by keywords and graph only, and [`Status`] contains the reason.
    pub fn open(options: MemoryOptions) -> Result<Self, MemoryError> {
        check_clock(SystemTime::now())?;
        let ((reads, read_queue), (writes, write_queue)) = (unbounded(), unbounded());
        let (event_sender, events) = bounded(1024);
        let (settings, max_queued) = (options.settings.clone(), options.queue.max(1));
        let deadline = Arc::new(OnceLock::new());
        let (event_count, waker) = (Arc::default(), options.waker.clone());
        let event_sender = EventSender { sender: event_sender, count: Arc::clone(&event_count), waker: waker.clone() };
        let worker = worker::start(options, read_queue, write_queue, event_sender, Arc::clone(&deadline))?;
        let running = Some(Running { reads, writes, worker, deadline });
        Ok(Self { running, events, event_count, waker, next_request_id: AtomicU64::new(1), max_queued, settings })
    }

    /// Returns the settings with which the memory was opened.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Returns the event channel, which delivers each event once. The channel holds at most 1,024 events. While the
    /// channel is full, new events are dropped and counted in [`Status::events_dropped`].
    pub fn events(&self) -> &Receiver<Event> {
        &self.events
    }

    /// Returns the number of events that the memory has sent, including events that were dropped. Every change of
    /// the state sends an event.
    pub fn event_count(&self) -> u64 {
        self.event_count.load(Ordering::Acquire)
    }

    /// Selects the knowers to watch, and replaces the previous filter. If a watched knower itself sees, hears, reads or
    /// deduces a fact, the memory sends [`Event::Learned`]. If a belief of a watched knower changes, the memory sends
    /// [`Event::BeliefsChanged`]. If the learned or forgotten fact changes the feelings of the knower, the memory sends
    /// [`Event::FeelingsChanged`]. If the knower learns a fact only through a group or place, the memory sends only
    /// [`Event::BeliefsChanged`]. The filter applies to writes that are sent after this call. Loading a slot or
    /// restoring an earlier state causes no events.
    ///
    /// # Errors
    /// Returns an error if the request queue is full or the memory is closed. The ticket fails with
    /// [`MemoryError::TooManyBeliefs`] if the beliefs of more than [`MAX_WATCHED_BELIEFS`](crate::MAX_WATCHED_BELIEFS)
    /// knowers would be watched.
    pub fn watch(&self, filter: MindFilter) -> Result<Ticket<()>, MemoryError> {
        self.send_write(|responder| Command::Watch(filter, responder))
    }

    pub(super) fn send<T>(
        &self,
        channel: impl Fn(&Running) -> &Sender<Command>,
        on_drop: OnDrop,
        command: impl FnOnce(Responder<T>) -> Command,
    ) -> Result<Ticket<T>, MemoryError> {
        let channel = self.running.as_ref().map(channel).ok_or(MemoryError::Closed)?;
        let waiting = channel.len();
        if waiting >= self.max_queued {
            return Err(MemoryError::Full { waiting });
        }
        let (ticket, responder) =
            ticket(self.next_request_id.fetch_add(1, Ordering::Relaxed), on_drop, self.waker.clone());
        channel.send(command(responder)).map_err(|_| MemoryError::Closed)?;
        Ok(ticket)
    }

    pub(super) fn send_read<T>(&self, command: impl FnOnce(Responder<T>) -> Command) -> Result<Ticket<T>, MemoryError> {
        self.send(|running| &running.reads, OnDrop::Cancel, command)
    }

    pub(super) fn send_write<T>(
        &self,
        command: impl FnOnce(Responder<T>) -> Command,
    ) -> Result<Ticket<T>, MemoryError> {
        self.send(|running| &running.writes, OnDrop::Continue, command)
    }

    /// Waits until every text has a vector, or until the sentence encoder turns out to be unavailable. Repeatedly calls
    /// `progress` with the number of texts that have a vector and the total number of texts. To stop waiting, return
    /// `false` from `progress`. Blocks the calling thread, so do not call this function on a game's main thread.
    ///
    /// # Errors
    /// Returns an error if the memory closes, or `progress` returns `false` ([`MemoryError::Cancelled`]).
    pub fn wait_for_vectors(&self, mut progress: impl FnMut(usize, usize) -> bool) -> Result<Status, MemoryError> {
        self.wait_for(|status| {
            let should_continue = progress(status.texts.saturating_sub(status.pending_vectors), status.texts);
            let has_all_vectors =
                status.pending_vectors == 0 || matches!(status.model, crate::ModelStatus::None { .. });
            (should_continue, has_all_vectors && status.unindexed == 0)
        })
    }

    /// Waits until the stored vectors are read, and until the sentence encoder is loaded or turns out to be
    /// unavailable. Afterwards, [`Status::pending_vectors`] is the number of texts whose vectors must be computed. To
    /// stop waiting, return `false` from `progress`.
    ///
    /// # Errors
    /// Returns an error if the memory closes, or `progress` returns `false` ([`MemoryError::Cancelled`]).
    pub fn wait_until_settled(&self, mut progress: impl FnMut() -> bool) -> Result<Status, MemoryError> {
        self.wait_for(|status| (progress(), status.model != crate::ModelStatus::Loading && !status.reading_vectors))
    }

    /// Polls the status until `is_done` ends the wait. `is_done` returns two flags: whether to continue (`false`
    /// cancels the wait), and whether the wait is over.
    pub(super) fn wait_for(&self, mut is_done: impl FnMut(&Status) -> (bool, bool)) -> Result<Status, MemoryError> {
        // The first pauses are short, because most waits are short.
        let mut pause = Duration::from_millis(1);
        loop {
            let status = self.status()?.wait()?;
            match is_done(&status) {
                (false, _) => return Err(MemoryError::Cancelled),
                (true, true) => return Ok(status),
                (true, false) => {}
            }
            std::thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(20));
        }
    }

    /// Answers all pending requests, stores computed vectors, writes a snapshot of the state, and closes the database.
    /// After this function returns, another process can open the directory. Waits for running imports, but at most for
    /// the time in [`StoreSettings::close_timeout_s`](crate::StoreSettings::close_timeout_s). To close the memory
    /// sooner, cancel the tickets of the imports.
    ///
    /// # Errors
    /// Returns [`MemoryError::ClosedEarly`] if some accepted changes were not committed. Returns another error if the
    /// database fails to close, or if the worker panicked.
    pub fn close(self) -> Result<(), MemoryError> {
        let timeout = self.settings.store.close_timeout();
        match self.close_within(timeout)? {
            Closed { not_committed: 0, .. } => Ok(()),
            Closed { committed, not_committed } => Err(MemoryError::ClosedEarly { committed, not_committed }),
        }
    }

    /// Closes the memory like [`close`](Self::close), but waits at most `timeout` for accepted changes. Returns the
    /// numbers of committed and uncommitted changes. A change that is not committed in time fails with
    /// [`MemoryError::NotCommittedInTime`].
    ///
    /// # Errors
    /// Returns an error if the database fails to close, or if the worker panicked.
    pub fn close_within(mut self, timeout: Duration) -> Result<Closed, MemoryError> {
        self.shut_down(timeout)
    }

    fn shut_down(&mut self, timeout: Duration) -> Result<Closed, MemoryError> {
        let Some(Running { reads, writes, worker, deadline }) = self.running.take() else {
            return Ok(Closed::default());
        };
        let _ = deadline.set(Instant::now() + timeout);
        // Dropping the senders makes the worker answer all earlier requests and end.
        drop((reads, writes));
        worker.join().unwrap_or(Err(MemoryError::Panicked))
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        if let Err(error) = self.shut_down(self.settings.store.close_timeout()) {
            tracing::error!("closing the memory failed: {error}");
        }
    }
}

#[cfg(test)]
mod tests;
