//! Comparison of the parts of a draft with the facts that the speaker knows.

use std::collections::{BTreeMap, BTreeSet};

use hearsay_belief::{BELIEF_THRESHOLD, Known, RevealEvaluation, RevealableFacts, Trust, evaluate_reveals_for};
use hearsay_extract::{Entailment, EntailmentModel, FactObject, Mention, SpokenReply, Text, TextType};
use hearsay_model::{EntityId, FactId, Factuality, History, Object, Span, State, lists, text};
use hearsay_query::views::CachedView;
use hearsay_recall::{Citations, DocId, EntityLinker, Index, LinkedEntity, Query, Rankings, Weights, stems};

use super::{
    CitedFact, DraftReply, names,
    reading::{DraftPart, DraftReading},
    words::ContentWords,
};
use crate::{
    reading::ReadingTools,
    statement_vectors::{StatementVectors, cosine, distinct},
};

/// Maximum number of facts that support or contradict one part.
const MAX_FACTS: usize = 4;

/// Maximum number of the speaker's lies that the entailment model compares with a draft.
const MAX_LIES: usize = 3;

/// Maximum number of secrets, and of other facts, that the entailment model compares with a draft.
const MAX_SECRETS: usize = 8;
const MAX_OPEN: usize = 6;

/// Minimum confidence of a typed statement that contradicts a fact.
const MIN_TYPED_CONFIDENCE: f64 = 0.6;

/// Data for the comparison with a draft.
#[derive(Clone, Copy)]
pub struct ReplySources<'a> {
    /// State of the campaign.
    pub state: &'a State,
    /// Search index of the state.
    pub index: &'a Index,
    /// The speaker's view.
    pub view: &'a CachedView,
    /// Secrets that the speaker may tell now.
    pub revealable: &'a RevealableFacts,
    /// Extractor and names of the view.
    pub tools: &'a ReadingTools<'a>,
    /// Names of all entities of the campaign, for the details for the DM. `None` if no details are wanted, or if the
    /// draft has no new names.
    pub dm_names: Option<&'a EntityLinker>,
}

/// A fact that is compared with a draft.
#[derive(Debug, Clone)]
pub(super) struct ComparedFact {
    pub(super) cited: CitedFact,
    /// Whether the speaker conceals the fact.
    pub(super) is_secret: bool,
    /// Listeners to whom the speaker may not tell the fact.
    pub(super) not_for: Vec<EntityId>,
    /// Whether the speaker may not tell the fact to all listeners. If the draft names no listeners, whether the speaker
    /// may not tell the fact to everyone.
    pub(super) is_withheld: bool,
    /// Whether all listeners know the fact, as far as the speaker knows.
    pub(super) is_known_to_listeners: bool,
    /// Details for the DM: the unmet conditions of the secret.
    pub(super) for_dm: Vec<String>,
    /// Whether the speaker made the fact up.
    pub(super) is_made_up: bool,
    /// Whether the statement of a fact that the speaker made up contains a negation.
    is_negated: bool,
    /// Whether the speaker believes the fact.
    pub(super) is_believed: bool,
    words: ContentWords,
    /// Content words apart from the words for a time.
    timeless_words: ContentWords,
    /// Content words with the words of names.
    all_words: ContentWords,
    /// Entities of the fact, and entities that its statement names.
    entities: BTreeSet<EntityId>,
    vector: Option<Vec<f32>>,
    /// Result of the entailment model; both probabilities are 0 if it did not compare the fact with the draft.
    pub(super) entailment: Entailment,
}

/// A part of a draft that is compared with facts.
#[derive(Debug, Clone)]
pub(super) struct ComparedPart {
    pub(super) part: DraftPart,
    words: ContentWords,
    /// Entities that the part names.
    named: BTreeSet<EntityId>,
    /// Highest cosine of the part in its context and a fact that the speaker neither conceals nor made up.
    best_open: f32,
    /// Cosines of the part in its context and each lie of the speaker.
    lies: Vec<f32>,
}

/// A draft, and the facts to compare with each part of the draft.
#[derive(Debug, Clone)]
pub struct ReplyCandidates {
    pub(super) draft: DraftReply,
    pub(super) reading: DraftReading,
    pub(super) parts: Vec<ComparedPart>,
    pub(super) facts: BTreeMap<FactId, ComparedFact>,
    /// Indices of the names that the speaker does not know, each with details for the DM.
    pub(super) unknown_names: Vec<(usize, Vec<String>)>,
    /// Secret names that the draft contains, each with its position.
    pub(super) secret_names: Vec<(Span, ComparedFact)>,
    /// Facts that a typed statement of the draft contradicts, each with the position of the statement.
    pub(super) contradictions: Vec<(Span, FactId)>,
    /// Whether the entailment model compared the draft with facts.
    pub(super) is_judged: bool,
    /// Names of the speaker and of the first listener.
    speaker_name: String,
    listener_name: String,
}

impl DraftReply {
    /// Finds the facts to compare with each part of the draft.
    pub fn candidates(&self, sources: &ReplySources<'_>, reading: DraftReading) -> ReplyCandidates {
        let listeners = if self.for_dm { self.listeners.as_slice() } else { &[] };
        let reveals = listeners.iter().map(|listener| (listener, reveals_for(sources.state, listener))).collect();
        let CachedView { view, names, .. } = sources.view;
        let collector = Collector { draft: self, sources, rankings: Rankings::new(view, sources.index, None), reveals };
        let secrets = view.concealed_facts().filter(|known| !known.is_name());
        let lies = view.facts().filter(|known| known.is_own_lie() && !known.conceals());
        let mut facts = secrets.chain(lies).map(|known| (known.id(), collector.compared_fact(known))).collect();
        let parts = reading.parts.iter().map(|part| collector.compared_part(part, &mut facts)).collect();
        let calendar = sources.state.calendar();
        let new_names = reading.extraction.entities.iter().enumerate();
        let unknown_names = new_names
            .filter(|(_, name)| names::is_unknown(name, view, calendar, &self.heard))
            .map(|(at, name)| (at, collector.name_details(&name.name)))
            .collect();
        let secret_names = collector.secret_names();
        let contradictions = collector.contradictions(&reading, &mut facts);
        let name = |id: Option<&EntityId>| id.and_then(|id| names.name(id)).unwrap_or("Somebody").to_owned();
        let mut candidates = ReplyCandidates {
            draft: self.clone(),
            reading,
            parts,
            facts,
            unknown_names,
            secret_names,
            contradictions,
            is_judged: false,
            speaker_name: name(Some(&self.speaker)),
            listener_name: name(self.listeners.first()),
        };
        candidates.compare_lies();
        candidates
    }
}

struct Collector<'a> {
    draft: &'a DraftReply,
    sources: &'a ReplySources<'a>,
    /// Rankings of the facts in the speaker's view.
    rankings: Rankings<'a>,
    /// For each listener, the evaluations of all reveals for this listener. Empty unless the result is for the DM.
    reveals: Vec<(&'a EntityId, Vec<RevealEvaluation>)>,
}

impl Collector<'_> {
    fn compared_part(&self, part: &DraftPart, facts: &mut BTreeMap<FactId, ComparedFact>) -> ComparedPart {
        let CachedView { view, names, .. } = self.sources.view;
        let named: Vec<LinkedEntity> = names.mentioned_entities(&part.text);
        let words = ContentWords::new(&part.text, &self.name_stems(named.iter().map(|named| &named.id)));
        let named_ids = named.iter().map(|named| named.id.clone()).collect();
        let by_meaning = Query {
            text: &part.text,
            vector: part.context_vector.as_deref(),
            weights: Weights::MEANING,
            ..Query::default()
        };
        let nearest = if by_meaning.vector.is_some() { self.open_facts(&by_meaning) } else { Vec::new() };
        let best_open = nearest.iter().filter_map(|(_, cosine)| *cosine).fold(0.0, f32::max);
        let mut found: Vec<FactId> = nearest.into_iter().map(|(id, _)| id).collect();
        if part.is_sentence() {
            let by_all = Query { text: &part.text, vector: part.vector.as_deref(), named, ..Query::default() };
            found.extend(self.open_facts(&by_all).into_iter().map(|(id, _)| id));
        }
        for known in found.into_iter().filter_map(|id| view.fact(id)) {
            facts.entry(known.id()).or_insert_with(|| self.compared_fact(known));
        }
        ComparedPart { part: part.clone(), words, named: named_ids, best_open, lies: Vec::new() }
    }

    /// Returns the facts that fit a query best, each with its cosine. Leaves out the facts that the speaker conceals or
    /// made up.
    fn open_facts(&self, query: &Query<'_>) -> Vec<(FactId, Option<f32>)> {
        let view = &self.sources.view.view;
        let is_open = |known: &Known| !known.conceals() && !known.is_own_lie() && !known.is_name();
        let is_candidate = |known: &Known| is_open(known) && !view.is_superseded(known.id());
        let ranked = self.rankings.ranking(query).facts(MAX_FACTS, is_candidate);
        let facts = ranked.into_iter().filter_map(|ranked| match ranked.doc {
            DocId::Fact(id) => Some((id, ranked.explanation.cosine)),
            DocId::Passage(_) => None,
        });
        facts.collect()
    }

    fn compared_fact(&self, known: &Known) -> ComparedFact {
        let CachedView { view, names, .. } = self.sources.view;
        let state = self.sources.state;
        let named = names.mentioned_entities(known.statement());
        let listeners = &self.draft.listeners;
        let revealable = self.sources.revealable.get(&known.id());
        let is_open = !known.conceals() || revealable.is_some_and(BTreeSet::is_empty);
        let is_allowed = |listener: &EntityId| is_open || revealable.is_some_and(|to| to.contains(listener));
        let knows = |listener: &EntityId| !view.attribution_reasons(listener, known).is_empty();
        let citations = Citations { names, calendar: state.calendar(), knower: Some(&self.draft.speaker) };
        let not_for: Vec<EntityId> = listeners.iter().filter(|id| !is_allowed(id) && !knows(id)).cloned().collect();
        let name_stems = self.name_stems(named.iter().map(|named| &named.id));
        ComparedFact {
            cited: CitedFact {
                fact: known.id(),
                handle: state.fact(known.id()).and_then(|fact| fact.handle().map(str::to_owned)),
                statement: known.statement().to_owned(),
                how_known: citations.fact_citation(known).describe_acquisition(),
            },
            is_secret: known.conceals(),
            is_known_to_listeners: !listeners.is_empty() && listeners.iter().all(knows),
            for_dm: self.unmet_conditions(known.id(), &not_for),
            is_withheld: !not_for.is_empty() || listeners.is_empty() && !is_open,
            not_for,
            is_made_up: known.is_own_lie(),
            is_negated: known.is_own_lie() && self.is_negated(known.statement()),
            is_believed: known.credence().get() >= BELIEF_THRESHOLD && view.known_end(known).is_none(),
            words: ContentWords::new(known.statement(), &name_stems),
            timeless_words: ContentWords::without_times(known.statement(), &name_stems),
            all_words: ContentWords::new(known.statement(), &BTreeSet::new()),
            entities: known.entities().cloned().chain(named.into_iter().map(|named| named.id)).collect(),
            vector: self.sources.index.vector(DocId::Fact(known.id())),
            entailment: Entailment::default(),
        }
    }

    fn is_negated(&self, statement: &str) -> bool {
        let ReadingTools { extractor, lexicon, .. } = self.sources.tools;
        let sentences = extractor.spoken_sentences(lexicon, &Text::new(statement, TextType::Lore));
        sentences.iter().any(|sentence| sentence.is_negated)
    }

    /// Returns the unmet conditions under which the speaker may tell a secret to these listeners, each once. Empty
    /// unless the result is for the DM.
    fn unmet_conditions(&self, fact: FactId, listeners: &[EntityId]) -> Vec<String> {
        let evaluations = self.reveals.iter().filter(|(listener, _)| listeners.contains(listener));
        let of_secret = evaluations
            .flat_map(|(_, evaluations)| evaluations)
            .filter(|evaluation| evaluation.fact == fact && evaluation.holder == self.draft.speaker);
        lists::distinct(of_secret.flat_map(|evaluation| &evaluation.judgement.missing).cloned())
    }

    /// Returns the stems of all words in the names by which the speaker knows some entities.
    fn name_stems<'e>(&self, entities: impl Iterator<Item = &'e EntityId>) -> BTreeSet<String> {
        let view = &self.sources.view.view;
        let facts = entities.flat_map(|id| view.facts_with_subject(id));
        let names = facts.filter(|known| known.is_name());
        names.filter_map(|known| known.object().text()).flat_map(stems).collect()
    }

    /// Returns the names that the speaker conceals and that the draft contains, each with its position. Leaves out names
    /// that somebody has just said, and names that are also the open name of an entity.
    fn secret_names(&self) -> Vec<(Span, ComparedFact)> {
        let view = &self.sources.view.view;
        let is_open = |name: &str| {
            let is_same = |other: &str| text::normalize(other) == text::normalize(name);
            let mut open = view.facts().filter(|known| known.is_name() && !known.conceals());
            open.any(|known| known.object().text().is_some_and(is_same))
        };
        let was_said = |name: &str| self.draft.heard.iter().any(|line| names::find_name(line, name).is_some());
        let found = view.concealed_facts().filter(|known| known.is_name()).filter_map(|known| {
            let name = known.object().text()?;
            let span = names::find_name(&self.draft.text, name)?;
            (!was_said(name) && !is_open(name)).then(|| (span, self.compared_fact(known)))
        });
        found.collect()
    }

    /// Returns what the DM may know about a name that the speaker does not know.
    fn name_details(&self, name: &str) -> Vec<String> {
        let Some(dm_names) = self.sources.dm_names else { return Vec::new() };
        let found = dm_names.exact_mentions(name);
        match found.is_empty() {
            true => vec!["nothing in the campaign has this name".to_owned()],
            false => found.iter().map(|id| format!("this is the name of `{id}`")).collect(),
        }
    }

    /// Returns the facts that a typed statement of the draft contradicts: the speaker believes another value of a
    /// functional predicate, or an opposite relation, or what the draft denies.
    fn contradictions(
        &self,
        reading: &DraftReading,
        facts: &mut BTreeMap<FactId, ComparedFact>,
    ) -> Vec<(Span, FactId)> {
        let view = &self.sources.view.view;
        let mut found = Vec::new();
        for stated in &reading.extraction.facts {
            let Mention::Known(subject) = &stated.subject else { continue };
            let is_certain = stated.denied || (stated.factuality == Factuality::Asserted && !stated.ended);
            if !is_certain || stated.confidence.get() < MIN_TYPED_CONFIDENCE {
                continue;
            }
            let vocabulary = view.vocabulary();
            let has_object = |known: &Known| is_same_object(known.object(), &stated.object);
            let has_predicate = |known: &Known| *known.predicate() == stated.predicate;
            let of_subject = || view.facts_with_subject(subject);
            if !stated.denied && of_subject().any(|known| has_predicate(known) && has_object(known)) {
                continue;
            }
            // A place where somebody was does not contradict the place where it is now.
            if vocabulary.history(&stated.predicate) != History::Full {
                continue;
            }
            let contradicts = |known: &&Known| match stated.denied {
                true => has_predicate(known) && has_object(known),
                false => {
                    let differs = has_predicate(known) && vocabulary.is_functional(known.predicate());
                    let is_opposite = vocabulary.are_opposites(known.predicate(), &stated.predicate);
                    (differs && !has_object(known)) || (is_opposite && has_object(known))
                }
            };
            let is_current = |known: &&Known| {
                let is_believed = known.credence().get() >= BELIEF_THRESHOLD;
                is_believed && !view.is_superseded(known.id()) && view.known_end(known).is_none()
            };
            let Some(known) = of_subject().filter(is_current).find(contradicts) else { continue };
            facts.entry(known.id()).or_insert_with(|| self.compared_fact(known));
            found.push((stated.span, known.id()));
        }
        found
    }
}

/// Evaluates all reveals for one listener.
fn reveals_for(state: &State, listener: &EntityId) -> Vec<RevealEvaluation> {
    let trust = |truster: &EntityId, trustee: &EntityId| Trust::between(state, truster, trustee).level();
    evaluate_reveals_for(state, std::slice::from_ref(listener), &trust)
}

fn is_same_object(known: &Object, stated: &FactObject) -> bool {
    match (known, stated) {
        (Object::Entity(id), FactObject::Entity(Mention::Known(other))) => id == other,
        (Object::Value(value), FactObject::Value(other)) => {
            let (one, two): (BTreeSet<String>, BTreeSet<String>) =
                (stems(&value.to_string()).into_iter().collect(), stems(other).into_iter().collect());
            one.is_subset(&two) || two.is_subset(&one)
        }
        _ => false,
    }
}

impl ReplyCandidates {
    /// Returns the statements of the facts that have no vector yet, each statement once. The list is empty if the draft
    /// has no vectors.
    pub fn statements_without_vector(&self) -> Vec<&str> {
        if self.parts.iter().all(|part| part.part.vector.is_none()) {
            return Vec::new();
        }
        let without_vector = self.facts.values().filter(|fact| fact.vector.is_none());
        distinct(without_vector.map(|fact| fact.cited.statement.as_str()))
    }

    /// Adds vectors for the statements from [`statements_without_vector`](Self::statements_without_vector), in the same
    /// order.
    pub fn add_vectors(&mut self, vectors: &[Vec<f32>]) {
        let added = StatementVectors::new(&self.statements_without_vector(), vectors);
        for fact in self.facts.values_mut().filter(|fact| fact.vector.is_none()) {
            fact.vector = added.get(&fact.cited.statement).map(<[f32]>::to_vec);
        }
        self.compare_lies();
    }

    /// Computes the cosines of each part and the lies of the speaker.
    fn compare_lies(&mut self) {
        let lies = self.facts.values().filter(|fact| fact.is_made_up && !fact.is_secret);
        let vectors: Vec<&[f32]> = lies.filter_map(|lie| lie.vector.as_deref()).collect();
        for part in &mut self.parts {
            let vector = part.part.context_vector.as_deref();
            part.lies = vectors.iter().map(|lie| vector.map_or(0.0, |vector| cosine(vector, lie))).collect();
        }
    }

    /// Compares the draft with the most similar facts, using the entailment model, which decides whether one sentence
    /// follows from another. This step makes the findings more reliable. If the model fails, the findings depend on the
    /// sentence encoder alone.
    pub fn judge(&mut self, model: &EntailmentModel) {
        let mut judged = self.likeliest(MAX_SECRETS, |fact| fact.is_secret);
        judged.extend(self.likeliest(MAX_LIES, |fact| !fact.is_secret && fact.is_made_up));
        judged.extend(self.likeliest(MAX_OPEN, |fact| !fact.is_secret && !fact.is_made_up));
        let statements: Vec<&str> = judged.iter().map(|id| self.facts[id].cited.statement.as_str()).collect();
        let reply = SpokenReply {
            speaker: &self.speaker_name,
            listener: &self.listener_name,
            question: self.draft.heard.last().map_or("", String::as_str),
            text: &self.draft.text,
        };
        let Ok(entailments) = model.compare(reply, &statements) else { return };
        self.is_judged = true;
        for (id, entailment) in judged.into_iter().zip(entailments) {
            if let Some(fact) = self.facts.get_mut(&id) {
                fact.entailment = entailment;
            }
        }
    }

    /// Returns the selected facts that resemble the draft most.
    fn likeliest(&self, count: usize, is_selected: impl Fn(&ComparedFact) -> bool) -> Vec<FactId> {
        let facts = self.facts.iter().filter(|(_, fact)| is_selected(fact));
        let mut scored: Vec<(f32, FactId)> =
            facts.filter_map(|(id, fact)| Some((self.best_part(fact)?.similarity, *id))).collect();
        scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        scored.into_iter().take(count).map(|(_, id)| id).collect()
    }

    /// Returns the position of the sentence of the draft that repeats a lie of the speaker almost word for word; `None` if no
    /// sentence does.
    pub(super) fn repetition(&self, fact: &ComparedFact) -> Option<Span> {
        let mut parts = self.parts.iter().filter(|_| fact.is_made_up && !fact.is_secret);
        parts.find(|part| part.repeats(fact)).map(|part| part.part.span)
    }

    /// Returns the part of the draft that resembles a fact most.
    pub(super) fn best_part(&self, fact: &ComparedFact) -> Option<BestPart> {
        let compared = self.parts.iter().map(|part| {
            let advantage = if part.part.is_sentence() { SENTENCE_ADVANTAGE } else { 0.0 };
            (similarity(part, fact) + advantage, part)
        });
        let (_, part) = compared.max_by(|a, b| a.0.total_cmp(&b.0))?;
        Some(BestPart { span: part.part.span, similarity: similarity(part, fact) })
    }
}

/// The part of a draft that resembles a fact most.
pub(super) struct BestPart {
    pub(super) span: Span,
    pub(super) similarity: f32,
}

/// A sentence is preferred to a pair of sentences that resembles the fact only a little more.
const SENTENCE_ADVANTAGE: f32 = 0.03;

/// Weights of the similarity of a part and a fact. They were chosen by hand on the development part of the drafts of
/// `hearsay_eval dialogue`; a regression with more features was worse on drafts of other speakers.
const MARGIN_WEIGHT: f32 = 2.0;
const WORDS_WEIGHT: f32 = 0.3;
const RARE_WORD_WEIGHT: f32 = 0.05;

/// Maximum number of rare words that count.
const MAX_RARE_WORDS: usize = 4;

/// Minimum similarity of a part that [confesses](ComparedPart::confesses) a secret. It is higher than the minimum at which
/// a part reveals a secret.
const CONFESSION_SIMILARITY: f32 = 0.5;

/// Minimum number of content words, pronouns and names of others in a confession: "I hid it", but not "I know".
const MIN_CONFESSION_WORDS: usize = 2;

/// Maximum difference between the cosines of a confession and the most similar fact that the speaker does not conceal, and
/// of the confession and the secret.
const MAX_CONFESSION_DISTANCE: f32 = 0.15;

/// A sentence that repeats a lie contains at most one other content word for each of this number of words of the lie.
const WORDS_PER_ADDITION: usize = 3;

impl ComparedPart {
    /// Returns whether the part asserts or denies what a fact asserts or denies, with the words of the fact, about the same
    /// entities. The part may leave out the time: "I was at home" for "Odo was at home last night".
    fn repeats(&self, fact: &ComparedFact) -> bool {
        let additions = self.words.count().saturating_sub(fact.words.count());
        let has_all_words = fact.words.is_within(&self.words) && additions * WORDS_PER_ADDITION <= fact.words.count();
        let omits_time = fact.timeless_words.is_within(&self.words) && self.words.is_within(&fact.words);
        self.part.is_asserted
            && self.part.is_negated == fact.is_negated
            && self.named == fact.entities
            && (has_all_words || omits_time)
    }

    /// Returns whether the part says in the first person what a secret says, and nothing else: "I hid it" confesses "Odo hid
    /// the ledger in the mill". Such a part is often too short to resemble the secret in meaning.
    fn confesses(&self, fact: &ComparedFact) -> bool {
        let Some(person) = self.part.first_person.as_ref().filter(|_| fact.is_secret) else { return false };
        let others = self.named.iter().filter(|id| *id != person).count();
        fact.entities.contains(person)
            && self.named.is_subset(&fact.entities)
            && self.words.is_within(&fact.all_words)
            && self.words.count() + self.part.pronoun_count + others >= MIN_CONFESSION_WORDS
    }
}

/// Returns how much a part resembles a fact more than it resembles any fact that the speaker does not conceal.
///
/// A lie counts only if the part resembles the lie at least as much as the fact. Otherwise, a lie about another matter
/// would hide that the part reveals a secret.
fn similarity(part: &ComparedPart, fact: &ComparedFact) -> f32 {
    let vectors = part.part.context_vector.as_deref().zip(fact.vector.as_deref());
    let cosine = vectors.map_or(0.0, |(of_part, of_fact)| cosine(of_part, of_fact));
    let told_lies = part.lies.iter().copied().filter(|lie| *lie >= cosine);
    let best_open = told_lies.fold(part.best_open, f32::max);
    let similarity = MARGIN_WEIGHT * (cosine - best_open)
        + WORDS_WEIGHT * fact.words.share_in(&part.words)
        + RARE_WORD_WEIGHT * part.words.rare_shared(&fact.words).min(MAX_RARE_WORDS) as f32;
    let is_confession = best_open - cosine <= MAX_CONFESSION_DISTANCE && part.confesses(fact);
    if is_confession { similarity.max(CONFESSION_SIMILARITY) } else { similarity }
}
