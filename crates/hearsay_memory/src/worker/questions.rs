//! Questions and searches: each waits alone for its vector, up to its deadline.

use std::{
    collections::BTreeMap,
    sync::{Arc, atomic::AtomicBool},
    time::{Duration, Instant},
};

use super::{ModelStatus, Worker, encoder::Question, guarded};
use hearsay_recall::Condensed;

use crate::{Answer, Ask, Compact, Found, MemoryError, Search, mind::Minds, ticket::Responder};

enum Asked {
    Ask(Ask, Responder<Answer>),
    Search(Search, Responder<Found>),
    Condense(Compact, Responder<Condensed>),
}

impl Asked {
    fn is_cancelled(&self) -> bool {
        match self {
            Self::Ask(_, responder) => responder.is_cancelled(),
            Self::Search(_, responder) => responder.is_cancelled(),
            Self::Condense(_, responder) => responder.is_cancelled(),
        }
    }

    fn cancelled(&self) -> Arc<AtomicBool> {
        match self {
            Self::Ask(_, responder) => responder.cancelled(),
            Self::Search(_, responder) => responder.cancelled(),
            Self::Condense(_, responder) => responder.cancelled(),
        }
    }
}

struct Waiting {
    asked: Asked,
    since: Instant,
    until: Instant,
}

/// Questions that wait for their vector.
#[derive(Default)]
pub(super) struct Questions {
    waiting: BTreeMap<u64, Waiting>,
    next: u64,
    minds: Minds,
}

/// A deadline beyond this is as good as none, and clocks cannot count much further.
const LONGEST: Duration = Duration::from_secs(24 * 3600);

/// How long the worker sleeps when nothing is asked.
const IDLE: Duration = Duration::from_secs(60);

impl Questions {
    /// How long until the next deadline.
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

    pub(super) fn search(&mut self, search: Search, since: Instant, responder: Responder<Found>) {
        let (text, deadline) = (search.text.clone(), search.deadline);
        self.wait_or_answer(Asked::Search(search, responder), text, since, deadline);
    }

    pub(super) fn condense(&mut self, compact: Compact, since: Instant, responder: Responder<Condensed>) {
        let (text, deadline) = (compact.question.clone(), compact.deadline);
        self.wait_or_answer(Asked::Condense(compact, responder), text, since, deadline);
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

    /// Answers the questions whose time is up, and lets go of those that nobody waits for.
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

    /// Answers a question with what is there. `cut` says that it goes without the meaning that it was to have.
    fn answer(&mut self, waiting: Waiting, vector: Option<Vec<f32>>, cut: bool) {
        let Waiting { asked, since, until } = waiting;
        // Whoever gave more time than the settings do wants the whole answer.
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
            Asked::Condense(_, responder) if responder.is_cancelled() => responder.give(Err(MemoryError::Cancelled)),
            Asked::Ask(ask, responder) => {
                // The caller's token counter runs here.
                let context =
                    guarded(|| ask.context(state, index, minds, vector.as_deref(), graph, &self.settings.recall));
                let answer =
                    context.map(|context| Answer { context, pending_vectors, cut: cuts, position: state.position() });
                responder.give(answer);
            }
            Asked::Search(search, responder) => {
                responder.give(search.found(state, index, minds, vector.as_deref(), graph))
            }
            Asked::Condense(compact, responder) => {
                responder.give(guarded(|| compact.condensed(state, index, minds, vector.as_deref())));
            }
        }
    }
}
