//! Receives the memory's events.

use std::{collections::VecDeque, sync::Arc};

use bevy::prelude::*;
use hearsay_engine::{Event as EngineEvent, ModelStatus};
use hearsay_model::Key;

use super::{
    error::HearsayError,
    frame_cost::FrameCost,
    handle::NpcMemory,
    messages::{MemoryChanged, MemoryErrorMessage},
    resync::Resync,
    state::EncoderStatus,
};
use crate::schedule::Activity;

/// Queue of writes to the memory whose changed entities the plugin has not looked up yet. Each entry has the revision
/// of the write and the keys of the changed records. Only [`SyncPlugin`](crate::SyncPlugin) adds this resource.
#[derive(Resource, Default)]
pub(crate) struct ChangedKeys(pub(crate) VecDeque<(u64, Arc<Vec<Key>>)>);

/// Received events about the minds of characters. Only [`MindsPlugin`](crate::MindsPlugin) adds this resource.
#[derive(Resource, Default)]
pub(crate) struct MindEvents(pub(crate) Vec<EngineEvent>);

/// Receives all waiting events.
pub(super) fn receive_events(
    memory: Res<NpcMemory>,
    (mut changed_keys, mut mind_events): (Option<ResMut<ChangedKeys>>, Option<ResMut<MindEvents>>),
    mut resync: ResMut<Resync>,
    mut encoder: ResMut<EncoderStatus>,
    mut changed: MessageWriter<MemoryChanged>,
    mut errors: MessageWriter<MemoryErrorMessage>,
    (mut activity, cost): (ResMut<Activity>, Res<FrameCost>),
) {
    if !memory.has_events() {
        return;
    }
    let _cost = cost.measure();
    activity.wake();
    let Some(memory) = memory.get() else { return };
    for event in memory.events().try_iter() {
        match event {
            EngineEvent::Applied { position, revision, touched: keys } => {
                if let Some(changed_keys) = &mut changed_keys {
                    changed_keys.0.push_back((revision, Arc::new(keys)));
                }
                changed.write(MemoryChanged { position });
            }
            EngineEvent::Learned(_)
            | EngineEvent::BeliefsChanged(_)
            | EngineEvent::FeelingsChanged(_)
            | EngineEvent::Revealable { .. } => {
                if let Some(mind_events) = &mut mind_events {
                    mind_events.0.push(event);
                }
            }
            EngineEvent::Model(status) => {
                if let ModelStatus::None { why } = &status {
                    tracing::info!("no sentence encoder, so search uses only keywords and the graph: {why}");
                }
                if matches!(status, ModelStatus::Ready { .. }) && !hearsay_engine::encoder_is_optimised() {
                    tracing::warn!(
                        "the sentence encoder was built without optimisation and takes seconds for a question: add \
                         `[profile.dev.package.\"*\"]` with `opt-level = 1` and `debug-assertions = false`, and \
                         `[profile.dev.package.hearsay_embed]` with `opt-level = 3`, to the game's Cargo.toml"
                    );
                }
                encoder.0 = status;
            }
            EngineEvent::Reloaded { failure, .. } => {
                resync.0 = true;
                let error = failure.map(HearsayError::Reloaded);
                errors.write_batch(error.map(|error| MemoryErrorMessage { error, entity: None }));
            }
            EngineEvent::Failed(reason) => {
                errors.write(MemoryErrorMessage { error: HearsayError::Failed(reason), entity: None });
            }
            EngineEvent::Vectors { .. } | EngineEvent::LlmRead { .. } => {}
        }
    }
}
