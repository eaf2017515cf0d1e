//! Questions and replies, as components.

use bevy::prelude::*;

use crate::{bridge::HearsayError, events::Target};

/// State of a question, as a component of the question's entity. The plugin despawns this entity after the observers of
/// [`Answered`] or [`Unanswered`] have run, unless it has the component [`KeepAnswer`].
#[derive(Component, Debug, Clone, Default, PartialEq, Eq, Reflect)]
#[reflect(Component, Clone, Default, PartialEq, Debug)]
pub enum QuestionState {
    /// The question waits for its reply. Despawn the entity to cancel the question.
    #[default]
    Waiting,
    /// The reply arrived. The same entity now has a [`Reply`] component.
    Answered,
    /// The question failed, so it gets no reply. The value is the reason, as text for display.
    Failed(String),
}

/// Keeps the entity of a question after the reply has arrived or the question has failed. Insert this component on the
/// entity of the question if your game reads the [`Reply`] later. Your game must then despawn the entity itself.
///
/// ```
/// # use bevy::prelude::*;
/// # use bevy_hearsay::prelude::*;
/// fn ask(mut commands: Commands, smith: Single<Entity, With<EntityKind>>) {
///     commands.entity(*smith).ask("Whose sword is this?").insert(KeepAnswer);
/// }
/// ```
#[derive(Component, Debug, Clone, Copy, Default, PartialEq, Eq, Reflect)]
#[reflect(Component, Clone, Default, PartialEq, Debug)]
pub struct KeepAnswer;

/// The reply to a question, as a component of the question's entity.
#[derive(Component, Debug, Clone, PartialEq)]
pub struct Reply<T: Send + Sync + 'static>(pub T);

/// Triggered on the entity of a question when the [`Reply`] arrives. Afterwards, the plugin despawns the entity, unless
/// the entity has the component [`KeepAnswer`].
#[derive(EntityEvent, Debug, Clone, Copy)]
pub struct Answered {
    /// The Bevy entity of the question.
    pub entity: Entity,
}

/// Triggered on the entity of a question that will get no reply. [`QuestionState::Failed`] also contains the text of
/// the error. Afterwards, the plugin despawns the entity, unless the entity has the component [`KeepAnswer`].
#[derive(EntityEvent, Debug, Clone)]
pub struct Unanswered {
    /// The Bevy entity of the question.
    pub entity: Entity,
    /// Reason why the question gets no reply.
    pub error: HearsayError,
}

/// The Bevy entity of the character to whom a question is addressed. If this entity is despawned, the question is
/// cancelled.
#[derive(Component, Debug, Clone, PartialEq, Eq, Reflect)]
#[relationship(relationship_target = Questions)]
#[reflect(Component, Clone, PartialEq, Debug)]
pub struct AskedOf(pub Entity);

/// The Bevy entities of the questions that are addressed to this character.
#[derive(Component, Debug, Clone, Default, PartialEq, Eq, Reflect)]
#[relationship_target(relationship = AskedOf, linked_spawn)]
#[reflect(Component, Clone, Default, PartialEq, Debug)]
pub struct Questions(Vec<Entity>);

/// A question to a character in a scene.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Question {
    /// The text of the question.
    pub text: String,
    /// The place of the scene. Default: the character's place.
    pub place: Option<Target>,
    /// The other characters in the scene. Default: everyone in [earshot](crate::Earshot).
    pub present: Option<Vec<Target>>,
    /// Maximum number of tokens of the scene context. Default: the value in the engine's settings.
    pub budget: Option<usize>,
    /// Maximum number of facts and passages in the scene context. Default: the value in the engine's settings.
    pub limit: Option<usize>,
    /// Whether this question cancels older questions to the same character that have no reply yet.
    pub supersede: bool,
}

impl Question {
    /// Creates a question to a character at its current place and time.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    /// Makes this question cancel older questions to the same character that have no reply yet.
    pub fn superseding(self) -> Self {
        Self { supersede: true, ..self }
    }
}

impl From<&str> for Question {
    fn from(text: &str) -> Self {
        Self::new(text)
    }
}

impl From<String> for Question {
    fn from(text: String) -> Self {
        Self::new(text)
    }
}
