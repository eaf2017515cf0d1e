//! The queue of questions to the memory, and their replies.

use std::time::{Duration, Instant};

use bevy::prelude::*;
use hearsay_engine::{Memory, MemoryError, Ticket};

use super::question::{Answered, KeepAnswer, QuestionState, Reply, Unanswered};
use crate::{
    bridge::{CountFn, FrameCost, HearsayError, Lifecycle, NpcMemory, is_open},
    events::{GameEventQueue, Unresolved},
    schedule::{PluginName, missing_plugin, postpone, wake},
    sync::{self, Inbox, Outbox},
};

/// Function that sends a question. Returns an error if the question cannot be sent now.
pub(crate) type SendFn = Box<dyn FnMut(&World, &Memory) -> Result<ReceiveFn, NotSentReason> + Send + Sync>;

/// Function that polls for a reply and inserts the reply on the entity of the question. Returns whether the reply
/// arrived or the question failed.
pub(crate) type ReceiveFn = Box<dyn FnMut(&mut World, Entity) -> bool + Send + Sync>;

/// Reason why a question was not sent.
pub(crate) enum NotSentReason {
    /// The memory is busy, or the character has no id yet.
    NotYet,
    /// The question can never be sent.
    Never(HearsayError),
}

impl From<Unresolved> for NotSentReason {
    fn from(unresolved: Unresolved) -> Self {
        match unresolved {
            Unresolved::NotYet => Self::NotYet,
            Unresolved::Never(error) => Self::Never(error),
        }
    }
}

/// A question that is waiting to be sent.
struct WaitingQuestion {
    /// The Bevy entity of the question.
    entity: Entity,
    /// Number of game events that must be done before the question is sent, so that the reply includes all earlier
    /// events.
    required_events: u64,
    /// Number of the batch that must be acknowledged before the question is sent, so that the reply includes all
    /// earlier changes of components. `None` until the changes are collected.
    required_batch: Option<u64>,
    send: SendFn,
}

/// Questions that are waiting to be sent, and questions that were sent but have no reply yet.
#[derive(Resource, Default)]
pub(crate) struct QuestionQueue {
    waiting: Vec<WaitingQuestion>,
    sent: Vec<(Entity, Instant, ReceiveFn)>,
    /// Time from sending the last question to its reply.
    pub(crate) latency: Option<Duration>,
}

impl QuestionQueue {
    /// Returns the number of unsent questions, and the number of sent questions without a reply.
    pub(crate) fn counts(&self) -> (usize, usize) {
        (self.waiting.len(), self.sent.len())
    }

    /// Fails all questions with the same error, because a slot was loaded or the memory closes.
    pub(crate) fn fail_all(world: &mut World, error: &HearsayError) {
        let mut questions = world.resource_mut::<Self>();
        let waiting = std::mem::take(&mut questions.waiting).into_iter().map(|question| question.entity);
        let sent = std::mem::take(&mut questions.sent).into_iter().map(|(entity, ..)| entity);
        for entity in waiting.chain(sent).collect::<Vec<_>>() {
            fail(world, entity, error.clone());
        }
    }
}

/// Returns whether any question is unsent or unanswered.
pub(super) fn is_busy(world: &World) -> bool {
    world.resource::<QuestionQueue>().counts() != (0, 0) && is_open(world)
}

/// Queues a question.
pub(super) fn queue_question(commands: &mut Commands, entity: Entity, send: SendFn) {
    queue_question_for(PluginName::Questions, commands, entity, send);
}

/// Queues a question of another plugin, which also needs [`QuestionsPlugin`](super::QuestionsPlugin).
pub(crate) fn queue_question_for(plugin: PluginName, commands: &mut Commands, entity: Entity, send: SendFn) {
    commands.queue(move |world: &mut World| {
        let missing = [plugin, PluginName::Questions].into_iter().find_map(|plugin| missing_plugin(world, plugin));
        if let Some(plugin) = missing {
            return fail_later(world, entity, HearsayError::PluginMissing(plugin));
        }
        let required_events = world.get_resource::<GameEventQueue>().map_or(0, GameEventQueue::watermark);
        let question = WaitingQuestion { entity, required_events, required_batch: None, send };
        world.resource_mut::<QuestionQueue>().waiting.push(question);
        wake(world);
    });
}

/// Fails a question after the game's observers have been attached to the entity of the question.
fn fail_later(world: &mut World, entity: Entity, error: HearsayError) {
    tracing::error!("a question gets no reply: {error}");
    let failed = error.clone();
    if !postpone(world, move |world| fail(world, entity, failed)) {
        // If the app has no plugin of this crate, no system can fail the question later. The entity stays, so that the
        // game's commands for it succeed.
        set_failed(world, entity, error);
    }
}

/// Fails a question, and despawns its entity.
pub(crate) fn fail(world: &mut World, entity: Entity, error: HearsayError) {
    set_failed(world, entity, error);
    finish(world, entity);
}

fn set_failed(world: &mut World, entity: Entity, error: HearsayError) {
    if let Ok(mut question) = world.get_entity_mut(entity) {
        question.insert(QuestionState::Failed(error.to_string()));
        world.trigger(Unanswered { entity, error });
    }
}

/// Despawns the entity of a question after all its observers and their commands have run.
pub(crate) fn finish(world: &mut World, entity: Entity) {
    world.flush();
    if let Ok(question) = world.get_entity_mut(entity)
        && !question.contains::<KeepAnswer>()
    {
        question.despawn();
    }
}

/// Fails all questions when the memory closes.
pub(super) fn reset(world: &mut World) -> CountFn {
    QuestionQueue::fail_all(world, &HearsayError::NotOpen);
    Box::new(|| 0)
}

/// Sends the waiting questions.
pub(super) fn send(questions: Res<QuestionQueue>, lifecycle: Option<Res<Lifecycle>>, mut commands: Commands) {
    let is_opening = lifecycle.is_some_and(|lifecycle| lifecycle.is_opening());
    if !questions.waiting.is_empty() && !is_opening {
        commands.queue(send_questions);
    }
}

fn send_questions(world: &mut World) {
    if world.resource::<Outbox>().is_loading() {
        return;
    }
    collect_changes(world);
    let _cost = world.resource::<FrameCost>().measure();
    let waiting = std::mem::take(&mut world.resource_mut::<QuestionQueue>().waiting);
    let completed = world.get_resource::<GameEventQueue>().map_or(u64::MAX, |game_events| game_events.completed_count);
    let acknowledged = world.resource::<Inbox>().acknowledged;
    let mut unsent = Vec::new();
    for mut question in waiting {
        let entity = question.entity;
        if world.get_entity(entity).is_err() {
            continue;
        }
        let Some(memory) = world.resource::<NpcMemory>().get() else {
            fail(world, entity, HearsayError::NotOpen);
            continue;
        };
        let is_ready = question.required_events <= completed
            && question.required_batch.is_some_and(|required_batch| required_batch <= acknowledged);
        if !is_ready {
            unsent.push(question);
            continue;
        }
        match (question.send)(world, memory) {
            Ok(receive_reply) => {
                world.resource_mut::<QuestionQueue>().sent.push((entity, Instant::now(), receive_reply));
            }
            Err(NotSentReason::NotYet) => unsent.push(question),
            Err(NotSentReason::Never(error)) => fail(world, entity, error),
        }
    }
    let mut questions = world.resource_mut::<QuestionQueue>();
    // Observers of failed questions may have asked new questions. Add these at the end.
    unsent.append(&mut questions.waiting);
    questions.waiting = unsent;
}

/// Sends the changes that the game made before it asked the waiting questions.
fn collect_changes(world: &mut World) {
    let (waiting, outbox) = (&world.resource::<QuestionQueue>().waiting, world.resource::<Outbox>());
    if waiting.iter().any(|question| question.required_batch.is_none()) {
        sync::send_changes(world);
        let last_batch = world.resource::<Outbox>().last_batch();
        for question in &mut world.resource_mut::<QuestionQueue>().waiting {
            question.required_batch.get_or_insert(last_batch);
        }
    } else if outbox.is_creating() || waiting.iter().any(|question| question.required_batch >= Some(outbox.next_batch))
    {
        // Some changes are unsent because the memory was busy, or a question waits until the memory contains a new
        // character.
        sync::flush(world);
    }
}

/// Receives the replies to questions.
pub(super) fn receive(questions: Res<QuestionQueue>, mut commands: Commands) {
    if !questions.sent.is_empty() {
        commands.queue(receive_replies);
    }
}

fn receive_replies(world: &mut World) {
    let _cost = world.resource::<FrameCost>().measure();
    let mut sent = std::mem::take(&mut world.resource_mut::<QuestionQueue>().sent);
    sent.retain_mut(|(entity, sent_at, receive_reply)| {
        if world.get_entity(*entity).is_err() {
            // The question's entity was despawned. Dropping the ticket cancels the request.
            return false;
        }
        let done = receive_reply(world, *entity);
        if done {
            world.resource_mut::<QuestionQueue>().latency = Some(sent_at.elapsed());
        }
        !done
    });
    let mut questions = world.resource_mut::<QuestionQueue>();
    sent.append(&mut questions.sent);
    questions.sent = sent;
}

/// Returns a function that inserts the reply on the entity of the question when the reply arrives.
fn reply_receiver<T: Send + Sync + 'static>(ticket: Ticket<T>) -> ReceiveFn {
    Box::new(move |world, entity| match ticket.try_take() {
        None => false,
        Some(Ok(reply)) => {
            world.entity_mut(entity).insert((Reply(reply), QuestionState::Answered));
            world.trigger(Answered { entity });
            finish(world, entity);
            true
        }
        Some(Err(error)) => {
            fail(world, entity, error.into());
            true
        }
    })
}

/// Returns the function that receives the reply to a request, or the reason why the request was not sent.
pub(super) fn receiver_for_request<T: Send + Sync + 'static>(
    result: Result<Ticket<T>, MemoryError>,
) -> Result<ReceiveFn, NotSentReason> {
    match result {
        Ok(ticket) => Ok(reply_receiver(ticket)),
        Err(MemoryError::Full { .. }) => Err(NotSentReason::NotYet),
        Err(error) => Err(NotSentReason::Never(error.into())),
    }
}
