//! Extracts the facts of one clause from its verb or from the words after "is".

use hearsay_model::Span;

use crate::{
    being::Saying,
    clauses::{Clause, From},
    mode::Mode,
    parse::{Item, VerbForm},
    read::{Reader, Ref},
    verbs::Form,
};

impl Reader<'_> {
    pub(crate) fn clause(&mut self, at: usize, mode: &Mode) {
        if mode.dead {
            // A plan or a question states no fact, but its names still count as mentioned.
            return;
        }
        let clause = self.clauses[at].clone();
        let vg = self.vg(at).clone();
        let mut subjects = self.subjects(&clause.subjects);
        if vg.silent && clause.subjects.is_empty() {
            // In "In foul mood.", the subject is the person who was mentioned last.
            let last = self.memory.last_person();
            subjects.extend(last.map(|who| Ref { who, mark: Some("far_pronoun"), second: None }));
        }
        // A note can begin with a participle: "Given by Odo.", "Owned by Odo."
        let mut given = false;
        if subjects.is_empty() && self.leaves_out_subject(&clause) {
            let forms = self.grammar.forms.get(self.norm(vg.head));
            given = vg.form != VerbForm::Ing
                && forms.is_some_and(|forms| forms.iter().any(|(_, form)| form.has(Form::PARTICIPLE)))
                && (vg.end..vg.end + 2).any(|at| self.norm(at) == "by");
            // In "Works for Odo." and "Given by Odo.", the subject is the topic of the text.
            subjects.extend(self.spoken_of(|_| true));
        }
        let mut marks: Vec<&'static str> = Vec::new();
        if vg.silent || clause.from == From::Nobody {
            marks.push("telegraph");
        }
        if subjects.len() > 1 {
            marks.push("list");
        }
        // A subject that is not directly before its verb is more often the wrong one.
        marks.extend(match clause.from {
            From::Shared => Some("shared"),
            From::Antecedent => Some("relative"),
            From::Inverted => Some("inverted"),
            From::Control => Some("control"),
            From::Direct | From::Nobody => None,
        });
        let saying = Saying { at, subjects: &subjects, mode, marks: &marks };
        if self.likewise(saying) {
            return;
        }
        let owned_subject = clause.subjects.first().copied();
        let is_copula = vg.copula || (self.grammar.sort(&vg.lemma).seeming && !vg.passive);
        let mut found = false;
        if is_copula || vg.passive || given {
            let fronted = clause.rest.0 < clause.verb;
            let from = match fronted {
                true => self.start_of(clause.rest.0),
                false if vg.passive || given => vg.head,
                false => vg.end,
            };
            found |= self.after_is(saying, from, owned_subject);
        }
        if (!found || vg.passive) && !vg.copula {
            found |= self.verb(saying);
        }
        let has_got = vg.lemma == "get" && vg.perfect;
        if !found && (has_got || matches!(vg.lemma.as_str(), "have" | "count" | "number" | "hold" | "boast" | "house"))
        {
            found |= self.having(saying);
        }
        // Example: "lies unconscious in the cellar"
        let condition = self.target("condition");
        let lies = matches!(vg.lemma.as_str(), "lie" | "lay" | "sit" | "stand" | "sleep");
        if lies
            && self
                .grammar
                .attributes_of(self.norm(vg.end))
                .first()
                .is_some_and(|(target, _)| Some(*target) == condition)
        {
            found |= self.adjective(saying, vg.end).is_some();
        }
        if !found && self.aiming(saying) {
            return;
        }
        found |= self.dwelling(saying, &clause);
        // Example: "Dross wounded."
        if !found && !vg.copula && !vg.negated {
            let word = self.norm(vg.head).to_owned();
            let vg_item = clause.verb;
            let alone = self.syntax.np(vg_item + 1).is_none()
                && (clause.rest.0 >= clause.rest.1
                    || self.syntax.word(clause.rest.0) == ","
                    || self.syntax.word(clause.rest.0) == "and");
            let entry = Some(self.grammar.attributes_of(&word));
            if let Some((target, _)) = entry
                .and_then(|entries| entries.first().copied())
                .filter(|(target, _)| self.grammar.targets[*target].predicate == *"condition")
                .filter(|_| alone && (vg.past || vg.form != VerbForm::Finite) && !vg.progressive)
            {
                let marks = [&marks[..], &["telegraph"]].concat();
                let span = self.clause_span(at, vg.end);
                for subject in &subjects {
                    self.state(target, subject, Err(word.clone()), "", &marks, mode, span);
                }
                found = true;
            }
        }
        if !found && !vg.copula && !mode.would && !mode.can && !vg.silent {
            self.fallback(saying);
        }
    }

    /// Returns whether a clause opens a sentence that has no subject at all, as in "Works for Odo."
    fn leaves_out_subject(&self, clause: &Clause) -> bool {
        let vg = &self.groups.vgs[clause.vg];
        let first = (0..clause.verb).all(|item| self.is_skippable(item));
        let stated = !vg.base
            && self.norm(vg.head) != "be"
            && vg.modal.is_none()
            && vg.form != VerbForm::Infinitive
            && !vg.silent;
        let alone = self.clauses.iter().all(|other| other.subjects.is_empty());
        first && stated && alone && clause.subjects.is_empty() && !self.asks()
    }

    /// Records a population: "Some three hundred people live in Gullhaven."
    fn dwelling(&mut self, saying: Saying<'_>, clause: &Clause) -> bool {
        let Saying { at, mode, marks, .. } = saying;
        let [np] = clause.subjects[..] else { return false };
        let group = self.groups.nps[np].clone();
        let dwells = matches!(self.vg(at).lemma.as_str(), "live" | "dwell" | "reside" | "inhabit" | "call");
        let counts = (group.start..group.end).any(|token| self.is_number(self.norm(token)));
        let Some(population) = self.target("population").filter(|_| dwells && counts && group.name.is_none()) else {
            return false;
        };
        let item = (clause.rest.0..clause.rest.1).find(|item| self.syntax.np(*item).is_some());
        let Some(place) = item.and_then(|item| self.syntax.np(item)) else { return false };
        let places = self.resolve(place, &[]);
        let (value, span) = (self.said(group.start, group.end), self.clause_span(at, self.groups.nps[place].end));
        let before = self.facts.len();
        for place in &places {
            self.state(population, place, Err(value.clone()), "", marks, mode, span);
        }
        self.facts.len() > before
    }

    pub(crate) fn subjects(&mut self, nps: &[usize]) -> Vec<Ref> {
        self.resolve_all(nps, &[])
    }

    pub(crate) fn clause_span(&self, at: usize, end: usize) -> Span {
        let clause = &self.clauses[at];
        let vg = self.vg(at);
        let first = clause.subjects.iter().map(|np| self.groups.nps[*np].start).min().unwrap_or(vg.start).min(vg.start);
        self.span(first, end.saturating_sub(1).max(vg.end.saturating_sub(1)))
    }

    /// Returns the token after an item.
    pub(crate) fn end_of(&self, item: usize) -> usize {
        match self.groups.items.get(item) {
            Some(Item::Np(np)) => self.groups.nps[*np].end,
            Some(Item::Vg(vg)) => self.groups.vgs[*vg].end,
            Some(Item::Tok(at)) => at + 1,
            None => self.tokens.len(),
        }
    }

    pub(crate) fn start_of(&self, item: usize) -> usize {
        match self.groups.items.get(item) {
            Some(Item::Np(np)) => self.groups.nps[*np].start,
            Some(Item::Vg(vg)) => self.groups.vgs[*vg].start,
            Some(Item::Tok(at)) => *at,
            None => self.tokens.len(),
        }
    }

    /// Returns the first token of a noun group after its article or possessive pronoun.
    pub(crate) fn content_of(&self, item: usize) -> usize {
        match self.groups.items.get(item) {
            Some(Item::Np(np)) => {
                let group = &self.groups.nps[*np];
                match group.article {
                    Some(article) if matches!(self.norm(article), "a" | "an" | "the" | "this" | "that" | "these") => {
                        article + 1
                    }
                    _ if group.owner.is_some()
                        && !group.by_name
                        && self.groups.nps[group.owner.unwrap_or_default()].pronoun =>
                    {
                        group.content
                    }
                    _ => group.start,
                }
            }
            _ => self.start_of(item),
        }
    }

    /// Returns the token after a value that begins at an item. The value is a noun group with its prepositional
    /// phrases.
    pub(crate) fn value_end(&self, item: usize, to: usize) -> usize {
        let mut end = item + 1;
        while end + 1 < to
            && self.syntax.is_preposition(end)
            && self.syntax.np(end + 1).is_some()
            && matches!(
                self.syntax.word(end),
                "of" | "on"
                    | "over"
                    | "across"
                    | "in"
                    | "with"
                    | "from"
                    | "under"
                    | "around"
                    | "down"
                    | "between"
                    | "at"
                    | "for"
                    | "to"
            )
        {
            end += 2;
        }
        self.end_of(end - 1)
    }
}
