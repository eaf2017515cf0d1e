//! Queue of texts that wait for extraction in the background, as plain data.
//!
//! The queue starts no work by itself and reads no clock. An engine adds texts, takes jobs from the queue when it has
//! time, and reports the result of each job. The engine also passes the current time, and stores the queue after each
//! change. After a restart, the jobs that were running wait again, so no text in the queue is lost. A text is read
//! twice only if the first try failed or was interrupted.

use std::collections::{BTreeMap, BTreeSet};

use hearsay_model::{EntityId, PassageId};
use serde::{Deserialize, Serialize};

use crate::{LlmError, LlmExtraction, LlmSettings, backoff};

/// Spoken or written text of one passage.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Turn {
    /// Id of the passage.
    pub id: PassageId,
    /// Words of the turn.
    pub text: String,
    /// Speaker; `None` if there is no known speaker.
    pub speaker: Option<EntityId>,
    /// Name of the speaker, as shown to the model; `None` if the model should not see a name.
    pub speaker_name: Option<String>,
}

/// Scene in which a text was said or written.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Context {
    /// Entities that are present.
    pub present: Vec<EntityId>,
    /// Place of the scene, if known.
    pub place: Option<EntityId>,
    /// Lines that were said just before the text, in order.
    pub before: Vec<String>,
}

/// Number of a job in its queue. Jobs are numbered in the order in which they were created.
pub type JobId = u64;

/// State of a job in the queue. A completed job is no longer in the queue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JobState {
    /// The job waits to be read.
    Pending,
    /// The job is being read.
    Running,
    /// The job failed. [`Job::failures`] is the number of failures.
    Failed {
        /// Earliest time of the next try, in milliseconds on the engine's clock; `None` if the job waits for
        /// [`Queue::retry_all`].
        until: Option<i64>,
        /// Message of the error.
        error: String,
    },
}

/// Turns of one conversation, session or file that are read together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Job {
    /// Number of the job.
    pub id: JobId,
    /// Name of the conversation, session or file that the turns belong to.
    pub source: String,
    /// Turns of the job, in order.
    pub turns: Vec<Turn>,
    /// Scene of the last turn.
    pub context: Context,
    /// Number of failures so far.
    pub failures: u32,
    /// State of the job.
    pub state: JobState,
}

/// Settings for the size of jobs, and for the number of tries of a job.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct QueueSettings {
    /// Number of turns after which a conversation becomes a job.
    pub after_turns: usize,
    /// Number of tokens after which a conversation becomes a job, even if it has fewer than `after_turns` turns.
    pub after_tokens: usize,
    /// Maximum number of jobs that run at the same time.
    pub concurrency: usize,
    /// Maximum number of failed tries. After this number, a job is repeated only if [`Queue::retry_all`] is called.
    pub tries: u32,
    /// Waiting time after the first failure, in milliseconds. Each further waiting time is twice as long.
    pub wait_ms: u64,
    /// Maximum waiting time after a failure, in milliseconds.
    pub max_wait_ms: u64,
}

impl From<&LlmSettings> for QueueSettings {
    fn from(settings: &LlmSettings) -> Self {
        Self {
            after_turns: settings.after_turns,
            after_tokens: settings.after_tokens,
            concurrency: settings.concurrency,
            tries: 5,
            wait_ms: 30_000,
            max_wait_ms: 3_600_000,
        }
    }
}

/// Number of turns and jobs in each state.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct QueueCounts {
    /// Number of turns that wait for more turns of their conversation.
    pub gathering: usize,
    /// Number of jobs that wait to be read.
    pub pending: usize,
    /// Number of jobs that are being read.
    pub running: usize,
    /// Number of failed jobs that will be tried again automatically.
    pub failed: usize,
    /// Number of failed jobs that will be tried again only after [`Queue::retry_all`].
    pub given_up: usize,
    /// Number of jobs that were completed since the queue was created.
    pub done: u64,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
struct OpenConversation {
    turns: Vec<Turn>,
    context: Context,
    tokens: usize,
}

/// Queue of turns and jobs that wait for extraction. To store the queue, serialise the whole value. After a restart,
/// call [`Queue::after_restart`]. Deserialising fails if the stored queue has fields that this version does not know.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Queue {
    open_conversations: BTreeMap<String, OpenConversation>,
    jobs: BTreeMap<JobId, Job>,
    next: JobId,
    done: u64,
    /// Passages in the queue, so that no passage is added twice.
    queued_passages: BTreeSet<PassageId>,
    /// For each source, the value of `take_count` when a job of the source was last taken. The source with the lowest
    /// value is served next.
    served: BTreeMap<String, u64>,
    /// Number of jobs that were taken.
    take_count: u64,
    /// Time until which no job is given out because the server was unreachable. `down_times` is the number of
    /// consecutive times that the server was unreachable.
    down_until: Option<i64>,
    down_times: u32,
}

impl Queue {
    /// Creates an empty queue.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a turn to a conversation. The turns of a conversation wait until enough turns or tokens for a job are
    /// waiting. Returns the id of the job if this turn completes a job. If the passage is already in the queue, the
    /// queue does not change, and the result is `None`.
    pub fn add_turn(&mut self, settings: &QueueSettings, source: &str, turn: Turn, context: Context) -> Option<JobId> {
        if !self.queued_passages.insert(turn.id) {
            return None;
        }
        let conversation = self.open_conversations.entry(source.to_owned()).or_default();
        conversation.tokens += estimated_tokens(&turn);
        conversation.turns.push(turn);
        conversation.context = context;
        let is_ready = conversation.turns.len() >= settings.after_turns || conversation.tokens >= settings.after_tokens;
        if is_ready { self.flush(source) } else { None }
    }

    /// Adds a complete text, such as a description of the world, and creates a job for it immediately. Returns the id
    /// of the job; `None` if the passage is already in the queue.
    pub fn add_text(&mut self, source: &str, turn: Turn, context: Context) -> Option<JobId> {
        if !self.queued_passages.insert(turn.id) {
            return None;
        }
        Some(self.add_job(source, vec![turn], context))
    }

    /// Ends a conversation: creates a job from its waiting turns. Returns the id of the job; `None` if no turns wait.
    pub fn flush(&mut self, source: &str) -> Option<JobId> {
        let conversation = self.open_conversations.remove(source)?;
        Some(self.add_job(source, conversation.turns, conversation.context))
    }

    /// Ends all conversations: creates a job from the waiting turns of each.
    pub fn flush_all(&mut self) {
        for source in self.open_conversations.keys().cloned().collect::<Vec<_>>() {
            self.flush(&source);
        }
    }

    fn add_job(&mut self, source: &str, turns: Vec<Turn>, context: Context) -> JobId {
        let id = self.next;
        self.next += 1;
        // A new source comes after the sources that already wait.
        self.served.entry(source.to_owned()).or_insert(self.take_count);
        let job = Job { id, source: source.to_owned(), turns, context, failures: 0, state: JobState::Pending };
        self.jobs.insert(id, job);
        id
    }

    /// Takes the next job and marks it as running. The sources take turns: the next job is the oldest due job of the
    /// source whose last job was taken longest ago. `now` is the current time in milliseconds. Returns `None` if no job
    /// is due, if enough jobs are running, or if the queue waits for an unreachable server.
    pub fn take_job(&mut self, settings: &QueueSettings, now: i64) -> Option<Job> {
        if self.down_until.is_some_and(|until| now < until) {
            return None;
        }
        let running = self.jobs.values().filter(|job| job.state == JobState::Running).count();
        // If the server was unreachable, only one job tries it at first.
        let max_running = if self.down_until.is_some() { 1 } else { settings.concurrency };
        if running >= max_running {
            return None;
        }
        let due_jobs = self.jobs.values().filter(|job| match &job.state {
            JobState::Pending => true,
            JobState::Failed { until, .. } => until.is_some_and(|until| until <= now),
            JobState::Running => false,
        });
        let last_served = |source: &str| self.served.get(source).copied().unwrap_or_default();
        let id = due_jobs.min_by_key(|job| (last_served(&job.source), job.id))?.id;
        let job = self.jobs.get_mut(&id)?;
        job.state = JobState::Running;
        self.take_count += 1;
        self.served.insert(job.source.clone(), self.take_count);
        Some(job.clone())
    }

    /// Records the result of a job. The result decides whether the job is done, waits again or has failed. `now` is the
    /// current time in milliseconds. If some parts were not read, the whole job is repeated. The caller can still apply
    /// the facts that were found, because the same facts from the same words are recognised as duplicates.
    pub fn report_outcome(
        &mut self,
        settings: &QueueSettings,
        id: JobId,
        outcome: &Result<LlmExtraction, LlmError>,
        now: i64,
    ) {
        let error = match outcome {
            Ok(found) => found.unread.iter().find_map(|part| part.reason.as_ref()),
            Err(error) => Some(error),
        };
        match error {
            None => self.complete(id),
            Some(LlmError::Cancelled) => self.requeue(id),
            // If the budget for all texts is used up, every job would fail, and no job is the cause. This case is
            // therefore treated like an unreachable server.
            Some(LlmError::Unreachable { .. } | LlmError::Budget { setting: "total_tokens", .. }) => {
                self.mark_unreachable(settings, id, now);
            }
            Some(error @ LlmError::Unusable { .. }) => self.fail(settings, id, &error.to_string(), now),
            Some(error) => self.give_up(id, &error.to_string()),
        }
    }

    /// Removes a completed job. The caller keeps the result.
    pub fn complete(&mut self, id: JobId) {
        self.reset_server_wait();
        if let Some(job) = self.remove(id) {
            self.done += 1;
            job.turns.iter().for_each(|turn| _ = self.queued_passages.remove(&turn.id));
        }
    }

    /// Records a failure that the job itself caused. The job is tried again later, until it has failed
    /// [`QueueSettings::tries`] times.
    pub fn fail(&mut self, settings: &QueueSettings, id: JobId, error: &str, now: i64) {
        self.reset_server_wait();
        let Some(job) = self.jobs.get_mut(&id) else { return };
        job.failures = job.failures.saturating_add(1);
        let wait = backoff::exponential_delay(settings.wait_ms, settings.max_wait_ms, job.failures - 1, id);
        let can_retry = job.failures < settings.tries;
        let until = can_retry.then(|| time_after(now, wait));
        job.state = JobState::Failed { until, error: error.to_owned() };
    }

    /// Records that a job cannot be read. The job stays in the queue and is tried again only after
    /// [`Queue::retry_all`].
    pub fn give_up(&mut self, id: JobId, error: &str) {
        if let Some(job) = self.jobs.get_mut(&id) {
            job.failures = job.failures.saturating_add(1);
            job.state = JobState::Failed { until: None, error: error.to_owned() };
        }
    }

    /// Records that the server was unreachable. The job waits again, and its failure count does not change. For some
    /// time, [`Queue::take_job`] returns no job.
    pub fn mark_unreachable(&mut self, settings: &QueueSettings, id: JobId, now: i64) {
        let wait = backoff::exponential_delay(settings.wait_ms, settings.max_wait_ms, self.down_times, 0);
        self.down_until = Some(time_after(now, wait));
        self.down_times = self.down_times.saturating_add(1);
        self.requeue(id);
    }

    /// Returns a running job to the waiting jobs, for example after a cancellation.
    pub fn requeue(&mut self, id: JobId) {
        if let Some(job) = self.jobs.get_mut(&id).filter(|job| job.state == JobState::Running) {
            job.state = JobState::Pending;
        }
    }

    /// Makes all failed jobs wait again with a failure count of 0, and ends the waiting time for an unreachable server.
    pub fn retry_all(&mut self) {
        self.reset_server_wait();
        for job in self.jobs.values_mut().filter(|job| matches!(job.state, JobState::Failed { .. })) {
            job.failures = 0;
            job.state = JobState::Pending;
        }
    }

    /// Returns the queue as it should be after a restart: running jobs wait again. The waiting time for an unreachable
    /// server ends, because the server may have changed.
    pub fn after_restart(mut self) -> Self {
        self.reset_server_wait();
        for id in self.jobs.keys().copied().collect::<Vec<_>>() {
            self.requeue(id);
        }
        self
    }

    /// Removes a passage from the queue. Returns whether the passage was removed. Returns `false` if the passage is not
    /// in the queue or is being read.
    pub fn remove_passage(&mut self, passage: PassageId) -> bool {
        if !self.queued_passages.contains(&passage) {
            return false;
        }
        for conversation in self.open_conversations.values_mut() {
            if let Some(at) = conversation.turns.iter().position(|turn| turn.id == passage) {
                let turn = conversation.turns.remove(at);
                conversation.tokens = conversation.tokens.saturating_sub(estimated_tokens(&turn));
                self.open_conversations.retain(|_, conversation| !conversation.turns.is_empty());
                return self.queued_passages.remove(&passage);
            }
        }
        let waiting_jobs = self.jobs.values_mut().filter(|job| job.state != JobState::Running);
        for job in waiting_jobs {
            if let Some(at) = job.turns.iter().position(|turn| turn.id == passage) {
                job.turns.remove(at);
                if job.turns.is_empty() {
                    let id = job.id;
                    self.remove(id);
                }
                return self.queued_passages.remove(&passage);
            }
        }
        false
    }

    /// Returns the passages in the queue, including those that are being read.
    pub fn passages(&self) -> impl Iterator<Item = PassageId> {
        self.queued_passages.iter().copied()
    }

    /// Returns the names of the conversations that wait for more turns.
    pub fn open_conversations(&self) -> impl Iterator<Item = &str> {
        self.open_conversations.keys().map(String::as_str)
    }

    /// Returns the jobs in the order in which they were created.
    pub fn jobs(&self) -> impl Iterator<Item = &Job> {
        self.jobs.values()
    }

    /// Returns the number of turns and jobs in each state.
    pub fn counts(&self) -> QueueCounts {
        let waiting_turns = self.open_conversations.values().map(|conversation| conversation.turns.len()).sum();
        let mut counts = QueueCounts { gathering: waiting_turns, done: self.done, ..QueueCounts::default() };
        for job in self.jobs.values() {
            *match &job.state {
                JobState::Pending => &mut counts.pending,
                JobState::Running => &mut counts.running,
                JobState::Failed { until: Some(_), .. } => &mut counts.failed,
                JobState::Failed { until: None, .. } => &mut counts.given_up,
            } += 1;
        }
        counts
    }

    /// Returns the earliest time at which a job is due, in milliseconds; `None` if no job will become due by itself.
    /// The time can be in the past. Before this time, [`Queue::take_job`] returns no job.
    pub fn next_due_ms(&self) -> Option<i64> {
        let jobs = self.jobs.values().filter_map(|job| match &job.state {
            JobState::Pending => Some(i64::MIN),
            JobState::Failed { until, .. } => *until,
            JobState::Running => None,
        });
        jobs.min().map(|due| due.max(self.down_until.unwrap_or(i64::MIN)))
    }

    fn reset_server_wait(&mut self) {
        self.down_until = None;
        self.down_times = 0;
    }

    fn remove(&mut self, id: JobId) -> Option<Job> {
        let job = self.jobs.remove(&id)?;
        if !self.jobs.values().any(|other| other.source == job.source) {
            self.served.remove(&job.source);
        }
        Some(job)
    }
}

fn estimated_tokens(turn: &Turn) -> usize {
    turn.text.len().div_ceil(4)
}

fn time_after(now: i64, wait: std::time::Duration) -> i64 {
    now.saturating_add(i64::try_from(wait.as_millis()).unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests;
