//! Questions and searches: each waits alone for its vector, up to its deadline.

use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};

use super::{ModelStatus, Worker};
use crate::{Answer, Ask, Hit, MemoryError, Search, ticket::Responder};

enum Asked {
    Ask(Ask, Responder<Answer>),
    Search(Search, Responder<Vec<Hit>>),
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
}

/// How long the worker sleeps when nothing is asked.
const IDLE: Duration = Duration::from_secs(60);

impl Questions {
    /// How long until the next deadline.
    pub(super) fn patience(&self, now: Instant) -> Duration {
        let next = self.waiting.values().map(|waiting| waiting.until).min();
        next.map_or(IDLE, |until| until.saturating_duration_since(now))
    }
}

impl Worker {
    pub(super) fn ask(&mut self, ask: Ask, responder: Responder<Answer>) {
        let (text, deadline) = (ask.question.clone(), ask.deadline);
        self.wait_or_answer(Asked::Ask(ask, responder), &text, deadline);
    }

    pub(super) fn search(&mut self, search: Search, responder: Responder<Vec<Hit>>) {
        let (text, deadline) = (search.text.clone(), search.deadline);
        self.wait_or_answer(Asked::Search(search, responder), &text, deadline);
    }

    fn wait_or_answer(&mut self, asked: Asked, text: &str, deadline: Option<Duration>) {
        let since = Instant::now();
        let until = since + deadline.unwrap_or_else(|| self.settings.recall.deadline());
        self.questions.next += 1;
        let id = self.questions.next;
        let wants = !text.trim().is_empty() && !matches!(self.model, ModelStatus::None { .. });
        let waiting = Waiting { asked, since, until };
        if wants && self.encoder.as_ref().is_some_and(|encoder| encoder.ask(id, text)) {
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

    pub(super) fn answer_late_questions(&mut self) {
        let now = Instant::now();
        while let Some(late) = self.questions.waiting.extract_if(.., |_, waiting| waiting.until <= now).next() {
            self.answer(late.1, None, true);
        }
    }

    pub(super) fn answer_without_meaning(&mut self) {
        for (_, waiting) in std::mem::take(&mut self.questions.waiting) {
            self.answer(waiting, None, false);
        }
    }

    /// Answers a question with what is there. `cut` says that the deadline took its meaning.
    fn answer(&mut self, waiting: Waiting, vector: Option<Vec<f32>>, cut: bool) {
        let Waiting { asked, since, until } = waiting;
        // Whoever gave more time than the settings do wants the whole answer.
        let hard = until.max(since + self.settings.recall.hard_deadline());
        let graph = Instant::now() < hard || vector.is_some();
        let mut cuts = Vec::new();
        cuts.extend(cut.then_some("meaning"));
        cuts.extend((!graph).then_some("graph"));
        let (state, index) = (&self.world.state, &self.index);
        match asked {
            Asked::Ask(_, responder) if responder.is_cancelled() => responder.give(Err(MemoryError::Cancelled)),
            Asked::Search(_, responder) if responder.is_cancelled() => responder.give(Err(MemoryError::Cancelled)),
            Asked::Ask(ask, responder) => {
                let context = ask.context(state, index, vector.as_deref(), graph, &self.settings.recall);
                let answer = context.map(|context| Answer {
                    context,
                    pending_vectors: self.vectors.pending() + self.writes.unindexed(),
                    cut: cuts,
                    position: state.position(),
                });
                responder.give(answer);
            }
            Asked::Search(search, responder) => responder.give(search.hits(state, index, vector.as_deref(), graph)),
        }
    }
}
