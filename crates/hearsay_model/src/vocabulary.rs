//! The vocabulary of a campaign: names, phrases and default audiences of relations and attributes.

use std::{
    collections::BTreeMap,
    sync::{Arc, LazyLock},
};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::{Fact, Kind, Predicate, Secrecy, attribute, words};

mod behavior;
mod entity_field;
mod feeling;
mod relation_words;
mod role;
#[cfg(test)]
mod tests;

use behavior::Behaviors;
pub use behavior::{Behavior, Belonging, EventPart, OpenThread, ReferringExpression};
pub use entity_field::{entity_field_name, entity_field_predicate};
pub use feeling::{Feeling, FeelingChanges};
use relation_words::WordIndex;
pub use relation_words::{ListDirections, RelationField, RelationWords};
pub use role::PredicateRole;
use role::Roles;

/// History of a predicate: which past values Hearsay keeps when the game replaces the present value.
///
/// Hearsay always keeps the values that come from the DM, an import or a text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum History {
    /// Hearsay keeps all values, each as a fact with its validity interval.
    #[default]
    Full,
    /// Hearsay keeps the present value, and the values at the beginning and at the end of each session.
    Session,
    /// Hearsay keeps only the present value.
    Latest,
}

/// Default audience: who knows a fact if its author names no knowers. The default audience applies only to facts that
/// are neither common nor secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Audience {
    /// Everyone knows the fact.
    Common,
    /// The subject, the object and the residents of a place know the fact. The place is the residence or location of
    /// the subject. If the subject has neither a residence nor a location, the place is the residence or location of
    /// the object.
    Local,
    /// The subject and the object know the fact.
    Parties,
    /// Only the subject knows the fact.
    Private,
}

impl Audience {
    /// Returns the audience as lowercase text.
    #[inline]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Common => "common",
            Self::Local => "local",
            Self::Parties => "parties",
            Self::Private => "private",
        }
    }
}

/// Audience rules of a campaign: who knows a fact if its author names no knowers. The rules apply to facts that are
/// neither common nor secret.
///
/// If a predicate has no rule, the audience in its definition applies. If the definition has no audience, `default`
/// applies. A relation that has neither a rule nor a definition has the audience *parties*.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AudienceRules {
    /// The audience of a predicate if neither a rule nor the definition of the predicate states an audience. `None`
    /// means the audience *local*. A relation without a definition does not use this value.
    pub default: Option<Audience>,
    /// The audience of facts of a relation, by the name of the relation.
    pub predicates: BTreeMap<Predicate, Audience>,
    /// The audience of facts of an attribute, by the name of the attribute.
    pub attributes: BTreeMap<Predicate, Audience>,
}

/// Definition of a relation: its phrases and logical properties.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PredicateDef {
    /// The name of the relation, in capitals: `LIKE_THIS`.
    pub name: Predicate,
    /// The name of the inverse relation; `None` if the relation has no inverse.
    #[serde(default)]
    pub inverse: Option<Predicate>,
    /// The phrase (sentence pattern) of the relation: `{subject} owes {object}`.
    pub phrase: String,
    /// The phrase of the inverse relation: `{object} is owed by {subject}`. `None` if the relation has no such phrase.
    #[serde(default)]
    pub inverse_phrase: Option<String>,
    /// Whether the relation applies in both directions.
    #[serde(default)]
    pub symmetric: bool,
    /// Whether a subject has only one object at a time. A newer fact then ends the older fact.
    #[serde(default)]
    pub functional: bool,
    /// Which past values are kept when the game replaces the present value. A value other than `Full` requires
    /// `functional`.
    #[serde(default)]
    pub history: History,
    /// Whether a search by meaning can find facts of this relation. If `true`, the statements of the facts get vectors.
    /// Set this field to `false` for predicates whose values change often.
    #[serde(default = "default_embedded")]
    pub embedded: bool,
    /// The default audience of facts of this relation. The audience rules of the campaign take precedence. `None` means
    /// that the definition states no audience.
    #[serde(default)]
    pub audience: Option<Audience>,
    /// Relations that contradict this relation: both cannot be true at the same time between the same two entities.
    #[serde(default)]
    pub opposites: Vec<Predicate>,
    /// Example sentences that state the relation.
    #[serde(default)]
    pub examples: Vec<String>,
    /// The effects of facts of this relation in the engine. `None` keeps the previous behavior if a campaign redefines
    /// the relation.
    #[serde(default)]
    pub behavior: Option<Behavior>,
    /// Words that state the relation in notes and sentences. `None` keeps the previous words if a campaign redefines
    /// the relation.
    #[serde(default)]
    pub words: Option<Box<RelationWords>>,
}

/// Definition of an attribute: the kinds of entities that have it, its phrase and its audience.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AttributeDef {
    /// The name of the attribute, in lowercase: `like_this`.
    pub name: Predicate,
    /// The kinds of entities that usually have the attribute; empty if entities of all kinds have it.
    #[serde(default)]
    pub kinds: Vec<Kind>,
    /// The phrase (sentence pattern) of the attribute: `{subject}'s occupation is {object}`. The placeholder `{an
    /// object}` inserts the value with an indefinite article. `None` means a sentence of the form `{subject}:
    /// occupation: {object}`.
    #[serde(default)]
    pub phrase: Option<String>,
    /// Whether a subject has only one value at a time. A newer fact then ends the older fact.
    #[serde(default)]
    pub functional: bool,
    /// Which past values are kept when the game replaces the present value. A value other than `Full` requires
    /// `functional`.
    #[serde(default)]
    pub history: History,
    /// Whether a search by meaning can find facts of this attribute. If `true`, the statements of the facts get
    /// vectors.
    #[serde(default = "default_embedded")]
    pub embedded: bool,
    /// The default audience of facts of this attribute. The audience rules of the campaign take precedence. `None`
    /// means that the definition states no audience.
    #[serde(default)]
    pub audience: Option<Audience>,
    /// The effects of facts of this attribute in the engine. `None` keeps the previous behavior if a campaign redefines
    /// the attribute.
    #[serde(default)]
    pub behavior: Option<Behavior>,
}

fn default_embedded() -> bool {
    true
}

/// Error: a definition in the vocabulary is invalid.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum VocabularyError {
    /// The name of a relation is not in capitals, or the name of an attribute is not in lowercase.
    #[error("the name `{name}` has the wrong case: write relations LIKE_THIS and attributes like_this", name = .0)]
    WrongCase(Predicate),
    /// A phrase lacks `{subject}` or `{object}`.
    #[error("the phrase of {name}, `{phrase}`, must contain both {{subject}} and {{object}}")]
    IncompletePhrase {
        /// The predicate.
        name: Predicate,
        /// The phrase of the predicate.
        phrase: String,
    },
    /// The phrase of an attribute contains neither `{object}` nor `{an object}`.
    #[error("the phrase of {name}, `{phrase}`, must contain {{object}} or {{an object}}")]
    IncompleteAttributePhrase {
        /// The attribute.
        name: Predicate,
        /// The phrase of the attribute.
        phrase: String,
    },
    /// A predicate limits its history but is not `functional`. Such a predicate can have several values at a time, so a
    /// new value does not replace an old value.
    #[error(
        "the predicate {predicate} has the key `history`, but it allows several values at a time; add \
         `functional: true`, or remove `history`",
        predicate = .0
    )]
    HistoryNotFunctional(Predicate),
    /// A symmetric relation has another relation as its inverse.
    #[error(
        "the relation {relation} is symmetric, so it cannot have another relation as its inverse; remove `symmetric` or \
         `inverse`",
        relation = .0
    )]
    SymmetricInverse(Predicate),
    /// A relation has a behavior that is only for attributes, or an attribute has a behavior that is only for
    /// relations.
    #[error(
        "the predicate {name} cannot have the key `behavior.{field}`, which is only for {allowed}; remove this key"
    )]
    WrongBehavior {
        /// The predicate.
        name: Predicate,
        /// The name of the field in the behavior.
        field: &'static str,
        /// The predicates that may have this field: `relations` or `attributes`.
        allowed: &'static str,
    },
    /// The name of a field has neither letters nor digits, or a noun or verb has a wrong form.
    #[error(
        "`{words}` is not a valid noun, verb or field name for the relation {name}; write lowercase words with single \
         spaces between them"
    )]
    InvalidWords {
        /// The relation.
        name: Predicate,
        /// The name of the field, the noun or the verb.
        words: String,
    },
    /// No predicate has a role that the engine needs.
    #[error(
        "no predicate has the role `{role}`; add a line such as `{role} = \"NAME\"` to the table `roles`",
        role = .0.as_str()
    )]
    MissingRole(PredicateRole),
    /// The predicate of a role is not defined or has the wrong type: a relation where the role needs an attribute, or
    /// an attribute where the role needs a relation.
    #[error(
        "the predicate {name} cannot have the role `{role}`, because it is not defined or has the wrong type (a relation \
         instead of an attribute, or an attribute instead of a relation)",
        role = .role.as_str()
    )]
    InvalidRole {
        /// The role.
        role: PredicateRole,
        /// The predicate.
        name: Predicate,
    },
    /// The file is not a valid vocabulary file. Contains the reason.
    #[error("the vocabulary file is invalid: {problem}", problem = .0)]
    InvalidFile(String),
}

/// The vocabulary of a campaign: the definitions of all relations and attributes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Vocabulary {
    predicates: BTreeMap<Predicate, Arc<PredicateDef>>,
    attributes: BTreeMap<Predicate, Arc<AttributeDef>>,
    behaviors: Behaviors,
    words: Arc<WordIndex>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct VocabularyFile {
    roles: BTreeMap<PredicateRole, Predicate>,
    predicate: Vec<PredicateDef>,
    attribute: Vec<AttributeDef>,
    #[serde(default)]
    reserved: Vec<ReservedPredicate>,
}

/// Behavior of a predicate that the file does not define. The behavior applies if a campaign uses or defines the
/// predicate.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ReservedPredicate {
    name: Predicate,
    behavior: Behavior,
}

struct BuiltInVocabulary {
    vocabulary: Vocabulary,
    roles: Roles,
}

impl BuiltInVocabulary {
    fn parse(text: &str) -> Result<Self, VocabularyError> {
        let file: VocabularyFile =
            toml::from_str(text).map_err(|error| VocabularyError::InvalidFile(error.to_string()))?;
        let mut vocabulary = Vocabulary {
            predicates: BTreeMap::new(),
            attributes: BTreeMap::new(),
            behaviors: Behaviors::default(),
            words: Arc::default(),
        };
        for ReservedPredicate { name, behavior } in file.reserved {
            behavior.check(&name)?;
            vocabulary.behaviors.set(&name, Some(&behavior));
        }
        file.predicate.into_iter().try_for_each(|def| vocabulary.define(def))?;
        file.attribute.into_iter().try_for_each(|def| vocabulary.define_attribute(def))?;
        let is_defined =
            |name: &Predicate| vocabulary.predicates.contains_key(name) || vocabulary.attributes.contains_key(name);
        let roles = Roles::new(&file.roles, is_defined)?;
        Ok(Self { vocabulary, roles })
    }
}

#[expect(clippy::panic, reason = "the file is part of the program, and a test parses it")]
static BUILT_IN: LazyLock<BuiltInVocabulary> = LazyLock::new(|| {
    BuiltInVocabulary::parse(include_str!("../data/vocabulary.toml"))
        .unwrap_or_else(|error| panic!("data/vocabulary.toml: {error}"))
});

impl Default for Vocabulary {
    /// Returns the built-in vocabulary from `data/vocabulary.toml`.
    fn default() -> Self {
        BUILT_IN.vocabulary.clone()
    }
}

impl Vocabulary {
    /// Adds a relation, or replaces its definition.
    ///
    /// # Errors
    /// Returns an error if the definition is invalid.
    pub fn define(&mut self, def: PredicateDef) -> Result<(), VocabularyError> {
        def.check()?;
        self.behaviors.set(&def.name, def.behavior.as_ref());
        if let Some(words) = &def.words {
            Arc::make_mut(&mut self.words).set(&def.name, words);
        }
        self.predicates.insert(def.name.clone(), def.into());
        Ok(())
    }

    /// Adds an attribute, or replaces its definition.
    ///
    /// # Errors
    /// Returns an error if the definition is invalid.
    pub fn define_attribute(&mut self, def: AttributeDef) -> Result<(), VocabularyError> {
        def.check()?;
        self.behaviors.set(&def.name, def.behavior.as_ref());
        self.attributes.insert(def.name.clone(), def.into());
        Ok(())
    }

    /// Returns the definition of a relation; `None` if it is not defined.
    pub fn predicate(&self, name: &Predicate) -> Option<&PredicateDef> {
        self.predicates.get(name).map(Arc::as_ref)
    }

    /// Returns the relation whose inverse has this name. For `QUEST_GIVEN_BY`, returns `QUEST_GIVER`.
    pub fn inverse_of(&self, name: &Predicate) -> Option<&PredicateDef> {
        self.predicates.values().find(|def| def.inverse.as_ref() == Some(name)).map(Arc::as_ref)
    }

    /// Returns the definition of an attribute; `None` if it is not defined.
    pub fn attribute(&self, name: &Predicate) -> Option<&AttributeDef> {
        self.attributes.get(name).map(Arc::as_ref)
    }

    /// Returns the definitions of all relations, sorted by name.
    pub fn predicates(&self) -> impl Iterator<Item = &PredicateDef> {
        self.predicates.values().map(Arc::as_ref)
    }

    /// Returns the definitions of all attributes, sorted by name.
    pub fn attributes(&self) -> impl Iterator<Item = &AttributeDef> {
        self.attributes.values().map(Arc::as_ref)
    }

    /// Reads a property of a predicate from its definition as a relation or an attribute. Returns `None` if the
    /// predicate is not defined.
    fn property<'a, T>(
        &'a self,
        name: &Predicate,
        of_relation: impl FnOnce(&'a PredicateDef) -> T,
        of_attribute: impl FnOnce(&'a AttributeDef) -> T,
    ) -> Option<T> {
        // The case of a name tells relations from attributes, so a name has at most one of the two definitions.
        self.predicate(name).map(of_relation).or_else(|| self.attribute(name).map(of_attribute))
    }

    /// Returns whether a predicate has at most one object or value per subject at a time.
    pub fn is_functional(&self, name: &Predicate) -> bool {
        self.property(name, |def| def.functional, |def| def.functional).unwrap_or(false)
    }

    /// Returns whether a predicate is a deed: its facts [change feelings](Behavior::feelings).
    pub fn is_deed(&self, name: &Predicate) -> bool {
        !self.behavior(name).feelings.is_none()
    }

    /// Returns which past values of a predicate are kept when the game replaces the present value.
    pub fn history(&self, name: &Predicate) -> History {
        self.property(name, |def| def.history, |def| def.history).unwrap_or_default()
    }

    /// Returns whether two relations contradict each other: both cannot be true at the same time between the same two
    /// entities.
    ///
    /// This is true if the definition of at least one of the two relations lists the other relation as an opposite.
    pub fn are_opposites(&self, a: &Predicate, b: &Predicate) -> bool {
        let lists = |a, b| self.predicate(a).is_some_and(|def| def.opposites.contains(b));
        lists(a, b) || lists(b, a)
    }

    /// Returns the relations that contradict a relation: the opposites in its own definition, and all relations that
    /// list it as an opposite.
    pub fn opposites<'a>(&'a self, name: &'a Predicate) -> impl Iterator<Item = &'a Predicate> {
        let own = self.predicate(name).into_iter().flat_map(|def| &def.opposites);
        let listing = self.predicates.values().filter(move |def| def.opposites.contains(name)).map(|def| &def.name);
        own.chain(listing.filter(move |other| !self.predicate(name).is_some_and(|def| def.opposites.contains(other))))
    }

    /// Returns whether a search by meaning can find facts of a predicate. If `true`, the statements of the facts get
    /// vectors.
    pub fn is_embedded(&self, name: &Predicate) -> bool {
        self.property(name, |def| def.embedded, |def| def.embedded).unwrap_or(true)
    }

    /// Returns the default audience of a fact. For a common or secret fact, the result does not depend on the rules and
    /// on the definition of the predicate. A relation that has neither a rule nor a definition has the audience
    /// *parties*.
    pub fn audience(&self, rules: &AudienceRules, fact: &Fact) -> Audience {
        match fact.secrecy() {
            Secrecy::Common => return Audience::Common,
            Secrecy::Secret => return Audience::Private,
            Secrecy::Open => {}
        }
        self.predicate_audience(rules, fact.predicate())
    }

    /// Returns the default audience of the facts of a predicate that are neither common nor secret.
    pub fn predicate_audience(&self, rules: &AudienceRules, name: &Predicate) -> Audience {
        if let Some(audience) = rules.predicates.get(name).or_else(|| rules.attributes.get(name)) {
            return *audience;
        }
        if name.is_relation() && self.predicate(name).is_none() {
            return Audience::Parties;
        }
        let by_definition = self.property(name, |def| def.audience, |def| def.audience).flatten();
        by_definition.or(rules.default).unwrap_or(Audience::Local)
    }

    /// Returns the sentence that states a fact, built from the phrase of its predicate. If the predicate is `kind`, the
    /// sentence contains the [noun](Kind::noun) for the kind: `Holm is an NPC.`
    pub fn sentence(&self, predicate: &Predicate, subject: &str, object: &str) -> String {
        let noun = (*predicate == *attribute::KIND).then(|| Kind::from(object).noun());
        let object = noun.as_deref().unwrap_or(object);
        let phrase = self.property(predicate, |def| Some(def.phrase.as_str()), |def| def.phrase.as_deref()).flatten();
        let predicate_words = predicate.as_str().replace('_', " ").to_lowercase();
        let mut sentence = match phrase {
            // "Her appearance is: nails are blue" has two verbs.
            Some(phrase) if phrase.ends_with(" is: {object}") && is_clause(object) => format!("{subject}: {object}"),
            Some(phrase) => fill_placeholders(phrase, subject, object),
            None if predicate.is_relation() => format!("{subject} {predicate_words} {object}"),
            None => format!("{subject}: {predicate_words}: {object}"),
        };
        if !sentence.ends_with(['.', '!', '?', '"', '\u{201D}']) {
            sentence.push('.');
        }
        sentence
    }

    /// Returns the sentence that states a relation beginning with its object: `Ulf is a parent of Berta.` Returns `None` if
    /// the relation has no phrase for this.
    pub fn inverse_sentence(&self, predicate: &Predicate, subject: &str, object: &str) -> Option<String> {
        let phrase = self.predicate(predicate)?.inverse_phrase.as_ref()?;
        Some(format!("{}.", fill_placeholders(phrase, subject, object)))
    }
}

/// Returns whether a short value is a clause of its own, such as `nails are blue`.
fn is_clause(value: &str) -> bool {
    let mut later_words = value.split_whitespace().skip(1);
    !value.contains([',', ';', ':', '.']) && later_words.any(words::is_finite_be_form)
}

/// The placeholder for an object with an indefinite article.
const OBJECT_WITH_ARTICLE: &str = "{an object}";

/// Replaces the placeholders of a phrase in one pass. Therefore, a name that contains `{object}` stays unchanged.
fn fill_placeholders(phrase: &str, subject: &str, object: &str) -> String {
    let mut filled = String::with_capacity(phrase.len() + subject.len() + object.len());
    let mut rest = phrase;
    while let Some(open) = rest.find('{') {
        let (before, from) = rest.split_at(open);
        filled.push_str(before);
        if let Some(after) = from.strip_prefix("{subject}") {
            filled.push_str(subject);
            rest = after;
        } else if let Some(after) = from.strip_prefix("{object}") {
            filled.push_str(object);
            rest = after;
        } else if let Some(after) = from.strip_prefix(OBJECT_WITH_ARTICLE) {
            filled.push_str(&words::with_article(object));
            rest = after;
        } else {
            filled.push('{');
            rest = &from[1..];
        }
    }
    filled.push_str(rest);
    filled
}

impl PredicateDef {
    /// Checks the definition of the relation.
    ///
    /// # Errors
    /// Returns an error if a name is in lowercase, a phrase lacks a placeholder, or a noun or verb has a wrong form.
    /// Also returns an error if a symmetric relation has another relation as its inverse, or if `history` is not `Full`
    /// and `functional` is `false`.
    pub fn check(&self) -> Result<(), VocabularyError> {
        if !self.name.is_relation() || self.inverse.as_ref().is_some_and(|inverse| !inverse.is_relation()) {
            return Err(VocabularyError::WrongCase(self.name.clone()));
        }
        for phrase in std::iter::once(&self.phrase).chain(&self.inverse_phrase) {
            if !phrase.contains("{subject}") || !phrase.contains("{object}") {
                return Err(VocabularyError::IncompletePhrase { name: self.name.clone(), phrase: phrase.clone() });
            }
        }
        if self.symmetric && self.inverse.as_ref().is_some_and(|inverse| *inverse != self.name) {
            return Err(VocabularyError::SymmetricInverse(self.name.clone()));
        }
        self.behavior.as_ref().map_or(Ok(()), |behavior| behavior.check(&self.name))?;
        self.words.as_ref().map_or(Ok(()), |words| words.check(&self.name))?;
        check_history(&self.name, self.history, self.functional)
    }
}

impl AttributeDef {
    /// Checks the definition of the attribute.
    ///
    /// # Errors
    /// Returns an error if the name is in capitals, the phrase lacks an object, or `history` is not `Full` and
    /// `functional` is `false`. The phrase may omit `{subject}`.
    pub fn check(&self) -> Result<(), VocabularyError> {
        if self.name.is_relation() {
            return Err(VocabularyError::WrongCase(self.name.clone()));
        }
        self.behavior.as_ref().map_or(Ok(()), |behavior| behavior.check(&self.name))?;
        match &self.phrase {
            Some(phrase) if !phrase.contains("{object}") && !phrase.contains(OBJECT_WITH_ARTICLE) => {
                Err(VocabularyError::IncompleteAttributePhrase { name: self.name.clone(), phrase: phrase.clone() })
            }
            _ => check_history(&self.name, self.history, self.functional),
        }
    }
}

/// Checks that only functional predicates limit their history. A predicate that is not functional has no single latest
/// value.
fn check_history(name: &Predicate, history: History, functional: bool) -> Result<(), VocabularyError> {
    if history != History::Full && !functional {
        return Err(VocabularyError::HistoryNotFunctional(name.clone()));
    }
    Ok(())
}
