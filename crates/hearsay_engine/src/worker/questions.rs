//! Questions, searches and summaries. Each request waits for the vector of its text, at most until its deadline.

use std::{
    collections::BTreeMap,
    sync::{Arc, atomic::AtomicBool},
    time::{Duration, Instant},
};

use hearsay_query::{
    ask::{Answer, AnswerSources, Ask},
    search::{Search, SearchResults},
    session::Summarize,
    views::ViewCache,
};
use hearsay_recall::Summary;

use super::{BuildAsk, Worker, encoder::Question, guarded, replies::ViewLexicons};
use crate::{MemoryError, ModelStatus, ticket::Responder};

enum PendingRequest {
    Ask(Ask, Responder<Answer>),
    Search(Search, Responder<SearchResults>),
    SummaryRequest(Summarize, Responder<Summary>),
}

impl PendingRequest {
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

struct WaitingRequest {
    request: PendingRequest,
    since: Instant,
    deadline: Instant,
}

/// Questions that wait for their vectors.
#[derive(Default)]
pub(super) struct Questions {
    waiting: BTreeMap<u64, WaitingRequest>,
    next: u64,
    pub(super) view_cache: ViewCache,
    pub(super) lexicons: ViewLexicons,
}

/// Maximum time to wait for a vector. Longer times have no effect in practice, and clocks cannot represent times far in
/// the future.
const MAX_WAIT: Duration = Duration::from_secs(24 * 3600);

/// Maximum time for which the worker sleeps when no question waits.
const IDLE_WAIT: Duration = Duration::from_secs(60);

impl Questions {
    /// Returns the time until the next deadline.
    pub(super) fn time_until_due(&self, now: Instant) -> Duration {
        let next = self.waiting.values().map(|waiting| waiting.deadline).min();
        next.map_or(IDLE_WAIT, |deadline| deadline.saturating_duration_since(now))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }
}

impl Worker {
    pub(super) fn ask(&mut self, build_ask: BuildAsk, since: Instant, responder: Responder<Answer>) {
        let ask = match guarded(|| build_ask(&self.snapshot)) {
            Ok(ask) => ask,
            Err(error) => return responder.give(Err(error)),
        };
        let (text, deadline) = (ask.question.clone(), ask.deadline);
        self.wait_or_answer(PendingRequest::Ask(ask, responder), text, since, deadline);
    }

    pub(super) fn search(&mut self, search: Search, since: Instant, responder: Responder<SearchResults>) {
        let (text, deadline) = (search.text.clone(), search.deadline);
        self.wait_or_answer(PendingRequest::Search(search, responder), text, since, deadline);
    }

    pub(super) fn summarize(&mut self, summarize_request: Summarize, since: Instant, responder: Responder<Summary>) {
        let (text, deadline) = (summarize_request.question.clone(), summarize_request.deadline);
        self.wait_or_answer(PendingRequest::SummaryRequest(summarize_request, responder), text, since, deadline);
    }

    fn wait_or_answer(&mut self, request: PendingRequest, text: String, since: Instant, deadline: Option<Duration>) {
        let deadline = deadline.unwrap_or_else(|| self.settings.recall.deadline()).min(MAX_WAIT);
        let due_at = since + deadline;
        self.questions.next += 1;
        let id = self.questions.next;
        let needs_vector = !text.trim().is_empty() && !matches!(self.model, ModelStatus::None { .. });
        let question = Question { id, text, deadline: due_at, cancelled: request.cancelled() };
        let waiting = WaitingRequest { request, since, deadline: due_at };
        let has_time = needs_vector && Instant::now() < due_at;
        if has_time && self.encoder.as_ref().is_some_and(|encoder| encoder.ask(question)) {
            self.questions.waiting.insert(id, waiting);
        } else {
            self.answer(waiting, None, needs_vector);
        }
    }

    pub(super) fn take_question_vector(&mut self, id: u64, vector: Option<Vec<f32>>) {
        if let Some(waiting) = self.questions.waiting.remove(&id) {
            let is_meaning_skipped = vector.is_none();
            self.answer(waiting, vector, is_meaning_skipped);
        }
    }

    /// Answers the questions whose deadlines have passed, and drops cancelled questions.
    pub(super) fn answer_late_questions(&mut self) {
        if self.questions.waiting.is_empty() {
            return;
        }
        let now = Instant::now();
        let is_late = |_: &u64, waiting: &mut WaitingRequest| waiting.deadline <= now || waiting.request.is_cancelled();
        let late_questions: Vec<_> = self.questions.waiting.extract_if(.., is_late).collect();
        for (_, waiting) in late_questions {
            self.answer(waiting, None, true);
        }
    }

    pub(super) fn answer_without_meaning(&mut self) {
        for (_, waiting) in std::mem::take(&mut self.questions.waiting) {
            self.answer(waiting, None, false);
        }
    }

    /// Answers a question. If `is_meaning_skipped` is `true`, the ranking by meaning is skipped because the vector is
    /// missing.
    fn answer(&mut self, waiting: WaitingRequest, vector: Option<Vec<f32>>, is_meaning_skipped: bool) {
        let WaitingRequest { request, since, deadline } = waiting;
        // If the caller's deadline is later than the hard deadline in the settings, the answer still uses the graph.
        let hard_deadline = deadline.max(since + self.settings.recall.hard_deadline().min(MAX_WAIT));
        let use_graph = Instant::now() < hard_deadline || vector.is_some();
        let pending_vectors = self.pending_vectors();
        let mut skipped = Vec::new();
        skipped.extend(is_meaning_skipped.then_some("meaning"));
        skipped.extend((!use_graph).then_some("graph"));
        let (state, index, view_cache) = (&self.snapshot.state, &self.index, &mut self.questions.view_cache);
        match request {
            PendingRequest::Ask(_, responder) if responder.is_cancelled() => {
                responder.give(Err(MemoryError::Cancelled))
            }
            PendingRequest::Search(_, responder) if responder.is_cancelled() => {
                responder.give(Err(MemoryError::Cancelled))
            }
            PendingRequest::SummaryRequest(_, responder) if responder.is_cancelled() => {
                responder.give(Err(MemoryError::Cancelled))
            }
            PendingRequest::Ask(ask, responder) => {
                let sources = AnswerSources { state, index, reveals: self.reveals.fulfilled() };
                // Guards the closure, because it runs the caller's token counter.
                let context = guarded(|| {
                    Ok(ask.context(&sources, view_cache, vector.as_deref(), use_graph, &self.settings.recall)?)
                });
                let answer = context.map(|context| Answer {
                    context,
                    pending_vectors,
                    cut: skipped,
                    position: state.position(),
                });
                responder.give(answer);
            }
            PendingRequest::Search(search, responder) => responder.give(
                search.results(state, index, view_cache, vector.as_deref(), use_graph).map_err(MemoryError::from),
            ),
            PendingRequest::SummaryRequest(summarize_request, responder) => {
                responder
                    .give(guarded(|| Ok(summarize_request.summary(state, index, view_cache, vector.as_deref())?)));
            }
        }
    }
}
