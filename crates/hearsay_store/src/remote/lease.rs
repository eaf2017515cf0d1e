//! The lease: the right of one program to write the graph tables.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};

use surrealdb::types::Object;
use tokio::sync::mpsc::UnboundedReceiver;

use super::event::{Events, RemoteEvent};
use crate::{
    StoreError,
    engine::{
        Db, is_conflict,
        remote::{Remote, is_connection_lost},
        values::object,
    },
    projection::{self, ProjectionRow, Watermark},
    store::{DoneCallback, invoke},
};

/// Interval at which a program renews the lease, or tries to get it. The lease ends 20 seconds after it was renewed.
const RENEWAL_INTERVAL: Duration = Duration::from_secs(5);

/// Gets or renews the lease.
const ACQUIRE: &str = "BEGIN; LET $lease = SELECT * FROM ONLY meta:lease; \
    IF $lease.holder != $holder AND $lease.until > time::now() { THROW 'hearsay: another program has the lease' }; \
    UPSERT meta:lease SET holder = $holder, until = time::now() + 20s RETURN NONE; \
    IF (SELECT VALUE holder FROM ONLY meta:lease) != $holder { THROW 'hearsay: this login may only read' }; COMMIT;";

/// Ends the lease, so that another program can get it at once.
const RELEASE: &str = "UPDATE meta:lease SET until = time::now() WHERE holder = $holder RETURN NONE";

/// A job for the program that holds the lease.
pub(super) enum TableJob {
    Write {
        rows: Vec<ProjectionRow>,
        watermark: Watermark,
        done: DoneCallback,
    },
    /// Deletes all rows.
    Clear(DoneCallback),
}

/// The task that holds the lease and writes the graph tables.
pub(super) struct LeaseTask {
    pub(super) db: Arc<Db>,
    pub(super) place: String,
    pub(super) events: Events,
    /// Whether this program holds the lease.
    pub(super) is_held: Arc<AtomicBool>,
    /// Number of rows that wait to be written.
    pub(super) backlog: Arc<AtomicUsize>,
}

/// Outcome of an attempt to get the lease or to write.
enum Attempt {
    Done,
    /// Another program has the lease, or this login may not write.
    Refused(String),
    /// The connection was lost, or other transactions were in the way.
    Failed(String),
}

fn attempt(result: Result<(), surrealdb::Error>) -> Attempt {
    match result {
        Ok(()) => Attempt::Done,
        Err(error) if is_connection_lost(&error) || is_conflict(&error) => Attempt::Failed(error.to_string()),
        Err(error) => Attempt::Refused(error.to_string()),
    }
}

impl LeaseTask {
    /// Runs until the queue is closed.
    pub(super) async fn run(self, mut jobs: UnboundedReceiver<TableJob>) {
        let Some(holder) = self.db.as_remote().map(Remote::lease_holder) else { return };
        let holder = object([("holder", holder)]);
        let mut renewal = tokio::time::interval(RENEWAL_INTERVAL);
        renewal.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                biased;
                _ = renewal.tick() => self.renew(holder.clone()).await,
                job = jobs.recv() => match job {
                    Some(job) => self.run_job(job).await,
                    None => break,
                },
            }
        }
        if self.is_held.load(Ordering::Relaxed) {
            let _ = self.db.run(RELEASE, holder).await;
        }
    }

    async fn renew(&self, holder: Object) {
        match attempt(self.db.run_with_retries(ACQUIRE, holder).await.map(drop)) {
            Attempt::Done if !self.is_held.load(Ordering::Relaxed) => match projection::watermark(&self.db).await {
                Ok(watermark) => {
                    self.is_held.store(true, Ordering::Relaxed);
                    self.events.send(RemoteEvent::MayProject(Some(watermark)));
                }
                Err(error) => tracing::debug!(%error, "the graph tables could not be read"),
            },
            Attempt::Done => {}
            Attempt::Refused(reason) => self.lose(&reason),
            // The lease still belongs to this program, or another program gets it when it ends. Each write checks it.
            Attempt::Failed(reason) => tracing::debug!(reason, "the lease could not be renewed"),
        }
    }

    /// Notes that this program no longer holds the lease.
    fn lose(&self, reason: &str) {
        if self.is_held.swap(false, Ordering::Relaxed) {
            tracing::info!(reason, "this program no longer writes the graph tables");
            self.events.send(RemoteEvent::MayProject(None));
        }
    }

    /// Runs a job, and repeats it while the connection is lost.
    async fn run_job(&self, job: TableJob) {
        let (rows, watermark, done) = match job {
            TableJob::Write { rows, watermark, done } => (Some(rows), Some(watermark), done),
            TableJob::Clear(done) => (None, None, done),
        };
        let count = rows.as_ref().map_or(0, Vec::len);
        let reason = loop {
            if !self.is_held.load(Ordering::Relaxed) {
                break Some("another program writes the graph tables now".to_owned());
            }
            let written = match &rows {
                Some(rows) => projection::write(&self.db, rows.clone(), watermark).await,
                None => projection::clear(&self.db).await,
            };
            match attempt(written) {
                Attempt::Done => break None,
                Attempt::Refused(reason) => {
                    self.lose(&reason);
                    break Some(reason);
                }
                Attempt::Failed(reason) => {
                    tracing::debug!(reason, "the graph tables could not be written; trying again");
                    tokio::time::sleep(Duration::from_millis(500)).await;
                }
            }
        };
        self.backlog.fetch_sub(count, Ordering::Relaxed);
        let place = self.place.clone();
        invoke(done, reason.map_or(Ok(()), |reason| Err(StoreError::Projection { place, reason })));
    }
}
