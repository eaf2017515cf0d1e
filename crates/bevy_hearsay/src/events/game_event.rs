//! Game events: actions of a character, such as saying a line or reading a document.

use bevy::prelude::*;
use hearsay_commands::game_event::{Circumstances, GameEvent as EngineEvent, Hearers};
use hearsay_model::{Author, EntityId, State};
use hearsay_query::{QueryError, resolve::find_fact};

use super::{
    action::ActionId,
    earshot::hearers,
    target::{
        Statement, Target, Unresolved, convert_statement, convert_statements, find_speaker, find_target, find_targets,
        name_statement, name_statements, name_target, name_targets,
    },
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
        /// Whether the actor lies. If the actor lies, new facts that the line states get the status *false*.
        lie: bool,
    },
    /// Tells others a fact that the actor knows, or a new fact. A new fact is recorded as a claim of the actor.
    Tell {
        /// The fact to tell.
        statement: Statement,
        /// Whether the actor lies. If the actor lies, a new fact gets the status *false*.
        lie: bool,
    },
    /// Shows facts: the actor and everyone in earshot see that these facts are true. A new fact becomes canon.
    Show(Vec<Statement>),
    /// Sees facts that nobody else sees. A new fact becomes canon.
    Witness(Vec<Statement>),
    /// Reads a document and learns its facts.
    Read(Target),
    /// Tells a secret that the actor knows. The fact stays secret from everyone else.
    Reveal {
        /// The secret, given by id, by the beginning of its id, or by handle.
        fact: String,
        /// If true, the actor no longer conceals the secret from anyone. If false, the actor still conceals the secret
        /// from everyone except the listeners.
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
/// [`EntityMemoryCommands`](crate::EntityMemoryCommands). [`GameEventsPlugin`](crate::GameEventsPlugin) records the
/// event. Afterwards, the entity receives [`ActionCommitted`](crate::ActionCommitted). If the event cannot be recorded,
/// the entity receives [`ActionFailed`](crate::ActionFailed).
#[derive(EntityEvent, Debug, Clone)]
pub struct GameEvent {
    /// The Bevy entity that acts.
    pub entity: Entity,
    /// The action of this entity.
    pub action: GameAction,
    /// The characters that hear or see the event. With `None`, everyone in [earshot](crate::Earshot) hears or sees the
    /// event.
    pub to: Option<Vec<Target>>,
    /// The author of the recorded operation: the game, the DM or a player.
    pub author: Author,
    /// Id of the event. [`ActionCommitted`](crate::ActionCommitted) or [`ActionFailed`](crate::ActionFailed) has the
    /// same id.
    pub id: ActionId,
}

impl GameEvent {
    /// Creates an event with a new id. The author is the game, and everyone in earshot hears or sees the event.
    pub fn new(entity: Entity, action: GameAction) -> Self {
        Self { entity, action, to: None, author: Author::Game, id: ActionId::generate() }
    }

    /// Returns the action and its listeners or witnesses, with ids instead of Bevy entities. Without listeners, the
    /// characters at the place of the entity perceive the event.
    pub(crate) fn named_action(&self, world: &World) -> Result<(GameAction, Option<Vec<Target>>), Unresolved> {
        let action = match &self.action {
            GameAction::Say { text, states, lie } => {
                GameAction::Say { text: text.clone(), states: name_statements(world, states)?, lie: *lie }
            }
            GameAction::Tell { statement, lie } => {
                GameAction::Tell { statement: name_statement(world, statement)?, lie: *lie }
            }
            GameAction::Show(statements) => GameAction::Show(name_statements(world, statements)?),
            GameAction::Witness(statements) => GameAction::Witness(name_statements(world, statements)?),
            GameAction::Read(document) => GameAction::Read(name_target(world, document)?),
            GameAction::Deduce { conclusion, premises } => {
                GameAction::Deduce { conclusion: name_statement(world, conclusion)?, premises: premises.clone() }
            }
            action @ (GameAction::Reveal { .. } | GameAction::Forget { .. }) => action.clone(),
        };
        let to = self.to.clone().or_else(|| hearers(world, self.entity));
        let to = to.map(|targets| name_targets(world, &targets)).transpose()?;
        Ok((action, to))
    }
}

/// A game event in which ids replace the Bevy entities. The memory's thread can therefore resolve all names in the
/// event.
pub(super) struct NamedEvent {
    actor: Target,
    action: GameAction,
    to: Option<Vec<Target>>,
    place: Option<EntityId>,
}

impl NamedEvent {
    /// Replaces the Bevy entities of an event with their ids.
    pub(super) fn new(world: &World, actor: &Target, game_event: &GameEvent) -> Result<Self, Unresolved> {
        let (action, to) = game_event.named_action(world)?;
        let place = world.get::<PlaceId>(game_event.entity).map(|at| at.0.clone());
        Ok(Self { actor: name_target(world, actor)?, action, to, place })
    }

    /// Resolves the names of the event in the memory, and converts the event to the engine's type.
    pub(super) fn to_engine_event(&self, state: &State) -> Result<EngineEvent, QueryError> {
        let actor = find_speaker(state, &self.actor)?;
        let to = match &self.to {
            Some(targets) => Hearers::Listed(find_targets(state, targets)?),
            None => Hearers::AtPlace,
        };
        let circumstances = Circumstances { place: self.place.clone(), ..Circumstances::default() };
        Ok(match &self.action {
            GameAction::Say { text, states, lie } => EngineEvent::Say {
                speaker: actor,
                text: text.clone(),
                states: convert_statements(state, states)?,
                hearers: to,
                lie: *lie,
                circumstances,
            },
            GameAction::Tell { statement, lie } => EngineEvent::Tell {
                teller: actor,
                fact: convert_statement(state, statement)?,
                hearers: to,
                retold: None,
                lie: *lie,
                citing: None,
                credence: None,
                circumstances,
            },
            GameAction::Show(statements) => {
                let mut witnesses = to;
                if let Hearers::Listed(listed) = &mut witnesses {
                    listed.push(actor.id);
                }
                EngineEvent::Witness { facts: convert_statements(state, statements)?, witnesses, circumstances }
            }
            GameAction::Witness(statements) => EngineEvent::Witness {
                facts: convert_statements(state, statements)?,
                witnesses: Hearers::Listed(vec![actor.id]),
                circumstances,
            },
            GameAction::Read(document) => EngineEvent::Read {
                document: find_target(state, document)?,
                readers: vec![actor.id],
                credence: None,
                circumstances,
            },
            GameAction::Reveal { fact, openly } => {
                let fact = find_fact(state, fact)?.id();
                EngineEvent::Reveal { holder: actor, fact, to, openly: *openly, circumstances }
            }
            GameAction::Deduce { conclusion, premises } => {
                let premises = premises.iter().map(|fact| Ok(find_fact(state, fact)?.id()));
                EngineEvent::Deduce {
                    knower: actor.id,
                    conclusion: convert_statement(state, conclusion)?,
                    from: premises.collect::<Result<_, QueryError>>()?,
                    certainty: None,
                    circumstances,
                }
            }
            GameAction::Forget { fact } => EngineEvent::Forget { knower: actor.id, fact: find_fact(state, fact)?.id() },
        })
    }
}
