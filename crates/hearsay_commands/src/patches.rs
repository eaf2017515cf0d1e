//! Patches: a game uses patches to update some values of its entities.
//!
//! A [`Record`] contains the current values of one entity. A [`Patch`] changes some of these values. Many patches are
//! combined into one operation. The operation adds the new facts with their knowers, and ends the older facts.

use std::{collections::BTreeMap, sync::Arc};

use hearsay_belief::{EntityLookup, default_audience};
use hearsay_model::{
    Attitude, Audience, Author, Change, Date, Entity, EntityId, Fact, FactBuilder, GameSetting, GameTime, History,
    Kind, Knower, KnowledgeEdge, Method, Object, Operation, Predicate, PredicateRole, Provenance, Secrecy, Setting,
    State, Timestamp, TransientChange, TransientUpdate, TransientValue, Validity, Value, attribute, words,
};
use hearsay_query::{ids::require_entity, records::Record, resolve::public_name};

use crate::CommandError;

/// Partial update of an entity; omitted fields are unchanged.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Patch {
    /// Kind and name of the entity if the patch has to create the entity. If `create` is `None` and the entity does not
    /// exist, the patch fails. Existing entities stay unchanged.
    pub create: Option<EntityCreation>,
    /// New kind of the entity; `None` if the kind does not change.
    pub kind: Option<Kind>,
    /// New name of the entity; `None` if the name does not change.
    pub name: Option<String>,
    /// Change of the entity's place.
    pub place: PlaceUpdate,
    /// New values of attributes. `None` ends the current value of the attribute.
    pub attributes: BTreeMap<Predicate, Option<Value>>,
    /// Changed relations to other entities. The key is the predicate and the other entity.
    pub relations: BTreeMap<(Predicate, EntityId), RelationUpdate>,
}

/// Kind and name of an entity that a patch creates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntityCreation {
    /// Kind of the entity, unless [`Patch::kind`] contains another kind.
    pub kind: Kind,
    /// Name of the entity, unless [`Patch::name`] contains another name. If neither contains a name, the id of the
    /// entity becomes its name.
    pub name: Option<String>,
}

/// Change of the place of an entity.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum PlaceUpdate {
    /// The place does not change.
    #[default]
    Unchanged,
    /// The place becomes unknown.
    Unknown,
    /// The entity moves to a place.
    At(EntityId),
}

impl PlaceUpdate {
    /// Returns the new place; `None` if the place does not change or becomes unknown.
    pub fn place(&self) -> Option<&EntityId> {
        match self {
            Self::Unchanged | Self::Unknown => None,
            Self::At(place) => Some(place),
        }
    }
}

/// Converts a new place; `None` becomes an unknown place.
impl From<Option<EntityId>> for PlaceUpdate {
    fn from(place: Option<EntityId>) -> Self {
        place.map_or(Self::Unknown, Self::At)
    }
}

/// Change of a relation between two entities.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RelationUpdate {
    /// The relation ends.
    End,
    /// The relation begins, or its attitude changes.
    Set {
        /// Attitude of the entity to the other entity, −100 to 100; `None` for a relation without an attitude.
        attitude: Option<i8>,
    },
}

impl Patch {
    /// Merges a later patch into this patch. The values of the later patch override the values of this patch.
    pub fn merge_later(&mut self, later: Self) {
        self.create = later.create.or(self.create.take());
        self.kind = later.kind.or(self.kind.take());
        self.name = later.name.or(self.name.take());
        if later.place != PlaceUpdate::Unchanged {
            self.place = later.place;
        }
        self.attributes.extend(later.attributes);
        self.relations.extend(later.relations);
    }

    /// Returns whether a record already has all values of the patch. Ignores `create`.
    pub fn holds_in(&self, record: &Record) -> bool {
        self.kind.as_ref().is_none_or(|kind| record.kind.as_ref() == Some(kind))
            && self.name.as_ref().is_none_or(|name| record.name.as_ref() == Some(name))
            && (self.place == PlaceUpdate::Unchanged || record.place.as_ref() == self.place.place())
            && self.attributes.iter().all(|(name, value)| record.attributes.get(name) == value.as_ref())
            && self.relations.iter().all(|(key, relation)| match relation {
                RelationUpdate::End => !record.relations.contains_key(key),
                RelationUpdate::Set { attitude } => record.relations.get(key) == Some(attitude),
            })
    }

    /// Returns whether the patch has no fields.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// A field of a patch that could not be written. All other fields of the patch are written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefusedField {
    /// Entity that the patch updates.
    pub entity: EntityId,
    /// Reason why the field could not be written.
    pub why: String,
}

/// Patches that are combined into one operation.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Patches {
    /// Entities and their patches. If an entity has several patches, later patches override earlier patches.
    pub entities: Vec<(EntityId, Patch)>,
    /// New time of the game clock; `None` if the clock does not change.
    pub clock: Option<GameTime>,
    /// Audiences of attributes. They override the audience rules of the campaign. The values of a
    /// [private](Audience::Private) attribute are secrets: only the subject knows the values, if the subject is a
    /// character. Gossip does not spread these values.
    pub audiences: Arc<BTreeMap<Predicate, Audience>>,
}

impl Patches {
    /// Returns whether there are neither patches nor a new time of the game clock.
    pub fn is_empty(&self) -> bool {
        self.entities.is_empty() && self.clock.is_none()
    }

    /// Compares the patches with the state. Returns the writes that are needed to apply the patches, and the fields
    /// that cannot be written. There are no writes if the state already contains all values.
    ///
    /// If the author is the game, values of predicates without a full [`History`] become transient values. All other
    /// values become recorded facts.
    pub fn plan(&self, state: &State, author: Author, now: Timestamp) -> PatchPlan {
        let time = self.clock.or_else(|| state.clock());
        let date = Date { raw: time.map_or_else(String::new, |time| state.calendar().format(time)), time };
        let mut patches = BTreeMap::<EntityId, Patch>::new();
        for (id, patch) in &self.entities {
            patches.entry(id.clone()).or_default().merge_later(patch.clone());
        }
        let is_transient = author == Author::Game && patches.len() <= MAX_TRANSIENT;
        let mut writer = Writer {
            state,
            patches: &patches,
            audiences: &self.audiences,
            author: &author,
            now,
            date,
            is_transient,
            changes: Vec::new(),
            transients: TransientUpdate::default(),
        };
        if let Some(clock) = self.clock.filter(|clock| state.clock() != Some(*clock)) {
            if is_transient {
                writer.transients.clock = Some(clock);
            } else {
                writer.changes.push(Change::Set(Setting::Game(GameSetting::Clock(clock))));
            }
        }
        let mut refused = Vec::new();
        // Adds all new entities first, because relations may refer to them.
        let new_entities: Vec<_> = patches.iter().filter(|(id, _)| state.entity(id).is_none()).collect();
        let new_entities = new_entities.into_iter().filter_map(|(id, patch)| Some((id, patch, patch.create.as_ref()?)));
        writer.changes.extend(new_entities.clone().map(|(id, ..)| Change::AddEntity(Entity::new(id.clone()))));
        for (id, patch, creation) in new_entities {
            let kind = patch.kind.as_ref().unwrap_or(&creation.kind);
            let name = patch.name.as_ref().or(creation.name.as_ref()).map(|name| name.trim());
            let name = name.filter(|name| !name.is_empty()).unwrap_or(id.as_str());
            for (name, value) in [(attribute::NAME, name), (attribute::KIND, kind.as_str())] {
                if let Err(error) = writer.attribute(id, name, Some(&value.into())) {
                    refused.push(RefusedField { entity: id.clone(), why: error.to_string() });
                }
            }
        }
        for (id, patch) in &patches {
            let reasons = writer.patch(id, patch);
            refused.extend(reasons.into_iter().map(|why| RefusedField { entity: id.clone(), why }));
        }
        let Writer { changes, transients, .. } = writer;
        let change_count = words::count(changes.len(), "change", "changes");
        let summary = match &patches.keys().collect::<Vec<_>>()[..] {
            [] => "set the clock".to_owned(),
            [one] => format!("{}: {change_count}", state.name_or_id(one)),
            more => format!("{} entities: {change_count}", more.len()),
        };
        PatchPlan { operation: Operation { author, recorded: now, summary, changes }, transients, refused }
    }
}

/// Maximum number of entities in an operation with transient values. These values are written in one transaction, which
/// must stay below a few MiB. In a larger operation, all values are therefore recorded as facts.
const MAX_TRANSIENT: usize = 8_000;

/// Plan of the writes that apply patches to a state.
#[derive(Debug, Clone, PartialEq)]
pub struct PatchPlan {
    /// Operation for the journal. The operation has no changes if there is nothing to record in the journal.
    pub operation: Operation,
    /// Transient values: values that are stored outside the journal and without a history.
    pub transients: TransientUpdate,
    /// Fields that could not be written.
    pub refused: Vec<RefusedField>,
}

/// Computes the changes for a set of patches.
struct Writer<'a> {
    state: &'a State,
    patches: &'a BTreeMap<EntityId, Patch>,
    audiences: &'a BTreeMap<Predicate, Audience>,
    author: &'a Author,
    now: Timestamp,
    date: Date,
    /// Whether values of predicates without a full history are stored as transient values.
    is_transient: bool,
    changes: Vec<Change>,
    transients: TransientUpdate,
}

/// Kinds and places after the patches, including those of new entities.
impl EntityLookup for Writer<'_> {
    fn kind(&self, id: &EntityId) -> Option<Kind> {
        let patch = self.patches.get(id);
        let new = || patch.and_then(|patch| patch.kind.clone().or_else(|| Some(patch.create.clone()?.kind)));
        self.state.kind(id).or_else(new)
    }

    fn home(&self, id: &EntityId) -> Option<EntityId> {
        EntityLookup::home(self.state, id)
    }

    fn place(&self, id: &EntityId) -> Option<EntityId> {
        let new = self.patches.get(id).and_then(|patch| patch.place.place().cloned());
        EntityLookup::place(self.state, id).or(new)
    }
}

impl Writer<'_> {
    fn exists(&self, id: &EntityId) -> bool {
        let is_new = || self.patches.get(id).is_some_and(|patch| patch.create.is_some());
        self.state.entity(id).is_some() || is_new()
    }

    /// Writes the fields of an entity. Returns the reasons why fields could not be written.
    fn patch(&mut self, id: &EntityId, patch: &Patch) -> Vec<String> {
        if !self.exists(id) {
            return vec![format!("entity `{id}` does not exist any more; spawn it again, with a kind")];
        }
        let is_new = self.state.entity(id).is_none();
        let mut reasons = Vec::new();
        let mut record_error =
            |result: Result<(), CommandError>| reasons.extend(result.err().map(|error| error.to_string()));
        if let Some(kind) = patch.kind.as_ref().filter(|_| !is_new) {
            record_error(self.attribute(id, attribute::KIND, Some(&kind.as_str().into())));
        }
        if let Some(name) = patch.name.as_ref().filter(|_| !is_new) {
            record_error(self.attribute(id, attribute::NAME, Some(&name.as_str().into())));
        }
        for (name, value) in &patch.attributes {
            record_error(self.attribute(id, name.as_str(), value.as_ref()));
        }
        if patch.place != PlaceUpdate::Unchanged {
            record_error(self.set_place(id, patch.place.place()));
        }
        for ((name, object), relation) in &patch.relations {
            record_error(match relation {
                RelationUpdate::Set { attitude } => self.set_relation(id, name, object, *attitude),
                RelationUpdate::End => self.end_relation(id, name, object),
            });
        }
        reasons
    }

    fn attribute(&mut self, id: &EntityId, name: &str, value: Option<&Value>) -> Result<(), CommandError> {
        let name = Predicate::new(name)?;
        self.set_value(id, &name, value.map(|value| Object::Value(value.clone())))
    }

    fn set_place(&mut self, id: &EntityId, place: Option<&EntityId>) -> Result<(), CommandError> {
        self.check_object_exists(place)?;
        self.set_value(id, PredicateRole::Location.predicate(), place.map(|place| Object::Entity(place.clone())))
    }

    fn check_object_exists(&self, object: Option<&EntityId>) -> Result<(), CommandError> {
        match object.filter(|id| !self.exists(id)) {
            Some(id) => Ok(require_entity(self.state, id)?),
            None => Ok(()),
        }
    }

    /// Replaces the old values with a new value, or ends them if `object` is `None`. If the predicate allows several
    /// values at a time, a new value ends only the newest old value.
    fn set_value(&mut self, id: &EntityId, name: &Predicate, object: Option<Object>) -> Result<(), CommandError> {
        let newest = self.state.newest(id, name.as_str());
        if newest.map(Fact::object) == object.as_ref() {
            return Ok(());
        }
        let new_fact = object.map(|object| self.fact(id, name, object)).transpose()?;
        if self.is_transient && self.state.vocabulary().history(name) != History::Full {
            self.replace_with_transient(id, name, new_fact);
            return Ok(());
        }
        let ends_all = self.state.is_functional(name) || new_fact.is_none();
        let ended_facts = match ends_all {
            true => self.state.values(id, name),
            false => newest.into_iter().collect(),
        };
        let new_object = new_fact.as_ref().map(Fact::object);
        self.end(ended_facts.into_iter().filter(|fact| Some(fact.object()) != new_object));
        if let Some(fact) = new_fact {
            self.assert(fact);
        }
        Ok(())
    }

    /// Replaces the old values with a transient value. Ends old values that are recorded facts.
    fn replace_with_transient(&mut self, id: &EntityId, name: &Predicate, new_fact: Option<Fact>) {
        let values = self.state.values(id, name);
        let (transient, recorded): (Vec<_>, Vec<_>) =
            values.into_iter().partition(|fact| self.state.is_transient(fact.id()));
        self.end(recorded.into_iter());
        // If a fact with this value and start was recorded before, the new fact has the same id. The recorded fact is
        // then asserted again.
        let is_recorded = new_fact.as_ref().is_some_and(|fact| self.state.asserted(fact.id()).is_some());
        let value = match new_fact {
            Some(fact) if is_recorded => {
                self.assert(fact);
                None
            }
            Some(fact) => {
                let knowers = self.knowers(&fact);
                Some(TransientValue { fact: Arc::new(fact), knowers })
            }
            None => None,
        };
        if value.is_some() || !transient.is_empty() {
            let (subject, predicate) = (id.clone(), name.clone());
            self.transients.values.push(TransientChange { subject, predicate, value });
        }
    }

    /// Starts a relation, or updates the attitude of a relation that already exists.
    fn set_relation(
        &mut self,
        id: &EntityId,
        name: &Predicate,
        object: &EntityId,
        attitude: Option<i8>,
    ) -> Result<(), CommandError> {
        let attitude = attitude.map(|attitude| Attitude::new(attitude.into())).transpose()?;
        let open_facts = self.state.values(id, name);
        let (same_object, others): (Vec<_>, Vec<_>) =
            open_facts.into_iter().partition(|fact| fact.object().entity() == Some(object));
        if same_object.is_empty() {
            self.check_object_exists(Some(object))?;
            let fact = self.fact(id, name, Object::Entity(object.clone()))?;
            if self.state.is_functional(name) {
                self.end(others.into_iter());
            }
            self.assert(fact.to_builder().attitude(attitude).build()?);
        }
        for fact in same_object.into_iter().filter(|fact| fact.attitude() != attitude) {
            // The attitude is not part of the id, so the knowledge edges of the fact remain.
            let updated = fact.to_builder().attitude(attitude).build()?;
            self.changes.push(Change::AssertFact(Arc::new(updated)));
        }
        Ok(())
    }

    fn end_relation(&mut self, id: &EntityId, name: &Predicate, object: &EntityId) -> Result<(), CommandError> {
        let open_facts = self.state.values(id, name);
        self.end(open_facts.into_iter().filter(|fact| fact.object().entity() == Some(object)));
        Ok(())
    }

    fn public_name_of<'s>(&'s self, id: &'s EntityId) -> &'s str {
        let patch = self.patches.get(id);
        let new_name =
            || patch.and_then(|patch| patch.name.as_deref().or_else(|| patch.create.as_ref()?.name.as_deref()));
        match self.state.entity(id) {
            Some(_) => public_name(self.state, id),
            None => new_name().unwrap_or(id.as_str()),
        }
    }

    fn fact(&self, id: &EntityId, name: &Predicate, object: Object) -> Result<Fact, CommandError> {
        let object_name = match &object {
            Object::Entity(object) => self.public_name_of(object).to_owned(),
            Object::Value(value) => value.to_string(),
        };
        // If the attribute is a name, the statement uses the new name as its subject, not the old one.
        let subject = if *name == *attribute::NAME { object_name.as_str() } else { self.public_name_of(id) };
        let statement = self.state.vocabulary().sentence(name, subject, &object_name);
        let provenance = Provenance {
            recorded: self.now,
            session: self.state.active_session().map(|playing| playing.session.clone()),
            ..Provenance::new(
                if *self.author == Author::Game { Method::Witnessed } else { Method::Authored },
                self.author.clone(),
            )
        };
        let builder = FactBuilder::new(id.clone(), name.clone(), object, provenance);
        // The initial values of a new entity have no start date.
        let start = Some(self.date.clone()).filter(|date| date.time.is_some() && self.state.entity(id).is_some());
        let secrecy = if self.is_private(name) { Secrecy::Secret } else { Secrecy::Open };
        Ok(builder.statement(statement).validity(Validity { from: start, until: None }).secrecy(secrecy).build()?)
    }

    fn end<'f>(&mut self, facts: impl Iterator<Item = &'f Fact>) {
        // Does not end a value that begins after the current game time.
        let now = self.date.time;
        let has_begun = |fact: &&Fact| fact.validity().start().is_none_or(|start| now.is_none_or(|now| start <= now));
        let until = &self.date;
        self.changes
            .extend(facts.filter(has_begun).map(|fact| Change::EndFact { fact: fact.id(), until: until.clone() }));
    }

    fn is_private(&self, name: &Predicate) -> bool {
        self.audiences.get(name) == Some(&Audience::Private)
    }

    fn knowers(&self, fact: &Fact) -> Vec<Knower> {
        if self.is_private(fact.predicate()) {
            // A group or a place does not know its secrets, because it would share them with its members or residents.
            let is_character = self.kind(fact.subject()).is_some_and(|kind| kind.is_character());
            return Vec::from_iter(is_character.then(|| Knower::from(fact.subject().clone())));
        }
        let by_rules = || self.state.vocabulary().audience(&self.state.audience_rules(), fact);
        let audience = self.audiences.get(fact.predicate()).copied().unwrap_or_else(by_rules);
        default_audience(audience, fact, self)
    }

    fn assert(&mut self, fact: Fact) {
        let known_by = self.knowers(&fact);
        let id = fact.id();
        self.changes.push(Change::AssertFact(Arc::new(fact)));
        let edges = known_by.into_iter().map(|knower| Change::Learn(Arc::new(KnowledgeEdge::authored(knower, id))));
        self.changes.extend(edges);
    }
}

#[cfg(test)]
mod tests;
