//! Items of a session on which the DM should decide: revealed secrets, promises, contradictions and new names.

use std::collections::{BTreeMap, BTreeSet};

use hearsay_model::{EntityId, FactId, FactStatus, Knower, PassageId, Session, State};
use serde::Serialize;

use super::learned::LearnerRow;
use crate::{
    duplicates::{Claim, is_equivalent},
    facts::is_secret,
    review::{extracted_names, is_unconfirmed_entity},
};

/// A secret that player characters learned in a session.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RevealedSecret {
    /// Id of the fact.
    pub fact: FactId,
    /// Sentence that states the fact.
    pub statement: String,
    /// Player characters and their parties that learned the secret. Each has a text that describes how the knower
    /// learned the secret.
    pub learned_by: Vec<(Knower, String)>,
}

/// A name from the lines of a session that belongs to no recorded entity yet.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NewName {
    /// Id of the proposed entity.
    pub entity: EntityId,
    /// The name.
    pub name: String,
    /// Fact that states the name.
    pub fact: FactId,
    /// Number of lines of the session that contain the name.
    pub lines: usize,
}

/// Returns the secrets that player characters learned in a session. Secrets with the same content are one entry. Recorded
/// secrets come before claims, and both are sorted by fact.
pub(super) fn revealed_secrets(state: &State, learned: &[LearnerRow]) -> Vec<RevealedSecret> {
    let mut secrets: BTreeMap<FactId, RevealedSecret> = BTreeMap::new();
    for learner in learned.iter().filter(|learner| learner.player) {
        for row in &learner.facts {
            if !state.fact(row.fact).is_some_and(|fact| is_secret(state, fact)) {
                continue;
            }
            let secret = secrets.entry(row.fact).or_insert_with(|| RevealedSecret {
                fact: row.fact,
                statement: row.statement.clone(),
                learned_by: Vec::new(),
            });
            secret.learned_by.push((learner.knower.clone(), row.acquisition.clone()));
        }
    }
    // A claim can repeat a recorded secret. The recorded secret comes first.
    let mut secrets: Vec<RevealedSecret> = secrets.into_values().collect();
    secrets.sort_by_key(|secret| state.fact(secret.fact).is_none_or(|fact| fact.status() != FactStatus::Canon));
    let mut distinct: Vec<RevealedSecret> = Vec::new();
    for secret in secrets {
        match distinct.iter_mut().find(|other| have_same_content(state, other.fact, secret.fact)) {
            Some(other) => {
                let is_new = |(knower, _): &(Knower, String)| other.learned_by.iter().all(|(known, _)| known != knower);
                let learners: Vec<_> = secret.learned_by.into_iter().filter(is_new).collect();
                other.learned_by.extend(learners);
            }
            None => distinct.push(secret),
        }
    }
    distinct
}

/// Returns whether two recorded facts have the same content.
fn have_same_content(state: &State, a: FactId, b: FactId) -> bool {
    let (Some(a), Some(b)) = (state.fact(a), state.fact(b)) else { return false };
    let vocabulary = state.vocabulary();
    is_equivalent(vocabulary, (&Claim::from_fact(vocabulary, a), a.statement()), b)
}

/// Returns the names in the lines of a session that belong to no entity yet, the most frequent first.
pub(super) fn new_names(state: &State, session: &Session) -> Vec<NewName> {
    let lines: BTreeSet<PassageId> = state.passages_in_session(Some(&session.id)).map(|(id, _)| id).collect();
    let mut names: Vec<NewName> = Vec::new();
    for entity in state.entities().filter(|entity| is_unconfirmed_entity(state, &entity.id)) {
        let mut name_lines = BTreeSet::new();
        let mut name = None;
        for fact in extracted_names(state, &entity.id) {
            let passages = fact.provenance().evidence.iter().filter_map(|evidence| evidence.passage());
            let before = name_lines.len();
            name_lines.extend(passages.filter(|passage| lines.contains(passage)));
            if name_lines.len() > before {
                name = name.or(fact.object().text().map(|text| (text.to_owned(), fact.id())));
            }
        }
        if let Some((name, fact)) = name {
            names.push(NewName { entity: entity.id.clone(), name, fact, lines: name_lines.len() });
        }
    }
    names.sort_by(|a, b| b.lines.cmp(&a.lines).then_with(|| a.name.cmp(&b.name)));
    names
}
