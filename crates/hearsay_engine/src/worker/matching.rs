//! Matching of spoken lines and narration with recorded facts. Background threads read the line and compute vectors;
//! the worker compares the sentences with the facts of the index. A background thread also reads the sentences of game
//! events.

use std::sync::Arc;

use hearsay_commands::{
    deeds::{may_state_deed, with_deeds},
    fact_matching::{FactMatches, LineSentence, SpokenLine},
    game_event::GameEvent,
    line_reading::{LineReading, UnrecordedLine},
};
use hearsay_extract::SentenceEncoder;

use super::{Internal, Worker, guarded};
use crate::{MemoryError, ticket::Responder};

impl Worker {
    /// Finds on a background thread the deeds that the sentences of an event state.
    pub(super) fn find_deeds(&mut self, event: GameEvent, responder: Responder<GameEvent>) {
        if !may_state_deed(&event) {
            return responder.give(Ok(event));
        }
        let resources = match self.reading_tools() {
            Ok(resources) => resources,
            Err(error) => return responder.give(Err(error)),
        };
        let vocabulary = Arc::clone(self.snapshot.state.vocabulary());
        self.run_in_background(move |_| {
            responder.give(guarded(|| Ok(resources.with(|tools| with_deeds(event, &vocabulary, tools)))));
        });
    }

    /// Decides on a background thread which kind of talk a line is, and then finds the facts that the line states.
    pub(super) fn read_line(&mut self, line: UnrecordedLine, responder: Responder<LineReading>) {
        let named = line.with_named_speaker(&self.snapshot.state).map_err(MemoryError::from);
        let (line, speaker_kind, resources) = match named.and_then(|named| Ok((named, self.reading_tools()?))) {
            Ok(((line, speaker_kind), resources)) => (line, speaker_kind, resources),
            Err(error) => return responder.give(Err(error)),
        };
        self.run_in_background(move |internal| {
            let talk_kind = match guarded(|| Ok(resources.with(|tools| line.talk_kind(speaker_kind, tools)))) {
                Ok(talk_kind) => talk_kind,
                Err(error) => return responder.give(Err(error)),
            };
            let Some(spoken) = line.spoken_line(talk_kind) else {
                return responder.give(Ok(line.into_reading(talk_kind, FactMatches::default())));
            };
            let resume = move |worker: &mut Self| {
                worker.match_facts(spoken, responder, move |facts| line.into_reading(talk_kind, facts));
            };
            let _ = internal.send(Internal::Resume(Box::new(resume)));
        });
    }

    /// Reads the sentences of a line on a background thread. Answers the caller with the facts that the line states,
    /// after `convert` has converted them.
    pub(super) fn match_facts<T: Send + 'static>(
        &mut self,
        line: SpokenLine,
        responder: Responder<T>,
        convert: impl FnOnce(FactMatches) -> T + Send + 'static,
    ) {
        let checked = line.check(&self.snapshot.state).map_err(MemoryError::from);
        let resources = match checked.and_then(|_| self.reading_tools()) {
            // For narration, the reading model finds the facts that the line states.
            Ok(resources) if line.speaker.is_none() => resources,
            Ok(resources) => resources.without_model(),
            Err(error) => return responder.give(Err(error)),
        };
        self.run_in_background(move |internal| match guarded(|| Ok(resources.with(|tools| line.sentences(tools)))) {
            Ok(sentences) => {
                let resume = move |worker: &mut Self| worker.compare_line(&line, &sentences, responder, convert);
                let _ = internal.send(Internal::Resume(Box::new(resume)));
            }
            Err(error) => responder.give(Err(error)),
        });
    }

    /// Compares the sentences of a line with the facts that the line can state, and answers the caller. If some of these
    /// facts have no vector yet, a background thread computes their vectors first.
    fn compare_line<T: Send + 'static>(
        &mut self,
        line: &SpokenLine,
        sentences: &[LineSentence],
        responder: Responder<T>,
        convert: impl FnOnce(FactMatches) -> T + Send + 'static,
    ) {
        if responder.is_cancelled() {
            return responder.give(Err(MemoryError::Cancelled));
        }
        let resources = match self.reading_tools() {
            Ok(resources) => resources.without_model(),
            Err(error) => return responder.give(Err(error)),
        };
        let encoder = resources.sentence_encoder();
        let (state, index, view_cache) = (&self.snapshot.state, &self.index, &mut self.questions.view_cache);
        let candidates = guarded(|| {
            let moment = line.check(state)?;
            Ok(resources.with(|tools| line.candidates(state, index, view_cache, moment, tools, sentences)))
        });
        match (candidates, encoder) {
            (Ok(mut candidates), Some(encoder)) if !candidates.statements_without_vector().is_empty() => {
                self.run_in_background(move |_| {
                    responder.give(guarded(|| {
                        let vectors = encoder.vectors(&candidates.statements_without_vector());
                        candidates.add_vectors(&vectors.unwrap_or_default());
                        Ok(convert(candidates.decide()))
                    }));
                });
            }
            (candidates, _) => responder.give(candidates.map(|candidates| convert(candidates.decide()))),
        }
    }
}
