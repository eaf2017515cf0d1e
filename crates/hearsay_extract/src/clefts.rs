//! Extracts facts from clauses whose object precedes the verb: "the club, which Vera owns", "what Odo wants is the
//! ledger".

use crate::{
    being::Saying,
    grammar::{Part, Pattern},
    mentions::Who,
    read::{Reader, Ref},
};

impl Reader<'_> {
    /// Records the relation of a verb whose object precedes it: "the club, which Vera owns", "the man whom Odo trusts".
    /// Returns whether a fact was added.
    pub(crate) fn gapped(&mut self, saying: Saying<'_>, patterns: &[Pattern]) -> bool {
        let Saying { at, subjects, mode, marks } = saying;
        let clause = self.clauses[at].clone();
        let Some(relative) = clause.start.checked_sub(1) else { return false };
        let bare = clause.rest.0 >= clause.rest.1 || self.syntax.np(clause.rest.0).is_none();
        if self.vg(at).passive || !bare {
            return false;
        }
        let objects = if matches!(self.syntax.word(relative), "which" | "whom" | "who" | "that") {
            match self.syntax.antecedent(relative) {
                Some((objects, _)) => objects,
                None => return false,
            }
        } else if matches!(self.syntax.word(relative), "what" | "all") {
            // Example: "what Odo wants, above all, is the ledger"
            let is = self.clauses.get(at + 1).filter(|next| self.groups.vgs[next.vg].copula).cloned();
            let Some(is) = is else { return false };
            self.syntax.list(is.rest.0, is.rest.1).0
        } else {
            return false;
        };
        let whos: Vec<Who> = subjects.iter().map(|subject| subject.who).collect();
        let objects = self.resolve_all(&objects, &whos);
        let end = self.vg(at).end;
        let before = self.facts.len();
        for pattern in patterns.iter().filter(|pattern| pattern.value.is_none()) {
            if !self.grammar.targets[pattern.target].predicate.is_relation() || !self.hangs(pattern, clause.rest.0) {
                continue;
            }
            let marks = [&pattern.marked(marks)[..], &["by_verb"]].concat();
            let span = self.clause_span(at, end);
            let fits = |object: &&Ref| self.kinds(object.who).meets(pattern.kinds);
            for object in objects.iter().filter(fits).copied().collect::<Vec<_>>() {
                for subject in subjects {
                    let (a, b) = if pattern.back { (&object, subject) } else { (subject, &object) };
                    self.state(pattern.target, a, Ok(b), &pattern.words, &marks, mode, span);
                }
            }
            if self.facts.len() > before {
                return true;
            }
        }
        false
    }

    /// Returns whether the words of a pattern follow the verb without the object, as in "which he longs for".
    fn hangs(&self, pattern: &Pattern, from: usize) -> bool {
        match &pattern.parts[..] {
            [Part::Object] => true,
            [Part::Word(word), Part::Object] => self.syntax.word(from) == word && self.syntax.np(from + 1).is_none(),
            _ => false,
        }
    }
}
