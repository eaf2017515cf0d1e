//! Requests that read from the memory.

use std::time::Instant;

use hearsay_commands::{
    gossip::{Gossip, GossipPlan},
    merge::{self, MergePlan},
    prune::{Prune, PrunePlan},
};
use hearsay_model::{Author, EntityId, Operation, Position, UndoPreview};
use hearsay_query::{
    ask::{Answer, Ask},
    duplicates::Duplicate,
    health::{Health, health},
    journal::{HistoryRow, UndoTarget, live_operations_after},
    preview::{Preview, preview},
    search::{Search, SearchResults},
    session::Summarize,
};
use hearsay_recall::Summary;

use crate::{
    MemoryError, ReadSnapshot, Status,
    clock::now,
    ticket::{Responder, Ticket},
    worker::{Command, ReadJob, guarded},
};

use super::Memory;

impl Memory {
    /// Asks a character a question. The answer contains facts and passages that the character knows, that are relevant
    /// to the question, and that the character is allowed to mention.
    ///
    /// # Errors
    /// Returns an error if the request queue is full, the memory is closed, or the question is too long. The ticket
    /// fails if an entity or the session does not exist.
    pub fn ask(&self, ask: Ask) -> Result<Ticket<Answer>, MemoryError> {
        check_question(&ask.question)?;
        self.send_read(|responder| Command::Ask(Box::new(|_| Ok(ask)), Instant::now(), responder))
    }

    /// Asks a question like [`ask`](Self::ask). `build_ask` creates the question on the worker thread. For example,
    /// `build_ask` can [find the ids](hearsay_query::resolve) of names in the current state. `build_ask` must be quick,
    /// because it blocks the worker.
    ///
    /// # Errors
    /// Returns an error if the request queue is full or the memory is closed. The ticket fails if `build_ask` returns an
    /// error, if the question is too long, or if an entity or the session does not exist.
    pub fn ask_with(
        &self,
        build_ask: impl FnOnce(&ReadSnapshot) -> Result<Ask, MemoryError> + Send + 'static,
    ) -> Result<Ticket<Answer>, MemoryError> {
        let build_ask = move |snapshot: &ReadSnapshot| -> Result<Ask, MemoryError> {
            let ask = build_ask(snapshot)?;
            check_question(&ask.question)?;
            Ok(ask)
        };
        self.send_read(|responder| Command::Ask(Box::new(build_ask), Instant::now(), responder))
    }

    /// Searches for entities by name and by following relations, and for facts and passages by keywords, graph and
    /// meaning.
    ///
    /// # Errors
    /// Returns the same errors as [`ask`](Self::ask).
    pub fn search(&self, search: Search) -> Result<Ticket<SearchResults>, MemoryError> {
        check_question(&search.text)?;
        self.send_read(|responder| Command::Search(search, Instant::now(), responder))
    }

    /// Summarizes a session's log or a document within a token budget. The summary prefers lines that are relevant to
    /// the given question, and lines that contain much information.
    ///
    /// # Errors
    /// Returns the same errors as [`ask`](Self::ask). The ticket also fails if the session does not exist.
    pub fn summarize(&self, request: Summarize) -> Result<Ticket<Summary>, MemoryError> {
        check_question(&request.question)?;
        self.send_read(|responder| Command::SummaryRequest(request, Instant::now(), responder))
    }

    /// Returns the status of the memory.
    ///
    /// # Errors
    /// Returns an error if the request queue is full or the memory is closed.
    pub fn status(&self) -> Result<Ticket<Status>, MemoryError> {
        self.send_read(Command::Status)
    }

    /// Calls a closure with a read snapshot on the worker thread. The closure must be quick, because it blocks the
    /// worker. The crate [`hearsay_query`] contains ready-made queries.
    ///
    /// # Errors
    /// Returns an error if the request queue is full or the memory is closed.
    pub fn read<T: Send + 'static>(
        &self,
        query: impl FnOnce(&ReadSnapshot) -> Result<T, MemoryError> + Send + 'static,
    ) -> Result<Ticket<T>, MemoryError> {
        self.send_read(|responder| Command::Read(read_job(query, responder)))
    }

    /// Calls a closure with a read snapshot on a background thread. Use this function for long reads. The snapshot is
    /// taken when the closure starts. The maximum number of closures that run at the same time is the number of
    /// processors minus 1, or 1 on a machine with one processor. Further reads wait.
    ///
    /// # Errors
    /// Returns an error if the request queue is full or the memory is closed.
    pub fn read_in_background<T: Send + 'static>(
        &self,
        query: impl FnOnce(&ReadSnapshot) -> Result<T, MemoryError> + Send + 'static,
    ) -> Result<Ticket<T>, MemoryError> {
        self.send_read(|responder| Command::ReadInBackground(read_job(query, responder)))
    }

    /// Returns the changes that an operation would make to the knowledge of every knower. Does not commit the
    /// operation. `build_operation` creates the operation.
    ///
    /// # Errors
    /// Returns an error if the request queue is full or the memory is closed. The ticket fails if `build_operation`
    /// returns an error or the operation cannot be applied.
    pub fn preview(
        &self,
        build_operation: impl FnOnce(&ReadSnapshot) -> Result<Operation, MemoryError> + Send + 'static,
    ) -> Result<Ticket<Preview>, MemoryError> {
        self.read_in_background(move |snapshot| Ok(preview(&snapshot.state, build_operation(snapshot)?)?))
    }

    /// Simulates gossip over a period of game time on a background thread, without changing the memory. To record the
    /// gossip, [commit](Self::commit_gossip) the plan.
    ///
    /// # Errors
    /// Returns an error if the request queue is full or the memory is closed. The ticket fails if the game clock is
    /// needed but not set, or if the period is invalid.
    pub fn gossip(&self, gossip: Gossip) -> Result<Ticket<GossipPlan>, MemoryError> {
        self.read_in_background(move |snapshot| Ok(gossip.plan(&snapshot.state, now())?))
    }

    /// Finds pairs of entities that may be duplicates, on a background thread. If the descriptions of two entities have
    /// vectors, also compares the meaning of the descriptions.
    ///
    /// # Errors
    /// Returns an error if the request queue is full or the memory is closed.
    pub fn duplicates(&self) -> Result<Ticket<Vec<Duplicate>>, MemoryError> {
        self.send_read(Command::Duplicates)
    }

    /// Plans, on a background thread, a merge of the entity `removed` into the entity `remaining`. Does not change
    /// the memory. To merge the entities, [commit](Self::commit_merge) the plan.
    ///
    /// # Errors
    /// Returns an error if the request queue is full or the memory is closed. The ticket fails if an entity does not
    /// exist, or if both ids are the same.
    pub fn plan_merge(&self, removed: EntityId, remaining: EntityId) -> Result<Ticket<MergePlan>, MemoryError> {
        self.read_in_background(move |snapshot| {
            Ok(merge::merge(&snapshot.state, &removed, &remaining, Author::Dm, now())?)
        })
    }

    /// Finds, on a background thread, the facts that pruning would retract. Does not change the memory.
    ///
    /// # Errors
    /// Returns an error if the request queue is full or the memory is closed. The ticket fails if `prune` contains
    /// neither a confidence, nor an age, nor a status.
    pub fn plan_prune(&self, prune: Prune) -> Result<Ticket<PrunePlan>, MemoryError> {
        self.read_in_background(move |snapshot| Ok(prune.plan(&snapshot.state, now())?))
    }

    /// Checks the campaign for problems on a background thread. Each check lists at most `examples` findings: see
    /// [`health`](hearsay_query::health).
    ///
    /// # Errors
    /// Returns an error if the request queue is full or the memory is closed.
    pub fn health(&self, examples: usize) -> Result<Ticket<Health>, MemoryError> {
        self.read_in_background(move |snapshot| Ok(health(&snapshot.state, examples)))
    }

    /// Returns the position of the operation to undo, and the effects of the undo. The effects are the records that the
    /// undo would remove or change, and the later operations that depend on these records.
    ///
    /// # Errors
    /// Returns an error if the request queue is full or the memory is closed. The ticket fails if there is nothing to
    /// undo.
    pub fn undo_preview(&self, target: UndoTarget) -> Result<Ticket<(Position, UndoPreview)>, MemoryError> {
        self.read_in_background(move |snapshot| {
            let position = target.position(&snapshot.state)?;
            Ok((position, snapshot.state.undo_preview(position)?))
        })
    }

    /// Returns the effects of a [`restore`](Self::restore), and the operations that it would revert, newest first.
    ///
    /// # Errors
    /// Returns an error if the request queue is full or the memory is closed. The ticket fails if the position is after
    /// the newest operation.
    pub fn restore_preview(&self, position: Position) -> Result<Ticket<(UndoPreview, Vec<HistoryRow>)>, MemoryError> {
        self.read_in_background(move |snapshot| {
            let preview = snapshot.state.restore_preview(position)?;
            Ok((preview, live_operations_after(&snapshot.state, position)))
        })
    }
}

/// Wraps a caller's closure in a job that sends the result to the responder.
fn read_job<T: Send + 'static>(
    query: impl FnOnce(&ReadSnapshot) -> Result<T, MemoryError> + Send + 'static,
    responder: Responder<T>,
) -> ReadJob {
    Box::new(move |snapshot| {
        let answer = if responder.is_cancelled() { Err(MemoryError::Cancelled) } else { guarded(|| query(snapshot)) };
        responder.give(answer);
    })
}

/// Maximum length of a question, in characters.
const MAX_QUESTION_CHARS: usize = 20_000;

fn check_question(question: &str) -> Result<(), MemoryError> {
    if question.len() > MAX_QUESTION_CHARS && question.chars().count() > MAX_QUESTION_CHARS {
        Err(MemoryError::QuestionTooLong { length: question.chars().count(), max_length: MAX_QUESTION_CHARS })
    } else {
        Ok(())
    }
}
