//! The task of a store that writes commits to the journal.

use std::sync::Arc;

use hearsay_model::{Operation, Position, State};
use tokio::sync::mpsc::UnboundedReceiver;

use super::{
    callback::{DoneCallback, invoke},
    replay::{JournalEnd, Reloaded, replay_again},
    shared::Shared,
};
use crate::{
    StoreError,
    journal::{
        Compacted, JournalPosition, RewrittenOperation, TransientBatch, TransientUpdates, Transients, entries,
        insert_transients,
    },
};

/// A job for the committing task.
pub(crate) enum CommitJob {
    Operations {
        first: Position,
        operations: Vec<Arc<Operation>>,
        transients: TransientUpdates,
        done: DoneCallback,
    },
    /// Compacts the journal up to [`State::compacted_to`], and rewrites or deletes the given operations.
    Compact {
        state: Box<State>,
        operations: Vec<RewrittenOperation>,
        done: DoneCallback,
    },
    /// Writes a compacted part to an empty journal.
    WriteCompacted {
        to: Position,
        operations: Vec<(Position, Arc<Operation>)>,
        done: DoneCallback,
    },
    /// Replays the journal again.
    Reload(Box<dyn FnOnce(Result<Reloaded, StoreError>) + Send>),
    /// Calls the callback when all earlier jobs are done.
    Settle(DoneCallback),
}

impl CommitJob {
    /// Reports to the caller that the store is closed.
    pub(crate) fn reject_as_closed(self) {
        match self {
            Self::Operations { done, .. }
            | Self::Compact { done, .. }
            | Self::WriteCompacted { done, .. }
            | Self::Settle(done) => done(Err(StoreError::Closed)),
            Self::Reload(done) => done(Err(StoreError::Closed)),
        }
    }
}

/// Runs the queued jobs in order, until the queue is closed and empty.
pub(crate) async fn run_commit_jobs(shared: Arc<Shared>, mut queue: UnboundedReceiver<CommitJob>, journal: JournalEnd) {
    let JournalEnd { last, compacted, transients } = journal;
    let mut committer = Committer { shared, last, compacted, transients, uncertain: None };
    while let Some(job) = queue.recv().await {
        match job {
            CommitJob::Operations { first, operations, transients, done } => {
                let result = committer.commit(first, operations, transients).await;
                invoke(done, result);
            }
            CommitJob::Compact { state, operations, done } => {
                invoke(done, committer.compact(&state, &operations).await);
            }
            CommitJob::WriteCompacted { to, operations, done } => {
                invoke(done, committer.write_compacted(to, &operations).await)
            }
            CommitJob::Reload(done) => invoke(done, committer.reload().await),
            CommitJob::Settle(done) => invoke(done, Ok(())),
        }
    }
}

/// The state of the committing task: the end of the journal, to which the task appends.
struct Committer {
    shared: Arc<Shared>,
    last: JournalPosition,
    compacted: Compacted,
    transients: Transients,
    /// Error text of an earlier commit, if it is unknown whether the operations of that commit are stored.
    uncertain: Option<String>,
}

impl Committer {
    /// Sets the end of the journal, and marks it as acknowledged.
    fn advance(&mut self, last: JournalPosition) {
        self.last = last;
        self.shared.acknowledge(last);
    }

    /// Commits operations and transient values. Either all operations and values are stored, or none.
    async fn commit(
        &mut self,
        first: Position,
        operations: Vec<Arc<Operation>>,
        updates: TransientUpdates,
    ) -> Result<(), StoreError> {
        let committed = self.try_commit(first, operations, updates).await;
        if let Err(StoreError::Uncertain { reason, .. }) = &committed {
            self.uncertain = Some(reason.clone());
        }
        committed.map(|last| self.advance(last))
    }

    async fn try_commit(
        &mut self,
        first: Position,
        operations: Vec<Arc<Operation>>,
        updates: TransientUpdates,
    ) -> Result<JournalPosition, StoreError> {
        let place = self.shared.place.clone();
        self.check_certain(first)?;
        if let Some(reason) = self.shared.db.health().failure() {
            return Err(StoreError::Stopped { place, reason: reason.to_owned() });
        }
        let last = self.last;
        if first != last.position.next() {
            return Err(StoreError::OutOfOrder { expected: last.position.next(), given: first });
        }
        if operations.is_empty() && updates.is_empty() {
            return Ok(last);
        }
        #[cfg(feature = "testing")]
        {
            let faults = &self.shared.faults;
            faults.wait_while_held().await;
            faults.check_commit(first)?;
            if let Some(written) = faults.take_uncertain_commit() {
                if written {
                    write_commit(&self.shared, first, operations, updates, last, &mut self.transients).await?;
                }
                return Err(StoreError::Uncertain { place, first, reason: "a test injected this".into() });
            }
        }
        // Runs in a separate task, so that a panic inside the database becomes an error.
        let task = {
            let (shared, mut transients) = (Arc::clone(&self.shared), std::mem::take(&mut self.transients));
            async move {
                let result = write_commit(&shared, first, operations, updates, last, &mut transients).await;
                (result, transients)
            }
        };
        match tokio::spawn(task).await {
            Ok((result, transients)) => {
                self.transients = transients;
                result
            }
            Err(crash) => Err(StoreError::Uncertain { place, first, reason: crash.to_string() }),
        }
    }

    /// Returns an error if it is unknown whether an earlier commit was stored.
    fn check_certain(&self, first: Position) -> Result<(), StoreError> {
        match &self.uncertain {
            Some(reason) => {
                let place = self.shared.place.clone();
                Err(StoreError::Uncertain { place, first, reason: reason.clone() })
            }
            None => Ok(()),
        }
    }

    /// Compacts the journal up to [`State::compacted_to`]. First clears the stored transient values that are not in the
    /// state, because compaction may remove the operations that replaced these values.
    async fn compact(&mut self, state: &State, operations: &[RewrittenOperation]) -> Result<(), StoreError> {
        let to = state.compacted_to();
        self.check_certain(to)?;
        let (db, place) = (&self.shared.db, &self.shared.place);
        let cleared = self.transients.clear_stale(db, state).await;
        cleared.map_err(|reason| StoreError::NotSaved { place: place.clone(), first: to, reason })?;
        self.compacted = self.compacted.advance(db, place, to.min(self.last.position), operations).await?;
        Ok(())
    }

    /// Writes a compacted part to an empty journal.
    async fn write_compacted(
        &mut self,
        to: Position,
        operations: &[(Position, Arc<Operation>)],
    ) -> Result<(), StoreError> {
        if self.last.position != Position(0) {
            return Err(StoreError::OutOfOrder { expected: Position(0), given: self.last.position });
        }
        self.compacted = Compacted::write(&self.shared.db, &self.shared.place, to, operations).await?;
        self.advance(self.compacted.to);
        Ok(())
    }

    /// Replays the journal again. Returns an error if an acknowledged operation is missing.
    async fn reload(&mut self) -> Result<Reloaded, StoreError> {
        let last = self.last;
        #[cfg(feature = "testing")]
        if self.shared.faults.reload_fails() {
            return Err(StoreError::Injected(last.position));
        }
        // Runs in a separate task, so that a panic inside the database becomes an error.
        let task = {
            let shared = Arc::clone(&self.shared);
            async move { replay_again(&shared.db, &shared.place, shared.directory.as_deref(), last).await }
        };
        let (reloaded, journal) = tokio::spawn(task).await.unwrap_or_else(|crash| {
            let what = format!("the database crashed while the journal was read: {crash}");
            Err(StoreError::damaged(&self.shared.place, what))
        })?;
        self.compacted = journal.compacted;
        self.transients = journal.transients;
        self.uncertain = None;
        self.advance(journal.last);
        Ok(reloaded)
    }
}

/// Writes operations and transient values in one transaction. Returns the new end of the journal.
async fn write_commit(
    shared: &Shared,
    first: Position,
    operations: Vec<Arc<Operation>>,
    updates: TransientUpdates,
    last: JournalPosition,
    transients: &mut Transients,
) -> Result<JournalPosition, StoreError> {
    let (db, place) = (&shared.db, &shared.place);
    let not_saved = |reason: String| StoreError::NotSaved { place: place.clone(), first, reason };
    let batch = TransientBatch::encode(updates).map_err(|error| not_saved(error.to_string()))?;
    let end = match (operations.is_empty(), transients.row(&batch)) {
        (true, Some(row)) => {
            insert_transients(db, row).await.map_err(|error| not_saved(error.to_string()))?;
            last
        }
        (_, row) => entries::commit(db, place, last, &operations, row).await?,
    };
    transients.apply_batch(batch);
    if let Err(error) = transients.compact_if_wasteful(db).await {
        tracing::warn!(%error, "the table of transient values was not compacted");
    }
    Ok(end)
}
