//! Receives the memory's events.

use std::{collections::VecDeque, sync::Arc};

use bevy::prelude::*;
use hearsay_engine::{Event as EngineEvent, ModelStatus};
use hearsay_model::Key;

use super::{
    frame_cost::FrameCost,
    handle::NpcMemory,
    messages::{MemoryChanged, MemoryErrorMessage, SecretRevealable},
    resync::Resync,
    state::EncoderStatus,
};

/// Queue of the writes whose changed entities have not been looked up yet: the revision of each write, and the keys of
/// the records that it changed.
#[derive(Resource, Default)]
pub(crate) struct ChangedKeys(pub(crate) VecDeque<(u64, Arc<Vec<Key>>)>);

/// Returns whether any event is waiting to be received.
pub(super) fn has_events(world: &World) -> bool {
    world.get_resource::<NpcMemory>().and_then(NpcMemory::get).is_some_and(|memory| !memory.events().is_empty())
}

/// Receives all waiting events.
pub(super) fn receive_events(
    memory: Res<NpcMemory>,
    (mut changed_keys, mut resync): (ResMut<ChangedKeys>, ResMut<Resync>),
    mut encoder: ResMut<EncoderStatus>,
    mut changed: MessageWriter<MemoryChanged>,
    mut revealable: MessageWriter<SecretRevealable>,
    mut errors: MessageWriter<MemoryErrorMessage>,
    cost: Res<FrameCost>,
) {
    let _cost = cost.measure();
    let Some(memory) = memory.get() else { return };
    for event in memory.events().try_iter() {
        match event {
            EngineEvent::Applied { position, revision, touched: keys } => {
                changed_keys.0.push_back((revision, Arc::new(keys)));
                changed.write(MemoryChanged { position });
            }
            EngineEvent::Revealable { reveal, fact, holder } => {
                revealable.write(SecretRevealable { reveal, fact, holder });
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
            EngineEvent::Reloaded { why, .. } => {
                resync.0 = true;
                errors.write(MemoryErrorMessage {
                    text: format!("{why}; the memory was reloaded from the database"),
                    entity: None,
                });
            }
            EngineEvent::Failed(text) => _ = errors.write(MemoryErrorMessage { text, entity: None }),
            EngineEvent::Vectors { .. } | EngineEvent::LlmRead { .. } => {}
        }
    }
}
