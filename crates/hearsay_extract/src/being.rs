//! Extracts facts from the words after "is".

use crate::{
    beside::AGES,
    grammar::{Class, Part, Pattern, is_silent, plain},
    kinds::Kinds,
    mentions::Who,
    mode::Mode,
    nouns::OF,
    parse::Item,
    patterns::{EXACTLY, PARTICLES},
    read::{Reader, Ref},
};

/// Input for reading a clause: its index, its subjects, its assertion status, and the marks so far. A mark is the name
/// of a weight that raises or lowers the confidence.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Saying<'s> {
    pub(crate) at: usize,
    pub(crate) subjects: &'s [Ref],
    pub(crate) mode: &'s Mode,
    pub(crate) marks: &'s [&'static str],
}

/// Words before an inexact number, as in "worth about sixty".
const APPROXIMATE: [&str; 8] = ["about", "around", "over", "under", "roughly", "approximately", "near", "upwards"];

impl Reader<'_> {
    /// Reads the words after "is", starting at token `from`. Returns whether a fact was found.
    pub(crate) fn after_is(&mut self, saying: Saying<'_>, from: usize, subject_np: Option<usize>) -> bool {
        let Saying { at, mode, .. } = saying;
        let clause = self.clauses[at].clone();
        let passive = self.vg(at).passive;
        let mut to = self.end_of(clause.rest.1.saturating_sub(1)).max(from).min(self.tokens.len());
        if mode.denied && self.syntax.word(clause.rest.1) == "but" {
            // In "not her son but her nephew", the asserted words follow "but".
            let ends = |item: &usize| {
                matches!(self.groups.items.get(*item), Some(Item::Vg(_)) | None)
                    || matches!(self.syntax.word(*item), "," | "." | ";" | "!")
            };
            let end = (clause.rest.1 + 1..=self.groups.items.len()).find(ends).unwrap_or(clause.rest.1);
            if !matches!(self.groups.items.get(end), Some(Item::Vg(_))) {
                to = self.end_of(end - 1).min(self.tokens.len());
            }
        }
        let seeming = self.grammar.sort(&self.vg(at).lemma).seeming && !self.vg(at).copula;
        let mut mode = mode.clone();
        if seeming && self.vg(at).lemma != "feel" {
            let words = self.said(self.vg(at).head, self.vg(at).end);
            let left = self.grammar.doubts.get("hedge").copied().unwrap_or(0.3);
            mode.doubt = mode.doubt.min(left);
            mode.cues.push(crate::facts::Cue { kind: crate::facts::CueKind::Hedge, words });
        }
        let mode = &mode;
        let mut found = false;
        // Examples: "Meridian's crest is …", "her brother's Tob", "his eyes are blue"
        let featured = subject_np.is_some_and(|np| self.grammar.has.contains_key(self.norm(self.groups.nps[np].head)));
        if (!passive || featured)
            && let Some(np) = subject_np
        {
            found |= self.labelled(Saying { mode, ..saying }, np, from, to);
            if found {
                return true;
            }
        }
        let mut starts = vec![from];
        for token in from + 1..to {
            let joined = matches!(self.norm(token - 1), "," | "and" | "but");
            if joined && !self.in_np(token) {
                starts.push(token);
            }
        }
        // Example: "is the man behind the fire"
        if let Some(np) = self.groups.nps.iter().find(|np| np.start == from && np.name.is_none() && !np.pronoun)
            && (self.grammar.class(self.norm(np.head)).has(Class::LIGHT_NOUN) || self.norm(np.head) == "one")
            && self.grammar.class(self.norm(np.end)).has(Class::PREPOSITION)
        {
            starts.push(np.end);
        }
        starts.truncate(8);
        let mut next = from;
        for (order, start) in starts.into_iter().enumerate() {
            if start < next {
                continue;
            }
            // Example: "not her son but her nephew"
            let mut mode = mode.clone();
            if order > 0 && mode.denied && self.norm(start - 1) == "but" {
                mode.denied = false;
            }
            let saying = Saying { mode: &mode, ..saying };
            let start = self.skip_words(start, to);
            let more = self.norm(start) == "dead" && self.grammar.adjectives.contains_key(self.norm(start + 1));
            let start = start + usize::from(more);
            let led = start + 1 < to
                && self.grammar.class(self.norm(start)).has(Class::ADJECTIVE)
                && self.grammar.class(self.norm(start + 1)).has(Class::PREPOSITION);
            let fixed = self
                .phrase(saying, start, to)
                .or_else(|| self.aged(saying, start, to))
                .or_else(|| if led { self.phrase(saying, start + 1, to) } else { None })
                .or_else(|| self.together(saying, start, to));
            let end = match fixed {
                // A passive such as "is wounded" gives only a condition or an appearance.
                None if passive => {
                    // "was restrained" describes an event, not a personality.
                    let lasts = |(target, _): &(usize, bool)| {
                        let name = self.grammar.targets[*target].predicate.as_str();
                        matches!(name, "condition" | "appearance")
                    };
                    let entries = self.grammar.adjectives.get(self.norm(start));
                    let is_adjective = order == 0 && entries.is_some_and(|entries| entries.iter().any(lasts));
                    return found || (is_adjective && self.adjective(saying, start).is_some());
                }
                None => self.adjective(saying, start).or_else(|| self.noun(saying, start, to)),
                fixed => fixed,
            };
            if let Some(end) = end {
                found = true;
                next = end;
            }
        }
        found
    }

    /// Records an age: "about fifty", "twenty-six years old", "past seventy".
    fn aged(&mut self, saying: Saying<'_>, start: usize, to: usize) -> Option<usize> {
        let Saying { at, subjects, mode, marks } = saying;
        let person = !subjects.is_empty() && subjects.iter().all(|subject| self.kinds(subject.who) == Kinds::PERSON);
        let fits = |token: usize| self.is_number(self.norm(token)) || AGES.contains(&self.norm(token));
        let end = (start..to).find(|token| !fits(*token)).unwrap_or(to);
        let counts = (start..end).any(|token| self.is_number(self.norm(token)));
        let alone =
            end >= to || !self.tokens[end].is_word() || matches!(self.norm(end), "and" | "now" | "but" | "today");
        let first = !matches!(self.norm(start), "old" | "years" | "year" | "a" | "the" | "his" | "her" | "their");
        let decade = (start..end).any(|token| self.norm(token).ends_with("ies") || self.norm(token) == "teens");
        let first = first && (self.norm(start) != "in" || decade);
        let age = self.target("age").filter(|_| person && counts && alone && first)?;
        let (value, span) = (self.said(start, end), self.clause_span(at, end));
        for subject in subjects {
            self.state(age, subject, Err(value.clone()), "", &[marks, &["by_age"]].concat(), mode, span);
        }
        Some(end)
    }

    pub(crate) fn in_np(&self, token: usize) -> bool {
        self.groups.nps.iter().any(|np| np.start < token && token < np.end)
    }

    pub(crate) fn skip_words(&self, mut token: usize, to: usize) -> usize {
        let known = |token: usize| {
            self.grammar.phrases.contains_key(self.norm(token))
                || self.grammar.adjectives.contains_key(self.norm(token))
        };
        while token < to
            && !known(token)
            && (self.is_particle(token)
                || self.grammar.class(self.norm(token)).has(Class::ADVERB.or(Class::CONJUNCTION))
                || self.norm(token) == ","
                || matches!(self.norm(token), "like" | "um" | "uh" | "er")
                || (self.norm(token).ends_with("ly") && self.norm(token).len() > 4))
            && !self.names.iter().any(|name| name.start == token)
        {
            token += 1;
        }
        token
    }

    /// Returns whether a word is a particle before the preposition of a place, such as "down" in "down at the mill".
    fn is_particle(&self, token: usize) -> bool {
        let before_place = self.grammar.class(self.norm(token + 1)).has(Class::PREPOSITION);
        before_place && (PARTICLES.contains(&self.norm(token)) || EXACTLY.contains(&self.norm(token)))
    }

    /// Records the facts of a fixed phrase and its object, such as "in the pay of the guild". Returns the token after
    /// the phrase, or `None` if no phrase gave a fact.
    pub(crate) fn phrase(&mut self, saying: Saying<'_>, start: usize, to: usize) -> Option<usize> {
        let Saying { at, subjects, mode, marks } = saying;
        let grammar = self.grammar;
        let mut first = start;
        while first < to && is_silent(self.norm(first)) {
            first += 1;
        }
        let whos: Vec<Who> = subjects.iter().map(|subject| subject.who).collect();
        let mut related = None;
        for pattern in grammar.phrases.get(plain(self.norm(first))).into_iter().flatten() {
            let Some((object, end)) = self.phrase_matched(pattern, first + 1, to) else { continue };
            let target = &grammar.targets[pattern.target];
            if related.is_some() && !(target.predicate == *"condition" && pattern.words.ends_with(" dead")) {
                continue;
            }
            let mut marks = pattern.marked(marks);
            marks.push("by_phrase");
            let before = self.facts.len();
            if !target.predicate.is_relation() {
                let value = match (&pattern.value, object) {
                    (Some(value), _) => value.clone(),
                    (None, Some(np)) => {
                        let item = self.item_of(np)?;
                        let content = self.content_of(item);
                        let end = self.value_end(item, self.clauses[at].rest.1.max(item + 1));
                        let whole = matches!(
                            target.predicate.as_str(),
                            "alias" | "value" | "faith" | "title" | "date" | "government" | "population" | "reward"
                        );
                        // In "is run by Odo", the ruler is recorded as a relation, not as a government.
                        let group = &self.groups.nps[np];
                        if target.predicate == *"government" && (group.name.is_some() || group.owner.is_some()) {
                            continue;
                        }
                        let words = if whole { self.said(content, end) } else { self.said(first, end) };
                        // After "born", only a capitalized word is a value, unlike in "a born gambler".
                        let small = words.starts_with(|c: char| c.is_lowercase()) && pattern.words == "born";
                        if small {
                            continue;
                        }
                        if target.predicate.as_str() == "alias"
                            && matches!(self.groups.nps[np].name.map(|name| self.names[name].who), Some(Who::Known(_)))
                        {
                            continue;
                        }
                        words
                    }
                    (None, None) => self.said(first, end),
                };
                let span = self.clause_span(at, end);
                if target.predicate == *"population" && !(start..end).any(|token| self.is_number(self.norm(token))) {
                    continue;
                }
                for subject in subjects {
                    self.state(pattern.target, subject, Err(value.clone()), "", &marks, mode, span);
                }
            } else if let Some(np) = object {
                let list =
                    self.item_of(np).map_or_else(|| vec![np], |item| self.syntax.list(item, self.groups.items.len()).0);
                let list = if list.is_empty() { vec![np] } else { list };
                let mut objects = self.resolve_all(&list, &whos);
                if objects.is_empty() && target.holds_of_wholes() {
                    // Example: "in the cellar of the Bell"
                    objects = self.owners(np, self.item_of(np), &["of"]);
                }
                let span = self.clause_span(at, end);
                for object in objects
                    .iter()
                    .filter(|object| self.kinds(object.who).meets(pattern.kinds))
                    .copied()
                    .collect::<Vec<_>>()
                {
                    for subject in subjects {
                        let (a, b) = if pattern.back { (&object, subject) } else { (subject, &object) };
                        self.state(pattern.target, a, Ok(b), &pattern.words, &marks, mode, span);
                    }
                }
            }
            if self.facts.len() > before {
                self.trade_of_phrase(saying, pattern, first, end);
                // "found dead at the mill" gives both a place and a condition.
                if target.predicate.is_relation() {
                    related = related.or(Some(end));
                    self.hurt_at(saying, first);
                    continue;
                }
                return Some(related.map_or(end, |other: usize| other.max(end)));
            }
        }
        related
    }

    /// Also records the condition in a phrase such as "wounded in the siege".
    fn hurt_at(&mut self, saying: Saying<'_>, first: usize) {
        let entries = self.grammar.attributes_of(self.norm(first));
        let condition = self.target("condition");
        let lasts =
            matches!(self.norm(first), "wounded" | "injured" | "hurt" | "maimed" | "crippled" | "blinded" | "burned");
        if lasts && entries.first().is_some_and(|(target, _)| Some(*target) == condition) {
            self.adjective(saying, first);
        }
    }

    /// Also records the occupation in a phrase such as "chaplain to the guild".
    fn trade_of_phrase(&mut self, saying: Saying<'_>, pattern: &Pattern, first: usize, end: usize) {
        let Saying { at, subjects, mode, marks } = saying;
        let employs =
            self.grammar.targets[pattern.target].predicate == *"EMPLOYED_BY" && pattern.words.ends_with(" to");
        let noun = self.singular(self.norm(first));
        let Some(occupation) = self.target("occupation").filter(|_| employs) else { return };
        if self.grammar.kinds_of.get(&noun).is_some_and(|kinds| kinds[0].0 == occupation) {
            let (value, span) = (self.said(first, first + 1), self.clause_span(at, end));
            for subject in subjects {
                self.state(occupation, subject, Err(value.clone()), "", &[marks, &["by_kind"]].concat(), mode, span);
            }
        }
    }

    /// Matches the rest of a phrase from token `from`. Returns the noun group of the object, if the phrase has one, and
    /// the token after the match. Returns `None` if the phrase does not match.
    pub(crate) fn phrase_matched(&self, pattern: &Pattern, from: usize, to: usize) -> Option<(Option<usize>, usize)> {
        let mut token = from;
        let mut owner = None;
        let np_at = |token: usize| {
            self.groups.items.iter().find_map(|item| match item {
                Item::Np(np) if self.groups.nps[*np].start == token => Some(*np),
                _ => None,
            })
        };
        // In "worth forty camels", the object is inside a larger noun group.
        let np_around = |token: usize| {
            self.groups.items.iter().find_map(|item| match item {
                Item::Np(np) if self.groups.nps[*np].start < token && token < self.groups.nps[*np].end => Some(*np),
                _ => None,
            })
        };
        let owner_at = |token: usize| {
            let group = self
                .groups
                .nps
                .iter()
                .find(|np| np.start == token && np.owner.is_some() && np.content < np.end && !np.by_name)?;
            Some((group.owner?, group.content))
        };
        let mut parts = &pattern.parts[..];
        while let Some(part) = parts.first() {
            match part {
                Part::Object => {
                    let np = np_at(token).or_else(|| np_around(token).filter(|np| self.groups.nps[*np].name.is_none()));
                    let object_end = np.map(|np| (np, self.groups.nps[np].end));
                    if let Some((np, end)) = object_end.filter(|_| token < self.tokens.len()) {
                        return Some((Some(np), end));
                    }
                    // Skips adverbs and words such as "about" before the object, as in "worth about sixty".
                    let word = self.norm(token);
                    if (self.grammar.class(word).has(Class::ADVERB) || APPROXIMATE.contains(&word)) && token < to {
                        token += 1;
                        continue;
                    }
                    return None;
                }
                Part::Any => {
                    token = self.groups.nps[np_at(token)?].end;
                    parts = &parts[1..];
                }
                Part::Word(word) => {
                    if token >= to.max(from) && token >= self.tokens.len() {
                        return None;
                    }
                    if plain(self.norm(token)) == word {
                        token += 1;
                        parts = &parts[1..];
                        continue;
                    }
                    if word == "of" && owner.is_some() && parts.get(1) == Some(&Part::Object) {
                        return Some((owner, token));
                    }
                    if let Some((np, content)) = owner_at(token)
                        && pattern.parts.ends_with(&[Part::Word("of".into()), Part::Object])
                    {
                        owner = Some(np);
                        token = content.max(token + 1);
                        continue;
                    }
                    if is_silent(self.norm(token)) {
                        token += 1;
                        continue;
                    }
                    return None;
                }
            }
        }
        Some((None, token))
    }

    /// Records a relation between the first two subjects, as in "are allies". Returns the token after the words that
    /// were read.
    pub(crate) fn together(&mut self, saying: Saying<'_>, start: usize, to: usize) -> Option<usize> {
        let Saying { at, subjects, mode, marks } = saying;
        let [a, b, ..] = subjects else { return None };
        let (a, b) = (*a, *b);
        let grammar = self.grammar;
        for (token, skipped) in (start..to.min(start + 4)).zip(0..) {
            for (words, pattern) in grammar.together.get(self.norm(token)).into_iter().flatten() {
                let end = token + words.len();
                let fits = end <= self.tokens.len()
                    && words
                        .iter()
                        .zip(token..end)
                        .all(|(word, at)| self.norm(at) == word || (word == "other's" || word == "others'"));
                if !fits || (skipped > 0 && !self.in_one_np(start, token)) {
                    continue;
                }
                // "are members of the guild" states no relation between the subjects.
                if OF.contains(&self.norm(end)) && matches!(self.norm(end), "of" | "to" | "with") {
                    continue;
                }
                let span = self.clause_span(at, end);
                let marks = [marks, &["by_together"]].concat();
                self.state(pattern.target, &a, Ok(&b), &pattern.words, &marks, mode, span);
                return Some(end);
            }
        }
        None
    }

    pub(crate) fn in_one_np(&self, from: usize, to: usize) -> bool {
        self.groups.nps.iter().any(|np| np.start <= from && to < np.end)
    }

    /// Records the attribute that an adjective gives, such as "wounded". Returns the token after the adjective, or
    /// `None` if no fact was added.
    pub(crate) fn adjective(&mut self, saying: Saying<'_>, start: usize) -> Option<usize> {
        let Saying { at, subjects, mode, marks } = saying;
        // Example: "dead scared"
        let more = matches!(self.norm(start), "dead" | "proper" | "bloody" | "well" | "stone" | "right")
            && !self.grammar.attributes_of(self.norm(start + 1)).is_empty();
        let start = start + usize::from(more);
        let word = self.norm(start).to_owned();
        if self.is_named(start) {
            return None;
        }
        // The adjective in "an angry man" is read with its noun group.
        let in_group = self.groups.nps.iter().any(|np| np.start <= start && start < np.end && np.head != start);
        let entries = self.grammar.attributes_of(&word);
        if in_group {
            return None;
        }
        let span = self.clause_span(at, start + 1);
        let before = self.facts.len();
        for subject in subjects {
            let kinds = self.kinds(subject.who);
            let fits = entries.iter().find(|(target, _)| self.grammar.targets[*target].subject.meets(kinds));
            if let Some((target, weak)) = fits {
                let leads_on = self.grammar.class(self.norm(start + 1)).has(Class::PREPOSITION)
                    && matches!(self.norm(start + 1), "of" | "about" | "with" | "to" | "for" | "at" | "by" | "on");
                let mut marks = [marks, &[if *weak { "weak" } else { "strong" }, "by_adjective"][..]].concat();
                if leads_on {
                    marks.push("leads_on");
                }
                let mut end = start + 1;
                // The value includes the particle of "burned down", but not the adverb of "hurt badly".
                if matches!(self.norm(end), "down" | "up") {
                    end += 1;
                }
                let value = self.said(start, end);
                self.state(*target, subject, Err(value), "", &marks, mode, span);
            }
        }
        (self.facts.len() > before).then_some(start + 1)
    }

    /// Reads the noun group after "is": a ferryman, Mirela's brother, a member of the guild, forty years old. Returns
    /// the token after the words that were read.
    pub(crate) fn noun(&mut self, saying: Saying<'_>, start: usize, to: usize) -> Option<usize> {
        let Saying { at, subjects, mode, marks } = saying;
        let item = (self.clauses[at].rest.0..self.groups.items.len()).find(|item| self.start_of(*item) >= start)?;
        if self.start_of(item) != start || start >= to {
            return None;
        }
        let np = self.syntax.np(item)?;
        // Example: "shoulders like a barn door"
        let group = self.groups.nps[np].clone();
        let looks = group.owner.is_none() && group.name.is_none() && group.article.is_none() && !group.pronoun;
        if looks && let Some((target, _)) = self.grammar.has.get(self.norm(group.head)).and_then(|all| all.first()) {
            let (target, end) = (*target, self.value_end(item, self.groups.items.len()).max(group.end));
            let end = if self.norm(group.end) == "like" { self.end_of(item + 2).min(to) } else { end };
            let (value, span) = (self.said(group.content, end), self.clause_span(at, end));
            for subject in subjects {
                self.state(target, subject, Err(value.clone()), "", &[marks, &["by_part"]].concat(), mode, span);
            }
            return Some(end);
        }
        self.is_noun(np, item, subjects, mode, marks, Some(at))
    }
}
