//! Reads verb groups, such as "would never have been told".

use crate::{
    grammar::Class,
    mentions::be_form,
    parse::{Item, Parser, VerbForm, Vg, Within},
    token::Sort,
    verbs::Form,
};

impl Parser<'_> {
    /// Reads a verb group at a token. Returns the group and the token after it, or `None` if no verb group begins here.
    pub(crate) fn verb_group(&self, at: usize, within: Within) -> Option<(Vg, usize)> {
        let mut vg = Vg { start: at, form: VerbForm::Finite, ..Vg::default() };
        let mut i = at;
        if self.is_name(at) {
            return None;
        }
        if self.norm(i) == "to" {
            let next = self.skip_adverbs(i + 1);
            let base = be_form(self.norm(next)) && self.norm(next) == "be"
                || self.form(next).is_some_and(|form| form.has(Form::BASE));
            let capital = self.tokens.get(next).is_some_and(|token| token.capital);
            if !base || self.is_name(next) || capital {
                return None;
            }
            vg.form = VerbForm::Infinitive;
            i = next;
        }
        let mut begun = vg.form == VerbForm::Infinitive;
        let mut bare = true;
        loop {
            if i >= self.tokens.len() || self.is_name(i) {
                return None;
            }
            if begun && (self.is_adverb(i) || self.is_negation(i)) {
                vg.negated |= self.is_negation(i);
                vg.never |= self.norm(i) == "never";
                i += 1;
                continue;
            }
            let word = self.norm(i);
            if !begun && (self.is_negation(i) || self.is_adverb(i)) {
                // An adverb begins the group if a verb follows: "never trusted", "quietly works".
                let next = self.skip_adverbs(i);
                let verb = be_form(self.norm(next)) || self.class(next).has(Class::MODAL) || self.is_verb(next, within);
                if !verb || self.is_name(next) || next == i {
                    return None;
                }
                let negations = i..next;
                for k in negations {
                    vg.negated |= self.is_negation(k);
                    vg.never |= self.norm(k) == "never";
                }
                i = next;
                begun = true;
                continue;
            }
            let next = self.skip_adverbs(i + 1);
            let next_form = if self.is_name(next) { None } else { self.form(next) };
            let next_has = |form: Form| next_form.is_some_and(|next| next.has(form));
            let contraction = word == "'s" || word == "'d";
            if contraction && within == Within::Nothing && !begun {
                // The preceding token is not part of a noun group.
                if i == 0 || self.tokens[i - 1].sort == Sort::Mark {
                    return None;
                }
            }
            if self.class(i).has(Class::MODAL) && word != "need" && word != "dare"
                || (word == "'d" && (next_has(Form::BASE) && !next_has(Form::PARTICIPLE) || self.norm(next) == "be"))
            {
                let opens = i == 0 || self.tokens[i - 1].sort == Sort::Mark;
                if self.tokens[i].capital && !opens {
                    return None;
                }
                vg.modal = Some(if word == "'d" { "would".into() } else { word.to_owned() });
                bare = false;
                begun = true;
                i += 1;
                if self.norm(i) == "to" {
                    i += 1;
                }
                continue;
            }
            if be_form(word) || word == "'s" {
                let has = word == "'s"
                    && (self.norm(next) == "been"
                        || self.norm(next) == "got"
                        || (next_has(Form::PARTICIPLE)
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
                        && next_has(Form::PARTICIPLE)
                        && next == i + 1
                        && !self.is_attribute_word(next)
                        && (self.is_name(next + 1)
                            || self.class(next + 1).has(Class::DETERMINER)
                            || matches!(self.norm(next + 1), "it" | "him" | "her" | "them" | "me" | "us" | "you")));
                if has {
                    vg.perfect = true;
                    bare = false;
                    begun = true;
                    i += 1;
                    if self.norm(next) == "got" {
                        i = next;
                    }
                    continue;
                }
                if bare && vg.form != VerbForm::Infinitive {
                    match word {
                        "being" => vg.form = VerbForm::Ing,
                        "been" => vg.form = VerbForm::Participle,
                        _ => {}
                    }
                }
                vg.past |= matches!(word, "was" | "were");
                begun = true;
                bare = false;
                vg.negated |= (i + 1..next).any(|k| self.is_negation(k));
                vg.never |= (i + 1..next).any(|k| self.norm(k) == "never");
                if self.norm(next) == "going"
                    && self.norm(next + 1) == "to"
                    && (self.form(next + 2).is_some_and(|form| form.has(Form::BASE)) || self.norm(next + 2) == "be")
                    && !self.is_name(next + 2)
                {
                    vg.going_to = true;
                    i = next + 2;
                    continue;
                }
                let capital = self.tokens.get(next).is_some_and(|token| token.capital);
                if !capital && next_has(Form::ING) && !self.is_attribute_word(next) {
                    vg.progressive = true;
                    i = next;
                    continue;
                }
                if !capital && next_has(Form::PARTICIPLE) && !self.is_attribute_word(next) {
                    vg.passive = true;
                    i = next;
                    vg.head = i;
                    vg.lemma = self.lemma(i, Form::PARTICIPLE);
                    vg.end = i + 1;
                    return Some((vg, i + 1));
                }
                if matches!(self.norm(next), "been" | "being") {
                    i = next;
                    continue;
                }
                vg.copula = true;
                vg.lemma = "be".into();
                vg.head = i;
                vg.end = next.max(i + 1);
                // Adverbs and negations after "is" belong to the verb group.
                let end = self.negated_until(i + 1, next);
                vg.end = end;
                return Some((vg, end));
            }
            if matches!(word, "have" | "has" | "had" | "having")
                || (word == "'d" && begun_or_participle(next_has(Form::PARTICIPLE), self.norm(next)))
            {
                let aux = next_has(Form::PARTICIPLE) && !self.tokens[next].capital
                    || matches!(self.norm(next), "been" | "had");
                let must = self.norm(next) == "to" && self.form(next + 1).is_some_and(|form| form.has(Form::BASE));
                if aux {
                    vg.perfect = true;
                    vg.past |= word == "had";
                    vg.negated |= (i + 1..next).any(|k| self.is_negation(k));
                    vg.never |= (i + 1..next).any(|k| self.norm(k) == "never");
                    if bare && word == "having" {
                        vg.form = VerbForm::Ing;
                    }
                    begun = true;
                    bare = false;
                    i = next;
                    if self.norm(i) == "been" || self.norm(i) == "be" {
                        continue;
                    }
                    if self.norm(i) == "got" {
                        // "Have got" means "have".
                        let then = self.skip_adverbs(i + 1);
                        let base = self.norm(then) == "to";
                        if base
                            && (self.norm(then + 1) == "be"
                                || self.form(then + 1).is_some_and(|form| form.has(Form::BASE)))
                        {
                            vg.modal = Some("must".into());
                            i = then + 1;
                            continue;
                        }
                        vg.lemma = "have".into();
                        vg.head = i;
                        vg.end = i + 1;
                        return Some((vg, i + 1));
                    }
                    vg.head = i;
                    vg.lemma = self.lemma(i, Form::PARTICIPLE);
                    return Some(self.finish(vg, i));
                }
                if must {
                    vg.modal = Some("must".into());
                    i = next + 1;
                    begun = true;
                    bare = false;
                    continue;
                }
                if word == "'d" {
                    return None;
                }
                vg.past |= word == "had";
                if bare && word == "having" {
                    vg.form = VerbForm::Ing;
                }
                vg.head = i;
                vg.lemma = "have".into();
                return Some(self.finish(vg, i));
            }
            if matches!(word, "do" | "does" | "did")
                && next_has(Form::BASE)
                && (next > i + 1 || begun || within != Within::Nothing)
            {
                vg.past |= word == "did";
                vg.negated |= (i + 1..next).any(|k| self.is_negation(k));
                begun = true;
                bare = false;
                i = next;
                continue;
            }
            if matches!(word, "get" | "gets" | "got" | "getting")
                && next_has(Form::PARTICIPLE)
                && !next_has(Form::BASE)
                && next == i + 1
            {
                vg.passive = true;
                vg.past |= word == "got";
                vg.head = next;
                vg.lemma = self.lemma(next, Form::PARTICIPLE);
                vg.end = next + 1;
                return Some((vg, next + 1));
            }
            // The main verb.
            let here = if begun { self.form(i).is_some() && !self.tokens[i].capital } else { self.is_verb(i, within) };
            if !here {
                return None;
            }
            let form = self.form(i)?;
            if word == "used"
                && self.norm(i + 1) == "to"
                && (self.norm(i + 2) == "be" || self.form(i + 2).is_some_and(|form| form.has(Form::BASE)))
            {
                vg.used_to = true;
                vg.past = true;
                bare = false;
                begun = true;
                i += 2;
                continue;
            }
            vg.head = i;
            if bare && vg.form == VerbForm::Finite {
                vg.base = form.has(Form::BASE) && !form.has(Form::PAST);
                if form.has(Form::ING) && !form.has(Form::BASE) {
                    vg.form = VerbForm::Ing;
                    vg.lemma = self.lemma(i, Form::ING);
                } else if form.has(Form::PARTICIPLE)
                    && (!form.has(Form::PAST.or(Form::BASE)) || self.is_reduced(i, within))
                {
                    vg.form = VerbForm::Participle;
                    vg.passive = true;
                    vg.lemma = self.lemma(i, Form::PARTICIPLE);
                } else if form.has(Form::PAST) {
                    vg.past = true;
                    vg.lemma = self.lemma(i, Form::PAST);
                } else {
                    vg.lemma = self.lemma(i, if form.has(Form::THIRD) { Form::THIRD } else { Form::BASE });
                }
            } else {
                let wanted = if vg.progressive { Form::ING } else { Form::BASE };
                vg.lemma = self.lemma(i, wanted);
            }
            return Some(self.finish(vg, i));
        }
    }

    pub(crate) fn negated_until(&self, from: usize, to: usize) -> usize {
        // Adverbs after a copula are skipped only up to the words that they modify.
        if (from..to).any(|at| self.is_negation(at)) || from < to { to } else { from }
    }

    pub(crate) fn finish(&self, mut vg: Vg, head: usize) -> (Vg, usize) {
        let sort = self.grammar.sort(&vg.lemma);
        vg.copula = sort.copula && !vg.passive;
        vg.end = head + 1;
        (vg, head + 1)
    }

    /// Returns whether a word such as "missing" or "wounded" describes a state and not an act.
    pub(crate) fn is_attribute_word(&self, at: usize) -> bool {
        self.grammar.adjectives.contains_key(self.norm(at))
            && !matches!(self.norm(at + 1), "by" | "it" | "him" | "them" | "me" | "us")
            && !self.is_nounish(at + 1)
    }

    /// Returns whether the noun group read last is the object of a verb of [`KEEPING`].
    fn is_kept(&self) -> bool {
        let [.., Item::Vg(vg), Item::Np(np)] = self.groups.items[..] else { return false };
        KEEPING.contains(&self.groups.vgs[vg].lemma.as_str())
            && !self.groups.vgs[vg].passive
            && !self.groups.nps[np].pronoun
            || (self.groups.vgs[vg].lemma == "have" && self.groups.nps[np].pronoun)
    }

    /// Returns whether a participle without an auxiliary modifies the noun before it: "the blade forged by Grimjaw".
    pub(crate) fn is_reduced(&self, at: usize, within: Within) -> bool {
        if self.norm(at + 1) == "by" {
            return true;
        }
        let after_comma = at > 0 && self.tokens[at - 1].is_mark(",");
        let opens = at == 0;
        let next = self.norm(at + 1);
        let preposition = self.class(at + 1).has(Class::PREPOSITION);
        match within {
            // Example: "has Odo locked up"
            Within::Head { .. } if self.is_kept() => {
                self.form(at).is_some_and(|form| form.has(Form::PARTICIPLE)) && !self.tokens[at].capital
            }
            Within::Head { .. } => {
                matches!(self.norm(at), "called" | "named" | "known" | "nicknamed" | "dubbed" | "born")
                    && !next.is_empty()
            }
            _ if after_comma && matches!(self.norm(at), "called" | "named" | "nicknamed" | "dubbed") => true,
            _ => {
                (after_comma || opens)
                    && preposition
                    && !matches!(next, "to")
                    && !self.grammar.verbs.get(&self.lemma(at, Form::PAST)).is_some_and(|patterns| {
                        patterns
                            .iter()
                            .any(|pattern| pattern.parts.first() == Some(&crate::grammar::Part::Word(next.to_owned())))
                    })
            }
        }
    }
}

/// Verbs whose object is kept in a state: "has Odo locked up".
const KEEPING: [&str; 4] = ["have", "get", "keep", "find"];

fn begun_or_participle(participle: bool, next: &str) -> bool {
    participle || next == "been"
}
