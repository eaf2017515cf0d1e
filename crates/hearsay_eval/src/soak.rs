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

use std::{path::Path, sync::Arc, time::Instant};

use anyhow::{Context, Result, ensure};
use hearsay_engine::{Memory, ReadSnapshot};
use hearsay_model::{Author, Change, EntityId, Knower, Operation, State};
use hearsay_query::journal::UndoTarget;
use serde::Serialize;

use directory::{finish_background_work, opening_times, options};
pub use paced::{PacedPlan, PacedResult, measure_paced};
use village::{PendingRequests, Village, sentence};

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
pub struct SoakResult {
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
    /// Median time to open the directory, in milliseconds.
    pub open_ms: f64,
    /// Size of the second directory, into which only the final state was written, in bytes.
    pub once_bytes: u64,
    /// Median time to open the second directory, in milliseconds.
    pub once_open_ms: f64,
    /// Size of the directory, divided by the size of the second directory.
    pub bytes_ratio: f64,
    /// Opening time of the directory, divided by the opening time of the second directory.
    pub open_ratio: f64,
    /// Number of game events that are still completely recorded at the end, with their speaker and hearers or
    /// witnesses. The number is at most `talk`.
    pub talk_kept: usize,
    /// Whether an undo of the last spoken line removes the line, and an undo of this undo restores the line.
    pub undo_works: bool,
    /// Whether loading a slot restores the locations of people, and removes all later passages.
    pub slot_works: bool,
}

/// Number of moves in one operation.
const BATCH: usize = 200;

/// Number of operations in one minute of game time.
const BATCHES_PER_MINUTE: usize = 4;

/// Simulates the village as fast as possible, and writes to `directory`.
///
/// # Errors
/// Returns an error if the village has fewer than 8 people, if the memory returns an error, or if it refuses a move.
pub fn measure(plan: Plan, directory: &Path) -> Result<SoakResult> {
    ensure!(plan.people >= 8, "{} people are too few for a village; pass at least 8 people", plan.people);
    let (played_directory, once_directory) = (directory.join("played"), directory.join("once"));
    let mut village = Village::new(plan.people)?;
    let memory = Memory::open(options(&played_directory))?;
    village.settle(&memory)?;
    let start = Instant::now();
    let mut pending = PendingRequests::default();
    let batches = plan.moves.div_ceil(BATCH);
    let slot_at = batches.saturating_sub(20);
    let mut saved = None;
    for batch in 0..batches {
        let count = BATCH.min(plan.moves - batch * BATCH);
        let moves = (0..count).map(|n| village.move_person(batch * BATCH + n)).collect();
        pending.patch(&memory, moves, (batch / BATCHES_PER_MINUTE) as i64)?;
        while village.event_count < plan.talk * (batch + 1) / batches {
            pending.talk(&memory, &village.next_event())?;
        }
        if batch == slot_at {
            pending.finish()?;
            memory.save_slot("soak")?.wait()?;
            saved = Some((places(&memory, &village)?, village.event_count));
        }
    }
    pending.finish()?;
    let played_s = start.elapsed().as_secs_f64();
    finish_background_work(&memory)?;
    memory.close()?;
    let directory_bytes = crate::speed::bytes_below(&played_directory)?;
    let open = || Memory::open(options(&played_directory));
    let memory = open()?;
    let talk = village.event_count;
    let people = village.people.clone();
    let talk_kept =
        memory.read_in_background(move |world| Ok(count_recorded_events(&world.state, &people, talk)))?.wait()?;
    write_once(&memory, &once_directory)?;
    let once_bytes = crate::speed::bytes_below(&once_directory)?;
    memory.close()?;
    let [open_ms, once_open_ms] = opening_times([&played_directory, &once_directory])?;
    let memory = open()?;
    let undo_works = undo_works(&memory, &mut village)?;
    let (saved_places, event_count) = saved.context(
        "the run saved no slot, because it contains no batch of moves; \
                                                     pass a larger number with --moves",
    )?;
    memory.load_slot("soak")?.wait()?;
    let is_removed =
        memory.read_in_background(move |world| Ok(knowers_of_event(&world.state, event_count).is_none()))?.wait()?;
    let slot_works = is_removed && places(&memory, &village)? == saved_places;
    memory.close()?;
    Ok(SoakResult {
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
    let place =
        |world: &ReadSnapshot, id: &EntityId| hearsay_query::records::Record::from_state(&world.state, id)?.place;
    let places = memory.read(move |world| Ok(people.iter().map(|id| place(world, id)).collect::<Vec<_>>()))?;
    Ok(places.wait()?)
}

/// Returns the knowers of the game event number `number`. Returns `None` if the event is not recorded with its speaker.
fn knowers_of_event(state: &State, number: usize) -> Option<Vec<Knower>> {
    let text = sentence(number);
    if number.is_multiple_of(3) {
        let (_, passage) = state.passages_in_session(None).find(|(_, passage)| passage.text == text)?;
        return passage.speaker.as_ref().map(|_| passage.heard_by.clone());
    }
    let fact = state.facts().find(|fact| fact.statement() == text)?;
    let has_expected_speaker = fact.provenance().speaker.is_some() == (number % 3 == 1);
    let edges = state.known_by(fact.id()).filter(|edge| edge.acquisition.gives_knowledge());
    has_expected_speaker.then(|| edges.map(|edge| edge.knower.clone()).collect())
}

/// Returns how many of the first `talk` game events are recorded with their speaker and at least two hearers or
/// witnesses.
fn count_recorded_events(state: &State, people: &[EntityId], talk: usize) -> usize {
    use std::collections::HashMap;
    let passages: HashMap<&str, _> =
        state.passages_in_session(None).map(|(_, passage)| (passage.text.as_str(), passage)).collect();
    let facts: HashMap<&str, _> = state.facts().map(|fact| (fact.statement(), fact)).collect();
    let is_person = |knower: &Knower| knower.entity().is_some_and(|id| people.contains(id));
    let is_kept = |number: &usize| {
        let text = sentence(*number);
        if number.is_multiple_of(3) {
            return passages.get(text.as_str()).is_some_and(|passage| {
                passage.speaker.is_some() && passage.heard_by.iter().filter(|knower| is_person(knower)).count() >= 3
            });
        }
        facts.get(text.as_str()).is_some_and(|fact| {
            let learned = state.known_by(fact.id()).filter(|edge| edge.acquisition.gives_knowledge());
            let is_expected =
                fact.provenance().author == Author::Game && fact.provenance().speaker.is_some() == (number % 3 == 1);
            is_expected && learned.filter(|edge| is_person(&edge.knower)).count() >= 2
        })
    };
    (0..talk).filter(is_kept).count()
}

/// Writes the current state and all passages to a new directory. As in a game, each fact and each passage is an operation.
fn write_once(memory: &Memory, directory: &Path) -> Result<()> {
    let operations = memory.read_in_background(|world| Ok(current_operations(&world.state)))?.wait()?;
    let once_memory = Memory::open(options(directory))?;
    for operations in operations.chunks(BATCH) {
        let write = |changes: &Vec<Change>| {
            let operation = Operation::new(Author::Game, "what holds", changes.clone());
            once_memory.write(move |_| Ok(operation.clone()))
        };
        let tickets = operations.iter().map(write).collect::<Result<Vec<_>, _>>()?;
        tickets.into_iter().try_for_each(|ticket| ticket.wait().map(drop))?;
    }
    finish_background_work(&once_memory)?;
    once_memory.close()?;
    Ok(())
}

/// Returns the changes of operations that record the current state. The first operation contains all entities and
/// settings.
fn current_operations(state: &State) -> Vec<Vec<Change>> {
    let entities = state.entities().map(|entity| Change::AddEntity((**entity).clone()));
    let settings = state.settings().map(|setting| Change::Set((**setting).clone()));
    let passages = state.passages().map(|(_, passage)| vec![Change::AddPassage(Arc::clone(passage))]);
    let facts = state.facts().filter(|fact| !fact.validity().is_closed()).map(|fact| {
        let edges = state.known_by(fact.id()).map(|edge| Change::Learn(Arc::clone(edge)));
        std::iter::once(Change::AssertFact(Arc::clone(fact))).chain(edges).collect()
    });
    std::iter::once(entities.chain(settings).collect()).chain(passages).chain(facts).collect()
}

fn undo_works(memory: &Memory, village: &mut Village) -> Result<bool> {
    let number = village.event_count;
    memory.learn(Author::Game, village.next_event())?.wait()?;
    let is_recorded = || -> Result<bool> {
        Ok(memory.read_in_background(move |world| Ok(knowers_of_event(&world.state, number).is_some()))?.wait()?)
    };
    let was_recorded = is_recorded()?;
    let undone = memory.undo(UndoTarget::Last)?.wait()?;
    let is_removed = !is_recorded()?;
    memory.undo(UndoTarget::At(undone.position))?.wait()?;
    Ok(was_recorded && is_removed && is_recorded()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_soak_keeps_everything() {
        let directory = tempfile::tempdir().unwrap();
        let result = measure(Plan { people: 12, moves: 6_000, talk: 60 }, directory.path()).unwrap();
        assert_eq!((result.talk, result.talk_kept), (60, 60), "{result:?}");
        assert!(result.undo_works && result.slot_works, "{result:?}");
        assert!(result.directory_bytes > 0 && result.once_bytes > 0, "{result:?}");
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
