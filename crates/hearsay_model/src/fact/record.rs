//! Facts and their builder.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

use super::{FactError, FactRelation, FactStatus, Factuality, Object, Secrecy, Value};
use crate::{
    Attitude, EntityId, FactId, Predicate, PredicateError, Provenance, Reference, Rename, Validity, attribute,
};

/// Statement about an entity: subject, predicate, object, one sentence that states the fact, and provenance.
///
/// Use [`Fact::relation`] or [`Fact::attribute`] to build a fact. The id is a hash of the content and the source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fact {
    id: FactId,
    parts: FactParts,
}

/// In a human-readable format, the serialized fact does not contain its id. In other formats, it contains the id,
/// because reading the id takes less time than computing it.
impl Serialize for Fact {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() {
            self.parts.serialize(serializer)
        } else {
            (self.id, &self.parts).serialize(serializer)
        }
    }
}

/// If the format is human-readable, checks the fact and computes its id. Data in other formats is not checked, so
/// protect it with a checksum.
impl<'de> Deserialize<'de> for Fact {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if deserializer.is_human_readable() {
            FactBuilder { parts: FactParts::deserialize(deserializer)? }.build().map_err(D::Error::custom)
        } else {
            let (id, parts) = <(FactId, FactParts)>::deserialize(deserializer)?;
            Ok(Self { id, parts })
        }
    }
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
    #[serde(default)]
    factuality: Factuality,
    #[serde(default)]
    contradicts: Vec<FactId>,
}

impl FactParts {
    fn rename(&mut self, renaming: &mut impl Rename) {
        renaming.entity(&mut self.subject);
        renaming.predicate(&mut self.predicate);
        if let Object::Entity(id) = &mut self.object {
            renaming.entity(id);
        }
        self.mentions.iter_mut().for_each(|id| renaming.entity(id));
        self.fact_relation.iter_mut().for_each(|relation| relation.rename(renaming));
        self.contradicts.iter_mut().for_each(|id| renaming.fact(id));
        self.provenance.rename(renaming);
    }
}

impl Fact {
    /// Starts a builder for a relation between two entities.
    ///
    /// # Errors
    /// Returns an error if the name of the predicate is malformed.
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
    /// Returns an error if the name of the attribute is malformed.
    pub fn attribute(
        subject: &EntityId,
        name: impl TryInto<Predicate, Error: Into<PredicateError>>,
        value: impl Into<Value>,
        provenance: Provenance,
    ) -> Result<FactBuilder, FactError> {
        let name = name.try_into().map_err(Into::into)?;
        Ok(FactBuilder::new(subject.clone(), name, Object::Value(value.into()), provenance))
    }

    /// Returns a builder that contains the parts of this fact. If you change the content or the source, the fact that
    /// you build has a different id.
    pub fn to_builder(&self) -> FactBuilder {
        FactBuilder { parts: self.parts.clone() }
    }

    /// Returns the id of the fact: a hash of subject, predicate, object, statement, start of validity, source and fact
    /// relation.
    #[inline]
    pub fn id(&self) -> FactId {
        self.id
    }

    /// Returns the entity that the fact is about.
    #[inline]
    pub fn subject(&self) -> &EntityId {
        &self.parts.subject
    }

    /// Returns the predicate of the fact.
    #[inline]
    pub fn predicate(&self) -> &Predicate {
        &self.parts.predicate
    }

    /// Returns the object: an entity for a relation, a value for an attribute.
    #[inline]
    pub fn object(&self) -> &Object {
        &self.parts.object
    }

    /// Returns the sentence that states the fact.
    #[inline]
    pub fn statement(&self) -> &str {
        &self.parts.statement
    }

    /// Returns the entities that the statement names, sorted and unique. The subject and the object are not included.
    pub fn mentions(&self) -> &[EntityId] {
        &self.parts.mentions
    }

    /// Returns the assertion status: whether the source asserts, negates, plans, hedges or ends the statement. The id
    /// of the fact does not depend on the assertion status.
    pub fn factuality(&self) -> Factuality {
        self.parts.factuality
    }

    /// Returns the subject, the object (if it is an entity) and the mentions of the fact.
    pub fn entities(&self) -> impl Iterator<Item = &EntityId> {
        std::iter::once(self.subject()).chain(self.object().entity()).chain(self.mentions())
    }

    /// Returns the attitude of the subject towards the object; `None` if the fact states no attitude.
    pub fn attitude(&self) -> Option<Attitude> {
        self.parts.attitude
    }

    /// Returns the rank of the subject in the group that is the object; `None` if the fact states no rank.
    pub fn rank(&self) -> Option<&str> {
        self.parts.rank.as_deref()
    }

    /// Returns the conditions under which the fact is true, as free text.
    pub fn conditions(&self) -> Option<&str> {
        self.parts.conditions.as_deref()
    }

    /// Returns the interval of game time in which the fact is true.
    #[inline]
    pub fn validity(&self) -> &Validity {
        &self.parts.validity
    }

    /// Returns the status: whether the campaign treats the fact as true.
    #[inline]
    pub fn status(&self) -> FactStatus {
        self.parts.status
    }

    /// Returns whether the fact is canon or claimed, and has no end date. Graph searches for the DM follow only
    /// relations that are in effect.
    pub fn is_in_effect(&self) -> bool {
        matches!(self.status(), FactStatus::Canon | FactStatus::Claimed) && !self.validity().is_closed()
    }

    /// Calls `visit` with each reference from the fact to another record: entities, facts, passages and sessions.
    pub fn visit_references<'a>(&'a self, visit: &mut dyn FnMut(Reference<'a>)) {
        self.entities().for_each(|id| visit(Reference::Entity(id)));
        self.fact_relation().into_iter().for_each(|relation| visit(Reference::Fact(relation.fact())));
        self.contradicts().iter().for_each(|id| visit(Reference::Fact(*id)));
        self.provenance().visit_references(visit);
    }

    /// Uses the methods of `renaming` to replace the ids of the records that the fact refers to. Then recomputes the id
    /// of the fact, which is a hash.
    pub fn rename<R: Rename>(&mut self, renaming: &mut R) {
        self.parts.rename(renaming);
        if !R::KEEPS_IDS_EQUAL
            // A valid fact stays valid when its ids are renamed, so this does not fail.
            && let Ok(renamed) = self.to_builder().build()
        {
            *self = renamed;
        }
    }

    /// Returns whether the fact states a name or an alias of its subject.
    pub fn is_name(&self) -> bool {
        [attribute::NAME, attribute::ALIAS].contains(&self.predicate().as_str())
    }

    /// Returns the secrecy: how widely the fact may be known.
    #[inline]
    pub fn secrecy(&self) -> Secrecy {
        self.parts.secrecy
    }

    /// Returns the handle: the name that the author gave the fact in a campaign file. The id of the fact does not
    /// depend on the handle.
    pub fn handle(&self) -> Option<&str> {
        self.parts.handle.as_deref()
    }

    /// Returns the relation of this fact to another fact, such as "refutes"; `None` if there is no relation.
    pub fn fact_relation(&self) -> Option<FactRelation> {
        self.parts.fact_relation
    }

    /// Returns the facts that this fact contradicts according to its author, sorted and unique. For example, a lie
    /// contradicts the fact that it hides. The id of the fact does not depend on these facts.
    pub fn contradicts(&self) -> &[FactId] {
        &self.parts.contradicts
    }

    /// Returns the provenance: author, method, time, confidence and evidence.
    pub fn provenance(&self) -> &Provenance {
        &self.parts.provenance
    }

    /// Sets the real time at which the fact was recorded. The id of the fact does not depend on this time.
    pub fn set_recorded(&mut self, recorded: crate::Timestamp) {
        self.parts.provenance.recorded = recorded;
    }

    /// Returns a copy of the fact without the data that only the DM may see. The copy has the same id. It is canon, is
    /// not secret, and has no end date. The copy has no mentions, rank, attitude, conditions, handle, relations to
    /// other facts, confidence or evidence. It keeps the method, the author, the session and the recording time of the
    /// provenance.
    #[must_use]
    pub fn without_dm_data(&self) -> Self {
        let FactParts { subject, predicate, object, statement, validity, provenance, factuality, .. } = &self.parts;
        let provenance = Provenance {
            session: provenance.session.clone(),
            recorded: provenance.recorded,
            ..Provenance::new(provenance.method, provenance.author.clone())
        };
        let (subject, predicate, object) = (subject.clone(), predicate.clone(), object.clone());
        let parts = FactParts {
            statement: statement.clone(),
            validity: Validity { from: validity.from.clone(), until: None },
            factuality: *factuality,
            ..FactBuilder::new(subject, predicate, object, provenance).parts
        };
        Self { id: self.id, parts }
    }

    /// Sets the end of the validity interval. If `until` is before the start of the interval, the fact gets no end.
    #[must_use]
    pub fn with_end(mut self, until: crate::Date) -> Self {
        let is_possible = self.parts.validity.start().zip(until.time).is_none_or(|(from, until)| from <= until);
        self.parts.validity.until = is_possible.then_some(until);
        self
    }

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

    /// Adds the evidence of another record of the same fact, and keeps the higher of the two confidences.
    pub(crate) fn support(&mut self, other: &Self) {
        self.parts.provenance.support(other.provenance());
    }
}

/// Builder of a [`Fact`].
#[derive(Debug, Clone)]
#[must_use = "a fact is only built by `build`"]
pub struct FactBuilder {
    parts: FactParts,
}

impl FactBuilder {
    /// Starts a builder for a fact with an object of either type. [`build`](Self::build) checks that the object fits the
    /// predicate. If you know the type of the object, use [`Fact::relation`] or [`Fact::attribute`].
    pub fn new(subject: EntityId, predicate: Predicate, object: Object, provenance: Provenance) -> Self {
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
                factuality: Factuality::default(),
                contradicts: Vec::new(),
            },
        }
    }

    /// Sets the sentence that states the fact. By default, the sentence consists of subject, predicate and object.
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

    /// Sets the predicate of the fact.
    pub fn predicate(mut self, predicate: Predicate) -> Self {
        self.parts.predicate = predicate;
        self
    }

    /// Sets the object: an entity for a relation, a value for an attribute.
    #[inline]
    pub fn object(mut self, object: Object) -> Self {
        self.parts.object = object;
        self
    }

    /// Sets the other entities that the statement names.
    pub fn mentions(mut self, mentions: impl IntoIterator<Item = EntityId>) -> Self {
        self.parts.mentions = mentions.into_iter().collect();
        self
    }

    /// Sets the attitude of the subject towards the object.
    pub fn attitude(mut self, attitude: Option<Attitude>) -> Self {
        self.parts.attitude = attitude;
        self
    }

    /// Sets the rank of the subject in the group that is the object.
    pub fn rank(mut self, rank: Option<String>) -> Self {
        self.parts.rank = rank;
        self
    }

    /// Sets the conditions under which the fact is true, as free text.
    pub fn conditions(mut self, conditions: Option<String>) -> Self {
        self.parts.conditions = conditions;
        self
    }

    /// Sets the interval of game time in which the fact is true.
    #[inline]
    pub fn validity(mut self, validity: Validity) -> Self {
        self.parts.validity = validity;
        self
    }

    /// Sets the status of the fact. The default is canon.
    #[inline]
    pub fn status(mut self, status: FactStatus) -> Self {
        self.parts.status = status;
        self
    }

    /// Sets the secrecy of the fact. The default is open.
    #[inline]
    pub fn secrecy(mut self, secrecy: Secrecy) -> Self {
        self.parts.secrecy = secrecy;
        self
    }

    /// Sets the handle: the name that the author gives the fact in a campaign file.
    pub fn handle(mut self, handle: Option<String>) -> Self {
        self.parts.handle = handle;
        self
    }

    /// Sets the relation to another fact, such as "refutes".
    pub fn fact_relation(mut self, fact_relation: Option<FactRelation>) -> Self {
        self.parts.fact_relation = fact_relation;
        self
    }

    /// Sets the facts that this fact contradicts, such as the fact that a lie hides.
    pub fn contradicts(mut self, contradicts: impl IntoIterator<Item = FactId>) -> Self {
        self.parts.contradicts = contradicts.into_iter().collect();
        self
    }

    /// Sets the assertion status of the fact. The default is asserted.
    pub fn factuality(mut self, factuality: Factuality) -> Self {
        self.parts.factuality = factuality;
        self
    }

    /// Sets the provenance of the fact.
    pub fn provenance(mut self, provenance: Provenance) -> Self {
        self.parts.provenance = provenance;
        self
    }

    /// Checks the parts of the fact, computes its id, and returns the fact.
    ///
    /// # Errors
    /// Returns an error if the statement or a value is empty, or if the validity interval ends before it begins. Also
    /// returns an error if the object of a relation is a value, or if the object of an attribute is an entity.
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
            return Err(FactError::EndBeforeStart { from, until });
        }
        let (subject, object) = (&parts.subject, parts.object.entity());
        parts.mentions.retain(|id| id != subject && Some(id) != object);
        parts.mentions.sort();
        parts.mentions.dedup();
        parts.contradicts.sort_unstable();
        parts.contradicts.dedup();
        let object = match &parts.object {
            Object::Entity(id) => format!("entity {id}"),
            Object::Value(Value::Text(text)) => format!("text {text}"),
            Object::Value(value) => format!("value {value}"),
        };
        let start = parts.validity.start().map_or(String::new(), |start| start.0.to_string());
        let source = parts.provenance.source_text();
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
        let id = FactId::from_parts(&content);
        // Two entries of the same fact can contradict each other.
        self.parts.contradicts.retain(|other| *other != id);
        Ok(Fact { id, parts: self.parts })
    }
}
