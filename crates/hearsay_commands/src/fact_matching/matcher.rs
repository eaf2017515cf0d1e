//! Comparison of the sentences of a line with the facts of a view.

use std::collections::BTreeSet;

use hearsay_belief::{Known, View};
use hearsay_extract::{ExtractedFact, FactObject, Mention, SpokenSentence, Text, TextType};
use hearsay_model::{Author, EntityId, Fact, FactStatus, Object, State, Validity};
use hearsay_query::{
    duplicates::{Claim, is_equivalent, is_reworded, states_same},
    facts::is_secret,
    views::CachedView,
};
use hearsay_recall::{Index, LinkedEntity, Query, Ranking, Weights, stems};

use super::{
    Candidate, FactMatch, LineSentence, SpokenLine,
    agreement::{Agreement, EntityAgreement},
    score::MatchScore,
};
use crate::reading::ReadingTools;

/// Maximum number of facts that are compared with one sentence.
const MAX_CANDIDATES: usize = 12;

/// Minimum number of words and entities that a sentence has in common with a fact that the speaker does not know.
const MIN_SHARED_WITH_UNKNOWN: usize = 3;

/// Maximum number of lies of the speaker that a line marked as a lie possibly tells in other words.
const MAX_LIKELY_LIES: usize = 2;

/// Compares the sentences of a line with the facts that the line can state.
pub(super) struct SentenceMatcher<'a> {
    line: &'a SpokenLine,
    state: &'a State,
    index: &'a Index,
    cached_view: &'a CachedView,
    /// View of the speaker, if only facts that the speaker does not know are compared. `cached_view` is then the view of
    /// the DM.
    speaker_view: Option<&'a View>,
    tools: &'a ReadingTools<'a>,
    /// Entities that any sentence of the line names.
    named_in_line: BTreeSet<EntityId>,
}

impl<'a> SentenceMatcher<'a> {
    /// Creates a matcher for the facts of a view.
    pub(super) fn new(
        line: &'a SpokenLine,
        state: &'a State,
        index: &'a Index,
        cached_view: &'a CachedView,
        tools: &'a ReadingTools<'a>,
    ) -> Self {
        let named_in_line =
            cached_view.names.mentioned_entities(&line.text).into_iter().map(|named| named.id).collect();
        Self { line, state, index, cached_view, speaker_view: None, tools, named_in_line }
    }

    /// Compares only facts that the speaker does not know.
    pub(super) fn without_facts_of(self, speaker_view: &'a View) -> Self {
        Self { speaker_view: Some(speaker_view), ..self }
    }

    /// Returns whether a sentence can state a fact. Only facts that matter if they are told are compared with a run of
    /// sentences or the content of a sentence (`must_matter`), and with a speaker who does not know them.
    fn can_state(&self, known: &Known, must_matter: bool) -> bool {
        let view = &self.cached_view.view;
        let is_minor = view.vocabulary().behavior(known.predicate()).minor;
        let is_compared = match self.speaker_view {
            Some(speaker) => speaker.fact(known.id()).is_none() && self.matters(known),
            None => !must_matter || self.matters(known),
        };
        is_compared
            && !is_minor
            && !known.is_name()
            && !view.is_superseded(known.id())
            && self.line.can_state(self.state, known)
    }

    /// Returns whether it matters who knows a fact: a secret, a lie or a rumour.
    fn matters(&self, known: &Known) -> bool {
        self.state.fact(known.id()).is_some_and(|fact| match fact.status() {
            FactStatus::False => true,
            FactStatus::Claimed if fact.provenance().author != Author::Extractor => true,
            _ => is_secret(self.state, fact),
        })
    }

    /// Returns the facts that a sentence possibly states.
    pub(super) fn candidates(&self, line_sentence: &LineSentence) -> Vec<Candidate> {
        let LineSentence { sentence, vector, extracted, .. } = line_sentence;
        let CachedView { view, names, .. } = self.cached_view;
        let named: Vec<LinkedEntity> = names.mentioned_entities(&sentence.text);
        let query = Query {
            text: &sentence.text,
            vector: vector.as_deref(),
            named: named.clone(),
            graph: false,
            scope: None,
            weights: Weights::default(),
            now: None,
        };
        let mut ranking = Ranking::new(view, self.index, &query);
        let ranked =
            ranking.facts(MAX_CANDIDATES, |known| self.can_state(known, line_sentence.states_only_what_matters()));
        let session_place = || self.state.active_session().and_then(|playing| playing.place.as_ref());
        let place = self.line.place.as_ref().or_else(session_place);
        let candidates = ranked.into_iter().filter_map(|ranked| {
            let hearsay_recall::DocId::Fact(id) = ranked.doc else { return None };
            let known = view.fact(id)?;
            let entities = EntityAgreement {
                state: self.state,
                cached_view: self.cached_view,
                speaker: self.line.speaker.as_ref(),
                sentence,
                line_text: &self.line.text,
                named: &named,
                named_in_line: &self.named_in_line,
                place,
            };
            let mut agreement = entities.with_fact(known)?;
            let name_stems = entities.name_stems(known);
            let score = MatchScore::new(&sentence.text, known.statement(), &name_stems);
            let cosine = ranked.explanation.cosine;
            let score = MatchScore { cosine, ..score };
            let is_narrated = score.may_be_narrated() && entities.narrates(known);
            let is_own_secret = self.is_own_secret(known);
            let is_retold = self.is_own_matter(known)
                && entities.persons_of_retold_fact(known).is_some_and(|persons| score.may_be_retold(persons));
            if self.speaker_view.is_some()
                && score.shared_words + entities.named_in_fact(known) < MIN_SHARED_WITH_UNKNOWN
            {
                return None;
            }
            // Reading the statement takes longer than the other comparisons, so it comes last.
            let is_similar = is_narrated || score.may_be_possible(is_own_secret, is_retold);
            let is_certain_polarity =
                is_similar.then(|| self.same_polarity(sentence, known.statement(), &name_stems))??;
            if agreement == Agreement::Full && score.is_complete() && !entities.has_same_roles(known) {
                agreement = Agreement::Partial;
            }
            Some(Candidate {
                fact: self.fact_match(known),
                score,
                agreement,
                is_doubtful: sentence.is_doubtful || !is_certain_polarity,
                has_pronoun: sentence.pronoun_count > 0,
                is_extracted: false,
                is_narrated,
                is_own_secret,
                is_retold,
                missing_vector: vector.clone().filter(|_| cosine.is_none()),
            })
        });
        extracted.iter().flat_map(|fact| self.extracted_candidates(sentence, fact)).chain(candidates).collect()
    }

    /// Returns whether a fact is a secret that the speaker knows.
    fn is_own_secret(&self, known: &Known) -> bool {
        self.is_own_matter(known) && self.state.fact(known.id()).is_some_and(|fact| is_secret(self.state, fact))
    }

    /// Returns whether a fact is a secret, a lie or a rumour that the speaker knows.
    fn is_own_matter(&self, known: &Known) -> bool {
        self.line.speaker.is_some() && self.speaker_view.is_none() && self.matters(known)
    }

    /// Returns the lies of the speaker that share a word other than a name with the line, most similar first. If the
    /// speaker has only one lie, returns this lie unless the line names an entity that is not in the lie.
    pub(super) fn likely_lies(&self) -> Vec<FactMatch> {
        let view = &self.cached_view.view;
        let is_lie = |known: &&Known| {
            let is_fact = !known.is_name() && !view.is_superseded(known.id());
            is_fact && known.is_disbelieved() && self.line.can_state(self.state, known)
        };
        let scored = view.facts().filter(is_lie).map(|known| {
            let names = known.entities().flat_map(|id| self.state.names(id)).flat_map(stems).collect();
            (MatchScore::new(&self.line.text, known.statement(), &names), known)
        });
        let mut lies: Vec<(MatchScore, &Known)> = scored.collect();
        let (is_only, speaker) = (lies.len() == 1, self.line.speaker.as_ref());
        lies.retain(|(score, known)| {
            let has_entity = |id: &EntityId| Some(id) == speaker || known.entities().any(|other| other == id);
            score.shared_words > 0 || is_only && self.named_in_line.iter().all(has_entity)
        });
        lies.sort_by(|(a, one), (b, other)| {
            b.shared_of_fact.total_cmp(&a.shared_of_fact).then_with(|| one.id().cmp(&other.id()))
        });
        let mut contents: Vec<&Fact> = Vec::new();
        lies.retain(|(_, known)| {
            let Some(fact) = self.state.fact(known.id()) else { return false };
            let is_new = !contents.iter().any(|other| has_same_content(self.state, other, fact));
            contents.push(fact);
            is_new
        });
        lies.truncate(MAX_LIKELY_LIES);
        lies.into_iter().map(|(score, known)| FactMatch { score: score.value(), ..self.fact_match(known) }).collect()
    }

    /// Returns the recorded facts with the same content as an extracted fact.
    fn extracted_candidates(&self, sentence: &SpokenSentence, extracted: &ExtractedFact) -> Vec<Candidate> {
        let object = match &extracted.object {
            FactObject::Value(value) => Object::Value(value.as_str().into()),
            FactObject::Entity(Mention::Known(id)) => Object::Entity(id.clone()),
            FactObject::Entity(Mention::New(_)) => return Vec::new(),
        };
        let Mention::Known(subject) = &extracted.subject else { return Vec::new() };
        if extracted.denied || extracted.ended {
            return Vec::new();
        }
        let vocabulary = self.state.vocabulary();
        let parts = (subject, &extracted.predicate, &object);
        let claim = Claim::new(vocabulary, parts, &extracted.statement, &Validity::default());
        let is_same = |known: &&Known| {
            let recorded = self.state.fact(known.id());
            recorded.is_some_and(|fact| is_equivalent(vocabulary, (&claim, &extracted.statement), fact))
        };
        let known = self.cached_view.view.facts_about(claim.subject());
        let same = known.filter(|known| self.line.can_state(self.state, known)).filter(is_same);
        let candidate = |known: &Known| Candidate {
            fact: self.fact_match(known),
            score: MatchScore::new(&sentence.text, known.statement(), &BTreeSet::new()),
            agreement: Agreement::Full,
            is_doubtful: sentence.is_doubtful,
            has_pronoun: sentence.pronoun_count > 0,
            is_extracted: true,
            is_narrated: false,
            is_own_secret: false,
            is_retold: false,
            missing_vector: None,
        };
        same.map(candidate).collect()
    }

    fn fact_match(&self, known: &Known) -> FactMatch {
        FactMatch {
            fact: known.id(),
            handle: self.state.fact(known.id()).and_then(|fact| fact.handle().map(str::to_owned)),
            statement: known.statement().to_owned(),
            score: 0.0,
            lie: self.line.speaker.is_some() && self.speaker_view.is_none() && known.is_disbelieved(),
            unknown_to_speaker: self.speaker_view.is_some(),
        }
    }

    /// Compares a sentence and a fact in negation, and in whether they state that something has ended. Returns `None` if
    /// they differ. Returns `false` if they agree only without a remark at the end of the sentence that shares no word
    /// with the fact: "Odo was at sea that night, so it can't have been him."
    fn same_polarity(&self, sentence: &SpokenSentence, statement: &str, name_stems: &BTreeSet<String>) -> Option<bool> {
        let expected = self.polarity(statement);
        if (sentence.is_negated, sentence.is_ended) == expected {
            return Some(true);
        }
        let words: BTreeSet<String> = stems(statement).into_iter().filter(|stem| !name_stems.contains(stem)).collect();
        let is_shared = |text: &str| stems(text).iter().any(|stem| words.contains(stem));
        let commas = sentence.text.match_indices([',', ';', '\u{2014}']).map(|(at, _)| at);
        let (before, _) = commas.map(|at| sentence.text.split_at(at)).find(|(_, remark)| !is_shared(remark))?;
        (self.polarity(before) == expected).then_some(false)
    }

    /// Returns whether a text is negated, and whether it states that something has ended.
    fn polarity(&self, text: &str) -> (bool, bool) {
        let text = Text::new(text, TextType::Lore);
        let stated = self.tools.extractor.spoken_sentences(self.tools.lexicon, &text);
        (stated.iter().any(|stated| stated.is_negated), stated.iter().any(|stated| stated.is_ended))
    }
}

/// Returns whether two facts have the same content, in the same or in other words.
pub(super) fn has_same_content(state: &State, fact: &Fact, other: &Fact) -> bool {
    states_same(state, fact, other) || is_reworded(state, fact, other) || is_reworded(state, other, fact)
}
