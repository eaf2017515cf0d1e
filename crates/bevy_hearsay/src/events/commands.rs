//! Commands that record game events and changes of the game's entities.

use bevy::{ecs::system::EntityCommands, prelude::*};
use hearsay_commands::edit::Edit;
use hearsay_model::{Author, EntityId, Predicate, PredicateRole, Value};

use super::{
    game_event::{GameAction, GameEvent},
    queue,
    target::{Statement, Target},
};
use crate::{
    bridge::MemoryErrorMessage,
    components::{Attributes, MemoryId, PlaceId, Relation},
    schedule::Steps,
    sync::{self, Outbox, Shadow},
};

/// Commands that record game events and changes of an entity. The author of the recorded operations is the game
/// ([`Author::Game`]). To set another author, or to name the hearers, trigger [`GameEvent`].
pub trait EntityMemoryCommands {
    /// Says a line aloud. Everyone in [earshot](crate::Earshot) learns that the line was said. Unless extraction is
    /// disabled, the memory later extracts facts from the line. To state exact facts instead, use
    /// [`say_that`](Self::say_that).
    fn say(&mut self, text: impl Into<String>) -> &mut Self;

    /// Says a line aloud that states facts. Everyone in earshot learns these facts.
    fn say_that(&mut self, text: impl Into<String>, states: impl IntoIterator<Item = Statement>) -> &mut Self;

    /// Tells another character a fact that this entity knows, or a new fact. A new fact becomes a claim.
    fn tell(&mut self, to: impl Into<Target>, statement: Statement) -> &mut Self;

    /// Records that only this entity sees a fact. A new fact becomes canon.
    fn witness(&mut self, statement: Statement) -> &mut Self;

    /// Records that the entity and everyone in earshot see a fact. A new fact becomes canon.
    fn show(&mut self, statement: Statement) -> &mut Self;

    /// Makes the entity read a document. The entity learns the facts of the document.
    fn read_document(&mut self, document: impl Into<Target>) -> &mut Self;

    /// Tells another character a secret that this entity knows. `fact` is the id or handle of the secret.
    fn reveal(&mut self, fact: impl Into<String>, to: impl Into<Target>) -> &mut Self;

    /// Moves the entity to a place. The place does not need to exist as a Bevy entity.
    fn move_to(&mut self, place: impl Into<Target>) -> &mut Self;

    /// Makes the entity a member of a group.
    fn join(&mut self, group: impl Into<Target>) -> &mut Self;

    /// Ends the entity's membership in a group. The entity still knows the facts that it learned as a member.
    fn leave(&mut self, group: impl Into<Target>) -> &mut Self;

    /// Adds a relation from this entity to `object`. The predicate is a name such as `OWES` or `TRUSTS`.
    fn relate(&mut self, predicate: &str, object: impl Into<Target>) -> &mut Self;

    /// Ends the relation from this entity to `object`.
    fn unrelate(&mut self, predicate: &str, object: impl Into<Target>) -> &mut Self;

    /// Sets the value of an attribute, such as `occupation` or `condition`.
    fn set_attribute(&mut self, name: &str, value: impl Into<Value>) -> &mut Self;

    /// Removes the value of an attribute.
    fn remove_attribute(&mut self, name: &str) -> &mut Self;

    /// Sets the entity's `condition` to `dead`. A dead entity hears and says nothing. Despawning an entity does not
    /// record its death.
    fn die(&mut self) -> &mut Self;

    /// Removes a fact from the entity's knowledge, as if the entity had never learned the fact. `fact` is an id or
    /// handle.
    fn forget(&mut self, fact: impl Into<String>) -> &mut Self;

    /// Removes the entity and all facts about it from the memory, and despawns the Bevy entity. An undo of this
    /// operation restores the entity in the memory.
    fn erase(&mut self);
}

impl EntityMemoryCommands for EntityCommands<'_> {
    fn say(&mut self, text: impl Into<String>) -> &mut Self {
        self.say_that(text, [])
    }

    fn say_that(&mut self, text: impl Into<String>, states: impl IntoIterator<Item = Statement>) -> &mut Self {
        let action = GameAction::Say { text: text.into(), states: states.into_iter().collect(), lie: false };
        self.trigger(|entity| GameEvent::new(entity, action))
    }

    fn tell(&mut self, to: impl Into<Target>, statement: Statement) -> &mut Self {
        let to = vec![to.into()];
        self.trigger(|entity| GameEvent { to, ..GameEvent::new(entity, GameAction::Tell { statement, lie: false }) })
    }

    fn witness(&mut self, statement: Statement) -> &mut Self {
        self.trigger(|entity| GameEvent::new(entity, GameAction::Witness(vec![statement])))
    }

    fn show(&mut self, statement: Statement) -> &mut Self {
        self.trigger(|entity| GameEvent::new(entity, GameAction::Show(vec![statement])))
    }

    fn read_document(&mut self, document: impl Into<Target>) -> &mut Self {
        let document = document.into();
        self.trigger(|entity| GameEvent::new(entity, GameAction::Read(document)))
    }

    fn reveal(&mut self, fact: impl Into<String>, to: impl Into<Target>) -> &mut Self {
        let (action, to) = (GameAction::Reveal { fact: fact.into(), openly: false }, vec![to.into()]);
        self.trigger(|entity| GameEvent { to, ..GameEvent::new(entity, action) })
    }

    fn move_to(&mut self, place: impl Into<Target>) -> &mut Self {
        let place = place.into();
        self.queue(move |mut entity: EntityWorldMut| {
            if let Some(place) = resolve_id(&mut entity, &place) {
                entity.insert(PlaceId(place));
            }
        })
    }

    fn join(&mut self, group: impl Into<Target>) -> &mut Self {
        self.relate(PredicateRole::Membership.name(), group)
    }

    fn leave(&mut self, group: impl Into<Target>) -> &mut Self {
        self.unrelate(PredicateRole::Membership.name(), group)
    }

    fn relate(&mut self, predicate: &str, object: impl Into<Target>) -> &mut Self {
        let (predicate, object) = (predicate.to_owned(), object.into());
        self.queue(move |mut entity: EntityWorldMut| {
            let Some(key) = relation_key(&mut entity, &predicate, &object) else { return };
            let subject = entity.id();
            entity.world_scope(|world| {
                if sync::find_relation_entity(world, subject, &key).is_none() {
                    let (predicate, object) = key;
                    sync::spawn_relation(world, subject, Relation { predicate, object, attitude: None });
                }
            });
        })
    }

    fn unrelate(&mut self, predicate: &str, object: impl Into<Target>) -> &mut Self {
        let (predicate, object) = (predicate.to_owned(), object.into());
        self.queue(move |mut entity: EntityWorldMut| {
            let Some(key) = relation_key(&mut entity, &predicate, &object) else { return };
            let subject = entity.id();
            entity.world_scope(|world| {
                sync::despawn_relation(world, subject, &key);
                world.resource_mut::<Steps>().wake();
                world.resource_scope(|world, mut outbox: Mut<Outbox>| {
                    if let Some(mut shadow) = world.get_mut::<Shadow>(subject)
                        && shadow.relations.remove(&key).is_some()
                    {
                        sync::record_relation(&mut shadow, &mut outbox, key, false);
                    }
                });
            });
        })
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
        let fact = fact.into();
        self.trigger(|entity| GameEvent::new(entity, GameAction::Forget { fact }))
    }

    fn erase(&mut self) {
        self.queue(|entity: EntityWorldMut| {
            let id = entity.get::<MemoryId>().map(|id| id.as_str().to_owned());
            let bevy_entity = entity.id();
            let world = entity.into_world_mut();
            if let Some(id) = id.filter(|id| !id.is_empty()) {
                queue::queue_edit(world, Edit::RemoveEntity { entity: id }, Author::Game);
            }
            world.despawn(bevy_entity);
        });
    }
}

fn change_attribute<'a, 'c>(
    commands: &'a mut EntityCommands<'c>,
    name: &str,
    value: Option<Value>,
) -> &'a mut EntityCommands<'c> {
    let name = name.to_owned();
    commands.queue(move |mut entity: EntityWorldMut| {
        let predicate = match Predicate::new(&name) {
            Ok(predicate) if !predicate.is_relation() => predicate,
            _ => {
                let text = format!("`{name}` is not a valid attribute name: use lowercase words joined by `_`");
                return report_error(&mut entity, text);
            }
        };
        let mut attributes = entity.get::<Attributes>().cloned().unwrap_or_default();
        match value {
            Some(value) => _ = attributes.0.insert(predicate, value),
            None => _ = attributes.0.remove(&predicate),
        }
        entity.insert(attributes);
    })
}

fn report_error(entity: &mut EntityWorldMut, text: String) {
    tracing::warn!("{text}");
    let entity_id = Some(entity.id());
    entity.world_scope(|world| world.write_message(MemoryErrorMessage { text, entity: entity_id }));
}

/// Returns the id of a target. Reports an error if the target has no id.
fn resolve_id(entity: &mut EntityWorldMut, target: &Target) -> Option<EntityId> {
    let id = match target {
        Target::Named(name) => EntityId::from_name(name).ok(),
        Target::Entity(other) => entity.world().get::<MemoryId>(*other).and_then(|id| id.get().cloned()),
    };
    if id.is_none() {
        report_error(entity, format!("{target:?} has no id in the memory: add a `MemoryId` component"));
    }
    id
}

fn relation_key(entity: &mut EntityWorldMut, predicate: &str, object: &Target) -> Option<(Predicate, EntityId)> {
    let object = resolve_id(entity, object)?;
    match Predicate::new(predicate) {
        Ok(predicate) if predicate.is_relation() => Some((predicate, object)),
        _ => {
            report_error(
                entity,
                format!("`{predicate}` is not a valid relation name: use uppercase words joined by `_`"),
            );
            None
        }
    }
}
