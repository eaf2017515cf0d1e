//! Detects statements about the past that are no longer true: "until the bankruptcy", "he is so no more", "once a
//! smith".

use crate::{
    clauses::{Bond, Clause},
    grammar::Class,
    mentions::{be_form, is_pronoun},
    parse::{Item, VerbForm, Vg},
    read::Reader,
};

/// Times of day. "Before dawn he joined them" says when it happened; it does not say that the fact is over.
const HOURS: [&str; 14] = [
    "dawn",
    "dusk",
    "noon",
    "midday",
    "midnight",
    "nightfall",
    "daybreak",
    "sunrise",
    "sunset",
    "morning",
    "breakfast",
    "supper",
    "dark",
    "light",
];

/// Returns whether a verb group describes a past act with a lasting result: "bought it years back".
pub(crate) fn begins(vg: &Vg) -> bool {
    let deeds = ["buy", "purchase", "inherit", "win", "acquire", "join", "marry", "found", "build", "make", "move"];
    vg.past && !vg.used_to && !vg.perfect && deeds.contains(&vg.lemma.as_str())
}

impl Reader<'_> {
    /// Returns whether the words say that a clause was true earlier and is no longer true.
    pub(crate) fn was_before(&self, at: usize) -> bool {
        let (clause, vg) = (&self.clauses[at], self.vg(at));
        let was = vg.past || vg.perfect;
        let hours = |np: usize| HOURS.contains(&self.norm(self.np_group(np).head));
        // Example: "Before the fire, they trusted …"
        let framed = clause.start > 1
            && (matches!(self.syntax.word(0), "before" | "until" | "till")
                && self.syntax.is_preposition(0)
                && !self.syntax.np(1).is_some_and(hours)
                || matches!(self.norm(0), "before" | "until") && self.norm(1) == "the" && vg.past);
        // Example: "belonged to Rusk until Odo stole it"
        let until = self.clauses.iter().any(|other| {
            let first = |next: &&Clause| next.verb < other.verb;
            other.start > clause.verb
                && matches!(&other.bond, Bond::Adverbial(word) if word == "until" || word == "till")
                && self.clauses[at + 1..].iter().filter(first).all(|next| next.parent == Some(at))
        });
        // Example: "until the bankruptcy, belonged to Odo"
        let ended = (1..self.groups.items.len()).any(|item| {
            matches!(self.syntax.word(item), "until" | "till")
                && self.syntax.np(item + 1).is_some_and(|np| !hours(np))
                && !matches!(self.groups.items.get(item + 2), Some(Item::Vg(_)))
        });
        let up_to = (vg.end..self.tokens.len())
            .any(|at| self.norm(at) == "up" && self.norm(at + 1) == "to" && self.norm(at + 2) == "the");
        // Examples: "Before she was a lady she was a goose-girl", "was a footpad before the law came"
        let earlier = (0..self.tokens.len()).any(|at| self.norm(at) == "before" && (at == 0 || at > vg.end))
            && vg.past
            && vg.copula
            && !vg.negated
            && clause.bond != Bond::Adverbial("before".into());
        let since = (vg.end..self.tokens.len()).any(|at| self.norm(at) == "since");
        let had_been = vg.copula && vg.perfect && vg.past && !since;
        let then = (until || ended || up_to || self.is_over(vg.end)) && !vg.negated;
        had_been || earlier || was && (framed || then || self.once(at))
    }

    /// Returns whether a clause contains "once", "formerly" or a similar word: "once worked", "was once".
    fn once(&self, at: usize) -> bool {
        let (clause, vg) = (&self.clauses[at], self.vg(at));
        let end = match self.groups.items.get(clause.rest.1) {
            Some(Item::Tok(at)) if self.tokens[*at].is_mark(".,!") => at + 2,
            _ => vg.end + 1,
        };
        let near = (vg.start.saturating_sub(1)..end.max(vg.end + 1).min(self.tokens.len()))
            .any(|token| matches!(self.norm(token), "once" | "formerly" | "previously" | "originally"));
        let ends = self.syntax.word(clause.rest.1) == "once"
            && (clause.rest.1 + 1 >= self.groups.items.len()
                || matches!(self.syntax.word(clause.rest.1 + 1), "," | "." | "!" | ";"));
        let last = self.end_of(clause.rest.1.saturating_sub(1)).min(self.tokens.len());
        let apart = (vg.end..last).any(|at| at > 0 && self.norm(at) == "once" && self.tokens[at - 1].is_mark(","));
        near || ends || apart
    }

    /// Returns whether the words after a token say that the statement before them is over: "…, but that ended", "…, he
    /// moved out".
    fn is_over(&self, from: usize) -> bool {
        (from + 1..self.tokens.len()).any(|at| {
            let before = self.norm(at - 1);
            let opens =
                self.tokens[at - 1].is_mark(",:\u{2014}") || matches!(before, "but" | "and" | "though" | "until");
            let (first, second, third) = (self.norm(at), self.norm(at + 1), self.norm(at + 2));
            let it = matches!(first, "it" | "that" | "this");
            if !opens || !(it || is_pronoun(first)) {
                return false;
            }
            let is = be_form(second) || second == "'s";
            let gone = matches!(third, "over" | "dead" | "off" | "done" | "finished" | "gone" | "ashes" | "history");
            let ended = it && (second == "ended" || is && gone);
            let over_them = is && third == "over" && is_pronoun(self.norm(at + 3));
            let moved = second == "moved" && matches!(third, "out" | "away" | "on");
            let next = self.tokens.get(at + 2);
            let left =
                matches!(second, "left" | "quit") && next.is_none_or(|next| !next.is_word() || is_pronoun(&next.norm));
            self.no_more(at) || ended || over_them || moved || left
        })
    }

    /// Returns whether the words at a token say that the previous statement is over: "he is so no longer".
    pub(crate) fn no_more(&self, at: usize) -> bool {
        let second = self.norm(at + 1);
        let does = be_form(second) || matches!(second, "'s" | "do" | "does" | "did" | "has" | "have");
        let rest = at + 2 + usize::from(matches!(self.norm(at + 2), "so" | "one" | "it"));
        let no_more = self.norm(rest) == "no longer" || self.norm(rest) == "no" && self.norm(rest + 1) == "more";
        is_pronoun(self.norm(at)) && does && no_more && !self.tokens.get(rest + 2).is_some_and(|next| next.is_word())
    }

    /// Returns whether the tokens contain "any more" in the sense of "no longer": "does not … any more", but not "any
    /// more of it".
    pub(crate) fn any_more(&self, from: usize, to: usize) -> bool {
        (from..to).any(|at| {
            let next = self.tokens.get(at + 2);
            let ends = next.is_none_or(|next| {
                !next.is_word() || self.grammar.class(&next.norm).has(Class::CONJUNCTION.or(Class::SUBORDINATOR))
            });
            self.norm(at) == "any" && self.norm(at + 1) == "more" && ends && !next.is_some_and(|next| next.is("than"))
        })
    }

    /// Returns whether a cue of the past applies to a clause. The cue must be in the clause itself or in the
    /// introduction of the sentence.
    pub(crate) fn is_near(&self, cue: usize, clause: usize) -> bool {
        let vg = self.vg(clause);
        let own = &self.clauses[clause];
        // In "Bram, once a smith, lost his hand", only the occupation is over.
        let framed = self.norm(cue) == "in";
        if cue > 0 && !framed && self.norm(cue - 1) == "," && (cue..vg.start).any(|at| self.norm(at) == ",") {
            return false;
        }
        let past = vg.past
            || vg.perfect
            || vg.used_to
            || vg.silent
            || vg.form != VerbForm::Finite
            || self.norm(cue) == "no longer"
            || self.norm(cue) == "anymore"
            || self.norm(cue) == "not"
            || self.norm(cue) == "any"
            || self.norm(cue) == "no" && self.norm(cue + 1) == "more";
        // Example: "It is Odo's no more: Lyra won it."
        if (cue.min(vg.head)..cue.max(vg.head)).any(|at| self.tokens[at].is_mark(":")) {
            return false;
        }
        // Example: "Time was when Odo owned the mill."
        if self.norm(cue) == "time" || self.norm(cue) == "there" {
            return past;
        }
        // If a finite verb comes between the cue and the clause, the cue belongs to that verb.
        let between = self.clauses.iter().enumerate().any(|(at, other)| {
            let head = self.groups.vgs[other.vg].head;
            at != clause
                && other.vg != own.vg
                && self.groups.vgs[other.vg].form == VerbForm::Finite
                && ((cue < head && head < vg.start) || (vg.end < head && head < cue))
        });
        past && !between
    }
}
