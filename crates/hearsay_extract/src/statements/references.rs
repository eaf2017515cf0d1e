//! Checks the names that replace the pronouns of a statement, and the name that is added as its subject.

use std::ops::Range;

use super::{pronoun_scopes::LineWords, sentence::SentenceWriter};
use crate::{
    entities::{lexicon::Gender, mentions::EntityRef},
    language::{
        function_words::{first_person, is_second_person},
        kind_set::KindSet,
    },
    model::{DecodedStatement, LikelyReferent, Reference, Referent},
};

/// Returns the entity with a name to which a reference refers.
fn named_referent(likely: &LikelyReferent) -> Option<EntityRef> {
    match likely.referent {
        Referent::Named(entity) => Some(entity),
        Referent::Party | Referent::Other | Referent::Explicit => None,
    }
}

impl SentenceWriter<'_, '_> {
    fn line_words(&self) -> LineWords<'_, '_> {
        let names = &self.document.lines[self.line].names;
        LineWords { words: self.words, names, grammar: self.document.extractor.grammar() }
    }

    /// Returns whether a reference or the added subject of a statement means another person or thing than the model has
    /// found.
    pub(super) fn has_wrong_referent(&self, decoded: &DecodedStatement) -> bool {
        self.lacks_known_subject(decoded)
            || self.mixes_persons(decoded)
            || self.shares_other_pronoun(decoded)
            || self.belongs_to_doubtful_name(decoded)
    }

    /// Returns whether an added subject or a pronoun means a person or thing without a name, and no entity, or an entity with
    /// which the line only compares somebody.
    fn lacks_known_subject(&self, decoded: &DecodedStatement) -> bool {
        let (line, words) = (&self.document.lines[self.line], self.statement_words(decoded));
        let is_wrong_pronoun = |reference: &Reference| {
            named_referent(&reference.likely_referent).is_some()
                && words.mean_described_person(reference.words.start, &line.described_persons)
        };
        let line_words = self.line_words();
        let is_compared =
            |likely: &LikelyReferent| named_referent(likely).is_some_and(|entity| line_words.only_compares(entity));
        let is_name = |reference: &Reference| {
            let overlaps =
                |range: &Range<usize>| range.start < reference.words.end && reference.words.start < range.end;
            line.names.iter().any(|(range, _)| overlaps(range))
        };
        let is_wrong = |reference: &Reference| {
            is_wrong_pronoun(reference) || !is_name(reference) && is_compared(&reference.likely_referent)
        };
        decoded.subject.referent != Referent::Explicit && words.follow_unnamed_subject(&line.names)
            || is_compared(&decoded.subject)
            || decoded.references.iter().any(is_wrong)
    }

    /// Returns whether a statement refers to an entity in two grammatical persons: in "he saw you", Odo cannot be both.
    /// In "Odo, you saw it", the name and "you" are the same person. A quotation can change the person.
    fn mixes_persons(&self, decoded: &DecodedStatement) -> bool {
        let is_quotation_mark = |word: usize| matches!(self.words[word].text, "\"" | "\u{201C}" | "\u{201D}");
        if decoded.words.clone().any(is_quotation_mark) {
            return false;
        }
        let line = &self.document.lines[self.line];
        let is_in_statement =
            |words: &Range<usize>| decoded.words.start <= words.start && words.end <= decoded.words.end;
        let referents = |is_meant: fn(&str) -> bool| -> Vec<EntityRef> {
            let is_pronoun = |reference: &&Reference| {
                let words = &reference.words;
                words.len() == 1 && is_in_statement(words) && is_meant(&self.lower(words.start))
            };
            let pronouns = decoded.references.iter().filter(is_pronoun);
            pronouns.filter_map(|reference| named_referent(&reference.likely_referent)).collect()
        };
        let first = referents(|word| first_person(word).is_some());
        let second = referents(is_second_person);
        let third = referents(|word| matches!(word, "he" | "she" | "him"));
        let is_you = |word: Option<usize>| word.is_some_and(|at| is_second_person(&self.lower(at)));
        let is_addressed = |words: &Range<usize>, entity: &EntityRef| {
            line.addressed.contains(entity) || is_you(words.start.checked_sub(1)) || is_you(Some(words.end))
        };
        let is_named = |entity: &EntityRef| {
            let is_name = |(words, named): &(Range<usize>, EntityRef)| {
                named == entity && is_in_statement(words) && !is_addressed(words, named)
            };
            line.names.iter().any(is_name)
        };
        first.iter().any(|entity| second.contains(entity) || third.contains(entity))
            || second.iter().any(|entity| third.contains(entity) || is_named(entity))
    }

    /// Returns whether the added subject of a statement is not safely the person whom "he" or "she" means in the clause before
    /// it: in "Odo gives Mirela a lamp, she nods and leaves", Odo does not leave.
    fn shares_other_pronoun(&self, decoded: &DecodedStatement) -> bool {
        let line_words = self.line_words();
        let Some((pronoun, gender)) = line_words.subject_pronoun(decoded.words.start) else { return false };
        let Some(subject) = named_referent(&decoded.subject) else { return false };
        let fits = |entity: EntityRef| {
            let is_other_gender = match self.document.entity_gender(entity) {
                Gender::He => gender == Gender::She,
                Gender::She => gender == Gender::He,
                Gender::Unknown | Gender::It | Gender::They => false,
            };
            self.is_person(entity) && !is_other_gender
        };
        let sentence = line_words.sentence_start(pronoun)..pronoun;
        let names = self.document.lines[self.line].names.iter().filter(|(words, _)| sentence.contains(&words.start));
        let has_rival = names.map(|(_, entity)| *entity).any(|entity| entity != subject && fits(entity));
        !fits(subject) || self.document.entity_gender(subject) == Gender::Unknown && has_rival
    }

    /// Returns whether a name replaces "his" or "her" although the pronoun belongs to a subject that may be a name: "Tamsin
    /// draws her sword" at the beginning of a line. The first word of a sentence has a capital letter, name or not.
    fn belongs_to_doubtful_name(&self, decoded: &DecodedStatement) -> bool {
        let (line_words, doubtful_names) = (self.line_words(), &self.document.doubtful_names[self.line]);
        decoded.references.iter().any(|reference| {
            named_referent(&reference.likely_referent).is_some()
                && line_words.belongs_to_subject(reference.words.start, doubtful_names)
        })
    }

    fn is_person(&self, entity: EntityRef) -> bool {
        let kinds = match entity {
            EntityRef::Known(entity) => self.document.lexicon.entities[entity as usize].kinds,
            EntityRef::New(index) => self.document.new_names.kinds.get(index).copied().unwrap_or(KindSet::ANY),
        };
        kinds.intersects(KindSet::PERSON)
    }
}
