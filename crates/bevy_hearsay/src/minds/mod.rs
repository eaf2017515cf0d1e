//! Events about the minds of characters: a character learns a fact, changes a belief or a feeling, or becomes allowed to
//! tell a secret.

mod events;
mod watch;

use bevy::prelude::*;

use crate::{
    bridge::MindEvents,
    schedule::{ActivityAppExt, HearsaySchedules, ReceiveSystems, SendSystems},
    sync,
};

pub use events::{BeliefChanged, FactLearned, FeelingChanged, PromiseMade, RumourHeard, SecretRevealable};
pub use watch::WatchMind;

/// Plugin that triggers events about the minds of characters. If a character with the component [`WatchMind`] learns a
/// fact or changes a belief or a feeling, the plugin triggers an event on this character. If a character becomes allowed
/// to tell a secret, the plugin triggers [`SecretRevealable`] on this character.
#[derive(Debug, Clone, Default)]
pub struct MindsPlugin;

impl Plugin for MindsPlugin {
    fn build(&self, app: &mut App) {
        let HearsaySchedules { receive, send } = sync::init(app);
        app.init_resource::<MindEvents>()
            .init_resource::<watch::WatchedMinds>()
            .register_type::<WatchMind>()
            .add_observer(watch::on_watched)
            .add_observer(watch::on_unwatched)
            .add_systems(receive, events::receive.in_set(ReceiveSystems::Minds))
            .add_systems(send, watch::send_filter.in_set(SendSystems::Minds))
            .add_work("watched minds", watch::is_busy);
    }
}
