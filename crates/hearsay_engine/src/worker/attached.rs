//! The side of an attached program: the messages of the owner, and what happens when the connection to the owner or to
//! a server is lost.

use std::sync::{Arc, atomic::AtomicBool};

use hearsay_model::Position;
use hearsay_store::{OpenReport, Reloaded, StoreError};

use super::{
    Internal, Worker, Write, guarded,
    halt::{Halt, RebuiltState},
    storage::{self, OpenedStorage, Storage},
};
use crate::{
    MemoryError,
    sharing::{LinkMessage, PreparedWrite, Refusal},
};

/// A storage that was opened after the connection was lost, with its state.
pub(crate) struct Reopened {
    storage: Storage,
    report: OpenReport,
    rebuilt: RebuiltState,
}

impl Reopened {
    fn new(OpenedStorage { storage, state, report }: OpenedStorage) -> Self {
        let transient_batch = report.transient_batch;
        // A store that has just been opened updates its own graph tables.
        let reloaded = Reloaded { state, outdated_keys: Some(Vec::new()), transient_batch };
        Self { storage, report, rebuilt: RebuiltState::from_reloaded(reloaded) }
    }
}

impl Worker {
    /// Handles a message of the connection with the given number.
    pub(super) fn take_link_message(&mut self, from: u64, message: LinkMessage) {
        match &self.storage {
            Storage::Attached { number, .. } if *number == from => {}
            // The connection was replaced.
            _ => return,
        }
        match message {
            LinkMessage::Committed(write) => self.apply_committed(vec![(write, Write::Foreign)]),
            LinkMessage::Appended(Ok(())) => {
                let in_flight = self.writes.take_in_flight();
                self.apply_committed(in_flight);
            }
            LinkMessage::Appended(Err(Refusal::Conflict)) => self.writes.retry_in_flight(),
            LinkMessage::Appended(Err(Refusal::Rejected(reason))) => {
                let first = self.snapshot.state.position().next();
                let place = "the shared campaign".into();
                self.finish_commit(Err(StoreError::NotSaved { place, first, reason }));
            }
            LinkMessage::Lost(reason) => {
                let in_doubt = self.writes.take_in_flight();
                let first = self.snapshot.state.position().next();
                self.reconnect(format!("the connection to the owner of the campaign ended: {reason}"), first, in_doubt);
            }
        }
    }

    /// Attaches again or opens the database, on a background thread. Until the memory is attached or the database is
    /// open, reads use the old state and writes wait. `in_doubt` has writes that the owner may have committed.
    pub(super) fn reconnect(&mut self, reason: String, first: Position, in_doubt: Vec<(PreparedWrite, Write)>) {
        tracing::info!("{reason}; connecting again");
        self.halt = Some(Halt::reconnecting(reason, first, in_doubt));
        let stop = Arc::new(AtomicBool::new(false));
        let ended = std::mem::replace(&mut self.storage, Storage::Reconnecting { stop: Arc::clone(&stop) });
        self.projection.stop();
        self.connections += 1;
        let (options, number) = (self.options.clone(), self.connections);
        let started = self.run_in_background(move |internal| {
            drop(ended);
            let opened = guarded(|| storage::reopen(&options, number, internal, &stop).map(Reopened::new));
            let _ = internal.send(Internal::Reopened(Box::new(opened)));
        });
        if !started {
            self.keep_halted("no thread could be started".into());
        }
    }

    /// Continues with the new storage and its state.
    pub(super) fn take_reopened(&mut self, reopened: Result<Reopened, MemoryError>) {
        let Reopened { storage, report, rebuilt } = match reopened {
            Ok(reopened) => reopened,
            // Nothing is lost if the memory closes before it has attached again.
            Err(_) if self.closing && self.halt.as_ref().is_none_or(|halt| halt.in_doubt() == 0) => return,
            Err(error) => return self.keep_halted(error.to_string()),
        };
        self.storage = storage;
        self.opened = report;
        self.take_rebuilt_state(Ok(rebuilt));
        self.storage.listen(&self.internal);
        if self.storage.own().is_some() {
            self.readings.take_over(&self.snapshot.state, &self.settings);
        }
        self.reread_vectors();
    }

    /// If the memory is closing and no write waits, stops the attempts to attach again.
    pub(super) fn stop_reconnecting_if_done(&self) {
        let in_doubt = self.halt.as_ref().map_or(0, Halt::in_doubt);
        if self.closing && (self.ending.gave_up() || self.writes.waiting() + in_doubt == 0) {
            self.storage.stop_reconnecting();
        }
    }
}
