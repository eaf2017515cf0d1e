//! Compares extracted facts with the labels of real texts. The comparison uses only the data that every engine
//! provides: the fact, its sentence and its quotation.

use hearsay_extract::{ExtractedFact, Extraction, FactObject, Mention};
use hearsay_model::{Factuality, Predicate, State, Vocabulary, attribute, text};

use crate::{
    extraction::values_match,
    table_talk::{Cast, LabelledStatement, MIN_OVERLAP, overlap},
};

/// The labelled line in which a fact was found.
pub(super) struct LabelledText<'a> {
    /// The line of the episode, with the name of the speaker.
    pub(super) line: &'a str,
    /// Length in bytes of the name of the speaker, which the passage does not contain.
    pub(super) prefix_bytes: usize,
}

/// Compares facts with labels.
pub(super) struct Agreement<'a> {
    pub(super) cast: &'a Cast,
    pub(super) state: &'a State,
    pub(super) vocabulary: &'a Vocabulary,
}

impl Agreement<'_> {
    /// Returns whether a fact agrees with a labelled statement.
    ///
    /// A statement agrees with a labelled statement if their words overlap by at least half, if it names the labelled
    /// subject and the referents of the labelled references, and if either both statements or neither of them are
    /// hedged or planned. A relation or attribute agrees if the label contains it.
    pub(super) fn agrees(
        &self,
        fact: &ExtractedFact,
        extraction: &Extraction,
        label: &LabelledStatement,
        text: &LabelledText<'_>,
    ) -> bool {
        let is_doubtful = matches!(fact.factuality, Factuality::Hedged | Factuality::Planned);
        if is_doubtful != matches!(label.status, 'h' | 'p') {
            return false;
        }
        match fact.predicate.as_str() == attribute::LORE {
            true => self.statement_agrees(fact, extraction, label, text),
            false => label.typed.iter().any(|typed| self.typed_fact_agrees(fact, extraction, typed)),
        }
    }

    fn statement_agrees(
        &self,
        fact: &ExtractedFact,
        extraction: &Extraction,
        label: &LabelledStatement,
        text: &LabelledText<'_>,
    ) -> bool {
        let shifted = |(start, end): (usize, usize)| {
            (start.saturating_sub(text.prefix_bytes), end.saturating_sub(text.prefix_bytes))
        };
        let span = (fact.span.start, fact.span.end);
        if overlap(shifted(label.span), span) < MIN_OVERLAP {
            return false;
        }
        let names_subject = label.subject.as_ref().is_none_or(|subject| {
            self.cast.is_same_entity(self.name(&fact.subject, extraction), subject)
                || self.cast.is_named_in(&fact.statement, subject).unwrap_or(false)
        });
        let is_inside = |(start, end): (usize, usize)| span.0 <= start && end <= span.1;
        let references = label.references.iter().filter(|(at, _)| is_inside(shifted(*at)));
        let mut references = references.map(|(at, name)| (text.line.get(at.0..at.1).unwrap_or_default(), name));
        // A referent without a name remains a pronoun or description.
        let is_resolved = |(words, name): (&str, &String)| match self.cast.is_named_in(&fact.statement, name) {
            Some(is_named) => is_named,
            None => contains_words(&fact.statement, words) || contains_words(&fact.statement, name),
        };
        names_subject && references.all(is_resolved)
    }

    fn typed_fact_agrees(
        &self,
        fact: &ExtractedFact,
        extraction: &Extraction,
        (predicate, subject, object): &(String, String, String),
    ) -> bool {
        let Ok(predicate) = Predicate::new(predicate) else { return false };
        let (predicate, subject, object) = match self.vocabulary.inverse_of(&predicate) {
            Some(def) => (&def.name, object, subject),
            None => (&predicate, subject, object),
        };
        if fact.predicate != *predicate {
            return false;
        }
        let is_symmetric = self.vocabulary.predicate(predicate).is_some_and(|def| def.symmetric);
        let has_subject = |name: &str| self.cast.is_same_entity(self.name(&fact.subject, extraction), name);
        match &fact.object {
            FactObject::Value(value) => has_subject(subject) && values_match(value, object),
            FactObject::Entity(entity) => {
                let has_object = |name: &str| self.cast.is_same_entity(self.name(entity, extraction), name);
                has_subject(subject) && has_object(object) || is_symmetric && has_subject(object) && has_object(subject)
            }
        }
    }

    /// Returns the name of a mentioned entity.
    fn name<'b>(&'b self, mention: &'b Mention, extraction: &'b Extraction) -> &'b str {
        match mention {
            Mention::Known(id) => self.state.name(id).unwrap_or(id.as_str()),
            Mention::New(index) => extraction.entities.get(*index).map_or("", |entity| &entity.name),
        }
    }
}

fn contains_words(sentence: &str, words: &str) -> bool {
    text::contains_name(&text::words(sentence), &text::words(words))
}
