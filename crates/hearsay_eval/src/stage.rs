//! Turns stories into operations. Each character sees only the events in its room.
//!
//! - While a character is in a room, the state contains a `LOCATED_AT` fact that connects the character to this room.
//! - After each event in a room, all characters in the room look around. They witness who is present and which things
//!   the room contains. The new edges have the other characters as `co_present`. So a character who comes in learns
//!   where the things are, and the others learn that this character has seen the things.
//! - If a character leaves a room, the characters who stay witness this. Characters elsewhere learn nothing.
//! - A story does not say in which room a thing is. This module assumes that a thing is in the room of the character
//!   who first moves it. If no character moves the thing, the module assumes the room that a character entered last
//!   before the story mentions the thing.

use std::{collections::BTreeMap, sync::Arc};

use hearsay_belief::{Occasion, learn, present};
use hearsay_model::{
    ApplyError, Author, Change, Date, Entity, EntityId, Fact, FactError, GameTime, Kind, KnowledgeEdge, Method,
    Operation, Position, PredicateRole, Provenance, State, Validity, attribute,
};
use thiserror::Error;

use crate::stories::Sentence;

/// Error in a story: a sentence describes an impossible event.
#[derive(Debug, Error)]
pub enum StageError {
    /// A character leaves a room without being in this room.
    #[error(
        "{who} is not in the {room}, so {who} cannot leave it; add an earlier sentence in which {who} enters the {room}"
    )]
    NotThere {
        /// The character.
        who: EntityId,
        /// The room that the character leaves.
        room: EntityId,
    },
    /// A sentence mentions a thing before any character has entered a room, so the room of the thing is unknown.
    #[error(
        "nobody has entered a room yet, so the room of the {0} is unknown; add an earlier sentence in which a character enters a room"
    )]
    NoRoom(EntityId),
    /// The characters cannot learn the event.
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
pub struct Stage {
    state: State,
    time: i64,
    placed: BTreeMap<EntityId, Position>,
    rooms: BTreeMap<EntityId, EntityId>,
}

impl Stage {
    /// Records the events of a story in a new state. Each sentence takes one minute of game time.
    ///
    /// # Errors
    /// Returns the index of the first impossible sentence, counted from 0, and the reason why it is impossible.
    pub fn play<'s>(sentences: impl IntoIterator<Item = &'s Sentence>) -> Result<Self, (usize, StageError)> {
        let sentences: Vec<&Sentence> = sentences.into_iter().collect();
        let mut stage = Self { rooms: rooms(&sentences), ..Self::default() };
        stage.set(&sentences).map_err(|error| (0, error))?;
        for (place, sentence) in sentences.into_iter().enumerate() {
            stage.time += 1;
            stage.happen(sentence).map_err(|error| (place, error))?;
        }
        Ok(stage)
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
    pub fn placed(&self, thing: &EntityId) -> Option<Position> {
        self.placed.get(thing).copied()
    }

    /// Adds all entities of the story, with their kinds.
    fn set(&mut self, sentences: &[&Sentence]) -> Result<(), StageError> {
        let mut kinds: BTreeMap<&EntityId, Kind> = BTreeMap::new();
        for sentence in sentences {
            let named: [(Option<&EntityId>, Kind); 3] = match sentence {
                Sentence::Enters { who, room } | Sentence::Leaves { who, room } => {
                    [(Some(who), Kind::Npc), (Some(room), Kind::Location), (None, Kind::Item)]
                }
                Sentence::Lies { thing, place } => {
                    [(None, Kind::Npc), (Some(thing), Kind::Item), (Some(place), Kind::Item)]
                }
                Sentence::Moves { who, thing, place } => {
                    [(Some(who), Kind::Npc), (Some(thing), Kind::Item), (Some(place), Kind::Item)]
                }
                Sentence::Likes { who, .. } => [(Some(who), Kind::Npc), (None, Kind::Item), (None, Kind::Item)],
            };
            for (id, kind) in named {
                let Some(id) = id else { continue };
                let known = kinds.entry(id).or_insert_with(|| kind.clone());
                // An entity is a thing until another sentence shows that it is a room or a character: a place in a
                // sentence may be a container or a room.
                if *known == Kind::Item {
                    *known = kind;
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

    fn happen(&mut self, sentence: &Sentence) -> Result<(), StageError> {
        match sentence {
            Sentence::Enters { who, room } => {
                if let Some(stay) = self.place_of(who) {
                    self.leave(&stay)?;
                }
                self.put(who, room)?;
                self.look_around(room)
            }
            Sentence::Leaves { who, room } => {
                let stay = self.place_of(who).filter(|stay| stay.object().entity() == Some(room));
                self.leave(&stay.ok_or_else(|| StageError::NotThere { who: who.clone(), room: room.clone() })?)
            }
            Sentence::Lies { thing, place } => {
                let is_room = self.state.kind(place) == Some(Kind::Location);
                let room = if is_room { Some(place) } else { self.rooms.get(thing) };
                let room = room.cloned().ok_or_else(|| StageError::NoRoom(thing.clone()))?;
                self.lay(thing, place, &room)
            }
            Sentence::Moves { who, thing, place } => {
                let here = self.place_of(who).and_then(|stay| stay.object().entity().cloned());
                let room = here.or_else(|| self.rooms.get(thing).cloned());
                self.lay(thing, place, &room.ok_or_else(|| StageError::NoRoom(thing.clone()))?)
            }
            Sentence::Likes { who, text } => {
                let liking =
                    Fact::attribute(who, attribute::LORE, text.as_str(), provenance())?.statement(text.as_str());
                let liking = Arc::new(liking.build()?);
                let edge = KnowledgeEdge::authored(who.clone().into(), liking.id());
                self.apply(vec![Change::AssertFact(liking), Change::Learn(Arc::new(edge))]).map(drop)
            }
        }
    }

    /// Puts a thing into a container in a room. From then on, the container is in the same room.
    fn lay(&mut self, thing: &EntityId, place: &EntityId, room: &EntityId) -> Result<(), StageError> {
        if place != room && self.place_of(place).is_none() {
            self.put(place, room)?;
        }
        if let Some(old) = self.place_of(thing) {
            self.apply(vec![Change::EndFact { fact: old.id(), until: self.date() }])?;
        }
        let position = self.put(thing, place)?;
        self.placed.entry(thing.clone()).or_insert(position);
        self.look_around(room)
    }

    /// Makes a character leave. All others in the room witness it.
    fn leave(&mut self, stay: &Fact) -> Result<(), StageError> {
        let until = self.date();
        let over = learn::ending(stay, until.clone(), None, provenance())?;
        let Some(room) = stay.object().entity() else { return Ok(()) };
        let mut witnesses = present(&self.state, room, Some(self.now()));
        witnesses.push(stay.subject().clone());
        self.apply(vec![Change::EndFact { fact: stay.id(), until }])?;
        self.witness(&[over], &witnesses, room)
    }

    /// Makes all characters in a room witness the characters and things in the room.
    fn look_around(&mut self, room: &EntityId) -> Result<(), StageError> {
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
        let witnesses = present(&self.state, room, Some(self.now()));
        if witnesses.is_empty() { Ok(()) } else { self.witness(&facts, &witnesses, room) }
    }

    fn witness(&mut self, facts: &[Arc<Fact>], witnesses: &[EntityId], room: &EntityId) -> Result<(), StageError> {
        let occasion = Occasion { time: Some(self.date()), place: Some(room.clone()), session: None };
        let learning = learn::witness(&self.state, facts, witnesses, &occasion)?;
        self.apply(learning.changes).map(drop)
    }

    fn put(&mut self, what: &EntityId, place: &EntityId) -> Result<Position, StageError> {
        let fact = Fact::relation(what, PredicateRole::Location.name(), place, provenance())?;
        let fact = fact.validity(Validity { from: Some(self.date()), until: None }).build()?;
        self.apply(vec![Change::AssertFact(Arc::new(fact))])
    }

    fn place_of(&self, id: &EntityId) -> Option<Fact> {
        self.state.newest(id, PredicateRole::Location.name()).cloned()
    }

    fn date(&self) -> Date {
        Date::at(self.now())
    }

    fn apply(&mut self, changes: Vec<Change>) -> Result<Position, StageError> {
        Ok(self.state.apply(Operation::new(Author::Game, "story", changes))?.position)
    }
}

fn provenance() -> Provenance {
    Provenance::new(Method::Witnessed, Author::Game)
}

/// Returns the room in which each thing is assumed to be when the story first mentions the thing.
fn rooms(sentences: &[&Sentence]) -> BTreeMap<EntityId, EntityId> {
    let mut people: BTreeMap<&EntityId, &EntityId> = BTreeMap::new();
    let (mut handled, mut spoken): (BTreeMap<EntityId, EntityId>, BTreeMap<EntityId, EntityId>) = Default::default();
    let mut last = None;
    for sentence in sentences {
        match sentence {
            Sentence::Enters { who, room } => {
                people.insert(who, room);
                last = Some(room);
            }
            Sentence::Leaves { who, .. } => drop(people.remove(who)),
            Sentence::Lies { thing, .. } => {
                if let Some(room) = last {
                    spoken.entry(thing.clone()).or_insert_with(|| room.clone());
                }
            }
            Sentence::Moves { who, thing, .. } => {
                if let Some(room) = people.get(who) {
                    handled.entry(thing.clone()).or_insert_with(|| (*room).clone());
                }
            }
            Sentence::Likes { .. } => {}
        }
    }
    spoken.extend(handled);
    spoken
}
