//! Commands of conversations.

use bevy::{ecs::system::EntityCommands, prelude::*};

use super::turn::{ConversationTurn, interrupt_earlier, send_turn};
use crate::{
    questions::{AskedOf, QuestionState, queue_question_for},
    schedule::PluginName,
};

/// Commands for conversations with a character.
pub trait ConversationCommands {
    /// Starts a conversation of this character with another character, such as the player. Returns the commands of the
    /// conversation.
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
    /// Lets the listener say words to the character, and lets the character reply. If the character is still replying
    /// to earlier words of the listener, the new words interrupt this reply.
    ///
    /// Returns the Bevy entity of the turn. This entity receives [`ReplyChunk`](super::ReplyChunk) for each new part of
    /// the reply, and then [`ReplySpoken`](super::ReplySpoken) and [`Answered`](crate::Answered). If there can be no
    /// reply, the entity receives [`Unanswered`](crate::Unanswered). Afterwards, the plugin despawns the entity, unless
    /// it has the component [`KeepAnswer`](crate::KeepAnswer). To cancel the reply without recording anything, despawn
    /// the entity.
    ///
    /// When the reply is complete, the plugin records two game events: the words of the listener, and the reply. With
    /// [`Earshot::Place`](crate::Earshot::Place), only the two characters of the conversation hear both events. With
    /// any other [`Earshot`](crate::Earshot), everyone in earshot of the character also hears them. The character says
    /// nothing that it conceals from one of the hearers.
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
    /// Interrupts the reply: the character stops speaking. The plugin records the words that the character has already
    /// said. If the character has said nothing, the turn receives [`Unanswered`](crate::Unanswered).
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
