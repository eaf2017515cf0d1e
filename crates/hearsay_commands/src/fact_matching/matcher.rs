//! Comparison of the sentences of a line with the facts of a view.

use std::{
    cell::{LazyCell, OnceCell},
    collections::BTreeSet,
};

use hearsay_belief::{Known, View};
use hearsay_extract::{ExtractedFact, SpokenSentence, Text, TextType};
use hearsay_model::{Author, EntityId, ExtractionStage, Fact, FactStatus, State, Validity};
use hearsay_query::{
    duplicates::{Claim, canonical_relation, is_equivalent, is_reworded, states_same},
    facts::is_secret,
    views::CachedView,
};
use hearsay_recall::{Index, LinkedEntity, Query, Ranking, Rankings, Weights, stems};

use super::{
    Candidate, FactMatch, LineSentence, SpokenLine,
    agreement::{Agreement, Deed, EntityAgreement},
    score::MatchScore,
};
use crate::reading::ReadingTools;

/// Maximum number of facts that are compared with one sentence.
const MAX_CANDIDATES: usize = 12;

/// Minimum number of words and entities that a sentence has in common with a fact that the speaker does not know, and that
/// a clause of narration has in common with a secret.
const MIN_SHARED_WITH_UNKNOWN: usize = 3;

/// Minimum confidence of an extracted relation that is compared with the relations of secrets, lies and rumours.
const MIN_RELATION_CONFIDENCE: f64 = 0.5;

/// Maximum number of open facts that are compared with one sentence.
const MAX_OPEN: usize = 4;

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
    /// View of the DM, if a sentence can hint at a secret, and the rankings of its facts, which few lines need.
    open_facts: Option<(&'a View, OnceCell<Rankings<'a>>)>,
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
        Self { line, state, index, cached_view, speaker_view: None, open_facts: None, tools, named_in_line }
    }

    /// Compares only facts that the speaker does not know.
    pub(super) fn without_facts_of(self, speaker_view: &'a View) -> Self {
        Self { speaker_view: Some(speaker_view), ..self }
    }

    /// Also finds secrets at which a sentence only hints. `dm_view` is the view of the DM, with whose open facts the sentence
    /// is compared.
    pub(super) fn with_open_facts_of(self, dm_view: Option<&'a CachedView>) -> Self {
        let open_facts = dm_view.map(|dm_view| (&dm_view.view, OnceCell::new()));
        Self { open_facts, ..self }
    }

    /// Returns the highest cosine of a sentence and an open fact of the campaign. Returns `None` if the sentence cannot hint
    /// at a secret: only the DM can decide what a run of sentences says.
    fn open_cosine(&self, line_sentence: &LineSentence) -> Option<f32> {
        let (view, rankings) = self.open_facts.as_ref()?;
        let vector = line_sentence.vector.as_deref().filter(|_| !line_sentence.is_run())?;
        let text = line_sentence.sentence.text.as_str();
        let query = Query { text, vector: Some(vector), weights: Weights::MEANING, ..Query::default() };
        let is_open = |known: &Known| !known.is_name() && !view.is_superseded(known.id()) && !self.matters(known);
        let rankings = rankings.get_or_init(|| Rankings::new(view, self.index, None));
        let nearest = rankings.ranking(&query).facts(MAX_OPEN, is_open);
        Some(nearest.iter().filter_map(|ranked| ranked.explanation.cosine).fold(0.0, f32::max))
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
        let open_cosine = LazyCell::new(|| self.open_cosine(line_sentence));
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
            let is_own_secret = self.is_own_secret(known);
            let is_uncovered = self.line.speaker.is_none() && entities.uncovers(known);
            let mut agreement = entities.with_fact(known).or_else(|| is_uncovered.then_some(Agreement::Partial))?;
            let name_stems = entities.name_stems(known);
            let is_about_own_secret = is_own_secret && entities.names_no_other(known);
            let is_admitted = is_about_own_secret && entities.admits(known, &name_stems);
            let is_rephrased = is_about_own_secret
                && !sentence.is_doubtful
                && (entities.uncovers(known) || entities.rephrases(known, &name_stems));
            let score = MatchScore::new(&sentence.text, known.statement(), &name_stems);
            let cosine = ranked.explanation.cosine;
            let score = MatchScore { cosine, ..score };
            let is_narrated = is_uncovered || (score.may_be_narrated() && entities.narrates(known));
            let is_reworded = is_narrated || is_admitted || is_rephrased;
            let is_retold = self.is_own_matter(known)
                && entities.persons_of_retold_fact(known).is_some_and(|persons| score.may_be_retold(persons));
            let is_hint = match self.line.speaker {
                Some(_) => is_own_secret && score.may_hint(),
                None => {
                    let min_words = if entities.is_said_at_place_of(known) { 1 } else { 2 };
                    score.may_hint_in_narration(min_words) && entities.names_no_other(known)
                }
            };
            let open_cosine = is_hint.then(|| *open_cosine).flatten();
            let is_narrated_clause = self.line.speaker.is_none() && line_sentence.is_part;
            if (self.speaker_view.is_some() || is_narrated_clause)
                && score.shared_words + entities.named_in_fact(known) < MIN_SHARED_WITH_UNKNOWN
            {
                return None;
            }
            // Reading the statement takes longer than the other comparisons, so it comes last.
            let is_similar = is_reworded || open_cosine.is_some() || score.may_be_possible(is_own_secret, is_retold);
            let same_polarity = is_similar.then(|| self.same_polarity(sentence, known.statement(), &name_stems))?;
            // "It was me. The Doge never signed that testament" denies something else than "Odo forged the Doge's will".
            let denies_other = is_admitted && !score.has_first_word;
            let is_certain_polarity = same_polarity.or_else(|| denies_other.then_some(false))?;
            if self.tells_of_others(&entities, extracted, known) {
                return None;
            }
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
                is_reworded,
                is_own_secret,
                is_retold,
                open_cosine,
                missing_vector: vector.clone().filter(|_| cosine.is_none()),
            })
        });
        // Only narration certainly states what the extraction finds in it.
        let same = extracted.iter().filter(|_| self.line.speaker.is_none());
        let same = same.flat_map(|fact| self.extracted_candidates(sentence, fact));
        // The whole sentence contains the relations of its parts.
        let relations = extracted.iter().filter(|_| !line_sentence.states_only_what_matters());
        let reworded = relations.flat_map(|fact| self.reworded_candidates(sentence, fact));
        same.chain(reworded).chain(candidates).collect()
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
        let parts = extracted.known_parts().filter(|_| !extracted.denied && !extracted.ended);
        let Some((subject, object)) = parts else { return Vec::new() };
        let vocabulary = self.state.vocabulary();
        let parts = (subject, &extracted.predicate, &object);
        let claim = Claim::new(vocabulary, parts, &extracted.statement, &Validity::default());
        let is_same = |known: &&Known| {
            let recorded = self.state.fact(known.id());
            recorded.is_some_and(|fact| is_equivalent(vocabulary, (&claim, &extracted.statement), fact))
        };
        let known = self.cached_view.view.facts_about(claim.subject());
        let same = known.filter(|known| self.line.can_state(self.state, known)).filter(is_same);
        same.map(|known| Candidate { is_extracted: true, ..self.candidate_of_relation(sentence, known) }).collect()
    }

    /// Returns the secrets, lies and rumours whose sentence states an extracted relation in other words: "Renzo is secretly
    /// married to Pia" for "Pia is my wife".
    fn reworded_candidates(&self, sentence: &SpokenSentence, extracted: &ExtractedFact) -> Vec<Candidate> {
        let Some(relation) = self.relation(extracted) else { return Vec::new() };
        let vocabulary = self.state.vocabulary();
        let known = || self.cached_view.view.facts_about(relation.subject());
        // A relation that is also recorded as an open fact is no secret.
        let is_open = |fact: &Fact| {
            let is_canon = fact.status() == FactStatus::Canon && !is_secret(self.state, fact);
            is_canon && Claim::from_fact(vocabulary, fact) == relation
        };
        if known().filter_map(|known| self.state.fact(known.id())).any(|fact| is_open(fact)) {
            return Vec::new();
        }
        let reworded = known().filter(|known| self.can_state(known, true) && self.states_relation(known, &relation));
        reworded.map(|known| Candidate { is_reworded: true, ..self.candidate_of_relation(sentence, known) }).collect()
    }

    /// Returns whether the main clauses of a fact's sentence state a relation.
    fn states_relation(&self, known: &Known, relation: &Claim) -> bool {
        self.main_clauses(known).iter().any(|fact| self.relation(fact).as_ref() == Some(relation))
    }

    /// Returns whether a sentence tells the deed of a fact only of other persons: "Silas was killed by Pasco" for "Roke killed
    /// Pasco", and "Pell cheated Silas" for "Odo cheated Pell". If the extraction finds no relation, the deed is the first verb,
    /// and the sentence must name a person who is not in the fact, because not every construction has this order of persons.
    fn tells_of_others(&self, entities: &EntityAgreement<'_>, extracted: &[ExtractedFact], known: &Known) -> bool {
        let leading = |text: &str| entities.leading_deed(text);
        let (said, stated) = (leading(&entities.sentence.text), leading(known.statement()));
        if Deed::have_other_persons(said.as_slice(), stated.as_slice()) && entities.names_other_person(known) {
            return true;
        }
        let relations = |facts: &[ExtractedFact]| -> Vec<Deed> {
            facts.iter().filter_map(|fact| self.relation_of_persons(fact)).collect()
        };
        let said = relations(extracted);
        !said.is_empty() && Deed::have_other_persons(&said, &relations(&self.main_clauses(known)))
    }

    /// Returns the facts that the extraction finds in the main clauses of a fact's sentence.
    fn main_clauses(&self, known: &Known) -> Vec<ExtractedFact> {
        let text = Text::new(known.statement(), TextType::Lore);
        let mut stated = self.tools.extractor.extract(self.tools.lexicon, &text).facts;
        stated.retain(|fact| fact.stage == ExtractionStage::Clauses);
        stated
    }

    /// Returns an extracted [relation](Self::relation) in its canonical direction, if it is between two persons.
    fn relation_of_persons(&self, extracted: &ExtractedFact) -> Option<Deed> {
        self.relation(extracted)?;
        let (subject, object) = extracted.known_parts()?;
        let is_of_persons = self.state.is_character(subject) && self.state.is_character(object.entity()?);
        let parts = (subject, &extracted.predicate, &object);
        let (actor, relation, object) = canonical_relation(self.state.vocabulary(), parts);
        is_of_persons.then(|| Deed { actor, verb: relation.to_string(), object: object.entity().cloned() })
    }

    /// Returns the claim of an extracted relation between two entities of the campaign. Returns `None` for a relation that
    /// is doubtful, denied or over, that says little, or that only says where somebody is.
    fn relation(&self, extracted: &ExtractedFact) -> Option<Claim> {
        let (subject, object) = extracted.known_parts().filter(|(_, object)| object.entity().is_some())?;
        let vocabulary = self.state.vocabulary();
        let behavior = vocabulary.behavior(&extracted.predicate);
        let says_little = behavior.vague || behavior.minor || behavior.event.is_some();
        let is_certain = extracted.confidence.get() >= MIN_RELATION_CONFIDENCE;
        if says_little || !is_certain || extracted.denied || extracted.ended {
            return None;
        }
        let parts = (subject, &extracted.predicate, &object);
        Some(Claim::new(vocabulary, parts, &extracted.statement, &Validity::default()))
    }

    /// Returns a fact with the same relation as a sentence as a candidate.
    fn candidate_of_relation(&self, sentence: &SpokenSentence, known: &Known) -> Candidate {
        Candidate {
            fact: self.fact_match(known),
            score: MatchScore::new(&sentence.text, known.statement(), &BTreeSet::new()),
            agreement: Agreement::Full,
            is_doubtful: sentence.is_doubtful,
            has_pronoun: sentence.pronoun_count > 0,
            is_extracted: false,
            is_reworded: false,
            is_own_secret: false,
            is_retold: false,
            open_cosine: None,
            missing_vector: None,
        }
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
    /// with the fact, as in "Odo was at sea that night, so it can't have been him", or if the sentence agrees only with the
    /// clause of the fact that shares most words with it: "Odo rings the bell" and "There is no ghost: Odo rings the bell."
    fn same_polarity(&self, sentence: &SpokenSentence, statement: &str, name_stems: &BTreeSet<String>) -> Option<bool> {
        let expected = self.polarity(statement);
        if (sentence.is_negated, sentence.is_ended) == expected {
            let can_agree = !sentence.is_negated || self.may_deny_same(sentence, statement, name_stems);
            return can_agree.then_some(true);
        }
        let words: BTreeSet<String> = stems(statement).into_iter().filter(|stem| !name_stems.contains(stem)).collect();
        let is_shared = |text: &str| stems(text).iter().any(|stem| words.contains(stem));
        let commas = sentence.text.match_indices([',', ';', '\u{2014}']).map(|(at, _)| at);
        let mut splits = commas.map(|at| sentence.text.split_at(at));
        let without_remark = splits.find(|(_, remark)| !is_shared(remark));
        let agrees_before = without_remark.is_some_and(|(before, _)| self.polarity(before) == expected);
        (agrees_before || self.agrees_with_part(sentence, statement, name_stems)).then_some(false)
    }

    /// Returns whether a sentence agrees in negation, and in whether it states that something has ended, with the clause of a
    /// statement that shares most words with it.
    fn agrees_with_part(&self, sentence: &SpokenSentence, statement: &str, name_stems: &BTreeSet<String>) -> bool {
        let counted = self.clauses_with_shared_words(sentence, statement, name_stems).into_iter();
        let best = counted.filter(|(count, _)| *count > 0).max_by_key(|(count, _)| *count);
        best.is_some_and(|(_, clause)| (clause.is_negated, clause.is_ended) == (sentence.is_negated, sentence.is_ended))
    }

    /// Returns whether a sentence that denies something can deny what a statement denies. "Odo did not burn the mill" denies
    /// nothing of "Odo burned the mill because he was not paid".
    fn may_deny_same(&self, sentence: &SpokenSentence, statement: &str, name_stems: &BTreeSet<String>) -> bool {
        let counted = self.clauses_with_shared_words(sentence, statement, name_stems);
        counted.iter().all(|(_, clause)| clause.is_negated)
            || counted.iter().any(|(count, clause)| *count > 0 && clause.is_negated)
    }

    /// Returns the clauses of a statement, each with the number of words that it shares with a sentence. Names are not counted.
    fn clauses_with_shared_words(
        &self,
        sentence: &SpokenSentence,
        statement: &str,
        name_stems: &BTreeSet<String>,
    ) -> Vec<(usize, SpokenSentence)> {
        let said: BTreeSet<String> =
            stems(&sentence.text).into_iter().filter(|stem| !name_stems.contains(stem)).collect();
        let shared = |clause: &SpokenSentence| stems(&clause.text).iter().filter(|stem| said.contains(*stem)).count();
        let parts = statement.split([':', ';', '\u{2014}']).flat_map(|part| self.stated_sentences(part));
        let clauses = parts.flat_map(|mut part| match std::mem::take(&mut part.clauses) {
            clauses if clauses.is_empty() => vec![part],
            clauses => clauses,
        });
        clauses.map(|clause| (shared(&clause), clause)).collect()
    }

    /// Returns whether a text is negated, and whether it states that something has ended.
    fn polarity(&self, text: &str) -> (bool, bool) {
        let stated = self.stated_sentences(text);
        (stated.iter().any(|stated| stated.is_negated), stated.iter().any(|stated| stated.is_ended))
    }

    fn stated_sentences(&self, text: &str) -> Vec<SpokenSentence> {
        self.tools.extractor.spoken_sentences(self.tools.lexicon, &Text::new(text, TextType::Lore))
    }
}

/// Returns whether two facts have the same content, in the same or in other words.
pub(super) fn has_same_content(state: &State, fact: &Fact, other: &Fact) -> bool {
    states_same(state, fact, other) || is_reworded(state, fact, other) || is_reworded(state, other, fact)
}
