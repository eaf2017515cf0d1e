//! Measures the effect of months of play: simulates a village whose people move and talk, and stores the campaign in a
//! directory.
//!
//! [`measure`] writes as fast as possible, and measures the size of the directory and the time to open it. It compares
//! both with the same figures of a second directory, into which only the final state was written. [`measure_paced`]
//! plays at the speed of a game. It measures the time from a change to its commit, and the processor time that the
//! memory's worker thread takes for a move.

mod directory;
mod paced;
mod village;

use std::{path::Path, time::Instant};

use anyhow::{Context, Result, ensure};
use hearsay_engine::{Memory, ReadSnapshot};
use hearsay_model::{Author, Change, EntityId, Knower, Operation, State};
use hearsay_query::journal::UndoTarget;
use serde::Serialize;

use directory::{options, timed_open};
pub use paced::{Paced, PacedPlan, measure_paced};
use village::{UnderWay, Village, sentence};

/// Parameters of a run of [`measure`].
#[derive(Debug, Clone, Copy)]
pub struct Plan {
    /// Number of people in the village.
    pub people: usize,
    /// Number of moves.
    pub moves: usize,
    /// Number of game events in which people say, tell or see something.
    pub talk: usize,
}

/// The result of [`measure`].
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Soaked {
    /// Number of people in the village.
    pub people: usize,
    /// Number of moves.
    pub moves: usize,
    /// Number of game events in which people say, tell or see something.
    pub talk: usize,
    /// Duration of the run, in seconds.
    pub played_s: f64,
    /// Size of the directory after closing, in bytes.
    pub directory_bytes: u64,
    /// Time to open the directory, in milliseconds.
    pub open_ms: f64,
    /// Size of the second directory, into which only the final state was written, in bytes.
    pub once_bytes: u64,
    /// Time to open the second directory, in milliseconds.
    pub once_open_ms: f64,
    /// Size of the directory, divided by the size of the second directory.
    pub bytes_ratio: f64,
    /// Opening time of the directory, divided by the opening time of the second directory.
    pub open_ratio: f64,
    /// Number of game events, out of `talk`, that are still completely recorded at the end, with their speaker and
    /// hearers or witnesses.
    pub talk_kept: usize,
    /// Whether undoing the last spoken line removes the line, and undoing this undo restores it.
    pub undo_works: bool,
    /// Whether loading a slot restores the locations of people, and removes all later passages.
    pub slot_works: bool,
}

/// Number of moves in one operation.
const BATCH: usize = 200;

/// Number of operations in one minute of game time.
const MINUTE: usize = 4;

/// Simulates the village as fast as possible, and writes to `directory`.
///
/// # Errors
/// Returns an error if the village has fewer than 8 people, the memory fails, or a move is refused.
pub fn measure(plan: Plan, directory: &Path) -> Result<Soaked> {
    ensure!(plan.people >= 8, "a village needs at least 8 people, not {}", plan.people);
    let (played, once) = (directory.join("played"), directory.join("once"));
    let mut village = Village::new(plan.people)?;
    let memory = Memory::open(options(&played))?;
    village.settle(&memory)?;
    let begun = Instant::now();
    let mut under_way = UnderWay::default();
    let batches = plan.moves.div_ceil(BATCH);
    let slot_at = batches.saturating_sub(20);
    let mut kept = None;
    for batch in 0..batches {
        let count = BATCH.min(plan.moves - batch * BATCH);
        let moves = (0..count).map(|n| village.go(batch * BATCH + n)).collect();
        under_way.patch(&memory, moves, (batch / MINUTE) as i64)?;
        while village.said < plan.talk * (batch + 1) / batches {
            under_way.talk(&memory, &village.talk())?;
        }
        if batch == slot_at {
            under_way.finish()?;
            memory.save_slot("soak")?.wait()?;
            kept = Some((places(&memory, &village)?, village.said));
        }
    }
    under_way.finish()?;
    let played_s = begun.elapsed().as_secs_f64();
    memory.close()?;
    let (directory_bytes, (memory, open_ms)) = (crate::speed::bytes_below(&played)?, timed_open(&played)?);
    let talk = village.said;
    let people = village.people.clone();
    let talk_kept = memory.read_in_background(move |world| Ok(kept_talk(&world.state, &people, talk)))?.wait()?;
    write_once(&memory, &once)?;
    let (once_bytes, (fresh, once_open_ms)) = (crate::speed::bytes_below(&once)?, timed_open(&once)?);
    fresh.close()?;
    let undo_works = undo_works(&memory, &mut village)?;
    let (then, said) = kept.context("the run has no batch of moves, so no slot was saved")?;
    memory.load_slot("soak")?.wait()?;
    let known = memory.read_in_background(move |world| Ok(spoken(&world.state, said).is_none()))?.wait()?;
    let slot_works = known && places(&memory, &village)? == then;
    memory.close()?;
    Ok(Soaked {
        people: plan.people,
        moves: plan.moves,
        talk,
        played_s,
        directory_bytes,
        open_ms,
        once_bytes,
        once_open_ms,
        bytes_ratio: directory_bytes as f64 / once_bytes.max(1) as f64,
        open_ratio: open_ms / once_open_ms.max(f64::MIN_POSITIVE),
        talk_kept,
        undo_works,
        slot_works,
    })
}

/// Returns the current location of each person.
fn places(memory: &Memory, village: &Village) -> Result<Vec<Option<EntityId>>> {
    let people = village.people.clone();
    let place = |world: &ReadSnapshot, id: &EntityId| hearsay_query::records::Record::of(&world.state, id)?.place;
    let places = memory.read(move |world| Ok(people.iter().map(|id| place(world, id)).collect::<Vec<_>>()))?;
    Ok(places.wait()?)
}

/// Returns the knowers of the game event number `number`. Returns `None` if the event is not recorded with its speaker.
fn spoken(state: &State, number: usize) -> Option<Vec<Knower>> {
    let text = sentence(number);
    if number.is_multiple_of(3) {
        let (_, passage) = state.passages_in_session(None).find(|(_, passage)| passage.text == text)?;
        return passage.speaker.as_ref().map(|_| passage.heard_by.clone());
    }
    let fact = state.facts().find(|fact| fact.statement() == text)?;
    let teller = fact.provenance().speaker.is_some() == (number % 3 == 1);
    let edges = state.known_by(fact.id()).filter(|edge| edge.acquisition.gives_knowledge());
    teller.then(|| edges.map(|edge| edge.knower.clone()).collect())
}

/// Returns how many of the first `talk` game events are recorded with their speaker and at least two hearers or
/// witnesses.
fn kept_talk(state: &State, people: &[EntityId], talk: usize) -> usize {
    use std::collections::HashMap;
    let said: HashMap<&str, _> =
        state.passages_in_session(None).map(|(_, passage)| (passage.text.as_str(), passage)).collect();
    let facts: HashMap<&str, _> = state.facts().map(|fact| (fact.statement(), fact)).collect();
    let is_person = |knower: &Knower| knower.entity().is_some_and(|id| people.contains(id));
    let is_kept = |number: &usize| {
        let text = sentence(*number);
        if number.is_multiple_of(3) {
            return said.get(text.as_str()).is_some_and(|passage| {
                passage.speaker.is_some() && passage.heard_by.iter().filter(|knower| is_person(knower)).count() >= 3
            });
        }
        facts.get(text.as_str()).is_some_and(|fact| {
            let learned = state.known_by(fact.id()).filter(|edge| edge.acquisition.gives_knowledge());
            let told =
                fact.provenance().author == Author::Game && fact.provenance().speaker.is_some() == (number % 3 == 1);
            told && learned.filter(|edge| is_person(&edge.knower)).count() >= 2
        })
    };
    (0..talk).filter(is_kept).count()
}

/// Writes the current state and all passages to a new directory.
fn write_once(memory: &Memory, directory: &Path) -> Result<()> {
    let changes = memory.read_in_background(|world| Ok(live(&world.state)))?.wait()?;
    let fresh = Memory::open(options(directory))?;
    for part in changes.chunks(BATCH) {
        let operation = Operation::new(Author::Game, "what holds", part.to_vec());
        fresh.write(move |_| Ok(operation.clone()))?.wait()?;
    }
    fresh.close()?;
    Ok(())
}

fn live(state: &State) -> Vec<Change> {
    let entities = state.entities().map(|entity| Change::AddEntity((**entity).clone()));
    let facts: Vec<_> = state.facts().filter(|fact| !fact.validity().is_closed()).collect();
    let edges = facts.iter().flat_map(|fact| state.known_by(fact.id()));
    let edges = edges.map(|edge| Change::Learn(std::sync::Arc::clone(edge)));
    let passages = state.passages().map(|(_, passage)| Change::AddPassage(std::sync::Arc::clone(passage)));
    let settings = state.settings().map(|setting| Change::Set((**setting).clone()));
    let facts = facts.iter().map(|fact| Change::AssertFact(std::sync::Arc::clone(fact)));
    entities.chain(settings).chain(facts).chain(passages).chain(edges).collect()
}

fn undo_works(memory: &Memory, village: &mut Village) -> Result<bool> {
    let number = village.said;
    memory.learn(Author::Game, village.talk())?.wait()?;
    let is_there = || -> Result<bool> {
        Ok(memory.read_in_background(move |world| Ok(spoken(&world.state, number).is_some()))?.wait()?)
    };
    let before = is_there()?;
    let undone = memory.undo(UndoTarget::Last)?.wait()?;
    let gone = !is_there()?;
    memory.undo(UndoTarget::At(undone.position))?.wait()?;
    Ok(before && gone && is_there()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_soak_keeps_everything() {
        let directory = tempfile::tempdir().unwrap();
        let soaked = measure(Plan { people: 12, moves: 6_000, talk: 60 }, directory.path()).unwrap();
        assert_eq!((soaked.talk, soaked.talk_kept), (60, 60), "{soaked:?}");
        assert!(soaked.undo_works && soaked.slot_works, "{soaked:?}");
        assert!(soaked.directory_bytes > 0 && soaked.once_bytes > 0, "{soaked:?}");
    }

    #[test]
    fn a_short_paced_soak_has_figures() {
        let directory = tempfile::tempdir().unwrap();
        let plan = PacedPlan { people: 20, moves_per_second: 400, seconds: 3 };
        let paced = measure_paced(plan, directory.path(), &mut |_| {}).unwrap();
        assert!(paced.moves >= 800, "{paced:?}");
        assert!(paced.lag_ms_p50_begin > 0.0 && paced.lag_ms_p99_end >= paced.lag_ms_p50_end, "{paced:?}");
        assert!(paced.directory_bytes > 0, "{paced:?}");
    }
}
