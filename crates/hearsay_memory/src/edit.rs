//! Authoring by hand: what the DM types is canon at once.
//!
//! Every function makes the changes of one operation from the state as it is. None applies them.

use std::sync::Arc;

use hearsay_belief::knowers;
use hearsay_model::{
    Attitude, Audience, Author, Change, Date, Entity, EntityId, Fact, FactId, Kind, Knower, Knowledge, Method, Object,
    Operation, Predicate, Provenance, Resolution, Secrecy, Standing, State, Timestamp, Validity, Value, attribute,
    predicate, text,
};
use serde::{Deserialize, Serialize};

use crate::MemoryError;

/// Something to be written by hand.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Edit {
    /// A new entity.
    Add {
        /// What it is called.
        name: String,
        /// What it is.
        kind: Kind,
        /// Its id; made from the name, when nothing is said.
        id: Option<EntityId>,
        /// Where it lives and is: an id or a name.
        place: Option<String>,
    },
    /// An attribute: `set mirela-voss occupation "innkeeper"`.
    Set {
        /// Whose: an id or a name.
        entity: String,
        /// Which: a name such as `occupation`.
        attribute: String,
        /// Its value.
        value: String,
        /// Who knows it, and so on.
        options: FactOptions,
    },
    /// A relation: `relate mirela-voss OWES aldous-crane`.
    Relate {
        /// Its subject: an id or a name.
        subject: String,
        /// Its predicate: `OWES`, or words such as `works for`.
        predicate: String,
        /// Its object: an id or a name.
        object: String,
        /// Who knows it, and so on.
        options: FactOptions,
    },
    /// A fact was recorded wrongly: it never was so, and this is so instead. Those who knew the old fact know the new.
    Correct {
        /// The fact: its id, the beginning of its id, or its handle.
        fact: String,
        /// The object or value that is right; unchanged, when nothing is said.
        object: Option<String>,
        /// The sentence that is right; made anew, when nothing is said.
        statement: Option<String>,
    },
    /// A fact never was so, and nobody knows it.
    RemoveFact {
        /// The fact: its id, the beginning of its id, or its handle.
        fact: String,
    },
    /// An entity, and all that is said of it, is gone.
    RemoveEntity {
        /// The entity: an id or a name.
        entity: String,
    },
}

/// What may be said of a fact besides its three parts.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FactOptions {
    /// The sentence that states it; made from the predicate's phrase, when nothing is said.
    pub statement: Option<String>,
    /// Whether only its bearer and `known_by` know it.
    pub secret: bool,
    /// Whether everybody knows it.
    pub common: bool,
    /// Further knowers: ids or names.
    pub known_by: Vec<String>,
    /// How the subject feels about the object, −100 to 100.
    pub attitude: Option<i64>,
    /// Since when it is so, on the campaign's calendar.
    pub since: Option<String>,
    /// Until when it was so.
    pub until: Option<String>,
}

/// Finds the entity that an id, a name or an alias means.
///
/// # Errors
/// When nothing is called so (with the nearest names), or several are.
pub fn resolve(state: &State, name: &str) -> Result<EntityId, MemoryError> {
    match state.resolve(name) {
        Resolution::One(id) => Ok(id),
        Resolution::Ambiguous(candidates) => Err(MemoryError::Ambiguous { name: name.into(), candidates }),
        Resolution::None => Err(MemoryError::Unknown { name: name.into(), nearest: nearest(state, name) }),
    }
}

/// The three names and ids that are most like a text.
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

/// Finds the fact that an id, the beginning of an id (four digits at least) or a handle means.
///
/// # Errors
/// When no fact, or more than one, is meant.
pub fn find_fact(state: &State, given: &str) -> Result<Arc<Fact>, MemoryError> {
    if let Some(fact) = given.parse().ok().and_then(|id: FactId| state.fact(id)) {
        return Ok(Arc::clone(fact));
    }
    let mut found: Vec<_> = state.facts_by_handle(given).cloned().collect();
    if found.is_empty() && given.len() >= 4 {
        found = state.facts().filter(|fact| fact.id().to_string().starts_with(given)).cloned().collect();
    }
    match found.len() {
        1 => Ok(found.swap_remove(0)),
        count => Err(MemoryError::FactReference { given: given.into(), count }),
    }
}

impl Edit {
    /// The operation that makes the edit.
    ///
    /// # Errors
    /// When a name, a fact, a date or a value cannot be understood.
    pub fn operation(&self, state: &State, author: Author, now: Timestamp) -> Result<Operation, MemoryError> {
        let edit = Editor { state, author: author.clone(), now };
        let (summary, changes) = match self {
            Self::Add { name, kind, id, place } => edit.add(name, kind, id.as_ref(), place.as_deref())?,
            Self::Set { entity, attribute, value, options } => edit.set(entity, attribute, value, options)?,
            Self::Relate { subject, predicate, object, options } => edit.relate(subject, predicate, object, options)?,
            Self::Correct { fact, object, statement } => edit.correct(fact, object.as_deref(), statement.as_deref())?,
            Self::RemoveFact { fact } => {
                let fact = find_fact(state, fact)?;
                (format!("remove \u{201C}{}\u{201D}", fact.statement()), vec![Change::RetractFact(fact.id())])
            }
            Self::RemoveEntity { entity } => {
                let id = resolve(state, entity)?;
                (format!("remove {}", state.name_or_id(&id)), vec![Change::RemoveEntity(id.clone())])
            }
        };
        Ok(Operation { author, recorded: now, summary, changes })
    }
}

struct Editor<'a> {
    state: &'a State,
    author: Author,
    now: Timestamp,
}

type Edited = Result<(String, Vec<Change>), MemoryError>;

impl Editor<'_> {
    fn provenance(&self) -> Provenance {
        let method = if self.author == Author::Game { Method::Witnessed } else { Method::Authored };
        Provenance { recorded: self.now, ..Provenance::new(method, self.author.clone()) }
    }

    fn add(&self, name: &str, kind: &Kind, id: Option<&EntityId>, place: Option<&str>) -> Edited {
        let id = id.cloned().map_or_else(|| EntityId::from_name(name), Ok)?;
        if self.state.entity(&id).is_some() {
            return Err(MemoryError::Taken(id));
        }
        let mut changes = vec![Change::AddEntity(Entity::new(id.clone()))];
        let mut facts = vec![
            self.attribute_fact(&id, &Predicate::new(attribute::NAME)?, name, name)?,
            self.attribute_fact(&id, &Predicate::new(attribute::KIND)?, kind.as_str(), name)?,
        ];
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
                let statement = self.state.vocabulary().sentence(&predicate, name, self.state.name_or_id(place));
                let fact = Fact::relation(&id, predicate, place, self.provenance())?.statement(statement);
                facts.push(fact.build()?);
            }
        }
        for fact in facts {
            // Whoever lives in the place knows the newcomer; a thing that is nowhere is known to nobody yet.
            let mut known_by: Vec<Knower> = kind.can_know().then(|| id.clone().into()).into_iter().collect();
            known_by.extend(place.clone().map(Knower::Entity));
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
        let statement = self.state.vocabulary().sentence(&name, called, value);
        let builder = Fact::attribute(&id, name.clone(), Value::from(value), self.provenance())?;
        let summary = format!("set {called}'s {name}");
        Ok((summary, self.written(builder.statement(statement), options)?))
    }

    fn relate(&self, subject: &str, relation: &str, object: &str, options: &FactOptions) -> Edited {
        let predicate = Predicate::new(relation).ok().filter(Predicate::is_relation);
        let mut predicate = predicate.map_or_else(|| Predicate::relation(relation), Ok)?;
        let (mut subject, mut object) = (resolve(self.state, subject)?, resolve(self.state, object)?);
        if self.state.vocabulary().predicate(&predicate).is_none()
            && let Some(def) = self.state.vocabulary().inverse_of(&predicate)
        {
            predicate = def.name.clone();
            std::mem::swap(&mut subject, &mut object);
        }
        let (from, to) = (self.state.name_or_id(&subject), self.state.name_or_id(&object));
        let statement = self.state.vocabulary().sentence(&predicate, from, to);
        let builder = Fact::relation(&subject, predicate.clone(), &object, self.provenance())?;
        let summary = format!("relate {from} {predicate} {to}");
        Ok((summary, self.written(builder.statement(statement), options)?))
    }

    /// A new fact with its options, its knowers, and the end of what it succeeds.
    fn written(&self, builder: hearsay_model::FactBuilder, options: &FactOptions) -> Result<Vec<Change>, MemoryError> {
        let date = |raw: &Option<String>| raw.as_ref().map(|raw| self.state.calendar().parse(raw)).transpose();
        let secrecy = match (options.secret, options.common) {
            (true, _) => Secrecy::Secret,
            (_, true) => Secrecy::Common,
            _ => Secrecy::Open,
        };
        let validity = Validity { from: date(&options.since)?, until: date(&options.until)? };
        let attitude = options.attitude.map(Attitude::new).transpose()?;
        let mut builder = builder.secrecy(secrecy).validity(validity).attitude(attitude);
        if let Some(statement) = &options.statement {
            builder = builder.statement(statement);
        }
        let fact = Arc::new(builder.build()?);
        let audience = self.state.vocabulary().audience(&self.state.audience_rules(), &fact);
        let audience = if options.secret { Audience::Private } else { audience };
        let mut known_by = knowers(audience, &fact, self.state);
        for name in &options.known_by {
            known_by.push(resolve(self.state, name)?.into());
        }
        let mut changes = self.succession(&fact);
        changes.extend(known(fact, known_by));
        Ok(changes)
    }

    /// A newer state of a functional predicate ends the older (decision 5).
    fn succession(&self, fact: &Fact) -> Vec<Change> {
        if !self.state.is_functional(fact.predicate()) || fact.validity().is_closed() {
            return Vec::new();
        }
        let until = fact.validity().from.clone().unwrap_or_else(|| now(self.state));
        let mut older = self.state.values(fact.subject(), fact.predicate());
        older.retain(|old| old.id() != fact.id() && old.object() != fact.object());
        // What began later than its end would be is no older state: it overlaps, and the review shows it.
        older.retain(|old| until.time.is_none_or(|end| old.validity().start().is_none_or(|start| start <= end)));
        older.into_iter().map(|old| Change::EndFact { fact: old.id(), until: until.clone() }).collect()
    }

    fn correct(&self, fact: &str, object: Option<&str>, statement: Option<&str>) -> Edited {
        let old = find_fact(self.state, fact)?;
        let object = match (object, old.object()) {
            (None, object) => object.clone(),
            (Some(name), Object::Entity(_)) => Object::Entity(resolve(self.state, name)?),
            (Some(value), Object::Value(_)) => Object::Value(value.into()),
        };
        let called = match &object {
            Object::Entity(id) => self.state.name_or_id(id).to_owned(),
            Object::Value(value) => value.to_string(),
        };
        let subject = self.state.name_or_id(old.subject());
        let made = || self.state.vocabulary().sentence(old.predicate(), subject, &called);
        let statement = statement.map_or_else(made, str::to_owned);
        let provenance = Provenance {
            evidence: old.provenance().evidence.clone(),
            session: old.provenance().session.clone(),
            ..self.provenance()
        };
        let standing = if old.standing().is_in_world() { old.standing() } else { Standing::Canon };
        let new = old.to_builder().object(object).statement(&statement).provenance(provenance).standing(standing);
        let new = Arc::new(new.build()?);
        let mut changes = vec![Change::AssertFact(Arc::clone(&new))];
        for edge in self.state.recorded_knowledge(old.id()) {
            changes.push(Change::Learn(Arc::new(Knowledge { fact: new.id(), ..Knowledge::clone(edge) })));
        }
        if new.id() != old.id() {
            changes.push(Change::RetractFact(old.id()));
        }
        Ok((format!("correct to \u{201C}{statement}\u{201D}"), changes))
    }
}

/// The game clock as a date; a date that nobody can place, where no clock is set.
pub(crate) fn now(state: &State) -> Date {
    let raw = |time| state.calendar().print(time);
    Date { raw: state.clock().map_or_else(String::new, raw), time: state.clock() }
}

fn known(fact: Arc<Fact>, known_by: Vec<Knower>) -> Vec<Change> {
    let id = fact.id();
    let mut known_by = known_by;
    known_by.sort();
    known_by.dedup();
    let edges = known_by.into_iter().map(|knower| Change::Learn(Arc::new(Knowledge::authored(knower, id))));
    std::iter::once(Change::AssertFact(fact)).chain(edges).collect()
}
