//! Measures several programs that have one campaign open.
//!
//! [`speed`] measures the time of writes and the time until other programs see them. [`faults`] starts [`programs`] that
//! write and read, kills them again and again, and then compares what they acknowledged and what they have.

pub mod faults;
pub mod programs;
pub mod speed;

use std::{path::Path, sync::Arc};

use anyhow::Result;
use hearsay_engine::{Memory, MemoryError, MemoryOptions, ReadSnapshot, Settings};
use hearsay_model::{Author, Change, Entity, EntityId, Fact, Method, Operation, Position, Provenance};
use hearsay_store::{Endpoint, Location};

/// Opens a shared memory in a directory, without models.
pub(crate) fn open(directory: &Path) -> Result<Memory> {
    let (settings, location) = (settings(), Location::Directory(directory.to_owned()));
    Ok(Memory::open(MemoryOptions { settings, location, share: true, ..MemoryOptions::in_memory() })?)
}

/// Opens a memory in a server, without models.
pub(crate) fn open_in_server(endpoint: &Endpoint) -> Result<Memory> {
    let (settings, endpoint) = (settings(), Some(endpoint.clone()));
    Ok(Memory::open(MemoryOptions { settings, endpoint, ..MemoryOptions::in_memory() })?)
}

/// Returns the settings of a memory without models.
fn settings() -> Settings {
    let mut settings = Settings::default();
    (settings.model.enabled, settings.extraction.enabled) = (false, false);
    settings
}

/// Returns the entity about which a program writes its facts.
fn subject(program: usize) -> Result<EntityId> {
    Ok(EntityId::new(format!("program-{program}"))?)
}

/// Adds the entities about which the programs write.
pub(crate) fn add_subjects(memory: &Memory, programs: usize) -> Result<()> {
    let add = |program| Ok(Change::AddEntity(Entity::new(subject(program)?)));
    let changes = (0..programs).map(add).collect::<Result<Vec<_>>>()?;
    memory.write(move |_| Ok(Operation::new(Author::Dm, "add programs", changes.clone())))?.wait()?;
    Ok(())
}

/// Returns the summary of the operation with which a program writes the fact with a number.
fn summary(program: usize, number: usize) -> String {
    format!("program {program} writes note {number}")
}

/// Writes the fact with a number about the entity of a program, waits for its commit, and returns its position. If the
/// campaign already has the fact, because a killed program wrote it, does nothing and returns the position 0.
fn write(memory: &Memory, program: usize, number: usize) -> Result<Position> {
    let provenance = Provenance::new(Method::Authored, Author::Game);
    let fact = Arc::new(Fact::attribute(&subject(program)?, "lore", format!("Note {number}."), provenance)?.build()?);
    let make = move |world: &ReadSnapshot| {
        if world.state.fact(fact.id()).is_some() {
            return Err(MemoryError::Cancelled);
        }
        let changes = vec![Change::AssertFact(Arc::clone(&fact))];
        Ok(Operation::new(Author::Game, summary(program, number), changes))
    };
    match memory.write(make)?.wait() {
        Ok(written) => Ok(written.position),
        Err(MemoryError::Cancelled) => Ok(Position(0)),
        Err(error) => Err(error.into()),
    }
}
