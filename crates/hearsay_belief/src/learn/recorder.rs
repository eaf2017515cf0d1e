//! The recorder, which collects the changes of one occasion on which knowers learn facts.

use std::{collections::BTreeSet, rc::Rc, sync::Arc};

use hearsay_model::{
    Acquisition, Change, Credence, EntityId, Fact, FactId, Justification, Knower, KnowledgeEdge, KnowledgeId, Secrecy,
    State, attribute,
};

use super::{HeardStatement, LearnError, LearnedFact, Learning, Sincerity, Telling};
use crate::{
    AccessPath, Known, KnownEdge, Occasion, RETELLING_FACTOR, StateViews, Trust, View,
    credence::{credence, own_edges_decide},
    occasion::{can_know, hides_from, is_dead},
};

/// Testimony: a fact that a teller tells hearers, and the edges through which the teller knows the fact.
struct Testimony<'a> {
    teller: &'a EntityId,
    /// The teller's view.
    view: &'a View,
    /// The secret name that the teller uses; `None` if the teller uses no secret name.
    alias: Option<&'a str>,
    /// The entity that the teller names as its own source; `None` if the teller names no source.
    citing: Option<&'a EntityId>,
    fact: &'a Arc<Fact>,
    hearers: &'a [Knower],
    /// The edges through which the teller knows the fact; empty if the teller invented the fact.
    sources: Vec<Justification>,
    /// The teller's credence in the fact, or 1 if the teller invented the fact.
    teller_credence: f64,
    /// The hearers' credence; `None` if it is computed from their trust in the teller.
    credence: Option<Credence>,
    /// A factor for the hearers' credence: the probability that the teller really states the fact.
    certainty: Credence,
}

/// Collects the changes of one occasion of learning.
pub(super) struct LearningRecorder<'s> {
    state: &'s State,
    views: StateViews<'s>,
    occasion: &'s Occasion,
    pub(super) learning: Learning,
    /// Facts that `learning` records.
    recorded: BTreeSet<FactId>,
}

impl<'s> LearningRecorder<'s> {
    pub(super) fn new(views: StateViews<'s>, occasion: &'s Occasion) -> Self {
        Self { state: views.state(), views, occasion, learning: Learning::default(), recorded: BTreeSet::new() }
    }

    /// Returns the view of a knower at the moment of the occasion.
    pub(super) fn view(&self, knower: &Knower) -> Rc<View> {
        self.views.get(knower, self.occasion.moment())
    }

    pub(super) fn check_can_learn(&self, id: &EntityId) -> Result<(), LearnError> {
        if !can_know(self.state, id) {
            return Err(LearnError::CannotKnow(id.clone()));
        }
        if is_dead(self.state, id, self.occasion.moment()) {
            return Err(LearnError::Dead(id.clone()));
        }
        Ok(())
    }

    /// Returns the hearers, sorted and without duplicates, after checking that each of them can learn facts.
    pub(super) fn checked_hearers(&self, given: &[EntityId]) -> Result<Vec<EntityId>, LearnError> {
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
    pub(super) fn record_fact(&mut self, fact: &Arc<Fact>) -> Result<(), LearnError> {
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

    pub(super) fn new_edge(&self, knower: impl Into<Knower>, fact: &Fact, acquisition: Acquisition) -> KnowledgeEdge {
        self.occasion.new_edge(knower, fact.id(), acquisition)
    }

    /// Records that a knower learns a fact. A knower who conceals the fact still conceals it, however often the knower
    /// states or hears it.
    pub(super) fn learn(&mut self, view: &View, edge: KnowledgeEdge, belief: Credence) {
        let mut edge = edge.sorted();
        edge.conceals |= view.fact(edge.fact).is_some_and(Known::conceals);
        if let Some(knower) = edge.knower.entity() {
            let was_known = view.fact(edge.fact).is_some_and(|known| !known.is_made_up());
            let (knower, fact, id) = (knower.clone(), edge.fact, edge.id());
            let learned_fact = LearnedFact { knower, fact, edge: id, belief, was_known };
            self.learning.learned_facts.push(learned_fact);
        }
        self.learning.changes.push(Change::Learn(Arc::new(edge)));
    }

    /// Records that the speaker knows its own statement, and returns the new edge. Does nothing if the speaker lies or
    /// already knows the fact.
    pub(super) fn learn_own_statement(
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
        let edge = self.new_edge(speaker.clone(), fact, Acquisition::Authored);
        let own_edges = BTreeSet::from([(fact.id(), edge.id())]);
        self.learn(view, edge, Credence::FULL);
        Ok(own_edges)
    }

    pub(super) fn tell(
        &mut self,
        telling: &Telling,
        own_edges: &BTreeSet<(FactId, KnowledgeId)>,
    ) -> Result<(), LearnError> {
        let &Telling { teller, fact, sincerity, .. } = telling;
        self.check_can_learn(teller)?;
        let hearers = self.checked_hearers(telling.hearers)?;
        if hearers.contains(teller) {
            return Err(LearnError::TellerIsHearer(teller.clone()));
        }
        let told_fact = telling.retold.unwrap_or(fact);
        self.record_fact(told_fact)?;
        let view = self.view(&teller.clone().into());
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
        let hearers: Vec<Knower> = hearers.into_iter().map(Knower::Entity).collect();
        self.testify(&Testimony {
            teller,
            view: &view,
            alias: telling.alias,
            citing: telling.citing,
            fact: told_fact,
            hearers: &hearers,
            sources,
            teller_credence,
            credence: telling.credence,
            certainty: Credence::FULL,
        });
        Ok(())
    }

    /// Records that the speaker and the hearers of a statement learn its fact. If the speaker lies, only the hearers
    /// learn the fact.
    pub(super) fn overhear(&mut self, statement: &HeardStatement) {
        let &HeardStatement { speaker, view, alias, citing, fact, .. } = statement;
        let (mut sources, mut certainty) = (Vec::new(), statement.certainty);
        let mut teller_credence = 1.0_f64;
        let known_content = statement.restates.filter(|_| view.fact(fact.id()).is_none()).unwrap_or(fact.id());
        if sincerity_about(view, known_content, statement.sincerity) == Sincerity::Sincere {
            let known = view.fact(fact.id()).filter(|known| !known.is_made_up());
            sources.extend(known.into_iter().flat_map(justifications));
            teller_credence = known.map_or(0.0, |known| known.credence().get());
            // Each line that states the fact on the speaker's own word gets an edge. If one of these lines is removed,
            // the hearers of the others still know the fact.
            if known.is_none_or(is_known_on_own_word) {
                let (mut edge, belief) = self.own_edge(statement, known.is_none());
                // Without a game clock, the edge of the line can be the recorded edge from which the speaker knows the
                // fact. This edge keeps its session and its credence.
                if let Some(recorded) = self.state.knowledge(edge.id()) {
                    let credence = recorded.credence.max(edge.credence);
                    edge = KnowledgeEdge { credence, ..KnowledgeEdge::clone(recorded) };
                }
                sources.push(Justification::Basis { fact: fact.id(), edge: edge.id() });
                teller_credence = teller_credence.max(belief.get());
                // The speaker's edge contains the factor already.
                certainty = Credence::FULL;
                self.learn(view, edge, belief);
            }
        }
        // A hearer who does not know whose secret name it is must not learn facts about the speaker.
        let reveals_speaker = fact.entities().any(|id| id == speaker);
        let is_masked_for = |hearer: &Knower| {
            reveals_speaker && alias.is_some_and(|alias| !self.view(hearer).knows_name(speaker, alias))
        };
        let hears = |hearer: &&Knower| hearer.entity() != Some(speaker) && !is_masked_for(hearer);
        let hearers: Vec<Knower> = statement.hearers.iter().filter(hears).cloned().collect();
        if hearers.is_empty() {
            return;
        }
        self.testify(&Testimony {
            teller: speaker,
            view,
            alias,
            citing,
            fact,
            hearers: &hearers,
            sources,
            teller_credence,
            credence: None,
            certainty,
        });
    }

    /// Returns the edge with which a speaker knows its own statement, and the credence that this edge gives the
    /// speaker. `is_new` is whether the speaker did not know the fact before.
    fn own_edge(&self, statement: &HeardStatement, is_new: bool) -> (KnowledgeEdge, Credence) {
        let &HeardStatement { speaker, view, fact, certainty, .. } = statement;
        let edge =
            |acquisition| KnowledgeEdge { credence: certainty, ..self.new_edge(speaker.clone(), fact, acquisition) };
        if let Some(known) = statement.restates.filter(|_| is_new).and_then(|id| view.fact(id)) {
            let sources = justifications(known).collect();
            let edge = KnowledgeEdge { sources, ..edge(Acquisition::Deduced { from: vec![known.id()] }) };
            return (edge.sorted(), credence(certainty.get() * known.credence().get()));
        }
        let Some(source) = statement.citing else { return (edge(Acquisition::Authored), certainty) };
        let trust = Trust::from_view(view, source);
        let edge = with_trust(edge(Acquisition::told(Some(source.clone()))), &trust, certainty);
        (edge.sorted(), credence(trust.level().get() * RETELLING_FACTOR * certainty.get()))
    }

    /// Returns the present characters that a knower notices: all except the excluded characters and those who
    /// [hide](hides_from) from the knower.
    pub(super) fn noticed_by(&self, view: &View, present: &[EntityId], excluded: &[&EntityId]) -> Vec<EntityId> {
        let hides = |id: &EntityId| hides_from(self.state, id, view, self.occasion.moment());
        present.iter().filter(|id| !excluded.contains(id) && !hides(id)).cloned().collect()
    }

    /// Records that hearers learn a fact from a teller, and that the teller told the hearers.
    fn testify(&mut self, testimony: &Testimony) {
        let &Testimony { teller, view, fact, hearers, teller_credence, certainty, .. } = testimony;
        let sources = &testimony.sources;
        let present: Vec<EntityId> = hearers.iter().filter_map(Knower::entity).cloned().collect();
        let record = KnowledgeEdge {
            co_present: self.noticed_by(view, &present, &[]),
            sources: sources.clone(),
            credence: Credence::NONE,
            ..self.new_edge(teller.clone(), fact, Acquisition::Shared)
        };
        self.learning.changes.push(Change::Learn(Arc::new(record.sorted())));
        for hearer in hearers {
            let hearer_view = self.view(hearer);
            let known_teller =
                testimony.alias.is_none_or(|alias| hearer_view.knows_name(teller, alias)).then_some(teller);
            let acquisition = Acquisition::Told { by: known_teller.cloned(), citing: testimony.citing.cloned() };
            let trust = known_teller.map_or_else(Trust::for_stranger, |teller| Trust::from_view(&hearer_view, teller));
            let excluded: Vec<&EntityId> = hearer.entity().into_iter().chain([teller]).collect();
            let co_present = self.noticed_by(&hearer_view, &present, &excluded);
            let mut edge = KnowledgeEdge {
                co_present: co_present.clone(),
                sources: sources.clone(),
                ..self.new_edge(hearer.clone(), fact, acquisition.clone())
            };
            let belief = match testimony.credence {
                Some(given) => {
                    // The caller set the final credence. If the teller does not lie, the credence cannot exceed the
                    // teller's belief after one retelling.
                    let max_credence = if sources.is_empty() { 1.0 } else { RETELLING_FACTOR * teller_credence };
                    edge.credence =
                        if given.get() < max_credence { credence(given.get() / max_credence) } else { Credence::FULL };
                    credence(edge.credence.get() * max_credence)
                }
                None => {
                    edge = with_trust(edge, &trust, certainty);
                    credence(trust.level().get() * RETELLING_FACTOR * teller_credence * certainty.get())
                }
            };
            self.learn(&hearer_view, edge, belief);
            // A doubtful fact waits for review, and so do the names in it.
            if fact.status().is_knowable() {
                self.learn_names(&hearer_view, std::slice::from_ref(fact), &co_present, &acquisition, Some(view));
            }
        }
    }

    /// Records that the knower learns the names and kinds of the entities in the facts. A teller passes on only the
    /// names and kinds that the teller knows.
    pub(super) fn learn_names(
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
                    ..self.new_edge(knower.clone(), fact, acquisition.clone())
                };
                self.learning.changes.push(Change::Learn(Arc::new(edge.sorted())));
            }
        }
    }
}

/// Returns the edges that [decide](crate::combined_belief) the knower's credence in a fact, as justifications. These are
/// only the knower's own edges, or all edges.
///
/// Records of telling others are included if they are needed to detect a lie, or to detect that the knower hears its
/// own news again.
pub(crate) fn justifications(known: &Known) -> impl Iterator<Item = Justification> {
    let is_own = |known_edge: &&KnownEdge| known_edge.access_path == AccessPath::Own;
    let own_decide = own_edges_decide(known.known_edges().iter().filter(is_own).map(|known_edge| &*known_edge.edge));
    let known_edges: Vec<&KnownEdge> =
        known.known_edges().iter().filter(|known_edge| !own_decide || is_own(known_edge)).collect();
    let has_several = known_edges.len() > 1;
    let shared = known.shared().iter().filter(move |record| has_several || record.edge.is_invention());
    known_edges
        .into_iter()
        .chain(shared)
        .map(|known_edge| Justification::Basis { fact: known.id(), edge: known_edge.id })
}

/// Returns an edge to a told fact with a credence that is computed from the knower's trust in the teller. `certainty`
/// is a factor for this credence.
fn with_trust(mut edge: KnowledgeEdge, trust: &Trust, certainty: Credence) -> KnowledgeEdge {
    // If the edge depends on other edges, the factor for a retelling is applied along the chain.
    let retelling_factor = if edge.sources.is_empty() { RETELLING_FACTOR } else { 1.0 };
    edge.credence = credence(trust.first_impression.get() * retelling_factor * certainty.get());
    edge.sources.extend(trust.experiences.iter().cloned().map(Justification::from));
    edge
}

/// Returns whether the words of a speaker about a fact are sincere. A speaker who does not believe the fact at all lies,
/// even if the rest of its words is sincere.
pub(super) fn sincerity_about(view: &View, fact: FactId, of_words: Sincerity) -> Sincerity {
    if view.fact(fact).is_some_and(Known::is_disbelieved) { Sincerity::Lie } else { of_words }
}

/// Returns whether a knower knows a fact only because the knower itself stated it, or because the campaign says so.
fn is_known_on_own_word(known: &Known) -> bool {
    known
        .known_edges()
        .iter()
        .all(|known_edge| known_edge.access_path == AccessPath::Own && known_edge.edge.acquisition.is_authored())
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
