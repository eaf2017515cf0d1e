//! Resolves the names of entities, facts and sessions on the command line. If a name is ambiguous, asks the user which
//! entity or fact it means.
//!
//! The DM names the knower of a command and the session. If a command has a knower, all other names are looked up in
//! the view of the knower. A name that the knower does not know and a name that does not exist therefore give the same
//! output.

use std::{collections::BTreeMap, sync::Arc};

use anyhow::Result;
use hearsay_commands::session::speaker_or_player;
use hearsay_engine::Memory;
use hearsay_model::{EntityId, FactId, GameTime, Object, SessionId, State, Vocabulary, lists::push_new, text};
use hearsay_query::{
    QueryError,
    as_of::AsOf,
    ids::require_fact,
    named_view::NamedView,
    resolve::{
        Speaker, find_fact, find_session, resolve, resolve_character, resolve_merged, resolve_named, resolve_object,
        resolve_place, resolve_replacement, resolve_speaker,
    },
    review::{SettledFact, find_removed},
};

use crate::{
    args::PointInTime,
    choice::Ambiguity,
    facts::known_predicate,
    output::{CliError, Output},
};

/// Finds the ids of the names on the command line.
///
/// Drop this value before a write. While it shares the state, the memory must copy the state to change it.
pub(crate) struct Names {
    state: Arc<State>,
    /// Whether the program may ask the user.
    may_ask: bool,
    /// View in which entities, facts and predicates are looked up; `None` for the whole campaign.
    own: Option<NamedView>,
}

/// An entity or a fact that the command line names.
pub(crate) enum EntityOrFact {
    Entity(EntityId),
    Fact(FactId),
}

impl Names {
    /// Reads the names of the current state.
    pub(crate) fn read(memory: &Memory, output: &Output) -> Result<Self> {
        let state = memory.read(|world| Ok(Arc::clone(&world.state)))?.wait()?;
        Ok(Self { state, may_ask: !output.is_json(), own: None })
    }

    /// Reads the names of the state at the journal position of `point_in_time`. Also returns the requested game time.
    pub(crate) fn read_at(
        memory: &Memory,
        point_in_time: &PointInTime,
        output: &Output,
    ) -> Result<(Self, Option<GameTime>)> {
        let as_of = AsOf::from(point_in_time);
        let read = memory.read_in_background(move |world| {
            let state = as_of.state(&world.state)?;
            let moment = as_of.moment(&state)?;
            Ok((state, moment))
        })?;
        let (state, moment) = read.wait()?;
        Ok((Self { state, may_ask: !output.is_json(), own: None }, moment))
    }

    /// Returns the state that contains the names.
    pub(crate) fn state(&self) -> &State {
        &self.state
    }

    /// From now on, looks up entities, facts and predicates in the view of a knower at a game time.
    pub(crate) fn in_view_of(mut self, knower: &EntityId, moment: Option<GameTime>) -> Self {
        self.own = Some(NamedView::new(&self.state, knower, moment));
        self
    }

    /// Like [`in_view_of`](Self::in_view_of), for the knower with a name in the campaign. Without a knower, changes
    /// nothing.
    pub(crate) fn in_view_of_optional(self, knower: Option<&String>, moment: Option<GameTime>) -> Result<Self> {
        Ok(match self.optional_character(knower)? {
            Some(knower) => self.in_view_of(&knower, moment),
            None => self,
        })
    }

    /// Returns the view in which names are looked up; `None` for the whole campaign.
    pub(crate) fn own_view(&self) -> Option<&NamedView> {
        self.own.as_ref()
    }

    /// Returns the knower of the view in which names are looked up.
    pub(crate) fn knower(&self) -> Option<EntityId> {
        self.own.as_ref().map(|own| own.knower().clone())
    }

    /// Asks the user which of the candidates of an ambiguous name is meant. Returns the index of the candidate; `None`
    /// for other errors, or if the user makes no choice.
    fn ask(&self, error: &QueryError) -> Option<usize> {
        Ambiguity::from_error(error).filter(|_| self.may_ask)?.ask()
    }

    pub(crate) fn entity(&self, name: &str) -> Result<EntityId> {
        self.chosen(match &self.own {
            Some(own) => own.resolve(name),
            None => resolve(&self.state, name),
        })
    }

    /// Like [`entity`](Self::entity), for a character or a group. A part of a name that fits a character and a place
    /// means the character. If no entity has the name, the error suggests only characters and groups.
    pub(crate) fn character(&self, name: &str) -> Result<EntityId> {
        self.chosen(match &self.own {
            Some(own) => own.resolve_character(name),
            None => resolve_character(&self.state, name),
        })
    }

    /// Like [`character`](Self::character), for an option that may be missing.
    pub(crate) fn optional_character(&self, name: Option<&String>) -> Result<Option<EntityId>> {
        name.map(|name| self.character(name)).transpose()
    }

    /// Like [`optional_entity`](Self::optional_entity), for a place. If a place has the name, no other entity counts.
    pub(crate) fn optional_place(&self, name: Option<&String>) -> Result<Option<EntityId>> {
        let find = |name: &String| match &self.own {
            Some(own) => own.resolve_place(name),
            None => resolve_place(&self.state, name),
        };
        name.map(|name| self.chosen(find(name))).transpose()
    }

    /// Returns a found entity. For an ambiguous name, asks the user.
    fn chosen(&self, found: Result<EntityId, QueryError>) -> Result<EntityId> {
        let error = match found {
            Ok(id) => return Ok(id),
            Err(error) => error,
        };
        match (self.ask(&error), error) {
            (Some(chosen), QueryError::Ambiguous { mut candidates, .. }) => Ok(candidates.swap_remove(chosen).0),
            (_, error) => Err(error.into()),
        }
    }

    /// Finds an entity by its names. Does not ask the user.
    pub(crate) fn find_entity(&self, name: &str) -> Result<EntityId, QueryError> {
        match &self.own {
            Some(own) => own.resolve_named(name),
            None => resolve_named(&self.state, name),
        }
    }

    pub(crate) fn optional_entity(&self, name: Option<&String>) -> Result<Option<EntityId>> {
        name.map(|name| self.entity(name)).transpose()
    }

    /// Returns the entities that the values of an option name. A value can be a list of names: `Tam, Odo`.
    pub(crate) fn entities(&self, names: &[String]) -> Result<Vec<EntityId>> {
        self.each(names, |name| self.entity(name))
    }

    /// Like [`entities`](Self::entities), for characters.
    pub(crate) fn characters(&self, names: &[String]) -> Result<Vec<EntityId>> {
        self.each(names, |name| self.character(name))
    }

    /// Like [`characters`](Self::characters), for listeners. Also returns an error for each different name that the
    /// knower does not know: the listener with this name is a stranger to the knower.
    pub(crate) fn listeners(&self, names: &[String]) -> Result<(Vec<EntityId>, Vec<QueryError>)> {
        let (mut known, mut strangers) = (Vec::new(), BTreeMap::new());
        for name in names.iter().flat_map(|name| self.split(name)) {
            match self.character(name).map_err(anyhow::Error::downcast) {
                Ok(id) => push_new(&mut known, id),
                Err(Ok(error @ QueryError::UnknownToKnower { .. })) => {
                    _ = strangers.insert(text::normalize(name), error)
                }
                Err(Ok(error)) => return Err(error.into()),
                Err(Err(error)) => return Err(error),
            }
        }
        Ok((known, strangers.into_values().collect()))
    }

    fn each(&self, names: &[String], find: impl Fn(&str) -> Result<EntityId>) -> Result<Vec<EntityId>> {
        let mut found = Vec::new();
        for name in names.iter().flat_map(|name| self.split(name)) {
            push_new(&mut found, find(name)?);
        }
        Ok(found)
    }

    /// Splits a list of names at the commas. A name can contain a comma itself.
    fn split<'a>(&self, name: &'a str) -> impl Iterator<Item = &'a str> + use<'a> {
        let is_list = name.contains(',') && self.find_entity(name).is_err();
        let parts = if is_list { name.split(',').collect() } else { vec![name] };
        parts.into_iter().map(str::trim).filter(|part| !part.is_empty())
    }

    /// Returns the speaker. If the command line gives a secret name, the character speaks under this name.
    pub(crate) fn speaker(&self, name: &str) -> Result<Speaker> {
        match resolve_speaker(&self.state, name) {
            Ok(speaker) => Ok(speaker),
            Err(_) => Ok(self.character(name)?.into()),
        }
    }

    /// Returns the speaker, and whether the name is that of the player of the speaker.
    pub(crate) fn speaker_or_player(&self, name: &str) -> Result<(Speaker, bool)> {
        speaker_or_player(&self.state, name, self.speaker(name))
    }

    pub(crate) fn optional_speaker(&self, name: Option<&String>) -> Result<Option<Speaker>> {
        name.map(|name| self.speaker(name)).transpose()
    }

    /// Returns the entity that a merge removed, or the entity that remains.
    pub(crate) fn merged_entity(&self, name: &str) -> Result<EntityId> {
        match resolve_merged(&self.state, name) {
            Ok(id) => Ok(id),
            Err(_) => self.entity(name),
        }
    }

    /// Finds a fact. Does not ask the user.
    fn find_fact(&self, reference: &str) -> Result<FactId, QueryError> {
        match &self.own {
            Some(own) => own.find_fact_or_handle(&self.state, reference).map(|known| known.id()),
            None => find_fact(&self.state, reference).map(|fact| fact.id()),
        }
    }

    pub(crate) fn fact(&self, reference: &str) -> Result<FactId> {
        let error = match self.find_fact(reference) {
            Ok(fact) => return Ok(fact),
            Err(error) => error,
        };
        match (self.ask(&error), error) {
            (Some(chosen), QueryError::FactReference { mut candidates, .. }) => Ok(candidates.swap_remove(chosen).0),
            (_, error) => Err(error.into()),
        }
    }

    pub(crate) fn facts(&self, references: &[String]) -> Result<Vec<FactId>> {
        references.iter().map(|reference| self.fact(reference)).collect()
    }

    /// Returns the facts on which the DM can decide, and the facts on which nothing is left to decide.
    ///
    /// # Errors
    /// Returns an error if a reference matches no fact or several facts.
    pub(crate) fn undecided_facts(&self, references: &[String]) -> Result<(Vec<FactId>, Vec<SettledFact>)> {
        let (mut undecided, mut settled) = (Vec::new(), Vec::new());
        for reference in references {
            let found = self.fact(reference).and_then(|fact| Ok(require_fact(&self.state, fact)?));
            match found {
                Ok(fact) => match SettledFact::rejected(fact) {
                    Some(fact) => settled.push(fact),
                    None => undecided.push(fact.id()),
                },
                Err(error) => {
                    let query_error = error.downcast_ref::<QueryError>();
                    let is_unknown = matches!(query_error, Some(QueryError::FactReference { count: 0, .. }));
                    match find_removed(&self.state, reference).filter(|_| is_unknown) {
                        Some(fact) => settled.push(fact),
                        None if references.len() > 1 => return Err(error.context("no decision was recorded")),
                        None => return Err(error),
                    }
                }
            }
        }
        Ok((undecided, settled))
    }

    /// Returns the entity with this name, or else the fact. If neither is found, the error is about the entity.
    pub(crate) fn entity_or_fact(&self, reference: &str) -> Result<EntityOrFact> {
        if self.find_entity(reference).is_err()
            && let Ok(fact) = self.find_fact(reference)
        {
            return Ok(EntityOrFact::Fact(fact));
        }
        self.entity(reference).map(EntityOrFact::Entity)
    }

    /// Returns the predicate that a text names; `None` without a text. For a knower, only the built-in predicates and
    /// those of the known facts count, because the campaign may define a predicate for a secret.
    pub(crate) fn optional_predicate(&self, given: Option<&String>) -> Result<Option<String>, CliError> {
        let Some(given) = given else { return Ok(None) };
        let predicate = match &self.own {
            Some(own) => {
                let known = own.view().facts().map(|known| known.predicate().as_str());
                known_predicate(&Vocabulary::default(), known, given)
            }
            None => {
                let recorded = self.state.facts().map(|fact| fact.predicate().as_str());
                known_predicate(self.state.vocabulary(), recorded, given)
            }
        };
        predicate.map(Some)
    }

    /// Returns the object of a new fact with this predicate: an entity or a value.
    pub(crate) fn object(&self, predicate: &str, object: &str) -> Result<Object> {
        match resolve_object(&self.state, predicate, object) {
            Ok(object) => Ok(object),
            Err(_) => self.entity(object).map(Object::Entity),
        }
    }

    /// Returns the object that takes the place of the object of a fact: an entity or a value.
    pub(crate) fn replacement(&self, fact: FactId, object: &str) -> Result<Object> {
        match resolve_replacement(&self.state, require_fact(&self.state, fact)?, object) {
            Ok(object) => Ok(object),
            Err(_) => self.entity(object).map(Object::Entity),
        }
    }

    pub(crate) fn session(&self, reference: &str) -> Result<SessionId> {
        Ok(find_session(&self.state, reference)?.id.clone())
    }

    pub(crate) fn optional_session(&self, reference: Option<&String>) -> Result<Option<SessionId>> {
        reference.map(|reference| self.session(reference)).transpose()
    }
}
