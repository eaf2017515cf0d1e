//! Current canon values of an entity, for use in a game.

use std::collections::{BTreeMap, BTreeSet};

use hearsay_model::{EntityId, Key, Kind, Object, Predicate, PredicateRole, State, Value, attribute};
use serde::Serialize;

/// Attributes that [`Record::attributes`] omits, because they are texts about the entity or have many values.
const HIDDEN_ATTRIBUTES: [&str; 6] =
    [attribute::NAME, attribute::KIND, attribute::ALIAS, attribute::DESCRIPTION, attribute::LORE, attribute::TAG];

/// An entity for display in a game: its current canon facts, including secrets.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Record {
    /// Id of the entity.
    pub id: EntityId,
    /// Kind of the entity; `None` if the kind is unknown.
    pub kind: Option<Kind>,
    /// Name of the entity; `None` if the entity has no name.
    pub name: Option<String>,
    /// Current place of the entity; `None` if the place is unknown.
    pub place: Option<EntityId>,
    /// Newest value of each attribute. Omits the name, kind, aliases, tags, description and lore of the entity.
    pub attributes: BTreeMap<Predicate, Value>,
    /// Relations to other entities, except the location of the entity. The key is the predicate and the other entity.
    /// The value is the entity's attitude to the other entity, −100 to 100, or `None` if the relation states no
    /// attitude.
    pub relations: BTreeMap<(Predicate, EntityId), Option<i8>>,
}

impl Record {
    /// Reads the current values of an entity from the state. Returns `None` if there is no entity with this id.
    pub fn from_state(state: &State, id: &EntityId) -> Option<Self> {
        state.entity(id)?;
        let newest = state.newest_by_predicate(id);
        let text_value = |name: &str| {
            newest.iter().find(|(predicate, _)| **predicate == name).and_then(|(_, fact)| fact.object().text())
        };
        let attributes = newest.iter().filter(|(name, _)| !HIDDEN_ATTRIBUTES.contains(&name.as_str()));
        let attributes = attributes.filter_map(|(name, fact)| match fact.object() {
            Object::Value(value) => Some(((*name).clone(), value.clone())),
            Object::Entity(_) => None,
        });
        let relation_facts = newest.keys().filter(|name| name.is_relation() && !PredicateRole::Location.is(name));
        let relation_facts = relation_facts.flat_map(|name| state.values(id, name));
        let relations = relation_facts.filter_map(|fact| {
            let attitude = fact.attitude().map(hearsay_model::Attitude::get);
            Some(((fact.predicate().clone(), fact.object().entity()?.clone()), attitude))
        });
        let location = newest.iter().find(|(name, _)| PredicateRole::Location.is(name));
        Some(Self {
            id: id.clone(),
            kind: text_value(attribute::KIND).map(Kind::from),
            name: text_value(attribute::NAME).map(str::to_owned),
            place: location.and_then(|(_, fact)| fact.object().entity()).cloned(),
            attributes: attributes.collect(),
            relations: relations.collect(),
        })
    }
}

/// Returns the entities whose [`Record`] may have changed. `touched` contains the keys of the changed records of the
/// state.
pub fn touched_entities(state: &State, touched: &[Key]) -> BTreeSet<EntityId> {
    let entity = |key: &Key| match key {
        Key::Entity(id) => Some(id.clone()),
        Key::Fact(id) => state.asserted(*id).map(|fact| fact.subject().clone()),
        _ => None,
    };
    touched.iter().filter_map(entity).collect()
}
