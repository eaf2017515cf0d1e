//! Extracts facts from verbs and their objects, such as "fought in the siege beside Odo".

use crate::{
    being::Saying,
    clauses::{Bond, From},
    grammar::{Part, Pattern, is_silent},
    mentions::Who,
    parse::VerbForm,
    patterns::Hit,
    read::{Marks, Read, Reader, Ref},
};

impl Reader<'_> {
    /// Records the facts that a verb and its objects state: usually at most one relation and one attribute. Returns
    /// whether the verb was read.
    pub(crate) fn verb(&mut self, saying: Saying<'_>) -> bool {
        let Saying { at, mode, .. } = saying;
        let vg = self.vg(at).clone();
        let grammar = self.grammar;
        let patterns = grammar.verbs.get(&vg.lemma).map_or(&[][..], Vec::as_slice);
        if self.mutual(saying, patterns) || self.calling(saying) || self.knowing(saying) {
            return true;
        }
        // In "reports to the inspector that …", the verb introduces reported speech, so most patterns do not apply.
        let says = grammar.sort(&vg.lemma).speech
            && self.clauses.iter().any(|other| other.parent == Some(at) && *other.bond() == Bond::Complement);
        let (mut relation, mut attribute) = (false, self.losing(saying));
        // The words directly after the verb are tried first. Later words may state another relation: "fought in the
        // siege beside Odo".
        let mut taken: Vec<usize> = Vec::new();
        let each = [false, true].into_iter().flat_map(|far| patterns.iter().map(move |pattern| (far, pattern)));
        for (far, pattern) in each {
            let target = &grammar.targets[pattern.target];
            let is_relation = target.predicate.is_relation();
            let leads = matches!(&pattern.parts[..], [Part::Word(_), Part::Object]);
            let another = is_relation && !vg.passive && far && leads && !pattern.weak;
            // In "bought the boat off him", the direct object (the boat) may give a second relation.
            let itself = !far && pattern.parts == [Part::Object];
            let another = another || (is_relation && !vg.passive && !pattern.weak && itself);
            let done = if is_relation { relation && !another } else { attribute };
            let would = mode.would && !matches!(target.predicate.as_str(), "LIKES" | "TRUSTS" | "WANTS");
            if done || would || (says && !(target.predicate == *"PROMISED" && self.pledges(at))) {
                continue;
            }
            let wants_not = pattern.parts.first() == Some(&Part::Word("not".into()));
            if (wants_not && !vg.negated) || (mode.can && !pattern.words.starts_with("can not")) {
                continue;
            }
            let parts = if wants_not { &pattern.parts[1..] } else { &pattern.parts[..] };
            let before = self.facts.len();
            if vg.passive {
                if far {
                    continue;
                }
                self.passive(saying, pattern, parts);
            } else {
                let mut mode = mode.clone();
                mode.denied &= !wants_not;
                if let Some(hit) =
                    self.hit(at, parts, far).filter(|hit| !hit.object.is_some_and(|at| taken.contains(&at)))
                {
                    self.active(Saying { mode: &mode, ..saying }, pattern, parts, hit);
                    if self.facts.len() > before {
                        taken.extend(hit.object);
                        taken.extend(hit.second);
                    }
                }
            }
            if self.facts.len() > before {
                relation |= is_relation;
                attribute |= !is_relation;
            }
        }
        if relation {
            self.as_what(saying);
        }
        relation || attribute || self.gapped(saying, patterns)
    }

    /// Records the occupation after "as", as in "joined the guild as its scribe" or "hired him as a spy".
    fn as_what(&mut self, saying: Saying<'_>) {
        let Saying { at, mode, marks, .. } = saying;
        let (from, to) = self.clauses[at].rest;
        let Some(item) = (from..to).find(|item| self.syntax.word(*item) == "as") else { return };
        let Some(np) = self.syntax.np(item + 1).filter(|np| self.groups.nps[*np].name.is_none()) else { return };
        let noun = self.singular(self.norm(self.groups.nps[np].head));
        let Some(occupation) = self.target("occupation") else { return };
        if !self.kinds_of_noun(&noun).iter().any(|(target, _)| *target == occupation) {
            return;
        }
        let serves = |fact: &&Read| {
            let name = self.grammar.targets[fact.target].predicate.as_str();
            matches!(name, "EMPLOYED_BY" | "MEMBER_OF") && !fact.denied && !fact.marks.is_loose()
        };
        let Some(who) = self.facts.iter().rev().find(serves).map(|fact| fact.subject) else { return };
        let (value, end) = (self.said(self.content_of(item + 1), self.groups.nps[np].end), self.groups.nps[np].end);
        let subject = Ref::plain(who);
        let span = self.clause_span(at, end);
        self.state(occupation, &subject, Err(value), "", &[marks, &["strong", "by_kind"]].concat(), mode, span);
    }

    /// Returns whether the reported clause is about the future: true for "swore to her that he would come", false for
    /// "swore that he had seen it". Also true if the verb has no reported clause.
    fn pledges(&self, at: usize) -> bool {
        let said = self.clauses.iter().find(|other| other.parent == Some(at) && *other.bond() == Bond::Complement);
        said.is_none_or(|said| self.groups.vgs[said.vg].modal.is_some() || self.groups.vgs[said.vg].going_to)
    }

    /// Returns the end of the items that a pattern of the verb may match. In "would do anything to get the ledger", the
    /// pattern continues in the dependent clause.
    fn reach(&self, at: usize, parts: &[Part]) -> usize {
        let goes_on = parts.contains(&Part::Word("to".into()));
        let next = self.clauses.get(at + 1).filter(|next| goes_on && next.parent == Some(at)).map(|next| next.rest.1);
        next.unwrap_or(self.clauses[at].rest.1)
    }

    fn hit(&self, at: usize, parts: &[Part], far: bool) -> Option<Hit> {
        self.matched(parts, self.clauses[at].rest.0, self.reach(at, parts), far)
    }

    fn active(&mut self, saying: Saying<'_>, pattern: &Pattern, parts: &[Part], hit: Hit) {
        let Saying { at, subjects, mode, marks } = saying;
        let vg = self.vg(at).clone();
        let to = self.reach(at, parts);
        let target = self.grammar.targets[pattern.target].clone();
        let whos: Vec<Who> = subjects.iter().map(|subject| subject.who).collect();
        let mut marks = pattern.marked(marks);
        marks.push("by_verb");
        if hit.skipped {
            marks.push("far_object");
        }
        if let Some(value) = &pattern.value {
            // "is dying" does not mean "is dead", so an ongoing action gives no state.
            if vg.progressive || vg.form == VerbForm::Ing {
                return;
            }
            // In "burned down the inn", the state belongs to the object (the inn), not to the subject.
            if parts.iter().all(|part| matches!(part, Part::Word(_)))
                && hit.end < to
                && self.syntax.np(hit.end).is_some_and(|np| !self.is_span_of_time(np))
            {
                let (list, _) = self.syntax.list(hit.end, to);
                let whos: Vec<Who> = subjects.iter().map(|subject| subject.who).collect();
                let span = self.clause_span(at, self.end_of(hit.end));
                for object in self.resolve_all(&list, &whos) {
                    if self.kinds(object.who).meets(pattern.kinds) && value != "dead" {
                        self.state(pattern.target, &object, Err(value.clone()), "", &marks, mode, span);
                    }
                }
                return;
            }
            let span = self.clause_span(at, self.start_of(hit.end).max(vg.end));
            for subject in subjects
                .iter()
                .filter(|subject| self.kinds(subject.who).meets(pattern.kinds))
                .copied()
                .collect::<Vec<_>>()
            {
                self.state(pattern.target, &subject, Err(value.clone()), "", &marks, mode, span);
            }
            return;
        }
        if !target.predicate.is_relation() {
            match hit.second.filter(|second| *second < self.groups.items.len()) {
                // Example: "valued the blade at sixty cows"
                Some(second) => {
                    let valued = self.objects(&Hit { second: None, ..hit }, to, &whos, pattern);
                    let hit = Hit { object: Some(second), second: None, ..hit };
                    self.value(Saying { subjects: &valued, marks: &marks, ..saying }, pattern, &hit);
                }
                None => {
                    self.value(Saying { marks: &marks, ..saying }, pattern, &hit);
                }
            }
            return;
        }
        let objects = self.objects(&hit, to, &whos, pattern);
        if let Some(second) = hit.second.filter(|second| *second < self.groups.items.len()) {
            // In "met Odo at the mill", both ends of the relation follow the verb.
            let ends = self.objects(&Hit { object: Some(second), second: None, ..hit }, to, &whos, pattern);
            let span = self.clause_span(at, self.end_of(second));
            for first in &objects {
                for end in &ends {
                    let (first, end) = if pattern.back { (end, first) } else { (first, end) };
                    self.state(pattern.target, first, Ok(end), &pattern.words, &marks, mode, span);
                }
            }
            return;
        }
        let span = self.clause_span(at, hit.object.map_or(vg.end, |item| self.end_of(item)));
        for object in &objects {
            let mut marks = marks.clone();
            if !pattern.kinds.is_any() && self.kinds(object.who).is_any() {
                marks.push("kind_open");
            }
            for subject in subjects {
                let (a, b) = if pattern.back { (object, subject) } else { (subject, object) };
                self.state(pattern.target, a, Ok(b), &pattern.words, &marks, mode, span);
            }
        }
    }

    /// Returns whether a noun group is an expression of time, as in "died last winter" or "two days ago".
    fn is_span_of_time(&self, np: usize) -> bool {
        let group = &self.groups.nps[np];
        let word = self.norm(group.head);
        let times = "day days night nights week weeks month months year years winter winters summer summers spring autumn \
                     morning evening hour hours minute minutes moment time yesterday today tonight ago";
        group.name.is_none() && times.split_whitespace().any(|time| time == word)
    }

    /// Records an alias from a clause such as "everybody calls her Lady Luck".
    fn calling(&mut self, saying: Saying<'_>) -> bool {
        let Saying { at, mode, marks, .. } = saying;
        let vg = self.vg(at).clone();
        let (from, to) = self.clauses[at].rest;
        if vg.passive || !matches!(vg.lemma.as_str(), "call" | "nickname" | "dub" | "name") {
            return false;
        }
        // In "calls her Lady Luck", the parser reads "her Lady Luck" as a possession.
        if let Some(np) = self.syntax.np(from)
            && let Some(owner) = self.groups.nps[np].owner
            && self.groups.nps[owner].pronoun
            && self.tokens[self.groups.nps[np].content].capital
            && let Some(alias) = self.target("alias")
        {
            let refs = self.resolve(owner, &[]);
            let group = self.groups.nps[np].clone();
            let (value, span) = (self.said(group.content, group.end), self.clause_span(at, group.end));
            for subject in &refs {
                self.state(alias, subject, Err(value.clone()), "", marks, mode, span);
            }
            return !refs.is_empty();
        }
        let (Some(called), Some(name)) = (self.syntax.np(from), self.syntax.np(from + 1)) else { return false };
        let new = match self.groups.nps[name].name.map(|name| self.names[name].who) {
            Some(Who::Known(_)) => return false,
            Some(Who::New(_)) => true,
            None => self.tokens[self.groups.nps[name].head].capital,
        };
        let Some(alias) = self.target("alias").filter(|_| new) else { return false };
        let refs = self.resolve(called, &[]);
        let value = self.said(self.content_of(from + 1), self.value_end(from + 1, to));
        let span = self.clause_span(at, self.end_of(from + 1));
        for subject in &refs {
            self.state(alias, subject, Err(value.clone()), "", marks, mode, span);
        }
        !refs.is_empty()
    }

    /// Records a `KNOWS_ABOUT` relation from "knows where the ledger is" or "knows what happened to Odo".
    fn knowing(&mut self, saying: Saying<'_>) -> bool {
        let Saying { at, subjects, mode, marks } = saying;
        let lemma = self.vg(at).lemma.clone();
        let known = matches!(lemma.as_str(), "know" | "learn" | "discover" | "remember");
        let Some(target) = self.target("KNOWS_ABOUT").filter(|_| known) else { return false };
        let asks = |word: &str| matches!(word, "where" | "what" | "who" | "how" | "why");
        let Some(next) = self.clauses.get(at + 1).filter(|next| asks(self.syntax.word(next.start))).cloned() else {
            return false;
        };
        let whos: Vec<Who> = subjects.iter().map(|subject| subject.who).collect();
        let objects = self.resolve_all(&next.subjects, &whos);
        let span = self.clause_span(at, self.end_of(next.rest.1.saturating_sub(1)));
        let before = self.facts.len();
        for object in &objects {
            for subject in subjects {
                self.state(target, subject, Ok(object), &lemma, &[marks, &["by_asking"]].concat(), mode, span);
            }
        }
        self.facts.len() > before
    }

    /// Copies the facts of the previous clause to another subject, as in "Mirela does not own the Eel, Rusk does."
    pub(crate) fn likewise(&mut self, saying: Saying<'_>) -> bool {
        let Saying { at, subjects, mode, .. } = saying;
        let vg = self.vg(at).clone();
        let clause = self.clauses[at].clone();
        let bare = matches!(vg.lemma.as_str(), "do" | "be" | "have" | "will")
            && (clause.rest.0 >= clause.rest.1
                || matches!(self.syntax.word(clause.rest.0), "," | "." | "!" | "too" | "as" | "though" | "also" | ""))
            && self.syntax.np(clause.rest.0).is_none();
        let main = clause.bond == Bond::Main && clause.from == From::Direct;
        let Some(before) = at.checked_sub(1).filter(|_| bare && main && !subjects.is_empty()) else { return false };
        let others = self.clauses[before].subjects.clone();
        let others: Vec<Who> = self.resolve_all(&others, &[]).iter().map(|found| found.who).collect();
        let said: Vec<Read> = self
            .facts
            .iter()
            .filter(|fact| others.contains(&fact.subject) && !fact.marks.is_loose())
            .cloned()
            .collect();
        let mut stated = false;
        for fact in said {
            for subject in subjects.iter().filter(|subject| !others.contains(&subject.who)) {
                let span = self.clause_span(at, vg.end);
                let mut marks = fact.marks.names.clone();
                marks.push("likewise");
                marks.extend(subject.mark);
                let denied = vg.negated;
                self.facts.push(Read {
                    subject: subject.who,
                    marks: Marks { names: marks },
                    span,
                    denied,
                    by: mode.by,
                    ..fact.clone()
                });
                stated = true;
            }
        }
        stated
    }

    /// Records a goal from "wants to see the sea" or "dreams of leaving".
    pub(crate) fn aiming(&mut self, saying: Saying<'_>) -> bool {
        let Saying { at, subjects, mode, marks } = saying;
        let vg = self.vg(at).clone();
        let aims = matches!(
            vg.lemma.as_str(),
            "want" | "hope" | "wish" | "aim" | "dream" | "long" | "yearn" | "seek" | "aspire" | "strive"
        );
        let Some(goals) = self.target("goals").filter(|_| aims && !vg.passive && !vg.negated && !vg.progressive) else {
            return false;
        };
        let Some(next) = self.clauses.get(at + 1).filter(|next| next.parent == Some(at)).cloned() else { return false };
        let verb = &self.groups.vgs[next.vg];
        let direct = self.start_of(next.verb) <= vg.end + 2 && verb.form != VerbForm::Finite;
        if !direct {
            return false;
        }
        let from = if verb.form == VerbForm::Infinitive { verb.start + 1 } else { verb.start };
        let end = self.end_of(next.rest.1.saturating_sub(1)).max(verb.end);
        let (value, span) = (self.said(from, end), self.clause_span(at, end));
        let before = self.facts.len();
        for subject in subjects {
            self.state(goals, subject, Err(value.clone()), "", &[marks, &["by_aim"]].concat(), mode, span);
        }
        self.facts.len() > before
    }

    /// Records the appearance or condition in "lost an eye", "is missing two fingers" or "wears his hair long".
    fn losing(&mut self, saying: Saying<'_>) -> bool {
        let Saying { at, subjects, mode, marks } = saying;
        let vg = self.vg(at).clone();
        let (from, to) = self.clauses[at].rest;
        let part = self.syntax.np(from).filter(|np| {
            let group = &self.groups.nps[*np];
            let own = match group.owner {
                Some(owner) => self.groups.nps[owner].pronoun,
                // In "breaks the arm of one", the arm belongs to another person.
                None => self.norm(group.start) != "the" && self.norm(group.end) != "of",
            };
            let part = self.grammar.has.get(self.norm(group.head)).and_then(|entries| entries.first());
            let seen = part.is_some_and(|(target, _)| self.grammar.targets[*target].predicate == *"appearance");
            own && group.name.is_none() && seen
        });
        let losing = matches!(vg.lemma.as_str(), "lose" | "miss" | "lack" | "break" | "shave" | "dye") && !vg.passive;
        let own = self.syntax.np(from).is_some_and(|np| self.groups.nps[np].owner.is_some());
        // "keeps his hair short" describes a look, but "keeps his hand on his axe" describes an action.
        let put = vg.lemma == "keep" && self.syntax.is_preposition(from + 1);
        let wearing = matches!(vg.lemma.as_str(), "wear" | "keep") && !vg.passive && own && !put;
        let name = if vg.lemma == "break" { "condition" } else { "appearance" };
        let Some(appearance) = self.target(name).filter(|_| (losing || wearing) && part.is_some()) else {
            return false;
        };
        let end = if wearing { self.end_of(to.saturating_sub(1)) } else { self.value_end(from, to) };
        let first = if wearing { self.content_of(from) } else { vg.head };
        let (value, span) = (self.said(first, end), self.clause_span(at, end));
        let before = self.facts.len();
        for subject in subjects {
            self.state(appearance, subject, Err(value.clone()), "", &[marks, &["by_part"]].concat(), mode, span);
        }
        self.facts.len() > before
    }

    /// Records a mutual relation between two subjects: "hate each other", "trusted one another".
    fn mutual(&mut self, saying: Saying<'_>, patterns: &[Pattern]) -> bool {
        let Saying { at, subjects, mode, marks } = saying;
        let [a, b, ..] = subjects else { return false };
        let vg = self.vg(at).clone();
        let clause = self.clauses[at].clone();
        let (from, to) = (vg.end, (self.end_of(clause.rest.1.saturating_sub(1)).max(vg.end)).min(self.tokens.len()));
        let each = (from..to.saturating_sub(1)).find(|at| {
            matches!((self.norm(*at), self.norm(at + 1)), ("each", "other" | "others") | ("one", "another"))
        });
        let grammar = self.grammar;
        if let Some(each) = each {
            let between: Vec<String> =
                (from..each).map(|at| self.norm(at).to_owned()).filter(|word| !is_silent(word)).collect();
            for pattern in patterns {
                let words: Vec<&str> = pattern
                    .parts
                    .iter()
                    .filter_map(|part| if let Part::Word(word) = part { Some(word.as_str()) } else { None })
                    .filter(|word| *word != "not")
                    .collect();
                // Example: "can't stand each other"
                let wants_not = pattern.parts.first() == Some(&Part::Word("not".into()));
                let fits = self.kinds(b.who).meets(pattern.kinds)
                    && self.kinds(b.who).meets(grammar.targets[pattern.target].object);
                if !fits || (wants_not && !vg.negated) || (mode.can && !pattern.words.starts_with("can not")) {
                    continue;
                }
                let mut mode = mode.clone();
                mode.denied &= !wants_not;
                let mode = &mode;
                if words.iter().all(|word| between.iter().any(|other| other == word))
                    && words.len() >= between.len().min(1)
                {
                    let mutual = grammar.targets[pattern.target].mutual;
                    let span = self.clause_span(at, each + 2);
                    let (a, b) = (*a, *b);
                    self.state(pattern.target, &a, Ok(&b), &pattern.words, marks, mode, span);
                    if !mutual {
                        self.state(pattern.target, &b, Ok(&a), &pattern.words, marks, mode, span);
                    }
                    return true;
                }
            }
        }
        for pattern in grammar.together_verbs.get(&vg.lemma).into_iter().flatten() {
            // Example: "have never got along"
            let wants_not = pattern.parts.first() == Some(&Part::Word("not".into()));
            if wants_not && !vg.negated {
                continue;
            }
            let mut mode = mode.clone();
            mode.denied &= !wants_not;
            let mode = &mode;
            let parts = &pattern.parts[usize::from(wants_not)..];
            if let Some(hit) = self.matched(parts, clause.rest.0, clause.rest.1, false) {
                // Without an object, as in "Odo and Lyra married", the relation is between the two subjects.
                let object = (hit.end..clause.rest.1)
                    .find_map(|item| self.syntax.np(item))
                    .is_some_and(|np| self.groups.nps[np].name.is_some());
                let follows =
                    hit.end < clause.rest.1 && self.syntax.word(hit.end) != "," && !self.is_skippable(hit.end);
                let more = object || (parts.is_empty() && follows);
                if !more {
                    let span = self.clause_span(at, self.start_of(hit.end).max(vg.end));
                    let (a, b) = (*a, *b);
                    self.state(pattern.target, &a, Ok(&b), &pattern.words, marks, mode, span);
                    return true;
                }
            }
        }
        false
    }

    fn passive(&mut self, saying: Saying<'_>, pattern: &Pattern, parts: &[Part]) -> bool {
        let Saying { at, subjects, mode, marks } = saying;
        let clause = self.clauses[at].clone();
        let object_at = parts.iter().position(|part| *part == Part::Object);
        let mut marks = pattern.marked(marks);
        marks.push("by_passive");
        let whos: Vec<Who> = subjects.iter().map(|subject| subject.who).collect();
        if object_at == Some(0) && parts.iter().filter(|part| **part == Part::Object).count() == 2 {
            // Example: "was found at the mill"
            let Some(hit) = self.matched(&parts[1..], clause.rest.0, clause.rest.1, true) else { return false };
            let objects = self.objects(&hit, clause.rest.1, &whos, pattern);
            let span = self.clause_span(at, hit.object.map_or(0, |item| self.end_of(item)));
            let mut stated = false;
            for subject in subjects {
                for object in &objects {
                    self.state(pattern.target, subject, Ok(object), &pattern.words, &marks, mode, span);
                    stated = true;
                }
            }
            return stated;
        }
        if object_at != Some(0) {
            // In "was hired to work for", the object follows other words of the pattern, so it is not the subject of
            // the passive.
            return false;
        }
        let rest = self.matched(&parts[1..], clause.rest.0, clause.rest.1, false).map(|hit| hit.end);
        let Some(from) = rest else { return false };
        let Some(by) = (from..clause.rest.1).find(|item| self.syntax.word(*item) == "by") else { return false };
        let (list, _) = self.syntax.list(by + 1, clause.rest.1);
        let agents = self.resolve_all(&list, &whos);
        if !subjects.iter().any(|subject| self.kinds(subject.who).meets(pattern.kinds)) {
            return false;
        }
        let span = self.clause_span(at, self.end_of(by + 1));
        let target = self.grammar.targets[pattern.target].clone();
        let mut stated = false;
        for agent in &agents {
            for subject in subjects {
                let (a, b) = if pattern.back { (subject, agent) } else { (agent, subject) };
                if self.kinds(a.who).meets(target.subject) && self.kinds(b.who).meets(target.object) {
                    self.state(pattern.target, a, Ok(b), &pattern.words, &marks, mode, span);
                    stated = true;
                }
            }
        }
        stated
    }

    /// Records the value that follows a verb. Returns whether a fact was added.
    fn value(&mut self, saying: Saying<'_>, pattern: &Pattern, hit: &Hit) -> bool {
        let Saying { at, subjects, mode, marks } = saying;
        let clause = self.clauses[at].clone();
        let Some(item) = hit.object else { return false };
        let name = self.grammar.targets[pattern.target].predicate.as_str();
        let article = self.syntax.np(item).and_then(|np| self.groups.nps[np].article);
        if article.is_some_and(|at| self.norm(at) == "no") {
            return false;
        }
        // Example: "wears a veil and a dead man's watch"
        let (worn, _) = self.syntax.list(item, clause.rest.1);
        if name == "appearance" && worn.len() > 1 && hit.second.is_none() {
            let before = self.facts.len();
            for np in worn {
                let Some(item) = self.item_of(np) else { continue };
                let (from, to) = (self.content_of(item), self.value_end(item, clause.rest.1));
                let (value, span) = (self.said(from, to), self.clause_span(at, to));
                for subject in subjects {
                    self.state(pattern.target, subject, Err(value.clone()), "", marks, mode, span);
                }
            }
            return self.facts.len() > before;
        }
        let from = self.content_of(item);
        let to = self.value_end(item, clause.rest.1);
        let value = self.said(from, to);
        let span = self.clause_span(at, to);
        let known = self.syntax.np(item).and_then(|np| self.groups.nps[np].name).map(|name| self.names[name].who);
        if name == "alias" && matches!(known, Some(Who::Known(_))) {
            return false;
        }
        if name == "occupation" && known.is_some() {
            return false;
        }
        if name == "age" && !(from..to).any(|token| self.is_number(self.norm(token))) {
            return false;
        }
        let mut stated = false;
        for subject in subjects {
            let before = self.facts.len();
            self.state(pattern.target, subject, Err(value.clone()), "", marks, mode, span);
            stated |= self.facts.len() > before;
        }
        stated
    }

    pub(crate) fn fallback(&mut self, saying: Saying<'_>) {
        let Saying { at, subjects, mode, marks } = saying;
        let Some(related) = self.related else { return };
        let vg = self.vg(at).clone();
        let clause = self.clauses[at].clone();
        let sort = self.grammar.sort(&vg.lemma);
        if sort.speech || sort.thought || sort.seeming || sort.copula || vg.lemma == "be" || sort.irreal || mode.denied
        {
            return;
        }
        let whos: Vec<Who> = subjects.iter().map(|subject| subject.who).collect();
        let first = clause.rest.0;
        let (item, words) = if self.syntax.np(first).is_some() {
            (first, vg.lemma.clone())
        } else if self.syntax.is_preposition(first) && self.syntax.np(first + 1).is_some() {
            (first + 1, format!("{} {}", vg.lemma, self.syntax.word(first)))
        } else {
            return;
        };
        let (list, _) = self.syntax.list(item, clause.rest.1);
        let mut objects = self.resolve_all(&list, &whos);
        let mut words = words;
        let mut marks = [marks, &["fallback"]].concat();
        if objects.is_empty()
            && let [np] = list[..]
        {
            // In "tends the shrine of Mother Brine", the relation includes the words up to "of".
            objects = self.owners(np, Some(item), &["of"]);
            words = format!("{words} the {} of", self.norm(self.groups.nps[np].head));
            if !self.grammar.verbs.get(&vg.lemma).is_none_or(Vec::is_empty) {
                marks.retain(|mark| *mark != "fallback");
                marks.push("weak");
            }
        }
        let span = self.clause_span(at, self.end_of(item));
        for subject in subjects {
            for object in &objects {
                self.state(related, subject, Ok(object), &words, &marks, mode, span);
            }
        }
    }
}
