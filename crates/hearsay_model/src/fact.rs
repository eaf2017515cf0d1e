//! Facts: statements about an entity, with their provenance.

use std::{
    fmt,
    hash::{Hash, Hasher},
};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::{
    Attitude, EntityId, FactId, GameTime, Predicate, PredicateError, Provenance, Validity, attribute, state::Interner,
};

/// A finite number.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(try_from = "f64", into = "f64")]
pub struct Number(f64);

impl Number {
    /// Creates a number.
    ///
    /// # Errors
    /// Returns an error if the value is infinite or NaN.
    pub fn new(value: f64) -> Result<Self, FactError> {
        if value.is_finite() { Ok(Self(value + 0.0)) } else { Err(FactError::NotFinite) }
    }

    /// Returns the number.
    pub fn get(self) -> f64 {
        self.0
    }
}

impl Eq for Number {}

impl Hash for Number {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.0.to_bits().hash(hasher);
    }
}

impl TryFrom<f64> for Number {
    type Error = FactError;
    fn try_from(value: f64) -> Result<Self, FactError> {
        Self::new(value)
    }
}

impl From<Number> for f64 {
    fn from(number: Number) -> f64 {
        number.0
    }
}

/// Literal value of an attribute.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Value {
    /// Text. Never empty in a fact.
    Text(String),
    /// A finite number.
    Number(Number),
    /// A boolean.
    Flag(bool),
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => f.write_str(text),
            Self::Number(number) => write!(f, "{}", number.0),
            Self::Flag(true) => f.write_str("yes"),
            Self::Flag(false) => f.write_str("no"),
        }
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.into())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

/// Object of a fact: an entity or a value.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Object {
    /// An entity: the fact is a relation.
    Entity(EntityId),
    /// A value: the fact is an attribute.
    Value(Value),
}

impl Object {
    /// Returns the entity, if the object is an entity.
    #[inline]
    pub fn entity(&self) -> Option<&EntityId> {
        match self {
            Self::Entity(id) => Some(id),
            Self::Value(_) => None,
        }
    }

    /// Returns the text, if the object is a text value.
    #[inline]
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Value(Value::Text(text)) => Some(text),
            _ => None,
        }
    }
}

impl fmt::Display for Object {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Entity(id) => id.fmt(f),
            Self::Value(value) => value.fmt(f),
        }
    }
}

/// Whether the campaign treats a fact as true. The computation of credence never reads it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FactStatus {
    /// Awaits the DM's decision. Until then no knower knows the fact.
    Proposed,
    /// Claimed by a source, and undecided.
    Claimed,
    /// True in the campaign.
    #[default]
    Canon,
    /// False in the campaign, though some knowers believe it.
    False,
    /// Not part of the campaign: no source states the fact, and no knower knows it.
    Rejected,
}

impl FactStatus {
    /// All statuses.
    pub const ALL: [Self; 5] = [Self::Proposed, Self::Claimed, Self::Canon, Self::False, Self::Rejected];

    /// Returns whether a knower can know a fact with this status.
    pub fn is_in_world(self) -> bool {
        !matches!(self, Self::Proposed | Self::Rejected)
    }

    /// Returns the status as lowercase text.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Proposed => "proposed",
            Self::Claimed => "claimed",
            Self::Canon => "canon",
            Self::False => "false",
            Self::Rejected => "rejected",
        }
    }
}

impl fmt::Display for FactStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// How widely a fact is meant to be known.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Secrecy {
    /// Common knowledge: everyone may know the fact.
    Common,
    /// Unmarked: the audience rules decide who knows the fact.
    #[default]
    Open,
    /// Secret: only the named holders know the fact.
    Secret,
}

impl Secrecy {
    /// Returns the secrecy as lowercase text.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Common => "common",
            Self::Open => "open",
            Self::Secret => "secret",
        }
    }
}

/// Relation of a fact to another fact. A knower of the fact also knows the relation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FactRelation {
    /// The fact is a distorted version of the other fact.
    Distorts(FactId),
    /// The fact states that the other fact is untrue.
    Refutes(FactId),
    /// The fact states that the other fact no longer holds.
    Ends(FactId),
    /// The fact is the public version of the other fact, which is secret.
    Covers(FactId),
}

impl FactRelation {
    /// Returns the other fact.
    pub fn fact(self) -> FactId {
        match self {
            Self::Distorts(fact) | Self::Refutes(fact) | Self::Ends(fact) | Self::Covers(fact) => fact,
        }
    }

    /// Returns the kind of relation as lowercase text.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Distorts(_) => "distorts",
            Self::Refutes(_) => "refutes",
            Self::Ends(_) => "ends",
            Self::Covers(_) => "covers",
        }
    }
}

/// Error: invalid fact.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum FactError {
    /// The statement is empty.
    #[error("a fact needs a sentence that states it")]
    NoStatement,
    /// The value is empty text.
    #[error("`{0}` cannot be empty")]
    EmptyValue(Predicate),
    /// A relation has a value as its object, or an attribute has an entity.
    #[error(
        "{predicate} takes {expected}: relations are in capitals and point at an entity, attributes are in lowercase and have a value"
    )]
    WrongObject {
        /// The predicate.
        predicate: Predicate,
        /// The kind of object that the predicate takes.
        expected: &'static str,
    },
    /// The validity interval ends before it begins.
    #[error("the fact ends at {until}, before it begins at {from}")]
    Backwards {
        /// The start of the interval.
        from: GameTime,
        /// The end of the interval.
        until: GameTime,
    },
    /// The number is not finite.
    #[error("a value must be a finite number")]
    NotFinite,
    /// The predicate is malformed.
    #[error(transparent)]
    Predicate(#[from] PredicateError),
}

/// Statement about an entity: subject, predicate, object, one sentence that states the fact, and provenance.
///
/// Built with [`Fact::relation`] or [`Fact::attribute`]. The id is derived from content and source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "FactParts", into = "FactParts")]
pub struct Fact {
    id: FactId,
    parts: FactParts,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct FactParts {
    subject: EntityId,
    predicate: Predicate,
    object: Object,
    statement: String,
    mentions: Vec<EntityId>,
    attitude: Option<Attitude>,
    rank: Option<String>,
    conditions: Option<String>,
    validity: Validity,
    status: FactStatus,
    secrecy: Secrecy,
    handle: Option<String>,
    provenance: Provenance,
    #[serde(default)]
    fact_relation: Option<FactRelation>,
}

impl TryFrom<FactParts> for Fact {
    type Error = FactError;
    fn try_from(parts: FactParts) -> Result<Self, FactError> {
        FactBuilder { parts }.build()
    }
}

impl From<Fact> for FactParts {
    fn from(fact: Fact) -> Self {
        fact.parts
    }
}

impl Fact {
    /// Starts a builder for a relation between two entities.
    ///
    /// # Errors
    /// Returns an error if the predicate is malformed.
    pub fn relation(
        subject: &EntityId,
        predicate: impl TryInto<Predicate, Error: Into<PredicateError>>,
        object: &EntityId,
        provenance: Provenance,
    ) -> Result<FactBuilder, FactError> {
        let predicate = predicate.try_into().map_err(Into::into)?;
        Ok(FactBuilder::new(subject.clone(), predicate, Object::Entity(object.clone()), provenance))
    }

    /// Starts a builder for an attribute of an entity.
    ///
    /// # Errors
    /// Returns an error if the attribute's name is malformed.
    pub fn attribute(
        subject: &EntityId,
        name: impl TryInto<Predicate, Error: Into<PredicateError>>,
        value: impl Into<Value>,
        provenance: Provenance,
    ) -> Result<FactBuilder, FactError> {
        let name = name.try_into().map_err(Into::into)?;
        Ok(FactBuilder::new(subject.clone(), name, Object::Value(value.into()), provenance))
    }

    /// Starts a builder for a changed version of this fact. A change of content or source gives a new id.
    pub fn to_builder(&self) -> FactBuilder {
        FactBuilder { parts: self.parts.clone() }
    }

    /// Returns the id: a hash of subject, predicate, object, statement, start of validity, source and fact relation.
    #[inline]
    pub fn id(&self) -> FactId {
        self.id
    }

    /// Returns the entity that the fact is about.
    #[inline]
    pub fn subject(&self) -> &EntityId {
        &self.parts.subject
    }

    /// Returns the predicate.
    #[inline]
    pub fn predicate(&self) -> &Predicate {
        &self.parts.predicate
    }

    /// Returns the object.
    #[inline]
    pub fn object(&self) -> &Object {
        &self.parts.object
    }

    /// Returns the sentence that states the fact.
    #[inline]
    pub fn statement(&self) -> &str {
        &self.parts.statement
    }

    /// Returns further entities that the statement names. Sorted and unique; never the subject or the object.
    pub fn mentions(&self) -> &[EntityId] {
        &self.parts.mentions
    }

    /// Returns all entities of the fact: subject, object and mentions.
    pub fn entities(&self) -> impl Iterator<Item = &EntityId> {
        std::iter::once(self.subject()).chain(self.object().entity()).chain(self.mentions())
    }

    /// Returns the attitude of the subject towards the object.
    pub fn attitude(&self) -> Option<Attitude> {
        self.parts.attitude
    }

    /// Returns the subject's rank in the object, which is a group.
    pub fn rank(&self) -> Option<&str> {
        self.parts.rank.as_deref()
    }

    /// Returns the conditions under which the fact holds, as free text.
    pub fn conditions(&self) -> Option<&str> {
        self.parts.conditions.as_deref()
    }

    /// Returns the interval in which the fact holds in the world.
    #[inline]
    pub fn validity(&self) -> &Validity {
        &self.parts.validity
    }

    /// Returns the status.
    #[inline]
    pub fn status(&self) -> FactStatus {
        self.parts.status
    }

    /// Returns whether the fact is canon or claimed and has no end. Graph walks for the DM follow these facts.
    pub fn stands(&self) -> bool {
        matches!(self.status(), FactStatus::Canon | FactStatus::Claimed) && !self.validity().is_closed()
    }

    /// Interns the ids of the fact. Their texts and the fact's own id do not change.
    pub(crate) fn intern(&mut self, interner: &mut Interner) {
        let parts = &mut self.parts;
        interner.entity(&mut parts.subject);
        interner.predicate(&mut parts.predicate);
        if let Object::Entity(id) = &mut parts.object {
            interner.entity(id);
        }
        parts.mentions.iter_mut().chain(&mut parts.provenance.speaker).for_each(|id| interner.entity(id));
        parts.provenance.session.iter_mut().for_each(|id| interner.session(id));
    }

    /// Returns whether the value is a name or an alias of the subject.
    pub(crate) fn is_name(&self) -> bool {
        [attribute::NAME, attribute::ALIAS].contains(&self.predicate().as_str())
    }

    /// Returns the secrecy.
    #[inline]
    pub fn secrecy(&self) -> Secrecy {
        self.parts.secrecy
    }

    /// Returns the author's own name for the fact, if a campaign file gives one. Not part of the id.
    pub fn handle(&self) -> Option<&str> {
        self.parts.handle.as_deref()
    }

    /// Returns the relation to another fact.
    pub fn fact_relation(&self) -> Option<FactRelation> {
        self.parts.fact_relation
    }

    /// Returns the provenance.
    pub fn provenance(&self) -> &Provenance {
        &self.parts.provenance
    }

    /// Sets the time at which the fact was recorded. The id does not depend on it.
    pub fn set_recorded(&mut self, recorded: crate::Timestamp) {
        self.parts.provenance.recorded = recorded;
    }

    /// Ends the validity. The id does not depend on the end.
    pub(crate) fn set_end(&mut self, until: crate::Date) {
        self.parts.validity.until = Some(until);
    }

    pub(crate) fn set_status(&mut self, status: FactStatus) {
        self.parts.status = status;
    }

    pub(crate) fn set_secrecy(&mut self, secrecy: Secrecy) {
        self.parts.secrecy = secrecy;
    }

    pub(crate) fn confirm(&mut self) {
        self.parts.provenance.confirmed = true;
    }

    /// Adds the evidence of another fact that states the same. Takes over its confidence if that is higher.
    pub(crate) fn support(&mut self, other: &Self) {
        let (own, given) = (&mut self.parts.provenance, other.provenance());
        if given.confidence > own.confidence {
            (own.confidence, own.extracted) = (given.confidence, given.extracted);
            own.model.clone_from(&given.model);
        }
        for evidence in &given.evidence {
            if !own.evidence.contains(evidence) {
                own.evidence.push(evidence.clone());
            }
        }
    }
}

/// Builder of a [`Fact`].
#[derive(Debug, Clone)]
#[must_use = "a fact is only built by `build`"]
pub struct FactBuilder {
    parts: FactParts,
}

impl FactBuilder {
    fn new(subject: EntityId, predicate: Predicate, object: Object, provenance: Provenance) -> Self {
        let statement = format!("{subject} {predicate} {object}");
        Self {
            parts: FactParts {
                subject,
                predicate,
                object,
                statement,
                mentions: Vec::new(),
                attitude: None,
                rank: None,
                conditions: None,
                validity: Validity::default(),
                status: FactStatus::default(),
                secrecy: Secrecy::default(),
                handle: None,
                provenance,
                fact_relation: None,
            },
        }
    }

    /// Sets the sentence that states the fact. The default lists subject, predicate and object.
    #[inline]
    pub fn statement(mut self, statement: impl Into<String>) -> Self {
        self.parts.statement = statement.into();
        self
    }

    /// Sets the entity that the fact is about.
    pub fn subject(mut self, subject: EntityId) -> Self {
        self.parts.subject = subject;
        self
    }

    /// Sets the predicate.
    pub fn predicate(mut self, predicate: Predicate) -> Self {
        self.parts.predicate = predicate;
        self
    }

    /// Sets the object.
    #[inline]
    pub fn object(mut self, object: Object) -> Self {
        self.parts.object = object;
        self
    }

    /// Sets further entities that the statement names.
    pub fn mentions(mut self, mentions: impl IntoIterator<Item = EntityId>) -> Self {
        self.parts.mentions = mentions.into_iter().collect();
        self
    }

    /// Sets the attitude of the subject towards the object.
    pub fn attitude(mut self, attitude: Option<Attitude>) -> Self {
        self.parts.attitude = attitude;
        self
    }

    /// Sets the subject's rank in the object.
    pub fn rank(mut self, rank: Option<String>) -> Self {
        self.parts.rank = rank;
        self
    }

    /// Sets the conditions under which the fact holds.
    pub fn conditions(mut self, conditions: Option<String>) -> Self {
        self.parts.conditions = conditions;
        self
    }

    /// Sets the interval in which the fact holds in the world.
    #[inline]
    pub fn validity(mut self, validity: Validity) -> Self {
        self.parts.validity = validity;
        self
    }

    /// Sets the status. The default is canon.
    #[inline]
    pub fn status(mut self, status: FactStatus) -> Self {
        self.parts.status = status;
        self
    }

    /// Sets the secrecy. The default is open.
    #[inline]
    pub fn secrecy(mut self, secrecy: Secrecy) -> Self {
        self.parts.secrecy = secrecy;
        self
    }

    /// Sets the author's own name for the fact.
    pub fn handle(mut self, handle: Option<String>) -> Self {
        self.parts.handle = handle;
        self
    }

    /// Sets the relation to another fact.
    pub fn fact_relation(mut self, fact_relation: Option<FactRelation>) -> Self {
        self.parts.fact_relation = fact_relation;
        self
    }

    /// Sets the provenance.
    pub fn provenance(mut self, provenance: Provenance) -> Self {
        self.parts.provenance = provenance;
        self
    }

    /// Checks the parts and derives the id.
    ///
    /// # Errors
    /// Returns an error if the statement or a value is empty, if a relation has a value or an attribute has an entity,
    /// or if the interval ends before it begins.
    pub fn build(mut self) -> Result<Fact, FactError> {
        let parts = &mut self.parts;
        if parts.statement.trim().is_empty() {
            return Err(FactError::NoStatement);
        }
        if parts.object.text().is_some_and(|text| text.trim().is_empty()) {
            return Err(FactError::EmptyValue(parts.predicate.clone()));
        }
        let predicate = || parts.predicate.clone();
        match (&parts.object, parts.predicate.is_relation()) {
            (Object::Value(_), true) => {
                return Err(FactError::WrongObject { predicate: predicate(), expected: "an entity" });
            }
            (Object::Entity(_), false) => {
                return Err(FactError::WrongObject { predicate: predicate(), expected: "a value" });
            }
            _ => {}
        }
        if let (Some(from), Some(until)) = (parts.validity.start(), parts.validity.end())
            && until < from
        {
            return Err(FactError::Backwards { from, until });
        }
        let (subject, object) = (&parts.subject, parts.object.entity());
        parts.mentions.retain(|id| id != subject && Some(id) != object);
        parts.mentions.sort();
        parts.mentions.dedup();
        let object = match &parts.object {
            Object::Entity(id) => format!("entity {id}"),
            Object::Value(Value::Text(text)) => format!("text {text}"),
            Object::Value(value) => format!("value {value}"),
        };
        let start = parts.validity.start().map_or(String::new(), |start| start.0.to_string());
        let source = parts.provenance.source();
        let fact_relation =
            parts.fact_relation.map(|fact_relation| format!("{} {}", fact_relation.as_str(), fact_relation.fact()));
        let mut content = vec![
            parts.subject.as_str().as_bytes(),
            parts.predicate.as_str().as_bytes(),
            object.as_bytes(),
            parts.statement.as_bytes(),
            start.as_bytes(),
            source.as_bytes(),
        ];
        content.extend(fact_relation.as_ref().map(|fact_relation| fact_relation.as_bytes()));
        let id = FactId::of(&content);
        Ok(Fact { id, parts: self.parts })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Author, Date, Method};

    fn provenance() -> Provenance {
        Provenance::new(Method::Authored, Author::Dm)
    }

    fn id(text: &str) -> EntityId {
        EntityId::new(text).unwrap()
    }

    #[test]
    fn the_id_follows_content_and_source() {
        let build = |object: &str, author: Author| {
            let provenance = Provenance::new(Method::Authored, author);
            Fact::relation(&id("a"), "OWES", &id(object), provenance).unwrap().build().unwrap()
        };
        let fact = build("b", Author::Dm);
        assert_eq!(fact.id(), build("b", Author::Dm).id());
        assert_ne!(fact.id(), build("c", Author::Dm).id());
        assert_ne!(fact.id(), build("b", Author::Game).id());
        let false_one = fact.to_builder().status(FactStatus::False).build().unwrap();
        assert_eq!(fact.id(), false_one.id(), "standing is no part of the content");
    }

    #[test]
    fn what_cannot_be_is_refused() {
        let relation = || Fact::relation(&id("a"), "OWES", &id("b"), provenance()).unwrap();
        assert_eq!(relation().statement(" ").build(), Err(FactError::NoStatement));
        let wrong = Fact::relation(&id("a"), "owes", &id("b"), provenance()).unwrap().build();
        assert!(matches!(wrong, Err(FactError::WrongObject { .. })), "{wrong:?}");
        let empty = Fact::attribute(&id("a"), "name", " ", provenance()).unwrap().build();
        assert!(matches!(empty, Err(FactError::EmptyValue(_))));
        let at = |minute| Some(Date::at(GameTime(minute)));
        let backwards = relation().validity(Validity { from: at(5), until: at(4) }).build();
        assert!(matches!(backwards, Err(FactError::Backwards { .. })));
        assert!(Number::new(f64::NAN).is_err());
    }

    #[test]
    fn reading_checks_again() {
        let fact = Fact::attribute(&id("a"), "name", "Ann", provenance()).unwrap().build().unwrap();
        let json = serde_json::to_string(&fact).unwrap();
        assert_eq!(serde_json::from_str::<Fact>(&json).unwrap(), fact);
        let damaged = json.replace("\"statement\":\"a name Ann\"", "\"statement\":\"\"");
        assert_ne!(json, damaged);
        assert!(serde_json::from_str::<Fact>(&damaged).is_err());
    }
}
