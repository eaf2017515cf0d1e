//! Commands on the entities of the game.

use bevy::{ecs::system::EntityCommands, prelude::*};
use hearsay_memory::Edit;
use hearsay_model::{Author, EntityId, Predicate, Value, attribute, predicate};

use crate::{
    components::{Attributes, MemoryId, Relation, Whereabouts},
    happenings::{self, Deed, Happens, Target, What},
    memory::MemoryTrouble,
    steps::Steps,
    sync::{self, Outbox, Shadow},
};

/// What a game says and does with an entity that the memory knows. All of it is by the game's word
/// ([`Author::Game`]); for another author, or for named hearers, trigger [`Happens`].
pub trait EntityMemoryCommands {
    /// Says a line aloud, to those in [earshot](crate::Earshot): they learn that it was said. What the words state is
    /// not understood from them; name it with [`say_that`](Self::say_that).
    fn say(&mut self, text: impl Into<String>) -> &mut Self;

    /// Says a line aloud that states something: those in earshot take it up.
    fn say_that(&mut self, text: impl Into<String>, states: impl IntoIterator<Item = What>) -> &mut Self;

    /// Tells somebody what it knows, or what is new: a claim.
    fn tell(&mut self, to: impl Into<Target>, what: What) -> &mut Self;

    /// Sees something, alone. What is new is canon.
    fn witness(&mut self, what: What) -> &mut Self;

    /// Does something that everyone in earshot sees, itself too. What is new is canon.
    fn show(&mut self, what: What) -> &mut Self;

    /// Reads a document.
    fn read_document(&mut self, document: impl Into<Target>) -> &mut Self;

    /// Tells somebody a secret that it holds, by its id or handle.
    fn reveal(&mut self, fact: impl Into<String>, to: impl Into<Target>) -> &mut Self;

    /// Goes to a place, loaded or not.
    fn move_to(&mut self, place: impl Into<Target>) -> &mut Self;

    /// Becomes a member of a group.
    fn join(&mut self, group: impl Into<Target>) -> &mut Self;

    /// Is a member of a group no more. What it learned there, it keeps.
    fn leave(&mut self, group: impl Into<Target>) -> &mut Self;

    /// A relation holds: `OWES`, `TRUSTS`.
    fn relate(&mut self, predicate: &str, object: impl Into<Target>) -> &mut Self;

    /// A relation holds no more.
    fn unrelate(&mut self, predicate: &str, object: impl Into<Target>) -> &mut Self;

    /// An attribute has a value: its `occupation`, its `condition`.
    fn set_attribute(&mut self, name: &str, value: impl Into<Value>) -> &mut Self;

    /// An attribute has no value any more.
    fn remove_attribute(&mut self, name: &str) -> &mut Self;

    /// Dies: its `condition` is `dead`, and it hears and says nothing any more. Despawning alone says nothing.
    fn die(&mut self) -> &mut Self;

    /// Never learned something: a fact by its id or handle.
    fn forget(&mut self, fact: impl Into<String>) -> &mut Self;

    /// Is taken out of the memory, with all that is said of it, and despawned. Undo brings it back to the memory.
    fn erase(&mut self);
}

impl EntityMemoryCommands for EntityCommands<'_> {
    fn say(&mut self, text: impl Into<String>) -> &mut Self {
        self.say_that(text, [])
    }

    fn say_that(&mut self, text: impl Into<String>, states: impl IntoIterator<Item = What>) -> &mut Self {
        let deed = Deed::Say { text: text.into(), states: states.into_iter().collect(), lie: false };
        self.trigger(|entity| Happens::new(entity, deed))
    }

    fn tell(&mut self, to: impl Into<Target>, what: What) -> &mut Self {
        let to = vec![to.into()];
        self.trigger(|entity| Happens { to, ..Happens::new(entity, Deed::Tell { what, lie: false }) })
    }

    fn witness(&mut self, what: What) -> &mut Self {
        self.trigger(|entity| Happens::new(entity, Deed::Witness(vec![what])))
    }

    fn show(&mut self, what: What) -> &mut Self {
        self.trigger(|entity| Happens::new(entity, Deed::Show(vec![what])))
    }

    fn read_document(&mut self, document: impl Into<Target>) -> &mut Self {
        let document = document.into();
        self.trigger(|entity| Happens::new(entity, Deed::Read(document)))
    }

    fn reveal(&mut self, fact: impl Into<String>, to: impl Into<Target>) -> &mut Self {
        let (deed, to) = (Deed::Reveal { fact: fact.into(), openly: false }, vec![to.into()]);
        self.trigger(|entity| Happens { to, ..Happens::new(entity, deed) })
    }

    fn move_to(&mut self, place: impl Into<Target>) -> &mut Self {
        let place = place.into();
        self.queue(move |mut entity: EntityWorldMut| {
            if let Some(place) = id_of(&mut entity, &place) {
                entity.insert(Whereabouts(place));
            }
        })
    }

    fn join(&mut self, group: impl Into<Target>) -> &mut Self {
        self.relate(predicate::MEMBER_OF, group)
    }

    fn leave(&mut self, group: impl Into<Target>) -> &mut Self {
        self.unrelate(predicate::MEMBER_OF, group)
    }

    fn relate(&mut self, predicate: &str, object: impl Into<Target>) -> &mut Self {
        let (predicate, object) = (predicate.to_owned(), object.into());
        self.queue(move |mut entity: EntityWorldMut| {
            let Some(key) = key_of(&mut entity, &predicate, &object) else { return };
            let subject = entity.id();
            entity.world_scope(|world| {
                if sync::edge_of(world, subject, &key).is_none() {
                    let (predicate, object) = key;
                    sync::spawn_relation(world, subject, Relation { predicate, object, attitude: None });
                }
            });
        })
    }

    fn unrelate(&mut self, predicate: &str, object: impl Into<Target>) -> &mut Self {
        let (predicate, object) = (predicate.to_owned(), object.into());
        self.queue(move |mut entity: EntityWorldMut| {
            let Some(key) = key_of(&mut entity, &predicate, &object) else { return };
            let subject = entity.id();
            entity.world_scope(|world| {
                sync::unrelate(world, subject, &key);
                world.resource_mut::<Steps>().wake();
                world.resource_scope(|world, mut outbox: Mut<Outbox>| {
                    if let Some(mut shadow) = world.get_mut::<Shadow>(subject)
                        && shadow.relations.remove(&key).is_some()
                    {
                        sync::relates(&mut shadow, &mut outbox, key, false);
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
        self.set_attribute(attribute::CONDITION, "dead")
    }

    fn forget(&mut self, fact: impl Into<String>) -> &mut Self {
        let fact = fact.into();
        self.trigger(|entity| Happens::new(entity, Deed::Forget { fact }))
    }

    fn erase(&mut self) {
        self.queue(|entity: EntityWorldMut| {
            let id = entity.get::<MemoryId>().map(|id| id.as_str().to_owned());
            let entity_id = entity.id();
            let world = entity.into_world_mut();
            if let Some(id) = id.filter(|id| !id.is_empty()) {
                happenings::edit(world, Edit::RemoveEntity { entity: id }, Author::Game);
            }
            world.despawn(entity_id);
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
                let what = format!("`{name}` names no attribute: use lowercase words joined by `_`");
                return trouble(&mut entity, what);
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

fn trouble(entity: &mut EntityWorldMut, what: String) {
    tracing::warn!("{what}");
    let of = Some(entity.id());
    entity.world_scope(|world| world.write_message(MemoryTrouble { what, entity: of }));
}

/// The id of a target; says so where there is none.
fn id_of(entity: &mut EntityWorldMut, target: &Target) -> Option<EntityId> {
    let id = match target {
        Target::Named(name) => EntityId::from_name(name).ok(),
        Target::Entity(other) => entity.world().get::<MemoryId>(*other).and_then(|id| id.get().cloned()),
    };
    if id.is_none() {
        trouble(entity, format!("{target:?} has no id in the memory yet: give it a `MemoryId`"));
    }
    id
}

fn key_of(entity: &mut EntityWorldMut, predicate: &str, object: &Target) -> Option<(Predicate, EntityId)> {
    let object = id_of(entity, object)?;
    match Predicate::new(predicate) {
        Ok(predicate) if predicate.is_relation() => Some((predicate, object)),
        _ => {
            trouble(entity, format!("`{predicate}` names no relation: write it LIKE_THIS"));
            None
        }
    }
}
