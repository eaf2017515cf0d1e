//! Extracts facts from appositions: "her brother Pell", "Pell, ferryman at the quay".

use hearsay_model::attribute;

use crate::{
    language::{function_words::is_pronoun, grammar::WordClass, kind_set::KindSet, weights::Weight, word_lists::lists},
    relations::noun_facts::NounContext,
    sentence_reader::{FactBasis, ResolvedEntity, SentenceReader, assertion_status::AssertionStatus},
    syntax::{
        chunker::{Chunk, VerbForm},
        clauses::SubjectSource,
    },
    text::tokenizer::TokenKind,
};

/// Maximum number of descriptions after a name that are read. Commas, brackets, colons or dashes separate them.
const MAX_DESCRIPTIONS: usize = 6;

impl SentenceReader<'_> {
    /// Records the facts of all appositions in the sentence: "her brother Pell", "Pell, ferryman at the quay", "Pell
    /// (ferryman)".
    pub(crate) fn read_appositions(&mut self, statuses: &[AssertionStatus]) {
        let sentence_status = self.sentence_status(false);
        if sentence_status.is_unasserted {
            return;
        }
        let is_question = self.is_question();
        for np in 0..self.chunks.noun_groups.len() {
            let group = &self.chunks.noun_groups[np];
            if group.owner_is_name && group.name.is_none() && group.owner.is_none() {
                continue;
            }
            let has_name = group.name.is_some();
            let Some(item) = self.chunk_of(np) else { continue };
            // An apposition takes its doubt and its source from the clause around it, but not its tense: in "my nephew
            // Odo was there", Odo still is the nephew.
            let surrounding_clause = self.clauses.iter().zip(statuses).rev().find(|(clause, _)| clause.start <= item);
            let surrounding_status = surrounding_clause.map_or(&sentence_status, |(_, status)| status);
            let is_asserted = !surrounding_status.is_unasserted;
            let status = AssertionStatus {
                is_unasserted: false,
                denied: false,
                ended: false,
                is_past_state: false,
                is_embedded: false,
                ..surrounding_status.clone()
            };
            if self.read_introduction(np, item, &status) {
                continue;
            }
            if has_name {
                self.read_descriptions(np, item, &status);
                // "Kosuzu the maid" is an apposition, but "is Kosuzu the maid?" is a question.
                if !is_question {
                    self.read_definite_apposition(np, item, &status);
                }
            } else if is_asserted {
                self.read_name_after_phrases(np, item, &status);
            }
            self.read_separated_apposition(np, item, is_asserted, &status);
        }
    }

    /// Reads a noun group that describes the entity named by the noun group `name_group`.
    fn read_beside(&mut self, np: usize, item: usize, name_group: usize, status: &AssertionStatus) {
        let subjects = self.resolve(name_group, &[]);
        self.read_noun_group(NounContext {
            np,
            item,
            subjects: &subjects,
            basis: FactBasis::new(status, &[Weight::BESIDE]),
            clause: None,
        });
    }

    /// Reads a noun group that introduces a name: "her brother Pell", "a halfling called Minnow Tuck", "a tinker, calls
    /// himself Vaclav", "formerly a resident of the quay, Annie …".
    ///
    /// Returns whether the noun group was read and needs no other reading.
    fn read_introduction(&mut self, np: usize, item: usize, status: &AssertionStatus) -> bool {
        let group = self.chunks.noun_groups[np].clone();
        // Examples: "her brother Pell", "the goblin Dross"
        if group.name.is_some()
            && let Some((from, to)) = group.role
        {
            let is_title = (from..to).all(|at| {
                self.grammar.word_class(self.norm(at)).has(WordClass::TITLE) || self.tokens[at].is_capitalized
            });
            // "the Builder's Grace" is a name.
            let is_part_of_name = (from..=to).any(|at| matches!(self.norm(at), "'s" | "'")) && group.owner.is_none();
            // The name counts as a mention even if nothing is read.
            self.resolve(np, &[]);
            if (group.owner.is_some() || !is_title) && !is_part_of_name {
                self.read_beside(np, item, np, status);
            }
            return true;
        }
        if group.name.is_some() {
            return false;
        }
        // Example: "A halfling called Minnow Tuck"
        if self.announces_name(item + 1) {
            self.read_beside(np, item, np, status);
            return true;
        }
        // Examples: "a druid in tow, name of Mabon", "a tinker, calls himself Vaclav"
        if self.is_indefinite(&group)
            && let Some(name_group) = self.introduced_name(item)
        {
            let subjects = self.resolve(name_group, &[]);
            self.read_noun_group(NounContext {
                np,
                item,
                subjects: &subjects,
                basis: FactBasis::new(status, &[Weight::BESIDE, Weight::NAMED_BELOW]),
                clause: None,
            });
            return true;
        }
        // Example: "Formerly a resident of the quay, Annie …"
        let comma = self.item_after_phrases(item);
        if item <= 1
            && !group.is_pronoun
            && group.owner.is_none()
            && self.syntax.word(comma) == ","
            && let Some(name_group) = self.syntax.noun_group_at(comma + 1)
            && self.chunks.noun_groups[name_group].name.is_some()
            && self.clauses.iter().any(|clause| clause.subjects == [name_group])
        {
            let is_former = item == 1 && lists().adverbs.former.contains(self.syntax.word(0));
            let status = AssertionStatus { ended: is_former, ..status.clone() };
            self.read_beside(np, item, name_group, &status);
            return true;
        }
        false
    }

    /// Reads a noun group with "the" directly after a name: "Kosuzu the maid".
    fn read_definite_apposition(&mut self, np: usize, item: usize, status: &AssertionStatus) {
        if !self.is_followed_by_alias(item)
            && let Some(next) = self.syntax.noun_group_at(item + 1)
            && self.chunks.noun_groups[next].name.is_none()
            && self.chunks.noun_groups[next].owner.is_none()
            && self.chunks.noun_groups[next].article.is_some_and(|at| self.norm(at) == "the")
        {
            self.read_beside(next, item + 1, np, status);
        }
    }

    /// Reads a noun group whose phrases a name follows: "a priest of the Drowned God, Father Tull, …".
    fn read_name_after_phrases(&mut self, np: usize, item: usize, status: &AssertionStatus) {
        let mark = self.item_after_phrases(item);
        if mark > item + 1
            && self.is_indefinite(self.noun_group(np))
            && matches!(self.syntax.word(mark), "," | "\u{2014}")
            && let Some(name_group) = self.syntax.noun_group_at(mark + 1)
            && self.chunks.noun_groups[name_group].name.is_some()
            && self.chunks.noun_groups[name_group].owner.is_none()
            && matches!(
                self.word_after_noun_group(mark + 1).as_str(),
                "," | ")" | "\u{2014}" | "." | "" | "!" | ";" | "who"
            )
        {
            self.read_beside(np, item, name_group, status);
        }
    }

    /// Reads two noun groups with a mark between them, one of which is a name: "Pell, Mirela's brother, …", "a human
    /// trader, Corentin Bray, …". `is_asserted` says whether the clause around the first noun group asserts anything.
    fn read_separated_apposition(&mut self, np: usize, item: usize, is_asserted: bool, status: &AssertionStatus) {
        let opening_mark = self.syntax.word(item + 1);
        if !matches!(opening_mark, "," | "(" | "\u{2014}" | ":") {
            return;
        }
        let Some(next) = self.syntax.noun_group_at(item + 2) else { return };
        let (group, other) = (self.chunks.noun_groups[np].clone(), self.chunks.noun_groups[next].clone());
        let closing_word = self.word_after_noun_group(item + 2);
        let is_closed =
            matches!(closing_word.as_str(), "," | ")" | "\u{2014}" | "." | "" | "!" | ";" | "who" | "which");
        // In "Selene - a woman allied with Varrick, Seraphine's sister", the last words describe Selene, the topic of
        // the entry.
        let follows_preposition = item > 0 && self.syntax.is_preposition(item - 1);
        let entity = group.name.map(|name| self.names[name].entity);
        if follows_preposition && self.history.topic.is_some() && self.history.topic != entity {
            return;
        }
        // In "works for the Torvalds, poor sod", the last words describe the worker, not the Torvalds.
        if follows_preposition
            && other.article.is_none()
            && other.owner.is_none()
            && entity.is_some_and(|entity| self.kinds(entity) == KindSet::GROUP)
        {
            return;
        }
        // Example: "Pell, Mirela's brother, …"
        if group.name.is_some() && other.name.is_none() && !other.is_pronoun && is_closed {
            let in_list = opening_mark == "," && self.syntax.noun_list(item, self.chunks.items.len()).0.contains(&next);
            // A noun group that is the subject of a verb is not an apposition.
            let is_direct_subject = self
                .clauses
                .iter()
                .any(|clause| clause.subjects.contains(&next) && clause.subject_source == SubjectSource::Direct);
            if !in_list && !is_direct_subject {
                self.read_beside(next, item + 2, np, status);
            }
        }
        if group.name.is_some() || other.name.is_none() || other.owner.is_some() || !is_closed {
            return;
        }
        // Examples: "a human trader, Corentin Bray, …", "her page, Pompon, …"
        let is_introduced = group.owner.is_some()
            || group.article.is_some_and(|at| lists().determiners.introducing.contains(self.norm(at)));
        if is_introduced
            && is_asserted
            && !group.is_pronoun
            && !group.is_owner_only
            && matches!(opening_mark, "," | ":" | "\u{2014}")
        {
            self.read_beside(np, item, next, status);
            return;
        }
        // Example: "Mirela's brother, Pell, …"
        if other.role.is_none() && opening_mark == "," && group.owner.is_some() {
            let subjects = self.resolve(next, &[]);
            self.read_noun_relation(NounContext {
                np,
                item,
                subjects: &subjects,
                basis: FactBasis::new(status, &[Weight::BESIDE]),
                clause: None,
            });
        }
    }

    /// Returns the item after a noun group and its prepositional phrases.
    fn item_after_phrases(&self, item: usize) -> usize {
        let mut at = item + 1;
        while self.syntax.is_preposition(at) && self.syntax.noun_group_at(at + 1).is_some() {
            at += 2;
        }
        at
    }

    /// Returns the noun group that introduces a new name a few words further on: "name of Mabon", "goes by Mabon".
    fn introduced_name(&self, item: usize) -> Option<usize> {
        (item + 2..(item + 9).min(self.chunks.items.len())).find_map(|at| {
            let np = self.syntax.noun_group_at(at)?;
            let start = self.chunks.noun_groups[np].start;
            let word = |distance: usize| start.checked_sub(distance).map_or("", |at| self.norm(at));
            let introduces_name = (word(1) == "of" && word(2) == "name")
                || matches!(word(1), "called" | "named")
                || (lists().pronouns.reflexive.contains(word(1)) && matches!(word(2), "calls" | "called"))
                || (word(1) == "by" && matches!(word(2), "goes" | "went"))
                || (matches!(word(1), "is" | "'s") && word(2) == "name");
            let name = self.chunks.noun_groups[np].name.map(|name| self.names[name].entity)?;
            (introduces_name && matches!(name, crate::entities::mentions::EntityRef::New(_))).then_some(np)
        })
    }

    /// Records the descriptions after a name, as in "Bell, sixty, gaunt, with one good eye, …".
    fn read_descriptions(&mut self, np: usize, item: usize, status: &AssertionStatus) {
        let refs = self.resolve(np, &[]);
        let kinds = refs.first().map_or(KindSet::ANY, |resolved_entity| self.kinds(resolved_entity.entity));
        let mut at = item + 1;
        for _ in 0..MAX_DESCRIPTIONS {
            if !matches!(self.syntax.word(at), "," | "(" | "\u{2014}" | ":") || refs.is_empty() {
                return;
            }
            at += 1;
            if self.syntax.word(at) == "and" {
                at += 1;
            }
            let is_end = |item: usize| match self.chunks.items.get(item) {
                Some(Chunk::VerbGroup(vg)) => self.chunks.verb_groups[*vg].form == VerbForm::Finite,
                Some(Chunk::Token(token)) => self.tokens[*token].is_punctuation(".,;:!?()\u{2014}"),
                Some(Chunk::NounGroup(_)) => false,
                None => true,
            };
            let Some(end) = (at..=self.chunks.items.len()).find(|item| is_end(*item)).filter(|end| *end > at) else {
                return;
            };
            // The descriptions of this name end at another subject or another name.
            let is_verb_next = matches!(self.chunks.items.get(end), Some(Chunk::VerbGroup(_)));
            let is_other_entity = |np: usize| {
                let group = &self.chunks.noun_groups[np];
                group.name.is_some() || group.is_pronoun
            };
            let follows_preposition = item > 0 && self.syntax.is_preposition(item - 1) && kinds != KindSet::PERSON;
            if follows_preposition
                || self.syntax.noun_group_at(at).is_some_and(is_other_entity)
                || (is_verb_next && self.syntax.noun_group_at(at).is_some())
            {
                return;
            }
            let is_past = self.syntax.word(at) == "then" || lists().adverbs.former.contains(self.syntax.word(at));
            let is_present = lists().adverbs.present.contains(self.syntax.word(at));
            let from = at + usize::from((is_past || is_present) && at + 1 < end);
            let mut status = status.clone();
            status.ended |= is_past;
            match self.syntax.noun_group_at(from).filter(|_| at > item + 2 || from > at) {
                Some(np) if self.age_range(from, end).is_none() && !self.is_measured_state(np) => {
                    let is_definite = self.chunks.noun_groups[np].article.is_some_and(|at| self.norm(at) == "the");
                    if !is_definite {
                        self.read_noun_group(NounContext {
                            np,
                            item: from,
                            subjects: &refs,
                            basis: FactBasis::new(&status, &[Weight::BESIDE, Weight::CHUNK]),
                            clause: None,
                        });
                    }
                }
                _ => self.read_description((from, end), &refs, kinds, &status),
            }
            at = end;
        }
    }

    /// Returns whether the words after a name are an alias, as in "They call Odo the Magpie".
    fn is_followed_by_alias(&self, item: usize) -> bool {
        let verb = item.checked_sub(1).and_then(|item| match self.chunks.items[item] {
            Chunk::VerbGroup(vg) => Some(self.chunks.verb_groups[vg].lemma.as_str()),
            _ => None,
        });
        verb.is_some_and(|verb| verb == "christen" || lists().verbs.naming.contains(verb))
    }

    /// Returns whether a noun group is a state with a number, as in "dead three days".
    fn is_measured_state(&self, np: usize) -> bool {
        let group = &self.chunks.noun_groups[np];
        group.article.is_none()
            && group.start < group.head
            && self.grammar.attribute_adjectives.contains_key(self.norm(group.start))
            && (group.start..group.end).any(|token| self.is_number(self.norm(token)))
    }

    /// Returns the first and the end token of an age, if the items from `at` up to, but not including, `end` are an
    /// age. Returns `None` if the items are not an age.
    fn age_range(&self, at: usize, end: usize) -> Option<(usize, usize)> {
        let mut from = self.chunk_start(at);
        let to = self.chunk_end(end - 1).min(self.tokens.len());
        if self.norm(from) == "at" {
            from += 1;
        }
        let has_number = (from..to).any(|token| self.is_number(self.norm(token)));
        let is_age = (from..to)
            .all(|token| self.is_number(self.norm(token)) || lists().numbers.age_words.contains(self.norm(token)));
        (has_number && is_age).then_some((from, to))
    }

    fn read_description(
        &mut self,
        (at, end): (usize, usize),
        refs: &[ResolvedEntity],
        kinds: KindSet,
        status: &AssertionStatus,
    ) {
        let (from, to) = (self.chunk_start(at), self.chunk_end(end - 1).min(self.tokens.len()));
        let is_age = self.age_range(at, end).is_some();
        let is_worn = |np: usize| {
            let group = &self.chunks.noun_groups[np];
            let is_own = group.owner.is_none_or(|owner| self.chunks.noun_groups[owner].is_pronoun);
            is_own && kinds == KindSet::PERSON && self.grammar.possession_nouns.contains_key(self.norm(group.head))
        };
        let name = if is_age && kinds == KindSet::PERSON {
            Some(attribute::AGE.to_owned())
        } else if matches!(self.syntax.word(at), "with" | "in")
            && self.syntax.noun_group_at(at + 1).is_some_and(is_worn)
        {
            Some(attribute::APPEARANCE.to_owned())
        } else if self.syntax.noun_group_at(at).is_none_or(|np| self.is_measured_state(np)) {
            let entries = self.grammar.adjective_attributes(self.norm(from));
            let fits_kind = |entry: &&(usize, bool)| self.grammar.targets[entry.0].subject.intersects(kinds);
            entries.iter().find(fits_kind).map(|(target, _)| self.grammar.targets[*target].predicate.to_string())
        } else {
            None
        };
        let Some(target) = name.and_then(|name| self.target(&name)) else { return };
        let value = self.source_text(from, to);
        let span = self.span(from, to.saturating_sub(1));
        let basis = FactBasis::new(status, &[Weight::BESIDE, Weight::CHUNK]);
        for resolved_entity in refs {
            self.record_value(target, resolved_entity, value.clone(), basis, span);
        }
    }

    /// Returns the word after a noun group and its prepositional phrases. Returns an empty string at the end of the
    /// sentence, and `verb` before another group.
    pub(crate) fn word_after_noun_group(&self, item: usize) -> String {
        let at = self.item_after_phrases(item);
        match self.chunks.items.get(at) {
            None => String::new(),
            Some(Chunk::Token(token))
                if matches!(self.tokens[*token].kind, TokenKind::Punctuation | TokenKind::Word)
                    && !is_pronoun(self.norm(*token))
                    || matches!(self.chunks.items.get(at), Some(Chunk::Token(_))) =>
            {
                self.syntax.word(at).to_owned()
            }
            _ => "verb".into(),
        }
    }
}
