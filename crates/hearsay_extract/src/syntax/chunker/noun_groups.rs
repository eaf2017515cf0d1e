//! Reads noun groups, such as "Mirela's youngest brother Pell".

use super::{Chunk, Chunker, NounGroup, PrecedingPart};
use crate::{
    language::{
        conjugation::Inflections,
        function_words::{is_be_form, is_pronoun, is_time_noun},
        grammar::WordClass,
        word_lists::lists,
    },
    text::tokenizer::TokenKind,
};

impl Chunker<'_> {
    pub(crate) fn is_plural(&self, np: usize) -> bool {
        let np = &self.chunks.noun_groups[np];
        let word = self.norm(np.head);
        // Example: "Tilda and me"
        let is_listed = self.follows_additive(np.start);
        if np.is_pronoun {
            return is_listed || lists().pronouns.with_plural_verbs.contains(word);
        }
        // Example: "some on the station believe"
        let items = &self.chunks.items;
        if let [.., Chunk::NounGroup(first), Chunk::Token(at), Chunk::NounGroup(last)] = items[..]
            && self.chunks.noun_groups[last].start == np.start
            && self.word_class(at).has(WordClass::PREPOSITION)
            && lists().determiners.plural_quantifiers.contains(self.norm(self.chunks.noun_groups[first].head))
        {
            return true;
        }
        is_listed
            || (np.name.is_none() && word.ends_with('s') && !word.ends_with("ss"))
            || (np.name.is_some() && self.tokens[np.end - 1].norm.ends_with('s'))
            || matches!(word, "police" | "wolves")
            || lists().nouns.plurals.contains(word)
    }

    /// Reads a noun group at a token. Returns the index of the noun group and the token after the group, or `None` if
    /// no noun group begins at the token.
    pub(crate) fn parse_noun_group(&mut self, at: usize) -> Option<(usize, usize)> {
        let word = self.norm(at).to_owned();
        if !self.is_name(at) && is_pronoun(&word) {
            if lists().pronouns.no_noun_groups.contains(word.as_str()) {
                return None;
            }
            if lists().pronouns.possessive_determiners.contains(word.as_str()) {
                let next = self.skip_adverbs(at + 1);
                if self.is_nominal(next) && !(word == "her" && self.tokens[next].kind == TokenKind::Number) {
                    let owner = self.push_pronoun(at);
                    return self.parse_nouns(at, at + 1, Some(owner), None).or(Some((owner, at + 1)));
                }
            }
            return Some((self.push_pronoun(at), at + 1));
        }
        let is_floating_quantifier = lists().determiners.floating.contains(word.as_str())
            && matches!(self.chunks.items.last(), Some(Chunk::NounGroup(_)))
            && (self.inflections(at + 1).is_some() || is_be_form(self.norm(at + 1)));
        if is_floating_quantifier {
            return None;
        }
        if word == "that" && self.is_complementizer(at) {
            return None;
        }
        let is_quantifier_subject = lists().determiners.subject_quantifiers.contains(word.as_str())
            && self.inflections(at + 1).is_some_and(|form| form.has(Inflections::PAST.or(Inflections::THIRD)))
            && !self.is_name(at + 1)
            && !self.is_nominal(at + 2);
        if is_quantifier_subject {
            return Some((self.push_pronoun(at), at + 1));
        }
        let mut from = at;
        let mut article = None;
        while !self.is_name(from) && self.word_class(from).has(WordClass::DETERMINER) {
            article = Some(from);
            from += 1;
        }
        // Examples: "both of them", "that is"
        if let Some(article) = article
            && let Some(noun_group) = self.parse_nouns(at, from, None, Some(article))
        {
            return Some(noun_group);
        }
        if article.is_none() {
            return self.parse_nouns(at, at, None, None);
        }
        if lists().determiners.demonstratives.contains(word.as_str()) && from == at + 1 && word != "that" {
            return Some((self.push_pronoun(at), at + 1));
        }
        if word == "that" && from == at + 1 && (is_be_form(self.norm(from)) || self.norm(from) == "'s") {
            return Some((self.push_pronoun(at), at + 1));
        }
        None
    }

    /// Returns whether "that" begins a clause: "said that Odo left", "the lamp that started it".
    fn is_complementizer(&self, at: usize) -> bool {
        let next = at + 1;
        let class = self.word_class(next);
        let clause = self.is_name(next)
            || class.has(WordClass::DETERMINER)
            || (is_pronoun(self.norm(next)) && self.norm(next) != "it")
            || self.norm(next) == "it";
        match self.chunks.items.last() {
            Some(Chunk::VerbGroup(last)) => {
                let properties = self.grammar.verb_properties(&self.chunks.verb_groups[*last].lemma);
                clause || properties.is_speech || properties.is_thought || properties.is_factive
            }
            Some(Chunk::NounGroup(_)) => {
                clause || self.inflections(next).is_some() || is_be_form(self.norm(next)) || class.has(WordClass::MODAL)
            }
            _ => clause,
        }
    }

    /// Adds a noun group that consists of a single pronoun. Returns the index of the noun group.
    fn push_pronoun(&mut self, at: usize) -> usize {
        self.push_noun_group(NounGroup {
            start: at,
            end: at + 1,
            head: at,
            content_start: at,
            is_pronoun: true,
            ..NounGroup::default()
        })
    }

    pub(crate) fn push_noun_group(&mut self, np: NounGroup) -> usize {
        self.chunks.noun_groups.push(np);
        self.chunks.noun_groups.len() - 1
    }

    /// Reads the nouns of a group from the token `from`, and then any nouns that this group owns. Returns the index of
    /// the last group and the token after it.
    pub(crate) fn parse_nouns(
        &mut self,
        start: usize,
        from: usize,
        owner: Option<usize>,
        article: Option<usize>,
    ) -> Option<(usize, usize)> {
        let mut at = from;
        let mut name = None;
        let mut head = None;
        let mut has_noun_after_name = false;
        let mut role = None;
        let mut only_adjectives = true;
        while at < self.tokens.len() {
            if let Some(index) = self.name_at[at] {
                let mention = self.names[index];
                if name.is_some() {
                    break;
                }
                if let Some(head) = head {
                    // In "In Rusk's opinion Tessa", "opinion" does not describe Tessa.
                    let follows_preposition =
                        start > 0 && self.word_class(start - 1).has(WordClass::PREPOSITION) && !self.is_name(start - 1);
                    if !self.is_role(head) && (owner.is_some() || article.is_none() || follows_preposition) {
                        break;
                    }
                    role = Some((from, at));
                }
                (name, head) = (Some(index), Some(mention.start));
                at = mention.end;
                only_adjectives = false;
                continue;
            }
            let token = &self.tokens[at];
            // Examples: "a smoky, crowded place", "a proud and cruel man"
            if article.is_some()
                && name.is_none()
                && head.is_some_and(|head| head + 1 == at)
                && self.joins_adjectives(at)
            {
                at += 1;
                continue;
            }
            if head.is_some_and(|head| self.is_person_noun(head)) && self.begins_amount(at) {
                break;
            }
            let continues_group = match token.kind {
                TokenKind::Number => name.is_none(),
                TokenKind::Word => {
                    !self.is_closed_class(at)
                        && (head.is_none() || !self.is_adverb(at) || self.is_adjective(at))
                        && !(head.is_some()
                            && self.is_verb_after(
                                at,
                                name.is_some(),
                                (start, from),
                                owner.is_some() || article.is_some(),
                            ))
                }
                _ => false,
            };
            if !continues_group {
                break;
            }
            if head.is_none()
                && article.is_none()
                && owner.is_none()
                && (self.is_adverb(at) || self.is_verb(at, PrecedingPart::Nothing))
                && !self.is_adjective(at)
            {
                break;
            }
            if name.is_some() {
                if self.ends_name_group(at) {
                    break;
                }
                has_noun_after_name = true;
            }
            only_adjectives &= self.is_adjective(at) || self.is_adverb(at);
            if !self.is_adverb(at) || self.is_adjective(at) {
                head = Some(at);
            } else if head.is_none() && !self.is_nominal_ahead(at + 1) {
                break;
            }
            at += 1;
        }
        let head = head?;
        let end = at;
        if only_adjectives && article.is_none() && owner.is_none() && !self.is_possessive(end) {
            return None;
        }
        let mut np =
            NounGroup { start, end, head, name, owner, role, content_start: from, article, ..NounGroup::default() };
        if has_noun_after_name {
            np = self.with_name_as_owner(np)?;
        }
        let index = self.push_noun_group(np);
        if self.is_possessive(end) { Some(self.parse_owned_nouns(start, end, index)) } else { Some((index, end)) }
    }

    /// Makes the name in a noun group the owner of the noun after it: "Lantern Club members". Returns `None` if the
    /// group contains no name.
    fn with_name_as_owner(&mut self, np: NounGroup) -> Option<NounGroup> {
        let index = np.name?;
        let mention = self.names[index];
        let owner = self.push_noun_group(NounGroup {
            start: mention.start,
            end: mention.end,
            head: mention.start,
            name: Some(index),
            content_start: mention.start,
            ..NounGroup::default()
        });
        Some(NounGroup {
            name: None,
            role: None,
            owner: Some(owner),
            owner_is_name: true,
            content_start: mention.end,
            ..np
        })
    }

    /// Reads the nouns after the possessive marker `marker`. If no noun follows, the group consists only of its owner:
    /// "Ilvane's". Returns the index of the last group and the token after it.
    fn parse_owned_nouns(&mut self, start: usize, marker: usize, owner: usize) -> (usize, usize) {
        let end = marker + 1;
        if let Some(noun_group) = self.parse_nouns(start, end, Some(owner), None) {
            return noun_group;
        }
        let owner_only = NounGroup {
            start,
            end,
            head: marker,
            content_start: marker,
            owner: Some(owner),
            is_owner_only: true,
            ..NounGroup::default()
        };
        (self.push_noun_group(owner_only), end)
    }

    /// Returns whether a noun means a person: "sisters", "clerk".
    fn is_person_noun(&self, at: usize) -> bool {
        let word = self.norm(at);
        let is_listed = |noun: &str| self.grammar.attribute_nouns.contains_key(noun);
        self.word_class(at).has(WordClass::KIN.or(WordClass::LIGHT_NOUN))
            || is_listed(word)
            || word.strip_suffix('s').is_some_and(is_listed)
    }

    /// Returns whether a number before a noun begins another noun group: "ten crowns" in "owes his sisters ten crowns". In "a
    /// boy ten years old", the number describes the boy.
    fn begins_amount(&self, at: usize) -> bool {
        let is_number = self.tokens[at].kind == TokenKind::Number || self.word_class(at).has(WordClass::NUMBER);
        let noun_follows = self.tokens.get(at + 1).is_some_and(|next| next.kind == TokenKind::Word);
        is_number && noun_follows && !self.is_closed_class(at + 1) && !is_time_noun(self.norm(at + 1))
    }

    /// Returns whether a comma or "and" stands between two adjectives before a noun.
    fn joins_adjectives(&self, at: usize) -> bool {
        let token = &self.tokens[at];
        let noun_follows = token.is_punctuation(",") && (self.is_adjective(at + 2) || self.is_nominal(at + 2))
            || token.is("and") && self.is_nominal(at + 2) && !self.is_name(at + 2);
        noun_follows && self.is_adjective(at - 1) && self.is_adjective(at + 1) && !self.is_name(at + 1)
    }

    /// Returns whether a word after a name does not belong to the group of the name: "Bram dead", but not "Salt Quay
    /// ferryman".
    fn ends_name_group(&self, at: usize) -> bool {
        let token = &self.tokens[at];
        let is_time_word = lists().times.after_names.contains(token.norm.as_str());
        is_time_word
            || self.is_adjective(at)
            || self.is_adverb(at)
            || token.is_capitalized
            || self.word_class(at).has(WordClass::NUMBER)
    }

    /// Returns whether a noun can describe the name after it: "her brother Pell".
    fn is_role(&self, at: usize) -> bool {
        let word = self.norm(at);
        let of_people = WordClass::TITLE
            .or(WordClass::NUMBER)
            .or(WordClass::LIGHT_NOUN)
            .or(WordClass::MALE)
            .or(WordClass::FEMALE)
            .or(WordClass::ADJECTIVE);
        let of_things = WordClass::GROUP_NOUN.or(WordClass::PLACE_NOUN).or(WordClass::THING_NOUN);
        self.word_class(at).has(of_people.or(of_things))
            || self.grammar.noun_patterns.contains_key(word)
            || self.grammar.attribute_nouns.contains_key(word)
            || self.grammar.attribute_adjectives.contains_key(word)
            || self
                .grammar
                .attribute_noun_suffixes
                .iter()
                .any(|(end, _)| word.len() > end.len() + 2 && word.ends_with(end.as_str()))
    }
}
