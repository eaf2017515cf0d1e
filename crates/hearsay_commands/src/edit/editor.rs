//! Computation of the changes of an edit.

use std::{collections::BTreeMap, sync::Arc};

use hearsay_belief::{EntityLookup, default_audience, move_edges};
use hearsay_model::{
    Attitude, Audience, Author, Change, Date, Entity, EntityId, Fact, FactStatus, GameSetting, Kind, Knower, Method,
    Object, Predicate, PredicateRole, Provenance, RelationField, Secrecy, Setting, State, Timestamp, Validity, Value,
    attribute,
};
use hearsay_query::{
    dates::{clock_date, parse_date},
    ids::{require_entities, require_entity},
    resolve::{public_name, public_sentence},
    review::{extracted_names, is_unconfirmed_entity},
};

use super::{options::FactOptions, succession::succession};
use crate::{
    CommandError,
    moves::{Move, learn_fact},
};

/// Computes the changes of one edit.
pub(crate) struct Editor<'a> {
    pub(crate) state: &'a State,
    pub(crate) author: Author,
    pub(crate) now: Timestamp,
}

/// Kinds and places of the entities in a state and of a new entity that is not in the state yet.
struct NewEntity<'a> {
    state: &'a State,
    id: &'a EntityId,
    kind: &'a Kind,
    place: Option<&'a EntityId>,
}

impl EntityLookup for NewEntity<'_> {
    fn kind(&self, id: &EntityId) -> Option<Kind> {
        if id == self.id { Some(self.kind.clone()) } else { self.state.kind(id) }
    }

    fn home(&self, id: &EntityId) -> Option<EntityId> {
        // A new character lives at its place.
        if id == self.id { self.place.cloned() } else { EntityLookup::home(self.state, id) }
    }

    fn place(&self, id: &EntityId) -> Option<EntityId> {
        if id == self.id { self.place.cloned() } else { EntityLookup::place(self.state, id) }
    }
}

/// Summary and changes of an edit.
pub(super) type EditResult = Result<(String, Vec<Change>), CommandError>;

/// Corrections of a wrongly recorded fact. Unset parts stay unchanged. An unset statement is generated from the
/// corrected parts.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Correction<'a> {
    pub(crate) subject: Option<&'a EntityId>,
    pub(crate) predicate: Option<&'a str>,
    pub(crate) object: Option<&'a Object>,
    pub(crate) statement: Option<&'a str>,
}

impl Editor<'_> {
    fn provenance(&self) -> Provenance {
        let method = if self.author == Author::Game { Method::Witnessed } else { Method::Authored };
        let session = self.state.active_session().map(|playing| playing.session.clone());
        Provenance { recorded: self.now, session, ..Provenance::new(method, self.author.clone()) }
    }

    pub(super) fn add(
        &self,
        name: &str,
        kind: &Kind,
        id: Option<&EntityId>,
        place: Option<&EntityId>,
        attributes: &BTreeMap<String, String>,
    ) -> EditResult {
        let id = id.cloned().map_or_else(|| EntityId::from_name(name), Ok)?;
        if self.state.entity(&id).is_some() {
            let waiting = extracted_names(self.state, &id).find(|name| name.status() == FactStatus::Proposed);
            return Err(match waiting.filter(|_| is_unconfirmed_entity(self.state, &id)) {
                Some(fact) => CommandError::EntityWaits { name: name.to_owned(), fact: fact.id(), id },
                None => CommandError::EntityExists(id),
            });
        }
        let mut changes = vec![Change::AddEntity(Entity::new(id.clone()))];
        let mut facts = vec![
            self.attribute_fact(&id, &Predicate::new(attribute::NAME)?, name, name)?,
            self.attribute_fact(&id, &Predicate::new(attribute::KIND)?, kind.as_str(), name)?,
        ];
        for (attribute, value) in attributes {
            facts.push(self.attribute_fact(&id, &Predicate::new(attribute)?, value, name)?);
        }
        if let Some(place) = place {
            require_entity(self.state, place)?;
            let is_character = kind.is_character();
            let relations: &[PredicateRole] = match kind {
                Kind::Location | Kind::Faction => &[PredicateRole::Part],
                _ if is_character => &[PredicateRole::Residence, PredicateRole::Location],
                _ => &[PredicateRole::Location],
            };
            for relation in relations {
                let predicate = relation.predicate().clone();
                let statement = self.state.vocabulary().sentence(&predicate, name, public_name(self.state, place));
                let fact = Fact::relation(&id, predicate, place, self.provenance())?.statement(statement);
                facts.push(fact.build()?);
            }
        }
        let surroundings = NewEntity { state: self.state, id: &id, kind, place };
        let rules = self.state.audience_rules();
        for fact in facts {
            let audience = self.state.vocabulary().audience(&rules, &fact);
            let known_by = default_audience(audience, &fact, &surroundings);
            changes.extend(fact_with_knowers(Arc::new(fact), known_by, None));
        }
        Ok((format!("add {name}"), changes))
    }

    fn attribute_fact(
        &self,
        id: &EntityId,
        name: &Predicate,
        value: &str,
        subject_name: &str,
    ) -> Result<Fact, CommandError> {
        let statement = self.state.vocabulary().sentence(name, subject_name, value);
        Ok(Fact::attribute(id, name.clone(), value, self.provenance())?.statement(statement).build()?)
    }

    pub(super) fn set(&self, entity: &EntityId, name: &str, value: &str, options: &FactOptions) -> EditResult {
        require_entity(self.state, entity)?;
        let name = Predicate::new(name)?;
        let entity_name = self.state.name_or_id(entity);
        // If the attribute is a name, the statement uses the new name as its subject, not the old one.
        let subject = if name == attribute::NAME { value } else { public_name(self.state, entity) };
        let statement = self.state.vocabulary().sentence(&name, subject, value);
        let builder = Fact::attribute(entity, name.clone(), Value::from(value), self.provenance())?;
        let summary = format!("set {entity_name}'s {name}");
        Ok((summary, self.fact_changes(builder.statement(statement), options)?))
    }

    pub(super) fn clear(&self, entity: &EntityId, predicate: &Predicate, until: Option<&str>) -> EditResult {
        require_entity(self.state, entity)?;
        let until = until.map_or_else(|| Ok(clock_date(self.state)), |raw| parse_date(self.state, raw))?;
        let begins_later = |fact: &Fact, end| fact.validity().start().is_some_and(|start| start > end);
        let mut values = self.state.values(entity, predicate);
        values.retain(|fact| !until.time.is_some_and(|end| begins_later(fact, end)));
        if values.is_empty() {
            return Err(CommandError::NoValue { entity: entity.clone(), predicate: predicate.clone() });
        }
        let end = |fact: &Fact| Change::EndFact { fact: fact.id(), until: until.clone() };
        let summary = format!("end {}'s {predicate}", self.state.name_or_id(entity));
        Ok((summary, values.into_iter().map(end).collect()))
    }

    pub(super) fn relate(
        &self,
        subject: &EntityId,
        relation: &str,
        object: &EntityId,
        options: &FactOptions,
    ) -> EditResult {
        let (predicate, is_inverse) = self.relation(relation)?;
        require_entities(self.state, [subject, object])?;
        let (subject, object) = if is_inverse { (object, subject) } else { (subject, object) };
        let (subject_name, object_name) = (self.state.name_or_id(subject), self.state.name_or_id(object));
        let (public_subject, public_object) = (public_name(self.state, subject), public_name(self.state, object));
        let statement = self.state.vocabulary().sentence(&predicate, public_subject, public_object);
        let builder = Fact::relation(subject, predicate.clone(), object, self.provenance())?;
        let summary = format!("relate {subject_name} {predicate} {object_name}");
        Ok((summary, self.fact_changes(builder.statement(statement), options)?))
    }

    /// Resolves a relation given as a name (`OWES`), an inverse name (`HAS_MEMBER`), a field (`rescued`) or words (`works
    /// for`). The returned flag is `true` if subject and object must be swapped. Other words define a new relation.
    pub(crate) fn relation(&self, given: &str) -> Result<(Predicate, bool), CommandError> {
        if let Some(RelationField { predicate, is_inverse }) = self.state.vocabulary().relation_named(given) {
            return Ok((predicate, is_inverse));
        }
        let name = Predicate::new(given).ok().filter(Predicate::is_relation);
        Ok((name.map_or_else(|| Predicate::relation(given), Ok)?, false))
    }

    /// Returns the changes that add a fact with its options and knowers, and that end the facts it replaces.
    fn fact_changes(
        &self,
        builder: hearsay_model::FactBuilder,
        options: &FactOptions,
    ) -> Result<Vec<Change>, CommandError> {
        let date = |raw: &Option<String>| raw.as_ref().map(|raw| parse_date(self.state, raw)).transpose();
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
        let open_values = self.state.values(fact.subject(), fact.predicate());
        let mut changes = succession(self.state, &open_values, fact.predicate(), fact.object(), &mut validity);
        let fact = Arc::new(builder.validity(validity).build()?);
        let audience = self.state.vocabulary().audience(&self.state.audience_rules(), &fact);
        // In a game, the audience of the game decides who learns a new location.
        let moved = Move::from_fact(self.state, &fact).filter(|_| self.author != Author::Game);
        let mut known_by = match (options.secret, moved) {
            // A character knows a secret about itself. A group or place does not, because it would share the secret
            // with all its members or residents.
            (true, _) => {
                let is_character = self.state.is_character(fact.subject());
                Vec::from_iter(is_character.then(|| fact.subject().clone().into()))
            }
            (false, Some(moved)) if audience == Audience::Local => {
                moved.knowers().into_iter().map(Knower::from).collect()
            }
            (false, _) => default_audience(audience, &fact, self.state),
        };
        require_entities(self.state, &options.known_by)?;
        known_by.extend(options.known_by.iter().cloned().map(Knower::from));
        let learned = moved.and_then(|_| fact.validity().from.clone());
        if let Some(moved) = moved {
            let knowers: Vec<EntityId> = known_by.iter().filter_map(Knower::entity).cloned().collect();
            let consequences = moved.consequences(&changes, &knowers, self.now)?;
            changes.extend(consequences);
        }
        changes.extend(fact_with_knowers(fact, known_by, learned));
        Ok(changes)
    }

    /// Returns the corrected fact, and the changes that add it and move the knowers and reveals of the old fact to it.
    /// The changes do not remove the old fact.
    pub(crate) fn corrected(
        &self,
        old: &Fact,
        correction: &Correction<'_>,
        status: FactStatus,
    ) -> Result<(Arc<Fact>, Vec<Change>), CommandError> {
        require_entities(self.state, correction.subject.into_iter().chain(correction.object.and_then(Object::entity)))?;
        let mut object = correction.object.unwrap_or_else(|| old.object()).clone();
        let (predicate, is_inverse) = match correction.predicate {
            None => (old.predicate().clone(), false),
            Some(name) if object.entity().is_some() => self.relation(name)?,
            Some(name) => (Predicate::new(name)?, false),
        };
        let mut subject = correction.subject.unwrap_or_else(|| old.subject()).clone();
        if let (true, Object::Entity(other)) = (is_inverse, &mut object) {
            std::mem::swap(&mut subject, other);
        }
        let generated_statement = || public_sentence(self.state, &subject, &predicate, &object);
        let statement = correction.statement.map_or_else(generated_statement, str::to_owned);
        // The new fact must not refer to a removed session or entity.
        let session = old.provenance().session.clone().filter(|session| self.state.session(session).is_some());
        let mentions = old.mentions().iter().filter(|id| self.state.entity(id).is_some()).cloned();
        let evidence = old.provenance().evidence.clone();
        let provenance = Provenance { evidence, session, ..self.provenance() };
        let mut new = old.to_builder().subject(subject).object(object);
        if predicate != *old.predicate() {
            new = new.predicate(predicate).attitude(None).rank(None);
        }
        let new = new.statement(&statement).mentions(mentions);
        let new = Arc::new(new.provenance(provenance).status(status).build()?);
        let mut changes = vec![Change::AssertFact(Arc::clone(&new))];
        changes.extend(move_edges(self.state, &BTreeMap::from([(old.id(), new.id())])));
        if new.id() != old.id() {
            let reveals = self.state.reveals().filter(|reveal| reveal.facts().any(|fact| fact == old.id()));
            let reveals = reveals.map(|reveal| reveal.with_fact(old.id(), new.id()));
            changes.extend(reveals.map(|reveal| Change::Set(Setting::Game(GameSetting::Reveal(reveal)))));
        }
        Ok((new, changes))
    }
}

/// Returns the changes that add a fact and its knowers, who learn it at a game time or have always known it. All knowers
/// of a secret conceal it.
fn fact_with_knowers(fact: Arc<Fact>, mut known_by: Vec<Knower>, learned: Option<Date>) -> Vec<Change> {
    known_by.sort();
    known_by.dedup();
    let learned = learn_fact(&fact, known_by, learned.as_ref());
    std::iter::once(Change::AssertFact(fact)).chain(learned).collect()
}
