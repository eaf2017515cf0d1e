//! Questions, searches and summaries. Each waits for the vector of its text until its deadline.

use std::{
    collections::BTreeMap,
    sync::{Arc, atomic::AtomicBool},
    time::{Duration, Instant},
};

use hearsay_query::{
    ask::{Answer, Ask},
    search::{Search, SearchResults},
    session::Summarize,
    views::Minds,
};
use hearsay_recall::Summary;

use super::{Worker, encoder::Question, guarded};
use crate::{MemoryError, ModelStatus, ticket::Responder};

enum Asked {
    Ask(Ask, Responder<Answer>),
    Search(Search, Responder<SearchResults>),
    SummaryRequest(Summarize, Responder<Summary>),
}

impl Asked {
    fn is_cancelled(&self) -> bool {
        match self {
            Self::Ask(_, responder) => responder.is_cancelled(),
            Self::Search(_, responder) => responder.is_cancelled(),
            Self::SummaryRequest(_, responder) => responder.is_cancelled(),
        }
    }

    fn cancelled(&self) -> Arc<AtomicBool> {
        match self {
            Self::Ask(_, responder) => responder.cancelled(),
            Self::Search(_, responder) => responder.cancelled(),
            Self::SummaryRequest(_, responder) => responder.cancelled(),
        }
    }
}

struct Waiting {
    asked: Asked,
    since: Instant,
    until: Instant,
}

/// Questions that wait for their vectors.
#[derive(Default)]
pub(super) struct Questions {
    waiting: BTreeMap<u64, Waiting>,
    next: u64,
    pub(super) minds: Minds,
}

/// Maximum time to wait for a vector. Longer times have no effect in practice, and clocks cannot represent times far in
/// the future.
const LONGEST: Duration = Duration::from_secs(24 * 3600);

/// Maximum time for which the worker sleeps when no question waits.
const IDLE: Duration = Duration::from_secs(60);

impl Questions {
    /// Returns the time until the next deadline.
    pub(super) fn patience(&self, now: Instant) -> Duration {
        let next = self.waiting.values().map(|waiting| waiting.until).min();
        next.map_or(IDLE, |until| until.saturating_duration_since(now))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }
}

impl Worker {
    pub(super) fn ask(&mut self, ask: Ask, since: Instant, responder: Responder<Answer>) {
        let (text, deadline) = (ask.question.clone(), ask.deadline);
        self.wait_or_answer(Asked::Ask(ask, responder), text, since, deadline);
    }

    pub(super) fn search(&mut self, search: Search, since: Instant, responder: Responder<SearchResults>) {
        let (text, deadline) = (search.text.clone(), search.deadline);
        self.wait_or_answer(Asked::Search(search, responder), text, since, deadline);
    }

    pub(super) fn summarize(&mut self, compact: Summarize, since: Instant, responder: Responder<Summary>) {
        let (text, deadline) = (compact.question.clone(), compact.deadline);
        self.wait_or_answer(Asked::SummaryRequest(compact, responder), text, since, deadline);
    }

    fn wait_or_answer(&mut self, asked: Asked, text: String, since: Instant, deadline: Option<Duration>) {
        let deadline = deadline.unwrap_or_else(|| self.settings.recall.deadline()).min(LONGEST);
        let until = since + deadline;
        self.questions.next += 1;
        let id = self.questions.next;
        let wants = !text.trim().is_empty() && !matches!(self.model, ModelStatus::None { .. });
        let question = Question { id, text, until, cancelled: asked.cancelled() };
        let waiting = Waiting { asked, since, until };
        let in_time = wants && Instant::now() < until;
        if in_time && self.encoder.as_ref().is_some_and(|encoder| encoder.ask(question)) {
            self.questions.waiting.insert(id, waiting);
        } else {
            self.answer(waiting, None, wants);
        }
    }

    pub(super) fn take_question_vector(&mut self, id: u64, vector: Option<Vec<f32>>) {
        if let Some(waiting) = self.questions.waiting.remove(&id) {
            let cut = vector.is_none();
            self.answer(waiting, vector, cut);
        }
    }

    /// Answers the questions whose deadlines have passed, and drops cancelled questions.
    pub(super) fn answer_late_questions(&mut self) {
        if self.questions.waiting.is_empty() {
            return;
        }
        let now = Instant::now();
        let is_late = |_: &u64, waiting: &mut Waiting| waiting.until <= now || waiting.asked.is_cancelled();
        let late: Vec<_> = self.questions.waiting.extract_if(.., is_late).collect();
        for (_, waiting) in late {
            self.answer(waiting, None, true);
        }
    }

    pub(super) fn answer_without_meaning(&mut self) {
        for (_, waiting) in std::mem::take(&mut self.questions.waiting) {
            self.answer(waiting, None, false);
        }
    }

    /// Answers a question. `cut` tells whether the ranking by meaning is skipped because the vector is missing.
    fn answer(&mut self, waiting: Waiting, vector: Option<Vec<f32>>, cut: bool) {
        let Waiting { asked, since, until } = waiting;
        // If the caller's deadline is later than the hard deadline in the settings, the answer still uses the graph.
        let hard = until.max(since + self.settings.recall.hard_deadline().min(LONGEST));
        let graph = Instant::now() < hard || vector.is_some();
        let pending_vectors = self.pending_vectors();
        let mut cuts = Vec::new();
        cuts.extend(cut.then_some("meaning"));
        cuts.extend((!graph).then_some("graph"));
        let (state, index, minds) = (&self.world.state, &self.index, &mut self.questions.minds);
        match asked {
            Asked::Ask(_, responder) if responder.is_cancelled() => responder.give(Err(MemoryError::Cancelled)),
            Asked::Search(_, responder) if responder.is_cancelled() => responder.give(Err(MemoryError::Cancelled)),
            Asked::SummaryRequest(_, responder) if responder.is_cancelled() => {
                responder.give(Err(MemoryError::Cancelled))
            }
            Asked::Ask(ask, responder) => {
                // Guards the closure, because it runs the caller's token counter.
                let context = guarded(|| {
                    Ok(ask.context(state, index, minds, vector.as_deref(), graph, &self.settings.recall)?)
                });
                let answer =
                    context.map(|context| Answer { context, pending_vectors, cut: cuts, position: state.position() });
                responder.give(answer);
            }
            Asked::Search(search, responder) => {
                responder.give(search.found(state, index, minds, vector.as_deref(), graph).map_err(MemoryError::from))
            }
            Asked::SummaryRequest(compact, responder) => {
                responder.give(guarded(|| Ok(compact.summary(state, index, minds, vector.as_deref())?)));
            }
        }
    }
}
