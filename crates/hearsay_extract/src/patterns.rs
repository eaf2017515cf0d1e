//! Matches word patterns with the groups after a verb.

use crate::{
    grammar::{Class, Part, Pattern, plain},
    mentions::Who,
    parse::Item,
    read::{Reader, Ref},
};

/// Match of a pattern. `object` is the first item of the list of objects. If the object is an owner, it is in `second`
/// instead.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Hit {
    pub(crate) object: Option<usize>,
    pub(crate) second: Option<usize>,
    /// The item after the matched items.
    pub(crate) end: usize,
    pub(crate) skipped: bool,
}

/// Adverbs that can precede the preposition of a place: "down at the mill".
pub(crate) const PARTICLES: [&str; 9] = ["down", "up", "over", "back", "round", "around", "through", "across", "along"];

/// Words that emphasise a place: "right in the middle".
pub(crate) const EXACTLY: [&str; 8] = ["right", "smack", "bang", "slap", "dead", "deep", "high", "low"];

impl Reader<'_> {
    /// Matches the parts of a pattern with the items from `from` up to `to`. Returns `None` if they do not match.
    pub(crate) fn matched(&self, parts: &[Part], from: usize, to: usize, may_skip: bool) -> Option<Hit> {
        let hit = Hit { object: None, second: None, end: from, skipped: false };
        self.go(parts, from, to, may_skip, hit, 0)
    }

    pub(crate) fn go(
        &self,
        parts: &[Part],
        item: usize,
        to: usize,
        may_skip: bool,
        hit: Hit,
        depth: usize,
    ) -> Option<Hit> {
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
                    // Several words of the pattern can belong to one group: "a full member".
                    let group = &self.groups.nps[np];
                    let mut left = parts;
                    let mut token = group.content.min(group.head);
                    // Example: "have no quarrel with"
                    let no = group.article.is_some_and(|at| self.norm(at) == "no") && *word != "no";
                    if (group.name.is_none() || group.pronoun) && !no {
                        while token < group.end {
                            if let Some(Part::Word(word)) = left.first()
                                && self.norm(token + 1) != "'s"
                                && (plain(self.norm(token)) == word || self.norm(token).strip_suffix('s') == Some(word))
                            {
                                left = &left[1..];
                            }
                            token += 1;
                        }
                    }
                    if left.len() < parts.len() {
                        // The object can be an owner: "serves at Odo's pleasure" matches the pattern "at the pleasure
                        // of".
                        if left.len() == 2
                            && left[0] == Part::Word("of".into())
                            && left[1] == Part::Object
                            && group.owner.is_some()
                            && !group.by_name
                        {
                            let owner = group.owner;
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
                    // An infinitive such as "to get" is one group.
                    if word == "to"
                        && group.form == crate::parse::VerbForm::Infinitive
                        && let Some(Part::Word(verb)) = parts.get(1)
                        && (group.lemma == *verb || self.norm(group.head) == verb)
                    {
                        return self.go(&parts[2..], item + 1, to, false, hit, depth + 1);
                    }
                    if group.lemma == *word || self.norm(group.head) == word {
                        return self.go(&parts[1..], item + 1, to, false, hit, depth + 1);
                    }
                }
                if self.is_skippable(item) {
                    return self.go(parts, item + 1, to, may_skip, hit, depth + 1);
                }
                // Example: "works at the mill for Odo"
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

    pub(crate) fn is_skippable(&self, item: usize) -> bool {
        match self.groups.items.get(item) {
            Some(Item::Tok(at)) => {
                let token = &self.tokens[*at];
                let places = self.syntax.is_preposition(item + 1);
                // Examples: "down at the mill", "right in the middle"
                places && (PARTICLES.contains(&token.norm.as_str()) || EXACTLY.contains(&token.norm.as_str()))
                    || token.is("alone")
                    || token.is_word()
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

    /// Returns the entities that the object of a matched pattern refers to.
    pub(crate) fn objects(&mut self, hit: &Hit, to: usize, not: &[Who], pattern: &Pattern) -> Vec<Ref> {
        let (list, item) = match (hit.object, hit.second) {
            (Some(item), _) => (self.syntax.list(item, to).0, Some(item)),
            // The object is an owner; `go` stores its index as `usize::MAX - index`.
            (None, Some(owner)) if owner > usize::MAX / 2 => (vec![usize::MAX - owner], None),
            _ => return Vec::new(),
        };
        // Example: "swear to no Thane"
        let nobody =
            |np: &usize| self.groups.nps[*np].article.is_some_and(|at| matches!(self.norm(at), "no" | "neither"));
        if list.iter().any(nobody) {
            return Vec::new();
        }
        let mut refs = self.resolve_all(&list, not);
        // The whole can stand for its part: "under the porch of St. Orrin's", "caused by Meridian's refusal".
        let whole = self.grammar.targets[pattern.target].holds_of_wholes();
        if refs.is_empty()
            && whole
            && let [np] = list[..]
        {
            refs = self.owners(np, item, &["of"]);
            for found in &mut refs {
                found.second = found.second.or(Some("far_object"));
            }
        }
        // Example: "owns all of Eastgate"
        if refs.is_empty()
            && let [np] = list[..]
            && matches!(
                self.norm(self.groups.nps[np].head),
                "all" | "half" | "most" | "much" | "part" | "rest" | "everything"
            )
        {
            refs = self.owners(np, item, &["of", "in"]);
        }
        // "Owes Odo money" has two objects; "Odo" is not the owner of the money.
        let gives = matches!(self.grammar.targets[pattern.target].predicate.as_str(), "OWES" | "PROMISED");
        if refs.is_empty()
            && gives
            && let [np] = list[..]
            && self.groups.nps[np].by_name
            && let Some(owner) = self.groups.nps[np].owner
        {
            refs = self.resolve(owner, not);
        }
        // If a pattern has two objects, its required classes apply to the second one.
        refs.retain(|found| self.kinds(found.who).meets(pattern.kinds) || hit.second.is_some());
        refs
    }
}
