//! A knower's beliefs: the reasons for them, their derivations, and beliefs about the knowledge of other knowers.

use std::collections::BTreeSet;

use hearsay_belief::{Attributed, DerivationStep, Hold, KnownEdge, Reason, View, chains};
use hearsay_model::{EntityId, Fact, FactId, FactStatus, GameTime, Knower, KnowledgeId, Predicate, SessionId, State};
use serde::Serialize;

use crate::{
    QueryError,
    dates::date,
    facts::how_in_words,
    knowledge::{known_edges, learned_in, print, way_in_words},
    resolve::{find_fact, resolve},
};

/// A knower's beliefs about a subject, compared with the truth.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Believes {
    /// Knower that holds the beliefs.
    pub who: EntityId,
    /// Entity that the beliefs are about.
    pub subject: EntityId,
    /// Beliefs, sorted by predicate. For each predicate, the most credible belief comes first.
    pub answers: Vec<BeliefRow>,
    /// Canon facts that have the same subject and predicates and are true at the given game time. Sorted by predicate.
    pub truth: Vec<TruthRow>,
}

/// A fact that a knower believes, or knows of without believing it.
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
    /// The knower's credence in the fact, 0.0–1.0. Contradicting beliefs lower this value.
    pub credence: f64,
    /// Whether the knower believes the fact, doubts it, or believes another fact instead.
    pub hold: Hold,
    /// Reasons for the belief: the edges through which the knower knows the fact.
    pub because: Vec<ReasonRow>,
    /// Other facts known to the knower that contradict, end or replace this fact.
    pub against: Vec<AgainstRow>,
    /// Status of the fact. Only the DM may see it.
    pub status: FactStatus,
}

/// A knowledge edge through which a knower knows a fact.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ReasonRow {
    /// How the knower learned the fact, in words: `told by odo-brandt`.
    pub acquisition: String,
    /// Game time at which the knower learned the fact, as text.
    pub since: Option<String>,
    /// Session in which the knower learned the fact.
    pub session: Option<SessionId>,
    /// Credence that this edge alone gives to the fact, 0.0–1.0.
    pub credence: f64,
}

/// A fact that contradicts a belief.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AgainstRow {
    /// Id of the fact.
    pub fact: FactId,
    /// Sentence that states the fact.
    pub statement: String,
    /// The knower's credence in this fact, 0.0–1.0.
    pub credence: f64,
}

/// A canon fact that a belief is compared with.
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
/// Returns an error if a name matches no entity or several entities, or if the predicate is invalid.
pub fn believes(
    state: &State,
    who: &str,
    subject: &str,
    predicate: Option<&str>,
    moment: Option<GameTime>,
) -> Result<Believes, QueryError> {
    let (who, subject) = (resolve(state, who)?, resolve(state, subject)?);
    let given = predicate.map(Predicate::new).transpose()?;
    let view = View::of(state, &Knower::Entity(who.clone()), moment);
    let predicates: BTreeSet<Predicate> = match given {
        Some(given) => BTreeSet::from([given]),
        None => {
            let about = view.facts().filter(|known| *known.subject() == subject);
            about.map(|known| known.predicate().clone()).collect()
        }
    };
    let mut answers = Vec::new();
    for predicate in &predicates {
        for belief in view.believes(&subject, predicate) {
            let known = belief.known;
            let because = known_edges(known).iter().map(|way| ReasonRow {
                acquisition: way_in_words(way),
                since: print(state, way.since),
                session: way.edge.session.clone(),
                credence: way.belief.get(),
            });
            let mut against: Vec<FactId> = belief.against.clone();
            against.extend(match belief.hold {
                Hold::Ended(id) | Hold::Superseded(id) | Hold::Outweighed(id) => Some(id),
                _ => None,
            });
            against.sort_unstable();
            against.dedup();
            let against = against.into_iter().filter_map(|id| view.fact(id)).map(|other| AgainstRow {
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
                hold: belief.hold,
                because: because.collect(),
                against: against.collect(),
                status: state.fact(known.id()).map_or(FactStatus::Canon, |fact| fact.status()),
            });
        }
    }
    let is_so = |fact: &&std::sync::Arc<Fact>| {
        let asked = *fact.subject() == subject && predicates.contains(fact.predicate());
        asked && fact.status() == FactStatus::Canon && fact.validity().holds_at(moment)
    };
    let mut so: Vec<_> = state.facts_of(&subject).filter(is_so).collect();
    so.sort_by_key(|fact| (fact.predicate(), fact.id()));
    let truth = so.into_iter().map(|fact| TruthRow {
        fact: fact.id(),
        predicate: fact.predicate().clone(),
        statement: fact.statement().to_owned(),
        known: view.fact(fact.id()).is_some(),
    });
    let truth = truth.collect();
    Ok(Believes { who, subject, answers, truth })
}

/// A fact that one knower believes another knower to know, with the reason.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ThinksRow {
    /// Id of the fact.
    pub fact: FactId,
    /// Predicate of the fact.
    pub predicate: Predicate,
    /// Sentence that states the fact.
    pub statement: String,
    /// First knower's reason for this belief, in words: `odo-brandt was there`, `told odo-brandt`, `odo-brandt told
    /// it`.
    pub because: String,
    /// Game time from which this reason applies, as text.
    pub since: Option<String>,
    /// Session in which the first knower learned the fact.
    pub session: Option<SessionId>,
    /// The other knower's credence in the fact, as estimated by the first knower, 0.0–1.0.
    pub credence: f64,
}

pub(crate) fn reason_in_words(reason: &Reason, other: &EntityId) -> String {
    match reason {
        Reason::Common => "everybody knows it".into(),
        Reason::Belongs(group) => format!("{other} belongs to {group}"),
        Reason::ToldByMe => format!("told {other}"),
        Reason::Present => format!("{other} was there"),
        Reason::WasThere(place) => format!("{other} was at {place} then"),
        Reason::ToldMe => format!("{other} told it"),
    }
}

/// Returns the facts that `who` has reason to believe that `other` knows, latest reason first. `subject` and
/// `predicate`, if given, restrict the result to facts with this subject and this predicate. Common lore is included
/// only if both are given.
///
/// # Errors
/// Returns an error if a name matches no entity or several entities, or if the predicate is invalid.
pub fn thinks(
    state: &State,
    who: &str,
    other: &str,
    subject: Option<&str>,
    predicate: Option<&str>,
    moment: Option<GameTime>,
) -> Result<Vec<ThinksRow>, QueryError> {
    let (who, other) = (resolve(state, who)?, resolve(state, other)?);
    let subject = subject.map(|name| resolve(state, name)).transpose()?;
    let given = predicate.map(Predicate::new).transpose()?;
    let view = View::of(state, &Knower::Entity(who), moment);
    let row = |known: &hearsay_belief::Known, reasons: &[Attributed]| {
        let reason = reasons.first()?;
        Some(ThinksRow {
            fact: known.id(),
            predicate: known.predicate().clone(),
            statement: known.statement().to_owned(),
            because: reason_in_words(&reason.reason, &other),
            since: print(state, reason.since),
            session: learned_in(known).cloned(),
            credence: reason.credence.get(),
        })
    };
    if let (Some(subject), Some(predicate)) = (&subject, &given) {
        let thought = view.thinks_believes(&other, subject, predicate);
        return Ok(thought.iter().filter_map(|(known, reasons)| row(known, reasons)).collect());
    }
    let attributed = view.attributed(&other);
    let fits = |known: &hearsay_belief::Known| {
        subject.as_ref().is_none_or(|subject| known.subject() == subject)
            && given.as_ref().is_none_or(|predicate| known.predicate() == predicate)
    };
    let mut found: Vec<_> = attributed
        .iter()
        .filter_map(|(id, reasons)| Some((view.fact(*id)?, reasons)))
        .filter(|(known, reasons)| {
            let common = reasons.iter().all(|reason| reason.reason == Reason::Common);
            fits(known) && !common
        })
        .collect();
    found.sort_by_key(|(known, reasons)| {
        (std::cmp::Reverse(reasons.iter().map(|reason| reason.since).max().flatten()), known.id())
    });
    Ok(found.into_iter().filter_map(|(known, reasons)| row(known, reasons)).collect())
}

/// Derivation of a knower's belief in a fact: the knowledge edges that led to it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Derivation {
    /// Id of the knower.
    pub who: EntityId,
    /// Id of the fact.
    pub fact: FactId,
    /// Sentence that states the fact.
    pub statement: String,
    /// Credence that all edges together give to the fact, 0.0–1.0. Contradicting beliefs lower this value.
    pub credence: f64,
    /// Edges through which the knower knows the fact. Each of these edges contains the edges that it depends on.
    pub known_edges: Vec<LinkRow>,
}

/// One knowledge edge of a derivation.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LinkRow {
    /// Id of the edge.
    pub edge: KnowledgeId,
    /// Knower that the edge belongs to; `*` for everybody.
    pub knower: Knower,
    /// Fact that this edge leads to, if it differs from the fact of the derivation: the original of a distorted fact,
    /// or a premise of a deduction.
    pub other_fact: Option<FactId>,
    /// Sentence that states the other fact.
    pub other_statement: Option<String>,
    /// How the knower learned the fact, in words.
    pub acquisition: String,
    /// Game time at which the knower learned the fact, as text.
    pub learned: Option<String>,
    /// Session in which the knower learned the fact.
    pub session: Option<SessionId>,
    /// Other characters who were present when the knower learned the fact.
    pub co_present: Vec<EntityId>,
    /// Credence that this edge gives to the fact for its knower, 0.0–1.0.
    pub credence: f64,
    /// Fraction of the teller's credence that the knower adopts, 0.0–1.0.
    pub share: f64,
    /// Edges that this edge depends on. Empty for an original source, such as witnessing.
    pub from: Vec<LinkRow>,
}

fn link_row(state: &State, fact: FactId, link: &DerivationStep) -> LinkRow {
    let edge = &link.edge;
    let other = Some(edge.fact).filter(|id| *id != fact);
    LinkRow {
        edge: link.id,
        knower: edge.knower.clone(),
        other_fact: other,
        other_statement: other.and_then(|id| state.fact(id)).map(|fact| fact.statement().to_owned()),
        acquisition: how_in_words(&edge.acquisition),
        learned: date(state, edge.learned.as_ref()),
        session: edge.session.clone(),
        co_present: edge.co_present.clone(),
        credence: link.belief.get(),
        share: link.share.get(),
        from: link.from.iter().map(|link| link_row(state, fact, link)).collect(),
    }
}

/// Returns the row for a fact that the knower made up. Such a row depends on no other edges.
fn made_up_row(state: &State, way: &KnownEdge) -> LinkRow {
    LinkRow {
        edge: way.id,
        knower: way.edge.knower.clone(),
        other_fact: None,
        other_statement: None,
        acquisition: way_in_words(way),
        learned: date(state, way.edge.learned.as_ref()),
        session: way.edge.session.clone(),
        co_present: Vec::new(),
        credence: way.belief.get(),
        share: 1.0,
        from: Vec::new(),
    }
}

/// Returns the derivation of a knower's belief in a fact: the chains of knowledge edges back to the witnesses of the
/// fact or to the character who made it up.
///
/// # Errors
/// Returns an error if the knower or the fact is unknown or ambiguous, or if the knower does not know the fact.
pub fn chain(state: &State, who: &str, fact: &str, moment: Option<GameTime>) -> Result<Derivation, QueryError> {
    let (who, fact) = (resolve(state, who)?, find_fact(state, fact)?);
    let view = View::of(state, &Knower::Entity(who.clone()), moment);
    let statement = fact.statement().to_owned();
    let Some(known) = view.fact(fact.id()) else {
        return Err(QueryError::NotKnown { knower: who, statement });
    };
    let mut links: Vec<LinkRow> = chains(state, known).iter().map(|link| link_row(state, fact.id(), link)).collect();
    if known.is_made_up() {
        links = known_edges(known).iter().map(|way| made_up_row(state, way)).collect();
    }
    Ok(Derivation { who, fact: fact.id(), statement, credence: view.belief(known).credence.get(), known_edges: links })
}
