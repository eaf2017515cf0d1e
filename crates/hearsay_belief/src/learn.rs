//! Functions that compute the changes with which knowers learn facts.
//!
//! Each function reads a state and returns the changes of one operation. It does not apply the changes. Learning a fact
//! adds a knowledge edge. If the fact was told, the edge has justifications: the edges through which the teller knew
//! the fact, and the hearer's experiences with the teller. Dead characters cannot learn or tell facts.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use hearsay_model::{
    Acquisition, Change, Credence, Date, EntityId, Fact, FactError, FactId, FactRelation, Justification, Knower,
    KnowledgeEdge, KnowledgeId, Passage, PassageReader, Provenance, Secrecy, State, attribute, words,
};
use thiserror::Error;

use crate::{
    AccessPath, Known, KnownEdge, Occasion, RETELLING_FACTOR, Trust, View,
    credence::{credence, is_made_up},
    occasion::{can_know, is_dead},
};

/// Error: a fact cannot be learned or told.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum LearnError {
    /// The teller does not know the fact.
    #[error(
        "{teller} does not know that \u{201C}{statement}\u{201D}, so it cannot tell this; first record how {teller} learned the fact, or mark the statement as a lie"
    )]
    NotKnown {
        /// The teller.
        teller: EntityId,
        /// The statement of the fact.
        statement: String,
    },
    /// The knower does not know a premise of the deduction.
    #[error("{knower} does not know that \u{201C}{statement}\u{201D}, so it cannot deduce anything from it")]
    UnknownPremise {
        /// The knower.
        knower: EntityId,
        /// The statement of the premise.
        statement: String,
    },
    /// The teller or a learner is dead.
    #[error("{0} is dead at the time of the event, so it cannot learn or tell facts")]
    Dead(EntityId),
    /// The entity cannot know anything: an item, a document or an event.
    #[error("{0} is not a character, group or place, so it cannot know facts")]
    CannotKnow(EntityId),
    /// No hearer is given.
    #[error("nobody is present to learn the fact; name the characters who are present")]
    NoHearers,
    /// The teller is among the hearers.
    #[error("{0} cannot tell a fact to itself")]
    TellerIsHearer(EntityId),
    /// The fact is proposed or rejected, so no character can know it.
    #[error("\u{201C}{statement}\u{201D} is {status}, so no character can learn it; accept the fact first")]
    NotInWorld {
        /// The statement of the fact.
        statement: String,
        /// The status of the fact.
        status: &'static str,
    },
    /// The document to read has no passages.
    #[error("{0} has no text that can be read: no passage names {0} as its document")]
    NoText(EntityId),
    /// A deduction has no premises.
    #[error("a deduction needs at least one premise: name a fact from which the new fact follows")]
    NoPremises,
    /// The fact to record is invalid.
    #[error(transparent)]
    Fact(#[from] FactError),
}

/// One fact that one knower learned.
#[derive(Debug, Clone, PartialEq)]
pub struct LearnedFact {
    /// The knower.
    pub knower: EntityId,
    /// The fact.
    pub fact: FactId,
    /// The id of the new edge from the knower to the fact.
    pub edge: KnowledgeId,
    /// How much this edge makes the knower believe the fact.
    pub belief: Credence,
    /// Whether the knower already knew the fact before.
    pub was_known: bool,
}

/// Result of one occasion on which knowers learned facts.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Learning {
    /// The changes of the operation.
    pub changes: Vec<Change>,
    /// The learned facts, sorted by knower. Names and kinds of entities, which are learned along with the facts, are
    /// not included.
    pub learned_facts: Vec<LearnedFact>,
    /// Dead characters among the given participants, sorted. They learn nothing.
    pub dead: Vec<EntityId>,
}

/// Whether a teller says what it knows or lies.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Sincerity {
    /// The teller passes on a fact that it knows. The teller's credence affects the hearers' credence.
    #[default]
    Sincere,
    /// The teller contradicts its own knowledge or invents the fact. The derivation of the fact ends with the teller.
    Lie,
}

/// Description of how one knower tells a fact to others.
#[derive(Debug, Clone)]
pub struct Telling<'a> {
    /// The teller.
    pub teller: &'a EntityId,
    /// The secret name that the teller uses. For a hearer who does not know that this name belongs to the teller, the
    /// teller is a stranger.
    pub alias: Option<&'a str>,
    /// The hearers: characters, groups or places, in any order.
    pub hearers: &'a [EntityId],
    /// The fact that the teller tells, or that `retold` distorts.
    pub fact: &'a Arc<Fact>,
    /// The distorted version that the teller tells instead of `fact`. This version [distorts](FactRelation::Distorts)
    /// `fact`.
    pub retold: Option<&'a Arc<Fact>>,
    /// Whether the teller lies.
    pub sincerity: Sincerity,
    /// The entity that the teller names as its own source.
    pub citing: Option<&'a EntityId>,
    /// The hearers' credence. `None` means that it is computed from their trust in the teller.
    pub credence: Option<Credence>,
}

impl<'a> Telling<'a> {
    /// Creates a sincere, undistorted telling.
    pub fn new(teller: &'a EntityId, hearers: &'a [EntityId], fact: &'a Arc<Fact>) -> Self {
        Self {
            teller,
            alias: None,
            hearers,
            fact,
            retold: None,
            sincerity: Sincerity::Sincere,
            citing: None,
            credence: None,
        }
    }
}

/// Records that witnesses observe facts. Each witness learns all the facts.
///
/// # Errors
/// Returns an error if no witness is given, a witness is dead or cannot know facts, or a fact is proposed or rejected.
pub fn witness(
    state: &State,
    facts: &[Arc<Fact>],
    witnesses: &[EntityId],
    occasion: &Occasion,
) -> Result<Learning, LearnError> {
    let mut recorder = LearningRecorder::new(state, occasion);
    let witnesses = recorder.checked_hearers(witnesses)?;
    for fact in facts {
        recorder.record_fact(fact)?;
    }
    for knower in &witnesses {
        let view = recorder.view(knower);
        let co_present = all_except(&witnesses, knower, None);
        for fact in facts {
            let edge = KnowledgeEdge {
                co_present: co_present.clone(),
                ..recorder.new_edge(knower, fact, Acquisition::Witnessed)
            };
            recorder.learn(&view, edge, credence(1.0));
        }
        recorder.learn_names(&view, facts, &co_present, &Acquisition::Witnessed, None);
    }
    Ok(recorder.learning)
}

/// Records that one knower tells others a fact that it knows, or a lie.
///
/// A hearer's credence depends on its [trust](Trust) in the teller and on the teller's credence. Each
/// [retelling](RETELLING_FACTOR) reduces the credence further. In addition, a new edge of the teller records who heard
/// the fact.
///
/// # Errors
/// Returns an error if a sincere teller does not know the fact, or if the teller is dead or among the hearers. Also
/// returns the errors of [`witness`].
pub fn tell(state: &State, telling: &Telling, occasion: &Occasion) -> Result<Learning, LearnError> {
    let mut recorder = LearningRecorder::new(state, occasion);
    recorder.tell(telling, &BTreeSet::new())?;
    Ok(recorder.learning)
}

/// Records that one knower states a fact to others. If the teller is sincere and did not know the fact, the teller
/// learns the fact too.
///
/// # Errors
/// Returns the same errors as [`tell`], except that a teller who does not know the fact is not an error.
pub fn claim(state: &State, telling: &Telling, occasion: &Occasion) -> Result<Learning, LearnError> {
    let mut recorder = LearningRecorder::new(state, occasion);
    recorder.check_can_learn(telling.teller)?;
    let view = recorder.view(telling.teller);
    let own_edges = recorder.learn_own_statement(&view, telling.teller, telling.fact, telling.sincerity)?;
    recorder.tell(telling, &own_edges)?;
    Ok(recorder.learning)
}

/// Records a spoken line. All hearers hear the passage and learn the facts that it states.
///
/// If the speaker is sincere and did not know a fact, the speaker learns the fact too. The passage must have a speaker.
/// `hearers` and `occasion` replace the hearers, time, place and session of the passage.
///
/// # Errors
/// Returns the errors of [`tell`].
pub fn say(
    state: &State,
    passage: Passage,
    states: &[Arc<Fact>],
    hearers: &[EntityId],
    sincerity: Sincerity,
    occasion: &Occasion,
) -> Result<Learning, LearnError> {
    let mut recorder = LearningRecorder::new(state, occasion);
    let speaker = passage.speaker.clone().ok_or(LearnError::NoHearers)?;
    recorder.check_can_learn(&speaker)?;
    let hearers: Vec<EntityId> = hearers.iter().filter(|id| **id != speaker).cloned().collect();
    let hearers = if hearers.is_empty() { Vec::new() } else { recorder.checked_hearers(&hearers)? };
    let mut heard_by: Vec<Knower> =
        hearers.iter().cloned().map(Knower::Entity).chain([speaker.clone().into()]).collect();
    heard_by.sort();
    let Occasion { time, place, session } = occasion.clone();
    let passage_alias = passage.speaker_alias.clone();
    let passage = Passage { heard_by, time, place, session, ..passage };
    recorder.learning.changes.push(Change::AddPassage(Arc::new(passage)));
    let (view, alias) = (recorder.view(&speaker), passage_alias.as_deref());
    for fact in states {
        let own_edges = recorder.learn_own_statement(&view, &speaker, fact, sincerity)?;
        if hearers.is_empty() {
            continue;
        }
        let telling = Telling { sincerity, alias, ..Telling::new(&speaker, &hearers, fact) };
        recorder.tell(&telling, &own_edges)?;
    }
    Ok(recorder.learning)
}

/// Records that readers read a document. The readers learn the passages of the document and the facts that the passages
/// state.
///
/// # Errors
/// Returns an error if the document has no passages. Also returns the errors of [`witness`].
pub fn read(
    state: &State,
    document: &EntityId,
    readers: &[EntityId],
    credence: Credence,
    occasion: &Occasion,
) -> Result<Learning, LearnError> {
    let mut recorder = LearningRecorder::new(state, occasion);
    let readers = recorder.checked_hearers(readers)?;
    let passages: BTreeMap<_, _> = state.passages_in_document(document).collect();
    if passages.is_empty() {
        return Err(LearnError::NoText(document.clone()));
    }
    for passage in passages.values() {
        let mut passage = Passage::clone(passage);
        for id in &readers {
            let knower = Knower::Entity(id.clone());
            if passage.received_at(&knower).is_none_or(|reached| reached > occasion.moment()) {
                passage.readers.retain(|reader| reader.knower != knower);
                passage.readers.push(PassageReader { knower, since: occasion.moment() });
            }
        }
        passage.readers.sort();
        recorder.learning.changes.push(Change::AddPassage(Arc::new(passage)));
    }
    let stated_facts = passages.keys().flat_map(|id| state.facts_citing(*id));
    let stated_facts =
        stated_facts.filter(|fact| fact.status().is_knowable()).map(|fact| (fact.id(), Arc::clone(fact)));
    let facts: Vec<Arc<Fact>> = stated_facts.collect::<BTreeMap<_, _>>().into_values().collect();
    let acquisition = Acquisition::Read { document: Some(document.clone()) };
    for knower in &readers {
        let view = recorder.view(knower);
        let co_present = all_except(&readers, knower, None);
        for fact in &facts {
            let edge = KnowledgeEdge {
                credence,
                co_present: co_present.clone(),
                ..recorder.new_edge(knower, fact, acquisition.clone())
            };
            recorder.learn(&view, edge, credence);
        }
        recorder.learn_names(&view, &facts, &co_present, &acquisition, None);
    }
    Ok(recorder.learning)
}

/// Records that a knower deduces a fact from other facts that it knows (the premises). The new edge depends on the
/// edges to the premises.
///
/// # Errors
/// Returns an error if there are no premises or the knower does not know a premise. Also returns the errors of
/// [`witness`].
pub fn deduce(
    state: &State,
    knower: &EntityId,
    fact: &Arc<Fact>,
    from: &[FactId],
    certainty: Credence,
    occasion: &Occasion,
) -> Result<Learning, LearnError> {
    let mut recorder = LearningRecorder::new(state, occasion);
    recorder.check_can_learn(knower)?;
    if from.is_empty() {
        return Err(LearnError::NoPremises);
    }
    recorder.record_fact(fact)?;
    let view = recorder.view(knower);
    let (mut sources, mut belief) = (Vec::new(), certainty.get());
    for premise in from {
        let statement = || state.fact(*premise).map_or_else(|| premise.to_string(), |fact| fact.statement().to_owned());
        let unknown_premise = || LearnError::UnknownPremise { knower: knower.clone(), statement: statement() };
        let known = view.fact(*premise).filter(|known| !known.is_made_up()).ok_or_else(unknown_premise)?;
        belief *= known.credence().get();
        sources.extend(justifications(known));
    }
    let mut from = from.to_vec();
    from.sort_unstable();
    from.dedup();
    let edge = KnowledgeEdge {
        credence: certainty,
        sources,
        ..recorder.new_edge(knower, fact, Acquisition::Deduced { from })
    };
    recorder.learn(&view, edge, credence(belief));
    Ok(recorder.learning)
}

/// Creates a fact that refutes another fact. A knower can tell the refutation like any other fact.
///
/// # Errors
/// Returns an error if the statement is empty.
pub fn refutation(fact: &Fact, statement: Option<&str>, provenance: Provenance) -> Result<Arc<Fact>, LearnError> {
    let statement = statement.map_or_else(|| refutation_statement(fact), str::to_owned);
    related_fact(fact, FactRelation::Refutes(fact.id()), statement, provenance, None)
}

/// Creates a fact that states that another fact has ended. A knower can tell it like any other fact.
///
/// # Errors
/// Returns an error if the statement is empty.
pub fn ending(
    fact: &Fact,
    until: Date,
    statement: Option<&str>,
    provenance: Provenance,
) -> Result<Arc<Fact>, LearnError> {
    let statement = statement.map_or_else(|| ending_statement(fact, Some(&until)), str::to_owned);
    related_fact(fact, FactRelation::Ends(fact.id()), statement, provenance, Some(until))
}

/// Returns the default statement of a refutation: "It is not so that …".
pub fn refutation_statement(fact: &Fact) -> String {
    format!("It is not so that {}", lower_first(fact.statement()))
}

/// Returns the default statement that another fact has ended: "No longer so …". The statement contains the date if it
/// is known.
pub fn ending_statement(fact: &Fact, since: Option<&Date>) -> String {
    let since = since.filter(|date| !date.raw.is_empty());
    let when = since.map_or_else(String::new, |date| format!(" since {}", date.raw));
    format!("No longer so{when}: {}", fact.statement())
}

fn related_fact(
    fact: &Fact,
    fact_relation: FactRelation,
    statement: String,
    provenance: Provenance,
    since: Option<Date>,
) -> Result<Arc<Fact>, LearnError> {
    let validity = hearsay_model::Validity { from: since, until: None };
    let builder = Fact::attribute(fact.subject(), attribute::LORE, statement.clone(), provenance)?;
    let mentions = fact.entities().cloned().collect::<Vec<_>>();
    let builder = builder.statement(statement).mentions(mentions).validity(validity);
    Ok(Arc::new(builder.secrecy(fact.secrecy()).fact_relation(Some(fact_relation)).build()?))
}

/// Returns a sentence in a form that can follow other words. The first word becomes lowercase only if it is in the list
/// of [openers](words::Words::openers), because any other word may be a name.
fn lower_first(sentence: &str) -> String {
    let (first, rest) = sentence.split_once(' ').unwrap_or((sentence, ""));
    let first =
        if words::contains_word(&words::english().openers, first) { first.to_lowercase() } else { first.to_owned() };
    format!("{first} {rest}").trim_end().to_owned()
}

/// Returns the edges through which a fact is known, as justifications. If the knower has its own edges, returns only
/// these.
///
/// Records of telling others are included if they are needed to detect a lie, or to detect that the knower hears its
/// own news again.
pub(crate) fn justifications(known: &Known) -> impl Iterator<Item = Justification> {
    let has_own = known.known_edges().iter().any(|known_edge| known_edge.access_path == AccessPath::Own);
    let known_edges: Vec<&KnownEdge> =
        known.known_edges().iter().filter(|known_edge| !has_own || known_edge.access_path == AccessPath::Own).collect();
    let has_several = known_edges.len() > 1;
    let shared = known.shared().iter().filter(move |record| has_several || is_made_up(&record.edge));
    known_edges
        .into_iter()
        .chain(shared)
        .map(|known_edge| Justification::Basis { fact: known.id(), edge: known_edge.id })
}

/// Returns all ids except `excluded` and `also_excluded`.
fn all_except(all: &[EntityId], excluded: &EntityId, also_excluded: Option<&EntityId>) -> Vec<EntityId> {
    all.iter().filter(|id| *id != excluded && Some(*id) != also_excluded).cloned().collect()
}

/// Returns the newest name and kind of an entity, each with the name of its attribute. Secret names and kinds are
/// skipped.
pub(crate) fn newest_name_and_kind<'s>(
    state: &'s State,
    id: &EntityId,
) -> impl Iterator<Item = (&'static str, &'s Fact)> + use<'s> {
    let newest_facts = [attribute::NAME, attribute::KIND].map(|name| (name, state.newest(id, name)));
    let existing = newest_facts.into_iter().filter_map(|(name, fact)| Some((name, fact?)));
    existing.filter(|(_, fact)| fact.secrecy() != Secrecy::Secret)
}

/// Collects the changes of one occasion of learning.
struct LearningRecorder<'s> {
    state: &'s State,
    occasion: &'s Occasion,
    learning: Learning,
    /// Facts that `learning` records.
    recorded: BTreeSet<FactId>,
}

impl<'s> LearningRecorder<'s> {
    fn new(state: &'s State, occasion: &'s Occasion) -> Self {
        Self { state, occasion, learning: Learning::default(), recorded: BTreeSet::new() }
    }

    fn view(&self, knower: &EntityId) -> View {
        View::of(self.state, &knower.clone().into(), self.occasion.moment())
    }

    fn check_can_learn(&self, id: &EntityId) -> Result<(), LearnError> {
        if !can_know(self.state, id) {
            return Err(LearnError::CannotKnow(id.clone()));
        }
        if is_dead(self.state, id, self.occasion.moment()) {
            return Err(LearnError::Dead(id.clone()));
        }
        Ok(())
    }

    /// Returns the hearers, sorted and without duplicates, after checking that each of them can learn facts.
    fn checked_hearers(&self, given: &[EntityId]) -> Result<Vec<EntityId>, LearnError> {
        let hearers: BTreeSet<&EntityId> = given.iter().collect();
        for id in &hearers {
            self.check_can_learn(id)?;
        }
        if hearers.is_empty() {
            return Err(LearnError::NoHearers);
        }
        Ok(hearers.into_iter().cloned().collect())
    }

    /// Checks that a fact is neither proposed nor rejected, and records it if it is new.
    fn record_fact(&mut self, fact: &Arc<Fact>) -> Result<(), LearnError> {
        let existing = self.state.fact(fact.id());
        let status = existing.map_or(fact.status(), |fact| fact.status());
        if !status.is_knowable() {
            let statement = fact.statement().to_owned();
            return Err(LearnError::NotInWorld { statement, status: status.as_str() });
        }
        if existing.is_none() && self.recorded.insert(fact.id()) {
            self.learning.changes.push(Change::AssertFact(Arc::clone(fact)));
        }
        Ok(())
    }

    fn new_edge(&self, knower: &EntityId, fact: &Fact, acquisition: Acquisition) -> KnowledgeEdge {
        self.occasion.new_edge(knower, fact.id(), acquisition)
    }

    fn learn(&mut self, view: &View, edge: KnowledgeEdge, belief: Credence) {
        let edge = edge.sorted();
        if let Some(knower) = edge.knower.entity() {
            let was_known = view.fact(edge.fact).is_some_and(|known| !known.is_made_up());
            let (knower, fact, id) = (knower.clone(), edge.fact, edge.id());
            let learned_fact = LearnedFact { knower, fact, edge: id, belief, was_known };
            self.learning.learned_facts.push(learned_fact);
        }
        self.learning.changes.push(Change::Learn(Arc::new(edge)));
    }

    /// Makes the speaker know its own statement, and returns the new edge. Does nothing if the speaker lies or already
    /// knows the statement.
    fn learn_own_statement(
        &mut self,
        view: &View,
        speaker: &EntityId,
        fact: &Arc<Fact>,
        sincerity: Sincerity,
    ) -> Result<BTreeSet<(FactId, KnowledgeId)>, LearnError> {
        self.record_fact(fact)?;
        if sincerity == Sincerity::Lie || view.fact(fact.id()).is_some_and(|known| !known.is_made_up()) {
            return Ok(BTreeSet::new());
        }
        let edge = self.new_edge(speaker, fact, Acquisition::Authored);
        let own_edges = BTreeSet::from([(fact.id(), edge.id())]);
        self.learn(view, edge, Credence::FULL);
        Ok(own_edges)
    }

    fn tell(&mut self, telling: &Telling, own_edges: &BTreeSet<(FactId, KnowledgeId)>) -> Result<(), LearnError> {
        let &Telling { teller, fact, sincerity, .. } = telling;
        self.check_can_learn(teller)?;
        let hearers = self.checked_hearers(telling.hearers)?;
        if hearers.contains(teller) {
            return Err(LearnError::TellerIsHearer(teller.clone()));
        }
        let told_fact = telling.retold.unwrap_or(fact);
        self.record_fact(told_fact)?;
        let view = self.view(teller);
        let known = view.fact(fact.id());
        let mut sources: Vec<Justification> =
            known.filter(|known| !known.is_made_up()).into_iter().flat_map(justifications).collect();
        sources.extend(own_edges.iter().map(|(fact, edge)| Justification::Basis { fact: *fact, edge: *edge }));
        let teller_credence = match sincerity {
            Sincerity::Sincere if sources.is_empty() => {
                let statement = fact.statement().to_owned();
                return Err(LearnError::NotKnown { teller: teller.clone(), statement });
            }
            Sincerity::Sincere => known.map_or(1.0, |known| known.credence().get()),
            Sincerity::Lie => {
                sources.clear();
                1.0
            }
        };
        let record = KnowledgeEdge {
            co_present: hearers.clone(),
            sources: sources.clone(),
            credence: Credence::NONE,
            ..self.new_edge(teller, told_fact, Acquisition::Shared)
        };
        self.learning.changes.push(Change::Learn(Arc::new(record.sorted())));
        for knower in &hearers {
            let hearer_view = self.view(knower);
            let known_teller =
                telling.alias.is_none_or(|alias| hearer_view.knows_name(teller, alias)).then_some(teller);
            let acquisition = Acquisition::Told { by: known_teller.cloned(), citing: telling.citing.cloned() };
            let trust = known_teller.map_or_else(Trust::for_stranger, |teller| Trust::of(&hearer_view, teller));
            let co_present = all_except(&hearers, knower, Some(teller));
            let trust_level = trust.level().get();
            let mut edge = KnowledgeEdge {
                co_present: co_present.clone(),
                sources: sources.clone(),
                ..self.new_edge(knower, told_fact, acquisition.clone())
            };
            let belief = match telling.credence {
                Some(given) => {
                    // The caller set the final credence. If the teller does not lie, the credence cannot exceed the
                    // teller's belief after one retelling.
                    let max_credence = if sources.is_empty() { 1.0 } else { RETELLING_FACTOR * teller_credence };
                    edge.credence =
                        if given.get() < max_credence { credence(given.get() / max_credence) } else { Credence::FULL };
                    credence(edge.credence.get() * max_credence)
                }
                None => {
                    edge.credence = match sources.is_empty() {
                        true => credence(trust.first_impression.get() * RETELLING_FACTOR),
                        false => trust.first_impression,
                    };
                    edge.sources.extend(trust.experiences.iter().cloned().map(Justification::from));
                    credence(trust_level * RETELLING_FACTOR * teller_credence)
                }
            };
            self.learn(&hearer_view, edge, belief);
            self.learn_names(&hearer_view, std::slice::from_ref(told_fact), &co_present, &acquisition, Some(&view));
        }
        Ok(())
    }

    /// Makes the knower learn the names and kinds of the entities in the facts. A teller passes on only the names and
    /// kinds that the teller knows.
    fn learn_names(
        &mut self,
        view: &View,
        facts: &[Arc<Fact>],
        co_present: &[EntityId],
        acquisition: &Acquisition,
        teller: Option<&View>,
    ) {
        let Some(knower) = view.knower().entity() else { return };
        let entities: BTreeSet<&EntityId> = facts.iter().flat_map(|fact| fact.entities()).collect();
        for id in entities {
            let knows = |name: &str| view.facts_with_subject(id).any(|known| *known.predicate() == *name);
            for (name, fact) in newest_name_and_kind(self.state, id) {
                if knows(name) {
                    continue;
                }
                let sources = match teller.map(|teller| teller.fact(fact.id())) {
                    Some(None) => continue,
                    Some(Some(known)) => justifications(known).collect(),
                    None => Vec::new(),
                };
                let edge = KnowledgeEdge {
                    co_present: co_present.to_vec(),
                    sources,
                    ..self.new_edge(knower, fact, acquisition.clone())
                };
                self.learning.changes.push(Change::Learn(Arc::new(edge.sorted())));
            }
        }
    }
}

#[cfg(test)]
mod tests;
