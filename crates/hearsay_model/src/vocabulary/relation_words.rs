//! Words for relations: the names of fields in notes, and the nouns and verbs of sentences.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Predicate, Vocabulary, VocabularyError};
use crate::slug;

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

/// The relation that the name of a field states.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RelationField {
    /// The relation.
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
}
