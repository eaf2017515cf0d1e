//! Patterns of relations, from the tables of the language files and from the vocabulary.

use hearsay_model::{Predicate, PredicateError, PredicateRole, RelationWords};

use super::{Grammar, Pattern, Target, is_ignored};
use crate::{
    language::{
        conjugation::Inflections,
        kind_set::KindSet,
        language_file::{LanguageError, RelationTable, VocabularyRelation, Words},
        predicate_properties::PredicateProperties,
    },
    text::tokenizer::normalized_tokens,
};

/// Target of a pattern, and whether the pattern swaps subject and object.
#[derive(Debug, Clone, Copy)]
struct Direction {
    target: usize,
    is_reversed: bool,
}

/// Returns the kinds in a list of a table.
fn parse_kinds(predicate: &Predicate, list: &Words) -> Result<KindSet, LanguageError> {
    let pattern = list.iter().collect::<Vec<_>>().join(" ");
    KindSet::parse(&pattern).map_err(|problem| LanguageError::InvalidPattern {
        predicate: predicate.clone(),
        pattern,
        problem,
    })
}

/// Returns the patterns of a table, and the words of the vocabulary that can be patterns. Words without content, such
/// as "the", cannot be patterns.
fn all_patterns<'a>(table: &'a [String], vocabulary: &'a [String]) -> impl Iterator<Item = &'a str> {
    let has_content = |words: &&String| {
        let words = words.strip_prefix("be ").unwrap_or(words);
        words.split(' ').any(|word| !is_ignored(word))
    };
    table.iter().chain(vocabulary.iter().filter(has_content)).map(String::as_str)
}

impl Grammar {
    /// Adds a table of a language file, and the words that the vocabulary has for the same relation.
    pub(super) fn add_relation(
        &mut self,
        table: &RelationTable,
        vocabulary: Option<&VocabularyRelation>,
    ) -> Result<(), LanguageError> {
        let no_words = RelationWords::default();
        let words = vocabulary.map_or(&no_words, |relation| &relation.words);
        let (forward, backward) = self.add_relation_targets(table)?;
        for pattern in all_patterns(&table.verbs, &words.verbs) {
            self.add_verb_pattern(forward.target, pattern, forward.is_reversed)?;
        }
        for pattern in all_patterns(&table.back, &words.inverse_verbs) {
            self.add_verb_pattern(backward.target, pattern, backward.is_reversed)?;
        }
        for pattern in &table.phrases {
            let (first, pattern) = self.pattern(forward.target, pattern, false, true)?;
            self.phrase_patterns.entry(first).or_default().push(pattern);
        }
        for pattern in &table.phrases_back {
            let (first, mut pattern) = self.pattern(forward.target, pattern, true, true)?;
            // The reverse of "led by" is expressed with the base form "lead".
            if pattern.words.ends_with(" by")
                && let Some((lemma, _)) = self
                    .verb_forms
                    .get(&first)
                    .and_then(|forms| forms.iter().find(|(_, form)| form.has(Inflections::PARTICIPLE)))
            {
                pattern.words.clone_from(lemma);
            }
            self.phrase_patterns.entry(first).or_default().push(pattern);
        }
        for noun in all_patterns(&table.nouns, &words.nouns) {
            self.add_noun_pattern(forward, noun)?;
        }
        for noun in all_patterns(&table.nouns_back, &words.inverse_nouns) {
            self.add_noun_pattern(backward, noun)?;
        }
        self.add_mutual_patterns(table, forward.target)
    }

    /// Adds the targets of a table. Returns the directions of its patterns: forward, and with subject and object
    /// exchanged.
    fn add_relation_targets(&mut self, table: &RelationTable) -> Result<(Direction, Direction), LanguageError> {
        let predicate = Predicate::new(&table.predicate)?;
        if !predicate.is_relation() {
            return Err(PredicateError(table.predicate.clone()).into());
        }
        let (subject, object) = (parse_kinds(&predicate, &table.subject)?, parse_kinds(&predicate, &table.object)?);
        let target = self.targets.len();
        let label = match &table.label {
            None => target,
            Some(name) => self
                .find_label(name, subject, object)
                .ok_or_else(|| LanguageError::UnknownLabel { predicate: predicate.clone(), label: name.clone() })?,
        };
        let is_label_general = label != target && PredicateRole::Related.is(&self.targets[label].predicate);
        let forward_target = Target {
            predicate,
            label,
            is_inverse: false,
            subject,
            object,
            ended: table.over,
            denied: table.denied,
            is_symmetric: table.mutual,
            properties: PredicateProperties::default(),
        };
        let inverse_target = Target { is_inverse: true, subject: object, object: subject, ..forward_target.clone() };
        self.targets.push(forward_target);
        let forward = Direction { target, is_reversed: false };
        if !is_label_general {
            return Ok((forward, Direction { target, is_reversed: true }));
        }
        // A fact with the general label has the same subject as its words: the fact "Vo is the mentor of Ann" is about
        // Vo. When the fact gets the more specific predicate, subject and object are exchanged.
        self.targets.push(inverse_target);
        Ok((forward, Direction { target: target + 1, is_reversed: false }))
    }

    /// Returns the target of a label. If several tables have the predicate, the first one whose kinds include the given
    /// kinds is used, or else the first one.
    fn find_label(&self, name: &str, subject: KindSet, object: KindSet) -> Option<usize> {
        let is_label = |at: &usize| {
            let target = &self.targets[*at];
            target.predicate == *name && target.label == *at && !target.ended && !target.denied
        };
        let labels: Vec<usize> = (0..self.targets.len()).filter(is_label).collect();
        let includes_kinds = |at: &&usize| {
            let target = &self.targets[**at];
            target.subject.includes(subject) && target.object.includes(object)
        };
        labels.iter().find(includes_kinds).or(labels.first()).copied()
    }

    fn add_noun_pattern(&mut self, direction: Direction, noun: &str) -> Result<(), LanguageError> {
        let (_, pattern) = self.pattern(direction.target, noun, direction.is_reversed, false)?;
        let words = normalized_tokens(&pattern.words);
        if let Some(last) = words.last().cloned() {
            self.noun_patterns.entry(last).or_default().push((words, pattern));
        }
        Ok(())
    }

    /// Adds the patterns that relate two entities without an object of a verb: relational nouns, verbs of place, and
    /// words for several subjects.
    fn add_mutual_patterns(&mut self, table: &RelationTable, target: usize) -> Result<(), LanguageError> {
        for relational_noun in &table.ties {
            let (_, pattern) = self.pattern(target, relational_noun, false, false)?;
            self.add_relational_noun(pattern);
        }
        for noun in &table.between {
            let (_, mut pattern) = self.pattern(target, noun, false, false)?;
            pattern.words.push_str(" between");
            self.add_relational_noun(pattern);
        }
        for verb in table.stances.iter() {
            for place in table.places.iter() {
                self.add_verb_pattern(target, &format!("{verb} {place}"), false)?;
            }
        }
        for noun in &table.together {
            let (_, pattern) = self.pattern(target, noun, false, false)?;
            let words = normalized_tokens(&pattern.words);
            if let Some(first) = words.first().cloned() {
                self.reciprocal_phrases.entry(first).or_default().push((words, pattern));
            }
        }
        for verb in &table.together_verbs {
            let (first, pattern) = self.pattern(target, verb, false, false)?;
            let (first, pattern) = self.negated_verb_pattern(first, pattern);
            self.add_verb(&first, None);
            self.reciprocal_verbs.entry(first).or_default().push(pattern);
        }
        Ok(())
    }

    /// Adds a pattern of a noun that relates two entities. The pattern is looked up by the last word before the
    /// preposition: "bad blood with" by "blood".
    fn add_relational_noun(&mut self, pattern: Pattern) {
        if let Some(noun) = pattern.words.split_whitespace().rev().nth(1) {
            self.relational_nouns.entry(noun.to_owned()).or_default().push(pattern);
        }
    }
}
