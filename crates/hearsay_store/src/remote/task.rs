//! The tasks of an open campaign in a server.

use std::{
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use futures_util::StreamExt;
use hearsay_model::Position;
use tokio::sync::{Notify, mpsc::UnboundedReceiver};
use uuid::Uuid;

use super::{
    database::DatabaseJournal,
    event::{AppendRefusal, Events, RemoteConnection, RemoteEvent},
    follower::{Follower, Observer, Outcome},
    journal::{Append, Changes, ReadFailure},
};
use crate::engine::Db;

/// Interval at which the end of the journal is read even without a notification.
const POLL_INTERVAL: Duration = Duration::from_millis(1_000);

/// Interval at which the end of the journal is read if the server sends no notifications.
const POLL_INTERVAL_WITHOUT_NOTIFICATIONS: Duration = Duration::from_millis(100);

/// Longest time between two attempts to read while the connection is lost.
const LONGEST_RETRY_INTERVAL: Duration = Duration::from_secs(2);

/// Notifies of every append: each append writes this record.
const LIVE: &str = "LIVE SELECT id FROM meta WHERE id = meta:append";

/// A request to append changes. The operation gets the position `first`.
pub(super) struct AppendRequest {
    pub(super) first: Position,
    pub(super) changes: Changes,
}

/// Passes changes and the state of the connection on as events.
struct EventObserver {
    db: Arc<Db>,
    events: Events,
    connection: Arc<Mutex<RemoteConnection>>,
}

impl Observer for EventObserver {
    fn committed(&mut self, Changes { operation, transients }: Changes, batch: u64) {
        self.events.send(RemoteEvent::Committed { operation, transients, batch });
    }

    fn stored(&mut self) {
        self.events.send(RemoteEvent::Appended(Ok(())));
    }

    fn connection(&mut self, lost: Option<&str>) {
        let (connected, reason) = (lost.is_none(), lost.map(str::to_owned));
        let refused = !connected && self.db.as_remote().is_some_and(|remote| remote.refusal().is_some());
        let mut connection = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
        let is_new = (connection.connected, connection.refused) != (connected, refused);
        let since = if connection.connected || connected { Instant::now() } else { connection.since };
        *connection = RemoteConnection { connected, since, reason: reason.clone(), refused };
        drop(connection);
        if is_new {
            self.events.send(reason.map_or(RemoteEvent::Connected, RemoteEvent::Disconnected));
        }
    }
}

/// The task that reads the journal and appends to it.
pub(super) struct FollowTask {
    pub(super) db: Arc<Db>,
    pub(super) follower: Follower<DatabaseJournal>,
    pub(super) events: Events,
    pub(super) connection: Arc<Mutex<RemoteConnection>>,
    /// Whether this program holds the lease for the graph tables.
    pub(super) has_lease: Arc<AtomicBool>,
    pub(super) wake: Arc<Wake>,
}

impl FollowTask {
    /// Runs until the queue is closed, or the journal can no longer be followed.
    pub(super) async fn run(self, requests: UnboundedReceiver<AppendRequest>) {
        let events = self.events.clone();
        if let Err(reason) = self.follow(requests).await {
            events.send(RemoteEvent::Lost(reason));
        }
    }

    async fn follow(mut self, mut requests: UnboundedReceiver<AppendRequest>) -> Result<(), String> {
        let (db, connection) = (Arc::clone(&self.db), Arc::clone(&self.connection));
        let mut observer = EventObserver { db, events: self.events.clone(), connection };
        let mut interval = Duration::ZERO;
        loop {
            tokio::select! {
                biased;
                request = requests.recv() => match request {
                    Some(request) => {
                        self.append(request, &mut observer).await?;
                        continue;
                    }
                    None => return Ok(()),
                },
                () = self.wake.notify.notified() => {}
                () = tokio::time::sleep(interval) => {}
            }
            interval = match self.follower.catch_up(&mut observer).await {
                Ok(()) => {
                    observer.connection(None);
                    self.wake.poll_interval()
                }
                Err(ReadFailure::Damaged(reason)) => return Err(reason),
                Err(ReadFailure::Disconnected(reason)) => {
                    observer.connection(Some(&reason));
                    (interval * 2).clamp(Duration::from_millis(100), LONGEST_RETRY_INTERVAL)
                }
            };
        }
    }

    async fn append(
        &mut self,
        AppendRequest { first, changes }: AppendRequest,
        observer: &mut EventObserver,
    ) -> Result<(), String> {
        let sets_transients = !changes.transients.is_empty();
        let outcome = if first == self.follower.end().last.position.next() {
            self.follower.append(Append { id: Uuid::now_v7(), changes }, observer).await?
        } else {
            // The caller has not applied the newest changes yet.
            Outcome::Conflict
        };
        let refusal = match outcome {
            Outcome::Stored => {
                if sets_transients && self.has_lease.load(Ordering::Relaxed) {
                    self.follower.journal.compact_transients(self.follower.end()).await;
                }
                return Ok(());
            }
            Outcome::Conflict => AppendRefusal::Conflict,
            Outcome::Rejected(reason) => AppendRefusal::Rejected(reason),
        };
        self.events.send(RemoteEvent::Appended(Err(refusal)));
        Ok(())
    }
}

/// Wakes the task that reads the journal.
#[derive(Default)]
pub(super) struct Wake {
    notify: Notify,
    /// Whether the server sends notifications.
    has_notifications: AtomicBool,
}

impl Wake {
    fn poll_interval(&self) -> Duration {
        if self.has_notifications.load(Ordering::Relaxed) { POLL_INTERVAL } else { POLL_INTERVAL_WITHOUT_NOTIFICATIONS }
    }
}

/// Waits for notifications of appends. Subscribes again after the connection was lost. Never returns.
pub(super) async fn wake_on_notifications(db: Arc<Db>, wake: Arc<Wake>) {
    let Some(remote) = db.as_remote() else { return };
    let mut wait = LONGEST_RETRY_INTERVAL;
    loop {
        match remote.live(LIVE).await {
            Ok(mut notifications) => {
                wake.has_notifications.store(true, Ordering::Relaxed);
                wait = POLL_INTERVAL_WITHOUT_NOTIFICATIONS;
                // An append between the last reading and the subscription sent no notification.
                wake.notify.notify_one();
                while notifications.next().await.is_some() {
                    wake.notify.notify_one();
                }
                wake.has_notifications.store(false, Ordering::Relaxed);
            }
            Err(error) => {
                tracing::debug!(%error, "the server sends no notifications");
                wait = (wait * 2).min(LONGEST_RETRY_INTERVAL);
            }
        }
        tokio::time::sleep(wait).await;
    }
}
