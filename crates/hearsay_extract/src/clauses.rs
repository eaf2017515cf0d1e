//! Builds clauses from groups of words: the subject and verb of each clause, and the clause that it depends on.

use crate::{
    grammar::{Class, Grammar},
    parse::{Groups, Item, VerbForm, Vg},
    token::{Sort, Token},
};

/// How the subject of a clause was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum From {
    /// The subject precedes the verb.
    Direct,
    /// The clause shares the subject of an earlier clause.
    Shared,
    /// The subject is the antecedent of "who" or "which".
    Antecedent,
    /// The subject follows the verb.
    Inverted,
    /// The subject is the same as the subject or the object of the parent clause.
    Control,
    /// The clause has no subject.
    Nobody,
}

/// How a clause depends on its parent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Bond {
    Main,
    /// Clause with the content of speech, thought or knowledge.
    Complement,
    /// Relative clause: "who", "which".
    Relative,
    /// Infinitive clause: "to …".
    Infinitive,
    /// Adverbial clause, with its conjunction: "because", "when".
    Adverbial(String),
    /// Participle clause.
    Reduced,
}

/// Returns whether a word is an interjection, such as "yes" or "well".
fn is_interjection(word: &str) -> bool {
    matches!(
        word,
        "yes" | "no" | "well" | "er" | "um" | "uh" | "okay" | "ok" | "yeah" | "aye" | "oh" | "right" | "sure"
    )
}

impl Clause {
    pub(crate) fn bond(&self) -> &Bond {
        &self.bond
    }
}

#[derive(Debug, Clone)]
pub(crate) struct Clause {
    pub(crate) vg: usize,
    pub(crate) subjects: Vec<usize>,
    pub(crate) from: From,
    /// Range of the items after the verb that belong to the clause.
    pub(crate) rest: (usize, usize),
    /// First item of the clause.
    pub(crate) start: usize,
    pub(crate) verb: usize,
    pub(crate) parent: Option<usize>,
    pub(crate) bond: Bond,
}

/// Maximum number of noun groups that are read from a list.
pub(crate) const MOST_LISTED: usize = 12;

pub(crate) struct Clauses<'a> {
    pub(crate) tokens: &'a [Token],
    pub(crate) grammar: &'a Grammar,
    pub(crate) groups: &'a Groups,
}

impl<'a> Clauses<'a> {
    pub(crate) fn word(&self, item: usize) -> &'a str {
        match self.groups.items.get(item) {
            Some(Item::Tok(at)) => self.tokens[*at].norm.as_str(),
            _ => "",
        }
    }

    fn class(&self, item: usize) -> Class {
        match self.groups.items.get(item) {
            Some(Item::Tok(at)) if self.tokens[*at].is_word() => self.grammar.class(&self.tokens[*at].norm),
            _ => Class::default(),
        }
    }

    pub(crate) fn np(&self, item: usize) -> Option<usize> {
        match self.groups.items.get(item) {
            Some(Item::Np(np)) => Some(*np),
            _ => None,
        }
    }

    fn vg(&self, item: usize) -> Option<&'a Vg> {
        match self.groups.items.get(item) {
            Some(Item::Vg(vg)) => Some(&self.groups.vgs[*vg]),
            _ => None,
        }
    }

    fn is_quote(&self, item: usize) -> bool {
        matches!(self.groups.items.get(item), Some(Item::Tok(at)) if matches!(self.tokens[*at].sort, Sort::Quote(_)))
    }

    pub(crate) fn has_quote(&self) -> bool {
        (0..self.groups.items.len()).any(|item| self.is_quote(item))
    }

    pub(crate) fn is_preposition(&self, item: usize) -> bool {
        let word = self.word(item);
        self.class(item).has(Class::PREPOSITION)
            && !matches!(word, "as")
            && !(matches!(word, "since" | "until" | "till" | "before" | "after")
                && self.vg(item + 2).is_some_and(|vg| vg.form == VerbForm::Finite))
    }

    fn is_and(&self, item: usize) -> bool {
        matches!(self.word(item), "and" | "or" | "+" | "&" | "nor" | "plus")
    }

    fn is_relative(&self, item: usize) -> bool {
        matches!(self.word(item), "who" | "which" | "that" | "whom")
    }

    fn is_boundary(&self, item: usize) -> bool {
        let word = self.word(item);
        matches!(word, ":" | "\u{2014}" | "-" | "(" | ")" | ";" | "." | "!" | "?" | "\u{2026}")
            || (word == "but" && !item.checked_sub(1).is_some_and(|before| self.is_nobody(before)))
            || self.is_quote(item)
    }

    fn is_adverbial(&self, item: usize) -> bool {
        // Examples: "works as a scribe", "as tall as the door"
        let clause =
            |item: usize| self.np(item).is_some() && self.vg(item + 1).is_some_and(|vg| vg.form == VerbForm::Finite);
        if self.word(item) == "as" && !clause(item + 1) {
            return false;
        }
        self.class(item).has(Class::SUBORDINATOR) && !self.is_preposition(item)
    }

    /// Returns the clauses of a sentence, in order.
    pub(crate) fn all(&self) -> Vec<Clause> {
        let mut clauses: Vec<Clause> = Vec::new();
        let items = &self.groups.items;
        for (verb, item) in items.iter().enumerate() {
            let Item::Vg(vg) = *item else { continue };
            let group = &self.groups.vgs[vg];
            let clause = match group.form {
                VerbForm::Finite => self.finite(verb, vg, &clauses),
                _ => self.dependent(verb, vg, &clauses),
            };
            clauses.push(clause);
        }
        // A participle before its subject takes the subject of the next clause: "Hired by Odo, Pell works …".
        for at in 0..clauses.len() {
            let silent = self.groups.vgs[clauses[at].vg].silent && clauses[at].verb == 0;
            let first =
                clauses[..at].iter().all(|other| other.bond == Bond::Reduced && other.start < clauses[at].start);
            let reduced = clauses[at].bond == Bond::Reduced
                && (clauses[at].start == 0 || (at > 0 && first && self.is_led(&clauses[at])));
            if (clauses[at].subjects.is_empty() || clauses[at].start > 0) && (reduced || silent) {
                let next = clauses[at + 1..]
                    .iter()
                    .find(|clause| clause.from == From::Direct)
                    .map(|clause| clause.subjects.clone());
                clauses[at].subjects = next.unwrap_or_default();
            }
        }
        for at in 0..clauses.len() {
            let verb = clauses[at].verb;
            let next = clauses.iter().filter(|other| other.start > verb).map(|other| other.start).min();
            let mut end = next.unwrap_or(items.len());
            let stop = (verb + 1..end).find(|item| {
                self.is_boundary(*item)
                    || (self.is_adverbial(*item) && self.word(*item) != "so")
                    || (self.is_relative(*item) && self.word(*item) != "that")
            });
            end = stop.unwrap_or(end);
            clauses[at].rest = (verb + 1, end.max(verb + 1));
            if clauses[at].from == From::Inverted
                || (clauses[at].from == From::Nobody
                    && self.groups.vgs[clauses[at].vg].form == VerbForm::Finite
                    && (self.is_quote(verb.wrapping_sub(1))))
            {
                let list = self.list(verb + 1, end);
                if !list.0.is_empty() {
                    clauses[at].subjects = list.0;
                    clauses[at].from = From::Inverted;
                    clauses[at].rest.0 = list.1;
                    // In "In the cellar lies the ledger", the words before the verb are read as if they followed it.
                    let (start, ends) = (clauses[at].start, list.1 >= end || self.word(list.1) == ",");
                    let ends = ends || self.groups.vgs[clauses[at].vg].passive;
                    if ends && start < verb && self.is_preposition(start) {
                        clauses[at].rest = (start, verb);
                    }
                }
            }
        }
        clauses
    }

    /// Returns whether a participle is one of several that precede their subject: "Loved by some, loathed by others,
    /// the Widow …"
    fn is_led(&self, clause: &Clause) -> bool {
        let joined = clause.start == clause.verb || self.word(clause.start) == ",";
        let behind = (clause.verb..self.groups.items.len()).find(|item| self.word(*item) == ",");
        joined && behind.is_some_and(|comma| self.np(comma + 1).is_some() && self.vg(comma + 2).is_some())
    }

    /// Returns whether an item is a word such as "nobody" or "everyone", as in "nobody but Hope".
    fn is_nobody(&self, item: usize) -> bool {
        let no_one = self.np(item).is_some_and(|np| {
            let group = &self.groups.nps[np];
            self.tokens[group.head].norm == "one" && group.article.is_some_and(|at| self.tokens[at].norm == "no")
        });
        if no_one {
            return true;
        }
        let head = |np: usize| self.tokens[self.groups.nps[np].head].norm.as_str();
        self.np(item).is_some_and(|np| {
            matches!(
                head(np),
                "nobody" | "noone" | "nothing" | "none" | "anyone" | "anybody" | "everyone" | "everybody"
            )
        })
    }

    /// Returns the list of noun groups that begins at an item, such as "Odo, Bram and Pell", and the item after the
    /// list.
    pub(crate) fn list(&self, from: usize, end: usize) -> (Vec<usize>, usize) {
        let mut at = from;
        while at < end && (self.class(at).has(Class::ADVERB) && !self.is_preposition(at)) {
            at += 1;
        }
        if self.is_nobody(at) && matches!(self.word(at + 1), "but" | "except" | "save") && self.np(at + 2).is_some() {
            at += 2;
        }
        let Some(first) = self.np(at).filter(|_| at < end) else { return (Vec::new(), from) };
        let mut list = vec![first];
        at += 1;
        while list.len() < MOST_LISTED {
            let mut next = at;
            if self.word(next) == "," {
                next += 1;
            }
            let and = self.is_and(next);
            if and {
                next += 1;
            }
            let Some(np) = self.np(next).filter(|_| next < end && next > at) else { break };
            // A comma joins two noun groups only if an "and" follows later in the list.
            if !and && !self.is_listed(next + 1, end) {
                break;
            }
            list.push(np);
            at = next + 1;
        }
        (list, at)
    }

    /// Returns whether the list that continues at an item contains an "and".
    fn is_listed(&self, mut item: usize, end: usize) -> bool {
        for _ in 0..MOST_LISTED {
            if self.word(item) == "," {
                item += 1;
            } else if !self.is_and(item) {
                return false;
            }
            if self.is_and(item) {
                return item + 1 < end && self.np(item + 1).is_some();
            }
            if self.np(item).is_none() || item >= end {
                return false;
            }
            item += 1;
        }
        false
    }

    fn finite(&self, verb: usize, vg: usize, before: &[Clause]) -> Clause {
        let (subjects, start, from) = self.subject(verb, before);
        let mut clause =
            Clause { vg, subjects, from, rest: (verb + 1, verb + 1), start, verb, parent: None, bond: Bond::Main };
        let previous = start.checked_sub(1);
        let last_before = |limit: usize| before.iter().rposition(|other| other.verb < limit);
        if from == From::Antecedent {
            clause.bond = Bond::Relative;
            clause.parent = last_before(start);
            return clause;
        }
        if from == From::Shared
            && self.groups.vgs[vg].base
            && let Some(other) = before.last()
            && other.bond == Bond::Infinitive
        {
            // Example: "promised to return and marry her"
            clause.parent = other.parent;
            clause.bond = Bond::Infinitive;
            return clause;
        }
        if from == From::Shared {
            // A clause with a shared subject also shares the parent: "says that he came and took it".
            if let Some(other) = before.iter().rposition(|other| self.groups.vgs[other.vg].form == VerbForm::Finite) {
                clause.parent = before[other].parent;
                clause.bond = before[other].bond.clone();
            }
            return clause;
        }
        let Some(previous) = previous else { return clause };
        // Example: "allows that, yes, he belongs"
        let mut introducer = previous;
        while introducer > 0 && (self.word(introducer) == "," || is_interjection(self.word(introducer))) {
            introducer -= 1;
        }
        let word = self.word(introducer);
        // Example: "Bolt logged it: the Captain has the core"
        if matches!(word, ":" | "\u{2014}") {
            clause.parent = self.teller(before, introducer).filter(|_| word == ":");
            if clause.parent.is_some() {
                clause.bond = Bond::Complement;
                return clause;
            }
        }
        if matches!(
            word,
            "that"
                | "how"
                | "why"
                | "where"
                | "what"
                | "because"
                | "when"
                | "while"
                | "since"
                | "after"
                | "before"
                | "until"
                | "till"
                | "although"
                | "though"
                | "if"
                | "unless"
                | "whether"
                | "as"
                | "so"
                | "once"
                | "whenever"
                | "whereas"
                | "lest"
        ) {
            let mut parent = last_before(introducer);
            // Example: "maintains, and nobody can gainsay her, that …"
            let takes = |parent: usize| {
                let other: &Clause = &before[parent];
                let copula = self.groups.vgs[other.vg].copula;
                self.takes_complement(other) && (!copula || other.verb + 1 == introducer)
            };
            let aside = parent.is_some_and(|parent| before[parent].bond == Bond::Relative)
                && self.word(introducer.wrapping_sub(1)) == ",";
            if word == "that" && (aside || !parent.is_some_and(takes)) {
                parent = self.teller(before, introducer).or(parent);
            }
            clause.parent = parent;
            clause.start = introducer;
            let said = parent.is_some_and(|parent| self.takes_complement(&before[parent]));
            clause.bond = if word == "that" || (said && matches!(word, "how" | "why" | "where" | "what")) {
                Bond::Complement
            } else {
                Bond::Adverbial(word.to_owned())
            };
            if word == "that" && !said {
                clause.bond = Bond::Complement;
            }
            return clause;
        }
        // Example: "a table nobody dares to sit at"
        if self.np(previous).is_some()
            && from == From::Direct
            && last_before(start).is_some_and(|parent| !self.takes_complement(&before[parent]))
        {
            clause.bond = Bond::Relative;
            clause.parent = last_before(start);
            return clause;
        }
        // Examples: "Pike says Sela left", "Pike told me Sela left"
        let directly = self.vg(previous).is_some() || self.np(previous).is_some();
        if directly
            && let Some(parent) = last_before(start)
            && self.takes_complement(&before[parent])
        {
            clause.parent = Some(parent);
            clause.bond = Bond::Complement;
            return clause;
        }
        if self.is_and(previous) || (word == "," && self.is_and(introducer)) {
            // Example: "says that he came and she went"
            if let Some(other) = before.iter().rposition(|other| self.groups.vgs[other.vg].form == VerbForm::Finite)
                && before[other].bond == Bond::Complement
            {
                clause.parent = before[other].parent;
                clause.bond = Bond::Complement;
            }
            clause.start = previous;
        }
        clause
    }

    /// Returns the last clause before an item that has a verb of speech or thought.
    fn teller(&self, before: &[Clause], item: usize) -> Option<usize> {
        before.iter().rposition(|other| {
            let vg = &self.groups.vgs[other.vg];
            let sort = self.grammar.sort(&vg.lemma);
            let aside =
                other.bond == Bond::Relative && self.word(item) == "that" && self.word(item.wrapping_sub(1)) == ",";
            other.verb < item && vg.form == VerbForm::Finite && (sort.speech || sort.thought) && !aside
        })
    }

    /// Returns whether a clause announces news, as in "brings word that …".
    pub(crate) fn brings_word(&self, clause: &Clause) -> bool {
        let vg = &self.groups.vgs[clause.vg];
        let word = self.np(clause.verb + 1).map(|np| self.tokens[self.groups.nps[np].head].norm.as_str());
        matches!(vg.lemma.as_str(), "bring" | "send" | "carry" | "give" | "deliver")
            && matches!(word, Some("word" | "news" | "tidings" | "report"))
    }

    fn takes_complement(&self, clause: &Clause) -> bool {
        let vg = &self.groups.vgs[clause.vg];
        let sort = self.grammar.sort(&vg.lemma);
        sort.speech || sort.thought || sort.factive || sort.seeming || vg.copula || self.brings_word(clause)
    }

    /// Returns the subject of a finite verb, the item where its clause begins, and how the subject was found.
    fn subject(&self, verb: usize, before: &[Clause]) -> (Vec<usize>, usize, From) {
        let mut k = verb;
        // Skips adverbs before the verb.
        while k > 0
            && (self.class(k - 1).has(Class::ADVERB) || matches!(self.word(k - 1), "both" | "all" | "each"))
            && !self.is_preposition(k - 1)
        {
            k -= 1;
        }
        let Some(previous) = k.checked_sub(1) else { return (Vec::new(), verb, From::Nobody) };
        if self.is_relative(previous) {
            if let Some((np, start)) = self.antecedent(previous) {
                let _ = start;
                return (np, previous, From::Antecedent);
            }
            return (Vec::new(), previous, From::Nobody);
        }
        let shared = |start: usize| {
            // In "there's Odo, who runs it, and hates her", the clause "there is" has no subject to share.
            let finite = |other: &&Clause| {
                let nobody = other.subjects.is_empty() && before.iter().any(|other| !other.subjects.is_empty());
                self.groups.vgs[other.vg].form == VerbForm::Finite && !nobody
            };
            // After a comma, the main clause continues, not the relative clause: "a table nobody dares to sit at, and
            // has".
            let comma = self.word(start) == ",";
            let main = before.iter().rev().filter(finite).find(|other| !comma || other.bond != Bond::Relative);
            match main.or(before.iter().rev().find(finite)) {
                Some(other) => (other.subjects.clone(), start, From::Shared),
                None => (Vec::new(), start, From::Nobody),
            }
        };
        if self.is_and(previous) || matches!(self.word(previous), "but" | "then" | "yet") {
            let start = if previous > 0 && self.word(previous - 1) == "," { previous - 1 } else { previous };
            return shared(start);
        }
        if self.word(previous) == "," || self.word(previous) == ")" || self.word(previous) == "\u{2014}" {
            // Between commas: "Pell, ferryman at the quay, owes".
            let mark = if self.word(previous) == ")" { "(" } else { self.word(previous) };
            let open = (0..previous).rev().find(|item| {
                let aside = mark == "," && matches!(self.word(*item), "\u{2014}" | "(");
                self.word(*item) == mark || (aside && *item > 0 && self.np(*item - 1).is_some())
            });
            if let Some(open) = open.filter(|open| *open > 0)
                && self.np(open - 1).is_some()
                && !(open..previous).any(|item| {
                    self.vg(item).is_some_and(|vg| {
                        let sort = self.grammar.sort(&vg.lemma);
                        let aside = matches!(vg.lemma.as_str(), "turn" | "seem" | "appear" | "happen" | "transpire");
                        vg.form == VerbForm::Finite && !(sort.speech || sort.thought || aside)
                    }) && !(open..item).any(|item| self.is_relative(item))
                })
            {
                let named = self.beside(open - 1);
                // Example: "that sword, the Sunblade, belongs"
                let is_named = |item: usize| self.np(item).is_some_and(|np| self.groups.nps[np].name.is_some());
                // Example: "The captain of the watch, Reyk Dorn, is"
                let other = !is_named(named) || (named > 0 && self.is_preposition(named - 1));
                let only = mark == "," && open + 2 == previous && is_named(open + 1) && other;
                let named = if only { open + 1 } else { named };
                return self.subject_ending(named, before).unwrap_or_else(|| shared(previous));
            }
            // In "so Tob, he owes", the noun group directly before the comma is the subject.
            if previous > 0 && self.np(previous - 1).is_some() && before.is_empty() {
                return self.subject_ending(previous - 1, before).unwrap_or_else(|| shared(previous));
            }
            return shared(previous);
        }
        if self.np(previous).is_some() {
            // Example: "Odo the gunsmith"
            let named = self.beside(previous);
            let named = if named + 1 == previous { named } else { previous };
            return self.subject_ending(named, before).unwrap_or_else(|| shared(previous));
        }
        // Example: "let slip that"
        if self.vg(previous).is_some_and(|vg| vg.lemma == "let") {
            return shared(verb);
        }
        (Vec::new(), verb, From::Nobody)
    }

    /// Returns the item of the name that a noun group describes, as in "Odo, gunsmith, who …" or "Odo the gunsmith".
    /// Returns the item of the noun group itself if it describes no name.
    fn beside(&self, item: usize) -> usize {
        let is_named = |item: usize| self.np(item).is_some_and(|np| self.groups.nps[np].name.is_some());
        let plain = self.np(item).is_some_and(|np| {
            let group = &self.groups.nps[np];
            group.name.is_none() && !group.pronoun && group.owner.is_none()
        });
        match (item.checked_sub(1), item.checked_sub(2)) {
            (Some(before), _) if plain && is_named(before) => before,
            (Some(comma), Some(before)) if plain && self.word(comma) == "," && is_named(before) => before,
            _ => item,
        }
    }

    /// Returns the subject whose last noun group is at item `last`, the item where the subject begins, and how it was
    /// found.
    fn subject_ending(&self, last: usize, before: &[Clause]) -> Option<(Vec<usize>, usize, From)> {
        let mut k = last;
        loop {
            let np = self.np(k)?;
            let Some(p) = k.checked_sub(1) else { return Some((vec![np], k, From::Direct)) };
            // Example: "turns out Odo is his brother"
            let turns = self.word(p) == "out" && p > 0 && self.vg(p - 1).is_some_and(|vg| vg.lemma == "turn");
            if self.is_preposition(p) && !turns {
                let Some(q) = p.checked_sub(1) else {
                    // Example: "In the cellar lies the ledger"
                    return Some((Vec::new(), p, From::Inverted));
                };
                if self.np(q).is_some() {
                    k = q;
                    continue;
                }
                if let Some(vg) = self.vg(q) {
                    if vg.form != VerbForm::Finite && q > 0 && self.np(q - 1).is_some() {
                        k = q - 1;
                        continue;
                    }
                    return None;
                }
                if self.word(q) == "," && q > 0 && self.np(q - 1).is_some() {
                    k = q - 1;
                    continue;
                }
                return Some((Vec::new(), p, From::Inverted));
            }
            if let Some(vg) = self.vg(p)
                && vg.form != VerbForm::Finite
                && p > 0
                && self.np(p - 1).is_some()
            {
                k = p - 1;
                continue;
            }
            // Collects the noun groups of a list, from last to first.
            let mut list = vec![np];
            let mut start = k;
            let mut seen_and = false;
            while start > 0 && list.len() < MOST_LISTED {
                let mut q = start - 1;
                let and = self.is_and(q);
                if and {
                    seen_and = true;
                    if q > 0 && self.word(q - 1) == "," {
                        q -= 1;
                    }
                } else if !(self.word(q) == "," && seen_and) {
                    break;
                }
                let Some(before) = q.checked_sub(1).and_then(|item| Some((item, self.np(item)?))) else { break };
                // In "Before the fire, Odo and Bram left", the opening words are not part of the list.
                if before.0 > 0 && self.is_preposition(before.0 - 1) && self.word(start - 1) == "," {
                    break;
                }
                list.push(before.1);
                start = before.0;
            }
            if list.len() > 1 {
                // "Odo met Lyra and Bram left": the first of the list is an object.
                let first_is_object =
                    start > 0 && (self.vg(start - 1).is_some() || self.is_preposition(start - 1)) && !before.is_empty();
                if first_is_object {
                    return Some((vec![np], k, From::Direct));
                }
                // Example: "Between the two houses stands a pact"
                if start == 1 && self.word(0) == "between" {
                    return Some((Vec::new(), 0, From::Inverted));
                }
                list.reverse();
                return Some((list, start, From::Direct));
            }
            return Some((vec![np], k, From::Direct));
        }
    }

    /// Returns the noun groups that a relative pronoun refers to, and the item where they begin.
    pub(crate) fn antecedent(&self, relative: usize) -> Option<(Vec<usize>, usize)> {
        let mut at = relative.checked_sub(1)?;
        if self.word(at) == "," {
            at = at.checked_sub(1)?;
        }
        at = self.beside(at);
        let np = self.np(at)?;
        // In "the captain of the watch, who", the pronoun refers to the captain, unless the noun after "of" has a name.
        if at > 1
            && self.is_preposition(at - 1)
            && self.word(at - 1) == "of"
            && self.groups.nps[np].name.is_none()
            && let Some(outer) = self.np(at - 2)
        {
            return Some((vec![outer], at - 2));
        }
        Some((vec![np], at))
    }

    fn dependent(&self, verb: usize, vg: usize, before: &[Clause]) -> Clause {
        let group = &self.groups.vgs[vg];
        let mut k = verb;
        while k > 0 && self.class(k - 1).has(Class::ADVERB) && !self.is_preposition(k - 1) {
            k -= 1;
        }
        let parent = before.len().checked_sub(1);
        let bond = if group.form == VerbForm::Infinitive { Bond::Infinitive } else { Bond::Reduced };
        let mut clause = Clause {
            vg,
            subjects: Vec::new(),
            from: From::Nobody,
            rest: (verb + 1, verb + 1),
            start: verb,
            verb,
            parent,
            bond,
        };
        let Some(previous) = k.checked_sub(1) else {
            clause.start = 0;
            return clause;
        };
        let of_parent = || parent.map(|parent| before[parent].subjects.clone()).unwrap_or_default();
        match group.form {
            VerbForm::Infinitive => {
                // In "asked Odo to go", Odo goes. In "promised Odo to go", the subject of "promised" goes.
                let controlled = parent.and_then(|parent| {
                    let lemma = self.groups.vgs[before[parent].vg].lemma.as_str();
                    let says = self.grammar.sort(&group.lemma).speech
                        && !matches!(
                            lemma,
                            "ask" | "tell" | "beg" | "order" | "want" | "get" | "hear" | "make" | "force"
                        );
                    if says {
                        return None;
                    }
                    let object = (before[parent].verb + 1..verb).find_map(|item| self.np(item));
                    object.filter(|_| !matches!(lemma, "promise" | "swear" | "vow" | "threaten" | "offer" | "use"))
                });
                clause.subjects = controlled.map_or_else(of_parent, |np| vec![np]);
                clause.from = From::Control;
            }
            _ => {
                if self.is_preposition(previous) || self.is_and(previous) {
                    clause.subjects = of_parent();
                    clause.from = From::Control;
                    clause.start = previous;
                    if self.is_preposition(previous) {
                        clause.bond = Bond::Adverbial(self.word(previous).to_owned());
                    }
                } else if let Some(np) = self.np(previous) {
                    let subject =
                        self.subject_ending(previous, &[]).map(|(list, ..)| list).filter(|list| !list.is_empty());
                    // In "a man from the hills called Odo" and "the tale of a man called Odo", the man is called Odo.
                    clause.subjects = if group.form == VerbForm::Ing && parent.is_none() {
                        subject.unwrap_or_else(|| vec![np])
                    } else {
                        vec![np]
                    };
                    clause.from = From::Direct;
                    clause.start = if parent.is_none() { previous } else { verb };
                } else if self.vg(previous).is_some() && group.form == VerbForm::Ing {
                    // Example: "stopped working for the guild"
                    clause.subjects = of_parent();
                    clause.from = From::Control;
                } else if self.word(previous) == "," {
                    let named = previous.checked_sub(1).and_then(|item| self.np(item));
                    let head = named.and(previous.checked_sub(1)).and_then(|item| self.subject_ending(item, &[]));
                    let head = head.map(|(list, ..)| list).filter(|list| list.len() == 1);
                    clause.subjects = match (named, group.form) {
                        (Some(np), VerbForm::Participle) => head.unwrap_or_else(|| vec![np]),
                        (Some(np), _) if parent.is_none() => vec![np],
                        _ => of_parent(),
                    };
                    clause.from = From::Control;
                    clause.start = previous;
                }
            }
        }
        clause
    }
}
