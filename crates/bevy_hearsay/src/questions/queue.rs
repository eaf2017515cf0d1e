//! The queue of questions to the memory, and their replies.

use std::time::{Duration, Instant};

use bevy::prelude::*;
use hearsay_engine::{Memory, MemoryError, Ticket};

use super::question::{Answered, QuestionState, Reply, Unanswered};
use crate::{
    bridge::{FrameCost, MemoryState, NpcMemory, is_open},
    events::GameEventQueue,
    schedule::Steps,
    sync::{self, Outbox},
};

/// Function that sends a question. Returns an error if the question cannot be sent now.
pub(super) type SendFn = Box<dyn FnMut(&World, &Memory) -> Result<ReceiveFn, NotSentReason> + Send + Sync>;

/// Function that polls for a reply and inserts the reply on the entity of the question. Returns whether the reply
/// arrived or the question failed.
pub(super) type ReceiveFn = Box<dyn FnMut(&mut World, Entity) -> bool + Send + Sync>;

/// Reason why a question was not sent.
pub(super) enum NotSentReason {
    /// The memory is busy, or the character has no id yet.
    NotYet,
    /// The question can never be sent. The text is the reason, for display.
    Never(String),
}

/// Questions that are waiting to be sent, and questions that were sent but have no reply yet.
#[derive(Resource, Default)]
pub(crate) struct QuestionQueue {
    waiting: Vec<(Entity, u64, SendFn)>,
    sent: Vec<(Entity, Instant, ReceiveFn)>,
    /// Time from sending the last question to its reply.
    pub(crate) latency: Option<Duration>,
}

impl QuestionQueue {
    /// Returns the number of unsent questions, and the number of sent questions without a reply.
    pub(crate) fn counts(&self) -> (usize, usize) {
        (self.waiting.len(), self.sent.len())
    }

    /// Fails all questions, because their timeline was abandoned.
    pub(crate) fn fail_all(world: &mut World, reason: &str) {
        let mut questions = world.resource_mut::<Self>();
        let waiting = std::mem::take(&mut questions.waiting).into_iter().map(|(entity, ..)| entity);
        let sent = std::mem::take(&mut questions.sent).into_iter().map(|(entity, ..)| entity);
        for entity in waiting.chain(sent).collect::<Vec<_>>() {
            fail(world, entity, reason.to_owned());
        }
    }
}

pub(super) fn has_unsent(world: &World) -> bool {
    !world.resource::<QuestionQueue>().waiting.is_empty() && *world.resource::<MemoryState>() != MemoryState::Loading
}

pub(super) fn has_unanswered(world: &World) -> bool {
    !world.resource::<QuestionQueue>().sent.is_empty()
}

fn fail(world: &mut World, entity: Entity, reason: String) {
    if let Ok(mut question) = world.get_entity_mut(entity) {
        question.insert(QuestionState::Failed(reason.clone()));
        world.trigger(Unanswered { entity, reason });
    }
}

/// Returns whether any question is unsent or unanswered.
pub(super) fn is_busy(world: &World) -> bool {
    world.resource::<QuestionQueue>().counts() != (0, 0) && is_open(world)
}

pub(super) fn send(world: &mut World) {
    let _cost = world.resource::<FrameCost>().measure();
    if world.resource::<Outbox>().is_loading() {
        return;
    }
    // A question to a new character waits until the memory contains the character, so send the new character now.
    if world.resource::<Outbox>().is_creating() {
        sync::flush(world);
    }
    let mut questions = world.resource_mut::<QuestionQueue>();
    let waiting = std::mem::take(&mut questions.waiting);
    let completed = world.get_resource::<GameEventQueue>().map_or(u64::MAX, |game_events| game_events.completed_count);
    let mut unsent = Vec::new();
    for (entity, required_events, mut send_question) in waiting {
        if world.get_entity(entity).is_err() {
            continue;
        }
        // The reply must include all earlier game events, so wait until they are done.
        if required_events > completed && world.resource::<NpcMemory>().get().is_some() {
            unsent.push((entity, required_events, send_question));
            continue;
        }
        let sent = match world.resource::<NpcMemory>().get() {
            Some(memory) => send_question(world, memory),
            None => Err(NotSentReason::Never("the memory is not open".to_owned())),
        };
        match sent {
            Ok(receive_reply) => {
                world.resource_mut::<QuestionQueue>().sent.push((entity, Instant::now(), receive_reply))
            }
            Err(NotSentReason::NotYet) => unsent.push((entity, required_events, send_question)),
            Err(NotSentReason::Never(reason)) => fail(world, entity, reason),
        }
    }
    let mut questions = world.resource_mut::<QuestionQueue>();
    // Observers of failed questions may have asked new questions. Add these at the end.
    unsent.append(&mut questions.waiting);
    questions.waiting = unsent;
}

pub(super) fn receive_replies(world: &mut World) {
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
            true
        }
        Some(Err(error)) => {
            fail(world, entity, error.to_string());
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
        Err(error) => Err(NotSentReason::Never(error.to_string())),
    }
}

/// Queues a question.
pub(super) fn queue_question(commands: &mut Commands, entity: Entity, send_question: SendFn) {
    commands.queue(move |world: &mut World| {
        let required_events = world.get_resource::<GameEventQueue>().map_or(0, GameEventQueue::watermark);
        match world.get_resource_mut::<QuestionQueue>() {
            Some(mut questions) => {
                questions.waiting.push((entity, required_events, send_question));
                world.resource_mut::<Steps>().wake();
            }
            None => tracing::error!("a question was asked, but `QuestionsPlugin` was not added to the app"),
        }
    });
}
