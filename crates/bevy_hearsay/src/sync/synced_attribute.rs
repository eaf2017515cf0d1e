//! A game's own components, stored as facts.

use std::sync::Arc;

use bevy::{platform::collections::HashSet, prelude::*};
use hearsay_model::{Predicate, Value};

use super::{Outbox, Registry, Shadow, collect};
use crate::steps::{Step, Steps, StepsAppExt};

/// A component of the game that is stored as an attribute. Its value is saved, undone and reviewed like every other
/// fact, and characters can know it.
///
/// ```
/// use bevy::prelude::*;
/// use bevy_hearsay::prelude::*;
///
/// #[derive(Component)]
/// struct Mood(String);
///
/// impl SyncedAttribute for Mood {
///     const ATTRIBUTE: &'static str = "mood";
///
///     fn to_value(&self) -> Value {
///         Value::from(self.0.as_str())
///     }
///
///     fn from_value(value: &Value) -> Option<Self> {
///         Some(Self(value.to_string()))
///     }
/// }
///
/// App::new().remember::<Mood>();
/// ```
pub trait SyncedAttribute: Component {
    /// Name of the attribute: lowercase words joined by `_`.
    const ATTRIBUTE: &'static str;

    /// Returns the value to store. Text must not be empty.
    fn to_value(&self) -> Value;

    /// Makes the component from a stored value. Returns `None` if the value is not valid for this component.
    fn from_value(value: &Value) -> Option<Self>
    where
        Self: Sized;
}

/// Registers components that are stored as attributes.
pub trait RememberAppExt {
    /// Stores a component of the game as an attribute of its entity. Insertions and removals are seen at once; changes
    /// in place are seen within [`SyncPlugin::poll`](crate::SyncPlugin::poll). Call this method before or after adding
    /// [`HearsayPlugins`](crate::HearsayPlugins).
    fn remember<T: SyncedAttribute>(&mut self) -> &mut Self;
}

impl RememberAppExt for App {
    fn remember<T: SyncedAttribute>(&mut self) -> &mut Self {
        let attribute = match Predicate::new(T::ATTRIBUTE) {
            Ok(name) if !name.is_relation() => name,
            _ => {
                tracing::error!(
                    "`{}` names no attribute: use lowercase words joined by `_`; it is not kept",
                    T::ATTRIBUTE
                );
                return self;
            }
        };
        self.init_resource::<Touched<T>>();
        let mut types = self.world_mut().get_resource_or_init::<RememberedTypes>();
        if types.holds(&attribute) {
            tracing::error!("`{}` is kept by another component already", T::ATTRIBUTE);
            return self;
        }
        let kept = Type { attribute, read: read::<T>, write: write::<T>, touch: touch_one::<T> };
        types.0 = Arc::new(types.0.iter().cloned().chain([kept]).collect());
        self.add_observer(inserted::<T>)
            .add_observer(removed::<T>)
            .add_step(Step::PollOwn, collect::poll_is_due, poll::<T>)
            .add_step(Step::CompareOwn, has_work::<T>, compare::<T>)
    }
}

#[derive(Clone)]
struct Type {
    attribute: Predicate,
    read: fn(EntityRef) -> Option<Value>,
    write: fn(&mut World, Entity, Option<&Value>),
    touch: fn(&mut World, Entity),
}

/// The registered component types.
#[derive(Resource, Clone, Default)]
pub(crate) struct RememberedTypes(Arc<Vec<Type>>);

impl RememberedTypes {
    /// Returns whether an attribute belongs to a registered component type.
    pub(crate) fn holds(&self, name: &Predicate) -> bool {
        self.0.iter().any(|kept| kept.attribute == *name)
    }

    /// Returns whether the component has this value, or the entity lacks the component.
    pub(crate) fn shows(&self, entity: EntityRef, name: &Predicate, value: Option<&Value>) -> bool {
        let kept = self.0.iter().find(|kept| kept.attribute == *name);
        kept.and_then(|kept| (kept.read)(entity)).is_none_or(|shown| Some(&shown) == value)
    }

    /// Returns the values of the registered components of an entity.
    pub(crate) fn read_all(&self, entity: EntityRef) -> Vec<(Predicate, Value)> {
        self.0.iter().filter_map(|kept| Some((kept.attribute.clone(), (kept.read)(entity)?))).collect()
    }

    /// Inserts every registered component that has a value.
    pub(crate) fn show(
        &self,
        world: &mut World,
        entity: Entity,
        values: &std::collections::BTreeMap<Predicate, Value>,
    ) {
        for kept in self.0.iter() {
            if let Some(value) = values.get(&kept.attribute) {
                (kept.write)(world, entity, Some(value));
            }
        }
    }

    /// Inserts the component of an attribute, or removes it.
    pub(crate) fn write(&self, world: &mut World, entity: Entity, name: &Predicate, value: Option<&Value>) {
        if let Some(kept) = self.0.iter().find(|kept| kept.attribute == *name) {
            (kept.write)(world, entity, value);
        }
    }
}

/// Schedules a comparison of the registered components of a newly bound entity.
pub(crate) fn touch(world: &mut World, entity: Entity) {
    let types = world.resource::<RememberedTypes>().clone();
    types.0.iter().for_each(|kept| (kept.touch)(world, entity));
}

/// Entities whose component may have changed.
#[derive(Resource)]
struct Touched<T> {
    entities: HashSet<Entity>,
    of: std::marker::PhantomData<fn(T)>,
}

impl<T> Default for Touched<T> {
    fn default() -> Self {
        Self { entities: HashSet::default(), of: std::marker::PhantomData }
    }
}

fn read<T: SyncedAttribute>(entity: EntityRef) -> Option<Value> {
    entity.get::<T>().map(T::to_value)
}

fn write<T: SyncedAttribute>(world: &mut World, entity: Entity, value: Option<&Value>) {
    let Ok(mut target) = world.get_entity_mut(entity) else { return };
    match value {
        None => _ = target.remove::<T>(),
        Some(value) if target.get::<T>().map(T::to_value).as_ref() == Some(value) => {}
        Some(value) => match T::from_value(value) {
            Some(component) => _ = target.insert(component),
            None => {
                tracing::warn!("{entity}: `{value}` is no value of `{}`, so its component stays as it is", T::ATTRIBUTE)
            }
        },
    }
}

fn touch_one<T: SyncedAttribute>(world: &mut World, entity: Entity) {
    world.resource_mut::<Touched<T>>().entities.insert(entity);
}

fn inserted<T: SyncedAttribute>(on: On<Insert, T>, mut changed: ResMut<Touched<T>>, mut steps: ResMut<Steps>) {
    steps.wake();
    changed.entities.insert(on.entity);
}

fn removed<T: SyncedAttribute>(
    on: On<Remove, T>,
    mut shadows: Query<&mut Shadow>,
    registry: Res<Registry>,
    outbox: Option<ResMut<Outbox>>,
) {
    let (Ok(mut shadow), Some(mut outbox)) = (shadows.get_mut(on.entity), outbox) else { return };
    // Despawning changes nothing in the memory: at this point the entity is no longer bound, or is being despawned.
    if registry.leaving == Some(on.entity) || registry.entity(&shadow.id) != Some(on.entity) {
        return;
    }
    if let Ok(name) = Predicate::new(T::ATTRIBUTE)
        && shadow.attributes.contains_key(&name)
    {
        collect::set_attribute(&mut shadow, &mut outbox, name, None);
    }
}

fn has_work<T: SyncedAttribute>(world: &World) -> bool {
    !world.resource::<Touched<T>>().entities.is_empty() && super::fetch::is_open(world)
}

/// Finds components that changed in place.
fn poll<T: SyncedAttribute>(mut touched: ResMut<Touched<T>>, changed: Query<Entity, (Changed<T>, With<Shadow>)>) {
    touched.entities.extend(&changed);
}

fn compare<T: SyncedAttribute>(
    mut changed: ResMut<Touched<T>>,
    mut entities: Query<(&T, &mut Shadow)>,
    mut outbox: ResMut<Outbox>,
) {
    let Ok(name) = Predicate::new(T::ATTRIBUTE) else { return };
    let mut entities_changed: Vec<Entity> = changed.entities.drain().collect();
    entities_changed.sort_unstable();
    for entity in entities_changed {
        let Ok((component, mut shadow)) = entities.get_mut(entity) else { continue };
        let value = component.to_value();
        if shadow.attributes.get(&name) != Some(&value) {
            collect::set_attribute(&mut shadow, &mut outbox, name.clone(), Some(value));
        }
    }
}
