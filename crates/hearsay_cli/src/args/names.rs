//! Names of entities, facts, sessions, predicates and flags on the command line: parsing and shell completion.

use clap_complete::ArgValueCompleter;

use super::complete;

/// Parses the name of an entity or a fact: any text that is not empty.
pub(super) use super::values::text as name;

pub(super) fn entities() -> ArgValueCompleter {
    ArgValueCompleter::new(complete::entities)
}

pub(super) fn facts() -> ArgValueCompleter {
    ArgValueCompleter::new(complete::facts)
}

/// Completes the names of the entities that the knower knows. The knower is the character that the user named with `--as`,
/// or as the argument of `know knows` or `know believes`.
pub(super) fn known_entities() -> ArgValueCompleter {
    ArgValueCompleter::new(complete::known_entities)
}

/// Completes the names of the entities and the references of the facts that the knower knows. The knower is the same as
/// for [`known_entities`].
pub(super) fn known_entities_and_facts() -> ArgValueCompleter {
    ArgValueCompleter::new(complete::known_entities_and_facts)
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
