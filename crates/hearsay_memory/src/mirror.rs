//! What a game shows of entities, and what it changes of them: one value per field, as the world has it now.
//!
//! A [`Record`] is read from the state; a [`Patch`] names the fields of one entity that are to be otherwise. Many
//! patches make one operation, with the facts, the ends of older facts, and the knowledge that follow from them.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use hearsay_belief::{Surroundings, knowers};
use hearsay_model::{
    Author, Change, Date, Entity, EntityId, Fact, GameTime, History, Key, Kind, Knower, Knowledge, Method, Object,
    Operation, Predicate, Provenance, Setting, State, Timestamp, TransientChange, TransientUpdate, TransientValue,
    Validity, Value, attribute, predicate,
};
use serde::Serialize;

use crate::{
    MemoryError, Written,
    edit::{self, spoken_of},
};

/// Attributes that are text about an entity, or many at a time, and no value that a game reads.
const NOT_SHOWN: [&str; 6] =
    [attribute::NAME, attribute::KIND, attribute::ALIAS, attribute::DESCRIPTION, attribute::LORE, attribute::TAG];

/// An entity as a game shows it: what is canon and holds now, secret or not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Record {
    /// Its id.
    pub id: EntityId,
    /// What it is.
    pub kind: Option<Kind>,
    /// What it is called.
    pub name: Option<String>,
    /// Where it is.
    pub place: Option<EntityId>,
    /// Its attributes, the newest value of each; without its names and the texts about it.
    pub attributes: BTreeMap<Predicate, Value>,
    /// Its relations to others but for where it is, with how it feels about them (−100 to 100).
    pub relations: BTreeMap<(Predicate, EntityId), Option<i8>>,
}

impl Record {
    /// Reads an entity; nothing, when there is none of this id.
    pub fn of(state: &State, id: &EntityId) -> Option<Self> {
        state.entity(id)?;
        let newest = state.newest_of_each(id);
        let text = |name: &str| newest.iter().find(|(at, _)| **at == name).and_then(|(_, fact)| fact.object().text());
        let attributes = newest.iter().filter(|(name, _)| !NOT_SHOWN.contains(&name.as_str()));
        let attributes = attributes.filter_map(|(name, fact)| match fact.object() {
            Object::Value(value) => Some(((*name).clone(), value.clone())),
            Object::Entity(_) => None,
        });
        let related = newest.keys().filter(|name| name.is_relation() && ***name != *predicate::LOCATED_AT);
        let related = related.flat_map(|name| state.values(id, name));
        let relations = related.filter_map(|fact| {
            let attitude = fact.attitude().map(hearsay_model::Attitude::get);
            Some(((fact.predicate().clone(), fact.object().entity()?.clone()), attitude))
        });
        let here = newest.iter().find(|(name, _)| ***name == *predicate::LOCATED_AT);
        Some(Self {
            id: id.clone(),
            kind: text(attribute::KIND).map(Kind::from),
            name: text(attribute::NAME).map(str::to_owned),
            place: here.and_then(|(_, fact)| fact.object().entity()).cloned(),
            attributes: attributes.collect(),
            relations: relations.collect(),
        })
    }
}

/// The entities whose [`Record`] may be another since the records of these keys changed. Sorted.
pub fn touched_entities(state: &State, touched: &[Key]) -> BTreeSet<EntityId> {
    let entity = |key: &Key| match key {
        Key::Entity(id) => Some(id.clone()),
        Key::Fact(id) => state.asserted(*id).map(|fact| fact.subject().clone()),
        _ => None,
    };
    touched.iter().filter_map(entity).collect()
}

/// Fields of one entity that are to be otherwise. What is not named stays.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Patch {
    /// What the entity is and is called at first, if there is none of its id yet. Without it, that is a mistake.
    pub create: Option<(Kind, Option<String>)>,
    /// What it is.
    pub kind: Option<Kind>,
    /// What it is called.
    pub name: Option<String>,
    /// Where it is; nowhere that is known, when nothing is in it.
    pub place: Option<Option<EntityId>>,
    /// Its attributes; those without a value end.
    pub attributes: BTreeMap<Predicate, Option<Value>>,
    /// Its relations: whether each holds.
    pub relations: BTreeMap<(Predicate, EntityId), bool>,
}

impl Patch {
    /// Takes over what a later patch says.
    pub fn absorb(&mut self, later: Self) {
        self.create = later.create.or(self.create.take());
        self.kind = later.kind.or(self.kind.take());
        self.name = later.name.or(self.name.take());
        self.place = later.place.or(self.place.take());
        self.attributes.extend(later.attributes);
        self.relations.extend(later.relations);
    }

    /// Whether a record shows every field that it names as it says. What a patch adds is not compared.
    pub fn holds_in(&self, record: &Record) -> bool {
        self.kind.as_ref().is_none_or(|kind| record.kind.as_ref() == Some(kind))
            && self.name.as_ref().is_none_or(|name| record.name.as_ref() == Some(name))
            && self.place.as_ref().is_none_or(|place| record.place == *place)
            && self.attributes.iter().all(|(name, value)| record.attributes.get(name) == value.as_ref())
            && self.relations.iter().all(|(key, holds)| record.relations.contains_key(key) == *holds)
    }

    /// Whether it names no field.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// A field that could not be written. The other fields of its patches were.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// Whose field.
    pub entity: EntityId,
    /// What was wrong with it.
    pub why: String,
}

/// What became of patches.
#[derive(Debug, Clone, PartialEq)]
pub struct Patched {
    /// Their operation; nothing, where there was nothing to record.
    pub written: Option<Written>,
    /// Which write it was, as [`Event::Applied`](crate::Event::Applied) counts them; nothing, where all was so already.
    pub revision: Option<u64>,
    /// What could not be written.
    pub refused: Vec<Refused>,
}

/// The patches of one operation.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Patches {
    /// By entity, in any order. Of several for one entity, what a later one says counts.
    pub entities: Vec<(EntityId, Patch)>,
    /// What the game clock shows.
    pub clock: Option<GameTime>,
}

impl Patches {
    /// Whether there is nothing to write.
    pub fn is_empty(&self) -> bool {
        self.entities.is_empty() && self.clock.is_none()
    }

    /// The writes that make the state be so, with what of the patches cannot be. There are none where all is so.
    ///
    /// What a game says of predicates that keep no full [`History`] becomes transient values; everything else becomes
    /// facts.
    pub fn plan(&self, state: &State, author: Author, now: Timestamp) -> PatchPlan {
        let time = self.clock.or_else(|| state.clock());
        let date = Date { raw: time.map_or_else(String::new, |time| state.calendar().print(time)), time };
        let mut patches = BTreeMap::<EntityId, Patch>::new();
        for (id, patch) in &self.entities {
            patches.entry(id.clone()).or_default().absorb(patch.clone());
        }
        let is_transient = author == Author::Game && patches.len() <= MAX_TRANSIENT;
        let mut writer = Writer {
            state,
            patches: &patches,
            author: &author,
            now,
            date,
            is_transient,
            changes: Vec::new(),
            transients: TransientUpdate::default(),
        };
        if let Some(clock) = self.clock.filter(|clock| state.clock() != Some(*clock)) {
            match is_transient {
                true => writer.transients.clock = Some(clock),
                false => writer.changes.push(Change::Set(Setting::Clock(clock))),
            }
        }
        let mut refused = Vec::new();
        // All are added before any relates to another.
        let new: Vec<_> = patches.iter().filter(|(id, _)| state.entity(id).is_none()).collect();
        let new = new.into_iter().filter_map(|(id, patch)| Some((id, patch, patch.create.as_ref()?)));
        writer.changes.extend(new.clone().map(|(id, ..)| Change::AddEntity(Entity::new(id.clone()))));
        for (id, patch, (kind, called)) in new {
            let kind = patch.kind.as_ref().unwrap_or(kind);
            let named = patch.name.as_ref().or(called.as_ref()).map(|name| name.trim());
            let named = named.filter(|name| !name.is_empty()).unwrap_or(id.as_str());
            for (name, value) in [(attribute::NAME, named), (attribute::KIND, kind.as_str())] {
                if let Err(error) = writer.attribute(id, name, Some(&value.into())) {
                    refused.push(Refused { entity: id.clone(), why: error.to_string() });
                }
            }
        }
        for (id, patch) in &patches {
            let result = writer.patch(id, patch);
            refused.extend(result.into_iter().map(|why| Refused { entity: id.clone(), why }));
        }
        let Writer { changes, transients, .. } = writer;
        let summary = match (&patches.keys().collect::<Vec<_>>()[..], self.clock) {
            ([], _) => "set the clock".to_owned(),
            ([one], _) => format!("{}: {}", state.name_or_id(one), count(changes.len())),
            (more, _) => format!("{} entities: {}", more.len(), count(changes.len())),
        };
        PatchPlan { operation: Operation { author, recorded: now, summary, changes }, transients, refused }
    }
}

/// Entities in one batch above which their values are recorded as facts: one transaction holds a batch of transient
/// values, and must stay below a few MiB.
const MAX_TRANSIENT: usize = 8_000;

/// What patches write.
#[derive(Debug, Clone, PartialEq)]
pub struct PatchPlan {
    /// What is recorded; without a change, when there is nothing.
    pub operation: Operation,
    /// What is kept without a history.
    pub transients: TransientUpdate,
    /// What could not be written.
    pub refused: Vec<Refused>,
}

fn count(changes: usize) -> String {
    if changes == 1 { "1 change".to_owned() } else { format!("{changes} changes") }
}

/// Makes the changes of patches.
struct Writer<'a> {
    state: &'a State,
    patches: &'a BTreeMap<EntityId, Patch>,
    author: &'a Author,
    now: Timestamp,
    date: Date,
    /// Whether values of predicates that keep no full history are transient.
    is_transient: bool,
    changes: Vec<Change>,
    transients: TransientUpdate,
}

/// The state as it will be: who is new is there, and is where its patch says.
impl Surroundings for Writer<'_> {
    fn kind(&self, id: &EntityId) -> Option<Kind> {
        let patch = self.patches.get(id);
        let new = || patch.and_then(|patch| patch.kind.clone().or_else(|| Some(patch.create.clone()?.0)));
        self.state.kind(id).or_else(new)
    }

    fn place(&self, id: &EntityId) -> Option<EntityId> {
        let new = self.patches.get(id).and_then(|patch| patch.place.clone()).flatten();
        Surroundings::place(self.state, id).or(new)
    }
}

impl Writer<'_> {
    fn exists(&self, id: &EntityId) -> bool {
        let is_new = || self.patches.get(id).is_some_and(|patch| patch.create.is_some());
        self.state.entity(id).is_some() || is_new()
    }

    /// Writes the fields of an entity; says what cannot be.
    fn patch(&mut self, id: &EntityId, patch: &Patch) -> Vec<String> {
        if !self.exists(id) {
            return vec![format!("there is no `{id}` any more; spawn it anew, with a kind")];
        }
        let is_new = self.state.entity(id).is_none();
        let mut wrong = Vec::new();
        let mut note = |result: Result<(), MemoryError>| wrong.extend(result.err().map(|error| error.to_string()));
        if let Some(kind) = patch.kind.as_ref().filter(|_| !is_new) {
            note(self.attribute(id, attribute::KIND, Some(&kind.as_str().into())));
        }
        if let Some(name) = patch.name.as_ref().filter(|_| !is_new) {
            note(self.attribute(id, attribute::NAME, Some(&name.as_str().into())));
        }
        for (name, value) in &patch.attributes {
            note(self.attribute(id, name.as_str(), value.as_ref()));
        }
        if let Some(place) = &patch.place {
            note(self.place_at(id, place.as_ref()));
        }
        for ((name, object), holds) in &patch.relations {
            note(self.relation(id, name, object, *holds));
        }
        wrong
    }

    fn attribute(&mut self, id: &EntityId, name: &str, value: Option<&Value>) -> Result<(), MemoryError> {
        let name = Predicate::new(name)?;
        self.becomes(id, &name, value.map(|value| Object::Value(value.clone())))
    }

    fn place_at(&mut self, id: &EntityId, place: Option<&EntityId>) -> Result<(), MemoryError> {
        let name = Predicate::new(predicate::LOCATED_AT)?;
        self.object_is_there(place)?;
        self.becomes(id, &name, place.map(|place| Object::Entity(place.clone())))
    }

    fn object_is_there(&self, object: Option<&EntityId>) -> Result<(), MemoryError> {
        match object.filter(|id| !self.exists(id)) {
            // An id that is not there is resolved for the sake of its error, which names the nearest.
            Some(id) => edit::resolve(self.state, id.as_str()).map(drop),
            None => Ok(()),
        }
    }

    /// One value takes the place of what there was: of all there was, where the predicate has one value at a time; else
    /// of the one that is shown.
    fn becomes(&mut self, id: &EntityId, name: &Predicate, object: Option<Object>) -> Result<(), MemoryError> {
        let shown = self.state.newest(id, name.as_str());
        if shown.map(Fact::object) == object.as_ref() {
            return Ok(());
        }
        let built = object.map(|object| self.fact(id, name, object)).transpose()?;
        if self.is_transient && self.state.vocabulary().history(name) != History::Full {
            self.replace(id, name, built);
            return Ok(());
        }
        let all = self.state.is_functional(name) || built.is_none();
        let ended = match all {
            true => self.state.values(id, name),
            false => shown.into_iter().collect(),
        };
        let new = built.as_ref().map(Fact::object);
        self.end(ended.into_iter().filter(|fact| Some(fact.object()) != new));
        if let Some(fact) = built {
            self.assert(fact);
        }
        Ok(())
    }

    /// A transient value takes the place of what there was; facts that were recorded end.
    fn replace(&mut self, id: &EntityId, name: &Predicate, built: Option<Fact>) {
        let values = self.state.values(id, name);
        let (transient, recorded): (Vec<_>, Vec<_>) =
            values.into_iter().partition(|fact| self.state.is_transient(fact.id()));
        self.end(recorded.into_iter());
        // A value that was recorded before, at the same time or at none, has the same id: it is asserted again.
        let again = built.as_ref().is_some_and(|fact| self.state.asserted(fact.id()).is_some());
        let value = match built {
            Some(fact) if again => {
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

    fn relation(&mut self, id: &EntityId, name: &Predicate, object: &EntityId, holds: bool) -> Result<(), MemoryError> {
        let open = self.state.values(id, name);
        let (same, others): (Vec<_>, Vec<_>) =
            open.into_iter().partition(|fact| fact.object().entity() == Some(object));
        match (holds, same.is_empty()) {
            (true, true) => {
                self.object_is_there(Some(object))?;
                let fact = self.fact(id, name, Object::Entity(object.clone()))?;
                if self.state.is_functional(name) {
                    self.end(others.into_iter());
                }
                self.assert(fact);
            }
            (false, false) => self.end(same.into_iter()),
            _ => {}
        }
        Ok(())
    }

    fn called<'s>(&'s self, id: &'s EntityId) -> &'s str {
        let patch = self.patches.get(id);
        let new = || patch.and_then(|patch| patch.name.as_deref().or_else(|| patch.create.as_ref()?.1.as_deref()));
        match self.state.entity(id) {
            Some(_) => spoken_of(self.state, id),
            None => new().unwrap_or(id.as_str()),
        }
    }

    fn fact(&self, id: &EntityId, name: &Predicate, object: Object) -> Result<Fact, MemoryError> {
        let said = match &object {
            Object::Entity(object) => self.called(object).to_owned(),
            Object::Value(value) => value.to_string(),
        };
        // A new name is stated in its own words, not under the old one.
        let subject = if *name == *attribute::NAME { said.as_str() } else { self.called(id) };
        let statement = self.state.vocabulary().sentence(name, subject, &said);
        let provenance = Provenance {
            recorded: self.now,
            session: self.state.playing().map(|playing| playing.session.clone()),
            ..Provenance::new(
                if *self.author == Author::Game { Method::Witnessed } else { Method::Authored },
                self.author.clone(),
            )
        };
        let builder = match object {
            Object::Entity(object) => Fact::relation(id, name.clone(), &object, provenance)?,
            Object::Value(value) => Fact::attribute(id, name.clone(), value, provenance)?,
        };
        // What a new entity is from the start, it has always been.
        let from = Some(self.date.clone()).filter(|date| date.time.is_some() && self.state.entity(id).is_some());
        Ok(builder.statement(statement).validity(Validity { from, until: None }).build()?)
    }

    fn end<'f>(&mut self, facts: impl Iterator<Item = &'f Fact>) {
        // What begins later than now is no older state.
        let now = self.date.time;
        let begun = |fact: &&Fact| fact.validity().start().is_none_or(|start| now.is_none_or(|now| start <= now));
        let until = &self.date;
        self.changes.extend(facts.filter(begun).map(|fact| Change::EndFact { fact: fact.id(), until: until.clone() }));
    }

    fn knowers(&self, fact: &Fact) -> Vec<Knower> {
        let audience = self.state.vocabulary().audience(&self.state.audience_rules(), fact);
        knowers(audience, fact, self)
    }

    fn assert(&mut self, fact: Fact) {
        let known_by = self.knowers(&fact);
        let id = fact.id();
        self.changes.push(Change::AssertFact(Arc::new(fact)));
        let edges = known_by.into_iter().map(|knower| Change::Learn(Arc::new(Knowledge::authored(knower, id))));
        self.changes.extend(edges);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(text: &str) -> EntityId {
        EntityId::new(text).unwrap()
    }

    fn new(kind: Kind, name: &str) -> Patch {
        Patch { create: Some((kind, Some(name.to_owned()))), ..Patch::default() }
    }

    fn apply(state: &mut State, clock: Option<i64>, patches: Vec<(&str, Patch)>) -> Vec<String> {
        let entities = patches.into_iter().map(|(at, patch)| (id(at), patch)).collect();
        let patches = Patches { entities, clock: clock.map(GameTime) };
        let plan = patches.plan(state, Author::Game, Timestamp::default());
        let recorded = state.recorded_transients(&plan.operation);
        let mut operation = plan.operation;
        operation.changes.splice(..0, recorded);
        if !operation.changes.is_empty() {
            state.apply(operation).unwrap();
        }
        state.set_transients(&plan.transients);
        let again = patches.plan(state, Author::Game, Timestamp::default());
        assert_eq!(again.operation.changes, [], "what is so already is not written again");
        assert!(again.transients.is_empty(), "what is so already is not written again");
        let refused = plan.refused;
        refused.into_iter().map(|refused| format!("{}: {}", refused.entity, refused.why)).collect()
    }

    fn town() -> State {
        let mut state = State::default();
        let people = vec![
            ("ann", Patch { place: Some(Some(id("inn"))), ..new(Kind::Npc, "Ann") }),
            ("guild", new(Kind::Faction, "The Guild")),
            ("inn", new(Kind::Location, "The Inn")),
            ("pier", new(Kind::Location, "The Pier")),
        ];
        assert_eq!(apply(&mut state, None, people), [""; 0]);
        state
    }

    #[test]
    fn all_of_one_operation_may_relate_to_each_other() {
        let state = town();
        let ann = Record::of(&state, &id("ann")).unwrap();
        assert_eq!((ann.name.as_deref(), ann.kind, ann.place), (Some("Ann"), Some(Kind::Npc), Some(id("inn"))));
        assert_eq!(Record::of(&state, &id("nobody")), None);
    }

    #[test]
    fn a_value_takes_the_place_of_another_and_comes_back() {
        let mut state = town();
        let go = |state: &mut State, clock: Option<i64>, place: Option<&str>| {
            let patch = Patch { place: Some(place.map(id)), ..Patch::default() };
            assert_eq!(apply(state, clock, vec![("ann", patch)]), [""; 0]);
            Record::of(state, &id("ann")).unwrap().place
        };
        for clock in [None, Some(10), Some(20), Some(5)] {
            assert_eq!(go(&mut state, clock, Some("pier")), Some(id("pier")), "{clock:?}");
            assert_eq!(go(&mut state, clock, Some("inn")), Some(id("inn")), "{clock:?}");
            assert_eq!(go(&mut state, clock, None), None, "{clock:?}");
        }
        let occupation = Predicate::new("occupation").unwrap();
        for value in [Some("smith"), Some("spy"), Some("smith"), None] {
            let value = value.map(Value::from);
            let attributes = BTreeMap::from([(occupation.clone(), value.clone())]);
            apply(&mut state, None, vec![("ann", Patch { attributes, ..Patch::default() })]);
            assert_eq!(Record::of(&state, &id("ann")).unwrap().attributes.get(&occupation).cloned(), value);
        }
    }

    #[test]
    fn relations_hold_until_they_do_not() {
        let mut state = town();
        let key = (Predicate::new(predicate::MEMBER_OF).unwrap(), id("guild"));
        for holds in [true, false, true] {
            let relations = BTreeMap::from([(key.clone(), holds)]);
            apply(&mut state, None, vec![("ann", Patch { relations, ..Patch::default() })]);
            assert_eq!(Record::of(&state, &id("ann")).unwrap().relations.contains_key(&key), holds);
        }
    }

    #[test]
    fn what_cannot_be_is_refused_and_the_rest_is_written() {
        let mut state = town();
        let name = Some("Anne".to_owned());
        let bad = Patch { place: Some(Some(id("in"))), name, ..Patch::default() };
        let gone = Patch { name: Some("Bob".into()), ..Patch::default() };
        let refused = apply(&mut state, None, vec![("ann", bad), ("bob", gone)]);
        assert_eq!(refused.len(), 2);
        assert!(refused[0].contains("nothing is called `in`; did you mean inn"), "{refused:?}");
        assert!(refused[1].contains("there is no `bob` any more"), "{refused:?}");
        assert_eq!(Record::of(&state, &id("ann")).unwrap().name.as_deref(), Some("Anne"));
    }

    #[test]
    fn a_patch_holds_in_a_record_that_says_the_same() {
        let mut state = town();
        let key = (Predicate::new(predicate::MEMBER_OF).unwrap(), id("guild"));
        let occupation = Predicate::new("occupation").unwrap();
        let patches = [
            Patch { name: Some("Anne".into()), ..Patch::default() },
            Patch { kind: Some(Kind::Player), ..Patch::default() },
            Patch { place: Some(Some(id("pier"))), ..Patch::default() },
            Patch { place: Some(None), ..Patch::default() },
            Patch { attributes: BTreeMap::from([(occupation.clone(), Some("spy".into()))]), ..Patch::default() },
            Patch { attributes: BTreeMap::from([(occupation, None)]), ..Patch::default() },
            Patch { relations: BTreeMap::from([(key.clone(), true)]), ..Patch::default() },
            Patch { relations: BTreeMap::from([(key, false)]), ..Patch::default() },
        ];
        let record = |state: &State| Record::of(state, &id("ann")).unwrap();
        for patch in patches {
            assert!(!patch.holds_in(&record(&state)), "{patch:?}");
            apply(&mut state, None, vec![("ann", patch.clone())]);
            assert!(patch.holds_in(&record(&state)), "{patch:?}");
        }
    }

    #[test]
    fn who_is_there_already_is_not_made_anew() {
        let mut state = town();
        apply(&mut state, None, vec![("ann", new(Kind::Item, "A Doll"))]);
        let ann = Record::of(&state, &id("ann")).unwrap();
        assert_eq!((ann.name.as_deref(), ann.kind), (Some("Ann"), Some(Kind::Npc)));
    }
}
