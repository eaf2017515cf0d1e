//! Beliefs of a knower, with their reasons and derivations. Also the opinions of a knower about the knowledge of
//! others.

use std::collections::BTreeSet;

use hearsay_belief::{Attribution, AttributionReason, BeliefStatus, DerivationStep, KnownEdge, View, derivations};
use hearsay_model::{
    EntityId, Fact, FactId, FactStatus, GameTime, Knower, KnowledgeEdge, KnowledgeId, Predicate, SessionId, State,
};
use serde::Serialize;

use crate::{
    QueryError,
    dates::date_text,
    facts::{NameFn, describe_acquisition_with_names},
    ids::{require_entities, require_entity, require_fact},
    knowledge::{
        describe_edge, describe_edge_with_names, describe_own_version, known_edges, learning_session, time_text,
    },
};

/// A knower's beliefs about a subject, compared with the truth.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BeliefReport {
    /// Knower that holds the beliefs.
    pub knower: EntityId,
    /// Entity that the beliefs are about.
    pub subject: EntityId,
    /// Beliefs, sorted by predicate. For each predicate, the most credible belief comes first.
    pub answers: Vec<BeliefRow>,
    /// Canon facts about the subject that are true at the given game time, sorted by predicate. The facts have the
    /// requested predicate or, if no predicate was requested, the predicates of the beliefs. Only the DM may see these
    /// facts. `None` in a report without the truth.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub truth: Option<Vec<TruthRow>>,
}

impl BeliefReport {
    /// Removes the data that only the DM may see: the truth, and the status of each fact.
    #[must_use]
    pub fn without_truth(mut self) -> Self {
        self.truth = None;
        self.answers.iter_mut().for_each(|belief| belief.status = None);
        self
    }
}

/// A fact that a knower knows, with the knower's belief in the fact.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BeliefRow {
    /// Id of the fact.
    pub fact: FactId,
    /// Predicate of the fact.
    pub predicate: Predicate,
    /// Object of the fact as text: the id of an entity, or a value.
    pub object: String,
    /// Sentence that states the fact.
    pub statement: String,
    /// The knower's credence in the fact, 0.0–1.0. Known refutations lower this value.
    pub credence: f64,
    /// Whether the knower believes the fact, doubts it, or believes another fact instead.
    pub hold: BeliefStatus,
    /// Reasons for the belief: the edges through which the knower knows the fact.
    pub because: Vec<ReasonRow>,
    /// Other facts known to the knower that contradict, end or replace this fact.
    pub against: Vec<ContradictingFactRow>,
    /// Status of the fact, which only the DM may see. `None` in a report without the truth.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<FactStatus>,
}

/// A knowledge edge through which a knower knows a fact.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ReasonRow {
    /// How the knower learned the fact, in words: `told by odo-brandt`.
    pub acquisition: String,
    /// Game time at which the knower learned the fact, as text; `None` if the time is unknown.
    pub since: Option<String>,
    /// Session in which the knower learned the fact; `None` if there is no session.
    pub session: Option<SessionId>,
    /// The knower's credence in the fact according to this edge alone, 0.0–1.0.
    pub credence: f64,
}

/// A fact that contradicts a belief.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ContradictingFactRow {
    /// Id of the fact.
    pub fact: FactId,
    /// Sentence that states the fact.
    pub statement: String,
    /// The knower's credence in this fact, 0.0–1.0.
    pub credence: f64,
}

/// A canon fact that is compared with the beliefs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TruthRow {
    /// Id of the fact.
    pub fact: FactId,
    /// Predicate of the fact.
    pub predicate: Predicate,
    /// Sentence that states the fact.
    pub statement: String,
    /// Whether the knower knows this fact.
    pub known: bool,
}

/// Returns a knower's beliefs about a subject at a game time. If a predicate is given, returns only beliefs with this
/// predicate.
///
/// # Errors
/// Returns an error if an entity does not exist, or if the predicate is invalid.
pub fn beliefs(
    state: &State,
    knower: &EntityId,
    subject: &EntityId,
    predicate: Option<&str>,
    moment: Option<GameTime>,
) -> Result<BeliefReport, QueryError> {
    require_entities(state, [knower, subject])?;
    let only_predicate = predicate.map(Predicate::new).transpose()?;
    let view = View::new(state, &Knower::Entity(knower.clone()), moment);
    let predicates: BTreeSet<Predicate> = match only_predicate {
        Some(only_predicate) => BTreeSet::from([only_predicate]),
        None => view.facts_with_subject(subject).map(|known| known.predicate().clone()).collect(),
    };
    let mut answers = Vec::new();
    for predicate in &predicates {
        for belief in view.beliefs(subject, predicate) {
            let known = belief.known;
            let because = known_edges(known).iter().map(|known_edge| ReasonRow {
                acquisition: describe_edge(known_edge),
                since: time_text(state, known_edge.since),
                session: known_edge.edge.session.clone(),
                credence: known_edge.belief.get(),
            });
            let mut against: Vec<FactId> = belief.contradicting_facts.clone();
            against.extend(match belief.status {
                BeliefStatus::Ended(id) | BeliefStatus::Superseded(id) | BeliefStatus::Outweighed(id) => Some(id),
                _ => None,
            });
            against.sort_unstable();
            against.dedup();
            let against = against.into_iter().filter_map(|id| view.fact(id)).map(|other| ContradictingFactRow {
                fact: other.id(),
                statement: other.statement().to_owned(),
                credence: view.belief(other).credence.get(),
            });
            answers.push(BeliefRow {
                fact: known.id(),
                predicate: predicate.clone(),
                object: known.object().to_string(),
                statement: known.statement().to_owned(),
                credence: belief.credence.get(),
                hold: belief.status,
                because: because.collect(),
                against: against.collect(),
                status: state.fact(known.id()).map(|fact| fact.status()),
            });
        }
    }
    let is_canon_fact = |fact: &&std::sync::Arc<Fact>| {
        let matches = *fact.subject() == *subject && predicates.contains(fact.predicate());
        matches && fact.status() == FactStatus::Canon && fact.validity().holds_at(moment)
    };
    let mut canon_facts: Vec<_> = state.facts_of(subject).filter(is_canon_fact).collect();
    canon_facts.sort_by_key(|fact| (fact.predicate(), fact.id()));
    let truth = canon_facts.into_iter().map(|fact| TruthRow {
        fact: fact.id(),
        predicate: fact.predicate().clone(),
        statement: fact.statement().to_owned(),
        known: view.fact(fact.id()).is_some(),
    });
    let truth = Some(truth.collect());
    Ok(BeliefReport { knower: knower.clone(), subject: subject.clone(), answers, truth })
}

/// The opinion of a first knower that a second knower knows a fact, with the reason for this opinion.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AttributedFactRow {
    /// Id of the fact.
    pub fact: FactId,
    /// Predicate of the fact.
    pub predicate: Predicate,
    /// Sentence that states the fact.
    pub statement: String,
    /// The first knower's reason for this opinion, in words: `odo-brandt was there`, `told odo-brandt`, `odo-brandt
    /// told it`.
    pub because: String,
    /// Game time of the reason, as text. For example, the time at which the first knower told the fact. `None` if the
    /// time is unknown.
    pub since: Option<String>,
    /// Session in which the first knower learned the fact; `None` if there is no session.
    pub session: Option<SessionId>,
    /// The second knower's credence in the fact, as the first knower estimates it, 0.0–1.0.
    pub credence: f64,
}

pub(crate) fn describe_reason(reason: &AttributionReason, other: &EntityId) -> String {
    match reason {
        AttributionReason::Common => "everybody knows it".into(),
        AttributionReason::Belongs(group) => format!("{other} belongs to {group}"),
        AttributionReason::ToldByMe => format!("told {other}"),
        AttributionReason::Present => format!("{other} was there"),
        AttributionReason::AtPlaceOfArrival(place) => format!("{other} was at {place} then"),
        AttributionReason::ToldMe => format!("{other} told it"),
    }
}

/// Returns the facts that, in the opinion of `knower`, the character `other` knows. The facts with the latest reasons
/// come first. If `subject` or `predicate` is given, returns only facts with this subject or predicate. The result
/// includes common lore only if both `subject` and `predicate` are given.
///
/// # Errors
/// Returns an error if an entity does not exist, or if the predicate is invalid.
pub fn attributed_facts(
    state: &State,
    knower: &EntityId,
    other: &EntityId,
    subject: Option<&EntityId>,
    predicate: Option<&str>,
    moment: Option<GameTime>,
) -> Result<Vec<AttributedFactRow>, QueryError> {
    require_entities(state, [knower, other].into_iter().chain(subject))?;
    let predicate_filter = predicate.map(Predicate::new).transpose()?;
    let view = View::new(state, &Knower::Entity(knower.clone()), moment);
    let row = |known: &hearsay_belief::Known, reasons: &[Attribution]| {
        let reason = reasons.first()?;
        Some(AttributedFactRow {
            fact: known.id(),
            predicate: known.predicate().clone(),
            statement: known.statement().to_owned(),
            because: describe_reason(&reason.reason, other),
            since: time_text(state, reason.since),
            session: learning_session(known).cloned(),
            credence: reason.credence.get(),
        })
    };
    if let (Some(subject), Some(predicate)) = (subject, &predicate_filter) {
        let believed = view.attributed_beliefs(other, subject, predicate);
        return Ok(believed.iter().filter_map(|(known, reasons)| row(known, reasons)).collect());
    }
    let attributed = view.attributed_facts(other);
    let matches_filter = |known: &hearsay_belief::Known| {
        subject.is_none_or(|subject| known.subject() == subject)
            && predicate_filter.as_ref().is_none_or(|predicate| known.predicate() == predicate)
    };
    let mut found: Vec<_> = attributed
        .iter()
        .filter_map(|(id, reasons)| Some((view.fact(*id)?, reasons)))
        .filter(|(known, reasons)| {
            let is_common_lore = reasons.iter().all(|reason| reason.reason == AttributionReason::Common);
            matches_filter(known) && !is_common_lore
        })
        .collect();
    found.sort_by_key(|(known, reasons)| {
        (std::cmp::Reverse(reasons.iter().map(|reason| reason.since).max().flatten()), known.id())
    });
    Ok(found.into_iter().filter_map(|(known, reasons)| row(known, reasons)).collect())
}

/// Derivation of a knower's belief in a fact: the knowledge edges that led to the belief.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Derivation {
    /// Id of the knower.
    pub knower: EntityId,
    /// Id of the fact.
    pub fact: FactId,
    /// Sentence that states the fact.
    pub statement: String,
    /// The knower's credence in the fact from all edges together, 0.0–1.0. Refutations that the knower knows lower this
    /// value.
    pub credence: f64,
    /// Edges through which the knower knows the fact. Each row contains the rows of the edges on which its edge
    /// depends.
    pub known_edges: Vec<DerivationRow>,
}

/// One knowledge edge of a derivation.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DerivationRow {
    /// Id of the edge.
    pub edge: KnowledgeId,
    /// Knower of the edge; `*` for everybody.
    pub knower: Knower,
    /// Fact of this edge, if it differs from the fact of the derivation. It is the original of a distorted fact, or a
    /// premise of a deduction. `None` if the edge leads to the fact of the derivation.
    pub other_fact: Option<FactId>,
    /// Sentence that states `other_fact`; `None` if there is no other fact.
    pub other_statement: Option<String>,
    /// How the knower learned the fact, in words.
    pub acquisition: String,
    /// Game time at which the knower learned the fact, as text; `None` if the time is unknown.
    pub learned: Option<String>,
    /// Session in which the knower learned the fact; `None` if there is no session.
    pub session: Option<SessionId>,
    /// Other characters who were present when the knower learned the fact.
    pub co_present: Vec<EntityId>,
    /// The credence of the edge's knower in the fact according to this edge alone, 0.0–1.0.
    pub credence: f64,
    /// The knower's trust in the teller, 0.0–1.0. For an edge without a teller, the credence that is stored in the
    /// edge.
    pub trust_factor: f64,
    /// Edges on which this edge depends. Empty for an edge without justifications, such as the edge of a witness.
    pub from: Vec<DerivationRow>,
}

fn derivation_row(state: &State, fact: FactId, link: &DerivationStep, name_of: NameFn) -> DerivationRow {
    let edge = &link.edge;
    let other = Some(edge.fact).filter(|id| *id != fact);
    DerivationRow {
        edge: link.id,
        knower: edge.knower.clone(),
        other_fact: other,
        other_statement: other.and_then(|id| state.fact(id)).map(|fact| fact.statement().to_owned()),
        acquisition: match edge.acquisition.gives_knowledge() {
            true => describe_acquisition_with_names(&edge.acquisition, name_of),
            false => describe_own_version(edge).to_owned(),
        },
        learned: date_text(state, edge.learned.as_ref()),
        session: edge.session.clone(),
        co_present: edge.co_present.clone(),
        credence: link.belief.get(),
        trust_factor: link.trust_factor.get(),
        from: derivation_rows(state, fact, &link.from, name_of),
    }
}

/// Returns the rows of several steps.
fn derivation_rows(state: &State, fact: FactId, steps: &[DerivationStep], name_of: NameFn) -> Vec<DerivationRow> {
    let mut steps = without_retellings(state, steps);
    steps.sort_by_key(|step| step.id);
    steps.dedup_by_key(|step| step.id);
    without_repeated(steps.into_iter().map(|step| derivation_row(state, fact, step, name_of)).collect())
}

/// Returns steps without the edges that only record that a knower told others a fact: the steps on which such an edge depends
/// take its place. If the knower has no other edge to the fact, the knower made up the fact, and the edge stays.
fn without_retellings<'s>(state: &State, steps: &'s [DerivationStep]) -> Vec<&'s DerivationStep> {
    let knows = |edge: &KnowledgeEdge| {
        let mut edges = state.known_by(edge.fact);
        edges.any(|other| other.knower == edge.knower && other.acquisition.gives_knowledge())
    };
    let mut kept = Vec::new();
    for step in steps {
        match step.edge.acquisition.gives_knowledge() || !knows(&step.edge) {
            true => kept.push(step),
            false => kept.extend(without_retellings(state, &step.from)),
        }
    }
    kept
}

/// Returns rows without each origin that only repeats an origin without a date: a knower who always knew the fact, and also
/// said it in a session.
fn without_repeated(rows: Vec<DerivationRow>) -> Vec<DerivationRow> {
    let is_repeated = |row: &DerivationRow| {
        let is_same = |other: &DerivationRow| {
            (&other.knower, &other.acquisition, other.other_fact) == (&row.knower, &row.acquisition, row.other_fact)
        };
        let is_origin = |row: &DerivationRow| row.from.is_empty();
        let mut undated = rows.iter().filter(|other| other.learned.is_none() && is_origin(other));
        row.learned.is_some() && is_origin(row) && undated.any(is_same)
    };
    let repeated: Vec<bool> = rows.iter().map(is_repeated).collect();
    rows.into_iter().zip(repeated).filter(|(_, is_repeated)| !is_repeated).map(|(row, _)| row).collect()
}

/// Returns the row for a fact that the knower made up. Such a row depends on no other edges.
fn invented_fact_row(state: &State, known_edge: &KnownEdge, name_of: NameFn) -> DerivationRow {
    DerivationRow {
        edge: known_edge.id,
        knower: known_edge.edge.knower.clone(),
        other_fact: None,
        other_statement: None,
        acquisition: describe_edge_with_names(known_edge, name_of),
        learned: date_text(state, known_edge.edge.learned.as_ref()),
        session: known_edge.edge.session.clone(),
        co_present: Vec::new(),
        credence: known_edge.belief.get(),
        trust_factor: 1.0,
        from: Vec::new(),
    }
}

/// Returns the derivation of a knower's belief in a fact: the chains of knowledge edges back to the origins of the
/// fact. For example, an origin is a witness, or a character who invented the fact.
///
/// # Errors
/// Returns an error if the knower or the fact does not exist, or if the knower does not know the fact.
pub fn derivation(
    state: &State,
    knower: &EntityId,
    fact: FactId,
    moment: Option<GameTime>,
) -> Result<Derivation, QueryError> {
    derivation_with_names(state, knower, fact, moment, &EntityId::to_string)
}

/// Returns the same as [`derivation`], with names in the texts. `name_of` returns the names of the entities.
///
/// # Errors
/// Returns the errors of [`derivation`].
pub fn derivation_with_names(
    state: &State,
    knower: &EntityId,
    fact: FactId,
    moment: Option<GameTime>,
    name_of: NameFn,
) -> Result<Derivation, QueryError> {
    require_entity(state, knower)?;
    let fact = require_fact(state, fact)?;
    let view = View::new(state, &Knower::Entity(knower.clone()), moment);
    let statement = fact.statement().to_owned();
    let Some(known) = view.fact(fact.id()) else {
        return Err(QueryError::NotKnown { knower: knower.clone(), statement });
    };
    let mut links = derivation_rows(state, fact.id(), &derivations(state, known), name_of);
    if known.is_made_up() {
        links = known_edges(known).iter().map(|known_edge| invented_fact_row(state, known_edge, name_of)).collect();
    }
    Ok(Derivation {
        knower: knower.clone(),
        fact: fact.id(),
        statement,
        credence: view.belief(known).credence.get(),
        known_edges: links,
    })
}
