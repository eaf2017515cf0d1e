//! Assertions about the knowledge of characters.

use std::{fmt::Debug, ops::RangeBounds};

use bevy::prelude::*;
use hearsay_engine::{MemoryError, ReadSnapshot};
use hearsay_model::{EntityId, State};
use hearsay_query::{
    knowledge::{KnowsFilter, KnowsRow, knows},
    secrets::why_not,
};

use super::SteppingApp;
use crate::{
    bridge::{HearsayError, NpcMemory},
    components::MemoryId,
};

/// Calls [`settle`](SteppingApp::settle), and returns the facts that a character knows.
///
/// # Errors
/// Returns an error if the memory is not open, or if the entity has no id.
///
/// # Panics
/// Panics if [`settle`](SteppingApp::settle) panics.
pub fn known_facts(app: &mut SteppingApp, character: Entity) -> Result<Vec<KnowsRow>, HearsayError> {
    read_for(app, character, |state, id| {
        let filter = KnowsFilter { limit: state.fact_count(), ..KnowsFilter::default() };
        Ok(knows(state, id, &filter, None)?.0)
    })
}

/// Calls [`settle`](SteppingApp::settle), and asserts that a character knows a fact whose statement contains these
/// words. The comparison ignores upper and lower case.
///
/// # Panics
/// Panics if the character knows no such fact. The message lists the facts that the character knows.
#[track_caller]
pub fn assert_knows(app: &mut SteppingApp, character: Entity, words: &str) {
    let known = known_facts(app, character);
    assert!(
        count_matching(&known, words, |_| true) > 0,
        "{} knows no fact with the words \u{201C}{words}\u{201D}, but {}",
        name(app, character),
        describe(&known)
    );
}

/// Calls [`settle`](SteppingApp::settle), and asserts that a character knows no fact whose statement contains these
/// words.
///
/// # Panics
/// Panics if the character knows such a fact, or if its knowledge cannot be read.
#[track_caller]
pub fn assert_does_not_know(app: &mut SteppingApp, character: Entity, words: &str) {
    let known = known_facts(app, character);
    assert!(
        known.is_ok() && count_matching(&known, words, |_| true) == 0,
        "{} must not know a fact with the words \u{201C}{words}\u{201D}, but {}",
        name(app, character),
        describe(&known)
    );
}

/// Calls [`settle`](SteppingApp::settle), and asserts that a character knows a fact whose statement contains these
/// words. The character's credence in this fact must be in the range `credence`, such as `0.5..`. Credences are from 0
/// to 1.
///
/// # Panics
/// Panics if the character knows no such fact. The message lists the facts that the character knows.
#[track_caller]
pub fn assert_believes(app: &mut SteppingApp, character: Entity, words: &str, credence: impl RangeBounds<f64> + Debug) {
    let known = known_facts(app, character);
    assert!(
        count_matching(&known, words, |row| credence.contains(&row.credence)) > 0,
        "{} does not believe a fact with the words \u{201C}{words}\u{201D} with a credence in {credence:?}, but {}",
        name(app, character),
        describe(&known)
    );
}

/// Calls [`settle`](SteppingApp::settle), and asserts that a character neither knows nor can learn the facts whose
/// statements contain these words. A character cannot learn a fact if every living character that knows the fact
/// conceals it from this character. A knower no longer conceals the fact when a reveal allows it to tell the fact to
/// this character.
///
/// # Panics
/// Panics if the character knows such a fact or can learn it. Also panics if the memory contains no such fact, because
/// the words are probably misspelled.
#[track_caller]
pub fn assert_cannot_learn(app: &mut SteppingApp, character: Entity, words: &str) {
    let searched_words = words.to_owned();
    let found = read_for(app, character, move |state, id| {
        let (mut fact_count, mut ways) = (0, Vec::new());
        for fact in state.facts().filter(|fact| contains(fact.statement(), &searched_words)) {
            let answer = why_not(state, id, fact.id(), None)?;
            let open_sources = answer.sources.iter().filter(|source| !source.conceals).map(|source| &source.knower);
            let revealing = answer.conditions.iter().filter(|condition| condition.holds).map(|reveal| &reveal.holder);
            let statement = &answer.statement;
            ways.extend(answer.knows.as_ref().map(|_| format!("it knows \u{201C}{statement}\u{201D}")));
            let tellers = open_sources.chain(revealing);
            ways.extend(tellers.map(|teller| format!("{teller} can tell it \u{201C}{statement}\u{201D}")));
            fact_count += 1;
        }
        Ok((fact_count, ways))
    });
    let problem = match found {
        Err(error) => Some(format!("its knowledge cannot be read: {error}")),
        Ok((0, _)) => Some("the memory has no fact with these words".to_owned()),
        Ok((_, ways)) => (!ways.is_empty()).then(|| ways.join(", ")),
    };
    assert!(
        problem.is_none(),
        "{} must not be able to learn \u{201C}{words}\u{201D}, but {}",
        name(app, character),
        problem.unwrap_or_default()
    );
}

/// Settles the app, and reads the memory for a character.
fn read_for<T: Send + 'static>(
    app: &mut SteppingApp,
    character: Entity,
    read: impl FnOnce(&State, &EntityId) -> Result<T, MemoryError> + Send + 'static,
) -> Result<T, HearsayError> {
    app.settle();
    let id = app.world().get::<MemoryId>(character).and_then(MemoryId::get).cloned();
    let id = id.ok_or(HearsayError::UnknownEntity(character))?;
    let memory = app.world().get_resource::<NpcMemory>().and_then(NpcMemory::get).ok_or(HearsayError::NotOpen)?;
    let ticket = memory.read(move |snapshot: &ReadSnapshot| read(&snapshot.state, &id))?;
    Ok(ticket.wait()?)
}

/// Returns whether a statement contains words, in upper or lower case.
fn contains(statement: &str, words: &str) -> bool {
    statement.to_lowercase().contains(&words.to_lowercase())
}

/// Returns the number of known facts whose statements contain `words`, and that `matches` accepts.
fn count_matching(
    known: &Result<Vec<KnowsRow>, HearsayError>,
    words: &str,
    matches: impl Fn(&KnowsRow) -> bool,
) -> usize {
    known.iter().flatten().filter(|row| contains(&row.statement, words) && matches(row)).count()
}

/// Returns the id of a character for a message.
fn name(app: &SteppingApp, character: Entity) -> String {
    app.world().get::<MemoryId>(character).map_or_else(|| character.to_string(), MemoryId::to_string)
}

/// Describes the knowledge of a character for a message.
fn describe(known: &Result<Vec<KnowsRow>, HearsayError>) -> String {
    match known {
        Err(error) => format!("its knowledge cannot be read: {error}"),
        Ok(rows) => {
            let facts = rows.iter().map(|row| format!("\n  {:.2} {}", row.credence, row.statement));
            format!("it knows {} facts:{}", rows.len(), facts.collect::<String>())
        }
    }
}
