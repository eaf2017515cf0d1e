//! What somebody believes, and why; what it thinks that another believes; how it came to know.

use std::collections::BTreeSet;

use hearsay_belief::{Attributed, ChainLink, Hold, Reason, View, Way, chains};
use hearsay_model::{EntityId, Fact, FactId, GameTime, Knower, KnowledgeId, Predicate, SessionId, Standing, State};
use serde::Serialize;

use super::{
    date, how_in_words,
    knows::{learned_in, print, way_in_words, ways},
};
use crate::{MemoryError, edit::resolve, find_fact};

/// What somebody believes of something, beside what is so.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Believes {
    /// Who.
    pub who: EntityId,
    /// Of what.
    pub subject: EntityId,
    /// What it believes: by predicate, what it takes to be so first.
    pub answers: Vec<BeliefRow>,
    /// What the world says: the facts of the same subject and predicates that are canon and hold then. By predicate.
    pub truth: Vec<TruthRow>,
}

/// One thing that somebody believes, or has heard of.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BeliefRow {
    /// The fact.
    pub fact: FactId,
    /// Its predicate.
    pub predicate: Predicate,
    /// Its object as text: an id or a value.
    pub object: String,
    /// The sentence that states it.
    pub statement: String,
    /// How far it is believed, what speaks against it counted in.
    pub credence: f64,
    /// How it is held.
    pub hold: Hold,
    /// Why it is believed: each way in which it is known.
    pub because: Vec<ReasonRow>,
    /// What the believer knows that cannot be so together with it.
    pub against: Vec<AgainstRow>,
    /// What the world says of it: for the DM.
    pub standing: Standing,
}

/// A way in which something is known.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ReasonRow {
    /// How: `told by odo-brandt`.
    pub how: String,
    /// Since when.
    pub since: Option<String>,
    /// In which session.
    pub session: Option<SessionId>,
    /// How far this alone makes it believed.
    pub credence: f64,
}

/// Something that speaks against a belief.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AgainstRow {
    /// The fact.
    pub fact: FactId,
    /// The sentence that states it.
    pub statement: String,
    /// How far it is believed.
    pub credence: f64,
}

/// Something that is so.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TruthRow {
    /// The fact.
    pub fact: FactId,
    /// Its predicate.
    pub predicate: Predicate,
    /// The sentence that states it.
    pub statement: String,
    /// Whether the believer knows of it.
    pub known: bool,
}

/// What somebody believes of a subject at a moment, with one predicate or all of which it knows something.
///
/// # Errors
/// When a name cannot be resolved or the predicate is malformed.
pub fn believes(
    state: &State,
    who: &str,
    subject: &str,
    predicate: Option<&str>,
    moment: Option<GameTime>,
) -> Result<Believes, MemoryError> {
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
            let because = ways(known).iter().map(|way| ReasonRow {
                how: way_in_words(way),
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
                standing: state.fact(known.id()).map_or(Standing::Canon, |fact| fact.standing()),
            });
        }
    }
    let is_so = |fact: &&std::sync::Arc<Fact>| {
        let asked = *fact.subject() == subject && predicates.contains(fact.predicate());
        asked && fact.standing() == Standing::Canon && fact.validity().holds_at(moment)
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

/// Something that one has reason to think another knows.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ThinksRow {
    /// The fact.
    pub fact: FactId,
    /// Its predicate.
    pub predicate: Predicate,
    /// The sentence that states it.
    pub statement: String,
    /// Why: `odo-brandt was there`, `told odo-brandt`, `odo-brandt told it`.
    pub because: String,
    /// Since when.
    pub since: Option<String>,
    /// The session in which the one learned it.
    pub session: Option<SessionId>,
    /// How far the one takes the other to believe it.
    pub credence: f64,
}

pub(super) fn reason_in_words(reason: &Reason, other: &EntityId) -> String {
    match reason {
        Reason::Common => "everybody knows it".into(),
        Reason::Belongs(group) => format!("{other} belongs to {group}"),
        Reason::ToldByMe => format!("told {other}"),
        Reason::Present => format!("{other} was there"),
        Reason::WasThere(place) => format!("{other} was at {place} then"),
        Reason::ToldMe => format!("{other} told it"),
    }
}

/// What somebody has reason to think that another believes, the latest first: of a subject or of everything. Common lore
/// is left out, unless both subject and predicate are named.
///
/// # Errors
/// When a name cannot be resolved or the predicate is malformed.
pub fn thinks(
    state: &State,
    who: &str,
    other: &str,
    subject: Option<&str>,
    predicate: Option<&str>,
    moment: Option<GameTime>,
) -> Result<Vec<ThinksRow>, MemoryError> {
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

/// How somebody comes to know a fact.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Chain {
    /// Who.
    pub who: EntityId,
    /// What.
    pub fact: FactId,
    /// The sentence that states it.
    pub statement: String,
    /// How far it is believed by all ways together, what speaks against it counted in.
    pub credence: f64,
    /// Each way, with the chain behind it.
    pub ways: Vec<LinkRow>,
}

/// A link of a chain.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LinkRow {
    /// The edge.
    pub edge: KnowledgeId,
    /// Whose knowledge it is; `*` for everybody.
    pub knower: Knower,
    /// Of what, where it is another fact: one that was retold wrongly, or concluded from.
    pub other_fact: Option<FactId>,
    /// The sentence that states that.
    pub other_statement: Option<String>,
    /// How it was learned.
    pub how: String,
    /// When.
    pub learned: Option<String>,
    /// In which session.
    pub session: Option<SessionId>,
    /// Who was there too.
    pub company: Vec<EntityId>,
    /// How far it makes its knower believe it.
    pub credence: f64,
    /// The share of the teller's belief that it takes over.
    pub share: f64,
    /// What it rests on; nothing, where the chain begins.
    pub from: Vec<LinkRow>,
}

fn link_row(state: &State, fact: FactId, link: &ChainLink) -> LinkRow {
    let edge = &link.edge;
    let other = Some(edge.fact).filter(|id| *id != fact);
    LinkRow {
        edge: link.id,
        knower: edge.knower.clone(),
        other_fact: other,
        other_statement: other.and_then(|id| state.fact(id)).map(|fact| fact.statement().to_owned()),
        how: how_in_words(&edge.how),
        learned: date(state, edge.learned.as_ref()),
        session: edge.session.clone(),
        company: edge.company.clone(),
        credence: link.belief.get(),
        share: link.share.get(),
        from: link.from.iter().map(|link| link_row(state, fact, link)).collect(),
    }
}

/// Where a chain begins with somebody who made it up.
fn made_up_row(state: &State, way: &Way) -> LinkRow {
    LinkRow {
        edge: way.id,
        knower: way.edge.knower.clone(),
        other_fact: None,
        other_statement: None,
        how: way_in_words(way),
        learned: date(state, way.edge.learned.as_ref()),
        session: way.edge.session.clone(),
        company: Vec::new(),
        credence: way.belief.get(),
        share: 1.0,
        from: Vec::new(),
    }
}

/// How somebody comes to know a fact, back to those who were there or made it up.
///
/// # Errors
/// When a name or a fact cannot be understood, or it does not know the fact.
pub fn chain(state: &State, who: &str, fact: &str, moment: Option<GameTime>) -> Result<Chain, MemoryError> {
    let (who, fact) = (resolve(state, who)?, find_fact(state, fact)?);
    let view = View::of(state, &Knower::Entity(who.clone()), moment);
    let statement = fact.statement().to_owned();
    let Some(known) = view.fact(fact.id()) else {
        return Err(MemoryError::NotKnown { knower: who, statement });
    };
    let mut links: Vec<LinkRow> = chains(state, known).iter().map(|link| link_row(state, fact.id(), link)).collect();
    if known.is_made_up() {
        links = ways(known).iter().map(|way| made_up_row(state, way)).collect();
    }
    Ok(Chain { who, fact: fact.id(), statement, credence: view.belief(known).credence.get(), ways: links })
}
