//! Reads verb groups, such as "would never have been told".

use crate::{
    chunker::{Chunk, Chunker, PrecedingPart, VerbForm, VerbGroup},
    conjugation::Inflections,
    grammar::WordClass,
    mentions::is_be_form,
    tokenizer::TokenKind,
};

impl Chunker<'_> {
    /// Reads a verb group at a token. Returns the group and the token after it, or `None` if no verb group begins here.
    pub(crate) fn parse_verb_group(&self, at: usize, preceding: PrecedingPart) -> Option<(VerbGroup, usize)> {
        let mut vg = VerbGroup { start: at, form: VerbForm::Finite, ..VerbGroup::default() };
        let mut i = at;
        if self.is_name(at) {
            return None;
        }
        if self.norm(i) == "to" {
            let next = self.skip_adverbs(i + 1);
            let has_base_form = is_be_form(self.norm(next)) && self.norm(next) == "be"
                || self.inflections(next).is_some_and(|form| form.has(Inflections::BASE));
            let capital = self.tokens.get(next).is_some_and(|token| token.is_capitalized);
            if !has_base_form || self.is_name(next) || capital {
                return None;
            }
            vg.form = VerbForm::Infinitive;
            i = next;
        }
        let mut has_begun = vg.form == VerbForm::Infinitive;
        let mut has_no_auxiliary = true;
        loop {
            if i >= self.tokens.len() || self.is_name(i) {
                return None;
            }
            if has_begun && (self.is_adverb(i) || self.is_negation(i)) {
                vg.is_negated |= self.is_negation(i);
                vg.has_never |= self.norm(i) == "never";
                i += 1;
                continue;
            }
            let word = self.norm(i);
            if !has_begun && (self.is_negation(i) || self.is_adverb(i)) {
                // An adverb begins the group if a verb follows: "never trusted", "quietly works".
                let next = self.skip_adverbs(i);
                let verb_follows = is_be_form(self.norm(next))
                    || self.word_class(next).has(WordClass::MODAL)
                    || self.is_verb(next, preceding);
                if !verb_follows || self.is_name(next) || next == i {
                    return None;
                }
                let negations = i..next;
                for k in negations {
                    vg.is_negated |= self.is_negation(k);
                    vg.has_never |= self.norm(k) == "never";
                }
                i = next;
                has_begun = true;
                continue;
            }
            let next = self.skip_adverbs(i + 1);
            let next_form = if self.is_name(next) { None } else { self.inflections(next) };
            let next_has = |form: Inflections| next_form.is_some_and(|next| next.has(form));
            let is_contraction = word == "'s" || word == "'d";
            if is_contraction && preceding == PrecedingPart::Nothing && !has_begun {
                // The preceding token is not part of a noun group.
                if i == 0 || self.tokens[i - 1].kind == TokenKind::Punctuation {
                    return None;
                }
            }
            if self.word_class(i).has(WordClass::MODAL) && word != "need" && word != "dare"
                || (word == "'d"
                    && (next_has(Inflections::BASE) && !next_has(Inflections::PARTICIPLE) || self.norm(next) == "be"))
            {
                let is_clause_start = i == 0 || self.tokens[i - 1].kind == TokenKind::Punctuation;
                if self.tokens[i].is_capitalized && !is_clause_start {
                    return None;
                }
                vg.modal = Some(if word == "'d" { "would".into() } else { word.to_owned() });
                has_no_auxiliary = false;
                has_begun = true;
                i += 1;
                if self.norm(i) == "to" {
                    i += 1;
                }
                continue;
            }
            if is_be_form(word) || word == "'s" {
                let has = word == "'s"
                    && (self.norm(next) == "been"
                        || self.norm(next) == "got"
                        || (next_has(Inflections::PARTICIPLE)
                            && matches!(
                                self.norm(next),
                                "gone"
                                    | "come"
                                    | "become"
                                    | "had"
                                    | "taken"
                                    | "done"
                                    | "known"
                                    | "lost"
                                    | "stolen"
                                    | "sold"
                                    | "left"
                                    | "joined"
                                    | "moved"
                                    | "always"
                            )))
                    || (word == "'s"
                        && next_has(Inflections::PARTICIPLE)
                        && next == i + 1
                        && !self.is_state_word(next)
                        && (self.is_name(next + 1)
                            || self.word_class(next + 1).has(WordClass::DETERMINER)
                            || matches!(self.norm(next + 1), "it" | "him" | "her" | "them" | "me" | "us" | "you")));
                if has {
                    vg.is_perfect = true;
                    has_no_auxiliary = false;
                    has_begun = true;
                    i += 1;
                    if self.norm(next) == "got" {
                        i = next;
                    }
                    continue;
                }
                if has_no_auxiliary && vg.form != VerbForm::Infinitive {
                    match word {
                        "being" => vg.form = VerbForm::Ing,
                        "been" => vg.form = VerbForm::Participle,
                        _ => {}
                    }
                }
                vg.is_past |= matches!(word, "was" | "were");
                has_begun = true;
                has_no_auxiliary = false;
                vg.is_negated |= (i + 1..next).any(|k| self.is_negation(k));
                vg.has_never |= (i + 1..next).any(|k| self.norm(k) == "never");
                if self.norm(next) == "going"
                    && self.norm(next + 1) == "to"
                    && (self.inflections(next + 2).is_some_and(|form| form.has(Inflections::BASE))
                        || self.norm(next + 2) == "be")
                    && !self.is_name(next + 2)
                {
                    vg.has_going_to = true;
                    i = next + 2;
                    continue;
                }
                let capital = self.tokens.get(next).is_some_and(|token| token.is_capitalized);
                if !capital && next_has(Inflections::ING) && !self.is_state_word(next) {
                    vg.is_progressive = true;
                    i = next;
                    continue;
                }
                if !capital && next_has(Inflections::PARTICIPLE) && !self.is_state_word(next) {
                    vg.is_passive = true;
                    i = next;
                    vg.head = i;
                    vg.lemma = self.lemma(i, Inflections::PARTICIPLE);
                    vg.end = i + 1;
                    return Some((vg, i + 1));
                }
                if matches!(self.norm(next), "been" | "being") {
                    i = next;
                    continue;
                }
                vg.is_copula = true;
                vg.lemma = "be".into();
                vg.head = i;
                vg.end = next.max(i + 1);
                // Adverbs and negations after "is" belong to the verb group.
                let end = self.end_of_adverbs(i + 1, next);
                vg.end = end;
                return Some((vg, end));
            }
            if matches!(word, "have" | "has" | "had" | "having")
                || (word == "'d" && is_past_perfect_auxiliary(next_has(Inflections::PARTICIPLE), self.norm(next)))
            {
                let is_auxiliary = next_has(Inflections::PARTICIPLE) && !self.tokens[next].is_capitalized
                    || matches!(self.norm(next), "been" | "had");
                let is_obligation = self.norm(next) == "to"
                    && self.inflections(next + 1).is_some_and(|form| form.has(Inflections::BASE));
                if is_auxiliary {
                    vg.is_perfect = true;
                    vg.is_past |= word == "had";
                    vg.is_negated |= (i + 1..next).any(|k| self.is_negation(k));
                    vg.has_never |= (i + 1..next).any(|k| self.norm(k) == "never");
                    if has_no_auxiliary && word == "having" {
                        vg.form = VerbForm::Ing;
                    }
                    has_begun = true;
                    has_no_auxiliary = false;
                    i = next;
                    if self.norm(i) == "been" || self.norm(i) == "be" {
                        continue;
                    }
                    if self.norm(i) == "got" {
                        // "Have got" means "have".
                        let second_next = self.skip_adverbs(i + 1);
                        let has_infinitive = self.norm(second_next) == "to";
                        if has_infinitive
                            && (self.norm(second_next + 1) == "be"
                                || self.inflections(second_next + 1).is_some_and(|form| form.has(Inflections::BASE)))
                        {
                            vg.modal = Some("must".into());
                            i = second_next + 1;
                            continue;
                        }
                        vg.lemma = "have".into();
                        vg.head = i;
                        vg.end = i + 1;
                        return Some((vg, i + 1));
                    }
                    vg.head = i;
                    vg.lemma = self.lemma(i, Inflections::PARTICIPLE);
                    return Some(self.finish_verb_group(vg, i));
                }
                if is_obligation {
                    vg.modal = Some("must".into());
                    i = next + 1;
                    has_begun = true;
                    has_no_auxiliary = false;
                    continue;
                }
                if word == "'d" {
                    return None;
                }
                vg.is_past |= word == "had";
                if has_no_auxiliary && word == "having" {
                    vg.form = VerbForm::Ing;
                }
                vg.head = i;
                vg.lemma = "have".into();
                return Some(self.finish_verb_group(vg, i));
            }
            if matches!(word, "do" | "does" | "did")
                && next_has(Inflections::BASE)
                && (next > i + 1 || has_begun || preceding != PrecedingPart::Nothing)
            {
                vg.is_past |= word == "did";
                vg.is_negated |= (i + 1..next).any(|k| self.is_negation(k));
                has_begun = true;
                has_no_auxiliary = false;
                i = next;
                continue;
            }
            if matches!(word, "get" | "gets" | "got" | "getting")
                && next_has(Inflections::PARTICIPLE)
                && !next_has(Inflections::BASE)
                && next == i + 1
            {
                vg.is_passive = true;
                vg.is_past |= word == "got";
                vg.head = next;
                vg.lemma = self.lemma(next, Inflections::PARTICIPLE);
                vg.end = next + 1;
                return Some((vg, next + 1));
            }
            // The main verb.
            let is_main_verb = if has_begun {
                self.inflections(i).is_some() && !self.tokens[i].is_capitalized
            } else {
                self.is_verb(i, preceding)
            };
            if !is_main_verb {
                return None;
            }
            let form = self.inflections(i)?;
            if word == "used"
                && self.norm(i + 1) == "to"
                && (self.norm(i + 2) == "be" || self.inflections(i + 2).is_some_and(|form| form.has(Inflections::BASE)))
            {
                vg.has_used_to = true;
                vg.is_past = true;
                has_no_auxiliary = false;
                has_begun = true;
                i += 2;
                continue;
            }
            vg.head = i;
            if has_no_auxiliary && vg.form == VerbForm::Finite {
                vg.is_base_form = form.has(Inflections::BASE) && !form.has(Inflections::PAST);
                if form.has(Inflections::ING) && !form.has(Inflections::BASE) {
                    vg.form = VerbForm::Ing;
                    vg.lemma = self.lemma(i, Inflections::ING);
                } else if form.has(Inflections::PARTICIPLE)
                    && (!form.has(Inflections::PAST.or(Inflections::BASE)) || self.is_reduced_relative(i, preceding))
                {
                    vg.form = VerbForm::Participle;
                    vg.is_passive = true;
                    vg.lemma = self.lemma(i, Inflections::PARTICIPLE);
                } else if form.has(Inflections::PAST) {
                    vg.is_past = true;
                    vg.lemma = self.lemma(i, Inflections::PAST);
                } else {
                    vg.lemma = self
                        .lemma(i, if form.has(Inflections::THIRD) { Inflections::THIRD } else { Inflections::BASE });
                }
            } else {
                let inflection = if vg.is_progressive { Inflections::ING } else { Inflections::BASE };
                vg.lemma = self.lemma(i, inflection);
            }
            return Some(self.finish_verb_group(vg, i));
        }
    }

    pub(crate) fn end_of_adverbs(&self, from: usize, to: usize) -> usize {
        // Adverbs after a copula are skipped only up to the words that they modify.
        if (from..to).any(|at| self.is_negation(at)) || from < to { to } else { from }
    }

    pub(crate) fn finish_verb_group(&self, mut vg: VerbGroup, head: usize) -> (VerbGroup, usize) {
        let properties = self.grammar.verb_properties(&vg.lemma);
        vg.is_copula = properties.is_copula && !vg.is_passive;
        vg.end = head + 1;
        (vg, head + 1)
    }

    /// Returns whether a word such as "missing" or "wounded" describes a state and not an act.
    pub(crate) fn is_state_word(&self, at: usize) -> bool {
        self.grammar.attribute_adjectives.contains_key(self.norm(at))
            && !matches!(self.norm(at + 1), "by" | "it" | "him" | "them" | "me" | "us")
            && !self.is_nominal(at + 1)
    }

    /// Returns whether the noun group read last is the object of a verb of [`KEEPING_VERBS`].
    fn follows_keeping_verb(&self) -> bool {
        let [.., Chunk::VerbGroup(vg), Chunk::NounGroup(np)] = self.chunks.items[..] else { return false };
        KEEPING_VERBS.contains(&self.chunks.verb_groups[vg].lemma.as_str())
            && !self.chunks.verb_groups[vg].is_passive
            && !self.chunks.noun_groups[np].is_pronoun
            || (self.chunks.verb_groups[vg].lemma == "have" && self.chunks.noun_groups[np].is_pronoun)
    }

    /// Returns whether a participle without an auxiliary modifies the noun before it: "the blade forged by Grimjaw".
    pub(crate) fn is_reduced_relative(&self, at: usize, preceding: PrecedingPart) -> bool {
        if self.norm(at + 1) == "by" {
            return true;
        }
        let after_comma = at > 0 && self.tokens[at - 1].is_punctuation(",");
        let is_sentence_start = at == 0;
        let next = self.norm(at + 1);
        let preposition_follows = self.word_class(at + 1).has(WordClass::PREPOSITION);
        match preceding {
            // Example: "has Odo locked up"
            PrecedingPart::Head { .. } if self.follows_keeping_verb() => {
                self.inflections(at).is_some_and(|form| form.has(Inflections::PARTICIPLE))
                    && !self.tokens[at].is_capitalized
            }
            PrecedingPart::Head { .. } => {
                matches!(self.norm(at), "called" | "named" | "known" | "nicknamed" | "dubbed" | "born")
                    && !next.is_empty()
            }
            _ if after_comma && matches!(self.norm(at), "called" | "named" | "nicknamed" | "dubbed") => true,
            _ => {
                (after_comma || is_sentence_start)
                    && preposition_follows
                    && !matches!(next, "to")
                    && !self.grammar.verb_patterns.get(&self.lemma(at, Inflections::PAST)).is_some_and(|patterns| {
                        patterns.iter().any(|pattern| {
                            pattern.parts.first() == Some(&crate::grammar::PatternPart::Word(next.to_owned()))
                        })
                    })
            }
        }
    }
}

/// Verbs whose object is kept in a state: "has Odo locked up".
const KEEPING_VERBS: [&str; 4] = ["have", "get", "keep", "find"];

fn is_past_perfect_auxiliary(participle: bool, next: &str) -> bool {
    participle || next == "been"
}
