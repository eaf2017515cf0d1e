//! Predicates and attributes: their names, their phrases in both directions, and their default audiences.

use std::{
    collections::BTreeMap,
    fmt,
    str::FromStr,
    sync::{Arc, LazyLock},
};

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use thiserror::Error;

use crate::{Fact, Kind, Secrecy, shared_ids, text};

/// Error: invalid predicate.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error(
    "`{0}` is not a predicate: relations are written LIKE_THIS, attributes like_this, with letters, digits and underscores, 64 bytes at most"
)]
pub struct PredicateError(pub String);

impl From<std::convert::Infallible> for PredicateError {
    fn from(never: std::convert::Infallible) -> Self {
        match never {}
    }
}

/// Predicate of a fact. Relations to entities are in capitals (`MEMBER_OF`), attributes with a value in lowercase
/// (`occupation`).
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Predicate(Arc<str>);

impl Serialize for Predicate {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for Predicate {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        text::parsed(deserializer)
    }
}

impl Predicate {
    /// Creates a predicate from its name.
    ///
    /// # Errors
    /// Returns an error if the text mixes cases, is empty, is longer than 64 bytes, does not start with a letter, or
    /// contains a character other than letters, digits and underscores.
    pub fn new(text: &str) -> Result<Self, PredicateError> {
        shared_ids::checked(text, shared_ids::PREDICATES, Self::check).map(Self)
    }

    fn check(text: &str) -> Result<(), PredicateError> {
        let first = text.chars().next().is_some_and(char::is_alphabetic);
        let fits = |upper: bool| {
            text.chars().all(|c| {
                c == '_'
                    || c.is_numeric()
                    || (c.is_alphabetic() && if upper { !c.is_lowercase() } else { !c.is_uppercase() })
            })
        };
        if first && text.len() <= 64 && (fits(true) || fits(false)) { Ok(()) } else { Err(PredicateError(text.into())) }
    }

    /// Converts any text to the name of a relation: `works for` becomes `WORKS_FOR`.
    ///
    /// # Errors
    /// Returns an error if the result is not a valid predicate, such as for a text without letters.
    pub fn relation(text: &str) -> Result<Self, PredicateError> {
        Self::new(&crate::slug(text).replace('-', "_").to_uppercase()).map_err(|_| PredicateError(text.into()))
    }

    /// Returns the predicate as text.
    #[inline]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns whether the predicate is a relation, so that its object is an entity.
    #[inline]
    pub fn is_relation(&self) -> bool {
        self.0.starts_with(|c: char| !c.is_lowercase())
    }
}

impl fmt::Display for Predicate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for Predicate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl TryFrom<&str> for Predicate {
    type Error = PredicateError;
    fn try_from(text: &str) -> Result<Self, PredicateError> {
        Self::new(text)
    }
}

impl TryFrom<String> for Predicate {
    type Error = PredicateError;
    fn try_from(text: String) -> Result<Self, PredicateError> {
        Self::new(&text)
    }
}

impl FromStr for Predicate {
    type Err = PredicateError;
    fn from_str(text: &str) -> Result<Self, PredicateError> {
        Self::new(text)
    }
}

impl From<Predicate> for String {
    fn from(predicate: Predicate) -> String {
        predicate.0.as_ref().into()
    }
}

impl PartialEq<str> for Predicate {
    fn eq(&self, other: &str) -> bool {
        &*self.0 == other
    }
}

impl PartialEq<&str> for Predicate {
    fn eq(&self, other: &&str) -> bool {
        &*self.0 == *other
    }
}

/// Names of the built-in relations that code refers to.
pub mod predicate {
    /// Membership. The members of a group know the group's facts.
    pub const MEMBER_OF: &str = "MEMBER_OF";
    /// Residence. The residents of a place know its local lore.
    pub const RESIDENT_OF: &str = "RESIDENT_OF";
    /// Current location of an entity.
    pub const LOCATED_AT: &str = "LOCATED_AT";
    /// Place or group within a larger one.
    pub const PART_OF: &str = "PART_OF";
    /// Trust in another entity's statements: attitude −100 (none) to 100 (full).
    pub const TRUSTS: &str = "TRUSTS";
    /// Sympathy for another entity.
    pub const LIKES: &str = "LIKES";
    /// Alliance.
    pub const ALLIED_WITH: &str = "ALLIED_WITH";
    /// Hostility.
    pub const HOSTILE_TO: &str = "HOSTILE_TO";
    /// Acquaintance.
    pub const KNOWS: &str = "KNOWS";
    /// Parentage, from child to parent.
    pub const CHILD_OF: &str = "CHILD_OF";
    /// Relation without a name of its own.
    pub const RELATED_TO: &str = "RELATED_TO";
}

/// Names of the built-in attributes that code refers to.
pub mod attribute {
    /// Main name of an entity.
    pub const NAME: &str = "name";
    /// Further name of an entity.
    pub const ALIAS: &str = "alias";
    /// Kind of an entity.
    pub const KIND: &str = "kind";
    /// Description of an entity, in a few sentences.
    pub const DESCRIPTION: &str = "description";
    /// Sentence about an entity that no other predicate expresses.
    pub const LORE: &str = "lore";
    /// A label.
    pub const TAG: &str = "tag";
    /// Condition of an entity. An entity that is `dead` learns and tells nothing more.
    pub const CONDITION: &str = "condition";
    /// The ranks of a group in one line, the lowest first: `apprentice, journeyman, master`.
    pub const RANKS: &str = "ranks";
    /// Share of its knowledge that a character passes on, 0 (nothing) to 1 (everything). The default is 0.5.
    pub const TALKATIVENESS: &str = "talkativeness";
}

/// How many past values of a predicate are kept when the game replaces them.
///
/// Values that the DM, an import or a text sets are always kept in full.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum History {
    /// All values, each as a fact with its interval.
    #[default]
    Full,
    /// The present value, and the values at the beginning and at the end of each session.
    Session,
    /// The present value only.
    Latest,
}

/// Default audience of an unmarked fact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Audience {
    /// Everyone.
    Common,
    /// Subject, object and the residents of the place.
    Local,
    /// Subject and object.
    Parties,
    /// The subject only.
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

/// Audiences of unmarked facts in this campaign. A predicate without a rule follows its definition, then `default`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AudienceRules {
    /// The audience of predicates with neither rule nor definition. `None` means local.
    pub default: Option<Audience>,
    /// Rules by relation.
    pub predicates: BTreeMap<Predicate, Audience>,
    /// Rules by attribute.
    pub attributes: BTreeMap<Predicate, Audience>,
}

/// Definition of a relation: its phrases and logical properties.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PredicateDef {
    /// The name, LIKE_THIS.
    pub name: Predicate,
    /// The name of the inverse relation.
    #[serde(default)]
    pub inverse: Option<Predicate>,
    /// The phrase: `{subject} owes {object}`.
    pub phrase: String,
    /// The phrase of the inverse: `{object} is owed by {subject}`.
    #[serde(default)]
    pub inverse_phrase: Option<String>,
    /// Whether the relation holds in both directions.
    #[serde(default)]
    pub symmetric: bool,
    /// Whether a subject has one object at a time, so that a newer fact ends the older one.
    #[serde(default)]
    pub functional: bool,
    /// How many past values are kept. Any value but `full` requires `functional`.
    #[serde(default)]
    pub history: History,
    /// Whether statements are embedded for semantic search. Frequently changing predicates are not.
    #[serde(default = "yes")]
    pub embedded: bool,
    /// The default audience.
    #[serde(default)]
    pub audience: Option<Audience>,
    /// Relations that cannot hold at the same time between the same two entities.
    #[serde(default)]
    pub opposites: Vec<Predicate>,
    /// Example sentences.
    #[serde(default)]
    pub examples: Vec<String>,
}

/// Definition of an attribute: its kinds, phrase and audience.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AttributeDef {
    /// The name, like_this.
    pub name: Predicate,
    /// The kinds that usually have the attribute; empty for all kinds.
    #[serde(default)]
    pub kinds: Vec<Kind>,
    /// The phrase: `{subject}'s occupation is {object}`. The default is `{subject}: name: {object}`.
    #[serde(default)]
    pub phrase: Option<String>,
    /// Whether a subject has one value at a time.
    #[serde(default)]
    pub functional: bool,
    /// How many past values are kept. Any value but `full` requires `functional`.
    #[serde(default)]
    pub history: History,
    /// Whether statements are embedded for semantic search.
    #[serde(default = "yes")]
    pub embedded: bool,
    /// The default audience.
    #[serde(default)]
    pub audience: Option<Audience>,
}

fn yes() -> bool {
    true
}

/// Error: invalid definition.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum VocabularyError {
    /// The name of a relation is not in capitals, or the name of an attribute is.
    #[error("`{0}`: relations are named LIKE_THIS, attributes like_this")]
    Case(Predicate),
    /// A phrase lacks `{subject}` or `{object}`.
    #[error("the phrase of {name}, `{phrase}`, needs both {{subject}} and {{object}}")]
    Phrase {
        /// The predicate.
        name: Predicate,
        /// Its phrase.
        phrase: String,
    },
    /// The phrase of an attribute lacks `{object}`.
    #[error("the phrase of {name}, `{phrase}`, needs {{object}}")]
    NoObject {
        /// The attribute.
        name: Predicate,
        /// Its phrase.
        phrase: String,
    },
    /// A predicate without `functional` limits its history. Several values may hold at a time, so that a new value does
    /// not replace the last one.
    #[error(
        "{0} keeps its full history unless it has one value at a time; add `functional: true`, or remove `history`"
    )]
    History(Predicate),
    /// A symmetric relation has another relation as its inverse.
    #[error("{0} is symmetric, so it cannot have an inverse with another name")]
    SymmetricInverse(Predicate),
}

/// Predicates and attributes of a campaign.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Vocabulary {
    predicates: BTreeMap<Predicate, Arc<PredicateDef>>,
    attributes: BTreeMap<Predicate, Arc<AttributeDef>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct VocabularyFile {
    predicate: Vec<PredicateDef>,
    attribute: Vec<AttributeDef>,
}

static BUILT_IN: LazyLock<Vocabulary> = LazyLock::new(|| {
    let mut vocabulary = Vocabulary { predicates: BTreeMap::new(), attributes: BTreeMap::new() };
    // The file is part of the program and a test parses it, so that it cannot be malformed here.
    if let Ok(file) = toml::from_str::<VocabularyFile>(include_str!("../data/vocabulary.toml")) {
        for def in file.predicate {
            vocabulary.predicates.insert(def.name.clone(), def.into());
        }
        for def in file.attribute {
            vocabulary.attributes.insert(def.name.clone(), def.into());
        }
    }
    vocabulary
});

impl Default for Vocabulary {
    /// Returns the built-in vocabulary, `data/vocabulary.toml` of this crate.
    fn default() -> Self {
        BUILT_IN.clone()
    }
}

impl Vocabulary {
    /// Adds or redefines a relation.
    ///
    /// # Errors
    /// Returns an error if the definition is invalid.
    pub fn define(&mut self, def: PredicateDef) -> Result<(), VocabularyError> {
        def.check()?;
        self.predicates.insert(def.name.clone(), def.into());
        Ok(())
    }

    /// Adds or redefines an attribute.
    ///
    /// # Errors
    /// Returns an error if the definition is invalid.
    pub fn define_attribute(&mut self, def: AttributeDef) -> Result<(), VocabularyError> {
        def.check()?;
        self.attributes.insert(def.name.clone(), def.into());
        Ok(())
    }

    /// Returns the definition of a relation.
    pub fn predicate(&self, name: &Predicate) -> Option<&PredicateDef> {
        self.predicates.get(name).map(Arc::as_ref)
    }

    /// Returns the relation whose inverse has this name: `QUEST_GIVEN_BY` gives `QUEST_GIVER`.
    pub fn inverse_of(&self, name: &Predicate) -> Option<&PredicateDef> {
        self.predicates.values().find(|def| def.inverse.as_ref() == Some(name)).map(Arc::as_ref)
    }

    /// Returns the definition of an attribute.
    pub fn attribute(&self, name: &Predicate) -> Option<&AttributeDef> {
        self.attributes.get(name).map(Arc::as_ref)
    }

    /// Returns all relations, sorted by name.
    pub fn predicates(&self) -> impl Iterator<Item = &PredicateDef> {
        self.predicates.values().map(Arc::as_ref)
    }

    /// Returns all attributes, sorted by name.
    pub fn attributes(&self) -> impl Iterator<Item = &AttributeDef> {
        self.attributes.values().map(Arc::as_ref)
    }

    /// Returns whether a predicate has one object or value at a time.
    pub fn is_functional(&self, name: &Predicate) -> bool {
        self.predicate(name)
            .map_or_else(|| self.attribute(name).is_some_and(|def| def.functional), |def| def.functional)
    }

    /// Returns how many past values of a predicate are kept when the game replaces them.
    pub fn history(&self, name: &Predicate) -> History {
        let of_predicate = self.predicate(name).map(|def| def.history);
        of_predicate.or_else(|| self.attribute(name).map(|def| def.history)).unwrap_or_default()
    }

    /// Returns whether two relations cannot hold at the same time between the same two entities.
    ///
    /// One of the two definitions has to list the other relation.
    pub fn are_opposites(&self, a: &Predicate, b: &Predicate) -> bool {
        let names = |a, b| self.predicate(a).is_some_and(|def| def.opposites.contains(b));
        names(a, b) || names(b, a)
    }

    /// Returns the opposites of a relation, in both directions.
    pub fn opposites<'a>(&'a self, name: &'a Predicate) -> impl Iterator<Item = &'a Predicate> {
        let named = self.predicate(name).into_iter().flat_map(|def| &def.opposites);
        let naming = self.predicates.values().filter(move |def| def.opposites.contains(name)).map(|def| &def.name);
        named.chain(naming.filter(move |other| !self.predicate(name).is_some_and(|def| def.opposites.contains(other))))
    }

    /// Returns whether statements of a predicate are embedded.
    pub fn is_embedded(&self, name: &Predicate) -> bool {
        self.predicate(name).map_or_else(|| self.attribute(name).is_none_or(|def| def.embedded), |def| def.embedded)
    }

    /// Returns the audience of a fact. The secrecy of the fact takes precedence over rules and definitions.
    pub fn audience(&self, rules: &AudienceRules, fact: &Fact) -> Audience {
        match fact.secrecy() {
            Secrecy::Common => return Audience::Common,
            Secrecy::Secret => return Audience::Private,
            Secrecy::Open => {}
        }
        let name = fact.predicate();
        let ruled = rules.predicates.get(name).or_else(|| rules.attributes.get(name)).copied();
        let defined = || {
            let of_predicate = self.predicate(name).and_then(|def| def.audience);
            of_predicate.or_else(|| self.attribute(name).and_then(|def| def.audience))
        };
        ruled.or_else(defined).or(rules.default).unwrap_or(Audience::Local)
    }

    /// Returns the sentence that states a fact, built from the phrase of its predicate.
    pub fn sentence(&self, predicate: &Predicate, subject: &str, object: &str) -> String {
        let of_predicate = self.predicate(predicate).map(|def| def.phrase.as_str());
        let phrase = of_predicate.or_else(|| self.attribute(predicate).and_then(|def| def.phrase.as_deref()));
        let words = predicate.as_str().replace('_', " ").to_lowercase();
        let mut sentence = match phrase {
            Some(phrase) => fill(phrase, subject, object),
            None if predicate.is_relation() => format!("{subject} {words} {object}"),
            None => format!("{subject}: {words}: {object}"),
        };
        if !sentence.ends_with(['.', '!', '?', '"', '\u{201D}']) {
            sentence.push('.');
        }
        sentence
    }
}

/// Fills a phrase in one pass, so that a name that contains `{object}` remains unchanged.
fn fill(phrase: &str, subject: &str, object: &str) -> String {
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
        } else {
            filled.push('{');
            rest = &from[1..];
        }
    }
    filled.push_str(rest);
    filled
}

impl PredicateDef {
    /// Checks the definition.
    ///
    /// # Errors
    /// Returns an error if a name is in lowercase, a phrase lacks a placeholder, a symmetric relation has another
    /// inverse, or `history` is set without `functional`.
    pub fn check(&self) -> Result<(), VocabularyError> {
        if !self.name.is_relation() || self.inverse.as_ref().is_some_and(|inverse| !inverse.is_relation()) {
            return Err(VocabularyError::Case(self.name.clone()));
        }
        for phrase in std::iter::once(&self.phrase).chain(&self.inverse_phrase) {
            if !phrase.contains("{subject}") || !phrase.contains("{object}") {
                return Err(VocabularyError::Phrase { name: self.name.clone(), phrase: phrase.clone() });
            }
        }
        if self.symmetric && self.inverse.as_ref().is_some_and(|inverse| *inverse != self.name) {
            return Err(VocabularyError::SymmetricInverse(self.name.clone()));
        }
        check_history(&self.name, self.history, self.functional)
    }
}

impl AttributeDef {
    /// Checks the definition.
    ///
    /// # Errors
    /// Returns an error if the name is in capitals, the phrase lacks `{object}`, or `history` is set without
    /// `functional`. The phrase may omit `{subject}`.
    pub fn check(&self) -> Result<(), VocabularyError> {
        if self.name.is_relation() {
            return Err(VocabularyError::Case(self.name.clone()));
        }
        match &self.phrase {
            Some(phrase) if !phrase.contains("{object}") => {
                Err(VocabularyError::NoObject { name: self.name.clone(), phrase: phrase.clone() })
            }
            _ => check_history(&self.name, self.history, self.functional),
        }
    }
}

/// Checks that only functional predicates limit their history. Other predicates have no single latest value.
fn check_history(name: &Predicate, history: History, functional: bool) -> Result<(), VocabularyError> {
    if history != History::Full && !functional {
        return Err(VocabularyError::History(name.clone()));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_file_is_whole() {
        let file: VocabularyFile = toml::from_str(include_str!("../data/vocabulary.toml")).unwrap();
        let vocabulary = Vocabulary::default();
        assert_eq!(vocabulary.predicates.len(), file.predicate.len(), "no name twice");
        assert_eq!(vocabulary.attributes.len(), file.attribute.len(), "no name twice");
        let required = "KNOWS LOCATED_AT OWNS MEMBER_OF ALLIED_WITH HOSTILE_TO PARTICIPATED_IN QUEST_GIVER CHILD_OF \
            EMPLOYED_BY PART_OF CAUSED_BY FOLLOWS CREATED RELATED_TO LIKES WANTS FEARS OWES PROMISED KNOWS_ABOUT \
            RESIDENT_OF";
        for name in required.split_whitespace() {
            let def = vocabulary.predicate(&Predicate::new(name).unwrap()).unwrap_or_else(|| panic!("{name}"));
            def.check().unwrap();
            assert!(def.examples.len() >= 3, "{name} needs worded examples");
            assert!(def.symmetric || def.inverse.is_some(), "{name} needs an inverse");
        }
        for def in vocabulary.attributes() {
            def.check().unwrap();
        }
        for name in [
            "personality",
            "appearance",
            "occupation",
            "speaking_style",
            "emotional_state",
            "goals",
            "behavior_rules",
            "alignment",
            "atmosphere",
            "objectives",
            "reward",
            "lore_text",
        ] {
            assert!(vocabulary.attribute(&Predicate::new(name).unwrap()).is_some(), "{name}");
        }
    }

    #[test]
    fn phrases_make_sentences() {
        let vocabulary = Vocabulary::default();
        let check = |name: &str, subject: &str, object: &str, expected: &str| {
            assert_eq!(vocabulary.sentence(&Predicate::new(name).unwrap(), subject, object), expected);
        };
        check("MEMBER_OF", "Bram", "the Watch", "Bram is a member of the Watch.");
        check("SMUGGLES_FOR", "Bram", "the Club", "Bram smuggles for the Club.");
        check("lore", "Bram", "Bram limps.", "Bram limps.");
        check("OWES", "{object}", "Bram", "{object} owes Bram.");
    }

    #[test]
    fn predicates_keep_to_one_case() {
        for bad in ["", "Mixed", "A B", "_A", "9LIVES", "a-b"] {
            assert!(Predicate::new(bad).is_err(), "{bad}");
        }
        assert_eq!(Predicate::relation("works for").unwrap(), "WORKS_FOR");
        assert!(!Predicate::new("occupation").unwrap().is_relation());
    }

    #[test]
    fn definitions_that_cannot_be_are_refused() {
        let mut def = Vocabulary::default().predicate(&Predicate::new("OWES").unwrap()).unwrap().clone();
        def.phrase = "{subject} owes".into();
        assert!(matches!(Vocabulary::default().define(def), Err(VocabularyError::Phrase { .. })));
        let mut def = Vocabulary::default().predicate(&Predicate::new("OWES").unwrap()).unwrap().clone();
        def.history = History::Latest;
        assert!(matches!(Vocabulary::default().define(def), Err(VocabularyError::History(_))));
    }
}
