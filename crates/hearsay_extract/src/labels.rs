//! Reads facts from possessions and body parts: "his eyes are blue", "has a scar over one eye".

use crate::{being::Saying, grammar::is_silent, kinds::Kinds, parse::Item, read::Reader};

impl Reader<'_> {
    /// Reads a clause whose subject is owned by an entity: "Meridian's crest is a gold drill bit", "his eyes are blue",
    /// "her brother is Tob". The fact is recorded about the owner.
    ///
    /// Returns whether the clause was read.
    pub(crate) fn labelled(&mut self, saying: Saying<'_>, np: usize, from: usize, to: usize) -> bool {
        let Saying { at, mode, marks, .. } = saying;
        let group = self.groups.nps[np].clone();
        if group.name.is_some() || group.pronoun {
            return false;
        }
        let head = self.norm(group.head).to_owned();
        let item = self.item_of(np);
        let mut owners = self.owners(np, item, &["of", "for"]);
        if owners.is_empty() && self.grammar.labels.contains_key(&head) {
            // Example: "the air on Deck Nine"
            owners = self.owners(np, item, &["on", "in", "at", "over"]);
            owners.retain(|owner| self.kinds(owner.who) == Kinds::PLACE);
        }
        let clause = self.clauses[at].clone();
        // Example: "your fixer for this one is Cassius Moon"
        let named = (clause.rest.0..clause.rest.1)
            .find_map(|item| self.syntax.np(item))
            .filter(|other| self.groups.nps[*other].name.is_some() && self.groups.nps[*other].owner.is_none())
            .filter(|other| self.groups.nps[*other].start <= from + 2);
        if let Some(named) = named
            && (owners.is_empty() || !self.kinds_of_noun(&self.singular(&head)).is_empty())
            && !self.grammar.labels.contains_key(&head)
        {
            let refs = self.resolve(named, &[]);
            if self.is_noun(np, item.unwrap_or(0), &refs, mode, &[marks, &["turned"]].concat(), Some(at)).is_some() {
                return true;
            }
        }
        if owners.is_empty() {
            return false;
        }
        // Example: "her brother is Tob"
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
                let end = match name.as_str() {
                    // A motto or goal extends to the end of the sentence.
                    "motto" | "goals" => {
                        self.tokens.len() - usize::from(self.tokens.last().is_some_and(|last| last.is_mark(".!;")))
                    }
                    _ => (start..to).find(|at| matches!(self.norm(*at), "," | "but")).unwrap_or(to),
                };
                let mut value = self.said(start, end);
                if matches!(head.as_str(), "hair" | "eyes" | "beard" | "face" | "skin") {
                    value = self.said(group.content, end);
                }
                let span = self.clause_span(at, end);
                let marks = [marks, &["by_label"]].concat();
                for owner in &owners {
                    self.state(target, owner, Err(value.clone()), "", &marks, mode, span);
                }
                return true;
            }
        }
        if let Some((target, _)) = self.grammar.has.get(&head).and_then(|entries| entries.first()).copied() {
            let target = self.hurt(from, to).unwrap_or(target);
            let end = (from..to).find(|at| self.norm(*at) == ",").unwrap_or(to);
            let value = self.said(group.content, end);
            let span = self.clause_span(at, end);
            for owner in &owners {
                self.state(target, owner, Err(value.clone()), "", &[marks, &["by_feature"]].concat(), mode, span);
            }
            return true;
        }
        false
    }

    /// Returns the index of the target `condition` if a word says that something is injured or damaged: "his arm is
    /// broken". Returns `None` if the words only describe an appearance.
    fn hurt(&self, from: usize, to: usize) -> Option<usize> {
        let condition = self.target("condition")?;
        let hurts = |token: usize| {
            let entries = self.grammar.adjectives.get(self.norm(token));
            entries.and_then(|entries| entries.first()).is_some_and(|(target, _)| *target == condition)
        };
        (from..to).any(hurts).then_some(condition)
    }

    /// Reads a clause with the verb "have": "has a scar over one eye", "has a brother, Pell", "has three hundred
    /// souls".
    ///
    /// Returns whether a fact was recorded.
    pub(crate) fn having(&mut self, saying: Saying<'_>) -> bool {
        let Saying { at, subjects, mode, marks } = saying;
        let clause = self.clauses[at].clone();
        let Some(item) = (clause.rest.0..clause.rest.1).find(|item| self.syntax.np(*item).is_some()) else {
            return false;
        };
        let Some(np) = self.syntax.np(item) else { return false };
        let group = self.groups.nps[np].clone();
        // Example: "has got the shakes"
        let ill = self.grammar.has.get(self.norm(group.head)).and_then(|all| all.first()).map(|(target, _)| *target);
        let ill = ill.is_some() && ill == self.target("condition");
        let no = group.article.is_some_and(|at| self.norm(at) == "no" || (self.norm(at) == "the" && !ill));
        if no || mode.denied {
            return false;
        }
        let head = self.norm(group.head).to_owned();
        // Example: "has a son called Pell"
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
        // Example: "has a population of four thousand"
        if let Some(targets) = self.grammar.labels.get(&head).cloned()
            && matches!(self.syntax.word(item + 1), "of" | ":")
            && subjects.len() == 1
            && !self.grammar.has.contains_key(&head)
        {
            let kinds = self.kinds(subjects[0].who);
            let target = targets.iter().find(|target| self.grammar.targets[**target].subject.meets(kinds)).copied();
            if let Some(target) = target {
                let (from, to) = (self.start_of(item + 2), self.end_of(clause.rest.1.saturating_sub(1)));
                let (value, span) = (self.said(from, to), self.clause_span(at, to));
                self.state(target, &subjects[0], Err(value), "", &[marks, &["by_label"]].concat(), mode, span);
                return true;
            }
        }
        let Some(entries) = self.grammar.has.get(&head).cloned() else { return false };
        let mut to = self.value_end(item, clause.rest.1);
        if self.syntax.word(item + 1) == "like" && self.syntax.np(item + 2).is_some() {
            to = self.value_end(item + 2, clause.rest.1.max(item + 3));
        }
        let value = self.said(self.content_of(item), to);
        let span = self.clause_span(at, to);
        let before = self.facts.len();
        // Example: "has freckles, a gap between her teeth and a scar"
        for next in item + 1..clause.rest.1 {
            let joined = matches!(self.syntax.word(next - 1), "," | "and");
            let Some(np) = self.syntax.np(next).filter(|np| joined && self.groups.nps[*np].name.is_none()) else {
                continue;
            };
            let other = self.grammar.has.get(self.norm(self.groups.nps[np].head)).and_then(|all| all.first()).copied();
            let Some((target, _)) = other else { continue };
            let end = self.value_end(next, clause.rest.1);
            let (value, span) = (self.said(self.content_of(next), end), self.clause_span(at, end));
            for subject in subjects {
                self.state(target, subject, Err(value.clone()), "", &[marks, &["by_having"]].concat(), mode, span);
            }
        }
        for subject in subjects {
            let kinds = self.kinds(subject.who);
            if let Some((target, weak)) =
                entries.iter().find(|(target, _)| self.grammar.targets[*target].subject.meets(kinds))
            {
                let marks = [marks, &[if *weak { "weak" } else { "strong" }, "by_having"][..]].concat();
                // A broken nose is recorded as appearance, not as a condition.
                let face = matches!(head.as_str(), "nose" | "tooth" | "teeth" | "face" | "smile" | "voice");
                let hurt = self.hurt(self.content_of(item), to).filter(|_| !face);
                let target = &hurt.unwrap_or(*target);
                self.state(*target, subject, Err(value.clone()), "", &marks, mode, span);
            }
        }
        self.facts.len() > before
    }
}
