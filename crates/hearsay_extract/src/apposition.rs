//! Extracts facts from appositions: "her brother Pell", "Pell, ferryman at the quay".

use crate::{
    assertion::AssertionStatus,
    chunker::{Chunk, VerbForm},
    clauses::SubjectSource,
    grammar::WordClass,
    kind_set::KindSet,
    mentions::is_pronoun,
    noun_facts::NounContext,
    sentence_reader::{ResolvedEntity, SentenceReader},
    tokenizer::TokenKind,
};

/// Maximum number of descriptions after a name that are read. Commas, brackets, colons or dashes separate them.
const MAX_DESCRIPTIONS: usize = 6;

/// Words that may accompany the number of an age.
pub(crate) const AGE_WORDS: [&str; 31] = [
    "years", "year", "old", "aged", "about", "around", "some", "past", "nearly", "almost", "barely", "just", "over",
    "winters", "summers", "perhaps", "a", "in", "his", "her", "their", "early", "mid", "late", "only", "well", "into",
    "the", "middle", "not", "yet",
];

impl SentenceReader<'_> {
    /// Records the facts of all appositions in the sentence: "her brother Pell", "Pell, ferryman at the quay", "Pell
    /// (ferryman)".
    pub(crate) fn read_appositions(&mut self, statuses: &[AssertionStatus]) {
        let sentence_status = self.sentence_status(false);
        let is_question = self.is_question();
        for np in 0..self.chunks.noun_groups.len() {
            let group = self.chunks.noun_groups[np].clone();
            if group.owner_is_name && group.name.is_none() && group.owner.is_none() {
                continue;
            }
            let Some(item) = self.chunk_of(np) else { continue };
            // An apposition takes its doubt and its source from the clause around it.
            let surrounding_status = self
                .clauses
                .iter()
                .zip(statuses)
                .rev()
                .find(|(clause, _)| clause.start <= item)
                .map(|(_, status)| status.clone());
            let mut status = surrounding_status.unwrap_or_else(|| sentence_status.clone());
            let was_unasserted = status.is_unasserted;
            if sentence_status.is_unasserted {
                continue;
            }
            status.is_unasserted = sentence_status.is_unasserted;
            status.denied = false;
            status.ended = false;
            status.is_embedded = false;
            // Examples: "her brother Pell", "the goblin Dross"
            if group.name.is_some()
                && let Some((from, to)) = group.role
            {
                let is_title = (from..to).all(|at| {
                    self.grammar.word_class(self.norm(at)).has(WordClass::TITLE) || self.tokens[at].is_capitalized
                });
                let refs = self.resolve(np, &[]);
                // "the Builder's Grace" is a name.
                let is_part_of_name =
                    (from..=to).any(|at| matches!(self.norm(at), "'s" | "'")) && group.owner.is_none();
                if (group.owner.is_some() || !is_title) && !is_part_of_name {
                    self.read_noun_group(NounContext {
                        np,
                        item,
                        subjects: &refs,
                        status: &status,
                        weight_names: &["beside"],
                        clause: None,
                    });
                }
                continue;
            }
            // Example: "A halfling called Minnow Tuck"
            if group.name.is_none()
                && let Some(Chunk::VerbGroup(vg)) = self.chunks.items.get(item + 1)
                && matches!(self.norm(self.chunks.verb_groups[*vg].head), "called" | "named")
            {
                let refs = self.resolve(np, &[]);
                self.read_noun_group(NounContext {
                    np,
                    item,
                    subjects: &refs,
                    status: &status,
                    weight_names: &["beside"],
                    clause: None,
                });
                continue;
            }
            // Examples: "a druid in tow, name of Mabon", "a tinker, calls himself Vaclav"
            if group.name.is_none()
                && group.article.is_some_and(|at| matches!(self.norm(at), "a" | "an"))
                && let Some(name_group) = self.introduced_name(item)
            {
                let refs = self.resolve(name_group, &[]);
                self.read_noun_group(NounContext {
                    np,
                    item,
                    subjects: &refs,
                    status: &status,
                    weight_names: &["beside", "named_below"],
                    clause: None,
                });
                continue;
            }
            // Example: "Formerly a resident of the quay, Annie …"
            let is_leading = item <= 1 && group.name.is_none() && !group.is_pronoun && group.owner.is_none();
            if is_leading {
                let mut comma = item + 1;
                while self.syntax.is_preposition(comma) && self.syntax.noun_group_at(comma + 1).is_some() {
                    comma += 2;
                }
                let name_group =
                    self.syntax.noun_group_at(comma + 1).filter(|np| self.chunks.noun_groups[*np].name.is_some());
                if self.syntax.word(comma) == ","
                    && comma > item
                    && let Some(name_group) = name_group
                    && self.clauses.iter().any(|clause| clause.subjects == [name_group])
                {
                    let refs = self.resolve(name_group, &[]);
                    let mut status = status.clone();
                    status.ended = item == 1 && matches!(self.syntax.word(0), "formerly" | "once" | "previously");
                    self.read_noun_group(NounContext {
                        np,
                        item,
                        subjects: &refs,
                        status: &status,
                        weight_names: &["beside"],
                        clause: None,
                    });
                    continue;
                }
            }
            if group.name.is_some() {
                self.read_descriptions(np, item, &status);
            }
            // "Kosuzu the maid" is an apposition, but "is Kosuzu the maid?" is a question.
            if group.name.is_some()
                && !is_question
                && !self.is_followed_by_alias(item)
                && let Some(next) = self.syntax.noun_group_at(item + 1)
                && self.chunks.noun_groups[next].name.is_none()
                && self.chunks.noun_groups[next].owner.is_none()
                && self.chunks.noun_groups[next].article.is_some_and(|at| self.norm(at) == "the")
            {
                let refs = self.resolve(np, &[]);
                self.read_noun_group(NounContext {
                    np: next,
                    item: item + 1,
                    subjects: &refs,
                    status: &status,
                    weight_names: &["beside"],
                    clause: None,
                });
            }
            // Example: "a priest of the Drowned God, Father Tull, …"
            let mut item_after = item + 1;
            while self.syntax.is_preposition(item_after) && self.syntax.noun_group_at(item_after + 1).is_some() {
                item_after += 2;
            }
            if item_after > item + 1
                && !was_unasserted
                && group.name.is_none()
                && group.article.is_some_and(|at| matches!(self.norm(at), "a" | "an"))
                && matches!(self.syntax.word(item_after), "," | "\u{2014}")
                && let Some(name_group) = self.syntax.noun_group_at(item_after + 1)
                && self.chunks.noun_groups[name_group].name.is_some()
                && self.chunks.noun_groups[name_group].owner.is_none()
                && matches!(
                    self.word_after_noun_group(item_after + 1).as_str(),
                    "," | ")" | "\u{2014}" | "." | "" | "!" | ";" | "who"
                )
            {
                let refs = self.resolve(name_group, &[]);
                self.read_noun_group(NounContext {
                    np,
                    item,
                    subjects: &refs,
                    status: &status,
                    weight_names: &["beside"],
                    clause: None,
                });
            }
            let opening_mark = self.syntax.word(item + 1).to_owned();
            if !matches!(opening_mark.as_str(), "," | "(" | "\u{2014}" | ":") {
                continue;
            }
            let Some(next) = self.syntax.noun_group_at(item + 2) else { continue };
            let other = self.chunks.noun_groups[next].clone();
            let closing_word = self.word_after_noun_group(item + 2);
            let is_closed =
                matches!(closing_word.as_str(), "," | ")" | "\u{2014}" | "." | "" | "!" | ";" | "who" | "which");
            // In "Selene - a woman allied with Varrick, Seraphine's sister", the last words describe Selene, the topic
            // of the entry.
            let follows_preposition = item > 0 && self.syntax.is_preposition(item - 1);
            let entity = group.name.map(|name| self.names[name].entity);
            if follows_preposition && self.history.topic.is_some() && self.history.topic != entity {
                continue;
            }
            // In "works for the Torvalds, poor sod", the last words describe the worker, not the Torvalds.
            if follows_preposition
                && other.article.is_none()
                && other.owner.is_none()
                && group.name.is_some_and(|name| self.kinds(self.names[name].entity) == KindSet::GROUP)
            {
                continue;
            }
            // Example: "Pell, Mirela's brother, …"
            if group.name.is_some() && other.name.is_none() && !other.is_pronoun && is_closed {
                let in_list =
                    opening_mark == "," && self.syntax.noun_list(item, self.chunks.items.len()).0.contains(&next);
                // A noun group that is the subject of a verb is not an apposition.
                let is_direct_subject = self
                    .clauses
                    .iter()
                    .any(|clause| clause.subjects.contains(&next) && clause.subject_source == SubjectSource::Direct);
                if !in_list && !is_direct_subject {
                    let refs = self.resolve(np, &[]);
                    self.read_noun_group(NounContext {
                        np: next,
                        item: item + 2,
                        subjects: &refs,
                        status: &status,
                        weight_names: &["beside"],
                        clause: None,
                    });
                }
            }
            // Examples: "a human trader, Corentin Bray, …", "her page, Pompon, …"
            let is_introduced = group.owner.is_some()
                || group.article.is_some_and(|at| matches!(self.norm(at), "a" | "an" | "another" | "some" | "this"));
            if group.name.is_none()
                && is_introduced
                && !was_unasserted
                && !group.is_pronoun
                && !group.is_owner_only
                && other.name.is_some()
                && other.owner.is_none()
                && is_closed
                && matches!(opening_mark.as_str(), "," | ":" | "\u{2014}")
            {
                let refs = self.resolve(next, &[]);
                self.read_noun_group(NounContext {
                    np,
                    item,
                    subjects: &refs,
                    status: &status,
                    weight_names: &["beside"],
                    clause: None,
                });
                continue;
            }
            // Example: "Mirela's brother, Pell, …"
            if group.name.is_none()
                && other.name.is_some()
                && other.role.is_none()
                && other.owner.is_none()
                && is_closed
                && opening_mark == ","
                && group.owner.is_some()
            {
                let refs = self.resolve(next, &[]);
                self.read_noun_relation(NounContext {
                    np,
                    item,
                    subjects: &refs,
                    status: &status,
                    weight_names: &["beside"],
                    clause: None,
                });
            }
        }
    }

    /// Returns the noun group that introduces a new name a few words further on: "name of Mabon", "goes by Mabon".
    fn introduced_name(&self, item: usize) -> Option<usize> {
        (item + 2..(item + 9).min(self.chunks.items.len())).find_map(|at| {
            let np = self.syntax.noun_group_at(at)?;
            let start = self.chunks.noun_groups[np].start;
            let word = |distance: usize| start.checked_sub(distance).map_or("", |at| self.norm(at));
            let introduces_name = (word(1) == "of" && word(2) == "name")
                || matches!(word(1), "called" | "named")
                || (matches!(word(1), "himself" | "herself" | "themselves") && matches!(word(2), "calls" | "called"))
                || (word(1) == "by" && matches!(word(2), "goes" | "went"))
                || (matches!(word(1), "is" | "'s") && word(2) == "name");
            let name = self.chunks.noun_groups[np].name.map(|name| self.names[name].entity)?;
            (introduces_name && matches!(name, crate::mentions::EntityRef::New(_))).then_some(np)
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
            let is_past = matches!(self.syntax.word(at), "once" | "formerly" | "then" | "previously");
            let is_present = matches!(self.syntax.word(at), "now" | "today" | "still");
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
                            status: &status,
                            weight_names: &["beside", "chunk"],
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
        matches!(verb, Some("call" | "name" | "dub" | "nickname" | "christen"))
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
    /// age. Otherwise returns `None`.
    fn age_range(&self, at: usize, end: usize) -> Option<(usize, usize)> {
        let mut from = self.chunk_start(at);
        let to = self.chunk_end(end - 1).min(self.tokens.len());
        if self.norm(from) == "at" {
            from += 1;
        }
        let has_number = (from..to).any(|token| self.is_number(self.norm(token)));
        let is_age = (from..to).all(|token| self.is_number(self.norm(token)) || AGE_WORDS.contains(&self.norm(token)));
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
            Some("age".to_owned())
        } else if matches!(self.syntax.word(at), "with" | "in")
            && self.syntax.noun_group_at(at + 1).is_some_and(is_worn)
        {
            Some("appearance".to_owned())
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
        for resolved_entity in refs {
            self.record_fact(target, resolved_entity, Err(value.clone()), "", &["beside", "chunk"], status, span);
        }
    }

    /// Returns the word after a noun group and its prepositional phrases. Returns an empty string at the end of the
    /// sentence, and `verb` before another group.
    pub(crate) fn word_after_noun_group(&self, item: usize) -> String {
        let mut at = item + 1;
        while self.syntax.is_preposition(at) && self.syntax.noun_group_at(at + 1).is_some() {
            at += 2;
        }
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
