//! The view of the session's character. All names and facts that a client gives are looked up in it.

use std::collections::BTreeSet;

use hearsay_belief::{Known, RevealableFacts, Trust, View, evaluate_reveals, revealable_facts};
use hearsay_model::{Calendar, EntityId, FactId, GameTime, Knower, SessionId, State, spelling, text};
use hearsay_query::knowledge::{describe_edge_with_names, known_edges};
use hearsay_recall::EntityLinker;

use crate::error::ToolError;

/// Maximum number of candidates in an error about an ambiguous name or fact.
const MAX_CANDIDATES: usize = 9;

/// Minimum number of digits of an abbreviated fact id.
const MIN_ID_DIGITS: usize = 4;

/// Name of an entity whose name the character does not know.
const UNNAMED: &str = "somebody";

/// The view of a character, with the names that the character knows.
pub(crate) struct OwnView {
    pub(crate) character: EntityId,
    pub(crate) view: View,
    pub(crate) names: EntityLinker,
    calendar: Calendar,
}

impl OwnView {
    pub(crate) fn new(state: &State, character: &EntityId) -> Self {
        let view = View::new(state, &Knower::Entity(character.clone()), None);
        let names = EntityLinker::new(&view);
        Self { character: character.clone(), names, view, calendar: state.calendar().clone() }
    }

    /// Returns the character's name for an entity, or `somebody`.
    pub(crate) fn name_of(&self, id: &EntityId) -> String {
        self.names.name(id).unwrap_or(UNNAMED).to_owned()
    }

    pub(crate) fn date(&self, time: Option<GameTime>) -> Option<String> {
        time.map(|time| self.calendar.format(time))
    }

    /// Describes how the character came to know a fact, by its first source.
    pub(crate) fn how_known(&self, known: &Known) -> String {
        let first = known_edges(known).first();
        first.map_or_else(String::new, |edge| describe_edge_with_names(edge, &|id| self.name_of(id)))
    }

    /// Finds an entity that the character knows, by name, alias, part of a name, or id. An entity that exists but that
    /// the character does not know gives the same error as an entity that does not exist.
    pub(crate) fn entity(&self, name: &str) -> Result<EntityId, ToolError> {
        let candidates = self.candidates(name);
        match candidates.len() {
            0 => Err(ToolError::new(format!("you know nobody and nothing called `{name}`"))),
            1 => candidates.into_iter().next().ok_or_else(|| ToolError::new("no candidate")),
            _ => {
                let names: Vec<String> =
                    candidates.iter().take(MAX_CANDIDATES).map(|id| format!("{} (`{id}`)", self.name_of(id))).collect();
                Err(ToolError::new(format!("`{name}` can mean several: {}; give the id of one", names.join(", "))))
            }
        }
    }

    pub(crate) fn entities(&self, names: &[String]) -> Result<Vec<EntityId>, ToolError> {
        names.iter().map(|name| self.entity(name)).collect()
    }

    fn candidates(&self, name: &str) -> BTreeSet<EntityId> {
        if let Some(id) = EntityId::new(name.trim()).ok().filter(|id| self.knows_entity(id)) {
            return BTreeSet::from([id]);
        }
        let normal = text::normalize(name);
        let has_name =
            |known: &&Known| known.is_name() && known.object().text().is_some_and(|own| text::normalize(own) == normal);
        let named: BTreeSet<EntityId> =
            self.view.facts().filter(has_name).map(|known| known.subject().clone()).collect();
        if !named.is_empty() {
            return named;
        }
        self.names.mentioned_entities(name).into_iter().map(|linked| linked.id).collect()
    }

    /// Returns whether the character knows a fact about an entity. Entities that facts only mention do not count,
    /// because a view does not show such mentions.
    fn knows_entity(&self, id: &EntityId) -> bool {
        *id == self.character || self.facts_about(id).next().is_some()
    }

    /// Returns the facts that the character knows with an entity as subject or object.
    pub(crate) fn facts_about<'a>(&'a self, id: &'a EntityId) -> impl Iterator<Item = &'a Known> {
        let is_object = move |known: &&Known| known.object().entity() == Some(id) && known.subject() != id;
        self.view.facts_with_subject(id).chain(self.view.facts_with_object(id).filter(is_object))
    }

    /// Returns the facts that concern an entity: those with the entity as subject or object, and those whose sentence
    /// contains a name of the entity that the character knows. Sorted by id.
    pub(crate) fn facts_naming<'a>(&'a self, id: &'a EntityId) -> impl Iterator<Item = &'a Known> {
        let linked = self.names.linked_entity(id);
        self.view.facts().filter(move |known| {
            known.subject() == id
                || known.object().entity() == Some(id)
                || linked.is_named_in(&text::words(known.statement()))
        })
    }

    /// Returns the session of the latest line that the character heard; `None` if the line belongs to no session.
    pub(crate) fn latest_session(&self) -> Option<SessionId> {
        let passages = self.view.passages().map(|(id, heard)| (id, &heard.passage));
        let latest =
            passages.max_by_key(|(id, passage)| (passage.time.as_ref().and_then(|date| date.time), passage.line, *id));
        latest?.1.session.clone()
    }

    /// Finds a fact that the character knows, by id, by the first digits of its id, or by words of its sentence. A fact
    /// that exists but that the character does not know gives the same error as a fact that does not exist.
    pub(crate) fn fact(&self, given: &str) -> Result<&Known, ToolError> {
        let given = given.trim();
        if let Some(known) = given.parse().ok().and_then(|id: FactId| self.view.fact(id)) {
            return Ok(known);
        }
        let mut found: Vec<&Known> = Vec::new();
        if given.chars().count() >= MIN_ID_DIGITS {
            found = self.view.facts().filter(|known| known.id().to_string().starts_with(given)).collect();
        }
        if found.is_empty() {
            found = self.facts_with_words(given);
        }
        match found[..] {
            [known] => Ok(known),
            [] => Err(ToolError::new(format!(
                "you know no fact `{given}`; give its id, at least four digits of its id, or two or more words of it"
            ))),
            _ => {
                let list: Vec<String> = found
                    .iter()
                    .take(MAX_CANDIDATES)
                    .map(|known| format!("{}: {}", known.id().short(), known.statement()))
                    .collect();
                Err(ToolError::new(format!(
                    "`{given}` matches {} facts that you know; give the id of one: {}",
                    found.len(),
                    list.join("; ")
                )))
            }
        }
    }

    fn facts_with_words(&self, given: &str) -> Vec<&Known> {
        let mut content_words = text::words(given);
        content_words.retain(|word| !spelling::is_stop_word(word));
        if !given.contains(char::is_whitespace) || content_words.is_empty() {
            return Vec::new();
        }
        let contains_all = |known: &&Known| {
            let words = text::words(known.statement());
            content_words.iter().all(|word| words.contains(word))
        };
        self.view.facts().filter(contains_all).collect()
    }
}

/// Returns the secrets that a character may tell now, because the conditions of their reveals are met.
pub(crate) fn revealable(state: &State, character: &EntityId) -> RevealableFacts {
    let trust = |knower: &EntityId, other: &EntityId| Trust::between(state, knower, other).level();
    revealable_facts(&evaluate_reveals(state, &trust), character)
}
