//! Words for relations: the names of fields in notes, and the nouns and verbs of sentences.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Predicate, PredicateDef, Vocabulary, VocabularyError};
use crate::{
    slug,
    spelling::{is_stop_word, nearest_name, stem},
    text,
};

/// Words that state a relation. Importers use the names of fields, and the extraction of facts uses nouns and verbs.
///
/// In `inverse_fields`, `inverse_nouns` and `inverse_verbs`, subject and object of the relation are exchanged.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RelationWords {
    /// Names of fields in the file of the subject entity. The value of the field names the object. The comparison
    /// ignores case and spaces. The plural with `s` also matches.
    pub fields: Vec<String>,
    /// Names of fields in the file of the object entity. The value of the field names the subject.
    pub inverse_fields: Vec<String>,
    /// The names of fields that can be the heading of a list. Such a heading states the relation for each item of the
    /// list: for example, each item below `Enemies` names an enemy. `None` if no name can be such a heading.
    pub lists: Option<ListDirections>,
    /// Nouns in the singular and in lowercase. "X is the NOUN of Y" and "Y's NOUN X" mean that X is the subject and Y
    /// is the object.
    pub nouns: Vec<String>,
    /// Nouns with the opposite direction: "X is the NOUN of Y" means that X is the object and Y is the subject.
    pub inverse_nouns: Vec<String>,
    /// Verbs in the base form and in lowercase, with the words that precede their object, such as `swear fealty to` or
    /// `be loyal to`. "X VERB Y" means that X is the subject and Y is the object.
    pub verbs: Vec<String>,
    /// Verbs with the opposite direction: "X VERB Y" means that X is the object and Y is the subject.
    pub inverse_verbs: Vec<String>,
}

/// The names of fields that can be the heading of a list. The heading states the relation for each item of the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ListDirections {
    /// All names in [`RelationWords::fields`] and [`RelationWords::inverse_fields`].
    Both,
    /// Only the names in [`RelationWords::inverse_fields`].
    Inverse,
}

impl RelationWords {
    /// Returns whether the words include nouns or verbs.
    pub fn has_sentence_words(&self) -> bool {
        self.sentence_words().next().is_some()
    }

    fn all_words(&self) -> impl Iterator<Item = &String> {
        self.fields.iter().chain(&self.inverse_fields).chain(self.sentence_words())
    }

    fn sentence_words(&self) -> impl Iterator<Item = &String> {
        self.nouns.iter().chain(&self.inverse_nouns).chain(&self.verbs).chain(&self.inverse_verbs)
    }

    /// Checks that the name of each field has letters or digits, and that nouns and verbs are written in lowercase.
    pub(super) fn check(&self, name: &Predicate) -> Result<(), VocabularyError> {
        let is_word = |word: &str| {
            word.starts_with(char::is_alphabetic)
                && word.chars().all(|c| c.is_alphanumeric() && !c.is_uppercase() || matches!(c, '-' | '\''))
        };
        let invalid_field = self.fields.iter().chain(&self.inverse_fields).find(|field| slug(field).is_empty());
        let invalid_words = self.sentence_words().find(|words| !words.split(' ').all(is_word));
        match invalid_field.or(invalid_words) {
            Some(words) => Err(VocabularyError::InvalidWords { name: name.clone(), words: words.clone() }),
            None => Ok(()),
        }
    }
}

/// The predicate that the name of a field states, in most cases a relation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RelationField {
    /// The predicate.
    pub predicate: Predicate,
    /// Whether the entity of the note is the object of the relation. If `false`, it is the subject.
    pub is_inverse: bool,
}

/// The words of all relations of a vocabulary.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct WordIndex {
    by_name: BTreeMap<Predicate, RelationWords>,
    /// The relation of each field, by the [`slug`] of the field's name.
    fields: BTreeMap<String, RelationField>,
}

impl WordIndex {
    /// Replaces the words of a relation. If another relation has a field with the same name, the field now belongs to
    /// this relation only.
    pub(super) fn set(&mut self, name: &Predicate, words: &RelationWords) {
        self.fields.retain(|_, field| field.predicate != *name);
        for (fields, is_inverse) in [(&words.fields, false), (&words.inverse_fields, true)] {
            let field = RelationField { predicate: name.clone(), is_inverse };
            self.fields.extend(fields.iter().map(|text| (slug(text), field.clone())));
        }
        self.by_name.insert(name.clone(), words.clone());
    }

    /// Returns the names of all fields, in the form that [`slug`] returns.
    pub(super) fn field_names(&self) -> impl Iterator<Item = &str> {
        self.fields.keys().map(String::as_str)
    }
}

impl Vocabulary {
    /// Returns the words that state a relation; `None` if its definition has none.
    pub fn words(&self, name: &Predicate) -> Option<&RelationWords> {
        self.words.by_name.get(name)
    }

    /// Returns the relation that a field states, or `None` if the name of the field belongs to no relation. `name` has
    /// the form that [`slug`] returns, such as `place-of-birth`.
    pub fn relation_of_field(&self, name: &str) -> Option<&RelationField> {
        self.words.fields.get(name)
    }

    /// Returns the relation that a text names: a relation, an inverse relation, a [field](RelationWords::fields) or a
    /// phrase, such as `SAVED`, `SAVED_BY`, `rescued` or `works for`. A text in capitals is a name, so it is not compared
    /// with the phrases. Returns `None` if the vocabulary has no such relation.
    pub fn relation_named(&self, text: &str) -> Option<RelationField> {
        let named = Predicate::new(text).ok().filter(Predicate::is_relation);
        let is_name = named.is_some();
        let name = named.or_else(|| Predicate::relation(text).ok())?;
        if self.predicate(&name).is_some() {
            return Some(RelationField { predicate: name, is_inverse: false });
        }
        if let Some(def) = self.inverse_of(&name) {
            return Some(RelationField { predicate: def.name.clone(), is_inverse: true });
        }
        let field = self.relation_of_field(&slug(text)).cloned();
        field.or_else(|| self.relation_of_phrase(text).filter(|_| !is_name))
    }

    /// Returns the relation whose phrase, or inverse phrase, has these words between the placeholders.
    fn relation_of_phrase(&self, words: &str) -> Option<RelationField> {
        let words = text::normalize(words);
        let matches_phrase = |phrase: &str, first: &str, last: &str| {
            let between = phrase.strip_prefix(first).and_then(|phrase| phrase.strip_suffix(last));
            between.is_some_and(|between| text::normalize(between) == words)
        };
        let is_forward = |def: &&PredicateDef| matches_phrase(&def.phrase, "{subject} ", " {object}");
        let is_backward = |def: &&PredicateDef| {
            def.inverse_phrase.as_ref().is_some_and(|phrase| matches_phrase(phrase, "{object} ", " {subject}"))
        };
        let forward = self.predicates().find(is_forward).map(|def| (def, false));
        let found = forward.or_else(|| self.predicates().find(is_backward).map(|def| (def, true)));
        found.map(|(def, is_inverse)| RelationField { predicate: def.name.clone(), is_inverse })
    }

    /// Returns the relation that the unknown name of a relation probably means; `None` if no relation is similar. A
    /// relation with a name or word of the same stem takes precedence: `THREATENING` means `THREATENED`. Otherwise, the
    /// relation with the most similar name is returned.
    pub fn similar_relation(&self, name: &str) -> Option<&Predicate> {
        let stems = |text: &str| -> Vec<String> {
            let words = text::words(&text.replace(['_', '-'], " "));
            words.iter().filter(|word| !is_stop_word(word)).map(|word| stem(word)).collect()
        };
        let wanted = stems(name);
        let has_same_stems = |text: &str| !wanted.is_empty() && stems(text) == wanted;
        let named = self.predicates().find(|def| has_same_stems(def.name.as_str()));
        let with_word = || {
            let words = |def: &PredicateDef| self.words(&def.name).into_iter().flat_map(RelationWords::all_words);
            self.predicates().find(|def| words(def).any(|word| has_same_stems(word)))
        };
        let inverse =
            || self.predicates().find(|def| def.inverse.as_ref().is_some_and(|name| has_same_stems(name.as_str())));
        let same = named.or_else(with_word).or_else(inverse).map(|def| &def.name);
        same.or_else(|| nearest_name(name, self.predicates().map(|def| &def.name), Predicate::as_str))
    }
}
