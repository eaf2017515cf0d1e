//! The events about the minds of characters.

use bevy::prelude::*;
use hearsay_engine::{BeliefChange, Event as EngineEvent, FeelingChange, LearnedEdge};
use hearsay_model::{Acquisition, Credence, EntityId, FactId, Feeling, OpenThread};
use hearsay_recall::LineClaim;

use super::WatchMind;
use crate::{
    bridge::{FrameCost, MindEvents},
    sync::Registry,
};

/// Triggered on a character with [`WatchMind`] that learned a new fact: the character itself saw, heard, read or
/// deduced the fact. If only the group or the place of the character learned the fact, the plugin does not trigger this
/// event.
#[derive(EntityEvent, Debug, Clone, PartialEq)]
pub struct FactLearned {
    /// The Bevy entity of the character.
    pub entity: Entity,
    /// The fact.
    pub fact: FactId,
    /// Subject, predicate and object of the fact.
    pub claim: LineClaim,
    /// How the character learned the fact, for example from which teller.
    pub acquisition: Acquisition,
    /// Credence that the character gets from this acquisition, from 0 to 1.
    pub credence: Credence,
}

/// Triggered on a watched character after [`FactLearned`], if another character told the fact and the watched character
/// does not fully believe it.
#[derive(EntityEvent, Debug, Clone, PartialEq)]
pub struct RumourHeard {
    /// The Bevy entity of the character.
    pub entity: Entity,
    /// The fact.
    pub fact: FactId,
    /// Subject, predicate and object of the fact.
    pub claim: LineClaim,
    /// The character that told the fact; `None` if the teller is unknown.
    pub teller: Option<EntityId>,
    /// The character's credence in the fact, from 0 to 1.
    pub credence: Credence,
}

/// Triggered on a watched character after [`FactLearned`], if the fact is a promise by or to this character. The
/// vocabulary defines which predicates are promises.
#[derive(EntityEvent, Debug, Clone, PartialEq, Eq)]
pub struct PromiseMade {
    /// The Bevy entity of the character that learned of the promise.
    pub entity: Entity,
    /// The fact that states the promise.
    pub fact: FactId,
    /// The entity that made the promise.
    pub by: EntityId,
    /// The entity to which the promise was made.
    pub to: EntityId,
}

/// Triggered on a character for which [`WatchMind::beliefs`] is true, if the character's credence in a fact changed by
/// at least 0.01. The credence in an unknown fact is 0, so learning or forgetting a fact is also a change.
#[derive(EntityEvent, Debug, Clone, PartialEq)]
pub struct BeliefChanged {
    /// The Bevy entity of the character.
    pub entity: Entity,
    /// The fact.
    pub fact: FactId,
    /// Subject, predicate and object of the fact.
    pub claim: LineClaim,
    /// Credence before the change; 0 if the character did not know the fact.
    pub before: Credence,
    /// Credence after the change; 0 if the character no longer knows the fact.
    pub after: Credence,
}

/// Triggered on a character with [`WatchMind`] if a feeling of the character towards another entity changed, because the
/// character itself saw, heard, read, deduced or forgot a fact. For each kind of feeling that changed, the plugin
/// triggers one event. The decay of feelings over time triggers no event.
#[derive(EntityEvent, Debug, Clone, PartialEq, Eq)]
pub struct FeelingChanged {
    /// The Bevy entity of the character.
    pub entity: Entity,
    /// The entity towards which the character's feeling changed.
    pub towards: EntityId,
    /// The Bevy entity of [`towards`](Self::towards); `None` if it has no Bevy entity.
    pub towards_entity: Option<Entity>,
    /// The kind of feeling.
    pub feeling: Feeling,
    /// Value before the change, from −100 to 100.
    pub before: i8,
    /// Value after the change, from −100 to 100.
    pub after: i8,
    /// The fact that caused the change.
    pub fact: FactId,
}

/// Triggered on a character that is now allowed to tell a secret, because the condition of a reveal became true.
/// Characters without [`WatchMind`] receive this event too. A character without a Bevy entity receives no event.
#[derive(EntityEvent, Debug, Clone, PartialEq, Eq)]
pub struct SecretRevealable {
    /// The Bevy entity of the character that is allowed to tell the secret.
    pub entity: Entity,
    /// Id of the reveal in the campaign.
    pub reveal: String,
    /// Id of the secret fact.
    pub fact: FactId,
    /// Player characters to whom the character is allowed to tell the secret, sorted by id. If the campaign has no
    /// player characters, the list is empty, and the character is allowed to tell anyone.
    pub listeners: Vec<EntityId>,
}

/// Triggers the received events on the Bevy entities of their characters.
pub(super) fn receive(
    mut mind_events: ResMut<MindEvents>,
    registry: Res<Registry>,
    watched: Query<(), With<WatchMind>>,
    cost: Res<FrameCost>,
    mut commands: Commands,
) {
    if mind_events.0.is_empty() {
        return;
    }
    let _cost = cost.measure();
    let watched_entity = |knower: &EntityId| registry.entity(knower).filter(|entity| watched.contains(*entity));
    for event in mind_events.0.drain(..) {
        match event {
            EngineEvent::Learned(learned) => {
                for edge in learned {
                    if let Some(entity) = watched_entity(&edge.knower) {
                        trigger_learned(&mut commands, entity, edge);
                    }
                }
            }
            EngineEvent::BeliefsChanged(changes) => {
                for BeliefChange { knower, fact, claim, before, after } in changes {
                    if let Some(entity) = watched_entity(&knower) {
                        commands.trigger(BeliefChanged { entity, fact, claim, before, after });
                    }
                }
            }
            EngineEvent::FeelingsChanged(changes) => {
                for FeelingChange { knower, towards, feeling, before, after, fact } in changes {
                    if let Some(entity) = watched_entity(&knower) {
                        let towards_entity = registry.entity(&towards);
                        commands.trigger(FeelingChanged {
                            entity,
                            towards,
                            towards_entity,
                            feeling,
                            before,
                            after,
                            fact,
                        });
                    }
                }
            }
            EngineEvent::Revealable { reveal, fact, holder, listeners } => {
                if let Some(entity) = registry.entity(&holder) {
                    commands.trigger(SecretRevealable { entity, reveal, fact, listeners });
                }
            }
            // All other events are not about minds.
            _ => {}
        }
    }
}

/// Triggers the events for a fact that a character learned.
fn trigger_learned(commands: &mut Commands, entity: Entity, edge: LearnedEdge) {
    let LearnedEdge { knower, fact, claim, thread, acquisition, credence } = edge;
    let teller = acquisition.teller().cloned();
    let is_rumour = acquisition.is_told() && credence < Credence::FULL;
    commands.trigger(FactLearned { entity, fact, claim: claim.clone(), acquisition, credence });
    if thread == Some(OpenThread::Promise)
        && let Some(to) = claim.object.entity().cloned()
        && (claim.subject == knower || to == knower)
    {
        commands.trigger(PromiseMade { entity, fact, by: claim.subject.clone(), to });
    }
    if is_rumour {
        commands.trigger(RumourHeard { entity, fact, claim, teller, credence });
    }
}
