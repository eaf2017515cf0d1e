//! Names of entities, facts, sessions, predicates and flags on the command line: shell completion, and the user's
//! choice for an ambiguous name.

use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

use clap_complete::ArgValueCompleter;

use super::{complete, values::text};

static CHOICES: Mutex<BTreeMap<String, String>> = Mutex::new(BTreeMap::new());

fn choices() -> MutexGuard<'static, BTreeMap<String, String>> {
    CHOICES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Records the id that the user chose for an ambiguous name. From then on, [`name`] parses the name as this id.
pub(crate) fn record_choice(name: &str, id: &str) {
    choices().insert(name.to_owned(), id.to_owned());
}

/// Parses the name of an entity or a fact: any text that is not empty.
pub(super) fn name(given: &str) -> Result<String, String> {
    let given = text(given)?;
    Ok(choices().get(&given).cloned().unwrap_or(given))
}

pub(super) fn entities() -> ArgValueCompleter {
    ArgValueCompleter::new(complete::entities)
}

pub(super) fn facts() -> ArgValueCompleter {
    ArgValueCompleter::new(complete::facts)
}

pub(super) fn entities_and_facts() -> ArgValueCompleter {
    ArgValueCompleter::new(complete::entities_and_facts)
}

pub(super) fn sessions() -> ArgValueCompleter {
    ArgValueCompleter::new(complete::sessions)
}

pub(super) fn predicates() -> ArgValueCompleter {
    ArgValueCompleter::new(complete::predicates)
}

pub(super) fn flags() -> ArgValueCompleter {
    ArgValueCompleter::new(complete::flags)
}
