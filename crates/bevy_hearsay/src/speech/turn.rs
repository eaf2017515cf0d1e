//! A turn of a conversation: the words that are said to a character, and the character's reply.

use std::sync::Arc;

use bevy::prelude::*;
use hearsay_engine::MemoryError;
use hearsay_model::EntityId;
use hearsay_speech::{CharacterReply, PendingReply, ReplyRequest, ReplyStep};

use super::{NpcSpeech, ReplyChunk, ReplySpoken, earlier_lines::EarlierLines};
use crate::{
    bridge::{HearsayError, NpcMemory},
    events::{GameAction, GameEvent, Statement, Target, hearers, resolve_entity},
    questions::{
        Answered, NotSentReason, Question, QuestionState, Questions, ReceiveFn, Reply, SendFn, ask_builder, fail,
        finish,
    },
};

/// Component of the Bevy entity that represents a turn of a conversation. The component [`AskedOf`](crate::AskedOf) of
/// the same entity contains the character that replies.
#[derive(Component, Debug, Clone, PartialEq, Eq, Reflect)]
#[reflect(Component, Clone, PartialEq, Debug)]
pub struct ConversationTurn {
    /// The character that said the words, and hears the reply.
    pub listener: Entity,
    /// The words to which the character replies.
    pub words: String,
    /// Whether the reply was interrupted: see [`TurnCommands::interrupt`](crate::TurnCommands::interrupt).
    pub is_interrupted: bool,
}

/// Interrupts the replies of a character to earlier words of a listener.
pub(super) fn interrupt_earlier(world: &mut World, character: Entity, listener: Entity) {
    let turns: Vec<Entity> = world.get::<Questions>(character).map(|turns| turns.iter().collect()).unwrap_or_default();
    for turn in turns {
        if world.get::<QuestionState>(turn) == Some(&QuestionState::Waiting)
            && let Some(mut turn) = world.get_mut::<ConversationTurn>(turn)
            && turn.listener == listener
        {
            turn.is_interrupted = true;
        }
    }
}

/// Returns a function that sends a turn to the memory.
pub(super) fn send_turn(character: Entity, turn: ConversationTurn) -> SendFn {
    Box::new(move |world, memory| {
        let speech = world.resource::<NpcSpeech>().get(memory).map_err(NotSentReason::Never)?;
        let hearing = hearing_entities(world, character, turn.listener);
        let listeners = hearing.iter().map(|entity| resolve_entity(world, *entity).cloned());
        let listeners: Vec<EntityId> = listeners.collect::<Result<_, _>>()?;
        let present = Some(hearing.iter().copied().map(Target::Entity).collect());
        let budget = Some(memory.settings().speech.prompt_tokens);
        let question = Question { present, budget, ..Question::new(turn.words.clone()) };
        match memory.ask_with(ask_builder(world, character, &question)?) {
            Ok(answer) => {
                let earlier = EarlierLines::with(world, character, turn.listener);
                let pending = speech.reply(answer, ReplyRequest { listeners, earlier, ..ReplyRequest::default() });
                Ok(reply_receiver(pending, character, turn.clone(), hearing))
            }
            Err(MemoryError::Full { .. }) => Err(NotSentReason::NotYet),
            Err(error) => Err(NotSentReason::Never(error.into())),
        }
    })
}

/// Returns the entities that hear the reply: the listener, and everyone else in earshot.
fn hearing_entities(world: &World, character: Entity, listener: Entity) -> Vec<Entity> {
    let mut hearing = vec![listener];
    for target in hearers(world, character).unwrap_or_default() {
        if let Target::Entity(entity) = target
            && entity != listener
        {
            hearing.push(entity);
        }
    }
    hearing
}

/// Returns a function that goes on with a reply in each frame.
fn reply_receiver(
    mut pending: PendingReply,
    character: Entity,
    turn: ConversationTurn,
    hearing: Vec<Entity>,
) -> ReceiveFn {
    Box::new(move |world, entity| {
        if world.get::<ConversationTurn>(entity).is_some_and(|turn| turn.is_interrupted) {
            match pending.interrupt() {
                Some(reply) => complete(world, entity, character, &turn, &hearing, reply),
                None => fail(world, entity, HearsayError::Interrupted),
            }
            return true;
        }
        let Some(memory) = world.resource::<NpcMemory>().get() else {
            fail(world, entity, HearsayError::NotOpen);
            return true;
        };
        for step in pending.poll(memory) {
            match step {
                ReplyStep::Chunk(words) => world.trigger(ReplyChunk { entity, words }),
                ReplyStep::Spoken(reply) => complete(world, entity, character, &turn, &hearing, *reply),
                ReplyStep::Failed(error) => fail(world, entity, error.into()),
                _ => {}
            }
        }
        pending.is_done()
    })
}

/// Records a turn, and hands the reply to the game.
fn complete(
    world: &mut World,
    entity: Entity,
    character: Entity,
    turn: &ConversationTurn,
    hearing: &[Entity],
    reply: CharacterReply,
) {
    record(world, character, turn, hearing, &reply);
    EarlierLines::add(world, character, turn.listener, &turn.words, reply.text());
    let reply = Arc::new(reply);
    if let Ok(mut turn) = world.get_entity_mut(entity) {
        turn.insert((Reply(Arc::clone(&reply)), QuestionState::Answered));
        world.trigger(ReplySpoken { entity, reply });
        world.trigger(Answered { entity });
    }
    finish(world, entity);
}

/// Triggers the game events for what was said to the character, and for the reply.
fn record(world: &mut World, character: Entity, turn: &ConversationTurn, hearing: &[Entity], reply: &CharacterReply) {
    let targets = |entities: &mut dyn Iterator<Item = Entity>| Some(entities.map(Target::Entity).collect());
    let words = GameAction::Say { text: turn.words.clone(), states: Vec::new(), lie: false };
    let mut to_character = hearing.iter().copied().filter(|entity| *entity != turn.listener).chain([character]);
    let said = GameEvent { to: targets(&mut to_character), ..GameEvent::new(turn.listener, words) };
    let replied = GameEvent { to: targets(&mut hearing.iter().copied()), ..GameEvent::new(character, action(reply)) };
    for game_event in [said, replied] {
        if world.get_entity(game_event.entity).is_ok() {
            world.trigger(game_event);
        }
    }
}

/// Returns the action that records a reply, with the facts that it states.
fn action(reply: &CharacterReply) -> GameAction {
    let states = reply.check.stated_facts().into_iter().map(Statement::fact).collect();
    GameAction::Say { text: reply.text().to_owned(), states, lie: reply.check.is_lie() }
}
