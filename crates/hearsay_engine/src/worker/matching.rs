//! Matching of spoken lines with recorded facts. Background threads read the line and compute vectors; the worker
//! compares the sentences with the facts of the index.

use hearsay_commands::fact_matching::{FactMatches, LineSentence, SpokenLine};
use hearsay_extract::SentenceEncoder;

use super::{Internal, Worker, guarded};
use crate::{MemoryError, ticket::Responder};

impl Worker {
    /// Reads the sentences of a line on a background thread.
    pub(super) fn match_facts(&mut self, line: SpokenLine, responder: Responder<FactMatches>) {
        let checked = line.check(&self.snapshot.state).map_err(MemoryError::from);
        let resources = match checked.and_then(|_| self.reading_tools()) {
            Ok(resources) => resources.without_model(),
            Err(error) => return responder.give(Err(error)),
        };
        self.run_in_background(move |internal| match guarded(|| Ok(resources.with(|tools| line.sentences(tools)))) {
            Ok(sentences) => {
                let resume = move |worker: &mut Self| worker.compare_line(&line, &sentences, responder);
                let _ = internal.send(Internal::Resume(Box::new(resume)));
            }
            Err(error) => responder.give(Err(error)),
        });
    }

    /// Compares the sentences of a line with the facts that the speaker knows, and answers the caller. If some of these
    /// facts have no vector yet, a background thread computes their vectors first.
    fn compare_line(&mut self, line: &SpokenLine, sentences: &[LineSentence], responder: Responder<FactMatches>) {
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
                        Ok(candidates.decide())
                    }));
                });
            }
            (candidates, _) => responder.give(candidates.map(|candidates| candidates.decide())),
        }
    }
}
