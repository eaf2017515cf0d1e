//! Stories as operations: each character sees only the events in its room.
//!
//! - A character in a room has a canon LOCATED_AT fact from entering to leaving.
//! - After each event in a room, all characters in it look around. They witness who is present, and which things the
//!   room contains, with the others as co_present. So a character who comes in sees where things are, and others see
//!   that.
//! - Characters in the room witness when another leaves. Others learn nothing of it.
//! - A story does not state the rooms of its things. A thing is in the room of the character who first handles it, or
//!   else in the room that a character entered last.

use std::{collections::BTreeMap, sync::Arc};

use hearsay_belief::{Occasion, learn, present};
use hearsay_model::{
    ApplyError, Author, Change, Date, Entity, EntityId, Fact, FactError, GameTime, Kind, KnowledgeEdge, Method,
    Operation, Position, Provenance, State, Validity, attribute, predicate,
};
use thiserror::Error;

use crate::stories::Sentence;

/// Error in a sentence of a story.
#[derive(Debug, Error)]
pub enum StageError {
    /// A character leaves or acts in a room without being in it.
    #[error("{who} is not in the {room} and cannot leave it; let them enter it first")]
    NotThere {
        /// The character.
        who: EntityId,
        /// The room.
        room: EntityId,
    },
    /// A thing has no room.
    #[error("nobody has entered any room yet, so there is no place for the {0}; let somebody enter first")]
    NoRoom(EntityId),
    /// The event cannot be learned.
    #[error(transparent)]
    Learn(#[from] learn::LearnError),
    /// The event cannot be recorded.
    #[error(transparent)]
    Apply(#[from] ApplyError),
    /// A fact cannot be built.
    #[error(transparent)]
    Fact(#[from] FactError),
}

/// A played story.
#[derive(Debug, Default)]
pub struct Stage {
    state: State,
    time: i64,
    placed: BTreeMap<EntityId, Position>,
    rooms: BTreeMap<EntityId, EntityId>,
}

impl Stage {
    /// Plays a story, one sentence a minute.
    ///
    /// # Errors
    /// The index of the impossible sentence, counted from 0, with the reason.
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

    /// Returns the moment at the end of the story.
    pub fn now(&self) -> GameTime {
        GameTime(self.time)
    }

    /// Returns the position in the journal at which a thing first had a place.
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
                // A container in a room may be a room itself. A character that acts is not a thing.
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

    /// Puts a thing somewhere in a room. Its container is in that room too from then on.
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

    /// Makes all characters in a room witness its characters and things.
    fn look_around(&mut self, room: &EntityId) -> Result<(), StageError> {
        let (mut open, mut facts) = (vec![room.clone()], Vec::new());
        while let Some(place) = open.pop() {
            for link in self.state.links(&place).filter(|link| !link.is_forward()) {
                let fact = link.fact();
                if *fact.predicate() == *predicate::LOCATED_AT && fact.validity().holds_at(Some(self.now())) {
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
        let fact = Fact::relation(what, predicate::LOCATED_AT, place, provenance())?;
        let fact = fact.validity(Validity { from: Some(self.date()), until: None }).build()?;
        self.apply(vec![Change::AssertFact(Arc::new(fact))])
    }

    fn place_of(&self, id: &EntityId) -> Option<Fact> {
        self.state.newest(id, predicate::LOCATED_AT).cloned()
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

/// Returns the room of each thing when it is first mentioned.
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
