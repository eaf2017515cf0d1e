//! Game events: a character says, tells, sees, reads or reveals something.

use bevy::prelude::*;
use hearsay_commands::game_event::{Circumstances, GameEvent as EngineEvent};
use hearsay_model::Author;

use super::{
    earshot::hearers,
    target::{Statement, Target, Unresolved, convert_statement, convert_statements, resolve_name, resolve_names},
};
use crate::components::PlaceId;

/// An action that changes what characters know.
#[derive(Debug, Clone, PartialEq)]
pub enum GameAction {
    /// Says a line aloud. Everyone in earshot learns that the line was said, and learns the facts that the line states.
    Say {
        /// The words that the actor says.
        text: String,
        /// The facts that the words state.
        states: Vec<Statement>,
        /// Whether the actor lies. If so, the new facts that the line states are false.
        lie: bool,
    },
    /// Tells others a fact that the actor knows, or a new fact. A new fact becomes a claim of the actor.
    Tell {
        /// The fact to tell.
        statement: Statement,
        /// Whether the actor lies. If so, a new fact that the actor tells is false.
        lie: bool,
    },
    /// Shows facts: the actor and everyone in earshot see them. A new fact becomes canon.
    Show(Vec<Statement>),
    /// Sees something that nobody else sees. A new fact becomes canon.
    Witness(Vec<Statement>),
    /// Reads a document and learns its facts.
    Read(Target),
    /// Tells a secret that the actor knows. The fact stays secret from everyone else.
    Reveal {
        /// The secret, given by id, by the beginning of its id, or by handle.
        fact: String,
        /// Whether the actor stops concealing the secret. If `false`, the actor still conceals the secret from everyone
        /// else.
        openly: bool,
    },
    /// Deduces a fact from facts that the actor knows.
    Deduce {
        /// The fact that the actor deduces.
        conclusion: Statement,
        /// The facts from which the conclusion follows. Each fact is given by id, by the beginning of its id, or by
        /// handle.
        premises: Vec<String>,
    },
    /// Removes a fact from the actor's knowledge, as if the actor had never learned the fact.
    Forget {
        /// The fact, given by id, by the beginning of its id, or by handle.
        fact: String,
    },
}

/// A game event of an entity. Trigger this event directly or with the commands of
/// [`EntityMemoryCommands`](crate::EntityMemoryCommands). The event is recorded by
/// [`GameEventsPlugin`](crate::GameEventsPlugin).
#[derive(EntityEvent, Debug, Clone)]
pub struct GameEvent {
    /// The Bevy entity that acts.
    pub entity: Entity,
    /// The action of this entity.
    pub action: GameAction,
    /// The listeners or witnesses. If the list is empty, everyone in [earshot](crate::Earshot) perceives the event.
    pub to: Vec<Target>,
    /// The author of the recorded operation: the game, the DM or a player.
    pub author: Author,
}

impl GameEvent {
    /// Creates an event that everyone in earshot perceives, with the game as its author.
    pub fn new(entity: Entity, action: GameAction) -> Self {
        Self { entity, action, to: Vec::new(), author: Author::Game }
    }
}

/// Converts an event to the engine's type.
pub(super) fn to_engine_event(
    world: &World,
    actor: &Target,
    game_event: &GameEvent,
) -> Result<EngineEvent, Unresolved> {
    let actor = resolve_name(world, actor)?;
    let circumstances = Circumstances {
        place: world.get::<PlaceId>(game_event.entity).map(|at| at.0.to_string()),
        ..Circumstances::default()
    };
    let to = match game_event.to.is_empty() {
        true => resolve_names(world, &hearers(world, game_event.entity))?,
        false => resolve_names(world, &game_event.to)?,
    };
    Ok(match &game_event.action {
        GameAction::Say { text, states, lie } => EngineEvent::Say {
            speaker: actor,
            text: text.clone(),
            states: convert_statements(world, states)?,
            hearers: to,
            lie: *lie,
            circumstances,
        },
        GameAction::Tell { statement, lie } => EngineEvent::Tell {
            teller: actor,
            fact: convert_statement(world, statement)?,
            hearers: to,
            retold: None,
            lie: *lie,
            citing: None,
            credence: None,
            circumstances,
        },
        GameAction::Show(statements) => {
            let mut witnesses = to;
            if !witnesses.is_empty() {
                witnesses.push(actor);
            }
            EngineEvent::Witness { facts: convert_statements(world, statements)?, witnesses, circumstances }
        }
        GameAction::Witness(statements) => EngineEvent::Witness {
            facts: convert_statements(world, statements)?,
            witnesses: vec![actor],
            circumstances,
        },
        GameAction::Read(document) => EngineEvent::Read {
            document: resolve_name(world, document)?,
            readers: vec![actor],
            credence: None,
            circumstances,
        },
        GameAction::Reveal { fact, openly } => {
            EngineEvent::Reveal { holder: actor, fact: fact.clone(), to, openly: *openly, circumstances }
        }
        GameAction::Deduce { conclusion, premises } => EngineEvent::Deduce {
            knower: actor,
            conclusion: convert_statement(world, conclusion)?,
            from: premises.clone(),
            certainty: None,
            circumstances,
        },
        GameAction::Forget { fact } => EngineEvent::Forget { knower: actor, fact: fact.clone() },
    })
}
