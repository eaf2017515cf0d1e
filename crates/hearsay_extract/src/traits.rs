//! Proposes attributes for the review queue where no pattern matches.
//!
//! Sources are words after "is" and "with", body parts and clothes, adjectives that describe how a person acts, and
//! notes beside a name.

use crate::{
    beside::AGES,
    clauses::From,
    grammar::Class,
    kinds::Kinds,
    mentions::is_pronoun,
    mode::Mode,
    parse::{Item, VerbForm},
    read::{Reader, Ref, Said},
};

/// Maximum number of attributes that are proposed for one clause.
const MOST: usize = 3;

/// Maximum number of tokens in a value.
const LONGEST: usize = 12;

impl Reader<'_> {
    /// Proposes attributes from all clauses. `read` says for each clause whether a fact was already read from it.
    pub(crate) fn traits(&mut self, modes: &[Mode], read: &[bool]) {
        for (at, mode) in modes.iter().enumerate() {
            if !mode.is_plain() {
                continue;
            }
            let clause = self.clauses[at].clone();
            let vg = self.vg(at).clone();
            let mut left = MOST;
            let subjects = self.bearers(&clause.subjects);
            let to = self.end_of(clause.rest.1.saturating_sub(1)).max(vg.end).min(self.tokens.len());
            if subjects.is_empty() {
                continue;
            }
            // Example: "Katya's teeth have grown"
            if let Some(np) = clause.subjects.first().copied()
                && self.owned_part(np)
                && !read[at]
            {
                let from = self.groups.nps[np].content;
                self.offer("appearance", &subjects, from, to, "loose_part", mode, left);
                continue;
            }
            let is = vg.copula || self.grammar.sort(&vg.lemma).seeming;
            if is && !read[at] && clause.from != From::Inverted {
                left -= self.complement(&subjects, vg.end, to, mode, left);
            }
            if vg.form != VerbForm::Infinitive {
                let from = vg.end;
                self.along(&subjects, from, to, mode, left);
            }
        }
    }

    /// Returns the entities that the subject of a clause describes. "Katya's teeth" describes Katya.
    fn bearers(&mut self, nps: &[usize]) -> Vec<Ref> {
        let mut refs = self.subjects(nps);
        if refs.is_empty()
            && let [np] = nps
            && self.owned_part(*np)
        {
            let item = self.item_of(*np);
            refs = self.owners(*np, item, &["of"]);
        }
        refs
    }

    /// Returns whether a noun group is a body part or possession with an owner: "her teeth".
    fn owned_part(&self, np: usize) -> bool {
        let group = &self.groups.nps[np];
        let owned = group.owner.is_some() || self.item_of(np).is_some_and(|item| self.syntax.word(item + 1) == "of");
        owned && group.name.is_none() && self.grammar.has.contains_key(self.norm(group.head))
    }

    /// Proposes an attribute from the words after "is". Returns the number of proposals that count against the limit.
    pub(crate) fn complement(&mut self, subjects: &[Ref], from: usize, to: usize, mode: &Mode, left: usize) -> usize {
        let mut start = from;
        while start < to
            && (self.grammar.class(self.norm(start)).has(Class::ADVERB.or(Class::DETERMINER))
                || matches!(self.norm(start), "," | "like" | "um" | "uh" | "er"))
            && self.grammar.attributes_of(self.norm(start)).is_empty()
        {
            start += 1;
        }
        if start >= to || self.is_named(start) || is_pronoun(self.norm(start)) || !self.tokens[start].is_word() {
            return 0;
        }
        // "Hunter's Whistles" is a name.
        if self.tokens[start].capital && self.norm(start + 1) == "'s" {
            return 0;
        }
        let class = self.grammar.class(self.norm(start));
        if class.has(Class::PREPOSITION.or(Class::SUBORDINATOR).or(Class::RELATIVE)) {
            return 0;
        }
        let end = self.value_stop(start, to);
        if self.names.iter().any(|name| name.start >= start && name.start < end) {
            return 0;
        }
        let kinds = subjects.first().map_or(Kinds::ANY, |subject| self.kinds(subject.who));
        let np = self.groups.nps.iter().find(|np| np.start <= start && start < np.end && np.end > start + 1);
        let noun = np.is_some_and(|np| np.article.is_some())
            || self.groups.nps.iter().any(|np| np.start <= start && start < np.end && np.article.is_some());
        let counts = |token: usize| self.is_number(self.norm(token));
        let aged = kinds == Kinds::PERSON
            && (start..end).any(counts)
            && (start..end).all(|token| counts(token) || AGES.contains(&self.norm(token)));
        let (name, mark) = match self.attribute_of(start, end, kinds) {
            _ if aged => ("age".to_owned(), "loose_listed"),
            Some(name) => (name, "loose_listed"),
            None => (self.likely(kinds, noun, start), "loose_open"),
        };
        if name.is_empty() {
            return 0;
        }
        self.offer(&name, subjects, start, end, mark, mode, left)
    }

    /// Returns the most likely attribute of a value that is in no list, according to the class of the subject.
    fn likely(&self, kinds: Kinds, noun: bool, start: usize) -> String {
        let participle = self.norm(start).ends_with("ed") || self.norm(start).ends_with("en");
        match kinds {
            kinds if kinds == Kinds::PLACE => "atmosphere",
            kinds if kinds == Kinds::THING => "condition",
            kinds if kinds == Kinds::PERSON && noun => "occupation",
            kinds if kinds == Kinds::PERSON && participle => "condition",
            kinds if kinds == Kinds::PERSON => "personality",
            _ => "",
        }
        .to_owned()
    }

    /// Returns the attribute that the words of a value indicate, or `None` if they are in no list.
    fn attribute_of(&self, from: usize, to: usize, kinds: Kinds) -> Option<String> {
        let grammar = self.grammar;
        let fits = |entries: &[(usize, bool)]| {
            entries
                .iter()
                .find(|(target, _)| grammar.targets[*target].subject.meets(kinds))
                .map(|(target, _)| grammar.targets[*target].predicate.to_string())
        };
        // The last word with a known attribute decides.
        (from..to).rev().find_map(|at| {
            let word = self.norm(at);
            let noun = self.singular(word);
            grammar
                .has
                .get(word)
                .and_then(|entries| fits(entries))
                .or_else(|| fits(&grammar.attributes_of(word)))
                .or_else(|| fits(&self.kinds_of_noun(&noun)))
        })
    }

    /// Proposes attributes from the rest of a clause: body parts, clothes, and adjectives that describe the subject
    /// during an act.
    fn along(&mut self, subjects: &[Ref], from: usize, to: usize, mode: &Mode, mut left: usize) {
        let kinds = subjects.first().map_or(Kinds::ANY, |subject| self.kinds(subject.who));
        let mut token = from;
        while token < to && left > 0 {
            let word = self.norm(token).to_owned();
            if self.is_named(token) {
                token += 1;
                continue;
            }
            let np = self.groups.nps.iter().position(|np| np.start <= token && token < np.end && !np.pronoun);
            if let Some(np) = np {
                let group = self.groups.nps[np].clone();
                let worn = group.name.is_none()
                    && !group.by_name
                    && group.owner.is_none_or(|owner| self.groups.nps[owner].pronoun)
                    && self.grammar.has.contains_key(self.norm(group.head));
                if worn && kinds == Kinds::PERSON {
                    let end = self.item_of(np).map_or(group.end, |item| self.value_end(item, self.groups.items.len()));
                    let more = group.head > group.content || end > group.end;
                    if more {
                        self.offer("appearance", subjects, group.content, end, "loose_worn", mode, left);
                    }
                }
                token = group.end.max(token + 1);
                continue;
            }
            if word == "as" && kinds == Kinds::PERSON && self.posted(subjects, token, mode, left) {
                left -= 1;
            }
            let entries = self.grammar.attributes_of(&word);
            let name = entries
                .iter()
                .find(|(target, _)| self.grammar.targets[*target].subject.meets(kinds))
                .map(|(target, _)| self.grammar.targets[*target].predicate.to_string());
            if let Some(name) = name {
                let end = self.value_stop(token, to);
                // "Sweet on Odo" is a relation, not an attribute.
                let names = self.names.iter().any(|name| name.start > token && name.start < end);
                // Example: "for good"
                let names = names || (token > 0 && self.norm(token - 1) == "for");
                if !names {
                    left -= self.offer(&name, subjects, token, end, "loose_manner", mode, left);
                }
                token = end.max(token + 1);
                continue;
            }
            token += 1;
        }
    }

    /// Proposes an occupation after "as": "came as a dancer". Returns whether it was recorded.
    fn posted(&mut self, subjects: &[Ref], token: usize, mode: &Mode, left: usize) -> bool {
        let np = self.groups.nps.iter().find(|np| np.start == token + 1 && np.name.is_none() && !np.pronoun).cloned();
        let Some(group) = np else { return false };
        let noun = self.singular(self.norm(group.head));
        let is_occupation = |(target, _): &(usize, bool)| self.grammar.targets[*target].predicate == *"occupation";
        self.kinds_of_noun(&noun).iter().any(is_occupation)
            && self.offer("occupation", subjects, group.content, group.end, "loose_post", mode, left) > 0
    }

    /// Returns the token before which a value ends: a punctuation mark, the start of another clause, or the token at
    /// the maximum length.
    fn value_stop(&self, from: usize, to: usize) -> usize {
        let stops = |at: usize| {
            let class = self.grammar.class(self.norm(at));
            self.tokens[at].sort == crate::token::Sort::Mark && !self.tokens[at].is_mark("'\"-")
                || class.has(Class::SUBORDINATOR.or(Class::RELATIVE)) && !class.has(Class::PREPOSITION)
                || self.norm(at) == "but"
        };
        (from + 1..to.min(from + LONGEST)).find(|at| stops(*at)).unwrap_or(to.min(from + LONGEST))
    }

    /// Proposes a value, if no fact with the same words was read. Returns 1 if a fact was recorded, and otherwise 0.
    #[allow(clippy::too_many_arguments)]
    pub(crate) fn offer(
        &mut self,
        name: &str,
        subjects: &[Ref],
        from: usize,
        to: usize,
        mark: &'static str,
        mode: &Mode,
        left: usize,
    ) -> usize {
        let Some(target) = self.target(name).filter(|_| left > 0 && from < to) else { return 0 };
        let value = self.said(from, to);
        let span = self.span(from, to.saturating_sub(1));
        let before = self.facts.len();
        for subject in subjects.iter().take(2) {
            let said = self.facts.iter().any(|fact| {
                fact.subject == subject.who
                    && matches!(&fact.object, Said::Value(other) if other.contains(value.as_str()) || value.contains(other.as_str()))
            });
            if !said {
                self.state(target, subject, Err(value.clone()), "", &["loose", mark], mode, span);
            }
        }
        usize::from(self.facts.len() > before)
    }

    /// Proposes attributes from notes beside a name: "Odo: forty, bad leg, guild rat".
    pub(crate) fn notes(&mut self) {
        let mode = self.whole(false);
        if mode.dead
            || self.clauses.iter().any(|clause| {
                let vg = &self.groups.vgs[clause.vg];
                !vg.silent && vg.form != VerbForm::Ing
            })
        {
            return;
        }
        let (subjects, mut token) = match self.groups.items.first().copied() {
            Some(Item::Np(first)) if self.groups.nps[first].name.is_some() => {
                (self.resolve(first, &[]), self.groups.nps[first].end)
            }
            // Notes without a name describe the person mentioned last: "Polite, greedy."
            _ if self.names.is_empty() && self.tokens.len() < LONGEST => {
                let last = self.memory.last_person();
                let last = last.map(|who| Ref { who, mark: Some("far_pronoun"), second: None });
                (last.into_iter().collect(), 0)
            }
            _ => return,
        };
        let mut left = MOST;
        let last = self.tokens.len();
        while token < last && left > 0 && !subjects.is_empty() {
            if !self.tokens[token].is_word() {
                token += 1;
                continue;
            }
            let end = self.value_stop(token, last);
            left -= self.complement(&subjects, token, end, &mode, left);
            token = end.max(token + 1);
        }
    }
}
