//! Edits by hand. Everything that the DM types is canon at once.
//!
//! Every function makes the changes of one operation from the current state. None applies them.

use std::{collections::BTreeMap, sync::Arc};

use hearsay_belief::{Surroundings, default_audience};
use hearsay_model::{
    Acquisition, ApplyError, Attitude, Author, CalendarError, Change, Date, Entity, EntityId, Fact, FactId, FactStatus,
    Justification, Kind, Knower, KnowledgeEdge, KnowledgeId, Method, Number, Object, Operation, Predicate, Provenance,
    Resolution, Secrecy, Setting, State, Timestamp, Validity, Value, attribute, predicate, spelling, text,
};
use serde::{Deserialize, Serialize};

use crate::MemoryError;

/// An edit by hand.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Edit {
    /// Adds an entity.
    Add {
        /// Name of the entity.
        name: String,
        /// Kind of the entity.
        kind: Kind,
        /// Id of the entity. Default: made from the name.
        id: Option<EntityId>,
        /// Place where it lives and is: an id or a name.
        place: Option<String>,
    },
    /// Adds an entity with initial knowledge, such as a character that the DM invents during a scene.
    Introduce {
        /// Name of the entity.
        name: String,
        /// Kind of the entity.
        kind: Kind,
        /// Place where it lives and is: an id or a name. The entity knows the facts that are known there.
        place: Option<String>,
        /// Attributes and their values, such as `occupation`.
        attributes: BTreeMap<String, String>,
    },
    /// Sets an attribute: `set mirela-voss occupation "innkeeper"`.
    Set {
        /// Entity: an id or a name.
        entity: String,
        /// Attribute: a name such as `occupation`.
        attribute: String,
        /// Value of the attribute.
        value: String,
        /// Knowers, dates and other options.
        options: FactOptions,
    },
    /// Adds a relation: `relate mirela-voss OWES aldous-crane`.
    Relate {
        /// Subject: an id or a name.
        subject: String,
        /// Predicate: `OWES`, or words such as `works for`.
        predicate: String,
        /// Object: an id or a name.
        object: String,
        /// Knowers, dates and other options.
        options: FactOptions,
    },
    /// Corrects a fact that was recorded wrongly. The old fact is retracted, and its knowers know the new fact.
    Correct {
        /// Fact: its id, the beginning of its id, or its handle.
        fact: String,
        /// Correct object or value. Default: unchanged.
        object: Option<String>,
        /// Correct sentence. Default: made from the corrected fact.
        statement: Option<String>,
    },
    /// Removes a fact as if it had never been recorded, together with all knowledge of it.
    RemoveFact {
        /// Fact: its id, the beginning of its id, or its handle.
        fact: String,
    },
    /// Removes an entity and all facts about it.
    RemoveEntity {
        /// Entity: an id or a name.
        entity: String,
    },
    /// Declares a flag of the game for use in conditions.
    DeclareFlag {
        /// Name: a slug, such as `fire-reported`.
        name: String,
        /// Value: `yes` or `no`, a number, or any text. The kind of value is fixed from then on.
        value: String,
    },
    /// Sets a flag of the game to another value.
    SetFlag {
        /// Name of the flag.
        name: String,
        /// Value, of the declared kind.
        value: String,
    },
}

/// Options of a fact besides subject, predicate and object.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FactOptions {
    /// Sentence that states the fact. Default: made from the predicate's phrase.
    pub statement: Option<String>,
    /// Whether only `known_by` and the subject, if it is a character, know the fact.
    pub secret: bool,
    /// Whether everybody knows the fact.
    pub common: bool,
    /// Further knowers: ids or names.
    pub known_by: Vec<String>,
    /// Attitude of the subject to the object, −100 to 100.
    pub attitude: Option<i64>,
    /// Date from which the fact holds, on the campaign's calendar.
    pub since: Option<String>,
    /// Date until which the fact held.
    pub until: Option<String>,
}

/// Finds an entity by id, name, alias, or a part of a name that only one entity has: a first name, a surname, or a
/// title and a surname. Secret names must be given in full.
///
/// # Errors
/// When no entity has this name (with the most similar names), or several have it.
pub fn resolve(state: &State, name: &str) -> Result<EntityId, MemoryError> {
    let candidates = match state.resolve(name) {
        Resolution::One(id) => return Ok(id),
        Resolution::Ambiguous(candidates) => candidates,
        Resolution::None => with_name_part(state, name),
    };
    match &candidates[..] {
        [] => Err(MemoryError::Unknown { name: name.into(), nearest: nearest(state, name) }),
        [only] => Ok(only.clone()),
        _ => Err(MemoryError::Ambiguous { name: name.into(), candidates }),
    }
}

/// Returns the entities with an open name that contains all these words in this order. Sorted.
fn with_name_part(state: &State, part: &str) -> Vec<EntityId> {
    let words = text::words(part);
    // A text like `old-odo` is an id: one that is gone must not mean another entity.
    let is_id = part.contains('-') && EntityId::new(part.trim()).is_ok();
    if is_id || words.iter().all(|word| spelling::is_stop_word(word)) {
        return Vec::new();
    }
    let has_part = |name: &str| {
        let mut name = text::words(name).into_iter();
        words.iter().all(|word| name.any(|other| other == *word))
    };
    let bears = |id: &EntityId| state.open_names(id).into_iter().any(has_part);
    let mut found: Vec<EntityId> = state.entities().map(|entity| &entity.id).filter(|id| bears(id)).cloned().collect();
    found.sort_unstable();
    found
}

/// Finds the speaker. If the given name is a secret name, returns that name too.
///
/// # Errors
/// As [`resolve`].
pub(crate) fn resolve_speaker(state: &State, name: &str) -> Result<(EntityId, Option<String>), MemoryError> {
    let id = resolve(state, name)?;
    let alias = state.secret_name(&id, name).map(str::to_owned);
    Ok((id, alias))
}

/// Returns the three names and ids most similar to a text.
fn nearest(state: &State, name: &str) -> Vec<String> {
    let wanted = text::normal(name);
    let mut scored: Vec<(f64, String)> = Vec::new();
    for entity in state.entities() {
        let names = state.names(&entity.id).into_iter().map(str::to_owned);
        for candidate in names.chain([entity.id.to_string()]) {
            let normal = text::normal(&candidate);
            let within = normal.split(' ').any(|word| word == wanted);
            let likeness = if within { 0.95 } else { strsim::jaro_winkler(&wanted, &normal) };
            if likeness > 0.75 {
                scored.push((likeness, entity.id.to_string()));
            }
        }
    }
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    let mut names: Vec<String> = Vec::new();
    for (_, name) in scored {
        if !names.contains(&name) && names.len() < 3 {
            names.push(name);
        }
    }
    names
}

/// Finds a fact by id, by the beginning of an id (at least four digits), by handle, or by several words that only its
/// statement contains.
///
/// # Errors
/// When no fact matches, or several do.
pub fn find_fact(state: &State, given: &str) -> Result<Arc<Fact>, MemoryError> {
    if let Some(fact) = given.parse().ok().and_then(|id: FactId| state.fact(id)) {
        return Ok(Arc::clone(fact));
    }
    let mut found: Vec<_> = state.facts_by_handle(given).cloned().collect();
    if found.len() > 1 {
        // A fact that was accepted in other words has the same handle as the rejected original.
        found.retain(|fact| fact.status() != FactStatus::Rejected);
    }
    if found.is_empty() && given.len() >= 4 {
        found = state.facts().filter(|fact| fact.id().to_string().starts_with(given)).cloned().collect();
    }
    if found.is_empty() {
        found = with_words(state, given);
    }
    match found.len() {
        1 => Ok(found.swap_remove(0)),
        count => Err(MemoryError::FactReference { given: given.into(), count }),
    }
}

/// Returns the facts whose statement contains all words of a text. A single word names no fact.
fn with_words(state: &State, given: &str) -> Vec<Arc<Fact>> {
    let mut wanted = text::words(given);
    wanted.retain(|word| !spelling::is_stop_word(word));
    if !given.trim().contains(char::is_whitespace) || wanted.is_empty() {
        return Vec::new();
    }
    let states = |fact: &&Arc<Fact>| {
        let words = text::words(fact.statement());
        fact.status() != FactStatus::Rejected && wanted.iter().all(|word| words.contains(word))
    };
    state.facts().filter(states).cloned().collect()
}

impl Edit {
    /// Returns the operation that makes the edit.
    ///
    /// # Errors
    /// When a name, a fact, a date or a value is invalid.
    pub fn operation(&self, state: &State, author: Author, now: Timestamp) -> Result<Operation, MemoryError> {
        let edit = Editor { state, author: author.clone(), now };
        let corrected = |fact: &str, object: Option<&str>, statement: Option<&str>| -> Edited {
            let old = find_fact(state, fact)?;
            let status = if old.status().is_in_world() { old.status() } else { FactStatus::Canon };
            let (new, mut changes) = edit.corrected(&old, &Right { object, statement, ..Right::default() }, status)?;
            if new.id() != old.id() {
                changes.push(Change::RetractFact(old.id()));
            }
            Ok((format!("correct to \u{201C}{}\u{201D}", new.statement()), changes))
        };
        let (summary, changes) = match self {
            Self::Add { name, kind, id, place } => {
                edit.add(name, kind, id.as_ref(), place.as_deref(), &BTreeMap::new())?
            }
            Self::Introduce { name, kind, place, attributes } => {
                edit.add(name, kind, None, place.as_deref(), attributes)?
            }
            Self::Set { entity, attribute, value, options } => edit.set(entity, attribute, value, options)?,
            Self::Relate { subject, predicate, object, options } => edit.relate(subject, predicate, object, options)?,
            Self::Correct { fact, object, statement } => corrected(fact, object.as_deref(), statement.as_deref())?,
            Self::RemoveFact { fact } => {
                let fact = find_fact(state, fact)?;
                (format!("remove \u{201C}{}\u{201D}", fact.statement()), vec![Change::RetractFact(fact.id())])
            }
            Self::DeclareFlag { name, value } => {
                if state.flag(name).is_some() {
                    return Err(MemoryError::FlagTaken(name.clone()));
                }
                let value = yes_or_no(value).or_else(|| number(value)).unwrap_or_else(|| value.trim().into());
                let summary = format!("declare flag {name}: {value}");
                (summary, vec![Change::Set(Setting::Flag { name: name.clone(), value })])
            }
            Self::SetFlag { name, value } => {
                let held = state.declared_flag(name)?;
                let read = match held {
                    Value::Text(_) => Some(value.trim().into()),
                    Value::Number(_) => number(value),
                    Value::Flag(_) => yes_or_no(value),
                };
                let (expected, given) = (held.kind(), value.clone());
                let value = read.ok_or_else(|| ApplyError::FlagKind { name: name.clone(), expected, given })?;
                (format!("set flag {name} to {value}"), vec![Change::SetFlag { name: name.clone(), value }])
            }
            Self::RemoveEntity { entity } => {
                let id = resolve(state, entity)?;
                (format!("remove {}", state.name_or_id(&id)), vec![Change::RemoveEntity(id.clone())])
            }
        };
        Ok(Operation { author, recorded: now, summary, changes })
    }
}

fn yes_or_no(text: &str) -> Option<Value> {
    match text::normal(text).as_str() {
        "yes" | "true" | "on" => Some(Value::Flag(true)),
        "no" | "false" | "off" => Some(Value::Flag(false)),
        _ => None,
    }
}

fn number(text: &str) -> Option<Value> {
    Number::new(text.trim().parse().ok()?).ok().map(Value::Number)
}

/// Makes the changes of one edit.
pub(crate) struct Editor<'a> {
    pub(crate) state: &'a State,
    pub(crate) author: Author,
    pub(crate) now: Timestamp,
}

/// Surroundings of an entity that is not in the state yet.
struct Newcomer<'a> {
    state: &'a State,
    id: &'a EntityId,
    kind: &'a Kind,
    place: Option<&'a EntityId>,
}

impl Surroundings for Newcomer<'_> {
    fn kind(&self, id: &EntityId) -> Option<Kind> {
        if id == self.id { Some(self.kind.clone()) } else { self.state.kind(id) }
    }

    fn place(&self, id: &EntityId) -> Option<EntityId> {
        if id == self.id { self.place.cloned() } else { Surroundings::place(self.state, id) }
    }
}

type Edited = Result<(String, Vec<Change>), MemoryError>;

/// Corrections of a wrongly recorded fact. Unset parts are unchanged, except that an unset statement is made from the
/// corrected parts.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Right<'a> {
    pub(crate) subject: Option<&'a str>,
    pub(crate) predicate: Option<&'a str>,
    pub(crate) object: Option<&'a str>,
    pub(crate) statement: Option<&'a str>,
}

impl Editor<'_> {
    fn provenance(&self) -> Provenance {
        let method = if self.author == Author::Game { Method::Witnessed } else { Method::Authored };
        let session = self.state.playing().map(|playing| playing.session.clone());
        Provenance { recorded: self.now, session, ..Provenance::new(method, self.author.clone()) }
    }

    fn add(
        &self,
        name: &str,
        kind: &Kind,
        id: Option<&EntityId>,
        place: Option<&str>,
        attributes: &BTreeMap<String, String>,
    ) -> Edited {
        let id = id.cloned().map_or_else(|| EntityId::from_name(name), Ok)?;
        if self.state.entity(&id).is_some() {
            return Err(MemoryError::Taken(id));
        }
        let mut changes = vec![Change::AddEntity(Entity::new(id.clone()))];
        let mut facts = vec![
            self.attribute_fact(&id, &Predicate::new(attribute::NAME)?, name, name)?,
            self.attribute_fact(&id, &Predicate::new(attribute::KIND)?, kind.as_str(), name)?,
        ];
        for (attribute, value) in attributes {
            facts.push(self.attribute_fact(&id, &Predicate::new(attribute)?, value, name)?);
        }
        let place = place.map(|place| resolve(self.state, place)).transpose()?;
        if let Some(place) = &place {
            let character = kind.is_character();
            let relations: &[&str] = match kind {
                Kind::Location | Kind::Faction => &[predicate::PART_OF],
                _ if character => &[predicate::RESIDENT_OF, predicate::LOCATED_AT],
                _ => &[predicate::LOCATED_AT],
            };
            for relation in relations {
                let predicate = Predicate::new(relation)?;
                let statement = self.state.vocabulary().sentence(&predicate, name, spoken_of(self.state, place));
                let fact = Fact::relation(&id, predicate, place, self.provenance())?.statement(statement);
                facts.push(fact.build()?);
            }
        }
        let around = Newcomer { state: self.state, id: &id, kind, place: place.as_ref() };
        let rules = self.state.audience_rules();
        for fact in facts {
            let audience = self.state.vocabulary().audience(&rules, &fact);
            let known_by = default_audience(audience, &fact, &around);
            changes.extend(known(Arc::new(fact), known_by));
        }
        Ok((format!("add {name}"), changes))
    }

    fn attribute_fact(&self, id: &EntityId, name: &Predicate, value: &str, called: &str) -> Result<Fact, MemoryError> {
        let statement = self.state.vocabulary().sentence(name, called, value);
        Ok(Fact::attribute(id, name.clone(), value, self.provenance())?.statement(statement).build()?)
    }

    fn set(&self, entity: &str, name: &str, value: &str, options: &FactOptions) -> Edited {
        let id = resolve(self.state, entity)?;
        let name = Predicate::new(name)?;
        let called = self.state.name_or_id(&id);
        // The statement of a new name uses the new name as its subject, not the old one.
        let subject = if name == attribute::NAME { value } else { spoken_of(self.state, &id) };
        let statement = self.state.vocabulary().sentence(&name, subject, value);
        let builder = Fact::attribute(&id, name.clone(), Value::from(value), self.provenance())?;
        let summary = format!("set {called}'s {name}");
        Ok((summary, self.written(builder.statement(statement), options)?))
    }

    fn relate(&self, subject: &str, relation: &str, object: &str, options: &FactOptions) -> Edited {
        let (predicate, backwards) = self.relation(relation)?;
        let (mut subject, mut object) = (resolve(self.state, subject)?, resolve(self.state, object)?);
        if backwards {
            std::mem::swap(&mut subject, &mut object);
        }
        let (from, to) = (self.state.name_or_id(&subject), self.state.name_or_id(&object));
        let (spoken_from, spoken_to) = (spoken_of(self.state, &subject), spoken_of(self.state, &object));
        let statement = self.state.vocabulary().sentence(&predicate, spoken_from, spoken_to);
        let builder = Fact::relation(&subject, predicate.clone(), &object, self.provenance())?;
        let summary = format!("relate {from} {predicate} {to}");
        Ok((summary, self.written(builder.statement(statement), options)?))
    }

    /// Resolves a relation given as a name (`OWES`), an inverse name (`HAS_MEMBER`) or words (`works for`). The flag
    /// says whether subject and object are swapped. Words that match no phrase become a new relation.
    pub(crate) fn relation(&self, given: &str) -> Result<(Predicate, bool), MemoryError> {
        let vocabulary = self.state.vocabulary();
        let named = Predicate::new(given).ok().filter(Predicate::is_relation);
        let is_name = named.is_some();
        let predicate = named.map_or_else(|| Predicate::relation(given), Ok)?;
        if vocabulary.predicate(&predicate).is_some() {
            return Ok((predicate, false));
        }
        if let Some(def) = vocabulary.inverse_of(&predicate) {
            return Ok((def.name.clone(), true));
        }
        let words = text::normal(given);
        let reads = |phrase: &str, first: &str, last: &str| {
            let between = phrase.strip_prefix(first).and_then(|phrase| phrase.strip_suffix(last));
            between.is_some_and(|between| text::normal(between) == words)
        };
        let forward = vocabulary.predicates().find(|def| reads(&def.phrase, "{subject} ", " {object}"));
        let backward = vocabulary
            .predicates()
            .find(|def| def.inverse_phrase.as_ref().is_some_and(|phrase| reads(phrase, "{object} ", " {subject}")));
        Ok(match (forward, backward) {
            (Some(def), _) if !is_name => (def.name.clone(), false),
            (None, Some(def)) if !is_name => (def.name.clone(), true),
            _ => (predicate, false),
        })
    }

    /// Makes a new fact with its options and knowers, and ends the facts that it replaces.
    fn written(&self, builder: hearsay_model::FactBuilder, options: &FactOptions) -> Result<Vec<Change>, MemoryError> {
        let date = |raw: &Option<String>| raw.as_ref().map(|raw| date_of(self.state, raw)).transpose();
        let secrecy = match (options.secret, options.common) {
            (true, _) => Secrecy::Secret,
            (_, true) => Secrecy::Common,
            _ => Secrecy::Open,
        };
        let mut validity = Validity { from: date(&options.since)?, until: date(&options.until)? };
        let attitude = options.attitude.map(Attitude::new).transpose()?;
        let mut builder = builder.secrecy(secrecy).validity(validity.clone()).attitude(attitude);
        if let Some(statement) = &options.statement {
            builder = builder.statement(statement);
        }
        let fact = builder.clone().build()?;
        let open = self.state.values(fact.subject(), fact.predicate());
        let mut changes = succession(self.state, &open, fact.predicate(), fact.object(), &mut validity);
        let fact = Arc::new(builder.validity(validity).build()?);
        let audience = self.state.vocabulary().audience(&self.state.audience_rules(), &fact);
        let mut known_by = match options.secret {
            // The subject of a secret knows it, if it is a character. A group or place would share it with all its
            // members.
            true => {
                let bears = self.state.kind(fact.subject()).is_some_and(|kind| kind.is_character());
                Vec::from_iter(bears.then(|| fact.subject().clone().into()))
            }
            false => default_audience(audience, &fact, self.state),
        };
        for name in &options.known_by {
            known_by.push(resolve(self.state, name)?.into());
        }
        changes.extend(known(fact, known_by));
        Ok(changes)
    }

    /// Makes the corrected fact, with the knowers and reveals of the old fact. The caller decides the fate of the old
    /// fact.
    pub(crate) fn corrected(
        &self,
        old: &Fact,
        right: &Right<'_>,
        status: FactStatus,
    ) -> Result<(Arc<Fact>, Vec<Change>), MemoryError> {
        let subject = right.subject.map(|name| resolve(self.state, name)).transpose()?;
        let (subject, predicate, backwards) = match (subject, right.predicate) {
            (subject, None) => (subject, old.predicate().clone(), false),
            (subject, Some(name)) if old.predicate().is_relation() => {
                let (predicate, backwards) = self.relation(name)?;
                (subject, predicate, backwards)
            }
            (subject, Some(name)) => (subject, Predicate::new(name)?, false),
        };
        let mut subject = subject.unwrap_or_else(|| old.subject().clone());
        let mut object = match (right.object, old.object()) {
            (None, object) => object.clone(),
            (Some(name), Object::Entity(_)) => Object::Entity(resolve(self.state, name)?),
            (Some(value), Object::Value(_)) => Object::Value(value.into()),
        };
        if let (true, Object::Entity(other)) = (backwards, &mut object) {
            std::mem::swap(&mut subject, other);
        }
        let called = match &object {
            Object::Entity(id) => spoken_of(self.state, id).to_owned(),
            Object::Value(value) => value.to_string(),
        };
        let made = || self.state.vocabulary().sentence(&predicate, spoken_of(self.state, &subject), &called);
        let statement = right.statement.map_or_else(made, str::to_owned);
        // Sessions and entities that were removed since then must not be referenced again.
        let session = old.provenance().session.clone().filter(|session| self.state.session(session).is_some());
        let mentions = old.mentions().iter().filter(|id| self.state.entity(id).is_some()).cloned();
        let evidence = old.provenance().evidence.clone();
        let provenance = Provenance { evidence, session, ..self.provenance() };
        let new = old.to_builder().subject(subject).predicate(predicate).object(object);
        let new = new.statement(&statement).mentions(mentions);
        let new = Arc::new(new.provenance(provenance).status(status).build()?);
        let mut changes = vec![Change::AssertFact(Arc::clone(&new))];
        changes.extend(moved(self.state, old.id(), new.id()));
        if new.id() != old.id() {
            let reveals = self.state.reveals().filter(|reveal| reveal.facts().any(|fact| fact == old.id()));
            let reveals = reveals.map(|reveal| reveal.with_fact(old.id(), new.id()));
            changes.extend(reveals.map(|reveal| Change::Set(Setting::Reveal(reveal))));
        }
        Ok((new, changes))
    }
}

/// Moves the edges of one fact to another, together with the edges that depend on them. Edge ids change with their
/// justifications, so edges are written in order of dependency. Deductions stay with the old fact, because they may not
/// follow from the new one.
fn moved(state: &State, old: FactId, new: FactId) -> Vec<Change> {
    let mut edges: BTreeMap<KnowledgeId, Arc<KnowledgeEdge>> = BTreeMap::new();
    let is_there = |edge: &Arc<KnowledgeEdge>| edge.knower.entity().is_none_or(|id| state.entity(id).is_some());
    let mut open: Vec<_> = state.recorded_knowledge(old).filter(|edge| is_there(edge)).cloned().collect();
    while let Some(edge) = open.pop() {
        let id = edge.id();
        if edges.contains_key(&id) {
            continue;
        }
        let follows =
            |edge: &&Arc<KnowledgeEdge>| !matches!(edge.acquisition, Acquisition::Deduced { .. }) && is_there(edge);
        open.extend(state.resting_on(id).map(|(_, edge)| edge).filter(follows).cloned());
        edges.insert(id, edge);
    }
    let (mut ids, mut changes) = (BTreeMap::<KnowledgeId, KnowledgeId>::new(), Vec::new());
    for &first in edges.keys() {
        let mut open = vec![first];
        while let Some(&id) = open.last() {
            let Some(edge) = edges.get(&id).filter(|_| !ids.contains_key(&id)) else {
                open.pop();
                continue;
            };
            let before = open.len();
            let rests_on = edge.sources.iter().flat_map(Justification::edges);
            open.extend(rests_on.filter(|id| edges.contains_key(id) && !ids.contains_key(id)));
            if open.len() > before {
                continue;
            }
            open.pop();
            let to = |id: &KnowledgeId| ids.get(id).copied().unwrap_or(*id);
            let source = |source: &Justification| match source {
                Justification::Basis { fact, edge } => {
                    Justification::Basis { fact: if *fact == old { new } else { *fact }, edge: to(edge) }
                }
                Justification::Experience { told, seen, held } => {
                    Justification::Experience { told: to(told), seen: to(seen), held: *held }
                }
            };
            let fact = if edge.fact == old { new } else { edge.fact };
            let sources = edge.sources.iter().map(source).collect();
            let moved = KnowledgeEdge { fact, sources, ..KnowledgeEdge::clone(edge) }.sorted();
            ids.insert(id, moved.id());
            if edge.fact != old && moved.id() != id {
                changes.push(Change::Unlearn(id));
            }
            changes.push(Change::Learn(Arc::new(moved)));
        }
    }
    changes
}

/// Ends older values of a functional predicate, because it has one value at a time. `open` holds the values that may
/// end. The new value begins where they end. A value that begins later is not older: it overlaps, and the review shows
/// the contradiction.
pub(crate) fn succession(
    state: &State,
    open: &[&Fact],
    predicate: &Predicate,
    object: &Object,
    validity: &mut Validity,
) -> Vec<Change> {
    if !state.is_functional(predicate) || validity.is_closed() {
        return Vec::new();
    }
    let same = open.iter().find(|fact| fact.object() == object);
    let until = validity.from.clone().unwrap_or_else(|| now(state));
    let is_older = |old: &&&Fact| {
        let begins_later = |end| old.validity().start().is_some_and(|start| start > end);
        old.object() != object && !until.time.is_some_and(begins_later)
    };
    let older: Vec<&Fact> = open.iter().filter(is_older).copied().collect();
    if validity.from.is_none() {
        validity.from = match same {
            // The same value holds already and continues.
            Some(same) => same.validity().from.clone(),
            None => Some(until.clone()).filter(|until| !older.is_empty() && until.time.is_some()),
        };
    }
    older.into_iter().map(|old| Change::EndFact { fact: old.id(), until: until.clone() }).collect()
}

/// Returns the name of an entity for a sentence that others may learn. Never returns a secret name, nor an id, which
/// may reveal one.
pub(crate) fn spoken_of<'a>(state: &'a State, id: &EntityId) -> &'a str {
    state.open_name(id).unwrap_or("somebody")
}

/// Parses a date as typed by a person who knows the current game time. A date relative to the game clock is written
/// out, because `yesterday` means another day tomorrow.
pub(crate) fn date_of(state: &State, raw: &str) -> Result<Date, CalendarError> {
    let calendar = state.calendar();
    if let Ok(date) = calendar.parse(raw) {
        return Ok(date);
    }
    let first = calendar.parse_near(raw, state.clock())?.first;
    Ok(Date { raw: calendar.print(first), time: Some(first) })
}

/// Returns the game clock as a date, or an undetermined date if no clock is set.
pub(crate) fn now(state: &State) -> Date {
    let raw = |time| state.calendar().print(time);
    Date { raw: state.clock().map_or_else(String::new, raw), time: state.clock() }
}

fn known(fact: Arc<Fact>, known_by: Vec<Knower>) -> Vec<Change> {
    let id = fact.id();
    let mut known_by = known_by;
    known_by.sort();
    known_by.dedup();
    let edges = known_by.into_iter().map(|knower| Change::Learn(Arc::new(KnowledgeEdge::authored(knower, id))));
    std::iter::once(Change::AssertFact(fact)).chain(edges).collect()
}
