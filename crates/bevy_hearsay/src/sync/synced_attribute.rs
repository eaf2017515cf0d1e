//! Components of the game that are stored as attributes.

use bevy::{
    ecs::{change_detection::Tick, system::SystemChangeTick},
    platform::collections::HashSet,
    prelude::*,
};
use hearsay_model::{Audience, Predicate, Value};

use super::{
    collect,
    compare::set_attribute,
    outbox::Outbox,
    registry::Registry,
    settings::PollClock,
    shadow::Shadow,
    synced_types::{SyncedType, SyncedTypes},
};
use crate::schedule::{Activity, CollectSystems, PluginName, is_installed, schedules};

/// A component of the game that the plugin stores as an attribute of the entity. The memory treats the attribute like
/// every other fact: its value is saved, and a change of its value can be undone.
///
/// By default, the value is private: only the entity itself knows the value, gossip does not spread it, and no answer
/// contains it. If characters can notice the value or talk about it, set [`AUDIENCE`](Self::AUDIENCE) and
/// [`IN_PROMPTS`](Self::IN_PROMPTS).
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
///     // Everyone who lives with the character notices its mood.
///     const AUDIENCE: Audience = Audience::Local;
///     const IN_PROMPTS: bool = true;
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
/// App::new().sync_attribute::<Mood>();
/// ```
pub trait SyncedAttribute: Component {
    /// Name of the attribute: lowercase words joined by `_`.
    const ATTRIBUTE: &'static str;

    /// The characters that know the value. This constant takes precedence over the audience rules of the campaign. The
    /// default is [`Audience::Private`]: only the entity itself knows the value, if it is a character.
    const AUDIENCE: Audience = Audience::Private;

    /// Whether a character that knows the value is allowed to use the value in answers. Answers can become part of the
    /// prompts of language models. The default is `false`.
    const IN_PROMPTS: bool = false;

    /// Returns the value to store. A text value must not be empty.
    fn to_value(&self) -> Value;

    /// Creates the component from a stored value. Returns `None` if the value is not valid for this component.
    fn from_value(value: &Value) -> Option<Self>
    where
        Self: Sized;
}

/// Adds a method to [`App`] that registers a component as a synced attribute.
pub trait SyncedAttributeAppExt {
    /// Stores a component of the game as an attribute of its entity. The plugin detects in the same frame that the game
    /// inserted or removed the component. If the game changes a value in the component, the plugin detects this change
    /// within the interval [`SyncSettings::poll`](crate::SyncSettings::poll). You can call this method before or after
    /// you add [`HearsayPlugins`](crate::HearsayPlugins). Without [`SyncPlugin`](crate::SyncPlugin), the component is
    /// not stored.
    fn sync_attribute<T: SyncedAttribute>(&mut self) -> &mut Self;
}

impl SyncedAttributeAppExt for App {
    fn sync_attribute<T: SyncedAttribute>(&mut self) -> &mut Self {
        let attribute = match Predicate::new(T::ATTRIBUTE) {
            Ok(name) if !name.is_relation() => name,
            _ => {
                tracing::error!(
                    "`{}` is not a valid attribute name, so the component is not synced: use lowercase words joined by `_`",
                    T::ATTRIBUTE
                );
                return self;
            }
        };
        let mut types = self.world_mut().get_resource_or_init::<SyncedTypes>();
        if types.contains(&attribute) {
            tracing::error!(
                "`{}` is already synced with another component, so this component is not synced: choose another attribute",
                T::ATTRIBUTE
            );
            return self;
        }
        types.add(SyncedType {
            attribute,
            audience: T::AUDIENCE,
            in_prompts: T::IN_PROMPTS,
            add_systems: add_systems::<T>,
            collect: |world| collect::run(world, collect_attribute::<T>),
            read: read::<T>,
            write: write::<T>,
            mark_changed: mark_changed::<T>,
        });
        self.init_resource::<ChangedComponents<T>>();
        // If the app has no `SyncPlugin` yet, the plugin adds the systems later.
        if is_installed(self.world(), PluginName::Sync) {
            add_systems::<T>(self);
        }
        self
    }
}

/// Adds the systems and observers of a component.
fn add_systems<T: SyncedAttribute>(app: &mut App) {
    let send = schedules(app).send;
    let audiences = app.world().resource::<SyncedTypes>().audiences();
    app.world_mut().resource_mut::<Outbox>().audiences = audiences.into();
    // The systems of several components can run in any order, because each component has its own attribute.
    let system = collect_attribute::<T>.in_set(CollectSystems::Attributes).ambiguous_with(CollectSystems::Attributes);
    app.add_observer(on_insert::<T>).add_observer(on_remove::<T>).add_systems(send, system);
}

/// Entities whose component `T` may have changed.
#[derive(Resource)]
struct ChangedComponents<T> {
    entities: HashSet<Entity>,
    /// Change tick of the world when components were last checked for mutations.
    last_tick: Option<Tick>,
    component: std::marker::PhantomData<fn(T)>,
}

impl<T> Default for ChangedComponents<T> {
    fn default() -> Self {
        Self { entities: HashSet::default(), last_tick: None, component: std::marker::PhantomData }
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
                tracing::warn!(
                    "{entity}: `{value}` is not a valid value of `{}`, so its component is unchanged",
                    T::ATTRIBUTE
                )
            }
        },
    }
}

fn mark_changed<T: SyncedAttribute>(world: &mut World, entity: Entity) {
    world.resource_mut::<ChangedComponents<T>>().entities.insert(entity);
}

fn on_insert<T: SyncedAttribute>(
    on: On<Insert, T>,
    mut changed: ResMut<ChangedComponents<T>>,
    mut activity: ResMut<Activity>,
) {
    activity.wake();
    changed.entities.insert(on.entity);
}

fn on_remove<T: SyncedAttribute>(
    on: On<Remove, T>,
    mut shadows: Query<&mut Shadow>,
    registry: Res<Registry>,
    outbox: Option<ResMut<Outbox>>,
) {
    let (Ok(mut shadow), Some(mut outbox)) = (shadows.get_mut(on.entity), outbox) else { return };
    // Despawning must not remove the attribute from the memory. A despawned entity is either no longer bound, or is the
    // entity in `Registry::despawning`.
    if registry.despawning == Some(on.entity) || registry.entity(&shadow.id) != Some(on.entity) {
        return;
    }
    if let Ok(name) = Predicate::new(T::ATTRIBUTE)
        && shadow.attributes.contains_key(&name)
    {
        set_attribute(&mut shadow, &mut outbox, name, None);
    }
}

/// Finds components that the game mutated, if it is time to check them. Compares all components that may have changed.
fn collect_attribute<T: SyncedAttribute>(
    mut changed: ResMut<ChangedComponents<T>>,
    components: Query<(Entity, Ref<T>), With<Shadow>>,
    mut entities: Query<(&T, &mut Shadow)>,
    mut outbox: ResMut<Outbox>,
    poll: PollClock,
    tick: SystemChangeTick,
) {
    let changed = changed.as_mut();
    if poll.is_due() {
        let last_tick = changed.last_tick.replace(tick.this_run());
        let is_changed = |component: &Ref<T>| {
            last_tick.is_none_or(|last| component.last_changed().is_newer_than(last, tick.this_run()))
        };
        let mutated = components.iter().filter(|(_, component)| is_changed(component));
        changed.entities.extend(mutated.map(|(entity, _)| entity));
    }
    if changed.entities.is_empty() || !poll.is_memory_open() {
        return;
    }
    let Ok(name) = Predicate::new(T::ATTRIBUTE) else { return };
    let mut entities_changed: Vec<Entity> = changed.entities.drain().collect();
    entities_changed.sort_unstable();
    for entity in entities_changed {
        let Ok((component, mut shadow)) = entities.get_mut(entity) else { continue };
        let value = component.to_value();
        if shadow.attributes.get(&name) != Some(&value) {
            set_attribute(&mut shadow, &mut outbox, name.clone(), Some(value));
        }
    }
}
