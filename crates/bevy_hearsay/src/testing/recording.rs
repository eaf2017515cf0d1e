//! Records the input of a game, to replay it in another app.

use bevy::prelude::*;
use hearsay_model::{Author, EntityId};

use super::SteppingApp;
use crate::{
    components::{MemoryId, PlaceId},
    events::{GameAction, GameEvent, SessionEvent, Target, WorldEvent},
    sync::{GameClock, Registry, Shadow},
};

/// An input of a game. It refers to entities by id instead of by Bevy entity.
#[derive(Debug, Clone, PartialEq)]
pub enum RecordedInput {
    /// A game event.
    GameEvent {
        /// The entity that acts.
        actor: EntityId,
        /// The action of this entity.
        action: GameAction,
        /// The characters that hear or see the event. With `None`, everyone at the place of the actor hears or sees the
        /// event.
        to: Option<Vec<Target>>,
        /// The author of the event.
        author: Author,
    },
    /// A session event.
    Session(SessionEvent),
    /// A world event.
    World(WorldEvent),
    /// The game moved an entity to a place.
    Move {
        /// The entity that moved.
        entity: EntityId,
        /// The new place.
        place: EntityId,
    },
    /// The value of [`GameClock`] changed to this time, in minutes.
    Clock(i64),
}

/// The recorded input of a game, with the frame of each input. [`SteppingApp::stop_recording`] returns a recording.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Recording {
    /// The inputs in order, each with the number of its frame. The first frame after the start of the recording has the
    /// number 0.
    pub inputs: Vec<(u64, RecordedInput)>,
}

/// An input of the current frame, which can contain entities that have no id yet.
enum UnnamedInput {
    GameEvent { actor: Option<EntityId>, game_event: GameEvent },
    Session(SessionEvent),
    World(WorldEvent),
    Move { entity: Entity, place: EntityId },
}

/// The recording in progress.
#[derive(Resource, Default)]
struct Recorder {
    frame: u64,
    clock: Option<i64>,
    /// Inputs of the current frame.
    unnamed: Vec<UnnamedInput>,
    recording: Recording,
}

/// Marks an app that already has the observers that record its inputs.
#[derive(Resource)]
struct HasObservers;

impl SteppingApp {
    /// Starts to record game events, session events, world events, moves, and changes of the game clock. Call this
    /// method after the game has spawned its entities. If a recording is already in progress, it is dropped.
    pub fn start_recording(&mut self) {
        self.insert_resource(Recorder::default());
        if !self.world().contains_resource::<HasObservers>() {
            self.insert_resource(HasObservers)
                .add_observer(record_game_event)
                .add_observer(record_session_event)
                .add_observer(record_world_event)
                .add_observer(record_move)
                .add_systems(Last, end_frame);
        }
    }

    /// Stops the recording and returns it. The returned recording is empty if no recording was started.
    pub fn stop_recording(&mut self) -> Recording {
        end_frame(self.world_mut());
        self.world_mut().remove_resource::<Recorder>().map(|recorder| recorder.recording).unwrap_or_default()
    }

    /// Replays a recording. Inputs that were recorded in the same frame are also replayed in one frame. After each of
    /// these frames, the app [settles](Self::settle), so the result does not depend on the speed of the memory.
    ///
    /// # Panics
    /// Panics if the app has no entity with the id of a recorded actor, or if it does not settle.
    pub fn replay(&mut self, recording: &Recording) {
        self.settle();
        for inputs in recording.inputs.chunk_by(|(frame, _), (next, _)| frame == next) {
            for (_, input) in inputs {
                give_input(self.world_mut(), input.clone());
            }
            self.settle();
        }
    }
}

fn record_game_event(on: On<GameEvent>, ids: Query<&MemoryId>, recorder: Option<ResMut<Recorder>>) {
    let Some(mut recorder) = recorder else { return };
    let game_event = on.event().clone();
    // The entity may be despawned before the end of the frame.
    let actor = ids.get(game_event.entity).ok().and_then(MemoryId::get).cloned();
    recorder.unnamed.push(UnnamedInput::GameEvent { actor, game_event });
}

fn record_session_event(on: On<SessionEvent>, recorder: Option<ResMut<Recorder>>) {
    let Some(mut recorder) = recorder else { return };
    recorder.unnamed.push(UnnamedInput::Session(on.event().clone()));
}

fn record_world_event(on: On<WorldEvent>, recorder: Option<ResMut<Recorder>>) {
    let Some(mut recorder) = recorder else { return };
    recorder.unnamed.push(UnnamedInput::World(on.event().clone()));
}

/// Records a move by the game. A place that equals the shadow was written by the plugin and is not recorded.
fn record_move(
    on: On<Insert, PlaceId>,
    places: Query<(&PlaceId, Option<&Shadow>)>,
    recorder: Option<ResMut<Recorder>>,
) {
    let (Some(mut recorder), Ok((place, shadow))) = (recorder, places.get(on.entity)) else { return };
    if shadow.is_none_or(|shadow| shadow.place.as_ref() != Some(&place.0)) {
        recorder.unnamed.push(UnnamedInput::Move { entity: on.entity, place: place.0.clone() });
    }
}

/// Replaces the Bevy entities in the inputs of this frame with ids.
fn end_frame(world: &mut World) {
    let Some(mut recorder) = world.remove_resource::<Recorder>() else { return };
    let frame = recorder.frame;
    let clock = world.get_resource::<GameClock>().and_then(|clock| clock.0);
    if let Some(minutes) = clock.filter(|_| clock != recorder.clock) {
        recorder.recording.inputs.push((frame, RecordedInput::Clock(minutes)));
    }
    recorder.clock = clock;
    for unnamed in std::mem::take(&mut recorder.unnamed) {
        match name_input(world, unnamed) {
            Some(input) => recorder.recording.inputs.push((frame, input)),
            None => tracing::warn!("an input is not recorded, because an entity in the input has no `MemoryId`"),
        }
    }
    recorder.frame += 1;
    world.insert_resource(recorder);
}

/// Returns the input with ids, or `None` if an entity has no id.
fn name_input(world: &World, input: UnnamedInput) -> Option<RecordedInput> {
    let id = |entity: Entity| world.get::<MemoryId>(entity).and_then(MemoryId::get).cloned();
    Some(match input {
        UnnamedInput::GameEvent { actor, game_event } => {
            let actor = actor.or_else(|| id(game_event.entity))?;
            let (action, to) = game_event.named_action(world).ok()?;
            RecordedInput::GameEvent { actor, action, to, author: game_event.author }
        }
        UnnamedInput::Session(event) => RecordedInput::Session(event.named(world).ok()?),
        UnnamedInput::World(event) => RecordedInput::World(event),
        UnnamedInput::Move { entity, place } => RecordedInput::Move { entity: id(entity)?, place },
    })
}

/// Gives an input to an app.
fn give_input(world: &mut World, input: RecordedInput) {
    match input {
        RecordedInput::GameEvent { actor, action, to, author } => {
            if let Some(entity) = find_entity(world, &actor) {
                world.trigger(GameEvent { to, author, ..GameEvent::new(entity, action) });
            }
        }
        RecordedInput::Session(event) => world.trigger(event),
        RecordedInput::World(event) => world.trigger(event),
        RecordedInput::Move { entity, place } => {
            if let Some(entity) = find_entity(world, &entity) {
                world.entity_mut(entity).insert(PlaceId(place));
            }
        }
        RecordedInput::Clock(minutes) => world.resource_mut::<GameClock>().0 = Some(minutes),
    }
}

/// Returns the Bevy entity that is bound to an id.
fn find_entity(world: &World, id: &EntityId) -> Option<Entity> {
    let entity = world.get_resource::<Registry>().and_then(|registry| registry.entity(id));
    assert!(entity.is_some(), "the app has no entity `{id}`, but the recording contains it; spawn the same entities");
    entity
}
