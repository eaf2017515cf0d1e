//! Reads facts from nouns that describe an entity: "a ferryman", "Mirela's brother", "a member of the guild".

use crate::{
    grammar::{Class, is_silent},
    kinds::Kinds,
    mentions::Who,
    mode::Mode,
    read::{Reader, Ref},
};

/// Prepositions that can stand between a noun and its owner.
pub(crate) const OF: [&str; 8] = ["of", "to", "for", "in", "at", "with", "under", "from"];

/// Words that end like an occupation but are not occupations.
const NO_TRADES: [&str; 22] = [
    "antagonist",
    "protagonist",
    "optimist",
    "pessimist",
    "idealist",
    "realist",
    "tourist",
    "mist",
    "twist",
    "fist",
    "wrist",
    "list",
    "heist",
    "human",
    "woman",
    "gentleman",
    "everyman",
    "madman",
    "volunteer",
    "pioneer",
    "career",
    "commander-in-chief",
];

impl Reader<'_> {
    /// Records the facts that a noun group states about the entities in `subjects`, as in "Odo is a ferryman".
    ///
    /// Returns the token after the words that were read, or `None` if no fact was recorded.
    pub(crate) fn is_noun(
        &mut self,
        np: usize,
        item: usize,
        subjects: &[Ref],
        mode: &Mode,
        marks: &[&'static str],
        clause: Option<usize>,
    ) -> Option<usize> {
        let group = self.groups.nps[np].clone();
        let span = |reader: &Self, end: usize| match clause {
            Some(at) => reader.clause_span(at, end),
            None => reader.span(group.start, end.saturating_sub(1)),
        };
        // "Builder's Grace" is a name; it does not describe a builder.
        let owns = matches!(self.norm(group.end), "'s" | "'")
            && self.tokens.get(group.end + 1).is_some_and(|next| next.capital);
        if owns && self.tokens[group.head].capital && group.name.is_none() {
            return None;
        }
        let mut mode = mode.clone();
        if group.article.is_some_and(|at| matches!(self.norm(at), "no" | "neither")) {
            mode.denied = !mode.denied;
        }
        let mut end = group.end;
        let before = self.facts.len();
        let words: Vec<String> = (group.content..group.end).map(|at| self.norm(at).to_owned()).collect();
        if words
            .iter()
            .any(|word| matches!(word.as_str(), "former" | "ex" | "erstwhile" | "onetime" | "retired" | "late"))
            && !words.contains(&"late".to_owned())
        {
            mode.over = true;
        }
        // Examples: "the Kestrel is Ilvane's", "it's mine"
        let mine =
            group.pronoun && matches!(self.norm(group.head), "mine" | "yours" | "his" | "hers" | "theirs" | "ours");
        if group.bare_owner || mine {
            let owners = match group.owner {
                Some(owner) => self.resolve(owner, &[]),
                None => self.resolve(np, &[]),
            };
            // Example: "The mill? That's Tilda's."
            let that = clause
                .and_then(|at| self.clauses[at].subjects.first().copied())
                .filter(|np| subjects.is_empty() && matches!(self.norm(self.groups.nps[*np].head), "that" | "this"));
            let meant = that.and_then(|np| {
                let token = self.groups.nps[np].start;
                self.memory.meant(crate::lexicon::Gender::It, token, &[])
            });
            let meant = meant.map(|meant| Ref { who: meant.who, mark: Some("far_pronoun"), second: None });
            let meant: Vec<Ref> = meant.into_iter().collect();
            let subjects = if meant.is_empty() { subjects } else { &meant[..] };
            if let Some(owns) = self.target("OWNS") {
                for owner in &owners {
                    for subject in subjects {
                        let at = span(self, end);
                        self.state(owns, owner, Ok(subject), "own", marks, &mode, at);
                    }
                }
            }
            return (self.facts.len() > before).then_some(end);
        }
        if let Some(name) = group.name.filter(|_| group.role.is_none())
            && clause.is_some()
            && self.kinds(self.names[name].who) == Kinds::GROUP
            && group.article.is_none_or(|at| matches!(self.norm(at), "a" | "an"))
            && let Some(member) = self.target("MEMBER_OF")
        {
            // Examples: "he is Guild", "she is an Ironvein"
            let refs = self.resolve(np, &[]);
            let at = span(self, end);
            for subject in subjects {
                for guild in &refs {
                    self.state(member, subject, Ok(guild), "", &[marks, &["by_group"]].concat(), &mode, at);
                }
            }
            return (self.facts.len() > before).then_some(end);
        }
        if group.name.is_some() && group.role.is_none() {
            // A name alone states nothing about the subject: "This is Odo".
            return None;
        }
        // Example: "“Nothing sinks twice” is the guild's motto"
        if let Some(at) = clause
            && let Some(targets) = self.grammar.labels.get(self.norm(group.head)).cloned()
            && group.owner.is_some()
            && subjects.is_empty()
        {
            let owners = self.owners(np, None, &[]);
            let (first, last) = (self.start_of(self.clauses[at].start), self.vg(at).start);
            let first = if first < last { first } else { 0 };
            if !(first..last).any(|at| matches!(self.tokens[at].sort, crate::token::Sort::Quote(_))) {
                return None;
            }
            for owner in &owners {
                let kinds = self.kinds(owner.who);
                let target = targets.iter().find(|target| self.grammar.targets[**target].subject.meets(kinds));
                if let Some(target) = target.copied() {
                    let (value, at) = (self.said(first, last), span(self, end));
                    let value = value.trim_matches(['"', '\'', '\u{201C}', '\u{201D}']).to_owned();
                    self.state(target, owner, Err(value), "", &[marks, &["by_label"]].concat(), &mode, at);
                }
            }
            return (self.facts.len() > before).then_some(end);
        }
        // Reads an age.
        let numbers = words.iter().filter(|word| self.is_number(word)).count();
        let years = words.iter().any(|word| matches!(word.as_str(), "years" | "year" | "winters" | "summers"));
        if numbers > 0 && (numbers == words.len() || years) && group.name.is_none() && group.article.is_none() {
            let after_old = self.norm(group.end) == "old";
            let person = subjects.iter().all(|subject| self.kinds(subject.who).meets(Kinds::PERSON));
            if (years && (after_old || words.len() > numbers))
                || (numbers == words.len()
                    && person
                    && !self.grammar.class(self.norm(group.end)).has(Class::PREPOSITION))
            {
                end = if after_old { group.end + 1 } else { group.end };
                let value = self.said(group.start, end);
                let at = span(self, end);
                if let Some(age) = self.target("age") {
                    for subject in subjects {
                        self.state(age, subject, Err(value.clone()), "", marks, &mode, at);
                    }
                }
                return (self.facts.len() > before).then_some(end);
            }
        }
        // The noun may relate the subject to its owner.
        let (related, related_end) = self.noun_relation(np, item, subjects, &mode, marks, clause);
        end = end.max(related_end);
        // The noun may state an occupation, species or other attribute.
        let head_token = group.role.map_or(group.head, |role| role.1.saturating_sub(1));
        let head = self.singular(self.norm(head_token));
        let mut kinds_of = self.kinds_of_noun(&head);
        if head == "prior" && self.norm(head_token + 1) == "to" {
            kinds_of.clear();
        }
        // "The best decision-maker" is praise, not an occupation, although the noun ends like one.
        let praised = (group.content..group.head).any(|at| {
            matches!(self.norm(at), "best" | "worst" | "greatest" | "finest")
                && !self.grammar.kinds_of.contains_key(&head)
        });
        if praised {
            kinds_of.clear();
        }
        if kinds_of.is_empty() && self.is_post(&head) {
            kinds_of.extend(self.target("occupation").map(|target| (target, true)));
        }
        let owned_kin = related && !self.grammar.kinds_of.contains_key(&head);
        if !owned_kin {
            for (target, weak) in kinds_of {
                let name = self.grammar.targets[target].predicate.as_str().to_owned();
                if related && name != "occupation" {
                    continue;
                }
                let content = if group.by_name { group.content } else { self.value_start(&group) };
                let to = if group.role.is_some() { group.role.map_or(group.end, |role| role.1) } else { group.end };
                let mut value = self.said(content, to);
                if name == "species" {
                    // Example: "half giant"
                    let half = head_token > 0 && self.norm(head_token - 1) == "half";
                    value = self.said(head_token - usize::from(half), head_token + 1);
                }
                if name == "personality" {
                    value = self.said(content, to);
                }
                let marks = [marks, &[if weak { "weak" } else { "strong" }, "by_kind"][..]].concat();
                let at = span(self, end);
                for subject in subjects {
                    self.state(target, subject, Err(value.clone()), "", &marks, &mode, at);
                }
                break;
            }
            // Examples: "a goblin ferryman", "a tall man"
            for token in group.content..head_token {
                let word = self.norm(token).to_owned();
                if self.is_named(token) {
                    continue;
                }
                let species = self
                    .grammar
                    .kinds_of
                    .get(&word)
                    .and_then(|entries| {
                        entries.iter().find(|(target, _)| self.grammar.targets[*target].predicate == *"species")
                    })
                    .copied();
                let of_place = subjects.iter().all(|subject| self.kinds(subject.who) == Kinds::PLACE)
                    && (head == "place" || head == "spot" || self.grammar.class(&head).has(Class::PLACE_NOUN));
                if let Some(age) = self.target("age").filter(|_| word.ends_with("-year-old")) {
                    let (value, at) = (self.norm_said(token), span(self, end));
                    for subject in subjects {
                        self.state(age, subject, Err(value.clone()), "", marks, &mode, at);
                    }
                }
                let of_thing = subjects.iter().all(|subject| self.kinds(subject.who) == Kinds::THING);
                let light = self.grammar.class(&head).has(Class::LIGHT_NOUN) || of_place || of_thing;
                let kinds = subjects.first().map_or(Kinds::ANY, |subject| self.kinds(subject.who));
                let entries = self.grammar.attributes_of(&word);
                let entry = entries.iter().find(|(target, _)| self.grammar.targets[*target].subject.meets(kinds));
                let adjective = entry.copied().filter(|(target, _)| {
                    let name = self.grammar.targets[*target].predicate.as_str();
                    (light && !matches!(name, "emotional_state")) || name == "species"
                });
                // A "horse doctor" is not of the species horse.
                let beast = matches!(
                    word.as_str(),
                    "horse"
                        | "dog"
                        | "cat"
                        | "wolf"
                        | "bear"
                        | "rat"
                        | "goat"
                        | "pig"
                        | "cow"
                        | "sheep"
                        | "ghost"
                        | "dragon"
                        | "vampire"
                        | "demon"
                        | "spirit"
                        | "devil"
                        | "bull"
                        | "fox"
                        | "snake"
                        | "spider"
                );
                let fits = light || (!beast && !self.kinds_of_noun(&head).is_empty());
                if let Some((target, _)) = species.or(adjective).filter(|_| fits) {
                    let value = self.norm_said(token);
                    let at = span(self, end);
                    for subject in subjects {
                        self.state(target, subject, Err(value.clone()), "", marks, &mode, at);
                    }
                }
            }
        }
        // Example: "a reactor man"
        let light = matches!(head.as_str(), "man" | "woman" | "boy" | "girl" | "hand" | "guy");
        if light
            && !related
            && group.head > group.content
            && group.name.is_none()
            && self.facts.len() == before
            && !self.has_known(group.head - 1)
            && !self.norm(group.head - 1).ends_with("est")
        {
            let at = span(self, end);
            let value = self.said(self.value_start(&group), group.end);
            if let Some(occupation) = self.target("occupation") {
                for subject in subjects {
                    self.state(occupation, subject, Err(value.clone()), "", marks, &mode, at);
                }
            }
        }
        // Example: "a Vashti"
        let folk = group.article.is_some_and(|at| matches!(self.norm(at), "a" | "an"))
            && group.head == group.content
            && group.name.is_none()
            && self.tokens[group.head].capital;
        // "A Lantern" is a member of the Lanterns.
        let of_group = self
            .lexicon
            .bearers(&format!("{}s", self.norm(group.head)))
            .iter()
            .find(|bearer| self.lexicon.entities[bearer.entity as usize].kinds == Kinds::GROUP);
        if folk
            && let Some(bearer) = of_group
            && let Some(member) = self.target("MEMBER_OF")
        {
            let guild = Ref { who: Who::Known(bearer.entity), mark: Some("part_name"), second: None };
            let at = span(self, end);
            for subject in subjects {
                self.state(member, subject, Ok(&guild), "", &[marks, &["by_group"]].concat(), &mode, at);
            }
        }
        if folk
            && self.facts.len() == before
            && let Some(species) = self.target("species")
        {
            let at = span(self, end);
            let value = self.norm_said(group.head);
            let marks = [marks, &["open_value"]].concat();
            for subject in subjects {
                self.state(species, subject, Err(value.clone()), "", &marks, &mode, at);
            }
        }
        // Example: "a woman of fifty-three with cropped white hair"
        let place = subjects.iter().all(|subject| self.kinds(subject.who) == Kinds::PLACE);
        if self.grammar.class(&head).has(Class::LIGHT_NOUN.or(Class::PLACE_NOUN))
            || self.grammar.kinds_of.contains_key(&head)
        {
            let mut next = self.item_of(np).unwrap_or(item) + 1;
            while let (word @ ("of" | "with" | "in"), Some(inner)) = (self.syntax.word(next), self.syntax.np(next + 1))
            {
                let inner_group = self.groups.nps[inner].clone();
                let inner_words: Vec<String> =
                    (inner_group.content..inner_group.end).map(|at| self.norm(at).to_owned()).collect();
                let decade = |word: &String| word.ends_with("ties") || word == "teens";
                let aged = (word == "of" && inner_words.iter().any(|word| self.is_number(word)))
                    || (word == "in" && !place && inner_words.iter().any(decade));
                let target = if aged {
                    self.target(if place { "population" } else { "age" })
                } else if word == "with" && self.grammar.has.contains_key(self.norm(inner_group.head)) {
                    self.grammar.has[self.norm(inner_group.head)].first().map(|(target, _)| *target)
                } else {
                    None
                };
                if let Some(target) = target {
                    let to = if word == "with" {
                        self.value_end(next + 1, self.groups.items.len())
                    } else {
                        inner_group.end
                    };
                    let value = self.said(self.content_of(next + 1), to);
                    let at = span(self, to);
                    for subject in subjects {
                        self.state(target, subject, Err(value.clone()), "", marks, &mode, at);
                    }
                    end = end.max(to);
                }
                next += 2;
            }
        }
        (self.facts.len() > before).then_some(end)
    }

    /// Returns whether a noun names a position with an employer, such as "contractor".
    fn is_post(&self, noun: &str) -> bool {
        self.grammar.nouns.get(noun).into_iter().flatten().any(|(words, pattern)| {
            let target = &self.grammar.targets[pattern.target];
            words.len() == 1 && !pattern.weak && !pattern.back && target.predicate == *"EMPLOYED_BY" && !target.over
        })
    }

    /// Returns whether a word is capitalised, an adjective, an adverb, a number or a word that gives a known attribute.
    /// Such a word does not name an occupation.
    pub(crate) fn has_known(&self, token: usize) -> bool {
        let word = self.norm(token);
        self.grammar.class(word).has(Class::ADJECTIVE.or(Class::NUMBER).or(Class::ADVERB))
            || !self.grammar.attributes_of(word).is_empty()
            || self.tokens[token].capital
    }

    pub(crate) fn norm_said(&self, token: usize) -> String {
        self.said(token, token + 1)
    }

    /// Returns the token at which the value of an attribute begins in a noun group. Words such as "old" and "same" are
    /// skipped.
    pub(crate) fn value_start(&self, group: &crate::parse::Np) -> usize {
        let mut from = group.content;
        while from < group.head
            && (is_silent(self.norm(from))
                || matches!(self.norm(from), "old" | "same" | "very" | "only" | "other" | "just" | "one")
                || self.norm(from).ends_with("-year-old"))
        {
            from += 1;
        }
        from
    }

    pub(crate) fn is_number(&self, word: &str) -> bool {
        word.starts_with(|c: char| c.is_ascii_digit()) || {
            let number = |part: &str| self.grammar.class(part).has(Class::NUMBER);
            // Examples: "mid-forties", "fifty-something"
            let about =
                |part: &str| number(part) || ["mid", "late", "early", "something", "odd", "ish"].contains(&part);
            word.split('-').any(number) && word.split('-').all(about)
        }
    }

    pub(crate) fn target(&self, name: &str) -> Option<usize> {
        self.grammar.targets.iter().position(|target| target.predicate == *name && !target.over && !target.denied)
    }

    pub(crate) fn singular(&self, word: &str) -> String {
        let known = |word: &str| self.grammar.nouns.contains_key(word) || self.grammar.kinds_of.contains_key(word);
        if known(word) {
            return word.to_owned();
        }
        let candidates = [
            word.strip_suffix("ies").map(|stem| format!("{stem}y")),
            word.strip_suffix("men").map(|stem| format!("{stem}man")),
            word.strip_suffix("ves").map(|stem| format!("{stem}f")),
            word.strip_suffix("ves").map(|stem| format!("{stem}fe")),
            word.strip_suffix("es").map(str::to_owned),
            word.strip_suffix('s').map(str::to_owned),
            (word == "children").then(|| "child".to_owned()),
        ];
        candidates.into_iter().flatten().find(|word| known(word)).unwrap_or_else(|| word.to_owned())
    }

    /// Returns the attributes that a noun states, such as `occupation` for "ferryman". Each consists of the index of a
    /// target and whether the evidence is weak.
    pub(crate) fn kinds_of_noun(&self, head: &str) -> Vec<(usize, bool)> {
        if let Some(found) = self.grammar.kinds_of.get(head) {
            return found.clone();
        }
        let last = head.rsplit('-').next().unwrap_or(head);
        if last != head
            && let Some(found) = self.grammar.kinds_of.get(last)
        {
            return found.clone();
        }
        if NO_TRADES.contains(&head) {
            return Vec::new();
        }
        let end = self.grammar.ends.iter().find(|(end, _)| head.len() > end.len() + 2 && head.ends_with(end.as_str()));
        end.map(|(_, target)| vec![(*target, false)]).unwrap_or_default()
    }

    /// Records relations that are stated by nouns: "Mirela's brother", "a member of the guild".
    ///
    /// Returns whether a relation was found, and the token after its last word.
    pub(crate) fn noun_relation(
        &mut self,
        np: usize,
        item: usize,
        subjects: &[Ref],
        mode: &Mode,
        marks: &[&'static str],
        clause: Option<usize>,
    ) -> (bool, usize) {
        let group = self.groups.nps[np].clone();
        let (from, to) = match group.role {
            Some((from, to)) => (from, to),
            None => (group.content, group.end),
        };
        let words: Vec<String> = (from..to).map(|at| self.norm(at).to_owned()).collect();
        let Some(last) = words.last() else { return (false, 0) };
        let last = self.singular(last);
        let grammar = self.grammar;
        let own_item = self.item_of(np).unwrap_or(item);
        // Example: "one of Mirela's informants"
        if matches!(last.as_str(), "one" | "some" | "several" | "two" | "three" | "many" | "all" | "both")
            && self.syntax.word(own_item + 1) == "of"
            && let Some(several) = self.syntax.np(own_item + 2)
            && self.groups.nps[several].name.is_none()
            && self.groups.nps[several].head > self.groups.nps[several].start
        {
            return self.noun_relation(several, own_item + 2, subjects, mode, marks, clause);
        }
        let whos: Vec<Who> = subjects.iter().map(|subject| subject.who).collect();
        let mut owners = self.owners(np, None, &[]);
        let mut end = group.end;
        if owners.is_empty() && group.owner.is_none() && group.role.is_none() {
            let preposition = self.syntax.word(own_item + 1);
            if OF.contains(&preposition) {
                let (list, next) = self.syntax.list(own_item + 2, self.groups.items.len());
                let strict = preposition != "of";
                owners = self.resolve_all(&list, &whos);
                // Example: "a friend of Bram's"
                if let [one] = list[..]
                    && self.groups.nps[one].bare_owner
                    && let Some(owner) = self.groups.nps[one].owner
                {
                    owners = self.resolve(owner, &whos);
                }
                // Example: "the youngest of Mirela's children"
                if owners.is_empty()
                    && let [one] = list[..]
                    && let Some(owner) = self.groups.nps[one].owner
                    && matches!(self.norm(self.groups.nps[one].head), "children" | "sons" | "daughters" | "kids")
                {
                    owners = self.resolve(owner, &whos);
                }
                if strict {
                    owners.retain(|owner| !self.kinds(owner.who).is_any());
                }
                end = self.end_of(next.saturating_sub(1)).min(self.tokens.len());
            }
        }
        if owners.is_empty() {
            return (false, 0);
        }
        let span = match clause {
            Some(at) => self.clause_span(at, end),
            None => self.span(group.start, end.saturating_sub(1)),
        };
        if self.heads(np, own_item, &owners, subjects, mode, marks, span) {
            return (true, end);
        }
        let among = self.syntax.word(own_item + 1) == "in" && group.owner.is_none();
        let Some(entries) = grammar.nouns.get(&last) else {
            return (self.trade_for(np, own_item, &last, &owners, subjects, mode, marks, span), end);
        };
        for (noun, pattern) in entries {
            let mut said: Vec<String> = words.clone();
            if let Some(word) = said.last_mut() {
                word.clone_from(&last);
            }
            if !said.ends_with(noun) {
                continue;
            }
            let target = &grammar.targets[pattern.target];
            let mut marks = pattern.marked(marks);
            marks.push("by_noun");
            let before = self.facts.len();
            for owner in &owners {
                for subject in subjects {
                    let (a, b) = if pattern.back { (owner, subject) } else { (subject, owner) };
                    if self.kinds(a.who).meets(target.subject)
                        && self.kinds(b.who).meets(target.object)
                        && (pattern.kinds.is_any() || self.kinds(b.who).meets(pattern.kinds))
                    {
                        let relation = format!("{} of", words.join(" "));
                        // "A navigator in the guild" is a member of the guild.
                        let member = self.target("MEMBER_OF").filter(|_| {
                            among && target.predicate == *"EMPLOYED_BY" && self.kinds(b.who) == Kinds::GROUP
                        });
                        // "The boss of the guild" leads the guild and is not employed by it.
                        let leads =
                            pattern.back && target.predicate == *"EMPLOYED_BY" && self.kinds(owner.who) == Kinds::GROUP;
                        if let Some(related) = self.related.filter(|_| leads) {
                            self.state(related, subject, Ok(owner), &relation, &marks, mode, span);
                            continue;
                        }
                        let target = member.unwrap_or(pattern.target);
                        self.state(target, a, Ok(b), &relation, &marks, mode, span);
                    }
                }
            }
            if self.facts.len() > before {
                return (true, end);
            }
        }
        (false, 0)
    }

    /// Reads a position such as "the guild's head of security": an occupation, and employment by the owner. The person
    /// does not lead the guild.
    #[allow(clippy::too_many_arguments)]
    fn heads(
        &mut self,
        np: usize,
        item: usize,
        owners: &[Ref],
        subjects: &[Ref],
        mode: &Mode,
        marks: &[&'static str],
        span: hearsay_model::Span,
    ) -> bool {
        let group = &self.groups.nps[np];
        let leads = [
            "head",
            "chief",
            "captain",
            "master",
            "mistress",
            "director",
            "keeper",
            "commander",
            "minister",
            "secretary",
        ];
        let what = self.syntax.np(item + 2).filter(|np| {
            let of = &self.groups.nps[*np];
            of.name.is_none() && !of.pronoun && of.owner.is_none()
        });
        let post =
            group.owner.is_some() && leads.contains(&self.norm(group.head)) && self.syntax.word(item + 1) == "of";
        let (Some(what), Some(employed), Some(occupation)) =
            (what.filter(|_| post), self.target("EMPLOYED_BY"), self.target("occupation"))
        else {
            return false;
        };
        let value = self.said(group.content, self.groups.nps[what].end);
        let marks = [marks, &["by_noun"]].concat();
        let before = self.facts.len();
        for subject in subjects {
            self.state(occupation, subject, Err(value.clone()), "", &marks, mode, span);
            for owner in owners {
                self.state(employed, subject, Ok(owner), "", &marks, mode, span);
            }
        }
        self.facts.len() > before
    }

    /// Reads employment from an occupation with an owner, as in "hatter to Lady Bramble" and "Ilvara's poisoner".
    #[allow(clippy::too_many_arguments)]
    fn trade_for(
        &mut self,
        np: usize,
        item: usize,
        noun: &str,
        owners: &[Ref],
        subjects: &[Ref],
        mode: &Mode,
        marks: &[&'static str],
        span: hearsay_model::Span,
    ) -> bool {
        let (Some(employed), Some(occupation)) = (self.target("EMPLOYED_BY"), self.target("occupation")) else {
            return false;
        };
        let is_trade = self.grammar.kinds_of.get(noun).is_some_and(|kinds| kinds[0] == (occupation, false));
        let preposition = self.syntax.word(item + 1);
        let serves = self.groups.nps[np].owner.is_some() || matches!(preposition, "to" | "for" | "with");
        if !is_trade || !serves {
            return false;
        }
        let kinds = Kinds::PERSON.or(Kinds::GROUP);
        let marks = [marks, &["weak", "by_noun", "by_trade"]].concat();
        let before = self.facts.len();
        for owner in owners.iter().filter(|owner| kinds.meets(self.kinds(owner.who))).copied().collect::<Vec<_>>() {
            for subject in subjects {
                self.state(employed, subject, Ok(&owner), noun, &marks, mode, span);
            }
        }
        self.facts.len() > before
    }
}
