//! Words that state or suggest a relation only in a certain construction of the grammar.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::language::language_file::{LanguageError, LanguageFile};

/// Lists of words in the table `[triggers]` of a language file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Trigger {
    /// First words of relations that describe an act of the past. Such a relation stays true: "was born in".
    PastAct,
    /// Verbs and other words that say that a relation has ended: "his debt to Odo is paid".
    Ending,
    /// Nouns for positions with an employer and a domain: "the guild's head of security".
    Position,
    /// Verbs of knowing, before a question: "knows where the ledger is".
    Knowing,
    /// Verbs of telling: the hearer knows about the topic.
    Telling,
    /// Verbs of wishing: the subject wants the thing or place.
    Wishing,
    /// Verbs of perception: the subject knows about the thing.
    Perception,
    /// Words between a verb of motion and "to" that do not change where somebody goes: "hurries off to the mill".
    Direction,
}

const LISTS: [(&str, Trigger); 8] = [
    ("past_acts", Trigger::PastAct),
    ("endings", Trigger::Ending),
    ("positions", Trigger::Position),
    ("knowing", Trigger::Knowing),
    ("telling", Trigger::Telling),
    ("wishing", Trigger::Wishing),
    ("perception", Trigger::Perception),
    ("directions", Trigger::Direction),
];

/// The words of all lists.
#[derive(Debug, Clone, Default)]
pub(crate) struct Triggers(FxHashMap<Trigger, FxHashSet<String>>);

impl Triggers {
    /// Adds the lists of a language file.
    pub(crate) fn add(&mut self, file: &LanguageFile) -> Result<(), LanguageError> {
        for (list, words) in &file.triggers {
            let Some((_, trigger)) = LISTS.iter().find(|(name, _)| name == list) else {
                let known = LISTS.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
                return Err(LanguageError::UnknownList { table: "triggers", list: list.clone(), known });
            };
            self.0.entry(*trigger).or_default().extend(words.iter().map(str::to_owned));
        }
        Ok(())
    }

    /// Returns whether a list contains a word.
    pub(crate) fn contains(&self, trigger: Trigger, word: &str) -> bool {
        self.0.get(&trigger).is_some_and(|words| words.contains(word))
    }
}
