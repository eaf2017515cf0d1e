//! Search for the entity, fact or session to which a name or another reference refers.
//!
//! Queries, commands and the engine accept only ids. If a person types a name in your program, use these functions to
//! find the id.

use std::sync::Arc;

use hearsay_model::{
    EntityId, Fact, FactId, FactStatus, Kind, Object, Predicate, Resolution, Secrecy, Session, State, Vocabulary,
    attribute, lists, spelling, text, words,
};
use serde::{Deserialize, Serialize};

use crate::{
    QueryError,
    referring::{is_referring, noun_phrase, refers_by, refers_by_synonym},
};

/// Finds an entity by its id, its name, an alias, or a part of its name that no other entity shares. The part is a
/// first name, a surname, or a title with a surname. If no name matches the words, the last word may be the beginning
/// of a word, such as `tam` for Tamsin. Secret names match only in full. The article at the start of an id may be
/// missing, as in `hollow-jack` for `the-hollow-jack`. If still no name matches, finds the entity by the first words of
/// its id, such as `father-benno` for `father-benno-kalt`, or by its occupation, its title or its description: `the
/// landlady`. Another noun for the same occupation is enough: `the innkeeper`. As a last resort, finds a character by the name of its player.
///
/// # Errors
/// Returns an error if no entity has this name, or if several entities have this name. The error contains the ids of
/// the entities with similar names, or of the entities that have the name.
pub fn resolve(state: &State, name: &str) -> Result<EntityId, QueryError> {
    resolve_in(state, name, Wanted::Any)
}

/// Finds an entity that can speak like [`resolve`]. If nothing else is found, hyphens mean spaces: `counting-house` is a
/// part of the name The Old Counting House. A part of a name, an occupation or a description refers to a place
/// or a thing only if it refers to no entity that can speak. The error suggests only similar names of entities that can
/// speak.
///
/// # Errors
/// Returns the same errors as [`resolve`].
pub fn resolve_character(state: &State, name: &str) -> Result<EntityId, QueryError> {
    resolve_in(state, name, Wanted::Character)
}

/// Finds a place like [`resolve`]. If nothing else is found, hyphens mean spaces. A part of a name or a description
/// refers to an entity that is no place only if it refers to no place. The error suggests no similar names of
/// characters and groups.
///
/// # Errors
/// Returns the same errors as [`resolve`].
pub fn resolve_place(state: &State, name: &str) -> Result<EntityId, QueryError> {
    resolve_in(state, name, Wanted::Place)
}

/// Finds an entity by its id or its names like [`resolve`], but not by its occupation, its title, its description or
/// its player. Use this function if the text does not always refer to an entity.
///
/// # Errors
/// Returns the same errors as [`resolve`].
pub fn resolve_named(state: &State, name: &str) -> Result<EntityId, QueryError> {
    resolve_in(state, name, Wanted::Named)
}

/// The entities for which a lookup searches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// All entities.
    Any,
    /// Characters, groups and entities of unknown kind, or all entities if none of these has the name. The error
    /// suggests no other entities.
    Character,
    /// Places, or all entities if no place has the name. The error suggests no characters and groups.
    Place,
    /// Entities with a matching name.
    Named,
}

impl Wanted {
    /// Returns whether an entity of this kind takes precedence over other entities with the same name.
    fn prefers(self, kind: Option<Kind>) -> bool {
        match self {
            Self::Any | Self::Named => true,
            Self::Character => kind.is_none_or(|kind| kind.can_speak()),
            Self::Place => kind == Some(Kind::Location),
        }
    }
}

/// Finds an entity like [`resolve`], but all words must be complete. Use this function for names from a file, such as
/// the names of speakers in a transcript.
///
/// # Errors
/// Returns the same errors as [`resolve`].
pub fn resolve_complete_words(state: &State, name: &str) -> Result<EntityId, QueryError> {
    one_candidate(state, name, Wanted::Any, candidates_with_words(state, name))
}

/// Names of the entities of a campaign.
pub(crate) trait NameSource {
    /// Finds the entity that has an id, a name or an alias.
    fn find_exact(&self, name: &str) -> Resolution;

    fn entity_ids(&self) -> impl Iterator<Item = &EntityId>;

    /// Returns the names of an entity, including secret names.
    fn names_of(&self, id: &EntityId) -> Vec<&str>;

    /// Returns the names of an entity that are not secret.
    fn open_names_of(&self, id: &EntityId) -> Vec<&str>;

    /// Returns the noun phrases by which a text can refer to an entity, such as `old ferry master`.
    fn noun_phrases_of(&self, id: &EntityId) -> Vec<Vec<String>>;

    /// Returns the kind of an entity.
    fn kind_of(&self, id: &EntityId) -> Option<Kind>;

    /// Returns the name of the person who plays a character. The characters do not know this person, so the names in
    /// the view of a character contain no players.
    fn player_of(&self, _id: &EntityId) -> Option<&str> {
        None
    }

    /// Returns the name and the kind of an entity: `Sam (NPC)`.
    fn description(&self, id: &EntityId) -> String {
        let name = self.names_of(id).first().map_or_else(|| id.to_string(), |name| (*name).to_owned());
        self.kind_of(id).map_or_else(|| name.clone(), |kind| format!("{name} ({})", kind.noun()))
    }
}

impl NameSource for State {
    fn find_exact(&self, name: &str) -> Resolution {
        self.resolve(name)
    }

    fn entity_ids(&self) -> impl Iterator<Item = &EntityId> {
        self.entities().map(|entity| &entity.id)
    }

    fn names_of(&self, id: &EntityId) -> Vec<&str> {
        self.names(id)
    }

    fn open_names_of(&self, id: &EntityId) -> Vec<&str> {
        self.open_names(id)
    }

    fn noun_phrases_of(&self, id: &EntityId) -> Vec<Vec<String>> {
        let names = self.open_names(id);
        let attributes = self.vocabulary().attributes().map(|attribute| &attribute.name);
        let referring = attributes.filter(|name| is_referring(self.vocabulary(), name));
        let facts = referring.flat_map(|name| self.facts_with_subject(id, name.as_str()).open());
        let open = facts.filter(|fact| fact.status() == FactStatus::Canon && fact.secrecy() != Secrecy::Secret);
        open.filter_map(|fact| Some(noun_phrase(fact.predicate(), fact.object().text()?, &names))).collect()
    }

    fn kind_of(&self, id: &EntityId) -> Option<Kind> {
        self.kind(id)
    }

    fn player_of(&self, id: &EntityId) -> Option<&str> {
        self.newest(id, attribute::PLAYER)?.object().text()
    }
}

/// Finds an entity as [`resolve`] describes.
pub(crate) fn resolve_in(source: &impl NameSource, name: &str, wanted: Wanted) -> Result<EntityId, QueryError> {
    one_candidate(source, name, wanted, candidates(source, name, wanted))
}

/// Returns the only candidate for a name.
fn one_candidate(
    source: &impl NameSource,
    name: &str,
    wanted: Wanted,
    mut candidates: Vec<EntityId>,
) -> Result<EntityId, QueryError> {
    match candidates.len() {
        0 => Err(QueryError::Unknown { name: name.into(), nearest: nearest_entity_ids(source, name, wanted) }),
        1 => Ok(candidates.swap_remove(0)),
        _ => {
            let describe = |id: EntityId| {
                let description = source.description(&id);
                (id, description)
            };
            Err(QueryError::Ambiguous { name: name.into(), candidates: candidates.into_iter().map(describe).collect() })
        }
    }
}

/// Returns the entities to which a name can refer. Sorted.
fn candidates(source: &impl NameSource, name: &str, wanted: Wanted) -> Vec<EntityId> {
    if let Resolution::One(id) = source.find_exact(name) {
        return vec![id];
    }
    let searches: [&dyn Fn() -> Vec<EntityId>; 6] = [
        &|| candidates_with_words(source, name),
        &|| entities_with_name_part(source, name, LastWord::MayBeIncomplete),
        &|| entities_with_id_prefix(source, name),
        &|| entities_where(source, |id| source.noun_phrases_of(id).iter().any(|phrase| refers_by(name, phrase))),
        &|| {
            entities_where(source, |id| source.noun_phrases_of(id).iter().any(|phrase| refers_by_synonym(name, phrase)))
        },
        &|| entities_where(source, |id| source.player_of(id).is_some_and(|player| is_player_name(name, player))),
    ];
    let count = if wanted == Wanted::Named { 2 } else { searches.len() };
    let mut first_found = Vec::new();
    for search in searches.iter().take(count) {
        let found = search();
        let (preferred, others): (Vec<_>, Vec<_>) =
            found.into_iter().partition(|id| wanted.prefers(source.kind_of(id)));
        if !preferred.is_empty() {
            return preferred;
        }
        if first_found.is_empty() {
            first_found = others;
        }
    }
    // In other lookups, the id of a removed entity must not match the name of another entity.
    if first_found.is_empty() && name.contains('-') && matches!(wanted, Wanted::Character | Wanted::Place) {
        return candidates(source, &name.replace('-', " "), wanted);
    }
    first_found
}

/// Returns the entities with a property. Sorted.
fn entities_where(source: &impl NameSource, has_property: impl Fn(&EntityId) -> bool) -> Vec<EntityId> {
    let mut found: Vec<EntityId> = source.entity_ids().filter(|id| has_property(id)).cloned().collect();
    found.sort_unstable();
    found
}

/// Returns whether a text is the full name or the first name of a player.
fn is_player_name(name: &str, player: &str) -> bool {
    let (name, player) = (text::words(name), text::words(player));
    !name.is_empty() && (name == player || name[..] == player[..player.len().min(1)])
}

/// Like [`candidates`], but all words of the name must be complete.
pub(crate) fn candidates_with_words(source: &impl NameSource, name: &str) -> Vec<EntityId> {
    match source.find_exact(name) {
        Resolution::One(id) => vec![id],
        Resolution::Ambiguous(candidates) => candidates,
        Resolution::None => {
            let found = entities_with_id_without_article(source, name);
            if found.is_empty() { entities_with_name_part(source, name, LastWord::Complete) } else { found }
        }
    }
}

/// Returns whether the lookups of this module read the facts with a predicate. A change of such a fact can change the
/// entity to which a name refers.
pub fn is_read_by_lookups(vocabulary: &Vocabulary, predicate: &Predicate) -> bool {
    let is_built_in =
        [attribute::NAME, attribute::ALIAS, attribute::KIND, attribute::PLAYER].contains(&predicate.as_str());
    is_built_in || is_referring(vocabulary, predicate)
}

/// Finds the entities that have the given names.
///
/// # Errors
/// Returns the same errors as [`resolve`].
pub fn resolve_all(state: &State, names: &[String]) -> Result<Vec<EntityId>, QueryError> {
    names.iter().map(|name| resolve(state, name)).collect()
}

/// Finds the characters and groups that have the given names, like [`resolve_character`].
///
/// # Errors
/// Returns the same errors as [`resolve`].
pub fn resolve_characters(state: &State, names: &[String]) -> Result<Vec<EntityId>, QueryError> {
    names.iter().map(|name| resolve_character(state, name)).collect()
}

/// Whether the last word of a part of a name must be complete.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LastWord {
    Complete,
    MayBeIncomplete,
}

/// Minimum number of letters of an incomplete word.
const MIN_INCOMPLETE_LETTERS: usize = 2;

/// Returns the entities that have a non-secret name with these words in this order. Sorted.
fn entities_with_name_part(source: &impl NameSource, part: &str, last_word: LastWord) -> Vec<EntityId> {
    let words = text::words(part);
    // A text such as `old-odo` is an id. The id of a removed entity must not match the name of another entity.
    let is_id = part.contains('-') && EntityId::new(part.trim()).is_ok();
    if is_id || words.iter().all(|word| spelling::is_stop_word(word)) {
        return Vec::new();
    }
    let last = words.last().filter(|word| word.chars().count() >= MIN_INCOMPLETE_LETTERS);
    let prefix = last.filter(|_| last_word == LastWord::MayBeIncomplete);
    let has_part = |name: &str| {
        let mut name = text::words(name).into_iter();
        words.iter().enumerate().all(|(index, word)| {
            let prefix = prefix.filter(|_| index + 1 == words.len());
            name.any(|other| other == *word || prefix.is_some_and(|prefix| other.starts_with(prefix.as_str())))
        })
    };
    entities_where(source, |id| source.open_names_of(id).into_iter().any(&has_part))
}

/// Returns the entities whose ids differ from a text only in an article at the start, such as `the-hollow-jack` for
/// `hollow-jack`. The text must consist of at least two words. Sorted.
fn entities_with_id_without_article(source: &impl NameSource, text: &str) -> Vec<EntityId> {
    let Some(given) = EntityId::new(text.trim()).ok().filter(|given| given.as_str().contains('-')) else {
        return Vec::new();
    };
    let given = without_article(given.as_str());
    entities_where(source, |id| without_article(id.as_str()) == given)
}

/// Returns an id without the article at its start: `hollow-jack` for `the-hollow-jack`.
fn without_article(id: &str) -> &str {
    match id.split_once('-') {
        Some((first, rest)) if words::is_article(first) => rest,
        _ => id,
    }
}

/// Returns the entities whose ids begin with a text of at least two whole words, such as `father-benno` for
/// `father-benno-kalt`. Sorted.
fn entities_with_id_prefix(source: &impl NameSource, text: &str) -> Vec<EntityId> {
    let Ok(given) = EntityId::new(text.trim()) else { return Vec::new() };
    let prefix = without_article(given.as_str());
    if !prefix.contains('-') {
        return Vec::new();
    }
    entities_where(source, |id| {
        without_article(id.as_str()).strip_prefix(prefix).is_some_and(|rest| rest.starts_with('-'))
    })
}

/// A speaker: a character, and the secret name that the character uses, if any.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Speaker {
    /// Character that speaks.
    pub id: EntityId,
    /// Secret name that the character uses. A hearer who does not know that this name belongs to the character does not
    /// learn the identity of the speaker. `None` if the character uses a name that is not secret.
    #[serde(default)]
    pub alias: Option<String>,
}

impl From<EntityId> for Speaker {
    /// Creates a speaker who speaks under a name that is not secret.
    fn from(id: EntityId) -> Self {
        Self { id, alias: None }
    }
}

/// Finds a speaker by id or name. If the name is secret, the result contains the secret name.
///
/// # Errors
/// Returns the same errors as [`resolve`].
pub fn resolve_speaker(state: &State, name: &str) -> Result<Speaker, QueryError> {
    let id = resolve_character(state, name)?;
    let alias = state.secret_name(&id, name).map(str::to_owned);
    Ok(Speaker { id, alias })
}

/// Returns the object of a new fact. The object is a value if `predicate` is an attribute of the vocabulary. Otherwise,
/// the object is the entity with the name `object`.
///
/// # Errors
/// Returns the same errors as [`resolve`].
pub fn resolve_object(state: &State, predicate: &str, object: &str) -> Result<Object, QueryError> {
    let is_attribute = |name: Predicate| state.vocabulary().attribute(&name).is_some();
    if Predicate::new(predicate).is_ok_and(is_attribute) {
        Ok(Object::Value(object.into()))
    } else {
        resolve(state, object).map(Object::Entity)
    }
}

/// Returns a new object for a recorded fact. The new object is a value if the object of the fact is a value. Otherwise,
/// the new object is the entity with the name `object`.
///
/// # Errors
/// Returns the same errors as [`resolve`].
pub fn resolve_replacement(state: &State, fact: &Fact, object: &str) -> Result<Object, QueryError> {
    match fact.object() {
        Object::Value(_) => Ok(Object::Value(object.into())),
        Object::Entity(_) => resolve(state, object).map(Object::Entity),
    }
}

/// Finds an entity that may have been merged into another. If `name` is the id of an entity that a merge removed,
/// returns this id. For any other text, finds the entity like [`resolve`].
///
/// # Errors
/// Returns the same errors as [`resolve`].
pub fn resolve_merged(state: &State, name: &str) -> Result<EntityId, QueryError> {
    match EntityId::new(name.trim()) {
        Ok(removed) if state.merged_into(&removed).is_some() => Ok(removed),
        _ => resolve(state, name),
    }
}

/// Returns the ids of up to three entities whose names or ids are most similar to a text.
pub(crate) fn nearest_entity_ids(source: &impl NameSource, name: &str, wanted: Wanted) -> Vec<String> {
    let (normalized_name, name_words) = (text::normalize(name), text::words(&name.replace('-', " ")));
    let mut scored: Vec<(f64, String)> = Vec::new();
    let is_suggested = |id: &&EntityId| {
        let kind = source.kind_of(id);
        match wanted {
            Wanted::Character => kind.is_none_or(|kind| kind.can_speak()),
            Wanted::Place => kind.is_none_or(|kind| kind == Kind::Location || !kind.can_speak()),
            Wanted::Any | Wanted::Named => true,
        }
    };
    for id in source.entity_ids().filter(is_suggested) {
        let names = source.names_of(id).into_iter().map(str::to_owned);
        for candidate in names.chain([id.to_string()]) {
            let normal = text::normalize(&candidate);
            let words = text::words(&normal.replace('-', " "));
            let has_words = !name_words.is_empty() && name_words.iter().all(|word| words.contains(word));
            // "Brant" is a misspelt part of "Odo Brandt", although the whole names differ.
            let is_part = |word: &String| {
                !spelling::is_common_word(word) && spelling::is_misspelling(&name_words, std::slice::from_ref(word))
            };
            let similarity = match () {
                () if has_words => 0.95,
                () if words.iter().any(is_part) => 0.9,
                () => strsim::jaro_winkler(&normalized_name, &normal),
            };
            if similarity > 0.75 {
                scored.push((similarity, id.to_string()));
            }
        }
    }
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    let mut names = lists::distinct(scored.into_iter().map(|(_, name)| name));
    names.truncate(3);
    names
}

/// Maximum number of facts in an error about an ambiguous reference.
pub(crate) const MAX_CANDIDATES: usize = 9;

/// Finds a fact. `given` is the id of the fact, the first digits of its id (at least four), its handle, or words from
/// its statement. If `given` consists of words, it must have at least two words, and no other statement may contain all
/// of them.
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

/// Returns the facts whose statement contains all content words of a text. If the statements of some of these facts also
/// contain its other words, such as "will", returns only these facts; a single content word is not enough without its other
/// words. If the text is the whole statement of some
/// of these facts, returns only them; of these, a rejected fact is found if all of them are rejected. Returns nothing
/// for a single word.
fn facts_with_words(state: &State, given: &str) -> Vec<Arc<Fact>> {
    let mut content_words = text::words(given);
    content_words.retain(|word| !spelling::is_stop_word(word));
    if !given.trim().contains(char::is_whitespace) || content_words.is_empty() {
        return Vec::new();
    }
    let contains_all_words = |fact: &&Arc<Fact>| {
        let words = text::words(fact.statement());
        content_words.iter().all(|word| words.contains(word))
    };
    let found: Vec<Arc<Fact>> = state.facts().filter(contains_all_words).cloned().collect();
    let found = facts_with_function_words(found, given, |fact| fact.statement());
    let (rejected, live): (Vec<_>, Vec<_>) = found.into_iter().partition(|fact| fact.status() == FactStatus::Rejected);
    for facts in [&live, &rejected] {
        let same = facts_with_statement(facts, given, |fact| fact.statement());
        if !same.is_empty() {
            return same;
        }
    }
    live
}

/// Returns the facts whose statement contains all words of a text except filler words, or else all given facts if the text
/// has several content words.
pub(crate) fn facts_with_function_words<T>(facts: Vec<T>, given: &str, statement: impl Fn(&T) -> &str) -> Vec<T> {
    let given = words_without_fillers(given);
    let has_all = |fact: &T| {
        let words = text::words(statement(fact));
        given.iter().all(|word| words.contains(word))
    };
    let has_several = given.iter().filter(|word| !spelling::is_stop_word(word)).count() > 1;
    if has_several && !facts.iter().any(has_all) {
        return facts;
    }
    facts.into_iter().filter(has_all).collect()
}

/// Returns the facts whose whole statement is a text. The comparison ignores case, punctuation and filler words, such as
/// articles. If a statement also has the same filler words, returns only the facts with this statement.
pub(crate) fn facts_with_statement<T: Clone>(facts: &[T], given: &str, statement: impl Fn(&T) -> &str) -> Vec<T> {
    let normal = text::normalize(given);
    let words = words_without_fillers(given);
    let mut same = facts.to_vec();
    same.retain(|fact| words_without_fillers(statement(fact)) == words);
    let mut equal = same.clone();
    equal.retain(|fact| text::normalize(statement(fact)) == normal);
    if equal.is_empty() { same } else { equal }
}

/// Returns the words of a sentence, without filler words.
fn words_without_fillers(sentence: &str) -> Vec<String> {
    let mut sentence = text::words(sentence);
    sentence.retain(|word| !words::contains_word(&words::english().fillers, word));
    sentence
}

/// Returns a name of an entity for use in a sentence that other characters may learn. The result is never a secret
/// name, and never an id, because an id can contain a secret name. Returns `somebody` if the entity has only secret
/// names.
pub fn public_name<'a>(state: &'a State, id: &EntityId) -> &'a str {
    state.open_name(id).unwrap_or("somebody")
}

/// Returns the sentence that states a relation or an attribute, with names that other characters may learn (see
/// [`public_name`]).
pub fn public_sentence(state: &State, subject: &EntityId, predicate: &Predicate, object: &Object) -> String {
    let object_name = match object {
        Object::Entity(id) => public_name(state, id).to_owned(),
        Object::Value(value) => value.to_string(),
    };
    state.vocabulary().sentence(predicate, public_name(state, subject), &object_name)
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
