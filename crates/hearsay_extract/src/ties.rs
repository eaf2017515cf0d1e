//! Reads relations that are stated by a noun between two entities: "Odo's debt to Bram", "a feud between the houses",
//! "bears a grudge against him". Such a noun is called a tie.

use crate::{
    clauses::Clause,
    grammar::{Class, Pattern},
    mode::Mode,
    read::{Read, Reader, Ref},
};

/// Verbs and other words that say that a tie has ended: "his debt to Odo is paid".
const ENDINGS: [&str; 24] = [
    "end",
    "cease",
    "fade",
    "die",
    "lapse",
    "collapse",
    "cool",
    "sour",
    "lose",
    "break",
    "settle",
    "repay",
    "forgive",
    "renounce",
    "forget",
    "overcome",
    "bury",
    "over",
    "past",
    "gone",
    "paid",
    "settled",
    "forgiven",
    "forgotten",
];

/// Verbs that say where a possession is: "his cottage stands in Fenwick".
const STANDING: [&str; 4] = ["stand", "lie", "sit", "be"];

impl Reader<'_> {
    /// Records the relations that nouns state between two entities.
    pub(crate) fn ties(&mut self, modes: &[Mode]) {
        for item in 0..self.groups.items.len() {
            let Some(np) = self.syntax.np(item) else { continue };
            let group = &self.groups.nps[np];
            let no = group.article.is_some_and(|at| matches!(self.norm(at), "no" | "any" | "neither"));
            if group.name.is_some() || group.pronoun || group.bare_owner || no {
                continue;
            }
            let entries = self.grammar.ties_of(self.norm(group.head));
            if entries.is_empty() {
                continue;
            }
            let at = self.clause_of(np, item);
            let mut mode = match at.and_then(|at| modes.get(at)) {
                Some(mode) => mode.clone(),
                None => self.whole(false),
            };
            if !mode.is_plain() {
                continue;
            }
            mode.over |= at.is_some_and(|at| self.ends(at));
            for pattern in entries {
                if self.tie(np, item, at, pattern, &mode) {
                    break;
                }
            }
        }
    }

    /// Returns the clause of a noun group. This is the clause that has the group as its subject, or otherwise the last
    /// clause that begins, or has its verb, before the group.
    fn clause_of(&self, np: usize, item: usize) -> Option<usize> {
        let of = |clause: &Clause| clause.subjects.contains(&np);
        let before = |clause: &Clause| clause.verb < item || clause.start <= item;
        self.clauses.iter().position(of).or_else(|| self.clauses.iter().rposition(before))
    }

    /// Returns whether a clause says that a tie has ended.
    fn ends(&self, at: usize) -> bool {
        let vg = self.vg(at);
        let (from, to) = self.clauses[at].rest;
        let says = |word: &str| ENDINGS.contains(&word);
        says(&vg.lemma) || (vg.copula && (from..to).any(|item| says(self.norm(self.start_of(item)))))
    }

    fn tie(&mut self, np: usize, item: usize, at: Option<usize>, pattern: &Pattern, mode: &Mode) -> bool {
        let group = self.groups.nps[np].clone();
        let words = pattern.words.as_str();
        let preposition = words.split_whitespace().next_back().unwrap_or_default().to_owned();
        let noun = self.norm(group.head).to_owned();
        let mut sides = None;
        if preposition == "between" {
            // Example: "Between them stands a pact."
            let first = if self.syntax.word(0) == "between" { 1 } else { item + 2 };
            if self.syntax.word(first - 1) == "between" {
                let (list, end) = self.syntax.list(first, self.groups.items.len());
                let both = self.resolve_all(&list, &[]);
                if let [a, b] = both[..] {
                    sides = Some((vec![a], vec![b], end));
                }
            }
        } else if let Some(first) = self.tied(item, at, &preposition) {
            let (list, end) = self.tied_list(first, &preposition);
            let subjects = self.tied_of(np, item, at);
            let whos: Vec<_> = subjects.iter().map(|subject| subject.who).collect();
            let mut objects = self.resolve_all(&list, &whos);
            if objects.is_empty() && self.grammar.targets[pattern.target].holds_of_wholes() {
                // Example: "a cottage at the edge of Fenwick"
                objects = list.first().map(|np| self.owners(*np, Some(first), &["of"])).unwrap_or_default();
            }
            sides = Some((subjects, objects, end));
        }
        let Some((subjects, objects, end)) = sides else { return false };
        let last = self.end_of(end.saturating_sub(1)).min(self.tokens.len());
        let span = self.span(group.start, last.saturating_sub(1).max(group.head));
        let marks = pattern.marked(&["by_tie"]);
        let relation = format!("{noun} {preposition}");
        let before = self.facts.len();
        for subject in &subjects {
            for object in
                objects.iter().filter(|object| self.kinds(object.who).meets(pattern.kinds)).collect::<Vec<_>>()
            {
                if !self.is_stated(pattern.target, subject, object) {
                    self.state(pattern.target, subject, Ok(object), &relation, &marks, mode, span);
                }
            }
        }
        self.facts.len() > before
    }

    /// Reads the list of noun groups at the other end of a tie: "debts to Odo, to Bram and to the guild". Returns the
    /// noun groups and the item after them.
    fn tied_list(&self, first: usize, preposition: &str) -> (Vec<usize>, usize) {
        let (mut list, mut end) = self.syntax.list(first, self.groups.items.len());
        loop {
            let joined = (end..end + 2).take_while(|item| matches!(self.syntax.word(*item), "," | "and")).count();
            let next = end + joined;
            if joined == 0 || self.syntax.word(next) != preposition {
                return (list, end);
            }
            let (more, behind) = self.syntax.list(next + 1, self.groups.items.len());
            if more.is_empty() {
                return (list, end);
            }
            list.extend(more);
            end = behind;
        }
    }

    /// Returns the item at which the other end of a tie begins. It follows the preposition of the tie, or a verb of
    /// [`STANDING`] with the preposition.
    fn tied(&self, item: usize, at: Option<usize>, preposition: &str) -> Option<usize> {
        let follows = |item: usize| {
            (self.syntax.word(item) == preposition && self.syntax.np(item + 1).is_some()).then_some(item + 1)
        };
        if let Some(first) = follows(item + 1) {
            return Some(first);
        }
        // Example: "a debt of ninety crowns to Odo"
        if self.syntax.word(item + 1) == "of"
            && let Some(between) = self.syntax.np(item + 2)
            && self.groups.nps[between].name.is_none()
        {
            return follows(item + 3);
        }
        let clause = &self.clauses[at?];
        let stands = STANDING.contains(&self.vg(at?).lemma.as_str()) && clause.verb == item + 1;
        if !stands || !matches!(preposition, "in" | "on" | "at" | "near" | "above" | "under" | "by" | "to") {
            return None;
        }
        follows(item + 2)
    }

    /// Returns the entities on the owner's side of a tie: the owner of the noun, or the subject of a verb such as
    /// "has", "bears" or "feels".
    fn tied_of(&mut self, np: usize, item: usize, at: Option<usize>) -> Vec<Ref> {
        if let Some(owner) = self.groups.nps[np].owner {
            return self.resolve(owner, &[]);
        }
        let Some(at) = at else { return Vec::new() };
        let clause = self.clauses[at].clone();
        let vg = self.vg(at);
        let light = self.grammar.class(&vg.lemma).has(Class::LIGHT_VERB) && !vg.passive;
        // The tie can follow other words after the verb: "has nothing but contempt for".
        let near = item > clause.verb && item < clause.rest.1.max(clause.verb + 4);
        if light && near { self.resolve_all(&clause.subjects, &[]) } else { Vec::new() }
    }

    /// Returns whether this relation between the two entities was already recorded.
    fn is_stated(&self, target: usize, subject: &Ref, object: &Ref) -> bool {
        let targets = &self.grammar.targets;
        let said = |fact: &Read| {
            targets[fact.target].predicate == targets[target].predicate
                && fact.joins(subject.who, object.who)
                && (targets[target].mutual || fact.subject == subject.who)
        };
        self.facts.iter().any(said)
    }
}
