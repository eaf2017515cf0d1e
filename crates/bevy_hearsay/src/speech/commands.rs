//! Commands of conversations.

use bevy::{ecs::system::EntityCommands, prelude::*};

use super::turn::{ConversationTurn, interrupt_earlier, send_turn};
use crate::{
    questions::{AskedOf, QuestionState, queue_question_for},
    schedule::PluginName,
};

/// Commands for conversations with a character.
pub trait ConversationCommands {
    /// Returns the commands for a conversation of this character with `listener`, which is another character, such as
    /// the player.
    ///
    /// ```
    /// # use bevy::prelude::*;
    /// # use bevy_hearsay::prelude::*;
    /// # #[derive(Component)] struct Player;
    /// # #[derive(Component)] struct Innkeeper;
    /// fn ask(mut commands: Commands, innkeeper: Single<Entity, With<Innkeeper>>, player: Single<Entity, With<Player>>) {
    ///     commands
    ///         .entity(*innkeeper)
    ///         .converse_with(*player)
    ///         .say("Where is the harbour ledger?")
    ///         .observe(|chunk: On<ReplyChunk>| print!("{}", chunk.words))
    ///         .observe(|spoken: On<ReplySpoken>| println!("\n{:?}", spoken.reply.writer));
    /// }
    /// ```
    fn converse_with(&mut self, listener: Entity) -> Conversation<'_>;
}

impl ConversationCommands for EntityCommands<'_> {
    fn converse_with(&mut self, listener: Entity) -> Conversation<'_> {
        let character = self.id();
        Conversation { commands: self.commands(), character, listener }
    }
}

/// Commands for a conversation of a character with a listener.
pub struct Conversation<'a> {
    commands: Commands<'a, 'a>,
    character: Entity,
    listener: Entity,
}

impl Conversation<'_> {
    /// Lets the listener say words to the character, and lets the character answer. If the character still answers the
    /// listener's earlier words, the listener interrupts this reply.
    ///
    /// Returns the Bevy entity of the turn. This entity receives [`ReplyChunk`](super::ReplyChunk) for each new part of
    /// the reply, and then [`ReplySpoken`](super::ReplySpoken) and [`Answered`](crate::Answered). If there can be no
    /// reply, it receives [`Unanswered`](crate::Unanswered). Afterwards, the plugin despawns it, unless it has the
    /// component [`KeepAnswer`](crate::KeepAnswer). To cancel the reply without recording anything, despawn the entity.
    ///
    /// When the reply is complete, the plugin records the words of the listener and the reply. Both are heard by
    /// everyone in [earshot](crate::Earshot) of the character. With [`Earshot::Place`](crate::Earshot::Place), only the
    /// two hear them. The character says nothing that it conceals from one of the hearers.
    pub fn say(&mut self, words: impl Into<String>) -> EntityCommands<'_> {
        let turn = ConversationTurn { listener: self.listener, words: words.into(), is_interrupted: false };
        let (character, listener) = (self.character, self.listener);
        self.commands.queue(move |world: &mut World| interrupt_earlier(world, character, listener));
        let send = send_turn(character, turn.clone());
        let entity = self.commands.spawn((QuestionState::default(), AskedOf(character), turn)).id();
        queue_question_for(PluginName::Speech, &mut self.commands, entity, send);
        self.commands.entity(entity)
    }
}

/// Commands for a turn of a conversation.
pub trait TurnCommands {
    /// Interrupts the reply: the character stops speaking. The words that the character has said are recorded. If it has
    /// said nothing, the turn receives [`Unanswered`](crate::Unanswered).
    fn interrupt(&mut self) -> &mut Self;
}

impl TurnCommands for EntityCommands<'_> {
    fn interrupt(&mut self) -> &mut Self {
        self.queue(|mut entity: EntityWorldMut| {
            if let Some(mut turn) = entity.get_mut::<ConversationTurn>() {
                turn.is_interrupted = true;
            }
        })
    }
}
