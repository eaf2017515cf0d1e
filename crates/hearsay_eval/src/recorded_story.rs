//! Turns stories into operations. Each character sees only the events in its room.
//!
//! - While a character is in a room, the state contains a `LOCATED_AT` fact that connects the character to this room.
//! - After each event in a room, all characters in the room look around. They witness who is present and which things
//!   the room contains. The new edges list the other characters in the room as `co_present`. A character who enters the
//!   room therefore learns where the things are, and the others learn that this character has seen the things.
//! - If a character leaves a room, the characters who stay in the room witness the departure. Characters in other rooms
//!   learn nothing.
//! - A story does not say in which room a thing is. This module assumes that a thing is in the room of the character
//!   who first moves it. If no character moves the thing, the module assumes the room that a character entered last
//!   before the story mentions the thing.

use std::{collections::BTreeMap, sync::Arc};

use hearsay_belief::{Occasion, characters_at, learn};
use hearsay_model::{
    ApplyError, Author, Change, Date, Entity, EntityId, Fact, FactError, GameTime, Kind, KnowledgeEdge, Method,
    Operation, Position, PredicateRole, Provenance, State, Validity, attribute,
};
use thiserror::Error;

use crate::stories::Sentence;

/// Error in a story: a sentence describes an impossible event.
#[derive(Debug, Error)]
pub enum StoryEventError {
    /// A character leaves a room without being in this room.
    #[error(
        "{character} is not in the {room}, so {character} cannot leave it; add an earlier sentence in which {character} enters the {room}"
    )]
    NotThere {
        /// The character.
        character: EntityId,
        /// The room that the character leaves.
        room: EntityId,
    },
    /// A sentence mentions a thing before any character has entered a room, so the room of the thing is unknown.
    #[error(
        "no character has entered a room yet, so the room of the {thing} is unknown; add an earlier sentence in which a \
         character enters a room",
        thing = .0
    )]
    NoRoom(EntityId),
    /// The characters' new knowledge of the event could not be recorded.
    #[error(transparent)]
    Learn(#[from] learn::LearnError),
    /// The state refuses the operation that records the event.
    #[error(transparent)]
    Apply(#[from] ApplyError),
    /// A fact about the event is invalid.
    #[error(transparent)]
    Fact(#[from] FactError),
}

/// A story whose events are recorded in a state.
#[derive(Debug, Default)]
pub struct RecordedStory {
    state: State,
    time: i64,
    first_positions: BTreeMap<EntityId, Position>,
    assumed_rooms: BTreeMap<EntityId, EntityId>,
}

impl RecordedStory {
    /// Records the events of a story in a new state. Each sentence takes one minute of game time.
    ///
    /// # Errors
    /// Returns the index of the first impossible sentence, counted from 0, and the reason why it is impossible.
    pub fn from_sentences<'s>(
        sentences: impl IntoIterator<Item = &'s Sentence>,
    ) -> Result<Self, (usize, StoryEventError)> {
        let sentences: Vec<&Sentence> = sentences.into_iter().collect();
        let mut recorded = Self { assumed_rooms: assume_rooms(&sentences), ..Self::default() };
        recorded.add_entities(&sentences).map_err(|error| (0, error))?;
        for (index, sentence) in sentences.into_iter().enumerate() {
            recorded.time += 1;
            recorded.record_event(sentence).map_err(|error| (index, error))?;
        }
        Ok(recorded)
    }

    /// Returns the state at the end of the story.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Returns the game time at the end of the story.
    pub fn now(&self) -> GameTime {
        GameTime(self.time)
    }

    /// Returns the position in the journal at which a thing first had a location. Returns `None` if the story states no
    /// location of the thing.
    pub fn first_position(&self, thing: &EntityId) -> Option<Position> {
        self.first_positions.get(thing).copied()
    }

    /// Adds all entities of the story, with their kinds.
    fn add_entities(&mut self, sentences: &[&Sentence]) -> Result<(), StoryEventError> {
        let mut kinds: BTreeMap<&EntityId, Kind> = BTreeMap::new();
        for sentence in sentences {
            let named: [(Option<&EntityId>, Kind); 3] = match sentence {
                Sentence::Enters { character, room } | Sentence::Leaves { character, room } => {
                    [(Some(character), Kind::Npc), (Some(room), Kind::Location), (None, Kind::Item)]
                }
                Sentence::IsIn { thing, place } => {
                    [(None, Kind::Npc), (Some(thing), Kind::Item), (Some(place), Kind::Item)]
                }
                Sentence::Moves { character, thing, place } => {
                    [(Some(character), Kind::Npc), (Some(thing), Kind::Item), (Some(place), Kind::Item)]
                }
                Sentence::Likes { character, .. } => {
                    [(Some(character), Kind::Npc), (None, Kind::Item), (None, Kind::Item)]
                }
            };
            for (id, kind) in named {
                let Some(id) = id else { continue };
                let known_kind = kinds.entry(id).or_insert_with(|| kind.clone());
                // An entity is a thing until another sentence shows that it is a room or a character: a place in a
                // sentence may be a container or a room.
                if *known_kind == Kind::Item {
                    *known_kind = kind;
                }
            }
        }
        let mut changes = Vec::new();
        for (id, kind) in kinds {
            changes.push(Change::AddEntity(Entity::new(id.clone())));
            let kind = Fact::attribute(id, attribute::KIND, kind.as_str(), provenance())?.build()?;
            changes.push(Change::AssertFact(Arc::new(kind)));
        }
        self.apply(changes).map(drop)
    }

    fn record_event(&mut self, sentence: &Sentence) -> Result<(), StoryEventError> {
        match sentence {
            Sentence::Enters { character, room } => {
                if let Some(location) = self.location_of(character) {
                    self.record_departure(&location)?;
                }
                self.set_location(character, room)?;
                self.witness_room(room)
            }
            Sentence::Leaves { character, room } => {
                let location = self.location_of(character).filter(|location| location.object().entity() == Some(room));
                self.record_departure(
                    &location.ok_or_else(|| StoryEventError::NotThere {
                        character: character.clone(),
                        room: room.clone(),
                    })?,
                )
            }
            Sentence::IsIn { thing, place } => {
                let is_room = self.state.kind(place) == Some(Kind::Location);
                let room = if is_room { Some(place) } else { self.assumed_rooms.get(thing) };
                let room = room.cloned().ok_or_else(|| StoryEventError::NoRoom(thing.clone()))?;
                self.put_into(thing, place, &room)
            }
            Sentence::Moves { character, thing, place } => {
                let current_room = self.location_of(character).and_then(|location| location.object().entity().cloned());
                let room = current_room.or_else(|| self.assumed_rooms.get(thing).cloned());
                self.put_into(thing, place, &room.ok_or_else(|| StoryEventError::NoRoom(thing.clone()))?)
            }
            Sentence::Likes { character, text } => {
                let liking =
                    Fact::attribute(character, attribute::LORE, text.as_str(), provenance())?.statement(text.as_str());
                let liking = Arc::new(liking.build()?);
                let edge = KnowledgeEdge::authored(character.clone().into(), liking.id());
                self.apply(vec![Change::AssertFact(liking), Change::Learn(Arc::new(edge))]).map(drop)
            }
        }
    }

    /// Puts a thing into a container in a room. From then on, the container is in the same room.
    fn put_into(&mut self, thing: &EntityId, place: &EntityId, room: &EntityId) -> Result<(), StoryEventError> {
        if place != room && self.location_of(place).is_none() {
            self.set_location(place, room)?;
        }
        if let Some(old) = self.location_of(thing) {
            self.apply(vec![Change::EndFact { fact: old.id(), until: self.date() }])?;
        }
        let position = self.set_location(thing, place)?;
        self.first_positions.entry(thing.clone()).or_insert(position);
        self.witness_room(room)
    }

    /// Makes a character leave. All others in the room witness it.
    fn record_departure(&mut self, location: &Fact) -> Result<(), StoryEventError> {
        let until = self.date();
        let ending = learn::ending(location, until.clone(), provenance())?;
        let Some(room) = location.object().entity() else { return Ok(()) };
        let mut witnesses = characters_at(&self.state, room, Some(self.now()));
        witnesses.push(location.subject().clone());
        self.apply(vec![Change::EndFact { fact: location.id(), until }])?;
        self.witness(&[ending], &witnesses, room)
    }

    /// Makes all characters in a room witness the characters and things in the room.
    fn witness_room(&mut self, room: &EntityId) -> Result<(), StoryEventError> {
        let (mut open, mut facts) = (vec![room.clone()], Vec::new());
        while let Some(place) = open.pop() {
            for link in self.state.links(&place).filter(|link| !link.is_forward()) {
                let fact = link.fact();
                if PredicateRole::Location.is(fact.predicate()) && fact.validity().holds_at(Some(self.now())) {
                    open.push(fact.subject().clone());
                    facts.push(Arc::clone(fact));
                }
            }
        }
        let witnesses = characters_at(&self.state, room, Some(self.now()));
        if witnesses.is_empty() { Ok(()) } else { self.witness(&facts, &witnesses, room) }
    }

    fn witness(&mut self, facts: &[Arc<Fact>], witnesses: &[EntityId], room: &EntityId) -> Result<(), StoryEventError> {
        let occasion = Occasion { time: Some(self.date()), place: Some(room.clone()), session: None };
        let learning = learn::witness(&self.state, facts, witnesses, &occasion)?;
        self.apply(learning.changes).map(drop)
    }

    fn set_location(&mut self, entity: &EntityId, place: &EntityId) -> Result<Position, StoryEventError> {
        let fact = Fact::relation(entity, PredicateRole::Location.name(), place, provenance())?;
        let fact = fact.validity(Validity { from: Some(self.date()), until: None }).build()?;
        self.apply(vec![Change::AssertFact(Arc::new(fact))])
    }

    fn location_of(&self, id: &EntityId) -> Option<Fact> {
        self.state.newest(id, PredicateRole::Location.name()).cloned()
    }

    fn date(&self) -> Date {
        Date::at(self.now())
    }

    fn apply(&mut self, changes: Vec<Change>) -> Result<Position, StoryEventError> {
        Ok(self.state.apply(Operation::new(Author::Game, "story", changes))?.position)
    }
}

fn provenance() -> Provenance {
    Provenance::new(Method::Witnessed, Author::Game)
}

/// Returns the room in which each thing is assumed to be when the story first mentions the thing.
fn assume_rooms(sentences: &[&Sentence]) -> BTreeMap<EntityId, EntityId> {
    let mut rooms_by_character: BTreeMap<&EntityId, &EntityId> = BTreeMap::new();
    let (mut rooms_by_move, mut rooms_by_mention): (BTreeMap<EntityId, EntityId>, BTreeMap<EntityId, EntityId>) =
        Default::default();
    let mut last_room = None;
    for sentence in sentences {
        match sentence {
            Sentence::Enters { character, room } => {
                rooms_by_character.insert(character, room);
                last_room = Some(room);
            }
            Sentence::Leaves { character, .. } => drop(rooms_by_character.remove(character)),
            Sentence::IsIn { thing, .. } => {
                if let Some(room) = last_room {
                    rooms_by_mention.entry(thing.clone()).or_insert_with(|| room.clone());
                }
            }
            Sentence::Moves { character, thing, .. } => {
                if let Some(room) = rooms_by_character.get(character) {
                    rooms_by_move.entry(thing.clone()).or_insert_with(|| (*room).clone());
                }
            }
            Sentence::Likes { .. } => {}
        }
    }
    rooms_by_mention.extend(rooms_by_move);
    rooms_by_mention
}
