//! Reads lists of noun groups, such as "Odo, Bram and Pell".

use super::{ClauseParser, MAX_LIST_LENGTH};
use crate::language::{grammar::WordClass, word_lists::lists};

impl ClauseParser<'_> {
    /// Returns the list of noun groups that begins at an item, such as "Odo, Bram and Pell", and the item after the
    /// list.
    pub(crate) fn noun_list(&self, from: usize, end: usize) -> (Vec<usize>, usize) {
        let mut at = from;
        while at < end && (self.word_class(at).has(WordClass::ADVERB) && !self.is_preposition(at)) {
            at += 1;
        }
        if self.is_indefinite_pronoun(at)
            && lists().prepositions.exceptions.contains(self.word(at + 1))
            && self.noun_group_at(at + 2).is_some()
        {
            at += 2;
        }
        let Some(first) = self.noun_group_at(at).filter(|_| at < end) else { return (Vec::new(), from) };
        let mut list = vec![first];
        at += 1;
        while list.len() < MAX_LIST_LENGTH {
            let mut next = at;
            if self.word(next) == "," {
                next += 1;
            }
            let has_conjunction = self.is_coordinator(next);
            if has_conjunction {
                next += 1;
            }
            let Some(np) = self.noun_group_at(next).filter(|_| next < end && next > at) else { break };
            // A comma joins two noun groups only if an "and" follows later in the list.
            if !has_conjunction && !self.has_conjunction_ahead(next + 1, end) {
                break;
            }
            list.push(np);
            at = next + 1;
        }
        (list, at)
    }

    /// Returns whether the list that continues at an item contains an "and".
    fn has_conjunction_ahead(&self, mut item: usize, end: usize) -> bool {
        for _ in 0..MAX_LIST_LENGTH {
            if self.word(item) == "," {
                item += 1;
            } else if !self.is_coordinator(item) {
                return false;
            }
            if self.is_coordinator(item) {
                return item + 1 < end && self.noun_group_at(item + 1).is_some();
            }
            if self.noun_group_at(item).is_none() || item >= end {
                return false;
            }
            item += 1;
        }
        false
    }
}
