//! Measures several programs that have one campaign open.
//!
//! [`speed`] measures the time of writes and the time until other programs see them. [`faults`] starts programs that
//! write and read, kills them again and again, and then compares what they acknowledged and what they have.

pub mod faults;
pub mod speed;

use std::{path::Path, sync::Arc};

use anyhow::Result;
use hearsay_engine::{Memory, MemoryOptions, ReadSnapshot, Settings};
use hearsay_model::{Author, Change, Entity, EntityId, Fact, Method, Operation, Provenance};
use hearsay_store::Location;

/// Opens a shared memory in a directory, without models.
fn open(directory: &Path) -> Result<Memory> {
    let mut settings = Settings::default();
    (settings.model.enabled, settings.extraction.enabled) = (false, false);
    let location = Location::Directory(directory.to_owned());
    Ok(Memory::open(MemoryOptions { settings, location, share: true, ..MemoryOptions::in_memory() })?)
}

/// Returns the entity about which a program writes its facts.
fn subject(program: usize) -> Result<EntityId> {
    Ok(EntityId::new(format!("program-{program}"))?)
}

/// Adds the entities about which the programs write.
fn add_subjects(memory: &Memory, programs: usize) -> Result<()> {
    let add = |program| Ok(Change::AddEntity(Entity::new(subject(program)?)));
    let changes = (0..programs).map(add).collect::<Result<Vec<_>>>()?;
    memory.write(move |_| Ok(Operation::new(Author::Dm, "add programs", changes.clone())))?.wait()?;
    Ok(())
}

/// Writes the fact with a number about the entity of a program, and waits for its commit. Does nothing if the campaign
/// already has the fact. Returns whether the fact was new.
fn write(memory: &Memory, program: usize, number: usize) -> Result<bool> {
    let provenance = Provenance::new(Method::Authored, Author::Game);
    let fact = Arc::new(Fact::attribute(&subject(program)?, "lore", format!("Note {number}."), provenance)?.build()?);
    let id = fact.id();
    if memory.read(move |world| Ok(world.state.fact(id).is_some()))?.wait()? {
        return Ok(false);
    }
    let make = move |_: &ReadSnapshot| {
        let changes = vec![Change::AssertFact(Arc::clone(&fact))];
        Ok(Operation::new(Author::Game, format!("program {program} writes note {number}"), changes))
    };
    memory.write(make)?.wait()?;
    Ok(true)
}
