//! Checks of replies. Background threads read the draft and compute vectors; the worker compares the draft with the
//! facts of the index.

use std::sync::{Arc, Weak};

use hearsay_belief::revealable_facts;
use hearsay_commands::reply::{DraftReading, DraftReply, ReplyCheck, ReplySources, view_lexicon};
use hearsay_extract::{Lexicon, SentenceEncoder};
use hearsay_model::Knower;
use hearsay_query::{ids::require_entities, views::CachedView};

use super::{Internal, Worker, guarded, models::EntailmentResource, reading::ReadingResources};
use crate::{MemoryError, ticket::Responder};

/// Maximum number of views whose names are kept for the next reply.
const MAX_LEXICONS: usize = 16;

/// The names in views, each with their [identity](CachedView::names_identity).
#[derive(Default)]
pub(super) struct ViewLexicons(Vec<(Weak<()>, Arc<Lexicon>)>);

impl ViewLexicons {
    /// Returns the names in a view. Collects them if they changed since the last call.
    fn get_or_collect(&mut self, view: &CachedView) -> Arc<Lexicon> {
        self.0.retain(|(identity, _)| identity.strong_count() > 0);
        let identity = Arc::downgrade(&view.names_identity);
        if let Some((_, lexicon)) = self.0.iter().find(|(other, _)| other.ptr_eq(&identity)) {
            return Arc::clone(lexicon);
        }
        let lexicon = Arc::new(view_lexicon(view));
        if self.0.len() == MAX_LEXICONS {
            self.0.remove(0);
        }
        self.0.push((identity, Arc::clone(&lexicon)));
        lexicon
    }
}

impl Worker {
    /// Compares a draft with the facts that its speaker knows. A background thread reads the draft first.
    pub(super) fn check_reply(&mut self, draft: DraftReply, responder: Responder<ReplyCheck>) {
        let (view, resources) = match self.reply_resources(&draft) {
            Ok(found) => found,
            Err(error) => return responder.give(Err(error)),
        };
        let state = &self.snapshot.state;
        let dm_view = draft.for_dm.then(|| self.questions.view_cache.get_or_compute(state, None, None));
        self.run_in_background(move |internal| {
            let dm_names = dm_view.as_ref().map(|dm_view| &dm_view.names);
            match guarded(|| Ok(resources.with(|tools| draft.read(tools, &view, dm_names))?)) {
                Ok(reading) => {
                    let resume = move |worker: &mut Self| worker.compare_reply(&draft, reading, responder);
                    let _ = internal.send(Internal::Resume(Box::new(resume)));
                }
                Err(error) => responder.give(Err(error)),
            }
        });
    }

    /// Compares a draft that was read with the facts of the index. A background thread computes the vectors that facts
    /// lack, and compares the draft with the likeliest facts with the entailment model.
    fn compare_reply(&mut self, draft: &DraftReply, reading: DraftReading, responder: Responder<ReplyCheck>) {
        if responder.is_cancelled() {
            return responder.give(Err(MemoryError::Cancelled));
        }
        let (view, resources) = match self.reply_resources(draft) {
            Ok(resources) => resources,
            Err(error) => return responder.give(Err(error)),
        };
        let encoder = resources.sentence_encoder();
        let revealable = revealable_facts(self.reveals.fulfilled(), &draft.speaker);
        let (state, index) = (&self.snapshot.state, &self.index);
        let needs_dm_view = draft.for_dm && reading.has_new_names();
        let dm_view = needs_dm_view.then(|| self.questions.view_cache.get_or_compute(state, None, None));
        let dm_names = dm_view.as_ref().map(|dm_view| &dm_view.names);
        let candidates = guarded(|| {
            Ok(resources.with(|tools| {
                let sources = ReplySources { state, index, view: &view, revealable: &revealable, tools, dm_names };
                draft.candidates(&sources, reading)
            }))
        });
        let entailment = self.readings.entailment();
        let mut candidates = match candidates {
            Ok(candidates) => candidates,
            Err(error) => return responder.give(Err(error)),
        };
        self.run_in_background(move |_| {
            responder.give(guarded(|| {
                if let Some(encoder) = encoder.filter(|_| !candidates.statements_without_vector().is_empty()) {
                    let vectors = encoder.vectors(&candidates.statements_without_vector());
                    candidates.add_vectors(&vectors.unwrap_or_default());
                }
                if let Some(model) = entailment.as_ref().and_then(EntailmentResource::model) {
                    candidates.judge(model);
                }
                Ok(candidates.decide())
            }));
        });
    }

    /// Returns the view of the speaker of a draft, and the tools for reading the draft with the names in this view.
    fn reply_resources(&mut self, draft: &DraftReply) -> Result<(Arc<CachedView>, ReadingResources), MemoryError> {
        let resources = self.reading_tools()?.without_model();
        let (state, questions) = (&self.snapshot.state, &mut self.questions);
        require_entities(state, std::iter::once(&draft.speaker).chain(&draft.listeners))?;
        let speaker = Knower::Entity(draft.speaker.clone());
        let view = questions.view_cache.get_or_compute(state, Some(&speaker), None);
        let lexicon = questions.lexicons.get_or_collect(&view);
        Ok((view, resources.with_lexicon(lexicon)))
    }
}
