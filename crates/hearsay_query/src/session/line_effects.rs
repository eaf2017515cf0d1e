//! Effects of a line in the log of a session, and notes about the entities that the line names.

use std::collections::BTreeSet;

use hearsay_model::{EntityId, Fact, FactId, FactStatus, Kind, Knower, Passage, PassageId, State, TalkKind, attribute};
use serde::Serialize;

use super::threads::{Thread, ThreadFilter, ThreadKind, open_threads_of, threads};
use crate::{
    QueryError,
    contradictions::Contradictions,
    facts::{is_label, is_secret},
};

/// Effects of a line in the log of a session, with cards of the entities that the line names.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LineEffects {
    /// Passage that records the line.
    pub passage: PassageId,
    /// Number of the line in its session.
    pub number: u32,
    /// Kind of talk; `None` if it is unknown.
    pub talk_kind: Option<TalkKind>,
    /// Knowers who heard the line. Empty if the line is out of character.
    pub heard_by: Vec<Knower>,
    /// Facts that were found in the line. Facts that state names or kinds are omitted.
    pub found: Vec<FoundFact>,
    /// Contradictions of the found facts with other facts.
    pub contradictions: Vec<ContradictionRow>,
    /// Promises and debts that the line states.
    pub promises: Vec<Thread>,
    /// Cards of the speaker and of the entities that the line names.
    pub cards: Vec<EntityCard>,
}

/// A fact that was found in a line.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FoundFact {
    /// Id of the fact.
    pub fact: FactId,
    /// Sentence that states the fact.
    pub statement: String,
    /// Status of the fact.
    pub status: FactStatus,
}

/// Facts about one subject that cannot all be true.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ContradictionRow {
    /// Subject of the facts.
    pub subject: EntityId,
    /// The facts, sorted by id.
    pub facts: Vec<FoundFact>,
}

/// Card of an entity: a short reminder for the DM.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct EntityCard {
    /// Id of the entity.
    pub id: EntityId,
    /// Name of the entity, or its id if it has no name.
    pub name: String,
    /// Kind of the entity; `None` if the kind is unknown.
    pub kind: Option<Kind>,
    /// Sentences about the entity that are not secret, in the order in which they were recorded. At most
    /// [`MAX_CARD_STATEMENTS`] sentences.
    pub statements: Vec<String>,
    /// Secrets that the entity conceals. At most [`MAX_CARD_STATEMENTS`] secrets.
    pub secrets: Vec<String>,
    /// Open quests, promises and debts that concern the entity.
    pub threads: Vec<String>,
}

/// Maximum number of statements on the card of an entity. The number of secrets on the card has the same limit.
pub const MAX_CARD_STATEMENTS: usize = 3;

/// Returns the effects of a line in a log; `None` if the passage does not exist. The function reads every fact, so call
/// it on a background thread.
///
/// # Errors
/// Returns an error if the state refers to an entity that does not exist.
pub fn line_effects(state: &State, passage_id: PassageId) -> Result<Option<LineEffects>, QueryError> {
    let Some(passage) = state.passage(passage_id) else { return Ok(None) };
    let found: Vec<&Fact> = state.facts().map(AsRef::as_ref).filter(|fact| is_found_in(fact, passage_id)).collect();
    let ids: BTreeSet<FactId> = found.iter().map(|fact| fact.id()).collect();
    let (promises, contradictions) = if ids.is_empty() {
        Default::default()
    } else {
        let kinds = vec![ThreadKind::Promise, ThreadKind::Debt];
        let promises = threads(state, &ThreadFilter { kinds, ..ThreadFilter::default() })?;
        (promises, contradictions_of(state, &Contradictions::from_state(state), &ids))
    };
    Ok(Some(LineEffects {
        passage: passage_id,
        number: passage.line,
        talk_kind: passage.talk_kind,
        heard_by: if passage.is_out_of_character() { Vec::new() } else { passage.heard_by.clone() },
        contradictions,
        promises: promises.into_iter().filter(|thread| thread.fact.is_some_and(|fact| ids.contains(&fact))).collect(),
        found: found.into_iter().map(found_fact).collect(),
        cards: named_entities(passage).into_iter().map(|id| entity_card(state, id)).collect(),
    }))
}

/// Returns whether a fact was found in a passage, and states more than a name or kind.
fn is_found_in(fact: &Fact, passage: PassageId) -> bool {
    let is_name_or_kind = [attribute::NAME, attribute::KIND].contains(&fact.predicate().as_str());
    !is_name_or_kind && fact.provenance().evidence.iter().any(|evidence| evidence.passage() == Some(passage))
}

fn found_fact(fact: &Fact) -> FoundFact {
    FoundFact { fact: fact.id(), statement: fact.statement().to_owned(), status: fact.status() }
}

/// Returns the contradictions that contain at least one of the facts.
pub(super) fn contradictions_of(
    state: &State,
    contradictions: &Contradictions,
    facts: &BTreeSet<FactId>,
) -> Vec<ContradictionRow> {
    let row = |(subject, _, members): (&EntityId, _, Vec<FactId>)| {
        let is_concerned = members.iter().any(|id| facts.contains(id));
        let members = members.iter().filter_map(|id| state.fact(*id)).map(|fact| found_fact(fact));
        is_concerned.then(|| ContradictionRow { subject: subject.clone(), facts: members.collect() })
    };
    contradictions.iter().filter_map(row).collect()
}

/// Returns the speaker of a passage and the entities that it mentions, each once.
fn named_entities(passage: &Passage) -> Vec<&EntityId> {
    let mentions = passage.mentions.iter().filter(|id| Some(*id) != passage.speaker.as_ref());
    passage.speaker.iter().chain(mentions).collect()
}

/// Returns the card of an entity.
pub fn entity_card(state: &State, id: &EntityId) -> EntityCard {
    let vocabulary = state.vocabulary();
    let mut facts: Vec<&Fact> = state.facts_of(id).map(AsRef::as_ref).filter(|fact| fact.is_in_effect()).collect();
    facts.sort_by_key(|fact| state.fact_index(fact.id()));
    let is_description = |fact: &Fact| {
        fact.subject() == id
            && !is_label(fact.predicate())
            && !vocabulary.behavior(fact.predicate()).minor
            && !is_secret(state, fact)
    };
    let known = state.known_facts(&Knower::Entity(id.clone()));
    let mut concealed: Vec<&Fact> =
        known.filter(|known| known.edge.conceals).map(|known| known.fact.as_ref()).collect();
    concealed.sort_by_key(|fact| state.fact_index(fact.id()));
    concealed.dedup_by_key(|fact| fact.id());
    let texts = |facts: &mut dyn Iterator<Item = &Fact>| -> Vec<String> {
        facts.take(MAX_CARD_STATEMENTS).map(|fact| fact.statement().to_owned()).collect()
    };
    EntityCard {
        id: id.clone(),
        name: state.name_or_id(id).to_owned(),
        kind: state.kind(id),
        statements: texts(&mut facts.iter().copied().filter(|fact| is_description(fact))),
        secrets: texts(&mut concealed.into_iter()),
        threads: open_threads_of(state, id).into_iter().map(|thread| thread.description).collect(),
    }
}
