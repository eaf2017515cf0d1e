//! The view of the session's character: everything that the character knows. The server looks up all names and facts
//! from the client in this view only.

use hearsay_belief::{Known, RevealableFacts, Trust, View, evaluate_reveals, revealable_facts};
use hearsay_model::{Calendar, EntityId, FactId, GameTime, Knower, Resolution, SessionId, State};
use hearsay_query::{
    QueryError,
    knowledge::{describe_edge_with_names, known_edges},
    named_view::NamedView,
    session::sessions_in_order,
};

use crate::error::ToolError;

/// Maximum number of candidates in an error about an ambiguous name.
const MAX_CANDIDATES: usize = 9;

/// Name of an entity whose name the character does not know.
const UNNAMED: &str = "somebody";

/// The view of a character, with the names that the character knows.
pub(crate) struct OwnView {
    own: NamedView,
    calendar: Calendar,
    /// Sessions of the campaign in the order in which they were played.
    sessions: Vec<SessionId>,
}

impl OwnView {
    pub(crate) fn new(state: &State, character: &EntityId) -> Self {
        let view = View::new(state, &Knower::Entity(character.clone()), None);
        let own = NamedView::from_view(character, view);
        Self { own, calendar: state.calendar().clone(), sessions: sessions_in_order(state) }
    }

    pub(crate) fn character(&self) -> &EntityId {
        self.own.knower()
    }

    pub(crate) fn view(&self) -> &View {
        self.own.view()
    }

    /// Returns the character's name for an entity, or `somebody`.
    pub(crate) fn name_of(&self, id: &EntityId) -> String {
        self.own.names().name(id).unwrap_or(UNNAMED).to_owned()
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
        match &self.candidates(name)[..] {
            [] => Err(ToolError::new(format!("you know no character, place or thing called `{name}`"))),
            [id] => Ok(id.clone()),
            candidates => {
                let names: Vec<String> =
                    candidates.iter().take(MAX_CANDIDATES).map(|id| format!("{} (`{id}`)", self.name_of(id))).collect();
                Err(ToolError::new(format!(
                    "several entities have the name `{name}`: {}; give the id of one of these entities",
                    names.join(", ")
                )))
            }
        }
    }

    pub(crate) fn entities(&self, names: &[String]) -> Result<Vec<EntityId>, ToolError> {
        names.iter().map(|name| self.entity(name)).collect()
    }

    /// Returns the entities that a text names, also if it misspells or shortens a name.
    fn candidates(&self, name: &str) -> Vec<EntityId> {
        match self.own.find_exact(name) {
            Resolution::One(id) => vec![id],
            Resolution::Ambiguous(ids) => ids,
            Resolution::None => self.own.names().mentioned_entities(name).into_iter().map(|linked| linked.id).collect(),
        }
    }

    /// Returns the facts that concern an entity: those with the entity as subject or object, and those whose sentence
    /// contains a name of the entity that the character knows. Sorted by id.
    pub(crate) fn facts_naming<'a>(&'a self, id: &'a EntityId) -> impl Iterator<Item = &'a Known> {
        self.own.facts_naming(id)
    }

    /// Returns the session of the latest line that the character heard; `None` if the line belongs to no session.
    pub(crate) fn latest_session(&self) -> Option<SessionId> {
        let passages = self.view().passages().map(|(id, heard)| (id, &heard.passage));
        let latest = passages.max_by_key(|(id, passage)| (passage.said_order(&self.sessions), *id));
        latest?.1.session.clone()
    }

    /// Finds a fact that the character knows, by id, by the first digits of its id, or by words of its sentence. A fact
    /// that exists but that the character does not know gives the same error as a fact that does not exist.
    pub(crate) fn fact(&self, given: &str) -> Result<&Known, ToolError> {
        self.own.find_fact(given).map_err(|error| match error {
            QueryError::FactUnknownToKnower { given, .. } => ToolError::new(format!(
                "you know no fact `{given}`; give the id of a fact, at least four digits of the id, or at least two words \
                 of the sentence"
            )),
            QueryError::FactReference { given, count, candidates } => {
                let list =
                    candidates.iter().map(|(id, statement): &(FactId, String)| format!("{}: {statement}", id.short()));
                ToolError::new(format!(
                    "`{given}` matches {count} facts that you know; give the id of one of these facts: {}",
                    list.collect::<Vec<_>>().join("; ")
                ))
            }
            error => error.into(),
        })
    }
}

/// Returns the secrets that a character may tell now, because the conditions of their reveals are met.
pub(crate) fn revealable(state: &State, character: &EntityId) -> RevealableFacts {
    let trust = |knower: &EntityId, other: &EntityId| Trust::between(state, knower, other).level();
    revealable_facts(&evaluate_reveals(state, &trust), character)
}
