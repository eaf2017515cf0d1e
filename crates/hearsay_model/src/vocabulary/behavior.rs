//! Behaviors: the effects that the facts of a predicate have in the engine. The vocabulary file defines the behaviors.

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use super::{FeelingChanges, Predicate, Vocabulary, VocabularyError};
use crate::{Attitude, EntityId, Object, text};

/// Effects of the facts of a predicate in the engine, in addition to storage and search.
///
/// Several predicates may have the same behavior. The engine treats all predicates with the same behavior in the same
/// way, whether they are built in or new.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Behavior {
    /// For relations that make the subject a member, a resident or a part of the object: the kind of belonging. The
    /// subject then shares the knowledge of the object. `None` for all other relations.
    pub belonging: Option<Belonging>,
    /// For relations: the kind of thread (unfinished business) that a fact of this predicate represents, such as a
    /// promise. The thread is open while the fact is valid. `None` if a fact represents no thread.
    pub thread: Option<OpenThread>,
    /// For relations between an event and another entity: whether the other entity is the place or a participant of the
    /// event. `None` for all other relations.
    pub event: Option<EventPart>,
    /// For relations: the attitude of the subject towards the object if the fact states no attitude. `None` means that
    /// there is no such attitude.
    pub attitude: Option<Attitude>,
    /// For relations: the attitude of the object towards the subject that the fact implies. `None` means that the fact
    /// implies no attitude.
    pub object_attitude: Option<Attitude>,
    /// For relations: the fear that the subject has of the object as long as the fact is valid. `None` if the relation
    /// implies no fear.
    pub fear: Option<Attitude>,
    /// For relations such as a killing: whether the object is dead from the start of the fact's validity. Facts of such
    /// a relation that are extracted from a text always wait for review.
    pub fatal: bool,
    /// For relations: whether the predicate is vague. If `true`, only the statement of a fact says how the two entities
    /// are related.
    pub vague: bool,
    /// Whether summaries prefer facts of this predicate, because they state an important change: an entity moves,
    /// changes sides or takes on an obligation.
    pub notable: bool,
    /// Whether facts of this predicate get a lower rank in search results, because they say little about the entity.
    pub minor: bool,
    /// For attributes such as the appearance: whether everybody who meets the entity learns the fact at once.
    pub visible: bool,
    /// For attributes: the position of the fact among the lines that describe a speaker in a scene context. `None` if
    /// the lines about a speaker do not contain facts of this predicate.
    pub identity: Option<u8>,
    /// For attributes: the position of the fact among the lines that describe the place in a scene context. `None` if
    /// the lines about the place do not contain facts of this predicate.
    pub scenery: Option<u8>,
    /// For attributes: the position of the attribute in the list of attributes that the search for duplicates compares.
    /// The search compares the meaning of the values of the first attribute in this list that both entities have.
    /// `None` if the search does not use the attribute.
    pub comparison: Option<u8>,
    /// For attributes: how a text can refer to an entity by the value of the attribute. `None` if a text cannot refer
    /// to an entity in this way.
    pub reference: Option<ReferringExpression>,
    /// For attributes: values, in lowercase, that mean that the entity is dead. When the engine records a death, it
    /// writes the first value of the built-in list. Facts with such a value that are extracted from a text always wait
    /// for review.
    pub dead_values: Vec<String>,
    /// For attributes: words, in lowercase, that mean that a quest has ended. The engine recognizes the word only if it
    /// is the first or second word of the value.
    pub ended_values: Vec<String>,
    /// For relations: the changes of the object's feelings towards the subject when the object knows the fact.
    pub feelings: FeelingChanges,
}

/// Whether the subject of a relation is a member, a resident or a part of its object. The subject then shares the
/// knowledge of the object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Belonging {
    /// The subject is a member of a group. Members know the facts of their group.
    Member,
    /// The subject lives in a place. Residents know the local lore of their place.
    Resident,
    /// The subject is a place or group within a larger place or group. Members and residents of the subject also belong
    /// to the object.
    Part,
}

/// Kind of thread (unfinished business) that a fact represents. The thread is open while the fact is valid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OpenThread {
    /// A promise.
    Promise,
    /// A debt.
    Debt,
    /// A quest that was assigned to a character. The thread is the quest itself.
    Quest,
}

/// Role of an entity in an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EventPart {
    /// The subject is the event, and the object is the place where it happens.
    Place,
    /// The entity took part in the event or saw it.
    Participant,
}

/// How a text can refer to an entity by the value of an attribute.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReferringExpression {
    /// As a description: "the ferryman".
    Description,
    /// As a pronoun: "she".
    Pronoun,
}

impl Behavior {
    /// Returns whether the relation makes the subject a direct member of a group or a direct resident of a place.
    pub fn is_direct_belonging(&self) -> bool {
        matches!(self.belonging, Some(Belonging::Member | Belonging::Resident))
    }

    /// Returns whether an attribute with this behavior and the value `object` states that its subject is dead.
    pub fn means_death(&self, object: &Object) -> bool {
        object.text().is_some_and(|value| self.dead_values.contains(&text::normalize(value)))
    }

    /// Returns the entity that is dead according to a fact with this behavior: the object of a [fatal](Self::fatal)
    /// relation, or the subject of an attribute whose value [means death](Self::means_death). Returns `None` if the
    /// fact states no death.
    pub fn dead_entity<'f>(&self, subject: &'f EntityId, object: &'f Object) -> Option<&'f EntityId> {
        if self.fatal { object.entity() } else { self.means_death(object).then_some(subject) }
    }

    /// Returns whether the subject of a relation harms its object: the relation is [fatal](Self::fatal), or the object
    /// likes the subject less after learning the fact.
    pub fn harms_object(&self) -> bool {
        self.fatal || self.feelings.affinity < Attitude::NEUTRAL
    }

    /// Checks that a relation has no behavior that is only for attributes, and that an attribute has no behavior that
    /// is only for relations.
    pub(super) fn check(&self, name: &Predicate) -> Result<(), VocabularyError> {
        let relation_fields = [
            ("belonging", self.belonging.is_some()),
            ("thread", self.thread.is_some()),
            ("event", self.event.is_some()),
            ("attitude", self.attitude.is_some()),
            ("object_attitude", self.object_attitude.is_some()),
            ("fear", self.fear.is_some()),
            ("fatal", self.fatal),
            ("vague", self.vague),
            ("feelings", !self.feelings.is_none()),
        ];
        let attribute_fields = [
            ("visible", self.visible),
            ("identity", self.identity.is_some()),
            ("scenery", self.scenery.is_some()),
            ("comparison", self.comparison.is_some()),
            ("reference", self.reference.is_some()),
            ("dead_values", !self.dead_values.is_empty()),
            ("ended_values", !self.ended_values.is_empty()),
        ];
        let (misplaced, allowed) = if name.is_relation() {
            (attribute_fields.iter().find(|(_, is_set)| *is_set), "attributes")
        } else {
            (relation_fields.iter().find(|(_, is_set)| *is_set), "relations")
        };
        match misplaced {
            Some((field, _)) => Err(VocabularyError::WrongBehavior { name: name.clone(), field, allowed }),
            None => Ok(()),
        }
    }
}

/// The behaviors of all predicates of a vocabulary.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Behaviors {
    by_name: FxHashMap<Predicate, Behavior>,
    /// The predicates with a belonging. They have a separate list for speed, because a view looks up the belonging of
    /// every fact.
    belongings: Vec<(Predicate, Belonging)>,
    /// The attributes that have values with the meaning "dead".
    death_attributes: Vec<Predicate>,
    /// The fatal relations.
    fatal_relations: Vec<Predicate>,
}

impl Behaviors {
    /// Sets the behavior of a predicate. `None` leaves the present behavior unchanged.
    pub(super) fn set(&mut self, name: &Predicate, behavior: Option<&Behavior>) {
        let Some(behavior) = behavior else { return };
        self.belongings.retain(|(other, _)| other != name);
        self.belongings.extend(behavior.belonging.map(|belonging| (name.clone(), belonging)));
        self.belongings.sort();
        self.death_attributes.retain(|other| other != name);
        self.death_attributes.extend((!behavior.dead_values.is_empty()).then(|| name.clone()));
        self.death_attributes.sort();
        self.fatal_relations.retain(|other| other != name);
        self.fatal_relations.extend(behavior.fatal.then(|| name.clone()));
        self.fatal_relations.sort();
        let normal = |values: &[String]| values.iter().map(|value| text::normalize(value)).collect();
        let (dead_values, ended_values) = (normal(&behavior.dead_values), normal(&behavior.ended_values));
        if *behavior == Behavior::default() {
            self.by_name.remove(name)
        } else {
            self.by_name.insert(name.clone(), Behavior { dead_values, ended_values, ..behavior.clone() })
        };
    }
}

static DEFAULT_BEHAVIOR: Behavior = Behavior {
    belonging: None,
    thread: None,
    event: None,
    attitude: None,
    object_attitude: None,
    fear: None,
    fatal: false,
    vague: false,
    notable: false,
    minor: false,
    visible: false,
    identity: None,
    scenery: None,
    comparison: None,
    reference: None,
    dead_values: Vec::new(),
    ended_values: Vec::new(),
    feelings: FeelingChanges::NONE,
};

impl Vocabulary {
    /// Returns the behavior of a relation or attribute. If the vocabulary states no behavior for the predicate, returns
    /// the default behavior.
    pub fn behavior(&self, name: &Predicate) -> &Behavior {
        self.behaviors.by_name.get(name).unwrap_or(&DEFAULT_BEHAVIOR)
    }

    /// Returns the kind of belonging of a relation: whether its subject is a member, a resident or a part of its
    /// object. Returns `None` for all other predicates. This method is faster than [`behavior`](Self::behavior).
    #[inline]
    pub fn belonging(&self, name: &Predicate) -> Option<Belonging> {
        let belongings = &self.behaviors.belongings;
        belongings.iter().find(|(other, _)| other == name).map(|(_, belonging)| *belonging)
    }

    /// Returns the relations with this kind of belonging, sorted by name. For example, returns all relations that make
    /// their subject a member of their object.
    pub fn with_belonging(&self, belonging: Belonging) -> impl Iterator<Item = &Predicate> {
        self.behaviors.belongings.iter().filter(move |(_, other)| *other == belonging).map(|(name, _)| name)
    }

    /// Returns the attributes that have [values with the meaning "dead"](Behavior::dead_values), sorted by name.
    pub fn death_attributes(&self) -> &[Predicate] {
        &self.behaviors.death_attributes
    }

    /// Returns the [fatal](Behavior::fatal) relations, sorted by name.
    pub fn fatal_relations(&self) -> &[Predicate] {
        &self.behaviors.fatal_relations
    }

    /// Returns the predicates whose behavior satisfies `condition`, sorted by name.
    pub fn with_behavior(&self, condition: impl Fn(&Behavior) -> bool) -> Vec<&Predicate> {
        let all = self.behaviors.by_name.iter();
        let mut found: Vec<&Predicate> =
            all.filter(|(_, behavior)| condition(behavior)).map(|(name, _)| name).collect();
        found.sort_unstable();
        found
    }

    /// Returns the predicates for which `position` returns a number, sorted by this number. Usually, `position` returns
    /// [`Behavior::identity`], [`Behavior::scenery`] or [`Behavior::comparison`].
    pub fn in_order(&self, position: impl Fn(&Behavior) -> Option<u8>) -> Vec<&Predicate> {
        let all = self.behaviors.by_name.iter();
        let mut found: Vec<(u8, &Predicate)> =
            all.filter_map(|(name, behavior)| Some((position(behavior)?, name))).collect();
        found.sort_unstable();
        found.into_iter().map(|(_, name)| name).collect()
    }
}
