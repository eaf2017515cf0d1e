//! Follows a journal to which several programs append, and appends to it.

use std::time::Duration;

use uuid::Uuid;

use super::journal::{Append, AppendFailure, Changes, End, ReadFailure, SharedJournal};

/// Waiting times after the first and after later failures.
const FIRST_WAIT: Duration = Duration::from_millis(20);
const LONGEST_WAIT: Duration = Duration::from_secs(2);

/// Maximum number of attempts of an append that conflicts although the journal has not grown. This happens if another
/// append at the same time was rejected too.
const MAX_IDLE_CONFLICTS: u32 = 20;

/// Receives what happens while a program follows the journal.
pub(crate) trait Observer {
    /// Another program appended changes. `batch` is the number of the newest batch of transient values.
    fn committed(&mut self, changes: Changes, batch: u64);

    /// The changes of the running append are stored. Later changes of other programs follow.
    fn stored(&mut self);

    /// The connection was lost, for the given reason, or works again (`None`). May be called several times in a row.
    fn connection(&mut self, lost: Option<&str>);
}

/// The outcome of an append.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The changes are stored. The observer was told so before it received later changes.
    Stored,
    /// Other programs were faster. Nothing was stored. The observer has received their changes.
    Conflict,
    /// Nothing was stored, for the given reason.
    Rejected(String),
}

/// A program that follows a journal.
pub(crate) struct Follower<J> {
    pub(crate) journal: J,
    end: End,
}

/// What was found after the known end of the journal.
#[derive(Default)]
struct News {
    /// Whether the rows of the program's own append are among the rows.
    has_own: bool,
    has_others: bool,
}

impl<J: SharedJournal> Follower<J> {
    /// Follows a journal from a known end.
    pub(crate) fn new(journal: J, end: End) -> Self {
        Self { journal, end }
    }

    pub(crate) fn end(&self) -> End {
        self.end
    }

    /// Passes all changes after the known end to the observer.
    pub(crate) async fn catch_up(&mut self, observer: &mut impl Observer) -> Result<(), ReadFailure> {
        self.read(None, &mut News::default(), observer).await
    }

    /// Reads all rows after the known end. Passes all changes, except those of the append `own`, to the observer.
    async fn read(
        &mut self,
        own: Option<Uuid>,
        news: &mut News,
        observer: &mut impl Observer,
    ) -> Result<(), ReadFailure> {
        loop {
            let rows = self.journal.rows_after(self.end).await?;
            if rows.is_empty() {
                return Ok(());
            }
            for row in rows {
                self.end = row.end;
                if own.is_some() && row.id == own {
                    // An append of an operation and of transient values has two rows.
                    if !std::mem::replace(&mut news.has_own, true) {
                        observer.stored();
                    }
                } else {
                    news.has_others = true;
                    observer.committed(row.changes, row.end.batch);
                }
            }
        }
    }

    /// Appends changes. Returns when the outcome is certain, however long the connection is lost.
    ///
    /// # Errors
    /// Returns an error text if the journal is damaged or was replaced. The outcome is then unknown.
    pub(crate) async fn append(&mut self, append: Append, observer: &mut impl Observer) -> Result<Outcome, String> {
        let (mut failures, mut idle_conflicts) = (0, 0);
        loop {
            let reason = match self.journal.append(self.end, &append).await {
                Ok(end) => {
                    self.end = end;
                    observer.connection(None);
                    observer.stored();
                    return Ok(Outcome::Stored);
                }
                Err(AppendFailure::Rejected(reason)) => {
                    // An earlier attempt, whose answer was lost, may have been stored.
                    let news = self.read_until_certain(append.id, &mut failures, observer).await?;
                    return Ok(if news.has_own { Outcome::Stored } else { Outcome::Rejected(reason) });
                }
                Err(AppendFailure::Conflict) => None,
                Err(AppendFailure::Unknown(reason)) => Some(reason),
            };
            if let Some(reason) = &reason {
                observer.connection(Some(reason));
                self.journal.wait(waiting_time(failures)).await;
                failures += 1;
            }
            let news = self.read_until_certain(append.id, &mut failures, observer).await?;
            if news.has_own {
                return Ok(Outcome::Stored);
            }
            if news.has_others {
                return Ok(Outcome::Conflict);
            }
            // The journal has not grown, so the same append can be sent again. If an earlier attempt is still on its
            // way, one of the two is stored and the other one conflicts with it.
            if reason.is_none() {
                idle_conflicts += 1;
                if idle_conflicts == MAX_IDLE_CONFLICTS && failures == 0 {
                    return Ok(Outcome::Rejected("the server rejected the transaction again and again".into()));
                }
                self.journal.wait(waiting_time(idle_conflicts)).await;
            }
        }
    }

    /// Reads the rows after the known end, and repeats this while the connection is lost.
    async fn read_until_certain(
        &mut self,
        own: Uuid,
        failures: &mut u32,
        observer: &mut impl Observer,
    ) -> Result<News, String> {
        let mut news = News::default();
        loop {
            match self.read(Some(own), &mut news, observer).await {
                Ok(()) => {
                    observer.connection(None);
                    return Ok(news);
                }
                Err(ReadFailure::Damaged(reason)) => return Err(reason),
                Err(ReadFailure::Disconnected(reason)) => {
                    observer.connection(Some(&reason));
                    self.journal.wait(waiting_time(*failures)).await;
                    *failures += 1;
                }
            }
        }
    }
}

/// Returns the time to wait after a number of earlier failures.
fn waiting_time(failures: u32) -> Duration {
    FIRST_WAIT.saturating_mul(1 << failures.min(10)).min(LONGEST_WAIT)
}
