//! The events of a server that contains the campaign.

use std::time::{Duration, Instant};

use hearsay_model::{Author, Change, Key, Operation, Position, State};
use hearsay_store::{AppendRefusal, RemoteEvent, StoreError, Watermark, projection::all_keys};

use super::{Internal, Worker, Write, remote::Remote};
use crate::{MemoryError, OfflineWrites, sharing::PreparedWrite};

/// Time after which a program begins to write all graph tables again. A short command ends earlier, so that it does not
/// clear the tables without filling them.
const REBUILD_DELAY: Duration = Duration::from_secs(10);

/// Time for which a change that was already sent waits for the connection, if changes without a connection fail.
const IN_FLIGHT_TIMEOUT: Duration = Duration::from_secs(3);

/// Maximum number of operations that are missing from the graph tables. If more are missing, all tables are written
/// again.
const MAX_MISSING_OPERATIONS: u64 = 10_000;

/// Maximum number of facts of a campaign whose records are all written at once if the graph tables are empty.
const MAX_FACTS_AT_ONCE: usize = 10_000;

impl Worker {
    /// Handles an event of the connection with the given number.
    pub(super) fn take_remote_event(&mut self, from: u64, event: RemoteEvent) {
        let Some(remote) = self.storage.remote_mut().filter(|remote| remote.number == from) else { return };
        match event {
            RemoteEvent::Committed { operation, transients, batch } => {
                self.projection.transients.batch = batch;
                let write = PreparedWrite { operation, transients };
                if !write.is_empty() {
                    self.apply_committed(vec![(write, Write::Foreign)]);
                }
            }
            RemoteEvent::Appended(Ok(())) => {
                let in_flight = self.writes.take_in_flight();
                self.projection.count_batch(&in_flight);
                self.apply_committed(in_flight);
            }
            RemoteEvent::Appended(Err(AppendRefusal::Conflict)) => self.writes.retry_in_flight(),
            RemoteEvent::Appended(Err(AppendRefusal::Rejected(reason))) => {
                self.fail_in_flight(|| MemoryError::NotCommitted(reason.clone()));
            }
            RemoteEvent::Disconnected(reason) if remote.is_local => {
                self.reconnect_to_server(format!("the connection to the server of the campaign ended: {reason}"));
            }
            RemoteEvent::Disconnected(reason) => {
                let text = format!("there is no connection to the server {}: {reason}", remote.place);
                if remote.is_refused() {
                    self.fail(text);
                } else {
                    tracing::warn!("{text}");
                }
                if self.ending.gave_up() {
                    self.abandon_in_flight();
                } else if self.fails_offline() {
                    self.writes.answer_in_flight_at(Instant::now() + IN_FLIGHT_TIMEOUT);
                }
            }
            RemoteEvent::Connected => tracing::info!(server = remote.place, "connected to the server again"),
            RemoteEvent::MayProject(watermark) => {
                remote.has_lease = watermark.is_some();
                self.stop_projecting();
                if let Some(watermark) = watermark {
                    // The program that writes the graph tables also reads the texts that other programs left unread.
                    self.readings.take_over(&self.snapshot.state, &self.settings);
                    self.begin_projecting(watermark);
                }
            }
            RemoteEvent::Lost(reason) => self.reconnect_to_server(reason),
        }
    }

    fn reconnect_to_server(&mut self, reason: String) {
        let in_doubt = self.writes.take_in_flight();
        let first = self.snapshot.state.position().next();
        self.reconnect(reason, first, in_doubt);
    }

    /// Returns whether there is no connection to the server. If writes do not wait for the connection, they then fail,
    /// also if an earlier write is still in flight.
    pub(super) fn is_offline(&mut self) -> bool {
        self.answer_uncertain_writes();
        let Some(reason) = self.storage.remote().and_then(|remote| remote.offline_reason()) else { return false };
        if self.fails_offline() {
            let waiting = self.writes.take_waiting();
            self.fail_writes(waiting, || MemoryError::NotCommitted(reason.clone()));
        }
        true
    }

    /// Returns whether writes fail while there is no connection to the server: if the settings say so, or if the server
    /// refuses the login.
    fn fails_offline(&self) -> bool {
        let is_refused = || self.storage.remote().is_some_and(Remote::is_refused);
        self.settings.store.offline_writes == OfflineWrites::Fail || is_refused()
    }

    /// Tells the callers of writes that have been in flight for too long that the outcome is uncertain. The store still
    /// finds out whether the changes are stored. If so, they are applied like the changes of another program.
    fn answer_uncertain_writes(&mut self) {
        let writes = self.writes.take_uncertain(Instant::now());
        let Some(remote) = self.storage.remote().filter(|_| !writes.is_empty()) else { return };
        let error = format!(
            "the connection to the server {} was lost before the server confirmed the change, so it is uncertain whether \
             the change was saved; once there is a connection again, check whether the campaign contains the change \
             before you repeat it",
            remote.place
        );
        self.fail_writes(writes, || MemoryError::Uncertain(error.clone()));
    }

    /// Fails the writes that were sent to the server before the connection was lost. Called when the memory closes and
    /// no longer waits for the connection.
    pub(super) fn abandon_in_flight(&mut self) {
        let Some(reason) = self.storage.remote().and_then(|remote| remote.offline_reason()) else { return };
        self.fail_in_flight(|| MemoryError::Uncertain(format!("it is unknown whether the change was saved: {reason}")));
    }

    fn stop_projecting(&mut self) {
        self.projection.stop();
        self.storage.remote_mut().into_iter().for_each(|remote| remote.projects = false);
    }

    /// Starts to write the graph tables, which are complete up to a watermark.
    fn begin_projecting(&mut self, watermark: Watermark) {
        let state = &self.snapshot.state;
        let outdated_keys = if watermark == Watermark::default() && state.fact_count() <= MAX_FACTS_AT_ONCE {
            // The tables are empty.
            Some(all_keys(state, usize::MAX).flatten().collect())
        } else {
            outdated_keys(state, watermark.position)
        };
        let Some(keys) = outdated_keys.filter(|_| self.projection.transients.continue_from(state, watermark.batch))
        else {
            return self.projection.rebuild_at(Instant::now() + REBUILD_DELAY);
        };
        self.projection.restart(watermark.position);
        if let Some(remote) = self.storage.remote_mut() {
            remote.projects = true;
        }
        self.project_later(keys);
    }

    /// If it is time, clears the graph tables and writes all records again.
    pub(super) fn rebuild_if_due(&mut self) {
        let Some(remote) = self.storage.remote_mut().filter(|_| self.projection.is_rebuild_due()) else { return };
        if self.closing {
            return;
        }
        remote.projects = true;
        let internal = self.internal.clone();
        remote.store.clear_tables(move |result: Result<(), StoreError>| {
            if let Err(error) = result {
                let _ = internal.send(Internal::Projected(Err(error)));
            }
        });
        let state = self.snapshot.state.clone();
        let run = self.projection.restart(Position(0));
        self.projection.transients.mark_complete(&state);
        let started = self.run_in_background(move |internal| {
            let (keys, position) = (all_keys(&state, usize::MAX).flatten().collect(), state.position());
            // Drops the reference, because the worker can change its state in place only if it has the only reference.
            drop(state);
            let resume = move |worker: &mut Self| worker.projection.finish_planning(run, keys, position);
            let _ = internal.send(Internal::Resume(Box::new(resume)));
        });
        if started { self.projection.begin_planning() } else { self.stop_projecting() }
    }
}

/// Returns the keys of the records that changed after a position, so that the graph tables, which are complete up to
/// this position, are outdated. Returns `None` if all tables must be written again.
fn outdated_keys(state: &State, complete_to: Position) -> Option<Vec<Key>> {
    let missing = state.position().0.checked_sub(complete_to.0)?;
    if missing == 0 {
        return Some(Vec::new());
    }
    if missing > MAX_MISSING_OPERATIONS {
        return None;
    }
    // Reverting the later operations in a copy of the state changes the same records.
    let revert = Operation::new(Author::Game, "compare", vec![Change::Restore(complete_to)]);
    Some(state.clone().apply(revert).ok()?.touched)
}
