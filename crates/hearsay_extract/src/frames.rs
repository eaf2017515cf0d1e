//! What a clause states: its verb, what stands after "is", and what stands beside names.

use hearsay_model::Span;

use crate::{
    clauses::From,
    grammar::{Class, Part, Pattern, is_silent, plain},
    kinds::Kinds,
    mentions::{Who, is_pronoun},
    mode::Mode,
    parse::{Item, VerbForm},
    read::{Reader, Ref},
    token::Sort,
};

/// Where a pattern found its object: the item of the first of a list, or an owner.
#[derive(Debug, Clone, Copy)]
struct Hit {
    object: Option<usize>,
    second: Option<usize>,
    /// The item behind what was matched.
    end: usize,
    skipped: bool,
}

/// Prepositions behind which the owner of a noun stands.
const OF: [&str; 8] = ["of", "to", "for", "in", "at", "with", "under", "from"];

impl Reader<'_> {
    pub(crate) fn clause(&mut self, at: usize, mode: &Mode) {
        if mode.dead {
            // Names of what is only planned still count as spoken of.
            return;
        }
        let clause = self.clauses[at].clone();
        let vg = self.vg(at).clone();
        let subjects = self.subjects(&clause.subjects);
        let mut marks: Vec<&'static str> = Vec::new();
        if vg.silent || clause.from == From::Nobody {
            marks.push("telegraph");
        }
        if subjects.len() > 1 {
            marks.push("list");
        }
        let owned_subject = clause.subjects.first().copied();
        let is_copula = vg.copula || (self.grammar.sort(&vg.lemma).seeming && !vg.passive);
        let mut found = false;
        if is_copula || vg.passive {
            let from = if vg.passive { vg.head } else { vg.end };
            found |= self.after_is(at, from, &subjects, owned_subject, mode, &marks);
        }
        if !found && !vg.copula {
            found |= self.verb(at, &subjects, mode, &marks);
        }
        if !found && vg.lemma == "have" {
            found |= self.having(at, &subjects, mode, &marks);
        }
        // "Dross wounded."
        if !found && !vg.copula && !vg.negated {
            let word = self.norm(vg.head).to_owned();
            let alone = clause.rest.0 >= clause.rest.1
                || self.syntax.word(clause.rest.0) == ","
                || self.syntax.word(clause.rest.0) == "and";
            let entry = self.grammar.adjectives.get(&word).cloned();
            if let Some((target, _)) = entry
                .and_then(|entries| entries.first().copied())
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
            self.fallback(at, &subjects, mode, &marks);
        }
    }

    fn subjects(&mut self, nps: &[usize]) -> Vec<Ref> {
        self.resolve_all(nps, &[])
    }

    fn clause_span(&self, at: usize, end: usize) -> Span {
        let clause = &self.clauses[at];
        let vg = self.vg(at);
        let first = clause.subjects.iter().map(|np| self.groups.nps[*np].start).min().unwrap_or(vg.start).min(vg.start);
        self.span(first, end.saturating_sub(1).max(vg.end.saturating_sub(1)))
    }

    /// The token behind an item.
    fn end_of(&self, item: usize) -> usize {
        match self.groups.items.get(item) {
            Some(Item::Np(np)) => self.groups.nps[*np].end,
            Some(Item::Vg(vg)) => self.groups.vgs[*vg].end,
            Some(Item::Tok(at)) => at + 1,
            None => self.tokens.len(),
        }
    }

    fn start_of(&self, item: usize) -> usize {
        match self.groups.items.get(item) {
            Some(Item::Np(np)) => self.groups.nps[*np].start,
            Some(Item::Vg(vg)) => self.groups.vgs[*vg].start,
            Some(Item::Tok(at)) => *at,
            None => self.tokens.len(),
        }
    }

    // --- Verbs -----------------------------------------------------------------------------------------------------

    fn verb(&mut self, at: usize, subjects: &[Ref], mode: &Mode, marks: &[&'static str]) -> bool {
        let vg = self.vg(at).clone();
        let clause = self.clauses[at].clone();
        let grammar = self.grammar;
        let subject_whos: Vec<Who> = subjects.iter().map(|subject| subject.who).collect();
        let patterns = grammar.verbs.get(&vg.lemma).map_or(&[][..], Vec::as_slice);
        // "hate each other"
        if self.mutual(at, subjects, patterns, mode, marks) {
            return true;
        }
        let mut stated = false;
        let mut used: Vec<(usize, &str)> = Vec::new();
        let mut best_parts = None;
        for pattern in patterns {
            let target = &grammar.targets[pattern.target];
            if mode.would && !matches!(target.predicate.as_str(), "LIKES" | "TRUSTS" | "WANTS") {
                continue;
            }
            let wants_not = pattern.parts.first() == Some(&Part::Word("not".into()));
            let can_not = pattern.words.starts_with("can not");
            if mode.can && !can_not {
                continue;
            }
            let mut parts = &pattern.parts[..];
            if wants_not {
                if !vg.negated {
                    continue;
                }
                parts = &parts[1..];
            } else if mode.can {
                continue;
            }
            // One reading: what fits best, and others of the same words only for other kinds.
            if best_parts.is_some_and(|best: usize| best > pattern.parts.len()) && stated {
                break;
            }
            if vg.passive {
                stated |= self.passive(at, pattern, parts, subjects, mode, marks);
            } else {
                let Some(hit) = self.matched(parts, clause.rest.0, clause.rest.1, true) else { continue };
                let hits = self.objects(&hit, clause.rest.1, &subject_whos, pattern.kinds);
                let mut marks = marks.to_vec();
                marks.push(if pattern.weak { "weak" } else { "strong" });
                if hit.skipped {
                    marks.push("far_object");
                }
                let mut mode = mode.clone();
                if wants_not {
                    mode.denied = false;
                }
                if let Some(value) = &pattern.value {
                    let span = self.clause_span(at, self.start_of(hit.end).max(vg.end));
                    for subject in subjects {
                        if self.kinds(subject.who).meets(pattern.kinds) || pattern.kinds.is_any() {
                            self.state(pattern.target, subject, Err(value.clone()), "", &marks, &mode, span);
                            stated = true;
                        }
                    }
                } else if !target.predicate.is_relation() {
                    stated |= self.value(at, pattern, &hit, subjects, &mode, &marks);
                } else if let Some(second) = hit.second {
                    // "met Odo at the mill": of what stands behind the verb, one is the subject.
                    let ends =
                        self.objects(&Hit { object: Some(second), ..hit }, clause.rest.1, &subject_whos, Kinds::ANY);
                    let span = self.clause_span(at, self.end_of(second));
                    for first in &hits {
                        for second in &ends {
                            self.state(pattern.target, first, Ok(second), &pattern.words, &marks, &mode, span);
                            stated = true;
                        }
                    }
                    continue;
                } else {
                    let span = self.clause_span(at, hit.object.map_or(vg.end, |item| self.end_of(item)));
                    for object in &hits {
                        if used.iter().any(|(_, predicate)| *predicate != target.predicate.as_str())
                            && target.predicate.as_str() != "RELATED_TO"
                            && best_parts == Some(pattern.parts.len())
                        {
                            // The first sort of entity that fits decides.
                            if !pattern.kinds.is_any() && !self.kinds(object.who).is_any() {
                            } else {
                                continue;
                            }
                        }
                        for subject in subjects {
                            let (a, b) = if pattern.back { (object, subject) } else { (subject, object) };
                            if !self.kinds(a.who).meets(target.subject) || !self.kinds(b.who).meets(target.object) {
                                continue;
                            }
                            let before = self.facts.len();
                            let relation =
                                if pattern.words.is_empty() { vg.lemma.clone() } else { pattern.words.clone() };
                            self.state(pattern.target, a, Ok(b), &relation, &marks, &mode, span);
                            if self.facts.len() > before {
                                stated = true;
                                used.push((pattern.parts.len(), target.predicate.as_str()));
                            }
                        }
                    }
                }
            }
            if stated && best_parts.is_none() {
                best_parts = Some(pattern.parts.len());
                if vg.passive
                    || pattern.parts.len() > 1
                    || pattern.value.is_some()
                    || !grammar.targets[pattern.target].predicate.is_relation()
                {
                    return true;
                }
                return true;
            }
        }
        stated
    }

    /// "hate each other", "trusted one another".
    fn mutual(
        &mut self,
        at: usize,
        subjects: &[Ref],
        patterns: &[Pattern],
        mode: &Mode,
        marks: &[&'static str],
    ) -> bool {
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
                    .collect();
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
            if let Some(hit) = self.matched(&pattern.parts, clause.rest.0, clause.rest.1, false) {
                // "married" without anybody behind it.
                let object = (hit.end..clause.rest.1)
                    .find_map(|item| self.syntax.np(item))
                    .is_some_and(|np| self.groups.nps[np].name.is_some());
                if !object {
                    let span = self.clause_span(at, self.start_of(hit.end).max(vg.end));
                    let (a, b) = (*a, *b);
                    self.state(pattern.target, &a, Ok(&b), &pattern.words, marks, mode, span);
                    return true;
                }
            }
        }
        false
    }

    fn passive(
        &mut self,
        at: usize,
        pattern: &Pattern,
        parts: &[Part],
        subjects: &[Ref],
        mode: &Mode,
        marks: &[&'static str],
    ) -> bool {
        let clause = self.clauses[at].clone();
        let object_at = parts.iter().position(|part| *part == Part::Object);
        let mut marks = marks.to_vec();
        marks.push(if pattern.weak { "weak" } else { "strong" });
        let whos: Vec<Who> = subjects.iter().map(|subject| subject.who).collect();
        if object_at == Some(0) && parts.iter().filter(|part| **part == Part::Object).count() == 2 {
            // "was found at the mill"
            let Some(hit) = self.matched(&parts[1..], clause.rest.0, clause.rest.1, true) else { return false };
            let objects = self.objects(&hit, clause.rest.1, &whos, Kinds::ANY);
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
            // "was hired to work for": the verb keeps what stands behind it.
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

    /// Matches the parts of a pattern with what stands behind a verb.
    fn matched(&self, parts: &[Part], from: usize, to: usize, may_skip: bool) -> Option<Hit> {
        let hit = Hit { object: None, second: None, end: from, skipped: false };
        self.go(parts, from, to, may_skip, hit, 0)
    }

    fn go(&self, parts: &[Part], item: usize, to: usize, may_skip: bool, hit: Hit, depth: usize) -> Option<Hit> {
        let Some(part) = parts.first() else { return Some(Hit { end: item, ..hit }) };
        if item >= to || depth > 24 {
            return None;
        }
        let np = self.syntax.np(item);
        match part {
            Part::Word(word) => {
                if plain(self.syntax.word(item)) == word {
                    return self.go(&parts[1..], item + 1, to, false, hit, depth + 1);
                }
                if let Some(np) = np {
                    // Words of the pattern that stand in one group: "a full member".
                    let group = &self.groups.nps[np];
                    let mut left = parts;
                    let mut token = group.content.min(group.head);
                    if group.name.is_none() || group.pronoun {
                        while token < group.end {
                            if let Some(Part::Word(word)) = left.first()
                                && (plain(self.norm(token)) == word || self.norm(token).strip_suffix('s') == Some(word))
                            {
                                left = &left[1..];
                            }
                            token += 1;
                        }
                    }
                    if left.len() < parts.len()
                        && !matches!(left.first(), Some(Part::Word(word)) if self.grammar.nouns.contains_key(word) && false)
                    {
                        // An owner may be the object: "serves at Odo's pleasure" is "at the pleasure of".
                        if left.len() == 2
                            && left[0] == Part::Word("of".into())
                            && left[1] == Part::Object
                            && group.owner.is_some()
                            && !group.by_name
                        {
                            let owner = group.owner;
                            let position = owner.and_then(|owner| self.item_of(owner));
                            let _ = position;
                            return Some(Hit {
                                object: None,
                                second: owner.map(|owner| usize::MAX - owner),
                                end: item + 1,
                                ..hit
                            });
                        }
                        return self.go(left, item + 1, to, false, hit, depth + 1);
                    }
                }
                if let Some(Item::Vg(vg)) = self.groups.items.get(item) {
                    let group = &self.groups.vgs[*vg];
                    if group.lemma == *word || self.norm(group.head) == word {
                        return self.go(&parts[1..], item + 1, to, false, hit, depth + 1);
                    }
                }
                if self.is_skippable(item) {
                    return self.go(parts, item + 1, to, may_skip, hit, depth + 1);
                }
                // "works at the mill for Odo"
                if may_skip && self.syntax.is_preposition(item) && self.syntax.np(item + 1).is_some() {
                    return self.go(parts, item + 2, to, may_skip, Hit { skipped: true, ..hit }, depth + 1);
                }
                None
            }
            Part::Any => {
                np?;
                let next = self.go(&parts[1..], item + 1, to, false, hit, depth + 1);
                if next.is_some() {
                    return next;
                }
                if self.syntax.word(item + 1) == "of" && self.syntax.np(item + 2).is_some() {
                    return self.go(&parts[1..], item + 3, to, false, hit, depth + 1);
                }
                None
            }
            Part::Object => {
                if np.is_some() {
                    let (_, end) = self.syntax.list(item, to);
                    let hit = match hit.object {
                        None => Hit { object: Some(item), ..hit },
                        Some(_) => Hit { second: Some(item), ..hit },
                    };
                    return self.go(&parts[1..], end.max(item + 1), to, true, hit, depth + 1);
                }
                if self.is_skippable(item) {
                    return self.go(parts, item + 1, to, may_skip, hit, depth + 1);
                }
                None
            }
        }
    }

    fn is_skippable(&self, item: usize) -> bool {
        match self.groups.items.get(item) {
            Some(Item::Tok(at)) => {
                let token = &self.tokens[*at];
                token.is_word()
                    && (self.grammar.class(&token.norm).has(Class::ADVERB)
                        || token.norm.ends_with("ly")
                        || matches!(token.norm.as_str(), "like" | "um" | "uh" | "er" | "literally"))
                    && !self.syntax.is_preposition(item)
                    || (token.is_word()
                        && self.grammar.class(&token.norm).has(Class::ADVERB)
                        && self.syntax.np(item + 1).is_none())
            }
            _ => false,
        }
    }

    /// Whom the object of a pattern means.
    fn objects(&mut self, hit: &Hit, to: usize, not: &[Who], kinds: Kinds) -> Vec<Ref> {
        let list = match (hit.object, hit.second) {
            (Some(item), _) => self.syntax.list(item, to).0,
            // An owner: see `go`.
            (None, Some(owner)) if owner > usize::MAX / 2 => vec![usize::MAX - owner],
            _ => return Vec::new(),
        };
        let mut refs = self.resolve_all(&list, not);
        // "of the Lantern Club's ledger" is not the club.
        refs.retain(|found| self.kinds(found.who).meets(kinds));
        refs
    }

    /// A value that stands behind a verb.
    fn value(
        &mut self,
        at: usize,
        pattern: &Pattern,
        hit: &Hit,
        subjects: &[Ref],
        mode: &Mode,
        marks: &[&'static str],
    ) -> bool {
        let clause = self.clauses[at].clone();
        let Some(item) = hit.object else { return false };
        let from = self.content_of(item);
        let to = self.value_end(item, clause.rest.1);
        let value = self.said(from, to);
        let span = self.clause_span(at, to);
        let name = self.grammar.targets[pattern.target].predicate.as_str();
        let known = self.syntax.np(item).and_then(|np| self.groups.nps[np].name).map(|name| self.names[name].who);
        if name == "alias" && matches!(known, Some(Who::Known(_))) {
            return false;
        }
        if name == "occupation" && known.is_some() {
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

    /// The first token of a noun group that is no article.
    fn content_of(&self, item: usize) -> usize {
        match self.groups.items.get(item) {
            Some(Item::Np(np)) => {
                let group = &self.groups.nps[*np];
                match group.article {
                    Some(article) if matches!(self.norm(article), "a" | "an" | "the") => article + 1,
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

    /// The token behind a value that begins at an item: the noun group, and what belongs to it.
    fn value_end(&self, item: usize, to: usize) -> usize {
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

    fn fallback(&mut self, at: usize, subjects: &[Ref], mode: &Mode, marks: &[&'static str]) {
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
        let objects = self.objects(
            &Hit { object: Some(item), second: None, end: item, skipped: false },
            clause.rest.1,
            &whos,
            Kinds::ANY,
        );
        let marks = [marks, &["fallback"]].concat();
        let span = self.clause_span(at, self.end_of(item));
        for subject in subjects {
            for object in &objects {
                self.state(related, subject, Ok(object), &words, &marks, mode, span);
            }
        }
    }

    // --- "is" ----------------------------------------------------------------------------------------------------------

    /// What stands after "is", from a token on.
    fn after_is(
        &mut self,
        at: usize,
        from: usize,
        subjects: &[Ref],
        subject_np: Option<usize>,
        mode: &Mode,
        marks: &[&'static str],
    ) -> bool {
        let clause = self.clauses[at].clone();
        let passive = self.vg(at).passive;
        let to = self.end_of(clause.rest.1.saturating_sub(1)).max(from).min(self.tokens.len());
        let seeming = self.grammar.sort(&self.vg(at).lemma).seeming && !self.vg(at).copula;
        let mut mode = mode.clone();
        if seeming && self.vg(at).lemma != "feel" {
            let words = self.said(self.vg(at).head, self.vg(at).end);
            let left = self.grammar.doubts.get("hedge").copied().unwrap_or(0.3);
            mode.doubt = mode.doubt.min(left);
            mode.cues.push(crate::extract::Cue { kind: crate::extract::CueKind::Hedge, words });
        }
        let mode = &mode;
        let mut found = false;
        // "Meridian's crest is …", "her brother's Tob", "his eyes are blue".
        if !passive && let Some(np) = subject_np {
            found |= self.labelled(at, np, from, to, mode, marks);
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
        starts.truncate(8);
        let mut next = from;
        for (order, start) in starts.into_iter().enumerate() {
            if start < next {
                continue;
            }
            let start = self.skip_words(start, to);
            if let Some(end) = self.phrase(at, start, to, subjects, mode, marks) {
                found = true;
                next = end;
                continue;
            }
            if let Some(end) = self.together(at, start, to, subjects, mode, marks) {
                found = true;
                next = end;
                continue;
            }
            if passive {
                // "is wounded", and nothing else that follows from an adjective.
                let word = self.norm(start).to_owned();
                if order == 0 && self.grammar.adjectives.contains_key(&word) {
                    found |= self.adjective(at, start, subjects, mode, marks).is_some();
                }
                break;
            }
            if let Some(end) = self.adjective(at, start, subjects, mode, marks) {
                found = true;
                next = end;
                continue;
            }
            if let Some(end) = self.noun(at, start, to, subjects, mode, marks) {
                found = true;
                next = end;
                continue;
            }
            if order == 0 && !found {
                continue;
            }
        }
        found
    }

    fn in_np(&self, token: usize) -> bool {
        self.groups.nps.iter().any(|np| np.start < token && token < np.end)
    }

    fn skip_words(&self, mut token: usize, to: usize) -> usize {
        let known = |token: usize| {
            self.grammar.phrases.contains_key(self.norm(token))
                || self.grammar.adjectives.contains_key(self.norm(token))
        };
        while token < to
            && !known(token)
            && (self.grammar.class(self.norm(token)).has(Class::ADVERB.or(Class::CONJUNCTION))
                || self.norm(token) == ","
                || matches!(self.norm(token), "like" | "um" | "uh" | "er")
                || (self.norm(token).ends_with("ly") && self.norm(token).len() > 4))
            && !self.names.iter().any(|name| name.start == token)
        {
            token += 1;
        }
        token
    }

    /// Fixed words, and what stands behind them: "in the pay of the guild".
    fn phrase(
        &mut self,
        at: usize,
        start: usize,
        to: usize,
        subjects: &[Ref],
        mode: &Mode,
        marks: &[&'static str],
    ) -> Option<usize> {
        let grammar = self.grammar;
        let mut first = start;
        while first < to && is_silent(self.norm(first)) {
            first += 1;
        }
        let whos: Vec<Who> = subjects.iter().map(|subject| subject.who).collect();
        for pattern in grammar.phrases.get(plain(self.norm(first))).into_iter().flatten() {
            let Some((object, end)) = self.phrase_matched(pattern, first + 1, to) else { continue };
            let target = &grammar.targets[pattern.target];
            let mut marks = marks.to_vec();
            marks.push(if pattern.weak { "weak" } else { "strong" });
            let before = self.facts.len();
            if !target.predicate.is_relation() {
                let value = match (&pattern.value, object) {
                    (Some(value), _) => {
                        if pattern.value.as_ref().is_some_and(|value| grammar.labels.contains_key(value)) {
                            value.clone()
                        } else {
                            value.clone()
                        }
                    }
                    (None, Some(np)) => {
                        let item = self.item_of(np)?;
                        let content = self.content_of(item);
                        let end = self.value_end(item, self.clauses[at].rest.1.max(item + 1));
                        let whole = matches!(target.predicate.as_str(), "alias" | "value" | "faith" | "title");
                        let words = if whole { self.said(content, end) } else { self.said(first, end) };
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
                for subject in subjects {
                    self.state(pattern.target, subject, Err(value.clone()), "", &marks, mode, span);
                }
            } else if let Some(np) = object {
                let list =
                    self.item_of(np).map_or_else(|| vec![np], |item| self.syntax.list(item, self.groups.items.len()).0);
                let list = if list.is_empty() { vec![np] } else { list };
                let objects = self.resolve_all(&list, &whos);
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
                return Some(end);
            }
        }
        None
    }

    /// The noun group that is a phrase's object, and the token behind it.
    fn phrase_matched(&self, pattern: &Pattern, from: usize, to: usize) -> Option<(Option<usize>, usize)> {
        let mut token = from;
        let mut owner = None;
        let np_at = |token: usize| {
            self.groups.items.iter().find_map(|item| match item {
                Item::Np(np) if self.groups.nps[*np].start == token => Some(*np),
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
                    let object_end = np_at(token).map(|np| (np, self.groups.nps[np].end));
                    if let Some((np, end)) = object_end.filter(|_| token < self.tokens.len()) {
                        return Some((Some(np), end));
                    }
                    // "in love with" and adverbs.
                    if self.grammar.class(self.norm(token)).has(Class::ADVERB) && token < to {
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
                    if let Some((np, content)) = owner_at(token) {
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

    /// What several are to each other: "are allies".
    fn together(
        &mut self,
        at: usize,
        start: usize,
        to: usize,
        subjects: &[Ref],
        mode: &Mode,
        marks: &[&'static str],
    ) -> Option<usize> {
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
                // "are members of the guild" is no bond between them.
                if OF.contains(&self.norm(end)) && matches!(self.norm(end), "of" | "to" | "with") {
                    continue;
                }
                let span = self.clause_span(at, end);
                self.state(pattern.target, &a, Ok(&b), &pattern.words, marks, mode, span);
                return Some(end);
            }
        }
        None
    }

    fn in_one_np(&self, from: usize, to: usize) -> bool {
        self.groups.nps.iter().any(|np| np.start <= from && to < np.end)
    }

    /// How somebody is: "wounded".
    fn adjective(
        &mut self,
        at: usize,
        start: usize,
        subjects: &[Ref],
        mode: &Mode,
        marks: &[&'static str],
    ) -> Option<usize> {
        let word = self.norm(start).to_owned();
        if self.names.iter().any(|name| name.start <= start && start < name.end) {
            return None;
        }
        // "an angry man" is a noun group.
        let in_group = self.groups.nps.iter().any(|np| np.start <= start && start < np.end && np.head != start);
        let entries = self.grammar.adjectives.get(&word).cloned()?;
        if in_group {
            return None;
        }
        let span = self.clause_span(at, start + 1);
        let before = self.facts.len();
        for subject in subjects {
            let kinds = self.kinds(subject.who);
            let fits = entries.iter().find(|(target, _)| self.grammar.targets[*target].subject.meets(kinds));
            if let Some((target, weak)) = fits {
                let marks = [marks, &[if *weak { "weak" } else { "strong" }][..]].concat();
                let mut end = start + 1;
                // "hurt badly" stays as it is; "burned down" is one word.
                if matches!(self.norm(end), "down" | "up") {
                    end += 1;
                }
                let value = self.said(start, end);
                self.state(*target, subject, Err(value), "", &marks, mode, span);
            }
        }
        (self.facts.len() > before).then_some(start + 1)
    }

    /// What somebody is: a ferryman, Mirela's brother, a member of the guild, forty years old.
    fn noun(
        &mut self,
        at: usize,
        start: usize,
        to: usize,
        subjects: &[Ref],
        mode: &Mode,
        marks: &[&'static str],
    ) -> Option<usize> {
        let item = (self.clauses[at].rest.0..self.groups.items.len()).find(|item| self.start_of(*item) >= start)?;
        if self.start_of(item) != start || start >= to {
            return None;
        }
        let np = self.syntax.np(item)?;
        self.is_noun(np, item, subjects, mode, marks, Some(at))
    }

    /// What a noun group says of those who are it.
    fn is_noun(
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
        // "the Kestrel is Ilvane's", "it's mine".
        let mine =
            group.pronoun && matches!(self.norm(group.head), "mine" | "yours" | "his" | "hers" | "theirs" | "ours");
        if group.bare_owner || mine {
            let owners = match group.owner {
                Some(owner) => self.resolve(owner, &[]),
                None => self.resolve(np, &[]),
            };
            if let Some(owns) = self.target("OWNS", Kinds::ANY) {
                for owner in &owners {
                    for subject in subjects {
                        let at = span(self, end);
                        self.state(owns, owner, Ok(subject), "own", marks, &mode, at);
                    }
                }
            }
            return (self.facts.len() > before).then_some(end);
        }
        if group.name.is_some() && group.role.is_none() {
            // "This is Odo": a name alone says nothing, but "the Vashti".
            return None;
        }
        // Age.
        let numbers = words.iter().filter(|word| self.is_number(word)).count();
        let years = words.iter().any(|word| matches!(word.as_str(), "years" | "year" | "winters" | "summers"));
        if numbers > 0 && (numbers == words.len() || years) && group.name.is_none() {
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
                if let Some(age) = self.target("age", Kinds::ANY) {
                    for subject in subjects {
                        self.state(age, subject, Err(value.clone()), "", marks, &mode, at);
                    }
                }
                return (self.facts.len() > before).then_some(end);
            }
        }
        // A noun with an owner.
        let (related, related_end) = self.noun_relation(np, item, subjects, &mode, marks, clause);
        end = end.max(related_end);
        // What kind of person.
        let head = self.singular(self.norm(group.head));
        let kinds_of = self.kinds_of_noun(&head);
        let owned_kin = related && self.grammar.kinds_of.get(&head).is_none();
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
                    value = self.norm_said(group.head);
                }
                if name == "personality" {
                    value = self.said(content, to);
                }
                let marks = [marks, &[if weak { "weak" } else { "strong" }][..]].concat();
                let at = span(self, end);
                for subject in subjects {
                    self.state(target, subject, Err(value.clone()), "", &marks, &mode, at);
                }
                break;
            }
            // "a goblin ferryman", "a tall man".
            for token in group.content..group.head {
                let word = self.norm(token).to_owned();
                if self.names.iter().any(|name| name.start <= token && token < name.end) {
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
                let light = self.grammar.class(&head).has(Class::LIGHT_NOUN);
                let adjective = self.grammar.adjectives.get(&word).and_then(|entries| entries.first()).copied().filter(
                    |(target, _)| {
                        let name = self.grammar.targets[*target].predicate.as_str();
                        (light && !matches!(name, "emotional_state")) || name == "species"
                    },
                );
                if let Some((target, _)) = species.or(adjective) {
                    let value = self.norm_said(token);
                    let at = span(self, end);
                    for subject in subjects {
                        self.state(target, subject, Err(value.clone()), "", marks, &mode, at);
                    }
                }
            }
        }
        // "a woman of fifty-three with cropped white hair"
        if self.grammar.class(&head).has(Class::LIGHT_NOUN) || self.grammar.kinds_of.contains_key(&head) {
            let mut next = self.item_of(np).unwrap_or(item) + 1;
            while let (word @ ("of" | "with" | "in"), Some(inner)) = (self.syntax.word(next), self.syntax.np(next + 1))
            {
                let inner_group = self.groups.nps[inner].clone();
                let inner_words: Vec<String> =
                    (inner_group.content..inner_group.end).map(|at| self.norm(at).to_owned()).collect();
                let target = if word == "of" && inner_words.iter().any(|word| self.is_number(word)) {
                    self.target("age", Kinds::ANY)
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

    fn norm_said(&self, token: usize) -> String {
        self.said(token, token + 1)
    }

    /// Where the words of a noun group begin that say what somebody is.
    fn value_start(&self, group: &crate::parse::Np) -> usize {
        let mut from = group.content;
        while from < group.head
            && (is_silent(self.norm(from))
                || matches!(self.norm(from), "old" | "same" | "very" | "only" | "other" | "just" | "one"))
        {
            from += 1;
        }
        from
    }

    fn is_number(&self, word: &str) -> bool {
        word.starts_with(|c: char| c.is_ascii_digit())
            || word.split('-').all(|part| self.grammar.class(part).has(Class::NUMBER)) && !word.is_empty()
    }

    fn target(&self, name: &str, _: Kinds) -> Option<usize> {
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

    /// The attributes that a noun gives.
    fn kinds_of_noun(&self, head: &str) -> Vec<(usize, bool)> {
        if let Some(found) = self.grammar.kinds_of.get(head) {
            return found.clone();
        }
        let last = head.rsplit('-').next().unwrap_or(head);
        if last != head
            && let Some(found) = self.grammar.kinds_of.get(last)
        {
            return found.clone();
        }
        let end = self.grammar.ends.iter().find(|(end, _)| head.len() > end.len() + 2 && head.ends_with(end.as_str()));
        end.map(|(_, target)| vec![(*target, false)]).unwrap_or_default()
    }

    /// Relations by nouns: "Mirela's brother", "a member of the guild". Whether one was found, and where it ends.
    fn noun_relation(
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
        let Some(entries) = grammar.nouns.get(&last) else { return (false, 0) };
        let own_item = self.item_of(np).unwrap_or(item);
        let whos: Vec<Who> = subjects.iter().map(|subject| subject.who).collect();
        let mut owners = self.owners(np, None, &[]);
        let mut end = group.end;
        if owners.is_empty() && group.owner.is_none() && group.role.is_none() {
            let preposition = self.syntax.word(own_item + 1);
            if OF.contains(&preposition) {
                let (list, next) = self.syntax.list(own_item + 2, self.groups.items.len());
                let strict = preposition != "of";
                owners = self.resolve_all(&list, &whos);
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
        for (noun, pattern) in entries {
            let mut said: Vec<String> = words.clone();
            if let Some(word) = said.last_mut() {
                word.clone_from(&last);
            }
            if !said.ends_with(noun) {
                continue;
            }
            let target = &grammar.targets[pattern.target];
            let mut marks = marks.to_vec();
            marks.push(if pattern.weak { "weak" } else { "strong" });
            let before = self.facts.len();
            for owner in &owners {
                for subject in subjects {
                    let (a, b) = if pattern.back { (owner, subject) } else { (subject, owner) };
                    if self.kinds(a.who).meets(target.subject)
                        && self.kinds(b.who).meets(target.object)
                        && (pattern.kinds.is_any() || self.kinds(b.who).meets(pattern.kinds))
                    {
                        let relation = format!("{} of", words.join(" "));
                        self.state(pattern.target, a, Ok(b), &relation, &marks, mode, span);
                    }
                }
            }
            if self.facts.len() > before {
                return (true, end);
            }
        }
        (false, 0)
    }

    /// "Meridian's crest is a gold drill bit", "his eyes are blue", "her brother is Tob".
    fn labelled(&mut self, at: usize, np: usize, from: usize, to: usize, mode: &Mode, marks: &[&'static str]) -> bool {
        let group = self.groups.nps[np].clone();
        if group.name.is_some() || group.pronoun {
            return false;
        }
        let head = self.norm(group.head).to_owned();
        let item = self.item_of(np);
        let owners = self.owners(np, item, &["of", "for"]);
        if owners.is_empty() {
            return false;
        }
        let clause = self.clauses[at].clone();
        // "her brother is Tob"
        let next = (clause.rest.0..clause.rest.1).find(|item| self.syntax.np(*item).is_some());
        if let Some(next) = next
            && let Some(other) = self.syntax.np(next)
            && self.start_of(next) <= from + 1
            && (self.groups.nps[other].name.is_some())
            && self.groups.nps[other].owner.is_none()
            && self.grammar.nouns.contains_key(&self.singular(&head))
        {
            let (list, _) = self.syntax.list(next, clause.rest.1);
            let named = self.resolve_all(&list, &[]);
            let (found, _) = self.noun_relation(np, item.unwrap_or(0), &named, mode, marks, Some(at));
            return found;
        }
        if let Some(targets) = self.grammar.labels.get(&head).cloned() {
            let kinds: Vec<Kinds> = owners.iter().map(|owner| self.kinds(owner.who)).collect();
            let target = targets
                .iter()
                .find(|target| kinds.iter().any(|kinds| self.grammar.targets[**target].subject.meets(*kinds)))
                .copied();
            if let Some(target) = target {
                let name = self.grammar.targets[target].predicate.as_str().to_owned();
                let start = (from..to)
                    .find(|at| !is_silent(self.norm(*at)) || !matches!(self.norm(*at), "a" | "an" | "the"))
                    .unwrap_or(from);
                let start = if self.norm(start) == "to" { start + 1 } else { start };
                let mut end = to;
                if !matches!(name.as_str(), "motto" | "goals") {
                    end = (start..to).find(|at| self.norm(*at) == "," || self.norm(*at) == "but").unwrap_or(to);
                }
                let mut value = self.said(start, end);
                if matches!(head.as_str(), "hair" | "eyes" | "beard" | "face" | "skin") {
                    value = format!("{value} {head}");
                }
                let span = self.clause_span(at, end);
                for owner in &owners {
                    self.state(target, owner, Err(value.clone()), "", marks, mode, span);
                }
                return true;
            }
        }
        if let Some((target, _)) = self.grammar.has.get(&head).and_then(|entries| entries.first()).copied() {
            let end = (from..to).find(|at| self.norm(*at) == ",").unwrap_or(to);
            let value = self.said(from, end);
            let span = self.clause_span(at, end);
            for owner in &owners {
                self.state(target, owner, Err(format!("{head} {value}")), "", &[marks, &["weak"]].concat(), mode, span);
            }
            return true;
        }
        false
    }

    /// "has a scar over one eye", "has a brother, Pell", "has three hundred souls".
    fn having(&mut self, at: usize, subjects: &[Ref], mode: &Mode, marks: &[&'static str]) -> bool {
        let clause = self.clauses[at].clone();
        let Some(item) = (clause.rest.0..clause.rest.1).find(|item| self.syntax.np(*item).is_some()) else {
            return false;
        };
        let Some(np) = self.syntax.np(item) else { return false };
        let group = self.groups.nps[np].clone();
        let no = group.article.is_some_and(|at| self.norm(at) == "no");
        if no || mode.denied {
            return false;
        }
        let head = self.norm(group.head).to_owned();
        // "has a son called Pell"
        let singular = self.singular(&head);
        if self.grammar.nouns.contains_key(&singular) && group.owner.is_none() {
            let mut next = item + 1;
            if self.syntax.word(next) == ","
                || matches!(self.groups.items.get(next), Some(Item::Vg(vg)) if matches!(self.norm(self.groups.vgs[*vg].head), "called" | "named"))
            {
                next += 1;
            }
            let named = if group.name.is_some() { vec![np] } else { self.syntax.list(next, self.groups.items.len()).0 };
            let named: Vec<usize> = named.into_iter().filter(|np| self.groups.nps[*np].name.is_some()).collect();
            let refs = self.resolve_all(&named, &[]);
            if !refs.is_empty() && !subjects.is_empty() {
                let entries = self.grammar.nouns.get(&singular).cloned().unwrap_or_default();
                let span = self.clause_span(at, self.end_of(next));
                for (noun, pattern) in entries {
                    if noun.len() > 1 {
                        continue;
                    }
                    let before = self.facts.len();
                    for named in &refs {
                        for subject in subjects {
                            let (a, b) = if pattern.back { (subject, named) } else { (named, subject) };
                            self.state(pattern.target, a, Ok(b), &format!("{singular} of"), marks, mode, span);
                        }
                    }
                    if self.facts.len() > before {
                        return true;
                    }
                }
            }
        }
        let Some(entries) = self.grammar.has.get(&head).cloned() else { return false };
        let to = self.value_end(item, clause.rest.1);
        let value = self.said(self.content_of(item), to);
        let span = self.clause_span(at, to);
        let before = self.facts.len();
        for subject in subjects {
            let kinds = self.kinds(subject.who);
            if let Some((target, weak)) =
                entries.iter().find(|(target, _)| self.grammar.targets[*target].subject.meets(kinds))
            {
                let marks = [marks, &[if *weak { "weak" } else { "strong" }][..]].concat();
                self.state(*target, subject, Err(value.clone()), "", &marks, mode, span);
            }
        }
        self.facts.len() > before
    }

    // --- Beside names ---------------------------------------------------------------------------------------------------

    /// What stands beside names: "her brother Pell", "Pell, ferryman at the quay", "Pell (ferryman)".
    pub(crate) fn appositions(&mut self, modes: &[Mode]) {
        let whole = self.whole(false);
        for np in 0..self.groups.nps.len() {
            let group = self.groups.nps[np].clone();
            if group.by_name && group.name.is_none() && group.owner.is_none() {
                continue;
            }
            let Some(item) = self.item_of(np) else { continue };
            // Doubt and attribution are those of the clause around it.
            let around = self
                .clauses
                .iter()
                .zip(modes)
                .rev()
                .find(|(clause, _)| clause.start <= item)
                .map(|(_, mode)| mode.clone());
            let mut mode = around.unwrap_or_else(|| whole.clone());
            if whole.dead {
                continue;
            }
            mode.dead = whole.dead;
            mode.denied = false;
            mode.over = false;
            mode.nested = false;
            // "her brother Pell", "the goblin Dross"
            if group.name.is_some()
                && let Some((from, to)) = group.role
            {
                let titles =
                    (from..to).all(|at| self.grammar.class(self.norm(at)).has(Class::TITLE) || self.tokens[at].capital);
                let refs = self.resolve(np, &[]);
                if group.owner.is_some() || !titles {
                    self.is_noun(np, item, &refs, &mode, &[], None);
                }
                continue;
            }
            let open = self.syntax.word(item + 1).to_owned();
            if !matches!(open.as_str(), "," | "(" | "\u{2014}" | ":") {
                continue;
            }
            let Some(next) = self.syntax.np(item + 2) else { continue };
            let other = self.groups.nps[next].clone();
            let ends = self.after_np(item + 2);
            let closes = matches!(ends.as_str(), "," | ")" | "\u{2014}" | "." | "" | "!" | ";" | "who" | "which");
            // "Pell, Mirela's brother, …"
            if group.name.is_some() && other.name.is_none() && !other.pronoun && closes {
                let in_list = open == "," && self.syntax.list(item, self.groups.items.len()).0.contains(&next);
                // The subject of its own verb is no apposition.
                let own_clause =
                    self.clauses.iter().any(|clause| clause.subjects.contains(&next) && clause.from == From::Direct);
                if !in_list && !own_clause {
                    let refs = self.resolve(np, &[]);
                    self.is_noun(next, item + 2, &refs, &mode, &[], None);
                }
            }
            // "Mirela's brother, Pell, …"
            if group.name.is_none()
                && other.name.is_some()
                && other.role.is_none()
                && other.owner.is_none()
                && closes
                && open == ","
                && group.owner.is_some()
            {
                let refs = self.resolve(next, &[]);
                self.noun_relation(np, item, &refs, &mode, &[], None);
            }
        }
    }

    /// The word behind a noun group and what belongs to it.
    fn after_np(&self, item: usize) -> String {
        let mut at = item + 1;
        while self.syntax.is_preposition(at) && self.syntax.np(at + 1).is_some() {
            at += 2;
        }
        match self.groups.items.get(at) {
            None => String::new(),
            Some(Item::Tok(token))
                if matches!(self.tokens[*token].sort, Sort::Mark | Sort::Word) && !is_pronoun(self.norm(*token))
                    || matches!(self.groups.items.get(at), Some(Item::Tok(_))) =>
            {
                self.syntax.word(at).to_owned()
            }
            _ => "verb".into(),
        }
    }
}
