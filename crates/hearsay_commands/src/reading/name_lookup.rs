//! Lookup of names that the extractor could not link to an entity, and ids for new entities.

use std::collections::BTreeSet;

use hearsay_model::{EntityId, Fact, FactStatus, Knower, Passage, Resolution, State, spelling, text};
use hearsay_query::review::extracted_names;

/// Result of looking up a name that the extractor could not link to an entity.
pub(super) enum NameLookup {
    /// The name refers to this entity. The entity was added after the extraction, or its name still waits for the DM's
    /// decision.
    Known(EntityId),
    /// The passage addresses this hearer, and misspells the name.
    Misspelled(EntityId),
    /// No entity with this name can be added, because the DM rejected the name, several entities have the name, or the
    /// name is part of a secret name.
    Unusable,
    /// No entity has this name yet.
    Unknown,
}

impl NameLookup {
    /// Looks up a name in a passage among the recorded entities and among the names that wait for the DM's decision.
    pub(super) fn find(state: &State, name: &str, passage: &Passage) -> Self {
        let normal = text::normalize(name);
        let is_open =
            |id: &EntityId| state.open_names(id).iter().any(|public_name| text::normalize(public_name) == normal);
        match state.resolve(name) {
            // Ignores secret names, because a match would reveal whose name it is.
            Resolution::One(id) if is_open(&id) => return Self::Known(id),
            Resolution::Ambiguous(_) => return Self::Unusable,
            _ => {}
        }
        for id in candidate_ids(name).take_while(|id| state.entity(id).is_some()) {
            let has_same_name = |fact: &&Fact| {
                fact.object().text().is_some_and(|recorded_name| text::normalize(recorded_name) == normal)
            };
            let statuses: Vec<FactStatus> =
                extracted_names(state, &id).filter(has_same_name).map(Fact::status).collect();
            // In autonomous mode, a new name becomes a claim immediately.
            if statuses.iter().any(|status| matches!(status, FactStatus::Proposed | FactStatus::Claimed)) {
                return Self::Known(id);
            }
            if statuses.contains(&FactStatus::Rejected) {
                return Self::Unusable;
            }
        }
        if is_part_of_secret_name(state, name) {
            return Self::Unusable;
        }
        let mut addressed = misspelled_hearers(state, name, passage);
        match (addressed.pop_first(), addressed.is_empty()) {
            (Some(id), true) => Self::Misspelled(id),
            (Some(_), false) => Self::Unusable,
            (None, _) => Self::Unknown,
        }
    }
}

/// Minimum number of letters of a misspelled name. Shorter names are similar to each other by accident.
const MIN_MISSPELLED_LETTERS: usize = 5;

/// Returns whether an entity has a secret name that contains all words of a name. A new entity with such a name would be
/// somebody whom the campaign already knows, and a link to this entity would reveal the secret.
fn is_part_of_secret_name(state: &State, name: &str) -> bool {
    let mut words = text::words(name);
    words.retain(|word| !spelling::is_stop_word(word));
    let contains_words = |secret: &str| {
        let secret = text::words(secret);
        words.iter().all(|word| secret.contains(word))
    };
    let has_secret_name = |id: &EntityId| {
        let open_names = state.open_names(id);
        state.names(id).into_iter().any(|name| !open_names.contains(&name) && contains_words(name))
    };
    !words.is_empty() && state.entities().any(|entity| has_secret_name(&entity.id))
}

/// Returns the hearers of a passage of whose name a name is probably a misspelling, if the passage addresses somebody by
/// this name: "Hollie, come here."
fn misspelled_hearers(state: &State, name: &str, passage: &Passage) -> BTreeSet<EntityId> {
    let written = text::words(name);
    let is_long = spelling::letters(&written).chars().count() >= MIN_MISSPELLED_LETTERS;
    let is_common = written.iter().all(|word| spelling::is_common_word(word));
    if passage.speaker.is_none() || !is_long || is_common || !is_addressed(&passage.text, name) {
        return BTreeSet::new();
    }
    let is_similar =
        |name: &[String]| spelling::is_misspelling(&written, name) || spelling::is_loose_misspelling(&written, name);
    let has_similar_name = |id: &&EntityId| {
        let mut names = state.open_names(id).into_iter().map(text::words);
        state.is_character(id) && names.any(|name| is_similar(&name) || name.chunks(1).any(is_similar))
    };
    let hearers = passage.heard_by.iter().filter_map(Knower::entity);
    let others = hearers.filter(|id| passage.speaker.as_ref() != Some(*id));
    others.filter(has_similar_name).cloned().collect()
}

/// Returns whether punctuation sets a name off in a text, as in "Odo, come here".
fn is_addressed(text: &str, name: &str) -> bool {
    let is_mark = |character: Option<char>| character.is_none_or(|character| ",.!?".contains(character));
    text.match_indices(name).any(|(at, _)| {
        let (before, after) = (text[..at].trim_end(), text[at + name.len()..].trim_start());
        is_mark(before.chars().next_back()) && is_mark(after.chars().next())
    })
}

/// Returns possible ids for a new entity with this name: the id generated from the name, followed by the same id with
/// numeric suffixes.
pub(super) fn candidate_ids(name: &str) -> impl Iterator<Item = EntityId> {
    let base_id = EntityId::from_name(name).ok();
    let numbered_ids = base_id
        .clone()
        .into_iter()
        .flat_map(|base_id| (2..100).filter_map(move |number| EntityId::new(format!("{base_id}-{number}")).ok()));
    base_id.into_iter().chain(numbered_ids)
}
