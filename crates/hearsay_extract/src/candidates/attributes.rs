//! Proposes attributes for the review queue where no pattern matches.
//!
//! The values come from words after "is" and "with", body parts, clothes, adjectives that describe how a person acts,
//! and notes beside a name.

use hearsay_model::attribute;

use crate::{
    language::{function_words::is_pronoun, grammar::WordClass, kind_set::KindSet, weights::Weight, word_lists::lists},
    sentence_reader::{FactBasis, RawObject, ResolvedEntity, SentenceReader, assertion_status::AssertionStatus},
    syntax::{
        chunker::{Chunk, VerbForm},
        clauses::SubjectSource,
    },
};

/// Maximum number of attributes that are proposed for one clause.
const MAX_ATTRIBUTES_PER_CLAUSE: usize = 3;

/// Maximum number of tokens in a value.
const MAX_VALUE_TOKENS: usize = 12;

impl<'a> SentenceReader<'a> {
    /// Proposes attributes from all clauses. `has_facts` says for each clause whether a fact was already read from it.
    pub(crate) fn propose_attributes(&mut self, statuses: &[AssertionStatus], has_facts: &[bool]) {
        for (at, status) in statuses.iter().enumerate() {
            if !status.is_plain_assertion() {
                continue;
            }
            let clause = self.clauses[at].clone();
            let vg = self.verb_group(at).clone();
            let mut remaining = MAX_ATTRIBUTES_PER_CLAUSE;
            let subjects = self.described_entities(&clause.subjects);
            let to = self.chunk_end(clause.last_item()).max(vg.end).min(self.tokens.len());
            if subjects.is_empty() {
                continue;
            }
            // Example: "Katya's teeth have grown"
            if let Some(np) = clause.subjects.first().copied()
                && self.is_owned_part(np)
                && !has_facts[at]
            {
                let from = self.chunks.noun_groups[np].content_start;
                self.propose_attribute(attribute::APPEARANCE, &subjects, from, to, Weight::LOOSE_PART, status);
                continue;
            }
            let is_copula = vg.is_copula || self.grammar.verb_properties(&vg.lemma).is_seeming;
            if is_copula
                && !has_facts[at]
                && clause.subject_source != SubjectSource::Inverted
                && self.propose_complement(&subjects, vg.end, to, status)
            {
                remaining -= 1;
            }
            if vg.form != VerbForm::Infinitive {
                let from = vg.end;
                self.propose_modifiers(&subjects, from, to, status, remaining);
            }
        }
    }

    /// Returns the entities that the subject of a clause describes. "Katya's teeth" describes Katya.
    pub(crate) fn described_entities(&mut self, nps: &[usize]) -> Vec<ResolvedEntity> {
        let mut refs = self.resolve_subjects(nps);
        if refs.is_empty()
            && let [np] = nps
            && self.is_owned_part(*np)
        {
            let item = self.chunk_of(*np);
            refs = self.owners(*np, item, &["of"]);
        }
        refs
    }

    /// Returns whether a noun group is a body part or possession with an owner: "her teeth".
    fn is_owned_part(&self, np: usize) -> bool {
        let group = &self.chunks.noun_groups[np];
        let has_owner =
            group.owner.is_some() || self.chunk_of(np).is_some_and(|item| self.syntax.word(item + 1) == "of");
        has_owner && group.name.is_none() && self.grammar.possession_nouns.contains_key(self.norm(group.head))
    }

    /// Proposes an attribute from the words after "is". Returns whether a fact was recorded.
    pub(crate) fn propose_complement(
        &mut self,
        subjects: &[ResolvedEntity],
        from: usize,
        to: usize,
        status: &AssertionStatus,
    ) -> bool {
        let mut start = from;
        while start < to
            && (self.grammar.word_class(self.norm(start)).has(WordClass::ADVERB.or(WordClass::DETERMINER))
                || self.norm(start) == ","
                || lists().speech.hesitations.contains(self.norm(start)))
            && self.grammar.adjective_attributes(self.norm(start)).is_empty()
        {
            start += 1;
        }
        if start >= to || self.is_named(start) || is_pronoun(self.norm(start)) || !self.tokens[start].is_word() {
            return false;
        }
        // "Hunter's Whistles" is a name.
        if self.tokens[start].is_capitalized && self.norm(start + 1) == "'s" {
            return false;
        }
        let class = self.grammar.word_class(self.norm(start));
        if class.has(WordClass::PREPOSITION.or(WordClass::SUBORDINATOR).or(WordClass::RELATIVE)) {
            return false;
        }
        let end = self.value_limit(start, to);
        if self.names.iter().any(|name| name.start >= start && name.start < end) {
            return false;
        }
        let kinds = subjects.first().map_or(KindSet::ANY, |subject| self.kinds(subject.entity));
        let np = self.chunks.noun_groups.iter().find(|np| np.start <= start && start < np.end && np.end > start + 1);
        let is_noun = np.is_some_and(|np| np.article.is_some())
            || self.chunks.noun_groups.iter().any(|np| np.start <= start && start < np.end && np.article.is_some());
        let is_number = |token: usize| self.is_number(self.norm(token));
        let is_age = kinds == KindSet::PERSON
            && (start..end).any(is_number)
            && (start..end).all(|token| is_number(token) || lists().numbers.age_words.contains(self.norm(token)));
        let (name, weight_name) = match self.listed_attribute(start, end, kinds) {
            _ if is_age => (attribute::AGE, Weight::LOOSE_LISTED),
            Some(name) => (name, Weight::LOOSE_LISTED),
            None => {
                let Some(name) = self.default_attribute(kinds, is_noun, start) else { return false };
                (name, Weight::LOOSE_OPEN)
            }
        };
        self.propose_attribute(name, subjects, start, end, weight_name, status)
    }

    /// Returns the most likely attribute of a value that is in no list, according to the kinds that the subject can
    /// have.
    fn default_attribute(&self, kinds: KindSet, is_noun: bool, start: usize) -> Option<&'static str> {
        let is_participle = self.norm(start).ends_with("ed") || self.norm(start).ends_with("en");
        match kinds {
            KindSet::PLACE => Some(attribute::ATMOSPHERE),
            KindSet::THING => Some(attribute::CONDITION),
            KindSet::PERSON if is_noun => Some(attribute::OCCUPATION),
            KindSet::PERSON if is_participle => Some(attribute::CONDITION),
            KindSet::PERSON => Some(attribute::PERSONALITY),
            _ => None,
        }
    }

    /// Returns the attribute that the words of a value indicate, or `None` if they are in no list.
    fn listed_attribute(&self, from: usize, to: usize, kinds: KindSet) -> Option<&'a str> {
        let grammar = self.grammar;
        let attribute_for_kind = |entries: &[(usize, bool)]| grammar.attribute_for_kinds(entries, kinds);
        // The last word with a known attribute decides.
        (from..to).rev().find_map(|at| {
            let word = self.norm(at);
            let noun = self.singular(word);
            grammar
                .possession_nouns
                .get(word)
                .and_then(|entries| attribute_for_kind(entries))
                .or_else(|| attribute_for_kind(&grammar.adjective_attributes(word)))
                .or_else(|| attribute_for_kind(&self.noun_attributes(&noun)))
        })
    }

    /// Proposes attributes from the rest of a clause: body parts, clothes, and adjectives that describe the subject
    /// during an act.
    fn propose_modifiers(
        &mut self,
        subjects: &[ResolvedEntity],
        from: usize,
        to: usize,
        status: &AssertionStatus,
        mut remaining: usize,
    ) {
        let kinds = subjects.first().map_or(KindSet::ANY, |subject| self.kinds(subject.entity));
        let mut token = from;
        while token < to && remaining > 0 {
            let word = self.norm(token).to_owned();
            if self.is_named(token) {
                token += 1;
                continue;
            }
            let np =
                self.chunks.noun_groups.iter().position(|np| np.start <= token && token < np.end && !np.is_pronoun);
            if let Some(np) = np {
                let group = self.chunks.noun_groups[np].clone();
                let is_worn = group.name.is_none()
                    && !group.owner_is_name
                    && group.owner.is_none_or(|owner| self.chunks.noun_groups[owner].is_pronoun)
                    && self.grammar.possession_nouns.contains_key(self.norm(group.head));
                if is_worn && kinds == KindSet::PERSON && !self.is_object_of_act(np) {
                    let end = self.chunk_of(np).map_or(group.end, |item| self.value_end(item, self.chunks.items.len()));
                    let has_modifiers = group.head > group.content_start || end > group.end;
                    if has_modifiers {
                        self.propose_attribute(
                            attribute::APPEARANCE,
                            subjects,
                            group.content_start,
                            end,
                            Weight::LOOSE_WORN,
                            status,
                        );
                    }
                }
                token = group.end.max(token + 1);
                continue;
            }
            if word == "as" && kinds == KindSet::PERSON && self.propose_position(subjects, token, status) {
                remaining -= 1;
            }
            let grammar = self.grammar;
            if let Some(name) = grammar.attribute_for_kinds(&grammar.adjective_attributes(&word), kinds) {
                let end = self.value_limit(token, to);
                // "Sweet on Odo" is a relation, not an attribute.
                let is_relation = self.names.iter().any(|name| name.start > token && name.start < end);
                // Example: "for good"
                let is_relation = is_relation || (token > 0 && self.norm(token - 1) == "for");
                if !is_relation && self.propose_attribute(name, subjects, token, end, Weight::LOOSE_MANNER, status) {
                    remaining -= 1;
                }
                token = end.max(token + 1);
                continue;
            }
            token += 1;
        }
    }

    /// Returns whether a noun group without an owner is the object of a verb that does not describe its subject: "grabs a chair
    /// leg". "Covers his scarred face" describes a face.
    pub(crate) fn is_object_of_act(&self, np: usize) -> bool {
        let item = self.chunk_of(np).filter(|_| self.noun_group(np).owner.is_none());
        let verb = item.filter(|item| self.is_object(*item)).map(|item| self.chunks.items[item - 1]);
        match verb {
            Some(Chunk::VerbGroup(vg)) => {
                !self.describes_subject(&self.chunks.verb_groups[vg].lemma, attribute::APPEARANCE)
            }
            _ => false,
        }
    }

    /// Proposes an occupation after "as": "came as a dancer". Returns whether the occupation was recorded.
    fn propose_position(&mut self, subjects: &[ResolvedEntity], token: usize, status: &AssertionStatus) -> bool {
        let np = self
            .chunks
            .noun_groups
            .iter()
            .find(|np| np.start == token + 1 && np.name.is_none() && !np.is_pronoun)
            .cloned();
        let Some(group) = np else { return false };
        let noun = self.singular(self.norm(group.head));
        let is_occupation =
            |(target, _): &(usize, bool)| self.grammar.targets[*target].predicate == *attribute::OCCUPATION;
        self.noun_attributes(&noun).iter().any(is_occupation)
            && self.propose_attribute(
                attribute::OCCUPATION,
                subjects,
                group.content_start,
                group.end,
                Weight::LOOSE_POST,
                status,
            )
    }

    /// Returns the token before which a value ends: a punctuation mark, the start of another clause, or the token at
    /// the maximum length.
    fn value_limit(&self, from: usize, to: usize) -> usize {
        let is_end = |at: usize| {
            let class = self.grammar.word_class(self.norm(at));
            self.tokens[at].kind == crate::text::tokenizer::TokenKind::Punctuation
                && !self.tokens[at].is_punctuation("'\"-")
                || class.has(WordClass::SUBORDINATOR.or(WordClass::RELATIVE)) && !class.has(WordClass::PREPOSITION)
                || self.norm(at) == "but"
        };
        (from + 1..to.min(from + MAX_VALUE_TOKENS)).find(|at| is_end(*at)).unwrap_or(to.min(from + MAX_VALUE_TOKENS))
    }

    /// Proposes a value, if no fact with the same words was read. Returns whether a fact was recorded.
    pub(crate) fn propose_attribute(
        &mut self,
        name: &str,
        subjects: &[ResolvedEntity],
        from: usize,
        to: usize,
        weight_name: Weight,
        status: &AssertionStatus,
    ) -> bool {
        let Some(target) = self.target(name).filter(|_| from < to) else { return false };
        let value = self.source_text(from, to);
        let span = self.span(from, to.saturating_sub(1));
        let weight_names = [Weight::LOOSE, weight_name];
        let basis = FactBasis::new(status, &weight_names);
        let fact_count = self.facts.len();
        for subject in subjects.iter().take(2) {
            let is_death = |other: &str| self.means_death(target, other) && self.means_death(target, &value);
            let is_same_value =
                |other: &str| other.contains(value.as_str()) || value.contains(other) || is_death(other);
            let is_recorded = self.facts.iter().any(|fact| {
                let RawObject::Value(other) = &fact.object else { return false };
                // The same words state the death of one person.
                let has_same_words = fact.span.start <= span.start && span.end <= fact.span.end;
                (fact.subject == subject.entity && is_same_value(other)) || (has_same_words && is_death(other))
            });
            if !is_recorded {
                self.record_value(target, subject, value.clone(), basis, span);
            }
        }
        self.facts.len() > fact_count
    }

    /// Proposes attributes from notes beside a name: "Odo: forty, bad leg, guild rat".
    pub(crate) fn propose_from_notes(&mut self) {
        let status = self.sentence_status(false);
        if status.is_unasserted
            || self.clauses.iter().any(|clause| {
                let vg = &self.chunks.verb_groups[clause.verb_group];
                !vg.is_omitted && vg.form != VerbForm::Ing
            })
        {
            return;
        }
        let (subjects, mut token) = match self.chunks.items.first().copied() {
            Some(Chunk::NounGroup(first)) if self.chunks.noun_groups[first].name.is_some() => {
                (self.resolve(first, &[]), self.chunks.noun_groups[first].end)
            }
            // Notes without a name describe the person mentioned last: "Polite, greedy." Speech contains no notes, so
            // "Ten years." is not the age of this person. "No, sorry, twenty." corrects the sentence before it.
            _ if self.names.is_empty()
                && self.tokens.len() < MAX_VALUE_TOKENS
                && !self.speech.is_direct_speech
                && !(self.norm(0) == "no" && self.norm(1) == ",") =>
            {
                let last = self.history.last_person();
                let last = last.map(|entity| ResolvedEntity::uncertain(entity, Some(Weight::FAR_PRONOUN), None));
                (last.into_iter().collect(), 0)
            }
            _ => return,
        };
        let mut remaining = MAX_ATTRIBUTES_PER_CLAUSE;
        let last = self.tokens.len();
        while token < last && remaining > 0 && !subjects.is_empty() {
            if !self.tokens[token].is_word() {
                token += 1;
                continue;
            }
            let end = self.value_limit(token, last);
            if self.propose_complement(&subjects, token, end, &status) {
                remaining -= 1;
            }
            token = end.max(token + 1);
        }
    }
}
