//! A simulated village. Its people move and talk. The simulation sends the same requests to the memory as a game.

use std::{collections::BTreeMap, sync::Arc};

use anyhow::Result;
use hearsay_commands::{
    game_event::{Circumstances, GameEvent, Hearers, Stated},
    patches::{EntityCreation, Patch, Patches, PlaceUpdate},
};
use hearsay_engine::{Memory, MemoryError, Patched, Ticket, Written};
use hearsay_model::{Author, EntityId, GameTime, Kind};

use crate::Random;

/// The people and places of a village, and the number of game events so far.
pub(super) struct Village {
    pub(super) people: Vec<EntityId>,
    pub(super) places: Vec<EntityId>,
    pub(super) event_count: usize,
    random: Random,
}

/// Number of people per place.
const PEOPLE_PER_PLACE: usize = 4;

impl Village {
    pub(super) fn new(people: usize) -> Result<Self> {
        let ids = |kind: &str, count: usize| -> Result<Vec<EntityId>> {
            (0..count).map(|n| Ok(EntityId::new(format!("{kind}-{n}"))?)).collect()
        };
        let places = ids("place", (people / PEOPLE_PER_PLACE).max(2))?;
        Ok(Self { people: ids("person", people)?, places, event_count: 0, random: Random::new(23, 0) })
    }

    /// Adds all people and places of the village to a memory.
    pub(super) fn settle(&self, memory: &Memory) -> Result<()> {
        let create = |kind: Kind, name: String| {
            let create = Some(EntityCreation { kind, name: Some(name) });
            Patch { create, ..Patch::default() }
        };
        let place = |(n, id): (usize, &EntityId)| (id.clone(), create(Kind::Location, format!("The House {n}")));
        let person = |(n, id): (usize, &EntityId)| {
            let home = self.places[n % self.places.len()].clone();
            (id.clone(), Patch { place: PlaceUpdate::At(home), ..create(Kind::Npc, format!("Villager {n}")) })
        };
        let places = self.places.iter().enumerate().map(place);
        let entities = places.chain(self.people.iter().enumerate().map(person)).collect();
        let patches = Patches { entities, clock: Some(GameTime(0)), ..Patches::default() };
        memory.patch(Author::Game, Arc::new(patches))?.wait()?;
        Ok(())
    }

    /// Moves the person with the number `person` to a random place. Returns the person's id and the change for the
    /// memory.
    pub(super) fn move_person(&mut self, person: usize) -> (EntityId, Patch) {
        let place = self.places[self.random.below(self.places.len())].clone();
        (self.people[person % self.people.len()].clone(), Patch { place: PlaceUpdate::At(place), ..Patch::default() })
    }

    pub(super) fn random_person(&mut self) -> usize {
        self.random.below(self.people.len())
    }

    /// Creates the next game event: a person says or tells something new to two other people, or two other people
    /// witness something new.
    pub(super) fn next_event(&mut self) -> GameEvent {
        let (number, person) = (self.event_count, self.random_person());
        self.event_count += 1;
        let person_id = |offset: usize| self.people[(person + offset) % self.people.len()].clone();
        let others = Hearers::Listed(vec![person_id(1), person_id(2)]);
        let circumstances = Circumstances::default();
        let lore = Stated::Lore { about: person_id(3), text: sentence(number) };
        match number % 3 {
            0 => GameEvent::Say {
                speaker: person_id(0).into(),
                text: sentence(number),
                states: Vec::new(),
                hearers: others,
                lie: false,
                circumstances,
            },
            1 => GameEvent::Tell {
                teller: person_id(0).into(),
                fact: lore,
                hearers: others,
                retold: None,
                lie: false,
                citing: None,
                credence: None,
                circumstances,
            },
            _ => GameEvent::Witness { facts: vec![lore], witnesses: others, circumstances },
        }
    }
}

/// Returns a sentence that is unique for the given number.
pub(super) fn sentence(number: usize) -> String {
    const STATEMENTS: [&str; 6] = [
        "the mill wheel stood still on night",
        "a lantern was carried to the ford on day",
        "two geese were missing at count",
        "the miller owes for sack",
        "somebody knocked at the chapel at hour",
        "the well tasted of iron on morning",
    ];
    format!("They say {} {number}.", STATEMENTS[number % STATEMENTS.len()])
}

/// Requests to the memory that are not answered yet.
#[derive(Default)]
pub(super) struct PendingRequests {
    patches: Vec<Ticket<Patched>>,
    talk: Vec<Ticket<Written>>,
}

/// Maximum number of requests that are not answered yet.
const MAX_PENDING: usize = 64;

impl PendingRequests {
    pub(super) fn patch(&mut self, memory: &Memory, entities: Vec<(EntityId, Patch)>, clock: i64) -> Result<()> {
        // If there are several patches for one entity, only the last is sent.
        let entities: BTreeMap<EntityId, Patch> = entities.into_iter().collect();
        let (entities, clock) = (entities.into_iter().collect(), Some(GameTime(clock)));
        let patches = Patches { entities, clock, ..Patches::default() };
        let patches = Arc::new(patches);
        let ticket = send_when_possible(|| memory.patch(Author::Game, Arc::clone(&patches)))?;
        self.patches.push(ticket);
        if self.patches.len() >= MAX_PENDING { self.finish() } else { Ok(()) }
    }

    pub(super) fn talk(&mut self, memory: &Memory, game_event: &GameEvent) -> Result<()> {
        self.talk.push(send_when_possible(|| memory.learn(Author::Game, game_event.clone()))?);
        if self.talk.len() >= MAX_PENDING { self.finish() } else { Ok(()) }
    }

    /// Waits for all answers.
    pub(super) fn finish(&mut self) -> Result<()> {
        for ticket in self.patches.drain(..) {
            let patched = ticket.wait()?;
            anyhow::ensure!(patched.refused.is_empty(), "a move was refused: {:?}", patched.refused);
        }
        for ticket in self.talk.drain(..) {
            ticket.wait()?;
        }
        Ok(())
    }
}

/// Sends a request as soon as the queue has space.
fn send_when_possible<T>(mut send: impl FnMut() -> Result<Ticket<T>, MemoryError>) -> Result<Ticket<T>> {
    loop {
        match send() {
            Err(MemoryError::Full { .. }) => std::thread::sleep(std::time::Duration::from_millis(1)),
            other => return Ok(other?),
        }
    }
}
