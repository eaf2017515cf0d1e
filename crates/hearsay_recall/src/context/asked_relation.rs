//! Relations that the words of a question name.

use std::collections::BTreeMap;

use hearsay_model::{Predicate, Vocabulary, text};

/// Maximum number of words that name a relation, such as "older brother".
const MAX_WORDS: usize = 2;

/// A relation that a question names: "father" names `CHILD_OF`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AskedRelation {
    /// The relation.
    pub predicate: Predicate,
    /// Whether the entity to which the words belong is the object of the relation, as for "Pell's daughter". It is the
    /// subject for "Pell's father".
    pub is_inverse: bool,
    /// Whether subject and object can be exchanged, as for "Pell's brother".
    pub is_symmetric: bool,
}

/// Returns the relations that words of a question name, by these words. The plural with `s` also names the relation.
pub(super) fn asked_relations(question: &str, vocabulary: &Vocabulary) -> BTreeMap<String, AskedRelation> {
    let words = text::words(question);
    let relation = |phrase: &[String]| {
        let field = phrase.join("-");
        let singular = || vocabulary.relation_of_field(field.strip_suffix('s')?);
        let relation = vocabulary.relation_of_field(&field).or_else(singular)?;
        let is_symmetric = vocabulary.predicate(&relation.predicate)?.symmetric;
        let (predicate, is_inverse) = (relation.predicate.clone(), relation.is_inverse);
        Some((phrase.join(" "), AskedRelation { predicate, is_inverse, is_symmetric }))
    };
    (1..=MAX_WORDS).flat_map(|length| words.windows(length)).filter_map(relation).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_a_question_name_relations() {
        let named = |question: &str| {
            let relations = asked_relations(question, &Vocabulary::default());
            let relation = |(words, relation): (String, AskedRelation)| {
                let AskedRelation { predicate, is_inverse, is_symmetric } = relation;
                (words, predicate.as_str().to_owned(), is_inverse, is_symmetric)
            };
            relations.into_iter().map(relation).collect::<Vec<_>>()
        };
        let owned = |words: &str, predicate: &str, is_inverse, is_symmetric| {
            vec![(words.to_owned(), predicate.to_owned(), is_inverse, is_symmetric)]
        };
        assert_eq!(named("Who is Kuno's mother?"), owned("mother", "CHILD_OF", false, false));
        assert_eq!(named("Do you have daughters?"), owned("daughters", "CHILD_OF", true, false));
        assert_eq!(named("And your wife?"), owned("wife", "MARRIED_TO", false, true));
        assert!(named("Is it raining?").is_empty());
    }
}
