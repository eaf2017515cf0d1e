//! Reads verb groups, such as "would never have been told".

use crate::{
    language::{conjugation::Inflections, function_words::is_be_form, grammar::WordClass, word_lists::lists},
    syntax::chunker::{Chunk, Chunker, PrecedingPart, VerbForm, VerbGroup},
    text::tokenizer::TokenKind,
};

/// Verb group while its words are read.
struct VerbGroupDraft {
    group: VerbGroup,
    /// The next token.
    at: usize,
    /// Whether a word of the group was read.
    has_begun: bool,
    /// Whether no auxiliary was read.
    has_no_auxiliary: bool,
}

impl VerbGroupDraft {
    /// Continues at a token after an auxiliary.
    fn continue_at(&mut self, at: usize) -> Step {
        self.at = at;
        self.has_begun = true;
        self.has_no_auxiliary = false;
        Step::Continue
    }

    /// Completes the group with its main verb.
    fn complete(&mut self, head: usize, lemma: String, end: usize) -> Step {
        self.group.head = head;
        self.group.lemma = lemma;
        self.group.end = end;
        Step::Complete
    }
}

/// Effect of the words at the current token on a verb group.
enum Step {
    /// The group continues.
    Continue,
    /// The group is complete.
    Complete,
    /// The words are not a verb group.
    Reject,
}

impl Chunker<'_> {
    /// Reads a verb group at a token. Returns the group and the token after it, or `None` if no verb group begins here.
    pub(crate) fn parse_verb_group(&self, at: usize, preceding: PrecedingPart) -> Option<(VerbGroup, usize)> {
        if self.is_name(at) {
            return None;
        }
        let group = VerbGroup { start: at, form: VerbForm::Finite, ..VerbGroup::default() };
        let mut draft = VerbGroupDraft { group, at, has_begun: false, has_no_auxiliary: true };
        if self.norm(at) == "to" {
            draft.at = self.infinitive_after(at)?;
            draft.group.form = VerbForm::Infinitive;
            draft.has_begun = true;
        }
        loop {
            if draft.at >= self.tokens.len() || self.is_name(draft.at) {
                return None;
            }
            let step = self
                .read_adverbs(&mut draft, preceding)
                .or_else(|| self.read_modal(&mut draft, preceding))
                .or_else(|| self.read_be(&mut draft))
                .or_else(|| self.read_have(&mut draft))
                .or_else(|| self.read_do_or_get(&mut draft, preceding))
                .unwrap_or_else(|| self.read_main_verb(&mut draft, preceding));
            match step {
                Step::Continue => {}
                Step::Complete => {
                    let end = draft.group.end;
                    return Some((draft.group, end));
                }
                Step::Reject => return None,
            }
        }
    }

    /// Returns the token of the infinitive after "to", or `None` if no infinitive follows.
    fn infinitive_after(&self, to: usize) -> Option<usize> {
        let next = self.skip_adverbs(to + 1);
        let has_base_form =
            self.norm(next) == "be" || self.inflections(next).is_some_and(|form| form.has(Inflections::BASE));
        let is_capitalized = self.tokens.get(next).is_some_and(|token| token.is_capitalized);
        (has_base_form && !self.is_name(next) && !is_capitalized).then_some(next)
    }

    /// Reads adverbs and negations: "never trusted", "quietly works".
    fn read_adverbs(&self, draft: &mut VerbGroupDraft, preceding: PrecedingPart) -> Option<Step> {
        let at = draft.at;
        if !self.is_adverb(at) && !self.is_negation(at) {
            return None;
        }
        if draft.has_begun {
            self.record_negations(&mut draft.group, at, at + 1);
            draft.at += 1;
            return Some(Step::Continue);
        }
        // An adverb begins the group only if a verb follows.
        let next = self.skip_adverbs(at);
        let verb_follows =
            is_be_form(self.norm(next)) || self.word_class(next).has(WordClass::MODAL) || self.is_verb(next, preceding);
        if !verb_follows || self.is_name(next) || next == at {
            return Some(Step::Reject);
        }
        self.record_negations(&mut draft.group, at, next);
        draft.at = next;
        draft.has_begun = true;
        Some(Step::Continue)
    }

    /// Reads a modal, such as "would". Rejects a contraction that does not follow a noun group.
    fn read_modal(&self, draft: &mut VerbGroupDraft, preceding: PrecedingPart) -> Option<Step> {
        let at = draft.at;
        let word = self.norm(at);
        let is_clause_start = at == 0 || self.tokens[at - 1].kind == TokenKind::Punctuation;
        let is_contraction = matches!(word, "'s" | "'d");
        if is_contraction && preceding == PrecedingPart::Nothing && !draft.has_begun && is_clause_start {
            return Some(Step::Reject);
        }
        let next = self.skip_adverbs(at + 1);
        let is_would = word == "'d"
            && (self.can_be(next, Inflections::BASE) && !self.can_be(next, Inflections::PARTICIPLE)
                || self.norm(next) == "be");
        let is_modal = self.word_class(at).has(WordClass::MODAL) && word != "need" && word != "dare";
        if !is_modal && !is_would {
            return None;
        }
        if self.tokens[at].is_capitalized && !is_clause_start {
            return Some(Step::Reject);
        }
        draft.group.modal = Some(if word == "'d" { "would".into() } else { word.to_owned() });
        let has_to = self.norm(at + 1) == "to";
        Some(draft.continue_at(at + 1 + usize::from(has_to)))
    }

    /// Reads a form of "be", or "'s" as a contraction of "is" or "has".
    fn read_be(&self, draft: &mut VerbGroupDraft) -> Option<Step> {
        let at = draft.at;
        let word = self.norm(at);
        if !is_be_form(word) && word != "'s" {
            return None;
        }
        let next = self.skip_adverbs(at + 1);
        if word == "'s" && self.is_contracted_has(at, next) {
            draft.group.is_perfect = true;
            return Some(draft.continue_at(if self.norm(next) == "got" { next } else { at + 1 }));
        }
        if draft.has_no_auxiliary && draft.group.form != VerbForm::Infinitive {
            match word {
                "being" => draft.group.form = VerbForm::Ing,
                "been" => draft.group.form = VerbForm::Participle,
                _ => {}
            }
        }
        draft.group.is_past |= matches!(word, "was" | "were");
        self.record_negations(&mut draft.group, at + 1, next);
        if self.norm(next) == "going"
            && self.norm(next + 1) == "to"
            && (self.inflections(next + 2).is_some_and(|form| form.has(Inflections::BASE))
                || self.norm(next + 2) == "be")
            && !self.is_name(next + 2)
        {
            draft.group.has_going_to = true;
            return Some(draft.continue_at(next + 2));
        }
        let is_capitalized = self.tokens.get(next).is_some_and(|token| token.is_capitalized);
        let is_act = !is_capitalized && !self.is_state_word(next);
        if is_act && self.can_be(next, Inflections::ING) {
            draft.group.is_progressive = true;
            return Some(draft.continue_at(next));
        }
        if is_act && self.can_be(next, Inflections::PARTICIPLE) {
            draft.group.is_passive = true;
            return Some(draft.complete(next, self.lemma(next, Inflections::PARTICIPLE), next + 1));
        }
        if matches!(self.norm(next), "been" | "being") {
            return Some(draft.continue_at(next));
        }
        draft.group.is_copula = true;
        // Adverbs and negations after "is" belong to the verb group.
        Some(draft.complete(at, "be".into(), next.max(at + 1)))
    }

    /// Returns whether "'s" at a token is a contraction of "has": "she's gone", "he's stolen it". `next` is the token
    /// after its adverbs.
    fn is_contracted_has(&self, at: usize, next: usize) -> bool {
        if matches!(self.norm(next), "been" | "got") {
            return true;
        }
        let is_participle_of_act = lists().verbs.past_participles.contains(self.norm(next));
        let has_object = next == at + 1
            && !self.is_state_word(next)
            && (self.is_name(next + 1)
                || self.word_class(next + 1).has(WordClass::DETERMINER)
                || lists().pronouns.objects.contains(self.norm(next + 1)));
        self.can_be(next, Inflections::PARTICIPLE) && (is_participle_of_act || has_object)
    }

    /// Reads a form of "have", or "'d" as a contraction of "had".
    fn read_have(&self, draft: &mut VerbGroupDraft) -> Option<Step> {
        let at = draft.at;
        let word = self.norm(at);
        let next = self.skip_adverbs(at + 1);
        let participle_follows = self.can_be(next, Inflections::PARTICIPLE);
        let is_contracted_had = word == "'d" && (participle_follows || self.norm(next) == "been");
        if !lists().auxiliaries.have_forms.contains(word) && !is_contracted_had {
            return None;
        }
        let is_auxiliary =
            participle_follows && !self.tokens[next].is_capitalized || matches!(self.norm(next), "been" | "had");
        if is_auxiliary {
            return Some(self.read_perfect(draft, next));
        }
        let is_obligation =
            self.norm(next) == "to" && self.inflections(next + 1).is_some_and(|form| form.has(Inflections::BASE));
        if is_obligation {
            draft.group.modal = Some("must".into());
            return Some(draft.continue_at(next + 1));
        }
        if word == "'d" {
            return Some(Step::Reject);
        }
        draft.group.is_past |= word == "had";
        if draft.has_no_auxiliary && word == "having" {
            draft.group.form = VerbForm::Ing;
        }
        Some(self.complete_with_main_verb(draft, at, "have".into()))
    }

    /// Reads the participle `next` after the auxiliary "have" at the current token.
    fn read_perfect(&self, draft: &mut VerbGroupDraft, next: usize) -> Step {
        let at = draft.at;
        let word = self.norm(at);
        draft.group.is_perfect = true;
        draft.group.is_past |= word == "had";
        self.record_negations(&mut draft.group, at + 1, next);
        if draft.has_no_auxiliary && word == "having" {
            draft.group.form = VerbForm::Ing;
        }
        if matches!(self.norm(next), "been" | "be") {
            return draft.continue_at(next);
        }
        if self.norm(next) != "got" {
            let lemma = self.lemma(next, Inflections::PARTICIPLE);
            return self.complete_with_main_verb(draft, next, lemma);
        }
        // "Have got" means "have", and "have got to" means "must".
        let to = self.skip_adverbs(next + 1);
        if self.norm(to) == "to"
            && (self.norm(to + 1) == "be" || self.inflections(to + 1).is_some_and(|form| form.has(Inflections::BASE)))
        {
            draft.group.modal = Some("must".into());
            return draft.continue_at(to + 1);
        }
        draft.complete(next, "have".into(), next + 1)
    }

    /// Reads the auxiliary "do" ("did not know"), or "get" with a participle ("got killed").
    fn read_do_or_get(&self, draft: &mut VerbGroupDraft, preceding: PrecedingPart) -> Option<Step> {
        let at = draft.at;
        let word = self.norm(at);
        let next = self.skip_adverbs(at + 1);
        if lists().auxiliaries.do_forms.contains(word)
            && self.can_be(next, Inflections::BASE)
            && (next > at + 1 || draft.has_begun || preceding != PrecedingPart::Nothing)
        {
            draft.group.is_past |= word == "did";
            draft.group.is_negated |= (at + 1..next).any(|at| self.is_negation(at));
            return Some(draft.continue_at(next));
        }
        if lists().auxiliaries.get_forms.contains(word)
            && self.can_be(next, Inflections::PARTICIPLE)
            && !self.can_be(next, Inflections::BASE)
            && next == at + 1
        {
            draft.group.is_passive = true;
            draft.group.is_past |= word == "got";
            return Some(draft.complete(next, self.lemma(next, Inflections::PARTICIPLE), next + 1));
        }
        None
    }

    /// Reads the main verb.
    fn read_main_verb(&self, draft: &mut VerbGroupDraft, preceding: PrecedingPart) -> Step {
        let at = draft.at;
        let is_main_verb = if draft.has_begun {
            self.inflections(at).is_some() && !self.tokens[at].is_capitalized
        } else {
            self.is_verb(at, preceding)
        };
        let Some(form) = self.inflections(at).filter(|_| is_main_verb) else { return Step::Reject };
        if self.norm(at) == "used"
            && self.norm(at + 1) == "to"
            && (self.norm(at + 2) == "be" || self.inflections(at + 2).is_some_and(|form| form.has(Inflections::BASE)))
        {
            draft.group.has_used_to = true;
            draft.group.is_past = true;
            return draft.continue_at(at + 2);
        }
        let inflection = if !draft.has_no_auxiliary || draft.group.form != VerbForm::Finite {
            if draft.group.is_progressive { Inflections::ING } else { Inflections::BASE }
        } else {
            draft.group.is_base_form = form.has(Inflections::BASE) && !form.has(Inflections::PAST);
            if form.has(Inflections::ING) && !form.has(Inflections::BASE) {
                draft.group.form = VerbForm::Ing;
                Inflections::ING
            } else if form.has(Inflections::PARTICIPLE)
                && (!form.has(Inflections::PAST.or(Inflections::BASE)) || self.is_reduced_relative(at, preceding))
            {
                draft.group.form = VerbForm::Participle;
                draft.group.is_passive = true;
                Inflections::PARTICIPLE
            } else if form.has(Inflections::PAST) {
                draft.group.is_past = true;
                Inflections::PAST
            } else if form.has(Inflections::THIRD) {
                Inflections::THIRD
            } else {
                Inflections::BASE
            }
        };
        let lemma = self.lemma(at, inflection);
        self.complete_with_main_verb(draft, at, lemma)
    }

    /// Completes a group with its main verb, which can be a copula, such as "become".
    fn complete_with_main_verb(&self, draft: &mut VerbGroupDraft, head: usize, lemma: String) -> Step {
        draft.group.is_copula = self.grammar.verb_properties(&lemma).is_copula && !draft.group.is_passive;
        draft.complete(head, lemma, head + 1)
    }

    /// Returns whether a word can have one of the given forms of a verb. A name has none of these forms.
    fn can_be(&self, at: usize, forms: Inflections) -> bool {
        !self.is_name(at) && self.inflections(at).is_some_and(|form| form.has(forms))
    }

    /// Records the negations among the tokens from `from` up to, but not including, `to`.
    fn record_negations(&self, group: &mut VerbGroup, from: usize, to: usize) {
        for at in from..to {
            group.is_negated |= self.is_negation(at);
            group.has_never |= self.norm(at) == "never";
        }
    }

    /// Returns whether a word such as "missing" or "wounded" describes a state and not an act.
    pub(crate) fn is_state_word(&self, at: usize) -> bool {
        self.grammar.attribute_adjectives.contains_key(self.norm(at))
            && !lists().verbs.act_followers.contains(self.norm(at + 1))
            && !self.is_nominal(at + 1)
    }

    /// Returns whether the noun group read last is the object of a verb that keeps it in a state.
    fn follows_keeping_verb(&self) -> bool {
        let [.., Chunk::VerbGroup(vg), Chunk::NounGroup(np)] = self.chunks.items[..] else { return false };
        lists().verbs.keeping.contains(self.chunks.verb_groups[vg].lemma.as_str())
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
                (matches!(self.norm(at), "known" | "born") || lists().verbs.naming_participles.contains(self.norm(at)))
                    && !next.is_empty()
            }
            _ if after_comma && lists().verbs.naming_participles.contains(self.norm(at)) => true,
            _ => {
                (after_comma || is_sentence_start)
                    && preposition_follows
                    && !matches!(next, "to")
                    && !self.grammar.verb_patterns.get(&self.lemma(at, Inflections::PAST)).is_some_and(|patterns| {
                        patterns.iter().any(|pattern| {
                            pattern.parts.first() == Some(&crate::language::grammar::PatternPart::Word(next.to_owned()))
                        })
                    })
            }
        }
    }
}
