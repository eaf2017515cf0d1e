//! What is to be read in the background, as plain data.
//!
//! The queue does nothing by itself and reads no clock: an engine tells it what was said and what time it is, stores it
//! whenever it has changed, takes jobs from it when it has time, and says what became of them. After a restart what was
//! being read waits again. Nothing that was put in is lost, and nothing is read twice unless a try failed.

use std::collections::{BTreeMap, BTreeSet};

use hearsay_model::{EntityId, PassageId};
use serde::{Deserialize, Serialize};

use super::{Found, LlmError, LlmSettings, backoff};

/// A text that was said or written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Turn {
    /// The passage.
    pub id: PassageId,
    /// The words.
    pub text: String,
    /// Who says it.
    pub speaker: Option<EntityId>,
    /// How the speaker is called in the script.
    pub called: Option<String>,
}

/// The scene of a text.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Context {
    /// Who is there.
    pub present: Vec<EntityId>,
    /// Where.
    pub place: Option<EntityId>,
    /// What was said just before.
    pub before: Vec<String>,
}

/// The number of a job in its queue, in the order in which they came to be.
pub type JobId = u64;

/// Where a job is. One that was read is in the queue no more.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JobState {
    /// It waits.
    Pending,
    /// It is being read.
    Running,
    /// It failed, [`Job::failures`] times.
    Failed {
        /// Before this moment it is not tried again, in milliseconds; nothing, when it is given up until somebody asks.
        until: Option<i64>,
        /// Why.
        why: String,
    },
}

/// Turns that are read together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Job {
    /// Its number.
    pub id: JobId,
    /// The conversation, session or file that it belongs to.
    pub source: String,
    /// What was said, in order.
    pub turns: Vec<Turn>,
    /// The scene at the last of them.
    pub context: Context,
    /// How often it failed.
    pub failures: u32,
    /// Where it is.
    pub state: JobState,
}

/// When turns become a job, and how often one is tried.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct QueueSettings {
    /// Turns after which a conversation is read.
    pub after_turns: usize,
    /// Tokens after which it is read.
    pub after_tokens: usize,
    /// Jobs that run at the same time.
    pub concurrency: usize,
    /// Tries after which a job is given up until somebody asks.
    pub tries: u32,
    /// Milliseconds before a failed job is tried again; each further wait is twice as long.
    pub wait_ms: u64,
    /// Milliseconds that such a wait has at most.
    pub most_wait_ms: u64,
}

impl From<&LlmSettings> for QueueSettings {
    fn from(settings: &LlmSettings) -> Self {
        Self {
            after_turns: settings.after_turns,
            after_tokens: settings.after_tokens,
            concurrency: settings.concurrency,
            tries: 5,
            wait_ms: 30_000,
            most_wait_ms: 3_600_000,
        }
    }
}

/// How many jobs are where.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct QueueCounts {
    /// Turns that wait for more of their conversation.
    pub gathering: usize,
    /// Jobs that wait.
    pub pending: usize,
    /// Jobs that are being read.
    pub running: usize,
    /// Jobs that failed and are tried again.
    pub failed: usize,
    /// Jobs that failed too often.
    pub given_up: usize,
    /// Jobs that were read since the queue was made.
    pub done: u64,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Gathering {
    turns: Vec<Turn>,
    context: Context,
    tokens: usize,
}

/// What is to be read. Serialise it whole; [`Queue::restarted`] makes it ready after a restart.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Queue {
    gathering: BTreeMap<String, Gathering>,
    jobs: BTreeMap<JobId, Job>,
    next: JobId,
    done: u64,
    /// Passages that are here, so that none is put in twice.
    held: BTreeSet<PassageId>,
    /// When each source was served last, as a count of jobs: who has waited longest is next.
    served: BTreeMap<String, u64>,
    turn: u64,
    /// Until when the server is left alone, and how often it was not there in a row.
    down_until: Option<i64>,
    down_times: u32,
}

impl Queue {
    /// An empty queue.
    pub fn new() -> Self {
        Self::default()
    }

    /// Somebody said something: it waits until its conversation has enough turns or tokens. Says whether a job came of it.
    /// A passage that is here already is left alone.
    pub fn turn(&mut self, settings: &QueueSettings, source: &str, turn: Turn, context: Context) -> Option<JobId> {
        if !self.held.insert(turn.id) {
            return None;
        }
        let gathering = self.gathering.entry(source.to_owned()).or_default();
        gathering.tokens += tokens(&turn);
        gathering.turns.push(turn);
        gathering.context = context;
        let enough = gathering.turns.len() >= settings.after_turns || gathering.tokens >= settings.after_tokens;
        if enough { self.flush(source) } else { None }
    }

    /// A text that is whole by itself, such as lore: a job at once.
    pub fn text(&mut self, source: &str, turn: Turn, context: Context) -> Option<JobId> {
        if !self.held.insert(turn.id) {
            return None;
        }
        Some(self.add(source, vec![turn], context))
    }

    /// A conversation is over: what was gathered becomes a job.
    pub fn flush(&mut self, source: &str) -> Option<JobId> {
        let gathering = self.gathering.remove(source)?;
        Some(self.add(source, gathering.turns, gathering.context))
    }

    /// All conversations are over.
    pub fn flush_all(&mut self) {
        for source in self.gathering.keys().cloned().collect::<Vec<_>>() {
            self.flush(&source);
        }
    }

    fn add(&mut self, source: &str, turns: Vec<Turn>, context: Context) -> JobId {
        let id = self.next;
        self.next += 1;
        // A source that is new stands behind those that wait.
        self.served.entry(source.to_owned()).or_insert(self.turn);
        let job = Job { id, source: source.to_owned(), turns, context, failures: 0, state: JobState::Pending };
        self.jobs.insert(id, job);
        id
    }

    /// The next job, if one is due and there is room for it: the oldest one of the source that was served longest ago. It
    /// runs from now on.
    pub fn take(&mut self, settings: &QueueSettings, now: i64) -> Option<Job> {
        if self.down_until.is_some_and(|until| now < until) {
            return None;
        }
        let running = self.jobs.values().filter(|job| job.state == JobState::Running).count();
        // After it was not there, the server is tried with one job first.
        let room = if self.down_until.is_some() { 1 } else { settings.concurrency };
        if running >= room {
            return None;
        }
        let due = self.jobs.values().filter(|job| match &job.state {
            JobState::Pending => true,
            JobState::Failed { until, .. } => until.is_some_and(|until| until <= now),
            JobState::Running => false,
        });
        let served = |source: &str| self.served.get(source).copied().unwrap_or_default();
        let id = due.min_by_key(|job| (served(&job.source), job.id))?.id;
        let job = self.jobs.get_mut(&id)?;
        job.state = JobState::Running;
        self.turn += 1;
        self.served.insert(job.source.clone(), self.turn);
        Some(job.clone())
    }

    /// A job came to an end: what becomes of it follows from how. One of which parts were not read is tried again as a whole;
    /// what it gave until then can be applied, for the same facts from the same words are the same again.
    pub fn settle(&mut self, settings: &QueueSettings, id: JobId, outcome: &Result<Found, LlmError>, now: i64) {
        let why = match outcome {
            Ok(found) => found.unread.iter().find_map(|part| part.why.as_ref()),
            Err(why) => Some(why),
        };
        match why {
            None => self.done(id),
            Some(LlmError::Cancelled) => self.put_back(id),
            // A budget of all runs is like a server that is gone: no job is to blame, and each would meet it.
            Some(LlmError::Unreachable { .. } | LlmError::Budget { setting: "total_tokens", .. }) => {
                self.unreachable(settings, id, now);
            }
            Some(why @ LlmError::Unusable { .. }) => self.failed(settings, id, &why.to_string(), now),
            Some(why) => self.given_up(id, &why.to_string()),
        }
    }

    /// A job was read: it is gone, and what it found lies with whoever read it.
    pub fn done(&mut self, id: JobId) {
        self.up();
        if let Some(job) = self.remove(id) {
            self.done += 1;
            job.turns.iter().for_each(|turn| _ = self.held.remove(&turn.id));
        }
    }

    /// A job failed by itself: it is tried again later, but not for ever.
    pub fn failed(&mut self, settings: &QueueSettings, id: JobId, why: &str, now: i64) {
        self.up();
        let Some(job) = self.jobs.get_mut(&id) else { return };
        job.failures = job.failures.saturating_add(1);
        let wait = backoff::doubling(settings.wait_ms, settings.most_wait_ms, job.failures - 1, id);
        let again = job.failures < settings.tries;
        let until = again.then(|| later(now, wait));
        job.state = JobState::Failed { until, why: why.to_owned() };
    }

    /// A job cannot be read: it stays until somebody asks for another try.
    pub fn given_up(&mut self, id: JobId, why: &str) {
        if let Some(job) = self.jobs.get_mut(&id) {
            job.failures = job.failures.saturating_add(1);
            job.state = JobState::Failed { until: None, why: why.to_owned() };
        }
    }

    /// The server is not there: the job waits again, without blame, and the server is left alone for a while.
    pub fn unreachable(&mut self, settings: &QueueSettings, id: JobId, now: i64) {
        let wait = backoff::doubling(settings.wait_ms, settings.most_wait_ms, self.down_times, 0);
        self.down_until = Some(later(now, wait));
        self.down_times = self.down_times.saturating_add(1);
        self.put_back(id);
    }

    /// A job was stopped: it waits again.
    pub fn put_back(&mut self, id: JobId) {
        if let Some(job) = self.jobs.get_mut(&id).filter(|job| job.state == JobState::Running) {
            job.state = JobState::Pending;
        }
    }

    /// What was given up or waits for another try is tried as soon as there is room, and so is the server.
    pub fn retry_all(&mut self) {
        self.up();
        for job in self.jobs.values_mut().filter(|job| matches!(job.state, JobState::Failed { .. })) {
            job.failures = 0;
            job.state = JobState::Pending;
        }
    }

    /// The queue after a restart: what was being read waits again. A server that was not there may be another now.
    pub fn restarted(mut self) -> Self {
        self.up();
        for id in self.jobs.keys().copied().collect::<Vec<_>>() {
            self.put_back(id);
        }
        self
    }

    /// A passage is no more: it is not read. Says whether it was here and not yet being read.
    pub fn forget(&mut self, passage: PassageId) -> bool {
        if !self.held.contains(&passage) {
            return false;
        }
        for gathering in self.gathering.values_mut() {
            if let Some(at) = gathering.turns.iter().position(|turn| turn.id == passage) {
                let turn = gathering.turns.remove(at);
                gathering.tokens = gathering.tokens.saturating_sub(tokens(&turn));
                self.gathering.retain(|_, gathering| !gathering.turns.is_empty());
                return self.held.remove(&passage);
            }
        }
        let waiting = self.jobs.values_mut().filter(|job| job.state != JobState::Running);
        for job in waiting {
            if let Some(at) = job.turns.iter().position(|turn| turn.id == passage) {
                job.turns.remove(at);
                if job.turns.is_empty() {
                    let id = job.id;
                    self.remove(id);
                }
                return self.held.remove(&passage);
            }
        }
        false
    }

    /// The passages that are here.
    pub fn passages(&self) -> impl Iterator<Item = PassageId> {
        self.held.iter().copied()
    }

    /// The conversations that wait for more turns.
    pub fn gathering(&self) -> impl Iterator<Item = &str> {
        self.gathering.keys().map(String::as_str)
    }

    /// The jobs, in the order in which they came to be.
    pub fn jobs(&self) -> impl Iterator<Item = &Job> {
        self.jobs.values()
    }

    /// How many are where.
    pub fn counts(&self) -> QueueCounts {
        let gathering = self.gathering.values().map(|gathering| gathering.turns.len()).sum();
        let mut counts = QueueCounts { gathering, done: self.done, ..QueueCounts::default() };
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

    /// The moment before which nothing is due, in milliseconds: an engine need not look earlier. Nothing, when nothing waits
    /// for a moment.
    pub fn due(&self) -> Option<i64> {
        let jobs = self.jobs.values().filter_map(|job| match &job.state {
            JobState::Pending => Some(i64::MIN),
            JobState::Failed { until, .. } => *until,
            JobState::Running => None,
        });
        jobs.min().map(|due| due.max(self.down_until.unwrap_or(i64::MIN)))
    }

    fn up(&mut self) {
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

fn tokens(turn: &Turn) -> usize {
    turn.text.len().div_ceil(4)
}

fn later(now: i64, wait: std::time::Duration) -> i64 {
    now.saturating_add(i64::try_from(wait.as_millis()).unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests;
