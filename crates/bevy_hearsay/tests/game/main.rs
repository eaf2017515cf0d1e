//! Small games that test the guarantees of the plugin, one file per guarantee.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod answers;
mod attributes;
mod commands;
mod conversations;
mod exit;
mod game_events;
mod minds;
mod phases;
mod saves;
mod scenes;
mod schedules;
mod sessions;
mod sharing;
mod subsets;
mod sync;
mod testing;
mod two_sides;

use std::path::PathBuf;

use bevy::prelude::*;
use bevy_hearsay::{prelude::*, testing::SteppingApp};
use hearsay_engine::{Memory, ReadSnapshot};

/// Returns the path of an example campaign.
fn campaign(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../campaigns").join(name)
}

fn memory(app: &SteppingApp) -> &Memory {
    app.world().resource::<bevy_hearsay::NpcMemory>().get().unwrap()
}

fn read<T: Send + 'static>(app: &SteppingApp, read: impl FnOnce(&ReadSnapshot) -> T + Send + 'static) -> T {
    memory(app).read(move |world| Ok(read(world))).unwrap().wait().unwrap()
}

/// Returns whether no memory is open.
fn is_closed(world: &World) -> bool {
    world.resource::<bevy_hearsay::NpcMemory>().get().is_none()
}

/// Returns the entity that is bound to an id.
fn entity(app: &mut SteppingApp, id: &str) -> Option<Entity> {
    let mut ids = app.world_mut().query::<(Entity, &MemoryId)>();
    ids.iter(app.world()).find(|(_, at)| at.as_str() == id).map(|(entity, _)| entity)
}
