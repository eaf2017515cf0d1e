//! Facts: what is said of an entity, and where it comes from.

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
    /// Takes a finite number.
    ///
    /// # Errors
    /// When it is infinite or not a number.
    pub fn new(value: f64) -> Result<Self, FactError> {
        if value.is_finite() { Ok(Self(value + 0.0)) } else { Err(FactError::NotFinite) }
    }

    /// The number.
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

/// A value that is no entity.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Value {
    /// Words; never empty in a fact.
    Text(String),
    /// A finite number.
    Number(Number),
    /// Yes or no.
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

/// What a fact points at.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Object {
    /// An entity: the fact is a relation.
    Entity(EntityId),
    /// A value: the fact is an attribute.
    Value(Value),
}

impl Object {
    /// The entity, if it is one.
    #[inline]
    pub fn entity(&self) -> Option<&EntityId> {
        match self {
            Self::Entity(id) => Some(id),
            Self::Value(_) => None,
        }
    }

    /// The value as text, if it is words.
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

/// What the world says of a fact. Belief never reads it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// It waits for the DM; until then nobody knows it.
    Proposed,
    /// Somebody says so; undecided.
    Claimed,
    /// It is so.
    #[default]
    Canon,
    /// It is not so, though some believe it.
    False,
    /// It is no part of the world: nobody says it, nobody knows it.
    Rejected,
}

impl Standing {
    /// Every standing.
    pub const ALL: [Self; 5] = [Self::Proposed, Self::Claimed, Self::Canon, Self::False, Self::Rejected];

    /// Whether somebody in the world can know a fact of this standing.
    pub fn is_in_world(self) -> bool {
        !matches!(self, Self::Proposed | Self::Rejected)
    }

    /// The standing as text: lowercase.
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

impl fmt::Display for Standing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// How a fact is meant to be kept.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Secrecy {
    /// Everybody may know.
    Common,
    /// Nothing is said: the audience rules decide who knows.
    #[default]
    Open,
    /// Only named holders know.
    Secret,
}

impl Secrecy {
    /// The secrecy as text: lowercase.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Common => "common",
            Self::Open => "open",
            Self::Secret => "secret",
        }
    }
}

/// What a fact has to do with another. Whoever knows the fact knows that.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Bearing {
    /// It is the other, retold wrongly.
    Distorts(FactId),
    /// It says that the other is not so.
    Refutes(FactId),
    /// It says that the other is so no longer.
    Ends(FactId),
    /// It is what is said in public, where the other is kept secret.
    Covers(FactId),
}

impl Bearing {
    /// The other fact.
    pub fn fact(self) -> FactId {
        match self {
            Self::Distorts(fact) | Self::Refutes(fact) | Self::Ends(fact) | Self::Covers(fact) => fact,
        }
    }

    /// The kind of bearing as text: lowercase.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Distorts(_) => "distorts",
            Self::Refutes(_) => "refutes",
            Self::Ends(_) => "ends",
            Self::Covers(_) => "covers",
        }
    }
}

/// A fact that cannot be.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum FactError {
    /// The sentence that states the fact is empty.
    #[error("a fact needs a sentence that states it")]
    NoStatement,
    /// A value that is empty text.
    #[error("`{0}` cannot be empty")]
    EmptyValue(Predicate),
    /// A relation with a value, or an attribute with an entity.
    #[error(
        "{predicate} takes {expected}: relations are in capitals and point at an entity, attributes are in lowercase and have a value"
    )]
    WrongObject {
        /// The predicate.
        predicate: Predicate,
        /// What it takes.
        expected: &'static str,
    },
    /// The interval ends before it begins.
    #[error("the fact ends at {until}, before it begins at {from}")]
    Backwards {
        /// The beginning.
        from: GameTime,
        /// The end.
        until: GameTime,
    },
    /// A number that is not finite.
    #[error("a value must be a finite number")]
    NotFinite,
    /// The predicate is malformed.
    #[error(transparent)]
    Predicate(#[from] PredicateError),
}

/// What is said of an entity: subject, predicate, object, one sentence that states it, and its provenance.
///
/// Built with [`Fact::relation`] or [`Fact::attribute`]; the id derives from content and source.
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
    standing: Standing,
    secrecy: Secrecy,
    handle: Option<String>,
    provenance: Provenance,
    #[serde(default)]
    bearing: Option<Bearing>,
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
    /// Begins a relation between two entities.
    ///
    /// # Errors
    /// When the predicate is malformed.
    pub fn relation(
        subject: &EntityId,
        predicate: impl TryInto<Predicate, Error: Into<PredicateError>>,
        object: &EntityId,
        provenance: Provenance,
    ) -> Result<FactBuilder, FactError> {
        let predicate = predicate.try_into().map_err(Into::into)?;
        Ok(FactBuilder::new(subject.clone(), predicate, Object::Entity(object.clone()), provenance))
    }

    /// Begins an attribute of an entity.
    ///
    /// # Errors
    /// When the attribute's name is malformed.
    pub fn attribute(
        subject: &EntityId,
        name: impl TryInto<Predicate, Error: Into<PredicateError>>,
        value: impl Into<Value>,
        provenance: Provenance,
    ) -> Result<FactBuilder, FactError> {
        let name = name.try_into().map_err(Into::into)?;
        Ok(FactBuilder::new(subject.clone(), name, Object::Value(value.into()), provenance))
    }

    /// Begins a changed version of this fact. It gets an id of its own when content or source change.
    pub fn to_builder(&self) -> FactBuilder {
        FactBuilder { parts: self.parts.clone() }
    }

    /// The id: a hash of subject, predicate, object, statement, first moment, source, and bearing.
    #[inline]
    pub fn id(&self) -> FactId {
        self.id
    }

    /// Whom or what it is about.
    #[inline]
    pub fn subject(&self) -> &EntityId {
        &self.parts.subject
    }

    /// What it says of the subject.
    #[inline]
    pub fn predicate(&self) -> &Predicate {
        &self.parts.predicate
    }

    /// What it points at.
    #[inline]
    pub fn object(&self) -> &Object {
        &self.parts.object
    }

    /// The sentence that states it.
    #[inline]
    pub fn statement(&self) -> &str {
        &self.parts.statement
    }

    /// Further entities that the statement names. Sorted, each once; never subject or object.
    pub fn mentions(&self) -> &[EntityId] {
        &self.parts.mentions
    }

    /// All entities of the fact: subject, object, mentions.
    pub fn entities(&self) -> impl Iterator<Item = &EntityId> {
        std::iter::once(self.subject()).chain(self.object().entity()).chain(self.mentions())
    }

    /// How the subject feels about the object.
    pub fn attitude(&self) -> Option<Attitude> {
        self.parts.attitude
    }

    /// The subject's rank in the object, a group.
    pub fn rank(&self) -> Option<&str> {
        self.parts.rank.as_deref()
    }

    /// Under which conditions it holds, in words.
    pub fn conditions(&self) -> Option<&str> {
        self.parts.conditions.as_deref()
    }

    /// When it holds in the world.
    #[inline]
    pub fn validity(&self) -> &Validity {
        &self.parts.validity
    }

    /// What the world says of it.
    #[inline]
    pub fn standing(&self) -> Standing {
        self.parts.standing
    }

    /// Whether it is canon or claimed, and holds now: what the DM's walks follow.
    pub fn stands(&self) -> bool {
        matches!(self.standing(), Standing::Canon | Standing::Claimed) && !self.validity().is_closed()
    }

    /// Interns its ids. Their texts stay the same, and so does its own id.
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

    /// Whether its value is a name or an alias of its subject.
    pub(crate) fn is_name(&self) -> bool {
        [attribute::NAME, attribute::ALIAS].contains(&self.predicate().as_str())
    }

    /// How it is meant to be kept.
    #[inline]
    pub fn secrecy(&self) -> Secrecy {
        self.parts.secrecy
    }

    /// The author's own name for it, where a campaign file gives one. Not part of the id.
    pub fn handle(&self) -> Option<&str> {
        self.parts.handle.as_deref()
    }

    /// What it has to do with another fact.
    pub fn bearing(&self) -> Option<Bearing> {
        self.parts.bearing
    }

    /// Where it comes from.
    pub fn provenance(&self) -> &Provenance {
        &self.parts.provenance
    }

    /// Sets when the fact was recorded. The id does not depend on it.
    pub fn set_recorded(&mut self, recorded: crate::Timestamp) {
        self.parts.provenance.recorded = recorded;
    }

    /// Ends the validity. Content is unchanged, so the id stays.
    pub(crate) fn set_end(&mut self, until: crate::Date) {
        self.parts.validity.until = Some(until);
    }

    pub(crate) fn set_standing(&mut self, standing: Standing) {
        self.parts.standing = standing;
    }

    pub(crate) fn set_secrecy(&mut self, secrecy: Secrecy) {
        self.parts.secrecy = secrecy;
    }

    pub(crate) fn confirm(&mut self) {
        self.parts.provenance.confirmed = true;
    }

    /// Takes over the evidence of another that says the same, and its confidence where that is surer.
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

/// Collects the parts of a [`Fact`].
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
                standing: Standing::default(),
                secrecy: Secrecy::default(),
                handle: None,
                provenance,
                bearing: None,
            },
        }
    }

    /// The sentence that states the fact. Without one, the three parts are named one after the other.
    #[inline]
    pub fn statement(mut self, statement: impl Into<String>) -> Self {
        self.parts.statement = statement.into();
        self
    }

    /// What it is said of.
    pub fn subject(mut self, subject: EntityId) -> Self {
        self.parts.subject = subject;
        self
    }

    /// What is said.
    pub fn predicate(mut self, predicate: Predicate) -> Self {
        self.parts.predicate = predicate;
        self
    }

    /// What the fact points at.
    #[inline]
    pub fn object(mut self, object: Object) -> Self {
        self.parts.object = object;
        self
    }

    /// Further entities that the statement names.
    pub fn mentions(mut self, mentions: impl IntoIterator<Item = EntityId>) -> Self {
        self.parts.mentions = mentions.into_iter().collect();
        self
    }

    /// How the subject feels about the object.
    pub fn attitude(mut self, attitude: Option<Attitude>) -> Self {
        self.parts.attitude = attitude;
        self
    }

    /// The subject's rank in the object.
    pub fn rank(mut self, rank: Option<String>) -> Self {
        self.parts.rank = rank;
        self
    }

    /// Under which conditions it holds.
    pub fn conditions(mut self, conditions: Option<String>) -> Self {
        self.parts.conditions = conditions;
        self
    }

    /// When it holds in the world.
    #[inline]
    pub fn validity(mut self, validity: Validity) -> Self {
        self.parts.validity = validity;
        self
    }

    /// What the world says of it; canon, when nothing is said.
    #[inline]
    pub fn standing(mut self, standing: Standing) -> Self {
        self.parts.standing = standing;
        self
    }

    /// How it is meant to be kept; open, when nothing is said.
    #[inline]
    pub fn secrecy(mut self, secrecy: Secrecy) -> Self {
        self.parts.secrecy = secrecy;
        self
    }

    /// The author's own name for it.
    pub fn handle(mut self, handle: Option<String>) -> Self {
        self.parts.handle = handle;
        self
    }

    /// What it has to do with another fact.
    pub fn bearing(mut self, bearing: Option<Bearing>) -> Self {
        self.parts.bearing = bearing;
        self
    }

    /// Where it comes from.
    pub fn provenance(mut self, provenance: Provenance) -> Self {
        self.parts.provenance = provenance;
        self
    }

    /// Checks the parts and derives the id.
    ///
    /// # Errors
    /// When the statement or a value is empty, a relation has a value or an attribute an entity, or the interval
    /// ends before it begins.
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
        let bearing = parts.bearing.map(|bearing| format!("{} {}", bearing.as_str(), bearing.fact()));
        let mut content = vec![
            parts.subject.as_str().as_bytes(),
            parts.predicate.as_str().as_bytes(),
            object.as_bytes(),
            parts.statement.as_bytes(),
            start.as_bytes(),
            source.as_bytes(),
        ];
        content.extend(bearing.as_ref().map(|bearing| bearing.as_bytes()));
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
        let false_one = fact.to_builder().standing(Standing::False).build().unwrap();
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
