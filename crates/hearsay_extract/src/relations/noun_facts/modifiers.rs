//! Reads the words around a noun that describe an entity: adjectives and nouns before it, and phrases after it.

use hearsay_model::attribute;

use super::NounContext;
use crate::{
    language::{grammar::WordClass, kind_set::KindSet, word_lists::lists},
    sentence_reader::SentenceReader,
};

impl SentenceReader<'_> {
    /// Reads a word before the noun `head`, as in "a goblin ferryman" and "a tall man". The words of the description
    /// end before the token `end`.
    pub(super) fn read_noun_modifier(&mut self, context: NounContext<'_>, token: usize, head: &str, end: usize) {
        if self.is_named(token) {
            return;
        }
        let subjects = context.subjects;
        let word = self.norm(token).to_owned();
        let species_entry = self
            .grammar
            .attribute_nouns
            .get(&word)
            .and_then(|entries| {
                entries.iter().find(|(target, _)| self.grammar.targets[*target].predicate == *attribute::SPECIES)
            })
            .copied();
        let is_place_description = subjects.iter().all(|subject| self.kinds(subject.entity) == KindSet::PLACE)
            && (head == "place" || head == "spot" || self.grammar.word_class(head).has(WordClass::PLACE_NOUN));
        if let Some(age) = self.target(attribute::AGE).filter(|_| word.ends_with("-year-old")) {
            let value = self.token_text(token);
            self.record_description(context, age, &value, end);
        }
        let is_thing_description = subjects.iter().all(|subject| self.kinds(subject.entity) == KindSet::THING);
        let is_light_noun =
            self.grammar.word_class(head).has(WordClass::LIGHT_NOUN) || is_place_description || is_thing_description;
        let kinds = subjects.first().map_or(KindSet::ANY, |subject| self.kinds(subject.entity));
        let entries = self.grammar.adjective_attributes(&word);
        let entry = entries.iter().find(|(target, _)| self.grammar.targets[*target].subject.intersects(kinds));
        let adjective_entry = entry.copied().filter(|(target, _)| {
            let name = self.grammar.targets[*target].predicate.as_str();
            (is_light_noun && !matches!(name, attribute::EMOTIONAL_STATE)) || name == attribute::SPECIES
        });
        let is_description =
            is_light_noun || (!lists().nouns.animals.contains(word.as_str()) && !self.noun_attributes(head).is_empty());
        if let Some((target, _)) = species_entry.or(adjective_entry).filter(|_| is_description) {
            let value = self.token_text(token);
            self.record_description(context, target, &value, end);
        }
    }

    /// Reads the phrases after the noun `head`: "a woman of fifty-three with cropped white hair".
    ///
    /// Returns the token after the last phrase that was read, or `end` if that is later.
    pub(super) fn read_noun_phrases(&mut self, context: NounContext<'_>, head: &str, mut end: usize) -> usize {
        let NounContext { np, item, subjects, .. } = context;
        let is_place = subjects.iter().all(|subject| self.kinds(subject.entity) == KindSet::PLACE);
        let is_general_noun = self.grammar.word_class(head).has(WordClass::LIGHT_NOUN.or(WordClass::PLACE_NOUN));
        if !is_general_noun && !self.grammar.attribute_nouns.contains_key(head) {
            return end;
        }
        let mut next = self.chunk_of(np).unwrap_or(item) + 1;
        while let (word @ ("of" | "with" | "in"), Some(inner)) =
            (self.syntax.word(next), self.syntax.noun_group_at(next + 1))
        {
            let inner_group = self.chunks.noun_groups[inner].clone();
            let inner_words: Vec<String> =
                (inner_group.content_start..inner_group.end).map(|at| self.norm(at).to_owned()).collect();
            let names_decade = |word: &String| word.ends_with("ties") || word == "teens";
            let is_age = (word == "of" && inner_words.iter().any(|word| self.is_number(word)))
                || (word == "in" && !is_place && inner_words.iter().any(names_decade));
            let target = if is_age {
                self.target(if is_place { attribute::POPULATION } else { attribute::AGE })
            } else if word == "with" && self.grammar.possession_nouns.contains_key(self.norm(inner_group.head)) {
                self.grammar.possession_nouns[self.norm(inner_group.head)].first().map(|(target, _)| *target)
            } else {
                None
            };
            if let Some(target) = target {
                let to =
                    if word == "with" { self.value_end(next + 1, self.chunks.items.len()) } else { inner_group.end };
                let value = self.source_text(self.chunk_content_start(next + 1), to);
                self.record_description(context, target, &value, to);
                end = end.max(to);
            }
            next += 2;
        }
        end
    }
}
