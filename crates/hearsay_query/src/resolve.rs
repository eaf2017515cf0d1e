//! Finds the entity, fact or session that a name or reference refers to.

use std::sync::Arc;

use hearsay_model::{EntityId, Fact, FactId, FactStatus, Resolution, Session, State, spelling, text};

use crate::QueryError;

/// Finds an entity by id, name, alias, or an unambiguous part of its name: a first name, a surname, or a title with a
/// surname. Secret names must be given in full.
///
/// # Errors
/// Returns an error if no entity has this name, or if several entities have it. The error contains the ids of entities
/// with similar names, or of the entities that the name may refer to.
pub fn resolve(state: &State, name: &str) -> Result<EntityId, QueryError> {
    let candidates = match state.resolve(name) {
        Resolution::One(id) => return Ok(id),
        Resolution::Ambiguous(candidates) => candidates,
        Resolution::None => entities_with_name_part(state, name),
    };
    match &candidates[..] {
        [] => Err(QueryError::Unknown { name: name.into(), nearest: nearest_entity_ids(state, name) }),
        [only] => Ok(only.clone()),
        _ => {
            let describe = |id: EntityId| {
                let description = describe_entity(state, &id);
                (id, description)
            };
            Err(QueryError::Ambiguous { name: name.into(), candidates: candidates.into_iter().map(describe).collect() })
        }
    }
}

/// Returns the name and the kind of an entity: `Sam (NPC)`.
fn describe_entity(state: &State, id: &EntityId) -> String {
    let name = state.name_or_id(id);
    state.kind(id).map_or_else(|| name.to_owned(), |kind| format!("{name} ({})", kind.noun()))
}

/// Returns the entities that have a non-secret name with these words in this order. Sorted.
fn entities_with_name_part(state: &State, part: &str) -> Vec<EntityId> {
    let words = text::words(part);
    // A text such as `old-odo` is an id. The id of a removed entity must not match the name of another entity.
    let is_id = part.contains('-') && EntityId::new(part.trim()).is_ok();
    if is_id || words.iter().all(|word| spelling::is_stop_word(word)) {
        return Vec::new();
    }
    let has_part = |name: &str| {
        let mut name = text::words(name).into_iter();
        words.iter().all(|word| name.any(|other| other == *word))
    };
    let has_matching_name = |id: &EntityId| state.open_names(id).into_iter().any(has_part);
    let mut found: Vec<EntityId> =
        state.entities().map(|entity| &entity.id).filter(|id| has_matching_name(id)).cloned().collect();
    found.sort_unstable();
    found
}

/// Finds a speaker by id or name. Also returns the given name if it is a secret name.
///
/// # Errors
/// Returns the same errors as [`resolve`].
pub fn resolve_speaker(state: &State, name: &str) -> Result<(EntityId, Option<String>), QueryError> {
    let id = resolve(state, name)?;
    let alias = state.secret_name(&id, name).map(str::to_owned);
    Ok((id, alias))
}

/// Returns the ids of up to three entities whose names or ids are most similar to a text.
fn nearest_entity_ids(state: &State, name: &str) -> Vec<String> {
    let normalized_name = text::normalize(name);
    let mut scored: Vec<(f64, String)> = Vec::new();
    for entity in state.entities() {
        let names = state.names(&entity.id).into_iter().map(str::to_owned);
        for candidate in names.chain([entity.id.to_string()]) {
            let normal = text::normalize(&candidate);
            let has_word = normal.split(' ').any(|word| word == normalized_name);
            let similarity = if has_word { 0.95 } else { strsim::jaro_winkler(&normalized_name, &normal) };
            if similarity > 0.75 {
                scored.push((similarity, entity.id.to_string()));
            }
        }
    }
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    let mut names: Vec<String> = Vec::new();
    for (_, name) in scored {
        if !names.contains(&name) && names.len() < 3 {
            names.push(name);
        }
    }
    names
}

/// Maximum number of facts in an error about an ambiguous reference.
const MAX_CANDIDATES: usize = 9;

/// Finds a fact by id, by the first digits of its id (at least four), by handle, or by two or more words if only its
/// statement contains all of them.
///
/// # Errors
/// Returns an error if no fact matches, or if several facts match.
pub fn find_fact(state: &State, given: &str) -> Result<Arc<Fact>, QueryError> {
    if let Some(fact) = given.parse().ok().and_then(|id: FactId| state.fact(id)) {
        return Ok(Arc::clone(fact));
    }
    let mut found: Vec<_> = state.facts_by_handle(given).cloned().collect();
    if found.len() > 1 {
        // If the DM accepted a fact with a new wording, the rejected original keeps the same handle.
        found.retain(|fact| fact.status() != FactStatus::Rejected);
    }
    if found.is_empty() && given.len() >= 4 {
        found = state.facts().filter(|fact| fact.id().to_string().starts_with(given)).cloned().collect();
    }
    if found.is_empty() {
        found = facts_with_words(state, given);
    }
    match found.len() {
        1 => Ok(found.swap_remove(0)),
        count => {
            let candidates = found.iter().take(MAX_CANDIDATES);
            let candidates = candidates.map(|fact| (fact.id(), fact.statement().to_owned())).collect();
            Err(QueryError::FactReference { given: given.into(), count, candidates })
        }
    }
}

/// Returns the facts whose statement contains all content words of a text. Returns nothing for a single word.
fn facts_with_words(state: &State, given: &str) -> Vec<Arc<Fact>> {
    let mut content_words = text::words(given);
    content_words.retain(|word| !spelling::is_stop_word(word));
    if !given.trim().contains(char::is_whitespace) || content_words.is_empty() {
        return Vec::new();
    }
    let contains_all_words = |fact: &&Arc<Fact>| {
        let words = text::words(fact.statement());
        fact.status() != FactStatus::Rejected && content_words.iter().all(|word| words.contains(word))
    };
    state.facts().filter(contains_all_words).cloned().collect()
}

/// Returns an entity's name for use in a sentence that others may learn. Never returns a secret name or an id, because
/// an id may contain a secret name. Returns `somebody` if the entity has only secret names.
pub fn public_name<'a>(state: &'a State, id: &EntityId) -> &'a str {
    state.open_name(id).unwrap_or("somebody")
}

/// Finds a session by its id, by its number, or in the form `session 2`.
///
/// # Errors
/// Returns an error if the session does not exist.
pub fn find_session(state: &State, given: &str) -> Result<Arc<Session>, QueryError> {
    let normalized = text::normalize(given);
    let number = normalized.strip_prefix("session").unwrap_or(&normalized).trim_matches(['-', ' ']).parse::<u32>().ok();
    let by_id = state.sessions().find(|session| text::normalize(session.id.as_str()) == normalized);
    let found = by_id.or_else(|| state.sessions().find(|session| number.is_some() && session.number == number));
    let unknown = || QueryError::NoSession {
        given: given.to_owned(),
        known: state.sessions().map(|session| session.id.clone()).collect(),
    };
    found.cloned().ok_or_else(unknown)
}

/// Returns the given session. If `given` is `None`, returns the session being played, or else the latest session.
///
/// # Errors
/// Returns an error if the given session does not exist, or if no session is given and the campaign has no sessions.
pub fn session_or_latest(state: &State, given: Option<&str>) -> Result<Arc<Session>, QueryError> {
    match (given, state.active_session()) {
        (Some(given), _) => find_session(state, given),
        (None, Some(playing)) => find_session(state, playing.session.as_str()),
        (None, None) => {
            let latest = state.sessions().max_by_key(|session| {
                (session.number, session.start.as_ref().and_then(|date| date.time), session.id.clone())
            });
            latest.cloned().ok_or_else(|| QueryError::NoSession { given: "latest".into(), known: Vec::new() })
        }
    }
}
