//! Reads fields as in notes and gazetteers: "Reward: 80 silver", "Motto of the Knives: …", "Ashby (population 412)".
//! Also reads goals in sentences such as "What Odo wants is to …".

use crate::{
    grammar::{Class, is_silent},
    kinds::Kinds,
    mentions::{Who, be_form, is_pronoun},
    mode::Mode,
    parse::VerbForm,
    read::{Read, Reader, Ref},
    token::Sort,
};

/// A label must end within this number of tokens.
const LABEL: usize = 14;

/// Maximum number of tokens in brackets that are read.
const BRACKETS: usize = 16;

impl Reader<'_> {
    /// Records the facts of all fields in a sentence.
    pub(crate) fn fields(&mut self) {
        let mode = self.whole(false);
        if mode.dead {
            return;
        }
        self.led_by_label(&mode);
        self.led_by_noun(&mode);
        self.in_brackets(&mode);
        self.dated(&mode);
        self.nicknamed(&mode);
        self.pronouns_used(&mode);
        self.task(&mode);
        self.wished(&mode);
    }

    /// Returns the target of a label, if it fits the kind of one of the owners. A target is an index into
    /// `Grammar::targets`.
    fn field(&self, label: &str, owners: &[Ref]) -> Option<usize> {
        let targets = self.grammar.labels.get(label)?;
        let fits = |target: &&usize| {
            let kinds = self.grammar.targets[**target].subject;
            owners.iter().any(|owner| self.kinds(owner.who).meets(kinds))
        };
        targets.iter().find(fits).copied()
    }

    /// Records the value of a field, unless a clause of the sentence already gave a value.
    fn fill(&mut self, target: usize, owners: &[Ref], from: usize, to: usize, mark: &'static str, mode: &Mode) {
        let known = |fact: &Read| fact.target == target && !fact.marks.is_loose();
        if from >= to || self.facts.iter().any(known) {
            return;
        }
        let (value, span) = (self.said(from, to), self.span(from, to - 1));
        for owner in owners {
            self.state(target, owner, Err(value.clone()), "", &["field", mark], mode, span);
        }
    }

    /// Returns the token after the last word of the sentence.
    fn last_word(&self) -> usize {
        let ends = |at: &usize| !self.tokens[*at].is_mark(".!;");
        (0..self.tokens.len()).rev().find(ends).map_or(0, |at| at + 1)
    }

    /// Records the value after a label: "Reward: 80 silver", "Ranks of the Dockers, lowest to highest: …".
    fn led_by_label(&mut self, mode: &Mode) {
        let colon = (1..self.tokens.len().min(LABEL)).find(|at| self.tokens[*at].is_mark(":="));
        let Some(colon) = colon else { return };
        let acts = self.groups.vgs.iter().any(|vg| {
            vg.start < colon
                && !vg.silent
                && vg.lemma != "read"
                && vg.lemma != "run"
                && !self.grammar.labels.contains_key(self.norm(vg.head))
                && vg.form == VerbForm::Finite
        });
        let label = (0..colon).find(|at| !self.is_named(*at) && self.grammar.labels.contains_key(self.norm(*at)));
        let Some(label) = label.filter(|_| !acts) else { return };
        let word = self.norm(label).to_owned();
        // Only the owner, articles and possessives may precede the label.
        let open = |at: usize| {
            self.is_named(at) || is_silent(self.norm(at)) || matches!(self.norm(at), "'s" | "'") || at + 1 == label
        };
        if !(0..label).all(open) {
            return;
        }
        let np = self.groups.nps.iter().position(|np| np.start <= label && label < np.end);
        let mut owners = match np {
            Some(np) => {
                let item = self.item_of(np);
                self.owners(np, item, &["of", "for"])
            }
            None => Vec::new(),
        };
        if owners.is_empty() && matches!(self.norm(label + 1), "of" | "for" | "in") {
            let the = usize::from(is_silent(self.norm(label + 2)));
            let name = self.names.iter().find(|name| name.start == label + 2 + the && name.end <= colon);
            owners.extend(name.map(|name| Ref::plain(name.who)));
        }
        if owners.is_empty() && !self.names.iter().any(|name| name.end <= colon) {
            owners = self.spoken_of(|kinds| {
                self.grammar.labels[&word].iter().any(|target| kinds.meets(self.grammar.targets[*target].subject))
            });
        }
        let Some(target) = self.field(&word, &owners) else { return };
        let mark = if owners.iter().any(|owner| owner.mark == Some("spoken_of")) { "by_topic" } else { "by_label" };
        self.fill(target, &owners, colon + 1, self.last_word(), mark, mode);
    }

    /// Records the relation between a named entity and the topic of the text: "Client: June Okoro", "Owner: Odo".
    fn led_by_noun(&mut self, mode: &Mode) {
        let noun = self.singular(self.norm(0));
        let Some(name) = self.names.iter().find(|name| name.start <= 3 && name.start > 1).copied() else { return };
        let colon = self.tokens.get(1).is_some_and(|mark| mark.is_mark(":")) && self.norm(name.start - 1) != "'s";
        if !colon || self.clauses.iter().any(|clause| !self.groups.vgs[clause.vg].silent) {
            return;
        }
        let named = Ref::plain(name.who);
        let span = self.span(0, name.end - 1);
        for (words, pattern) in
            self.grammar.nouns.get(&noun).into_iter().flatten().filter(|(words, _)| words.len() == 1)
        {
            let (low, high) =
                (self.grammar.targets[pattern.target].subject, self.grammar.targets[pattern.target].object);
            let owners = self.spoken_of(|kinds| kinds.meets(if pattern.back { low } else { high }));
            let Some(owner) = owners.first().copied() else { continue };
            let (a, b) = if pattern.back { (owner, named) } else { (named, owner) };
            let before = self.facts.len();
            let relation = format!("{} of", words[0]);
            self.state(pattern.target, &a, Ok(&b), &relation, &["field", "by_topic"], mode, span);
            if self.facts.len() > before {
                return;
            }
        }
    }

    /// Returns the topic of the text so far, if its kind fits. Otherwise returns an empty list.
    pub(crate) fn spoken_of(&self, fits: impl Fn(Kinds) -> bool) -> Vec<Ref> {
        let who: Option<Who> = self.memory.about(fits);
        who.map(|who| Ref { who, mark: Some("spoken_of"), second: None }).into_iter().collect()
    }

    /// Records the fields in brackets after a name: "Ashby (population 412, motto: “Wade”)".
    fn in_brackets(&mut self, mode: &Mode) {
        for index in 0..self.names.len() {
            let name = self.names[index];
            if !self.tokens.get(name.end).is_some_and(|open| open.is_mark("(")) {
                continue;
            }
            let close = (name.end + 1..self.tokens.len()).take(BRACKETS).find(|at| self.tokens[*at].is_mark(")"));
            let Some(close) = close else { continue };
            let owner = Ref::plain(name.who);
            let mut from = name.end + 1;
            while from < close {
                let end = (from..close).find(|at| self.tokens[*at].is_mark(",;")).unwrap_or(close);
                let skipped = usize::from(matches!(self.norm(from + 1), ":" | "of" | "is" | "."));
                if let Some(target) = self.field(self.norm(from), &[owner]) {
                    self.fill(target, &[owner], from + 1 + skipped, end, "by_bracket", mode);
                } else if self.is_dated(from, end)
                    && let Some(date) = self.target("date")
                {
                    self.fill(date, &[owner], from, end, "by_bracket", mode);
                }
                from = end + 1;
            }
        }
    }

    /// Records the pronouns in brackets after a name, as in "Vasht (they/them)". Each entry of `found` contains the
    /// token before the bracket and the byte range of the pronouns.
    pub(crate) fn pronouns(&mut self, found: &[(usize, hearsay_model::Span)]) {
        let mode = self.whole(false);
        let Some(pronouns) = self.target("pronouns").filter(|_| !mode.dead) else { return };
        for (place, span) in found {
            let name = self.names.iter().find(|name| name.end == place + 1).copied();
            let said = self.text.get(span.start..span.end).map(str::to_owned);
            if let (Some(name), Some(said)) = (name, said) {
                let owner = Ref::plain(name.who);
                self.state(pronouns, &owner, Err(said), "", &["field", "by_bracket"], &mode, *span);
            }
        }
    }

    /// Returns whether a word can be part of a date.
    pub(crate) fn is_of_calendar(&self, word: &str) -> bool {
        let words = " of the in on at early late mid year years day days night evening morning spring summer autumn fall winter month \
            th st nd rd ad bc ce bce c circa about around first second third , ";
        words.contains(&format!(" {word} ")) || self.grammar.class(word).has(Class::MONTH)
    }

    /// Returns whether a value contains an expression of time.
    pub(crate) fn tells_when(&self, value: &str) -> bool {
        let mut words = value.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        words.any(|word| {
            let word = word.to_lowercase();
            let season =
                ["spring", "summer", "autumn", "fall", "winter", "night", "year", "day", "morning", "century", "age"];
            word.starts_with(|c: char| c.is_ascii_digit())
                || season.contains(&word.as_str())
                || self.grammar.class(&word).has(Class::MONTH.or(Class::NUMBER))
        })
    }

    /// Records an alias after a name: "Odo, alias the Hook, …", "Odo “Hook” Brandt".
    fn nicknamed(&mut self, mode: &Mode) {
        let Some(alias) = self.target("alias") else { return };
        for index in 0..self.names.len() {
            let name = self.names[index];
            let owner = Ref::plain(name.who);
            let quoted = matches!(self.tokens.get(name.end).map(|token| token.sort), Some(Sort::Quote(_)));
            if quoted && name.end + 1 < self.tokens.len() && self.tokens[name.end + 1].capital {
                self.fill(alias, &[owner], name.end, name.end + 1, "by_bracket", mode);
                continue;
            }
            let opens = self.tokens.get(name.end).is_some_and(|mark| mark.is_mark(",("));
            let words = matches!(self.norm(name.end + 1), "alias" | "aka" | "nicknamed" | "dubbed");
            let stops = |at: &usize| self.tokens[*at].is_mark(",.;)(");
            let from = name.end + 2 + usize::from(is_silent(self.norm(name.end + 2)));
            let end = (from..self.tokens.len().min(from + 6)).find(stops).unwrap_or(from);
            if opens && words && end > from {
                self.fill(alias, &[owner], from, end, "by_bracket", mode);
            }
        }
    }

    /// Records pronouns with a slash, as in "uses they/them".
    fn pronouns_used(&mut self, mode: &Mode) {
        let slash = (1..self.tokens.len().saturating_sub(1))
            .find(|at| self.tokens[*at].is_mark("/") && is_pronoun(self.norm(at - 1)) && is_pronoun(self.norm(at + 1)));
        let (Some(slash), Some(target)) = (slash, self.target("pronouns")) else { return };
        let person = self.names.iter().find(|name| self.kinds(name.who) == Kinds::PERSON).copied();
        let owners = match person {
            Some(name) => vec![Ref::plain(name.who)],
            None => self.spoken_of(|kinds| kinds == Kinds::PERSON),
        };
        self.fill(target, &owners, slash - 1, slash + 2, "by_bracket", mode);
    }

    /// Records a date after a name: "The Mill Fire, on 3 November 1911, …".
    fn dated(&mut self, mode: &Mode) {
        let Some(date) = self.target("date") else { return };
        for index in 0..self.names.len() {
            let name = self.names[index];
            if !self.tokens.get(name.end).is_some_and(|mark| mark.is_mark(",\u{2014}")) {
                continue;
            }
            let from = name.end + 1 + usize::from(matches!(self.norm(name.end + 1), "on" | "in" | "of"));
            let stops = |at: &usize| self.tokens[*at].is_mark(",.;\u{2014}");
            let end = (from..self.tokens.len().min(from + 8)).find(stops).unwrap_or(from);
            if end > from && self.is_dated(from, end) {
                let owner = Ref::plain(name.who);
                self.fill(date, &[owner], from, end, "by_bracket", mode);
            }
        }
    }

    /// Returns whether the tokens form a date, such as a year or a day, and contain no other words.
    fn is_dated(&self, from: usize, to: usize) -> bool {
        let number =
            |at: usize| self.tokens[at].sort == Sort::Number || self.norm(at).starts_with(|c: char| c.is_ascii_digit());
        (from..to).any(number) && (from..to).all(|at| number(at) || self.is_of_calendar(self.norm(at)))
    }

    /// Records the objective after the name of a quest: "Dead Air: find out why the relay went silent".
    fn task(&mut self, mode: &Mode) {
        let Some(first) = self.names.first().copied().filter(|name| name.start < 2) else { return };
        let begins = first.end + 1;
        let quest = self.kinds(first.who) == Kinds::QUEST;
        let forms = self.grammar.forms.get(self.norm(begins));
        let told = forms.is_some_and(|forms| forms.iter().any(|(_, form)| form.has(crate::verbs::Form::BASE)));
        if quest
            && told
            && self.tokens.get(first.end).is_some_and(|mark| mark.is_mark(":\u{2014}"))
            && let Some(target) = self.target("objectives")
        {
            let owner = Ref::plain(first.who);
            self.fill(target, &[owner], begins, self.last_word(), "by_label", mode);
        }
    }

    /// Records a goal: "What Odo wants more than anything is to buy the barge", "All she asks is to be left alone".
    fn wished(&mut self, mode: &Mode) {
        let leads = matches!(self.norm(0), "what" | "all")
            || (self.norm(0) == "the" && matches!(self.norm(2), "thing" | "wish"));
        let Some(goals) = self.target("goals").filter(|_| leads) else { return };
        let aims = |lemma: &str| {
            matches!(lemma, "want" | "hope" | "wish" | "desire" | "dream" | "long" | "seek" | "ask" | "live" | "aim")
        };
        let wish = self.clauses.iter().position(|clause| aims(&self.groups.vgs[clause.vg].lemma));
        let Some(wish) = wish else { return };
        let from = self.vg(wish).end;
        let is =
            (from..self.tokens.len()).find(|at| self.norm(*at) == "to" && be_form(self.norm(at.saturating_sub(1))));
        let Some(is) = is else { return };
        let subjects = self.clauses[wish].subjects.clone();
        let subjects = self.subjects(&subjects);
        self.fill(goals, &subjects, is + 1, self.last_word(), "by_aim", mode);
    }
}
