//! Commands that record game events and changes of the game's entities.

use std::ops::{Deref, DerefMut};

use bevy::{ecs::system::EntityCommands, prelude::*};
use hearsay_commands::edit::Edit;
use hearsay_model::{Author, EntityId, Predicate, PredicateRole, Value};

use super::{
    action::{ActionId, fail_action},
    game_event::{GameAction, GameEvent},
    queue,
    target::{Statement, Target},
};
use crate::{
    bridge::{HearsayError, report_error, report_missing_plugin},
    components::{Attributes, MemoryId, PlaceId, Relation},
    schedule::{PluginName, missing_plugin},
    sync,
};

/// Commands that record game events and changes of an entity. The author of the recorded operations is the game
/// ([`Author::Game`]). To set another author, or to name the hearers, trigger [`GameEvent`]. If the app does not have a
/// plugin that a command needs, the command has no effect, and a [`MemoryErrorMessage`](crate::MemoryErrorMessage)
/// reports [`HearsayError::PluginMissing`].
///
/// Some commands trigger a [`GameEvent`]: [`say`](Self::say), [`say_that`](Self::say_that), [`tell`](Self::tell),
/// [`lie_to`](Self::lie_to), [`witness`](Self::witness), [`show`](Self::show), [`read_document`](Self::read_document),
/// [`reveal`](Self::reveal) and [`forget`](Self::forget). When the event is recorded, the entity receives
/// [`ActionCommitted`](crate::ActionCommitted). If the event cannot be recorded, the entity receives
/// [`ActionFailed`](crate::ActionFailed). To get the id of the event, use [`perform`](Self::perform).
pub trait EntityMemoryCommands {
    /// Says a line aloud. Everyone in [earshot](crate::Earshot) learns that the line was said. If extraction is
    /// enabled, the memory later extracts facts from the line. The hearers believe these facts as if the speaker had
    /// told them the facts. To state exact facts instead, use [`say_that`](Self::say_that).
    fn say(&mut self, text: impl Into<String>) -> &mut Self;

    /// Says a line aloud. The line states the facts in `states`, and everyone in earshot learns these facts. A fact
    /// that the speaker does not know yet is recorded as a claim of the speaker.
    fn say_that(&mut self, text: impl Into<String>, states: impl IntoIterator<Item = Statement>) -> &mut Self;

    /// Tells another character a fact that this entity knows, or a new fact. A new fact is recorded as a claim of this
    /// entity.
    fn tell(&mut self, to: impl Into<Target>, statement: Statement) -> &mut Self;

    /// Tells another character a lie. A new fact gets the status *false*. The hearer can believe the fact, but this
    /// entity does not believe it.
    fn lie_to(&mut self, to: impl Into<Target>, statement: Statement) -> &mut Self;

    /// Records that this entity, and nobody else, sees that a statement is true. A new fact becomes canon.
    fn witness(&mut self, statement: Statement) -> &mut Self;

    /// Records that this entity and everyone in earshot see that a statement is true. A new fact becomes canon.
    fn show(&mut self, statement: Statement) -> &mut Self;

    /// Makes the entity read a document. The entity learns the texts of the document and the facts that they state.
    fn read_document(&mut self, document: impl Into<Target>) -> &mut Self;

    /// Tells another character a secret that this entity knows. `fact` is the id or handle of the secret.
    fn reveal(&mut self, fact: impl Into<String>, to: impl Into<Target>) -> &mut Self;

    /// Performs any action, and returns the id of the action. The entity later receives
    /// [`ActionCommitted`](crate::ActionCommitted) or [`ActionFailed`](crate::ActionFailed) with the same id. `to`
    /// lists the characters that hear or see the action. If `to` is `None`, everyone in [earshot](crate::Earshot) hears
    /// or sees the action.
    fn perform(&mut self, action: GameAction, to: Option<Vec<Target>>) -> ActionId;

    /// Moves the entity to a place. The place does not need to exist as a Bevy entity.
    fn move_to(&mut self, place: impl Into<Target>) -> &mut Self;

    /// Makes the entity a member of a group.
    fn join(&mut self, group: impl Into<Target>) -> &mut Self;

    /// Ends the entity's membership in a group. The entity still knows the facts that it learned as a member.
    fn leave(&mut self, group: impl Into<Target>) -> &mut Self;

    /// Adds a relation from this entity to `object`. The predicate is a name such as `OWES` or `TRUSTS`. The returned
    /// value has a method that sets the attitude of the relation:
    /// `commands.entity(ann).relate("TRUSTS", hero).attitude(90)`.
    fn relate(&mut self, predicate: &str, object: impl Into<Target>) -> RelationCommands<'_, Self>;

    /// Sets the attitude of a relation from this entity to `object`, from −100 (hostile) to 100 (friendly). Adds the
    /// relation if the relation does not exist.
    fn set_attitude(&mut self, predicate: &str, object: impl Into<Target>, attitude: i8) -> &mut Self;

    /// Ends the relation from this entity to `object`.
    fn unrelate(&mut self, predicate: &str, object: impl Into<Target>) -> &mut Self;

    /// Sets the value of an attribute, such as `occupation` or `condition`.
    fn set_attribute(&mut self, name: &str, value: impl Into<Value>) -> &mut Self;

    /// Removes an attribute and its value from the entity.
    fn remove_attribute(&mut self, name: &str) -> &mut Self;

    /// Sets the entity's `condition` to `dead`. A dead entity hears and says nothing. Despawning an entity does not
    /// record its death.
    fn die(&mut self) -> &mut Self;

    /// Removes a fact from the entity's knowledge, as if the entity had never learned the fact. `fact` is the id or
    /// handle of the fact.
    fn forget(&mut self, fact: impl Into<String>) -> &mut Self;

    /// Removes the entity and all facts about it from the memory, and despawns the Bevy entity. To restore the entity
    /// and the facts in the memory, undo this operation.
    fn erase(&mut self);
}

/// Commands for a relation that [`relate`](EntityMemoryCommands::relate) added. You can chain more commands of the
/// entity, because this type dereferences to these commands.
pub struct RelationCommands<'a, E: EntityMemoryCommands + ?Sized> {
    entity: &'a mut E,
    predicate: String,
    object: Target,
}

impl<'a, E: EntityMemoryCommands + ?Sized> RelationCommands<'a, E> {
    /// Sets the attitude of the subject to the object, from −100 (hostile) to 100 (friendly).
    pub fn attitude(self, attitude: i8) -> &'a mut E {
        let Self { entity, predicate, object } = self;
        entity.set_attitude(&predicate, object, attitude)
    }
}

impl<E: EntityMemoryCommands + ?Sized> Deref for RelationCommands<'_, E> {
    type Target = E;
    fn deref(&self) -> &E {
        self.entity
    }
}

impl<E: EntityMemoryCommands + ?Sized> DerefMut for RelationCommands<'_, E> {
    fn deref_mut(&mut self) -> &mut E {
        self.entity
    }
}

impl EntityMemoryCommands for EntityCommands<'_> {
    fn say(&mut self, text: impl Into<String>) -> &mut Self {
        self.say_that(text, [])
    }

    fn say_that(&mut self, text: impl Into<String>, states: impl IntoIterator<Item = Statement>) -> &mut Self {
        let action = GameAction::Say { text: text.into(), states: states.into_iter().collect(), lie: false };
        act(self, action, None)
    }

    fn tell(&mut self, to: impl Into<Target>, statement: Statement) -> &mut Self {
        act(self, GameAction::Tell { statement, lie: false }, Some(to.into()))
    }

    fn lie_to(&mut self, to: impl Into<Target>, statement: Statement) -> &mut Self {
        act(self, GameAction::Tell { statement, lie: true }, Some(to.into()))
    }

    fn witness(&mut self, statement: Statement) -> &mut Self {
        act(self, GameAction::Witness(vec![statement]), None)
    }

    fn show(&mut self, statement: Statement) -> &mut Self {
        act(self, GameAction::Show(vec![statement]), None)
    }

    fn read_document(&mut self, document: impl Into<Target>) -> &mut Self {
        act(self, GameAction::Read(document.into()), None)
    }

    fn reveal(&mut self, fact: impl Into<String>, to: impl Into<Target>) -> &mut Self {
        act(self, GameAction::Reveal { fact: fact.into(), openly: false }, Some(to.into()))
    }

    fn perform(&mut self, action: GameAction, to: Option<Vec<Target>>) -> ActionId {
        let entity = self.id();
        let game_event = GameEvent { to, ..GameEvent::new(entity, action) };
        let id = game_event.id;
        self.commands_mut().queue(move |world: &mut World| match missing_plugin(world, PluginName::GameEvents) {
            Some(plugin) => fail_action(world, entity, id, HearsayError::PluginMissing(plugin)),
            None => world.trigger(game_event),
        });
        id
    }

    fn move_to(&mut self, place: impl Into<Target>) -> &mut Self {
        let place = place.into();
        change(self, move |entity| {
            let place = resolve_id(entity, &place)?;
            entity.insert(PlaceId(place));
            Ok(())
        })
    }

    fn join(&mut self, group: impl Into<Target>) -> &mut Self {
        self.relate(PredicateRole::Membership.name(), group);
        self
    }

    fn leave(&mut self, group: impl Into<Target>) -> &mut Self {
        self.unrelate(PredicateRole::Membership.name(), group)
    }

    fn relate(&mut self, predicate: &str, object: impl Into<Target>) -> RelationCommands<'_, Self> {
        let (predicate, object) = (predicate.to_owned(), object.into());
        change_relation(self, &predicate, object.clone(), |world, subject, key| {
            if sync::find_relation_entity(world, subject, &key).is_none() {
                let (predicate, object) = key;
                sync::spawn_relation(world, subject, Relation { predicate, object, attitude: None });
            }
        });
        RelationCommands { entity: self, predicate, object }
    }

    fn set_attitude(&mut self, predicate: &str, object: impl Into<Target>, attitude: i8) -> &mut Self {
        change_relation(self, predicate, object.into(), move |world, subject, key| {
            sync::set_attitude(world, subject, key, attitude);
        })
    }

    fn unrelate(&mut self, predicate: &str, object: impl Into<Target>) -> &mut Self {
        change_relation(self, predicate, object.into(), sync::end_relation)
    }

    fn set_attribute(&mut self, name: &str, value: impl Into<Value>) -> &mut Self {
        change_attribute(self, name, Some(value.into()))
    }

    fn remove_attribute(&mut self, name: &str) -> &mut Self {
        change_attribute(self, name, None)
    }

    fn die(&mut self) -> &mut Self {
        self.set_attribute(PredicateRole::Condition.name(), PredicateRole::dead_value())
    }

    fn forget(&mut self, fact: impl Into<String>) -> &mut Self {
        act(self, GameAction::Forget { fact: fact.into() }, None)
    }

    fn erase(&mut self) {
        self.queue(|entity: EntityWorldMut| {
            let id = entity.get::<MemoryId>().and_then(|id| id.get().cloned());
            let bevy_entity = entity.id();
            let world = entity.into_world_mut();
            let is_queued = match id {
                Some(id) => queue::queue_edit(world, Edit::RemoveEntity { entity: id }, Author::Game, bevy_entity),
                None => true,
            };
            if is_queued {
                world.despawn(bevy_entity);
            }
        });
    }
}

/// Performs an action. The listener, or everyone in earshot if there is no listener, perceives the action.
fn act<'a, 'c>(
    commands: &'a mut EntityCommands<'c>,
    action: GameAction,
    to: Option<Target>,
) -> &'a mut EntityCommands<'c> {
    commands.perform(action, to.map(|target| vec![target]));
    commands
}

/// Changes the components of an entity, unless a plugin is missing. Reports an error that `change` returns.
fn change<'a, 'c>(
    commands: &'a mut EntityCommands<'c>,
    change: impl FnOnce(&mut EntityWorldMut) -> Result<(), HearsayError> + Send + 'static,
) -> &'a mut EntityCommands<'c> {
    commands.queue(move |mut entity: EntityWorldMut| {
        let id = entity.id();
        if entity.world_scope(|world| report_missing_plugin(world, PluginName::Sync, Some(id))) {
            return;
        }
        if let Err(error) = change(&mut entity) {
            entity.world_scope(|world| report_error(world, error, Some(id)));
        }
    })
}

/// Changes a relation of an entity.
fn change_relation<'a, 'c>(
    commands: &'a mut EntityCommands<'c>,
    predicate: &str,
    object: Target,
    change_key: impl FnOnce(&mut World, Entity, (Predicate, EntityId)) + Send + 'static,
) -> &'a mut EntityCommands<'c> {
    let predicate = predicate.to_owned();
    change(commands, move |entity| {
        let (key, subject) = (relation_key(entity, &predicate, &object)?, entity.id());
        entity.world_scope(|world| change_key(world, subject, key));
        Ok(())
    })
}

fn change_attribute<'a, 'c>(
    commands: &'a mut EntityCommands<'c>,
    name: &str,
    value: Option<Value>,
) -> &'a mut EntityCommands<'c> {
    let name = name.to_owned();
    change(commands, move |entity| {
        let predicate = match Predicate::new(&name) {
            Ok(predicate) if !predicate.is_relation() => predicate,
            _ => return Err(HearsayError::InvalidAttribute(name)),
        };
        let mut attributes = entity.get::<Attributes>().cloned().unwrap_or_default();
        match value {
            Some(value) => _ = attributes.0.insert(predicate, value),
            None => _ = attributes.0.remove(&predicate),
        }
        entity.insert(attributes);
        Ok(())
    })
}

/// Returns the id of a target.
fn resolve_id(entity: &EntityWorldMut, target: &Target) -> Result<EntityId, HearsayError> {
    match target {
        Target::Named(name) => EntityId::from_name(name).map_err(|_| HearsayError::InvalidId(name.clone())),
        Target::Entity(other) => {
            let id = entity.world().get::<MemoryId>(*other).and_then(MemoryId::get);
            id.cloned().ok_or(HearsayError::UnknownEntity(*other))
        }
    }
}

fn relation_key(
    entity: &EntityWorldMut,
    predicate: &str,
    object: &Target,
) -> Result<(Predicate, EntityId), HearsayError> {
    let object = resolve_id(entity, object)?;
    match Predicate::new(predicate) {
        Ok(predicate) if predicate.is_relation() => Ok((predicate, object)),
        _ => Err(HearsayError::InvalidRelation(predicate.to_owned())),
    }
}
