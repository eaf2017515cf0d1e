//! Detects statements about the past that are no longer true: "until the bankruptcy", "he is so no more", "once a
//! smith".

use crate::{
    language::{
        function_words::{is_be_form, is_pronoun},
        grammar::WordClass,
        word_lists::lists,
    },
    sentence_reader::SentenceReader,
    syntax::{
        chunker::{Chunk, VerbForm, VerbGroup},
        clauses::{Clause, ClauseType},
    },
};

/// Returns whether a verb group describes a past act with a lasting result: "bought it years back".
pub(crate) fn is_lasting_act(vg: &VerbGroup) -> bool {
    vg.is_past && !vg.has_used_to && !vg.is_perfect && lists().verbs.lasting_acts.contains(&vg.lemma)
}

impl SentenceReader<'_> {
    /// Returns whether the words say that a clause was true earlier and is no longer true.
    pub(crate) fn has_ended(&self, at: usize) -> bool {
        let (clause, vg) = (&self.clauses[at], self.verb_group(at));
        let is_past = vg.is_past || vg.is_perfect;
        let is_time_of_day = |np: usize| lists().times.of_day.contains(self.norm(self.noun_group(np).head));
        // Example: "Before the fire, they trusted …"
        let has_past_frame = clause.start > 1
            && (lists().conjunctions.until.contains(self.syntax.word(0))
                && self.syntax.is_preposition(0)
                && !self.syntax.noun_group_at(1).is_some_and(is_time_of_day)
                || matches!(self.norm(0), "before" | "until") && self.norm(1) == "the" && vg.is_past);
        // Example: "belonged to Rusk until Odo stole it"
        let ends_until_clause = self.clauses.iter().any(|other| {
            let is_between = |next: &&Clause| next.verb_item < other.verb_item;
            other.start > clause.verb_item
                && matches!(&other.clause_type, ClauseType::Adverbial(word) if word == "until" || word == "till")
                && self.clauses[at + 1..].iter().filter(is_between).all(|next| next.parent == Some(at))
        });
        // Example: "until the bankruptcy, belonged to Odo"
        let ends_until_event = (1..self.chunks.items.len()).any(|item| {
            matches!(self.syntax.word(item), "until" | "till")
                && self.syntax.noun_group_at(item + 1).is_some_and(|np| !is_time_of_day(np))
                && !matches!(self.chunks.items.get(item + 2), Some(Chunk::VerbGroup(_)))
        });
        let ends_up_to = (vg.end..self.tokens.len())
            .any(|at| self.norm(at) == "up" && self.norm(at + 1) == "to" && self.norm(at + 2) == "the");
        // Examples: "Before she was a lady she was a goose-girl", "was a footpad before the law came"
        let precedes_before = (0..self.tokens.len()).any(|at| self.norm(at) == "before" && (at == 0 || at > vg.end))
            && vg.is_past
            && vg.is_copula
            && !vg.is_negated
            && clause.clause_type != ClauseType::Adverbial("before".into());
        let has_since = (vg.end..self.tokens.len()).any(|at| self.norm(at) == "since");
        let had_been = vg.is_copula && vg.is_perfect && vg.is_past && !has_since;
        let has_ending = (ends_until_clause || ends_until_event || ends_up_to || self.is_followed_by_ending(vg.end))
            && !vg.is_negated;
        had_been || precedes_before || is_past && (has_past_frame || has_ending || self.has_past_adverb(at))
    }

    /// Returns whether a clause contains "once", "formerly" or a similar word: "once worked", "was once".
    fn has_past_adverb(&self, at: usize) -> bool {
        let (clause, vg) = (&self.clauses[at], self.verb_group(at));
        let end = match self.chunks.items.get(clause.rest_items.end) {
            Some(Chunk::Token(at)) if self.tokens[*at].is_punctuation(".,!") => at + 2,
            _ => vg.end + 1,
        };
        let has_adverb_near = (vg.start.saturating_sub(1)..end.max(vg.end + 1).min(self.tokens.len()))
            .any(|token| self.norm(token) == "originally" || lists().adverbs.former.contains(self.norm(token)));
        let ends_with_once = self.syntax.word(clause.rest_items.end) == "once"
            && (clause.rest_items.end + 1 >= self.chunks.items.len()
                || matches!(self.syntax.word(clause.rest_items.end + 1), "," | "." | "!" | ";"));
        let last = self.chunk_end(clause.last_item()).min(self.tokens.len());
        let has_once_after_comma =
            (vg.end..last).any(|at| at > 0 && self.norm(at) == "once" && self.tokens[at - 1].is_punctuation(","));
        has_adverb_near || ends_with_once || has_once_after_comma
    }

    /// Returns whether the words after a token say that the statement before them is over: "…, but that ended", "…, he
    /// moved out".
    fn is_followed_by_ending(&self, from: usize) -> bool {
        (from + 1..self.tokens.len()).any(|at| {
            let previous_word = self.norm(at - 1);
            let starts_clause = self.tokens[at - 1].is_punctuation(",:\u{2014}")
                || lists().conjunctions.before_endings.contains(previous_word);
            let (first, second, third) = (self.norm(at), self.norm(at + 1), self.norm(at + 2));
            let is_it = lists().pronouns.facts.contains(first);
            if !starts_clause || !(is_it || is_pronoun(first)) {
                return false;
            }
            let has_be = is_be_form(second) || second == "'s";
            let is_ended_word = lists().adjectives.over.contains(third);
            let says_ended = is_it && (second == "ended" || has_be && is_ended_word);
            let is_over_person = has_be && third == "over" && is_pronoun(self.norm(at + 3));
            let says_moved = second == "moved" && lists().adverbs.departures.contains(third);
            let next = self.tokens.get(at + 2);
            let says_left =
                matches!(second, "left" | "quit") && next.is_none_or(|next| !next.is_word() || is_pronoun(&next.norm));
            self.says_no_longer(at) || says_ended || is_over_person || says_moved || says_left
        })
    }

    /// Returns whether the words at a token say that the previous statement is over: "he is so no longer".
    pub(crate) fn says_no_longer(&self, at: usize) -> bool {
        let second = self.norm(at + 1);
        let has_auxiliary = is_be_form(second) || lists().auxiliaries.before_no_longer.contains(second);
        let rest = at + 2 + usize::from(lists().pronouns.resumed.contains(self.norm(at + 2)));
        let has_no_longer = self.norm(rest) == "no longer" || self.norm(rest) == "no" && self.norm(rest + 1) == "more";
        is_pronoun(self.norm(at))
            && has_auxiliary
            && has_no_longer
            && !self.tokens.get(rest + 2).is_some_and(|next| next.is_word())
    }

    /// Returns whether the tokens contain "any more" in the sense of "no longer": "does not … any more", but not "any
    /// more of it".
    pub(crate) fn has_any_more(&self, from: usize, to: usize) -> bool {
        (from..to).any(|at| {
            let next = self.tokens.get(at + 2);
            let is_final = next.is_none_or(|next| {
                !next.is_word()
                    || self.grammar.word_class(&next.norm).has(WordClass::CONJUNCTION.or(WordClass::SUBORDINATOR))
            });
            self.norm(at) == "any"
                && self.norm(at + 1) == "more"
                && is_final
                && !next.is_some_and(|next| next.is("than"))
        })
    }

    /// Returns whether a cue of the past applies to a clause. The cue must be in the clause itself or in the
    /// introduction of the sentence.
    pub(crate) fn past_cue_applies(&self, cue: usize, clause: usize) -> bool {
        let vg = self.verb_group(clause);
        let own_clause = &self.clauses[clause];
        // In "Bram, once a smith, lost his hand", only the occupation is over.
        let is_frame = self.norm(cue) == "in";
        if cue > 0 && !is_frame && self.norm(cue - 1) == "," && (cue..vg.start).any(|at| self.norm(at) == ",") {
            return false;
        }
        let is_past = vg.is_past
            || vg.is_perfect
            || vg.has_used_to
            || vg.is_omitted
            || vg.form != VerbForm::Finite
            || self.norm(cue) == "no longer"
            || self.norm(cue) == "anymore"
            || self.norm(cue) == "not"
            || self.norm(cue) == "any"
            || self.norm(cue) == "no" && self.norm(cue + 1) == "more";
        // Example: "It is Odo's no more: Lyra won it."
        if (cue.min(vg.head)..cue.max(vg.head)).any(|at| self.tokens[at].is_punctuation(":")) {
            return false;
        }
        // Example: "Time was when Odo owned the mill."
        if self.norm(cue) == "time" || self.norm(cue) == "there" {
            return is_past;
        }
        // If a finite verb comes between the cue and the clause, the cue belongs to that verb.
        let has_verb_between = self.clauses.iter().enumerate().any(|(at, other)| {
            let head = self.chunks.verb_groups[other.verb_group].head;
            at != clause
                && other.verb_group != own_clause.verb_group
                && self.chunks.verb_groups[other.verb_group].form == VerbForm::Finite
                && ((cue < head && head < vg.start) || (vg.end < head && head < cue))
        });
        is_past && !has_verb_between
    }
}
