//! Predicates and attributes: what can be said, how it reads in both directions, and who knows it unless told.

use std::{
    collections::BTreeMap,
    fmt,
    str::FromStr,
    sync::{Arc, LazyLock},
};

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use thiserror::Error;

use crate::{Fact, Kind, Secrecy, shared_ids, text};

/// A text that is no predicate.
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

/// What a fact says of its subject. Relations to entities are in capitals (`MEMBER_OF`), attributes with a value in
/// lowercase (`occupation`).
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
    /// Checks and takes a predicate.
    ///
    /// # Errors
    /// When the text mixes cases, is empty or too long, or holds anything but letters, digits and underscores.
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

    /// Takes any text in the form of a relation: `works for` becomes `WORKS_FOR`.
    ///
    /// # Errors
    /// When nothing is left.
    pub fn relation(text: &str) -> Result<Self, PredicateError> {
        Self::new(&crate::slug(text).replace('-', "_").to_uppercase()).map_err(|_| PredicateError(text.into()))
    }

    /// The predicate as text.
    #[inline]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether it points at an entity.
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

/// Names of the built-in relations that the code itself refers to.
pub mod predicate {
    /// Membership: what the group knows, its members know.
    pub const MEMBER_OF: &str = "MEMBER_OF";
    /// Where somebody lives: residents know the place's local lore.
    pub const RESIDENT_OF: &str = "RESIDENT_OF";
    /// Where somebody or something is now.
    pub const LOCATED_AT: &str = "LOCATED_AT";
    /// A place or group within a larger one.
    pub const PART_OF: &str = "PART_OF";
    /// How far somebody believes what somebody says: attitude −100 (nothing) to 100 (everything).
    pub const TRUSTS: &str = "TRUSTS";
    /// How somebody feels about somebody.
    pub const LIKES: &str = "LIKES";
    /// Who is on whose side.
    pub const ALLIED_WITH: &str = "ALLIED_WITH";
    /// Who is against whom.
    pub const HOSTILE_TO: &str = "HOSTILE_TO";
    /// Who knows whom.
    pub const KNOWS: &str = "KNOWS";
    /// Who is whose child.
    pub const CHILD_OF: &str = "CHILD_OF";
    /// Any relation without a name of its own.
    pub const RELATED_TO: &str = "RELATED_TO";
}

/// Names of the built-in attributes that the code itself refers to.
pub mod attribute {
    /// What an entity is called first of all.
    pub const NAME: &str = "name";
    /// What it is called besides.
    pub const ALIAS: &str = "alias";
    /// What it is.
    pub const KIND: &str = "kind";
    /// A few sentences about it.
    pub const DESCRIPTION: &str = "description";
    /// A sentence that has no relation of its own.
    pub const LORE: &str = "lore";
    /// A label.
    pub const TAG: &str = "tag";
    /// How somebody or something is. Whoever is `dead` learns and tells nothing more.
    pub const CONDITION: &str = "condition";
    /// The ranks of a group in one line, the lowest first: `apprentice, journeyman, master`.
    pub const RANKS: &str = "ranks";
    /// How much somebody passes on, 0 (nothing) to 1 (everything); 0.5 when nothing is said.
    pub const TALKATIVENESS: &str = "talkativeness";
}

/// How many past values of a predicate are kept when the game replaces them.
///
/// Values that the DM, an import or a text sets are always kept in full.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum History {
    /// Every value, each as a fact with its interval.
    #[default]
    Full,
    /// The present value, and the one that held at the beginning and at the end of each session.
    Session,
    /// The present value alone.
    Latest,
}

/// Who knows a fact that is not marked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Audience {
    /// Everybody.
    Common,
    /// Subject, object and the residents of the place.
    Local,
    /// Subject and object.
    Parties,
    /// The subject alone.
    Private,
}

impl Audience {
    /// The audience as text: lowercase.
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

/// Who knows what is not marked, in this campaign. What is not listed follows the definition of the predicate or
/// attribute, and then `default`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AudienceRules {
    /// For everything without a rule or a definition of its own; local, when nothing is said.
    pub default: Option<Audience>,
    /// By relation.
    pub predicates: BTreeMap<Predicate, Audience>,
    /// By attribute.
    pub attributes: BTreeMap<Predicate, Audience>,
}

/// A relation: how it reads, and what follows from it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PredicateDef {
    /// Its name, LIKE_THIS.
    pub name: Predicate,
    /// The name under which it is read backwards.
    #[serde(default)]
    pub inverse: Option<Predicate>,
    /// How it reads: `{subject} owes {object}`.
    pub phrase: String,
    /// How it reads backwards: `{object} is owed by {subject}`.
    #[serde(default)]
    pub inverse_phrase: Option<String>,
    /// Whether it holds both ways.
    #[serde(default)]
    pub symmetric: bool,
    /// Whether it has one object at a time, so that a newer one ends the older.
    #[serde(default)]
    pub functional: bool,
    /// How many past values are kept; anything but `full` needs `functional`.
    #[serde(default)]
    pub history: History,
    /// Whether its statement is embedded, so that it is found by meaning. State that changes all the time is not.
    #[serde(default = "yes")]
    pub embedded: bool,
    /// Who knows it unless told.
    #[serde(default)]
    pub audience: Option<Audience>,
    /// Relations that cannot hold at once between the same two.
    #[serde(default)]
    pub opposites: Vec<Predicate>,
    /// Sentences that state it.
    #[serde(default)]
    pub examples: Vec<String>,
}

/// An attribute: for whom it is, how it reads, and who knows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AttributeDef {
    /// Its name, like_this.
    pub name: Predicate,
    /// The kinds that usually have it; all, when empty.
    #[serde(default)]
    pub kinds: Vec<Kind>,
    /// How it reads: `{subject}'s occupation is {object}`. Without one, `{subject}: name: {object}`.
    #[serde(default)]
    pub phrase: Option<String>,
    /// Whether it has one value at a time.
    #[serde(default)]
    pub functional: bool,
    /// How many past values are kept; anything but `full` needs `functional`.
    #[serde(default)]
    pub history: History,
    /// Whether it is embedded.
    #[serde(default = "yes")]
    pub embedded: bool,
    /// Who knows it unless told.
    #[serde(default)]
    pub audience: Option<Audience>,
}

fn yes() -> bool {
    true
}

/// A definition that cannot be.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum VocabularyError {
    /// A relation's name is not in capitals, or an attribute's is.
    #[error("`{0}`: relations are named LIKE_THIS, attributes like_this")]
    Case(Predicate),
    /// A phrase lacks one of its places.
    #[error("the phrase of {name}, `{phrase}`, needs both {{subject}} and {{object}}")]
    Phrase {
        /// The predicate.
        name: Predicate,
        /// Its phrase.
        phrase: String,
    },
    /// The phrase of an attribute lacks the value.
    #[error("the phrase of {name}, `{phrase}`, needs {{object}}")]
    NoObject {
        /// The attribute.
        name: Predicate,
        /// Its phrase.
        phrase: String,
    },
    /// Several values may hold at a time, so that a new one does not replace the last.
    #[error(
        "{0} keeps its full history unless it has one value at a time; add `functional: true`, or remove `history`"
    )]
    History(Predicate),
    /// A symmetric relation has another relation as its inverse.
    #[error("{0} is symmetric, so it cannot have an inverse with another name")]
    SymmetricInverse(Predicate),
}

/// The predicates and attributes of a campaign.
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
    // The file is part of the program, and a test reads it: it cannot be malformed here.
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
    /// The built-in vocabulary, `data/vocabulary.toml` of this crate.
    fn default() -> Self {
        BUILT_IN.clone()
    }
}

impl Vocabulary {
    /// Adds a relation, or defines one anew.
    ///
    /// # Errors
    /// When the definition cannot be.
    pub fn define(&mut self, def: PredicateDef) -> Result<(), VocabularyError> {
        def.check()?;
        self.predicates.insert(def.name.clone(), def.into());
        Ok(())
    }

    /// Adds an attribute, or defines one anew.
    ///
    /// # Errors
    /// When the definition cannot be.
    pub fn define_attribute(&mut self, def: AttributeDef) -> Result<(), VocabularyError> {
        def.check()?;
        self.attributes.insert(def.name.clone(), def.into());
        Ok(())
    }

    /// The definition of a relation.
    pub fn predicate(&self, name: &Predicate) -> Option<&PredicateDef> {
        self.predicates.get(name).map(Arc::as_ref)
    }

    /// The relation whose inverse has this name, so that `QUEST_GIVEN_BY` is read as `QUEST_GIVER` backwards.
    pub fn inverse_of(&self, name: &Predicate) -> Option<&PredicateDef> {
        self.predicates.values().find(|def| def.inverse.as_ref() == Some(name)).map(Arc::as_ref)
    }

    /// The definition of an attribute.
    pub fn attribute(&self, name: &Predicate) -> Option<&AttributeDef> {
        self.attributes.get(name).map(Arc::as_ref)
    }

    /// All relations, by name.
    pub fn predicates(&self) -> impl Iterator<Item = &PredicateDef> {
        self.predicates.values().map(Arc::as_ref)
    }

    /// All attributes, by name.
    pub fn attributes(&self) -> impl Iterator<Item = &AttributeDef> {
        self.attributes.values().map(Arc::as_ref)
    }

    /// Whether it has one object or value at a time.
    pub fn is_functional(&self, name: &Predicate) -> bool {
        self.predicate(name)
            .map_or_else(|| self.attribute(name).is_some_and(|def| def.functional), |def| def.functional)
    }

    /// How many past values of a predicate are kept when the game replaces them.
    pub fn history(&self, name: &Predicate) -> History {
        let of_predicate = self.predicate(name).map(|def| def.history);
        of_predicate.or_else(|| self.attribute(name).map(|def| def.history)).unwrap_or_default()
    }

    /// Whether two relations cannot hold at once between the same two. One of them has to say so.
    pub fn are_opposites(&self, a: &Predicate, b: &Predicate) -> bool {
        let names = |a, b| self.predicate(a).is_some_and(|def| def.opposites.contains(b));
        names(a, b) || names(b, a)
    }

    /// The relations that cannot hold beside a relation between the same two.
    pub fn opposites<'a>(&'a self, name: &'a Predicate) -> impl Iterator<Item = &'a Predicate> {
        let named = self.predicate(name).into_iter().flat_map(|def| &def.opposites);
        let naming = self.predicates.values().filter(move |def| def.opposites.contains(name)).map(|def| &def.name);
        named.chain(naming.filter(move |other| !self.predicate(name).is_some_and(|def| def.opposites.contains(other))))
    }

    /// Whether its statement is embedded.
    pub fn is_embedded(&self, name: &Predicate) -> bool {
        self.predicate(name).map_or_else(|| self.attribute(name).is_none_or(|def| def.embedded), |def| def.embedded)
    }

    /// The audience of a fact that is not marked otherwise.
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

    /// The sentence that states a fact, made from the phrase of its predicate.
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

/// Fills a phrase in one pass, so that a name that itself reads `{object}` stays as it is.
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
    /// Checks that the definition can be.
    ///
    /// # Errors
    /// When the name is in lowercase, a phrase lacks a place, or a symmetric relation has an inverse.
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
    /// Checks that the definition can be.
    ///
    /// # Errors
    /// When the name is in capitals, or the phrase lacks `{object}`. The subject may be left out.
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

/// Only a predicate with one value at a time has a latest one.
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
